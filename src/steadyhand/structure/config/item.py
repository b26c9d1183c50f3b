"""Keys and values of configuration files: items with their places, the plain values they say, and paths to them.

An item is data about one source, whatever the format; it never changes and never writes.
A path as text looks like `a.b[0]."x.y"["weird key"]`: a name with a dot, a bracket or a quote in it, or an empty one,
is quoted as in JSON; a number in brackets counts from 0, and from the end where it is negative; a text that starts with
`/` is a JSON pointer. A path is never guessed: what does not follow the grammar is refused with the position.
Nothing here recurses on what a file holds.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, cast

from steadyhand.errors import EditError, Kind
from steadyhand.hints import ByText
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.schema import bad_request, describe, join
from steadyhand.structure.node import Refusal
from steadyhand.text.cancel import check_cancelled_at
from steadyhand.text.span import Span

Step = str | int
KeyPath = tuple[Step, ...]
Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]
ItemKind = Literal["mapping", "sequence", "text", "number", "flag", "null", "date", "other"]
KINDS: dict[type, ItemKind] = {
    dict: "mapping",
    list: "sequence",
    str: "text",
    bool: "flag",
    int: "number",
    float: "number",
    type(None): "null",
}


class Item:
    """One value, and the name it has where it has one.

    `path`      names and numbers from the top of its document; empty for the top itself
    `value`     the value as it is written: the scalar with its quotes, a container from its first to its last
                character; empty, at the place where it would be, for a value that is not written (`a:` in YAML)
    `name`      the name as it is written, quotes included; None for list items and the top
    `entry`     name and value together, without separators, comments and the end of the line; for the top its value
    `children`  in the order of the file
    `data`      the plain value of a scalar as the format reads it; for containers None: `plain_of` puts them together
    `note`      what else the format knows of it, for its own syntax only (an anchor, a style, a table header)

    A reader may leave children, or value and entry, to a function that is called when they are first asked for.
    """

    __slots__ = ("_by_step", "_children", "_entry", "_value", "data", "kind", "name", "note", "path")

    def __init__(
        self,
        path: KeyPath,
        kind: ItemKind,
        value: Span | Callable[[Item], tuple[Span, Span]],
        name: Span | None,
        entry: Span | None,
        children: tuple[Item, ...] | Callable[[Item], tuple[Item, ...]] = (),
        data: object = None,
        note: object = None,
    ) -> None:
        self.path = path
        self.kind = kind
        self._value = value
        self.name = name
        self._entry = entry
        self._children = children
        self._by_step: dict[Step, list[Item]] | None = None
        self.data = data
        self.note = note

    @property
    def value(self) -> Span:
        found = self._value
        if not isinstance(found, Span):
            found, self._entry = found(self)
            self._value = found
        return found

    @property
    def entry(self) -> Span:
        found = self._entry
        if found is None:
            assert self.value is not None  # finds the entry, too
            found = self._entry
            assert found is not None
        return found

    @property
    def children(self) -> tuple[Item, ...]:
        made = self._children
        if not isinstance(made, tuple):
            made = self._children = made(self)
        return made

    def at(self, step: Step) -> Sequence[Item]:
        """The children with a name, or the one with a number."""
        if self._by_step is None:
            self._by_step = {}
            for child in self.children:
                self._by_step.setdefault(child.path[-1], []).append(child)
        return self._by_step.get(step, ())

    def __repr__(self) -> str:  # without its data, which may be secret
        return f"Item({render_path(self.path)!r}, {self.kind}, {self.value})"

    @property
    def is_container(self) -> bool:
        return self.kind in ("mapping", "sequence")

    def walk(self) -> Iterator[Item]:
        """This item and all beneath it, in the order of the file; no recursion, however deep."""
        waiting, count = [self], 0
        while waiting:
            item = waiting.pop()
            count += 1
            check_cancelled_at(count)
            yield item
            waiting.extend(reversed(item.children))


@dataclass(frozen=True, slots=True)
class Reading:
    """What a syntax reads: the top item of each document, in order. Only YAML has more than one, or none.

    `folded`  the names of values that differ only in case are one name to the file's readers
    """

    documents: tuple[Item, ...]
    folded: bool = False

    def named(self, container: Item, name: Step) -> list[Item]:
        """The entries of a mapping that have a name: written just so, or else the same but for case."""
        found = container.at(name)
        if found or not self.folded:
            return list(found)
        alike = (child for child in container.children if not child.is_container)
        return [child for child in alike if str(child.path[-1]).lower() == str(name).lower()]

    def find(self, path: KeyPath) -> list[Item]:
        """Every item with that path: one per document that has it, more where a name is there twice."""
        level = list(self.documents)
        for step in path:
            level = [child for item in level for child in item.at(step)]
        return level

    def chain(self, item: Item) -> tuple[Item, ...]:
        """The items that lead to an item of this reading, from the top of its document to the item itself."""
        ways: list[tuple[Item, ...]] = [(top,) for top in self.documents]
        for step in item.path:
            ways = [(*way, child) for way in ways for child in way[-1].at(step)]
        return next(way for way in ways if way[-1] is item)

    def family(self, item: Item) -> tuple[Item, int]:
        """The container of an item, and which child of it the item is."""
        parent = self.chain(item)[-2]
        return parent, next(at for at, child in enumerate(parent.children) if child is item)


class Unreadable(Exception):
    """Where a text stops being what its format asks, and why; `is_too_large`: it may well be that."""

    def __init__(self, at: int, message: str, *, is_too_large: bool = False) -> None:
        super().__init__(message)
        self.at, self.message, self.is_too_large = at, message, is_too_large


def too_large(message: str, line: int, column: int | None = None) -> Refusal:
    """The refusal of a text that has too many values, or values that are nested too deep."""
    where = {"line": line} if column is None else {"line": line, "column": column}
    return Refusal(Kind.TOO_LARGE, f"line {line}: {message}", ByText(), where, message)


def unparsable(format_name: str, reason: str, line: int, column: int | None = None) -> Refusal:
    """The refusal of a text that is none of its format from some place on."""
    said = f"this is not {format_name}: {reason[:200]}"
    details = {"line": line, "reason": reason} | ({} if column is None else {"column": column})
    return Refusal(
        Kind.UNPARSABLE, f"line {line}: {said}" if line else said, ByText("fix that line first"), details, said
    )


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
        check_cancelled_at(count)
        if depth > DEEPEST:
            raise bad_request(path, f"the value is nested deeper than {DEEPEST} levels", "add its parts one by one")
        match part:
            case None | bool() | int() | str():
                pass
            case float():
                if not math.isfinite(part):
                    raise bad_request(where, f"{part} is not a JSON value", "send a finite number, or a string")
            case list() | tuple():
                waiting += [(inner, f"{where}[{at}]", depth + 1) for at, inner in enumerate(part)]
            case Mapping():
                for name, inner in part.items():
                    if not isinstance(name, str):
                        raise bad_request(where, f"names are strings, not {describe(name)}", "quote the name")
                    waiting.append((inner, join(where, name), depth + 1))
            case _:
                raise bad_request(where, f"a JSON value is expected, not {describe(part)}", "send it as JSON")
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


_BARE = lazy_pattern(r"[^.\[\]]+")
_NUMBER = lazy_pattern(r"\[(-?[0-9]{1,9})\]", re.ASCII)
_QUOTED = lazy_pattern(r'"(?:[^"\\]|\\.)*"|\'(?:[^\']|\'\')*\'', re.DOTALL)
_DIGITS = lazy_pattern(r"0|[1-9][0-9]{0,8}", re.ASCII)
_SAFE = lazy_pattern(r"(?!\$\Z)[^.\[\]\"'\s/](?:[^.\[\]\"'\x00-\x1f]*[^.\[\]\"'\s])?")


def parse_path(text: str, field: str = "key.path") -> KeyPath:
    """The steps of a path; the empty path is the top of the document. Refuses with `bad-request`.

    >>> parse_path('services.web.ports[0]."x.y"')
    ('services', 'web', 'ports', 0, 'x.y')
    >>> parse_path("/paths/~1users/0")
    ('paths', '/users', '0')
    """
    if text.startswith("/"):
        return tuple(step.replace("~1", "/").replace("~0", "~") for step in text[1:].split("/"))
    at = len(text) if text in ("$", ".") else 2 if text.startswith("$.") else int(text.startswith((".", "$[")))
    steps: list[Step] = []
    while at < len(text):
        step, at = _step(text, at, field)
        steps.append(step)
        if text[at : at + 1] == ".":
            at += 1
            if at == len(text):
                raise _wrong(text, at, "a name is expected after the dot", field)
    return tuple(steps)


def as_path(path: object, field: str = "key.path", example: str = "services.web.ports[0]") -> KeyPath:
    """A path that may be given as its steps. Refuses with `bad-request`."""
    if isinstance(path, str):
        return parse_path(path, field)
    if not isinstance(path, tuple):
        raise bad_request(field, f"a path is expected, not {describe(path)}", f"such as {example}")
    for step in path:
        if isinstance(step, bool) or not isinstance(step, str | int):
            raise bad_request(field, f"a name or a number is expected, not {describe(step)}")
    return path


def render_path(path: KeyPath) -> str:
    """The inverse of `parse_path`.

    >>> render_path(("a", 0, "x.y", ""))
    'a[0]."x.y".""'
    """
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            name = step if _SAFE.fullmatch(step) else json.dumps(step, ensure_ascii=False)
            text += f"{'.' if text else ''}{name}"
    return text


def counted(container: Item, step: Step) -> Step:
    """The step as this container has it: digits count in a sequence and are a name in a mapping."""
    if container.kind == "sequence":
        number = int(step) if isinstance(step, str) and _DIGITS.fullmatch(step) else step
        return number + len(container.children) if isinstance(number, int) and number < 0 else number
    return str(step)


def _step(text: str, at: int, field: str) -> tuple[Step, int]:
    """One step and where it ends."""
    number = _NUMBER.match(text, at)
    if number is not None:
        return int(number.group(1)), number.end()
    if text.startswith(("['", '["'), at):
        name, end = _quoted(text, at + 1, field)
        if text[end : end + 1] != "]":
            raise _wrong(text, end, "the bracket is not closed", field)
        return name, end + 1
    if text[at] == "[":
        raise _wrong(text, at, 'a number or a quoted name is expected in brackets, such as [0] or ["a b"]', field)
    if text[at] in "\"'":
        name, end = _quoted(text, at, field)
        if text[end : end + 1] not in ("", ".", "["):
            raise _wrong(text, end, "a dot or a bracket is expected after the quoted name", field)
        return name, end
    found = _BARE.match(text, at)
    if found is None:
        raise _wrong(text, at, "a name is expected; an empty one is written as two quotes", field)
    if text[found.end() : found.end() + 1] == "]":
        raise _wrong(text, found.end(), "there is a bracket too many; names with brackets are quoted", field)
    return found.group(), found.end()


def _quoted(text: str, at: int, field: str) -> tuple[str, int]:
    found = _QUOTED.match(text, at)
    if found is None:
        raise _wrong(text, at, "the quote is not closed", field)
    written = found.group()
    if written.startswith("'"):
        return written[1:-1].replace("''", "'"), found.end()
    try:
        return str(json.loads(written, strict=False)), found.end()
    except ValueError:
        raise _wrong(text, at, "the quoted name is not a JSON string", field) from None


def _wrong(text: str, at: int, message: str, field: str) -> EditError:
    shown = f"{text[max(at - 20, 0) : at]}‸{text[at : at + 20]}"
    return bad_request(
        field, f"at {shown!r}: {message}", 'paths look like services.web.ports[0] or paths."/users".get'
    ).with_details(position=at)
