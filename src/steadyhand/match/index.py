"""Where many needles stand in one text, found in a pass or two instead of one pass each.

Long needles are looked for at few places of the text, wide apart; the looks are plain slices. Short needles need looks
so close together that slices would take too long, so there prints of the text say where a look is worth it.

What is found is exactly what searching each needle by itself would find. Needles that are very short or very long, too
few of their kind to be worth a pass, or all over the text are not taken in; `holds` says which are.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from steadyhand.match.comb import Comb
from steadyhand.match.prints import MAX_WIDTH, Prints, Wanted
from steadyhand.text.span import Span

_SHORT = (2, 4, 7)  # lengths from which needles are looked for together, so that the longer ones take wider pieces
_LONG = 39
_VERY_LONG = 160
_MAX_LENGTH = 20_000
_FEW = 8
_MAX_WIDTH = 32
_MAX_STRIDE = 64
_BUSY = 30_000
_MAX_PLACES = 4_000_000


class NeedleIndex:
    """The occurrences, overlapping ones too, of a set of needles in one text.

    >>> index = NeedleIndex("x = 1\\ny = 2\\nz = 3\\n", [f"{name} = " for name in "abcdwxyz"])
    >>> list(index.places("y = ")), list(index.places("a = "))
    ([6], [])
    """

    __slots__ = ("_comb_of", "_combs", "_places")

    def __init__(self, text: str, needles: Iterable[str]) -> None:
        wanted = set(needles)
        self._combs: list[Comb] = []
        self._comb_of: dict[str, Comb] = {}
        self._places: dict[str, array[int]] = {}
        for kind in _kinds(wanted):
            find = _find_long if min(map(len, kind)) >= _LONG else _find_short
            self._take_in(*find(text, kind, max(_MAX_PLACES // len(wanted), 1)))

    def holds(self, needle: str) -> bool:
        """Whether this needle was taken in, so that `places` knows of it."""
        comb = self._comb_of.get(needle)
        return comb is not None and not comb.has_given_up(needle)

    def places(self, needle: str) -> Sequence[int]:
        """Where the needle starts, left to right."""
        return self._places.get(needle, ())

    def touching(self, read: Callable[[int, int], str], span: Span) -> Iterator[str]:
        """The needles that stand in another text, which `read` reads, and share characters with a span of it.

        A needle touches an empty span if it goes on at both sides of it.
        """
        for comb in self._combs:
            start = max(span.start - comb.longest + 1, 0)
            window = read(start, span.end + comb.longest - 1)
            looks = comb.looks(window)
            for needle, places in comb.compare(window, looks).items() if looks else ():
                if any(start + place < span.end and start + place + len(needle) > span.start for place in places):
                    yield needle

    def _take_in(self, comb: Comb, places: dict[str, array[int]]) -> None:
        self._combs.append(comb)
        self._comb_of.update((needle, comb) for needle in comb.needles)
        self._places.update((needle, array("Q", sorted(starts))) for needle, starts in places.items())


def _kinds(needles: Collection[str]) -> Iterator[list[str]]:
    """The needles in groups, each for one pass; long ones join those of middle length if there is a pass for these."""
    middle = sum(_SHORT[-1] <= len(needle) < _LONG for needle in needles)
    limits = (*_SHORT, _VERY_LONG if middle >= _FEW else _LONG, _MAX_LENGTH + 1)
    for least, limit in pairwise(limits):
        kind = [needle for needle in needles if least <= len(needle) < limit]
        if len(kind) >= _FEW:
            yield kind


def _find_long(text: str, kind: list[str], most: int) -> tuple[Comb, dict[str, array[int]]]:
    """Looks that are plain slices; indentation, which every line has, is left out of the pieces where it can be."""
    shortest = min(map(len, kind))
    width = min(shortest // 2, _MAX_WIDTH)
    stride = min(shortest - width + 1, _MAX_STRIDE)
    room = stride + width - 1
    firsts = {needle: min(len(needle) - len(needle.lstrip()), len(needle) - room) for needle in kind}
    comb = Comb(firsts, width=width, stride=stride, most=most)
    return comb, comb.compare(text, comb.looks(text))


def _find_short(text: str, kind: list[str], most: int) -> tuple[Comb, dict[str, array[int]]]:
    """Looks where the print of a piece stands; of each needle those pieces are taken that seem to be rarest."""
    shortest = min(map(len, kind))
    stride = 2 if shortest > MAX_WIDTH else 1
    prints = Prints(min(shortest, MAX_WIDTH))
    room = prints.width + stride - 1
    ahead = 2 if shortest >= room + 2 else 0
    codes = prints.of("".join(kind))
    often = prints.sample(text)
    weights = [often.get(code, 0) for code in codes]
    if stride == 2:
        weights = list(map(sum, pairwise(weights)))
    limit = _BUSY * often.total() * stride // max(len(text), 1)
    firsts: dict[str, int] = {}
    wanted = Wanted(set(), set())
    start = 0
    for needle in kind:
        best = min(range(start, start + len(needle) - room - ahead + 1), key=weights.__getitem__)
        if weights[best] <= limit:
            firsts[needle] = best - start
            wanted.here.update(codes[best : best + stride])
            wanted.ahead.update(codes[best + 2 : best + 2 + stride] if ahead else ())
        start += len(needle)
    comb = Comb(firsts, width=prints.width, stride=stride, most=most)
    return comb, comb.compare(text, prints.looks(text, wanted, comb.pieces, stride=stride))
