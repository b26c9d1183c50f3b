"""unidiff: it reads patches and applies none."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib.metadata import version

from unidiff import PatchSet

from benches.clock import Call, compare
from benches.inside.job import Job, answer, read_job
from benches.inside.patching import tasks
from benches.patches import split_rows
from benches.table import Row


def patches(job: Job) -> Iterator[Row]:
    for task in tasks(job):
        assert len(PatchSet(task.diff)) == len(task.rewrites)
        call = Call(f"unidiff {version('unidiff')} PatchSet, read {task.name}", partial(PatchSet, task.diff))
        yield from compare(partial(split_rows, task.diff), [call], job.effort)


if __name__ == "__main__":
    answer(patches(read_job()))
