"""What every finder returns: a place in a source and how surely it is the right one. Pure data."""

from __future__ import annotations

from typing import Literal

from steadyhand.lazy import dataclass
from steadyhand.text.span import Span

Occurrence = Literal["unique", "first", "last", "all"] | int
"""Which of several places is meant: the only one, the first, the last, all, or a number from 1; -1 is the last."""


@dataclass(frozen=True, slots=True)
class Match:
    """A place that a tier or a target located.

    `similarity` is 1.0 where the place says what was asked for; `differs` names in words what a
    tolerant tier overlooked, empty for an exact match.
    """

    span: Span
    tier: str
    similarity: float = 1.0
    differs: tuple[str, ...] = ()
