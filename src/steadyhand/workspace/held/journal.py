"""The journal as a task sees it that holds its changes: the past of the disk, and on it the changes of its layer.

Only questions about records are answered otherwise than by the journal itself. Of a file that the layer has, the past
is that of its base, then what was done to it in the layer; what others have done to the disk since is there as far as
it was brought in.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.hints import RunCommand
from steadyhand.lazy import replace
from steadyhand.workspace.held.layer import Layer
from steadyhand.workspace.journal.index import Live
from steadyhand.workspace.journal.record import Entry, State
from steadyhand.workspace.journal.store import LASTING, Journal, OnDamage

if TYPE_CHECKING:
    from collections.abc import Iterable

_BOTH = 1 << 62


class HeldJournal(Journal):
    """The journal beneath a layer, for reading; what is written goes to the journal itself."""

    def __init__(self, journal: Journal, layer: Layer) -> None:
        super().__init__(journal._handle, journal._presence, location=journal.location)
        self.beneath = journal
        self.layer = layer

    def entries(
        self,
        *,
        path: str | None = None,
        task: str | None = None,
        actor: str | None = None,
        before_seq: int | None = None,
        after_seq: int | None = None,
        limit: int | None = None,
        newest_first: bool = True,
        states: tuple[State, ...] = LASTING,
        live: Live | None = None,
        on_damage: OnDamage | None = None,
    ) -> Iterator[Entry]:
        since = None if path is None else self.layer.since(path)
        if not self.layer.files or (path is not None and since is None):
            yield from super().entries(
                path=path, task=task, actor=actor, before_seq=before_seq, after_seq=after_seq, limit=limit,
                newest_first=newest_first, states=states, live=live, on_damage=on_damage,
            )  # fmt: skip
            return
        own = self.layer.touching(path) if path is not None else iter(self.layer.entries[::-1])
        held = (
            entry
            for entry in own
            if (before_seq is None or entry.seq < before_seq)
            and (after_seq is None or entry.seq > after_seq)
            and task in (None, entry.record.task)
            and actor in (None, entry.record.actor)
            and entry.state in states
            and (live is None or self._is_live(entry, live))
        )
        bound = before_seq if since is None else min(since + 1, before_seq or _BOTH)
        beneath = (
            self._as_here(entry)
            for entry in super().entries(
                path=path, task=task, actor=actor, before_seq=bound, after_seq=after_seq,
                newest_first=newest_first, states=states, live=live, on_damage=on_damage,
            )
            if path is not None or self._is_past(entry)
        )  # fmt: skip
        wanted = (entry for entry in beneath if live is None or entry.undone_by is None)
        if path is not None:
            found = _chained(held, wanted) if newest_first else _chained(wanted, reversed(list(held)))
        else:
            found = _merged(held if newest_first else reversed(list(held)), wanted, newest_first=newest_first)
        for number, entry in enumerate(found):
            if limit is not None and number >= limit:
                return
            yield entry

    def _as_here(self, entry: Entry) -> Entry:
        """A record of the disk, which may be undone in the layer."""
        by = self.layer.undone_by(entry.record.id)
        return entry if by is None else replace(entry, undone_by=by)

    def _is_past(self, entry: Entry) -> bool:
        """Whether a record of the disk is part of the past of every file of it."""
        bounds = [since for path in entry.record.paths if (since := self.layer.since(path)) is not None]
        return all(entry.seq <= since for since in bounds)

    def _is_live(self, entry: Entry, live: Live) -> bool:
        """What the index says of records: not undone, and an edit or a redo; or anything that undoes."""
        if entry.undone_by is not None:
            return False
        undoes = entry.record.undoes
        if live == "undos":
            return bool(undoes)
        return not undoes or any(self._verb(undone) == "undo" for undone in undoes)

    def _verb(self, id: str) -> str:
        return self.find(id).record.verb

    def latest(self, path: str) -> Entry | None:
        if self.layer.since(path) is None:
            return super().latest(path)
        return next(self.entries(path=path, limit=1), None)

    def find(self, id_or_prefix: str) -> Entry:
        known = self.layer.entry(id_or_prefix.lower())
        if known is not None:
            return known
        starting = [entry for entry in self.layer.entries if entry.record.id.startswith(id_or_prefix.lower())]
        if len(starting) == 1 and len(id_or_prefix) >= 4:
            return starting[0]
        try:
            return self._as_here(super().find(id_or_prefix))
        except EditError as error:
            if error.kind is not Kind.NO_SUCH_FILE and self.layer.was_decided(id_or_prefix.lower()):
                raise EditError(
                    Kind.CANNOT_UNDO,
                    f"{id_or_prefix[:40]} was held for review and has been decided",
                    hint=RunCommand("review --all", "shows what was decided"),
                ) from None
            raise

    def undone_by(self, record_id: str) -> str | None:
        if self.layer.entry(record_id) is not None:
            return self.layer.undone_by(record_id)
        return self.layer.undone_by(record_id) or super().undone_by(record_id)

    def is_as_after(self, path: str, seq: int) -> bool:
        if self.layer.since(path) is None:
            return super().is_as_after(path, seq)
        return next(self.entries(path=path, after_seq=seq, limit=1), None) is None


def _chained(first: Iterable[Entry], then: Iterable[Entry]) -> Iterator[Entry]:
    yield from first
    yield from then


def _merged(one: Iterable[Entry], two: Iterable[Entry], *, newest_first: bool) -> Iterator[Entry]:
    from heapq import merge

    return merge(one, two, key=lambda entry: entry.seq, reverse=newest_first)
