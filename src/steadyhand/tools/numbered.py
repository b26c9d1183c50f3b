"""Lines with their numbers, as tools show them. Only shows; a long line or a long stretch is cut and says so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from steadyhand.errors import EditError, Kind
from steadyhand.schema import bad_request
from steadyhand.text.lines import split_bodies
from steadyhand.text.visible import clip

__all__ = ["MOST_CHARACTERS", "Style", "fit_rows", "number_lines", "range_in_view", "snippet"]

Style = Literal["cat", "colon"]

_AROUND = 3
_LONGEST_STRETCH = 40
_MOST_STRETCHES = 8
MOST_CHARACTERS = 400_000  # of a file that is shown at once, where nobody sets less


def number_lines(bodies: Sequence[str], first: int, style: Style) -> list[str]:
    """The lines, numbered from `first`: as `cat -n` does, or as `12: text`.

    >>> number_lines(["a", ""], 9, "cat"), number_lines(["a", ""], 9, "colon")
    (['     9\\ta', '    10\\t'], ['9: a', '10: '])
    """
    if style == "cat":
        return [f"{line:>6}\t{text}" for line, text in enumerate(bodies, first)]
    return [f"{line}: {text}" for line, text in enumerate(bodies, first)]


def fit_rows(rows: Sequence[str], most: int) -> tuple[list[str], int]:
    """As many whole rows as fit into so many characters, or the beginning of the first; and how many are whole.

    >>> fit_rows(["abc", "de"], 4), fit_rows(["abc"], 2)
    ((['abc'], 1), (['ab'], 0))
    """
    size = -1
    for count, row in enumerate(rows):
        size += len(row) + 1
        if size > most:
            return (list(rows[:count]), count) if count else ([row[:most]], 0)
    return list(rows), len(rows)


def snippet(
    text: str, places: Iterable[tuple[int, int]], style: Style, columns: Mapping[int, int] | None = None
) -> str:
    """The places, each from its first to its last line, with a few lines around; what lies between is left out.

    `columns` says around which character a long row is clipped, both from 0.

    >>> snippet("a\\nb\\nc\\n", [(2, 2)], "colon")
    '1: a\\n2: b\\n3: c'
    """
    bodies = split_bodies(text)
    stretches = _stretches(places, len(bodies))
    at = columns or {}
    shown = [_numbered(bodies, start, end, style, at) for start, end in stretches[:_MOST_STRETCHES]]
    more = len(stretches) - len(shown)
    return "\n…\n".join([*shown, *([f"{more} more places"] if more > 0 else [])])


def range_in_view(view_range: object, count: int) -> tuple[int, int]:
    """First and last line of a `view_range` in a file of `count` lines; an end of -1 or beyond is the file's end.

    >>> range_in_view([2, -1], 5), range_in_view(None, 0)
    ((2, 5), (1, 0))
    """
    match view_range:
        case None:
            return 1, count
        case [int(first), int(last)]:
            pass
        case _:
            hint = "such as [1, 40]; an end of -1 is the file's"
            raise bad_request("view_range", "two line numbers are expected", hint)
    if not 1 <= first <= max(count, 1):
        raise EditError(
            Kind.OUT_OF_BOUNDS,
            f"view_range: the file has {count} line{'' if count == 1 else 's'}, and it does not begin among them",
            hint=f"begin with a line from 1 to {count}" if count else "leave it out: the file is empty",
            details={"line_count": count},
        )
    if last != -1 and last < first:
        raise bad_request("view_range", f"lines {first} to {last} run backwards", f"such as [{first}, -1]")
    return first, count if last == -1 else min(last, count)


def _stretches(places: Iterable[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    """The places with what is shown around them, put together where they meet."""
    stretches: list[tuple[int, int]] = []
    for first, last in sorted(places):
        start, end = max(first - _AROUND, 1), min(last + _AROUND, count)
        if stretches and start <= stretches[-1][1] + 1:
            start, end = stretches[-1][0], max(end, stretches.pop()[1])
        stretches.append((start, end))
    return stretches


def _numbered(bodies: Sequence[str], start: int, end: int, style: Style, columns: Mapping[int, int]) -> str:
    clipped = [clip(bodies[row], columns.get(row, 0)) for row in range(start - 1, end)]
    shown = number_lines(clipped, start, style)
    half = _LONGEST_STRETCH // 2
    if len(shown) > _LONGEST_STRETCH:
        shown[half:-half] = [f"… {len(shown) - 2 * half} lines left out …"]
    return "\n".join(shown)
