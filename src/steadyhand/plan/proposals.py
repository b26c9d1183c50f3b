"""What edits mean at nodes: the verbs asked of each node, an action of those it takes; one set of splices.

Nothing is written here; splices of several nodes that get in each other's way are refused.

Edits by address that follow each other in a call are planned on one text, so that one parse serves them all: where the
format can tell that they do together what they do one after the other (`Node.propose_batch`), they are proposed on
the text the first of them sees, and checked once. How many are tried at once follows what went well, down to one.
A refusal is never made by `AddressBatch`: an edit that cannot be made is judged alone, as any other.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, assert_never

from steadyhand.errors import EditError, Kind
from steadyhand.plan.draft import Draft
from steadyhand.plan.edit import Act, Delete, Edit, Insert, Replace
from steadyhand.plan.refusals import refused
from steadyhand.structure.node import Node, Proposal, Refusal
from steadyhand.structure.target import Addressed
from steadyhand.text.match import Match
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice

if TYPE_CHECKING:
    from steadyhand.structure.action import Action


def propose_all(name: str, source: Source, edit: Edit, nodes: Sequence[Node]) -> Proposal:
    """The splices of an edit at every node it means. Refuses as the nodes do."""
    later = [node.proved_later() for node in nodes] if len(nodes) > 1 else nodes
    if later[0] is nodes[0]:
        return _propose_each(name, source, edit, nodes)
    try:
        return _propose_each(name, source, edit, later)
    except EditError:  # each by itself: it may be refused with its own reason, or be right in another way
        return _propose_each(name, source, edit, nodes)


def _propose_each(name: str, source: Source, edit: Edit, nodes: Sequence[Node]) -> Proposal:
    parts: list[Proposal] = []
    for node in nodes:
        made = propose(source, edit, node)
        if isinstance(made, Refusal):
            raise refused(name, made)
        if len(nodes) == 1:
            return made
        parts.append(made)
    splices = _apart(name, source, [splice for part in parts for splice in part.splices])
    notes = dict.fromkeys(note for part in parts for note in part.notes)
    whole = Proposal(tuple(splices), tuple(notes), meaning=tuple(parts))
    proved = nodes[0].prove_batch(source, whole)
    if isinstance(proved, Refusal):
        raise refused(name, proved)
    return proved


def propose(source: Source, edit: Edit, node: Node) -> Proposal | Refusal:
    """What an edit means at one node."""
    match edit:
        case Replace():
            return node.replace(source, edit.new)
        case Insert():
            return node.insert(source, edit.text, edit.where)
        case Delete():
            return node.delete(source)
        case Act():
            return _act(source, edit, node)
        case _:
            assert_never(edit)


def _act(source: Source, edit: Act, node: Node) -> Proposal | Refusal:
    from steadyhand.structure.action import action_named  # few calls have an action

    action = action_named(edit.name)
    if not isinstance(node, action.takes):
        return _not_taken(action, node)
    return action.propose(source, node, edit.args)


def _not_taken(action: Action, node: Node) -> Refusal:
    from steadyhand.structure.action import actions

    fitting = [other.name for other in actions().values() if isinstance(node, other.takes)]
    return Refusal(
        Kind.BAD_REQUEST,
        f"{action.name} is nothing to do to a {node.kind}",
        f"what can be done to it: replace, insert, delete{''.join(f', {name}' for name in fitting)}",
        {"action": action.name, "kind": node.kind, "actions": fitting},
    )


def _apart(name: str, source: Source, splices: list[Splice]) -> list[Splice]:
    """The splices in order, without those that lie in what another takes away; insertions at one place keep theirs."""
    kept: list[Splice] = []
    for splice in sorted(dict.fromkeys(splices), key=lambda item: item.span):
        while kept and splice.start < kept[-1].end and _swallows(splice, kept[-1]):
            kept.pop()
        if not kept or splice.start >= kept[-1].end:
            kept.append(splice)
        elif not splice.new and not kept[-1].new:
            last = kept.pop()
            kept.append(Splice(last.start, source.text[last.start : max(splice.end, last.end)], ""))
        elif not _swallows(kept[-1], splice):
            raise _nested(name, source, kept[-1], splice)
    return kept


def _swallows(outer: Splice, inner: Splice) -> bool:
    """Whether one takes away everything that the other would change."""
    return not outer.new and outer.start <= inner.start and inner.end <= outer.end


def _nested(name: str, source: Source, first: Splice, second: Splice) -> EditError:
    lines = sorted({source.line_of(first.start), source.line_of(second.start)})
    return EditError(
        Kind.OVERLAPPING_EDITS,
        f"{name}: two of the places lie inside each other (line {' and '.join(map(str, lines))})",
        hint="name the inner and the outer place in two edits, or only one of them",
        details={"lines": lines},
    )


class AddressBatch:
    """The edits by address of one call. For each in turn: what it `does`, and that it `wrote` that; else `forget`.

    `_ends` is where what was written ended in the text that was planned on, and `_moved[i]` by how much the first i of
    these have moved what follows.
    """

    def __init__(self, draft: Draft, edits: Sequence[Edit], *, is_snapshot: bool) -> None:
        self._draft = draft
        self._edits = edits
        self._is_snapshot = is_snapshot
        self._made: dict[int, tuple[Node, Proposal]] = {}
        self._size = len(edits)  # how many are tried at once
        self._ends: list[int] = []
        self._moved: list[int] = [0]

    def does(self, index: int) -> tuple[Match, Proposal] | None:
        """Where an edit is in the text that it sees, and what it does; None where it is to be planned alone."""
        if index not in self._made:
            self._plan_from(index)
        made = self._made.get(index)
        if made is None:
            return None
        node, proposal = made
        target = self._edits[index].target
        assert isinstance(target, Addressed)
        splices = tuple(Splice(self._now(splice.start), splice.old, splice.new) for splice in proposal.splices)
        span = Span(self._now(node.span.start), self._now(node.span.end))
        return Match(span, target.key), Proposal(splices, proposal.notes, proposal.after)

    def wrote(self, index: int, texts: Sequence[str]) -> None:
        """Take note that an edit has written what it does, as these texts: line endings may be those of the file."""
        if self._is_snapshot or index not in self._made:
            return
        for splice, text in zip(self._made[index][1].splices, texts, strict=True):
            at, delta = bisect_right(self._ends, splice.end), len(text) - len(splice.old)
            self._ends.insert(at, splice.end)
            self._moved[at:] = [self._moved[at], *[each + delta for each in self._moved[at:]]]

    def forget(self) -> None:
        """Plan what is left again: an edit was not made, or another has come in between."""
        self._made = {}

    def _now(self, offset: int) -> int:
        """Where an offset of the text that was planned on is in the text the next edit sees."""
        return offset + self._moved[bisect_right(self._ends, offset)]

    def _plan_from(self, index: int) -> None:
        """Plan as many edits from this one on as can be planned together."""
        run = self._run_from(index)
        while len(run) > 1:
            run = run[: self._size]
            if len(run) < 2:
                break
            made = self._propose(self._draft.source, run)
            if made is not None:
                self._made = dict(zip(range(index, index + len(run)), made, strict=True))
                self._ends, self._moved = [], [0]
                self._size = 2 * len(run)
                return
            self._size = len(run) // 2
        self._size = max(2, self._size)

    def _run_from(self, index: int) -> Sequence[Edit]:
        end = index
        while end < len(self._edits) and _names_one(self._edits[end]):
            end += 1
        return self._edits[index:end]

    def _propose(self, source: Source, edits: Sequence[Edit]) -> list[tuple[Node, Proposal]] | None:
        nodes: list[Node] = []
        for edit in edits:
            assert isinstance(edit.target, Addressed)
            found = edit.target.resolve(source)
            if isinstance(found, Refusal) or len(found) != 1:
                return None
            nodes.append(found[0])
            if type(found[0]).propose_batch is Node.propose_batch:
                self._size = 1
                return None
        asked = [(node, partial(propose, source, edit)) for node, edit in zip(nodes, edits, strict=True)]
        made = nodes[0].propose_batch(source, asked)
        return None if made is None else list(zip(nodes, made, strict=True))


def _names_one(edit: Edit) -> bool:
    """Whether an edit is for one place that an address names."""
    return isinstance(edit.target, Addressed) and edit.occurrence is None and edit.expected in (None, 1)
