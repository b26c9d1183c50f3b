"""Another place in which a run of a snippet would change about as little: then neither of the two is certain.

The rows that are new in a run may be just what makes one place like another; so a place that was found by such rows is
compared with every other that begins and ends as the run does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from steadyhand.plan.anchoring import Placed
from steadyhand.plan.snippet_compare import VisibleRows
from steadyhand.text.diff import diff_rows

__all__ = ["find_rival"]

_SLACK = 2  # rows more that may differ in a place that is as likely
_WORK = 100_000  # rows compared


class _Difference(NamedTuple):
    """How many rows differ, and in how many places."""

    rows: int
    places: int


def find_rival(placed: Placed, file: VisibleRows) -> int | None:
    """The first row of another place that is as likely, if there is one.

    A run that changes nothing where it stands is mostly meant to change something: for it a place counts that has half
    of its rows. And where no row of it says much, a place counts in which all that is new comes together.
    """
    keys = placed.rows.keys
    least = _difference(keys, file.keys[placed.start : placed.end])
    limit = least.rows + _SLACK if least.rows else len(keys) // 2
    if placed.is_firm and sum(len(file.places.get(key, ())) == 1 for key in keys) > limit:
        return None  # these rows stand nowhere else
    work = _WORK
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
