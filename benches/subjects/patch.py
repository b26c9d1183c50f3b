"""A diff with very many hunks and a patch for very many files, against the programs and packages that take them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import steadyhand as sh
from benches.bench import Bench, Setting
from benches.clock import Call, compare
from benches.patch_memory import memory_table
from benches.patches import (
    Rewrite,
    apply_by_hand,
    by_turns,
    is_done,
    lay_out,
    long_rewrite,
    patch_by_hand,
    rewrite_of,
    small_rewrites,
    split_rows,
    unified,
)
from benches.peers import peer_tables
from benches.programs import PROGRAMS, Program
from benches.table import Row, Table
from benches.texts import program_lines

_NOT_DURABLE = "reads and writes files, no fsync"


def run(setting: Setting) -> Iterator[Table]:
    peers = list(peer_tables(setting, "patch")) if setting.with_peers else []
    theirs = [row for table in peers for row in table.rows if row.ratio is not None]
    rewrite = long_rewrite(setting.scale.patch_hunks[-1])
    many, files = f"{len(rewrite.changes):,} hunks", f"{setting.scale.patch_files:,} files"
    yield Table(
        f"A diff of {many}, read",
        "the diff cut at its line ends, the rows sorted by their first character",
        _beside(_read(setting, rewrite), f"read {many}", theirs),
    )
    yield Table(
        f"A diff of {many}, applied to a file of {len(rewrite.before):,} lines",
        "by hand: both cut into lines, rows joined where the numbers say, no old line looked at",
        _beside(list(_applied(setting, rewrite)), f"apply {many}", theirs),
        "repeated lines: a program whose lines occur in many places, so that many hunks go by their numbers",
    )
    yield Table(
        f"A patch for {files} of 4 KB, two hunks each",
        "by hand without fsync: each file read, its hunks applied where the numbers say, written and renamed",
        _beside(_many_files(setting), f"apply {files}", theirs),
    )
    yield from peers
    yield memory_table(setting, rewrite)


def _read(setting: Setting, rewrite: Rewrite) -> list[Row]:
    setting.tell("a long diff, read")
    diff = unified([rewrite])
    calls = [
        Call("sh.read_patch", partial(sh.read_patch, diff)),
        Call('sh.read_patch, format="unified"', partial(sh.read_patch, diff, format="unified")),
    ]
    return compare(partial(split_rows, diff), calls, setting.scale.patch_effort)


def _applied(setting: Setting, rewrite: Rewrite) -> Iterator[Row]:
    lines = list(program_lines(len(rewrite.text)))
    program = rewrite_of(lines, len(rewrite.changes), "src/long.txt")  # a program no more when lines are gone
    yield _patched(setting, "sh.patch", rewrite)
    yield _patched(setting, "sh.patch, numbers off by 7", rewrite, off=7)
    yield _patched(setting, "sh.patch, repeated lines", program)
    for name, asked in (("", rewrite), (", repeated lines", program)):
        for one in PROGRAMS:
            yield _by_program(setting, one, asked, one.name + name)


def _patched(setting: Setting, label: str, rewrite: Rewrite, *, off: int = 0) -> Row:
    setting.tell(label)
    text, diff = rewrite.text, unified([rewrite], off=off)
    results: list[sh.Result[str]] = []

    def patch() -> None:
        results[:] = [sh.patch(text, diff, path=rewrite.path)]

    floor = partial(apply_by_hand, text, unified([rewrite]))
    (row,) = compare(floor, [Call(label, patch)], setting.scale.patch_effort)
    return replace(row, remark=_answer(results[0], rewrite)) if results else row


def _answer(result: sh.Result[str], rewrite: Rewrite) -> str:
    """What became of the patch; figures for an answer that is not the right one would be worth nothing."""
    if result.error is not None:
        return f"refused: {result.error.kind.value}"
    return "applied" if result.text == rewrite.after() else "WRONG TEXT"


def _by_program(setting: Setting, program: Program, rewrite: Rewrite, label: str) -> Row:
    if not program.is_there:
        return Row(label, None, remark=program.absence)
    setting.tell(label)
    folder, diff = setting.folder / "one", unified([rewrite])
    patch = setting.folder / "long.diff"
    patch.write_text(diff, encoding="utf-8")
    call = Call(label, partial(program.run, folder, patch), partial(lay_out, folder, [rewrite]))
    (row,) = compare(partial(apply_by_hand, rewrite.text, diff), [call], setting.scale.patch_effort)
    return replace(row, remark=_NOT_DURABLE if is_done(folder, [rewrite]) else "WRONG TEXT")


def _many_files(setting: Setting) -> list[Row]:
    rewrites = small_rewrites(setting.scale.patch_files)
    there, back = unified(rewrites), unified([rewrite.reversed() for rewrite in rewrites])

    def floor(name: str, *, durable: bool = False) -> Callable[[], object]:
        folder = setting.folder / name
        lay_out(folder, rewrites)
        return by_turns(partial(patch_by_hand, folder, durable=durable), there, back)

    setting.tell(f"a patch for {len(rewrites):,} files")
    others = [Call("by hand, durable", floor("durable", durable=True)), *_in_turns(setting, rewrites)]
    rows = compare(floor("floor"), others, setting.scale.patch_effort)
    absent = [Row(program.name, None, remark=program.absence) for program in PROGRAMS if not program.is_there]
    fresh = _Fresh(setting.folder / "fresh", rewrites)
    lay_out(setting.folder / "again", rewrites)
    with sh.Workspace(setting.folder / "again", actor="bench") as workspace:
        workspace.patch(there)
        assert is_done(setting.folder / "again", rewrites)
        calls = [
            Call("ws.patch", partial(fresh.patch, there), fresh.make, "one transaction, durable, journalled"),
            Call("ws.patch, preview", partial(fresh.preview, there), fresh.make, "nothing written"),
            Call("ws.patch, files that a patch changed before", by_turns(workspace.patch, back, there)),
        ]
        ours = compare(floor("floor"), calls, setting.scale.patch_effort)
    fresh.close()
    return [*ours, *rows, *absent]


class _Fresh:
    """A workspace without a past, made for every turn."""

    def __init__(self, folder: Path, rewrites: Sequence[Rewrite]) -> None:
        self._folder, self._rewrites = folder, rewrites
        self._workspace: sh.Workspace | None = None

    def make(self) -> None:
        self.close()
        lay_out(self._folder, self._rewrites)
        self._workspace = sh.Workspace(self._folder, actor="bench")

    def patch(self, diff: str) -> None:
        assert self._workspace is not None
        self._workspace.patch(diff)

    def preview(self, diff: str) -> None:
        assert self._workspace is not None
        self._workspace.patch(diff, preview=True)

    def close(self) -> None:
        if self._workspace is not None:
            self._workspace.close()
            shutil.rmtree(self._folder)


def _in_turns(setting: Setting, rewrites: Sequence[Rewrite]) -> Iterator[Call]:
    diffs = [setting.folder / name for name in ("there.diff", "back.diff")]
    for path, wanted in zip(diffs, (rewrites, [rewrite.reversed() for rewrite in rewrites]), strict=True):
        path.write_text(unified(wanted), encoding="utf-8")
    for program in (program for program in PROGRAMS if program.is_there):
        folder = setting.folder / program.name
        lay_out(folder, rewrites)
        yield Call(program.name, by_turns(partial(_run, program, folder), *map(str, diffs)), remark=_NOT_DURABLE)


def _run(program: Program, folder: Path, diff: str) -> None:
    program.run(folder, Path(diff))


def _beside(rows: Sequence[Row], what: str, theirs: Sequence[Row]) -> list[Row]:
    """Rows in which the first of ours has its ratio as a multiple of those of all others that did the same."""
    programs = [row for row in rows if row.label in {program.name for program in PROGRAMS}]
    others = [*programs, *(row for row in theirs if row.label.endswith(f", {what}"))]
    first = rows[0]
    notes = [
        f"×{first.ratio / other.ratio:.2f} of {other.label.split(' ')[0] if other in theirs else other.label}"
        for other in others
        if first.ratio and other.ratio
    ]
    return [replace(first, remark="; ".join(filter(None, [first.remark, *notes]))), *rows[1:]]


BENCH = Bench("patch", 74, run)
