"""Unified diffs are written as git and patch write them."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.errors import EditError, Kind
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source
from steadyhand.text.splice import Splice
from steadyhand.text.unified import changeset_from_unified, parse_unified, render_changes, render_unified
from tests.sampling import WHOLE
from tests.table import table

ROWS = [
    "a\n",
    "b\n",
    "\n",
    "c\r\n",
    "x\ry\n",
    "}\r\n",
    "-- z\n",
    "++ y\n",
    "\\ No\n",
    "é\x85\u2028q\n",
    "@@ -1 +1 @@\n",
    "d",
]
TEXT = st.lists(st.sampled_from(ROWS), max_size=20).map("".join)
HEAD = "--- a/x\n+++ b/x\n"

MALFORMED = [
    ("", 1),
    ("hello\n", 1),
    ("--- a/x\n", 2),
    ("--- a/x\n@@ -1 +1 @@\n-a\n+b\n", 2),
    (HEAD, 3),
    (HEAD + "a\n", 3),
    (HEAD + "@@ @@\n-a\n+b\n", 3),
    (HEAD + "@@ -1,2 +1 @@\n-a\n+b\n", 6),
    (HEAD + "@@ -1 +1,2 @@\n-a\n+b\n c\n", 6),
    (HEAD + "@@ -1 +1 @@\n-a\n+b\nrubbish\n", 6),
    (HEAD + "@@ -1,2 +1,2 @@\n-a\n+b\n\n", 6),
    (HEAD + "@@ -0 +1 @@\n-a\n+b\n", 3),
    (HEAD + "@@ -1 +2 @@\n-a\n+b\n", 3),
    (HEAD + "@@ -3 +3 @@\n-c\n+d\n@@ -1 +1 @@\n-a\n+b\n", 6),
    (HEAD + "@@ -1,2 +1,2 @@\n-a\n\\ No newline at end of file\n-b\n+c\n+d\n", 3),
    (HEAD + "@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", 6),
    (HEAD + f"@@ -{'9' * 5000} +1 @@\n-a\n+b\n", 3),
    ('--- "a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n', 1),
    ('--- "a/\\q"\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n', 1),
]


@table(("diff", "line"), MALFORMED, ids=[diff[:60] for diff, _ in MALFORMED])
def test_what_is_no_diff_of_one_file_is_refused_with_its_line(diff: str, line: int) -> None:
    with pytest.raises(EditError) as refusal:
        changeset_from_unified("a\nb\nc\n", diff)
    assert refusal.value.kind is Kind.MALFORMED_PATCH
    assert refusal.value.details["line"] == line


STALE = [
    ("A\n", HEAD + "@@ -1 +1 @@\n-a\n+b\n", 1),
    ("a\nX\nc\n", HEAD + "@@ -1,3 +1,3 @@\n a\n b\n-c\n+d\n", 2),
    ("x\na\n", HEAD + "@@ -1 +1 @@\n-a\n+b\n", 1),
    ("a\n", HEAD + "@@ -2 +2 @@\n-b\n+c\n", 2),
    ("a\n", HEAD + "@@ -9,0 +10 @@\n+b\n", 10),
    ("a", HEAD + "@@ -1 +1 @@\n-a\n+b\n", 1),
    ("a\r\n", HEAD + "@@ -1 +1 @@\n-a\n+b\n", 1),
    ("a\n", HEAD + "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", 1),
    ("a\nb\n", HEAD + "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n", 2),
    ("a", HEAD + "@@ -1,0 +2 @@\n+b\n", 1),
]


@table(("text", "diff", "line"), STALE, ids=[f"{text!r} {diff[16:40]!r}" for text, diff, _ in STALE])
def test_a_line_that_is_not_there_is_refused(text: str, diff: str, line: int) -> None:
    with pytest.raises(EditError) as refusal:
        changeset_from_unified(text, diff)
    assert refusal.value.kind is Kind.STALE_SOURCE
    assert refusal.value.details["line"] == line


@given(st.text(alphabet='-+@ \\ab\n0,1/"', max_size=60), st.booleans())
def test_any_text_is_a_diff_or_a_refusal(noise: str, headed: bool) -> None:
    refusal: Kind | None = None
    try:
        changeset_from_unified("a\nb\n", HEAD + noise if headed else noise)
    except EditError as error:
        refusal = error.kind
    assert refusal in (None, Kind.MALFORMED_PATCH, Kind.STALE_SOURCE)


@given(TEXT, TEXT, st.integers(0, 4))
def test_a_rendered_diff_reads_back(before: str, after: str, context: int) -> None:
    diff = render_unified(before, after, "x y", "x y", context=context)
    if before == after:
        assert diff == ""
        return
    assert changeset_from_unified(before, diff).apply(before) == after
    assert parse_unified(diff).path_before == "x y"


@given(TEXT, st.data())
def test_a_change_set_goes_to_a_diff_and_back(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    changes = ChangeSet.of([Splice(start, text[start:end], data.draw(TEXT))])
    diff = render_changes(changes.apply(text), changes, "x", "x")
    if diff:
        assert changeset_from_unified(text, diff).apply(text) == changes.apply(text)
    else:
        assert changes.apply(text) == text


@given(
    st.integers(0, 399),
    st.integers(0, 30),
    st.lists(st.sampled_from(["0", "1", "a", "b"]), max_size=5),
    st.sampled_from([1, 2, 5, 400]),
    st.integers(0, 4),
)
def test_the_neighbourhood_of_a_change_gives_the_same_diff_as_the_whole_text(
    row: int, count: int, new: list[str], period: int, context: int
) -> None:
    lines = [f"{number % period}\n" for number in range(400)]
    text = "".join(lines)
    start = sum(map(len, lines[:row]))
    changes = ChangeSet.of([Splice(start, "".join(lines[row : row + count]), "".join(f"{line}\n" for line in new))])
    after = changes.apply(text)
    assert render_changes(after, changes, "x", "x", context=context) == render_unified(
        text, after, "x", "x", context=context
    )


def test_the_text_of_a_diff() -> None:
    before = "".join(f"{number}\n" for number in range(1, 21))
    after = before.replace("3\n", "three\n", 1).replace("17\n", "", 1) + "end"
    assert render_unified(Source.of_text(before), Source.of_text(after), "n.txt", "n.txt") == (
        "--- a/n.txt\n+++ b/n.txt\n"
        "@@ -1,6 +1,6 @@\n 1\n 2\n-3\n+three\n 4\n 5\n 6\n"
        "@@ -14,7 +14,7 @@\n 14\n 15\n 16\n-17\n 18\n 19\n 20\n+end\n\\ No newline at end of file\n"
    )


def test_created_deleted_and_renamed_files_say_so() -> None:
    assert render_unified("", "a\n", None, "x") == (
        "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n"
    )
    assert render_unified("a\n", "", "x", None, mode="100755") == (
        "diff --git a/x b/x\ndeleted file mode 100755\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
    )
    assert render_unified("a\n", "a\n", "x", "y") == "diff --git a/x b/y\nrename from x\nrename to y\n"
    assert render_unified("", "", None, "x") == "diff --git a/x b/x\nnew file mode 100644\n"


NAMES = [
    "plain.txt",
    "two words.txt",
    " lead",
    "trail ",
    'quo"te',
    "back\\slash",
    "tab\tx",
    "line\nx",
    "ümlaut",
    "d e/f",
    "\x01\x7f",
]


@table("name", [*NAMES, "byte\udce9"], ids=ascii)
def test_names_read_back(name: str) -> None:
    for before, after in ((name, name), (None, name), (name, None), (name, f"{name}2")):
        read = parse_unified(render_unified("a\n" if before else "", "b\n" if after else "", before, after))
        assert (read.path_before, read.path_after) == (before, after)
    for before, after in ((None, name), (name, None), (name, f"{name}2")):
        read = parse_unified(render_unified("", "", before, after))
        assert (read.path_before, read.path_after) == (before, after)


def test_a_diff_of_git_reads_back(tmp_path: Path) -> None:
    before, after = "a\r\nb\nc\n" * 9, "a\r\nb\nc\n" * 4 + "new\nc" * 3
    (tmp_path / "old").write_bytes(before.encode())
    (tmp_path / "new").write_bytes(after.encode())
    command = ["git", "diff", "--no-index", "--no-color", "old", "new"]
    diff = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).stdout.decode()
    assert changeset_from_unified(before, diff).apply(before) == after
    assert parse_unified(diff).path_after == "new"


def versions(chance: random.Random) -> tuple[str, str]:
    before = "".join(chance.choices(ROWS, k=chance.randrange(25)))
    rows = before.split("\n")
    for _ in range(chance.randrange(1, 5)):
        at = chance.randrange(len(rows) + 1)
        rows[at : at + chance.randrange(2)] = chance.choices(["new\r", "", "é", "b"], k=chance.randrange(3))
    return before, "\n".join(rows)


TOOLS = {"git": ["git", "apply", "--whitespace=nowarn", "-"], "patch": ["patch", "-p1", "--binary", "-s"]}


@pytest.mark.sampled
@table("tool", TOOLS)
@table("kind", ["edit", "create", "delete", "rename"])
def test_git_and_patch_make_the_same_file(tool: str, kind: str, tmp_path: Path) -> None:
    chance = random.Random(f"{tool} {kind}")
    for number in range(25 if WHOLE else 6):
        before, after = versions(chance)
        name = NAMES[number % len(NAMES)]
        old, new = {
            "edit": (name, name),
            "create": (None, name),
            "delete": (name, None),
            "rename": (name, f"{name}2"),
        }[kind]
        before, after = ("" if old is None else before), ("" if new is None else after)
        diff = render_unified(before, after, old, new)
        if not diff or (kind == "delete" and not before):
            continue  # patch cannot delete an empty file
        folder = tmp_path / str(number)
        folder.mkdir()
        if old:
            (folder / old).parent.mkdir(exist_ok=True)
            (folder / old).write_bytes(before.encode())
        # Outside any repository, git apply works on plain files.
        done = subprocess.run(TOOLS[tool], input=diff.encode(), cwd=folder, capture_output=True, check=False)
        assert done.returncode == 0, (done.stdout, done.stderr, diff)
        if new:
            assert (folder / new).read_bytes() == after.encode()
        if old != new:
            assert old is None or not (folder / old).exists()


def test_what_differs_in_nothing_has_no_header_even_for_git() -> None:
    assert render_unified("a\n", "a\n", "x", "x", git=True) == ""
    assert render_unified("a\n", "a\n", "x", "x", git=True, mode_before=0o644, mode_after=0o644) == ""
    assert render_unified("a\n", "a\n", "x", "x", git=True, mode_before=0o644) == ""
    assert render_changes("a\n", ChangeSet(), "x", "x", git=True) == ""


def test_modes_and_the_header_of_git() -> None:
    edited = ChangeSet.of([Splice(0, "a", "b")])
    plain = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
    modes = "old mode 100644\nnew mode 100755\n"
    assert render_changes("b\n", edited, "x", "x", git=True) == f"diff --git a/x b/x\n{plain}"
    assert render_unified("a\n", "b\n", "x", "x", git=True) == f"diff --git a/x b/x\n{plain}"
    changed = render_changes("b\n", edited, "x", "x", mode_before=0o644, mode_after=0o755)
    assert changed == f"diff --git a/x b/x\n{modes}{plain}"
    assert render_unified("", "", "x", "x", mode_before=0o644, mode_after=0o100755) == f"diff --git a/x b/x\n{modes}"
    moved = render_unified("", "", "x", "y", mode_before=0o644, mode_after=0o755)
    assert moved == f"diff --git a/x b/y\n{modes}rename from x\nrename to y\n"
    assert render_unified("", "", None, "x", mode_after=0o755) == "diff --git a/x b/x\nnew file mode 100755\n"
    assert render_unified("", "", "x", None, mode_before=0o600) == "diff --git a/x b/x\ndeleted file mode 100600\n"


def test_git_applies_several_diffs_in_any_order(tmp_path: Path) -> None:
    before = {"edited": "a\nb\n", "gone": "x\n", "gone empty": "", "old": "r\n", "moded": "m\n", "both": "k\n"}
    diffs = [
        render_unified("a\nb\n", "a\nc\n", "edited", "edited", git=True),
        render_changes("l\n", ChangeSet.of([Splice(0, "k", "l")]), "both", "both", mode_before=0o644, mode_after=0o755),
        render_unified("", "", "moded", "moded", git=True, mode_before=0o644, mode_after=0o755),
        render_unified("r\n", "r\n", "old", "new name", git=True),
        render_unified("", "", None, "empty", git=True, mode_after=0o644),
        render_unified("", "run\n", None, "script", git=True, mode_after=0o755),
        render_unified("x\n", "", "gone", None, git=True, mode_before=0o644),
        render_unified("", "", "gone empty", None, git=True, mode_before=0o644),
    ]
    chance = random.Random(2)
    orders = [diffs, diffs[::-1], *(chance.sample(diffs, len(diffs)) for _ in range(10))]
    for number, order in enumerate(orders):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, text in before.items():
            (folder / name).write_text(text)
        command = ["git", "apply", "-"]
        done = subprocess.run(command, input="".join(order).encode(), cwd=folder, capture_output=True, check=False)
        assert done.returncode == 0, (done.stderr, order)
        after = {path.name: path.read_text() for path in folder.iterdir()}
        assert after == {
            "edited": "a\nc\n",
            "both": "l\n",
            "moded": "m\n",
            "new name": "r\n",
            "empty": "",
            "script": "run\n",
        }
        runnable = {path.name for path in folder.iterdir() if path.stat().st_mode & 0o100}
        assert runnable == {"both", "moded", "script"}


@table("name", NAMES, ids=ascii)
def test_diffs_with_modes_read_back(name: str) -> None:
    diff = render_unified("a\n", "b\n", name, name, git=True, mode_before=0o644, mode_after=0o755)
    assert changeset_from_unified("a\n", diff).apply("a\n") == "b\n"
    assert parse_unified(diff).path_after == name
