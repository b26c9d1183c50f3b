"""Where entries are in a file, whatever the format: on lines of their own, or between brackets.

A `Sheet` is a file whose entries are lines, perhaps in blocks under headers (`.env`, INI, the tables of TOML).
`Brackets` are a container whose entries are separated by commas (JSON, the values of TOML, the flow style of YAML).
Both know where entries, comments, separators and blank lines are, and propose writes that add or remove entries
together with the comments that belong to them. Neither knows what an entry says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice, pairwise
from typing import Protocol

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.text.indent import indent_at, indent_of
from steadyhand.text.lines import NewlineFacts, line_start, split_bodies, split_lines, to_lf
from steadyhand.text.span import Span

Write = tuple[Span, str]

_LOOKED_AT = 400


@dataclass(frozen=True, slots=True)
class Piece:
    """An entry that goes somewhere: the comment lines above it, itself, the comment behind it, all at the margin.

    `is_section`: it is one or several sections, with their headers.
    """

    entry: str
    above: tuple[str, ...] = ()
    behind: str = ""
    is_section: bool = False

    def lines(self, indent: str, comma: str = "", *, is_shifted: bool = True) -> str:
        """The piece on lines of its own, each behind a line end; `is_shifted`: all lines of the entry are indented."""
        above = "".join(f"\n{indent}{line}" if line else "\n" for line in self.above)
        entry = indented(self.entry, indent) if is_shifted else self.entry
        return f"{above}\n{indent}{entry}{comma}{self.behind}"


# Lines.


def first_of(text: str) -> int:
    """Where the first line starts: behind the byte order mark, if there is one."""
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


def removal(text: str, span: Span) -> list[Span]:
    """What to delete so that whole lines go and no gap is left: of two gaps one, at the end of the file none.

    The lines and what goes with them are separate spans: earlier edits of the same call may have taken lines between.
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


def insertion(text: str, at: int, lines: str) -> Write:
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


def parted(spans: list[Span], borders: Iterable[int]) -> list[Span]:
    """The same spans, cut at some places.

    >>> parted([Span(0, 6), Span(8, 9)], (4, 0))
    [Span(start=0, end=4), Span(start=4, end=6), Span(start=8, end=9)]
    """
    known = set(borders)
    cuts = [sorted({*span, *(border for border in known if span.start < border < span.end)}) for span in spans]
    return [Span(*edge) for cut in cuts for edge in pairwise(cut)]


def indented(written: str, indent: str) -> str:
    """Text whose further lines are at the margin, for a line with that indentation."""
    lines = split_lines(written)
    return "".join([*lines[:1], *(indent + line if line.strip() else line for line in lines[1:])])


def dedented(written: str, indent: str) -> str:
    """Text of a line with that indentation, its further lines moved to the margin."""
    lines = split_lines(written)
    return "".join([*lines[:1], *(line.removeprefix(indent) for line in lines[1:])])


# Files of lines.


class Block(Protocol):
    """A header with the entries below it; the first block of a file has none."""

    @property
    def header_span(self) -> Span | None: ...
    @property
    def entry_spans(self) -> Sequence[Span]: ...
    @property
    def span(self) -> Span:
        """From its first to its last character that is neither blank nor comment; only the first can be empty."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A file whose entries are lines, in blocks. `signs` start its comments.

    `is_apart`: the first entry is separated from the comment that heads the file.
    """

    text: str
    blocks: Sequence[Block]
    signs: str = "#"
    is_apart: bool = False

    def entry_lines(self, number: int, at: int) -> Span:
        """The lines of an entry, with the comments that are its own.

        Comments at the head of the file, and those that head several entries, stay when one of them goes.
        """
        block, text = self.blocks[number], self.text
        entries = block.entry_spans
        above = entries[at - 1] if at else block.header_span
        low = line_end(text, above.end) if above is not None else 0
        start = line_start(text, entries[at].start, low)
        first = comments_above(text, start, low, self.signs)
        end = line_end(text, entries[at].end)
        is_next = end < len(text) and not is_blank_line(text, end) and not is_comment_line(text, end, self.signs)
        is_group = is_next and text[end : line_end(text, end)].lstrip(" \t")[:1] != "["
        if first == 0 or (is_group and not (at and first == low)):
            first = start
        return Span(max(first, first_of(text)), end)

    def block_lines(self, first: int, last: int) -> Span:
        """The lines of blocks that follow each other, with the comments directly above and below them."""
        head = self.head(first)
        start = head or line_start(self.text, self.blocks[first].span.start)  # the head of a file is the file's
        return Span(max(start, first_of(self.text)), self.tail(last))

    def head(self, number: int) -> int:
        """Where the lines of a block start, with the comments directly above its header."""
        before = self.blocks[number - 1].span if number else Span(0, 0)
        low = 0 if before.is_empty else line_end(self.text, before.end)
        return comments_above(self.text, line_start(self.text, self.blocks[number].span.start), low, self.signs)

    def tail(self, number: int) -> int:
        """Where the lines of a block end, with the comments directly below its last entry."""
        high = self.head(number + 1) if number + 1 < len(self.blocks) else len(self.text)
        span = self.blocks[number].span
        return comments_below(self.text, 0 if span.is_empty else line_end(self.text, span.end), high, self.signs)

    @property
    def gap(self) -> str:
        """The blank line between blocks, where the file has one."""
        heads = [self.head(number) for number in range(1, min(len(self.blocks), _LOOKED_AT))]
        seen = [is_blank_line(self.text, line_above(self.text, head)) for head in heads if head]
        return "\n" if any(seen) or not seen else ""

    def put_lines(self, number: int, lines: str, before: int | None = None, after: int | None = None) -> Write:
        """Lines in front of an entry of a block, or behind one: the last where neither is given."""
        block, text = self.blocks[number], self.text
        if before is not None:
            return insertion(text, self.entry_lines(number, before).start, lines)
        entries = block.entry_spans
        last = entries[-1 if after is None else after] if entries else block.header_span
        if last is not None:
            return insertion(text, line_end(text, last.end), lines)
        if len(self.blocks) > 1:
            return insertion(text, self.head(1), f"{lines}\n")
        is_near = self.is_apart and text.strip() and not text.endswith(("\n\n", "\r\n\r\n"))
        return insertion(text, len(text), f"\n{lines}" if is_near else lines)

    def put_block(self, before: int | None, after: int | None, lines: str) -> Write:
        """Blocks in front of another, or behind another; behind the last one where neither is given."""
        text, gap = self.text, self.gap
        if before is not None:
            return insertion(text, self.head(before), f"{lines}{gap}")
        last = len(self.blocks) - 1 if after is None else after
        at = len(text) if self.blocks[last].span.is_empty else self.tail(last)
        return insertion(text, at, f"{gap if text[:at].strip() else ''}{lines}")


# Brackets.

_LINE_END = lazy_pattern(r"[ \t]*+(?:\r\n?|\n|\Z)")
_BLANK_LINES = lazy_pattern(r"(?:[ \t]*+(?:\r\n?|\n))*+")
_BLANKS = lazy_pattern(r"[ \t]*+")
_GAP_LINE = lazy_pattern(r"(?:\r\n?+|\n)[ \t]*+(?:\r|\n)")  # possessive: one CRLF is no blank line


@dataclass(frozen=True, slots=True)
class Marks:
    """What is between the entries of a format: `gap` is blanks, line ends and comments; `tail` comments of one line.

    `is_shifted`: the further lines of an entry may be indented otherwise without saying anything else.
    """

    gap: re.Pattern[str]
    comment: re.Pattern[str]
    tail: re.Pattern[str]
    is_shifted: bool = True


SLASHED = Marks(
    lazy_pattern(r"(?:[\s\ufeff]++|//[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)*+"),
    lazy_pattern(r"//[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/"),
    lazy_pattern(r"(?:[ \t]*+(?://[^\r\n]*+|/\*(?:[^*\r\n]++|\*(?!/))*+\*/))*+"),
)
HASHED = Marks(
    lazy_pattern(r"[ \t\r\n]*+(?:#[^\r\n]*+[ \t\r\n]*+)*+"),
    lazy_pattern(r"#[^\r\n]*+"),
    lazy_pattern(r"(?:[ \t]*+#[^\r\n]*+)?+"),
    is_shifted=False,
)


@dataclass(frozen=True, slots=True)
class Usual:
    """What a file does where the entries of a container do not show it: comma, padding, one level of indentation.

    `trailing`: the comma behind the last of several lines.
    """

    comma: str = ", "
    padding: str = ""
    unit: str = "  "
    trailing: str = ""


@dataclass(frozen=True, slots=True)
class Brackets:
    """A container at `value`, brackets included, and the places of its entries."""

    text: str
    value: Span
    entries: Sequence[Span]
    marks: Marks = SLASHED

    @property
    def inner(self) -> Span:
        return Span(self.value.start + 1, self.value.end - 1)

    def lead(self, index: int) -> Span:
        """From the separator in front of an entry, and the comment behind it on its line, to the entry."""
        entry = self.entries[index].start
        return Span(min(self.tail(self._behind(index - 1)), entry), entry)

    def comma(self, index: int) -> int | None:
        """Where the comma behind an entry is, if there is one."""
        gap = self.marks.gap.match(self.text, self.entries[index].end)
        at = gap.end() if gap else 0
        return at if self.text[at : at + 1] == "," else None

    def _behind(self, index: int) -> int:
        """Right behind an entry and its comma; behind the opening bracket for -1."""
        if index < 0:
            return self.inner.start
        comma = self.comma(index)
        return self.entries[index].end if comma is None else comma + 1

    def tail(self, at: int) -> int:
        """The end of the comments that follow on the same line, if nothing else does."""
        found = self.marks.tail.match(self.text, at)
        end = found.end() if found else at
        return end if _LINE_END.match(self.text, end) else at

    def is_lined(self, index: int) -> bool:
        """Whether an entry is the first thing on its line."""
        lead = self.lead(index).of(self.text)
        line = line_start(lead, len(lead))
        return line > 0 and not lead[line:].strip(" \t")

    def indent(self, index: int) -> str:
        """The blanks in front of an entry that is the first thing on its line."""
        start = self.entries[index].start
        return self.text[line_start(self.text, start) : start]

    def separator(self) -> str | None:
        """What is between two neighbours on one line, if any two are so."""
        for one, two in islice(pairwise(self.entries), _LOOKED_AT):
            between = self.text[one.end : two.start]
            if between.startswith(",") and _BLANKS.fullmatch(between, 1):
                return between
        return None

    def padding(self) -> str | None:
        """The blanks behind the opening bracket, if the first entry is on the same line."""
        between = self.text[self.inner.start : self.entries[0].start]
        return between if _BLANKS.fullmatch(between) else None

    def own_comments(self, index: int) -> int:
        """Where the comment lines that belong to an entry start; the entry itself where there are none.

        A comment is the entry's if it is directly above it and does not head a group of entries.
        """
        lead = self.lead(index)
        start = lead.end
        for one, two in reversed([found.span() for found in self.marks.comment.finditer(self.text, *lead)]):
            line = line_start(self.text, one, lead.start)
            is_near = not {"\n", "\r"}.isdisjoint(self.text[two:start])
            if line == lead.start or not is_near or _GAP_LINE.search(self.text, two, start):
                break
            if self.text[line:one].strip(" \t"):
                break
            start = one
        return lead.end if self._heads_group(index, start) else start

    def _heads_group(self, index: int, start: int) -> bool:
        """Whether the comment at `start` is about this entry and those after it: blank lines separate groups."""
        if start == self.entries[index].start or index + 1 == len(self.entries):
            return False
        is_apart = index == 0 or _GAP_LINE.search(self.text, self.lead(index).start, start) is not None
        follower = self.lead(index + 1)
        is_followed = not self.marks.comment.search(self.text, *follower) and not _GAP_LINE.search(self.text, *follower)
        others = (at for at in range(len(self.entries)) if at != index)
        return is_apart and is_followed and any(_GAP_LINE.search(self.text, *self.lead(at)) for at in others)

    def piece(self, index: int) -> Piece:
        """An entry as it is written, with the comments that are its own."""
        entry = self.entries[index]
        written = entry.of(self.text)
        if not self.is_lined(index):
            return Piece(to_lf(written) if self.marks.is_shifted else written)
        indent = self.indent(index)
        if self.marks.is_shifted:
            written = to_lf(dedented(written, indent))
        above = self.text[self.own_comments(index) : entry.start].rstrip(" \t\r\n")
        lines = split_bodies(dedented(above, indent)) if above else []
        after = self._behind(index)
        return Piece(written, tuple(lines), self.text[after : self.tail(after)])

    def insert(self, index: int, pieces: Sequence[Piece], usual: Usual) -> list[Write]:
        """Put pieces in front of entry number `index`, or behind the last."""
        count = len(self.entries)
        if not count:
            return self.fill(pieces, usual, lined=False)
        if self.is_lined(min(index, count - 1)):
            return self._insert_lines(index, pieces)
        comma = self.separator() or usual.comma
        if index < count:
            at = self.entries[index].start
            return [(Span(at, at), "".join(f"{piece.entry}{comma}" for piece in pieces))]
        last = self.comma(count - 1)
        if last is None:
            at = self.entries[-1].end
            return [(Span(at, at), self._blank(at) + "".join(f"{comma}{piece.entry}" for piece in pieces))]
        return [(Span(last + 1, last + 1), "".join(f"{comma[1:]}{piece.entry}," for piece in pieces))]

    def _blank(self, end: int) -> str:
        """The blank that a comma needs behind a name without a value (`{a: , b: 1}` in YAML)."""
        return " " if self.text[end - 1 : end] == ":" else ""

    def _insert_lines(self, index: int, pieces: Sequence[Piece]) -> list[Write]:
        indent = self.indent(min(index, len(self.entries) - 1))
        comma = None if index == 0 else self.comma(index - 1)
        if index == 0 or comma is not None:
            at = self.tail(self._behind(index - 1))
            return [(Span(at, at), self._lines(pieces, indent, last=","))]
        before = self.entries[index - 1].end
        at, text = self.tail(before), self._lines(pieces, indent)
        first = f"{self._blank(before)},"
        if at == before:
            return [(Span(at, at), f"{first}{text}")]
        return [(Span(before, before), first), (Span(at, at), text)]

    def _lines(self, pieces: Sequence[Piece], indent: str, last: str = "") -> str:
        ends = [*([","] * (len(pieces) - 1)), last]
        shifted = self.marks.is_shifted
        return "".join(piece.lines(indent, end, is_shifted=shifted) for piece, end in zip(pieces, ends, strict=True))

    def fill(self, pieces: Sequence[Piece], usual: Usual, *, lined: bool) -> list[Write]:
        """Put pieces into an empty container; a comment inside it stays."""
        inner = self.inner
        comments = [found.end() for found in self.marks.comment.finditer(self.text, *inner)]
        rest = Span(comments[-1] if comments else inner.start, inner.end)
        if lined or not {"\n", "\r"}.isdisjoint(rest.of(self.text)):
            indent = indent_at(self.text, self.value.start)
            above = indent_of(self.text[line_start(self.text, comments[-1]) :]) if comments else ""
            inside = above if above.startswith(indent) and above != indent else indent + usual.unit
            return [(rest, f"{self._lines(pieces, inside, usual.trailing)}\n{indent}")]
        padding = " " if comments else usual.padding
        return [(rest, f"{padding}{usual.comma.join(piece.entry for piece in pieces)}{padding}")]

    def remove(self, index: int) -> list[Write]:
        """Delete an entry, with its separator and its own comments."""
        entry, count = self.entries[index], len(self.entries)
        comma, end = self.comma(index), self._behind(index)
        if count == 1:
            around = (Span(self.inner.start, self._first_comment(index)), Span(self.tail(end), self.inner.end))
            if not any(self.marks.comment.search(self.text, *span) for span in around):
                return self._emptied(index, end)
        gone = self._whole_lines(index, end) if self.is_lined(index) else None
        if gone is None:
            # Cut at its edges, where earlier edits of the same call may have taken siblings.
            return [(span, "") for span in parted(self._inline_spans(index, end), (*entry, end))]
        if index < count - 1 or comma is not None:
            return [(gone, "")]
        # In two parts: behind the last one an earlier edit of the same call may have taken a comma.
        parts = [(Span(gone.start, entry.end), ""), (Span(entry.end, gone.end), "")]
        last = None if index == 0 else self.comma(index - 1)
        if last is None:
            return parts
        if self.text[last + 1 : gone.start] == self.text[end : gone.end] in ("\n", "\r\n", "\r"):
            # The line end before it goes instead of the one behind it, where another edit may put something.
            parts = [(Span(last + 1, gone.start), ""), parts[0]]
        return [(Span(last, last + 1), ""), *parts]

    def _emptied(self, index: int, end: int) -> list[Write]:
        """Everything between the brackets, cut where siblings were: earlier edits of the same call took those."""
        entry, inner = self.entries[index], self.inner
        start = self._first_comment(index)
        stop = _LINE_END.match(self.text, self.tail(end), inner.end)
        blank = _BLANKS.match(self.text, *inner)
        borders = [blank.end() if blank else inner.start, line_start(self.text, start, inner.start), start]
        borders += [*entry, end, stop.end() if stop else end]
        return [(span, "") for span in parted([inner], borders)]

    def _first_comment(self, index: int) -> int:
        return self.own_comments(index) if self.is_lined(index) else self.entries[index].start

    def _whole_lines(self, index: int, end: int) -> Span | None:
        """The whole lines of an entry, with the blank lines around them that would separate nothing then.

        None where something else ends on them.
        """
        stop = _LINE_END.match(self.text, self.tail(end))
        if stop is None or stop.end() > self.inner.end:
            return None
        start, end = line_start(self.text, self.own_comments(index), self.inner.start), stop.end()
        blank = _BLANK_LINES.match(self.text, end, self.inner.end)
        after = blank.end() if blank else end
        above = self.text[self.inner.start : start]
        body = above.rstrip(" \t\r\n")
        lead = above[len(body) :]
        before = self.inner.start + (len(body) + len(split_lines(lead)[0]) if lead else len(above))
        is_last = not self.text[end : self.inner.end].strip(" \t\r\n")
        if before < start and (after > end or is_last):
            return Span(before, end)
        return Span(start, after if not body else end)

    def _inline_spans(self, index: int, end: int) -> list[Span]:
        """An entry among others on its line, with the blanks that separated it from them."""
        entry = self.entries[index]
        lead = self.lead(index).of(self.text)
        blanks = len(lead) - len(lead.rstrip(" \t"))
        is_line_start = lead[: len(lead) - blanks].endswith(("\n", "\r"))
        if index < len(self.entries) - 1:
            ends_line = _LINE_END.match(self.text, end) is not None
            if ends_line and not is_line_start and index:
                return [Span(entry.start - blanks, end)]
            rest = _BLANKS.match(self.text, end)
            is_kept = ends_line or rest is None or self.text.startswith("#", rest.end())  # which needs a blank
            return [Span(entry.start, end if is_kept or rest is None else rest.end())]
        start = entry.start - (0 if is_line_start else blanks)
        last = None if index == 0 else self.comma(index - 1)
        if last is None or end > entry.end:
            return [Span(start, end)]
        return [Span(last, end)] if last + 1 == start else [Span(last, last + 1), Span(start, end)]
