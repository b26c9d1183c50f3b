"""The workspace for programs that run on asyncio: the methods of `Workspace`, each done in a thread.

How a call is made and cancelled is in `async_calls.py`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager
from functools import partial
from itertools import islice
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from steadyhand.session.checks import AnyPath
from steadyhand.tools.async_calls import Call, Threads
from steadyhand.tools.async_parts import AsyncAudits, AsyncBatch, AsyncKit, AsyncReview, share_docstrings
from steadyhand.tools.workspace import Workspace

if TYPE_CHECKING:
    from steadyhand.dialects.patch import Patch
    from steadyhand.plan.edit import Edits
    from steadyhand.plan.policy import Policy
    from steadyhand.plan.request import Requests
    from steadyhand.session.audit import Facts, Moment
    from steadyhand.session.events import Event, Stop
    from steadyhand.session.kept_conflicts import KeptConflict
    from steadyhand.session.leases import Place
    from steadyhand.session.receipt import Receipt
    from steadyhand.session.review.change import AutoAccept
    from steadyhand.session.review.review import Review
    from steadyhand.structure.node import Where
    from steadyhand.structure.outline import Location, Outline
    from steadyhand.structure.target import Target
    from steadyhand.text.match import Occurrence
    from steadyhand.text.source import Source
    from steadyhand.tools.call import Conversation
    from steadyhand.tools.workspace import Finding
    from steadyhand.workspace.file_history import Why
    from steadyhand.workspace.journal.gc import GcReport
    from steadyhand.workspace.journal.record import Entry, Lease, Party
    from steadyhand.workspace.journal.store import Progress
    from steadyhand.workspace.leases import ActiveLease
    from steadyhand.workspace.listing import Listing
    from steadyhand.workspace.other_clones import Notice
    from steadyhand.workspace.outside import CheckReport, Outside
    from steadyhand.workspace.protection import Protect
    from steadyhand.workspace.storage import Storage

__all__ = ["AsyncWorkspace"]

T = TypeVar("T")
S = TypeVar("S")

_PAGE = 64  # items of an iterator that are fetched at a time


class AsyncWorkspace:
    """A `Workspace` for asyncio: the same methods, awaited; each is done in a thread and can be cancelled.

    A call that is cancelled has changed nothing or all that it was to change, and no thread works on it any more when
    `CancelledError` arrives. The workspace is opened in a thread, by `async with` or by the first call.

    >>> import asyncio, tempfile, pathlib
    >>> root = pathlib.Path(tempfile.mkdtemp()); _ = (root / "a.md").write_text("one\\ntwo\\n")
    >>> async def digits():
    ...     async with AsyncWorkspace(root, actor="docs") as ws:
    ...         receipt = await ws.edit("a.md", [{"target": "two", "new": "2"}], reason="digits")
    ...         undone = await ws.undo(receipt.id)
    ...         return (await ws.read("a.md")).text
    >>> asyncio.run(digits())
    'one\\ntwo\\n'
    """

    def __init__(
        self,
        root: AnyPath,
        *,
        actor: str | None = None,
        task: str | None = None,
        mode: str | None = None,
        journal: AnyPath | None = None,
        policy: Policy | None = None,
        extensions: Sequence[str] | None = None,
        protect: Protect = "standard",
        allow: Sequence[str] = (),
        read_only: bool = False,
        lock_timeout: float = 10.0,
        max_bytes: int | None = None,
        one_filesystem: bool = False,
        repo: str | None = None,
        tool: str = "python",
        storage: Storage | None = None,
    ) -> None:
        self._task: Workspace | None = None
        self._threads = Threads(
            lambda: Workspace(
                root,
                actor=actor,
                task=task,
                mode=mode,
                journal=journal,
                policy=policy,
                extensions=extensions,
                protect=protect,
                allow=allow,
                read_only=read_only,
                lock_timeout=lock_timeout,
                max_bytes=max_bytes,
                one_filesystem=one_filesystem,
                repo=repo,
                tool=tool,
                storage=storage,
            )
        )

    @classmethod
    def of(cls, workspace: Workspace) -> Self:
        """The asynchronous side of a workspace that is open; closing one closes the other."""
        made = object.__new__(cls)
        made._task, made._threads = None, Threads(lambda: workspace)
        made._threads.workspace  # noqa: B018  # it is open: nothing is waited for
        return made

    find_root = staticmethod(Workspace.find_root)

    @property
    def workspace(self) -> Workspace:
        """The workspace underneath, whose methods block. Refuses with `bad-request` before it was opened."""
        return self._task or self._threads.opened

    @property
    def root(self) -> str:
        return self.workspace.root

    @property
    def actor(self) -> str:
        return self.workspace.actor

    @property
    def task_id(self) -> str | None:
        return self.workspace.task_id

    @property
    def mode(self) -> str | None:
        return self.workspace.mode

    @property
    def policy(self) -> Policy:
        return self.workspace.policy

    @property
    def tool(self) -> str:
        return self.workspace.tool

    @property
    def audits(self) -> AsyncAudits:
        return AsyncAudits(self)

    @property
    def warnings(self) -> tuple[str, ...]:
        return self.workspace.warnings

    @property
    def party(self) -> Party:
        return self.workspace.party

    @property
    def is_read_only(self) -> bool:
        return self.workspace.is_read_only

    async def close(self) -> None:
        await self._threads.close()

    async def __aenter__(self) -> Self:
        await self._change(lambda ws: ws)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def apply(
        self, requests: Requests, *, reason: str | None = None, preview: bool = False, progress: Progress | None = None
    ) -> Receipt:
        return await self._change(lambda ws: ws.apply(requests, reason=reason, preview=preview, progress=progress))

    async def audit(self, path: AnyPath, *, task: str | None = None) -> Facts:
        return await self._read(lambda ws: ws.audit(path, task=task))

    async def check(self, *, progress: Progress | None = None) -> CheckReport:
        return await self._read(lambda ws: ws.check(progress=progress))

    async def chmod(self, path: AnyPath, mode: int, *, reason: str | None = None, preview: bool = False) -> Receipt:
        return await self._change(lambda ws: ws.chmod(path, mode, reason=reason, preview=preview))

    async def conflict(self, id: str) -> KeptConflict:
        return await self._read(lambda ws: ws.conflict(id))

    async def conflicts(
        self, *, open_only: bool = True, path: AnyPath | None = None, task: str | None = None
    ) -> list[KeptConflict]:
        return await self._read(lambda ws: ws.conflicts(open_only=open_only, path=path, task=task))

    async def review(
        self,
        *,
        task: str | None = None,
        since: Moment | None = None,
        run: str | None = None,
        path: AnyPath | None = None,
        auto_accept: Sequence[AutoAccept] = (),
    ) -> AsyncReview:
        def listed(ws: Workspace) -> Review:
            review = ws.review(task=task, since=since, run=run, path=path, auto_accept=auto_accept)
            review.changes  # noqa: B018  # read here and not in the event loop
            return review

        return AsyncReview(await self._read(listed), self._threads)

    async def create(
        self, path: AnyPath, content: str, *, mode: int | None = None, reason: str | None = None, preview: bool = False
    ) -> Receipt:
        return await self._change(lambda ws: ws.create(path, content, mode=mode, reason=reason, preview=preview))

    async def delete(
        self, path: AnyPath, *, expect: str | None = None, reason: str | None = None, preview: bool = False
    ) -> Receipt:
        return await self._change(lambda ws: ws.delete(path, expect=expect, reason=reason, preview=preview))

    async def diff_of(self, id: str) -> str:
        return await self._read(lambda ws: ws.diff_of(id))

    async def diff_of_task(self, task: str) -> str:
        return await self._read(lambda ws: ws.diff_of_task(task))

    async def doctor(self) -> dict[str, object]:
        return await self._read(lambda ws: ws.doctor())

    async def edit(
        self,
        path: AnyPath,
        edits: Edits,
        *,
        expect: str | None = None,
        reason: str | None = None,
        policy: Policy | None = None,
        encoding: str | None = None,
        preview: bool = False,
    ) -> Receipt:
        return await self._change(
            lambda ws: ws.edit(
                path, edits, expect=expect, reason=reason, policy=policy, encoding=encoding, preview=preview
            )
        )

    async def elsewhere(self, path: AnyPath) -> list[Notice]:
        return await self._read(lambda ws: ws.elsewhere(path))

    async def end_task(self, name: str | None = None, *, failed: bool = False) -> tuple[str, ...]:
        return await self._change(lambda ws: ws.end_task(name, failed=failed))

    def events(
        self,
        *,
        after: int | None = None,
        follow: bool = False,
        types: Sequence[str] | None = None,
        task: str | None = None,
        actor: str | None = None,
        path: AnyPath | None = None,
        poll: float = 0.2,
        stop: Callable[[], bool] | None = None,
    ) -> AsyncIterator[Event]:
        return self._each(
            lambda ws, either: ws.events(
                after=after, follow=follow, types=types, task=task, actor=actor, path=path, poll=poll, stop=either(stop)
            ),
            1 if follow else _PAGE,
        )

    async def files(
        self,
        path: str = ".",
        *,
        depth: int = 32,
        limit: int = 10000,
        seconds: float = 5.0,
        skip_ignored: bool = False,
        sizes: bool = False,
        below: str = "",
    ) -> Listing:
        return await self._read(
            lambda ws: ws.files(
                path, depth=depth, limit=limit, seconds=seconds, skip_ignored=skip_ignored, sizes=sizes, below=below
            )
        )

    async def findings(self, task: str | None = None) -> list[Finding]:
        return await self._read(lambda ws: ws.findings(task))

    async def gc(
        self,
        *,
        keep_days: float | None = None,
        keep_bytes: int | None = None,
        preview: bool = False,
        progress: Progress | None = None,
    ) -> GcReport:
        return await self._change(
            lambda ws: ws.gc(keep_days=keep_days, keep_bytes=keep_bytes, preview=preview, progress=progress)
        )

    async def history(
        self, path: AnyPath | None = None, *, task: str | None = None, limit: int | None = None
    ) -> list[Entry]:
        return await self._read(lambda ws: ws.history(path, task=task, limit=limit))

    async def journal(self) -> dict[str, object]:
        return await self._read(lambda ws: ws.journal())

    def lease(
        self, path: AnyPath, *, target: Place | None = None, reason: str | None = None, seconds: float | None = None
    ) -> AbstractAsyncContextManager[Lease]:
        return self._block(
            lambda ws: ws.lease(path, target=target, reason=reason, seconds=seconds), lambda lease, _: lease
        )

    async def leases(self, path: AnyPath | None = None) -> list[ActiveLease]:
        return await self._read(lambda ws: ws.leases(path))

    async def locate(
        self, path: AnyPath, target: Target | str, *, which: Occurrence = "unique", encoding: str | None = None
    ) -> tuple[Location, ...]:
        return await self._read(lambda ws: ws.locate(path, target, which=which, encoding=encoding))

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
        preview: bool = False,
    ) -> Receipt:
        return await self._change(
            lambda ws: ws.move(
                path, target, to=to, to_path=to_path, where=where, expect=expect, reason=reason, preview=preview
            )
        )

    async def observe(self, path: AnyPath) -> bool:
        return await self._change(lambda ws: ws.observe(path))

    async def outline(
        self,
        path: AnyPath,
        *,
        within: Target | str | None = None,
        depth: int | None = None,
        limit: int | None = 200,
        encoding: str | None = None,
    ) -> Outline:
        return await self._read(lambda ws: ws.outline(path, within=within, depth=depth, limit=limit, encoding=encoding))

    async def outside(self, path: AnyPath | None = None, *, limit: int | None = None) -> list[Outside]:
        return await self._read(lambda ws: ws.outside(path, limit=limit))

    async def patch(
        self,
        reply: str | Patch,
        *,
        path: AnyPath | None = None,
        format: str = "auto",
        strict: bool = False,
        overwrite: bool = False,
        reason: str | None = None,
        policy: Policy | None = None,
        preview: bool = False,
        progress: Progress | None = None,
    ) -> Receipt:
        return await self._change(
            lambda ws: ws.patch(
                reply,
                path=path,
                format=format,
                strict=strict,
                overwrite=overwrite,
                reason=reason,
                policy=policy,
                preview=preview,
                progress=progress,
            )
        )

    async def preview(self, path: AnyPath, edits: Edits, **options: object) -> Receipt:
        return await self._change(lambda ws: ws.preview(path, edits, **options))

    async def read(
        self, path: AnyPath, *, encoding: str | None = None, lines: tuple[int, int | None] | None = None
    ) -> Source:
        return await self._read(lambda ws: ws.read(path, encoding=encoding, lines=lines))

    async def record_evidence(self, path: AnyPath, evidence: object) -> None:
        return await self._change(lambda ws: ws.record_evidence(path, evidence))

    async def recover(self) -> tuple[str, ...]:
        return await self._change(lambda ws: ws.recover())

    async def redo(self, id: str | None = None, *, reason: str | None = None, preview: bool = False) -> Receipt:
        return await self._change(lambda ws: ws.redo(id, reason=reason, preview=preview))

    async def rename(
        self, path: AnyPath, to: AnyPath, *, expect: str | None = None, reason: str | None = None, preview: bool = False
    ) -> Receipt:
        return await self._change(lambda ws: ws.rename(path, to, expect=expect, reason=reason, preview=preview))

    async def resolve(
        self, id: str, how: str, *, text: str | None = None, expect: str | None = None, reason: str | None = None
    ) -> Receipt | None:
        return await self._change(lambda ws: ws.resolve(id, how, text=text, expect=expect, reason=reason))

    async def show(self, id: str) -> Entry:
        return await self._read(lambda ws: ws.show(id))

    def task(self, name: str) -> AbstractAsyncContextManager[Self]:
        return self._block(lambda ws: ws.task(name), self._for_task)

    async def tools(
        self,
        toolset: str = "core",
        *,
        article: AnyPath | None = None,
        allow_new: bool = False,
        conversation: Conversation | str | None = None,
        policy: Policy | None = None,
        prefix: AnyPath | None = None,
        extensions: Sequence[str] | None = None,
        model: str | None = None,
        overwrite: bool = False,
        allow_shrink: bool = False,
        require_read: bool = False,
        version: str | None = None,
        max_characters: int | None = None,
    ) -> AsyncKit:
        kit = await self._change(
            lambda ws: ws.tools(
                toolset,
                article=article,
                allow_new=allow_new,
                conversation=conversation,
                policy=policy,
                prefix=prefix,
                extensions=extensions,
                model=model,
                overwrite=overwrite,
                allow_shrink=allow_shrink,
                require_read=require_read,
                version=version,
                max_characters=max_characters,
            )
        )
        return AsyncKit(kit, self._threads)

    def transaction(
        self, *, reason: str | None = None, preview: bool = False
    ) -> AbstractAsyncContextManager[AsyncBatch]:
        return self._block(
            lambda ws: ws.transaction(reason=reason, preview=preview),
            lambda batch, call: AsyncBatch(batch, self._threads, call),
        )

    async def undo(
        self,
        id: str | None = None,
        *,
        last: bool = False,
        task: str | None = None,
        path: AnyPath | None = None,
        reason: str | None = None,
        preview: bool = False,
    ) -> Receipt:
        return await self._change(
            lambda ws: ws.undo(id, last=last, task=task, path=path, reason=reason, preview=preview)
        )

    async def why(self, path: AnyPath, line: int) -> Why:
        return await self._read(lambda ws: ws.why(path, line))

    async def why_all(self, path: AnyPath) -> list[Why]:
        return await self._read(lambda ws: ws.why_all(path))

    async def write(
        self,
        path: AnyPath,
        content: str | bytes,
        *,
        expect: str | None = None,
        reason: str | None = None,
        allow_shrink: bool = False,
        overwrite: bool = False,
        encoding: str | None = None,
        policy: Policy | None = None,
        preview: bool = False,
    ) -> Receipt:
        return await self._change(
            lambda ws: ws.write(
                path,
                content,
                expect=expect,
                reason=reason,
                allow_shrink=allow_shrink,
                overwrite=overwrite,
                encoding=encoding,
                policy=policy,
                preview=preview,
            )
        )

    async def _change(self, work: Callable[[Workspace], T]) -> T:
        """Do work that may change files: it is asked to stop only where nothing is half done."""
        call = Call()
        return await self._threads.run(lambda: work(self._bound(call)), call)

    async def _read(self, work: Callable[[Workspace], T]) -> T:
        """Do work that changes nothing, and so can be stopped anywhere."""
        call = Call()

        def heed() -> T:
            workspace = self._bound(call)
            with workspace.cancellable():
                return work(workspace)

        return await self._threads.run(heed, call)

    def _bound(self, call: Call) -> Workspace:
        """The workspace for one call. Asked in its thread."""
        workspace = self._task or self._threads.workspace
        call.above = workspace.tick
        return workspace.bound(tick=call.tick)

    async def _each(
        self, begin: Callable[[Workspace, Callable[[Stop | None], Stop]], Iterator[T]], size: int = _PAGE
    ) -> AsyncIterator[T]:
        """The items of an iterator, which has a thread of its own: one that follows may wait for long."""
        call = Call()

        def either(stop: Stop | None) -> Stop:
            return lambda: call.is_cancelled or (stop is not None and stop())

        own = ThreadPoolExecutor(1, "steadyhand-follow")
        try:
            items = await self._threads.run(lambda: begin(self._bound(call), either), call, own)
            while page := await self._threads.run(lambda: list(islice(items, size)), call, own):
                for item in page:
                    yield item
        finally:
            call.is_cancelled = True
            own.shutdown(wait=False)

    @asynccontextmanager
    async def _block(
        self,
        begin: Callable[[Workspace], AbstractContextManager[T]],
        wrap: Callable[[T, Call], S],
    ) -> AsyncIterator[S]:
        """A `with` block of the workspace, entered and left in threads. Once entered it is left, whatever happens."""
        call = Call()
        entered: list[AbstractContextManager[T]] = []

        def enter() -> T:
            block = begin(self._bound(call))
            value = block.__enter__()
            entered.append(block)
            return value

        async def leave(error: BaseException | None) -> bool | None:
            call.is_cancelled = False
            trace = None if error is None else error.__traceback__
            return await self._threads.run(
                partial(entered[0].__exit__, type(error) if error else None, error, trace), call
            )

        try:
            value = await self._threads.run(enter, call)
        except BaseException as error:
            if entered:
                await leave(error)
            raise
        try:
            yield wrap(value, call)
        except BaseException as error:
            if not await leave(error):
                raise
        else:
            await leave(None)

    def _for_task(self, bound: Workspace, _: Call) -> Self:
        made = object.__new__(type(self))
        made._task, made._threads = bound, self._threads
        return made


share_docstrings(AsyncWorkspace, Workspace)
