"""The path through a table of scores that is worth most. Pure arithmetic; nothing here knows what a row is."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["heaviest_path"]

Table = Sequence[Sequence[float]]


def heaviest_path(scores: Table, row_costs: Sequence[float], column_costs: Sequence[float]) -> list[tuple[int, int]]:
    """Pairs (row, column), both rising, that are worth most; what is passed over before the last pair has its cost.

    >>> heaviest_path([[0, 3], [2, 0]], [0.5, 0.5], [0.5, 0.5])
    [(0, 1)]
    """
    height, width = len(row_costs), len(column_costs)
    best = _worth(scores, row_costs, column_costs)
    path: list[tuple[int, int]] = []
    one = two = 0
    while one < height and two < width and best[one][two] > 0:
        worth = best[one][two]
        if scores[one][two] > 0 and scores[one][two] + best[one + 1][two + 1] >= worth:
            path.append((one, two))
            one, two = one + 1, two + 1
        elif best[one][two + 1] - column_costs[two] >= worth:
            two += 1
        else:
            one += 1
    return path


def _worth(scores: Table, row_costs: Sequence[float], column_costs: Sequence[float]) -> Table:
    """What the best path from each cell on is worth; to end at once is worth nothing."""
    right_to_left = column_costs[::-1]
    below = [0.0] * (len(column_costs) + 1)  # what the row below is worth, from the right, as all rows in here
    best = [below]
    for line, cost in zip(reversed(scores), reversed(row_costs), strict=True):
        here = [0.0]
        right = aslant = 0.0
        for score, down, passed in zip(reversed(line), below[1:], right_to_left, strict=True):
            worth = score + aslant if score > 0 else 0.0
            if down - cost > worth:
                worth = down - cost
            if right - passed > worth:
                worth = right - passed
            here.append(worth)
            right, aslant = worth, down
        best.append(here)
        below = here
    return [row[::-1] for row in reversed(best)]
