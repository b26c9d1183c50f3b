"""How the tests of Markdown call nodes and actions: one helper each for what is written and for what is refused."""

from __future__ import annotations

from typing import Any

from steadyhand.structure.action import actions
from steadyhand.structure.node import Node, Proposal, Refusal
from steadyhand.structure.target import Addressed, parse_address
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source

Where = Addressed | str


def node_at(text: str, where: Where, path: str | None = "notes.md") -> tuple[Source, Node]:
    source = Source.of_text(text, path=path)
    found = _target(where).resolve(source)
    assert not isinstance(found, Refusal), f"{found.kind}: {found.message}"
    return source, found[0]


def located(text: str, where: Where) -> str:
    """What is at the one place."""
    _, node = node_at(text, where)
    return node.span.of(text)


def not_found(text: str, where: Where, path: str | None = "notes.md") -> Refusal:
    found = _target(where).resolve(Source.of_text(text, path=path))
    assert isinstance(found, Refusal), found
    assert found.hint
    return found


def written(text: str, where: Where, verb: str, *args: Any) -> str:
    """The text after a verb, or an action with its arguments; inverting it gives the text before."""
    proposal = _proposed(text, where, verb, *args)
    assert isinstance(proposal, Proposal), f"{proposal.kind}: {proposal.message}"
    changes = ChangeSet(proposal.splices)
    after = changes.apply(text)
    assert changes.invert().apply(after) == text
    return after


def refused(text: str, where: Where, verb: str, *args: Any) -> Refusal:
    proposal = _proposed(text, where, verb, *args)
    assert isinstance(proposal, Refusal), ChangeSet(proposal.splices).apply(text)
    assert proposal.hint
    return proposal


def _proposed(text: str, where: Where, verb: str, *args: Any) -> Proposal | Refusal:
    source, node = node_at(text, where)
    if verb in actions():
        action = actions()[verb]
        assert isinstance(node, action.takes)
        return action.proposed(source, node, action.check(args[0] if args else {}, "args"))
    found = getattr(node, verb)(source, *args)
    assert isinstance(found, Proposal | Refusal)
    return found


def _target(where: Where) -> Addressed:
    target = parse_address(where) if isinstance(where, str) else where
    assert isinstance(target, Addressed)
    return target
