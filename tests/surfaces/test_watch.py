"""`steadyhand watch`: what everybody does, for people and for programs."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.session.events import Event
from steadyhand.surfaces.cli.refusal import event_lines
from steadyhand.surfaces.terminal import paint
from tests.surfaces.shell import Shell

PAST = ("watch", "--since", "start", "--no-follow")


def until(true: Callable[[], object]) -> None:
    """Wait for something that takes a moment."""
    deadline = time.monotonic() + 300
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def events(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        ("bad-request", ("watch", "--since", "zz")),
        ("bad-request", ("watch", "--type", "edits")),
        ("bad-request", ("watch", "--limit", "0")),
        ("no-such-file", ("watch", "--since", "abcdefabcdef")),
        ("outside-root", ("watch", "--path", "/etc")),
        ("read-only", ("watch", "--read-only")),
    ],
)
def test_what_cannot_be_watched_is_refused(shell: Shell, kind: str, arguments: tuple[str, ...]) -> None:
    assert shell.kind(*arguments) == kind


def test_nothing_happened_yet_is_no_line_and_no_trace(shell: Shell) -> None:
    assert shell.ok(*PAST) == ""
    assert not (shell.root / ".steadyhand").exists()


def test_a_line_says_who_did_what_where_and_why(shell: Shell) -> None:
    shell.ok("edit", "notes.md", "--old", "cat", "--new", "dog", "--reason", "it barks", "--task", "T-1")
    assert shell.run("edit", "notes.md", "--old", "cat", "--new", "cow").exit_code == 10
    first, second = shell.ok(*PAST).splitlines()
    for words in ("edit", "ada · T-1", "notes.md:3", "it barks"):
        assert words in first
    for words in ("refusal", "ada", "notes.md", "no-match: "):
        assert words in second


def test_an_edit_with_a_reason_of_its_own_has_a_line_of_its_own(shell: Shell) -> None:
    edits = [{"target": "cat", "new": "dog", "reason": "it barks"}, {"target": "mat", "new": "rug"}]
    plan = {"files": [{"path": "notes.md", "edits": edits}], "reason": "animals"}
    shell.ok("apply", stdin=json.dumps(plan))
    lines = shell.ok(*PAST).splitlines()
    assert "animals" in lines[0]
    assert lines[1].strip() == "notes.md:3  it barks"


def test_programs_get_a_document_a_line(shell: Shell) -> None:
    shell.ok("edit", "notes.md", "--old", "cat", "--new", "dog")
    shell.ok("undo", "--last")
    found = events(shell.ok(*PAST, "--json"))
    assert [event["type"] for event in found] == ["edit", "undo"]
    assert "warnings" not in found[1]


@pytest.mark.parametrize(
    ("options", "count"),
    [
        (("--limit", "1"), 1),
        (("--type", "undo"), 1),
        (("--type", "undo", "--type", "edit"), 3),
        (("--task", "T-1"), 1),
        (("--actor", "grace"), 1),
        (("--path", "app.py"), 1),
    ],
)
def test_only_what_was_asked_for_is_shown(shell: Shell, options: tuple[str, ...], count: int) -> None:
    shell.ok("edit", "notes.md", "--old", "cat", "--new", "dog", "--task", "T-1")
    shell.ok("edit", "app.py", "--old", "y", "--new", "z", "--actor", "grace")
    shell.ok("undo", "--file", "notes.md")
    assert len(shell.ok(*PAST, *options).splitlines()) == count


def test_since_a_record_means_after_it_and_since_a_number_after_that_event(shell: Shell) -> None:
    record = shell.json("edit", "notes.md", "--old", "cat", "--new", "dog")["receipt"]["id"]
    shell.ok("edit", "notes.md", "--old", "dog", "--new", "cow", "--reason", "it moos")
    (after,) = events(shell.ok("watch", "--since", record, "--no-follow", "--json"))
    assert after["reason"] == "it moos"
    assert shell.ok("watch", "--since", str(after["seq"]), "--no-follow") == ""


def test_a_reader_in_a_pipe_has_each_event_when_it_happens_and_ctrl_c_is_a_good_end(shell: Shell) -> None:
    process = shell.process("watch", "--since", "start", "--json")
    assert process.stdout is not None
    assert process.stderr is not None
    with sh.Workspace(shell.root, actor="grace") as other:
        other.edit("notes.md", [sh.Replace("cat", "dog")], reason="first")
        assert json.loads(process.stdout.readline())["reason"] == "first"
        other.edit("notes.md", [sh.Replace("dog", "cow")], reason="second")
        assert json.loads(process.stdout.readline())["reason"] == "second"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out, err) == (0, b"", b"")


def test_a_reader_that_goes_away_ends_it_at_the_next_event(shell: Shell) -> None:
    process = shell.process("watch", "--since", "start")
    assert process.stdout is not None
    assert process.stderr is not None
    with sh.Workspace(shell.root, actor="grace") as other:
        other.edit("notes.md", [sh.Replace("cat", "dog")])
        assert b"notes.md:3" in process.stdout.readline()
        process.stdout.close()
        other.edit("notes.md", [sh.Replace("dog", "cow")])
        assert process.wait(timeout=300) == 141
    assert process.stderr.read() == b""
    process.stderr.close()


def test_a_terminal_shows_how_to_end_it(shell: Shell) -> None:
    ours, theirs = os.openpty()
    process = shell.process("watch", stdout=theirs, stderr=theirs, environ={"TERM": "xterm"})
    os.close(theirs)
    seen = b""

    def is_ready() -> bool:
        nonlocal seen
        seen += os.read(ours, 4096)
        return b"Ctrl-C" in seen

    until(is_ready)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=300) == 0
    os.close(ours)


def test_nothing_in_an_event_reaches_a_terminal_as_anything_but_text() -> None:
    bad = "\x1b[2J\n"
    sides = {
        "with": [{"record": bad, "actor": bad, "task": bad, "time": bad, "reason": bad, "before": bad, "after": bad}]
    }
    details = {
        **sides,
        "yours": {"before": bad, "after": bad},
        "files": [{"path": bad, "edits": [{"reason": bad + "x"}]}],
    }
    event = Event(1, bad, "conflict", bad, bad, bad, (bad,), ((1, 2),), bad, bad, bad, details)
    for line in paint(event_lines(event, width=80), color=False):
        assert "\x1b" not in line
        assert "\n" not in line


def test_watching_reads_the_journal_of_another_place(shell: Shell, tmp_path: Path) -> None:
    place = str(tmp_path / "elsewhere")
    shell.ok("--journal", place, "edit", "notes.md", "--old", "cat", "--new", "dog")
    assert len(shell.ok("--journal", place, *PAST).splitlines()) == 1
    assert shell.ok(*PAST) == ""
