"""Anthropic's tools: the text editor in all its published versions, and the memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, replace
from steadyhand.plan.edit import Insert, Replace
from steadyhand.plan.request import DeleteFile, RenameFile, Requests
from steadyhand.schema import Field, Many, Number, Object, Text, bad_request, nearest_name, read_text
from steadyhand.session.receipt import Receipt
from steadyhand.session.workspace import Workspace
from steadyhand.structure.lines import Lines
from steadyhand.text.source import Source
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
    matches_of,
    tell,
    was_created,
    worded,
)
from steadyhand.tools.file_tools import write_under_settings
from steadyhand.tools.file_views import MOST_CHARACTERS, Style, check_read, fit_rows, number_lines, range_in_view
from steadyhand.tools.tool import Call, Example, Fields, Result, Settings, Tool, resolve_path

# Anthropic's text editor tool, in all its published versions.
#
# Versions differ in name, in `undo_edit` (gone since 20250429) and in how `insert` calls its text; both names are taken
# from any of them. The host chooses one with `version`, the newest where it does not.

# One command of a call, and the fields that go with it. Both Anthropic tools are one tool with commands.

# What the commands of both tools take besides a path.
ARGUMENTS = (
    Field("view_range", Many(Number()), "view: first and last line, from 1; a last of -1 is the file's."),
    Field("file_text", Text(), "create: the whole text."),
    Field("old_str", Text(), "str_replace: exact text; must match one place."),
    Field("new_str", Text(), "str_replace: the replacement; leave out to delete."),
    Field("insert_line", Number(), "insert: the line to insert after; 0 is the top."),
    Field("insert_text", Text(), "insert: the lines."),
)


@dataclass(frozen=True, slots=True)
class Command:
    """What a call asks for; `shown` is its path as the model wrote it."""

    name: str
    call: Call
    fields: Fields

    @property
    def workspace(self) -> Workspace:
        return self.call.workspace

    @property
    def reason(self) -> str:
        """What the journal keeps as the reason of a change."""
        return f"{self.workspace.tool}: {self.name}"

    @property
    def shown(self) -> str:
        return self.text("path")

    def text(self, name: str) -> str:
        """A field that this command needs. Refuses with `bad-request` where it is missing."""
        return read_text(self.fields, name, "")


Commands = Mapping[str, tuple[Callable[[Command], Answer], Sequence[str]]]
"""What carries out a command, and the fields that it has."""


def carry_out(call: Call, fields: Fields, commands: Commands) -> Answer:
    """Carry out the command of a call. Refuses with `bad-request` a field of another command."""
    name = str(fields["command"])
    run, known = commands[name]
    for each in fields:
        if each not in ("command", *known):
            near = nearest_name(each, known)
            hint = f"did you mean {near!r}?" if near else f"it has: {', '.join(known)}"
            raise bad_request(each, f"{name} has no such field", hint)
    return run(Command(name, call, fields))


# What lies in a directory, two levels deep, as the text editor and the memory list it.
#
# Hidden names and `node_modules` are left out. A directory is known by the files beneath it; one without any is not
# shown. Never reads through a link, and reads no more of the files than their sizes need.

_DEPTH = 2
_MOST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Directory:
    """Files and links beneath a directory, as paths of the workspace; `cut` says why they are not all."""

    files: tuple[str, ...]
    links: tuple[str, ...]
    cut: str | None
    _above: str

    @property
    def is_empty(self) -> bool:
        return not self.files and not self.links

    def render(self, shown: str, rows: Iterable[str]) -> str:
        """The rows under their documented heading, and why they are not all."""
        head = f"Here're the files and directories up to {_DEPTH} levels deep in {shown}, "
        more = [] if self.cut is None else [f"(not everything was searched: {self.cut})"]
        return "\n".join([f"{head}excluding hidden items and node_modules:", *rows, *more])

    def entries(self) -> Iterator[str]:
        """What is shown, relative to the directory, in order; directories end with a slash."""
        yield from sorted(self._shown(), key=lambda name: name.rstrip("/").split("/"))

    def sizes(self, workspace: Workspace) -> dict[str, int]:
        """Bytes of every entry, a directory's being its files'; `""` is the whole. Stops at a limit."""
        found: dict[str, int] = {"": 0} | dict.fromkeys(self._shown(), 0)
        for path in self.files:
            parts, size = self._names(path), _size(workspace, path)
            for name in ("", *_directories(parts), "/".join(parts)):
                if name in found:
                    found[name] += size
            if found[""] > _MOST_BYTES:
                break
        return found

    def _shown(self) -> set[str]:
        shown: set[str] = set()
        for path in (*self.files, *self.links):
            parts = self._names(path)
            if not any(part.startswith(".") or part == "node_modules" for part in parts):
                shown.update(_directories(parts)[:_DEPTH])
                shown.update(["/".join(parts)] if len(parts) <= _DEPTH else [])
        return shown

    def _names(self, path: str) -> list[str]:
        return path.removeprefix(self._above).split("/")


def find_directory(workspace: Workspace, path: str, *, depth: int = _DEPTH + 1) -> Directory | None:
    """The directory at a path, None where there is none; an empty one is one."""
    try:
        found = workspace.files(path, depth=depth)
    except EditError as error:
        if error.kind is Kind.NO_SUCH_FILE:
            return None
        raise
    names = [part for part in path.split("/") if part not in ("", ".")]
    above = "".join(f"{name}/" for name in names)
    is_literal = all(each.startswith(above) for each in (*found.files, *found.links))
    return Directory(found.files, found.links, found.cut, above if is_literal else "")


def _directories(parts: list[str]) -> list[str]:
    """The directories on the way to a file, each with a slash at its end."""
    return ["/".join(parts[:depth]) + "/" for depth in range(1, len(parts))]


def is_file(workspace: Workspace, path: str) -> bool:
    """Whether there is a file at a path, of whatever kind."""
    try:
        with workspace.transaction() as batch:
            batch.source(path)
    except EditError as error:
        return error.kind is not Kind.NO_SUCH_FILE and find_directory(workspace, path) is None
    return True


def _size(workspace: Workspace, path: str) -> int:
    """The file's size. Read in a transaction that asks for nothing, so that it does not count as read by the task."""
    try:
        with workspace.transaction() as batch:
            return batch.source(path).size
    except EditError as error:
        size = error.details.get("size")
        return size if isinstance(size, int) else 0


# A file as `view` shows it: numbered lines of a range, as many as fit. What is shown counts as read, the rest not.


def show_lines(command: Command, source: Source, style: Style) -> list[str]:
    """The lines of the command's `view_range`, and a last one that says so where they had to be cut."""
    bodies, most = source.lines, command.call.settings.max_characters or MOST_CHARACTERS
    first, last = range_in_view(command.fields.get("view_range"), len(bodies))
    rows = number_lines(bodies[first - 1 : last], first, style)
    kept, whole = fit_rows(rows, most)
    end = first + max(whole, 1) - 1
    if whole or not bodies:
        is_all = (first, whole) == (1, len(bodies))
        command.call.host.saw(source, None if is_all else (first, end))
    if whole == len(rows):
        return kept
    rest = f"continue with view_range [{end + 1}, -1]" if whole else f"line {first} goes on"
    return [*kept, f"(cut at {most} characters; the file has {len(bodies)} lines; {rest})"]


# Text put after a line, as both Anthropic tools do it.
#
# The text is whole lines: its final newline may be left out, blank lines at its end stay, and a last line of the file
# that has no newline gets one first.


def insert_lines(command: Command, path: str, text: str) -> Receipt:
    """Insert after `insert_line`, 0 being the top. Refuses with `out-of-bounds` what the file does not have."""
    line = command.fields.get("insert_line")
    if not isinstance(line, int):
        raise bad_request("insert_line", "the field is missing", "0 is before the first line")
    check_read(command.call, path)
    try:
        edit = Insert(Lines(line + 1, line), text, where="before")
        return command.workspace.edit(path, edit, reason=command.reason)
    except EditError as error:
        if error.kind is not Kind.OUT_OF_BOUNDS:
            raise
        count = error.details.get("line_count", 0)
        message = f"Invalid `insert_line` parameter: {line}. It should be within the range of lines of the file"
        raise EditError(Kind.OUT_OF_BOUNDS, f"{message}: [0, {count}]", details=error.details) from None


# The commands of the text editor, each on one file; `view` also lists a directory.
#
# Every change goes through the workspace, so it is in the journal and can be undone.


def view(command: Command) -> Answer:
    """A file's lines with their numbers, or what lies in a directory. What is shown counts as read by the task."""
    path = command.call.directory(command.shown)
    try:
        source = command.call.host.source(path)
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
    return Answer(found.render(shown, [shown, *(f"{above}/{entry}" for entry in found.entries())]))


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
        raise bad_request("insert_text", "it differs from new_str", "send the text once, as insert_text")
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


NEWEST = "20250728"
_EARLIER, _PRESENT = "str_replace_editor", "str_replace_based_edit_tool"
_NAMES: Mapping[str, str] = {"20241022": _EARLIER, "20250124": _EARLIER, "20250429": _PRESENT, NEWEST: _PRESENT}

_COMMANDS: Commands = {
    "view": (view, ("path", "view_range")),
    "create": (create, ("path", "file_text")),
    "str_replace": (str_replace, ("path", "old_str", "new_str")),
    "insert": (insert, ("path", "insert_line", "insert_text", "new_str")),
    "undo_edit": (undo_edit, ("path",)),
}
_DENIED = (Kind.READ_ONLY, Kind.PROTECTED_PATH, Kind.NOT_ALLOWED)


def _parameters(command: Text) -> Object:
    return Object.of(
        Field("command", command, "What to do.", required=True),
        Field("path", Text(), "The file; for view also a directory.", required=True),
        *ARGUMENTS,
    )


_WITH_UNDO = _parameters(Text(tuple(_COMMANDS)))
_WITHOUT_UNDO = _parameters(
    Text(tuple(_COMMANDS)[:-1], gone=(("undo_edit", "this version cannot undo: edit the current text"),))
)


def run(call: Call, fields: Fields) -> Result:
    """Carry out one command, and say what came of it in the words of Anthropic's documentation."""
    with worded(lambda error: _said(error, str(fields["command"]))):
        return carry_out(call, fields, _COMMANDS).to_json()


def _said(error: EditError, command: str) -> str | None:
    """The sentence that the documentation has for a refusal."""
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


def _fitted(tool: Tool, settings: Settings) -> Tool:
    """The tool in the version that the host chose. Refuses with `bad-request` one that there is not."""
    version = settings.version or NEWEST
    if version not in _NAMES:
        raise bad_request("version", f"the text editor has no version {version[:40]!r}", f"one of {[*_NAMES]}")
    named: dict[str, object] = {"type": f"text_editor_{version}", "name": _NAMES[version]}
    if version == NEWEST and settings.max_characters is not None:
        named["max_characters"] = settings.max_characters
    parameters = _WITH_UNDO if _NAMES[version] == _EARLIER else _WITHOUT_UNDO
    return replace(tool, name=_NAMES[version], native={"anthropic": named}, parameters=parameters)


_TEXT_EDITOR_TOOL = Tool(
    name=_PRESENT,
    title="Text editor",
    summary=(
        "View, create and edit text files. view shows numbered lines or a directory; create writes a whole file; "
        "str_replace replaces old_str, which must match exactly one place; insert adds lines after a line."
    ),
    parameters=_WITHOUT_UNDO,
    result=ANSWER,
    examples=(
        Example(
            about="Text that occurs once",
            files={"primes.py": "def is_prime(n):\n    return n > 1\n"},
            arguments={"command": "str_replace", "path": "primes.py", "old_str": "n > 1", "new_str": "n > 2"},
            result={"is_error": False, "content": "Successfully replaced text at exactly one location."},
            after={"primes.py": "def is_prime(n):\n    return n > 2\n"},
        ),
        Example(
            about="Lines of a file",
            files={"a.md": "one\ntwo\nthree\n"},
            arguments={"command": "view", "path": "a.md", "view_range": [2, -1]},
            result={"is_error": False, "content": "2: two\n3: three"},
        ),
        Example(
            about="Text that occurs twice",
            files={"a.txt": "x = 1\nx = 1\n"},
            arguments={"command": "str_replace", "path": "a.txt", "old_str": "x = 1", "new_str": "x = 2"},
            result={"is_error": True, "kind": "ambiguous-match"},
        ),
    ),
    run=run,
    trust="destructive",
    verbs=frozenset({"edit", "write", "create"}),
    rank=10,
    refused=lambda error, phrases: answer_refusal(error, phrases, as_texts("old_str", "new_str")),
    native={"anthropic": {"type": f"text_editor_{NEWEST}", "name": _PRESENT}},
    also=(_EARLIER, _PRESENT),
    fitted=_fitted,
    also_reads=True,
)


# Anthropic's memory tool: `/memories`, or the prefix that the host declares, is the workspace's root.
#
# Nothing outside it can be named.

# The commands of the memory tool, each on paths of which a prefix is the root of the workspace.
#
# Directories are what their files make them: one is deleted or renamed as the files beneath it, all or none, and one
# without files is not there.

_MOST_LINES = 999_999
_DEEP = 32


def view_memory(command: Command) -> Answer:
    """A file's lines with their numbers, or what lies in a directory and how large it is."""
    shown, path = command.shown, _place(command)
    try:
        source = command.call.host.source(path)
    except EditError as error:
        found = find_directory(command.workspace, path, depth=_DEEP)
        if found is not None and (path == "." or not found.is_empty):
            return _list_memories(command, found)
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


def _list_memories(command: Command, found: Directory) -> Answer:
    shown = command.shown.rstrip("/")
    sizes = found.sizes(command.workspace)
    rows = [f"{_human(sizes[entry])}\t{shown}/{entry}" for entry in found.entries()]
    return Answer(found.render(shown, [f"{_human(sizes[''])}\t{shown}", *rows]))


def create_memory(command: Command) -> Answer:
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


def replace_in_memory(command: Command) -> Answer:
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


def insert_in_memory(command: Command) -> Answer:
    """Put lines after a line."""
    shown, path, text = command.shown, _place(command), command.text("insert_text")
    try:
        receipt = insert_lines(command, command.call.path(path), text)
    except EditError as error:
        if _is_missing(command, error, path):
            raise _missing(error, f"Error: The path {shown} does not exist") from None
        raise
    return Answer(tell(receipt, f"The file {shown} has been edited."))


def delete_memory(command: Command) -> Answer:
    """Take away a file, or a directory with all that is in it."""
    shown, path = command.shown, _place(command)
    if path == ".":
        raise bad_request("path", f"{shown} itself cannot be deleted", "name something inside it")
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


def rename_memory(command: Command) -> Answer:
    """Give a file or a directory another name, which nothing may have yet."""
    shown, shown_new = command.text("old_path"), command.text("new_path")
    path, new = _place(command, "old_path"), _place(command, "new_path")
    if "." in (path, new) or new.startswith(f"{path}/"):
        raise bad_request("new_path", f"{shown} cannot become {shown_new}", "name two places, neither inside the other")
    directory = _directory(command, path)
    try:
        if _directory(command, new) is not None or is_file(command.workspace, new):
            raise EditError(Kind.EXISTS_ALREADY, f"{new} already exists")
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
        raise EditError(
            Kind.NOT_ALLOWED, f"{shown} cannot be moved or deleted as a whole: {why}", hint="name the files in it"
        )
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

_MEMORY_COMMANDS: Commands = {
    "view": (view_memory, ("path", "view_range")),
    "create": (create_memory, ("path", "file_text")),
    "str_replace": (replace_in_memory, ("path", "old_str", "new_str")),
    "insert": (insert_in_memory, ("path", "insert_line", "insert_text")),
    "delete": (delete_memory, ("path",)),
    "rename": (rename_memory, ("old_path", "new_path")),
}
MEMORY_PARAMETERS = Object.of(
    Field("command", Text(tuple(_MEMORY_COMMANDS)), "What to do.", required=True),
    Field("path", Text(), f"The file or directory, such as {PREFIX}/notes.md; every command but rename."),
    *ARGUMENTS,
    Field("old_path", Text(), "rename: the current path."),
    Field("new_path", Text(), "rename: the new path."),
)


def run_memory(call: Call, fields: Fields) -> Result:
    """Carry out one command, and say what came of it in the words of Anthropic's documentation."""
    here = replace(call, settings=replace(call.settings, prefix=call.settings.prefix or PREFIX))
    return carry_out(here, fields, _MEMORY_COMMANDS).to_json()


_MEMORY_TOOL = Tool(
    name="memory",
    title="Memory",
    summary=(
        f"Keep notes between conversations in files below {PREFIX}: "
        "view, create, str_replace, insert, delete and rename them."
    ),
    parameters=MEMORY_PARAMETERS,
    result=ANSWER,
    examples=(
        Example(
            about="A new note",
            arguments={"command": "create", "path": "/memories/ann.md", "file_text": "Likes tea.\n"},
            result={"is_error": False, "content": "File created successfully at: /memories/ann.md"},
            after={"ann.md": "Likes tea.\n"},
        ),
        Example(
            about="A directory is deleted with its content",
            files={"old/a.md": "a\n", "old/b.md": "b\n", "c.md": "c\n"},
            arguments={"command": "delete", "path": "/memories/old"},
            result={"is_error": False, "content": "Successfully deleted /memories/old"},
            after={"old/a.md": None, "old/b.md": None},
        ),
        Example(
            about="A path outside the memory directory",
            files={"ann.md": "Likes tea.\n"},
            arguments={"command": "view", "path": "/memories/../secrets.md"},
            result={"is_error": True, "kind": "outside-root"},
        ),
    ),
    run=run_memory,
    trust="destructive",
    verbs=frozenset({"edit", "create", "delete", "rename"}),
    rank=20,
    refused=lambda error, phrases: answer_refusal(error, phrases, as_texts("old_str", "new_str")),
    native={"anthropic": {"type": "memory_20250818", "name": "memory"}},
    also_reads=True,
)

TOOLS = (_TEXT_EDITOR_TOOL, _MEMORY_TOOL)
