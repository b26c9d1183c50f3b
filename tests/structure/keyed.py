"""How tests act on keys: one call from a text to the text after, with the laws checked on the way."""

from __future__ import annotations

from steadyhand.structure.action import actions
from steadyhand.structure.node import Node, Proposal, Refusal
from steadyhand.structure.targets.key import Key
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source


def node_at(text: str, key: str | Key, path: str = "a.json") -> tuple[Source, Node]:
    source = Source.of_text(text, path=path)
    found = (key if isinstance(key, Key) else Key(key)).resolve(source)
    assert not isinstance(found, Refusal), found
    return source, found[0]


def missed(text: str, key: str | Key, path: str = "a.json") -> Refusal:
    found = (key if isinstance(key, Key) else Key(key)).resolve(Source.of_text(text, path=path))
    assert isinstance(found, Refusal), found
    return found


def acted(text: str, key: str | Key, action: str, path: str = "a.json", **given: object) -> str | Refusal:
    """The text after an action, or why not."""
    source, node = node_at(text, key, path)
    chosen = actions()[action]
    return applied(source, chosen.propose(source, node, chosen.check(given, "")))


def after(text: str, key: str | Key, action: str, path: str = "a.json", **given: object) -> str:
    made = acted(text, key, action, path, **given)
    assert isinstance(made, str), made
    return made


def refused(text: str, key: str | Key, action: str, path: str = "a.json", **given: object) -> Refusal:
    made = acted(text, key, action, path, **given)
    assert isinstance(made, Refusal), made
    assert made.hint
    return made


def applied(source: Source, proposal: Proposal | Refusal) -> str | Refusal:
    if isinstance(proposal, Refusal):
        return proposal
    changes = ChangeSet(proposal.splices)  # refuses what is not sorted and disjoint
    made = changes.apply(source.text)
    assert changes.invert().apply(made) == source.text
    return made
