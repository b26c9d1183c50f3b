"""What YAML knows of an item beside its value: how it is written, what it hangs on, its anchor and tag.

Offsets and names only; nothing here reads text.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, cast

from steadyhand.lazy import dataclass
from steadyhand.structure.config.item import Item, Reading
from steadyhand.text.span import Span

Style = Literal["plain", "single", "double", "literal", "folded", "empty", "alias", "flow", "pair", "block"]


class Note(NamedTuple):
    """The note of a YAML item. Items keep it as a bare tuple, which is fast to make and no work for garbage collection.

    `style`      how the value is written; a `pair` is a mapping of one entry without braces inside `[…]`
    `hang`       right behind what the value hangs on: colon, dash, `---`, or its own anchor and tag
    `start`      where the value starts, with its anchor and tag
    `mark`       where the entry starts: the name with its anchor, `?`, the dash
    `in_flow`    whether it stands inside brackets or braces
    `name`       how its name is written: a scalar's style, or `other` for what is no simple name
    """

    style: Style
    hang: int
    start: int
    mark: int
    in_flow: bool
    anchor: str | None = None
    tag: str | None = None
    tag_span: Span | None = None
    name: Literal["plain", "single", "double", "other"] = "plain"


@dataclass(frozen=True, slots=True)
class Anchor:
    """An anchor that is defined at an offset, and where the aliases that mean it stand."""

    name: str
    offset: int
    aliases: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Parsed:
    """A source as YAML reads it."""

    reading: Reading
    anchors: tuple[Anchor, ...]

    def family(self, item: Item) -> tuple[Item, int]:
        """The container an item stands in, and which child of it it is."""
        level = list(self.reading.documents)
        for step in item.path[:-1]:
            level = [child for container in level for child in container.children if child.path[-1] == step]
        for container in level:
            for index, child in enumerate(container.children):
                if child is item:
                    return container, index
        raise ValueError("the item is of another reading")

    def aliases_of(self, item: Item) -> tuple[int, ...]:
        """Where the aliases of an item's own anchor stand."""
        name, start, end = note_of(item).anchor, note_of(item).mark, note_of(item).hang
        found = (anchor for anchor in self.anchors if anchor.name == name and start <= anchor.offset < end)
        return next((anchor.aliases for anchor in found), ())

    def lost(self, *places: Span) -> tuple[Anchor, int] | None:
        """An anchor inside some places, and an alias outside all of them that means it; None where there is none."""
        for anchor in self.anchors:
            if any(place.start <= anchor.offset < place.end for place in places):
                for at in anchor.aliases:
                    if not any(place.start <= at < place.end for place in places):
                        return anchor, at
        return None


def note_of(item: Item) -> Note:
    """The note of an item that was read here."""
    return Note._make(cast("tuple[Any, ...]", item.note))
