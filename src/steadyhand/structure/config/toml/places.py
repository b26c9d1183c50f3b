"""Where in a TOML file pairs and sections stand and go: whole lines, with the comments that belong to them."""

from __future__ import annotations

from steadyhand.lazy import dataclass
from steadyhand.structure.config.item import Item, KeyPath
from steadyhand.structure.config.lines import (
    comments_above,
    comments_below,
    insertion,
    is_blank_line,
    line_above,
    line_end,
    own_head,
)
from steadyhand.structure.config.toml.parts import Pair
from steadyhand.structure.config.toml.tree import Document, note_of
from steadyhand.structure.config.toml.write import Style, equals_of, render_key, style_of
from steadyhand.text.indent import indent_at
from steadyhand.text.lines import line_start
from steadyhand.text.span import Span


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
        above = section.pairs[at - 1].span if at else section.header.span if section.header else None
        low = line_end(self.text, above.end) if above else 0
        start = own_head(self.text, pair.span, low, follows_entry=at > 0)
        return Span(start, line_end(self.text, pair.span.end))

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
    return Slot(page.head(first), above=f"[{render_table(container.path)}]\n", below="\n" * page.parts_sections)


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


def render_table(path: KeyPath) -> str:
    """The name of a table in its header; positions in arrays of tables are not written.

    >>> render_table(("a", 0, "b c"))
    'a."b c"'
    """
    return ".".join(render_key(step) for step in path if isinstance(step, str))
