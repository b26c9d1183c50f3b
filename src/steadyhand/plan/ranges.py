"""Line ranges that all refer to a file as it was read, put into the order in which they can be made one by one.

From the bottom to the top no range moves another. Nothing here knows the file; whether the lines exist is the
target's matter.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.structure.lines import Lines

__all__ = ["bottom_up", "find_overlap"]


def bottom_up(ranges: Sequence[Lines]) -> list[int]:
    """The indices of ranges, the last in the file first; insertions at one place come out in the order given.

    >>> bottom_up([Lines(1, 2), Lines(5, 4), Lines(5, 9)])
    [2, 1, 0]
    """
    return sorted(range(len(ranges)), key=lambda index: (ranges[index].start, ranges[index].end, index), reverse=True)


def find_overlap(ranges: Sequence[Lines]) -> tuple[int, int] | None:
    """Two ranges that share a line, or of which one inserts inside the other: the earlier given first.

    >>> find_overlap([Lines(4, 6), Lines(1, 2), Lines(5, 4)]), find_overlap([Lines(4, 6), Lines(4, 3), Lines(7, 6)])
    ((0, 2), None)
    """
    furthest: int | None = None
    for index in reversed(bottom_up(ranges)):
        if furthest is not None and ranges[index].start <= ranges[furthest].end:
            return min(furthest, index), max(furthest, index)
        if furthest is None or ranges[index].end > ranges[furthest].end:
            furthest = index
    return None
