"""`steadyhand impact run | show | report` and `export --run`: also on a real terminal, and killed behind a write."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import steadyhand as sh
from steadyhand.session.host import host_of
from steadyhand.surfaces.cli.main import cli
from tests.agents.impact_ground import (
    DONE,
    FILES,
    FIX_LOGIN,
    GOOD,
    by_article,
    by_path,
    check_nothing_else,
    edit,
    impact,
    no_change,
    only,
    repository,
    statuses,
)
from tests.agents.scripted_server import Call, ScriptedServer, Status, Step, scripted, text_of

SOURCE = Path(__file__).parent.parent.parent / "src"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = repository(tmp_path / "repo")
    monkeypatch.chdir(made)
    monkeypatch.setenv("STEADYHAND_MODEL", "openai-chat:scripted")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return made


def call(*words: str) -> Result:
    return CliRunner().invoke(cli, ["impact", *words])


def run(server: ScriptedServer, *words: str) -> Result:
    return call("run", "--base", "HEAD~1", "--base-url", server.url, *words)


def document(result: Result) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_a_run_is_shown_as_it_goes_and_kept(root: Path) -> None:
    with scripted(by_article(GOOD)) as server:
        result = run(server, "--yes")
    assert result.exit_code == 0, result.output
    for said in ("updated   docs/login.md", "+Three tries in a minute.", "reason: MAX_TRIES is 3 now", "3 updated"):
        assert said in result.output
    listed = document(call("show", "--json"))["runs"]
    record = document(call("show", listed[0]["id"][:6], "--json"))
    assert statuses(record) == {"limits.md": "updated", "login.md": "updated", "start.md": "updated"}
    assert "docs/login.md" in call("show", record["id"]).output
    lines = CliRunner().invoke(cli, ["export", "--articles", "--run", record["id"]]).stdout.splitlines()
    assert [json.loads(line)["path"] for line in lines] == [each["path"] for each in record["articles"]]
    undone = CliRunner().invoke(cli, ["undo", "--task", f"impact-{record['id']}"])
    assert undone.exit_code == 0, undone.output
    check_nothing_else(root)
    assert set(statuses(document(call("show", record["id"], "--json"))).values()) == {"unchanged"}


def test_a_dry_run_and_exit_codes(root: Path) -> None:
    with scripted(by_article(GOOD)) as server:
        result = run(server, "--dry-run", "--json", "--fail-on", "stale", "--transcript", "../talk.json")
        assert result.exit_code == 3
        conversation = json.loads((root.parent / "talk.json").read_text())
        assert [each["role"] for each in conversation["docs/login.md"]] == [
            "system",
            "user",
            "assistant",
            "tool",
            "assistant",
        ]
        assert statuses(document(result))["login.md"] == "updated"
        check_nothing_else(root)
    with scripted(by_article(only("docs/login.md", Status(401)))) as server:
        result = run(server, "--yes", "--json")
        assert (result.exit_code, document(result)["ok"]) == (1, False)
        assert run(server, "--yes", "--json", "--fail-on", "failed").exit_code == 3
    with scripted(by_article(only("docs/login.md", no_change()))) as server:
        assert run(server, "--yes", "--json", "--fail-on", "stale").exit_code == 0


def test_nobody_at_a_terminal_must_say_what_is_meant(root: Path) -> None:
    with scripted(by_article(GOOD)) as server:
        result = run(server, "--json")
    assert document(result)["error"]["kind"] == "bad-request"
    assert "--dry-run" in document(result)["error"]["hint"]
    assert server.requests == []


def test_a_report_is_safe_whatever_the_model_said(root: Path) -> None:
    evil = "<script>alert(1)</script> @team ![x](http://evil.example/p.png) ``` \x1b[31m \u202e #12 | `x`"
    fence = edit("docs/login.md", "Five tries in a minute.", f"Three tries.\n\n````\n{evil}\n````", evil)
    with scripted(by_article(only("docs/login.md", fence, evil))) as server:
        assert run(server, "--yes", "--no-propagate").exit_code == 0
    page = call("report", "--format", "html").stdout
    assert "<script" not in page.replace("&lt;script", "")
    assert "http://" not in page.split("<body>")[0]
    assert "&lt;script&gt;" in page
    assert "default-src 'none'" in unescape(page)
    for unsafe in ("\x1b", "\u202e"):
        assert unsafe not in page
    text = call("report").stdout
    assert "## Documentation impact" in text
    fenced = max(len(line) - len(line.lstrip("`")) for line in text.splitlines())
    assert fenced == 5  # longer than the fence inside the patch
    outside = text.split("`````diff")[0] + text.rsplit("`````", 1)[1]
    assert "<script" not in outside.replace("\\<script", "")
    assert "@team" not in outside
    assert "![x" not in outside
    assert "://" not in outside
    reported = json.loads(call("report", "--format", "json").stdout)
    assert reported["adoption"] == {"edit_article": 1, "write_file": 0}
    assert call("report", "-o", "report.html", "--format", "html").exit_code == 0
    assert (root / "report.html").read_text() == page


def test_reports_tell_what_was_left_and_what_failed(root: Path) -> None:
    impact(root, only("docs/login.md", Status(401)), propagate=False)
    text = call("report").stdout
    assert "### Failed" in text
    assert "### Judged right" in text
    assert "> a reader meets none of it" in text


def test_a_run_that_there_is_not(root: Path) -> None:
    assert document(call("show", "abcdef", "--json"))["error"]["kind"] == "no-such-file"
    assert document(call("report", "--json"))["error"]["kind"] == "no-such-file"


# Killed right behind a write, then gone on with


def test_a_process_that_dies_behind_a_write_loses_nothing_and_goes_on(root: Path) -> None:
    died = threading.Event()
    children: list[subprocess.Popen[bytes]] = []

    class Killing(ScriptedServer):
        def next_step(self, request: dict[str, Any]) -> Step:
            if any(message["role"] == "tool" for message in request["messages"]) and not died.is_set():
                children[0].send_signal(signal.SIGKILL)  # the edit is written and recorded by now
                died.set()
            return super().next_step(request)

    script = only("docs/limits.md", no_change()) | {"docs/login.md": [FIX_LOGIN, DONE], "docs/limits.md": [no_change()]}
    with scripted(by_article(script), Killing) as server:
        children.append(process(server, "--yes", "--jobs", "1", "--no-propagate", "--json"))
        children[0].communicate(timeout=300)
        assert children[0].returncode == -signal.SIGKILL
        with sh.Workspace(root) as ws:
            held = host_of(ws).runs.run(str(host_of(ws).runs.runs()[0]["id"]))
        assert held["end"] == "unfinished"
        login = by_path(held)["docs/login.md"]
        assert (login["status"], login["editReasons"]) == ("partial", ["MAX_TRIES is 3 now"])
        assert "+Three tries in a minute." in login["patch"]
        assert (root / "docs/login.md").read_text() == FILES["docs/login.md"].replace("Five tries", "Three tries")
    resumed = impact(root, only("docs/login.md", no_change("it says three already")), resume=str(held["id"]))
    assert resumed["id"] == held["id"]
    assert statuses(resumed)["limits.md"] == "unchanged"
    login = by_path(resumed)["docs/login.md"]
    assert login["editReasons"] == ["MAX_TRIES is 3 now"]
    assert "+Three tries in a minute." in login["patch"]
    assert login["status"] == "updated"


def process(server: ScriptedServer, *words: str, **more: Any) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "TERM": "dumb"}
    command = [
        sys.executable,
        "-m",
        "steadyhand",
        "impact",
        "run",
        "--base",
        "HEAD~1",
        "--base-url",
        server.url,
        *words,
    ]
    streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    # Whoever runs the tests in the background has interrupts ignored, and children would inherit that.
    return subprocess.Popen(command, env=environment, preexec_fn=_hear_interrupts, **{**streams, **more})


def _hear_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


# A person at a terminal


class Terminal:
    """A process on a pseudo-terminal, and a person who waits for a text and types."""

    def __init__(self, master: int, child: subprocess.Popen[bytes]) -> None:
        self._master = master
        self.child = child
        self.seen = ""
        self._from = 0

    def expect(self, text: str) -> None:
        while text not in self.seen[self._from :]:
            assert select.select([self._master], [], [], 300)[0], self.seen
            try:
                data = os.read(self._master, 65_536)
            except OSError:
                data = b""
            assert data, f"ended before {text!r}:\n{self.seen}"
            self.seen += data.decode("utf-8", "replace").replace("\r\n", "\n")
        self._from = self.seen.index(text, self._from) + len(text)

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def end(self) -> int:
        while True:
            try:
                data = os.read(self._master, 65_536)
            except OSError:
                break
            if not data:
                break
            self.seen += data.decode("utf-8", "replace").replace("\r\n", "\n")
        return self.child.wait(timeout=300)


@contextmanager
def terminal(script: dict[str, Sequence[Step]], *words: str) -> Iterator[tuple[Terminal, ScriptedServer]]:
    with scripted(by_article(script)) as server:
        master, slave = pty.openpty()
        child = process(server, *words, stdin=slave, stdout=slave, stderr=slave)
        os.close(slave)
        try:
            yield Terminal(master, child), server
        finally:
            if child.poll() is None:
                child.kill()
            child.wait()
            os.close(master)


CHOOSE, JUDGE = "[q]uit", "re[m]ark"


def test_a_person_views_skips_accepts(root: Path) -> None:
    with terminal(GOOD) as (person, _):
        person.expect(CHOOSE)
        assert "[1/2] docs/limits.md" in person.seen
        person.type("v\n")
        person.expect("symbol")
        person.expect(CHOOSE)
        person.type("s\n")
        person.expect("[2/2] docs/login.md")
        person.expect(CHOOSE)
        person.type("u\n")
        person.expect("+Three tries in a minute.")
        person.expect("reason: MAX_TRIES is 3 now")
        person.expect(JUDGE)
        check_nothing_else(root)  # nothing is written before it is accepted
        person.type("a\n")
        person.expect("docs/start.md")
        person.expect(CHOOSE)
        person.type("q\n")
        assert person.end() == 0
    check_nothing_else(root, "docs/login.md")
    with sh.Workspace(root) as ws:
        record = host_of(ws).runs.run(str(host_of(ws).runs.runs()[0]["id"]))
    assert statuses(record) == {"limits.md": "skipped", "login.md": "updated", "start.md": "skipped"}
    assert by_path(record)["docs/login.md"]["editReasons"] == ["MAX_TRIES is 3 now"]
    assert record["end"] == "stopped"


@pytest.mark.sweep
def test_a_remark_goes_back_to_the_model_once(root: Path) -> None:
    second = edit(
        "docs/login.md", "Three tries in a minute.", "At most three tries in a minute.", "as the reviewer says"
    )
    script = {"docs/limits.md": [no_change()], "docs/login.md": [FIX_LOGIN, DONE, second, DONE]}
    with terminal(script, "--no-propagate") as (person, server):
        for answer in ("u\n", "u\n"):
            person.expect(CHOOSE)
            person.type(answer)
        person.expect(JUDGE)
        person.type("m\n")
        person.expect("remark")
        person.type("say at most\n")
        person.expect("+At most three tries in a minute.")
        person.expect("[e]dit by hand")
        assert "re[m]ark" not in person.seen[person.seen.rindex("[e]dit by hand") :]
        person.type("a\n")
        assert person.end() == 0
        remarks = [text_of(each["messages"][-1]) for each in server.requests]
    assert any("say at most" in each for each in remarks)
    assert "At most three tries in a minute." in (root / "docs/login.md").read_text()
    check_nothing_else(root, "docs/login.md")


@pytest.mark.sweep
def test_a_rejected_proposal_changes_nothing_and_is_kept(root: Path) -> None:
    with terminal({"docs/limits.md": [no_change()], "docs/login.md": [FIX_LOGIN, DONE]}) as (person, _):
        for answer in ("u\n", "u\n"):
            person.expect(CHOOSE)
            person.type(answer)
        person.expect(JUDGE)
        person.type("nonsense? no: x\n")
        person.expect(JUDGE)
        person.type("r\n")
        assert person.end() == 0
    check_nothing_else(root)
    with sh.Workspace(root) as ws:
        login = by_path(host_of(ws).runs.run(str(host_of(ws).runs.runs()[0]["id"])))["docs/login.md"]
    assert login["status"] == "skipped"
    assert "+Three tries" in login["rejectedPatch"]


@pytest.mark.sweep
def test_a_proposal_is_edited_by_hand(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor = tmp_path / "editor.py"
    editor.write_text(
        "import sys, pathlib\npath = pathlib.Path(sys.argv[1])\n"
        "path.write_text(path.read_text().replace('Three tries', 'Only three tries', 1))\n"
    )
    monkeypatch.setenv("VISUAL", f"{sys.executable} {editor}")
    monkeypatch.setenv("EDITOR", f"{sys.executable} {editor}")
    with terminal({"docs/limits.md": [no_change()], "docs/login.md": [FIX_LOGIN, DONE]}, "--no-propagate") as (
        person,
        _,
    ):
        for answer in ("u\n", "u\n"):
            person.expect(CHOOSE)
            person.type(answer)
        person.expect(JUDGE)
        person.type("e\n")
        assert person.end() == 0
    assert "Only three tries in a minute." in (root / "docs/login.md").read_text()
    with sh.Workspace(root) as ws:
        login = by_path(host_of(ws).runs.run(str(host_of(ws).runs.runs()[0]["id"])))["docs/login.md"]
    assert login["status"] == "updated"
    assert "MAX_TRIES is 3 now" in login["editReasons"]


def test_python(root: Path) -> None:
    with scripted(by_article(GOOD)) as server:
        record = sh.impact.run(root, model="openai-chat:scripted", base_url=server.url, base="HEAD~1")
    assert set(statuses(record).values()) == {"updated"}


def test_a_hostile_write_call_is_no_way_round(root: Path) -> None:
    script = only("docs/login.md", Call("write_file", {"path": "docs/login.md", "content": ""}), FIX_LOGIN, DONE)
    with scripted(by_article(script)) as server:
        assert run(server, "--yes", "--allow-new", "--no-propagate").exit_code == 0
    check_nothing_else(root, "docs/login.md")
