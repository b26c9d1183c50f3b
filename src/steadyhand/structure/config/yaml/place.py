"""Lines around YAML entries: where an entry's own lines start and end, which comments are its own, where gaps are.

Only for entries of block collections; what stands in brackets has no lines of its own.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.config.item import Item
from steadyhand.structure.config.yaml.note import note_of
from steadyhand.text.lines import line_start
from steadyhand.text.span import Span

_TO_END = lazy_pattern(r"[^\r\n]*")
_BREAK = lazy_pattern(r"\r\n?|\n")
_BLANK = lazy_pattern(r"[ \t]*(?:\r\n?|\n)")
_COMMENT = lazy_pattern(r"(?P<indent>[ \t]*)#[^\r\n]*(?:\r\n?|\n|\Z)")


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


def start_of_line(text: str, offset: int) -> int:
    """Where the line of an offset starts; a byte order mark is in front of the first line."""
    lf = text.rfind("\n", 0, offset) + 1
    start = line_start(text, offset, lf)  # looks for CR on this line only
    return 1 if start == 0 and offset > 0 and text.startswith("\ufeff") else start


def end_of_line(text: str, offset: int) -> int:
    """Where the line of an offset ends, before its line break."""
    found = _TO_END.match(text, offset)
    return offset if found is None else found.end()


def next_line(text: str, offset: int) -> int:
    """Where the line after that of an offset starts."""
    end = end_of_line(text, offset)
    found = _BREAK.match(text, end)
    return end if found is None else found.end()


def line_above(text: str, start: int) -> int:
    """Where the line above one that starts at `start` starts."""
    return start_of_line(text, max(start - (2 if text[start - 2 : start] == "\r\n" else 1), 0))


def column_of(text: str, offset: int) -> int:
    """How far right an offset stands on its line, from 0."""
    return offset - start_of_line(text, offset)


def region_of(text: str, parent: Item, index: int) -> Region:
    """The lines of child number `index` of a block collection."""
    child = parent.children[index]
    mark = note_of(child).mark
    first = start_of_line(text, mark)
    end = below(text, child)
    content_end = end
    if end > last_of(child) and text[end - 1] in "\r\n":
        content_end -= 2 if text[end - 2 : end] == "\r\n" else 1
    if text[first:mark].strip(" "):
        return Region(Span(mark, end), mark, content_end, is_compact=True)
    return Region(Span(_own_start(text, parent, index, first), end), first, content_end, is_compact=False)


def last_of(item: Item) -> int:
    """Where the last character of an entry stands behind which nothing but a comment is on the line."""
    return max(item.entry.end, note_of(item).hang)


def below(text: str, item: Item) -> int:
    """Where the line after an entry starts; comments further right than the entry belong to it."""
    end = next_line(text, last_of(item))
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
    floor = 0 if index == 0 else next_line(text, last_of(parent.children[index - 1]))
    column = column_of(text, note_of(parent.children[index]).mark)
    at = first
    while at > floor:
        above = line_above(text, at)
        found = _COMMENT.match(text, above)
        if found is None or above < floor or len(found.group("indent")) != column:
            break
        at = above
    is_head = at == start_of_line(text, min(1, len(text)))
    return first if at == first or is_head or _heads_group(text, parent, index, at) else at


def _heads_group(text: str, parent: Item, index: int, comment: int) -> bool:
    """Whether comments stand above several entries: after a blank line or first of all, the next entry right below."""
    if index + 1 == len(parent.children):
        return False
    follows = end_of_line(text, last_of(parent.children[index]))
    between = text[follows : start_of_line(text, note_of(parent.children[index + 1]).mark)]
    is_next = len(_BREAK.findall(between)) == 1
    is_apart = index == 0 or not text[line_above(text, comment) : comment].strip()
    return is_next and is_apart


def blank_lines_at(text: str, offset: int) -> int:
    """Where the blank lines that start at a line end."""
    while offset < len(text) and (found := _BLANK.match(text, offset)):
        offset = found.end()
    return offset


def blanks_between(text: str, parent: Item) -> int:
    """How many blank lines usually part the children of a block collection."""
    counts: Counter[int] = Counter()
    for one, two in pairwise(parent.children[-20:]):
        at, count = next_line(text, last_of(one)), 0
        stop = start_of_line(text, note_of(two).mark)
        while at < stop:
            after = next_line(text, at)
            count += not text[at:after].strip()
            at = after
        counts[count] += 1
    return min(counts.most_common(1)[0][0], 2) if counts else 0
