"""A conversation over real HTTP: what becomes of it when the model does well, badly, or nothing at all."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from steadyhand.agents.model import Model, ModelError, named_model, opened
from steadyhand.agents.runner import Ended, KitToolbox, Limits, ModelConversation
from steadyhand.tools.framework_calls import Made
from tests.agents.scripted_server import (
    Call,
    Calls,
    Cut,
    Drop,
    Endless,
    EventLoopClock,
    Raw,
    ScriptedServer,
    Slow,
    Status,
    Whole,
    scripted,
    scripted_server,
    text_of,
)

QUICK = Limits(pause=0.01)


def edit(old: str, new: str, path: str = "a.md") -> Call:
    return Call("edit", {"path": path, "edits": [{"target": old, "new": new, "reason": "asked for"}]})


EDIT = edit("two", "2")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text("one\ntwo\nthree\n")
    return tmp_path


def hold(root: Path, server: ScriptedServer, limits: Limits = QUICK) -> tuple[Ended, list[Any]]:
    steps: list[Any] = []
    with sh.Workspace(root, actor="model", task="T-1") as ws:
        model = named_model("openai-chat:scripted", base_url=server.url)
        toolbox = KitToolbox(ws.tools("core"))
        conversation = ModelConversation(model, toolbox, "Do it.", limits=limits, watch=steps.append)
        return asyncio.run(say(conversation, model, "Make two a digit.")), steps


async def say(conversation: ModelConversation, model: Model, text: str) -> Ended:
    async with opened(model):
        return await conversation.say(text)


def text(root: Path) -> str:
    return (root / "a.md").read_text()


def test_a_call_is_made_and_answered_and_counted(root: Path) -> None:
    with scripted_server(EDIT, "All done.") as server:
        ended, steps = hold(root, server)
    assert text(root) == "one\n2\nthree\n"
    assert (ended.stop, ended.text, ended.turns, ended.calls) == ("done", "All done.", 2, 1)
    assert ended.tokens.to_json() == {"input": 200, "output": 20}
    assert ended.tool_usage() == {"edit": {"calls": 1, "refused": 0}}
    answer = server.requests[1]["messages"][-1]
    assert answer["role"] == "tool"
    assert text_of(answer).startswith("edited a.md:2 [id ")
    assert [step.tool for step in steps if isinstance(step, Made)] == ["edit"]


def test_a_server_that_cannot_stream_is_asked_for_whole_replies(root: Path) -> None:
    with scripted_server(Whole(EDIT), Whole(EDIT), Whole("All done.")) as server:
        ended, _ = hold(root, server)
    assert text(root) == "one\n2\nthree\n"
    assert [bool(request.get("stream")) for request in server.requests] == [True, False, False]
    assert (ended.stop, ended.text, ended.turns, ended.calls, ended.retries) == ("done", "All done.", 2, 1, 0)
    assert ended.tokens.to_json() == {"input": 200, "output": 20}


def test_a_whole_reply_has_the_limit_of_a_streamed_one(root: Path) -> None:
    with scripted_server(Whole("x" * 1_000_001)) as server:
        ended, _ = hold(root, server)
    assert ended.stop == "model"
    assert "longer than 1,000,000 characters" in (ended.error or "")


def test_calls_of_one_reply_are_made_in_order(root: Path) -> None:
    with scripted_server(Calls((EDIT, edit("2", "II"))), "Done.") as server:
        ended, _ = hold(root, server)
    assert text(root) == "one\nII\nthree\n"
    assert ended.calls == 2


def test_a_refusal_goes_back_to_the_model(root: Path) -> None:
    with scripted_server(edit("nowhere at all", "x"), EDIT, "Done.") as server:
        ended, _ = hold(root, server)
    assert text(root) == "one\n2\nthree\n"
    assert "no-match" in text_of(server.requests[1]["messages"][-1])
    assert ended.tool_usage() == {"edit": {"calls": 2, "refused": 1}}


@pytest.mark.parametrize(
    "written",
    [
        "```json\n" + json.dumps({"name": "edit", "arguments": EDIT.arguments}) + "\n```",
        "<tool_call>\n" + json.dumps({"name": "edit", "arguments": EDIT.arguments}) + "\n</tool_call>",
        f"<function=edit>{json.dumps(EDIT.arguments)}</function>",
    ],
)
def test_a_call_written_as_text_is_made_and_the_model_is_reported(root: Path, written: str) -> None:
    with scripted_server(f"I will edit it.\n{written}\n", "Done.") as server:
        ended, _ = hold(root, server)
    assert text(root) == "one\n2\nthree\n"
    assert (ended.as_text, ended.calls, ended.stop) == (1, 1, "done")
    said = text_of(server.requests[1]["messages"][-1])
    assert "through the tool-call interface" in said
    assert "Answer of edit:\nedited a.md:2 [id " in said


def test_garbage_arguments_are_refused_and_the_conversation_goes_on(root: Path) -> None:
    steps = [Call("edit", '{"path": "a.md", "edits": [{'), Call("edit", "\ufffd"), Call("nothing", {}), EDIT, "Done."]
    with scripted_server(*steps) as server:
        ended, _ = hold(root, server)
    assert text(root) == "one\n2\nthree\n"
    assert ended.stop == "done"
    assert ended.tool_usage()["edit"] == {"calls": 3, "refused": 2}


@pytest.mark.parametrize("written", ["", '```json\n{"name": "edit", "arguments": '])
def test_a_model_whose_call_was_cut_off_learns_so(root: Path, written: str) -> None:
    half = '{"path": "a.md", "edits": [{"target": "two"'
    with scripted_server(Cut(f"{written}{half}" if written else Call("edit", half)), EDIT, "Done.") as server:
        ended, _ = hold(root, server)
    assert (ended.stop, ended.calls) == ("done", 2)
    assert "Send a shorter one" in text_of(server.requests[1]["messages"][-1])
    assert "Send a shorter one" not in text_of(server.requests[2]["messages"][-1])


def test_a_rate_limit_is_waited_for_as_long_as_it_says(root: Path) -> None:
    with scripted_server(Status(429, "0"), Status(429), Status(503), EDIT, "Done.") as server:
        ended, steps = hold(root, server)
    assert text(root) == "one\n2\nthree\n"
    assert (ended.stop, ended.retries, ended.turns) == ("done", 3, 2)
    assert [step.wait for step in steps if isinstance(step, ModelError)] == [0.0, None, None]


def test_a_wait_that_is_longer_than_there_is_time_is_not_begun(root: Path) -> None:
    with scripted_server(Status(429, "3600")) as server:
        ended, _ = hold(root, server)
    assert (ended.stop, ended.retries) == ("model", 0)
    assert "3600 seconds" in (ended.error or "")


def test_a_dropped_connection_makes_no_half_call(root: Path) -> None:
    with scripted_server(Drop(400, EDIT), Drop(), EDIT, Drop(), "Done.") as server:
        ended, _ = hold(root, server)
    assert text(root) == "one\n2\nthree\n"
    assert (ended.stop, ended.retries, ended.calls) == ("done", 3, 1)


def test_an_error_that_stays_ends_the_conversation(root: Path) -> None:
    with scripted_server(Status(401)) as server:
        ended, _ = hold(root, server)
    assert (ended.stop, ended.retries, len(server.requests)) == ("model", 0, 1)
    with scripted_server(Status(500)) as server:
        ended, _ = hold(root, server, Limits(pause=0.001, retries=2))
    assert (ended.stop, ended.retries, len(server.requests)) == ("model", 2, 3)
    assert "(3 tries)" in (ended.error or "")


def test_a_slow_answer_ends_at_the_limit_and_what_was_done_stays(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = EventLoopClock(monkeypatch)
    with scripted_server(EDIT, Slow(lambda: clock.move_on(500.0))) as server:
        ended, _ = hold(root, server, Limits(seconds=500.0))
    assert (ended.stop, ended.calls) == ("time", 1)
    assert text(root) == "one\n2\nthree\n"


def test_limits_on_turns_calls_and_tokens(root: Path) -> None:
    reads = [Call("read", {"path": "a.md", "start": number}) for number in range(1, 4)]
    for limits, stop in (
        (Limits(turns=2), "turns"),
        (Limits(calls=2), "calls"),
        (Limits(tokens=150), "tokens"),
    ):
        with scripted_server(*reads) as server:
            ended, _ = hold(root, server, limits)
        assert ended.stop == stop
        assert ended.error


def test_a_model_that_repeats_itself_is_warned_and_then_stopped(root: Path) -> None:
    with scripted_server(edit("nowhere at all", "x")) as server:
        ended, _ = hold(root, server)
    assert (ended.stop, ended.calls) == ("loop", 4)
    assert "Do something else" not in text_of(server.requests[1]["messages"][-1])
    assert "this call 2 times" in text_of(server.requests[2]["messages"][-1])


def test_a_reply_without_end_is_cut_off(root: Path) -> None:
    with scripted_server(Endless()) as server:
        ended, _ = hold(root, server)
    assert ended.stop == "model"
    assert "longer than 1,000,000 characters" in (ended.error or "")
    assert server.sent < 100_000_000


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\xfe\x00garbage",
        b'data: {"choices": [{"index": 0, "delta": {"content": "\xff\xfe"}}]}\n\ndata: [DONE]\n\n',
        b"data: " + b"[" * 100_000 + b"\n\n",
        b"data: {}\n\ndata: [DONE]\n\n",
    ],
)
def test_what_is_no_reply_ends_the_conversation(root: Path, body: bytes) -> None:
    with scripted_server(Raw(body)) as server:
        ended, _ = hold(root, server, Limits(pause=0.001, retries=1))
    assert ended.stop in ("model", "done")
    assert text(root) == "one\ntwo\nthree\n"


def test_nested_arguments_are_refused(root: Path) -> None:
    deep = '{"path": ' + "[" * 50_000 + "]" * 50_000 + "}"
    with scripted_server(Call("edit", deep), f"```json\n{deep}\n```", "Done.") as server:
        ended, _ = hold(root, server)
    assert ended.stop == "done"
    assert text(root) == "one\ntwo\nthree\n"


def test_the_transcript_has_everything_that_was_said(root: Path) -> None:
    with scripted_server(EDIT, "Done.") as server, sh.Workspace(root) as ws:
        model = named_model("openai-chat:scripted", base_url=server.url)
        conversation = ModelConversation(model, KitToolbox(ws.tools("core")), "Do it.")
        asyncio.run(say(conversation, model, "Go."))
    roles = [each["role"] for each in conversation.transcript()]
    assert roles == ["system", "user", "assistant", "tool", "assistant"]
    json.dumps(conversation.transcript())


def test_a_cancelled_conversation_leaves_nobody_writing(root: Path) -> None:
    async def cancelled(server: ScriptedServer, ws: sh.Workspace) -> None:
        model = named_model("openai-chat:scripted", base_url=server.url)
        made = asyncio.Event()
        conversation = ModelConversation(
            model, KitToolbox(ws.tools("core")), "", watch=lambda step: made.set() if isinstance(step, Made) else None
        )
        task = asyncio.create_task(say(conversation, model, "Go."))
        await made.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with scripted_server(EDIT, Slow()) as server, sh.Workspace(root) as ws:
        asyncio.run(cancelled(server, ws))
        assert len(ws.history()) == 1
    assert text(root) == "one\n2\nthree\n"


def test_a_model_that_there_is_not_is_refused() -> None:
    with pytest.raises(sh.EditError) as refused:
        named_model("nobody:nothing")
    assert refused.value.kind is sh.Kind.BAD_REQUEST
    with pytest.raises(sh.EditError) as refused:
        named_model("anthropic:x", base_url="http://127.0.0.1:9/v1")
    assert refused.value.kind is sh.Kind.BAD_REQUEST


def test_a_model_is_asked_in_one_event_loop_after_another(root: Path) -> None:
    with scripted_server("Nothing to do.") as server, sh.Workspace(root) as ws:
        model = named_model("openai-chat:scripted", base_url=server.url)
        for _ in range(3):
            conversation = ModelConversation(model, KitToolbox(ws.tools("core")), "", limits=Limits(retries=0))
            assert asyncio.run(say(conversation, model, "Go.")).stop == "done"
    assert len(server.requests) == 3


def users(request: dict[str, Any], word: str) -> int:
    """How many messages to the model have a word."""
    return sum(word in text_of(message) for message in request["messages"] if message["role"] == "user")


class Reviewing(ScriptedServer):
    """Comments on the change of line two as soon as the model has made it."""

    root = Path()

    def next_step(self, request: dict[str, Any]) -> Any:
        if any(message["role"] == "tool" for message in request["messages"]) and not users(request, "why not roman"):
            with sh.Workspace(self.root, actor="ann") as ann:
                review = ann.review(task="T-1")
                (change,) = [each for each in review if each.after == "2\n"]
                if not change.comments:
                    review.comment(change.id, "why not roman?")
        return super().next_step(request)


def test_a_model_hears_once_what_reviewers_say_before_and_between_turns(root: Path) -> None:
    with sh.Workspace(root, actor="model", task="T-1") as ws:
        ws.edit("a.md", [sh.Replace("three", "THREE")])
    with sh.Workspace(root, actor="ann") as ann:
        review = ann.review()
        review.reject([review.changes[0].id], "too loud")
    Reviewing.root = root
    with scripted((EDIT, "Done.", "A digit is shorter."), Reviewing) as server:
        ended, _ = hold(root, server)
    assert (ended.stop, ended.text, ended.turns) == ("done", "A digit is shorter.", 3)
    assert [users(request, "too loud") for request in server.requests] == [1, 1, 1]
    assert [users(request, "why not roman") for request in server.requests] == [0, 0, 1]
    said = text_of(next(each for each in server.requests[0]["messages"] if "too loud" in text_of(each)))
    (item,) = json.loads(said.splitlines()[-1])
    assert (item["state"], item["yours"], item["now"], item["startLine"]) == ("rejected", "THREE\n", "three\n", 3)
    with scripted_server("Nothing is left to do.") as server:
        hold(root, server)
    assert not users(server.requests[0], "too loud") + users(server.requests[0], "roman"), "nothing is said twice"
