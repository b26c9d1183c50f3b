"""Definitions and their names: what the reader makes of a tree and everything about symbols uses.

A definition is data about one source; it never changes and never writes.
`Session.send`, `Session::send`, `Session#send`, `Session/send` and `send(self, x)` all name one thing; which
separator a language writes is no part of a name. Case counts.
"""

from __future__ import annotations

import re
from itertools import pairwise

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.code.language import Language
from steadyhand.structure.format import Fault
from steadyhand.text.span import Span

_SEPARATOR = lazy_pattern(r"::|[.#/\\]")
_QUOTES = {'"': '"', "'": "'", "`": "`", "[": "]"}
_RECEIVER = lazy_pattern(r"\(\s*(?:\w+\s+)?[*&]?\s*(\w+)[^)]*\)\s*\.?")
_OPERATOR = lazy_pattern(r"\boperator\b")


def steps_of(written: str) -> tuple[str, ...]:
    """The names a definition's name is made of, as the source writes it.

    >>> steps_of("Outer::Inner<T>::run"), steps_of('"my table"'), steps_of("A::operator/")
    (('Outer', 'Inner', 'run'), ('my table',), ('A', 'operator/'))
    """
    if written.isidentifier():
        return (written,)
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
    """A name without what is in angle brackets.

    >>> without_arguments("Map<K, Vec<V>>::get")
    'Map::get'
    """
    kept, depth = [], 0
    for before, character in pairwise(f" {name}"):
        depth += character == "<" and (depth > 0 or before.isalnum() or before in "_:")
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


Path = tuple[str, ...]

TYPES = frozenset({"class", "struct", "interface", "trait", "impl", "enum", "union", "record", "object", "extension"})
SPACES = frozenset({"module", "namespace", "package"})
CALLABLES = frozenset({"function", "method", "constructor"})
VALUES = frozenset({"variable", "constant", "field", "property", "member"})


@dataclass(frozen=True, slots=True)
class Definition:
    """One named thing of a source.

    `path`       names from the top of the file down to its own
    `alias`      another path it answers to, such as one without the companion object, or `path` again
    `whole`      with the comment directly above it, and the docstring of an attribute directly below
    `proper`     without that comment: from its first decorator, attribute or modifier to its last character
    `name`       its bare name, without what qualifies it; an empty span where the language writes none
    `body`       the body as it is written, braces included; None where there is none
    `parent`     the number of the definition around it, or None
    `is_sound`   whether it can be relied upon: no syntax error is in it, or around it so that its ends are doubtful
    `is_listed`  whether it is an item of a list with commas
    `is_shared`  whether its statement defines other names with it, and has no part that is this one alone
    `leads`      whether what follows in its group has its value from it, or from how many are above
    """

    path: Path
    alias: Path
    kind: str
    whole: Span
    proper: Span
    name: Span
    body: Span | None
    parent: int | None
    depth: int
    decorators: int
    is_sound: bool
    is_listed: bool = False
    is_shared: bool = False
    leads: bool = False

    @property
    def dotted(self) -> str:
        return ".".join(self.path)

    @property
    def has_comment(self) -> bool:
        return self.whole.start < self.proper.start

    @property
    def includes(self) -> str:
        """What its whole span has besides the definition, in words; empty where there is nothing."""
        count = self.decorators
        decorators = f"{count} decorator{'s' if count > 1 else ''}" if count else ""
        comment = "its comment" if self.has_comment else ""
        docstring = "its docstring" if self.proper.end < self.whole.end else ""
        return " and ".join(part for part in (decorators, comment, docstring) if part)


@dataclass(frozen=True, slots=True)
class Syntax:
    """What does not parse of one source: the first of the errors the parser met, which are `errors` in all."""

    language: Language
    faults: tuple[Fault, ...]
    errors: int


@dataclass(frozen=True, slots=True)
class Code:
    """What is read of one source: definitions and comments in the order of the file, and what does not parse.

    `faults` are the first of the errors the parser met, which are `errors` in all.
    """

    language: Language
    definitions: tuple[Definition, ...]
    comments: tuple[Span, ...]
    faults: tuple[Fault, ...]
    errors: int
