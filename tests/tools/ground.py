"""A real directory with files in it, and a workspace over it; every native tool under one name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import steadyhand as sh
from steadyhand.tools.answer import Answer
from steadyhand.tools.claude import memory, text_editor
from steadyhand.tools.claude_code import edit, multi_edit, read, write
from steadyhand.tools.gemini import replace, write_file
from steadyhand.tools.openai import apply_patch

Run = Callable[..., Answer]

TOOLS: Mapping[str, Run] = {
    "text_editor": text_editor.run,
    "memory": memory.run,
    "apply_patch": apply_patch.run,
    "Edit": edit.run,
    "MultiEdit": multi_edit.run,
    "Write": write.run,
    "Read": read.run,
    "replace": replace.run,
    "write_file": write_file.run,
}


OPENED: list[sh.Workspace] = []  # closed after each test


def make(root: Path, files: Mapping[str, str | bytes], **options: Any) -> sh.Workspace:
    """A workspace whose files have exactly these bytes; text is UTF-8."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    opened = sh.Workspace(root, actor="tests", **options)
    OPENED.append(opened)
    return opened


def tree(root: Path) -> dict[str, bytes]:
    """Every file that is not the workspace's own."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".steadyhand" not in path.parts
    }
