"""JSON shapes, declared once: from a shape come parsing, other names, repair, JSON Schema and the words of refusals.

A shape is read strictly by the readers of single fields here (`read_object`, `read_text` and others), leniently by
`tools/repair.py`, which takes what models send, and rendered by `plain_schema` and `strict_schema`. Every refusal is
`bad-request` with `details["path"]`, such as `edits[2].where`. Nothing here repairs a value or guesses what a field
was meant to be; null is the same as absent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, assert_never, cast

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field, fields

if TYPE_CHECKING:
    from steadyhand.hints import Advice

__all__ = [
    "HASH", "MAX_NESTING", "NEW", "OLD", "PATH", "SYNONYMS", "Anything", "Either", "Field", "FieldError", "Flag",
    "Many", "Number", "Object", "Schema", "Shape", "Text", "as_json", "bad_request", "check_integer", "check_list",
    "check_text", "describe", "fields_as_json", "join", "kind_name", "nearest_name", "plain_schema", "read_flag",
    "read_object", "read_optional_integer", "read_optional_text", "read_text", "sketch", "strict_schema",
    "unknown_field",
]  # fmt: skip

Schema = dict[str, object]

MAX_NESTING = 64
_LONGEST = 80  # characters of a name that is shown
_AS_TEXT: Schema = {"type": "string", "description": "JSON."}

# Shapes.

# Names that models use for one another: a field that bears one of a row is also found under the others.
SYNONYMS: tuple[tuple[str, ...], ...] = (
    ("path", "file", "file_path", "filePath"),
    ("old_string", "old_str", "old_text", "oldText", "old_content", "search", "find"),
    ("new_string", "new_str", "new_text", "newText", "new_content", "replace", "replacement"),
)
PATH, OLD, NEW = SYNONYMS
HASH = ("expectedHash", "fileHash", "hash")  # names of the hash that a file is expected to have


@dataclass(frozen=True, slots=True)
class Text:
    """A string; one of `choices` if there are any. `gone` are former choices, each with what to send instead.

    `also` are words that mean a choice, each with that; with them, a choice is taken in any case.
    """

    choices: tuple[str, ...] = ()
    gone: tuple[tuple[str, str], ...] = ()
    also: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number; `fractional`: any number, in results only."""

    least: int | None = None
    most: int | None = None
    fractional: bool = False


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""


@dataclass(frozen=True, slots=True)
class Many:
    """An array of values of one shape."""

    item: Shape
    least: int = 0
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Anything:
    """Any JSON value, read by whoever runs the tool. Strict schemas ask for it as a string that holds JSON."""


@dataclass(frozen=True, slots=True)
class Either:
    """A value of one of several shapes; the first that takes it as it is, else the first that takes it repaired."""

    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """One field of an object. `also` are further names it is found under; null is the same as absent."""

    name: str
    shape: Shape
    about: str = ""
    required: bool = False
    also: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Every name it may be sent under, its own first."""
        known = next((row for row in SYNONYMS if self.name in row), ())
        return tuple(dict.fromkeys((self.name, *self.also, *known)))


@dataclass(frozen=True, slots=True)
class Object:
    """An object with these fields and no others; `is_open`: with others too, which whoever runs the tool reads.

    Strict schemas know no others: an open object is asked for with the fields it names, or, where it names none, as a
    string that holds JSON. `gone` are fields that models still send and that are refused, each with what to send
    instead. `text` is the field that a bare string is taken for, `within` a name under which the whole may come.
    `in_order` are the fields that a bare array of their values is taken for, or, for the first, a bare value.
    `flags` are names of yes or no that models send for a value of a field: name, field, the value that yes means.
    """

    fields: tuple[Field, ...] = field(default=())
    is_open: bool = False
    gone: tuple[tuple[str, str], ...] = ()
    text: str | None = None
    within: str | None = None
    in_order: tuple[str, ...] = ()
    flags: tuple[tuple[str, str, object], ...] = ()

    @classmethod
    def of(cls, *fields: Field, **more: Any) -> Object:
        """The same, with its fields one by one."""
        return cls(fields, **more)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple([each.name for each in self.fields])  # a list, because this is asked for often


Shape = Text | Number | Flag | Many | Object | Anything | Either


# Reading one field.


class FieldError(EditError):
    """A field that is not as it should be; `what` is the message without its name, which may be another elsewhere."""

    def __init__(self, path: str, what: str, hint: Advice) -> None:
        where = f"{path}: " if path else ""
        super().__init__(Kind.BAD_REQUEST, f"{where}{what}", hint=hint, details={"path": path})
        self.what = what


def bad_request(path: str, message: str, hint: Advice = None) -> FieldError:
    """The refusal of one field: `path` says which, `message` what is wrong with it."""
    return FieldError(path, message, hint)


def fields_as_json(value: object, *left_out: str) -> dict[str, object]:
    """The fields of a dataclass, without some: what is absent as null, tuples as lists."""
    names = [each.name for each in fields(value) if each.name not in left_out]  # type: ignore[arg-type]
    return {name: as_json(getattr(value, name)) for name in names}


def as_json(value: object) -> object:
    """A value of a field in the form of JSON."""
    if isinstance(value, tuple | list):
        return [as_json(each) for each in value]
    if isinstance(value, Mapping):
        return dict(value)
    return value.to_json() if hasattr(value, "to_json") else value


def join(path: str, name: str) -> str:
    """The path of a field inside the object at `path`; a long name is cut, and what cannot be seen in it escaped.

    >>> join("edits[0]", "a\\nb")
    'edits[0].a\\\\nb'
    """
    shown = name[:_LONGEST] if name.isprintable() else repr(name[:_LONGEST])[1:-1]
    return f"{path}.{shown}" if path else shown


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
    return bad_request(join(path, name), "unknown field", hint)


def read_text(fields: Mapping[str, object], name: str, path: str) -> str:
    """A string that must be there."""
    if name not in fields:
        raise bad_request(join(path, name), "the field is missing", f"add {name!r}, a string")
    value = fields[name]
    return value if isinstance(value, str) else check_text(value, join(path, name))


def read_optional_text(fields: Mapping[str, object], name: str, path: str) -> str | None:
    """A string, or None where the field is absent or null."""
    value = fields.get(name)
    return value if value is None or isinstance(value, str) else check_text(value, join(path, name))


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


# Shapes in words and as JSON Schema.


def kind_name(shape: Shape) -> str:
    """What a shape asks for, in the words of JSON."""
    match shape:
        case Text():
            return "a string"
        case Number():
            return "a whole number"
        case Flag():
            return "true or false"
        case Many():
            return "an array"
        case Object():
            return "an object"
        case Either():
            return " or ".join(map(kind_name, shape.shapes))
        case Anything():
            return "a value"
        case _:
            assert_never(shape)


def sketch(shape: Shape) -> str:
    """The shape to send, as a hint shows it."""
    match shape:
        case Object():
            shown = [each for each in shape.fields if each.required] or shape.fields[:2]
            return "{" + ", ".join(f'"{each.name}": {sketch(each.shape)}' for each in shown) + "}"
        case Many():
            return f"[{sketch(shape.item)}]"
        case _:
            return "…"


def plain_schema(shape: Shape) -> Schema:
    """The JSON Schema of a shape.

    >>> plain_schema(Many(Text()))
    {'type': 'array', 'items': {'type': 'string'}}
    """
    return _schema(shape, strict=False)


def strict_schema(shape: Shape) -> Schema:
    """The same as strict modes want it.

    >>> strict_schema(Object((Field("a", Number(least=1)),)))["properties"]
    {'a': {'type': ['integer', 'null']}}
    """
    return _schema(shape, strict=True)


def _schema(shape: Shape, *, strict: bool) -> Schema:
    match shape:
        case Text():
            return {"type": "string", **({"enum": list(shape.choices)} if shape.choices else {})}
        case Number():
            shown = {} if strict else _bounds(minimum=shape.least, maximum=shape.most)
            return {"type": "number" if shape.fractional else "integer", **shown}
        case Flag():
            return {"type": "boolean"}
        case Many():
            shown = {} if strict else _bounds(minItems=shape.least or None, maxItems=shape.most)
            return {"type": "array", "items": _schema(shape.item, strict=strict), **shown}
        case Either():
            return {"anyOf": [_schema(each, strict=strict) for each in shape.shapes]}
        case Anything():
            return dict(_AS_TEXT) if strict else {}
        case Object():
            return dict(_AS_TEXT) if strict and shape.is_open and not shape.fields else _object(shape, strict=strict)
        case _:
            assert_never(shape)


def _bounds(**bounds: int | None) -> Schema:
    return {name: bound for name, bound in bounds.items() if bound is not None}


def _object(shape: Object, *, strict: bool) -> Schema:
    required = [field.name for field in shape.fields if strict or field.required]
    schema: Schema = {
        "type": "object",
        "properties": {field.name: _property(field, strict=strict) for field in shape.fields},
    }
    if required:
        schema["required"] = required
    return schema if shape.is_open and not strict else schema | {"additionalProperties": False}


def _property(field: Field, *, strict: bool) -> Schema:
    schema = _schema(field.shape, strict=strict)
    if strict and not field.required:
        schema = _nullable(schema)
    about = " ".join(str(part) for part in (field.about, schema.get("description")) if part)
    return schema | ({"description": about} if about else {})


def _nullable(schema: Schema) -> Schema:
    if "anyOf" in schema:
        options = schema["anyOf"]
        assert isinstance(options, list)
        return schema | {"anyOf": [*options, {"type": "null"}]}
    made = schema | {"type": [schema["type"], "null"]}
    choices = made.get("enum")
    return made | {"enum": [*choices, None]} if isinstance(choices, list) else made
