"""Where nothing may be changed, no call of any tool, however it is formed, changes anything beneath the root."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from steadyhand.tools.result import failed, refusal_kind
from steadyhand.tools.toolsets import tools_of, toolsets
from tests.hostile.attacks import snapshot
from tests.hostile.test_read_only import FOR_WRITING, MUTATING, REPOSITORY, _strace
from tests.table import table
from tests.tools.examples import filled
from tests.tools.surrounded import Ground, maker_for, prepare_ground

WAYS: dict[str, dict[str, Any]] = {
    "read_only": {"read_only": True},
    "analyze": {"mode": "analyze"},
    "research": {"mode": "research"},
    "modify and read_only": {"mode": "modify", "read_only": True},
}
MALFORMED = max(int(os.environ.get("STEADYHAND_CALLS", "25")) // 25, 1)  # of each example

# Calls that would change something, by ways that the examples do not go; `$id` is a change that could be undone.
CHANGES: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "core": [
        ("undo", {"id": "$id"}),
        ("undo", {"last": True}),
        ("undo", {"task": "before"}),
        ("undo", {"id": "$id", "dry_run": True}),
        ("edit", {"path": "crlf.md", "rename_to": "new/deep/crlf.md"}),
        ("edit", {"path": "new/deep/x.md", "create": "x\n"}),
        ("edit", {"path": "new/deep/x.md", "create": "x\n", "dry_run": True}),
        ("edit", {"glob": "**/*.md", "edits": [{"target": "one", "new": "1"}], "partial": True}),
        ("edit", {"patch": "--- /dev/null\n+++ b/new/p.md\n@@ -0,0 +1 @@\n+x\n"}),
        ("edit", {"patch": "diff --git a/crlf.md b/crlf.md\nold mode 100644\nnew mode 100755\n"}),
        ("write", {"path": "empty.md", "content": "x\n"}),
    ],
    "claude": [
        ("str_replace_editor", {"command": "undo_edit", "path": "crlf.md"}),
        ("str_replace_editor", {"command": "create", "path": "new/deep/x.md", "file_text": "x"}),
        ("str_replace_editor", {"command": "insert", "path": "empty.md", "insert_line": 0, "insert_text": "x"}),
        ("memory", {"command": "create", "path": "/memories/new/deep/x.md", "file_text": "x"}),
        ("memory", {"command": "delete", "path": "/memories/sub"}),
        ("memory", {"command": "rename", "old_path": "/memories/sub", "new_path": "/memories/new/sub"}),
    ],
    "openai": [
        ("apply_patch", {"type": "update_file", "path": "crlf.md", "diff": "", "move_to": "new/crlf.md"}),
        ("apply_patch", {"type": "create_file", "path": "new/deep/x.md", "diff": "+x\n"}),
        ("apply_patch", {"type": "delete_file", "path": "empty.md"}),
    ],
    "coder": [
        ("write_patch", {"path": "new/x.md", "patch": "--- /dev/null\n+++ b/new/x.md\n@@ -0,0 +1 @@\n+x\n"}),
        ("apply_edits", {"path": "empty.md", "edits": [{"range": {"start": 1, "end": 0}, "newText": "x"}]}),
    ],
    "surgical": [
        ("patch_file", {"path": "crlf.md", "patch": "@@\n-one\n+1\n"}),
        ("insert_at", {"path": "empty.md", "line": -1, "content": "x"}),
    ],
    "site": [
        ("writeFiles", {"files": [{"file": "new/deep/x.html", "content": "x"}, {"file": "empty.md", "content": "x"}]}),
        ("editFiles", {"edits": [{"file": "crlf.md", "replaceOperations": [{"search": "one", "replace": "1"}]}]}),
    ],
    "article": [("write_file", {"path": "new/deep/x.md", "content": "x"})],
    "gemini": [("replace", {"file_path": "new/x.md", "old_string": "", "new_string": "x", "instruction": "i"})],
    "claude-code": [("Edit", {"file_path": "new/x.md", "old_string": "", "new_string": "x"})],
    "vault": [("TextReplace", {"filePath": "crlf.md", "oldText": "one", "newText": "1"})],
}


def write_history(base: Path, name: str, *, journal: bool) -> tuple[Ground, str]:
    """The files of every example of a toolset, and a change of them that could be undone."""
    examples = [example for tool in tools_of(name) for example in tool.examples]
    ground = prepare_ground(base, {path: text for example in examples for path, text in example.files.items()})
    if not journal:
        return ground, "ffffffffffff"
    with sh.Workspace(ground.root, actor="before", task="before") as workspace:
        receipt = workspace.edit("crlf.md", [sh.Replace("two", "2")])
        workspace.create("made/x.md", "made\n")
        workspace.rename("sub/b.md", "sub/c.md")
        workspace.undo(last=True)
    return ground, receipt.id


def calls_of(name: str, ground: Ground, record: str, malformed: int, seed: str) -> Iterator[tuple[str, Any]]:
    for tool, arguments in CHANGES[name]:
        yield tool, {key: record if value == "$id" else value for key, value in arguments.items()}
    for each in tools_of(name):
        for number, example in enumerate(each.examples):
            maker = maker_for(ground, each, example, more=[record, "before"])
            yield each.name, maker.example
            for index in range(malformed):
                yield each.name, maker.call(f"{seed}:{each.name}:{number}:{index}")


def make_calls(
    name: str, ground: Ground, record: str, how: dict[str, Any], malformed: int = MALFORMED
) -> tuple[list[str], list[str]]:
    """Every call; those that went through, and those that were refused because nothing may be changed."""
    made, refused = [], []
    with sh.Workspace(ground.root, actor="before", task="before", **how) as workspace:
        kits = [workspace.tools(name), workspace.tools(name, overwrite=True, allow_shrink=True)]
        kits += [workspace.tools(name, version="20250124")] if name == "claude" else []
        for kit in kits:
            for tool, arguments in calls_of(name, ground, record, malformed, str(how)):
                answer = kit.call(tool, filled_if_there(arguments, ground))
                if not failed(answer):
                    made.append(tool)
                elif str(refusal_kind(answer)) in ("read-only", "not-allowed"):
                    refused.append(tool)
    return made, refused


def filled_if_there(arguments: Any, ground: Ground) -> Any:
    try:
        return filled(arguments, ground.root)
    except (OSError, ValueError, RecursionError):
        return arguments


@table("journal", [False, True], ids=["no journal", "a journal"])
@table("how", WAYS.values(), ids=list(WAYS))
@table("name", toolsets(), every=12)
def test_no_call_changes_anything(name: str, how: dict[str, Any], tmp_path: Path, *, journal: bool) -> None:
    ground, record = write_history(tmp_path, name, journal=journal)
    before = snapshot(tmp_path)
    made, refused = make_calls(name, ground, record, how)
    assert snapshot(tmp_path) == before
    reading = {tool.name for tool in tools_of(name) if tool.trust == "read" or tool.also_reads}
    assert set(made) <= {*reading, "str_replace_editor"}
    changing = {tool for tool, _ in CHANGES[name]} - {"str_replace_editor", "memory"}
    assert changing <= set(refused)


@table("name", toolsets(), every=4)
def test_the_same_calls_would_change_something(name: str, tmp_path: Path) -> None:
    ground, record = write_history(tmp_path, name, journal=True)
    before = snapshot(ground.root, without=(".steadyhand",))
    made, _ = make_calls(name, ground, record, {}, malformed=0)
    assert snapshot(ground.root, without=(".steadyhand",)) != before
    assert made


SCRIPT = """
import sys
from pathlib import Path
from tests.tools.surrounded import Ground
from tests.tools.test_read_only import WAYS, make_calls
for row in sys.argv[1:]:
    name, base, record, way = row.split("|")
    make_calls(name, Ground(Path(base) / "root"), record, WAYS[way], malformed=1)
"""


@pytest.mark.sweep  # of one server of tools, tests/mcp/test_traced.py sees it in every run
def test_no_call_makes_a_system_call_that_changes_anything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By a trace of system calls where there can be one; by the state of the tree everywhere."""
    base, rows = tmp_path / "base", []
    for name, way in zip(toolsets(), cycle(WAYS)):
        _, record = write_history(base / name, name, journal=True)
        rows.append(f"{name}|{base / name}|{record}|{way}")
    before, log, trace = snapshot(base), tmp_path / "trace", _strace()
    prefix = [] if trace is None else [*trace, "-o", str(log)]
    path = f"{REPOSITORY / 'src'}{os.pathsep}{REPOSITORY}"
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([*prefix, sys.executable, "-c", SCRIPT, *rows], env=environment, check=True, cwd="/", timeout=300)
    assert snapshot(base) == before
    if trace is None:
        with capsys.disabled():
            print("\nstrace is not there or not permitted: only the state of the tree was compared")
        return
    with log.open(errors="replace") as lines:
        named = [line for line in lines if str(base) in line and '"/dev/null"' not in line]
    assert any("crlf.md" in line for line in named), "the trace saw the work"
    assert [line for line in named if MUTATING.search(line) or FOR_WRITING.search(line)] == []
