"""Strict reading of JSON objects: unknown fields, missing fields and wrong types are refused by name.

Every refusal is `bad-request` with `details["path"]`, such as `edits[2].where`.
Nothing here repairs a value or guesses what a field was meant to be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Advice

_LONGEST = 80  # characters of a name that is shown


class FieldError(EditError):
    """A field that is not as it should be; `what` is the message without its name, which may be another elsewhere."""

    def __init__(self, path: str, what: str, hint: Advice) -> None:
        where = f"{path}: " if path else ""
        super().__init__(Kind.BAD_REQUEST, f"{where}{what}", hint=hint, details={"path": path})
        self.what = what


def bad_request(path: str, message: str, hint: Advice = None) -> FieldError:
    """The refusal of one field: `path` says which, `message` what is wrong with it."""
    return FieldError(path, message, hint)


def join(path: str, name: str) -> str:
    """The path of a field inside the object at `path`; a long name is cut, and what cannot be seen in it escaped.

    >>> join("edits[0]", "a\\nb")
    'edits[0].a\\\\nb'
    """
    told = name[:_LONGEST] if name.isprintable() else repr(name[:_LONGEST])[1:-1]
    return f"{path}.{told}" if path else told


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """The known name most like `name`, if any is similar.

    >>> nearest_name("occurence", ["occurrence", "expected"]), nearest_name("new", ["new_content", "note"])
    ('occurrence', 'new_content')
    """
    from steadyhand.text.resemblance import similar_names  # only a refusal needs it

    return next(iter(similar_names(name, known)), None)


def read_object(value: object, path: str, known: Iterable[str]) -> Mapping[str, object]:
    """The value as an object that has no field but the known ones."""
    names = tuple(known)
    if not isinstance(value, Mapping):
        raise bad_request(path, f"an object is expected, not {describe(value)}", f"its fields: {', '.join(names)}")
    for name in value:
        if not isinstance(name, str):
            raise bad_request(path, f"field names are strings, not {describe(name)}")
        if name not in names:
            raise unknown_field(path, name, names)
    return cast("Mapping[str, object]", value)


def unknown_field(path: str, name: str, known: tuple[str, ...]) -> EditError:
    """The refusal of a field nobody knows, naming the one most like it."""
    near = nearest_name(name[:_LONGEST], known)
    hint = f"did you mean {near!r}?" if near else f"known fields: {', '.join(known)}"
    return bad_request(join(path, name), "there is no such field", hint)


def read_text(fields: Mapping[str, object], name: str, path: str) -> str:
    """A string that must be there."""
    if name not in fields:
        raise bad_request(join(path, name), "the field is missing", f"add {name!r}, a string")
    return check_text(fields[name], join(path, name))


def read_optional_text(fields: Mapping[str, object], name: str, path: str) -> str | None:
    """A string, or None where the field is absent or null."""
    value = fields.get(name)
    return None if value is None else check_text(value, join(path, name))


def read_optional_integer(fields: Mapping[str, object], name: str, path: str) -> int | None:
    """A whole number, or None where the field is absent or null."""
    value = fields.get(name)
    return None if value is None else check_integer(value, join(path, name))


def read_flag(fields: Mapping[str, object], name: str, path: str) -> bool:
    """True or false; false where the field is absent or null."""
    value = fields.get(name)
    if value is not None and not isinstance(value, bool):
        raise bad_request(join(path, name), f"true or false is expected, not {describe(value)}")
    return bool(value)


def check_text(value: object, path: str) -> str:
    """A string."""
    if not isinstance(value, str):
        raise bad_request(path, f"a string is expected, not {describe(value)}")
    return value


def check_integer(value: object, path: str) -> int:
    """A whole number; true and false are none."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise bad_request(path, f"a whole number is expected, not {describe(value)}")
    return value


def check_list(value: object, path: str) -> list[object]:
    """An array."""
    if not isinstance(value, list | tuple):
        raise bad_request(path, f"an array is expected, not {describe(value)}")
    return list(value)


def describe(value: object) -> str:
    """What a value is, in the words of JSON, short enough for a message."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"the number {value!r:.40}" if not isinstance(value, int) or value.bit_length() < 128 else "a number"
        case str():
            return "a string"
        case list() | tuple():
            return "an array"
        case Mapping():
            return "an object"
        case _:
            return f"a value of type {type(value).__name__}"
