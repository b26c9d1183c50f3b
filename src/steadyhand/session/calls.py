"""A workspace in the name of whoever asks: a tool, its policy, its call for the records, and when to stop."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Self

from steadyhand.errors import EditError
from steadyhand.session import checks
from steadyhand.session.checks import AnyPath
from steadyhand.text.pace import heed

if TYPE_CHECKING:
    from steadyhand.plan.policy import Policy
    from steadyhand.session.ask import Ask
    from steadyhand.session.receipt import Receipt
    from steadyhand.workspace.change import Header, Trace
    from steadyhand.workspace.journal.store import Progress
    from steadyhand.workspace.store import Store


__all__ = ["Calls"]

_LATELY = 50  # notes among which the same one is looked for


class Calls(ABC):
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

        `tick` is asked before each edit and each file that is staged, and while texts are read and places looked for;
        if it raises, nothing is changed.
        """
        bound = object.__new__(type(self))
        bound.__dict__.update(self.__dict__)
        bound.tool = checks.remark(tool, "tool") or self.tool
        bound.policy = self.policy if policy is None else checks.policy_of(policy)
        bound._trace = self._trace if trace is None else trace
        bound._tick = self._tick if tick is None else tick
        bound._progress = self._progress if progress is None else progress
        return bound

    def tick(self) -> None:
        """Ask whether the call is still wanted; raises what the caller's `tick` raises."""
        if self._tick is not None:
            self._tick()

    def heeding(self) -> AbstractContextManager[None]:
        """While work is done that changes nothing, such as reading a patch: it ends when the call is to."""
        return heed(self._tick)

    @property
    def is_read_only(self) -> bool:
        """Whether nothing under the root is changed or recorded."""
        return self._store.read_only

    def observe(self, path: AnyPath) -> bool:
        """Note that something else changed a file since the journal last knew it; False where nothing did.

        Without it that is noticed when the file is next edited; a host that is told of such changes can say so at once.
        """
        from steadyhand.workspace.recording import Latest, outside_note

        resolved, image = self._store.read(checks.path_of(path))
        if self._store.read_only:
            return False
        journal = self._store.writable_journal()
        latest = Latest(journal)
        note = outside_note(resolved, image, latest, is_secret=self._store.is_secret(resolved))
        if note is None and latest.of(resolved) is None:
            note = {"path": resolved, "before": None, "after": image.digest, "lines": []}
        if note is None or any(_is_same(note, told.body) for told in journal.notes(type="outside", limit=_LATELY)):
            return False
        journal.append_note("outside", {**note, "actor": self.actor, "task": self.task_id, "tool": self.tool})
        return True

    def note_refusal(self, error: EditError) -> None:
        """Report that the call was refused, unless that is in the journal already."""
        from steadyhand.session.reports import Reports

        if self._trace is None or not self._trace.refusals:
            Reports(self._store).refused(self._header(None), error, ())

    def _header(self, reason: str | None) -> Header:
        from steadyhand.workspace.change import Header

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

    @abstractmethod
    def _run(
        self,
        asks: list[Ask],
        reason: str | None,
        policy: Policy | None = None,
        *,
        partial: bool = False,
        preview: bool = False,
        progress: Progress | None = None,
    ) -> Receipt:
        """Carry out several requests, all or nothing unless `partial`."""


def _is_same(note: Mapping[str, object], told: Mapping[str, object]) -> bool:
    return all(told.get(name) == note[name] for name in ("path", "before", "after"))
