"""The reader of Markdown: whole texts, new text for a place, and the rows around a change.

Block structure only, with rows; nothing here reads what is inside a line. Nesting is bounded before it can hurt: deeper
texts are `too-large`. Files are read as Markdown by their suffix, and those whose suffix says nothing else.

New text for a place is plain lines: without the marks of the quotes and lists it goes into, and read on its own.
Nothing is ever stripped at the end of a line: two blanks there are a hard break.

What starts in the root is read without knowing what is above it, and the parser looks at most two rows ahead. So the
rows from some way above a change to three such parts beneath it tell all: where these parts are read as before, the
rest is.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from steadyhand.errors import Kind
from steadyhand.hints import ByText
from steadyhand.lazy import dataclass, replace
from steadyhand.structure.format import MARKDOWN, file_name, format_of
from steadyhand.structure.markdown.document import (
    CLOSINGS,
    Container,
    Definition,
    Document,
    Front,
    Item,
    Mark,
    MarkKind,
    Section,
    find_front,
    past_containers,
    past_marker,
    past_quote,
)
from steadyhand.structure.node import Proposal, Refusal, refuse
from steadyhand.text.cancel import check_cancelled, check_each
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source, once
from steadyhand.text.splice import Splice

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token


DEEPEST = 100
_MOST = 1_000_000  # tokens, some three for every block: more would take too long
_LINES = 32  # between two questions whether to go on
_LEAVES: dict[str, MarkKind] = {"fence": "fence", "code_block": "indented", "html_block": "html", "hr": "rule"}


def known_markdown(source: Source) -> Document:
    """The structure of a text in which something was located already."""
    document = read_markdown(source)
    assert isinstance(document, Document)
    return document


def read_fragment(text: str) -> Document | Refusal:
    """The structure of a text that goes into another: it has no front matter, whatever it starts with."""
    return _read_rows(Source.of_text(text), None)


@once
def read_markdown(source: Source) -> Document | Refusal:
    """The structure of a Markdown text, read once per source. Refuses with `too-large` what is too deep or too much."""
    return _read_rows(source, find_front(source.lines))


def _read_rows(source: Source, front: Front | None) -> Document | Refusal:
    rows = source.lines
    lead = int(source.text.startswith("\ufeff"))
    if lead:
        rows = [" " + rows[0][1:], *rows[1:]]
    known = rows if front is None else [""] * front.end + rows[front.end :]
    try:
        tokens, definitions = _tokens(known)
    except _TooMany as error:
        return error.refusal
    deep = next((token for token in tokens if token.nesting == 1 and token.level + 1 >= DEEPEST), None)
    if deep is not None:
        line = deep.map[0] + 1 if deep.map else 1
        return Refusal(
            Kind.TOO_LARGE,
            f"line {line}: lists and quotes are nested more than {DEEPEST // 2} deep",
            ByText(),
            {"line": line},
        )
    reader = _Reader(rows)
    for token in check_each(tokens):
        reader.take(token)
    marks, containers, items = tuple(reader.marks), tuple(reader.containers), reader.items()
    sections = _sections(containers, [mark for mark in marks if mark.kind == "heading"])
    return Document(rows, source.table, front, containers, marks, sections, items, definitions, lead)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": DEEPEST}).enable("table")
    # A rule that nothing fits is asked about every block, and about every line that may end one.
    parser.block.ruler.before(
        "table", "check_cancelled", _check_cancelled, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )
    # Where links lead is nobody's business here, and the library's way to look at them raises on odd characters.
    parser.normalizeLink = str  # type: ignore[method-assign,assignment]
    parser.validateLink = lambda _: True  # type: ignore[method-assign,assignment]
    return parser


class _TooMany(Exception):
    """The text has more blocks than can be read at once."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        message = f"line {row + 1}: Markdown with so many blocks is not read further"
        self.refusal = Refusal(Kind.TOO_LARGE, message, ByText(), {"line": row + 1, "limit": _MOST})


def _check_cancelled(state: StateBlock, row: int, end: int, silent: bool) -> bool:  # noqa: ARG001, FBT001  # a rule's signature
    if not row % _LINES:
        check_cancelled()
        if len(state.tokens) > _MOST:
            raise _TooMany(row)
    return False


def _tokens(rows: Sequence[str]) -> tuple[list[Token], tuple[Definition, ...]]:
    parser = _parser()
    tokens: list[Token] = []
    environment: dict[str, Any] = {}
    text = "\n".join([*rows, ""]).replace("\0", "\ufffd")
    parser.block.parse(text, parser, environment, tokens)
    known = [(label, one["map"]) for label, one in environment.get("references", {}).items()]
    known += [(one["label"], one["map"]) for one in environment.get("duplicate_refs", ())]
    return tokens, tuple(Definition(label, *rows) for label, rows in sorted(known, key=lambda one: one[1][0]))


class _Reader:
    """Takes the tokens in order; knows which containers are open."""

    def __init__(self, rows: Sequence[str]) -> None:
        self._rows = rows
        self._open = [0]
        self._lists: list[int] = []
        self._list_count = 0
        self._columns_seen: int | None = None  # of the table that is open
        self._pending: Token | None = None
        self._open_items: list[int] = []
        self._columns: dict[int, tuple[int, int, int]] = {}  # per container: row, position and column of its content
        self._found: list[tuple[int, int, int, int, int, str]] = []
        self._loose: set[int] = set()
        self._paragraphs: dict[int, Mark] = {}
        self.containers = [Container("root", 0, len(rows), 0)]
        self.marks: list[Mark] = []

    def items(self) -> tuple[Item, ...]:
        """The list items that were taken."""
        return tuple(
            Item(number, *found, number in self._loose, self._paragraphs.get(number))
            for number, found in enumerate(self._found)
        )

    def take(self, token: Token) -> None:
        kind = token.type
        if self._columns_seen is not None or kind == "table_open":
            self._take_table(token)
        elif kind == "inline":
            self._close_text(token)
        elif kind in ("heading_open", "paragraph_open"):
            self._pending = token
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
        elif kind in _LEAVES:
            self._take_leaf(token, _LEAVES[kind])

    def _close_text(self, token: Token) -> None:
        opened = self._pending
        assert opened is not None
        self._pending = None
        is_heading = opened.type == "heading_open"
        words = " ".join([line.strip(" \t") for line in token.content.split("\n")]).strip(" \t")
        first, end = opened.map or (0, 0)
        level = int(opened.tag[1]) if is_heading else 0
        mark = Mark("heading" if is_heading else "paragraph", first, end, self._open[-1], words, level, opened.markup)
        self.marks.append(mark)
        number = self._open_items[-1] if self._open_items and not is_heading else None
        if number is not None and self._found[number][3] == mark.container:  # words of a list item
            if not opened.hidden:
                self._loose.add(number)
            if mark.first == self._found[number][0]:
                self._paragraphs.setdefault(number, mark)

    def _take_leaf(self, token: Token, kind: MarkKind) -> None:
        first, end = token.map or (0, 0)
        is_closed, info, code = True, "", ""
        if kind == "fence":
            info, code = token.info.strip(), token.content
            is_closed = end - first - 1 - code.count("\n") == 1
        elif kind == "indented":
            code = token.content
            end = first + max(code.count("\n"), 1)
        self.marks.append(Mark(kind, first, end, self._open[-1], info, 0, token.markup, is_closed, code))

    def _take_table(self, token: Token) -> None:
        if token.type == "table_open":
            self._pending, self._columns_seen = token, 0
        elif token.type == "th_open" and self._columns_seen is not None:
            self._columns_seen += 1
        elif token.type == "table_close" and self._pending is not None:
            first, end = self._pending.map or (0, 0)
            columns, markup = self._columns_seen or 0, self._pending.markup
            self.marks.append(Mark("table", first, end, self._open[-1], "", columns, markup))
            self._pending = self._columns_seen = None

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
            self._open_items.append(len(self._found))
            self._found.append((first, end, parent, number, self._lists[-1], marker))
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


def _sections(containers: Sequence[Container], headings: Sequence[Mark]) -> tuple[Section, ...]:
    ends, own_ends = _ends(containers, headings)
    found: list[Section] = []
    above: list[int] = []
    for number, mark in enumerate(headings):
        while above and not _rules(containers, found[above[-1]], mark):
            above.pop()
        path = (*found[above[-1]].path, mark.text) if above else (mark.text,)
        found.append(Section(number, mark, path, ends[number], own_ends[number]))
        above.append(number)
    return tuple(found)


def _rules(containers: Sequence[Container], section: Section, mark: Mark) -> bool:
    """Whether a heading is under another: in its container and deeper, or in a container of its rows."""
    container, own = mark.container, section.mark.container
    if container == own:
        return section.mark.level < mark.level
    while container > own:
        container = containers[container].parent
    return mark.first < section.end and container == own


def _ends(containers: Sequence[Container], headings: Sequence[Mark]) -> tuple[list[int], list[int]]:
    """Where each section ends, and where its own text ends: one pass from the back, per container."""
    ends, own_ends = [0] * len(headings), [0] * len(headings)
    following: dict[int, list[Mark]] = {}  # per container: the headings behind, nearest last, levels falling
    for number in range(len(headings) - 1, -1, -1):
        mark = headings[number]
        behind = following.setdefault(mark.container, [])
        own_ends[number] = behind[-1].first if behind else containers[mark.container].end
        while behind and behind[-1].level > mark.level:
            behind.pop()
        ends[number] = behind[-1].first if behind else containers[mark.container].end
        behind.append(mark)
    return ends, own_ends


_OTHER_PROSE = (".txt", ".rst", ".adoc", ".asciidoc", ".org", ".tex", ".log", ".csv", ".tsv", ".xml")


def markdown_of(source: Source, what: str) -> Document | Refusal:
    """The document a source holds; `what` names in the plural what is looked for in it."""
    path = source.path
    if path is None:
        return read_markdown(source)
    suffix = "." + file_name(path).rpartition(".")[2]
    found = format_of(path)
    if suffix in _OTHER_PROSE or (found is not None and found.name != "markdown"):
        return refuse(
            f"{path} is not a Markdown file: {what} can only be named in {', '.join(MARKDOWN)}",
            ByText() if found is None else f"use an address from the outline of this {found.name} file",
            {"path": path},
        )
    return read_markdown(source)


@dataclass(frozen=True, slots=True)
class Content:
    """New text for a place: its lines, no blank ones at either end, and what they are as a text of their own."""

    lines: tuple[str, ...]
    document: Document

    @property
    def first(self) -> Mark | None:
        """What it starts with, if that is in no list or quote."""
        found = self.document.marks[0] if self.document.marks else None
        return found if found is not None and found.first == 0 and found.container == 0 else None

    @property
    def starts_with_heading(self) -> bool:
        return self.first is not None and self.first.kind == "heading"

    @property
    def ends_with_heading(self) -> bool:
        last = self.document.marks[-1] if self.document.marks else None
        return last is not None and last.kind == "heading" and last.end == len(self.lines)


def read_content(text: str, prefix: str = "") -> Content | Refusal:
    """New text for a place whose lines start with `prefix`, which it may bring itself.

    Refuses a fence that is never closed: it would swallow what follows.
    """
    lines = trimmed(plain_lines(text, prefix))
    document = read_fragment("".join(f"{line}\n" for line in lines))
    if isinstance(document, Refusal):
        return document
    open_fence = next((mark for mark in document.codes if not mark.is_closed), None)
    if open_fence is not None:
        line = open_fence.first + 1
        return refuse(
            f"the fence opened in line {line} of the content is never closed",
            f"end the content with a line {open_fence.markup}",
            {"line": line},
        )
    return Content(tuple(lines), document)


def plain_lines(text: str, prefix: str) -> list[str]:
    """The lines of a text, without the prefix where every line that says something has it."""
    lines = split_bodies(text)
    bare = prefix.rstrip(" \t")
    said = [line for line in lines if line.strip(" \t") and line.rstrip(" \t") != bare]
    if not prefix or not said or not all(line.startswith(prefix) for line in said):
        return lines
    return [line[len(prefix) :] if line.startswith(prefix) else "" for line in lines]


def trimmed(lines: Sequence[str]) -> list[str]:
    """Lines without the blank ones at the start and the end."""
    start, end = 0, len(lines)
    while start < end and not lines[start].strip(" \t"):
        start += 1
    while end > start and not lines[end - 1].strip(" \t"):
        end -= 1
    return list(lines[start:end])


def prefixed(lines: Sequence[str], prefix: str) -> str:
    """Lines as a container writes them, each with its ending; a blank line gets no blanks from its container."""
    if not prefix:
        return "".join(f"{line}\n" for line in lines)
    bare = prefix.rstrip(" \t")
    return "".join(f"{prefix}{line}\n" if line.strip(" \t") else f"{bare}\n" for line in lines)


_AHEAD = 3
_BENEATH = 3


@dataclass(frozen=True, slots=True)
class View:
    """Some rows of a text and what they would be after a change. `row` and `start` are where they start in it.

    `changes` and both documents count from there. `source` is the new text, where all of it was read.
    """

    row: int
    start: int
    changes: ChangeSet
    before: Document
    after: Document
    source: Source | None = None

    def renewed(self, mark: Mark, marks_of: Callable[[Document], Sequence[Mark]]) -> Mark | None:
        """What a mark of the text is after the change: the one of the same number; rows as the text counts them."""
        first = mark.first - self.row
        place = next((at for at, one in enumerate(marks_of(self.before)) if one.first == first), None)
        found = marks_of(self.after)
        if place is None or place >= len(found):
            return None
        one = found[place]
        return replace(one, first=one.first + self.row, end=one.end + self.row)


def view_of(source: Source, proposal: Proposal) -> View | Refusal:
    """What a proposal changes and the rows around; refuses as the reading of the new text does."""
    document, changes = known_markdown(source), fitted(source, proposal)
    first, end = _rows(document, proposal, len(source.text))
    start, stop = document.table.start(first), document.table.start(end)
    near = ChangeSet(tuple(Splice(one.start - start, one.old, one.new) for one in changes.splices))
    old = source.text[start:stop]
    new = near.apply(old)
    is_most = stop - start > len(source.text) // 2  # the text before the change is read already
    if is_most or _is_front(source, document, first, new) or _joins(source.text, start, new):
        return whole_view(source, changes)
    before, after = read_fragment(old), read_fragment(new)
    if isinstance(before, Refusal):
        return before
    return after if isinstance(after, Refusal) else View(first, start, near, before, after)


def whole_view(source: Source, changes: ChangeSet) -> View | Refusal:
    """The whole text before and after a change."""
    document, new = known_markdown(source), source.apply(changes)
    after = read_markdown(new)
    return after if isinstance(after, Refusal) else View(0, 0, changes, document, after, new)


def _rows(document: Document, proposal: Proposal, size: int) -> tuple[int, int]:
    """The rows to be read: all of them where nothing is proposed."""
    if not proposal.splices:
        return 0, document.count
    touched = document.table.row_at(min(proposal.splices[0].start, size))
    last = document.table.row_at(min(max(one.end for one in proposal.splices), size))
    top = document.front.end if document.front and touched >= document.front.end else 0
    above = bisect_right(document.tops, touched - _AHEAD) - 1
    beneath = bisect_left(document.tops, last + 1) + _BENEATH
    first = max(document.tops[above], top) if above >= 0 else top
    return first, document.tops[beneath] if beneath < len(document.tops) else document.count


def _is_front(source: Source, document: Document, first: int, new: str) -> bool:
    """Whether a change touches front matter, or may make some: what opens it and what closes it can be far apart."""
    if document.front is not None:
        return first < document.front.end
    marks = tuple(CLOSINGS)
    return any(text[:10].removeprefix("\ufeff").startswith(marks) for text in (source.text, new if first == 0 else ""))


def _joins(text: str, start: int, new: str) -> bool:
    """Whether rows cannot be read alone: an ending would be made of two, or a mark be taken for that of a file."""
    is_split = start > 0 and text[start - 1] == "\r" and new.startswith("\n")
    return is_split or (start > 0 and "\ufeff" in (text[start : start + 1], new[:1]))


def fitted(source: Source, proposal: Proposal) -> ChangeSet:
    """The change that is made of a proposal: LF in new text becomes what the lines around end with."""
    splices: list[Splice] = []
    for splice in proposal.splices:
        ending = source.newline_at(splice.start)
        new = splice.new if ending == "\n" or "\r" in splice.new else splice.new.replace("\n", ending)
        splices.append(Splice(splice.start, splice.old, new))
    return ChangeSet(tuple(splice for splice in splices if not splice.changes_nothing))
