"""`edit`: any number of edits in any number of files, by old text, by address or as a patch; all of it or nothing."""

from __future__ import annotations

from typing import cast

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Phrases
from steadyhand.lazy import replace
from steadyhand.plan.edit import edit_shape
from steadyhand.plan.request import Requests, request_shape
from steadyhand.schema import NEW, OLD, Field, Flag, Many, Number, Object, Text, bad_request
from steadyhand.session.receipt import Receipt
from steadyhand.tools.call import Call
from steadyhand.tools.core.asking import counts_lines, edits_of, named_by_address, requests_of, way_of
from steadyhand.tools.core.examples import EXAMPLES
from steadyhand.tools.core.spreading import literally, spread
from steadyhand.tools.core.told import CHANGES, tell
from steadyhand.tools.fields import reason_of
from steadyhand.tools.patching import apply_patch, patch_from
from steadyhand.tools.paths import same_file
from steadyhand.tools.phrases import in_fields
from steadyhand.tools.result import failure
from steadyhand.tools.tool import Fields, Result, Tool

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
_FILE = Object(
    (
        replace(_REQUEST["path"], about=""),
        Field("edits", Many(_SAME), "As above."),
        *(replace(_REQUEST[name], about="") for name in _SHORT[1:]),
    ),
    is_open=True,
)
_ELSEWHERE = (*("target", "at", "new", "insert", "where", "act", "args", "occurrence", "old"), *OLD, *NEW)
PARAMETERS = Object(
    (
        Field("path", Text(), "One file, from the workspace root; or the file of a patch that names none."),
        Field("edits", Many(_EDIT), "What to change in it, in order; or in every file of glob."),
        *(_REQUEST[name] for name in _SHORT[1:]),
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
    """Edit; what of it was not applied is refused together, or reported as not applied where `partial` is asked for."""
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
    bound = replace(call, workspace=call.workspace.bound(policy=literally(call.workspace.policy)))
    told = tell(_everywhere(bound, requests, is_dry=is_dry), is_dry=is_dry)
    told |= {"filesChanged": len(found.files), "filesPassedOver": found.passed_over}
    if found.unread:
        told["filesNotRead"] = found.unread
    if is_dry:
        told["note"] = f"to apply it, send it without dry_run and with expected_files {len(found.files)}"
    elif expected is None:
        told["note"] = "use dry_run first, then expected_files, so that no other file changes"
    return told


def _everywhere(call: Call, requests: Requests, *, is_dry: bool) -> Receipt:
    try:
        return _applied(call, requests, is_dry=is_dry)
    except EditError as error:
        if error.kind is not Kind.AMBIGUOUS_MATCH:
            raise
        hint = 'set occurrence to "all" to change every place, or edit this file alone'
        raise error.advised(hint) from None


def _refused(error: EditError, phrases: Phrases) -> Result:
    """The refusal in the fields of an edit; what refuses a patch speaks of its lines."""
    return failure(error, phrases if "reply_lines" in error.details else {**phrases, **in_fields("target", "new")})


TOOL = Tool(
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
