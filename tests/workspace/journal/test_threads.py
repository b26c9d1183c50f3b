"""Threads that share a workspace write rows of one journal."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from steadyhand.workspace.journal import log
from steadyhand.workspace.journal.log import Row, RowType


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
