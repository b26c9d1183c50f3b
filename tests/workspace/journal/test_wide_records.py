"""A record of many files is read once, however many of them are asked for; in every store."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType

import pytest

from steadyhand.workspace.journal.record import State
from steadyhand.workspace.journal.store import Journal
from tests.workspace.journal.conftest import Opener
from tests.workspace.journal.sample_records import STAGING, commit, edited, record

FILES = 30


def calls_in(work: Callable[[], object]) -> Counter[str]:
    """How often each function was called, by its name."""
    counted: Counter[str] = Counter()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            counted[frame.f_code.co_name] += 1

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return counted


def wide(count: int = FILES) -> list[str]:
    return [f"src/{number}.py" for number in range(count)]


def fill(journal: Journal, records: int) -> list[str]:
    return [commit(journal, record(*map(edited, wide()))).id for _ in range(records)]


def test_each_record_is_decoded_once_for_all_of_its_files(opener: Opener) -> None:
    fill(opener(), 3)
    journal = opener()
    walked = calls_in(lambda: [list(journal.entries(path=path)) for path in wide()])
    assert walked["decode_record"] == 3


def test_the_newest_record_of_every_file_is_decoded_once(opener: Opener) -> None:
    fill(opener(), 3)
    journal = opener()
    assert calls_in(lambda: [journal.latest(path) for path in wide()])["decode_record"] == 1


def test_a_file_is_looked_up_and_not_searched_for(opener: Opener) -> None:
    """Twice the files cost twice the calls, not four times."""
    journal = opener()

    def walk(count: int) -> int:
        commit(journal, record(*map(edited, wide(count))))
        return sum(calls_in(lambda: [journal.latest(path) for path in wide(count)]).values())

    assert walk(100) < 2.3 * walk(50)


def test_a_record_that_was_read_tells_what_became_of_it_since(opener: Opener) -> None:
    journal, other = opener(), opener()
    made = record(*map(edited, wide()))
    other.prepare(made, STAGING, {})
    assert journal.find(made.id).state is State.PREPARED
    other.settle(made.id, State.PARTIAL, "some of it")
    assert (journal.find(made.id).state, journal.find(made.id).note) == (State.PARTIAL, "some of it")
    other.settle(made.id, State.COMMITTED, "all of it")
    assert (journal.find(made.id).state, journal.find(made.id).note) == (State.COMMITTED, "all of it")
    undo = commit(other, record(*map(edited, wide()), verb="undo", undoes=(made.id,)))
    assert journal.find(made.id).undone_by == undo.id


def test_a_row_that_takes_the_number_of_one_that_was_rolled_back_is_read(opener: Opener) -> None:
    journal = opener()
    with pytest.raises(RuntimeError), journal.bulk():  # type: ignore[attr-defined]
        dropped = commit(journal, record(*map(edited, wide())))
        assert journal.find(dropped.id).record.id == dropped.id
        raise RuntimeError("rolled back")
    kept = commit(journal, record(*map(edited, wide())))
    assert [entry.record.id for entry in journal.entries(path=wide()[0])] == [kept.id]
