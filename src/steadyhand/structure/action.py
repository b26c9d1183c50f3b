"""What an action is: a change of a located node that is more than putting text in its place.

A format has a table of its actions, `ACTIONS = (Action(…), …)`; `_ACTIONS` says in which module, and which they are.
An action proposes splices and never applies them; it refuses by returning a `Refusal`. What can be done in every format
is here: to move something to another place of its file, as it is written there, without anybody retyping it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Literal

from steadyhand.errors import EditError
from steadyhand.lazy import Registry, dataclass
from steadyhand.schema import bad_request, check_integer, check_text, describe, join, unknown_field
from steadyhand.structure.node import Node, Proposal, Refusal, Where, refuse
from steadyhand.structure.target import Target, parse_address, resolve_one, target_from_json
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source
from steadyhand.text.span import Span

Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of an action. `value` is any JSON value; `place` is a target's JSON form or an address."""

    name: str
    kind: Literal["text", "number", "flag", "value", "place"]
    summary: str
    required: bool = True
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """What an action does: the text of a file before and after it. Examples run as tests."""

    path: str
    before: str
    address: str
    arguments: Arguments
    after: str


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that can be done to nodes of some kinds."""

    name: str
    takes: tuple[type[Node], ...]
    summary: str
    parameters: tuple[Parameter, ...]
    propose: Callable[[Source, Any, Arguments], Proposal | Refusal]
    example: Example

    def proposed(self, source: Source, node: Node, arguments: Arguments) -> Proposal | Refusal:
        """What it proposes for a node that it takes; an argument that is refused by an exception is so as a value."""
        try:
            return self.propose(source, node, arguments)
        except EditError as error:
            return Refusal(error.kind, error.message, error.hints, error.details)

    def check(self, given: Mapping[str, object], path: str) -> Arguments:
        """The arguments, if they are what the action takes. Refuses with `bad-request`."""
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in given:
            if name not in known:
                raise unknown_field(path, name, tuple(known))
        for parameter in self.parameters:
            if parameter.name not in given:
                if parameter.required:
                    raise bad_request(join(path, parameter.name), "the field is missing", parameter.summary)
            else:
                _check_kind(given[parameter.name], parameter, join(path, parameter.name))
        return MappingProxyType(dict(given))


def _check_kind(value: object, parameter: Parameter, path: str) -> None:
    match parameter.kind:
        case "text":
            check_text(value, path)
        case "number":
            check_integer(value, path)
        case "flag":
            if not isinstance(value, bool):
                raise bad_request(path, f"true or false is expected, not {describe(value)}")
        case "value" | "place":
            pass  # whatever reads it says what is wrong with it
    if parameter.choices and value not in parameter.choices:
        raise bad_request(path, f"one of {', '.join(parameter.choices)} is expected")


_ACTIONS = Registry(
    "steadyhand.structure",
    "ACTIONS",
    "config=config.key html=html.actions markdown=markdown.actions move=action notebook=notebook",
)
_NAMES = {
    "config": "add-key append-item delete-key move-key rename-key set-key",
    "html": "add-class insert-html remove remove-attribute remove-class replace-class replace-element set-attribute "
    "set-html set-text unwrap wrap",
    "markdown": "add-row check-item set-cell",
    "move": "move",
    "notebook": "add-cell move-cell",
}


@cache
def _tables() -> Mapping[str, str]:
    """In which table each action is, by the names of both."""
    found = ((name, table) for table, names in _NAMES.items() for name in names.split())
    return MappingProxyType(dict(sorted(found)))


def action_names() -> tuple[str, ...]:
    """The names of all actions, in alphabetical order; nothing is loaded for it."""
    return tuple(_tables())


@cache
def action_named(name: str) -> Action:
    """The action of one of these names."""
    table: tuple[Action, ...] = _ACTIONS.load_one(_tables()[name])
    return next(action for action in table if action.name == name)


@cache
def actions() -> Mapping[str, Action]:
    """Every action by its name, in alphabetical order."""
    return MappingProxyType({name: action_named(name) for name in action_names()})


def _move(source: Source, node: Node, args: Arguments) -> Proposal | Refusal:
    """Delete it here, insert it there. Refuses a place inside of what is moved."""
    where: Where = args.get("where", "after")
    there = resolve_one(source, _target(args["to"]))
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
        return refuse(f"{there.label} is part of what you want to move", "name a place outside it")
    splices = tuple(sorted((*gone.splices, *come.splices), key=lambda splice: splice.span))
    stays = ChangeSet(splices).apply(source.text) == source.text
    return Proposal(() if stays else splices, (*gone.notes, *come.notes))


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
        "Move it to another place in the file: before, after or inside what is there.",
        (
            Parameter("to", "place", "the destination: an address, or a target's JSON form"),
            Parameter("where", "text", "on which side", required=False, choices=("before", "after", "start", "end")),
        ),
        _move,
        Example("a.md", "# A\n\n1\n\n# B\n\n2\n", "heading:A", {"to": "heading:B"}, "# B\n\n2\n\n# A\n\n1\n"),
    ),
)
