"""whatthepatch: `parse_patch`, and `apply_diff` to the lines of each file."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib.metadata import version

import whatthepatch

from benches.clock import Call, compare
from benches.inside.job import Job, answer, read_job
from benches.inside.patching import Task, tasks
from benches.patches import apply_by_hand, split_rows
from benches.table import Row

_NAME = f"whatthepatch {version('whatthepatch')}"


def patches(job: Job) -> Iterator[Row]:
    for task in tasks(job):
        read = Call(f"{_NAME} parse_patch, read {task.name}", partial(_read, task.diff))
        yield from compare(partial(split_rows, task.diff), [read], job.effort)
        if len(task.rewrites) == 1:
            yield from _applied(job, task)


def _applied(job: Job, task: Task) -> Iterator[Row]:
    (rewrite,) = task.rewrites
    text = rewrite.text
    assert _apply(text, task.diff) == rewrite.after().splitlines()
    call = Call(
        f"{_NAME} apply_diff, apply {task.name}", partial(_apply, text, task.diff), remark="only where the numbers say"
    )
    yield from compare(partial(apply_by_hand, text, task.diff), [call], job.effort)


def _read(diff: str) -> list[object]:
    return list(whatthepatch.parse_patch(diff))


def _apply(text: str, diff: str) -> list[str]:
    (found,) = whatthepatch.parse_patch(diff)
    return whatthepatch.apply_diff(found, text)


if __name__ == "__main__":
    answer(patches(read_job()))
