"""Claude Code's Edit, MultiEdit, Read and Write, with the first words of its answers that its models expect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from steadyhand.errors import EditError, Kind
from steadyhand.plan.edit import MAX_EDITS, Replace
from steadyhand.schema import Field, Flag, Many, Number, Object, Text
from steadyhand.session.receipt import Receipt
from steadyhand.tools.answer import (
    ANSWER,
    NOT_FOUND,
    Answer,
    answer_refusal,
    how_found,
    lines_now,
    matches_of,
    replacements,
    tell,
    was_created,
    worded,
)
from steadyhand.tools.file_tools import UNREAD, WHOLE, create_or_fill, created, write_whole
from steadyhand.tools.file_views import LINES_AT_ONCE, MOST_CHARACTERS, WIDEST, check_read, fit_rows, number_lines
from steadyhand.tools.tool import Call, Example, Fields, Result, Tool

# What Claude Code's models expect to read: the first words of its answers, before ours.


def said_of_one(error: EditError) -> str | None:
    """The same for one of several edits: it says which."""
    said, index = said_of(error), error.details.get("index")
    return f"Edit {index + 1}: {said or 'refused.'}" if isinstance(index, int) else said


def tell_change(receipt: Receipt, shown: str, *, everywhere: bool = False) -> Answer:
    """What an edit did, with the lines as they are now."""
    if was_created(receipt):
        return Answer(tell(receipt, f"File created successfully at: {shown}"))
    head = f"The file {shown} has been updated."
    if everywhere:
        count = replacements(receipt)
        head += " All occurrences were replaced." if count is None else f" Occurrences replaced: {count}."
    lines = lines_now(receipt, "cat")
    snippet = f"Here's the result of running `cat -n` on a snippet of the edited file:\n{lines}" if lines else None
    return Answer(tell(receipt, head, how_found(receipt), snippet))


def said_of(error: EditError) -> str | None:
    """The sentence for a refused edit or write."""
    match error.kind:
        case Kind.AMBIGUOUS_MATCH:
            return (
                f"Found {matches_of(error)} matches of the string to replace, but replace_all is false. "
                "Set it to true, or add surrounding lines."
            )
        case Kind.NO_CHANGE:
            return "No changes to make."
        case Kind.NO_SUCH_FILE:
            return "File does not exist."
        case Kind.EXISTS_ALREADY:
            return "Cannot create new file - file already exists."
        case Kind.STALE_SOURCE if error.details.get("expected") is None:
            return "File has not been read yet. Read it first before writing to it."
        case Kind.STALE_SOURCE if error.details["expected"] == error.details.get("actual"):
            return "File has been read only in part. Read the rest of it before writing to it."
        case Kind.STALE_SOURCE:
            return "File has been modified since read. Read it again before attempting to write it."
        case kind:
            return "String to replace not found in file." if kind in NOT_FOUND else None


# Claude Code's Edit: one old text for one new text, everywhere if the model says so.
# An empty old text makes a new file. That the file was read before is asked for only if the host wants it: the old
# text itself proves what the model knows.


def _run_edit(call: Call, fields: Fields) -> Result:
    """Edit the file, or make it."""
    shown, old, new = str(fields["file_path"]), str(fields["old_string"]), str(fields["new_string"])
    everywhere = bool(fields.get("replace_all"))
    with worded(said_of):
        path = call.path(shown)
        if not old:
            return tell_change(created(call, path, new, "Edit: create"), shown).to_json()
        check_read(call, path)
        edit = Replace(old, new, occurrence="all" if everywhere else "unique")
        receipt = call.workspace.edit(path, edit, reason="Edit: replace all" if everywhere else "Edit: replace")
    return tell_change(receipt, shown, everywhere=everywhere).to_json()


_EDIT_TOOL = Tool(
    name="Edit",
    title="Edit a file",
    summary=(
        "Replace old_string, which must match exactly one place unless replace_all is true. "
        "An empty old_string creates a file."
    ),
    parameters=Object.of(
        Field("file_path", Text(), "The file.", required=True),
        Field("old_string", Text(), "Exact text to replace; empty for a new file.", required=True),
        Field("new_string", Text(), "The replacement.", required=True),
        Field("replace_all", Flag(), "Replace every match."),
    ),
    result=ANSWER,
    examples=(
        Example(
            about="Text that occurs once",
            files={"app.py": "def run():\n    return 1\n"},
            arguments={"file_path": "app.py", "old_string": "return 1", "new_string": "return 2"},
            result={"is_error": False},
            after={"app.py": "def run():\n    return 2\n"},
        ),
        Example(
            about="Text that occurs twice",
            files={"a.txt": "x = 1\nx = 1\n"},
            arguments={"file_path": "a.txt", "old_string": "x = 1", "new_string": "x = 2"},
            result={"is_error": True, "kind": "ambiguous-match"},
        ),
    ),
    run=_run_edit,
    trust="destructive",
    verbs=frozenset({"edit", "create"}),
    rank=20,
    refused=answer_refusal,
)


# Claude Code's MultiEdit: several edits of one file, each on what the ones before it left, all or none.
# If the first has an empty old text, it makes the file that the others then edit. No edit may touch what an earlier
# one of the call has written.

_EDIT = Object.of(
    Field("old_string", Text(), "Exact text to replace.", required=True),
    Field("new_string", Text(), "The replacement.", required=True),
    Field("replace_all", Flag(), "Replace every match."),
)


def _run_multi_edit(call: Call, fields: Fields) -> Result:
    """Make the edits, or none of them."""
    shown, items = str(fields["file_path"]), cast("list[Mapping[str, object]]", fields["edits"])
    new = None if items[0]["old_string"] else str(items[0]["new_string"])
    edits = [_edit_of(item) for item in items[0 if new is None else 1 :]]
    with worded(said_of_one):
        path = call.path(shown)
        if new is not None:
            with call.workspace.transaction(reason=f"MultiEdit: create and {len(edits)} edits") as batch:
                create_or_fill(batch, path, new)
                try:
                    if edits:
                        batch.edit(path, edits)
                except EditError as error:
                    raise _counted_from_creation(error) from None
            return tell_change(batch.receipt, shown).to_json()
        check_read(call, path)
        return tell_change(call.workspace.edit(path, edits, reason=f"MultiEdit: {len(edits)} edits"), shown).to_json()


def _edit_of(item: Mapping[str, object]) -> Replace:
    everywhere = bool(item.get("replace_all"))
    return Replace(str(item["old_string"]), str(item["new_string"]), occurrence="all" if everywhere else "unique")


def _counted_from_creation(error: EditError) -> EditError:
    """The refusal of an edit that is one place later in the call than in the batch."""
    index = error.details.get("index")
    if not isinstance(index, int):
        return error
    return error.advised(error.hints, {**error.details, "index": index + 1})


_MULTI_EDIT_TOOL = Tool(
    name="MultiEdit",
    title="Edit a file in several places",
    summary=(
        "Several edits of one file, each applied to the result of the previous one, all or none. "
        "An empty old_string in the first edit creates the file."
    ),
    parameters=Object.of(
        Field("file_path", Text(), "The file.", required=True),
        Field("edits", Many(_EDIT, least=1, most=MAX_EDITS), "Applied in order.", required=True),
    ),
    result=ANSWER,
    examples=(
        Example(
            about="Two places",
            files={"a.md": "one\ntwo\nthree\n"},
            arguments={
                "file_path": "a.md",
                "edits": [{"old_string": "one", "new_string": "1"}, {"old_string": "three", "new_string": "3"}],
            },
            result={"is_error": False},
            after={"a.md": "1\ntwo\n3\n"},
        ),
        Example(
            about="The second does not match, so the first is not applied either",
            files={"a.md": "one\ntwo\n"},
            arguments={
                "file_path": "a.md",
                "edits": [{"old_string": "one", "new_string": "1"}, {"old_string": "four", "new_string": "4"}],
            },
            result={"is_error": True, "kind": "no-match"},
        ),
    ),
    run=_run_multi_edit,
    trust="destructive",
    verbs=frozenset({"edit", "create"}),
    rank=30,
    refused=answer_refusal,
)


# Claude Code's Read: a file's lines with their numbers, a stretch at a time. Long lines are cut, and both are said.


def _run_read(call: Call, fields: Fields) -> Result:
    """Read; what is shown whole then counts as read by the workspace's task."""
    offset, limit = (fields.get(name) or usual for name, usual in (("offset", 1), ("limit", LINES_AT_ONCE)))
    assert isinstance(offset, int) and isinstance(limit, int)
    with worded(lambda error: "File does not exist." if error.kind is Kind.NO_SUCH_FILE else None):
        source = call.host.source(call.path(str(fields["file_path"])))
    bodies = source.lines
    shown = [body[:WIDEST] for body in bodies[offset - 1 : offset - 1 + limit]]
    rows, whole = fit_rows(number_lines(shown, offset, "cat"), MOST_CHARACTERS)
    last = offset + whole - 1
    seen = [line for line in range(offset, last + 1) if len(bodies[line - 1]) <= WIDEST]
    if seen or not bodies:
        call.host.saw_each(source, seen)
    lines = [*rows, *_notes(bodies, offset, last)] if rows else [_nothing(len(bodies), offset)]
    return Answer("\n".join(lines)).to_json()


def _nothing(count: int, offset: int) -> str:
    what = (
        f"is shorter than the provided offset ({offset}). The file has {count} lines."
        if count
        else "the contents are empty."
    )
    return f"<system-reminder>Warning: the file exists but {what}</system-reminder>"


def _notes(bodies: list[str], first: int, last: int) -> list[str]:
    """What is not shown, and how to get it."""
    notes = []
    if wide := [line for line in range(first, last + 1) if len(bodies[line - 1]) > WIDEST]:
        lines = f"line {', '.join(map(str, wide[:10]))}{' …' * (len(wide) > 10)}"
        notes.append(f"(cut after {WIDEST} characters: {lines})")
    if last < len(bodies):
        notes.append(f"(lines {first} to {last} of {len(bodies)} are shown; read on with offset {last + 1})")
    return notes


_READ_TOOL = Tool(
    name="Read",
    title="Read a file",
    summary=f"Read a text file with numbered lines, {LINES_AT_ONCE} per call; offset and limit select a range.",
    parameters=Object.of(
        Field("file_path", Text(), "The file.", required=True),
        Field("offset", Number(least=0), "First line, from 1."),
        Field("limit", Number(least=1), f"How many lines; default: {LINES_AT_ONCE}."),
    ),
    result=ANSWER,
    examples=(
        Example(
            about="Part of a file",
            files={"a.md": "one\ntwo\nthree\n"},
            arguments={"file_path": "a.md", "offset": 2, "limit": 1},
            result={
                "is_error": False,
                "content": "     2\ttwo\n(lines 2 to 2 of 3 are shown; read on with offset 3)",
            },
        ),
        Example(
            about="A file that does not exist",
            files={"a.md": "one\n"},
            arguments={"file_path": "b.md"},
            result={"is_error": True, "kind": "no-such-file"},
        ),
    ),
    run=_run_read,
    rank=10,
    refused=answer_refusal,
)


# Claude Code's Write: the whole text of a file, new or read before in its present version.


def _run_write(call: Call, fields: Fields) -> Result:
    """Write the file."""
    with worded(said_of):
        return tell_change(write_whole(call, fields), str(fields["file_path"])).to_json()


_WRITE_TOOL = Tool(
    name="Write",
    title="Write a file",
    summary="Write a whole file. Read an existing one first; use Edit to change a part.",
    parameters=WHOLE,
    result=ANSWER,
    examples=(
        Example(
            about="A new file",
            arguments={"file_path": "docs/a.md", "content": "# A\n"},
            result={"is_error": False, "content": "File created successfully at: docs/a.md"},
            after={"docs/a.md": "# A\n"},
        ),
        Example(
            about="A file that exists, after it was read",
            files={"a.md": "# A\n"},
            first=[("Read", {"file_path": "a.md"})],
            arguments={"file_path": "a.md", "content": "# B\n"},
            result={"is_error": False},
            after={"a.md": "# B\n"},
        ),
        UNREAD,
    ),
    run=_run_write,
    trust="destructive",
    verbs=frozenset({"create", "write"}),
    lasts=("modify",),
    rank=40,
    refused=answer_refusal,
)


TOOLS = (
    _EDIT_TOOL,
    _MULTI_EDIT_TOOL,
    _READ_TOOL,
    _WRITE_TOOL,
)
