"""What a tier is: one way for old text and file text to be the same.

A tier is one file in `tiers/` that ends with `TIER = Tier(…)`; the folder is the registry, the rank the order.
A tier locates and never edits; it never looks at another tier's finds. Its examples run as tests.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from steadyhand.text.source import Source
from steadyhand.text.span import Span


class Find(Protocol):
    """How a tier is asked: every place left to right, lazily, overlapping ones too unless `apart`."""

    def __call__(self, source: Source, needle: str, *, apart: bool) -> Iterator[Span]: ...


@dataclass(frozen=True, slots=True)
class Example:
    """A needle, and a text in which each place the tier must find stands between `⟦` and `⟧`."""

    needle: str
    text: str


@dataclass(frozen=True, slots=True)
class Tier:
    """One way to find old text.

    `confidence` is the similarity reported for a find. `differs` says in words what this tier overlooks, empty
    where nothing is. `literal(uniform, needle)` gives the one string whose plain occurrences are exactly the
    finds in a text whose lines all end with `uniform` (None: with several endings, or none), and None where
    there is no such string; with it many needles can be found in one pass.
    """

    name: str
    rank: int
    confidence: float
    summary: str
    find: Find
    differs: tuple[str, ...]
    matches: tuple[Example, ...]
    ignores: tuple[Example, ...]
    literal: Callable[[str | None, str], str | None] = lambda _uniform, _needle: None


@cache
def tiers() -> tuple[Tier, ...]:
    """Every tier, strictest first."""
    from steadyhand.match import tiers as folder

    found: list[Tier] = []
    for module in pkgutil.iter_modules(folder.__path__):
        found.append(importlib.import_module(f"{folder.__name__}.{module.name}").TIER)
    return tuple(sorted(found, key=lambda tier: tier.rank))


def tiers_up_to(laxest: str | None) -> tuple[Tier, ...]:
    """The tiers a policy allows: `laxest` and those stricter, or all."""
    every = tiers()
    if laxest is None:
        return every
    limit = next(tier.rank for tier in every if tier.name == laxest)
    return tuple(tier for tier in every if tier.rank <= limit)
