"""Every change a native tool makes is in the journal under the tool's name."""

from __future__ import annotations

from pathlib import Path

from tests.table import table
from tests.tools.ground import TOOLS, make, tree

OLD, NEW = {"old_string": "one"}, {"new_string": "1"}
FILE = {"file_path": "a.txt"}
CALLS: dict[str, dict[str, object]] = {
    "Edit": {**FILE, **OLD, **NEW},
    "MultiEdit": {**FILE, "edits": [{**OLD, **NEW}]},
    "Write": {"file_path": "new.txt", "content": "x\n"},
    "replace": {**FILE, **OLD, **NEW, "instruction": "digits"},
    "write_file": {"file_path": "new.txt", "content": "x\n"},
    "text_editor": {"command": "str_replace", "path": "a.txt", "old_str": "one", "new_str": "1"},
    "memory": {"command": "create", "path": "/memories/n.txt", "file_text": "x\n"},
    "apply_patch": {"type": "update_file", "path": "a.txt", "diff": "@@\n-one\n+1\n"},
}


@table("name", CALLS)
def test_the_tool_is_named_and_the_change_can_be_undone(tmp_path: Path, name: str) -> None:
    workspace = make(tmp_path, {"a.txt": "one\ntwo\n"}, tool="host")
    tool = TOOLS[name]
    answer = tool(workspace, CALLS[name], model="m-1")
    assert not answer.is_error, answer
    (entry,) = workspace.history()
    assert (entry.record.tool, entry.record.model) == (tool.name, "m-1")
    assert entry.record.call is not None
    assert entry.record.call.toolset == tool.toolset
    assert workspace.tool == "host"
    workspace.undo(entry.record.id)
    assert tree(tmp_path) == {"a.txt": b"one\ntwo\n"}
