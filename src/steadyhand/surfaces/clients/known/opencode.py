"""opencode."""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.surfaces.clients.client import SERVER, Client, Section, as_json

_PLUGIN = """export const Observe = async ({ $ }) => ({
  "tool.execute.after": async (input, output) => {
    const file = output?.metadata?.filediff?.file ?? input?.args?.filePath;
    if (["edit", "write"].includes(input.tool) && file) await $`steadyhand observe ${file}`.nothrow().quiet();
  },
});"""


def sections(command: Sequence[str]) -> tuple[Section, ...]:
    """One file for server and permissions, one for the plugin that observes."""
    schema = {"$schema": "https://opencode.ai/config.json"}
    server = {"mcp": {SERVER: {"type": "local", "command": list(command), "enabled": True}}}
    return (
        Section("Add the server", "opencode.json", as_json(schema | server)),
        Section(
            "Turn opencode's own edit tools off",
            "opencode.json",
            as_json({"permission": {"edit": "deny"}}),
            "This covers its edit, write and patch tools.",
        ),
        Section(
            "Record edits that are made past Steadyhand, if you leave them on", ".opencode/plugin/observe.js", _PLUGIN
        ),
    )


CLIENT = Client("opencode", "opencode", sections)
