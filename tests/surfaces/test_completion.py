"""Completion: what is offered for a line, and that a real bash puts it where it belongs.

zsh and fish get the same answers; what their scripts do with them is not run here.
"""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from steadyhand.surfaces.cli.main import cli
from tests.surfaces.shell import SOURCE, Shell
from tests.table import table

SECONDS = 300
GUIDE = "# Guide\n\n## First steps\n\nThe cat sat.\n\n## It's $5\n\nThe dog ran.\n"


@table("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_for_each_shell(shell: str) -> None:
    result = CliRunner().invoke(cli, ["completion", shell])
    assert result.exit_code == 0
    assert "_STEADYHAND_COMPLETE" in result.stdout


def complete(line: str, **environ: str) -> list[str]:
    """What a shell is offered for the last word of a line."""
    result = CliRunner(env={"_STEADYHAND_COMPLETE": "zsh", "COMP_LINE": line, **environ}).invoke(cli, [])
    assert (result.exit_code, result.stderr) == (0, "")
    return [row.split("\t")[1] for row in result.stdout.splitlines() if row]


@table(
    ("line", "offered"),
    [
        ("steadyhand un", ["undo"]),
        ("steadyhand edit a.md --occurrence ", ["unique", "first", "last", "all"]),
        ("steadyhand insert a.md --occurrence l", ["last"]),
        ("steadyhand --color ", ["auto", "always", "never"]),
        ("steadyhand log --color n", ["never"]),
        ("steadyhand completion ", ["bash", "zsh", "fish"]),
        ("steadyhand edit --rea", ["--reason", "--read-only"]),
        ("steadyhand log --jso", ["--json"]),
        ("steadyhand log --ac", ["--actor"]),
        ("steadyhand edit docs/a", ["docs/a"]),
        ("steadyhand act a.json key:a rename-", ["rename-key"]),
        ("steadyhand edit a.json --no-guard sy", ["syntax"]),
        ("steadyhand move a.md lines:1 --where st", ["start"]),
    ],
)
def test_what_the_shell_is_offered(line: str, offered: list[str]) -> None:
    assert complete(line) == offered


def test_records_are_offered_and_nothing_is_written(shell: Shell) -> None:
    assert complete("steadyhand undo ") == []
    assert not (shell.root / ".steadyhand").exists()
    ids = [
        shell.json("edit", "notes.md", "--old", old, "--new", new)["receipt"]["id"]
        for old, new in (("cat", "dog"), ("dog", "cow"))
    ]
    for command in ("undo", "redo", "show"):
        assert complete(f"steadyhand {command} ") == ids[::-1]
    assert ids[0] in complete(f"steadyhand --root {shell.root} show {ids[0][:4]}", HOME="/nowhere")


def test_a_journal_that_cannot_be_read_offers_no_records(shell: Shell) -> None:
    assert complete("steadyhand --root /no/such/place undo ") == []
    assert complete("steadyhand --journal klingon://host/db undo ") == []
    (shell.root / ".steadyhand").write_bytes(b"not a folder")
    assert complete("steadyhand undo ") == []


@table("line", ["edit notes.md --at head", "locate notes.md head", "edit --at heading:No notes.md --at heading:"])
def test_the_addresses_of_the_file_on_the_line_are_offered(line: str, shell: Shell) -> None:
    assert complete(f"steadyhand {line}") == ["heading:Notes"]


def test_an_address_is_also_found_by_its_last_name(shell: Shell) -> None:
    (shell.root / "guide.md").write_text(GUIDE)
    (shell.root / "app.toml").write_text("[server]\nport = 1\n")
    assert complete("steadyhand locate guide.md heading:Fir") == ["heading:Guide > First steps"]
    assert complete("steadyhand act app.toml key:po") == ["key:server.port"]
    assert complete("steadyhand locate guide.md key:Fir") == []


class Bash:
    """A bash in a terminal, with the script loaded, for somebody who types."""

    PROMPT = "next=-= "

    def __init__(self, shell: Shell, folder: Path) -> None:
        program = folder / "bin/steadyhand"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m steadyhand "$@"\n')
        program.chmod(0o755)
        path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
        self._terminal, other = pty.openpty()
        self._process = subprocess.Popen(
            ["bash", "--norc", "--noprofile", "-i"],
            env={**os.environ, "PYTHONPATH": str(SOURCE), "PATH": path, "TERM": "dumb", "PS1": self.PROMPT},
            cwd=shell.root,
            stdin=other,
            stdout=other,
            stderr=other,
            start_new_session=True,
        )
        os.close(other)
        self._read()
        self.type("source <(steadyhand completion bash)\n")

    def type(self, keys: str) -> str:
        """Press keys; what the terminal shows until the next prompt."""
        os.write(self._terminal, keys.encode())
        return self._read()

    def close(self) -> None:
        os.write(self._terminal, b"exit\n")
        self._process.wait(SECONDS)
        os.close(self._terminal)

    def _read(self) -> str:
        shown = ""
        while not shown.endswith(self.PROMPT):
            assert select.select([self._terminal], [], [], SECONDS)[0], shown
            shown += os.read(self._terminal, 65536).decode()
        return shown.replace("\r\n", "\n")


@pytest.mark.sweep
def test_bash_completes_what_is_typed(shell: Shell, tmp_path: Path) -> None:
    (shell.root / "guide.md").write_text(GUIDE)
    bash = Bash(shell, tmp_path)
    try:
        for typed in ("heading:Guide\\ \\>\\ F", "'heading:Fir", '"heading:Guide > F'):
            assert "section, lines 3–6" in bash.type(f"steadyhand locate gui\t{typed}\t\n"), typed
        for typed in ("heading:It",):
            assert "section, lines 7–9" in bash.type(f"steadyhand locate guide.md {typed}\t\n"), typed
        assert "--occurrence last" in bash.type("echo steadyhand; : steadyhand; steadyhand edit --occ\tla\t -h\n")
    finally:
        bash.close()
