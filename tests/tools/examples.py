"""The examples that tools declare, as the tests make them: on a fresh tree, after the calls that come first."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import steadyhand as sh
from steadyhand.tools.tool import Example, Tool
from steadyhand.tools.toolsets import tools_of, toolsets

Case = tuple[str, Tool, Example]
WORKSPACE_SETTINGS = ("mode", "read_only", "task")


def all_examples() -> list[Case]:
    return [(name, tool, example) for name in toolsets() for tool in tools_of(name) for example in tool.examples]


def case_name(case: Case) -> str:
    return f"{case[0]}.{case[1].name}: {case[2].about}"


def lay_out(root: Path, files: Mapping[str, str]) -> None:
    root.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content.encode())


def tree(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes().decode()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".steadyhand" not in path.parts
    }


def expected_tree(example: Example) -> dict[str, str]:
    changed = {**example.files, **example.after}
    return {name: text for name, text in changed.items() if text is not None}


def split_settings(settings: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What of an example's settings is the workspace's, and what is the kit's."""
    own = {name: value for name, value in settings.items() if name in WORKSPACE_SETTINGS}
    return own, {name: value for name, value in settings.items() if name not in own}


def filled(value: Any, root: Path) -> Any:
    """Arguments with `$hash:NAME` put in."""
    if isinstance(value, str) and value.startswith("$hash:"):
        return hashlib.sha256((root / value.removeprefix("$hash:")).read_bytes()).hexdigest()[:16]
    if isinstance(value, Mapping):
        return {name: filled(each, root) for name, each in value.items()}
    return [filled(each, root) for each in value] if isinstance(value, list | tuple) else value


def holds(answer: Any, wanted: Any) -> bool:
    """Whether an answer has at least what is wanted."""
    if isinstance(wanted, Mapping):
        return isinstance(answer, Mapping) and all(
            name in answer and holds(answer[name], each) for name, each in wanted.items()
        )
    if isinstance(wanted, list | tuple):
        return isinstance(answer, list | tuple) and len(answer) == len(wanted) and all(map(holds, answer, wanted))
    return bool(answer == wanted)


def make_calls(kit: sh.Kit, tool: Tool, example: Example, root: Path) -> dict[str, Any]:
    for name, arguments in example.first:
        kit.call(name, filled(arguments, root))
    return kit.call(tool.name, filled(example.arguments, root))
