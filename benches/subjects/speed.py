"""One edit near the end of a file, from 1 KB to 50 MB, asked as each step of matching meets it; and aider beside it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import steadyhand as sh
from benches.bench import Bench, Setting
from benches.clock import Call, compare
from benches.peers import Companion, Unavailable, peer_named
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
    theirs: dict[str, Row] = {}
    absence = ""
    with contextlib.ExitStack() as block:
        peer = None
        if setting.with_peers:
            try:
                peer = block.enter_context(Companion(setting, peer_named("aider-chat"), "sweep"))
            except Unavailable as reason:
                absence = f"not measured: {reason}"
        yield Table(
            "One edit near the end of the file",
            "the exact edit by hand at the same place: str.find, a second find, two slices",
            list(_rows(setting, setting.scale.sweep_sizes, "a.py", theirs, peer)),
            "old text: 40 whole lines, fewer in small files; one line changes",
        )
    sizes = [size for size in setting.scale.sweep_sizes if size <= _LARGEST_PLAIN]
    yield Table(
        "The same edit in a .txt file",
        "the exact edit by hand at the same place, as above",
        list(_rows(setting, sizes, "a.txt", theirs)),
        "no syntax is guarded",
    )
    if setting.with_peers:
        yield Table(
            "One edit near the end of the file, peers",
            "the exact edit by hand, as above: the peer's process took turns with ours in each round",
            list(theirs.values()) or [Row("aider-chat", None, remark=absence)],
        )


def _rows(
    setting: Setting, sizes: Sequence[int], path: str, theirs: dict[str, Row], peer: Companion | None = None
) -> Iterator[Row]:
    """Ours; those of the peer, which takes turns where it is given, are put beside them by step."""
    for step in sized_steps(sizes, setting.scale.diff_lines):
        setting.tell(f"sweep, {path}, {step.label}")
        edits = [sh.Replace(step.old, step.new)]
        calls = [Call(step.label, partial(sh.edit, step.text, edits, path=path))]
        if peer is not None:
            name, result = peer.name_and_result(step.label)
            calls.append(Call(f"{name}, {step.label}", _nothing, None, result, partial(peer.time, step.label)))
        row, *others = compare(partial(by_hand, step), calls, setting.scale.effort)
        if others and others[0].ratio is not None:
            theirs[step.label] = others[0]
        done = _result(step, edits, path) if row.value is not None else row.remark
        notes = (done, _beside(row, theirs.get(step.label)), _TARGETS.get(step.label, ""))
        yield replace(row, remark="; ".join(filter(None, notes)))


def _nothing() -> None:
    """What is to run here of a call that another process runs."""


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
