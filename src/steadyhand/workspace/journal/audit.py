"""Is the log what was once written? Checksums, chain and bodies: pure, over rows in order.

Nothing here reads a database or repairs anything; a store feeds it rows and reports what it says. One wound
is one problem: after a broken link the walk goes on from every chain the row could have had.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from steadyhand.lazy import dataclass
from steadyhand.workspace.journal.codec import decode_record, decode_staging, from_bytes, unpack
from steadyhand.workspace.journal.row import GENESIS, Row, RowType, chain_bytes, checksum_of, link

Trouble = Literal["checksum", "chain", "missing-row", "body", "image", "index", "structure", "set-aside"]

_HEADS = 8  # a log that is broken row after row is not worth more guesses


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in the journal that is not as it was written. `seq` is the row, None for what is no row."""

    seq: int | None
    kind: Trouble
    message: str


def audit_rows(rows: Iterable[Row]) -> Iterator[tuple[Row, Problem | None]]:
    """Each row of a log, in the order of `seq`, with what is wrong with it; a gap is told with the row after it."""
    expected = 1
    heads: tuple[bytes, ...] | None = (GENESIS,)
    for row in rows:
        if row.seq != expected:
            yield row, Problem(expected, "missing-row", _missing(expected, row.seq - 1))
            heads = None  # what came before is gone: any chain may follow
        expected = row.seq + 1
        broken = seal_problem(row, heads)
        yield row, broken or _body_problem(row)
        heads = heads_after(row, heads) if broken else (row.chain,)


def seal_problem(row: Row, heads: tuple[bytes, ...] | None) -> Problem | None:
    """Whether checksum or chain is broken; `heads` are the chains that may stand before the row, None: unknown."""
    if not row.is_intact:
        return Problem(row.seq, "checksum", f"row {row.seq} is not what was written: its checksum is wrong")
    if heads is not None and all(row.chain != link(head, row.checksum) for head in heads):
        return Problem(row.seq, "chain", f"row {row.seq} does not follow from the rows before it")
    return None


def heads_after(row: Row, heads: tuple[bytes, ...] | None) -> tuple[bytes, ...]:
    """The chain as stored and, should that be the wound, as it must have been."""
    after = [chain_bytes(row.chain)]
    for head in (heads or ())[:_HEADS]:
        after += link(head, checksum_of(*row[:6])), link(head, chain_bytes(row.checksum))
    return tuple(dict.fromkeys(after))


def _body_problem(row: Row) -> Problem | None:
    try:
        _read_body(row)
    except ValueError as error:
        return Problem(row.seq, "body", f"row {row.seq} cannot be read: {error}")
    return None


def _read_body(row: Row) -> None:
    body = unpack(row.codec, row.body)
    if row.type != RowType.PREPARED:
        from_bytes(body)
        return
    record = decode_record(body)
    decode_staging(body)
    if record.id != row.record:
        raise ValueError(f"it holds record {record.id}, not {row.record}")


def _missing(first: int, last: int) -> str:
    return f"row {first} is missing" if first == last else f"rows {first} to {last} are missing"
