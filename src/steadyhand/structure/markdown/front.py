"""Where front matter stands: YAML between `---` lines, TOML between `+++` lines, at the very top only.

A `---` that nothing closes is a thematic break, and so is one whose lines hold no key: headings between two such breaks
are never taken for comments of a YAML text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import Literal

from steadyhand.lazy import lazy_pattern, replace
from steadyhand.structure.markdown.document import Front
from steadyhand.structure.node import Refusal
from steadyhand.text.lines import LineTable
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_YAML_KEY = lazy_pattern(r"[\"']?[^\s:#\"'\-\[{][^:]{0,200}:(?:\s|$)|[{]")
_TOML_KEY = lazy_pattern(r"\s*[^\s=#][^=]{0,200}=|\s*\[")
_LONGEST = 20_000
CLOSINGS: Mapping[str, tuple[str, ...]] = MappingProxyType({"---": ("---", "..."), "+++": ("+++",)})


def find_front(rows: Sequence[str]) -> Front | None:
    """The front matter of a text, by its rows.

    >>> find_front(["---", "title: x", "---", "text"])
    Front(mark='---', end=3)
    >>> find_front(["---", "", "# Title", "---"]) is None
    True
    """
    opening = rows[0].removeprefix("\ufeff").rstrip(" \t") if rows else ""
    mark: Literal["---", "+++"]
    if opening == "---":
        mark, key = "---", _YAML_KEY
    elif opening == "+++":
        mark, key = "+++", _TOML_KEY
    else:
        return None
    has_key = False
    for row, text in enumerate(islice(rows, 1, _LONGEST), start=1):
        if text.rstrip(" \t") in CLOSINGS[mark]:
            return Front(mark, row + 1) if has_key or row == 1 else None
        if row == 1 and not text.strip(" \t"):
            return None
        has_key = has_key or key.match(text) is not None
    return None


def front_span(table: LineTable, front: Front) -> Span:
    """What stands between the marks."""
    return Span(table.start(1), table.start(front.end - 1))


def front_source(source: Source) -> Source:
    """What stands between the marks, as a source of its own; empty where there is no front matter."""
    front = find_front(source.lines)
    return Source.of_text("" if front is None else front_span(source.table, front).of(source.text))


def in_front(refusal: Refusal) -> Refusal:
    """A refusal of the text between the marks, with the lines of the file, and hints that name front matter."""
    there = refusal.about_keys("front_matter")
    line = there.details.get("line")
    if not isinstance(line, int):
        return there
    message = f"line {line + 1}: {there.cause or there.message}"
    return replace(there, message=message, details={**there.details, "line": line + 1})
