"""A workspace in the name of whoever asks: a tool, its policy, its call for the records, and when to stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from steadyhand.errors import EditError
from steadyhand.plan.policy import Policy
from steadyhand.session import checks
from steadyhand.session.reports import Reports
from steadyhand.workspace.change import Header, Trace
from steadyhand.workspace.journal.store import Progress
from steadyhand.workspace.store import Store

__all__ = ["Calls"]


class Calls:
    """What a workspace knows of the call it works for. Bound copies share everything else."""

    actor: str
    task_id: str | None
    tool: str
    policy: Policy
    _store: Store
    _trace: Trace | None = None
    _tick: Callable[[], None] | None = None
    _progress: Progress | None = None

    def as_tool(self, name: str) -> Self:
        """The same workspace in the name of a tool, which the journal notes with every change."""
        return self.bound(tool=name)

    def bound(
        self,
        *,
        tool: str | None = None,
        policy: Policy | None = None,
        trace: Trace | None = None,
        tick: Callable[[], None] | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """The same workspace for a tool, a policy or a call; what is not given stays.

        `tick` is asked before each edit and each file that is staged; if it raises, nothing is changed.
        """
        bound = object.__new__(type(self))
        bound.__dict__.update(self.__dict__)
        bound.tool = checks.remark(tool, "tool") or self.tool
        bound.policy = self.policy if policy is None else checks.policy_of(policy)
        bound._trace = self._trace if trace is None else trace
        bound._tick = self._tick if tick is None else tick
        bound._progress = self._progress if progress is None else progress
        return bound

    @property
    def is_read_only(self) -> bool:
        """Whether nothing under the root is changed or recorded."""
        return self._store.read_only

    def note_refusal(self, error: EditError) -> None:
        """Report that the call was refused, unless that is in the journal already."""
        if self._trace is None or not self._trace.refusals:
            Reports(self._store).refused(self._header(None), error, ())

    def _header(self, reason: str | None) -> Header:
        return Header(self.actor, self.task_id, self.tool, checks.remark(reason, "reason"), trace=self._trace)

    def _staging(self, progress: Progress | None) -> Progress | None:
        """What is asked for each file that is staged: whether to go on, then whoever shows how far it is."""
        shown = progress or self._progress
        tick = self._tick
        if tick is None:
            return shown

        def step(done: int, total: int) -> None:
            tick()
            if shown is not None:
                shown(done, total)

        return step
