"""How tests act on symbols: one call from a text, in the language of a suffix, to the text after."""

from __future__ import annotations

from steadyhand.structure.code.symbol import Symbol, SymbolNode
from steadyhand.structure.node import Proposal, Refusal, Where
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source


def source_of(text: str, suffix: str = "py") -> Source:
    return Source.of_text(text, path=f"example.{suffix}")


def node_at(target: Symbol, source: Source) -> SymbolNode:
    found = target.resolve(source)
    assert not isinstance(found, Refusal), found
    assert isinstance(found[0], SymbolNode)
    return found[0]


def applied(source: Source, proposal: Proposal | Refusal) -> str:
    assert isinstance(proposal, Proposal), proposal
    return ChangeSet(proposal.splices).apply(source.text)


def replaced(suffix: str, text: str, name: str, new: str, part: str = "whole", nth: int | None = None) -> str:
    source = source_of(text, suffix)
    return applied(source, node_at(Symbol(name, part=part, nth=nth), source).replace(source, new))


def inserted(suffix: str, text: str, name: str, new: str, where: Where) -> str:
    source = source_of(text, suffix)
    return applied(source, node_at(Symbol(name), source).insert(source, new, where))


def deleted(suffix: str, text: str, name: str) -> str:
    source = source_of(text, suffix)
    return applied(source, node_at(Symbol(name), source).delete(source))
