"""A change that went through but may not survive a power cut is a success that says so, whichever tool made it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import steadyhand as sh
from tests.faults.storage import FaultStorage
from tests.table import table

PAGE = "<p>one</p>\n"
ELEMENT = {"selector": "p", "action": "setText", "value": "two"}
PASSAGE = {"search": "one", "replace": "two"}
RANGE = {"range": {"start": 1, "end": 1}, "newText": "<p>two</p>"}
DIFF = "@@ -1 +1 @@\n-<p>one</p>\n+<p>two</p>\n"
LINE = {"lines": {"start": 1, "end": 1}}
CALLS: list[tuple[str, str, dict[str, Any]]] = [
    (
        "article",
        "edit_article",
        {"path": "a.html", "edits": [{"old_string": "one", "new_string": "two", "reason": "r"}]},
    ),
    ("article", "write_file", {"path": "new.html", "content": "x\n"}),
    ("vault", "TextReplace", {"filePath": "a.html", "oldText": "one", "newText": "two"}),
    ("vault", "TextPatch", {"filePath": "a.html", "operation": "replace", "target": LINE, "content": "<p>two</p>"}),
    ("surgical", "edit_file", {"path": "a.html", "old_content": "one", "new_content": "two"}),
    ("surgical", "patch_file", {"path": "a.html", "patch": DIFF}),
    ("surgical", "insert_at", {"path": "a.html", "line": 1, "content": "<p>two</p>"}),
    ("site", "editDOM", {"file": "a.html", "operations": [ELEMENT]}),
    ("site", "editFile", {"file": "a.html", "operations": [PASSAGE]}),
    ("site", "editFiles", {"edits": [{"file": "a.html", "domOperations": [ELEMENT]}]}),
    ("site", "editFiles", {"edits": [{"file": "a.html", "replaceOperations": [PASSAGE]}], "atomic": True}),
    ("site", "writeFiles", {"files": [{"file": "new.html", "content": "x\n"}]}),
    ("coder", "write_patch", {"path": "a.html", "patch": DIFF}),
    ("coder", "apply_edits", {"path": "a.html", "edits": [RANGE]}),
    ("core", "edit", {"path": "a.html", "edits": [{"target": "one", "new": "two"}]}),
    ("core", "write", {"path": "new.html", "content": "x\n"}),
]


def called(root: Path, storage: FaultStorage, toolset: str, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The answer of a call on a storage; what makes the journal comes before it."""
    root.mkdir()
    (root / "a.html").write_text(PAGE)
    with sh.Workspace(root, actor="host") as workspace:
        workspace.create("first.txt", "first\n")
    with sh.Workspace(root, actor="host", storage=storage) as workspace:
        return workspace.tools(toolset).call(tool, dict(arguments))


@table(("toolset", "tool", "sent"), CALLS, ids=[f"{row[0]}.{row[1]}" for row in CALLS])
def test_a_lost_directory_sync_is_a_success_that_says_so(
    toolset: str, tool: str, sent: dict[str, Any], tmp_path: Path
) -> None:
    counted = FaultStorage(watch="mutating")
    usual = called(tmp_path / "usual", counted, toolset, tool, sent)
    assert "durable" not in str(usual)
    last = len(counted.mutations) - counted.mutations[::-1].index("fsync_dir")
    answer = called(tmp_path / "lossy", FaultStorage(at=last, watch="mutating"), toolset, tool, sent)
    (said, *_) = answer.get("results", [answer]) if tool in ("editFiles", "writeFiles") else [answer]
    assert (said.get("success") or said.get("status")) in (True, "success")
    assert said["durable"] is False
    changed = "new.html" if "new.html" in str(sent) else "a.html"
    left, wanted = ((tmp_path / where / changed).read_text() for where in ("lossy", "usual"))
    assert left == wanted
