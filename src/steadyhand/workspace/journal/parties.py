"""State that is not history: when parties were last active, what they have seen of each file, and their leases.

These tables change, unlike the log. A row that does not decode, or differs from what was written, counts as absent. A
lease lasts until it is ended, its time is over by the store's clock, or its holder is gone; what is left of one that
has ended is removed by whoever may write and comes across it.

Invariants:

1. A party has one row for each file; it names at most one version that is kept whole.
2. A version is kept once for all parties, and only while one of them names it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import lazy_pattern, replace
from steadyhand.text.source import digest_of
from steadyhand.workspace.journal import log
from steadyhand.workspace.journal.codec import from_bytes, key, to_bytes, to_text
from steadyhand.workspace.journal.database import Connection, Handle, Presence, Statement
from steadyhand.workspace.journal.log import Packed, checksum_of
from steadyhand.workspace.journal.record import Lease, Party, SeenVersion

_DIGEST = lazy_pattern("[0-9a-f]{4,64}")
_MOST_READ = 4096  # rows that are remembered decoded
_MOST_WRITTEN = 256  # rows that are remembered as they were written
_CONTENT = "digest, codec, size, checksum, data"
_SEE = (
    "INSERT INTO sights (party, path, body, checksum) VALUES {marks} ON CONFLICT (party, path)"
    " DO UPDATE SET body = excluded.body, checksum = excluded.checksum WHERE sights.version IS NULL"
)


@lru_cache(maxsize=256)
def party_key(party: Party) -> bytes:
    """A party as the tables hold it; no two share a key."""
    return key(json.dumps([party.actor, party.task], ensure_ascii=False))


def met(connection: Connection, party: Party) -> int | None:
    """The row that was last when a party was first met; None if it never was."""
    found = connection.execute("SELECT seq FROM parties WHERE party = ?", (party_key(party),)).fetchone()
    return found[0] if found is not None and isinstance(found[0], int) and found[0] >= 0 else None


def meet(connection: Connection, party: Party) -> int:
    """The same, from now on if it never was; inside a write transaction."""
    before = met(connection, party)
    if before is not None:
        return before
    seq, _ = log.head(connection)
    connection.execute("DELETE FROM parties WHERE party = ?", (party_key(party),))
    connection.execute("INSERT INTO parties (party, seq) VALUES (?, ?)", (party_key(party), seq))
    return seq


class DecodedVersions:
    """Seen versions by the checksum of their row: what this process has read or written is not decoded again.

    Used under the handle's lock, but for `encode`: what two threads write of one file at once, each encodes rightly.
    """

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[SeenVersion, ...]] = {}
        self._written: dict[tuple[bytes, bytes], tuple[tuple[SeenVersion, ...], list[str]]] = {}

    def sound(
        self, party: bytes, place: bytes, body: bytes, version: bytes | None, checksum: bytes
    ) -> tuple[SeenVersion, ...]:
        """The seen versions of a row; none where it is not what was written."""
        if checksum != checksum_of(party, place, body, version):
            return ()
        found = self._known.get(checksum)
        if found is None:
            try:
                found = decode_seen(body)
            except ValueError:
                return ()
            self.keep({checksum: found})
        return found

    def encode(self, party: bytes, place: bytes, seen: tuple[SeenVersion, ...]) -> bytes:
        """`encode_seen` of what a party has seen of a file: usually what was written last, and one more."""
        before, texts = self._written.get((party, place), ((), []))
        first = next((first for first in (0, 1) if seen[:-1] == before[first:]), None)
        texts = [*texts[first:], _text_of(seen[-1])] if first is not None else list(map(_text_of, seen))
        if len(self._written) >= _MOST_WRITTEN:
            self._written.clear()
        self._written[party, place] = seen, texts
        return _body_of(texts)

    def keep(self, known: Mapping[bytes, tuple[SeenVersion, ...]]) -> None:
        """Remember the seen versions of rows by their checksums."""
        if len(self._known) >= _MOST_READ:
            self._known.clear()
        self._known.update(known)


def seen_versions(
    connection: Connection, party: Party, path: str, read: DecodedVersions | None = None
) -> tuple[SeenVersion, ...]:
    """What a party has seen of a file, oldest first."""
    name, place = party_key(party), key(path)
    query = "SELECT body, version, checksum FROM sights WHERE party = ? AND path = ?"
    found = connection.execute(query, (name, place)).fetchone()
    return () if found is None else (read or DecodedVersions()).sound(name, place, *found)


def readers(connection: Connection, path: str) -> list[Party]:
    """The parties that have seen all of a file, in whichever version."""
    rows = connection.execute("SELECT party FROM sights WHERE path = ? ORDER BY party", (key(path),)).fetchall()
    found = [party for (name,) in rows if (party := _party(name)) is not None]
    return [party for party in found if any(each.is_whole for each in seen_versions(connection, party, path))]


def read_paths(connection: Connection, party: Party) -> list[str]:
    """The files that a party has seen all of."""
    rows = connection.execute("SELECT path FROM sights WHERE party = ? ORDER BY path", (party_key(party),)).fetchall()
    paths = [bytes(path).decode("utf-8", "surrogatepass") for (path,) in rows if b"\xff" not in bytes(path)]
    return [path for path in paths if any(each.is_whole for each in seen_versions(connection, party, path))]


def _party(name: object) -> Party | None:
    """A party by its key; None for one whose name was too long to be kept whole."""
    try:
        match json.loads(bytes(name).decode("utf-8", "surrogatepass")):  # type: ignore[call-overload]
            case [str(actor), str() | None as task]:
                return Party(actor, task)
    except (ValueError, TypeError):
        pass
    return None


def pack_version(seen: Sequence[SeenVersion], content: bytes | None) -> Packed | None:
    """Content as it is kept; refuses one that is not the version that was seen last."""
    if content is None:
        return None
    digest = digest_of(content)
    if not seen or not seen[-1].digest or not digest.startswith(seen[-1].digest):
        raise EditError(Kind.INTERNAL, f"the content given is not the version that was seen: {digest[:16]}")
    return Packed.of(digest, content)


def see_at_once(handle: Handle, party: Party, seen: Mapping[str, Sequence[SeenVersion]], read: DecodedVersions) -> bool:
    """As `see`, in one statement, of versions that records bring back; False where more is to be done:
    where nothing is seen any more, or a version is kept for one of them. What was written is right all the same.
    """
    if not all(seen.values()):
        return False
    name, values = party_key(party), []
    known: dict[bytes, tuple[SeenVersion, ...]] = {}
    for path, seen_versions in seen.items():
        place = key(path)
        body = read.encode(name, place, tuple(seen_versions))
        checksum = checksum_of(name, place, body, None)
        known[checksum] = tuple(seen_versions)
        values += [name, place, body, checksum]
    query = _SEE.format(marks=", ".join(["(?, ?, ?, ?)"] * len(seen)))
    if handle.write_one(Statement(query, query), values) < len(seen):
        return False
    handle.read(lambda _: read.keep(known))
    return True


def see(
    connection: Connection,
    party: Party,
    seen: Mapping[str, Sequence[SeenVersion]],
    read: DecodedVersions,
    content: Packed | None = None,
) -> None:
    """Put these in place of what a party had seen of some files, which must fit into one statement; inside a write
    transaction. Records bring the versions back, but for `content`, which is that of the one file.
    """
    places = {key(path): seen_versions for path, seen_versions in seen.items()}
    before = _versions_named(connection, party, list(places))
    kept = {
        place: _still_named(before.get(place), seen_versions) if content is None else content.digest
        for place, seen_versions in places.items()
    }
    _put(connection, party, [(place, seen_versions, kept[place]) for place, seen_versions in places.items()], read)
    if content is not None:
        for place in places:
            _keep_version(connection, place, content)
    for place, version in before.items():
        if version is not None and version != kept[place]:
            _drop_version(connection, place, version)


def _versions_named(connection: Connection, party: Party, places: Sequence[bytes]) -> dict[bytes, object]:
    """The version whose content is kept for a party of each of these files; files without one are left out."""
    marks = ", ".join("?" * len(places))
    query = f"SELECT path, version FROM sights WHERE party = ? AND path IN ({marks})"
    return dict(connection.execute(query, (party_key(party), *places)).fetchall())


def _put(
    connection: Connection,
    party: Party,
    seen: Sequence[tuple[bytes, Sequence[SeenVersion], bytes | None]],
    read: DecodedVersions,
) -> None:
    name = party_key(party)
    gone = [(name, place) for place, seen_versions, _ in seen if not seen_versions]
    rows = []
    for place, seen_versions, kept in seen:
        if seen_versions:
            body = encode_seen(seen_versions)
            checksum = checksum_of(name, place, body, kept)
            read.keep({checksum: tuple(seen_versions)})
            rows.append((name, place, body, checksum, kept))
    if gone:
        connection.executemany("DELETE FROM sights WHERE party = ? AND path = ?", gone)
    if rows:
        connection.executemany(
            "INSERT INTO sights (party, path, body, checksum, version) VALUES (?, ?, ?, ?, ?) ON CONFLICT (party, path)"
            " DO UPDATE SET body = excluded.body, checksum = excluded.checksum, version = excluded.version",
            rows,
        )


def version(connection: Connection, path: str, digest: str) -> bytes | None:
    """The one kept version of a file whose digest starts so; None where there is none, several or a damaged one."""
    if not _DIGEST.fullmatch(digest):
        return None
    query = "SELECT digest FROM versions WHERE path = ?"
    held = [found[0] for found in connection.execute(query, (key(path),)).fetchall()]
    fitting = [found for found in held if isinstance(found, bytes) and found.hex().startswith(digest)]
    return _content(connection, key(path), fitting[0]) if len(fitting) == 1 else None


def forget(connection: Connection, party: Party) -> None:
    """Drop what a party has seen, and that it was met; inside a write transaction."""
    name = party_key(party)
    query = "SELECT path, version FROM sights WHERE party = ? AND version IS NOT NULL"
    named = connection.execute(query, (name,)).fetchall()
    connection.execute("DELETE FROM sights WHERE party = ?", (name,))
    connection.execute("DELETE FROM parties WHERE party = ?", (name,))
    for path, digest in named:
        _drop_version(connection, path, digest)


def encode_seen(seen: Iterable[SeenVersion]) -> bytes:
    """Seen versions as JSON."""
    return to_bytes({"v": 1, "sights": [[each.digest, each.seq, each.spans] for each in seen]})


def _text_of(seen: SeenVersion) -> str:
    return to_text([seen.digest, seen.seq, seen.spans])


def _body_of(texts: Iterable[str]) -> bytes:
    return f'{{"v":1,"sights":[{",".join(texts)}]}}'.encode("utf-8", "surrogatepass")


def decode_seen(body: bytes) -> tuple[SeenVersion, ...]:
    """The inverse; ValueError on anything else."""
    match from_bytes(body):
        case {"v": 1, "sights": list(seen)}:
            return tuple(map(_seen_version, seen))
    raise ValueError("not the seen versions of a file")


def _seen_version(value: object) -> SeenVersion:
    match value:
        case [str(digest), int(seq), None]:
            return SeenVersion(digest, seq)
        case [str(digest), int(seq), list(spans)]:
            return SeenVersion(digest, seq, tuple(map(_span, spans)))
    raise ValueError("not a seen version")


def _span(value: object) -> tuple[int, int]:
    match value:
        case [int(start), int(end)]:
            return start, end
    raise ValueError("not a span")


def _still_named(digest: object, seen: Sequence[SeenVersion]) -> bytes | None:
    """The version kept so far, if it is among what is seen now."""
    if isinstance(digest, bytes) and any(each.digest and digest.hex().startswith(each.digest) for each in seen):
        return digest
    return None


def _keep_version(connection: Connection, path: bytes, content: Packed) -> None:
    if _content(connection, path, content.digest) is None:  # missing or damaged
        connection.execute("DELETE FROM versions WHERE path = ? AND digest = ?", (path, content.digest))
        connection.execute(f"INSERT INTO versions (path, {_CONTENT}) VALUES (?, ?, ?, ?, ?, ?)", (path, *content))


def _drop_version(connection: Connection, path: bytes, digest: object) -> None:
    connection.execute(
        "DELETE FROM versions WHERE path = ? AND digest = ?"
        " AND NOT EXISTS (SELECT 1 FROM sights s WHERE s.path = versions.path AND s.version = versions.digest)",
        (path, digest),
    )


def _content(connection: Connection, path: bytes, digest: bytes) -> bytes | None:
    query = f"SELECT {_CONTENT} FROM versions WHERE path = ? AND digest = ?"
    found = connection.execute(query, (path, digest)).fetchone()
    try:
        return None if found is None else Packed(*found).content()
    except (ValueError, TypeError):
        return None


_FIELDS = "id, number, party, path, holder, expires, body"
_NEVER = 1 << 62


def keep_lease(connection: Connection, lease: Lease, presence: Presence) -> None:
    """Announce a lease, in place of one of the same name; inside a write transaction."""
    holder, expires = presence.holder(connection), _end_of(lease, presence.now(connection))
    number = connection.execute("SELECT coalesce(max(number), 0) + 1 FROM leases").fetchone()[0]
    fields = key(lease.id), int(number), party_key(lease.party), key(lease.path), holder, expires, encode_lease(lease)
    connection.execute("DELETE FROM leases WHERE id = ?", (fields[0],))
    connection.execute(
        f"INSERT INTO leases ({_FIELDS}, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*fields, checksum_of(*fields))
    )


def has_leases(connection: Connection) -> bool:
    """Whether there is a lease, be it over or not."""
    return connection.execute("SELECT 1 FROM leases LIMIT 1").fetchone() is not None


def lasting_leases(
    connection: Connection, presence: Presence, *, path: str | None = None, id: str | None = None
) -> tuple[list[Lease], list[bytes]]:
    """The leases that last, oldest first, of one file, one name or all; and the names of rows that say nothing."""
    asked = [(f"{column} = ?", key(name)) for column, name in (("path", path), ("id", id)) if name is not None]
    where = " WHERE " + " AND ".join(condition for condition, _ in asked) if asked else ""
    query = f"SELECT {_FIELDS}, checksum FROM leases{where} ORDER BY number"
    rows = connection.execute(query, [value for _, value in asked]).fetchall()
    now = presence.now(connection) if rows else 0
    present: dict[str, bool] = {}
    found: list[Lease] = []
    over: list[bytes] = []
    for row in rows:
        lease, holder = _lease_of(row, now), row[4]
        if lease is not None and holder not in present:
            present[holder] = presence.is_present(connection, holder)
        if lease is not None and present[holder]:
            found.append(lease)
        else:
            over.append(row[0])
    return found, over


def end_lease(connection: Connection, id: str, presence: Presence) -> bool:
    """Remove a lease; whether it still lasted. Inside a write transaction."""
    found, _ = lasting_leases(connection, presence, id=id)
    connection.execute("DELETE FROM leases WHERE id = ?", (key(id),))
    return bool(found)


def end_leases(connection: Connection, party: Party) -> None:
    """Remove whatever a party announced; inside a write transaction."""
    connection.execute("DELETE FROM leases WHERE party = ?", (party_key(party),))


def remove_ended_leases(connection: Connection, presence: Presence) -> None:
    """Remove rows that say nothing any more, and what their holders left; inside a write transaction."""
    for name in lasting_leases(connection, presence)[1]:
        (holder,) = connection.execute("SELECT holder FROM leases WHERE id = ?", (name,)).fetchone()
        connection.execute("DELETE FROM leases WHERE id = ?", (name,))
        if isinstance(holder, str) and not presence.is_present(connection, holder):
            presence.clear(connection, holder)


def encode_lease(lease: Lease) -> bytes:
    """A lease as JSON."""
    return to_bytes(
        {
            "v": 1,
            "id": lease.id,
            "actor": lease.party.actor,
            "task": lease.party.task,
            "path": lease.path,
            "time": lease.time,
            "reason": lease.reason,
            "digest": lease.digest,
            "span": lease.span,
            "seconds": lease.seconds,
            "seq": lease.seq,
        }
    )


def decode_lease(body: bytes) -> Lease:
    """The inverse; ValueError on anything else."""
    match from_bytes(body):
        case {
            "v": 1,
            "id": str(id),
            "actor": str(actor),
            "task": str() | None as task,
            "path": str(path),
            "time": str(time),
            "reason": str() | None as reason,
            "digest": str() | None as digest,
            "span": list() | None as span,
            "seconds": int() | float() | None as seconds,
            "seq": int(seq),
        }:
            lease = Lease(id, Party(actor, task), path, time, reason, digest, seconds=seconds, seq=seq)
            return lease if span is None else replace(lease, span=_span(span))
    raise ValueError("not a lease")


def _end_of(lease: Lease, now: int) -> int | None:
    """When a lease is over, by the clock that says it is `now`; a time that means nothing is over at once."""
    if lease.seconds is None or lease.seconds == math.inf:
        return None
    if not lease.seconds > 0:
        return now
    return min(now + math.ceil(min(lease.seconds, _NEVER) * 1000), _NEVER)


def _lease_of(row: tuple[object, ...], now: int) -> Lease | None:
    """The lease of a row, unless its time is over or the row is not what was written."""
    *fields, checksum = row
    expires, body = fields[5], fields[6]
    try:
        if checksum != checksum_of(*fields) or not isinstance(body, bytes):  # type: ignore[arg-type]
            return None
        lease = decode_lease(body)
    except ValueError:
        return None
    return lease if expires is None or (isinstance(expires, int) and now < expires) else None
