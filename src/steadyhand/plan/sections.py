"""What an edit does to the rows of its old text: which it repeats, and what it changes between those.

Rows are repeated where old and new say the same, at whatever indentation and in whatever blanks and typography; of
several rows that say the same, as brackets do, those are repeated that did not move sideways, if that explains as much.
Blank rows never hold two texts together. Between repeated rows lie the changes.
Where the signs of a patch say which rows stay, those are repeated, and only the rows between them are compared.

`InsertPoints` says where in the file the rows of an old text are, and where rows that are added between them go; where
the alignment does not tell for sure, the answer is a `Drift`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from steadyhand.lazy import dataclass, replace
from steadyhand.match.align import Alignment, Pairing
from steadyhand.match.lexer import Lexer, fold
from steadyhand.match.tier import Signs
from steadyhand.text.diff import Change, equal_pairs
from steadyhand.text.indent import indent_of


class Repeated(NamedTuple):
    """Row `old` of the old text is row `new` of the new text."""

    old: int
    new: int


@dataclass(frozen=True, slots=True)
class BlankRun:
    """Nothing but blank rows between two rows that are there, `before` of them in the old text and others in the new.

    `row` is the old text's row behind them, `start:end` are the new text's blank rows. `kept` says of each of these
    which of the old ones it is, None that it comes; without it the first ones stay.
    """

    row: int
    before: int
    start: int
    end: int
    kept: tuple[int | None, ...] | None = None


Section = Repeated | BlankRun | Change


def sections_of(
    old: Sequence[str],
    new: Sequence[str],
    alignment: Alignment,
    lexer: Lexer,
    signs: Signs | None = None,
    again: Sequence[Repeated] | None = None,
) -> list[Section]:
    """The edit from top to bottom. Blank rows that a change has on both sides at its edges are not part of it.

    `again` are the repeated rows, where they are known.
    """
    pairs = _apart_from_groups(repeated_rows(old, new, lexer, signs) if again is None else again, alignment)
    sections: list[Section] = []
    row = other = 0
    for pair in [*pairs, Repeated(len(old), len(new))]:
        if row < pair.old or other < pair.new:
            sections += _between(old, new, range(row, pair.old), range(other, pair.new))
        if pair.old < len(old):
            sections.append(pair)
        row, other = pair.old + 1, pair.new + 1
    return sections if signs is None else _with_kept(sections, signs, len(old), len(new))


def twins_beside(
    sections: Sequence[Section], at: int, old: Sequence[str], new: Sequence[str], lexer: Lexer
) -> list[int]:
    """Rows of the old text right above and below a change that say the same as a row that goes or comes.

    Which of them goes, or is there twice, the edit does not tell.
    """
    change = sections[at]
    assert isinstance(change, Change)
    rows = *old[change.before_start : change.before_end], *new[change.after_start : change.after_end]
    said = {fold(lexer, row) for row in rows}
    found: list[int] = []
    for way in (range(at - 1, -1, -1), range(at + 1, len(sections))):
        for section in map(sections.__getitem__, way):
            if not isinstance(section, Repeated):
                break
            key = fold(lexer, old[section.old])
            if key and key not in said:
                break
            found += [section.old] if key else []
    return found


def repeated_rows(old: Sequence[str], new: Sequence[str], lexer: Lexer, signs: Signs | None = None) -> list[Repeated]:
    """The rows of the new text that say what a row of the old text says, in the order of both."""
    if signs is None:
        return _said_again(old, new, lexer)
    found: list[Repeated] = []
    row = other = 0
    for change in (*signs, Change(len(old), len(old), len(new), len(new))):
        stay = zip(range(row, change.before_start), range(other, change.after_start), strict=False)
        found += (Repeated(one, two) for one, two in stay)
        gone, come = old[change.before_start : change.before_end], new[change.after_start : change.after_end]
        again = _said_again(gone, come, lexer) if gone and come else []
        found += (Repeated(pair.old + change.before_start, pair.new + change.after_start) for pair in again)
        row, other = change.before_end, change.after_end
    return list(_but_blank_runs(found, old, new))


def _but_blank_runs(pairs: Sequence[Repeated], old: Sequence[str], new: Sequence[str]) -> Iterator[Repeated]:
    """The pairs but for blank rows between two others where all is blank: how many there are is a matter of its own."""
    above, blanks = Repeated(-1, -1), list[Repeated]()
    for pair in (*pairs, Repeated(len(old), len(new))):
        if pair.old < len(old) and not old[pair.old].strip():
            blanks.append(pair)
            continue
        inside = *old[above.old + 1 : pair.old], *new[above.new + 1 : pair.new]
        if above.old < 0 or pair.old == len(old) or any(map(str.strip, inside)):
            yield from blanks
        if pair.old < len(old):
            yield pair
        above, blanks = pair, []


def _with_kept(sections: Sequence[Section], signs: Signs, before: int, after: int) -> list[Section]:
    """Sections whose runs of blank rows say which of them stay; both texts have so many rows."""
    stays: dict[int, int] = {}
    row = other = 0
    for change in (*signs, Change(before, before, after, after)):
        stays.update(zip(range(other, change.after_start), range(row, change.before_start), strict=False))
        row, other = change.before_end, change.after_end

    def kept_of(run: BlankRun) -> Iterator[int | None]:
        first = run.row - run.before
        for row in range(run.start, run.end):
            old = stays.get(row)
            yield None if old is None or not first <= old < run.row else old - first

    return [replace(each, kept=tuple(kept_of(each))) if isinstance(each, BlankRun) else each for each in sections]


def _said_again(old: Sequence[str], new: Sequence[str], lexer: Lexer) -> list[Repeated]:
    said, sent = ({at: fold(lexer, row) for at, row in enumerate(rows) if row.strip()} for rows in (old, new))
    pairs = [Repeated(-1, -1), *_equal(said, sent), Repeated(len(old), len(new))]
    inner = range(1, len(pairs) - 1)
    unmoved = [at for at in inner if _is_unmoved(old[pairs[at].old], new[pairs[at].new])]
    # Rows moved sideways pair by their words alone, so a `}` could pair with the wrong one of many: between rows
    # that keep their depth, pairs of one depth are preferred where there are as many of them.
    if len(unmoved) == len(inner):
        return pairs[1:-1]
    found: list[Repeated] = []
    for first, last in pairwise([0, *unmoved, len(pairs) - 1]):
        above, moved, below = pairs[first], pairs[first + 1 : last], pairs[last]
        rows, others = range(above.old + 1, below.old), range(above.new + 1, below.new)
        still = _equal(_seen(old, said, rows), _seen(new, sent, others)) if moved else []
        found += [*(still if len(still) >= len(moved) else moved), below]
    return found[:-1]


def _is_unmoved(row: str, other: str) -> bool:
    return row == other or indent_of(row) == indent_of(other)


def _equal(old: Mapping[int, str], new: Mapping[int, str]) -> list[Repeated]:
    """Rows with the same key, from the keys by row."""
    left, right = list(old), list(new)
    return [Repeated(left[one], right[two]) for one, two in equal_pairs([*old.values()], [*new.values()])]


def _seen(texts: Sequence[str], said: Mapping[int, str], rows: range) -> dict[int, str]:
    """Some rows by what they say and where they are."""
    return {row: indent_of(texts[row]) + said[row] for row in rows if row in said}


def _apart_from_groups(pairs: Sequence[Repeated], alignment: Alignment) -> Iterator[Repeated]:
    """The pairs, without those of a statement that the file lays out otherwise and the edit changes somewhere."""
    partner = {pair.old: pair.new for pair in pairs}
    dropped: set[int] = set()
    for pairing in alignment:
        rows = range(pairing.old_start, pairing.old_end)
        if pairing.is_laid_out_otherwise:
            partners = [partner.get(row) for row in rows]
            if None in partners or partners != list(range(partners[0] or 0, (partners[0] or 0) + len(rows))):
                dropped |= set(rows)
    return (pair for pair in pairs if pair.old not in dropped)


def _between(old: Sequence[str], new: Sequence[str], rows: range, others: range) -> Iterator[Section]:
    before, after = [old[row] for row in rows], [new[row] for row in others]
    is_inside = rows.start > 0 and rows.stop < len(old)
    # Blank rows at the edge of the quotation may go on in the file; only between two quoted rows is their number known.
    if is_inside and not any(text.strip() for text in (*before, *after)):
        yield from _blank_rows(rows, others)
        return
    # In other numbers of paragraphs, blank rows at an edge may be those between two paragraphs.
    both = len(_pieces(old, rows)) == len(_pieces(new, others)) > 0
    # Nor are they more or fewer than before beside a blank row of which signs say that it stays.
    beside = [0 < at <= len(old) and not old[at - 1].strip() for at in (rows.start, rows.stop + 1)]
    heads = _blanks(before), _blanks(after)
    if beside[0] or not (both and rows.start > 0):
        heads = (min(heads), min(heads))
    yield from _blank_rows(rows[: heads[0]], others[: heads[1]])
    tails = _blanks(before[heads[0] :][::-1]), _blanks(after[heads[1] :][::-1])
    if beside[1] or not (both and rows.stop < len(old)):
        tails = (min(tails), min(tails))
    changed = range(rows.start + heads[0], rows.stop - tails[0])
    brought = range(others.start + heads[1], others.stop - tails[1])
    if changed and brought and not any(beside):
        yield from _paragraphs(old, new, changed, brought)
    elif changed or brought:
        yield Change(changed.start, changed.stop, brought.start, brought.stop)
    yield from _blank_rows(rows[len(rows) - tails[0] :], others[len(others) - tails[1] :])


def _paragraphs(old: Sequence[str], new: Sequence[str], rows: range, others: range) -> Iterator[Section]:
    """A change, piece by piece where blank rows divide both sides into as many pieces: then those are repeated."""
    left, right = _pieces(old, rows), _pieces(new, others)
    if len(left) != len(right) or len(left) < 2:
        yield Change(rows.start, rows.stop, others.start, others.stop)
        return
    row, other = rows.start, others.start
    for one, two in zip(left, right, strict=True):
        yield from _blank_rows(range(row, one.start), range(other, two.start))
        yield Change(one.start, one.stop, two.start, two.stop)
        row, other = one.stop, two.stop
    yield from _blank_rows(range(row, rows.stop), range(other, others.stop))


def _pieces(texts: Sequence[str], rows: range) -> list[range]:
    """The stretches of rows that are not blank."""
    pieces: list[range] = []
    for row in rows:
        if texts[row].strip():
            joins = pieces and pieces[-1].stop == row
            pieces[-1:] = [range(pieces[-1].start, row + 1)] if joins else [*pieces[-1:], range(row, row + 1)]
    return pieces


def _blank_rows(rows: range, others: range) -> Iterator[Section]:
    """Blank rows between two rows that are there: repeated, or more or fewer than before."""
    if len(rows) == len(others):
        yield from map(Repeated, rows, others)
    else:
        yield BlankRun(rows.stop, len(rows), others.start, others.stop)


def _blanks(rows: Sequence[str]) -> int:
    """How many blank rows are first."""
    return next((count for count, text in enumerate(rows) if text.strip()), len(rows))


@dataclass(frozen=True, slots=True)
class Drift:
    """Rows of the old text that the edit changes, and the rows that the file has there instead."""

    old_start: int
    old_end: int
    start: int
    end: int


def drift_of(pairing: Pairing) -> Drift:
    """The two sides of a pairing that is in the way."""
    return Drift(pairing.old_start, pairing.old_end, pairing.start, pairing.end)


class InsertPoints:
    """Places in one alignment."""

    def __init__(self, alignment: Alignment) -> None:
        self._alignment = alignment
        self._index = {
            row: index for index, pairing in enumerate(alignment) for row in range(pairing.old_start, pairing.old_end)
        }

    def holding(self, row: int) -> Pairing:
        """The pairing of one old row."""
        return self._alignment[self._index[row]]

    def near(self, row: int) -> Pairing:
        """The pairing of an old row, or the last one."""
        return self._alignment[self._index.get(row, len(self._alignment) - 1)]

    def held(self, start: int, end: int) -> list[Pairing]:
        """The pairings of some old rows, and whatever the file has between them."""
        first, last = self._index[start], self._index[end - 1]
        return list(self._alignment[first : last + 1])

    def blanks_before(self, row: int) -> tuple[int, int] | Drift:
        """The blank rows of the file between the old rows around a position that only blank rows precede."""
        before, after = self._visible(row - 1, -1), self._visible(row, 1)
        for pairing in (before, after):
            if pairing is None or pairing.is_missing or pairing.is_kept:
                return drift_of(pairing or self._alignment[0])
        assert before is not None
        assert after is not None
        between = self._alignment[self._index[before.old_end - 1] + 1 : self._index[after.old_start]]
        strange = next((pairing for pairing in between if not pairing.is_blank), None)
        return (before.end, after.start) if strange is None else drift_of(strange)

    def added_beside(self, row: int) -> Pairing | None:
        """A row of the file next to an old row of which the old text says nothing."""
        index = self._index[row]
        beside = (self._visible_at(index - 1, -1), self._visible_at(index + 1, 1))
        return next((pairing for pairing in beside if pairing is not None and pairing.is_added), None)

    def leaves_strange_blanks(self, start: int, end: int) -> bool:
        """Whether removing rows brings blank rows together of which the old text knew nothing."""
        strange = [pairing for pairing in self._alignment if pairing.is_blank and pairing.is_file_only]
        return any(pairing.end == start for pairing in strange) and any(pairing.start == end for pairing in strange)

    def between(self, row: int) -> int | Drift:
        """In front of which row of the window new rows go that are in front of an old row."""
        before = [index for at, index in self._index.items() if at < row]
        after = [index for at, index in self._index.items() if at >= row]
        if not before or not after:
            return self._edge(min(after) if after else max(before), is_end=not after)
        last, first = max(before), min(after)
        if last == first:
            inside = self._alignment[last]
            return min(inside.start + row - inside.old_start, inside.end) if inside.is_blank else drift_of(inside)
        gap = self._alignment[last + 1 : first]
        # What the file has between the two rows: above it or below it would both be a guess.
        if gap and not (all(pairing.is_blank for pairing in gap) and self._is_blank_side(last, first)):
            return drift_of(gap[0])
        return self._between(last, first)

    def _is_blank_side(self, last: int, first: int) -> bool:
        """Whether the old text has a blank row on exactly one side, so that more of them in the file belong to it."""
        return self._alignment[last].is_blank != self._alignment[first].is_blank

    def _edge(self, index: int, *, is_end: bool) -> int | Drift:
        """At the first or last old row: it has to be sure."""
        edge = self._alignment[index]
        pairing = self._visible_at(index, -1 if is_end else 1)
        if pairing is None or not pairing.likeness.is_sure or pairing.is_kept:
            return drift_of(pairing or edge)
        return edge.end if is_end else edge.start

    def _between(self, last: int, first: int) -> int | Drift:
        """Between two old rows that the file has side by side, one of them for sure."""
        above, below = self._visible_at(last, -1), self._visible_at(first, 1)
        strange = self._added_between(above, below)
        if strange is not None:
            return drift_of(strange)
        for pairing, other in ((above, below), (below, above)):
            if pairing is None or pairing.likeness.is_sure:
                continue
            if pairing.is_missing or other is None or not other.likeness.is_sure:
                return drift_of(pairing)
        return self._alignment[first].start if self._alignment[last].is_blank else self._alignment[last].end

    def _added_between(self, above: Pairing | None, below: Pairing | None) -> Pairing | None:
        """A row of the file between two old rows and of which the old text says nothing."""
        if above is None or below is None:
            return next((pairing for pairing in (above, below) if pairing is not None and pairing.is_added), None)
        between = self._alignment[self._alignment.index(above) : self._alignment.index(below) + 1]
        return next((pairing for pairing in between if pairing.is_added), None)

    def _visible(self, row: int, step: int) -> Pairing | None:
        """The pairing of the next old row in a direction that is not blank."""
        while row in self._index:
            pairing = self.holding(row)
            if not pairing.is_blank:
                return pairing
            row += step
        return None

    def _visible_at(self, index: int, step: int) -> Pairing | None:
        """The pairing at an index, or the next in a direction, that is not blank."""
        while 0 <= index < len(self._alignment) and self._alignment[index].is_blank:
            index += step
        return self._alignment[index] if 0 <= index < len(self._alignment) else None
