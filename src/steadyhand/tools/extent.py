"""How large a request may be and of what characters, asked without recursion before anybody looks into it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.plan.request import MAX_NESTING
from steadyhand.structure.fields import bad_request

__all__ = ["check_characters", "check_extent"]

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
                Kind.TOO_LARGE, f"the arguments hold more than {_MOST_VALUES} values", hint="send them in several calls"
            )
    raise bad_request("", f"it is nested deeper than {MAX_NESTING} levels", "send a flatter request")


def check_characters(value: object, path: str) -> None:
    """Refuse with `bad-request` a text, or a value with a text anywhere in it, that is no Unicode.

    >>> check_characters({"a": ["b"]}, "args")
    """
    level = [value]
    while level:
        if any(isinstance(each, str) and _LONE.search(each) for each in level):
            raise bad_request(
                path, "it holds a lone surrogate, which is no character", "send text that is valid Unicode"
            )
        level = [inner for each in level for inner in _inner(each)]


def _inner(value: object) -> Iterator[object]:
    if isinstance(value, Mapping):
        yield from value.keys()
        yield from value.values()
    elif isinstance(value, list | tuple):
        yield from value
