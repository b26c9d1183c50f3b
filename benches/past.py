"""A workspace with a long past, made in bulk: every record is one a real edit could have left.

`few.md` has been changed five times, `busy.md` many times, and the rest of the records lie on other files. In `busy.md`
the first line was never written by a record, the second only by the first record, and the third by the record that
has `later_records` others after it on the same file.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from steadyhand import Replace, Workspace
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.encoding import Encoding
from steadyhand.text.source import digest_of
from steadyhand.text.splice import Splice
from steadyhand.workspace.journal.record import (
    EditNote,
    FileChange,
    FileState,
    Record,
    Staging,
    State,
    new_record_id,
    utc_now,
)
from steadyhand.workspace.journal.sqlite import SqliteJournal

_LINES = 60
_WIDTH = 64
_MODE = 0o644
_FEW = 5
_PER_FILE = 90
_AT_ONCE = 5_000
_STAGING = Staging("bench", 1)
_ENCODING = Encoding()


@dataclass(frozen=True, slots=True)
class Past:
    """Where the workspace is, and the record that has others after it on the same file."""

    root: Path
    records: int
    early: str


@dataclass(slots=True)
class _File:
    """A file of lines of one width, so that a line's offset needs no search."""

    path: str
    rows: list[str] = field(default_factory=lambda: [_row(f"line {row}") for row in range(_LINES)])
    digest: str = ""

    def text(self) -> bytes:
        return "".join(self.rows).encode()

    def change(self, row: int, words: str) -> tuple[Record, dict[str, bytes]]:
        """The record of writing one line; the first one keeps the version before."""
        before, images = self.digest, {}
        if not before:
            data = self.text()
            before = digest_of(data)
            images = {before: data}
        old, self.rows[row] = self.rows[row], _row(words)
        self.digest = digest_of(self.text())
        changes = ChangeSet((Splice(row * _WIDTH, old, self.rows[row]),), before)
        note = EditNote(f"say {words}", "exact", 1.0, (row + 1, row + 1), (0,))
        sides = FileState(self.path, before, _MODE), FileState(self.path, self.digest, _MODE)
        return _record(FileChange(*sides, changes, _ENCODING, (note,))), images


def make_past(root: Path, *, records: int, busy_records: int, later_records: int, tell: Callable[[str], None]) -> Past:
    """Make the workspace and its journal; about `records` in all, never fewer than the two named files need."""
    root.mkdir()
    (root / "first.md").write_text("one\n", encoding="utf-8")
    with Workspace(root, actor="bench") as workspace:  # makes the state folder as it has to be
        workspace.edit("first.md", [Replace("one", "two")])
    few, busy = _File("few.md"), _File("busy.md")
    others = max(0, records - busy_records - _FEW)
    crowd = [_File(f"other/{number}.md") for number in range(-(-others // _PER_FILE))]
    order = [few] * _FEW + [busy] * busy_records + [crowd[number % len(crowd)] for number in range(others)]
    random.Random(records).shuffle(order)
    early = _load(root, order, busy, busy_records - later_records, tell)
    (root / "other").mkdir()
    for file in {id(file): file for file in (few, busy, *crowd)}.values():
        (root / file.path).write_bytes(file.text())
        (root / file.path).chmod(_MODE)
    return Past(root, len(order) + 1, early)


def _load(root: Path, order: list[_File], busy: _File, early_at: int, tell: Callable[[str], None]) -> str:
    early, seen = "", 0
    with SqliteJournal(root / ".steadyhand") as journal:
        for start in range(0, len(order), _AT_ONCE):
            tell(f"making records: {start:,} of {len(order):,}")
            with journal.bulk():
                for number, file in enumerate(order[start : start + _AT_ONCE], start):
                    row = 5 + number % (_LINES - 5)
                    if file is busy:
                        seen += 1
                        row = 1 if seen == 1 else 2 if seen == early_at else row
                    record, images = file.change(row, f"record {number}")
                    journal.prepare(record, _STAGING, images)
                    journal.settle(record.id, State.COMMITTED)
                    early = record.id if row == 2 else early
    return early


def _record(change: FileChange) -> Record:
    return Record(new_record_id(), utc_now(), "agent-7", "T-1", "edit", "because", "edit", (), (change,))


def _row(words: str) -> str:
    return f"{words:<{_WIDTH - 1}}\n"
