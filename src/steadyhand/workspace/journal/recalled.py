"""What the journal says of many files, asked for at once: their latest records, and what a party has seen of them.

However many files there are, the number of statements grows with the pages of `_PAGE` of them, never with each. A
path's own records are looked at from the newest one, so a long history costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple, TypeVar

from steadyhand.lazy import dataclass
from steadyhand.workspace.journal import seen
from steadyhand.workspace.journal.audit import Problem
from steadyhand.workspace.journal.connection import Connection, Handle
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


@dataclass(slots=True)
class Recalled:
    """Questions about some paths, for the journal up to the row `before_seq`: all are asked when one of them is."""

    paths: frozenset[str] = frozenset()
    party: Party | None = None
    before_seq: int | None = None
    _latest: Mapping[str, Latest | None] | None = None
    _sights: Mapping[str, tuple[Sight, ...]] | None = None

    def has_latest(self, path: str | None, before_seq: int | None) -> bool:
        """Whether the latest record of a path before a row is one of the questions."""
        return path in self.paths and before_seq == self.before_seq

    def latest(self, handle: Handle, path: str, read: RecordsRead) -> Latest | None:
        """The newest lasting record of one of the paths."""
        if self._latest is None:
            ask = partial(_latest, paths=sorted(self.paths), before_seq=self.before_seq, read=read)
            self._latest = handle.read(ask)
        return self._latest[path]

    def has_sights(self, party: Party, path: str) -> bool:
        """Whether what a party has seen of a path is one of the questions."""
        return path in self.paths and party == self.party

    def sights(self, handle: Handle, path: str, read: seen.SightsRead) -> tuple[Sight, ...]:
        """What the party has seen of one of the paths."""
        if self._sights is None:
            assert self.party is not None
            self._sights = handle.read(partial(_sights, party=self.party, paths=sorted(self.paths), read=read))
        return self._sights[path]


def _sights(
    connection: Connection, party: Party, paths: Sequence[str], read: seen.SightsRead
) -> dict[str, tuple[Sight, ...]]:
    """What a party has seen of each of these files."""
    found: dict[str, tuple[Sight, ...]] = dict.fromkeys(paths, ())
    for page in pages(paths):
        found |= seen.sights_of(connection, party, page, read)
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
