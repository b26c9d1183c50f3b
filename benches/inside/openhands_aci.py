"""openhands-aci: `str_replace` of its editor, which reads and writes the file within the call."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path

from openhands_aci.editor.editor import OHEditor

from benches.bench import size_name
from benches.clock import Call, compare
from benches.inside.job import NEW, Job, answer, read_job
from benches.table import Row
from benches.texts import code_text, find_and_slice, lines_at


def edits(job: Job) -> Iterator[Row]:
    path = job.folder / "openhands-aci.py"
    for size in job.sizes:
        text = code_text(size)
        old = lines_at(text, 0.5)
        editor = OHEditor()
        call = Call(
            f"openhands-aci {version('openhands-aci')} str_replace, {size_name(size)}",
            partial(_replace, editor, path, old),
            partial(path.write_text, text, encoding="utf-8"),
            remark="reads and writes the file, no fsync",
        )
        path.write_text(text, encoding="utf-8")
        _replace(editor, path, old)
        assert path.read_text(encoding="utf-8") == find_and_slice(text, old, NEW)
        yield from compare(partial(find_and_slice, text, old, NEW), [call], job.effort)


def _replace(editor: OHEditor, path: Path, old: str) -> None:
    editor(command="str_replace", path=str(path), old_str=old, new_str=NEW)


if __name__ == "__main__":
    answer(edits(read_job()))
