"""Insert markup beside an element or inside it."""

from __future__ import annotations

from steadyhand.structure.action import Action, Arguments, Parameter
from steadyhand.structure.html.content import insert_html
from steadyhand.structure.html.element import ElementNode
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source


def _propose(source: Source, node: ElementNode, arguments: Arguments) -> Proposal | Refusal:
    """Insert markup before, behind or inside the element."""
    found = node.open(source)
    return found if isinstance(found, Refusal) else insert_html(*found, arguments["value"], arguments["position"])


ACTION = Action(
    name="insert-html",
    takes=(ElementNode,),
    summary="Insert markup before, behind or inside the element.",
    parameters=(
        Parameter("value", "text", "markup that is complete in itself"),
        Parameter("position", "text", "where it goes", choices=("beforebegin", "afterbegin", "beforeend", "afterend")),
    ),
    propose=_propose,
)
