"""What a workspace does about conflicts that were kept: list them, show what stands there, resolve them.

1. A conflict is resolved once, by a note that follows the change it speaks of; a change that is refused leaves it open.
2. What is applied after all is the text that was refused, in the place of the lines that it was refused for, and is
   recorded as forced, over the records it was refused for. Where those lines have changed since, it is refused again.
3. An edit that was given by line numbers is applied only to the version it was refused for.

Two people who resolve one conflict at the same moment may both be told that they did; the second of two equal edits
then meets the text of the first.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import replace
from steadyhand.session import checks
from steadyhand.session.calls import Calls
from steadyhand.session.checks import AnyPath

if TYPE_CHECKING:
    from steadyhand.plan.edit import Edit
    from steadyhand.plan.outcome import Outcome
    from steadyhand.plan.request import FileRequest
    from steadyhand.session.dispute import Dispute, Standing
    from steadyhand.session.receipt import Receipt
    from steadyhand.session.task_view import TaskView
    from steadyhand.workspace.change import Change
    from steadyhand.workspace.overlay import Overlay


WAYS = ("apply", "drop", "edit")
_DONE = {"apply": "applied", "drop": "dropped", "edit": "edited"}
_WHAT = {
    "applied": "was applied",
    "dropped": "was dropped",
    "edited": "was settled by hand",
    "answered": "was answered: its task has changed the file since",
}


class Disputes(Calls):
    """Conflicts that wait for somebody to decide."""

    mode: str | None
    _view: TaskView

    def conflicts(
        self, *, open_only: bool = True, path: AnyPath | None = None, task: str | None = None
    ) -> list[Dispute]:
        """Conflicts that were kept, oldest first: the open ones, or all; of one file, or of one refused task."""
        from steadyhand.session.dispute import read_disputes

        if not self._store.state.exists:
            return []
        wanted = None if path is None else self._store.resolve(checks.path_of(path))
        task = checks.remark(task, "task")
        found = read_disputes(
            self._store.journal, lambda dispute: wanted in (None, dispute.path) and task in (None, dispute.task)
        )
        return [dispute for dispute in found if not open_only or dispute.state == "open"]

    def conflict(self, id: str) -> Dispute:
        """One of them by its id or a unique beginning of it, whatever became of it."""
        from steadyhand.session.dispute import find_dispute

        return find_dispute(self._store.journal, checks.record_id(id) or "")

    def standing(self, id: str) -> Standing:
        """The lines that a conflict concerns, both its sides, as they are now.

        Refuses with `stale-source` where the version they are told of cannot be had any more.
        """
        return self._standing(self.conflict(id))

    def resolve(
        self,
        id: str,
        how: str,
        *,
        text: str | None = None,
        expect: str | None = None,
        reason: str | None = None,
    ) -> Receipt | None:
        """Decide an open conflict, in the name of this workspace's actor.

        `apply` makes the refused edit after all; `drop` keeps what stands, and changes nothing; `edit` puts `text` in
        place of the lines that `standing` tells, of the version `expect` if that is given. A change that is refused
        leaves the conflict open.
        """
        checks.one_of(how, "how", WAYS)
        if (how == "edit") != (text is not None):
            raise EditError(Kind.BAD_REQUEST, "`text` goes with `edit`, and only there", hint="give both or neither")
        dispute = self.conflict(id)
        if dispute.state != "open":
            raise _closed(dispute)
        given = checks.remark(reason, "reason")
        receipt: Receipt | None = None
        if text is not None:
            why = given or f"settled the conflict {dispute.id} by hand"
            receipt = self._put(dispute, text, checks.digest_of_version(expect), why)
        elif how == "apply":
            receipt = self._apply(dispute, given or dispute.reason)
        return self._note(dispute, _DONE[how], receipt, reason)

    def _standing(self, dispute: Dispute) -> Standing:
        from steadyhand.session.dispute import Standing, rows_now
        from steadyhand.workspace.draft import read_text

        if self._store.is_secret(dispute.path):
            raise EditError(
                Kind.PROTECTED_PATH,
                f"{dispute.path} holds secrets, and its lines are not handed out",
                hint="edit the file itself, then drop the conflict",
                details={"path": dispute.path, "conflict": dispute.id},
            )
        path, image = self._store.read(dispute.path)
        source = read_text(image.data, None, lambda: self._store.encoding_of(path, image.digest), path)
        first, last = rows_now(self._store.journal, dispute, source)
        text = source.text[source.table.start(first) : source.table.start(last)]
        return Standing(dispute.path, image.digest, (first + 1, last), text)

    def _put(self, dispute: Dispute, text: str, expect: str | None, reason: str | None) -> Receipt:
        from steadyhand.plan.edit import Replace
        from steadyhand.plan.request import EditFile
        from steadyhand.structure.lines import Lines

        now = self._standing(dispute)
        if expect is not None and not now.digest.startswith(expect):
            raise EditError(
                Kind.STALE_SOURCE,
                f"{dispute.path} has changed since these lines were shown",
                hint="look at what stands there now and decide again",
                details={"path": dispute.path, "expected": expect, "actual": now.digest},
            )
        edit = Replace(Lines(*now.lines), checks.text_of(text))
        return self._one(EditFile(dispute.path, (edit,), now.digest), reason, preview=False)

    def _apply(self, dispute: Dispute, reason: str | None) -> Receipt:
        from steadyhand.plan.request import EditFile
        from steadyhand.session.ask import Ask
        from steadyhand.session.conflict_override import ConflictOverride
        from steadyhand.session.reports import Reports
        from steadyhand.session.transaction_builder import TransactionBuilder

        edit = _kept_edit(dispute)
        policy = replace(self.policy, on_conflict="force")
        ask = Ask(EditFile(dispute.path, (edit,)), policy, reason=reason)
        header = self._header(reason)
        outcomes: list[Outcome] = []

        def lay(overlay: Overlay) -> None:
            layer = TransactionBuilder(overlay, self.mode, ConflictOverride(self._view, dispute))
            layer.lay_all([ask], partial=False)
            outcomes[:] = layer.outcomes

        try:
            change = self._store.change(header, lay, hardlinks=policy.hardlinks)
        except EditError as error:
            raise Reports(self._store).refused(header, error, ()) from None
        return self._receipt(change, tuple(outcomes))

    def _note(self, dispute: Dispute, how: str, receipt: Receipt | None, reason: str | None) -> Receipt | None:
        """Note the end; a change that is made stays made where that cannot be noted."""
        from steadyhand.session.reports import RESOLVED

        body = {
            "conflict": dispute.id,
            "how": how,
            "record": None if receipt is None else receipt.id,
            "actor": self.actor,
            "task": self.task_id,
            "path": dispute.path,
            "reason": reason,
        }
        try:
            self._store.writable_journal().append_note(RESOLVED, body)
        except EditError as error:
            if receipt is None:
                raise
            told = f"the conflict {dispute.id} could not be noted as {how}: {error.message}"
            return replace(receipt, warnings=(*receipt.warnings, told))
        return receipt

    @abstractmethod
    def _one(self, request: FileRequest, reason: str | None, *, preview: bool) -> Receipt:
        """Carry out one request."""

    @abstractmethod
    def _receipt(self, change: Change, outcomes: tuple[Outcome, ...], undoes: tuple[str, ...] = ()) -> Receipt:
        """What the caller gets for a change."""


def _kept_edit(dispute: Dispute) -> Edit:
    from steadyhand.plan.edit import edit_from_json

    if dispute.edit is None:
        raise EditError(
            Kind.BAD_REQUEST,
            f"the refused edit of {dispute.path} was not kept: the call wrote the whole file, or it holds secrets",
            hint="drop the conflict, or settle it by hand with `edit`",
            details={"path": dispute.path, "conflict": dispute.id},
        )
    return edit_from_json(dispute.edit)


def _closed(dispute: Dispute) -> EditError:
    record = f" (record {dispute.record})" if dispute.record else ""
    return EditError(
        Kind.BAD_REQUEST,
        f"the conflict {dispute.id} is not open: it {_WHAT[dispute.state]}{record}",
        hint="nothing needs to be done; to take a record back: undo",
        details={"conflict": dispute.id, "state": dispute.state, "record": dispute.record},
    )
