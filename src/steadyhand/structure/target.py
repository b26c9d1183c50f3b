"""What a target is: where an edit goes, as data, for every way of saying it but quoted old text; and as one string.

A target is in the module of its noun, which ends with `TARGET = <its class>`; `_TARGETS` names them.
A target locates; it never edits, and it refuses by returning a `Refusal`.

`Addressed` targets name a thing of a file's own structure: a heading, an element, a symbol, a key. Such a target finds
every place that answers to it; which of them is meant is decided here, the same way for all.
Nothing is ever created because it was not found, and none of several is taken unless the caller says which.

An address is a target as one string, for people, outlines and command lines:

    kind[.part][[nth]]:value       heading:Guide > Setup      symbol.body:Session.send      selector[2]:li.item

Kind is a target's JSON key. What is behind the colon is the target's own; it is never cut or unescaped here.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, Protocol, Self, cast

from steadyhand.errors import Kind
from steadyhand.lazy import MISSING, Registry, fields, lazy_pattern
from steadyhand.schema import FieldError, bad_request, check_integer, check_text, join, nearest_name, read_object
from steadyhand.structure.node import Node, Refusal, WholeLines
from steadyhand.text.match import Match, Occurrence
from steadyhand.text.source import Source


class Target(ABC):
    """A place in a source, given without quoting it. Subclasses are frozen, slotted dataclasses.

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
        """The value that is under `key`."""

    @classmethod
    @abstractmethod
    def from_json(cls, value: object, path: str) -> Self:
        """The inverse of `to_json`; `path` names the value in a `bad-request`."""

    @abstractmethod
    def to_value(self) -> str | None:
        """What is behind the colon of its address; None where only the JSON form can say it."""

    @classmethod
    @abstractmethod
    def from_value(cls, value: str, part: str | None, nth: int | None) -> Self:
        """The target of an address: what is behind its colon, and the part and number before it."""


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
        """The target of an address, by what is behind its colon."""

    @abstractmethod
    def locate_rows(self, rows: Rows) -> Match | Refusal:
        """The place among these lines, or why there is none."""


_TARGETS = Registry(
    "steadyhand.structure",
    "TARGET",
    "anchor=lines block=markdown.block cell=notebook code_block=markdown.code_block "
    "front_matter=markdown.front_matter heading=markdown.heading key=config.key lines selector=html.element "
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


_SHOWN = 20


class Addressed(Target):
    """A target by name. Subclasses are frozen, slotted dataclasses whose fields are JSON values.

    `main` is the field that a plain value under `key` fills. A field `nth`, where there is one, counts from 1 and picks
    one of several places; a field `part` is one of `parts`, whose first is the usual one.
    A subclass checks its fields in `__post_init__` and refuses with `bad_request(f"{key}.{field}", …)`.
    """

    __slots__ = ()
    main: ClassVar[str]
    parts: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def find(self, source: Source) -> Sequence[Node] | Refusal:
        """Every place that answers to it, in order, at least one; `nth` is not looked at here.

        Where there is none: `no-such-target` with the nearest names; `unparsable`, `too-large`, `not-installed`.
        """

    def resolve(self, source: Source, which: Occurrence = "unique") -> tuple[Node, ...] | Refusal:
        """The places that are meant; `which` counts where the target itself has no `nth`."""
        found = self.find(source)
        if isinstance(found, Refusal):
            return found
        nth = getattr(self, "nth", None)
        return self._choose(source, found, which if nth is None else nth)

    def locate(self, source: Source) -> Match | Refusal:
        """The one place in this source, or why there is none."""
        found = self.resolve(source)
        return found if isinstance(found, Refusal) else Match(found[0].span, self.key)

    @classmethod
    def of_file(cls) -> Self | None:
        """The target that means all of a file, into which things of this kind go; None where there is none."""
        return None

    def several(self, source: Source, nodes: Sequence[Node]) -> Refusal:
        """The refusal of an address that several places answer to."""
        from steadyhand.hints import ChooseAddress

        places = [place_of(source, node, nth) for nth, node in enumerate(nodes[:_SHOWN], start=1)]
        rows = [f"{node.label} (line {source.line_of(node.span.start)})" for node in nodes[:5]]
        listing = "\n  ".join([*rows, "…"] if len(nodes) > 5 else rows)
        return Refusal(
            Kind.AMBIGUOUS_MATCH,
            f"{self.named()} is in {len(nodes)} places:\n  {listing}",
            ChooseAddress(len(nodes)),
            {"count": len(nodes), "places": places},
        )

    def named(self) -> str:
        """How messages name it."""
        return f"{self.key} {getattr(self, self.main)!r:.80}"

    def _choose(self, source: Source, found: Sequence[Node], which: Occurrence) -> tuple[Node, ...] | Refusal:
        if which == "all":
            return tuple(found)
        if which == "unique":
            return (found[0],) if len(found) == 1 else self.several(source, found)
        index = {"first": 0, "last": -1}.get(which, 0) if isinstance(which, str) else which - (which > 0)
        if not -len(found) <= index < len(found):
            from steadyhand.hints import ChooseAddress

            return Refusal(
                Kind.COUNT_MISMATCH,
                f"{self.named()} is in {len(found)} place{'s' if len(found) > 1 else ''}, there is no number {which}",
                ChooseAddress(len(found)),
                {"count": len(found), "places": [place_of(source, node) for node in found[:_SHOWN]]},
            )
        return (found[index],)

    def to_json(self) -> object:
        given = {item.name: getattr(self, item.name) for item in _fields(self)}
        usual = {item.name: item.default for item in _fields(self)}
        differing = {name: value for name, value in given.items() if value != usual[name]}
        said = {name: list(value) if isinstance(value, tuple) else value for name, value in differing.items()}
        return said[self.main] if list(said) == [self.main] else said

    @classmethod
    def from_json(cls, value: object, path: str) -> Self:
        items = _fields(cls)
        names = tuple(item.name for item in items)
        given = read_object(value, path, names) if isinstance(value, Mapping) else {cls.main: value}
        said = {
            name: tuple(item) if isinstance(item, list) else item for name, item in given.items() if item is not None
        }
        missing = next((item.name for item in items if item.default is MISSING and item.name not in said), None)
        if missing is not None:
            raise bad_request(join(path, missing), "the field is missing")
        try:
            return cls(**cast("dict[str, Any]", said))
        except FieldError as error:  # the field has another name in the request it came in
            name = str(error.details["path"]).removeprefix(cls.key)
            raise bad_request(f"{path}{name}", error.what, error.hints) from None

    def to_value(self) -> str | None:
        """What is behind the colon of its address; None where only the JSON form can say it."""
        value = getattr(self, self.main)
        rest = [item.name for item in _fields(self) if item.name not in (self.main, "nth", "part")]
        usual = {item.name: item.default for item in _fields(self)}
        is_plain = isinstance(value, str) and all(getattr(self, name) == usual[name] for name in rest)
        return value if is_plain else None

    @classmethod
    def from_value(cls, value: str, part: str | None, nth: int | None) -> Self:
        said: dict[str, object] = {cls.main: value}
        if part is not None:
            said["part"] = part
        if nth is not None:
            said["nth"] = nth
        return cls.from_json(said, cls.key)

    def _check_shared(self) -> None:
        """What every `__post_init__` checks first: `nth` and `part`."""
        nth, part = getattr(self, "nth", None), getattr(self, "part", None)
        if nth is not None and check_integer(nth, f"{self.key}.nth") < 1 and nth != -1:
            raise bad_request(f"{self.key}.nth", f"place {nth} does not exist", "places count from 1; -1 is the last")
        if part is not None and part not in self.parts:
            raise bad_request(
                f"{self.key}.part", f"{str(part)[:40]!r} is not a part", f"one of {', '.join(self.parts)}"
            )


def place_of(source: Source, node: Node, nth: int | None = None) -> dict[str, object]:
    """A node as refusals and outlines tell of it."""
    first, last = source.lines_of(node.span)
    facts: dict[str, object] = {} if nth is None else {"nth": nth}
    return facts | {"address": node.address, "kind": node.kind, "lines": [first, last]}


def _fields(owner: object) -> tuple[Any, ...]:
    return fields(cast("Any", owner))


_ADDRESS = lazy_pattern(r"\s*([a-z_]+)(?:\.([a-z_-]+))?(?:\[(-?[0-9]{1,9})\])?:[ \t]*(.*)", re.DOTALL | re.ASCII)


def address_of(kind: str, value: str, number: int | None = None) -> str:
    """An address: what kind it is of, with its part, which one of several, and what is behind the colon."""
    return f"{kind}{'' if number is None else f'[{number}]'}:{value}"


def numbered(names: Iterable[Hashable]) -> list[int | None]:
    """Which one each is of those of its name, counted from 1; None where it is the only one.

    >>> numbered("aba")
    [1, None, 2]
    """
    known, seen = list(names), Counter[Hashable]()
    count = Counter(known)
    numbers: list[int | None] = []
    for name in known:
        seen[name] += 1
        numbers.append(seen[name] if count[name] > 1 else None)
    return numbers


def parse_address(address: str, path: str = "address") -> Target:
    """The target an address names. Refuses with `bad-request`.

    >>> parse_address("lines:3-5")
    Lines(start=3, end=5, text=None)
    """
    known = target_keys()
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise bad_request(
            path, f"{address[:60]!r} is not an address", f"kind:value, with kind one of {', '.join(known)}"
        )
    kind, part, nth, value = found.groups()
    if kind not in known:
        near = nearest_name(kind, known)
        hint = f"did you mean {near}:{value[:60]}?" if near else f"kinds: {', '.join(known)}"
        raise bad_request(path, f"there is no kind of address {kind[:40]!r}", hint)
    return target_kind(kind).from_value(value, part, None if nth is None else int(nth))


def target_from_json(value: object, path: str) -> Target:
    """A target from its JSON form: an object with one key; `at` holds any address as a string.

    >>> target_from_json({"at": "lines:3"}, "to") == target_from_json({"lines": [3, 3]}, "to")
    True
    """
    known = target_keys()
    fields = read_object(value, path, ("old", "at", *known))
    if len(fields) != 1 or "old" in fields:
        what = f"a target has one field, this has {len(fields)}" if len(fields) != 1 else "old text is not an address"
        raise bad_request(path, what, f"one of {', '.join(known)}")
    (key,) = fields
    if key == "at":
        return parse_address(check_text(fields["at"], join(path, "at")), join(path, "at"))
    return target_kind(key).from_json(fields[key], join(path, key))


def render_address(target: Target) -> str | None:
    """The address of a target; None where only its JSON form can say it."""
    value = target.to_value()
    if value is None:
        return None
    usual = getattr(type(target), "parts", ())[:1]
    part, number = getattr(target, "part", None), getattr(target, "nth", None)
    said = "" if part is None or (part,) == tuple(usual) else f".{part}"
    return address_of(f"{target.key}{said}", value, number)


def resolve_one(source: Source, target: Target) -> Node | Refusal:
    """The one node that a target means in a source, or why there is none; of a target by line, its whole lines."""
    if isinstance(target, Addressed):
        found = target.resolve(source)
        return found if isinstance(found, Refusal) else found[0]
    match = target.locate(source)
    return match if isinstance(match, Refusal) else WholeLines(match.span, render_address(target) or target.key)
