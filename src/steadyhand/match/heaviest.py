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
    height, width = len(row_costs), len(column_costs)
    best = [[0.0] * (width + 1) for _ in range(height + 1)]
    for one in range(height - 1, -1, -1):
        line, below, here, cost = scores[one], best[one + 1], best[one], row_costs[one]
        for two in range(width - 1, -1, -1):
            worth = line[two] + below[two + 1] if line[two] > 0 else 0.0
            if below[two] - cost > worth:
                worth = below[two] - cost
            if here[two + 1] - column_costs[two] > worth:
                worth = here[two + 1] - column_costs[two]
            here[two] = worth if worth > 0 else 0.0
    return best
