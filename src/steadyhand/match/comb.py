"""Needles cut into pieces, so that a look at few characters of a text says which needles may stand there.

A comb looks at a text every `stride` characters, `width` characters at a time. Wherever a needle stands, one look
falls on one of `stride` neighbouring pieces of it; a table of those pieces turns each look into a question for a
dictionary, and only the answers are compared in full. Which neighbouring pieces are taken is the caller's choice.

What is found is exactly what searching each needle by itself would find. Needles that cost more than that, because
they or their pieces stand all over the text, are given up instead.
"""

from __future__ import annotations

from array import array
from collections.abc import Container, Iterable, Iterator, Mapping

_CROWD = 4
_BUSY = 50_000
_OFFSET_BITS = 20
_OFFSET_MASK = (1 << _OFFSET_BITS) - 1

Owner = int
"""A needle's number and an offset in it, as one number: there are many of these, and numbers are cheap to keep."""


class Comb:
    """The pieces of a set of needles, each with the needles it is from and its offset in them.

    A piece that many needles share is told apart by the characters before it, or behind it at a needle's start.
    """

    __slots__ = (
        "_after",
        "_before",
        "_given_up",
        "_most",
        "_owners",
        "_shared",
        "longest",
        "needles",
        "stride",
        "width",
    )

    def __init__(self, firsts: Mapping[str, int], *, width: int, stride: int, most: int) -> None:
        """`firsts` has for each needle the offset of the first piece to take, `most` is how many places it may have."""
        self.width = width
        self.stride = stride
        self.needles = tuple(firsts)
        self.longest = max(map(len, firsts), default=0)
        self._given_up: set[str] = set()
        self._most = most
        self._owners: dict[str, Owner] = {}
        self._shared: dict[str, list[Owner]] = {}
        self._before: dict[str, list[Owner]] = {}
        self._after: dict[str, list[Owner]] = {}
        self._cut(firsts)
        for piece, group in self._shared.items():
            if len(group) > _CROWD:
                self._shared[piece] = self._spread(group)

    @property
    def pieces(self) -> Container[str]:
        return self._owners

    def has_given_up(self, needle: str) -> bool:
        """Whether this needle is no longer looked for."""
        return needle in self._given_up

    def looks(self, text: str) -> list[int]:
        """Where a look shows one of the pieces."""
        pieces, width = self._owners, self.width
        starts = range(0, len(text) - width + 1, self.stride)
        return [start for start in starts if text[start : start + width] in pieces]

    def compare(self, text: str, looks: Iterable[int]) -> dict[str, array[int]]:
        """The needles that stand where these looks show a piece of them, and where they start."""
        found: dict[str, array[int]] = {}
        needles, owners, shared, width = self.needles, self._owners, self._shared, self.width
        work: dict[int, int] = {}
        for look in looks:
            piece = text[look : look + width]
            for group in self._groups(text, look) if piece in shared else ([owners[piece]],):
                for owner in group:
                    needle, start = needles[owner >> _OFFSET_BITS], look - (owner & _OFFSET_MASK)
                    if start >= 0 and text.startswith(needle, start):
                        starts = found.setdefault(needle, array("Q"))
                        if len(starts) <= self._most:
                            starts.append(start)
                if len(group) > _CROWD:
                    self._charge(group, work)
        self._given_up.update(needle for needle, starts in found.items() if len(starts) > self._most)
        return {needle: starts for needle, starts in found.items() if needle not in self._given_up}

    def _groups(self, text: str, look: int) -> Iterator[list[Owner]]:
        """Everyone whose piece this look at a shared piece may show, in groups."""
        yield self._shared[text[look : look + self.width]]
        if look >= self.width and (group := self._before.get(text[look - self.width : look + self.width])):
            yield group
        if group := self._after.get(text[look : look + 2 * self.width]):
            yield group

    def _charge(self, group: list[Owner], work: dict[int, int]) -> None:
        """Give up the needles of a group that has been compared too often."""
        spent = work[id(group)] = work.get(id(group), 0) + len(group)
        if spent > _BUSY:
            self._given_up.update(self.needles[owner >> _OFFSET_BITS] for owner in group)
            group.clear()

    def _cut(self, firsts: Mapping[str, int]) -> None:
        width, owners, shared = self.width, self._owners, self._shared
        for number, (needle, first) in enumerate(firsts.items()):
            for offset in range(first, first + self.stride):
                piece = needle[offset : offset + width]
                owner = (number << _OFFSET_BITS) + offset
                if piece in owners:
                    shared.setdefault(piece, [owners[piece]]).append(owner)
                else:
                    owners[piece] = owner

    def _spread(self, group: list[Owner]) -> list[Owner]:
        """Put the owners of a common piece where more characters lead to them; those without room stay."""
        width, stay = self.width, []
        for owner in group:
            needle, offset = self.needles[owner >> _OFFSET_BITS], owner & _OFFSET_MASK
            if offset >= width:
                self._before.setdefault(needle[offset - width : offset + width], []).append(owner)
            elif offset + 2 * width <= len(needle):
                self._after.setdefault(needle[offset : offset + 2 * width], []).append(owner)
            else:
                stay.append(owner)
        return stay
