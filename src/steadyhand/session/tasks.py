"""Tasks of a workspace: each works in its own name, and its end is noted.

A task that ends well needs the `.bak` copies no longer that were made for it, so they are removed, by a transaction as
everything else. A copy stays where the task failed, where somebody changed it since, and where it is not of its making.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Self

from steadyhand.errors import EditError, Kind
from steadyhand.session import checks
from steadyhand.session.calls import Calls

if TYPE_CHECKING:
    from steadyhand.session.task_view import TaskView
    from steadyhand.workspace.journal.party import Party
    from steadyhand.workspace.read_ranges import Sights


__all__ = ["Tasks"]

_READ = 1_000  # files that are noted at the end of a task


class Tasks(Calls):
    """Whose work a workspace does. Bound copies share the store and what was seen."""

    _sights: Sights
    _view: TaskView
    _is_named: bool

    @property
    def party(self) -> Party:
        """Who changes files through this workspace, as conflicts tell it."""
        from steadyhand.workspace.journal.party import Party

        return Party(self.actor, self.task_id)

    @contextlib.contextmanager
    def task(self, name: str) -> Iterator[Self]:
        """The same workspace in the name of a task; the journal notes whether the block ended well.

        `.bak` copies that were made for the task are removed then, and kept where it did not.
        """
        bound = self._bound(checks.remark(name, "task") or "")
        try:
            yield bound
        except BaseException as error:
            bound._end_task(name, f"failed: {type(error).__name__}")
            raise
        bound._remove_backups(name)
        bound._end_task(name, "ended well")

    def end_task(self, name: str | None = None, *, failed: bool = False) -> tuple[str, ...]:
        """Say that a task is over: this workspace's, or another by its name.

        What it has seen is forgotten, and its end is noted. The `.bak` copies that were made for it are removed, unless
        it `failed`; the paths of those that were.
        """
        task = checks.remark(name, "task") or self.task_id
        if task is None:
            raise EditError(Kind.BAD_REQUEST, "no task is named", hint="say which task is over")
        bound = self._bound(task)
        removed = () if failed else bound._remove_backups(task)
        bound._end_task(task, "failed" if failed else "ended well")
        return removed

    def remove_backups(self) -> tuple[str, ...]:
        """Remove the `.bak` copies that were made for this workspace's task, which may go on; their paths."""
        return () if self.task_id is None else self._remove_backups(self.task_id)

    def _bound(self, task: str | None) -> Self:
        bound = self.bound()
        if task != self.task_id:
            bound.task_id = task
            bound._is_named = self._is_named or task is not None
            bound._view = bound._begin()
        return bound

    def _begin(self) -> TaskView:
        from steadyhand.session.task_view import TaskView

        return TaskView.begin(self._store, self._sights, self.party, is_named=self._is_named)

    def _end_task(self, task: str, how: str) -> None:
        from steadyhand.session.auditor import TASK

        with contextlib.suppress(EditError):  # a note is not worth the end of somebody's work
            if not self._store.read_only and self._store.state.exists:
                journal = self._store.writable_journal()
                read = journal.read_paths(self.party)[:_READ]  # for an audit that asks later what became of a file
                body = {"task": task, "actor": self.actor, "end": how, **({"read": read} if read else {})}
                journal.append_note(TASK, body)
        self._view.forget()

    def _remove_backups(self, task: str) -> tuple[str, ...]:
        """Remove the copies that are still as they were made; what cannot be removed now stays."""
        from steadyhand.plan.request import DeleteFile
        from steadyhand.session.ask import Ask
        from steadyhand.workspace.backups import TIDYING

        if self._store.read_only or not self._store.state.exists:
            return ()
        reason = f"the task {task} ended well"
        with contextlib.suppress(EditError):  # neither is a copy that stays
            copies = [DeleteFile(path, digest) for path, digest in self._backups(task)]
            asks = [Ask(copy, self.policy, reason=reason) for copy in copies]
            if asks:
                receipt = self.as_tool(TIDYING)._run(asks, reason, partial=True)
                return tuple(outcome.path for outcome in receipt.outcomes if outcome.applied and outcome.path)
        return ()

    def _backups(self, task: str) -> Iterator[tuple[str, str]]:
        """The copies that were made for a task and that nobody has touched since: path and digest."""
        from steadyhand.workspace.backups import backups_in

        journal = self._store.journal
        for entry in journal.entries(task=task):
            for _, made in backups_in(entry.record):
                latest = journal.latest(made.path)
                if latest is not None and latest.record.id == entry.record.id:
                    yield made.path, made.digest
