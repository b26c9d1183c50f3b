"""The JSON form of records, written by hand and numbered, and how bodies and images are packed.

Reading is strict: whatever `encode_*` did not write is a ValueError, never a half-filled value; and what no file
can have (a mode beyond its bits, a path with NUL, an unknown encoding) is one too, because the row may come from
somebody else and would fail only when it is used. Text goes out unescaped as UTF-8 with lone surrogates passed
through, so that bytes which are no text survive; JSON escapes would join two neighbouring surrogates into one
character.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
import zlib
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TypeVar

from steadyhand.lazy import lazy_pattern
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.encoding import Encoding, is_text_codec
from steadyhand.workspace.journal.record import (
    EditEnd,
    EditNote,
    FileChange,
    FileState,
    Ownership,
    Record,
    Staging,
    ToolCall,
    Verb,
)

VERSION = 1
RAW, ZLIB = 0, 1
BODY_LIMIT = 1 << 30
_PACK_FROM = 1024
_MODE_LIMIT = 0o7777
_PID_LIMIT = (1 << 31) - 1
_FENCE_LIMIT = (1 << 63) - 1
_OWNER_LIMIT = (1 << 32) - 2  # the last number means "leave it as it is"
_DIGEST = lazy_pattern("[0-9a-f]{64}")
_VERBS: dict[str, Verb] = {"edit": "edit", "undo": "undo", "redo": "redo"}
_ENDS: dict[str, EditEnd] = {"applied": "applied", "refused": "refused", "skipped": "skipped"}

_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

T = TypeVar("T")
Json = Mapping[str, object]


to_text: Callable[[object], str] = _JSON.encode
"""A JSON value on one line; newlines inside are escaped."""


def to_bytes(value: Json) -> bytes:
    """A JSON object on one line."""
    return to_text(value).encode("utf-8", "surrogatepass")


def from_bytes(data: bytes) -> Json:
    """The inverse of `to_bytes`; ValueError on anything that is no JSON object."""
    try:
        value = json.loads(data.decode("utf-8", "surrogatepass"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def pack(data: bytes) -> tuple[int, bytes]:
    """Compress what is worth it: the codec and the stored bytes."""
    if len(data) > _PACK_FROM:
        packed = zlib.compress(data, 1)
        if len(packed) < len(data):
            return ZLIB, packed
    return RAW, data


def unpack(codec: int, data: bytes, limit: int = BODY_LIMIT) -> bytes:
    """The inverse of `pack`; ValueError for bytes it did not make or that would unpack to more than `limit`."""
    if codec == RAW:
        return data
    if codec != ZLIB:
        raise ValueError(f"unknown codec {codec}")
    stream = zlib.decompressobj()
    try:
        whole = stream.decompress(data, limit)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if not stream.eof or stream.unused_data:
        raise ValueError("not one whole packed value")
    return whole


def encode_prepared(record: Record, staging: Staging) -> bytes:
    """The body of a prepared row."""
    return to_bytes({"v": VERSION, "record": record_to_json(record), "staging": _from_staging(staging)})


def decode_record(body: bytes) -> Record:
    """The record of a prepared row; ValueError on anything else."""
    return _record(_versioned(body, "record"))


def decode_staging(body: bytes) -> Staging:
    """The staging of a prepared row; ValueError on anything else."""
    data = _versioned(body, "staging")
    try:
        temps = tuple((_name(path), _name(temp)) for path, temp in map(_pair, as_list(data["temps"])))
        machine, pid, locks = as_text(data["machine"]), _up_to(_PID_LIMIT, data["pid"]), _strings(data["locks"])
        return Staging(machine, pid, temps, locks, _up_to(_FENCE_LIMIT, data.get("fence", 0)))
    except KeyError as error:
        raise ValueError(f"a staging without {error}") from None


def record_from_json(data: object) -> Record:
    """ValueError on anything that `record_to_json` did not make."""
    return _record(as_object(data))


def change_from_json(data: object) -> FileChange:
    """ValueError on anything that `change_to_json` did not make."""
    try:
        return _file(as_object(data))
    except KeyError as error:
        raise ValueError(f"a change without {error}") from None


def decode_note(body: bytes) -> tuple[str, dict[str, object]]:
    """Type and body of a row that is no record's; ValueError on anything else."""
    match from_bytes(body):
        case {"type": str(name), "body": dict(said)}:
            return name, said
    raise ValueError("not a note")


def _versioned(body: bytes, part: str) -> Json:
    data = from_bytes(body)
    if data.get("v") != VERSION:
        raise ValueError(f"a record of form {data.get('v')!r}, this version reads {VERSION}")
    return as_object(data.get(part))


def _from_staging(staging: Staging) -> Json:
    return {
        "machine": staging.machine,
        "pid": staging.pid,
        "temps": [list(pair) for pair in staging.temps],
        "locks": list(staging.lock_keys),
        **({"fence": staging.fence} if staging.fence else {}),
    }


def record_to_json(record: Record) -> Json:
    """A record as a part of a row; `record_from_json` is the inverse."""
    return {
        "id": record.id,
        "time": record.time,
        "actor": record.actor,
        "task": record.task,
        "tool": record.tool,
        "reason": record.reason,
        "verb": record.verb,
        "undoes": list(record.undoes),
        "files": [change_to_json(file) for file in record.files],
        "arguments": record.arguments,
        "model": record.model,
        "duration_ms": record.duration_ms,
        **({"call": call_to_json(record.call)} if record.call is not None else {}),
        **({"dialect": record.dialect} if record.dialect is not None else {}),
    }


def call_to_json(call: ToolCall) -> Json:
    """A tool's call as a part of a row."""
    return {
        "id": call.id,
        "toolset": call.toolset,
        "conversation": call.conversation,
        **({"tokens": list(call.tokens)} if call.tokens is not None else {}),
        **({"model_ms": call.model_ms} if call.model_ms is not None else {}),
    }


def _call(data: Json) -> ToolCall:
    tokens, model_ms = _maybe(_lines, data.get("tokens")), _maybe(as_number, data.get("model_ms"))
    return ToolCall(as_text(data["id"]), as_text(data["toolset"]), as_text(data["conversation"]), tokens, model_ms)


def _record(data: Json) -> Record:
    try:
        return Record(
            id=as_text(data["id"]),
            time=as_text(data["time"]),
            actor=as_text(data["actor"]),
            task=_maybe(as_text, data["task"]),
            tool=as_text(data["tool"]),
            reason=_maybe(as_text, data["reason"]),
            verb=_VERBS[as_text(data["verb"])],
            undoes=_strings(data["undoes"]),
            files=tuple(_file(as_object(file)) for file in as_list(data["files"])),
            arguments=_maybe(as_text, data["arguments"]),
            model=_maybe(as_text, data["model"]),
            duration_ms=_maybe(as_number, data["duration_ms"]),
            call=_call(as_object(data["call"])) if "call" in data else None,
            dialect=_maybe(as_text, data.get("dialect")),
        )
    except KeyError as error:
        raise ValueError(f"a record without {error}") from None


def change_to_json(file: FileChange) -> Json:
    """What happened to one file as a part of a row; `change_from_json` is the inverse."""
    return {
        "before": state_to_json(file.before),
        "after": state_to_json(file.after),
        "changes": None if file.changes is None else file.changes.to_json(),
        "encoding": None if file.encoding is None else file.encoding.to_json(),
        "edits": [_from_note(note) for note in file.edits],
        "made_dirs": list(file.made_dirs),
        "redacted": file.redacted,
        **({"left": [_from_note(note) for note in file.left]} if file.left else {}),
    }


def _file(data: Json) -> FileChange:
    redacted = data["redacted"]
    if not isinstance(redacted, bool):
        raise ValueError("redacted is true or false")
    return FileChange(
        before=_maybe(state_from_json, data["before"]),
        after=_maybe(state_from_json, data["after"]),
        changes=_maybe(_changes, data["changes"]),
        encoding=_maybe(_encoding, data["encoding"]),
        edits=tuple(_note(as_object(note)) for note in as_list(data["edits"])),
        made_dirs=tuple(_name(path) for path in as_list(data["made_dirs"])),
        redacted=redacted,
        left=tuple(_note(as_object(note)) for note in as_list(data.get("left", []))),
    )


def state_to_json(state: FileState | None) -> list[object] | None:
    """Where a file was and what it was, as a part of a row; `state_from_json` is the inverse."""
    if state is None:
        return None
    facts: list[object] = [state.path, state.digest, state.mode]
    owned = state.ownership
    return facts if owned is None else [*facts, [owned.uid, owned.gid, [[n, v.hex()] for n, v in owned.xattrs]]]


def state_from_json(value: object) -> FileState:
    """ValueError on anything that `state_to_json` did not make."""
    state = as_list(value)
    if len(state) not in (3, 4):
        raise ValueError("not the state of a file")
    owned = _ownership(state[3]) if len(state) == 4 else None
    return FileState(_name(state[0]), _digest(state[1]), _up_to(_MODE_LIMIT, state[2]), owned)


def _ownership(value: object) -> Ownership:
    facts = as_list(value)
    if len(facts) != 3:
        raise ValueError("not the ownership of a file")
    xattrs = tuple((_name(name), bytes.fromhex(as_text(data))) for name, data in map(_pair, as_list(facts[2])))
    return Ownership(_up_to(_OWNER_LIMIT, facts[0]), _up_to(_OWNER_LIMIT, facts[1]), xattrs)


def _changes(value: object) -> ChangeSet:
    changes = ChangeSet.from_json(as_object(value))
    if changes.base is not None:
        _digest(changes.base)
    if changes.splices and changes.splices[-1].end > sys.maxsize:
        raise ValueError("a splice beyond the end of any text")
    return changes


def _encoding(value: object) -> Encoding:
    encoding = Encoding.from_json({key: as_text(item) for key, item in as_object(value).items()})
    if not is_text_codec(encoding.name):
        raise ValueError(f"no text encoding is called {encoding.name!r}")
    return encoding


def _from_note(note: EditNote) -> Json:
    return {
        "reason": note.reason,
        "tier": note.tier,
        "similarity": note.similarity,
        "lines": None if note.lines is None else list(note.lines),
        "splices": list(note.splices),
        "differs": list(note.differs),
        **({"forced": list(note.forced)} if note.forced else {}),
        **({"outcome": note.outcome, "kind": note.kind} if note.outcome != "applied" else {}),
    }


def _note(data: Json) -> EditNote:
    return EditNote(
        reason=_maybe(as_text, data["reason"]),
        tier=_maybe(as_text, data["tier"]),
        similarity=_maybe(_float, data["similarity"]),
        lines=_maybe(_lines, data["lines"]),
        splices=tuple(as_number(index) for index in as_list(data["splices"])),
        differs=_strings(data["differs"]),
        forced=_strings(data.get("forced", [])),
        outcome=_ENDS[as_text(data.get("outcome", "applied"))],
        kind=_maybe(as_text, data.get("kind")),
    )


def _lines(value: object) -> tuple[int, int]:
    pair = _pair(value)
    return as_number(pair[0]), as_number(pair[1])


def _maybe(read: Callable[[object], T], value: object) -> T | None:
    return None if value is None else read(value)


def as_object(value: object) -> Json:
    """ValueError on anything but an object."""
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def as_list(value: object) -> list[object]:
    """ValueError on anything but a list."""
    if not isinstance(value, list):
        raise ValueError("not a list")
    return value


def _pair(value: object) -> list[object]:
    pair = as_list(value)
    if len(pair) != 2:
        raise ValueError("not a pair")
    return pair


def as_text(value: object) -> str:
    """ValueError on anything but a text."""
    if not isinstance(value, str):
        raise ValueError("not a text")
    return value


def as_number(value: object) -> int:
    """ValueError on anything but a whole number."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError("not a whole number")
    return value


def _up_to(limit: int, value: object) -> int:
    number = as_number(value)
    if not 0 <= number <= limit:
        raise ValueError(f"{'a negative number' if number < 0 else 'a number'} where 0 to {limit} is possible")
    return number


def _name(value: object) -> str:
    """A path or another name the system is asked for."""
    name = as_text(value)
    if "\0" in name:
        raise ValueError("a name with NUL in it")
    return name


def _digest(value: object) -> str:
    digest = as_text(value)
    if not _DIGEST.fullmatch(digest):
        raise ValueError("not a digest")
    return digest


def _float(value: object) -> float:
    if isinstance(value, float) and math.isfinite(value):
        return value
    return float(_up_to(1, value))


def _strings(value: object) -> tuple[str, ...]:
    return tuple(as_text(item) for item in as_list(value))


LONGEST = 1024  # PostgreSQL refuses an index entry of about 2700 bytes, and some have two keys


@lru_cache(maxsize=1024)  # a call names the same few paths and parties again and again
def key(text: str) -> bytes:
    """A path, task, actor or other name as the tables hold it; no two texts share a key, and none is too long.

    >>> key("docs/a.md"), len(key("x" * 5000))
    (b'docs/a.md', 1057)
    """
    data = text.encode("utf-8", "surrogatepass")
    if len(data) <= LONGEST:
        return data
    return data[:LONGEST] + b"\xff" + hashlib.sha256(data).digest()  # a byte that is in no text: no short key is alike
