"""Symbols by name: what an address leads to, in every language, and what it must not lead to."""

from __future__ import annotations

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.structure.code.symbol import Symbol, outline
from steadyhand.structure.node import Refusal
from steadyhand.structure.target import parse_address
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from tests.structure.symbols import node_at, source_of
from tests.table import table

SESSION = '''\
class Session:
    """A session."""

    def send(self, data):
        def inner():
            return data
        return inner()

    @property
    def size(self):
        return 1

    @size.setter
    def size(self, value):
        self._size = value


class Other:
    def send(self): ...


def Sender(): ...
'''


def refusal_of(target: Symbol, source: Source) -> Refusal:
    found = target.resolve(source)
    assert isinstance(found, Refusal)
    return found


@table(
    ("name", "kind"),
    [
        ("sender", Kind.NO_SUCH_TARGET),  # case counts
        ("end", Kind.NO_SUCH_TARGET),  # no part of a name
        ("Session.sen", Kind.NO_SUCH_TARGET),
        ("Missing.send", Kind.NO_SUCH_TARGET),
        ("Session.send.data", Kind.NO_SUCH_TARGET),  # parameters and locals are no symbols
        ("_size", Kind.NO_SUCH_TARGET),
        ("send", Kind.AMBIGUOUS_MATCH),
        ("size", Kind.AMBIGUOUS_MATCH),  # the property and its setter
        ("Session.size", Kind.AMBIGUOUS_MATCH),
    ],
)
def test_what_is_not_the_name_of_one_symbol_is_refused(name: str, kind: Kind) -> None:
    assert refusal_of(Symbol(name), source_of(SESSION)).kind is kind


@table("name", ["", "  ", "()", "."])
def test_a_name_without_a_name_is_a_bad_request(name: str) -> None:
    with pytest.raises(EditError) as caught:
        Symbol(name)
    assert caught.value.kind is Kind.BAD_REQUEST


def test_a_miss_names_the_nearest_symbols_and_one_to_send() -> None:
    refusal = refusal_of(Symbol("Session.sned"), source_of(SESSION))
    assert refusal.details["nearest"] == ["symbol:Session.send", "symbol:Other.send"]
    assert "symbol:Session.send" in refusal.hint


def test_a_name_of_another_kind_says_which_kind_it_is() -> None:
    refusal = refusal_of(Symbol("Session.send", kind="class"), source_of(SESSION))
    assert refusal.kind is Kind.NO_SUCH_TARGET
    assert "method" in refusal.hint


def test_several_places_are_listed_with_their_lines_and_addresses() -> None:
    refusal = refusal_of(Symbol("size"), source_of(SESSION))
    assert refusal.details["places"] == [
        {"nth": 1, "address": "symbol[1]:Session.size", "kind": "method", "lines": [9, 11]},
        {"nth": 2, "address": "symbol[2]:Session.size", "kind": "method", "lines": [13, 15]},
    ]


def test_a_file_of_no_known_language_is_refused_with_another_way_to_say_it() -> None:
    for source in (Source.of_text("def f(): ...\n"), source_of("def f(): ...\n", "unknown")):
        refusal = refusal_of(Symbol("f"), source)
        assert refusal.kind is Kind.BAD_REQUEST
        assert "lines" in refusal.hint


@table(
    "name",
    [
        "Session.send",
        " Session.send ",
        "Session::send",
        "Session#send",
        "Session/send",
        "Session.send()",
        "Session.send(self, data)",
        "`Session.send`",
        "'Session.send'",
    ],
)
def test_every_way_of_writing_a_path_leads_to_the_same_place(name: str) -> None:
    source = source_of(SESSION)
    assert node_at(Symbol(name), source).span == node_at(Symbol("Session.send"), source).span


def test_a_path_that_is_complete_is_preferred_to_the_end_of_a_longer_one() -> None:
    source = source_of("class A:\n    def f(self): ...\n\ndef f(): ...\n")
    assert node_at(Symbol("f"), source).span.of(source.text) == "def f(): ..."


def test_the_end_of_a_path_is_enough_where_only_one_has_it() -> None:
    assert node_at(Symbol("inner"), source_of(SESSION)).address == "symbol:Session.send.inner"


def test_nth_and_kind_pick_one_of_several() -> None:
    source = source_of(SESSION)
    assert "setter" in node_at(Symbol("Session.size", nth=2), source).span.of(source.text)
    assert node_at(Symbol("Session.size", nth=-1), source) == node_at(Symbol("Session.size", nth=2), source)
    header = source_of("int f(int);\nint f(int a) { return a; }\n", "c")
    assert node_at(Symbol("f", kind="prototype"), header).span.of(header.text) == "int f(int);"
    assert node_at(Symbol("f", kind="function"), header).span.of(header.text) == "int f(int a) { return a; }"


def test_a_symbol_states_what_its_span_includes() -> None:
    source = source_of("# about f\n@one\n@two(1)\ndef f(): ...\n")
    assert node_at(Symbol("f"), source).label == "function def f(): ... (with 2 decorators and its comment)"


def test_the_address_of_a_part_leads_back_to_it() -> None:
    source = source_of(SESSION)
    for part in Symbol.parts:
        node = node_at(Symbol("Session.size", part=part, nth=2), source)
        again = parse_address(node.address)
        assert isinstance(again, Symbol)
        assert node_at(again, source) == node


# What each language calls the whole, the definition and the body.
MARKED = [
    (
        "py",
        "f",
        "whole",
        "import x\n\n⟦# about f\n# it\n@one\n@two(\n    1)\nasync def f(x):\n    return 1⟧\n\nx = 1\n",
    ),
    ("py", "f", "definition", "# about f\n⟦@one\ndef f(x):\n    return 1⟧\n"),
    ("py", "f", "body", "def f(x):  # note\n    ⟦# first\n    '''doc'''\n    return 1⟧\n"),
    ("py", "f", "body", "def f(x): ⟦return 1; x = 2⟧\n"),
    ("py", "f", "name", "def ⟦f⟧(x): ...\n"),
    ("py", "f", "whole", "#!/usr/bin/env python\n⟦def f(): ...⟧\n"),
    ("py", "f", "whole", "# coding: utf-8\n⟦def f(): ...⟧\n"),
    ("py", "f", "whole", "# apart\n\n⟦def f(): ...⟧\n"),
    ("py", "f", "whole", "x = 1  # of x\n⟦def f(): ...⟧\n"),
    ("py", "f", "whole", "def e():\n    pass\n    # of e\n⟦def f(): ...⟧\n"),
    ("py", "A.f", "whole", "class A:\n    ⟦# of f\n    def f(self):\n        pass⟧\n\n    def g(self): ...\n"),
    ("py", "A.x", "whole", "class A:\n    ⟦x: int = 1⟧  # note\n"),
    ("py", "X", "whole", "⟦X = {\n    1: 2,\n}⟧\n"),
    ("py", "f", "whole", "'😀'; é = '€'\n⟦def f(): return '😀'⟧\n"),
    ("pyi", "f", "whole", "⟦def f(x: int) -> str: ...⟧\n"),
    ("js", "f", "whole", "⟦/** doc */\nexport default function f(a) { return a; }⟧\n"),
    ("js", "f", "whole", "// other\n\n⟦export const f = async (x) => x + 1;⟧\n"),
    ("js", "f", "body", "export const f = async (x) => ⟦x + 1⟧;\n"),
    ("js", "f", "body", "const f = function () {\n  ⟦a();\n  b();⟧\n};\n"),
    ("js", "A.#p", "whole", "class A {\n  ⟦#p = 1;⟧\n  get #q() { return 1 }\n}\n"),
    ("js", "A.go", "whole", "class A {\n  ⟦// go\n  static async go() {\n  }⟧\n}\n"),
    ("js", "api.get", "whole", "const api = {\n  ⟦get() { return 1; }⟧,\n  post: () => 2,\n};\n"),
    ("js", "run", "whole", "⟦module.exports.run = function () { return 1; };⟧\n"),
    ("ts", "A", "whole", "⟦@Component({\n  a: 1,\n})\nexport class A<T> extends B {\n  x = 1;\n}⟧\n"),
    ("ts", "A.x", "whole", "export class A {\n  ⟦@Input() private x: number = 1;⟧\n}\n"),
    ("ts", "T", "whole", "⟦export type T = { a: string };⟧\n"),
    ("ts", "I.f", "whole", "interface I {\n  ⟦f(): void;⟧\n}\n"),
    ("ts", "N.M.q", "whole", "export namespace N.M {\n  ⟦export function q() {}⟧\n}\n"),
    ("tsx", "Page.Row", "whole", "export function Page() {\n  ⟦const Row = () => <li>a</li>;⟧\n  return <Row />;\n}\n"),
    ("java", "A.f", "whole", "class A {\n    ⟦/** doc */\n    @Override\n    public int f() { return 1; }⟧\n}\n"),
    ("java", "A.f", "definition", "class A {\n    /** doc */\n    ⟦@Override\n    public int f() { return 1; }⟧\n}\n"),
    ("java", "A.A", "body", "class A {\n    A(int x) {\n        ⟦this.x = x;⟧\n    }\n}\n"),
    ("go", "Server.Close", "whole", "package p\n\n⟦// Close it.\nfunc (s *Server) Close() error {\n\treturn nil\n}⟧\n"),
    ("go", "Box.Get", "whole", "package p\n\n⟦func (b Box[T]) Get() T { return b.v }⟧\n"),
    ("go", "A", "body", "package p\n\ntype A struct {\n\t⟦x int\n\ty string⟧\n}\n"),
    ("go", "L", "whole", "package p\n\nconst (\n\t⟦L = 1⟧\n\tM = 2\n)\n"),
    ("rs", "A", "whole", "//! the file\n⟦/// doc\n#[derive(Debug)]\n/// more\npub struct A { x: i32 }⟧\n"),
    ("rs", "A", "definition", "/// doc\n⟦#[derive(Debug)]\n/// more\npub struct A { x: i32 }⟧\n"),
    ("rs", "A.new", "body", "impl<T> A<T> {\n    pub fn new() -> Self {\n        ⟦A { x: 1 }⟧\n    }\n}\n"),
    ("rs", "impl Display for A", "whole", "⟦impl Display for A { fn fmt(&self) {} }⟧\n"),
    (
        "rs",
        "impl Display for A.fmt",
        "whole",
        "impl Display for A { ⟦fn fmt(&self) {}⟧ }\nimpl Debug for A { fn fmt(&self) {} }\n",
    ),
    ("c", "f", "whole", "#include <x.h>\n⟦/* doc */\nstatic char **f(int a) {\n  return 0;\n}⟧\n"),
    ("c", "P", "whole", "⟦typedef struct { int x; } P;⟧\n"),
    ("c", "S", "whole", "⟦struct S {\n  int a;\n};⟧\n"),
    ("h", "A.f", "whole", "namespace n {\nclass A {\n public:\n  ⟦int f() const;⟧\n};\n}\n"),
    ("cpp", "A.f", "whole", "⟦template <typename T>\nint A<T>::f() const { return 1; }⟧\n"),
    ("cpp", "A.operator==", "whole", "struct A {\n  ⟦bool operator==(const A& o) const { return true; }⟧\n};\n"),
    ("cpp", "n.m.f", "whole", "namespace n::m {\n⟦void f() {}⟧\n}\n"),
    (
        "cs",
        "N.A.F",
        "whole",
        "namespace N {\n  class A {\n    ⟦/// <summary>F</summary>\n    [Old]\n    int F() => 1;⟧\n  }\n}\n",
    ),
    ("cs", "A.F", "body", "class A {\n    int F() => ⟦1 + 2⟧;\n}\n"),
    ("cs", "A.P", "whole", "class A {\n    ⟦public int P { get; set; }⟧\n}\n"),
    ("rb", "M.C.f", "whole", "module M\n  class C\n    ⟦# doc\n    def self.f(a)\n      a\n    end⟧\n  end\nend\n"),
    ("rb", "M.C.f", "body", "class M::C\n  def f(a)\n    ⟦a\n  rescue\n    b⟧\n  end\nend\n"),
    ("rb", "f", "whole", "⟦private def f\nend⟧\n"),
    (
        "php",
        "A.f",
        "whole",
        "<?php\nclass A {\n    ⟦/** doc */\n    #[Old]\n    public function f() { return 1; }⟧\n}\n",
    ),
    ("php", "A.x", "whole", "<?php\nclass A {\n    ⟦private ?int $x = 1;⟧\n}\n"),
    ("swift", "A.e", "whole", "class A {}\nextension A: P {\n    ⟦/// doc\n    @objc func e() {}⟧\n}\n"),
    ("swift", "A.init", "body", "class A {\n    init(x: Int) {\n        ⟦y = x⟧\n    }\n}\n"),
    ("kt", "A.make", "whole", "class A {\n    companion object {\n        ⟦fun make() = A()⟧\n    }\n}\n"),
    ("kt", "A.Companion.make", "body", "class A {\n    companion object {\n        fun make() = ⟦A()⟧\n    }\n}\n"),
    ("kt", "f", "whole", "⟦/** doc */\n@Old\nfun f(): Int {\n    return 1\n}⟧\n"),
    ("sh", "f", "whole", "#!/bin/sh\n⟦# doc\nf() {\n  echo 1\n}⟧\n"),
    ("sh", "f", "body", "function f {\n  ⟦cat <<EOF\ntext\nEOF⟧\n}\n"),
    ("sql", "app.users", "whole", "SELECT 1;\n⟦-- people\nCREATE TABLE app.users (id int);⟧\n"),
    ("sql", "v", "whole", "⟦CREATE OR REPLACE VIEW v AS SELECT 1;⟧\n"),
]


@table(("suffix", "name", "part", "marked"), MARKED)
def test_a_part_of_a_symbol_is_what_the_language_calls_it(suffix: str, name: str, part: str, marked: str) -> None:
    start, end = marked.index("⟦"), marked.index("⟧") - 1
    for newline in ("\n", "\r\n"):
        text = marked.replace("⟦", "").replace("⟧", "")
        source = source_of(text.replace("\n", newline), suffix)
        grown = [offset + text.count("\n", 0, offset) * (len(newline) - 1) for offset in (start, end)]
        assert node_at(Symbol(name, part=part), source).span == Span(*grown)


def test_lines_that_end_with_cr_alone_are_lines() -> None:
    source = source_of("# doc\rdef f():\r    return 1\r\rdef g(): ...\r")
    assert node_at(Symbol("f"), source).span.of(source.text) == "# doc\rdef f():\r    return 1"


def test_a_lone_surrogate_moves_nothing() -> None:
    source = source_of("x = '\udc80é'\ndef f(): return '\udcff'\n")
    assert node_at(Symbol("f"), source).span.of(source.text) == "def f(): return '\udcff'"


@table(
    ("suffix", "text", "names"),
    [
        ("js", "function o() { let g = 1, p = (e) => e, b = 2; }\n", ["o"]),
        ("js", "var q = function () {}, r;\nconst { z } = y, w = () => 1;\nconst c = 1;\n", ["q", "r", "z", "w", "c"]),
        ("c", "int x, (*(*f(void))[5])(void);\nint c = 1;\n", ["c"]),
        ("sh", "export A=1 B\nexport C=1\n", ["C"]),
        ("swift", "let a = 1, (b, d) = x\nlet c = 1\n", ["a", "b", "d", "c"]),
    ],
)
def test_a_declaration_of_which_one_name_is_unknown_is_no_symbol(suffix: str, text: str, names: list[str]) -> None:
    entries = outline(source_of(text, suffix))
    assert not isinstance(entries, Refusal)
    assert [entry.address for entry in entries] == [f"symbol:{name}" for name in names]


def test_a_symbol_with_a_syntax_error_in_it_is_refused_and_others_are_not() -> None:
    source = source_of("function a() { return 1; }\n\nfunction b() { return ); }\n\nfunction c() { return 3; }\n", "js")
    refusal = refusal_of(Symbol("b"), source)
    assert refusal.kind is Kind.UNPARSABLE
    assert refusal.details["line"] == 3
    assert node_at(Symbol("a"), source).span.of(source.text) == "function a() { return 1; }"
    assert node_at(Symbol("c"), source).span.of(source.text) == "function c() { return 3; }"
    entries = outline(source)
    assert not isinstance(entries, Refusal)
    assert [entry.address for entry in entries] == ["symbol:a", "symbol:c"]


def test_an_outline_goes_down_the_file_with_addresses_that_single_out() -> None:
    source = source_of(SESSION)
    entries = outline(source)
    assert not isinstance(entries, Refusal)
    assert [(entry.depth, entry.address) for entry in entries] == [
        (0, "symbol:Session"),
        (1, "symbol:Session.send"),
        (2, "symbol:Session.send.inner"),
        (1, "symbol[1]:Session.size"),
        (1, "symbol[2]:Session.size"),
        (0, "symbol:Other"),
        (1, "symbol:Other.send"),
        (0, "symbol:Sender"),
    ]
