"""Changes proved on an excerpt of a page: wherever there is one, the whole page says the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.structure.action import actions
from steadyhand.structure.html import content
from steadyhand.structure.html import content as wrapping
from steadyhand.structure.html.page import Page, page_of
from steadyhand.structure.html.proof import Change, cut_out, is_regular, prove_on
from steadyhand.structure.html.selector import Selector
from steadyhand.structure.html.tree import Element
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from tests.sampling import examples
from tests.table import table

MUCH = "<p>beside</p>\n" * 100


def cut(text: str, css: str) -> str | None:
    """The excerpt for the removal of an element."""
    source = Source.of_text(text)
    page = page_of(source)
    assert isinstance(page, Page)
    element = page.element(page.select(css)[0])
    found = cut_out(page, element, Proposal.of(source, (element.span, ""))) if source.derive(is_regular) else None
    return None if found is None else found[0].source.text


@table(
    ("text", "css"),
    [
        ("<ul><li>open<li id=x>y</li></ul>", "#x"),
        ("<ul><li id=x>y<li>z</ul>", "#x"),
        ("<p>open<div id=x>y</div>", "#x"),
        ("<b>open<p>a</p><i id=x>y</i>", "#x"),
        ("<pre><i id=x>y</i></pre>", "#x"),
        ("<table><tr id=x><td>y</td></tr></table>", "#x"),
        ("<svg><g id=x></g></svg>", "#x"),
        ("<template><p id=x>y</p></template>", "#x"),
        ("<div id=x><form></form></div>", "#x"),
        ("<div id=x>{{ y }}</div>", "#x"),
        ("<select><option id=x>y</option></select>", "#x"),
        ("<title id=x>y</title>", "#x"),
        ("<div><p id=x>y</p>{% if z %}</div>", "#x"),
        ("<table><div><p id=x>y</p></div></table>", "#x"),
    ],
)
def test_where_more_than_the_elements_around_counts_there_is_no_excerpt(text: str, css: str) -> None:
    assert cut(text + MUCH, css) is None


def test_an_excerpt_has_the_element_the_text_beside_it_and_the_tags_around() -> None:
    text = f"<!doctype html>\n<body class=c>{MUCH}<main>{MUCH}<b>1</b> one <i id=x>2</i> two <u>3</u></main>"
    short = cut(text, "#x")
    assert short == (
        "<!doctype html>\n<body class=c><main><!--mark--> one <i id=x>2</i> two "
        "<!--mark-->mark<wbr><!--mark--></main></body></html>"
    )


TAGS = ("p", "div", "b", "a", "ul", "li", "table", "tr", "td", "span", "h1", "button", "i", "dd", "nobr")
MARKUP = (
    "",
    "x",
    "<b>y</b>",
    "<p>z</p>",
    "<li>l</li>",
    "<tr><td>t</td></tr>",
    "<a>k</a>",
    "<b>open",
    "</div>",
    "&am",
    "\n",
)
CHANGES = ("remove", "unwrap", "set-html", "replace-element", "beforebegin", "afterend", "wrap")
soup = st.lists(
    st.one_of(
        st.sampled_from(TAGS).map(lambda tag: f"<{tag}>"),
        st.sampled_from(TAGS).map(lambda tag: f"</{tag}>"),
        st.sampled_from(("x", " ", "&", "amp;", "<br>")),
    ),
    max_size=14,
)


def nested(names: list[str], inside: str) -> str:
    return "".join(f"<{name}>" for name in names) + inside + "".join(f"</{name}>" for name in reversed(names))


@examples(40)
@given(
    soup,
    st.lists(st.sampled_from(TAGS), max_size=4),
    st.sampled_from(TAGS),
    st.sampled_from(CHANGES),
    st.sampled_from(MARKUP),
)
def test_what_an_excerpt_proves_the_page_proves(
    before: list[str], around: list[str], tag: str, change: str, markup: str
) -> None:
    text = "<body>" + "".join(before) + nested(around, f"q<{tag} id=x>m</{tag}>r") + MUCH
    source = Source.of_text(text)
    found = Selector("#x").resolve(source)
    if isinstance(found, Refusal) or not source.derive(is_regular):
        return
    action = change if change in actions() else "insert-html"
    value = "<section></section>" if change == "wrap" else markup
    with pytest.MonkeyPatch.context() as patch:
        for module in (content, wrapping):
            patch.setattr(module, "prove", prove_both)
        actions()[action].propose(source, found[0], {"value": value, "position": change})


def prove_both(page: Page, element: Element, proposal: Proposal, change: Change) -> Proposal | Refusal:
    whole = prove_on(page, element, proposal, change)
    excerpt = cut_out(page, element, proposal)
    if excerpt is not None and isinstance(prove_on(*excerpt, change), Proposal):
        assert isinstance(whole, Proposal), excerpt[0].source.text
    return whole


def test_many_elements_of_a_long_page_are_removed_in_one_call() -> None:
    rows = "".join(f"<li id=r{number}>row <b>{number}</b></li>\n" for number in range(2_000))
    source = Source.of_text(f"<h1>t</h1><ul>{rows}</ul>")
    found = Selector("li:nth-child(4n)").resolve(source, "all")
    assert not isinstance(found, Refusal)
    done = [node.delete(source) for node in found]
    assert [made.splices[0].span for made in done if isinstance(made, Proposal)] == [
        Span(node.span.start, node.span.end + 1) for node in found
    ]
