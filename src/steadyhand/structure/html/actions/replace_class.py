"""Put one class name in the place of another."""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.structure.action import Action, Arguments, Parameter
from steadyhand.structure.html.attributes import names_in, replace_class
from steadyhand.structure.html.element import ElementNode
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source


def _propose(source: Source, node: ElementNode, arguments: Arguments) -> Proposal | Refusal:
    """Replace a class name by another."""
    found = node.open(source)
    old, new = names_in(arguments["old"]), names_in(arguments["new"])
    if len(old) != 1 or not new:
        return Refusal(Kind.BAD_REQUEST, "old is one class name, new at least one", "use remove-class to take one away")
    return found if isinstance(found, Refusal) else replace_class(*found, old[0], new)


ACTION = Action(
    name="replace-class",
    takes=(ElementNode,),
    summary="Replace a class name by another.",
    parameters=(
        Parameter("old", "text", "the class name that goes"),
        Parameter("new", "text", "the class name that takes its place"),
    ),
    propose=_propose,
)
