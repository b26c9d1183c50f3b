"""What placed runs change, as edits of whole lines; what they merely repeat stays as the file has it.

Blank rows are believed only where the snippet shows that it has them as the file has them: a model that drops blank
lines does not ask to delete them. And rows that vanish with little in their place were more often forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from steadyhand.lazy import lazy_pattern
from steadyhand.plan.anchoring import Placed
from steadyhand.plan.edit import Delete, Edit, Insert, Replace
from steadyhand.plan.snippet_compare import VisibleRows, likeness
from steadyhand.plan.snippet_gaps import Gap, gaps_of, kept_of
from steadyhand.plan.snippet_refusals import Refusals
from steadyhand.plan.snippet_rivals import find_rival
from steadyhand.structure.lines import Lines
from steadyhand.text.indent import indent_of

__all__ = ["edits_of"]

_LEFT_OUT = 4  # rows that may go with nothing in their place
_SHRUNK = 6  # rows by which a run may be shorter than what it stands for, or a twentieth of it
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
        """The edit for the gap; none where rows only stand at another indentation by accident."""
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
        alike = _count_alike(self._old, self._new)
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
            is_told = lead >= above and trail >= below and not blanks.is_noisy
        elif gap.new:
            is_told = not gap.theirs or (lead + trail >= len(gap.theirs) and not blanks.is_noisy)
        else:
            is_told = not (above and below) and not gap.ours
        if not is_told:
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


def _count_alike(old: Sequence[str], new: Sequence[str]) -> int:
    """How many rows go on with other words, in their order."""
    rest = iter(old[:_COMPARED])
    return sum(any(likeness(row, other) >= _ALIKE for other in rest) for row in new[:_COMPARED])


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
