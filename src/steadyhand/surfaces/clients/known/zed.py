"""Zed."""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.surfaces.clients.client import SERVER, Client, Section, as_json


def sections(command: Sequence[str]) -> tuple[Section, ...]:
    """A context server, and a profile without the editor's own edit tools."""
    server = {"context_servers": {SERVER: {"command": command[0], "args": list(command[1:]), "env": {}}}}
    profile = {
        "name": "Steadyhand",
        "tools": {"read_file": True, "grep": True, "edit_file": False, "create_directory": False, "terminal": False},
        "enable_all_context_servers": False,
        "context_servers": {SERVER: {"tools": {}}},
    }
    return (
        Section("Add the server", "settings.json", as_json(server)),
        Section(
            "Turn Zed's own edit tools off",
            "settings.json",
            as_json({"agent": {"profiles": {"steadyhand": profile}}}),
            "Choose the profile in the agent panel, then switch the server's tools on under Configure.",
        ),
        Section(
            "Record edits that are made past Steadyhand",
            "a terminal",
            "steadyhand observe FILE",
            "Zed has no hook for it; Steadyhand also notices by itself when it next edits the file.",
        ),
    )


CLIENT = Client("zed", "Zed", sections)
