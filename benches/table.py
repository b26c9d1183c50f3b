"""A table of figures, as aligned text for people and as JSON for programs. Standard library only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Literal

Unit = Literal["s", "B", "n"]

_HEADS = ("what", "median", "floor", "ratio", "middle half", "runs", "remark")
_MISSING = "–"


@dataclass(frozen=True, slots=True)
class Row:
    """One figure beside the floor's. `low` and `high` hold the middle half of the ratios; None: not measured."""

    label: str
    value: float | None
    floor: float | None = None
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    runs: int = 0
    remark: str = ""
    unit: Unit = "s"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows that share one floor, named in words."""

    title: str
    floor: str
    rows: Sequence[Row] = field(default_factory=tuple)
    note: str = ""

    def to_json(self) -> dict[str, object]:
        return asdict(self)

    def render(self) -> str:
        """Aligned text; numbers to the right, words to the left."""
        cells = [_HEADS, *map(_cells, self.rows)]
        widths = [max(len(row[column]) for row in cells) for column in range(len(_HEADS))]
        rule = ["-" * width for width in widths]
        lines = [self.title, f"floor: {self.floor}", *([self.note] if self.note else []), ""]
        lines += [_line(row, widths) for row in (cells[0], rule, *cells[1:])]
        return "\n".join(lines) + "\n"


def show(value: float | None, unit: Unit = "s") -> str:
    """A figure with the unit that keeps it short.

    >>> show(0.00123), show(52_000_000, "B")
    ('1.23 ms', '52.0 MB')
    """
    if value is None:
        return _MISSING
    if unit == "n":
        return f"{value:,.0f}"
    if unit == "B":
        return f"{value / 1e6:.1f} MB"
    for factor, name in ((1.0, "s"), (1e3, "ms")):
        if value * factor >= 1:
            return f"{_three(value * factor)} {name}"
    return f"{_three(value * 1e6)} µs"


def _cells(row: Row) -> tuple[str, ...]:
    middle = f"{_three(row.low)}–{_three(row.high)}" if row.low is not None and row.high is not None else _MISSING
    ratio = f"×{_three(row.ratio)}" if row.ratio is not None else _MISSING
    runs = str(row.runs) if row.runs else _MISSING
    return (row.label, show(row.value, row.unit), show(row.floor, row.unit), ratio, middle, runs, row.remark)


def _three(value: float) -> str:
    """Three digits are all that a shared machine can vouch for."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    words = (0, len(widths) - 1)
    padded = (
        cell.ljust(width) if column in words else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return "  ".join(padded).rstrip()
