"""The floor: `str.find`, and a replacement only where the old text stands exactly once. It does nothing clever."""

from __future__ import annotations

import platform

from benches.accuracy.question import Answer, Question, serve


def replace(question: Question) -> Answer:
    text = question.before
    for op in question.ops:
        at = text.find(op.old) if op.old and op.old != op.new else -1
        if at < 0 or text.find(op.old, at + 1) >= 0:
            return Answer(False, question.before, "not exactly once")
        text = text[:at] + op.new + text[at + len(op.old) :]
    return Answer(True, text)


if __name__ == "__main__":
    serve(f"strfind, Python {platform.python_version()}", {"ops": replace})
