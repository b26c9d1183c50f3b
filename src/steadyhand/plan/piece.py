"""A piece of what is written into a window, and how pieces meet the window's end.

A piece is whole rows. Whether the file ends with a line ending is none of an edit's business unless it says so: the
last row of a window has an ending after the edit if it had one before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steadyhand.lazy import dataclass, replace
from steadyhand.text.lines import body, line_ending
from steadyhand.text.visible import sized

__all__ = ["Piece", "settled"]


@sized("text")
@dataclass(frozen=True, slots=True)
class Piece:
    """Rows `start:end` of the window become `text`."""

    start: int
    end: int
    text: str


def settled(pieces: Sequence[Piece], rows: Sequence[str], newline: str) -> Iterator[Piece]:
    """The pieces that change something; the last row has an ending only if the window's last row has.

    >>> [piece] = settled([Piece(0, 1, "x\\n"), Piece(1, 2, "y\\n")], ["x\\n", "b"], "\\n")
    >>> piece.start, piece.end, piece.text
    (1, 2, 'y')
    """
    is_open = bool(rows) and not line_ending(rows[-1])
    for piece in _without_last_row(pieces, rows) if is_open else pieces:
        text = piece.text
        if is_open and piece.end == len(rows) and text:
            text = body(text)
            if piece.start == len(rows):  # behind a row without ending: that row ends first
                text = (line_ending(piece.text) or newline) + text
        if text != "".join(rows[piece.start : piece.end]):
            yield replace(piece, text=text)


def _without_last_row(pieces: Sequence[Piece], rows: Sequence[str]) -> Sequence[Piece]:
    """The pieces; where the last row goes and had no ending, the row that is then the last has none either."""
    last = pieces[-1] if pieces else None
    if last is None or last.text or last.end < len(rows) or not last.start:
        return pieces
    if len(pieces) > 1 and pieces[-2].end == last.start:
        return [*pieces[:-2], replace(pieces[-2], end=last.end)]
    return [*pieces[:-1], Piece(last.start - 1, last.end, rows[last.start - 1])]
