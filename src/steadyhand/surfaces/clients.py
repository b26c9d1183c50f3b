"""Programs that start our MCP server: where each one keeps its configuration, and what has to be in it.

A client is a row of `_CLIENTS`. Nothing here touches a file: `client_files.py` writes what is described here.

Three rules for every row, each learned from driving the real program:

1. A file that everybody on a project shares has no path of one person's machine in it: the root is `.` or a variable
   that the client replaces.
2. A file in the user's home names no root at all, because the program is used in many projects: the server then works
   in the folder that the client reports, or in the repository that it was started in.
3. The command is one that will work. `uvx` fetches a package by its name: that works only for a copy that came from the
   package index, or from an address that everybody can reach. Whatever came from a folder or a file of this machine is
   started with this interpreter.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, Literal

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, lazy_pattern, replace

SERVER = "steadyhand"
TOOL_PREFIX = "steadyhand_"

Scope = Literal["project", "user"]
Entry = Mapping[str, Any]
_SHORT_LIST = lazy_pattern(r'\[(\n\s+"(?:[^"\\]|\\.)*",?)+\n\s*\]')


@dataclass(frozen=True, slots=True)
class Server:
    """The server that a client is to start: the words of its command, the program first, and where it works.

    `observe` are the words that record an edit which the client made with its own tools.
    """

    command: tuple[str, ...]
    roots: tuple[str, ...] = (".",)
    journal: str | None = None
    observe: tuple[str, ...] = (SERVER, "observe")

    def observing(self, rest: str) -> list[str]:
        """The commands that record such edits: one for each root, which skips what belongs to another."""
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
class ConfigFile:
    """A file of a client. `names` from the project's folder or from the home; the first that exists is taken.

    `variable` is the environment variable that moves the user's folder, and `moved` the file's name in it.
    `whole` is what a new file has besides the server.
    """

    names: tuple[str, ...]
    variable: str | None = None
    moved: str = ""
    whole: Mapping[str, Any] = MappingProxyType({})

    def path(self, base: str, environ: Mapping[str, str]) -> str:
        """The file to write, absolute."""
        if self.variable is not None and os.path.isabs(environ.get(self.variable, "")):
            return os.path.join(environ[self.variable], self.moved)
        found = (os.path.join(base, name) for name in self.names)
        return next((path for path in found if os.path.lexists(path)), os.path.join(base, self.names[0]))


@dataclass(frozen=True, slots=True)
class Client:
    """One program.

    `servers`      the key of its servers by name; of a list of them where `is_list`
    `entry`        the server in its words
    `root`         the root in a project's file; None where the client starts servers in the right place by itself
    `tool_prefix`  for a client that would mix our tools up with its own
    `note`         what a person has to know of the project's file
    `sections`     how to turn its own edit tools off, and how to record what they do
    """

    name: str
    title: str
    entry: Callable[[Sequence[str]], Entry]
    project: ConfigFile | None
    user: ConfigFile
    servers: str = "mcpServers"
    is_list: bool = False
    root: str | None = "."
    tool_prefix: str = ""
    note: str | None = None
    sections: Callable[[Server], tuple[Section, ...]] = lambda server: ()

    def file(self, scope: Scope) -> ConfigFile:
        """The file of a scope. Refuses with `bad-request` where the client has none."""
        found = self.project if scope == "project" else self.user
        if found is None:
            raise EditError(Kind.BAD_REQUEST, f"{self.title} has no project configuration", hint="use --scope user")
        return found

    def whole(self, scope: Scope, command: Sequence[str]) -> dict[str, Any]:
        """What a file of its own says for this server."""
        value: Any = [self.entry(command)] if self.is_list else {SERVER: self.entry(command)}
        return {**self.file(scope).whole, self.servers: value}


def as_json(value: object) -> str:
    """JSON as people write it in settings: a list of words is one line.

    >>> print(as_json({"args": ["-m", "steadyhand"]}))
    {
      "args": ["-m", "steadyhand"]
    }
    """
    return _SHORT_LIST.sub(_on_one_line, json.dumps(value, indent=2, ensure_ascii=False))


def _on_one_line(found: re.Match[str]) -> str:
    return json.dumps(json.loads(found.group()), ensure_ascii=False)


def _split(command: Sequence[str], **more: Any) -> Entry:
    program, *arguments = command
    return {"command": program, "args": arguments, **more}


def _xdg(path: str) -> ConfigFile:
    return ConfigFile((f".config/{path}",), "XDG_CONFIG_HOME", path)


_CLAUDE_TOOLS = ["Edit", "MultiEdit", "Write", "NotebookEdit"]


def _claude_code(server: Server) -> tuple[Section, ...]:
    hooks = [{"type": "command", "command": observe} for observe in server.observing("--hook --client claude-code")]
    return (
        Section(
            "Allow the tools without asking, record edits made without them, and turn the client's own edit tools off",
            ".claude/settings.json",
            as_json(
                {
                    "permissions": {"allow": [f"mcp__{SERVER}"], "deny": _CLAUDE_TOOLS},
                    "hooks": {"PostToolUse": [{"matcher": "|".join(_CLAUDE_TOOLS), "hooks": hooks}]},
                }
            ),
            "Claude Code follows `allow` only in a folder that you trust: start `claude` there once and say yes. "
            "Leave `deny` out to keep its own tools; a shell can write files either way.",
        ),
    )


def _off(place: str, text: str, note: str | None = None) -> Section:
    return Section("Turn the client's own edit tools off", place, text, note)


def _recorded(place: str, text: str) -> Section:
    return Section("Record edits made with other tools", place, text)


def _by_hand(server: Server, client: str) -> Section:
    text = "\n".join(server.observing("FILE"))
    note = f"{client} has no hook for this. Steadyhand also notices them when it next edits the file."
    return replace(_recorded("a terminal", text), note=note)


def _codex(server: Server) -> tuple[Section, ...]:
    note = "Then its shell and apply_patch cannot write, but the server, which runs outside that sandbox, can."
    return _off("~/.codex/config.toml", 'sandbox_mode = "read-only"', note), _by_hand(server, "Codex")


def _cursor(server: Server) -> tuple[Section, ...]:
    hooks = [{"command": observe} for observe in server.observing("--hook --client cursor")]
    mode = "Make a mode with Search and Read on, Edit off, and the MCP tools on; choose it in the chat."
    return (
        _off("Settings, Chat, Custom Modes", mode),
        _recorded(".cursor/hooks.json", as_json({"version": 1, "hooks": {"afterFileEdit": hooks}})),
    )


_OPENCODE_PLUGIN = """export const Observe = async ({ $ }) => ({
  "tool.execute.after": async (input, output) => {
    const file = output?.metadata?.filediff?.file ?? input?.args?.filePath;
    if (!["edit", "write"].includes(input.tool) || !file) return;
    for (const root of %s) await $`%s`.nothrow().quiet();
  },
});"""


def _opencode(server: Server) -> tuple[Section, ...]:
    denied = as_json({"permission": {"edit": "deny"}})
    # JSON is JavaScript too, and opencode's shell quotes what is put in with `${…}`.
    kept = () if server.journal is None else ("--journal", f"${{{json.dumps(server.journal)}}}")
    program = (word if word.isalnum() else f"${{{json.dumps(word)}}}" for word in server.observe)
    words = (*program, "--root", "${root}", *kept, "--client", "opencode", "${file}")
    return (
        _off("opencode.json", denied, "This covers its edit, write and patch tools."),
        Section(
            "Record edits made with other tools, if you leave them on",
            ".opencode/plugin/observe.js",
            _OPENCODE_PLUGIN % (json.dumps(server.roots), " ".join(words)),
        ),
    )


def _excluding(title: str, place: str, *tools: str) -> Callable[[Server], tuple[Section, ...]]:
    off = _off(place, as_json({"tools": {"exclude": tools}}))
    return lambda server: (off, _by_hand(server, title))


def _copilot(server: Server) -> tuple[Section, ...]:
    note = f"Without --allow-tool={SERVER} it asks before each call. A shell can still write files."
    command = f"copilot --deny-tool=write --allow-tool={SERVER}"
    return _off("a terminal", command, note), _by_hand(server, "Copilot CLI")


def _plain(title: str) -> Callable[[Server], tuple[Section, ...]]:
    return lambda server: (_by_hand(server, title),)


def _vscode(server: Server) -> tuple[Section, ...]:
    agent = f"---\ndescription: Edits through Steadyhand\ntools: ['search', 'read', '{SERVER}/*']\n---\n"
    hooks = [{"type": "command", "command": observe} for observe in server.observing("--hook --client vscode")]
    return (
        _off(
            ".github/agents/steadyhand.agent.md",
            agent + "\nChange files with the Steadyhand tools only.",
            "Choose this agent in the chat; the tools picker can also switch the group `edit` off.",
        ),
        _recorded(".github/hooks/steadyhand.json", as_json({"hooks": {"PostToolUse": hooks}})),
    )


def _zed(server: Server) -> tuple[Section, ...]:
    profile = {
        "name": "Steadyhand",
        "tools": {"read_file": True, "grep": True, "edit_file": False, "create_directory": False, "terminal": False},
        "enable_all_context_servers": False,
        "context_servers": {SERVER: {"tools": {}}},
    }
    return (
        _off(
            "~/.config/zed/settings.json",
            as_json({"agent": {"profiles": {"steadyhand": profile}}}),
            "Choose the profile in the agent panel, then switch the server's tools on under Configure.",
        ),
        _by_hand(server, "Zed"),
    )


def _code_folder() -> str:
    """Where Visual Studio Code keeps what is the user's."""
    return "Library/Application Support/Code/User" if sys.platform == "darwin" else ".config/Code/User"


_CLIENTS = (
    Client(
        "claude-code",
        "Claude Code",
        _split,
        ConfigFile((".mcp.json",)),
        ConfigFile((".claude.json",), "CLAUDE_CONFIG_DIR", ".claude.json"),
        root="${CLAUDE_PROJECT_DIR:-.}",
        note="Claude Code asks once whether you trust the servers of .mcp.json.",
        sections=_claude_code,
    ),
    Client(
        "codex",
        "Codex",
        lambda command: _split(
            command, default_tools_approval_mode="approve", required=True, startup_timeout_sec=20, tool_timeout_sec=60
        ),
        ConfigFile((".codex/config.toml",)),
        ConfigFile((".codex/config.toml",), "CODEX_HOME", "config.toml"),
        "mcp_servers",
        root=None,
        note="Codex reads a project's .codex/config.toml only if the project is trusted.",
        sections=_codex,
    ),
    Client(
        "opencode",
        "opencode",
        lambda command: {"type": "local", "command": list(command), "enabled": True},
        ConfigFile(("opencode.json", "opencode.jsonc"), whole={"$schema": "https://opencode.ai/config.json"}),
        ConfigFile(
            (".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"),
            "XDG_CONFIG_HOME",
            "opencode/opencode.json",
            {"$schema": "https://opencode.ai/config.json"},
        ),
        "mcp",
        sections=_opencode,
    ),
    Client(
        "gemini",
        "Gemini CLI",
        lambda command: _split(command, trust=True),
        ConfigFile((".gemini/settings.json",)),
        ConfigFile((".gemini/settings.json",)),
        note="Gemini CLI ignores a project's servers in a folder that it does not trust.",
        sections=_excluding("Gemini CLI", ".gemini/settings.json", "replace", "write_file"),
    ),
    Client(
        "copilot",
        "GitHub Copilot CLI",
        lambda command: _split(command, type="local", tools=["*"]),
        ConfigFile((".github/mcp.json",)),
        ConfigFile((".copilot/mcp-config.json",), "COPILOT_HOME", "mcp-config.json"),
        sections=_copilot,
    ),
    Client(
        "qwen",
        "Qwen Code",
        lambda command: _split(command, trust=True),
        ConfigFile((".qwen/settings.json",)),
        ConfigFile((".qwen/settings.json",)),
        sections=_excluding("Qwen Code", ".qwen/settings.json", "edit", "write_file"),
    ),
    Client(
        "cline",
        "Cline",
        lambda command: _split(command, disabled=False),
        None,
        ConfigFile(
            (".cline/data/settings/cline_mcp_settings.json",), "CLINE_DIR", "data/settings/cline_mcp_settings.json"
        ),
        sections=_plain("Cline"),
    ),
    Client(
        "continue",
        "Continue",
        lambda command: {"name": SERVER, **_split(command)},
        ConfigFile(
            (".continue/mcpServers/steadyhand.yaml",),
            whole={"name": "Steadyhand", "version": "0.0.1", "schema": "v1"},
        ),
        ConfigFile((".continue/config.yaml",), whole={"name": "Local", "version": "1.0.0", "schema": "v1"}),
        is_list=True,
        tool_prefix=TOOL_PREFIX,
        sections=_plain("Continue"),
    ),
    Client(
        "cursor",
        "Cursor",
        _split,
        ConfigFile((".cursor/mcp.json",)),
        ConfigFile((".cursor/mcp.json",)),
        root="${workspaceFolder}",
        sections=_cursor,
    ),
    Client(
        "vscode",
        "Visual Studio Code",
        lambda command: _split(command, type="stdio"),
        ConfigFile((".vscode/mcp.json",)),
        ConfigFile((f"{_code_folder()}/mcp.json",)),
        "servers",
        root="${workspaceFolder}",
        sections=_vscode,
    ),
    Client(
        "zed",
        "Zed",
        lambda command: _split(command, env={}),
        ConfigFile((".zed/settings.json",)),
        _xdg("zed/settings.json"),
        "context_servers",
        root=None,
        sections=_zed,
    ),
    Client(
        "goose",
        "Goose",
        lambda command: {
            "name": SERVER,
            "type": "stdio",
            "enabled": True,
            "cmd": command[0],
            "args": list(command[1:]),
            "timeout": 60,
        },
        None,
        _xdg("goose/config.yaml"),
        "extensions",
        sections=_plain("Goose"),
    ),
)


@cache
def clients() -> Mapping[str, Client]:
    """Every client by its name, in alphabetical order."""
    return MappingProxyType({client.name: client for client in sorted(_CLIENTS, key=lambda client: client.name)})


def client_named(name: str) -> Client:
    """One client. Refuses with `bad-request` a name that is not known."""
    known = clients()
    if name not in known:
        raise EditError(Kind.BAD_REQUEST, f"no client {name[:40]!r} is known", hint=f"clients: {', '.join(known)}")
    return known[name]


_NAME = "steadyhand"


@dataclass(frozen=True, slots=True)
class Installation:
    """`source` is what pip installs again: the bare name for a copy from the index, else an address or a path."""

    source: str
    is_fetched: bool
    is_editable: bool = False

    def requirement(self, extra: str) -> str:
        """What pip or uv is given to install this copy with an extra.

        >>> Installation("steadyhand", is_fetched=True).requirement("mcp")
        'steadyhand[mcp]'
        >>> Installation("git+https://host/steadyhand@abc", is_fetched=True).requirement("mcp")
        'steadyhand[mcp] @ git+https://host/steadyhand@abc'
        """
        if self.source == _NAME or not self.is_fetched:
            return f"{self.source}[{extra}]"
        return f"{_NAME}[{extra}] @ {self.source}"

    def how_to_add(self, extra: str) -> str:
        """The command that adds an extra to this copy."""
        words = ["pip", "install", *(["-e"] if self.is_editable else []), self.requirement(extra)]
        return shlex.join(words)

    def command(self, extra: str) -> tuple[str, ...]:
        """The words that start it: through uvx where another machine could fetch it too, else from here."""
        if self.is_fetched and shutil.which("uvx") is not None:
            return ("uvx", "--from", self.requirement(extra), _NAME)
        return (sys.executable, "-m", _NAME)

    def portable_command(self, extra: str) -> tuple[str, ...]:
        """The same for a file that others share: without a path of this machine, where there is a way."""
        command = self.command(extra)
        return (_NAME,) if command[0] == sys.executable and _is_on_path() else command


@cache
def installation() -> Installation:
    """This copy, as `direct_url.json` of its metadata describes it; the index leaves no such file."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        written = distribution(_NAME).read_text("direct_url.json")
    except PackageNotFoundError:
        return Installation(os.path.dirname(os.path.dirname(__file__)), is_fetched=False)
    return from_direct_url(json.loads(written)) if written else Installation(_NAME, is_fetched=True)


def from_direct_url(described: dict[str, object]) -> Installation:
    """An installation from the record that pip and uv keep of an address.

    >>> from_direct_url({"url": "file:///srv/steadyhand", "dir_info": {"editable": True}})
    Installation(source='/srv/steadyhand', is_fetched=False, is_editable=True)
    """
    url = str(described.get("url", ""))
    if url.startswith("file:"):
        from urllib.parse import unquote, urlsplit

        folder = described.get("dir_info")
        is_editable = isinstance(folder, dict) and folder.get("editable") is True
        return Installation(unquote(urlsplit(url).path), is_fetched=False, is_editable=is_editable)
    version = described.get("vcs_info")
    if isinstance(version, dict):
        return Installation(f"{version.get('vcs')}+{url}@{version.get('commit_id')}", is_fetched=True)
    return Installation(url, is_fetched=True)


def _is_on_path() -> bool:
    """Whether `steadyhand` in a terminal is this copy; pipx and uv link to it from a folder of theirs."""
    found = shutil.which(_NAME)
    here = os.path.dirname(sys.executable)
    return found is not None and here in (os.path.dirname(found), os.path.dirname(os.path.realpath(found)))
