"""A model server on loopback that follows a script, in the four protocols that clients speak, all streaming.

Anthropic messages, OpenAI responses, OpenAI chat completions, Gemini. It makes one call of the script after the other,
by what the conversation in each request already holds, and keeps everything that a client sent.
"""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any, Self

SERVER = "steadyhand"
TOOLS = ("edit", "read", "search", "undo")
DONE = "The script has ended."
# A client may load tools only when a model asks for them, or start its servers while the model already talks.
SEARCHES = {"ToolSearch": "query", "tool_search": "query"}
WAITS: Mapping[str, Mapping[str, Any]] = {
    "WaitForMcpServers": {},
    "exec_command": {"cmd": "sleep 3", "yield_time_ms": 5000},
    "run_commands": {"commands": ["sleep 3"]},
}
MOST_WAITS = 6

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """One call: the tool by our name for it, and its arguments, which may depend on the answers before it."""

    tool: str
    arguments: Callable[[Sequence[str]], Json]


@dataclass(frozen=True, slots=True)
class Turn:
    """What a request says of the conversation: tools by name, calls that the model made, answers it was given."""

    tools: Sequence[str]
    calls: Sequence[str]
    answers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    arguments: Json


@dataclass(slots=True)
class Heard:
    """What a client sent the model in all: the names of our tools, and the answer to each step, as text."""

    tools: set[str] = field(default_factory=set)
    answers: list[str] = field(default_factory=list)
    requests: list[tuple[str, Json]] = field(default_factory=list)


class Script:
    """Which call comes next. A client may ask several times for the same step; the conversation decides."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = steps
        self.heard = Heard()

    def next(self, turn: Turn) -> Call | None:
        """The next call, or None: say that it is done."""
        ours = [name for name in turn.tools if SERVER in name.lower()]
        self.heard.tools |= set(ours)
        made = [name for name in turn.calls if SERVER in name.lower()]
        answers = [text for name, text in turn.answers.items() if SERVER in name.lower()]
        if len(answers) > len(self.heard.answers):
            self.heard.answers = answers
        if not turn.tools or len(made) >= len(self.steps):
            return None
        step = self.steps[len(made)]
        found = next((name for name in ours if name.lower().endswith(step.tool)), None)
        if found is not None:
            return Call(found, step.arguments(answers))
        return _patience(turn, step.tool)


def _patience(turn: Turn, tool: str) -> Call | None:
    """A call that makes the client show the tool, or gives its server time."""
    if len(turn.calls) >= MOST_WAITS:
        return None
    for name, argument in SEARCHES.items():
        if name in turn.tools:
            wanted = dict.fromkeys((tool, *TOOLS))
            return Call(name, {argument: f"select:{','.join(f'mcp__{SERVER}__{each}' for each in wanted)}"})
    return next((Call(name, dict(WAITS[name])) for name in turn.tools if name in WAITS), None)


def _text(content: object) -> str:
    """The text of an answer, however it is wrapped."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(_text(part) for part in content)
    if isinstance(content, Mapping):
        return _text(content["text"]) if isinstance(content.get("text"), str) else json.dumps(content)
    return "" if content is None else str(content)


def _numbered(pairs: Iterable[tuple[str, object]]) -> dict[str, str]:
    """Answers under the name of their tool; a number keeps two of one tool apart."""
    return {f"{name}#{number}": _text(content) for number, (name, content) in enumerate(pairs)}


def _event(name: str | None, value: Json) -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(value)}\n\n".encode()


_IDS = count(1)


def _id(prefix: str) -> str:
    return f"{prefix}_{time.time_ns()}_{next(_IDS)}"


def anthropic_turn(body: Json) -> Turn:
    parts = [
        part for message in body["messages"] if isinstance(message["content"], list) for part in message["content"]
    ]
    names = {part["id"]: part["name"] for part in parts if part.get("type") == "tool_use"}
    results = [part for part in parts if part.get("type") == "tool_result"]
    return Turn(
        [tool["name"] for tool in body.get("tools") or []],
        list(names.values()),
        _numbered((names.get(part["tool_use_id"], "?"), part.get("content")) for part in results),
    )


def anthropic_reply(body: Json, call: Call | None) -> Iterator[bytes]:
    def event(kind: str, **value: Any) -> bytes:
        return _event(kind, {"type": kind, **value})

    usage = {"input_tokens": 10, "output_tokens": 5}
    message = {"id": _id("msg"), "type": "message", "role": "assistant", "model": body.get("model", "scripted")}
    yield event("message_start", message={**message, "content": [], "stop_reason": None, "usage": usage})
    if call is None:
        yield event("content_block_start", index=0, content_block={"type": "text", "text": ""})
        yield event("content_block_delta", index=0, delta={"type": "text_delta", "text": DONE})
    else:
        block = {"type": "tool_use", "id": _id("toolu"), "name": call.name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}
        yield event("content_block_start", index=0, content_block=block)
        yield event("content_block_delta", index=0, delta=delta)
    yield event("content_block_stop", index=0)
    reason = "end_turn" if call is None else "tool_use"
    yield event("message_delta", delta={"stop_reason": reason, "stop_sequence": None}, usage=usage)
    yield event("message_stop")


def responses_turn(body: Json) -> Turn:
    tools: list[str] = []
    for tool in body.get("tools") or []:
        if tool.get("type") == "namespace":
            tools += [f"{tool['name']}|{inner['name']}" for inner in tool.get("tools", [])]
        elif "name" in tool:
            tools.append(tool["name"])
    items = body["input"] if isinstance(body["input"], list) else []
    made = {
        item["call_id"]: f"{item['namespace']}|{item['name']}" if item.get("namespace") else item["name"]
        for item in items
        if item.get("type") == "function_call"
    }
    outputs = [item for item in items if item.get("type") == "function_call_output"]
    return Turn(
        tools,
        list(made.values()),
        _numbered((made.get(item["call_id"], "?"), item.get("output")) for item in outputs),
    )


def responses_reply(body: Json, call: Call | None) -> Iterator[bytes]:
    numbers = count()

    def event(kind: str, **value: Any) -> bytes:
        return _event(kind, {"type": kind, "sequence_number": next(numbers), **value})

    response = {"id": _id("resp"), "object": "response", "created_at": int(time.time()), "model": body.get("model")}
    yield event("response.created", response={**response, "status": "in_progress", "output": []})
    if call is None:
        part = {"type": "output_text", "text": DONE, "annotations": []}
        item: Json = {"type": "message", "id": _id("msg"), "role": "assistant", "content": [part]}
        place = {"item_id": item["id"], "output_index": 0, "content_index": 0}
        yield event("response.output_item.added", output_index=0, item={**item, "content": []})
        yield event("response.content_part.added", **place, part={**part, "text": ""})
        yield event("response.output_text.delta", **place, delta=DONE)
        yield event("response.output_text.done", **place, text=DONE)
    else:
        space, _, name = call.name.rpartition("|")
        item = {"type": "function_call", "id": _id("fc"), "call_id": _id("call"), "name": name}
        item |= {"namespace": space} if space else {}
        arguments = json.dumps(call.arguments)
        place = {"item_id": item["id"], "output_index": 0}
        yield event("response.output_item.added", output_index=0, item={**item, "arguments": ""})
        yield event("response.function_call_arguments.delta", **place, delta=arguments)
        yield event("response.function_call_arguments.done", **place, arguments=arguments)
        item |= {"arguments": arguments}
    item |= {"status": "completed"}
    yield event("response.output_item.done", output_index=0, item=item)
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, **details}
    yield event("response.completed", response={**response, "status": "completed", "output": [item], "usage": usage})


def chat_turn(body: Json) -> Turn:
    made = {
        call["id"]: call["function"]["name"]
        for message in body["messages"]
        if message["role"] == "assistant"
        for call in message.get("tool_calls") or []
    }
    results = [message for message in body["messages"] if message["role"] == "tool"]
    return Turn(
        [tool["function"]["name"] for tool in body.get("tools") or []],
        list(made.values()),
        _numbered((made.get(message["tool_call_id"], "?"), message["content"]) for message in results),
    )


def chat_reply(body: Json, call: Call | None) -> Iterator[bytes]:
    def chunk(**more: Any) -> bytes:
        base = {"id": "chat", "object": "chat.completion.chunk", "created": int(time.time())}
        return _event(None, {**base, "model": body.get("model"), "choices": [], **more})

    if call is None:
        delta: Json = {"role": "assistant", "content": DONE}
    else:
        function = {"name": call.name, "arguments": json.dumps(call.arguments)}
        delta = {"role": "assistant", "content": None}
        delta["tool_calls"] = [{"index": 0, "id": _id("call"), "type": "function", "function": function}]
    yield chunk(choices=[{"index": 0, "delta": delta, "finish_reason": None}])
    yield chunk(choices=[{"index": 0, "delta": {}, "finish_reason": "stop" if call is None else "tool_calls"}])
    yield chunk(usage={"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2})
    yield b"data: [DONE]\n\n"


def gemini_turn(body: Json) -> Turn:
    parts = [part for content in body["contents"] for part in content.get("parts", [])]
    answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
    return Turn(
        [each["name"] for tool in body.get("tools") or [] for each in tool.get("functionDeclarations", [])],
        [part["functionCall"]["name"] for part in parts if "functionCall" in part],
        _numbered((answer["name"], answer.get("response")) for answer in answers),
    )


def gemini_reply(body: Json, call: Call | None) -> Iterator[bytes]:
    part: Json = {"text": DONE}
    if call is not None:
        part = {"functionCall": {"name": call.name, "args": call.arguments}, "thoughtSignature": "c2ln"}
    elif not body.get("tools"):  # it asks in JSON which model to take and who speaks next
        part = {"text": json.dumps({"reasoning": "scripted", "next_speaker": "user", "model_choice": "pro"})}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    yield _event(None, {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"})


PROTOCOLS: Mapping[str, tuple[Callable[[Json], Turn], Callable[[Json, Call | None], Iterator[bytes]]]] = {
    "/messages": (anthropic_turn, anthropic_reply),
    "/responses": (responses_turn, responses_reply),
    "/chat/completions": (chat_turn, chat_reply),
    ":streamGenerateContent": (gemini_turn, gemini_reply),
    ":generateContent": (gemini_turn, gemini_reply),
}


class ScriptedModel:
    """The server while it runs: `with ScriptedModel(script) as model: … model.url`."""

    def __init__(self, script: Script) -> None:
        self.script = script
        handler = type("Handler", (_Handler,), {"script": script})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script: Script

    def log_message(self, *arguments: Any) -> None:
        """Silent: what was asked is kept in `Heard`."""

    def do_HEAD(self) -> None:
        self._send("application/json", b"")

    def do_GET(self) -> None:
        model = {"id": "scripted", "object": "model", "created": 1, "owned_by": "tests"}
        self._json({"object": "list", "data": [model], "models": []} if "models" in self.path else {})

    def do_POST(self) -> None:
        path, body = self.path.split("?")[0], self._body()
        self.script.heard.requests.append((path, body))
        found = next((pair for ending, pair in PROTOCOLS.items() if path.endswith(ending)), None)
        if found is None:
            self._json({"input_tokens": 10, "totalTokens": 10})
            return
        turn, reply = found
        events = list(reply(body, self.script.next(turn(body))))
        if body.get("stream") or path.endswith(":streamGenerateContent"):
            self._send("text/event-stream", b"".join(events))
        else:
            self._json(_unstreamed(path, events))

    def _body(self) -> Json:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0)) or self._chunks()
        if self.headers.get("content-encoding") == "gzip":
            raw = gzip.decompress(raw)
        try:
            value = json.loads(raw)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    def _chunks(self) -> bytes:
        raw = b""
        while self.headers.get("transfer-encoding") == "chunked":
            length = int(self.rfile.readline().strip() or b"0", 16)
            raw += self.rfile.read(length)
            self.rfile.readline()
            if not length:
                break
        return raw

    def _json(self, value: Json) -> None:
        self._send("application/json", json.dumps(value).encode())

    def _send(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _unstreamed(path: str, events: Sequence[bytes]) -> Json:
    """The same reply as one document, for the few requests that do not ask for a stream."""
    values = [json.loads(event.split(b"data: ", 1)[1]) for event in events if b"[DONE]" not in event]
    if path.endswith("/responses"):
        return dict(values[-1]["response"])
    if path.endswith("/chat/completions"):
        choice = values[0]["choices"][0]
        return {**values[0], "object": "chat.completion", "choices": [{**choice, "message": choice["delta"]}]}
    if path.endswith("/messages"):
        return {**values[0]["message"], "content": [{"type": "text", "text": DONE}], "stop_reason": "end_turn"}
    return dict(values[0])
