"""A full disk: ordinary edits are refused before anything is recorded, undo and recovery still go through."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.journal import sqlite_file
from steadyhand.workspace.journal.record import State
from steadyhand.workspace.journal.sqlite import SqliteJournal
from steadyhand.workspace.journal.sqlite_file import Reserve
from tests.workspace.journal.sample_records import STAGING, commit, image_of, record

ROOT = Path(__file__).parents[3]
NOISE = os.urandom(200_000)


@pytest.fixture(autouse=True)
def whole_reserve(monkeypatch: pytest.MonkeyPatch) -> None:
    """As large as it is outside of the tests, which otherwise make a small one."""
    monkeypatch.setattr(sqlite_file, "SIZE", Reserve(Path()).size)


@dataclass(frozen=True, slots=True)
class SharedRoom(Reserve):
    """A reserve on a disk of so many pages: what it gives up, the database may take."""

    journal: SqliteJournal | None = None

    def release(self) -> bool:
        given = Reserve.release(self)
        if given and self.journal is not None:
            limit_pages(self.journal, self.size // 4096)
        return given


def limit_pages(journal: SqliteJournal, more: int) -> None:
    """Let SQLite find the disk full after so many more pages."""
    connection = journal._handle._connection
    assert connection is not None
    count = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {count + more}")


def on_a_full_disk(folder: Path) -> SqliteJournal:
    """A journal with one pending record, whose disk has no page left but those of the reserve."""
    journal = SqliteJournal(folder)
    commit(journal, record(id="a" * 12))
    journal.prepare(record(id="b" * 12), STAGING, {})
    journal._handle.reserve = SharedRoom(folder / "reserve", journal=journal)
    limit_pages(journal, 0)
    return journal


def test_an_ordinary_edit_is_refused_and_leaves_no_record(tmp_path: Path) -> None:
    with on_a_full_disk(tmp_path / "state") as journal:
        with pytest.raises(EditError) as caught:
            journal.prepare(record(id="c" * 12), STAGING, image_of(NOISE))
        assert caught.value.kind is Kind.DISK_REFUSED
        assert [made.id for made, _ in journal.unsettled()] == ["b" * 12]
        assert journal.stats().images == 0
        assert (tmp_path / "state" / "reserve").exists()
        assert journal.verify() == []


def test_urgent_work_uses_the_reserve(tmp_path: Path) -> None:
    with on_a_full_disk(tmp_path / "state") as journal:
        journal.prepare(record(id="c" * 12, verb="undo", undoes=("a" * 12,)), STAGING, image_of(NOISE), urgent=True)
        journal.settle("c" * 12, State.COMMITTED)
        journal.settle("b" * 12, State.ABORTED)
        assert journal.undone_by("a" * 12) == "c" * 12
        assert not (tmp_path / "state" / "reserve").exists()
        assert journal.verify() == []


def test_urgent_work_too_large_for_the_reserve_is_refused(tmp_path: Path) -> None:
    with on_a_full_disk(tmp_path / "state") as journal:
        with pytest.raises(EditError) as caught:
            journal.prepare(record(id="c" * 12), STAGING, image_of(os.urandom(3 << 20)), urgent=True)
        assert caught.value.kind is Kind.DISK_REFUSED
        assert journal.find("a" * 12)


def test_the_reserve_is_made_with_the_first_edit_and_again_after_it_was_used(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    with SqliteJournal(folder) as journal:
        commit(journal, record())
        assert (folder / "reserve").stat().st_size == 1 << 20
        assert journal.release_reserve()
        assert not journal.release_reserve()
        commit(journal, record())
        assert (folder / "reserve").stat().st_size == 1 << 20
        journal.release_reserve()
    assert (folder / "reserve").exists()


def test_a_reserve_cut_short_is_made_whole(tmp_path: Path) -> None:
    reserve = Reserve.of(tmp_path)
    reserve.ensure()
    os.truncate(reserve.path, 10)
    reserve.ensure()
    assert reserve.path.stat().st_size == reserve.size


def test_an_edit_without_room_for_the_reserve_is_refused_before_it_is_recorded(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    with SqliteJournal(folder) as journal:
        commit(journal, record())
        journal.release_reserve()
        (folder / "reserve").mkdir()  # whatever keeps the reserve from being made
        (folder / "reserve" / "x").touch()
        with pytest.raises(EditError) as caught:
            journal.prepare(record(), STAGING, {})
        assert caught.value.kind in (Kind.DISK_REFUSED, Kind.READ_ONLY)
        journal.prepare(record(), STAGING, {}, urgent=True)


SCRIPT = """
import os, sys
from pathlib import Path
from steadyhand.errors import EditError, Kind
from steadyhand.workspace.journal.record import State
from steadyhand.workspace.journal.store import open_journal
from tests.workspace.journal.sample_records import STAGING, commit, image_of, record

place = Path(sys.argv[1])
with open_journal(place / "state") as journal:
    commit(journal, record(id="a" * 12))
    journal.prepare(record(id="b" * 12), STAGING, {})
filler = os.open(place / "filler", os.O_WRONLY | os.O_CREAT)
size = 1 << 16
while size:
    try:
        os.write(filler, bytes(size))
    except OSError:
        size //= 2
with open_journal(place / "state") as journal:
    try:
        journal.prepare(record(id="c" * 12), STAGING, image_of(os.urandom(100_000)))
        sys.exit("an ordinary edit went through on a full disk")
    except EditError as error:
        assert error.kind is Kind.DISK_REFUSED, error
    journal.settle("b" * 12, State.ABORTED)
    journal.prepare(record(id="d" * 12, undoes=("a" * 12,)), STAGING, image_of(os.urandom(50_000)), urgent=True)
    journal.settle("d" * 12, State.COMMITTED)
    assert journal.verify() == []
os.close(filler)
os.unlink(place / "filler")
with open_journal(place / "state") as journal:
    assert journal.undone_by("a" * 12) == "d" * 12
    commit(journal, record(id="e" * 12))
    assert journal.verify() == []
"""


def test_a_real_disk_that_fills_up_still_takes_undo_and_recovery(tmp_path: Path) -> None:
    """On a small disk of its own where the system lets us mount one, on the pages of a database elsewhere."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = f"mount -t tmpfs -o size=3m,mode=0700 none {place}"
    unshare = shutil.which("unshare")
    if (
        unshare is None
        or subprocess.run([unshare, "-rm", "sh", "-c", mount], capture_output=True, check=False).returncode
    ):
        test_urgent_work_uses_the_reserve(tmp_path)
        return
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "SCRIPT": SCRIPT}
    command = f'{mount} && exec "{sys.executable}" -c "$SCRIPT" {place}'
    ended = subprocess.run(
        [unshare, "-rm", "sh", "-c", command], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert ended.returncode == 0, ended.stderr
