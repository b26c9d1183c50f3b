"""Promise: on one machine each job of a run ends exactly once in its effect, whatever dies, and says how it ended."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import steadyhand as sh
from steadyhand.bulk.execution import Given, carry_out
from steadyhand.bulk.job import RESULTS, WORKS, Job, read_jobs
from steadyhand.bulk.pool import carry_out_run
from steadyhand.bulk.run_store import BulkSettings
from tests.agents import impact_ground
from tests.bulk.ground import Ground, answer, children, command, git, kill_group, repository, wicked_git
from tests.concurrency.crew import wait_until

DIGITS = {"files": [{"path": "a.md", "edits": [{"target": "two", "new": "2"}]}]}


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


def states(store_and_run: tuple[object, str]) -> dict[str, tuple[str, str | None]]:
    store, run = store_and_run
    return {job.key: (job.state, job.kind) for job in store.jobs(run)}  # type: ignore[attr-defined]


def test_each_kind_of_work_and_result(ground: Ground) -> None:
    repo = repository(ground.folder / "repo", {"a.md": "one\ntwo\n", "docs/b.md": "two\n", "docs/c.md": "three\n"})
    tree = ground.folder / "tree"
    tree.mkdir()
    for name in ("plan", "patch"):
        (tree / f"{name}.md").write_text("one\ntwo\n")
    (tree / "in").mkdir()
    (tree / "in" / "a.md").write_text("one\ntwo\n")
    diff = "--- a/patch.md\n+++ b/patch.md\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
    act = {"glob": "docs/**/*.md", "edits": [{"target": "two", "new": "2"}]}
    own = {"files": [{"path": "plan.md", "edits": [{"target": "two", "new": "2"}]}]}
    at_repo = {"repo": str(repo), "ref": "main", "plan": DIGITS, "reason": "digits, please"}
    ground.jobs = [
        {"key": "plan", "root": str(tree), "plan": own, "reason": "digits"},
        {"key": "patch", "root": str(tree), "patch": diff},
        {"key": "act", "root": str(repo), "act": act},
        {"key": "nothing", "root": str(repo), "act": {"glob": "*.txt", "edits": [{"target": "two", "new": "2"}]}},
        {"key": "shown", "root": str(repo), "plan": DIGITS, "result": "patch"},
        {"key": "own branch", "root": str(repo), "plan": DIGITS, "result": "branch"},
        {"key": "held", "root": str(tree / "in"), "plan": DIGITS, "result": "hold"},
        {"key": "stays", **at_repo},
        {"key": "patched", **at_repo, "result": "patch"},
        {"key": "branched", **at_repo, "result": "branch"},
        {"key": "gone", **at_repo, "ref": "gone", "result": "branch"},
        {"key": "no repo", **at_repo, "repo": str(ground.folder / "nowhere")},
        {"key": "no tree", "root": str(ground.folder / "nowhere"), "plan": DIGITS},
        {"key": "unmatched", "root": str(tree), "plan": DIGITS},
    ]
    store, run = ground.carry_out()
    reports = {job.key: job for job in store.jobs(run)}
    ended = {key: job.state for key, job in reports.items()}
    refused = ("gone", "no repo", "no tree", "unmatched")
    assert ended == {key: "nothing" if key == "nothing" else "refused" if key in refused else "done" for key in reports}
    assert {reports[key].kind for key in refused} == {"no-such-file"}
    assert (tree / "plan.md").read_text() == (tree / "patch.md").read_text() == "one\n2\n"
    assert (repo / "docs/b.md").read_text() == "2\n"
    assert (repo / "a.md").read_text() == "one\ntwo\n", "a patch and a branch leave the tree as it is"
    assert (tree / "in/a.md").read_text() == "one\ntwo\n", "what is held waits for a reviewer"
    with sh.Workspace(tree / "in", task=f"bulk-{run}/held") as workspace:
        assert workspace.held == ("a.md",)
    for key in ("held", "shown", "patched", "stays", "own branch", "branched"):
        assert "-two\n+2\n" in store.diff(run, reports[key].number)
        assert reports[key].files == ("a.md",)
    assert (Path(str(reports["stays"].facts["tree"])) / "a.md").read_text() == "one\n2\n"
    with sh.Workspace(tree) as workspace:
        record = workspace.history("plan.md")[0].record
        assert (record.task, record.reason) == (f"bulk-{run}/plan", "digits")
        assert record.call is not None
        assert (record.call.toolset, record.call.conversation) == ("bulk", run)
    for key, place in (("own branch", repo), ("branched", Path(str(reports["branched"].facts["clone"])))):
        branch = str(reports[key].facts["branch"])
        assert git(place, "show", f"{branch}:a.md") == "one\n2\n"
        message = git(place, "log", "-1", "--format=%B", branch)
        assert f"Steadyhand-Run: {run}\nSteadyhand-Job: {key}\n" in message
    assert git(repo, "status", "--porcelain", "a.md") == ""
    assert git(repo, "worktree", "list").count("\n") == 1, "no worktree is left over"


LOGIN = "docs/login.md"
OLD, NEW = "Five tries in a minute.", "Three tries in a minute."
EDITS = [{"target": OLD, "new": NEW}]
BODIES: dict[str, object] = {
    "plan": {"files": [{"path": LOGIN, "edits": EDITS}]},
    "patch": f"--- a/{LOGIN}\n+++ b/{LOGIN}\n@@ -12,1 +12,1 @@\n-{OLD}\n+{NEW}\n",
    "act": {"glob": "docs/**/*.md", "edits": EDITS},
    "task": {"text": "three", "script": [{"tool": "edit", "arguments": {"path": LOGIN, "edits": EDITS}}, "done"]},
    "impact": {
        "base": "HEAD~1", "docs": ["docs"],
        "script": {
            f"{LOGIN}`. The change": [{"tool": "edit_article", "arguments": impact_ground.FIX_LOGIN.arguments}, "done"],
            "": [{"tool": "no_change_needed", "arguments": {"reasoning": "right as it is"}}],
        },
    },
}  # fmt: skip


@pytest.mark.parametrize("work", WORKS)
def test_every_work_has_every_result_once(work: str, tmp_path: Path) -> None:
    """The same change of one file by each work: where it is to be, nowhere else, and there once."""
    before, after = impact_ground.LOGIN, impact_ground.LOGIN.replace(OLD, NEW)
    given = Given(run="r", folder=str(tmp_path / "state"))
    for result, place in product(RESULTS, ("root", "repo")):
        origin = impact_ground.repository(tmp_path / f"{result}-{place}")
        job = Job.of_json({"key": result, place: str(origin), work: BODIES[work], "result": result, "reason": "asked"})
        first = carry_out(job, given)
        again = carry_out(job, given)
        assert (first.state, first.files, first.error) == ("done", (LOGIN,), None), result
        assert f"-{OLD}\n+{NEW}\n" in first.diff
        assert (again.state, again.files, again.diff) == (first.state, first.files, first.diff)
        assert [each.facts.get("held") for each in (first, again)] == [True if result == "hold" else None] * 2
        tree = Path(str(first.facts.get("tree", origin)))
        assert (tree / LOGIN).read_text() == (after if result == "leave" else before)
        assert tree == origin or (origin / LOGIN).read_text() == before
        impact_ground.check_nothing_else(tree, *[LOGIN] if result == "leave" else [])
        if result == "branch":
            clone, branch = Path(str(first.facts.get("clone", origin))), str(first.facts["branch"])
            assert git(clone, "show", f"{branch}:{LOGIN}") == after
            assert git(clone, "log", "-1", "--format=%s", branch) == "asked\n"
            assert again.facts["commit"] == first.facts["commit"]
        with sh.Workspace(tree) as workspace:
            records = [entry for entry in workspace.history() if entry.record.verb == "edit"]
            assert len(records) == (result == "leave")
            assert [change.state for change in workspace.review().changes] == ["undecided"] * (
                result in ("leave", "hold")
            )


def test_a_run_that_is_carried_out_again_changes_nothing(ground: Ground) -> None:
    ground.appending(12, 4)
    store, run = ground.carry_out()
    # As after the loss of the state, or of a worker between the commit and the note of it.
    other = Ground(ground.folder)
    other.state = ground.folder / "other"
    again = other.store()
    again.make_run(BulkSettings(), run)
    again.add(run, list(read_jobs(json.dumps(job).encode() for job in ground.jobs)))
    again.open_run(run)
    carry_out_run(again, run, 2, other.given(run))
    assert again.status(run).counts["done"] == 12
    assert [job.files for job in again.jobs(run)] == [job.files for job in store.jobs(run)]
    assert [again.diff(run, n + 1) for n in range(12)] == [store.diff(run, n + 1) for n in range(12)]
    ground.check_effects([job["key"] for job in ground.jobs], "bulk-")


@pytest.mark.sweep
def test_a_poisoned_an_endless_and_an_unreachable_job_are_reported_and_the_rest_goes_on(ground: Ground) -> None:
    ground.appending(20, 5)
    for name in ("venom", "forever"):
        repo = repository(ground.folder / name, {"a.md": "one\ntwo\n"})
        ground.jobs.append({"key": name, "repo": str(repo), "plan": DIGITS, "result": "branch"})
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        away = {"key": "away", "repo": f"git://127.0.0.1:{port}/a", "plan": DIGITS, "result": "branch"}
        ground.jobs.append(away)
        ground.jobs.append({"key": "policy", "root": "/", "plan": DIGITS, "policy": {"tier": "none"}})
        with wicked_git(ground.folder / "bin") as env:
            words = ["run", ground.write_jobs(), "--workers", "3", "--seconds", "6", "--lost", "2", "--tries", "2"]
            document = answer("bulk", *words, state=ground.state, env=env, code=1)
    jobs = {job["key"]: job for job in document["jobs"]}
    assert document["counts"]["done"] == 20
    assert (jobs["venom"]["state"], jobs["venom"]["kind"]) == ("failed", "worker-died")
    assert "2 workers died" in jobs["venom"]["error"]
    assert (jobs["forever"]["state"], jobs["forever"]["kind"]) == ("failed", "timed-out")
    assert (jobs["away"]["state"], jobs["away"]["kind"]) == ("failed", "disk-refused")
    assert (jobs["line 24"]["state"], jobs["line 24"]["kind"]) == ("refused", "bad-request")
    ground.check_effects([key for key, job in jobs.items() if job["state"] == "done"], "bulk-")


def test_a_pool_that_is_killed_goes_on_where_it_was(ground: Ground) -> None:
    ground.appending(60, 6)
    jobs = ground.write_jobs()
    process = command("bulk", "run", jobs, "--run", "r1", "--workers", "3", state=ground.state)
    store = ground.store()
    wait_until(lambda: bool(store.runs()) and store.status("r1").counts["done"] > 8, "some jobs are done", pause=0.05)
    kill_group(process)
    assert store.status("r1").left
    other = command("bulk", "resume", "r1", "--workers", "3", state=ground.state)
    wait_until(lambda: store.status("r1").counts["done"] > 20 or other.poll() is not None, "more are done", pause=0.05)
    for pid in children(other.pid):  # its processes, and not itself
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    out, err = other.communicate(timeout=600)
    assert other.returncode == 0, out + err
    document = answer("bulk", "report", "r1", state=ground.state)
    assert document["counts"]["done"] == 60
    ground.check_effects([job["key"] for job in ground.jobs], "bulk-r1")


def test_an_interrupt_and_a_watch_say_how_to_go_on(ground: Ground) -> None:
    ground.appending(400, 2)
    process = command("bulk", "run", ground.write_jobs(), "--run", "r1", "--workers", "1", state=ground.state)
    store = ground.store()
    wait_until(lambda: bool(store.runs()) and store.status("r1").counts["done"] > 3, "some jobs are done", pause=0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 130, out + err
    assert "steadyhand bulk resume r1" in err
    watch = command("bulk", "watch", "r1", state=ground.state)
    out, err = watch.communicate(timeout=600)
    assert watch.returncode == 0, err
    assert "no process is running it; steadyhand bulk resume r1" in out + err
    answer("bulk", "cancel", "r1", state=ground.state)
    refused = answer("bulk", "run", str(ground.folder / "jobs.jsonl"), "--run", "r1", state=ground.state, code=None)
    assert refused["error"]["kind"] == "bad-request"
    assert "was cancelled" in refused["error"]["message"]
    done = [job.key for job in store.jobs("r1", ("done",))]
    ground.check_effects(done, "bulk-r1")


def test_pause_retry_cancel_and_the_stop_rule(ground: Ground) -> None:
    ground.appending(4, 2)
    bad = {"key": "bad", "root": ground.jobs[0]["root"], "plan": DIGITS}
    ground.jobs = [{**bad, "key": f"bad-{number}"} for number in range(3)] + ground.jobs
    jobs, state = ground.write_jobs(), ground.state
    stopped = answer(
        "bulk", "run", jobs, "--run", "r", "--workers", "1", "--stop-at-failures", "2", state=state, code=1
    )
    assert (stopped["state"], stopped["counts"]["refused"]) == ("paused", 2)
    assert stopped["counts"]["waiting"] == 5
    assert answer("bulk", "status", "r", state=state)["why"].startswith("2 of 2 jobs")
    ended = answer("bulk", "cancel", "r", state=state)
    assert (ended["state"], ended["counts"]["cancelled"]) == ("cancelled", 5)
    words = ("bulk", "retry", "r", "--only", "cancelled", "--workers", "1")
    done = answer(*words, state=state, code=1)  # the rule counts from here: one more refusal is none too many
    assert (done["counts"]["done"], done["counts"]["refused"], done["state"]) == (4, 3, "over")
    group = answer("bulk", "status", "r", state=state)["failures"]
    assert [(each["kind"], each["count"]) for each in group] == [("no-such-file", 3)]
    ground.check_effects([job["key"] for job in ground.jobs if job["key"].startswith("job")], "bulk-r")


def test_a_dry_run_over_a_sample_writes_nothing_and_decides(ground: Ground) -> None:
    ground.appending(40, 4)
    jobs, state = ground.write_jobs(), ground.state
    shown = answer("bulk", "run", jobs, "--dry-run", "--sample", "5", "--workers", "2", state=state)
    assert [each["state"] for each in shown["sample"]] == ["done"] * 5
    numbers = [int(each["key"].removeprefix("job-")) for each in shown["sample"]]
    assert [number // 8 for number in numbers] == list(range(5)), "one of each fifth"
    ground.check_effects([], "bulk-")
    (Path(ground.jobs[0]["root"]) / "0.md").unlink()
    held = answer("bulk", "run", jobs, "--run", "r", "--sample", "40", "--workers", "2", state=state, code=1)
    assert held["counts"]["waiting"] == 40
    words = ("bulk", "run", jobs, "--run", "s", "--sample", "40", "--stop-at-failures", "5%", "--workers", "2")
    done = answer(*words, "--patches", str(ground.folder / "patches"), state=state, code=1)
    assert (done["counts"]["done"], done["counts"]["refused"]) == (39, 1)
    assert len(list((ground.folder / "patches").glob("*.patch"))) == 39


@given(st.integers(1, 400), st.integers(1, 60))
@example(100, 20)
@example(400, 50)
@example(300, 60)
def test_a_sample_is_spread_and_takes_no_step_that_jobs_may_have(count: int, asked: int) -> None:
    with TemporaryDirectory() as folder:
        store = Ground(Path(folder)).store()
        run = store.make_run(BulkSettings())
        jobs = [(number, Job(f"k{number}", "/srv", "patch", "x")) for number in range(1, count + 1)]
        store.add(run, jobs)
        found = store.sample(run, asked)
        assert found == store.sample(run, asked)
        store.database.close()
    assert len(set(found)) == len(found) == min(asked, count)
    assert [(number - 1) * asked // count for number in found] == sorted({n * asked // count for n in range(count)})
    for step in range(2, 10):
        if count % asked == 0 and count // asked % step == 0 and asked >= 10 * step:
            most = Counter(number % step for number in found).most_common(1)[0][1]
            assert most <= 2 * asked / step, "as many of each kind as there are, nearly"


class _Busy(BaseHTTPRequestHandler):
    """A model endpoint that is busy at first, and then has an answer."""

    asked: list[str] = []
    busy = 3

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.asked.append(self.path)
        if len(self.asked) <= self.busy:
            self.send_response(429)
            self.send_header("Retry-After", "2")
            body = b'{"error": {"message": "slow down"}}'
        else:
            message = {"role": "assistant", "content": "nothing has to change"}
            reply = {
                "id": "1", "object": "chat.completion", "created": 1, "model": "m",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
            }  # fmt: skip
            self.send_response(200)
            body = json.dumps(reply).encode()
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def busy_endpoint() -> Iterator[str]:
    _Busy.asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Busy)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.sweep
def test_a_model_endpoint_that_is_busy_is_waited_for_and_the_rest_goes_on(ground: Ground, busy_endpoint: str) -> None:
    ground.appending(10, 2)
    tree = ground.folder / "asked"
    tree.mkdir()
    task = {"text": "look", "model": "openai-chat:m", "base_url": busy_endpoint}
    ground.jobs = [{"key": f"ask-{n}", "root": str(tree), "task": task} for n in range(2)] + ground.jobs
    store, run = ground.carry_out(settings=BulkSettings(seconds=120, tries=1, model_jobs=1))
    ended = {job.key: job.state for job in store.jobs(run)}
    assert {key: state for key, state in ended.items() if key.startswith("ask")} == {
        "ask-0": "nothing",
        "ask-1": "nothing",
    }
    assert store.status(run).counts["done"] == 10
    assert len(_Busy.asked) >= 5


def test_a_task_for_a_model_is_done_whole_or_not_at_all(ground: Ground) -> None:
    script = ground.folder / "script.json"
    ground.folder.joinpath("t").mkdir()
    edit = {"tool": "edit", "arguments": {"path": "a.md", "edits": [{"target": "two", "new": "2"}]}}
    more = {"tool": "edit", "arguments": {"path": "a.md", "edits": [{"target": "one", "new": "1"}]}}
    script.write_text(json.dumps([edit, more, "done"]))
    for name in ("whole", "cut"):
        (ground.folder / "t" / name).mkdir()
        (ground.folder / "t" / name / "a.md").write_text("one\ntwo\n")
        task = {"text": "digits", "model": f"script:{script}", **({"max_turns": 1} if name == "cut" else {})}
        ground.jobs.append({"key": name, "root": str(ground.folder / "t" / name), "task": task})
    document = answer("bulk", "run", ground.write_jobs(), "--workers", "1", state=ground.state, code=1)
    jobs = {job["key"]: job for job in document["jobs"]}
    assert (jobs["whole"]["state"], jobs["whole"]["files"]) == ("done", ["a.md"])
    assert (jobs["cut"]["state"], jobs["cut"]["kind"]) == ("failed", "turns")
    assert (ground.folder / "t/whole/a.md").read_text() == "1\n2\n"
    assert (ground.folder / "t/cut/a.md").read_text() == "one\ntwo\n"


def test_an_impact_run_is_a_job(ground: Ground) -> None:
    tree = impact_ground.repository(ground.folder / "tree")
    origin = impact_ground.repository(ground.folder / "origin")
    script = ground.folder / "script.json"
    fixed = {"tool": "edit_article", "arguments": impact_ground.FIX_LOGIN.arguments}
    unchanged = {"tool": "no_change_needed", "arguments": {"reasoning": "right as it is"}}
    script.write_text(json.dumps({"docs/login.md`. The change": [fixed, "Three tries now."], "": [unchanged]}))
    impact = {"base": "HEAD~1", "docs": ["docs"], "model": f"script:{script}"}
    ground.jobs = [
        {"key": "tree", "root": str(tree), "impact": impact},
        {"key": "repo", "repo": str(origin), "impact": impact, "result": "patch"},
        {"key": "no base", "root": str(tree), "impact": {**impact, "base": "gone"}},
        {"key": "no change", "root": str(tree), "impact": {**impact, "base": "HEAD"}},
    ]
    document = answer("bulk", "run", ground.write_jobs(), "--workers", "1", state=ground.state, code=1)
    jobs = {job["key"]: job for job in document["jobs"]}
    assert (jobs["tree"]["state"], jobs["tree"]["files"]) == ("done", ["docs/login.md"])
    impact_ground.check_nothing_else(tree, "docs/login.md")
    assert (jobs["repo"]["state"], jobs["repo"]["files"]) == ("done", ["docs/login.md"])
    impact_ground.check_nothing_else(origin)
    assert (jobs["no base"]["state"], jobs["no base"]["kind"]) == ("refused", "bad-request")
    assert jobs["no change"]["state"] == "nothing"
    # As after the loss of the state: the run of the tree is known by its notes, and nobody is asked again.
    script.write_text("[]")
    words = ("bulk", "run", ground.write_jobs(), "--workers", "1", "--run", document["id"])
    again = answer(*words, state=ground.folder / "other", code=None)
    assert next(job for job in again["jobs"] if job["key"] == "tree") == jobs["tree"]
    impact_ground.check_nothing_else(tree, "docs/login.md")
