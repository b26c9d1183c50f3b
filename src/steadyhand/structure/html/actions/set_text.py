"""Give an element a text for content; what would be markup is escaped."""

from __future__ import annotations

from steadyhand.structure.action import Action, Arguments, Parameter
from steadyhand.structure.html.content import set_text
from steadyhand.structure.html.element import ElementNode
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source


def _propose(source: Source, node: ElementNode, arguments: Arguments) -> Proposal | Refusal:
    """Replace the content by a text, escaped as the element needs it."""
    found = node.open(source)
    return found if isinstance(found, Refusal) else set_text(*found, arguments["value"])


ACTION = Action(
    name="set-text",
    takes=(ElementNode,),
    summary="Replace the content by a text, escaped as the element needs it.",
    parameters=(Parameter("value", "text", "the text, as a reader will see it"),),
    propose=_propose,
)
