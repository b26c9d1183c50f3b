"""Patches as calls have them: read by their dialect, and for one file only if that is the one the call names."""

from __future__ import annotations

from steadyhand.dialects.front import read_patch
from steadyhand.dialects.patch import Patch
from steadyhand.errors import EditError, Kind
from steadyhand.match.tier import STRICT
from steadyhand.session.receipt import Receipt
from steadyhand.text.lines import split_bodies
from steadyhand.text.region import shared_rows
from steadyhand.tools.advice import Offer, advised
from steadyhand.tools.call import Call
from steadyhand.tools.paths import same_file

__all__ = ["DIFF", "apply_diff", "diff_of", "patch_from"]

DIFF = ("diff", "diffContent", "patchContent")  # other names that models have for a patch


def patch_from(call: Call, reply: str, *, format: str = "auto", strict: bool = False) -> Patch:
    """What a model wrote, read in its dialect; the reading ends when the call is to."""
    with call.workspace.heeding():
        return read_patch(reply, format=format, strict=strict)


def apply_diff(call: Call, path: str, diff: str, *, reason: str | None, strict: bool = False) -> Receipt:
    """Apply a unified diff of one file, all of it or nothing; `strict`: nothing else may stand around it."""
    found = patch_from(call, diff, format="unified", strict=strict)
    try:
        return call.workspace.patch(_patch_for(call, found, path), reason=reason)
    except EditError as error:
        raise _by_line(error) from None


def diff_of(offer: Offer) -> str:
    """An edit that is offered, as a unified diff: rows that stay around those that go and come."""
    old, new = split_bodies(offer.old), split_bodies(offer.new)
    head, tail = shared_rows(old, new)
    parts = ((" ", old[:head]), ("-", old[head : len(old) - tail]), ("+", new[head : len(new) - tail]))
    rows = [f"{sign}{row}" for sign, rows in (*parts, (" ", old[len(old) - tail :])) for row in rows]
    return "\n".join(["@@", *rows, ""])


def _by_line(error: EditError) -> EditError:
    """The refusal of lines that stand in several places, with the header that would decide among them."""
    match error.details:  # behind other parts, lines are counted in what those would leave
        case {"index": 0, "tier": tier, "candidates": [{"lines": [int(line), *_]}, *_]} if tier in STRICT:
            return advised(error, f"{error.hint}; or give its line, such as @@ -{line} +{line} @@ for line {line}")
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
