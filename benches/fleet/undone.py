"""Whether any task's work can be taken back without touching anybody else's: tried for each, done for none.

A token is the work of whoever wrote it last: a task that puts its own version of some lines over what others made of
them writes the words of third parties again, and taking that back takes them away.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import steadyhand as sh
from benches.fleet.evidence import Disagreement
from benches.fleet.judging import new_tokens
from benches.fleet.rebuild import Past
from benches.fleet.tree import tokens_in
from steadyhand.errors import EditError, Kind

_MOST = 50


def judge_undo(ws: sh.Workspace, past: Past, seed: int) -> Iterator[Disagreement]:
    """Preview the undo of every task with standing edits, or of some: only its own tokens go, or lines are named."""
    standing = [entry for entry in ws.history() if entry.record.verb == "edit" and entry.undone_by is None]
    tasks = sorted({entry.record.task for entry in standing if entry.record.task is not None})
    chosen = tasks if len(tasks) <= _MOST else random.Random(seed).sample(tasks, _MOST)
    writers = _last_writers(past)
    for task in chosen:
        yield from _task(ws, past, writers, task)


def _last_writers(past: Past) -> dict[str, str | None]:
    """The task that last wrote each token where it was not; what an undo brings back is whose it was."""
    edits = [entry.record for entry in past.entries if entry.record.verb == "edit"]
    return {mine: record.task for record in edits for mine in new_tokens(past, record.id)}


def _task(ws: sh.Workspace, past: Past, writers: dict[str, str | None], task: str) -> Iterator[Disagreement]:
    try:
        receipt = ws.undo(task=task, preview=True)
    except EditError as error:
        answer = error.details.get("lines") or error.details.get("blocked_by") or error.details.get("record")
        is_taken = error.kind is Kind.EXISTS_ALREADY  # somebody made another file where this one was
        if not is_taken and (error.kind is not Kind.CANNOT_UNDO or not (answer or "already" in error.message)):
            yield Disagreement("undo", f"{task}: {error.kind}: {error.message}")
        return
    for file in receipt.files:
        before, after = file.texts()
        own = {mine for mine in tokens_in(before) if _is_of(past, file.path_before, mine, task)}
        others = {mine for mine in tokens_in(before) if writers.get(mine) != task}
        if lost := others - set(tokens_in(after)):
            yield Disagreement("undo", f"undo of {task} takes {', '.join(sorted(lost))} out of {file.path}")
        if left := own & set(tokens_in(after)):
            yield Disagreement("undo", f"undo of {task} leaves {', '.join(sorted(left))} in {file.path}")


def _is_of(past: Past, path: str | None, mine: str, task: str) -> bool:
    """Whether a token is where its task wrote it; others may have written it again, with a file that was gone."""
    version = past.tree.get(path or "")
    if version is None or not mine.startswith(f"{task}_"):
        return False
    number = version.labels[version.text.index(mine)]
    return number > 0 and past.pieces[number - 1].party[1] == task
