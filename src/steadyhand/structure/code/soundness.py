"""Which definitions can be relied upon in a text that has syntax errors.

Sound is one that has no error in it, stands in no erroneous region, and whose surroundings have no error but such as
lie in definitions beside it. Everything else may end elsewhere than the parser thinks.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.lazy import replace
from steadyhand.structure.code.definition import Definition
from steadyhand.text.span import Span


def sound(
    found: Sequence[Definition], faulty: Sequence[bool], errors: Sequence[Span], is_region: Sequence[bool]
) -> tuple[Definition, ...]:
    """The definitions, each marked sound or not. `faulty`: has an error in it; errors are in the order of the file."""
    inside = _inside_regions(found, [span for span, region in zip(errors, is_region, strict=True) if region])
    loose = _with_loose_errors(found, errors)
    judged: list[Definition] = []
    doubtful: list[bool] = []  # whether what is inside a definition is doubtful
    for index, item in enumerate(found):
        is_doubtful = item.parent is not None and doubtful[item.parent]
        doubtful.append(is_doubtful or index in loose)
        judged.append(replace(item, is_sound=not (faulty[index] or index in inside or is_doubtful)))
    return tuple(judged)


def _inside_regions(found: Sequence[Definition], regions: Sequence[Span]) -> set[int]:
    """The definitions that stand in an erroneous region; both come sorted by their start."""
    inside: set[int] = set()
    at, reached = 0, -1
    for index, item in enumerate(found):
        while at < len(regions) and regions[at].start <= item.name.start:
            reached = max(reached, regions[at].end)
            at += 1
        if item.name.start < reached:
            inside.add(index)
    return inside


def _with_loose_errors(found: Sequence[Definition], errors: Sequence[Span]) -> set[int]:
    """The innermost definition around every error; an error between definitions has none."""
    loose: set[int] = set()
    waiting: list[int] = []
    at = 0
    for error in errors:
        while at < len(found) and found[at].proper.start <= error.start:
            waiting.append(at)
            at += 1
        while waiting and found[waiting[-1]].proper.end < max(error.end, error.start + 1):
            waiting.pop()
        if waiting:
            loose.add(waiting[-1])
    return loose
