"""A diff with very many hunks and a patch for very many files, against the programs and packages that take them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import steadyhand as sh
from benches.bench import Bench, Setting
from benches.clock import Call, compare
from benches.patches import (
    PATH,
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
    many = f"{len(rewrite.changes):,} hunks"
    yield Table(
        f"A diff of {many}, read",
        "the diff cut at its line ends, the rows sorted by their first character",
        [_beside(row, f"read {many}", theirs) for row in _read(setting, rewrite)],
    )
    yield Table(
        f"A diff of {many}, applied to a file of {len(rewrite.before):,} lines",
        "by hand: both cut into lines, rows joined where the numbers say, no old line looked at",
        [_beside(row, f"apply {many}", theirs) for row in _applied(setting, rewrite)],
        "repeated lines: a program whose lines stand in many places, so that many hunks go by their numbers",
    )
    yield _many_files(setting, theirs)
    yield from peers


def _read(setting: Setting, rewrite: Rewrite) -> list[Row]:
    setting.tell("a long diff, read")
    diff = unified([rewrite])
    calls = [
        Call("sh.read_patch", partial(sh.read_patch, diff)),
        Call('sh.read_patch, format="unified"', partial(sh.read_patch, diff, format="unified")),
    ]
    return compare(partial(split_rows, diff), calls, setting.scale.patch_effort)


def _applied(setting: Setting, rewrite: Rewrite) -> Iterator[Row]:
    hunks = len(rewrite.changes)
    program = rewrite_of(list(program_lines(len(rewrite.text))), hunks, PATH)
    wanted = [
        ("sh.patch", rewrite, 0),
        ("sh.patch, numbers off by 7", rewrite, 7),
        ("sh.patch, repeated lines", program, 0),
    ]
    for label, asked, off in wanted:
        setting.tell(label)
        diff, text = unified([asked], off=off), asked.text
        call = Call(label, partial(sh.patch, text, diff, path=PATH))
        rows = compare(partial(apply_by_hand, text, unified([asked])), [call], setting.scale.patch_effort)
        yield from (replace(row, remark=_result(asked, diff)) for row in rows)
    for name, asked in (("", rewrite), (", repeated lines", program)):
        yield from _by_programs(setting, asked, name)


def _result(rewrite: Rewrite, diff: str) -> str:
    """What became of the patch; figures for an answer that is not the right one would be worth nothing."""
    result = sh.patch(rewrite.text, diff, path=PATH)
    if result.error is not None:
        return f"refused: {result.error.kind.value}"
    return "applied" if result.text == rewrite.after() else "WRONG TEXT"


def _by_programs(setting: Setting, rewrite: Rewrite, name: str) -> Iterator[Row]:
    diff = unified([rewrite])
    patch = setting.folder / "long.diff"
    patch.write_text(diff, encoding="utf-8")
    floor = partial(apply_by_hand, rewrite.text, diff)
    for program in PROGRAMS:
        setting.tell(program.name + name)
        folder = setting.folder / "one"
        if not program.is_there:
            yield Row(program.name + name, None, remark=program.absence)
            continue
        call = Call(
            program.name + name,
            partial(program.run, folder, patch),
            partial(lay_out, folder, [rewrite]),
            remark=_told(folder, [rewrite], partial(program.run, folder, patch)),
        )
        yield from compare(floor, [call], setting.scale.patch_effort)


def _told(folder: Path, rewrites: Sequence[Rewrite], run: Callable[[], object]) -> str:
    """What a program makes of the files."""
    lay_out(folder, rewrites)
    run()
    return _NOT_DURABLE if is_done(folder, rewrites) else "WRONG TEXT"


def _many_files(setting: Setting, theirs: Sequence[Row]) -> Table:
    rewrites = small_rewrites(setting.scale.patch_files)
    there, back = unified(rewrites), unified([rewrite.reversed() for rewrite in rewrites])
    name = f"{len(rewrites):,} files"
    setting.tell(f"a patch for {name}")
    folders = {who: setting.folder / who for who in ("floor", "durable", "workspace")}
    for folder in folders.values():
        lay_out(folder, rewrites)
    with sh.Workspace(folders["workspace"], actor="bench") as workspace:
        calls = [
            Call("ws.patch", by_turns(workspace.patch, there, back), remark="one transaction, durable, journalled"),
            Call("by hand, durable", by_turns(partial(patch_by_hand, folders["durable"], durable=True), there, back)),
            *_programs_in_turns(setting, rewrites),
        ]
        floor = by_turns(partial(patch_by_hand, folders["floor"]), there, back)
        rows = compare(floor, calls, setting.scale.patch_effort)
        rows += _previewed(setting, workspace, rewrites)
    rows += [Row(program.name, None, remark=program.absence) for program in PROGRAMS if not program.is_there]
    return Table(
        f"A patch for {name} of 4 KB, two hunks each",
        "by hand without fsync: each file read, its hunks applied where the numbers say, written and renamed",
        [_beside(row, f"apply {name}", theirs) for row in rows],
    )


def _previewed(setting: Setting, workspace: sh.Workspace, rewrites: Sequence[Rewrite]) -> list[Row]:
    folder = setting.folder / "workspace"
    lay_out(folder, rewrites)
    diff = unified(rewrites)
    assert workspace.patch(diff).ok
    assert is_done(folder, rewrites)
    lay_out(folder, rewrites)
    call = Call("ws.patch, preview", partial(workspace.patch, diff, preview=True), remark="nothing written")
    copy = setting.folder / "floor"
    lay_out(copy, rewrites)
    way_back = unified([rewrite.reversed() for rewrite in rewrites])
    return compare(by_turns(partial(patch_by_hand, copy), diff, way_back), [call], setting.scale.patch_effort)


def _programs_in_turns(setting: Setting, rewrites: Sequence[Rewrite]) -> Iterator[Call]:
    diffs = [setting.folder / name for name in ("there.diff", "back.diff")]
    for path, wanted in zip(diffs, (rewrites, [rewrite.reversed() for rewrite in rewrites]), strict=True):
        path.write_text(unified(wanted), encoding="utf-8")
    for program in filter(lambda program: program.is_there, PROGRAMS):
        folder = setting.folder / program.name
        remark = _told(folder, rewrites, partial(program.run, folder, diffs[0]))
        lay_out(folder, rewrites)
        yield Call(program.name, by_turns(partial(_run, program, folder), *map(str, diffs)), remark=remark)


def _run(program: Program, folder: Path, diff: str) -> None:
    program.run(folder, Path(diff))


def _beside(row: Row, what: str, theirs: Sequence[Row]) -> Row:
    """A row of ours with its ratio as a multiple of the ratios of packages that did the same."""
    if row.ratio is None or not row.label.startswith(("sh.", "ws.")) or "," in row.label:
        return row
    same = [other for other in theirs if other.label.endswith(f", {what}") and other.ratio]
    notes = [f"×{row.ratio / (other.ratio or 1.0):.2f} of {other.label.split()[0]}" for other in same]
    return replace(row, remark="; ".join(filter(None, [row.remark, *notes])))


BENCH = Bench("patch", 74, run)
