"""Messages on a byte stream, one on each line: bytes to frames, a frame to a message, an answer to a line.

1. A frame that is too long is dropped as it comes in, with enough kept to answer it: no more than the longest frame
   that is allowed is ever held.
2. Whatever arrives is answered if it wants an answer: with its own, or with the error that says what is wrong with it.
3. No frame can make an answer that is longer than itself, or that cannot be written.

Loads the SDK only where a message of it is made: the front has none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from steadyhand.lazy import dataclass, lazy_pattern

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage
    from mcp_types import JSONRPCError, JSONRPCMessage


LONGEST = 10_000_000  # bytes
LONGEST_ID = 1_000  # characters
_KEPT = 4_096
_LAST_ID = lazy_pattern(rb',\s*"id"\s*:\s*(-?[0-9]{1,18}|"[^"\\]{0,200}")\s*\}\s*$')
_TOKEN = lazy_pattern(rb'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
Id = int | str
_LONGEST_METHOD = 200
_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}  # for clients that split at them too


@dataclass(frozen=True, slots=True)
class Oversize:
    """A frame that was dropped: how many bytes it had, and its id if it can be seen."""

    size: int
    id: Id | None


class Frames:
    """The frames of one stream, in the order they end."""

    def __init__(self, longest: int = LONGEST) -> None:
        self._longest = longest
        self._held = bytearray()
        self._dropped = 0  # bytes of a frame that is too long, beyond those held

    def feed(self, data: bytes) -> Iterator[bytes | Oversize]:
        """The frames that end in `data`."""
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            self._take(data[start:end])
            yield from self._ended()
            start = end + 1
        self._take(data[start:])

    def close(self) -> Iterator[bytes | Oversize]:
        """What was left without its end of line."""
        yield from self._ended()

    def _take(self, data: bytes) -> None:
        self._held += data
        excess = len(self._held) - self._longest
        if excess > 0 or self._dropped:
            kept = self._held[:_KEPT] + self._held[-_KEPT:] if len(self._held) > 2 * _KEPT else self._held
            self._dropped += len(self._held) - len(kept)
            self._held = kept

    def _ended(self) -> Iterator[bytes | Oversize]:
        held, dropped = bytes(self._held), self._dropped
        self._held, self._dropped = bytearray(), 0
        if dropped:
            yield Oversize(len(held) + dropped, id_of(held))
        elif held.strip():
            yield held


def id_of(data: bytes) -> Id | None:
    """The id of a request of which perhaps only beginning and end are there: its first field or its last."""
    found = _LAST_ID.search(data[-_KEPT:])
    return _read(found[1]) if found else _leading_id(data[:_KEPT])


def _leading_id(data: bytes) -> Id | None:
    """The member `id` of the outermost object, as far as the beginning shows it."""
    depth, previous = 0, (b"", b"")
    for token in _TOKEN.findall(data):
        if depth == 1 and previous == (b'"id"', b":"):
            return _read(token)
        depth += (token in b"{[") - (token in b"}]")
        previous = (previous[1], token)
    return None


def _read(token: bytes) -> Id | None:
    try:
        return as_id(json.loads(token))
    except ValueError:
        return None


def as_id(value: object) -> Id | None:
    """The value if an answer can carry it as its id: a whole number, or a text of whole characters, neither long."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    text = str(value)
    is_whole = text.isascii() or text.encode("utf-8", "ignore").decode() == text
    return value if is_whole and len(text) <= LONGEST_ID else None


def read_message(frame: bytes | Oversize) -> SessionMessage | JSONRPCError:
    """A frame as the SDK takes it, or the error that answers it."""
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    if isinstance(frame, Oversize):
        text = f"the message has {frame.size} bytes, and at most {LONGEST} are accepted"
        return _refused(frame.id, text, "send less at once, such as fewer files in a call", kind="too-large")
    try:
        message = jsonrpc_message_adapter.validate_json(frame, by_name=False)
    except ValueError:
        return _unreadable(frame)
    return _odd(message, frame) or SessionMessage(message)


def write_message(message: Any) -> bytes:
    """A message on a line. One that cannot be written is answered for, not died of."""
    try:
        return _line(message)
    except ValueError:
        from mcp_types import INTERNAL_ERROR

        number = as_id(getattr(message, "id", None))
        return _line(_error(number, INTERNAL_ERROR, "the answer cannot be written", "internal", "report it"))


def _line(message: Any) -> bytes:
    text: str = message.model_dump_json(by_alias=True, exclude_unset=True)
    if not text.isascii():
        text = text.translate(_LINE_ENDS)  # they are in strings only
    return f"{text}\n".encode()


def _odd(message: JSONRPCMessage, frame: bytes) -> JSONRPCError | None:
    """Why a message is not taken although it has the form of one."""
    from mcp_types import JSONRPCNotification, JSONRPCRequest

    if isinstance(message, JSONRPCNotification) and b'"id"' in frame and "id" in json.loads(frame):
        return _refused(None, "the id of a request is a text or a whole number", "give every request an id of its own")
    if not isinstance(message, JSONRPCRequest):
        return None
    if as_id(message.id) is None:
        return _refused(None, "the id of the request is too long", f"{LONGEST_ID} characters at most")
    if len(message.method) > _LONGEST_METHOD:
        return _refused(message.id, "the method's name is too long", "call a method that this server has")
    meta = (message.params or {}).get("_meta")
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    if isinstance(token, str | int) and as_id(int(token) if isinstance(token, bool) else token) is None:
        return _refused(message.id, "the progress token is too long", f"{LONGEST_ID} characters at most")
    return None


def _unreadable(frame: bytes) -> JSONRPCError:
    from mcp_types import PARSE_ERROR

    try:
        value = json.loads(frame)
    except (ValueError, RecursionError):
        hint = "send one message on a line, in UTF-8, not deeply nested"
        return _error(None, PARSE_ERROR, "the message cannot be read as JSON", "bad-request", hint)
    number = as_id(value.get("id")) if isinstance(value, dict) else None
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        text = "a text of the message holds half a character"
        return _refused(number, text, "send both halves of a surrogate pair, or neither")
    return _refused(number, "this is not a JSON-RPC message", "send one request on a line")


def _refused(id: Id | None, text: str, hint: str, kind: str = "bad-request") -> JSONRPCError:
    from mcp_types import INVALID_REQUEST

    return _error(id, INVALID_REQUEST, text, kind, hint)


def _error(id: Id | None, code: int, text: str, kind: str, hint: str) -> JSONRPCError:
    from mcp_types import ErrorData, JSONRPCError

    return JSONRPCError(
        jsonrpc="2.0", id=id, error=ErrorData(code=code, message=text, data={"kind": kind, "hint": hint})
    )
