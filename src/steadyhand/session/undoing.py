"""What a workspace does to take changes back, and back again: each time by a change of its own."""

from __future__ import annotations

import contextlib
from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Note, RunCommand
from steadyhand.lazy import replace
from steadyhand.session import checks
from steadyhand.session.calls import Calls
from steadyhand.session.checks import AnyPath
from steadyhand.session.leases import Leases

if TYPE_CHECKING:
    from steadyhand.plan.outcome import Outcome
    from steadyhand.session.receipt import Receipt
    from steadyhand.session.reverse import Reverse
    from steadyhand.workspace.change import Change
    from steadyhand.workspace.journal.record import Entry
    from steadyhand.workspace.overlay import Overlay


class Undoing(Leases, Calls):
    """Undo and redo."""

    mode: str | None

    def undo(
        self,
        id: str | None = None,
        *,
        last: bool = False,
        task: str | None = None,
        path: AnyPath | None = None,
        reason: str | None = None,
        preview: bool = False,
    ) -> Receipt:
        """Take back a record, the latest one, all of a task's, or the latest that touched a file.

        Later changes stay; where they stand on the same text the undo is refused with the lines.
        """
        from steadyhand.session.reverse import Reverse

        given = [name for name, value in (("id", id), ("last", last), ("task", task), ("path", path)) if value]
        if len(given) != 1:
            said = " and ".join(given) or "nothing"
            raise EditError(
                Kind.BAD_REQUEST, f"undo was told {said}", hint="give exactly one of: a record's id, last, task, path"
            )
        reverse = Reverse(self._store, "undo", by_id=checks.record_id(id) is not None)
        task, path = checks.remark(task, "task"), None if path is None else checks.path_of(path)
        return self._reverse(reverse, lambda: reverse.choose(id=id, task=task, path=path), reason, preview=preview)

    def redo(self, id: str | None = None, *, reason: str | None = None, preview: bool = False) -> Receipt:
        """Take back an undo: the one named, or the latest that still stands."""
        from steadyhand.session.reverse import Reverse

        reverse = Reverse(self._store, "redo")
        return self._reverse(reverse, lambda: reverse.choose_undo(checks.record_id(id)), reason, preview=preview)

    def _reverse(
        self, reverse: Reverse, choose: Callable[[], list[Entry]], reason: str | None, *, preview: bool
    ) -> Receipt:
        if self.mode in ("generate",):
            raise EditError(Kind.NOT_ALLOWED, f"mode {self.mode} does not allow to undo", hint="ask the host")
        self._store.take_doubts()  # of earlier questions
        with self.heeding(), self._doubting():
            header, lay = reverse.plan(choose, self._header(reason))
        told: list[str] = []

        def mindful(overlay: Overlay) -> None:
            with self.heeding(), self._doubting():
                lay(overlay)
            told[:] = self._met_leases(overlay, on_lease=self.policy.on_lease)

        hardlinks = self.policy.hardlinks
        change = self._store.change(
            header, mindful, hardlinks=hardlinks, preview=preview, prune=reverse.prune, progress=self._staging(None)
        )
        if not change.steps:
            raise EditError(
                Kind.CANNOT_UNDO,
                "the files are already as they were before",
                hint=RunCommand("log", "lists the records"),
            )
        receipt = self._receipt(change, (), header.undoes)
        return replace(receipt, warnings=(*receipt.warnings, *told))

    @contextlib.contextmanager
    def _doubting(self) -> Iterator[None]:
        """A refusal says what is damaged in the journal, because it may come of that."""
        try:
            yield
        except EditError as error:
            doubts = self._store.take_doubts()
            if not doubts:
                raise
            told = (*map(Note, doubts), RunCommand("check", "shows all that is damaged"))
            raise error.advised((*error.hints, *told)).with_details(uncertain=list(doubts)) from None

    @abstractmethod
    def _receipt(self, change: Change, outcomes: tuple[Outcome, ...], undoes: tuple[str, ...] = ()) -> Receipt:
        """What the caller gets for a change."""
