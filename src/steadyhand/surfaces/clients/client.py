"""What a client is: a program that starts our MCP server, and the words its configuration is written in.

A client is one file in `known/` that ends with `CLIENT = Client(…)`; `_CLIENTS` names them. Nothing here writes a
file: these settings decide what runs on a machine, and a person puts them there.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import Registry, dataclass

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


_CLIENTS = Registry("steadyhand.surfaces.clients.known", "CLIENT", "claude_code codex cursor opencode vscode zed")


@cache
def clients() -> Mapping[str, Client]:
    """Every client by its name, in alphabetical order."""
    found: list[Client] = sorted(_CLIENTS.load(), key=lambda client: client.name)
    return MappingProxyType({client.name: client for client in found})


def client_named(name: str) -> Client:
    """One client. Refuses with `bad-request` a name that there is not."""
    known = clients()
    if name not in known:
        raise EditError(Kind.BAD_REQUEST, f"no client {name[:40]!r} is known", hint=f"clients: {', '.join(known)}")
    return known[name]
