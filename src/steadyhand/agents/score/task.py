"""A task of a score: files as they are before, what is to be changed, and the files as they must be then.

Tasks are small, so that what is measured is the way of editing and not the reading of a large program.
"""

from __future__ import annotations

from steadyhand.lazy import dataclass
from steadyhand.session.statistics import type_of
from steadyhand.text.diff import diff_rows
from steadyhand.text.lines import NewlineFacts, split_bodies, split_lines

MOST_BYTES = 24_000  # of one file
_MOST_LINES, _LONGEST_LINE = 600, 300
_MOST_CHANGED, _MOST_PLACES = 24, 6  # lines, and places, of all files together


@dataclass(frozen=True, slots=True)
class TaskFile:
    """One file of a task."""

    path: str
    before: str
    after: str

    @property
    def type(self) -> str:
        return type_of(self.path)


@dataclass(frozen=True, slots=True)
class Task:
    """One change to be made. `intent` says in people's words what it is for; how exactly is in `description.py`."""

    id: str
    intent: str
    files: tuple[TaskFile, ...]

    @property
    def type(self) -> str:
        """The type of its files, or that of most of them."""
        types = [file.type for file in self.files]
        return max(sorted(set(types)), key=types.count)

    @property
    def before(self) -> dict[str, bytes]:
        return {file.path: file.before.encode() for file in self.files}

    @property
    def after(self) -> dict[str, bytes]:
        return {file.path: file.after.encode() for file in self.files}


def is_small(files: tuple[TaskFile, ...]) -> bool:
    """Whether a change is one that every way of editing can say, and that can be described to the letter.

    Left out is what differs in what nobody sees: line endings, blanks at the end of a line, control characters.
    """
    changed = places = 0
    for file in files:
        if not file.after or not _is_plain(file.before) or not _is_plain(file.after):
            return False
        before, after = split_lines(file.before), split_lines(file.after)
        endings = {NewlineFacts.of(text).uniform for text in (file.before, file.after)}
        if len(endings) != 1 or None in endings or file.before.endswith("\n") != file.after.endswith("\n"):
            return False
        if len(before) > _MOST_LINES:
            return False
        for change in diff_rows(before, after):
            old = split_bodies("".join(before[change.before_start : change.before_end]))
            new = split_bodies("".join(after[change.after_start : change.after_end]))
            if any(row != row.rstrip() for row in (*old, *new)):
                return False
            changed += len(old) + len(new)
            places += 1
    return 0 < changed <= _MOST_CHANGED and places <= _MOST_PLACES


def _is_plain(text: str) -> bool:
    """Whether a text can be shown in a prompt as it is."""
    rows = split_bodies(text)
    plain = text.replace("\t", "").replace("\r\n", "\n").replace("\n", "")
    return all(len(row) <= _LONGEST_LINE for row in rows) and (not plain or plain.isprintable())
