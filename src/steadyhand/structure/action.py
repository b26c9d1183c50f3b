"""What an action is: a change of a located node that is more than putting text in its place.

A format has a table of its actions, `ACTIONS = (Action(…), …)`; `_ACTIONS` says in which module, and which they are.
An action proposes splices and never applies them; it refuses by returning a `Refusal`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Literal

from steadyhand.lazy import Registry, dataclass
from steadyhand.schema import bad_request, check_integer, check_text, describe, join, unknown_field
from steadyhand.structure.node import Node, Proposal, Refusal
from steadyhand.text.source import Source

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
    "config=config.key html=html.actions markdown=markdown.actions move notebook=notebook.cell",
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
