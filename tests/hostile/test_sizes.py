"""Large and lopsided inputs: an answer in bounded memory, and none that hangs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.errors import Kind

LINE = "the same line again and again\n"
ONE_LINE = "x y z " * 2_000_000
MANY = LINE * 350_000
SHAPES = [
    ("one long line, absent", ONE_LINE, "x y q z", Kind.NO_MATCH),
    ("one long line, everywhere", ONE_LINE, "x y z", Kind.AMBIGUOUS_MATCH),
    ("one line repeated, absent", MANY, "the sane line again\nand\n", Kind.NO_MATCH),
    ("one line repeated, everywhere", MANY, LINE, Kind.AMBIGUOUS_MATCH),
    ("a long needle, absent", MANY, "".join(f"line {n}\n" for n in range(100_000)), Kind.NO_MATCH),
    ("a needle that is nearly the text", "a" * 4_000_000, "a" * 2_000_000 + "b", Kind.NO_MATCH),
]


@pytest.mark.parametrize(("name", "text", "needle", "kind"), SHAPES, ids=[name for name, *_ in SHAPES])
def test_a_lopsided_edit_is_answered(name: str, text: str, needle: str, kind: Kind) -> None:
    result = sh.edit(text, [sh.Replace(needle, "new")])
    assert result.error is not None
    assert (result.error.kind, result.text is text) == (kind, True)
    assert len(result.error.message) < 5_000


MEGABYTES = 24
CHILD = """
import resource, sys
import steadyhand as sh
with sh.Workspace(sys.argv[1]) as ws:
    ws.undo(ws.edit("small.txt", [sh.Replace("a", "b")]).id)
    with open(f"{sys.argv[1]}/new.log") as file:
        new = file.read()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if sys.argv[2] == "write":
        ws.write("big.log", new, overwrite=True)
    else:
        ws.edit("big.log", [sh.Replace("line 100000 of", "LINE 100000 OF")])
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.parametrize("verb", ["edit", "write"])
def test_an_edit_takes_at_most_six_times_the_file_and_64_megabytes(verb: str, tmp_path: Path) -> None:
    (tmp_path / "small.txt").write_text("a\n")
    lines = (f"line {number} of a log that goes on and on\n" for number in range(10_000_000))
    with (tmp_path / "big.log").open("w") as log:
        while log.tell() < MEGABYTES << 20:
            log.writelines(next(lines) for _ in range(10_000))
    (tmp_path / "new.log").write_text((tmp_path / "big.log").read_text().replace("line", "LINE"))
    child = [sys.executable, "-c", CHILD, str(tmp_path), verb]
    done = subprocess.run(child, capture_output=True, text=True, timeout=300, check=True)
    unit = 1024 if sys.platform.startswith("linux") else 1  # kilobytes there, bytes on macOS
    assert int(done.stdout) * unit <= (6 * MEGABYTES + 64) << 20


def test_many_calls_do_not_make_a_workspace_grow(tmp_path: Path) -> None:
    script = """
import resource, sys
import steadyhand as sh
ws = sh.Workspace(sys.argv[1])
def turn(count):
    for number in range(count):
        ws.preview("small.txt", [sh.Replace("a", "b")])
        try:
            ws.edit("small.txt", [sh.Replace("nowhere", "b")])
        except sh.EditError:
            pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
first = turn(500)
print(turn(3000) / first)
"""
    (tmp_path / "small.txt").write_text("a\n")
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, timeout=300, check=True
    )
    assert float(done.stdout) <= 1.05
