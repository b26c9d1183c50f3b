"""A large text file held as bytes, of which only the requested parts are decoded.

A string takes four bytes for each of its characters if one of them lies outside the BMP: a file of 50 MB with one emoji
in it takes 200 MB. An exact edit looks at some lines and copies the others, which bytes do as well. Offsets are code
points here, too: how many there are before each stretch of the bytes is counted once, when the bytes are checked.

`text` works as for any source; once it was asked for, it is kept beside the bytes.
"""

from __future__ import annotations

import codecs
from array import array
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate
from typing import ClassVar, Final

from steadyhand.text.cancel import check_each
from steadyhand.text.changeset import ChangeSet, not_there
from steadyhand.text.diff import changes_between, shared_ends
from steadyhand.text.encoding import Encoding
from steadyhand.text.lines import Characters, LineTable, NewlineFacts
from steadyhand.text.source import Source
from steadyhand.text.span import Span

__all__ = ["LargeSource"]

_STRETCH: Final = 1 << 16  # bytes whose code points are counted together
_PLAIN: Final = Encoding()


class LargeSource(Source):
    """A source in UTF-8 that is known by its bytes."""

    is_large: ClassVar[bool] = True

    def __init__(self, parts: _Parts, encoding: Encoding, path: str | None, digest: str | None) -> None:
        self.__dict__.update(encoding=encoding, path=path, _digest=digest, _data=parts.data, _parts=parts)

    @classmethod
    def of(
        cls, data: bytes, encoding: Encoding = _PLAIN, path: str | None = None, digest: str | None = None
    ) -> LargeSource | None:
        """The source of bytes that are UTF-8 from the first to the last; None where they are not.

        >>> source = LargeSource.of("a🙂b".encode())
        >>> source.length, source.read(1, 3)
        (3, '🙂b')
        """
        if encoding.name != "utf-8" or encoding.errors != "strict" or not data.startswith(encoding.mark):
            return None
        decoder = codecs.getincrementaldecoder("utf-8")()
        counts = array("Q")
        try:
            for start in check_each(range(len(encoding.mark), len(data), _STRETCH)):
                end = start + _STRETCH
                counts.append(len(decoder.decode(data[start:end], final=end >= len(data))))
        except UnicodeDecodeError:
            return None
        marks = array("Q", accumulate(counts, initial=0))
        return cls(_Parts(data, len(encoding.mark), marks), encoding, path, digest)

    @cached_property
    def text(self) -> str:
        return self.encoding.decode(self.data)

    @property
    def _parts(self) -> _Parts:
        parts: _Parts = self.__dict__["_parts"]
        return parts

    @property
    def data(self) -> bytes:
        """All bytes of the file, its mark included."""
        return self._parts.data

    def to_bytes(self) -> bytes:
        return self.data

    def settle(self) -> Source:
        """The same source with its digest computed; its bytes are all there is of it."""
        return LargeSource(self._parts, self.encoding, self.path, self.digest)

    @property
    def length(self) -> int:
        return len(self._parts)

    @property
    def characters(self) -> Characters:
        return self._parts

    def read(self, start: int, end: int) -> str:
        return self._parts[max(start, 0) : max(end, 0)]

    def byte_of(self, offset: int) -> int:
        """Where a code point begins in `data`."""
        return self._parts.byte_of(offset)

    def offset_of(self, byte: int) -> int:
        """How many code points are before a place of `data` at which one begins, or which is its end."""
        return self._parts.offset_of(byte)

    def near(self, span: Span, lines: int) -> tuple[Source, int]:
        data, mark = self.data, len(self.encoding.mark)
        start, end = self.byte_of(span.start), self.byte_of(span.end)
        for _ in range(lines + 1):
            start = data.rfind(b"\n", mark, max(start - 1, mark)) + 1 or mark
            end = data.find(b"\n", end) + 1 or len(data)
        return Source(data[start:end].decode(), self.encoding, self.path), self.offset_of(start)

    def feeds_before(self, offset: int) -> int:
        return self._parts.count("\n", 0, offset)

    @cached_property
    def newlines(self) -> NewlineFacts:
        crlf = self.data.count(b"\r\n")
        return NewlineFacts(self.data.count(b"\n") - crlf, crlf, self.data.count(b"\r") - crlf)

    @cached_property
    def table(self) -> LineTable:
        return LineTable(self.characters, _STRETCH)

    @cached_property
    def line_count(self) -> int:
        return self.line_of(self.length) if self.length else 0

    def lines_before(self, byte: int) -> int:
        """How many lines have ended before a place of `data`; one whose CR and LF it is between has not."""
        data = self.data
        stop = byte - 1 if byte and data[byte - 1 : byte + 1] == b"\r\n" else byte
        returns = data.count(b"\r", 0, stop)
        return data.count(b"\n", 0, stop) + (returns - data.count(b"\r\n", 0, stop) if returns else 0)

    def line_of(self, offset: int) -> int:
        if "table" in self.__dict__:
            return self.table.row_at(offset) + 1
        before = self.lines_before(self.byte_of(offset))
        is_past_last = offset >= self.length and self.data.endswith((b"\n", b"\r"))
        return before if is_past_last else before + 1

    def lines_of(self, span: Span) -> tuple[int, int]:
        first = self.line_of(span.start)
        return first, first if span.is_empty else max(self.lines_before(self.byte_of(span.end - 1)) + 1, first)

    def changed_to(self, text: str) -> tuple[Source, ChangeSet]:
        """The version with another text, and the changes of whole lines that lead to it.

        Only the lines between the first and the last that differ are compared as text.
        """
        data = self.encoding.encode(text)
        after = LargeSource.of(data, self.encoding, self.path)
        if after is None:
            return super().changed_to(text)
        mark = len(self.encoding.mark)
        head, tail = shared_ends(self.data, data) if data != self.data else (len(data), 0)
        head = max(head, mark)
        old, new = (each[head : max(len(each) - tail, head)].decode() for each in (self.data, data))
        start = self.offset_of(head)
        return after, ChangeSet(tuple(splice.shift(start) for splice in changes_between(old, new).splices))

    def apply(self, changes: ChangeSet) -> Source:
        self.check_base(changes)
        data = memoryview(self.data)  # its parts are no copies
        pieces: list[bytes | memoryview] = []
        at = 0
        for splice in changes.splices:
            if self.read(splice.start, splice.end) != splice.old:
                raise not_there(splice)
            pieces += [data[at : self.byte_of(splice.start)], _PLAIN.encode(splice.new)]
            at = self.byte_of(splice.end)
        pieces.append(data[at:])
        after = LargeSource.of(b"".join(pieces), self.encoding, self.path)
        assert after is not None
        return after


class _Parts:
    """The text of some bytes, by parts: what holds a source's lines holds this, and not the source that holds them."""

    __slots__ = ("_first", "_marks", "data")

    def __init__(self, data: bytes, first: int, marks: array[int]) -> None:
        """The text begins at `first`; `marks[i]` is how many code points end before its i-th stretch begins."""
        self.data = data
        self._first = first
        self._marks = marks

    def __len__(self) -> int:
        return self._marks[-1]

    def __getitem__(self, part: slice) -> str:
        start, end, _ = part.indices(len(self))
        return self.data[self.byte_of(start) : self.byte_of(max(start, end))].decode()

    def count(self, what: str, start: int, end: int) -> int:
        return self.data.count(what.encode(), self.byte_of(start), self.byte_of(end))

    def __contains__(self, what: str) -> bool:
        return what.encode("utf-8", "surrogatepass") in self.data

    def endswith(self, ends: tuple[str, ...]) -> bool:
        return self.data.endswith(tuple(end.encode() for end in ends))

    def byte_of(self, offset: int) -> int:
        stretch = min(bisect_right(self._marks, offset), len(self._marks) - 1) - 1
        if stretch < 0:
            return self._first
        start = self._start(stretch)
        text = self.data[start : self._first + (stretch + 1) * _STRETCH].decode("utf-8", "ignore")
        return start + len(text[: offset - self._marks[stretch]].encode())

    def offset_of(self, byte: int) -> int:
        stretch = min((byte - self._first) // _STRETCH, len(self._marks) - 1)
        start = self._start(stretch)
        return self._marks[stretch] + len(self.data[start:byte].decode())

    def _start(self, stretch: int) -> int:
        """Where the first code point begins that ends in a stretch."""
        at = min(self._first + stretch * _STRETCH, len(self.data))
        while at < len(self.data) and self.data[at] & 0xC0 == 0x80:
            at -= 1
        return at
