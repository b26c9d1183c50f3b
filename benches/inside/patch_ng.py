"""patch-ng: a patch read from bytes, and applied to the files of a folder."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path

import patch_ng

from benches.clock import Call, compare
from benches.inside.job import Job, answer, read_job
from benches.inside.patching import Task, tasks
from benches.patches import apply_by_hand, by_turns, is_done, lay_out, patch_by_hand, split_rows
from benches.table import Row

_NAME = f"patch-ng {version('patch-ng')}"


def patches(job: Job) -> Iterator[Row]:
    for task in tasks(job):
        read = Call(f"{_NAME} fromstring, read {task.name}", partial(patch_ng.fromstring, task.diff.encode()))
        yield from compare(partial(split_rows, task.diff), [read], job.effort)
        yield from _applied(job, task)


def _applied(job: Job, task: Task) -> Iterator[Row]:
    """There and back by turns, so that nothing has to be put back in between."""
    folders = [job.folder / f"patch-ng-{who}-{len(task.rewrites)}" for who in ("it", "floor")]
    for folder in folders:
        lay_out(folder, task.rewrites)
    call = Call(
        f"{_NAME} apply, apply {task.name}",
        by_turns(partial(_apply, folders[0]), task.diff, task.way_back),
        remark="only where the numbers say; reads and writes files, no fsync",
    )
    floor = _floor(task, folders[1])
    yield from compare(floor, [call], job.effort)


def _floor(task: Task, folder: Path) -> Callable[[], object]:
    if len(task.rewrites) > 1:
        return by_turns(partial(patch_by_hand, folder), task.diff, task.way_back)
    return partial(apply_by_hand, task.rewrites[0].text, task.diff)


def _apply(folder: Path, diff: str) -> None:
    if not patch_ng.fromstring(diff.encode()).apply(root=str(folder)):
        raise RuntimeError("refused")


def check(job: Job) -> None:
    for task in tasks(job):
        folder = job.folder / f"patch-ng-check-{len(task.rewrites)}"
        lay_out(folder, task.rewrites)
        _apply(folder, task.diff)
        assert is_done(folder, task.rewrites)


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    asked = read_job()
    check(asked)
    answer(patches(asked))
