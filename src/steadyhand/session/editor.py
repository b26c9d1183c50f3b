"""How a change is made, whatever asks for it: plan, lock, verify, commit, receipt.

1. Files are read and edits are planned without a lock: a search may take long, and nobody waits for it.
2. Under the locks of everything that was looked at, the files are verified. Where one has changed or has a record that
   the plan did not know, or where the plan met the work of others, everything is planned once more, now that nobody
   else can change the files.
3. Nothing is committed that was not planned for exactly the files that are locked. A preview takes no lock.

Edits, patches, transactions, undo and resolved conflicts are `PlannedChange`s; all of them take this way.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind, combine_errors
from steadyhand.lazy import replace
from steadyhand.plan.request import EditFile
from steadyhand.session.context import Session
from steadyhand.session.receipt import FileReceipt, Receipt
from steadyhand.workspace.budget import BUDGET
from steadyhand.workspace.journal.record import new_record_id
from steadyhand.workspace.overlay import Header

if TYPE_CHECKING:
    from steadyhand.plan.planner import Outcome
    from steadyhand.session.conflicts import Conflict
    from steadyhand.session.kept_conflicts import KeptConflict
    from steadyhand.session.transaction_builder import Step, TransactionBuilder
    from steadyhand.workspace.journal.index import Recalled
    from steadyhand.workspace.journal.store import Progress
    from steadyhand.workspace.overlay import FileOp, LatestRecords, Overlay
    from steadyhand.workspace.transaction import Committed


_TRIES = 5  # another program that saves every few milliseconds does not wait for us


class PlannedChange(ABC):
    """A change that is yet to be made. `build` may be called again, on a fresh overlay, and then starts afresh."""

    is_reported = True  # whether the journal gets a note where it is refused
    outcomes: Sequence[Outcome] = ()
    conflicts: Sequence[Conflict] = ()
    warnings: Sequence[str] = ()
    prune: Sequence[str] = ()  # directories that go if the change leaves them empty
    lease_rules: Sequence[str] = ()  # what to do about the leases of others
    lease_warnings: Sequence[str] = ()
    may_meet_leases = True
    has_met_others = False  # what was planned depends on what others are doing
    newest: Mapping[str, int | None] = MappingProxyType({})  # the row of each file's newest record that the plan knows
    recalled: Recalled | None = None  # what the journal said of the files when it was planned, or under the locks
    overlay: Overlay | None = None  # where it is built already

    def __init__(self) -> None:
        self.kept: list[dict[str, str]] = []  # copies of what other programs saved at the same moment

    @abstractmethod
    def build(self, overlay: Overlay) -> None:
        """Plan on the overlay. Refuses with whatever kind fits."""

    def before_commit(self, id: str, ops: Sequence[FileOp]) -> None:  # noqa: B027  # most have nothing to note
        """Note what has to be known before record `id` of these operations is written; under the locks."""

    def nothing(self) -> EditError:
        """The refusal of a change that would change nothing."""
        return EditError(Kind.NO_CHANGE, "the files would stay as they are", hint="nothing needs to be done")


class Steps(PlannedChange):
    """Requests on files, in order. `built`: planned already. `override`: the conflict they were refused for."""

    def __init__(
        self,
        session: Session,
        steps: Sequence[Step],
        *,
        partial: bool = False,
        built: TransactionBuilder | None = None,
        override: KeptConflict | None = None,
    ) -> None:
        super().__init__()
        self._session = session
        self._steps = steps
        self._partial = partial
        self._override = override
        self.lease_rules = [step.policy.on_lease for step in steps]
        if built is not None:
            self.overlay = built.overlay
            self._take(built)

    def build(self, overlay: Overlay) -> None:
        from steadyhand.session.conflict_check import ConflictCheck, ConflictOverride
        from steadyhand.session.transaction_builder import TransactionBuilder

        session = self._session
        view, kept = session.view, self._override
        check = ConflictCheck(view) if kept is None else ConflictOverride(view, kept)
        builder = TransactionBuilder(overlay, session.context, check)
        named = [step.request.path for step in self._steps]
        edited = 0  # only the first steps, so that the files of a change are in the order of its steps
        for step in self._steps:
            if step.encoding is not None or type(step.request) is not EditFile:
                break
            edited += 1
        refused: list[EditError] = []
        touched: set[str] = set()
        tick = session.context.tick
        try:
            with (
                session.context.cancellable(),
                session.store.recalling(named, session.view.recalled_for) as self.recalled,
            ):
                overlay.read(named[:edited])
                for step in self._steps:
                    path = step.request.path
                    paths = {path, getattr(step.request, "to", path)}
                    if paths & touched:
                        continue
                    if tick is not None:
                        tick()
                    try:
                        builder.add(step)
                    except EditError as error:
                        if self._partial:
                            builder.refuse(path, error)
                            continue
                        # What concerns other files is judged all the same: one answer names all that has to change.
                        refused.append(error.with_details(path=path))
                        touched |= paths
                if refused:
                    raise combine_errors(refused)
                if self._partial:
                    builder.check_applied()
                self.may_meet_leases = session.store.may_have_leases()
        finally:
            refused.clear()  # an error that its own frame holds keeps the text until garbage is collected
            self._take(builder)

    def _take(self, builder: TransactionBuilder) -> None:
        self.outcomes, self.warnings = builder.outcomes, builder.warnings
        self.conflicts, self.has_met_others = builder.conflicts.found, builder.conflicts.has_met
        self.newest = builder.conflicts.newest


class Editor:
    """Makes changes for one call."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._store = session.store

    def run(
        self,
        header: Header,
        change: PlannedChange,
        hardlinks: str,
        *,
        preview: bool = False,
        progress: Progress | None = None,
    ) -> Receipt:
        """Make a change. Refusals leave the tree as it was; they are reported, unless they are those of a preview."""
        store, started = self._store, time.monotonic()
        with store.one_call(), BUDGET.sharing():
            try:
                overlay, ops = change.overlay, None
                try:
                    if overlay is None:
                        overlay = store.overlay(header.verb)
                        change.build(overlay)
                    if preview or not change.has_met_others:
                        ops = overlay.ops()
                        self._check(change, ops, hardlinks)
                except EditError as error:
                    # Whoever is in the middle of a commit has changed a file and not yet recorded it: whether there is
                    # a conflict is certain only under the locks.
                    is_final = error.kind is not Kind.CONFLICT or preview or store.read_only or not store.state.exists
                    if is_final or overlay is None:
                        raise
                if preview and ops is not None:
                    committed, warnings = None, overlay.remarks(ops)
                else:
                    ops, committed, warnings = self._commit(header, change, overlay, ops, hardlinks, started, progress)
                if not ops:
                    raise change.nothing()
            except EditError as error:
                # No variable has what is raised: its frame would keep it, and the text of the file with it.
                raise self._refusal(error, None if preview else header, change) from None
            if not preview and (change.conflicts or any(outcome.error for outcome in change.outcomes)):
                from steadyhand.session.conflicts import Reports

                Reports(self._store).applied(header, change.outcomes, change.conflicts)
            return self._receipt(header, change, ops, committed, warnings)

    def _commit(
        self,
        header: Header,
        change: PlannedChange,
        overlay: Overlay,
        ops: tuple[FileOp, ...] | None,
        hardlinks: str,
        started: float,
        progress: Progress | None,
    ) -> tuple[tuple[FileOp, ...], Committed | None, tuple[str, ...]]:
        """Lock, verify, plan once more where that is needed (`ops` is None, or not true any more), write.

        Gives what was done, as what it was recorded, and warnings.
        """
        store = self._store
        if ops is not None and not ops:
            return (), None, ()
        staging = self._session.context.staging(progress)
        for tries in range(1, _TRIES + 1):
            with store.locked(overlay) as held:
                latest = None
                if ops is not None and store.is_unchanged(overlay, ops, held):
                    latest = self._still_latest(change, ops)
                if latest is None or ops is None:
                    overlay = store.overlay(header.verb)
                    change.build(overlay)
                    ops = overlay.ops()
                    self._check(change, ops, hardlinks)
                    if not store.has_locked(overlay, held):  # it leads to other files by now, or has more names
                        ops = None
                        continue
                elif latest.may_have_leases:  # one may have been announced while this call waited for the locks
                    self._check_leases(change, ops)
                if not ops:
                    return (), None, ()
                try:
                    record_id = new_record_id()
                    change.before_commit(record_id, ops)
                    committed = store.commit(
                        record_id, header, overlay, ops, held,
                        hardlinks=hardlinks, prune=change.prune, progress=staging, started=started, latest=latest,
                    )  # fmt: skip
                except EditError as error:
                    if store.made_room(header.verb, error):  # once, for what takes a change back
                        continue
                    change.kept += error.details.get("kept", [])  # type: ignore[arg-type]  # as the transaction gives it
                    # Of a whole-file write and a removal the other program's text would be lost unseen.
                    is_blind = any(op.whole or op.after_path is None for op in ops)
                    if error.kind is not Kind.STALE_SOURCE or is_blind or tries == _TRIES:
                        raise
                    ops = None  # another program has saved it this very moment: plan for what it left
                    continue
                warnings = overlay.remarks(ops) + committed.warnings + tuple(map(_kept_as, change.kept))
                return ops, committed, warnings
        raise EditError(Kind.BUSY, "the files keep changing under the edit", hint="try again in a moment")

    def _still_latest(self, change: PlannedChange, ops: Sequence[FileOp]) -> LatestRecords | None:
        """The newest records of the files, asked under the locks; None: the plan did not know one of them.

        The bytes do not tell: whoever was in the middle of a commit had written them and not yet recorded them.
        """
        latest = self._store.latest(ops, change.newest, change.recalled, self._session.view.recalled_for)
        change.recalled = latest.recalled
        is_known = all(latest.row_of(path) == row for path, row in change.newest.items())
        return latest if is_known else None

    def _check(self, change: PlannedChange, ops: Sequence[FileOp], hardlinks: str) -> None:
        """Refuse what may not be done to these files, and what the leases of others forbid."""
        self._store.check(ops, hardlinks)
        change.lease_warnings = ()
        if ops and change.may_meet_leases:
            self._check_leases(change, ops)

    def _check_leases(self, change: PlannedChange, ops: Sequence[FileOp]) -> None:
        change.lease_warnings = lease_warnings(self._session, ops, change.lease_rules)

    def _receipt(
        self,
        header: Header,
        change: PlannedChange,
        ops: tuple[FileOp, ...],
        committed: Committed | None,
        warnings: tuple[str, ...],
    ) -> Receipt:
        """What the caller gets for a change; the task now knows what it wrote."""
        session = self._session
        files = tuple(map(FileReceipt.of, ops))
        warnings += self._store.take_losses() + self._store.take_damage()
        if session.clones is not None:
            warnings += session.clones.warnings(ops, None if committed is None else committed.seq)
        warnings += tuple(dict.fromkeys((*change.warnings, *change.lease_warnings)))
        outcomes = tuple(change.outcomes)
        if committed is None:
            return Receipt(None, files, outcomes, warnings=warnings, undoes=header.undoes)
        session.view.wrote(ops, committed.seq, change.recalled)
        receipt = Receipt(committed.record.id, files, outcomes, committed.durable, warnings, header.undoes)
        if session.context.hold:
            receipt = replace(receipt, held=not self._is_accepted(files))
        if session.context.trace is not None:
            session.context.trace.receipts.append(receipt)
        return receipt

    def _is_accepted(self, files: Sequence[FileReceipt]) -> bool:
        """Whether rules have accepted all that is held of some files; each is made on the disk then."""
        rules = self._session.context.auto_accept
        if not rules:
            return False
        from steadyhand.session.review.held import accept_by_rule

        return accept_by_rule(self._session, rules, {file.path for file in files})

    def _refusal(self, error: EditError, header: Header | None, change: PlannedChange) -> EditError:
        """A refusal as it is answered and, with a header, reported."""
        if change.kept:
            error = error.advised(error.hints, {**error.details, "kept": change.kept})
        if not change.is_reported:
            return error
        from steadyhand.session.conflicts import Reports

        named = self._with_names(error)
        return named if header is None else Reports(self._store).refused(header, named, change.conflicts)

    def _with_names(self, error: EditError) -> EditError:
        """A refusal of a file that does not exist, with similar names, or the first ones that exist."""
        path = error.details.get("path")
        if error.kind is not Kind.NO_SUCH_FILE or not isinstance(path, str):
            return error
        try:
            self._store.read(path)
        except EditError as missing:
            has_names = any(missing.details.get(each) for each in ("similar", "available"))
            if missing.kind is Kind.NO_SUCH_FILE and has_names:
                hints = missing.hints if missing.details["similar"] else (*error.hints, *missing.hints)
                return error.advised(hints).with_details(**missing.details)
        return error


def lease_warnings(session: Session, ops: Sequence[FileOp], rules: Sequence[str]) -> Sequence[str]:
    """What to report of the leases of others that a change would touch; `busy` where one of the rules is to refuse."""
    store = session.store
    if not store.state.exists:
        return ()
    try:
        if not any(lease.party != session.context.party for lease in store.journal.leases()):
            return ()
    except EditError:  # a journal that cannot be read is reported where it is written
        return ()
    from steadyhand.session.leases import Leases  # most edits meet none

    return Leases(session).met(ops, rules)


def _kept_as(kept: dict[str, str]) -> str:
    return f"{kept['path']}: what another program saved at the same time was kept as {kept['kept']} next to the journal"
