"""JSON, JSON with comments, JSON5 and JSON Lines.

New entries are laid out as their neighbours are: on lines of their own or beside each other, with the same blanks, and
a trailing comma only where there is one. A file without comments stays without them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import ClassVar

from steadyhand.errors import Kind
from steadyhand.lazy import replace
from steadyhand.structure.config.item import Item, ItemKind, Plain, Reading, says
from steadyhand.structure.config.json.container import (
    Box,
    Piece,
    Style,
    colon_of,
    dedented,
    padding_of,
    shape_like,
    style_of,
    write_name,
    write_text,
    write_value,
)
from steadyhand.structure.config.json.reader import fault_of, grammar_of, is_by_line, is_strict, read_part, read_text
from steadyhand.structure.config.syntax import Syntax, together
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.indent import indent_at
from steadyhand.text.lines import to_lf
from steadyhand.text.source import Source


class Json(Syntax):
    """Keys of JSON files and of their relatives."""

    name: ClassVar[str] = "json"

    def read(self, source: Source) -> Reading | Refusal:
        return read_text(source)

    def reread(self, source: Source, item: Item, end: int) -> Item | Refusal | None:
        return read_part(source, item, end)

    def set_value(self, source: Source, item: Item, value: Plain) -> Proposal | Refusal:
        if says(item, value):
            return Proposal(())
        top = _top(source, item)
        style = _style(source, item)
        if isinstance(value, str):
            old = item.value.of(source.text)
            written = write_text(value, style, "'" if old.startswith("'") else '"')
        else:
            is_lined = _is_lined(source, top, item)
            style = replace(style, inline_lists=False, inline_mappings=False) if is_lined and item.children else style
            written = write_value(value, style, indent_at(source.text, item.entry.start) if is_lined else None)
        return Proposal.of(source, (item.value, written))

    def put_raw(self, source: Source, item: Item, written: str) -> Proposal | Refusal:
        shaped = shape_like(written.strip(" \t\r\n"), indent_at(source.text, item.entry.start))
        return _as_strict(source, Proposal.of(source, (item.value, shaped)))

    def add(self, source: Source, container: Item, name: str, value: Plain, index: int) -> Proposal | Refusal:
        return self._insert_value(source, container, name, value, index)

    def append(self, source: Source, container: Item, value: Plain, index: int) -> Proposal | Refusal:
        return self._insert_value(source, container, None, value, index)

    def rename(self, source: Source, item: Item, name: str) -> Proposal | Refusal:
        if item.name is None:
            return Refusal(Kind.BAD_REQUEST, "an item of an array has no name", "use set-key")
        style = _style(source, item)
        return Proposal.of(source, (item.name, write_name(name, style, item.name.of(source.text))))

    def delete(self, source: Source, item: Item) -> Proposal | Refusal:
        box, index = _home(source, item)
        return Proposal.of(source, *box.remove(index))

    def move(self, source: Source, item: Item, container: Item, name: str | None, index: int) -> Proposal | Refusal:
        style = _style(source, item)
        piece = _carried(source, item, container, name, style)
        home, ordinal = _home(source, item)
        gone = ChangeSet.of(Proposal.of(source, *home.remove(ordinal)).splices)
        between = source.apply(gone)
        reading = between.derive(self.read)
        if isinstance(reading, Refusal):
            return reading
        left = replace(home, text=between.text, item=_after_removal(source, reading, item, home.item, 0)[0])
        is_lined = _will_be_lined(source, container, index, style, is_filled=True)
        kept = piece.comment_count if is_lined else 0
        if home.comment_count - left.comment_count > kept or (name is None and _has_inner_comment(source, item)):
            return Refusal(Kind.BAD_REQUEST, "its comments have no place there", "delete the comments first")
        there, at = _after_removal(source, reading, item, container, index)
        come = ChangeSet.of(_insert(between, there, at, [piece], _style(between, there)).splices)
        return Proposal(gone.compose(come).splices)

    def entries(
        self,
        source: Source,  # noqa: ARG002
        written: str,
        kind: ItemKind,
    ) -> tuple[Source, tuple[Item, ...]] | Refusal:
        brackets = "{}" if kind == "mapping" else "[]"
        bare = written.strip(" \t\r\n")
        alone = Source.of_text(f"{brackets[0]}\n{bare}\n{brackets[1]}", path="text.json5")
        reading = self.read(alone)
        if isinstance(reading, Refusal):
            expected = 'entries such as "name": value' if kind == "mapping" else "values"
            return Refusal(
                Kind.BAD_REQUEST, f"the text is not {expected}: {reading.cause}", "write no brackets around them"
            )
        return alone, reading.documents[0].children

    def proved(self, source: Source, proposal: Proposal) -> Proposal | Refusal:
        after = source.apply(ChangeSet.of(proposal.splices))
        if is_strict(source.text) and not is_strict(after.text):
            return together("a comma would stay behind the last one")
        return super().proved(source, proposal)

    def insert_raw(self, source: Source, container: Item, written: str, index: int) -> Proposal | Refusal:
        found = self.entries(source, written, container.kind)
        if isinstance(found, Refusal):
            return found
        box = Box(found[0].text, _top(found[0], found[1][0]), grammar_of(found[0]))
        pieces = [box.piece(at) for at in range(len(found[1]))]
        style = _style(source, container)
        is_lined = _will_be_lined(source, container, index, style, is_filled=True)
        if box.comment_count > sum(piece.comment_count for piece in pieces if is_lined):
            return Refusal(Kind.BAD_REQUEST, "a comment in the text has no place there", "leave comments out")
        return _as_strict(source, _insert(source, container, index, pieces, style))

    def _insert_value(
        self, source: Source, container: Item, name: str | None, value: Plain, index: int
    ) -> Proposal | Refusal:
        style = _style(source, container)
        is_lined = _will_be_lined(source, container, index, style, is_filled=isinstance(value, dict | list))
        written = write_value(value, style, "" if is_lined else None)
        piece = Piece(written if name is None else _named(source, container, name, written, style))
        return _insert(source, container, index, [piece], style, is_lined=is_lined)


def _insert(
    source: Source, container: Item, index: int, pieces: Sequence[Piece], style: Style, *, is_lined: bool = True
) -> Proposal:
    box = Box(source.text, container, grammar_of(source))
    if container.children:
        return Proposal.of(source, *box.insert(index, pieces, style))
    lined = is_lined and _will_be_lined(source, container, index, style, is_filled=True)
    return Proposal.of(source, *box.fill(pieces, style, lined=lined))


def _named(source: Source, container: Item, name: str, written: str, style: Style) -> str:
    """An entry, with name and colon as its siblings have them."""
    sibling = container.children[0] if container.children else None
    like = None if sibling is None or sibling.name is None else sibling.name.of(source.text)
    colon = None if sibling is None else colon_of(source.text, sibling)
    return f"{write_name(name, style, like)}{colon or style.colon}{written}"


def _carried(source: Source, item: Item, container: Item, name: str | None, style: Style) -> Piece:
    """An item as it would stand in another container."""
    box, index = _home(source, item)
    piece = box.piece(index)
    if name is not None and item.name is not None:
        written = item.name.of(source.text)
        same = name == item.path[-1]
        entry = (written if same else write_name(name, style, written)) + piece.entry[len(written) :]
        return replace(piece, entry=entry)
    value = to_lf(dedented(item.value.of(source.text), indent_at(source.text, item.entry.start)))
    return replace(piece, entry=value if name is None else _named(source, container, name, value, style))


def _has_inner_comment(source: Source, item: Item) -> bool:
    """Whether a comment stands between name and value."""
    return item.name is not None and "/" in source.text[item.name.end : item.value.start]


def _after_removal(source: Source, reading: Reading, item: Item, container: Item, index: int) -> tuple[Item, int]:
    """A container, and a place among its children, in the text that an item was taken from."""
    gone, there = _ordinals(source, item), _ordinals(source, container)
    depth = len(gone) - 1
    if there[:depth] == gone[:depth]:
        if len(there) == depth:
            index -= index > gone[depth]
        elif there[depth] > gone[depth]:
            there[depth] -= 1
    found = reading.documents[there[0]]
    for ordinal in there[1:]:
        found = found.children[ordinal]
    return found, index


def _ordinals(source: Source, item: Item) -> list[int]:
    """Which document an item stands in, and which child leads to it, level by level."""
    level: Sequence[Item] = _reading(source).documents
    found: list[int] = []
    while True:
        at = bisect_right(level, item.entry.start, key=_start_of) - 1
        found.append(at)
        if level[at].entry == item.entry:
            return found
        level = level[at].children


def _start_of(item: Item) -> int:
    return item.entry.start


def _holds(outer: Item, inner: Item) -> bool:
    return outer.entry.start <= inner.entry.start and inner.entry.end <= outer.entry.end


def _home(source: Source, item: Item) -> tuple[Box, int]:
    """The container of an item, and which child it is."""
    path = _ordinals(source, item)
    found = _reading(source).documents[path[0]]
    for at in path[1:-1]:
        found = found.children[at]
    return Box(source.text, found, grammar_of(source)), path[-1]


def _reading(source: Source) -> Reading:
    reading = source.derive(SYNTAX.read)
    assert isinstance(reading, Reading)  # an item of it was found
    return reading


def _top(source: Source, item: Item) -> Item:
    """The document an item stands in."""
    return next(top for top in _reading(source).documents if _holds(top, item))


def _style(source: Source, item: Item) -> Style:
    """The habits of the document an item stands in; of an empty line, those of the first that is not."""
    documents = _reading(source).documents
    return source.derive(_only_style) if len(documents) == 1 else _style_in(source, _top(source, item))


def _only_style(source: Source) -> Style:
    return _style_in(source, _reading(source).documents[0])


def _style_in(source: Source, top: Item) -> Style:
    filled = (other for other in _reading(source).documents if other.children)
    style = style_of(source.text, top if top.children else next(filled, top))
    is_unicode = source.encoding.is_certain and source.encoding.name.startswith("utf")
    return style if is_unicode else replace(style, is_ascii=True)


def _is_lined(source: Source, top: Item, item: Item) -> bool:
    """Whether a value with parts, in the place of this one, stands on several lines."""
    if is_by_line(source):
        return False
    if item.children:
        return padding_of(source.text, item) is None
    if item is top:
        return True
    box, index = _home(source, item)
    return box.is_lined(index)


def _will_be_lined(source: Source, container: Item, index: int, style: Style, *, is_filled: bool) -> bool:
    """Whether something new in a container stands on a line of its own; `is_filled`: it has parts itself."""
    if container.children:
        box = Box(source.text, container, grammar_of(source))
        return box.is_lined(min(index, len(container.children) - 1))
    if not _is_lined(source, _top(source, container), container):
        return False
    if not container.path:
        return True
    return not style.inline_mappings if container.kind == "mapping" else is_filled or not style.inline_lists


def _as_strict(source: Source, proposal: Proposal) -> Proposal | Refusal:
    """Text that somebody wrote brings no comments and trailing commas into a file that has none."""
    is_plain = source.path is None or source.path.lower().endswith(".json")
    after = source.apply(ChangeSet.of(proposal.splices))
    if not is_plain or not is_strict(source.text) or is_strict(after.text) or fault_of(after) is not None:
        return proposal
    return Refusal(
        Kind.BAD_REQUEST,
        "the file is plain JSON, the text has comments or trailing commas",
        "leave them out",
    )


SYNTAX = Json()
