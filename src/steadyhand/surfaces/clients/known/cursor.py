"""Cursor."""

from __future__ import annotations

from steadyhand.surfaces.clients.client import SERVER, Client, Section, Server, as_json


def sections(server: Server) -> tuple[Section, ...]:
    """The server of a project, and a hook for what the editor's own tools write."""
    program, *arguments = server.command
    added = {"mcpServers": {SERVER: {"command": program, "args": arguments}}}
    hooks = [{"command": observe} for observe in server.observing("--hook")]
    return (
        Section("Add the server", ".cursor/mcp.json", as_json(added)),
        Section(
            "Keep Cursor's own edit tools out",
            "Settings, Chat, Custom Modes",
            "Make a mode with Search and Read on, Edit off, and the MCP tools on; choose it in the chat.",
        ),
        Section(
            "Record edits that are made past Steadyhand",
            ".cursor/hooks.json",
            as_json({"version": 1, "hooks": {"afterFileEdit": hooks}}),
        ),
    )


CLIENT = Client("cursor", "Cursor", sections)
