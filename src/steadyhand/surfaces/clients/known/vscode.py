"""Visual Studio Code with Copilot's agent."""

from __future__ import annotations

from steadyhand.surfaces.clients.client import SERVER, Client, Section, Server, as_json


def sections(server: Server) -> tuple[Section, ...]:
    """The server of a workspace, and an agent that has our tools instead of the editor's."""
    program, *arguments = server.command
    added = {"servers": {SERVER: {"type": "stdio", "command": program, "args": arguments}}}
    agent = f"---\ndescription: Edits through Steadyhand\ntools: ['search', 'read', '{SERVER}/*']\n---\n"
    hooks = [{"type": "command", "command": observe} for observe in server.observing("--hook")]
    return (
        Section("Add the server", ".vscode/mcp.json", as_json(added)),
        Section(
            "Turn the editor's own edit tools off",
            ".github/agents/steadyhand.agent.md",
            agent + "\nChange files with the Steadyhand tools only.",
            "Choose this agent in the chat; the tools picker can also switch the group `edit` off.",
        ),
        Section(
            "Record edits that are made past Steadyhand",
            ".github/hooks/steadyhand.json",
            as_json({"hooks": {"PostToolUse": hooks}}),
        ),
    )


CLIENT = Client("vscode", "Visual Studio Code", sections)
