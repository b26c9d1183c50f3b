"""Trials: the true change as the reply is right in every way, and each kind of mistake is called by its name."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from steadyhand.agents.model import Message, Offered, Reply, Tokens, ToolCall
from steadyhand.agents.runner import Limits
from steadyhand.agents.score.commits import commit_tasks
from steadyhand.agents.score.grade import same_parsed
from steadyhand.agents.score.reference import reference_tasks
from steadyhand.agents.score.task import Task
from steadyhand.agents.score.trial import Trial, hold_trial
from steadyhand.agents.score.ways import USUAL_WAYS, Way, named_ways
from tests.agents.score.ground import DONE, Unsaid, calls_in, mistaken, random_history, reply_in, repository
from tests.agents.scripted_server import Call, Calls, Step
from tests.table import table

WAYS = named_ways(USUAL_WAYS)


class Says:
    """Says one thing; after a call, that it is done."""

    name = "says"

    def __init__(self, step: Step) -> None:
        self._step = Calls((step,)) if isinstance(step, Call) else step
        self.asked = 0

    async def ask(self, instructions: str, messages: Sequence[Message], tools: Sequence[Offered]) -> Reply:
        self.asked += 1
        if not isinstance(self._step, Calls):
            return Reply(str(self._step), tokens=Tokens(7, 2))
        if self.asked > 1:
            return Reply(DONE, tokens=Tokens(7, 2))
        calls = [ToolCall(str(number), call.name, call.arguments) for number, call in enumerate(self._step.calls)]
        return Reply("", tuple(calls), Tokens(7, 2))


def hold(task: Task, way: Way, step: Step) -> Trial:
    return asyncio.run(hold_trial(Says(step), task, way, Limits()))


def truth(task: Task, way: Way) -> Step:
    return Calls(tuple(calls_in(way.name, task.files))) if way.kind == "toolset" else reply_in(way.name, task.files)


def check_truth(tasks: Sequence[Task], way: Way) -> None:
    unsaid = 0
    for task in tasks:
        try:
            step = truth(task, way)
        except Unsaid:
            unsaid += 1
            continue
        trial = hold(task, way, step)
        assert (trial.first, trial.end, trial.kind, trial.tries) == ("right", "right", None, 1), (way.name, task.id)
    # A snippet cannot say that many lines go: what it leaves out may only have been forgotten.
    assert unsaid <= (len(tasks) // 3 if way.name == "lazy" else 0)


def test_the_true_change_is_right_in_every_way(tmp_path: Path) -> None:
    root = repository(tmp_path / "repo", random_history(40, 3))
    tasks = [*commit_tasks(str(root), count=2, seed="0").tasks, *reference_tasks(96)[::48]]
    for way in WAYS:
        check_truth(tasks, way)


@pytest.mark.sweep
@table("way", WAYS, ids=[way.name for way in WAYS])
def test_the_true_change_of_many_commits_is_right_in_every_way(way: Way, tmp_path: Path) -> None:
    root = repository(tmp_path / "repo", random_history(200, 4))
    check_truth([*commit_tasks(str(root), count=120, seed="0").tasks, *reference_tasks(96)], way)


def test_each_mistake_is_called_by_its_name() -> None:
    task = reference_tasks(5)[1]
    for way in WAYS:
        for mistake in ("different", "wrong-file", "refused", "unparsable"):
            try:
                step = mistaken(way.name, task, mistake)
            except Unsaid:
                continue
            trial = hold(task, way, step)
            assert trial.first == mistake, (way.name, mistake, trial)
            assert (trial.kind is not None) is (
                mistake == "refused" or (mistake, way.kind) == ("unparsable", "dialect")
            )


def test_a_refused_reply_may_be_corrected_once_and_does_not_count_as_a_first_try() -> None:
    task, way = reference_tasks(1)[0], named_ways(["search-replace"])[0]

    class Corrects(Says):
        async def ask(self, instructions: str, messages: Sequence[Message], tools: Sequence[Offered]) -> Reply:
            self.asked += 1
            wrong = mistaken("search-replace", task, "refused")
            return Reply(str(wrong if self.asked == 1 else truth(task, way)), tokens=Tokens(7, 2))

    model = Corrects("")
    trial = asyncio.run(hold_trial(model, task, way, Limits()))
    assert (trial.first, trial.end, trial.kind, trial.tries) == ("refused", "right", "no-match", 2)
    assert trial.tokens == Tokens(14, 4)
    assert model.asked == 2
    assert Trial.of_json(trial.to_json()) is not None


def test_what_is_no_trial_is_read_as_none() -> None:
    good = hold(reference_tasks(1)[0], WAYS[0], "no").to_json()
    assert Trial.of_json(good) is not None
    for name, value in [("task", 1), ("first", "fine"), ("tokens", {"input": "1"}), ("tries", True), ("seconds", -1)]:
        assert Trial.of_json({**good, name: value}) is None, name


@table(
    ("path", "one", "other", "same"),
    [
        ("a.py", "x = 1\n", "x=1  # one\n", True),
        ("a.py", "if a:\n    b\n", "if a:\n\tb\n", True),
        ("a.py", "if a:\n    b\nc\n", "if a:\n    b\n    c\n", False),
        ("a.py", "x = (", "x = (", False),
        ("a.json", '{"a": 1, "b": 2}', '{"b":2,"a":1}', True),
        ("a.json", '{"a": 1}', '{"a": true}', False),
        ("a.json", '{"a": 1}', '{"a": 1.0}', False),
        ("a.toml", "a = 1\n", "a=1 # x\n", True),
        ("a.toml", "a = 1\n", "a = '1'\n", False),
        ("a.yaml", "a: [1, 2]\n", "a:   [1,2]  # x\n", True),
        ("a.yaml", "a: 1\n", "a: '1'\n", False),
        ("a.yaml", "a: &b [x]\nc: [*b, *b]\n", "a: &b [x]\nc: [*b]\n", False),
        ("a.md", "# T\n\nx\n", "# T\nx\n", True),
        ("a.md", "x\n\ny\n", "x\ny\n", False),
        ("a.html", "<p>a <b>b</b></p>", "<p>a\n  <b>b</b></p>", True),
        ("a.html", '<p class="a">', '<p class="b">', False),
        ("a.ts", "const a = [1,2];\n", "const a = [1, 2];\n", True),
        ("a.ts", 'const a = "1 2";\n', 'const a = "1  2";\n', False),
        ("a.go", "package a\n\nvar b = 1\n", "package a\nvar  b = 1\n", True),
        ("a.txt", "a b", "a  b", False),
        ("a.py", "(" * 5_000, "(" * 5_001, False),
        ("a.json", "[" * 100_000, "[" * 100_000, False),
    ],
)
def test_what_only_differs_in_its_layout_is_equivalent(path: str, one: str, other: str, same: bool) -> None:
    assert same_parsed(path, one, other) is same


def test_outcomes_are_counted_once_each() -> None:
    task = reference_tasks(5)[1]
    found = Counter(hold(task, WAYS[0], step).first for step in ("no", truth(task, WAYS[0]), truth(task, WAYS[0])))
    assert found == {"unparsable": 1, "right": 2}
