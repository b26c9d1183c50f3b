"""The Codex command line."""

from __future__ import annotations

import json
import shlex

from steadyhand.surfaces.clients.client import SERVER, Client, Section, Server


def sections(server: Server) -> tuple[Section, ...]:
    """By its own command, or in its configuration file."""
    program, *arguments = server.command
    table = (
        f"[mcp_servers.{SERVER}]\n"
        f"command = {json.dumps(program)}\n"
        f"args = {json.dumps(arguments, ensure_ascii=False)}\n"
        "startup_timeout_sec = 20\n"
        "tool_timeout_sec = 60\n"
        "supports_parallel_tool_calls = true"
    )
    return (
        Section("Add the server", "a terminal", f"codex mcp add {SERVER} -- {shlex.join(server.command)}"),
        Section("Or in the configuration file", "~/.codex/config.toml or .codex/config.toml", table),
        Section(
            "Keep Codex's own edits out",
            "~/.codex/config.toml",
            'sandbox_mode = "read-only"',
            "Its shell and apply_patch then cannot write; the server runs outside that sandbox and can.",
        ),
        Section(
            "Record edits that are made past Steadyhand",
            "a terminal",
            "\n".join(server.observing("FILE")),
            "Steadyhand also notices by itself when it next edits the file.",
        ),
    )


CLIENT = Client("codex", "Codex", sections)
