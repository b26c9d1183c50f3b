"""aider-chat: the two functions that apply a SEARCH/REPLACE block, and the one that looks for the nearest lines."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Iterator
from functools import partial
from importlib.metadata import version
from time import perf_counter

from aider.coders.editblock_coder import find_similar_lines, replace_most_similar_chunk
from aider.coders.search_replace import search_and_replace

from benches.bench import size_name
from benches.clock import Call, compare
from benches.inside.job import NEW, Job, answer, read_job
from benches.steps import SizedStep, sized_steps
from benches.table import Row
from benches.texts import code_lines, code_text, find_and_slice, lines_at, misquoted, search_and_split

_NAME = f"aider-chat {version('aider-chat')}"


def edits(job: Job) -> Iterator[Row]:
    for size in job.sizes:
        text = code_text(size)
        old = lines_at(text, 0.5)
        assert replace_most_similar_chunk(text, old, NEW) == find_and_slice(text, old, NEW)
        calls = [
            Call(
                f"{_NAME} replace_most_similar_chunk, {size_name(size)}",
                partial(replace_most_similar_chunk, text, old, NEW),
                remark="first of several taken",
            ),
            Call(
                f"{_NAME} search_and_replace, {size_name(size)}",
                partial(search_and_replace, (old, NEW, text)),
                remark="all of several taken",
            ),
        ]
        yield from compare(partial(find_and_slice, text, old, NEW), calls, job.effort)


def misses(job: Job) -> Iterator[Row]:
    lines = code_lines(job.lines)
    text, needle = "".join(lines), misquoted(lines[job.lines // 2 :][:40])
    calls = [
        Call(
            f"{_NAME} replace_most_similar_chunk, 40 lines misquoted",
            partial(replace_most_similar_chunk, text, needle, NEW),
            remark="says only that there is none",
        ),
        Call(f"{_NAME} find_similar_lines, 40 lines misquoted", partial(find_similar_lines, needle, text)),
    ]
    yield from compare(partial(search_and_split, text, needle), calls, job.effort)


def take_turns(job: Job) -> None:
    """Runs the step that is named on a line of input so many times, and says how long it took; steps go on in order."""
    steps = sized_steps(job.sizes, job.lines)
    step = next(steps)
    for line in sys.stdin:
        asked = json.loads(line)
        while step.label != asked["label"]:
            step = next(steps)
        gc.collect()
        if "runs" not in asked:
            said: dict[str, object] = {"name": f"{_NAME} replace_most_similar_chunk", "result": _result(step)}
        else:
            started = perf_counter()
            for _ in range(asked["runs"]):
                replace_most_similar_chunk(step.text, step.old, step.new)
            said = {"seconds": perf_counter() - started}
        print(json.dumps(said), flush=True)


def _result(step: SizedStep) -> str:
    after = replace_most_similar_chunk(step.text, step.old, step.new)
    if after is None:
        return "refused"
    return "applied" if after == step.expected() else "WRONG TEXT"


if __name__ == "__main__":
    asked = read_job()
    if asked.topic == "sweep":
        take_turns(asked)
    else:
        answer({"edit": edits, "miss": misses}[asked.topic](asked))
