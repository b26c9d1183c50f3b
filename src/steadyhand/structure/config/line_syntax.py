"""What can be done to files of lines, for every format of them; a format says how a line is read and written.

Messages and notes name names and never values: what such files hold may be secret.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar

from steadyhand.structure.config.item import Item, Plain, Reading
from steadyhand.structure.config.line_file import LineEntry, LineFile, LineSection, note_of
from steadyhand.structure.config.lines import insertion, is_blank_line, line_above, line_end, removal, with_endings_of
from steadyhand.structure.config.steps import in_steps
from steadyhand.structure.config.syntax import Syntax, refuse
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.lines import body, line_start, to_lf
from steadyhand.text.source import Source
from steadyhand.text.span import Span

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
            return refuse("a section cannot stand in a section", "move its keys one by one")
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
