"""Every command is documented, and asking for help is quick."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from itertools import takewhile
from pathlib import Path

import click
from click.testing import CliRunner

from steadyhand.surfaces.cli.group import SECTIONS, Command, command_names
from steadyhand.surfaces.cli.main import cli
from tests.surfaces.shell import SOURCE, Shell
from tests.table import table

NAMES = (
    "act agent apply call check chmod completion conflicts convert delete diff doctor edit evidence export findings gc "
    "help impact insert journal lease locate log mcp move observe outline read redo rename schema show stats task "
    "tools undo watch why write"
).split()
HEAVY = {"rich", "rapidfuzz", "sqlite3", "turbohtml", "hypothesis", "asyncio", "difflib", "tomllib", "subprocess"}


def get(name: str) -> Command:
    command = cli.get_command(click.Context(cli), name)
    assert isinstance(command, Command)
    return command


def test_the_loaded_commands() -> None:
    assert list(command_names()) == sorted(NAMES)


@table("name", sorted(NAMES))
def test_a_command_says_what_it_does_in_a_line_a_paragraph_and_examples(name: str) -> None:
    command = get(name)
    summary, _, paragraph = str(command.help).partition("\n\n")
    assert summary.endswith(".")
    assert len(summary) <= 72
    assert len(paragraph.strip()) > 30
    assert command.section in SECTIONS
    assert all(f"steadyhand {name}" in example for example in command.examples.splitlines())


@table("name", sorted(NAMES))
def test_every_option_of_a_command_is_explained(name: str) -> None:
    for parameter in get(name).params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name


@table("name", sorted(NAMES))
def test_help_is_printed(name: str) -> None:
    result = CliRunner().invoke(cli, [name, "--help"])
    assert result.exit_code == 0
    assert "Examples:" in result.stdout
    assert "steadyhand help errors" in " ".join(result.stdout.split())


def test_the_examples_of_every_command_parse() -> None:
    import shlex

    for name in NAMES:
        command = get(name)
        for example in command.examples.splitlines():
            words = shlex.split(example.partition("steadyhand ")[2])
            typed = list(takewhile(lambda word: word not in (">", ">>"), words[1:]))
            command.make_context(name, typed, resilient_parsing=False, obj=None)


def test_help_imports_nothing_heavy_and_is_quick() -> None:
    code = (
        "import sys\n"
        "from steadyhand.surfaces.cli.main import cli\n"
        "try:\n    cli.main(['--help'])\n"
        "except SystemExit:\n    pass\n"
        "print(sorted(sys.modules), file=sys.stderr)\n"
    )
    environ = {**os.environ, "PYTHONPATH": str(SOURCE)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environ)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.5
    loaded = {name.strip("' ").split(".")[0] for name in done.stderr.strip("[]\n").split(",")}
    assert not loaded & HEAVY
    assert "steadyhand.session.workspace" not in done.stderr


def test_the_version_is_told() -> None:
    result = CliRunner().invoke(cli, ["--version"])
    assert result.exit_code == 0
    assert result.stdout.startswith("steadyhand ")


def test_no_command_shows_help_and_fails() -> None:
    result = CliRunner().invoke(cli, [])
    assert result.exit_code == 2
    assert "Usage: steadyhand" in result.stderr


@table("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_for_each_shell(shell: str) -> None:
    result = CliRunner().invoke(cli, ["completion", shell])
    assert result.exit_code == 0
    assert "_STEADYHAND_COMPLETE" in result.stdout


def complete(line: str, **environ: str) -> list[str]:
    """What a shell is offered for the last word of a line."""
    words = line.split(" ")
    asked = {"_STEADYHAND_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1), **environ}
    result = CliRunner(env=asked).invoke(cli, [])
    assert (result.exit_code, result.stderr) == (0, "")
    return [row.partition(",")[2] for row in result.stdout.splitlines() if row]


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


COMPLETE_IN_BASH = """
source "$SCRIPT"
complete -p steadyhand
COMP_WORDS=(steadyhand edit notes.md --occurrence f) COMP_CWORD=4
_steadyhand_completion steadyhand f --occurrence
printf '%s\n' "${COMPREPLY[@]}"
COMPREPLY=() COMP_WORDS=(steadyhand re) COMP_CWORD=1
_steadyhand_completion steadyhand re steadyhand
printf '%s\n' "${COMPREPLY[@]}"
"""


def test_bash_completes_with_the_script(shell: Shell, tmp_path: Path) -> None:
    program = tmp_path / "bin/steadyhand"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m steadyhand "$@"\n')
    program.chmod(0o755)
    (tmp_path / "script").write_text(shell.ok("completion", "bash"))
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    environ = {**os.environ, "PYTHONPATH": str(SOURCE), "PATH": path, "SCRIPT": str(tmp_path / "script")}
    bash = ["bash", "--norc", "--noprofile", "-c", COMPLETE_IN_BASH]
    done = subprocess.run(bash, env=environ, cwd=shell.root, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    first, *offered = done.stdout.split("\n")
    assert first.endswith("-F _steadyhand_completion steadyhand")
    assert offered == ["first", "read", "redo", "rename", ""]
