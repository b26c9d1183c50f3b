"""When the SQLite journal waits for the medium, seen from the statements that reach the database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from steadyhand.workspace.journal import sqlite
from steadyhand.workspace.journal.record import Party, SeenVersion, State
from steadyhand.workspace.journal.sqlite import SqliteJournal
from tests.workspace.journal.sample_records import STAGING, image_of, lease, record


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[SqliteJournal]:
    with SqliteJournal(tmp_path / ".steadyhand") as journal:
        yield journal


class Commits:
    """The setting of `synchronous` under which each transaction was committed."""

    def __init__(self, journal: SqliteJournal) -> None:
        self._now = {2: "FULL", 1: "NORMAL"}[journal._handle.read(_synchronous)]
        self._inside = False
        self._alone = ""
        self.seen: list[str] = []
        journal._handle.read(lambda connection: connection.set_trace_callback(self._note))

    def _note(self, statement: str) -> None:
        statement = statement.strip("; ")
        if statement.startswith("PRAGMA synchronous = "):
            assert not self._inside, "SQLite ignores it inside a transaction"
            self._now = statement.rpartition(" ")[2]
        elif statement.startswith("BEGIN"):
            self._inside = True
        elif statement in ("COMMIT", "ROLLBACK"):
            self._inside = False
            if statement == "COMMIT":
                self.seen.append(self._now)
        elif statement.startswith("INSERT") and not self._inside and statement != self._alone:
            self._alone = statement  # a transaction by itself, which is reported once more for its trigger
            self.seen.append(self._now)


def _synchronous(connection: object) -> int:
    return int(connection.execute("PRAGMA synchronous").fetchone()[0])  # type: ignore[attr-defined]


def test_a_prepared_record_is_on_the_medium_whatever_came_before(journal: SqliteJournal) -> None:
    commits = Commits(journal)
    for _ in range(2):
        made = record()
        journal.prepare(made, STAGING, image_of(b"kept"))
        assert journal._handle.read(_synchronous) == 2
        journal.settle(made.id, State.COMMITTED)
        assert journal._handle.read(_synchronous) == 1
    journal.append_note("report", {})
    journal.prepare(record(), STAGING, {}, urgent=True)
    assert commits.seen == ["FULL", "NORMAL", "FULL", "NORMAL", "NORMAL", "FULL"]


@pytest.mark.parametrize("count", range(len(sqlite._PREPARES) + 1))
def test_an_interrupt_before_the_first_prepared_record_is_in_the_way_of_no_other(
    journal: SqliteJournal, count: int
) -> None:
    for statement in sqlite._PREPARES[:count]:
        journal._handle.read(lambda connection, made=statement: connection.execute(made))  # type: ignore[misc]
    for _ in range(2):
        journal.prepare(made := record(), STAGING, {})
        journal.settle(made.id, State.COMMITTED)
    assert journal.verify() == []


def test_what_is_no_history_does_not_wait_for_the_medium(journal: SqliteJournal) -> None:
    commits = Commits(journal)
    party = Party("ann")
    journal.meet(party)
    journal.meet(party)
    journal.see(party, "a.md", [SeenVersion("0" * 64, 0)])
    journal.keep_lease(lease())
    assert len(journal.leases()) == 1
    journal.end_lease("L-1")
    journal.forget(party)
    assert commits.seen == ["NORMAL"] * 5


def test_records_loaded_at_once_are_on_the_medium(journal: SqliteJournal) -> None:
    journal.append_note("report", {})
    commits = Commits(journal)
    with journal.bulk():
        journal.prepare(record(), STAGING, {})
        journal.prepare(record(), STAGING, {})
    assert commits.seen == ["FULL"]


def test_dropped_images_are_gone_for_good_once_it_is_said(journal: SqliteJournal) -> None:
    made = record()
    journal.prepare(made, STAGING, image_of(b"kept"))
    journal.settle(made.id, State.COMMITTED)
    commits = Commits(journal)
    assert journal.gc(keep_bytes=0).dropped_images == 1
    assert commits.seen[0] == "FULL"


def test_the_write_ahead_file_is_in_use(journal: SqliteJournal) -> None:
    """What FULL and NORMAL mean above holds for this mode."""
    assert journal._handle.read(lambda connection: connection.execute("PRAGMA journal_mode").fetchone()) == ("wal",)
