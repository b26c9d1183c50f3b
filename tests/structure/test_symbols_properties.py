"""Symbols of Python at random and in real files, with `ast` as the parser that knows nothing of ours."""

from __future__ import annotations

import ast

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.structure.code.definition import Code
from steadyhand.structure.code.reader import code_of
from steadyhand.structure.code.symbol import Symbol, outline
from steadyhand.structure.node import Node, Proposal, Refusal, Where
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source
from tests.real_files import installed_files

Made = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

BODIES = (
    "pass",
    "return 1",
    "'''doc'''\nreturn 2",
    "# first\nx = [\n    1,\n]\nreturn x",
    'text = """\na\n  b\n"""',
    "if 1:\n    return 'é😀'\nelse:\n    # note\n    y = 2",
    "...",
    "'''doc\n\nmore\n'''\n# last",
)
HEADS = ("", "# about it\n", "@dec\n", "# about\n@one\n@two(\n    1,\n)\n", "# apart\n\n")
PADDING = ("\n", "\n\n", "\nVALUE = 1\n", "\n\n\nimport os\n\n", "\n# a comment\n\n", "\nx = '''\ndef no(): ...\n'''\n")


def indented(text: str) -> str:
    return "\n".join(f"    {row}" if row else row for row in split_bodies(text))


@st.composite
def definitions(draw: st.DrawFn, name: str, depth: int = 0) -> str:
    head = draw(st.sampled_from(HEADS))
    if depth < 2 and draw(st.booleans()):
        inner = [draw(definitions(f"{name}{letter}", depth + 1)) for letter in "ab"[: draw(st.integers(1, 2))]]
        padding = draw(st.sampled_from(("\n", "\n\n")))
        return f"{head}class {name}:\n{indented(padding.join(inner))}"
    return f"{head}def {name}(self):\n{indented(draw(st.sampled_from(BODIES)))}"


@st.composite
def modules(draw: st.DrawFn) -> str:
    parts = [draw(definitions(name)) for name in "fgh"[: draw(st.integers(1, 3))]]
    text = draw(st.sampled_from(("", "'''module'''\n", "import os\n\n")))
    for part in parts:
        text += part + draw(st.sampled_from(PADDING))
    newline = draw(st.sampled_from(("\n", "\r\n", "\r")))
    return (text if draw(st.booleans()) else text.rstrip("\n")).replace("\n", newline)


def made_by(text: str) -> dict[str, Made]:
    """Every function and class by its path, as `ast` reads them; the last of one path counts."""
    found: dict[str, Made] = {}
    waiting: list[tuple[str, ast.AST]] = [("", ast.parse(text))]
    while waiting:
        path, node = waiting.pop()
        for child in ast.iter_child_nodes(node):
            name = path
            if isinstance(child, Made):
                name = f"{path}.{child.name}" if path else child.name
                found[name] = child
            waiting.append((name, child))
    return found


def dumped(text: str) -> dict[str, str]:
    return {name: ast.dump(node) for name, node in made_by(text).items()}


def without(facts: dict[str, str], name: str) -> dict[str, str]:
    """The facts of all that a change of one symbol leaves alone: neither it, nor inside it, nor around it."""
    around = {".".join(name.split(".")[:count]) for count in range(1, name.count(".") + 2)}
    return {key: fact for key, fact in facts.items() if not key.startswith(f"{name}.") and key not in around}


def code_in(text: str) -> tuple[Source, Code]:
    source = Source.of_text(text, path="random.py")
    code = code_of(source)
    assert not isinstance(code, Refusal)
    return source, code


def after_of(source: Source, proposal: Proposal | Refusal) -> str | None:
    return None if isinstance(proposal, Refusal) else ChangeSet(proposal.splices).apply(source.text)


@given(modules())
def test_every_symbol_is_where_ast_says(text: str) -> None:
    source, _ = code_in(text)
    check_spans(source)


def check_spans(source: Source) -> int:
    """The lines of every function and class against those of `ast`, decorators included."""
    entries = outline(source)
    assert not isinstance(entries, Refusal)
    code = code_of(source)
    assert not isinstance(code, Refusal)
    made = [
        (min([node.lineno, *(item.lineno for item in node.decorator_list)]), node.end_lineno, node.name)
        for node in ast.walk(ast.parse(source.text))
        if isinstance(node, Made)
    ]
    ours = [item for item in code.definitions if item.kind in ("function", "method", "class")]
    rows = split_bodies(source.text)
    placed = []
    for item in ours:
        first, last = source.lines_of(item.proper)
        end = last
        while not rows[end - 1].strip() or rows[end - 1].lstrip().startswith("#"):
            end -= 1  # comments at the end of a body are its own, `ast` does not see them
        placed.append((first, end, item.path[-1]))
    assert sorted(placed) == sorted(made)
    return len(placed)


@given(modules(), st.data())
def test_a_replaced_symbol_leaves_all_others_as_they_are(text: str, data: st.DataObject) -> None:
    source, code = code_in(text)
    item = data.draw(st.sampled_from([item for item in code.definitions if item.kind in ("function", "method")]))
    new = f"def {item.path[-1]}(self):\n    '''new'''\n    if 1:\n        return 'new'"
    node = resolved(source, item.dotted)
    after = after_of(source, node.replace(source, new))
    assert after is not None
    assert without(dumped(after), item.dotted) == without(dumped(text), item.dotted)
    assert ast.dump(made_by(after)[item.dotted]) == ast.dump(ast.parse(new).body[0])


@given(modules(), st.data())
def test_a_replaced_body_leaves_the_head_and_all_others_as_they_are(text: str, data: st.DataObject) -> None:
    source, code = code_in(text)
    item = data.draw(st.sampled_from([item for item in code.definitions if item.kind in ("function", "method")]))
    node = resolved(source, item.dotted, "body")
    after = after_of(source, node.replace(source, "for x in y:\n    z(x)\nreturn x"))
    assert after is not None
    old, new = made_by(text)[item.dotted], made_by(after)[item.dotted]
    assert [ast.unparse(part) for part in new.body] == ["for x in y:\n    z(x)", "return x"]
    assert [ast.dump(part) for part in new.decorator_list] == [ast.dump(part) for part in old.decorator_list]
    assert without(dumped(after), item.dotted) == without(dumped(text), item.dotted)


@given(modules(), st.sampled_from(("before", "after", "start", "end")), st.data())
def test_inserted_code_is_there_and_everything_else_too(text: str, where: Where, data: st.DataObject) -> None:
    source, code = code_in(text)
    kinds = ("class",) if where in ("start", "end") else ("function", "method", "class")
    chosen = [item for item in code.definitions if item.kind in kinds]
    if not chosen:
        return
    item = data.draw(st.sampled_from(chosen))
    after = after_of(source, resolved(source, item.dotted).insert(source, "def added(self):\n    return 3", where))
    assert after is not None
    inside = item.path if where in ("start", "end") else item.path[:-1]
    added = ".".join((*inside, "added"))
    assert ast.unparse(made_by(after)[added]) == "def added(self):\n    return 3"
    assert set(made_by(after)) == {*made_by(text), added}
    assert without(dumped(after), added) == without(dumped(text), added)


@given(modules(), st.data())
def test_a_deleted_symbol_is_gone_and_nothing_else(text: str, data: st.DataObject) -> None:
    source, code = code_in(text)
    item = data.draw(st.sampled_from([item for item in code.definitions if item.kind != "variable"]))
    after = after_of(source, resolved(source, item.dotted).delete(source))
    if after is None:  # the only statement of its class
        assert item.parent is not None
        return
    assert without(dumped(after), item.dotted) == without(dumped(text), item.dotted)
    assert item.dotted not in made_by(after)


def resolved(source: Source, name: str, part: str = "whole") -> Node:
    found = Symbol(name, part=part).resolve(source)
    assert not isinstance(found, Refusal), found
    return found[0]


def test_the_symbols_of_real_files_are_where_ast_says() -> None:
    files = [path for path in installed_files() if path.suffix == ".py" and 2_000 < path.stat().st_size < 60_000]
    checked = 0
    for path in files[:: max(len(files) // 20, 1)]:
        checked += check_spans(Source.of_bytes(path.read_bytes(), path=path.name))
    assert checked > 100
