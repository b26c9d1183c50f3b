"""aider-chat: `apply_edits` of its coders for SEARCH/REPLACE, which takes whole lines, and for unified diffs.

Both read and write the file themselves. A diff is handed over in the fence that aider asks its models for, and every
edit in it is for the file of the case, whatever its header says.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

from aider.coders.base_coder import Coder
from aider.coders.editblock_coder import EditBlockCoder
from aider.coders.udiff_coder import UnifiedDiffCoder
from aider.io import InputOutput

from benches.accuracy.question import Answer, Question, fenced, serve

AnyCoder = TypeVar("AnyCoder", bound=Coder)


def replace(question: Question) -> Answer:
    def edits(_coder: EditBlockCoder, name: str) -> Sequence[object]:
        return [(name, _whole_lines(op.old), _whole_lines(op.new)) for op in question.ops]

    return _apply(EditBlockCoder, question, edits)


def patch(question: Question) -> Answer:
    def edits(coder: UnifiedDiffCoder, name: str) -> Sequence[object]:
        coder.partial_response_content = _fenced_diff(question.text)
        return [(name, hunk) for _, hunk in coder.get_edits()]

    return _apply(UnifiedDiffCoder, question, edits)


def _apply(kind: type[AnyCoder], question: Question, edits: Callable[[AnyCoder, str], Sequence[object]]) -> Answer:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, Path(question.path).name)
        file.write_bytes(question.before.encode())
        coder = _coder(kind, folder)
        try:
            found = edits(coder, file.name)
            if not found:
                return Answer(False, question.before, "it found no edit")
            coder.apply_edits(found)
        except ValueError as refusal:
            return Answer(False, file.read_bytes().decode(), str(refusal)[:500])
        return Answer(True, file.read_bytes().decode())


def _coder(kind: type[AnyCoder], folder: str) -> AnyCoder:
    """A coder without a model or a conversation: applying edits needs neither."""
    coder = kind.__new__(kind)
    coder.io = InputOutput(pretty=False, yes=True, fancy_input=False)
    coder.root, coder.abs_root_path_cache, coder.abs_fnames = folder, {}, set()
    return coder


def _whole_lines(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def _fenced_diff(text: str) -> str:
    """As it is where it is fenced; else what begins with the first header, in a fence."""
    if "```diff" in text:
        return text
    lines = text.splitlines(keepends=True)
    first = next((row for row, line in enumerate(lines) if line.startswith(("--- ", "@@"))), 0)
    return fenced("".join(lines[first:]), "diff")


if __name__ == "__main__":
    serve(f"aider-chat {version('aider-chat')}", {"ops": replace, "diff": patch})
