"""A call that never asks whether to go on is answered all the same, and so is one that nobody has time for."""

from __future__ import annotations

import threading
from collections.abc import Callable

import anyio
import pytest

from steadyhand.errors import EditError
from steadyhand.surfaces.mcp import sessions
from steadyhand.surfaces.mcp.sessions import HARDEST, CallDeadline, Calls


def refusal_of(held: Calls, work: Callable[[CallDeadline], object]) -> EditError:
    async def run() -> EditError:
        with pytest.raises(EditError) as refused:
            await held.run(work, CallDeadline())
        return refused.value

    return anyio.run(run)


def test_no_call_is_given_more_than_the_longest_time() -> None:
    assert CallDeadline(10 * HARDEST).seconds == HARDEST


def test_a_call_that_never_asks_whether_to_go_on_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "HARDEST", 0.05)
    release, ended, answer = threading.Event(), threading.Event(), []

    def work(deadline: CallDeadline) -> None:
        release.wait(300)
        try:
            deadline.tick()
        except EditError as error:
            answer.append(str(error.kind))
            raise
        finally:
            ended.set()

    held = Calls()
    refused = refusal_of(held, work)
    assert refused.kind == "timed-out"
    assert refused.hint
    release.set()
    assert ended.wait(300)
    held.close()
    assert len(answer) == 1, "it was asked to stop, and stops before it changes anything"


def test_a_call_that_nobody_has_time_for_is_refused_and_never_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_QUEUED", 0.05)
    monkeypatch.setattr(sessions, "_THREADS", 1)
    held, release, idle, begun = Calls(), threading.Event(), threading.Event(), []
    held.prepare(lambda: release.wait(300))
    refused = refusal_of(held, lambda _: begun.append(1))
    assert refused.kind == "busy"
    assert refused.hint
    release.set()
    held.prepare(idle.set)
    assert idle.wait(300)
    held.close()
    assert begun == []
