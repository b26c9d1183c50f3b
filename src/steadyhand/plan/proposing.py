"""What an edit means at nodes: the verbs asked of each node, an action of those it takes; one set of splices.

Nothing is written here; splices of several nodes that get in each other's way are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, assert_never

from steadyhand.errors import EditError, Kind
from steadyhand.plan.edit import Act, Delete, Edit, Insert, Replace
from steadyhand.structure.node import Node, Proposal, Refusal
from steadyhand.text.source import Source
from steadyhand.text.splice import Splice

if TYPE_CHECKING:
    from steadyhand.structure.action import Action

__all__ = ["propose", "propose_all", "refused"]


def propose_all(name: str, source: Source, edit: Edit, nodes: Sequence[Node]) -> Proposal:
    """The splices of an edit at every node it means. Refuses as the nodes do."""
    splices: list[Splice] = []
    notes: list[str] = []
    for node in nodes:
        made = propose(source, edit, node)
        if isinstance(made, Refusal):
            raise refused(name, made)
        if len(nodes) == 1:
            return made
        splices += made.splices
        notes += made.notes
    whole = Proposal(tuple(_apart(name, source, splices)), tuple(dict.fromkeys(notes)))
    proved = nodes[0].prove_together(source, whole)
    if isinstance(proved, Refusal):
        raise refused(name, proved)
    return proved


def refused(name: str, refusal: Refusal) -> EditError:
    """The refusal of a target or an action, with the file's name before its message."""
    return EditError(refusal.kind, f"{name}: {refusal.message}", hint=refusal.advice, details=refusal.details)


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
