"""Pages that mean harm: what crashes the parser, what is nested without end, and tag soup at random."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.errors import Kind
from steadyhand.structure.action import actions
from steadyhand.structure.format import format_of
from steadyhand.structure.html.element import ElementNode, Selector
from steadyhand.structure.html.page import Page, page_of
from steadyhand.structure.html.template import mask
from steadyhand.structure.html.tree import is_safe
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from tests.table import table

UNSAFE = (
    "<svg><template><desc><p></template><a><p><a>",
    "<math><template><mi><b></template><a><p><a>",
    "<SVG><TEMPLATE>",
    "<svg><foreignObject><p></svg><template>",
    "<svg><desc><b></desc></svg><template>",
    "<svg><!-- </svg> --><template>",
    "<svg><path d='</svg>'><template>",
    '<svg><path d="></svg><template>',
    '<svg><path a\'b="c\'d" e="></svg><template>',
    "<svg><![CDATA[</svg>]]><template>",
    "<svg></math><template>",
    "<svg><svg></svg><template>",
    "<svg><title><p></title></svg><template>",
    "<svg><p><script></svg></script><svg><template>",
    "<svg><p><textarea></svg><template>",
    "<!-- <svg> --><template>",
    "<svg a=b/><template>",
    "<svg></\u017fvg><template>",
    "<svg></svg\x0b><template>",
    '<svg><path a=\x0b"b c=\'d"></svg><template>',
    '<svg><path a=\u00a0"b c=\'d"></svg><template>',
)


@table("text", UNSAFE)
def test_a_page_that_may_crash_the_parser_never_reaches_it(text: str) -> None:
    assert not is_safe(text)
    found = Selector("p").locate(Source.of_text(text))
    assert isinstance(found, Refusal)
    assert found.kind == Kind.UNPARSABLE
    assert "<template>" in found.message


@table(
    "text",
    [
        "<template><svg></svg></template>",
        "<svg><title>Icon</title><path d='M0 0'/><g><!-- note --></g></svg><template><p></template>",
        "<svg viewBox=0><style>a > b { }</style></svg><math><mi>x</mi></math><template></template>",
        "<svg/><template></template><svg><g>",
        "<svg><svg></svg></svg><template></template>",
    ],
)
def test_plain_drawings_before_a_template_are_let_through(text: str) -> None:
    assert is_safe(text)
    assert isinstance(page_of(Source.of_text(text)), Page)


@table("text", ["<template>", "<p>", "<svg>"])
def test_markup_that_would_make_the_page_unsafe_is_refused(text: str) -> None:
    source = Source.of_text(f"<svg><g></g></svg>{text}<i>x</i>")
    found = Selector("g").resolve(source)
    assert isinstance(found, tuple)
    done = actions()["set-html"].proposed(source, found[0], {"value": "<template></template>"})
    assert isinstance(done, Refusal)


@table(
    "text",
    [
        "<div>" * 100_000,
        "<div>" * 100_000 + "x" + "</div>" * 100_000,
        "<b>" * 100_000,
        "<svg>" + "<g>" * 100_000,
        "<table><tr><td>" * 30_000,
        "<ul><li>" * 50_000,
    ],
    ids=["open", "closed", "formatting", "svg", "tables", "lists"],
)
def test_elements_nested_without_end_are_too_large(text: str) -> None:
    source = Source.of_text(text, path="a.html")
    found = Selector("p").locate(source)
    assert isinstance(found, Refusal)
    assert found.kind == Kind.TOO_LARGE
    known = format_of("a.html")
    assert known is not None
    assert isinstance(known.outline(source), Refusal)


@pytest.mark.sweep
@table(
    "text",
    [
        "<p>x" * 50_000,
        "<p><b>x" * 5_000,
        "<p " + "a " * 50_000 + ">x",
        "<" * 100_000,
        "<!--" * 50_000,
        "<svg" * 50_000 + "<template",
        "<svg></svg>" * 20_000 + "<template>",
        "{{" * 50_000,
        "{{ " * 50_000 + "<a }}",
        "<p {% " * 20_000,
        "<a b='{{" * 20_000,
        "<% " * 50_000,
        "</p>" * 50_000,
        "&amp" * 50_000,
        "<table><p>x" * 200,
        "<a href='x'>" * 2_000,
        "\r\n" * 100_000 + "<p>x",
    ],
)
def test_long_pages_of_one_kind_are_read_in_a_moment(text: str) -> None:
    source = Source.of_text(text, path="a.html")
    found = page_of(source)
    assert isinstance(found, Page | Refusal)
    assert isinstance(Selector("p", nth=1).locate(source), object)


TAGS = "p a b i div ul li table tr td svg path math mi template title script style pre select option br form h1".split()
pieces = st.one_of(
    st.sampled_from([f"<{tag}>" for tag in TAGS]),
    st.sampled_from([f"</{tag}>" for tag in TAGS]),
    st.sampled_from(
        ["x", " ", "\n", "\r\n", "&lt;", "<!-- c -->", "{{ x }}", "{% if a %}", "{% endif %}", "<br/>", "<g/>"]
    ),
    st.sampled_from(
        ['<p class="a b">', "<i id=x>", "<a href='y' b>", "<b c=>", "<div/>", "<?x?>", "<!doctype html>", "\0"]
    ),
)
soups = st.lists(pieces, max_size=25).map("".join)
changes = st.sampled_from(
    [
        ("set-attribute", {"attr": "title", "value": "a'\"&amp;<"}),
        ("remove-attribute", {"attr": "class"}),
        ("add-class", {"value": "q"}),
        ("set-text", {"value": "one < two"}),
        ("set-html", {"value": "<em>e</em>"}),
        ("remove", {}),
        ("unwrap", {}),
        ("wrap", {"value": "<em></em>"}),
        ("insert-html", {"value": "<em>e</em>", "position": "afterend"}),
    ]
)


def tree_of(text: str) -> list[tuple[str, int, Span]] | None:
    page = page_of(Source.of_text(text))
    if isinstance(page, Refusal):
        return None
    return [
        (page.extents.tags[index], page.parents[index], page.element(index).span) for index in range(len(page.nodes))
    ]


@given(soups)
def test_in_soup_a_trusted_element_holds_exactly_its_descendants(text: str) -> None:
    page = page_of(Source.of_text(text))
    if isinstance(page, Refusal):
        assert page.kind in (Kind.UNPARSABLE, Kind.TOO_LARGE)
        return
    for index in range(len(page.nodes)):
        element = page.element(index)
        if page.flaw_of(element) is not None:
            continue
        inside = {
            other
            for other in range(len(page.nodes))
            if (start := page.element(other).start_tag) and element.span.start < start.start < element.span.end
        }
        beneath = {other for other in range(len(page.nodes)) if index in around(page, other)}
        assert inside == {other for other in beneath if page.element(other).start_tag is not None}
        assert element.span.of(mask(text).text).startswith("<")


def around(page: Page, index: int) -> list[int]:
    found = []
    parent = page.parents[index]
    while parent >= 0:
        found.append(parent)
        parent = page.parents[parent]
    return found


@given(soups, changes, st.integers(0, 20))
def test_in_soup_a_change_is_refused_or_leaves_every_other_tag_where_it_was(
    text: str, change: tuple[str, dict[str, str]], number: int
) -> None:
    source = Source.of_text(text)
    found = Selector("*").find(source)
    if isinstance(found, Refusal):
        return
    node = found[number % len(found)]
    assert isinstance(node, ElementNode)
    if node.flaw is not None:
        return
    action, arguments = change
    done = actions()[action].proposed(source, node, arguments)
    if isinstance(done, Refusal):
        assert done.hint
        return
    assert isinstance(done, Proposal)
    changes_made = ChangeSet(done.splices)
    after = changes_made.apply(text)
    assert changes_made.invert().apply(after) == text
    before_tree, after_tree = tree_of(text), tree_of(after)
    assert before_tree is not None
    assert after_tree is not None
    if action in ("set-attribute", "remove-attribute", "add-class"):
        assert [tag[:2] for tag in before_tree] == [tag[:2] for tag in after_tree]


FUZZ = """
import random
from steadyhand.structure.html.tree import is_safe
from steadyhand.structure.html.tree import parse_tree
chance = random.Random(7)
names = "svg math template desc title foreignObject mi p a b table tr td select button form".split()
parsed = 0
for _ in range(6000):
    text = "".join(
        chance.choice(("<%s>", "<%s>", "</%s>")) % chance.choice(names) for _ in range(chance.choice((8, 20, 50)))
    )
    tree = parse_tree(text, locations=True)
    if is_safe(text):
        parsed += 1
        [(node.source_location, node.parent) for node in tree.select("*")]
print(parsed)
"""


def test_soup_that_is_let_through_does_not_crash_a_process() -> None:
    done = subprocess.run([sys.executable, "-c", FUZZ], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    assert int(done.stdout) > 500
