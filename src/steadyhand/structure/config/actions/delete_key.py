"""delete-key: take an entry or item away with its separator and the comments that are its own."""

from __future__ import annotations

from steadyhand.structure.action import Action, Arguments
from steadyhand.structure.config.key import KeyNode
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source


def _propose(source: Source, node: KeyNode, _arguments: Arguments) -> Proposal | Refusal:
    return node.delete(source)


ACTION = Action(
    "delete-key",
    (KeyNode,),
    "Delete the entry or item, with its separator, the comment on its line and the comment lines directly above it.",
    (),
    _propose,
)
