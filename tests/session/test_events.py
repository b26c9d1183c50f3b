"""What programs learn of everything that happens in a workspace."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.session.events import TYPES, Event, event_of
from steadyhand.workspace.journal.record import Happening, Note
from tests.postgres.server import Server
from tests.table import table
from tests.workspace.journal.sample_records import behind_its_back


@pytest.fixture
def root(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    (tree / "docs").mkdir(parents=True)
    (tree / "a.md").write_text("one\ntwo\nthree\n")
    (tree / "docs/b.md").write_text("b\n")
    return tree


@pytest.fixture
def ws(root: Path) -> Iterator[sh.Workspace]:
    with sh.Workspace(root, actor="ada") as workspace:
        yield workspace


def at_call(number: int, act: Callable[[], object]) -> Callable[[], bool]:
    """A `stop` that never stops, and does something when it is asked for the n-th time."""
    calls = 0

    def stop() -> bool:
        nonlocal calls
        calls += 1
        if calls == number:
            act()
        return False

    return stop


def types(ws: sh.Workspace, **options: object) -> list[str]:
    return [event.type for event in ws.events(**options)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"types": ["edits"]}, Kind.BAD_REQUEST),
        ({"types": "edit"}, Kind.BAD_REQUEST),
        ({"after": -1}, Kind.BAD_REQUEST),
        ({"after": "start"}, Kind.BAD_REQUEST),
        ({"poll": -1}, Kind.BAD_REQUEST),
        ({"path": "../elsewhere"}, Kind.OUTSIDE_ROOT),
    ],
)
def test_what_cannot_be_asked_is_refused_at_once(ws: sh.Workspace, options: dict[str, object], kind: Kind) -> None:
    with pytest.raises(EditError) as caught:
        ws.events(**options)  # type: ignore[arg-type]
    assert caught.value.kind is kind


def test_without_a_journal_there_is_nothing_and_none_is_made(ws: sh.Workspace, root: Path) -> None:
    assert list(ws.events()) == []
    assert list(ws.events(follow=True, stop=lambda: True)) == []
    assert not (root / ".steadyhand").exists()


def test_everything_that_happens_is_reported_in_order(ws: sh.Workspace, root: Path) -> None:
    receipt = ws.edit("a.md", [sh.Replace("one", "1")], reason="digits")
    ws.undo(receipt.id, reason="words")
    ws.redo(reason="digits again")
    with pytest.raises(EditError):
        ws.edit("a.md", [sh.Replace("nowhere", "x")], reason="hopeful")
    with ws.task("A") as a, ws.task("B") as b:
        a.read("a.md")
        b.edit("a.md", [sh.Replace("two", "2")], reason="more digits")
        with pytest.raises(EditError):
            a.edit("a.md", [sh.Replace(sh.Lines(2, 2), "zwei")], reason="german")
    ws.resolve(ws.conflicts()[0].id, "drop", reason="english it is")
    (root / "a.md").write_text("rewritten\n")
    ws.edit("a.md", [sh.Replace("rewritten", "repaired")], reason="after all")
    events = list(ws.events())
    answer = [(event.type, event.task, event.paths, event.reason) for event in events]
    assert answer == [
        ("edit", None, ("a.md",), "digits"),
        ("undo", None, ("a.md",), "words"),
        ("redo", None, ("a.md",), "digits again"),
        ("refusal", None, ("a.md",), "hopeful"),
        ("edit", "B", ("a.md",), "more digits"),
        ("conflict", "A", ("a.md",), "german"),
        ("task", "B", (), None),
        ("task", "A", (), None),
        ("resolved", None, ("a.md",), "english it is"),
        ("edit", None, ("a.md",), "after all"),
        ("outside", None, ("a.md",), None),
    ]
    assert [event.seq for event in events] == sorted({event.seq for event in events})
    assert events[0].id == receipt.id
    assert str(events[3].message).startswith("no-match: ")
    assert events[5].lines == ((2, 2),)
    assert events[5].message == "touches what ada (B) changed"
    assert events[5].details["yours"] == {"before": "2\n", "after": "zwei\n"}
    assert events[8].id == events[5].id
    assert {event.type for event in events} <= set(TYPES)


def test_each_edit_tells_its_own_reason_and_lines(ws: sh.Workspace) -> None:
    ws.edit("a.md", [sh.Replace("one", "1", reason="first"), sh.Replace("three", "3\n4", reason="third")])
    (event,) = ws.events()
    assert event.reason == "first"
    assert event.lines == ((1, 1), (3, 4))
    (file,) = event.details["files"]  # type: ignore[misc]
    assert [edit["reason"] for edit in file["edits"]] == ["first", "third"]


def test_an_event_is_json_with_every_field(ws: sh.Workspace) -> None:
    ws.edit("a.md", [sh.Replace("one", "1")])
    (event,) = ws.events()
    document = json.loads(json.dumps(event.to_json()))
    assert set(document) == set(Event.__slots__)
    assert (document["paths"], document["lines"], document["reason"]) == (["a.md"], [[1, 1]], None)


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ({"types": ["edit"]}, 3),
        ({"types": ["edit", "undo"]}, 4),
        ({"types": []}, 0),
        ({"task": "T"}, 2),
        ({"actor": "ada"}, 5),
        ({"actor": "grace"}, 0),
        ({"path": "a.md"}, 3),
        ({"path": "docs"}, 1),
        ({"path": "./docs/"}, 1),
        ({"path": "doc"}, 0),
        ({"path": "."}, 4),
        ({"task": "T", "types": ["edit"]}, 1),
    ],
)
def test_only_what_was_asked_for_is_reported(ws: sh.Workspace, options: dict[str, object], count: int) -> None:
    ws.edit("a.md", [sh.Replace("one", "1")])
    ws.edit("docs/b.md", [sh.Replace("b", "B")])
    with ws.task("T") as task:
        task.edit("a.md", [sh.Replace("two", "2")])
    ws.undo(last=True)
    assert len(types(ws, **options)) == count


def test_a_caller_goes_on_after_the_last_event_it_knows(ws: sh.Workspace) -> None:
    ws.edit("a.md", [sh.Replace("one", "1")])
    (first,) = ws.events(after=0)
    ws.undo(last=True)
    assert types(ws, after=first.seq) == ["undo"]
    assert types(ws, after=1 << 70) == []


def test_following_begins_with_the_call_and_hears_other_processes_handles(ws: sh.Workspace, root: Path) -> None:
    ws.edit("a.md", [sh.Replace("one", "1")])
    events = ws.events(follow=True, poll=0.01)
    with sh.Workspace(root, actor="grace") as other:
        other.edit("a.md", [sh.Replace("two", "2")], reason="mine too")
    event = next(events)
    assert (event.actor, event.reason) == ("grace", "mine too")


def test_following_from_the_beginning_tells_the_past_first(ws: sh.Workspace) -> None:
    ws.edit("a.md", [sh.Replace("one", "1")])
    events = ws.events(after=0, follow=True, poll=0.01, stop=at_call(4, lambda: ws.undo(last=True)))
    assert [next(events).type, next(events).type] == ["edit", "undo"]


def test_a_journal_that_is_not_there_yet_is_waited_for_and_not_made(ws: sh.Workspace, root: Path) -> None:
    def first_change() -> None:
        assert not (root / ".steadyhand").exists()
        with sh.Workspace(root, actor="grace") as other:
            other.edit("a.md", [sh.Replace("one", "1")])

    events = ws.events(follow=True, poll=0.01, stop=at_call(5, first_change))
    assert next(events).actor == "grace"


def test_a_journal_that_is_busy_is_asked_again(root: Path) -> None:
    with sh.Workspace(root, actor="ada", lock_timeout=0.05) as ws:
        (root / ".steadyhand").mkdir(mode=0o700)
        holder = sqlite3.connect(root / ".steadyhand/journal.sqlite", isolation_level=None)
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(EditError) as caught:
            list(ws.events())
        assert caught.value.kind is Kind.BUSY
        release = at_call(4, lambda: (holder.close(), ws.edit("a.md", [sh.Replace("one", "1")])))
        events = ws.events(after=0, follow=True, poll=0.01, stop=release)
        assert next(events).type == "edit"


@pytest.mark.sweep
def test_a_server_that_goes_away_and_comes_back_is_followed_on(root: Path, postgres_server: Server) -> None:
    url = postgres_server.fresh()
    with sh.Workspace(root, actor="ada", journal=url, lock_timeout=1) as ws:
        ws.edit("a.md", [sh.Replace("one", "1")])

        def come_back() -> None:
            postgres_server.start()
            with sh.Workspace(root, actor="grace", journal=url) as other:
                other.edit("docs/b.md", [sh.Replace("b", "B")])

        steps = {4: postgres_server.stop, 8: come_back}
        stops = [at_call(number, act) for number, act in steps.items()]
        events = ws.events(after=0, follow=True, poll=0.01, stop=lambda: any(stop() for stop in stops))
        try:
            assert [next(events).actor, next(events).actor] == ["ada", "grace"]
        finally:
            if postgres_server.pid is None:
                postgres_server.start()


def test_reading_only_follows_a_journal_that_is_no_copy(root: Path, postgres_server: Server) -> None:
    url = postgres_server.fresh()
    with sh.Workspace(root, actor="ada", journal=url) as ws:
        ws.edit("a.md", [sh.Replace("one", "1")])
        with sh.Workspace(root, journal=url, read_only=True) as reader:
            events = reader.events(follow=True, poll=0.01)
            ws.edit("a.md", [sh.Replace("two", "2")], reason="later")
            assert next(events).reason == "later"


def test_stop_and_close_end_it(ws: sh.Workspace) -> None:
    ws.edit("a.md", [sh.Replace("one", "1")])
    assert len(list(ws.events(after=0, follow=True, poll=60, stop=iter([False, False, True]).__next__))) == 1
    events = ws.events(after=0, follow=True)
    next(events)
    events.close()  # type: ignore[attr-defined]
    assert list(events) == []


def test_a_workspace_that_is_closed_is_not_followed_any_further(root: Path) -> None:
    with sh.Workspace(root, actor="ada") as ws:
        ws.edit("a.md", [sh.Replace("one", "1")])
        events = ws.events(after=0, follow=True, poll=0.01)
        next(events)
    with pytest.raises(EditError) as caught:
        next(events)
    assert caught.value.kind is Kind.BAD_REQUEST


def test_reading_only_tells_the_past_and_refuses_to_follow_a_copy(ws: sh.Workspace, root: Path) -> None:
    ws.edit("a.md", [sh.Replace("one", "1")])
    with sh.Workspace(root, read_only=True) as reader:
        assert types(reader) == ["edit"]
        with pytest.raises(EditError) as caught:
            reader.events(follow=True)
    assert caught.value.kind is Kind.READ_ONLY


def test_a_damaged_row_is_passed_over(root: Path) -> None:
    with sh.Workspace(root, actor="ada") as ws:
        for old, new in (("one", "1"), ("two", "2"), ("three", "3")):
            ws.edit("a.md", [sh.Replace(old, new)], reason=new)
        second = list(ws.events())[1].seq
    statement = "UPDATE log SET body = x'7b7d', codec = 0 WHERE seq = ?"
    behind_its_back(root / ".steadyhand", (statement, (second - 1,)))
    with sh.Workspace(root, actor="ada") as ws:
        assert [event.reason for event in ws.events()] == ["1", "3"]


@table("type", ["conflict", "conflict-resolved", "lease", "outside", "refusal", "task", "made-up"])
def test_a_note_of_an_unknown_form_is_reported_without_what_cannot_be_read(type: str) -> None:
    body: dict[str, object] = {"actor": 3, "path": ["x"], "lines": "many", "with": [1, {}], "seconds": "x", "id": None}
    event = event_of(Happening(7, "2026-01-02T03:04:05.678Z", Note(7, "2026-01-02T03:04:05.678Z", type, body)))
    assert (event.actor, event.paths, event.lines, event.id) == (None, (), (), None)
    assert event.message
    json.dumps(event.to_json())
