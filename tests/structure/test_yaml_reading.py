"""YAML as it is read: what is refused, where values are, and which type they have."""

from __future__ import annotations

import datetime as dt
import math

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.errors import Kind
from steadyhand.structure.config.item import Item, Reading, parse_path
from steadyhand.structure.config.yaml import SYNTAX
from steadyhand.structure.config.yaml_style import looks_typed, may_be_plain
from steadyhand.structure.format import format_of
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source
from tests.structure.yaml_documents import ODD, ODDER, WORDS
from tests.table import table


def read(text: str) -> Reading:
    found = SYNTAX.read(Source.of_text(text))
    assert isinstance(found, Reading), found
    return found


def item_at(text: str, path: str) -> Item:
    return read(text).find(parse_path(path))[0]


@table(
    ("text", "line"),
    [
        ("a: 1\nb: [1, 2\n", 2),
        ("a: 1\n b: 2\n", 2),
        ("a:\n\tb: 1\n", 2),
        ('a: "x\n', 1),
        ("a: b: c\n", 1),
        ("a: *x\n", 1),
        ("a: &x 1\n---\nb: *x\n", 3),
        ("a: 1\nb: {{ .Values.b }}\n", 2),
        ("{{ if x }}\na: 1\n", 1),
        ("a: \x00\n", 1),
        ("a: \ud800\n", 1),
        ("- a\nb: 1\n", 2),
        ("%YAML 9.9\n---\na\n", 1),
    ],
)
def test_what_does_not_parse_is_refused_with_its_line(text: str, line: int) -> None:
    found = SYNTAX.read(Source.of_text(text))
    assert isinstance(found, Refusal)
    assert (found.kind, found.details["line"]) == (Kind.UNPARSABLE, line)
    assert found.details["reason"]
    assert found.hint


@table("piece", ["[", "{a: ", "- ", "? ", "[{", "a:\n ", "{? "])
def test_a_nesting_bomb_is_too_large(piece: str) -> None:
    text = piece * 100_000 if "\n" not in piece else "".join(" " * depth + "a:\n" for depth in range(2_000))
    found = SYNTAX.read(Source.of_text(text))
    assert isinstance(found, Refusal)
    assert found.kind is Kind.TOO_LARGE


@pytest.mark.sweep
def test_many_long_paths_are_too_large() -> None:
    found = SYNTAX.read(Source.of_text(("- " + "[" * 190 + "a," * 1000 + "]" * 190 + "\n") * 130))
    assert isinstance(found, Refusal)
    assert found.kind is Kind.TOO_LARGE


def test_aliases_that_would_fill_the_memory_stay_aliases() -> None:
    lines = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60))]
    top = read("\n".join(lines)).documents[0]
    assert sum(1 for _ in top.walk()) == 1 + 60 * 3
    assert top.children[-1].children[0].data == ("alias", "a58", 1)


@given(st.text(alphabet="ab:-?[]{},&*!|>'\"%#~ \n\r\t", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    found = SYNTAX.read(Source.of_text(text))
    if isinstance(found, Refusal):
        assert found.kind is Kind.UNPARSABLE
        return
    for top in found.documents:
        for item in top.walk():
            assert 0 <= item.entry.start <= item.value.start <= item.value.end <= len(text)
            assert item.name is None or item.entry.start <= item.name.start <= item.name.end <= item.entry.end


@table(
    ("marked", "path"),
    [
        ("a: ⟦1⟧ # c\n", "a"),
        ("a:⟦⟧\nb: 2\n", "a"),
        ("a: &x ⟦1⟧\n", "a"),
        ("a: !t &x ⟦'q'⟧\n", "a"),
        ("a: !t⟦⟧\nb: 1\n", "a"),
        ("a: &x\n  ⟦b: 1\n  c:⟧\n\n# c\nd: 1\n", "a"),
        ("a:\n⟦- 1\n-⟧\n# c\nb: 1\n", "a"),
        ("a:\n- 1\n-⟦⟧\n# c\nb: 1\n", "a[1]"),
        ("- - ⟦a⟧\n  - b\n", "[0][0]"),
        ("- ⟦- a\n  - b⟧\n- c\n", "[0]"),
        ("-   ⟦a: 1\n    b: 2⟧  # c\n", "[0]"),
        ("a: ⟦|\n  x\n\n  y⟧\n\n\nb: 1\n", "a"),
        ("a: ⟦|+\n  x\n\n⟧\nb: 1\n", "a"),
        ("a: ⟦|- # c\n  # no comment⟧\n# comment\nb: 1\n", "a"),
        ("a: ⟦|2\n   x⟧\n  \nb: 1\n", "a"),
        ("a: ⟦|⟧\n\nb: 1\n", "a"),
        ("a: ⟦>\n  x\n     ⟧\n\nb: 1\n", "a"),
        ("a: ⟦one\n  two⟧ # c\n", "a"),
        ("a: ⟦'one\n\n  two'⟧\n", "a"),
        ("a: ⟦[1,\n  2]⟧\n", "a"),
        ("a: [1, ⟦b: 2⟧, 3]\n", "a[1]"),
        ("{a⟦⟧, b: 1}", "a"),
        ("{a: 1, b:⟦⟧ }", "b"),
        ('{"a":⟦1⟧}', "a"),
        ("? a\n: ⟦- 1\n  - 2⟧\n", "a"),
        ("? a⟦⟧\n? b\n", "a"),
        ("? |\n  k\n: ⟦v⟧\n", '"k\\n"'),
        ("é: 😀\n😀: ⟦x⟧\n", "😀"),
        ("a: 1\r\nb: ⟦|\r\n  x\r\n  y⟧\r\n\r\nc: 1\r\n", "b"),
        ("a: 1\rb: ⟦2⟧\rc: 3\r", "b"),
        ("\ufeffa: ⟦😀⟧\r\n", "a"),
        ("--- # c\na: ⟦1⟧\n...\n", "a"),
    ],
)
def test_the_value_is_exactly_what_is_written(marked: str, path: str) -> None:
    text = marked.replace("⟦", "").replace("⟧", "")
    start = marked.index("⟦")
    item = item_at(text, path)
    assert (item.value.start, item.value.end) == (start, marked.index("⟧") - 1)


@table(
    ("written", "kind", "data"),
    [
        ("on", "flag", True),
        ("No", "flag", False),
        ("y", "text", "y"),
        ('"yes"', "text", "yes"),
        ("0755", "number", 493),
        ("0o755", "text", "0o755"),
        ("1_000", "number", 1000),
        ("12:30", "number", 750),
        ("1.0e+3", "number", 1000.0),
        (".inf", "number", math.inf),
        ("~", "null", None),
        ("", "null", None),
        ("2024-01-01", "date", dt.date(2024, 1, 1)),
        ("2024-13-45", "other", "2024-13-45"),
        ("9" * 5000, "other", "9" * 5000),
        ("=", "other", "="),
        ("!!str 5", "text", "5"),
        ('!!int "5"', "number", 5),
        ("!mine 5", "number", 5),
        ("!mine five", "text", "five"),
        ("|\n  5", "text", "5"),
    ],
)
def test_types_are_those_of_the_written_scalar(written: str, kind: str, data: object) -> None:
    item = item_at(f"a: {written}", "a")
    assert (item.kind, item.data) == (kind, data)


def test_names_are_compared_as_they_are_written() -> None:
    top = read("on: 1\n8080: 2\n'no': 3\n2024-01-01: 4\n~: 5\n[a, b]: 6\n").documents[0]
    assert [child.path[-1] for child in top.children] == ["on", "8080", "no", "2024-01-01", "~", "[a, b]"]


def test_documents_are_counted_and_a_file_of_comments_has_none() -> None:
    assert [top.kind for top in read("a: 1\n---\n- 1\n---\n---\nx\n...\n").documents] == [
        "mapping",
        "sequence",
        "null",
        "text",
    ]
    assert read("# nothing\n").documents == read("").documents == ()


def test_a_merge_brings_no_key() -> None:
    found = read("base: &b {x: 1}\nuse:\n  <<: *b\n  y: 2\n")
    assert [child.path[-1] for child in found.find(("use",))[0].children] == ["<<", "y"]


@table("word", [*ODD, *ODDER, "Yes", "OFF", "n", "+.inf", "0x1F", "1e3", "089", ".5", "1:20", "8080:80", "---", "..."])
def test_text_that_some_reader_takes_for_something_else_is_not_plain(word: str) -> None:
    assert not may_be_plain(word, in_flow=False)


@table("word", [*WORDS, "10.0.0.1", "a:b", "a#b", "x-", "nginx:1.27", "-x", "?x", ":x"])
def test_ordinary_text_is_plain(word: str) -> None:
    assert may_be_plain(word, in_flow=False)
    assert yaml.safe_load(word) == word


@given(st.text(alphabet="0123456789.:_-+eExXoObnyYNtTrRuUfFsSlL~=<", min_size=1, max_size=8))
def test_what_looks_like_text_is_text_for_two_readers(word: str) -> None:
    if looks_typed(word) or not may_be_plain(word, in_flow=True):
        return
    from ruamel.yaml import YAML

    assert yaml.safe_load(f"[{word}]") == [word]
    assert YAML(typ="safe", pure=True).load(f"[{word}]") == [word]


def test_the_outline_numbers_documents_and_calls_items_by_name() -> None:
    known = format_of("a/b.yml")
    assert known is not None
    entries = known.outline(Source.of_text("kind: Pod\nlist:\n- name: web\n  port: 1\n- 2\n---\nb: 1\n", path="b.yml"))
    assert not isinstance(entries, Refusal)
    assert [(entry.address, entry.label, entry.depth) for entry in entries] == [
        ("key[1]:", "document 1: mapping of 2 (kind Pod)", 0),
        ("key:kind", "kind: text", 1),
        ("key:list", "list: sequence of 2", 1),
        ("key:list[0]", "[0]: mapping of 2 (name web)", 2),
        ("key:list[0].name", "name: text", 3),
        ("key:list[0].port", "port: number", 3),
        ("key:list[1]", "[1]: number", 2),
        ("key[2]:", "document 2: mapping of 1", 0),
        ("key:b", "b: number", 1),
    ]


def test_the_fault_is_the_first_error_of_the_parser() -> None:
    known = format_of("CITATION.cff")
    assert known is not None
    assert known.fault is not None
    assert known.fault(Source.of_text("a: 1\n")) is None
    fault = known.fault(Source.of_text("a: 1\nb: c: d\n"))
    assert fault is not None
    assert (fault.line, fault.column) == (2, 5)
