"""Visual Studio Code with Copilot's agent."""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.surfaces.clients.client import OBSERVE, SERVER, Client, Section, as_json


def sections(command: Sequence[str]) -> tuple[Section, ...]:
    """The server of a workspace, and an agent that has our tools instead of the editor's."""
    server = {"servers": {SERVER: {"type": "stdio", "command": command[0], "args": list(command[1:])}}}
    agent = f"---\ndescription: Edits through Steadyhand\ntools: ['search', 'read', '{SERVER}/*']\n---\n"
    hook = {"hooks": {"PostToolUse": [{"type": "command", "command": OBSERVE}]}}
    return (
        Section("Add the server", ".vscode/mcp.json", as_json(server)),
        Section(
            "Turn the editor's own edit tools off",
            ".github/agents/steadyhand.agent.md",
            agent + "\nChange files with the Steadyhand tools only.",
            "Choose this agent in the chat; the tools picker can also switch the group `edit` off.",
        ),
        Section("Record edits that are made past Steadyhand", ".github/hooks/steadyhand.json", as_json(hook)),
    )


CLIENT = Client("vscode", "Visual Studio Code", sections)
