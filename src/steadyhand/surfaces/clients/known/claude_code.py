"""Claude Code."""

from __future__ import annotations

import shlex

from steadyhand.surfaces.clients.client import SERVER, Client, Section, Server, as_json

_OWN = ["Edit", "MultiEdit", "Write", "NotebookEdit"]


def sections(server: Server) -> tuple[Section, ...]:
    """By its own command, or for a whole team in the project's file."""
    program, *arguments = server.command
    shared = {"mcpServers": {SERVER: {"command": program, "args": arguments}}}
    hooks = [{"type": "command", "command": observe} for observe in server.observing("--hook")]
    return (
        Section("Add the server", "a terminal", f"claude mcp add {SERVER} -- {shlex.join(server.command)}"),
        Section("Or share it with everybody who works on the project", ".mcp.json", as_json(shared)),
        Section(
            "Turn Claude Code's own edit tools off",
            ".claude/settings.json",
            as_json({"permissions": {"deny": _OWN, "allow": [f"mcp__{SERVER}"]}}),
            "A shell can still write files; add Bash to the list where that must not happen.",
        ),
        Section(
            "Record edits that are made past Steadyhand, if you leave them on",
            ".claude/settings.json",
            as_json({"hooks": {"PostToolUse": [{"matcher": "|".join(_OWN), "hooks": hooks}]}}),
        ),
    )


CLIENT = Client("claude-code", "Claude Code", sections)
