"""A snippet brought into a file: its literal runs are placed, what its marks represent is kept.

Pure, and never raises: a snippet that cannot be merged with certainty is an outcome with its refusal. A mark never
comes into the file, and nothing that the snippet does not show is ever taken away at the file's ends.

Runs are placed each in one place, one after the other. A run is found by its pins: rows with words that the file and
the snippet each have once, as many as keep their order. A run without any is looked for between the runs around it, by
the stretch of rows that says most; the file must have it there once, and nothing else of the run there may be nearly as
long. A run that is there whole and more than once is context only: whichever is meant, nothing changes.
From its pins a run reaches up and down to its first and last row, its edges (`plan/snippet_rows.py`).
A rival is another place in which the run would change about as little: then neither of the two is certain. So a place
is two edges, and each is certain or the snippet is refused.

What placed runs change becomes edits of whole lines; what they repeat stays as the file has it. A row is kept if it
says the same and is indented as the run is indented in the file. A row that differs in the blanks inside it is kept
as the file has it, unless all such rows of the run are beside what changes: then they were lined up with it, and the
snippet means it. Blank rows are believed only where the snippet shows that it has them as the file has them: a model
that drops blank lines does not ask to delete them. Rows that vanish with little in their place were more often
forgotten.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from steadyhand.errors import EditError
from steadyhand.lazy import dataclass, lazy_pattern, replace
from steadyhand.match.lexer import lexer_of
from steadyhand.match.tier import tier_named
from steadyhand.plan import refusals
from steadyhand.plan.edit import Delete, Edit, Insert, Replace
from steadyhand.plan.planner import Outcome, Plan, plan
from steadyhand.plan.policy import Policy
from steadyhand.plan.snippet_rows import (
    Edge,
    EdgeRow,
    Gap,
    Key,
    Placed,
    Refusals,
    Run,
    VisibleRows,
    gaps_of,
    is_telling,
    kept_of,
    key_of,
    letters_in,
    likeness,
    read_snippet,
    settle,
)
from steadyhand.structure.lines import Lines
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.diff import diff_rows, equal_pairs
from steadyhand.text.indent import Carried, Pair, carry, indent_of, unit_of
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source

_FEW = 6  # lines that are missing at one end of a snippet which may be meant as the whole file
# Languages in which a row that is only indented otherwise still says the same.
_FREE = frozenset("c css dart go hcl java javascript json lua markup php ruby shell sql swift toml".split())


def plan_merge(
    source: Source, snippet: str, policy: Policy, *, path: str | None = None, reason: str | None = None
) -> Plan:
    """What a snippet would make of a file. All of it or nothing, whatever the policy says of parts.

    >>> source = Source.of_text("a = 1\\nbeta = 2\\ncopy = 3\\ndelta = 4\\n")
    >>> plan_merge(source, "# ...\\nbeta = 2\\ncopy = 5\\ndelta = 4\\n", Policy()).after.text
    'a = 1\\nbeta = 2\\ncopy = 5\\ndelta = 4\\n'
    """
    name = path or "the text"
    try:
        if source.is_binary:
            raise refusals.not_text(name)
        edits, tier = _edits(source, snippet, policy, name)
    except EditError as error:
        return _refused(source, error, path, reason)
    made = plan(source, edits, replace(policy, batch="snapshot", partial=False), path=path, reason=reason)
    if tier == "exact" and not _holds(made.after, snippet):
        tier = "whitespace"  # blank lines that the snippet has otherwise stay as the file has them
    return replace(made, outcomes=tuple(_with_tier(outcome, tier) for outcome in made.outcomes))


def _edits(source: Source, snippet: str, policy: Policy, name: str) -> tuple[list[Edit], str]:
    """The edits, and the tier that overlooks what had to be overlooked."""
    lexer, found = lexer_of(source.path), read_snippet(snippet)
    if not found.runs:
        raise refusals.no_change(name, "the snippet has no line with content")
    key = key_of(policy, lexer)
    file = VisibleRows(source.lines, key)
    refuse = Refusals(name, source, file)
    if not len(file) and not found.has_marks:
        return [_filled(source, snippet)], "exact"
    placed = place_runs(file, found.runs, key, refuse)
    if not found.has_marks and len(placed) == 1:
        _check_extent(placed[0], file, refuse)
    edits = edits_of(placed, file, refuse, is_sensitive=lexer.name not in _FREE)
    if not edits:
        raise refusals.no_change(name, "every line of the snippet is already in the file")
    return edits, "elision" if found.has_marks else _tier(placed, file)


def _holds(after: Source, snippet: str) -> bool:
    """Whether the lines of a snippet are in a text as they are."""
    wanted = "\n".join(split_bodies(snippet)).strip("\n")
    return wanted in "\n".join(after.lines)


def _check_extent(placed: Placed, file: VisibleRows, refuse: Refusals) -> None:
    """Without marks, a file but for a few lines at one end may be the file or a part of it."""
    missing = placed.start + len(file) - placed.end
    if (placed.start == 0) != (placed.end == len(file)) and missing <= min(_FEW, len(file) // 4):
        raise refuse.cut_off(placed.run, placed.start, placed.end)


def _filled(source: Source, snippet: str) -> Edit:
    """A file without a word in it becomes the snippet."""
    text = "".join(f"{row}\n" for row in split_bodies(snippet))
    if not source.text:
        return Insert(Lines(1, 0), text, where="before")
    return Replace(Lines(1, source.line_count), text)


def _tier(placed: Sequence[Placed], file: VisibleRows) -> str:
    pairs = [(run.rows.texts[row], file.texts[place]) for run in placed for row, place in kept_of(run, file)]
    if all(ours == theirs for ours, theirs in pairs):
        return "exact"
    return "whitespace" if all(ours.split() == theirs.split() for ours, theirs in pairs) else "typography"


def _with_tier(outcome: Outcome, tier: str) -> Outcome:
    """The outcome of an edit by lines, with how the lines were found."""
    if not outcome.applied:
        return outcome
    known = tier_named(tier)
    return replace(outcome, tier=tier, confidence=known.confidence, differs=known.differs)


def _refused(source: Source, error: EditError, path: str | None, reason: str | None) -> Plan:
    facts: dict[str, object] = {"index": 0} if path is None else {"index": 0, "path": path}
    outcome = Outcome(0, applied=False, path=path, reason=reason, error=error.with_details(**facts))
    return Plan(False, (outcome,), ChangeSet(), (), source)


_LEFT_OUT = 4  # rows that may go with nothing in their place
_SHRUNK = 6  # rows by which a run may be shorter than what it replaces, or a twentieth of it
_ALIKE = 0.6  # rows less alike than this are not versions of each other
_COMPARED = 200  # rows of a gap that are compared
_COMMENT = lazy_pattern(r"(?:#|//|/\*|<!--|--|;|%|\*|\{/\*|\.\.)(?!\[)")
_DOTS = lazy_pattern(r"\.{3}|…")
_KEPT = lazy_pattern(r"\b(?:existing|unchanged|remain\w*|rest|omitted|previous|unmodified|same)\b", re.I)
_SAYING = 80  # characters of a row that may only say that others stay


def edits_of(placed: Sequence[Placed], file: VisibleRows, refuse: Refusals, *, is_sensitive: bool) -> list[Edit]:
    """The edits that make every run what it says, top to bottom. `is_sensitive`: indentation means something."""
    gaps = [list(gaps_of(run, file, kept_of(run, file))) for run in placed]
    blanks = _Blanks([gap for some in gaps for gap in some if not gap.has_change])
    has_blanks = any(text and not text.strip() for text in file.all)
    edits: list[Edit] = []
    for run, some in zip(placed, gaps, strict=True):
        _check_run(run, some, file, refuse)
        for gap in some:
            if gap.has_change:
                writer = _Writer(run, file, gap, refuse, has_blanks=has_blanks)
                edits.extend(writer.edits(blanks, is_sensitive=is_sensitive))
    return edits


def _check_run(placed: Placed, gaps: Sequence[Gap], file: VisibleRows, refuse: Refusals) -> None:
    """Refuse a run that may as well belong elsewhere, leaves much out, or is mostly new and indented otherwise."""
    rival = find_rival(placed, file)
    if rival is not None:
        raise refuse.rival(placed.run, sorted({placed.start, rival}))
    for gap in gaps:
        if gap.old and not gap.new and _may_be_border(placed, gap, file):
            raise refuse.left_out(placed.run, gap.new, gap.old)
    shrunk = [gap for gap in gaps if len(gap.old) > len(gap.new)]
    if sum(len(gap.old) - len(gap.new) for gap in shrunk) > max(_SHRUNK, len(placed.rows) // 20):
        most = max(shrunk, key=lambda gap: len(gap.old) - len(gap.new))
        raise refuse.left_out(placed.run, most.new, most.old)
    new = [row for gap in gaps for row in gap.new]
    pairs = [(pair.before, placed.carried(pair.before, pair.row)) for pair in placed.carried.pairs]
    is_moved = any(before != after for before, after in pairs)
    has_other = any(("\t" in before) != ("\t" in (after or "")) for before, after in pairs)
    if is_moved and (4 if has_other else 2) * len(new) > len(placed.rows):
        raise refuse.indent(placed.run, placed.rows.numbers[new[0]])


def _may_be_border(placed: Placed, gap: Gap, file: VisibleRows) -> bool:
    """Whether rows go right below the first row of a run, or right above its last, that may be what it was before."""
    texts, at, last = placed.rows.texts, gap.new.start, len(placed.rows) - 1
    is_first = at == 1 and likeness(texts[0], file.texts[gap.old.stop - 1]) >= _ALIKE
    return is_first or (at == last and likeness(texts[last], file.texts[gap.old.start]) >= _ALIKE)


class _Blanks:
    """How the snippet has the blank rows between rows that it keeps: as the file has them, or otherwise."""

    def __init__(self, gaps: Sequence[Gap]) -> None:
        self.is_noisy = any(len(gap.ours) != len(gap.theirs) for gap in gaps)
        self.is_faithful = not self.is_noisy and any(gap.ours for gap in gaps)


class _Writer:
    """One gap."""

    def __init__(self, placed: Placed, file: VisibleRows, gap: Gap, refuse: Refusals, *, has_blanks: bool) -> None:
        self._placed, self._file, self._gap, self._refuse = placed, file, gap, refuse
        self._has_blanks = has_blanks
        self._new = [placed.rows.texts[row].strip() for row in gap.new]
        self._old = [file.texts[place].strip() for place in gap.old]

    def edits(self, blanks: _Blanks, *, is_sensitive: bool) -> Iterator[Edit]:
        """The edit for the gap; none where rows only are at another indentation by accident."""
        gap, rows = self._gap, self._placed.rows
        if self._new == self._old:
            if is_sensitive:
                raise self._refuse.reindented(self._placed.run, rows.numbers[gap.new.start], gap.old.start)
            return
        self._check_left_out()
        ours, theirs = self._extent(blanks)
        yield _edit(theirs, list(self._written(ours)))

    def _check_left_out(self) -> None:
        """Refuse rows that only say that others stay, and too many that go with too little in their place."""
        for row, text in zip(self._gap.new, self._new, strict=True):
            if len(text) <= _SAYING and _DOTS.search(text) and _KEPT.search(text) and text not in self._old:
                raise self._refuse.mark(self._placed.run, self._placed.rows.numbers[row])
        rest = iter(self._old[:_COMPARED])
        alike = sum(any(likeness(row, other) >= _ALIKE for other in rest) for row in self._new[:_COMPARED])
        gone, come = len(self._old) - alike, len(self._new) - alike
        says_little = (
            bool(self._new) and all(map(_COMMENT.match, self._new)) and not all(map(_COMMENT.match, self._old))
        )
        if gone > come and (gone - come / 2 > _LEFT_OUT or (says_little and gone > 1)):
            raise self._refuse.left_out(self._placed.run, self._gap.new, self._gap.old)

    def _extent(self, blanks: _Blanks) -> tuple[range, range]:
        """The rows of the snippet that come and those of the file that go, with or without blank ones at the ends."""
        gap = self._gap
        ours, theirs = _body(gap.ours, gap.new, self._placed.rows), _body(gap.theirs, gap.old, self._file)
        lead, trail = ours.start - gap.ours.start, gap.ours.stop - ours.stop
        above, below = theirs.start - gap.theirs.start, gap.theirs.stop - theirs.stop
        if (lead, trail) == (above, below):
            return ours, theirs
        if blanks.is_faithful:
            return gap.ours, gap.theirs
        if gap.new and gap.old:
            if len(gap.new) == len(gap.old):
                return ours, theirs
            is_shown = lead >= above and trail >= below and not blanks.is_noisy
        elif gap.new:
            is_shown = not gap.theirs or (lead + trail >= len(gap.theirs) and not blanks.is_noisy)
        else:
            is_shown = not (above and below) and not gap.ours
        if not is_shown:
            raise self._refuse.blanks(self._placed.run, gap.ours.start, gap.theirs.start)
        return gap.ours, gap.theirs

    def _written(self, ours: range) -> Iterator[str]:
        """The rows as the file would have them: at its indentation."""
        rows, gap = self._placed.rows, self._gap
        visible = dict(zip((rows.numbers[row] for row in gap.new), gap.new, strict=True))
        for number in ours:
            row = visible.get(number)
            if row is None:
                yield rows.all[number] if self._has_blanks else ""
                continue
            indent = self._placed.carried(indent_of(rows.texts[row]), row)
            if indent is None:
                raise self._refuse.indent(self._placed.run, number)
            yield indent + rows.texts[row].lstrip(" \t")


def _body(extent: range, visible: range, rows: VisibleRows) -> range:
    """The extent without the blank rows at its ends; its end where all are blank."""
    if not visible:
        return range(extent.stop, extent.stop)
    return range(rows.numbers[visible.start], rows.numbers[visible.stop - 1] + 1)


def _edit(theirs: range, rows: Sequence[str]) -> Edit:
    text = "".join(f"{row}\n" for row in rows)
    lines = Lines(theirs.start + 1, theirs.stop)
    if not theirs:
        return Insert(lines, text, where="before")
    return Replace(lines, text) if rows else Delete(lines)


_INSIDE = 80  # rows from the outermost pin to one that is asked instead
_WORD = 2  # letters and digits
_NEAR = 30  # rows around a run in which no row of it may be once more
_AROUND = 300  # rows on either side of a run that are looked at
_TOP = 5_000  # rows of the file that show its level of indentation


def place_runs(file: VisibleRows, runs: Sequence[Run], key: Key, refuse: Refusals) -> list[Placed]:
    """Every run that may change something, in its place. Refuses what has no place, several, or no clear border."""
    plain = [_plain(run, file, key) for run in runs]
    unit = unit_of(file.texts[:_TOP])
    pinning = _Pinning(file, plain, [VisibleRows(run.rows, key) for run in plain], refuse)
    pinning.pin_singles()
    pinning.pin_stretches()
    placed = [_Placing(pinned, file, unit, refuse).placed() for pinned in pinning.pinned()]
    for before, after in pairwise(placed):
        if before.end > after.start:
            raise refuse.overlapping(after.run, before.run, before.end - 1)
        if before.end == after.start and before.run.dots:
            raise refuse.idle_mark(before.run, before.end - 1)
    return placed


def _plain(run: Run, file: VisibleRows, key: Key) -> Run:
    """The run without line numbers, if more of it is in the file then."""
    bare = run.without_numbers()
    return bare if bare is not None and _known(bare, file, key) > _known(run, file, key) else run


def _known(run: Run, file: VisibleRows, key: Key) -> int:
    return sum(key(text) in file.places for text in run.rows if text.strip())


class _Placing:
    """One run whose pins are known."""

    def __init__(self, pinned: Pinned, file: VisibleRows, unit: str | None, refuse: Refusals) -> None:
        self._pinned, self._rows, self._pins = pinned, pinned.rows, pinned.pins
        self._file, self._refuse = file, refuse
        self._carried = self._find_carried(unit)

    def placed(self) -> Placed:
        """The run between its two borders."""
        run, above, below = self._pinned.run, self._edge(is_above=True), self._edge(is_above=False)
        reach = [settle(edge) for edge in (above, below)]
        if reach[0] is None or reach[1] is None:
            raise self._refuse.open_edge(run, above if reach[0] is None else below)
        start, end = above.here.number - reach[0], below.here.number + 1 + reach[1]
        self._check_borders((0, start), (len(self._rows) - 1, end - 1))
        for row, place in self._pinned.dropped:
            if not start <= place < end and start - _NEAR <= place < end + _NEAR:
                raise self._refuse.doubled(run, self._rows.numbers[row], place)
        words = [letters_in(self._rows.texts[row]) for row, _ in self._pins]
        return Placed(run, self._rows, start, end, self._carried, max(words) >= KNOWN or sum(words) >= 3 * KNOWN)

    def _check_borders(self, *borders: Pin) -> None:
        """Refuse a run whose first or last row moves sideways: what belongs to it may go on beyond the run."""
        for row, place in borders:
            indent = self._carried(indent_of(self._rows.texts[row]), row)
            if self._rows.keys[row] == self._file.keys[place] and indent not in (
                None,
                indent_of(self._file.texts[place]),
            ):
                raise self._refuse.reindented(self._pinned.run, self._rows.numbers[row], place)

    def _find_carried(self, theirs: str | None) -> Carried:
        """How the indentation of the run is taken to the file's: by one rule for all pins, or not at all.

        Where some rows are moved sideways and the leftmost are not, the snippet means what it shows.
        """
        texts, others = self._rows.texts, self._file.texts
        pairs = [Pair(row, indent_of(texts[row]), indent_of(others[place])) for row, place in self._pins]
        ours = unit_of(texts)
        if ours and theirs and (ours == "\t") != (theirs == "\t") and not any(pair.before for pair in pairs):
            pairs.append(Pair(len(texts), ours, theirs))  # rows at the margin do not show that tabs and blanks differ
        carried = carry(pairs, ours, theirs)
        if carried.is_rule and all(carried(pair.before, pair.row) == pair.after for pair in pairs):
            return carried
        least = min(len(pair.before) for pair in pairs)
        is_same = all(pair.before == pair.after for pair in pairs if len(pair.before) == least)
        return Carried((lambda indent: indent) if is_same else None, tuple(pairs))

    def _origin(self, *, is_above: bool) -> Pin:
        """The pin from which a border is looked for: the nearest that says much, or else the farthest.

        Rows that are new may well be like rows nearby; a short one that is once somewhere may be one of these.
        """
        outermost = self._pins if is_above else self._pins[::-1]
        border = 0 if is_above else len(self._rows) - 1
        if outermost[0][0] == border and self._is_firm(is_above=is_above):
            return outermost[0]
        near = [pin for pin in outermost if abs(pin[0] - outermost[0][0]) <= _INSIDE]
        return next((pin for pin in near if letters_in(self._rows.texts[pin[0]]) >= KNOWN), near[-1])

    def _edge(self, *, is_above: bool) -> Edge:
        """One side of a run: upwards from a pin, or downwards."""
        run, (row, place), (low, high) = self._pinned.run, self._origin(is_above=is_above), self._pinned.zone
        rows = range(row, -1, -1) if is_above else range(row, len(self._rows))
        around = _AROUND if len(rows) > 1 else 1
        places = range(place, max(low - 1, place - around), -1) if is_above else range(place, min(high, place + around))
        ours = [self._ours(at, is_above=is_above) for at in rows]
        theirs = [self._theirs(at, is_above=is_above) for at in places]
        return Edge(
            theirs[0],
            ours[1:],
            theirs[1:],
            is_end=low == 0 if is_above else high == len(self._file),
            is_above=is_above,
            is_marked=run.above if is_above else run.below,
        )

    def _ours(self, row: int, *, is_above: bool) -> EdgeRow:
        text = self._rows.texts[row]
        blanks = self._rows.blanks_before(row if is_above else row + 1)
        return EdgeRow(row, text, self._rows.keys[row], self._carried(indent_of(text), row), blanks)

    def _theirs(self, place: int, *, is_above: bool) -> EdgeRow:
        text = self._file.texts[place]
        blanks = self._file.blanks_before(place if is_above else place + 1)
        return EdgeRow(place, text, self._file.keys[place], indent_of(text), blanks)

    def _is_firm(self, *, is_above: bool) -> bool:
        """Whether two rows with words go side by side from the outermost pin inwards, or one with several."""
        keys, others = self._rows.keys, self._file.keys
        row, place = self._pins[0] if is_above else self._pins[-1]
        step = 1 if is_above else -1
        words: list[int] = []
        while 0 <= row < len(keys) and 0 <= place < len(others) and keys[row] == others[place]:
            words.append(letters_in(keys[row]))
            row, place = row + step, place + step
        return sum(count >= _WORD for count in words) > 1 or max(words) >= KNOWN


KNOWN = 16  # letters and digits by which a row alone is known
_OFTEN = 2_000  # places of a row beyond which no stretch begins with it
_WORK = 400_000  # rows compared while stretches are looked for

Pin = tuple[int, int]  # a row of a run and its place in the file, both among the rows that are not blank


@dataclass(frozen=True, slots=True)
class Pinned:
    """A run, its pins from the top, and the places between the runs around it.

    `dropped` are rows that are once on both sides and do not fit: they are new here, or moved.
    """

    run: Run
    rows: VisibleRows
    pins: Sequence[Pin]
    dropped: Sequence[Pin]
    zone: tuple[int, int]


class _Stretch(NamedTuple):
    """Rows of a run that go side by side with rows of the file."""

    row: int
    place: int
    size: int
    weight: int

    def is_beside(self, other: _Stretch) -> bool:
        """Whether one comes before the other in the run and in the file."""
        first, second = sorted((self, other))
        return first.row + first.size <= second.row and first.place + first.size <= second.place


class _Pinning:
    """The runs of one snippet in one file: the pins of each that is not mere context.

    Refuses what is nowhere, or in several places.
    """

    def __init__(self, file: VisibleRows, runs: Sequence[Run], rows: Sequence[VisibleRows], refuse: Refusals) -> None:
        self._file, self._runs, self._rows, self._refuse = file, runs, rows, refuse
        self._pins: list[list[Pin]] = [[] for _ in runs]
        self._dropped: list[list[Pin]] = [[] for _ in runs]
        self._work = _WORK

    def pinned(self) -> Iterator[Pinned]:
        zones = self._zones()
        for number, pins in enumerate(self._pins):
            if pins:
                run, rows, dropped = self._runs[number], self._rows[number], self._dropped[number]
                yield Pinned(run, rows, pins, dropped, next(zones))

    def _zones(self) -> Iterator[tuple[int, int]]:
        """For each run that has pins the places between the pins of the runs around it."""
        ends = [(pins[0][1], pins[-1][1] + 1) for pins in self._pins if pins]
        for number in range(len(ends)):
            low = ends[number - 1][1] if number else 0
            yield low, ends[number + 1][0] if number + 1 < len(ends) else len(self._file)

    def pin_singles(self) -> None:
        """The rows that are once on both sides, as many as keep their order."""
        counts = Counter(key for rows in self._rows for key in rows.keys)
        singles = [
            (number, row, place) for number in range(len(self._runs)) for row, place in self._inside(number, counts)
        ]
        order = sorted(range(len(singles)), key=lambda at: singles[at][2])
        names = [str(at) for at in range(len(singles))]
        rising = {at for at, _ in equal_pairs(names, [names[at] for at in order])}
        for at, (number, row, place) in enumerate(singles):
            (self._pins if at in rising else self._dropped)[number].append((row, place))
        for number, pins in enumerate(self._pins):
            if not pins and self._dropped[number]:
                raise self._refuse.out_of_order(self._runs[number], self._dropped[number][0][1])

    def _inside(self, number: int, counts: Counter[str]) -> list[Pin]:
        """The rows of a run that are once on both sides, without those beyond its first and its last row.

        A run begins and ends with what stays; a row of it that is once, and beyond these, is new here.
        """
        rows, places = self._rows[number], self._file.places
        singles = [
            (row, places[key][0])
            for row, key in enumerate(rows.keys)
            if counts[key] == 1 and len(places.get(key, ())) == 1 and is_telling(key)
        ]
        at = dict(singles)
        low, high = at.get(0, 0), at.get(len(rows) - 1, len(self._file))
        if low > high:
            raise self._refuse.doubled(self._runs[number], rows.numbers[-1], high)
        self._dropped[number] = [pin for pin in singles if not low <= pin[1] <= high]
        return [pin for pin in singles if low <= pin[1] <= high]

    def pin_stretches(self) -> None:
        """Something for every run that has no pins yet, from the top."""
        behind = [len(self._file)] * (len(self._runs) + 1)
        for number in range(len(self._runs) - 1, -1, -1):
            behind[number] = self._pins[number][0][1] if self._pins[number] else behind[number + 1]
        low = 0
        for number, pins in enumerate(self._pins):
            if not pins:
                pins.extend(self._stretch(number, low, behind[number + 1]))
            low = pins[-1][1] + 1 if pins else low

    def _stretch(self, number: int, low: int, high: int) -> list[Pin]:
        """The stretch of a run that says most, if it is the only one; nothing for a run that is mere context."""
        run, rows = self._runs[number], self._rows[number]
        found = sorted(self._stretches(number, low, high), key=lambda one: (-one.weight, one))
        if not found:
            raise self._refuse.no_anchor(run)
        best = found[0]
        rivals = [one for one in found[1:] if 2 * one.weight > best.weight and not one.is_beside(best)]
        if not rivals:
            return [(best.row + step, best.place + step) for step in range(best.size)]
        if best.size == len(rows) and len(self._runs) > 1:
            return []
        places = sorted({best.place, *(one.place for one in rivals)})
        raise self._refuse.ambiguous(run, rows.numbers[best.row], rows.numbers[best.row + best.size - 1], places)

    def _stretches(self, number: int, low: int, high: int) -> Iterator[_Stretch]:
        """Where rows of a run and rows of the file go side by side."""
        keys, others = self._rows[number].keys, self._file.keys
        places = [self._file.places.get(key, []) for key in keys]
        rare = [len(found) <= _OFTEN for found in places]
        for row in range(len(keys)):
            for place in places[row] if rare[row] else ():
                if not low <= place < high:
                    continue
                if row and place > low and rare[row - 1] and keys[row - 1] == others[place - 1]:
                    continue  # it has begun before
                size = self._size(number, row, place, high)
                weight = sum(letters_in(key) for key in keys[row : row + size])
                if weight >= _WORD:
                    yield _Stretch(row, place, size, weight)

    def _size(self, number: int, row: int, place: int, high: int) -> int:
        keys, others, size = self._rows[number].keys, self._file.keys, 1
        while row + size < len(keys) and place + size < high and keys[row + size] == others[place + size]:
            size += 1
        self._work -= size
        if self._work < 0:
            raise self._refuse.no_anchor(self._runs[number])
        return size


_SLACK = 2  # rows more that may differ in a place that is as likely
_RIVAL_WORK = 100_000  # rows compared


class _Difference(NamedTuple):
    """How many rows differ, and in how many places."""

    rows: int
    places: int


def find_rival(placed: Placed, file: VisibleRows) -> int | None:
    """The first row of another place that is as likely, if there is one.

    A run that changes nothing where it is is mostly meant to change something: for it a place counts that has half
    of its rows. And where no row of it says much, a place counts in which all that is new comes together.
    """
    keys = placed.rows.keys
    least = _difference(keys, file.keys[placed.start : placed.end])
    limit = least.rows + _SLACK if least.rows else len(keys) // 2
    if placed.is_firm and sum(len(file.places.get(key, ())) == 1 for key in keys) > limit:
        return None  # these rows are nowhere else
    work = _RIVAL_WORK
    for start, end in _windows(keys, file, limit):
        work -= len(keys) + end - start
        if work < 0:
            return start
        is_apart = start != placed.start and end != placed.end
        if (start, end) == (placed.start, placed.end):
            continue
        other = _difference(keys, file.keys[start:end])
        is_likely = other.rows <= limit if is_apart else other.rows < least.rows
        if is_likely or (not placed.is_firm and 0 < other.places <= least.places):
            return start
    return None


def _windows(keys: Sequence[str], file: VisibleRows, longer: int) -> Iterator[tuple[int, int]]:
    """Where the file has the first row of a run and, not too far below, the last."""
    for start in file.places.get(keys[0], ()):
        for end in range(start + 1, min(len(file), start + len(keys) + longer) + 1):
            if file.keys[end - 1] == keys[-1]:
                yield start, end


def _difference(keys: Sequence[str], others: Sequence[str]) -> _Difference:
    changes = diff_rows(keys, others)
    rows = sum(change.before_end - change.before_start + change.after_end - change.after_start for change in changes)
    return _Difference(rows, len(changes))
