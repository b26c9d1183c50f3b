"""JSON as it is read: what is refused, what is accepted, and that every place is the place of what it says."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.errors import Kind
from steadyhand.structure.config.item import Item, Reading, plain_of
from steadyhand.structure.config.syntax import syntax_named
from steadyhand.structure.format import format_of
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source
from tests.structure.jsonc import load
from tests.table import table

CORPUS = Path(__file__).parent.parent / "corpus" / "json"
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


def read(text: str, path: str = "a.json") -> Reading | Refusal:
    return syntax_named("json").read(Source.of_text(text, path=path))


def top(text: str, path: str = "a.json") -> Item:
    reading = read(text, path)
    assert isinstance(reading, Reading), reading
    (item,) = reading.documents
    return item


def scattered(value: object, chance: random.Random, gaps: list[str]) -> str:
    """A value as JSON, with any gap anywhere between its tokens."""
    made: list[str] = []
    for part in json.JSONEncoder(ensure_ascii=chance.random() < 0.5, separators=(",", ":")).iterencode(value):
        for token in _tokens(part):
            made += [chance.choice(gaps), token]
    return "".join([*made, chance.choice(gaps)])


def _tokens(part: str) -> list[str]:
    if part.startswith('"'):
        return [part]
    marks = [letter if letter not in "{}[],:" else f"\0{letter}\0" for letter in part]
    return _with_strings([piece for piece in "".join(marks).split("\0") if piece])


def _with_strings(pieces: list[str]) -> list[str]:
    """Joins what was cut inside a string."""
    made: list[str] = []
    for piece in pieces:
        if made and made[-1].startswith('"') and not _is_closed(made[-1]):
            made[-1] += piece
        else:
            made.append(piece)
    return made


def _is_closed(written: str) -> bool:
    try:
        json.loads(written)
    except ValueError:
        return False
    return True


@table(
    ("text", "line", "column"),
    [
        ("", 1, 1),
        ("  \n ", 2, 2),
        ("[1 2]", 1, 4),
        ("[1,,2]", 1, 4),
        ("[,]", 1, 2),
        ("{,}", 1, 2),
        ('{"a" 1}', 1, 2),
        ('{"a":}', 1, 6),
        ('{"a": 1\n"b": 2}', 2, 1),
        ("{a: 1}", 1, 2),
        ("['a']", 1, 2),
        ("[01]", 1, 2),
        ("[1.]", 1, 2),
        ("[.5]", 1, 2),
        ("[+1]", 1, 2),
        ("[0x1]", 1, 2),
        ("[1e]", 1, 2),
        ("[nul]", 1, 2),
        ("[nullx]", 1, 2),
        ("[True]", 1, 2),
        ('["a\nb"]', 1, 2),
        ('["\\x41"]', 1, 2),
        ('["a]', 1, 2),
        ("[1]]", 1, 4),
        ("{}\n{}", 2, 1),
        ('{"a": 1]', 1, 8),
        ("/* no end", 1, 1),
        ("[\u00a01]", 1, 2),
        ("[1] #", 1, 5),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(text: str, line: int, column: int) -> None:
    refusal = read(text)
    assert isinstance(refusal, Refusal)
    assert refusal.kind == Kind.UNPARSABLE
    assert (refusal.details["line"], refusal.details["column"]) == (line, column)
    assert refusal.hint
    known = format_of("a.json")
    assert known is not None
    assert known.fault is not None
    fault = known.fault(Source.of_text(text, path="a.json"))
    assert fault is not None
    assert (fault.line, fault.column) == (line, column)


@pytest.mark.sweep
@table(
    "text",
    ["[" * 100_000, '{"a":' * 100_000, "[" * 100_000 + "]" * 100_000, "[[],{}," * 50_000, "[" * 511 + "{}," * 100_000],
)
def test_depth_bombs_are_too_large_or_read(text: str) -> None:
    refusal = read(text)
    assert isinstance(refusal, Refusal)
    assert refusal.kind in (Kind.TOO_LARGE, Kind.UNPARSABLE)


@pytest.mark.sweep
@table(
    "text", ["/*" * 100_000, "/" * 100_000, '"' + "\\" * 100_001, " " * 500_000, "[" + "1," * 100_000, "-" * 100_000]
)
def test_texts_that_tempt_a_pattern_to_try_again_end(text: str) -> None:
    assert isinstance(read(text), Refusal)


def test_what_is_nested_as_deep_as_allowed_is_read() -> None:
    item = top("[" * 512 + "]" * 512)
    assert max(len(part.path) for part in item.walk()) == 511


@table(
    ("text", "value"),
    [
        ("[1,]", [1]),
        ('{"a": 1,}', {"a": 1}),
        ("// x\n[1 /* y */, // z\n2] // end", [1, 2]),
        ('"a//b/*c*/"', "a//b/*c*/"),
        ("\ufeff[]", []),
        ('"\\ud83d\\ude00"', "😀"),
        ("[\r1,\r\n2]", [1, 2]),
        ("9" * 5000, "9" * 5000),
    ],
)
def test_comments_trailing_commas_and_odd_scalars_are_read(text: str, value: object) -> None:
    assert plain_of(top(text)) == value


@table(
    ("text", "value"),
    [
        ("{a: 1, $b: 2, 'c d': 3, \"e\": 4,}", {"a": 1, "$b": 2, "c d": 3, "e": 4}),
        ("[.5, 5., +1, 0xFF, -0xF]", [0.5, 5.0, 1, 255, -15]),
        ("'it\\'s \\x41\\u0042\\v'", "it's AB\v"),
        ("'one \\\ntwo \\\r\nthree'", "one two three"),
        ("'\\ud83d\\ude00'", "😀"),
        ("\u00a0[1]\u2028", [1]),
    ],
)
def test_json5_is_read_where_the_name_says_so(text: str, value: object) -> None:
    assert plain_of(top(text, "a.json5")) == value
    assert isinstance(read(text, "a.json"), Refusal)


@table("text", ['{\n  "a": 1,\n}', '{\n  "a": 1 // x\n}'])
def test_what_a_program_cannot_read_is_a_fault_in_its_files(text: str) -> None:
    for path, is_fault in (
        ("sub/package.json", True),
        ("tsconfig.json", False),
        ("a.geojson", True),
        ("a.jsonc", False),
    ):
        known = format_of(path)
        assert known is not None
        assert known.fault is not None
        fault = known.fault(Source.of_text(text, path=path))
        assert (fault is not None) == is_fault
        assert isinstance(read(text, path), Reading)


def test_json_lines_are_documents() -> None:
    reading = read('{"a": 1}\n\n[2]\r\n3', "a.jsonl")
    assert isinstance(reading, Reading)
    assert [plain_of(item) for item in reading.documents] == [{"a": 1}, [2], 3]
    assert isinstance(read("{\n}", "a.ndjson"), Refusal)


GAPS = ["", "", " ", "\n", "\r\n  ", "\t", '/* [" */', "// }\n", " /**/ "]


@given(VALUES, st.integers(0, 2**32))
def test_random_documents_in_random_layouts_read_as_json_reads_them(value: object, seed: int) -> None:
    text = scattered(value, random.Random(seed), GAPS)
    item = top(text)
    assert json.dumps(plain_of(item)) == json.dumps(load(text)) == json.dumps(value)
    for part in item.walk():
        written = part.value.of(text)
        assert json.dumps(load(written)) == json.dumps(plain_of(part))
        if part.name is not None:
            assert json.loads(part.name.of(text)) == part.path[-1]


@given(st.text(alphabet='{}[],:"\\/*01-.eE truefalsn\n\r', max_size=30))
def test_any_text_is_read_as_the_reference_reads_it_or_refused(text: str) -> None:
    reading = read(text)
    try:
        strict: object = json.loads(text)
    except ValueError:
        return
    assert isinstance(reading, Reading), reading
    assert json.dumps(plain_of(reading.documents[0])) == json.dumps(strict)


def test_what_json_itself_loads_in_the_corpus_is_read_the_same() -> None:
    tried = 0
    for path in sorted(CORPUS.glob("*.json")):
        source = Source.of_bytes(path.read_bytes(), path=path.name)
        try:
            strict: object = json.loads(source.text)
        except (ValueError, RecursionError):
            continue
        tried += 1
        reading = syntax_named("json").read(source)
        assert isinstance(reading, Reading), path.name
        assert json.dumps(plain_of(reading.documents[0])) == json.dumps(strict), path.name
    assert tried > 20
