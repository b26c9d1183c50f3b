"""Elements by selector: what is refused and how, what is located, and the addresses that single elements out."""

from __future__ import annotations

from pathlib import Path

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.structure.html.element import ElementNode, Selector, address_of
from steadyhand.structure.html.page import Page, page_of
from steadyhand.structure.node import Refusal
from steadyhand.structure.target import parse_address
from steadyhand.text.match import Match
from steadyhand.text.source import Source
from tests.table import table

CORPUS = Path(__file__).parent.parent / "corpus" / "html"
PAGE = """<!doctype html>
<main>
  <h1 id="title">Tides</h1>
  <p class="lead note">One</p>
  <p class="note">Two</p>
  <a class="cta-button" href="/go">Go</a>
</main>
"""


def refused(css: str, text: str = PAGE) -> Refusal:
    found = Selector(css).resolve(Source.of_text(text))
    assert isinstance(found, Refusal), found
    return found


@table(
    ("css", "position", "said"),
    [
        ("p..a", 2, "expected an identifier"),
        ("p[", 2, "expected an identifier"),
        ("p >", 3, "expected a selector"),
        ("p,", 2, "expected a selector"),
        ("p!", 1, "expected a combinator"),
        ("p:nope", 6, "unknown pseudo-class"),
        ("p:not(.x", 8, "expected ')'"),
        ("p::before", 1, "::before is not an element"),
        ("p:first-line", 1, ":first-line is not an element"),
        ("p:has(a:not(:has(b)))", 12, ":has() in :has()"),
    ],
)
def test_a_bad_selector_is_refused_with_the_position(css: str, position: int, said: str) -> None:
    refusal = refused(css)
    assert refusal.kind == Kind.BAD_REQUEST
    assert said in refusal.message
    assert refusal.details["position"] == position


@table("css", ["a:hover", "a:focus", "p:visited", ":target"])
def test_what_only_a_browser_knows_never_matches_and_is_said_so(css: str) -> None:
    refusal = refused(css)
    assert refusal.kind == Kind.BAD_REQUEST
    assert "never holds in a file" in refusal.message


@table("fields", [{"css": " "}, {"css": "p" * 6000}, {"css": "p", "nth": 0}, {"css": "p", "part": "x"}])
def test_arguments_are_checked(fields: dict[str, object]) -> None:
    with pytest.raises(EditError) as caught:
        Selector.from_json(fields, "selector")
    assert caught.value.kind == Kind.BAD_REQUEST


@table(
    ("css", "nearest"),
    [
        ("#titel", "selector:#title"),
        (".cta-buton", "selector:a"),
        ("h2#title", "selector:#title"),
        ("main > p.leed", "selector:p.lead"),
        ("div > a.cta-button", "selector:a"),
        ("a[href='/gone']", "selector:a"),
        ("[href='/gone']", "selector:a"),
        ("h3", "selector:#title"),
        ("cta-button", "selector:a"),
        (".title", "selector:#title"),
    ],
)
def test_a_miss_names_similar_elements_and_creates_nothing(css: str, nearest: str) -> None:
    refusal = refused(css)
    assert refusal.kind == Kind.NO_SUCH_TARGET
    found = refusal.details["nearest"]
    assert isinstance(found, list)
    assert nearest in [place["address"] for place in found[:2]]
    assert all("line" in place and "tag" in place for place in found)
    assert refusal.hint.startswith("send selector:")


@table("css", ["div:has(video) p", "div:is(:has(video), b) > p", "p:not(div:has(i) *)"])
def test_a_selector_that_would_take_minutes_is_refused_before_it_is_matched(css: str) -> None:
    refusal = refused(css, "<div>" * 100 + "<p>x</p>" * 5000)
    assert refusal.kind == Kind.TOO_LARGE
    assert refusal.hint


def test_has_at_the_end_of_a_selector_is_matched_on_any_page() -> None:
    text = "<div>" * 100 + "<p>x</p>" * 5000 + "<section><h1>y</h1></section>"
    assert isinstance(Selector("div section:has(h1)").locate(Source.of_text(text)), Match)


def test_a_miss_with_nothing_alike_says_where_to_look() -> None:
    refusal = refused("video", "<p>x")
    assert refusal.kind == Kind.NO_SUCH_TARGET
    assert refusal.details["nearest"] == []


def test_several_elements_are_refused_with_a_selector_for_each() -> None:
    refusal = refused("p.note")
    assert refusal.kind == Kind.AMBIGUOUS_MATCH
    places = refusal.details["places"]
    assert isinstance(places, list)
    assert [place["lines"] for place in places] == [[4, 4], [5, 5]]
    source = Source.of_text(PAGE)
    for place in places:
        assert isinstance(parse_address(place["address"]).locate(source), Match)


@table(
    ("css", "text", "said"),
    [
        ("body", "<p>x", "the parser put in <body>: there is no tag for it"),
        ("tbody", "<table><tr><td>x</table>", "the parser put in <tbody>"),
        ("div > b", "<p>x<b>y</p><div>z</div></b>", "the parser repeated <b>"),
        ("i", "<b><i>x</b>y</i>", "is in 2 places"),
        ("body > i", "<b><i>x</b>y</i>", "the parser repeated <i>"),
        ("p", "\n<table><p>x</p><tr><td>y</table>", "is not where it is written, line 2"),
        ("table", "<table><p>x</p><tr><td>y</table>", "does not hold what is written in it, line 1"),
        ("body", "<html><body>x</body><p>late</p></html>", "does not hold what is written in it"),
    ],
)
def test_what_the_parser_repaired_is_refused_with_the_reason(css: str, text: str, said: str) -> None:
    refusal = refused(css, text)
    assert refusal.kind in (Kind.UNPARSABLE, Kind.AMBIGUOUS_MATCH)
    assert said in refusal.message


def test_void_elements_have_no_inner_part() -> None:
    found = Selector("br", part="inner").locate(Source.of_text("<p>a<br>b"))
    assert isinstance(found, Refusal)
    assert "has no content" in found.message


def test_a_repaired_element_among_several_does_not_hide_the_sound_one() -> None:
    source = Source.of_text("<table><p>a</p><tr><td>y</table><p>b</p>")
    assert isinstance(Selector("p", nth=1).locate(source), Refusal)
    found = Selector("p", nth=2).locate(source)
    assert isinstance(found, Match)
    assert found.span.of(source.text) == "<p>b</p>"
    assert isinstance(Selector("p").resolve(source, "all"), Refusal)


@table(
    ("marked", "css", "part"),
    [
        ("<p>a<p>b", "p:first-of-type", "element"),
        ("x⟦<p>a⟧<p>b", "p:first-of-type", "element"),
        ("<ul><li>a\r\n⟦<li>b\r\n⟧</ul>", "li:last-child", "element"),
        ("<ul><li>a\r<li>⟦b\r⟧</ul>", "li:last-child", "inner"),
        ("<p>x\n⟦<em>🌊</em>⟧</p>", "em", "element"),
        ("⟦<div>x\n⟧</body>\n</html>\n", "div", "element"),
        ("⟦<div>é\n⟧</BODY >\n<!-- e --></html>\n", "div", "element"),
        ("<svg>⟦<path d=a />⟧<g/></svg>", "path", "element"),
        ("<p>a⟦<br/>⟧b", "br", "element"),
        ("<script>'<p>'</script>⟦<p>x</p>⟧", "p", "element"),
        ("<textarea><p></textarea>⟦<p>x</p>⟧", "p", "element"),
        ("<!-- <p>no</p> -->⟦<p>x</p>⟧", "p", "element"),
        ("<a title='<p>'>x</a>⟦<p>x</P >⟧", "p", "element"),
        ("<pre>\n⟦\nx⟧</pre>", "pre", "inner"),
        ("<pre>\r\n⟦x⟧</pre>", "pre", "inner"),
        ("<template><b>⟦<i>x</i>⟧</b></template>", "i", "element"),
        ("\0<p>⟦<i>\0x</i>⟧", "i", "element"),
        ("<table>⟦<tr><td>1\n⟧<tr><td>2</table>", "tr:first-child", "element"),
    ],
)
def test_spans_are_exact(marked: str, css: str, part: str) -> None:
    text = marked.replace("⟦", "").replace("⟧", "")
    found = Selector(css, part=part).locate(Source.of_text(text))
    assert isinstance(found, Match), found
    start, end = found.span
    expected = marked if "⟦" in marked else f"⟦{text[:4]}⟧{text[4:]}"
    assert f"{text[:start]}⟦{text[start:end]}⟧{text[end:]}" == expected


@table(
    ("css", "address"),
    [
        ("h1", "selector:#title"),
        ("p.lead", "selector:p.lead"),
        ("p:nth-of-type(2)", "selector:main > p:nth-of-type(2)"),
        ("a", "selector:a"),
    ],
)
def test_addresses_are_short(css: str, address: str) -> None:
    found = Selector(css).resolve(Source.of_text(PAGE))
    assert isinstance(found, tuple)
    assert found[0].address == address


@table("path", sorted(CORPUS.glob("[!b]*")), ids=lambda path: path.name)
def test_every_element_has_an_address_that_only_it_answers_to(path: Path) -> None:
    source = Source.of_bytes(path.read_bytes(), path=path.name)
    page = page_of(source)
    assert isinstance(page, Page)
    for index in range(len(page.nodes)):
        target = parse_address(address_of(page, index))
        assert isinstance(target, Selector)
        found = target.find(source)
        assert not isinstance(found, Refusal)
        chosen = found[(target.nth or 1) - 1]
        assert isinstance(chosen, ElementNode)
        assert chosen.index == index
        assert target.nth is not None or len(found) == 1


NESTED = (
    "<div id=a><p class=x>1<section id=B><p class=x>2<template><p class=x>3</template></section></div>"
    "<p class=x>4<i id=c></i><b id=c><u class=x>5</u></b>"
)
BEHIND = (" .x", " *", ">*", " > .x", " > * > .x", " .x + *", " p:first-child", " :not(.x)", " .x, .x", " [class]", "")


@table("path", [None, *sorted(CORPUS.glob("[!b]*"))])
def test_a_selector_that_begins_with_an_id_finds_what_it_finds_in_all_of_the_page(path: Path | None) -> None:
    for head in ("<!doctype html>", "") if path is None else ("",):
        text = head + NESTED if path is None else path.read_bytes().decode("utf-8", "replace")
        page = page_of(Source.of_text(text, path="a.html"))
        assert isinstance(page, Page)
        names = [str(node.attrs["id"]) for node in page.tree.select("[id]")][:20]
        for name in (form for each in names if each.isidentifier() for form in (each, each.upper(), each.lower())):
            for behind in BEHIND:
                found = [page.numbers[node] for node in page.tree.select(f"#{name}{behind}")]
                assert page.select(f"#{name}{behind}") == found
