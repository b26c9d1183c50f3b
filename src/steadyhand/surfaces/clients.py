"""Programs that start our MCP server, and what to paste into the configuration of each.

A client is a function that makes its sections, and a row of `_CLIENTS`. Nothing here writes a file: these settings
decide what runs on a machine, and a person puts them there.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass

__all__ = ["OBSERVE", "PROGRAM", "SERVER", "Client", "Section", "Server", "as_json", "client_named", "clients"]

SERVER = "steadyhand"
PROGRAM = ("uvx", "--from", "steadyhand[mcp]", "steadyhand")
OBSERVE = ("uvx", "steadyhand", "observe")


@dataclass(frozen=True, slots=True)
class Server:
    """The server that a client is to start: the words of its command, the program first, and where it works.

    `observe` are the words that note an edit made past it.
    """

    command: tuple[str, ...]
    roots: tuple[str, ...]
    journal: str | None = None
    observe: tuple[str, ...] = OBSERVE

    def observing(self, rest: str) -> list[str]:
        """What notes edits that are made past it: a command for each root, which passes over what is not its own."""
        kept = () if self.journal is None else ("--journal", self.journal)
        return [f"{shlex.join((*self.observe, '--root', root, *kept))} {rest}" for root in self.roots]


@dataclass(frozen=True, slots=True)
class Section:
    """One thing to paste: what for, into which file (or `a terminal`), and the text."""

    title: str
    place: str
    text: str
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Client:
    """One program. `sections` is given the server that it is to start."""

    name: str
    title: str
    sections: Callable[[Server], tuple[Section, ...]]


def as_json(value: object) -> str:
    """JSON as people write it in settings."""
    return json.dumps(value, indent=2, ensure_ascii=False)


_CLAUDE_TOOLS = ["Edit", "MultiEdit", "Write", "NotebookEdit"]


def _claude_code(server: Server) -> tuple[Section, ...]:
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
            as_json({"permissions": {"deny": _CLAUDE_TOOLS, "allow": [f"mcp__{SERVER}"]}}),
            "A shell can still write files; add Bash to the list where that must not happen.",
        ),
        Section(
            "Record edits that are made past Steadyhand, if you leave them on",
            ".claude/settings.json",
            as_json({"hooks": {"PostToolUse": [{"matcher": "|".join(_CLAUDE_TOOLS), "hooks": hooks}]}}),
        ),
    )


def _codex(server: Server) -> tuple[Section, ...]:
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


def _cursor(server: Server) -> tuple[Section, ...]:
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


_OPENCODE_PLUGIN = """export const Observe = async ({ $ }) => ({
  "tool.execute.after": async (input, output) => {
    const file = output?.metadata?.filediff?.file ?? input?.args?.filePath;
    if (!["edit", "write"].includes(input.tool) || !file) return;
    for (const root of %s) await $`%s`.nothrow().quiet();
  },
});"""


def _opencode(server: Server) -> tuple[Section, ...]:
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
            _opencode_plugin(server),
        ),
    )


def _opencode_plugin(server: Server) -> str:
    """JSON is JavaScript too, and opencode's shell quotes what is put in with `${…}`."""
    kept = () if server.journal is None else ("--journal", f"${{{json.dumps(server.journal)}}}")
    program = (word if word.isalnum() else f"${{{json.dumps(word)}}}" for word in server.observe)
    words = (*program, "--root", "${root}", *kept, "${file}")
    return _OPENCODE_PLUGIN % (json.dumps(server.roots), " ".join(words))


def _vscode(server: Server) -> tuple[Section, ...]:
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


def _zed(server: Server) -> tuple[Section, ...]:
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


_CLIENTS = (
    Client("claude-code", "Claude Code", _claude_code),
    Client("codex", "Codex", _codex),
    Client("cursor", "Cursor", _cursor),
    Client("opencode", "opencode", _opencode),
    Client("vscode", "Visual Studio Code", _vscode),
    Client("zed", "Zed", _zed),
)


@cache
def clients() -> Mapping[str, Client]:
    """Every client by its name, in alphabetical order."""
    return MappingProxyType({client.name: client for client in _CLIENTS})


def client_named(name: str) -> Client:
    """One client. Refuses with `bad-request` a name that there is not."""
    known = clients()
    if name not in known:
        raise EditError(Kind.BAD_REQUEST, f"no client {name[:40]!r} is known", hint=f"clients: {', '.join(known)}")
    return known[name]
