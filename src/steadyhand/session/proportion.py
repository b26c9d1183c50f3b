"""A share of few or many cases, and how sure it is: Wilson's interval.

Where few cases were counted the interval is wide, and it never leaves 0 to 1. Two shares whose intervals overlap are
not shown to differ.
"""

from __future__ import annotations

import math

from steadyhand.lazy import dataclass

FEW = 100  # cases below which a share is shown with its interval
_Z = 1.959963984540054  # 95 % of a normal distribution are that near


@dataclass(frozen=True, slots=True)
class Proportion:
    """So many of so many.

    >>> Proportion(9, 10).rate, [round(end, 3) for end in Proportion(9, 10).interval]
    (0.9, [0.596, 0.982])
    >>> Proportion(0, 0).rate, Proportion(0, 0).interval
    (None, (0.0, 1.0))
    """

    hits: int
    of: int

    def __post_init__(self) -> None:
        if not 0 <= self.hits <= self.of:
            raise ValueError(f"{self.hits} of {self.of} is no share")

    @property
    def rate(self) -> float | None:
        return self.hits / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float]:
        """Where the share is with 95 % confidence; from 0 to 1 where nothing was counted."""
        if not self.of:
            return 0.0, 1.0
        rate, squared = self.hits / self.of, _Z * _Z
        middle = (rate + squared / (2 * self.of)) / (1 + squared / self.of)
        spread = _Z / (1 + squared / self.of) * math.sqrt(rate * (1 - rate) / self.of + squared / (4 * self.of**2))
        low = 0.0 if not self.hits else max(middle - spread, 0.0)
        high = 1.0 if self.hits == self.of else min(middle + spread, 1.0)
        return low, high

    @property
    def is_few(self) -> bool:
        """Whether the interval says more than the share alone."""
        return 0 < self.of < FEW

    def overlaps(self, other: Proportion) -> bool:
        """Whether the intervals have a share in common: then the two may be equal."""
        (low, high), (other_low, other_high) = self.interval, other.interval
        return low <= other_high and other_low <= high

    def to_json(self) -> dict[str, object]:
        low, high = self.interval
        rate = self.rate
        return {
            "count": self.hits,
            "of": self.of,
            "rate": None if rate is None else round(rate, 4),
            "low": round(low, 4),
            "high": round(high, 4),
        }
