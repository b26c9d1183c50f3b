"""append-item: add an item to a sequence."""

from __future__ import annotations

from steadyhand.structure.action import Action, Arguments, Parameter
from steadyhand.structure.config.actions_arguments import BESIDE, read_beside, refusing
from steadyhand.structure.config.item import check_plain
from steadyhand.structure.config.key import KeyNode
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source


@refusing
def _propose(source: Source, node: KeyNode, arguments: Arguments) -> Proposal | Refusal:
    value = check_plain(arguments["value"], "value")
    return node.shifted(source, node.keys.append(node.item, value, read_beside(arguments)))


ACTION = Action(
    "append-item",
    (KeyNode,),
    "Add an item to this sequence, written as its siblings are; at the end unless before or after gives a number.",
    (Parameter("value", "value", "the new item, any JSON value"), *BESIDE),
    _propose,
)
