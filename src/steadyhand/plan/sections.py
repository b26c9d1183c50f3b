"""What an edit does to the rows of its old text: which it repeats, and what it changes between those.

Rows are repeated where old and new say the same, at whatever indentation and in whatever blanks and typography; blank
rows never hold two texts together. Between repeated rows lie the changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from steadyhand.match.lexis import Lexis, fold
from steadyhand.match.pairing import Alignment
from steadyhand.text.diff import Change, equal_pairs

__all__ = ["BlankRun", "Repeated", "Section", "sections_of"]


@dataclass(frozen=True, slots=True)
class Repeated:
    """Row `old` of the old text is row `new` of the new text."""

    old: int
    new: int


@dataclass(frozen=True, slots=True)
class BlankRun:
    """Nothing but blank rows between two rows that are there, `before` of them in the old text and others in the new.

    `row` is the old text's row behind them, `start:end` are the new text's blank rows.
    """

    row: int
    before: int
    start: int
    end: int


Section = Repeated | BlankRun | Change


def sections_of(old: Sequence[str], new: Sequence[str], alignment: Alignment, lexis: Lexis) -> list[Section]:
    """The edit from top to bottom. Blank rows that a change has on both sides at its edges are not part of it."""
    pairs = _repeated(old, new, alignment, lexis)
    sections: list[Section] = []
    row = other = 0
    for pair in [*pairs, Repeated(len(old), len(new))]:
        sections += _between(old, new, range(row, pair.old), range(other, pair.new))
        if pair.old < len(old):
            sections.append(pair)
        row, other = pair.old + 1, pair.new + 1
    return sections


def _repeated(old: Sequence[str], new: Sequence[str], alignment: Alignment, lexis: Lexis) -> list[Repeated]:
    left = [row for row, text in enumerate(old) if text.strip()]
    right = [row for row, text in enumerate(new) if text.strip()]
    same = equal_pairs([fold(lexis, old[row]) for row in left], [fold(lexis, new[row]) for row in right])
    pairs = [Repeated(left[one], right[two]) for one, two in same]
    return list(_apart_from_groups(pairs, alignment))


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
    if is_inside and not any(text.strip() for text in (*before, *after)):
        yield from _blank_rows(rows, others)
        return
    both = any(text.strip() for text in before) and any(text.strip() for text in after)
    heads = _blanks(before), _blanks(after)
    if not (both and rows.start > 0):
        heads = (min(heads), min(heads))
    yield from _blank_rows(rows[: heads[0]], others[: heads[1]])
    tails = _blanks(before[heads[0] :][::-1]), _blanks(after[heads[1] :][::-1])
    if not (both and rows.stop < len(old)):
        tails = (min(tails), min(tails))
    changed = range(rows.start + heads[0], rows.stop - tails[0])
    brought = range(others.start + heads[1], others.stop - tails[1])
    if changed or brought:
        yield from _paragraphs(old, new, changed, brought)
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
    """How many blank rows stand first."""
    return next((count for count, text in enumerate(rows) if text.strip()), len(rows))
