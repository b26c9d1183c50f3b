"""`steadyhand impact`: what each of its commands prints, answers and exits with."""

from __future__ import annotations

import json
import shlex
from itertools import takewhile
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from steadyhand.surfaces.cli.commands.impact import impact_command
from steadyhand.surfaces.cli.group import Command
from steadyhand.surfaces.cli.main import cli
from tests.articles.repository import Repository, article, make_fixture
from tests.table import table

MEMBERS = impact_command.list_commands(click.Context(impact_command))


@pytest.fixture(scope="module")
def fixture(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return make_fixture(tmp_path_factory.mktemp("fixture"))


def run(repo: Repository, *words: str) -> Result:
    return CliRunner().invoke(cli, ["impact", *words, "--root", str(repo.root)])


def answer(repo: Repository, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(repo, *words, "--json").stdout)
    return found


@table("name", MEMBERS)
def test_a_member_says_what_it_does_and_shows_examples(name: str) -> None:
    member = impact_command.get_command(click.Context(impact_command), name)
    assert isinstance(member, Command)
    summary, _, paragraph = str(member.help).partition("\n\n")
    assert summary.endswith(".")
    assert len(summary) <= 72
    assert len(paragraph.strip()) > 30
    assert all(f"steadyhand impact {name}" in example for example in member.examples.splitlines())
    assert all(parameter.help for parameter in member.params if isinstance(parameter, click.Option))
    for example in member.examples.splitlines():
        words = takewhile(lambda word: word not in (">", "|"), shlex.split(example)[3:])
        member.make_context(name, list(words), obj=None)
    assert "Examples:" in CliRunner().invoke(cli, ["impact", name, "--help"]).stdout


def test_search_has_the_promised_shape(fixture: Repository) -> None:
    found = answer(fixture, "search")
    assert set(found) >= {"articles", "problems"}
    (login,) = (each for each in found["articles"] if each["jrn"] == "LOGIN")
    assert login["path"] == "docs/login.md"
    assert set(login["evidence"][0]) == {"rule", "changedFile", "matchType", "commits"}
    assert login["evidence"][0]["matchType"] == "symbol"


def test_search_for_people(fixture: Repository) -> None:
    result = run(fixture, "search")
    assert result.exit_code == 0
    assert "docs/login.md  LOGIN" in result.stdout
    assert "  symbol  src/auth/session.py  symbol src/auth/session.py#Session.login" in result.stdout
    assert "10 of 16 articles may be affected by 10 changed files" in result.stdout
    assert "problem: docs/broken.md:2: the front matter cannot be read" in result.stderr
    assert run(fixture, "search", "--fail-on", "stale").exit_code == 3
    assert run(fixture, "search", "--base", "HEAD", "--fail-on", "stale").exit_code == 0


def test_extract_for_people_and_programs(fixture: Repository) -> None:
    result = run(fixture, "extract")
    assert result.exit_code == 0
    assert "renamed      web/old_name.ts → web/new_name.ts" in result.stdout
    assert "  in Session.login" in result.stdout
    assert "left out: assets/logo.png: binary" in result.stdout
    assert "@@" not in run(fixture, "extract", "--quiet").stdout
    found = answer(fixture, "extract", "--total", "0")
    assert [key for key in ("base", "head", "commits", "files", "leftOut") if key not in found] == []
    assert all(file["hunks"] == [] for file in found["files"])


def test_lint_fails_where_it_finds_something(fixture: Repository, tmp_path: Path) -> None:
    result = run(fixture, "lint")
    assert result.exit_code == 1
    assert "docs/renamed.md:4 dead-path there is no file web/old_name.ts" in result.stdout
    assert answer(fixture, "lint")["ok"] is False
    clean = Repository(tmp_path)
    clean.write("a.py", "x = 1\n")
    clean.write("a.md", article("A", "op: file, path: a.py"))
    assert run(clean, "lint").exit_code == 0
    covered = run(clean, "lint", "--coverage")
    assert covered.exit_code == 0
    assert "pages with rules: 1 of 1; source files covered by a rule: 1 of 1" in covered.stdout
    assert not (tmp_path / ".steadyhand").exists()


def test_suggest_shows_and_writes(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    repo.write("src/a.py", "x = 1\n")
    repo.write("a.md", "# A\n\nSee `src/a.py`.\n")
    shown = run(repo, "suggest")
    assert "- {op: file, path: src/a.py}  # line 3 names src/a.py" in shown.stdout
    assert (tmp_path / "a.md").read_text() == "# A\n\nSee `src/a.py`.\n"
    found = answer(repo, "suggest", "--write")
    assert list(found["written"]) == ["a.md"]
    text = "---\nattention:\n  - op: file\n    path: src/a.py\n---\n\n# A\n\nSee `src/a.py`.\n"
    assert (tmp_path / "a.md").read_text() == text


def test_what_cannot_be_asked(fixture: Repository, tmp_path: Path) -> None:
    assert run(fixture, "search", "--base", "nope").exit_code == 2
    assert run(fixture, "search", "--base", "main", "--uncommitted").exit_code == 2
    plain = CliRunner().invoke(cli, ["impact", "search", "--root", str(tmp_path), "--json"])
    assert json.loads(plain.stdout)["error"]["kind"] == "no-such-file"
    assert CliRunner().invoke(cli, ["impact", "nope"]).exit_code == 2


def test_names_from_a_repository_do_not_reach_the_terminal_raw(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    repo.commit("one")
    repo.git("switch", "-q", "-c", "feature")
    repo.commit("evil \x1b[31m subject", **{"a\x1b[2J.py": "x = 1\n", "a.md": article("A", 'op: file, path: "*.py"')})
    for words in (["search"], ["extract"]):
        assert "\x1b" not in run(repo, *words, "--color", "never").output


def test_the_hook_and_the_action_call_what_there_is() -> None:
    import yaml

    root = Path(__file__).parent.parent.parent
    hooks = yaml.safe_load((root / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    action = yaml.safe_load((root / "action.yml").read_text(encoding="utf-8"))
    scripts = "\n".join(step["run"] for step in action["runs"]["steps"] if "run" in step)
    typed = [hook["entry"] for hook in hooks] + [line.strip() for line in scripts.splitlines() if "impact" in line]
    called = [line[line.index("steadyhand impact ") :] for line in typed if "steadyhand impact " in line]
    assert len(called) == 6
    for line in called:
        words = [word for word in line.split() if word.startswith("--")]
        member = impact_command.get_command(click.Context(impact_command), line.split()[2])
        assert member is not None
        known = {option for parameter in member.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= known
    assert "${{" not in scripts, "an input in a script is code that somebody else may write"
