"""How much of a promise one run tests: a sample in `make test`, more in the other targets of the Makefile.

| what | in `make test` | whole |
|---|---|---|
| rows of a table with `every=N` (`tests/table.py`) | each N-th | `make sweep` |
| `sample(points, quick)` in a test that is marked `sampled` | so many | `make sweep` |
| tests that are marked `sweep` | none | `make sweep` |
| every storage call at which a process can die or fail | some | `make crash` |
| examples of property tests | `examples(quick)`, else 10 | `make fuzz` |

`.ci/run` runs a slice of `make sweep` and of `make fuzz` for every change, another one each day.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, TypeVar

from hypothesis import settings

T = TypeVar("T")

WHOLE: list[bool] = []
"""Not empty when `--whole` asks for every row and point that is otherwise sampled; conftest.py fills it."""

IS_EVERY_CALL = os.environ.get("STEADYHAND_SWEEP") == "all"
"""What `make crash` asks for: death and faults at every single storage call."""

IS_FUZZ = "STEADYHAND_EXAMPLES" in os.environ
EXAMPLES = int(os.environ.get("STEADYHAND_EXAMPLES", "10"))
"""How many examples a property test gets that says nothing else."""


def examples(quick: int, **more: Any) -> settings:
    """The settings of a property test that wants its own number of examples, unless `make fuzz` says how many."""
    return settings(max_examples=EXAMPLES if IS_FUZZ else quick, **more)


def sample(points: Sequence[T], quick: int, whole: int | None = None) -> list[T]:
    """Some of the points, spread evenly from the first to the last: `quick`, or `whole` (all if None) in a sweep."""
    most = whole if WHOLE else quick
    if IS_EVERY_CALL or most is None or most >= len(points):
        return list(points)
    if most == 1:
        return [points[len(points) // 2]]
    return [points[number * (len(points) - 1) // (most - 1)] for number in range(most)]
