"""A snippet taken apart: its marks, and the runs of literal rows between them. Looks at no file.

A mark is a row that only says that other rows stay (`match/elision.py`). A run reaches from its first to its last row
that is not blank; blank rows beside a mark say nothing. Line numbers that a listing left in front of the rows can be
taken off a run; whether they should be shows only in the file.
"""

from __future__ import annotations

from collections.abc import Iterator

from steadyhand.lazy import dataclass, replace
from steadyhand.match.elision import is_elision, sections_of
from steadyhand.match.repairs.line_numbers import REPAIR as LINE_NUMBERS
from steadyhand.text.lines import split_bodies

__all__ = ["Run", "Snippet", "read_snippet"]


@dataclass(frozen=True, slots=True)
class Run:
    """Rows that follow each other: `start` is where the first stands in the snippet, `visible` those not blank.

    `above` and `below` say whether a mark stands on that side; `dots` whether the mark below has no word in it.
    """

    start: int
    rows: tuple[str, ...]
    above: bool
    below: bool
    dots: bool = False

    @property
    def visible(self) -> list[int]:
        """The rows of the run, counted from its first, that are not blank."""
        return [row for row, text in enumerate(self.rows) if text.strip()]

    def line(self, row: int) -> int:
        """The line of the snippet, from 1, on which a row of the run stands."""
        return self.start + row + 1

    def without_numbers(self) -> Run | None:
        """The run without line numbers in front of its rows, the first perhaps excepted; None: it has none."""
        for kept in (0, 1):
            text = "\n".join(self.rows[kept:])
            mended = LINE_NUMBERS.mend(text, text) if len(self.rows) > kept + 1 else None
            if mended is not None:
                rows = (*self.rows[:kept], *_padded(split_bodies(mended.old), len(self.rows) - kept))
                return _trimmed(replace(self, rows=rows))
        return None


@dataclass(frozen=True, slots=True)
class Snippet:
    """The runs of a snippet from its top; `has_marks` also where no run is beside them."""

    runs: tuple[Run, ...]
    has_marks: bool


def read_snippet(text: str) -> Snippet:
    """The runs of a snippet.

    >>> [run.rows for run in read_snippet("# ...\\na\\n\\nb\\n\\n# ... existing code ...\\nc\\n").runs]
    [('a', '', 'b'), ('c',)]
    """
    rows = split_bodies(text)
    return Snippet(tuple(_runs(rows)), any(map(is_elision, rows)))


def _runs(rows: list[str]) -> Iterator[Run]:
    sections = sections_of(rows)
    for number, (start, end) in enumerate(sections):
        is_last = number == len(sections) - 1
        dots = not is_last and not any(map(str.isalnum, rows[end]))
        run = Run(start, tuple(rows[start:end]), number > 0, not is_last, dots)
        if run.visible:
            yield _trimmed(run)


def _trimmed(run: Run) -> Run:
    visible = run.visible
    if not visible:
        return run
    return replace(run, start=run.start + visible[0], rows=run.rows[visible[0] : visible[-1] + 1])


def _padded(rows: list[str], count: int) -> list[str]:
    """The rows, and blank ones for those that were nothing but a number at the end."""
    return rows + [""] * (count - len(rows))
