"""Readers of dialects that put files in code fences. Which fences are files is known only at the end of a reply."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence

from steadyhand.dialects.dialect import Reader
from steadyhand.dialects.fences import Fence, fences_in
from steadyhand.dialects.piece import Piece
from steadyhand.dialects.reply import Line

__all__ = ["FencedReader"]


class FencedReader(Reader):
    """Gives no piece before the end."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[Line] = []

    def feed(self, line: Line) -> Iterable[Piece]:
        """No piece before the end."""
        self._lines.append(line)
        return ()

    def close(self) -> Iterable[Piece]:
        """The pieces in the fences of the reply."""
        return self.pieces(fences_in(self._lines))

    @abstractmethod
    def pieces(self, fences: Sequence[Fence]) -> list[Piece]:
        """The pieces in these fences, which are all that the reply has."""
