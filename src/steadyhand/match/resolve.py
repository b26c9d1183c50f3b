"""Which places an edit means: tier after tier until one finds something, then the occurrence the caller asked for.

Invariants:

1. A laxer tier is asked only when every stricter one found nothing; never to break a tie.
2. `unique` counts overlapping places (`aa` is in `aaa` twice); every other choice and every count goes left
   to right without overlap.
3. The work is bounded: places are listed up to `SHOWN`, counted up to a limit, and chosen up to `MAX_PLACES`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice, repeat
from typing import TYPE_CHECKING, NamedTuple, Protocol

from steadyhand.lazy import dataclass, replace
from steadyhand.match.tier import Alternative, Needle, Signs, Step, Tier, steps_up_to
from steadyhand.text.lines import is_whole_lines, split_bodies
from steadyhand.text.match import Match, Occurrence
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.visible import sized

if TYPE_CHECKING:
    from steadyhand.match.tier import RepairChain

SHOWN = 20
MAX_PLACES = 100_000
_COUNTED = 10_000
_COUNTING_WORK = 20_000_000
_REPAIRED = 0.99  # how sure a place is whose old text had to be repaired


class Finder(Protocol):
    """Asks a tier for the places of a needle in the text at hand."""

    def __call__(self, tier: Tier, needle: Needle, *, apart: bool) -> Iterator[Span]: ...


@sized("old", "new")
class Found(NamedTuple):
    """The places meant; `others` are the first of those left alone, `total` counts both.

    `old` and `new` are the edit's texts as they were looked for, without what the repairs named in `repaired` took off;
    `signs` are those of these texts. `alternative` is the reading that was found, where it was not the first.
    `share` is how much of the old text `old` is, where context that the file does not have was left out.
    `notes` is what a person should know of how the place was found.
    """

    matches: tuple[Match, ...]
    others: tuple[Span, ...]
    total: int
    tier: Tier
    old: str = ""
    new: str | None = None
    repaired: tuple[str, ...] = ()
    alternative: Alternative | None = None
    signs: Signs | None = None
    share: float = 1.0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Nothing:
    """No allowed tier found anything; `tried` names them."""

    tried: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Several:
    """The one place asked for is not one. `is_all` says whether counting came to its end."""

    tier: Tier
    candidates: tuple[Span, ...]
    total: int
    is_all: bool


@dataclass(frozen=True, slots=True)
class Miscount:
    """There are not as many places as the caller said, or as the occurrence asked for needs."""

    tier: Tier
    candidates: tuple[Span, ...]
    total: int
    wanted: int
    is_expected: bool


@dataclass(frozen=True, slots=True)
class TooMany:
    """More places than one edit may change."""

    limit: int


Resolution = Found | Nothing | Several | Miscount | TooMany


def finder_of(source: Source) -> Finder:
    """The plain way to ask a tier: on the source itself."""

    def find(tier: Tier, needle: Needle, *, apart: bool) -> Iterator[Span]:
        return tier.find(source, needle, apart=apart)

    return find


def resolve(
    find: Finder,
    old: str,
    *,
    new: str | None = None,
    occurrence: Occurrence = "unique",
    expected: int | None = None,
    laxest: str | None = None,
    alternatives: Sequence[Alternative] = (),
    hint: Callable[[Span], bool] | None = None,
    signs: Signs | None = None,
) -> Resolution:
    """The places that are meant, or why there is no saying. Without `new` nothing is repaired.

    `alternatives` are asked, step by step, after the text itself. Where one place is asked for and several are equal,
    the one that `hint` is true of is meant, if there is just one such.

    >>> resolve(finder_of(Source.of_text("a b a")), "a", occurrence="last").matches[0].span
    Span(start=4, end=5)
    """
    allowed = steps_up_to(laxest)
    plain = Needle(old, new, signs)
    for step in allowed:
        is_plain = not step.is_repaired and not alternatives
        queries = _plain(step, plain) if is_plain else _queries(step, plain, alternatives)
        for tier, needle, repaired, alternative in queries:
            if tier.is_single and (occurrence == "all" or (expected or 1) > 1):
                continue
            is_unique = occurrence == "unique" or tier.is_single
            places = find(tier, needle, apart=not is_unique)
            first = next(places, None)
            if first is None:
                continue
            query = tier, needle, repaired, alternative
            if is_unique:
                return _unique(query, first, places, expected, None if tier.is_single else hint)
            return _choose(query, chain((first,), places), occurrence, expected)
    return Nothing(tuple(dict.fromkeys(step.name for step in allowed)))


_Query = tuple[Tier, Needle, tuple[str, ...], Alternative | None]
"""One question: which tier, for which text, the repairs that made this text, and the reading that it is of."""


def _plain(step: Step, needle: Needle) -> Iterator[_Query]:
    return zip(step.tiers, repeat(needle), repeat(()), repeat(None), strict=False)


def _queries(step: Step, needle: Needle, alternatives: Sequence[Alternative]) -> Iterator[_Query]:
    yield from _readings(step, needle)
    for alternative in alternatives:
        for tier, texts, repaired, _ in _readings(step, Needle(alternative.old, alternative.new, alternative.signs)):
            differs = (alternative.differs, *tier.differs) if alternative.differs else tier.differs
            yield replace(tier, differs=differs), texts, repaired, alternative


def _readings(step: Step, needle: Needle) -> Iterator[_Query]:
    if not step.is_repaired:
        yield from _plain(step, needle)
    else:
        for made in needle.chains:
            texts = needle.repaired(made.old, made.new)
            for tier in step.tiers:
                yield _repaired(tier, step, made), texts, made.names, None


def _repaired(tier: Tier, step: Step, made: RepairChain) -> Tier:
    """A tier as it is asked for a repaired text: several lines, or what was in a shape of lines, are whole lines."""
    from steadyhand.match.tier import repairs

    differs, confidence = (*made.names, *tier.differs), min(tier.confidence, _REPAIRED)
    named = replace(tier, name=step.name, rank=step.rank, confidence=confidence, differs=differs)
    is_of_lines = any(repair.is_of_lines for repair in repairs() if repair.name in made.names)
    if not is_of_lines and len(split_bodies(made.old)) == 1:
        return named

    def find(source: Source, needle: Needle, *, apart: bool) -> Iterator[Span]:
        places = tier.find(source, needle, apart=apart)
        return (span for span in places if is_whole_lines(source.text, span))

    return replace(named, find=find, literal=lambda _uniform, _needle: None)


def _found(query: _Query, places: Sequence[Span], others: tuple[Span, ...], total: int) -> Found:
    tier, needle, repaired, alternative = query
    name, sure, differs = tier.name, tier.confidence, tier.differs
    if len(places) == 1:
        matches: tuple[Match, ...] = (Match(places[0], name, sure, differs),)
    else:
        matches = tuple([Match(place, name, sure, differs) for place in places])
    return Found(matches, others, total, tier, needle.text, needle.new, repaired, alternative, needle.signs)


def _unique(
    query: _Query, first: Span, places: Iterator[Span], expected: int | None, hint: Callable[[Span], bool] | None
) -> Resolution:
    tier, needle, _, _ = query
    second = next(places, None)
    if second is None:
        if expected not in (None, 1):
            return Miscount(tier, (first,), 1, expected or 0, is_expected=True)
        return _found(query, (first,), (), 1)
    limit = max(SHOWN, min(_COUNTED, _COUNTING_WORK // max(len(needle.text), 1)))
    hinted: list[Span] = []
    if hint is not None:
        every = [first, second, *islice(places, limit)]
        hinted, places = [place for place in every if hint(place)], chain(every[2:], places)
    candidates = [first, second, *islice(places, SHOWN - 2)]
    total = len(candidates) + sum(1 for _ in islice(places, limit - len(candidates)))
    if len(hinted) == 1 and expected in (None, 1):
        return _found(query, hinted, tuple(place for place in candidates if place != hinted[0]), total)
    return Several(tier, tuple(candidates), total, next(places, None) is None)


def _choose(query: _Query, places: Iterator[Span], occurrence: Occurrence, expected: int | None) -> Resolution:
    """Everything but `unique`: one pass that keeps the first few places, the wanted ones and the count."""
    tier = query[0]
    shown: list[Span] = []
    chosen: list[Span] = []
    tail: deque[Span] = deque(maxlen=1)
    total = 0
    wanted = 1 if occurrence == "first" else occurrence if isinstance(occurrence, int) else 0
    for place in places:
        total += 1
        tail.append(place)
        if total <= SHOWN + 1:
            shown.append(place)
        if occurrence == "all" or total == wanted:
            chosen.append(place)
            if len(chosen) > MAX_PLACES:
                return TooMany(MAX_PLACES)
    if occurrence in ("last", -1):
        chosen = list(tail)
    if expected is not None and total != expected:
        return Miscount(tier, tuple(shown[:SHOWN]), total, expected, is_expected=True)
    if not chosen:
        return Miscount(tier, tuple(shown[:SHOWN]), total, wanted, is_expected=False)
    if occurrence == "all":
        return _found(query, chosen, (), total)
    return _found(query, chosen, tuple(place for place in shown if place != chosen[0])[:SHOWN], total)
