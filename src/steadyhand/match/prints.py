"""Prints of a text: a 16-bit number for the few characters that start at every second place.

Pure Python cannot look at each place of a long text in reasonable time, but it can add up and shift numbers of any
length: a stretch of text is read as one number in lanes of 16 bits, all lanes are mixed with their neighbours at once,
and the result is read as a string in which a regular expression looks for many prints in one go.

Equal characters have equal prints; the reverse does not hold, so whoever finds a print compares the text.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections import Counter
from collections.abc import Container, Iterable, Iterator

from steadyhand.lazy import dataclass

MAX_WIDTH = 6
_STRETCH = 1 << 16
_SCRAMBLED = bytes(sorted(range(256), key=[pow(3, 1_000 + code, 65_537) for code in range(256)].__getitem__))
_SAMPLES = 64
_SAMPLE = 4_096

# how far later characters are shifted onto the first two, and which of their bits count: as many as there is room for
_MIXED = {
    2: (),
    3: ((11, 0x1FE0),),
    4: ((11, 0xFFE0),),
    5: ((11, 0xFFE0), (24, 0xFF00)),
    6: ((11, 0xFFE0), (37, 0x07FF)),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Prints to look for: one of `here`, and where `ahead` has any, one of those two characters further on."""

    here: set[int]
    ahead: set[int]


class Prints:
    """Prints of `width` characters each, 2 to 6. None is a surrogate, so that each is one character of a string."""

    __slots__ = ("_bit", "_lanes", "_terms", "width")

    def __init__(self, width: int) -> None:
        self.width = width
        self._lanes = 0
        self._fit(_STRETCH // 2 + MAX_WIDTH)

    def of(self, text: str) -> array[int]:
        """The print at every place; those of the last `width - 1` places mean nothing."""
        data = _low_bytes(text)
        found = array("H", bytes(2 * len(text)))
        for shift in (0, 1):
            prints = _codes(self._even(data[shift:]))
            found[shift::2] = prints[: len(found[shift::2])]
        return found

    def sample(self, text: str) -> Counter[int]:
        """How often prints stand in a small part of the text."""
        step = max(len(text) // _SAMPLES, _SAMPLE)
        counts: Counter[int] = Counter()
        for start in range(0, len(text), step):
            counts.update(_codes(self._even(_low_bytes(text[start : start + _SAMPLE]))))
        return counts

    def looks(self, text: str, wanted: Wanted, pieces: Container[str], *, stride: int) -> Iterator[int]:
        """Where one of the pieces stands, given their prints: at every second place, or at each with a stride of 1."""
        if not wanted.here:
            return
        pattern = re.compile(_any_of(wanted.here) + (f"(?={_any_of(wanted.ahead)})" if wanted.ahead else ""))
        width = self.width
        for start in range(0, len(text), _STRETCH):
            data = _low_bytes(text[start : start + _STRETCH + MAX_WIDTH + 3])
            for shift in range(0, 2, stride):
                prints = self._even(data[shift:]).decode("utf-16-le")
                first = start + shift
                for found in pattern.finditer(prints):
                    look = first + 2 * found.start()
                    if text[look : look + width] in pieces and look < start + _STRETCH:
                        yield look

    def _even(self, data: bytes) -> bytes:
        """The prints at even places, two bytes each."""
        size = len(data) + len(data) % 2
        self._fit(size // 2)
        plain = mixed = int.from_bytes(data.translate(_SCRAMBLED), "little")
        for shift, mask in self._terms:
            mixed ^= (plain >> shift) & mask
        mixed ^= mixed & (mixed >> 1) & self._bit
        return mixed.to_bytes(size, "little")

    def _fit(self, lanes: int) -> None:
        """Have masks for so many lanes."""
        if lanes > self._lanes:
            self._lanes = lanes
            self._bit = _in_each_lane(0x4000, lanes)
            self._terms = [(shift, _in_each_lane(mask, lanes)) for shift, mask in _MIXED[self.width]]


def _codes(prints: bytes) -> array[int]:
    codes = array("H", prints)
    if sys.byteorder == "big":
        codes.byteswap()
    return codes


def _any_of(codes: Iterable[int]) -> str:
    """A pattern for one character that is one of these prints."""
    return "[" + "".join(map(r"\u{:04x}".format, sorted(codes))) + "]"


def _in_each_lane(value: int, lanes: int) -> int:
    return int.from_bytes(value.to_bytes(2, "little") * lanes, "little")


def _low_bytes(text: str) -> bytes:
    """One byte for each character: all of it in western texts, the lower part of it in others."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-32-le", "surrogatepass")[::4]
