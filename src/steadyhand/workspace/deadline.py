"""A moment by which work is to be over, for whoever may not ask the clock."""

from __future__ import annotations

import time

from steadyhand.lazy import dataclass

__all__ = ["Deadline"]


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment of this process's clock."""

    end: float

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        return cls(time.monotonic() + seconds)

    @property
    def is_over(self) -> bool:
        return time.monotonic() > self.end
