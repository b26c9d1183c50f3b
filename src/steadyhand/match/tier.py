"""What a tier is: one way for old text and file text to be the same.

A tier is one file in `tiers/` that ends with `TIER = Tier(…)`; `_TIERS` names them, the rank the order.
A tier locates and never edits; it never looks at another tier's finds. Its examples run as tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Protocol

from steadyhand.lazy import Registry, dataclass
from steadyhand.match.needle import Needle
from steadyhand.text.source import Source
from steadyhand.text.span import Span

STRICT = ("exact", "newline")  # the tiers that overlook nothing but how lines end
LITERAL = 30  # the rank up to which the old text, perhaps mended, stands in the file as it is
BLANKS = 50  # the rank up to which a place says the same as the old text but for blanks


class Find(Protocol):
    """How a tier is asked: every place left to right, lazily, overlapping ones too unless `apart`."""

    def __call__(self, source: Source, needle: Needle, *, apart: bool) -> Iterator[Span]: ...


@dataclass(frozen=True, slots=True)
class Example:
    """A needle, and a text in which each place the tier must find stands between `⟦` and `⟧`.

    `path` names the language, `new` is the text that the edit puts in place of the needle.
    """

    needle: str
    text: str
    path: str | None = None
    new: str | None = None


@dataclass(frozen=True, slots=True)
class Tier:
    """One way to find old text.

    `confidence` says how sure a place is that it finds. `differs` says in words what this tier overlooks, empty
    where nothing is. `literal(uniform, needle)` gives the one string whose plain occurrences are exactly the
    finds in a text whose lines all end with `uniform` (None: with several endings, or none), and None where
    there is no such string; with it many needles can be found in one pass. `is_single`: several finds are never
    several places to change, only several guesses.
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
    is_single: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the search: tiers asked one after the other, for the old text as it is or for mended ones."""

    name: str
    rank: int
    tiers: tuple[Tier, ...]
    is_mended: bool = False


_TIERS = Registry("steadyhand.match.tiers", "TIER", "elision exact fuzzy newline token typography whitespace")


@cache
def tiers() -> tuple[Tier, ...]:
    """Every tier, strictest first."""
    return tuple(sorted(_TIERS.load(), key=lambda tier: tier.rank))


def tier_named(name: str) -> Tier:
    """The tier of that name."""
    return next(tier for tier in tiers() if tier.name == name)


_MENDED = (("repair", 30, ("exact", "newline")), ("whitespace", 50, ("whitespace",)))


@cache
def steps() -> tuple[Step, ...]:
    """Every step, strictest first: each tier, and between them the tiers that a mended old text may be found at."""
    known = {tier.name: tier for tier in tiers()}
    plain = [Step(tier.name, tier.rank, (tier,)) for tier in tiers()]
    mended = [Step(name, rank, tuple(known[tier] for tier in names), is_mended=True) for name, rank, names in _MENDED]
    return tuple(sorted([*plain, *mended], key=lambda step: step.rank))


def step_names() -> tuple[str, ...]:
    """What a policy may name as the laxest step, strictest first."""
    return tuple(dict.fromkeys(step.name for step in steps()))


def steps_up_to(laxest: str | None) -> tuple[Step, ...]:
    """The steps a policy allows: `laxest` and those stricter, or all."""
    if laxest is None:
        return steps()
    limit = max(step.rank for step in steps() if step.name == laxest)
    return tuple(step for step in steps() if step.rank <= limit)
