"""Cursor."""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.surfaces.clients.client import OBSERVE, SERVER, Client, Section, as_json


def sections(command: Sequence[str]) -> tuple[Section, ...]:
    """The server of a project, and a hook for what the editor's own tools write."""
    server = {"mcpServers": {SERVER: {"command": command[0], "args": list(command[1:])}}}
    return (
        Section("Add the server", ".cursor/mcp.json", as_json(server)),
        Section(
            "Keep Cursor's own edit tools out",
            "Settings, Chat, Custom Modes",
            "Make a mode with Search and Read on, Edit off, and the MCP tools on; choose it in the chat.",
        ),
        Section(
            "Record edits that are made past Steadyhand",
            ".cursor/hooks.json",
            as_json({"version": 1, "hooks": {"afterFileEdit": [{"command": OBSERVE}]}}),
        ),
    )


CLIENT = Client("cursor", "Cursor", sections)
