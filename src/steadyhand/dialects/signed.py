"""Lines with signs in front, as patches have them, turned into an edit.

A sign is a blank for a line that stays, `-` for one that goes, `+` for one that comes, and nothing where the writer
forgot it: that is a line that stays, or no part of the patch at all. Which of the two it is shows only in the file, so
the edit carries the readings in which such lines are left out as alternatives. It carries the signs too: of two equal
lines they alone say which goes. Nothing here looks at a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal

from steadyhand.lazy import dataclass
from steadyhand.match.tier import Alternative, Signs
from steadyhand.plan.edit import Fit, Old, Replace
from steadyhand.text.diff import Change
from steadyhand.text.lines import split_lines
from steadyhand.text.visible import sized

__all__ = ["Row", "edit_of_rows"]

Sign = Literal[" ", "-", "+", ""]


@sized("text")
@dataclass(frozen=True, slots=True)
class Row:
    """One line of a patch: its sign, and its text with the ending it is to have in the file."""

    sign: Sign
    text: str

    @property
    def stays(self) -> bool:
        return self.sign in (" ", "")

    @property
    def is_blank(self) -> bool:
        return not self.text or self.text.isspace()


def edit_of_rows(
    rows: Sequence[Row],
    *,
    line: int | None = None,
    under: tuple[str, ...] = (),
    at_end: bool = False,
    fit: Fit = "lines",
) -> Replace | None:
    """The edit that rows describe; None where none of them changes anything.

    `line` is where the rows are said to be in the file, `under` the lines above them, `at_end` whether they are the
    last of the file.

    >>> edit_of_rows([Row(" ", "a\\n"), Row("-", "b\\n"), Row("+", "c\\n")]).new
    'a\\nc\\n'
    """
    if all(row.stays for row in rows):
        return None
    readings: dict[tuple[str, str], Alternative] = {}
    for name, reading in _readings(rows):
        one = _as_alternative(name, reading)
        if not readings or one.old:
            readings.setdefault((one.old, one.new), one)
    first, *alternatives = readings.values()
    target = Old(first.old, line=line, fit=fit, under=under, at_end=at_end)
    return Replace(target, first.new, alternatives=tuple(alternatives), signs=first.signs)


def _as_alternative(name: str, rows: Sequence[Row]) -> Alternative:
    old = "".join(row.text for row in rows if row.sign != "+")
    return Alternative(old, "".join(row.text for row in rows if row.sign != "-"), name, _signs_of(rows))


def _signs_of(rows: Sequence[Row]) -> Signs:
    """What becomes of the lines of both texts; a row with a lone CR in it is several lines."""
    found: list[Change] = []
    before = after = 0
    for stays, group in groupby(rows, key=lambda row: row.stays):
        start, other = before, after
        for row in group:
            count = 1 if row.text and "\r" not in row.text else len(split_lines(row.text))
            before += count * (row.sign != "+")
            after += count * (row.sign != "-")
        if not stays:
            found.append(Change(start, before, other, after))
    return tuple(found)


def _readings(rows: Sequence[Row]) -> Iterator[tuple[str, Sequence[Row]]]:
    """Every way to read the rows, the likeliest first.

    Lines that change have their signs, so where they are tells whether a blank in front of the others is a sign.
    """
    as_signed, as_raw = _in_line(rows)
    if as_signed > as_raw:
        yield from _shortened("", rows)
        return
    raw = [Row(" ", " " + row.text) if row.sign == " " and not row.is_blank else row for row in rows]
    if raw == list(rows):
        yield from _shortened("", rows)
        return
    likely, other = (raw, rows) if as_raw > as_signed else (rows, raw)
    yield from _shortened("", likely)
    yield from _shortened("context without its sign", other)


def _shortened(name: str, rows: Sequence[Row]) -> Iterator[tuple[str, Sequence[Row]]]:
    """The rows, and without what may not belong to them at their end."""
    yield name, rows
    full, signed = _without_blanks(rows), _without_tail(rows)
    if len(full) < len(rows):
        yield name or "trailing blank lines", full
    if len(signed) < len(rows):
        yield name or "lines without a sign", signed
        yield name or "lines without a sign", _without_blanks(signed)


def _in_line(rows: Sequence[Row]) -> tuple[int, int]:
    """How many of the lines that change are as far from the margin as a line that stays.

    Once with a blank in front of those as their sign, and once as a part of their text.
    """
    signed, raw, changed = set[int](), set[int](), list[int]()
    for row in rows:
        text = row.text
        if text.lstrip()[:3] in ("", "```", "~~~"):
            continue
        width = len(text) - len(text.lstrip(" "))
        if row.sign in ("-", "+"):
            changed.append(width)
        else:
            signed.add(width)
            raw.add(width + (row.sign == " "))
    return sum(width in signed for width in changed), sum(width in raw for width in changed)


def _without_blanks(rows: Sequence[Row]) -> Sequence[Row]:
    """The rows without blank ones at their end, unless these have signs and say where a row above them goes."""
    end = len(rows)
    while end and rows[end - 1].stays and rows[end - 1].is_blank:
        end -= 1
    is_edge = end > 0 and rows[end - 1].sign == "+" and any(row.sign == " " for row in rows[end:])
    return rows if is_edge else rows[:end]


def _without_tail(rows: Sequence[Row]) -> Sequence[Row]:
    """The rows up to the last that has a sign."""
    end = len(rows)
    while end and rows[end - 1].sign == "":
        end -= 1
    return rows[:end]
