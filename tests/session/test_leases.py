"""Leases: a task says what it is about to work on; others who come there are warned, or refused if they ask for it."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.session.host import host_of
from tests.postgres.server import until
from tests.table import table

TEN = "".join(f"line {number}\n" for number in range(1, 11))
REFUSE = sh.Policy(on_lease="refuse")
HOLDER = """
import sys, steadyhand
journal = sys.argv[2] or None
with steadyhand.Workspace(sys.argv[1], actor="ada", task="T-2", journal=journal) as ws:
    with ws.lease("a.md", target=(3, 5), reason="in another process"):
        print("held", flush=True)
        sys.stdin.read()
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text(TEN)
    (tmp_path / "b.md").write_text(TEN)
    return tmp_path


@pytest.fixture
def crew(root: Path) -> Iterator[tuple[sh.Workspace, sh.Workspace]]:
    with sh.Workspace(root, actor="ada") as ada, sh.Workspace(root, actor="bob", task="T-1") as bob:
        yield ada, bob


def edit(ws: sh.Workspace, old: str, new: str, path: str = "a.md", **more: object) -> tuple[str, ...]:
    ws.read(path)
    return ws.edit(path, [{"target": old, "new": new}], **more).warnings  # type: ignore[arg-type]


def refused(kind: Kind, call: object, *args: object, **options: object) -> EditError:
    with pytest.raises(EditError) as caught:
        call(*args, **options)  # type: ignore[operator]
    assert caught.value.kind is kind, caught.value
    return caught.value


# Edits of others that do not come into lines 3 to 5.
BESIDE = [
    sh.Replace("line 2", "2"),
    sh.Replace("line 6", "6"),
    sh.Insert(sh.Lines(3), "new\n", where="before"),
    sh.Insert(sh.Lines(5), "new\n", where="after"),
    sh.Delete(sh.Lines(6)),
]
INSIDE = [
    sh.Replace("line 3", "3"),
    sh.Replace(sh.Lines(1, 10), "all\n"),
    sh.Insert(sh.Lines(4), "new\n", where="before"),
    sh.Delete(sh.Lines(5, 6)),
]


@pytest.mark.parametrize("beside", BESIDE, ids=lambda edit: type(edit).__name__)
def test_edits_beside_a_lease_are_not_warned_of_it(crew: tuple[sh.Workspace, sh.Workspace], beside: sh.Edit) -> None:
    ada, bob = crew
    with ada.lease("a.md", target=(3, 5)):
        assert bob.edit("a.md", [beside], policy=REFUSE).warnings == ()
        assert edit(bob, "line 3", "3", "b.md") == ()


@pytest.mark.parametrize("inside", INSIDE, ids=lambda edit: type(edit).__name__)
def test_edits_inside_a_lease_are_reported_and_land(crew: tuple[sh.Workspace, sh.Workspace], inside: sh.Edit) -> None:
    ada, bob = crew
    with ada.lease("a.md", target=(3, 5), reason="to words"):
        receipt = bob.edit("a.md", [inside])
    assert receipt.warnings == ("a.md lines 3–5: ada is at work here: to words",)
    assert receipt.id is not None


@pytest.mark.parametrize("inside", INSIDE, ids=lambda edit: type(edit).__name__)
def test_a_policy_may_refuse_them(crew: tuple[sh.Workspace, sh.Workspace], inside: sh.Edit) -> None:
    ada, bob = crew
    with ada.lease("a.md", target=(3, 5), reason="to words") as lease:
        error = refused(Kind.BUSY, bob.edit, "a.md", [inside], policy=REFUSE)
    assert error.message == "a.md lines 3–5: ada is at work here: to words"
    (answer,) = error.details["leases"]
    assert (answer["id"], answer["actor"], answer["lines"]) == (lease.id, "ada", [3, 5])
    assert host_of(bob).source("a.md").text == TEN


def test_a_refused_call_does_nothing_to_other_files_either(crew: tuple[sh.Workspace, sh.Workspace]) -> None:
    ada, bob = crew
    requests = {"files": [{"path": path, "edits": [{"target": "line 3", "new": "3"}]} for path in ("b.md", "a.md")]}
    with ada.lease("a.md"), sh.Workspace(bob.root, actor="bob", policy=REFUSE) as strict:
        refused(Kind.BUSY, strict.apply, sh.requests_from_json(requests))
        refused(Kind.BUSY, _transact, strict)
    assert host_of(bob).source("b.md").text == TEN
    assert bob.history() == []


def _transact(ws: sh.Workspace) -> None:
    with ws.transaction() as batch:
        batch.edit("b.md", [{"target": "line 3", "new": "3"}])
        batch.edit("a.md", [{"target": "line 3", "new": "3"}])


def test_own_leases_stop_nobody_of_the_own_party(crew: tuple[sh.Workspace, sh.Workspace]) -> None:
    ada, _ = crew
    with ada.task("T-2") as task, task.lease("a.md"):
        assert edit(task, "line 3", "3", policy=REFUSE) == ()
        refused(Kind.BUSY, edit, ada, "line 4", "4", policy=REFUSE)


@pytest.mark.parametrize("verb", ["write", "delete", "rename", "chmod", "onto", "undo", "preview"])
def test_whatever_is_done_to_a_leased_file_is_reported(crew: tuple[sh.Workspace, sh.Workspace], verb: str) -> None:
    ada, bob = crew
    before = bob.edit("a.md", [{"target": "line 4", "new": "four"}])
    bob.read("a.md")
    calls = {
        "write": lambda: bob.write("a.md", "other\n", allow_shrink=True),
        "delete": lambda: bob.delete("a.md"),
        "rename": lambda: bob.rename("a.md", "c.md"),
        "chmod": lambda: bob.chmod("a.md", 0o600),
        "onto": lambda: bob.rename("b.md", "new.md"),
        "undo": lambda: bob.undo(before.id),
        "preview": lambda: (
            bob.preview("a.md", [{"target": "line 4", "new": "4"}, {"target": "line 9", "new": "9"}])
            if "line 4" in host_of(bob).source("a.md").text
            else bob.preview("a.md", [{"target": "four", "new": "4"}])
        ),
    }
    with ada.lease("a.md"), ada.lease("new.md", reason="a new page"):
        (answer,) = calls[verb]().warnings
    page = "new.md: ada is at work on this file: a new page"
    assert answer == (page if verb == "onto" else "a.md: ada is at work on this file")


def test_undo_keeps_to_the_policy_too(crew: tuple[sh.Workspace, sh.Workspace]) -> None:
    ada, bob = crew
    receipt = bob.edit("a.md", [{"target": "line 4", "new": "four"}])
    with ada.lease("a.md", target="lines:4-4"), sh.Workspace(bob.root, actor="bob", policy=REFUSE) as strict:
        refused(Kind.BUSY, strict.undo, receipt.id)
    assert bob.undo(receipt.id).warnings == ()


def test_a_lease_moves_as_edits_land(crew: tuple[sh.Workspace, sh.Workspace]) -> None:
    ada, bob = crew
    with ada.lease("a.md", target=(3, 5)):
        edit(bob, "line 1\n", "line 1\nx\ny\n")
        assert [announced.lines for announced in bob.leases()] == [(5, 7)]
        edit(ada, "line 3\nline 4\nline 5\n", "A\nB\nC\nD\n")
        assert [announced.lines for announced in bob.leases("a.md")] == [(5, 8)]
        edit(ada, "D\n", "D\nE\n")
        assert [announced.lines for announced in bob.leases()] == [(5, 9)]
        edit(bob, "E\n", "E\nnot in it\n")
        assert [announced.lines for announced in bob.leases()] == [(5, 9)]
        assert edit(bob, "line 6", "6", policy=REFUSE) == ()
        assert edit(bob, "E", "e") == ("a.md lines 5–9: ada is at work here",)


@pytest.mark.parametrize("seed", range(3))
def test_whatever_lands_around_it_a_lease_stays_about_its_text(
    crew: tuple[sh.Workspace, sh.Workspace], seed: int
) -> None:
    ada, bob = crew
    chance = random.Random(seed)
    leased = [f"line {number}" for number in (4, 5, 6)]
    refusals = 0
    with ada.lease("a.md", target=(4, 6)):
        for step in range(25):
            count = bob.read("a.md").line_count
            first = chance.randint(1, count)
            last = min(count, first + chance.randint(-1, 2))
            new = "".join(f"{step}.{line}\n" for line in range(chance.randint(0, 3)))
            try:
                bob.edit("a.md", [sh.Replace(sh.Lines(first, last), new)], policy=REFUSE)
            except EditError as error:
                assert error.kind in (Kind.BUSY, Kind.NO_CHANGE), error
                refusals += error.kind is Kind.BUSY
            (announced,) = bob.leases()
            assert announced.lines is not None
            start, end = announced.lines
            assert host_of(bob).source("a.md").text.splitlines()[start - 1 : end] == leased
    assert refusals


def test_a_lease_moves_over_changes_outside(crew: tuple[sh.Workspace, sh.Workspace], root: Path) -> None:
    ada, bob = crew
    edit(bob, "line 10", "ten")
    with ada.lease("a.md", target=(3, 5)):
        (root / "a.md").write_text("above\n" + (root / "a.md").read_text())
        assert [announced.lines for announced in bob.leases()] == [(4, 6)]
        assert edit(bob, "line 2", "two", policy=REFUSE) == ()
        assert edit(bob, "line 5", "five") == ("a.md lines 4–6: ada is at work here",)


def test_a_lease_goes_with_its_file(crew: tuple[sh.Workspace, sh.Workspace]) -> None:
    ada, bob = crew
    with ada.lease("a.md", target=(3, 5)):
        bob.rename("a.md", "docs/c.md")
        assert [(announced.path, announced.lines) for announced in ada.leases()] == [("docs/c.md", (3, 5))]
        assert edit(bob, "line 6", "6", "docs/c.md", policy=REFUSE) == ()
        refused(Kind.BUSY, edit, bob, "line 4", "4", "docs/c.md", policy=REFUSE)


def test_what_can_not_be_followed_is_about_the_whole_file(crew: tuple[sh.Workspace, sh.Workspace], root: Path) -> None:
    ada, bob = crew
    with ada.lease("a.md", target=(3, 5)):  # nobody has kept this version
        (root / "a.md").write_text("all\nnew\n")
        assert [announced.lines for announced in bob.leases()] == [None]
        assert edit(bob, "new", "other") == ("a.md: ada is at work on this file",)


def test_targets_are_addresses_targets_or_lines(crew: tuple[sh.Workspace, sh.Workspace], root: Path) -> None:
    ada, bob = crew
    (root / "g.md").write_text("# G\n\n## Setup\n\none\n\n## Use\n\ntwo\n")
    for target in ("heading:G > Setup", sh.Heading("G > Setup"), sh.Lines(3, 6), (3, 6)):
        with ada.lease("g.md", target=target):
            (announced,) = bob.leases("g.md")
            assert announced.lines is not None
            assert announced.lines[0] == 3
    with ada.lease("g.md", target=(7, None)):
        assert bob.leases()[0].lines == (7, 9)


def test_a_file_that_is_not_there_yet_can_be_announced(crew: tuple[sh.Workspace, sh.Workspace]) -> None:
    ada, bob = crew
    with ada.lease("docs/new.md", reason="a page"):
        assert bob.create("docs/new.md", "x\n").warnings == ("docs/new.md: ada is at work on this file: a page",)


WRONG = [
    ({"path": "gone.md", "target": (1, 2)}, Kind.NO_SUCH_FILE),
    ({"path": "a.md", "target": (3, 99)}, Kind.OUT_OF_BOUNDS),
    ({"path": "a.md", "target": "heading:Nope"}, Kind.NO_SUCH_TARGET),
    ({"path": "a.md", "target": (0, 2)}, Kind.BAD_REQUEST),
    ({"path": "a.md", "seconds": 0}, Kind.BAD_REQUEST),
    ({"path": "a.md", "seconds": "5"}, Kind.BAD_REQUEST),
    ({"path": "a.md", "reason": 5}, Kind.BAD_REQUEST),
    ({"path": "../x"}, Kind.OUTSIDE_ROOT),
    ({"path": ".git/config"}, Kind.PROTECTED_PATH),
]


@table(("asked", "kind"), WRONG, ids=[str(asked) for asked, _ in WRONG])
def test_a_lease_that_makes_no_sense_is_refused(
    crew: tuple[sh.Workspace, sh.Workspace], asked: dict[str, object], kind: Kind
) -> None:
    ada, bob = crew

    def take() -> None:
        with ada.lease(**asked):  # type: ignore[arg-type]
            pytest.fail("it was taken")

    refused(kind, take)
    assert bob.leases() == []


def test_who_may_only_read_can_not_announce_but_look(root: Path) -> None:
    with sh.Workspace(root, read_only=True) as reader:
        with pytest.raises(EditError) as caught, reader.lease("a.md"):
            pytest.fail("it was taken")
        assert caught.value.kind is Kind.READ_ONLY
        assert reader.leases() == []
        assert not (root / ".steadyhand").exists()
    with sh.Workspace(root, actor="ada") as ada, ada.lease("a.md"), sh.Workspace(root, read_only=True) as reader:
        assert [str(announced) for announced in reader.leases()] == ["a.md: ada is at work on this file"]


def test_watchers_learn_of_its_beginning_and_its_end(crew: tuple[sh.Workspace, sh.Workspace]) -> None:
    ada, bob = crew
    with ada.lease("a.md", target=(3, 5), reason="to words", seconds=600) as lease:
        pass
    journal = bob._store.journal
    (begun,), (ended,) = ([note.body for note in journal.notes(type=name)] for name in ("lease", "lease-end"))
    who = {"id": lease.id, "actor": "ada", "task": None, "path": "a.md"}
    assert begun == {**who, "lines": [3, 5], "reason": "to words", "seconds": 600}
    assert ended == who


def test_it_ends_with_its_block_even_by_an_exception(crew: tuple[sh.Workspace, sh.Workspace]) -> None:
    ada, bob = crew
    with pytest.raises(KeyError), ada.lease("a.md"):
        raise KeyError
    assert bob.leases() == []


def test_it_ends_with_its_task(crew: tuple[sh.Workspace, sh.Workspace]) -> None:
    ada, bob = crew
    with ExitStack() as leases:
        with ada.task("T-2") as task:
            leases.enter_context(task.lease("a.md"))
            assert len(bob.leases()) == 1
        assert bob.leases() == []


def test_it_ends_with_its_workspace(root: Path, crew: tuple[sh.Workspace, sh.Workspace]) -> None:
    _, bob = crew
    with ExitStack() as leases:
        with sh.Workspace(root, actor="eve") as eve:
            leases.enter_context(eve.lease("a.md"))
            assert len(bob.leases()) == 1
        assert bob.leases() == []


def test_it_ends_when_its_time_is_over(crew: tuple[sh.Workspace, sh.Workspace]) -> None:
    ada, bob = crew
    with ada.lease("a.md", seconds=0.05):
        until(lambda: bob.leases() == [], "the lease did not end")
        assert edit(bob, "line 3", "3", policy=REFUSE) == ()


@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_it_ends_with_its_process_however_that_ends(root: Path, store: str, request: pytest.FixtureRequest) -> None:
    journal = request.getfixturevalue("postgres_url") if store == "postgres" else None
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(root), journal or ""], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with holder, sh.Workspace(root, actor="bob", journal=journal) as bob:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"held\n"
            assert edit(bob, "line 4", "4") == ("a.md lines 3–5: ada (T-2) is at work here: in another process",)
            refused(Kind.BUSY, edit, bob, "line 5", "5", policy=REFUSE)
        finally:
            os.kill(holder.pid, signal.SIGKILL)
        holder.wait()
        until(lambda: bob.leases() == [], "the lease outlived its process")
        assert edit(bob, "line 5", "5", policy=REFUSE) == ()


def test_a_child_does_not_end_what_its_parent_announced(crew: tuple[sh.Workspace, sh.Workspace]) -> None:
    ada, bob = crew
    with ExitStack() as stack:
        stack.enter_context(ada.lease("a.md"))
        child = os.fork()
        if child == 0:
            try:
                stack.close()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        assert len(bob.leases()) == 1
    assert bob.leases() == []
