"""Where many needles stand in one text, found in one pass instead of one pass each.

The text is looked at every `stride` characters, `width` characters at a time. A needle of at least
`stride + width - 1` characters that stands somewhere covers one of these looks, and that look shows one of the pieces
that start at the needle's first `stride` offsets: so a table of those pieces turns each look into a question for a
dictionary, and only the answers are compared in full.

What is found is exactly what searching each needle by itself would find. Needles that are short, very long, or have a
piece that stands all over the text are not taken in; `holds` says which are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

MIN_LENGTH = 16
MAX_LENGTH = 4_000
_WIDTHS = (8, 32)
_MAX_STRIDE = 64
_BUSY = 100_000


class NeedleIndex:
    """The occurrences, overlapping ones too, of a set of needles in one text.

    >>> index = NeedleIndex("x = compute(1)  # one\\ny = compute(2)  # two\\n", ["y = compute(2)  #"])
    >>> index.places("y = compute(2)  #")
    (22,)
    """

    __slots__ = ("_needles", "_pieces", "_places", "_stride", "_width", "longest")

    def __init__(self, text: str, needles: Iterable[str]) -> None:
        self._needles = {needle for needle in needles if MIN_LENGTH <= len(needle) <= MAX_LENGTH}
        shortest = min(map(len, self._needles), default=MIN_LENGTH)
        self._width = max(min(shortest // 3, _WIDTHS[1]), min(_WIDTHS[0], (shortest + 1) // 2))
        self._stride = min(shortest - self._width + 1, _MAX_STRIDE)
        self._pieces = self._cut()
        looks = self._look(text)
        self._drop_busy(text, looks)
        self.longest = max(map(len, self._needles), default=0)
        self._places = self._compare(text, looks)

    def holds(self, needle: str) -> bool:
        """Whether this needle was taken in, so that `places` knows of it."""
        return needle in self._needles

    def places(self, needle: str) -> tuple[int, ...]:
        """Where the needle starts, left to right."""
        return tuple(self._places.get(needle, ()))

    def scan(self, text: str) -> dict[str, list[int]]:
        """Which of the needles stand in another text, and where."""
        return self._compare(text, self._look(text))

    def _cut(self) -> dict[str, tuple[tuple[int, int], ...]]:
        """From each piece to the offsets it has in needles, each with the length of the needle."""
        pieces: dict[str, tuple[tuple[int, int], ...]] = {}
        width = self._width
        for needle in self._needles:
            size = len(needle)
            for offset in range(self._stride):
                piece, entry = needle[offset : offset + width], (offset, size)
                known = pieces.get(piece, ())
                if entry not in known:
                    pieces[piece] = (*known, entry)
        return pieces

    def _look(self, text: str) -> list[int]:
        """Where a look shows a piece of some needle."""
        pieces, width = self._pieces, self._width
        if not pieces:
            return []
        starts = range(0, len(text) - width + 1, self._stride)
        return [start for start in starts if text[start : start + width] in pieces]

    def _compare(self, text: str, looks: list[int]) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        pieces, width, length = self._pieces, self._width, len(text)
        for look in looks:
            for offset, size in pieces.get(text[look : look + width], ()):
                start = look - offset
                if start >= 0 and start + size <= length:
                    candidate = text[start : start + size]
                    if candidate in self._needles:
                        found.setdefault(candidate, []).append(start)
        for starts in found.values():
            starts.sort()
        return found

    def _drop_busy(self, text: str, looks: list[int]) -> None:
        """Leave out needles with a piece so common that comparing would cost more than searching."""
        width = self._width
        counts = Counter(text[look : look + width] for look in looks)
        busy = {piece for piece, count in counts.items() if count * len(self._pieces[piece]) > _BUSY}
        if busy:
            spared = (needle for needle in self._needles if not self._has_piece(needle, busy))
            self._needles = set(spared)
            self._pieces = self._cut()

    def _has_piece(self, needle: str, pieces: set[str]) -> bool:
        return any(needle[offset : offset + self._width] in pieces for offset in range(self._stride))
