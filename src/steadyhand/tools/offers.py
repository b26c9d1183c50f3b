"""Edits that a refusal offers instead of the one that was sent, in the fields of the tool that was called."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from steadyhand.errors import EditError
from steadyhand.lazy import dataclass
from steadyhand.text.visible import sized

__all__ = ["Offer", "by_number", "candidate_offers", "offer_of", "offering", "without_offers"]


@sized("old", "new")
@dataclass(frozen=True, slots=True)
class Offer:
    """An edit that would go through in the place of the one that was sent."""

    old: str
    new: str
    reason: str | None = None


def offer_of(error: EditError) -> Offer | None:
    """The edit that a refusal offers, where old and new text say it.

    >>> from steadyhand.errors import Kind
    >>> offer = offer_of(EditError(Kind.NO_MATCH, "", details={"corrected": {"target": "a", "new": "b"}}))
    >>> offer.old, offer.new
    ('a', 'b')
    """
    return _offer_in(error.details)


def _offer_in(details: Mapping[str, object]) -> Offer | None:
    match details.get("corrected"):
        case {"target": str(old), "new": str(new), **more}:
            reason = more.get("reason")
            return Offer(old, new, reason if isinstance(reason, str) else None)
        case _:
            return None


def offering(error: EditError, fields: Callable[[Offer], object], *, takes_number: bool = False) -> dict[str, object]:
    """The details of a refusal, in which `corrected` is what a tool takes for the edit that is offered, or is not.

    So it is in each of several candidates; `takes_number`: the tool takes an `occurrence` instead.
    """
    details = _offered(error.details, fields)
    places = details.get("candidates")
    if isinstance(places, list):
        details["candidates"] = [_candidate(place, fields, takes_number=takes_number) for place in places]
    return details


def candidate_offers(error: EditError) -> list[tuple[int, Offer]]:
    """The first line of each of several places, and the edit that means it alone, for those that have one."""
    places = error.details.get("candidates")
    found = [place for place in places if isinstance(place, Mapping)] if isinstance(places, list) else []
    return [(place["lines"][0], offer) for place in found if (offer := _offer_in(place))]


def _candidate(
    place: Mapping[str, object], fields: Callable[[Offer], object], *, takes_number: bool
) -> dict[str, object]:
    offered = _offered(place, fields)
    return offered if takes_number else {name: fact for name, fact in offered.items() if name != "occurrence"}


def by_number(details: Mapping[str, object]) -> dict[str, object]:
    """Details in which each candidate is named once: by its number, else by the edit that means it alone."""
    places = details.get("candidates")
    if not isinstance(places, list):
        return dict(details)
    return {**details, "candidates": [_named_once(place) for place in places if isinstance(place, Mapping)]}


def without_offers(details: Mapping[str, object]) -> dict[str, object]:
    """Details that offer no edit, neither instead of the one that was sent nor for one of several places."""
    kept = {name: fact for name, fact in details.items() if name != "corrected"}
    places = kept.get("candidates")
    if isinstance(places, list):
        offers = ("corrected", "unique_old", "occurrence")
        kept["candidates"] = [{name: place[name] for name in place if name not in offers} for place in places]
    return kept


def _named_once(place: Mapping[str, object]) -> dict[str, object]:
    left_out = ("unique_old", "corrected") if "occurrence" in place else ("unique_old",)
    return {name: fact for name, fact in place.items() if name not in left_out}


def _offered(facts: Mapping[str, object], fields: Callable[[Offer], object]) -> dict[str, object]:
    kept = {name: fact for name, fact in facts.items() if name != "corrected"}
    offer = _offer_in(facts)
    corrected = None if offer is None else fields(offer)
    return kept if corrected is None else kept | {"corrected": corrected}
