"""Edits by address of one call, planned on one text: they do what they do one after the other, for one parse."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steadyhand as sh
from steadyhand.errors import Kind
from steadyhand.plan.edit import Edit
from tests.sampling import examples
from tests.table import table

NAMES = ("a", "b", "c")


def act(address: str, name: str, /, **args: object) -> Edit:
    return sh.Act(sh.parse_address(address), name, **args)


def one_by_one(text: str, edits: Sequence[Edit], path: str) -> tuple[list[Edit], str]:
    """Those of some edits that go through, each in a call of its own, and what they make of a text."""
    passed: list[Edit] = []
    for edit in edits:
        done = sh.edit(text, [edit], path=path)
        if done.error is None:
            text = done.text
            passed.append(edit)
    return passed, text


def check_alike(text: str, edits: list[Edit], path: str) -> None:
    """Check that edits do the same in one call and in calls of their own, as far as they go through there."""
    passed, after = one_by_one(text, edits, path)
    done = sh.edit(text, passed, path=path)
    if done.error is None:
        assert done.text == after
    else:  # in one call an edit may not write over what an earlier one wrote
        assert done.error.kind == Kind.OVERLAPPING_EDITS, done.error
    whole = sh.edit(text, edits, path=path)
    assert len(passed) == len(edits) or whole.error is not None


def json_text() -> str:
    inner = {name: {"x": 1, "y": [1, 2], "z": "t"} for name in NAMES}
    return json.dumps({**inner, "list": [{"x": 0}, {"x": 1}, {"x": 2}], "e": {}}, indent=2) + "\n"


def yaml_text() -> str:
    inner = "".join(f"{name}:\n  x: 1 # {name}\n  y:\n    - 1\n    - 2\n  z: t\n" for name in NAMES)
    return inner + "list:\n  - x: 0\n  - x: 1\n  - x: 2\ne: {}\n"


def toml_text() -> str:
    inner = "".join(f'[{name}]\nx = 1 # {name}\ny = [1, 2]\nz = "t"\n\n' for name in NAMES)
    return inner + "[[list]]\nx = 0\n\n[[list]]\nx = 1\n\n[[list]]\nx = 2\n\n[e]\n"


def ini_text() -> str:
    return "".join(f"[{name}]\nx = 1\nz = t\n\n" for name in NAMES)


TEXTS: dict[str, Callable[[], str]] = {"f.json": json_text, "f.yaml": yaml_text, "f.toml": toml_text, "f.ini": ini_text}

PATHS = [f"{name}.{leaf}" for name in NAMES for leaf in ("x", "y", "z", "new", "y[0]", "y[-1]")]
PATHS += [*NAMES, *"list list[0] list[1] list[-1] list[1].x list[2].x e e.new renamed".split()]
KINDS = ("set-key", "set-key", "add-key", "append-item", "delete-key", "rename-key", "move-key")
VALUES = st.sampled_from([1, 2, "t", "two words", [1], {"k": 1}])


@st.composite
def edits_by_address(draw: st.DrawFn) -> Edit:
    path = draw(st.sampled_from(PATHS))
    kind = draw(st.sampled_from(KINDS))
    match kind:
        case "set-key":
            return act(f"key:{path}", kind, value=draw(VALUES))
        case "add-key":
            beside = draw(st.sampled_from([{}, {}, {"after": "x"}, {"before": "z"}]))
            return act(f"key:{path}", kind, name=draw(st.sampled_from(("new", "more"))), value=draw(VALUES), **beside)
        case "append-item":
            return act(f"key:{path}", kind, value=draw(VALUES))
        case "rename-key":
            return act(f"key:{path}", kind, name=draw(st.sampled_from(("renamed", "b", "z"))))
        case "move-key":
            return act(f"key:{path}", kind, to=draw(st.sampled_from(("b", "e", "list[0]"))))
        case _:
            return act(f"key:{path}", kind)


@pytest.mark.parametrize("path", TEXTS)
@given(st.lists(edits_by_address(), min_size=2, max_size=8))
@examples(12)
def test_a_call_does_what_its_edits_do_one_by_one(path: str, edits: list[Edit]) -> None:
    check_alike(TEXTS[path](), edits, path)


METHODS = "    def run(self):\n        return 1\n\n    def stop(self):\n        pass\n\n\n"
PYTHON = "".join(f"def {name}(x):\n    return x\n\n\nclass C{name}:\n{METHODS}" for name in NAMES)
METHOD = "  run() {\n    return 1;\n  }\n"
TYPESCRIPT = "".join(
    f"export function {name}(x: number) {{\n  return x;\n}}\n\nclass C{name} {{\n{METHOD}}}\n\n" for name in NAMES
)
CODE = {
    "f.py": (PYTHON, "def {}(y):\n    return y\n", "return 2\n"),
    "f.ts": (TYPESCRIPT, "function {}(y: number) {{\n  return y;\n}}\n", "return 2;\n"),
}
ERRORS = {  # each is read as an error, and some make what is around them doubtful
    "broken.py": (
        "def broken():\n    x = = 3\n\n\n",
        "x = = 3\n\n\n",
        "class D:\n    def f(:\n        pass\n\n\n",
        "if (\n",
    ),
    "broken.ts": (
        "function broken() {\n  const x = = 3;\n}\n\n",
        "let = = 3;\n\n",
        "class D {\n  f( {\n  }\n}\n\n",
        "if (\n",
    ),
}
CODE |= {path: CODE[f"f{path[-3:]}"] for path in ERRORS}
SYMBOLS = [*NAMES, *(f"C{name}" for name in NAMES), *(f"C{name}.run" for name in NAMES), "new", "run", "Ca.stop"]


@st.composite
def edits_of_symbols(draw: st.DrawFn, path: str) -> Edit:
    _, function, body = CODE[path]
    name = draw(st.sampled_from(SYMBOLS))
    written = function.format(draw(st.sampled_from(("new", "b", "run", name.rpartition(".")[2]))))
    match draw(st.sampled_from(("body", "body", "whole", "name", "insert", "delete", "move"))):
        case "body":
            return sh.Replace(sh.parse_address(f"symbol.body:{name}"), body)
        case "whole":
            return sh.Replace(sh.parse_address(f"symbol:{name}"), written)
        case "name":
            return sh.Replace(sh.parse_address(f"symbol.name:{name}"), draw(st.sampled_from(("new", "b", "other"))))
        case "insert":
            where = draw(st.sampled_from(("before", "after")))
            return sh.Insert(sh.parse_address(f"symbol:{name}"), written, where=where)
        case "move":
            return act(f"symbol:{name}", "move", to=f"symbol:{draw(st.sampled_from(SYMBOLS))}")
        case _:
            return sh.Delete(sh.parse_address(f"symbol:{name}"))


@pytest.mark.parametrize("path", CODE)
@given(st.data())
@examples(12)
def test_a_call_does_to_symbols_what_its_edits_do_one_by_one(path: str, data: st.DataObject) -> None:
    text = CODE[path][0]
    if path in ERRORS:
        at = text.index(f"class C{data.draw(st.sampled_from(NAMES))}")
        text = text[:at] + data.draw(st.sampled_from(ERRORS[path])) + text[at:]
    check_alike(text, data.draw(st.lists(edits_of_symbols(path), min_size=2, max_size=6)), path)


PAGE = "<main>\n" + "".join(
    f'<div id="{name}" class="x">\n  <p>1</p>\n  <p class="y">2</p>\n</div>{end}'
    for name, end in zip(NAMES, ("\n", "", "\n"), strict=True)
)
SELECTORS = ("#a", "#b", "#c", "#a > p.y", "#b p:first-child", "#c.x p.y", "#d", ".x", ".big", "p", "#a + div", "main")
SELECTORS += ("div:nth-of-type(2) .y", "div:last-child > p:not(.y)", "p:empty", "[class~=big]", "main > * > p + p.y")
MARKUP = ("<i>x</i>", "plain", '<p id="b">n</p>', '<div id="d" class="big">n</div>', "<li>n")


@st.composite
def edits_of_elements(draw: st.DrawFn) -> Edit:
    nth = draw(st.sampled_from(("", "", "[1]", "[2]", "[-1]")))
    place = sh.parse_address(f"selector{nth}:{draw(st.sampled_from(SELECTORS))}")
    markup, name = draw(st.sampled_from(MARKUP)), draw(st.sampled_from(("big", "x", "y")))
    match draw(
        st.sampled_from(("class", "class", "text", "html", "insert", "id", "remove", "unwrap", "wrap", "replace"))
    ):
        case "class":
            return sh.Act(place, draw(st.sampled_from(("add-class", "remove-class"))), value=name)
        case "text":
            return sh.Act(place, "set-text", value="a < b")
        case "html":
            return sh.Act(place, "set-html", value=markup)
        case "insert":
            return sh.Insert(place, markup, where=draw(st.sampled_from(("before", "after", "start", "end"))))
        case "id":
            return sh.Act(place, "set-attribute", attr="id", value=draw(st.sampled_from(("a", "d", "e"))))
        case "wrap":
            return sh.Act(place, "wrap", value='<div class="big"></div>')
        case "replace":
            return sh.Replace(place, markup)
        case verb:
            return sh.Act(place, verb)


@given(st.lists(edits_of_elements(), min_size=2, max_size=6))
@examples(12)
def test_a_call_does_to_elements_what_its_edits_do_one_by_one(edits: list[Edit]) -> None:
    check_alike(PAGE, edits, "f.html")


GUIDE = "---\nt: 1\n---\n\n# Guide\n\nWords.\n\n" + "".join(
    f"## {name}\n\nText of {name}.\n\n- one {name}\n- [ ] two {name} ^{name}2\n  - inner\n\n```sh\n{name}\n```\n\n"
    f"### More\n\n| k | v |\n|---|---|\n| {name} | 1 |\n| z | 2 |\n\n"
    for name in NAMES
)
PARTS = [f"heading{part}:{name}" for name in NAMES for part in ("", ".body", ".own", ".line")]
PARTS += [f"heading:{name} > More" for name in NAMES] + [
    "heading:More",
    "heading[2]:More",
    "heading:Guide",
    "heading:new",
]
PARTS += [f"block:{word} {name}" for name in NAMES for word in ("one", "two", "new")] + ["block[2]:inner", "block:^b2"]
PARTS += [f"{kind}:{number}" for number in range(3) for kind in ("code_block", "table", "code_block.fenced")]
PARTS += [f"table:{number}[{row}]" for number in range(3) for row in ("1", "2", "z", "1,v", "z,v", "2,1", "0,v")]
WRITTEN = (
    "New words.",
    "## new\n\nText.",
    "### More\n\nText.",
    "- new a",
    "- [ ] new b\n- c",
    "```sh\nx\n```",
    "| n | 9 |",
)
WRITTEN += ("z", "new", "a longer text", "| k | v |\n|---|---|\n| n | 1 |", "Words ^b2", "  - inner")


@st.composite
def edits_of_parts(draw: st.DrawFn) -> Edit:
    address, written = draw(st.sampled_from(PARTS)), draw(st.sampled_from(WRITTEN))
    place = sh.parse_address(address)
    match draw(st.sampled_from(("replace", "replace", "insert", "insert", "delete", "act", "move"))):
        case "replace":
            return sh.Replace(place, written + "\n" if "\n" in written else written)
        case "insert":
            return sh.Insert(place, written + "\n", where=draw(st.sampled_from(("before", "after", "start", "end"))))
        case "act" if address.startswith("table"):
            return sh.Act(place, "add-row", cells=["n", draw(st.sampled_from(("1", "much longer")))])
        case "act" if address.startswith("block"):
            return sh.Act(place, "check-item")
        case "move":
            return act(address, "move", to=draw(st.sampled_from(PARTS)))
        case _:
            return sh.Delete(place)


@given(st.lists(edits_of_parts(), min_size=2, max_size=6))
@examples(12)
def test_a_call_does_to_parts_of_markdown_what_its_edits_do_one_by_one(edits: list[Edit]) -> None:
    check_alike(GUIDE, edits, "f.md")


@st.composite
def neighbours(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    """A text of short parts with any number of blank lines between them, and deletions of some, in any order."""
    parts: list[str] = []
    addresses: list[str] = []
    for number in range(draw(st.integers(3, 8))):
        kind = draw(st.sampled_from(("heading", "item", "named", "plain", "ordered")))
        blank = "\n" * draw(st.integers(0 if kind in ("item", "heading") else 1, 3))
        line = {"heading": f"## h{number}", "named": f"Words. ^r{number}", "ordered": f"{number}. i{number}"}
        parts.append(f"{line.get(kind, f'- i{number}' if kind == 'item' else f'Text {number}.')}\n{blank}")
        named = {"heading": f"heading:h{number}", "named": f"block:^r{number}", "plain": None}
        addresses += [address for address in (named.get(kind, f"block:i{number}"),) if address is not None]
    text = draw(st.sampled_from(("", "---\nt: 1\n---\n", "\n\n"))) + "".join(parts)
    text = text.rstrip("\n") if draw(st.integers(0, 4)) == 0 else text
    chosen = draw(st.lists(st.sampled_from(addresses), unique=True, max_size=6)) if addresses else []
    return text, [sh.Delete(sh.parse_address(address)) for address in chosen]


@given(neighbours())
@examples(30)
def test_neighbours_that_go_together_leave_the_blank_lines_they_leave_one_by_one(given: tuple[str, list[Edit]]) -> None:
    check_alike(*given, "f.md")


@table("address", ["heading:n{}", "block:^r{}"])
def test_neighbours_that_go_together_cost_no_more_than_others(address: str) -> None:
    text = "".join(f"## n{number}\n\nSome words. ^r{number}\n\n" for number in range(800))
    edits: list[Edit] = [sh.Delete(sh.parse_address(address.format(number))) for number in range(100, 200)]
    sh.edit(text, edits[:1], path="f.md")
    one = work_of(lambda: sh.edit(text, edits[7:8], path="f.md"))
    assert work_of(lambda: sh.edit(text, edits, path="f.md")) <= 10 * one


def work_of(make: Callable[[], object]) -> int:
    """How many functions were called, of Python and of C: the same on every machine."""
    count = 0

    def note(frame: object, event: str, arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        make()
    finally:
        sys.setprofile(None)
    return count


def many(path: str) -> tuple[str, list[Edit]]:
    """A text, and an edit of a hundred places in it; where one edit costs little, the text is long."""
    names = [f"n{number}" for number in range(2_500 if path in ("f.html", "f.json") else 500)]
    asked = names[:: len(names) // 100]
    if path == "f.html":
        text = "\n".join(f'<div id="{name}"><p>1</p></div>' for name in names)
        return text, [act(f"selector:#{name} > p", "set-text", value="2") for name in asked]
    if path == "f.md":
        text = "".join(f"## {name}\n\nSome words.\n\n- {name}\n- b\n\n" for name in names)
        return text, [sh.Insert(sh.Heading(name), "More words.\n", where="end") for name in asked]
    if path in CODE:
        written = [CODE[path][1].format(name) + "\n\n" for name in names]
        text = "".join((*written[:250], *ERRORS.get(path, ())[:1], *written[250:]))
        return text, [sh.Replace(sh.parse_address(f"symbol.body:{name}"), CODE[path][2]) for name in asked]
    match path:
        case "f.json":
            text = json.dumps({name: {"x": 1, "z": "t"} for name in names}, indent=2)
        case "f.yaml":
            text = "".join(f"{name}:\n  x: 1\n  z: t\n" for name in names)
        case _:
            text = "".join(f'[{name}]\nx = 1\nz = "t"\n\n' for name in names)
    value: object = "2" if path == "f.ini" else 2
    return text, [act(f"key:{name}.x", "set-key", value=value) for name in asked]


def test_a_hundred_edits_of_a_page_parse_it_as_often_as_two_and_grow_with_their_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import turbohtml

    text, edits = many("f.html")
    parsed: list[str] = []
    parse = turbohtml.parse

    def counting(markup: str, **options: bool) -> turbohtml.Document:
        parsed.extend([markup] if len(markup) > 1_000 else [])  # no page is parsed to check a selector
        return parse(markup, **options)

    monkeypatch.setattr(turbohtml, "parse", counting)
    assert sh.edit(text, edits[:2], path="f.html").ok
    few = len(parsed)
    assert sh.edit(text, edits, path="f.html").ok
    assert len(parsed) == 2 * few
    half = work_of(lambda: sh.edit(text, edits[:50], path="f.html"))
    assert work_of(lambda: sh.edit(text, edits, path="f.html")) <= 2.2 * half


@table("path", [*TEXTS, *CODE, "f.md"], every=3)
def test_a_hundred_edits_by_address_cost_less_than_ten(path: str) -> None:
    text, edits = many(path)
    sh.edit(text, edits[:1], path=path)  # everything is imported
    one = work_of(lambda: sh.edit(text, edits[7:8], path=path))
    hundred = work_of(lambda: sh.edit(text, edits, path=path))
    assert hundred <= 10 * one
