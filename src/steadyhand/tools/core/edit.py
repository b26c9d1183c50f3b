"""`edit`: any number of edits in any number of files, by old text, by address or as a patch; all of it or nothing.

An answer says little: file by file, edit by edit where there is something to say. Of one file the facts are
also on top, where every other toolset has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Phrases
from steadyhand.lazy import replace
from steadyhand.plan.edit import edit_shape
from steadyhand.plan.planner import Outcome
from steadyhand.plan.request import Requests, request_shape
from steadyhand.schema import NEW, OLD, Either, Field, Flag, Many, Number, Object, Text, bad_request
from steadyhand.session.host import host_of
from steadyhand.session.receipt import FileReceipt, Receipt
from steadyhand.text.visible import clip_diff
from steadyhand.tools.core.edit_request import (
    edits_of,
    literally,
    named_by_address,
    requests_of,
    spread,
    way_of,
    workspace_for,
)
from steadyhand.tools.file_tools import apply_patch, patch_from
from steadyhand.tools.result import CHANGED, confirmation, failure, is_literal, success
from steadyhand.tools.tool import Call, Example, Fields, Result, Tool, reason_of, same_file
from steadyhand.tools.toolsets import in_fields, toolset_named

_MOST_FILES = 50
_MOST_OUTCOMES = 50
_MOST_EXPLAINED = 5  # refusals that are shown with their details
_LONGEST_DIFF = 20_000
_PER_FILE = ("fileHash", "lines", "context")

# What a change of any number of files is answered with; of one file what every toolset has of it, too.
CHANGES = Object.of(
    Field("success", Either((Flag(), Text(("partial",)))), required=True),
    Field("id", Text(), "Undo it by this."),
    Field("dryRun", Flag(), "True: nothing was written."),
    Field("files", Many(Object.of(Field("path", Text()), Field("status", Text()), is_open=True)), required=True),
    Field("path", Text(), "Of one file; also what follows."),
    *(each for each in CHANGED.fields if each.name not in ("success", "id", "path")),
    Field("outcomes", Many(Object.of(Field("index", Number()), Field("applied", Flag()), is_open=True))),
    Field("diff", Text(), "Of a dry run."),
    is_open=True,
)


def tell(receipt: Receipt, *, is_dry: bool = False) -> Result:
    """What a change came to. `partial` where some of it was refused, with the first refusal and every outcome."""
    files, outcomes = receipt.files, receipt.outcomes
    named = {outcome.path for outcome in outcomes}
    about = [file for file in files if file.path in named] or files  # not a copy kept beside the file
    only = about[0] if len(about) == 1 else None
    facts = _summary(receipt) if only is None else success(receipt, only.path)
    facts["files"] = [_file(receipt, file, is_alone=only is not None) for file in files[:_MOST_FILES]]
    if len(files) > _MOST_FILES:
        facts["moreFiles"] = len(files) - _MOST_FILES
    if (
        len(named) < len(outcomes) or not receipt.ok or any(map(_is_notable, outcomes))
    ):  # they say more than the files do
        facts["outcomes"] = _outcomes(outcomes, has_paths=only is None or not receipt.ok)
    if receipt.format is not None:
        facts["format"] = receipt.format
    if is_dry:
        del facts["id"]
        facts |= {"dryRun": True, **cut_diff(receipt.diff())}
    return facts if receipt.error is None else facts | _partly(receipt)


def cut_diff(diff: str) -> dict[str, object]:
    """A diff, as far as an answer has room for it."""
    diff = clip_diff(diff)
    if len(diff) <= _LONGEST_DIFF:
        return {"diff": diff}
    kept = diff[: diff.rfind("\n", 0, _LONGEST_DIFF) + 1]
    left = diff.count("\n", len(kept))
    return {"diff": kept, "diffCut": f"{left} more line{'' if left == 1 else 's'} of the diff"}


def _summary(receipt: Receipt) -> Result:
    facts: Result = {"success": True, "id": receipt.id}
    tiers = [outcome.tier for outcome in receipt.outcomes if outcome.tier is not None]
    if not all(map(is_literal, tiers)):
        facts["matchTiers"] = tiers[:_MOST_OUTCOMES]
    if receipt.warnings:
        facts["warnings"] = list(receipt.warnings)
    return facts | confirmation(receipt)


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


def _is_notable(outcome: Outcome) -> bool:
    return bool(
        not is_literal(outcome.tier) or outcome.others or outcome.notes or outcome.skipped or len(outcome.splices) > 1
    )


def _outcomes(outcomes: Sequence[Outcome], *, has_paths: bool) -> list[Result]:
    """The outcomes in order, numbered in each file; where there are too many, those that were refused go first."""
    numbers: dict[str | None, int] = {}
    numbered = []
    for outcome in outcomes:
        numbers[outcome.path] = numbers.get(outcome.path, -1) + 1
        numbered.append((outcome, numbers[outcome.path]))
    first = sorted(range(len(numbered)), key=lambda at: numbered[at][0].error is None)[:_MOST_OUTCOMES]
    explained = {at for at in first[:_MOST_EXPLAINED] if numbered[at][0].error is not None}
    return [_outcome(*numbered[at], has_path=has_paths, is_explained=at in explained) for at in sorted(first)]


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
        refusal = failure(outcome.error, toolset_named("core").phrases)
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
        "error": f"{applied} of {len(receipt.outcomes)} edits applied",
    }


# Calls of `edit` that show what it takes, each way once, and what it refuses.

_GUIDE = "# Guide\n\n## Setup\n\nRun it.\n\n## Notes\n\nNone.\n"
_APP = "def greet(name):\n    return name\n\n\ndef leave():\n    return None\n"
_PATCH = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"

EXAMPLES = (
    Example(
        about="Old text for new, in two files at once",
        files={"a.txt": "one\ntwo\n", "b.txt": "three\n"},
        arguments={
            "files": [
                {"path": "a.txt", "edits": [{"target": "two", "new": "2", "reason": "digits"}]},
                {"path": "b.txt", "edits": [{"target": "three", "new": "3"}]},
            ]
        },
        result={
            "success": True,
            "files": [
                {"path": "a.txt", "status": "edited", "lines": {"start": 2, "end": 2}},
                {"path": "b.txt", "status": "edited", "lines": {"start": 1, "end": 1}},
            ],
        },
        after={"a.txt": "one\n2\n", "b.txt": "3\n"},
    ),
    Example(
        about="By address: a section, a symbol's body, a key, an element",
        files={
            "guide.md": _GUIDE,
            "app.py": _APP,
            "package.json": '{\n  "name": "x",\n  "version": "1.0.0"\n}\n',
            "page.html": '<p id="cta" class="big">Go</p>\n',
        },
        arguments={
            "files": [
                {
                    "path": "guide.md",
                    "edits": [{"target": {"at": "heading:Setup"}, "insert": "Then stop it.", "where": "end"}],
                },
                {
                    "path": "app.py",
                    "edits": [{"target": {"at": "symbol.body:greet"}, "new": "    return name.title()"}],
                },
                {
                    "path": "package.json",
                    "edits": [{"target": {"at": "key:version"}, "act": "set-key", "args": {"value": "1.1.0"}}],
                },
                {
                    "path": "page.html",
                    "edits": [{"target": {"at": "selector:#cta"}, "act": "add-class", "args": {"value": "new"}}],
                },
            ]
        },
        result={"success": True},
        after={
            "guide.md": _GUIDE.replace("Run it.\n", "Run it.\n\nThen stop it.\n"),
            "app.py": _APP.replace("return name\n", "return name.title()\n"),
            "package.json": '{\n  "name": "x",\n  "version": "1.1.0"\n}\n',
            "page.html": '<p id="cta" class="big new">Go</p>\n',
        },
    ),
    Example(
        about="Lines of one file, in the version that was read",
        files={"a.txt": "one\ntwo\nthree\n"},
        arguments={
            "path": "a.txt",
            "edits": [{"target": {"at": "lines:2-3"}, "delete": True}],
            "expect": "$hash:a.txt",
            "reason": "not needed",
        },
        result={"success": True, "path": "a.txt"},
        after={"a.txt": "one\n"},
    ),
    Example(
        about="Files created, renamed and deleted",
        files={"old.txt": "x\n", "a.txt": "one\n"},
        arguments={
            "files": [
                {"path": "new.txt", "create": "new\n"},
                {"path": "a.txt", "rename_to": "b.txt"},
                {"path": "old.txt", "delete": True},
            ]
        },
        result={"success": True},
        after={"new.txt": "new\n", "a.txt": None, "b.txt": "one\n", "old.txt": None},
    ),
    Example(
        about="A patch, as a dry run",
        files={"a.txt": "one\ntwo\n"},
        arguments={"patch": _PATCH, "dry_run": True},
        result={"success": True, "dryRun": True, "format": "unified"},
    ),
    Example(
        about="The same replacement in every file of a glob",
        files={"a.md": "colour\n", "docs/b.md": "colour, colour\n", "c.md": "none\n", "d.txt": "colour\n"},
        arguments={
            "glob": "*.md",
            "edits": [{"target": "colour", "new": "color", "occurrence": "all"}],
            "expected_files": 2,
        },
        result={"success": True, "files": [{"path": "a.md"}, {"path": "docs/b.md"}]},
        after={"a.md": "color\n", "docs/b.md": "color, color\n"},
    ),
    Example(
        about="A partial edit: one part is refused",
        files={"a.txt": "one\ntwo\n"},
        arguments={
            "path": "a.txt",
            "edits": [{"target": "two", "new": "2"}, {"target": "thirty-three", "new": "33"}],
            "partial": True,
        },
        result={"success": "partial", "appliedCount": 1, "kind": "no-match"},
        after={"a.txt": "one\n2\n"},
    ),
    Example(
        about="One of two edits is refused, so nothing changes",
        files={"a.txt": "one\ntwo\n", "b.txt": "x = 1\nx = 1\n"},
        arguments={
            "files": [
                {"path": "a.txt", "edits": [{"target": "two", "new": "2"}]},
                {"path": "b.txt", "edits": [{"target": "x = 1", "new": "x = 2"}]},
            ]
        },
        result={"success": False, "kind": "ambiguous-match"},
    ),
    Example(
        about="An address that matches nothing",
        files={"guide.md": _GUIDE},
        arguments={"path": "guide.md", "edits": [{"target": {"at": "heading:Set up"}, "new": "x"}]},
        result={"success": False, "kind": "no-such-target"},
    ),
)


# The edit and the request of the plan format, without what few calls need; other fields of it are taken as well.
_EDIT = replace(
    edit_shape(),
    fields=tuple(field for field in edit_shape().fields if field.name != "expected"),
    is_open=True,
    flags=(("replace_all", "occurrence", "all"),),
)
_SAME = replace(_EDIT, fields=tuple(replace(field, about="") for field in _EDIT.fields))
_SHORT = ("path", "expect", "create", "delete", "rename_to")
_REQUEST = {field.name: field for field in request_shape().fields}
_FILE = Object.of(
    replace(_REQUEST["path"], about=""),
    Field("edits", Many(_SAME), "As above."),
    *(replace(_REQUEST[name], about="") for name in _SHORT[1:]),
    is_open=True,
)
_ELSEWHERE = (*("target", "at", "new", "insert", "where", "act", "args", "occurrence", "old"), *OLD, *NEW)
PARAMETERS = Object.of(
    Field("path", Text(), "One file, from the workspace root; or the file of a patch that names none."),
    Field("edits", Many(_EDIT), "What to change in it, in order; or in every file of glob."),
    *(_REQUEST[name] for name in _SHORT[1:]),
    Field("files", Many(_FILE), "Several files in one call, instead of path."),
    Field("glob", Text(), "Make edits in every file of this glob that has their old text."),
    Field("expected_files", Number(least=1), "How many files glob must change."),
    Field("patch", Text(), "A unified diff, V4A, SEARCH/REPLACE blocks or a lazy snippet, instead of all that."),
    Field("dry_run", Flag(), "Show the diff; write nothing."),
    Field("partial", Flag(), "Apply what can be applied, even if some is refused."),
    Field("reason", Text(), "Why, for the whole call."),
    gone=tuple((name, 'it belongs in edits: [{"target": …, "new": …}]') for name in _ELSEWHERE),
)


def run(call: Call, fields: Fields) -> Result:
    """Edit; what of it was not applied is refused together, or reported as not applied where `partial` is asked for."""
    way, said = way_of(fields)
    is_dry = bool(said.get("dry_run"))
    if way == "patch":
        return tell(_patched(call, said, is_dry=is_dry), is_dry=is_dry)
    if way == "glob":
        return _over_glob(call, said, is_dry=is_dry)
    requests = requests_of(call, way, said)
    try:
        receipt = workspace_for(call, requests).apply(requests, preview=is_dry)
    except EditError as error:
        raise named_by_address(error, requests) from None
    return tell(receipt, is_dry=is_dry)


def _patched(call: Call, fields: Fields, *, is_dry: bool) -> Receipt:
    given = fields.get("path")
    own = None if given is None else call.path(str(given))

    def resolve(name: str) -> str:
        path = call.path(name) if name else own
        if own is not None and path is not None and not same_file(path, own):
            raise bad_request("path", f"it is {given}, but the patch names {name}", "leave out path, or correct it")
        return path or ""

    found = patch_from(call, str(fields["patch"])).mapped(resolve)
    policy = replace(call.workspace.policy, partial=True) if fields.get("partial") else None
    reason, overwrite = reason_of(fields), call.settings.overwrite
    return apply_patch(call, found, reason=reason, overwrite=overwrite, policy=policy, preview=is_dry)


def _over_glob(call: Call, fields: Fields, *, is_dry: bool) -> Result:
    """The same edits in every file of a glob, and how to be sure of them."""
    if "edits" not in fields:
        raise bad_request("edits", "the field is missing", "give the edits that every file of 'glob' gets")
    expected = cast("int | None", fields.get("expected_files"))
    found = spread(call, str(fields["glob"]), edits_of(fields["edits"]), expected)
    requests = Requests(found.files, reason_of(fields), bool(fields.get("partial")))
    bound = replace(call, workspace=host_of(call.workspace).bound(policy=literally(call.workspace.policy)))
    try:
        receipt = workspace_for(bound, requests).apply(requests, preview=is_dry)
    except EditError as error:
        if error.kind is not Kind.AMBIGUOUS_MATCH:
            raise named_by_address(error, requests) from None
        raise error.advised('set occurrence to "all" to change every place, or edit this file alone') from None
    numbered = tell(receipt, is_dry=is_dry)
    numbered |= {"filesChanged": len(found.files), "filesPassedOver": found.passed_over}
    if found.unread:
        numbered["filesNotRead"] = found.unread
    if is_dry:
        numbered["note"] = f"to apply it, send it without dry_run and with expected_files {len(found.files)}"
    elif expected is None:
        numbered["note"] = "use dry_run first, then expected_files, so that no other file changes"
    return numbered


def _refused(error: EditError, phrases: Phrases) -> Result:
    """The refusal in the fields of an edit; what refuses a patch speaks of its lines."""
    return failure(error, phrases if "reply_lines" in error.details else {**phrases, **in_fields("target", "new")})


_EDIT_TOOL = Tool(
    name="edit",
    title="Edit files",
    summary=(
        "Change files: replace, insert or delete text, act on structure, create, delete and rename files; or apply a "
        "patch. All or nothing, unless partial. Old text must match one place, or set occurrence; quote only enough to "
        "be unique. A refusal changes nothing and says what to send instead."
    ),
    parameters=PARAMETERS,
    result=CHANGES,
    examples=EXAMPLES,
    run=run,
    trust="destructive",
    verbs=frozenset({"edit", "create", "delete", "rename", "mode", "write"}),
    rank=50,
    refused=_refused,
)

TOOLS = (_EDIT_TOOL,)
