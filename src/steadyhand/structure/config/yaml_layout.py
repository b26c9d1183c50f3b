"""Where things are in a block of YAML: the lines of an entry, the place of a value, and how both come and go.

Only for what is outside of brackets. How a value is written is not decided here; rows are at the margin and have no
line endings.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.config.item import Item
from steadyhand.structure.config.layout import Write, line_end
from steadyhand.structure.config.yaml_reader import (
    HEADER,
    column_of,
    end_of_line,
    last_inside,
    last_of,
    note_of,
    start_of_line,
)
from steadyhand.structure.config.yaml_style import Style, Written, indented
from steadyhand.text.span import Span

_BREAK = lazy_pattern(r"\r\n?|\n")
_BLANK = lazy_pattern(r"[ \t]*(?:\r\n?|\n)")
_COMMENT = lazy_pattern(r"(?P<indent>[ \t]*)#[^\r\n]*(?:\r\n?|\n|\Z)")
_LITERAL = lazy_pattern(r"(?:[&!][^\s]*[ \t]+)*[|>][-+0-9]*[ \t]*(?:#.*)?\Z")


def _line_above(text: str, start: int) -> int:
    return start_of_line(text, max(start - (2 if text[start - 2 : start] == "\r\n" else 1), 0))


def _before_break(text: str, end: int, low: int) -> int:
    """Before the line break that ends at an offset, if one does."""
    if end > low and text[end - 1] in "\r\n":
        return end - (2 if text[end - 2 : end] == "\r\n" else 1)
    return end


def _without_open_end(text: str, lines: Span) -> Span:
    """The last line of a file that ends without a newline goes with the line break before it."""
    start, end = lines
    if end == len(text) and start and text[end - 1] not in "\r\n":
        start -= 2 if text[start - 2 : start] == "\r\n" else 1
    return Span(start, end)


# The lines of an entry.


@dataclass(frozen=True, slots=True)
class Region:
    """The lines of an entry: comments of its own above, the entry, the comment behind it, deeper comments below.

    `lines`       whole lines; for an entry that shares its first line with a dash before it, from the entry on
    `first`       where the line of the entry itself starts, below its comments
    `content_end` before the line break of the last line
    """

    lines: Span
    first: int
    content_end: int
    is_compact: bool


def region_of(text: str, parent: Item, index: int) -> Region:
    """The lines of child number `index` of a block collection."""
    child = parent.children[index]
    mark = note_of(child).mark
    first = start_of_line(text, mark)
    end = below(text, child)
    content_end = _before_break(text, end, last_of(child))
    if text[first:mark].strip(" "):
        return Region(Span(mark, end), mark, content_end, is_compact=True)
    return Region(Span(_own_start(text, parent, index, first), end), first, content_end, is_compact=False)


def below(text: str, item: Item) -> int:
    """Where the line after an entry starts; comments further right than the entry belong to it."""
    end = line_end(text, last_of(item))
    column = column_of(text, note_of(item).mark)
    at = end
    while at < len(text):
        while blank := _BLANK.match(text, at):
            at = blank.end()
        found = _COMMENT.match(text, at)
        if found is None or len(found.group("indent")) <= column:
            break
        end = at = found.end()
    return end


def _own_start(text: str, parent: Item, index: int, first: int) -> int:
    """Where the comments start that belong to a child: directly above it, as far right, and for no group.

    Comments that the file starts with are the file's: a licence, a line for some editor.
    """
    floor = 0 if index == 0 else line_end(text, last_of(parent.children[index - 1]))
    column = column_of(text, note_of(parent.children[index]).mark)
    at = first
    while at > floor:
        above = _line_above(text, at)
        found = _COMMENT.match(text, above)
        if found is None or above < floor or len(found.group("indent")) != column:
            break
        at = above
    is_head = at == start_of_line(text, min(1, len(text)))
    return first if at == first or is_head or _heads_group(text, parent, index, at) else at


def _heads_group(text: str, parent: Item, index: int, comment: int) -> bool:
    """Whether comments are above several entries: after a blank line or first of all, the next entry right below."""
    if index + 1 == len(parent.children):
        return False
    follows = end_of_line(text, last_of(parent.children[index]))
    between = text[follows : start_of_line(text, note_of(parent.children[index + 1]).mark)]
    is_next = len(_BREAK.findall(between)) == 1
    is_apart = index == 0 or not text[_line_above(text, comment) : comment].strip()
    return is_next and is_apart


def insert_rows(text: str, container: Item, index: int, rows: Sequence[str]) -> Write:
    """Rows as an entry in front of child number `index` of a block collection, or behind the last."""
    column = column_of(text, note_of(container.children[0]).mark)
    counts: Counter[int] = Counter()  # of blank lines that separate the children
    for one, two in pairwise(container.children[-20:]):
        between = text[line_end(text, last_of(one)) : start_of_line(text, note_of(two).mark)]
        counts[sum(not row.strip() for row in _BREAK.split(between)[:-1])] += 1
    blanks = [""] * min(counts.most_common(1)[0][0], 2) if counts else []
    if index >= len(container.children):
        end = region_of(text, container, len(container.children) - 1).lines.end
        made = [*blanks, *indented(rows, column)]
        is_open = bool(end) and text[end - 1] not in "\r\n"
        return Span(end, end), "".join(f"\n{row}" if is_open else f"{row}\n" for row in made)
    region = region_of(text, container, index)
    start = region.lines.start
    if region.is_compact:
        below_it = indented([*rows[1:], *blanks], column)
        return Span(start, start), "\n".join([rows[0], *below_it]) + "\n" + " " * column
    return Span(start, start), "".join(f"{row}\n" for row in [*indented(rows, column), *blanks])


def remove_rows(text: str, parent: Item, index: int) -> list[Write]:
    """The writes that take child number `index` of a block collection away; one that becomes empty is `{}` or `[]`."""
    region = region_of(text, parent, index)
    if len(parent.children) == 1:
        return _leave_empty(text, parent, region)
    start, end = region.lines
    after = end
    while blank := _BLANK.match(text, after):
        after = blank.end()
    if region.is_compact:
        end = after
        while text[end] == " ":
            end += 1
        return [(Span(start, end), "")]
    before = text[_line_above(text, start) : start]
    is_after_blank = not before.strip() or (index == 0 and not before.lstrip().startswith("#"))
    if is_after_blank and after < len(text):  # of the blank lines on both sides one side goes too
        end = after
    lines = Span(start, end)
    return [(lines if index and ends_in_text(parent.children[index - 1]) else _without_open_end(text, lines), "")]


def _leave_empty(text: str, parent: Item, region: Region) -> list[Write]:
    empty = "{}" if parent.kind == "mapping" else "[]"
    start, hang = region.lines.start, note_of(parent).hang
    if region.is_compact or (not parent.path and not Slot(text, parent).has_properties):
        return [(Span(start, max(start, region.content_end)), empty)]
    return [(Span(hang, hang), f" {empty}"), (_without_open_end(text, region.lines), "")]


def ends_in_text(item: Item) -> bool:
    """Whether an entry ends with a literal or folded text, whose last line break says something."""
    return note_of(last_inside(item)).style in ("literal", "folded")


# An entry on its way to another place.


def rows_of(text: str, parent: Item, index: int, label: str | None, style: Style) -> list[str] | None:
    """An entry of a block with its comments, under a name or with a dash; None where its name is not a simple one."""
    item = parent.children[index]
    mark = note_of(item).mark
    region = region_of(text, parent, index)
    column = column_of(text, mark)
    above = _dedented(Span(region.lines.start, region.first).of(text), column)
    if item.name is not None and mark != item.name.start:  # with `?`, or an anchor at its name
        whole = _dedented(Span(mark, region.content_end).of(text), column, is_first_cut=True)
        return [*above, *whole] if label == item.name.of(text) else None
    if (label is None) != (item.name is None):
        return [*above, *_relabelled(text, item, label, region.content_end, style)]
    start = mark if item.name is None else item.name.end
    rest = _dedented(Span(start, region.content_end).of(text), column, is_first_cut=True)
    return [*above, (label or "") + rest[0], *rest[1:]]


def _relabelled(text: str, item: Item, label: str | None, end: int, style: Style) -> list[str]:
    """A value that hung on a name hangs on a dash, or the other way round."""
    slot = Slot(text, item)
    head, behind, hang = "-" if label is None else f"{label}:", first_hang(text, item), note_of(item).hang
    if not slot.is_block:
        first, *rest = _dedented(Span(behind, end).of(text), slot.owner, is_first_cut=True)
        return [head + (first if first.startswith((" ", "\t")) or not first else f" {first}"), *rest]
    column = column_of(text, item.value.start)
    start = line_end(text, hang) if slot.starts_below else item.value.start
    lead = "" if slot.starts_below else " " * column
    value = _dedented(lead + Span(start, end).of(text), column)
    line = text[behind : end_of_line(text, hang)] if slot.starts_below else text[behind:hang].rstrip()
    is_plain_head = not line.strip() and value[0].strip() and not value[0].startswith("#")
    if label is None and is_plain_head:
        return ["-" + " " * (style.width - 1) + value[0], *indented(value[1:], style.width)]
    step = style.width if label is None else style.dash if item.kind == "sequence" else style.step
    return [(head + line).rstrip(), *indented(value, step)]


def first_hang(text: str, item: Item) -> int:
    """Right behind the colon or dash, before an anchor or tag."""
    return note_of(item).mark + 1 if item.name is None else text.index(":", item.name.end) + 1


def _dedented(text: str, column: int, *, is_first_cut: bool = False) -> list[str]:
    """Rows moved to the margin; one that is further left than the margin only has blanks that say nothing."""
    rows = _BREAK.split(text)  # a last empty row counts: kept blank lines of a text are in it
    if not is_first_cut and not rows[-1]:
        rows.pop()
    first = rows[:1] if is_first_cut else []
    return [*first, *(row[min(blanks_of(row), column) :] for row in rows[len(first) :])]


def blanks_of(row: str) -> int:
    """How far a row is from the margin."""
    return len(row) - len(row.lstrip(" "))


# The place of a value.


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a value is: behind a name or dash, with its anchor and tag, which are not touched here.

    `owner`   the column of the name or dash it hangs on; -1 for the top of a document
    `is_item` whether it hangs on a dash, so that a collection may start on the same line
    """

    text: str
    item: Item

    @property
    def owner(self) -> int:
        return column_of(self.text, note_of(self.item).mark) if self.item.path else -1

    @property
    def is_item(self) -> bool:
        return bool(self.item.path) and self.item.name is None

    @property
    def has_properties(self) -> bool:
        note = note_of(self.item)
        return note.anchor is not None or note.tag is not None

    @property
    def starts_below(self) -> bool:
        """Whether the value starts on a later line than what it hangs on."""
        between = self.text[note_of(self.item).hang : self.item.value.start]
        return "\n" in between or "\r" in between

    @property
    def is_commented(self) -> bool:
        """Whether a comment is on the line behind the value, or behind the header of a text."""
        last = self.item.value.end if self.header is None else self.header.end
        return bool(self.text[last : end_of_line(self.text, last)].strip())

    @property
    def is_block(self) -> bool:
        return note_of(self.item).style == "block"

    @property
    def header(self) -> Span | None:
        """`|` or `>` with what belongs to it."""
        if note_of(self.item).style not in ("literal", "folded"):
            return None
        found = HEADER.match(self.text, self.item.value.start)
        return None if found is None else Span(*found.span())

    @property
    def block_end(self) -> int:
        """Where a block collection ends, with the comment on its last line and deeper ones below it."""
        if not self.item.path:
            return end_of_line(self.text, self.item.value.end)
        return _before_break(self.text, below(self.text, self.item), self.item.value.end)

    def body_indent(self) -> int | None:
        """How far right the lines of a literal or folded text are."""
        header = self.header
        if header is None:
            return None
        body = Span(end_of_line(self.text, header.end), self.item.value.end).of(self.text)
        widths = [blanks_of(row) for row in re.split(r"[\r\n]+", body) if row.strip()]
        return min(widths, default=None)

    def placed(self, written: Written, style: Style, *, is_list: bool) -> Written:
        """A value at the margin, moved to where it goes."""
        if not written.is_below:
            return Written(written.head, tuple(indented(written.rows, max(self.owner, 0))))
        column = 0
        if self.is_item:
            gap = self.text[note_of(self.item).mark + 1 : self.item.value.start]
            is_beside = bool(gap) and not gap.strip(" ") and not self.item.value.is_empty
            column = self.owner + (len(gap) + 1 if is_beside else style.width)
        elif self.owner >= 0:
            column = self.owner + (style.dash if is_list else style.step)
        if self.is_item and not self.has_properties and not self.starts_below:
            return Written(written.rows[0], tuple(indented(written.rows[1:], column)), is_compact=True)
        return Written("", tuple(indented(written.rows, column)), is_below=True)

    def put(self, written: Written) -> list[Write]:
        """The writes that put a value, whose rows are indented for their place, where another is.

        A comment on its line stays there.
        """
        note, value, text = note_of(self.item), self.item.value, self.text
        if written.is_below:
            return self._put_below(written)
        head, rows = written.head, _lines(written.rows)
        if not written.is_compact and not _LITERAL.match(head):
            head, rows = head + rows, ""  # a comment on the line must not come into a text in quotes
        if self.is_block:
            if not self.starts_below or (not self.item.path and not self.has_properties):
                return [(Span(value.start, self.block_end), written.head + _lines(written.rows))]
            line = end_of_line(text, note.hang)
            return [(Span(note.hang, note.hang), f" {head}"), (Span(line, self.block_end), rows)]
        if self.header is not None:
            line = end_of_line(text, self.header.end)
            return [(self.header, head), (Span(line, max(value.end, line)), rows)]
        lead = " " if value.is_empty and text[value.start - 1 : value.start] not in (" ", "\t", "", "\n") else ""
        if self.item.name is not None and value.is_empty and value.start == self.item.name.end:
            lead = "\n" + " " * self.owner + ": "  # a name behind `?` without a colon
        end = end_of_line(text, value.end)
        return [(value, lead + head), *([(Span(end, end), rows)] if rows else [])]

    def _put_below(self, written: Written) -> list[Write]:
        note, value, text = note_of(self.item), self.item.value, self.text
        rows = _lines(written.rows)
        is_at_margin = (
            not self.item.path and value.start == start_of_line(text, value.start) and not self.has_properties
        )
        if self.is_block and (self.starts_below or is_at_margin):
            return [(Span(start_of_line(text, value.start), self.block_end), rows[1:])]
        if is_at_margin and not value.is_empty:
            return [(Span(value.start, end_of_line(text, value.end)), rows[1:])]
        header = self.header
        last = value.end if header is None else header.end
        line = end_of_line(text, last)
        rest = text[last:line]
        keeps_comment = bool(rest.strip()) and value.start > note.hang
        blanks = len(rest) - len(rest.lstrip(" \t")) if keeps_comment else 0
        taken = Span(value.start if keeps_comment else note.hang, last + blanks)
        return [(taken, ""), (Span(line, max(line, value.end)), rows)]


def _lines(rows: Sequence[str]) -> str:
    return "".join(f"\n{row}" for row in rows)
