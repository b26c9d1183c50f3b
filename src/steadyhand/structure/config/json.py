"""JSON, JSON with comments, JSON5 and JSON Lines: the style of a file, and how its entries are written.

New entries are written as their neighbours are: on lines of their own or beside each other, with the same blanks, and
a trailing comma only where there is one. A file without comments stays without them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import ClassVar

from steadyhand.lazy import dataclass, lazy_pattern, replace
from steadyhand.structure.config.item import Item, ItemKind, Plain, Reading, says
from steadyhand.structure.config.json_reader import fault_of, is_by_line, is_strict, read_part, read_text
from steadyhand.structure.config.layout import SLASHED, Brackets, Piece, Usual, Write, dedented, indented
from steadyhand.structure.config.syntax import Syntax, refuse_combination
from steadyhand.structure.node import Proposal, Refusal, refuse
from steadyhand.text.cancel import check_each
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.indent import indent_at, indent_of
from steadyhand.text.lines import line_start, split_lines, to_lf
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_LOOKED_AT = 400
_ESCAPED = lazy_pattern(r"\\u(?!00[01])")
_NEWLINE = lazy_pattern(r"[\r\n]")
_SURROGATE = lazy_pattern(r"[\ud800-\udfff]")
_STRING_OR_COMMENT = lazy_pattern(
    r"""\"(?:[^"\\]++|\\.)*+\"|'(?:[^'\\]++|\\.)*+'|//[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/""", re.DOTALL
)
_COLON = lazy_pattern(r"[ \t]*:[ \t]*")
_IDENTIFIER = lazy_pattern(r"[A-Za-z_$][\w$]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Style:
    """How one file writes.

    `colon`, `comma`        the separators with their blanks, where things are on one line
    `unit`                  one level of indentation
    `is_ascii`              whether other characters are escaped
    `inline_lists`          whether lists of scalars, and `inline_mappings` whether mappings, are on one line
    `padding`               the blanks inside the brackets of a mapping on one line
    """

    colon: str = ": "
    comma: str = ", "
    unit: str = "  "
    is_ascii: bool = False
    inline_lists: bool = False
    inline_mappings: bool = False
    padding: str = ""

    def usual(self, kind: ItemKind) -> Usual:
        """What a container does whose entries do not show it."""
        return Usual(self.comma, self.padding if kind == "mapping" else "", self.unit)


def brackets_of(text: str, container: Item) -> Brackets:
    """A container with the places of its children."""
    return Brackets(text, container.value, [child.entry for child in container.children], SLASHED)


def style_of(text: str, top: Item) -> Style:
    """The style of a document, by its first few hundred items."""
    items = list(islice(top.walk(), _LOOKED_AT))
    filled = [(item, brackets_of(text, item)) for item in items if item.children]
    colon = next((found for item in items if (found := _colon_of(text, item)) is not None), ": ")
    is_tight = colon == ":" and not _NEWLINE.search(text, *top.value)
    commas = (found for _, inside in filled if (found := inside.separator()) is not None)
    lists = [
        inside for item, inside in filled if item.kind == "sequence" and not any(one.children for one in item.children)
    ]
    mappings = [inside for item, inside in filled if item.kind == "mapping" and item.path]
    return Style(
        colon,
        next(commas, "," if is_tight else ", "),
        next((unit for item, _ in filled if (unit := unit_of(text, item))), "  "),
        _is_escaped(text),
        _is_mostly_inline(lists),
        _is_mostly_inline(mappings),
        next((found for inside in mappings if (found := inside.padding()) is not None), ""),
    )


def _is_escaped(text: str) -> bool:
    return text.isascii() and _ESCAPED.search(text) is not None


def _colon_of(text: str, item: Item) -> str | None:
    """What is between a name and its value, if it is nothing but a colon and blanks."""
    if item.name is None:
        return None
    between = text[item.name.end : item.value.start]
    return between if _COLON.fullmatch(between) else None


def unit_of(text: str, container: Item) -> str | None:
    """By how much the first child is indented more than the line its container starts on."""
    start = container.value.start
    child = container.children[0].entry.start
    line = line_start(text, child, start)
    if line <= start or text[line:child].strip(" \t"):
        return None
    outer = indent_at(text, start)
    return text[line:child].removeprefix(outer) if text[line:child].startswith(outer) else None


def _is_mostly_inline(containers: list[Brackets]) -> bool:
    inline = sum(inside.padding() is not None for inside in containers)
    return inline * 2 > len(containers)


def write_text(value: str, style: Style, quote: str = '"') -> str:
    """A string with its quotes."""
    written = json.dumps(value, ensure_ascii=style.is_ascii)
    if not style.is_ascii:  # half of a pair is no character, and can be written by its number only
        written = _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", written)
    if quote == '"':
        return written
    inner = written[1:-1].replace('\\"', '"')
    return "'" + inner.replace("'", "\\'") + "'"


def _write_name(name: str, style: Style, like: str | None) -> str:
    """A name, quoted as another one of the same container is: with double quotes, single ones, or none in JSON5."""
    if like is not None and like[:1] not in ("'", '"') and _IDENTIFIER.fullmatch(name):
        return name
    return write_text(name, style, "'" if like is not None and like[:1] == "'" else '"')


def write_value(value: Plain, style: Style, indent: str | None) -> str:
    """A value as the file would write it; `indent` is that of its line, None for everything on one line.

    >>> write_value({"a": [1, 2]}, Style(inline_lists=True), "  ")
    '{\\n    "a": [1, 2]\\n  }'
    """
    if isinstance(value, str):
        return write_text(value, style)
    if not isinstance(value, Mapping | list | tuple):
        return json.dumps(value)
    if not value:
        return "{}" if isinstance(value, Mapping) else "[]"
    is_inline = style.inline_mappings
    if not isinstance(value, Mapping):
        is_inline = style.inline_lists and not any(isinstance(part, Mapping | list | tuple) and part for part in value)
    inner = None if indent is None or is_inline else indent + style.unit
    opening, closing, padding = ("{", "}", style.padding) if isinstance(value, Mapping) else ("[", "]", "")
    if isinstance(value, Mapping):
        pairs = check_each(value.items())
        parts = [f"{write_text(name, style)}{style.colon}{write_value(part, style, inner)}" for name, part in pairs]
    else:
        parts = [write_value(part, style, inner) for part in check_each(value)]
    if inner is None:
        return f"{opening}{padding}{style.comma.join(parts)}{padding}{closing}"
    lines = f",\n{inner}".join(parts)
    return f"{opening}\n{inner}{lines}\n{indent}{closing}"


class Json(Syntax):
    """Keys of JSON files and of their relatives."""

    name: ClassVar[str] = "json"
    is_closed: ClassVar[bool] = True
    comment = SLASHED.comment

    def count_comments(self, text: str) -> int:
        """Two slashes in a key or a string are no comment, and a quote in a comment opens no string."""
        return sum(found[0][0] == "/" for found in _STRING_OR_COMMENT.finditer(text))

    def read(self, source: Source) -> Reading | Refusal:
        return read_text(source)

    def reread(self, before: Source, source: Source, item: Item, end: int) -> Item | Refusal | None:
        return read_part(before, source, item, end)

    def write(self, source: Source, item: Item, value: Plain) -> Proposal | Refusal:
        if says(item, value):
            return Proposal(())
        if isinstance(value, str):
            old = item.value.of(source.text)
            written = write_text(value, Style(is_ascii=_is_ascii(source)), "'" if old.startswith("'") else '"')
        elif not isinstance(value, dict | list | tuple):
            written = json.dumps(value)
        else:
            is_lined, style = _is_lined(source, item), _style(source, item)
            style = replace(style, inline_lists=False, inline_mappings=False) if is_lined and item.children else style
            written = write_value(value, style, indent_at(source.text, item.entry.start) if is_lined else None)
        return Proposal.of(source, (item.value, written), notes=self.lost_comments(source, item, item.value.end))

    def put_raw(self, source: Source, item: Item, written: str) -> Proposal | Refusal:
        shaped = written.strip(" \t\r\n")
        lines = split_lines(shaped)
        if len(lines) > 1:
            shaped = indented(dedented(shaped, indent_of(lines[-1])), indent_at(source.text, item.entry.start))
        return _as_strict(source, Proposal.of(source, (item.value, shaped)))

    def compose(self, source: Source, container: Item, name: str | None, value: Plain, index: int) -> Piece | Refusal:
        style = _style(source, container)
        is_lined = _will_be_lined(source, container, index, style, is_filled=isinstance(value, dict | list))
        written = write_value(value, style, "" if is_lined else None)
        return Piece(written if name is None else _named(source, container, name, written, style))

    def lift(self, source: Source, item: Item, container: Item, name: str | None) -> Piece | Refusal:
        parent, index = self.known(source).family(item)
        style, text = _style(source, item), source.text
        piece = brackets_of(text, parent).piece(index)
        if name is not None and item.name is not None:
            written = item.name.of(text)
            shown = written if name == item.path[-1] else _write_name(name, style, written)
            return replace(piece, entry=shown + piece.entry[len(written) :])
        if name is None and item.name is not None and "/" in text[item.name.end : item.value.start]:
            return refuse("its comments cannot be kept there", "delete the comments first")
        value = to_lf(dedented(item.value.of(text), indent_at(text, item.entry.start)))
        return replace(piece, entry=value if name is None else _named(source, container, name, value, style))

    def put(self, source: Source, container: Item, index: int, pieces: Sequence[Piece]) -> list[Write] | Refusal:
        inside, style = brackets_of(source.text, container), _style(source, container)
        usual = style.usual(container.kind)
        if container.children:
            return inside.insert(index, pieces, usual)
        is_filled = any(piece.entry.endswith(("}", "]")) or piece.above or piece.behind for piece in pieces)
        lined = _will_be_lined(source, container, index, style, is_filled=is_filled)
        return inside.fill(pieces, usual, lined=lined)

    def remove(self, source: Source, item: Item) -> list[Write] | Refusal:
        parent, index = self.known(source).family(item)
        return brackets_of(source.text, parent).remove(index)

    def rename(self, source: Source, item: Item, name: str) -> Proposal | Refusal:
        assert item.name is not None
        return Proposal.of(source, (item.name, _write_name(name, _style(source, item), item.name.of(source.text))))

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
            return refuse(f"the text is not {expected}: {reading.cause}", "write no brackets around them")
        return alone, reading.documents[0].children

    def insert_raw(self, source: Source, container: Item, written: str, index: int) -> Proposal | Refusal:
        found = self.entries(source, written, container.kind)
        if isinstance(found, Refusal):
            return found
        text = found[0].text
        inside = Brackets(text, Span(0, len(text)), [item.entry for item in found[1]], SLASHED)
        made = self.written(source, container, index, [inside.piece(at) for at in range(len(found[1]))])
        if isinstance(made, Refusal):
            return made
        if len(self.comment.findall(written)) > sum(len(self.comment.findall(splice.new)) for splice in made.splices):
            return refuse("the text has a comment that cannot be kept there", "leave comments out")
        return _as_strict(source, made)

    def proved(self, source: Source, proposal: Proposal) -> Proposal | Refusal:
        after = source.apply(ChangeSet.of(proposal.splices))
        if is_strict(source.text) and not is_strict(after.text):
            return refuse_combination("a comma would remain after the last one")
        return super().proved(source, proposal)


def _named(source: Source, container: Item, name: str, written: str, style: Style) -> str:
    """An entry, with name and colon as its siblings have them."""
    sibling = container.children[0] if container.children else None
    like = None if sibling is None or sibling.name is None else sibling.name.of(source.text)
    colon = None if sibling is None else _colon_of(source.text, sibling)
    return f"{_write_name(name, style, like)}{colon or style.colon}{written}"


def _style(source: Source, item: Item) -> Style:
    """The style of the document an item is in; of an empty line, those of the first that is not."""
    reading = SYNTAX.known(source)
    return source.derive(_only_style) if len(reading.documents) == 1 else _style_in(source, reading.chain(item)[0])


def _only_style(source: Source) -> Style:
    return _style_in(source, SYNTAX.known(source).documents[0])


def _style_in(source: Source, top: Item) -> Style:
    filled = (other for other in SYNTAX.known(source).documents if other.children)
    return replace(style_of(source.text, top if top.children else next(filled, top)), is_ascii=_is_ascii(source))


def _is_ascii(source: Source) -> bool:
    """Whether characters that are not ASCII are escaped."""
    is_unicode = source.encoding.is_certain and source.encoding.name.startswith("utf")
    return not is_unicode or _is_escaped(source.text)


def _is_lined(source: Source, item: Item) -> bool:
    """Whether a value with parts, in the place of this one, is on several lines."""
    if is_by_line(source):
        return False
    if item.children:
        return brackets_of(source.text, item).padding() is None
    if not item.path:
        return True
    parent, index = SYNTAX.known(source).family(item)
    return brackets_of(source.text, parent).is_lined(index)


def _will_be_lined(source: Source, container: Item, index: int, style: Style, *, is_filled: bool) -> bool:
    """Whether something new in a container is on a line of its own; `is_filled`: it has parts itself."""
    if container.children:
        return brackets_of(source.text, container).is_lined(min(index, len(container.children) - 1))
    if not _is_lined(source, container):
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
    return refuse("the file is plain JSON, the text has comments or trailing commas", "leave them out")


SYNTAX = Json()
