"""Which command a call gives, and the fields that go with it. Both Anthropic tools are one tool with commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steadyhand.structure.fields import bad_request, nearest_name, read_text
from steadyhand.tools.arguments import Fields, read_arguments

__all__ = ["read_command"]


def read_command(arguments: object, known: Mapping[str, Sequence[str]]) -> tuple[str, Fields]:
    """The command and its fields; `known` has the fields of each command. Refuses with `bad-request`.

    >>> read_command({"command": "view", "path": "a"}, {"view": ("path",)})
    ('view', {'command': 'view', 'path': 'a'})
    """
    everything = ("command", *(name for names in known.values() for name in names))
    command = read_text(read_arguments(arguments, everything), "command", "")
    if command not in known:
        near = nearest_name(command[:80], known)
        raise bad_request(
            "command",
            f"there is no command {command[:80]!r}",
            f"did you mean {near!r}?" if near else f"one of {', '.join(known)}",
        )
    return command, read_arguments(arguments, ("command", *known[command]))
