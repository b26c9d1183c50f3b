"""The text of a file is freed with the refusal that is about it, not when Python next looks for garbage."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import partial
from pathlib import Path

import steadyhand as sh
from steadyhand.workspace.files.sandbox import FileImage
from tests.table import table

TEXT = "".join(f"line {number} of some text\n" for number in range(200)) + "twice\ntwice\n"


def left_over(call: Callable[[], object]) -> list[object]:
    """The texts of files that are still there after a call, though nobody has them."""

    def run() -> None:
        try:
            call()
        except sh.EditError:
            pass

    run()
    gc.freeze()  # what was there before is not looked at
    gc.disable()
    try:
        run()
        return [
            each
            for each in gc.get_objects()
            if (isinstance(each, sh.Source) and each.text == TEXT) or isinstance(each, FileImage)
        ]
    finally:
        gc.enable()


EDITS = {
    "absent": sh.Replace("line 5 of nothing there is\n", "x\n"),
    "twice": sh.Replace("twice", "once"),
    "nothing": sh.Replace("twice\ntwice\n", "twice\ntwice\n"),
    "lines": sh.Replace(sh.Lines(500, 600), "x\n"),
}


@table("name", EDITS)
@table("way", ["edit", "preview"])
def test_a_refused_edit_leaves_no_text_behind(name: str, way: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    edit = EDITS[name]
    with sh.Workspace(tmp_path, actor="a", task="t") as workspace:
        ways: dict[str, Callable[[], object]] = {
            "edit": lambda: workspace.edit("a.txt", [edit]),
            "preview": lambda: workspace.preview("a.txt", [edit]),
        }
        assert left_over(ways[way]) == []


def test_a_refused_call_of_a_tool_leaves_no_text_behind(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    with sh.Workspace(tmp_path, actor="a", task="t") as workspace:
        edit = {"old": "line 5 of nothing there is\n", "new": "x\n"}
        call = partial(workspace.tools("core").call, "edit", {"path": "a.txt", "edits": [edit], "reason": "shorter"})
        assert call()["kind"] == "no-match"
        assert left_over(call) == []
