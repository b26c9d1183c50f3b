"""A JSON text of whatever dialect as a reading, and the first place where it is none.

The dialect is told by the file's name: `.json5` has names without quotes, `.jsonl` and `.ndjson` have a value on each
line. Comments and trailing commas are read everywhere, since `.json` files have them too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from steadyhand.errors import Kind
from steadyhand.structure.config.item import Item, Reading
from steadyhand.structure.config.json.grammar import JSON, JSON5, Grammar
from steadyhand.structure.config.json.scanner import Unreadable, scan
from steadyhand.structure.format import Fault, Unchecked
from steadyhand.structure.node import Refusal
from steadyhand.text.lines import line_start, split_lines
from steadyhand.text.pace import paced
from steadyhand.text.source import Source

_STRICT_SUFFIXES = (".ipynb", ".geojson", ".webmanifest", ".har")
_STRICT_NAMES = frozenset(
    {"package.json", "package-lock.json", "npm-shrinkwrap.json", "composer.json", "composer.lock"}
)


def is_by_line(source: Source) -> bool:
    """Whether every line is a document of its own."""
    return source.path is not None and source.path.lower().endswith((".jsonl", ".ndjson"))


def grammar_of(source: Source) -> Grammar:
    """The grammar of a file, by its name."""
    return JSON5 if source.path is not None and source.path.lower().endswith(".json5") else JSON


def read_text(source: Source) -> Reading | Refusal:
    """Every value with its place. Refuses with `unparsable` or `too-large`."""
    try:
        return Reading(tuple(_documents(source)))
    except Unreadable as error:
        return _refused(source, error)


def read_part(source: Source, item: Item, end: int) -> Item | Refusal | None:
    """A container that starts where it did and ends elsewhere now, read on its own; None where lines matter."""
    if is_by_line(source):
        return None
    try:
        return scan(source.text, grammar_of(source), item.value.start, end, item.path)
    except Unreadable as error:
        return _refused(source, error)


def fault_of(source: Source) -> Fault | Unchecked | None:
    """The first place where the text is no JSON of its dialect."""
    if grammar_of(source) is JSON and not is_by_line(source) and is_strict(source.text):
        return None
    try:
        for _ in _documents(source):
            pass
    except Unreadable as error:
        line, column = _place(source, error.at)
        return Unchecked(error.message) if error.is_too_deep else Fault(line, error.message, column)
    return _strict_fault(source) if _must_be_strict(source) else None


def _must_be_strict(source: Source) -> bool:
    """Whether the programs that read this file know no comments and trailing commas."""
    name = (source.path or "").lower().replace("\\", "/").rpartition("/")[2]
    return name in _STRICT_NAMES or name.endswith(_STRICT_SUFFIXES)


def _strict_fault(source: Source) -> Fault | None:
    try:
        json.loads(source.text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        line, column = _place(source, error.pos + source.text.startswith("\ufeff"))
        return Fault(line, "comments and trailing commas are no JSON for the programs that read this file", column)
    except (ValueError, RecursionError):
        return None  # too many digits, or too deep to tell
    return None


def is_strict(text: str) -> bool:
    """Whether a text is JSON without comments and trailing commas."""
    try:
        json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return False
    return True


def _documents(source: Source) -> Iterator[Item]:
    grammar = grammar_of(source)
    if not is_by_line(source):
        yield scan(source.text, grammar)
        return
    at = 0
    for line in paced(split_lines(source.text)):
        if line.strip(" \t\r\n\ufeff"):
            yield scan(source.text, grammar, at, at + len(line))
        at += len(line)


def _place(source: Source, at: int) -> tuple[int, int]:
    return source.line_of(at), at - line_start(source.text, at) + 1


def _refused(source: Source, error: Unreadable) -> Refusal:
    line, column = _place(source, error.at)
    where = {"line": line, "column": column}
    if error.is_too_deep:
        return Refusal(Kind.TOO_LARGE, f"line {line}: {error.message}", "edit the text itself", where)
    return Refusal(
        Kind.UNPARSABLE,
        f"this is no JSON: line {line}, column {column}: {error.message}",
        f"mend line {line} first, by a replace of its text",
        where,
    )
