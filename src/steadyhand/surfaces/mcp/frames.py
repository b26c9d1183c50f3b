"""Messages on a byte stream, one on each line. What is too long is dropped as it comes in, with enough kept to answer.

Pure: bytes in, frames out. Never holds more than the longest frame that is allowed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from steadyhand.lazy import dataclass, lazy_pattern

__all__ = ["LONGEST", "LONGEST_ID", "Frames", "Id", "Oversize", "as_id", "id_of"]

LONGEST = 10_000_000  # bytes
LONGEST_ID = 1_000  # characters
_KEPT = 4_096
_LAST_ID = lazy_pattern(rb',\s*"id"\s*:\s*(-?[0-9]{1,18}|"[^"\\]{0,200}")\s*\}\s*$')
_TOKEN = lazy_pattern(rb'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
Id = int | str


@dataclass(frozen=True, slots=True)
class Oversize:
    """A frame that was dropped: how many bytes it had, and its id where it can be told."""

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
