"""Add class names to an element; those it has stay as they are written."""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.structure.action import Action, Arguments, Parameter
from steadyhand.structure.html.attributes import add_classes, names_in
from steadyhand.structure.html.element import ElementNode
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source


def _propose(source: Source, node: ElementNode, arguments: Arguments) -> Proposal | Refusal:
    """Add class names that are not there yet."""
    found = node.open(source)
    names = names_in(arguments["value"])
    if not names:
        return Refusal(Kind.BAD_REQUEST, "value: there is no class name in it", "give one or more, parted by blanks")
    return found if isinstance(found, Refusal) else add_classes(*found, names)


ACTION = Action(
    name="add-class",
    takes=(ElementNode,),
    summary="Add class names that are not there yet.",
    parameters=(Parameter("value", "text", "one or more class names, parted by blanks"),),
    propose=_propose,
)
