"""Claude Code's Edit, MultiEdit, Write and Read: what its models expect, on top of what the workspace guards."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steadyhand as sh
from steadyhand.tools.answer import Answer
from tests.table import table
from tests.tools.ground import Native, edit, make, multi_edit, read, tree, write

NOT_READ = "File has not been read yet. Read it first before writing to it."
MODIFIED = "File has been modified since read."
ABSENT = "String to replace not found in file."
FOUND_TWO = "Found 2 matches of the string to replace, but replace_all is false."
SNIPPET = "Here's the result of running `cat -n` on a snippet of the edited file:"
EMPTY = "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>"

TEXT = "def a():\n    return 1\n\n\ndef b():\n    return 1\n"


def change(old: str, new: str, **more: object) -> dict[str, object]:
    return {"old_string": old, "new_string": new, **more}


# What must not happen.


@table(
    ("arguments", "said", "kind"),
    [
        (change("return 2", "x"), ABSENT, "no-match"),
        (change("return 1", "x"), FOUND_TWO, "ambiguous-match"),
        (change("def a", "def a"), "No changes to make.", "no-change"),
        (change("", "x"), "Cannot create new file - file already exists.", "exists-already"),
    ],
)
def test_an_edit_that_is_not_sure_is_not_made(
    arguments: dict[str, object], said: str, kind: str, tmp_path: Path
) -> None:
    answer = edit(make(tmp_path, {"a.py": TEXT}), {"file_path": "a.py", **arguments})
    assert answer.content.startswith(said)
    assert (answer.is_error, answer.kind) == (True, kind)
    assert tree(tmp_path)["a.py"] == TEXT.encode()


def test_a_missing_file_is_not_edited_into_being(tmp_path: Path) -> None:
    workspace = make(tmp_path, {})
    assert edit(workspace, {"file_path": "a.py", **change("x", "y")}).content.startswith("File does not exist.")
    assert read(workspace, {"file_path": "a.py"}).content.startswith("File does not exist.")


@table("tool", [edit, multi_edit])
def test_a_host_may_ask_that_files_are_read_first(tool: Native, tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.py": "one\ntwo\n"})

    def call(old: str, new: str) -> Answer:
        if tool is edit:
            return edit(workspace, {"file_path": "a.py", **change(old, new)}, require_read=True)
        return multi_edit(workspace, {"file_path": "a.py", "edits": [change(old, new)]}, require_read=True)

    unread = call("one", "1")
    assert (unread.content.split("\n")[0], unread.kind) == (NOT_READ, "stale-source")
    read(workspace, {"file_path": "a.py"})
    (tmp_path / "a.py").write_text("one\ntwo\nthree\n")
    changed = call("one", "1")
    assert changed.content.startswith(MODIFIED)
    read(workspace, {"file_path": "a.py"})
    assert not call("one", "1").is_error
    assert not call("two", "2").is_error  # what the task itself wrote, it knows
    assert tree(tmp_path)["a.py"] == b"1\n2\nthree\n"


def test_a_file_is_not_written_over_unread(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.py": "one\n"})
    new: dict[str, object] = {"file_path": "a.py", "content": "two\n"}
    assert write(workspace, new).content.startswith(NOT_READ)
    read(workspace, {"file_path": "a.py"})
    assert write(workspace, new) == Answer("The file a.py has been updated.")
    (tmp_path / "a.py").write_text("three\n")
    assert write(workspace, new).content.startswith(MODIFIED)
    assert not write(workspace, new, overwrite=True).is_error


def test_most_of_a_file_does_not_vanish_in_a_write(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.py": "".join(f"line {number}\n" for number in range(100))})
    read(workspace, {"file_path": "a.py"})
    short: dict[str, object] = {"file_path": "a.py", "content": "line 0\n"}
    answer = write(workspace, short)
    assert answer.kind == "suspicious-shrink"
    assert "allow_shrink" not in answer.content  # the model has no such argument
    assert not write(workspace, short, allow_shrink=True).is_error


def test_when_one_of_several_edits_fails_none_is_made(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.py": TEXT}, policy=sh.Policy(partial=True, batch="snapshot"))
    edits = [change("def a", "def A"), change("def b", "def B"), change("def c", "def C")]
    answer = multi_edit(workspace, {"file_path": "a.py", "edits": edits})
    assert answer.content.startswith(f"Edit 3: {ABSENT}")
    assert tree(tmp_path)["a.py"] == TEXT.encode()
    new = multi_edit(workspace, {"file_path": "n.py", "edits": [change("", "x\n"), *edits]})
    assert new.content.startswith(f"Edit 2: {ABSENT}")
    assert not (tmp_path / "n.py").exists()
    assert workspace.history() == []


# What must.


def test_an_edit_shows_the_lines_around_it(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.py": TEXT})
    answer = edit(workspace, {"file_path": "/repo/a.py", **change("def b", "def c")}, prefix="/repo")
    assert answer == Answer(
        f"The file /repo/a.py has been updated.\n{SNIPPET}\n     2\t    return 1\n     3\t\n     4\t\n"
        "     5\tdef c():\n     6\t    return 1"
    )
    assert workspace.history()[0].record.reason == "Edit: replace"


def test_all_occurrences_are_replaced_where_the_model_says_so(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.py": TEXT})
    answer = edit(workspace, {"file_path": "a.py", **change("return 1", "return '$&'", replace_all=True)})
    assert answer.content.startswith("The file a.py has been updated. Occurrences replaced: 2.\n")
    assert tree(tmp_path)["a.py"] == TEXT.replace("return 1", "return '$&'").encode()


@table("before", [{}, {"n/a.py": ""}])
def test_an_empty_old_text_makes_a_file_or_fills_an_empty_one(before: dict[str, str], tmp_path: Path) -> None:
    workspace = make(tmp_path, before)
    assert not edit(workspace, {"file_path": "n/a.py", **change("", "x\n")}).is_error
    assert tree(tmp_path) == {"n/a.py": b"x\n"}


def test_several_edits_are_made_one_after_another_as_one_change(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.py": TEXT})
    edits = [change("return 1", "return 2", replace_all=True), change("def a", "def A"), change("def b", "def B")]
    answer = multi_edit(workspace, {"file_path": "a.py", "edits": edits})
    assert answer.content.startswith("The file a.py has been updated.")
    assert tree(tmp_path)["a.py"] == b"def A():\n    return 2\n\n\ndef B():\n    return 2\n"
    assert len(workspace.history()) == 1


@table("before", [{}, {"n/a.py": ""}])
def test_the_first_of_several_edits_may_make_the_file(before: dict[str, str], tmp_path: Path) -> None:
    workspace = make(tmp_path, before)
    answer = multi_edit(
        workspace, {"file_path": "n/a.py", "edits": [change("", "one\ntwo\n"), change("two", "2")]}, require_read=True
    )
    assert not answer.is_error
    assert tree(tmp_path) == {"n/a.py": b"one\n2\n"}
    assert len(workspace.history()) == 1


def test_far_apart_places_are_shown_each_by_itself(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "".join(f"{number}.\n" for number in range(1, 101))})
    answer = multi_edit(workspace, {"file_path": "a.md", "edits": [change("90.", "x"), change("44.", "y")]})
    shown = [row for row in answer.content.split("\n")[2:] if "\t" in row]
    assert [int(row.split("\t")[0]) for row in shown] == [*range(41, 48), *range(87, 94)]


def test_a_new_file_is_written(tmp_path: Path) -> None:
    workspace = make(tmp_path, {})
    answer = write(workspace, {"file_path": f"{tmp_path}/a/b.py", "content": "x"})
    assert answer == Answer(f"File created successfully at: {tmp_path}/a/b.py")
    assert tree(tmp_path) == {"a/b.py": b"x"}


def test_a_file_is_read_with_its_numbers(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.py": "one\r\n\ttwo"})
    assert read(workspace, {"file_path": "a.py"}) == Answer("     1\tone\n     2\t\ttwo")


def test_an_empty_file_is_said_to_be_empty(tmp_path: Path) -> None:
    assert read(make(tmp_path, {"a.py": ""}), {"file_path": "a.py"}) == Answer(EMPTY)


def test_long_lines_are_cut_and_reported(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.py": "x" * 2000 + "\n" + "y" * 2001 + "\nz\n"})
    rows = read(workspace, {"file_path": "a.py"}).content.split("\n")
    assert [len(row) for row in rows[:3]] == [2007, 2007, 8]
    assert rows[3:] == ["(cut after 2000 characters: line 2)"]


def test_a_long_file_is_read_in_stretches(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.py": "".join(f"{number}\n" for number in range(1, 2502))})
    rows = read(workspace, {"file_path": "a.py"}).content.split("\n")
    assert rows[1999:] == ["  2000\t2000", "(lines 1 to 2000 of 2501 are shown; read on with offset 2001)"]
    rest = read(workspace, {"file_path": "a.py", "offset": 2001}).content.split("\n")
    assert (rest[0], rest[-1], len(rest)) == ("  2001\t2001", "  2501\t2501", 501)
    few = read(workspace, {"file_path": "a.py", "offset": 3, "limit": 2}).content.split("\n")
    assert few[:2] == ["     3\t3", "     4\t4"]
    beyond = read(workspace, {"file_path": "a.py", "offset": 2502})
    assert "The file has 2501 lines." in beyond.content


@settings(max_examples=settings.default.max_examples // 4)
@given(
    before=st.lists(st.sampled_from("abc"), min_size=1, max_size=6).map("\n".join),
    old=st.sampled_from(["a", "b", "ab", "a\nb", "c"]),
    new=st.sampled_from(["", "x", "x\ny", "$1"]),
    everywhere=st.booleans(),
)
def test_an_edit_is_what_python_would_replace(
    before: str, old: str, new: str, everywhere: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("ws")
    workspace = make(root, {"a.md": before}, policy=sh.Policy(tier="exact"))
    answer = edit(workspace, {"file_path": "a.md", **change(old, new, replace_all=everywhere)})
    count = before.count(old)
    is_made = count == 1 or (everywhere and count > 0)
    assert answer.is_error is not is_made
    assert tree(root)["a.md"].decode() == (before.replace(old, new) if is_made else before)


def test_a_line_that_is_shown_in_part_does_not_count_as_read(tmp_path: Path) -> None:
    kit = make(tmp_path, {"a.txt": f"{'x' * 3_000}\nlast\n", "b.txt": "one\n"}).tools("claude-code", require_read=False)
    for name in ("a.txt", "b.txt"):
        assert kit.call("Read", {"file_path": name})["is_error"] is False
    assert kit.call("Write", {"file_path": "a.txt", "content": "1\n"})["kind"] == "stale-source"
    assert kit.call("Write", {"file_path": "b.txt", "content": "1\n"})["is_error"] is False
    assert kit.call("Edit", {"file_path": "a.txt", "old_string": "last", "new_string": "end"})["is_error"] is False
