"""Anthropic's text editor tool, in all its published versions.

Versions differ in name, in `undo_edit` (gone since 20250429) and in how `insert` calls its text; both names are taken
from any of them. Every change goes through the workspace, so it is in the journal and can be undone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from steadyhand.errors import EditError, Kind
from steadyhand.plan.edit import Replace
from steadyhand.session.workspace import Workspace
from steadyhand.structure.fields import bad_request, read_text
from steadyhand.tools.answer import NOT_FOUND, Answer, answer_refusal, matches_of
from steadyhand.tools.arguments import Fields
from steadyhand.tools.claude.command import read_command
from steadyhand.tools.claude.directory import find_directory
from steadyhand.tools.claude.insertion import insert_lines
from steadyhand.tools.numbered import number_lines, range_in_view
from steadyhand.tools.paths import resolve_path
from steadyhand.tools.told import how_found, lines_now, was_created

__all__ = ["Version", "run"]

Version = Literal["20241022", "20250124", "20250429", "20250728"]

_NAMES: Mapping[str, str] = {
    "20241022": "str_replace_editor",
    "20250124": "str_replace_editor",
    "20250429": "str_replace_based_edit_tool",
    "20250728": "str_replace_based_edit_tool",
}
_FIELDS: dict[str, tuple[str, ...]] = {
    "view": ("path", "view_range"),
    "create": ("path", "file_text"),
    "str_replace": ("path", "old_str", "new_str"),
    "insert": ("path", "insert_line", "insert_text", "new_str"),
}
_UNDO: dict[str, tuple[str, ...]] = {"undo_edit": ("path",)}
_WITH_UNDO = ("20241022", "20250124")
_DENIED = (Kind.READ_ONLY, Kind.PROTECTED_PATH, Kind.NOT_ALLOWED)


@dataclass(frozen=True, slots=True)
class _Call:
    """One command on one file: the path as the model wrote it, and as the workspace knows it."""

    workspace: Workspace
    fields: Fields
    shown: str
    path: str
    reason: str


def run(
    workspace: Workspace,
    arguments: Mapping[str, object],
    *,
    prefix: str | None = None,
    version: Version = "20250728",
    max_characters: int | None = None,
    allow_shrink: bool = False,
) -> Answer:
    """Carry out one call of the tool. `prefix` is a directory that stands for the root in the model's paths.

    `max_characters` cuts what `view` shows of a file, as the tool's setting of that name promises.
    A file that exists is overwritten by `create` only if this task has seen its present version, and loses most of its
    lines only if the host says `allow_shrink`.
    """
    name, known = _NAMES[version], _FIELDS | (_UNDO if version in _WITH_UNDO else {})
    command = ""
    try:
        command, fields = read_command(arguments, known)
        shown = read_text(fields, "path", "")
        call = _Call(
            workspace.as_tool(name), fields, shown, resolve_path(workspace, shown, prefix), f"{name}: {command}"
        )
        match command:
            case "view":
                return _view(call, max_characters)
            case "create":
                return _create(call, allow_shrink=allow_shrink)
            case "str_replace":
                return _str_replace(call)
            case "insert":
                return _insert(call)
            case _:
                return _undo_edit(call)
    except EditError as error:
        return answer_refusal(error, _said(error, command))


def _said(error: EditError, command: str) -> str | None:
    """The sentence that Anthropic's documentation has for a refusal."""
    if error.kind is Kind.NO_SUCH_FILE:
        return "Error: File not found"
    if error.kind is Kind.AMBIGUOUS_MATCH:
        return (
            f"Error: Found {matches_of(error)} matches for replacement text. "
            "Please provide more context to make a unique match."
        )
    if error.kind in NOT_FOUND:
        return "Error: No match found for replacement. Please check your text and try again."
    if error.kind in _DENIED and command != "view":
        return "Error: Permission denied. Cannot write to file."
    return None


def _view(call: _Call, max_characters: int | None) -> Answer:
    try:
        source = call.workspace.source(call.path)
    except EditError as error:
        listing = _list(call) if error.kind in (Kind.NOT_TEXT, Kind.BAD_REQUEST) else None
        if listing is None:
            raise
        return listing
    bodies = source.lines
    first, last = range_in_view(call.fields.get("view_range"), len(bodies))
    call.workspace.saw(source, None if (first, last) == (1, len(bodies)) else (first, max(first, last)))
    if not bodies:
        return Answer(f"The file {call.shown} is empty.")
    rows = number_lines(bodies[first - 1 : last], first, "colon")
    return Answer("\n".join(rows) if max_characters is None else _cut(rows, first, len(bodies), max_characters))


def _list(call: _Call) -> Answer | None:
    """The directory, if it is one; a `view_range` applies to files only, as the documentation has it."""
    found = find_directory(call.workspace, call.path)
    if found is None:
        return None
    above = call.shown.rstrip("/")
    head = (
        f"Here're the files and directories up to 2 levels deep in {call.shown}, "
        "excluding hidden items and node_modules:"
    )
    more = [] if found.cut is None else [f"(not everything was looked at: {found.cut})"]
    return Answer("\n".join([head, call.shown, *(f"{above}/{entry}" for entry in found.entries()), *more]))


def _cut(rows: list[str], first: int, count: int, most: int) -> str:
    """As many whole rows as fit, or the beginning of one that does not."""
    size = shown = 0
    for row in rows:
        size += len(row) + (1 if shown else 0)
        if size > most:
            break
        shown += 1
    if shown == len(rows):
        return "\n".join(rows)
    kept = rows[:shown] or [rows[0][:most]]
    next_line = first + max(shown, 1)
    rest = f"line {first} goes on" if not shown else f"continue with view_range [{next_line}, -1]"
    return "\n".join([*kept, f"(cut at {most} characters; the file has {count} lines; {rest})"])


def _create(call: _Call, *, allow_shrink: bool) -> Answer:
    text = read_text(call.fields, "file_text", "")
    try:
        receipt = call.workspace.write(call.path, text, reason=call.reason, allow_shrink=allow_shrink)
    except EditError as error:
        if error.kind is not Kind.STALE_SOURCE:
            raise
        return answer_refusal(error, f"Error: File {call.shown} already exists")
    if was_created(receipt):
        return Answer(f"File created successfully at: {call.shown}")
    return Answer(f"File overwritten successfully at: {call.shown}")


def _str_replace(call: _Call) -> Answer:
    old = read_text(call.fields, "old_str", "")
    new = read_text(call.fields, "new_str", "") if "new_str" in call.fields else ""
    receipt = call.workspace.edit(call.path, Replace(old, new, occurrence="unique"), reason=call.reason)
    said = "Successfully replaced text at exactly one location."
    found = how_found(receipt)
    return Answer(said if found is None else f"{said}\n{found}\n{lines_now(receipt, 'colon')}")


def _insert(call: _Call) -> Answer:
    given = [name for name in ("insert_text", "new_str") if name in call.fields]
    if len(given) == 2 and call.fields["insert_text"] != call.fields["new_str"]:
        raise bad_request("insert_text", "it says something else than new_str", "send the text once, as insert_text")
    text = read_text(call.fields, given[0] if given else "insert_text", "")
    receipt = insert_lines(call.workspace, call.path, call.fields, text, call.reason)
    return Answer(f"The file {call.shown} has been edited.\n{lines_now(receipt, 'colon')}".rstrip("\n"))


def _undo_edit(call: _Call) -> Answer:
    """Take back this task's latest change of the file that still stands; a change of several files is left alone."""
    workspace = call.workspace
    for entry in workspace.history(call.path, task=workspace.task_id):
        record = entry.record
        is_mine = record.task == workspace.task_id and record.actor == workspace.actor
        if not is_mine or record.verb != "edit" or entry.undone_by is not None:
            continue
        if len(record.files) > 1 or record.files[0].is_rename:
            names = ", ".join(dict.fromkeys(name for change in record.files for name in change.paths))
            raise EditError(Kind.CANNOT_UNDO, f"the last edit of {call.shown} is part of a larger change: of {names}")
        receipt = workspace.undo(record.id, reason=call.reason)
        gone = all(file.after is None for file in receipt.files)
        return Answer(
            f"Last edit to {call.shown} undone successfully." + (" The file it had created is gone." if gone else "")
        )
    raise EditError(Kind.CANNOT_UNDO, f"No edit history found for {call.shown}.")
