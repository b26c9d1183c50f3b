"""What a call of `edit` asks for, as requests: files and edits, or the same edits in every file of a glob.

A field that says nothing, such as `delete: false`, is dropped. Of a glob, a file is meant where it holds an old text
exactly, or an address leads somewhere; what is not surely all of what was meant is refused: a walk that was cut short,
an edit that fits nowhere, another count.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, replace
from steadyhand.match.tier import STRICT, step_names
from steadyhand.plan.edit import Edit, Old
from steadyhand.plan.policy import Policy
from steadyhand.plan.request import (
    EditFile,
    FileRequest,
    Requests,
    edits_from_json,
    request_from_json,
    requests_from_json,
)
from steadyhand.schema import bad_request, join
from steadyhand.session.host import host_of
from steadyhand.structure.lines import Anchor, Lines
from steadyhand.structure.outline import locate
from steadyhand.structure.target import parse_address, target_keys
from steadyhand.text.lines import to_lf
from steadyhand.text.source import Source
from steadyhand.tools.file_views import listing_of, read_glob
from steadyhand.tools.tool import Call, Fields
from steadyhand.workspace.files.protection import classify

if TYPE_CHECKING:
    from steadyhand.session.workspace import Workspace


_VERBS = ("edits", "create", "delete", "rename_to")
_FILE_FIELDS = ("path", *_VERBS, "expect")
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
    for way in _WAYS:
        if way in said:
            break
    else:
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
    return {
        name: value
        for name, value in fields.items()
        if not (value == [] or (value == "" and name in _BLANK) or (value is False and name == "delete"))
    }


def requests_of(call: Call, way: str, fields: Fields) -> Requests:
    """The requests of a call that names its files."""
    reason, is_partial = cast("str | None", fields.get("reason")), bool(fields.get("partial"))
    if way == "path":
        if fields.keys().isdisjoint(_VERBS):
            raise bad_request("path", "it does not say what to do with the file", f"give one of {', '.join(_VERBS)}")
        only = _file(call, {name: fields[name] for name in _FILE_FIELDS if name in fields})
        return Requests((request_from_json(only),), reason, is_partial)
    given = cast("Sequence[Fields]", fields["files"])
    files = [_file(call, _said(file), f"files[{index}]") for index, file in enumerate(given)]
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


def edits_of(items: object) -> tuple[Edit, ...]:
    """Edits without a file."""
    return edits_from_json(_edits(items, "edits"))


def _file(call: Call, said: dict[str, object], place: str = "") -> dict[str, object]:
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
            return host_of(call.workspace).bound(policy=replace(call.workspace.policy, batch="snapshot"))
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


# The same edits over every file that a glob means: which files they are for, and which of the edits in each.
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
    host_of(call.workspace).tick()
    if classify(name).secret:
        return None
    try:
        return host_of(call.workspace).source(call.path(name))
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
