"""patch-ng: a diff applied to a folder that holds the file."""

from __future__ import annotations

import logging
from importlib.metadata import version

import patch_ng

from benches.accuracy.on_disk import file_in_folder, strip_of
from benches.accuracy.question import Answer, Question, serve


def patch(question: Question) -> Answer:
    with file_in_folder(question) as (folder, file):
        found = patch_ng.fromstring(question.text.encode())
        if not found:
            return Answer(False, question.before, "it cannot be parsed")
        done = found.apply(strip=strip_of(question.text), root=str(folder))
        return Answer(bool(done), file.read_bytes().decode())


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    serve(f"patch-ng {version('patch-ng')}", {"diff": patch})
