"""Key paths as text: what is no path, what is one, and that writing and reading are inverse."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.errors import EditError, Kind
from steadyhand.structure.config.item import KeyPath, parse_path, render_path
from tests.table import table


@table(
    ("text", "position"),
    [
        ("a..b", 2),
        ("a.", 2),
        ("..", 1),
        ("a[", 1),
        ("a[]", 1),
        ("a[*]", 1),
        ("a[b]", 1),
        ("a[0", 1),
        ("a[1.5]", 1),
        ("a]b", 1),
        ('"a', 0),
        ('"a"b', 3),
        ('a["b"', 5),
        ('a["b', 2),
        ('"\\q"', 0),
        ("'a", 0),
        ("a[99999999999]", 1),
    ],
)
def test_what_is_no_path_is_refused_with_the_position(text: str, position: int) -> None:
    with pytest.raises(EditError) as caught:
        parse_path(text)
    assert caught.value.kind == Kind.BAD_REQUEST
    assert caught.value.details["position"] == position
    assert caught.value.hint


@table(
    ("text", "path"),
    [
        ("", ()),
        ("$", ()),
        (".", ()),
        ("a", ("a",)),
        ("a.b.c", ("a", "b", "c")),
        (".a.b", ("a", "b")),
        ("$.a.b", ("a", "b")),
        ("$[0].a", (0, "a")),
        ("$schema", ("$schema",)),
        ("a[0][-1].b", ("a", 0, -1, "b")),
        ("a.[0]", ("a", 0)),
        ("a.0", ("a", "0")),
        ('a."x.y".c', ("a", "x.y", "c")),
        ("a['x.y']", ("a", "x.y")),
        ("'it''s'", ("it's",)),
        ('["weird key"]', ("weird key",)),
        ('"\\u0041\\n"', ("A\n",)),
        ('""', ("",)),
        ("don't.panic", ("don't", "panic")),
        ("a b.c d", ("a b", "c d")),
        ("/a/b/0", ("a", "b", "0")),
        ("/a~1b/~0", ("a/b", "~")),
        ("/", ("",)),
        ('paths."/users".get', ("paths", "/users", "get")),
        ("größe.名前", ("größe", "名前")),
    ],
)
def test_paths(text: str, path: KeyPath) -> None:
    assert parse_path(text) == path


@table(
    ("path", "text"),
    [
        ((), ""),
        (("a", "b", 0, "c"), "a.b[0].c"),
        ((0, 1), "[0][1]"),
        (("$",), '"$"'),
        (("$ref",), "$ref"),
        (("/users",), '"/users"'),
        (("a", ""), 'a.""'),
        ((" a", "b "), '" a"."b "'),
        (("[0]",), '"[0]"'),
        (("8080",), "8080"),
        (('say "x"',), '"say \\"x\\""'),
        (("two\nlines",), '"two\\nlines"'),
    ],
)
def test_paths_are_written_with_quotes_where_they_need_them(path: KeyPath, text: str) -> None:
    assert render_path(path) == text


STEPS = st.one_of(st.integers(0, 10**6), st.text(max_size=6), st.text(alphabet=".[]\"'$/ab01 \\\n\t-~", max_size=6))


@given(st.lists(STEPS, max_size=5))
def test_a_path_that_is_written_reads_as_itself(steps: list[str | int]) -> None:
    assert parse_path(render_path(tuple(steps))) == tuple(steps)


@given(st.text(alphabet=".[]\"'$/ab0 \\~-", max_size=12))
def test_any_text_is_a_path_or_refused(text: str) -> None:
    try:
        path = parse_path(text)
    except EditError as error:
        assert error.kind == Kind.BAD_REQUEST
    else:
        assert parse_path(render_path(path)) == path
