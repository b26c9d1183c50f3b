"""The old text of an edit as tiers see it: the text, and which of its rows the edit really changes.

A tier that tolerates drift needs the second: a line that is merely repeated may stand otherwise in the file, a line
that is to be changed may not.
"""

from __future__ import annotations

from functools import cached_property

from steadyhand.lazy import dataclass
from steadyhand.text.diff import Change, diff_rows, diff_within
from steadyhand.text.lines import split_bodies
from steadyhand.text.visible import sized

Signs = tuple[Change, ...]
"""Which rows of an old text go and which rows of the new text come, as the signs of a patch say; the others stay."""

_MANY = 20_000  # rows; beyond this every row counts as changed


@sized("old", "new")
@dataclass(frozen=True, slots=True)
class Spare:
    """Another reading of an edit's two texts, for when the first is nowhere; `differs` names what it leaves out."""

    old: str
    new: str
    differs: str
    signs: Signs | None = None


@sized("text", "new")
@dataclass(frozen=True)
class Needle:
    """Old text and, where it is known, the new text that is to come in its place.

    `signs` say which rows go, where the writer did: of two rows that are equal, comparing the texts does not say which.

    >>> sorted(Needle("a\\nb\\nc", "a\\nB\\nc").changed)
    [1]
    """

    text: str
    new: str | None = None
    signs: Signs | None = None

    @classmethod
    def of(cls, text: str) -> Needle:
        """A needle whose every row counts as changed."""
        return cls(text)

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """The rows without their endings."""
        return tuple(split_bodies(self.text))

    @cached_property
    def changes(self) -> tuple[Change, ...] | None:
        """What becomes of the rows: each change takes some away, brings some in between, or both; None: unknown."""
        if self.new is None:
            return None
        after = split_bodies(self.new)
        if len(self.rows) + len(after) > _MANY:
            return None
        found = diff_rows(self.rows, after) if self.signs is None else diff_within(self.rows, after, self.signs)
        return tuple(found)

    def repaired(self, text: str, new: str) -> Needle:
        """The same edit in repaired texts; its signs hold as long as both have their rows."""
        counts = [len(split_bodies(one)) for one in (self.text, self.new or "", text, new)]
        return Needle(text, new, self.signs if counts[:2] == counts[2:] else None)

    @cached_property
    def changed(self) -> frozenset[int]:
        """The rows that the edit changes or removes."""
        if self.changes is None:
            return frozenset(range(len(self.rows)))
        return frozenset(row for change in self.changes for row in range(change.before_start, change.before_end))

    def touches(self, start: int, end: int) -> bool:
        """Whether the edit changes or removes one of rows `start:end`."""
        return any(row in self.changed for row in range(start, end))
