"""What a change means, by another HTML5 parser: html5lib's tree with the DOM operation made on it by hand."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import Any

import html5lib

# Trees are minidom's, which has no types worth the name.
Dom = Any


def parse(text: str) -> Dom:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names that XML does not allow
        return html5lib.parse(text, treebuilder="dom")


def elements(dom: Dom) -> list[Dom]:
    """Every element, in document order."""
    return [node for node in walk(dom) if node.nodeType == node.ELEMENT_NODE]


def walk(dom: Dom) -> Iterator[Dom]:
    waiting = [dom]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.childNodes))


def shape(dom: Dom, *, loosely: bool = False) -> list[object]:
    """The tree as a flat list that can be compared; `loosely` where blanks between tags may come and go."""
    found: list[object] = []
    depth = {id(dom): 0}
    for node in walk(dom):
        level = depth[id(node)]
        depth.update((id(child), level + 1) for child in node.childNodes)
        if node.nodeType == node.TEXT_NODE:
            _add_text(found, level, node.data)
        elif node.nodeType == node.ELEMENT_NODE:
            attributes = sorted((name, value) for name, value in node.attributes.items())
            found.append((level, node.tagName, node.namespaceURI, attributes))
        elif node.nodeType == node.COMMENT_NODE:
            found.append((level, "comment", node.data))
        elif node is not dom:
            found.append((level, "doctype", node.name))
    return [item for item in (_loose(item) for item in found) if item is not None] if loosely else found


def _add_text(found: list[object], level: int, data: str) -> None:
    """Texts side by side are one; an empty one is none."""
    if found and isinstance(found[-1], list) and found[-1][0] == level:
        found[-1][1] += data
    elif data:
        found.append([level, data])


def _loose(item: object) -> object:
    if not isinstance(item, list):
        return item
    text = re.sub(r"[\t\n\f\r ]+", " ", item[1]).strip(" ")
    return [item[0], text] if text else None


def fragment(markup: str, holder: Dom) -> list[Dom]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = html5lib.parseFragment(markup, container=holder.tagName, treebuilder="dom")
    return list(found.childNodes)


def perform(element: Dom, action: str, arguments: dict[str, str]) -> None:
    """The DOM operation of an action, on an element of a tree."""
    value = arguments.get("value", "")
    match action:
        case "set-attribute":
            element.setAttribute(arguments["attr"].lower(), value)
        case "remove-attribute":
            if element.hasAttribute(arguments["attr"].lower()):
                element.removeAttribute(arguments["attr"].lower())
        case "set-text":
            _empty(element)
            element.appendChild(_document(element).createTextNode(value))
        case "set-html":
            markup = fragment(value, element)
            _empty(element)
            _insert(element, markup, None)
        case "remove":
            element.parentNode.removeChild(element)
        case "replace-element":
            _insert(element.parentNode, fragment(value, element.parentNode), element)
            element.parentNode.removeChild(element)
        case "unwrap":
            _insert(element.parentNode, list(element.childNodes), element)
            element.parentNode.removeChild(element)
        case "wrap":
            _wrap(element, fragment(value, element.parentNode)[0])
        case "insert-html":
            _insert_beside(element, value, arguments["position"])
        case _:
            raise AssertionError(action)


def _insert_beside(element: Dom, value: str, position: str) -> None:
    is_inside = position in ("afterbegin", "beforeend")
    holder = element if is_inside else element.parentNode
    before = {
        "beforebegin": element,
        "afterend": element.nextSibling,
        "afterbegin": element.firstChild,
        "beforeend": None,
    }[position]
    _insert(holder, fragment(value, holder), before)


def _wrap(element: Dom, wrapper: Dom) -> None:
    element.parentNode.insertBefore(wrapper, element)
    while wrapper.childNodes:
        wrapper = wrapper.childNodes[0]
    wrapper.appendChild(element)


def _document(element: Dom) -> Dom:
    return element.ownerDocument


def _empty(element: Dom) -> None:
    for child in list(element.childNodes):
        element.removeChild(child)


def _insert(holder: Dom, nodes: list[Dom], before: Dom) -> None:
    for node in nodes:
        holder.insertBefore(node, before)
