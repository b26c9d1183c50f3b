"""What the journal says of many files, asked for at once: their latest records, and what a party has seen of them.

However many files there are, the number of statements grows with the pages of `_PAGE` of them, never with each. A
path's own records are looked at from the newest one, so a long history costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, TypeVar

from steadyhand.lazy import dataclass, field
from steadyhand.workspace.journal import seen
from steadyhand.workspace.journal.audit import Problem
from steadyhand.workspace.journal.connection import Connection
from steadyhand.workspace.journal.index import key
from steadyhand.workspace.journal.party import Party, Sight
from steadyhand.workspace.journal.query import INDEXED, Indexed, RecordsRead, entries_of
from steadyhand.workspace.journal.record import Entry

T = TypeVar("T")

_PAGE = 400  # PostgreSQL takes 65,535 values in one statement, an old SQLite 999
_LASTING = (
    "files f CROSS JOIN records x WHERE f.path = wanted.path AND x.seq = f.seq AND x.state IN ('committed', 'partial')"
)
_LATEST = (
    f"WITH wanted (path) AS (VALUES {{marks}}) SELECT wanted.path, EXISTS (SELECT 1 FROM {_LASTING} AND f.seq < r.seq),"
    f" {INDEXED} FROM wanted JOIN records r ON r.seq ="
    f" (SELECT f.seq FROM {_LASTING} AND f.seq < ? ORDER BY f.seq DESC LIMIT 1)"
)
_LAST = 1 << 62


class Latest(NamedTuple):
    """The newest lasting record of a path: its row, what it says, and whether there are earlier ones."""

    seq: int
    entry: Entry | Problem
    has_earlier: bool


@dataclass(frozen=True, slots=True)
class Recalled:
    """The answers, for the journal up to the row `before_seq`; a path that is no key of them was not asked about."""

    before_seq: int | None = None
    party: Party | None = None
    latest: Mapping[str, Latest | None] = field(default_factory=dict)
    sights: Mapping[str, tuple[Sight, ...]] = field(default_factory=dict)

    def knows(self, path: str | None, before_seq: int | None) -> bool:
        """Whether the latest record of a path before a row is among the answers."""
        return path in self.latest and before_seq == self.before_seq


def recall(
    connection: Connection, paths: Sequence[str], party: Party | None, before_seq: int | None, read: RecordsRead
) -> Recalled:
    """Ask about these paths, and what `party` has seen of them where one is given."""
    latest = _latest(connection, paths, before_seq, read)
    return Recalled(before_seq, party, latest, {} if party is None else sights_of(connection, party, paths))


def sights_of(connection: Connection, party: Party, paths: Sequence[str]) -> dict[str, tuple[Sight, ...]]:
    """What a party has seen of each of these files."""
    found: dict[str, tuple[Sight, ...]] = dict.fromkeys(paths, ())
    for page in pages(paths):
        found |= seen.sights_of(connection, party, page)
    return found


def _latest(
    connection: Connection, paths: Sequence[str], before_seq: int | None, read: RecordsRead
) -> dict[str, Latest | None]:
    found: dict[str, Latest | None] = dict.fromkeys(paths)
    for page in pages(paths):
        by_key = {key(path): path for path in page}
        query = _LATEST.format(marks=", ".join(["(?)"] * len(by_key)))
        rows = connection.execute(query, (*by_key, _LAST if before_seq is None else before_seq)).fetchall()
        held = {by_key[bytes(path)]: (Indexed(*indexed), bool(earlier)) for path, earlier, *indexed in rows}
        entries = entries_of(connection, list(dict.fromkeys(indexed for indexed, _ in held.values())), read)
        for path, ((seq, *_), has_earlier) in held.items():
            entry = entries[seq]
            if isinstance(entry, Entry) and entry.record.file(path) is None:
                entry = Problem(
                    seq, "index", f"the index says record {entry.record.id} touched {path!r}, the record does not"
                )
            found[path] = Latest(seq, entry, has_earlier)
    return found


def pages(items: Iterable[T], size: int = _PAGE) -> Iterator[list[T]]:
    """The items in groups that fit into one statement."""
    left = iter(items)
    while page := list(islice(left, size)):
        yield page
