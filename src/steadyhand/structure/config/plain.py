"""Plain values: what an item says, whatever the format, and what a caller may ask to be written.

Nothing here recurses on what a file holds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import cast

from steadyhand.structure.config.item import Item, Plain
from steadyhand.structure.fields import bad_request, describe, join
from steadyhand.text.pace import go_on_at

DEEPEST = 100


def plain_of(item: Item) -> object:
    """The value of an item put together: mappings, lists and what the format reads its scalars as.

    Of two entries with one name the last counts, as for most readers.
    """
    made: dict[int, object] = {}
    for part in reversed(list(item.walk())):
        match part.kind:
            case "mapping":
                made[id(part)] = {str(child.path[-1]): made[id(child)] for child in part.children}
            case "sequence":
                made[id(part)] = [made[id(child)] for child in part.children]
            case _:
                made[id(part)] = part.data
    return made[id(item)]


def check_plain(value: object, path: str) -> Plain:
    """The value, if it is one that JSON has. Refuses with `bad-request`; lists and names are taken as they are."""
    waiting: list[tuple[object, str, int]] = [(value, path, 0)]
    count = 0
    while waiting:
        part, where, depth = waiting.pop()
        count += 1
        go_on_at(count)
        if depth > DEEPEST:
            raise bad_request(path, f"the value is nested deeper than {DEEPEST} levels", "add its parts one by one")
        match part:
            case None | bool() | int() | str():
                pass
            case float():
                if not math.isfinite(part):
                    raise bad_request(where, f"{part} is no JSON value", "send a finite number, or a string")
            case list() | tuple():
                waiting += [(inner, f"{where}[{at}]", depth + 1) for at, inner in enumerate(part)]
            case Mapping():
                waiting += [(inner, join(where, _checked_name(name, where)), depth + 1) for name, inner in part.items()]
            case _:
                raise bad_request(where, f"a JSON value is expected, not {describe(part)}", "send it as JSON has it")
    return cast("Plain", value)


def says(item: Item, value: Plain, *, typed: bool = True, ordered: bool = True) -> bool:
    """Whether an item says a value; where a format has no types, a number or flag is some text."""
    waiting: list[tuple[Item, object]] = [(item, value)]
    while waiting:
        part, wanted = waiting.pop()
        match wanted:
            case Mapping():
                names = [child.path[-1] for child in part.children]
                same = names == list(wanted) or (not ordered and sorted(map(str, names)) == sorted(wanted))
                if part.kind != "mapping" or not same:
                    return False
                waiting += [(child, wanted[name]) for child, name in zip(part.children, names, strict=True)]
            case list() | tuple():
                if part.kind != "sequence" or len(part.children) != len(wanted):
                    return False
                waiting += zip(part.children, wanted, strict=True)
            case _:
                if not _says_scalar(part, wanted, typed=typed):
                    return False
    return True


def same_data(one: object, two: object) -> bool:
    """Whether two scalars are the same: 1, 1.0 and true are three, one NaN is like another."""
    return type(one) is type(two) and (one == two or repr(one) == repr(two) == "nan")


def _says_scalar(item: Item, wanted: object, *, typed: bool) -> bool:
    if item.is_container:
        return False
    if not typed and not isinstance(wanted, str):
        return True
    if item.kind == "date":
        return isinstance(wanted, str) and _digits(str(item.data)) == _digits(wanted)
    return same_data(item.data, wanted) or (wanted is None and item.kind == "null")


def _digits(text: str) -> str:
    """Year to second: what a date says, however it is written."""
    return "".join(letter for letter in text if letter.isdecimal())[:14]


def _checked_name(name: object, path: str) -> str:
    if not isinstance(name, str):
        raise bad_request(path, f"names are strings, not {describe(name)}", "quote the name")
    return name
