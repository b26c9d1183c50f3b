"""The commands of the text editor, each on one file; `view` also lists a directory.

Every change goes through the workspace, so it is in the journal and can be undone.
"""

from __future__ import annotations

from steadyhand.errors import EditError, Kind
from steadyhand.plan.edit import Replace
from steadyhand.schema import bad_request
from steadyhand.tools.answer import Answer, Worded
from steadyhand.tools.claude.command import Command
from steadyhand.tools.claude.directory import find_directory
from steadyhand.tools.claude.insertion import insert_lines
from steadyhand.tools.claude.viewing import show_lines
from steadyhand.tools.seen import check_read
from steadyhand.tools.told import how_found, lines_now, tell, was_created
from steadyhand.tools.writing import write_under_settings

__all__ = ["create", "insert", "str_replace", "undo_edit", "view"]


def view(command: Command) -> Answer:
    """A file's lines with their numbers, or what lies in a directory. What is shown counts as read by the task."""
    path = command.call.directory(command.shown)
    try:
        source = command.workspace.source(path)
    except EditError as error:
        listing = _list(command, path) if error.kind in (Kind.NOT_TEXT, Kind.BAD_REQUEST) else None
        if listing is None:
            raise
        return listing
    for name in (path, source.path or path):  # what it is called, and what it leads to
        command.call.check_ending(name)
    rows = show_lines(command, source, "colon")
    return Answer("\n".join(rows) if rows else f"The file {command.shown} is empty.")


def _list(command: Command, path: str) -> Answer | None:
    """The directory, if it is one; a `view_range` applies to files only, as the documentation has it."""
    found = find_directory(command.workspace, path)
    if found is None:
        return None
    shown, above = command.shown, command.shown.rstrip("/")
    return Answer(found.told(shown, [shown, *(f"{above}/{entry}" for entry in found.entries())]))


def create(command: Command) -> Answer:
    """Make a file, or write over one whose present version this task has seen."""
    shown, text = command.shown, command.text("file_text")
    try:
        receipt = write_under_settings(command.call, command.call.path(shown), text, reason=command.reason)
    except EditError as error:
        if error.kind is not Kind.STALE_SOURCE:
            raise
        raise Worded(error, f"Error: File {shown} already exists") from None
    return Answer(
        tell(receipt, f"File {'created' if was_created(receipt) else 'overwritten'} successfully at: {shown}")
    )


def str_replace(command: Command) -> Answer:
    """Replace a text that occurs in exactly one place; without new text it goes."""
    edit = Replace(command.text("old_str"), str(command.fields.get("new_str", "")), occurrence="unique")
    path = command.call.path(command.shown)
    check_read(command.call, path)
    receipt = command.workspace.edit(path, edit, reason=command.reason)
    found = how_found(receipt)
    lines = None if found is None else lines_now(receipt, "colon")
    return Answer(tell(receipt, "Successfully replaced text at exactly one location.", found, lines))


def insert(command: Command) -> Answer:
    """Put lines after a line. Their text has had two names; both are taken."""
    given = [name for name in ("insert_text", "new_str") if name in command.fields]
    if len(given) == 2 and command.fields["insert_text"] != command.fields["new_str"]:
        raise bad_request("insert_text", "it says something else than new_str", "send the text once, as insert_text")
    text = command.text(given[0] if given else "insert_text")
    receipt = insert_lines(command, command.call.path(command.shown), text)
    return Answer(tell(receipt, f"The file {command.shown} has been edited.", lines_now(receipt, "colon")))


def undo_edit(command: Command) -> Answer:
    """Take back this task's latest change of the file that was not undone; a change of several files is left alone."""
    workspace, shown = command.workspace, command.shown
    for entry in workspace.history(command.call.path(shown), task=workspace.task_id):
        record = entry.record
        is_mine = record.task == workspace.task_id and record.actor == workspace.actor
        if not is_mine or record.verb != "edit" or entry.undone_by is not None:
            continue
        if len(record.files) > 1 or record.files[0].is_rename:
            names = ", ".join(dict.fromkeys(name for change in record.files for name in change.paths))
            raise EditError(Kind.CANNOT_UNDO, f"the last edit of {shown} is part of a larger change: of {names}")
        receipt = workspace.undo(record.id, reason=command.reason)
        gone = all(file.after is None for file in receipt.files)
        said = f"Last edit to {shown} undone successfully." + (" The file it had created is gone." if gone else "")
        return Answer(tell(receipt, said))
    raise EditError(Kind.CANNOT_UNDO, f"No edit history found for {shown}.")
