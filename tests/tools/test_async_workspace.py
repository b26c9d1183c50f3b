"""The workspace for asyncio: the same methods, many at once, and cancelled at every moment there is."""

from __future__ import annotations

import asyncio
import inspect
import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from scripts.api_reference import members
from steadyhand.tools.async_workspace import THREADS
from tests.faults.storage import FaultStorage
from tests.sampling import WHOLE
from tests.table import table

pytestmark = pytest.mark.anyio

FILES = [f"f{number}.txt" for number in range(4)]
PAIRS = [
    (sh.Workspace, sh.AsyncWorkspace),
    (sh.Batch, sh.AsyncBatch),
    (sh.Audits, sh.AsyncAudits),
    (sh.Review, sh.AsyncReview),
    (sh.Kit, sh.AsyncKit),
]
METHODS = [
    pytest.param(plain, made, name, member, id=f"{plain.__name__}.{name}")
    for plain, made in PAIRS
    for name, member in [("__init__", plain.__init__), *members(plain)]
    if not isinstance(member, str) and (name != "__init__" or plain is sh.Workspace)
]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@table(("plain", "made", "name", "member"), METHODS)
def test_every_public_method_is_there_with_the_same_signature(plain: Any, made: Any, name: str, member: object) -> None:
    mine = inspect.getattr_static(made, name)
    if isinstance(member, property):
        assert isinstance(mine, property)
        assert mine.fget is not None
        assert member.fget is not None
        wanted = str(inspect.signature(member.fget).return_annotation)
        assert inspect.signature(mine.fget).return_annotation == {"Audits": "AsyncAudits"}.get(wanted, wanted)
        return
    wanted, given = inspect.signature(getattr(plain, name)), inspect.signature(getattr(made, name))
    assert [*map(shape, given.parameters.values())] == [*map(shape, wanted.parameters.values())]
    answer = str(wanted.return_annotation)
    blocks = {"task": "Self", "transaction": "AsyncBatch", "lease": "Lease"}
    if plain is sh.Workspace and name in blocks:
        assert given.return_annotation == f"AbstractAsyncContextManager[{blocks[name]}]"
    elif answer.startswith("Iterator["):
        assert given.return_annotation == f"Async{answer}"
    else:
        assert given.return_annotation == {"Kit": "AsyncKit", "Review": "AsyncReview"}.get(answer, answer)
        is_plain = name in ("__init__", "find_root") or (plain is sh.Kit and name != "call")
        assert inspect.iscoroutinefunction(getattr(made, name)) is not is_plain


def shape(parameter: inspect.Parameter) -> tuple[object, ...]:
    kind = str(parameter.annotation).replace("str | os.PathLike[str]", "AnyPath")
    return parameter.name, parameter.kind, parameter.default, kind


def tree(root: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(root.glob("*.txt"))}


def plant(root: Path) -> None:
    for name in FILES:
        (root / name).write_text("".join(f"line {number}\n" for number in range(20)), encoding="utf-8")


def all_files(word: str) -> sh.Requests:
    return sh.Requests(tuple(sh.EditFile(name, (sh.Replace("line 3\n", f"{word}\n"),)) for name in FILES))


async def test_many_calls_at_once_all_arrive(tmp_path: Path) -> None:
    plant(tmp_path)
    async with sh.AsyncWorkspace(tmp_path, actor="many") as ws:
        edits = [
            ws.edit(FILES[number % 4], [sh.Replace(f"line {number}\n", f"row {number}\n")]) for number in range(20)
        ]
        receipts = await asyncio.gather(*edits)
        assert len({receipt.id for receipt in receipts}) == 20
        assert len(await ws.history()) == 20
    texts = tree(tmp_path)
    assert all(f"row {number}\n" in texts[FILES[number % 4]] for number in range(20))


async def test_the_event_loop_touches_no_file(tmp_path: Path) -> None:
    plant(tmp_path)
    callers: set[int] = set()

    class Noting(FaultStorage):
        def _enter(self, *call: Any) -> Any:
            callers.add(threading.get_ident())
            return super()._enter(*call)

    async with sh.AsyncWorkspace(tmp_path, storage=Noting()) as ws:
        await ws.apply(all_files("new"))
        await ws.undo(last=True)
        async with ws.transaction() as batch:
            await batch.edit(FILES[0], [sh.Replace("line 1\n", "one\n")])
        assert [entry.record.verb async for entry in _entries(ws)] == ["edit", "undo", "edit"]
    assert callers
    assert threading.get_ident() not in callers


async def _entries(ws: sh.AsyncWorkspace) -> Any:
    for entry in await ws.history():
        yield entry


async def test_the_blocks_of_a_workspace(tmp_path: Path) -> None:
    plant(tmp_path)
    async with sh.AsyncWorkspace(tmp_path, actor="ada") as ws:
        async with ws.task("rows") as task, task.transaction(reason="both") as batch:
            await batch.edit(FILES[0], [sh.Replace("line 1\n", "one\n")])
            await batch.edit(FILES[1], [sh.Replace("line 1\n", "one\n")])
            assert "one" in (await batch.read(FILES[0])).text
        assert batch.receipt.ok
        assert [(entry.record.task, len(entry.record.files)) for entry in await ws.history()] == [("rows", 2)]
        async with ws.lease(FILES[2], reason="mine") as lease:
            assert [each.lease.id for each in await ws.leases()] == [lease.id]
        assert await ws.leases() == []
        with pytest.raises(ZeroDivisionError):
            async with ws.transaction() as dropped:
                await dropped.edit(FILES[0], [sh.Replace("line 2\n", "two\n")])
                raise ZeroDivisionError
        assert len(await ws.history()) == 1
        kit = await ws.tools("surgical")
        answer = await kit.call("edit_file", {"path": FILES[3], "old_content": "line 5\n", "new_content": "five\n"})
        assert answer["success"] is True
        assert kit.schemas("openai")
        assert (await ws.audits.statistics()).total.applied == 2
        assert len([facts async for facts in ws.audits.trail()]) >= 2
        types = [event.type async for event in ws.events()]
        assert types.count("edit") == 2


async def test_a_refusal_is_the_same_refusal(tmp_path: Path) -> None:
    plant(tmp_path)
    async with sh.AsyncWorkspace(tmp_path) as ws:
        with pytest.raises(sh.EditError) as refusal:
            await ws.edit(FILES[0], [sh.Replace("no such line", "x")])
        assert refusal.value.kind is sh.Kind.NO_MATCH
    with pytest.raises(sh.EditError) as closed:
        await ws.read(FILES[0])
    assert closed.value.kind is sh.Kind.BAD_REQUEST
    with pytest.raises(sh.EditError):
        _ = sh.AsyncWorkspace(tmp_path).root


async def test_one_side_of_an_open_workspace(tmp_path: Path) -> None:
    plant(tmp_path)
    with sh.Workspace(tmp_path, actor="ada") as plain:
        ws = sh.AsyncWorkspace.of(plain)
        assert ws.root == plain.root
        assert (await ws.edit(FILES[0], [sh.Replace("line 1\n", "one\n")])).ok
        assert len(plain.history()) == 1
        await ws.close()


async def test_a_follower_gets_what_comes_and_ends_when_it_is_cancelled(tmp_path: Path) -> None:
    plant(tmp_path)
    async with sh.AsyncWorkspace(tmp_path) as ws:
        await ws.edit(FILES[0], [sh.Replace("line 1\n", "one\n")])
        got: asyncio.Queue[str] = asyncio.Queue()

        async def follow() -> None:
            async for event in ws.events(after=0, follow=True, poll=0.01):
                await got.put(event.type)

        follower = asyncio.create_task(follow())
        assert await got.get() == "edit"
        await ws.undo(last=True)
        assert await got.get() == "undo"
        follower.cancel()
        with pytest.raises(asyncio.CancelledError):
            await follower
    left = [each for each in threading.enumerate() if each.name.startswith("steadyhand-follow")]
    for each in left:
        each.join()


class CancelsAt(FaultStorage):
    """Calls `cancel` at its n-th call after `arm`, and goes on once the event loop has carried it out."""

    def __init__(self, *, watch: Any = "all") -> None:
        super().__init__(watch=watch)
        self.due: int | None = None
        self.cancel: Callable[[], None] = lambda: None

    def arm(self, at: int, loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any]) -> None:
        def cancel() -> None:
            done = threading.Event()
            loop.call_soon_threadsafe(lambda: (task.cancel(), done.set()))
            done.wait()

        self.due, self.cancel = self.count + at, cancel

    def _enter(self, name: str, *call: Any) -> Any:
        if self.due is not None and name in self.watched and self.count + 1 >= self.due:
            self.due = None
            self.cancel()
        return super()._enter(name, *call)


async def cancelled_at(root: Path, at: int, work: Callable[[sh.AsyncWorkspace], Any]) -> tuple[bool, bool]:
    """Cancel at the n-th storage call: whether it came to that, and whether the change was made. Laws are asserted."""
    before = tree(root)
    storage = CancelsAt()
    async with sh.AsyncWorkspace(root, storage=storage, lock_timeout=0.5) as ws:
        known = len(await ws.history())
        task = asyncio.ensure_future(work(ws))
        storage.arm(at, asyncio.get_running_loop(), task)
        try:
            await task
        except asyncio.CancelledError:
            pass
        was_armed = storage.due is not None
        storage.due = None
        calls = storage.count
        after = tree(root)
        records = await ws.history()
        is_made = len(records) > known
        assert (after != before) is is_made, "the tree and the journal agree"
        assert not [name for name in root.iterdir() if name.suffix not in (".txt", ".steadyhand") and name.is_file()]
        assert storage.count == calls, "no thread works on after the cancellation arrived"
        await ws.edit(FILES[0], [sh.Replace("line 19\n", "line 19\n\n")])  # no lock is held
        await ws.undo(last=True)
        if is_made:
            await ws.undo(records[0].record.id)
        assert (await ws.check()).ok
    assert tree(root) == before
    return not was_armed, is_made


@pytest.mark.sampled
@pytest.mark.parametrize("kind", ["apply", "transaction"])
async def test_a_call_that_is_cancelled_at_any_storage_call_is_made_or_not(kind: str, tmp_path: Path) -> None:
    plant(tmp_path)

    async def work(ws: sh.AsyncWorkspace) -> None:
        if kind == "apply":
            await ws.apply(all_files("new"))
            return
        async with ws.transaction() as batch:
            for name in FILES:
                await batch.edit(name, [sh.Replace("line 3\n", "new\n")])

    reached, at, made = True, 1, set()
    while reached:
        reached, is_made = await cancelled_at(tmp_path, at, work)
        made.add(is_made)
        at += 7 if WHOLE else 23
    assert made == {False, True}, "some moments are before the commit and some after"


async def test_calls_that_are_cancelled_at_random_leave_whole_changes(tmp_path: Path) -> None:
    plant(tmp_path)
    chance = random.Random(20)
    async with sh.AsyncWorkspace(tmp_path, actor="many") as ws:
        word = "line 3"
        for number in range(30):
            requests = sh.Requests(
                tuple(sh.EditFile(name, (sh.Replace(f"{word}\n", f"new {number}\n"),)) for name in FILES)
            )
            task = asyncio.create_task(ws.apply(requests))
            for _ in range(chance.randrange(2_000)):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            texts = set(tree(tmp_path).values())
            assert len(texts) == 1, "all files or none"
            word = f"new {number}" if f"new {number}\n" in texts.pop() else word
        assert (await ws.check()).ok


async def test_a_call_that_no_thread_has_begun_is_never_begun(tmp_path: Path) -> None:
    plant(tmp_path)
    gate = threading.Event()
    async with sh.AsyncWorkspace(tmp_path) as ws:
        busy = [asyncio.create_task(ws._change(lambda _: gate.wait())) for _ in range(THREADS)]  # every thread is taken
        late = asyncio.create_task(ws.edit(FILES[0], [sh.Replace("line 1\n", "one\n")]))
        await asyncio.sleep(0)
        late.cancel()
        with pytest.raises(asyncio.CancelledError):
            await late
        gate.set()
        await asyncio.gather(*busy)
        assert await ws.history() == []


async def test_a_call_of_a_batch_that_ran_out_of_time_does_not_end_the_transaction(tmp_path: Path) -> None:
    plant(tmp_path)
    async with sh.AsyncWorkspace(tmp_path) as ws:
        async with ws.transaction() as batch:
            given_up = asyncio.ensure_future(batch.edit(FILES[0], [sh.Replace("line 1\n", "one\n")]))
            given_up.cancel()
            await asyncio.gather(given_up, return_exceptions=True)
            await batch.edit(FILES[1], [sh.Replace("line 1\n", "one\n")])
        assert [file.path for file in batch.receipt.files] == [FILES[1]]
