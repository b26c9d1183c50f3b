"""What a placed run changes, as edits of whole lines; what it merely repeats stays as the file has it.

Rows that say the same, indented as the run is indented in the file, are kept byte for byte. Everything between two kept
rows becomes what the snippet has there. Blank rows are believed only where the snippet shows that it has them as the
file has them: a model that drops blank lines does not ask to delete them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from steadyhand.plan.anchoring import Placed
from steadyhand.plan.edit import Delete, Edit, Insert, Replace
from steadyhand.plan.snippet_compare import VisibleRows, is_telling
from steadyhand.plan.snippet_refusals import Refusals
from steadyhand.plan.snippet_rivals import find_rival
from steadyhand.structure.targets.lines import Lines
from steadyhand.text.diff import equal_pairs
from steadyhand.text.indent import indent_of

__all__ = ["Gap", "edits_of", "gaps_of"]

_LEFT_OUT = 6  # rows more that may go than come
_COMMENTS = ("#", "//", "/*", "<!--", "--", ";", "%", "*", "{/*", "..")


@dataclass(frozen=True, slots=True)
class Gap:
    """What stands between two kept rows: rows of the run and rows of the file, blank ones at their ends too.

    `ours` and `theirs` are rows of the two texts, half-open; `new` and `old` those among them that are not blank, by
    their number among such rows.
    """

    ours: range
    theirs: range
    new: range
    old: range

    @property
    def has_change(self) -> bool:
        return bool(self.new) or bool(self.old)


def gaps_of(placed: Placed, file: VisibleRows) -> list[Gap]:
    """The gaps of a run from its top, also those in which only blank rows differ or nothing at all."""
    rows, start, end = placed.rows, placed.start, placed.end
    ours = [f"{_indent(placed, row)}\0{rows.keys[row]}" for row in range(len(rows))]
    theirs = [f"{indent_of(file.texts[at])}\0{file.keys[at]}" for at in range(start, end)]
    kept = [(row, start + at) for row, at in equal_pairs(ours, theirs)]
    gaps: list[Gap] = []
    row, place = 0, start
    for next_row, next_place in [*kept, (len(rows), end)]:
        gaps.append(_gap(rows, file, range(row, next_row), range(place, next_place), start, end))
        row, place = next_row + 1, next_place + 1
    return gaps


def _indent(placed: Placed, row: int) -> str:
    """The indentation of a row of the run in the file; a sign of its own where there is no telling."""
    found = placed.carried(indent_of(placed.rows.texts[row]), row)
    return "?" if found is None else found


def _gap(rows: VisibleRows, file: VisibleRows, new: range, old: range, start: int, end: int) -> Gap:
    ours = range(
        rows.numbers[new.start - 1] + 1 if new.start else 0,
        rows.numbers[new.stop] if new.stop < len(rows) else len(rows.all),
    )
    first = file.numbers[old.start - 1] + 1 if old.start > start else file.numbers[start]
    last = file.numbers[old.stop] if old.stop < end else file.numbers[end - 1] + 1
    return Gap(ours, range(first, max(first, last)), new, old)


def edits_of(
    placed: Sequence[Placed], file: VisibleRows, refuse: Refusals, *, is_sensitive: bool, reason: str | None
) -> list[Edit]:
    """The edits that make every run what it says, top to bottom. Refuses where rows vanish without a word."""
    gaps = [(run, gap) for run in placed for gap in gaps_of(run, file)]
    for run in placed:
        _check_indent(run, [gap for other, gap in gaps if other is run], refuse)
        rival = find_rival(run, file)
        if rival is not None:
            raise refuse.ambiguous(run.run, 0, len(run.run.rows) - 1, sorted({run.start, rival}))
    blanks = _Blanks([gap for _, gap in gaps if not gap.has_change])
    edits: list[Edit] = []
    for run, gap in gaps:
        if gap.has_change:
            made = _Writer(run, file, gap, refuse, is_sensitive=is_sensitive).edit(blanks, reason)
            edits += [] if made is None else [made]
    return edits


def _check_indent(placed: Placed, gaps: Sequence[Gap], refuse: Refusals) -> None:
    """Refuse a run that is indented otherwise and mostly new: it may be there to change the indentation."""
    new = [row for gap in gaps for row in gap.new]
    pairs = [(pair.before, placed.carried(pair.before, pair.row)) for pair in placed.carried.pairs]
    is_moved = any(before != after for before, after in pairs)
    is_other = any(("\t" in before) != ("\t" in (after or "")) for before, after in pairs)
    if is_moved and (4 if is_other else 2) * len(new) > len(placed.rows):
        raise refuse.indent(placed.run, placed.rows.numbers[new[0]])


class _Blanks:
    """How the snippet has the blank rows between rows that it keeps: as the file has them, or otherwise."""

    def __init__(self, gaps: Sequence[Gap]) -> None:
        self.is_noisy = any(len(gap.ours) != len(gap.theirs) for gap in gaps)
        self.is_faithful = not self.is_noisy and any(gap.ours for gap in gaps)


class _Writer:
    """One gap."""

    def __init__(self, placed: Placed, file: VisibleRows, gap: Gap, refuse: Refusals, *, is_sensitive: bool) -> None:
        self._placed, self._file, self._gap, self._refuse = placed, file, gap, refuse
        self._is_sensitive = is_sensitive
        self._has_blanks = any(text and not text.strip() for text in file.all)

    def edit(self, blanks: _Blanks, reason: str | None) -> Edit | None:
        """The edit for the gap; None where rows only stand at another indentation by accident."""
        gap, rows = self._gap, self._placed.rows
        if [rows.keys[row] for row in gap.new] == [self._file.keys[place] for place in gap.old]:
            if self._is_sensitive:
                raise self._refuse.reindented(self._placed.run, rows.numbers[gap.new.start], gap.old.start)
            return None
        self._check_left_out()
        ours, theirs = self._extent(blanks)
        return _edit(theirs, list(self._written(ours)), reason)

    def _check_left_out(self) -> None:
        gap, rows = self._gap, self._placed.rows
        new = [rows.texts[row].strip() for row in gap.new]
        old = [self._file.texts[place].strip() for place in gap.old]
        is_stand_in = len(old) > max(len(new), 1) and all(map(_is_comment, new)) and not all(map(_is_comment, old))
        if len(old) - len(new) > _LEFT_OUT or (new and is_stand_in):
            raise self._refuse.left_out(self._placed.run, gap.new, gap.old)

    def _extent(self, blanks: _Blanks) -> tuple[range, range]:
        """The rows of the snippet that come and the rows of the file that go, with or without blank ones at the ends."""
        gap = self._gap
        ours, theirs = _body(gap.ours, gap.new, self._placed.rows), _body(gap.theirs, gap.old, self._file)
        lead, trail = ours.start - gap.ours.start, gap.ours.stop - ours.stop
        above, below = theirs.start - gap.theirs.start, gap.theirs.stop - theirs.stop
        if (lead, trail) == (above, below):
            return ours, theirs
        if blanks.is_faithful:
            return gap.ours, gap.theirs
        if gap.new and gap.old:
            return (
                (gap.ours, gap.theirs) if lead >= above and trail >= below and not blanks.is_noisy else (ours, theirs)
            )
        if gap.new:
            is_told = lead + trail >= len(gap.theirs) and (not gap.theirs or not blanks.is_noisy)
        else:
            is_told = not (above and below) and not gap.ours
        if not is_told and gap.theirs != theirs:
            raise self._refuse.blanks(self._placed.run, gap.ours.start, gap.theirs.start)
        return gap.ours, gap.theirs

    def _written(self, ours: range) -> Iterator[str]:
        """The rows as the file would have them: at its indentation, and in its words where they only move."""
        rows, gap = self._placed.rows, self._gap
        moved = {self._file.keys[place]: self._file.texts[place].lstrip(" \t") for place in gap.old}
        visible = dict(zip((rows.numbers[row] for row in gap.new), gap.new, strict=True))
        for number in ours:
            row = visible.get(number)
            if row is None:
                yield rows.all[number] if self._has_blanks else ""
                continue
            text = rows.texts[row]
            indent = self._placed.carried(indent_of(text), row)
            if indent is None:
                raise self._refuse.indent(self._placed.run, number)
            yield indent + (moved.get(rows.keys[row], text.lstrip(" \t")) if is_telling(text) else text.lstrip(" \t"))


def _body(extent: range, visible: range, rows: VisibleRows) -> range:
    """The extent without the blank rows at its ends; its end where all are blank."""
    if not visible:
        return range(extent.stop, extent.stop)
    return range(rows.numbers[visible.start], rows.numbers[visible.stop - 1] + 1)


def _is_comment(row: str) -> bool:
    return row.startswith(_COMMENTS)


def _edit(theirs: range, rows: Sequence[str], reason: str | None) -> Edit:
    text = "".join(f"{row}\n" for row in rows)
    lines = Lines(theirs.start + 1, theirs.stop)
    if not theirs:
        return Insert(lines, text, where="before", reason=reason)
    return Replace(lines, text, reason=reason) if rows else Delete(lines, reason=reason)
