"""What the actions on keys share: the arguments `before` and `after`, and how a wrong argument is refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from steadyhand.errors import EditError
from steadyhand.structure.action import Arguments, Parameter
from steadyhand.structure.config.editor import Beside
from steadyhand.structure.fields import bad_request, describe
from steadyhand.structure.node import Node, Proposal, Refusal
from steadyhand.text.source import Source

Kept = TypeVar("Kept", bound=Node)
Propose = Callable[[Source, Kept, Arguments], Proposal | Refusal]

BESIDE = (
    Parameter("before", "value", "the sibling it goes in front of: a name, or a number from 0", required=False),
    Parameter("after", "value", "the sibling it goes behind: a name, or a number from 0", required=False),
)


def read_beside(arguments: Arguments) -> Beside | None:
    """Where among the siblings something goes; None for the end. Refuses with `bad-request`."""
    given = [(name, arguments[name]) for name in ("before", "after") if arguments.get(name) is not None]
    if len(given) > 1:
        raise bad_request("after", "before and after exclude each other", "give one of them")
    for name, step in given:
        if isinstance(step, bool) or not isinstance(step, str | int):
            raise bad_request(name, f"a name or a number is expected, not {describe(step)}", "name a sibling")
        return Beside(step, is_after=name == "after")
    return None


def refusing(propose: Propose[Kept]) -> Propose[Kept]:
    """The same function, with an argument that is refused by an exception refused as a value."""

    @wraps(propose)
    def proposed(source: Source, node: Kept, arguments: Arguments) -> Proposal | Refusal:
        try:
            return propose(source, node, arguments)
        except EditError as error:
            return Refusal(error.kind, error.message, error.hint or "", error.details)

    return proposed
