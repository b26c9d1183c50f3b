"""What pages say about themselves, and what is reported where they cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.articles.attention import read_article
from steadyhand.articles.library import read_library
from tests.articles.repository import article
from tests.table import table


def rules(text: str, path: str = "a.md") -> list[tuple[str, str, str | None]]:
    found, problems = read_article(path, text)
    assert found is not None
    assert problems == ()
    return [(rule.op, rule.place, rule.name) for rule in found.rules]


def problems(text: str, path: str = "a.md") -> list[tuple[int | None, str]]:
    return [(each.line, each.message) for each in read_article(path, text)[1]]


def test_every_op_is_read() -> None:
    text = article(
        "A",
        "op: file, path: ./src//a.py",
        'op: file, path: "!src/gen/"',
        "op: symbol, path: src/a.py#B.c",
        'op: key, path: "c.yaml#a.b[0]"',
        "op: article, path: OTHER",
    )
    assert rules(text) == [
        ("file", "src/a.py", None),
        ("file", "src/gen/", None),
        ("symbol", "src/a.py", "B.c"),
        ("key", "c.yaml", "a.b[0]"),
        ("article", "OTHER", None),
    ]


def test_where_a_path_ends_and_a_name_begins() -> None:
    text = article("A", 'op: symbol, path: "src/C#/a.cs#Foo.bar"', 'op: symbol, path: "a.ts#Box.#secret"')
    assert rules(text) == [("symbol", "src/C#/a.cs", "Foo.bar"), ("symbol", "a.ts", "Box.#secret")]


def test_toml_front_matter_and_options_of_a_rule() -> None:
    text = (
        '+++\njrn = 7\n[[attention]]\nop = "file"\npath = "a.py"\nsource = "backend"\nkeywords = ["one", "two"]\n+++\n'
    )
    found, _ = read_article("a.md", text)
    assert found is not None
    assert (found.jrn, found.rules[0].source, found.rules[0].keywords) == ("7", "backend", ("one", "two"))


@table(
    ("path", "text"),
    [
        ("a.md", "# T\n\n<!-- attention:\n  - {op: file, path: a.py} -->\n"),
        (
            "a.html",
            "<!doctype html>\n<!--\n    jrn: A\n    attention:\n      - {op: file, path: a.py}\n-->\n<h1>x</h1>\n",
        ),
        ("a.md", "---\ntitle: no rules here\n---\n<!--\nattention: [{op: file, path: a.py}]\n-->\n"),
        ("a.rst", "---\nattention: [{op: file, path: a.py}]\n---\n\nTitle\n=====\n"),
        ("a.md", "\ufeff---\nattention: [{op: file, path: a.py}]\n---\n"),
        ("a.md", "---\r\nattention:\r\n- op: file\r\n  path: a.py\r\n---\r\n"),
    ],
)
def test_other_places_for_rules(path: str, text: str) -> None:
    assert rules(text, path) == [("file", "a.py", None)]


@table(
    ("path", "text"),
    [
        ("a.md", "# T\n\n```html\n<!-- attention: [{op: file, path: a.py}] -->\n```\n"),
        ("a.html", "<script>\n<!-- attention: [{op: file, path: a.py}] -->\n</script>\n"),
        ("a.md", "---\n\n# Two breaks\n\nattention: none\n\n---\n"),
        ("a.md", "text\n---\nattention: [{op: file, path: a.py}]\n---\n"),
        ("a.md", "---\ntitle: x\n---\n"),
        ("a.txt", "<!-- attention: [{op: file, path: a.py}] -->\n"),
    ],
)
def test_what_says_nothing_about_the_page(path: str, text: str) -> None:
    assert read_article(path, text) == (None, ())


@table(
    ("text", "line", "word"),
    [
        (article("A", "op: endpoint, path: x"), 4, "unknown op 'endpoint'"),
        (article("A", "path: x"), 4, "the rule has no op"),
        (article("A", "op: file"), 4, "needs a path"),
        (article("A", "op: file, path: 3"), 4, "needs a path"),
        (article("A", "op: file, path: ../x"), 4, "is not relative to the root"),
        (article("A", "op: symbol, path: a.py"), 4, "such as"),
        (article("A", 'op: symbol, path: "!a.py#x"'), 4, "only op file can exclude"),
        (article("A", "op: file, path: a, keyword: [x]"), 4, "unknown field keyword"),
        (article("A", "op: file, path: a, keywords: {x: 1}"), 4, "list of words"),
        ("---\njrn: A\nattention: src/a.py\n---\n", 3, "a list of rules"),
        ("---\njrn: A\nattention:\n  - src/a.py\n---\n", 4, "a rule is a mapping"),
        ("---\njrn: [a]\nattention: []\n---\n", 2, "jrn: a name"),
        ("---\njrn: A\n", 1, "not closed"),
        ("---\njrn: [\n---\n", 2, "cannot be read"),
        ("---\njrn: a\njrn: {{x}}\n---\n", 3, "cannot be read"),
    ],
)
def test_what_cannot_be_read_is_a_problem_with_its_line(text: str, line: int, word: str) -> None:
    found = problems(text)
    assert any(word in message and at == line for at, message in found), found


def test_one_wrong_rule_leaves_the_others() -> None:
    found, wrong = read_article("a.md", article("A", "op: nope, path: x", "op: file, path: a.py"))
    assert found is not None
    assert [rule.place for rule in found.rules] == ["a.py"]
    assert len(wrong) == 1


BOMBS = {
    "anchors": "---\njrn: A\na0: &a0 [x, x]\n"
    + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 40))
    + "attention: *a39\n---\n",
    "nesting": "---\njrn: A\nattention: " + "[" * 20_000 + "]" * 20_000 + "\n---\n",
    "rules": "---\njrn: A\nattention:\n" + "  - {op: file, path: a}\n" * 2_000 + "---\n",
    "braces": article("A", 'op: file, path: "' + "{a,b}" * 20 + '"'),
    "comments": "<!--" * 20_000,
    "fences": "```\n" * 20_000 + "<!-- jrn: A -->",
    "ticks": "`" * 60_000,
    "stars": article("A", 'op: file, path: "' + "*" * 900 + 'b"'),
    "never closed": "---\njrn: A\n" + "x: y\n" * 20_000,
    "scripts": "<script>" * 9_000 + "<!-- jrn: A -->",
    "no text": "---\njrn: \ud800\n---\n",
}


@table("name", BOMBS)
@table("path", ["a.md", "a.html"])
def test_hostile_front_matter_is_read_or_reported(name: str, path: str) -> None:
    """Each would take minutes, or all memory, if something were expanded, or looked for from every place."""
    found, wrong = read_article(path, BOMBS[name])
    assert found is None or len(found.rules) <= 1_000
    assert len(wrong) <= 1_002


def test_a_library_reads_pages_and_passes_over_the_rest(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text(article("A", "op: file, path: a.py"))
    (tmp_path / "docs/big.md").write_text(article("BIG", "op: file, path: a.py") + "words and words\n" * 700_000)
    (tmp_path / "docs/binary.md").write_bytes(b"---\njrn: B\n\0\0\xff\xfe\0")
    (tmp_path / "docs/ignored.md").write_text(article("I", "op: file, path: a.py"))
    (tmp_path / ".gitignore").write_text("ignored.md\n")
    outside = tmp_path.parent / f"{tmp_path.name}-outside.md"
    outside.write_text(article("OUT", "op: file, path: a.py"))
    (tmp_path / "docs/link.md").symlink_to(outside)
    with sh.Workspace(tmp_path, read_only=True) as ws:
        library = read_library(ws)
        assert [each.jrn for each in library.articles] == ["A", "BIG"]
        assert [each.path for each in library.problems] == ["docs/binary.md"]
        assert [each.jrn for each in read_library(ws, ["docs/a.md"]).articles] == ["A"]
        with pytest.raises(sh.EditError) as refused:
            read_library(ws, ["nowhere"])
    assert refused.value.kind == "no-such-file"
