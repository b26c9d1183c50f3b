"""`git apply --recount`, outside any repository."""

from __future__ import annotations

from benches.accuracy.on_disk import run_on_file, strip_of, version_of
from benches.accuracy.question import Answer, Question, serve


def patch(question: Question) -> Answer:
    return run_on_file(question, lambda _file: ["git", "apply", "--recount", f"-p{strip_of(question.text)}"])


if __name__ == "__main__":
    serve(version_of("git"), {"diff": patch})
