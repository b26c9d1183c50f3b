"""How calls went, counted from what the journal has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from steadyhand.errors import EditError
from steadyhand.session.host import host_of
from steadyhand.session.statistics import Attempts, Statistics, count
from steadyhand.workspace.journal.maintenance import LogItem
from steadyhand.workspace.journal.record import Entry, Note, State, ToolCall, new_record_id
from steadyhand.workspace.overlay import Trace
from tests.workspace.journal.sample_records import edited, record


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "root"
    made.mkdir()
    for name in ("a.md", "b.md", "app.py"):
        (made / name).write_text("one\ntwo\nthree\nfour\n", encoding="utf-8")
    return made


@pytest.fixture
def ws(root: Path) -> Iterator[Any]:
    with sh.Workspace(root, actor="ada") as workspace:
        workspace.edit("b.md", [sh.Replace("four", "4")])  # so that refusals have a journal to be recorded in
        yield workspace


class Talk:
    """One conversation of a model with a toolset, call by call."""

    def __init__(self, ws: Any, model: str | None = None) -> None:
        self._ws, self._model, self._id = ws, model, new_record_id()

    def call(self, tool: str) -> Any:
        trace = Trace(ToolCall(new_record_id(), "any", self._id), "0" * 16, self._model)
        return host_of(self._ws).bound(tool=tool, trace=trace)

    def edit(self, path: str, old: str, new: str, *, tool: str = "edit_file") -> None:
        self.call(tool).edit(path, [sh.Replace(old, new)])

    def fail(self, path: str, *, tool: str = "edit_file") -> None:
        with pytest.raises(EditError):
            self.call(tool).edit(path, [sh.Replace("nothing of the kind", "x")])

    def write(self, path: str, content: str) -> None:
        self.call("write_file").write(path, content, overwrite=True)


def counted(ws: Any, **asked: Any) -> Statistics:
    """Without the call that made the journal."""
    found: Statistics = ws.audits.statistics(**{"after": 1, **asked})
    return found


def test_the_first_call_about_a_file_is_a_first_try_and_what_follows_a_refusal_a_retry(ws: Any) -> None:
    talk = Talk(ws)
    talk.edit("a.md", "one", "1")
    talk.fail("a.md")
    talk.fail("a.md")
    talk.edit("a.md", "two", "2")
    talk.edit("a.md", "three", "3")
    talk.fail("app.py")
    found = counted(ws)
    assert (found.total.calls, found.total.applied, found.total.refused) == (6, 3, 3)
    assert (found.total.first, found.total.first_applied, found.total.first_rate) == (2, 1, 0.5)
    assert (found.total.retries, found.recovered, found.given_up) == (2, 1, 1)
    assert found.refusals == {"no-match": 3}
    assert found.tiers == {"exact": 3}


def test_another_conversation_tries_a_file_for_the_first_time_again(ws: Any) -> None:
    Talk(ws).edit("a.md", "one", "1")
    Talk(ws).fail("a.md")
    talk = Talk(ws)
    talk.edit("a.md", "two", "2")
    found = counted(ws)
    assert (found.total.first, found.total.first_applied, found.total.retries) == (3, 2, 0)


def test_without_a_conversation_a_party_has_its_first_try(ws: Any) -> None:
    ws.edit("a.md", [sh.Replace("one", "1")])
    ws.edit("a.md", [sh.Replace("two", "2")])
    with ws.task("T-1") as task, pytest.raises(EditError):
        task.edit("a.md", [sh.Replace("nothing of the kind", "x")])
    found = counted(ws)
    assert (found.total.calls, found.total.first, found.total.first_applied) == (3, 2, 1)


def test_calls_are_counted_by_tool_model_and_type_of_file(ws: Any) -> None:
    talk, other = Talk(ws, "m-1"), Talk(ws, "m-2")
    talk.edit("a.md", "one", "1", tool="edit_article")
    talk.fail("app.py")
    other.edit("app.py", "one", "1")
    ws.write("Makefile", "all:\n")
    found = counted(ws)
    sizes = {name: (tally.calls, tally.refused) for name, tally in found.tools.items()}
    assert sizes == {"edit_article": (1, 0), "edit_file": (2, 1), "python": (1, 0)}
    assert {name: tally.calls for name, tally in found.models.items()} == {"m-1": 2, "m-2": 1, "(unknown)": 1}
    sizes = {name: (tally.calls, tally.refused) for name, tally in found.types.items()}
    assert sizes == {".md": (1, 0), ".py": (2, 1), "(none)": (1, 0)}
    assert found.types[".py"].first_rate == 0.5


def test_edits_and_whole_file_writes_are_distinguished(ws: Any) -> None:
    talk = Talk(ws)
    talk.edit("a.md", "one", "1")
    talk.edit("a.md", "two", "2")
    talk.edit("app.py", "one", "1")
    talk.write("a.md", "all of it again\n")
    talk.write("new.md", "never was\n")
    found = counted(ws)
    assert found.total.ways == {"edited": 3, "rewritten": 1, "created": 1}
    assert found.total.edit_share == 0.75
    assert found.tools["write_file"].edit_share == 0.0
    assert found.to_json()["adoption"] == {"edited": 3, "rewritten": 1, "created": 1, "share": 0.75}


def test_one_call_is_one_call_however_many_records_and_refusals_it_left(ws: Any) -> None:
    call = Talk(ws).call("edit_files")
    call.edit("a.md", [sh.Replace("one", "1")])
    call.edit("app.py", [sh.Replace("one", "1")])
    with pytest.raises(EditError):
        call.edit("a.md", [sh.Replace("nothing of the kind", "x")])
    found = counted(ws)
    assert (found.total.calls, found.total.applied, found.total.first, found.total.first_applied) == (1, 1, 2, 2)
    assert found.refusals == {}


def test_edits_refused_in_a_call_that_was_applied_count_by_kind(ws: Any) -> None:
    policy = sh.Policy(partial=True)
    edits = [sh.Replace("one", "1"), sh.Replace("nothing of the kind", "x")]
    Talk(ws).call("edit_file").edit("a.md", edits, policy=policy)
    found = counted(ws)
    assert (found.total.applied, found.total.refused, found.refusals) == (1, 0, {"no-match": 1})


def test_a_conflict_that_was_refused_is_one_refused_call(ws: Any) -> None:
    with ws.task("T-1") as one, ws.task("T-2") as two:
        one.read("a.md")
        two.read("a.md")
        Talk(one).edit("a.md", "two", "2")
        Talk(one).edit("a.md", "four", "4")
        for each in (Talk(two).call("edit_file"), two):
            with pytest.raises(EditError):
                each.edit("a.md", [sh.Replace(sh.Lines(2, 2), "x\n"), sh.Replace(sh.Lines(4, 4), "y\n")])
    found = counted(ws)
    assert (found.total.calls, found.total.refused) == (4, 2)
    assert found.refusals == {"conflict": 2}


def test_a_bad_request_counts_for_the_file_that_the_call_names(ws: Any) -> None:
    kit = ws.tools("article")
    assert kit.call("edit_article", {"path": "a.md", "edits": "bogus"})["kind"] == "bad-request"
    found = counted(ws)
    assert list(found.types) == [".md"]
    assert (found.total.first, found.total.first_applied) == (1, 0)


def test_calls_of_one_task_or_one_tool_and_from_a_time_on(ws: Any) -> None:
    with ws.task("T-1") as task:
        Talk(task).edit("a.md", "one", "1")
    talk = Talk(ws)
    talk.fail("a.md", tool="edit_article")
    talk.write("a.md", "all of it again\n")
    assert counted(ws, task="T-1").total.calls == 1
    only = counted(ws, tool="write_file")
    assert (only.total.calls, only.total.first, only.total.retries, only.recovered) == (1, 0, 1, 1)
    assert counted(ws, since="2999-01-01").total.calls == 0
    everything = ws.audits.statistics()
    assert everything.total.calls == 4
    assert everything.first_time <= everything.last_time


def test_a_record_that_was_undone_is_reported(ws: Any) -> None:
    made = ws.edit("a.md", [sh.Replace("one", "1")]).id
    ws.undo(made)
    found = counted(ws)
    assert (found.undone, found.total.calls) == (1, 2)


def test_an_undo_is_not_another_try_of_an_edit(ws: Any) -> None:
    ws.edit("a.md", [sh.Replace("one", "1")])
    with pytest.raises(EditError):
        ws.edit("a.md", [sh.Replace("nothing of the kind", "x")])
    ws.undo(last=True)
    ws.redo()
    found = counted(ws)
    assert (found.total.retries, found.recovered, found.given_up) == (0, 0, 1)


def entry(call: str) -> Entry:
    return Entry(1, replace(record(edited("a.md")), call=ToolCall(call, "any", "talk")), State.COMMITTED)


def test_only_so_many_calls_are_kept_open_and_they_come_in_order() -> None:
    attempts = Attempts(room=3)
    closed = [attempt for number in range(10) for attempt in attempts.add(entry(f"c{number}"), number)]
    assert len(closed) == 7
    assert len(closed + list(attempts.rest())) == 10


def test_notes_with_unexpected_fields_count_as_what_they_still_say() -> None:
    attempts = Attempts()
    bodies: list[dict[str, object]] = [{}, {"path": 5, "call": "x", "tool": None}, {"call": {"id": 7}, "kind": ["x"]}]
    for number, body in enumerate(bodies):
        assert not list(attempts.add(Note(number, "2026-11-15T00:00:00.000Z", "refusal", body), number))
    assert [attempt.kinds for attempt in attempts.rest()] == [{"unknown": 1}] * 3


def test_names_do_not_pile_up(ws: Any) -> None:
    row = next(iter(ws._store.journal.read_log())).row
    made = record(edited("a.md"))
    answer = (LogItem(Entry(n, replace(made, tool=f"tool {n}"), State.COMMITTED), row, row) for n in range(2_000))
    found = count(answer)
    assert len(found.tools) <= 501
    assert sum(tally.calls for tally in found.tools.values()) == found.total.calls == 2_000


def row(found: Statistics, *key: str) -> Any:
    return found.cells[key]


def test_each_model_way_and_type_of_file_has_a_row(ws: Any) -> None:
    core, claude = ws.tools("core", model="m-1"), ws.tools("claude-code", model="m-2")
    patch = "a.md\n```\n<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n```\n"
    core.call("edit", {"patch": patch}, spent=((900, 100), 2_000))
    core.call("edit", {"path": "app.py", "edits": [{"target": "nowhere", "new": "x"}]}, spent=((500, 50), 1_000))
    core.call("edit", {"path": "app.py", "edits": [{"target": "two", "new": "2"}]}, spent=((600, 50), 1_000))
    claude.call("Edit", {"file_path": "a.md", "old_string": "  two", "new_string": "  2"})
    found = counted(ws)
    assert set(found.cells) == {
        ("m-1", "core/search-replace", ".md"),
        ("m-1", "core", ".py"),
        ("m-2", "claude-code", ".md"),
    }
    py = row(found, "m-1", "core", ".py")
    assert (py.calls, py.applied, py.retries, dict(py.refusals)) == (2, 1, 1, {"no-match": 1})
    assert (py.first_share.rate, py.end_share.rate) == (0.0, 1.0)
    assert py.tokens_per_edit == 1_200  # what the refused call took was spent on the same edit
    assert 2.0 <= py.seconds_per_edit < 3.0
    assert row(found, "m-1", "core/search-replace", ".md").tokens_per_edit == 1_000
    assert row(found, "m-2", "claude-code", ".md").tokens_per_edit is None
    by = counted(ws, by=["toolset", "dialect"])
    assert {key: cell.calls for key, cell in by.cells.items()} == {
        ("core", "search-replace"): 1, ("core", "(unknown)"): 2, ("claude-code", "(unknown)"): 1,
    }  # fmt: skip
    with pytest.raises(EditError):
        counted(ws, by=["colour"])


def test_what_guards_saved_is_counted(ws: Any, root: Path) -> None:
    (root / "b.py").write_text("".join(f"x{number} = {number}\n" for number in range(60)), encoding="utf-8")
    kit = ws.tools("core", model="m")
    for new in ("x = (\n", "# ... rest of code unchanged\n"):
        kit.call("edit", {"path": "b.py", "edits": [{"target": "x1 = 1\n", "new": new}]})
    kit.call("read", {"path": "b.py"})
    kit.call("write", {"path": "b.py", "content": "x1 = 1\n"})
    assert row(counted(ws), "m", "core", ".py").saved == {"syntax": 1, "placeholder": 1, "shrink": 1}


def test_what_was_undone_or_rejected_later_counts_where_it_was_made(ws: Any) -> None:
    with ws.task("T-1") as task:
        kit = task.tools("core", model="m")
        for old, new in (("one", "1"), ("four", "4")):
            kit.call("edit", {"path": "a.md", "edits": [{"target": old, "new": new}]})
        kit.call("edit", {"path": "app.py", "edits": [{"target": "one", "new": "1"}]})
    review = ws.review(task="T-1")
    review.reject([next(change.id for change in review.changes if change.path == "a.md")], remark="no")
    ws.undo(next(entry.record.id for entry in ws.history("app.py")))
    found = counted(ws)
    assert row(found, "m", "core", ".md").rejected == 1
    assert row(found, "m", "core", ".py").undone == 1
    assert all("review" not in key for key in found.cells)


def test_a_period_ends_where_the_next_one_begins(ws: Any) -> None:
    talk = Talk(ws)
    talk.edit("a.md", "one", "1")
    middle = ws.history("a.md")[0]
    talk.edit("a.md", "two", "2")
    talk.fail("app.py")
    whole = counted(ws).total.calls
    assert counted(ws, before=middle.seq + 1).total.calls == 1
    assert counted(ws, after=middle.seq).total.calls == whole - 1 == 2
    assert counted(ws, until="2000-01-01").total.calls == 0
    assert counted(ws, until="2999-01-01").total.calls == whole


def test_rows_do_not_pile_up_and_none_is_lost(ws: Any) -> None:
    sealed = next(iter(ws._store.journal.read_log())).row
    made = record(edited("a.md"))
    answer = (
        LogItem(Entry(n, replace(made, id=f"{n:012x}", model=f"m {n}"), State.COMMITTED), sealed, sealed)
        for n in range(3_000)
    )
    found = count(answer)
    assert len(found.cells) <= 501
    assert sum(cell.calls for cell in found.cells.values()) == 3_000


def test_a_file_that_is_changed_in_the_end_counts_once(ws: Any) -> None:
    talk = Talk(ws, "m")
    talk.edit("a.md", "one", "1")
    talk.fail("a.md")
    talk.edit("a.md", "two", "2")
    talk.fail("app.py")
    found = counted(ws, by=["model"])
    assert (row(found, "m").first, row(found, "m").in_the_end) == (2, 1)
