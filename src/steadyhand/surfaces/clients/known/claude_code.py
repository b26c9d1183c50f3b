"""Claude Code."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from steadyhand.surfaces.clients.client import OBSERVE, SERVER, Client, Section, as_json

_OWN = ["Edit", "MultiEdit", "Write", "NotebookEdit"]


def sections(command: Sequence[str]) -> tuple[Section, ...]:
    """By its own command, or for a whole team in the project's file."""
    server = {"mcpServers": {SERVER: {"command": command[0], "args": list(command[1:])}}}
    hook = {"matcher": "|".join(_OWN), "hooks": [{"type": "command", "command": OBSERVE}]}
    return (
        Section("Add the server", "a terminal", f"claude mcp add {SERVER} -- {shlex.join(command)}"),
        Section("Or share it with everybody who works on the project", ".mcp.json", as_json(server)),
        Section(
            "Turn Claude Code's own edit tools off",
            ".claude/settings.json",
            as_json({"permissions": {"deny": _OWN, "allow": [f"mcp__{SERVER}"]}}),
            "A shell can still write files; add Bash to the list where that must not happen.",
        ),
        Section(
            "Record edits that are made past Steadyhand, if you leave them on",
            ".claude/settings.json",
            as_json({"hooks": {"PostToolUse": [hook]}}),
        ),
    )


CLIENT = Client("claude-code", "Claude Code", sections)
