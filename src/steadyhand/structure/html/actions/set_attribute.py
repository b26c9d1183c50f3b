"""Set an attribute of an element: only the value's own bytes change, in the quotes it has."""

from __future__ import annotations

from steadyhand.structure.action import Action, Arguments, Parameter
from steadyhand.structure.html.attributes import set_attribute
from steadyhand.structure.html.element import ElementNode
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source


def _propose(source: Source, node: ElementNode, arguments: Arguments) -> Proposal | Refusal:
    """Set an attribute; a new one goes behind the last."""
    found = node.open(source)
    return found if isinstance(found, Refusal) else set_attribute(*found, arguments["attr"], arguments["value"])


ACTION = Action(
    name="set-attribute",
    takes=(ElementNode,),
    summary="Set an attribute; a new one goes behind the last.",
    parameters=(
        Parameter("attr", "text", "the attribute's name"),
        Parameter("value", "text", "its new value, as a browser will see it"),
    ),
    propose=_propose,
)
