"""What a JSON value in a reply asks for: calls of tools, lists of edits, single edits, our own requests.

Only values that have the shape of an edit ask for anything; every other JSON is left alone. Our own form is read by
`plan.request` and nothing else. The objects inside one another are worked off from a list, never by recursion.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import cast

from steadyhand.dialects.bare_quotes import plain_name
from steadyhand.dialects.json_document import FORMAT, Document
from steadyhand.dialects.json_edit import Around, Found, find_edit, path_of_edit
from steadyhand.dialects.json_fields import MARKS, NAMES, Fields
from steadyhand.dialects.json_node import Node, plain
from steadyhand.errors import EditError, Kind
from steadyhand.plan.edit import Edit, Insert, Replace, edit_from_json
from steadyhand.plan.ranges import bottom_up, find_overlap
from steadyhand.plan.request import EditFile, FileRequest, request_from_json, requests_from_json
from steadyhand.structure.targets.lines import Lines

__all__ = ["find_requests"]

_HOLDING = ("edits", "path", "expect", "reason", "idle", "verb", "dry_run", "dom")
_OWN_REQUEST = frozenset(("path", "edits", "write", "create", "delete", "rename_to", "copy_to", "merge", "mode", "expect"))
_OWN_VERBS = frozenset(("edits", "write", "create", "delete", "rename_to", "copy_to", "merge"))
_OWN_EDIT = frozenset(("target", "new", "insert", "where", "delete", "occurrence", "expected", "reason"))
_STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")


def find_requests(node: Node, document: Document) -> list[Found]:
    """The requests in a value, in order; none where it has no shape of an edit. Refuses with `malformed-patch`."""
    return _Search().run(node, document)


class _Search:
    """Works off values; `_left` has those still to be looked at, the next one last."""

    def __init__(self) -> None:
        self._left: list[tuple[Node, Document, Around]] = []
        self._found: list[Found] = []

    def run(self, node: Node, document: Document) -> list[Found]:
        self._left.append((node, document, Around()))
        while self._left:
            one, inside, around = self._left.pop()
            if isinstance(one.value, list):
                self._list(one.value, inside, around)
            elif isinstance(one.value, dict):
                self._object(Fields(one, inside), around)
            elif around.is_listed:
                raise _no_edit(one, inside)
        return self._found

    def _list(self, nodes: Sequence[Node], document: Document, around: Around) -> None:
        """A list by itself: of edits, if one of them is, else of whatever."""
        shown = [Fields(node, document) for node in nodes]
        is_listed = any(_is_edit(fields) for fields in shown) and not any(map(_is_call, shown))
        inside = replace(around, is_listed=is_listed)
        self._left.extend((node, document, inside) for node in reversed(nodes))

    def _object(self, fields: Fields, around: Around) -> None:
        if _is_own_batch(fields):
            self._found.extend(_own_batch(fields))
        elif _is_own_request(fields):
            self._found.extend(_own_request(fields))
        elif _is_call(fields):
            self._call(fields)
        elif _holds_edits(fields):
            self._edits(fields, around)
        else:
            found = _leaf(fields, around)
            if found is not None:
                self._found.append(found)
            elif around.is_listed:
                raise _no_edit(fields.node, fields.document)

    def _call(self, fields: Fields) -> None:
        """A call of a tool: what it is called with, under the tool's name."""
        tool, document = _tool_of(fields), fields.document
        inside = fields.get("arguments") or fields.get("tool")
        if inside is None:
            return
        if isinstance(inside.value, str):
            read = document.inner(inside, NAMES, MARKS)
            if read is not None:
                self._left.append((*read, Around(tool=tool)))
        else:
            self._left.append((inside, document, Around(tool=tool)))

    def _edits(self, fields: Fields, around: Around) -> None:
        """An object with a list of edits, or of objects that hold some."""
        fields.check_only(_HOLDING)
        if fields.flag("dry_run"):
            raise fields.refuse(fields.node.start, "a dry run", "edits that are to be made")
        if "dom" in fields:
            raise fields.refuse(fields.node.start, "operations on a page's elements", "old and new text")
        inside = Around(
            tool="writefiles" if fields.names["edits"] == "files" else around.tool,
            path=path_of_edit(fields, around),
            reason=fields.reason() or around.reason,
            expect=fields.text("expect") or around.expect,
            is_listed=True,
        )
        nodes, document = _items(fields)
        shown = [Fields(node, document) for node in nodes]
        if any(map(_holds_edits, shown)) or any(map(_is_own_request, shown)):
            self._left.extend((node, document, inside) for node in reversed(nodes))
            return
        found = [_leaf(one, inside) for one in shown]
        for node, one in zip(nodes, found, strict=True):
            if one is None:
                raise _no_edit(node, document)
        self._found.extend(_in_order(cast("list[Found]", found), document))


def _leaf(fields: Fields, around: Around) -> Found | None:
    """A single edit, in our own form or another."""
    members = fields.node.value
    if isinstance(members, dict) and "target" in members and (around.is_listed or _OWN_EDIT.issuperset(members)):
        if not {"new", "insert", "delete"}.isdisjoint(members):
            edit = _own(fields, lambda value: edit_from_json(value))
            request = EditFile(path_of_edit(Fields(Node({}, 0, 0), fields.document), around), (edit,), around.expect)
            return Found(_with_reason(request, around.reason), fields.document.lines(fields.node), fields.node.start)
    return find_edit(fields, around)
