"""The reader of YAML: from the events of PyYAML to items with exact places.

An event says what a node is and about where; the exact places of dashes, colons, anchors and tags are looked up in the
text between two nodes. Events are only collected, one by one, so that a nesting bomb is left behind at `DEEPEST` before
it costs anything; what a collection holds is made into items when somebody looks inside.
Aliases are never followed: an alias is a leaf that names its anchor.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from math import isnan, nan
from typing import Any, Literal, NamedTuple, cast

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.config.item import Item, ItemKind, KeyPath, Reading, Step, Unreadable, too_large, unparsable
from steadyhand.structure.node import Refusal
from steadyhand.text.cancel import OFTEN, check_cancelled, check_cancelled_at, check_each
from steadyhand.text.lines import line_start
from steadyhand.text.source import Source
from steadyhand.text.span import Span

# Scalars. Types are those of PyYAML (YAML 1.1).

_CORE = "tag:yaml.org,2002:"
_KINDS: dict[str, ItemKind] = {
    "bool": "flag",
    "int": "number",
    "float": "number",
    "null": "null",
    "timestamp": "date",
    "merge": "other",
    "value": "other",
}
_FLAGS = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}


def resolve(value: str, tag: str | None, *, is_plain: bool) -> tuple[ItemKind, object]:
    """What a scalar says: its kind and its plain data. A tag of the file's own is looked past."""
    if is_core(tag):
        return _construct(str(tag), value)
    found = implicit_tag(value) if is_plain else None
    return ("text", value) if found is None else _construct(found, value)


def is_core(tag: str | None) -> bool:
    """Whether a tag is one of YAML's own, such as `!!str`."""
    return tag is not None and tag.startswith(_CORE)


def implicit_tag(value: str) -> str | None:
    """The tag PyYAML gives to plain text; None for text."""
    from yaml.resolver import Resolver

    known = Resolver.yaml_implicit_resolvers
    return next((str(tag) for tag, pattern in known.get(value[:1], ()) if pattern.match(value)), None)


def _construct(tag: str, value: str) -> tuple[ItemKind, object]:
    from yaml.constructor import ConstructorError, SafeConstructor
    from yaml.nodes import ScalarNode

    name = tag.removeprefix(_CORE)
    kind = _KINDS.get(name)
    if kind is None:
        return "text", value
    if kind == "null":
        return "null", None
    if kind == "flag":
        said = _FLAGS.get(value.lower())
        return ("other", value) if said is None else ("flag", said)
    if kind == "other":
        return kind, value
    try:
        made = getattr(SafeConstructor(), f"construct_yaml_{name}")(ScalarNode(tag, value))
    except (ValueError, OverflowError, IndexError, AttributeError, ConstructorError):
        return "other", value  # such as the 31st of February: what it is for others is not known
    is_nan = isinstance(made, float) and isnan(made)
    return kind, nan if is_nan else made  # one NaN, so that two readings are equal


# What is known of a text.

Notation = Literal["plain", "single", "double", "literal", "folded", "empty", "alias", "flow", "pair", "block"]
NameStyle = Literal["plain", "single", "double", "other"]


class Note(NamedTuple):
    """The note of a YAML item.

    `style`      how the value is written; a `pair` is a mapping of one entry without braces inside `[…]`
    `hang`       right behind what the value hangs on: colon, dash, `---`, or its own anchor and tag
    `start`      where the value starts, with its anchor and tag
    `mark`       where the entry starts: the name with its anchor, `?`, the dash
    `in_flow`    whether it is inside brackets or braces
    `name`       how its name is written: a scalar's style, or `other` for what is no simple name
    """

    style: Notation
    hang: int
    start: int
    mark: int
    in_flow: bool
    anchor: str | None = None
    tag: str | None = None
    tag_span: Span | None = None
    name: NameStyle = "plain"


def note_of(item: Item) -> Note:
    """The note of an item that was read here."""
    return cast("Note", item.note)


@dataclass(frozen=True, slots=True)
class Anchor:
    """An anchor that is defined at an offset, and where the aliases that mean it are."""

    name: str
    offset: int
    aliases: list[int]


@dataclass(frozen=True, slots=True)
class Parsed:
    """A source as YAML reads it."""

    reading: Reading
    anchors: tuple[Anchor, ...]

    def aliases_of(self, item: Item) -> list[int]:
        """Where the aliases of an item's own anchor are."""
        name, start, end = note_of(item).anchor, note_of(item).mark, note_of(item).hang
        found = (anchor for anchor in self.anchors if anchor.name == name and start <= anchor.offset < end)
        return next((anchor.aliases for anchor in found), [])

    def lost(self, *places: Span) -> tuple[Anchor, int] | None:
        """An anchor inside some places, and an alias outside all of them that means it; None where there is none."""
        for anchor in self.anchors:
            if any(place.start <= anchor.offset < place.end for place in places):
                for at in anchor.aliases:
                    if not any(place.start <= at < place.end for place in places):
                        return anchor, at
        return None


# Events, collected.

DEEPEST = 200
MOST_STEPS = 20_000_000
_MOST = 400_000  # events, some three for every value: as many as are read within seconds
_NOT_TEXT = lazy_pattern("[\ud800-\udfff]")
_PROPERTY = lazy_pattern(r"!<[^>]*>|[&!][^\s]*")
_PROPERTY_IN_FLOW = lazy_pattern(r"!<[^>]*>|[&!][^\s,\[\]{}]*")
_GAP = lazy_pattern("(?:[ \t\r\n\ufeff\x85\u2028\u2029]+|#[^\r\n\x85\u2028\u2029]*)*")
_GAP_IN_FLOW = lazy_pattern("(?:[ \t\r\n,\ufeff\x85\u2028\u2029]+|#[^\r\n\x85\u2028\u2029]*)*")
_STYLES: dict[str | None, Notation] = {"'": "single", '"': "double", "|": "literal", ">": "folded"}


class _Properties(NamedTuple):
    """Anchor and tag of a node, and where they end."""

    anchor: str | None
    tag: str | None
    tag_span: Span | None
    start: int
    end: int


_Leaf = tuple[object, Notation, int, int, _Properties | None]
"""A scalar's text, or what an alias names, with its style, its place and its properties: atoms, for the collector."""


class _Node:
    """A collection; `parts` are its items, or its names and values in turn."""

    __slots__ = ("end", "is_flow", "is_mapping", "parts", "properties", "start", "style", "width")

    def __init__(self, start: int, width: int, properties: _Properties | None, *, is_mapping: bool, is_flow: bool):
        self.start, self.end, self.width = start, start, width
        self.properties, self.is_mapping, self.is_flow = properties, is_mapping, is_flow
        self.style: Notation = "block"
        self.parts: list[_Node | _Leaf] = []


class _Collector:
    """Takes events one after the other."""

    def __init__(self, text: str, *, is_part: bool = False) -> None:
        self.text, self.is_part = text, is_part
        self.tops: list[tuple[_Node | _Leaf, int]] = []
        self.anchors: list[Anchor] = []
        self._current: dict[str, tuple[int, Anchor]] = {}

    def run(self, events: Iterable[Any], shift: int) -> None:
        """Raises `Unreadable`, and what PyYAML raises."""
        import yaml

        scalar, alias = yaml.ScalarEvent, yaml.AliasEvent
        opens = (yaml.MappingStartEvent, yaml.SequenceStartEvent)
        closes = (yaml.MappingEndEvent, yaml.SequenceEndEvent)
        stack: list[_Node] = []
        outside: list[_Node | _Leaf] = []
        parts, top, depth, steps = outside, -1, 0, 0
        for number, event in enumerate(events):
            kind = event.__class__
            start, end = event.start_mark.index + shift, event.end_mark.index + shift
            if kind is scalar:  # two of three events
                has_properties = event.anchor is not None or event.tag is not None
                properties = self._properties(event, start, stack) if has_properties else None
                parts.append((event.value, _STYLES.get(event.style, "plain"), start, end, properties))
            elif kind in opens:
                part = self._open(event, start, end - start, stack, is_mapping=kind is opens[0])
                parts.append(part)
                stack.append(part)
                parts, depth = part.parts, depth + 1
            elif kind in closes:
                part = stack.pop()
                part.end = end
                part.style = "block" if not part.is_flow else "pair" if start == end else "flow"
                parts, depth = stack[-1].parts if stack else outside, depth - 1
            elif kind is alias:
                parts.append((self._alias(event.anchor, start), "alias", start, end, None))
            elif kind is yaml.DocumentStartEvent:
                # An anchor is known until the end of its document, and the next one may use its name again.
                top = end if event.explicit else -1
                self._current = {}
            elif kind is yaml.DocumentEndEvent:
                self.tops.append((outside.pop(), top))
            steps += depth
            if not number % OFTEN:
                check_cancelled()
            if depth > DEEPEST or steps > MOST_STEPS or number > _MOST:
                raise Unreadable(start, "it has too many values, or they are nested too deep", is_too_large=True)

    def _open(self, event: Any, start: int, width: int, stack: list[_Node], *, is_mapping: bool) -> _Node:
        is_flow = bool(event.flow_style)
        has_properties = event.anchor is not None or event.tag is not None
        properties = self._properties(event, start, stack) if has_properties else None
        is_name = bool(stack) and stack[-1].is_mapping and len(stack[-1].parts) % 2 == 0
        if is_flow and is_mapping and is_name and self.text.startswith("{{", start - 1):
            raise Unreadable(start - 1, "braces in braces are not a name: this looks like a template")
        return _Node(start, width, properties, is_mapping=is_mapping, is_flow=is_flow)

    def _properties(self, event: Any, start: int, stack: list[_Node]) -> _Properties:
        # An event says which anchor and which tag a value has, but not where each is written.
        pattern = _PROPERTY_IN_FLOW if stack and stack[-1].is_flow else _PROPERTY
        at, first, tag_span = start, None, None
        for _ in range((event.anchor is not None) + (event.tag is not None)):
            found = pattern.match(self.text, _end(_GAP, self.text, at))
            if found is None:
                break
            at = found.end()
            first = found.start() if first is None else first
            if found.group().startswith("!"):
                tag_span = Span(found.start(), at)
            elif event.anchor is not None:
                nth = self._current[event.anchor][0] + 1 if event.anchor in self._current else 1
                self.anchors.append(Anchor(event.anchor, found.start(), []))
                self._current[event.anchor] = (nth, self.anchors[-1])
        return _Properties(event.anchor, event.tag, tag_span, start if first is None else first, at)

    def _alias(self, name: str, start: int) -> tuple[str, str, int]:
        # The anchor may be above the part that is read; as number 0 it is never taken for one inside the part.
        if name not in self._current and self.is_part:
            self._current[name] = (0, Anchor(name, -1, []))
        if name not in self._current:
            raise Unreadable(start, f"the alias *{name} has no anchor above it")
        nth, anchor = self._current[name]
        anchor.aliases.append(start)
        return "alias", name, nth

    def result(self) -> Parsed:
        reader, tops = _Items(self.text), list[Item]()
        for part, hang in self.tops:
            start = part.start if isinstance(part, _Node) else part[2]
            tops.append(reader.item(part, (), None, start, hang if hang >= 0 else start, in_flow=False))
        return Parsed(Reading(tuple(tops)), tuple(self.anchors))


# Items.

_EXPLICIT = lazy_pattern(r"\?(?=\s|\Z)")
HEADER = lazy_pattern(r"[|>][-+0-9]*")
_TO_END = lazy_pattern(r"[^\r\n]*")
_INDENT = lazy_pattern(r"[\r\n](?P<indent> *)[^ \r\n]")
_LINE = lazy_pattern(r"(?:\r\n?|\n)(?P<blanks> *)")


_OTHER: ItemKind = "other"


class _Name(NamedTuple):
    """The name that waits for its value."""

    step: str
    span: Span
    style: NameStyle
    mark: int


class _Later(NamedTuple):
    """What is looked up of a collection when somebody asks where it is, and what is inside; cheaper than closures."""

    items: _Items
    node: _Node
    start: int
    first: int
    mark: int
    hang: int
    name: _Name | None

    def inside(self, item: Item) -> tuple[Item, ...]:
        return self.items.inside(self.node, item)

    def place(self, item: Item) -> tuple[Span, Span]:
        if self.node.style == "flow":
            value = Span(self.start, self.node.end)
        else:
            value = Span(note_of(item.children[0]).mark, item.children[-1].entry.end)
        whole = Span(min(self.first, value.start), max(value.end, self.hang))
        entry = whole if self.name is None else Span(self.mark, max(whole.end, self.name.span.end))
        return value, entry if item.path else value


class _Items:
    """Makes items of what was collected, where somebody looks."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.has_explicit = _EXPLICIT.search(text) is not None
        self._resolve = cache(lambda value: resolve(value, None, is_plain=True))

    def inside(self, node: _Node, item: Item) -> tuple[Item, ...]:
        """The children of a collection."""
        made: list[Item] = []
        name: _Name | None = None
        note = note_of(item)
        first = note.hang if item.path and not node.is_flow else self._start(node) + (node.width > 0) * node.is_flow
        for part in check_each(node.parts):
            start = part.start if isinstance(part, _Node) else part[2]
            if not node.is_mapping:
                mark = start if node.is_flow else start - 2
                if not node.is_flow and (start < 2 or not self.text.startswith("- ", mark)):  # nearly never
                    mark = _end(_GAP, self.text, last_of(made[-1]) if made else first)
                hang = start if node.is_flow else mark + 1
                step: Step = len(made)
            elif name is None:
                mark = start
                if self.has_explicit:  # the name may be behind a `?`
                    at = _end(_GAP_IN_FLOW if node.is_flow else _GAP, self.text, last_of(made[-1]) if made else first)
                    mark = at if at < start and self.text[at] == "?" else start
                name = self._name(part, mark)
                continue
            else:
                colon = name.span.end
                if not self.text.startswith(":", colon):
                    colon = _end(_GAP, self.text, colon)
                is_there = self.text.startswith(":", colon) and start > colon
                mark, hang, step = name.mark, colon + 1 if is_there else name.span.end, name.step
            made.append(self.item(part, (*item.path, step), name, mark, hang, in_flow=node.is_flow))
            name = None
        return tuple(made)

    def _name(self, part: _Node | _Leaf, mark: int) -> _Name:
        if isinstance(part, _Node):
            inner = self.item(part, (), None, part.start, part.start, in_flow=part.is_flow)
            return _Name(inner.value.of(self.text), inner.value, "other", mark)
        value, style, start, end, properties = part
        if properties is not None:
            start = min(_end(_GAP, self.text, properties.end), end) if end > properties.end else end
        span = Span(min(start, end), end)
        if style == "alias":
            return _Name(span.of(self.text), span, "other", mark)
        return _Name(str(value), span, style if style in ("plain", "single", "double") else "other", mark)

    def _start(self, node: _Node) -> int:
        """Where a collection starts, behind its properties."""
        return node.start if node.properties is None else _end(_GAP, self.text, node.properties.end)

    def item(
        self, part: _Node | _Leaf, path: KeyPath, name: _Name | None, mark: int, hang: int, *, in_flow: bool
    ) -> Item:
        properties = part.properties if isinstance(part, _Node) else part[4]
        called: NameStyle = "plain" if name is None else name.style
        tags = (None, None, None) if properties is None else (properties.anchor, properties.tag, properties.tag_span)
        if properties is not None:
            hang = properties.end
        if isinstance(part, _Node):
            return self._collection(part, path, name, mark, hang, (in_flow, *tags, called))
        text, style, start, end, _ = part
        if style == "alias":
            value, kind, data = Span(start, end), _OTHER, text
        else:
            value = self._place(style, max(start, hang), end, hang, has_properties=properties is not None)
            style = "empty" if value.is_empty else style
            is_plain, tag = style in ("plain", "empty"), None if properties is None else properties.tag
            is_usual = is_plain and tag is None
            kind, data = self._resolve(text) if is_usual else resolve(str(text), tag, is_plain=is_plain)
        first = value.start if properties is None else min(value.start, properties.start)
        whole = Span(first, max(value.end, hang) if properties is not None or style == "alias" else value.end)
        entry = whole if name is None else Span(mark, max(whole.end, name.span.end))
        note = Note(style, hang, first, mark, in_flow, *tags, called)
        return Item(path, kind, value, name and name.span, entry if path else value, (), data, note)

    def _collection(
        self, node: _Node, path: KeyPath, name: _Name | None, mark: int, hang: int, rest: tuple[Any, ...]
    ) -> Item:
        start = self._start(node) if node.is_flow else node.start if node.properties is None else node.properties.end
        first = start if node.properties is None else node.properties.start

        kind: ItemKind = "mapping" if node.is_mapping else "sequence"
        note = Note(node.style, hang, first, mark, *rest)
        later = _Later(self, node, start, first, mark, hang, name)
        return Item(path, kind, later.place, name and name.span, None, later.inside, None, note)

    def _place(self, style: Notation, start: int, end: int, hang: int, *, has_properties: bool) -> Span:
        """The scalar without its properties, its last line break and the blank lines that are not in it."""
        if has_properties:
            start = _end(_GAP, self.text, hang)
        if end <= start or (has_properties and not self.text[hang:end].strip()):
            return Span(hang, hang)
        return Span(start, _end_of_body(self.text, start, end) if style in ("literal", "folded") else end)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return at if found is None else found.end()


def _end_of_body(text: str, start: int, end: int) -> int:
    """Where a literal or folded text ends: before its last line break; blank lines behind it count only if kept."""
    header = _end(HEADER, text, start)
    if text[end - 1] in "\r\n":
        end -= 2 if text[end - 2 : end] == "\r\n" else 1
    if "+" in text[start:header]:
        return end
    floor = end_of_line(text, header)
    body = text[floor:end]
    content = len(body.rstrip(" \r\n"))
    if not content:
        return header if floor == header else floor
    # Lines of blanks behind the last word count where they are wider than the text is indented.
    content = end_of_line(body, content)
    indent = _INDENT.search(body)
    width = len(body) if indent is None else len(indent.group("indent"))
    last = content
    for line in _LINE.finditer(body, content):
        if line.end() - line.start("blanks") > width:
            last = line.end()
    return floor + last


# Texts.


def parse(source: Source) -> Parsed | Refusal:
    """The items of every document, or why the text is no YAML: `unparsable` or `too-large`."""
    return _parse(source, _Collector(source.text))


def parse_part(source: Source) -> Parsed | Refusal:
    """The same for a piece of a file, whose aliases may mean anchors outside of it."""
    return _parse(source, _Collector(source.text, is_part=True))


def _parse(source: Source, collector: _Collector) -> Parsed | Refusal:
    import yaml

    text = source.text
    try:
        _check_text(text)
        collector.run(_events(text), _shift(text))
        return collector.result()
    except Unreadable as error:
        at, reason = error.at, error.message
        if error.is_too_large:
            return too_large(reason, source.line_of(min(at, len(text))))
    except yaml.reader.ReaderError as error:
        at, reason = error.position, f"{error.reason}"
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = len(text) if mark is None else mark.index + _shift(text)
        reason = ", ".join(part for part in (error.context, error.problem) if part)
    at = min(at, len(text))
    row = source.table.row_at(at)
    return unparsable("YAML", reason, row + 1, at - source.table.start(row) + 1 if text else 1)


_SURELY_FLAT = 15


def is_readable(source: Source) -> bool:
    """Whether `parse` surely reads a text: its events are looked at and nothing is kept. False: `parse` has to say."""
    import yaml

    text, shift, depth = source.text, _shift(source.text), 0
    opens = (yaml.MappingStartEvent, yaml.SequenceStartEvent)
    closes = (yaml.MappingEndEvent, yaml.SequenceEndEvent)
    anchors: set[str] = set()
    try:
        _check_text(text)
        for number, event in enumerate(_events(text)):
            check_cancelled_at(number)
            kind = event.__class__
            if kind is yaml.ScalarEvent and event.anchor is None:
                continue
            if kind in closes:
                depth -= 1
            elif kind in opens:
                depth += 1
                # Braces in braces may be a template, and what is deep may be too deep.
                if depth > _SURELY_FLAT or text.startswith("{{", event.start_mark.index + shift - 1):
                    return False
            elif kind is yaml.DocumentStartEvent:
                anchors.clear()
            if kind is yaml.AliasEvent:
                if event.anchor not in anchors:
                    return False
            elif getattr(event, "anchor", None) is not None:
                anchors.add(event.anchor)
    except (Unreadable, yaml.YAMLError):
        return False
    return len(text) * _SURELY_FLAT < MOST_STEPS


def _events(text: str) -> Iterable[Any]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    return iter(loader.get_event, None)  # as `yaml.parse` has them, without a generator around each


def _check_text(text: str) -> None:
    broken = _NOT_TEXT.search(text)
    if broken is not None:
        raise Unreadable(broken.start(), "a lone surrogate is not a character")


def _shift(text: str) -> int:
    """The C parser does not count a byte order mark."""
    import yaml

    return 1 if text.startswith("\ufeff") and hasattr(yaml, "CSafeLoader") else 0


# A part of a file, read again where nothing in it can change how the rest of the file reads.

_DEEPEST_PART = 40
_BEYOND = lazy_pattern("[&*!%\t\ufeff\x85\u2028\u2029\ud800-\udfff]|\\?(?=\\s|\\Z)")
_REST = lazy_pattern(r"[ \t]*(?:[ \t]#.*)?\Z")


def reread(before: Source, source: Source, item: Item, end: int) -> Item | None:
    """A block collection of before, whose inside has changed and which ends at `end` now; None: read everything.

    Further right than the margin, a block collection ends where something is further left. What is before it and behind
    it reads as it did, if it is closed in itself: no anchor, alias or tag is in it, before or after, that means
    something elsewhere, and it does not end with a literal text, which takes blank lines below it in. So the whole text
    is readable, which need not be found out again.
    """
    import yaml

    text, start, note = source.text, item.value.start, note_of(item)
    column = column_of(text, start)
    is_block = note.style == "block" and 0 < len(item.path) <= _DEEPEST_PART
    if not is_block or column <= column_of(text, note.mark) or text[note.mark] == "?":
        return None
    if _BEYOND.search(before.text, *item.value) or _BEYOND.search(text, start, end):
        return None
    if not _REST.match(text[end : end_of_line(text, end)]):
        return None
    collector = _Collector(text)
    try:  # on its first line as far right as it is
        collector.run(_events(" " * column + text[start:end]), start - column)
    except (Unreadable, yaml.YAMLError):
        return None
    documents = collector.result().reading.documents
    made = documents[0] if len(documents) == 1 else None
    if made is None or made.kind != item.kind or made.value != (start, end):
        return None
    last = last_inside(made)
    if note_of(last).style in ("literal", "folded") or last.value.is_empty:
        return None
    source.keep(is_readable, True)
    return made


def last_of(item: Item) -> int:
    """Where the last character of an entry is behind which nothing but a comment is on the line."""
    return max(item.entry.end, note_of(item).hang)


def last_inside(item: Item) -> Item:
    """What an item ends with: the last item of its last item, and so on."""
    while item.children:
        item = item.children[-1]
    return item


def end_of_line(text: str, offset: int) -> int:
    """Where the line of an offset ends, before its line break."""
    return _end(_TO_END, text, offset)


def start_of_line(text: str, offset: int) -> int:
    """Where the line of an offset starts; a byte order mark is in front of the first line."""
    lf = text.rfind("\n", 0, offset) + 1
    start = line_start(text, offset, lf)  # looks for CR on this line only
    return 1 if start == 0 and offset > 0 and text.startswith("\ufeff") else start


def column_of(text: str, offset: int) -> int:
    """How far right an offset is on its line, from 0."""
    return offset - start_of_line(text, offset)
