"""A file as text: characters, how they were encoded, where lines are, and the digest of the bytes.

Knows no path it could read from; bytes come in, bytes go out.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, wraps
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar, cast

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import LazyModule, dataclass, field
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.encoding import Encoding, decode, first_guess
from steadyhand.text.lines import Characters, LineTable, NewlineFacts, count_lines, split_bodies
from steadyhand.text.span import Span
from steadyhand.text.visible import sized

if TYPE_CHECKING:
    import hashlib
else:
    hashlib = LazyModule("hashlib")

__all__ = ["LARGE", "Source", "digest_of", "once"]

LARGE: Final = 8_000_000  # bytes from which a file in UTF-8 is not held as text

_OF_TEXT = Encoding("utf-8", errors="surrogatepass", chosen_by="text")

_START = (0, 1)  # the first offset, and its line

Derived = TypeVar("Derived")


def digest_of(data: bytes) -> str:
    """The SHA-256 of a file's bytes, in hex: how every version of a file is named."""
    return hashlib.sha256(data).hexdigest()


def once(make: Callable[[Source], Derived]) -> Callable[[Source], Derived]:
    """The same function, which makes something of a source once and keeps it as long as the source."""

    @wraps(make)
    def known(source: Source) -> Derived:
        return source.derive(make)

    return known


@sized("text")
@dataclass(frozen=True)
class Source:
    """One version of a file. Text is never newline-normalised.

    >>> source = Source.of_bytes(b"\\xef\\xbb\\xbfone\\r\\ntwo")
    >>> source.text, source.line_count, source.newlines.uniform
    ('one\\r\\ntwo', 2, '\\r\\n')
    """

    is_large: ClassVar[bool] = False  # whether the text is better not asked for as a whole: it is not held

    text: str
    encoding: Encoding = Encoding()
    path: str | None = None
    _digest: str | None = field(default=None, repr=False, compare=False)
    _data: bytes | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of_bytes(cls, data: bytes, *, encoding: str | None = None, path: str | None = None) -> Source:
        """Decode; the bytes are kept only until their digest is known, those of a large file for good."""
        if len(data) >= LARGE and encoding is None:
            from steadyhand.text.large import LargeSource

            first = first_guess(data)
            if first is not None and (large := LargeSource.of(data, first, path)) is not None:
                return large
        text, found = decode(data, encoding)
        return cls(text, found, path, None, data)

    @classmethod
    def in_encoding(cls, data: bytes, encoding: Encoding, path: str | None = None, digest: str | None = None) -> Source:
        """Decode in an encoding that is known, as the digest may be. Raises `UnicodeError` for bytes not in it."""
        if len(data) >= LARGE:
            from steadyhand.text.large import LargeSource

            if (large := LargeSource.of(data, encoding, path, digest)) is not None:
                return large
        return cls(encoding.decode(data), encoding, path, digest)

    @classmethod
    def of_text(cls, text: str, *, path: str | None = None) -> Source:
        """A text that has no bytes yet: UTF-8, with any lone surrogates it has."""
        return cls(text, _OF_TEXT, path)

    def to_bytes(self) -> bytes:
        """The bytes that the file has, or would have."""
        return self.encoding.encode(self.text)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the bytes, hex."""
        if self._digest is not None:
            return self._digest
        return digest_of(self._data if self._data is not None else self.to_bytes())

    def settle(self) -> Source:
        """The same source with its digest computed and the raw bytes let go."""
        return Source(self.text, self.encoding, self.path, self.digest)

    @cached_property
    def size(self) -> int:
        """Length in bytes."""
        return len(self._data) if self._data is not None else len(self.to_bytes())

    @property
    def length(self) -> int:
        """How many code points the text has."""
        return len(self.text)

    def read(self, start: int, end: int) -> str:
        """The text from one offset to another."""
        return self.text[max(start, 0) : max(end, 0)]

    def near(self, span: Span, lines: int) -> tuple[Source, int]:  # noqa: ARG002  # of a text that is held, all is near
        """The lines of a span with so many on each side, or more of the text; and the offset at which they start."""
        return self, 0

    @property
    def characters(self) -> Characters:
        """The text for whoever looks at parts of it."""
        return self.text

    def feeds_before(self, offset: int) -> int:
        """How many LF there are before an offset: the lines of a diff, which end nowhere else."""
        return self.text.count("\n", 0, offset)

    def derive(self, make: Callable[[Source], Derived]) -> Derived:
        """What `make`, a function of a module, makes of this source: made once, kept as long as the source.

        >>> source = Source.of_text("a b")
        >>> source.derive(Source.to_bytes) is source.derive(Source.to_bytes)
        True
        """
        if make not in self._derived:
            self._derived[make] = make(self)
        return cast("Derived", self._derived[make])

    def derived(self, make: Callable[[Source], Derived]) -> Derived | None:
        """What `make` has made of this source, or None where nobody has asked for it yet."""
        return cast("Derived | None", self._derived.get(make))

    def keep(self, make: Callable[[Source], Derived], made: Derived) -> None:
        """Keep what `make` would make of this source, for whoever knows it without reading the text."""
        self._derived[make] = made

    @cached_property
    def _derived(self) -> dict[object, object]:
        return {}

    @cached_property
    def table(self) -> LineTable:
        return LineTable(self.text)

    @cached_property
    def newlines(self) -> NewlineFacts:
        return NewlineFacts.of(self.text)

    @cached_property
    def line_count(self) -> int:
        return self.line_of(len(self.text)) if self.text else 0

    @property
    def lines(self) -> list[str]:
        """Every line without its ending."""
        return split_bodies(self.text)

    @property
    def is_binary(self) -> bool:
        """Bytes that are no text in any encoding that could be found, with NULs among them."""
        return self.encoding.errors == "surrogateescape" and "\0" in self.text

    def line_of(self, offset: int) -> int:
        """The 1-based line an offset lies in: looked up in the table where there is one, else counted.

        It is counted from the start of the text or from the place that was asked for last, whichever is nearer.
        """
        if "table" in self.__dict__:
            return self.table.row_at(offset) + 1
        known: tuple[int, int] = self.__dict__.get("_counted", _START)
        place, line = known
        if place <= offset:
            line += count_lines(self.text, offset, place)
        elif offset > place - offset:
            line -= count_lines(self.text, place, offset)
        else:
            line = 1 + count_lines(self.text, offset)
        self.__dict__["_counted"] = offset, line
        is_past_last = offset >= len(self.text) and self.text.endswith(("\n", "\r"))
        return line - 1 if is_past_last else line  # a final newline opens no other line

    def lines_of(self, span: Span) -> tuple[int, int]:
        """The 1-based first and last line of a span."""
        start, end = span
        first = self.line_of(start)
        return first, first + count_lines(self.text, end - 1, start) if start < end else first

    def lines_after(self, lines: tuple[int, int], changes: ChangeSet, after: Source) -> tuple[int, int]:
        """Lines of this version, both 1-based and included, as they are numbered in the version after `changes`.

        Lines that are gone are the line at that place.

        >>> from steadyhand.text.splice import Splice
        >>> one, two = Source.of_text("a\\nb\\n"), Source.of_text("x\\na\\nb\\n")
        >>> one.lines_after((2, 2), ChangeSet((Splice(0, "", "x\\n"),)), two)
        (3, 3)
        """
        first, last = (max(min(line, self.table.count), 1) - 1 for line in lines)
        end = self.table.start(last) + len(self.table.text(last)) if self.table.count else 0
        start = changes.map_position(self.table.start(first))
        rows = [after.table.row_at(offset) for offset in (start, max(start, changes.map_position(end, assoc=-1)))]
        return rows[0] + 1, rows[1] + 1

    def newline_at(self, offset: int) -> str:
        """The line ending of the neighbourhood: of the line at `offset`, else the one before, else the usual one."""
        if offset and self.text[offset - 1 : offset + 1] == "\r\n":
            offset -= 1  # between CR and LF is inside the ending
        found = _ending_from(self.text, offset)
        if found is not None:
            return found
        before = max(self.text.rfind("\n", 0, offset), self.text.rfind("\r", 0, offset))
        if before >= 0:
            found = _ending_from(self.text, before - 1 if self.text[before - 1 : before + 1] == "\r\n" else before)
        return found or "\n"

    def changed_to(self, text: str) -> tuple[Source, ChangeSet]:
        """The version with another text, and the changes of whole lines that lead to it."""
        from steadyhand.text.diff import changes_between

        return Source(text, self.encoding, self.path), changes_between(self.text, text)

    def apply(self, changes: ChangeSet) -> Source:
        """The version after. Refuses with `stale-source` or `unencodable`; the encoding stays."""
        if changes.base is not None:
            self.check_base(changes)
        return Source(changes.apply(self.text), self.encoding, self.path)

    def check_base(self, changes: ChangeSet) -> None:
        """Refuse changes that say they were made for another version."""
        if changes.base is not None and changes.base != self.digest:
            from steadyhand.hints import Reread

            raise EditError(
                Kind.STALE_SOURCE,
                f"the change was made for version {changes.base[:16]}, this is {self.digest[:16]}",
                hint=Reread(),
                details={"expected": changes.base, "actual": self.digest},
            )

    @cached_property
    def reads_back(self) -> bool:
        """Whether decoding the bytes with the same encoding gives this text again.

        A splice can join two escaped bytes to one valid character; such a version is kept as a whole image.
        """
        if self.encoding.errors == "strict" and self.encoding.name in ("utf-8", "utf-16-le", "utf-16-be"):
            return True
        return self.encoding.decode(self.to_bytes()) == self.text


def _ending_from(text: str, offset: int) -> str | None:
    """The first line ending at or after `offset`."""
    lf = text.find("\n", offset)
    cr = text.find("\r", offset, lf if lf >= 0 else len(text))
    if cr >= 0:
        return "\r\n" if cr + 1 == lf else "\r"
    return "\n" if lf >= 0 else None
