"""Long work shows how far it is: a bar for a person, a line now and then in a pipe, nothing for a program."""

from __future__ import annotations

import io
import sys
import time

import pytest

from steadyhand.surfaces.cli.output import Output
from steadyhand.surfaces.cli.render import progress
from tests.table import table


class Stream(io.StringIO):
    """A stream that says whether it is a terminal."""

    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


def shown(monkeypatch: pytest.MonkeyPatch, output: Output, *, terminal: bool, seconds: float) -> str:
    """What a hundred steps, evenly spread over `seconds`, leave on stderr."""
    stream, clock = Stream(terminal=terminal), iter(range(10_000))
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(time, "monotonic", lambda: next(clock) * seconds / 100)
    with progress(output, "checking") as step:
        for done in range(100):
            step(done, 100)
    return stream.getvalue()


@table(("output", "terminal"), [(Output(json=True), False), (Output(json=True), True), (Output(quiet=True), False)])
def test_a_program_sees_nothing(monkeypatch: pytest.MonkeyPatch, output: Output, terminal: bool) -> None:
    assert shown(monkeypatch, output, terminal=terminal, seconds=60) == ""


def test_a_person_who_wants_little_output_still_sees_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "█" in shown(monkeypatch, Output(quiet=True), terminal=True, seconds=30)


@table("terminal", [False, True])
def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    assert shown(monkeypatch, Output(), terminal=terminal, seconds=0.1) == ""


def test_a_pipe_gets_a_plain_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(monkeypatch, Output(), terminal=False, seconds=30).splitlines()
    assert 3 <= len(lines) <= 6
    assert all(line.startswith("checking: ") and line.endswith(" of 100") for line in lines)


def test_a_terminal_gets_a_bar_that_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = shown(monkeypatch, Output(), terminal=True, seconds=30)
    assert "█" in drawn
    assert "\n" not in drawn
    assert drawn.endswith("\r\x1b[2K")
