"""How a file writes its YAML: quotes, indentation, lists. New text follows its siblings, then the file.

Counts what is there; writes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Literal

from steadyhand.lazy import dataclass, replace
from steadyhand.structure.config.item import Item
from steadyhand.structure.config.yaml.note import Parsed, note_of
from steadyhand.structure.config.yaml.place import column_of
from steadyhand.structure.config.yaml.scalars import looks_typed, may_be_plain
from steadyhand.text.source import Source

Quote = Literal["single", "double"]
Wish = Literal["plain", "single", "double"]

_LOOKED_AT = 20_000
_STEP = 2
_WIDEST_STEP = 9


@dataclass(frozen=True, slots=True)
class Manner:
    """How new text is written.

    `text`, `name`  how a text or a name is written where it may be plain
    `quote`         the quotes of a text that needs them
    `step`          how much further right the entries of a mapping stand than the name above them
    `dash`          the same for the dashes of a list
    `width`         from a dash to what follows it
    `known`         where below the container the file has plain names that some reader takes for no text, such as `on`
                    or `y`: the names that lead there and that name, None for any item of a list
    """

    text: Wish = "plain"
    name: Wish = "plain"
    quote: Quote = "double"
    step: int = _STEP
    dash: int = _STEP
    width: int = _STEP
    known: frozenset[tuple[str | None, ...]] = frozenset()

    def inside(self, step: str | int) -> Manner:
        """How the inside of one of the children is written: known there is what the file has at that very place."""
        kept = step if isinstance(step, str) else None
        return replace(self, known=frozenset(path[1:] for path in self.known if len(path) > 1 and path[0] == kept))


def manner_of(source: Source, parsed: Parsed, container: Item) -> Manner:
    """How a new child of a container is written."""
    children = container.children[-_LOOKED_AT:]
    near = list(islice((part for child in children for part in (child, *child.children)), _LOOKED_AT))
    everywhere = list(islice((item for top in parsed.reading.documents for item in top.walk()), _LOOKED_AT))
    texts, names = _texts(children), _names(children)
    if not texts and container.kind == "sequence":  # items are of one kind: quotes that all of them need suit a new one
        texts = Counter(note_of(child).style for child in children if child.kind == "text")
    if not texts and (names.get("double") and note_of(container).style == "flow"):
        texts = names  # as in JSON
    elif not texts and note_of(container).in_flow:
        texts = _texts(everywhere)
    quote = _quote(near) or _quote(everywhere) or "double"
    step = _step(source.text, everywhere)
    return Manner(
        _wish(texts, quote),
        _wish(names, quote),
        quote,
        step,
        _dash(source.text, [container, *near]) if _has_lists(near) else _dash(source.text, everywhere, step),
        _width(source.text, [container, *near]) or _width(source.text, everywhere) or _STEP,
        _known(container),
    )


def _texts(items: Iterable[Item]) -> Counter[str]:
    """How texts are written that need no quotes."""
    texts = (item for item in items if item.kind == "text")
    return Counter(note_of(item).style for item in texts if may_be_plain(str(item.data), in_flow=False))


def _names(items: Iterable[Item]) -> Counter[str]:
    """How names are written that need no quotes."""
    named = (item for item in items if item.name is not None)
    return Counter(note_of(item).name for item in named if may_be_plain(str(item.path[-1]), in_flow=False))


def _known(container: Item) -> frozenset[tuple[str | None, ...]]:
    """The places below a container where a name such as `on` is plain, and nowhere in quotes."""
    depth = len(container.path)
    found: dict[str, set[tuple[str | None, ...]]] = {}
    for item in islice(container.walk(), _LOOKED_AT):
        if (
            item.name is not None
            and len(item.path) > depth
            and looks_typed(name := str(item.path[-1]))
            and name != "<<"
        ):
            place = tuple(step if isinstance(step, str) else None for step in item.path[depth:])
            found.setdefault(note_of(item).name, set()).add(place)
    plain = found.pop("plain", set())
    return frozenset(plain.difference(*found.values()))


def _wish(found: Mapping[str, int], quote: Quote) -> Wish:
    """Quoted where all the siblings are, else plain."""
    single, double = found.get("single", 0), found.get("double", 0)
    if found.get("plain") or not single + double:
        return "plain"
    if single == double:
        return quote
    return "single" if single > double else "double"


def _quote(items: Iterable[Item]) -> Quote | None:
    found = Counter(note_of(item).style for item in items)
    if found["single"] == found["double"]:
        return None
    return "single" if found["single"] > found["double"] else "double"


def _has_lists(items: Iterable[Item]) -> bool:
    return any(_is_list_below_name(item) for item in items)


def _is_list_below_name(item: Item) -> bool:
    return item.kind == "sequence" and item.name is not None and note_of(item).style == "block"


def _step(text: str, items: Iterable[Item]) -> int:
    steps: Counter[int] = Counter()
    for item in items:
        if item.kind == "mapping" and item.name is not None and note_of(item).style == "block":
            steps[column_of(text, item.value.start) - column_of(text, note_of(item).mark)] += 1
    return next((step for step, _ in steps.most_common() if 0 < step <= _WIDEST_STEP), _STEP)


def _dash(text: str, items: Iterable[Item], usual: int = _STEP) -> int:
    steps: Counter[int] = Counter()
    for item in items:
        if _is_list_below_name(item):
            steps[column_of(text, item.value.start) - column_of(text, note_of(item).mark)] += 1
    return next((step for step, _ in steps.most_common() if 0 <= step <= _WIDEST_STEP), usual)


def _width(text: str, items: Iterable[Item]) -> int | None:
    widths: Counter[int] = Counter()
    for item in items:
        if item.kind == "sequence" and note_of(item).style == "block":
            for child in item.children[:100]:
                note = note_of(child)
                gap = text[note.mark + 1 : child.value.start]
                if gap and not gap.strip(" ") and note.hang == note.mark + 1:
                    widths[len(gap) + 1] += 1
    return next((width for width, _ in widths.most_common() if width <= _WIDEST_STEP), None)
