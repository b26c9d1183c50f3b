"""Anthropic's memory: the sentences its documentation promises, and nothing lost, overwritten or reached outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from steadyhand.tools.answer import Answer
from tests.table import table
from tests.tools.ground import make, tree
from tests.tools.ground import memory as run

LISTING = "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:"


# What must not happen.


@table("target", ["/memories/b.md", "/memories/d", "/memories/d/c.md"])
@table("source", ["/memories/a.md", "/memories/e"])
def test_nothing_is_renamed_onto_what_is_there(source: str, target: str, tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "a", "b.md": "b", "d/c.md": "c", "e/x.md": "x", "e/f/y.md": "y"})
    before = tree(tmp_path)
    answer = run(workspace, {"command": "rename", "old_path": source, "new_path": target})
    assert answer == Answer(f"Error: The destination {target} already exists", is_error=True, kind="exists-already")
    assert tree(tmp_path) == before


@table("path", ["/memories/a.md", "/memories/d", "/memories/d/", "/memories"])
def test_nothing_is_created_where_something_is(path: str, tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "a", "d/c.md": "c"})
    answer = run(workspace, {"command": "create", "path": path, "file_text": "b"})
    assert answer == Answer(f"Error: File {path} already exists", is_error=True, kind="exists-already")
    assert tree(tmp_path) == {"a.md": b"a", "d/c.md": b"c"}


ABSENT = "The path {} does not exist. Please provide a valid path."
GONE = "Error: The path {} does not exist"


@table(
    ("arguments", "said"),
    [
        ({"command": "view"}, ABSENT),
        ({"command": "str_replace", "old_str": "a", "new_str": "b"}, f"Error: {ABSENT}"),
        ({"command": "insert", "insert_line": 0, "insert_text": "a"}, GONE),
        ({"command": "delete"}, GONE),
    ],
)
@table("path", ["/memories/none.md", "/memories/empty"])
def test_what_does_not_exist_is_said_not_to(arguments: dict[str, object], said: str, path: str, tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "a"})
    (tmp_path / "empty").mkdir()
    answer = run(workspace, {**arguments, "path": path})
    assert answer == Answer(said.format(path), is_error=True, kind="no-such-file")


@table("command", ["str_replace", "insert"])
@table("path", ["/memories/d", "/memories/d/", "/memories"])
def test_a_directory_is_no_file_to_edit(path: str, command: str, tmp_path: Path) -> None:
    workspace = make(tmp_path, {"d/a.md": "a"})
    more = {"old_str": "a", "new_str": "b"} if command == "str_replace" else {"insert_line": 0, "insert_text": "b"}
    answer = run(workspace, {"command": command, "path": path, **more})
    assert answer.content.startswith(f"Error: The path {path} does not exist")


def test_a_missing_source_is_named_in_a_rename(tmp_path: Path) -> None:
    workspace = make(tmp_path, {})
    answer = run(workspace, {"command": "rename", "old_path": "/memories/a", "new_path": "/memories/b"})
    assert answer == Answer("Error: The path /memories/a does not exist", is_error=True, kind="no-such-file")


def test_text_that_is_not_there_is_quoted(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "Favorite colour: blue\n"})
    answer = run(
        workspace, {"command": "str_replace", "path": "/memories/a.md", "old_str": "Size: 3", "new_str": "Size: 4"}
    )
    said = "No replacement was performed, old_str `Size: 3` did not appear verbatim in /memories/a.md."
    assert (answer.content.split("\n")[0], answer.kind) == (said, "no-match")


def test_text_in_several_places_is_quoted_with_their_lines(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "x\ny\nx\n"})
    answer = run(workspace, {"command": "str_replace", "path": "/memories/a.md", "old_str": "x", "new_str": "z"})
    assert answer == Answer(
        "No replacement was performed. Multiple occurrences of old_str `x` in lines: 1, 3. Please ensure it is unique",
        is_error=True,
        kind="ambiguous-match",
    )


def test_a_directory_with_a_link_in_it_is_not_taken_as_a_whole(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"d/a.md": "a"})
    (tmp_path / "d/link").symlink_to("a.md")
    assert run(workspace, {"command": "delete", "path": "/memories/d"}).kind == "not-allowed"
    assert (tmp_path / "d/a.md").exists()


def test_a_range_that_runs_backwards_is_refused(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "a\nb\nc\nd\ne\n"})
    answer = run(workspace, {"command": "view", "path": "/memories/a.md", "view_range": [5, 2]})
    assert (answer.is_error, answer.kind) == (True, "bad-request")


def test_too_many_lines_are_not_shown(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "\n" * 1_000_000})
    answer = run(workspace, {"command": "view", "path": "/memories/a.md"})
    said = "File /memories/a.md exceeds maximum line limit of 999,999 lines."
    assert answer == Answer(said, is_error=True, kind="too-large")


# What must.


def test_the_memory_is_listed_with_sizes(tmp_path: Path) -> None:
    files = {"notes.md": "x" * 512, "d/big.md": "x" * 5632, "d/e/deep.md": "x", ".hidden": "x", "node_modules/m": "x"}
    answer = run(make(tmp_path, files), {"command": "view", "path": "/memories"})
    rows = answer.content.split("\n")
    assert rows[0] == LISTING
    assert rows[2:] == [
        "5.5K\t/memories/d/",
        "5.5K\t/memories/d/big.md",
        "1B\t/memories/d/e/",
        "512B\t/memories/notes.md",
    ]
    assert rows[1].endswith("\t/memories")
    assert run(make(tmp_path, {}), {"command": "view", "path": "/memories/", "view_range": [1, 2]}) == answer


def test_an_empty_memory_is_there(tmp_path: Path) -> None:
    answer = run(make(tmp_path, {}), {"command": "view", "path": "/memories"})
    assert answer == Answer(f"{LISTING}\n0B\t/memories")


def test_listing_the_memory_reads_no_file_in_the_tasks_name(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "a\n"})
    run(workspace, {"command": "view", "path": "/memories"})
    with pytest.raises(Exception, match="never read"):
        workspace.write("a.md", "b\n")


def test_a_file_is_shown_with_numbers_of_six_places(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"notes.txt": "Hello World\nThis is line two\n"})
    answer = run(workspace, {"command": "view", "path": "/memories/notes.txt"})
    head = "Here's the content of /memories/notes.txt with line numbers:"
    assert answer == Answer(f"{head}\n     1\tHello World\n     2\tThis is line two")
    part = run(workspace, {"command": "view", "path": "/memories/notes.txt", "view_range": [2, -1]})
    assert part == Answer(f"{head}\n     2\tThis is line two")


def test_a_memory_is_made_edited_and_extended(tmp_path: Path) -> None:
    workspace = make(tmp_path, {})
    path = "/memories/people/ann.md"
    text = "Favorite color: blue\nLikes tea"
    created = run(workspace, {"command": "create", "path": path, "file_text": text})
    assert created == Answer(f"File created successfully at: {path}")
    edited = run(workspace, {"command": "str_replace", "path": path, "old_str": "blue", "new_str": "green"})
    assert edited == Answer("The memory file has been edited.\n     1\tFavorite color: green\n     2\tLikes tea")
    grown = run(workspace, {"command": "insert", "path": path, "insert_line": 2, "insert_text": "- Has a dog\n\n"})
    assert grown == Answer(f"The file {path} has been edited.")
    assert tree(tmp_path) == {"people/ann.md": b"Favorite color: green\nLikes tea\n- Has a dog\n\n"}
    beyond = run(workspace, {"command": "insert", "path": path, "insert_line": 9, "insert_text": "x"})
    said = "Error: Invalid `insert_line` parameter: 9. It should be within the range of lines of the file: [0, 4]"
    assert beyond == Answer(said, is_error=True, kind="out-of-bounds")


@table("slash", ["", "/"])
def test_a_directory_is_deleted_with_all_that_is_in_it_and_can_come_back(slash: str, tmp_path: Path) -> None:
    files = {"d/a.md": "a", "d/e/b.md": "b", "d/.c": "c", "d/raw.bin": b"\0\xff", "keep.md": "k"}
    workspace = make(tmp_path, files)
    before = tree(tmp_path)
    answer = run(workspace, {"command": "delete", "path": f"/memories/d{slash}"})
    assert answer == Answer(f"Successfully deleted /memories/d{slash}")
    assert tree(tmp_path) == {"keep.md": b"k"}
    assert run(workspace, {"command": "view", "path": "/memories/d"}).kind == "no-such-file"
    assert len(workspace.history()) == 1
    workspace.undo(last=True)
    assert tree(tmp_path) == before


@table(("source", "target"), [("d", "x/y"), ("d/", "d2"), ("d/a.md", "b.md"), ("d", "d-other")])
def test_files_and_directories_are_renamed(source: str, target: str, tmp_path: Path) -> None:
    workspace = make(tmp_path, {"d/a.md": "a", "d/e/b.md": "b"})
    old, new = f"/memories/{source}", f"/memories/{target}"
    answer = run(workspace, {"command": "rename", "old_path": old, "new_path": new})
    assert answer == Answer(f"Successfully renamed {old} to {new}")
    moved = {"d/a.md": b"a", "d/e/b.md": b"b"}
    name = source.rstrip("/")
    assert tree(tmp_path) == {
        target + path.removeprefix(name) if path.startswith(name) else path: data for path, data in moved.items()
    }
    assert workspace.history()[0].record.reason == "memory: rename"


def test_another_prefix_may_name_the_root(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "a"})
    assert not run(workspace, {"command": "view", "path": "/mem/a.md"}, prefix="/mem").is_error
    assert run(workspace, {"command": "view", "path": "/memories/a.md"}, prefix="/mem").kind == "outside-root"
