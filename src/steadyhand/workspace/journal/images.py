"""Whole files by digest: kept once, compressed, checked whenever they are read.

Nothing here decides what to keep or to drop.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.text.source import digest_of
from steadyhand.workspace.journal.codec import pack, unpack
from steadyhand.workspace.journal.connection import Connection
from steadyhand.workspace.journal.faults import damaged
from steadyhand.workspace.journal.log import Problem, checksum_of

_DIGEST = lazy_pattern("[0-9a-f]{64}")
_TOGETHER = 100  # images that are looked up in one statement: each may be long
_COLUMNS = "digest, codec, size, checksum, data"


class Packed(NamedTuple):
    """An image as it is stored. Fields may hold anything when they come from a damaged file."""

    digest: bytes
    codec: int
    size: int
    checksum: bytes
    data: bytes

    @classmethod
    def of(cls, digest: str, content: bytes) -> Packed:
        if digest_of(content) != digest:
            raise EditError(Kind.INTERNAL, f"the image given for {digest[:16]} has other content")
        key = bytes.fromhex(digest)
        codec, data = pack(content)
        return cls(key, codec, len(content), checksum_of(key, codec, len(content), data), data)

    @property
    def is_intact(self) -> bool:
        return self.checksum == checksum_of(self.digest, self.codec, self.size, self.data)

    def content(self) -> bytes:
        """The file; ValueError when it is not what was kept."""
        if not self.is_intact:
            raise ValueError("its checksum is wrong")
        content = unpack(self.codec, self.data, self.size + 1)
        if digest_of(content) != self.digest.hex():
            raise ValueError("its content has another digest")
        return content


def pack_images(images: Mapping[str, bytes]) -> list[Packed]:
    """Compress and seal; refuses an image under a digest that is not its own."""
    return [Packed.of(digest, content) for digest, content in images.items()]


def keep(connection: Connection, images: Iterable[Packed], seq: int) -> None:
    """Keep what is not there yet or is there damaged."""
    left = list(images)
    for start in range(0, len(left), _TOGETHER):
        page = left[start : start + _TOGETHER]
        query = f"SELECT {_COLUMNS} FROM images WHERE digest IN ({', '.join('?' * len(page))})"
        held = [Packed(*found) for found in connection.execute(query, [image.digest for image in page]).fetchall()]
        if damaged := [(image.digest,) for image in held if not image.is_intact]:
            connection.executemany("DELETE FROM images WHERE digest = ?", damaged)
        intact = {image.digest for image in held if image.is_intact}
        if rows := [(*image, seq) for image in page if image.digest not in intact]:
            connection.executemany(f"INSERT INTO images ({_COLUMNS}, last_seq) VALUES (?, ?, ?, ?, ?, ?)", rows)


def read(connection: Connection, digest: str) -> bytes | None:
    """The content; None when it is not kept. Refuses a damaged one."""
    held = _held(connection, bytes.fromhex(digest)) if _DIGEST.fullmatch(digest) else None
    if held is None:
        return None
    try:
        return held.content()
    except ValueError as error:
        raise damaged(f"the kept image {digest[:16]} is damaged: {error}") from None


def has(connection: Connection, digest: str) -> bool:
    """Whether an image is kept; it is not read."""
    if not _DIGEST.fullmatch(digest):
        return False
    query = "SELECT 1 FROM images WHERE digest = ?"
    return connection.execute(query, (bytes.fromhex(digest),)).fetchone() is not None


def audit(connection: Connection) -> Iterator[Problem | None]:
    """One item for each image: what is wrong with it, or None."""
    for image in every(connection):
        yield _problem(image)


def every(connection: Connection) -> Iterator[Packed]:
    """Every image as it is stored, one at a time."""
    keys = [found[0] for found in connection.execute("SELECT key FROM images ORDER BY key").fetchall()]
    for key in keys:
        found = connection.execute(f"SELECT {_COLUMNS} FROM images WHERE key = ?", (key,)).fetchone()
        if found is not None:
            yield Packed(*found)


def is_empty(connection: Connection) -> bool:
    """Whether no image is kept."""
    return connection.execute("SELECT key FROM images LIMIT 1").fetchone() is None


def load(connection: Connection, images: Iterable[Packed]) -> None:
    """Add images unchanged, which nobody needs yet."""
    for image in images:
        connection.execute(f"INSERT INTO images ({_COLUMNS}, last_seq) VALUES (?, ?, ?, ?, ?, 0)", image)


def _held(connection: Connection, key: bytes) -> Packed | None:
    found = connection.execute(f"SELECT {_COLUMNS} FROM images WHERE digest = ?", (key,)).fetchone()
    return None if found is None else Packed(*found)


def _problem(image: Packed) -> Problem | None:
    try:
        image.content()
    except ValueError as error:
        name = image.digest.hex()[:16] if isinstance(image.digest, bytes) else repr(image.digest)
        return Problem(None, "image", f"the kept image {name} is damaged: {error}")
    return None
