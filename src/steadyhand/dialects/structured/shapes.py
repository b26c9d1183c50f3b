"""What a JSON value in a reply asks for: calls of tools, lists of edits, single edits, our own requests.

Only values that have the shape of an edit ask for anything; every other JSON is left alone. The objects inside one
another are worked off from a list, never by recursion.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.dialects.structured.document import Document
from steadyhand.dialects.structured.edit import Around, Found, expect_of_edit, find_edit, path_of_edit
from steadyhand.dialects.structured.fields import NAMES, Fields, is_marked
from steadyhand.dialects.structured.node import Node
from steadyhand.dialects.structured.order import Order
from steadyhand.dialects.structured.own import find_own, find_own_edit, is_own_request
from steadyhand.dialects.structured.quotes import plain_name
from steadyhand.errors import EditError
from steadyhand.lazy import replace

__all__ = ["find_requests"]

_HOLDING = ("edits", "path", "expect", "reason", "idle", "command", "verb", "dry_run", "dom")
_WRITTEN = ("path", "content", "expect", "shrink", "reason")
_CALLERS = ("name", "tool", "tool_name", "function", "action", "recipient_name")


def find_requests(node: Node, document: Document, order: Order) -> list[Found]:
    """The requests in a value, in the order to make them; none where it has not the shape of an edit.

    Refuses with `malformed-patch` what has the shape and makes no sense, and what `order` refuses.
    """
    return _Search(order).run(node, document)


class _Search:
    """Works off values; `_left` has those still to be looked at, the next one last."""

    def __init__(self, order: Order) -> None:
        self._order = order
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
        """A list by itself: of edits if one of them is, else of whatever."""
        shown = [Fields(node, document) for node in nodes]
        is_listed = any(map(_is_edit, shown)) and not any(map(_is_call, shown))
        if is_listed and not any(map(_is_nested, shown)):
            self._group(shown, replace(around, is_listed=True))
        else:
            inside = replace(around, is_listed=is_listed)
            self._left.extend((node, document, inside) for node in reversed(nodes))

    def _object(self, fields: Fields, around: Around) -> None:
        own = find_own(fields.node, fields.document)
        if own is not None:
            self._take(own, fields.document)
        elif _is_call(fields):
            self._call(fields)
        elif _holds_edits(fields):
            self._edits(fields, around)
        else:
            found = _leaf(fields, around)
            if found is not None:
                self._take([found], fields.document)
            elif around.is_listed:
                raise _no_edit(fields.node, fields.document)

    def _call(self, fields: Fields) -> None:
        """A call of a tool: what it is called with, under the tool's name."""
        inside = fields.get("arguments") or fields.get("tool")
        around = Around(tool=_caller(fields))
        if inside is not None and isinstance(inside.value, str):
            read = fields.document.inner(inside, NAMES, is_marked)
            if read is not None:
                self._left.append((*read, around))
        elif inside is not None:
            self._left.append((inside, fields.document, around))

    def _edits(self, fields: Fields, around: Around) -> None:
        """An object with a list of edits, or of objects that hold some."""
        fields.check_only(_HOLDING)
        if fields.flag("dry_run"):
            raise fields.refuse(fields.node.start, "a dry run", "edits to make")
        if "dom" in fields:
            raise fields.refuse(fields.node.start, "operations on the elements of a page", "old and new text")
        inside = Around(
            tool="writefiles" if fields.names["edits"] == "files" else around.tool,
            path=path_of_edit(fields, around),
            reason=fields.reason() or around.reason,
            expect=expect_of_edit(fields, around),
            is_listed=True,
        )
        nodes, document = _items(fields)
        shown = [Fields(node, document) for node in nodes]
        if any(map(_is_nested, shown)):
            self._left.extend((node, document, inside) for node in reversed(nodes))
        else:
            self._group(shown, inside)

    def _group(self, shown: Sequence[Fields], around: Around) -> None:
        """Edits of one list, each of them a single one."""
        group: list[Found] = []
        for fields in shown:
            found = _leaf(fields, around)
            if found is None:
                raise _no_edit(fields.node, fields.document)
            group.append(found)
        if group:
            self._take(group, shown[0].document)

    def _take(self, group: list[Found], document: Document) -> None:
        self._found.extend(self._order.take(group, document))


def _leaf(fields: Fields, around: Around) -> Found | None:
    """A single edit, in our own form or another."""
    if "dom" in fields and around.is_listed:
        raise fields.refuse(fields.node.start, "an operation on the elements of a page", "old and new text")
    own = find_own_edit(fields.node, fields.document, around)
    return own if own is not None else find_edit(fields, around)


def _items(fields: Fields) -> tuple[list[Node], Document]:
    """The list of edits of an object, also where it is a single one, or JSON in a string."""
    node, document = fields.get("edits"), fields.document
    assert node is not None
    read = document.inner(node, NAMES, is_marked) if isinstance(node.value, str) else None
    if read is not None:
        node, document = read
    return (node.value if isinstance(node.value, list) else [node]), document


def _holds_edits(fields: Fields) -> bool:
    """Whether an object has a list of edits: one that says so, with one in it that looks like an edit."""
    node = fields.get("edits")
    if node is None or "arguments" in fields:
        return False
    if isinstance(node.value, str):
        return fields.names["edits"] == "edits" and node.value.lstrip().startswith(("[", "{"))
    nodes = node.value if isinstance(node.value, list) else [node]
    shown = [Fields(one, fields.document) for one in nodes if isinstance(one.value, dict)]
    if fields.names["edits"] == "files":
        return any(_is_edit(one) or ("content" in one and one.has_only(_WRITTEN)) for one in shown)
    is_meant = fields.names["edits"] == "edits" or any("dom" in one and "verb" in one for one in shown)
    return any(map(_is_edit, shown)) or (bool(shown) and is_meant and "path" in fields)


def _is_edit(fields: Fields) -> bool:
    """Whether an object looks like an edit, or like something that holds one for a file."""
    if fields.is_distinct or is_own_request(fields.node):
        return True
    if "path" in fields and plain_name(fields.names.get("edits", "")) in ("edits", "replaceoperations"):
        return True
    has_new = "new" in fields or "insert_text" in fields
    return has_new and any(role in fields for role in ("old", "range", "insert_line", "target"))


def _is_nested(fields: Fields) -> bool:
    return _holds_edits(fields) or is_own_request(fields.node) or _is_call(fields)


def _is_call(fields: Fields) -> bool:
    """Whether an object is a call of a tool, whichever that is."""
    if fields.is_distinct or "edits" in fields:
        return False
    inside = fields.get("arguments")
    if inside is not None:
        is_named = bool(_caller(fields)) or "call" in fields.verb() or "tool" in fields.verb()
        return is_named and isinstance(inside.value, dict | list | str)
    held = fields.get("tool")
    return held is not None and isinstance(held.value, dict | list)


def _caller(fields: Fields) -> str:
    """The plain name of the tool that is called."""
    for name in _CALLERS:
        node = fields.raw(name)
        if node is not None and isinstance(node.value, str) and node.value:
            return plain_name(node.value)
    return ""


def _no_edit(node: Node, document: Document) -> EditError:
    return document.refuse(node.start, "this is not an edit", "an object with old and new text")
