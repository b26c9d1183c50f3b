"""What is known of a Markdown text: its parts by row, the quotes and list items they are in, and its front matter.

Marks are data about one source; they never change and never write. Rows count from 0; ends are half-open.

Front matter is YAML between `---` lines or TOML between `+++` lines, at the very top only. A `---` that nothing closes
is a thematic break, and so is one whose lines hold no key: headings between two such breaks are never taken for
comments of a YAML text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from types import MappingProxyType
from typing import Literal

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass, lazy_pattern, replace
from steadyhand.structure.format import Change, Fault
from steadyhand.structure.node import Refusal
from steadyhand.text.lines import LineTable
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_TAB = 4

MarkKind = Literal["heading", "fence", "indented", "table", "paragraph", "html", "rule"]


@dataclass(frozen=True, slots=True)
class Container:
    """A quote or list item, or the root (number 0) that everything is in.

    `column` is where the content of a list item starts, in columns from the margin; `parent` is a number in the list.
    """

    kind: Literal["root", "quote", "item"]
    first: int
    end: int
    parent: int
    column: int = 0


@dataclass(frozen=True, slots=True)
class Mark:
    """One leaf of a text: rows `first` to `end`, standing in a container.

    `text` is a heading's or paragraph's words as written, the info string of a fence, nothing for others.
    `level` is a heading's level or a table's number of columns; `markup` the characters that make it what it is.
    `code` is what a code block says, each line ended by LF.
    """

    kind: MarkKind
    first: int
    end: int
    container: int
    text: str = ""
    level: int = 0
    markup: str = ""
    is_closed: bool = True
    code: str = ""

    @property
    def is_setext(self) -> bool:
        return self.kind == "heading" and not self.markup.startswith("#")

    @property
    def content_rows(self) -> tuple[int, int]:
        """The rows between the fences; of indented code all of them."""
        if self.kind != "fence":
            return self.first, self.end
        return self.first + 1, self.end - (1 if self.is_closed else 0)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with the rows it rules: to the next heading of its level or above, in the same container.

    `own_end` is where the next heading of any level starts. `path` is the words of the headings above it, and its own.
    """

    number: int
    mark: Mark
    path: tuple[str, ...]
    end: int
    own_end: int


@dataclass(frozen=True, slots=True)
class Item:
    """A list item. `inside` is the number of its own container, `container` that of the list's; `list` numbers lists.

    `marker` is the bullet, or the number with its delimiter; `paragraph` its words, where it starts with such.
    """

    number: int
    first: int
    end: int
    container: int
    inside: int
    list: int
    marker: str
    is_loose: bool
    paragraph: Mark | None


@dataclass(frozen=True, slots=True)
class Definition:
    """Where a link's label, such as `[label]: address`, is defined; labels as the parser compares them."""

    label: str
    first: int
    end: int


@dataclass(frozen=True, slots=True)
class Front:
    """Front matter: rows `first` to `end` with its marks, which are the first and the last of them."""

    mark: Literal["---", "+++"]
    end: int

    @property
    def syntax(self) -> str:
        return "yaml" if self.mark == "---" else "toml"


@dataclass(frozen=True)
class Document:
    """A Markdown text as its parser reads it."""

    rows: Sequence[str]
    table: LineTable
    front: Front | None
    containers: tuple[Container, ...]
    marks: tuple[Mark, ...]
    sections: tuple[Section, ...]
    items: tuple[Item, ...]
    definitions: tuple[Definition, ...] = ()
    lead: int = 0  # how many characters are before the first row: one, where that is a byte order mark

    @cached_property
    def tops(self) -> tuple[int, ...]:
        """Where each quote, each list and each leaf of the root starts: rows from which the rest can be read alone."""
        starts = {mark.first for mark in self.marks if not mark.container}
        starts.update(one.first for one in self.containers[1:] if not one.parent and one.kind == "quote")
        lists: dict[int, int] = {}
        for item in self.items:
            if not item.container:
                lists.setdefault(item.list, item.first)
        return tuple(sorted(starts.union(lists.values())))

    @cached_property
    def headings(self) -> tuple[Mark, ...]:
        return tuple(section.mark for section in self.sections)

    @cached_property
    def codes(self) -> tuple[Mark, ...]:
        return tuple(mark for mark in self.marks if mark.kind in ("fence", "indented"))

    @cached_property
    def tables(self) -> tuple[Mark, ...]:
        return tuple(mark for mark in self.marks if mark.kind == "table")

    @property
    def count(self) -> int:
        return len(self.rows)

    def chain(self, container: int) -> Iterator[Container]:
        """The containers a container is in, outermost first, and itself; the root is left out."""
        numbers: list[int] = []
        while container:
            numbers.append(container)
            container = self.containers[container].parent
        return (self.containers[number] for number in reversed(numbers))

    def is_blank(self, row: int, container: int = 0) -> bool:
        """Whether a row has nothing in it but blanks and the marks of the quotes around."""
        has_quote = container and any(one.kind == "quote" for one in self.chain(container))
        return not self.rows[row].strip(" \t>" if has_quote else " \t")

    def last_row(self, first: int, end: int, container: int = 0) -> int:
        """The end of some rows without the blank ones at their end; `first` where all are blank."""
        while end > first and self.is_blank(end - 1, container):
            end -= 1
        return end

    def content_start(self, row: int, container: int) -> int | None:
        """Where, in characters from the start of a row, a container's content starts; None in a lazy row.

        A blank row gives its length.
        """
        return past_containers(self.rows[row], self.chain(container), row)

    def is_led(self, row: int, container: int) -> bool:
        """Whether the marker of a list item around is in this row."""
        return bool(container) and any(one.kind == "item" and one.first == row for one in self.chain(container))

    def start_of(self, row: int, container: int) -> int:
        """Where what is in a row starts in the text: at the row's start, or behind the marker of its list item."""
        shift = self.content_start(row, container) if self.is_led(row, container) else 0
        return self.table.start(row) + shift if shift else self.at(row)

    def at(self, row: int) -> int:
        """Where a row starts in the text, behind whatever is before the first one."""
        return self.table.start(row) or self.lead

    def span_of(self, first: int, end: int, container: int) -> Span:
        """Rows as a span; behind a list marker the span has the last row without its ending."""
        if first >= end:
            return Span(self.table.start(first), self.table.start(first))
        start = self.start_of(first, container)
        if not self.is_led(first, container):
            return Span(start, self.table.start(end))
        return Span(start, max(start, self.table.start(end - 1) + len(self.rows[end - 1])))

    def plain(self, first: int, end: int, container: int) -> str:
        """Rows as they would be outside of their container, each ended by LF."""
        starts = [self.content_start(row, container) for row in range(first, end)]
        lines = [
            row.lstrip(" \t") if start is None else row[start:]
            for row, start in zip(self.rows[first:end], starts, strict=True)
        ]
        return "".join(f"{line}\n" for line in lines)

    def shows_prefix(self, row: int, container: int) -> bool:
        """Whether a row is written as a further line of a container is."""
        if self.is_led(row, container) or self.is_blank(row, container):
            return False
        return self.content_start(row, container) is not None

    def prefix(self, container: int, row: int | None = None) -> str:
        """What is in front of a container's lines: as `row` has it, else as the container's marks ask."""
        if row is not None:
            return self.rows[row][: self.content_start(row, container)]
        written = ""
        for one in self.chain(container):
            if one.kind == "item":
                written += " " * max(one.column - len(written.expandtabs(_TAB)), 0)
            else:
                written += "> "
        return written


def past_containers(text: str, chain: Iterable[Container], row: int) -> int | None:
    """Where the content of the last of some containers starts in a row; None in a lazy row."""
    at = column = 0
    for one in chain:
        if not text[at:].strip(" \t"):
            return len(text)
        found = past_quote(text, at, column) if one.kind == "quote" else _past_item(text, at, column, one, row)
        if found is None:
            return None
        at, column = found
    return at


def _past_blanks(text: str, at: int, column: int, most: int | None = None) -> tuple[int, int]:
    """Behind the blanks that are there, or as many as it takes to come to a column: position and column."""
    while at < len(text) and text[at] in " \t" and (most is None or column < most):
        column += _TAB - column % _TAB if text[at] == "\t" else 1
        at += 1
    return at, column


def past_quote(text: str, at: int, column: int) -> tuple[int, int] | None:
    """Behind the mark of a quote and the one blank that belongs to it."""
    at, column = _past_blanks(text, at, column)
    if at >= len(text) or text[at] != ">":
        return None
    at, column = at + 1, column + 1
    if at < len(text) and (text[at] == " " or (text[at] == "\t" and column % _TAB == _TAB - 1)):
        return at + 1, column + 1
    return at, column


def _past_item(text: str, at: int, column: int, item: Container, row: int) -> tuple[int, int] | None:
    if row == item.first:
        return past_marker(text, at, column)[:2]
    at, column = _past_blanks(text, at, column, item.column)
    return (at, column) if column >= item.column else None


def past_marker(text: str, at: int, column: int) -> tuple[int, int, str]:
    """Behind a list marker and the blanks that belong to it: position, column, and the marker."""
    at, column = _past_blanks(text, at, column)
    start = at
    while at < len(text) and text[at].isdigit():
        at += 1
    at = min(at + 1, len(text))
    column += at - start
    marker, (behind, further) = text[start:at], _past_blanks(text, at, column)
    if behind >= len(text):
        return behind, column + 1, marker
    return (at + 1, column + 1, marker) if further - column > _TAB else (behind, further, marker)


_YAML_KEY = lazy_pattern(r"[\"']?[^\s:#\"'\-\[{][^:]{0,200}:(?:\s|$)|[{]")
_TOML_KEY = lazy_pattern(r"\s*[^\s=#][^=]{0,200}=|\s*\[")
_LONGEST = 20_000
CLOSINGS: Mapping[str, tuple[str, ...]] = MappingProxyType({"---": ("---", "..."), "+++": ("+++",)})


def find_front(rows: Sequence[str]) -> Front | None:
    """The front matter of a text, by its rows.

    >>> find_front(["---", "title: x", "---", "text"])
    Front(mark='---', end=3)
    >>> find_front(["---", "", "# Title", "---"]) is None
    True
    """
    opening = rows[0].removeprefix("\ufeff").rstrip(" \t") if rows else ""
    mark: Literal["---", "+++"]
    if opening == "---":
        mark, key = "---", _YAML_KEY
    elif opening == "+++":
        mark, key = "+++", _TOML_KEY
    else:
        return None
    has_key = False
    for row, text in enumerate(islice(rows, 1, _LONGEST), start=1):
        if text.rstrip(" \t") in CLOSINGS[mark]:
            return Front(mark, row + 1) if has_key or row == 1 else None
        if row == 1 and not text.strip(" \t"):
            return None
        has_key = has_key or key.match(text) is not None
    return None


def front_span(table: LineTable, front: Front) -> Span:
    """What is between the marks."""
    return Span(table.start(1), table.start(front.end - 1))


def front_source(source: Source) -> Source:
    """What is between the marks, as a source of its own; empty where there is no front matter."""
    front = find_front(source.lines)
    return Source.of_text("" if front is None else front_span(source.table, front).of(source.text))


def in_front(refusal: Refusal) -> Refusal:
    """A refusal of the text between the marks, with the lines of the file, and hints that name front matter."""
    there = refusal.about_keys("front_matter")
    line = there.details.get("line")
    if not isinstance(line, int):
        return there
    message = f"line {line + 1}: {there.cause or there.message}"
    return replace(there, message=message, details={**there.details, "line": line + 1})


def fault_of(source: Source) -> Fault | None:
    """Where the front matter stops being YAML or TOML."""
    from steadyhand.structure.config.syntax import syntax_named

    front = find_front(source.lines)
    if front is None:
        return None
    read = syntax_named(front.syntax).read(source.derive(front_source))
    if not isinstance(read, Refusal) or read.kind != Kind.UNPARSABLE:
        return None
    there = in_front(read)
    line = there.details.get("line")
    return Fault(line if isinstance(line, int) else 1, f"front matter: {there.message}")


def is_neutral(change: Change) -> bool:
    """Whether a change is outside of front matter: there is none, or what may close it is before the change."""
    mark = change.after[:4].removeprefix("\ufeff")[:3]
    if mark not in ("---", "+++"):
        return True
    closing = re.compile(r"\n(?:---|\.\.\.)[ \t]*\n" if mark == "---" else r"\n\+\+\+[ \t]*\n")
    return closing.search(change.after, 0, change.start) is not None
