"""What an action is: a change of a located node that is more than putting text in its place.

An action is one file in `actions/` that ends with `ACTION = Action(…)`; `_ACTIONS` names them.
An action proposes splices and never applies them; it refuses by returning a `Refusal`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Literal

from steadyhand.lazy import Registry, dataclass
from steadyhand.structure.fields import bad_request, check_integer, check_text, describe, join, unknown_field
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
class Action:
    """One thing that can be done to nodes of some kinds."""

    name: str
    takes: tuple[type[Node], ...]
    summary: str
    parameters: tuple[Parameter, ...]
    propose: Callable[[Source, Any, Arguments], Proposal | Refusal]

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
    "ACTION",
    "add_cell=notebook.actions.add_cell add_class=html.actions.add_class add_key=config.actions.add_key "
    "add_row=markdown.actions.add_row append_item=config.actions.append_item "
    "check_item=markdown.actions.check_item delete_key=config.actions.delete_key "
    "insert_html=html.actions.insert_html move move_cell=notebook.actions.move_cell "
    "move_key=config.actions.move_key remove=html.actions.remove "
    "remove_attribute=html.actions.remove_attribute remove_class=html.actions.remove_class "
    "rename_key=config.actions.rename_key replace_class=html.actions.replace_class "
    "replace_element=html.actions.replace_element set_attribute=html.actions.set_attribute "
    "set_cell=markdown.actions.set_cell set_html=html.actions.set_html set_key=config.actions.set_key "
    "set_text=html.actions.set_text unwrap=html.actions.unwrap wrap=html.actions.wrap",
)


@cache
def action_names() -> tuple[str, ...]:
    """The names of all actions, which are those of their files; nothing is loaded for it."""
    return tuple(name.replace("_", "-") for name in _ACTIONS.names)


@cache
def action_named(name: str) -> Action:
    """The action of one of these names."""
    action: Action = _ACTIONS.load_one(name.replace("-", "_"))
    return action


@cache
def actions() -> Mapping[str, Action]:
    """Every action by its name, in alphabetical order."""
    return MappingProxyType({name: action_named(name) for name in action_names()})
