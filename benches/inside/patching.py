"""The patches that peers are asked about: one long one, and one for many files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benches.inside.job import Job
from benches.patches import Rewrite, long_rewrite, small_rewrites, unified


@dataclass(frozen=True, slots=True)
class Task:
    """A patch and its way back."""

    name: str
    rewrites: tuple[Rewrite, ...]
    diff: str
    way_back: str


def tasks(job: Job) -> Iterator[Task]:
    yield _task(f"{job.hunks:,} hunks", (long_rewrite(job.hunks),))
    yield _task(f"{job.files:,} files", tuple(small_rewrites(job.files)))


def _task(name: str, rewrites: tuple[Rewrite, ...]) -> Task:
    return Task(name, rewrites, unified(rewrites), unified([rewrite.reversed() for rewrite in rewrites]))
