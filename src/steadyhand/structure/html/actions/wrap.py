"""Put an element inside another one."""

from __future__ import annotations

from steadyhand.structure.action import Action, Arguments, Parameter
from steadyhand.structure.html.content import wrap
from steadyhand.structure.html.element import ElementNode
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source


def _propose(source: Source, node: ElementNode, arguments: Arguments) -> Proposal | Refusal:
    """Put the element inside a new one."""
    found = node.open(source)
    return found if isinstance(found, Refusal) else wrap(*found, arguments["value"])


ACTION = Action(
    name="wrap",
    takes=(ElementNode,),
    summary="Put the element inside a new one.",
    parameters=(Parameter("value", "text", "the empty wrapper, such as <div></div>"),),
    propose=_propose,
)
