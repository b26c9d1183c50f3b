"""Every scenario, through Python and through the command line: the same answers, the same tree."""

from __future__ import annotations

import json
import os
import shutil
from itertools import zip_longest
from pathlib import Path

import pytest

from tests.scenarios.drivers import Answer, CommandLineDriver, Driver, PythonDriver

FOLDER = Path(__file__).parent
SCENARIOS = sorted(found.parent for found in FOLDER.glob("*/calls.json"))
OPTIONAL = ("found", "corrected", "unique_old")
DRIVERS = {"python": PythonDriver, "command line": CommandLineDriver}


def tree(folder: Path) -> dict[str, bytes]:
    """Every file beneath, but the journal's."""
    found: dict[str, bytes] = {}
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != ".steadyhand"]
        found |= {
            (Path(place) / name).relative_to(folder).as_posix(): (Path(place) / name).read_bytes() for name in files
        }
    return found


def folders(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_dir() and ".steadyhand" not in path.parts
    }


def play(driver: type[Driver], scenario: Path, root: Path) -> list[Answer]:
    root.mkdir()
    if (scenario / "input").is_dir():
        shutil.copytree(scenario / "input", root, dirs_exist_ok=True)
    script = json.loads((scenario / "calls.json").read_text(encoding="utf-8"))
    player = driver(root, script.get("workspace", {}))
    return [player.run(call) for call in script["calls"]]


def normal(answers: list[Answer]) -> list[Answer]:
    return [{**answer, "files": sorted(answer.get("files", []))} for answer in answers]


def as_far_as_told(answers: list[Answer], told: list[Answer]) -> list[Answer]:
    """The answers without what nobody asked about."""
    pairs = zip_longest(answers, told, fillvalue={})
    return [{key: answer[key] for key in answer if key not in OPTIONAL or key in one} for answer, one in pairs]


def test_there_are_scenarios() -> None:
    assert len(SCENARIOS) >= 30


@pytest.mark.parametrize("driver", DRIVERS.values(), ids=DRIVERS.keys())
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.name)
def test_scenario(scenario: Path, driver: type[Driver], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no configuration"))
    root = tmp_path / "root"
    answers = play(driver, scenario, root)
    told = json.loads((scenario / "outcome.json").read_text(encoding="utf-8"))
    assert normal(as_far_as_told(answers, told)) == normal(told)
    expected = scenario / ("expected" if (scenario / "expected").is_dir() else "input")
    assert tree(root) == tree(expected)
    assert folders(root) == folders(expected)
