"""How a JSON file writes things, seen in the file itself, and values written that way.

Nothing is decided for the whole file that a neighbour can tell better: callers ask the neighbours first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import islice, pairwise

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.config.item import Item, Plain
from steadyhand.text.indent import indent_at
from steadyhand.text.lines import line_start
from steadyhand.text.pace import paced

_LOOKED_AT = 400
_ESCAPED = lazy_pattern(r"\\u(?!00[01])")
_NEWLINE = lazy_pattern(r"[\r\n]")
_SURROGATE = lazy_pattern(r"[\ud800-\udfff]")
_COLON = lazy_pattern(r"[ \t]*:[ \t]*")
_BLANKS = lazy_pattern(r"[ \t]*")
_IDENTIFIER = lazy_pattern(r"[A-Za-z_$][\w$]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Style:
    """The habits of one file.

    `colon`, `comma`        the separators with their blanks, where things stand on one line
    `unit`                  one level of indentation
    `is_ascii`              whether other characters are escaped
    `inline_lists`          whether lists of scalars, and `inline_mappings` whether mappings, stand on one line
    `padding`               the blanks inside the brackets of a mapping on one line
    """

    colon: str = ": "
    comma: str = ", "
    unit: str = "  "
    is_ascii: bool = False
    inline_lists: bool = False
    inline_mappings: bool = False
    padding: str = ""


def style_of(text: str, top: Item) -> Style:
    """The habits of a document, by its first few hundred items."""
    items = list(islice(top.walk(), _LOOKED_AT))
    filled = [item for item in items if item.children]
    colon = next((found for item in items if (found := colon_of(text, item)) is not None), ": ")
    is_tight = colon == ":" and not _NEWLINE.search(text, *top.value)
    comma = next((found for item in filled if (found := comma_of(text, item)) is not None), "," if is_tight else ", ")
    lists = [item for item in filled if item.kind == "sequence" and not any(child.children for child in item.children)]
    mappings = [item for item in filled if item.kind == "mapping" and item.path]
    return Style(
        colon,
        comma,
        next((unit for item in filled if (unit := unit_of(text, item))), "  "),
        text.isascii() and _ESCAPED.search(text) is not None,
        _is_mostly_inline(text, lists),
        _is_mostly_inline(text, mappings),
        next((found for item in mappings if (found := padding_of(text, item)) is not None), ""),
    )


def colon_of(text: str, item: Item) -> str | None:
    """What stands between a name and its value, if it is nothing but a colon and blanks."""
    if item.name is None:
        return None
    between = text[item.name.end : item.value.start]
    return between if _COLON.fullmatch(between) else None


def comma_of(text: str, container: Item) -> str | None:
    """What stands between two neighbours on one line, if any two stand so."""
    for one, two in islice(pairwise(container.children), _LOOKED_AT):
        between = text[one.entry.end : two.entry.start]
        if between.startswith(",") and _BLANKS.fullmatch(between, 1):
            return between
    return None


def padding_of(text: str, container: Item) -> str | None:
    """The blanks behind the opening bracket, if the first child stands on the same line."""
    between = text[container.value.start + 1 : container.children[0].entry.start]
    return between if _BLANKS.fullmatch(between) else None


def unit_of(text: str, container: Item) -> str | None:
    """By how much the first child is indented more than the line its container starts on."""
    start = container.value.start
    child = container.children[0].entry.start
    line = line_start(text, child, start)
    if line <= start or text[line:child].strip(" \t"):
        return None
    outer = indent_at(text, start)
    return text[line:child].removeprefix(outer) if text[line:child].startswith(outer) else None


def write_text(value: str, style: Style, quote: str = '"') -> str:
    """A string with its quotes."""
    written = json.dumps(value, ensure_ascii=style.is_ascii)
    if not style.is_ascii:  # half of a pair is no character, and can be written by its number only
        written = _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", written)
    if quote == '"':
        return written
    inner = written[1:-1].replace('\\"', '"')
    return "'" + inner.replace("'", "\\'") + "'"


def write_name(name: str, style: Style, like: str | None) -> str:
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
    inner = None if indent is None or _is_inline(value, style) else indent + style.unit
    if isinstance(value, Mapping):
        parts = [
            f"{write_text(name, style)}{style.colon}{write_value(part, style, inner)}"
            for name, part in paced(value.items())
        ]
        return _bracketed("{}", parts, style, indent, inner, style.padding)
    return _bracketed("[]", [write_value(part, style, inner) for part in paced(value)], style, indent, inner, "")


def _bracketed(
    brackets: str, parts: list[str], style: Style, indent: str | None, inner: str | None, padding: str
) -> str:
    if inner is None:
        return f"{brackets[0]}{padding}{style.comma.join(parts)}{padding}{brackets[1]}"
    lines = f",\n{inner}".join(parts)
    return f"{brackets[0]}\n{inner}{lines}\n{indent}{brackets[1]}"


def _is_inline(value: Mapping[str, Plain] | list[Plain] | tuple[Plain, ...], style: Style) -> bool:
    if isinstance(value, Mapping):
        return style.inline_mappings
    return style.inline_lists and not any(isinstance(part, Mapping | list | tuple) and part for part in value)


def _is_mostly_inline(text: str, containers: list[Item]) -> bool:
    inline = sum(padding_of(text, item) is not None for item in containers)
    return inline * 2 > len(containers)
