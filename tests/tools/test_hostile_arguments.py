"""Whatever a model sends, a tool answers: an error of a known kind, nothing raised, nothing changed, nothing shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.errors import Kind
from tests.table import table
from tests.tools.ground import TOOLS, make, tree

SECRET = "must not be shown"
FILES = {"a.md": "one\ntwo\n", "sub/b.md": "three\n"}

# A call of each tool that would change a.md or show it, were it not for what is put in place of the path.
CALLS: dict[str, Callable[[object], dict[str, object]]] = {
    "text_editor": lambda path: {"command": "str_replace", "path": path, "old_str": "one", "new_str": "1"},
    "text_editor view": lambda path: {"command": "view", "path": path},
    "text_editor create": lambda path: {"command": "create", "path": path, "file_text": "x"},
    "text_editor insert": lambda path: {"command": "insert", "path": path, "insert_line": 0, "insert_text": "x"},
    "memory": lambda path: {"command": "str_replace", "path": path, "old_str": "one", "new_str": "1"},
    "memory view": lambda path: {"command": "view", "path": path},
    "memory create": lambda path: {"command": "create", "path": path, "file_text": "x"},
    "memory delete": lambda path: {"command": "delete", "path": path},
    "memory rename": lambda path: {"command": "rename", "old_path": path, "new_path": "/memories/c.md"},
    "memory rename onto": lambda path: {"command": "rename", "old_path": "/memories/a.md", "new_path": path},
    "apply_patch": lambda path: {"type": "update_file", "path": path, "diff": "@@\n-one\n+1\n"},
    "apply_patch create": lambda path: {"type": "create_file", "path": path, "diff": "+x\n"},
    "apply_patch delete": lambda path: {"type": "delete_file", "path": path},
    "apply_patch move": lambda path: {"type": "update_file", "path": "a.md", "diff": "", "move_to": path},
    "Edit": lambda path: {"file_path": path, "old_string": "one", "new_string": "1"},
    "Edit create": lambda path: {"file_path": path, "old_string": "", "new_string": "x"},
    "MultiEdit": lambda path: {"file_path": path, "edits": [{"old_string": "one", "new_string": "1"}]},
    "Write": lambda path: {"file_path": path, "content": "x"},
    "Read": lambda path: {"file_path": path},
    "replace": lambda path: {"file_path": path, "old_string": "one", "new_string": "1", "instruction": "why"},
    "write_file": lambda path: {"file_path": path, "content": "x"},
}

ASTRAY: dict[str, str] = {
    "nothing": "",
    "parent": "../out.md",
    "parent by a detour": "sub/../../out.md",
    "parent behind the prefix": "/memories/../out.md",
    "sibling of the prefix": "/memories-other/out.md",
    "absolute": "/etc/passwd",
    "absolute outside": "{out}",
    "absolute by a detour": "{root}/../out.md",
    "encoded": "%2e%2e/out.md",
    "encoded behind the prefix": "/memories/%2e%2e%2fout.md",
    "encoded twice": "/memories/%252e%252e/out.md",
    "half encoded": "/memories/.%2E/out.md",
    "encoded NUL": "/memories/a.md%00.png",
    "NUL": "/memories/a.md\0",
    "backslashes": "..\\out.md",
    "backslashes behind the prefix": "/memories/..\\out.md",
    "a drive": "C:\\out.md",
    "a line break": "/memories/a\nb.md",
    "a lone surrogate": "/memories/\udc80.md",
    "a right-to-left mark": "/memories/a\u202emd.exe",
    "a link to a file outside": "/memories/link-out.md",
    "a link to a directory outside": "/memories/dir-out/out.md",
    "the journal": "/memories/.steadyhand/journal.db",
    "a key": "/memories/.env",
    "very long": "/memories/" + "a/" * 5000,
}


def ground(tmp_path: Path, **options: Any) -> tuple[Any, Path]:
    root = tmp_path / "ws"
    (tmp_path / "out.md").write_text(SECRET)
    workspace = make(root, {**FILES, ".env": SECRET}, **options)
    (root / "link-out.md").symlink_to(tmp_path / "out.md")
    (root / "dir-out").symlink_to(tmp_path)
    return workspace, root


@table("path", ASTRAY.values(), ids=ASTRAY.keys())
@table("call", CALLS, every=5)
def test_a_path_that_leads_astray_is_refused(call: str, path: str, tmp_path: Path) -> None:
    workspace, root = ground(tmp_path)
    before = tree(root)
    spelled = path.format(root=root, out=tmp_path / "out.md") if "{" in path else path
    tool = call.split(maxsplit=1)[0]
    answer = TOOLS[tool](workspace, CALLS[call](spelled), **({} if tool == "memory" else {"prefix": "/memories"}))
    assert answer.is_error
    assert Kind(answer.kind or "") is not Kind.INTERNAL
    assert SECRET not in answer.content
    assert tree(root) == before
    assert (tmp_path / "out.md").read_text() == SECRET
    json.dumps(answer.to_json()).encode()
    answer.content.encode()


@table("path", ["a\0.md", "a%00.md", "a%2500.md"])
def test_a_nul_in_a_path_is_called_what_it_is(path: str, tmp_path: Path) -> None:
    workspace, _ = ground(tmp_path)
    answer: Any = workspace.tools("core").call("read", {"path": path})
    assert (answer["kind"], "U+0000" in answer["message"]) == ("outside-root", True)
    assert ".." not in answer["error"]


BENEATH = ("a.md", "./a.md", "sub/../a.md", "{root}/a.md", "{root}/sub/../a.md", "/repo/a.md", "/repo//sub/../a.md")


@table("path", BENEATH)
@table("call", ["text_editor", "text_editor view", "apply_patch", "Edit", "Read", "replace"])
def test_a_path_that_stays_beneath_the_root_or_the_prefix_is_taken(call: str, path: str, tmp_path: Path) -> None:
    workspace, root = ground(tmp_path)
    answer = TOOLS[call.split(maxsplit=1)[0]](workspace, CALLS[call](path.format(root=root)), prefix="/repo")
    assert not answer.is_error, answer.content


@table("path", ["a.md", "/memories/sub/../a.md", "{root}/a.md", "/memories/../memories/a.md"])
@table("call", [call for call in CALLS if call.startswith("memory")])
def test_the_memory_takes_no_path_but_a_plain_one_beneath_its_prefix(call: str, path: str, tmp_path: Path) -> None:
    workspace, root = ground(tmp_path)
    answer = TOOLS["memory"](workspace, CALLS[call](path.format(root=root)))
    assert (answer.is_error, answer.kind) == (True, "outside-root")


WRONG = {
    "text_editor": [
        {},
        {"command": None},
        {"command": 3, "path": "a.md"},
        {"command": "viev", "path": "a.md"},
        {"command": "View", "path": "a.md"},
        {"command": "undo_edit", "path": "a.md"},
        {"command": "view"},
        {"command": "view", "path": ["a.md"]},
        {"command": "view", "path": "a.md", "view_range": "1,2"},
        {"command": "view", "path": "a.md", "view_range": [1]},
        {"command": "view", "path": "a.md", "view_range": [1, 2, 3]},
        {"command": "view", "path": "a.md", "view_range": [1.5, 2]},
        {"command": "view", "path": "a.md", "view_range": [True, 2]},
        {"command": "view", "path": "a.md", "view_range": [0, 2]},
        {"command": "view", "path": "a.md", "view_range": [3, -1]},
        {"command": "view", "path": "a.md", "view_range": [2, 1]},
        {"command": "view", "path": "a.md", "view_range": [1, -2]},
        {"command": "view", "path": "a.md", "view_range": [10**5000, -1]},
        {"command": "view", "path": "a.md", "view_range": [1, 10**5000]},
        {"command": "view", "path": "a.md", "old_str": "one"},
        {"command": "view", "path": "a.md", "colour": "red"},
        {"command": "create", "path": "n.md"},
        {"command": "create", "path": "n.md", "file_text": {"a": 1}},
        {"command": "create", "path": "sub", "file_text": "x"},
        {"command": "create", "path": "a.md/b.md", "file_text": "x"},
        {"command": "create", "path": "n.md", "file_text": "\ud800"},
        {"command": "str_replace", "path": "a.md", "new_str": "x"},
        {"command": "str_replace", "path": "a.md", "old_str": "", "new_str": "x"},
        {"command": "str_replace", "path": "a.md", "old_str": "one", "new_str": "one"},
        {"command": "str_replace", "path": "a.md", "old_str": "one", "new_str": 1},
        {"command": "str_replace", "path": "a.md", "old_str": "\ud800", "new_str": "x"},
        {"command": "str_replace", "path": "a.md", "old_str": "one", "new_str": "\udfff"},
        {"command": "str_replace", "path": "sub", "old_str": "one", "new_str": "x"},
        {"command": "insert", "path": "a.md", "insert_text": "x"},
        {"command": "insert", "path": "a.md", "insert_line": 1},
        {"command": "insert", "path": "a.md", "insert_line": "one", "insert_text": "x"},
        {"command": "insert", "path": "a.md", "insert_line": True, "insert_text": "x"},
        {"command": "insert", "path": "a.md", "insert_line": -1, "insert_text": "x"},
        {"command": "insert", "path": "a.md", "insert_line": 3, "insert_text": "x"},
        {"command": "insert", "path": "a.md", "insert_line": 10**5000, "insert_text": "x"},
        {"command": "insert", "path": "a.md", "insert_line": 0, "insert_text": ""},
        {"command": "insert", "path": "a.md", "insert_line": 0, "insert_text": "x", "new_str": "y"},
    ],
    "memory": [
        {},
        {"command": "undo_edit", "path": "/memories/a.md"},
        {"command": "view"},
        {"command": "view", "path": "/memories/a.md", "view_range": [2, 1]},
        {"command": "create", "path": "/memories", "file_text": "x"},
        {"command": "create", "path": "/memories/n/", "file_text": "x"},
        {"command": "create", "path": "/memories/sub", "file_text": "x"},
        {"command": "delete", "path": "/memories"},
        {"command": "delete", "path": "/memories/./"},
        {"command": "delete", "path": "/memories/none"},
        {"command": "delete", "path": "/memories/a.md", "recursive": True},
        {"command": "rename", "old_path": "/memories", "new_path": "/memories/x"},
        {"command": "rename", "old_path": "/memories/sub", "new_path": "/memories/sub/deeper"},
        {"command": "rename", "old_path": "/memories/sub", "new_path": "/memories"},
        {"command": "rename", "old_path": "/memories/sub", "new_path": "/memories/sub"},
        {"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/a.md"},
        {"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/sub/b.md/c.md"},
        {"command": "rename", "path": "/memories/a.md", "new_path": "/memories/x"},
        {"command": "rename", "old_path": "/memories/a.md"},
    ],
    "apply_patch": [
        {},
        {"type": "move_file", "path": "a.md"},
        {"type": "update_file", "path": "a.md"},
        {"type": "update_file", "path": "a.md", "diff": ""},
        {"type": "update_file", "path": "a.md", "diff": 7},
        {"type": "update_file", "path": "a.md", "diff": "no sign anywhere"},
        {"type": "update_file", "path": "a.md", "diff": "@@\n-none\n+1\n"},
        {"type": "update_file", "path": "a.md", "diff": "*** Begin Patch\n*** Delete File: a.md\n*** End Patch\n"},
        {"type": "update_file", "path": "sub/b.md", "diff": "*** Begin Patch\n*** Update File: a.md\n@@\n-one\n+1\n"},
        {"type": "update_file", "path": "a.md", "diff": "@@\n-one\n+1\n", "move_to": "sub/b.md"},
        {"type": "update_file", "path": "a.md", "diff": "", "move_to": "sub"},
        {"type": "create_file", "path": "a.md", "diff": "+x\n"},
        {"type": "create_file", "path": "n.md", "diff": "-x\n+y\n"},
        {"type": "create_file", "path": "n.md", "diff": "+x\n", "move_to": "m.md"},
        {"type": "delete_file", "path": "none.md"},
        {"type": "delete_file", "path": "sub"},
        {"type": "delete_file", "path": "a.md", "diff": "-one\n"},
        {"type": "delete_file"},
        {"path": "a.md", "diff": "@@\n-one\n+1\n"},
        {"input": "*** Begin Patch\n*** Delete File: a.md\n*** End Patch\n", "path": "a.md"},
        {"input": "one"},
    ],
    "Edit": [
        {},
        {"file_path": "a.md", "old_string": "one"},
        {"file_path": "a.md", "old_string": "", "new_string": "x"},
        {"file_path": "a.md", "old_string": "one", "new_string": "x", "replace_all": "yes"},
        {"file_path": "a.md", "old_string": "one", "new_string": "x", "count": 1},
        {"file_path": "none.md", "old_string": "one", "new_string": "x"},
        {"file_path": "a.md", "old_string": "three", "new_string": "x", "replace_all": True},
    ],
    "MultiEdit": [
        {},
        {"file_path": "a.md"},
        {"file_path": "a.md", "edits": []},
        {"file_path": "a.md", "edits": {}},
        {"file_path": "a.md", "edits": ["one"]},
        {"file_path": "a.md", "edits": [{"old_string": "one"}]},
        {"file_path": "a.md", "edits": [{"old_string": "", "new_string": "x"}]},
        {
            "file_path": "a.md",
            "edits": [{"old_string": "one", "new_string": "1"}, {"old_string": "", "new_string": "x"}],
        },
        {
            "file_path": "a.md",
            "edits": [{"old_string": "one", "new_string": "1"}, {"old_string": "no", "new_string": ""}],
        },
        {
            "file_path": "n.md",
            "edits": [{"old_string": "", "new_string": "x"}, {"old_string": "no", "new_string": "y"}],
        },
        {"file_path": "a.md", "edits": [{"old_string": "one", "new_string": "1"}] * 10_001},
    ],
    "Write": [{}, {"file_path": "a.md"}, {"file_path": "sub", "content": "x"}, {"file_path": "a.md", "content": "x"}],
    "Read": [
        {},
        {"file_path": "none.md"},
        {"file_path": "sub"},
        {"file_path": "a.md", "offset": -1},
        {"file_path": "a.md", "limit": 0},
        {"file_path": "a.md", "offset": "first"},
        {"file_path": "a.md", "offset": 10**5000},
    ],
    "replace": [
        {},
        {"file_path": "a.md", "old_string": "one", "new_string": "x", "expected_replacements": 0},
        {"file_path": "a.md", "old_string": "one", "new_string": "x", "expected_replacements": 2},
        {"file_path": "a.md", "old_string": "one", "new_string": "x", "allow_multiple": "no"},
        {"file_path": "a.md", "old_string": "one", "new_string": "x", "instruction": 3},
        {"file_path": "a.md", "old_string": "", "new_string": "x"},
    ],
    "write_file": [{}, {"file_path": "a.md"}, {"file_path": "a.md", "content": None}],
}


@table(
    ("tool", "arguments"),
    [(tool, arguments) for tool, calls in WRONG.items() for arguments in calls],
    ids=[f"{tool} {number}" for tool, calls in WRONG.items() for number in range(len(calls))],
)
def test_a_wrong_call_is_answered_and_changes_nothing(tool: str, arguments: object, tmp_path: Path) -> None:
    workspace = make(tmp_path, FILES)
    answer = TOOLS[tool](workspace, arguments)
    assert answer.is_error
    assert Kind(answer.kind or "") is not Kind.INTERNAL
    assert len(answer.content.splitlines()) <= 20
    assert tree(tmp_path) == {name: text.encode() for name, text in FILES.items()}
    json.dumps(answer.to_json()).encode()


@table("arguments", [None, "a.md", 3, ["command"], [("command", "view")], {3: "view"}, {None: None}])
@table("tool", TOOLS)
def test_arguments_that_are_no_object_are_refused(tool: str, arguments: object, tmp_path: Path) -> None:
    answer = TOOLS[tool](make(tmp_path, FILES), arguments)
    is_patch = tool == "apply_patch" and isinstance(arguments, str)  # the free-form tool's whole input is text
    assert (answer.is_error, answer.kind) == (True, "malformed-patch" if is_patch else "bad-request")


NAMES = ["command", "path", "type", "diff", "move_to", "file_path", "old_string", "new_string", "old_str", "new_str"]
NAMES += ["edits", "content", "file_text", "insert_line", "insert_text", "view_range", "offset", "limit", "replace_all"]
WORDS = st.sampled_from(
    ["view", "create", "insert", "delete", "rename", "a.md", "/memories/a.md", "sub", "one", "", "+x"]
)
VALUES = st.recursive(
    WORDS | st.none() | st.booleans() | st.integers(-3, 9) | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
    max_leaves=4,
)


@given(arguments=st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=5), tool=st.sampled_from(sorted(TOOLS)))
def test_no_arguments_make_a_tool_raise(
    arguments: dict[str, object], tool: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("ws")
    answer = TOOLS[tool](make(root, FILES), arguments)
    assert answer.is_error == (answer.kind is not None)
    answer.content.encode()


@table("mode", ["research", "analyze"])
@table("call", [call for call in CALLS if "view" not in call and call != "Read"])
def test_a_workspace_for_reading_stays_as_it_is(call: str, mode: str, tmp_path: Path) -> None:
    workspace = make(tmp_path, FILES, mode=mode)
    tool = call.split(maxsplit=1)[0]
    answer = TOOLS[tool](workspace, CALLS[call]("/memories/a.md" if tool == "memory" else "a.md"))
    assert answer.is_error
    assert tree(tmp_path) == {name: text.encode() for name, text in FILES.items()}
