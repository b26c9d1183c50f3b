"""Records are values with one JSON form, and nothing but that form is read back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.text.changeset import ChangeSet
from steadyhand.text.encoding import Encoding
from steadyhand.text.splice import Splice
from steadyhand.workspace.journal.codec import (
    decode_record,
    decode_staging,
    encode_prepared,
    from_bytes,
    pack,
    to_bytes,
    unpack,
)
from steadyhand.workspace.journal.record import (
    EditNote,
    FileChange,
    FileState,
    Ownership,
    Record,
    Staging,
    new_record_id,
    utc_now,
)
from tests.table import table
from tests.workspace.journal.sample_records import STAGING, edited, record, state

anything = st.text(st.characters(codec=None, exclude_categories=()), max_size=8)  # lone surrogates too
ids = st.text("0123456789abcdef", min_size=12, max_size=12)
names = anything.map(lambda text: text.replace("\0", ""))
digests = st.binary(min_size=32, max_size=32).map(bytes.hex)
owners = st.builds(
    Ownership, st.integers(0, 2**32 - 2), st.integers(0, 2**32 - 2),
    st.lists(st.tuples(names, st.binary(max_size=4)), max_size=2).map(tuple),
)  # fmt: skip
states = st.builds(FileState, names, digests, st.integers(0, 0o7777), st.none() | owners)
notes = st.builds(
    EditNote,
    st.none() | anything,
    st.none() | anything,
    st.none() | st.floats(0, 1),
    st.none() | st.tuples(st.integers(1), st.integers(1)),
    st.lists(st.integers(0), max_size=3).map(tuple),
    st.lists(anything, max_size=2).map(tuple),
    st.lists(ids, max_size=2).map(tuple),
)
encodings = st.builds(
    Encoding,
    st.sampled_from(["utf-8", "cp1252"]),
    st.binary(max_size=4),
    st.sampled_from(["strict", "surrogateescape"]),
    st.just("journal"),
)
change_sets = st.lists(st.tuples(anything, anything), max_size=3).map(
    lambda pairs: ChangeSet(tuple(Splice(100 * index, old, new) for index, (old, new) in enumerate(pairs)), "00" * 32)
)
file_changes = st.builds(
    FileChange,
    states,
    st.none() | states,
    st.none() | change_sets,
    st.none() | encodings,
    st.lists(notes, max_size=2).map(tuple),
    st.lists(names, max_size=2).map(tuple),
    st.booleans(),
)
records = st.builds(
    Record,
    ids,
    anything,
    anything,
    st.none() | anything,
    anything,
    st.none() | anything,
    st.sampled_from(["edit", "undo", "redo"]),
    st.lists(ids, max_size=2).map(tuple),
    st.lists(file_changes, max_size=3).map(tuple),
    st.none() | anything,
    st.none() | anything,
    st.none() | st.integers(0, 10**9),
)
stagings = st.builds(
    Staging,
    anything,
    st.integers(1, 2**22),
    st.lists(st.tuples(names, names), max_size=2).map(tuple),
    st.lists(anything, max_size=2).map(tuple),
    st.integers(0, 2**63 - 1),
)


DIGEST = "ab" * 32
NOTE = {"reason": None, "tier": None, "similarity": None, "lines": None, "splices": [], "differs": []}


def unreadable() -> pytest.RaisesExc[ValueError]:
    return pytest.raises(ValueError, match=r".")


def _without(name: str) -> object:
    data = json.loads(encode_prepared(record(), STAGING))
    del data["record"][name]
    return data


@table(
    "body",
    [
        b"",
        b"\xff",
        b"null",
        b"[]",
        b"{}",
        b'{"v":2,"record":{},"staging":{}}',
        b'{"v":1,"record":null,"staging":null}',
        b'{"v":1}',
        b"[" * 100_000,
        *(json.dumps(_without(name)).encode() for name in ("id", "files", "undoes", "verb", "duration_ms")),
    ],
)
def test_what_is_no_record_is_a_value_error(body: bytes) -> None:
    with unreadable():
        decode_record(body)


@table(
    ("part", "value"),
    [
        ("id", "ABC"),
        ("id", 5),
        ("time", None),
        ("verb", "delete"),
        ("undoes", "abc"),
        ("undoes", [5]),
        ("undoes", ["nothex"]),
        ("duration_ms", True),
        ("duration_ms", 1.5),
        ("files", {}),
        ("files", [5]),
        ("files", [{"before": None, "after": None}]),
        ("task", 12),
    ],
)
def test_a_field_of_another_type_is_a_value_error(part: str, value: object) -> None:
    data = json.loads(encode_prepared(record(), STAGING))
    data["record"][part] = value
    with unreadable():
        decode_record(json.dumps(data).encode())


@table(
    ("part", "value"),
    [
        ("before", ["a", "b"]),
        ("before", ["a", "b", "c"]),
        ("changes", []),
        ("changes", {"base": None, "splices": [[0, "abc", ""], [1, "b", ""]]}),
        ("encoding", {"name": "utf-8"}),
        ("encoding", {"name": "utf-8", "mark": "xx", "errors": "strict"}),
        ("encoding", {"name": "utf-8", "mark": "", "errors": "ignore"}),
        ("edits", [{}]),
        ("redacted", 1),
        ("made_dirs", [None]),
        ("made_dirs", ["a\0b"]),
        *(("after", ["a", DIGEST, mode]) for mode in (-1, 0o10000, 0o100644, 2**70)),
        *(
            ("after", ["a", digest, 0])
            for digest in ("", DIGEST.upper(), DIGEST[:-1], DIGEST + "\n", "../" + DIGEST[3:])
        ),
        ("after", ["a\0b", DIGEST, 0]),
        ("after", ["a", DIGEST, 0, [-1, 0, []]]),
        ("after", ["a", DIGEST, 0, [0, 2**32 - 1, []]]),
        ("after", ["a", DIGEST, 0, [0, 0, [["user.a\0b", ""]]]]),
        ("changes", {"base": "short", "splices": []}),
        ("changes", {"base": None, "splices": [[10**30, "", "x"]]}),
        *(
            ("encoding", {"name": name, "mark": "", "errors": "strict"})
            for name in ("", "nosuch", "rot13", "hex", "idna", "undefined", "utf-8\0x", "../utf-8", "\ud800")
        ),
        *(("edits", [{**NOTE, "forced": forced}]) for forced in (None, "x", [1], {})),
        *(("edits", [{**NOTE, "similarity": number}]) for number in (10**400, float("nan"), float("inf"), True)),
    ],
)
def test_a_file_of_another_shape_is_a_value_error(part: str, value: object) -> None:
    data = json.loads(encode_prepared(record(), STAGING))
    data["record"]["files"][0][part] = value
    with unreadable():
        decode_record(json.dumps(data).encode())


@table(
    ("part", "value"),
    [
        ("pid", 2**70),
        ("pid", -1),
        ("temps", [["a", "b\0"]]),
        ("temps", [["a\0", "b"]]),
        *(("fence", number) for number in (-1, 2**63, None, "1", 1.5)),
    ],
)
def test_a_staging_no_process_could_have_made_is_a_value_error(part: str, value: object) -> None:
    data = json.loads(encode_prepared(record(), STAGING))
    data["staging"][part] = value
    with unreadable():
        decode_staging(json.dumps(data).encode())


def test_a_record_of_an_earlier_version_has_no_fence_and_nothing_it_was_forced_over() -> None:
    body = encode_prepared(record(), STAGING)
    assert b"fence" not in body
    assert b"forced" not in body
    assert decode_staging(body).fence == 0
    assert decode_record(body).files[0].edits[0].forced == ()


@table(("codec", "data"), [(7, b"x"), (1, b"x"), (1, b""), (1, pack(b"a" * 5000)[1] + b"more")])
def test_what_was_not_packed_is_not_unpacked(codec: int, data: bytes) -> None:
    with unreadable():
        unpack(codec, data)


def test_a_body_that_would_unpack_to_more_than_allowed_is_refused() -> None:
    codec, data = pack(bytes(1 << 20))
    with unreadable():
        unpack(codec, data, limit=1000)


def test_a_change_without_any_side_cannot_be_made() -> None:
    with unreadable():
        FileChange(None, None)


@given(records, stagings)
def test_records_and_stagings_read_back_as_written(made: Record, staging: Staging) -> None:
    body = encode_prepared(made, staging)
    assert decode_record(body) == made
    assert decode_staging(body) == staging
    assert b"\n" not in body


@given(st.binary(max_size=3000) | st.binary(max_size=20).map(lambda piece: piece * 500))
def test_packing_loses_nothing(data: bytes) -> None:
    codec, stored = pack(data)
    assert unpack(codec, stored) == data
    assert len(stored) <= len(data)


def test_neighbouring_surrogates_stay_two_characters() -> None:
    assert from_bytes(to_bytes({"text": "\ud83d\ude00"})) == {"text": "\ud83d\ude00"}


@table(
    ("change", "status"),
    [
        (FileChange(None, state("a", b"x")), "created"),
        (FileChange(state("a", b"x"), None), "deleted"),
        (FileChange(state("a", b"x"), state("b", b"x")), "renamed"),
        (FileChange(state("a", b"x"), state("b", b"y")), "renamed"),
        (FileChange(state("a", b"x"), state("a", b"y")), "edited"),
        (FileChange(state("a", b"x"), state("a", b"x", 0o755)), "mode"),
        (FileChange(None, state("a", b"")), "created"),
    ],
)
def test_the_status_follows_from_the_two_sides(change: FileChange, status: str) -> None:
    assert change.status == status


def test_a_record_knows_every_path_it_touched_and_finds_the_file_by_either_side() -> None:
    moved = FileChange(state("a", b"x"), state("b", b"x"))
    made = record(moved, edited("c"))
    assert made.paths == ("a", "b", "c")
    assert made.file("a") is moved
    assert made.file("b") is moved
    assert made.file("z") is None


def test_the_side_after_wins_where_a_path_is_on_both_sides_of_a_record() -> None:
    away, here = FileChange(state("a", b"x"), state("b", b"x")), FileChange(state("c", b"y"), state("a", b"y"))
    assert record(away, here).file("a") is here


def test_ids_are_twelve_hex_digits_and_times_are_utc_with_milliseconds() -> None:
    assert len({new_record_id() for _ in range(100)}) == 100
    assert record(id=new_record_id())
    assert len(utc_now()) == len("2026-01-01T00:00:00.000Z")
    assert utc_now().endswith("Z")
