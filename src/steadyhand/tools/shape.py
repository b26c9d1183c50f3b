"""The shapes that arguments and results of tools have: one declaration gives schemas, repair, checks and docs.

Only declares; `schema.py` renders a shape, `repair.py` reads a value by it.
"""

from __future__ import annotations

from steadyhand.lazy import dataclass, field

__all__ = ["Anything", "Either", "Field", "Flag", "Many", "Number", "Object", "Shape", "Text"]

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

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.fields)


Shape = Text | Number | Flag | Many | Object | Anything | Either
