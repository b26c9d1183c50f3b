"""Calls of tools as scenarios: folders under `tools/`, and the examples that the tools themselves declare.

A folder holds `input/`, `expected/` and `outcome.json` as the others do, and

    calls.json      {"about": …, "toolset": …, "settings"?: {…}, "calls": [{"tool": …, "arguments": {…}}, …]}

`$hash:NAME` in arguments stands for the hash of that file as it is then, `$id:1` for the id that the first call was
answered with. An outcome is what each answer must at least hold. Every call of a scenario is made by one party.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tests.tools.examples import all_examples, case_name, expected_tree, holds, lay_out, tree

FOLDER = Path(__file__).parent / "tools"


@dataclass(frozen=True, slots=True)
class Scenario:
    """Some calls on a tree, what they are answered with, and the tree they leave."""

    name: str
    toolset: str
    settings: Mapping[str, Any]
    calls: tuple[tuple[str, Mapping[str, Any]], ...]
    answers: tuple[Mapping[str, Any], ...]
    before: Mapping[str, str]
    after: Mapping[str, str]


class Caller(Protocol):
    """A surface with a scenario's tree behind it."""

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Make a call; the tool's answer."""


def scenarios() -> list[Scenario]:
    return [*folders(), *examples()]


def folders() -> list[Scenario]:
    return [_of_folder(found.parent) for found in sorted(FOLDER.glob("*/calls.json"))]


def problems(scenario: Scenario, caller: Caller, root: Path) -> list[str]:
    """Make the calls; what did not come out as it should."""
    lay_out(root, scenario.before)
    given: list[Mapping[str, Any]] = []
    found: list[str] = []
    for (tool, arguments), wanted in zip(scenario.calls, scenario.answers, strict=True):
        answer = caller.call(tool, _filled(arguments, root, given))
        given.append(answer)
        if not holds(answer, wanted):
            found.append(f"{scenario.name}: {tool} answered {json.dumps(answer)[:600]}, not {json.dumps(wanted)[:300]}")
    left = tree(root)
    if left != dict(scenario.after):
        names = [name for name in {**left, **scenario.after} if left.get(name) != scenario.after.get(name)]
        found.append(f"{scenario.name}: {names} are not as they should be: {[left.get(name) for name in names]}")
    return found


def _of_folder(folder: Path) -> Scenario:
    script = json.loads((folder / "calls.json").read_text(encoding="utf-8"))
    outcome = json.loads((folder / "outcome.json").read_text(encoding="utf-8"))
    before = tree(folder / "input") if (folder / "input").is_dir() else {}
    after = tree(folder / "expected") if (folder / "expected").is_dir() else before
    calls = tuple((call["tool"], call["arguments"]) for call in script["calls"])
    return Scenario(folder.name, script["toolset"], script.get("settings", {}), calls, tuple(outcome), before, after)


def examples() -> list[Scenario]:
    found = []
    for case in all_examples():
        toolset, tool, example = case
        calls = (*example.first, (tool.name, example.arguments))
        answers = (*({} for _ in example.first), example.result)
        after = expected_tree(example)
        found.append(Scenario(case_name(case), toolset, example.settings, calls, answers, example.files, after))
    return found


def _filled(value: Any, root: Path, given: list[Mapping[str, Any]]) -> Any:
    if isinstance(value, str) and value.startswith("$hash:"):
        return hashlib.sha256((root / value.removeprefix("$hash:")).read_bytes()).hexdigest()[:16]
    if isinstance(value, str) and value.startswith("$id:"):
        return given[int(value.removeprefix("$id:")) - 1]["id"]
    if isinstance(value, Mapping):
        return {name: _filled(each, root, given) for name, each in value.items()}
    return [_filled(each, root, given) for each in value] if isinstance(value, list | tuple) else value
