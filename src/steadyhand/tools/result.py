"""The result of a tool of our own, as a dict: what was done and where, or why nothing was.

Never raised, never more than a few lines of the file. `fileHash` is what the next call may send as `expectedHash`.
"""

from __future__ import annotations

from collections.abc import Mapping

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Phrases, render_hints
from steadyhand.match.tier import STRICT
from steadyhand.schema import Field, Flag, Many, Number, Object, Text
from steadyhand.session.receipt import FileReceipt, Receipt
from steadyhand.structure.target import target_keys
from steadyhand.text.visible import clip
from steadyhand.tools.offers import by_number
from steadyhand.tools.phrases import MODEL

__all__ = [
    "AROUND",
    "CHANGED",
    "LINES",
    "failed",
    "failure",
    "is_literal",
    "main_file",
    "refusal_kind",
    "success",
    "without_repeats",
]

_AROUND = 3
_FEW = 2

# Nothing written, only lines removed: `end` is `start` - 1, and the first of `afterLines` is line `start`.
LINES = Object((Field("start", Number()), Field("end", Number())))
AROUND = Object((Field("beforeLines", Many(Text())), Field("afterLines", Many(Text()))))

# What a change of one file is answered with; the tools of a toolset may say more.
CHANGED = Object(
    (
        Field("success", Flag(), required=True),
        Field("path", Text(), required=True),
        Field("id", Text(), "Undo it by this.", required=True),
        Field("fileHash", Text(), "Of the file as it is now; send it as expectedHash."),
        Field("lines", LINES, "What changed, from 1; end = start - 1: only removed."),
        Field("context", AROUND),
        Field("matchTiers", Many(Text()), "How inexact old text was matched."),
        Field("repaired", Many(Text()), "Arguments that were repaired."),
        Field("warnings", Many(Text())),
        Field("durable", Flag(), "False: it may not survive a power cut."),
    ),
    is_open=True,
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
            "beforeLines": [clip(table.text(row)) for row in range(max(start - _AROUND, 0), start)],
            "afterLines": [clip(table.text(row)) for row in range(end, min(end + _AROUND, table.count))],
        }
    tiers = [outcome.tier for outcome in receipt.outcomes if outcome.tier is not None]
    if not all(map(is_literal, tiers)):
        facts["matchTiers"] = tiers
    if receipt.warnings:
        facts["warnings"] = list(receipt.warnings)
    return facts if receipt.durable else facts | {"durable": False}


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
    hint = render_hints(error.hints, phrases)
    return {
        "success": False,
        "error": error.message if hint is None else f"{error.message}\nHint: {hint}",
        "kind": str(error.kind),
        "message": error.message,
        "hint": hint,
        "details": by_number({name: fact for name, fact in error.details.items() if not _is_said(fact, hint)}),
    }


def _is_said(fact: object, hint: str | None) -> bool:
    """Whether a hint lists every item of a list, which then need not be listed once more."""
    items = fact if isinstance(fact, list | tuple) else ()
    return len(items) > _FEW and all(isinstance(each, str) and each in (hint or "") for each in items)


def without_repeats(result: object) -> object:
    """An answer without prose twice: where it has message and hint, `error`, which is both in one, is left out."""
    match result:
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
