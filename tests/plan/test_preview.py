"""The pure front: what comes in comes out in its own type, and nothing is ever raised for a bad edit."""

from __future__ import annotations

import json
import random

import pytest

from steadyhand.errors import EditError
from steadyhand.plan.edit import Replace, edit_from_json
from steadyhand.plan.preview import edit, plan_write
from steadyhand.text.source import Source
from tests.table import table

GARBAGE: list[object] = [
    None,
    5,
    "a",
    b"a",
    {},
    {"target": "a"},
    [None],
    [1, 2],
    ["a"],
    [[]],
    [{"target": "a", "new": 1}],
    [{"target": {"lines": "x"}, "new": "b"}],
    [{"target": "a", "new": "b", "why": "c"}],
    [object],
    {1: 2},
]


@table("edits", GARBAGE, ids=repr)
def test_garbage_is_a_bad_request_and_not_an_exception(edits: object) -> None:
    result = edit("a", edits)  # type: ignore[arg-type]
    assert not result.ok
    assert result.text == "a"
    assert result.error is not None
    assert result.error.kind == "bad-request"


def test_the_edit_that_is_none_is_named_and_the_others_held_back() -> None:
    result = edit("a b", [Replace("a", "A"), {"target": "b", "nu": "B"}])
    assert [outcome.skipped for outcome in result.outcomes] == ["held-back", None]
    assert result.error is result.outcomes[1].error
    assert result.error.details["path"] == "edits[1].nu"  # type: ignore[union-attr]


def test_text_of_the_wrong_type_or_encoding_is_refused_too() -> None:
    for text, encoding in ((7, None), (b"a", "klingon"), (b"\xff\xff", "utf-8")):
        result = edit(text, Replace("a", "b"), encoding=encoding)  # type: ignore[type-var]
        assert not result.ok
        assert result.text == text


def test_a_single_edit_needs_no_list() -> None:
    assert edit("a", Replace("a", "b")).text == "b"
    assert edit("a", {"target": "a", "new": "b"}).text == "b"


def test_str_gives_str_and_bytes_give_bytes() -> None:
    assert edit("é", Replace("é", "è")).text == "è"
    assert edit(b"\xef\xbb\xbfa\r\n", Replace("a", "b\nc")).text == b"\xef\xbb\xbfb\r\nc\r\n"
    assert edit("a\n".encode("utf-16"), Replace("a", "b")).text == "b\n".encode("utf-16")
    assert edit("é".encode("cp1252"), Replace("é", "è"), encoding="cp1252").text == "è".encode("cp1252")


def test_the_diff_is_of_what_was_applied() -> None:
    assert edit("a\nb\n", Replace("b", "c"), path="x.txt").diff() == (
        "--- a/x.txt\n+++ b/x.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
    )


def test_a_refusal_can_be_raised() -> None:
    edit("a", Replace("a", "b")).raise_for_error()
    with pytest.raises(EditError):
        edit("a", Replace("x", "b")).raise_for_error()


def test_a_thousand_mutations_of_an_edit_never_raise_and_never_change_the_text_on_refusal() -> None:
    chance = random.Random(3)
    junk = [None, True, False, 0, -1, 2, 10**30, 1.5, "", "a", "\r\n", "\ud800", [], [1, 2], {}, {"old": "a"}, "all"]
    fields = ["target", "new", "insert", "delete", "where", "occurrence", "expected", "reason", "old", "lines"]
    text = "a b a\r\nc\n"
    for _ in range(1_000):
        form = {chance.choice(fields): chance.choice(junk) for _ in range(chance.randrange(1, 6))}
        result = edit(text, [form], path="a.txt")
        if result.ok:
            edit_from_json(form)
        else:
            assert result.text == text
            assert result.error is not None
            json.dumps(result.error.to_json())


@table(
    ("before", "content", "after"),
    [
        (b"a\r\nb\r\n", "x\ny\n", b"x\r\ny\r\n"),
        (b"a\r\nb\r\n", "x\r\ny\n", b"x\r\ny\n"),
        (b"a\r\nb\n", "x\ny\n", b"x\ny\n"),
        (b"a\n", "x\r\n", b"x\r\n"),
        (b"\xef\xbb\xbfa", "b", b"\xef\xbb\xbfb"),
        ("ä\n".encode("utf-16"), "ö\n", "ö\n".encode("utf-16")),
        (b"", "x", b"x"),
        (b"x\n", "", b""),
    ],
)
def test_a_whole_write_keeps_encoding_mark_and_the_one_line_ending(before: bytes, content: str, after: bytes) -> None:
    source = Source.of_bytes(before)
    plan = plan_write(source, content)
    assert plan.ok
    assert plan.after.to_bytes() == after
    assert plan.changes.apply(source.text) == plan.after.text
    assert plan.changes.invert().apply(plan.after.text) == source.text
    assert plan.after.digest == Source.of_bytes(after).digest


def test_a_whole_write_of_the_same_text_has_no_changes() -> None:
    source = Source.of_bytes(b"a\r\n")
    plan = plan_write(source, "a\n")
    assert plan.ok
    assert not plan.changes
    assert plan.after is source


def test_a_write_that_the_encoding_cannot_say_is_refused() -> None:
    plan = plan_write(Source.of_bytes("é".encode("cp1252"), encoding="cp1252"), "☃")
    assert plan.error is not None
    assert plan.error.kind == "unencodable"
    assert plan_write(None, "\ud800").error is not None


def test_a_new_file_is_utf_8_as_it_was_sent() -> None:
    plan = plan_write(None, "é\r\nx\n")
    assert plan.after.to_bytes() == "é\r\nx\n".encode()


MARKED = [
    (b"\xef\xbb\xbfa\n", "\ufeffb\n", b"\xef\xbb\xbfb\n"),
    (b"\xef\xbb\xbfa\n", "\ufeffa\n", b"\xef\xbb\xbfa\n"),
    ("a\n".encode("utf-16"), "\ufeffb\n", "b\n".encode("utf-16")),
    (b"\xef\xbb\xbfa\r\nb\r\n", "\ufeffa\nc\n", b"\xef\xbb\xbfa\r\nc\r\n"),
    (b"\xef\xbb\xbfa\n", "b\n\ufeff", b"\xef\xbb\xbfb\n\xef\xbb\xbf"),
    (None, "\ufeffb\n", b"\xef\xbb\xbfb\n"),
    (None, "\ufeff", b"\xef\xbb\xbf"),
]


@table(("before", "content", "after"), MARKED)
def test_a_mark_that_comes_with_the_content_is_not_doubled(before: bytes | None, content: str, after: bytes) -> None:
    source = None if before is None else Source.of_bytes(before)
    plan = plan_write(source, content)
    assert plan.ok
    assert plan.after.to_bytes() == after
    assert plan.after.encoding.mark == Source.of_bytes(after).encoding.mark != b""
    assert plan.after.text == Source.of_bytes(after).text
    assert plan.changes.apply(source.text if source else "") == plan.after.text
    assert bool(plan.changes) == (plan.after.text != (source.text if source else ""))
