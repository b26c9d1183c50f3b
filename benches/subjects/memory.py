"""The most memory a process has at once while it edits a large file, against one that only reads the file."""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from benches import child
from benches.bench import Bench, Setting, size_name
from benches.clock import quartiles
from benches.steps import steps_in
from benches.table import Row, Table
from benches.texts import code_text

_IN_MEMORY = """
import pathlib, sys, steadyhand as sh
path, kind = pathlib.Path(sys.argv[1]), sys.argv[2]
old, new, outcome = (pathlib.Path(name) for name in sys.argv[3:])
edits = [sh.Replace(old.read_bytes().decode(), new.read_bytes().decode())]
result = sh.edit(path.read_bytes() if kind == "bytes" else path.read_bytes().decode(), edits, path="big.py")
outcome.write_text(f"refused: {result.error.kind.value}" if result.error else f"applied: {result.outcomes[0].tier}")
"""
_ON_DISK = """
import pathlib, sys, steadyhand as sh
path, verb = pathlib.Path(sys.argv[1]), sys.argv[2]
old, new = pathlib.Path(sys.argv[3]).read_bytes().decode(), "replaced = True\\n"
with sh.Workspace(path.parent, actor="bench") as ws:
    match verb:
        case "write":
            ws.write(path.name, path.read_bytes().decode().replace(old, new), overwrite=True)
        case "undo":
            ws.undo(ws.edit(path.name, [sh.Replace(old, new)]).id)
        case "patch":
            ws.patch(f"<<<<<<< SEARCH\\n{old}=======\\n{new}>>>>>>> REPLACE\\n", path=path.name)
        case _:
            ws.edit(path.name, [sh.Replace(old, new)])
"""
_MANY = """
import pathlib, sys, steadyhand as sh
text = pathlib.Path(sys.argv[1]).read_bytes().decode()
lines = text.splitlines(keepends=True)
edits = [sh.Replace(line, "r = 1\\n") for line in lines[:: max(1, len(lines) // 1000)]]
del lines
assert sh.edit(text, edits).ok
"""
_READ = "import sys; data = open(sys.argv[1], 'rb').read()"
_DECODE = "import sys; data = open(sys.argv[1], 'rb').read(); text = data.decode()"


def run(setting: Setting) -> Iterator[Table]:
    size = setting.scale.big_file
    texts = {
        "ASCII": code_text(size),
        "with characters outside the BMP": code_text(size, wide=True),
        "ASCII but for one emoji": "# 🙂\n" + code_text(size),
    }
    for number, (name, text) in enumerate(texts.items()):
        wide = not text.isascii()
        setting.tell(f"peak memory, {size_name(size)} {name}")
        folder = setting.folder / str(number)
        folder.mkdir()
        yield Table(
            f"Peak memory of a process, file of {size_name(size)}, {name}",
            "a process that reads the file's bytes and ends",
            list(_rows(setting, text, folder)),
            "the remark is the peak as a multiple of the file's size, and of the text as str"
            + (f"; as str the text takes {_str_size(text) / len(text.encode()):.1f}× the file" if wide else ""),
        )


def _rows(setting: Setting, text: str, folder: Path) -> Iterator[Row]:
    file = folder / "big.py"
    code = child.python("-c")
    floor = [_peak([*code, _READ, str(file)], file, text) for _ in range(setting.scale.memory_runs)]
    for label, command in _commands(text, file).items():
        setting.tell(label)
        outcome = file.with_name("outcome")
        outcome.unlink(missing_ok=True)
        peaks = [_peak(command, file, text) for _ in range(setting.scale.memory_runs)]
        row = _row(label, peaks, floor, text)
        yield replace(row, remark=f"{row.remark}; {outcome.read_text()}") if outcome.exists() else row


def _commands(text: str, file: Path) -> dict[str, Sequence[str]]:
    """What is measured: every step of matching in memory, and what touches the disk."""
    code, old = child.python("-c"), file.with_name("exact.old")
    commands: dict[str, Sequence[str]] = {"read and decode": [*code, _DECODE, str(file)]}
    for step in steps_in(text, "big"):
        paths = [file.with_name(f"{step.step}.{side}") for side in ("old", "new")]
        for path, side in zip(paths, (step.old, step.new), strict=True):
            path.write_bytes(side.encode())
        arguments = [*map(str, paths), str(file.with_name("outcome"))]
        for kind in ("str", "bytes") if step.step == "exact" else ("str",):
            commands[f"sh.edit, {kind}, {step.step}"] = [*code, _IN_MEMORY, str(file), kind, *arguments]
    return {
        **commands,
        "sh.edit, 1,000 edits": [*code, _MANY, str(file)],
        **{f"ws.{verb}": [*code, _ON_DISK, str(file), verb, str(old)] for verb in ("edit", "patch", "write", "undo")},
        "steadyhand edit": child.python(
            "-m",
            "steadyhand",
            "--root",
            str(file.parent),
            "edit",
            file.name,
            "--old-file",
            str(old),
            "--new",
            "replaced = True\n",
        ),
    }


def _peak(command: Sequence[str], file: Path, text: str) -> int:
    # A journal of the run before would know another version: what happened to the file since is another measurement.
    shutil.rmtree(file.parent / ".steadyhand", ignore_errors=True)
    file.write_bytes(text.encode())
    return child.peak_memory(command, cwd=file.parent)


def _row(label: str, peaks: list[int], floor: list[int], text: str) -> Row:
    base, value = statistics.median(floor), statistics.median(peaks)
    low, ratio, high = quartiles([peak / base for peak in peaks])
    remark = f"{value / len(text.encode()):.1f}× the file, {value / _str_size(text):.1f}× its str"
    return Row(label, value, base, ratio, low, high, len(peaks), remark, unit="B")


def _str_size(text: str) -> int:
    return len(text) * (1 if text.isascii() else 4)


BENCH = Bench("memory", 60, run)
