"""Many calls at once, calls that are taken back, calls that take too long: each ends whole and says so truly."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest

import steadyhand as sh
from steadyhand.errors import EditError
from steadyhand.surfaces.mcp import sessions
from steadyhand.surfaces.mcp.server import Service
from steadyhand.surfaces.mcp.sessions import CallDeadline, Calls, weight_of
from tests.mcp.clients import MODERN, in_memory, serving
from tests.mcp.wire import Hand, piped
from tests.sampling import WHOLE
from tests.tools.examples import tree

FILES = 150
MANY = 200 if WHOLE else 60


def many_files(root: Path, count: int = FILES) -> dict[str, Any]:
    """A tree, and the arguments of a call that edits all of it at once."""
    for number in range(count):
        (root / f"{number:03}.md").write_text(f"one {number}\n")
    edits = [{"target": "one", "new": "two"}]
    return {"files": [{"path": f"{number:03}.md", "edits": edits} for number in range(count)]}


def whole_state(root: Path) -> str:
    """Which of its two states a tree is in; a mixture fails."""
    words = {text.split()[0] for text in tree(root).values()}
    assert len(words) == 1, words
    return words.pop()


def said_in_audit(root: Path) -> str:
    """The state that the journal tells, and that of the tree after recovery."""
    with sh.Workspace(root, actor="reader") as workspace:
        records = workspace.history()
        assert workspace.check().problems == ()
    return "two" if records else "one"


@pytest.mark.sampled
def test_many_edits_of_one_file_at_once_are_all_there_and_reported_truly(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("".join(f"<{number}>\n" for number in range(MANY)))
    results: dict[int, Any] = {}

    async def run() -> None:
        async with in_memory(serving(tmp_path, toolsets=("surgical",))) as client, anyio.create_task_group() as tasks:

            async def edit(number: int) -> None:
                call = {"path": "a.md", "old_content": f"<{number}>", "new_content": f"<done {number}>"}
                results[number] = await client.call_tool("edit_file", call)

            for number in range(MANY):
                tasks.start_soon(edit, number)

    anyio.run(run)
    lines = (tmp_path / "a.md").read_text().splitlines()
    assert lines == [f"<done {number}>" for number in range(MANY)]
    for number, result in results.items():
        assert result.structured_content["success"] is True
        assert result.structured_content["lines"] == {"start": number + 1, "end": number + 1}
    with sh.Workspace(tmp_path, actor="reader") as workspace:
        assert len(workspace.history("a.md")) == MANY


@pytest.mark.sweep
def test_a_thousand_calls_in_flight_are_all_answered_rightly(tmp_path: Path) -> None:
    for number in range(10):
        (tmp_path / f"{number}.md").write_text(f"file {number}\n")

    def client(hand: Hand) -> None:
        sent = {
            hand.send("tools/call", {"name": "read", "arguments": {"path": f"{number % 10}.md"}}): number % 10
            for number in range(1_000)
        }
        for answer in (hand.next() for _ in range(len(sent))):
            assert answer["result"]["structuredContent"]["content"] == f"1: file {sent.pop(answer['id'])}"

    piped(serving(tmp_path), client)


def test_a_storm_of_cancellations_stops_only_what_it_names(tmp_path: Path) -> None:
    def client(hand: Hand) -> set[str]:
        hand.call("list", {})
        numbers = {}
        for file in (f"{number}.md" for number in range(40)):
            number = hand.send("tools/call", {"name": "write", "arguments": {"path": file, "content": "x\n"}})
            numbers[number] = file
            for odd in (number, str(number), 10**9, 1, None) if number % 2 else ():
                hand.tell("notifications/cancelled", requestId=odd)
        left, seen = {number for number in numbers if not number % 2}, set()
        while left:
            answer = hand.next()
            left.discard(answer["id"])
            seen.add(answer["id"])
        return {numbers[number] for number in seen}

    answered = piped(serving(tmp_path), client)
    written = set(tree(tmp_path))
    assert answered <= written
    with sh.Workspace(tmp_path, actor="reader") as workspace:
        assert {path for entry in workspace.history() for path in entry.record.paths} == written


def test_a_call_that_was_stopped_before_it_began_never_begins() -> None:
    deadline = CallDeadline()
    assert deadline.cancel("over") is False
    with pytest.raises(EditError, match="cancelled"):
        deadline.start()
    begun = CallDeadline()
    begun.start()
    assert begun.cancel("over") is True


def test_progress_is_reported_and_a_call_taken_back_leaves_all_or_nothing(tmp_path: Path) -> None:
    call = many_files(tmp_path)
    said: list[tuple[float, float | None]] = []
    service = Service(serving(tmp_path))

    async def run() -> None:
        async with in_memory(service) as client:
            await client.list_tools()
            with anyio.CancelScope() as scope:

                async def stop(done: float, total: float | None, message: str | None) -> None:
                    said.append((done, total))
                    scope.cancel()

                await client.call_tool("edit", call, progress_callback=stop)
            while service.running[0].calls.is_busy:
                await anyio.sleep(0.01)

    anyio.run(run)
    assert said
    assert said[0][1] == FILES
    assert whole_state(tmp_path) == said_in_audit(tmp_path)
    if whole_state(tmp_path) == "one":
        with sh.Workspace(tmp_path, actor="reader") as workspace:
            kinds = [event.to_json() for event in workspace.events(after=0, follow=False, types=("refusal",))]
        assert "cancelled" in json.dumps(kinds)


def test_a_client_that_goes_away_in_the_middle_leaves_all_or_nothing(tmp_path: Path) -> None:
    call = many_files(tmp_path)

    async def run() -> None:
        begun = anyio.Event()

        async def tell(done: float, total: float | None, message: str | None) -> None:
            begun.set()

        with anyio.CancelScope() as gone:
            async with in_memory(serving(tmp_path)) as client, anyio.create_task_group() as tasks:

                async def edit() -> None:
                    await client.call_tool("edit", call, progress_callback=tell)

                tasks.start_soon(edit)
                await begun.wait()
                gone.cancel()

    anyio.run(run)
    assert whole_state(tmp_path) == said_in_audit(tmp_path)


def test_a_call_that_takes_too_long_is_stopped_and_changes_nothing(tmp_path: Path) -> None:
    call = many_files(tmp_path)

    async def run() -> Any:
        async with in_memory(serving(tmp_path, seconds=0.0)) as client:
            return await client.call_tool("edit", call)

    result = anyio.run(run)
    assert result.is_error
    assert result.structured_content["kind"] == "timed-out"
    assert result.structured_content["hint"]
    assert whole_state(tmp_path) == "one" == said_in_audit(tmp_path)


def test_what_was_not_begun_when_the_server_ends_is_never_begun() -> None:
    begun: list[int] = []
    release = threading.Event()

    def work(number: int) -> None:
        begun.append(number)
        release.wait(300)

    async def run() -> list[str]:
        calls = Calls()
        kinds: list[str] = []

        async def call(number: int) -> None:
            try:
                await calls.run(lambda _: work(number), CallDeadline())
            except EditError as error:
                kinds.append(str(error.kind))

        async with anyio.create_task_group() as tasks:
            for number in range(50):
                tasks.start_soon(call, number)
            while len(begun) < 8:
                await anyio.sleep(0.005)
            calls.end("it is over")
            release.set()
        calls.close()
        with pytest.raises(EditError, match="cancelled"):
            await calls.run(lambda _: None, CallDeadline())
        return kinds

    assert anyio.run(run) == ["cancelled"] * 42
    assert len(begun) == 8


def test_a_call_whose_caller_gives_up_is_cancelled_and_waited_for() -> None:
    async def run() -> str:
        calls = Calls()
        ended: list[str] = []

        def work(deadline: CallDeadline) -> None:
            try:
                while True:
                    deadline.tick()
            except EditError as error:
                ended.append(str(error.kind))
                raise

        with anyio.move_on_after(0.05):
            await calls.run(work, CallDeadline())
        calls.close()
        return ended[0]

    assert anyio.run(run) == "cancelled"


def test_calls_one_after_another_are_done_by_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_TRIMS", float("inf"))
    burst = threading.Barrier(8)

    async def run() -> set[int]:
        calls = Calls()
        async with anyio.create_task_group() as tasks:
            for _ in range(8):
                tasks.start_soon(calls.run, lambda _: burst.wait(300), CallDeadline())
        used = {await calls.run(lambda _: threading.get_ident(), CallDeadline()) for _ in range(50)}
        calls.close()
        return used

    assert len(anyio.run(run)) == 1


def test_no_call_begins_in_a_thread_that_could_not_be_confined() -> None:
    begun: list[int] = []

    def confine() -> None:
        raise PermissionError("no sandbox")

    async def run() -> None:
        calls = Calls(confine)
        for _ in range(3):
            with pytest.raises(PermissionError):
                await calls.run(lambda _: begun.append(1), CallDeadline())
        assert not calls.is_busy
        calls.close()

    anyio.run(run)
    assert begun == []


def test_more_than_can_be_held_is_refused_at_once_and_not_died_of() -> None:
    calls = Calls()
    with calls.taken(60_000_000):
        with pytest.raises(EditError) as refused, calls.taken(10_000_000):
            pass
        with calls.taken(1_000_000):
            pass
    assert refused.value.kind == "busy"
    calls.close()


def test_the_weight_of_arguments_is_about_their_characters() -> None:
    assert 1_000 <= weight_of({"a": "x" * 900, "b": [{"c": "y" * 90}, 1, None]}) <= 1_100


def test_a_bug_is_answered_without_its_words(tmp_path: Path) -> None:
    """A root that is taken away under the server is the nearest thing to a bug that can be made from outside."""
    (tmp_path / "root").mkdir()
    served = serving(tmp_path / "root")
    (tmp_path / "root").rmdir()

    async def run() -> Any:
        async with in_memory(served, MODERN) as client:
            return await client.call_tool("read", {"path": "a.md"})

    result = anyio.run(run)
    assert result.is_error
    assert str(tmp_path) not in result.content[0].text
    assert "Traceback" not in result.content[0].text
