"""The whole log in order, of every store: each record once, each note, with the rows that hold them."""

from __future__ import annotations

import pytest

from steadyhand.workspace.journal import maintenance
from steadyhand.workspace.journal.log import Problem
from steadyhand.workspace.journal.record import Entry, State
from steadyhand.workspace.journal.store import Journal
from tests.workspace.journal.sample_records import STAGING, commit, record


def shown(journal: Journal, **asked: object) -> list[tuple[str, str]]:
    """What the log holds: records by their ids and states, notes by their types."""
    found = [each.what for each in journal.read_log(**asked)]  # type: ignore[arg-type]
    return [(what.record.id, str(what.state)) if isinstance(what, Entry) else ("note", what.type) for what in found]


def test_an_empty_journal_tells_nothing(journal: Journal) -> None:
    assert shown(journal) == []


def test_records_are_returned_where_they_were_settled_and_only_if_they_lasted(journal: Journal) -> None:
    slow, quick, dropped, open_still = record(), record(), record(), record()
    for each in (slow, quick, dropped, open_still):
        journal.prepare(each, STAGING, {})
    journal.settle(quick.id, State.COMMITTED)
    journal.append_note("task", {"task": "T-1"})
    journal.settle(dropped.id, State.ABORTED)
    journal.settle(slow.id, State.COMMITTED, "late")
    assert shown(journal) == [(quick.id, "committed"), ("note", "task"), (slow.id, "committed")]
    last = list(journal.read_log())[-1]
    assert isinstance(last.what, Entry)
    assert (last.what.seq, last.row.seq, last.what.note) == (1, 1, "late")
    assert last.settled is not None
    assert last.settled.seq == 8


@pytest.mark.parametrize("end", [State.COMMITTED, State.ABORTED, None])
def test_what_was_settled_in_part_is_returned_once_as_it_ended(journal: Journal, end: State | None) -> None:
    made = record()
    journal.prepare(made, STAGING, {})
    journal.settle(made.id, State.PARTIAL)
    if end is not None:
        journal.settle(made.id, end)
    expected = {State.COMMITTED: [(made.id, "committed")], State.ABORTED: [], None: [(made.id, "partial")]}
    assert shown(journal) == expected[end]


def test_who_undid_a_record_is_returned_with_it(journal: Journal) -> None:
    made = commit(journal, record())
    undo = commit(journal, record(verb="undo", undoes=(made.id,)))
    first, second = (each.what for each in journal.read_log())
    assert isinstance(first, Entry)
    assert isinstance(second, Entry)
    assert (first.undone_by, second.undone_by) == (undo.id, None)


def test_what_is_asked_for_begins_after_a_row_or_at_a_time(journal: Journal) -> None:
    early = commit(journal, record(time="2026-11-01T00:00:00.000Z"))
    late = commit(journal, record(time="2026-11-02T00:00:00.000Z"))
    assert shown(journal, after_seq=1) == shown(journal, after_seq=2) == [(late.id, "committed")]
    assert shown(journal, since="2026-11-01T12:00:00.000Z") == [(late.id, "committed")]
    assert shown(journal, after_seq=4) == shown(journal, after_seq=1 << 70) == shown(journal, since="2999") == []
    assert shown(journal, after_seq=-5) == [(early.id, "committed"), (late.id, "committed")]


def test_a_long_log_is_read_in_pages_and_says_how_far_it_is(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maintenance, "_PAGE", 3)
    ids = [commit(journal, record()).id for _ in range(5)]
    steps: list[tuple[int, int]] = []
    damaged: list[Problem] = []
    found = shown(journal, progress=lambda done, total: steps.append((done, total)), on_damage=damaged.append)
    assert [name for name, _ in found] == ids
    assert steps == [(3, 10), (6, 10), (9, 10), (10, 10)]
    assert damaged == []


def test_a_walk_ends_where_the_log_ended_when_it_began(journal: Journal) -> None:
    commit(journal, record())
    walked = journal.read_log()
    next(walked)
    commit(journal, record())
    assert list(walked) == []
