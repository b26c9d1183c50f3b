"""Old text with rows that stand for others (`// ... existing code ...`): the rows around them, in order.

Every run of literal rows must have one place, by itself or because order and brackets leave no other
(`match/elision.py`). A run that the edit merely repeats may be left with several: whichever is meant, the same is
written.
Elisions at the start and the end of the needle say nothing and are passed over.

A single find is whole lines, from the first literal row to the last, and `elided` gives the same place for every row
that the edit changes. Several finds are the places there is a choice of: of the whole where these differ, else of the
one run that cannot be placed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steadyhand.lazy import lazy_pattern
from steadyhand.match.elision import (
    Domains,
    Place,
    RowView,
    Run,
    WorkSpent,
    check_elisions,
    choose_nearest,
    consistent,
    is_elision,
    place_at,
    runs_of,
    sections_of,
)
from steadyhand.match.lexer import lexer_of
from steadyhand.match.rows import span_of_rows
from steadyhand.match.tier import Example, Needle, Tier
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_RUNS = 40
_PIECES = 6  # of each run, looked up to find the rarest
_SCANNED = 400_000_000  # code points read while counting pieces
_OFTEN = 20_000  # a run whose rarest piece occurs more often than this is not looked for
_SHOWN = 100
_WORD = lazy_pattern(r"[A-Za-z0-9_]{2,}")
_SIGNS = lazy_pattern(r"[A-Za-z0-9_]|[\[\](){};,:<>=/*+&|!@#$%^~?]+")  # none that folding could have changed
_ROOM = 200  # code points by which a row of the file may be longer than four times the needle's


def find(source: Source, needle: Needle, *, apart: bool) -> Iterator[Span]:
    """The one place the literal rows have, or the places there is a choice of."""
    del apart  # several finds are never several places to change
    runs = runs_of(needle.rows, lexer_of(source.path))
    if not 0 < len(runs) <= _RUNS or not source.text or _is_content(source, needle):
        return
    view = RowView(source.table.text, source.table.count, lexer_of(source.path))
    try:
        spans = _Search(source, needle, runs, view).spans()
    except WorkSpent:
        return
    yield from spans


def _is_content(source: Source, needle: Needle) -> bool:
    """Whether the file itself has a row that the needle seems to leave something out with."""
    marks = {row.strip() for row in needle.rows if is_elision(row)}
    return any(mark in source.text and mark in (row.strip() for row in source.lines) for mark in marks)


class _Search:
    """One needle in one source."""

    def __init__(self, source: Source, needle: Needle, runs: Sequence[Run], view: RowView) -> None:
        self._source, self._needle, self._runs, self._view = source, needle, runs, view
        self._touched = _touched(needle, runs)

    def spans(self) -> list[Span]:
        domains = self._domains()
        kept = consistent(domains, self._view)
        if kept is None:
            return []
        if not self._is_settled(kept):
            return self._choice(kept)
        places = choose_nearest(kept, self._view)
        return [self._span(places)] if self._is_agreed(domains, places) else []

    def _is_settled(self, domains: Domains) -> bool:
        return all(len(domains[index]) == 1 for index in self._touched) and any(len(one) == 1 for one in domains)

    def _is_agreed(self, domains: Domains, places: Sequence[Place]) -> bool:
        """Whether one who knows only where the whole starts and ends places what is changed just so."""
        ends = _pin(_pin(domains, 0, places[0]), -1, places[-1])
        kept = consistent(ends, self._view)
        if kept is None:
            return False
        again = choose_nearest(kept, self._view)
        return all(places[index] == again[index] for index in self._touched)

    def _choice(self, kept: Domains) -> list[Span]:
        """The wholes that are possible, given by the run with fewest places; else the places of one run."""
        pivot = min(range(len(kept)), key=lambda index: len(kept[index]))
        wholes = [self._whole(_pin(kept, pivot, place)) for place in kept[pivot][:_SHOWN]]
        found = [span for span in wholes if span is not None]
        if 1 < len(wholes) == len(set(found)):
            return found
        unsure = max(self._touched or range(len(kept)), key=lambda index: len(kept[index]))
        return [self._span([place]) for place in kept[unsure][:_SHOWN]]

    def _whole(self, domains: Domains) -> Span | None:
        kept = consistent(domains, self._view)
        return self._span(choose_nearest(kept, self._view)) if kept is not None and self._is_settled(kept) else None

    def _span(self, places: Sequence[Place]) -> Span:
        return span_of_rows(self._source.table, places[0].start, places[-1].end - 1, self._needle.text)

    def _domains(self) -> Domains:
        """Where each run is: the ones with long words first, because a sure place leaves the others less room."""
        domains: Domains = [[] for _ in self._runs]
        placed: dict[int, Place] = {}
        by_words = sorted(enumerate(self._runs), key=lambda pair: -len(_pieces(pair[1])[0][0]))
        for index, run in by_words:
            domains[index] = list(self._places(run, self._room(index, placed)))
            if not domains[index]:
                return domains
            if len(domains[index]) == 1:
                placed[index] = domains[index][0]
        return domains

    def _room(self, index: int, placed: dict[int, Place]) -> Span:
        """The part of the text between the sure places above and below."""
        above = [place.end for other, place in placed.items() if other < index]
        below = [place.start for other, place in placed.items() if other > index]
        table = self._source.table
        return Span(table.start(max(above, default=0)), table.start(min(below, default=table.count)))

    def _places(self, run: Run, room: Span) -> Iterator[Place]:
        """Every place of one run in a part of the text, found by its rarest piece."""
        piece, index = self._rarest(run, room)
        text, table = self._source.text, self._source.table
        longest = 4 * len(run.keys[index]) + _ROOM
        at = text.find(piece, *room)
        while 0 <= at < room.end:
            row = table.row_at(at)
            span = table.span(row)
            place = place_at(run, self._view, index, row) if span.length <= longest else None
            if place is not None:
                yield place
            at = text.find(piece, span.end, room.end)

    def _rarest(self, run: Run, room: Span) -> tuple[str, int]:
        """The piece of a run that occurs least often in a part of the text, and the row of the run it is in."""
        affordable = max(1, min(_PIECES, _SCANNED // (len(self._runs) * max(room.length, 1))))
        pieces = _pieces(run)[:affordable]
        counts = [self._source.text.count(piece, *room) for piece, _ in pieces]
        if min(counts) > _OFTEN:
            raise WorkSpent
        return pieces[counts.index(min(counts))]


def _pieces(run: Run) -> list[tuple[str, int]]:
    """Parts of rows that are in the file as they are, longest first, each with its row in the run.

    A run of nothing but quotes or dashes has none; it is looked for in every row.
    """
    for pattern in (_WORD, _SIGNS):
        pieces = {piece: index for index, key in enumerate(run.keys) for piece in pattern.findall(key)}
        if pieces:
            return sorted(pieces.items(), key=lambda pair: (-len(pair[0]), pair))
    return [("", 0)]


def _pin(domains: Domains, index: int, place: Place) -> Domains:
    pinned = list(domains)
    pinned[index] = [place]
    return pinned


def _touched(needle: Needle, runs: Sequence[Run]) -> list[int]:
    """The runs whose section the edit changes; all where the new text is not known or has other elisions."""
    if needle.new is None or check_elisions(needle.text, needle.new) is not None:
        return list(range(len(runs)))
    after = split_bodies(needle.new)
    pairs = zip(sections_of(needle.rows), sections_of(after), strict=True)
    changed = {old[0] for old, new in pairs if list(needle.rows[slice(*old)]) != after[slice(*new)]}
    return [index for index, run in enumerate(runs) if run.start in changed]


TIER = Tier(
    name="elision",
    rank=80,
    confidence=0.92,
    summary="Some lines of the old text stand for omitted lines; the others are in the file, in order, each once.",
    find=find,
    differs=("elided lines",),
    matches=(
        Example("a\n...\nd\n", "x\n⟦a\nb\nc\nd\n⟧y\n"),
        Example("a\n...\nd", "x\n⟦a\nb\nc\nd⟧\ny\n"),
        Example("f(1)\n# ... existing code ...\nf(4)", "⟦  f(1)\n  f(2)\n\n  f(3)\n  f(4)  ⟧\nf(5)\n"),
        Example("one\n\ntwo\n// ...\n\nsix\n", "⟦one\r\ntwo\r\nthree\r\nsix\r\n⟧"),
        Example("# ...\nb = 1\n# ...\nd = 2\n# ...\n", "a\n⟦b = 1\nc\nd = 2\n⟧e\n", "x.py"),
        Example("// ... existing code ...\nlast\n", "first\n⟦last\n⟧", "x.js"),
        Example("f() {\n  // ...\n} // f\n", "g() {\n  1\n}\n⟦f() {\n  if {\n    2\n  }\n} // f\n⟧h() {\n}\n", "x.js"),
        Example("f() {\n  // ...\n}\n", "f() {\n  1\n⟦}\n⟧g() {\n  2\n⟦}\n⟧", "x.js"),
        Example("one\n...\noff\n", "one\n1\n⟦off\n⟧2\n⟦off\n⟧"),
        Example("top\n...\nend\n...\nlow", "⟦top\n1\nend\n2\nlow⟧"),
    ),
    ignores=(
        Example("a\nd\n", "a\nb\nd\n"),
        Example("...\n", "a\nb\n"),
        Example("a\n  ...\nd\n", "a\nb\nd\nx\n  ...\ny\n"),
        Example("a\n...\nd\n", "d\nb\na\n"),
        Example("a\n...\nd\n", "a\nb\nc\n"),
        Example("a\n...\nd\n", "a\nd\n"),
        Example("a\n...\nd\n", "a\n\nd\n"),
        Example("a\nb\n...\nd\n", "a\nx\nb\nc\nd\n"),
        Example("a(...)\nd\n", "a(1)\nc\nd\n"),
        Example("a\n// Later...\nd\n", "a\nc\nd\n"),
        Example('say("a b")\n# ...\nd\n', 'say("a  b")\nc\nd\n', "x.py"),
        Example("if a:\n    b()\nc()\n...\ne()\n", "if a:\n    b()\n    c()\nd()\ne()\n", "x.py"),
        Example("a\n...\nc\n...\ne\n", "a\nb\ne\nd\nc\n"),
        Example("a\n...\nd", "ab\nc\nd"),
    ),
    is_single=True,
)
