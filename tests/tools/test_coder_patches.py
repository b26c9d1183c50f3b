"""Patches and ranges from coding agents: what is content, what contamination, and lines counted as they were read."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import steadyhand as sh
from steadyhand.tools.toolsets import prompt_of
from tests.table import table
from tests.tools.ground import make, tree

BEFORE = "one\ntwo\nthree\nfour\nfive\nsix\n"
AFTER = BEFORE.replace("two", "2")
BODY = "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
DIFF = f"--- a/a.txt\n+++ b/a.txt\n{BODY}"
MORE = "@@ -5,2 +5,2 @@\n five\n-six\n+6\n"


def write_patch(ws: sh.Workspace, patch: str, path: str = "a.txt", **more: object) -> dict[str, Any]:
    return ws.tools("coder").call("write_patch", {"path": path, "patch": patch, **more})


def apply_edits(ws: sh.Workspace, *edits: object, **more: object) -> dict[str, Any]:
    return ws.tools("coder").call("apply_edits", {"path": "a.txt", "edits": list(edits), **more})


def lines(start: int, end: int, new: str, old: str | None = None) -> dict[str, object]:
    return {"range": {"start": start, "end": end}, "newText": new} | ({} if old is None else {"oldText": old})


# What is around a diff.

AROUND = {
    "a fence": f"```diff\n{DIFF}```\n",
    "a fence without a language": f"```\n{BODY}```\n",
    "a fence of tildes": f"~~~diff\n{DIFF}~~~\n",
    "a fence that opens only": f"```diff\n{DIFF}",
    "a fence that closes only": f"{DIFF}```\n",
    "a tool call": f"<tool_call>\n{DIFF}</tool_call>\n",
    "a tool call that opens only": f"<tool_call>\n{DIFF}",
    "a tool call that closes only": f"{DIFF}</tool_call>\n",
    "a tool call with its name": f'<tool_call>{{"name": "write_patch"}}</tool_call>\n{DIFF}',
    "a function": f"<function=write_patch>\n<parameter=patch>\n{DIFF}</parameter>\n</function>\n",
    "an invocation": f'<invoke name="write_patch">\n{DIFF}</invoke>\n',
    "code tags": f"<code>\n{DIFF}</code>\n",
    "any tag": f"<patch>\n{DIFF}</patch>\n",
    "thoughts": f"<think>\nTwo is a digit.\n</think>\n{DIFF}",
    "an end of a turn": f"{DIFF}<|im_end|>\n",
    "a beginning of a turn": f"<|im_start|>assistant\n{DIFF}",
    "a comment": f"<!-- the patch -->\n{DIFF}",
    "a sentence before": f"Here is the patch:\n{DIFF}",
    "a sentence behind": f"{DIFF}That is all.\n",
    "a sentence far behind": f"{DIFF}\n\nThat is all.\n",
    "a sentence between": f"{DIFF}Then:\n{MORE}",
    "a heading": f"## Patch\n\n{DIFF}",
    "a shell call": f"apply <<'EOF'\n{DIFF}EOF\n",
}


@table("patch", AROUND.values(), ids=AROUND.keys())
def test_what_is_around_a_diff_is_refused_or_left_out_and_reported(patch: str, tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.txt": BEFORE})
    answer = write_patch(workspace, patch)
    assert (answer["success"], answer["kind"], answer["reason"]) == (False, "patch_error", "malformed-patch")
    assert answer["error"].startswith(answer["message"])
    assert tree(tmp_path)["a.txt"] == BEFORE.encode()
    assert write_patch(workspace, answer["example"].replace("src/app.py", "a.txt"))["reason"] == "no-match"
    lenient = write_patch(workspace, patch, lenient=True)
    assert lenient["success"] is True
    assert any("line" in warning for warning in lenient["warnings"])
    assert tree(tmp_path)["a.txt"] in (AFTER.encode(), AFTER.replace("six", "6").encode())


NO_DIFF = {
    "nothing": "",
    "blank lines": "\n\n",
    "prose": "Replace two by 2.",
    "a list": "- one\n- two\n",
    "the file itself": BEFORE,
    "numbered lines": "1: one\n2: 2\n",
    "a header without lines": "@@ -1 +1 @@\n",
    "names without lines": "--- a/a.txt\n+++ b/a.txt\n",
    "blocks": "<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n",
    "another format": "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\n*** End Patch\n",
    "a binary notice": "diff --git a/a.txt b/a.txt\nindex 1..2 100644\nBinary files a/a.txt and b/a.txt differ\n",
    "a binary patch": "diff --git a/a.txt b/a.txt\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKc$\n",
    "a merge": "diff --cc a.txt\nindex 1,2..3\n--- a/a.txt\n+++ b/a.txt\n@@@ -1,2 -1,2 +1,2 @@@\n  one\n- two\n +2\n",
    "another file": DIFF.replace("a.txt", "b.txt"),
    "the same name elsewhere": DIFF.replace("a.txt", "docs/a.txt"),
    "two files": DIFF + DIFF.replace("a.txt", "b.txt"),
    "another name for the file": "diff --git a/a.txt b/b.txt\nrename from a.txt\nrename to b.txt\n",
    "a file outside": DIFF.replace("a/a.txt", "../../a.txt"),
}


@table("lenient", [False, True])
@table("patch", NO_DIFF.values(), ids=NO_DIFF.keys())
def test_what_is_no_diff_of_the_file_is_refused_also_leniently(patch: str, lenient: bool, tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.txt": BEFORE, "b.txt": BEFORE})
    answer = write_patch(workspace, patch, lenient=lenient)
    assert (answer["success"], answer["kind"]) == (False, "patch_error")
    assert answer["reason"] in ("malformed-patch", "outside-root")
    assert answer["hint"]
    assert tree(tmp_path) == {"a.txt": BEFORE.encode(), "b.txt": BEFORE.encode()}


REFUSED_OTHERWISE: list[tuple[dict[str, object], str]] = [
    ({"path": "a.txt"}, "bad-request"),
    ({"path": "a.txt", "patch": 3}, "bad-request"),
    ({"path": "a.txt", "patch": DIFF, "colour": "red"}, "bad-request"),
    ({"path": "../a.txt", "patch": BODY}, "outside-root"),
    ({"path": "none.txt", "patch": DIFF.replace("a.txt", "none.txt")}, "no-such-file"),
    ({"path": "a.txt", "patch": f"{DIFF}{MORE}".replace("-six", "-seven")}, "no-match"),
    ({"path": "a.txt", "patch": "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x\n"}, "exists-already"),
    ({"path": ".git/config", "patch": BODY}, "protected-path"),
]


@table(("arguments", "reason"), REFUSED_OTHERWISE)
def test_every_refusal_has_the_same_kind_its_own_reason_and_an_example(
    arguments: dict[str, object], reason: str, tmp_path: Path
) -> None:
    answer = make(tmp_path, {"a.txt": BEFORE}).tools("coder").call("write_patch", arguments)
    assert (answer["success"], answer["kind"], answer["reason"]) == (False, "patch_error", reason)
    assert {"message", "example", "error", "hint", "details"} <= set(answer)
    assert "\n+" in str(answer["example"])
    assert tree(tmp_path) == {"a.txt": BEFORE.encode()}


# What is in a diff.

PAGES = {
    "fences": "# Page\n\n```python\nprint(1)\n```\n\nend\n",
    "a diff in a fence": "# Page\n\n```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n```\n\nend\n",
    "tags": "<html>\n<body>\n<code>\n<tool_call>\n</tool_call>\n</code>\n</body>\n</html>\n",
    "turns": "<|im_start|>user\nhello\n<|im_end|>\n",
    "marks of other formats": "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n*** Begin Patch\n*** End Patch\n",
    "lines with signs": "- a\n+ b\n-- c\n++ d\n--- e\n+++ f\n@@ g\n",
    "nothing but blank lines": "\n\n\n",
}


@table("page", PAGES.values(), ids=PAGES.keys())
@table("change", ["added", "removed", "kept"])
def test_fences_and_tags_in_the_lines_of_a_diff_are_content(page: str, change: str, tmp_path: Path) -> None:
    rows = page.split("\n")[:-1]
    sign = {"added": "+", "removed": "-", "kept": " "}[change]
    old, new = ("" if change == "added" else page), ("" if change == "removed" else page)
    before, after = f"top\n{old}bottom\n", f"top\n{new}BOTTOM\n"
    counts = f"@@ -1,{before.count(chr(10))} +1,{after.count(chr(10))} @@"
    body = "".join(f"{sign}{row}\n" for row in rows)
    workspace = make(tmp_path, {"page.md": before})
    patch = f"--- a/page.md\n+++ b/page.md\n{counts}\n top\n{body}-bottom\n+BOTTOM\n"
    answer = write_patch(workspace, patch, "page.md")
    assert answer["success"] is True, answer
    assert "warnings" not in answer
    assert tree(tmp_path)["page.md"].decode() == after


WELL_FORMED = {
    "a bare one": BODY,
    "no header at all": BODY.partition("\n")[2],
    "a header without numbers": BODY.replace("@@ -1,3 +1,3 @@", "@@"),
    "a header with a function": BODY.replace("+1,3 @@", "+1,3 @@ def f():"),
    "counts that are wrong": DIFF.replace("-1,3 +1,3", "-1,9 +1,2"),
    "numbers that are off": DIFF.replace("-1,3 +1,3", "-40,3 +41,3"),
    "no context": "--- a/a.txt\n+++ b/a.txt\n@@ -2 +2 @@\n-two\n+2\n",
    "names without a and b": DIFF.replace("a/a.txt", "a.txt").replace("b/a.txt", "a.txt"),
    "times behind the names": DIFF.replace("a/a.txt", "a.txt\t2024-01-01 00:00:00.0 +0000").replace("b/a.txt", "a.txt"),
    "an index line": f"Index: a.txt\n{'=' * 67}\n--- a.txt\t(revision 1)\n+++ a.txt\t(working copy)\n{BODY}",
    "lines of git": f"diff --git a/a.txt b/a.txt\nindex 5626abf..f719efd 100644\n{DIFF}",
    "blank lines around": f"\n{DIFF}\n\n",
    "CR LF": DIFF.replace("\n", "\r\n"),
    "without a last newline": DIFF.removesuffix("\n"),
}


@table("patch", WELL_FORMED.values(), ids=WELL_FORMED.keys())
def test_a_diff_of_any_make_passes(patch: str, tmp_path: Path) -> None:
    answer = write_patch(make(tmp_path, {"a.txt": BEFORE}), patch)
    assert answer["success"] is True, answer
    assert "warnings" not in answer
    assert tree(tmp_path)["a.txt"] == AFTER.encode()


def test_a_file_without_a_last_newline_is_patched_as_its_diff_says(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.txt": "one\ntwo"})
    patch = "@@ -1,2 +1,2 @@\n one\n-two\n\\ No newline at end of file\n+2\n\\ No newline at end of file\n"
    assert write_patch(workspace, patch)["success"] is True
    assert tree(tmp_path)["a.txt"] == b"one\n2"


def test_a_diff_may_take_a_file_away_and_bring_it_back(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.txt": BEFORE})
    gone = "".join(f"-{row}\n" for row in BEFORE.split("\n")[:-1])
    assert write_patch(workspace, f"--- a/a.txt\n+++ /dev/null\n@@ -1,6 +0,0 @@\n{gone}")["success"] is True
    assert tree(tmp_path) == {}
    made = gone.replace("-", "+")
    assert write_patch(workspace, f"--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,6 @@\n{made}")["success"] is True
    assert tree(tmp_path)["a.txt"] == BEFORE.encode()


@table("path", ["a.txt", "./a.txt", "/repo/a.txt", "{root}/a.txt"])
@table("named", ["a/a.txt", "a.txt", "./a.txt", "/repo/a.txt"])
def test_a_file_may_be_named_in_several_ways(path: str, named: str, tmp_path: Path) -> None:
    kit = make(tmp_path, {"a.txt": BEFORE}).tools("coder", prefix="/repo")
    patch = f"--- {named}\n+++ {named.replace('a/', 'b/', 1) if named == 'a/a.txt' else named}\n{BODY}"
    answer = kit.call("write_patch", {"path": path.format(root=tmp_path), "patch": patch})
    assert answer["success"] is True, answer
    assert tree(tmp_path)["a.txt"] == AFTER.encode()


def test_the_patch_that_the_prompt_shows_is_one_that_passes(tmp_path: Path) -> None:
    shown = "\n".join(line[4:] for line in prompt_of("coder").split("\n") if line.startswith("    ")) + "\n"
    found = re.match(r"--- a/(\S+)\n", shown)
    assert found is not None
    workspace = make(tmp_path, {found[1]: 'def greet(name):\n    message = "Hello " + name\n    return message\n'})
    answer = write_patch(workspace, shown, found[1])
    assert answer["success"] is True, answer
    assert answer["lines"] == {"start": 2, "end": 2}


# Ranges of lines.


@table(
    ("edit", "after"),
    [
        (lines(2, 2, "2"), "one\n2\nthree\nfour\nfive\nsix\n"),
        (lines(2, 2, "2\n"), "one\n2\nthree\nfour\nfive\nsix\n"),
        (lines(2, 3, "x\ny\nz"), "one\nx\ny\nz\nfour\nfive\nsix\n"),
        (lines(2, 3, ""), "one\nfour\nfive\nsix\n"),
        (lines(1, 0, "zero"), "zero\none\ntwo\nthree\nfour\nfive\nsix\n"),
        (lines(7, 6, "seven"), "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"),
        (lines(1, 6, "all\n"), "all\n"),
        (lines(3, 3, "$& \\1 %s"), "one\ntwo\n$& \\1 %s\nfour\nfive\nsix\n"),
    ],
)
def test_lines_are_replaced_inserted_and_deleted(edit: dict[str, object], after: str, tmp_path: Path) -> None:
    answer = apply_edits(make(tmp_path, {"a.txt": BEFORE}), edit)
    assert answer["success"] is True, answer
    assert tree(tmp_path)["a.txt"].decode() == after
    assert str(answer["diff"]).startswith("--- a/a.txt\n+++ b/a.txt\n@@ ")


def test_line_endings_and_a_missing_last_newline_stay(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.txt": b"one\r\ntwo\r\nthree"})
    assert apply_edits(workspace, lines(2, 2, "2\n2b", "two"), lines(3, 3, "3", "three"))["success"] is True
    assert tree(tmp_path)["a.txt"] == b"one\r\n2\r\n2b\r\n3"


OUT = {
    "overlapping": ([lines(1, 3, "x"), lines(3, 4, "y")], "overlapping-edits"),
    "the same twice": ([lines(2, 2, "x"), lines(2, 2, "y")], "overlapping-edits"),
    "an insertion inside": ([lines(1, 4, "x"), lines(3, 2, "y")], "overlapping-edits"),
    "reversed": ([lines(5, 2, "x")], "bad-request"),
    "beyond the end": ([lines(6, 7, "x")], "out-of-bounds"),
    "an insertion beyond the end": ([lines(9, 8, "x")], "out-of-bounds"),
    "before the start": ([lines(0, 1, "x")], "out-of-bounds"),
    "negative": ([lines(-2, -1, "x")], "out-of-bounds"),
    "one of several beyond": ([lines(1, 1, "x"), lines(99, 99, "y")], "out-of-bounds"),
}


@table(("edits", "kind"), OUT.values(), ids=OUT.keys())
def test_ranges_that_cannot_be_meant_are_refused_with_what_can(
    edits: list[dict[str, object]], kind: str, tmp_path: Path
) -> None:
    answer = apply_edits(make(tmp_path, {"a.txt": BEFORE}), *edits)
    assert (answer["success"], answer["kind"]) == (False, kind)
    assert answer["hint"]
    assert tree(tmp_path)["a.txt"] == BEFORE.encode()


def test_old_text_that_moved_is_reported_with_its_lines_now(tmp_path: Path) -> None:
    answer = apply_edits(make(tmp_path, {"a.txt": BEFORE}), lines(2, 3, "x", "four\nfive\n"))
    assert (answer["kind"], answer["details"]["now_at"]) == ("stale-source", [4])
    assert "lines 4 to 5" in answer["hint"]
    again = apply_edits(make(tmp_path, {}), lines(4, 5, "x", "four\nfive\n"))
    assert again["success"] is True


def test_lines_that_another_task_moved_are_reported_with_the_edit_to_send(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.txt": BEFORE})
    with workspace.task("mine") as mine, workspace.task("theirs") as theirs:
        mine.tools("coder").call("read_file", {"path": "a.txt"})
        assert apply_edits(theirs, lines(1, 0, "zero"))["success"] is True
        answer = apply_edits(mine, lines(2, 2, "2"))
        assert (answer["success"], answer["kind"]) == (False, "conflict")
        assert answer["details"]["corrected"] == lines(3, 3, "2", "two\n")
        assert apply_edits(mine, answer["details"]["corrected"])["success"] is True
    assert tree(tmp_path)["a.txt"] == b"zero\none\n2\nthree\nfour\nfive\nsix\n"


def test_a_refused_edit_is_counted_as_in_the_call(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.txt": BEFORE})
    answer = apply_edits(workspace, lines(1, 1, "1"), lines(5, 5, "x", "three"), lines(3, 3, "3"))
    assert answer["details"]["index"] == 1


def test_a_patch_that_would_be_right_is_offered_as_a_patch(tmp_path: Path) -> None:
    before = "def total(items):\n    result = 0\n    for item in items:\n        result += item.price\n"
    workspace = make(tmp_path, {"a.py": before})
    patch = "@@ -2,2 +2,2 @@\n-    results = 0\n-    for item in items:\n+    results = 1\n+    for item in things:\n"
    answer = write_patch(workspace, patch, "a.py")
    assert answer["reason"] == "drift-conflict"
    assert write_patch(workspace, answer["details"]["corrected"], "a.py")["success"] is True
    assert "for item in things" in tree(tmp_path)["a.py"].decode()


def test_a_hash_that_read_file_gave_is_taken_and_an_older_one_is_not(tmp_path: Path) -> None:
    kit = make(tmp_path, {"a.txt": BEFORE}).tools("coder")
    read = kit.call("read_file", {"path": "a.txt"})["fileHash"]
    arguments = {"path": "a.txt", "edits": [lines(2, 2, "2")], "expectedHash": read}
    done = kit.call("apply_edits", arguments)
    assert done["success"] is True
    assert done["fileHash"] == kit.call("read_file", {"path": "a.txt"})["fileHash"]
    assert kit.call("apply_edits", arguments)["kind"] == "stale-source"


def test_random_ranges_come_out_as_splices_of_a_list(tmp_path: Path) -> None:
    chance = random.Random(7)
    workspace = make(tmp_path, {"a.txt": BEFORE})
    for _ in range(60):
        text = (tmp_path / "a.txt").read_text().split("\n")[:-1]
        cuts = sorted(chance.sample(range(len(text) + 1), k=min(4, len(text) + 1)))
        spans = list(zip(cuts[::2], cuts[1::2], strict=False))
        new = [[f"{chance.random():.6f}" for _ in range(chance.randint(1, 3))] for _ in spans]
        expected = list(text)
        for (start, end), rows in reversed(list(zip(spans, new, strict=True))):
            expected[start:end] = rows
        edits = [
            lines(start + 1, end, "\n".join(rows), "\n".join(text[start:end]) if chance.random() < 0.5 else None)
            for (start, end), rows in zip(spans, new, strict=True)
        ]
        chance.shuffle(edits)
        answer = apply_edits(workspace, *edits)
        assert answer["success"] is True, answer
        now = (tmp_path / "a.txt").read_text().split("\n")[:-1]
        assert now == expected
        for edit, place in zip(edits, answer["edits"], strict=True):
            assert "\n".join(now[place["start"] - 1 : place["end"]]) == edit["newText"]
