"""Every command is documented, and asking for help is quick."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from itertools import takewhile

import click
from click.testing import CliRunner

from steadyhand.surfaces.cli.group import SECTIONS, Command, command_names
from steadyhand.surfaces.cli.main import cli
from tests.surfaces.shell import SOURCE
from tests.table import table

NAMES = (
    "act agent apply bulk call check chmod completion conflicts convert delete diff doctor edit evidence export "
    "feedback findings gc help impact insert journal lease locate log mcp move observe outline read redo rename "
    "review schema score show stats task tools undo watch why worker write"
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


def test_the_version_is_reported() -> None:
    result = CliRunner().invoke(cli, ["--version"])
    assert result.exit_code == 0
    assert result.stdout.startswith("steadyhand ")


def test_no_command_shows_help_and_fails() -> None:
    result = CliRunner().invoke(cli, [])
    assert result.exit_code == 2
    assert "Usage: steadyhand" in result.stderr
