"""How new TOML text is written, and where in a file it goes.

Keys and values take the style of the file. Arrays and inline tables keep their layout: on one line, an item a line,
with or without a comma behind the last. Pairs and sections are whole lines, with the comments that belong to them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.config.item import Item, KeyPath, Plain
from steadyhand.structure.config.layout import (
    comments_above,
    comments_below,
    insertion,
    is_blank_line,
    line_above,
    line_end,
    merged,
    Sheet,
    parted,
)
from steadyhand.structure.config.toml.reader import BETWEEN, LINE_END, Pair, Section, Value, moment_form
from steadyhand.structure.config.toml.tree import Document, note_of
from steadyhand.structure.node import Refusal
from steadyhand.text.indent import indent_at, indent_of
from steadyhand.text.lines import line_start, to_lf
from steadyhand.text.span import Span

_BARE = lazy_pattern(r"[A-Za-z0-9_-]+")
_SPECIAL = lazy_pattern(r'["\\\x00-\x1f\x7f]')
_SPECIAL_LINES = lazy_pattern(r'\\|[\x00-\x08\x0b-\x1f\x7f]|"(?=""|\Z)')
_NOT_LITERAL = lazy_pattern(r"[\x00-\x08\x0a-\x1f\x7f']")
_NOT_LITERAL_LINES = lazy_pattern(r"[\x00-\x08\x0b-\x1f\x7f]|'''|'\Z")
_SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


@dataclass(frozen=True, slots=True)
class Style:
    """How a file writes: the quotes of its texts, `=` with what stands around it, and what stands inside braces."""

    quote: str = '"'
    equals: str = " = "
    padding: str = " "


def style_of(text: str, sections: tuple[Section, ...]) -> Style:
    """The habits of a file; where it has none, those most files have."""
    quotes = {'"': 0, "'": 0}
    equals = padding = None
    for value in _values(sections):
        if value.form == "text":
            quotes[text[value.span.start]] += 1
        if value.pairs and padding is None:
            padding = " " if text[value.span.start + 1] in " \t" else ""
    for section in sections:
        if section.pairs and equals is None:
            equals = equals_of(text, section.pairs[0])
    usual = Style()
    return Style(
        "'" if quotes["'"] > quotes['"'] else '"',
        usual.equals if equals is None else (" = " if equals.strip() != equals else "="),
        usual.padding if padding is None else padding,
    )


def equals_of(text: str, pair: Pair) -> str:
    """What stands between a key and its value."""
    return text[pair.key[-1].span.end : pair.value.span.start]


def _values(sections: tuple[Section, ...]) -> Iterator[Value]:
    waiting = [pair.value for section in reversed(sections) for pair in reversed(section.pairs)]
    while waiting:
        value = waiting.pop()
        yield value
        waiting.extend(value.items)
        waiting.extend(pair.value for pair in value.pairs)


def unsayable(value: Plain) -> Refusal | None:
    """The refusal of a value that TOML cannot say, wherever in it that stands."""
    waiting: list[Plain] = [value]
    while waiting:
        part = waiting.pop()
        if part is None:
            return Refusal(
                Kind.BAD_REQUEST,
                "TOML has no null",
                "leave the key out, take it away with delete-key, or write an empty text",
            )
        if isinstance(part, Mapping):
            waiting += part.values()
        elif isinstance(part, list | tuple):
            waiting += part
    return None


def render_key(name: str, like: str = "") -> str:
    """A name; in quotes where it needs them, or where the one it stands for has them.

    >>> render_key("a-b"), render_key("a b"), render_key("a", "'b'")
    ('a-b', '"a b"', "'a'")
    """
    if like.startswith("'") and not _NOT_LITERAL.search(name):
        return f"'{name}'"
    return name if _BARE.fullmatch(name) and not like.startswith('"') else _basic(name)


def render_value(value: Plain, style: Style) -> str:
    """A value on one line."""
    match value:
        case bool():
            return "true" if value else "false"
        case float():
            return _float(value)
        case str():
            return render_text(value, style.quote)
        case list() | tuple():
            return f"[{', '.join(render_value(item, style) for item in value)}]"
        case Mapping():
            inner = ", ".join(render_pair(name, item, style) for name, item in value.items())
            return f"{{{style.padding}{inner}{style.padding}}}" if inner else "{}"
        case _:
            return str(value)


def render_pair(name: str, value: Plain, style: Style) -> str:
    """A key and its value on one line."""
    return f"{render_key(name)}{style.equals}{render_value(value, style)}"


def render_text(text: str, like: str) -> str:
    """A text, in the kind of string that `like` begins, where that kind can say it.

    >>> render_text("a b", "'x'"), render_text("a\\nb", "'x'")
    ("'a b'", '"a\\\\nb"')
    """
    text = to_lf(text) if like.startswith(('"""', "'''")) else text
    opening = "\n" if text.startswith("\n") or like[3:4] in ("\n", "\r") else ""
    if like.startswith("'''") and not _NOT_LITERAL_LINES.search(text):
        return f"'''{opening}{text}'''"
    if like.startswith(('"""', "'''")):
        return f'"""{opening}{_SPECIAL_LINES.sub(_escaped, text)}"""'
    if like.startswith("'") and not _NOT_LITERAL.search(text):
        return f"'{text}'"
    return _basic(text)


def render_like(value: Plain, item: Item, written: str, style: Style) -> tuple[str, tuple[str, ...]]:
    """A value in the place of a scalar: a text keeps the kind of string, a date stays a date where it can."""
    if isinstance(value, str) and item.kind == "text":
        return render_text(value, written), ()
    if isinstance(value, str) and item.kind == "date" and moment_form(value) == moment_form(written):
        return value, ("the value stays a date; as a text it would be in quotes",)
    return render_value(value, style), ()


def _basic(text: str) -> str:
    return f'"{_SPECIAL.sub(_escaped, text)}"'


def _escaped(found: re.Match[str]) -> str:
    sign = found.group()
    return _SHORT.get(sign) or f"\\u{ord(sign):04X}"


def _float(value: float) -> str:
    if math.isnan(value):
        return "nan"
    return ("inf" if value > 0 else "-inf") if math.isinf(value) else repr(value)


Writes = list[tuple[Span, str]]


def put_in(text: str, value: Value, index: int, new: Sequence[str], padding: str = "") -> Writes:
    """Put texts in front of item number `index`, or behind the last."""
    inner = value.inner
    if not inner:
        return _put_in_empty(text, value, new, padding)
    if index < len(inner):
        return [_put_before(text, value, index, new)]
    return _put_behind(text, value, new)


def _put_in_empty(text: str, value: Value, new: Sequence[str], padding: str) -> Writes:
    inside = Span(value.span.start + 1, value.span.end - 1)
    has_comments = bool(inside.of(text).strip())
    if has_comments and begins_line(text, inside.end):
        at = line_start(text, inside.end)
        indent = indent_of(text[line_above(text, at) : at])
        return [(Span(at, at), "".join(f"{indent}{one},\n" for one in new))]
    pad = padding if value.form == "inline" else ""
    place = Span(inside.start, inside.start) if has_comments else inside
    return [(place, f"{pad}{', '.join(new)}{pad}")]


def _put_before(text: str, value: Value, index: int, new: Sequence[str]) -> tuple[Span, str]:
    item = value.inner[index]
    if not begins_line(text, item.start):
        at = item.start
        return Span(at, at), "".join(f"{one}{_comma(text, value)}" for one in new)
    low = line_end(text, value.inner[index - 1].end) if index else value.span.start
    at = comments_above(text, line_start(text, item.start), low)
    return Span(at, at), "".join(f"{indent_at(text, item.start)}{one},\n" for one in new)


def _put_behind(text: str, value: Value, new: Sequence[str]) -> Writes:
    last = value.inner[-1]
    comma = comma_behind(text, last.end) if value.has_comma else None
    if not begins_line(text, last.start):
        if comma is not None:
            return [(Span(comma + 1, comma + 1), "".join(f" {one}," for one in new))]
        return [(Span(last.end, last.end), "".join(f"{_comma(text, value)}{one}" for one in new))]
    indent = indent_at(text, last.start)
    if comma is not None:
        if LINE_END.match(text, comma + 1) is None:
            return [(Span(comma + 1, comma + 1), "".join(f"\n{indent}{one}," for one in new))]
        at = line_end(text, comma)
        return [(Span(at, at), "".join(f"{indent}{one},\n" for one in new))]
    lines = f",\n{indent}".join(new)
    if LINE_END.match(text, last.end) is None:
        return [(Span(last.end, last.end), f",\n{indent}{lines}")]
    at = line_end(text, last.end)
    return [(Span(last.end, last.end), ","), (Span(at, at), f"{indent}{lines}\n")]


def take_out(text: str, value: Value, start: int, end: int) -> list[Span]:
    """What goes when the items from `start` up to `end` go, cut where earlier edits of the same call may have been."""
    inner = value.inner
    seams = [edge for item in inner[start:end][:1] + inner[start:end][-1:] for edge in item]
    inside = Span(value.span.start + 1, value.span.end - 1)
    if seams and start == 0 and end == len(inner) and "#" not in _without(text, inside, inner):
        return parted([inside], [*seams, line_start(text, seams[0]), line_end(text, seams[-1])])
    spans = [span for at in range(start, end) for span in _spans_of(text, value, inner, at)]
    if end == len(inner) and start and not value.has_comma:
        comma = comma_behind(text, inner[start - 1].end)
        spans += [Span(comma, comma + 1)] if comma is not None else []
    return parted(merged(spans), seams)


def _spans_of(text: str, value: Value, inner: tuple[Span, ...], at: int) -> list[Span]:
    """An item with its comma; with its line, where it has one of its own."""
    item = inner[at]
    is_last = at == len(inner) - 1
    comma = comma_behind(text, item.end) if not is_last or value.has_comma else None
    end = item.end if comma is None else comma + 1
    if begins_line(text, item.start) and LINE_END.match(text, end) and "#" not in text[item.end : end]:
        low = line_end(text, inner[at - 1].end) if at else value.span.start
        start = comments_above(text, line_start(text, item.start), max(low, line_end(text, value.span.start)))
        return [Span(start, line_end(text, end))]
    if not is_last:
        gap = text[end : inner[at + 1].start]
        return [Span(item.start, inner[at + 1].start if "\n" not in gap and "#" not in text[item.end : end] else end)]
    gap = text[inner[at - 1].end : item.start] if at else "\n"
    return [Span(item.start, end) if "\n" in gap else Span(inner[at - 1].end, item.end)]


def comma_behind(text: str, end: int) -> int | None:
    """Where the comma behind an item stands, if there is one."""
    found = BETWEEN.match(text, end)
    at = found.end() if found else end
    return at if text.startswith(",", at) else None


def begins_line(text: str, at: int) -> bool:
    """Whether nothing but blanks stands before it on its line."""
    return not text[line_start(text, at) : at].strip(" \t")


def _comma(text: str, value: Value) -> str:
    """A comma as this container has them."""
    inner = value.inner
    return "," if len(inner) > 1 and text[inner[0].end : inner[1].start] == "," else ", "


def _without(text: str, inside: Span, inner: Sequence[Span]) -> str:
    """What stands between the items."""
    ends = [inside.start, *(item.end for item in inner)]
    starts = [*(item.start for item in inner), inside.end]
    return "".join(text[end:start] for end, start in zip(ends, starts, strict=True))


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for a line with a pair: what the line starts with, and what else has to be written around it."""

    at: int
    indent: str = ""
    prefix: str = ""
    above: str = ""
    below: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """A document with its text."""

    text: str
    document: Document

    @property
    def style(self) -> Style:
        return style_of(self.text, self.document.sections)

    def head(self, number: int) -> int:
        """Where the lines of a section start, with the comments directly above its header."""
        span = self.document.sections[number].span
        start = line_start(self.text, span.start)
        return comments_above(self.text, start, self._end_before(number))

    def tail(self, number: int) -> int:
        """Where the lines of a section end, with the comments directly below its last pair."""
        sections = self.document.sections
        high = self.head(number + 1) if number + 1 < len(sections) else len(self.text)
        span = sections[number].span
        end = 0 if span.is_empty else line_end(self.text, span.end)
        return comments_below(self.text, end, high)

    def own_lines(self, number: int) -> int:
        """As `head`, but comments at the head of the file are the file's."""
        head = self.head(number)
        return head or line_start(self.text, self.document.sections[number].span.start)

    def pair_lines(self, home: int, pair: Pair) -> Span:
        """The lines of a pair, with the comments that are its own."""
        section = self.document.sections[home]
        at = next(number for number, other in enumerate(section.pairs) if other is pair)
        return Sheet(self.text, self.document.sections).entry_lines(home, at)

    def _end_before(self, number: int) -> int:
        """Where the last line with content before a section ends."""
        ends = [section.span.end for section in self.document.sections[max(number - 1, 0) : number]]
        return line_end(self.text, ends[-1]) if ends and ends[-1] else 0

    @property
    def parts_sections(self) -> bool:
        """Whether an empty line stands between sections."""
        heads = [self.head(number) for number in range(1, len(self.document.sections))]
        seen = [is_blank_line(self.text, line_above(self.text, head)) for head in heads if head]
        return any(seen) or not seen


def pair_slot(page: Page, container: Item, index: int) -> Slot:
    """Where a pair goes in a table that is written in lines: before child number `index`, or behind the last pair."""
    note = note_of(container)
    if note.home is None:
        return _new_header(page, container)
    siblings = note.pairs if note.form == "dotted" else page.document.sections[note.home].pairs
    child = note_of(container.children[index]) if index < len(container.children) else None
    if child is not None and child.pairs and child.home == note.home:
        at = page.pair_lines(note.home, child.pairs[0]).start
        return _beside(page, container, child.pairs[0], at)
    if siblings:
        return _beside(page, container, siblings[-1], line_end(page.text, siblings[-1].span.end))
    return _first_in(page, note.home)


def _beside(page: Page, container: Item, like: Pair, at: int) -> Slot:
    start = like.key[0].span.start
    indent = indent_at(page.text, start)
    return Slot(at, indent, dotted_prefix(page.text, container, like))


def dotted_prefix(text: str, container: Item, like: Pair) -> str:
    """What a pair of a table of dotted keys starts with, dot included."""
    note = note_of(container)
    if note.form != "dotted":
        return ""
    at = next(number for number, segment in enumerate(like.key) if segment.span in note.names)
    return text[like.key[0].span.start : like.key[at + 1].span.start]


def _first_in(page: Page, home: int) -> Slot:
    """The first pair of a section."""
    header = page.document.sections[home].header
    if header is not None:
        start = header.span.start
        return Slot(line_end(page.text, header.span.end), indent_at(page.text, start))
    if len(page.document.sections) > 1:
        return Slot(page.head(1), below="\n")
    is_below_comment = page.text.strip() and not page.text.endswith(("\n\n", "\r\n\r\n"))
    return Slot(len(page.text), above="\n" if is_below_comment else "")


def _new_header(page: Page, container: Item) -> Slot:
    """The first pair of a table that is only named in the headers of its tables: it gets a header of its own."""
    first = note_of(container).sections[0]
    return Slot(page.head(first), above=f"[{written_name(page, container)}]\n", below="\n" * page.parts_sections)


def render_line(page: Page, slot: Slot, container: Item, name: str, value: str) -> str:
    """A pair for a slot, its `=` where its siblings have theirs."""
    key = slot.prefix + render_key(name, _like(page.text, container))
    return f"{slot.indent}{key}{_equals(page, container, key)}{value}"


def _like(text: str, container: Item) -> str:
    """A name in quotes, if all of the siblings are."""
    names = [child.name.of(text) for child in container.children if child.name is not None]
    return names[0] if names and len({name[0] for name in names}) == 1 else ""


def _equals(page: Page, container: Item, key: str) -> str:
    home = note_of(container).home
    pairs = page.document.sections[home].pairs if home is not None else ()
    if not pairs:
        return page.style.equals
    widths = {pair.key[-1].span.end - pair.key[0].span.start for pair in pairs}
    columns = {_column(page.text, pair) for pair in pairs}
    usual = equals_of(page.text, pairs[-1])
    if len(widths) > 1 and len(columns) == 1:
        return " " * max(columns.pop() - len(key), 1) + usual.lstrip(" \t")
    return usual if len(usual) <= 3 else page.style.equals


def _column(text: str, pair: Pair) -> int:
    """How far behind the start of its key the `=` of a pair stands."""
    return text.index("=", pair.key[-1].span.end) - pair.key[0].span.start


def write_lines(page: Page, slot: Slot, lines: str) -> tuple[Span, str]:
    """Lines, without the ending of the last, at a slot."""
    return insertion(page.text, slot.at, f"{slot.above}{lines}{slot.below}")


def section_slot(page: Page, container: Item, index: int) -> tuple[int, bool]:
    """Where a section goes in a table or an array of tables; true where it goes before another of it."""
    note = note_of(container)
    child = note_of(container.children[index]) if index < len(container.children) else None
    if child is not None and child.sections:
        return page.head(child.sections[0]), True
    if note.form == "root":
        return _end_of_root(page), False
    return page.tail(note.sections[-1]), False


def _end_of_root(page: Page) -> int:
    last = page.document.sections[-1]
    is_bare = last.header is None and not last.pairs
    return len(page.text) if is_bare else page.tail(len(page.document.sections) - 1)


def write_sections(page: Page, place: tuple[int, bool], lines: str) -> tuple[Span, str]:
    """Sections, without the ending of their last line, parted from the others as the file does it."""
    at, is_before = place
    gap = "\n" if page.parts_sections else ""
    if is_before:
        return insertion(page.text, at, f"{lines}{gap}")
    return insertion(page.text, at, f"{gap if page.text[:at].strip() else ''}{lines}")


def written_name(page: Page, table: Item, name: str | None = None) -> str:
    """The name of a table, or of one in it, for a header: the table's as the first header that has it writes it."""
    depth = sum(isinstance(step, str) for step in table.path)
    headers = (page.document.sections[number].header for number in note_of(table).sections if depth)
    keys = [header.key for header in headers if header is not None and depth <= len(header.key)]
    own = page.text[keys[0][0].span.start : keys[0][depth - 1].span.end] if keys else render_table(table.path)
    return own if name is None else ".".join(part for part in (own, render_key(name)) if part)


def render_table(path: KeyPath) -> str:
    """The name of a table in its header; positions in arrays of tables are not written.

    >>> render_table(("a", 0, "b c"))
    'a."b c"'
    """
    return ".".join(render_key(step) for step in path if isinstance(step, str))
