"""The file that peers are asked to change in one place, and what is said of the text they give back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from benches.bench import size_name
from benches.clock import Call, compare
from benches.documents import Document, document, verdict
from benches.inside.job import Job
from benches.parsers import parser_of
from benches.table import Row


def rewritten(job: Job, format: str, name: str, change: Callable[[Document], str]) -> Iterator[Row]:
    """A row per size: parse, change the place in the middle, write all of it."""
    for size in job.sizes:
        given = document(format, size)
        label = f"{name}, {format}, {size_name(size)}"
        call = Call(label, partial(change, given), remark=verdict(given, change(given)))
        yield from compare(partial(parser_of(format), given.text), [call], job.effort)
