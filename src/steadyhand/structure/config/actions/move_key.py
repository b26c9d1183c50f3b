"""move-key: take an entry or item to another container of the same document, as it is written."""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.structure.action import Action, Arguments, Parameter
from steadyhand.structure.config.actions_arguments import BESIDE, read_beside, refusing
from steadyhand.structure.config.item import Item, parse_path
from steadyhand.structure.config.key import KeyNode, find_items
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source


@refusing
def _propose(source: Source, node: KeyNode, arguments: Arguments) -> Proposal | Refusal:
    container = _container(node, arguments["to"])
    if isinstance(container, Refusal):
        return container
    return node.shifted(source, node.keys.move(node.item, container, arguments.get("name"), read_beside(arguments)))


def _container(node: KeyNode, to: str) -> Item | Refusal:
    """The one container of that path in the document the item stands in."""
    documents = node.keys.reading.documents
    number = next(at for at, top in enumerate(documents, start=1) if any(item is node.item for item in top.walk()))
    found = find_items(node.keys.reading, parse_path(to, "to"), number)
    if isinstance(found, Refusal) or len(found) == 1:
        return found if isinstance(found, Refusal) else found[0]
    return Refusal(
        Kind.AMBIGUOUS_MATCH,
        f"{len(found)} keys answer to {to[:80]!r}",
        "rename one of them first: a name should stand once",
        {"count": len(found)},
    )


ACTION = Action(
    "move-key",
    (KeyNode,),
    "Move the entry or item, with its comments and as it is written, into another mapping or sequence.",
    (
        Parameter("to", "text", "the path of the container it goes into; empty for the top"),
        Parameter("name", "text", "its name there, where it changes", required=False),
        *BESIDE,
    ),
    _propose,
)
