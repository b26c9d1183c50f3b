"""Dropping images from a journal: which ones retention lets go, and the checkpoint that says so."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from steadyhand.lazy import replace
from steadyhand.workspace.journal import images, index, log
from steadyhand.workspace.journal.audit import Problem
from steadyhand.workspace.journal.codec import decode_record, to_bytes, unpack
from steadyhand.workspace.journal.connection import Connection
from steadyhand.workspace.journal.query import staged_at
from steadyhand.workspace.journal.record import Record, State, utc_now
from steadyhand.workspace.journal.retention import ImageUse, Retention, choose_dropped, last_needed
from steadyhand.workspace.journal.row import RowType


def choose(connection: Connection, retention: Retention) -> tuple[list[ImageUse], list[ImageUse]]:
    """All images, and those to drop."""
    uses = images.uses(connection)
    if uses and (retention.keep_days is not None or retention.keep_bytes is not None):
        uses = _with_dependents(connection, uses)
    since = retention.keep_since()
    young = None if since is None else _first_since(connection, since)
    return uses, choose_dropped(uses, pinned=_pinned(connection), young_seq=young, keep_bytes=retention.keep_bytes)


def collect(connection: Connection, retention: Retention) -> tuple[list[ImageUse], list[ImageUse]]:
    """Drop what may go and append the checkpoint, inside a write transaction."""
    uses, dropped = choose(connection, retention)
    if dropped:
        images.drop(connection, dropped)
        _append_checkpoint(connection, dropped)
    return uses, dropped


def _with_dependents(connection: Connection, uses: list[ImageUse]) -> list[ImageUse]:
    """The same, each as young as the last record whose versions are rebuilt from it."""
    needed = last_needed({use.digest for use in uses}, _history(connection))
    return [replace(use, last_seq=max(use.last_seq, needed.get(use.digest, 0))) for use in uses]


def _history(connection: Connection) -> Iterator[tuple[int, Record]]:
    """Every sound record that was not taken back before it was settled, oldest first."""
    aborted = connection.execute("SELECT seq FROM records WHERE state = ?", (State.ABORTED.value,)).fetchall()
    passed_over = {seq for (seq,) in aborted}
    for row in log.rows(connection):
        if row.type == RowType.PREPARED and row.seq not in passed_over and row.is_intact:
            try:
                yield row.seq, decode_record(unpack(row.codec, row.body))
            except ValueError:
                continue  # nothing is rebuilt through a damaged record


def _append_checkpoint(connection: Connection, dropped: list[ImageUse]) -> None:
    seq, chain = log.head(connection)
    body = {
        "after_seq": seq,
        "chain": chain.hex(),
        "dropped_images": len(dropped),
        "dropped_bytes": sum(image.stored for image in dropped),
        "dropped_through_seq": max(image.last_seq for image in dropped),
        "dropped_sha256": hashlib.sha256("".join(sorted(image.digest for image in dropped)).encode()).hexdigest(),
    }
    packed = to_bytes({"type": "checkpoint", "body": body})
    index.enter(connection, log.append(connection, RowType.CHECKPOINT, None, utc_now(), packed))


def _pinned(connection: Connection) -> frozenset[str]:
    """Images of records that recovery may still need."""
    found = connection.execute("SELECT seq FROM records WHERE state IN ('prepared', 'partial')").fetchall()
    staged = [staged_at(connection, seq) for (seq,) in found]
    return frozenset(digest for held in staged if not isinstance(held, Problem) for digest in held[0].digests)


def _first_since(connection: Connection, time: str) -> int:
    """The first record that is not older than `time`; past the end when all are."""
    query = "SELECT seq FROM records WHERE time >= ? ORDER BY seq LIMIT 1"
    found = connection.execute(query, (time,)).fetchone()
    return log.head(connection)[0] + 1 if found is None else int(found[0])
