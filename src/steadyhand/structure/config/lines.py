"""Formats whose entries are lines: a name and a value each, perhaps under the headers of sections.

What `.env` and INI files have in common; a format says how a line is read and written.
Messages and notes name names and never values: what such files hold may be secret.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar, NamedTuple, cast

from steadyhand.structure.config.item import Item, ItemKind, KeyPath, Plain
from steadyhand.structure.config.layout import Piece, Sheet, Write, line_end, removal, with_endings_of
from steadyhand.structure.config.syntax import Syntax
from steadyhand.structure.node import Proposal, Refusal, refuse
from steadyhand.text.lines import body, line_start, to_lf
from steadyhand.text.source import Source
from steadyhand.text.span import Span


def entry_of(path: KeyPath, name: Span, value: Span, data: str | None, behind_name: int) -> Item:
    """An entry. `data` is None where no value is written; the note says where the value may start."""
    kind: ItemKind = "null" if data is None else "text"
    return Item(path, kind, value, name, Span(name.start, max(value.end, name.end)), (), data, behind_name)


class Section(NamedTuple):
    """The entries below a header, which is what the sheet needs of them; the first section of a file has none."""

    header_span: Span | None
    items: Sequence[Item]

    @property
    def entry_spans(self) -> Sequence[Span]:
        return [item.entry for item in self.items]

    @property
    def span(self) -> Span:
        first = self.header_span or (self.items[0].entry if self.items else Span(0, 0))
        return Span(first.start, self.items[-1].entry.end if self.items else first.end)


def top_of(text: str, children: Iterable[Item]) -> Item:
    """A file as an item: the entries without a section, then the sections."""
    whole = Span(0, len(text))
    return Item((), "mapping", whole, None, whole, tuple(children))


class LineSyntax(Syntax):
    """A format whose entries are lines."""

    typed: ClassVar[bool] = False
    has_sections: ClassVar[bool] = False
    signs: ClassVar[str] = "#"

    @abstractmethod
    def check_name(self, source: Source, name: str) -> Refusal | None:
        """Why an entry cannot have a name, if it cannot."""

    @abstractmethod
    def render(self, source: Source, item: Item | None, value: Plain) -> str | Refusal:
        """A value as the format writes it, in the place of an entry's or as a new one's."""

    @abstractmethod
    def render_line(self, source: Source, siblings: Sequence[Item], name: str, written: str) -> str:
        """A new line, as its siblings are."""

    @abstractmethod
    def put_value(self, source: Source, item: Item, written: str) -> Write:
        """Put a written value in the place of an entry's."""

    def check_loose(self, source: Source) -> Refusal | None:  # noqa: ARG002
        """Why an entry cannot be outside of all sections, if it cannot."""
        return None

    def sections(self, source: Source) -> list[Section]:
        """The sections of a file that was read before; the first has no header."""
        top = self.known(source).documents[0].children
        loose = Section(None, [item for item in top if not item.is_container])
        return [loose, *(Section(cast("Span", item.note), item.children) for item in top if item.is_container)]

    def _sheet(self, source: Source) -> Sheet:
        return Sheet(source.text, self.sections(source), self.signs)

    def write(self, source: Source, item: Item, value: Plain) -> Proposal | Refusal:
        if item.is_container:
            return refuse("only the keys of a section have values", "set its keys one by one")
        written = self.render(source, item, value)
        if isinstance(written, Refusal):
            return written
        behind = source.text[item.value.end : line_end(source.text, item.value.end)].strip("\r\n")
        notes = ("the comment after the value is kept",) if behind.strip() else ()
        span, new = self.put_value(source, item, written)
        return Proposal.of(source, (span, new + " " * (behind[:1] in tuple(self.signs))), notes=notes)

    def set_value(self, source: Source, item: Item, value: Plain) -> Proposal | Refusal:
        return self.write(source, item, value)

    def put_raw(self, source: Source, item: Item, written: str) -> Proposal | Refusal:
        return Proposal.of(source, (item.value, written.strip(" \t\r\n") if item.path else written))

    def compose(self, source: Source, container: Item, name: str | None, value: Plain, index: int) -> Piece | Refusal:  # noqa: ARG002
        assert name is not None  # there are no sequences
        sections = self.sections(source)
        if isinstance(value, Mapping) and not container.path and self.has_sections:
            like = next((part for part in reversed(sections) if part.items), sections[0]).items
            lines = [self._line(source, like, key, inner) for key, inner in value.items()]
            refusal = check_section_name(name) or next((line for line in lines if isinstance(line, Refusal)), None)
            return refusal or Piece("\n".join([f"[{name}]", *map(str, lines)]), is_section=True)
        siblings = container.children if container.path else sections[0].items
        line = (None if container.path else self.check_loose(source)) or self._line(source, siblings, name, value)
        return line if isinstance(line, Refusal) else Piece(line)

    def _line(self, source: Source, siblings: Sequence[Item], name: str, value: Plain) -> str | Refusal:
        written = self.check_name(source, name) or self.render(source, None, value)
        return written if isinstance(written, Refusal) else self.render_line(source, siblings, name, written)

    def lift(self, source: Source, item: Item, container: Item, name: str | None) -> Piece | Refusal:
        if item.is_container and container.path:
            return refuse("a section cannot be inside a section", "move its keys one by one")
        refusal = check_section_name(name or "") if item.is_container else self.check_name(source, name or "")
        if refusal is None and not item.is_container and not container.path:
            refusal = self.check_loose(source)
        assert item.name is not None
        lines = self._lines(source, item)
        before, after = Span(lines.start, item.name.start), Span(item.name.end, lines.end)
        text = f"{before.of(source.text)}{name}{after.of(source.text)}"
        return refusal or Piece(body(text), is_section=item.is_container)

    def put(self, source: Source, container: Item, index: int, pieces: Sequence[Piece]) -> list[Write] | Refusal:
        sheet = self._sheet(source)
        lines = "\n".join(piece.entry for piece in pieces)
        child = container.children[index] if index < len(container.children) else None
        if pieces[0].is_section:
            number = self._number(source, child) if child and child.is_container else None
            span, new = sheet.put_block(number, None, lines)
        else:
            before = index if child and not child.is_container else None
            span, new = sheet.put_lines(self._number(source, container), lines, before)
        return [(span, with_endings_of(lines, new))]

    def remove(self, source: Source, item: Item) -> list[Write] | Refusal:
        return [(span, "") for span in removal(source.text, self._lines(source, item))]

    def rename(self, source: Source, item: Item, name: str) -> Proposal | Refusal:
        refusal = check_section_name(name) if item.is_container else self.check_name(source, name)
        assert item.name is not None
        return refusal or Proposal.of(source, (item.name, name))

    def insert_raw(self, source: Source, container: Item, written: str, index: int) -> Proposal | Refusal:
        found = self.entries(source, written, container.kind)
        if isinstance(found, Refusal):
            return found
        is_section = any(item.is_container for item in found[1])
        if is_section and (container.path or not all(item.is_container for item in found[1])):
            return refuse("sections can only be inserted among sections", "insert its keys, or use add-key")
        refusal = None if is_section or container.path else self.check_loose(source)
        piece = Piece(to_lf(written).strip("\n"), is_section=is_section)
        return refusal or self.written(source, container, index, [piece])

    def _lines(self, source: Source, item: Item) -> Span:
        sheet = self._sheet(source)
        if item.is_container:
            number = self._number(source, item)
            return sheet.block_lines(number, number)
        section, at = self.known(source).family(item)
        return sheet.entry_lines(self._number(source, section), at)

    def _number(self, source: Source, container: Item) -> int:
        """Which section a container is; 0 for the top."""
        if not container.path:
            return 0
        headers = [section.header_span for section in self.sections(source)]
        return headers.index(cast("Span", container.note))


def check_section_name(name: str) -> Refusal | None:
    """Why a section cannot have a name, if it cannot."""
    if name.strip() == name and name and not any(sign in name for sign in "\r\n"):
        return None
    return refuse("a section's name is one line, without surrounding spaces", "choose another name")


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
            return refuse("this format has no null", "send an empty text, or remove the key with delete-key")
        case _:
            return refuse("this format has neither lists nor mappings here", "send a text, a number or a flag")


def equals_like(text: str, siblings: Sequence[Item], others: Callable[[], str]) -> tuple[str, str]:
    """The indentation of the last entry of a section, and what is between its name and its value."""
    found = next((item for item in reversed(siblings) if item.data), None)
    like = found or (siblings[-1] if siblings else None)
    indent = "" if like is None or like.name is None else margin(text, like.name.start)
    if found is None or found.name is None:
        return indent, others()
    return indent, text[found.name.end : found.value.start]


def margin(text: str, at: int) -> str:
    """What is before an entry on its line."""
    return text[line_start(text, at) : at].removeprefix("\ufeff")
