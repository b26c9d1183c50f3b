"""Files of entries that are lines: a name and a value each, perhaps under the headers of sections.

What INI files and `.env` files have in common once they are read. Knows places; how a line is read is its format's.
What a file has many of is a tuple, which is made faster.
"""

from __future__ import annotations

from typing import NamedTuple

from steadyhand.lazy import dataclass
from steadyhand.structure.config.item import Item, KeyPath
from steadyhand.structure.config.lines import comments_above, comments_below, first_of, line_end, own_head
from steadyhand.text.lines import line_start
from steadyhand.text.pace import paced
from steadyhand.text.span import Span
from steadyhand.text.visible import sized


class LineEntry(NamedTuple):
    """A name and its value. `data` is None where no value is written; `behind_name` is where the value may start."""

    name: str
    name_span: Span
    value: Span
    data: str | None
    behind_name: int

    @property
    def span(self) -> Span:
        name, value = self.name_span, self.value
        return Span(name.start, value.end if value.end > name.end else name.end)


@dataclass(frozen=True, slots=True)
class LineSection:
    """A header with its entries; the first section of a file has none, and its name is empty."""

    name: str
    name_span: Span | None
    header: Span
    entries: tuple[LineEntry, ...]

    @property
    def span(self) -> Span:
        return Span(self.header.start, self.entries[-1].span.end if self.entries else self.header.end)


class LineNote(NamedTuple):
    """Which section and entry an item is, by their numbers; no entry: the section itself; no section: the top."""

    section: int | None = None
    entry: int | None = None


@sized("text")
@dataclass(frozen=True, slots=True)
class LineFile:
    """A file that was read. `signs` start its comments."""

    text: str
    sections: tuple[LineSection, ...]
    signs: str

    def top(self) -> Item:
        """The file as items: the entries without a section, then the sections."""
        whole = Span(0, len(self.text))
        loose = [_entry_item(entry, (), 0, at) for at, entry in enumerate(paced(self.sections[0].entries))]
        parts = [_section_item(part, number) for number, part in enumerate(paced(self.sections)) if number]
        return Item((), "mapping", whole, None, whole, (*loose, *parts), None, LineNote())

    def entry_lines(self, number: int, at: int) -> Span:
        """The lines of an entry, with the comments that are its own."""
        part = self.sections[number]
        low = self._low(number, at)
        start = own_head(self.text, part.entries[at].span, low, follows_entry=at > 0, signs=self.signs)
        return Span(max(start, first_of(self.text)), line_end(self.text, part.entries[at].span.end))

    def section_lines(self, number: int) -> Span:
        """The lines of a section, with the comments directly above it and directly below its last entry."""
        head = self.head(number)
        start = head or line_start(self.text, self.sections[number].header.start)
        return Span(max(start, first_of(self.text)), self.tail(number))

    def head(self, number: int) -> int:
        start = line_start(self.text, self.sections[number].header.start)
        return comments_above(self.text, start, self._end(number - 1), self.signs)

    def tail(self, number: int) -> int:
        high = self.head(number + 1) if number + 1 < len(self.sections) else len(self.text)
        return comments_below(self.text, self._end(number), high, self.signs)

    def _low(self, number: int, at: int) -> int:
        """Where the line before an entry's own lines ends, at the most."""
        part = self.sections[number]
        if at:
            return line_end(self.text, part.entries[at - 1].span.end)
        return line_end(self.text, part.header.end) if number else 0

    def _end(self, number: int) -> int:
        """Where the last line of a section ends."""
        part = self.sections[number]
        return line_end(self.text, part.span.end) if number or part.entries else 0


def _entry_item(entry: LineEntry, above: KeyPath, number: int, at: int) -> Item:
    return Item(
        path=(*above, entry.name),
        kind="null" if entry.data is None else "text",
        value=entry.value,
        name=entry.name_span,
        entry=entry.span,
        data=entry.data,
        note=LineNote(number, at),
    )


def _section_item(part: LineSection, number: int) -> Item:
    path = (part.name,)
    children = tuple(_entry_item(entry, path, number, at) for at, entry in enumerate(paced(part.entries)))
    return Item(path, "mapping", part.span, part.name_span, part.span, children, None, LineNote(number))


def note_of(item: Item) -> LineNote:
    """Which entry or section of its file an item is."""
    assert isinstance(item.note, LineNote)
    return item.note
