"""Receipts as the tools of `core` tell them: in short, file by file, edit by edit where there is something to say.

Of one file the facts are also on top, where every other toolset has them.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.lazy import replace
from steadyhand.plan.outcome import Outcome
from steadyhand.schema import Either, Field, Flag, Many, Number, Object, Text
from steadyhand.session.receipt import FileReceipt, Receipt
from steadyhand.text.visible import clip_diff
from steadyhand.tools.core.toolset import TOOLSET
from steadyhand.tools.result import CHANGED, failure, is_literal, success
from steadyhand.tools.tool import Result

__all__ = ["CHANGES", "FILE_CHANGED", "cut_diff", "tell"]

_MOST_FILES = 50
_MOST_OUTCOMES = 50
_MOST_EXPLAINED = 5  # refusals that are shown with their details
_LONGEST_DIFF = 20_000
_PER_FILE = ("fileHash", "lines", "context")

_HASH = Field("fileHash", Text(), "Of the file as it is now; send it as expect.")
# What a change of one file is answered with.
FILE_CHANGED = replace(CHANGED, fields=tuple(_HASH if each.name == "fileHash" else each for each in CHANGED.fields))
# What a change of any number of files is answered with; of one file what every toolset has of it, too.
CHANGES = Object(
    (
        Field("success", Either((Flag(), Text(("partial",)))), required=True),
        Field("id", Text(), "Undo it by this."),
        Field("dryRun", Flag(), "True: nothing was written."),
        Field("files", Many(Object((Field("path", Text()), Field("status", Text())), is_open=True)), required=True),
        Field("path", Text(), "Of one file; also what follows."),
        *(each for each in FILE_CHANGED.fields if each.name not in ("success", "id", "path")),
        Field("outcomes", Many(Object((Field("index", Number()), Field("applied", Flag())), is_open=True))),
        Field("diff", Text(), "Of a dry run."),
    ),
    is_open=True,
)


def tell(receipt: Receipt, *, is_dry: bool = False) -> Result:
    """What a change came to. `partial` where some of it was refused, with the first refusal and every outcome."""
    files, only = receipt.files, _only_file(receipt)
    facts = _together(receipt) if only is None else success(receipt, only.path)
    facts["files"] = [_file(receipt, file, is_alone=only is not None) for file in files[:_MOST_FILES]]
    if len(files) > _MOST_FILES:
        facts["moreFiles"] = len(files) - _MOST_FILES
    if _is_worth_telling(receipt):
        facts["outcomes"] = _told(receipt.outcomes, has_paths=only is None or not receipt.ok)
    if receipt.format is not None:
        facts["format"] = receipt.format
    if is_dry:
        del facts["id"]
        facts |= {"dryRun": True, **cut_diff(receipt.diff())}
    return facts if receipt.error is None else facts | _partly(receipt)


def _only_file(receipt: Receipt) -> FileReceipt | None:
    """The one file that a change is about, not counting a copy kept beside it; None where there are several."""
    named = {outcome.path for outcome in receipt.outcomes}
    about = [file for file in receipt.files if file.path in named] or receipt.files
    return about[0] if len(about) == 1 else None


def cut_diff(diff: str) -> dict[str, object]:
    """A diff, as far as an answer has room for it."""
    diff = clip_diff(diff)
    if len(diff) <= _LONGEST_DIFF:
        return {"diff": diff}
    kept = diff[: diff.rfind("\n", 0, _LONGEST_DIFF) + 1]
    left = diff.count("\n", len(kept))
    return {"diff": kept, "diffCut": f"{left} more line{'' if left == 1 else 's'} of the diff"}


def _together(receipt: Receipt) -> Result:
    facts: Result = {"success": True, "id": receipt.id}
    tiers = [outcome.tier for outcome in receipt.outcomes if outcome.tier is not None]
    if not all(map(is_literal, tiers)):
        facts["matchTiers"] = tiers[:_MOST_OUTCOMES]
    if receipt.warnings:
        facts["warnings"] = list(receipt.warnings)
    return facts if receipt.durable else facts | {"durable": False}


def _file(receipt: Receipt, file: FileReceipt, *, is_alone: bool) -> Result:
    facts: Result = {"path": file.path, "status": file.status}
    if file.path_before is not None and file.path_before != file.path:
        facts["from"] = file.path_before
    if file.after is None:
        return facts
    if is_alone:
        return facts | {"fileHash": file.after[:16]}
    every = success(receipt, file.path)
    return facts | {name: every[name] for name in _PER_FILE if name in every}


def _is_worth_telling(receipt: Receipt) -> bool:
    """Whether the outcomes say more than the files do: several edits of one, one refused or found oddly."""
    outcomes = receipt.outcomes
    several = len({outcome.path for outcome in outcomes}) < len(outcomes)
    return several or not receipt.ok or any(map(_is_notable, outcomes))


def _is_notable(outcome: Outcome) -> bool:
    return bool(
        not is_literal(outcome.tier) or outcome.others or outcome.notes or outcome.skipped or len(outcome.splices) > 1
    )


def _told(outcomes: Sequence[Outcome], *, has_paths: bool) -> list[Result]:
    """The outcomes in order, numbered in each file; where there are too many, those that were refused go first."""
    numbers: dict[str | None, int] = {}
    told = []
    for outcome in outcomes:
        numbers[outcome.path] = numbers.get(outcome.path, -1) + 1
        told.append((outcome, numbers[outcome.path]))
    first = sorted(range(len(told)), key=lambda at: told[at][0].error is None)[:_MOST_OUTCOMES]
    explained = {at for at in first[:_MOST_EXPLAINED] if told[at][0].error is not None}
    return [_outcome(*told[at], has_path=has_paths, is_explained=at in explained) for at in sorted(first)]


def _outcome(outcome: Outcome, index: int, *, has_path: bool, is_explained: bool) -> Result:
    facts: Result = {"index": index, "applied": outcome.applied}
    if has_path and outcome.path is not None:
        facts["path"] = outcome.path
    if outcome.lines is not None:
        facts["lines"] = {"start": outcome.lines[0], "end": outcome.lines[1]}
    if len(outcome.splices) > 1:
        facts["places"] = len(outcome.splices)
    if not is_literal(outcome.tier):
        facts["tier"] = outcome.tier
    said = {
        "differs": outcome.differs,
        "others": outcome.others,
        "moreOthers": outcome.more_others,
        "notes": outcome.notes,
        "skipped": outcome.skipped,
    }
    facts |= {name: list(value) if isinstance(value, tuple) else value for name, value in said.items() if value}
    if outcome.error is not None:
        refusal = failure(outcome.error, TOOLSET.phrases)
        facts |= {name: refusal[name] for name in ("kind", "error", *(("details",) if is_explained else ()))}
    return facts


def _partly(receipt: Receipt) -> Result:
    error = receipt.error
    assert error is not None
    applied = sum(outcome.applied for outcome in receipt.outcomes)
    return {
        "success": "partial",
        "appliedCount": applied,
        "refusedCount": sum(outcome.error is not None for outcome in receipt.outcomes),
        "kind": str(error.kind),
        "error": f"{applied} of {len(receipt.outcomes)} edits applied; see outcomes for the others",
    }
