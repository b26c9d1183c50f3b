"""The result of one of our own tools as a dict: what was changed and where, or why it was refused.

Never raised, never more than a few lines of the file. `fileHash` is what the next call may send as `expectedHash`. A
refusal may offer an edit instead of the one that was sent, in the fields of the tool that was called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Phrases, QuoteMore, Say, render_hints
from steadyhand.lazy import dataclass
from steadyhand.match.tier import STRICT
from steadyhand.schema import Field, Flag, Many, Number, Object, Text
from steadyhand.session.receipt import FileReceipt, Receipt
from steadyhand.structure.target import target_keys
from steadyhand.text.visible import WIDEST, clip, sized
from steadyhand.tools.toolsets import MODEL

# Edits that a refusal offers instead of the one that was sent, in the fields of the tool that was called.


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


def candidates_of(details: Mapping[str, object]) -> list[Mapping[str, Any]]:
    """The places among which a refusal cannot choose; none where it has none."""
    places = details.get("candidates")
    return [place for place in places if isinstance(place, Mapping)] if isinstance(places, list) else []


def candidate_offers(error: EditError) -> list[tuple[int, Offer]]:
    """The first line of each of several places, and the edit that means it alone, for those that have one."""
    return [(place["lines"][0], offer) for place in candidates_of(error.details) if (offer := _offer_in(place))]


def _candidate(
    place: Mapping[str, object], fields: Callable[[Offer], object], *, takes_number: bool
) -> dict[str, object]:
    offered = _offered(place, fields)
    return offered if takes_number else {name: fact for name, fact in offered.items() if name != "occurrence"}


def by_number(details: Mapping[str, object]) -> dict[str, object]:
    """Details in which each candidate is named once: by its number, else by the edit that means it alone."""
    named = [_named_once(place) for place in candidates_of(details)]
    return {**details, "candidates": named} if isinstance(details.get("candidates"), list) else dict(details)


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


_AROUND = 3
_FEW = 2
OFFERED = "send `corrected` of the candidate you mean"

# Nothing written, only lines removed: `end` is `start` - 1, and the first of `afterLines` is line `start`.
LINES = Object.of(Field("start", Number()), Field("end", Number()))
AROUND = Object.of(Field("beforeLines", Many(Text())), Field("afterLines", Many(Text())))


def answer_of(*fields: Field) -> Object:
    """What a tool of ours answers: whether it was done, these fields, and perhaps more."""
    return Object.of(Field("success", Flag(), required=True), *fields, is_open=True)


# What a change of one file is answered with; the tools of a toolset may say more.
CHANGED = answer_of(
    Field("path", Text(), required=True),
    Field("id", Text(), "Undo it by this.", required=True),
    Field("fileHash", Text(), "Of the current file; send it with the next call."),
    Field("lines", LINES, "What changed, from 1; end = start - 1: only removed."),
    Field("context", AROUND),
    Field("matchTiers", Many(Text()), "How inexact old text was matched."),
    Field("repaired", Many(Text()), "Arguments that were repaired."),
    Field("warnings", Many(Text())),
    Field("durable", Flag(), "False: it may not survive a power cut."),
    Field("held", Flag(), "True: it waits for a reviewer."),
)


def success(receipt: Receipt, path: str) -> dict[str, object]:
    """What a change of one file came to: the lines that changed, from 1, and what is around them now.

    Context and changed lines together are one run of the file's lines: nothing between them is left out.
    """
    file = main_file(receipt, path)
    applied = [outcome for outcome in receipt.outcomes if outcome.applied and outcome.path in (None, file.path)]
    facts: dict[str, object] = {"success": True, "path": path, "id": receipt.id}
    if file.after is not None:
        facts["fileHash"] = file.after[:16]
    is_created = file.status == "created"
    if not file.redacted and (is_created or any(outcome.lines for outcome in applied)):
        table = file.present.table
        start, end = (0, table.count) if is_created else file.changed_rows()
        facts["lines"] = {"start": start + 1, "end": end}
        facts["context"] = {
            "beforeLines": _clipped(table.texts(max(start - _AROUND, 0), start)),
            "afterLines": _clipped(table.texts(end, min(end + _AROUND, table.count))),
        }
    tiers = [outcome.tier for outcome in receipt.outcomes if outcome.tier is not None]
    if not all(map(is_literal, tiers)):
        facts["matchTiers"] = tiers
    if receipt.warnings:
        facts["warnings"] = list(receipt.warnings)
    return facts | confirmation(receipt)


def confirmation(receipt: Receipt) -> dict[str, object]:
    """What there is to say of where a change is: held for review, or not sure to survive a power cut."""
    unsure: dict[str, object] = {} if receipt.durable else {"durable": False}
    return unsure | {"held": True} if receipt.held else unsure


def _clipped(rows: list[str]) -> list[str]:
    return [clip(row) if len(row) > WIDEST else row for row in rows]


def main_file(receipt: Receipt, path: str | None = None) -> FileReceipt:
    """The file of that path; spelled otherwise, the one that outcomes speak of and not a copy kept beside it.

    Of one that went away and one that took its place, the one that is there.
    """
    named = {outcome.path for outcome in receipt.outcomes}
    alike = [one for one in receipt.files if one.path == path] or [one for one in receipt.files if one.path in named]
    return next((one for one in alike if one.after is not None), (alike or receipt.files)[0])


def is_literal(tier: str | None) -> bool:
    """Whether a place was found as it was given, word for word or by address; else whoever sent it should know how."""
    return tier is None or tier in STRICT or tier in target_keys()


def failure(error: EditError, phrases: Phrases = MODEL) -> dict[str, object]:
    """A refusal; `error` is message and hint in one string. `phrases` is how the toolset says hints."""
    details = by_number(error.details)
    is_offered = any("corrected" in place for place in candidates_of(details))
    # Where places are offered as edits: which to send, and not how to quote one of them.
    hints = [Say(OFFERED) if is_offered and isinstance(each, QuoteMore) else each for each in error.hints]
    hint = render_hints(hints, phrases)
    message = error.message_in(phrases)
    if is_offered:
        message = message.removesuffix(f":\n{error.listing}")  # the places are those that are offered
    return {
        "success": False,
        "error": message if hint is None else f"{message}\nHint: {hint}",
        "kind": str(error.kind),
        "message": message,
        "hint": hint,
        "details": {name: fact for name, fact in details.items() if not _is_said(fact, hint)},
    }


def _is_said(fact: object, hint: str | None) -> bool:
    """Whether a hint lists every item of a list, which then need not be listed once more."""
    items = fact if isinstance(fact, list | tuple) else ()
    return len(items) > _FEW and all(isinstance(each, str) and each in (hint or "") for each in items)


def without_repeats(result: object) -> object:
    """An answer without prose twice: where it has message and hint, `error`, which is both in one, is left out."""
    match result:
        case str():  # most values, which need not be asked whether they are a mapping
            return result
        case Mapping():
            is_doubled = "kind" in result and isinstance(result.get("message"), str)
            return {
                name: without_repeats(each) for name, each in result.items() if not (is_doubled and name == "error")
            }
        case list() | tuple():
            return [without_repeats(each) for each in result]
        case _:
            return result


def failed(result: Mapping[str, object]) -> bool:
    """Whether an answer, in whatever form its tool has, says that nothing was done."""
    return result.get("success") is False or result.get("status") == "error" or result.get("is_error") is True


def refusal_kind(result: Mapping[str, object]) -> Kind | None:
    """Why a call, or the first part of it that was not done, was refused; None where all of it was done."""
    is_partial = "partial" in (result.get("success"), result.get("status"))
    if not is_partial and not failed(result):
        return None
    return next((kind for name in ("reason", "kind") if (kind := _kind(result.get(name)))), None) or _kind_inside(
        result
    )


def _kind(value: object) -> Kind | None:
    return next((kind for kind in Kind if kind == value), None)


def _kind_inside(result: Mapping[str, object]) -> Kind:
    """The kind that the first refused part tells."""
    for parts in result.values():
        for part in parts if isinstance(parts, list) else ():
            if isinstance(part, Mapping) and (kind := _kind(part.get("kind"))) is not None:
                return kind
    return Kind.BAD_REQUEST
