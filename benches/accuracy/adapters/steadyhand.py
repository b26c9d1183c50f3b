"""Steadyhand: one function per kind of case. A dialect that reads another kind adds its function here."""

from __future__ import annotations

import steadyhand as sh
from benches.accuracy.question import Answer, Question, fenced, serve


def replace(question: Question) -> Answer:
    """All ops in one call, on bytes, as a file is."""
    edits = [sh.Replace(op.old, op.new) for op in question.ops]
    return _answer(sh.edit(question.before.encode(), edits, path=question.path))


def patch(question: Question) -> Answer:
    """A diff or a whole reply; nobody says in which format it is."""
    return _patch(question, question.text)


def snippet(question: Question) -> Answer:
    """A snippet in a fence, as it comes from a model, with or without marks for what stays."""
    return _patch(question, fenced(question.text))


def _patch(question: Question, reply: str) -> Answer:
    return _answer(sh.patch(question.before.encode(), reply, path=question.path))


def _answer(result: sh.Result[bytes]) -> Answer:
    text = result.text.decode()
    if result.error is not None:
        return Answer(False, text, f"{result.error.kind.value}: {result.error.message}")
    tiers = ", ".join(str(outcome.tier) for outcome in result.outcomes)
    return Answer(True, text, f"{result.format}: {tiers}" if result.format else tiers)


if __name__ == "__main__":
    serve(f"steadyhand {sh.__version__}", {"ops": replace, "diff": patch, "snippet": snippet, "reply": patch})
