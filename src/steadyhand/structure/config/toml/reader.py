"""The reader of TOML: parts with their places, scalars, and the scan that finds them.

What a TOML text is made of, each with its place: names, values, entries, headers, sections.

Values of one source; nothing here reads or writes. What a file has many of is a tuple, which is made faster.

Scalars of TOML: what they read as. Lenient: the standard library decides what is legal.

From TOML text to its sections, in one pass, with exact places and without recursion.

The scanner is lenient about what names and values may mean: the standard library decides that. It never goes on behind
what it does not understand, and never deeper than `DEEPEST`.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time
from typing import Literal, NamedTuple, NoReturn

from steadyhand.lazy import dataclass, field, lazy_pattern
from steadyhand.text.pace import go_on_at
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
    def header_span(self) -> Span | None:
        return self.header.span if self.header else None

    @property
    def entry_spans(self) -> list[Span]:
        return [pair.span for pair in self.pairs]

    @property
    def span(self) -> Span:
        """From its first to its last character that is neither blank nor comment; only the first can be empty."""
        first = self.header.span if self.header else self.pairs[0].span if self.pairs else Span(0, 0)
        return Span(first.start, self.pairs[-1].value.span.end if self.pairs else first.end)


_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b", '"': '"', "\\": "\\"}
_ESCAPE = lazy_pattern(
    r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|x([0-9A-Fa-f]{2})|([ \t]*\r?\n[ \t\r\n]*)|(.))", re.DOTALL
)
_INTEGER = lazy_pattern(r"[+-]?[0-9][0-9_]*|0x[0-9A-Fa-f_]+|0o[0-7_]+|0b[01_]+", re.ASCII)
_FLOAT = lazy_pattern(r"[+-]?(?:inf|nan|[0-9][0-9_]*(?:\.[0-9_]+)?(?:[eE][+-]?[0-9_]+)?)", re.ASCII)
_FRACTION = lazy_pattern(r"(\.[0-9]{6})[0-9]+", re.ASCII)
_DATE = lazy_pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_TIME = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?"
_LOCAL_TIME = lazy_pattern(_TIME, re.ASCII)
_DATE_TIME = lazy_pattern(rf"{_DATE.pattern}[Tt ]{_TIME}([Zz]|[+-][0-9]{{2}}:[0-9]{{2}})?", re.ASCII)
_LONGEST_NUMBER = 4000

Moment = date | datetime | time


def decode_text(written: str) -> str:
    """What a string with its quotes says; it need not be legal.

    >>> decode_text('"a\\\\tb"'), decode_text("'a\\\\tb'")
    ('a\\tb', 'a\\\\tb')
    """
    if "\\" not in written and "\n" not in written and not written.startswith(('""', "''")):
        return written[1:-1]  # nearly always
    quotes = 3 if written.startswith(('"""', "'''")) and len(written) >= 6 else 1
    inner = written[quotes:-quotes].replace("\r\n", "\n")
    if quotes == 3 and inner.startswith("\n"):
        inner = inner[1:]
    return _ESCAPE.sub(_unescaped, inner) if written[0] == '"' and "\\" in inner else inner


def _unescaped(found: re.Match[str]) -> str:
    *points, line_end, letter = found.groups()
    if line_end is not None:
        return ""
    point = next((one for one in points if one is not None), None)
    if point is not None:
        number = int(point, 16)
        return chr(number) if number < 0x110000 else found.group()
    return _ESCAPES.get(letter, found.group())


def decode_scalar(written: str) -> tuple[Literal["number", "flag", "date"], object] | None:
    """What a value without quotes says; None where it is none."""
    if written in ("true", "false"):
        return "flag", written == "true"
    if len(written) <= _LONGEST_NUMBER:
        bare = written.replace("_", "")
        if _INTEGER.fullmatch(written):
            return "number", int(bare, 0) if bare[1:2] in ("x", "o", "b") else int(bare)
        if _FLOAT.fullmatch(written):
            return "number", float(bare)
    moment = read_moment(written)
    return None if moment is None else ("date", moment)


def read_moment(written: str) -> Moment | None:
    """A date, a time or both, as TOML 1.0 writes them; None for everything else.

    >>> read_moment("1979-05-27 07:32:00"), read_moment("1979-13-01")
    (datetime.datetime(1979, 5, 27, 7, 32), None)
    """
    text = _FRACTION.sub(r"\1", written)
    try:
        if _DATE.fullmatch(text):
            return date.fromisoformat(text)
        if _LOCAL_TIME.fullmatch(text):
            return time.fromisoformat(text)
        if _DATE_TIME.fullmatch(text):
            return datetime.fromisoformat(text.upper())
    except ValueError:
        return None
    return None


def moment_form(written: str) -> tuple[type, bool] | None:
    """What kind of moment it is: its type, and whether it knows its zone."""
    moment = read_moment(written)
    return None if moment is None else (type(moment), isinstance(moment, datetime) and moment.tzinfo is not None)


DEEPEST = 80
_MOST = 100_000  # values that are read, and compared with what the standard library reads, within seconds

_MANY_DOTS = lazy_pattern(rf"^(?:[^.\n]*+\.){{{DEEPEST}}}", re.MULTILINE)
_BLANKS = lazy_pattern(r"[ \t]*")
BETWEEN = lazy_pattern(r"[ \t\r\n]*+(?:#[^\n]*+[ \t\r\n]*+)*+")
LINE_END = lazy_pattern(r"[ \t]*+(?:#[^\n]*+)?+(?:\r?\n|\Z)")
_ONE_LINE = r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"|' + r"'[^'\n]*+'"
_NAME = lazy_pattern(rf"[ \t]*+([A-Za-z0-9_-]++|{_ONE_LINE})[ \t]*+")
_STRING = (
    r'"""[^"\\]*+(?:(?:\\(?s:.)|"{1,2}(?!"))[^"\\]*+)*+"{3,5}' + r"|'''[^']*+(?:'{1,2}(?!')[^']*+)*+'{3,5}|" + _ONE_LINE
)
_PLAIN = r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}[0-9:.]*(?:[Zz]|[+-][0-9]{2}:[0-9]{2})?|[A-Za-z0-9_+.:-]+"
_VALUE = lazy_pattern(rf"[ \t]*+(?:([\[{{])|({_STRING})|({_PLAIN}))", re.ASCII)


class ScanError(Exception):
    """Where the text stops being TOML, and why; `is_depth`: it is only too deep, or too much."""

    def __init__(self, offset: int, message: str, *, is_depth: bool = False) -> None:
        super().__init__(message)
        self.offset, self.message, self.is_depth = offset, message, is_depth


@dataclass(slots=True)
class _Open:
    """A container whose end is not yet seen."""

    start: int
    closer: str
    depth: int
    items: list[Value] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    keys: list[tuple[Mark, ...]] = field(default_factory=list)

    @property
    def inner_depth(self) -> int:
        """How deep the value stands that comes next in it."""
        return self.depth + (len(self.keys[-1]) if self.keys else 1)

    def close(self, end: int, *, has_comma: bool) -> Value:
        form: ValueForm = "array" if self.closer == "]" else "inline"
        return Value(form, Span(self.start, end), None, tuple(self.items), tuple(self.pairs), has_comma)


def may_be_deep(text: str) -> bool:
    """Whether a key may have more than `DEEPEST` parts: a line has as many dots.

    >>> may_be_deep("a.b = 1"), may_be_deep("a" + ".a" * 200 + " = 1")
    (False, True)
    """
    return _MANY_DOTS.search(text) is not None


def scan(text: str) -> tuple[Section, ...]:
    """The sections of a text; the first has no header and may be empty. Raises `ScanError`."""
    scanner = _Scanner(text)
    sections: list[Section] = []
    header: Header | None = None
    pairs: list[Pair] = []
    while scanner.skip_between() < len(text):
        if text[scanner.at] == "[":
            sections.append(Section(header, tuple(pairs)))
            header, pairs = scanner.header(), []
        else:
            pairs.append(scanner.pair(len(header.key) if header else 0, len(sections)))
        scanner.end_line()
    return (*sections, Section(header, tuple(pairs)))


class _Scanner:
    """A place in a text that only goes forward."""

    __slots__ = ("at", "count", "text")

    def __init__(self, text: str) -> None:
        self.text, self.at, self.count = text, 0, 0

    def skip_between(self) -> int:
        """Over blanks, line ends and comments."""
        if found := BETWEEN.match(self.text, self.at):
            self.at = found.end()
        return self.at

    def end_line(self) -> None:
        found = LINE_END.match(self.text, self.at)
        if found is None:
            self.fail("the end of the line is expected")
        self.at = found.end()

    def header(self) -> Header:
        start = self.at
        brackets = 2 if self.text.startswith("[[", start) else 1
        self.at += brackets
        marks = self.key(0)
        self.take("]" * brackets)
        return Header(key_of(marks), Span(start, self.at), brackets == 2)

    def pair(self, depth: int, home: int) -> Pair:
        marks = self.key(depth)
        self.take("=")
        return Pair(marks, self.value(depth + len(marks)), home)

    def key(self, depth: int) -> tuple[Mark, ...]:
        """Names parted by dots, and the blanks behind them."""
        first = self.segment()
        if not self.text.startswith(".", self.at):
            return (first,)
        names = [first]
        while self.text.startswith(".", self.at):
            self.at += 1
            names.append(self.segment())
            self.dive(depth + len(names))
        return tuple(names)

    def segment(self) -> Mark:
        found = _NAME.match(self.text, self.at)
        if found is None:
            self.skip_blanks()
            self.fail("a key is expected")
        self.at = found.end()
        written = found[1]
        return decode_text(written) if written[0] in "\"'" else written, *found.span(1)

    def value(self, depth: int) -> Value:
        """One value with all that is in it; containers that are open are kept on a list."""
        waiting: list[_Open] = []
        while True:
            made = self.begin(waiting, depth)
            while made is not None:
                if not waiting:
                    return made
                made = self.go_on(waiting, made)

    def begin(self, waiting: list[_Open], depth: int) -> Value | None:
        """A scalar or an empty container; None where a container was opened."""
        self.pace()
        found = _VALUE.match(self.text, self.at)
        if found is None:
            self.skip_blanks()
            is_text = self.text[self.at : self.at + 1] in ('"', "'")
            self.fail("the text is not closed" if is_text else "a value is expected")
        if found.lastindex != 1:
            return self.scalar(found)
        self.at = found.start(1)
        here = waiting[-1].inner_depth if waiting else depth
        self.dive(here + 1)
        waiting.append(_Open(self.at, "]" if found[1] == "[" else "}", here))
        self.at += 1
        self.skip_between()
        return self.enter(waiting, has_comma=False)

    def go_on(self, waiting: list[_Open], made: Value) -> Value | None:
        """Put a value into the container it stands in; the container, if it ends here."""
        inside = waiting[-1]
        if inside.closer == "]":
            inside.items.append(made)
        else:
            inside.pairs.append(Pair(inside.keys[-1], made))
        self.skip_between()
        has_comma = self.text.startswith(",", self.at)
        if has_comma:
            self.at += 1
            self.skip_between()
        elif not self.text.startswith(inside.closer, self.at):
            self.fail(f"a comma or {inside.closer} is expected")
        return self.enter(waiting, has_comma=has_comma)

    def enter(self, waiting: list[_Open], *, has_comma: bool) -> Value | None:
        """Where a value or the end of the innermost container stands: the container, if it ends here."""
        inside = waiting[-1]
        if self.text.startswith(inside.closer, self.at):
            self.at += 1
            return waiting.pop().close(self.at, has_comma=has_comma)
        if inside.closer == "}":
            inside.keys.append(self.key(inside.depth))
            self.take("=")
        return None

    def scalar(self, found: re.Match[str]) -> Value:
        group = found.lastindex or 0
        written, place = found[group], Span(*found.span(group))
        self.at = place.end
        if group == 2:
            if len(written) == 2 and self.text.startswith(written[0], self.at):
                self.fail("the text is not closed", place.start)
            return Value("text", place, decode_text(written))
        scalar = decode_scalar(written)
        if scalar is None:
            self.fail("this is not a value", place.start)
        return Value(scalar[0], place, scalar[1])

    def pace(self) -> None:
        self.count += 1
        go_on_at(self.count)
        if self.count > _MOST:
            raise ScanError(self.at, f"it has more than {_MOST} values", is_depth=True)

    def skip_blanks(self) -> None:
        if found := _BLANKS.match(self.text, self.at):
            self.at = found.end()

    def take(self, sign: str) -> None:
        if not self.text.startswith(sign, self.at):
            self.fail(f"{sign} is expected")
        self.at += len(sign)

    def dive(self, depth: int) -> None:
        if depth > DEEPEST:
            raise ScanError(self.at, f"it is nested deeper than {DEEPEST} levels", is_depth=True)

    def fail(self, message: str, at: int | None = None) -> NoReturn:
        raise ScanError(self.at if at is None else at, message)
