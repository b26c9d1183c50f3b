"""One text and what a model wrote about it: which part of the reply is meant, what comes out, what is reported."""

from __future__ import annotations

import steadyhand as sh
from steadyhand.errors import Kind
from tests.table import table

BEFORE = "one\ntwo\nthree\n"
AFTER = "one\n2\nthree\n"
HUNK = "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"


RENAME = "diff --git a/a.txt b/b.txt\nrename from a.txt\nrename to b.txt\n"
MOVED = f"{RENAME}--- a/a.txt\n+++ b/b.txt\n{HUNK}"


def diff_of(path: str, hunk: str = HUNK) -> str:
    return f"--- a/{path}\n+++ b/{path}\n{hunk}"


def kind_of(reply: str, **options: object) -> Kind | None:
    result = sh.patch(BEFORE, reply, **options)  # type: ignore[arg-type]
    assert result.ok or result.text == BEFORE
    return result.error.kind if result.error is not None else None


REFUSED = [
    ("another file", diff_of("other.txt"), "a.txt", Kind.BAD_REQUEST),
    ("several files, none of them this", diff_of("b.txt") + diff_of("c.txt"), "a.txt", Kind.BAD_REQUEST),
    ("several files and no name", diff_of("b.txt") + diff_of("c.txt"), None, Kind.BAD_REQUEST),
    ("a new file where there is one", "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x\n", "a.txt", Kind.EXISTS_ALREADY),
    (
        "a deletion that leaves lines",
        "--- a/a.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n",
        "a.txt",
        Kind.STALE_SOURCE,
    ),
    (
        "only another name",
        "diff --git a/a.txt b/b.txt\nrename from a.txt\nrename to b.txt\n",
        "a.txt",
        Kind.BAD_REQUEST,
    ),
    ("a good part and a bad one", diff_of("a.txt", HUNK + "@@ -9 +9 @@\n-nine\n+9\n"), "a.txt", Kind.NO_MATCH),
]


@table(("reply", "path", "kind"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_is_not_meant_for_this_text_changes_nothing(reply: str, path: str | None, kind: Kind) -> None:
    assert kind_of(reply, path=path) is kind


@table("value", [None, 3, b"bytes", ["list"]])
def test_what_is_no_text_is_refused(value: object) -> None:
    assert kind_of(value) is Kind.BAD_REQUEST  # type: ignore[arg-type]
    assert kind_of(diff_of("a"), format=value) is Kind.BAD_REQUEST
    if value is not None:
        assert kind_of(diff_of("a"), path=value) is Kind.BAD_REQUEST


APPLIED = [
    ("no name", HUNK, "a.txt"),
    ("the same name", diff_of("a.txt"), "a.txt"),
    ("the end of a longer name", diff_of("a.txt"), "docs/a.txt"),
    ("a longer name", diff_of("home/me/docs/a.txt"), "docs/a.txt"),
    ("one of several", diff_of("b.txt") + diff_of("docs/a.txt") + diff_of("c.txt"), "docs/a.txt"),
    ("no path", diff_of("a.txt"), None),
    ("another name and an edit", MOVED, "a.txt"),
    ("the name it is to have", MOVED, "b.txt"),
]


@table(("reply", "path"), [row[1:] for row in APPLIED], ids=[row[0] for row in APPLIED])
def test_what_is_meant_for_this_text_is_applied(reply: str, path: str | None) -> None:
    result = sh.patch(BEFORE, reply, path=path)
    result.raise_for_error()
    assert result.text == AFTER
    assert result.format == "unified"


def test_a_file_that_goes_leaves_an_empty_text() -> None:
    whole = "".join(f"-{line}\n" for line in BEFORE.splitlines())
    reply = f"--- a/a.txt\n+++ /dev/null\n@@ -1,3 +0,0 @@\n{whole}"
    assert sh.patch(BEFORE, reply, path="a.txt").text == ""


def test_a_file_that_comes_fills_an_empty_text() -> None:
    reply = "*** Begin Patch\n*** Add File: a.txt\n+one\n+two\n*** End Patch\n"
    assert sh.patch("", reply, path="a.txt").text == "one\ntwo\n"


def test_bytes_stay_bytes_and_keep_their_endings_and_mark() -> None:
    before = b"\xef\xbb\xbf" + BEFORE.replace("\n", "\r\n").encode()
    result = sh.patch(before, diff_of("a.txt"), path="a.txt")
    assert result.text == b"\xef\xbb\xbf" + AFTER.replace("\n", "\r\n").encode()


def test_what_was_left_out_is_reported_and_refused_by_the_strict() -> None:
    reply = "Here you are:\n\n```diff\n" + diff_of("a.txt") + "```\n"
    result = sh.patch(BEFORE, reply, path="a.txt")
    assert result.text == AFTER
    assert any("line 3" in remark for remark in result.remarks)
    error = sh.patch(BEFORE, reply, path="a.txt", strict=True).error
    assert error is not None
    assert error.kind is Kind.MALFORMED_PATCH
    assert error.details["example"]
    assert sh.patch(BEFORE, diff_of("a.txt"), path="a.txt", strict=True).text == AFTER


def test_every_refused_edit_of_a_reply_has_its_outcome() -> None:
    hunks = "@@ -9 +9 @@\n-nine\n+9\n" + HUNK + "@@ -8 +8 @@\n-eight\n+8\n"
    result = sh.patch(BEFORE, diff_of("a.txt", hunks), path="a.txt")
    assert [outcome.error is None for outcome in result.outcomes] == [False, True, False]
    assert result.outcomes[1].skipped == "held-back"
    places = [outcome.error.details["reply_lines"] for outcome in result.outcomes if outcome.error is not None]
    assert places == [[1, 5], [11, 13]]


def test_a_policy_holds_for_a_patch() -> None:
    reply = diff_of("a.txt").replace(" three", " three  ")
    assert sh.patch(BEFORE, reply, path="a.txt").text == AFTER
    assert kind_of(reply, path="a.txt", policy=sh.Policy(tier="exact")) is Kind.NO_MATCH


def test_the_diff_of_a_patch_is_the_patch() -> None:
    result = sh.patch(BEFORE, diff_of("a.txt"), path="a.txt")
    assert result.diff() == diff_of("a.txt")
    assert sh.patch(BEFORE, result.diff(), path="a.txt").text == AFTER


@table(("line", "after"), [(3, "x\na\ny\n"), (1, "y\na\nx\n"), (2, None)])
def test_the_line_of_a_roo_block_decides_between_equal_places_only(line: int, after: str | None) -> None:
    reply = f"<<<<<<< SEARCH\n:start_line:{line}\n-------\nx\n=======\ny\n>>>>>>> REPLACE\n"
    result = sh.patch("x\na\nx\n", reply, path="a.txt")
    assert result.text == (after or "x\na\nx\n")
    assert result.ok == (after is not None)
