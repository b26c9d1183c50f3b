"""Patches as calls have them: read by their dialect, and for one file only if that is the one the call names."""

from __future__ import annotations

from typing import Any

from steadyhand.dialects.front import read_patch
from steadyhand.dialects.patch import Patch
from steadyhand.errors import EditError, Kind
from steadyhand.hints import Hint, QuoteMore, Say, SendCorrected, SendOld
from steadyhand.lazy import replace
from steadyhand.match.tier import STRICT
from steadyhand.session.receipt import Receipt
from steadyhand.text.diff import shared_rows
from steadyhand.text.lines import split_bodies
from steadyhand.tools.call import Call
from steadyhand.tools.offers import Offer, without_offers
from steadyhand.tools.paths import same_file

__all__ = ["DIFF", "apply_diff", "apply_patch", "diff_of", "patch_from", "refused_part"]

_READ_AGAIN = "read the file again, and send the patch with this part for what is there now"
DIFF = ("diff", "diffContent", "patchContent")  # other names that models have for a patch


def patch_from(call: Call, reply: str, *, format: str = "auto", strict: bool = False) -> Patch:
    """What a model wrote, read in its dialect; the reading ends when the call is to."""
    with call.workspace.cancellable():
        return read_patch(reply, format=format, strict=strict)


def apply_diff(call: Call, path: str, diff: str, *, reason: str | None, strict: bool = False) -> Receipt:
    """Apply a unified diff of one file, all of it or nothing; `strict`: nothing else may be around it."""
    found = patch_from(call, diff, format="unified", strict=strict)
    try:
        return apply_patch(call, _patch_for(call, found, path), reason=reason)
    except EditError as error:
        raise _by_line(error) from None


def apply_patch(call: Call, found: Patch, **options: Any) -> Receipt:
    """Apply a patch, all of it or nothing."""
    try:
        return call.workspace.patch(found, **options)
    except EditError as error:
        raise refused_part(error, sum(map(len, found.places))) from None


def refused_part(error: EditError, parts: int) -> EditError:
    """The refusal of one of so many parts: what is offered for it would, sent as a call, leave out the others."""
    if parts < 2:
        return error
    return error.advised((_without_offer(hint) for hint in error.hints), without_offers(error.details))


def _without_offer(hint: Hint) -> Hint:
    match hint:
        case SendCorrected() | SendOld():
            return Say(_READ_AGAIN)
        case QuoteMore(is_offered=True):
            return replace(hint, is_offered=False)
        case _:
            return hint


def diff_of(offer: Offer) -> str:
    """An edit that is offered, as a unified diff: rows that stay around those that go and come."""
    old, new = split_bodies(offer.old), split_bodies(offer.new)
    head, tail = shared_rows(old, new)
    parts = ((" ", old[:head]), ("-", old[head : len(old) - tail]), ("+", new[head : len(new) - tail]))
    rows = [f"{sign}{row}" for sign, rows in (*parts, (" ", old[len(old) - tail :])) for row in rows]
    return "\n".join(["@@", *rows, ""])


def _by_line(error: EditError) -> EditError:
    """The refusal of lines that match several places, with the header that would decide among them."""
    match error.details:  # behind other parts, lines are counted in what those would leave
        case {"index": 0, "tier": tier, "candidates": [{"lines": [int(line), *_]}, *_]} if tier in STRICT:
            header = Say(f"give its line, such as @@ -{line} +{line} @@ for line {line}")
            return error.advised((*error.hints, header))
        case _:
            return error


def _patch_for(call: Call, found: Patch, path: str) -> Patch:
    """The patch for the file of the call, whether or not it names one. Refuses with `malformed-patch` any other."""
    wanted = call.path(path)

    def resolve(name: str) -> str:
        if name and not same_file(call.path(name), wanted):
            raise EditError(
                Kind.MALFORMED_PATCH,
                f"the patch names {name}, and the call is for {path}",
                hint="send one call per file, with the same name in path and in the patch",
                details={"path": path, "named": name},
            )
        return wanted

    return found.mapped(resolve)
