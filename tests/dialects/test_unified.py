"""Unified diffs as git, diff and models write them: what is read, what is left out, what is refused.

What must not be read, or not so, comes first.
"""

from __future__ import annotations

import random
import sys
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.dialects.dialect import Change
from steadyhand.dialects.formats.unified import DIALECT, UnifiedReader
from steadyhand.dialects.reply import Splitter, split_reply
from steadyhand.dialects.unified.section import EMPTY
from steadyhand.errors import EditError, Kind
from steadyhand.plan.edit import Old, Replace
from steadyhand.plan.request import (
    ChangeMode,
    CopyFile,
    CreateFile,
    DeleteFile,
    EditFile,
    FileRequest,
    RenameFile,
)
from steadyhand.text.diff import Change as RowChange
from tests.dialects.unified_requests import applied, read, requests
from tests.sampling import examples
from tests.table import table

NAMES = "--- a/x.py\n+++ b/x.py\n"
SMALL = NAMES + "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
FILE = "a\nb\nc\n"


def edits(reply: str) -> list[tuple[str, str, int | None]]:
    """Old text, new text and line of every edit."""
    found = []
    for request in requests(reply):
        assert isinstance(request, EditFile)
        for edit in request.edits:
            assert isinstance(edit, Replace)
            assert isinstance(edit.target, Old)
            assert edit.target.fit == "lines"
            found.append((edit.target.text, edit.new, edit.target.line))
    return found


def alternatives(reply: str) -> list[tuple[str, str]]:
    (request,) = requests(reply)
    assert isinstance(request, EditFile)
    (edit,) = request.edits
    assert isinstance(edit, Replace)
    return [(alternative.old, alternative.new) for alternative in edit.alternatives]


def refusal(reply: str) -> EditError:
    with pytest.raises(EditError) as raised:
        read(reply)
    assert raised.value.kind is Kind.MALFORMED_PATCH
    assert raised.value.details["format"] == "unified"
    return raised.value


def notes(reply: str) -> list[tuple[int, str]]:
    return [(note.line, note.what) for note in read(reply)[1]]


NOT_A_DIFF = {
    "nothing": "",
    "prose": "I would change the loop.\n\n- first this\n- then that\n+ and more\n",
    "rules": "---\ntitle: x\n---\n\ntext\n---\n",
    "a rule with words": "--- below the line ---\nmore\n",
    "code": "```python\nx = 1\n-y\n+z\n```\n",
    "class variables": "class A\n  @@count = 0\n@@total = 1\n@@\n",
    "an envelope": "*** Begin Patch\n*** Update File: x\n@@ def f():\n a\n-b\n+c\n*** End Patch\n",
    "an envelope with numbers": "*** Begin Patch\n*** Update File: x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n*** End Patch\n",
    "search and replace": "x.py\n```diff\n<<<<<<< SEARCH\n-a\n=======\n+b\n>>>>>>> REPLACE\n```\n",
    "search and replace of another kind": "```diff\n------- SEARCH\n-a\n=======\n+b\n+++++++ REPLACE\n```\n",
    "context only, without a header": "```diff\n a\n b\n```\n",
    "a header of git alone": "diff --git a/x b/x\nindex 1234567..89abcde 100644\n",
    "json": '{"edits": [{"range": {"start": 1, "end": 1}, "newText": "-a"}]}\n',
}


@table("reply", NOT_A_DIFF.values(), ids=NOT_A_DIFF)
def test_what_is_no_diff_gives_nothing_and_refuses_nothing(reply: str) -> None:
    assert requests(reply) == []


REFUSED = {
    "binary files differ": ("diff --git a/x.png b/x.png\nBinary files a/x.png and b/x.png differ\n", 2, "binary"),
    "binary files of diff": ("Binary files a/x and b/x differ\n", 1, "binary"),
    "a binary patch": ("diff --git a/x b/x\nindex 1..2\nGIT binary patch\nliteral 3\nzcmV\n", 3, "binary"),
    "a merge": ("diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,1 @@@\n++a\n", 1, "combined"),
    "a merge, bare": ("@@@ -1,1 -1,1 +1,1 @@@\n++a\n", 1, "combined"),
    "a symbolic link": ("diff --git a/x b/x\nnew file mode 120000\n", 2, "symbolic link"),
    "a changed link": ("diff --git a/x b/x\nindex 1234567..89abcde 120000\n" + SMALL, 2, "symbolic link"),
    "a submodule": ("diff --git a/x b/x\nindex 1234567..89abcde 160000\n" + SMALL, 2, "submodule"),
    "names and nothing": (NAMES, 2, "no hunk follows"),
    "names and prose": (NAMES + "\nThat is it.\n", 2, "no hunk follows"),
    "names and names": (NAMES + SMALL, 2, "no hunk follows"),
    "names in a fence": (f"```diff\n{NAMES}```\n", 3, "no hunk follows"),
    "a header and nothing": (NAMES + "@@ -1,3 +1,3 @@\n", 3, "no lines follow"),
    "a name in broken quotes": ('--- "a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n', 1, "name"),
    "a copy of what was changed": (
        SMALL + "diff --git a/x.py b/y.py\nsimilarity index 100%\ncopy from x.py\ncopy to y.py\n",
        8,
        "the copy is made from x.py before the change",
    ),
    "half a rename": ("diff --git a/x b/y\nrename from x\n" + SMALL, 2, "both names"),
    "a mode of no file": ("diff --git a/my x b/x\nold mode 100644\nnew mode 100755\n", 1, "name"),
    "no mode": ("diff --git a/x b/x\nold mode 100644\nnew mode rwx\n", 3, "not a mode"),
    "context in a new file": ("--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n a\n+b\n", 3, "no + in front"),
    "an unsigned line in a new file": ("--- /dev/null\n+++ b/x\n@@ -0,0 +1,3 @@\n+a\nb\n+c\n", 3, "no + in front"),
    "two hunks of a new file": ("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n@@ -0,0 +2 @@\n+b\n", 5, "one hunk"),
    "rows after the closing fence": (
        f"```diff\n{NAMES}@@ -1,9 +1,9 @@\n a\n-b\n+B\n```\n c\n-d\n+D\n```\n",
        10,
        "no hunk",
    ),
    "rows behind prose": (SMALL + "so far\n\nfoo()\n-    bar()\n", 11, "no hunk"),
    "the same hunk again": (NAMES + "@@ -2 +2 @@\n-b\n+B\n@@ -2 +2 @@\n-b\n+B\n", 6, "the same hunk"),
    "rows after the end": (NAMES + "@@ -1,2 +1,2 @@\n a\n+B\n\\ No newline at end of file\n+C\n", 7, "end of the file"),
}


@table(("reply", "line", "what"), REFUSED.values(), ids=REFUSED)
def test_a_diff_that_makes_no_sense_is_refused_with_its_place(reply: str, line: int, what: str) -> None:
    error = refusal(reply)
    assert (error.details["line"], what in error.message, error.hint != "") == (line, True, True)
    assert f"line {line}, column {error.details['column']} of the reply" in error.message


def test_a_fence_with_a_sign_is_content() -> None:
    markdown = NAMES + "@@ -1,3 +1,3 @@\n ```diff\n-old\n+new\n ```\n"
    assert edits(f"```diff\n{markdown}```\n") == edits(markdown) == [("```diff\nold\n```\n", "```diff\nnew\n```\n", 1)]


def test_marks_of_other_formats_with_a_sign_are_content() -> None:
    body = " *** End Patch\n-</patch>\n+<<<<<<< SEARCH\n @@ -1 +1 @@\n-diff --git a/x b/x\n+EOF\n --\n"
    wrapped = f"<patch>\ncat <<'EOF'\n{NAMES}@@ -1,5 +1,5 @@\n{body}EOF\n</patch>\n"
    assert edits(wrapped) == [
        (
            "*** End Patch\n</patch>\n@@ -1 +1 @@\ndiff --git a/x b/x\n--\n",
            "*** End Patch\n<<<<<<< SEARCH\n@@ -1 +1 @@\nEOF\n--\n",
            1,
        )
    ]


def test_removed_lines_that_look_like_names_are_rows_where_they_are_counted() -> None:
    body = "--- a/y.py\n+++ b/y.py\n"
    assert edits(f"{NAMES}@@ -1,2 +1,2 @@\n a\n{body}@@ -7 +7 @@\n-g\n+h\n") == [
        ("a\n-- a/y.py\n", "a\n++ b/y.py\n", 1),
        ("g\n", "h\n", 7),
    ]
    assert [r.path for r in requests(f"{SMALL}{body}@@ -1 +1 @@\n-q\n+r\n")] == ["x.py", "y.py"]


def test_counts_one_too_high_do_not_take_in_the_next_names() -> None:
    reply = f"{NAMES}@@ -5,4 +5,4 @@\n a\n-b\n+B\n c\n--- a/y.py\n+++ b/y.py\n@@ -1 +1 @@\n-q\n+r\n"
    assert [(request.path) for request in requests(reply)] == ["x.py", "y.py"]
    assert edits(reply)[0] == ("a\nb\nc\n", "a\nB\nc\n", 5)


def test_names_after_wrong_counts_are_names() -> None:
    for counts in ("-1,9 +1,9", "-1,2 +1,2"):
        reply = f"{NAMES}@@ {counts} @@\n a\n-b\n+B\n c\n--- y.py\n+++ y.py\n@@ @@\n-q\n+r\n"
        assert [request.path for request in requests(reply)] == ["x.py", "y.py"]


def test_a_signature_is_no_deletion() -> None:
    for header in ("@@ -1,3 +1,3 @@", "@@ -1,9 +1,9 @@", "@@"):
        for signature in ("-- \n2.43.0\n\n", "--\n2.39.5 (Apple Git-154)\n", "-- \n2.43.0.windows.1\n"):
            assert edits(f"{NAMES}{header}\n a\n-b\n+B\n c\n{signature}")[0][0] == FILE


def test_a_deleted_dash_is_a_deletion() -> None:
    assert edits(NAMES + "@@ -1,2 +1 @@\n a\n--\n")[0][:2] == ("a\n-\n", "a\n")
    assert edits(NAMES + "@@ -1,2 +1,2 @@\n a\n-- \n+x\n")[0][:2] == ("a\n- \n", "a\nx\n")
    assert ("a\n- ", "a\nx\n") in alternatives(NAMES + "@@\n a\n-- \n\\ No newline at end of file\n+x\n")


def test_a_blank_behind_counts_that_are_too_high_is_not_added() -> None:
    assert edits(NAMES + "@@ -1,2 +1,4 @@\n a\n+x\n c\n\nDone.\n")[0][1] == "a\nx\nc\n\nDone.\n"
    assert ("a\nc\n", "a\nx\nc\n") in alternatives(NAMES + "@@ -1,2 +1,4 @@\n a\n+x\n c\n\nDone.\n")


NOT_ADDED = {
    "counts that agree": ("-1,3 +1,4", " a\n+x\n\n c\n", "a\n\nc\n"),
    "counts that no reading meets": ("-1,9 +1,9", " a\n+x\n\n c\n", "a\n\nc\n"),
    "counts that some of the empty lines meet": ("-1,4 +1,6", " a\n\n b\n+x\n\n c\n", "a\n\nb\n\nc\n"),
    "counts of one side": ("-1,2", " a\n+x\n\n c\n", "a\n\nc\n"),
    "no counts": ("...", " a\n+x\n\n c\n", "a\n\nc\n"),
    "an empty line at the end": ("-1,2 +1,4", " a\n+x\n c\n\n", "a\nc\n\n"),
    "an empty line at the beginning": ("-1,2 +1,4", "\n a\n+x\n c\n", "\na\nc\n"),
    "text without a sign beside": ("-1,2 +1,4", " a\n+x\n\nc\n", "a\n\nc\n"),
    "a row behind the counts": ("-1,2 +1,4", " a\n+x\n\n c\n d\n", "a\n\nc\nd\n"),
    "a line of blanks": ("-1,2 +1,4", " a\n+x\n \n c\n", "a\n\nc\n"),
    "nothing else that changes": ("-1,2 +1,3", " a\n\n c\n", "a\n\nc\n"),
}


@table(("ranges", "rows", "old"), NOT_ADDED.values(), ids=NOT_ADDED)
def test_an_empty_line_that_the_counts_do_not_prove_to_come_is_one_that_stays(ranges: str, rows: str, old: str) -> None:
    reply = f"{NAMES}@@ {ranges} @@\n{rows}"
    assert edits(reply)[0][0] == old
    assert not any("counts of the hunk require" in what for _, what in notes(reply))


def test_empty_lines_that_must_come_to_meet_the_counts_have_lost_their_sign() -> None:
    reply = NAMES + "@@ -1,4 +1,7 @@\n a\n b\n+x\n\n\n c\n d\n"
    for whole in (reply, f"```diff\n{reply}```\n", reply + "\nDone.\n", reply + "@@ -9 +12 @@\n-q\n+r\n"):
        assert edits(whole)[0] == ("a\nb\nc\nd\n", "a\nb\nx\n\n\nc\nd\n", 1)
    assert notes(reply) == [(7, "an empty line that the counts of the hunk require")]
    assert applied({"x.py": "a\nb\nc\nd\n"}, reply) == {"x.py": "a\nb\nx\n\n\nc\nd\n"}
    assert edits(NAMES + "@@ -1,3 +1,3 @@\n a\n-b\n\n c\n")[0][:2] == ("a\nb\nc\n", "a\n\nc\n")
    assert edits((NAMES + "@@ -1,2 +1,4 @@\n a\n+x\n\n c\n").replace("\n", "\r\n"))[0][1] == "a\nx\n\nc\n"


def test_an_empty_line_that_comes_by_the_counts_stays_where_the_file_has_it() -> None:
    reply = NAMES + "@@ -1,3 +1,5 @@\n a\n\n b\n+x\n c\n"
    assert ("a\n\nb\nc\n", "a\n\nb\nx\nc\n") in alternatives(reply)
    assert applied({"x.py": "a\n\nb\nc\n"}, reply) == {"x.py": "a\n\nb\nx\nc\n"}
    assert applied({"x.py": "a\nb\nc\n"}, reply) == {"x.py": "a\n\nb\nx\nc\n"}


@given(st.lists(st.sampled_from(["+", "+x", "-"]), max_size=8), st.lists(st.sampled_from(["+", "+y"]), max_size=4))
def test_signs_lost_in_front_of_empty_lines_make_no_difference_to_true_counts(
    first: list[str], then: list[str]
) -> None:
    kept = iter(f"line {number}" for number in range(99))
    middle = [f"-{next(kept)}" if row == "-" else row for row in first]
    rows = [f" {next(kept)}", "+new", *middle, f" {next(kept)}", *then, f" {next(kept)}"]
    before = [row[1:] + "\n" for row in rows if row[0] != "+"]
    after = [row[1:] + "\n" for row in rows if row[0] != "-"]
    body = "".join(("" if row == "+" else row) + "\n" for row in rows)
    reply = f"{NAMES}@@ -1,{len(before)} +1,{len(after)} @@\n{body}"
    assert applied({"x.py": "".join(before)}, reply) == {"x.py": "".join(after)}


def test_a_hunk_is_not_cut_where_its_counts_are_too_low() -> None:
    for body in (" a\n-b\n+B\n c\n-d\n+D\n", " a\n-b\n+B\n c\n\n-d\n+D\n", "a\n-b\n+B\nc\nx\n-d\n+D\n"):
        ((old, new, _),) = edits(f"{NAMES}@@ -1,3 +1,3 @@\n{body}")
        assert (old.endswith("d\n"), new.endswith("D\n")) == (True, True)


def test_a_new_name_in_a_section_without_rows_is_not_taken_for_rows() -> None:
    assert requests("diff --git a/o b/n\nsimilarity index 100%\nrename from o\nrename to n\n" + SMALL)[0] == RenameFile(
        "o", "n"
    )


FORMS = {
    "classic": SMALL,
    "names without a/ b/": SMALL.replace("a/", "").replace("b/", ""),
    "other prefixes": SMALL.replace("a/x", "i/x").replace("b/x", "w/x"),
    "two folders": SMALL.replace("a/x", "old-1.0/x").replace("b/x", "new-1.1/x"),
    "a backup before": "--- x.py.orig\t2024-01-01 10:00:00.000000000 +0000\n+++ x.py\n" + SMALL[len(NAMES) :],
    "timestamps": SMALL.replace("x.py\n", "x.py\t2024-01-01 10:00:00.000000000 +0100\n"),
    "timestamps with blanks": SMALL.replace("x.py\n", "x.py   2024-01-01 10:00:00 +0100\n"),
    "no name after": SMALL.replace("+++ b/x.py\n", ""),
    "no name before": SMALL.replace("--- a/x.py\n", ""),
    "git": "diff --git a/x.py b/x.py\nindex 83db48f..bf269f4 100644\n" + SMALL,
    "git without names": "diff --git a/x.py b/x.py\n" + SMALL[len(NAMES) :],
    "git without index": "diff --git a/x.py b/x.py\n" + SMALL,
    "diff -u": "diff -u a/x.py b/x.py\n" + SMALL,
    "diff -r": "diff -r -u old/x.py new/x.py\n" + SMALL + "Only in new: y.py\n",
    "mercurial": "diff -r 1234567890ab x.py\n" + SMALL.replace("x.py\n", "x.py\tThu Jan 01 12:00:00 2024 +0000\n"),
    "subversion": "Index: x.py\n" + "=" * 67 + "\n"
    "--- x.py\t(revision 12)\n+++ x.py\t(working copy)\n" + SMALL[len(NAMES) :],
    "subversion without tabs": "Index: x.py\n" + "=" * 67 + "\n"
    "--- x.py (revision 12)\n+++ x.py (working copy)\n" + SMALL[len(NAMES) :],
    "a blank line below the names": SMALL.replace("@@ -1", "\n@@ -1"),
    "a section": SMALL.replace("@@\n", "@@ def f():\n"),
    "one side one line": NAMES + "@@ -1 +1 @@\n a\n-b\n+B\n c\n",
    "numbers wrong": SMALL.replace("-1,3 +1,3", "-100,3 +200,3"),
    "counts too high": SMALL.replace("-1,3 +1,3", "-1,7 +1,9"),
    "counts too low": SMALL.replace("-1,3 +1,3", "-1,2 +1,2"),
    "counts of nothing": SMALL.replace("-1,3 +1,3", "-1,0 +1,0"),
    "counts of one side": SMALL.replace("-1,3 +1,3", "-1,3 +1"),
    "@@": SMALL.replace("@@ -1,3 +1,3 @@", "@@"),
    "@@ @@": SMALL.replace("@@ -1,3 +1,3 @@", "@@ @@"),
    "@@ ... @@": SMALL.replace("@@ -1,3 +1,3 @@", "@@ ... @@"),
    "@@ with text": SMALL.replace("@@ -1,3 +1,3 @@", "@@ def f():"),
    "@@ with one number": SMALL.replace("@@ -1,3 +1,3 @@", "@@ -12 @@"),
    "@@ not closed": SMALL.replace("@@ -1,3 +1,3 @@", "@@ -1,3 +1,3"),
    "@@ without blanks": SMALL.replace("@@ -1,3 +1,3 @@", "@@-1,3 +1,3@@"),
    "no @@": SMALL.replace("@@ -1,3 +1,3 @@\n", ""),
    "no newline at its own end": SMALL.rstrip("\n"),
    "CR LF of the transport": SMALL.replace("\n", "\r\n"),
    "a fence": f"```diff\n{SMALL}```\n",
    "a fence with tildes": f"~~~\n{SMALL}~~~\n",
    "a longer fence": f"````\n{SMALL}````\n",
    "a fence that is not closed": f"```diff\n{SMALL}",
    "a fence in a list": "1. Do this:\n\n   ```diff\n"
    + SMALL.replace("\n", "\n   ").removesuffix("   ").join(["   ", ""])
    + "   ```\n",
    "a closing fence alone": SMALL + "```\n",
    "a fence and prose": f"Here:\n\n```diff\n{SMALL}```\n\nThis should fix it.\n- it is\n-v is a flag\n",
    "prose": f"Here is the change to `x.py`:\n\n{SMALL}\nThis should fix the issue. Let me know.\n",
    "prose without a blank line": f"Here:\n{SMALL}This should fix the issue.\n",
    "prose with a list": f"{SMALL}\n- it now works\n- `b` is gone\n",
    "a tag behind": SMALL + "</tool_call>\n",
    "tags": f"<tool_call>\n{SMALL}</tool_call>\n",
    "tags of its own": f"<my_patch>\n{SMALL}</my_patch>\n",
    "tokens": f"<|tool_call_begin|>\n{SMALL}<|tool_call_end|>\n",
    "a heredoc": f"git apply <<'EOF'\n{SMALL}EOF\n",
    "a heredoc without quotes": f"patch -p1 << PATCH\n{SMALL}PATCH\n",
    "an envelope around": f"*** Begin Patch\n{SMALL}*** End Patch\n",
    "a stray end of an envelope": SMALL + "*** End Patch\n",
    "a hunk without rows before": SMALL.replace("@@ -1,3", "@@ -1,1 +1,1 @@\n@@ -1,3"),
    "a hunk that changes nothing before": SMALL.replace("@@ -1,3", "@@ -1,1 +1,1 @@\n a\n@@ -1,3"),
    "a hunk that replaces by the same": SMALL.replace("@@ -1,3", "@@ -1,1 +1,1 @@\n-a\n+a\n@@ -1,3"),
    "a mail": "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nFrom: A <a@b.c>\n"
    "Date: Mon, 1 Jan 2024 10:00:00 +0000\nSubject: [PATCH] x: better\n\n- a list\n\n"
    "```\n-code\n```\n---\n x.py | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n"
    f"diff --git a/x.py b/x.py\nindex 83db48f..bf269f4 100644\n{SMALL}-- \n2.43.0\n\n",
    "a commit": f"commit 0123456789ab\nAuthor: A <a@b>\n\n    better\n    -old\n\ndiff --git a/x.py b/x.py\n{SMALL}",
}


@table("reply", FORMS.values(), ids=FORMS)
def test_every_form_gives_the_file_after(reply: str) -> None:
    assert applied({"x.py": FILE}, reply) == {"x.py": "a\nB\nc\n"}


BARE = {
    "a hunk": ("@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", ""),
    "a hunk in a fence": ("```diff\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n```\n", ""),
    "a hunk without numbers": ("@@ ... @@\n a\n-b\n+B\n c\n", ""),
    "rows in a fence for diffs": ("```diff\n a\n-b\n+B\n c\n```\n", ""),
    "rows below a label": ("### `x.py`\n\n```diff\n a\n-b\n+B\n c\n```\n", "x.py"),
    "rows below a label in the fence": ("```diff\nx.py\n a\n-b\n+B\n c\n```\n", "x.py"),
    "a hunk below a label": ("**x.py**\n```diff\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n```\n", "x.py"),
    "a fence that names the file": ("```diff x.py\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n```\n", "x.py"),
    "below Index": ("Index: x.py\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", "x.py"),
    "below a git line that cannot be read": ("diff --git a/my x.py b/your x.py\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", ""),
}


@table(("reply", "path"), BARE.values(), ids=BARE)
def test_rows_without_names_have_the_path_that_is_above_them_or_none(reply: str, path: str) -> None:
    assert [request.path for request in requests(reply)] == [path]
    assert edits(reply)[0][:2] == ("a\nb\nc\n", "a\nB\nc\n")


def test_the_name_of_a_file_ends_with_its_fence() -> None:
    reply = f"```diff\n{SMALL}```\nAnd:\n```diff\n@@ -9 +9 @@\n-q\n+r\n```\n"
    assert [request.path for request in requests(reply)] == ["x.py", ""]


def test_a_label_between_hunks_names_another_file_and_prose_does_not() -> None:
    hunk = "@@ -9 +9 @@\n-q\n+r\n"
    assert [request.path for request in requests(f"`x.py`:\n{SMALL}\nAnd also:\n\n{hunk}")] == ["x.py", "x.py"]
    assert [request.path for request in requests(f"{SMALL}\n**y.py**\n\n{hunk}")] == ["x.py", "y.py"]
    assert [request.path for request in requests(f"**y.py**\n\n{hunk}{hunk.replace('9', '12')}")] == ["y.py", "y.py"]


def test_several_fences_are_one_patch() -> None:
    other = SMALL.replace("x.py", "y.py")
    assert [request.path for request in requests(f"```diff\n{SMALL}```\nand\n```diff\n{other}```\n")] == [
        "x.py",
        "y.py",
    ]
    assert len(requests("```diff\n-a\n+b\n```\nand\n```diff\n-c\n+d\n```\n")) == 2


def test_line_is_where_the_header_says() -> None:
    assert [line for *_, line in edits(NAMES + "@@ -7,1 +7,1 @@\n-a\n+b\n@@ -9,0 +9,1 @@\n+c\n@@\n-d\n+e\n")] == [
        7,
        10,
        None,
    ]


def test_lines_without_a_sign_are_kept_and_may_be_left_out() -> None:
    reply = NAMES + "@@ -1,9 +1,9 @@\n a\n-b\n+B\nc\nThat is all.\n"
    assert edits(reply) == [("a\nb\nc\nThat is all.\n", "a\nB\nc\nThat is all.\n", 1)]
    assert ("a\nb\n", "a\nB\n") in alternatives(reply)
    assert applied({"x.py": FILE}, reply) == {"x.py": "a\nB\nc\n"}
    assert notes(reply) == [(7, "a line without a sign")]


def test_blank_context_may_lack_its_blank() -> None:
    assert applied({"x.py": "a\n\nb\n\nc\n"}, NAMES + "@@ -1,5 +1,5 @@\n a\n\n-b\n+B\n\n c\n") == {
        "x.py": "a\n\nB\n\nc\n"
    }


def test_a_blank_line_that_comes_may_lack_its_sign_where_rows_are_counted() -> None:
    assert edits(NAMES + "@@ -1 +1,4 @@\n a\n+b\n\n+c\n")[0][1] == "a\nb\n\nc\n"
    assert requests("--- /dev/null\n+++ b/x\n@@ -0,0 +1,3 @@\n+a\n\n+c\n") == [CreateFile("x", "a\n\nc\n")]


def test_tabs_without_a_sign_are_content() -> None:
    assert applied({"x": "\ta\n\tb\n"}, "--- x\n+++ x\n@@ -1,2 +1,2 @@\n\ta\n-\tb\n+\tB\n") == {"x": "\ta\n\tB\n"}


NEWLINES = {
    "both sides": (" a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n", "a\nb", "a\nc"),
    "before": (" a\n-b\n\\ No newline at end of file\n+b\n", "a\nb", "a\nb\n"),
    "before, and the file has one": (" a\n-b\n\\ No newline at end of file\n+c\n", "a\nb\n", "a\nc\n"),
    "before, and the file ends with CR LF": ("-b\n\\ No newline at end of file\n+c\n", "a\r\nb\r\n", "a\r\nc\r\n"),
    "a line that goes, and the file has one": (" a\n-b\n\\ No newline at end of file\n", "a\nb\n", "a\n"),
    "after": (" a\n-b\n+b\n\\ No newline at end of file\n", "a\nb\n", "a\nb"),
    "context": ("-a\n+A\n b\n\\ No newline at end of file\n", "a\nb", "A\nb"),
    "translated": (" a\n-b\n\\ Kein Zeilenumbruch am Dateiende.\n+c\n\\ Pas de fin de ligne\n", "a\nb", "a\nc"),
    "abbreviated": (" a\n-b\n\\ No newline\n+c\n\\ No newline\n", "a\nb", "a\nc"),
    "without its blank": (" a\n-b\n\\No newline at end of file\n+c\n\\No newline at end of file\n", "a\nb", "a\nc"),
    "more behind the last line": (" a\n b\n\\ No newline at end of file\n+c\n", "a\nb", "a\nb\nc\n"),
    "CR LF in the file": ("-a\r\n+A\r\n b\r\n\\ No newline at end of file\n", "a\r\nb\r", "A\r\nb\r"),
}


@table(("rows", "before", "after"), NEWLINES.values(), ids=NEWLINES)
def test_the_end_of_the_file_is_as_the_diff_says(rows: str, before: str, after: str) -> None:
    for header in ("@@ -1,2 +1,2 @@", "@@", "@@ -1,9 +1,9 @@"):
        assert applied({"x.py": before}, f"{NAMES}{header}\n{rows}") == {"x.py": after}


def test_a_line_that_begins_with_a_backslash_may_have_lost_its_sign() -> None:
    reply = "--- x\n+++ x\n@@ -1,2 +1,2 @@\n\\section{A}\n-b\n+B\n"
    assert applied({"x": "\\section{A}\nb\n"}, reply) == {"x": "\\section{A}\nB\n"}


def test_the_cr_of_content_is_kept_and_that_of_the_transport_is_not() -> None:
    body = "@@ -1 +1 @@\n-a\r\n+b\r\n"
    assert edits(NAMES + body) == [("a\r\n", "b\r\n", 1)]
    assert edits((NAMES + body).replace("\r", "").replace("\n", "\r\n")) == [("a\n", "b\n", 1)]
    assert edits((NAMES + body).replace("\n", "\r\n")) == [("a\r\n", "b\r\n", 1)]


def whole(old: str, new: str, before: int, after: int) -> Replace:
    """The edit of a hunk that changes all of its lines."""
    return Replace(Old(old, line=1, fit="lines"), new, signs=(RowChange(0, before, 0, after),))


GIT = {
    "a new file": (
        "diff --git a/n.sh b/n.sh\nnew file mode 100755\n--- /dev/null\n+++ b/n.sh\n@@ -0,0 +1,2 @@\n+a\n+b\n",
        [CreateFile("n.sh", "a\nb\n", 0o755)],
    ),
    "a new file without git": ("--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n", [CreateFile("n", "a\nb\n")]),
    "a new file of diff -N": (
        "--- old/n\t1970-01-01 01:00:00.000000000 +0100\n+++ new/n\t2024-01-01 10:00:00 +0100\n@@ -0,0 +1 @@\n+a\n",
        [CreateFile("n", "a\n")],
    ),
    "a new file west of Greenwich": (
        "--- old/n\t1969-12-31 19:00:00.000000000 -0500\n+++ new/n\t2024-01-01 10:00:00 -0500\n@@ -0,0 +1 @@\n+a\n",
        [CreateFile("n", "a\n")],
    ),
    "a new file without newline": (
        "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n",
        [CreateFile("n", "a")],
    ),
    "a new file without @@": ("--- /dev/null\n+++ b/n\n+a\n+\n+b\n", [CreateFile("n", "a\n\nb\n")]),
    "a new file, counts wrong, prose behind": (
        "```diff\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,9 @@\n+a\n+b\n\nDone.\n```\n",
        [CreateFile("n", "a\nb\n")],
    ),
    "a new empty file": (
        "diff --git a/n b/n\nnew file mode 100644\nindex 0000000..e69de29\n",
        [CreateFile("n", "", 0o644)],
    ),
    "a deleted file": (
        "diff --git a/n b/n\ndeleted file mode 100644\n--- a/n\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n",
        [EditFile("n", (whole("a\nb\n", "", 2, 0),)), DeleteFile("n", EMPTY)],
    ),
    "a deleted file without git": (
        "--- a/n\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
        [EditFile("n", (whole("a\n", "", 1, 0),)), DeleteFile("n", EMPTY)],
    ),
    "a deleted empty file": (
        "diff --git a/n b/n\ndeleted file mode 100644\nindex e69de29..0000000\n",
        [DeleteFile("n", EMPTY)],
    ),
    "another mode": ("diff --git a/n b/n\nold mode 100644\nnew mode 100755\n", [ChangeMode("n", 0o755)]),
    "another mode in a mail": (
        "diff --git a/n b/n\nold mode 100644\nnew mode 100755\n-- \n2.43.0\n\n",
        [ChangeMode("n", 0o755)],
    ),
    "another name": (
        "diff --git a/o b/n\nsimilarity index 100%\nrename from o\nrename to n\n",
        [RenameFile("o", "n")],
    ),
    "another name, mode and line": (
        "diff --git a/o b/n\nold mode 100644\nnew mode 100755\nrename from o\nrename to n\n@@ -1 +1 @@\n-a\n+b\n",
        [
            RenameFile("o", "n"),
            ChangeMode("n", 0o755),
            EditFile("n", (whole("a\n", "b\n", 1, 1),)),
        ],
    ),
    "a copy": (
        "diff --git a/o b/n\nsimilarity index 90%\ncopy from o\ncopy to n\n--- a/o\n+++ b/n\n@@ -1 +1 @@\n-a\n+b\n",
        [CopyFile("o", "n"), EditFile("n", (whole("a\n", "b\n", 1, 1),))],
    ),
    "a name with blanks": (
        "diff --git a/my file b/my file\nold mode 100644\nnew mode 100755\n",
        [ChangeMode("my file", 0o755)],
    ),
    "a name in quotes": (
        'diff --git "a/\\303\\251 \\"q\\".txt" "b/\\303\\251 \\"q\\".txt"\nold mode 100644\nnew mode 100755\n',
        [ChangeMode('é "q".txt', 0o755)],
    ),
    "a name in quotes at a rename": (
        'diff --git a/o "b/t\\tb"\nsimilarity index 100%\nrename from o\nrename to "t\\tb"\n',
        [RenameFile("o", "t\tb")],
    ),
    "lines into an empty file": (
        "--- a/n\n+++ b/n\n@@ -0,0 +1 @@\n+a\n",
        [EditFile("n", (whole("", "a\n", 0, 1),))],
    ),
}


@table(("reply", "expected"), GIT.values(), ids=GIT)
def test_what_becomes_of_files_is_read(reply: str, expected: list[FileRequest]) -> None:
    assert requests(reply) == expected


def test_several_files_come_in_order() -> None:
    parts = [GIT[name] for name in ("a new file", "another name", "a deleted file", "another mode", "a copy")]
    assert requests("".join(part for part, _ in parts)) == [one for _, some in parts for one in some]


NOTED = {
    "nothing": (SMALL, []),
    "a mail": (FORMS["a mail"], []),
    "subversion": (FORMS["subversion"], []),
    "diff -r": (FORMS["diff -r"], []),
    "wrong counts": (FORMS["counts too high"], []),
    "CR LF": (FORMS["CR LF of the transport"], []),
    "a diff of Markdown": (NAMES + "@@ -1,3 +1,3 @@\n ```\n-<patch>\n+Text.\n ```\n", []),
    "another mode": (GIT["another mode"][0], []),
    "a new file": (GIT["a new file"][0], []),
    "a fence": (f"```diff\n{SMALL}```\n", [(1, "a code fence around the patch")]),
    "a stray fence": (SMALL + "```\n", [(8, "a code fence around the patch")]),
    "tags": (f"<patch>\n{SMALL}</patch>\n", [(1, "a tag around the patch"), (9, "a tag around the patch")]),
    "prose": (f"Here:\n{SMALL}\nThere.\nDone.\n", [(1, "text around the patch"), (10, "text around the patch")]),
    "a heredoc": (
        f"patch <<EOF\n{SMALL}EOF\n",
        [(1, "a shell command around the patch"), (9, "a shell command around the patch")],
    ),
    "a stray mark": (SMALL + "*** End Patch\n", [(8, "a marker of another format")]),
    "a hunk that changes nothing": (SMALL + "@@ -7 +7 @@\n g\n", [(8, "a hunk that changes nothing")]),
}


@table(("reply", "expected"), NOTED.values(), ids=NOTED)
def test_what_is_left_out_is_noted(reply: str, expected: list[tuple[int, str]]) -> None:
    assert notes(reply) == expected


def test_a_patch_that_changes_nothing_is_kept_for_the_answer() -> None:
    assert edits(NAMES + "@@ -1,2 +1,2 @@\n a\n b\n@@ -7 +7 @@\n c\n") == [("a\nb\n", "a\nb\n", 1)]
    assert edits(NAMES + "@@ -1 +1 @@\n-a\n+a\n") == [("a\n", "a\n", 1)]


def test_pieces_say_where_they_are() -> None:
    reply = f"Here:\n{SMALL}@@ -9 +9 @@\n-q\n+r\n\nDone.\n"
    assert [piece.lines for piece in read(reply)[0]] == [(2, 8), (9, 11)]


STREAMED = [
    (SMALL + "@@ -9 +9 @@\n", 1),
    (f"```diff\n{SMALL}```\n", 1),
    (SMALL + "diff --git a/y b/y\n", 1),
    (SMALL + "--- a/y\n+++ b/y\n@@", 1),
    (SMALL + "\nThat is all.\n", 1),
    (SMALL, 0),
    (SMALL.replace(",3", ",9") + "@@ -9 +9 @@\n", 1),
    (GIT["another name"][0] + "diff --git a/y b/y\n", 1),
]


@table(("start", "count"), STREAMED)
def test_a_piece_is_given_as_soon_as_it_is_known(start: str, count: int) -> None:
    reader = UnifiedReader()
    assert len([piece for line in split_reply(start) for piece in reader.feed(line)]) == count


@table("reply", [*FORMS.values(), *(reply for reply, _ in GIT.values())])
def test_how_a_reply_is_cut_makes_no_difference(reply: str) -> None:
    splitter, reader = Splitter(), UnifiedReader()
    pieces = [piece for char in reply for line in splitter.feed(char) for piece in reader.feed(line)]
    pieces += [piece for line in splitter.close() for piece in reader.feed(line)]
    assert ([*pieces, *reader.close()], reader.notes) == read(reply)


LINES = st.sampled_from(
    [
        "",
        " ",
        "a",
        "b",
        "  a",
        "\tb",
        "-- a",
        "++ b",
        "@@ -1 +1 @@",
        "```",
        "\\ No newline",
        "é",
        "x\x0cy",
        "-",
    ]
)
TEXTS = st.builds(lambda lines, end: "\n".join(lines) + end, st.lists(LINES, max_size=12), st.sampled_from(["", "\n"]))
PATHS = st.sampled_from(["x", "a/x.py", "my file.txt", 'q"uote', "tab\there", "é/ü.md", "b/a", "dev/nul"])
MODES = st.sampled_from([None, 0o644, 0o755])


@st.composite
def changes(draw: st.DrawFn) -> Change:
    kind = draw(st.sampled_from(["edit", "create", "delete", "rename"]))
    path, newline = draw(PATHS), draw(st.sampled_from(["\n", "\r\n"]))
    before, after = (draw(TEXTS).replace("\n", newline) for _ in range(2))
    if kind == "create":
        return Change(None, path, None, after, None, draw(MODES))
    if kind == "delete":
        return Change(path, None, before, None)
    to = path + ".new" if kind == "rename" else path
    modes = draw(st.sampled_from([(None, None), (0o644, 0o755)]))
    return Change(path, to, before, after, *modes)


@examples(25)
@given(st.lists(changes(), min_size=1, max_size=3, unique_by=lambda change: change.path_before or change.path_after))
def test_what_is_written_is_read_back(some: list[Change]) -> None:
    assert DIALECT.write is not None
    before = {one.path_before: one.before for one in some if one.path_before is not None and one.before is not None}
    expected = {one.path_after: one.after for one in some if one.path_after is not None and one.after is not None}
    modes: dict[str, int] = {}
    assert applied(before, DIALECT.write(some), modes) == expected
    for one in some:
        if one.mode_after is not None and one.path_after is not None:
            assert modes[one.path_after] == one.mode_after


def test_a_change_without_a_path_is_refused() -> None:
    assert DIALECT.write is not None
    with pytest.raises(EditError) as raised:
        DIALECT.write([Change(None, None, "a", "b")])
    assert raised.value.kind is Kind.BAD_REQUEST


def test_the_example_is_clean() -> None:
    assert len(requests(DIALECT.example)) == 1
    assert notes(DIALECT.example) == []


MATERIAL = [
    *FORMS.values(),
    *(reply for reply, _ in GIT.values()),
    *(reply for reply, *_ in REFUSED.values()),
    *NOT_A_DIFF.values(),
]
STRAY = [
    "",
    "@@",
    "@@ -1,2 +3,4 @@",
    "--- a/x",
    "+++ b/y",
    "```",
    "-- ",
    "\\ No newline",
    "diff --git a/x b/x",
    "rename to y",
    "-",
    "+x",
    " y",
    "*** End Patch",
    "EOF",
    "</patch>",
]


def mutated(seed: int) -> str:
    chance = random.Random(seed)
    lines = chance.choice(MATERIAL).split("\n")
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(lines) + 1)
        match chance.randrange(5):
            case 0:
                lines[at : at + chance.randint(1, 4)] = []
            case 1:
                lines.insert(at, chance.choice(STRAY))
            case 2:
                lines[at:at] = chance.choice(MATERIAL).split("\n")[: chance.randint(1, 8)]
            case 3:
                lines[at : at + 1] = [
                    line[chance.randrange(3) :] + chance.choice(["", "\r", " "]) for line in lines[at : at + 1]
                ]
            case _:
                lines[at : at + 1] = lines[at : at + 1] * chance.randint(0, 3)
    return "\n".join(lines)


@table("slice_", range(4))
def test_a_mutated_diff_is_read_or_refused_with_its_place(slice_: int) -> None:
    for seed in range(slice_ * 200, slice_ * 200 + 200):
        reply = mutated(seed)
        try:
            for piece in read(reply)[0]:
                assert 1 <= piece.lines[0] <= piece.lines[1] <= reply.count("\n") + 1
        except EditError as error:
            assert error.kind is Kind.MALFORMED_PATCH
            assert error.details["line"] in range(1, reply.count("\n") + 2)


HOSTILE = {
    "one hunk": lambda n: NAMES + "@@ -1,9 +1,9 @@\n" + " a\n-b\n+c\n" * n,
    "counts that reach for the end": lambda n: NAMES + "@@ -1,99999999 +1,99999999 @@\n-a\n+b\n" * n,
    "names without rows of their own": lambda n: (
        NAMES + "@@ -1,9999999 +1,9999999 @@\n" + "--- a/x\n+++ b/x\n-a\n+b\n" * n
    ),
    "blank lines behind a hunk in a fence": lambda n: "```diff\n" + SMALL + "\nx\n" * n,
    "guesses": lambda n: "@@ x\n y\n" * n,
    "fences": lambda n: "```diff\n-a\n+b\n```\n" * n,
    "names alone": lambda n: "--- a\n" * n,
    "signatures": lambda n: SMALL + "-- \n" * n,
    "files": lambda n: "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n" * n,
    "text": lambda n: SMALL + "\ntext\n" * n,
}


def work(reply: str) -> int:
    """How many calls it takes to read a reply."""
    calls = 0

    def count(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal calls
        calls += event == "call"

    lines = split_reply(reply)
    reader = UnifiedReader()
    sys.setprofile(count)
    try:
        for line in lines:
            reader.feed(line)
        reader.close()
    except EditError:
        pass
    finally:
        sys.setprofile(None)
    return calls


@table("name", HOSTILE)
def test_the_work_grows_with_the_lines_and_no_faster(name: str) -> None:
    small, large = work(HOSTILE[name](100)), work(HOSTILE[name](800))
    assert large <= 8.5 * small + 400
