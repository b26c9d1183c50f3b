"""What a scripted model does with every framework: an edit that is refused, the same edit put right, a closing word."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import steadyhand as sh

EXAMPLES = Path(__file__).parent.parent.parent / "examples"

BEFORE = "# Notes\n\nstatus: draft\n\n## Later\n\nstatus: draft\n"
AFTER = "# Notes\n\nstatus: done\n\n## Later\n\nstatus: draft\n"
CLOSING = "The first part is done."
TASK = "mark the first part as done"

TWICE: Mapping[str, object] = {
    "path": "notes.md",
    "old_content": "status: draft",
    "new_content": "status: done",
    "reason": "it is finished",
}
ONCE: Mapping[str, object] = {
    **TWICE,
    "old_content": "# Notes\n\nstatus: draft",
    "new_content": "# Notes\n\nstatus: done",
}
ELSEWHERE: Mapping[str, object] = {**TWICE, "path": "../notes.md"}

REFUSED = "ambiguous-match: old_content matches 2 places in notes.md"
HINT = "or set occurrence: 1-2, -1 last, 0 all"


def example(name: str) -> Callable[..., Any]:
    """What the example of a framework does."""
    edit: Callable[..., Any] = runpy.run_path(str(EXAMPLES / f"{name}.py"))["edit"]
    return edit


def check_answer(before: str) -> None:
    """What the model must have read before it put the edit right."""
    assert REFUSED in before
    assert HINT in before


def check_tree(root: Path, tool: str = "edit_file", reason: str | None = "it is finished") -> None:
    """One file was changed, once, and the journal has the tool and the reason."""
    assert (root / "notes.md").read_text(encoding="utf-8") == AFTER
    with sh.Workspace(root, actor="check") as ws:
        records = [entry.record for entry in ws.history()]
    assert [record.tool for record in records] == [tool]
    if reason is not None:
        assert [edit.reason or records[0].reason for edit in records[0].files[0].edits] == [reason]
