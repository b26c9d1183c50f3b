"""opencode."""

from __future__ import annotations

import json

from steadyhand.surfaces.clients.client import SERVER, Client, Section, Server, as_json

_PLUGIN = """export const Observe = async ({ $ }) => ({
  "tool.execute.after": async (input, output) => {
    const file = output?.metadata?.filediff?.file ?? input?.args?.filePath;
    if (!["edit", "write"].includes(input.tool) || !file) return;
    for (const root of %s) await $`%s`.nothrow().quiet();
  },
});"""


def sections(server: Server) -> tuple[Section, ...]:
    """One file for server and permissions, one for the plugin that observes."""
    schema = {"$schema": "https://opencode.ai/config.json"}
    added = {"mcp": {SERVER: {"type": "local", "command": list(server.command), "enabled": True}}}
    return (
        Section("Add the server", "opencode.json", as_json(schema | added)),
        Section(
            "Turn opencode's own edit tools off",
            "opencode.json",
            as_json({"permission": {"edit": "deny"}}),
            "This covers its edit, write and patch tools.",
        ),
        Section(
            "Record edits that are made past Steadyhand, if you leave them on",
            ".opencode/plugin/observe.js",
            _plugin(server),
        ),
    )


def _plugin(server: Server) -> str:
    """JSON is JavaScript too, and opencode's shell quotes what is put in with `${…}`."""
    kept = () if server.journal is None else ("--journal", f"${{{json.dumps(server.journal)}}}")
    program = (word if word.isalnum() else f"${{{json.dumps(word)}}}" for word in server.observe)
    words = (*program, "--root", "${root}", *kept, "${file}")
    return _PLUGIN % (json.dumps(server.roots), " ".join(words))


CLIENT = Client("opencode", "opencode", sections)
