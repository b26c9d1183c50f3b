"""A refusal is read once, by a model that must act on it: about fifteen lines, however many calls could be offered."""

from __future__ import annotations

from pathlib import Path

import steadyhand as sh
from tests.table import table

NEW = "".join(f"new {number}\n" for number in range(4))
CALLS = {
    "gemini": ("replace", {"file_path": "a.md", "old_string": "one\n", "new_string": NEW}),
    "claude-code": ("Edit", {"file_path": "a.md", "old_string": "one\n", "new_string": NEW}),
}


@table("toolset", CALLS)
def test_the_first_place_is_spelled_out_and_the_others_are_named(toolset: str, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a\none\nb\none\nc\none\nd\n")
    tool, arguments = CALLS[toolset]
    with sh.Workspace(tmp_path) as ws:
        said = ws.tools(toolset).call(tool, {**arguments, "file_path": str(tmp_path / "a.md")})["content"]
    assert isinstance(said, str)
    assert len(said.splitlines()) <= 20, said
    assert "For line 2:" in said
    assert "for line 4 or 6" in said, said
