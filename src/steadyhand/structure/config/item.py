"""Keys and values with the places they stand at, whatever the format: what a syntax reads and the actions speak of.

An item is data about one source; it never changes and never writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from steadyhand.lazy import dataclass
from steadyhand.text.pace import go_on_at
from steadyhand.text.span import Span
from steadyhand.text.visible import sized

Step = str | int
KeyPath = tuple[Step, ...]
Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]
ItemKind = Literal["mapping", "sequence", "text", "number", "flag", "null", "date", "other"]


@sized("data")
@dataclass(frozen=True, slots=True)
class Item:
    """One value, and the name it has where it has one.

    `path`      names and numbers from the top of its document; empty for the top itself
    `value`     the value as it is written: the scalar with its quotes, a container from its first to its last
                character; empty, at the place where it would stand, for a value that is not written (`a:` in YAML)
    `name`      the name as it is written, quotes included; None for list items and the top
    `entry`     name and value together, without separators, comments and the end of the line; for the top its value
    `children`  in the order of the file
    `data`      the plain value of a scalar as the format reads it; for containers None: `plain_of` puts them together
    `note`      what else the format knows of it, for its own syntax only (an anchor, a style, a table header)
    """

    path: KeyPath
    kind: ItemKind
    value: Span
    name: Span | None
    entry: Span
    children: tuple[Item, ...] = ()
    data: object = None
    note: object = None

    @property
    def is_container(self) -> bool:
        return self.kind in ("mapping", "sequence")

    def walk(self) -> Iterator[Item]:
        """This item and all beneath it, in the order of the file; no recursion, however deep."""
        waiting, count = [self], 0
        while waiting:
            item = waiting.pop()
            count += 1
            go_on_at(count)
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
        found = [child for child in container.children if child.path[-1] == name]
        if found or not self.folded:
            return found
        alike = (child for child in container.children if not child.is_container)
        return [child for child in alike if str(child.path[-1]).lower() == str(name).lower()]

    def find(self, path: KeyPath) -> list[Item]:
        """Every item with that path: one per document that has it, more where a name stands twice."""
        level = list(self.documents)
        for step in path:
            level = [child for item in level for child in item.children if child.path[-1] == step]
        return level
