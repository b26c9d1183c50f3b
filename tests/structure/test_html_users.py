"""What went wrong for people whose pages were rewritten by tools: each as a page that must stay as it is."""

from __future__ import annotations

import sys

import pytest

from steadyhand.errors import Kind
from steadyhand.plan.edit import Act, Delete, Replace
from steadyhand.plan.preview import edit
from steadyhand.structure.format import format_of
from steadyhand.structure.html.element import Selector
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source
from tests.structure.html import changed, refused
from tests.table import table

PAGE = """<!DOCTYPE html>
<html lang=en>
  <body   class='home'>
    <svg viewBox="0 0 24 24" width=24><path d="M12 2 L2 22 L22 22 Z" fill='none'/></svg>
    <p>Some <b>bold</b>, <i>italic</i> and&nbsp;plain &copy; 2024 <br/>
       text.</p>
    <a   href="/a?x=1&y=2"  id=cta CLASS="btn  primary" >Buy</a  >
    <!-- keep me -->
    <script>if (1 < 2 && "</p>") { go() }</script>
  </body>
</html>
"""


def test_one_change_leaves_everything_else_of_the_page_alone() -> None:
    assert changed(PAGE, "#cta", "set-text", value="Order") == PAGE.replace(">Buy<", ">Order<")
    assert changed(PAGE, "#cta", "add-class", value="big") == PAGE.replace("btn  primary", "btn  primary big")


def test_the_order_and_the_quotes_of_attributes_stay() -> None:
    after = changed(PAGE, "#cta", "set-attribute", attr="href", value="/b")
    assert after == PAGE.replace("/a?x=1&y=2", "/b")


def test_blanks_around_inline_tags_stay() -> None:
    assert changed(PAGE, "i", "set-text", value="slanted") == PAGE.replace(">italic<", ">slanted<")
    assert changed(PAGE, "b", "unwrap") == PAGE.replace("<b>bold</b>", "bold")


def test_a_page_with_inline_drawings_is_edited_without_quoting_them() -> None:
    after = changed(PAGE, "svg path", "set-attribute", attr="fill", value="red")
    assert after == PAGE.replace("fill='none'", "fill='red'")


def test_a_miss_changes_nothing_and_says_what_is_there() -> None:
    refusal = refused(PAGE, "#ctaa", "set-text", value="x")
    assert "#cta" in refusal.message


def test_a_page_is_never_written_whole_for_a_part_of_it() -> None:
    result = edit(PAGE, Replace(Selector("p"), "<p>New</p>"), path="index.html")
    assert result.error is None
    assert len(result.changes.splices) == 1
    assert len(result.changes.splices[0].old) < 120


def test_lines_of_a_page_with_crlf_stay_crlf() -> None:
    text = PAGE.replace("\n", "\r\n")
    result = edit(text, Replace(Selector("p"), "<p>\nNew\n</p>"), path="index.html")
    assert result.error is None
    assert result.text.count("\n") == result.text.count("\r\n")


@table("name", ["a.html", "a.HTM", "x/b.j2", "c.html.erb", "d.hbs", "e.twig"])
def test_pages_and_templates_have_an_outline(name: str) -> None:
    known = format_of(name)
    assert known is not None
    assert known.name == "html"
    entries = known.outline(Source.of_text("<main><h1>A <b>title</b></h1><p id=x>y</p><p>z</p></main>", path=name))
    assert not isinstance(entries, Refusal)
    assert [(entry.address, entry.label, entry.depth) for entry in entries] == [
        ("selector:main", "main", 0),
        ("selector:h1", "h1 A title", 1),
        ("selector:#x", "p#x", 1),
    ]


def test_without_the_parser_an_edit_by_selector_is_refused_and_one_by_text_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "turbohtml", None)
    done = edit(PAGE, [Replace(Selector("#cta"), "<a>Order</a>")], path="a.html")
    assert done.error is not None
    assert (done.error.kind, done.error.details["package"]) == (Kind.NOT_INSTALLED, "turbohtml")
    assert edit(PAGE, [Replace("Buy", "Order")], path="a.html").text == PAGE.replace("Buy", "Order")


COMPONENT = "<script>\nlet a = 1 < 2;\n</script>\n<template>\n<Row :a='b' />\n<p class:on={n > 1}>x</p>\n</template>\n"


@table("name", "a.vue a.svelte a.astro a.mdx a.md a.jsx a.xml a.heex a.cshtml a.ftl a.py a.json a.txt".split())
def test_what_only_looks_like_a_page_is_no_page(name: str) -> None:
    """`<Row />` closes itself there and `>` ends no tag inside braces: what a browser reads is not what is written."""
    for edit_of in (Delete(Selector("row")), Act(Selector("p"), "set-text", value="y")):
        refused_there = edit(COMPONENT, edit_of, path=name)
        assert refused_there.error is not None
        assert refused_there.error.kind is Kind.BAD_REQUEST
        assert name in refused_there.error.message


@table("name", "a.html a.php a.phtml a.liquid a.gohtml a.djhtml a.html.erb a.svg page".split())
def test_a_page_with_template_syntax_is_a_page(name: str) -> None:
    assert edit("<p>x</p>\n", Act(Selector("p"), "set-text", value="y"), path=name).text == "<p>y</p>\n"
