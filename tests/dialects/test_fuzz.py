"""Broken replies: every parser answers each of them, with a patch or a refusal that says where, and none hangs.

`STEADYHAND_MUTATIONS` is how many replies each parser is given; `make fuzz` asks for many more than a test run.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from types import FrameType

import pytest

from steadyhand.dialects.dialect import Dialect, dialects
from steadyhand.dialects.front import patch, read_patch
from steadyhand.dialects.patch import Patch
from steadyhand.dialects.stream import PatchStream
from steadyhand.errors import EditError, Kind
from steadyhand.plan.request import EditFile, FileRequest
from tests.dialects.mutations import SAMPLES, cut, mutate
from tests.table import table

MANY = int(os.environ.get("STEADYHAND_MUTATIONS", "60"))
KINDS = (Kind.MALFORMED_PATCH, Kind.BAD_REQUEST, Kind.TOO_LARGE, Kind.UNENCODABLE)
MARK_LINES = ("@@", "<<<<<<< SEARCH", "=======", "*** Update File: x", "```", "{")
FORMATS = ["auto", *(dialect.name for dialect in dialects())]
FILE = (
    "import os\n\ndef main():\n    return 0\n\nclass A:\n    def f(self):\n        x = 1\n        y = 2\na\nb\nc\nd\n"
)


def read(reply: str, name: str) -> Patch | EditError:
    try:
        return read_patch(reply, format=name)
    except EditError as error:
        return error


def streamed(seed: int, reply: str, name: str) -> tuple[list[FileRequest], Patch | EditError]:
    """What was given while the reply arrived, and at its end."""
    stream = PatchStream(format=name)
    early: list[FileRequest] = []
    try:
        for part in cut(seed, reply):
            early.extend(piece.request for piece in stream.feed(part))
        return early, stream.close()
    except EditError as error:
        return early, error


def edit_by_edit(requests: Iterable[FileRequest]) -> list[FileRequest]:
    """Requests with every edit in one of its own."""
    return [
        one
        for request in requests
        for one in (
            [EditFile(request.path, (edit,)) for edit in request.edits] if isinstance(request, EditFile) else [request]
        )
    ]


def same(one: Patch | EditError, two: Patch | EditError) -> bool:
    if isinstance(one, EditError) or isinstance(two, EditError):
        return isinstance(one, EditError) and isinstance(two, EditError) and one.to_json() == two.to_json()
    return one == two


@table("name", FORMATS)
def test_a_broken_reply_is_read_or_refused_with_its_place(name: str) -> None:
    for seed in range(MANY):
        reply = mutate(seed)
        answer = read(reply, name)
        if isinstance(answer, EditError):
            assert answer.kind in KINDS, (seed, answer)
            assert answer.hint, (seed, answer)
            if answer.kind is Kind.MALFORMED_PATCH:
                line, column = answer.details["line"], answer.details["column"]
                assert isinstance(line, int), seed
                assert 1 <= line <= reply.count("\n") + 1, (seed, answer)
                assert isinstance(column, int), seed
                assert column >= 1, seed
                assert answer.details["expected"], seed
        else:
            assert answer.files, seed


@table("name", FORMATS)
def test_however_a_reply_is_cut_it_says_the_same(name: str) -> None:
    for seed in range(MANY // 2):
        reply = mutate(seed + 7_000_000)
        whole = read(reply, name)
        early, last = streamed(seed, reply, name)
        assert same(whole, last), seed
        if isinstance(last, Patch):
            assert edit_by_edit(early) == edit_by_edit(last.files)[: len(edit_by_edit(early))], seed


def test_a_broken_reply_changes_a_text_wholly_or_not_at_all() -> None:
    for seed in range(MANY):
        result = patch(FILE, mutate(seed + 9_000_000), path="src/app.py")
        assert result.ok or result.text == FILE, seed
        assert result.ok == (result.error is None), seed


def count_calls(work: Callable[[], object]) -> int:
    calls = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


REPEATED = [
    *(pytest.param(sample, id=f"sample {number}") for number, sample in enumerate(SAMPLES)),
    *(pytest.param(line + "\n", id=line) for line in MARK_LINES),
    pytest.param("--- a/x\n+++ b/x\n", id="headers"),
    pytest.param(" context\n", id="context"),
    pytest.param("+added\n", id="added"),
    pytest.param('{"a": [', id="depth"),
    pytest.param("x" * 200, id="one long line"),
]


@table("dialect", dialects(), ids=[dialect.name for dialect in dialects()])
@table("part", REPEATED, every=16)
def test_the_work_grows_with_the_reply_and_not_faster(dialect: Dialect, part: str) -> None:
    """Work is counted in calls, which a busy machine does not change."""
    small, large = (count_calls(lambda size=size: read(part * size, dialect.name)) for size in (60, 240))  # type: ignore[misc]
    assert large <= 6 * small + 2_000
