"""What a workspace does with leases: a task says what it is about to work on, and others who come there are told.

A lease stops nobody, unless the policy of the one who comes says so. It ends with its block, its task, its workspace
or its process, however that ends, or when its time is over.
"""

from __future__ import annotations

import contextlib
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.hints import RunCommand, Say
from steadyhand.lazy import replace
from steadyhand.session import checks
from steadyhand.session.checks import AnyPath
from steadyhand.structure.lines import Lines
from steadyhand.structure.outline import Location, locate
from steadyhand.structure.target import Target
from steadyhand.text.source import Source

if TYPE_CHECKING:
    from steadyhand.session.ask import Ask
    from steadyhand.workspace.journal.party import Lease, Party
    from steadyhand.workspace.journal.store import Journal
    from steadyhand.workspace.leases import Announced, Announcements, Followed
    from steadyhand.workspace.overlay import Overlay, Reading
    from steadyhand.workspace.read_ranges import Sights
    from steadyhand.workspace.store import Store


Place = Target | str | tuple[int, int | None]
_SHOWN = 10  # leases that one call is told of


class Leases(ABC):
    """The verbs for leases."""

    _store: Store
    _sights: Sights
    _followed: Followed

    @property
    @abstractmethod
    def party(self) -> Party:
        """Who announces."""

    @contextlib.contextmanager
    def lease(
        self, path: AnyPath, *, target: Place | None = None, reason: str | None = None, seconds: float | None = None
    ) -> Iterator[Lease]:
        """Announce for the length of the block what this task is about to work on.

        `target` is an address, a target or the first and last line; without it the lease is about the whole file,
        which need not be there yet. It moves with the text as edits land. `seconds` ends it earlier.

        >>> import steadyhand, tempfile, pathlib
        >>> root = pathlib.Path(tempfile.mkdtemp()); _ = (root / "a.md").write_text("one\\ntwo\\n")
        >>> with steadyhand.Workspace(root, actor="ada") as ada, steadyhand.Workspace(root, actor="bob") as bob:
        ...     with ada.lease("a.md", target=(2, 2), reason="to digits"):
        ...         receipt = bob.edit("a.md", [{"target": "two", "new": "2"}])
        >>> receipt.warnings
        ('a.md line 2: ada is at work here: to digits',)
        """
        reason, seconds = checks.remark(reason, "reason"), _time(seconds)
        journal = self._store.writable_journal()
        announced = self._new_lease(checks.path_of(path), target, journal.head())
        lease = replace(announced.lease, reason=reason, seconds=seconds)
        journal.keep_lease(lease)
        process = os.getpid()
        try:
            with contextlib.suppress(EditError):
                journal.append_note("lease", _told(replace(announced, lease=lease)))
            yield lease
        finally:
            if process == os.getpid():  # what a parent announced is not its child's to end
                _end(journal, lease)

    def leases(self, path: AnyPath | None = None) -> list[Announced]:
        """The leases that last, oldest first, as they stand now: of one file or of all."""
        if not self._store.state.exists:
            return []
        wanted = None if path is None else self._store.resolve(checks.path_of(path))
        announcements = self._announcements()
        found = [(lease, place) for lease, place in announcements.lasting() if wanted in (None, place)]
        return [self._lease_now(announcements, lease, place) for lease, place in found]

    def _new_lease(self, path: str, target: Place | None, seq: int) -> Announced:
        from steadyhand.workspace.journal.party import Lease
        from steadyhand.workspace.journal.record import new_record_id, utc_now
        from steadyhand.workspace.leases import Announced

        reading = self._store.look(path)
        lease = Lease(new_record_id(), self.party, reading.path, utc_now(), seq=seq)
        if target is None:
            return Announced(lease, lease.path)
        source = self._leased_text(reading)
        (place,) = _located(source, target)
        lease = replace(lease, digest=source.digest, span=(place.span.start, place.span.end))
        return Announced(lease, lease.path, place.lines)

    def _lease_now(self, announcements: Announcements, lease: Lease, path: str) -> Announced:
        """A lease with its present lines; where the file cannot be read, that it is about the file."""
        from steadyhand.workspace.leases import Announced

        try:
            reading = self._store.look_again(path)
            if lease.span is None or reading.image is None:
                return Announced(lease, path)
            rows = announcements.rows(lease, path, self._leased_text(reading), reading.image.data)
        except EditError:
            return Announced(lease, path)
        return Announced(lease, path, None if rows is None else rows.lines)

    def _leased_text(self, reading: Reading) -> Source:
        from steadyhand.workspace.draft import read_text

        image = reading.image
        if image is None:
            raise EditError(
                Kind.NO_SUCH_FILE,
                f"there is no file {reading.path}",
                hint="announce the whole file, without a target, to create it",
                details={"path": reading.path},
            )
        source = read_text(image.data, None, lambda: self._store.encoding_of(reading.path, image.digest), reading.path)
        if source.is_binary:
            raise EditError(
                Kind.NOT_TEXT,
                f"{reading.path} is not a text file",
                hint="announce the whole file, without a target",
                details={"path": reading.path},
            )
        return source

    def _met_leases(self, overlay: Overlay, asks: Sequence[Ask] = (), *, on_lease: str = "tell") -> list[str]:
        """What to tell of the leases of others that a change would come into.

        Refuses with `busy` where `on_lease`, or the policy of one of the requests, wants that.
        """
        if not self._store.state.exists:
            return []
        try:
            found = list(self._announcements().met(overlay.steps, self.party))[:_SHOWN]
        except EditError:  # a journal that cannot be read is told of where it is written
            return []
        if found and "refuse" in (on_lease, *(ask.policy.on_lease for ask in asks)):
            raise EditError(
                Kind.BUSY,
                "; ".join(map(str, found)),
                hint=(
                    Say("work elsewhere, or try again when the lease has ended"),
                    RunCommand("lease --list", "lists those that last"),
                ),
                details={"path": found[0].path, "leases": [announced.to_json() for announced in found]},
            )
        return list(dict.fromkeys(map(str, found)))

    def _announcements(self) -> Announcements:
        from steadyhand.workspace.leases import Announcements

        return Announcements(self._store.journal, self._sights.version, self._followed)


def _end(journal: Journal, lease: Lease) -> None:
    """End a lease and say so; one that has ended with its task or its workspace is past telling."""
    with contextlib.suppress(EditError):
        if journal.end_lease(lease.id):
            party = lease.party
            body = {"id": lease.id, "actor": party.actor, "task": party.task, "path": lease.path}
            journal.append_note("lease-end", body)


def _told(announced: Announced) -> dict[str, object]:
    body = announced.to_json()
    del body["time"]
    return body


def _located(source: Source, target: Place) -> Sequence[Location]:
    if isinstance(target, tuple):
        rows = checks.line_range(target, source.table.count)
        target = Lines(*target) if rows is None or target[1] is not None else Lines(rows[0] + 1, rows[1] + 1)
    try:
        return locate(source, target)
    except EditError as error:
        details = {"path": source.path, **error.details}
        raise EditError(error.kind, f"{source.path}: {error.message}", hint=error.hints, details=details) from None


def _time(seconds: object) -> float | None:
    if seconds is None:
        return None
    amount = checks.amount(seconds, "seconds")
    if amount == 0:
        raise EditError(Kind.BAD_REQUEST, "seconds: 0 is no time", hint="give more, or leave it out")
    return amount
