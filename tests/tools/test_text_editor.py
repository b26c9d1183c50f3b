"""Anthropic's text editor: documented sentences, all published versions, and the rules of the workspace beneath."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steadyhand as sh
from steadyhand.tools.answer import Answer
from tests.table import table
from tests.tools.ground import make, tree
from tests.tools.ground import text_editor as run

NOT_FOUND = "Error: File not found"
NO_MATCH = "Error: No match found for replacement. Please check your text and try again."
THREE = "Error: Found 3 matches for replacement text. Please provide more context to make a unique match."
DENIED = "Error: Permission denied. Cannot write to file."
REPLACED = "Successfully replaced text at exactly one location."

PRIMES = "def is_prime(n):\n    return n > 1\n\nprint(is_prime(3))\n"


def first_line(answer: Answer) -> str:
    return answer.content.split("\n")[0]


# What must not happen.


def test_text_that_is_not_there_changes_nothing_and_shows_what_is(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.py": PRIMES})
    answer = run(workspace, {"command": "str_replace", "path": "a.py", "old_str": "return n > 2", "new_str": "x"})
    assert (first_line(answer), answer.kind) == (NO_MATCH, "no-match")
    assert "nearest: line 2 (92% similar)\nreturn n > 1" in answer.content
    assert tree(tmp_path)["a.py"] == PRIMES.encode()


def test_text_that_is_in_several_places_is_not_replaced_in_any(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "x\ny\nx\nz\nx\n"})
    answer = run(workspace, {"command": "str_replace", "path": "a.md", "old_str": "x", "new_str": "w"})
    assert (first_line(answer), answer.kind) == (THREE, "ambiguous-match")
    assert "occurrence" not in answer.content  # the tool has no such argument
    assert tree(tmp_path)["a.md"] == b"x\ny\nx\nz\nx\n"


def test_a_policy_that_takes_the_first_place_does_not_loosen_the_tool(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "x\nx\nx\n"}, policy=sh.Policy(occurrence="first"))
    answer = run(workspace, {"command": "str_replace", "path": "a.md", "old_str": "x", "new_str": "w"})
    assert first_line(answer) == THREE


@table(
    "arguments",
    [
        {"command": "view"},
        {"command": "str_replace", "old_str": "a", "new_str": "b"},
        {"command": "insert", "insert_line": 0, "insert_text": "a"},
    ],
)
def test_a_missing_file_is_said_to_be_missing(arguments: dict[str, object], tmp_path: Path) -> None:
    answer = run(make(tmp_path, {"notes.md": "a"}), {**arguments, "path": "note.md"})
    assert (first_line(answer), answer.kind) == (NOT_FOUND, "no-such-file")
    assert "note.md" in answer.content


def test_a_protected_file_is_not_written(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "a\n"}, read_only=True)
    answer = run(workspace, {"command": "str_replace", "path": "a.md", "old_str": "a", "new_str": "b"})
    assert (first_line(answer), answer.kind) == (DENIED, "read-only")


def test_a_file_nobody_has_seen_is_not_overwritten(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "a\n", "sub/b.md": "b\n"})
    create = {"command": "create", "path": "a.md", "file_text": "new\n"}
    assert first_line(run(workspace, create)) == "Error: File a.md already exists"
    run(workspace, {"command": "view", "path": "."})  # a listing shows no content
    assert run(workspace, create).kind == "stale-source"
    run(workspace, {"command": "view", "path": "a.md"})
    (tmp_path / "a.md").write_text("changed by somebody\n")
    assert run(workspace, create).kind == "stale-source"
    assert tree(tmp_path)["a.md"] == b"changed by somebody\n"
    run(workspace, {"command": "view", "path": "a.md"})
    assert run(workspace, create).content == "File overwritten successfully at: a.md"


def test_what_another_task_has_seen_does_not_count(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "a\n"})
    with workspace.task("one") as one, workspace.task("two") as two:
        run(one, {"command": "view", "path": "a.md"})
        assert run(two, {"command": "create", "path": "a.md", "file_text": "new\n"}).kind == "stale-source"
        assert not run(one, {"command": "create", "path": "a.md", "file_text": "new\n"}).is_error


@table("name", ["picture.png", "binary.dat"])
def test_what_is_no_text_is_not_shown(name: str, tmp_path: Path) -> None:
    workspace = make(tmp_path, {name: b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xfe\0\0"})
    answer = run(workspace, {"command": "view", "path": name})
    assert (answer.is_error, answer.kind) == (True, "not-text")


# view


def test_a_file_is_shown_with_its_line_numbers(tmp_path: Path) -> None:
    answer = run(make(tmp_path, {"a.py": PRIMES}), {"command": "view", "path": "a.py"})
    assert answer == Answer("1: def is_prime(n):\n2:     return n > 1\n3: \n4: print(is_prime(3))")


@table(
    ("view_range", "lines"),
    [([1, 1], "1"), ([2, 3], "23"), ([2, -1], "2345"), ([5, 5], "5"), ([4, 900], "45"), (None, "12345")],
)
def test_a_range_of_lines_is_shown(view_range: list[int] | None, lines: str, tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "a\nb\nc\nd\ne"})
    answer = run(workspace, {"command": "view", "path": "a.md", "view_range": view_range})
    assert [row.split(":")[0] for row in answer.content.split("\n")] == list(lines)


def test_an_empty_file_is_said_to_be_empty(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": ""})
    for view_range in (None, [1, -1]):
        answer = run(workspace, {"command": "view", "path": "a.md", "view_range": view_range})
        assert answer == Answer("The file a.md is empty.")


def test_a_long_file_is_cut_where_the_host_says(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "".join(f"line {number}\n" for number in range(1, 101))})
    view: dict[str, object] = {"command": "view", "path": "a.md"}
    shown, note = run(workspace, view, max_characters=50).content.rsplit("\n", 1)
    assert shown == "1: line 1\n2: line 2\n3: line 3\n4: line 4\n5: line 5"
    assert "50 characters" in note
    assert "[6, -1]" in note
    again = run(workspace, {**view, "view_range": [6, -1]}, max_characters=50)
    assert again.content.startswith("6: line 6\n")
    assert run(workspace, view, max_characters=10_000) == run(workspace, view)


def test_a_line_longer_than_the_limit_is_cut_itself(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "x" * 1000 + "\nnext\n"})
    shown, note = run(workspace, {"command": "view", "path": "a.md"}, max_characters=20).content.split("\n")
    assert shown == "1: " + "x" * 17
    assert "line 1 goes on" in note


@given(
    text=st.text(alphabet="ab \t\r\n\u2028é😀", max_size=60),
    most=st.integers(1, 60),
)
def test_what_is_shown_is_what_is_there(text: str, most: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    workspace = make(tmp_path_factory.mktemp("ws"), {"a.md": text})
    lines = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n") if text else []
    dull = "\n".join(f"{number}: {line}" for number, line in enumerate(lines, 1))
    shown = run(workspace, {"command": "view", "path": "a.md"}).content
    assert shown == (dull or "The file a.md is empty.")
    cut = run(workspace, {"command": "view", "path": "a.md"}, max_characters=most).content
    if dull and len(dull) > most:
        kept = cut.rsplit("\n", 1)[0]
        assert len(kept) <= most
        assert dull.startswith(kept)
    else:
        assert cut == shown


def test_a_directory_is_listed_two_levels_deep(tmp_path: Path) -> None:
    names = [
        "b.md",
        "a/c.md",
        "a/d/e.md",
        "a/d/f/g.md",
        ".hidden",
        "a/.hidden/x",
        "node_modules/m.js",
        "a/node_modules/n",
    ]
    workspace = make(tmp_path, dict.fromkeys(names, "x"))
    answer = run(workspace, {"command": "view", "path": "/repo/"}, prefix="/repo")
    head = "Here're the files and directories up to 2 levels deep in /repo/, excluding hidden items and node_modules:"
    assert answer.content.split("\n")[:6] == [
        head, "/repo/", "/repo/a/", "/repo/a/c.md", "/repo/a/d/", "/repo/b.md",
    ]  # fmt: skip
    below = run(workspace, {"command": "view", "path": "a"}).content.split("\n")[1:]
    assert below == ["a", "a/c.md", "a/d/", "a/d/e.md", "a/d/f/"]
    assert run(workspace, {"command": "view", "path": f"{tmp_path}/a"}).content.split("\n")[-1] == f"{tmp_path}/a/d/f/"


def test_a_link_to_a_directory_inside_lists_what_is_there(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"docs/a.md": "a"})
    (tmp_path / "link").symlink_to("docs")
    assert run(workspace, {"command": "view", "path": "link"}).content.split("\n")[-1].endswith("docs/a.md")


# str_replace, create, insert


def test_an_exact_replacement_is_reported_in_the_documented_words_and_no_more(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.py": PRIMES})
    answer = run(
        workspace, {"command": "str_replace", "path": "a.py", "old_str": "n > 1", "new_str": "n > 2  # $& \\1"}
    )
    assert answer == Answer(REPLACED)
    assert tree(tmp_path)["a.py"] == PRIMES.replace("n > 1", "n > 2  # $& \\1").encode()


def test_a_tolerant_replacement_says_how_it_was_found(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.py": PRIMES})
    old, new = "def is_prime(n):\n  return n > 1\n", "def is_prime(n):\n  return n > 2\n"
    answer = run(workspace, {"command": "str_replace", "path": "a.py", "old_str": old, "new_str": new})
    assert first_line(answer) == REPLACED
    assert "indentation" in answer.content
    assert "2:     return n > 2" in answer.content
    assert tree(tmp_path)["a.py"] == PRIMES.replace("> 1", "> 2").encode()


def test_lines_pasted_from_a_view_are_found(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.py": PRIMES})
    old = "1: def is_prime(n):\n2:     return n > 1\n"
    new = "def is_prime(n):\n    return n > 2\n"
    answer = run(workspace, {"command": "str_replace", "path": "a.py", "old_str": old, "new_str": new})
    assert not answer.is_error
    assert tree(tmp_path)["a.py"] == PRIMES.replace("> 1", "> 2").encode()


@table("new", [{}, {"new_str": None}, {"new_str": ""}])
def test_without_new_text_the_old_text_goes(new: dict[str, object], tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "one\ntwo\nthree\n"})
    assert run(workspace, {"command": "str_replace", "path": "a.md", "old_str": "two\n", **new}) == Answer(REPLACED)
    assert tree(tmp_path)["a.md"] == b"one\nthree\n"


def test_a_file_is_created_with_its_directories(tmp_path: Path) -> None:
    workspace = make(tmp_path, {})
    answer = run(workspace, {"command": "create", "path": "/repo/a/b.md", "file_text": "no newline"}, prefix="/repo")
    assert answer == Answer("File created successfully at: /repo/a/b.md")
    assert tree(tmp_path) == {"a/b.md": b"no newline"}


def test_a_file_the_task_has_created_may_be_overwritten(tmp_path: Path) -> None:
    workspace = make(tmp_path, {})
    for text in ("one\n", "two\n"):
        assert not run(workspace, {"command": "create", "path": "a.md", "file_text": text}).is_error
    assert tree(tmp_path) == {"a.md": b"two\n"}


@table(
    ("before", "line", "text", "after"),
    [
        ("a\nb\n", 0, "x", "x\na\nb\n"),
        ("a\nb\n", 1, "x\n", "a\nx\nb\n"),
        ("a\nb\n", 2, "x", "a\nb\nx\n"),
        ("a\nb\n", 1, "x\n\n", "a\nx\n\nb\n"),
        ("a\nb\n", 1, "\n", "a\n\nb\n"),
        ("a\nb\n", 1, "x\ny", "a\nx\ny\nb\n"),
        ("a\nb", 2, "x", "a\nb\nx"),
        ("a\nb", 2, "x\n", "a\nb\nx\n"),
        ("a\nb", 0, "x", "x\na\nb"),
        ("a\r\nb\r\n", 1, "x\ny\n", "a\r\nx\r\ny\r\nb\r\n"),
        ("", 0, "x\n", "x\n"),
    ],
)
@table("name", ["insert_text", "new_str"])
def test_lines_are_inserted_after_a_line(
    name: str, before: str, line: int, text: str, after: str, tmp_path: Path
) -> None:
    workspace = make(tmp_path, {"a.md": before})
    answer = run(workspace, {"command": "insert", "path": "a.md", "insert_line": line, name: text})
    assert first_line(answer) == "The file a.md has been edited."
    assert tree(tmp_path)["a.md"] == after.encode()


@settings(max_examples=settings.default.max_examples // 4)
@given(lines=st.lists(st.sampled_from(["", "a", " b"]), max_size=5), data=st.data())
def test_an_insertion_is_that_of_a_list(
    lines: list[str], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    line = data.draw(st.integers(0, len(lines)))
    new = data.draw(st.lists(st.sampled_from(["", "x", "\ty"]), min_size=1, max_size=3))
    text = "".join(f"{row}\n" for row in new)
    root = tmp_path_factory.mktemp("ws")
    workspace = make(root, {"a.md": "".join(f"{row}\n" for row in lines)})
    assert not run(workspace, {"command": "insert", "path": "a.md", "insert_line": line, "insert_text": text}).is_error
    assert tree(root)["a.md"].decode() == "".join(f"{row}\n" for row in [*lines[:line], *new, *lines[line:]])


def test_a_line_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "a\nb\n"})
    answer = run(workspace, {"command": "insert", "path": "a.md", "insert_line": 3, "insert_text": "x"})
    said = "Error: Invalid `insert_line` parameter: 3. It should be within the range of lines of the file: [0, 2]"
    assert (answer.content, answer.kind) == (said, "out-of-bounds")


# undo_edit and versions


@table("version", ["20241022", "20250124"])
def test_older_versions_take_back_edits_one_by_one(version: str, tmp_path: Path) -> None:
    workspace = make(tmp_path, {})
    states = []
    for number in range(4):
        states.append(tree(tmp_path))
        if number == 0:
            call: dict[str, object] = {"command": "create", "path": "a.md", "file_text": "0\nend\n"}
        else:
            call = {"command": "str_replace", "path": "a.md", "old_str": f"{number - 1}\n", "new_str": f"{number}\n"}
        assert not run(workspace, call, version=version).is_error
    for state in reversed(states):
        answer = run(workspace, {"command": "undo_edit", "path": "a.md"}, version=version)
        assert answer.content.startswith("Last edit to a.md undone successfully.")
        assert tree(tmp_path) == state
    nothing = run(workspace, {"command": "undo_edit", "path": "a.md"}, version=version)
    assert (nothing.content, nothing.kind) == ("Error: No edit history found for a.md.", "cannot-undo")


@table("version", ["20250429", "20250728"])
def test_newer_versions_have_no_undo(version: str, tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "a\n"})
    run(workspace, {"command": "str_replace", "path": "a.md", "old_str": "a", "new_str": "b"}, version=version)
    answer = run(workspace, {"command": "undo_edit", "path": "a.md"}, version=version)
    assert (answer.is_error, answer.kind) == (True, "bad-request")
    assert tree(tmp_path)["a.md"] == b"b\n"


def test_undo_edit_leaves_the_work_of_others_alone(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "one\ntwo\nthree\n", "b.md": "x\n"})
    undo: dict[str, object] = {"command": "undo_edit", "path": "a.md"}
    with workspace.task("mine") as mine, workspace.task("theirs") as theirs:
        theirs.edit("a.md", [sh.Replace("three", "3")])
        assert run(mine, undo, version="20250124").kind == "cannot-undo"
        mine.edit("a.md", [sh.Replace("one", "1")])
        theirs.edit("a.md", [sh.Replace("two", "2")])
        assert not run(mine, undo, version="20250124").is_error
        assert tree(tmp_path)["a.md"] == b"one\n2\n3\n"
        with mine.transaction() as batch:
            batch.edit("a.md", [sh.Replace("one", "1")])
            batch.edit("b.md", [sh.Replace("x", "y")])
        assert run(mine, undo, version="20250124").kind == "cannot-undo"


def test_an_unknown_version_is_the_hosts_mistake(tmp_path: Path) -> None:
    with pytest.raises(sh.EditError) as refused:
        make(tmp_path, {}).tools("claude", version="20990101")
    assert refused.value.kind == "bad-request"


def test_the_journal_says_which_tool_and_command_it_was(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "a\n"})
    run(workspace, {"command": "str_replace", "path": "a.md", "old_str": "a", "new_str": "b"})
    run(workspace, {"command": "insert", "path": "a.md", "insert_line": 1, "new_str": "c"}, version="20241022")
    reasons = [entry.record.reason for entry in workspace.history()]
    assert reasons == ["str_replace_editor: insert", "str_replace_based_edit_tool: str_replace"]


def test_a_line_that_is_viewed_in_part_does_not_count_as_read(tmp_path: Path) -> None:
    kit = make(tmp_path, {"a.txt": f"{'x' * 300}\n", "b.txt": "one\n"}).tools("claude", max_characters=100)
    for name, kind in (("a.txt", "stale-source"), ("b.txt", None)):
        kit.call("str_replace_based_edit_tool", {"command": "view", "path": name})
        answer = kit.call("str_replace_based_edit_tool", {"command": "create", "path": name, "file_text": "1\n"})
        assert answer.get("kind") == kind
