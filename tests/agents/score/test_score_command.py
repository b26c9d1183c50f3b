"""`steadyhand score` with a model whose skill is known: table and advice are right, whatever the server does.

A rate limit, a cut connection, garbage, a server that cannot stream: no result is lost and none is counted twice. A run
that is killed goes on where it was; tokens are bounded; a second writer is refused.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import steadyhand as sh
from steadyhand.agents.score.commits import commit_tasks
from steadyhand.agents.score.reference import reference_tasks
from steadyhand.agents.score.task import Task
from steadyhand.surfaces.cli.main import cli
from tests.agents.score.ground import SkilledServer, random_history, repository
from tests.agents.scripted_server import Drop, Endless, Raw, Status, Step, Whole, scripted

MODEL = "openai-chat:skilled"
USAGE = 110  # tokens of each reply, as the server counts them


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = repository(tmp_path / "repo", random_history(60, 5))
    monkeypatch.chdir(made)
    monkeypatch.setenv("STEADYHAND_MODEL", MODEL)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("STEADYHAND_API_KEY", raising=False)
    return made


def server(tasks: tuple[Task, ...], **skilled: Any) -> Any:
    def make(script: Any) -> SkilledServer:
        return SkilledServer(script, tasks=tasks, **skilled)

    return scripted(["unused"], make)  # type: ignore[arg-type]


def run(url: str, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["score", "--base-url", url, *arguments])


def score(url: str, *arguments: str, code: int = 0) -> dict[str, Any]:
    result = run(url, "--json", *arguments)
    assert result.exit_code == code, result.output
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def rates(card: dict[str, Any]) -> dict[str, tuple[int, int]]:
    return {row["way"]: (row["firstTry"]["count"], row["firstTry"]["of"]) for row in card["ways"]}


def fails(every: dict[str, int], mistake: str = "refused") -> Callable[[str, Task], str | None]:
    """Of each way's tasks every so manyth is answered with a mistake, by the number in the task's id."""
    numbers: dict[str, dict[str, int]] = {}

    def skill(way: str, task: Task) -> str | None:
        number = numbers.setdefault(way, {}).setdefault(task.id, len(numbers.get(way, {})))
        return mistake if way in every and number % every[way] == 0 else None

    return skill


@pytest.mark.sweep
def test_the_table_and_the_advice_are_those_of_the_skill(root: Path) -> None:
    tasks = commit_tasks(str(root), count=16, seed="0").tasks
    assert len(tasks) == 16
    skill = fails({"unified": 2, "whole": 8, "core": 1}, "corrected")
    with server(tasks, skill=skill) as model:
        document = score(model.url, "--tasks", "16", "--ways", "search-replace,unified,whole,core,claude")
    card = document["score"]
    assert rates(card) == {
        "search-replace": (16, 16), "claude": (16, 16), "whole": (14, 16), "unified": (8, 16), "core": (0, 16),
    }  # fmt: skip
    by_way = {row["way"]: row for row in card["ways"]}
    assert by_way["unified"]["outcomes"]["refused"] == 8
    assert by_way["unified"]["refusals"] == {"no-match": 8}
    assert by_way["unified"]["tokens"] == (8 + 8 * 2) * USAGE
    assert by_way["unified"]["perGood"]["tokens"] == (8 + 8 * 2) * USAGE / 16
    assert (by_way["unified"]["end"]["count"], by_way["unified"]["retries"]) == (16, 8)
    assert by_way["core"]["end"]["count"] == 0
    assert by_way["search-replace"]["firstTry"]["low"] < 0.9 < by_way["search-replace"]["firstTry"]["high"] == 1.0
    advice = card["advice"]
    assert (advice["toolset"], advice["dialect"]) == ("claude", "search-replace")
    assert "Use the toolset claude for this model: 100 % first-try (81–100 %, 16 of 16) against 0 %" in advice["text"]
    assert "SEARCH/REPLACE and whole files are not shown to differ" in advice["text"]
    assert "Unified diffs are worse than SEARCH/REPLACE" in advice["text"]
    assert "Tools and text are not shown to differ" in advice["text"]
    assert sum(model.asked.values()) == len(model.requests)
    assert {row["name"] for row in card["fileTypes"]} == {task.type for task in tasks}
    assert document["saved"] == "toolset = claude, dialect = search-replace"
    entry = f'[models."{MODEL}"]\ntoolset = "claude"\ndialect = "search-replace"\n'
    assert (root / "steadyhand.toml").read_text() == entry


def test_a_person_reads_a_table_and_the_advice(root: Path) -> None:
    tasks = reference_tasks(12)
    with server(tasks, skill=fails({"unified": 1}, "unparsable")) as model:
        result = run(model.url, "--tasks", "reference:12", "--ways", "sr,unified,gemini")
    assert result.exit_code == 0, result.output
    assert "12 reference tasks (reference-1)" in result.stdout
    assert "Use SEARCH/REPLACE for this model: 100 % first-try (76–100 %, 12 of 12) against 0 % with unified diffs" in (
        result.stdout
    )
    rows = [row.split() for row in result.stdout.splitlines()]
    assert ["search-replace", "100", "%", "(12", "of", "12)", "76–100", "100", "%", "110"] in [
        row[:10] for row in rows
    ], rows
    again = CliRunner().invoke(cli, ["score", "--tasks", "reference:12", "--show"])
    assert again.exit_code == 0
    assert again.stdout == result.stdout[: result.stdout.index("wrote ")]


def test_few_results_and_a_model_that_can_nothing_are_said_to_be_that(root: Path) -> None:
    with server(reference_tasks(3)) as model:
        advice = score(model.url, "--tasks", "reference:3", "--ways", "whole,core")["score"]["advice"]
    assert advice["toolset"] is advice["dialect"] is None
    assert "too few results" in advice["text"]
    assert not (root / "steadyhand.toml").exists()
    bad = fails({"whole": 1, "core": 1}, "unparsable")
    with server(reference_tasks(6), skill=bad) as model:
        advice = score(model.url, "--tasks", "reference:6", "--ways", "whole,core", "--seed", "0", "--afresh")
    assert "None of the toolsets" in advice["score"]["advice"]["text"]
    assert advice["saved"] is None


def test_rate_limits_cut_connections_and_garbage_cost_no_result(root: Path) -> None:
    tasks = reference_tasks(6)
    trouble: list[Step] = [
        Status(429, "0"), Status(429, "0"), Drop(50), Status(503, "0"), Raw(b"data: {broken\n\n"), Status(500, "0"),
    ]  # fmt: skip
    with server(tasks, trouble=trouble) as model:
        card = score(model.url, "--tasks", "reference:6", "--ways", "search-replace,claude-code", "--jobs", "3")[
            "score"
        ]
    assert rates(card) == {"search-replace": (6, 6), "claude-code": (6, 6)}


def test_a_server_that_cannot_stream_is_asked_for_whole_replies(root: Path) -> None:
    class Still(SkilledServer):
        def next_step(self, request: dict[str, Any]) -> Step:
            return Whole(super().next_step(request))

    tasks = reference_tasks(6)
    with scripted(["unused"], lambda script: Still(script, tasks=tasks)) as model:  # type: ignore[arg-type]
        card = score(model.url, "--tasks", "reference:6", "--ways", "v4a,gemini")["score"]
    assert rates(card) == {"v4a": (6, 6), "gemini": (6, 6)}


def test_a_model_that_no_longer_replies_ends_the_run_and_what_is_known_stays(root: Path) -> None:
    tasks = reference_tasks(6)
    with server(tasks, trouble=[*[None] * 4, *[Status(401)] * 3]) as model:  # type: ignore[list-item]
        document = score(model.url, "--tasks", "reference:6", "--ways", "whole", "--retries", "0", code=1)
        assert document["error"]["kind"] == "model"
        assert document["score"]["done"] == 4
        assert not (root / "steadyhand.toml").exists()
        asked = len(model.requests)
        document = score(model.url, "--tasks", "reference:6", "--ways", "whole", "--resume")
    assert rates(document["score"]) == {"whole": (6, 6)}
    assert len(model.requests) == asked + 2
    assert all(count == 1 for count in model.asked.values())


def test_an_endless_reply_is_a_model_that_does_not_reply(root: Path) -> None:
    with server(reference_tasks(1), trouble=[Endless(pieces=300)] * 9) as model:
        document = score(model.url, "--tasks", "reference:1", "--ways", "whole", "--retries", "0", code=1)
    assert document["score"]["done"] == 0
    assert "longer than" in document["error"]["message"]


def test_tokens_are_bounded_and_a_higher_bound_goes_on(root: Path) -> None:
    tasks = reference_tasks(8)
    options = ("--tasks", "reference:8", "--ways", "whole,unified")
    with server(tasks) as model:
        document = score(model.url, *options, "--max-tokens", str(USAGE * 11), code=1)
        assert document["error"]["kind"] == "budget"
        assert document["score"]["tokens"] == {"input": 1_100, "output": 110}
        assert len(model.requests) == 11
        assert rates(document["score"]) == {"whole": (6, 6), "unified": (5, 5)}
        assert score(model.url, *options, "--max-tokens", str(USAGE * 11), "--resume", code=1)["score"]["done"] == 11
        assert len(model.requests) == 11
        document = score(model.url, *options, "--resume")
    assert rates(document["score"]) == {"whole": (8, 8), "unified": (8, 8)}
    assert len(model.requests) == 16


def test_what_is_known_is_not_thrown_away_unasked(root: Path) -> None:
    options = ("--tasks", "reference:6", "--ways", "whole")
    with server(reference_tasks(6)) as model:
        first = score(model.url, *options)
        assert score(model.url, *options, code=45)["error"]["kind"] == "exists-already"
        assert rates(score(model.url, *options, "--resume")["score"]) == rates(first["score"])
        changed = score(model.url, "--tasks", "reference:6", "--ways", "whole,unified", "--resume", code=20)
        assert changed["error"]["kind"] == "stale-source"
        assert "ways" in changed["error"]["message"]
        assert len(model.requests) == 6
        score(model.url, *options, "--afresh")
        assert len(model.requests) == 12


def test_a_state_file_of_somebody_else_is_refused_and_kept(root: Path, tmp_path: Path) -> None:
    for number, content in enumerate([b"hello", b'{"a": 1}\n', b'{"score": 1}\nbroken\n', b'["score"]\n', b"\0"]):
        file = tmp_path / f"{number}.jsonl"
        file.write_bytes(content)
        with server(reference_tasks(1)) as model:
            options = ("--tasks", "reference:1", "--state", str(file))
            for more in ((), ("--resume",), ("--show",)):
                assert run(model.url, *options, *more, "--json").exit_code != 0, (content, more)
            assert not model.requests
        assert file.read_bytes() == content


@pytest.mark.sweep
def test_a_killed_run_goes_on_and_no_trial_is_asked_twice(root: Path) -> None:
    """Killed again and again while it asks; in the end every trial is there once, and one at most was asked again."""
    tasks = reference_tasks(6)
    options = ["--tasks", "reference:6", "--ways", "whole,core", "--json", "--no-save"]
    with server(tasks) as model:
        command = [sys.executable, "-m", "steadyhand", "score", "--base-url", model.url, *options]
        kills = 0
        for turn in range(2):
            before = len(model.requests)
            more = ["--resume"] if turn else []
            process = subprocess.Popen([*command, *more], env=os.environ, stdout=subprocess.DEVNULL)
            while len(model.requests) < before + 5 and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            kills += process.wait() == -signal.SIGKILL
        document = score(model.url, *options, "--resume")
    assert kills == 2
    assert rates(document["score"]) == {"whole": (6, 6), "core": (6, 6)}
    again = sum(model.asked.values()) - (6 + 2 * 6)
    assert again <= kills * 2  # a trial with tools is two requests
    log = next(Path(os.environ["XDG_STATE_HOME"]).rglob("score/*.jsonl"))
    rows = [json.loads(row) for row in log.read_text().splitlines()]
    assert len({(row["task"], row["way"]) for row in rows[1:]}) == len(rows) - 1 == 12
    assert not list(root.glob(".steadyhand*"))


def test_a_second_run_of_the_same_score_is_refused(root: Path) -> None:
    from steadyhand.workspace.json_lines import RunLog

    with server(reference_tasks(1)) as model:
        state = root.parent / "state.jsonl"
        with RunLog(state, "score").writing():
            options = ("--tasks", "reference:1", "--state", str(state), "--json")
            result = run(model.url, *options)
    assert json.loads(result.stdout)["error"]["kind"] == "busy"


def test_the_repository_is_not_touched_and_secrets_are_not_sent(root: Path) -> None:
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file() and ".git/" not in str(path)}
    tasks = commit_tasks(str(root), count=4, seed="0").tasks
    with server(tasks) as model:
        score(model.url, "--tasks", "4", "--ways", "whole,claude", "--no-save")
        assert ".env" not in json.dumps(model.requests)
    assert {path: path.read_bytes() for path in before} == before
    assert sorted(path.name for path in root.iterdir()) == sorted(
        {path.relative_to(root).parts[0] for path in before} | {".git"}
    )


def test_a_dry_run_lists_the_tasks_and_asks_nothing(root: Path) -> None:
    result = CliRunner().invoke(cli, ["score", "--dry-run", "--tasks", "5", "--json"])
    document = json.loads(result.stdout)
    assert document["trials"] == 5 * 12
    assert [task["id"] for task in document["tasks"]] == [
        t.id for t in commit_tasks(str(root), count=5, seed="0").tasks
    ]
    assert "1 " in CliRunner().invoke(cli, ["score", "--dry-run", "--tasks", "5"]).stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("--tasks", "0"), ("--tasks", "many"), ("--tasks", "other:3"), ("--ways", "no-such-way"), ("--max-tokens", "0"),
        ("--model", ""), ("--jobs", "0"), ("--repo", "/no/such/place"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused(root: Path, arguments: tuple[str, ...]) -> None:
    result = CliRunner().invoke(cli, ["score", "--json", "--base-url", "http://127.0.0.1:9/v1", *arguments])
    assert result.exit_code not in (0, 1)
    assert json.loads(result.stdout)["ok"] is False


def test_the_entry_is_an_ordinary_edit_that_keeps_what_else_is_there(root: Path) -> None:
    file = root / "steadyhand.toml"
    options = ("--tasks", "reference:6", "--ways", "whole,core,claude")
    entry = f'[models."{MODEL}"]\ntoolset = "claude"\ndialect = "whole"\n'
    other = '# mine\n\n[models."other"]\ntoolset = "vault"\n'
    starts = {
        f'# mine\n[models."{MODEL}"]\ntoolset = "gemini"  # why\n': (
            f'# mine\n[models."{MODEL}"]\ntoolset = "claude"  # why\ndialect = "whole"\n'
        ),
        other: f"{other}\n{entry}",
        "# mine\n": f"# mine\n\n{entry}",
    }
    with server(reference_tasks(6), skill=fails({"core": 2})) as model:
        for number, (before, after) in enumerate(starts.items()):
            file.write_text(before)
            score(model.url, *options, *(("--resume",) if number else ()))
            assert file.read_text() == after
    with sh.Workspace(root) as ws:
        entry = ws.history("steadyhand.toml")[0]
        assert "first-try" in str(entry.record.files[0].edits[0].reason)
        ws.undo(entry.record.id)
    assert file.read_text() == "# mine\n"
