"""Requests in our own JSON form inside a reply, passed to `plan.request` unchanged.

A refusal from there gets its place in the reply added here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from steadyhand.dialects.structured.document import Document
from steadyhand.dialects.structured.edit import Around, Found
from steadyhand.dialects.structured.node import Node, plain
from steadyhand.errors import EditError, Kind
from steadyhand.lazy import lazy_pattern, replace
from steadyhand.plan.edit import EDIT_VERBS, Edit, Old, Replace, edit_from_json, edit_shape, with_reason
from steadyhand.plan.request import (
    REQUEST_VERBS,
    EditFile,
    FileRequest,
    request_from_json,
    request_shape,
    requests_from_json,
)

__all__ = ["find_own", "find_own_edit", "is_own_request"]

Read = TypeVar("Read")

_STEP = lazy_pattern(r"\[(\d+)\]|([^.\[\]]+)")


def find_own(node: Node, document: Document) -> list[Found] | None:
    """The requests of an object in our own form, several or one; None where it is in another."""
    members = node.value if isinstance(node.value, dict) else {}
    files = members.get("files")
    if files is not None and isinstance(files.value, list) and files.value and all(map(_is_request, files.value)):
        requests = _read(node, document, requests_from_json)
        if requests.partial:
            raise document.refuse(members["partial"].key, "a patch is made as a whole", "no 'partial'")
        pairs = zip(files.value, requests.files, strict=True)
        return [one for item, request in pairs for one in _split(item, document, request, requests.reason)]
    if is_own_request(node):
        return _split(node, document, _read(node, document, request_from_json), None)
    return None


def is_own_request(node: Node) -> bool:
    """Whether an object by itself is one request in our own form; a path with a mode may be anything."""
    return _is_request(node) and isinstance(node.value, dict) and not {"path", "mode"}.issuperset(node.value)


def _is_request(node: Node) -> bool:
    members = node.value
    if not isinstance(members, dict) or "path" not in members or not set(request_shape().names).issuperset(members):
        return False
    edits = members.get("edits")
    if edits is None:
        return any(verb in members for verb in REQUEST_VERBS)
    return isinstance(edits.value, list) and bool(edits.value) and all(map(_has_target, edits.value))


def find_own_edit(node: Node, document: Document, around: Around) -> Found | None:
    """An edit in our own form that stands alone or in a list of another form."""
    members = node.value
    if not isinstance(members, dict) or not _has_target(node) or not any(verb in members for verb in EDIT_VERBS):
        return None
    if not around.is_listed and not set(edit_shape().names).issuperset(members):
        return None
    edit = _read(node, document, edit_from_json)
    _check_texts(node, document)
    return _one(node, document, EditFile(around.path, (edit,), around.expect), edit, around.reason)


def _has_target(node: Node) -> bool:
    target = node.value.get("target") if isinstance(node.value, dict) else None
    return target is not None and isinstance(target.value, str | dict)


def _split(node: Node, document: Document, request: FileRequest, reason: str | None) -> list[Found]:
    """A request with several edits as one for each."""
    members = node.value
    if not isinstance(request, EditFile) or not isinstance(members, dict):
        _check_texts(node, document)
        return [Found(request, document.lines(node), node.start)]
    nodes = members["edits"].value
    assert isinstance(nodes, list)
    for item in nodes:
        _check_texts(item, document)
    pairs: Sequence[tuple[Node, Edit]] = list(zip(nodes, request.edits, strict=True))
    return [_one(item, document, request, edit, reason) for item, edit in pairs]


def _check_texts(node: Node, document: Document) -> None:
    """Refuse what an edit or a request writes where it can be read in two ways."""
    members = node.value if isinstance(node.value, dict) else {}
    for name, member in members.items():
        if name not in ("path", "target", "reason"):
            document.check_written(member, members.get("target"))


def _one(node: Node, document: Document, request: EditFile, edit: Edit, reason: str | None) -> Found:
    is_idle = isinstance(edit, Replace) and isinstance(edit.target, Old) and edit.target.text == edit.new != ""
    edit_with_reason = edit if edit.reason is not None or reason is None else with_reason(edit, reason)
    return Found(replace(request, edits=(edit_with_reason,)), document.lines(node), node.start, is_idle)


def _read(node: Node, document: Document, read: Callable[[object], Read]) -> Read:
    try:
        return read(plain(node))
    except EditError as error:
        offset = _offset_of(node, str(error.details.get("path", "")))
        if error.kind == Kind.BAD_REQUEST:
            raise document.refuse(offset, error.message, error.hint or "a request", error.hints or None) from None
        line, column = document.place(offset)
        raise error.with_details(line=line, column=column) from None


def _offset_of(node: Node, path: str) -> int:
    """Where the value is that a refusal names, or what holds it."""
    for found in _STEP.finditer(path):
        value = node.value
        child: Node | None = None
        if isinstance(value, list) and found.group(1) is not None and int(found.group(1)) < len(value):
            child = value[int(found.group(1))]
        elif isinstance(value, dict) and found.group(2) is not None:
            child = value.get(found.group(2))
        if child is None:
            break
        node = child
    return node.key if node.key >= 0 else node.start
