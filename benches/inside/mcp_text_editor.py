"""mcp-text-editor: a patch of a line range with its hashes, which reads and writes the file within the call."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path

from mcp_text_editor.text_editor import TextEditor

from benches.bench import size_name
from benches.clock import Call, compare
from benches.inside.job import NEW, Job, answer, read_job
from benches.table import Row
from benches.texts import code_text, find_and_slice, lines_at


def edits(job: Job) -> Iterator[Row]:
    path = job.folder / "mcp-text-editor.py"
    for size in job.sizes:
        text = code_text(size)
        old = lines_at(text, 0.5)
        call = Call(
            f"mcp-text-editor {version('mcp-text-editor')} patch, {size_name(size)}",
            partial(_patch, path, text, old),
            partial(path.write_text, text, encoding="utf-8"),
            remark="by line numbers; reads and writes the file, no fsync",
        )
        path.write_text(text, encoding="utf-8")
        _patch(path, text, old)
        assert path.read_text(encoding="utf-8") == find_and_slice(text, old, NEW)
        yield from compare(partial(find_and_slice, text, old, NEW), [call], job.effort)


def _patch(path: Path, text: str, old: str) -> None:
    first = text.count("\n", 0, text.find(old)) + 1
    patch = {
        "line_start": first,
        "line_end": first + old.count("\n") - 1,
        "contents": NEW,
        "range_hash": TextEditor.calculate_hash(old),
    }
    editor = TextEditor()
    done = asyncio.run(editor.edit_file_contents(str(path), TextEditor.calculate_hash(text), [patch]))
    assert done["result"] == "ok", done["reason"]


if __name__ == "__main__":
    answer(edits(read_job()))
