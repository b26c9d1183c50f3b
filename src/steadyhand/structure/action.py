"""What an action is: a change of a located node that is more than putting text in its place.

An action is one file in `actions/` that ends with `ACTION = Action(…)`; the folder is the registry.
An action proposes splices and never applies them; it refuses by returning a `Refusal`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Literal

from steadyhand.lazy import dataclass
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


@cache
def action_names() -> tuple[str, ...]:
    """The names of all actions, which are those of their files; nothing is loaded for it."""
    from steadyhand.structure import actions as folder

    return tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(folder.__path__)))


@cache
def action_named(name: str) -> Action:
    """The action of one of these names."""
    module = importlib.import_module(f"steadyhand.structure.actions.{name.replace('-', '_')}")
    action: Action = module.ACTION
    return action


@cache
def actions() -> Mapping[str, Action]:
    """Every action by its name, in alphabetical order."""
    return MappingProxyType({name: action_named(name) for name in action_names()})
