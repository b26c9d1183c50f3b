"""What a target is: where an edit goes, as data, for every way of saying it but quoted old text.

A target is one file in `targets/` that ends with `TARGET = <its class>`; `_TARGETS` names them.
A target locates; it never edits, and it refuses by returning a `Refusal`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import ClassVar, Protocol, Self

from steadyhand.lazy import Registry
from steadyhand.structure.fields import bad_request
from steadyhand.structure.node import Refusal
from steadyhand.text.match import Match
from steadyhand.text.source import Source


class Target(ABC):
    """A place in a source, said without quoting it. Subclasses are frozen, slotted dataclasses.

    `key` is the field that holds it in JSON. With `whole_lines` the place is made of whole lines: what is
    written there is made of whole lines too, and one final newline in it is optional. `examples` are addresses.
    """

    __slots__ = ()
    key: ClassVar[str]
    whole_lines: ClassVar[bool] = False
    examples: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def locate(self, source: Source) -> Match | Refusal:
        """The place in this source, or why there is none."""

    @abstractmethod
    def to_json(self) -> object:
        """The value that stands under `key`."""

    @classmethod
    @abstractmethod
    def from_json(cls, value: object, path: str) -> Self:
        """The inverse of `to_json`; `path` names the value in a `bad-request`."""

    @abstractmethod
    def to_value(self) -> str | None:
        """What stands behind the colon of its address; None where only the JSON form can say it."""

    @classmethod
    @abstractmethod
    def from_value(cls, value: str, part: str | None, nth: int | None) -> Self:
        """The target of an address: what stands behind its colon, and the part and number before it."""


class Rows(Protocol):
    """Lines by row, counted from 0, as `LineTable` has them: all that a target by line needs to know of a text."""

    @property
    def count(self) -> int:
        """How many lines there are."""

    def start(self, row: int) -> int:
        """Where a row starts; the row after the last starts at the end of the text."""

    def text(self, row: int) -> str:
        """The line without its ending."""


class RowTarget(Target):
    """A target that only counts and reads lines, so that it can be located in a text that is not put together."""

    __slots__ = ()
    whole_lines: ClassVar[bool] = True

    def locate(self, source: Source) -> Match | Refusal:
        """The place in this source, or why there is none."""
        return self.locate_rows(source.table)

    @classmethod
    def from_value(cls, value: str, part: str | None, nth: int | None) -> Self:
        if part is not None or nth is not None:
            raise bad_request("address", f"{cls.key} have neither parts nor numbers", f"{cls.key}:{value[:60]}")
        return cls.from_rows(value)

    @classmethod
    @abstractmethod
    def from_rows(cls, value: str) -> Self:
        """The target of an address, by what stands behind its colon."""

    @abstractmethod
    def locate_rows(self, rows: Rows) -> Match | Refusal:
        """The place among these lines, or why there is none."""


_TARGETS = Registry(
    "steadyhand.structure",
    "TARGET",
    "anchor block=markdown.block cell=notebook.cell code_block=markdown.code_block "
    "front_matter=markdown.front_matter heading=markdown.heading key=config.key lines selector=html.selector "
    "symbol=code.symbol table=markdown.table",
)


def target_keys() -> tuple[str, ...]:
    """The keys of all kinds of target, which are the names of their files; nothing is loaded for it."""
    return _TARGETS.names


@cache
def target_kind(key: str) -> type[Target]:
    """The kind of target of one of these keys."""
    kind: type[Target] = _TARGETS.load_one(key)
    return kind


@cache
def targets() -> Mapping[str, type[Target]]:
    """Every kind of target by its JSON key, in alphabetical order."""
    return MappingProxyType({key: target_kind(key) for key in target_keys()})
