"""How long work ends early: whoever waits for it says when, and the loops that do it ask now and then.

The question reaches every loop below without being handed through each function in between. Only work that has changed
nothing yet is done so: around a commit nobody asks, and nothing stops it. What ends the work cannot be taken for one of
the refusals that a reader or a planner meets on its way, since it becomes an `EditError` only where it was begun.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import TypeVar

from steadyhand.errors import EditError

__all__ = ["OFTEN", "go_on", "go_on_at", "heed", "paced"]

Item = TypeVar("Item")

OFTEN = 256  # items between two questions, where each costs some microseconds

_asked: ContextVar[Callable[[], None] | None] = ContextVar("asked", default=None)


class _Stopped(BaseException):
    """On its way to where the work was begun; no handler of refusals in between catches it."""

    def __init__(self, error: EditError) -> None:
        super().__init__(error)
        self.error = error


@contextlib.contextmanager
def heed(tick: Callable[[], None] | None) -> Iterator[None]:
    """Do work that ends as soon as `tick` raises, with what it raises.

    >>> with heed(None):
    ...     sum(paced(range(10)))
    45
    """
    before = _asked.set(tick)
    try:
        yield
    except _Stopped as stopped:
        raise stopped.error from None
    finally:
        _asked.reset(before)


def go_on() -> None:
    """Whether to go on: returns, or ends the work. Costs next to nothing where nobody waits."""
    tick = _asked.get()
    if tick is None:
        return
    try:
        tick()
    except EditError as error:
        raise _Stopped(error) from None


def go_on_at(count: int) -> None:
    """The same for a loop that counts what it does: it is asked at every so many."""
    if not count % OFTEN:
        go_on()


def paced(items: Iterable[Item], every: int = OFTEN) -> Iterator[Item]:
    """The items, one by one; before each so many it is asked whether to go on.

    >>> list(paced("abc"))
    ['a', 'b', 'c']
    """
    left = 0
    for item in items:
        if not left:
            go_on()
            left = every
        left -= 1
        yield item
