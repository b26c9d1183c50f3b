"""Large and lopsided inputs: an answer in bounded memory, and none that hangs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import steadyhand as sh
from benches.child import peak_memory
from steadyhand.errors import Kind
from tests.table import table

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


@table(("name", "text", "needle", "kind"), SHAPES, ids=[name for name, *_ in SHAPES], every=4)
def test_a_lopsided_edit_is_answered(name: str, text: str, needle: str, kind: Kind) -> None:
    result = sh.edit(text, [sh.Replace(needle, "new")])
    assert result.error is not None
    assert (result.error.kind, result.text is text) == (kind, True)
    assert len(result.error.message) < 5_000


MEGABYTES = 12
CHILD = """
import sys
import pytest
import steadyhand as sh
folder, verb, old = sys.argv[1:]
edits = [sh.Replace(old, old.upper())]
with sh.Workspace(folder) as ws:
    kit = ws.tools("core")
    ws.undo(ws.edit("small.txt", [sh.Replace("a", "b")]).id)
    new = open(f"{folder}/new.log", encoding="utf-8").read() if verb in ("write", "what write is given") else ""
    match verb:
        case "edit":
            ws.edit("big.log", edits)
        case "write":
            ws.write("big.log", new, overwrite=True)
        case "undo":
            ws.undo(ws.edit("big.log", edits).id)
        case "patch":
            ws.patch(f"<<<<<<< SEARCH\\n{old}=======\\n{old.upper()}>>>>>>> REPLACE\\n", path="big.log")
        case "call":
            answer = kit.call("edit", {"path": "big.log", "edits": [{"target": old, "new": old.upper()}]})
            assert answer["success"], answer
"""
LINES = {
    "ASCII": "line {} of a log that goes on and on\n",
    "CJK": "line {} of 記録はいつまでも続いていきます、終わりなく\n",
    "emoji": "line {} of 🙂😀🚀🎉🧪🐍🙂😀🚀🎉🧪🐍\n",
}


@table("verb", ["edit", "write", "patch", "undo", "call"])
@table("text", [*LINES, "one emoji"], every=31)
def test_an_edit_takes_at_most_four_times_the_file(text: str, verb: str, tmp_path: Path) -> None:
    """The process itself, and the text that a write is given, are not counted."""
    line = LINES.get(text, LINES["ASCII"])
    count = (MEGABYTES << 20) // len(line.format(100_000).encode())
    rows = ["🙂\n" if text == "one emoji" else "", *(line.format(number) for number in range(count))]
    (tmp_path / "small.txt").write_text("a\n")
    (tmp_path / "big.log").write_text("".join(rows))
    rows[count // 2] = "another\n"
    (tmp_path / "new.log").write_text("".join(rows))

    def peak(what: str) -> int:
        return peak_memory([sys.executable, "-c", CHILD, str(tmp_path), what, line.format(100_000)])

    base = peak("what write is given" if verb == "write" else "nothing")
    assert peak(verb) - base <= 4 * (MEGABYTES << 20)


@pytest.mark.sweep
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
print(turn(1500) / first)
"""
    (tmp_path / "small.txt").write_text("a\n")
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, timeout=300, check=True
    )
    assert float(done.stdout) <= 1.05
