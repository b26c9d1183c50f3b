"""What a refusal may tell a client: nothing of the machine beyond the roots it works in.

A journal that cannot be used, a disk that refuses, a server that is busy: their words are made for whoever runs the
server, and name places. Refusals that speak of a file's content are left alone, since a model copies from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.surfaces.mcp.roots import Root

__all__ = ["discreet", "discreet_error"]

_OF_THE_MACHINE = frozenset(
    {
        *(Kind.READ_ONLY, Kind.NOT_ALLOWED, Kind.NOT_INSTALLED, Kind.BUSY, Kind.TIMED_OUT),
        *(Kind.CANCELLED, Kind.DISK_REFUSED, Kind.JOURNAL_DAMAGED, Kind.INTERNAL),
    }
)
_WARNINGS = "warnings"
_ELSEWHERE = lazy_pattern(r"(?:^|(?<=[\s\"'(=:,]))(?:[a-zA-Z][\w+.-]*:/|~)?/[^\s\"'),;]+")


def discreet(answer: Mapping[str, Any], roots: Iterable[Root]) -> dict[str, Any]:
    """A tool's answer without the names of places outside its roots, in refusals and in warnings.

    >>> answer = {"kind": "busy", "message": "the journal /srv/site/.steadyhand/j is in use"}
    >>> discreet(answer, [Root("site", "/srv/site")])["message"]
    'the journal .steadyhand/j is in use'
    """
    known = tuple(roots)
    if _is_of_the_machine(answer):
        return {name: _hidden(value, known) for name, value in answer.items()}
    return {
        name: _hidden(value, known) if name == _WARNINGS else _within(value, known) for name, value in answer.items()
    }


def discreet_error(error: EditError, roots: Iterable[Root]) -> EditError:
    """A refusal of the same kind."""
    told = discreet(error.to_json(), roots)
    return EditError(error.kind, told["message"], hint=told["hint"], details=told["details"])


def _is_of_the_machine(value: Mapping[str, Any]) -> bool:
    kind = value.get("kind")
    return isinstance(kind, str) and kind in _OF_THE_MACHINE


def _within(value: Any, roots: tuple[Root, ...]) -> Any:
    """What stands below: an answer may hold the refusal of one file among others."""
    match value:
        case Mapping():
            return discreet(value, roots)
        case list() | tuple() if any(isinstance(each, Mapping) for each in value):
            return [_within(each, roots) for each in value]
        case _:
            return value


def _hidden(value: Any, roots: tuple[Root, ...]) -> Any:
    match value:
        case str():
            for root in roots:
                value = value.replace(f"{root.path}/", "").replace(root.path, root.name)
            return _ELSEWHERE.sub("…", value)
        case Mapping():
            return {name: _hidden(each, roots) for name, each in value.items()}
        case list() | tuple():
            return [_hidden(each, roots) for each in value]
        case _:
            return value
