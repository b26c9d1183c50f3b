"""`edit`: any number of edits in any number of files, by old text, by address or as a patch; all of it or nothing.

A field that says nothing, such as `delete: false`, is dropped.
An answer says little: file by file, edit by edit where there is something to say. Of one file the facts are
also on top, where every other toolset has them.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Phrases
from steadyhand.lazy import dataclass, replace
from steadyhand.match.tier import STRICT, step_names
from steadyhand.plan.edit import Edit, Old, edit_shape
from steadyhand.plan.planner import Outcome
from steadyhand.plan.policy import Policy
from steadyhand.plan.request import (
    EditFile,
    FileRequest,
    Requests,
    edits_from_json,
    request_from_json,
    request_shape,
    requests_from_json,
)
from steadyhand.schema import Either, Field, Flag, Many, Number, Object, Text, bad_request, join
from steadyhand.session.receipt import FileReceipt, Receipt
from steadyhand.structure.lines import Anchor, Lines
from steadyhand.structure.outline import locate
from steadyhand.structure.target import parse_address, target_keys
from steadyhand.text.lines import to_lf
from steadyhand.text.source import Source
from steadyhand.text.visible import clip_diff
from steadyhand.tools.file_tools import apply_patch, patch_from
from steadyhand.tools.file_views import listing_of, read_glob
from steadyhand.tools.result import CHANGED, confirmation, failure, is_literal, success
from steadyhand.tools.tool import Call, Example, Fields, Result, Tool, reason_of, same_file
from steadyhand.tools.toolsets import in_fields, toolset_named
from steadyhand.workspace.files.protection import classify

if TYPE_CHECKING:
    from steadyhand.session.workspace import Workspace

_VERBS = ("edits", "create", "delete", "rename_to")
_BESIDE = ("expect", "create", "delete", "rename_to")  # what is said of a file besides its edits
_FILE_FIELDS = ("path", "edits", *_BESIDE)
# The ways to say what changes, by the field that makes each, and the fields that go with it.
_WAYS: Mapping[str, tuple[str, ...]] = {
    "files": (),
    "patch": ("path",),
    "glob": ("edits", "expected_files"),
    "path": _FILE_FIELDS[1:],
}
_EVERYWHERE = ("reason", "dry_run", "partial")
_BLANK = ("path", "glob", "patch", "expect", "rename_to", "act")  # where an empty string says nothing


def way_of(fields: Fields) -> tuple[str, Fields]:
    """How a call says what changes, and its fields that say something. Refuses with `bad-request` what mixes ways."""
    said = _said(fields)
    way = next((way for way in _WAYS if way in said), None)
    if way is None:
        raise bad_request("", "it does not say what to change", f"give one of {', '.join(_WAYS)}")
    for name in said:
        if name != way and name not in _WAYS[way] and name not in _EVERYWHERE:
            raise bad_request(name, f"it cannot be combined with {way!r}", _instead(name, way))
    return way, said


def _instead(name: str, way: str) -> str:
    if way == "files" and name in _FILE_FIELDS:
        return f"give {name!r} in an item of 'files'"
    if name in _WAYS:
        return f"send {way!r} and {name!r} in calls of their own"
    return f"with {way!r} go {', '.join((*_WAYS[way], *_EVERYWHERE))}"


def _said(fields: Fields) -> dict[str, object]:
    """The fields that say something."""

    def is_said(name: str, value: object) -> bool:
        return not (value == [] or (value == "" and name in _BLANK) or (value is False and name == "delete"))

    return {name: value for name, value in fields.items() if is_said(name, value)}


def requests_of(call: Call, way: str, fields: Fields) -> Requests:
    """The requests of a call that names its files."""
    reason, is_partial = cast("str | None", fields.get("reason")), bool(fields.get("partial"))
    if way == "path":
        if fields.keys().isdisjoint(_VERBS):
            raise bad_request("path", "it does not say what to do with the file", f"give one of {', '.join(_VERBS)}")
        only = _resolved(call, {name: fields[name] for name in _FILE_FIELDS if name in fields})
        return Requests((request_from_json(only),), reason, is_partial)
    given = cast("Sequence[Fields]", fields["files"])
    files = [_resolved(call, _said(file), f"files[{index}]") for index, file in enumerate(given)]
    requests = requests_from_json({"files": files}).files
    _check_numbers(requests)
    return Requests(requests, reason, is_partial)


def _check_numbers(requests: Sequence[FileRequest]) -> None:
    """Refuse lines of a file that an entry before has changed: they may be meant as read, or as they are then."""
    first: dict[str, int] = {}
    for index, request in enumerate(requests):
        if isinstance(request, EditFile):
            earlier = first.setdefault(posixpath.normpath(request.path), index)
            if earlier != index and any(map(_is_by_number, request.edits)):
                what = f"it uses line numbers of {request.path}, which files[{earlier}] changes first"
                raise bad_request(f"files[{index}]", what, "put all edits of one file into one entry")


def _resolved(call: Call, said: dict[str, object], place: str = "") -> dict[str, object]:
    """One file with its paths resolved, its edits in their one JSON form; a reason of it is that of its edits."""
    for name in ("path", "rename_to", "copy_to"):
        if isinstance(spelled := said.get(name), str):
            said[name] = call.path(spelled)
    there = said.get("to")
    if isinstance(there, Mapping) and isinstance(there.get("path"), str):
        said["to"] = {**there, "path": call.path(there["path"])}
    reason = said.pop("reason", None)
    if "edits" in said:
        edits = _edits(said["edits"], f"{place}.edits" if place else "edits")
        said["edits"] = edits if reason is None else [{"reason": reason, **edit} for edit in edits]
    elif reason is not None:
        raise bad_request(join(place, "reason"), "only edits have their own reason", "send it next to 'files'")
    return said


def _edits(items: object, place: str) -> list[dict[str, object]]:
    return [_edit(item, f"{place}[{index}]") for index, item in enumerate(cast("Sequence[Fields]", items))]


def _edit(item: Fields, place: str) -> dict[str, object]:
    """One edit; an address that is beside its text instead of in `target` is put there."""
    said = _said(item)
    if "at" in said:
        if "target" in said:
            raise bad_request(f"{place}.at", "'at' and 'target' are both sent", "send one of them, as 'target'")
        said["target"] = {"at": said.pop("at")}
    if isinstance(said.get("target"), Mapping):
        _check_target(cast("Fields", said["target"]), f"{place}.target")
    return said


def _check_target(target: Fields, place: str) -> None:
    """Refuse a target that says beside its kind what belongs into it, with the address that says it all."""
    kinds = [name for name in target if name in target_keys()]
    value = target[kinds[0]] if len(kinds) == 1 else None
    part, nth = target.get("part"), target.get("nth")
    if isinstance(value, str) and (part is not None or nth is not None or kinds == ["lines"]):
        address = f"{kinds[0]}{'' if part is None else f'.{part}'}{'' if nth is None else f'[{nth}]'}:{value}"
        raise bad_request(place, "it is not a target", f"send {json.dumps({'at': address[:200]})}")


def workspace_for(call: Call, requests: Requests) -> Workspace:
    """The workspace for a call. Several edits that say their place by number mean the file as it was read."""
    for request in requests.files:
        if isinstance(request, EditFile) and len(request.edits) > 1 and any(map(_is_by_number, request.edits)):
            return call.host.bound(policy=replace(call.workspace.policy, batch="snapshot"))
    return call.workspace


def _is_by_number(edit: Edit) -> bool:
    return isinstance(edit.target, Lines | Anchor)


def named_by_address(error: EditError, requests: Requests) -> EditError:
    """The refusal of an old text that reads like an address, with how to send it as one."""
    if error.kind is not Kind.NO_MATCH:
        return error
    path, index = error.details.get("path"), error.details.get("index")
    for request in requests.files:
        if isinstance(request, EditFile) and request.path == path and isinstance(index, int):
            address = _as_address(request.edits[index] if index < len(request.edits) else None)
            if address is not None:
                hint = f"a plain string is old text; to use the address, send target {json.dumps({'at': address})}"
                return error.advised(hint)
    return error


def _as_address(edit: Edit | None) -> str | None:
    """The old text of an edit, where it would be an address."""
    if edit is None or not isinstance(edit.target, Old):
        return None
    text = edit.target.text.strip()
    if "\n" in text or not text.startswith(target_keys()):
        return None
    try:
        parse_address(text)
    except EditError:
        return None
    return text


# The same edits over every file of a glob: which files they are for, and which of the edits in each.
#
# A file is meant where it holds an old text exactly, or an address leads somewhere; the others are passed over. What
# is not surely all of what was meant is refused: a walk that was cut short, an edit that fits nowhere, another count.

_MOST_LOOKED_AT = 5_000
_MOST_CHANGED = 500
_MOST_CHARACTERS = 256 * 1024 * 1024
_NAMED = 20
_UNREADABLE = (Kind.NOT_TEXT, Kind.TOO_LARGE, Kind.PROTECTED_PATH, Kind.NOT_ALLOWED, Kind.NO_SUCH_FILE)
_NOWHERE = (Kind.NO_SUCH_TARGET, Kind.UNPARSABLE, Kind.OUT_OF_BOUNDS, Kind.STALE_SOURCE, Kind.BAD_REQUEST)


@dataclass(frozen=True, slots=True)
class Spread:
    """The files that edits are for, how many others were looked at, and how many could not be."""

    files: tuple[EditFile, ...]
    passed_over: int
    unread: int


def spread(call: Call, glob: str, edits: Sequence[Edit], expected: int | None) -> Spread:
    """Where the edits go. Refuses with `no-such-file`, `no-match`, `count-mismatch` or `too-large`."""
    names = _named(call, glob)
    files: list[EditFile] = []
    unread = size = 0
    unused = set(range(len(edits)))
    for name in names:
        source = _source(call, name)
        if source is None:
            unread += 1
            continue
        size += len(source.text)
        if size > _MOST_CHARACTERS:
            raise _too_much(glob, f"{_MOST_CHARACTERS} characters were read before {name}")
        fitting = [index for index, edit in enumerate(edits) if _fits(edit, source)]
        unused -= set(fitting)
        if fitting:
            files.append(EditFile(name, tuple(edits[index] for index in fitting)))
    if unused:
        index = min(unused)
        raise EditError(
            Kind.NO_MATCH,
            f"edits[{index}]: its target is in none of the {len(names)} files that {glob!r} means",
            hint="over a glob old text must match exactly; find it with search, or leave the edit out",
            details={"index": index, "glob": glob, "files": len(names)},
        )
    _check_count(files, expected, glob)
    return Spread(tuple(files), len(names) - len(files) - unread, unread)


def literally(policy: Policy) -> Policy:
    """A policy under which old text must be there as it was sent: over many files nobody looks at each."""
    steps = step_names()
    if policy.tier is not None and steps.index(policy.tier) < steps.index(STRICT[-1]):
        return policy
    return replace(policy, tier=STRICT[-1])


def _named(call: Call, glob: str) -> list[str]:
    listing = listing_of(call, None, glob)
    meant = read_glob(glob)
    names = [name for name in listing.files if meant.match(name)]
    if listing.stopped is not None or len(names) > _MOST_LOOKED_AT:
        raise _too_much(glob, listing.stopped or f"{len(names)} files match it")
    if not names:
        raise EditError(
            Kind.NO_SUCH_FILE,
            f"no file matches {glob!r}; what .gitignore names is left out",
            hint="look with list, or name the files in 'files'",
            details={"glob": glob},
        )
    return names


def _too_much(glob: str, why: str) -> EditError:
    return EditError(Kind.TOO_LARGE, f"glob {glob!r} means too much at once: {why}", hint="send a narrower glob")


def _source(call: Call, name: str) -> Source | None:
    """A file's text; None where it may or can not be read, and for secrets."""
    call.host.tick()
    if classify(name).secret:
        return None
    try:
        return call.host.source(call.path(name))
    except EditError as error:
        if error.kind not in _UNREADABLE:
            raise
        return None


def _fits(edit: Edit, source: Source) -> bool:
    if isinstance(edit.target, Old):
        return edit.target.text in source.text or to_lf(edit.target.text) in to_lf(source.text)
    try:
        locate(source, edit.target, which="all")
    except EditError as error:
        if error.kind not in _NOWHERE:
            raise
        return False
    return True


def _check_count(files: Sequence[EditFile], expected: int | None, glob: str) -> None:
    named = [file.path for file in files[:_NAMED]]
    if len(files) > _MOST_CHANGED:
        raise EditError(
            Kind.TOO_LARGE,
            f"{len(files)} files would change, more than the limit of {_MOST_CHANGED} per call",
            hint="send several narrower globs",
            details={"files": named, "limit": _MOST_CHANGED},
        )
    if expected is not None and len(files) != expected:
        raise EditError(
            Kind.COUNT_MISMATCH,
            f"{len(files)} file{'' if len(files) == 1 else 's'} of {glob!r} would change, not {expected}",
            hint=f"set expected_files to {len(files)} to change these",
            details={"files": named, "expected": expected, "actual": len(files)},
        )


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
    says_more = len(named) < len(outcomes) or not receipt.ok or any(map(_is_notable, outcomes))
    if says_more:  # than the files do
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
_REQUEST = {field.name: field for field in request_shape().fields}
_FILE = Object.of(
    replace(_REQUEST["path"], about=""),
    Field("edits", Many(_SAME), "As above."),
    *(replace(_REQUEST[name], about="") for name in _BESIDE),
    is_open=True,
)
_INSIDE = [field for field in _EDIT.fields if field.name not in _REQUEST and field.name != "reason"]
_ELSEWHERE = ("at", *(name for field in _INSIDE for name in (field.name, *field.also)))
PARAMETERS = Object.of(
    Field("path", Text(), "One file, from the workspace root; or the file of a patch that names none."),
    Field("edits", Many(_EDIT), "What to change in it, in order; or in every file of glob."),
    *(_REQUEST[name] for name in _BESIDE),
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
    found = spread(call, str(fields["glob"]), edits_from_json(_edits(fields["edits"], "edits")), expected)
    requests = Requests(found.files, reason_of(fields), bool(fields.get("partial")))
    bound = replace(call, workspace=call.host.bound(policy=literally(call.workspace.policy)))
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
