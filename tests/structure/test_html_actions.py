"""Actions on pages, judged by another parser: after each, the page differs by the DOM operation and by nothing else."""

from __future__ import annotations

import random
from pathlib import Path

from steadyhand.errors import Kind
from steadyhand.structure.action import actions
from steadyhand.structure.html.element import ElementNode, Selector
from steadyhand.structure.html.page import Page, page_of
from steadyhand.structure.html.template import mask
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source
from tests.structure import html_dom
from tests.structure.html import changed, refused
from tests.table import table

CORPUS = Path(__file__).parent.parent / "corpus" / "html"
# Pages that html5lib, which is older than today's rules, reads as we do: all but those about the newer rules.
NEWER = {"select.html", "declarative-shadow.html", "ruby.html", "template-element.html", "icons-and-template.html"}
PAGES = sorted(path for path in CORPUS.iterdir() if not path.name.startswith("broken-") and path.name not in NEWER)
AT_MOST = 12  # elements of a page that are tried

CHANGES: tuple[tuple[str, dict[str, str]], ...] = (
    ("set-attribute", {"attr": "title", "value": "a \"b\" 'c' &amp; &lt x&y <i>"}),
    ("set-attribute", {"attr": "class", "value": "bare"}),
    ("set-attribute", {"attr": "id", "value": ""}),
    ("remove-attribute", {"attr": "class"}),
    ("remove-attribute", {"attr": "ID"}),
    ("set-text", {"value": "one < two & three &amp; 'four'"}),
    ("set-text", {"value": ""}),
    ("set-text", {"value": "\n\nblank first"}),
    ("set-html", {"value": "<b>bold</b> &amp; <i title='x'>more</i>"}),
    ("set-html", {"value": "<div>block</div>\n<p>next</p>"}),
    ("remove", {}),
    ("replace-element", {"value": "<em>instead</em>"}),
    ("unwrap", {}),
    ("wrap", {"value": '<div class="w"><span></span></div>'}),
    ("insert-html", {"value": "<b>x</b>", "position": "beforebegin"}),
    ("insert-html", {"value": "<b>x</b>", "position": "afterbegin"}),
    ("insert-html", {"value": "<p>x</p>", "position": "beforeend"}),
    ("insert-html", {"value": "<!-- y -->z", "position": "afterend"}),
)


def source_of(path: Path) -> Source:
    return Source.of_bytes(path.read_bytes(), path=path.name)


def sound_nodes(page: Page) -> list[ElementNode]:
    """Every element whose place can be trusted."""
    found = []
    for index in range(len(page.nodes)):
        element = page.element(index)
        if page.flaw_of(element) is None:
            found.append(ElementNode("element", element.span, page, index))
    return found


def check_change(source: Source, node: ElementNode, action: str, arguments: dict[str, str]) -> bool:
    """Whether the change was made; if so, another parser sees it and nothing else.

    Blanks count, but not those around what is removed, behind the end tag of `body`, or before the first thing in a
    `body` without a start tag: a parser moves or drops these itself.
    """
    proposal = actions()[action].proposed(source, node, arguments)
    if isinstance(proposal, Refusal):
        assert proposal.hint
        return False
    page = page_of(source)
    assert isinstance(page, Page)
    after = ChangeSet(proposal.splices).apply(source.text)
    seen, wanted = html_dom.parse(mask(after).text), html_dom.parse(page.masked.text)
    element = html_dom.elements(wanted)[node.index]
    assert element.tagName == page.extents.tags[node.index]
    html_dom.perform(element, action, arguments)
    is_loose = action == "remove" or "body" in (element.tagName, page.extents.tags[page.parents[node.index]])
    assert html_dom.shape(seen, loosely=is_loose) == html_dom.shape(wanted, loosely=is_loose), (node.address, action)
    return True


@table("path", PAGES, ids=lambda path: path.name, every=9)
def test_every_action_on_every_page_does_what_the_dom_does(path: Path) -> None:
    source = source_of(path)
    page = page_of(source)
    assert isinstance(page, Page)
    nodes = sound_nodes(page)
    chance = random.Random(path.name)
    for node in chance.sample(nodes, min(len(nodes), AT_MOST)):
        element = page.element(node.index)
        if element.namespace != "html" or "noscript" in (element.tag, page.extents.tags[element.parent]):
            continue  # html5lib parses no fragments inside them
        is_in_select = "select" in (element.tag, page.extents.tags[element.parent]) or element.tag == "option"
        for action, arguments in chance.sample(CHANGES, 5):
            if is_in_select and "</" in arguments.get("value", ""):
                continue  # html5lib drops tags in a select, as HTML no longer does
            check_change(source, node, action, arguments)


REFUSED: tuple[tuple[str, str, str, dict[str, str], Kind, str], ...] = (
    (
        "<title>a</title>",
        "title",
        "set-html",
        {"value": "a <b>c</b>"},
        "bad-request",
        "<b> in line 1 of the markup is text inside <title>",
    ),
    (
        "<textarea>a</textarea>",
        "textarea",
        "insert-html",
        {"position": "beforeend", "value": "<p>c"},
        "bad-request",
        "<p> in line 1 of the markup is text inside <textarea>",
    ),
    (
        "<p>x</p><i>y</i>",
        "p",
        "set-html",
        {"value": "<b>x"},
        Kind.BAD_REQUEST,
        "<b> in line 1 of the markup is left open",
    ),
    (
        "<p>x</p>",
        "p",
        "set-html",
        {"value": "a\n</b>"},
        Kind.BAD_REQUEST,
        "</b> in line 2 of the markup closes nothing",
    ),
    ("<div>x</div>", "div", "set-html", {"value": "<tr><td>1</td></tr>"}, Kind.BAD_REQUEST, "<tr> in line 1"),
    ("<table><tr><td>x</table>", "tr", "set-html", {"value": "text"}, Kind.UNPARSABLE, "read other parts of the page"),
    ("<p>x</p>", "p", "set-html", {"value": "<div>y</div>"}, Kind.UNPARSABLE, "read other parts of the page"),
    ("<img src=a>", "img", "set-text", {"value": "x"}, Kind.BAD_REQUEST, "no content"),
    ("<p>a<br>b", "br", "set-html", {"value": "x"}, Kind.BAD_REQUEST, "no content"),
    ("<p>a<br>b", "br", "insert-html", {"value": "x", "position": "afterbegin"}, Kind.BAD_REQUEST, "no content"),
    ("<p>a<br>b", "br", "unwrap", {}, Kind.BAD_REQUEST, "remove it instead"),
    ("<script>a</script>", "script", "set-text", {"value": "'</script>'"}, Kind.BAD_REQUEST, "cannot have </script"),
    (
        "<script>a</script>",
        "script",
        "set-text",
        {"value": "<!--<script>"},
        Kind.UNPARSABLE,
        "read other parts of the page",
    ),
    (
        "<style>a</style>",
        "style",
        "set-html",
        {"value": "</style><p>"},
        Kind.UNPARSABLE,
        "read other parts of the page",
    ),
    ("<p class=a>x", "p", "replace-class", {"old": "b", "new": "c"}, Kind.BAD_REQUEST, "no class 'b' (its classes: a)"),
    ("<p class=a>x", "p", "add-class", {"value": "  "}, Kind.BAD_REQUEST, "no class name"),
    ("<p>x", "p", "set-attribute", {"attr": "a b", "value": ""}, Kind.BAD_REQUEST, "not the name of an attribute"),
    ("<p>x", "p", "set-attribute", {"attr": "a=b", "value": ""}, Kind.BAD_REQUEST, "not the name of an attribute"),
    ("<p>x", "p", "wrap", {"value": "<div>"}, Kind.BAD_REQUEST, "one empty element"),
    ("<p>x", "p", "wrap", {"value": "<div>text</div>"}, Kind.BAD_REQUEST, "one empty element"),
    ("<p>x</p>", "p", "wrap", {"value": "<p></p>"}, Kind.UNPARSABLE, "read other parts of the page"),
    ("<html><body>x</body></html>", "html", "remove", {}, Kind.UNPARSABLE, "read other parts"),
    (
        "<html><body>x</body></html>",
        "html",
        "wrap",
        {"value": "<b></b>"},
        Kind.BAD_REQUEST,
        "nothing can be inserted next to",
    ),
    ("<head></head><h1>x</h1><script>y</script>", "h1", "remove", {}, Kind.UNPARSABLE, "read other parts of the page"),
    ("<b><p>x</b>y</p>", "body > b", "remove", {}, Kind.UNPARSABLE, "no end tag of its own"),
    ("<b><p>x</b>y</p>", "p", "set-html", {"value": "z"}, Kind.UNPARSABLE, "read other parts of the page"),
    ("<table><p>x</p><tr><td>y</table>", "p", "set-text", {"value": "z"}, Kind.UNPARSABLE, "not where it is written"),
    ("<table><p>x</p><tr><td>y</table>", "table", "remove", {}, Kind.UNPARSABLE, "does not hold what is written"),
    ("<table>x<tr><td>y</table>", "table", "remove", {}, Kind.UNPARSABLE, "read other parts of the page"),
    ("<form><div></form></div>", "div", "remove", {}, Kind.UNPARSABLE, "not where it is written, line 1"),
    ("<p>x<b>y<p>z</b>", "p:last-child > b", "remove", {}, Kind.UNPARSABLE, "the parser repeated <b>"),
    ("<table><tr><td>x</table>", "tbody", "remove", {}, Kind.UNPARSABLE, "the parser put in <tbody>"),
    ("<p>x", "body", "add-class", {"value": "a"}, Kind.UNPARSABLE, "the parser put in <body>"),
    (
        "<svg id=s></svg>",
        "svg",
        "set-html",
        {"value": "<template></template>"},
        Kind.UNPARSABLE,
        "<template> inside SVG",
    ),
    ("<svg id=s></svg>", "svg", "set-html", {"value": "<p>x</p>"}, Kind.UNPARSABLE, "read other parts of the page"),
)


@table(("text", "css", "action", "arguments", "kind", "said"), REFUSED)
def test_what_would_change_more_than_asked_is_refused_with_the_reason(
    text: str, css: str, action: str, arguments: dict[str, str], kind: Kind, said: str
) -> None:
    refusal = refused(text, css, action, **arguments)
    assert refusal.kind == kind, refusal
    assert said in refusal.message
    assert refusal.hint


UNCHANGED: tuple[tuple[str, str, str, dict[str, str]], ...] = (
    ("<p class='a b'>x", "p", "add-class", {"value": "b a"}),
    ("<p class='a b'>x", "p", "remove-class", {"value": "c"}),
    ("<p>x", "p", "remove-class", {"value": "c"}),
    ("<p>x", "p", "remove-attribute", {"attr": "class"}),
    ("<p class=a>x", "p", "replace-class", {"old": "a", "new": "a"}),
)


@table(("text", "css", "action", "arguments"), UNCHANGED)
def test_what_is_so_already_is_left_alone(text: str, css: str, action: str, arguments: dict[str, str]) -> None:
    assert changed(text, css, action, **arguments) == text


CHANGED: tuple[tuple[str, str, str, dict[str, str], str], ...] = (
    # attributes: quotes, case and blanks stay
    ("<p HREF = 'x' B>y", "p", "set-attribute", {"attr": "href", "value": "it's"}, "<p HREF = 'it&#39;s' B>y"),
    ('<p title="a">x', "p", "set-attribute", {"attr": "title", "value": 'say "hi"'}, '<p title="say &quot;hi&quot;">x'),
    ("<p id=a>x", "p", "set-attribute", {"attr": "id", "value": "b"}, "<p id=b>x"),
    ("<p id=a>x", "p", "set-attribute", {"attr": "id", "value": "b c"}, '<p id="b c">x'),
    ("<p id=a>x", "p", "set-attribute", {"attr": "id", "value": ""}, '<p id="">x'),
    ("<input disabled>", "input", "set-attribute", {"attr": "disabled", "value": "x"}, '<input disabled="x">'),
    ("<br class=a />", "br", "set-attribute", {"attr": "id", "value": "b"}, '<br class=a id="b" />'),
    ("<br/>", "br", "set-attribute", {"attr": "id", "value": "b"}, '<br id="b"/>'),
    ("<p a='1'>x", "p", "set-attribute", {"attr": "b", "value": "2"}, "<p a='1' b='2'>x"),
    ("<p a=1 a=2>x", "p", "set-attribute", {"attr": "a", "value": "3"}, "<p a=3 a=2>x"),
    ("<p a=>x", "p", "set-attribute", {"attr": "b", "value": "3"}, '<p b="3" a=>x'),
    (
        "<p href=x>y",
        "p",
        "set-attribute",
        {"attr": "href", "value": "?a&b=1&lt;&copy"},
        '<p href="?a&b=1&amp;lt;&amp;copy">y',
    ),
    ("<svg viewBox='0 0'/>", "svg", "set-attribute", {"attr": "viewBox", "value": "1 1"}, "<svg viewBox='1 1'/>"),
    ("<svg><path d=a /></svg>", "path", "set-attribute", {"attr": "d", "value": "M0"}, "<svg><path d=M0 /></svg>"),
    ("<p a=1 class=x b>y", "p", "remove-attribute", {"attr": "CLASS"}, "<p a=1 b>y"),
    ("<p A=1 b a=2>y", "p", "remove-attribute", {"attr": "a"}, "<p b>y"),
    ("<br a=1 b/>", "br", "remove-attribute", {"attr": "b"}, "<br a=1 />"),
    ("<br b='1'/>", "br", "remove-attribute", {"attr": "b"}, "<br/>"),
    ("<p a=1 b='2'c>y", "p", "remove-attribute", {"attr": "b"}, "<p a=1 c>y"),
    # classes: order and blanks stay
    ("<p class=' a  b '>x", "p", "add-class", {"value": "c"}, "<p class=' a  b c '>x"),
    ("<p class=a>x", "p", "add-class", {"value": "b c a"}, '<p class="a b c">x'),
    ("<p>x", "p", "add-class", {"value": "b"}, '<p class="b">x'),
    ("<p class>x", "p", "add-class", {"value": "b"}, '<p class="b">x'),
    ("<p class=''>x", "p", "add-class", {"value": "b"}, "<p class='b'>x"),
    ("<p class='a  b c'>x", "p", "remove-class", {"value": "b"}, "<p class='a c'>x"),
    ("<p class='a  b c'>x", "p", "remove-class", {"value": "a b"}, "<p class='c'>x"),
    ("<p class='a b a'>x", "p", "remove-class", {"value": "a"}, "<p class='b'>x"),
    ("<p class='a'>x", "p", "remove-class", {"value": "a"}, "<p>x"),
    ("<p class=a>x", "p", "remove-class", {"value": "a"}, "<p>x"),
    ("<p class='a b  c'>x", "p", "replace-class", {"old": "b", "new": "z"}, "<p class='a z  c'>x"),
    ("<p class='a b'>x", "p", "replace-class", {"old": "a", "new": "b"}, "<p class='b'>x"),
    ("<p class='a b a'>x", "p", "replace-class", {"old": "a", "new": "z"}, "<p class='z b'>x"),
    # content
    ("<h1>a</h1>", "h1", "set-text", {"value": "1 < 2 & 3"}, "<h1>1 &lt; 2 &amp; 3</h1>"),
    ("<title>a</title>", "title", "set-text", {"value": "</title>&"}, "<title>&lt;/title>&amp;</title>"),
    ("<script>a</script>", "script", "set-text", {"value": "1 < 2 && x"}, "<script>1 < 2 && x</script>"),
    ("<pre>\nx</pre>", "pre", "set-text", {"value": "\ny"}, "<pre>\n\ny</pre>"),
    ("<pre>x</pre>", "pre", "set-text", {"value": "\ny"}, "<pre>\n\ny</pre>"),
    ("<ul><li>a\n<li>b</ul>", "li:first-child", "set-text", {"value": "z"}, "<ul><li>z<li>b</ul>"),
    (
        "<svg><path/></svg>",
        "path",
        "set-html",
        {"value": "<title>x</title>"},
        "<svg><path><title>x</title></path></svg>",
    ),
    ("<svg><G/></svg>", "g", "set-text", {"value": "x"}, "<svg><G>x</G></svg>"),
    ("<table><tr><td>a</table>", "tr", "set-html", {"value": "<td>b</td>"}, "<table><tr><td>b</td></table>"),
    ("<ul>\n  <li>a</li>\n  <li>b</li>\n</ul>", "li:first-child", "remove", {}, "<ul>\n  <li>b</li>\n</ul>"),
    ("<ul>\r\n\t<li>a</li> \r\n</ul>", "li", "remove", {}, "<ul>\r\n</ul>"),
    ("<p>a <b>b</b> c", "b", "remove", {}, "<p>a  c"),
    ("<pre>a\n<b>b</b>\nc</pre>", "b", "remove", {}, "<pre>a\n\nc</pre>"),
    ("<p>a<p>b<p>c", "p:nth-of-type(2)", "remove", {}, "<p>a<p>c"),
    ("<p>a <b>b</b> c", "b", "unwrap", {}, "<p>a b c"),
    ("<p>a <b>b</b> c", "b", "wrap", {"value": "<a href=x><i></i></a>"}, "<p>a <a href=x><i><b>b</b></i></a> c"),
    ("<p>a <b>b</b> c", "b", "replace-element", {"value": "<i>d</i>e"}, "<p>a <i>d</i>e c"),
    ("<p>a</p>", "p", "insert-html", {"value": "<hr>", "position": "beforebegin"}, "<hr><p>a</p>"),
    ("<p>a</p>", "p", "insert-html", {"value": "<i>b</i>", "position": "afterbegin"}, "<p><i>b</i>a</p>"),
    ("<p>a</p>", "p", "insert-html", {"value": "<i>b</i>", "position": "beforeend"}, "<p>a<i>b</i></p>"),
    ("<p>a</p>\n", "p", "insert-html", {"value": "\n<p>b</p>", "position": "afterend"}, "<p>a</p>\n<p>b</p>\n"),
    (
        "<html><body>\n<p>a</p>\n</body>\n</html>\n",
        "body",
        "insert-html",
        {"value": "<script src=x></script>\n", "position": "beforeend"},
        "<html><body>\n<p>a</p>\n<script src=x></script>\n</body>\n</html>\n",
    ),
)


@table(("text", "css", "action", "arguments", "after"), CHANGED)
def test_only_the_bytes_of_the_change_are_written(
    text: str, css: str, action: str, arguments: dict[str, str], after: str
) -> None:
    assert changed(text, css, action, **arguments) == after


def test_the_verbs_are_the_actions_of_the_same_meaning() -> None:
    text = "<ul><li>a</li><li>b</li></ul>"
    source = Source.of_text(text)
    found = Selector("li", nth=1).resolve(source)
    inside = Selector("li", nth=1, part="inner").resolve(source)
    assert isinstance(found, tuple)
    assert isinstance(inside, tuple)

    def after(proposal: Proposal | Refusal) -> str:
        assert isinstance(proposal, Proposal), proposal
        return ChangeSet(proposal.splices).apply(text)

    assert after(found[0].replace(source, "<li>z</li>")) == "<ul><li>z</li><li>b</li></ul>"
    assert after(found[0].insert(source, "<li>z</li>", "after")) == "<ul><li>a</li><li>z</li><li>b</li></ul>"
    assert after(found[0].insert(source, "<b>z</b>", "end")) == "<ul><li>a<b>z</b></li><li>b</li></ul>"
    assert after(found[0].delete(source)) == "<ul><li>b</li></ul>"
    assert after(inside[0].replace(source, "<i>z</i>")) == "<ul><li><i>z</i></li><li>b</li></ul>"
    assert after(inside[0].insert(source, "z", "before")) == "<ul><li>za</li><li>b</li></ul>"
    assert after(inside[0].delete(source)) == "<ul><li></li><li>b</li></ul>"


def test_many_elements_are_changed_without_reading_the_page_for_each() -> None:
    text = "<!doctype html>" + "<p>Some text with <a href='x'>a link</a> in it.</p>\n" * 3000
    source = Source.of_text(text)
    found = Selector("a").resolve(source, "all")
    assert isinstance(found, tuple)
    proposals = [actions()["add-class"].proposed(source, node, {"value": "y"}) for node in found]
    assert len(proposals) == 3000
    assert all(isinstance(proposal, Proposal) for proposal in proposals)


def together(text: str, css: str, action: str, **arguments: str) -> Proposal | Refusal:
    """One action on every element of a selector, proved as one change."""
    source = Source.of_text(text)
    found = Selector(css).resolve(source, "all")
    assert isinstance(found, tuple)
    made = [actions()[action].proposed(source, node, arguments) for node in found]
    parts = tuple(item for item in made if isinstance(item, Proposal))
    splices = [splice for item in parts for splice in item.splices]
    assert splices
    whole = Proposal(tuple(sorted(splices, key=lambda splice: splice.start)), meaning=parts)
    return found[0].prove_batch(source, whole)


def test_changes_that_are_right_one_by_one_and_wrong_together_are_refused() -> None:
    text = "<head></head><h1>a</h1><h2>b</h2><script>c</script>"
    assert isinstance(together(text, "h1", "remove"), Refusal) is False
    refusal = together(text, "h1, h2", "remove")
    assert isinstance(refusal, Refusal)
    assert "with all these changes together" in refusal.message


@table(
    ("css", "action", "arguments"),
    [
        ("li", "remove", {}),
        ("li", "unwrap", {}),
        ("b", "wrap", {"value": "<i></i>"}),
        ("li", "add-class", {"value": "x"}),
        ("li", "insert-html", {"value": "<em>n</em>", "position": "afterbegin"}),
        ("b", "replace-element", {"value": "<i>z</i>"}),
    ],
)
def test_changes_that_keep_apart_are_let_through_together(css: str, action: str, arguments: dict[str, str]) -> None:
    text = "<div><ul>\n<li>1 <b>x</b></li>\n<li>2</li>\n<li>3 <b>y</b><b>z</b></li></ul><p>q</p></div>"
    assert isinstance(together(text, css, action, **arguments), Proposal)


@table(
    ("text", "css", "action", "arguments"),
    [
        ("<div>a<sub>b<sub>c</sub></sub></div>", "sub", "wrap", {"value": "<form></form>"}),
        ("<p>&<i></i>l<i></i>t; x</p>", "i", "remove", {}),
        ("<p>&<i>l</i><i>t;</i></p>", "i", "unwrap", {}),
    ],
)
def test_what_is_written_or_left_together_must_be_read_as_it_is_alone(
    text: str, css: str, action: str, arguments: dict[str, str]
) -> None:
    found = together(text, css, action, **arguments)
    assert isinstance(found, Refusal)
    assert found.kind == Kind.UNPARSABLE


@table(
    ("text", "css", "action", "arguments"),
    [
        ("<p>a &amp; <i>1</i> and <i>2</i></p>", "i", "remove", {}),
        ("<script>1</script><script>2</script>", "script", "set-html", {"value": "a<b"}),
        ("<i>1</i> <i>2</i>", "i", "set-attribute", {"attr": "title", "value": "<b>"}),
        ("<svg><path/><path/></svg>", "path", "set-html", {"value": "<title>x</title>"}),
    ],
)
def test_new_texts_that_only_look_like_tags_are_let_through_together(
    text: str, css: str, action: str, arguments: dict[str, str]
) -> None:
    assert isinstance(together(text, css, action, **arguments), Proposal)


@table(
    ("text", "css", "action", "arguments"),
    [
        ("<div><noscript><p>x</noscript></div><ul></ul>", "p", "set-text", {"value": "y"}),
        ("<p>a<noscript><p>x</noscript><ul></ul>", "noscript", "set-html", {"value": "y"}),
        ("<div><noscript><p>x</p></noscript></div>", "p", "set-attribute", {"attr": "a", "value": "</noscript>"}),
        ("<div><noscript><p>x</p></noscript></div>", "noscript", "set-html", {"value": "<!-- </noscript> -->"}),
    ],
)
def test_a_noscript_ends_where_a_browser_that_runs_scripts_ends_it(
    text: str, css: str, action: str, arguments: dict[str, str]
) -> None:
    source = Source.of_text(text)
    found = Selector(css).resolve(source)
    done = found if isinstance(found, Refusal) else actions()[action].proposed(source, found[0], arguments)
    assert isinstance(done, Refusal)
    assert "noscript" in done.message


def test_what_is_in_a_plain_noscript_can_be_changed() -> None:
    text = "<div><noscript><p>x</p></noscript></div>"
    assert changed(text, "p", "set-html", value="<b>y</b>") == text.replace("x", "<b>y</b>")
