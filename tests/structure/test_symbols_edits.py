"""Edits of symbols: what is refused, and what exactly is written where."""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.structure.code.symbol import Symbol
from steadyhand.structure.node import Proposal, Refusal, Where
from tests.structure.symbols import applied, deleted, inserted, node_at, replaced, source_of
from tests.table import table


def refused(proposal: Proposal | Refusal) -> Refusal:
    assert isinstance(proposal, Refusal), proposal
    return proposal


BRACES = "class A {\n    int f() { return 1; }\n\n    int g() { return 2; }\n}\n"


@table(
    ("suffix", "text", "name", "part", "new"),
    [
        ("py", "def f():\n    return 1\n\ndef g(): ...\n", "f", "whole", "def f(:\n    return"),
        ("py", "def f():\n    return 1\n\ndef g(): ...\n", "f", "whole", 'def f():\n    """lost'),
        ("py", "def f():\n    return 1\n\ndef g(): ...\n", "f", "body", "return ("),
        ("java", BRACES, "f", "whole", "int f() { return 1;"),
        ("java", BRACES, "f", "whole", "int f() { return 1; } }"),
        ("java", BRACES, "f", "body", "return 1; } int h() { return 2;"),
        ("java", BRACES, "f", "body", "/* not closed"),
        ("js", "function f() {}\nfunction g() {}\n", "f", "whole", "function f() { `"),
        ("c", "int f(void) { return 1; }\nint g(void) { return 2; }\n", "f", "body", "if (x) {"),
        ("rs", "fn f() {}\nfn g() {}\n", "f", "whole", "fn f() {"),
        ("go", "package p\n\nfunc f() {}\n\nfunc g() {}\n", "f", "whole", "func f() {"),
        ("sh", "f() { echo 1; }\ng() { echo 2; }\n", "f", "whole", "f() { cat <<EOF\n}"),
    ],
)
def test_code_that_would_swallow_or_end_what_is_around_it_is_refused(
    suffix: str, text: str, name: str, part: str, new: str
) -> None:
    source = source_of(text, suffix)
    refusal = refused(node_at(Symbol(name, part=part), source).replace(source, new))
    assert refusal.kind is Kind.BREAKS_SYNTAX
    assert refusal.hint


def test_a_refusal_names_the_line_and_its_text() -> None:
    source = source_of("def f():\n    return 1\n")
    refusal = refused(node_at(Symbol("f"), source).replace(source, "def f():\n    return (1\n"))
    assert (refusal.details["line"], refusal.details["text"]) == (2, "return (1")


def test_a_body_that_is_the_whole_definition_is_refused() -> None:
    source = source_of("class A:\n    def f(self):\n        return 1\n")
    refusal = refused(node_at(Symbol("f", part="body"), source).replace(source, "def f(self):\n    return 2\n"))
    assert refusal.kind is Kind.BAD_REQUEST
    assert "symbol:A.f" in refusal.hint


def test_the_only_statement_of_a_suite_is_not_taken_away() -> None:
    source = source_of("class A:\n    def f(self): ...\n")
    refusal = refused(node_at(Symbol("f"), source).delete(source))
    assert refusal.kind is Kind.BREAKS_SYNTAX
    assert "pass" in refusal.hint


def test_a_name_or_a_body_is_not_taken_away_and_nothing_goes_beside_a_name() -> None:
    source = source_of("def f():\n    return 1\n")
    for part in ("name", "body"):
        assert refused(node_at(Symbol("f", part=part), source).delete(source)).kind is Kind.BAD_REQUEST
    assert refused(node_at(Symbol("f", part="name"), source).insert(source, "x", "after")).kind is Kind.BAD_REQUEST


def test_nothing_is_put_inside_what_has_no_body() -> None:
    for suffix, text, name in (
        ("py", "X = 1\n", "X"),
        ("js", "const f = () => 1;\n", "f"),
        ("c", "int f(int);\n", "f"),
    ):
        source = source_of(text, suffix)
        assert refused(node_at(Symbol(name), source).insert(source, "x()", "end")).kind is Kind.BAD_REQUEST


METHOD = "class A:\n    def f(self):\n        return 1\n\n    def g(self): ...\n"


@table(
    "new",
    [
        "def f(self):\n    return 2",  # at the margin
        "def f(self):\n    return 2\n\n",
        "\n\ndef f(self):\n    return 2\n",
        "    def f(self):\n        return 2\n",  # as it is
        "def f(self):\n        return 2\n",  # as it is, without the first indentation
        "        def f(self):\n            return 2\n",
        "def f(self):\n  return 2\n",  # another unit
        "def f(self):\n\treturn 2\n",
        "def f(self):\r\n    return 2\r\n",
    ],
)
def test_new_code_takes_the_indentation_of_its_place(new: str) -> None:
    assert replaced("py", METHOD, "A.f", new) == METHOD.replace("return 1", "return 2")


def test_tabs_stay_tabs() -> None:
    text = "class A {\n\tint f() {\n\t\treturn 1;\n\t}\n}\n"
    new = "int f() {\n    if (x) {\n        return 2;\n    }\n}"
    assert replaced("java", text, "f", new) == "class A {\n\tint f() {\n\t\tif (x) {\n\t\t\treturn 2;\n\t\t}\n\t}\n}\n"


def test_lines_inside_strings_are_data() -> None:
    new = 'def f(self):\n    """Doc.\n\n    More.\n    """\n    return """\na\n  b\n"""'
    after = replaced("py", METHOD, "A.f", new)
    assert '        """Doc.\n\n        More.\n        """\n        return """\na\n  b\n"""\n' in after
    script = "f() {\n  echo 1\n}\n"
    assert (
        replaced("sh", script, "f", "cat <<EOF\ntext\n  more\nEOF", "body")
        == "f() {\n  cat <<EOF\ntext\n  more\nEOF\n}\n"
    )
    page = "class A {\n  f() { return 1; }\n}\n"
    new = "f() {\n  return `\nx\n  y`;\n}"
    assert replaced("js", page, "f", new) == "class A {\n  f() {\n    return `\nx\n  y`;\n  }\n}\n"


@table(
    ("suffix", "text", "name", "part", "new", "after"),
    [
        ("py", "@a\n# c\n@b\ndef f(): ...\n", "f", "whole", "def f(): pass", "def f(): pass\n"),
        ("py", "# c\n@a\ndef f(): ...\n", "f", "definition", "def f(): pass", "# c\ndef f(): pass\n"),
        ("py", "def f(): return 1\n", "f", "body", "return 2", "def f(): return 2\n"),
        ("py", "def f(): return 1\n", "f", "body", "x = 1\nreturn x", "def f():\n    x = 1\n    return x\n"),
        ("py", "def f():\n  '''d'''\n  a()\n", "f", "body", "    return 2\n", "def f():\n  return 2\n"),
        ("py", "def f(): ...\n", "f", "name", "g", "def g(): ...\n"),
        ("java", BRACES, "f", "body", "return 3;", BRACES.replace("return 1;", "return 3;")),
        (
            "java",
            BRACES,
            "f",
            "body",
            "a();\nreturn 3;",
            BRACES.replace("{ return 1; }", "{\n        a();\n        return 3;\n    }"),
        ),
        ("js", "function f() {}\n", "f", "body", "a();", "function f() {\n  a();\n}\n"),
        ("js", "const f = (x) => x;\n", "f", "body", "x + 1", "const f = (x) => x + 1;\n"),
        ("js", "const f = (x) => x;\n", "f", "body", "{\n  return x;\n}", "const f = (x) => {\n  return x;\n};\n"),
        ("js", "function f() { // why\n  a();\n}\n", "f", "body", "b();", "function f() { // why\n  b();\n}\n"),
        ("rb", "def f\nend\n", "f", "body", "a\nb", "def f\n  a\n  b\nend\n"),
        ("rb", "def f(a); a; end\n", "f", "body", "b\nc", "def f(a)\n  b\n  c\nend\n"),
        ("rb", "def f = 1\n", "f", "body", "2", "def f = 2\n"),
        (
            "php",
            "<?php\nclass A {\n    function f() {\n        return 1;\n    }\n}\n",
            "f",
            "whole",
            "public function f() {\n  return 2;\n}",
            "<?php\nclass A {\n    public function f() {\n        return 2;\n    }\n}\n",
        ),
        ("kt", "fun f(): Int {\n    return 1\n}\n", "f", "body", "return 2", "fun f(): Int {\n    return 2\n}\n"),
        ("cs", "class A {\n    int F() => 1;\n}\n", "F", "body", "2 + 3", "class A {\n    int F() => 2 + 3;\n}\n"),
        (
            "go",
            "package p\n\nfunc f() int { return 1 }\n",
            "f",
            "body",
            "x()\nreturn 2",
            "package p\n\nfunc f() int {\n\tx()\n\treturn 2\n}\n",
        ),
        (
            "sql",
            "CREATE VIEW v AS SELECT 1;\nSELECT 2;\n",
            "v",
            "whole",
            "CREATE VIEW v AS SELECT 3;",
            "CREATE VIEW v AS SELECT 3;\nSELECT 2;\n",
        ),
    ],
)
def test_a_part_is_replaced_and_nothing_else(
    suffix: str, text: str, name: str, part: str, new: str, after: str
) -> None:
    assert replaced(suffix, text, name, new, part) == after


def test_a_replaced_head_is_reported() -> None:
    source = source_of("# about\n@a\ndef f(): ...\n")
    proposal = node_at(Symbol("f"), source).replace(source, "def f(): pass")
    assert isinstance(proposal, Proposal)
    assert proposal.notes == ("replaced with 1 decorator and its comment",)


TWO = "import x\n\n\ndef a():\n    pass\n\n\n# of b\ndef b():\n    pass\n"
MEMBERS = "class A:\n    x = 1\n    y = 2\n\n    def f(self):\n        pass\n\n    def g(self):\n        pass\n"


@table(
    ("suffix", "text", "name", "where", "new", "after"),
    [
        ("py", TWO, "b", "before", "def n():\n    pass\n", TWO.replace("# of b", "def n():\n    pass\n\n\n# of b")),
        ("py", TWO, "a", "after", "def n():\n    pass", TWO.replace("# of b", "def n():\n    pass\n\n\n# of b")),
        ("py", TWO, "b", "after", "def n():\n    pass", TWO + "\n\ndef n():\n    pass\n"),
        ("py", TWO[:-1], "b", "after", "def n():\n    pass", TWO + "\n\ndef n():\n    pass"),
        (
            "py",
            "def a(): ...\ndef b(): ...\n",
            "a",
            "after",
            "def n(): ...",
            "def a(): ...\ndef n(): ...\ndef b(): ...\n",
        ),
        (
            "py",
            "def a():\n    pass\n",
            "a",
            "after",
            "def n():\n    pass",
            "def a():\n    pass\n\n\ndef n():\n    pass\n",
        ),
        (
            "py",
            MEMBERS,
            "f",
            "before",
            "def n(self):\n    pass",
            MEMBERS.replace("    def f", "    def n(self):\n        pass\n\n    def f"),
        ),
        ("py", MEMBERS, "x", "after", "z = 3", MEMBERS.replace("x = 1\n", "x = 1\n    z = 3\n")),
        ("py", MEMBERS, "A", "end", "def n(self):\n    pass", MEMBERS + "\n    def n(self):\n        pass\n"),
        ("py", MEMBERS, "A", "start", "w = 0", MEMBERS.replace("    x = 1", "    w = 0\n    x = 1")),
        (
            "py",
            MEMBERS,
            "f",
            "end",
            "return 1",
            MEMBERS.replace("def f(self):\n        pass", "def f(self):\n        return 1"),
        ),
        ("py", "class A: pass\n", "A", "start", "x = 1", "class A:\n    x = 1\n"),
        ("py", "class A:\n    '''d'''\n    ...\n", "A", "end", "x = 1", "class A:\n    '''d'''\n    x = 1\n"),
        ("py", "def f():\n    '''d'''\n    a()\n", "f", "start", "b()", "def f():\n    '''d'''\n    b()\n    a()\n"),
        ("py", "def f(): return 1\n", "f", "start", "a()", "def f():\n    a()\n    return 1\n"),
        (
            "java",
            BRACES,
            "f",
            "after",
            "int h() { return 3; }",
            BRACES.replace("\n\n", "\n\n    int h() { return 3; }\n\n"),
        ),
        (
            "java",
            BRACES,
            "A",
            "end",
            "int h() { return 3; }",
            BRACES.replace("\n}\n", "\n\n    int h() { return 3; }\n}\n"),
        ),
        ("java", "class A {}\n", "A", "end", "int x;", "class A {\n    int x;\n}\n"),
        ("java", "class A { int x; }\n", "A", "end", "int y;", "class A {\n    int x;\n    int y;\n}\n"),
        ("java", "class A { int x; }\n", "x", "after", "int y;", "class A { int x; int y; }\n"),
        (
            "js",
            "const o = {\n  a() {},\n  b() {},\n};\n",
            "o.a",
            "after",
            "c() {}",
            "const o = {\n  a() {},\n  c() {},\n  b() {},\n};\n",
        ),
        (
            "js",
            "const o = {\n  a() {},\n  b() {}\n};\n",
            "o.b",
            "after",
            "c() {}",
            "const o = {\n  a() {},\n  b() {},\n  c() {}\n};\n",
        ),
        (
            "js",
            "const o = {\n  a() {},\n  b() {}\n};\n",
            "o.a",
            "before",
            "c() {}",
            "const o = {\n  c() {},\n  a() {},\n  b() {}\n};\n",
        ),
        (
            "rb",
            "class A\n  def f\n    1\n  end\nend\n",
            "A",
            "end",
            "def g\n  2\nend",
            "class A\n  def f\n    1\n  end\n\n  def g\n    2\n  end\nend\n",
        ),
        ("rb", "class A\nend\n", "A", "start", "X = 1", "class A\n  X = 1\nend\n"),
        ("rs", "/// a\n#[x]\nfn a() {}\n", "a", "before", "fn n() {}", "fn n() {}\n\n/// a\n#[x]\nfn a() {}\n"),
        (
            "ts",
            "/** a */\nexport const a = 1;\n",
            "a",
            "after",
            "export const b = 2;",
            "/** a */\nexport const a = 1;\n\nexport const b = 2;\n",
        ),
    ],
)
def test_code_is_put_beside_or_inside_a_symbol_as_the_file_does_it(
    suffix: str, text: str, name: str, where: Where, new: str, after: str
) -> None:
    assert inserted(suffix, text, name, new, where) == after


@table(
    ("suffix", "text", "name", "after"),
    [
        ("py", TWO, "a", "import x\n\n\n# of b\ndef b():\n    pass\n"),
        ("py", TWO, "b", "import x\n\n\ndef a():\n    pass\n"),
        ("py", MEMBERS, "f", MEMBERS.replace("    def f(self):\n        pass\n\n", "")),
        ("py", MEMBERS, "g", MEMBERS.replace("\n    def g(self):\n        pass\n", "")),
        ("py", MEMBERS, "x", MEMBERS.replace("    x = 1\n", "")),
        ("py", "x = 1\ny = 2  # two\nz = 3\n", "y", "x = 1\nz = 3\n"),
        ("py", "x = 1; y = 2\n", "x", "y = 2\n"),
        ("java", BRACES, "f", "class A {\n    int g() { return 2; }\n}\n"),
        ("java", BRACES, "g", "class A {\n    int f() { return 1; }\n}\n"),
        ("java", "class A { int x; int y; }\n", "x", "class A { int y; }\n"),
        ("js", "const o = {\n  a() {},\n  b() {},\n};\n", "o.a", "const o = {\n  b() {},\n};\n"),
        ("ts", "/** a */\n@D()\nexport class A {}\n\nexport class B {}\n", "A", "export class B {}\n"),
        ("c", "/* f */\nint f(void);\nint g(void);\n", "f", "int g(void);\n"),
        ("go", "package p\n\nconst (\n\tA = 1\n\tB = 2\n)\n", "A", "package p\n\nconst (\n\tB = 2\n)\n"),
    ],
)
def test_a_symbol_goes_with_its_lines_its_comment_and_the_gap_it_leaves(
    suffix: str, text: str, name: str, after: str
) -> None:
    assert deleted(suffix, text, name) == after


def test_a_nested_function_of_a_component_is_replaced_and_not_put_in_front() -> None:
    page = "export function Page() {\n  const save = () => {\n    a();\n  };\n\n  return <b onClick={save} />;\n}\n"
    after = replaced("tsx", page, "Page.save", "const save = async () => {\n  await b();\n};")
    assert after == page.replace("save = () => {\n    a();", "save = async () => {\n    await b();")


def test_attributes_stay_where_only_the_body_is_meant() -> None:
    text = "impl A {\n    #[inline]\n    pub fn f(&self) -> i32 {\n        1\n    }\n}\n"
    assert replaced("rs", text, "A.f", "2", "body") == text.replace("        1\n", "        2\n")


def test_a_file_with_crlf_differs_in_nothing_but_its_endings() -> None:
    source = source_of(TWO.replace("\n", "\r\n"))
    node = node_at(Symbol("a"), source)
    assert node.replace(source, "def a():\n    pass") == Proposal(())
    assert applied(source, node.delete(source)) == "import x\n\n\n# of b\ndef b():\n    pass\n".replace("\n", "\r\n")


def test_a_symbol_is_carried_with_its_indentation() -> None:
    source = source_of(MEMBERS)
    carried = node_at(Symbol("f"), source).carried(source)
    assert isinstance(carried, str)
    target = source_of("def a():\n    pass\n")
    moved = node_at(Symbol("a"), target).insert(target, carried, "after")
    assert applied(target, moved) == "def a():\n    pass\n\n\ndef f(self):\n    pass\n"


@table(
    ("suffix", "text", "name", "after"),
    [
        ("cpp", "void A::f() { g(); }\n", "A.f", "void A::h() { g(); }\n"),
        ("cpp", "int *N::M<int>::f(int x) { return 0; }\n", "f", "int *N::M<int>::h(int x) { return 0; }\n"),
        ("cpp", "namespace a::b {\nint x;\n}\n", "a.b", "namespace a::h {\nint x;\n}\n"),
        ("sql", "CREATE TABLE public.t (id int);\n", "public.t", "CREATE TABLE public.h (id int);\n"),
        ("rb", "module A::B\n  def self.f\n  end\nend\n", "A.B.f", "module A::B\n  def self.h\n  end\nend\n"),
        ("cs", "namespace A.B { class C { } }\n", "A.B", "namespace A.h { class C { } }\n"),
        ("php", "<?php\nnamespace A\\B { class C {} }\n", "A.B", "<?php\nnamespace A\\h { class C {} }\n"),
        ("ts", "namespace A.B { export const x = 1 }\n", "A.B", "namespace A.h { export const x = 1 }\n"),
    ],
)
def test_the_name_of_a_symbol_is_its_bare_name(suffix: str, text: str, name: str, after: str) -> None:
    assert replaced(suffix, text, name, "h", part="name") == after
