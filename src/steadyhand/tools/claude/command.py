"""One command of a call, and the fields that go with it. Both Anthropic tools are one tool with commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steadyhand.lazy import dataclass
from steadyhand.schema import Field, Many, Number, Text, bad_request, nearest_name, read_text
from steadyhand.session.workspace import Workspace
from steadyhand.tools.call import Call
from steadyhand.tools.tool import Fields

__all__ = ["ARGUMENTS", "Command", "read_command"]

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
