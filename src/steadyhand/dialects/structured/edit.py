"""One object of JSON as one request: old and new text, a line range, an insertion, a whole file, a snippet.

A field that would change what the edit means and is not understood is refused, never passed over.
Nothing here looks at a file, or at the objects around this one.
"""

from __future__ import annotations

import re
from typing import Literal, cast

from steadyhand.dialects.structured.document import Document
from steadyhand.dialects.structured.fields import Fields
from steadyhand.dialects.structured.node import Node
from steadyhand.errors import EditError
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.plan.edit import OCCURRENCES, Delete, Edit, Insert, Old, Replace
from steadyhand.plan.request import CreateFile, DeleteFile, EditFile, FileRequest, MergeFile, RenameFile, WriteFile
from steadyhand.structure.lines import Lines
from steadyhand.text.match import Occurrence

__all__ = ["Around", "Found", "expect_of_edit", "find_edit", "path_of_edit"]

Numbered = Literal["", "range", "line"]

_EVERYWHERE = ("path", "expect", "reason", "idle", "command", "verb")
_REPLACING = ("old", "new", "all", "expected", "occurrence", "line", "end_line", *_EVERYWHERE)
_RANGED = ("range", "old", "new", "content", *_EVERYWHERE)
_INSERTING = ("insert_line", "insert_text", "new", "content", *_EVERYWHERE)
_WRITING = ("content", "shrink", *_EVERYWHERE)
_VERBS = frozenset(("replace", "edit", "update", "modify", "str_replace", "search_replace", "text"))
_WRITERS = frozenset(("writefile", "write", "writetofile", "filewrite", "writefiles", "createfile", "create"))
_EXPECT = lazy_pattern(r"[0-9a-fA-F]{16,64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Around:
    """What is around an edit: the tool that is called, the file, the reason; `is_listed`: in a list of edits."""

    tool: str = ""
    path: str = ""
    reason: str | None = None
    expect: str | None = None
    is_listed: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """A request, where it is, and how it goes with others: it may change nothing, or go by line numbers."""

    request: FileRequest
    lines: tuple[int, int]
    offset: int
    is_idle: bool = False
    numbered: Numbered = ""


def find_edit(fields: Fields, around: Around) -> Found | None:
    """The request that an object makes; None where it makes none. Refuses with `malformed-patch`."""
    verb = fields.verb()
    if "range" in fields and ("new" in fields or around.is_listed):
        return _ranged(fields, around)
    if "insert_line" in fields or (around.tool == "insertat" and "line" in fields):
        return _inserting(fields, around)
    if "target" in fields and verb in ("replace", "insert", "delete") and "path" in fields:
        return _targeted(fields, around, verb)
    if verb in ("create", "delete", "rename") and "command" in fields:
        return _commanded(fields, around, verb)
    if _is_replacing(fields, around):
        return _replacing(fields, around, verb)
    if "code_edit" in fields and path_of_edit(fields, around):
        fields.check_only(("code_edit", *_EVERYWHERE))
        snippet = _written(fields, "code_edit")
        return _found(fields, MergeFile(path_of_edit(fields, around), snippet, expect_of_edit(fields, around)))
    if around.tool in _WRITERS and "content" in fields and path_of_edit(fields, around):
        return _writing(fields, around)
    return None


def path_of_edit(fields: Fields, around: Around) -> str:
    """The file an object names, or the one that was named around it; empty where none is."""
    path = fields.text("path") or around.path
    if around.path and path != around.path:
        raise _refuse(fields, "path", f"{path!r} inside an object for {around.path!r}", "one path for an edit")
    return path


def expect_of_edit(fields: Fields, around: Around) -> str | None:
    """The digest that the file must have, as an object or what is around it says."""
    expect = fields.text("expect")
    if expect is not None and not _EXPECT.fullmatch(expect):
        raise _refuse(fields, "expect", "this is not a digest", "16 to 64 hex digits of the file's SHA-256")
    return around.expect if expect is None else expect.lower()


def _is_replacing(fields: Fields, around: Around) -> bool:
    """Whether there is old and new text, under names that nothing else has, or that mean this where they are."""
    if fields.is_distinct:
        return True
    texts = [fields.get("old"), fields.get("new")]
    is_text = all(text is not None and isinstance(text.value, str) for text in texts)
    return is_text and (around.is_listed or fields.has_only(_REPLACING))


def _replacing(fields: Fields, around: Around, verb: str) -> Found:
    fields.check_only(_REPLACING)
    if verb and verb not in _VERBS:
        role = "command" if "command" in fields else "verb"
        raise _refuse(fields, role, f"{verb!r} together with old and new text", "'replace', or nothing")
    path, old = path_of_edit(fields, around), fields.need_text("old")
    is_left_out = verb == "str_replace" and fields.text("new") is None
    new = "" if is_left_out else _written(fields, "new")
    if not old and path:
        return _found(fields, CreateFile(path, new))
    if "end_line" in fields and "line" not in fields:
        raise _refuse(fields, "end_line", "an end without a start", "'start_line' with it")
    occurrence, expected = _occurrence(fields)
    place = Old(old, line=fields.integer("line"))
    edit = Replace(place, new, occurrence=occurrence, expected=expected, reason=_reason(fields, around))
    return _found(fields, _edit_file(fields, around, edit), is_idle=old == new)


def _occurrence(fields: Fields) -> tuple[Occurrence | None, int | None]:
    """Which places are meant, and how many there must be."""
    expected, is_all = fields.integer("expected"), fields.flag("all")
    if expected is not None and expected < 1:
        raise _refuse(fields, "expected", f"{expected} places", "a count from 1")
    if "occurrence" in fields:
        if is_all:
            raise _refuse(fields, "occurrence", "one occurrence, and all of them", "one of the two")
        return _one_occurrence(fields), expected
    if is_all:
        return "all", expected
    return ("unique", None) if expected == 1 else (None, expected)


def _one_occurrence(fields: Fields) -> Occurrence:
    node = fields.get("occurrence")
    if node is not None and isinstance(node.value, str) and node.value in OCCURRENCES:
        return cast("Occurrence", node.value)
    number = fields.integer("occurrence") or 0
    if number < -1:
        raise _refuse(fields, "occurrence", f"there is no occurrence {number}", "a number from 1, or -1 for the last")
    return number or "all"


def _ranged(fields: Fields, around: Around) -> Found:
    fields.check_only(_RANGED)
    start, end = _bounds(fields.document, cast("Node", fields.get("range")))
    old, new = fields.text("old"), _written(fields, "new", "content")
    edit = Replace(Lines(start, end, old), new, reason=_reason(fields, around))
    return _found(fields, _edit_file(fields, around, edit), is_idle=old == new, numbered="range")


def _bounds(document: Document, node: Node) -> tuple[int, int]:
    """First and last line of a range; the last is the line before the first where text is inserted."""
    pair = node.value
    if isinstance(pair, dict) and set(pair) == {"start", "end"}:
        pair = [pair["start"], pair["end"]]
    example = '{"start": 3, "end": 5}, whole lines counted from 1, both included'
    if not isinstance(pair, list) or len(pair) != 2:
        raise document.refuse(node.start, "this is not a range of lines", example)
    numbers: list[int] = []
    for bound in pair:
        if isinstance(bound.value, dict):
            raise document.refuse(bound.start, "this names a line and a character in it", example)
        if isinstance(bound.value, bool) or not isinstance(bound.value, int):
            raise document.refuse(bound.start, "this is not a line number", "a whole number")
        numbers.append(bound.value)
    if numbers[1] < numbers[0] - 1:
        raise document.refuse(node.start, f"lines {numbers[0]} to {numbers[1]} run backwards", "the first line first")
    return numbers[0], numbers[1]


def _inserting(fields: Fields, around: Around) -> Found:
    """Text behind a line: 0 is the start of the file, -1 its end for the one tool that has it."""
    role = "insert_line" if "insert_line" in fields else "line"
    fields.check_only((*_INSERTING, role))
    line, text = cast("int", fields.integer(role)), _written(fields, "insert_text", "new", "content")
    if line < (0 if role == "insert_line" else -1):
        raise _refuse(fields, role, f"there is no line {line}", "the line to insert after, 0 for the start")
    place = Old("", at_end=True) if line == -1 else Lines(line + 1, line)
    edit = Insert(place, text, where="before", reason=_reason(fields, around))
    return _found(fields, _edit_file(fields, around, edit), numbered="" if line == -1 else "line")


def _targeted(fields: Fields, around: Around, verb: str) -> Found:
    """An operation on a target; of targets only lines are a place without the file at hand."""
    fields.check_only(("target", "content", *_EVERYWHERE))
    target = cast("Node", fields.get("target"))
    if not isinstance(target.value, dict) or set(target.value) != {"lines"}:
        expected = '{"lines": {"start": 3, "end": 5}}, or old and new text'
        raise fields.refuse(target.start, "this dialect does not have this target", expected)
    start, end = _bounds(fields.document, target.value["lines"])
    content = fields.text("content") if verb == "delete" else _written(fields, "content")
    reason = _reason(fields, around)
    edit: Edit = Replace(Lines(start, end), content or "", reason=reason)
    if verb == "insert":
        edit = Insert(Lines(start, start - 1), content or "", where="before", reason=reason)
    elif verb == "delete":
        edit = Delete(Lines(start, end), reason=reason)
    return _found(fields, _edit_file(fields, around, edit), numbered="line")


def _commanded(fields: Fields, around: Around, verb: str) -> Found | None:
    """A file operation as the editor tools of models have it."""
    if verb == "rename" and "old_path" in fields and "new_path" in fields:
        fields.check_only(("old_path", "new_path", "command", "reason", "idle"))
        return _found(fields, RenameFile(fields.need_text("old_path"), fields.need_text("new_path")))
    path = path_of_edit(fields, around)
    if verb == "create" and path and "content" in fields:
        fields.check_only(_WRITING)
        return _found(fields, CreateFile(path, _written(fields, "content")))
    if verb == "delete" and path:
        fields.check_only(_EVERYWHERE)
        return _found(fields, DeleteFile(path, expect_of_edit(fields, around)))
    return None


def _writing(fields: Fields, around: Around) -> Found:
    fields.check_only(_WRITING)
    path, content = path_of_edit(fields, around), _written(fields, "content")
    if around.tool.startswith("create"):
        return _found(fields, CreateFile(path, content))
    return _found(fields, WriteFile(path, content, expect_of_edit(fields, around), fields.flag("shrink")))


def _written(fields: Fields, *roles: str) -> str:
    """The text that an edit writes, under one of several roles. Refuses one that can be read in two ways."""
    text = fields.need_text(*roles)
    nodes = filter(None, map(fields.get, roles))
    fields.document.check_written(next(node for node in nodes if node.value is not None), fields.get("old"))
    return text


def _edit_file(fields: Fields, around: Around, edit: Edit) -> EditFile:
    return EditFile(path_of_edit(fields, around), (edit,), expect_of_edit(fields, around))


def _reason(fields: Fields, around: Around) -> str | None:
    reason = fields.reason()
    return around.reason if reason is None else reason


def _found(fields: Fields, request: FileRequest, *, is_idle: bool = False, numbered: Numbered = "") -> Found:
    return Found(request, fields.document.lines(fields.node), fields.node.start, is_idle, numbered)


def _refuse(fields: Fields, role: str, what: str, expected: str) -> EditError:
    node = fields.get(role)
    return fields.refuse(fields.node.start if node is None else node.start, what, expected)
