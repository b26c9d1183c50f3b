"""How a resolved conflict lets the edit through that was refused: over what it was refused for, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import replace
from steadyhand.plan.edit import Edit
from steadyhand.plan.outcome import Outcome, Plan
from steadyhand.plan.policy import Policy
from steadyhand.session.conflict_check import ConflictCheck, Replan
from steadyhand.session.dispute import (
    Dispute,
    is_untouched,
    version_then,
)
from steadyhand.session.rebased import Known, PlanFor, laid_over
from steadyhand.session.task_view import TaskView
from steadyhand.structure.lines import Lines
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source
from steadyhand.text.splice import Splice
from steadyhand.workspace.draft import Draft


class ConflictOverride(ConflictCheck):
    """Lets an edit through that was refused once, and says over what; line numbers must mean what they meant."""

    def __init__(self, view: TaskView, dispute: Dispute) -> None:
        super().__init__(view)
        self._dispute = dispute

    def settle(
        self,
        planned: Plan,
        edits: Sequence[Edit],
        draft: Draft,
        source: Source,
        policy: Policy,
        replan: Replan | None,  # noqa: ARG002
        plan_for: PlanFor,  # noqa: ARG002
    ) -> Plan:
        if any(isinstance(edit.target, Lines) and edit.target.text is None for edit in edits):
            self._check_lines(draft)
        settled = self._refused_text(planned, draft, source, policy)
        over = self._dispute.records or ("outside",)
        note = f"written over what {self._dispute.named()} changed"
        outcomes = tuple(
            replace(
                outcome,
                forced=tuple(dict.fromkeys((*over, *outcome.forced))),
                notes=tuple(dict.fromkeys((*outcome.notes, note))),
            )
            for outcome in settled.outcomes
        )
        return replace(settled, outcomes=outcomes)

    def _refused_text(self, planned: Plan, draft: Draft, source: Source, policy: Policy) -> Plan:
        """What was refused, over the lines it was refused for, as far as those are still the same."""
        dispute = self._dispute
        then = version_then(self.view.store.journal, dispute, draft.source_on_disk())
        if dispute.writes is None or then is None:
            raise self._stale(planned, "because what it would have written was not kept")
        first, last = dispute.writes.lines
        start, end = then.table.start(first - 1), then.table.start(last)
        since = self._since(draft, then, source)
        if any(splice.start < end and start < splice.end for splice in since.splices):
            raise self._stale(planned, "because the lines it would change are no longer as they were")
        refused = Splice(start, then.text[start:end], dispute.writes.text)
        outcome = Outcome(0, applied=True, path=draft.path, lines=dispute.lines, splices=(0,))
        if planned.ok:
            outcome = replace(planned.outcomes[0], splices=(0,))
        meant = Plan(True, (outcome,), ChangeSet((refused.trim(),)), (0,), then)
        return laid_over(meant, Known(then, since).over(meant), source, policy, draft.path)

    def _stale(self, planned: Plan, because: str) -> EditError:
        if planned.error is not None:
            return planned.error
        return EditError(
            Kind.STALE_SOURCE,
            f"the refused edit of {self._dispute.path} cannot be made any more, {because}",
            hint="decide by hand: resolve the conflict with `edit`, or drop it and send the edit again",
            details={"path": self._dispute.path, "conflict": self._dispute.id},
        )

    def _check_lines(self, draft: Draft) -> None:
        """The same version as when it was refused: numbers alone prove nothing."""
        if not is_untouched(self.view.store.journal, self._dispute, draft.source_on_disk()):
            raise EditError(
                Kind.STALE_SOURCE,
                f"the refused edit names lines by number, and {self._dispute.path} is no longer as it was",
                hint="decide by hand: resolve the conflict with `edit`, or drop it and send the edit again",
                details={"path": self._dispute.path, "conflict": self._dispute.id},
            )
