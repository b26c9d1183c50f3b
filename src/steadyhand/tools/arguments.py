"""A call's arguments as they arrive, checked: unknown, missing and wrong ones are refused by name.

Null means left out, since strict schemas make models send every field. Nothing else is mended or guessed here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from steadyhand.structure.fields import bad_request, check_integer, describe, join, read_object

__all__ = ["Fields", "cut_reason", "read_arguments", "read_number"]

Fields = Mapping[str, object]

_LARGEST = 2**31
_LONGEST_REASON = 2_000


def read_arguments(arguments: object, known: Iterable[str], path: str = "") -> Fields:
    """The arguments that say something. Refuses with `bad-request` what is no object or has an unknown field.

    >>> read_arguments({"path": "a", "view_range": None}, ("path", "view_range"))
    {'path': 'a'}
    """
    if isinstance(arguments, Mapping):
        arguments = {name: value for name, value in arguments.items() if value is not None}
    return read_object(arguments, path, known)


def read_number(fields: Fields, name: str, path: str = "") -> int | None:
    """A whole number that could be a line or a count, or None where the field is absent."""
    value = fields.get(name)
    if value is None:
        return None
    number = check_integer(value, join(path, name))
    if abs(number) > _LARGEST:
        raise bad_request(join(path, name), f"{describe(value)} is too large")
    return number


def cut_reason(text: str) -> str:
    """What a model gives as its reason, fit for the journal: cut when very long, without lone surrogates."""
    shown = text if len(text) <= _LONGEST_REASON else f"{text[:_LONGEST_REASON]}…"
    return shown.encode("utf-8", "replace").decode("utf-8")
