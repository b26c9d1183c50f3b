"""The greeting and the list of tools, answered before the SDK is loaded, which takes longer than everything else.

A client waits for both at its start, and both are known beforehand: `lists/<toolset>.json` has the tools of a toolset,
written by `scripts/generate_docs.py` with `list_of` and checked by the same. A toolset whose tools depend on settings
of the host has no such file. Reading one takes a tenth of the time that loading the tools takes.
Everything the client has sent is then given to the SDK as well, and what that answers a second time is dropped: so it
is in the state that it would be in without a front.

1. The front answers only what it knows the SDK's answer to: a plain request, in the usual order, in plain ASCII. With
   the first frame that is anything else, however slightly, and after the list, the SDK takes over.
2. What it answers is what the SDK would answer.
3. It waits for no client that does not read: the SDK takes over while an answer is still being written.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyhand.lazy import dataclass, field
from steadyhand.surfaces.mcp.messages import Frames, Id, Oversize, as_id
from steadyhand.workspace.machine import write_ready

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

    from steadyhand.surfaces.mcp.launch import ServerOptions


HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
NAME, TITLE = "steadyhand", "Steadyhand"
_BLOCK = 1 << 16
_PATIENCE = 1.0  # seconds in which a client should have read an answer
_MOST_HEARD = 100  # frames that are kept for the SDK
_META = "io.modelcontextprotocol/"
PROTOCOL_VERSION = f"{_META}protocolVersion"
_ENVELOPE = {PROTOCOL_VERSION, f"{_META}clientInfo", f"{_META}clientCapabilities"}
_HOUR = 3_600_000
_AGAIN = "steadyhand/heard/"  # begins the id of a request that was answered
_CAPABILITIES = {
    "prompts": {"listChanged": False},
    "resources": {"listChanged": False, "subscribe": False},
    "tools": {"listChanged": False},
}
Wire = dict[str, Any]
MOST = 2_000
_SHOWN_ROOTS = 12
FOLDER = Path(__file__).resolve().parent / "lists"
ROOT = "root"
_ROOM = "anthropic/maxResultSizeChars"
_MOST_ROOM = 500_000  # what that client takes at most
Schema = dict[str, Any]


@dataclass(slots=True)
class Heard:
    """What a client has sent so far: the frames, first to last, and the beginning of the next.

    What was answered is in `answered` and has ids of its own, for a client may use an id again. `unwritten` is what the
    client has not taken of the last answer. `is_greeted`: the first request was `initialize`, and was answered.
    """

    is_greeted: bool = False
    waiting: list[bytes | Oversize] = field(default_factory=list)
    frames: Frames = field(default_factory=Frames)
    answered: set[Id] = field(default_factory=set)
    unwritten: bytes = b""


def claim() -> tuple[int, int]:
    """Standard input and output for the wire alone: whoever else reads gets nothing, whoever prints, standard error."""
    wire = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return wire


class Front:
    """What the front answers, frame by frame, and whether it goes on."""

    def __init__(self, options: ServerOptions) -> None:
        self._serving = options
        self.is_greeted = self._is_ready = self._is_modern = False
        self.has_listed = False

    def answer(self, frame: bytes) -> tuple[Id, Wire] | None:
        """The id and the result of a request; an empty result for what wants none; None: it is for the SDK."""
        message = _plain(frame)
        if message is None:
            return None
        params = message.get("params", {})
        if "id" not in message:
            is_next = message["method"] == "notifications/initialized" and self.is_greeted and not self._is_ready
            self._is_ready = self._is_ready or is_next
            return (0, {}) if is_next and not params else None
        result = self._result(str(message["method"]), params)
        return None if result is None else (message["id"], result)

    def _result(self, method: str, params: Wire) -> Wire | None:
        if method == "initialize" and not (self.is_greeted or self._is_modern) and _is_greeting(params):
            self.is_greeted = True
            return _greeting(self._serving) | {"protocolVersion": params["protocolVersion"], "serverInfo": _server()}
        is_modern = not self.is_greeted and _is_enveloped(params)
        self._is_modern = self._is_modern or is_modern
        if method == "server/discover" and is_modern:
            return _modern(_greeting(self._serving) | {"supportedVersions": [MODERN]})
        if method != "tools/list" or not (is_modern or (self._is_ready and not params)):
            return None
        tools = listed_tools(self._serving)
        if tools is None:
            return None
        self.has_listed = True
        return _modern({"tools": tools}) if is_modern else {"tools": tools}


def greet(options: ServerOptions, reading: int, writing: int) -> Heard | None:
    """Answer a client's first questions: what the SDK continues with; None if the client left or a signal came."""
    front, heard = Front(options), Heard()
    previous = signal.signal(signal.SIGTERM, _leave)
    try:
        while data := os.read(reading, _BLOCK):
            pending = list(heard.frames.feed(data))
            for number, frame in enumerate(pending, start=1):
                if not _take(front, frame, heard, writing):
                    heard.waiting += pending[number:]
                    return heard
        if unended := list(heard.frames.close()):
            heard.waiting += unended
            return heard
    except (_Leaving, KeyboardInterrupt, OSError):
        pass  # as good as the end
    finally:
        signal.signal(signal.SIGTERM, previous)
    return None


class _Leaving(Exception):
    """The server is asked to end."""


def _leave(number: int, frame: FrameType | None) -> None:
    raise _Leaving


def _take(front: Front, frame: bytes | Oversize, heard: Heard, writing: int) -> bool:
    """Answer a frame and keep it for the SDK; whether the front goes on."""
    found = None if isinstance(frame, Oversize) else front.answer(frame)
    heard.waiting.append(frame)
    if found is None or isinstance(frame, Oversize):
        return False
    heard.is_greeted = front.is_greeted
    number, result = found
    if not result:
        return True
    again = f"{_AGAIN}{len(heard.waiting)}"
    heard.waiting[-1] = json.dumps(json.loads(frame) | {"id": again}).encode()
    heard.answered.add(again)
    line = json.dumps({"jsonrpc": "2.0", "id": number, "result": result}, separators=(",", ":")).encode() + b"\n"
    heard.unwritten = bytes(write_ready(writing, memoryview(line), _PATIENCE))
    return not front.has_listed and not heard.unwritten and len(heard.waiting) < _MOST_HEARD


def _plain(frame: bytes) -> Wire | None:
    """A frame as a message, if it is a plain one: nothing is left that could be read in two ways."""
    if not frame.isascii() or b"\\" in frame:
        return None
    try:
        message = json.loads(frame, parse_float=_no_number, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or not isinstance(message.get("method"), str):
        return None
    if message.keys() - {"jsonrpc", "id", "method", "params"} or not isinstance(message.get("params", {}), dict):
        return None
    return message if "id" not in message or as_id(message["id"]) is not None else None


def _no_number(text: str) -> float:
    raise ValueError(text)


def _is_greeting(params: Wire) -> bool:
    return (
        params.keys() == {"protocolVersion", "capabilities", "clientInfo"}
        and params["protocolVersion"] in HANDSHAKES
        and _is_client(params["clientInfo"])
        and _are_capabilities(params["capabilities"])
    )


def _is_enveloped(params: Wire) -> bool:
    """Whether a request says of its client what one of the stateless era says, and asks for nothing more."""
    meta = params.get("_meta")
    return (
        params.keys() == {"_meta"}
        and isinstance(meta, dict)
        and meta.keys() == _ENVELOPE
        and meta[PROTOCOL_VERSION] == MODERN
        and _is_client(meta[f"{_META}clientInfo"])
        and _are_capabilities(meta[f"{_META}clientCapabilities"])
    )


def _is_client(given: object) -> bool:
    return (
        isinstance(given, dict)
        and {"name", "version"} <= given.keys() <= {"name", "version", "title"}
        and all(isinstance(value, str) for value in given.values())
    )


def _are_capabilities(given: object) -> bool:
    """Capabilities that nobody could object to: each an object of flags and of empty objects."""
    return isinstance(given, dict) and all(
        name in ("roots", "sampling", "elicitation")
        and isinstance(value, dict)
        and all(each == {} or (name == "roots" and isinstance(each, bool)) for each in value.values())
        for name, value in given.items()
    )


def _greeting(options: ServerOptions) -> Wire:
    return {"capabilities": _CAPABILITIES, "instructions": instructions(options)}


def _modern(result: Wire) -> Wire:
    caching = {"cacheScope": "private", "resultType": "complete", "ttlMs": _HOUR}
    return result | caching | {"_meta": {f"{_META}serverInfo": _server()}}


def _server() -> Wire:
    return {"name": NAME, "title": TITLE, "version": version()}


def version() -> str:
    """This version of Steadyhand, as the package itself says it: asking the installation takes 20 ms."""
    return str(sys.modules["steadyhand"].__version__)


def instructions(options: ServerOptions) -> str:
    """Toolsets, roots, mode and what to expect of an answer."""
    text = "\n".join(line for line in _lines(options) if line)
    return text if len(text) < MOST else f"{text[: MOST - 2]}…"


def _lines(options: ServerOptions) -> Iterable[str]:
    from steadyhand.tools.toolsets import toolset_named

    yield "Steadyhand edits files exactly: an edit changes the one place that is meant, or is refused with what to do."
    done = "read or searched" if options.is_reading else "read, searched or changed"
    yield f"Use these tools whenever a file here must be {done}."
    for name in options.toolsets:
        yield f"- {name}: {toolset_named(name).summary}"
    if options.tool_prefix:
        yield f"Tool names begin with `{options.tool_prefix}` here; hints leave it out."
    yield _roots([root.name for root in options.roots])
    if options.mode is not None:
        yield f"Mode {options.mode}: only the tools of this mode are available."
    if options.is_reading:
        yield "Files can be read and searched here, not changed."
    else:
        yield (
            "Every change is recorded with its reason and can be undone by its id. Give a reason if a tool takes one."
        )
        yield "Other agents may work on the same files: an edit of lines they changed unseen is refused, so read again."
    yield "A refusal has isError, a `kind` and a `hint` that says what to send instead; follow the hint."
    yield "Long results come in parts and say how to get the rest."
    if options.is_sandboxed:
        yield "The kernel keeps this server within its directories."


def _roots(names: list[str]) -> str:
    if not names:
        return ""
    if len(names) == 1:
        return f"Paths are relative to the directory {names[0]}."
    shown = ", ".join(names[:_SHOWN_ROOTS]) + (" …" if len(names) > _SHOWN_ROOTS else "")
    return f"Every tool takes `root`, the directory that paths are relative to: {shown}."


def listed_tools(options: ServerOptions) -> list[Schema] | None:
    """The tools of a server; None where they are not written down, or its roots are not known yet."""
    if not options.roots or options.settings is not None:
        return None
    found: dict[str, Schema] = {}
    for toolset in dict.fromkeys(options.toolsets):
        try:
            written = json.loads((FOLDER / f"{toolset}.json").read_bytes())
        except OSError:
            return None
        for name in written["listed"][_key(options.mode, is_read_only=options.is_reading)]:
            found.setdefault(name, written["tools"][name] | room_of(options.most))
    schemas = [with_prefix(schema, options.tool_prefix) for schema in found.values()]
    names = [root.name for root in options.roots]
    return schemas if len(names) == 1 else [with_root(schema, names) for schema in schemas]


def list_of(toolset: str) -> str | None:
    """What is written down of a toolset: its tools, and in which order which of them are listed when."""
    from steadyhand.session.context import MODES, allowed_verbs
    from steadyhand.tools.kit import offered
    from steadyhand.tools.tool import tool_schema
    from steadyhand.tools.toolsets import tools_of, toolset_named

    tools = tools_of(toolset)
    if any(tool.fitted is not None for tool in tools):
        return None
    left_out = {"outputSchema"} if toolset_named(toolset).is_native else set()
    schemas = {tool.name: tool_schema(tool, "mcp") for tool in tools}
    listed = {
        _key(mode, is_read_only=is_read_only): [tool.name for tool in offered(tools, mode, is_read_only=is_read_only)]
        for mode in (None, *MODES)
        for is_read_only in ((False, True) if allowed_verbs(mode) else (True,))
    }
    kept = {name: {key: each for key, each in value.items() if key not in left_out} for name, value in schemas.items()}
    return json.dumps({"listed": listed, "tools": kept}, indent=1) + "\n"


def with_prefix(schema: Schema, prefix: str) -> Schema:
    """The same tool under a name that no other tool of the client has."""
    return schema | {"name": f"{prefix}{schema['name']}"} if prefix else schema


def with_root(schema: Schema, names: Sequence[str]) -> Schema:
    """The same tool for a server of several roots: which one is meant is an argument that must be there."""
    given = schema["inputSchema"]
    root = {"type": "string", "enum": list(names), "description": "The directory that paths are relative to."}
    parameters = given | {
        "properties": {ROOT: root, **given.get("properties", {})},
        "required": [ROOT, *given.get("required", [])],
    }
    return schema | {"inputSchema": parameters}


def room_of(most: int) -> Schema:
    """For a client that cuts answers sooner: how many characters an answer has at most."""
    return {"_meta": {_ROOM: min(most, _MOST_ROOM)}}


def _key(mode: str | None, *, is_read_only: bool) -> str:
    return f"{mode or 'any'}{', read-only' if is_read_only else ''}"
