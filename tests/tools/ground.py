"""A real directory with files in it and a workspace over it; every native tool under one name, called by a kit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import steadyhand as sh
from steadyhand.tools.answer import Answer


@dataclass(frozen=True, slots=True)
class Native:
    """One native tool; calling it makes one call through a kit of its own, under the host's settings."""

    toolset: str
    name: str

    def __call__(self, workspace: sh.Workspace, arguments: object, **settings: Any) -> Answer:
        result = self.raw(workspace, arguments, **settings)
        result.pop("repaired", None)
        assert set(result) <= {"content", "is_error", "kind"}
        return Answer(**result)

    def raw(self, workspace: sh.Workspace, arguments: object, **settings: Any) -> dict[str, Any]:
        return workspace.tools(self.toolset, **settings).call(self.name, arguments)


text_editor = Native("claude", "str_replace_based_edit_tool")
memory = Native("claude", "memory")
apply_patch = Native("openai", "apply_patch")
edit = Native("claude-code", "Edit")
multi_edit = Native("claude-code", "MultiEdit")
write = Native("claude-code", "Write")
read = Native("claude-code", "Read")
replace = Native("gemini", "replace")
write_file = Native("gemini", "write_file")

TOOLS: Mapping[str, Native] = {
    "text_editor": text_editor,
    "memory": memory,
    "apply_patch": apply_patch,
    "Edit": edit,
    "MultiEdit": multi_edit,
    "Write": write,
    "Read": read,
    "replace": replace,
    "write_file": write_file,
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
    tops = [top for top in root.iterdir() if top.name != ".steadyhand"]
    found = [path for top in tops for path in ((top, *top.rglob("*")) if top.is_dir() else (top,)) if path.is_file()]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(found)}
