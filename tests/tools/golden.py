"""The answers that a redesign must leave as they are: of every tool's examples, and of what every toolset refuses.

An answer is kept without its words: kind, fields, details and offers stay, sentences for people go. Ids and times are
levelled. `STEADYHAND_GOLDEN=write pytest tests/tools/test_golden.py` records them again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import steadyhand as sh
from steadyhand.tools.toolsets import tools_of
from tests.tools.examples import all_examples, filled, split_settings
from tests.tools.ground import tree
from tests.tools.test_advice import FILES, WRONG

__all__ = ["Case", "answers_of", "cases_of", "changed", "played", "without_words"]

Sent = tuple[str, Mapping[str, Any]]

# Sentences; what they say is in the kind and in the facts beside them.
WORDS = frozenset(
    "error message hint warnings note notes problem why said about leftOut diffCut suggestion tried".split()
)
_ID = re.compile(r"(?<![0-9a-zA-Z])[0-9a-f]{12}(?![0-9a-f])")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")
_OFFER = re.compile(r"(?:For line \d+|`corrected`|`old`):\n(.*?)(?=\n(?:Hint: |For line \d+:)|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Case:
    """Some calls on some files; what the last one is answered with is kept. `others` changes files in between."""

    name: str
    toolset: str
    calls: tuple[Sent, ...]
    files: Mapping[str, str | bytes]
    settings: Mapping[str, Any] = field(default_factory=dict)
    others: Mapping[str, str] = field(default_factory=dict)


CODE = "import os\n\n\ndef first(log):\n    total = len(log)\n    return total\n\n\ndef second(log):\n    return log\n"
PLACES: dict[str, str | bytes] = {
    "code.py": CODE,
    "code.txt": CODE,
    "twice.txt": FILES["twice.txt"],
    "raw.bin": b"\0\xff\0\xfe",
    "odd.txt": FILES["odd.txt"],
    "keys.json": FILES["keys.json"],
    ".env": "TOKEN=1\n",
    "long.txt": "".join(f"line {number}\n" for number in range(200)),
}
# What an edit of old text is refused for, by the file, the old and the new text.
EDITS: dict[str, tuple[str, str, str]] = {
    "nowhere": ("code.py", "nothing like it at all", "x"),
    "nearly": ("code.py", "    total = len(logs.all())", "    total = 0"),
    "drifted": (
        "code.py",
        "def first(log):\n    total = count(log)\n    return total",
        "def first(log):\n    return 0",
    ),
    "twice": ("twice.txt", "x = 1", "z"),
    "made before": ("code.py", "    return sum", "    return log"),
    "the same": ("code.py", "import os", "import os"),
    "empty": ("code.py", "", "x"),
    "no file": ("none.py", "x", "y"),
    "outside": ("../out.py", "x", "y"),
    "protected": (".env", "TOKEN=1", "TOKEN=2"),
    "not text": ("raw.bin", "x", "y"),
    "unencodable": ("odd.txt", "one", "\u732b"),
    "broken": ("keys.json", '"a": 1', '"a": '),
    "placeholder": ("code.py", "    total = len(log)\n    return total", "    # ... rest of the code unchanged ..."),
}
OTHERS = CODE.replace("total = len(log)", "total = size(log)")
MINE = ("code.py", "    total = len(log)", "    total = 2 * len(log)")


def _edit(toolset: str, path: str, old: str, new: str) -> Sent | None:
    """An edit of old text in the fields of a toolset."""
    patch = f"@@\n-{old}\n+{new}\n".replace("\n-\n", "\n")
    match toolset:
        case "article":
            return "edit_article", {"path": path, "edits": [{"old_string": old, "new_string": new, "reason": "r"}]}
        case "claude":
            return "str_replace_based_edit_tool", {
                "command": "str_replace", "path": path, "old_str": old, "new_str": new
            }  # fmt: skip
        case "claude-code":
            return "Edit", {"file_path": path, "old_string": old, "new_string": new}
        case "coder":
            return "write_patch", {"path": path, "patch": patch}
        case "core":
            return "edit", {"path": path, "edits": [{"target": old, "new": new}]}
        case "gemini":
            return "replace", {"file_path": path, "old_string": old, "new_string": new}
        case "openai":
            return "apply_patch", {"type": "update_file", "path": path, "diff": patch}
        case "site":
            return "editFile", {"file": path, "operations": [{"search": old, "replace": new}]}
        case "surgical":
            return "edit_file", {"path": path, "old_content": old, "new_content": new}
        case "vault":
            return "TextReplace", {"filePath": path, "oldText": old, "newText": new}
        case _:
            return None


def _taken(toolset: str, path: str) -> str:
    """The file under a name that the toolset takes: not every one is for code."""
    return path.replace(".py", ".txt") if toolset == "vault" else path


def _read(toolset: str, path: str) -> Sent | None:
    tools = {tool.name for tool in tools_of(toolset)}
    match toolset:
        case "claude":
            return "str_replace_based_edit_tool", {"command": "view", "path": path}
        case "claude-code":
            return "Read", {"file_path": path}
        case "core":
            return "read", {"path": path}
        case "vault":
            return "TextInspect", {"filePath": path}
        case "site":
            return "readFile", {"file": path}
        case _:
            return ("read_file", {"path": path}) if "read_file" in tools else None


def _write(toolset: str, path: str, content: str) -> Sent | None:
    tools = {tool.name for tool in tools_of(toolset)}
    match toolset:
        case "claude-code":
            return "Write", {"file_path": path, "content": content}
        case "core":
            return "write", {"path": path, "content": content}
        case "gemini":
            return "write_file", {"file_path": path, "content": content}
        case "site":
            return "writeFiles", {"files": [{"file": path, "content": content}]}
        case _:
            return ("write_file", {"path": path, "content": content}) if "write_file" in tools else None


def cases_of(toolset: str) -> Iterator[Case]:
    """The examples of a toolset's tools, then what it refuses."""
    for owner, tool, example in all_examples():
        if owner == toolset:
            calls = (*((name, arguments) for name, arguments in example.first), (tool.name, example.arguments))
            yield Case(f"{tool.name}: {example.about}", toolset, calls, example.files, example.settings)
    for number, (name, arguments) in enumerate(WRONG.get(toolset, ())):
        if "$undone" not in arguments.values():
            yield Case(f"{name}: refused {number}", toolset, ((name, arguments),), FILES)
    for about, edit in EDITS.items():
        path = _taken(toolset, edit[0])
        if (sent := _edit(toolset, path, *edit[1:])) is not None:
            first = _read(toolset, path)
            yield Case(f"edit: {about}", toolset, (*([first] if first else ()), sent), PLACES)
    yield from _after_others(toolset)
    for about, made in {"unread": "x\n", "shrunk": "x\n"}.items():
        if (sent := _write(toolset, "long.txt", made)) is not None:
            first = _read(toolset, "long.txt") if about == "shrunk" else None
            yield Case(f"write: {about}", toolset, (*([first] if first else ()), sent), PLACES)


def _after_others(toolset: str) -> Iterator[Case]:
    """An edit of lines that another task has changed since they were read."""
    path = _taken(toolset, MINE[0])
    first, sent = _read(toolset, path), _edit(toolset, path, *MINE[1:])
    if first is not None and sent is not None:
        yield Case("edit: changed by others", toolset, (first, sent), PLACES, others={path: OTHERS})


def answers_of(toolset: str, folder: Path) -> dict[str, Any]:
    """What every case of a toolset is answered with, by its name."""
    return {case.name: without_words(answer, root) for case, root, answer, _ in _played(toolset, folder)}


def played(toolset: str, folder: Path) -> Iterator[tuple[Mapping[str, Any], list[sh.Receipt]]]:
    """The answer to every case of a toolset, with the receipts of what its last call changed."""
    for _, _, answer, receipts in _played(toolset, folder):
        yield answer, receipts


def _played(toolset: str, folder: Path) -> Iterator[tuple[Case, Path, Mapping[str, Any], list[sh.Receipt]]]:
    """Every case of a toolset; those that change nothing share their files."""
    seen: set[str] = set()
    root = before = None
    for number, case in enumerate(cases_of(toolset)):
        assert case.name not in seen, case.name
        seen.add(case.name)
        if root is None or before is not case.files or case.others or not _is_unchanged(root, case.files):
            root, before = folder / str(number), case.files
            _write_files(root, case.files)
        receipts: list[sh.Receipt] = []
        yield case, root, _play(case, root, receipts), receipts


def _write_files(root: Path, files: Mapping[str, str | bytes]) -> None:
    root.mkdir()
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(_bytes(content))


def _is_unchanged(root: Path, files: Mapping[str, str | bytes]) -> bool:
    return tree(root) == {name: _bytes(content) for name, content in files.items()}


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def _play(case: Case, root: Path, receipts: list[sh.Receipt]) -> Mapping[str, Any]:
    own, settings = split_settings(case.settings)
    *before, (tool, arguments) = case.calls
    with sh.Workspace(root, actor="examples", **{"task": case.name, **own}) as workspace:
        kit = workspace.tools(case.toolset, **settings)
        for name, sent in before:
            kit.call(name, filled(sent, root))
        if case.others:
            with sh.Workspace(root, actor="others", task="O") as others:
                for name, content in case.others.items():
                    others.write(name, content, overwrite=True)
        return kit.call(tool, filled(arguments, root), receipts=receipts)


def without_words(value: Any, root: Path) -> Any:
    """An answer without sentences, ids and times; of a text for a model that refuses, only what it offers to send."""
    if isinstance(value, Mapping):
        kept = {str(name): without_words(each, root) for name, each in value.items() if name not in WORDS}
        if value.get("is_error") is True:
            kept["content"] = [_leveled(offer, root) for offer in _OFFER.findall(str(value["content"]))]
        return kept
    if isinstance(value, list | tuple):
        return [without_words(each, root) for each in value]
    return _leveled(value, root) if isinstance(value, str) else value


def _leveled(text: str, root: Path) -> str:
    return _TIME.sub("$time", _ID.sub("$id", text.replace(str(root), "$root")))


def changed(now: Mapping[str, Any], kept: Mapping[str, Any]) -> Sequence[str]:
    """The cases whose answers are not those that were kept."""
    return [name for name in {**kept, **now} if now.get(name) != kept.get(name)]
