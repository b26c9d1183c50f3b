"""`edit`: any number of edits in any number of files, by old text, by address or as a patch; all of it or nothing."""

from __future__ import annotations

from typing import cast

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import replace
from steadyhand.plan.request import Requests
from steadyhand.session.receipt import Receipt
from steadyhand.structure.fields import bad_request
from steadyhand.tools.call import Call
from steadyhand.tools.core.asking import counts_lines, edits_of, named_by_address, requests_of, way_of
from steadyhand.tools.core.examples import EXAMPLES
from steadyhand.tools.core.spreading import literally, spread
from steadyhand.tools.core.told import CHANGES, tell
from steadyhand.tools.fields import REASON, reason_of
from steadyhand.tools.patching import apply_patch, patch_from
from steadyhand.tools.paths import same_file
from steadyhand.tools.shape import HASH, NEW, OLD, Either, Field, Flag, Many, Number, Object, Text
from steadyhand.tools.tool import Fields, Result, Tool

_TARGET = (
    'The old text exactly as it stands, or {"at": ADDRESS}: lines:3-5 (lines:3-2 is the place before line 3), '
    "anchor:12#a3f, heading:Guide > Setup, symbol:Class.method, selector:#id, key:a.b[0], code_block:0, "
    "table:0[2,Name], front_matter:title, cell:3. With a part or a number: heading.body[2]:Notes, symbol.body:f."
)
_EDIT = Object(
    (
        Field(
            "target",
            Either((Text(), Object((Field("at", Text()),), is_open=True))),
            _TARGET,
            also=("old", *OLD),
        ),
        Field("new", Text(), "What stands there afterwards.", also=NEW),
        Field("insert", Text(), "Or: text to put beside or into the target.", also=("insert_text",)),
        Field("where", Text(("before", "after", "start", "end")), "Where insert goes (after)."),
        Field("delete", Flag(), "Or: true takes it away."),
        Field("act", Text(), "Or: an action such as set-key, add-key, set-attribute, add-class, set-cell, move."),
        Field("args", Object(is_open=True), 'Of act, such as {"value": 3}.'),
        Field("occurrence", Either((Number(least=-1), Text(("first", "last", "all")))), "Which, if not unique."),
        REASON,
    ),
    is_open=True,
    flags=(("replace_all", "occurrence", "all"),),
)
_SAME = replace(_EDIT, fields=tuple(replace(field, about="") for field in _EDIT.fields))
_FILE = Object(
    (
        Field("path", Text(), required=True),
        Field("edits", Many(_SAME), "As above."),
        Field("expect", Text(), also=HASH),
        Field("create", Text(), also=("content",)),
        Field("delete", Flag()),
        Field("rename_to", Text()),
    ),
    is_open=True,
)
_ELSEWHERE = (*("target", "at", "new", "insert", "where", "act", "args", "occurrence", "old"), *OLD, *NEW)
PARAMETERS = Object(
    (
        Field("path", Text(), "One file, from the workspace root; or the file of a patch that names none."),
        Field("edits", Many(_EDIT), "What to change in it, in order; or in every file of glob."),
        Field("expect", Text(), "fileHash of the version you mean.", also=HASH),
        Field("create", Text(), "Or: the content of a new file.", also=("content",)),
        Field("delete", Flag(), "Or: true takes the file away."),
        Field("rename_to", Text(), "Or: its new path."),
        Field("files", Many(_FILE), "Several files in one call, instead of path."),
        Field("glob", Text(), "Make edits in every file of this glob that has their old text."),
        Field("expected_files", Number(least=1), "How many files glob must change."),
        Field("patch", Text(), "A unified diff, V4A, SEARCH/REPLACE blocks or a lazy snippet, instead of all that."),
        Field("dry_run", Flag(), "Show the diff, write nothing."),
        Field("partial", Flag(), "Apply what can be applied where some is refused."),
        Field("reason", Text(), "Why, for the whole."),
    ),
    gone=tuple((name, 'it belongs in edits: [{"target": …, "new": …}]') for name in _ELSEWHERE),
)


def run(call: Call, fields: Fields) -> Result:
    """Edit; what of it was not applied is refused together, or told as not applied where `partial` is asked for."""
    way, said = way_of(fields)
    is_dry = bool(said.get("dry_run"))
    if way == "patch":
        return tell(_patched(call, said, is_dry=is_dry), is_dry=is_dry)
    if way == "glob":
        return _over_glob(call, said, is_dry=is_dry)
    return tell(_applied(call, requests_of(call, way, said), is_dry=is_dry), is_dry=is_dry)


def _applied(call: Call, requests: Requests, *, is_dry: bool) -> Receipt:
    workspace = call.workspace
    if any(map(counts_lines, requests.files)):
        workspace = workspace.bound(policy=replace(workspace.policy, batch="snapshot"))
    try:
        return workspace.apply(requests, preview=is_dry)
    except EditError as error:
        raise named_by_address(error, requests) from None


def _patched(call: Call, fields: Fields, *, is_dry: bool) -> Receipt:
    given = fields.get("path")
    own = None if given is None else call.path(str(given))

    def resolve(name: str) -> str:
        path = call.path(name) if name else own
        if own is not None and path is not None and not same_file(path, own):
            raise bad_request("path", f"it says {given}, and the patch names {name}", "leave path out, or correct it")
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
    bound = replace(call, workspace=call.workspace.bound(policy=literally(call.workspace.policy)))
    told = tell(_everywhere(bound, requests, is_dry=is_dry), is_dry=is_dry)
    told |= {"filesChanged": len(found.files), "filesPassedOver": found.passed_over}
    if found.unread:
        told["filesNotRead"] = found.unread
    if is_dry:
        told["note"] = f"to make it so, send it without dry_run and with expected_files {len(found.files)}"
    elif expected is None:
        told["note"] = "dry_run first, then expected_files, makes sure that no other files change"
    return told


def _everywhere(call: Call, requests: Requests, *, is_dry: bool) -> Receipt:
    try:
        return _applied(call, requests, is_dry=is_dry)
    except EditError as error:
        if error.kind is not Kind.AMBIGUOUS_MATCH:
            raise
        hint = 'send occurrence "all" to change every place in every file, or edit this file by itself'
        raise error.advised(hint) from None


TOOL = Tool(
    name="edit",
    title="Edit files",
    summary=(
        "Change files: replace, insert or delete text, act on structure, create, delete and rename files; or apply a "
        "patch. All of it or nothing, unless partial. Old text must stand once, or occurrence say which; send no more "
        "of it than makes it unique. A refusal changes nothing and says what to send instead."
    ),
    parameters=PARAMETERS,
    result=CHANGES,
    examples=EXAMPLES,
    run=run,
    trust="destructive",
    verbs=frozenset({"edit", "create", "delete", "rename", "mode", "write"}),
    rank=50,
)
