"""Several proposals as one: each is made on the text the one before it leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from steadyhand.errors import Kind
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source

Step = Callable[[Source], Proposal | Refusal]

_MOST = 50


def in_steps(source: Source, read: Callable[[Source], object], steps: Sequence[Step]) -> Proposal | Refusal:
    """The splices on `source` that do all the steps; every text between them must be one that can be read.

    >>> from steadyhand.text.span import Span
    >>> from steadyhand.text.splice import Splice
    >>> once = lambda left: Proposal.of(left, (Span(0, 1), "xx"))
    >>> in_steps(Source.of_text("abc"), Source.to_bytes, [once, once]).splices == (Splice(0, "a", "xxx"),)
    True
    """
    if len(steps) > _MOST:
        return Refusal(Kind.BAD_REQUEST, f"{len(steps)} values would change at once", "set the keys inside one by one")
    changes, notes, now = ChangeSet(), list[str](), source
    for step in steps:
        made = step(now)
        if isinstance(made, Refusal):
            return made
        change = ChangeSet.of(made.splices)
        now, changes = now.apply(change), changes.compose(change)
        notes += made.notes
        if isinstance(refusal := now.derive(read), Refusal):
            return refusal
    return Proposal(changes.trim().splices, tuple(dict.fromkeys(notes)), now)
