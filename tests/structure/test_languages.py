"""Languages: which there are, which file is written in which, and what each says of texts that do not parse."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tree_sitter import Parser

from steadyhand.errors import Kind
from steadyhand.structure.code.language import language_of, languages
from steadyhand.structure.code.reader import code_of, read_text
from steadyhand.structure.code.symbol import Symbol, outline
from steadyhand.structure.code.symbol import fault_in as fault
from steadyhand.structure.code.tree import grammar_of, parse_bounded
from steadyhand.structure.format import Fault, format_of, formats
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source
from tests.sampling import EXAMPLES
from tests.table import table

SUFFIXES = {name: language.suffixes[0] for name, language in languages().items()}
JUDGED = ("csharp", "go", "java", "javascript", "php", "python", "ruby", "rust", "tsx", "typescript")


def source_of(text: str, path: str | None) -> Source:
    return Source.of_text(text, path=path)


def test_these_are_the_languages() -> None:
    assert list(languages()) == [
        "bash", "c", "cpp", "csharp", "go", "java", "javascript", "kotlin", "php", "python", "ruby", "rust", "sql",
        "swift", "tsx", "typescript",
    ]  # fmt: skip


def test_no_suffix_belongs_to_two_languages() -> None:
    keys = [key for language in languages().values() for key in (*language.suffixes, *language.names)]
    assert len(keys) == len(set(keys))


@table(
    ("path", "text", "name"),
    [
        (None, "x = 1\n", None),
        ("notes.txt", "#!/bin/sh\n", None),  # a name that tells is believed
        ("run", "x = 1\n", None),
        ("run", "#!/usr/bin/perl\n", None),
        ("run", "#!/usr/bin/env -S python3 -u\n", "python"),
        ("run", "#!/bin/bash\n", "bash"),
        ("run", "#! /usr/local/bin/node\n", "javascript"),
        ("A\\B\\C.PY", "", "python"),
        ("x/.bashrc", "", "bash"),
        ("Rakefile", "", "ruby"),
        ("a.d.ts", "", "typescript"),
        ("a.h", "int f(void);\n", "c"),
        ("a.h", "namespace n {\n}\n", "cpp"),
        ("a.h", "template <class T>\nstruct A {};\n", "cpp"),
    ],
)
def test_a_file_is_known_by_its_name_and_else_by_its_first_line(path: str | None, text: str, name: str | None) -> None:
    found = language_of(source_of(text, path))
    assert (None if found is None else found.name) == name


def test_every_language_is_a_format_and_only_some_are_judged() -> None:
    known = {item.name: item for item in formats() if item.name in languages()}
    assert set(known) == set(languages())
    assert tuple(name for name, item in known.items() if item.fault is not None) == JUDGED
    found = format_of("a/b.py")
    assert found is not None
    assert found.name == "python"


VALID = {
    "csharp": "class A { int F() => 1; }\n",
    "go": "package p\n\nfunc f() {}\n",
    "java": "class A { int f() { return 1; } }\n",
    "javascript": "export const f = async () => { await 1; };\n",
    "php": "<p><?php function f() { return 1; } ?></p>\n",
    "python": "match x:\n    case [1, *_]: pass\n",
    "ruby": "def f = 1\n",
    "rust": "async fn f<'a>() -> impl Fn() + 'a { || () }\n",
    "tsx": "const f = <T,>(x: T) => <b>{x}</b>;\n",
    "typescript": "type A<T> = T extends string ? 1 : never;\n",
}
BROKEN = {
    "csharp": "class A {\n  int F( => 1;\n}\n",
    "go": "package p\n\nfunc f( {}\n",
    "java": "class A {\n  int f() { return ; 1 }\n",
    "javascript": "const a = 1;\nconst f = ) => 1;\n",
    "php": "<?php\nfunction f( { }\n",
    "python": "x = 1\ndef f(:\n    pass\n",
    "ruby": "def f\n  [1, 2\nend\n",
    "rust": "fn a() {}\nfn f( {}\n",
    "tsx": "const a = 1;\nconst f = <b>;\n",
    "typescript": "let x: = 1;\n",
}


@table("name", JUDGED)
def test_valid_text_has_no_fault_and_broken_text_says_where(name: str) -> None:
    assert fault(source_of(VALID[name], f"a{SUFFIXES[name]}")) is None
    found = fault(source_of(BROKEN[name], f"a{SUFFIXES[name]}"))
    assert isinstance(found, Fault)
    assert 1 <= found.line <= 4
    assert found.message


NEWER = [
    ("py", "def f[T](x: T) -> T: return x\n"),
    ("py", "type A[T] = list[T]\n"),
    ("py", "x = f'{y['a']}'\n"),
    ("py", "try: pass\nexcept A, B: pass\n"),
]

UNREAD = [
    ("py", "class A[T = int, U: (str, bytes) = str, *Ts = *tuple[int, ...], **P = [int, list[str]]]: pass\n"),
    ("py", "def f[\n    K,\n    V = dict[str, list[int | None]],\n](x: K) -> V: return x[0]\n"),
    ("py", 'type Of[T = "Later"] = list[T]\n'),
    ("ts", "interface A<in out T> {}\ninterface B<\n  in T,\n  out U = never,\n> {}\n"),
    ("ts", "const Box = styled.div<{ z?: number }>`color: red;`;\n"),
    ("ts", "const Box = styled(Button).attrs({ a: 1 })<{ on: () => void; b: { c: string }[] }>`top: 1px;`;\n"),
    ("ts", "const rows = sql<Array<{ id: number }>>`select id from t`;\n"),
    ("tsx", "const Box = styled.p<{ wide?: boolean }>`margin: 0;`;\nexport const V = () => <Box wide />;\n"),
    ("tsx", 'const V = () => <a href="/q?a=1&b_c=2&d=3">go</a>;\n'),
    ("ts", "export type * from './a';\nexport type * as b from './b';\n"),
    ("ts", "export { a, type, type B } from './c';\n"),
    ("ts", 'declare const x: import("./types").Of<string, { a: number }>;\n'),
    ("ts", "type Said = `use \\`x\\` here`;\n"),
    ("ts", "export default function (): { a: string };\n"),
    ("ts", "declare module 'm' {\n  global {\n    var seen: number;\n  }\n}\n"),
    ("ts", "const on = { call: (any) => 1 };\ntype On = (number) => void;\n"),
    (
        "ts",
        "interface Of {\n  <T>(a: T): (b: T) => Of<T>\n  // twice\n  <T>(a: T, b: T): Of<T>\n}\n",
    ),
    ("ts", "interface At {\n  name: string\n  in: 'path' | 'query'\n  more: string\n}\n"),
    ("ts", "class A {\n  accessor = 1;\n  using(using: string): this { return this; }\n}\nlet satisfies = 1;\n"),
    ("js", "import x from './a.json' assert { type: 'json' };\n"),
    ("js", "import { delete as remove } from './a.js';\nexport { remove as delete, remove as catch };\n"),
    ("js", "var using = f, other;\nusing.go(using);\nusing = 2;\n"),
    ("js", "using file = open();\nclass A { accessor x = 1 }\nimport defer * as d from 'd';\n"),
    ("js", "const raw = String.raw`C:\\users\\x`;\n"),
    ("java", "class X { X() { int y = 1; super(y); } }\n"),
    ("java", "import module java.base;\nclass X {}\n"),
    ("rs", 'unsafe extern "C" { safe fn f(); }\n'),
    ("rs", "fn f() { let g = #[inline] || 1; Point { x, .. } = p; try!(g()); }\n"),
    ("rs", "fn f(p: P) { match p { P { 0: a, 1: _ } => a, } }\nstruct U where i32: Copy;\n"),
    ("rs", "trait T { type Next: State = End; }\ntrait Both = A + B;\n"),
    ("cs", "a?.b = 1;\n"),
    ("cs", "class A<T> where T : allows ref struct { }\n"),
    ("cs", "static class E { extension(string s) { public int Size => s.Length; } }\n"),
    ("cs", "#if A\nclass B : C {\n#else\nclass B {\n#endif\n    int x;\n}\n"),
    ("cs", "enum E {\n    A = 1,\n#if X\n    B = 2,\n#elif Y\n    B = 3,\n#endif\n}\n"),
    ("php", "<?php (void) f();\n"),
    ("rb", 'def f() = puts "a"\ndef g(a, b = 1) = raise ArgumentError, "no"\n'),
    ("rb", "case x\nwhen :$_, :$/, :$, then 1\nend\n"),
]


@table(("suffix", "text"), NEWER + UNREAD)
def test_valid_text_that_what_is_installed_may_be_too_old_for_has_no_fault(suffix: str, text: str) -> None:
    assert fault(source_of(text, f"a.{suffix}")) is None


@table(
    ("suffix", "text"),
    [
        ("py", "def f[T](x: T -> T: return x\n"),
        ("py", "x = f'{y'\n"),
        ("py", "try: pass\nexcept A, B pass\n"),
        ("py", "def f[T](x: T) -> T: return x\n)\n"),
        ("java", "class X { X() { int y = 1; super(y; } }\n"),
        ("rb", 'def f() = puts "a"\n)\n'),
    ],
)
def test_broken_text_beside_or_in_what_is_new_has_a_fault(suffix: str, text: str) -> None:
    assert fault(source_of(text, f"a.{suffix}")) is not None


@table(("suffix", "text"), UNREAD)
def test_a_construct_that_cannot_be_read_hides_no_missing_bracket_or_quote(suffix: str, text: str) -> None:
    lone = "'" if suffix in ("rs", "js") else ""
    code = re.sub(r"//.*", "", text)
    for at, letter in enumerate(code):
        if (letter in '(){}[]"`' or letter == lone) and code[at - 1] != "\\":
            assert fault(source_of(code[:at] + code[at + 1 :], f"a.{suffix}")) is not None, (at, letter)


@table(("suffix", "text"), UNREAD)
def test_a_construct_is_covered_without_moving_anything(suffix: str, text: str) -> None:
    language = language_of(source_of(text, f"a.{suffix}"))
    assert language is not None
    text = f"// é𝄞\r\n{text}".replace("a", "é")
    for cover in language.unread:
        covered = cover(text)
        assert len(covered.encode()) == len(text.encode())
        assert [at for at, byte in enumerate(covered.encode()) if byte in b"\r\n"] == [
            at for at, byte in enumerate(text.encode()) if byte in b"\r\n"
        ]


@pytest.mark.sweep
@table("junk", ["\n" * 30_000, "  <A\n" * 10_000, "struct A where " * 10_000, "#if a\n" * 10_000])
def test_covering_costs_bounded_work_at_every_place_of_a_long_text(junk: str) -> None:
    for language in languages().values():
        for cover in language.unread:
            assert len(cover(f"{junk}<A>(")) == len(junk) + 4


def test_symbols_beside_a_construct_that_cannot_be_read_are_found_by_the_names_they_have() -> None:
    source = source_of(
        "export default function (): void;\nvar using = 1;\nexport type * from 'a';\nexport function g() {}\n", "a.ts"
    )
    code = code_of(source)
    assert not isinstance(code, Refusal)
    assert [item.dotted for item in code.definitions] == ["using", "g"]
    assert all(item.is_sound for item in code.definitions)
    code = code_of(source_of("class E {\n  extension(string s) { public int F => 1; }\n  int G;\n}\n", "a.cs"))
    assert not isinstance(code, Refusal)
    assert [item.dotted for item in code.definitions] == ["E", "E.F", "E.G"]


def test_the_fault_of_a_missing_bracket_says_what_is_missing() -> None:
    found = fault(source_of("class A {\n  int f() { return 1; }\n", "A.java"))
    assert isinstance(found, Fault)
    assert (found.line, found.message) == (3, "missing `}`") or found.line == 2


@pytest.mark.sweep
@table(
    "text",
    [
        "\0",
        "x = " + "(" * 300 + ")" * 300,
        "x = " + "-" * 100_000 + "1",
        "not " * 100_000 + "x",
        "x" + ".a" * 100_000,
        "x = " + "1+" * 50_000 + "1",
        "x = " + "lambda: " * 5_000 + "1",
        "".join(f"{' ' * depth}if 1:\n" for depth in range(300)),
        "a" * 1_000_000 + "=" + "9" * 10_000,
        "x = '\\N{no such name}'",
        "# coding: no-such-codec\nx = 1\n",
        "x = '\ud800'\n",
    ],
)
def test_hostile_python_is_judged_and_never_crashes(text: str) -> None:
    program = (
        "import sys\n"
        "from steadyhand.structure.code.python import python_fault\n"
        "print(python_fault(sys.stdin.buffer.read().decode('utf-8', 'surrogatepass')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input=text.encode("utf-8", "surrogatepass"), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr[-500:]


@pytest.mark.sweep
@table("name", list(languages()))
@table(
    "bomb",
    [
        "(" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        "{" * 100_000 + "}" * 100_000,
        "<" * 100_000,
        "/*" * 50_000,
        "${'" * 30_000,
        "@a " * 12_000,
    ],
    ids=["open", "lists", "braces", "angles", "comments", "templates", "words"],
    every=11,
)
def test_depth_bombs_are_refused_or_read(name: str, bomb: str) -> None:
    source = source_of(("<?php\n" if name == "php" else "") + bomb, f"bomb{SUFFIXES[name]}")
    found = outline(source)
    if isinstance(found, Refusal):
        assert found.kind in (Kind.TOO_LARGE, Kind.UNPARSABLE)
        assert found.hint


def test_a_text_of_any_length_is_bounded() -> None:
    refusal = code_of(source_of("x = 1\n" * (languages()["python"].largest // 5), "a.py"))
    assert isinstance(refusal, Refusal)
    assert refusal.kind is Kind.TOO_LARGE


HEADS = {
    "c": "int f(void) { return 1; }\n",
    "go": "package p\n",
    "rust": "fn f() { let x = 1; }\n",
}


@pytest.mark.sweep
@table("name", list(HEADS), every=8)
def test_junk_far_behind_a_sound_head_is_given_up_at_the_line_where_it_starts(name: str) -> None:
    head = HEADS[name] + "// sound\n" * 3_000
    refusal = code_of(source_of(head + "@a " * 20_000, f"junk{SUFFIXES[name]}"))
    assert isinstance(refusal, Refusal)
    assert (refusal.kind, refusal.details["line"]) == (Kind.UNPARSABLE, head.count("\n") + 1)


def test_mistakes_here_and_there_in_a_long_file_do_not_make_it_hopeless() -> None:
    text = "".join(f"int f{at}(void) {{ return {at}; }}\nMACRO(x) int y = ;\n" for at in range(3_000))
    found = Symbol("f2999").resolve(source_of(text, "a.c"))
    assert not isinstance(found, Refusal)


@table("length", [5_999, 6_001, 20_000])
def test_a_text_that_is_read_piece_by_piece_is_read_as_it_is_in_one(length: int) -> None:
    text = "/* €𝄞 */ class A { constructor() {} é() { return '𝄞'; } }\n".ljust(70) * (length // 70)
    code = read_text(languages()["javascript"], text)
    assert not isinstance(code, Refusal)
    assert [item.kind for item in code.definitions] == ["class", "constructor", "method"] * (length // 70)
    assert {item.name.of(text) for item in code.definitions} == {"A", "constructor", "é"}


@table("letter", ["é", "漢", "𠀀"])
@table("shift", range(4))
def test_no_boundary_of_a_piece_cuts_a_character(letter: str, shift: int) -> None:
    """In a name, where half a character is a syntax error; in strings and comments it would not be noticed."""
    assert parsed_alike("python", "#" * shift + f"\n{letter * 50} = 1" * 200)


LINES = {
    "python": "x{0} = '{1}'  # {1}\n",
    "typescript": "const x{0} = `{1}`; // {1}\n",
    "ruby": "x{0} = '{1}' # {1}\n",
    "rust": 'const X{0}: &str = "{1}"; // {1}\n',
    "php": "<?php $x{0} = '{1}'; // {1}\n?>\n",
}
words = st.text("aé漢𠀀", max_size=40)


@given(st.sampled_from(sorted(LINES)), st.lists(st.tuples(words, words), min_size=1, max_size=24))
@settings(max_examples=EXAMPLES // 2)
def test_pieces_give_the_tree_of_the_whole(name: str, rows: list[tuple[str, str]]) -> None:
    text = "".join(LINES[name].format(*row) for row in rows)
    assert parsed_alike(name, text * (12_000 // len(text)))


def parsed_alike(name: str, text: str) -> bool:
    """Whether the tree of a text read in pieces is the one the parser makes of it at once."""
    grammar = grammar_of(languages()[name].package, languages()[name].grammar)
    whole, pieces = Parser(grammar).parse(text.encode()), parse_bounded(grammar, text.encode())
    return not isinstance(pieces, int) and str(pieces.root_node) == str(whole.root_node)


def test_a_long_literal_at_the_top_of_a_file_is_read() -> None:
    text = "const rows = [\n" + "  [1, 'a'],\n" * 10_000 + "];\n\nfunction g() {}\n"
    found = Symbol("g").resolve(source_of(text, "a.js"))
    assert not isinstance(found, Refusal)


def test_deep_but_sound_code_keeps_its_symbols() -> None:
    text = "function f() {" + "if (x) {" * 1_500 + "}" * 1_500 + "}\nfunction g() {}\n"
    found = Symbol("g").resolve(source_of(text, "a.js"))
    assert not isinstance(found, Refusal)


def test_a_grammar_that_is_not_installed_is_named() -> None:
    from dataclasses import replace

    missing = replace(languages()["python"], package="tree_sitter_no_such_language")
    refusal = read_text(missing, "pass\n")
    assert isinstance(refusal, Refusal)
    assert refusal.kind is Kind.NOT_INSTALLED
    assert refusal.details["package"] == "tree-sitter-no-such-language"


WITHOUT = """
import sys
from steadyhand.structure.code.language import languages
for language in languages().values():
    if language.is_extra:
        sys.modules[language.package] = None
from steadyhand.plan.edit import Delete, Replace
from steadyhand.plan.preview import edit
from steadyhand.structure.target import parse_address
for language in languages().values():
    path = "a" + language.suffixes[0]
    by_text, by_symbol = (edit("f = 1\\n", one, path=path)
                          for one in (Replace("f = 1", "f = 2"), Delete(parse_address("symbol:f"))))
    said = any("`languages`" in note for note in by_text.warnings)
    error = by_symbol.error
    print(language.name, by_text.error is None, said, error and error.kind, error and error.hint)
"""


def test_without_the_extra_edits_by_symbol_name_it_and_edits_by_text_say_what_was_not_checked() -> None:
    answered = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True, timeout=300)
    rows = {row.split()[0]: row.split(maxsplit=4)[1:] for row in answered.stdout.splitlines()}
    assert set(rows) == set(languages())
    for name, (is_made, is_said, kind, *hint) in rows.items():
        language = languages()[name]
        assert is_made == "True", name
        assert (is_said == "True") == (language.is_extra and language.is_checked), name
        assert (kind == "not-installed") == language.is_extra, (name, kind)
        assert not language.is_extra or hint == ["pip install 'steadyhand[languages]'"], (name, hint)


def test_the_extra_has_the_grammars_that_say_so_and_the_base_the_others() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {False: project["dependencies"], True: project["optional-dependencies"]["languages"]}
    for language in languages().values():
        package = language.package.replace("_", "-")
        assert any(each.startswith(f"{package}>") for each in groups[language.is_extra]), language.name


def test_no_grammar_is_loaded_before_one_is_needed() -> None:
    program = (
        "import sys, steadyhand\n"
        "from steadyhand.structure.format import formats\n"
        "from steadyhand.structure.target import targets\n"
        "formats(), targets()\n"
        "print([name for name in sys.modules if name.startswith('tree_sitter')])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
