"""The table of what can be done to elements besides replacing, inserting and deleting."""

from __future__ import annotations

from collections.abc import Callable

from steadyhand.structure.action import Action, Arguments, Example, Parameter
from steadyhand.structure.html.change import (
    add_classes,
    insert_html,
    names_in,
    remove,
    remove_attribute,
    remove_classes,
    replace_class,
    replace_element,
    set_attribute,
    set_html,
    set_text,
    unwrap,
    wrap,
)
from steadyhand.structure.html.element import ElementNode
from steadyhand.structure.html.page import Page
from steadyhand.structure.html.tree import Element
from steadyhand.structure.node import Proposal, Refusal, refuse
from steadyhand.text.source import Source

_PLACES = ("beforebegin", "afterbegin", "beforeend", "afterend")
_NAMES = Parameter("value", "text", "one or more class names, separated by spaces")
_NO_NAME = refuse("value: there is no class name in it", "give one or more, separated by spaces")
_MARKUP = Parameter("value", "text", "markup that is complete in itself")


def _action(
    name: str,
    summary: str,
    parameters: tuple[Parameter, ...],
    example: tuple[str, str],
    change: Callable[[Page, Element, Arguments], Proposal | Refusal],
    **arguments: str,
) -> Action:
    """An action on elements; `example` is a page before and after it is done to `#a` with these arguments."""

    def propose(_source: Source, node: ElementNode, given: Arguments) -> Proposal | Refusal:
        return change(*node.open(), given)

    shown = Example("page.html", example[0], "selector:#a", arguments, example[1])
    return Action(name, (ElementNode,), summary, parameters, propose, shown)


def _add_classes(page: Page, element: Element, given: Arguments) -> Proposal | Refusal:
    names = names_in(given["value"])
    return add_classes(page, element, names) if names else _NO_NAME


def _remove_classes(page: Page, element: Element, given: Arguments) -> Proposal | Refusal:
    names = names_in(given["value"])
    return remove_classes(page, element, names) if names else _NO_NAME


def _replace_class(page: Page, element: Element, given: Arguments) -> Proposal | Refusal:
    old, new = names_in(given["old"]), names_in(given["new"])
    if len(old) != 1 or not new:
        return refuse("old is one class name, new at least one", "use remove-class to remove one")
    return replace_class(page, element, old[0], new)


ACTIONS = (
    _action(
        "add-class",
        "Add class names that are missing.",
        (_NAMES,),
        ('<p id=a class="x">1</p>', '<p id=a class="x big">1</p>'),
        _add_classes,
        value="big",
    ),
    _action(
        "insert-html",
        "Insert markup before, after or inside the element.",
        (_MARKUP, Parameter("position", "text", "where to insert it", choices=_PLACES)),
        ("<p id=a>1</p>", "<p id=a>1<b>2</b></p>"),
        lambda page, element, given: insert_html(page, element, given["value"], given["position"]),
        value="<b>2</b>",
        position="beforeend",
    ),
    _action(
        "remove",
        "Remove the element.",
        (),
        ("<p>0</p><p id=a>1</p>", "<p>0</p>"),
        lambda page, element, _given: remove(page, element),
    ),
    _action(
        "remove-attribute",
        "Remove an attribute.",
        (Parameter("attr", "text", "the attribute's name"),),
        ('<p id=a title="x">1</p>', "<p id=a>1</p>"),
        lambda page, element, given: remove_attribute(page, element, given["attr"]),
        attr="title",
    ),
    _action(
        "remove-class",
        "Remove class names.",
        (_NAMES,),
        ('<p id=a class="x big">1</p>', '<p id=a class="x">1</p>'),
        _remove_classes,
        value="big",
    ),
    _action(
        "replace-class",
        "Replace a class name with another.",
        (
            Parameter("old", "text", "the class name to remove"),
            Parameter("new", "text", "the class name to add"),
        ),
        ('<p id=a class="x big">1</p>', '<p id=a class="x small">1</p>'),
        _replace_class,
        old="big",
        new="small",
    ),
    _action(
        "replace-element",
        "Replace the element with markup.",
        (_MARKUP,),
        ("<p id=a>1</p>", "<h2>1</h2>"),
        lambda page, element, given: replace_element(page, element, given["value"]),
        value="<h2>1</h2>",
    ),
    _action(
        "set-attribute",
        "Set an attribute; a new one is added after the last.",
        (
            Parameter("attr", "text", "the attribute's name"),
            Parameter("value", "text", "its new value, as a browser will see it"),
        ),
        ('<a id=a href="/old">1</a>', '<a id=a href="/new">1</a>'),
        lambda page, element, given: set_attribute(page, element, given["attr"], given["value"]),
        attr="href",
        value="/new",
    ),
    _action(
        "set-html",
        "Replace the content with markup.",
        (_MARKUP,),
        ("<p id=a>1</p>", "<p id=a><b>2</b></p>"),
        lambda page, element, given: set_html(page, element, given["value"]),
        value="<b>2</b>",
    ),
    _action(
        "set-text",
        "Replace the content with text, escaped as the element requires.",
        (Parameter("value", "text", "the text, as a reader will see it"),),
        ("<p id=a>1</p>", "<p id=a>1 &lt; 2</p>"),
        lambda page, element, given: set_text(page, element, given["value"]),
        value="1 < 2",
    ),
    _action(
        "unwrap",
        "Remove the tags and keep the content.",
        (),
        ("<p><b id=a>1</b></p>", "<p>1</p>"),
        lambda page, element, _given: unwrap(page, element),
    ),
    _action(
        "wrap",
        "Wrap the element in a new one.",
        (Parameter("value", "text", "the empty wrapper, such as <div></div>"),),
        ("<p id=a>1</p>", "<div><p id=a>1</p></div>"),
        lambda page, element, given: wrap(page, element, given["value"]),
        value="<div></div>",
    ),
)
