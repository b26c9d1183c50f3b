"""What is opened in one line and closed in another, though Markdown does not know it: tags, directives, comments, math.

An edit takes away both ends of such a pair or none: a lone `</details>` changes all that follows. Nothing is repaired
here, and what has no other end is nobody's business.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.markdown.marks import Document
from steadyhand.structure.markdown.reading import known_markdown, read_fragment
from steadyhand.structure.markdown.view import View
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_TAG = lazy_pattern(r"<(/?)([A-Za-z][\w.:-]*)((?:\s[^<>]*)?)(?<!/)>")
_CODE_SPAN = lazy_pattern(r"(`+)(?!`)[^`\n]*\1")
_DIRECTIVE = lazy_pattern(r"^[ \t]*(:{3,})[ \t]*(\S?)", re.MULTILINE)
_HIDING = lazy_pattern(r"^[ \t]*(%%|\$\$)[ \t]*$", re.MULTILINE)
_TELLING = lazy_pattern(r"</?[A-Za-z]|:::|%%|\$\$")
# Tags that stand alone, or whose end may be left out.
_ALONE = frozenset(
    "area base br col embed hr img input link meta source track wbr p li dt dd tr td th tbody thead tfoot option "
    "colgroup rt rp html head body".split()
)


@dataclass(frozen=True, slots=True)
class End:
    """One end of a pair: where it stands, what it is called, and where its other end stands, if it has one."""

    start: int
    end: int
    name: str
    is_closing: bool
    other: int | None = None


def ends_of(source: Source) -> tuple[End, ...]:
    """Every end of every pair in a text, in order; found once per source."""
    return source.derive(_ends)


def torn_pair(source: Source, view: View) -> Refusal | None:
    """The refusal of a change that takes away one end of a pair and leaves the other."""
    touched = [splice.span.shift(view.start) for splice in view.changes.splices if _TELLING.search(splice.old)]
    if not touched:
        return None
    torn = [
        end
        for end in ends_of(source)
        if end.other is not None and _is_in(touched, end.start) and not _is_in(touched, end.other)
    ]
    if not torn or Counter((end.name, end.is_closing) for end in torn) == _brought(view):
        return None
    other = source.line_of(torn[0].other or 0)
    written = torn[0].name if not torn[0].name[0].isalpha() else f"<{'/' * torn[0].is_closing}{torn[0].name[:60]}>"
    line = source.line_of(torn[0].start)
    return Refusal(
        Kind.BAD_REQUEST,
        f"line {line}, {written}, belongs to line {other}, which is outside of the edit",
        "keep that line in the content, or name the lines between by number",
        {"line": line, "pair": written},
    )


def hidden_at(source: Source, row: int) -> Refusal | None:
    """The refusal to put something between the lines that hide what is between them: `%%` or `$$`."""
    if "%%" not in source.text and "$$" not in source.text:
        return None
    at = known_markdown(source).table.start(row)
    for end in ends_of(source):
        if end.name in ("%%", "$$") and end.other is not None and end.start < at <= end.other:
            first, last = source.line_of(end.start), source.line_of(end.other)
            return Refusal(
                Kind.BAD_REQUEST,
                f"the place is between the {end.name} of line {first} and that of line {last}: nobody would see it",
                f"insert at lines [{last + 1}, {last}], behind them",
                {"line": first},
            )
    return None


def end_without_closings(source: Source, first: int, end: int) -> int:
    """The end of some rows without those at their end that only close what was opened above them."""
    document = known_markdown(source)
    closings: dict[int, list[End]] = {}
    start = document.table.start(first)
    for one in ends_of(source):
        if one.is_closing and one.other is not None and one.other < start <= one.start:
            closings.setdefault(document.table.row_at(one.start), []).append(one)
    end = document.last_row(first, end)
    while end > first and end - 1 in closings:
        row, at = document.rows[end - 1], document.table.start(end - 1)
        rest = row
        for one in reversed(closings[end - 1]):
            rest = rest[: one.start - at] + rest[one.end - at :]
        if rest.strip(" \t"):
            break
        end = document.last_row(first, end - 1)
    return end


def _is_in(spans: Sequence[Span], position: int) -> bool:
    """Whether one of some sorted spans holds a position."""
    place = bisect_right(spans, position, key=lambda span: span.start) - 1
    return place >= 0 and position < spans[place].end


def _brought(view: View) -> Counter[tuple[str, bool]]:
    """What new text opens or closes without its other end."""
    brought: Counter[tuple[str, bool]] = Counter()
    for splice in view.changes.splices:
        document = read_fragment(splice.new)
        if not isinstance(document, Refusal):
            found = _matched(_found(_without_code(splice.new, document)))
            brought.update((end.name, end.is_closing) for end in found if end.other is None)
    return brought


def _ends(source: Source) -> tuple[End, ...]:
    text = _without_code(source.text, known_markdown(source))
    return tuple(_matched(_found(text)))


def _without_code(text: str, document: Document) -> str:
    """A text with blanks where front matter, code and comments stand, as long as before."""
    table, pieces, at = document.table, [], 0
    rows = [(0, document.front.end)] if document.front else []
    for first, end in [*rows, *((mark.first, mark.end) for mark in document.codes)]:
        pieces += [text[at : table.start(first)], " " * (table.start(end) - table.start(first))]
        at = table.start(end)
    text = "".join([*pieces, text[at:]]).replace("\r", "\n")
    text = _CODE_SPAN.sub(lambda found: " " * len(found.group()), text)
    return _without_comments(text)


def _without_comments(text: str) -> str:
    pieces, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        pieces += [text[at:start], " " * (end + 3 - start)]
        at = end + 3
    return "".join([*pieces, text[at:]])


def _found(text: str) -> Iterator[End]:
    """Every tag, directive and lone `%%` or `$$`, in order."""
    found = [
        End(tag.start(), tag.end(), tag.group(2), bool(tag.group(1)))
        for tag in _TAG.finditer(text)
        if tag.group(2).lower() not in _ALONE
    ]
    found += [End(one.start(1), one.end(1), ":::", not one.group(2)) for one in _DIRECTIVE.finditer(text)]
    found += [End(one.start(1), one.end(1), one.group(1), False) for one in _HIDING.finditer(text)]
    return iter(sorted(found, key=lambda end: end.start))


def _matched(found: Iterator[End]) -> list[End]:
    """Ends with their other ends: each closing one with the last of its name that is open."""
    ends: list[End] = []
    opened: dict[str, list[int]] = {}
    for end in found:
        before = opened.setdefault(end.name, [])
        is_closing = end.is_closing or (end.name in ("%%", "$$") and bool(before))
        if is_closing and before:
            other = before.pop()
            ends.append(End(end.start, end.end, end.name, True, ends[other].start))
            ends[other] = End(ends[other].start, ends[other].end, end.name, False, end.start)
        else:
            if not is_closing:
                before.append(len(ends))
            ends.append(end)
    return ends
