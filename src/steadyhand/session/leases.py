"""Leases: a task says what it is about to work on, and others who come there are warned.

A lease stops nobody, unless the policy of the one who comes says so. It ends with its block, its task, its workspace
or its process, however that ends, or when its time is over.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.hints import RunCommand, Say, lines_named
from steadyhand.lazy import dataclass, replace
from steadyhand.session import checks
from steadyhand.session.checks import AnyPath
from steadyhand.session.host import naming
from steadyhand.structure.lines import Lines
from steadyhand.structure.outline import Location, locate
from steadyhand.structure.target import Target
from steadyhand.text.region import Region, region_of
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.workspace.history.unseen_changes import UnseenChanges
from steadyhand.workspace.journal.record import Lease, Party, SeenVersion, new_record_id, utc_now
from steadyhand.workspace.overlay import FileOp

if TYPE_CHECKING:
    from steadyhand.session.context import Session
    from steadyhand.workspace.overlay import FileReading


Place = Target | str | tuple[int, int | None]
_SHOWN = 10  # leases that one call reports


class Leases:
    """The leases of one workspace."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._store = session.store

    @contextlib.contextmanager
    def lease(
        self, path: AnyPath, *, target: Place | None = None, reason: str | None = None, seconds: float | None = None
    ) -> Iterator[Lease]:
        reason, seconds = checks.remark(reason, "reason"), _time(seconds)
        journal = self._store.writable_journal()
        lease_now = self._new_lease(checks.path_of(path), target, journal.head())
        lease = replace(lease_now.lease, reason=reason, seconds=seconds)
        journal.keep_lease(lease)
        process = os.getpid()
        try:
            with contextlib.suppress(EditError):
                body = replace(lease_now, lease=lease).to_json()
                del body["time"]
                journal.append_note("lease", body)
            yield lease
        finally:
            if process == os.getpid():  # the lease of a parent process is not its child's to end
                # The journal may be closed by now, or the lease have ended with its task.
                with contextlib.suppress(EditError):
                    if journal.end_lease(lease.id):
                        party = lease.party
                        end = {"id": lease.id, "actor": party.actor, "task": party.task, "path": lease.path}
                        journal.append_note("lease-end", end)

    def leases(self, path: AnyPath | None = None) -> list[ActiveLease]:
        """The leases that last, oldest first, as they are now: of one file or of all."""
        if not self._store.state.exists:
            return []
        wanted = None if path is None else self._store.resolve(checks.path_of(path))
        found = [(lease, place) for lease, place in self._lasting() if wanted in (None, place)]
        return [self._lease_now(lease, place) for lease, place in found]

    def _new_lease(self, path: str, target: Place | None, seq: int) -> ActiveLease:
        reading = self._store.look(path)
        lease = Lease(new_record_id(), self._session.context.party, reading.path, utc_now(), seq=seq)
        if target is None:
            return ActiveLease(lease, lease.path)
        source = self._leased_text(reading)
        (place,) = _located(source, target)
        lease = replace(lease, digest=source.digest, span=(place.span.start, place.span.end))
        return ActiveLease(lease, lease.path, place.lines)

    def _lease_now(self, lease: Lease, path: str) -> ActiveLease:
        """A lease with its present lines; where the file cannot be read, that it is about the file."""
        try:
            reading = self._store.look_again(path)
            if lease.span is None or reading.image is None:
                return ActiveLease(lease, path)
            rows = self._rows(lease, path, self._leased_text(reading), reading.image.data)
        except EditError:
            return ActiveLease(lease, path)
        return ActiveLease(lease, path, None if rows is None else rows.lines)

    def _leased_text(self, reading: FileReading) -> Source:
        image = reading.image
        if image is None:
            raise EditError(
                Kind.NO_SUCH_FILE,
                f"there is no file {reading.path}",
                hint="to create it, take a lease on the whole file, without a target",
                details={"path": reading.path},
            )
        source = self._store.text_of(reading.path, image)
        if source.is_binary:
            raise EditError(
                Kind.NOT_TEXT,
                f"{reading.path} is not a text file",
                hint="take a lease on the whole file, without a target",
                details={"path": reading.path},
            )
        return source

    def met(self, ops: Sequence[FileOp], rules: Sequence[str]) -> list[str]:
        """What to report of the leases of others that a change would touch.

        Refuses with `busy` where one of the rules is to refuse.
        """
        try:
            found = list(self._touched(ops))[:_SHOWN]
        except EditError:  # a journal that cannot be read is reported where it is written
            return []
        if found and "refuse" in rules:
            raise EditError(
                Kind.BUSY,
                "; ".join(map(str, found)),
                hint=(
                    Say("work elsewhere, or try again when the lease has ended"),
                    RunCommand("lease --list", "lists the current ones"),
                ),
                details={"path": found[0].path, "leases": [lease_now.to_json() for lease_now in found]},
            )
        return list(dict.fromkeys(map(str, found)))

    def _lasting(self) -> list[tuple[Lease, str]]:
        """Every lease that lasts, oldest first, with where its file lies now."""
        return [(lease, self._path_now(lease)) for lease in self._store.journal.leases()]

    def _rows(self, lease: Lease, path: str, present: Source, data: bytes) -> Region | None:
        """The rows of a file's present text that a lease is about; None: the whole file."""
        if lease.span is None or lease.digest is None:
            return None
        ranges = self._session.ranges
        unseen_changes = UnseenChanges(self._store.journal, ranges, lease.party, lease.path, lease.seq)
        start = lease.digest, Span(*lease.span)
        for digest, known in (self._session.followed.get(lease.id, start), start):
            try:
                span = unseen_changes.followed(path, present, data, SeenVersion(digest, lease.seq), known)
            except (EditError, UnicodeError):
                continue
            if span is not None and span.end <= len(present.text):
                if len(self._session.followed) >= _MOST:
                    self._session.followed.clear()
                self._session.followed[lease.id] = present.digest, span
                first, last = present.table.rows_of(span)
                return Region(first, last + 1)
        return None

    def _touched(self, ops: Iterable[FileOp]) -> Iterator[ActiveLease]:
        """The leases of others that a change not yet made would touch."""
        others = [(lease, path) for lease, path in self._lasting() if lease.party != self._session.context.party]
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
        rows = self._rows(lease, path, before, op.before.data)
        if rows is None:
            return ActiveLease(lease, path)
        is_met = any(region_of(before, splice).meets(rows) for splice in op.changes.splices)
        return ActiveLease(lease, path, rows.lines) if is_met else None

    def _path_now(self, lease: Lease) -> str:
        """Where the file went. A file that was made under its old name since then takes its place."""
        path, seq = lease.path, lease.seq
        while True:
            latest = self._store.journal.latest(path)
            if latest is None or latest.seq <= seq:
                return path
            seq = latest.seq
            change = latest.record.leaving(path)
            if change is None or not change.is_rename:
                return path
            path = change.path


def _located(source: Source, target: Place) -> Sequence[Location]:
    if isinstance(target, tuple):
        rows = checks.line_range(target, source.table.count)
        target = Lines(*target) if rows is None or target[1] is not None else Lines(rows[0] + 1, rows[1] + 1)
    with naming(source):
        return locate(source, target)


def _time(seconds: object) -> float | None:
    if seconds is None:
        return None
    amount = checks.amount(seconds, "seconds")
    if amount == 0:
        raise EditError(Kind.BAD_REQUEST, "seconds: 0 is too short", hint="use more, or leave it out")
    return amount


# Leases as they are now: which file each is about, and which lines, after whatever was written since.
#
# Reads the journal only. A lease follows its file through renames and its characters through recorded changes; where
# they can no longer be followed, the lease is about the whole file. Nothing here stops anybody.

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
        return f"{self.path} {lines_named(*self.lines)}: {self.party} is at work here{reason}"

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


def _text_before(op: FileOp) -> Source | None:
    """The text before the splices of an operation; None where only whole files are known."""
    if op.changes is None or op.source is None or op.before is None:
        return None
    text = op.changes.invert().apply(op.source.text)
    return Source(text, op.source.encoding, op.before_path, op.before.digest)
