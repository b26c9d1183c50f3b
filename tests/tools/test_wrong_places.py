"""Calls that could be made at another place than was meant, or with something lost: made right, or refused."""

from __future__ import annotations

import hashlib
import tracemalloc
from pathlib import Path
from typing import Any

import steadyhand as sh
from steadyhand.tools.result import failed, refusal_kind
from steadyhand.tools.toolsets import tools_of, toolsets
from tests.table import table
from tests.tools.ground import make, tree

NUMBERS = "1\n2\n3\n4\n5\n"
TWINS = "x\r\ny\r\n-\r\nx\ny\n"  # the same two lines, ended in two ways


def call(root: Path, there: dict[str, str], toolset: str, tool: str, /, **arguments: Any) -> dict[str, Any]:
    return make(root, there).tools(toolset).call(tool, arguments)


def kind(answer: dict[str, Any]) -> str:
    assert failed(answer), answer
    return str(refusal_kind(answer))


@table(
    ("occurrence", "after"),
    [
        ("first", "Z\r\n-\r\nx\ny\n"),
        ("last", "x\r\ny\r\n-\r\nZ\n"),
        ("2", "x\r\ny\r\n-\r\nZ\n"),
        ("all", "Z\r\n-\r\nZ\n"),
    ],
)
def test_lines_are_counted_however_they_end(occurrence: str, after: str, tmp_path: Path) -> None:
    arguments = {"filePath": "a.txt", "oldText": "x\ny", "newText": "Z", "occurrence": occurrence}
    answer = call(tmp_path, {"a.txt": TWINS}, "vault", "TextReplace", **arguments)
    assert (answer["status"], answer["occurrencesFound"]) == ("success", 2)
    assert tree(tmp_path)["a.txt"] == after.encode()


@table(
    ("toolset", "tool", "arguments"),
    [
        ("surgical", "edit_file", {"path": "a.txt", "old_content": "x\ny", "new_content": "Z"}),
        (
            "article",
            "edit_article",
            {"path": "a.txt", "edits": {"old_string": "x\ny", "new_string": "Z", "reason": "r"}},
        ),
        ("site", "editFile", {"file": "a.txt", "operations": [{"search": "x\ny", "replace": "Z"}]}),
        ("core", "edit", {"path": "a.txt", "edits": [{"target": "x\ny", "new": "Z"}]}),
        ("claude-code", "Edit", {"file_path": "a.txt", "old_string": "x\ny", "new_string": "Z"}),
        ("coder", "write_patch", {"path": "a.txt", "patch": "@@\n-x\n-y\n+Z\n"}),
    ],
)
def test_lines_that_occur_twice_are_not_unique_because_they_end_differently(
    toolset: str, tool: str, arguments: dict[str, Any], tmp_path: Path
) -> None:
    assert kind(call(tmp_path, {"a.txt": TWINS}, toolset, tool, **arguments)) == "ambiguous-match"
    assert tree(tmp_path)["a.txt"] == TWINS.encode()


def test_a_text_that_says_how_its_lines_end_means_those(tmp_path: Path) -> None:
    arguments = {"path": "a.txt", "old_content": "x\r\ny", "new_content": "Z"}
    assert call(tmp_path, {"a.txt": TWINS}, "surgical", "edit_file", **arguments)["success"] is True
    assert tree(tmp_path)["a.txt"] == b"Z\r\n-\r\nx\ny\n"


@table(("toolset", "tool"), [("surgical", "patch_file"), ("coder", "write_patch"), ("core", "edit")], ids=str)
def test_a_hunk_that_comes_twice_does_not_go_on_to_the_next_place(toolset: str, tool: str, tmp_path: Path) -> None:
    before = "one\ntwo\nthree\none\ntwo\n"
    hunk = "@@ -2 +2 @@\n-two\n+2\n"
    answer = call(tmp_path, {"a.txt": before}, toolset, tool, path="a.txt", patch=hunk * 2)
    assert kind(answer) == "malformed-patch"
    assert tree(tmp_path)["a.txt"] == before.encode()


@table("end", ["", "\n", "\r\n"])
@table(
    ("rows", "after"), [("-b\n\\ No newline at end of file\n+c\n", "c"), ("-b\n\\ No newline at end of file\n", None)]
)
def test_a_patch_of_a_last_line_without_newline_leaves_no_blank_line(
    rows: str, after: str | None, end: str, tmp_path: Path
) -> None:
    start = "a\r\n" if end == "\r\n" else "a\n"
    answer = call(
        tmp_path, {"a.txt": f"{start}b{end}"}, "surgical", "patch_file", path="a.txt", patch=f"@@\n a\n{rows}"
    )
    assert answer["success"] is True
    assert tree(tmp_path)["a.txt"].decode() == start + (f"{after}{end or chr(10)}" if after else "")


LINES: dict[str, tuple[list[dict[str, Any]], str | None]] = {
    "more lines, then one below": ([{"at": "lines:2-2", "new": "a\nb\nc"}, {"at": "lines:4-4", "new": "X"}], "1abc3X5"),
    "a line before all, then one": ([{"at": "lines:1-0", "insert": "T"}, {"at": "lines:2-2", "new": "L"}], "T1L345"),
    "from below": ([{"at": "lines:4-4", "new": "X"}, {"at": "lines:2-2", "delete": True}], "13X5"),
    "behind an old text": ([{"target": "3", "new": "3\n3"}, {"at": "lines:4-4", "new": "X"}], "1233X5"),
    "the same place twice": ([{"at": "lines:2-1", "insert": "x"}, {"at": "lines:2-1", "insert": "y"}], "1xy2345"),
    "overlapping": ([{"at": "lines:2-3", "new": "x"}, {"at": "lines:3-3", "new": "y"}], None),
}


@table(("edits", "after"), LINES.values(), ids=LINES.keys())
def test_lines_of_one_call_are_those_that_were_read(
    edits: list[dict[str, Any]], after: str | None, tmp_path: Path
) -> None:
    answer = call(tmp_path, {"a.txt": NUMBERS}, "core", "edit", path="a.txt", edits=edits)
    if after is None:
        assert kind(answer) == "overlapping-edits"
    assert tree(tmp_path)["a.txt"].decode() == (NUMBERS if after is None else "".join(f"{each}\n" for each in after))


@table("text", ["", "1\n", "1", "1\r\n2"])
@table("content", ["x\ny", "x\ny\n"])
def test_lines_that_two_edits_put_in_at_the_end_stay_lines(text: str, content: str, tmp_path: Path) -> None:
    end = len(text.splitlines())
    edits = [{"at": f"lines:{end + 1}-{end}", "insert": content}, {"at": f"lines:{end + 1}-{end}", "insert": "z"}]
    answer = call(tmp_path, {"a.txt": text}, "core", "edit", path="a.txt", edits=edits)
    assert tree(tmp_path)["a.txt"].decode().splitlines() == [*text.splitlines(), "x", "y", "z"]
    wrote = [{"start": end + 1, "end": end + 2}, {"start": end + 3, "end": end + 3}]
    assert [each["lines"] for each in answer["outcomes"]] == wrote


LAST: dict[str, tuple[str, str]] = {
    "replaced": ("B", "a|B|c"),
    "with its newline": ("B\n", "a|B|c"),
    "gone": ("", "a|c"),
}


@table(("new", "after"), LAST.values(), ids=LAST.keys())
@table("turned", [False, True])
@table("newline", ["\n", "\r\n", "\r"], ids=repr)
def test_lines_behind_a_last_line_that_changes_too_are_right_behind_it(
    newline: str, turned: bool, new: str, after: str, tmp_path: Path
) -> None:
    text, step = f"a{newline}b", -1 if turned else 1
    change: dict[str, Any] = {"at": "lines:2-2", "new": new} if new else {"at": "lines:2-2", "delete": True}
    edits = [change, {"at": "lines:3-2", "insert": "c"}][::step]
    ranges = [{"range": {"start": 2, "end": 2}, "newText": new}, {"range": {"start": 3, "end": 2}, "newText": "c"}]
    call(tmp_path / "core", {"a.txt": text}, "core", "edit", path="a.txt", edits=edits)
    answer = call(tmp_path / "coder", {"a.txt": text}, "coder", "apply_edits", path="a.txt", edits=ranges[::step])
    for name in ("core", "coder"):
        assert tree(tmp_path / name)["a.txt"].decode().removesuffix(newline) == after.replace("|", newline)
    at = after.split("|").index("c") + 1
    assert answer["edits"][::step][1] == {"start": at, "end": at}


def test_which_occurrence_is_offered_only_where_its_number_means_that_place(tmp_path: Path) -> None:
    text = "def f():\n    x = 1\n\nfor a in b:\n    if a:\n        x = 1\n"
    arguments = {"path": "a.py", "edits": [{"target": "      x = 1", "new": "      x = 2"}]}
    answer = call(tmp_path, {"a.py": text}, "core", "edit", **arguments)
    assert kind(answer) == "ambiguous-match"
    assert "occurrence" not in answer["hint"]
    for candidate in answer["details"]["candidates"]:
        assert "occurrence" not in candidate


def test_lines_of_a_file_that_an_entry_before_changes_are_refused(tmp_path: Path) -> None:
    files = [
        {"path": "a.txt", "edits": [{"target": "2", "new": "a\nb"}]},
        {"path": "./a.txt", "edits": [{"at": "lines:4-4", "new": "X"}]},
    ]
    assert kind(call(tmp_path, {"a.txt": NUMBERS}, "core", "edit", files=files)) == "bad-request"
    assert tree(tmp_path)["a.txt"] == NUMBERS.encode()


def test_a_line_without_sign_that_is_left_out_is_reported(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.txt": "one\ntwo\n"})
    plain = {"type": "update_file", "path": "a.txt", "diff": "@@\n-one\n+1\n"}
    assert workspace.tools("openai").call("apply_patch", plain)["content"] == "Updated a.txt"
    answer = workspace.tools("openai").call("apply_patch", {**plain, "diff": "@@\n-two\n+2\nthree\n"})
    assert "without a sign" in answer["content"]


RANGE = [{"range": {"start": 1, "end": 1}, "newText": "x"}]


@table("spelled", [lambda digest: digest[:16].upper(), lambda digest: digest], ids=["upper", "whole"])
@table(
    ("toolset", "tool", "name", "arguments"),
    [
        ("vault", "TextReplace", "expectedHash", {"filePath": "a.txt", "oldText": "1", "newText": "x"}),
        ("coder", "apply_edits", "expectedHash", {"path": "a.txt", "edits": RANGE}),
        ("surgical", "write_file", "expectedHash", {"path": "a.txt", "content": "x\n"}),
        ("core", "write", "expect", {"path": "a.txt", "content": "x\n"}),
        ("core", "edit", "expect", {"path": "a.txt", "edits": {"target": "1", "new": "x"}}),
    ],
)
def test_a_hash_is_of_this_file_and_long_enough(
    toolset: str, tool: str, name: str, arguments: dict[str, Any], spelled: Any, tmp_path: Path
) -> None:
    workspace = make(tmp_path, {"a.txt": NUMBERS, "b.txt": "other\n"})
    kit = workspace.tools(toolset)
    own, other = (hashlib.sha256(text.encode()).hexdigest() for text in (NUMBERS, "other\n"))
    assert kind(kit.call(tool, {**arguments, name: spelled(other)})) == "stale-source"
    for wrong in (own[:15], f" {own[:16]}", f"{own}0", "g" * 16):
        assert kind(kit.call(tool, {**arguments, name: wrong})) == "bad-request"
    assert tree(tmp_path)["a.txt"] == NUMBERS.encode()
    assert not failed(kit.call(tool, {**arguments, name: spelled(own)}))


READS = [
    ("core", "read", {"path": "link.md"}),
    ("core", "history", {"id": "$id"}),
    ("claude", "memory", {"command": "view", "path": "/memories/link.md"}),
    ("claude", "str_replace_based_edit_tool", {"command": "view", "path": "link.md"}),
    ("claude-code", "Read", {"file_path": "link.md"}),
    ("surgical", "read_file", {"path": "link.md"}),
    ("site", "readFile", {"file": "link.md"}),
    ("vault", "TextInspect", {"filePath": "link.md", "mode": "lines"}),
]
WRITES = [
    ("core", "undo", {"id": "$id"}),
    ("core", "undo", {"last": True}),
    ("core", "undo", {"task": "T"}),
    ("core", "edit", {"path": "link.md", "edits": [{"target": "2", "new": "3"}]}),
    ("surgical", "edit_file", {"path": "link.md", "old_content": "2", "new_content": "3"}),
    ("site", "editFile", {"file": "link.md", "operations": [{"search": "2", "replace": "3"}]}),
    (
        "claude",
        "str_replace_based_edit_tool",
        {"command": "str_replace", "path": "link.md", "old_str": "2", "new_str": "3"},
    ),
    ("openai", "apply_patch", {"type": "update_file", "path": "link.md", "diff": "@@\n-2\n+3\n"}),
]


@table(
    ("settings", "toolset", "tool", "arguments"),
    [
        *(({"extensions": (".md",)}, *row) for row in (*READS, *WRITES)),
        *(({"article": "a.md"}, *row) for row in WRITES),
    ],
)
def test_what_the_host_leaves_out_is_not_reached_by_a_detour(
    settings: dict[str, Any], toolset: str, tool: str, arguments: dict[str, Any], tmp_path: Path
) -> None:
    """Neither by a link, nor by taking back a change, nor by looking at it."""
    workspace = make(tmp_path, {"a.md": "one\n", "b.py": "two\n"}, task="T")
    (tmp_path / "link.md").symlink_to("b.py")
    receipt = workspace.edit("b.py", [sh.Replace("two", "2")])
    given = {name: receipt.id if value == "$id" else value for name, value in arguments.items()}
    assert kind(workspace.tools(toolset, **settings).call(tool, given)) == "not-allowed"
    assert tree(tmp_path)["b.py"] == b"2\n"
    assert not failed(workspace.tools(toolset, extensions=(".md", ".py")).call(tool, given))


def test_undo_takes_back_what_the_host_lets_it(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "one\n"})
    receipt = workspace.edit("a.md", [sh.Replace("one", "1")])
    answer = workspace.tools("core", article="a.md", extensions=(".md",)).call("undo", {"id": receipt.id})
    assert answer["success"] is True
    assert tree(tmp_path)["a.md"] == b"one\n"


@table("start", [1, 2, 3])
def test_the_lines_that_a_refused_insertion_names_are_lines_that_it_takes(start: int, tmp_path: Path) -> None:
    kit = make(tmp_path, {"a.txt": "1\n2\n"}).tools("vault")
    insert = {"filePath": "a.txt", "operation": "insert", "content": "x"}
    refused = kit.call("TextPatch", {**insert, "target": {"lines": {"start": 4}}})
    assert (kind(refused), refused["hint"].count("1 to 3")) == ("out-of-bounds", 1)
    assert kit.call("TextPatch", {**insert, "target": {"lines": {"start": start}}})["status"] == "success"


def test_a_refusal_names_only_targets_that_the_tool_takes(tmp_path: Path) -> None:
    there = {"a.md": "# A\n\n```py\nx\n```\n", "b.md": "# B\n\n```\nx\n", "c.md": "# C\n\n-     z\n"}
    kit = make(tmp_path, there).tools("vault")
    fenced = {
        "filePath": "a.md",
        "operation": "replace",
        "target": {"codeBlock": {"index": 0}},
        "content": "```js\ny\n```",
    }
    behind = {"filePath": "b.md", "operation": "insert", "target": {"appendToSection": "B"}, "content": "y"}
    for arguments in (fenced, behind, fenced | {"filePath": "c.md"}):
        answer = kit.call("TextPatch", arguments)
        assert kind(answer) == "bad-request"
        assert "fenced" not in answer["hint"]


@table("search", ["aa", "a\na"])
def test_a_count_that_is_offered_is_one_that_goes_through(search: str, tmp_path: Path) -> None:
    """Places that share characters are several, and yet cannot all be replaced."""
    kit = make(tmp_path, {"a.txt": "aaa\na\na\n"}).tools("site")
    answer = kit.call("editFile", {"file": "a.txt", "operations": [{"search": search, "replace": "b"}]})
    assert kind(answer) == "ambiguous-match"
    assert "expectedReplacements" not in answer["hint"]


@table(("tool", "name"), [("undo", "id"), ("undo", "task"), ("history", "id"), ("read", "x\n" * 30)])
def test_what_was_sent_is_not_reported_back_at_length(tool: str, name: str, tmp_path: Path) -> None:
    answer = make(tmp_path, {"a.txt": "1\n"}).tools("core").call(tool, {name: "{" * 100_000})
    assert len(str(answer)) < 2_000
    assert len(answer["error"].splitlines()) <= 3


@table(
    ("toolset", "tool", "file", "write"),
    [
        ("surgical", "read_file", "path", ("write_file", {"path": "a.txt", "content": "x\n" * 9})),
        ("core", "read", "path", ("write", {"path": "a.txt", "content": "x\n" * 9})),
        ("site", "readFile", "file", ("writeFiles", {"files": [{"file": "a.txt", "content": "x\n" * 9}]})),
    ],
)
def test_a_file_that_was_read_page_by_page_is_known(
    toolset: str, tool: str, file: str, write: tuple[str, dict[str, Any]], tmp_path: Path
) -> None:
    kit = make(tmp_path, {"a.txt": "".join(f"{line}\n" for line in range(9))}).tools(toolset)
    for start, end in ((1, 4), (8, 9)):
        kit.call(tool, {file: "a.txt", "start": start, "end": end})
    assert kind(kit.call(*write)) == "stale-source"
    kit.call(tool, {file: "a.txt", "start": 5, "end": 7})
    assert not failed(kit.call(*write))


def test_a_code_block_whose_number_others_moved_is_not_believed(tmp_path: Path) -> None:
    before = "# A\n\n```\n1\n```\n\n```\n2\n```\n"
    kit = make(tmp_path, {"a.md": before}).tools("vault")
    kit.call("TextInspect", {"filePath": "a.md", "mode": "lines"})
    moved = before.replace("# A\n", "# A\n\n```\n0\n```\n")
    (tmp_path / "a.md").write_text(moved)
    patch = {"filePath": "a.md", "operation": "replace", "target": {"codeBlock": {"index": 1}}, "content": "X"}
    assert kind(kit.call("TextPatch", patch)) == "conflict"
    assert tree(tmp_path)["a.md"] == moved.encode()
    found = kit.call("TextInspect", {"filePath": "a.md", "mode": "structure"})
    patch |= {"expectedHash": found["fileHash"], "target": {"codeBlock": {"index": 2}}}
    assert kit.call("TextPatch", patch)["status"] == "success"
    assert tree(tmp_path)["a.md"] == moved.replace("2", "X").encode()


def test_a_patch_of_another_file_than_the_path_says_is_refused(tmp_path: Path) -> None:
    there = {"a.txt": "one\n", "b.txt": "one\n"}
    patch = "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-one\n+1\n"
    assert kind(call(tmp_path, there, "core", "edit", path="a.txt", patch=patch)) == "bad-request"
    assert tree(tmp_path) == {name: text.encode() for name, text in there.items()}
    assert call(tmp_path, {}, "core", "edit", path="./b.txt", patch=patch)["success"] is True


def test_null_is_a_value_that_can_be_set(tmp_path: Path) -> None:
    edit = {"target": {"at": "key:a"}, "act": "set-key", "args": {"value": None}}
    assert call(tmp_path, {"a.json": '{"a": 1}\n'}, "core", "edit", path="a.json", edits=[edit])["success"] is True
    assert tree(tmp_path)["a.json"] == b'{"a": null}\n'


@table("name", toolsets(), every=5)
def test_a_path_of_many_parts_costs_little_memory(name: str, tmp_path: Path) -> None:
    kit = make(tmp_path, {}).tools(name)
    for tool in tools_of(name):
        for path in ("a." * 20_000, "a/" * 20_000, "../" * 20_000):
            fields = ("path", "file", "filePath", "file_path")
            arguments = {each.name: path for each in tool.parameters.fields if each.name in fields}
            tracemalloc.start()
            answer = kit.call(tool.name, {**tool.examples[0].arguments, **arguments})
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < 50_000_000, (tool.name, path[:3], peak)
            assert not arguments or failed(answer)
