"""Leases as the journal keeps them: a table that changes, beside the log.

A lease lasts until it is ended, its time is over by the store's clock, or its holder is gone; what is left of one
that has ended is removed by whoever may write and comes across it. A row that is not what was written is no lease.
"""

from __future__ import annotations

import math

from steadyhand.lazy import replace
from steadyhand.workspace.journal.codec import from_bytes, to_bytes
from steadyhand.workspace.journal.connection import Connection, Presence
from steadyhand.workspace.journal.index import key
from steadyhand.workspace.journal.log import checksum_of
from steadyhand.workspace.journal.party import Lease, Party
from steadyhand.workspace.journal.seen import party_key

_FIELDS = "id, number, party, path, holder, expires, body"
_NEVER = 1 << 62


def keep(connection: Connection, lease: Lease, presence: Presence) -> None:
    """Announce a lease, in place of one of the same name; inside a write transaction."""
    holder, expires = presence.holder(connection), _end_of(lease, presence.now(connection))
    number = connection.execute("SELECT coalesce(max(number), 0) + 1 FROM leases").fetchone()[0]
    fields = key(lease.id), int(number), party_key(lease.party), key(lease.path), holder, expires, encode_lease(lease)
    connection.execute("DELETE FROM leases WHERE id = ?", (fields[0],))
    connection.execute(
        f"INSERT INTO leases ({_FIELDS}, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*fields, checksum_of(*fields))
    )


def are_any(connection: Connection) -> bool:
    """Whether there is a lease, be it over or not."""
    return connection.execute("SELECT 1 FROM leases LIMIT 1").fetchone() is not None


def lasting(
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


def end(connection: Connection, id: str, presence: Presence) -> bool:
    """Remove a lease; whether it still lasted. Inside a write transaction."""
    found, _ = lasting(connection, presence, id=id)
    connection.execute("DELETE FROM leases WHERE id = ?", (key(id),))
    return bool(found)


def end_all(connection: Connection, party: Party) -> None:
    """Remove whatever a party announced; inside a write transaction."""
    connection.execute("DELETE FROM leases WHERE party = ?", (party_key(party),))


def remove_ended(connection: Connection, presence: Presence) -> None:
    """Remove rows that say nothing any more, and what their holders left; inside a write transaction."""
    for name in lasting(connection, presence)[1]:
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


def _span(value: list[object]) -> tuple[int, int]:
    match value:
        case [int(start), int(end)]:
            return start, end
    raise ValueError("not a span")


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
