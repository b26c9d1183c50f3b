"""The reader of TOML: sections with exact places, and the items they make, whatever the headers and dotted keys.

A section is found by one pattern and its pairs are read when somebody looks inside, so that one edit in a large file
reads a few lines of it. The scanner knows where values are; what they say, and what is legal, is what the standard
library reads, and whatever an edit does is compared with what it reads before and after.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, NoReturn

from steadyhand.lazy import dataclass, field, lazy_pattern, replace
from steadyhand.structure.config.item import KINDS, Item, ItemKind, KeyPath, Reading, Unreadable, too_large, unparsable
from steadyhand.structure.format import Change, Fault, Unchecked, matched_lines
from steadyhand.structure.node import Refusal
from steadyhand.text.cancel import check_cancelled_at, check_each
from steadyhand.text.source import Source
from steadyhand.text.span import Span

# Sections and their pairs.

DEEPEST = 80
_SURELY_FLAT = 30
_MOST = 100_000  # values that are read within seconds

_BLANKS = lazy_pattern(r"[ \t]*")
_BETWEEN = lazy_pattern(r"[ \t\r\n]*+(?:#[^\n]*+[ \t\r\n]*+)*+")
_LINE_END = lazy_pattern(r"[ \t]*+(?:#[^\n]*+)?+(?:\r?\n|\Z)")
_ONE_LINE = r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"|' + r"'[^'\n]*+'"
_WORD = rf"(?:[A-Za-z0-9_-]++|{_ONE_LINE})"
_NAME = lazy_pattern(rf"[ \t]*+({_WORD})[ \t]*+")
_STRING = (
    r'"""[^"\\]*+(?:(?:\\(?s:.)|"{1,2}(?!"))[^"\\]*+)*+"{3,5}' + r"|'''[^']*+(?:'{1,2}(?!')[^']*+)*+'{3,5}|" + _ONE_LINE
)
_PLAIN = r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}[0-9:.]*(?:[Zz]|[+-][0-9]{2}:[0-9]{2})?|[A-Za-z0-9_+.:-]+"
_VALUE = lazy_pattern(rf"[ \t]*+(?:([\[{{])|({_STRING})|({_PLAIN}))", re.ASCII)


def _bracketed(depth: int) -> str:
    """A pattern for arrays and inline tables that are nested no deeper."""
    inner = f"|{_bracketed(depth - 1)}" if depth else ""
    return rf"[\[{{](?:[^\[\]{{}}\"'#]++|#[^\n]*+|{_STRING}{inner})*+[\]}}]"


_DOTTED = rf"{_WORD}[ \t]*+(?:\.[ \t]*+{_WORD}[ \t]*+)*+"
_PAIRS = lazy_pattern(
    rf"(?:[ \t\r\n]++|#[^\n]*+|({_DOTTED}=[ \t]*+(?:{_STRING}|{_PLAIN}|{_bracketed(4)}))[ \t]*+(?=[#\r\n]|\Z))*+"
)
_MANY_DOTS = lazy_pattern(rf"^(?:[^.\n]*+\.){{{_SURELY_FLAT}}}", re.MULTILINE)


class Name(NamedTuple):
    """One name of a key, as it reads; the span has its quotes in it."""

    name: str
    span: Span


class Pair(NamedTuple):
    """A key and its value."""

    key: tuple[Name, ...]
    value: Value

    @property
    def span(self) -> Span:
        return Span(self.key[0].span.start, self.value.span.end)


class Value(NamedTuple):
    """A value as it is written: a scalar, or the values of an array or the pairs of an inline table."""

    form: Literal["scalar", "array", "inline"]
    span: Span
    items: tuple[Value, ...] = ()
    pairs: tuple[Pair, ...] = ()


@dataclass(slots=True)
class Section:
    """A header with its names, and the pairs below it; the first section of a text has no header.

    `body` is where the pairs are, `end` where the last of them ends.
    """

    text: str
    key: tuple[Name, ...]
    header_span: Span | None
    body: Span
    end: int
    known: tuple[Pair, ...] | None = None

    @property
    def pairs(self) -> tuple[Pair, ...]:
        if self.known is None:
            self.known = _Scanner(self.text, self.body.start, self.body.end).pairs(len(self.key))
        return self.known

    @property
    def entry_spans(self) -> list[Span]:
        return [pair.span for pair in self.pairs]

    @property
    def span(self) -> Span:
        """From its first to its last character that is neither blank nor comment; only the first can be empty."""
        if self.header_span is not None:
            return Span(self.header_span.start, max(self.end, self.header_span.end))
        return Span(self.pairs[0].span.start, self.end) if self.pairs else Span(0, 0)


def scan(text: str, *, is_whole: bool = False) -> tuple[Section, ...]:
    """The sections of a text, the first without header. `is_whole` reads every pair of them. Raises `Unreadable`."""
    is_flat = not is_whole and _MANY_DOTS.search(text) is None
    scanner = _Scanner(text)
    sections: list[Section] = []
    key: tuple[Name, ...] = ()
    header: Span | None = None
    while True:
        start = scanner.at
        found = _PAIRS.match(text, start) if is_flat and len(key) < _SURELY_FLAT else None
        end = start if found is None else found.end()
        if found is not None and (end == len(text) or text[end] == "["):
            section = Section(text, key, header, Span(start, end), max(found.end(1), 0))
            scanner.at = end
        else:
            pairs = scanner.pairs(len(key))
            section = Section(text, key, header, Span(start, scanner.at), pairs[-1].span.end if pairs else 0, pairs)
        sections.append(section)
        check_cancelled_at(len(sections))
        if scanner.at == len(text):
            return tuple(sections)
        key, header = scanner.header()


class _Scanner:
    """A place in a text that only goes forward; nesting is bounded by `DEEPEST`."""

    __slots__ = ("at", "count", "end", "text")

    def __init__(self, text: str, at: int = 0, end: int | None = None) -> None:
        self.text, self.at, self.count, self.end = text, at, 0, len(text) if end is None else end

    def pairs(self, depth: int) -> tuple[Pair, ...]:
        """The pairs up to the next header."""
        made: list[Pair] = []
        while self.skip_between() < self.end and self.text[self.at] != "[":
            made.append(self.pair(depth))
            self.end_line()
        return tuple(made)

    def skip_between(self) -> int:
        """Over blanks, line ends and comments."""
        if found := _BETWEEN.match(self.text, self.at):
            self.at = found.end()
        return self.at

    def end_line(self) -> None:
        found = _LINE_END.match(self.text, self.at)
        if found is None:
            self.fail("the end of the line is expected")
        self.at = found.end()

    def header(self) -> tuple[tuple[Name, ...], Span]:
        start = self.at
        brackets = 2 if self.text.startswith("[[", start) else 1
        self.at += brackets
        key = self.key(0)
        self.take("]" * brackets)
        end = self.at
        self.end_line()
        return key, Span(start, end)

    def pair(self, depth: int) -> Pair:
        key = self.key(depth)
        self.take("=")
        return Pair(key, self.value(depth + len(key)))

    def key(self, depth: int) -> tuple[Name, ...]:
        """Names separated by dots, and the blanks behind them."""
        names = [self.name()]
        while self.text.startswith(".", self.at):
            self.at += 1
            names.append(self.name())
            self.dive(depth + len(names))
        return tuple(names)

    def name(self) -> Name:
        found = _NAME.match(self.text, self.at)
        if found is None:
            self.skip_blanks()
            self.fail("a key is expected")
        self.at = found.end()
        written = name = found[1]
        if written[0] in "\"'":
            name = written[1:-1]
        if written[0] == '"' and "\\" in written:
            try:
                name = next(iter(tomllib.loads(f"{written} = 0")))
            except ValueError:
                self.fail("the key has an escape that is not valid in TOML", found.start(1))
        return Name(name, Span(*found.span(1)))

    def value(self, depth: int) -> Value:
        self.count += 1
        check_cancelled_at(self.count)
        if self.count > _MOST:
            raise Unreadable(self.at, f"it has more than {_MOST} values", is_too_large=True)
        found = _VALUE.match(self.text, self.at)
        if found is None:
            self.skip_blanks()
            is_text = self.text[self.at : self.at + 1] in ('"', "'")
            self.fail("the text is not closed" if is_text else "a value is expected")
        if found.lastindex == 1:
            return self.container(found.start(1), depth)
        place = Span(*found.span(found.lastindex or 0))
        self.at = place.end
        if place.of(self.text) in ('""', "''") and self.text.startswith(self.text[place.start], self.at):
            self.fail("the text is not closed", place.start)
        return Value("scalar", place)

    def container(self, start: int, depth: int) -> Value:
        self.dive(depth + 1)
        closer = "]" if self.text[start] == "[" else "}"
        items: list[Value] = []
        pairs: list[Pair] = []
        self.at = start + 1
        self.skip_between()
        while not self.text.startswith(closer, self.at):
            if closer == "]":
                items.append(self.value(depth + 1))
            else:
                pairs.append(self.pair(depth))
            self.skip_between()
            if self.text.startswith(",", self.at):
                self.at += 1
                self.skip_between()
            elif not self.text.startswith(closer, self.at):
                self.fail(f"a comma or {closer} is expected")
        self.at += 1
        return Value("array" if closer == "]" else "inline", Span(start, self.at), tuple(items), tuple(pairs))

    def skip_blanks(self) -> None:
        if found := _BLANKS.match(self.text, self.at):
            self.at = found.end()

    def take(self, sign: str) -> None:
        if not self.text.startswith(sign, self.at):
            self.fail(f"{sign} is expected")
        self.at += len(sign)

    def dive(self, depth: int) -> None:
        if depth > DEEPEST:
            raise Unreadable(self.at, f"it is nested deeper than {DEEPEST} levels", is_too_large=True)

    def fail(self, message: str, at: int | None = None) -> NoReturn:
        raise Unreadable(self.at if at is None else at, message)


# Items.

Form = Literal["root", "table", "implicit", "tables", "element", "dotted", "inline", "array", "scalar"]


class Note(NamedTuple):
    """How an item of TOML is written.

    `home`      the section its pairs are in; None inside inline tables and arrays, and for a table without a header
    `names`     every place its name is written at: headers and dotted keys repeat it
    `sections`  the numbers of the sections that are it or part of it
    `entries`   the pair that it is, or, of a table of dotted keys, the pairs that make it
    """

    form: Form
    home: int | None = None
    names: tuple[Span, ...] = ()
    sections: tuple[int, ...] = ()
    entries: tuple[Span, ...] = ()


def note_of(item: Item) -> Note:
    """How an item of this syntax is written."""
    assert isinstance(item.note, Note)
    return item.note


_AT = lazy_pattern(r"^(.*) \(at line ([0-9]+), column ([0-9]+)\)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Document:
    """A TOML text that was read, and what the standard library reads."""

    sections: tuple[Section, ...]
    reading: Reading
    loaded: Mapping[str, object]


def read_document(source: Source) -> Document | Refusal:
    """The text as items. Refuses with `unparsable` or `too-large`."""
    try:
        sections = scan(source.text)
        if _is_large(source.text):
            scan(source.text, is_whole=True)
        try:
            loaded = tomllib.loads(source.text)
        except ValueError as error:
            scan(source.text, is_whole=True)  # says better where
            found = _AT.match(str(error))
            reason, line, column = found.groups() if found else (str(error), source.line_count, None)
            return unparsable("TOML", reason, int(line), int(column) if column else None)
    except Unreadable as error:
        line = source.line_of(error.at)
        return too_large(error.message, line) if error.is_too_large else unparsable("TOML", error.message, line)
    root = _Table("root", 0, parts=[(0, "", 0)])  # what a table holds is read when somebody looks inside
    for number, section in enumerate(check_each(sections[1:]), start=1):
        _enter(root, section, number)
    top = _item(root, (), Span(0, len(source.text)), sections, loaded)
    return Document(sections, Reading((top,)), loaded)


def is_readable(source: Source) -> bool:
    """Whether the text is TOML; `reread` may know it of a text that nobody has read."""
    return isinstance(source.derive(read_document), Document)


def reread(before: Source, source: Source, item: Item, end: int) -> Item | None:
    """A table that is one section, whose pairs have changed and which ends at `end` now; None: read everything.

    No other section has a key beneath such a table, so its pairs say the same alone, and are right if they are right
    alone. Behind the last of them is what was behind the last one before: the rest reads as it did.
    """
    document, note, text = before.derived(read_document), note_of(item), source.text
    is_section = note.form in ("table", "element") and note.sections == (note.home,)
    if not isinstance(document, Document) or not is_section or note.home is None or _is_large(text):
        return None
    section = document.sections[note.home]
    start, head, stop = item.value.start, section.body.start, section.body.end + end - item.value.end
    if not section.key or before.text[start:head] != text[start:head]:
        return None
    alone = read_document(Source.of_text(text[start:stop]))
    if isinstance(alone, Refusal) or len(alone.sections) != 2 or start + alone.sections[1].span.end != end:
        return None
    data: Any = alone.loaded
    for name in section.key:
        data = data[name.name]
    own = replace(section, text=text, body=Span(head, stop), end=end, known=None)
    table = _Table(note.form, note.home, list(note.names), [note.home], parts=[(head, "", note.home)])
    source.keep(is_readable, True)
    return _item(table, item.path, own.span, {note.home: own}, data[0] if note.form == "element" else data)


def _is_large(text: str) -> bool:
    return text.count("=") + text.count(",") > _MOST


_Sections = Sequence[Section] | Mapping[int, Section]
"""Sections by their numbers."""


@dataclass(slots=True)
class _Table:
    """A table, or an array of tables, while its parts are collected: tables inside it, and sections with its pairs."""

    form: Form
    home: int | None = None
    names: list[Span] = field(default_factory=list)
    sections: list[int] = field(default_factory=list)
    entries: list[Span] = field(default_factory=list)
    tables: dict[str, _Table] = field(default_factory=dict)
    parts: list[tuple[int, str, _Table | Item | int]] = field(default_factory=list)
    elements: list[_Table] = field(default_factory=list)

    def table(self, name: Name, form: Form) -> _Table:
        """The table of that name, made if it is not there; its name is written here once more."""
        made = self.tables.get(name.name)
        if made is None:
            made = self.tables[name.name] = _Table(form)
            self.parts.append((name.span.start, name.name, made))
        made.names.append(name.span)
        return made


def _enter(root: _Table, section: Section, number: int) -> None:
    """The table a header opens, made with all the tables above it."""
    here = root
    for name in section.key[:-1]:
        here = here.table(name, "implicit")
        here.sections.append(number)
        if here.elements:
            here = here.elements[-1]
            here.sections.append(number)
    is_array = section.header_span is not None and section.text.startswith("[[", section.header_span.start)
    last = here.table(section.key[-1], "tables" if is_array else "table")
    last.sections.append(number)
    if is_array:
        last.elements.append(_Table("element", number, sections=[number]))
        last = last.elements[-1]
    else:
        last.form, last.home = "table", number
    last.parts.append((section.body.start, "", number))


def _item(table: _Table, path: KeyPath, place: Span, sections: _Sections, data: Any) -> Item:
    kind: ItemKind = "sequence" if table.form == "tables" else "mapping"
    note = Note(table.form, table.home, tuple(table.names), tuple(table.sections), tuple(table.entries))
    name = table.names[0] if table.names else None
    return Item(path, kind, place, name, place, lambda item: _inside(table, item.path, sections, data), None, note)


def _inside(table: _Table, path: KeyPath, sections: _Sections, data: Any) -> tuple[Item, ...]:
    """The children of a table; `data` is what the standard library reads for it."""
    if table.form == "tables":
        parts = enumerate(table.elements)
        return tuple([_item(one, (*path, at), _place(one, sections), sections, data[at]) for at, one in parts])
    for _, _, part in list(table.parts):
        if isinstance(part, int):
            _put_pairs(table, path, sections[part].pairs, part, data)
    made: dict[str, _Table | Item] = {}
    for _, name, part in check_each(sorted(table.parts, key=lambda part: part[0])):
        if not isinstance(part, int):
            made.setdefault(name, part)
    return tuple(
        [
            _item(part, (*path, name), _place(part, sections), sections, data[name])
            if isinstance(part, _Table)
            else part
            for name, part in made.items()
        ]
    )


def _place(table: _Table, sections: _Sections) -> Span:
    """Where it is: the first run of sections or dotted pairs that make it."""
    if not table.sections:
        start, end = table.entries[0]
        among = () if table.home is None else sections[table.home].entry_spans
        for own, found in zip(table.entries, among[bisect_left(among, table.entries[0]) :], strict=False):
            if own != found:
                break
            end = own.end
        return Span(start, end)
    first = last = table.sections[0]
    for number in table.sections:
        last = number if number == last + 1 else last
    return Span(sections[first].span.start, sections[last].span.end)


def _put_pairs(table: _Table, path: KeyPath, pairs: Iterable[Pair], home: int | None, data: Any) -> None:
    """Pairs as parts of a table; those with dotted keys as parts of the tables that they make."""
    for pair in check_each(pairs):
        here, said = table, data
        for name in pair.key[:-1]:
            here, said = here.table(name, "dotted"), said[name.name]
            if here.form == "implicit":
                here.form = "dotted"
            here.home = home
            here.entries.append(pair.span)
        last = pair.key[-1]
        names = tuple(name.name for name in pair.key)
        item = _written(pair.value, (*path, *names), last.span, pair.span, home, said[last.name])
        here.parts.append((pair.span.start, last.name, item))


def _written(value: Value, path: KeyPath, name: Span | None, entry: Span, home: int | None, data: Any) -> Item:
    """What is written as one value."""
    note = Note(value.form, home, () if name is None else (name,), (), () if name is None else (entry,))
    kind = KINDS.get(data.__class__, "date")
    children: tuple[Item, ...] = ()
    if value.items:
        parts = enumerate(value.items)
        children = tuple([_written(one, (*path, at), None, one.span, None, data[at]) for at, one in parts])
    elif value.pairs:
        table = _Table("inline")
        _put_pairs(table, path, value.pairs, None, data)
        children = _inside(table, path, (), data)
    return Item(path, kind, value.span, name, entry, children, None if value.form != "scalar" else data, note)


# Whether a change leaves a valid text valid, from the changed lines alone: lines that give a key a plain value, or are
# a plain item of an array that spans lines. Where they are is not known: what is accepted is as good in a string that
# spans lines. A key stays what it is: another one might be there already.

_TEXT = r"\"[^\"'\\\x00-\x1f\x7f]+\"|'[^\"'\\\x00-\x1f\x7f]+'"
_SIMPLE = rf"(?:{_TEXT}|[+-]?(?:0|[1-9][0-9]{{0,17}})(?:\.[0-9]{{1,17}})?|true|false)"
_SIMPLE_LIST = rf"\[(?:{_SIMPLE}(?:,[ ]{_SIMPLE})*)?\]"
_LINE = lazy_pattern(rf"[ \t]*(?:([A-Za-z0-9_.-]+[ \t]*=)[ \t]*(?:{_SIMPLE}|{_SIMPLE_LIST})|{_SIMPLE}(,))[ \t]*\r?\n")


def is_neutral(change: Change) -> bool:
    """Whether the text after is valid if the text before is."""
    old, new = matched_lines(_LINE, change.old), matched_lines(_LINE, change.new)
    if not old or not new or not change.new.translate(_LAYOUT).isprintable():
        return False
    if all(line[2] for line in (*old, *new)):
        return True
    return [line[1] for line in old] == [line[1] for line in new]


_LAYOUT = str.maketrans("", "", "\r\n\t")


def fault_of(source: Source) -> Fault | Unchecked | None:
    """The first place where the text is no TOML."""
    from steadyhand.structure.config.syntax import syntax_named

    return None if source.derive(is_readable) else Fault.of(source.derive(syntax_named("toml").read))
