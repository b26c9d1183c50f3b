"""What an edit by address costs, in calls and questions that a busy machine does not change."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from dataclasses import replace
from typing import SupportsIndex

import pytest

import steadyhand as sh
from benches.documents import document
from steadyhand.errors import Kind
from steadyhand.plan.guards import GuardedEdit, GuardInput, check_placeholder
from steadyhand.plan.policy import Policy
from steadyhand.structure.code.indentation import fit
from steadyhand.structure.code.language import Language, languages
from steadyhand.structure.code.reader import Above, read_text
from steadyhand.structure.code.symbol import Symbol, fault_of
from steadyhand.structure.code.tree import Parsed
from steadyhand.structure.config.env import read_env
from steadyhand.structure.config.ini import read_ini
from steadyhand.structure.config.item import Item, check_plain
from steadyhand.structure.config.json import Style, write_value
from steadyhand.structure.html.element import Selector
from steadyhand.structure.html.page import page_of
from steadyhand.structure.html.template import mask
from steadyhand.structure.html.tree import fault_of as broken
from steadyhand.structure.node import Refusal
from steadyhand.text.cancel import OFTEN, cancellable
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.diff import changes_between
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice
from tests.table import table

# Parses.


def test_a_toml_file_is_read_once_and_once_after_all_edits(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    loads = tomllib.loads

    def counting(text: str) -> dict[str, object]:
        read.append(text)
        return loads(text)

    monkeypatch.setattr(tomllib, "loads", counting)
    text = "".join(f"[t{at}]\nvalue = {at}\n\n" for at in range(40))
    edits = [sh.Replace(sh.Key(f"t{at}.value"), "-1") for at in range(3)]
    assert sh.edit(text, edits, path="a.toml").text.count("value = -1") == 3
    assert sum(len(each) > len(text) // 2 for each in read) <= 3  # a guard reads what was there


LARGE = {
    "a.json": json.dumps(
        {f"s{at}": {"image": "x", "ports": [at, 1], "env": {"A": "b"}} for at in range(500)}, indent=2
    ),
    "a.toml": "".join(f"[s{at}]\nimage = 'x'\nports = [{at}, 1]\nenv = {{ A = 'b' }}\n\n" for at in range(500)),
    "a.yaml": "".join(f"s{at}:\n  image: x\n  ports: [{at}, 1]\n  env:\n    A: b\n" for at in range(500)),
}


@table("path", LARGE)
def test_one_key_of_a_large_file_is_edited_without_looking_into_the_others(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = 0
    make = Item.__init__

    def counting(self: Item, *parts: object, **named: object) -> None:
        nonlocal made
        made += 1
        make(self, *parts, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Item, "__init__", counting)
    assert sh.edit(LARGE[path], [sh.Act(sh.Key("s250.image"), "set-key", value="y")], path=path).ok
    every, made = made, 0
    assert sh.outline(LARGE[path], path=path)
    assert every < 500 * 4 < made, "an outline has all 3,500 values, an edit the 500 tables and a few hundred for style"


@table(("path", "parses"), [("a.py", 0), ("a.ts", 1)])
def test_an_edit_of_source_code_by_its_text_reads_no_definition(
    path: str, parses: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from steadyhand.structure.code import reader as reading

    trees: list[str] = []
    parse = reading.parse_code

    def counting(language: Language, text: str, *, fragment: bool = False) -> Parsed | Refusal:
        trees.append(text)
        return parse(language, text, fragment=fragment)

    def never(*_: object, **__: object) -> None:
        raise AssertionError("definitions are read")

    monkeypatch.setattr(reading, "parse_code", counting)
    monkeypatch.setattr(reading, "capture", never)
    text = "".join(f"value_{at} = {at}\n" for at in range(40))
    assert "value_7 = 8\n" in sh.edit(text, [sh.Replace("value_7 = 7\n", "value_7 = 8\n")], path=path).text
    assert len(trees) == parses
    error = sh.edit(text, [sh.Replace("value_7 = 7\n", "value_7 = (8\n")], path=path).error
    assert error is not None
    assert error.kind is Kind.BREAKS_SYNTAX


def test_source_code_is_read_once_and_once_after_all_edits(monkeypatch: pytest.MonkeyPatch) -> None:
    import tree_sitter

    read: list[object] = []
    parser = tree_sitter.Parser

    class Counting:
        def __init__(self, grammar: tree_sitter.Language) -> None:
            self.parser = parser(grammar)

        def parse(self, given: bytes) -> tree_sitter.Tree:
            read.append(given)
            return self.parser.parse(given)

    monkeypatch.setattr(tree_sitter, "Parser", Counting)
    text = "".join(f"def f{at}(a):\n    return a + {at}\n\n\n" for at in range(300))
    edits = [sh.Replace(sh.Symbol(f"f{at}"), f"def f{at}(a):\n    return a\n") for at in range(3)]
    assert sh.edit(text, edits, path="a.py").text.count("return a\n") == 3
    assert sum(callable(each) for each in read) == 2  # long texts are handed over piece by piece


def test_an_edit_of_indented_code_reads_its_own_statement_again_and_not_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import tree_sitter

    from steadyhand.structure.code import tree as trees

    read = 0

    def counting(
        grammar: tree_sitter.Language, data: bytes, edited: tree_sitter.Tree | None = None
    ) -> tree_sitter.Tree:
        def note(kind: tree_sitter.LogType, line: str) -> None:
            nonlocal read
            read += line.startswith("lexed_lookahead")

        parser = tree_sitter.Parser(grammar)
        parser.logger = note
        return parser.parse(data) if edited is None else parser.parse(data, edited)

    monkeypatch.setattr(trees, "parse_bounded", counting)
    written, python = document("Python", 150_000), languages()["python"]
    parsed = trees.parse_code(python, written.text)
    assert isinstance(parsed, Parsed)
    whole, most = read, 0
    for spot in written.spots[20:-20:41]:
        changes = ChangeSet((Splice(written.text.index(spot.old), spot.old, spot.new),))
        read = 0
        assert trees.parse_again(python, parsed, written.text, changes, changes.apply(written.text)) is not None
        most = max(most, read)
    assert most < whole / 10


@table(("rows", "is_compiled"), [(9_000, True), (11_000, False)])
def test_a_long_text_is_judged_by_its_tree_and_not_by_a_compiler(rows: int, is_compiled: bool) -> None:
    judged: list[int] = []
    python = replace(languages()["python"], verdict=lambda text: judged.append(len(text)))
    code = read_text(python, "def f(:\n")
    assert not isinstance(code, Refusal)
    fault = fault_of(code, ("#" * 99 + "\n") * rows)
    assert (bool(judged), fault is None) == (is_compiled, is_compiled)


def test_new_code_is_indented_by_its_tree_and_not_by_a_compiler() -> None:
    judged: list[int] = []
    python = replace(languages()["python"], verdict=lambda text: judged.append(len(text)))
    assert (
        fit(python, "def f():\n" + "        pass\n" * 99, "    ", "    ")
        == "def f():\n" + "        pass\n" * 98 + "        pass"
    )
    assert not judged


@table("verb", [sh.Replace, sh.Insert])
def test_new_code_that_is_too_long_to_be_parsed_is_not_looked_at(verb: type[sh.Replace | sh.Insert]) -> None:
    class Unread(str):
        __slots__ = ()

        def replace(self, old: str, new: str, count: SupportsIndex = -1, /) -> str:
            raise AssertionError(old, new, count)

    source = Source.of_text("def f():\n    pass\n", path="a.py")
    found = Symbol("f").resolve(source)
    assert not isinstance(found, Refusal)
    long = Unread("#" * 5_000_000)
    refusal = found[0].replace(source, long) if verb is sh.Replace else found[0].insert(source, long, "after")
    assert isinstance(refusal, Refusal)
    assert refusal.kind == "too-large"


def test_an_element_is_named_only_for_who_asks() -> None:
    from steadyhand.structure.html.element import _names

    source = Source.of_text("<p>one</p>" * 50, path="a.html")
    found = Selector("p", nth=7).resolve(source)
    assert not isinstance(found, Refusal)
    assert _names not in source._derived
    assert found[0].address == "selector:body > p:nth-of-type(7)"


def test_markup_is_not_copied_for_each_of_its_elements() -> None:
    import turbohtml

    class Copied(str):
        __slots__ = ()
        length = 0

        def __getitem__(self, key: SupportsIndex | slice) -> str:
            part = super().__getitem__(key)
            Copied.length += len(part)
            return part

    holder = turbohtml.parse("<div></div>").select_one("div")
    assert holder is not None
    markup = Copied("<svg>" + "<g/>" * 500 + "</svg>")
    assert broken(markup, holder) is None
    assert Copied.length <= len(markup)


# Questions whether to go on.


def asked(work: Callable[[], object]) -> int:
    count = 0

    def tick() -> None:
        nonlocal count
        count += 1

    with cancellable(tick):
        work()
    return count


def guarded(text: str) -> GuardInput:
    return GuardInput("a.py", "", text, (GuardedEdit(0, "", text),), Policy())


LOOPS: dict[str, Callable[[int], object]] = {
    "comments above a symbol": lambda n: Above(
        "# c\n" * n + "f", [Span(4 * at, 4 * at + 3) for at in range(n)], ()
    ).comments_from(4 * n),
    "lines of an INI file": lambda n: read_ini(Source.of_text("a=1\n" * n)),
    "entries of a .env file": lambda n: read_env(Source.of_text("a=1\n" * n)),
    "template syntax": lambda n: mask("{{ a }} " * n),
    "markup of an edit": lambda n: sh.edit(
        "<p>x</p>", [sh.Replace(sh.Selector("p"), "<p>" + "<i>y</i>" * n + "</p>")], path="a.html"
    ),
    "values of an edit": lambda n: write_value(check_plain({f"k{at}": at for at in range(n)}, "value"), Style(), ""),
    "lines of a new text that might elide": lambda n: check_placeholder(guarded("x = ... + 1\n" * n)),
    "lines of two texts": lambda n: changes_between(
        "".join(f"{at}\n" for at in range(50 * n)), "".join(f"{at * 2}\n" for at in range(50 * n))
    ),
}


@table("name", LOOPS)
def test_every_loop_asks_the_oftener_the_longer_it_is(name: str) -> None:
    less, more = (asked(lambda size=size: LOOPS[name](size)) for size in (4 * OFTEN, 8 * OFTEN))  # type: ignore[misc]
    assert 4 <= less < more


def test_a_page_of_many_elements_is_read_in_the_same_places_with_any_line_ending() -> None:
    text = "<table>\n" + "<tr>\n<td>a\n<td>b</td>\n</tr>\n" * 50 + "</table>\n<p>x<b>y</p></b>\n<svg><g/></svg>\n"
    one, two = page_of(Source.of_text(text)), page_of(Source.of_text(text.replace("\n", "\r\n")))
    assert not isinstance(one, Refusal)
    assert not isinstance(two, Refusal)
    for index in range(len(one.nodes)):
        left, right = one.element(index), two.element(index)
        assert left.span.of(text) == right.span.of(text.replace("\n", "\r\n")).replace("\r\n", "\n")
        assert (left.flaw, left.closes_itself, left.namespace) == (right.flaw, right.closes_itself, right.namespace)
