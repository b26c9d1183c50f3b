"""Names of definitions and of what a caller asks for, as paths.

`Session.send`, `Session::send`, `Session#send`, `Session/send` and `send(self, x)` all name one thing; which
separator a language writes is no part of a name. Case counts.
"""

from __future__ import annotations

import re

from steadyhand.lazy import lazy_pattern

_SEPARATOR = lazy_pattern(r"::|[.#/\\]")
_QUOTES = {'"': '"', "'": "'", "`": "`", "[": "]"}
_RECEIVER = lazy_pattern(r"\(\s*(?:\w+\s+)?[*&]?\s*(\w+)[^)]*\)\s*\.?")
_OPERATOR = lazy_pattern(r"\boperator\b")


def steps_of(written: str) -> tuple[str, ...]:
    """The names a definition's name is made of, as the source writes it.

    >>> steps_of("Outer::Inner<T>::run"), steps_of('"my table"'), steps_of("A::operator/")
    (('Outer', 'Inner', 'run'), ('my table',), ('A', 'operator/'))
    """
    written = " ".join(written.split())
    operator = _OPERATOR.search(written)
    if operator is not None:
        return (*_split(written[: operator.start()]), written[operator.start() :])
    if _is_quoted(written):
        return (written[1:-1],)
    return _split(written)


def _split(written: str) -> tuple[str, ...]:
    parts = re.split(r"::|\.|\\", without_arguments(written))
    return tuple(part[1:-1] if _is_quoted(part) else part for part in map(str.strip, parts) if part)


def _is_quoted(name: str) -> bool:
    return len(name) > 2 and _QUOTES.get(name[0]) == name[-1] and name[0] not in name[1:-1]


def without_arguments(name: str) -> str:
    """A name without what stands in angle brackets.

    >>> without_arguments("Map<K, Vec<V>>::get")
    'Map::get'
    """
    kept, depth = [], 0
    for character in name:
        depth += character == "<"
        if not depth:
            kept.append(character)
        depth -= character == ">" and depth > 0
    return "".join(kept)


def leaf_of(written: str) -> str:
    """The bare name of a type: no path, no arguments, no reference.

    >>> leaf_of("&mut a::B<'x, T>")
    'B'
    """
    words = re.findall(r"\w+", without_arguments(written).rpartition("::")[2])
    return words[-1] if words else written


def asked_path(asked: str) -> tuple[str, ...]:
    """What a caller asks for as a path, whatever separators and signature it has.

    >>> asked_path("Session::send(self, x)"), asked_path("(*Server).Close")
    (('Session', 'send'), ('Server', 'Close'))
    """
    asked = _RECEIVER.sub(r"\1.", asked.strip().strip("\"'`"), count=1) if asked.lstrip().startswith("(") else asked
    return loose(asked.strip().strip("\"'`").partition("(")[0])


def loose(dotted: str) -> tuple[str, ...]:
    """A path cut at every separator there is: how two ways of writing it are compared."""
    return tuple(part.strip() for part in _SEPARATOR.split(without_arguments(dotted)) if part.strip())
