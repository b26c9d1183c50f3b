"""A journal that an earlier version wrote: brought up, read, or left alone."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable
from pathlib import Path

import pytest

from steadyhand.workspace.journal import index, log
from steadyhand.workspace.journal.codec import encode_prepared, pack, to_bytes
from steadyhand.workspace.journal.database import DERIVED, TABLES, VERSION, steps
from steadyhand.workspace.journal.log import RowType
from steadyhand.workspace.journal.record import Party, Record, SeenVersion, utc_now
from steadyhand.workspace.journal.sqlite import SqliteHandle
from steadyhand.workspace.journal.sqlite_file import expected_shape, migrate, shape_of, version_of
from steadyhand.workspace.journal.store import open_journal
from tests.workspace.journal.sample_records import STAGING, commit, edited, lease, record, run, start

LONG = "long/" * 800


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / ".steadyhand"
    path.mkdir(mode=0o700)
    return path


def begin(folder: Path) -> sqlite3.Connection:
    """An empty journal of the first version."""
    connection = sqlite3.connect(folder / "journal.sqlite", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN")
    migrate(connection, to=1)
    return connection


def append(connection: sqlite3.Connection, records: Iterable[Record], notes: Iterable[str]) -> None:
    """What the first version wrote: every name in full, no index of notes."""
    for made in records:
        row = log.append(connection, RowType.PREPARED, made.id, made.time, pack(encode_prepared(made, STAGING)))
        index.add_record(connection, row.seq, made)
        settled = log.append(connection, RowType.COMMITTED, made.id, utc_now(), pack(to_bytes({})))
        index.settle(connection, settled)
    for name in notes:
        log.append(connection, RowType.NOTE, None, utc_now(), pack(to_bytes({"type": name, "body": {}})))
    long = LONG.encode()
    connection.execute("UPDATE files SET path = ? WHERE length(path) > ?", (long, index.LONGEST))
    connection.execute("UPDATE records SET task = ? WHERE length(task) > ?", (long, index.LONGEST))


def write_old(folder: Path, records: Iterable[Record] = (), notes: Iterable[str] = ()) -> None:
    connection = begin(folder)
    append(connection, records, notes)
    connection.execute("COMMIT")
    connection.close()


def version_in(folder: Path) -> int:
    connection = sqlite3.connect(folder / "journal.sqlite")
    try:
        return version_of(connection)
    finally:
        connection.close()


def test_every_step_makes_what_the_next_one_needs() -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    for number in range(1, VERSION + 1):
        migrate(connection, to=number)
        assert shape_of(connection) == expected_shape(number)
    names = {name for kind, name, _, _ in shape_of(connection) if kind == "table"}
    assert names == set(TABLES) > set(DERIVED)
    connection.close()


def test_steps_hold_no_word_of_another_store() -> None:
    said = " ".join(statement for step in steps("postgres") for statement in step)
    assert not any(word in said for word in ("BLOB", "INTEGER", "ROWID", "RAISE(", "?", "%"))
    assert 'TEXT COLLATE "C"' in said
    assert len(steps("postgres")) == len(steps("sqlite")) == VERSION


def test_a_journal_with_a_trigger_of_an_earlier_version_is_set_aside(folder: Path) -> None:
    connection = begin(folder)
    connection.execute("CREATE TRIGGER more AFTER INSERT ON log BEGIN DELETE FROM images; END")
    connection.execute("COMMIT")
    connection.close()
    with open_journal(folder) as journal:
        assert "not those of a journal" in (journal.damage or "")
        assert [note.type for note in journal.notes(type="set-aside")] == ["set-aside"]
        assert journal.verify() == []


@pytest.mark.parametrize("made", [[], [record()], [record(), record(edited(LONG), task=LONG), record()]])
def test_an_old_journal_is_brought_up_and_goes_on(folder: Path, made: list[Record]) -> None:
    write_old(folder, made, ["recovery", "odd\udcff", "recovery"])
    with open_journal(folder) as journal:
        assert journal.damage is None
        assert journal.verify() == []
        assert [entry.record for entry in journal.entries(newest_first=False)] == made
        assert [note.type for note in journal.notes()] == ["recovery", "odd\udcff", "recovery"]
        assert len(list(journal.notes(type="recovery"))) == 2
        assert len(list(journal.entries(path=LONG, task=LONG))) == (len(made) == 3)
        commit(journal, record(edited(LONG)))
        journal.append_note("recovery", {})
        journal.see(Party("ann"), "a.md", [SeenVersion("0" * 64, 1)])
        journal.keep_lease(lease())
        assert len(list(journal.notes(type="recovery"))) == 3
        assert journal.verify() == []
        journal.reindex()
        assert journal.verify() == []
    assert version_in(folder) == VERSION


def test_an_old_journal_is_read_without_being_changed(folder: Path) -> None:
    made = record()
    write_old(folder, [made], ["recovery"])
    before = (folder / "journal.sqlite").read_bytes()
    with open_journal(folder, read_only=True) as journal:
        assert journal.find(made.id).record == made
        assert [note.type for note in journal.notes(type="recovery")] == ["recovery"]
        assert journal.meet(Party("ann")) == 3
        assert journal.leases() == []
        assert journal.verify() == []
    assert (folder / "journal.sqlite").read_bytes() == before
    assert os.listdir(folder) == ["journal.sqlite"]
    assert version_in(folder) == 1


def test_an_old_journal_with_a_damaged_note_is_brought_up(folder: Path) -> None:
    connection = begin(folder)
    append(connection, [record()], ["recovery", "other"])
    connection.execute("DROP TRIGGER log_is_never_updated")
    connection.execute("UPDATE log SET body = x'00' WHERE seq = 3")
    for statement in steps("sqlite")[0]:
        if "never_updated" in statement:
            connection.execute(statement)
    connection.execute("COMMIT")
    connection.close()
    with open_journal(folder) as journal:
        assert [(problem.seq, problem.kind) for problem in journal.verify()] == [(3, "checksum")]
        assert [note.type for note in journal.notes()] == ["other"]


def test_an_old_journal_whose_file_is_broken_in_places_still_opens(folder: Path) -> None:
    made = record()
    connection = begin(folder)
    append(connection, [made], [os.urandom(2000).hex() for _ in range(600)])
    connection.execute("COMMIT")
    connection.close()
    with (folder / "journal.sqlite").open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        assert size > 1 << 20
        file.seek(size // 2 // 4096 * 4096)
        file.write(bytes(range(256)) * 160)
    with open_journal(folder) as journal:
        assert {problem.kind for problem in journal.verify()} >= {"structure"}
        assert journal.find(made.id).record == made
        assert journal.damage is None


def test_several_processes_bring_up_one_journal(folder: Path) -> None:
    write_old(folder, [record() for _ in range(20)], ["recovery"] * 200)
    script = "with open_journal(sys.argv[1], timeout=300) as journal: commit(journal, record())\n"
    running = [start(script, folder) for _ in range(3)]
    assert [process.communicate(timeout=300)[1] for process in running] == [""] * 3
    with open_journal(folder) as journal:
        assert journal.stats().records == 23
        assert journal.verify() == []


def test_a_process_killed_while_it_brings_a_journal_up_leaves_the_old_one(folder: Path) -> None:
    write_old(folder, [record()], ["recovery"] * 3)
    ended = run(
        "from steadyhand.workspace.journal import sqlite_file as shape\n"
        "usual = shape.catch_up\n"
        "def slow(*given):\n"
        "    usual(*given)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "shape.catch_up = slow\n"
        "open_journal(sys.argv[1])\n",
        folder,
    )
    assert ended.returncode < 0, ended.stderr
    with open_journal(folder) as journal:
        assert journal.verify() == []
        assert len(list(journal.notes(type="recovery"))) == 3


def test_the_handle_of_a_brought_up_journal_knows_its_size(folder: Path) -> None:
    write_old(folder, [record()])
    with open_journal(folder) as journal:
        handle = journal._handle  # type: ignore[attr-defined]
        assert isinstance(handle, SqliteHandle)
        assert handle.size() == journal.stats().file_bytes > 0
