"""Whether edits of a Markdown text change anything outside of themselves.

The rows around an edit are parsed again, and every part outside of it is compared. A line of new text can end a list,
open a fence or underline a paragraph; an edit must not change more than it says. Besides what the parser knows:

1. An edit that takes away a definition, `[label]: address`, must not break a link elsewhere.
2. Tags, directives, comments, math and the blocks of templates are opened in one line and closed in another: an edit
   takes away both ends of such a pair or none. Nothing is repaired here; what has no other end is nobody's business.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple, Protocol

from steadyhand.hints import SendAddress
from steadyhand.lazy import dataclass, lazy_pattern, replace
from steadyhand.structure.markdown.document import Document, Mark
from steadyhand.structure.markdown.names import loose, ref_in, words_of
from steadyhand.structure.markdown.reader import (
    Content,
    View,
    fitted,
    known_markdown,
    read_fragment,
    view_of,
    whole_view,
)
from steadyhand.structure.node import Proposal, Refusal, refuse
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source, once
from steadyhand.text.span import Span

_LABEL = lazy_pattern(r"\[((?:[^\[\]\\]|\\.){1,200})\]", re.DOTALL)


def lost_definition(source: Source, view: View) -> Refusal | None:
    """The refusal of a change that leaves a link outside of it without its address."""
    left = {one.label for one in view.after.definitions}
    gone = [one for one in view.before.definitions if one.label not in left]
    if not gone:
        return None
    rows = range(view.row, view.row + view.before.count)
    left = {one.label for one in known_markdown(source).definitions if one.first not in rows}
    touched = [splice.span.shift(view.start) for splice in view.changes.splices]
    used = _used(source.text, touched)
    lost = next((one for one in gone if one.label not in left and one.label in used), None)
    if lost is None:
        return None
    line, label = view.row + lost.first + 1, used[lost.label]
    return refuse(
        f"line {line} defines the link [{label[:60]}], which is used outside the edit",
        f"keep that line: select the other lines by number, or add [{label[:60]}]: … in the content",
        {"line": line, "definition": label},
    )


def end_without_definitions(document: Document, first: int, end: int) -> int:
    """The end of some rows without the definitions they end with, and the blank rows above those."""
    ends = {one.end: one.first for one in document.definitions if first <= one.first < end}
    end = document.last_row(first, end)
    while end in ends:
        end = document.last_row(first, ends[end])
    return end


def _used(text: str, without: Sequence[Span]) -> dict[str, str]:
    """Every label in brackets outside of some spans, as the parser compares it and as it is written."""
    from markdown_it.common.utils import normalizeReference

    found: dict[str, str] = {}
    at = 0
    for span in [*without, Span(len(text), len(text))]:
        for label in _LABEL.findall(text, at, max(span.start, at)):
            found.setdefault(normalizeReference(label), label)
        at = span.end
    return found


_TAG = lazy_pattern(r"<(/?)([A-Za-z][\w.:-]*)((?:\s[^<>]*)?)(?<!/)>")
_CODE_SPAN = lazy_pattern(r"(`+)(?!`)[^`\n]*\1")
_DIRECTIVE = lazy_pattern(r"^[ \t]*(:{3,})[ \t]*(\S?)", re.MULTILINE)
_HIDING = lazy_pattern(r"^[ \t]*(%%|\$\$)[ \t]*$", re.MULTILINE)
# `{% if x %}` and `{% endif %}`, `{{< tabs >}}` and `{{< /tabs >}}`: what a page is made with before it is Markdown.
_BLOCK = lazy_pattern(r"\{%[-+~]?[ \t]*(end)?([A-Za-z]\w*)(?:[^%\r\n]|%(?!\})){0,400}%\}")
_SHORTCODE = lazy_pattern(r"\{\{([<%])[ \t]*(/?)[ \t]*([\w./-]+)(?:[^<>%\r\n]|[<>%](?!\})){0,400}(?<!/)[>%]\}\}")
_MDX_COMMENT = lazy_pattern(r"\{/\*|\*/\}")
_TELLING = lazy_pattern(r"</?[A-Za-z]|:::|%%|\$\$|\{%|\{\{[<%]|\{/\*|\*/\}")
_HIDES = ("%%", "$$", "{/*")
# Tags that stand alone, or whose end may be left out.
_ALONE = frozenset(
    "area base br col embed hr img input link meta source track wbr p li dt dd tr td th tbody thead tfoot option "
    "colgroup rt rp html head body".split()
)


@dataclass(frozen=True, slots=True)
class End:
    """One end of a pair: where it is, what it is called, and where its other end is, if it has one."""

    start: int
    end: int
    name: str
    is_closing: bool
    other: int | None = None


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
    return refuse(
        f"line {line}, {written}, belongs to line {other}, which is outside the edit",
        "keep that line in the content, or select the lines between by number",
        {"line": line, "pair": written},
    )


def hidden_at(source: Source, row: int) -> Refusal | None:
    """The refusal to put something between the lines that hide what is between them: `%%`, `$$` or a comment of MDX."""
    if not any(mark in source.text for mark in _HIDES):
        return None
    at = known_markdown(source).table.start(row)
    for end in ends_of(source):
        if end.name in _HIDES and end.other is not None and end.start < at <= end.other:
            first, last = source.line_of(end.start), source.line_of(end.other)
            return refuse(
                f"the place is between the {end.name} of line {first} and that of line {last}: it would be invisible",
                SendAddress(f"lines:{last + 1}-{last}", "insert at", more=", after them"),
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


@once
def ends_of(source: Source) -> tuple[End, ...]:
    """Every end of every pair in a text, in order; found once per source."""
    text = _without_code(source.text, known_markdown(source))
    return tuple(_matched(_found(text)))


def _without_code(text: str, document: Document) -> str:
    """A text with blanks in place of front matter, code and comments, as long as before."""
    table, pieces, at = document.table, [], 0
    rows = [(0, document.front.end)] if document.front else []
    for first, end in [*rows, *((mark.first, mark.end) for mark in document.codes)]:
        pieces += [text[at : table.start(first)], " " * (table.start(end) - table.start(first))]
        at = table.start(end)
    text = "".join([*pieces, text[at:]]).replace("\r", "\n")
    text = _CODE_SPAN.sub(lambda found: " " * len(found.group()), text)
    pieces, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        pieces += [text[at:start], " " * (end + 3 - start)]
        at = end + 3
    return "".join([*pieces, text[at:]])


def _found(text: str) -> Iterator[End]:
    """Every tag, directive, lone `%%` or `$$` and tag of a template, in order."""
    found = [
        End(tag.start(), tag.end(), tag.group(2), bool(tag.group(1)))
        for tag in _TAG.finditer(text)
        if tag.group(2).lower() not in _ALONE
    ]
    found += [End(one.start(1), one.end(1), ":::", not one.group(2)) for one in _DIRECTIVE.finditer(text)]
    found += [End(one.start(1), one.end(1), one.group(1), False) for one in _HIDING.finditer(text)]
    found += [End(one.start(), one.end(), "{/*", one.group() == "*/}") for one in _MDX_COMMENT.finditer(text)]
    if "{%" in text or "{{<" in text:
        blocks = ((one, f"{{% {one.group(2)} %}}", one.group(1)) for one in _BLOCK.finditer(text))
        shortcodes = (
            (one, f"{{{{{one.group(1)} {one.group(3)} }}}}", one.group(2)) for one in _SHORTCODE.finditer(text)
        )
        found += [End(one.start(), one.end(), name, bool(closes)) for one, name, closes in (*blocks, *shortcodes)]
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


class _Part(NamedTuple):
    kind: str
    start: int
    end: int
    detail: str


def checked(
    source: Source,
    proposal: Proposal,
    content: Content | None = None,
    *,
    own: Span | None = None,
    view: View | None = None,
) -> Proposal | Refusal:
    """The proposal, if all it does not touch is read as before, and what its content brings as the content says.

    `own` is what the edit may change besides the characters it writes: a table that gets a row is another table.
    `view` is the text around the proposal before and after, where the caller has read it already.
    """
    seen = view or view_of(source, proposal)
    if isinstance(seen, Refusal):
        return seen
    owned = () if own is None else (own,)
    refusal = _changes_more(source, seen, owned, content)
    return refusal or replace(proposal, meaning=Checked(seen, owned))


class Checked(NamedTuple):
    """How a proposal was checked: the rows around it before and after, and what it may change besides."""

    view: View
    own: tuple[Span, ...]


def _changes_more(source: Source, seen: View, own: Sequence[Span], content: Content | None) -> Refusal | None:
    changes = seen.changes
    spans, touched = changes.after_spans(), [splice.span for splice in changes.splices]
    mine = [one.shift(-seen.start) for one in own]
    grown = [Span(changes.map_position(one.start, assoc=-1), changes.map_position(one.end, assoc=1)) for one in mine]
    kept = _moved(_outside(seen.before, [*touched, *mine]), changes)
    there = list(_outside(seen.after, [*spans, *grown]))
    if sorted(kept) != sorted(there):
        return _disturbed(seen, kept, there)
    if joined_quote := _joined_quote(seen):
        return _disturbed(seen, [joined_quote], [])
    joined = len(own)  # the first part of the content becomes part of what it is put into
    if content is not None and not _is_as_written(seen.after, spans, content.document, joined):
        return refuse(
            "here the content would be read differently from how it is written",
            "put a blank line at its start, code between fences, or edit the lines by number",
        )
    return lost_definition(source, seen) or torn_pair(source, seen)


def _parts(document: Document) -> Iterator[_Part]:
    """Every leaf with its place and what it is in; of quotes and list items only where they start."""
    table, rows = document.table, document.rows
    if document.front is not None:
        yield _Part("front matter", 0, table.start(document.front.end - 1), document.front.mark)
    for mark in document.marks:
        end = table.start(mark.end - 1) + len(rows[mark.end - 1])
        detail = mark.text if mark.kind in ("heading", "fence") else ""
        start = document.start_of(mark.first, mark.container)
        yield _Part(mark.kind, start, end, f"{_around(document, mark)} {mark.level} {detail}")
    for one in document.containers[1:]:
        yield _Part(one.kind, document.at(one.first), document.at(one.first), "")


def _outside(document: Document, spans: Sequence[Span]) -> Iterator[_Part]:
    """The parts that no span touches."""
    apart = _merged(spans)
    ends = [span.end for span in apart]
    for part in _parts(document):
        near = bisect_left(ends, part.start)
        is_outside = True
        while is_outside and near < len(apart) and apart[near].start <= part.end:
            span = apart[near]
            near += 1
            # A quote that starts where something is inserted may start with it.
            is_outside = part.start != part.end and (part.end <= span.start or part.start >= span.end)
        if is_outside:
            yield part


def _joined_quote(seen: View) -> _Part | None:
    """A quote that started behind what is taken away, and would go on with what is before it."""
    gone = {splice.end for splice in seen.changes.splices if splice.old and not splice.new}
    starts = {seen.after.table.start(one.first) for one in seen.after.containers[1:] if one.kind == "quote"}
    for one in seen.before.containers[1:] if gone else ():
        start = seen.before.table.start(one.first)
        if one.kind == "quote" and start in gone:
            after = seen.changes.map_position(start)
            if after not in starts:
                return _Part("quote", after, after, "")
    return None


def _merged(spans: Sequence[Span]) -> list[Span]:
    """Spans in order, those that overlap as one."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start < merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def _moved(parts: Iterable[_Part], changes: ChangeSet) -> list[_Part]:
    """Parts that no change touches, where they are after it."""
    starts = [splice.start for splice in changes.splices]
    ends = [splice.end for splice in changes.splices]
    deltas = list(accumulate((splice.delta for splice in changes.splices), initial=0))
    moved: list[_Part] = []
    for part in parts:
        start = part.start + deltas[bisect_right(ends, part.start)]
        end = start if part.start == part.end else part.end + deltas[bisect_left(starts, part.end)]
        moved.append(part._replace(start=start, end=end))
    return moved


def _is_as_written(after: Document, spans: Sequence[Span], content: Document, joined: int) -> bool:
    """Whether what starts inside of the spans is what the content is on its own, in whatever container."""
    starts = ((mark, after.start_of(mark.first, mark.container)) for mark in after.marks)
    found = [mark for mark, start in starts if any(span.start <= start < span.end for span in spans)]
    wanted = content.marks[joined:]
    return len(found) == len(wanted) and all(
        _said(one) == _said(other) and _around(after, one).endswith(_around(content, other))
        for one, other in zip(found, wanted, strict=True)
    )


def _said(mark: Mark) -> tuple[str, int, str, int]:
    return mark.kind, mark.level, mark.text, mark.end - mark.first


def _around(document: Document, mark: Mark) -> str:
    return "/".join(one.kind for one in document.chain(mark.container)) if mark.container else ""


def _disturbed(seen: View, kept: list[_Part], now: list[_Part]) -> Refusal:
    lost, more = Counter(kept) - Counter(now), Counter(now) - Counter(kept)
    part = min(lost or more, key=lambda each: each.start)
    row = seen.after.table.row_at(part.start)
    words = seen.after.rows[row][:60] if row < seen.after.count else ""
    line = seen.row + row + 1
    return refuse(
        f"text outside the edit would be read differently: line {line} after it, {words!r}",
        "close what the content opens, and keep a blank line after it",
        {"line": line},
    )


Name = tuple[str, str]
"""What something is called by which it is addressed, with its kind."""


class Edited(Protocol):
    """What the check of several edits must know of a place that is edited; `Part` says what these are."""

    @property
    def place(self) -> tuple[int, int, int]: ...

    @property
    def names(self) -> Collection[Name]: ...

    def looks_at(self, document: Document, first: int, end: int, *, is_gone: bool) -> tuple[int, int]: ...


def after_all(
    source: Source, nodes: Sequence[Edited], made: Sequence[Proposal], *, in_turn: bool = False
) -> Source | None:
    """The text after several proposals, if they do together what they do one after the other; None: unknown.

    `in_turn`: each is what it is after those before it, whatever it looks at.
    """
    seen = [_seen(source, proposal) for proposal in made]
    changed = [None if one is None else _changed_names(one.view) for one in seen]
    if None in changed or not (in_turn or _are_apart(known_markdown(source), nodes, made)):
        return None
    all_changed = Counter(name for each in changed for name in each or ())
    for node, names in zip(nodes, changed, strict=True):
        mine = Counter(names or ())
        if any(all_changed[name] > mine[name] for name in node.names):
            return None
    splices = sorted((splice for one in made for splice in one.splices), key=lambda splice: splice.span)
    whole = whole_view(source, fitted(source, Proposal(tuple(splices))))
    own = [span for one in seen for span in (one.own if one is not None else ())]
    if isinstance(whole, Refusal) or _changes_more(source, whole, own, None) is not None:
        return None
    added = Counter[tuple[str, int, str]]()
    for one in seen:
        if one is not None:
            added.update(_kinds(one.view.after))
            added.subtract(_kinds(one.view.before))
    added.update(_kinds(whole.before))
    is_sum = +added == _kinds(whole.after) and not -added
    is_same = ("levels", "") not in all_changed or _are_paths_kept(whole, nodes)
    return whole.source if is_sum and is_same else None


def _seen(source: Source, proposal: Proposal) -> Checked | None:
    if isinstance(proposal.meaning, Checked):
        return proposal.meaning
    view = view_of(source, proposal)
    return None if isinstance(view, Refusal) else Checked(view, ())


def _kinds(document: Document) -> Counter[tuple[str, int, str]]:
    """How many leaves of each kind a text has, headings by their words."""
    return Counter((mark.kind, mark.level, mark.text if mark.kind == "heading" else "") for mark in document.marks)


def _changed_names(view: View) -> set[Name]:
    """What comes or goes with a change, by name; of each kind also a name that stands for all of it."""
    before, after = Counter(_names(view.before)), Counter(_names(view.after))
    found = {name for name in before | after if before[name] != after[name]}
    if [mark.level for mark in view.before.headings] != [mark.level for mark in view.after.headings]:
        found.add(("levels", ""))
    return found | {(kind, "") for kind, _ in found}


def _names(document: Document) -> Iterator[Name]:
    yield from (("heading", loose(mark.text)) for mark in document.headings)
    yield from (("code", mark.text or mark.kind) for mark in document.codes)
    yield from (("table", str(mark.level)) for mark in document.tables)
    yield from (("item", loose(words_of(item))) for item in document.items)
    for mark in document.marks:
        name = ref_in(document.rows[mark.end - 1]) if mark.kind == "paragraph" else None
        if name is not None:
            yield "ref", name


def _are_apart(document: Document, nodes: Sequence[Edited], made: Sequence[Proposal]) -> bool:
    """Whether no proposal writes rows that another looks at."""
    written: list[tuple[int, int, int]] = []
    looked: list[tuple[int, int, int]] = []
    for number, (node, proposal) in enumerate(zip(nodes, made, strict=True)):
        rows = [_rows_of(document, splice.span) for splice in proposal.splices] or [node.place[:2]]
        first, end = min(row for row, _ in rows), max(row for _, row in rows)
        is_gone = not any(splice.new for splice in proposal.splices)
        written.append((first, end, number))
        looked.append((*node.looks_at(document, first, end, is_gone=is_gone), number))
    written.sort()
    starts = [first for first, _, _ in written]
    longest = max((end - first for first, end, _ in written), default=0)
    for first, end, number in looked:
        for start, stop, other in written[bisect_left(starts, first - longest) : bisect_right(starts, end)]:
            is_inside = first < start < end if start == stop else start < end and first < stop
            if other != number and is_inside:
                return False
    return True


def _rows_of(document: Document, span: Span) -> tuple[int, int]:
    """The rows that a splice writes; those of an insertion between two rows are none."""
    table = document.table
    first, end = table.row_at(span.start), table.row_at(span.end)
    is_whole = table.start(first) == span.start and table.start(end) == span.end
    return (first, end) if is_whole else (first, end + 1)


def _are_paths_kept(whole: View, nodes: Sequence[Edited]) -> bool:
    """Whether every section that is addressed has the headings above it that it had; one that is gone has none."""
    after = {whole.after.at(section.mark.first): section.path[:-1] for section in whole.after.sections}
    before = {section.mark.first: section.path[:-1] for section in whole.before.sections}
    for first in {node.place[0] for node in nodes}:
        start = whole.changes.map_position(whole.before.at(first), assoc=1)
        if first in before and after.get(start, before[first]) != before[first]:
            return False
    return True
