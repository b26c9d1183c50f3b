"""One edit near the end of a file, from 1 KB to 50 MB, asked as each step of matching meets it; and aider beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import steadyhand as sh
from benches.bench import Bench, Setting
from benches.clock import Call, compare
from benches.peers import peer_tables
from benches.steps import SizedStep, by_hand, sized_steps
from benches.table import Row, Table

_LARGEST_PLAIN = 1_000_000
_TARGETS = {
    "20,000 lines, whitespace": "bar ×1 of aider",
    "20,000 lines, fuzzy": "bar ×1 of aider",
    "20,000 lines, no-match": "bar ×1 of aider",
    "50 MB, no-match": "bar ×0.2 of aider",
}


def run(setting: Setting) -> Iterator[Table]:
    peers = list(peer_tables(setting, "sweep")) if setting.with_peers else []
    theirs = {row.label.split(", ", 1)[1]: row for table in peers for row in table.rows if row.ratio is not None}
    yield Table(
        "One edit near the end of the file",
        "the exact edit by hand at the same place: str.find, a second find, two slices",
        list(_rows(setting, setting.scale.sweep_sizes, "a.py", theirs)),
        "old text: 40 whole lines, fewer in small files; one line changes",
    )
    sizes = [size for size in setting.scale.sweep_sizes if size <= _LARGEST_PLAIN]
    yield Table(
        "The same edit in a .txt file",
        "the exact edit by hand at the same place, as above",
        list(_rows(setting, sizes, "a.txt", theirs)),
        "no syntax is guarded",
    )
    yield from peers


def _rows(setting: Setting, sizes: Sequence[int], path: str, theirs: Mapping[str, Row]) -> Iterator[Row]:
    for step in sized_steps(sizes, setting.scale.diff_lines):
        setting.tell(f"sweep, {path}, {step.label}")
        edits = [sh.Replace(step.old, step.new)]
        call = Call(step.label, partial(sh.edit, step.text, edits, path=path))
        for row in compare(partial(by_hand, step), [call], setting.scale.effort):
            done = _result(step, edits, path) if row.value is not None else row.remark
            notes = (done, _beside(row, theirs.get(step.label)), _TARGETS.get(step.label, ""))
            yield replace(row, remark="; ".join(filter(None, notes)))


def _result(step: SizedStep, edits: Sequence[sh.Replace], path: str) -> str:
    """What became of the edit; figures for an answer that is not the right one would be worth nothing."""
    result = sh.edit(step.text, edits, path=path)
    if result.error is not None:
        return f"refused: {result.error.kind.value}"
    return f"applied: {result.outcomes[0].tier}" if result.text == step.expected() else "WRONG TEXT"


def _beside(ours: Row, theirs: Row | None) -> str:
    if theirs is None or theirs.ratio is None or ours.ratio is None:
        return ""
    return f"×{ours.ratio / theirs.ratio:.2f} of aider ({theirs.remark})"


BENCH = Bench("speed", 15, run)
