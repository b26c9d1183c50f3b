"""set-key: give a key another value, of whatever type."""

from __future__ import annotations

from steadyhand.structure.action import Action, Arguments, Parameter
from steadyhand.structure.config.actions_arguments import refusing
from steadyhand.structure.config.item import check_plain
from steadyhand.structure.config.key import KeyNode
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source


@refusing
def _propose(source: Source, node: KeyNode, arguments: Arguments) -> Proposal | Refusal:
    return node.shifted(source, node.keys.set_value(node.item, check_plain(arguments["value"], "value")))


ACTION = Action(
    "set-key",
    (KeyNode,),
    "Give the key another value, written as the file writes such values; comments and everything else stay.",
    (Parameter("value", "value", "the new value, any JSON value; its type is the type written"),),
    _propose,
)
