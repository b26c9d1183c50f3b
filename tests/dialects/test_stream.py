"""A reply while it arrives: what is given early, what is refused, and when nothing more can come."""

from __future__ import annotations

import pytest

from steadyhand.dialects import stream as streams
from steadyhand.dialects.stream import PatchStream
from steadyhand.errors import EditError, Kind
from tests.table import table

SR = "a.txt\n<<<<<<< SEARCH\n{}\n=======\n{}\n>>>>>>> REPLACE\n"
TWO = SR.format("one", "1") + "\n" + SR.format("two", "2")


def refusal(stream: PatchStream, part: object = "") -> EditError:
    with pytest.raises(EditError) as caught:
        stream.feed(part)  # type: ignore[arg-type]
    return caught.value


@table("part", [None, b"bytes", 3])
def test_what_is_no_text_is_refused(part: object) -> None:
    assert refusal(PatchStream(), part).kind is Kind.BAD_REQUEST


def test_nothing_can_be_fed_to_a_reply_that_is_closed() -> None:
    stream = PatchStream()
    stream.feed(TWO)
    stream.close()
    assert refusal(stream, "more").kind is Kind.BAD_REQUEST
    with pytest.raises(EditError):
        stream.close()


def test_a_reply_that_is_too_long_stays_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MAX_REPLY", 100)
    stream = PatchStream()
    stream.feed(SR.format("one", "1"))
    assert refusal(stream, "x" * 100).kind is Kind.TOO_LARGE
    with pytest.raises(EditError) as caught:
        stream.close()
    assert caught.value.kind is Kind.TOO_LARGE


def test_an_edit_is_given_as_soon_as_it_is_complete() -> None:
    stream = PatchStream()
    given = [len(stream.feed(char)) for char in TWO]
    assert sum(given) == 2
    first = TWO.index(">>>>>>> REPLACE\n") + len(">>>>>>> REPLACE\n") - 1
    assert given.index(1) == first
    assert len(stream.close().files) == 1


def test_what_a_dialect_without_marks_says_is_known_at_the_end() -> None:
    stream = PatchStream()
    assert stream.feed("a.txt\n```text\none\n```\n") == ()
    assert stream.close().format == "whole"


CUT = [
    "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a",
    "```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n",
    "a.txt\n<<<<<<< SEARCH\none\n=======\n",
]


@table("reply", CUT)
def test_a_reply_that_is_cut_off_is_refused(reply: str) -> None:
    stream = PatchStream()
    stream.feed(reply)
    with pytest.raises(EditError) as caught:
        stream.close()
    assert caught.value.kind is Kind.MALFORMED_PATCH


EARLY = {
    "unified": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n" + "--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
    "v4a": "*** Begin Patch\n*** Delete File: x\n*** Update File: y\n@@\n-a\n+b\n*** End Patch\n",
    "json": '{"path": "x", "old_string": "a", "new_string": "b"}\n' * 2,
}


@table("name", EARLY)
def test_marked_dialects_give_their_first_edit_before_the_last_has_begun(name: str) -> None:
    stream, reply = PatchStream(), EARLY[name]
    given = [len(stream.feed(line)) for line in reply.splitlines(keepends=True)]
    assert sum(given[:-1]) >= 1
    assert stream.close().format == name
