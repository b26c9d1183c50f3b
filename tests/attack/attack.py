"""An attack: something that tries again and again to break a promise, and says each time what it found.

An attack's function yields an `Attempt` for each try, or for several at once, and goes on until it has nothing left to
try; whoever runs it stops it when its time is over. It gets the seconds it has, to choose the size of a step by. A
check that fails inside `attempt` is a violation and the attack goes on; an exception that leaves the function is one
too and ends it.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
import traceback
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Attack", "Attempt", "Share", "attempt", "scratch"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """So many tries, and what was wrong in them; nothing, if all is well."""

    count: int = 1
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Share:
    """The time an attack has, and where its chances come from."""

    deadline: float
    draw: random.Random

    @property
    def left(self) -> float:
        return self.deadline - time.monotonic()

    def sized(self, size: int, before: float, *, most: int) -> int:
        """The next step's size, for half of the time that is left; a step of `size` began when `before` was left.

        It grows step by step, because a step of twice the size may take more than twice as long.
        """
        took = max(before - self.left, 0.1)
        return max(5, min(most, 3 * size, int(size * self.left / took / 2)))


@dataclass(frozen=True, slots=True)
class Attack:
    """`unit` is what is counted; `weight` is the part of the budget it gets, compared with the others."""

    name: str
    unit: str
    run: Callable[[Share], Generator[Attempt, None, None]]
    weight: int = 1


def attempt(check: Callable[[], int | None], what: str, count: int = 1) -> Attempt:
    """Try `check`, which may say how many tries it was; `what` says how to see again what it found."""
    try:
        answer = check()
    except Exception:  # noqa: BLE001  # whatever a check runs into is what the attack has found
        return Attempt(count, f"{what}\n{traceback.format_exc()}")
    return Attempt(count if answer is None else answer)


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder on the fastest disk there is, so that most of the time goes into the attack."""
    fast = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="steadyhand-attack-", dir=fast) as folder:
        yield Path(folder)
