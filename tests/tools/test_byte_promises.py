"""Through every tool that writes: new text is literal, and every byte, mode, link and line ending around it stays."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from steadyhand.tools.result import failed
from steadyhand.tools.toolsets import tools_of, toolsets
from tests.sampling import WHOLE
from tests.table import table
from tests.tools.ground import make, tree

PAGE = "<i>one</i>\n<b>two</b>\n<u>three</u>\n"
OLD = "<b>two</b>"


def line(new: str) -> str:
    """The second line of the page with other text in it."""
    return f"<b>{new}</b>"


def page(new: str) -> str:
    return PAGE.replace("two", new)


def unified(new: str) -> str:
    return f"@@ -2 +2 @@\n-{OLD}\n+{line(new)}\n"


# A call of each tool that puts other text in the place of `two` in the second line, and touches nothing else.
PARTS: dict[str, tuple[str, str, Callable[[str, str], dict[str, Any]]]] = {
    "edit_article": (
        "article",
        "edit_article",
        lambda path, new: {"path": path, "edits": [{"old_string": "two", "new_string": new, "reason": "why"}]},
    ),
    "text editor": (
        "claude",
        "str_replace_based_edit_tool",
        lambda path, new: {"command": "str_replace", "path": path, "old_str": "two", "new_str": new},
    ),
    "memory": (
        "claude",
        "memory",
        lambda path, new: {"command": "str_replace", "path": f"/memories/{path}", "old_str": "two", "new_str": new},
    ),
    "Edit": (
        "claude-code",
        "Edit",
        lambda path, new: {"file_path": path, "old_string": "two", "new_string": new},
    ),
    "Edit everywhere": (
        "claude-code",
        "Edit",
        lambda path, new: {"file_path": path, "old_string": "two", "new_string": new, "replace_all": True},
    ),
    "MultiEdit": (
        "claude-code",
        "MultiEdit",
        lambda path, new: {"file_path": path, "edits": [{"old_string": "two", "new_string": new}]},
    ),
    "apply_edits": (
        "coder",
        "apply_edits",
        lambda path, new: {"path": path, "edits": [{"range": {"start": 2, "end": 2}, "newText": line(new)}]},
    ),
    "write_patch": ("coder", "write_patch", lambda path, new: {"path": path, "patch": unified(new)}),
    "edit by old text": (
        "core",
        "edit",
        lambda path, new: {"path": path, "edits": [{"target": "two", "new": new}]},
    ),
    "edit by lines": (
        "core",
        "edit",
        lambda path, new: {"path": path, "edits": [{"target": {"at": "lines:2-2"}, "new": line(new)}]},
    ),
    "edit by selector": (
        "core",
        "edit",
        lambda path, new: {
            "path": path,
            "edits": [{"target": {"at": "selector:b"}, "act": "set-html", "args": {"value": new}}],
        },
    ),
    "edit over a glob": (
        "core",
        "edit",
        lambda path, new: {"glob": "page.*", "edits": [{"target": "two", "new": new, "occurrence": "all"}]},
    ),
    "edit by a patch": ("core", "edit", lambda path, new: {"path": path, "patch": unified(new)}),
    "replace": (
        "gemini",
        "replace",
        lambda path, new: {"file_path": path, "old_string": "two", "new_string": new, "instruction": "why"},
    ),
    "apply_patch": (
        "openai",
        "apply_patch",
        lambda path, new: {"type": "update_file", "path": path, "diff": f"@@\n-{OLD}\n+{line(new)}\n"},
    ),
    "editDOM": (
        "site",
        "editDOM",
        lambda path, new: {"file": path, "operations": [{"selector": "b", "action": "setHTML", "value": new}]},
    ),
    "editFile": (
        "site",
        "editFile",
        lambda path, new: {"file": path, "operations": [{"search": "two", "replace": new}]},
    ),
    "editFiles": (
        "site",
        "editFiles",
        lambda path, new: {"edits": [{"file": path, "replaceOperations": [{"search": "two", "replace": new}]}]},
    ),
    "edit_file": (
        "surgical",
        "edit_file",
        lambda path, new: {"path": path, "old_content": "two", "new_content": new},
    ),
    "edit_file, all": (
        "surgical",
        "edit_file",
        lambda path, new: {"path": path, "old_content": "two", "new_content": new, "occurrence": 0},
    ),
    "patch_file": ("surgical", "patch_file", lambda path, new: {"path": path, "patch": unified(new)}),
    "TextReplace": (
        "vault",
        "TextReplace",
        lambda path, new: {"filePath": path, "oldText": "two", "newText": new},
    ),
    "TextPatch": (
        "vault",
        "TextPatch",
        lambda path, new: {
            "filePath": path,
            "operation": "replace",
            "target": {"lines": {"start": 2, "end": 2}},
            "content": line(new),
        },
    ),
}
# The same by the whole text of the file.
WHOLES: dict[str, tuple[str, str, Callable[[str, str], dict[str, Any]]]] = {
    "article write_file": ("article", "write_file", lambda path, text: {"path": path, "content": text}),
    "surgical write_file": ("surgical", "write_file", lambda path, text: {"path": path, "content": text}),
    "coder write_file": ("coder", "write_file", lambda path, text: {"path": path, "content": text}),
    "write": ("core", "write", lambda path, text: {"path": path, "content": text}),
    "Write": ("claude-code", "Write", lambda path, text: {"file_path": path, "content": text}),
    "gemini write_file": ("gemini", "write_file", lambda path, text: {"file_path": path, "content": text}),
    "text editor create": (
        "claude",
        "str_replace_based_edit_tool",
        lambda path, text: {"command": "create", "path": path, "file_text": text},
    ),
    "writeFiles": ("site", "writeFiles", lambda path, text: {"files": [{"file": path, "content": text}]}),
}
# Lines put in behind the second.
INSERTIONS: dict[str, tuple[str, str, Callable[[str, str], dict[str, Any]]]] = {
    "text editor insert": (
        "claude",
        "str_replace_based_edit_tool",
        lambda path, new: {"command": "insert", "path": path, "insert_line": 2, "insert_text": new},
    ),
    "memory insert": (
        "claude",
        "memory",
        lambda path, new: {"command": "insert", "path": f"/memories/{path}", "insert_line": 2, "insert_text": new},
    ),
    "insert_at": ("surgical", "insert_at", lambda path, new: {"path": path, "line": 2, "content": new}),
    "apply_edits, insert": (
        "coder",
        "apply_edits",
        lambda path, new: {"path": path, "edits": [{"range": {"start": 3, "end": 2}, "newText": new}]},
    ),
    "edit by lines, insert": (
        "core",
        "edit",
        lambda path, new: {"path": path, "edits": [{"target": {"at": "lines:2-2"}, "insert": new}]},
    ),
    "TextPatch, insert": (
        "vault",
        "TextPatch",
        lambda path, new: {
            "filePath": path,
            "operation": "insert",
            "target": {"lines": {"start": 3}},
            "content": new,
        },
    ),
}
EVERY = {**PARTS, **WHOLES, **INSERTIONS}

LITERAL = [
    *("$&", "$1", "$$", "$`", "\\1", "\\g<0>", "\\n", "\\\\", "\\", "%s", "%(a)s", "{0}", "{{x}}", "&amp;", "#{x}"),
    *("\\u0041", "\\x00", "`$(x)`", "é", "\u2028", "\t", "a  b "),
]

# Bytes of before and what the bytes of `two` become; everything else stays.
FILES: dict[str, bytes] = {
    "LF": PAGE.encode(),
    "CR LF": PAGE.replace("\n", "\r\n").encode(),
    "CR": PAGE.replace("\n", "\r").encode(),
    "mixed": b"<i>one</i>\r\n<b>two</b>\n<u>three</u>\r",
    "mark": b"\xef\xbb\xbf" + PAGE.encode(),
    "no final newline": PAGE.rstrip().encode(),
    "CR LF, no final newline": PAGE.rstrip().replace("\n", "\r\n").encode(),
    "cp1252": PAGE.replace("one", "caf\u00e9 cr\u00e8me \u201cna\u00efve\u201d").encode("cp1252"),
    "UTF-16": ("\ufeff" + PAGE.replace("\n", "\r\n")).encode("utf-16-le"),
    "no UTF-8": "日本語テスト\n".encode() * 20 + b"\xff\xfe\x80\n" + PAGE.encode(),
    "blanks": b" \t<i>one</i> \t\n<b>two</b>\n\n\n  <u>three</u>  \n\n",
}


def call(
    workspace: sh.Workspace, row: tuple[str, str, Callable[[str, str], dict[str, Any]]], path: str, new: str
) -> Any:
    toolset, tool, arguments = row
    return workspace.tools(toolset, overwrite=True).call(tool, arguments(path, new))


def encoded(text: str, before: bytes) -> bytes:
    return text.encode("utf-16-le" if before.startswith(b"\xff\xfe") else "utf-8")


def test_every_tool_that_writes_is_asked() -> None:
    asked = {(toolset, tool) for toolset, tool, _ in EVERY.values()}
    writing = {(name, tool.name) for name in toolsets() for tool in tools_of(name) if tool.trust != "read"}
    assert writing - asked == {("core", "undo")}


def some_of(texts: list[str], tool: str) -> list[str]:
    """All in a sweep; else each eighth, so that eight tools after each other have all of them."""
    return texts if WHOLE else texts[list(EVERY).index(tool) % 8 :: 8]


@pytest.mark.sampled
@table("tool", [*PARTS, *WHOLES])
def test_new_text_is_literal(tool: str, tmp_path: Path) -> None:
    workspace = make(tmp_path, {"page.html": PAGE})
    for new in some_of(LITERAL, tool):
        answer = call(workspace, EVERY[tool], "page.html", new if tool in PARTS else page(new))
        assert not failed(answer), (new, answer)
        assert tree(tmp_path)["page.html"] == page(new).encode(), new
        workspace.undo(last=True)
        assert tree(tmp_path)["page.html"] == PAGE.encode(), new


@pytest.mark.sampled
@table("tool", INSERTIONS)
def test_inserted_text_is_literal(tool: str, tmp_path: Path) -> None:
    workspace = make(tmp_path, {"page.html": PAGE})
    rows = PAGE.splitlines(keepends=True)
    for new in some_of(LITERAL, tool):
        answer = call(workspace, EVERY[tool], "page.html", new)
        assert not failed(answer), (new, answer)
        assert tree(tmp_path)["page.html"] == "".join([*rows[:2], f"{new}\n", rows[2]]).encode(), new
        workspace.undo(last=True)


@table("before", FILES.values(), ids=FILES.keys())
@table("tool", PARTS, every=8)
def test_every_byte_around_the_edit_stays(tool: str, before: bytes, tmp_path: Path) -> None:
    if tool in ("apply_edits", "edit by lines", "TextPatch") and before == FILES["no UTF-8"]:
        before = before.partition(b"\n")[0] + b"\n" + PAGE.encode().partition(b"\n")[2] + b"\xff\xfe\x80"
    workspace = make(tmp_path, {"page.html": before})
    answer = call(workspace, EVERY[tool], "page.html", "2")
    assert not failed(answer), answer
    assert tree(tmp_path)["page.html"] == before.replace(encoded("two", before), encoded("2", before))
    workspace.undo(last=True)
    assert tree(tmp_path)["page.html"] == before


@table("kind", ["LF", "CR LF", "mark", "no final newline", "UTF-16", "cp1252"])
@table("tool", WHOLES, every=5)
def test_a_whole_text_keeps_encoding_mark_and_line_endings(tool: str, kind: str, tmp_path: Path) -> None:
    before = FILES[kind]
    workspace = make(tmp_path, {"page.html": before})
    text = workspace.read("page.html").text.replace("\r\n", "\n").removeprefix("\ufeff")
    answer = call(workspace, EVERY[tool], "page.html", text.replace("two", "2"))
    assert not failed(answer), answer
    assert tree(tmp_path)["page.html"] == before.replace(encoded("two", before), encoded("2", before))


@table("tool", [tool for tool in EVERY if tool != "edit over a glob"], every=3)  # which follows no link
def test_mode_and_links_stay(tool: str, tmp_path: Path) -> None:
    files = {"there/page.html": PAGE, "twin/page.html": PAGE}
    workspace = make(tmp_path, files, policy=sh.Policy(hardlinks="in-place"))
    (tmp_path / "link.html").symlink_to("there/page.html")
    os.link(tmp_path / "twin/page.html", tmp_path / "hard.html")
    os.chmod(tmp_path / "there/page.html", 0o751)
    for name, real in (("link.html", "there/page.html"), ("hard.html", "twin/page.html")):
        answer = call(workspace, EVERY[tool], name, "2" if tool not in WHOLES else page("2"))
        assert not failed(answer), answer
        assert b"2" in (tmp_path / real).read_bytes()
    assert os.readlink(tmp_path / "link.html") == "there/page.html"
    assert stat.S_IMODE((tmp_path / "there/page.html").stat().st_mode) == 0o751
    assert (tmp_path / "hard.html").stat().st_ino == (tmp_path / "twin/page.html").stat().st_ino
