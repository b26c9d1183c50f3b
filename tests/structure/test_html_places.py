"""Where elements are: what is near an element says the same of its place as a walk over the whole page does."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import steadyhand as sh
from steadyhand.structure.html.element import Selector
from steadyhand.structure.html.page import Extents, Page, page_of
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source
from tests.sampling import examples
from tests.table import table

CORPUS = Path(__file__).parent.parent / "corpus" / "html"
PAGES = sorted(path for path in CORPUS.iterdir() if path.is_file())
TAGS = ("p", "div", "b", "a", "ul", "li", "table", "tr", "td", "span", "h1", "form", "i", "body", "svg", "template")
soup = st.lists(
    st.one_of(
        st.sampled_from(TAGS).map(lambda tag: f"<{tag}>"),
        st.sampled_from(TAGS).map(lambda tag: f"</{tag}>"),
        st.sampled_from(("x", " ", "\r\n", "&amp;", "<br>", "<path/>", "</html>", "<!-- </p> -->", "<pre>\n")),
    ),
    max_size=25,
)


def check_places(text: str) -> int:
    """Check every element of a page; how many of them were placed by what is near them."""
    page = page_of(Source.of_text(text))
    if isinstance(page, Refusal):
        return 0
    assert page.nodes == page.tree.select("*")  # a proof counts them so
    near = Extents(page.masked.text, page.nodes, page.parents, are_sorted=page.extents.are_sorted)
    walk = Extents(page.masked.text, page.nodes, page.parents, are_sorted=page.extents.are_sorted)
    placed = 0
    for index in range(len(page.nodes)):
        found = near._nearby(index) if near.is_in_order else None
        assert found is None or found == walk._far(index)
        placed += found is not None
    return placed


@table("path", PAGES, ids=lambda path: path.name)
def test_what_is_near_says_of_real_pages_what_the_walk_says(path: Path) -> None:
    check_places(Source.of_bytes(path.read_bytes()).text)


@examples(60)
@given(soup)
def test_what_is_near_says_of_any_page_what_the_walk_says(parts: list[str]) -> None:
    check_places("".join(parts))


def test_ordinary_pages_need_no_walk() -> None:
    rows = "".join(f"<tr><td id=c{number}>{number}<td><a href=x>y</a>\n" for number in range(50))
    text = f"<!doctype html>\n<title>t</title>\n<main><p>a<p>b<ul><li>1<li>2</ul><table>{rows}</table></main>\n"
    page = page_of(Source.of_text(text))
    assert isinstance(page, Page)
    assert check_places(text) == len(page.nodes)


def test_many_elements_of_a_long_page_are_removed_in_one_call() -> None:
    rows = [f"<li id=r{number}>row <b>{number}</b></li>\n" for number in range(2_000)]
    done = sh.edit(
        f"<h1>t</h1><ul>{''.join(rows)}</ul>",
        [sh.Delete(Selector("li:nth-child(4n)"), occurrence="all")],
        path="a.html",
    )
    kept = "".join(row for number, row in enumerate(rows, 1) if number % 4)
    assert done.text == f"<h1>t</h1><ul>{kept}</ul>"
