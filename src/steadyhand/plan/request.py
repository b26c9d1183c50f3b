"""What may be asked of one file, and of several at once: requests as data, and their JSON form.

The form of `apply`::

    {"files": [{"path": …, "edits": [ … ], "expect"?: …},
               {"path": …, "write": "text", "expect"?: …, "allow_shrink"?: true},
               {"path": …, "create": "text", "mode"?: "0755"},
               {"path": …, "delete": true, "expect"?: …},
               {"path": …, "rename_to": …, "expect"?: …},
               {"path": …, "copy_to": …},
               {"path": …, "merge": "snippet", "expect"?: …},
               {"path": …, "move": {target}, "to": {"path": …, "target"?: {…}, "where"?: …}, "expect"?: …},
               {"path": …, "mode": "0644"}],
     "reason"?: …, "partial"?: true}

Paths are strings here; whether they may be used is the sandbox's matter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import cast

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.plan.edit import (
    EDIT_VERBS,
    MAX_EDITS,
    WHERES,
    Act,
    Edit,
    Insert,
    Old,
    Place,
    check_where,
    edit_from_json,
    edit_shape,
    edit_to_json,
    place_to_json,
)
from steadyhand.schema import (
    HASH,
    MAX_NESTING,
    Field,
    Flag,
    Many,
    Object,
    Schema,
    Text,
    bad_request,
    check_list,
    check_text,
    join,
    plain_schema,
    read_flag,
    read_object,
    read_optional_text,
    read_text,
)
from steadyhand.structure.format import format_of
from steadyhand.structure.lines import Lines
from steadyhand.structure.node import Refusal, Where
from steadyhand.structure.target import Addressed, Target, parse_address, target_from_json
from steadyhand.text.lines import line_ending, split_lines
from steadyhand.text.source import Source
from steadyhand.text.visible import sized

_EXPECT = lazy_pattern(r"[0-9a-fA-F]{16,64}", re.ASCII)
_MODE = lazy_pattern(r"(?:0o?)?([0-7]{3,4})", re.ASCII)


@dataclass(frozen=True, slots=True)
class EditFile:
    """Edit the text of a file that exists. `expect`: at least 16 hex digits of the digest it must have.

    `shown` is the whole file as a reply shows it beside the edits, which must give it; no part of the JSON form.
    """

    path: str
    edits: tuple[Edit, ...]
    expect: str | None = None
    shown: str | None = None

    def check_shown(self, after: Source, *, is_secret: bool = False) -> None:
        """Refuse edits that do not give what is shown beside them, line endings and blank lines at the end aside."""
        if self.shown is None:
            return
        made, shown = (text.replace("\r\n", "\n").rstrip("\n").split("\n") for text in (after.text, self.shown))
        if made == shown:
            return
        line = next((at for at, pair in enumerate(zip(made, shown, strict=False), 1) if pair[0] != pair[1]), None)
        line = min(len(made), len(shown)) + 1 if line is None else line
        raise EditError(
            Kind.MALFORMED_PATCH,
            f"the reply has edits of {self.path} and the whole file, and they differ in line {line}"
            + ("" if is_secret else f": {_row(made, line)} by the edits, {_row(shown, line)} in the whole file"),
            hint="send the edits alone, or the whole file alone",
            details={"path": self.path, "line_of_file": line},
        )


@sized("content")
@dataclass(frozen=True, slots=True)
class WriteFile:
    """Replace a file's whole text, or create it."""

    path: str
    content: str
    expect: str | None = None
    allow_shrink: bool = False


@sized("content")
@dataclass(frozen=True, slots=True)
class CreateFile:
    """Make a file that does not exist yet. `mode` holds permission bits, such as 0o755."""

    path: str
    content: str
    mode: int | None = None


@dataclass(frozen=True, slots=True)
class DeleteFile:
    """Take a file away."""

    path: str
    expect: str | None = None


@dataclass(frozen=True, slots=True)
class RenameFile:
    """Move a file to another path, which must be free."""

    path: str
    to: str
    expect: str | None = None


@dataclass(frozen=True, slots=True)
class CopyFile:
    """Make a copy of a file under a path that is free, with its permission bits."""

    path: str
    to: str


@sized("snippet")
@dataclass(frozen=True, slots=True)
class MergeFile:
    """Merge a snippet into an existing file: lines as they should be, with marks where others stay.

    Without any mark the snippet is the whole file, or a stretch of it that begins and ends with lines of the file.
    """

    path: str
    snippet: str
    expect: str | None = None


@dataclass(frozen=True, slots=True)
class MoveText:
    """Move a part of a file to a place in another file, or in the same one, as it is written.

    Without a `place` it goes to the end of the other file, or to its start; that file is made if it is not there.
    """

    path: str
    target: Target
    to: str
    place: Target | None = None
    where: Where = "end"
    expect: str | None = None


@dataclass(frozen=True, slots=True)
class ChangeMode:
    """Set a file's permission bits."""

    path: str
    mode: int


FileRequest = EditFile | WriteFile | MergeFile | MoveText | CreateFile | CopyFile | DeleteFile | RenameFile | ChangeMode


@dataclass(frozen=True, slots=True)
class Requests:
    """Several requests that go through together, or not at all unless `partial`."""

    files: tuple[FileRequest, ...]
    reason: str | None = None
    partial: bool = False

    def to_json(self) -> dict[str, object]:
        data: dict[str, object] = {"files": [request_to_json(request) for request in self.files]}
        if self.reason is not None:
            data["reason"] = self.reason
        return data | ({"partial": True} if self.partial else {})


def requests_from_json(value: object) -> Requests:
    """The requests of one `apply`. Refuses with `bad-request`, or `too-large` beyond the limits.

    >>> requests_from_json({"files": [{"path": "a", "delete": True}]}).files
    (DeleteFile(path='a', expect=None),)
    """
    _check_nesting(value)
    fields = read_object(value, "", ("files", "reason", "partial"))
    if "files" not in fields:
        raise bad_request("files", "the field is missing", 'give {"files": [{"path": …, "edits": […]}]}')
    items = check_list(fields["files"], "files")
    if not items:
        raise bad_request("files", "the array is empty", "name at least one file")
    _check_count(items)
    files = tuple(request_from_json(item, f"files[{index}]") for index, item in enumerate(items))
    return Requests(files, read_optional_text(fields, "reason", ""), read_flag(fields, "partial", ""))


def _row(rows: list[str], line: int) -> str:
    return repr(rows[line - 1][:80]) if line <= len(rows) else "missing"


_ADDRESS = Object((Field("at", Text()),), is_open=True)
_DESTINATION = Object((Field("path", Text()), Field("target", _ADDRESS), Field("where", Text(WHERES))))

# What may be asked of a file, each with the fields that go with it.
REQUEST_VERBS: dict[str, tuple[str, ...]] = {
    "edits": ("path", "edits", "expect"),
    "write": ("path", "write", "expect", "allow_shrink"),
    "create": ("path", "create", "mode"),
    "delete": ("path", "delete", "expect"),
    "rename_to": ("path", "rename_to", "expect"),
    "copy_to": ("path", "copy_to"),
    "merge": ("path", "merge", "expect"),
    "move": ("path", "move", "to", "expect"),
    "mode": ("path", "mode"),
}


@cache
def request_shape() -> Object:
    """The one declaration of what may be asked of a file; `REQUEST_VERBS` says which fields go together."""
    return Object(
        (
            Field("path", Text(), "The file, from the workspace root.", required=True),
            Field("edits", Many(edit_shape(), least=1, most=MAX_EDITS), "What to change in it, in order."),
            Field("write", Text(), "Or: its whole new text."),
            Field("create", Text(), "Or: the content of a new file.", also=("content",)),
            Field("delete", Flag(), "Or: true removes the file."),
            Field("rename_to", Text(), "Or: its new path."),
            Field("copy_to", Text(), "Or: the path of a copy."),
            Field("merge", Text(), "Or: a snippet whose markers stand for lines that stay."),
            Field("move", _ADDRESS, "Or: a part of the file to move to `to`."),
            Field("to", _DESTINATION, "The destination of move; without a target, the end of the file."),
            Field("mode", Text(), 'Permission bits, such as "0755".'),
            Field("expect", Text(), "fileHash of the version you mean.", also=HASH),
            Field("allow_shrink", Flag(), "Allow write to drop most of the lines."),
        )
    )


def plan_schema() -> Schema:
    """The JSON Schema of the plan format, which `apply` takes.

    >>> plan_schema()["required"]
    ['files']
    """
    edit = plain_schema(edit_shape()) | {
        "required": ["target"],
        "oneOf": [{"required": [verb]} for verb in EDIT_VERBS],
    }
    request = plain_schema(request_shape())
    edits = {"type": "array", "items": {"$ref": "#/$defs/edit"}, "minItems": 1, "maxItems": MAX_EDITS}
    request["properties"] = cast("Schema", request["properties"]) | {"edits": edits}
    request["oneOf"] = [
        {"required": [verb], "propertyNames": {"enum": list(names)}} for verb, names in REQUEST_VERBS.items()
    ]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Steadyhand plan",
        "type": "object",
        "properties": {
            "files": {"type": "array", "items": {"$ref": "#/$defs/request"}, "minItems": 1, "maxItems": MAX_EDITS},
            "reason": {"type": "string", "description": "Why, for the whole."},
            "partial": {"type": "boolean", "description": "Apply what can be applied where some is refused."},
        },
        "required": ["files"],
        "additionalProperties": False,
        "$defs": {"request": request, "edit": edit},
    }


def request_from_json(value: object, path: str = "") -> FileRequest:
    """One request; `path` goes before the field's name in the details of a refusal."""
    fields = read_object(value, path, request_shape().names)
    verb = _verb_of(fields, path)
    name = read_text(fields, "path", path)
    if not name:
        raise bad_request(join(path, "path"), "the path is empty", "name a file below the root")
    expect = _expect(fields, path)
    match verb:
        case "edits":
            return EditFile(name, edits_from_json(fields["edits"], join(path, "edits")), expect)
        case "write":
            return WriteFile(name, read_text(fields, "write", path), expect, read_flag(fields, "allow_shrink", path))
        case "create":
            return CreateFile(name, read_text(fields, "create", path), _mode(fields, path))
        case "delete":
            return DeleteFile(name, expect)
        case "rename_to":
            return RenameFile(name, read_text(fields, "rename_to", path), expect)
        case "copy_to":
            return CopyFile(name, read_text(fields, "copy_to", path))
        case "merge":
            return MergeFile(name, read_text(fields, "merge", path), expect)
        case "move":
            return _move_from_json(fields, name, expect, path)
        case _:
            mode = _mode(fields, path)
            if mode is None:
                raise bad_request(join(path, "mode"), "permission bits are expected", 'such as "0644"')
            return ChangeMode(name, mode)


def edits_from_json(value: object, path: str = "edits") -> tuple[Edit, ...]:
    """The edits of one file; at least one."""
    items = check_list(value, path)
    if not items:
        raise bad_request(path, "the array is empty", "give at least one edit")
    if len(items) > MAX_EDITS:
        raise _too_many(len(items), path)
    return tuple(edit_from_json(item, f"{path}[{index}]") for index, item in enumerate(items))


def request_to_json(request: FileRequest) -> dict[str, object]:
    """The JSON form of one request; fields that say nothing are left out."""
    data: dict[str, object] = {"path": request.path}
    match request:
        case EditFile():
            data["edits"] = [edit_to_json(edit) for edit in request.edits]
        case WriteFile():
            data |= {"write": request.content} | ({"allow_shrink": True} if request.allow_shrink else {})
        case CreateFile():
            data |= {"create": request.content} | ({} if request.mode is None else {"mode": f"{request.mode:04o}"})
        case DeleteFile():
            data["delete"] = True
        case RenameFile():
            data["rename_to"] = request.to
        case CopyFile():
            data["copy_to"] = request.to
        case MergeFile():
            data["merge"] = request.snippet
        case MoveText():
            there: dict[str, object] = {"path": request.to, "where": request.where}
            if request.place is not None:
                there["target"] = place_to_json(request.place)
            data |= {"move": place_to_json(request.target), "to": there}
        case ChangeMode():
            data["mode"] = f"{request.mode:04o}"
    expect = getattr(request, "expect", None)
    return data | ({} if expect is None else {"expect": expect})


def _move_from_json(fields: Mapping[str, object], name: str, expect: str | None, path: str) -> MoveText:
    there = read_object(fields.get("to"), join(path, "to"), _DESTINATION.names)
    place = there.get("target")
    return MoveText(
        name,
        target_from_json(fields["move"], join(path, "move")),
        read_optional_text(there, "path", join(path, "to")) or name,
        None if place is None else target_from_json(place, join(path, "to.target")),
        check_where(there.get("where", "end" if place is None else "after"), join(path, "to.where")),
        expect,
    )


def _verb_of(fields: Mapping[str, object], path: str) -> str:
    given = [verb for verb in REQUEST_VERBS if verb in fields]
    if given == ["create", "mode"]:
        given = ["create"]  # here the mode is the new file's
    if len(given) != 1:
        what = f"says {' and '.join(given)}" if given else "says nothing to do"
        raise bad_request(path, f"the request {what}", f"give exactly one of {', '.join(REQUEST_VERBS)}")
    (verb,) = given
    for name in fields:
        if name not in REQUEST_VERBS[verb]:
            raise bad_request(
                join(path, name), f"it cannot be combined with {verb!r}", f"fields: {', '.join(REQUEST_VERBS[verb])}"
            )
    if verb == "delete" and fields["delete"] is not True:
        raise bad_request(join(path, "delete"), "only true means something here", "leave the request out instead")
    return verb


def _expect(fields: Mapping[str, object], path: str) -> str | None:
    expect = read_optional_text(fields, "expect", path)
    if expect is not None and not _EXPECT.fullmatch(expect):
        raise bad_request(join(path, "expect"), "it is not a digest", "16 to 64 hex digits of the file's SHA-256")
    return None if expect is None else expect.lower()


def _mode(fields: Mapping[str, object], path: str) -> int | None:
    value = fields.get("mode")
    if value is None:
        return None
    found = _MODE.fullmatch(check_text(value, join(path, "mode")))
    if found is None:
        raise bad_request(
            join(path, "mode"), f"{str(value)[:20]!r} is not a mode", 'three or four octal digits: "0755"'
        )
    return int(found.group(1), 8)


def _check_count(items: list[object]) -> None:
    """The limit holds for a call, however its edits are spread over files."""
    lists = [item["edits"] for item in items if isinstance(item, Mapping) and "edits" in item]
    total = len(items) + sum(len(edits) for edits in lists if isinstance(edits, list | tuple))
    if total > 2 * MAX_EDITS or len(items) > MAX_EDITS or total - len(items) > MAX_EDITS:
        raise _too_many(total - len(items) or len(items), "files")


def _too_many(count: int, path: str) -> EditError:
    return EditError(
        Kind.TOO_LARGE,
        f"{path}: {count} edits in one call, the limit is {MAX_EDITS}",
        hint=f"send them in calls of at most {MAX_EDITS}",
        details={"path": path, "count": count, "limit": MAX_EDITS},
    )


def _check_nesting(value: object) -> None:
    level: list[object] = [value]
    for _ in range(MAX_NESTING):
        level = [child for item in level for child in _children(item)]
        if not level:
            return
    raise EditError(
        Kind.TOO_LARGE,
        f"the request is nested more than {MAX_NESTING} deep",
        hint="requests nest six deep at most",
        details={"limit": MAX_NESTING},
    )


def _children(item: object) -> list[object]:
    if isinstance(item, str):
        return []
    if isinstance(item, list | tuple):
        return list(item)
    return list(item.values()) if isinstance(item, Mapping) else []


def move_inside(request: MoveText) -> Edit:
    """A move from one place of a file to another of the same."""
    if request.place is None:
        raise bad_request("to", "the file is the one it is in", "name another file, or a target in this one")
    return Act(request.target, "move", to=request.place, where=request.where)


def insertion(source: Source, request: MoveText, text: str) -> Edit:
    """What arrives in another file: at the place that is named, or beside what the file has of the same kind."""
    if request.place is not None:
        return Insert(request.place, text, where=request.where)
    is_first = request.where in ("before", "start")
    if isinstance(request.target, Addressed):
        whole = request.target.of_file()
        if whole is not None:
            return Insert(whole, text, where="start" if is_first else "end")
        alike = _alike(source, request.target.key)
        if alike:
            return Insert(alike[0 if is_first else -1], text, where="before" if is_first else "after")
        text = _apart(source.text, text, is_first=is_first)
    place: Place = Lines(1, 0) if is_first else Old("", at_end=True)
    return Insert(place, text, where=request.where)


def alone(text: str) -> str:
    """What arrives in a file that is made for it: one line ending behind it, and no blank lines that parted it.

    >>> alone("## A\\n\\ntext\\n\\n"), alone("x")
    ('## A\\n\\ntext\\n', 'x\\n')
    """
    rows = split_lines(text)
    while len(rows) > 1 and not rows[-1].strip():
        rows.pop()
    return "".join(rows) if rows and line_ending(rows[-1]) else "".join(rows) + "\n"


def _alike(source: Source, kind: str) -> list[Target]:
    """The targets of a kind at the top of a file."""
    known = format_of(source.path)
    found = None if known is None else known.outline(source)
    if found is None or isinstance(found, Refusal):
        return []
    tops = [parse_address(entry.address) for entry in found if entry.depth == 0]
    return [target for target in tops if target.key == kind]


def _apart(there: str, text: str, *, is_first: bool) -> str:
    """A text with a blank line between it and what it comes beside."""
    if not there.strip():
        return text
    whole = text if line_ending(text) else text + "\n"
    return f"{whole}\n" if is_first else f"\n{whole}"
