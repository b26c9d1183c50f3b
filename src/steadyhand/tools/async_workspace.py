"""The workspace for programs that run on asyncio: the methods of `Workspace`, each done in a thread, can be cancelled.

1. No call is waited for in the event loop: files, locks and databases are met in threads only.
2. A call that is cancelled before a thread has begun it is never begun.
3. A call that is cancelled later is asked to stop and waited for. It stops between edits and before anything is staged;
   once its files are being exchanged it is finished. The tree is as it was or as the call leaves it, and no thread
   works on, or holds a lock, when `CancelledError` arrives.
4. Cancelling never becomes an answer: the awaiting task always gets `CancelledError`, also where the change was made.

Callbacks that are handed to a method (`progress`, `stop`, `on_damage`) are called in its thread.
A method is declared by the one that blocks: it has its signature and its help, for people and for type checkers.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager
from functools import partial
from itertools import islice
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, Self, TypeVar

from steadyhand.errors import EditError, Kind
from steadyhand.session.audit import Audits
from steadyhand.session.checks import AnyPath
from steadyhand.session.host import host_of
from steadyhand.session.review.review import Review
from steadyhand.session.transaction_builder import Batch
from steadyhand.tools.framework_calls import wait_to_end
from steadyhand.tools.kit import Kit
from steadyhand.tools.workspace import Workspace

if TYPE_CHECKING:
    from steadyhand.plan.edit import Edits
    from steadyhand.plan.policy import Policy
    from steadyhand.session.audit import Facts
    from steadyhand.session.events import Event, Stop
    from steadyhand.session.receipt import Receipt
    from steadyhand.session.review.change import ReviewChange
    from steadyhand.tools.tool import Result, Tool
    from steadyhand.workspace.journal.record import Lease, Party


A = TypeVar("A")
B = TypeVar("B")
B_co = TypeVar("B_co", covariant=True)
P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")

THREADS = 8  # of one workspace; more calls wait for one of them
_PAGE = 64  # items of an iterator that are fetched at a time


class _Call:
    """Whether the call under way is still wanted; asked in its thread, answered in the event loop."""

    __slots__ = ("above", "is_cancelled")

    def __init__(self, above: Callable[[], None] | None = None) -> None:
        self.above = above
        self.is_cancelled = False

    def tick(self) -> None:
        if self.is_cancelled:
            raise EditError(Kind.CANCELLED, "the call was cancelled", hint="the change in progress was not made")
        if self.above is not None:
            self.above()


class _Threads:
    """An open workspace and its threads, which a workspace shares with those of its tasks."""

    def __init__(self, open_workspace: Callable[[], Workspace]) -> None:
        self._open = open_workspace
        self._guard = threading.Lock()
        self._workspace: Workspace | None = None
        self._pool = ThreadPoolExecutor(THREADS, "steadyhand-async")
        self._is_closed = False

    @property
    def workspace(self) -> Workspace:
        """The workspace, opened by the first who asks. Blocks: asked in threads only."""
        with self._guard:
            if self._is_closed:
                raise _closed()
            if self._workspace is None:
                self._workspace = self._open()
            return self._workspace

    @property
    def opened(self) -> Workspace:
        """The workspace, if it is open. Never blocks for long."""
        if self._workspace is None:
            raise EditError(Kind.BAD_REQUEST, "the workspace is not open yet", hint="use it in an `async with`")
        return self._workspace

    async def run(self, work: Callable[[], T], call: _Call, pool: ThreadPoolExecutor | None = None) -> T:
        """What `work` gives, done in a thread; the invariants of this module are kept here."""
        try:
            begun = (pool or self._pool).submit(work)
        except RuntimeError:
            raise _closed() from None

        def stop() -> None:
            call.is_cancelled = True
            begun.cancel()

        return await wait_to_end(asyncio.wrap_future(begun), stop)

    async def close(self) -> None:
        """Close the workspace after the calls that were begun; others are refused."""
        await self.run(self._close, _Call())
        self._pool.shutdown(wait=False)

    def _close(self) -> None:
        with self._guard:
            self._is_closed = True
            if self._workspace is not None:
                self._workspace.close()


def _closed() -> EditError:
    return EditError(Kind.BAD_REQUEST, "the workspace is closed", hint="open it again")


# Methods that are declared by the one that blocks.


def _like(
    origin: Callable[Concatenate[Any, P], Any],
) -> Callable[[Callable[Concatenate[S, ...], T]], Callable[Concatenate[S, P], T]]:
    """Let a method have the parameters and the help of another; what it gives is its own to say."""

    def declared(method: Callable[Concatenate[S, ...], T]) -> Callable[Concatenate[S, P], T]:
        given = inspect.signature(method).return_annotation
        method.__signature__ = inspect.signature(origin).replace(return_annotation=given)  # type: ignore[attr-defined]
        method.__doc__ = origin.__doc__
        return method

    return declared


class _Doing(Protocol[B_co]):
    """Whoever does the work of methods that block, in threads."""

    async def _change(self, work: Callable[[B_co], T]) -> T: ...

    async def _read(self, work: Callable[[B_co], T]) -> T: ...


def _changes(method: Callable[Concatenate[B, P], T]) -> Callable[Concatenate[_Doing[B], P], Coroutine[Any, Any, T]]:
    """A method that may change files: it is asked to stop only where nothing is half done."""

    async def call(self: _Doing[B], /, *given: P.args, **named: P.kwargs) -> T:
        return await self._change(lambda to: method(to, *given, **named))

    return _named_as(method, call)


def _reads(method: Callable[Concatenate[B, P], T]) -> Callable[Concatenate[_Doing[B], P], Coroutine[Any, Any, T]]:
    """A method that changes nothing, and so can be stopped anywhere."""

    async def call(self: _Doing[B], /, *given: P.args, **named: P.kwargs) -> T:
        return await self._read(lambda to: method(to, *given, **named))

    return _named_as(method, call)


def _named_as(method: Callable[..., object], call: A) -> A:
    call.__name__ = method.__name__  # type: ignore[attr-defined]
    call.__signature__ = inspect.signature(method)  # type: ignore[attr-defined]
    call.__doc__ = method.__doc__
    return call


class AsyncBatch:
    """A `Batch` for asyncio. Calls on one batch are done one after the other, in the order they were made."""

    def __init__(self, batch: Batch, shared: _Threads, call: _Call) -> None:
        self._batch = batch
        self._threads = shared
        self._call = call
        self._turn = asyncio.Lock()

    @property
    def receipt(self) -> Receipt:
        return self._batch.receipt

    chmod = _changes(Batch.chmod)
    create = _changes(Batch.create)
    delete = _changes(Batch.delete)
    edit = _changes(Batch.edit)
    move = _changes(Batch.move)
    read = _changes(Batch.read)
    rename = _changes(Batch.rename)
    source = _changes(Batch.source)
    write = _changes(Batch.write)

    async def _change(self, work: Callable[[Batch], T]) -> T:
        async with self._turn:
            self._call.is_cancelled = False  # a call before may have been given up, and the block gone on
            return await self._threads.run(lambda: work(self._batch), self._call)

    _read = _change


class AsyncReview:
    """A `Review` for asyncio. What it lists is read when it is made, and again after each decision of its own."""

    def __init__(self, review: Review, shared: _Threads) -> None:
        self._review = review
        self._threads = shared

    @property
    def changes(self) -> list[ReviewChange]:
        return self._review.changes

    @property
    def waiting(self) -> list[ReviewChange]:
        return self._review.waiting

    accept = _changes(Review.accept)
    amend = _changes(Review.amend)
    comment = _changes(Review.comment)
    feedback = _reads(Review.feedback)
    patch = _reads(Review.patch)
    reject = _changes(Review.reject)
    take_back = _changes(Review.take_back)

    async def _change(self, work: Callable[[Review], T]) -> T:
        def decided() -> T:
            decision = work(self._review)
            self._review.changes  # noqa: B018  # read again, here and not in the event loop
            return decision

        return await self._threads.run(decided, _Call())

    async def _read(self, work: Callable[[Review], T]) -> T:
        return await self._threads.run(lambda: work(self._review), _Call())


class AsyncAudits:
    """The `Audits` of a workspace for asyncio."""

    def __init__(self, workspace: AsyncWorkspace) -> None:
        self._workspace = workspace

    audit = _reads(Audits.audit)
    record_evidence = _changes(Audits.record_evidence)
    statistics = _reads(Audits.statistics)

    @_like(Audits.trail)
    def trail(self, **named: Any) -> AsyncIterator[Facts]:
        return self._workspace._each(lambda ws, _: ws.audits.trail(**named))

    @_like(Audits.articles)
    def articles(self, **named: Any) -> AsyncIterator[Facts]:
        return self._workspace._each(lambda ws, _: ws.audits.articles(**named))

    async def _change(self, work: Callable[[Audits], T]) -> T:
        return await self._workspace._change(lambda ws: work(ws.audits))

    async def _read(self, work: Callable[[Audits], T]) -> T:
        return await self._workspace._read(lambda ws: work(ws.audits))


class AsyncKit:
    """A `Kit` for asyncio: `call` is awaited and can be cancelled, the rest looks at no file."""

    def __init__(self, kit: Kit, shared: _Threads) -> None:
        self.kit = kit
        self._threads = shared

    @property
    def tools(self) -> tuple[Tool, ...]:
        return self.kit.tools

    @_like(Kit.schemas)
    def schemas(self, *given: Any, **named: Any) -> list[dict[str, object]]:
        return self.kit.schemas(*given, **named)

    @_like(Kit.prompt)
    def prompt(self, *given: Any, **named: Any) -> str:
        return self.kit.prompt(*given, **named)

    @_like(Kit.find)
    def find(self, name: str) -> Tool:
        return self.kit.find(name)

    @_like(Kit.call)
    async def call(self, *given: Any, tick: Callable[[], None] | None = None, **named: Any) -> Result:
        call = _Call(tick)
        return await self._threads.run(lambda: self.kit.call(*given, tick=call.tick, **named), call)


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

    _task: Workspace | None
    _threads: _Threads

    @_like(Workspace.__init__)
    def __init__(self, *given: Any, **named: Any) -> None:
        self._task, self._threads = None, _Threads(partial(Workspace, *given, **named))

    @classmethod
    def of(cls, workspace: Workspace) -> Self:
        """The asynchronous side of a workspace that is open; closing one closes the other."""
        made = object.__new__(cls)
        made._task, made._threads = None, _Threads(lambda: workspace)
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
    def holds(self) -> bool:
        return self.workspace.holds

    @property
    def held(self) -> tuple[str, ...]:
        return self.workspace.held

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

    apply = _changes(Workspace.apply)
    audit = _reads(Workspace.audit)
    check = _reads(Workspace.check)
    chmod = _changes(Workspace.chmod)
    conflict = _reads(Workspace.conflict)
    conflicts = _reads(Workspace.conflicts)
    create = _changes(Workspace.create)
    delete = _changes(Workspace.delete)
    diff_of = _reads(Workspace.diff_of)
    diff_of_task = _reads(Workspace.diff_of_task)
    doctor = _reads(Workspace.doctor)
    edit = _changes(Workspace.edit)
    elsewhere = _reads(Workspace.elsewhere)
    end_task = _changes(Workspace.end_task)
    files = _reads(Workspace.files)
    findings = _reads(Workspace.findings)
    gc = _changes(Workspace.gc)
    history = _reads(Workspace.history)
    journal = _reads(Workspace.journal)
    leases = _reads(Workspace.leases)
    locate = _reads(Workspace.locate)
    move = _changes(Workspace.move)
    observe = _changes(Workspace.observe)
    outline = _reads(Workspace.outline)
    outside = _reads(Workspace.outside)
    patch = _changes(Workspace.patch)
    read = _reads(Workspace.read)
    record_evidence = _changes(Workspace.record_evidence)
    recover = _changes(Workspace.recover)
    redo = _changes(Workspace.redo)
    rename = _changes(Workspace.rename)
    resolve = _changes(Workspace.resolve)
    show = _reads(Workspace.show)
    undo = _changes(Workspace.undo)
    why = _reads(Workspace.why)
    why_all = _reads(Workspace.why_all)
    write = _changes(Workspace.write)

    @_like(Workspace.events)
    def events(
        self, *, follow: bool = False, stop: Callable[[], bool] | None = None, **named: Any
    ) -> AsyncIterator[Event]:
        page = 1 if follow else _PAGE
        return self._each(lambda ws, either: ws.events(follow=follow, stop=either(stop), **named), page)

    @_like(Workspace.lease)
    def lease(self, *given: Any, **named: Any) -> AbstractAsyncContextManager[Lease]:
        return self._block(lambda ws: ws.lease(*given, **named), lambda lease, _: lease)

    @_like(Workspace.review)
    async def review(self, **named: Any) -> AsyncReview:
        def listed(ws: Workspace) -> Review:
            review = ws.review(**named)
            review.changes  # noqa: B018  # read here and not in the event loop
            return review

        return AsyncReview(await self._read(listed), self._threads)

    def task(self, name: str) -> AbstractAsyncContextManager[Self]:
        """The same workspace in the name of a task, in an `async with`."""
        return self._block(lambda ws: ws.task(name), self._for_task)

    async def preview(self, path: AnyPath, edits: Edits, **options: object) -> Receipt:
        """What `edit` would do, with the same refusals; nothing is written."""
        return await self._change(lambda ws: ws.preview(path, edits, **options))

    @_like(Workspace.tools)
    async def tools(self, *given: Any, **named: Any) -> AsyncKit:
        return AsyncKit(await self._change(lambda ws: ws.tools(*given, **named)), self._threads)

    @_like(Workspace.transaction)
    def transaction(self, **named: Any) -> AbstractAsyncContextManager[AsyncBatch]:
        return self._block(
            lambda ws: ws.transaction(**named), lambda batch, call: AsyncBatch(batch, self._threads, call)
        )

    async def _change(self, work: Callable[[Workspace], T]) -> T:
        call = _Call()
        return await self._threads.run(lambda: work(self._bound(call)), call)

    async def _read(self, work: Callable[[Workspace], T]) -> T:
        call = _Call()

        def cancellable() -> T:
            workspace = self._bound(call)
            with host_of(workspace).cancellable():
                return work(workspace)

        return await self._threads.run(cancellable, call)

    def _bound(self, call: _Call) -> Workspace:
        """The workspace for one call. Asked in its thread."""
        workspace = self._task or self._threads.workspace
        call.above = host_of(workspace).tick
        return host_of(workspace).bound(tick=call.tick)

    async def _each(
        self, begin: Callable[[Workspace, Callable[[Stop | None], Stop]], Iterator[T]], size: int = _PAGE
    ) -> AsyncIterator[T]:
        """The items of an iterator, which has a thread of its own: one that follows may wait for long."""
        call = _Call()

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
        wrap: Callable[[T, _Call], S],
    ) -> AsyncIterator[S]:
        """A `with` block of the workspace, entered and left in threads. Once entered it is left, whatever happens."""
        call = _Call()
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

    def _for_task(self, bound: Workspace, _: _Call) -> Self:
        made = object.__new__(type(self))
        made._task, made._threads = bound, self._threads
        return made
