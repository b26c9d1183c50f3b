"""A frame as a message of the protocol, or the error that answers it; and an answer as a line.

Whatever arrives is answered where an answer can be told: no frame is passed over in silence that wanted one, and none
can make an answer that is longer than its own, or cannot be written.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from steadyhand.surfaces.mcp.frames import LONGEST, LONGEST_ID, Id, Oversize, as_id

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage
    from mcp_types import JSONRPCError, JSONRPCMessage

__all__ = ["read_message", "write_message"]

_LONGEST_METHOD = 200
_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}  # for clients that split at them too


def read_message(frame: bytes | Oversize) -> SessionMessage | JSONRPCError:
    """A frame as the SDK takes it, or the error that answers it."""
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    if isinstance(frame, Oversize):
        text = f"the message has {frame.size} bytes, and no more than {LONGEST} are taken"
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
        text = text.translate(_LINE_ENDS)  # they stand in strings only
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
    return _refused(number, "this is no JSON-RPC message", "send one request on a line")


def _refused(id: Id | None, text: str, hint: str, kind: str = "bad-request") -> JSONRPCError:
    from mcp_types import INVALID_REQUEST

    return _error(id, INVALID_REQUEST, text, kind, hint)


def _error(id: Id | None, code: int, text: str, kind: str, hint: str) -> JSONRPCError:
    from mcp_types import ErrorData, JSONRPCError

    return JSONRPCError(
        jsonrpc="2.0", id=id, error=ErrorData(code=code, message=text, data={"kind": kind, "hint": hint})
    )
