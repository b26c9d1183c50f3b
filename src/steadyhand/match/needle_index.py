"""Where many needles are in one text, found in a pass or two instead of one search each.

An n-gram index of the needles, not of the text: a look at the text is a slice of `width` characters, every `stride`
characters. Wherever a needle is, one look falls on one of `stride` neighbouring n-grams of it, so a dictionary of those
turns each look into a question that is almost always answered with no, and only the others are compared in full. Of
each needle the n-grams are taken that seem rarest.

What is found is exactly what searching each needle by itself would find. Needles that are very short or very long, too
few of their length to be worth a pass, or all over the text are not taken in; `holds` says which are.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from steadyhand.text.span import Span

# Needles from one length up to the next share a pass: that length, how wide looks are, and how far apart.
_KINDS = ((2, 2, 1), (4, 4, 1), (7, 6, 2), (16, 10, 7), (40, 20, 21), (160, 32, 64))
_TOO_LONG = 20_000
_FEW = 8
_LOOK = 150  # searches that take as long as to look at every place of the same text
_TRIED = 8  # n-grams of a needle among which the rarest are looked for
_SAMPLES = 16  # parts of the text whose n-grams are counted
_SAMPLE = 512  # characters of each
_BUSY = 50_000  # comparisons for one n-gram after which its needles are given up
_MOST = 4_000_000  # places that are kept in all


class NeedleIndex:
    """The occurrences, overlapping ones too, of a set of needles in one text.

    >>> index = NeedleIndex("x = 1\\nname_7 = 2\\n", [f"name_{number} = " for number in range(100)])
    >>> list(index.places("name_7 = ")), index.holds("name_8 = "), list(index.places("name_8 = "))
    ([6], True, [])
    """

    __slots__ = ("_grams_of", "_kinds", "_places")

    def __init__(self, text: str, needles: Iterable[str]) -> None:
        wanted = sorted(set(needles))
        most = max(_MOST // max(len(wanted), 1), 1)
        self._kinds: list[_Grams] = []
        self._grams_of: dict[str, _Grams] = {}
        self._places: dict[str, array[int]] = {}
        for (shortest, width, stride), (limit, _, _) in pairwise((*_KINDS, (_TOO_LONG + 1, 0, 0))):
            kind = [needle for needle in wanted if shortest <= len(needle) < limit]
            if len(kind) < max(_FEW, _LOOK // stride):
                continue
            grams = _Grams(kind, width, stride, text)
            self._kinds.append(grams)
            self._grams_of.update(dict.fromkeys(kind, grams))
            self._places |= grams.find(text, most)

    def holds(self, needle: str) -> bool:
        """Whether this needle was taken in, so that `places` knows of it."""
        grams = self._grams_of.get(needle)
        return grams is not None and needle not in grams.given_up

    def places(self, needle: str) -> Sequence[int]:
        """Where the needle starts, left to right."""
        return self._places.get(needle, ())

    def touching(self, read: Callable[[int, int], str], span: Span) -> Iterator[str]:
        """The needles that are in another text, which `read` reads, and share characters with a span of it.

        A needle touches an empty span if it goes on at both sides of it.
        """
        for grams in self._kinds:
            start = max(span.start - grams.longest + 1, 0)
            window = read(start, span.end + grams.longest - 1)
            for needle, places in grams.find(window, len(window)).items():
                if any(start + place < span.end and start + place + len(needle) > span.start for place in places):
                    yield needle


class _Grams:
    """N-grams of needles of similar length, each with the needles it is from and its offset in them."""

    __slots__ = ("_owners", "_stride", "_width", "given_up", "longest")

    def __init__(self, needles: Collection[str], width: int, stride: int, text: str) -> None:
        self._width = width
        self._stride = stride
        self._owners: dict[str, list[tuple[str, int]]] = {}
        self.longest = max(map(len, needles))
        self.given_up: set[str] = set()
        often = self._sampled(text)
        for needle in needles:
            often.update(self._tried(needle))
        for needle in needles:
            first = self._rarest(needle, often)
            for offset in range(first, first + stride):  # so many that a look falls on one, wherever the needle is
                self._owners.setdefault(needle[offset : offset + width], []).append((needle, offset))

    def find(self, text: str, most: int) -> dict[str, array[int]]:
        """The needles that are in a text, and where they start; those with more than `most` places are given up."""
        owners, width = self._owners, self._width
        looks = range(0, len(text) - width + 1, self._stride)
        found: dict[str, array[int]] = {}
        work: Counter[str] = Counter()
        for look in [look for look in looks if text[look : look + width] in owners]:
            gram = text[look : look + width]
            group = owners.get(gram, ())
            for needle, offset in group:
                if look >= offset and text.startswith(needle, look - offset):
                    found.setdefault(needle, array("Q")).append(look - offset)
                    if len(found[needle]) > most:
                        self.given_up.add(needle)
            work[gram] += len(group)
            if work[gram] > _BUSY:
                self.given_up.update(needle for needle, _ in owners.pop(gram, ()))
        return {needle: array("Q", sorted(starts)) for needle, starts in found.items() if needle not in self.given_up}

    def _rarest(self, needle: str, often: Counter[str]) -> int:
        """The offset of the first n-gram to take."""
        sums = list(accumulate(map(often.__getitem__, self._tried(needle)), initial=0))
        firsts = range(len(sums) - self._stride)
        return self._start(needle) + min(firsts, key=lambda at: sums[at + self._stride] - sums[at])

    def _tried(self, needle: str) -> list[str]:
        """The n-grams of a needle among which the rarest are looked for."""
        start, width = self._start(needle), self._width
        end = min(start + _TRIED + self._stride - 1, len(needle) - width + 1)
        return [needle[at : at + width] for at in range(start, end)]

    def _start(self, needle: str) -> int:
        """Behind the indentation, which every line has, where the rest of the needle is long enough."""
        return min(len(needle) - len(needle.lstrip()), len(needle) - self._width - self._stride + 1)

    def _sampled(self, text: str) -> Counter[str]:
        """How often n-grams occur in a part of a text."""
        counts: Counter[str] = Counter()
        for start in range(0, len(text), max(len(text) // _SAMPLES, _SAMPLE)):
            counts.update(text[at : at + self._width] for at in range(start, start + _SAMPLE))
        return counts
