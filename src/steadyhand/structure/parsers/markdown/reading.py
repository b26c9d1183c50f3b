"""Reads Markdown: block structure only, with rows, by the one parser behind which nobody looks.

Nothing here reads what stands inside a line. Nesting is bounded before it can hurt: deeper texts are `too-large`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from steadyhand.errors import Kind
from steadyhand.structure.node import Refusal
from steadyhand.structure.parsers.markdown.front import find_front
from steadyhand.structure.parsers.markdown.marks import (
    Container,
    Document,
    Front,
    Item,
    Mark,
    MarkKind,
    Section,
    past_containers,
    past_marker,
    past_quote,
)
from steadyhand.text.source import Source

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

DEEPEST = 100
_LEAVES: dict[str, MarkKind] = {"fence": "fence", "code_block": "indented", "html_block": "html", "hr": "rule"}


def read_markdown(source: Source) -> Document | Refusal:
    """The structure of a Markdown text, read once per source. Refuses with `too-large` what is nested too deeply."""
    return source.derive(_read)


def known_markdown(source: Source) -> Document:
    """The structure of a text in which something was located already."""
    document = read_markdown(source)
    assert isinstance(document, Document)
    return document


def read_fragment(text: str) -> Document | Refusal:
    """The structure of a text that goes into another: it has no front matter, whatever it starts with."""
    return _read_rows(Source.of_text(text), None)


def _read(source: Source) -> Document | Refusal:
    return _read_rows(source, find_front(source.lines))


def _read_rows(source: Source, front: Front | None) -> Document | Refusal:
    rows = source.lines
    known = rows if front is None else [""] * front.end + rows[front.end :]
    reader = _Reader(rows)
    tokens = _tokens(known)
    deep = next((token for token in tokens if token.nesting == 1 and token.level + 1 >= DEEPEST), None)
    if deep is not None:
        line = deep.map[0] + 1 if deep.map else 1
        return Refusal(
            Kind.TOO_LARGE,
            f"line {line}: lists and quotes are nested more than {DEEPEST // 2} deep",
            "edit the lines by number or by their text",
            {"line": line},
        )
    for token in tokens:
        reader.take(token)
    marks = tuple(reader.marks)
    document = Document(rows, source.table, front, tuple(reader.containers), marks, (), tuple(reader.items))
    return replace(document, sections=_sections(document))


def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": DEEPEST}).enable("table")
    # Where links lead is nobody's business here, and the library's way to look at them raises on odd characters.
    parser.normalizeLink = str  # type: ignore[method-assign,assignment]
    parser.validateLink = _is_anything  # type: ignore[method-assign,assignment]
    return parser


def _is_anything(_: str) -> bool:
    return True


def _tokens(rows: Sequence[str]) -> list[Token]:
    parser = _parser()
    tokens: list[Token] = []
    text = "".join(f"{row}\n" for row in rows).replace("\0", "\ufffd")
    if text.startswith("\ufeff"):
        text = " " + text[1:]
    parser.block.parse(text, parser, {}, tokens)
    return tokens


class _Reader:
    """Takes the tokens in order; knows which containers are open."""

    def __init__(self, rows: Sequence[str]) -> None:
        self._rows = rows
        self._open = [0]
        self._lists: list[int] = []
        self._list_count = 0
        self._ignored = 0
        self._pending: Mark | None = None
        self._open_items: list[int] = []
        self._columns: dict[int, tuple[int, int, int]] = {}  # per container: row, position and column of its content
        self.containers = [Container("root", 0, len(rows), 0)]
        self.marks: list[Mark] = []
        self.items: list[Item] = []

    def take(self, token: Token) -> None:
        kind = token.type
        if self._ignored or kind == "table_open":
            self._take_table(token)
        elif kind in ("blockquote_open", "list_item_open"):
            self._enter(token)
        elif kind in ("blockquote_close", "list_item_close"):
            self._open.pop()
            if kind == "list_item_close":
                self._open_items.pop()
        elif kind in ("bullet_list_open", "ordered_list_open"):
            self._lists.append(self._list_count)
            self._list_count += 1
        elif kind in ("bullet_list_close", "ordered_list_close"):
            self._lists.pop()
        elif kind in ("heading_open", "paragraph_open"):
            self._pending = self._mark(token, "heading" if kind == "heading_open" else "paragraph")
        elif kind == "inline" and self._pending is not None:
            self._close_text(token)
        elif kind in _LEAVES:
            self._take_leaf(token)

    def _mark(self, token: Token, kind: MarkKind) -> Mark:
        first, end = token.map or (0, 0)
        level = int(token.tag[1]) if kind == "heading" else 0
        if kind == "paragraph" and not token.hidden and self._open_items:
            number = self._open_items[-1]
            if self.items[number].inside == self._open[-1]:
                self.items[number] = replace(self.items[number], is_loose=True)
        return Mark(kind, first, end, self._open[-1], "", level, token.markup)

    def _close_text(self, token: Token) -> None:
        assert self._pending is not None
        words = " ".join(line.strip(" \t") for line in token.content.split("\n"))
        mark = replace(self._pending, text=words.strip(" \t"))
        self._pending = None
        self.marks.append(mark)
        if mark.kind == "paragraph" and self._open_items:
            item = self.items[self._open_items[-1]]
            if item.inside == mark.container and item.paragraph is None and mark.first == item.first:
                self.items[item.number] = replace(item, paragraph=mark)

    def _take_leaf(self, token: Token) -> None:
        kind = _LEAVES[token.type]
        mark = self._mark(token, kind)
        if kind == "fence":
            is_closed = mark.end - mark.first - 1 - token.content.count("\n") == 1
            mark = replace(mark, text=token.info.strip(), is_closed=is_closed)
        elif kind == "indented":
            mark = replace(mark, end=mark.first + max(token.content.count("\n"), 1))
        self.marks.append(mark)

    def _take_table(self, token: Token) -> None:
        if token.type == "table_open":
            self._pending = self._mark(token, "table")
            self._ignored = 1
        elif token.type == "th_open" and self._pending is not None:
            self._pending = replace(self._pending, level=self._pending.level + 1)
        elif token.type == "table_close" and self._pending is not None:
            self.marks.append(self._pending)
            self._pending, self._ignored = None, 0

    def _enter(self, token: Token) -> None:
        first, end = token.map or (0, 0)
        parent, number = self._open[-1], len(self.containers)
        row, at, column = self._columns.get(parent, (-1, 0, 0))
        if row != first:
            at, column = self._start_in(first)
        if token.type == "blockquote_open":
            at, column = past_quote(self._rows[first], at, column) or (at, column)
            self.containers.append(Container("quote", first, end, parent))
        else:
            at, column, marker = past_marker(self._rows[first], at, column)
            end = self._trimmed(first, end)
            self.containers.append(Container("item", first, end, parent, column))
            item = Item(len(self.items), first, end, parent, number, self._lists[-1], marker, False, None)
            self._open_items.append(item.number)
            self.items.append(item)
        self._columns[number] = (first, at, column)
        self._open.append(number)

    def _start_in(self, row: int) -> tuple[int, int]:
        """Where the content of the open containers starts in a row that is not its first: position and column."""
        chain = [self.containers[number] for number in self._open if number]
        at = past_containers(self._rows[row], chain, row) or 0
        return at, len(self._rows[row][:at].expandtabs(4))

    def _trimmed(self, first: int, end: int) -> int:
        has_quote = any(self.containers[number].kind == "quote" for number in self._open)
        blanks = " \t>" if has_quote else " \t"
        while end > first + 1 and not self._rows[end - 1].strip(blanks):
            end -= 1
        return end


def _sections(document: Document) -> tuple[Section, ...]:
    headings = [mark for mark in document.marks if mark.kind == "heading"]
    ends, own_ends = _ends(document, headings)
    found: list[Section] = []
    above: list[int] = []
    for number, mark in enumerate(headings):
        while above and not _rules(document, found[above[-1]], mark):
            above.pop()
        path = (*found[above[-1]].path, mark.text) if above else (mark.text,)
        found.append(Section(number, mark, path, ends[number], own_ends[number]))
        above.append(number)
    return tuple(found)


def _rules(document: Document, section: Section, mark: Mark) -> bool:
    """Whether a heading stands under another: in its container and deeper, or in a container of its rows."""
    if section.mark.container == mark.container:
        return section.mark.level < mark.level
    return mark.first < section.end and _is_inside(document, mark.container, section.mark.container)


def _is_inside(document: Document, container: int, other: int) -> bool:
    while container > other:
        container = document.containers[container].parent
    return container == other


def _ends(document: Document, headings: Sequence[Mark]) -> tuple[list[int], list[int]]:
    """Where each section ends, and where its own text ends: one pass from the back, per container."""
    ends, own_ends = [0] * len(headings), [0] * len(headings)
    following: dict[int, list[Mark]] = {}  # per container: the headings behind, nearest last, levels falling
    for number in range(len(headings) - 1, -1, -1):
        mark = headings[number]
        behind = following.setdefault(mark.container, [])
        own_ends[number] = behind[-1].first if behind else document.containers[mark.container].end
        while behind and behind[-1].level > mark.level:
            behind.pop()
        ends[number] = behind[-1].first if behind else document.containers[mark.container].end
        behind.append(mark)
    return ends, own_ends
