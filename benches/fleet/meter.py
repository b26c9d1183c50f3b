"""How long conflict checks take of all the time spent in changes: measured around the product, not inside it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any
from unittest import mock

from steadyhand.session.conflict_check import ConflictCheck

_CHECKS = ("settle", "settle_whole", "rebase")


class Meter:
    """Seconds in changes, in reads, and in checks for conflicts."""

    def __init__(self) -> None:
        self.changes = 0.0
        self.reads = 0.0
        self.checks = 0.0

    @contextlib.contextmanager
    def changing(self) -> Iterator[None]:
        started = perf_counter()
        try:
            yield
        finally:
            self.changes += perf_counter() - started

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        started = perf_counter()
        try:
            yield
        finally:
            self.reads += perf_counter() - started

    def to_json(self) -> dict[str, float]:
        return {"changes": self.changes, "reads": self.reads, "checks": self.checks}


@contextlib.contextmanager
def metered_checks(meter: Meter) -> Iterator[None]:
    """For the length of the block every check is timed."""

    def timed(name: str) -> Callable[..., Any]:
        call = getattr(ConflictCheck, name)

        def run(*given: Any, **named: Any) -> Any:
            started = perf_counter()
            try:
                return call(*given, **named)
            finally:
                meter.checks += perf_counter() - started

        return run

    with contextlib.ExitStack() as stack:
        for name in _CHECKS:
            stack.enter_context(mock.patch.object(ConflictCheck, name, timed(name)))
        yield
