"""add-key: add an entry to a mapping."""

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
    return node.shifted(source, node.keys.add(node.item, arguments["name"], value, read_beside(arguments)))


ACTION = Action(
    "add-key",
    (KeyNode,),
    "Add an entry to this mapping, written as its siblings are; at the end unless before or after names a sibling.",
    (
        Parameter("name", "text", "the name of the new entry, which must not be there yet"),
        Parameter("value", "value", "its value, any JSON value"),
        *BESIDE,
    ),
    _propose,
)
