"""How a JSON file writes things, and a container with what is between its children: commas, comments, line ends.

Nothing is decided for the whole file that a neighbour can tell better: callers ask the neighbours first.
Finds places and proposes writes; it looks at nothing outside its brackets but the line it starts on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import islice, pairwise

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.config.item import Item, Plain
from steadyhand.structure.config.json.reader import Grammar
from steadyhand.text.indent import indent_at
from steadyhand.text.lines import line_start, split_bodies, split_lines, to_lf
from steadyhand.text.pace import paced
from steadyhand.text.span import Span

_LOOKED_AT = 400
_ESCAPED = lazy_pattern(r"\\u(?!00[01])")
_NEWLINE = lazy_pattern(r"[\r\n]")
_SURROGATE = lazy_pattern(r"[\ud800-\udfff]")
_COLON = lazy_pattern(r"[ \t]*:[ \t]*")
_MARGIN = lazy_pattern(r"[ \t]*")
_IDENTIFIER = lazy_pattern(r"[A-Za-z_$][\w$]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Style:
    """The habits of one file.

    `colon`, `comma`        the separators with their blanks, where things stand on one line
    `unit`                  one level of indentation
    `is_ascii`              whether other characters are escaped
    `inline_lists`          whether lists of scalars, and `inline_mappings` whether mappings, stand on one line
    `padding`               the blanks inside the brackets of a mapping on one line
    """

    colon: str = ": "
    comma: str = ", "
    unit: str = "  "
    is_ascii: bool = False
    inline_lists: bool = False
    inline_mappings: bool = False
    padding: str = ""


def style_of(text: str, top: Item) -> Style:
    """The habits of a document, by its first few hundred items."""
    items = list(islice(top.walk(), _LOOKED_AT))
    filled = [item for item in items if item.children]
    colon = next((found for item in items if (found := colon_of(text, item)) is not None), ": ")
    is_tight = colon == ":" and not _NEWLINE.search(text, *top.value)
    comma = next((found for item in filled if (found := comma_of(text, item)) is not None), "," if is_tight else ", ")
    lists = [item for item in filled if item.kind == "sequence" and not any(child.children for child in item.children)]
    mappings = [item for item in filled if item.kind == "mapping" and item.path]
    return Style(
        colon,
        comma,
        next((unit for item in filled if (unit := unit_of(text, item))), "  "),
        text.isascii() and _ESCAPED.search(text) is not None,
        _is_mostly_inline(text, lists),
        _is_mostly_inline(text, mappings),
        next((found for item in mappings if (found := padding_of(text, item)) is not None), ""),
    )


def colon_of(text: str, item: Item) -> str | None:
    """What stands between a name and its value, if it is nothing but a colon and blanks."""
    if item.name is None:
        return None
    between = text[item.name.end : item.value.start]
    return between if _COLON.fullmatch(between) else None


def comma_of(text: str, container: Item) -> str | None:
    """What stands between two neighbours on one line, if any two stand so."""
    for one, two in islice(pairwise(container.children), _LOOKED_AT):
        between = text[one.entry.end : two.entry.start]
        if between.startswith(",") and _MARGIN.fullmatch(between, 1):
            return between
    return None


def padding_of(text: str, container: Item) -> str | None:
    """The blanks behind the opening bracket, if the first child stands on the same line."""
    between = text[container.value.start + 1 : container.children[0].entry.start]
    return between if _MARGIN.fullmatch(between) else None


def unit_of(text: str, container: Item) -> str | None:
    """By how much the first child is indented more than the line its container starts on."""
    start = container.value.start
    child = container.children[0].entry.start
    line = line_start(text, child, start)
    if line <= start or text[line:child].strip(" \t"):
        return None
    outer = indent_at(text, start)
    return text[line:child].removeprefix(outer) if text[line:child].startswith(outer) else None


def write_text(value: str, style: Style, quote: str = '"') -> str:
    """A string with its quotes."""
    written = json.dumps(value, ensure_ascii=style.is_ascii)
    if not style.is_ascii:  # half of a pair is no character, and can be written by its number only
        written = _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", written)
    if quote == '"':
        return written
    inner = written[1:-1].replace('\\"', '"')
    return "'" + inner.replace("'", "\\'") + "'"


def write_name(name: str, style: Style, like: str | None) -> str:
    """A name, quoted as another one of the same container is: with double quotes, single ones, or none in JSON5."""
    if like is not None and like[:1] not in ("'", '"') and _IDENTIFIER.fullmatch(name):
        return name
    return write_text(name, style, "'" if like is not None and like[:1] == "'" else '"')


def write_value(value: Plain, style: Style, indent: str | None) -> str:
    """A value as the file would write it; `indent` is that of its line, None for everything on one line.

    >>> write_value({"a": [1, 2]}, Style(inline_lists=True), "  ")
    '{\\n    "a": [1, 2]\\n  }'
    """
    if isinstance(value, str):
        return write_text(value, style)
    if not isinstance(value, Mapping | list | tuple):
        return json.dumps(value)
    if not value:
        return "{}" if isinstance(value, Mapping) else "[]"
    inner = None if indent is None or _is_inline(value, style) else indent + style.unit
    if isinstance(value, Mapping):
        parts = [
            f"{write_text(name, style)}{style.colon}{write_value(part, style, inner)}"
            for name, part in paced(value.items())
        ]
        return _bracketed("{}", parts, style, indent, inner, style.padding)
    return _bracketed("[]", [write_value(part, style, inner) for part in paced(value)], style, indent, inner, "")


def _bracketed(
    brackets: str, parts: list[str], style: Style, indent: str | None, inner: str | None, padding: str
) -> str:
    if inner is None:
        return f"{brackets[0]}{padding}{style.comma.join(parts)}{padding}{brackets[1]}"
    lines = f",\n{inner}".join(parts)
    return f"{brackets[0]}\n{inner}{lines}\n{indent}{brackets[1]}"


def _is_inline(value: Mapping[str, Plain] | list[Plain] | tuple[Plain, ...], style: Style) -> bool:
    if isinstance(value, Mapping):
        return style.inline_mappings
    return style.inline_lists and not any(isinstance(part, Mapping | list | tuple) and part for part in value)


def _is_mostly_inline(text: str, containers: list[Item]) -> bool:
    inline = sum(padding_of(text, item) is not None for item in containers)
    return inline * 2 > len(containers)


Write = tuple[Span, str]

_COMMENT = lazy_pattern(r"//[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/")
_TAIL = lazy_pattern(r"(?:[ \t]*+(?://[^\r\n]*+|/\*(?:[^*\r\n]++|\*(?!/))*+\*/))*+")
_LINE_END = lazy_pattern(r"[ \t]*+(?:\r\n?|\n|\Z)")
_BLANK_LINES = lazy_pattern(r"(?:[ \t]*+(?:\r\n?|\n))*+")
_BLANKS = lazy_pattern(r"[ \t]*+")
_GAP_LINE = lazy_pattern(r"(?:\r\n?|\n)[ \t]*+(?:\r\n?|\n)")


@dataclass(frozen=True, slots=True)
class Piece:
    """An entry or item that goes somewhere: comment lines above it at the margin, itself, the comment behind it."""

    entry: str
    above: tuple[str, ...] = ()
    behind: str = ""

    @property
    def comment_count(self) -> int:
        return len(_COMMENT.findall("\n".join((*self.above, self.behind))))

    def lines(self, indent: str, comma: str) -> str:
        """The piece on lines of its own, each behind a line end."""
        above = "".join(f"\n{indent}{line}" if line else "\n" for line in self.above)
        return f"{above}\n{indent}{indented(self.entry, indent)}{comma}{self.behind}"


@dataclass(frozen=True, slots=True)
class Box:
    """A container and its text."""

    text: str
    item: Item
    grammar: Grammar

    @property
    def inner(self) -> Span:
        return Span(self.item.value.start + 1, self.item.value.end - 1)

    @property
    def comment_count(self) -> int:
        """How many comments stand between the brackets and outside of the children."""
        edges = [self.inner.start, *(edge for child in self.item.children for edge in child.entry), self.inner.end]
        gaps = zip(edges[::2], edges[1::2], strict=True)
        return sum(len(_COMMENT.findall(self.text, *gap)) for gap in gaps)

    def lead(self, index: int) -> Span:
        """From the separator in front of a child, and the comment behind it on its line, to the child."""
        if index == 0:
            start = self.inner.start
        else:
            before = self.item.children[index - 1].entry.end
            comma = self.comma(index - 1)
            start = before if comma is None else comma + 1
        return Span(min(self.tail(start), self.item.children[index].entry.start), self.item.children[index].entry.start)

    def comma(self, index: int) -> int | None:
        """Where the comma behind a child stands, if there is one."""
        gap = self.grammar.gap.match(self.text, self.item.children[index].entry.end)
        at = gap.end() if gap else 0
        return at if self.text[at : at + 1] == "," else None

    def tail(self, at: int) -> int:
        """The end of the comments that follow on the same line, if nothing else does."""
        found = _TAIL.match(self.text, at)
        end = found.end() if found else at
        return end if _LINE_END.match(self.text, end) else at

    def is_lined(self, index: int) -> bool:
        """Whether a child is the first thing on its line."""
        lead = self.lead(index).of(self.text)
        line = line_start(lead, len(lead))
        return line > 0 and not lead[line:].strip(" \t")

    def indent(self, index: int) -> str:
        """The blanks in front of a child that is the first thing on its line."""
        start = self.item.children[index].entry.start
        return self.text[line_start(self.text, start) : start]

    def own_comments(self, index: int) -> int:
        """Where the comment lines that belong to a child start; the child itself where there are none."""
        lead = self.lead(index)
        start = lead.end
        comments = [found.span() for found in _COMMENT.finditer(self.text, lead.start, lead.end)]
        for one, two in reversed(comments):
            begins_line = line_start(self.text, one, lead.start) > lead.start
            is_near = "\n" in self.text[two:start] or "\r" in self.text[two:start]
            if not begins_line or not is_near or _GAP_LINE.search(self.text, two, start):
                break
            if self.text[line_start(self.text, one, lead.start) : one].strip(" \t"):
                break
            start = one
        return start

    def heads_group(self, index: int, start: int) -> bool:
        """Whether the comment at `start` is about this child and those after it: blank lines part groups."""
        if index + 1 == len(self.item.children):
            return False
        lead = self.lead(index)
        stands_alone = index == 0 or _GAP_LINE.search(self.text, lead.start, start) is not None
        follower = self.lead(index + 1).of(self.text)
        is_followed = "/" not in follower and not _GAP_LINE.search(follower)
        return (
            stands_alone
            and is_followed
            and any(
                _GAP_LINE.search(self.lead(at).of(self.text)) for at in range(len(self.item.children)) if at != index
            )
        )

    def piece(self, index: int) -> Piece:
        """A child as it is written, with the comments that are its own."""
        child = self.item.children[index]
        if not self.is_lined(index):
            return Piece(to_lf(child.entry.of(self.text)))
        indent = self.indent(index)
        entry = to_lf(dedented(child.entry.of(self.text), indent))
        start = self.own_comments(index)
        start = child.entry.start if self.heads_group(index, start) else start
        above = self.text[start : child.entry.start].rstrip(" \t\r\n")
        lines = split_bodies(dedented(above, indent)) if above else []
        comma = self.comma(index)
        after = child.entry.end if comma is None else comma + 1
        return Piece(entry, tuple(lines), self.text[after : self.tail(after)])

    def insert(self, index: int, pieces: Sequence[Piece], style: Style) -> list[Write]:
        """Put pieces in front of child number `index`, or behind the last."""
        count = len(self.item.children)
        if self.is_lined(min(index, count - 1)):
            return self._insert_lines(index, pieces)
        comma = comma_of(self.text, self.item) or style.comma
        if index < count:
            at = self.item.children[index].entry.start
            return [(Span(at, at), "".join(f"{piece.entry}{comma}" for piece in pieces))]
        last = self.comma(count - 1)
        if last is None:
            at = self.item.children[-1].entry.end
            return [(Span(at, at), "".join(f"{comma}{piece.entry}" for piece in pieces))]
        return [(Span(last + 1, last + 1), "".join(f"{comma[1:]}{piece.entry}," for piece in pieces))]

    def _insert_lines(self, index: int, pieces: Sequence[Piece]) -> list[Write]:
        indent = self.indent(min(index, len(self.item.children) - 1))
        before = None if index == 0 else self.item.children[index - 1].entry.end
        comma = None if index == 0 else self.comma(index - 1)
        if before is None or comma is not None:
            at = self.tail(self.inner.start if comma is None else comma + 1)
            return [(Span(at, at), "".join(piece.lines(indent, ",") for piece in pieces))]
        ends = [*([","] * (len(pieces) - 1)), ""]
        text = "".join(piece.lines(indent, end) for piece, end in zip(pieces, ends, strict=True))
        at = self.tail(before)
        if at == before:
            return [(Span(at, at), f",{text}")]
        return [(Span(before, before), ","), (Span(at, at), text)]

    def fill(self, pieces: Sequence[Piece], style: Style, *, lined: bool) -> list[Write]:
        """Put pieces into an empty container; a comment inside it stays."""
        inner = self.inner
        comments = [found.end() for found in _COMMENT.finditer(self.text, *inner)]
        at = comments[-1] if comments else inner.start
        rest = Span(at, inner.end)
        if lined or "\n" in rest.of(self.text) or "\r" in rest.of(self.text):
            indent = indent_at(self.text, self.item.value.start)
            ends = [*([","] * (len(pieces) - 1)), ""]
            unit = indent + style.unit
            text = "".join(piece.lines(unit, end) for piece, end in zip(pieces, ends, strict=True))
            return [(rest, f"{text}\n{indent}")]
        padding = " " if comments else style.padding if self.item.kind == "mapping" else ""
        return [(rest, f"{padding}{style.comma.join(piece.entry for piece in pieces)}{padding}")]

    def remove(self, index: int) -> list[Write]:
        """Take a child away, with its separator and its own comments."""
        child, count = self.item.children[index], len(self.item.children)
        comma = self.comma(index)
        end = child.entry.end if comma is None else comma + 1
        if count == 1 and not self._has_other_comments(index, end):
            return self._emptied(index, end)
        gone = self._lines(index, end) if self.is_lined(index) else None
        if gone is None:
            return self._remove_inline(index, end)
        if index < count - 1 or comma is not None:
            return [(gone, "")]
        # In two parts: behind the last one an earlier edit of the same call may have taken a comma.
        parts = [(Span(gone.start, end), ""), (Span(end, gone.end), "")]
        last = None if index == 0 else self.comma(index - 1)
        if last is None:
            return parts
        if self.text[last + 1 : gone.start] == self.text[end : gone.end] in ("\n", "\r\n", "\r"):
            # The line end before it goes instead of the one behind it, where another edit may put something.
            parts = [(Span(last + 1, gone.start), ""), parts[0]]
        return [(Span(last, last + 1), ""), *parts]

    def _emptied(self, index: int, end: int) -> list[Write]:
        """Everything between the brackets, parted where siblings stood: earlier edits of the same call took those."""
        entry, inner = self.item.children[index].entry, self.inner
        start = self.own_comments(index) if self.is_lined(index) else entry.start
        stop = _LINE_END.match(self.text, self.tail(end), inner.end)
        blank = _BLANKS.match(self.text, inner.start, inner.end)
        seams = {
            inner.start,
            blank.end() if blank else inner.start,
            line_start(self.text, start, inner.start),
            start,
            entry.start,
            entry.end,
            end,
            inner.end,
        }
        edges = sorted(seams | ({stop.end()} if stop else set()))
        return [(Span(*edge), "") for edge in pairwise(edges)]

    def _has_other_comments(self, index: int, end: int) -> bool:
        """Whether the brackets hold comments that are not the child's own."""
        start = self.own_comments(index) if self.is_lined(index) else self.item.children[index].entry.start
        outside = (Span(self.inner.start, start), Span(self.tail(end), self.inner.end))
        return any(_COMMENT.search(self.text, *span) for span in outside)

    def _lines(self, index: int, end: int) -> Span | None:
        """The whole lines of a child; None where something else ends on them."""
        stop = _LINE_END.match(self.text, self.tail(end))
        if stop is None or stop.end() > self.inner.end:
            return None
        start = self.own_comments(index)
        start = self.item.children[index].entry.start if self.heads_group(index, start) else start
        first = line_start(self.text, start, self.inner.start)
        return self._with_blank_lines(first, stop.end())

    def _with_blank_lines(self, start: int, end: int) -> Span:
        """Lines that go, with the blank lines in front of them or behind that would stand for nothing then."""
        blank = _BLANK_LINES.match(self.text, end, self.inner.end)
        after = blank.end() if blank else end
        above = self.text[self.inner.start : start]
        body = above.rstrip(" \t\r\n")
        lead = above[len(body) :]
        first = len(body) + len(split_lines(lead)[0]) if lead else len(above)
        before = self.inner.start + first
        is_last = not self.text[end : self.inner.end].strip(" \t\r\n")
        if before < start and (after > end or is_last):
            return Span(before, end)
        return Span(start, after if not body else end)

    def _remove_inline(self, index: int, end: int) -> list[Write]:
        """A child among others on its line, with the blanks that parted it from them."""
        child, count = self.item.children[index], len(self.item.children)
        lead = self.lead(index).of(self.text)
        blanks = len(lead) - len(lead.rstrip(" \t"))
        is_line_start = lead[: len(lead) - blanks].endswith(("\n", "\r"))
        if index < count - 1:
            ends_line = _LINE_END.match(self.text, end) is not None
            if ends_line and not is_line_start and index:
                return [(Span(child.entry.start - blanks, end), "")]
            rest = _BLANKS.match(self.text, end)
            return [(Span(child.entry.start, rest.end() if rest and not ends_line else end), "")]
        start = child.entry.start - (0 if is_line_start else blanks)
        last = None if index == 0 else self.comma(index - 1)
        if last is None or end > child.entry.end:
            return [(Span(start, end), "")]
        if last + 1 == start:
            return [(Span(last, end), "")]
        return [(Span(last, last + 1), ""), (Span(start, end), "")]


def indented(written: str, indent: str) -> str:
    """Text whose further lines stand at the margin, for a line with that indentation."""
    lines = split_lines(written)
    return "".join([*lines[:1], *(indent + line if line.strip() else line for line in lines[1:])])


def dedented(written: str, indent: str) -> str:
    """Text of a line with that indentation, its further lines moved to the margin."""
    lines = split_lines(written)
    return "".join([*lines[:1], *(line.removeprefix(indent) for line in lines[1:])])


def shape_like(written: str, indent: str) -> str:
    """Text of several lines, whose last line stands at the place's indentation."""
    lines = split_lines(written)
    if len(lines) < 2:
        return written
    own = lines[-1][: len(lines[-1]) - len(lines[-1].lstrip(" \t"))]
    return indented(dedented(written, own), indent)
