"""How often a commit waits for the server: what counts where the server is far away."""

from __future__ import annotations

from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.lazy import replace
from steadyhand.workspace.journal.record import State
from tests.postgres.conftest import Opener
from tests.postgres.proxy import Proxy
from tests.workspace.journal.sample_records import STAGING, record

KEYS = ["docs/a.md"]


def test_a_commit_waits_for_the_server_at_most_six_times(proxy: Proxy, through: str, opener: Opener) -> None:
    journal = opener(url=through)
    counts = []
    for _ in range(12):
        before = proxy.round_trips
        with journal.recalling(KEYS):
            journal.latest(KEYS[0])
        with journal.hold(KEYS, timeout=300) as hold:
            made = record()
            journal.prepare(made, replace(STAGING, lock_keys=KEYS, fence=hold.number), {})
            assert journal.still_holds(hold, KEYS)
            journal.settle(made.id, State.COMMITTED)
        counts.append(proxy.round_trips - before)
    assert max(counts[-5:]) <= 6, counts  # before that psycopg prepares the statements
    assert [entry.state for entry in journal.entries()] == [State.COMMITTED] * 12
    assert journal.verify() == []


@pytest.mark.parametrize("task", [None, "a-task"])
def test_an_edit_waits_for_the_server_at_most_nine_times(
    proxy: Proxy, through: str, tmp_path: Path, task: str | None
) -> None:
    (tmp_path / "a.txt").write_text("".join(f"line {number}\n" for number in range(30)))
    with sh.Workspace(tmp_path, journal=through, actor="ann", task=task) as ws:
        ws.read("a.txt")
        counts = []
        for number in range(15):
            before = proxy.round_trips
            ws.edit("a.txt", [sh.Replace(f"line {number}\n", f"LINE {number}\n")])
            counts.append(proxy.round_trips - before)
        assert max(counts[-5:]) <= 9, counts
        assert len(ws.history()) == 15


def test_another_process_that_writes_meanwhile_costs_a_look_and_nothing_else(opener: Opener) -> None:
    journal, other = opener(), opener()
    for number in range(6):
        with journal.hold(KEYS, timeout=300) as hold:
            made = record()
            other.append_note("report", {"number": number})
            journal.prepare(made, replace(STAGING, lock_keys=KEYS, fence=hold.number), {})
            other.append_note("report", {"number": number})
            journal.settle(made.id, State.COMMITTED)
    assert [entry.state for entry in journal.entries()] == [State.COMMITTED] * 6
    assert journal.verify() == []
