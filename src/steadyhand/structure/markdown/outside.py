"""Whether an edit leaves everything around it what it was: the text is read again, and every part outside compared.

A line of new text can end a list, open a fence or underline a paragraph; what it does not say it changes, it must not.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from steadyhand.errors import Kind
from steadyhand.structure.markdown.content import Content
from steadyhand.structure.markdown.defined import lost_definition
from steadyhand.structure.markdown.marks import Document, Mark
from steadyhand.structure.markdown.pairs import torn_pair
from steadyhand.structure.markdown.view import View, view_of
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source
from steadyhand.text.span import Span


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
    changes = seen.changes
    spans, touched = changes.after_spans(), [splice.span for splice in changes.splices]
    mine = [] if own is None else [own.shift(-seen.start)]
    grown = [Span(changes.map_position(one.start, assoc=-1), changes.map_position(one.end, assoc=1)) for one in mine]
    kept = _moved(_outside(seen.before, [*touched, *mine]), changes)
    there = list(_outside(seen.after, [*spans, *grown]))
    if sorted(kept) != sorted(there):
        return _disturbed(seen, kept, there)
    if joined_quote := _joined_quote(seen):
        return _disturbed(seen, [joined_quote], [])
    joined = 0 if own is None else 1  # the first part of the content becomes part of what it is put into
    if content is not None and not _is_as_written(seen.after, spans, content.document, joined):
        return Refusal(
            Kind.BAD_REQUEST,
            "at this place the content would not be read as it is written",
            "put a blank line at its start, code between fences, or edit the lines by number",
        )
    return lost_definition(source, seen) or torn_pair(source, seen) or proposal


def _parts(document: Document) -> Iterator[_Part]:
    """Every leaf with its place and what it stands in; of quotes and list items only where they start."""
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
    """A quote that started behind what is taken away, and would go on with what stands before it."""
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
    """Parts that no change touches, where they stand after it."""
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
    found = [mark for mark in after.marks if _starts_in(after, mark, spans)]
    wanted = content.marks[joined:]
    return len(found) == len(wanted) and all(
        _said(one) == _said(other) and _around(after, one).endswith(_around(content, other))
        for one, other in zip(found, wanted, strict=True)
    )


def _starts_in(document: Document, mark: Mark, spans: Sequence[Span]) -> bool:
    start = document.start_of(mark.first, mark.container)
    return any(span.start <= start < span.end for span in spans)


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
    return Refusal(
        Kind.BAD_REQUEST,
        f"what stands outside of the edit would be read differently: line {line} after it, {words!r}",
        "close what the content opens, and keep a blank line between it and what follows",
        {"line": line},
    )
