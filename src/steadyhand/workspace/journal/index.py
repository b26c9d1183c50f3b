"""The index: tables derived from the log that say where to look, and what is read back through them.

The tables are kept up row by row, and rebuilt from nothing by the same steps. What is returned comes from the log, and
only if checksum, chain, body and index agree: a row is an entry or the problem it has.

What is asked of many files is asked at once (`Recalled`): however many there are, the number of statements grows with
the pages of them, never with each. A path's own records are looked at from the newest one, so a long history costs
nothing.

Invariants:

1. Every table here follows from the log; `rebuild` gives the same tables.
2. A record is undone iff a later committed record undoes it that is not itself undone.
3. A damaged prepared row keeps its place in `records`, so that reading it refuses instead of finding nothing.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, Final, Literal, NamedTuple, Self, TypeVar
from weakref import WeakValueDictionary

from steadyhand.errors import EditError, Kind
from steadyhand.hints import RunCommand
from steadyhand.lazy import dataclass, replace
from steadyhand.workspace.journal import log, parties
from steadyhand.workspace.journal.codec import (
    LONGEST,
    decode_note,
    decode_record,
    decode_staging,
    from_bytes,
    key,
    unpack,
)
from steadyhand.workspace.journal.database import DERIVED, Connection, Handle, Statement
from steadyhand.workspace.journal.log import GENESIS, Problem, Row, RowType, damaged, heads_after, seal_problem
from steadyhand.workspace.journal.record import (
    ID_LENGTH,
    Entry,
    Happening,
    Note,
    Party,
    Record,
    SeenVersion,
    Staging,
    State,
    is_record_id,
)

_NOTES = {RowType.NOTE.value, RowType.CHECKPOINT.value}
_SETTLED = {RowType.COMMITTED.value, RowType.ABORTED.value, RowType.PARTIAL.value}


_SETTLED_ROW = (
    f"INSERT INTO log ({log.COLUMNS}) SELECT ?, ?, ?, ?, ?, ?, ?, ? FROM records"
    f" WHERE id = ? AND state = 'prepared' AND {log.IS_LAST}"
)
SETTLE: Final = Statement(
    sqlite=_SETTLED_ROW,
    postgres=f"WITH row AS ({_SETTLED_ROW} RETURNING seq, type, record)"
    " UPDATE records SET state = row.type, settled = row.seq FROM row WHERE id = row.record",
)
"""Append how a prepared record ended and enter it: the values of the row, the record's id, the chain of the row that is
last. Changes nothing where another one is. In SQLite `FOLLOWS_THE_LOG` enters it.
"""
FOLLOWS_THE_LOG: Final = """CREATE TEMP TRIGGER index_follows_the_log AFTER INSERT ON main.log
    WHEN NEW.type IN ('committed', 'aborted', 'partial')
    BEGIN UPDATE records SET state = NEW.type, settled = NEW.seq WHERE id = NEW.record; END"""
"""For a connection that writes: SQLite has no statement that writes to two tables."""


def add_record(connection: Connection, seq: int, record: Record) -> None:
    """Enter a prepared record."""
    task = None if record.task is None else key(record.task)
    connection.execute(
        "INSERT INTO records (seq, id, state, time, actor, task) VALUES (?, ?, 'prepared', ?, ?, ?)",
        (seq, record.id, record.time, key(record.actor), task),
    )
    connection.executemany("INSERT INTO files (path, seq) VALUES (?, ?)", [(key(path), seq) for path in record.paths])
    if record.undoes:
        rows = [(undone, seq) for undone in dict.fromkeys(record.undoes)]
        connection.executemany("INSERT INTO undos (undone, seq) VALUES (?, ?)", rows)


def settle(connection: Connection, row: Row, *, undoes: bool = True) -> None:
    """Enter how a record ended, and what that makes undone or live again; `undoes`: it may undo others."""
    connection.execute("UPDATE records SET state = ?, settled = ? WHERE id = ?", (row.type, row.seq, row.record))
    if undoes and row.type == State.COMMITTED:
        found = connection.execute(
            "SELECT undone FROM undos WHERE seq = (SELECT seq FROM records WHERE id = ?)", (row.record,)
        )
        _refresh(connection, [undone for (undone,) in found.fetchall()])


def rebuild(connection: Connection, rows: Iterable[Row]) -> None:
    """Rebuild the derived tables from the log; inside a write transaction."""
    for table in DERIVED:
        connection.execute(f"DELETE FROM {table}")
    for row in rows:
        enter(connection, row)


def enter(connection: Connection, row: Row) -> None:
    """Enter one row of the log, whatever it says."""
    if row.type in _SETTLED and row.is_intact:
        settle(connection, row)
    if row.type in _NOTES:
        _enter_note(connection, row)
    if row.type != RowType.PREPARED:
        return
    try:
        if not row.is_intact:
            raise ValueError("damaged")
        record = decode_record(unpack(row.codec, row.body))
    except ValueError:
        _enter_damaged(connection, row)
        return
    connection.execute("DELETE FROM records WHERE id = ?", (record.id,))  # a damaged row may have claimed this id
    add_record(connection, row.seq, record)


def differences(kept: Connection, rebuilt: Connection) -> Iterator[Problem]:
    """At most one problem for each derived table that is not what the log says."""
    for table in DERIVED:
        if _content(kept, table) != _content(rebuilt, table):
            message = f"the index {table} does not say what the log says; it can be rebuilt from the log"
            yield Problem(None, "index", message)


def _content(connection: Connection, table: str) -> list[object]:
    columns = "*" if table != "records" else "seq, id, state, settled, undone_by, time, actor, task"
    return connection.execute(f"SELECT {columns} FROM {table} ORDER BY 1, 2").fetchall()


def catch_up(connection: Connection, version: int) -> None:
    """Fill what steps after `version` made, from a log that was there before them; inside their transaction."""
    if version != 1:  # an empty log, or nothing to fill
        return
    query = (  # names that have a shorter key by now
        "SELECT 1 FROM files WHERE length(path) > ? UNION ALL"
        " SELECT 1 FROM records WHERE length(actor) > ? OR length(task) > ? LIMIT 1"
    )
    if connection.execute(query, (LONGEST, LONGEST, LONGEST)).fetchone() is not None:
        rebuild(connection, log.rows(connection))
        return
    for row in log.all_notes(connection):
        _enter_note(connection, row)


def _enter_note(connection: Connection, row: Row) -> None:
    try:
        name, _ = decode_note(unpack(row.codec, row.body)) if row.is_intact else (None, {})
    except ValueError:
        return
    if name is not None:
        connection.execute("INSERT INTO note_types (type, seq) VALUES (?, ?)", (key(name), row.seq))


def _enter_damaged(connection: Connection, row: Row) -> None:
    if isinstance(row.record, str) and is_record_id(row.record):
        connection.execute(
            "INSERT INTO records (seq, id, state, time, actor) VALUES (?, ?, 'prepared', ?, ?) ON CONFLICT DO NOTHING",
            (row.seq, row.record, "", b""),
        )


def _refresh(connection: Connection, ids: list[str]) -> None:
    """Update by whom these records are undone; a change goes on to the records that they undo."""
    waiting = list(ids)
    while waiting:
        changed = _refresh_one(connection, waiting.pop())
        if changed is not None:
            found = connection.execute("SELECT undone FROM undos WHERE seq = ?", (changed,))
            waiting.extend(undone for (undone,) in found.fetchall())


def _refresh_one(connection: Connection, record_id: str) -> int | None:
    """The record's row number if it went from undone to live or back."""
    held = connection.execute("SELECT seq, undone_by FROM records WHERE id = ?", (record_id,)).fetchone()
    if held is None:
        return None
    seq, before = held
    found = connection.execute(
        "SELECT r.id FROM undos u JOIN records r ON r.seq = u.seq WHERE u.undone = ? AND u.seq > ?"
        " AND r.state = 'committed' AND r.undone_by IS NULL ORDER BY u.seq DESC LIMIT 1",
        (record_id, seq),
    ).fetchone()
    after = None if found is None else found[0]
    connection.execute("UPDATE records SET undone_by = ? WHERE seq = ?", (after, seq))
    return int(seq) if (before is None) != (after is None) else None


Live = Literal["edits", "undos"]
"""Records that are not undone: those that may be no undo, or those that undo something, be it an undo or a redo."""

PAGE = 500
_BY_PATH = "files f CROSS JOIN records r"  # the order that SQLite keeps to: by path first
_LAST = 1 << 62
_UNDOES = "EXISTS (SELECT 1 FROM undos u WHERE u.seq = r.seq)"
_UNDOES_UNDO = (
    "EXISTS (SELECT 1 FROM undos u JOIN records x ON x.id = u.undone JOIN undos v ON v.seq = x.seq WHERE u.seq = r.seq)"
)
_LIVE = {
    "edits": f"r.undone_by IS NULL AND (NOT {_UNDOES} OR {_UNDOES_UNDO})",
    "undos": f"r.undone_by IS NULL AND {_UNDOES}",
}
_MANY_FILES = 8  # a record of fewer is as quickly read again as kept
_KEPT_BYTES = 16 << 20  # of records of many files, as they are written
INDEXED = "r.seq, r.id, r.state, r.settled, r.undone_by"
_TOGETHER = 100  # records that are read together: each may be long
_ENDS = 1024  # rows that settled a record


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
    live: Live | None = None

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
        conditions += [] if self.live is None else [_LIVE[self.live]]
        return conditions, [value for _, value in asked] + [state.value for state in self.states]


def _bounded(seq: int | None) -> int | None:
    """A row number that every store can compare with."""
    return None if seq is None else max(-_LAST, min(seq, _LAST))


def is_as_after(connection: Connection, path: str, seq: int) -> bool:
    """Whether all records that touched a path after a row are undone, or undo nothing but records after that row."""
    query = (
        f"SELECT 1 FROM {_BY_PATH} WHERE r.seq = f.seq AND f.path = ? AND f.seq > ? AND r.undone_by IS NULL"
        f" AND r.state IN ('committed', 'partial') AND (NOT {_UNDOES} OR EXISTS (SELECT 1 FROM undos u"
        " JOIN records x ON x.id = u.undone WHERE u.seq = r.seq AND x.seq <= ?)) LIMIT 1"
    )
    return connection.execute(query, (key(path), seq, seq)).fetchone() is None


def seqs_starting(connection: Connection, prefix: str, limit: int) -> list[tuple[int, str]]:
    """Row numbers and ids of records whose id starts with these hex digits."""
    query = "SELECT seq, id FROM records WHERE id >= ? AND id < ? ORDER BY seq DESC LIMIT ?"
    end = prefix + "g" if len(prefix) <= ID_LENGTH else prefix
    return connection.execute(query, (prefix, end, limit)).fetchall()


class Indexed(NamedTuple):
    """What the index says of a record, which is in the row `seq`."""

    seq: int
    id: str
    state: str
    settled: Any
    undone_by: Any


Rows = Mapping[int, tuple[Row, bytes | None]]
"""Rows that were read together, each with the chain before it."""


class _End(NamedTuple):
    """What a row says of how a record ended."""

    seq: int
    state: str
    record: str | None
    note: str | None


class RecordsRead:
    """Records as they were read from sound rows, so that a record of many files is not read again for each of them.

    A row is never changed once it is written, so what was sound stays true; the id tells one row from another that
    took its number after a transaction was rolled back. A record is found as long as somebody uses it. Of those that
    nobody uses the last one is kept, and beside it those of many files, up to a limit. Used under the handle's lock.
    """

    def __init__(self) -> None:
        self._known: WeakValueDictionary[tuple[int, str], Record] = WeakValueDictionary()
        self._ends: dict[tuple[object, str, str], _End] = {}
        self._kept: OrderedDict[tuple[int, str], tuple[Record, int]] = OrderedDict()
        self._size = 0
        self.last: Record | None = None  # the one that was last written or read

    def wrote(self, seq: int, record: Record, size: int) -> None:
        """Know a record that was just written to a row: nobody has to read it to know what it says."""
        place = seq, record.id
        self._known[place] = self.last = record
        if len(record.files) >= _MANY_FILES:
            self._keep(place, record, size)

    def ended(self, settled: int, record_id: str, state: State, note: str | None) -> None:
        """Know a row that was just written to settle a record."""
        self._keep_end((settled, record_id, state.value), _End(settled, state.value, record_id, note))

    def missing(self, held: Iterable[Indexed]) -> list[int]:
        """The rows that must be read to tell of these records."""
        found: list[int] = []
        for one in held:
            if (one.seq, one.id) not in self._known:
                found.append(one.seq)
            if isinstance(one.settled, int) and (one.settled, one.id, one.state) not in self._ends:
                found.append(one.settled)
        return found

    def record(self, connection: Connection, seq: int, record_id: str, rows: Rows | None = None) -> Record | Problem:
        """The record that was prepared in a row, or why it cannot be used."""
        place = seq, record_id
        found = self._known.get(place)
        if found is None:
            row = sound_row(connection, seq, rows)
            if isinstance(row, Problem):
                return row
            try:
                body = unpack(row.codec, row.body)
                found = decode_record(body)
            except ValueError as error:
                return Problem(seq, "body", f"row {seq} cannot be read: {error}")
            if row.type != RowType.PREPARED or found.id != record_id:
                return Problem(
                    seq, "index", f"the index says record {record_id!r} is in row {seq}, which holds {found.id}"
                )
            self._known[place] = found
            if len(found.files) >= _MANY_FILES:
                self._keep(place, found, len(body))
        elif place in self._kept:
            self._kept.move_to_end(place)
        self.last = found
        return found

    def end(
        self, connection: Connection, settled: object, record_id: str, state: str, rows: Rows | None = None
    ) -> _End | Problem:
        """The row that settled a record, as far as it is used, or why it cannot be used."""
        place = settled, record_id, state
        found = self._ends.get(place)
        if found is None:
            row = sound_row(connection, settled, rows)
            if isinstance(row, Problem):
                return row
            found = _End(row.seq, row.type, row.record, reason_of(row))
            self._keep_end(place, found)
        return found

    def _keep_end(self, place: tuple[object, str, str], end: _End) -> None:
        if len(self._ends) >= _ENDS:
            self._ends.clear()
        self._ends[place] = end

    def _keep(self, place: tuple[int, str], record: Record, size: int) -> None:
        if size > _KEPT_BYTES:
            return
        self._kept[place] = record, size
        self._size += size
        while self._size > _KEPT_BYTES:
            _, (_, dropped) = self._kept.popitem(last=False)
            self._size -= dropped


def entry_at(
    connection: Connection, seq: int, path: str | None = None, *, read: RecordsRead | None = None
) -> Entry | Problem:
    """The entry whose record was prepared in this row, or why it cannot be used; `path` must be one it touched."""
    held = connection.execute(f"SELECT {INDEXED} FROM records r WHERE r.seq = ?", (seq,)).fetchone()
    if held is None:
        return Problem(seq, "index", f"row {seq} is not a record")
    return _entry(connection, Indexed(*held), read or RecordsRead(), path)


def entries_of(connection: Connection, held: Sequence[Indexed], read: RecordsRead) -> dict[int, Entry | Problem]:
    """The entries of several records by their rows, read together; each as `entry_at` gives it."""
    found: dict[int, Entry | Problem] = {}
    for start in range(0, len(held), _TOGETHER):
        some = held[start : start + _TOGETHER]
        missing = read.missing(some)
        rows = log.rows_and_heads(connection, missing) if missing else {}
        for one in some:
            found[one.seq] = _entry(connection, one, read, None, rows)
    return found


def _entry(
    connection: Connection, held: Indexed, read: RecordsRead, path: str | None, rows: Rows | None = None
) -> Entry | Problem:
    seq, record_id, state, settled, undone_by = held
    record = read.record(connection, seq, record_id, rows)
    if isinstance(record, Problem):
        return record
    note = None
    if settled is not None or state != State.PREPARED:
        end = read.end(connection, settled, record_id, state, rows)
        if isinstance(end, Problem):
            return end
        if (end.state, end.record) != (state, record_id):
            return Problem(seq, "index", f"the index says {state!r} of record {record_id!r}, row {end.seq} does not")
        note = end.note
    if path is not None and record.file(path) is None:
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


def happening_of(connection: Connection, row: Row, *, read: RecordsRead) -> Happening | None:
    """What a row of the log tells those who watch; None when it is damaged or the record it speaks of is."""
    if isinstance(sound_row(connection, row.seq), Problem):
        return None
    if row.type not in (State.COMMITTED, State.PARTIAL):
        note = note_of(row)
        return None if note is None else Happening(row.seq, row.time, note)
    held = connection.execute("SELECT seq FROM records WHERE id = ?", (row.record,)).fetchone()
    entry = None if held is None else entry_at(connection, held[0], read=read)
    if not isinstance(entry, Entry):
        return None
    return Happening(row.seq, row.time, replace(entry, state=State(row.type), note=reason_of(row)))


def sound_row(connection: Connection, seq: object, rows: Rows | None = None) -> Row | Problem:
    """A row that is what was written, where it was written; or why it is not. `rows` were read already."""
    found = None
    if isinstance(seq, int):
        found = (rows or {}).get(seq) or log.row_and_head(connection, seq)
    if found is None:
        return Problem(seq if isinstance(seq, int) else None, "missing-row", f"row {seq} is missing")
    row, head = found
    problem = seal_problem(row, None if head is None else (head,))
    if problem is not None and problem.kind == "chain":
        problem = seal_problem(row, _heads_before(connection, row.seq))
    return problem or row


def _heads_before(connection: Connection, seq: int) -> tuple[bytes, ...]:
    """The chains that may be before a row, should the row before it be the one that is damaged."""
    found = log.row_and_head(connection, seq - 1)
    if found is None:
        return (GENESIS,)
    before, head = found
    return heads_after(before, None if head is None else (head,))


def reason_of(row: Row) -> str | None:
    """What was said when a record was settled, if anything."""
    try:
        note = from_bytes(unpack(row.codec, row.body)).get("note")
    except ValueError:
        return None
    return note if isinstance(note, str) else None


T = TypeVar("T")

_PAGE = 400  # PostgreSQL takes 65,535 values in one statement, an old SQLite 999
_LASTING = (
    "files f CROSS JOIN records x WHERE f.path = wanted.path AND x.seq = f.seq AND x.state IN ('committed', 'partial')"
)
_NEWS = "(SELECT chain FROM log ORDER BY seq DESC LIMIT 1), EXISTS (SELECT 1 FROM leases)"
_ASKED = (
    f"WITH wanted (path) AS (VALUES {{marks}}) SELECT wanted.path, {_NEWS}, s.body, s.version,"
    f" s.checksum, EXISTS (SELECT 1 FROM {_LASTING} AND f.seq < r.seq), {INDEXED} FROM wanted"
    f" LEFT JOIN records r ON r.seq = (SELECT f.seq FROM {_LASTING} AND f.seq < ? ORDER BY f.seq DESC LIMIT 1)"
    " LEFT JOIN sights s ON s.party = ? AND s.path = wanted.path"
)
_NOBODY = b""  # no party's key


class Latest(NamedTuple):
    """The newest lasting record of a path: its row, what it says, and whether there are earlier ones."""

    seq: int
    entry: Entry | Problem
    has_earlier: bool


class Recalled:
    """Questions about some paths, for the journal up to the row `before_seq`: all are asked when one of them is.

    Records are read only if one of them is asked for. `read` and `sights_read` are what the process knows already.
    """

    def __init__(
        self,
        handle: Handle,
        thread: threading.local,
        read: RecordsRead,
        decoded_versions: parties.DecodedVersions,
        paths: Iterable[str],
        party: Party | None,
        before_seq: int | None,
    ) -> None:
        self.paths = frozenset(paths)
        self.party = party
        self.before_seq = before_seq
        self.handle = handle
        self._read = read
        self._decoded_versions = decoded_versions
        self._answers: _Answers | None = None
        self._latest: Mapping[str, Latest] | None = None
        self._thread = thread

    def __enter__(self) -> Self:
        self._outer = getattr(self._thread, "recalled", None)
        self._thread.recalled = self
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.recalled = self._outer

    def latest(self, path: str) -> Latest | None:
        """The newest lasting record of one of the paths."""
        if self._latest is None:
            self._latest = self.handle.read(self._read_records)
        return self._latest.get(path)

    def seen_versions(self, path: str) -> tuple[SeenVersion, ...]:
        """What the party has seen of one of the paths."""
        answers = self._answers or self.handle.read(self._ask)
        return answers.seen_versions.get(path, ())

    def has_leases(self) -> bool:
        """Whether there is a lease of any file."""
        answers = self._answers or self.handle.read(self._ask)
        return True in answers.leases

    def is_current(self) -> bool:
        """Whether what was answered of records is so now: no row was added since. Of leases it is asked again."""
        answers = self._answers
        if answers is None:
            return False
        last, has_leases = self.handle.read(_news)
        answers.leases.add(bool(has_leases))
        return bool(last == answers.last)

    def _ask(self, connection: Connection) -> _Answers:
        party = _NOBODY if self.party is None else parties.party_key(self.party)
        before = _LAST if self.before_seq is None else self.before_seq
        answers: _Answers | None = None
        paths = sorted(self.paths)
        for page in [paths] if len(paths) <= _PAGE else pages(paths):
            by_key = {key(path): path for path in page}
            for place, last, has_leases, body, version, checksum, has_earlier, *indexed in connection.execute(
                _asked(len(by_key)), (*by_key, before, party)
            ).fetchall():
                answers = answers or _Answers({}, {}, set(), last)  # of the first page: what is last then was always so
                path = by_key[bytes(place)]
                answers.leases.add(bool(has_leases))
                if checksum is not None:
                    answers.seen_versions[path] = self._decoded_versions.sound(
                        party, bytes(place), body, version, checksum
                    )
                if indexed[0] is not None:
                    answers.held[path] = Indexed(*indexed), bool(has_earlier)
        self._answers = answers = answers or _Answers({}, {}, set(), None)
        return answers

    def _read_records(self, connection: Connection) -> dict[str, Latest]:
        held = (self._answers or self._ask(connection)).held
        found: dict[str, Latest] = {}
        entries = entries_of(connection, list(dict.fromkeys([indexed for indexed, _ in held.values()])), self._read)
        for path, ((seq, *_), has_earlier) in held.items():
            entry = entries[seq]
            if isinstance(entry, Entry) and entry.record.file(path) is None:
                entry = Problem(
                    seq, "index", f"the index says record {entry.record.id} touched {path!r}, the record does not"
                )
            found[path] = Latest(seq, entry, has_earlier)
        return found


class _Answers(NamedTuple):
    """What the index says of each path that has a record, with whether there are earlier ones; what was seen of them;
    whether there is a lease of any file; and the chain of the row that was last before any of this was asked.
    """

    held: dict[str, tuple[Indexed, bool]]
    seen_versions: dict[str, tuple[SeenVersion, ...]]
    leases: set[bool]
    last: object


@lru_cache(maxsize=64)
def _asked(count: int) -> str:
    return _ASKED.format(marks=", ".join(["(?)"] * count))


def _news(connection: Connection) -> Sequence[Any]:
    """The chain of the last row, and whether there is a lease of any file."""
    found: Sequence[Any] = connection.execute(f"SELECT {_NEWS}").fetchone()
    return found


def pages(items: Iterable[T]) -> Iterator[list[T]]:
    """The items in groups that fit into one statement."""
    left = iter(items)
    while page := list(islice(left, _PAGE)):
        yield page


_STATES = frozenset(state.value for state in State)


def held(connection: Connection, record_id: str) -> tuple[int, State, str | None]:
    """Row number, state and undo of a record; refuses an id that is not there."""
    found = _indexed(connection, record_id, "SELECT seq, state, undone_by FROM records WHERE id = ?")
    return int(found[0]), State(found[1]), None if found[2] is None else str(found[2])


def to_settle(connection: Connection, record_id: str) -> tuple[State, bool, tuple[int, bytes]]:
    """A record's state, whether it undoes any, and the last row of the log, asked for together."""
    found = _indexed(
        connection,
        record_id,
        "SELECT r.seq, r.state, EXISTS (SELECT 1 FROM undos u WHERE u.seq = r.seq), l.seq, l.chain FROM records r"
        " LEFT JOIN (SELECT seq, chain FROM log ORDER BY seq DESC LIMIT 1) l ON 1 = 1 WHERE r.id = ?",
    )
    return State(found[1]), bool(found[2]), log.head_of(found[3:])


def _indexed(connection: Connection, record_id: str, query: str) -> Sequence[Any]:
    """What the index says of a record, its row and its state first; refuses an id that is not there."""
    found: Sequence[Any] | None = (
        connection.execute(query, (record_id,)).fetchone() if is_record_id(record_id) else None
    )
    if found is None:
        raise unknown(record_id)
    if found[1] not in _STATES:
        raise damaged(f"the index cannot say what became of record {record_id}", seq=found[0])
    return found


def unknown(record_id: str) -> EditError:
    """The refusal of an id that no record has, or of the beginning of one."""
    return EditError(
        Kind.NO_SUCH_FILE,
        f"the journal holds no record {record_id}",
        hint=RunCommand("log", "lists the records of this workspace"),
        details={"id": record_id},
    )
