"""The front door for what models write: a reply in any dialect read as a patch, or applied to one text. Pure.

`patch` never raises for a bad reply: the result says what is wrong with it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from typing import TypeVar

from steadyhand.dialects.patch import Patch, Place, paths_of
from steadyhand.dialects.stream import MAX_REPLY, PatchStream, asked_dialects
from steadyhand.errors import EditError, Kind
from steadyhand.hints import NameFile, Say
from steadyhand.lazy import replace
from steadyhand.plan.edit import Edit
from steadyhand.plan.planner import Plan, plan
from steadyhand.plan.policy import Policy
from steadyhand.plan.preview import Result, plan_write, refused_result, result_of, source_of
from steadyhand.plan.request import CreateFile, DeleteFile, EditFile, FileRequest, MergeFile, WriteFile
from steadyhand.plan.snippet import plan_merge
from steadyhand.schema import bad_request
from steadyhand.text.source import Source

__all__ = ["at_reply", "patch", "read_patch"]

Text = TypeVar("Text", str, bytes)


def read_patch(reply: str, *, format: str = "auto", strict: bool = False) -> Patch:
    """A whole reply as a patch. Refuses with `malformed-patch`, where `strict` also for anything around the patch.

    >>> read_patch("--- a/x\\n+++ b/x\\n@@ -1 +1 @@\\n-a\\n+b\\n").format
    'unified'
    """
    if not isinstance(reply, str):
        raise bad_request("patch", "a text is expected")
    found = _read_clean(reply, format)
    if found is None:
        stream = PatchStream(format=format)
        stream.feed(reply)
        found = stream.close()
    return found.strictly() if strict else found


def _read_clean(reply: str, format: str) -> Patch | None:
    """The patch that a reply is from its first line to its last; every other is read line by line."""
    for dialect in asked_dialects(format) if len(reply) <= MAX_REPLY else ():
        pieces = None if dialect.read_clean is None else dialect.read_clean(reply)
        if pieces is not None:
            return Patch.of(dialect, pieces, ())
    return None


def patch(
    text: Text,
    reply: str,
    *,
    path: str | None = None,
    format: str = "auto",
    policy: Policy | None = None,
    encoding: str | None = None,
    strict: bool = False,
) -> Result[Text]:
    """Apply a reply to one text. Of a reply for several files, only what it has for `path` is applied.

    >>> patch("a\\n", "<<<<<<< SEARCH\\na\\n=======\\nb\\n>>>>>>> REPLACE\\n").text
    'b\\n'
    """
    source = Source.of_text("", path=path)
    try:
        source = source_of(text, path, policy, encoding)
        found = read_patch(reply, format=format, strict=strict)
        made, remarks = _make(source, found, policy, path)
    except EditError as error:
        return refused_result(text, source, error)
    return replace(result_of(text, source, made), format=found.format, remarks=remarks)


def _make(source: Source, found: Patch, policy: Policy | None, path: str | None) -> tuple[Plan, tuple[str, ...]]:
    if path is not None and not isinstance(path, str):
        raise bad_request("path", "a path is expected, as a text")
    files = _for_path(found, path)
    made, remarks = _plan(source, files, policy or Policy(), path or paths_of(files)[0] or None)
    return _placed(made, found, files), (*found.remarks, *remarks)


def _placed(made: Plan, found: Patch, files: Sequence[FileRequest]) -> Plan:
    """The plan, each refused edit with where it is in the reply."""
    places = dict(zip(map(id, found.files), found.places, strict=True))
    every = [place for request in files if isinstance(request, EditFile) for place in places[id(request)]]
    if all(outcome.error is None for outcome in made.outcomes) or len(every) < len(made.outcomes):
        return made
    placed = (
        outcome if outcome.error is None else replace(outcome, error=at_reply(outcome.error, every[outcome.index]))
        for outcome in made.outcomes
    )
    return replace(made, outcomes=tuple(placed))


def at_reply(error: EditError, place: Place | None) -> EditError:
    """A refusal with the lines of the reply it is about."""
    return error if place is None else error.with_details(reply_lines=list(place))


def _for_path(found: Patch, path: str | None) -> list[FileRequest]:
    """The requests for one file: the one named so, else the only one there is, if its name ends the same."""
    exact = [one.path for one in found.files if path is not None and _plain(path) in map(_plain, paths_of([one]))]
    alike = [one.path for one in found.files if path is None or _may_be(one.path, path)]
    chosen = _about(found.files, (exact or alike)[0]) if exact or alike else []
    if not chosen or (len(chosen) < len(found.files) and not exact):
        raise _other_files(paths_of(found.files), path)
    return chosen


def _about(files: Sequence[FileRequest], name: str) -> list[FileRequest]:
    """The requests for one file, also under the names that it is given on the way."""
    names, chosen = {name}, []
    for request in files:
        if request.path in names:
            chosen.append(request)
            names.update(paths_of([request]))
    return chosen


def _plain(name: str) -> str:
    return posixpath.normpath(name.replace("\\", "/")).lstrip("/") if name else name


def _may_be(name: str, path: str) -> bool:
    """Whether a reply that names a file so may mean this one: no name, or the same file name at the end, dot or not."""
    one, two = (posixpath.basename(_plain(given)).lstrip(".") for given in (name, path))
    return not name or one == two


def _other_files(names: Sequence[str], path: str | None) -> EditError:
    listed = ", ".join(name for name in names if name)
    asked = "this text has no name" if path is None else f"this text is {path}"
    return EditError(
        Kind.BAD_REQUEST,
        f"the patch is for {listed}, and {asked}",
        hint=(NameFile(), Say("apply the patch to a workspace")),
        details={"files": list(names), "path": path},
    )


def _plan(source: Source, files: Sequence[FileRequest], policy: Policy, path: str | None) -> tuple[Plan, list[str]]:
    """What the requests for one text make of it, and what of them is no matter of a text."""
    edits: list[Edit] = []
    remarks: list[str] = []
    whole: list[FileRequest] = []
    for request in files:
        match request:
            case EditFile():
                edits.extend(request.edits)
            case WriteFile() | MergeFile() | CreateFile() | DeleteFile():
                whole.append(request)
            case _:
                remarks.append(f"{request.path}: names and permissions are not part of a text and do not change")
    if not whole:
        if not edits:
            raise bad_request("patch", "it changes names or permissions only", "apply it to a workspace")
        return _as_shown(plan(source, edits, policy, path=path), files), remarks
    if len(whole) > 1 or (edits and not isinstance(whole[0], DeleteFile)):
        raise bad_request("patch", "it has several ways to write the whole text", "send one")
    if isinstance(whole[0], DeleteFile) and edits:
        return _emptied(plan(source, edits, policy, path=path), path), remarks
    return _plan_whole(source, whole[0], policy, path), remarks


def _as_shown(made: Plan, files: Sequence[FileRequest]) -> Plan:
    """The plan. Refuses one that does not give the whole text which the reply shows beside its edits."""
    for request in files if made.changes else ():
        if isinstance(request, EditFile):
            request.check_shown(made.after)
    return made


def _plan_whole(source: Source, request: FileRequest, policy: Policy, path: str | None) -> Plan:
    match request:
        case MergeFile() if source.text:
            return plan_merge(source, request.snippet, policy, path=path)
        case MergeFile():
            return plan_write(source, request.snippet, path=path, policy=policy)
        case CreateFile() if source.text:
            raise EditError(
                Kind.EXISTS_ALREADY,
                f"{path or 'the text'} already exists",
                hint="send an edit of the current text, or a whole file in a fence",
                details={"path": path},
            )
        case CreateFile() | WriteFile():
            return plan_write(source, request.content, path=path, policy=policy)
        case _:
            return plan_write(source, "", path=path, policy=replace(policy, guards=frozenset()))


def _emptied(made: Plan, path: str | None) -> Plan:
    """A deleted file is quoted whole: something left over means that another file was meant."""
    if not made.ok or not made.after.text:
        return made
    raise EditError(
        Kind.STALE_SOURCE,
        f"{path or 'the text'} has lines that the patch does not remove, so it is not deleted",
        hint="read it again and send a patch that removes all of it",
        details={"path": path, "lines": made.after.table.count},
    )
