"""What an answer shows around a change: with the lines that changed it is one run of the file as it is now."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sampling import EXAMPLES
from tests.table import table
from tests.tools.ground import TOOLS, make

NUMBERS = count()  # every example has a file of its own, which nobody changed before
NINE = "".join(f"l{number}\n" for number in range(1, 10))


@dataclass(frozen=True, slots=True)
class LineChange:
    """Lines `first` to `last` of a text become `new`; `last` is `first` - 1 where lines are only put in."""

    text: str
    first: int
    last: int
    new: tuple[str, ...]

    @property
    def rows(self) -> list[str]:
        return re.findall(r"[^\r\n]+(?:\r\n|\n|$)", self.text)

    def after(self) -> list[str]:
        bodies = [row.rstrip("\r\n") for row in self.rows]
        return [*bodies[: self.first - 1], *self.new, *bodies[self.last :]]

    def sides(self) -> tuple[str, str]:
        """Old and new text that say it, which quote a neighbour where there is nothing else to quote."""
        rows = [row.rstrip("\r\n") for row in self.rows]
        first, last = self.first, self.last
        if last < first:  # an insertion: the line before it, or behind it, stays
            first, last = (first - 1, last) if first > 1 else (first, first)
        kept = (*rows[first - 1 : self.first - 1], *self.new, *rows[self.last : last])
        old, new = "\n".join(rows[first - 1 : last]), "\n".join(kept)
        if kept:
            return old, new
        if last < len(rows) or self.text.endswith("\n"):
            return f"{old}\n", ""
        return (f"\n{old}" if first > 1 else old), ""

    def diff(self) -> str:
        rows = [row.rstrip("\r\n") for row in self.rows]
        start, end = max(self.first - 2, 0), min(self.last + 1, len(rows))
        before, gone, behind = rows[start : self.first - 1], rows[self.first - 1 : self.last], rows[self.last : end]
        signed = [(" ", before), ("-", gone), ("+", self.new), (" ", behind)]
        head = f"@@ -{start + 1},{end - start} +{start + 1},{end - start - len(gone) + len(self.new)} @@"
        return "\n".join([head, *(f"{sign}{row}" for sign, part in signed for row in part), ""])


def by_text(old: str, new: str) -> Callable[[LineChange], dict[str, Any]]:
    return lambda change: dict(zip((old, new), change.sides(), strict=True))


def patch_of(change: LineChange) -> dict[str, Any]:
    lines = {"start": change.first} if change.last < change.first else {"start": change.first, "end": change.last}
    operation = "insert" if change.last < change.first else "replace" if change.new else "delete"
    said = {"operation": operation, "target": {"lines": lines}}
    return said if operation == "delete" else said | {"content": "\n".join(change.new)}


OWN: dict[tuple[str, str, str], Callable[[LineChange], dict[str, Any]]] = {
    ("article", "edit_article", "path"): lambda change: {
        "edits": [{**by_text("old_string", "new_string")(change), "reason": "r"}]
    },
    ("vault", "TextReplace", "filePath"): by_text("oldText", "newText"),
    ("vault", "TextPatch", "filePath"): patch_of,
    ("surgical", "edit_file", "path"): by_text("old_content", "new_content"),
    ("surgical", "patch_file", "path"): lambda change: {"patch": change.diff()},
    ("coder", "write_patch", "path"): lambda change: {"patch": change.diff()},
    ("coder", "apply_edits", "path"): lambda change: {
        "edits": [{"range": {"start": change.first, "end": change.last}, "newText": "\n".join(change.new)}]
    },
    ("core", "edit", "path"): lambda change: {
        "edits": [{**by_text("target", "new")(change), "reason": "r"}]
    },
}  # fmt: skip
NATIVE: dict[str, Callable[[LineChange], dict[str, Any]]] = {
    "text_editor": lambda change: {"command": "str_replace", **by_text("old_str", "new_str")(change)},
    "Edit": lambda change: {**by_text("old_string", "new_string")(change)},
    "replace": lambda change: {"instruction": "i", **by_text("old_string", "new_string")(change)},
}


@st.composite
def line_changes(draw: st.DrawFn) -> LineChange:
    size = draw(st.integers(1, 9))
    ending = draw(st.sampled_from(["\n", "\r\n"]))
    text = ending.join(f"l{number}" for number in range(1, size + 1)) + draw(st.sampled_from([ending, ""]))
    first = draw(st.integers(1, size))
    last = draw(st.integers(first - 1, size))
    new = tuple(f"n{number}" for number in range(1, draw(st.integers(0 if first <= last else 1, 3)) + 1))
    return LineChange(text, first, last, new)


def check(change: LineChange, answer: dict[str, Any], data: bytes) -> None:
    rows = [row.rstrip("\r\n") for row in re.findall(r"[^\r\n]*(?:\r\n|\n)|[^\r\n]+", data.decode())]
    assert rows == change.after(), answer
    lines, around = answer.get("lines", answer.get("affectedLines")), answer["context"]
    start, end = lines["start"], lines["end"]
    assert rows[start - 1 : end] == list(change.new)
    assert start == change.first
    assert around["beforeLines"] == rows[max(start - 4, 0) : start - 1]
    assert around["afterLines"] == rows[end : end + 3]


@table("tool", OWN, ids=lambda tool: f"{tool[0]}.{tool[1]}")
def test_the_line_after_a_deletion_is_shown(tool: tuple[str, str, str], tmp_path: Path) -> None:
    change = LineChange(NINE, 5, 5, ())
    answer: Any = make(tmp_path, {"a.txt": NINE}).tools(tool[0]).call(tool[1], {tool[2]: "a.txt", **OWN[tool](change)})
    assert answer["context"] == {"beforeLines": ["l2", "l3", "l4"], "afterLines": ["l6", "l7", "l8"]}
    check(change, answer, (tmp_path / "a.txt").read_bytes())


@pytest.mark.hypothesis
@pytest.mark.parametrize("tool", OWN, ids=lambda tool: f"{tool[0]}.{tool[1]}")
def test_context_and_changed_lines_are_one_run_of_the_file(
    tool: tuple[str, str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("run")
    kit = make(root, {}).tools(tool[0])

    @settings(max_examples=EXAMPLES // 4)
    @given(line_changes())
    def is_one_run(change: LineChange) -> None:
        file = root / f"{next(NUMBERS)}.txt"
        file.write_bytes(change.text.encode())
        answer: Any = kit.call(tool[1], {tool[2]: file.name, **OWN[tool](change)})
        check(change, answer, file.read_bytes())

    is_one_run()


SEVERAL: dict[tuple[str, str], list[dict[str, Any]]] = {
    ("article", "edit_article"): [
        {"old_string": "l3", "new_string": "L3", "reason": "r"},
        {"old_string": "l7\n", "new_string": "", "reason": "r"},
    ],
    ("core", "edit"): [{"target": "l3", "new": "L3"}, {"at": "lines:7-7", "delete": True}],
    ("coder", "apply_edits"): [
        {"range": {"start": 3, "end": 3}, "newText": "L3"},
        {"range": {"start": 7, "end": 7}, "newText": ""},
    ],
}


@table("tool", SEVERAL, ids=".".join)
def test_of_several_edits_the_context_begins_right_behind_the_last(tool: tuple[str, str], tmp_path: Path) -> None:
    answer: Any = (
        make(tmp_path, {"a.txt": NINE}).tools(tool[0]).call(tool[1], {"path": "a.txt", "edits": SEVERAL[tool]})
    )
    assert answer["lines"] == {"start": 3, "end": 6}
    assert answer["context"] == {"beforeLines": ["l1", "l2"], "afterLines": ["l8", "l9"]}


@pytest.mark.hypothesis
@pytest.mark.parametrize("tool", NATIVE)
def test_numbered_lines_after_an_edit_are_those_of_the_file(
    tool: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("run")
    workspace = make(root, {})

    @settings(max_examples=EXAMPLES // 4)
    @given(line_changes())
    def are_those(change: LineChange) -> None:
        file = root / f"{next(NUMBERS)}.txt"
        file.write_bytes(change.text.encode())
        workspace.read(file.name)
        named = {"path" if tool == "text_editor" else "file_path": file.name}
        content = TOOLS[tool](workspace, named | NATIVE[tool](change)).content
        rows = change.after()
        shown = {int(number): text for number, text in re.findall(r"^ *(\d+)(?:\t|: )(.*)$", content, re.M)}
        around = range(max(change.first - 3, 1), min(change.first + len(change.new) + 2, len(rows)) + 1)
        assert set(around) <= set(shown) or not shown
        assert {line: rows[line - 1] for line in shown} == shown

    are_those()
