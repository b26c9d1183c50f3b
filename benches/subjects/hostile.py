"""Inputs that want to make an engine slow, each in a process of its own that is ended when it takes too long."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator

from benches import child
from benches.bench import Bench, Setting, size_name
from benches.hostile import INPUTS
from benches.peers import last_line
from benches.table import Row, Table


def run(setting: Setting) -> Iterator[Table]:
    scale = setting.scale
    yield Table(
        "Hostile inputs",
        "str.find that fails, then str.splitlines",
        [_row(setting, name) for name in INPUTS],
        f"files of {size_name(scale.hostile_size)}, old texts of {scale.hostile_lines:,} lines,"
        f" one line of {size_name(scale.hostile_line)}; one run each, ended after {scale.hostile_seconds:.0f} s",
    )


def _row(setting: Setting, name: str) -> Row:
    scale = setting.scale
    setting.tell(f"hostile, {name}")
    sizes = map(str, (scale.hostile_size, scale.hostile_lines, scale.hostile_line))
    try:
        answer = child.answer(child.python("-m", "benches.hostile", name, *sizes), limit=scale.hostile_seconds)
    except subprocess.CalledProcessError as error:
        return Row(name, None, remark=f"CRASHED: {last_line(error.stderr)}")
    if answer is None:
        return Row(name, None, remark=f"given up after {scale.hostile_seconds:.0f} s")
    seconds, floor, what, peak = json.loads(answer)
    ratio = seconds / max(floor, 1e-9)
    memory = f"; peak {peak / 1e6:.0f} MB" if peak else ""
    return Row(name, seconds, floor, ratio, ratio, ratio, 1, what + memory)


BENCH = Bench("hostile", 80, run)
