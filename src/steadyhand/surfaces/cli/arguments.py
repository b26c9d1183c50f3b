"""The arguments of an action as they are typed: `NAME=VALUE`, `NAME:=JSON`, `NAME@=FILE`.

Words become values here, by what the action says of each of its parameters. Whether the action takes them is the
action's to say; a word that could mean two things is refused, for one of them would be written wrongly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.surfaces.cli.inputs import bytes_from, decode
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.json_text import parse_json

if TYPE_CHECKING:
    from steadyhand.structure.action import Action, Parameter

__all__ = ["action_rows", "read_arguments"]

_WORD = lazy_pattern(r"([A-Za-z_][A-Za-z0-9_-]*)(:=|@=|=)(.*)", re.DOTALL)
_INTEGER = lazy_pattern(r"-?[0-9]{1,18}", re.ASCII)
_NUMBER = lazy_pattern(r"-?[0-9][0-9.eE+-]*", re.ASCII)
_OPTIONS = ("occurrence", "expected", "reason")  # of every edit
_FORMS = "NAME=VALUE, NAME:=JSON or NAME@=FILE"


def read_arguments(
    invocation: Invocation, action: Action | None, words: Sequence[str], more: str | None
) -> dict[str, object]:
    """What was typed behind an action, and the object of `--json-args`; `action` is None where there is no such one."""
    known = {} if action is None else {parameter.name: parameter for parameter in action.parameters}
    arguments: dict[str, object] = {}
    for name, value in (*_typed(invocation, known, words), *_object(more)):
        if name in _OPTIONS:
            raise EditError(Kind.BAD_REQUEST, f"{name} is not an argument of an action", hint=f"give it as --{name}")
        if name in arguments:
            raise EditError(Kind.BAD_REQUEST, f"{name} is given twice", hint="give it once")
        arguments[name] = value
    missing = [parameter for parameter in known.values() if parameter.required and parameter.name not in arguments]
    if missing and known.keys() >= arguments.keys():  # else a name is wrong, which the action tells
        raise _missing(action, missing[0])
    return arguments


def _typed(
    invocation: Invocation, known: Mapping[str, Parameter], words: Sequence[str]
) -> Iterator[tuple[str, object]]:
    for word in words:
        found = _WORD.fullmatch(word)
        if found is None:
            raise EditError(Kind.BAD_REQUEST, f"{word[:60]!r} is not an argument of an action", hint=_FORMS)
        name, sign, text = found.groups()
        if sign == ":=":
            yield name, parse_json(text, f"the value of {name}")
        elif sign == "@=":
            yield name, decode(bytes_from(invocation, name, text), name)
        else:
            yield name, _value(text, known.get(name), name)


def _object(text: str | None) -> Iterator[tuple[str, object]]:
    if text is None:
        return
    value = parse_json(text, "the object of --json-args")
    if not isinstance(value, dict):
        raise EditError(Kind.BAD_REQUEST, "--json-args is not an object", hint="""such as --json-args '{"value": 3}'""")
    yield from value.items()


def _value(text: str, parameter: Parameter | None, name: str) -> object:
    """A word as the parameter's kind; what does not fit stays text, which the action then refuses."""
    match parameter.kind if parameter is not None else "text":
        case "number":
            return int(text) if _INTEGER.fullmatch(text) else text
        case "flag":
            return {"true": True, "false": False}.get(text, text)
        case "value":
            return _any_value(text, name)
        case _:
            return text


def _any_value(text: str, name: str) -> object:
    """JSON where it is JSON, else text. A number whose spelling would not survive may be a version or a code."""
    import json

    try:
        value = parse_json(text, name)
    except EditError:
        if _NUMBER.fullmatch(text) and text[1:].isdigit():  # 007 is no JSON, and may yet be meant as a number
            raise _two_meanings(text, name, json.dumps(int(text))) from None
        return text
    if isinstance(value, int | float) and not isinstance(value, bool) and json.dumps(value) != text:
        raise _two_meanings(text, name, json.dumps(value))
    return value


def _two_meanings(text: str, name: str, number: str) -> EditError:
    return EditError(
        Kind.BAD_REQUEST,
        f"{name}={text[:40]} may be a number or a text",
        hint=f"{name}:={number} for the number, {name}:='\"{text[:40]}\"' for the text",
    )


def _missing(action: Action | None, parameter: Parameter) -> EditError:
    called = "the action" if action is None else action.name
    return EditError(
        Kind.BAD_REQUEST,
        f"{called} needs {parameter.name}",
        hint=f"add {parameter.name}={_placeholder(parameter)}: {parameter.summary}",
        details={"path": f"args.{parameter.name}"},
    )


def _placeholder(parameter: Parameter) -> str:
    if parameter.choices:
        return "|".join(parameter.choices)
    kinds = {"number": "N", "flag": "true", "place": "ADDRESS", "text": "TEXT", "value": "VALUE"}
    return kinds[parameter.kind]


def action_rows() -> list[tuple[str, str]]:
    """Every action with its parameters, those that may be left out in brackets, and what it does."""
    from steadyhand.structure.action import actions

    return [(_signature(action), action.summary) for action in actions().values()]


def _signature(action: Action) -> str:
    names = (
        f"{parameter.name}={_placeholder(parameter)}"
        if parameter.required
        else f"[{parameter.name}={_placeholder(parameter)}]"
        for parameter in action.parameters
    )
    return " ".join((action.name, *names))
