"""The reader of YAML.

Builds items from YAML events, without recursion.

An event says what a node is and about where; the exact places of dashes, colons, anchors and tags are looked up in the
text between two nodes, each character once.

From the text of a YAML file to items with exact places, by the events of PyYAML.

Events are taken one by one, so that a nesting bomb is left behind at `DEEPEST` before it costs anything.
Aliases are never followed: an alias is a leaf that names its anchor.

Reads one block collection of a YAML file again, where nothing in it can change how the rest of the file reads.

Further right than the margin, a block collection ends where something stands further left. What is before it and behind
it reads as it did, if it is closed in itself: no anchor, alias or tag is in it, before or after, that means something
elsewhere, and it does not end with a literal text, which takes blank lines below it in. In doubt everything is read.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from steadyhand.errors import Kind
from steadyhand.hints import ByText
from steadyhand.lazy import dataclass, field, lazy_pattern
from steadyhand.structure.config.item import Item, ItemKind, KeyPath, Reading, Step
from steadyhand.structure.config.yaml.document import Anchor, Parsed, Style, column_of, end_of_line, note_of, resolve
from steadyhand.structure.node import Refusal
from steadyhand.text.pace import paced
from steadyhand.text.source import Source
from steadyhand.text.span import Span

DEEPEST = 200
MOST_STEPS = 20_000_000

_GAP = lazy_pattern("(?:[ \t\r\n\ufeff\x85\u2028\u2029]+|#[^\r\n\x85\u2028\u2029]*)*")
_GAP_IN_FLOW = lazy_pattern("(?:[ \t\r\n,\ufeff\x85\u2028\u2029]+|#[^\r\n\x85\u2028\u2029]*)*")
_PROPERTY = lazy_pattern(r"!<[^>]*>|[&!][^\s]*")
_PROPERTY_IN_FLOW = lazy_pattern(r"!<[^>]*>|[&!][^\s,\[\]{}]*")
_HEADER = lazy_pattern(r"[|>][-+0-9]*")
_TO_END = lazy_pattern(r"[^\r\n]*")
_INDENT = lazy_pattern(r"[\r\n](?P<indent> *)[^ \r\n]")
_LINE = lazy_pattern(r"(?:\r\n?|\n)(?P<blanks> *)")
_STYLES: dict[str | None, Style] = {"'": "single", '"': "double", "|": "literal", ">": "folded"}


class TooDeep(Exception):
    """Nested deeper than anything is read."""


class Unreadable(Exception):
    """What the events allow and YAML does not."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset
        self.message = message


@dataclass(slots=True)
class _Name:
    """The name that waits for its value."""

    step: str
    span: Span
    style: Literal["plain", "single", "double", "other"]
    mark: int


@dataclass(slots=True)
class _Slot:
    """Where a node stands: how it is called there, what it hangs on, and its anchor and tag."""

    path: KeyPath
    name: _Name | None
    mark: int
    hang: int
    start: int
    in_flow: bool
    anchor: str | None = None
    tag: str | None = None
    tag_span: Span | None = None
    is_name: bool = False


@dataclass(slots=True)
class _Frame:
    """A collection whose end has not come yet. `cursor` is where the last thing in it ended."""

    slot: _Slot
    is_mapping: bool
    is_flow: bool
    cursor: int
    children: list[Item] = field(default_factory=list)
    name: _Name | None = None


class Builder:
    """Takes events one after the other; `result` is what they say."""

    def __init__(self, text: str, *, is_part: bool = False) -> None:
        self.position = 0
        self._is_part = is_part
        self._text = text
        self._documents: list[Item] = []
        self._frames: list[_Frame] = []
        self._top = 0
        self._steps = 0
        self._known: dict[str, tuple[ItemKind, object]] = {}
        self._anchors: list[tuple[str, int, list[int]]] = []
        self._current: dict[str, tuple[int, list[int]]] = {}

    def result(self) -> Parsed:
        anchors = tuple(Anchor(name, offset, tuple(aliases)) for name, offset, aliases in self._anchors)
        return Parsed(Reading(tuple(self._documents)), anchors)

    def take(self, event: Any, start: int, end: int) -> None:
        """The next event and where it stands in the text."""
        self.position = start
        name = type(event).__name__
        if name == "ScalarEvent":
            self._scalar(event, start, end)
        elif name in ("MappingStartEvent", "SequenceStartEvent"):
            self._open(event, start, is_mapping=name == "MappingStartEvent")
        elif name in ("MappingEndEvent", "SequenceEndEvent"):
            self._close(start, end)
        elif name == "AliasEvent":
            self._alias(event.anchor, start, end)
        elif name == "DocumentStartEvent":
            self._top = end if event.explicit else -1
            self._current = {}

    def _slot(self, start: int, anchor: str | None, tag: str | None) -> _Slot:
        if not self._frames:
            hang = self._top if self._top >= 0 else start
            slot = _Slot((), None, start, hang, start, in_flow=False)
        else:
            frame = self._frames[-1]
            slot = self._named_slot(frame, start) if frame.is_mapping else self._item_slot(frame, start)
        self._count(len(slot.path))
        if anchor is not None or tag is not None:
            self._properties(slot, anchor, tag)
        return slot

    def _item_slot(self, frame: _Frame, start: int) -> _Slot:
        path: KeyPath = (*frame.slot.path, len(frame.children))
        if frame.is_flow:
            return _Slot(path, None, start, start, start, in_flow=True)
        dash = self._dash(frame, start)
        return _Slot(path, None, dash, dash + 1, max(start, dash + 1), in_flow=False)

    def _dash(self, frame: _Frame, start: int) -> int:
        """Where the dash of an item stands: nearly always right before it."""
        at = start - 2
        if at >= frame.cursor and self._text.startswith("- ", at):
            return at
        return _end(_GAP, self._text, frame.cursor)

    def _named_slot(self, frame: _Frame, start: int) -> _Slot:
        in_flow = frame.is_flow
        name = frame.name
        if name is None:
            mark = self._mark_of_name(frame, start)
            return _Slot((*frame.slot.path, ""), None, mark, start, start, in_flow=in_flow, is_name=True)
        hang = self._hang_of_value(name, start)
        return _Slot((*frame.slot.path, name.step), name, name.mark, hang, max(start, hang), in_flow=in_flow)

    def _mark_of_name(self, frame: _Frame, start: int) -> int:
        """Where an entry starts whose name starts at `start`: there, or at the `?` before it."""
        if self._text.find("?", frame.cursor, start) < 0:
            return start
        at = _end(_GAP_IN_FLOW if frame.is_flow else _GAP, self._text, frame.cursor)
        return at if at < start and self._text[at] == "?" else start

    def _hang_of_value(self, name: _Name, start: int) -> int:
        """Right behind the colon, or behind the name where there is none."""
        colon = name.span.end
        if not self._text.startswith(":", colon):
            colon = _end(_GAP, self._text, colon)
        is_there = self._text.startswith(":", colon) and start > colon
        return colon + 1 if is_there else name.span.end

    def _properties(self, slot: _Slot, anchor: str | None, tag: str | None) -> None:
        slot.anchor, slot.tag = anchor, tag
        pattern = _PROPERTY_IN_FLOW if slot.in_flow else _PROPERTY
        at = slot.start
        for _ in range((anchor is not None) + (tag is not None)):
            found = pattern.match(self._text, _end(_GAP, self._text, at))
            if found is None:
                break
            at = found.end()
            if found.group().startswith("!"):
                slot.tag_span = Span(found.start(), at)
            elif anchor is not None:
                self._define(anchor, found.start())
        slot.hang = slot.start = at

    def _define(self, name: str, offset: int) -> None:
        aliases: list[int] = []
        nth = self._current[name][0] + 1 if name in self._current else 1
        self._current[name] = (nth, aliases)
        self._anchors.append((name, offset, aliases))

    def _alias(self, name: str, start: int, end: int) -> None:
        slot = self._slot(start, None, None)
        if name not in self._current and self._is_part:
            self._current[name] = (0, [])
        if name not in self._current:
            raise Unreadable(start, f"the alias *{name} means no anchor above it")
        nth, aliases = self._current[name]
        aliases.append(start)
        self._finish(slot, "other", "alias", Span(start, end), data=("alias", name, nth))

    def _scalar(self, event: Any, start: int, end: int) -> None:
        if event.anchor is None and event.tag is None and self._frames:
            self._bare_scalar(self._frames[-1], event, start, end)
            return
        slot = self._slot(start, event.anchor, event.tag)
        style = _STYLES.get(event.style, "plain")
        if slot.is_name:
            span = Span(min(_end(_GAP, self._text, slot.start), end) if end > slot.start else end, end)
            self._name(slot, event.value, span, style)
            return
        value = self._place(slot, style, end)
        if value.is_empty:
            style = "empty"
        kind, data = self._resolve(event.value, event.tag, is_plain=style in ("plain", "empty"))
        self._finish(slot, kind, style, value, data=data)

    def _bare_scalar(self, frame: _Frame, event: Any, start: int, end: int) -> None:
        """A scalar without anchor and tag in a collection, as nearly all are: the same as any other, with less ado."""
        style = _STYLES.get(event.style, "plain")
        name = frame.name
        if frame.is_mapping and name is None:
            called = style if style in ("plain", "single", "double") else "other"
            span = Span(start, end) if end > start else Span(end, end)
            frame.name = _Name(event.value, span, called, self._mark_of_name(frame, start))
            frame.cursor = end
            return
        step: Step
        if name is not None:
            step, mark, hang = name.step, name.mark, self._hang_of_value(name, start)
        else:
            step = len(frame.children)
            mark = start if frame.is_flow else self._dash(frame, start)
            hang = start if frame.is_flow else mark + 1
        self._count(len(frame.slot.path) + 1)
        value = self._bare_place(style, max(start, hang), end, hang)
        if value[0] == value[1]:
            style = "empty"
        kind, data = self._resolve(event.value, None, is_plain=style in ("plain", "empty"))
        note = (style, hang, value[0], mark, frame.is_flow, None, None, None, "plain" if name is None else name.style)
        entry = value if name is None else Span(mark, max(value[1], name.span[1]))
        path = (*frame.slot.path, step)
        frame.children.append(Item(path, kind, value, None if name is None else name.span, entry, (), data, note))
        frame.name = None
        frame.cursor = max(entry[1], hang)

    def _bare_place(self, style: Style, start: int, end: int, hang: int) -> Span:
        if end <= start:
            return Span(hang, hang)
        return Span(start, _end_of_body(self._text, start, end) if style in ("literal", "folded") else end)

    def _count(self, depth: int) -> None:
        self._steps += depth
        if depth > DEEPEST or self._steps > MOST_STEPS or len(self._frames) > DEEPEST:
            raise TooDeep

    def _place(self, slot: _Slot, style: Style, end: int) -> Span:
        """The scalar without its properties, its last line break and the blank lines that are not in it."""
        if end <= slot.hang or not self._text[slot.hang : end].strip():
            return Span(slot.hang, slot.hang)
        start = _end(_GAP, self._text, slot.start) if slot.anchor or slot.tag else slot.start
        if start >= end:
            return Span(slot.hang, slot.hang)
        if style in ("literal", "folded"):
            end = _end_of_body(self._text, start, end)
        return Span(start, end)

    def _resolve(self, value: str, tag: str | None, *, is_plain: bool) -> tuple[ItemKind, object]:
        if tag is not None or not is_plain:
            return resolve(value, tag, is_plain=is_plain)
        if value not in self._known:
            self._known[value] = resolve(value, None, is_plain=True)
        return self._known[value]

    def _open(self, event: Any, start: int, *, is_mapping: bool) -> None:
        slot = self._slot(start, event.anchor, event.tag)
        is_flow = bool(event.flow_style)
        cursor = slot.hang
        if is_flow:
            slot.start = _end(_GAP, self._text, slot.start)
            # A pair inside brackets opens nothing: its event has no width.
            cursor = slot.start + (event.end_mark.index > event.start_mark.index)
            if slot.is_name and self._text.startswith("{{", slot.start - 1) and is_mapping:
                raise Unreadable(slot.start - 1, "braces in braces are not a name: this looks like a template")
        elif not self._frames or slot.is_name:
            cursor = slot.start
        self._frames.append(_Frame(slot, is_mapping, is_flow, cursor))

    def _close(self, start: int, end: int) -> None:
        frame = self._frames.pop()
        slot, children = frame.slot, tuple(frame.children)
        kind: ItemKind = "mapping" if frame.is_mapping else "sequence"
        if not frame.is_flow or start == end:
            style: Style = "pair" if frame.is_flow else "block"
            value = Span(note_of(children[0]).mark, children[-1].entry.end)
        else:
            style, value = "flow", Span(slot.start, end)
        if slot.is_name:
            self._name(slot, value.of(self._text), value, "alias")
        else:
            self._finish(slot, kind, style, value, children=children)

    def _name(self, slot: _Slot, step: str, span: Span, style: Style) -> None:
        """A node that is a name: it waits for its value."""
        frame = self._frames[-1]
        shown = style if style in ("plain", "single", "double") else "other"
        frame.name = _Name(step, span, shown, slot.mark)
        frame.cursor = span.end

    def _finish(
        self,
        slot: _Slot,
        kind: ItemKind,
        style: Style,
        value: Span,
        *,
        data: object = None,
        children: tuple[Item, ...] = (),
    ) -> None:
        if slot.is_name:  # an alias
            self._name(slot, value.of(self._text), value, style)
            return
        name = slot.name
        whole = Span(min(slot.start, value.start), max(value.end, slot.hang))
        if slot.anchor is not None or slot.tag is not None:
            whole = Span(min(whole.start, self._first_property(slot)), whole.end)
        entry = whole if name is None else Span(slot.mark, max(whole.end, name.span.end))
        if not slot.path:
            entry = value
        called = "plain" if name is None else name.style
        at = (slot.hang, whole.start, slot.mark)
        note = (style, *at, slot.in_flow, slot.anchor, slot.tag, slot.tag_span, called)
        item = Item(slot.path, kind, value, None if name is None else name.span, entry, children, data, note)
        if not self._frames:
            self._documents.append(item)
            return
        frame = self._frames[-1]
        frame.children.append(item)
        frame.name = None
        frame.cursor = max(entry.end, slot.hang)

    def _first_property(self, slot: _Slot) -> int:
        at = self._anchors[-1][1] if slot.anchor is not None else len(self._text)
        return min(at, slot.tag_span.start if slot.tag_span is not None else at)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return at if found is None else found.end()


def _end_of_body(text: str, start: int, end: int) -> int:
    """Where a literal or folded text ends: before its last line break; blank lines behind it count only if kept."""
    header = _end(_HEADER, text, start)
    if text[end - 1] in "\r\n":
        end -= 2 if text[end - 2 : end] == "\r\n" else 1
    if "+" in text[start:header]:
        return end
    floor = _end(_TO_END, text, header)
    body = text[floor:end]
    content = len(body.rstrip(" \r\n"))
    if not content:
        return header if floor == header else floor
    # Lines of blanks behind the last word count where they are wider than the text is indented.
    content = _end(_TO_END, body, content)
    indent = _INDENT.search(body)
    width = len(body) if indent is None else len(indent.group("indent"))
    last = content
    for line in _LINE.finditer(body, content):
        if line.end() - line.start("blanks") > width:
            last = line.end()
    return floor + last


_SURELY_FLAT = 15
_MOST = 400_000  # events, some three for every value: as many as are read within seconds
_NOT_TEXT = lazy_pattern("[\ud800-\udfff]")


def parse(source: Source) -> Parsed | Refusal:
    """The items of every document, or why the text is no YAML: `unparsable` or `too-large`."""
    return _parse(source, Builder(source.text))


def parse_part(source: Source) -> Parsed | Refusal:
    """The same for a piece of a file, whose aliases may mean anchors outside of it."""
    return _parse(source, Builder(source.text, is_part=True))


def _parse(source: Source, builder: Builder) -> Parsed | Refusal:
    import yaml

    try:
        _check_text(source.text)
        shift = _shift(source.text)
        events = yaml.parse(source.text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        for number, event in enumerate(paced(events)):
            builder.take(event, event.start_mark.index + shift, event.end_mark.index + shift)
            if number > _MOST:
                return _too_large(source, builder.position, "there are more values than are read at once")
        return builder.result()
    except TooDeep:
        return _too_large(source, builder.position, "the values are nested too deep")
    except Unreadable as error:
        return _unparsable(source, error.offset, error.message)
    except yaml.reader.ReaderError as error:
        return _unparsable(source, min(error.position, len(source.text)), f"{error.reason}")
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        offset = len(source.text) if mark is None else min(mark.index + _shift(source.text), len(source.text))
        said = [part for part in (error.context, error.problem) if part]
        return _unparsable(source, offset, ", ".join(said))


def is_readable(source: Source) -> bool:
    """Whether `parse` surely reads a text: its events are looked at and nothing is built. False: `parse` has to say."""
    import yaml

    text, shift, depth = source.text, _shift(source.text), 0
    anchors: set[str] = set()
    try:
        _check_text(text)
        for event in paced(yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))):
            name = type(event).__name__
            if name == "DocumentStartEvent":
                anchors.clear()
            elif name in ("MappingEndEvent", "SequenceEndEvent"):
                depth -= 1
            elif name in ("MappingStartEvent", "SequenceStartEvent"):
                depth += 1
                # Braces in braces may be a template, and what is deep may be too deep.
                if depth > _SURELY_FLAT or text.startswith("{{", event.start_mark.index + shift - 1):
                    return False
            if name == "AliasEvent" and event.anchor not in anchors:
                return False
            if name != "AliasEvent" and getattr(event, "anchor", None) is not None:
                anchors.add(event.anchor)
    except (Unreadable, yaml.YAMLError):
        return False
    return len(text) * _SURELY_FLAT < MOST_STEPS


def _check_text(text: str) -> None:
    broken = _NOT_TEXT.search(text)
    if broken is not None:
        raise Unreadable(broken.start(), "a lone surrogate is not a character")


def _shift(text: str) -> int:
    """The C parser does not count a byte order mark."""
    import yaml

    return 1 if text.startswith("\ufeff") and hasattr(yaml, "CSafeLoader") else 0


def _unparsable(source: Source, offset: int, reason: str) -> Refusal:
    row = source.table.row_at(offset)
    column = offset - source.table.start(row) + 1 if source.text else 1
    return Refusal(
        Kind.UNPARSABLE,
        f"line {row + 1}: this is not YAML: {reason}",
        ByText("fix that line first"),
        {"line": row + 1, "column": column, "reason": reason},
        f"this is not YAML: {reason}",
    )


def _too_large(source: Source, offset: int, message: str) -> Refusal:
    line = source.line_of(min(offset, len(source.text)))
    return Refusal(
        Kind.TOO_LARGE,
        f"line {line}: {message}",
        ByText(),
        {"line": line},
        message,
    )


_DEEPEST = 40
_BEYOND = lazy_pattern("[&*!%\t\ufeff\x85\u2028\u2029\ud800-\udfff]")
_REST = lazy_pattern(r"[ \t]*(?:[ \t]#.*)?\Z")


def reread(source: Source, item: Item, end: int) -> Item | None:
    """A block collection of before, whose inside has changed and which ends at `end` now; None: read everything."""
    text, start = source.text, item.value.start
    column = column_of(text, start)
    if not _is_closed(item) or not _is_apart(text, item, column) or _BEYOND.search(text, start, end):
        return None
    if not _REST.match(text[end : end_of_line(text, end)]):
        return None
    made = _read(text, start, end, column)
    is_like = made is not None and made.kind == item.kind and made.value == (start, end)
    return made if is_like and made is not None and not _ends_open(made) else None


def _is_closed(item: Item) -> bool:
    """Whether nothing in an item is known by another name elsewhere, or known here from elsewhere."""
    for part in item.walk():
        note = note_of(part)
        is_named_plainly = part.name is None or note.mark == part.name.start
        if note.anchor is not None or note.tag is not None or note.style == "alias" or not is_named_plainly:
            return False
    return True


def _is_apart(text: str, item: Item, column: int) -> bool:
    """Whether an item is a block collection further right than what it hangs on."""
    note = note_of(item)
    is_block = note.style == "block" and 0 < len(item.path) <= _DEEPEST
    return is_block and column > column_of(text, note.mark) and text[note.mark] != "?"


def _ends_open(item: Item) -> bool:
    while item.children:
        item = item.children[-1]
    return note_of(item).style in ("literal", "folded") or item.value.is_empty


def _read(text: str, start: int, end: int, column: int) -> Item | None:
    """The one thing that stands between two offsets, on its first line as far right as it is."""
    import yaml

    builder, shift = Builder(text), start - column
    alone = " " * column + text[start:end]
    try:
        for event in yaml.parse(alone, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            builder.take(event, event.start_mark.index + shift, event.end_mark.index + shift)
    except (TooDeep, Unreadable, yaml.YAMLError):
        return None
    documents = builder.result().reading.documents
    return documents[0] if len(documents) == 1 else None
