"""rename-key: give an entry another name; its value and its place stay."""

from __future__ import annotations

from steadyhand.structure.action import Action, Arguments, Parameter
from steadyhand.structure.config.key import KeyNode
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source


def _propose(source: Source, node: KeyNode, arguments: Arguments) -> Proposal | Refusal:
    return node.shifted(source, node.keys.rename(node.item, arguments["name"]))


ACTION = Action(
    "rename-key",
    (KeyNode,),
    "Give the entry another name, quoted as the old one was where it can be; refused where that name is there already.",
    (Parameter("name", "text", "the new name, without quotes"),),
    _propose,
)
