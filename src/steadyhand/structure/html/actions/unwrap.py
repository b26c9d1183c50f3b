"""Take the tags of an element away and leave its content."""

from __future__ import annotations

from steadyhand.structure.action import Action, Arguments
from steadyhand.structure.html.content import unwrap
from steadyhand.structure.html.element import ElementNode
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source


def _propose(source: Source, node: ElementNode, _arguments: Arguments) -> Proposal | Refusal:
    """Remove the tags and leave the content."""
    found = node.open(source)
    return found if isinstance(found, Refusal) else unwrap(*found)


ACTION = Action(
    name="unwrap",
    takes=(ElementNode,),
    summary="Remove the tags and leave the content.",
    parameters=(),
    propose=_propose,
)
