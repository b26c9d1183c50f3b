"""From sections to items: which names make one table, whatever the headers and dotted keys it is written with.

Every reading is verified: the standard library must load the text, and the items must say the same. So a mistake of the
scanner can end in a refusal, never in an edit.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from typing import Literal, NamedTuple

from steadyhand.errors import Kind
from steadyhand.hints import ByText
from steadyhand.lazy import dataclass, field, lazy_pattern
from steadyhand.structure.config.item import Item, KeyPath, Reading, same_data
from steadyhand.structure.config.toml.reader import Header, Pair, ScanError, Section, Segment, Value, scan
from steadyhand.structure.node import Refusal
from steadyhand.text.pace import paced
from steadyhand.text.source import Source
from steadyhand.text.span import Span

Form = Literal["root", "table", "implicit", "tables", "element", "dotted", "inline", "array", "scalar"]

_AT = lazy_pattern(r"^(.*) \(at line ([0-9]+), column ([0-9]+)\)$", re.DOTALL)


class Spread(NamedTuple):
    """How an item is written that has no value of its own.

    `names`     every place its name is written at: headers and dotted keys repeat it
    `sections`  the numbers of the sections that are it or part of it
    `pairs`     of a table of dotted keys, the pairs that make it
    """

    names: tuple[Span, ...]
    sections: tuple[int, ...]
    pairs: tuple[Pair, ...]


class Note(NamedTuple):
    """How an item of TOML is written.

    `home`    the section its own pairs stand in, or its pair; None inside inline tables and arrays
    `value`   what is written, unless it is written in sections or dotted keys
    `pair`    the pair that it is; None for items of arrays
    `spread`  the headers and dotted keys it is written with, where it has no value
    """

    form: Form
    home: int | None = None
    value: Value | None = None
    pair: Pair | None = None
    spread: Spread | None = None

    @property
    def names(self) -> tuple[Span, ...]:
        """Every place its name is written at."""
        if self.spread is not None:
            return self.spread.names
        return (self.pair.name_span,) if self.pair is not None else ()

    @property
    def sections(self) -> tuple[int, ...]:
        """The numbers of the sections that are it or part of it."""
        return self.spread.sections if self.spread is not None else ()

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The pair that it is, or, of a table of dotted keys, the pairs that make it."""
        if self.spread is not None:
            return self.spread.pairs
        return (self.pair,) if self.pair is not None else ()


@dataclass(frozen=True, slots=True)
class Document:
    """A TOML text that was read."""

    sections: tuple[Section, ...]
    reading: Reading

    @property
    def top(self) -> Item:
        return self.reading.documents[0]

    def item(self, path: KeyPath) -> Item:
        """The item at a path that is there."""
        return self.reading.find(path)[0]

    def parent(self, item: Item) -> Item:
        return self.item(item.path[:-1])


def note_of(item: Item) -> Note:
    """How an item of this syntax is written; what is one value has only its pair or its value for a note."""
    note = item.note
    if isinstance(note, Note):
        return note
    pair = note if isinstance(note, Pair) else None
    value = note if pair is None else pair.value
    assert isinstance(value, Value)
    form: Form = value.form if value.form in ("array", "inline") else "scalar"
    return Note(form, None if pair is None else pair.home, value, pair)


@dataclass(slots=True)
class _Knot:
    """A table, or an array of tables, while its parts are collected."""

    form: Form
    home: int | None = None
    names: list[Span] = field(default_factory=list)
    sections: list[int] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    children: dict[str, _Knot | Pair] = field(default_factory=dict)
    elements: list[_Knot] = field(default_factory=list)

    def child(self, segment: Segment, form: Form) -> _Knot:
        """The child of that name, made if it is not there; its name is written here once more."""
        made = self.children.get(segment.name)
        if not isinstance(made, _Knot):
            made = self.children[segment.name] = _Knot(form)
        made.names.append(segment.span)
        return made


def read_document(source: Source) -> Document | Refusal:
    """The text as items, if the standard library reads the same. Refuses with `unparsable` or `too-large`."""
    try:
        sections = scan(source.text)
        loaded = tomllib.loads(source.text)
    except ScanError as error:
        return _unscanned(source, error)
    except ValueError as error:
        return _unloaded(str(error), source.line_count)
    top = _freeze(_knot(sections), (), sections, len(source.text))
    if not _is_read_as(top, loaded):
        return _unloaded("the text is not read as the standard library reads it", None)
    return Document(sections, Reading((top,)))


def _is_read_as(top: Item, loaded: object) -> bool:
    """Whether the items say what the standard library reads, types and order of names included."""
    waiting = [(top, loaded)]
    while waiting:
        item, data = waiting.pop()
        children = item.children
        if item.kind == "mapping":
            if type(data) is not dict or [child.path[-1] for child in children] != list(data):
                return False
            waiting += zip(children, data.values(), strict=True)
        elif item.kind == "sequence":
            if type(data) is not list or len(children) != len(data):
                return False
            waiting += zip(children, data, strict=True)
        elif not same_data(item.data, data):
            return False
    return True


def _knot(sections: tuple[Section, ...]) -> _Knot:
    root = _Knot("root", home=0)
    for number, section in enumerate(paced(sections)):
        table = root if section.header is None else _enter(root, section.header, number)
        for pair in section.pairs:
            _put(table, pair)
    return root


def _enter(root: _Knot, header: Header, number: int) -> _Knot:
    """The table a header opens, made with all the tables above it."""
    here = root
    for segment in header.key[:-1]:
        here = here.child(segment, "implicit")
        here.sections.append(number)
        if here.elements:
            here = here.elements[-1]
            here.sections.append(number)
    last = here.child(header.key[-1], "tables" if header.is_array else "table")
    last.sections.append(number)
    if header.is_array:
        last.elements.append(_Knot("element", sections=[number], home=number))
        return last.elements[-1]
    last.form, last.home = "table", number
    return last


def _put(table: _Knot, pair: Pair) -> None:
    here = table
    if len(pair.marks) > 1:
        for segment in pair.key[:-1]:
            here = here.child(segment, "dotted")
            here.home = pair.home
            here.pairs.append(pair)
    here.children[pair.marks[-1][0]] = pair


def _freeze(knot: _Knot, path: KeyPath, sections: tuple[Section, ...], length: int) -> Item:
    value = Span(0, length) if knot.form == "root" else _place(knot, sections)
    return Item(
        path=path,
        kind="sequence" if knot.form == "tables" else "mapping",
        value=value,
        name=knot.names[0] if knot.names else None,
        entry=value,
        children=_inside(knot, path, sections, length),
        note=Note(knot.form, knot.home, spread=Spread(tuple(knot.names), tuple(knot.sections), tuple(knot.pairs))),
    )


def _inside(knot: _Knot, path: KeyPath, sections: tuple[Section, ...], length: int) -> tuple[Item, ...]:
    """The children of a table or an array of tables."""
    if not knot.children:
        return tuple([_freeze(one, (*path, at), sections, length) for at, one in enumerate(knot.elements)])
    return tuple(
        [
            _freeze(child, (*path, name), sections, length)
            if isinstance(child, _Knot)
            else _written(child.value, (*path, name), child, sections)
            for name, child in paced(knot.children.items())
        ]
    )


def _written(value: Value, path: KeyPath, pair: Pair | None, sections: tuple[Section, ...]) -> Item:
    """What is written as one value. Recursion is bounded: the scanner goes no deeper than `DEEPEST`."""
    place = value.span
    note = value if pair is None else pair
    name = None if pair is None else pair.name_span
    entry = place if pair is None else Span(pair.marks[0][1], place.end)
    match value.form:
        case "array":
            items = [_written(item, (*path, at), None, sections) for at, item in enumerate(value.items)]
            return Item(path, "sequence", place, name, entry, tuple(items), None, note)
        case "inline":
            table = _Knot("inline")
            for inner in value.pairs:
                _put(table, inner)
            return Item(path, "mapping", place, name, entry, _inside(table, path, sections, 0), None, note)
        case kind:
            return Item(path, kind, place, name, entry, (), value.data, note)


def _place(knot: _Knot, sections: tuple[Section, ...]) -> Span:
    """Where it stands: the first run of sections or dotted pairs that make it."""
    if knot.sections:
        first = last = knot.sections[0]
        for number in knot.sections:
            last = number if number == last + 1 else last
        return Span(sections[first].span.start, sections[last].span.end)
    return _run_of(knot.pairs, sections[knot.home].pairs if knot.home is not None else None)


def _run_of(pairs: list[Pair], among: tuple[Pair, ...] | None) -> Span:
    """From the first of some pairs to the last that follows without another between them."""
    last = pairs[0]
    if among is not None:
        at = bisect_left(among, last.marks[0][1], key=lambda pair: pair.marks[0][1])
        for number, pair in enumerate(pairs, start=at):
            if number == len(among) or among[number] is not pair:
                break
            last = pair
    return Span(pairs[0].span.start, last.span.end)


def _unscanned(source: Source, error: ScanError) -> Refusal:
    line = source.line_of(error.offset)
    if error.is_depth:
        return Refusal(Kind.TOO_LARGE, f"line {line}: {error.message}", ByText(), {"line": line}, error.message)
    return Refusal(
        Kind.UNPARSABLE,
        f"line {line}: this is not TOML: {error.message}",
        ByText("fix that line first"),
        {"line": line, "reason": error.message},
        f"this is not TOML: {error.message}",
    )


def _unloaded(message: str, last: int | None) -> Refusal:
    found = _AT.match(message)
    line = int(found.group(2)) if found else last
    reason = found.group(1) if found else message
    details = {"line": line, "reason": reason} | ({"column": int(found.group(3))} if found else {})
    return Refusal(
        Kind.UNPARSABLE,
        f"{f'line {line}: ' if line else ''}this is not TOML: {reason[:200]}",
        ByText("fix that line first"),
        details,
        f"this is not TOML: {reason[:200]}",
    )
