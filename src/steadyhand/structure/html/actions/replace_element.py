"""Put markup in the place of an element."""

from __future__ import annotations

from steadyhand.structure.action import Action, Arguments, Parameter
from steadyhand.structure.html.content import replace_element
from steadyhand.structure.html.element import ElementNode
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source


def _propose(source: Source, node: ElementNode, arguments: Arguments) -> Proposal | Refusal:
    """Replace the element by markup."""
    found = node.open(source)
    return found if isinstance(found, Refusal) else replace_element(*found, arguments["value"])


ACTION = Action(
    name="replace-element",
    takes=(ElementNode,),
    summary="Replace the element by markup.",
    parameters=(Parameter("value", "text", "markup that is complete in itself"),),
    propose=_propose,
)
