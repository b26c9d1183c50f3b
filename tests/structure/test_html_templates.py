"""Template syntax inside pages: what is template and what is prose, and edits that leave it alone or are refused."""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.structure.html.element import Selector
from steadyhand.structure.html.template import FILLER, mask
from steadyhand.structure.node import Refusal
from steadyhand.text.match import Match
from steadyhand.text.source import Source
from tests.structure.html import changed, refused
from tests.table import table

PROSE = (
    "<code>{{</code> and <code>}}</code>",
    "a {{ b",
    "{% alone",
    "a }} b %} c #}",
    "<style>@media print{#nav{color:#fff}}</style>",
    "<script>x = {{a: 1}}; y = '{% z %}'</script>",
    "<?xml version='1.0'?><p>x",
    "{#anchor}<p>x</p>{#other}",
    "{{ a <b>c</b> }}",
)


@table("text", PROSE)
def test_prose_and_programs_are_not_covered(text: str) -> None:
    assert mask(text).text == text


@table(
    ("text", "covered"),
    [
        ("a {{ b }} c", "a         c"),
        ("{{ '<b>' }}<p>", "           <p>"),
        ("{# <p> #}<p>", "         <p>"),
        ("<p class='a {{ b }}'>", "<p class='a ???????'>"),
        ("<p class='a {% b %}'>", "<p class='a        '>"),
        ('<a href="{{ f("x") }}">', '<a href="????????????">'),
        ("<a href={{ u }}>", "<a href=???????>"),
        ("<p {% if a > b %}hidden{% endif %}>", "<p               hidden           >"),
        ("<{{ t }}>x</{{ t }}>", "<x??????>x</x??????>"),
        ("<% if a > b %><p>", "              <p>"),
        ("<p title='<?= \"'\" ?>'>", "<p title='??????????'>"),
        ("a<?php b();", "a          "),
        ("{{!-- }} <p> --}}<i>", "                 <i>"),
        ("{{{ x }}}<i>", "         <i>"),
    ],
)
def test_template_syntax_is_covered_by_as_many_characters(text: str, covered: str) -> None:
    masked = mask(text).text
    assert len(masked) == len(text)
    assert masked.replace(FILLER, "?") == covered


JINJA = """<ul class="list {% if wide %}wide{% endif %}">
  {% for item in items %}
  <li class="{{ "on" if item.n > 3 else "off" }}"><a href="{{ url("show", id=item.id) }}">{{ item.name }}</a></li>
  {% endfor %}
</ul>
<p id="p" {% if x < 3 %}hidden{% endif %}>y</p>
<p id="q" {{ attrs }}>z</p>
"""


@table(
    ("css", "action", "arguments", "kind", "said"),
    [
        ("#q", "add-class", {"value": "a"}, Kind.BAD_REQUEST, "may write 'class' itself"),
        (
            "#p",
            "set-attribute",
            {"attr": "hidden", "value": "x"},
            Kind.BAD_REQUEST,
            "decides whether 'hidden' is there",
        ),
        ("#p", "remove-attribute", {"attr": "hidden"}, Kind.BAD_REQUEST, "decides whether 'hidden' is there"),
        ("ul", "remove-class", {"value": "wide"}, Kind.BAD_REQUEST, "decides whether the class is there"),
        (
            "#p",
            "set-attribute",
            {"attr": "id", "value": "{{ a('x', \"y\") }}"},
            Kind.BAD_REQUEST,
            "both kinds of quotes",
        ),
    ],
)
def test_what_a_template_decides_is_refused(
    css: str, action: str, arguments: dict[str, str], kind: Kind, said: str
) -> None:
    refusal = refused(JINJA, css, action, **arguments)
    assert refusal.kind == kind
    assert said in refusal.message


BRANCHES = "{% if a %}<div id=x>{% else %}<div id=y>{% endif %}<p>t</p></div>"


@table(
    ("text", "css"),
    [
        (BRANCHES, "#x"),
        ("<ul>{% for i in x %}<li>{{ i }}{% endfor %}</ul>", "li"),
        ("<div>{% if a %}</div>{% endif %}", "div"),
        ("<div>{{#if a}}x</div>{{/if}}", "div"),
        ("<div><% if a %></div><% end %>", "div"),
        ("<div><% if (a) { %></div><% } %>", "div"),
        ("<div><?php if ($a): ?></div><?php endif; ?>", "div"),
        ("{% if a %}<div>x{% else %}y</div>{% endif %}", "div"),
    ],
)
def test_an_element_that_parts_a_construct_is_refused(text: str, css: str) -> None:
    refusal = refused(text, css, "remove")
    assert refusal.kind == Kind.UNPARSABLE
    assert "template syntax" in refusal.message


@table(
    ("css", "action", "arguments", "old", "new"),
    [
        ("li", "set-attribute", {"attr": "class", "value": "x"}, '"{{ "on" if item.n > 3 else "off" }}"', '"x"'),
        ("li", "add-class", {"value": "x"}, '"off" }}"', '"off" }} x"'),
        ("ul", "add-class", {"value": "x"}, '{% endif %}"', '{% endif %} x"'),
        ("ul", "remove-class", {"value": "list"}, '"list {%', '"{%'),
        ("a", "set-text", {"value": "{{ item.title }} & co"}, "{{ item.name }}", "{{ item.title }} &amp; co"),
        (
            "a",
            "set-attribute",
            {"attr": "href", "value": "{{ u('x') }}"},
            '{{ url("show", id=item.id) }}',
            "{{ u('x') }}",
        ),
        ("#p", "set-attribute", {"attr": "title", "value": "t"}, 'id="p"', 'id="p" title="t"'),
        ("#p", "set-attribute", {"attr": "id", "value": "r"}, 'id="p"', 'id="r"'),
        ("#q", "set-text", {"value": "w"}, ">z<", ">w<"),
        ("ul", "insert-html", {"value": "{% x %}<hr>", "position": "beforebegin"}, "<ul", "{% x %}<hr><ul"),
    ],
)
def test_edits_around_template_syntax_leave_it_as_it_is(
    css: str, action: str, arguments: dict[str, str], old: str, new: str
) -> None:
    assert changed(JINJA, css, action, **arguments) == JINJA.replace(old, new, 1)


@table("value", ["{{ open", "{% open", "<% open", "<?php open"])
def test_a_value_that_opens_template_syntax_and_leaves_it_open_is_refused(value: str) -> None:
    text = "<p title='a'>x }} %} %> ?></p>"
    assert refused(text, "p", "set-attribute", attr="title", value=value).kind == Kind.UNPARSABLE


def test_a_value_goes_into_the_quotes_its_template_syntax_allows() -> None:
    after = changed('<p title="a">x</p>', "p", "set-attribute", attr="title", value='{{ f("x") }}')
    assert after == "<p title='{{ f(\"x\") }}'>x</p>"


def test_a_component_inside_a_jinja_page_is_found_and_changed() -> None:
    rows = "{% for r in rows %}\n<tr><td>{{ r }}</td></tr>\n{% endfor %}"
    text = f'{{% extends "b.html" %}}\n{{% block c %}}\n<table>\n{rows}\n</table>\n{{% endblock %}}\n'
    found = Selector("table").locate(Source.of_text(text))
    assert isinstance(found, Match)
    assert changed(text, "td", "add-class", value="n") == text.replace("<td>", '<td class="n">')


@table(
    ("text", "action", "arguments"),
    [
        ('<p {% if a %}class="a"{% endif %}>x</p>', "add-class", {"value": "b"}),
        ('<p {% if a %}class="a b"{% else %}class="a"{% endif %}>x</p>', "remove-class", {"value": "a"}),
        ('<p {% if a %}class="a"{% endif %}>x</p>', "replace-class", {"old": "a", "new": "b"}),
        ('<p class="a">x</p>', "add-class", {"value": "{% if a %}b{% endif %}"}),
    ],
)
def test_a_class_that_depends_on_the_template_is_neither_changed_nor_written(
    text: str, action: str, arguments: dict[str, str]
) -> None:
    assert refused(text, "p", action, **arguments).kind == Kind.BAD_REQUEST


@table("tag", ["script", "style", "textarea", "title"])
def test_a_construct_that_ends_in_an_element_of_text_is_not_parted(tag: str) -> None:
    source = Source.of_text(f"<body><p>a</p>{{% if a %}}<{tag}>q{{% endif %}}r</{tag}></body>")
    found = Selector(tag).resolve(source)
    assert isinstance(found, Refusal)
    assert "template syntax opens inside" in found.message


@table(
    ("page", "value", "is_open"),
    [
        ("{% if a %}b{% endif %}", "{{ c", True),
        ("{{ a }}", "{{", True),
        ("<% a %>", "<% b", True),
        ("<% a %>", "{{", False),
        ("{{ a }}", "{% b", False),
        ("no syntax at all", "{{ c", False),
    ],
)
def test_in_a_template_no_text_may_begin_its_syntax_and_leave_it_open(page: str, value: str, is_open: bool) -> None:
    text = f"<div>{page}</div><p>x</p>"
    if is_open:
        assert "does not end there" in refused(text, "p", "set-html", value=value).message
    else:
        assert changed(text, "p", "set-html", value=value) == text.replace("x</p>", f"{value}</p>")


def test_a_selector_with_template_syntax_is_refused_with_the_element_that_is_written_so() -> None:
    found = Selector('a[href="{{ y }}"]').resolve(Source.of_text('<a href="{{ x }}">1</a><a href="{{ y }}">2</a>'))
    assert isinstance(found, Refusal)
    assert found.kind == Kind.NO_SUCH_TARGET
    assert found.hint == "send selector:body > a:nth-of-type(2)"
