"""How tests act on keys: one call from a text to the text after, with the laws checked on the way.

Also how they look at what another parser has loaded.
"""

from __future__ import annotations

from typing import Any

from steadyhand.structure.action import actions
from steadyhand.structure.config.item import KeyPath
from steadyhand.structure.config.key import Key
from steadyhand.structure.node import Node, Proposal, Refusal
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
    return applied(source, chosen.proposed(source, node, chosen.check(given, "")))


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


def value_at(data: Any, path: KeyPath) -> Any:
    """What a loaded document has at a path."""
    for step in path:
        data = data[step]
    return data


def is_alike(one: object, two: object) -> bool:
    """Whether two loaded documents are the same, types and order of names included."""
    waiting = [(one, two)]
    while waiting:
        left, right = waiting.pop()
        if type(left) is not type(right):
            return False
        if isinstance(left, dict) and isinstance(right, dict):
            if list(left) != list(right):
                return False
            waiting += zip(left.values(), right.values(), strict=True)
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return False
            waiting += zip(left, right, strict=True)
        elif left != right and repr(left) != repr(right):
            return False
    return True
