"""One row in three versions: as the edit quotes it, as the file has it, as the edit wants it.

Each aspect of a row (what it says, the blanks behind it) is merged by itself: who changed it has it. The indentation is
no aspect of a single row, since it is told by all rows of an edit together; see `plan/new_rows.py`.
"""

from __future__ import annotations

from steadyhand.lazy import dataclass
from steadyhand.text.merge import merge_tokens
from steadyhand.text.visible import sized

__all__ = ["Versions"]


@sized("old", "ours", "new")
@dataclass(frozen=True, slots=True)
class Versions:
    """The row before (`old`), the file's (`ours`) and the row after (`new`), all without endings.

    >>> Versions("a = 1", "  a  =  1 ", "a = 1").said
    'a  =  1'
    """

    old: str
    ours: str
    new: str

    @property
    def said(self) -> str | None:
        """What the row says, as a whole; None where edit and file both changed it, and differently."""
        return _merged(*self._stripped())

    @property
    def words(self) -> str | None:
        """What the row says, merged token by token; None where edit and file changed the same token."""
        return merge_tokens(*self._stripped())

    @property
    def trail(self) -> str:
        """The blanks behind it; the file's where both changed them."""
        trails = [row[len(row.rstrip(" \t")) :] for row in (self.old, self.ours, self.new)]
        merged = _merged(*trails)
        return trails[1] if merged is None else merged

    @property
    def blank(self) -> str:
        """A row of nothing but blanks: the file's, unless the edit changes just these blanks."""
        merged = _merged(self.old, self.ours, self.new)
        return self.ours if merged is None else merged

    def _stripped(self) -> tuple[str, str, str]:
        return self.old.strip(" \t"), self.ours.strip(" \t"), self.new.strip(" \t")


def _merged(old: str, ours: str, new: str) -> str | None:
    if old == new or ours == new:
        return ours
    return new if ours == old else None
