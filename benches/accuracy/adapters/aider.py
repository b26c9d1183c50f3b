"""aider-chat: `EditBlockCoder.apply_edits`, which takes whole lines, with its own reading and writing of the file."""

from __future__ import annotations

import tempfile
from importlib.metadata import version
from pathlib import Path

from aider.coders.editblock_coder import EditBlockCoder
from aider.io import InputOutput

from benches.accuracy.question import Answer, Question, serve


def replace(question: Question) -> Answer:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, Path(question.path).name)
        file.write_bytes(question.before.encode())
        edits = [(file.name, _whole_lines(op.old), _whole_lines(op.new)) for op in question.ops]
        try:
            _coder(folder).apply_edits(edits)
        except ValueError as refusal:
            return Answer(False, file.read_bytes().decode(), str(refusal)[:500])
        return Answer(True, file.read_bytes().decode())


def _coder(folder: str) -> EditBlockCoder:
    """A coder without a model or a conversation: applying edits needs neither."""
    coder = EditBlockCoder.__new__(EditBlockCoder)
    coder.io = InputOutput(pretty=False, yes=True, fancy_input=False)
    coder.root, coder.abs_root_path_cache, coder.abs_fnames = folder, {}, set()
    return coder


def _whole_lines(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


if __name__ == "__main__":
    serve(f"aider-chat {version('aider-chat')}", {"ops": replace})
