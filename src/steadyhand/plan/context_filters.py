"""What is known of the place of old text besides the text: whole lines, lines above it, the end of the file, a line.

Everything here only rules places out or decides between equal ones; no place is made up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import chain

from steadyhand.match.resolve import Finder, Found
from steadyhand.match.tier import LITERAL, Needle, Tier, tier_named
from steadyhand.plan.draft import Draft
from steadyhand.plan.edit import Edit, Replace
from steadyhand.plan.place import Old
from steadyhand.text.indent import width_of
from steadyhand.text.lines import body, is_whole_lines
from steadyhand.text.match import Match
from steadyhand.text.source import Source
from steadyhand.text.span import Span, kept_apart

__all__ = ["LineHint", "finder_within", "is_ended", "missing_header", "regions_under", "stands_beside"]

_EDGES = ("", "\n", "\r")
_AHEAD = 8  # old texts below that are looked for to learn how far lines are off


def finder_within(draft: Draft, old: Old, regions: Sequence[Span] | None = None) -> Finder:
    """Asks tiers on the draft, for places that fit what is known; `regions` are those that a place must touch."""
    if old.fit == "free" and regions is None and not old.at_end:
        return draft.find

    def find(tier: Tier, needle: Needle, *, apart: bool) -> Iterator[Span]:
        def places() -> Iterator[Span]:
            spans = draft.find(tier, needle, apart=apart and old.fit == "free")
            # In a patch only the last line of a file has no ending.
            is_last = needle.signs is not None and tier.rank <= LITERAL and needle.text[-1:] not in _EDGES
            if is_last and old.fit == "lines":
                spans = (span for span in spans if span.end == draft.length)
            return (span for span in spans if _fits(draft, span, old, regions))

        found = places()
        if old.fit != "free":
            found = _with_last(draft, needle, tier, (span for span in found if _is_whole(draft, span, tier)))
        if old.fit == "lines-first":
            first = next(found, None)
            found = places() if first is None else chain((first,), found)
        return kept_apart(found) if apart else found

    return find


def regions_under(source: Source, under: Sequence[str], *, to_end: bool = False) -> list[Span]:
    """The parts of a text that stand under lines, each inside what the line before it leads in; none: no such line.

    What a line leads in are the lines after it that are indented further, blank ones aside; with `to_end` everything
    after it. The line itself belongs to its part.
    """
    regions = [Span(0, len(source.text))]
    for wanted in under:
        regions = _leading(source, regions, wanted.strip(), to_end=to_end)
    return regions


def missing_header(source: Source, under: Sequence[str]) -> str | None:
    """The first of some lines above that a text does not have where it should be; None where it has all of them."""
    counts = range(1, len(under) + 1)
    return next((under[count - 1] for count in counts if not regions_under(source, under[:count], to_end=True)), None)


class LineHint:
    """The line at which old text is said to be, moved by as much as the places before it were found to be off.

    `edits` are all of the call, in order: before any is found, an old text below may tell how far all are off.
    """

    def __init__(self, draft: Draft, edits: Sequence[Edit] = ()) -> None:
        self._draft = draft
        self._edits = edits
        self._off = 0
        self._has_learned = False

    def at(self, old: Old) -> Found | None:
        """The place at the line itself, if the text stands there as it is, as whole lines."""
        row = self._row(old)
        if row is None or row < 0 or old.fit == "free" or not old.text:
            return None
        table = self._draft.original.table
        start = self._draft.from_original(table.start(row)) if row < table.count else None
        span = None if start is None else Span(start, start + len(old.text))
        if span is None or self._draft.read(span.start, span.end) != old.text:
            return None
        tier = tier_named("exact")
        return Found((Match(span, "exact"),), (), 1, tier) if _is_whole(self._draft, span, tier) else None

    def of(self, old: Old) -> Callable[[Span], bool] | None:
        """Says of a place whether it stands at the line."""
        row = self._row(old)
        return None if row is None else lambda span: self._row_of(span) == row

    def learn(self, old: Old, span: Span) -> None:
        """Take note of where a text with a line was found."""
        if old.line is not None:
            self._off = self._row_of(span) - (old.line - 1)
            self._has_learned = True

    @cached_property
    def _olds(self) -> list[Old]:
        return [edit.target for edit in self._edits if isinstance(edit.target, Old)]

    def looks_ahead(self, old: Old) -> bool:
        """Take the lines as far off as the next old text below is that the file has once; whether one was found.

        Only where none above has been found.
        """
        if self._has_learned or old.line is None or old not in self._olds:
            return False
        start = self._olds.index(old) + 1
        text, table = self._draft.original.text, self._draft.original.table
        for other in self._olds[start : start + _AHEAD]:
            at = text.find(other.text) if other.line is not None and other.text and other.fit != "free" else -1
            if at >= 0 and text.find(other.text, at + 1) < 0 and text[at - 1 : at] in _EDGES:
                self._off = table.row_at(at) - ((other.line or 1) - 1)
                return self._off != 0
        return False

    def _row(self, old: Old) -> int | None:
        return None if old.line is None else old.line - 1 + self._off

    def _row_of(self, span: Span) -> int:
        return self._draft.original.table.row_at(self._draft.to_original(span.start))


def stands_beside(draft: Draft, edit: Edit, found: Found) -> bool:
    """Whether whole lines that an edit only adds to the quoted ones stand right there already, so it was made before.

    Only where nothing is quoted on their other side: a line that is quoted there may well be repeated.
    """
    from steadyhand.plan.match_checks import is_telling

    if not isinstance(edit, Replace) or not isinstance(edit.target, Old) or edit.target.fit == "free":
        return False
    span, old, new = found.matches[0].span, found.old, found.new or ""
    if found.tier.rank > LITERAL or len(found.matches) > 1:
        return False
    behind = new[len(old) :] if new.startswith(old) else ""
    ahead = new[: -len(old)] if new.endswith(old) and old else ""
    places = (Span(span.end, span.end + len(behind)), Span(max(span.start - len(ahead), 0), span.start))
    return any(
        is_telling(added) and draft.read(place.start, place.end) == added and _is_whole_at(draft, place)
        for added, place in zip((behind, ahead), places, strict=True)
    )


def is_ended(draft: Draft, edit: Edit, found: Found) -> bool:
    """Whether all that lines at the end are to get is a newline, and they have one."""
    if not isinstance(edit, Replace) or not isinstance(edit.target, Old) or not edit.target.at_end:
        return False
    end = found.matches[0].span.end
    return edit.new == f"{edit.target.text}\n" and draft.read(end, end + 1) in _EDGES[1:]


def _is_whole_at(draft: Draft, place: Span) -> bool:
    """Whether lines begin and end where a place does, or their endings do."""
    edges = (place.start, place.end)
    return all(draft.read(at - 1, at) in _EDGES or draft.read(at, at + 1) in _EDGES for at in edges)


def _fits(draft: Draft, span: Span, old: Old, regions: Sequence[Span] | None) -> bool:
    if regions is not None and not any(map(span.overlaps, regions)):
        return False
    return not old.at_end or not draft.read(span.end, draft.length).strip()


def _is_whole(draft: Draft, span: Span, tier: Tier) -> bool:
    """Whether a place is whole lines: to the letter where the text stands as it is, else but for blanks."""
    if tier.rank > LITERAL:
        return is_whole_lines(draft.source.text, span)
    if draft.read(span.start - 1, span.start) not in _EDGES:
        return False
    return draft.read(span.end - 1, span.end) in _EDGES or draft.read(span.end, span.end + 1) in _EDGES


def _with_last(draft: Draft, needle: Needle, tier: Tier, found: Iterator[Span]) -> Iterator[Span]:
    """The places, and the one of a last line without ending: as lines it is the same, so none of them is unique."""
    first = next(found, None)
    if first is None:
        return
    yield first
    yield from found
    text = body(needle.text)
    start = draft.length - len(text)
    is_open = tier.rank <= LITERAL and text != needle.text and start >= 0 and text[-1:] not in _EDGES
    if is_open and draft.read(start, draft.length) == text and draft.read(start - 1, start) in _EDGES:
        yield Span(start, draft.length)


def _leading(source: Source, regions: Sequence[Span], wanted: str, *, to_end: bool) -> list[Span]:
    """The parts that a line leads in; a line that merely begins so counts where none is the same."""
    table = source.table
    heads = [(row, region) for region in regions for row in _rows_with(source, region, wanted)]
    same = [(row, region) for row, region in heads if table.text(row).strip() == wanted]
    return [
        Span(table.start(row), region.end if to_end else _end_of(source, row, table.row_at(region.end - 1)))
        for row, region in same or heads
    ]


def _rows_with(source: Source, region: Span, wanted: str) -> Iterator[int]:
    """The rows of a region that begin with a text, blanks in front aside."""
    text, table = source.text, source.table
    at = text.find(wanted, region.start, region.end) if wanted else -1
    while at >= 0:
        row = table.row_at(at)
        if not text[table.start(row) : at].strip():
            yield row
        at = text.find(wanted, table.start(row + 1), region.end)


def _end_of(source: Source, head: int, last: int) -> int:
    """Where the lines end that are indented further than a line."""
    table, margin = source.table, width_of(source.table.text(head))
    for row in range(head + 1, last + 1):
        text = table.text(row)
        if text.strip() and width_of(text) <= margin:
            return table.start(row)
    return table.start(last + 1)
