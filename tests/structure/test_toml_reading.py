"""Reading TOML: what is refused, where everything is, and that it says what other parsers read."""

from __future__ import annotations

import tomllib
from pathlib import Path

import tomlkit

from steadyhand.errors import Kind
from steadyhand.structure.config.item import parse_path, plain_of
from steadyhand.structure.config.toml_reader import Document, read_document
from steadyhand.structure.format import format_of
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source
from tests.structure.keyed import is_alike
from tests.table import table

CORPUS = Path(__file__).parent.parent / "corpus" / "toml"
WHOLE = sorted(path for path in CORPUS.iterdir() if not path.name.startswith("broken-"))


def document(text: str) -> Document:
    found = read_document(Source.of_text(text))
    assert isinstance(found, Document), found
    return found


def place(text: str, key: str) -> str:
    return document(text).reading.find(parse_path(key))[0].value.of(text)


@table(
    ("text", "line"),
    [
        ("a = 1\nb", 2),
        ("a = 1\nb = \n", 2),
        ("a = 1 2\n", 1),
        ("a = 'x\n", 1),
        ('a = """x\n\n', 1),
        ("a = [1, 2\n", 1),
        ("a = { b = 1\n", 1),
        ("[a\nb = 1\n", 1),
        ("[[a]\n", 1),
        ("a = 1\n\na = 2\n", 3),
        ("[a]\n[b]\n[a]\n", 3),
        ("a = yes\n", 1),
        ("a = 01\n", 1),
        ("a = 1__0\n", 1),
        ("a = .5\n", 1),
        ("a = 1979-13-01\n", 1),
        ('a = "\\q"\n', 1),
        ("a.b = 1\n[a]\n", 2),
        ("a = 1\rb = 2\n", 1),
        ("= 1\n", 1),
        ("a = 1\nb = '\x00'\n", 2),
    ],
)
def test_what_is_no_toml_is_unparsable_with_its_line(text: str, line: int) -> None:
    refusal = read_document(Source.of_text(text))
    assert isinstance(refusal, Refusal)
    assert (refusal.kind, refusal.details["line"]) == (Kind.UNPARSABLE, line)
    known = format_of("a.toml")
    assert known is not None
    assert known.fault is not None
    fault = known.fault(Source.of_text(text))
    assert fault is not None
    assert fault.line == line


@table(
    "text",
    [
        "a = " + "[" * 100_000,
        "a = " + "[" * 100_000 + "]" * 100_000,
        "a = " + "{a=" * 100_000,
        ".".join("a" * 100_000) + " = 1",
        "[" + ".".join("a" * 100_000) + "]",
        "a = " + "[{ b = " * 60 + "1" + "}]" * 60,
    ],
    ids=["open", "closed", "tables", "dotted", "header", "mixed"],
)
def test_a_bomb_of_depth_is_too_large(text: str) -> None:
    refusal = read_document(Source.of_text(text))
    assert isinstance(refusal, Refusal)
    assert refusal.kind == Kind.TOO_LARGE


@table(
    "text",
    ['a = "' + "\\" * 200_001, "a = '''" + "''x" * 70_000, "a = [" + "#\n" * 100_000, "a" * 300_000, "\n" * 300_000],
)
def test_a_long_text_ends_in_an_answer(text: str) -> None:
    assert read_document(Source.of_text(text)) is not None


@table(
    ("text", "key", "value"),
    [
        ("a = 1 # c\n", "a", "1"),
        ("a = [1, [2, 3]] # c\n", "a[1]", "[2, 3]"),
        ("a.b . c = 'x'\n", "a.b.c", "'x'"),
        ("a.b = 1\na.c = 2\nd = 3\na.e = 4\n", "a", "a.b = 1\na.c = 2"),
        ("a = { b.c = 1, b.d = 2 }\n", "a.b.d", "2"),
        ("[a]\nb = 1\n\n# c\n[a.d]\ne = 2 # f\n\n[g]\n", "a", "[a]\nb = 1\n\n# c\n[a.d]\ne = 2"),
        ("[a]\nb = 1\n[c]\n[a.d]\n", "a", "[a]\nb = 1"),
        ("[[a]]\nb = 1\n[[a]]\nb = 2\n", "a[1]", "[[a]]\nb = 2"),
        ('a = """\nx\n"""\n', "a", '"""\nx\n"""'),
        ("a = 1979-05-27 07:32:00 # c\n", "a", "1979-05-27 07:32:00"),
        ('"a.b" = 1\n', '"a.b"', "1"),
    ],
)
def test_a_value_is_where_it_is_written(text: str, key: str, value: str) -> None:
    assert place(text, key) == value
    assert place(text.replace("\n", "\r\n"), key) == value.replace("\n", "\r\n")


@table("path", WHOLE, ids=lambda path: path.name)
def test_the_corpus_says_what_other_parsers_read(path: Path) -> None:
    source = Source.of_bytes(path.read_bytes(), path=path.name)
    found = read_document(source)
    assert isinstance(found, Document)
    plain = plain_of(found.reading.documents[0])
    assert is_alike(plain, tomllib.loads(source.text))
    if path.name != "numbers.toml":  # NaN is like nothing, not even NaN
        assert plain == tomlkit.parse(source.text.replace("\r\n", "\n")).unwrap()
    known = format_of(path.name)
    assert known is not None
    assert known.fault is not None
    assert known.fault(source) is None
