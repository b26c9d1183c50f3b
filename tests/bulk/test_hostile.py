"""Promise: whatever a job file, a tree, a repository or an endpoint is like, the answer is clear and nothing leaks."""

from __future__ import annotations

import io
import json
import os
import socket
import stat
import threading
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import steadyhand as sh
from steadyhand.bulk import job as job_module
from steadyhand.bulk.execution import carry_out
from steadyhand.bulk.job import BadLine, batches, read_job, read_jobs, read_lines
from steadyhand.bulk.run_store import AttemptOutcome, Begun, BulkSettings, Wait
from steadyhand.errors import Kind
from steadyhand.surfaces.cli.main import cli
from steadyhand.workspace.run_database import RunDatabase
from tests.bulk.ground import Ground, answer, command, git, kill_group, repository, wicked_git
from tests.concurrency.crew import wait_until
from tests.table import table

DIGITS = {"files": [{"path": "a.md", "edits": [{"target": "two", "new": "2"}]}]}
SECRET = "hun%ter2"


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


def reports(ground: Ground, settings: BulkSettings | None = None) -> dict[str, tuple[str, str | None, str | None]]:
    store, run = ground.carry_out(settings=settings)
    return {job.key: (job.state, job.kind, job.error) for job in store.jobs(run)}


@given(st.lists(st.binary(max_size=12)), st.integers(1, 5))
def test_lines_are_cut_and_counted_as_they_are(parts: list[bytes], limit: int) -> None:
    text = b"\n".join(parts)
    before, job_module._LONGEST_LINE = job_module._LONGEST_LINE, limit
    try:
        found = list(read_lines(io.BytesIO(text)))
    finally:
        job_module._LONGEST_LINE = before
    assert found == [line[: limit + 1] for line in io.BytesIO(text)]


class _Endless(io.RawIOBase):
    """A line of many megabytes, and a job behind it."""

    def __init__(self, size: int) -> None:
        self._left = size
        self._end = b"\n" + json.dumps({"key": "last", "root": "/srv", "patch": "x"}).encode()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        count = min(len(buffer), self._left)
        if count:
            buffer[:count] = b"x" * count
            self._left -= count
            return count
        part, self._end = self._end[: len(buffer)], self._end[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)


def test_a_line_larger_than_the_memory_is_a_refusal_of_that_line() -> None:
    tracemalloc.start()
    found = list(read_jobs(read_lines(io.BufferedReader(_Endless(400 << 20)))))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [number for number, _ in found] == [1, 2]
    assert isinstance(found[0][1], BadLine)
    assert found[0][1].error.kind is Kind.TOO_LARGE
    assert not isinstance(found[1][1], BadLine)
    assert peak < 80 << 20


def test_large_jobs_are_added_a_few_at_a_time() -> None:
    lines = [json.dumps({"key": f"k{n}", "root": "/srv", "patch": "x" * (1 << 20)}).encode() for n in range(12)]
    small = [json.dumps({"key": f"s{n}", "root": "/srv", "patch": "x"}).encode() for n in range(1_100)]
    sizes = [len(batch) for batch in batches(read_jobs([*lines, *small]))]
    assert sum(sizes) == 1_112
    assert max(sizes[:3]) <= 4
    assert max(sizes) == 500


def test_no_key_is_the_name_of_a_line(ground: Ground) -> None:
    """A line that is no job would be lost behind a job of that name."""
    lines = [b'{"key": "line 2", "root": "/srv", "patch": "x"}', b"{broken"]
    store = ground.store()
    run = store.make_run(BulkSettings())
    store.add(run, list(read_jobs(lines)))
    assert [(job.key, job.state) for job in store.jobs(run)] == [("line 1", "refused"), ("line 2", "refused")]


def test_tokens_in_addresses_are_in_no_key_and_no_message(ground: Ground) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{closed.getsockname()[1]}/a.git"
        (ground.folder / "plan.json").write_text(json.dumps(DIGITS))
        (ground.folder / "repos.txt").write_text(f"https://oauth2:{SECRET}@{place} main\nhttp://{SECRET}@{place} v1\n")
        words = ("--plan", str(ground.folder / "plan.json"), "--repos", str(ground.folder / "repos.txt"))
        more = ("--result", "branch", "--tries", "1", "--run", "r", "--workers", "1")
        with ExitStack() as stack:
            process = command("bulk", "run", *words, *more, "--json", state=ground.state)
            stack.callback(kill_group, process)
            said = "".join(process.communicate(timeout=600))
            stack.pop_all()
    report = "".join(command("bulk", "report", "r", state=ground.state).communicate(timeout=600))
    assert SECRET not in said + report
    assert [job["key"] for job in json.loads(said)["jobs"]] == [f"https://{place} main", f"http://{place} v1"]
    assert stat.S_IMODE((ground.state / "runs.db").stat().st_mode) == 0o600, "addresses are kept there"


UNREACHABLE = [
    "postgresql://bob:hun%25ter2@127.0.0.1:1/x",
    f"postgresql://bob:{SECRET}@127.0.0.1:1/x",
    f"postgresql://127.0.0.1:1/x?password={SECRET}",
    f"postgresql://127.0.0.1:1/x?password=hunter2&{SECRET}=1",
    f"postgresql://bob:{SECRET}@@127.0.0.1:1/x",
    f"postgresql://bob:{SECRET}@127.0.0.1:port/x",
    f"postgresql://bob:{SECRET}/x@127.0.0.1/x?queue=a-b",
]


@table("url", UNREACHABLE)
def test_a_queue_that_cannot_be_reached_is_refused_without_its_password(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(RunDatabase.__init__.__kwdefaults__, "first", 0.0)  # a server that is away is asked once
    result = CliRunner().invoke(cli, ["bulk", "status", "--json", "--queue", url])
    assert result.exit_code not in (0, 1), result.output
    check_refused_without_password(result.stdout, result.stderr)
    assert url != UNREACHABLE[0] or "connection refused" in json.loads(result.stdout)["error"]["message"]


def test_a_process_says_no_password_of_a_queue_either(ground: Ground) -> None:
    process = command("bulk", "status", "--json", "--queue", UNREACHABLE[-1], state=ground.state)
    out, err = process.communicate(timeout=600)
    assert process.returncode not in (0, 1), out + err
    check_refused_without_password(out, err)


def check_refused_without_password(out: str, err: str) -> None:
    assert json.loads(out)["error"]["kind"] in ("bad-request", "disk-refused")
    for secret in ("hunter2", SECRET, "ter2"):
        assert secret not in out + err


def test_a_branch_of_somebody_else_is_no_result_of_a_job(ground: Ground) -> None:
    repo = repository(ground.folder / "repo", {"a.md": "one\ntwo\n"})
    ground.jobs = [{"key": "k", "root": str(repo), "plan": DIGITS, "result": "branch"}]
    store, run = ground.carry_out()
    branch = str(next(iter(store.jobs(run))).facts["branch"])
    other = BulkSettings(seconds=60, tries=1)
    again = store.make_run(other, "again")
    store.add(again, list(read_jobs([json.dumps(ground.jobs[0]).encode()])))
    git(repo, "branch", branch.replace(run, again), "main")
    store.open_run(again)
    from steadyhand.bulk.pool import carry_out_run

    carry_out_run(store, again, 1, ground.given(again))
    found = next(iter(store.jobs(again)))
    assert (found.state, found.kind) == ("refused", "exists-already")
    assert git(repo, "show", f"{branch.replace(run, again)}:a.md") == "one\ntwo\n"


def test_a_dirty_tree_strange_names_and_places_that_are_none(ground: Ground) -> None:
    names = {"a\nb.md": "one\ntwo\n", "a.md": "one\ntwo\n", " c'\"$(x).md": "one\ntwo\n", "ü\\n.md": "one\ntwo\n"}
    repo = repository(ground.folder / "r\u00e9po x", names)
    (repo / "a.md").write_text("one\ntwo\nnot committed\n")
    act = {"glob": "*.md", "edits": [{"target": "two", "new": "2"}]}
    outside = {"files": [{"path": "../out.md", "edits": [{"target": "two", "new": "2"}]}]}
    (ground.folder / "out.md").write_text("two\n")
    ground.jobs = [
        {"key": "branch", "root": str(repo), "act": act, "result": "branch"},
        {"key": "outside", "root": str(repo), "plan": outside},
        {"key": "leave", "root": str(repo), "act": act},
        {"key": "missing", "root": str(ground.folder / "nowhere"), "plan": DIGITS, "result": "branch"},
        {"key": "no git", "root": str(ground.folder), "plan": DIGITS, "result": "branch"},
        {"key": "file", "root": str(ground.folder / "out.md"), "plan": DIGITS},
    ]
    store, run = ground.carry_out(processes=1)
    found = {job.key: job for job in store.jobs(run)}
    assert {key: (job.state, job.kind) for key, job in found.items()} == {
        "branch": ("done", None),
        "outside": ("refused", "outside-root"),
        "leave": ("done", None),
        "missing": ("refused", "no-such-file"),
        "no git": ("refused", "no-such-file"),
        "file": ("refused", "no-such-file"),
    }
    plain = set(names) - {"a\nb.md"}  # no list of files has a name that cannot be said in one line
    assert set(found["branch"].files) == set(found["leave"].files) == plain
    for name in plain:
        assert git(repo, "show", f"{found['branch'].facts['branch']}:{name}") == "one\n2\n"
    assert (repo / "a.md").read_text() == "one\n2\nnot committed\n"
    assert (ground.folder / "out.md").read_text() == "two\n"
    patches = ground.folder / "patches"
    answer("bulk", "report", run, "--patches", str(patches), state=ground.state, code=1)
    fresh = ground.folder / "fresh"
    git(ground.folder, "clone", "-q", str(repo), str(fresh))
    place = next(each for each in patches.iterdir() if each.name.startswith("branch"))
    git(fresh, "apply", str(place))
    assert {name: (fresh / name).read_text() for name in plain} == dict.fromkeys(plain, "one\n2\n")


@table(
    ("said", "kind", "again", "is_disk"),
    [
        ("fatal: write error: No space left on device", "disk-refused", True, True),
        ("error: copy-fd: write returned: Disk quota exceeded", "disk-refused", True, True),
        ("fatal: cannot create thread: Cannot allocate memory", "disk-refused", True, True),
        ("", "disk-refused", True, True),  # it was ended by a signal
        ("fatal: unable to access 'https://a/b/': Could not resolve host: a", "disk-refused", True, False),
        ("fatal: unable to connect to a:\na[0: 127.0.0.1]: errno=Connection refused", "disk-refused", True, False),
        ("fatal: unable to access 'https://a/b/': The requested URL returned error: 403", "not-allowed", False, False),
        ("git@a: Permission denied (publickey).", "not-allowed", False, False),
        ("fatal: repository 'https://a/b/' not found", "no-such-file", False, False),
    ],
)
def test_only_the_disk_of_a_worker_lets_it_rest_and_only_what_may_pass_is_tried_again(
    said: str, kind: str, again: bool, is_disk: bool, ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = ground.folder / "git"
    script.write_text(f"#!/bin/sh\ncat >&2 <<'END'\n{said}\nEND\nexit 128\n" if said else "#!/bin/sh\nkill -9 $$\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{ground.folder}:{os.environ['PATH']}")
    job = read_job({"key": "a", "repo": "https://a/b", "plan": DIGITS, "result": "branch"})
    outcome = carry_out(job, ground.given("r"))
    assert (outcome.kind, outcome.again, outcome.is_disk) == (kind, again, is_disk)


def test_equal_keys_in_two_runs_are_two_jobs(ground: Ground) -> None:
    ground.appending(3, 1)
    store, first = ground.carry_out()
    tree = Path(ground.jobs[0]["root"])
    store, second = ground.carry_out()
    assert store.status(first).counts["done"] == store.status(second).counts["done"] == 3
    assert (tree / "0.md").read_text().count("one more\n") == 2
    with sh.Workspace(tree) as workspace:
        tasks = {str(entry.record.task) for entry in workspace.history()}
    assert tasks == {f"bulk-{run}/job-{n}" for run in (first, second) for n in range(3)}


def test_another_job_of_a_run_of_the_same_name_is_not_taken_for_done(ground: Ground) -> None:
    """As where a run was named, its state was removed, and the jobs were edited before it was given again."""
    ground.appending(1, 1)
    tree = Path(ground.jobs[0]["root"])
    words = ("--run", "fix", "--workers", "1")
    answer("bulk", "run", ground.write_jobs(), *words, state=ground.folder / "one")
    again = answer("bulk", "run", ground.write_jobs(), *words, state=ground.folder / "two")
    assert [(job["state"], job["files"]) for job in again["jobs"]] == [("done", ["0.md"])]
    ground.jobs[0]["plan"]["files"][0]["edits"][0]["insert"] = "another\n"
    other = answer("bulk", "run", ground.write_jobs(), *words, state=ground.folder / "three", code=1)
    assert [(job["state"], job["kind"]) for job in other["jobs"]] == [("refused", "exists-already")]
    assert (tree / "0.md").read_text().count("one more\n") == 1
    assert "another" not in (tree / "0.md").read_text()


def test_a_run_is_carried_out_by_one_process_and_can_be_cancelled_meanwhile(ground: Ground) -> None:
    ground.appending(4, 1)
    repo = repository(ground.folder / "forever", {"a.md": "one\ntwo\n"})
    ground.jobs.append({"key": "forever", "repo": str(repo), "plan": DIGITS, "result": "branch"})
    jobs = ground.write_jobs()
    with wicked_git(ground.folder / "bin") as env:
        first = command("bulk", "run", jobs, "--run", "r", "--workers", "1", "--json", state=ground.state, env=env)
        store = ground.store()
        wait_until(lambda: bool(store.runs()) and store.status("r").ends == 4, "four are done", pause=0.05)
        second = answer("bulk", "run", jobs, "--run", "r", state=ground.state, code=None)
        assert second["error"]["kind"] == "busy"
        assert store.status("r").total == 5, "the same file adds nothing"
        answer("bulk", "cancel", "r", state=ground.state)
        out, err = first.communicate(timeout=600)
    found = {job["key"]: job["state"] for job in json.loads(out)["jobs"]}
    assert found == {**{f"job-{n}": "done" for n in range(4)}, "forever": "cancelled"}, err
    assert git(repo, "branch", "--list", "steadyhand/*") == ""
    ground.check_effects([f"job-{n}" for n in range(4)], "bulk-r")


class _Endpoint(BaseHTTPRequestHandler):
    """A model endpoint that makes one edit and is silent then, or answers every request with an error."""

    status = 200
    silence = threading.Event()

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.status == 200 and any(message["role"] == "tool" for message in request["messages"]):
            self.silence.wait()
            return
        arguments = {"path": "a.md", "edits": [{"target": "two", "new": "2"}]}
        call = {"id": "c", "type": "function", "function": {"name": "edit", "arguments": json.dumps(arguments)}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        reply = {
            "id": "1", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }  # fmt: skip
        body = json.dumps(reply if self.status == 200 else {"error": {"message": "no"}}).encode()
        self.send_response(self.status)
        if self.status == 429:
            self.send_header("Retry-After", "5000")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def endpoint() -> Iterator[str]:
    _Endpoint.silence = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Endpoint)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    _Endpoint.silence.set()
    server.shutdown()
    server.server_close()
    thread.join()


def _asking(ground: Ground, endpoint: str, **limits: int) -> None:
    ground.appending(3, 1)
    tree = ground.folder / "asked"
    tree.mkdir()
    (tree / "a.md").write_text("one\ntwo\n")
    task = {"text": "digits", "model": "openai-chat:m", "base_url": endpoint, **limits}
    ground.jobs.insert(0, {"key": "ask", "root": str(tree), "task": task})


@pytest.mark.sweep
@pytest.mark.parametrize(("status", "kind"), [(429, "busy"), (400, "model")])
def test_an_endpoint_that_never_takes_a_request_is_reported_and_the_rest_goes_on(
    ground: Ground, endpoint: str, status: int, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An endpoint whose quota is used up asks to wait for hours: nobody waits for that."""
    monkeypatch.setattr(_Endpoint, "status", status)
    _asking(ground, endpoint)
    found = reports(ground)
    assert found["ask"][:2] == ("failed", kind)
    assert [found[f"job-{n}"][0] for n in range(3)] == ["done"] * 3
    assert (ground.folder / "asked/a.md").read_text() == "one\ntwo\n"


@pytest.mark.sweep
def test_an_endpoint_that_falls_silent_costs_the_time_of_its_job_and_leaves_the_tree(
    ground: Ground, endpoint: str
) -> None:
    _asking(ground, endpoint)
    found = reports(ground, BulkSettings(seconds=15, tries=1))
    assert found["ask"][:2] == ("failed", "timed-out")
    assert (ground.folder / "asked/a.md").read_text() == "one\ntwo\n", "what it may have made is taken back"


@pytest.mark.sweep
def test_a_task_that_is_cancelled_leaves_the_tree_as_it_was(ground: Ground, endpoint: str) -> None:
    _asking(ground, endpoint)
    changed = ground.folder / "asked/a.md"
    process = command("bulk", "run", ground.write_jobs(), "--run", "r", "--workers", "1", state=ground.state)
    wait_until(lambda: changed.read_text() == "one\n2\n", "the model has made an edit", pause=0.05)
    answer("bulk", "cancel", "r", state=ground.state)
    process.communicate(timeout=600)
    assert process.returncode == 1
    assert changed.read_text() == "one\ntwo\n"
    assert ground.store().status("r").counts["cancelled"] == 4


@pytest.mark.parametrize("step", [-86_400.0, -60.0, 86_400.0])
def test_a_clock_that_is_set_makes_no_job_wait(ground: Ground, step: float, monkeypatch: pytest.MonkeyPatch) -> None:
    ground.appending(1, 1)
    store = ground.store()
    run = store.make_run(BulkSettings())
    store.add(run, list(read_jobs([json.dumps(ground.jobs[0]).encode()])))
    store.open_run(run)
    begun = store.begin(run, 1, "one")
    assert isinstance(begun, Begun)
    store.put_back(begun, AttemptOutcome("failed", again=True), 30.0)
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + step)
    wait = store.begin(run, 1, "two")
    assert isinstance(wait, Wait)
    assert 0 < wait.seconds <= 30
    other = ground.store()  # a process that was started after the clock was set
    late = other.begin(run, 1, "three")
    assert isinstance(late, Begun) if abs(step) > 3_600 else isinstance(late, Wait)
    other.database.close()
    store.database.close()


def test_a_push_that_another_worker_made_is_found(ground: Ground, tmp_path: Path) -> None:
    """As where a worker pushed a branch and was lost before it could say so, and its disk with it."""
    repo = repository(tmp_path / "hub", {"a.md": "one\ntwo\n"})
    ground.jobs = [{"key": "k", "repo": str(repo), "ref": "main", "plan": DIGITS, "result": "branch"}]
    store, run = ground.carry_out(settings=BulkSettings(seconds=60, tries=1, push=True))
    commit = next(iter(store.jobs(run))).facts["commit"]
    other = Ground(tmp_path)
    other.jobs, other.state = ground.jobs, tmp_path / "other"
    again = other.store()
    again.make_run(BulkSettings(seconds=60, tries=1, push=True), run)
    again.add(run, list(read_jobs([json.dumps(ground.jobs[0]).encode()])))
    again.open_run(run)
    from steadyhand.bulk.pool import carry_out_run

    carry_out_run(again, run, 1, other.given(run))
    found = next(iter(again.jobs(run)))
    assert (found.state, found.facts["commit"]) == ("done", commit)
    assert git(repo, "branch", "--list").count("steadyhand/") == 1
