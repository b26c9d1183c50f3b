"""Anthropic's memory tool: `/memories`, or the prefix that the host declares, is the workspace's root.

Nothing outside it can be named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from steadyhand.lazy import replace
from steadyhand.schema import Field, Object, Text
from steadyhand.tools.answer import ANSWER, Answer, answer_refusal, as_texts
from steadyhand.tools.call import Call
from steadyhand.tools.claude import memories
from steadyhand.tools.claude.command import ARGUMENTS, Command, read_command
from steadyhand.tools.tool import Example, Fields, Result, Tool

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
    "view": memories.view,
    "create": memories.create,
    "str_replace": memories.str_replace,
    "insert": memories.insert,
    "delete": memories.delete,
    "rename": memories.rename,
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


TOOL = Tool(
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
