"""Every change a native tool makes is in the journal under the tool's name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from steadyhand.session.workspace import Workspace
from steadyhand.tools.answer import Answer
from steadyhand.tools.claude import memory, text_editor
from steadyhand.tools.claude_code import edit, multi_edit, write
from steadyhand.tools.gemini import replace, write_file
from steadyhand.tools.openai import apply_patch

Tool = Callable[[Workspace, dict[str, object]], Answer]

OLD, NEW = {"old_string": "one"}, {"new_string": "1"}
FILE = {"file_path": "a.txt"}
CALLS: list[tuple[str, Tool, dict[str, object]]] = [
    ("Edit", edit.run, {**FILE, **OLD, **NEW}),
    ("MultiEdit", multi_edit.run, {**FILE, "edits": [{**OLD, **NEW}]}),
    ("Write", write.run, {"file_path": "new.txt", "content": "x\n"}),
    ("replace", replace.run, {**FILE, **OLD, **NEW, "instruction": "digits"}),
    ("write_file", write_file.run, {"file_path": "new.txt", "content": "x\n"}),
    (
        "str_replace_based_edit_tool",
        text_editor.run,
        {"command": "str_replace", "path": "a.txt", "old_str": "one", "new_str": "1"},
    ),
    ("memory", memory.run, {"command": "create", "path": "/memories/n.txt", "file_text": "x\n"}),
    ("apply_patch", apply_patch.run, {"type": "update_file", "path": "a.txt", "diff": "@@\n-one\n+1\n"}),
]


@pytest.mark.parametrize(("name", "tool", "arguments"), CALLS, ids=[name for name, _, _ in CALLS])
def test_the_tool_is_named_and_the_change_can_be_undone(
    tmp_path: Path, name: str, tool: Tool, arguments: dict[str, object]
) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    with Workspace(tmp_path, tool="host") as workspace:
        answer = tool(workspace, arguments)
        assert not answer.is_error, answer
        (entry,) = workspace.history()
        assert entry.record.tool == name
        assert workspace.tool == "host"
        workspace.undo(entry.record.id)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "one\ntwo\n"
