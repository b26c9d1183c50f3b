"""What a workspace for asyncio hands out: batches, audits and kits, each with the methods of the one that blocks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from typing import TYPE_CHECKING, TypeVar

from steadyhand.session.audit import Audits
from steadyhand.session.batch import Batch
from steadyhand.session.checks import AnyPath
from steadyhand.session.review.change import Decision, Feedback, ReviewChange
from steadyhand.session.review.review import Review
from steadyhand.tools.async_calls import Call, Threads
from steadyhand.tools.kit import Kit

if TYPE_CHECKING:
    from steadyhand.plan.edit import Edits
    from steadyhand.plan.outcome import Outcome
    from steadyhand.plan.policy import Policy
    from steadyhand.session.audit import Facts, Moment, OnDamage
    from steadyhand.session.receipt import Receipt
    from steadyhand.session.statistics import Statistics
    from steadyhand.structure.node import Where
    from steadyhand.structure.target import Target
    from steadyhand.text.source import Source
    from steadyhand.tools.async_workspace import AsyncWorkspace
    from steadyhand.tools.tool import Result, Tool
    from steadyhand.workspace.journal.store import Progress

__all__ = ["AsyncAudits", "AsyncBatch", "AsyncKit", "AsyncReview", "share_docstrings"]

T = TypeVar("T")


class AsyncBatch:
    """A `Batch` for asyncio. Calls on one batch are done one after the other, in the order they were made."""

    def __init__(self, batch: Batch, shared: Threads, call: Call) -> None:
        self._batch = batch
        self._threads = shared
        self._call = call
        self._turn = asyncio.Lock()

    @property
    def receipt(self) -> Receipt:
        return self._batch.receipt

    async def chmod(self, path: AnyPath, mode: int, *, reason: str | None = None) -> tuple[Outcome, ...]:
        return await self._do(lambda batch: batch.chmod(path, mode, reason=reason))

    async def create(
        self, path: AnyPath, content: str, *, mode: int | None = None, reason: str | None = None
    ) -> tuple[Outcome, ...]:
        return await self._do(lambda batch: batch.create(path, content, mode=mode, reason=reason))

    async def delete(
        self, path: AnyPath, *, expect: str | None = None, reason: str | None = None
    ) -> tuple[Outcome, ...]:
        return await self._do(lambda batch: batch.delete(path, expect=expect, reason=reason))

    async def edit(
        self,
        path: AnyPath,
        edits: Edits,
        *,
        expect: str | None = None,
        policy: Policy | None = None,
        encoding: str | None = None,
        reason: str | None = None,
    ) -> tuple[Outcome, ...]:
        return await self._do(
            lambda batch: batch.edit(path, edits, expect=expect, policy=policy, encoding=encoding, reason=reason)
        )

    async def move(
        self,
        path: AnyPath,
        target: Target | str,
        *,
        to: Target | str | None = None,
        to_path: AnyPath | None = None,
        where: Where | None = None,
        expect: str | None = None,
        reason: str | None = None,
    ) -> tuple[Outcome, ...]:
        return await self._do(
            lambda batch: batch.move(path, target, to=to, to_path=to_path, where=where, expect=expect, reason=reason)
        )

    async def read(self, path: AnyPath, *, encoding: str | None = None) -> Source:
        return await self._do(lambda batch: batch.read(path, encoding=encoding))

    async def rename(
        self, path: AnyPath, to: AnyPath, *, expect: str | None = None, reason: str | None = None
    ) -> tuple[Outcome, ...]:
        return await self._do(lambda batch: batch.rename(path, to, expect=expect, reason=reason))

    async def source(self, path: AnyPath, *, encoding: str | None = None) -> Source:
        return await self._do(lambda batch: batch.source(path, encoding=encoding))

    async def write(
        self,
        path: AnyPath,
        content: str | bytes,
        *,
        expect: str | None = None,
        allow_shrink: bool = False,
        overwrite: bool = False,
        encoding: str | None = None,
        reason: str | None = None,
    ) -> tuple[Outcome, ...]:
        return await self._do(
            lambda batch: batch.write(
                path,
                content,
                expect=expect,
                allow_shrink=allow_shrink,
                overwrite=overwrite,
                encoding=encoding,
                reason=reason,
            )
        )

    async def _do(self, work: Callable[[Batch], T]) -> T:
        async with self._turn:
            self._call.is_cancelled = False  # a call before may have been given up, and the block gone on
            return await self._threads.run(lambda: work(self._batch), self._call)


class AsyncAudits:
    """The `Audits` of a workspace for asyncio."""

    def __init__(self, workspace: AsyncWorkspace) -> None:
        self._workspace = workspace

    async def record_evidence(self, path: AnyPath, evidence: object) -> None:
        await self._workspace.record_evidence(path, evidence)

    async def audit(self, path: AnyPath, *, task: str | None = None) -> Facts:
        return await self._workspace.audit(path, task=task)

    def trail(
        self,
        *,
        since: Moment | None = None,
        after: int = 0,
        task: str | None = None,
        path: AnyPath | None = None,
        progress: Progress | None = None,
        on_damage: OnDamage | None = None,
    ) -> AsyncIterator[Facts]:
        return self._workspace._each(
            lambda ws, _: ws.audits.trail(
                since=since, after=after, task=task, path=path, progress=progress, on_damage=on_damage
            )
        )

    def articles(
        self,
        *,
        since: Moment | None = None,
        after: int = 0,
        task: str | None = None,
        path: AnyPath | None = None,
        progress: Progress | None = None,
        on_damage: OnDamage | None = None,
    ) -> AsyncIterator[Facts]:
        return self._workspace._each(
            lambda ws, _: ws.audits.articles(
                since=since, after=after, task=task, path=path, progress=progress, on_damage=on_damage
            )
        )

    async def statistics(
        self,
        *,
        since: Moment | None = None,
        after: int = 0,
        task: str | None = None,
        tool: str | None = None,
        progress: Progress | None = None,
    ) -> Statistics:
        return await self._workspace._read(
            lambda ws: ws.audits.statistics(since=since, after=after, task=task, tool=tool, progress=progress)
        )


class AsyncReview:
    """A `Review` for asyncio. What it lists is read when it is made, and again after each decision of its own."""

    def __init__(self, review: Review, shared: Threads) -> None:
        self._review = review
        self._threads = shared

    @property
    def changes(self) -> list[ReviewChange]:
        return self._review.changes

    @property
    def waiting(self) -> list[ReviewChange]:
        return self._review.waiting

    async def accept(self, ids: Iterable[str], remark: str | None = None) -> Decision:
        return await self._decide(lambda review: review.accept(ids, remark))

    async def reject(self, ids: Iterable[str], remark: str | None = None) -> Decision:
        return await self._decide(lambda review: review.reject(ids, remark))

    async def amend(self, id: str, text: str, remark: str | None = None) -> Decision:
        return await self._decide(lambda review: review.amend(id, text, remark))

    async def comment(self, id: str, text: str) -> Decision:
        return await self._decide(lambda review: review.comment(id, text))

    async def take_back(self, decision: str | None = None) -> Decision:
        return await self._decide(lambda review: review.take_back(decision))

    async def feedback(self, task: str | None = None, *, keep: bool = False) -> list[Feedback]:
        return await self._threads.run(lambda: self._review.feedback(task, keep=keep), Call(None))

    async def _decide(self, work: Callable[[Review], Decision]) -> Decision:
        def decided() -> Decision:
            decision = work(self._review)
            self._review.changes  # noqa: B018  # read again, here and not in the event loop
            return decision

        return await self._threads.run(decided, Call(None))


class AsyncKit:
    """A `Kit` for asyncio: `call` is awaited and can be cancelled, the rest looks at no file."""

    def __init__(self, kit: Kit, shared: Threads) -> None:
        self.kit = kit
        self._threads = shared

    @property
    def tools(self) -> tuple[Tool, ...]:
        return self.kit.tools

    def schemas(self, style: str = "openai") -> list[dict[str, object]]:
        return self.kit.schemas(style)

    def prompt(self, mode: str | None = None) -> str:
        return self.kit.prompt(mode)

    def find(self, name: str) -> Tool:
        return self.kit.find(name)

    async def call(
        self,
        name: str,
        arguments: object,
        *,
        tick: Callable[[], None] | None = None,
        progress: Progress | None = None,
        receipts: list[Receipt] | None = None,
    ) -> Result:
        call = Call(tick)
        return await self._threads.run(
            lambda: self.kit.call(name, arguments, tick=call.tick, progress=progress, receipts=receipts), call
        )


def share_docstrings(made: type, origin: type) -> None:
    """Let `help` say of each method what it says of the one that blocks."""
    for name, member in vars(made).items():
        if not name.startswith("_") and not member.__doc__ and hasattr(origin, name):
            member.__doc__ = getattr(origin, name).__doc__


share_docstrings(AsyncBatch, Batch)
share_docstrings(AsyncAudits, Audits)
share_docstrings(AsyncReview, Review)
share_docstrings(AsyncKit, Kit)
