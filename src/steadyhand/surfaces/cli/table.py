"""A table for people: a head, and rows whose columns are under each other; numbers end alike, names begin alike."""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.surfaces.terminal import Line, Piece, cells, fit, pad, visible_line

_GAP = 2
_SHORTEST = 8  # columns of a name


def table_lines(head: Sequence[str], rows: Sequence[Sequence[str]], *, names: int, width: int) -> list[Line]:
    """The lines of a table. The first `names` columns hold names, which are cut where the table is too wide.

    A column without a value is left out. What is too wide even so loses its last columns: the first ones are those to
    be compared.
    """
    filled = [column for column in range(len(head)) if column < names or any(row[column] for row in rows)]
    shown = [[visible_line(row[column]) for column in filled] for row in (head, *rows)]
    widths = [max(cells(row[column]) for row in shown) for column in range(len(filled))]
    for _ in range(sum(widths) + _GAP * (len(widths) - 1) - width):
        widest = max(range(names), key=lambda column: widths[column])
        if widths[widest] <= _SHORTEST:
            break
        widths[widest] -= 1
    kept = len(widths)
    while kept > names + 1 and sum(widths[:kept]) + _GAP * (kept - 1) > width:
        kept -= 1
    lines: list[Line] = []
    for number, row in enumerate(shown):
        parts = []
        for column in range(kept):
            text = fit(row[column], widths[column])
            parts.append(pad(text, widths[column]) if column < names else " " * (widths[column] - cells(text)) + text)
        lines.append((Piece((" " * _GAP).join(parts).rstrip(), "heading" if number == 0 else "plain"),))
    return lines
