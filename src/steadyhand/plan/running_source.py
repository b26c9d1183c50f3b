"""A running text as a source: put together once, its lines counted from the original's instead of all over again.

Each value is one moment of a batch and stays what it is, whatever is written later.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

from steadyhand.lazy import dataclass, field
from steadyhand.plan.draft import Write
from steadyhand.plan.rows import RunningRows
from steadyhand.text.lines import LineTable
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.visible import sized

_QUESTIONS = 20_000
_STEPS = 16  # about as many lines are looked at to find the one that an offset lies in


class RunningTable(LineTable):
    """The lines of a running text: few questions are answered from the original's lines, for many a table is built."""

    __slots__ = ("_left", "_rows")

    def __init__(self, text: str, rows: RunningRows) -> None:
        self._text = text
        self._rows: RunningRows | None = rows
        self._left = _QUESTIONS

    @property
    def count(self) -> int:
        return super().count if self._rows is None else self._rows.count

    def start(self, row: int) -> int:
        rows = self._ask(1)
        return super().start(row) if rows is None else rows.start(row)

    def row_at(self, offset: int) -> int:
        rows = self._ask(_STEPS)
        if rows is None:
            return super().row_at(offset)
        return max(bisect_right(range(rows.count), offset, key=rows.start) - 1, 0)

    def _ask(self, questions: int) -> RunningRows | None:
        """What answers the next questions; None once they were so many that the table has been built."""
        self._left -= questions
        if self._left < 0 and self._rows is not None:
            super().__init__(self._text)
            self._rows = None
        return self._rows


@sized("text")
@dataclass(frozen=True)
class RunningSource(Source):
    """The text after some writes, and what is known of the lines of such texts."""

    writes: Sequence[Write] = field(kw_only=True, repr=False, compare=False)
    rows: RunningRows = field(kw_only=True, repr=False, compare=False)

    @cached_property
    def table(self) -> LineTable:
        return RunningTable(self.text, self.rows.reading(self.text).of(self.writes))

    def line_of(self, offset: int) -> int:
        return self.table.row_at(offset) + 1

    def lines_of(self, span: Span) -> tuple[int, int]:
        first, last = self.table.rows_of(span)
        return first + 1, last + 1
