"""Through every tool that edits, a file keeps encoding, mark, its line endings and the bytes around the edit."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from tests.table import table
from tests.tools.ground import TOOLS, make, tree

# Each changes the line `two` to `2` and a line `new` behind it.
EDITS: dict[str, Callable[[str], dict[str, object]]] = {
    "text_editor": lambda path: {"command": "str_replace", "path": path, "old_str": "two", "new_str": "2\nnew"},
    "memory": lambda path: {
        "command": "str_replace", "path": f"/memories/{path}", "old_str": "two", "new_str": "2\nnew",
    },
    "apply_patch": lambda path: {"type": "update_file", "path": path, "diff": "@@\n-two\n+2\n+new\n"},
    "Edit": lambda path: {"file_path": path, "old_string": "two", "new_string": "2\nnew"},
    "MultiEdit": lambda path: {
        "file_path": path,
        "edits": [{"old_string": "two", "new_string": "2\nnew"}],
    },
    "replace": lambda path: {"file_path": path, "old_string": "two", "new_string": "2\nnew", "instruction": "i"},
}  # fmt: skip

FILES: dict[str, tuple[bytes, bytes]] = {
    "LF": (b"one\ntwo\nthree\n", b"one\n2\nnew\nthree\n"),
    "no final newline": (b"one\ntwo\nthree", b"one\n2\nnew\nthree"),
    "edit in a last line without newline": (b"one\ntwo", b"one\n2\nnew"),
    "CR LF": (b"one\r\ntwo\r\nthree\r\n", b"one\r\n2\r\nnew\r\nthree\r\n"),
    "CR LF, no final newline": (b"one\r\ntwo\r\nthree", b"one\r\n2\r\nnew\r\nthree"),
    "mark": (b"\xef\xbb\xbfone\ntwo\n", b"\xef\xbb\xbfone\n2\nnew\n"),
    "Latin-1": (b"caf\xe9 cr\xe8me\ntwo\nna\xefve\n", b"caf\xe9 cr\xe8me\n2\nnew\nna\xefve\n"),
    "UTF-16": ("\ufeffone\r\ntwo\r\n".encode("utf-16-le"), "\ufeffone\r\n2\r\nnew\r\n".encode("utf-16-le")),
    "blanks and tabs": (b"\tone \t\ntwo\n  three  \n\n\n", b"\tone \t\n2\nnew\n  three  \n\n\n"),
    "odd separators": ("a\u2028b\x0cc\ntwo\n".encode(), "a\u2028b\x0cc\n2\nnew\n".encode()),
}


@table(("before", "after"), FILES.values(), ids=FILES.keys())
@table("tool", EDITS)
def test_only_the_bytes_of_the_edit_change(tool: str, before: bytes, after: bytes, tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.txt": before})
    os.chmod(tmp_path / "a.txt", 0o640)
    answer = TOOLS[tool](workspace, EDITS[tool]("a.txt"))
    assert not answer.is_error, answer.content
    assert tree(tmp_path)["a.txt"] == after
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o640
    workspace.undo(path="a.txt")
    assert tree(tmp_path)["a.txt"] == before


@table("tool", ["text_editor", "Write", "write_file"])
def test_a_whole_text_keeps_mark_and_line_endings(tool: str, tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.txt": b"\xef\xbb\xbfone\r\ntwo\r\n"})
    workspace.read("a.txt")
    name, content = ("path", "file_text") if tool == "text_editor" else ("file_path", "content")
    call: dict[str, object] = {name: "a.txt", content: "one\n2\nthree\n"}
    answer = TOOLS[tool](workspace, {"command": "create", **call} if tool == "text_editor" else call)
    assert not answer.is_error
    assert tree(tmp_path)["a.txt"] == b"\xef\xbb\xbfone\r\n2\r\nthree\r\n"


@table("tool", ["text_editor", "memory", "Read"])
def test_a_byte_that_is_no_text_can_be_shown(tool: str, tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.txt": "日本語テスト\n".encode() * 20 + b"\xff\xfe\x80\n"})
    arguments: dict[str, dict[str, object]] = {
        "text_editor": {"command": "view", "path": "a.txt"},
        "memory": {"command": "view", "path": "/memories/a.txt"},
        "Read": {"file_path": "a.txt"},
    }
    answer = TOOLS[tool](workspace, arguments[tool])
    assert not answer.is_error
    assert "日本語テスト" in answer.content
    answer.content.encode()
