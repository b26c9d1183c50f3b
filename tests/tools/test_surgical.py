"""Tasks that share files: every edit lands where it is meant or is refused, and nobody's line is lost."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from steadyhand.text.source import digest_of
from tests.table import table
from tests.tools.ground import make, tree

TEXT = "import os\n\n\ndef run(log):\n    return None\n\n\ndef stop(log):\n    return None\n"


def kit(root: Path, files: dict[str, str | bytes], **options: Any) -> sh.Kit:
    return make(root, files, **options).tools("surgical")


def edit(old: str, new: str, **more: Any) -> dict[str, Any]:
    return {"path": "a.py", "old_content": old, "new_content": new, **more}


def text(root: Path, name: str = "a.py") -> str:
    return (root / name).read_bytes().decode()


# edit_file


def test_a_text_that_occurs_once_is_replaced(tmp_path: Path) -> None:
    hands = kit(tmp_path, {"a.py": TEXT})
    answer = hands.call("edit_file", edit("def run(log):", "def run(log: list[str]):", reason="typed"))
    after = TEXT.replace("run(log)", "run(log: list[str])")
    assert text(tmp_path) == after
    assert answer == {
        "success": True,
        "path": "a.py",
        "id": answer["id"],
        "fileHash": digest_of(after.encode())[:16],
        "lines": {"start": 4, "end": 4},
        "context": {"beforeLines": ["import os", "", ""], "afterLines": ["    return None", "", ""]},
    }
    (entry,) = hands.workspace.history("a.py")
    assert (entry.record.id, entry.record.tool, entry.record.reason) == (answer["id"], "edit_file", "typed")


def test_a_text_that_occurs_several_times_is_refused_with_its_places_and_what_singles_them_out(tmp_path: Path) -> None:
    answer = kit(tmp_path, {"a.py": TEXT}).call("edit_file", edit("    return None", "    return 1"))
    assert (answer["success"], answer["kind"]) == (False, "ambiguous-match")
    assert [place["lines"] for place in answer["details"]["candidates"]] == [[5, 5], [9, 9]]
    assert [place["occurrence"] for place in answer["details"]["candidates"]] == [1, 2]
    assert text(tmp_path) == TEXT


OCCURRENCES = [
    (1, [1], [3, 5]),
    (2, [2], [1, 5]),
    (3, [3], [1, 3]),
    (-1, [3], [1, 3]),
    (0, [1, 2, 3], []),
    ("2", [2], [1, 5]),
]


@table(("occurrence", "changed", "others"), OCCURRENCES)
def test_an_occurrence_is_honoured_and_the_others_are_listed(
    tmp_path: Path, occurrence: object, changed: list[int], others: list[int]
) -> None:
    hands = kit(tmp_path, {"a.py": "x = 1\n#\nx = 1\n#\nx = 1\n"})
    answer = hands.call("edit_file", edit("x = 1", "x = 2", occurrence=occurrence))
    lines = [f"x = {2 if number in changed else 1}" for number in (1, 2, 3)]
    assert text(tmp_path) == "\n#\n".join(lines) + "\n"
    assert all(str(line) in answer["note"] for line in others) if others else "note" not in answer


def test_the_lines_of_the_others_are_those_of_the_file_as_it_is_now(tmp_path: Path) -> None:
    hands = kit(tmp_path, {"a.py": "x\ny\nx\n"})
    answer = hands.call("edit_file", edit("x", "1\n2\n3", occurrence=1))
    assert answer["note"] == "old_content also matches line 5"


@table(("occurrence", "kind"), [(3, "count-mismatch"), (-2, "bad-request"), ("first", "bad-request")])
def test_an_occurrence_that_there_is_not_is_refused(tmp_path: Path, occurrence: object, kind: str) -> None:
    answer = kit(tmp_path, {"a.py": TEXT}).call("edit_file", edit("return None", "return 1", occurrence=occurrence))
    assert (answer["success"], answer["kind"]) == (False, kind)
    assert text(tmp_path) == TEXT


def test_an_occurrence_of_null_means_that_the_text_is_unique(tmp_path: Path) -> None:
    hands = kit(tmp_path, {"a.py": TEXT})
    assert hands.call("edit_file", edit("return None", "return 1", occurrence=None))["kind"] == "ambiguous-match"
    assert hands.call("edit_file", edit("import os", "import re", occurrence=None))["success"] is True


NOT_EXACT = ["def  run(log):", "def run( log ):", "DEF RUN(LOG):", "def run(log):\n  return None", "“def run”"]


@table("old", NOT_EXACT)
def test_a_text_that_is_not_there_as_it_is_quoted_is_refused_with_the_nearest_place(tmp_path: Path, old: str) -> None:
    answer = kit(tmp_path, {"a.py": TEXT}).call("edit_file", edit(old, "def go(log):"))
    assert (answer["success"], answer["kind"]) == (False, "no-match")
    assert answer["hint"]
    assert len(answer["error"].splitlines()) <= 15
    assert text(tmp_path) == TEXT


def test_a_misquoted_text_is_offered_as_a_call_that_goes_through(tmp_path: Path) -> None:
    hands = kit(tmp_path, {"a.py": TEXT})
    answer = hands.call("edit_file", edit("def run(log):\n   return None\n", "def run(log):\n   return 1\n"))
    corrected = answer["details"]["corrected"]
    assert corrected.pop("tool") == "edit_file"
    assert hands.call("edit_file", corrected)["success"] is True
    assert text(tmp_path) == TEXT.replace("return None", "return 1", 1)


def test_replacement_text_is_literal(tmp_path: Path) -> None:
    new = r"$& $1 \1 \g<0> \n %s {x}"
    answer = kit(tmp_path, {"a.txt": "x = 1\n"}).call("edit_file", edit("1", new, path="a.txt"))
    assert answer["success"] is True
    assert text(tmp_path, "a.txt") == f"x = {new}\n"


def test_a_text_with_lf_finds_its_twin_with_cr_lf(tmp_path: Path) -> None:
    hands = kit(tmp_path, {"a.py": "one\r\ntwo\r\nthree\r\n"})
    assert hands.call("edit_file", edit("one\ntwo", "1\n2"))["success"] is True
    assert text(tmp_path) == "1\r\n2\r\nthree\r\n"


def test_an_empty_new_text_deletes(tmp_path: Path) -> None:
    hands = kit(tmp_path, {"a.py": TEXT})
    assert hands.call("edit_file", edit("import os\n\n\n", ""))["success"] is True
    assert text(tmp_path) == TEXT.removeprefix("import os\n\n\n")


def test_other_names_for_the_fields_are_taken_and_reported(tmp_path: Path) -> None:
    hands = kit(tmp_path, {"a.py": TEXT})
    answer = hands.call("edit_file", {"file_path": "a.py", "old_string": "os", "newText": "re"})
    assert (answer["success"], len(answer["repaired"])) == (True, 3)


# patch_file


def diff(body: str, name: str = "a.py") -> str:
    return f"--- a/{name}\n+++ b/{name}\n{body}"


RUN = "@@ -4,2 +4,2 @@\n def run(log):\n-    return None\n+    return 1\n"
STOP = "@@ -8,2 +8,2 @@\n def stop(log):\n-    return None\n+    return 2\n"
PATCHES = [
    ("as diff prints it", diff(RUN)),
    ("without a header", RUN),
    ("without numbers", RUN.replace("@@ -4,2 +4,2 @@", "@@")),
    ("with numbers that are wrong", RUN.replace("-4,2 +4,2", "-400,7 +3,1")),
    ("in a fence, with prose around", f"Here it is:\n\n```diff\n{diff(RUN)}```\nDone.\n"),
    ("with git's lines", f"diff --git a/a.py b/a.py\nindex 1234567..89abcde 100644\n{diff(RUN)}"),
    ("for the same name, spelled otherwise", diff(RUN, "./a.py")),
    ("with CR LF", diff(RUN).replace("\n", "\r\n")),
]


@table("patch", [row[1] for row in PATCHES], ids=[row[0] for row in PATCHES])
def test_a_patch_is_applied_however_it_is_written(tmp_path: Path, patch: str) -> None:
    answer = kit(tmp_path, {"a.py": TEXT}).call("patch_file", {"path": "a.py", "patch": patch, "reason": "one"})
    assert answer["success"] is True, answer
    assert answer["lines"] == {"start": 5, "end": 5}
    assert text(tmp_path) == TEXT.replace("return None", "return 1", 1)


def test_a_patch_changes_several_places_or_none(tmp_path: Path) -> None:
    hands = kit(tmp_path, {"a.py": TEXT})
    broken = diff(RUN + STOP.replace("def stop", "def nowhere_at_all"))
    assert hands.call("patch_file", {"path": "a.py", "patch": broken})["success"] is False
    assert text(tmp_path) == TEXT
    assert hands.call("patch_file", {"path": "a.py", "patch": diff(RUN + STOP)})["lines"] == {"start": 5, "end": 9}
    assert "return None" not in text(tmp_path)


REFUSED_PATCHES = [
    ("another file", diff(RUN, "b.py"), "malformed-patch"),
    ("several files", diff(RUN) + diff(STOP, "b.py"), "malformed-patch"),
    ("another file behind git's header", f"diff --git a/b.py b/b.py\n{diff(RUN, 'b.py')}", "malformed-patch"),
    ("a new name", "diff --git a/a.py b/c.py\nrename from a.py\nrename to c.py\n", "malformed-patch"),
    ("outside", diff(RUN, "../../etc/passwd"), "malformed-patch"),
    ("prose", "Please change the return value.", "malformed-patch"),
    ("lines that are not there", diff(RUN).replace("def run", "def nowhere_at_all"), "no-match"),
    ("a place that could be either", diff("@@ -99 +99 @@\n-    return None\n+    return 1\n"), "ambiguous-match"),
    ("nothing", "", "malformed-patch"),
]


@table(("patch", "kind"), [row[1:] for row in REFUSED_PATCHES], ids=[row[0] for row in REFUSED_PATCHES])
def test_a_patch_that_cannot_be_meant_for_this_file_changes_nothing(tmp_path: Path, patch: str, kind: str) -> None:
    hands = kit(tmp_path, {"a.py": TEXT, "b.py": TEXT})
    before = tree(tmp_path)
    answer = hands.call("patch_file", {"path": "a.py", "patch": patch})
    assert (answer["success"], answer["kind"]) == (False, kind), answer
    assert tree(tmp_path) == before


# insert_at

LINES = "one\ntwo\n"
INSERTED = [
    (LINES, 0, "x", "x\none\ntwo\n"),
    (LINES, 1, "x\n", "one\nx\ntwo\n"),
    (LINES, 2, "x\ny", "one\ntwo\nx\ny\n"),
    (LINES, -1, "x", "one\ntwo\nx\n"),
    (LINES, 1, "\n", "one\n\ntwo\n"),
    ("one\ntwo", -1, "x\n", "one\ntwo\nx\n"),
    ("one\ntwo", 2, "x\n", "one\ntwo\nx\n"),
    ("one\ntwo", 0, "x", "x\none\ntwo"),
    ("one\r\ntwo", -1, "x\ny\n", "one\r\ntwo\r\nx\r\ny\r\n"),
    ("", 0, "x\n", "x\n"),
    ("", -1, "x\n", "x\n"),
]


@table(("before", "line", "content", "after"), INSERTED)
def test_lines_are_inserted_at_the_start_after_a_line_or_at_the_end(
    tmp_path: Path, before: str, line: int, content: str, after: str
) -> None:
    hands = kit(tmp_path, {"a.py": before})
    answer = hands.call("insert_at", {"path": "a.py", "line": line, "content": content})
    assert answer["success"] is True, answer
    assert text(tmp_path) == after
    first = len(before.splitlines()) + 1 if line == -1 else line + 1
    assert answer["lines"] == {"start": first, "end": first + len(content.splitlines()) - 1}
    assert answer["context"]["beforeLines"] == after.splitlines()[max(first - 4, 0) : first - 1]


NOT_INSERTED = [
    (3, "x", "out-of-bounds"),
    (-2, "x", "bad-request"),
    (1, "", "bad-request"),
    (2**40, "x", "bad-request"),
    (1.5, "x", "bad-request"),
    (None, "x", "bad-request"),
]


@table(("line", "content", "kind"), NOT_INSERTED)
def test_a_place_that_there_is_not_is_refused(tmp_path: Path, line: object, content: str, kind: str) -> None:
    answer = kit(tmp_path, {"a.py": LINES}).call("insert_at", {"path": "a.py", "line": line, "content": content})
    assert (answer["success"], answer["kind"]) == (False, kind)
    assert text(tmp_path) == LINES


# copies

BAK = sh.Policy(backup="bak")


def test_a_copy_is_made_before_an_edit_and_goes_when_the_task_ends_well(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.py": TEXT, "b.py": LINES}, policy=BAK)
    with workspace.task("T") as task:
        hands = task.tools("surgical")
        hands.call("edit_file", edit("import os", "import re"))
        hands.call("edit_file", edit("import re", "import io"))
        hands.call("insert_at", {"path": "b.py", "line": 0, "content": "zero"})
        assert tree(tmp_path)["a.py.bak"] == TEXT.encode()
        assert tree(tmp_path)["b.py.bak"] == LINES.encode()
    assert sorted(tree(tmp_path)) == ["a.py", "b.py"]
    (last, *_) = workspace.history()
    assert sorted(file.path for file in last.record.files if file.is_delete) == ["a.py.bak", "b.py.bak"]
    assert last.record.task == "T"


def test_a_copy_that_is_not_made_because_there_is_one_is_reported(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.py": TEXT}, policy=BAK)
    with workspace.task("one") as one:
        first = one.tools("surgical")
        assert "warnings" not in first.call("edit_file", edit("import os", "import re"))
        assert "warnings" not in first.call("edit_file", edit("import re", "import io")), "its own copy"
        with workspace.task("two") as two:
            second = two.tools("surgical")
            second.call("read_file", {"path": "a.py"})
            (said,) = second.call("edit_file", edit("import io", "import abc"))["warnings"]
            assert "a.py.bak already exists" in said
    assert sorted(tree(tmp_path)) == ["a.py"]


def test_a_copy_stays_when_the_task_ends_badly(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.py": TEXT}, policy=BAK)
    with pytest.raises(RuntimeError), workspace.task("T") as task:
        task.tools("surgical").call("edit_file", edit("import os", "import re"))
        raise RuntimeError
    assert tree(tmp_path)["a.py.bak"] == TEXT.encode()


def test_a_copy_of_somebody_else_is_neither_overwritten_nor_removed(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.py": TEXT, "a.py.bak": "mine\n", "b.py": LINES}, policy=BAK)
    with workspace.task("T") as task:
        hands = task.tools("surgical")
        assert hands.call("edit_file", edit("import os", "import re"))["success"] is True
        hands.call("write_file", {"path": "c.bak", "content": "not a copy\n"})
        hands.call("insert_at", {"path": "b.py", "line": 0, "content": "zero"})
        (tmp_path / "b.py.bak").write_text("changed since\n")
    left = {name: data for name, data in tree(tmp_path).items() if name.endswith(".bak")}
    assert left == {"a.py.bak": b"mine\n", "c.bak": b"not a copy\n", "b.py.bak": b"changed since\n"}


def test_a_copy_of_one_task_outlives_another(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.py": TEXT}, policy=BAK)
    with pytest.raises(RuntimeError), workspace.task("bad") as task:
        task.tools("surgical").call("edit_file", edit("import os", "import re"))
        raise RuntimeError
    with workspace.task("good") as task:
        task.tools("surgical").call("edit_file", edit("import re", "import io"))
    assert tree(tmp_path)["a.py.bak"] == TEXT.encode()


@table("how", ["removed at the end of its task", "deleted by hand", "changed by hand"])
def test_an_edit_can_be_undone_whatever_became_of_its_copy(tmp_path: Path, how: str) -> None:
    workspace = make(tmp_path, {"a.py": TEXT}, policy=BAK)
    with workspace.task("T") as task:
        made = task.tools("surgical").call("edit_file", edit("import os", "import re"))
        if how == "deleted by hand":
            (tmp_path / "a.py.bak").unlink()
        elif how == "changed by hand":
            (tmp_path / "a.py.bak").write_text("x\n")
    workspace.undo(made["id"])
    expected = {"a.py": TEXT.encode()} | ({"a.py.bak": b"x\n"} if how == "changed by hand" else {})
    assert tree(tmp_path) == expected


def test_what_was_done_last_is_the_edit_and_not_the_removal_of_its_copy(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.py": TEXT})
    with workspace.task("T") as task:
        task.tools("surgical", policy=sh.Policy(backup="bak", require_reason=True)).call(
            "edit_file", edit("import os", "import re", reason="needed")
        )
        assert (tmp_path / "a.py.bak").exists()
    assert not (tmp_path / "a.py.bak").exists()
    workspace.undo(last=True)
    assert tree(tmp_path) == {"a.py": TEXT.encode()}


def test_a_task_is_undone_with_its_copies(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.py": TEXT}, policy=BAK)
    with workspace.task("T") as task:
        task.tools("surgical").call("edit_file", edit("import os", "import re"))
    workspace.undo(task="T")
    assert tree(tmp_path) == {"a.py": TEXT.encode()}


def test_the_answer_tells_of_the_file_and_not_of_its_copy(tmp_path: Path) -> None:
    hands = make(tmp_path, {"a.py": TEXT}, policy=BAK).tools("surgical")
    for path in ("./a.py", str(tmp_path / "a.py")):
        hands.call("read_file", {"path": path})
        answer = hands.call("write_file", {"path": path, "content": text(tmp_path) + "# more\n"})
        assert answer["fileHash"] == digest_of(text(tmp_path).encode())[:16]
    assert (tmp_path / "a.py.bak").exists()


# tasks that meet


def two(root: Path, files: dict[str, str | bytes]) -> tuple[sh.Kit, sh.Kit]:
    """Two tasks that have both read the file."""
    make(root, files)
    hands = [make(root, {}, task=name).tools("surgical") for name in ("A", "B")]
    for one in hands:
        one.call("read_file", {"path": "a.py"})
    return hands[0], hands[1]


def test_two_tasks_on_one_line_see_each_other_with_both_edits(tmp_path: Path) -> None:
    first, second = two(tmp_path, {"a.py": TEXT})
    assert first.call("edit_file", edit("def run(log):", "def run(log, deep):", reason="deeper"))["success"] is True
    answer = second.call("edit_file", edit("def run(", "def go("))
    assert (answer["success"], answer["kind"]) == (False, "conflict")
    (theirs,) = answer["details"]["with"]
    assert (theirs["task"], theirs["tool"], theirs["reason"]) == ("A", "edit_file", "deeper")
    assert (theirs["before"], theirs["after"]) == ("def run(log):", "def run(log, deep):")
    assert answer["details"]["yours"] == {"before": "def run(", "after": "def go("}
    corrected = answer["details"]["corrected"]
    assert corrected.pop("tool") == "edit_file"
    assert second.call("edit_file", corrected)["success"] is True
    assert "def go(log, deep):" in text(tmp_path)


def test_who_has_read_the_others_change_may_change_it(tmp_path: Path) -> None:
    first, second = two(tmp_path, {"a.py": TEXT})
    first.call("edit_file", edit("def run(log):", "def run(log, deep):"))
    second.call("search_files", {"query": "def run", "path": "a.py"})
    assert second.call("edit_file", edit("def run(", "def go("))["success"] is True


def test_neighbours_do_not_conflict(tmp_path: Path) -> None:
    first, second = two(tmp_path, {"a.py": TEXT})
    assert first.call("edit_file", edit("def run(log):", "def run(log, deep):"))["success"] is True
    assert second.call("patch_file", {"path": "a.py", "patch": STOP})["success"] is True
    assert second.call("insert_at", {"path": "a.py", "line": 1, "content": "import re"})["success"] is True


def test_a_line_number_that_another_task_moved_is_refused(tmp_path: Path) -> None:
    first, second = two(tmp_path, {"a.py": TEXT})
    first.call("insert_at", {"path": "a.py", "line": 0, "content": "# one\n# two\n"})
    before = text(tmp_path)
    answer = second.call("insert_at", {"path": "a.py", "line": 4, "content": "# here"})
    assert (answer["success"], answer["kind"]) == (False, "conflict")
    assert text(tmp_path) == before
    second.call("read_file", {"path": "a.py"})
    assert second.call("insert_at", {"path": "a.py", "line": 6, "content": "# here"})["success"] is True
    assert "def run(log):\n# here\n    return None" in text(tmp_path)


def test_two_tasks_that_append_see_each_other(tmp_path: Path) -> None:
    first, second = two(tmp_path, {"a.py": TEXT})
    assert first.call("insert_at", {"path": "a.py", "line": -1, "content": "# first"})["success"] is True
    answer = second.call("insert_at", {"path": "a.py", "line": -1, "content": "# second"})
    assert answer["kind"] == "conflict"
    second.call("read_file", {"path": "a.py"})
    assert second.call("insert_at", {"path": "a.py", "line": -1, "content": "# second"})["success"] is True
    assert text(tmp_path) == TEXT + "# first\n# second\n"


def test_a_whole_file_is_not_written_over_what_another_task_did_since(tmp_path: Path) -> None:
    first, second = two(tmp_path, {"a.py": TEXT})
    first.call("edit_file", edit("import os", "import re"))
    answer = second.call("write_file", {"path": "a.py", "content": TEXT.replace("run", "go")})
    assert (answer["success"], answer["kind"]) == (False, "stale-source")
    assert digest_of(text(tmp_path).encode())[:16] not in str(answer)  # or it would be sent instead of reading


def big_file() -> str:
    """361 lines: a header and 72 functions of five lines."""
    functions = [
        f"def check_{number:02}(log):\n    if not log:\n        return {number}\n    return len(log)\n\n"
        for number in range(72)
    ]
    made = '"""Checks."""\n' + "".join(functions)
    assert made.count("\n") == 361
    return made


def improve(hands: sh.Kit, mine: list[int], said: Callable[[str, dict[str, Any]], None]) -> None:
    """One task: reads, edits its own functions and a shared one, adds lines, and tries to write the whole file."""
    hands.call("read_file", {"path": "a.py"})
    mark = hands.workspace.task_id
    for number in mine:
        said(
            "edit", hands.call("edit_file", edit(f"        return {number}\n", f"        return {number}  # {mark}\n"))
        )
    patch = f"@@ -1 +1 @@\n def check_{mine[0]:02}(log):\n+    # patched by {mark}\n     if not log:\n"
    said("patch", hands.call("patch_file", {"path": "a.py", "patch": patch}))
    said("shared", hands.call("edit_file", edit("def check_71(log):", f"def check_71(log, {mark}):")))
    said("append", hands.call("insert_at", {"path": "a.py", "line": -1, "content": f"# end of {mark}"}))
    said("stub", hands.call("write_file", {"path": "a.py", "content": "# two\n# lines\n"}))


def test_three_tasks_on_one_file_of_361_lines_lose_no_line(tmp_path: Path) -> None:
    """Every task's work is there at the end, or its conflict was reported; the two-line stub of each is refused."""
    make(tmp_path, {"a.py": big_file()})
    answers: dict[str, list[tuple[str, dict[str, Any]]]] = {name: [] for name in "ABC"}
    shares = {name: list(range(start, 70, 9)) for start, name in enumerate("ABC")}
    kits = {name: make(tmp_path, {}, task=name).tools("surgical") for name in "ABC"}

    def work(name: str) -> None:
        improve(kits[name], shares[name], lambda what, answer: answers[name].append((what, answer)))

    threads = [threading.Thread(target=work, args=(name,)) for name in "ABC"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    after = text(tmp_path)
    for name in "ABC":
        done = dict(answers[name])
        refused = [what for what, answer in answers[name] if not answer["success"]]
        assert [answer["kind"] for what, answer in answers[name] if what == "edit" and not answer["success"]] == []
        assert all(f"return {number}  # {name}\n" in after for number in shares[name])
        assert f"    # patched by {name}\n" in after
        assert done["stub"]["kind"] in ("stale-source", "suspicious-shrink")
        for what, sign in (("shared", f"def check_71(log, {name}):"), ("append", f"# end of {name}\n")):
            assert (sign in after) is (what not in refused), (what, done[what])
        assert {done[what]["kind"] for what in refused} <= {"conflict", "no-match", "stale-source", "suspicious-shrink"}
    assert sum(f"def check_71(log, {name}):" in after for name in "ABC") == 1
    kept = [line.split("  #")[0] for line in big_file().splitlines() if "check_71" not in line]
    left = iter(line.split("  #")[0] for line in after.splitlines())
    assert all(line in left for line in kept)  # in this order


def test_the_same_file_survives_tasks_that_only_rewrite_it(tmp_path: Path) -> None:
    make(tmp_path, {"a.py": big_file()})
    for name in "ABC":
        hands = make(tmp_path, {}, task=name).tools("surgical")
        assert hands.call("write_file", {"path": "a.py", "content": "stub\n"})["kind"] == "stale-source"
        known = hands.call("read_file", {"path": "a.py"})["fileHash"]
        stub = {"path": "a.py", "content": "stub\n", "expectedHash": known}
        assert hands.call("write_file", stub)["kind"] == "suspicious-shrink"
    assert text(tmp_path) == big_file()


def test_the_prompt_names_only_what_there_is(tmp_path: Path) -> None:
    hands = make(tmp_path, {}).tools("surgical")
    tools = {tool.name for tool in hands.tools} | {"report_findings"}
    prompt = hands.prompt()
    assert all(f"`{name}`" in prompt for name in tools)
    fields = {field.name for tool in hands.tools for field in (*tool.parameters.fields, *tool.result.fields)}
    quoted = {part for part in prompt.split("`")[1::2] if part.replace("_", "").isalpha()}
    assert quoted <= tools | fields
