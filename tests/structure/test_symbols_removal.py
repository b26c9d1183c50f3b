"""Taking symbols away beside each other and at the end of a file, and code that is fitted over and over."""

from __future__ import annotations

import re
from collections import Counter

from hypothesis import example, given, settings
from hypothesis import strategies as st

from steadyhand.errors import Kind
from steadyhand.plan.edit import Act, Delete, Insert
from steadyhand.plan.preview import edit
from steadyhand.structure.code.indentation import fit
from steadyhand.structure.code.language import languages
from steadyhand.structure.code.reader import code_of
from steadyhand.structure.code.symbol import Symbol
from steadyhand.structure.node import Proposal, Refusal, Where
from steadyhand.structure.target import parse_address
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source
from tests.sampling import EXAMPLES
from tests.structure.symbols import deleted, source_of
from tests.table import table


def accepted(proposal: Proposal | Refusal) -> Proposal:
    assert isinstance(proposal, Proposal), proposal
    return proposal


OVERLOADS = "class A:\n    x = 1\n\n    def f(self):\n        return 1\n\n    def f(self, a):\n        return a\n"


def test_neighbours_that_both_go_agree_about_the_blank_line_between_them() -> None:
    source = source_of(OVERLOADS)
    found = Symbol("f").find(source)
    assert not isinstance(found, Refusal)
    gone = {splice for node in found for splice in accepted(node.delete(source)).splices}
    assert (
        ChangeSet(tuple(sorted(gone, key=lambda splice: splice.span))).apply(source.text) == "class A:\n    x = 1\n\n"
    )


def test_long_strings_far_down_a_text_are_data_every_time() -> None:
    written = "x = 1\n" * 300 + "def f():\n    return '''\n  a\n'''\n"
    language = languages()["python"]
    assert len({fit(language, written, "    ", "    ") for _ in range(50)}) == 1


@table("tail", ["", "\n", "\n\n", "\n\n\n", "\n    \n"])
def test_the_last_member_goes_whatever_blank_lines_the_file_ends_with(tail: str) -> None:
    head = "class A:\n    def f(self):\n        return 1\n"
    text = f"{head}\n    def g(self):\n        return 2{tail}"
    assert deleted("py", text, "g") == head.rstrip("\n") + tail


MEMBERS = (
    "m{} () {{ return [1, 2]; }}",
    "x{}: 1",
    "...y{}",
    "n{}: () => 2",
    "'a,b{}': 'c,d'",
    "get z{}() {{ return 1; }}",
)
LAYOUTS = ("{{ {} }}", "{{\n  {}\n}}", "{{ {}, }}", "{{\n  {},\n}}", "{{ // first\n  {} /* last */ }}")
PARTINGS = (", ", ",\n  ", ", // said of the one before\n  ", ",\n  /* said of the next */ ", " , ")


@given(
    st.lists(st.sampled_from(MEMBERS), min_size=1, max_size=5),
    st.sampled_from(LAYOUTS),
    st.lists(st.sampled_from(PARTINGS), min_size=5, max_size=5),
)
@example([MEMBERS[0], MEMBERS[1], MEMBERS[3]], LAYOUTS[0], [", "] * 5)
@example([MEMBERS[5], MEMBERS[2], MEMBERS[4], MEMBERS[0]], LAYOUTS[0], [PARTINGS[2]] * 5)
@settings(max_examples=EXAMPLES * 5, deadline=None)
def test_of_a_list_only_the_item_goes_whatever_is_between_it_and_the_next_definition(
    kinds: list[str], layout: str, partings: list[str]
) -> None:
    members = [kind.format(at) for at, kind in enumerate(kinds)]
    written = "".join(part for pair in zip(members, partings, strict=False) for part in pair)
    text = f"const o = {layout.format(written[: -len(partings[len(members) - 1])])};\n"
    source = Source.of_text(text, path="a.js")
    code = code_of(source)
    assert not isinstance(code, Refusal)
    for item in code.definitions:
        if item.parent is None:
            continue
        result = edit(text, Delete(parse_address(f"symbol:{item.dotted}")), path="a.js")
        assert result.error is None, (item.dotted, result.error)
        gone = next(member for member in members if item.path[-1] in re.findall(r"\w+", member))
        assert words(result.text) == words(text) - words(gone)
        assert not isinstance(code_of(Source.of_text(result.text, path="a.js")), Refusal)


def words(text: str) -> Counter[str]:
    """The words and signs of a text but for its comments, and the commas that part items."""
    return Counter(re.findall(r"'[^']*'|\w+|[^\w\s,]", re.sub(r"//[^\n]*|/\*.*?\*/", "", text)))


@table(
    ("path", "text", "address", "to", "is_made"),
    [
        ("a.js", "function f() {}\nconst a = () => 1, b = 2;\n", "a", "f", False),
        ("a.js", "function f() {}\nconst a = () => 1, b = 2;\n", "f", "b", False),
        ("a.js", "const a = 1, b = 2;\nlet c = 3, d = 4;\n", "b", "d", False),
        ("a.js", "const a = 1, b = 2\nlet c = 3, d = 4\n", "d", "a", False),
        ("a.js", "const a = 1, b = 2;\n", "b", "a", True),
        ("a.js", "const o = { m() {}, x: 1, n: () => 2 };\n", "o.n", "o.m", True),
        ("a.js", "function f() {}\nconst o = { m() {}, n: () => 2 };\n", "o.n", "f", False),
        ("a.c", "int f(void);\nint a, *b = 0;\n", "b", "f", False),
        ("a.c", "int f(void);\nint a, *b = 0;\n", "f", "b", False),
        ("a.c", "enum E { A, B };\nenum F { C };\n", "E.A", "F.C", True),
        ("a.c", "int f(void);\nenum E { A, B };\n", "E.A", "f", False),
    ],
)
def test_an_item_of_a_list_moves_only_where_it_means_the_same(
    path: str, text: str, address: str, to: str, is_made: bool
) -> None:
    result = edit(text, Act(parse_address(f"symbol:{address}"), "move", to=f"symbol:{to}", where="before"), path=path)
    assert (result.error is None) == is_made, result.error or result.text
    assert is_made or result.error.kind is Kind.BAD_REQUEST  # type: ignore[union-attr]
    assert not is_made or words(result.text) == words(text)


def test_a_directive_in_front_of_the_last_item_stays() -> None:
    text = "enum E { A,\n#ifdef X\n B,\n#endif\n C };\n"
    assert edit(text, Delete(parse_address("symbol:E.C")), path="a.c").text == text.replace(" C", "")


@table(
    ("path", "text", "address", "new", "where"),
    [
        ("a.c", "int a, b;\n", "b", "int c;", "after"),
        ("a.c", "struct S { int x, y; };\n", "S.x", "int z;", "before"),
        ("A.java", "enum E { A, B; int x; }\n", "E.A", "int y;", "after"),
        ("a.c", "enum E { A,\n#ifdef X\n B,\n#endif\n};\n", "E", "C", "end"),
        ("a.c", "enum E {\n#ifdef X\n  A,\n#endif\n  B\n};\n", "E", "C", "start"),
    ],
)
def test_what_would_not_be_an_item_of_the_list_is_not_put_into_it(
    path: str, text: str, address: str, new: str, where: Where
) -> None:
    result = edit(text, Insert(parse_address(f"symbol:{address}"), new, where=where), path=path)
    assert result.error is not None, result.text
    assert result.error.kind is Kind.BAD_REQUEST
