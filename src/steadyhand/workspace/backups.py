"""The `.bak` copies that stand beside edited files: which of a record's files are such copies.

What makes one is the record alone: it holds what another file of the record was before, under that one's name and the
ending. So a file that somebody else gave such a name is never taken for a copy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from steadyhand.workspace.journal.record import FileChange, FileState, Record

__all__ = ["BACKUP", "TIDYING", "backups_in", "is_backup", "is_tidying"]

BACKUP: Final = ".bak"
TIDYING: Final = "task"  # the tool in whose name copies are removed at the end of a task


def backups_in(record: Record) -> Iterator[tuple[FileChange, FileState]]:
    """The changes of a record that made a copy, each with what it made."""
    for change in record.files:
        if change.after is not None and is_backup(record, change.after.path):
            yield change, change.after


def is_backup(record: Record, path: str) -> bool:
    """Whether a record made a copy at a path."""
    made = record.arriving(path)
    copied = record.leaving(path.removesuffix(BACKUP)) if path.endswith(BACKUP) else None
    if made is None or made.before is not None or made.after is None or copied is None or copied.before is None:
        return False
    return copied.before.digest == made.after.digest


def is_tidying(record: Record) -> bool:
    """Whether a record did nothing but remove copies: nobody means it who takes back what was done last."""
    return record.tool == TIDYING and all(each.is_delete and each.path.endswith(BACKUP) for each in record.files)
