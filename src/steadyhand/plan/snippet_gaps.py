"""What stands between the rows that a placed run keeps: rows of the run, and the rows of the file in their place.

A row is kept if it says the same and is indented as the run is indented in the file. A row that differs in the blanks
inside it is kept as the file has it, unless all such rows of the run stand beside what changes: then they were lined up
with it, and the snippet means it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steadyhand.lazy import dataclass
from steadyhand.plan.anchoring import Placed
from steadyhand.plan.snippet_compare import VisibleRows
from steadyhand.text.diff import equal_pairs
from steadyhand.text.indent import indent_of

__all__ = ["Gap", "Kept", "gaps_of", "kept_of"]

Kept = tuple[int, int]  # a row of the run and its place in the file, both among the rows that are not blank


@dataclass(frozen=True, slots=True)
class Gap:
    """What stands between two kept rows.

    `ours` and `theirs` are rows of the run and of the file, blank ones at their ends too; `new` and `old` those among
    them that are not blank, by their number among such rows.
    """

    ours: range
    theirs: range
    new: range
    old: range

    @property
    def has_change(self) -> bool:
        return bool(self.new) or bool(self.old)


def kept_of(placed: Placed, file: VisibleRows) -> list[Kept]:
    """The rows of a run that stay as the file has them."""
    rows, start = placed.rows, placed.start
    ours = [f"{_indent(placed, row)}\0{key}" for row, key in enumerate(rows.keys)]
    theirs = [f"{indent_of(file.texts[at])}\0{file.keys[at]}" for at in range(start, placed.end)]
    kept = [(row, start + at) for row, at in equal_pairs(ours, theirs)]
    loose = {pair for pair in kept if _is_loose(rows.texts[pair[0]], file.texts[pair[1]])}
    if loose and loose <= _beside_changes(placed, kept, loose):
        return [pair for pair in kept if pair not in loose]
    return kept


def _indent(placed: Placed, row: int) -> str:
    """The indentation of a row of the run in the file; a sign of its own where there is no telling."""
    found = placed.carried(indent_of(placed.rows.texts[row]), row)
    return "?" if found is None else found


def _is_loose(one: str, two: str) -> bool:
    """Whether two rows that say the same differ in the blanks between their words."""
    one, two = one.strip(), two.strip()
    return one != two and one.split() == two.split()


def _beside_changes(placed: Placed, kept: Sequence[Kept], loose: set[Kept]) -> set[Kept]:
    """Of some kept rows those that a change stands right before or right behind, or only others of them in between."""
    found: set[Kept] = set()
    for pairs, step, border in (
        (kept, 1, (-1, placed.start - 1)),
        (kept[::-1], -1, (len(placed.rows), placed.end)),
    ):
        last, is_beside = border, False
        for pair in pairs:
            is_joined = pair == (last[0] + step, last[1] + step)
            is_beside = pair in loose and (is_beside or not is_joined)
            if is_beside:
                found.add(pair)
            last = pair
    return found


def gaps_of(placed: Placed, file: VisibleRows, kept: Sequence[Kept]) -> Iterator[Gap]:
    """The gaps of a run from its top, also those in which only blank rows differ or nothing at all."""
    row, place = 0, placed.start
    for next_row, next_place in [*kept, (len(placed.rows), placed.end)]:
        yield _gap(placed, file, range(row, next_row), range(place, next_place))
        row, place = next_row + 1, next_place + 1


def _gap(placed: Placed, file: VisibleRows, new: range, old: range) -> Gap:
    rows, start, end = placed.rows, placed.start, placed.end
    ours = range(
        rows.numbers[new.start - 1] + 1 if new.start else 0,
        rows.numbers[new.stop] if new.stop < len(rows) else len(rows.all),
    )
    first = file.numbers[old.start - 1] + 1 if old.start > start else file.numbers[start]
    last = file.numbers[old.stop] if old.stop < end else file.numbers[end - 1] + 1
    return Gap(ours, range(first, max(first, last)), new, old)
