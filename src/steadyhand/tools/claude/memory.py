"""Anthropic's memory tool: `/memories` is the workspace's root, and nothing outside it can be named.

Directories are what their files make them: one is deleted or renamed as the files beneath it, all or none, and one
without files is not there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from steadyhand.errors import EditError, Kind
from steadyhand.plan.edit import Replace
from steadyhand.plan.request import DeleteFile, RenameFile, Requests
from steadyhand.session.workspace import Workspace
from steadyhand.structure.fields import bad_request, read_text
from steadyhand.tools.answer import NOT_FOUND, Answer, answer_refusal, lines_of_matches
from steadyhand.tools.arguments import Fields
from steadyhand.tools.claude.command import read_command
from steadyhand.tools.claude.directory import Directory, find_directory, is_file
from steadyhand.tools.claude.insertion import insert_lines
from steadyhand.tools.numbered import number_lines, range_in_view
from steadyhand.tools.paths import resolve_path
from steadyhand.tools.told import how_found, lines_now

__all__ = ["run"]

_FIELDS: Mapping[str, tuple[str, ...]] = {
    "view": ("path", "view_range"),
    "create": ("path", "file_text"),
    "str_replace": ("path", "old_str", "new_str"),
    "insert": ("path", "insert_line", "insert_text"),
    "delete": ("path",),
    "rename": ("old_path", "new_path"),
}
_MOST_LINES = 999_999
_DEEP = 32


@dataclass(frozen=True, slots=True)
class _Call:
    """One command: what it says, and where its paths lead."""

    workspace: Workspace
    fields: Fields
    prefix: str
    reason: str

    def text(self, name: str) -> str:
        return read_text(self.fields, name, "")

    def place(self, name: str = "path") -> str:
        """A path of the workspace, without a slash at its end: a directory may be named with one or without."""
        path = resolve_path(self.workspace, self.text(name), self.prefix, needs_prefix=True)
        return path.rstrip("/")

    def directory(self, path: str) -> Directory | None:
        """The directory at a path, if it holds anything."""
        found = find_directory(self.workspace, path, depth=_DEEP)
        return None if found is None or found.is_empty else found

    def is_missing(self, error: EditError, path: str) -> bool:
        """Nothing is there, or a directory where a file is meant, which the documentation treats alike."""
        if error.kind is Kind.NOT_TEXT or path == ".":
            return find_directory(self.workspace, path) is not None
        return error.kind is Kind.NO_SUCH_FILE and error.details.get("path") == path


def run(workspace: Workspace, arguments: Mapping[str, object], *, prefix: str = "/memories") -> Answer:
    """Carry out one call of the tool; `prefix` is what stands for the root in the model's paths."""
    try:
        command, fields = read_command(arguments, _FIELDS)
        call = _Call(workspace.as_tool("memory"), fields, prefix, f"memory: {command}")
        match command:
            case "view":
                return _view(call)
            case "create":
                return _create(call)
            case "str_replace":
                return _str_replace(call)
            case "insert":
                return _insert(call)
            case "delete":
                return _delete(call)
            case _:
                return _rename(call)
    except EditError as error:
        return answer_refusal(error)


def _view(call: _Call) -> Answer:
    shown, path = call.text("path"), call.place()
    try:
        source = call.workspace.read(path)
    except EditError as error:
        found = find_directory(call.workspace, path, depth=_DEEP)
        if found is not None and (path == "." or not found.is_empty):
            return _list(call, found)
        if found is not None or error.kind is Kind.NO_SUCH_FILE:
            return _failure(Kind.NO_SUCH_FILE, f"The path {shown} does not exist. Please provide a valid path.")
        raise
    bodies = source.lines
    if len(bodies) > _MOST_LINES:
        said = f"File {shown} exceeds maximum line limit of {_MOST_LINES:,} lines."
        return _failure(Kind.TOO_LARGE, said)
    first, last = range_in_view(call.fields.get("view_range"), len(bodies))
    head = f"Here's the content of {shown} with line numbers:"
    return Answer("\n".join([head, *number_lines(bodies[first - 1 : last], first, "cat")]))


def _list(call: _Call, found: Directory) -> Answer:
    shown = call.text("path").rstrip("/")
    head = f"Here're the files and directories up to 2 levels deep in {shown}, excluding hidden items and node_modules:"
    sizes = found.sizes(call.workspace)
    rows = [f"{_human(sizes[entry])}\t{shown}/{entry}" for entry in found.entries()]
    more = [] if found.cut is None else [f"(not everything was looked at: {found.cut})"]
    return Answer("\n".join([head, f"{_human(sizes[''])}\t{shown}", *rows, *more]))


def _create(call: _Call) -> Answer:
    shown, text = call.text("path"), call.text("file_text")
    try:
        call.workspace.create(
            resolve_path(call.workspace, shown, call.prefix, needs_prefix=True), text, reason=call.reason
        )
    except EditError as error:
        if error.kind is not Kind.EXISTS_ALREADY and find_directory(call.workspace, call.place()) is None:
            raise
        return _failure(Kind.EXISTS_ALREADY, f"Error: File {shown} already exists")
    return Answer(f"File created successfully at: {shown}")


def _str_replace(call: _Call) -> Answer:
    shown, path, old = call.text("path"), call.place(), call.text("old_str")
    new = call.text("new_str") if "new_str" in call.fields else ""
    try:
        receipt = call.workspace.edit(path, Replace(old, new, occurrence="unique"), reason=call.reason)
    except EditError as error:
        if call.is_missing(error, path):
            return _failure(Kind.NO_SUCH_FILE, f"Error: The path {shown} does not exist. Please provide a valid path.")
        if error.kind is Kind.AMBIGUOUS_MATCH:
            said = f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: "
            return _failure(error.kind, f"{said}{lines_of_matches(error)}. Please ensure it is unique")
        if error.kind in NOT_FOUND:
            said = f"No replacement was performed, old_str `{old}` did not appear verbatim in {shown}."
            return answer_refusal(error, said)
        raise
    told = ("The memory file has been edited.", how_found(receipt), lines_now(receipt, "cat"))
    return Answer("\n".join(part for part in told if part))


def _insert(call: _Call) -> Answer:
    shown, path = call.text("path"), call.place()
    try:
        insert_lines(call.workspace, path, call.fields, call.text("insert_text"), call.reason)
    except EditError as error:
        if call.is_missing(error, path):
            return _failure(Kind.NO_SUCH_FILE, f"Error: The path {shown} does not exist")
        raise
    return Answer(f"The file {shown} has been edited.")


def _delete(call: _Call) -> Answer:
    shown, path = call.text("path"), call.place()
    if path == ".":
        raise bad_request("path", f"{shown} itself cannot be deleted", "name what lies in it")
    directory = call.directory(path)
    try:
        if directory is None:
            call.workspace.delete(path, reason=call.reason)
        else:
            files = tuple(DeleteFile(each) for each in _whole(directory, shown))
            call.workspace.apply(Requests(files), reason=call.reason)
    except EditError as error:
        if call.is_missing(error, path):
            return _failure(Kind.NO_SUCH_FILE, f"Error: The path {shown} does not exist")
        raise
    return Answer(f"Successfully deleted {shown}")


def _rename(call: _Call) -> Answer:
    shown, shown_new = call.text("old_path"), call.text("new_path")
    path, new = call.place("old_path"), call.place("new_path")
    if "." in (path, new) or new.startswith(f"{path}/"):
        raise bad_request("new_path", f"{shown} cannot become {shown_new}", "name two places, none inside the other")
    directory = call.directory(path)
    try:
        if call.directory(new) is not None or is_file(call.workspace, new):
            raise EditError(Kind.EXISTS_ALREADY, f"{new} is there already")
        if directory is None:
            call.workspace.rename(path, new, reason=call.reason)
        else:
            files = tuple(RenameFile(each, new + each.removeprefix(path)) for each in _whole(directory, shown))
            call.workspace.apply(Requests(files), reason=call.reason)
    except EditError as error:
        if error.kind is Kind.EXISTS_ALREADY:
            return _failure(error.kind, f"Error: The destination {shown_new} already exists")
        if call.is_missing(error, path):
            return _failure(Kind.NO_SUCH_FILE, f"Error: The path {shown} does not exist")
        raise
    return Answer(f"Successfully renamed {shown} to {shown_new}")


def _whole(directory: Directory, shown: str) -> tuple[str, ...]:
    """Every file beneath a directory. Refuses with `not-allowed` where some of it cannot be moved or removed."""
    if directory.cut is not None or directory.links:
        why = directory.cut or f"{directory.links[0]} is a link"
        raise EditError(Kind.NOT_ALLOWED, f"{shown} cannot be taken as a whole: {why}", hint="name the files in it")
    return directory.files


def _failure(kind: Kind, said: str) -> Answer:
    """The documented sentence and nothing else."""
    return Answer(said, is_error=True, kind=str(kind))


def _human(size: float) -> str:
    """A size as people read it: `0B`, `512B`, `5.5K`, `1.2M`."""
    for unit in "BKM":
        if size < 1024:
            return f"{size:.0f}{unit}" if size == int(size) else f"{size:.1f}{unit}"
        size /= 1024
    return f"{size:.1f}G"
