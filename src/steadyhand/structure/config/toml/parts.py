"""What a TOML text is made of, each with its place: names, values, entries, headers, sections.

Values of one source; nothing here reads or writes. What a file has many of is a tuple, which is made faster.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from steadyhand.lazy import dataclass
from steadyhand.text.span import Span

ValueForm = Literal["text", "number", "flag", "date", "array", "inline"]


class Segment(NamedTuple):
    """One name of a key, as it reads; the span has its quotes in it."""

    name: str
    span: Span


Key = tuple[Segment, ...]
Mark = tuple[str, int, int]
"""A segment while a file is read: a plain tuple of atoms costs the garbage collector nothing."""


def key_of(marks: tuple[Mark, ...]) -> Key:
    """The names of a key with their places."""
    return tuple(Segment(name, Span(start, end)) for name, start, end in marks)


class Value(NamedTuple):
    """A value as it is written. `items` are those of an array, `pairs` those of an inline table.

    `has_comma`: a comma stands behind the last of them.
    """

    form: ValueForm
    span: Span
    data: object = None
    items: tuple[Value, ...] = ()
    pairs: tuple[Pair, ...] = ()
    has_comma: bool = False

    @property
    def inner(self) -> tuple[Span, ...]:
        """The places of what stands inside it, in order."""
        return tuple(item.span for item in self.items) or tuple(pair.span for pair in self.pairs)


class Pair(NamedTuple):
    """A key and its value. `home` is the number of its section; None inside inline tables."""

    marks: tuple[Mark, ...]
    value: Value
    home: int | None = None

    @property
    def key(self) -> Key:
        return key_of(self.marks)

    @property
    def span(self) -> Span:
        return Span(self.marks[0][1], self.value.span.end)

    @property
    def name_span(self) -> Span:
        """Where the last of its names stands."""
        return Span(*self.marks[-1][1:])


@dataclass(frozen=True, slots=True)
class Header:
    """`[a.b]` or `[[a.b]]`, brackets included."""

    key: Key
    span: Span
    is_array: bool


@dataclass(frozen=True, slots=True)
class Section:
    """A header and the pairs below it; the first section of a text has no header."""

    header: Header | None
    pairs: tuple[Pair, ...] = ()

    @property
    def span(self) -> Span:
        """From its first to its last character that is neither blank nor comment; only the first can be empty."""
        first = self.header.span if self.header else self.pairs[0].span if self.pairs else Span(0, 0)
        return Span(first.start, self.pairs[-1].value.span.end if self.pairs else first.end)
