"""Give an element other content, as markup."""

from __future__ import annotations

from steadyhand.structure.action import Action, Arguments, Parameter
from steadyhand.structure.html.content import set_html
from steadyhand.structure.html.element import ElementNode
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source


def _propose(source: Source, node: ElementNode, arguments: Arguments) -> Proposal | Refusal:
    """Replace the content by markup."""
    found = node.open(source)
    return found if isinstance(found, Refusal) else set_html(*found, arguments["value"])


ACTION = Action(
    name="set-html",
    takes=(ElementNode,),
    summary="Replace the content by markup.",
    parameters=(Parameter("value", "text", "markup that is complete in itself"),),
    propose=_propose,
)
