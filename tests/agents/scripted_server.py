"""A model that says what a script says, behind a real OpenAI-compatible server on loopback, streaming where asked to.

    with scripted_server(Call("edit", {...}), "All done.") as server:
        named_model("openai-chat:scripted", base_url=server.url)

A script is a list of steps, one for each request, or several lists by a text that the conversation's first messages
hold, such as the path of its article. When a list is used up its last step is repeated.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

_PIECE, _PIECES = 40, 500  # characters of a reply in one event, and about as many events at most
_USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


@dataclass(frozen=True)
class Call:
    """A tool call, with arguments or the text that stands for them."""

    name: str
    arguments: object


@dataclass(frozen=True)
class Calls:
    """Several calls in one reply."""

    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Status:
    """An error of the server, such as a rate limit."""

    code: int
    retry_after: str | None = None


@dataclass(frozen=True)
class Cut:
    """A text or a call that ends because it has reached the limit of its length."""

    step: object


@dataclass(frozen=True)
class Drop:
    """The connection ends after so many bytes of the reply to a call or a text."""

    after: int = 200
    step: object = "some text that never arrives, because the connection is dropped before it is complete"


@dataclass(frozen=True)
class Slow:
    """Nothing is said until the server is closed. `meanwhile` is called when that begins."""

    meanwhile: Callable[[], object] | None = None


@dataclass(frozen=True)
class Raw:
    """These bytes for events."""

    body: bytes


@dataclass(frozen=True)
class Whole:
    """A reply as one JSON object, whether a stream was asked for or not."""

    step: object


@dataclass(frozen=True)
class Endless:
    """Text until the reader goes away, at most so many pieces."""

    piece: str = "x" * 10_000
    pieces: int = 100_000


Step = object  # a text or one of the above
Script = Sequence[Step] | Mapping[str, Sequence[Step]]


@dataclass
class ScriptedServer:
    script: Script
    requests: list[dict[str, Any]] = field(default_factory=list)
    url: str = ""
    sent: int = 0  # bytes, of endless replies
    _counts: dict[str, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    closing: threading.Event = field(default_factory=threading.Event)

    def next_step(self, request: dict[str, Any]) -> Step:
        with self._lock:
            self.requests.append(request)
            key, steps = self._steps(request)
            number = self._counts.get(key, 0)
            self._counts[key] = number + 1
        return steps[min(number, len(steps) - 1)]

    def _steps(self, request: dict[str, Any]) -> tuple[str, Sequence[Step]]:
        if not isinstance(self.script, Mapping):
            return "", self.script
        said = [text_of(message) for message in request["messages"] if message["role"] in ("system", "user")]
        for key in self.script:
            if any(key in text for text in said[:2]):
                return key, self.script[key]
        raise AssertionError(f"no script for {said[:2]}")


def text_of(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or ())


class EventLoopClock:
    """The clock of every event loop, moved on from another thread: a limit is reached without waiting for it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._ahead = 0.0
        self._loops: set[asyncio.BaseEventLoop] = set()
        real = asyncio.BaseEventLoop.time

        def time(loop: asyncio.BaseEventLoop) -> float:
            self._loops.add(loop)
            return real(loop) + self._ahead

        monkeypatch.setattr(asyncio.BaseEventLoop, "time", time)

    def move_on(self, seconds: float) -> None:
        self._ahead += seconds
        for loop in tuple(self._loops):
            if loop.is_running():
                loop.call_soon_threadsafe(lambda: None)  # it looks at the clock


@contextmanager
def scripted_server(*steps: Step, **scripts: Sequence[Step]) -> Iterator[ScriptedServer]:
    with scripted(scripts or steps) as server:
        yield server


@contextmanager
def scripted(script: Script, kind: type[ScriptedServer] = ScriptedServer) -> Iterator[ScriptedServer]:
    state = kind(script)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(state))
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield state
    finally:
        state.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(state: ScriptedServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # connections are kept, as real servers keep them

        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            request = json.loads(body)
            step = state.next_step(request)
            if not request.get("stream") and isinstance(step, str | Call | Calls):
                step = Whole(step)
            try:
                self._act(step)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def _act(self, step: Step) -> None:
            match step:
                case Slow():
                    if step.meanwhile is not None:
                        step.meanwhile()
                    state.closing.wait()
                    self.close_connection = True
                case Status():
                    self.send_response(step.code)
                    if step.retry_after is not None:
                        self.send_header("retry-after", step.retry_after)
                    self._send(b'{"error": {"message": "scripted", "type": "scripted"}}', "application/json")
                case Drop():
                    self.send_response(200)
                    self.send_header("content-type", "text/event-stream")
                    self.send_header("transfer-encoding", "chunked")
                    self.end_headers()
                    part = b"".join(_events(step.step))[: step.after]
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                    self.close_connection = True
                case Whole():
                    self.send_response(200)
                    self._send(_whole(step.step), "application/json")
                case Endless():
                    self.send_response(200)
                    self.send_header("content-type", "text/event-stream")
                    self.end_headers()
                    event = _event({"content": step.piece})
                    for _ in range(step.pieces):
                        self.wfile.write(event)
                        state.sent += len(event)
                    self.close_connection = True
                case _:
                    self.send_response(200)
                    data = step.body if isinstance(step, Raw) else b"".join(_events(step))
                    self._send(data, "text/event-stream")

        def _send(self, data: bytes, type: str) -> None:
            self.send_header("content-type", type)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler


def _events(step: Step) -> Iterator[bytes]:
    is_cut, step = isinstance(step, Cut), step.step if isinstance(step, Cut) else step
    calls = _calls(step)
    yield _event({"role": "assistant", "content": None if calls else ""})
    if not calls:
        for piece in _pieces(str(step)):
            yield _event({"content": piece})
    for number, call in enumerate(calls):
        head = {"index": number, "id": f"call_{number}_{id(step)}", "type": "function"}
        yield _event({"tool_calls": [{**head, "function": {"name": call.name, "arguments": ""}}]})
        for piece in _pieces(_written(call)):
            yield _event({"tool_calls": [{"index": number, "function": {"arguments": piece}}]})
    yield _event({}, finish="length" if is_cut else "tool_calls" if calls else "stop")
    yield _data({**_chunk(), "choices": [], "usage": _USAGE})
    yield b"data: [DONE]\n\n"


def _whole(step: Step) -> bytes:
    calls = _calls(step)
    message: dict[str, object] = {"role": "assistant", "content": None if calls else str(step)}
    if calls:
        message["tool_calls"] = [
            {
                "id": f"call_{number}_{id(step)}",
                "type": "function",
                "function": {"name": call.name, "arguments": _written(call)},
            }
            for number, call in enumerate(calls)
        ]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    return json.dumps({**_chunk(), "object": "chat.completion", "choices": [choice], "usage": _USAGE}).encode()


def _calls(step: Step) -> tuple[Call, ...]:
    return step.calls if isinstance(step, Calls) else (step,) if isinstance(step, Call) else ()


def _written(call: Call) -> str:
    return call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)


def _pieces(text: str) -> Iterator[str]:
    size = max(_PIECE, len(text) // _PIECES)
    for start in range(0, len(text), size):
        yield text[start : start + size]


def _chunk() -> dict[str, object]:
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}


def _event(delta: dict[str, object], finish: str | None = None) -> bytes:
    return _data({**_chunk(), "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


def _data(chunk: dict[str, object]) -> bytes:
    return f"data: {json.dumps(chunk)}\n\n".encode()
