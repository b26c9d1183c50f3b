"""GNU patch with its usual tolerance, given the file that is meant and forbidden to ask."""

from __future__ import annotations

from benches.accuracy.on_disk import run_on_file, version_of
from benches.accuracy.question import Answer, Question, serve


def patch(question: Question) -> Answer:
    return run_on_file(question, lambda file: ["patch", "--force", "--fuzz=2", str(file)])


if __name__ == "__main__":
    serve(version_of("patch"), {"diff": patch})
