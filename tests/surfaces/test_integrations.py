"""What other programs start us with: pre-commit hooks, the GitHub Action, the Dockerfile, the matrix of versions."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import click
import yaml

from steadyhand.surfaces.cli.main import cli
from tests.table import table

ROOT = Path(__file__).parent.parent.parent
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
REPLY = "a.txt\n<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n"


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def step(name: str) -> dict[str, Any]:
    return next(each for each in read("action.yml")["runs"]["steps"] if each.get("name") == name)


def run_step(name: str, tree: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the script of a step as a runner would, with its variables set."""
    bin_ = Path(sys.executable).parent
    env = {
        "PATH": f"{bin_}:{os.environ['PATH']}",
        "HOME": str(tree),
        "GITHUB_OUTPUT": str(tree / "output"),
        "PYTHONPATH": str(ROOT / "src"),
        **dict.fromkeys(step(name).get("env", {}), ""),
        **inputs,
    }
    script = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step(name)["run"]]
    return subprocess.run(script, cwd=tree, env=env, capture_output=True, text=True, check=False)


def test_every_hook_calls_a_command_that_there_is() -> None:
    hooks = {hook["id"]: hook for hook in read(".pre-commit-hooks.yaml")}
    assert set(hooks) == {f"steadyhand-{name}" for name in ("impact-lint", "impact-search", "check", "apply")}
    for hook in hooks.values():
        program, *words = hook["entry"].split()
        assert program == "steadyhand"
        command: Any = cli
        while isinstance(command, click.Group):
            command = command.get_command(click.Context(command), words.pop(0))
        known = {option for parameter in command.params for option in parameter.opts}
        assert set(words) <= known
    assert hooks["steadyhand-apply"]["stages"] == ["manual"], "a commit applies no reply by itself"


@table("way", ["reply", "file"])
def test_the_action_applies_a_reply(way: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n", encoding="utf-8")
    (tmp_path / "reply.md").write_text(REPLY, encoding="utf-8")
    given = {"REPLY": REPLY} if way == "reply" else {"REPLY_FILE": "reply.md"}
    done = run_step("Apply the reply", tmp_path, **given)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "1\ntwo\n"
    output = (tmp_path / "output").read_text(encoding="utf-8")
    assert re.fullmatch(r"receipt<<(receipt-[0-9a-f]{32})\n.*\"ok\": ?true.*\n\1\n", output, re.DOTALL)


def test_a_reply_that_is_refused_fails_the_step_and_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("two\n", encoding="utf-8")
    done = run_step("Apply the reply", tmp_path, REPLY=REPLY)
    assert done.returncode not in (0, 1, 2)
    assert '"kind"' in done.stdout
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "two\n"


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n", encoding="utf-8")
    done = run_step("Apply the reply", tmp_path, REPLY=REPLY, DRY_RUN="true")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "one\n"


def test_what_an_input_says_is_never_run(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n", encoding="utf-8")
    run_step("Apply the reply", tmp_path, REPLY="$(touch evil) `touch evil`", REPLY_FILE="--help; touch evil")
    assert not (tmp_path / "evil").exists()
    assert all("${{" not in each.get("run", "") for each in read("action.yml")["runs"]["steps"])


def test_the_action_checks_rules_and_journals(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n", encoding="utf-8")
    for name in ("Check the rules", "Check the journal"):
        done = run_step(name, tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
    assert run_step("Look at the command", tmp_path, COMMAND="apply").returncode == 0
    assert run_step("Look at the command", tmp_path, COMMAND="rm -rf").returncode == 2


def test_each_condition_of_the_action_names_a_command_that_it_takes() -> None:
    conditions = " ".join(str(each.get("if", "")) for each in read("action.yml")["runs"]["steps"])
    assert set(re.findall(r"== '(\w+)'", conditions)) == {"impact", "lint", "check", "apply"}


def test_the_versions_of_python_agree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = [each.rpartition(" :: ")[2] for each in project["classifiers"] if "Python :: 3." in each]
    tested = read(".github/workflows/ci.yml")["jobs"]["test"]["strategy"]["matrix"]["python"]
    assert declared == tested == PYTHONS
    assert project["requires-python"] == f">={PYTHONS[0]}"


def test_the_image_has_what_the_package_is_built_from() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    copied = " ".join(re.findall(r"^COPY (?!--from)(.*) \S+$", dockerfile, re.MULTILINE)).split()
    assert all((ROOT / name).exists() and f"!{name}" in ignored for name in copied)
    assert {"pyproject.toml", "README.md", "LICENSE", "src"} <= set(copied)
    assert 'ENTRYPOINT ["steadyhand"]' in dockerfile
