"""Block references: `^id` behind the last words of a block, or on a line of its own beneath it."""

from __future__ import annotations

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.markdown.marks import Document, Item, Mark
from steadyhand.structure.markdown.reading import known_markdown
from steadyhand.text.source import Source

_REF = lazy_pattern(r"(?:^|(?<=[ \t]))\^([A-Za-z0-9-]{1,100})[ \t]*$")
BOX = lazy_pattern(r"\[([ xX])\](?=[ \t]|$)")


@dataclass(frozen=True, slots=True)
class Ref:
    """A block that has a name. `end` is the end of the block, `behind` that of the line its name stands in.

    `item` is the list item it is, where it is one; `is_apart` says that the name has a line of its own.
    """

    name: str
    kind: str
    first: int
    end: int
    container: int
    behind: int
    item: Item | None
    is_apart: bool


def refs_of(source: Source) -> tuple[Ref, ...]:
    """Every named block of a file, in order; found once per source."""
    return source.derive(_refs)


def _refs(source: Source) -> tuple[Ref, ...]:
    document = known_markdown(source)
    items = {item.paragraph.first: item for item in document.items if item.paragraph is not None}
    found: list[Ref] = []
    for place, mark in enumerate(document.marks):
        name = ref_in(document.rows[mark.end - 1]) if mark.kind == "paragraph" else None
        if name is None:
            continue
        if mark.text == f"^{name}":
            above = _above(document, place, mark, name)
            if above is not None:
                found.append(above)
            continue
        item = items.get(mark.first)
        if item is not None and item.inside == mark.container:
            found.append(Ref(name, "list item", item.first, item.end, item.container, mark.end, item, False))
        else:
            found.append(Ref(name, "paragraph", mark.first, mark.end, mark.container, mark.end, None, False))
    return tuple(found)


def ref_address(source: Source, ref: Ref) -> str:
    """The address that singles out a named block."""
    number = source.derive(_ref_numbers)[ref]
    return f"block{'' if number is None else f'[{number}]'}:^{ref.name}"


def item_address(source: Source, item: Item) -> str:
    """The address that singles out a list item: its name where it has one, else its words."""
    ref, number = source.derive(_item_numbers)[item.number]
    if ref is not None:
        return ref_address(source, ref)
    return f"block{'' if number is None else f'[{number}]'}:{words_of(item)}"


def _ref_numbers(source: Source) -> dict[Ref, int | None]:
    by_name: dict[str, list[Ref]] = {}
    for ref in refs_of(source):
        by_name.setdefault(ref.name, []).append(ref)
    return {ref: place if len(same) > 1 else None for same in by_name.values() for place, ref in enumerate(same, 1)}


def _item_numbers(source: Source) -> dict[int, tuple[Ref | None, int | None]]:
    """Of each item its name, and which one it is of those that say the same."""
    names = {ref.item.number: ref for ref in refs_of(source) if ref.item is not None}
    same: dict[str, list[Item]] = {}
    for item in known_markdown(source).items:
        if item.paragraph is not None:
            same.setdefault(words_of(item), []).append(item)
    return {
        item.number: (names.get(item.number), place if len(items) > 1 else None)
        for items in same.values()
        for place, item in enumerate(items, start=1)
    }


def ref_in(row: str) -> str | None:
    """The name at the end of a line.

    >>> ref_in("Some words ^a-1"), ref_in("x^2")
    ('a-1', None)
    """
    at = row.rfind("^")
    found = _REF.search(row, max(at - 1, 0)) if at >= 0 else None
    return found.group(1) if found else None


def without_ref(text: str) -> str:
    """Words without the name at their end."""
    name = ref_in(text)
    return text if name is None else text[: text.rindex("^")].rstrip(" \t")


def _above(document: Document, place: int, mark: Mark, name: str) -> Ref | None:
    """The block that a name on its own line belongs to: the one before it in the same container."""
    before = document.marks[place - 1] if place else None
    if before is None:
        return None
    if before.container == mark.container:
        kind = {"fence": "code block", "indented": "code block", "html": "HTML"}.get(before.kind, before.kind)
        return Ref(name, kind, before.first, before.end, mark.container, mark.end, None, True)
    number = before.container
    while number > mark.container and document.containers[number].parent != mark.container:
        number = document.containers[number].parent
    if number <= mark.container:
        return None
    one = document.containers[number]
    if one.kind == "quote":
        return Ref(name, "quote", one.first, one.end, mark.container, mark.end, None, True)
    items = [item for item in document.items if item.inside == number]
    siblings = [item for item in document.items if item.list == items[0].list]
    return Ref(name, "list", siblings[0].first, one.end, mark.container, mark.end, None, True)


def words_of(item: Item) -> str:
    """What a list item says, without its box and its name."""
    if item.paragraph is None:
        return ""
    text = item.paragraph.text
    box = BOX.match(text)
    return without_ref(text[box.end() :].strip(" \t") if box else text)
