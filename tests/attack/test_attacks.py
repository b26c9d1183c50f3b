"""Each attack finds something where the product is broken, and nothing in a step where it is not."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.attack import __main__ as command
from tests.attack.attack import Attack, Attempt, Share
from tests.attack.table import ATTACKS

REPOSITORY = Path(__file__).resolve().parents[2]
BY_NAME = {attack.name: attack for attack in ATTACKS}


def share(seconds: float, seed: str = "a seed") -> Share:
    return Share(time.monotonic() + seconds, random.Random(seed))


def dies(_: Share) -> Any:
    yield Attempt(2)
    raise SystemExit(3)


def finds(_: Share) -> Any:
    yield Attempt(2)
    yield Attempt(3, "a problem")
    raise ValueError("the attack itself is wrong")


@pytest.mark.parametrize(
    ("made", "attempts", "problems"),
    [(lambda _: iter(()), 0, []), (finds, 5, ["a problem", "ValueError"]), (dies, 0, ["died or hung"])],
    ids=["nothing", "finds", "dies"],
)
def test_what_an_attack_finds_is_counted(
    made: Callable[[Share], Any], attempts: int, problems: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    tally = command.run(Attack("one", "tries", lambda given: (yield from made(given))), 60.0, "seed")
    assert tally.attempts == attempts
    assert len(tally.problems) == len(problems)
    assert all(word in problem for word, problem in zip(problems, tally.problems, strict=True))
    assert "| one" in command.rendered([tally])


@pytest.mark.sweep
def test_the_command_says_what_it_did_and_ends_with_zero() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.attack", "--minutes", "0", "--json", "secrets", "link races"],
        cwd=REPOSITORY, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    answer = json.loads(run.stdout)
    assert answer["violations"] == 0
    assert [row["attack"] for row in answer["attacks"]] == ["link races", "secrets"]
    assert all(row["attempts"] for row in answer["attacks"])


def test_an_unknown_attack_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["tests.attack", "none such"])
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert ended.value.code == 2
