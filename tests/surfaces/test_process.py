"""The command line as a process: streams, signals, readers that go away, bugs."""

from __future__ import annotations

import getpass
import json
import os
import pty
import subprocess
import sys

import pytest
from click.testing import CliRunner

from steadyhand.surfaces.cli.main import cli
from tests.surfaces.conftest import APP, NOTES
from tests.surfaces.shell import SOURCE, Shell

ESCAPE = b"\x1b"
TWO_FILES = json.dumps(
    {
        "files": [
            {"path": "notes.md", "edits": [{"target": "cat", "new": "dog"}]},
            {"path": "app.py", "edits": [{"target": "y", "new": "why"}]},
        ]
    }
)


def finish(process: subprocess.Popen[bytes]) -> tuple[int, bytes, bytes]:
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


def on_terminal(shell: Shell, *arguments: str, environ: dict[str, str] | None = None) -> bytes:
    """What a person sees: both streams on a pseudo-terminal."""
    ours, theirs = pty.openpty()
    process = shell.process(*arguments, environ={"TERM": "xterm", **(environ or {})}, stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:  # the other side is closed
            break
        if not data:
            break
        seen += data
    os.close(ours)
    finish(process)
    return seen


def test_an_edit_from_the_shell(shell: Shell) -> None:
    code, out, err = finish(shell.process("edit", "notes.md", "--old", "cat", "--new", "dog"))
    assert (code, err) == (0, b"")
    assert "edited notes.md line 3 · undo with: steadyhand undo " in out.decode()
    assert shell.text("notes.md") == NOTES.replace("cat", "dog")


def test_a_refusal_goes_to_stderr_with_its_exit_code(shell: Shell) -> None:
    code, out, err = finish(shell.process("edit", "notes.md", "--old", "bird", "--new", "dog"))
    assert (code, out) == (10, b"")
    lines = err.decode().splitlines()
    assert lines[0].startswith("no-match: ")
    assert any(line.startswith("hint: ") for line in lines)


def test_json_is_one_ascii_document_whatever_the_file_holds(shell: Shell) -> None:
    (shell.root / "odd.txt").write_bytes("\x1b]0;x\x07\x7f\x9b\u202e\u2028 é 猫\n".encode() + b"\xff\n")
    code, out, _ = finish(shell.process("--json", "read", "odd.txt"))
    assert code == 0
    assert all(byte == 10 or 32 <= byte < 127 for byte in out)
    assert out.count(b"\n") == 1
    assert json.loads(out)["text"].startswith("\x1b]0;x\x07\x7f\x9b\u202e\u2028 é 猫\n")


def test_colour_is_for_terminals_only(shell: Shell) -> None:
    preview = ("diff", "notes.md", "--old", "cat", "--new", "dog")
    assert ESCAPE not in finish(shell.process(*preview))[1]
    assert ESCAPE in on_terminal(shell, *preview)
    assert ESCAPE not in on_terminal(shell, *preview, environ={"NO_COLOR": "1"})
    assert ESCAPE not in on_terminal(shell, "--color", "never", *preview)
    assert ESCAPE in finish(shell.process("--color", "always", *preview))[1]


@pytest.mark.parametrize("command", ["read", "diff", "edit", "log", "why", "refuse"])
def test_a_terminal_never_gets_what_a_file_wants_to_tell_it(shell: Shell, command: str) -> None:
    name, evil = "notes.md", "\x1b]0;owned\x07\x9b31m\u202e\x7f"
    (shell.root / name).write_text(f"one {evil}\ntwo {evil}\n", encoding="utf-8")
    edit = [name, "--old", "one", "--new", f"1{evil}", "--reason", f"because {evil}"]
    if command in ("log", "why"):
        shell.ok("edit", *edit)
    arguments = {
        "read": ["read", name],
        "diff": ["diff", *edit[:5]],
        "edit": ["edit", *edit],
        "log": ["log"],
        "why": ["why", name],
        "refuse": ["edit", name, "--old", f"three {evil}", "--new", "x"],
    }[command]
    seen = on_terminal(shell, "--color", "never", *arguments)
    assert seen
    for bad in (b"\x1b", b"\x07", b"\x9b31m", "\u202e".encode(), b"\x7f", "\x9b".encode()):
        assert bad not in seen


def test_raw_is_refused_on_a_terminal(shell: Shell) -> None:
    assert b"bad-request" in on_terminal(shell, "read", "notes.md", "--raw")


def test_a_person_is_not_kept_waiting_for_input(shell: Shell) -> None:
    ours, theirs = pty.openpty()
    code, _, err = finish(shell.process("insert", "notes.md", "--line", "1", stdin=theirs))
    os.close(ours)
    os.close(theirs)
    assert code == 2
    assert b"TEXT" in err


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_goes_away_is_no_crash(shell: Shell, unbuffered: str) -> None:
    (shell.root / "big.txt").write_bytes(b"line\n" * 200_000)
    with shell.process("read", "big.txt", environ={"PYTHONUNBUFFERED": unbuffered}) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        err = process.stderr.read()
    assert process.returncode == 141
    assert err == b""


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "command", ["read notes.md", "read notes.md --json", "--help", "edit notes.md --old bird --new x"]
)
def test_an_answer_nobody_can_take_is_no_crash(shell: Shell, command: str, unbuffered: str) -> None:
    with open("/dev/full", "wb") as full:
        process = shell.process(*command.split(), environ={"PYTHONUNBUFFERED": unbuffered}, stdout=full)
        code, _, err = finish(process)
    assert code == (10 if "edit" in command else 70)
    assert b"Traceback" not in err


@pytest.mark.parametrize("stream", ["stdin", "stdout", "stderr"])
def test_a_closed_stream_is_no_crash(shell: Shell, stream: str) -> None:
    number = {"stdin": "0<&-", "stdout": "1>&-", "stderr": "2>&-"}[stream]
    script = f'"$PY" -m steadyhand edit notes.md --old cat --new dog {number}'
    environ = {**os.environ, "PYTHONPATH": str(SOURCE), "PY": sys.executable}
    done = subprocess.run(["/bin/sh", "-c", script], cwd=shell.root, env=environ, capture_output=True, check=False)
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert shell.text("notes.md") == NOTES.replace("cat", "dog")


IMPATIENT = """
import io, os, signal, sys
class Stdin(io.RawIOBase):
    def readable(self): return True
    def readinto(self, buffer):
        os.kill(os.getpid(), signal.SIGINT)
        return 0
sys.stdin = io.TextIOWrapper(io.BufferedReader(Stdin()))
from steadyhand.surfaces.cli.main import main
main()
"""


def test_an_interrupt_ends_with_130_and_nothing_half_done(shell: Shell) -> None:
    """The edit waits for its text; then the person has enough."""
    command = [sys.executable, "-c", IMPATIENT, "edit", "notes.md", "--old", "cat", "--new-file", "-"]
    environ = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(command, cwd=shell.root, env=environ, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (130, b"")
    assert b"cancelled: " in done.stderr
    assert b"Traceback" not in done.stderr
    assert shell.text("notes.md") == NOTES


INTERRUPTED_WHILE_LOADING = """
import os, runpy, signal, sys
module = sys.argv[1]
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
sys.argv[1:] = ["edit", "notes.md", "--old", "cat", "--new", "dog"]
runpy.run_module("steadyhand", run_name="__main__")
"""


@pytest.mark.parametrize("module", ["click", "steadyhand.errors", "steadyhand.surfaces.cli.group", "sqlite3"])
def test_an_interrupt_while_loading_ends_with_130_and_no_traceback(shell: Shell, module: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED_WHILE_LOADING, module]
    environ = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(command, cwd=shell.root, env=environ, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (130, b"")
    assert b"Traceback" not in done.stderr
    assert shell.text("notes.md") == NOTES


@pytest.mark.parametrize("json_or_not", [[], ["--json"]])
def test_an_interrupt_while_committing_is_settled_before_leaving(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, json_or_not: list[str]
) -> None:
    """The interrupt comes when everything is staged and nothing is renamed yet."""
    asked: list[object] = []

    def interrupted(*names: object, **_: object) -> None:
        asked.append(names)
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "rename", interrupted)
    result = CliRunner().invoke(cli, [*json_or_not, "--root", str(shell.root), "apply"], input=TWO_FILES)
    assert asked
    assert result.exit_code == 130
    assert "cancelled" in result.output
    settled = shell.tree()
    before = {"notes.md": NOTES.encode(), "app.py": APP.encode()}
    after = {"notes.md": NOTES.replace("cat", "dog").encode(), "app.py": APP.replace("y", "why").encode()}
    assert settled in (before, after)
    document = json.loads(CliRunner().invoke(cli, ["--json", "--root", str(shell.root), "check"]).stdout)
    assert document["pending"] == []
    assert document["drifted"] == []


def test_a_bug_is_reported_without_traceback_or_paths(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> str:
        raise RuntimeError("/secret/place")

    monkeypatch.setattr(getpass, "getuser", broken)
    result = shell.run("edit", "notes.md", "--old", "cat", "--new", "dog")
    assert result.exit_code == 99
    assert result.stderr.startswith("internal: ")
    assert "secret" not in result.output
    assert "Traceback" not in result.output
    document = json.loads(shell.run("--json", "edit", "notes.md", "--old", "cat", "--new", "dog").stdout)
    assert document["error"]["kind"] == "internal"
    monkeypatch.setenv("STEADYHAND_DEBUG", "1")
    assert "Traceback" in shell.run("edit", "notes.md", "--old", "cat", "--new", "dog").stderr


def test_output_that_the_locale_cannot_write_is_escaped(shell: Shell) -> None:
    (shell.root / "猫.md").write_text("é\n", encoding="utf-8")
    code, out, err = finish(shell.process("read", "猫.md", environ={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}))
    assert (code, err) == (0, b"")
    assert out == b"\\xe9\n"


def test_a_home_is_not_needed(shell: Shell) -> None:
    nobody = ("HOME", "XDG_CONFIG_HOME", "LOGNAME", "USER")
    environ = {name: value for name, value in os.environ.items() if name not in nobody} | {"PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-m", "steadyhand", "edit", "notes.md", "--old", "cat", "--new", "dog"]
    done = subprocess.run(command, cwd=shell.root, env=environ, check=False, capture_output=True)
    assert done.returncode == 0, done.stderr
