"""openhands-aci: `str_replace` of its editor, one op a call; after the first refusal no further op is sent."""

from __future__ import annotations

import tempfile
from importlib.metadata import version
from pathlib import Path

from openhands_aci.editor.editor import OHEditor
from openhands_aci.editor.exceptions import ToolError

from benches.accuracy.question import Answer, Question, serve


def replace(question: Question) -> Answer:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, Path(question.path).name)
        file.write_bytes(question.before.encode())
        editor = OHEditor()
        try:
            for op in question.ops:
                editor(command="str_replace", path=str(file), old_str=op.old, new_str=op.new)
        except ToolError as refusal:
            return Answer(False, file.read_bytes().decode(), str(refusal)[:500])
        return Answer(True, file.read_bytes().decode())


if __name__ == "__main__":
    serve(f"openhands-aci {version('openhands-aci')}", {"ops": replace})
