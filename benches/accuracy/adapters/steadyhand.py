"""Steadyhand: one function per kind of case. A dialect that reads another kind adds its function here."""

from __future__ import annotations

import steadyhand as sh
from benches.accuracy.question import Answer, Question, serve


def replace(question: Question) -> Answer:
    """All ops in one call, on bytes, as a file is."""
    edits = [sh.Replace(op.old, op.new) for op in question.ops]
    result = sh.edit(question.before.encode(), edits, path=question.path)
    if result.error is not None:
        return Answer(False, result.text.decode(), f"{result.error.kind.value}: {result.error.message}")
    return Answer(True, result.text.decode(), ", ".join(str(outcome.tier) for outcome in result.outcomes))


if __name__ == "__main__":
    serve(f"steadyhand {sh.__version__}", {"ops": replace})
