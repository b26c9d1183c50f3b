"""Clones of one repository whose journals lie in one database: what is done in one is reported in the others."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.session.host import host_of
from tests.postgres.server import Server

TEN = "".join(f"line {number}\n" for number in range(1, 11))


def git(folder: Path, *words: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def clones(tmp_path: Path) -> tuple[Path, Path]:
    """Two clones of a repository on this disk."""
    origin = tmp_path / "origin"
    (origin / "docs").mkdir(parents=True)
    (origin / "a.md").write_text(TEN)
    (origin / "docs" / "a.md").write_text(TEN)
    git(origin, "init", "-q")
    git(origin, "add", ".")
    git(origin, "commit", "-q", "-m", "ten lines")
    for name in ("one", "two"):
        git(tmp_path, "clone", "-q", f"file://{origin}", name)
    return tmp_path / "one", tmp_path / "two"


@pytest.fixture
def crew(clones: tuple[Path, Path], postgres_server: Server) -> Iterator[tuple[sh.Workspace, sh.Workspace]]:
    """An agent in each clone; the server is the same, each has a journal of its own."""
    with ExitStack() as stack:
        one = stack.enter_context(sh.Workspace(clones[0], actor="ada", task="T-1", journal=postgres_server.url))
        two = stack.enter_context(sh.Workspace(clones[1], actor="bob", task="T-9", journal=postgres_server.url))
        two.edit("docs/a.md", [{"target": "line 1\n", "new": "line 1!\n"}])  # so that it is known as a clone
        yield one, two


def edit(ws: sh.Workspace, old: str, new: str, reason: str | None = None, path: str = "a.md") -> tuple[str, ...]:
    return ws.edit(path, [{"target": old, "new": new}], reason=reason).warnings


def test_a_change_in_one_clone_is_reported_with_its_lines_in_the_other(crew: tuple[sh.Workspace, sh.Workspace]) -> None:
    one, two = crew
    edit(two, "line 3\nline 4\n", "three\nfour\n", "words")
    (answer,) = edit(one, "line 9", "nine")
    assert answer == "a.md: bob (T-9) changed lines 3–4 in another clone of this repository: words"


def test_a_change_of_the_same_lines_says_so_and_is_no_refusal(crew: tuple[sh.Workspace, sh.Workspace]) -> None:
    one, two = crew
    edit(two, "line 3", "three", "words")
    (answer,) = edit(one, "line 3", "3")
    assert answer == "a.md: bob (T-9) changed line 3, where this change is, in another clone of this repository: words"
    assert "\n3\n" in host_of(one).source("a.md").text


def test_lines_are_those_of_the_text_here_after_changes_on_both_sides(crew: tuple[sh.Workspace, sh.Workspace]) -> None:
    one, two = crew
    edit(one, "line 1\n", "line 1\nx\ny\n")
    edit(two, "line 2\n", "")
    edit(two, "line 8", "eight", "a word")
    answer = edit(one, "line 10\n", "line 10\nthe end\n")
    assert any("changed line 10 in" in notice and "a word" in notice for notice in answer), answer
    answer = edit(one, "line 1\n", "line 1\nz\n")
    assert any("changed line 11 in" in notice for notice in answer), answer


def test_a_preview_tells_the_same(crew: tuple[sh.Workspace, sh.Workspace]) -> None:
    one, two = crew
    edit(one, "line 1\n", "line 1!\n", path="docs/a.md")  # this clone has a journal from here on
    edit(two, "line 3", "three")
    (answer,) = one.preview("a.md", [{"target": "line 5", "new": "5"}]).warnings
    assert "changed line 3 in another clone" in answer


def test_nothing_is_reported_where_both_have_the_same(crew: tuple[sh.Workspace, sh.Workspace]) -> None:
    one, two = crew
    edit(two, "line 3", "three")
    assert edit(one, "line 3", "three") == ()
    assert one.elsewhere("a.md") == two.elsewhere("a.md") == []


def test_a_clone_that_is_behind_has_no_news(crew: tuple[sh.Workspace, sh.Workspace]) -> None:
    one, two = crew
    edit(one, "line 3", "three")
    edit(two, "line 3", "three")
    edit(one, "line 5", "five")
    assert edit(one, "line 7", "seven") == ()
    assert len(two.elsewhere("a.md")) == 2


def test_what_was_taken_back_is_no_news(crew: tuple[sh.Workspace, sh.Workspace]) -> None:
    one, two = crew
    two.undo(two.edit("a.md", [{"target": "line 3", "new": "three"}]).id)
    assert edit(one, "line 9", "nine") == ()
    two.read("a.md")
    edit(two, "line 5", "five")
    (answer,) = edit(one, "line 7", "seven")
    assert "changed line 5 in" in answer


def test_only_the_file_is_reported_where_no_version_is_in_common(crew: tuple[sh.Workspace, sh.Workspace]) -> None:
    one, two = crew
    (Path(one.root) / "a.md").write_text("another text\n")
    edit(two, "line 3", "three", "words")
    (answer,) = edit(one, "another", "one more")
    assert answer == "a.md: bob (T-9) changed this file in another clone of this repository: words"


def test_only_the_file_is_reported_after_a_change_outside(crew: tuple[sh.Workspace, sh.Workspace]) -> None:
    one, two = crew
    edit(one, "line 9", "nine")
    path = Path(one.root) / "a.md"
    path.write_text("before\n" + path.read_text())
    edit(two, "line 3", "three")
    (answer,) = [notice for notice in edit(one, "line 7", "seven") if "bob" in notice]
    assert "changed this file in another clone" in answer


@pytest.mark.parametrize("what", ["deleted", "renamed", "created"])
def test_what_became_of_a_file_is_reported(crew: tuple[sh.Workspace, sh.Workspace], what: str) -> None:
    one, two = crew
    if what == "deleted":
        two.delete("a.md")
    elif what == "renamed":
        two.rename("a.md", "b.md")
    else:
        two.create("new.md", "theirs\n")
    if what == "created":
        (answer,) = one.create("new.md", "ours\n").warnings
    else:
        (answer,) = edit(one, "line 9", "nine")
    assert f"bob (T-9) {what} this file in another clone" in answer


def test_at_most_five_are_reported_those_that_meet_the_change_first(
    crew: tuple[sh.Workspace, sh.Workspace],
) -> None:
    one, two = crew
    for number in range(1, 9):
        edit(two, f"line {number}\n", f"changed {number}\n")
    answer = edit(one, "line 2\n", "two\n")
    assert len(answer) == 5
    assert "where this change is" in answer[0]
    assert "line 8" in answer[1]


def test_elsewhere_gives_values(crew: tuple[sh.Workspace, sh.Workspace]) -> None:
    one, two = crew
    edit(one, "line 1\n", "line 1!\n", path="docs/a.md")
    receipt = two.edit("a.md", [{"target": "line 3", "new": "three", "reason": "a word"}])
    (notice,) = one.elsewhere("a.md")
    assert (notice.party, notice.record, notice.lines) == (two.party, receipt.id, ((3, 3),))
    assert notice.to_json()["reason"] == "a word"
    assert two.elsewhere("a.md") == []
    two.create("new.md", "theirs\n")
    assert [notice.what for notice in one.elsewhere("new.md")] == ["created"]


def test_other_repositories_and_other_folders_of_this_one_are_not_mentioned(
    crew: tuple[sh.Workspace, sh.Workspace], tmp_path: Path, postgres_server: Server
) -> None:
    _, two = crew
    edit(two, "line 3", "three")
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    (stranger / "a.md").write_text(TEN)
    for root in (stranger, Path(crew[0].root) / "docs"):
        with sh.Workspace(root, actor="eve", journal=postgres_server.url) as ws:
            assert edit(ws, "line 9", "nine") == ()


def test_a_repository_may_be_named_where_git_does_not(tmp_path: Path, postgres_server: Server) -> None:
    with ExitStack() as stack:
        crew = []
        for name in ("x", "y"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "a.md").write_text(TEN)
            ws = sh.Workspace(tmp_path / name, actor=name, journal=postgres_server.url, repo="site\0§")
            crew.append(stack.enter_context(ws))
        edit(crew[0], "line 3", "three")
        (answer,) = edit(crew[1], "line 9", "nine")
        assert "x changed line 3 in another clone" in answer


def test_a_clone_that_cannot_be_read_costs_nothing(
    crew: tuple[sh.Workspace, sh.Workspace], postgres_server: Server
) -> None:
    one, two = crew
    edit(one, "line 1\n", "line 1!\n", path="docs/a.md")
    edit(two, "line 3", "three")
    name = (Path(two.root) / ".steadyhand" / "root").read_text().strip()
    postgres_server.ask(f'ALTER SCHEMA "steadyhand_{name}" RENAME TO "gone_{name}"')
    assert edit(one, "line 9", "nine") == ()
    assert one.elsewhere("a.md") == []
    assert one.history()[0].record.paths == ("a.md",)
    postgres_server.ask(f'ALTER SCHEMA "gone_{name}" RENAME TO "steadyhand_{name}"')


def test_looking_at_others_leaves_the_own_journal_as_it_is(crew: tuple[sh.Workspace, sh.Workspace]) -> None:
    one, two = crew
    for number in range(1, 11):  # often enough for statements to be prepared on the server
        edit(two, f"line {number}\n", f"line {number}!\n")
        edit(one, f"line {number}\n", f"line {number}?\n", path="docs/a.md")
        assert len(one.elsewhere("a.md")) == min(number, 5)
        assert one.history(limit=1)[0].record.paths == ("docs/a.md",)
    assert {entry.record.actor for entry in one.history()} == {"ada"}
    assert {entry.record.actor for entry in two.history()} == {"bob"}
    assert one.check().ok
    assert two.check().ok


def test_without_a_server_there_are_no_others(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(TEN)
    with sh.Workspace(tmp_path, actor="ada") as ws:
        assert edit(ws, "line 9", "nine") == ()
        assert ws.elsewhere("a.md") == []
