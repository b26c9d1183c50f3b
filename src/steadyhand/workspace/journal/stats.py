"""How much a journal holds, counted in its tables."""

from __future__ import annotations

from steadyhand.workspace.journal import log
from steadyhand.workspace.journal.connection import Connection
from steadyhand.workspace.journal.store import JournalStats

# A sum is a number of another kind in PostgreSQL.
_IMAGES = """SELECT count(*), CAST(coalesce(sum(size), 0) AS BIGINT), CAST(coalesce(sum(length(data)), 0) AS BIGINT)
    FROM images"""


def stats_of(connection: Connection, file_bytes: int) -> JournalStats:
    """Count records, images and rows; `file_bytes` is what the store says that all of it takes."""
    states = dict(connection.execute("SELECT state, count(*) FROM records GROUP BY state").fetchall())
    images, image_bytes, stored_bytes = connection.execute(_IMAGES).fetchone()
    oldest, newest = (
        connection.execute(f"SELECT time FROM records ORDER BY seq {order} LIMIT 1").fetchone()
        for order in ("ASC", "DESC")
    )
    seq, chain = log.head(connection)
    return JournalStats(
        rows=int(connection.execute("SELECT count(*) FROM log").fetchone()[0]),
        records=sum(states.values()),
        states=states,
        images=images,
        image_bytes=image_bytes,
        stored_bytes=stored_bytes,
        file_bytes=file_bytes,
        oldest=oldest[0] if oldest else None,
        newest=newest[0] if newest else None,
        head_seq=seq,
        head_chain=chain.hex(),
    )
