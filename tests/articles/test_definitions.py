"""Which definitions and keys changed, on random files: exactly those whose own text or value is another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.articles.definitions import changed_symbols, contexts, key_verdict, symbol_verdict
from steadyhand.text.source import Source
from tests.table import table

NAMES = ("alpha", "beta", "gamma")
BODIES = st.dictionaries(st.sampled_from(NAMES), st.integers(0, 3))
LAYOUTS = st.lists(st.integers(0, 3), min_size=4, max_size=4)

PYTHON = ("def {0}(x):\n    return x + {1}\n", "def {0}(\n    x\n):\n    # why\n\n    return x + {1}\n")
TYPESCRIPT = (
    "export function {0}(x: number) {{ return x + {1}; }}\n",
    "export function {0}(\n  x: number\n) {{\n  /* why */\n  return x + {1};\n}}\n",
)
GO = (
    "func {0}(x int) int {{\n\treturn x + {1}\n}}\n",
    "func {0}(x int) int {{\n\n\t// why\n\treturn x + {1} // so\n}}\n",
)
LANGUAGES = {"a.py": ("", PYTHON), "a.ts": ("", TYPESCRIPT), "a.go": ("package a\n\n", GO)}


def written(path: str, bodies: dict[str, int], layouts: list[int]) -> Source:
    head, styles = LANGUAGES[path]
    parts = [
        "\n" * (layouts[number] % 3) + styles[layouts[number] % 2].format(name, bodies[name])
        for number, name in enumerate(NAMES)
        if name in bodies
    ]
    return Source.of_text(head + "\n".join(parts), path=path)


@pytest.mark.parametrize("path", LANGUAGES)
@given(before=BODIES, after=BODIES, layouts=st.tuples(LAYOUTS, LAYOUTS))
def test_symbols_change_by_their_own_text(
    path: str, before: dict[str, int], after: dict[str, int], layouts: tuple[list[int], list[int]]
) -> None:
    sides = written(path, before, layouts[0]), written(path, after, layouts[1])
    expected = {name for name in NAMES if before.get(name) != after.get(name)}
    assert set(changed_symbols(*sides)) == expected
    for name in NAMES:
        verdict = symbol_verdict(*sides, name)
        assert (verdict.is_changed, verdict.doubt) == (name in expected, None)


VALUES = st.recursive(
    st.one_of(st.integers(-5, 5), st.booleans(), st.text("ab #:", max_size=4)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["p", "q"]), inner, max_size=2),
    max_leaves=6,
)
FILES = st.dictionaries(st.sampled_from(["x", "y", "z"]), VALUES, max_size=3)


@given(before=FILES, after=FILES, data=st.data())
def test_keys_change_by_their_value(before: dict[str, object], after: dict[str, object], data: st.DataObject) -> None:
    import json

    def said(value: object) -> str:
        return json.dumps(value, sort_keys=True)

    def file(values: dict[str, object]) -> Source:
        names = data.draw(st.permutations(sorted(values)))
        indent = data.draw(st.sampled_from([None, 1, 4]))
        return Source.of_text(json.dumps({name: values[name] for name in names}, indent=indent), path="a.json")

    sides = file(before), file(after)
    for name in ("x", "y", "z"):
        is_changed = (name in before) != (name in after) or said(before.get(name)) != said(after.get(name))
        assert key_verdict(*sides, name).is_changed is is_changed


def test_a_statement_that_leaves_its_block_is_a_change_although_its_words_are_not() -> None:
    before = "def f(x):\n    if x:\n        a()\n        b()\n"
    inner, outer = (Source.of_text(text, path="a.py") for text in (before, before.replace("        b()", "    b()")))
    assert changed_symbols(inner, outer) == ("f",)
    wider = Source.of_text(before.replace("        ", "            "), path="a.py")
    assert changed_symbols(inner, wider) == ()


@table(
    ("path", "text", "word", "context"),
    [
        ("a.py", "class A:\n    def f(self):\n        return 1\n", "return", "A.f"),
        ("a.py", "import os\n", "import", None),
        ("a.md", "# A\n\n## B\n\ntext\n", "text", "A > B"),
        ("a.yaml", "a:\n  b: 1\n  c: 2\n", "c:", "a.c"),
        ("a.toml", "[a]\nb = 1\n", "b =", "a.b"),
        ("a.bin", "x", "x", None),
        ("a.py", "def f(:\n", "def", None),
    ],
)
def test_what_a_place_is_in(path: str, text: str, word: str, context: str | None) -> None:
    source = Source.of_text(text, path=path)
    assert contexts(source, [text.index(word)]) == [context]
