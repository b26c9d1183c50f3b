"""Take an attribute of an element away, every one of that name where it is written twice."""

from __future__ import annotations

from steadyhand.structure.action import Action, Arguments, Parameter
from steadyhand.structure.html.attributes import remove_attribute
from steadyhand.structure.html.element import ElementNode
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source


def _propose(source: Source, node: ElementNode, arguments: Arguments) -> Proposal | Refusal:
    """Remove an attribute."""
    found = node.open(source)
    return found if isinstance(found, Refusal) else remove_attribute(*found, arguments["attr"])


ACTION = Action(
    name="remove-attribute",
    takes=(ElementNode,),
    summary="Remove an attribute.",
    parameters=(Parameter("attr", "text", "the attribute's name"),),
    propose=_propose,
)
