"""A slice of the fleet simulator: small fleets that misbehave in every way, in one process and in several."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from benches.fleet.__main__ import main
from benches.fleet.report import Figures
from benches.fleet.running import run_fleet
from benches.fleet.settings import Fleet
from tests.concurrency.crew import shared_root

HOT = 0.8


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A folder on the fastest disk there is."""
    with shared_root(tmp_path) as root:
        made = root.parent / "fleet"
        made.mkdir()
        yield made


def check(figures: Figures) -> None:
    assert figures.disagreements == []
    assert figures.edits > 0
    assert figures.conflicts > 0, "they did meet"


def test_a_fleet_that_takes_turns_and_misbehaves_in_every_way_loses_nothing(home: Path) -> None:
    figures = run_fleet(Fleet(12, files=3, overlap=HOT, seed=4), home)
    check(figures)
    assert figures.deaths >= 1


def test_the_same_seed_is_the_same_schedule(home: Path) -> None:
    fleet = Fleet(6, files=2, tasks=1, overlap=HOT, seed=7, misbehave=frozenset({"stale", "skew"}))
    ledgers = []
    for name in ("one", "two"):
        (home / name).mkdir()
        run_fleet(fleet, home / name)
        said = [json.loads(line) for line in (home / name / "worker-0.jsonl").read_text().splitlines()]
        ledgers.append([(line["what"], line["agent"], line["step"], line.get("kind")) for line in said])
    assert ledgers[0] == ledgers[1]


@pytest.mark.sweep
def test_processes_that_are_killed_and_started_again_lose_nothing(home: Path) -> None:
    figures = run_fleet(Fleet(9, files=2, overlap=HOT, seed=3, processes=3, kills=1), home)
    check(figures)
    assert figures.deaths >= 1


@pytest.mark.sweep
def test_a_fleet_on_postgresql_loses_nothing(home: Path, postgres_url: str) -> None:
    check(run_fleet(Fleet(6, files=2, overlap=HOT, store=postgres_url, seed=4), home))


def test_the_command_prints_its_figures_and_keeps_the_stores_address_to_itself(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = ["--agents", "3", "--files", "1", "--tasks", "1", "--misbehave", "none", "--folder", str(home)]
    assert main(small) == 0
    assert "3 agents, sqlite, one process, seed 1: every promise kept" in capsys.readouterr().out
    assert main([*small, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["fleet"]["store"] == "sqlite"
    assert answer["runs"][0]["disagreements"] == []


def test_misbehaviour_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="misbehaviour is some of stale, crash, pause, skew, not sleep"):
        Fleet(misbehave=frozenset({"sleep"}))
