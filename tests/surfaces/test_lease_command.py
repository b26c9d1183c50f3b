"""`steadyhand lease`: a lease for the length of a command, and the list of those that last."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

import steadyhand as sh
from tests.postgres.server import until
from tests.surfaces.shell import Shell

LOOK = """
import sys, steadyhand
with steadyhand.Workspace(".", actor="eve", read_only=True) as ws:
    open("seen.txt", "w").write("".join(f"{announced}\\n" for announced in ws.leases()))
sys.exit(int(sys.argv[1]))
"""
PYTHON = [sys.executable, "-c"]


def test_a_lease_lasts_while_the_command_runs_and_its_code_is_the_commands(shell: Shell) -> None:
    call = ["lease", "notes.md", "--lines", "3:4", "--reason", "new lines", "--", *PYTHON, LOOK, "7"]
    result = shell.run("--actor", "ada", "--task", "T-1", *call)
    assert result.exit_code == 7
    assert (shell.root / "seen.txt").read_text() == "notes.md lines 3–4: ada (T-1) is at work here: new lines\n"
    assert shell.ok("lease") == "no leases\n"


def test_options_behind_the_dashes_are_the_commands(shell: Shell) -> None:
    assert shell.run("lease", "notes.md", "--", *PYTHON, "import sys; sys.exit(len(sys.argv))", "--json").exit_code == 2


def test_an_address_names_the_place(shell: Shell) -> None:
    shell.ok("lease", "notes.md", "--at", "heading:Notes", "--", *PYTHON, LOOK, "0")
    assert (shell.root / "seen.txt").read_text() == "notes.md lines 1–4: ada is at work here\n"


def test_the_whole_file_may_be_one_that_is_not_there_yet(shell: Shell) -> None:
    shell.ok("lease", "new.md", "--", *PYTHON, LOOK, "0")
    assert (shell.root / "seen.txt").read_text() == "new.md: ada is at work on this file\n"


def test_a_command_that_a_signal_ended_has_a_shells_code(shell: Shell) -> None:
    suicide = "import os, signal; os.kill(os.getpid(), signal.SIGTERM)"
    assert shell.run("lease", "notes.md", "--", *PYTHON, suicide).exit_code == 128 + signal.SIGTERM


def test_as_json_the_document_is_alone_on_stdout(shell: Shell) -> None:
    document = shell.json("lease", "notes.md", "--", *PYTHON, "print('chatter')")
    assert (document["exit_code"], document["path"]) == (0, "notes.md")
    document = shell.json("lease", "notes.md", "--", *PYTHON, "import sys; sys.exit(3)")
    assert (document["ok"], document["exit_code"]) == (False, 3)


def test_leases_are_listed_for_people_and_programs(shell: Shell) -> None:
    with sh.Workspace(shell.root, actor="eve", task="T-9") as eve:
        with eve.lease("notes.md", target=(3, 3), reason="a cat\x1b[31m", seconds=600), eve.lease("app.py"):
            people = shell.ok("lease")
            assert people.splitlines()[0].startswith("notes.md:3  eve (T-9)  since 20")
            assert "for 600 s  a cat" in people
            assert "\x1b" not in people
            assert shell.ok("lease", "--list", "app.py").startswith("app.py  eve (T-9)")
            first, second = shell.json("lease")["leases"]
    assert (first["path"], first["lines"], first["seconds"], second["lines"]) == ("notes.md", [3, 3], 600, None)
    assert shell.json("lease", "--list")["leases"] == []


def test_an_edit_inside_a_lease_warns_or_is_refused_on_demand(shell: Shell) -> None:
    with sh.Workspace(shell.root, actor="eve") as eve, eve.lease("notes.md", reason="cats"):
        assert shell.kind("--on-lease", "refuse", "edit", "notes.md", "--old", "cat", "--new", "dog") == "busy"
        result = shell.run("edit", "notes.md", "--old", "cat", "--new", "dog")
    assert result.exit_code == 0
    assert "warning: notes.md: eve is at work on this file: cats" in result.output


WRONG = [
    (["lease", "notes.md"], "bad-request"),
    (["lease", "notes.md", "--at", "heading:Notes", "--lines", "1:2", "--", "true"], "bad-request"),
    (["lease", "notes.md", "--lines", "7:9", "--", "true"], "out-of-bounds"),
    (["lease", "notes.md", "--seconds", "0", "--", "true"], "bad-request"),
    (["lease", "gone.md", "--lines", "1:2", "--", "true"], "no-such-file"),
    (["--read-only", "lease", "notes.md", "--", "true"], "read-only"),
]


@pytest.mark.parametrize(("call", "kind"), WRONG, ids=[" ".join(call) for call, _ in WRONG])
def test_what_makes_no_sense_is_refused_and_no_command_run(shell: Shell, call: list[str], kind: str) -> None:
    shell.ok("edit", "app.py", "--old", "y = 2", "--new", "y = 3")  # so that there is a journal
    document = shell.json(*call)
    assert document["error"]["kind"] == kind


def test_a_command_that_is_not_there_is_refused_and_the_lease_over(shell: Shell) -> None:
    document = shell.json("lease", "notes.md", "--", "/no/such/command")
    assert document["error"]["kind"] == "no-such-file"
    assert shell.json("lease")["leases"] == []


def test_who_ends_the_lease_ends_the_command(shell: Shell) -> None:
    waiting = "import sys; open('started', 'w').close(); sys.stdin.read()"
    process = shell.process("lease", "notes.md", "--", *PYTHON, waiting, stdin=subprocess.PIPE)
    try:
        until((shell.root / "started").exists, "the command did not start")
        assert len(shell.json("lease")["leases"]) == 1
        process.send_signal(signal.SIGTERM)
        assert process.wait(300) == 128 + signal.SIGTERM
    finally:
        process.kill()
        process.communicate()
    assert shell.json("lease")["leases"] == []
