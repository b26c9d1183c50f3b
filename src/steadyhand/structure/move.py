"""Take something to another place of the same file, as it is written there: nothing is retyped."""

from __future__ import annotations

from collections.abc import Mapping

from steadyhand.errors import EditError, Kind
from steadyhand.structure.action import Action, Arguments, Example, Parameter
from steadyhand.structure.node import Node, Proposal, Refusal, Where
from steadyhand.structure.target import Target, parse_address, resolve_one, target_from_json
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source
from steadyhand.text.span import Span


def _propose(source: Source, node: Node, args: Arguments) -> Proposal | Refusal:
    """Delete it here, insert it there. Refuses a place inside of what is moved."""
    where: Where = args.get("where", "after")
    there = _node_at(source, args["to"])
    if isinstance(there, Refusal):
        return there
    if there.span == node.span:
        return Proposal(())
    own = node.move_to(source, there, where)
    return _across(source, node, there, where) if own is None else own


def _across(source: Source, node: Node, there: Node, where: Where) -> Proposal | Refusal:
    text, gone = node.carried(source), node.delete(source)
    if isinstance(text, Refusal):
        return text
    come = there.insert(source, text, where)
    for made in (gone, come):
        if isinstance(made, Refusal):
            return made
    assert isinstance(gone, Proposal)
    assert isinstance(come, Proposal)
    is_inside = node.span.start <= there.span.start and there.span.end <= node.span.end
    if is_inside or any(_is_inside(new.span, old.span) for new in come.splices for old in gone.splices):
        return Refusal(Kind.BAD_REQUEST, f"{there.label} is part of what is to be moved", "name a place outside of it")
    splices = tuple(sorted((*gone.splices, *come.splices), key=lambda splice: splice.span))
    stays = ChangeSet(splices).apply(source.text) == source.text
    return Proposal(() if stays else splices, (*gone.notes, *come.notes))


def _node_at(source: Source, value: object) -> Node | Refusal:
    try:
        target = _target(value)
    except EditError as error:
        return Refusal(error.kind, error.message, error.hints, error.details)
    return resolve_one(source, target)


def _target(value: object) -> Target:
    if isinstance(value, Target):
        return value
    return target_from_json(value, "args.to") if isinstance(value, Mapping) else parse_address(str(value), "args.to")


def _is_inside(place: Span, taken: Span) -> bool:
    return place.overlaps(taken) or (place.is_empty and taken.start < place.start < taken.end)


ACTIONS = (
    Action(
        "move",
        (Node,),
        "Take it to another place of the file, before, after or inside what is there.",
        (
            Parameter("to", "place", "where to: an address, or a target's JSON form"),
            Parameter("where", "text", "on which side", required=False, choices=("before", "after", "start", "end")),
        ),
        _propose,
        Example("a.md", "# A\n\n1\n\n# B\n\n2\n", "heading:A", {"to": "heading:B"}, "# B\n\n2\n\n# A\n\n1\n"),
    ),
)
