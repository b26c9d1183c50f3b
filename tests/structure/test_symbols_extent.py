"""What belongs to a definition goes where to insert it, and what belongs to its neighbours stays."""

from __future__ import annotations

import ast
from itertools import takewhile

from hypothesis import given
from hypothesis import strategies as st

import steadyhand as sh
from steadyhand.errors import Kind
from steadyhand.structure.code.symbol import Symbol
from steadyhand.structure.node import Refusal
from tests.structure.symbols import applied, deleted, inserted, node_at, replaced, source_of
from tests.table import table

DELETED = [
    ("py", 'a: int = 1\n"""The a."""\nb = 2\n', "a", "b = 2\n"),
    ("py", 'a = 1  # note\n"""The a."""\nb = 2\n', "a", "b = 2\n"),
    ("py", 'class A:\n  a = 1\n  """The a."""\n  b: int\n  "The b."\n', "A.a", 'class A:\n  b: int\n  "The b."\n'),
    ("py", 'a = 1\n\n"""Prose."""\nb = 2\n', "a", '"""Prose."""\nb = 2\n'),
    ("rs", "#[a] // note\nstruct S;\nstruct T;\n", "S", "struct T;\n"),
    ("rs", "#[a] /* one */ #[b]\n// more\n#[c] // note\nstruct S;\nstruct T;\n", "S", "struct T;\n"),
    ("rs", "struct R; // note\n#[a]\nstruct S;\n", "S", "struct R; // note\n"),
    ("rs", "struct R; // note\nstruct S;\n", "S", "struct R; // note\n"),
    ("ts", "class A {\n  @dec() // note\n  // @ts-ignore\n  f() {}\n  g() {}\n}\n", "f", "class A {\n  g() {}\n}\n"),
    ("ts", "@a() // note\n@b\nexport class A {}\nclass B {}\n", "A", "class B {}\n"),
    ("cs", "class A {\n  [X] // note\n  [Y]\n  int F() { return 1; }\n  int G;\n}\n", "F", "class A {\n  int G;\n}\n"),
    ("java", "class A {\n  @X // note\n  @Y\n  int f() { return 1; }\n  int g;\n}\n", "f", "class A {\n  int g;\n}\n"),
    ("php", "<?php\n#[X] // note\n#[Y]\nfunction f() {}\nfunction g() {}\n", "f", "<?php\nfunction g() {}\n"),
    ("cpp", 'extern "C" void f() {}\nvoid g() {}\n', "f", "void g() {}\n"),
    ("cpp", 'extern "C" int f(void);\nextern "C" int x;\n', "f", 'extern "C" int x;\n'),
    ("cpp", 'extern "C" {\nvoid f();\nvoid g();\n}\n', "f", 'extern "C" {\nvoid g();\n}\n'),
    ("sh", "f() {\n  a\n} && complete -F f x\ng() { b; }\n", "f", "g() { b; }\n"),
    ("sh", "f() { a; } > log 2>&1\ng() { b; }\n", "f", "g() { b; }\n"),
    ("sh", "[[ $x ]] && f() { a; } || true\ng() { b; }\n", "f", "g() { b; }\n"),
    ("go", "package p\n\nconst (\n\tA = iota\n\tB\n)\n", "B", "package p\n\nconst (\n\tA = iota\n)\n"),
    ("sql", "CREATE TABLE a (x int);\nGO\nCREATE TABLE b (x int);\nGO\n", "a", "CREATE TABLE b (x int);\nGO\n"),
    ("sql", "CREATE TABLE a (x int);\n/\nCREATE TABLE b (x int);\n/\n", "b", "CREATE TABLE a (x int);\n/\n"),
]  # fmt: skip


@table(("suffix", "text", "name", "after"), DELETED)
def test_all_that_belongs_to_a_definition_is_deleted_with_it(suffix: str, text: str, name: str, after: str) -> None:
    assert deleted(suffix, text, name) == after


def test_a_replaced_attribute_is_replaced_with_its_docstring() -> None:
    text = 'a: int = 1\n"""The a."""\nb = 2\n'
    assert replaced("py", text, "a", 'a: int = 3\n"""Another."""') == 'a: int = 3\n"""Another."""\nb = 2\n'
    assert replaced("py", text, "a", "a: int = 3", part="definition") == 'a: int = 3\n"""The a."""\nb = 2\n'
    source = source_of(text)
    assert "its docstring" in node_at(Symbol("a"), source).label


def test_two_functions_of_one_shell_statement_are_not_taken_for_one_another() -> None:
    found = Symbol("f").resolve(source_of("f() { a; } && g() { b; }\n", "sh"))
    assert isinstance(found, Refusal)


def test_a_comment_behind_a_definition_moves_with_it() -> None:
    text = "x = 1  # first\ny = 2\nz = 3\n"
    assert moved("a.py", text, "x", "y", "after") == "y = 2\nx = 1  # first\nz = 3\n"


def moved(path: str, text: str, name: str, to: str, where: str) -> str:
    result = sh.edit(text, [sh.Act(sh.Symbol(name), "move", to=f"symbol:{to}", where=where)], path=path)
    if result.error is None or result.error.kind is not Kind.NO_CHANGE:
        result.raise_for_error()
    return result.text


attributes = st.tuples(
    st.sampled_from(("", "# about it\n", "# one\n# two\n")),
    st.sampled_from((" = 1", ": int", ": int = (\n    1\n)", " = '''\ntext\n'''")),
    st.sampled_from(("", "  # note")),
    st.sampled_from(("", '\n"""Doc of {}."""', "\n'Doc of {}.'", '\n"""Doc of {}.\n\nMore.\n"""')),
    st.sampled_from(("\n", "\n\n")),
)


def written(name: str, attribute: tuple[str, str, str, str, str]) -> str:
    above, value, note, doc, gap = attribute
    return f"{above}{name}{value}{note}{doc.format(name)}{gap}"


def documented(text: str) -> list[tuple[str, str | None]]:
    """The attributes of a module and the docstring each has, as `ast` sees them."""
    found: list[tuple[str, str | None]] = []
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            assert isinstance(target, ast.Name)
            found.append((target.id, None))
        else:
            assert isinstance(statement, ast.Expr)
            assert isinstance(statement.value, ast.Constant)
            found[-1] = (found[-1][0], str(statement.value.value))
    return found


@given(st.lists(attributes, min_size=3, max_size=6), st.data())
def test_every_attribute_keeps_its_docstring_when_one_is_deleted_or_moved(
    parts: list[tuple[str, str, str, str, str]], data: st.DataObject
) -> None:
    names = [f"n{at}" for at in range(len(parts))]
    text = "".join(written(name, part) for name, part in zip(names, parts, strict=True))
    one, other = data.draw(st.permutations(names))[:2]
    before = documented(text)
    assert documented(deleted("py", text, one)) == [pair for pair in before if pair[0] != one]
    after = documented(moved("a.py", text, one, other, data.draw(st.sampled_from(("before", "after")))))
    assert sorted(after) == sorted(before)


PARTINGS = ("\n--> statement-breakpoint\n", "--> statement-breakpoint\n", "\nGO\n", "\nGO\n\n", "\n/\n")


@given(st.sampled_from(PARTINGS), st.integers(2, 5), st.data())
def test_statements_stay_parted_when_one_is_deleted_inserted_or_moved(
    parting: str, count: int, data: st.DataObject
) -> None:
    is_closed = "-->" not in parting  # GO and / are behind the last statement too
    names = [f"t{at}" for at in range(count)]
    text = parting.join(f"CREATE TABLE {name} (x int);" for name in names) + (parting.rstrip() if is_closed else "")
    text += "\n"

    def tables(after: str) -> list[str]:
        pieces = [piece.strip() for piece in after.split(parting.strip())]
        assert pieces.pop() == "" if is_closed else True
        assert all(piece.count("CREATE") == 1 for piece in pieces), after
        return [piece.split()[2] for piece in pieces]

    one, other = data.draw(st.permutations(names))[:2]
    where = data.draw(st.sampled_from(("before", "after")))
    assert tables(deleted("sql", text, one)) == [name for name in names if name != one]
    at = names.index(one) + (where == "after")
    assert tables(inserted("sql", text, one, "CREATE TABLE new (x int);", where)) == [*names[:at], "new", *names[at:]]
    rest = [name for name in names if name != one]
    at = rest.index(other) + (where == "after")
    assert tables(moved("a.sql", text, one, other, where)) == [*rest[:at], one, *rest[at:]]


@given(st.lists(st.sampled_from(("", " = iota", " = iota * 10", " = 7", " = 'x'")), min_size=2, max_size=6), st.data())
def test_the_values_of_go_constants_stay_when_one_of_their_group_is_deleted(
    values: list[str], data: st.DataObject
) -> None:
    values[0] = values[0] or " = iota"
    names = [f"C{at}" for at in range(len(values))]
    rows = [f"\t{name}{value}\n" for name, value in zip(names, values, strict=True)]
    source = source_of("package p\n\nconst (\n" + "".join(rows) + ")\n", "go")
    gone = data.draw(st.sampled_from(names))
    proposal = node_at(Symbol(gone), source).delete(source)
    if isinstance(proposal, Refusal):
        assert any(not value or "iota" in value for value in values[names.index(gone) + 1 :])
        return
    before, after = constants(source.text), constants(applied(source, proposal))
    assert after == {name: value for name, value in before.items() if name != gone}


def constants(text: str) -> dict[str, object]:
    """The values of the constants in the one group of a Go file."""
    found: dict[str, object] = {}
    expression = ""
    rows = text.partition("const (\n")[2].split("\n")
    for at, row in enumerate(takewhile(lambda row: row != ")", rows)):
        name, _, own = row.strip().partition(" = ")
        expression = own or expression
        found[name] = eval(expression, {"iota": at})
    return found
