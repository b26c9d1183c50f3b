"""Rows by their languages: what is the same row, what are its tokens; and what must never be taken for the same."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.match.lexer import fold, lexer_of, read_tokens, squeeze, token_key, tokens
from tests.table import table

PATHS = [
    None,
    "a.py",
    "a.js",
    "a.rs",
    "a.go",
    "a.md",
    "a.html",
    "a.sh",
    "a.yml",
    "a.css",
    "a.sql",
    "a.c",
    "a.toml",
    "a.rb",
]
rows = st.text(alphabet="ab_1 \t'\"`\\#/*-=.,(){}\u00a0’“—…é\u0301\u200b", max_size=24)

plain_rows = st.text(alphabet="ab_1 \t'\"`\\#/*-=.,(){}", max_size=24)


def words(path: str | None, text: str) -> list[str]:
    return [text[start:end] for start, end in tokens(lexer_of(path), text)]


@table(
    ("path", "one", "two"),
    [
        (None, 'print("a  b")', 'print("a b")'),
        (None, "print('a  b')", "print('a b')"),
        (None, "print(f'a  b')", "print(f'a b')"),
        ("a.py", "x = 'a\tb'", "x = 'a b'"),
        ("a.py", 'x = """a  b', 'x = """a b'),
        ("a.py", r"x = 'it\'s  so'", r"x = 'it\'s so'"),
        ("a.js", "x = `a  b`", "x = `a b`"),
        ("a.js", 'f(/* y */ "a  b")', 'f(/* y */ "a b")'),
        ("a.js", 'get("http://x  y")', 'get("http://x y")'),
        ("a.sh", "echo 'a  b'", "echo 'a b'"),
        ("a.sh", "echo ${#x} 'a  b'", "echo ${#x} 'a b'"),
        ("a.md", 'say "a  b" so', 'say "a b" so'),
        ("a.rs", 'let x: &\'a str = "a  b";', 'let x: &\'a str = "a b";'),
        ("a.py", "ab", "a b"),
    ],
)
def test_blanks_inside_a_literal_are_never_squeezed(path: str | None, one: str, two: str) -> None:
    lexer = lexer_of(path)
    assert squeeze(lexer, one) != squeeze(lexer, two)
    assert fold(lexer, one) != fold(lexer, two)
    assert token_key(lexer, one) != token_key(lexer, two)


@table(
    ("path", "one", "two"),
    [
        ("a.py", "say('a \"b\"')", "say(\"a 'b'\")"),
        ("a.py", "x = '\"'", 'x = "\'"'),
        ("a.py", "# a 'b'", '# a "b"'),
        ("a.sh", "echo '$x'", 'echo "$x"'),
        ("a.toml", r"a = 'b\n'", r'a = "b\n"'),
        ("a.rb", "a = 'b#{c}'", 'a = "b#{c}"'),
        ("a.go", "x := 'a'", 'x := "a"'),
        ("a.php", "$x = '$a'", '$x = "$a"'),
        (None, "x = 'a'", 'x = "a"'),
        ("a.c", "a - 1", "a -- 1"),
        ("a.md", "use --all", "use -all"),
        ("a.md", "btn--big", "btn-big"),
        ("a.md", "cafe", "café"),
        ("a.md", "a-b", "ab"),
    ],
)
def test_what_means_something_else_is_not_folded(path: str | None, one: str, two: str) -> None:
    lexer = lexer_of(path)
    assert fold(lexer, one) != fold(lexer, two)
    assert token_key(lexer, one) != token_key(lexer, two)


@table(
    ("path", "one", "two"),
    [
        ("a.c", "a + +b", "a ++b"),
        ("a.c", "a = =b", "a == b"),
        ("a.css", ".a .b", ".a.b"),
        ("a.css", "a :hover", "a:hover"),
        ("a.yml", "a: b", "a:b"),
        ("a.sh", "a = b", "a=b"),
        ("a.c", "#define F (x)", "#define F(x)"),
        ("a.md", "* one", "*one"),
        ("a.py", 'f "x"', 'f"x"'),
        (None, "a - b", "a -b"),
    ],
)
def test_a_blank_that_means_something_tells_tokens_apart(path: str | None, one: str, two: str) -> None:
    assert token_key(lexer_of(path), one) != token_key(lexer_of(path), two)


@table(
    ("path", "row", "squeezed"),
    [
        (None, "  a  b\t c  ", "a b c"),
        (None, "don't   stop", "don't stop"),
        (None, "the users'  list", "the users' list"),
        (None, '5" or  6', '5" or 6'),
        ("a.py", "x  =  'a  b'  # it's   so", "x = 'a  b' # it's so"),
        ("a.js", "x;  // it's   so", "x; // it's so"),
        ("a.js", " * it's   so", "* it's so"),
        ("a.js", "url(http://a)   b", "url(http://a) b"),
        ("a.rs", "fn  f<'a>(x:  &'a  str)", "fn f<'a>(x: &'a str)"),
        ("a.c", "x = '\\'';   y = 'a';  z", "x = '\\''; y = 'a'; z"),
        ("a.sql", "a  -- it's   so", "a -- it's so"),
        ("a.yml", "a:   don't   # it's  so", "a: don't # it's so"),
        ("a.py", "x = 'open  ended", "x = 'open  ended"),
    ],
)
def test_runs_of_blanks_become_one_outside_literals(path: str | None, row: str, squeezed: str) -> None:
    assert squeeze(lexer_of(path), row) == squeezed


@table(
    ("path", "one", "two"),
    [
        ("a.py", "x = 'a'", 'x = "a"'),
        ("a.py", "'''a b'''", '"""a b"""'),
        ("a.js", "x = “a”", 'x = "a"'),
        ("a.html", "<a href='x'>", '<a href="x">'),
        ("a.md", "it’s “so”", 'it\'s "so"'),
        ("a.md", "wait…", "wait..."),
        ("a.md", "a — b", "a - b"),
        ("a.md", "a — b", "a -- b"),
        ("a.md", "1–2", "1-2"),
        ("a.md", "a\u00a0\u2009b", "a b"),
        ("a.md", "co\u00adop\u200b", "coop"),
        ("a.md", "cafe\u0301", "caf\u00e9"),
        ("a.py", "\ufeffx = 1", "x = 1"),
        ("a.py", "f('a\u00a0b')", "f('a b')"),
    ],
)
def test_typography_is_folded(path: str | None, one: str, two: str) -> None:
    assert fold(lexer_of(path), one) == fold(lexer_of(path), two)


@table(
    ("path", "text", "expected"),
    [
        ("a.py", "f('a b',x1)", ["f", "(", "'a b'", ",", "x1", ")"]),
        ("a.py", "a\n  == b", ["a", "==", "b"]),
        ("a.js", "x // it's", ["x", "//", "it", "'", "s"]),
        ("a.rs", "&'a str", ["&", "'", "a", "str"]),
        ("a.md", "don't", ["don", "'", "t"]),
        ("a.c", r"a\"b", ["a", r"\"", "b"]),
        ("a.py", "cafe\u0301 x", ["cafe\u0301", "x"]),
        ("a.py", "x = 'open ended\ny", ["x", "=", "'open ended", "y"]),
        (None, "", []),
        (None, " \r\n\t", []),
    ],
)
def test_tokens_are_words_signs_and_whole_literals(path: str | None, text: str, expected: list[str]) -> None:
    assert words(path, text) == expected


def test_a_token_knows_the_line_endings_before_it_and_what_it_is_part_of() -> None:
    found = list(read_tokens(lexer_of("a.c"), "#if x\r\n\r\ny; // z\n'c'", 0))
    assert [(token.bare, token.kind, token.breaks) for token in found] == [
        ("#", "directive", 0),
        ("if", "directive", 0),
        ("x", "directive", 0),
        ("y", "plain", 2),
        (";", "plain", 0),
        ("//", "comment", 0),
        ("z", "comment", 0),
        ("'c'", "literal", 1),
    ]


def test_reading_may_start_at_any_row_of_a_text() -> None:
    text = "é = 1\nb = “x”\nc\n"
    assert [text[token.start : token.end] for token in read_tokens(lexer_of("a.py"), text, 6, 13)] == ["b", "=", "“x”"]


@table(
    ("path", "name"),
    [
        (None, "unknown"),
        ("", "unknown"),
        ("noextension", "unknown"),
        ("py", "unknown"),
        ("a.unheard", "unknown"),
        ("src/A.PY", "python"),
        ("dir.py/file", "unknown"),
        ("C:\\src\\a.tsx", "javascript"),
        ("Makefile", "make"),
        ("CMakeLists.txt", "make"),
        ("README", "prose"),
        ("a.tar.json", "json"),
        (".gitignore", "settings"),
    ],
)
def test_a_language_is_known_by_the_name_of_the_file(path: str | None, name: str) -> None:
    assert lexer_of(path).name == name


@given(rows, st.sampled_from(PATHS))
def test_squeezing_and_folding_twice_is_the_same_as_once(row: str, path: str | None) -> None:
    lexer = lexer_of(path)
    assert squeeze(lexer, squeeze(lexer, row)) == squeeze(lexer, row)
    assert fold(lexer, fold(lexer, row)) == fold(lexer, row)


@given(rows, st.sampled_from(PATHS))
def test_squeezing_takes_away_nothing_but_blanks(row: str, path: str | None) -> None:
    assert re.sub(r"[ \t]", "", squeeze(lexer_of(path), row)) == re.sub(r"[ \t]", "", row)


@given(plain_rows, plain_rows, st.sampled_from(PATHS))
def test_rows_that_squeeze_alike_fold_alike_and_have_the_same_tokens(one: str, two: str, path: str | None) -> None:
    lexer = lexer_of(path)
    for other in (two, squeeze(lexer, one), f"  {one}\t"):
        if squeeze(lexer, one) == squeeze(lexer, other):
            assert fold(lexer, one) == fold(lexer, other)
            assert token_key(lexer, one) == token_key(lexer, other)


@given(st.text(alphabet="ab 'é\"#/\\\n\r.,=(", max_size=40), st.sampled_from(PATHS))
def test_tokens_are_in_order_apart_within_a_row_and_leave_only_blanks(text: str, path: str | None) -> None:
    end, left = 0, []
    for first, last in tokens(lexer_of(path), text):
        assert end <= first < last
        assert "\n" not in text[first:last]
        assert "\r" not in text[first:last]
        left.append(text[end:first])
        end = last
    assert not "".join([*left, text[end:]]).strip()
