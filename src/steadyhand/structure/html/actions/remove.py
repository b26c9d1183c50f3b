"""Take an element away; with its lines, where it stands alone on them."""

from __future__ import annotations

from steadyhand.structure.action import Action, Arguments
from steadyhand.structure.html.content import remove
from steadyhand.structure.html.element import ElementNode
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source


def _propose(source: Source, node: ElementNode, _arguments: Arguments) -> Proposal | Refusal:
    """Remove the element."""
    found = node.open(source)
    return found if isinstance(found, Refusal) else remove(*found)


ACTION = Action(
    name="remove",
    takes=(ElementNode,),
    summary="Remove the element.",
    parameters=(),
    propose=_propose,
)
