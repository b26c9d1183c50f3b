"""How tests feed a reply to one reader: in parts, as it might arrive."""

from __future__ import annotations

from collections.abc import Iterable

from steadyhand.dialects.dialect import Reader
from steadyhand.dialects.piece import Piece
from steadyhand.dialects.reply import Splitter
from steadyhand.plan.request import MergeFile


def pieces_of(reader: Reader, parts: Iterable[str]) -> list[Piece]:
    """Everything a reader gives for a reply in parts."""
    splitter = Splitter()
    found: list[Piece] = []
    for part in parts:
        for line in splitter.feed(part):
            found += reader.feed(line)
    for line in splitter.close():
        found += reader.feed(line)
    return [*found, *reader.close()]


def snippets_of(pieces: Iterable[Piece]) -> list[tuple[str, str]]:
    """The files of a reply that are merged, by name and text."""
    found = []
    for piece in pieces:
        assert isinstance(piece.request, MergeFile)
        found.append((piece.request.path, piece.request.snippet))
    return found
