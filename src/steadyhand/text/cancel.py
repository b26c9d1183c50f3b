"""Cancelling long work: the caller sets a deadline or a stop signal, and long loops check it now and then.

The check reaches every loop without being passed through the functions in between. Only work that has changed nothing
yet can be cancelled: a commit does not check, so nothing stops it halfway. The exception that ends the work is not an
`EditError`, so no reader or planner can mistake it for a refusal; it becomes one only where the work was started.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import TypeVar

from steadyhand.errors import EditError

__all__ = ["OFTEN", "cancellable", "check_cancelled", "check_cancelled_at", "check_each"]

Item = TypeVar("Item")

OFTEN = 256  # items between two checks, where each item costs some microseconds

_asked: ContextVar[Callable[[], None] | None] = ContextVar("asked", default=None)


class _Stopped(BaseException):
    """On its way to where the work was begun; no handler of refusals in between catches it."""

    def __init__(self, error: EditError) -> None:
        super().__init__(error)
        self.error = error


class cancellable:  # noqa: N801  # a context manager, as those of contextlib read; each call enters it
    """Do work that ends as soon as `tick` raises, with what it raises.

    >>> with cancellable(None):
    ...     sum(check_each(range(10)))
    45
    """

    __slots__ = ("_before", "_tick")

    def __init__(self, tick: Callable[[], None] | None) -> None:
        self._tick = tick

    def __enter__(self) -> None:
        self._before = _asked.set(self._tick)

    def __exit__(self, _type: object, error: BaseException | None, _trace: object) -> None:
        _asked.reset(self._before)
        if isinstance(error, _Stopped):
            raise error.error from None


def check_cancelled() -> None:
    """Return, or end the work where it is cancelled. Costs next to nothing where nobody can cancel it."""
    tick = _asked.get()
    if tick is None:
        return
    try:
        tick()
    except EditError as error:
        raise _Stopped(error) from None


def check_cancelled_at(count: int) -> None:
    """The same for a loop that counts what it does, at every so many."""
    if not count % OFTEN:
        check_cancelled()


def check_each(items: Iterable[Item], every: int = OFTEN) -> Iterator[Item]:
    """The items, one by one, with a check before each so many of them.

    >>> list(check_each("abc"))
    ['a', 'b', 'c']
    """
    left = 0
    for item in items:
        if not left:
            check_cancelled()
            left = every
        left -= 1
        yield item
