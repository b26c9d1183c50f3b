"""Which whole lines a splice concerns, and whether it meets lines that somebody else has changed. Pure.

Rows are compared, not characters: two changes of one line meet, changes of neighbouring lines do not. Between two rows
lies a boundary, where lines are inserted or were taken away; two changes at one boundary meet.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.lazy import dataclass
from steadyhand.text.diff import shared_rows
from steadyhand.text.lines import Characters, split_lines, starts_line
from steadyhand.text.source import Source
from steadyhand.text.splice import Splice

__all__ = ["Region", "region_of"]

_ENDINGS = ("\n", "\r")


@dataclass(frozen=True, slots=True)
class Region:
    """Rows `start` to `end`, half-open; an empty one is the boundary before row `start`.

    `is_removal`: nothing comes in the place of these rows. Seen from the text after, where their change taken back is
    the splice, these rows were inserted.
    """

    start: int
    end: int
    is_removal: bool = False

    @property
    def is_boundary(self) -> bool:
        return self.start == self.end

    @staticmethod
    def around(regions: Sequence[Region]) -> Region:
        """The rows from the first of several to the last."""
        return Region(min(region.start for region in regions), max(region.end for region in regions))

    @property
    def lines(self) -> tuple[int, int]:
        """First and last line for people; of a boundary, the line behind it."""
        return self.start + 1, max(self.end, self.start + 1)

    def meets(self, theirs: Region) -> bool:
        """Whether a change here depends on what taking back `theirs` would change.

        >>> Region(2, 2).meets(Region(2, 4, is_removal=True)), Region(4, 5).meets(Region(2, 4))
        (True, False)
        """
        if self.is_boundary and theirs.is_boundary:
            return self.start == theirs.start
        if self.is_boundary and theirs.is_removal:  # lines were put in here: which of the two come first?
            return theirs.start <= self.start <= theirs.end
        return self.start < theirs.end and theirs.start < self.end


def region_of(source: Source, splice: Splice) -> Region:
    """The rows of the text before that a splice changes.

    >>> text = Source.of_text("a\\nb\\nc\\n")
    >>> region_of(text, Splice(2, "b", "B")), region_of(text, Splice(2, "", "new\\n"))
    (Region(start=1, end=2, is_removal=False), Region(start=1, end=1, is_removal=False))
    >>> region_of(text, Splice(3, "\\n", ""))
    Region(start=1, end=3, is_removal=False)
    >>> region_of(text, Splice(1, "\\n", "\\n-\\n")), region_of(text, Splice(1, "\\n", "\\r\\n"))
    (Region(start=1, end=1, is_removal=False), Region(start=0, end=1, is_removal=False))
    """
    head, old, new = _changed(splice.old, splice.new)
    text, table = source.characters, source.table
    start, end = splice.start + head, splice.start + head + len(old)
    if starts_line(text, start):
        row = table.count if start == len(text) else table.row_at(start)
        if not old:
            is_between = new.endswith(_ENDINGS) or start == len(text)
            return Region(row, row if is_between else row + 1)
        is_whole = starts_line(text, end) or end == len(text)
        return Region(row, table.row_at(end - 1) + 1 + _joins(text, start, end, new), is_removal=not new and is_whole)
    row = table.row_at(start)
    is_behind = _ends_line(text, start) and _ends_line(text, end) and (old or new).startswith(_ENDINGS)
    if is_behind and _keeps_ending(text, start, end, new):
        if not old:  # what comes in begins with the ending of the line before it
            return Region(row + 1, row + 1)
        if not new or new.startswith(_ENDINGS):
            return Region(row + 1, table.row_at(end - 1) + 1, is_removal=not new)
    return Region(row, table.row_at(end - 1) + 1 + _joins(text, start, end, new) if old else row + 1)


def _joins(text: Characters, start: int, end: int, new: str) -> bool:
    """Whether the line behind what is replaced becomes a part of the one before it, and so is changed too."""
    if end == len(text) or not starts_line(text, end):
        return False
    return not (new.endswith(_ENDINGS) if new else starts_line(text, start))


def _changed(old: str, new: str) -> tuple[int, str, str]:
    """Both sides without the lines they share at their ends, and how long those are at the start."""
    if not old or not new:
        return 0, old, new
    mine, theirs = split_lines(old), split_lines(new)
    first, last = shared_rows(mine, theirs)
    head = sum(map(len, mine[:first]))
    return head, "".join(mine[first : len(mine) - last]), "".join(theirs[first : len(theirs) - last])


def _keeps_ending(text: Characters, start: int, end: int, new: str) -> bool:
    """Whether the line whose ending is at `start` ends as before; at the end of a text it may have none."""
    was, now = text[start : start + 2], (new + text[end : end + 2])[:2]
    was, now = (each if each == "\r\n" else each[:1] for each in (was, now))
    return not was or not now or was == now


def _ends_line(text: Characters, offset: int) -> bool:
    return offset == len(text) or (
        text[offset : offset + 1] in ("\n", "\r") and text[offset - 1 : offset + 1] != "\r\n"
    )
