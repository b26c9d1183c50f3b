"""Many edits to one large file in one call, as a multiple of a call with a single edit."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import steadyhand as sh
from benches.bench import Bench, Setting, size_name
from benches.clock import Call, compare
from benches.table import Table
from benches.texts import code_text

_SNAPSHOT = sh.Policy(batch="snapshot")


def run(setting: Setting) -> Iterator[Table]:
    scale = setting.scale
    text = code_text(scale.batch_size)
    lines = text.splitlines(keepends=True)
    step = max(1, len(lines) // scale.batch_edits)
    rows = list(range(0, len(lines), step))[: scale.batch_edits]
    random.Random(1).shuffle(rows)  # models do not edit from top to bottom
    many = f"{len(rows):,} edits"
    setting.tell(f"{many} in {size_name(scale.batch_size)}")
    whole = _edits(lines, rows, lambda line: line)
    part = _edits(lines, rows, lambda line: line.strip().split("(")[0])
    short = _edits(lines, rows, lambda line: line.split("_")[1][:7])
    crlf = text.replace("\n", "\r\n")
    for edits in (whole, part, short):
        assert sh.edit(text, edits).ok
    assert sh.edit(crlf, whole).ok
    one = [whole[len(whole) // 2]]
    calls = [
        Call(f"{many}, whole lines", lambda: sh.edit(text, whole), remark="target ×20"),
        Call(f"{many}, whole lines, snapshot", lambda: sh.edit(text, whole, policy=_SNAPSHOT)),
        Call(f"{many}, whole lines, CRLF file and LF edits", lambda: sh.edit(crlf, whole)),
        Call(f"{many}, parts of lines, about 25 characters", lambda: sh.edit(text, part)),
        Call(f"{many}, parts of lines, 7 characters", lambda: sh.edit(text, short)),
        Call("by hand: find, find again, one join", lambda: _by_hand(text, whole), remark="for comparison"),
    ]
    yield Table(
        f"{many} to one file of {size_name(scale.batch_size)}",
        "one call with one edit (whole line)",
        compare(lambda: sh.edit(text, one), calls, scale.effort),
        "edits in random order; sequential unless the row says otherwise",
    )


def _edits(lines: list[str], rows: list[int], cut: Callable[[str], str]) -> list[sh.Replace]:
    olds = [cut(lines[row]) for row in rows]
    return [sh.Replace(old, old.replace("0", "o", 1) + ("" if old.endswith("\n") else "x")) for old in olds]


def _by_hand(text: str, edits: list[sh.Replace]) -> str:
    """The same edits without an engine: two searches each, then one pass that joins the pieces."""
    places: list[tuple[int, str, str]] = []
    for edit in edits:
        assert isinstance(edit.target, sh.Old)
        old = edit.target.text
        at = text.find(old)
        if at < 0 or text.find(old, at + 1) >= 0:
            raise ValueError("not exactly once")
        places.append((at, old, edit.new))
    pieces: list[str] = []
    position = 0
    for at, old, new in sorted(places):
        pieces += (text[position:at], new)
        position = at + len(old)
    return "".join([*pieces, text[position:]])


BENCH = Bench("batch", 20, run)
