"""How code takes the indentation of its place: what never moves it, and laws about definitions of real files."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steadyhand as sh
from steadyhand.structure.code.definition import Code, Definition
from steadyhand.structure.code.language import language_of, languages
from steadyhand.structure.code.placement import is_first, margin_at
from steadyhand.structure.code.reader import code_of
from steadyhand.structure.code.symbol import SymbolNode, node_of
from steadyhand.structure.code.tree import Parsed, parse_code
from steadyhand.structure.node import Proposal, Refusal, Where
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.lines import to_lf
from steadyhand.text.offsets import utf8_bytes
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from tests.real_files import CORPUS, real_files
from tests.structure.symbols import inserted, replaced
from tests.table import table

LARGEST = 25_000
SOME = settings(max_examples=max(settings.default.max_examples * 2 // 5, 1))

PROSE = """class A:
    def f(self):
        return 1
"""
RAISES = '''def get(self, key):
    """Look it up.

    Raises:
      KeyError: no.
        \x20
    """
    return self.items[key]
'''


@table(
    ("suffix", "text", "name", "where", "new", "after"),
    [
        pytest.param(
            "py",
            PROSE,
            "A.f",
            "after",
            "def g(self):\n    '''Raises:\n      KeyError: no.\n    '''\n    return 2",
            PROSE + "\n    def g(self):\n        '''Raises:\n          KeyError: no.\n        '''\n        return 2\n",
            id="a docstring is no code",
        ),
        pytest.param(
            "py",
            PROSE,
            "A.f",
            "after",
            "    def g(self):\n        '''Doc.\n  \n          \n        '''\n        \n        return 2",
            PROSE + "\n    def g(self):\n        '''Doc.\n  \n          \n        '''\n        \n        return 2\n",
            id="blank rows stay as they are",
        ),
        pytest.param(
            "py",
            PROSE,
            "A.f",
            "after",
            "def g(self):\n    '''Doc.\nat the margin\n    '''\n    return 2",
            PROSE + "\n    def g(self):\n        '''Doc.\nat the margin\n    '''\n        return 2\n",
            id="a docstring that cannot be moved as one piece stays",
        ),
        pytest.param(
            "py",
            PROSE,
            "A.f",
            "after",
            "X = (\n    1,\n    2)",
            PROSE + "\n    X = (\n        1,\n        2)\n",
            id="a continuation in brackets",
        ),
        pytest.param(
            "py",
            PROSE,
            "A.f",
            "after",
            "X = f(1,\n      2)",
            PROSE + "\n    X = f(1,\n          2)\n",
            id="rows below each other stay so",
        ),
        pytest.param(
            "py",
            PROSE,
            "A.f",
            "after",
            "def g(self):\n    x = '''\n  a:\n      b\n'''\n# at the margin\n    return x",
            PROSE + "\n    def g(self):\n        x = '''\n  a:\n      b\n'''\n    # at the margin\n        return x\n",
            id="a comment decides nothing",
        ),
        pytest.param(
            "java",
            "class A {\n  int x;\n}\n",
            "A.x",
            "after",
            "/**\n * Doc:\n *     more {\n */\nint f() {\n  return 1;\n}",
            "class A {\n  int x;\n\n  /**\n   * Doc:\n   *     more {\n   */\n  int f() {\n    return 1;\n  }\n}\n",
            id="a block comment moves as one piece",
        ),
        pytest.param(
            "ts",
            "const a = 1;\n",
            "a",
            "after",
            "const g = (n) =>\n  a.pipe(\n    b,\n  )",
            "const a = 1;\n\nconst g = (n) =>\n  a.pipe(\n    b,\n  )\n",
            id="a continuation at the margin",
        ),
        pytest.param(
            "ts",
            "class A {\n  x = 1;\n}\n",
            "A.x",
            "after",
            "g = (n) =>\n  a.pipe(\n    b,\n  );",
            "class A {\n  x = 1;\n\n  g = (n) =>\n    a.pipe(\n      b,\n    );\n}\n",
            id="a continuation further in",
        ),
        pytest.param(
            "kt",
            "fun f() = 1\n",
            "f",
            "after",
            "fun g() =\n    foo(\n        1,\n    )",
            "fun f() = 1\n\nfun g() =\n    foo(\n        1,\n    )\n",
            id="an expression below its head",
        ),
        pytest.param(
            "c",
            "int x;\n",
            "x",
            "after",
            "#define F(a) do { \\\n        g(a); \\\n    } while (0)",
            "int x;\n\n#define F(a) do { \\\n        g(a); \\\n    } while (0)\n",
            id="a macro of several rows",
        ),
        pytest.param(
            "c",
            "struct B\n  {\n    int b;\n  };\n",
            "B",
            "after",
            "struct A\n  {\n    int a;\n  };",
            "struct B\n  {\n    int b;\n  };\n\nstruct A\n  {\n    int a;\n  };\n",
            id="braces deeper than the head",
        ),
        pytest.param(
            "cs",
            "class A\n{\n    int x;\n\n    void F()\n    {\n        a();\n    }\n}\n",
            "A",
            "after",
            "void G()\n    {\n        b();\n    }",
            "class A\n{\n    int x;\n\n    void F()\n    {\n        a();\n    }\n}\n\nvoid G()\n{\n    b();\n}\n",
            id="cut out of its file with braces on rows of their own",
        ),
        pytest.param(
            "cpp",
            "class A {\n  int x;\n};\n",
            "A.x",
            "after",
            "int f() {\n#ifdef X\n  return 1;\n#endif\n}",
            "class A {\n  int x;\n\n  int f() {\n#ifdef X\n    return 1;\n#endif\n  }\n};\n",
            id="a directive stays at column 0",
        ),
        pytest.param(
            "js",
            "class A {\n  x = 1;\n}\n",
            "A.x",
            "after",
            "f() {\n  return `\n    a:\n        b\n`;\n}",
            "class A {\n  x = 1;\n\n  f() {\n    return `\n    a:\n        b\n`;\n  }\n}\n",
            id="a template is data",
        ),
        pytest.param(
            "rb",
            "class A\n  X = 1\nend\n",
            "A.X",
            "after",
            "def f\n  <<~EOS\n    if x\n        y\n  EOS\nend",
            "class A\n  X = 1\n\n  def f\n    <<~EOS\n    if x\n        y\n  EOS\n  end\nend\n",
            id="a heredoc is data",
        ),
        pytest.param(
            "java",
            "class A {\n    int x;\n}\n",
            "A.x",
            "after",
            "@Override\n    public int f() {\n        return 1;\n    }",
            "class A {\n    int x;\n\n    @Override\n    public int f() {\n        return 1;\n    }\n}\n",
            id="cut out of its file below an annotation",
        ),
        pytest.param(
            "kt",
            "class A {\n    fun f() {\n        a(main)\n        b()\n    }\n}\n",
            "A.f",
            "end",
            "val x = main\n        undo()",
            "class A {\n    fun f() {\n        a(main)\n        b()\n        val x = main\n        undo()\n    }\n}\n",
            id="statements cut out of a body",
        ),
        pytest.param(
            "java",
            "class A {\n  int x;\n\n  int y =\n      f(\n          1);\n}\n",
            "A.x",
            "after",
            "int z =\n    f(\n        2);",
            "class A {\n  int x;\n\n  int z =\n      f(\n          2);\n\n  int y =\n      f(\n          1);\n}\n",
            id="a continuation is as deep as others of the file",
        ),
    ],
)
def test_inserted_code_is_indented_by_its_code_alone(
    suffix: str, text: str, name: str, where: Where, new: str, after: str
) -> None:
    assert inserted(suffix, text, name, new, where) == after


@table(
    ("suffix", "text", "where", "new", "after"),
    [
        ("py", "class A:\n# note\n    x = 1\n", "end", "y = 2", "class A:\n# note\n    x = 1\n    y = 2\n"),
        ("py", "class A:\n# note\n    x = 1\n", "start", "y = 2", "class A:\n    y = 2\n# note\n    x = 1\n"),
        (
            "py",
            "class A:\n# a\n  # b\n    '''D.'''\n",
            "start",
            "y = 2",
            "class A:\n# a\n  # b\n    '''D.'''\n    y = 2\n",
        ),
        ("js", "class A {\n// note\n  x = 1;\n}\n", "end", "y = 2;", "class A {\n// note\n  x = 1;\n  y = 2;\n}\n"),
        ("rb", "class A\n# note\n  X = 1\nend\n", "end", "Y = 2", "class A\n# note\n  X = 1\n  Y = 2\nend\n"),
        ("java", "class A {\n// note\n}\n", "end", "int y;", "class A {\n// note\n    int y;\n}\n"),
        (
            "cpp",
            "class A {\n#ifdef X\n  int x;\n#endif\n};\n",
            "end",
            "int y;",
            "class A {\n#ifdef X\n  int x;\n#endif\n  int y;\n};\n",
        ),
    ],
)
def test_code_goes_inside_a_class_whose_body_starts_with_a_comment_at_column_0(
    suffix: str, text: str, where: Where, new: str, after: str
) -> None:
    assert inserted(suffix, text, "A", new, where) == after


def test_a_body_behind_a_comment_at_column_0_is_replaced_inside_its_class() -> None:
    text = "class A:\n# note\n    x = 1\n    y = 2\n"
    assert replaced("py", text, "A", "x = 3\ny = 2", "body") == "class A:\n    x = 3\n    y = 2\n"
    assert replaced("py", text, "A", "# note\n    x = 3\n    y = 2", "body") == text.replace("x = 1", "x = 3")


def test_code_goes_behind_a_comment_of_several_lines_and_not_into_it() -> None:
    text = "struct A {\n    int a; /* the first\n            * of them */\n    int b;\n};\n"
    after = inserted("c", text, "A.a", "int c;", "after")
    assert after == text.replace("    int b", "    int c;\n    int b")


def test_a_docstring_keeps_its_text_at_another_depth() -> None:
    after = inserted("py", PROSE, "A.f", RAISES, "after")
    (found,) = (node for node in ast.walk(ast.parse(after)) if isinstance(node, ast.FunctionDef) and node.name == "get")
    (given_,) = ast.parse(RAISES).body
    assert isinstance(given_, ast.FunctionDef)
    assert ast.get_docstring(found) == ast.get_docstring(given_)
    assert "\n        return self.items[key]\n" in after


Place = tuple[Source, Code, int]


def path_of(path: Path) -> Source | None:
    try:
        source = Source.of_bytes(path.read_bytes(), path=path.name)
    except (OSError, ValueError):
        return None
    return source if language_of(source) is not None else None


@cache
def files() -> dict[str, list[Path]]:
    """Real files by language."""
    suffixes = {suffix: language.name for language in languages().values() for suffix in language.suffixes}
    found: dict[str, list[Path]] = {}
    for path in real_files():
        name = suffixes.get(path.suffix)
        if name is not None and not path.name.startswith("broken-") and 50 < path.stat().st_size < LARGEST:
            found.setdefault(name, []).append(path)
    return found


def definitions(source: Source) -> Iterator[tuple[Code, int, Definition]]:
    """Definitions that can be edited and have lines of their own."""
    code = code_of(source)
    if not isinstance(code, Refusal):
        for index, item in enumerate(code.definitions):
            if item.is_sound and is_first(source.text, item.whole.start):
                yield code, index, item


def node_in(source: Source, code: Code, index: int, part: str = "whole") -> SymbolNode | None:
    node = node_of(source, code, index, part, None)
    return None if isinstance(node, Refusal) else node


@st.composite
def places(draw: st.DrawFn, only: str | None = None) -> Place:
    """A definition of a real file."""
    language = draw(st.sampled_from(sorted(files()))) if only is None else only
    path = draw(st.sampled_from(files()[language]))
    source = path_of(path)
    found = [] if source is None else list(definitions(source))
    if source is None or not found:
        source = path_of(CORPUS / "python" / "deep.py")
        assert source is not None
        found = list(definitions(source))
    code, index, _ = draw(st.sampled_from(found))
    return source, code, index


def written(proposal: Proposal | Refusal) -> str | None:
    """What an insertion puts in, without the lines around it; None where it is refused."""
    if isinstance(proposal, Refusal):
        return None
    (splice,) = proposal.splices
    return splice.new.strip("\n").removeprefix(",").lstrip("\n")


def check_verbatim(source: Source, code: Code, index: int) -> list[bool]:
    """A definition that is put in beside itself is there as it was, whatever it is cut out with.

    Says of each insertion whether it was made.
    """
    item = code.definitions[index]
    node = node_in(source, code, index)
    assert node is not None
    margin, own = margin_at(source.text, item.whole.start), to_lf(node.own_text(source))
    if source.text[item.whole.end :].lstrip(" \t")[:1] not in ("", "\n", "\r", ","):
        return []  # it shares its last line
    made = [written(node.insert(source, text, "after")) for text in (own, margin + own)]
    for found in made:
        assert found is None or found.rstrip(",") == (margin + own).rstrip(","), f"{source.path}: {item.dotted}"
    return [found is not None for found in made]


def check_body(source: Source, code: Code, index: int, choice: int) -> None:
    """A body that is replaced by its own text stays; one with a word changed has that word changed."""
    node = node_in(source, code, index, "body")
    if node is None:
        return
    own = to_lf(node.own_text(source))
    assert node.replace(source, own) == Proposal(())
    words = list(re.finditer(r"\b[a-z]{2,}\w*[0-9]\b|\b[0-9]+\b|\b[a-z]+_\w+\b", own))
    if words:
        word = words[choice % len(words)]
        changed = word.group()[:-1] + ("1" if word.group()[-1] != "1" else "2")
        new = own[: word.start()] + changed + own[word.end() :]
        made = node.replace(source, new)
        if isinstance(made, Proposal):
            before, behind = source.text[: node.span.start], source.text[node.span.end :]
            after = ChangeSet(made.splices).apply(source.text)
            assert to_lf(after) == to_lf(before) + new + to_lf(behind), f"{source.path}: {node.address}"


CODE_FILES = sorted(path for path in CORPUS.rglob("*") if path_of(path) is not None) if CORPUS.is_dir() else []


@table("path", CODE_FILES, ids=lambda path: path.relative_to(CORPUS).as_posix(), every=9)
def test_every_definition_of_the_corpus_is_inserted_verbatim_and_its_body_comes_back(path: Path) -> None:
    source = path_of(path)
    assert source is not None
    made: list[bool] = []
    for code, index, _ in definitions(source):
        made += check_verbatim(source, code, index)
        check_body(source, code, index, index)
    assert sum(made) >= 0.8 * len(made)  # 1,418 of 1,422 in all: a few share a line with what follows


@given(places())
@SOME
def test_a_definition_inserted_at_its_own_depth_arrives_verbatim(place: Place) -> None:
    check_verbatim(*place)


@given(places(), st.integers(0, 1_000))
@SOME
def test_a_body_with_one_word_changed_has_that_word_changed(place: Place, choice: int) -> None:
    check_body(*place, choice)


def tokens(source: Source, span: Span) -> list[str]:
    """The leaves of the tree of a whole file inside a span: strings as they are, comments without indentation."""
    language = language_of(source)
    assert language is not None
    parsed = parse_code(language, source.text)
    assert isinstance(parsed, Parsed)
    start, end = (len(utf8_bytes(source.text[:offset])) for offset in (span.start, span.end))
    found: list[str] = []
    waiting = [parsed.tree.root_node]
    while waiting:
        node = waiting.pop()
        if node.end_byte <= start or node.start_byte >= end:
            continue
        if "comment" in node.type or node.type in ("marginalia", "preproc_arg", "jsx_text"):
            found.append(" ".join(parsed.written(node).split()))
        elif node.type in language.strings or not node.children:
            text = parsed.written(node)
            parent = node.parent
            is_doc = language.name == "python" and parent is not None and parent.type == "expression_statement"
            found.append(" ".join(text.split()) if is_doc else text)
        else:
            waiting += reversed(node.children)
    return [to_lf(text) for text in found if text.strip()]  # the planner fits line endings


@given(places(), st.data())
@SOME
def test_a_definition_at_another_depth_has_the_same_tokens_and_strings(place: Place, data: st.DataObject) -> None:
    source, code, index = place
    there = data.draw(st.sampled_from([at for _, at, item in definitions(source) if not item.is_listed] or [index]))
    node, other = node_in(source, code, index), node_in(source, code, there)
    assert node is not None
    assert other is not None
    carried = node.carried(source)
    assert isinstance(carried, str)
    for text in (carried, node.own_text(source)):
        made = other.insert(source, text, "after")
        if isinstance(made, Refusal) or code.errors or code.definitions[index].is_listed:
            continue
        (splice,) = made.splices
        after = Source.of_text(ChangeSet(made.splices).apply(source.text), path=source.path)
        read = code_of(after)
        if not isinstance(read, Refusal) and not read.errors:  # it may be no member, or nothing but one
            own, new = tokens(source, node.span), tokens(after, Span(splice.start, splice.start + len(splice.new)))
            assert new[: len(own)] == own, f"{source.path}: {node.address}"
            assert len(new) - len(own) <= (text is carried)  # the comment behind it goes with it


def facts(node: ast.AST) -> str:
    """What `ast` makes of a definition, its docstrings without their indentation."""
    for inner in ast.walk(node):
        value = inner.value if isinstance(inner, ast.Expr) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            rows = inspect.cleandoc(value.value).split("\n")
            value.value = "\n".join(row if row.strip() else "" for row in rows)
    return ast.dump(node)


def alone(text: str) -> list[str]:
    is_deep = text[:1] in (" ", "\t")
    module = ast.parse(f"if 1:\n{text}\n" if is_deep else f"{text}\n")
    (outer, *_) = module.body
    statements = outer.body if is_deep and isinstance(outer, ast.If) else module.body
    return [facts(statement) for statement in statements]


@given(places("python"), st.data())
@SOME
def test_a_definition_at_another_depth_is_the_same_to_ast(place: Place, data: st.DataObject) -> None:
    source, code, index = place
    there = data.draw(st.sampled_from([at for _, at, _ in definitions(source)]))
    node, other = node_in(source, code, index), node_in(source, code, there)
    assert node is not None
    assert other is not None
    carried = node.carried(source)
    assert isinstance(carried, str)
    before = margin_at(source.text, node.span.start)
    margin = margin_at(source.text, other.span.start)
    for text in (carried, node.own_text(source)):
        found = written(other.insert(source, text, "after"))
        if found is not None and "\n" in found:
            assert alone(margin + found.lstrip(" \t")) == alone(to_lf(carried))
            rows = zip(found.split("\n"), to_lf(carried).split("\n"), strict=True)
            moved = [(new, old) for new, old in rows if new != old and text is carried]
            assert all(new.removeprefix(margin) == old.removeprefix(before) for new, old in moved)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "def f(): ret\n\ndef g(): # why\n    return 1\n"),
        ("a.js", "function f() { ret }\n\nfunction g() { // why\n    return 1\n}\n"),
        ("a.go", "func f() { ret }\n\nfunc g() { // why\n\treturn 1\n}\n"),
        ("a.rb", "def f; ret; end\n\ndef g # why\n  1\nend\n"),
    ],
)
def test_a_body_is_opened_wherever_the_rest_of_the_file_ends(path: str, text: str) -> None:
    whole = text.index("\n\n") + 1
    for end in range(whole, len(text)):
        result = sh.edit(text[:end], [sh.Insert(sh.Symbol("f"), "y\n", where="start")], path=path)
        assert result.outcomes[0].applied, text[:end]
        assert result.text.endswith(text[whole:end])
