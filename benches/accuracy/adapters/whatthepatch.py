"""whatthepatch: a diff parsed and applied to the lines of the file; several files in it are refused here."""

from __future__ import annotations

from importlib.metadata import version

import whatthepatch
from whatthepatch.exceptions import WhatThePatchException

from benches.accuracy.question import Answer, Question, serve


def patch(question: Question) -> Answer:
    """Lines are cut at LF only, so that nothing of the file is lost before the library sees it."""
    try:
        found = [diff for diff in whatthepatch.parse_patch(question.text) if diff.changes]
        if len(found) != 1:
            return Answer(False, question.before, f"{len(found)} diffs with changes")
        return Answer(True, "\n".join(whatthepatch.apply_diff(found[0], question.before.split("\n"))))
    except WhatThePatchException as refusal:
        return Answer(False, question.before, str(refusal)[:500])


if __name__ == "__main__":
    serve(f"whatthepatch {version('whatthepatch')}", {"diff": patch})
