"""A durable change of files, journal included, against writing them by hand with the same care for durability."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import steadyhand as sh
from benches.bench import Bench, Setting
from benches.by_hand import write_file
from benches.clock import Call, compare
from benches.table import Table
from benches.texts import functions

_FUNCTIONS = 16
_FILES = 10


def run(setting: Setting) -> Iterator[Table]:
    text = "".join(["version = 1\n", *functions(_FUNCTIONS)])
    names = [f"file-{number}.py" for number in range(_FILES)]
    for name in names:
        (setting.folder / name).write_text(text, encoding="utf-8")
    with sh.Workspace(setting.folder, actor="bench") as workspace:
        setting.tell("durable commits")
        yield _single(setting, workspace, names[0])
        yield _several(setting, workspace, names)


def _single(setting: Setting, workspace: sh.Workspace, name: str) -> Table:
    path = setting.folder / name
    counter = itertools.count()
    calls = [
        Call("ws.edit, one edit", lambda: workspace.edit(name, _next(path, counter))),
        Call("ws.write, the whole file", lambda: _overwrite(workspace, name, path, counter)),
        Call("ws.preview, nothing written", lambda: workspace.preview(name, _next(path, counter))),
        Call("by hand without fsync", lambda: write_file(path, path.read_bytes(), durable=False), remark="not durable"),
    ]
    return Table(
        "Durable change of one file of 4 KB",
        "read, write to a temporary file, fsync, rename, fsync of the directory",
        compare(lambda: write_file(path, path.read_bytes()), calls, setting.scale.effort),
        "with locks, digests, journal record (durable before the rename) and receipt",
    )


def _several(setting: Setting, workspace: sh.Workspace, names: list[str]) -> Table:
    paths = [setting.folder / name for name in names]
    counter = itertools.count()

    def by_hand() -> None:
        for path in paths:
            write_file(path, path.read_bytes())

    def together() -> None:
        with workspace.transaction() as transaction:
            for name, path in zip(names, paths, strict=True):
                transaction.edit(name, _next(path, counter))

    def one_by_one() -> None:
        for name, path in zip(names, paths, strict=True):
            workspace.edit(name, _next(path, counter))

    return Table(
        f"Durable change of {_FILES} files of 4 KB",
        f"the floor above for each of the {_FILES}, which is neither all nor nothing",
        compare(
            by_hand,
            [Call("one transaction", together), Call(f"{_FILES} calls of ws.edit", one_by_one)],
            setting.scale.effort,
        ),
    )


def _next(path: Path, counter: Iterator[int]) -> list[sh.Replace]:
    """An edit of the file's first line, which differs each time; reading it back is part of what a caller does."""
    with path.open(encoding="utf-8") as file:
        first = file.readline()
    return [sh.Replace(first, f"changed = {next(counter)}\n")]


def _overwrite(workspace: sh.Workspace, name: str, path: Path, counter: Iterator[int]) -> None:
    rest = path.read_text(encoding="utf-8").split("\n", 1)[1]
    workspace.write(name, f"written = {next(counter)}\n{rest}", overwrite=True)


BENCH = Bench("commit", 30, run)
