"""From any target to the one node it means."""

from __future__ import annotations

from steadyhand.structure.address import render_address
from steadyhand.structure.addressed import Addressed
from steadyhand.structure.node import Node, Refusal
from steadyhand.structure.target import Target
from steadyhand.structure.whole_lines import WholeLines
from steadyhand.text.source import Source


def resolve_one(source: Source, target: Target) -> Node | Refusal:
    """The one node that a target means in a source, or why there is none; of a target by line, its whole lines."""
    if isinstance(target, Addressed):
        found = target.resolve(source)
        return found if isinstance(found, Refusal) else found[0]
    match = target.locate(source)
    return match if isinstance(match, Refusal) else WholeLines(match.span, render_address(target) or target.key)
