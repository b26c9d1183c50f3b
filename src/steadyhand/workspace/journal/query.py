"""Reading records back: which rows fit, and a row as an entry or as the problem it has.

The indexes only say where to look. What is returned comes from the log, and only if checksum, chain, body and
index agree.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from steadyhand.workspace.journal import log
from steadyhand.workspace.journal.audit import Problem, heads_after, seal_problem
from steadyhand.workspace.journal.codec import decode_note, decode_record, decode_staging, from_bytes, unpack
from steadyhand.workspace.journal.connection import Connection
from steadyhand.workspace.journal.index import key
from steadyhand.workspace.journal.party import Happening
from steadyhand.workspace.journal.record import ID_LENGTH, Entry, Note, Record, Staging, State, is_record_id
from steadyhand.workspace.journal.row import GENESIS, Row, RowType

PAGE = 500
_BY_PATH = "files f CROSS JOIN records r"  # the order that SQLite keeps to: by path first
_LAST = 1 << 62


@dataclass(frozen=True, slots=True)
class Filter:
    """Which records are asked for; None asks for nothing."""

    path: str | None = None
    task: str | None = None
    actor: str | None = None
    before_seq: int | None = None
    after_seq: int | None = None
    newest_first: bool = True
    states: tuple[State, ...] = tuple(State)

    def page(self, connection: Connection, last: int | None, size: int) -> list[int]:
        """The next row numbers after `last`, in the order asked for."""
        if not self.states:
            return []
        conditions, values = self._conditions(last)
        source, seq = ("records r", "r.seq") if self.path is None else (_BY_PATH, "f.seq")
        order = "DESC" if self.newest_first else "ASC"
        where = " AND ".join(condition.format(seq=seq) for condition in conditions)
        query = f"SELECT r.seq FROM {source} WHERE {where} ORDER BY {seq} {order} LIMIT ?"
        return [found[0] for found in connection.execute(query, (*values, size)).fetchall()]

    def _conditions(self, last: int | None) -> tuple[list[str], list[object]]:
        """SQL that holds no value of the caller, and the values."""
        marks = ", ".join("?" * len(self.states))
        given: list[tuple[str, object]] = [
            ("f.path = ?", None if self.path is None else key(self.path)),
            ("r.task = ?", None if self.task is None else key(self.task)),
            ("r.actor = ?", None if self.actor is None else key(self.actor)),
            ("{seq} < ?", _bounded(self.before_seq)),
            ("{seq} > ?", _bounded(self.after_seq)),
            ("{seq} < ?" if self.newest_first else "{seq} > ?", last),
        ]
        asked = [(condition, value) for condition, value in given if value is not None]
        joined = [] if self.path is None else ["r.seq = f.seq"]
        conditions = [*joined, *(condition for condition, _ in asked), f"r.state IN ({marks})"]
        return conditions, [value for _, value in asked] + [state.value for state in self.states]


def _bounded(seq: int | None) -> int | None:
    """A row number that every store can compare with."""
    return None if seq is None else max(-_LAST, min(seq, _LAST))


def seqs_starting(connection: Connection, prefix: str, limit: int) -> list[tuple[int, str]]:
    """Row numbers and ids of records whose id starts with these hex digits."""
    query = "SELECT seq, id FROM records WHERE id >= ? AND id < ? ORDER BY seq DESC LIMIT ?"
    end = prefix + "g" if len(prefix) <= ID_LENGTH else prefix
    return connection.execute(query, (prefix, end, limit)).fetchall()


class LastRecord:
    """The record that was read last, by the bytes it was read from: one of many files is asked for once per file."""

    def __init__(self) -> None:
        self._held: tuple[bytes, Record] | None = None

    def decode(self, row: Row) -> Record:
        """The record of a row; raises `ValueError` for one that cannot be read."""
        held = self._held
        if held is None or held[0] != row.body:
            held = self._held = row.body, decode_record(unpack(row.codec, row.body))
        return held[1]


def entry_at(
    connection: Connection, seq: int, path: str | None = None, *, last: LastRecord | None = None
) -> Entry | Problem:
    """The entry whose record was prepared in this row, or why it cannot be used; `path` must be one it touched."""
    held = connection.execute("SELECT id, state, settled, undone_by FROM records WHERE seq = ?", (seq,)).fetchone()
    if held is None:
        return Problem(seq, "index", f"row {seq} is no record")
    record_id, state, settled, undone_by = held
    prepared = sound_row(connection, seq)
    if isinstance(prepared, Problem):
        return prepared
    note = None
    if settled is not None or state != State.PREPARED:
        end = sound_row(connection, settled)
        if isinstance(end, Problem):
            return end
        if (end.type, end.record) != (state, record_id):
            return Problem(seq, "index", f"the index says {state!r} of record {record_id!r}, row {end.seq} does not")
        note = reason_of(end)
    record = _record_of(prepared, record_id, last or LastRecord())
    if isinstance(record, Problem):
        return record
    if path is not None and path not in record.paths:
        return Problem(seq, "index", f"the index says record {record_id} touched {path!r}, the record does not")
    if undone_by is not None and not (isinstance(undone_by, str) and is_record_id(undone_by)):
        return Problem(seq, "index", f"the index cannot say by whom record {record_id} is undone")
    return Entry(seq, record, State(state), note, undone_by)


def staged_at(connection: Connection, seq: int) -> tuple[Record, Staging] | Problem:
    """A prepared record with what was staged for it, or why it cannot be used."""
    row = sound_row(connection, seq)
    if isinstance(row, Problem):
        return row
    try:
        body = unpack(row.codec, row.body)
        return decode_record(body), decode_staging(body)
    except ValueError as error:
        return Problem(seq, "body", f"row {seq} cannot be read: {error}")


def note_of(row: Row) -> Note | None:
    """A report; None when it is damaged, which `verify` tells."""
    try:
        return Note(row.seq, row.time, *decode_note(unpack(row.codec, row.body))) if row.is_intact else None
    except ValueError:
        return None


def happening_of(connection: Connection, row: Row, *, last: LastRecord) -> Happening | None:
    """What a row of the log tells those who watch; None when it is damaged or the record it speaks of is."""
    if isinstance(sound_row(connection, row.seq), Problem):
        return None
    if row.type not in (State.COMMITTED, State.PARTIAL):
        note = note_of(row)
        return None if note is None else Happening(row.seq, row.time, note)
    held = connection.execute("SELECT seq FROM records WHERE id = ?", (row.record,)).fetchone()
    entry = None if held is None else entry_at(connection, held[0], last=last)
    if not isinstance(entry, Entry):
        return None
    return Happening(row.seq, row.time, replace(entry, state=State(row.type), note=reason_of(row)))


def sound_row(connection: Connection, seq: object) -> Row | Problem:
    """A row that is what was written, where it was written; or why it is not."""
    found = log.row_and_head(connection, seq) if isinstance(seq, int) else None
    if found is None:
        return Problem(seq if isinstance(seq, int) else None, "missing-row", f"row {seq} is missing")
    row, head = found
    problem = seal_problem(row, None if head is None else (head,))
    if problem is not None and problem.kind == "chain":
        problem = seal_problem(row, _heads_before(connection, row.seq))
    return problem or row


def _heads_before(connection: Connection, seq: int) -> tuple[bytes, ...]:
    """The chains that may stand before a row, should the row before it be the one that is damaged."""
    found = log.row_and_head(connection, seq - 1)
    if found is None:
        return (GENESIS,)
    before, head = found
    return heads_after(before, None if head is None else (head,))


def _record_of(row: Row, record_id: str, last: LastRecord) -> Record | Problem:
    try:
        record = last.decode(row)
    except ValueError as error:
        return Problem(row.seq, "body", f"row {row.seq} cannot be read: {error}")
    if row.type != RowType.PREPARED or record.id != record_id:
        return Problem(
            row.seq, "index", f"the index says record {record_id!r} is in row {row.seq}, which holds {record.id}"
        )
    return record


def reason_of(row: Row) -> str | None:
    """What was said when a record was settled, if anything."""
    try:
        note = from_bytes(unpack(row.codec, row.body)).get("note")
    except ValueError:
        return None
    return note if isinstance(note, str) else None
