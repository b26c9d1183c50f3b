"""Check or uncheck the box of a task in a Markdown list."""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.structure.action import Action, Arguments, Parameter
from steadyhand.structure.markdown.block import ItemNode
from steadyhand.structure.markdown.names import words_of
from steadyhand.structure.markdown.reader import known_markdown
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source


def _propose(source: Source, node: ItemNode, args: Arguments) -> Proposal | Refusal:
    """One character between the brackets. Refuses an item that has no box."""
    box = node.box(known_markdown(source))
    if box is None:
        return Refusal(
            Kind.BAD_REQUEST,
            "the item has no box",
            f"replace it by {node.item.marker} [ ] {words_of(node.item)[:60]}",
        )
    wanted = args.get("checked", True)
    if (box.of(source.text) != " ") == wanted:
        return Proposal(())
    return Proposal.of(source, (box, "x" if wanted else " "))


ACTION = Action(
    name="check-item",
    takes=(ItemNode,),
    summary="Check the box of a task, or uncheck it.",
    parameters=(Parameter("checked", "flag", "whether the box is checked; without it, it is", required=False),),
    propose=_propose,
)
