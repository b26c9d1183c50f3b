"""Every call ends when asked to and has then changed nothing; what is too much is answered, and costs grow evenly.

No clock is asked here: a tick that counts how often it is asked, and stops the call at some number, says it all.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.structure.config import json_reader as scanner
from steadyhand.structure.config import toml_reader as toml
from steadyhand.structure.config import yaml_reader as yaml
from steadyhand.structure.html import page
from steadyhand.structure.markdown import reader as markdown
from steadyhand.text.cancel import OFTEN
from steadyhand.tools.result import failed, refusal_kind
from steadyhand.tools.toolsets import tools_of, toolsets
from tests.table import table
from tests.tools.ground import make, tree


@dataclass(slots=True)
class Tick:
    """Counts how often it is asked; from `last` on it stops the call, as a deadline that is over does."""

    last: int | None = None
    asked: int = 0

    def __call__(self) -> None:
        self.asked += 1
        if self.last is not None and self.asked > self.last:
            raise EditError(Kind.TIMED_OUT, "the time is over", hint="ask for less")


@dataclass(frozen=True, slots=True)
class Case:
    """One call of a tool that goes through, on files."""

    toolset: str
    tool: str
    arguments: Mapping[str, Any]
    files: Mapping[str, str]
    settings: Mapping[str, Any]

    def kit(self, root: Path) -> sh.Kit:
        return make(root, self.files).tools(self.toolset, **self.settings)


def case(toolset: str, tool: str, arguments: Mapping[str, Any], files: Mapping[str, str], **settings: Any) -> Any:
    made = Case(toolset, tool, arguments, files, settings)
    return pytest.param(made, id=f"{toolset}-{tool}")


TEXT = {"a.md": "# One\n\nfirst\n\n# Two\n\nsecond\n"}
PAGE = {"a.html": "<h1>One</h1>\n<p>first</p>\n"}
UNIFIED = "--- a/a.md\n+++ b/a.md\n@@ -3 +3 @@\n-first\n+1st\n"
V4A = "*** Begin Patch\n*** Update File: a.md\n@@\n-first\n+1st\n*** Add File: b.md\n+new\n*** End Patch\n"
DOM = [{"selector": "p", "action": "setText", "value": "1st"}]
PASSAGES = [{"search": "One", "replace": "1"}]
REASONED = [{"old_string": "first", "new_string": "1st", "reason": "digits"}]
LINES = [{"range": {"start": 3, "end": 3}, "newText": "1st"}]
STRINGS = [{"old_string": "first", "new_string": "1st"}, {"old_string": "second", "new_string": "2nd"}]

WRITES = [
    case("article", "edit_article", {"path": "a.md", "edits": REASONED}, TEXT),
    case("article", "write_file", {"path": "b.md", "content": "new\n", "reason": "a page"}, TEXT),
    case("vault", "TextReplace", {"filePath": "a.md", "oldText": "first", "newText": "1st"}, TEXT),
    case(
        "vault",
        "TextPatch",
        {"filePath": "a.md", "operation": "replace", "target": {"heading": "Two"}, "content": "2nd"},
        TEXT,
    ),
    case("surgical", "edit_file", {"path": "a.md", "old_content": "first", "new_content": "1st"}, TEXT),
    case("surgical", "patch_file", {"path": "a.md", "patch": UNIFIED}, TEXT),
    case("surgical", "insert_at", {"path": "a.md", "line": 3, "content": "more"}, TEXT),
    case("surgical", "write_file", {"path": "b.md", "content": "new\n"}, TEXT),
    case("site", "editDOM", {"file": "a.html", "operations": DOM}, PAGE),
    case("site", "editFile", {"file": "a.html", "operations": PASSAGES}, PAGE),
    case(
        "site",
        "editFiles",
        {"edits": [{"file": "a.html", "domOperations": DOM, "replaceOperations": PASSAGES}]},
        PAGE,
    ),
    case("site", "writeFiles", {"files": [{"file": "b.html", "content": "<p>new</p>\n"}]}, PAGE),
    case("coder", "apply_edits", {"path": "a.md", "edits": LINES}, TEXT),
    case("coder", "write_patch", {"path": "a.md", "patch": UNIFIED}, TEXT),
    case("coder", "write_file", {"path": "b.md", "content": "new\n"}, TEXT),
    case(
        "claude",
        "str_replace_based_edit_tool",
        {"command": "str_replace", "path": "a.md", "old_str": "first", "new_str": "1st"},
        TEXT,
    ),
    case("claude", "memory", {"command": "create", "path": "/memories/b.md", "file_text": "kept\n"}, TEXT),
    case("openai", "apply_patch", {"input": V4A}, TEXT),
    case("claude-code", "Edit", {"file_path": "a.md", **STRINGS[0]}, TEXT),
    case("claude-code", "MultiEdit", {"file_path": "a.md", "edits": STRINGS}, TEXT),
    case("claude-code", "Write", {"file_path": "b.md", "content": "new\n"}, TEXT),
    case("gemini", "replace", {"file_path": "a.md", "instruction": "digits", **STRINGS[0]}, TEXT),
    case("gemini", "write_file", {"file_path": "b.md", "content": "new\n"}, TEXT),
    case("core", "edit", {"path": "a.md", "edits": [{"target": "first", "new": "1st"}]}, TEXT),
    case("core", "edit", {"glob": "*.md", "edits": [{"target": "first", "new": "1st"}]}, TEXT),
    case("core", "edit", {"patch": V4A}, TEXT),
    case("core", "write", {"path": "b.md", "content": "new\n"}, TEXT),
]


def stopped_at_each(kit: sh.Kit, root: Path, tool: str, arguments: Mapping[str, Any]) -> int:
    """Stop a call at its first ask, its second, and so on until it goes through; at how many asks that was."""
    before = tree(root)
    for last in range(10_000):
        tick = Tick(last)
        answer = kit.call(tool, arguments, tick=tick)
        if tick.asked <= last:
            assert not failed(answer), answer
            return tick.asked
        assert refusal_kind(answer) is Kind.TIMED_OUT, answer
        assert tree(root) == before, last
    raise AssertionError("the call never went through")


@table("given", WRITES)
def test_a_call_that_is_stopped_wherever_it_asks_has_changed_nothing(given: Case, tmp_path: Path) -> None:
    before = dict(given.files)
    kit = given.kit(tmp_path)
    assert stopped_at_each(kit, tmp_path, given.tool, given.arguments) >= 2
    assert {name: data.decode() for name, data in tree(tmp_path).items()} != before


def test_every_tool_that_changes_files_is_stopped_here() -> None:
    tried = {(param.values[0].toolset, param.values[0].tool) for param in WRITES} | {("core", "undo")}
    every = {(name, tool.name) for name in toolsets() for tool in tools_of(name) if tool.trust != "read"}
    assert every <= tried


def test_an_undo_that_is_stopped_has_changed_nothing(tmp_path: Path) -> None:
    kit = make(tmp_path, TEXT, task="t").tools("core")
    for old, new in (("first", "1st"), ("second", "2nd")):
        assert kit.call("edit", {"path": "a.md", "edits": [{"target": old, "new": new}]})["success"]
    assert stopped_at_each(kit, tmp_path, "undo", {"task": "t"}) >= 2
    assert tree(tmp_path) == {"a.md": TEXT["a.md"].encode()}


def test_a_stop_in_the_last_of_many_edits_keeps_those_before_it_from_being_made_in_part(tmp_path: Path) -> None:
    kit = make(tmp_path, TEXT).tools("core")
    edits = [{"target": "first", "new": "1st"}, {"target": "second", "new": "2nd"}]
    stopped_at_each(kit, tmp_path, "edit", {"path": "a.md", "edits": edits, "partial": True})


# Long work on one file asks while it is done, and the more there is the oftener.

FORMATS: Mapping[str, tuple[str, Callable[[int], str], str]] = {
    "a.md": ("heading.body:Part 1", lambda n: "".join(f"# Part {i}\n\nwords\n\n" for i in range(n)), "new\n"),
    "a.json": ("key:k1", lambda n: json.dumps({f"k{i}": i for i in range(4 * n)}), "-1"),
    "a.yaml": ("key:k1", lambda n: "".join(f"k{i}: {i}\n" for i in range(4 * n)), "-1"),
    "a.toml": ("key:k1", lambda n: "".join(f"k{i} = {i}\n" for i in range(4 * n)), "-1"),
    "a.ini": ("key:s.k1", lambda n: "[s]\n" + "".join(f"k{i} = {i}\n" for i in range(4 * n)), "-1"),
    "a.html": ("selector:#p1", lambda n: "".join(f"<p id=p{i}>words</p>\n" for i in range(2 * n)), "<p id=p1>new</p>"),
    "a.py": (
        "symbol:f1",
        lambda n: "".join(f"def f{i}():\n    return {i}\n\n\n" for i in range(n)),
        "def f1():\n    ...",
    ),
}


def asks(kit: sh.Kit, tool: str, arguments: Mapping[str, Any]) -> int:
    tick = Tick()
    answer = kit.call(tool, arguments, tick=tick)
    assert not failed(answer), answer
    return tick.asked


@table("name", FORMATS, every=3)
def test_reading_the_structure_of_a_file_asks_the_oftener_the_more_there_is(name: str, tmp_path: Path) -> None:
    # Both are long: a short file may be read in another way.
    _, text, _ = FORMATS[name]
    (tmp_path / "small").mkdir()
    (tmp_path / "large").mkdir()
    less = asks(make(tmp_path / "small", {name: text(1000)}).tools("core"), "outline", {"path": name})
    more = asks(make(tmp_path / "large", {name: text(2000)}).tools("core"), "outline", {"path": name})
    assert 0 < less < more <= 2 * less + 4


@table("name", FORMATS)
@table("last", [3, 7], every=3)
def test_an_edit_by_address_stops_while_the_file_is_read(name: str, last: int, tmp_path: Path) -> None:
    address, text, new = FORMATS[name]
    kit = make(tmp_path, {name: text(1000)}).tools("core")
    tick = Tick(last)
    edit = {"path": name, "edits": [{"target": {"at": address}, "new": new}]}
    answer = kit.call("edit", edit, tick=tick)
    assert (answer["kind"], tick.asked) == ("timed-out", last + 1)
    assert tree(tmp_path) == {name: text(1000).encode()}
    assert kit.call("edit", edit)["success"]


READS = [
    ("vault", "TextInspect", {"filePath": "a.md", "mode": "structure"}),
    ("core", "outline", {"path": "a.md"}),
    ("core", "search", {"query": "words"}),
    ("surgical", "search_files", {"query": "words"}),
]


@table(("toolset", "tool", "arguments"), READS)
def test_a_tool_that_only_reads_stops_as_well(
    toolset: str, tool: str, arguments: Mapping[str, Any], tmp_path: Path
) -> None:
    kit = make(tmp_path, {"a.md": FORMATS["a.md"][1](200)}).tools(toolset)
    answer = kit.call(tool, arguments, tick=Tick(0))
    assert refusal_kind(answer) is Kind.TIMED_OUT


@table("row", ["```\n", "@@\n", "<<<<<<< SEARCH\n", "--- a\n+++ b\n", "*** Update File: a\n@@\n"])
def test_reading_a_patch_asks_for_every_so_many_lines(row: str, tmp_path: Path) -> None:
    kit = make(tmp_path, TEXT).tools("core")
    patch = row * (3 * OFTEN)
    tick = Tick()
    assert kit.call("edit", {"path": "a.md", "patch": patch}, tick=tick)["kind"] == "malformed-patch"
    assert tick.asked >= 3
    assert kit.call("edit", {"path": "a.md", "patch": patch}, tick=Tick(2))["kind"] == "timed-out"


def test_old_text_that_is_looked_for_line_by_line_asks_on_its_way(tmp_path: Path) -> None:
    rows = [f"total = add(left_{i}, right_{i})\n" for i in range(3000)]
    kit = make(tmp_path, {"a.py": "".join(rows)}).tools("core")
    old = "".join(rows[10:2500]).replace("add(", "add( ")
    edit = {"path": "a.py", "edits": [{"target": old, "new": "done\n"}]}
    assert kit.call("edit", edit, tick=Tick(6))["kind"] == "timed-out"
    assert asks(kit, "edit", edit) > 6


# Limits are answers: they name what is too much, and what to send instead.

LIMITS = [
    ("a.md", markdown, "".join(f"# Part {i}\n\n" for i in range(200)), "heading:Part 1"),
    ("a.json", scanner, json.dumps(list(range(200))), "key:[1]"),
    ("a.yaml", yaml, "".join(f"k{i}: {i}\n" for i in range(200)), "key:k1"),
    ("a.toml", toml, "".join(f"k{i} = {i}\n" for i in range(200)), "key:k1"),
    ("a.html", page, "".join(f"<p id=p{i}></p>\n" for i in range(200)), "selector:#p1"),
]


@table(("name", "module", "text", "address"), LIMITS, ids=[limit[0] for limit in LIMITS])
def test_a_file_with_too_much_in_it_is_refused_by_address_and_edited_by_its_text(
    name: str, module: object, text: str, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST", 100)
    kit = make(tmp_path, {name: text}).tools("core")
    answer = kit.call("edit", {"path": name, "edits": [{"target": {"at": address}, "delete": True}]})
    assert answer["kind"] == "too-large"
    assert answer["hint"]
    assert tree(tmp_path) == {name: text.encode()}
    assert kit.call("outline", {"path": name})["kind"] == "too-large"
    old = "199" if name == "a.json" else {"a.md": "# Part 199", "a.html": "<p id=p199></p>"}.get(name, "k199")
    new = {"a.md": "# Last", "a.html": "<p id=last></p>"}.get(name, "0" if name == "a.json" else "last")
    assert kit.call("edit", {"path": name, "edits": [{"target": old, "new": new, "occurrence": "first"}]})["success"]


MANY = 10_001
TOO_MANY = [
    ("core", "edit", {"path": "a.md", "edits": [{"target": "first", "new": "1st"}] * MANY}),
    ("coder", "apply_edits", {"path": "a.md", "edits": LINES * MANY}),
    ("article", "edit_article", {"path": "a.md", "edits": REASONED * MANY}),
    ("claude-code", "MultiEdit", {"file_path": "a.md", "edits": STRINGS[:1] * MANY}),
    ("site", "editFile", {"file": "a.html", "operations": PASSAGES * MANY}),
    ("site", "editDOM", {"file": "a.html", "operations": DOM * MANY}),
]


@table(("toolset", "tool", "arguments"), TOO_MANY, ids=[each[1] for each in TOO_MANY])
def test_too_many_edits_in_one_call_are_refused_with_how_many_there_may_be(
    toolset: str, tool: str, arguments: Mapping[str, Any], tmp_path: Path
) -> None:
    kit = make(tmp_path, {**TEXT, **PAGE}).tools(toolset)
    answer = kit.call(tool, arguments)
    assert refusal_kind(answer) is Kind.TOO_LARGE
    assert any(character.isdigit() for character in str(answer.get("hint") or answer.get("content")))
    assert tree(tmp_path) == {name: text.encode() for name, text in {**TEXT, **PAGE}.items()}


# What a call costs grows with what it asks for, not with its square: seen by counting the functions that are called.


@contextmanager
def calls_counted() -> Iterator[Counter[str]]:
    """How often each function of ours is called."""
    counted: Counter[str] = Counter()

    def count(frame: FrameType, event: str, argument: object) -> None:  # a profiler's signature
        if event == "call" and "steadyhand" in frame.f_code.co_filename:
            counted[frame.f_code.co_name] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield counted
    finally:
        sys.setprofile(before)


def test_a_call_with_thousands_of_edits_asks_before_each(tmp_path: Path) -> None:
    rows = [f"line number {i} has words\n" for i in range(2_000)]
    kit = make(tmp_path, {"a.txt": "".join(rows)}).tools("core")
    edits = [{"target": f"number {i} has", "new": f"nr {i} had"} for i in range(2_000)]
    assert asks(kit, "edit", {"path": "a.txt", "edits": edits}) >= 2_000


@table("ending", ["\n", "\r\n"])
def test_ranges_of_lines_cost_the_same_each_however_many_there_are(ending: str, tmp_path: Path) -> None:
    def cost(count: int) -> int:
        root = tmp_path / str(count)
        root.mkdir()
        kit = make(root, {"a.txt": "".join(f"line {i}{ending}" for i in range(1_000))}).tools("coder")
        edits = [{"range": {"start": i + 1, "end": i + 1}, "newText": f"new {i}\nand more"} for i in range(count)]
        with calls_counted() as counted:
            assert kit.call("apply_edits", {"path": "a.txt", "edits": edits})["success"]
        return sum(counted.values())

    assert cost(400) < 2.4 * cost(200)


def test_undoing_a_task_reads_each_of_its_records_a_few_times(tmp_path: Path) -> None:
    kit = make(tmp_path, {"a.txt": "".join(f"line {i}.\n" for i in range(30))}, task="t").tools("core")
    for i in range(30):
        assert kit.call("edit", {"path": "a.txt", "edits": [{"target": f"line {i}.", "new": f"row {i}."}]})["success"]
    with calls_counted() as counted:
        assert kit.call("undo", {"task": "t"})["success"]
    assert 30 <= counted["entry_at"] <= 4 * 30
