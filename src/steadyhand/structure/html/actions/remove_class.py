"""Take class names of an element away; with the last name the attribute goes, too."""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.structure.action import Action, Arguments, Parameter
from steadyhand.structure.html.attributes import names_in, remove_classes
from steadyhand.structure.html.element import ElementNode
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source


def _propose(source: Source, node: ElementNode, arguments: Arguments) -> Proposal | Refusal:
    """Remove class names."""
    found = node.open(source)
    names = names_in(arguments["value"])
    if not names:
        return Refusal(Kind.BAD_REQUEST, "value: there is no class name in it", "give one or more, parted by blanks")
    return found if isinstance(found, Refusal) else remove_classes(*found, names)


ACTION = Action(
    name="remove-class",
    takes=(ElementNode,),
    summary="Remove class names.",
    parameters=(Parameter("value", "text", "one or more class names, parted by blanks"),),
    propose=_propose,
)
