"""Threads that share a workspace write rows of one journal, and others that write meanwhile."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from steadyhand.workspace.journal import log
from steadyhand.workspace.journal.log import Row, RowType
from steadyhand.workspace.journal.record import Party, SeenVersion, State
from steadyhand.workspace.journal.sqlite import SqliteJournal
from tests.workspace.journal.sample_records import STAGING, commit, record


def test_a_row_of_another_thread_between_two_steps_of_a_settlement_is_no_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "ab":
        (tmp_path / f"{name}.md").write_text("one\n")
    with sh.Workspace(tmp_path) as ws:
        ws.edit("b.md", [sh.Replace("one", "two")])
        make_row, others = log.row_after, [lambda: ws.edit("b.md", [sh.Replace("two", "three")])]

        def row_after(head: log.Head, kind: RowType, *rest: Any) -> Row:
            row = make_row(head, kind, *rest)
            if others and kind is RowType.COMMITTED:
                thread = threading.Thread(target=others.pop())
                thread.start()
                thread.join()
            return row

        monkeypatch.setattr(log, "row_after", row_after)
        receipt = ws.edit("a.md", [sh.Replace("one", "1")])
        assert (receipt.durable, others) == (True, [])
        assert (tmp_path / "b.md").read_text() == "three\n"
        assert ws.check().ok


@pytest.mark.parametrize("work", ["prepare", "settle", "append_note", "see", "gc"])
def test_a_write_that_meets_another_is_made_when_that_is_over(tmp_path: Path, work: str) -> None:
    party = Party("agent", "task")
    with SqliteJournal(tmp_path) as journal:
        commit(journal, record())
        made = record()
        if work == "settle":
            journal.prepare(made, STAGING, {})
        writes: dict[str, Callable[[], object]] = {
            "prepare": lambda: journal.prepare(made, STAGING, {}),
            "settle": lambda: journal.settle(made.id, State.COMMITTED),
            "append_note": lambda: journal.append_note("a", {}),
            "see": lambda: journal.see_all(party, {"a.md": (SeenVersion("0" * 64, 1),)}),
            "gc": journal.gc,
        }
        other = sqlite3.connect(tmp_path / "journal.sqlite", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        asked, ended = threading.Event(), threading.Event()

        def write() -> None:
            asked.set()
            writes[work]()
            ended.set()

        thread = threading.Thread(target=write)
        thread.start()
        assert asked.wait(300)
        assert not ended.wait(0.05)
        other.execute("ROLLBACK")
        other.close()
        thread.join()
        assert ended.is_set()
        assert journal.verify() == []
