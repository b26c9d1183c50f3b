"""One row of the log, its checksum and its place in the chain. Pure; every store writes the same rows.

Invariants:

1. `checksum` is the SHA-256 of all other fields but the chain, each tagged with its type and length, so
   that no two different rows have one encoding.
2. `chain` is the SHA-256 of the chain of the row before and this row's checksum; before the first row
   stands `GENESIS`.
3. A row's `seq` is one more than that of the row before.
"""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import NamedTuple

GENESIS = bytes(32)
_LARGE = 1 << 16

Field = int | str | bytes | None


class RowType(StrEnum):
    """What a row says: how a record stands, or something that is no change."""

    PREPARED = "prepared"
    COMMITTED = "committed"
    ABORTED = "aborted"
    PARTIAL = "partial"
    NOTE = "note"
    CHECKPOINT = "checkpoint"


class Row(NamedTuple):
    """A row as it is stored. Fields may hold anything when they come from a damaged file."""

    seq: int
    type: str
    record: str | None
    time: str
    codec: int
    body: bytes
    checksum: bytes
    chain: bytes

    @classmethod
    def make(
        cls, seq: int, type: RowType, record: str | None, time: str, packed: tuple[int, bytes], previous: bytes
    ) -> Row:
        codec, body = packed
        checksum = checksum_of(seq, type.value, record, time, codec, body)
        return cls(seq, type.value, record, time, codec, body, checksum, link(previous, checksum))

    @property
    def is_intact(self) -> bool:
        """Whether the row says what was written; tells nothing about its place in the chain."""
        return self.checksum == checksum_of(*self[:6])


def checksum_of(*fields: Field) -> bytes:
    """SHA-256 over the fields with type and length.

    >>> checksum_of("ab", "c") == checksum_of("a", "bc")
    False
    """
    digest = hashlib.sha256()
    small: list[bytes] = []
    for field in fields:
        data = _tagged(field)
        small.append(b"%s%d:" % (data[0], len(data[1])))
        if len(data[1]) <= _LARGE:
            small.append(data[1])
        else:  # hashed where it stands, not copied
            digest.update(b"".join(small))
            digest.update(data[1])
            small.clear()
    digest.update(b"".join(small))
    return digest.digest()


def link(previous: bytes, checksum: bytes) -> bytes:
    """The chain after a row with this checksum."""
    return hashlib.sha256(previous + checksum).digest()


def chain_bytes(value: object) -> bytes:
    """A stored chain as bytes, also when a damaged file holds something else in its place."""
    return value if isinstance(value, bytes) else repr(value).encode("utf-8", "surrogatepass")


def _tagged(field: Field) -> tuple[bytes, bytes]:
    if isinstance(field, bytes):
        return b"b", field
    if isinstance(field, str):
        return b"s", field.encode("utf-8", "surrogatepass")
    return (b"n", b"") if field is None else (b"i", repr(field).encode())
