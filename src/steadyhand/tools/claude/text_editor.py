"""Anthropic's text editor tool, in all its published versions.

Versions differ in name, in `undo_edit` (gone since 20250429) and in how `insert` calls its text; both names are taken
from any of them. The host chooses one with `version`, the newest where it does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import replace
from steadyhand.schema import Field, Object, Text, bad_request
from steadyhand.tools.answer import ANSWER, NOT_FOUND, Answer, answer_refusal, as_texts, matches_of, worded
from steadyhand.tools.call import Call, Settings
from steadyhand.tools.claude import editing
from steadyhand.tools.claude.command import ARGUMENTS, Command, read_command
from steadyhand.tools.tool import Example, Fields, Result, Tool

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
    "view": editing.view,
    "create": editing.create,
    "str_replace": editing.str_replace,
    "insert": editing.insert,
    "undo_edit": editing.undo_edit,
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


TOOL = Tool(
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
