"""Anthropic's text editor tool, in all its published versions.

Versions differ in name, in `undo_edit` (gone since 20250429) and in how `insert` calls its text; both names are taken
from any of them. The host chooses one with `version`, the newest where it does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, replace
from steadyhand.plan.edit import Insert, Replace
from steadyhand.schema import Field, Many, Number, Object, Text, bad_request, nearest_name, read_text
from steadyhand.session.host import host_of
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
    matches_of,
    tell,
    was_created,
    worded,
)
from steadyhand.tools.call import Call, Settings
from steadyhand.tools.file_views import MOST_CHARACTERS, Style, check_read, fit_rows, number_lines, range_in_view
from steadyhand.tools.file_writes import write_under_settings
from steadyhand.tools.tool import Example, Fields, Result, Tool

# One command of a call, and the fields that go with it. Both Anthropic tools are one tool with commands.

# What the commands of both tools take besides a path.
ARGUMENTS = (
    Field("view_range", Many(Number()), "view: first and last line, from 1; a last of -1 is the file's."),
    Field("file_text", Text(), "create: all of the text."),
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


def read_command(call: Call, fields: Fields, known: Mapping[str, Sequence[str]]) -> Command:
    """The command of a call; `known` has the fields of each. Refuses with `bad-request` a field of another command."""
    name = str(fields["command"])
    for each in fields:
        if each not in ("command", *known[name]):
            near = nearest_name(each, known[name])
            hint = f"did you mean {near!r}?" if near else f"it has: {', '.join(known[name])}"
            raise bad_request(each, f"{name} has no such field", hint)
    return Command(name, call, fields)


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
        more = [] if self.cut is None else [f"(not everything was looked at: {self.cut})"]
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
        host_of(command.workspace).saw(source, None if is_all else (first, end))
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
        source = host_of(command.workspace).source(path)
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


NEWEST = "20250728"
_EARLIER, _PRESENT = "str_replace_editor", "str_replace_based_edit_tool"
_NAMES: Mapping[str, str] = {"20241022": _EARLIER, "20250124": _EARLIER, "20250429": _PRESENT, NEWEST: _PRESENT}

_FIELDS: Mapping[str, tuple[str, ...]] = {
    "view": ("path", "view_range"),
    "create": ("path", "file_text"),
    "str_replace": ("path", "old_str", "new_str"),
    "insert": ("path", "insert_line", "insert_text", "new_str"),
    "undo_edit": ("path",),
}
_RUNS: Mapping[str, Callable[[Command], Answer]] = {
    "view": view,
    "create": create,
    "str_replace": str_replace,
    "insert": insert,
    "undo_edit": undo_edit,
}
_DENIED = (Kind.READ_ONLY, Kind.PROTECTED_PATH, Kind.NOT_ALLOWED)


def _parameters(command: Text) -> Object:
    return Object(
        (
            Field("command", command, "What to do.", required=True),
            Field("path", Text(), "The file; for view also a directory.", required=True),
            *ARGUMENTS,
        )
    )


_WITH_UNDO = _parameters(Text(tuple(_FIELDS)))
_WITHOUT_UNDO = _parameters(
    Text(tuple(_FIELDS)[:-1], gone=(("undo_edit", "this version cannot undo: edit the current text"),))
)


def run(call: Call, fields: Fields) -> Result:
    """Carry out one command, and say what came of it in the words of Anthropic's documentation."""
    command = read_command(call, fields, _FIELDS)
    with worded(lambda error: _said(error, command.name)):
        return _RUNS[command.name](command).to_json()


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
            about="A text that occurs once",
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
            about="A text that occurs twice",
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

TOOLS = (_TEXT_EDITOR_TOOL,)
