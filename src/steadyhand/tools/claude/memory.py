"""Anthropic's memory tool: `/memories`, or the prefix that the host declares, is the workspace's root.

Nothing outside it can be named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import replace
from steadyhand.plan.edit import Replace
from steadyhand.plan.request import DeleteFile, RenameFile, Requests
from steadyhand.schema import Field, Object, Text, bad_request
from steadyhand.session.host import host_of
from steadyhand.tools.answer import (
    ANSWER,
    NOT_FOUND,
    Answer,
    Worded,
    answer_refusal,
    as_texts,
    how_found,
    lines_now,
    lines_of_matches,
    tell,
)
from steadyhand.tools.call import Call, resolve_path
from steadyhand.tools.claude.text_editor import (
    ARGUMENTS,
    Command,
    Directory,
    find_directory,
    insert_lines,
    is_file,
    read_command,
    show_lines,
)
from steadyhand.tools.file_views import check_read
from steadyhand.tools.tool import Example, Fields, Result, Tool

# The commands of the memory tool, each on paths of which a prefix is the root of the workspace.
#
# Directories are what their files make them: one is deleted or renamed as the files beneath it, all or none, and one
# without files is not there.

_MOST_LINES = 999_999
_DEEP = 32


def view(command: Command) -> Answer:
    """A file's lines with their numbers, or what lies in a directory and how large it is."""
    shown, path = command.shown, _place(command)
    try:
        source = host_of(command.workspace).source(path)
    except EditError as error:
        found = find_directory(command.workspace, path, depth=_DEEP)
        if found is not None and (path == "." or not found.is_empty):
            return _list(command, found)
        if found is not None or error.kind is Kind.NO_SUCH_FILE:
            raise _missing(error, f"The path {shown} does not exist. Please provide a valid path.") from None
        raise
    for name in (path, source.path or path):  # what it is called, and what it leads to
        command.call.check_ending(name)
    if len(source.lines) > _MOST_LINES:
        said = f"File {shown} exceeds maximum line limit of {_MOST_LINES:,} lines."
        raise Worded(EditError(Kind.TOO_LARGE, said), said, alone=True)
    head = f"Here's the content of {shown} with line numbers:"
    return Answer("\n".join([head, *show_lines(command, source, "cat")]))


def _list(command: Command, found: Directory) -> Answer:
    shown = command.shown.rstrip("/")
    sizes = found.sizes(command.workspace)
    rows = [f"{_human(sizes[entry])}\t{shown}/{entry}" for entry in found.entries()]
    return Answer(found.render(shown, [f"{_human(sizes[''])}\t{shown}", *rows]))


def create(command: Command) -> Answer:
    """Make a file; never over another."""
    shown, path, text = command.shown, _place(command), command.text("file_text")
    try:
        made = f"{path}/" if shown.endswith("/") else path
        receipt = command.workspace.create(command.call.path(made), text, reason=command.reason)
    except EditError as error:
        if error.kind is not Kind.EXISTS_ALREADY and find_directory(command.workspace, path) is None:
            raise
        there = EditError(Kind.EXISTS_ALREADY, error.message, details=error.details)
        raise Worded(there, f"Error: File {shown} already exists", alone=True) from None
    return Answer(tell(receipt, f"File created successfully at: {shown}"))


def str_replace(command: Command) -> Answer:
    """Replace a text that occurs in exactly one place; without new text it goes."""
    shown, path, old = command.shown, _place(command), command.text("old_str")
    edit = Replace(old, str(command.fields.get("new_str", "")), occurrence="unique")
    try:
        check_read(command.call, command.call.path(path))
        receipt = command.workspace.edit(path, edit, reason=command.reason)
    except EditError as error:
        if _is_missing(command, error, path):
            said = f"Error: The path {shown} does not exist. Please provide a valid path."
            raise _missing(error, said) from None
        if error.kind is Kind.AMBIGUOUS_MATCH:
            said = f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: "
            said += f"{lines_of_matches(error)}. Please ensure it is unique"
            raise Worded(error, said, alone=True) from None
        if error.kind in NOT_FOUND:
            said = f"No replacement was performed, old_str `{old}` did not appear verbatim in {shown}."
            raise Worded(error, said) from None
        raise
    return Answer(tell(receipt, "The memory file has been edited.", how_found(receipt), lines_now(receipt, "cat")))


def insert(command: Command) -> Answer:
    """Put lines after a line."""
    shown, path, text = command.shown, _place(command), command.text("insert_text")
    try:
        receipt = insert_lines(command, command.call.path(path), text)
    except EditError as error:
        if _is_missing(command, error, path):
            raise _missing(error, f"Error: The path {shown} does not exist") from None
        raise
    return Answer(tell(receipt, f"The file {shown} has been edited."))


def delete(command: Command) -> Answer:
    """Take away a file, or a directory with all that is in it."""
    shown, path = command.shown, _place(command)
    if path == ".":
        raise bad_request("path", f"{shown} itself cannot be deleted", "name what lies in it")
    directory = _directory(command, path)
    try:
        if directory is None:
            receipt = command.workspace.delete(command.call.path(path), reason=command.reason)
        else:
            files = tuple(DeleteFile(each) for each in _whole(command, directory, shown))
            receipt = command.workspace.apply(Requests(files), reason=command.reason)
    except EditError as error:
        if _is_missing(command, error, path):
            raise _missing(error, f"Error: The path {shown} does not exist") from None
        raise
    return Answer(tell(receipt, f"Successfully deleted {shown}"))


def rename(command: Command) -> Answer:
    """Give a file or a directory another name, which nothing may have yet."""
    shown, shown_new = command.text("old_path"), command.text("new_path")
    path, new = _place(command, "old_path"), _place(command, "new_path")
    if "." in (path, new) or new.startswith(f"{path}/"):
        raise bad_request("new_path", f"{shown} cannot become {shown_new}", "name two places, none inside the other")
    directory = _directory(command, path)
    try:
        if _directory(command, new) is not None or is_file(command.workspace, new):
            raise EditError(Kind.EXISTS_ALREADY, f"{new} exists already")
        found = [command.call.path(path)] if directory is None else _whole(command, directory, shown)
        files = tuple(RenameFile(each, command.call.path(new + each.removeprefix(path))) for each in found)
        receipt = command.workspace.apply(Requests(files), reason=command.reason)
    except EditError as error:
        if error.kind is Kind.EXISTS_ALREADY:
            raise Worded(error, f"Error: The destination {shown_new} already exists", alone=True) from None
        if _is_missing(command, error, path):
            raise _missing(error, f"Error: The path {shown} does not exist") from None
        raise
    return Answer(tell(receipt, f"Successfully renamed {shown} to {shown_new}"))


def _place(command: Command, name: str = "path") -> str:
    """A path of the workspace, without a slash at its end: a directory may be named with one or without."""
    prefix = command.call.settings.prefix
    return resolve_path(command.workspace, command.text(name), prefix, needs_prefix=True).rstrip("/")


def _directory(command: Command, path: str) -> Directory | None:
    """The directory at a path, if it holds anything."""
    found = find_directory(command.workspace, path, depth=_DEEP)
    return None if found is None or found.is_empty else found


def _whole(command: Command, directory: Directory, shown: str) -> list[str]:
    """Every file beneath a directory. Refuses with `not-allowed` where some of it cannot be moved or removed."""
    if directory.cut is not None or directory.links:
        why = directory.cut or f"{directory.links[0]} is a link"
        raise EditError(Kind.NOT_ALLOWED, f"{shown} cannot be taken as a whole: {why}", hint="name the files in it")
    return [command.call.path(each) for each in directory.files]


def _is_missing(command: Command, error: EditError, path: str) -> bool:
    """Nothing is there, or a directory where a file is meant, which the documentation treats alike."""
    if error.kind is Kind.NOT_TEXT or path == ".":
        return find_directory(command.workspace, path) is not None
    return error.kind is Kind.NO_SUCH_FILE and error.details.get("path") == path


def _missing(error: EditError, said: str) -> Worded:
    """The documented sentence and nothing else."""
    return Worded(EditError(Kind.NO_SUCH_FILE, error.message, details=error.details), said, alone=True)


def _human(size: float) -> str:
    """A size as people read it: `0B`, `512B`, `5.5K`, `1.2M`."""
    for unit in "BKM":
        if size < 1024:
            return f"{size:.0f}{unit}" if size == int(size) else f"{size:.1f}{unit}"
        size /= 1024
    return f"{size:.1f}G"


PREFIX = "/memories"

_FIELDS: Mapping[str, tuple[str, ...]] = {
    "view": ("path", "view_range"),
    "create": ("path", "file_text"),
    "str_replace": ("path", "old_str", "new_str"),
    "insert": ("path", "insert_line", "insert_text"),
    "delete": ("path",),
    "rename": ("old_path", "new_path"),
}
_RUNS: Mapping[str, Callable[[Command], Answer]] = {
    "view": view,
    "create": create,
    "str_replace": str_replace,
    "insert": insert,
    "delete": delete,
    "rename": rename,
}
PARAMETERS = Object(
    (
        Field("command", Text(tuple(_FIELDS)), "What to do.", required=True),
        Field("path", Text(), f"The file or directory, such as {PREFIX}/notes.md; every command but rename."),
        *ARGUMENTS,
        Field("old_path", Text(), "rename: what it is called."),
        Field("new_path", Text(), "rename: what it is to be called."),
    )
)


def run(call: Call, fields: Fields) -> Result:
    """Carry out one command, and say what came of it in the words of Anthropic's documentation."""
    here = replace(call, settings=replace(call.settings, prefix=call.settings.prefix or PREFIX))
    command = read_command(here, fields, _FIELDS)
    return _RUNS[command.name](command).to_json()


_MEMORY_TOOL = Tool(
    name="memory",
    title="Memory",
    summary=(
        f"Keep notes between conversations in files below {PREFIX}: "
        "view, create, str_replace, insert, delete and rename them."
    ),
    parameters=PARAMETERS,
    result=ANSWER,
    examples=(
        Example(
            about="A new note",
            arguments={"command": "create", "path": "/memories/ann.md", "file_text": "Likes tea.\n"},
            result={"is_error": False, "content": "File created successfully at: /memories/ann.md"},
            after={"ann.md": "Likes tea.\n"},
        ),
        Example(
            about="A directory goes with what is in it",
            files={"old/a.md": "a\n", "old/b.md": "b\n", "c.md": "c\n"},
            arguments={"command": "delete", "path": "/memories/old"},
            result={"is_error": False, "content": "Successfully deleted /memories/old"},
            after={"old/a.md": None, "old/b.md": None},
        ),
        Example(
            about="A path outside of the memory",
            files={"ann.md": "Likes tea.\n"},
            arguments={"command": "view", "path": "/memories/../secrets.md"},
            result={"is_error": True, "kind": "outside-root"},
        ),
    ),
    run=run,
    trust="destructive",
    verbs=frozenset({"edit", "create", "delete", "rename"}),
    rank=20,
    refused=lambda error, phrases: answer_refusal(error, phrases, as_texts("old_str", "new_str")),
    native={"anthropic": {"type": "memory_20250818", "name": "memory"}},
    also_reads=True,
)

TOOLS = (_MEMORY_TOOL,)
