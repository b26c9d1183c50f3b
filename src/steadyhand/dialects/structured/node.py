"""Values of a JSON text with the places where they are, and what can be wrong with such a text. Pure data."""

from __future__ import annotations

from collections.abc import Iterator

from steadyhand.lazy import dataclass

__all__ = ["Flaw", "Node", "Reading", "Unreadable", "Value", "plain", "texts_in"]

Value = str | int | float | bool | dict[str, "Node"] | list["Node"] | None


@dataclass(frozen=True, slots=True)
class Node:
    """A value and the offsets where it starts and ends; `key` is where its key starts, or -1 where it has none.

    The value of an object is a dict of nodes, that of an array a list of nodes.
    """

    value: Value
    start: int
    end: int
    key: int = -1


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something that is no JSON and was read nevertheless."""

    offset: int
    what: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A value, and what had to be overlooked to read it."""

    node: Node
    flaws: tuple[Flaw, ...]


class Unreadable(Exception):
    """Why a text cannot be read as JSON: where, what is there, and what should be.

    `keys` has the plain names of the keys before that place, `texts` those of them that have a text. `reach` is how far
    the text was read to find that out.
    """

    def __init__(
        self,
        offset: int,
        what: str,
        expected: str,
        *,
        keys: frozenset[str] = frozenset(),
        texts: frozenset[str] = frozenset(),
        reach: int = 0,
    ) -> None:
        super().__init__(what)
        self.offset = offset
        self.what = what
        self.expected = expected
        self.keys = keys
        self.texts = texts
        self.reach = max(reach, offset)


def plain(node: Node) -> object:
    """The value without positions.

    >>> plain(Node([Node(1, 1, 2), Node({}, 3, 5)], 0, 6))
    [1, {}]
    """
    root: list[object] = []
    work: list[tuple[Node, list[object] | dict[str, object], str]] = [(node, root, "")]
    while work:
        one, holder, name = work.pop()
        inside: list[object] | dict[str, object] | None = None
        if isinstance(one.value, dict):
            inside = dict.fromkeys(one.value)
            work.extend((child, inside, key) for key, child in one.value.items())
        elif isinstance(one.value, list):
            inside = []
            work.extend((child, inside, "") for child in reversed(one.value))
        value = one.value if inside is None else inside
        if isinstance(holder, dict):
            holder[name] = value
        else:
            holder.append(value)
    return root[0]


def texts_in(node: Node) -> Iterator[str]:
    """Every text of a value, in no order; keys are none.

    >>> list(texts_in(Node({"old": Node("a", 8, 11), "fit": Node(None, 20, 24)}, 0, 25)))
    ['a']
    """
    work = [node]
    while work:
        value = work.pop().value
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict | list):
            work.extend(value.values() if isinstance(value, dict) else value)
