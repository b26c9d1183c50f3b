"""The one JSON form of edits and requests: what is refused and where, and that everything comes back."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.errors import EditError, Kind
from steadyhand.plan.edit import Delete, Edit, Insert, Old, Replace, edit_from_json, edit_to_json
from steadyhand.plan.request import (
    MAX_EDITS,
    ChangeMode,
    CreateFile,
    DeleteFile,
    EditFile,
    RenameFile,
    Requests,
    WriteFile,
    requests_from_json,
)
from steadyhand.structure.lines import Anchor, Lines
from tests.table import table

BAD_EDITS: list[tuple[object, str]] = [
    (None, "edits[2]"),
    ("a", "edits[2]"),
    ([], "edits[2]"),
    ({}, "edits[2]"),
    ({"new": "b"}, "edits[2].target"),
    ({"target": "a"}, "edits[2]"),
    ({"target": "a", "new": "b", "delete": True}, "edits[2]"),
    ({"target": "a", "new": None}, "edits[2].new"),
    ({"target": "a", "new": 1}, "edits[2].new"),
    ({"target": None, "new": "b"}, "edits[2].target"),
    ({"target": {}, "new": "b"}, "edits[2].target"),
    ({"target": {"old": "a", "lines": [1, 1]}, "new": "b"}, "edits[2].target"),
    ({"target": {"line": [1, 1]}, "new": "b"}, "edits[2].target.line"),
    ({"target": {"old": 1}, "new": "b"}, "edits[2].target.old"),
    ({"target": {"lines": [1]}, "new": "b"}, "edits[2].target.lines"),
    ({"target": {"anchor": "1"}, "new": "b"}, "edits[2].target.anchor"),
    ({"target": "a", "new": "b", "where": "after"}, "edits[2].where"),
    ({"target": "a", "insert": "b", "where": "above"}, "edits[2].where"),
    ({"target": "a", "insert": "b", "where": 1}, "edits[2].where"),
    ({"target": "a", "insert": "b", "where": ["after"]}, "edits[2].where"),
    ({"target": "a", "insert": "b", "expected": 1}, "edits[2].expected"),
    ({"target": "a", "delete": False}, "edits[2].delete"),
    ({"target": "a", "delete": 1}, "edits[2].delete"),
    ({"target": "a", "new": "b", "occurrence": "second"}, "edits[2].occurrence"),
    ({"target": "a", "new": "b", "occurrence": True}, "edits[2].occurrence"),
    ({"target": "a", "new": "b", "occurrence": 0}, "edits[2].occurrence"),
    ({"target": "a", "new": "b", "occurrence": -2}, "edits[2].occurrence"),
    ({"target": "a", "new": "b", "occurrence": 1.5}, "edits[2].occurrence"),
    ({"target": "a", "new": "b", "expected": 0}, "edits[2].expected"),
    ({"target": "a", "new": "b", "expected": "2"}, "edits[2].expected"),
    ({"target": "a", "new": "b", "expected": False}, "edits[2].expected"),
    ({"target": "a", "new": "b", "reason": 7}, "edits[2].reason"),
    ({"target": "a", "nwe": "b"}, "edits[2].nwe"),
    ({"target": "a", "new": "b", 3: 4}, "edits[2]"),
]


@table(("value", "path"), BAD_EDITS, ids=lambda value: str(value)[:60])
def test_what_is_no_edit_is_refused_and_the_field_named(value: object, path: str) -> None:
    with pytest.raises(EditError) as caught:
        edit_from_json(value, "edits[2]")
    assert caught.value.kind == Kind.BAD_REQUEST
    assert caught.value.details["path"] == path


def test_an_unknown_field_is_answered_with_the_nearest_known_one() -> None:
    with pytest.raises(EditError) as caught:
        edit_from_json({"target": "a", "new": "b", "occurence": 1})
    assert caught.value.hint == "did you mean 'occurrence'?"


@table(
    "make",
    [
        lambda: Replace(1, "b"),
        lambda: Replace("a", None),
        lambda: Replace("a", "b", occurrence="third"),
        lambda: Replace("a", "b", expected=0),
        lambda: Replace("a", "b", reason=1),
        lambda: Insert("a", "b", where="over"),
        lambda: Insert("a", b"b"),
        lambda: Delete(["a"]),
        lambda: Old(1),
        lambda: Lines("1"),
        lambda: Lines(True),
    ],
)
def test_a_verb_made_wrongly_in_python_is_a_bad_request_too(make: object) -> None:
    with pytest.raises(EditError) as caught:
        make()  # type: ignore[operator]
    assert caught.value.kind == Kind.BAD_REQUEST


@table(
    ("form", "edit"),
    [
        ({"target": "a", "new": "b"}, Replace("a", "b")),
        ({"target": {"old": "a"}, "new": ""}, Replace(Old("a"), "")),
        ({"target": {"lines": [3, 5]}, "new": "b"}, Replace(Lines(3, 5), "b")),
        ({"target": {"lines": {"start": 3, "end": 5}}, "delete": True}, Delete(Lines(3, 5))),
        (
            {"target": {"anchor": "1#abc"}, "insert": "b", "where": "before"},
            Insert(Anchor("1#abc"), "b", where="before"),
        ),
        ({"target": "a", "insert": "b"}, Insert("a", "b", where="after")),
        ({"target": "a", "new": "b", "occurrence": None, "reason": None}, Replace("a", "b")),
        (
            {"target": "a", "new": "b", "occurrence": "all", "expected": 2, "reason": "why"},
            Replace("a", "b", occurrence="all", expected=2, reason="why"),
        ),
    ],
)
def test_the_json_form_means_this_edit(form: object, edit: Edit) -> None:
    assert edit_from_json(form) == edit


places = st.one_of(
    st.text(max_size=5),
    st.builds(Lines, st.integers(1, 9), st.none() | st.integers(1, 9)),
    st.sampled_from([Anchor("1#abc"), Anchor("1#abc", "2#def")]),
)
occurrences = st.none() | st.sampled_from(["unique", "first", "last", "all", -1]) | st.integers(1, 5)
reasons = st.none() | st.text(max_size=3)
counts = st.none() | st.integers(1, 5)
edits = st.one_of(
    st.builds(Replace, places, st.text(max_size=5), occurrence=occurrences, expected=counts, reason=reasons),
    st.builds(Delete, places, occurrence=occurrences, expected=counts, reason=reasons),
    st.builds(
        Insert,
        places,
        st.text(max_size=5),
        where=st.sampled_from(["before", "after", "start", "end"]),
        occurrence=occurrences,
        reason=reasons,
    ),
)
digests = st.none() | st.just("0123456789abcdef")
requests = st.one_of(
    st.builds(EditFile, st.just("a"), st.lists(edits, min_size=1, max_size=3).map(tuple), digests),
    st.builds(WriteFile, st.just("a"), st.text(max_size=5), digests, st.booleans()),
    st.builds(CreateFile, st.just("a"), st.text(max_size=5), st.none() | st.just(0o755)),
    st.builds(DeleteFile, st.just("a"), digests),
    st.builds(RenameFile, st.just("a"), st.just("b"), digests),
    st.builds(ChangeMode, st.just("a"), st.just(0o644)),
)


@given(edits)
def test_every_edit_comes_back_from_its_json_form(edit: Edit) -> None:
    assert edit_from_json(json.loads(json.dumps(edit_to_json(edit)))) == edit


@given(st.builds(Requests, st.lists(requests, min_size=1, max_size=4).map(tuple), reasons, st.booleans()))
def test_every_request_comes_back_from_its_json_form(asked: Requests) -> None:
    assert requests_from_json(json.loads(json.dumps(asked.to_json()))) == asked


BAD_REQUESTS: list[tuple[object, str]] = [
    ([], ""),
    ({}, "files"),
    ({"files": {}}, "files"),
    ({"files": []}, "files"),
    ({"files": [1]}, "files[0]"),
    ({"file": []}, "file"),
    ({"files": [{"path": "a"}]}, "files[0]"),
    ({"files": [{"edits": [{"target": "a", "new": "b"}]}]}, "files[0].path"),
    ({"files": [{"path": "", "delete": True}]}, "files[0].path"),
    ({"files": [{"path": 1, "delete": True}]}, "files[0].path"),
    ({"files": [{"path": "a", "delete": False}]}, "files[0].delete"),
    ({"files": [{"path": "a", "delete": True, "write": "x"}]}, "files[0]"),
    ({"files": [{"path": "a", "edits": [], "expect": "0" * 16}]}, "files[0].edits"),
    ({"files": [{"path": "a", "edits": [{"target": "a"}]}]}, "files[0].edits[0]"),
    ({"files": [{"path": "a", "edits": [{"target": "a", "new": 1}]}]}, "files[0].edits[0].new"),
    ({"files": [{"path": "a", "delete": True, "expect": "abc"}]}, "files[0].expect"),
    ({"files": [{"path": "a", "create": "x", "expect": "0" * 16}]}, "files[0].expect"),
    ({"files": [{"path": "a", "write": "x", "allow_shrink": "yes"}]}, "files[0].allow_shrink"),
    ({"files": [{"path": "a", "mode": 493}]}, "files[0].mode"),
    ({"files": [{"path": "a", "mode": "rwx"}]}, "files[0].mode"),
    ({"files": [{"path": "a", "mode": None}]}, "files[0].mode"),
    ({"files": [{"path": "a", "rename_to": None}]}, "files[0].rename_to"),
    ({"files": [{"path": "a", "delete": True}], "partial": 1}, "partial"),
    ({"files": [{"path": "a", "delete": True}], "reason": []}, "reason"),
]


@table(("value", "path"), BAD_REQUESTS, ids=lambda value: str(value)[:60])
def test_what_is_no_request_is_refused_and_the_field_named(value: object, path: str) -> None:
    with pytest.raises(EditError) as caught:
        requests_from_json(value)
    assert caught.value.kind == Kind.BAD_REQUEST
    assert caught.value.details["path"] == path


def test_a_request_beyond_the_limits_is_too_large() -> None:
    edits = [{"target": "a", "new": "b"}] * (MAX_EDITS // 2 + 1)
    nested: object = "x"
    for _ in range(100):
        nested = [nested]
    many = [{"path": "a", "edits": edits}, {"path": "b", "edits": edits}]
    for value in ({"files": many}, {"files": nested}):
        with pytest.raises(EditError) as caught:
            requests_from_json(value)
        assert caught.value.kind == Kind.TOO_LARGE


def test_a_thousand_mutations_are_read_or_refused_and_never_crash() -> None:
    chance = random.Random(11)
    junk: list[object] = [None, True, 0, -1, 1e308, "", "a", [], {}, [[]], {"old": "x"}, "\ud800", b"x", 10**40]
    base: dict[str, object] = {
        "files": [
            {"path": "a", "edits": [{"target": {"lines": [1, 2]}, "insert": "x", "where": "after", "occurrence": 1}]},
            {"path": "b", "create": "x", "mode": "0644"},
        ],
        "partial": True,
    }
    for _ in range(1_000):
        value = json.loads(json.dumps(base))
        place = value
        while isinstance(place, dict | list) and place and chance.random() < 0.8:
            key = chance.choice(list(place)) if isinstance(place, dict) else chance.randrange(len(place))
            if not isinstance(place[key], dict | list) or chance.random() < 0.3:
                place[key] = chance.choice(junk)
                break
            place = place[key]
        else:
            if isinstance(place, dict):
                place[chance.choice(["edits", "write", "delete", "wher", "path", ""])] = chance.choice(junk)
        try:
            requests_from_json(value)
        except EditError as error:
            assert error.kind in (Kind.BAD_REQUEST, Kind.TOO_LARGE)
            json.dumps(error.to_json())
