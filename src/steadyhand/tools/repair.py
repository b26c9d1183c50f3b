"""Arguments as models send them, made what the tool's shape asks for: repaired where one reading is left, else refused.

Arguments that are as the shape says are looked at once and taken as they are; only others are walked for repairs.
Repaired, and reported: an array or object sent as a JSON string, a single object where an array is expected, "true"
and "3" for what they say, other usual names, snake for camel case. Anything else is refused by name with `bad-request`.
Values are never guessed: a text stays the text that was sent. Null is the same as absent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import assert_never, cast

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field, lazy_pattern
from steadyhand.schema import (
    MAX_NESTING,
    Anything,
    Either,
    Field,
    Flag,
    Many,
    Number,
    Object,
    Shape,
    Text,
    bad_request,
    check_text,
    describe,
    join,
    kind_name,
    nearest_name,
    sketch,
    unknown_field,
)

# How large a request may be, asked without recursion before anybody looks into it.

_MOST_VALUES = 1_000_000
_LONE = lazy_pattern("[\ud800-\udfff]")


def check_extent(value: object) -> None:
    """Refuse what is nested deeper, or holds more values, than anything is meant to.

    Values that hold one another, or one value many times, come to an end too.
    """
    level, count = [value], 1
    for _ in range(MAX_NESTING + 1):
        level = list(islice((inner for each in level for inner in _inner(each)), _MOST_VALUES))
        count += len(level)
        if not level:
            return
        if count > _MOST_VALUES:
            raise EditError(
                Kind.TOO_LARGE, f"the arguments have more than {_MOST_VALUES} values", hint="send them in several calls"
            )
    raise bad_request("", f"it is nested deeper than {MAX_NESTING} levels", "send a flatter request")


def check_characters(value: object, path: str) -> None:
    """Refuse with `bad-request` a text, or a value with a text anywhere in it, that is no Unicode.

    >>> check_characters({"a": ["b"]}, "args")
    """
    level = [value]
    while level:
        if any(isinstance(each, str) and _LONE.search(each) for each in level):
            raise bad_request(path, "it contains a lone surrogate", "send text that is valid Unicode")
        level = [inner for each in level for inner in _inner(each)]


def _inner(value: object) -> Iterator[object]:
    if isinstance(value, Mapping):
        yield from value.keys()
        yield from value.values()
    elif isinstance(value, list | tuple):
        yield from value


_LARGEST = 2**31
_WHOLE = lazy_pattern(r"\s*-?[0-9]{1,10}\s*", re.ASCII)
_WORD_GAP = lazy_pattern(r"[-_\s]+")
_MOST_REPAIRS = 20
_MANY = 10_000  # values of an array that are looked at without repairs


@dataclass(slots=True)
class _Reader:
    """One reading; `repairs` false: what would have to be repaired is refused."""

    repairs: bool = True
    reports: list[str] = field(default_factory=list)

    def repaired(self, path: str, what: str) -> None:
        if not self.repairs:
            raise bad_request(path, "it does not have the right form")
        self.reports.append(f"{path or 'arguments'}: {what}")


def repair(shape: Object, arguments: object) -> tuple[Mapping[str, object], tuple[str, ...]]:
    """The arguments by their shape, and what was repaired. Refuses with `bad-request`, naming the field.

    >>> repair(Object((Field("filePath", Text()), Field("all", Flag()))), {"path": "a", "all": "true"})[1]
    ('path: taken for filePath', 'all: a string taken for true')
    """
    if _fits(shape, arguments):
        return cast("Mapping[str, object]", arguments), ()
    check_extent(arguments)
    reader = _Reader()
    fields = cast("Mapping[str, object]", _read_object(reader, shape, arguments, ""))
    reports = dict.fromkeys(reader.reports)
    more = [f"and {len(reports) - _MOST_REPAIRS} more"] if len(reports) > _MOST_REPAIRS else []
    return fields, (*list(reports)[:_MOST_REPAIRS], *more)


def read_exactly(shape: Object, value: object, path: str = "") -> Mapping[str, object]:
    """The fields of a value that is as its shape says. Refuses with `bad-request` where anything had to be repaired."""
    check_extent(value)
    return _read_object(_Reader(repairs=False), shape, value, path)


def _fits(shape: Shape, value: object) -> bool:  # noqa: C901 — one call for a value, because every call of a tool asks this
    """Whether a value is what the shape asks for: no other name, no null, nothing that is only nearly right.

    False also where that would take long to say: then the reader that repairs looks at it, and it is bounded.
    """
    if type(shape) is Text:
        if type(value) is not str or (shape.choices and value not in shape.choices):
            return False
        return value.isascii() or not _LONE.search(value)
    if type(shape) is Object:
        if type(value) is not dict:
            return False
        if not shape.fields:
            return shape.is_open and shape.within not in value and all(map(_is_plain, (*value, *value.values())))
        known = 0
        for each in shape.fields:
            given = value.get(each.name)
            if given is None:
                if each.required:
                    return False
            elif _fits(each.shape, given):
                known += 1
            else:
                return False
        return known == len(value)
    if type(shape) is Many:
        if type(value) is not list or not shape.least <= len(value) <= (shape.most or _MANY):
            return False
        return all(_fits(shape.item, each) for each in value)
    if type(shape) is Number:
        if type(value) is not int or (shape.least is not None and value < shape.least):
            return False
        return -_LARGEST <= value <= (_LARGEST if shape.most is None else shape.most)
    if type(shape) is Either:
        return any(_fits(each, value) for each in shape.shapes)
    return type(value) is bool if type(shape) is Flag else _is_plain(value)


def _is_plain(value: object) -> bool:
    """Whether a value has no others inside, and no character that is none."""
    return type(value) in (int, float, bool) or (type(value) is str and (value.isascii() or not _LONE.search(value)))


def _read(reader: _Reader, shape: Shape, value: object, path: str) -> object:
    match shape:
        case Text():
            return _read_text(reader, shape, value, path)
        case Number():
            return _read_number(reader, shape, value, path)
        case Flag():
            return _read_flag(reader, value, path)
        case Many():
            return _read_many(reader, shape, value, path)
        case Object():
            return _read_object(reader, shape, value, path)
        case Either():
            return _read_either(reader, shape, value, path)
        case Anything():
            check_characters(value, path)
            return value
        case _:
            assert_never(shape)


def _read_text(reader: _Reader, shape: Text, value: object, path: str) -> str:
    text = check_text(value, path)
    check_characters(text, path)
    if shape.also and text not in shape.choices:
        said = text.strip().lower()
        meant = said if said in shape.choices else dict(shape.also).get(said)
        if meant is not None:
            reader.repaired(path, f"{text[:40]!r} taken for {meant!r}")
            return meant
    if shape.choices and text not in shape.choices:
        instead = dict(shape.gone).get(text)
        if instead is not None:
            raise bad_request(path, f"{text!r} no longer exists", instead)
        near = nearest_name(text[:80], shape.choices)
        hint = f"did you mean {near!r}?" if near else "send one of these"
        raise bad_request(path, f"{text[:40]!r} is not among {', '.join(shape.choices)}", hint)
    return text


def _read_number(reader: _Reader, shape: Number, value: object, path: str) -> int:
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        reader.repaired(path, "a string taken for a number")
        value = int(value)
    elif isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise bad_request(path, f"a whole number is expected, not {describe(value)}")
    if abs(value) > _LARGEST:
        raise bad_request(path, f"{describe(value)} is too large")
    if shape.least is not None and value < shape.least:
        raise bad_request(path, f"{value} is too small", f"it begins with {shape.least}")
    if shape.most is not None and value > shape.most:
        raise bad_request(path, f"{value} is too large", f"it ends with {shape.most}")
    return value


def _read_flag(reader: _Reader, value: object, path: str) -> bool:
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        said = value.strip().lower()
        reader.repaired(path, f"a string taken for {said}")
        return said == "true"
    if not isinstance(value, bool):
        raise bad_request(path, f"true or false is expected, not {describe(value)}")
    return value


def _read_many(reader: _Reader, shape: Many, value: object, path: str) -> list[object]:
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        parsed = _parsed(value)
        if isinstance(parsed, list | dict):
            reader.repaired(path, "a JSON string taken for what it holds")
            value = parsed
    if isinstance(value, Mapping) or (isinstance(value, str) and _takes_text(shape.item)):
        reader.repaired(path, "a single value taken for an array of one")
        value = [value]
    if not isinstance(value, list | tuple):
        raise bad_request(path, f"an array is expected, not {describe(value)}")
    if len(value) < shape.least:
        raise bad_request(path, "the array is empty" if not value else "the array is too short", "give at least one")
    if shape.most is not None and len(value) > shape.most:
        raise EditError(
            Kind.TOO_LARGE,
            f"{path}: {len(value)} items are too many",
            hint=f"send at most {shape.most} in one call",
            details={"path": path, "limit": shape.most},
        )
    return [_read(reader, shape.item, item, f"{path}[{index}]") for index, item in enumerate(value)]


def _takes_text(shape: Shape) -> bool:
    return isinstance(shape, Text) or (isinstance(shape, Either) and any(map(_takes_text, shape.shapes)))


def _read_either(reader: _Reader, shape: Either, value: object, path: str) -> object:
    """The first shape that takes the value as it is; else the first that takes it repaired."""
    refusal: EditError | None = None
    for repairs in (False, True) if reader.repairs else (False,):
        for option in shape.shapes:
            attempt = _Reader(repairs)
            try:
                found = _read(attempt, option, value, path)
            except EditError as error:
                refusal = error if _is_kind_of(option, value) else refusal
                continue
            reader.reports += attempt.reports
            return found
    if refusal is not None:
        raise refusal
    raise bad_request(path, f"{' or '.join(map(kind_name, shape.shapes))} is expected, not {describe(value)}")


def _is_kind_of(shape: Shape, value: object) -> bool:
    """Whether a value is of the JSON type that a shape asks for, so that its refusal tells what is wrong inside."""
    match shape:
        case Text():
            return isinstance(value, str)
        case Number():
            return isinstance(value, int | float) and not isinstance(value, bool)
        case Flag():
            return isinstance(value, bool)
        case Many():
            return isinstance(value, list | tuple)
        case Object():
            return isinstance(value, Mapping)
        case Either():
            return any(_is_kind_of(each, value) for each in shape.shapes)
        case Anything():
            return True
        case _:
            assert_never(shape)


def _read_object(reader: _Reader, shape: Object, value: object, path: str) -> dict[str, object]:
    given_fields = _unwrapped(reader, shape, value, path)
    if reader.repairs:
        given_fields = _put_inside(reader, shape, _without_flags(reader, shape, given_fields, path), path)
    keeps_null = shape.is_open and not shape.fields  # only the tool knows the fields: null may be a value of one
    found: dict[str, object] = {}
    for name, given in given_fields.items():
        if not isinstance(name, str):
            raise bad_request(path, f"field names are strings, not {describe(name)}")
        meant = _field_named(shape, name, given_fields) or (Field(name, Anything()) if shape.is_open else None)
        if meant is None:
            raise _unknown(shape, path, name)
        if given is None and not keeps_null:
            continue
        if meant.name != name:
            reader.repaired(join(path, name), f"taken for {meant.name}")
        read = _read_field(reader, meant, given, join(path, meant.name))
        if meant.name in found and found[meant.name] != read:
            raise bad_request(
                join(path, meant.name), f"it is sent twice, also as {name!r}", f"send {meant.name!r} once"
            )
        found[meant.name] = read
    for each in shape.fields:
        if each.required and each.name not in found:
            raise bad_request(join(path, each.name), "the field is missing", _wanted(each))
    return found


def _without_flags(
    reader: _Reader, shape: Object, given: Mapping[object, object], path: str
) -> Mapping[object, object]:
    """The fields with the value that a yes means, where that field was not sent itself."""
    for flag, field_name, meant in shape.flags:
        name = next((each for each in given if isinstance(each, str) and _plain(each) == _plain(flag)), None)
        if name is None or _field_named(shape, name, given) is not None:
            continue
        said = given[name] is not None and _read_flag(reader, given[name], join(path, name))
        given = {each: value for each, value in given.items() if each != name}
        if said and given.get(field_name) not in (None, meant):
            raise bad_request(join(path, name), f"{field_name} says something else", "send one of the two")
        reader.repaired(join(path, name), f"taken for {field_name} {json.dumps(meant)}" if said else "left out")
        given |= {field_name: meant} if said else {}
    return given


def _put_inside(reader: _Reader, shape: Object, given: Mapping[object, object], path: str) -> Mapping[object, object]:
    """The fields of a single item that were sent beside the list or the object that they belong in, put there.

    Only where one of these can take them all, and none of them is a field of the outer object.
    """
    gone = {_plain(name) for name, _ in shape.gone}
    strange = [each for each in given if isinstance(each, str) and _field_named(shape, each, given) is None]
    if shape.is_open or not strange or any(_plain(each) in gone for each in strange):
        return given
    free = [(each.name, each.shape) for each in shape.fields if given.get(each.name) is None]
    places = [(name, inner.item if isinstance(inner, Many) else inner, isinstance(inner, Many)) for name, inner in free]
    fitting = [
        (name, item, is_list)
        for name, item, is_list in places
        if isinstance(item, Object) and _is_item(item, given, strange)
    ]
    if len(fitting) != 1:
        return given
    name, item, is_list = fitting[0]
    needed = {each.name for each in item.fields if each.required} - {_field_name(item, each, given) for each in strange}
    inside = {each: given[each] for each in given if each in strange or each in needed}
    reader.repaired(path, f"{', '.join(map(str, inside))} taken for {f'{name}[0]' if is_list else name}")
    own = {each.name for each in shape.fields}
    return {each: value for each, value in given.items() if each not in inside or each in own & needed} | {
        name: [inside] if is_list else inside
    }


def _is_item(item: Object, given: Mapping[object, object], strange: list[str]) -> bool:
    """Whether these fields are fields of an item, and with what was sent besides all that it needs."""
    names = {_field_name(item, each, given) for each in strange}
    return None not in names and all(each.name in names or each.name in given for each in item.fields if each.required)


def _has_inside(shape: Shape, name: str) -> bool:
    item = shape.item if isinstance(shape, Many) else shape
    return isinstance(item, Object) and _field_named(item, name, {}) is not None


def _field_name(shape: Object, name: str, given: Mapping[object, object]) -> str | None:
    found = _field_named(shape, name, given)
    return None if found is None else found.name


def _unwrapped(reader: _Reader, shape: Object, value: object, path: str) -> Mapping[object, object]:
    """The fields as they were sent, however they were wrapped."""
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        parsed = _parsed(value)
        if not isinstance(parsed, dict):
            raise bad_request(path, _broken(value), "send it again; quotes and backslashes in strings are escaped")
        reader.repaired(path, "a JSON string taken for what it holds")
        value = parsed
    elif shape.in_order and (listed := _listed(shape, value)) is not None:
        reader.repaired(path, f"{describe(value)} taken for {' and '.join(listed)}")
        value = listed
    elif isinstance(value, str) and shape.text is not None:
        reader.repaired(path, f"a string taken for {shape.text}")
        value = {shape.text: value}
    if not isinstance(value, Mapping):
        raise bad_request(path, f"an object is expected, not {describe(value)}", _fields_of(shape))
    inner = value.get(shape.within) if shape.within is not None and len(value) == 1 else None
    if not isinstance(inner, Mapping):
        return value
    reader.repaired(path, f"what is in {shape.within} taken for them")
    return inner


def _listed(shape: Object, value: object) -> dict[str, object] | None:
    """The fields that a bare array, or a bare number, gives in order; None where it gives none."""
    if isinstance(value, str) and value.lstrip()[:1] == "[":
        value = _parsed(value)
    if isinstance(value, int) and not isinstance(value, bool):
        value = [value]
    if not isinstance(value, list | tuple) or not 0 < len(value) <= len(shape.in_order):
        return None
    return dict(zip(shape.in_order, value, strict=False))


def _fields_of(shape: Object) -> str | None:
    return f"its fields: {', '.join(shape.names)}, such as {sketch(shape)}" if shape.names else None


def _read_field(reader: _Reader, meant: Field, given: object, path: str) -> object:
    """One field; a refusal that says nothing of what to send says what the field is for."""
    try:
        return _read(reader, meant.shape, given, path)
    except EditError as error:
        if error.hint is not None or not meant.about:
            raise
        shape = f" Such as {sketch(meant.shape)}" if isinstance(meant.shape, Many) else ""
        raise error.advised(f"{meant.name}: {meant.about}{shape}") from None


def _unknown(shape: Object, path: str, name: str) -> EditError:
    """The refusal of a field that there is not, or is not any more."""
    instead = {_plain(former): hint for former, hint in shape.gone}.get(_plain(name))
    if instead is not None:
        return bad_request(join(path, name), "unknown field", instead)
    error = unknown_field(path, name, shape.names)
    inner = [(each.name, each.shape) for each in shape.fields if _has_inside(each.shape, name)]
    if len(inner) == 1:  # it is known, one level further in
        return error.advised(f'it belongs in {{"{inner[0][0]}": {sketch(inner[0][1])}}}')
    return error


def _field_named(shape: Object, name: str, given: Mapping[object, object]) -> Field | None:
    """The field that a name means: its own, else the only one that is also known so and is not sent itself."""
    for each in shape.fields:
        if each.name == name:
            return each
    plain = _plain(name)
    spelled = [each for each in shape.fields if _plain(each.name) == plain]
    meant = spelled or [each for each in shape.fields if any(_plain(known) == plain for known in each.names)]
    free = [each for each in meant if each.name not in given] or meant
    return free[0] if len(free) == 1 else None


def _plain(name: str) -> str:
    return _WORD_GAP.sub("", name).lower()


def _wanted(field: Field) -> str:
    return f"add {field.name!r}, {kind_name(field.shape)}{f': {field.about}' if field.about else ''}"


def _parsed(text: str) -> object:
    """What a JSON string holds; None where it is none."""
    try:
        parsed: object = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    check_extent(parsed)
    return parsed


def _broken(text: str) -> str:
    """Where a text that begins as a JSON object stops being one."""
    try:
        json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        return f"the JSON cannot be read, line {error.lineno}, column {error.colno}: {error.msg}"
    except (ValueError, RecursionError):
        pass
    return "the JSON cannot be read"
