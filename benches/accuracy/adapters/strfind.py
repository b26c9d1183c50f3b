"""The floor: `str.find`, and a replacement only where the old text is there exactly once. It does nothing clever.

Of a diff it takes the rows between two `@@` lines and believes no number in them.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator

from benches.accuracy.question import Answer, Op, Question, serve


def replace(question: Question) -> Answer:
    return replace_all(question.before, question.ops)


def patch(question: Question) -> Answer:
    ops = list(ops_of_diff(question.text))
    return replace_all(question.before, ops) if ops else Answer(False, question.before, "no rows of a diff")


def replace_all(before: str, ops: Iterable[Op]) -> Answer:
    """One op after the other, all or none."""
    text = before
    for op in ops:
        at = text.find(op.old) if op.old and op.old != op.new else -1
        if at < 0 or text.find(op.old, at + 1) >= 0:
            return Answer(False, before, "not exactly once")
        text = text[:at] + op.new + text[at + len(op.old) :]
    return Answer(True, text)


def ops_of_diff(diff: str) -> Iterator[Op]:
    """The rows of each hunk as old and new text."""
    rows: list[str] | None = None
    for line in [*diff.splitlines(keepends=True), "@@"]:
        if line.startswith("@@"):
            if rows:
                old, new = ("".join(row[1:] for row in rows if row[0] != sign) for sign in "+-")
                yield Op(old, new)
            rows = []
        elif rows is not None and line[0] in " +-":
            rows.append(line)


if __name__ == "__main__":
    serve(f"strfind, Python {platform.python_version()}", {"ops": replace, "diff": patch})
