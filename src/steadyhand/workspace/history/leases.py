"""Leases as they are now: which file each is about, and which lines, after whatever was written since.

Reads the journal only. A lease follows its file through renames and its characters through recorded changes; where
they can no longer be followed, the lease is about the whole file. Nothing here stops anybody.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from steadyhand.errors import EditError
from steadyhand.lazy import dataclass
from steadyhand.text.region import Region, region_of
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.workspace.file_op import FileOp
from steadyhand.workspace.history.unseen_changes import Content, UnseenChanges
from steadyhand.workspace.journal.record import Lease, Party, SeenVersion
from steadyhand.workspace.journal.store import Journal

_MOST = 1000  # leases whose last place is remembered


@dataclass(frozen=True, slots=True)
class ActiveLease:
    """A lease with the path of its file and the lines it is about, both as they are now; None: the whole file."""

    lease: Lease
    path: str
    lines: tuple[int, int] | None = None

    @property
    def party(self) -> Party:
        return self.lease.party

    def __str__(self) -> str:
        reason = f": {self.lease.reason}" if self.lease.reason else ""
        if self.lines is None:
            return f"{self.path}: {self.party} is at work on this file{reason}"
        first, last = self.lines
        where = f"line {first}" if first == last else f"lines {first}–{last}"
        return f"{self.path} {where}: {self.party} is at work here{reason}"

    def to_json(self) -> dict[str, object]:
        return {
            "id": self.lease.id,
            "actor": self.party.actor,
            "task": self.party.task,
            "path": self.path,
            "lines": None if self.lines is None else list(self.lines),
            "time": self.lease.time,
            "reason": self.lease.reason,
            "seconds": self.lease.seconds,
        }


Followed = dict[str, tuple[str, Span]]
"""Where leases were found last, by their ids: version and characters. From there on there is less to follow."""


class ActiveLeases:
    """The leases of one journal. `content` gives versions that this process has read; `followed` is kept up."""

    def __init__(self, journal: Journal, content: Content, followed: Followed) -> None:
        self._journal = journal
        self._content = content
        self._followed = followed

    def lasting(self) -> list[tuple[Lease, str]]:
        """Every lease that lasts, oldest first, with where its file lies now."""
        return [(lease, self._path_now(lease)) for lease in self._journal.leases()]

    def rows(self, lease: Lease, path: str, present: Source, data: bytes) -> Region | None:
        """The rows of a file's present text that a lease is about; None: the whole file."""
        if lease.span is None or lease.digest is None:
            return None
        unseen_changes = UnseenChanges(self._journal, lease.party, lease.seq, partial(self._version, lease.path))
        start = lease.digest, Span(*lease.span)
        for digest, known in (self._followed.get(lease.id, start), start):
            try:
                span = unseen_changes.followed(path, present, data, SeenVersion(digest, lease.seq), known)
            except (EditError, UnicodeError):
                continue
            if span is not None and span.end <= len(present.text):
                self._remember(lease, present.digest, span)
                first, last = present.table.rows_of(span)
                return Region(first, last + 1)
        return None

    def met(self, ops: Iterable[FileOp], party: Party) -> Iterator[ActiveLease]:
        """The leases of others that a change not yet made would touch."""
        others = [(lease, path) for lease, path in self.lasting() if lease.party != party]
        for op in ops:
            for lease, path in others:
                found = self._meeting(op, lease, path)
                if found is not None:
                    yield found

    def _meeting(self, op: FileOp, lease: Lease, path: str) -> ActiveLease | None:
        if path not in (op.before_path, op.after_path):
            return None
        before = _text_before(op) if path == op.before_path else None
        if before is None or op.before is None or op.changes is None:
            return ActiveLease(lease, path)
        rows = self.rows(lease, path, before, op.before.data)
        if rows is None:
            return ActiveLease(lease, path)
        is_met = any(region_of(before, splice).meets(rows) for splice in op.changes.splices)
        return ActiveLease(lease, path, rows.lines) if is_met else None

    def _remember(self, lease: Lease, digest: str, span: Span) -> None:
        if len(self._followed) >= _MOST:
            self._followed.clear()
        self._followed[lease.id] = digest, span

    def _path_now(self, lease: Lease) -> str:
        """Where the file went. A file that was made under its old name since then takes its place."""
        path, seq = lease.path, lease.seq
        while True:
            latest = self._journal.latest(path)
            if latest is None or latest.seq <= seq:
                return path
            seq = latest.seq
            change = latest.record.leaving(path)
            if change is None or not change.is_rename:
                return path
            path = change.path

    def _version(self, path: str, digest: str) -> bytes | None:
        found = self._content(digest)
        return found if found is not None else self._journal.seen_content(path, digest)


def _text_before(op: FileOp) -> Source | None:
    """The text before the splices of an operation; None where only whole files are known."""
    if op.changes is None or op.source is None or op.before is None:
        return None
    text = op.changes.invert().apply(op.source.text)
    return Source(text, op.source.encoding, op.before_path, op.before.digest)
