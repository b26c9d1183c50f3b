"""Many at work at once: commits of several processes, the cost of looking for conflicts, the cost of reading."""

from __future__ import annotations

import secrets
import statistics
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path

import steadyhand as sh
from benches.bench import Bench, Setting
from benches.clock import Call, compare
from benches.fleet.commits import seconds_per_commit
from benches.past import make_past
from benches.postgres import durable_server
from benches.table import Row, Table
from steadyhand.session.host import host_of

_ROUNDS = 3
_LINES = 2_000


def run(setting: Setting) -> Iterator[Table]:
    yield _commits(setting)
    past = make_past(
        setting.folder / "long", records=setting.scale.records, busy_records=setting.scale.busy_records,
        later_records=setting.scale.later_records, tell=setting.tell,
    )  # fmt: skip
    yield _checks(setting, past.root, past.records)
    yield _reads(setting, past.root, past.records)


def _commits(setting: Setting) -> Table:
    with durable_server() as url:
        stores = {"SQLite": "sqlite"} | ({} if url is None else {"PostgreSQL": url})
        rows = [row for processes in setting.scale.fleet_processes for row in _commit_rows(setting, processes, stores)]
    return Table(
        "A durable commit, processes at work at once: wall time by commits",
        "as many processes that each write, fsync, rename and fsync the directory in a plain loop, in the same round",
        rows,
        "shared: all edit one file, each a line of its own; nothing is lost and nobody is refused",
    )


def _commit_rows(setting: Setting, processes: int, stores: dict[str, str]) -> Iterator[Row]:
    """A row for each store and kind of file; every round begins with the floor."""
    commits = max(2, setting.scale.fleet_commits // processes)
    floors: list[float] = []
    taken: dict[str, list[float]] = {}
    for number in range(1 if setting.scale.name == "tiny" else _ROUNDS):
        setting.tell(f"commits of {processes} processes, round {number + 1}")
        home = setting.folder / f"{processes}-{number}"
        home.mkdir()
        measure = partial(seconds_per_commit, processes=processes, commits=commits)
        floors.append(measure(home / "by-hand", "by hand", is_shared=False))
        for (name, store), is_shared in product(stores.items(), (False, True)):
            label = f"{processes} × {name}, {'one shared file' if is_shared else 'files of their own'}"
            given = store if store == "sqlite" else f"{store}&journal=bench_{secrets.token_hex(6)}"
            spent = measure(home / f"{name}-{is_shared}", given, is_shared=is_shared)
            taken.setdefault(label, []).append(spent)
    for label, values in taken.items():
        yield _commit_row(label, values, floors)


def _commit_row(label: str, values: list[float], floors: list[float]) -> Row:
    ratios = sorted(value / floor for value, floor in zip(values, floors, strict=True))
    value, floor = statistics.median(values), statistics.median(floors)
    remark = f"{1 / value:.0f} commits per second, {1 / floor:.0f} by hand"
    return Row(label, value, floor, statistics.median(ratios), ratios[0], ratios[-1], len(values), remark)


def _checks(setting: Setting, root: Path, records: int) -> Table:
    """The same edit far from what others did, previewed: planned and checked, nothing written."""
    empty = setting.folder / "empty"
    empty.mkdir()
    names = {foreign: f"foreign-{foreign}.md" for foreign in setting.scale.foreign_edits}
    text = "".join(f"line {line} of a long file\n" for line in range(_LINES))
    for folder in (root, empty):
        for name in names.values():
            (folder / name).write_text(text, encoding="utf-8")
    rows: list[Row] = []
    with (
        sh.Workspace(empty, actor="reader") as alone,
        sh.Workspace(root, actor="reader") as reader,
        sh.Workspace(root, actor="other") as other,
    ):
        for foreign, name in names.items():
            setting.tell(f"conflict checks: {foreign} edits of others")
            alone.read(name)
            reader.read(name)
            for number in range(foreign):
                other.edit(name, [sh.Replace(sh.Lines(10 + number % 1_000), f"of another, {number}\n")])
            call = Call(f"{foreign:,} edits of others since it was read", partial(_preview, reader, name))
            rows += compare(partial(_preview, alone, name), [call], setting.scale.effort)
    return Table(
        f"One edit checked for conflicts, a journal of {records:,} records",
        "the same edit of the same file where there is no journal",
        rows,
        "ws.preview of one line that nobody else touched",
    )


def _preview(workspace: sh.Workspace, name: str) -> None:
    workspace.preview(name, [sh.Replace(f"line {_LINES - 10} of a long file\n", "changed\n")])


def _reads(setting: Setting, root: Path, records: int) -> Table:
    setting.tell("reads")
    alone = setting.folder / "alone"
    alone.mkdir()
    text = "".join(f"line {line} of a file\n" for line in range(100))
    for folder in (root, alone):
        (folder / "read.md").write_text(text, encoding="utf-8")
    with (
        sh.Workspace(alone, actor="reader") as without,
        sh.Workspace(root, actor="reader") as reader,
        sh.Workspace(root) as nameless,
    ):
        calls = [
            Call("ws.read, no journal", lambda: without.read("read.md")),
            Call(f"ws.read, {records:,} records, nobody's name", lambda: nameless.read("read.md")),
            Call(f"ws.read, {records:,} records, a named actor", lambda: reader.read("read.md")),
            Call("host_of(ws).source, nothing remembered", lambda: host_of(reader).source("read.md")),
        ]
        rows = compare((root / "read.md").read_bytes, calls, setting.scale.effort)
    return Table("One file read", "open, read, close", rows, "a named actor's reads are kept for other processes")


BENCH = Bench("fleet", 45, run)
