"""Whole lines of configuration files, and the formats whose entries are lines.

Whole lines of configuration files: which comments belong to an entry, and how lines come and go.

Knows blanks, comment signs and line ends, and nothing of what the lines say.

Files of entries that are lines: a name and a value each, perhaps under the headers of sections.

What INI files and `.env` files have in common once they are read. Knows places; how a line is read is its format's.
What a file has many of is a tuple, which is made faster.

What can be done to files of lines, for every format of them; a format says how a line is read and written.

Messages and notes name names and never values: what such files hold may be secret.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import ClassVar, NamedTuple

from steadyhand.lazy import dataclass
from steadyhand.structure.config.item import Item, KeyPath, Plain, Reading
from steadyhand.structure.config.syntax import Syntax, in_steps, refuse
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.lines import NewlineFacts, body, line_start, to_lf
from steadyhand.text.pace import paced
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.visible import sized


def first_of(text: str) -> int:
    """Where the first line starts: behind the mark that some editors put at the head of a file."""
    return 1 if text.startswith("\ufeff") else 0


def line_end(text: str, at: int) -> int:
    """Where the line that an offset lies in ends, its ending included.

    >>> line_end("a\\r\\nb", 0), line_end("a\\r\\nb", 3)
    (3, 4)
    """
    lf = text.find("\n", at)
    cr = text.find("\r", at, lf if lf >= 0 else len(text))
    if cr >= 0:
        return cr + (2 if cr + 1 == lf else 1)
    return len(text) if lf < 0 else lf + 1


def is_blank_line(text: str, start: int) -> bool:
    """Whether the line that starts there has nothing on it; the end of the text is no line."""
    return start < len(text) and not text[start : line_end(text, start)].strip(" \t\r\n")


def is_comment_line(text: str, start: int, signs: str = "#") -> bool:
    """Whether the line that starts there is a comment."""
    return text[start : line_end(text, start)].lstrip(" \t")[:1] in tuple(signs)


def line_above(text: str, start: int) -> int:
    """Where the line before the one that starts at `start` starts; `start` is not 0."""
    at = start - 2 if text[start - 2 : start] == "\r\n" else start - 1
    return line_start(text, at)


def comments_above(text: str, start: int, low: int, signs: str = "#") -> int:
    """Where the comment lines directly above a line start, no further up than `low`.

    >>> comments_above("a\\n# b\\n# c\\nd", 10, 0)
    2
    """
    while start > low:
        above = line_above(text, start)
        if above < low or not is_comment_line(text, above, signs):
            break
        start = above
    return start


def comments_below(text: str, start: int, high: int, signs: str = "#") -> int:
    """Where the comment lines that start directly at `start` end, no further down than `high`."""
    while start < high and is_comment_line(text, start, signs):
        start = line_end(text, start)
    return start


def own_head(text: str, span: Span, low: int, *, follows_entry: bool, signs: str = "#") -> int:
    """Where the lines of an entry start, with the comments above that are its own.

    Comments at the head of the file, and those that head several entries, stay when one of them goes: `follows_entry`
    says that an entry, no header, ends at `low`.
    """
    start = line_start(text, span.start, low)
    first = comments_above(text, start, low, signs)
    end = line_end(text, span.end)
    is_next_entry = end < len(text) and not is_blank_line(text, end) and not is_comment_line(text, end, signs)
    is_group = is_next_entry and text[end : line_end(text, end)].lstrip(" \t")[:1] != "["
    if first == start or first == 0 or (is_group and not (follows_entry and first == low)):
        return start
    return first


def removal(text: str, span: Span) -> list[Span]:
    """What to take away so that whole lines go and no gap stays: of two gaps one, at the end of the file none.

    The lines and what goes with them are parted: earlier edits of the same call may have taken lines between them.
    """
    start, end = span
    while start and end == len(text) and is_blank_line(text, above := line_above(text, start)):
        start = above
    if not start or is_blank_line(text, line_above(text, start)):
        while is_blank_line(text, end):
            end = line_end(text, end)
    first = start
    if end == len(text) and start and not text.endswith(("\n", "\r")):
        first -= 2 if text[start - 2 : start] == "\r\n" else 1
    return parted([Span(first, end)], (start, *span))


def insertion(text: str, at: int, lines: str) -> tuple[Span, str]:
    """New lines, without their last ending, in front of the line that starts at `at`, or behind the last."""
    at = max(at, first_of(text))
    if at == len(text) and text and not text.endswith(("\n", "\r")):
        return Span(at, at), f"\n{lines}"
    return Span(at, at), f"{lines}\n"


def with_endings_of(carried: str, new: str) -> str:
    """New lines around a text that is carried to another place get its line endings, where it has one kind only.

    >>> with_endings_of("a\\r\\nb", "# c\\na\\r\\nb\\n")
    '# c\\r\\na\\r\\nb\\r\\n'
    """
    ending = NewlineFacts.of(carried).uniform
    return new if ending in (None, "\n") else to_lf(new).replace("\n", ending)


def parted(spans: list[Span], seams: Iterable[int]) -> list[Span]:
    """The same spans, cut at some places.

    >>> parted([Span(0, 6), Span(8, 9)], (4, 0))
    [Span(start=0, end=4), Span(start=4, end=6), Span(start=8, end=9)]
    """
    known = set(seams)
    cuts = [sorted({*span, *(seam for seam in known if span.start < seam < span.end)}) for span in spans]
    return [Span(*edge) for cut in cuts for edge in pairwise(cut)]


def merged(spans: list[Span]) -> list[Span]:
    """Spans in order, those that touch or overlap made one.

    >>> merged([Span(4, 6), Span(0, 2), Span(2, 3)])
    [Span(start=0, end=3), Span(start=4, end=6)]
    """
    made: list[Span] = []
    for span in sorted(spans):
        if made and made[-1].end >= span.start:
            made[-1] = Span(made[-1].start, max(made[-1].end, span.end))
        else:
            made.append(span)
    return made


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


Write = tuple[Span, str]


class LineSyntax(Syntax):
    """A format whose entries are lines."""

    typed: ClassVar[bool] = False
    has_sections: ClassVar[bool] = False

    @abstractmethod
    def parse(self, source: Source) -> LineFile | Refusal:
        """The file as sections and entries."""

    @abstractmethod
    def check_name(self, source: Source, name: str) -> Refusal | None:
        """Why an entry cannot have a name, if it cannot."""

    @abstractmethod
    def render(self, source: Source, entry: LineEntry | None, value: Plain) -> str | Refusal:
        """A value as the format writes it, in the place of an entry's or as a new one's."""

    @abstractmethod
    def render_line(self, source: Source, section: LineSection, name: str, written: str) -> str:
        """A new line, as its siblings are."""

    @abstractmethod
    def put_value(self, source: Source, entry: LineEntry, written: str) -> list[Write]:
        """Put a written value in the place of an entry's."""

    def read(self, source: Source) -> Reading | Refusal:
        file = source.derive(self.parse)
        return file if isinstance(file, Refusal) else Reading((file.top(),), self.folds(source))

    def set_value(self, source: Source, item: Item, value: Plain) -> Proposal | Refusal:
        file, note = self.file(source), note_of(item)
        if note.section is None or note.entry is None:
            return refuse("only the keys of a section have values", "set its keys one by one")
        entry = file.sections[note.section].entries[note.entry]
        written = self.render(source, entry, value)
        if isinstance(written, Refusal):
            return written
        behind = source.text[entry.value.end : line_end(source.text, entry.value.end)].strip("\r\n")
        notes = ("the comment behind the value is kept",) if behind.strip() else ()
        apart = " " if behind[:1] in tuple(file.signs) else ""
        writes = [(span, new + apart) for span, new in self.put_value(source, entry, written)]
        return Proposal.of(source, *writes, notes=notes)

    def put_raw(self, source: Source, item: Item, written: str) -> Proposal | Refusal:
        new = written.strip(" \t\r\n") if item.path else written
        return Proposal.of(source, (item.value, new))

    def add(self, source: Source, container: Item, name: str, value: Plain, index: int) -> Proposal | Refusal:
        number = note_of(container).section
        if isinstance(value, Mapping) and number is None and self.has_sections:
            return self._add_section(source, container, name, value, index)
        if number is None and (refusal := self.check_loose(source)):
            return refusal
        line = self._line(source, self.file(source).sections[number or 0], name, value)
        if isinstance(line, Refusal):
            return line
        return Proposal.of(source, self._put_lines(source, number or 0, container, index, line))

    def append(self, source: Source, container: Item, value: Plain, index: int) -> Proposal | Refusal:  # noqa: ARG002
        return refuse("this format has no lists", "add a key with add-key")

    def rename(self, source: Source, item: Item, name: str) -> Proposal | Refusal:
        if note_of(item).entry is None:
            refusal = check_section_name(name)
        else:
            refusal = self.check_name(source, name)
        assert item.name is not None
        return refusal or Proposal.of(source, (item.name, name))

    def delete(self, source: Source, item: Item) -> Proposal | Refusal:
        return Proposal.of(source, *((span, "") for span in removal(source.text, self._lines(source, item))))

    def move(self, source: Source, item: Item, container: Item, name: str | None, index: int) -> Proposal | Refusal:
        if refusal := self._check_move(source, item, container, name):
            return refusal
        lines = self._lines(source, item)
        assert item.name is not None
        assert name is not None
        text = f"{source.text[lines.start : item.name.start]}{name}{source.text[item.name.end : lines.end]}"
        carried = body(text)
        gone, place = self.delete(source, item), _without(item, container, index)

        def put(left: Source) -> Proposal | Refusal:
            there = self._again(left, container)
            number = note_of(there).section
            if item.is_container:
                span, new = self._put_section(left, there, place, carried)
            else:
                span, new = self._put_lines(left, number or 0, there, place, carried)
            return Proposal.of(left, (span, with_endings_of(carried, new)))

        return in_steps(source, self.read, [lambda _: gone, put])

    def insert_raw(self, source: Source, container: Item, written: str, index: int) -> Proposal | Refusal:
        found = self.entries(source, written, container.kind)
        if isinstance(found, Refusal):
            return found
        number, lines = note_of(container).section, to_lf(written).strip("\n")
        if any(item.is_container for item in found[1]):
            if number is not None or not all(item.is_container for item in found[1]):
                return refuse("sections can only be inserted among sections", "insert its keys, or use add-key")
            return Proposal.of(source, self._put_section(source, container, index, lines))
        if number is None and (refusal := self.check_loose(source)):
            return refusal
        return Proposal.of(source, self._put_lines(source, number or 0, container, index, lines))

    def _check_move(self, source: Source, item: Item, container: Item, name: str | None) -> Refusal | None:
        number = note_of(container).section
        if item.is_container and number is not None:
            return refuse("a section cannot be inside a section", "move its keys one by one")
        if name is None or item.is_container:
            return check_section_name(name or "")
        return self.check_name(source, name) or (self.check_loose(source) if number is None else None)

    def folds(self, source: Source) -> bool:  # noqa: ARG002
        """Whether names that differ only in case are one name to the readers of a file."""
        return False

    def check_loose(self, source: Source) -> Refusal | None:  # noqa: ARG002
        """Why an entry cannot stand outside of all sections, if it cannot."""
        return None

    def file(self, source: Source) -> LineFile:
        """The file, which was read before."""
        file = source.derive(self.parse)
        assert isinstance(file, LineFile)
        return file

    def _line(self, source: Source, section: LineSection, name: str, value: Plain) -> str | Refusal:
        """A new line of a section."""
        if refusal := self.check_name(source, name):
            return refusal
        written = self.render(source, None, value)
        return written if isinstance(written, Refusal) else self.render_line(source, section, name, written)

    def _lines(self, source: Source, item: Item) -> Span:
        file, note = self.file(source), note_of(item)
        assert note.section is not None
        if note.entry is None:
            return file.section_lines(note.section)
        return file.entry_lines(note.section, note.entry)

    def _again(self, left: Source, container: Item) -> Item:
        """A container in the text that an item has left."""
        top = self.file(left).top()
        number = note_of(container).section
        return top if number is None else next(part for part in top.children if note_of(part) == note_of(container))

    def _put_lines(self, source: Source, number: int, container: Item, index: int, lines: str) -> Write:
        """Lines before child number `index`, where that is an entry, or behind the last entry."""
        file, text = self.file(source), source.text
        entries = file.sections[number].entries
        child = note_of(container.children[index]) if index < len(container.children) else None
        if child is not None and child.entry is not None:
            return insertion(text, file.entry_lines(number, child.entry).start, lines)
        if entries:
            return insertion(text, line_end(text, entries[-1].span.end), lines)
        if number:
            return insertion(text, line_end(text, file.sections[number].header.end), lines)
        return (
            insertion(text, file.head(1), f"{lines}\n") if len(file.sections) > 1 else insertion(text, len(text), lines)
        )

    def _add_section(
        self, source: Source, top: Item, name: str, value: Mapping[str, Plain], index: int
    ) -> Proposal | Refusal:
        if refusal := check_section_name(name):
            return refusal
        lines = [f"[{name}]"]
        file = self.file(source)
        like = next((part for part in reversed(file.sections) if part.entries), file.sections[0])
        for key, inner in value.items():
            line = self._line(source, like, key, inner)
            if isinstance(line, Refusal):
                return line
            lines.append(line)
        return Proposal.of(source, self._put_section(source, top, index, "\n".join(lines)))

    def _put_section(self, source: Source, top: Item, index: int, lines: str) -> Write:
        file, text = self.file(source), source.text
        heads = [file.head(number) for number in range(1, len(file.sections))]
        seen = [is_blank_line(text, line_above(text, head)) for head in heads if head]
        gap = "\n" if any(seen) or not seen else ""
        child = note_of(top.children[index]) if index < len(top.children) else None
        if child is not None and child.section:
            return insertion(text, file.head(child.section), f"{lines}{gap}")
        at = file.tail(len(file.sections) - 1) if len(file.sections) > 1 or file.sections[0].entries else len(text)
        return insertion(text, at, f"{gap if text[:at].strip() else ''}{lines}")


def check_section_name(name: str) -> Refusal | None:
    """Why a section cannot have a name, if it cannot."""
    if name.strip() == name and name and not any(sign in name for sign in "\r\n"):
        return None
    return refuse("a section's name is one line, without blanks around it", "choose another name")


def text_of(value: Plain) -> str | Refusal:
    """A scalar as the text it is written as in formats without types."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case int() | float():
            return str(value)
        case None:
            return refuse("this format has no null", "send an empty text, or take the key away with delete-key")
        case _:
            return refuse("this format has neither lists nor mappings here", "send a text, a number or a flag")


def equals_like(text: str, section: LineSection, others: Callable[[], str]) -> tuple[str, str]:
    """The indentation of the last entry of a section, and what stands between its name and its value."""
    found = next((entry for entry in reversed(section.entries) if entry.data), None)
    if found is None:
        last = section.entries[-1] if section.entries else None
        return margin(text, last.name_span.start) if last else "", others()
    return margin(text, found.name_span.start), text[found.name_span.end : found.value.start]


def margin(text: str, at: int) -> str:
    """What stands before an entry on its line."""
    return text[line_start(text, at) : at].removeprefix("\ufeff")


def _without(item: Item, container: Item, index: int) -> int:
    """A number among the children of a container once an item is gone."""
    return index - sum(child is item for child in container.children[:index])
