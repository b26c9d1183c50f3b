"""Whole lines as a node: what a target by line locates, so that lines can be moved as everything else can."""

from __future__ import annotations

from steadyhand.lazy import dataclass
from steadyhand.structure.node import Node, Proposal, Refusal, Where
from steadyhand.text.lines import line_ending
from steadyhand.text.source import Source
from steadyhand.text.span import Span


@dataclass(frozen=True, slots=True)
class WholeLines(Node):
    """Lines with their endings; `start` and `end` are the same places as `before` and `after`."""

    span: Span
    address: str
    kind: str = "lines"

    def replace(self, source: Source, new: str) -> Proposal | Refusal:
        is_open = bool(new) and not line_ending(new) and bool(line_ending(self.span.of(source.text)))
        return Proposal.of(source, (self.span, new + "\n" if is_open else new))

    def insert(self, source: Source, text: str, where: Where) -> Proposal | Refusal:
        at = self.span.start if where in ("before", "start") else self.span.end
        lead = "\n" if at and source.text[at - 1] not in "\r\n" else ""
        is_open = bool(text) and not line_ending(text) and at < len(source.text)
        return Proposal.of(source, (Span(at, at), f"{lead}{text}\n" if is_open else lead + text))

    def delete(self, source: Source) -> Proposal | Refusal:
        return Proposal.of(source, (self.span, ""))
