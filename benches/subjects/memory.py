"""The most memory a process has at once while it edits a large file, against one that only reads the file."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path

from benches import child
from benches.bench import Bench, Setting, size_name
from benches.clock import quartiles
from benches.table import Row, Table
from benches.texts import code_text, lines_at

_IN_MEMORY = """
import pathlib, sys, steadyhand as sh
path, kind, old = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3]).read_bytes().decode()
edits = [sh.Replace(old, "replaced = True\\n")]
result = sh.edit(path.read_bytes() if kind == "bytes" else path.read_bytes().decode(), edits)
assert result.ok is (kind != "miss"), result.error
"""
_ON_DISK = """
import pathlib, sys, steadyhand as sh
path, old = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_bytes().decode()
with sh.Workspace(path.parent, actor="bench") as ws:
    ws.edit(path.name, [sh.Replace(old, "replaced = True\\n")])
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
    for name, wide in (("ASCII", False), ("with characters outside the BMP", True)):
        text = code_text(size, wide=wide)
        setting.tell(f"peak memory, {size_name(size)} {name}")
        yield Table(
            f"Peak memory of a process, file of {size_name(size)}, {name}",
            "a process that reads the file's bytes and ends",
            list(_rows(setting, text, "wide" if wide else "ascii")),
            "the remark is the peak as a multiple of the file's size"
            + (f"; as str the text takes {_str_size(text) / len(text.encode()):.1f}× the file" if wide else ""),
        )


def _rows(setting: Setting, text: str, name: str) -> Iterator[Row]:
    folder = setting.folder / name
    folder.mkdir()
    file, old, miss = folder / "big.py", setting.folder / f"{name}.old", setting.folder / f"{name}.miss"
    old.write_bytes(lines_at(text, 0.9).encode())
    miss.write_bytes(lines_at(text, 0.9).replace("combine", "combined").encode())
    code = child.python("-c")
    cli = child.python("-m", "steadyhand", "edit", "big.py", "--old-file", str(old), "--new", "replaced = True\n")
    commands: dict[str, Sequence[str]] = {
        "read and decode": [*code, _DECODE, str(file)],
        "sh.edit, str": [*code, _IN_MEMORY, str(file), "str", str(old)],
        "sh.edit, bytes": [*code, _IN_MEMORY, str(file), "bytes", str(old)],
        "sh.edit, refused: no match": [*code, _IN_MEMORY, str(file), "miss", str(miss)],
        "sh.edit, 1,000 edits": [*code, _MANY, str(file)],
        "ws.edit": [*code, _ON_DISK, str(file), str(old)],
        "steadyhand edit": cli,
    }
    floor = [_peak([*code, _READ, str(file)], file, text) for _ in range(setting.scale.memory_runs)]
    for label, command in commands.items():
        setting.tell(label)
        peaks = [_peak(command, file, text) for _ in range(setting.scale.memory_runs)]
        yield _row(label, peaks, floor, len(text.encode()))


def _peak(command: Sequence[str], file: Path, text: str) -> int:
    file.write_bytes(text.encode())
    return child.peak_memory(command, cwd=file.parent)


def _row(label: str, peaks: list[int], floor: list[int], size: int) -> Row:
    base = statistics.median(floor)
    low, ratio, high = quartiles([peak / base for peak in peaks])
    value = statistics.median(peaks)
    return Row(label, value, base, ratio, low, high, len(peaks), f"{value / size:.1f}× the file", unit="B")


def _str_size(text: str) -> int:
    return len(text) * (1 if text.isascii() else 4)


BENCH = Bench("memory", 60, run)
