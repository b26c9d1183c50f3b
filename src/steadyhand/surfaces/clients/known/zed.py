"""Zed."""

from __future__ import annotations

from steadyhand.surfaces.clients.client import SERVER, Client, Section, Server, as_json


def sections(server: Server) -> tuple[Section, ...]:
    """A context server, and a profile without the editor's own edit tools."""
    program, *arguments = server.command
    added = {"context_servers": {SERVER: {"command": program, "args": arguments, "env": {}}}}
    profile = {
        "name": "Steadyhand",
        "tools": {"read_file": True, "grep": True, "edit_file": False, "create_directory": False, "terminal": False},
        "enable_all_context_servers": False,
        "context_servers": {SERVER: {"tools": {}}},
    }
    return (
        Section("Add the server", "settings.json", as_json(added)),
        Section(
            "Turn Zed's own edit tools off",
            "settings.json",
            as_json({"agent": {"profiles": {"steadyhand": profile}}}),
            "Choose the profile in the agent panel, then switch the server's tools on under Configure.",
        ),
        Section(
            "Record edits that are made past Steadyhand",
            "a terminal",
            "\n".join(server.observing("FILE")),
            "Zed has no hook for it; Steadyhand also notices by itself when it next edits the file.",
        ),
    )


CLIENT = Client("zed", "Zed", sections)
