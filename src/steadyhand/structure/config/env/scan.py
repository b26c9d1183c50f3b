"""From the text of a `.env` file to its entries, as the usual loaders read them.

A value may be a secret: nothing here puts one into a message.
"""

from __future__ import annotations

import re

from steadyhand.errors import Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.structure.config.line_file import LineEntry, LineFile, LineSection
from steadyhand.structure.config.lines import first_of
from steadyhand.structure.node import Refusal
from steadyhand.text.pace import go_on_at
from steadyhand.text.source import Source
from steadyhand.text.span import Span

SIGNS = "#"

_BETWEEN = lazy_pattern(r"[ \t\r\n]*+(?:#[^\r\n]*+[ \t\r\n]*+)*+")
_NAME = lazy_pattern(r"(?:export[ \t]++)?+([A-Za-z_][A-Za-z0-9_.-]*+)([ \t]*+)(=?)[ \t]*+")
_DOUBLE = lazy_pattern(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_SINGLE = lazy_pattern(r"'[^'\\]*+(?:\\.[^'\\]*+)*+'", re.DOTALL)
_BARE = lazy_pattern(r"[^\r\n]*")
_COMMENT = lazy_pattern(r"(?:\A|[ \t]+)#.*", re.DOTALL)
_REST = lazy_pattern(r"[ \t]*+(?:#[^\r\n]*+)?+(?=[\r\n]|\Z)")
_ESCAPE = lazy_pattern(r"\\([\\'\"abfnrtv])")
_ESCAPE_SINGLE = lazy_pattern(r"\\([\\'])")
_LETTERS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def read_env(source: Source) -> LineFile | Refusal:
    """The file, or `unparsable` with the first line that is no entry."""
    text = source.text
    entries: list[LineEntry] = []
    at = _skip(text, first_of(text))
    while at < len(text):
        entry = _entry_at(text, at)
        rest = _REST.match(text, entry.span.end) if entry else None
        if entry is None or rest is None:
            return _refuse(source.line_of(at))
        entries.append(entry)
        go_on_at(len(entries))
        at = _skip(text, rest.end())
    return LineFile(text, (LineSection("", None, Span(0, 0), tuple(entries)),), SIGNS)


def decode(written: str) -> str:
    """What a value as it is written says.

    >>> decode('"a\\\\nb"'), decode("'a\\\\nb'")
    ('a\\nb', 'a\\\\nb')
    """
    inner = written[1:-1].replace("\r\n", "\n")
    if written.startswith('"'):
        return _ESCAPE.sub(lambda found: _LETTERS.get(found.group(1), found.group(1)), inner)
    if written.startswith("'"):
        return _ESCAPE_SINGLE.sub(r"\1", inner)
    return written


def bare_end(line: str) -> int:
    """Where a value without quotes ends on its line."""
    found = _COMMENT.search(line)
    return len((line[: found.start()] if found else line).rstrip(" \t"))


def _skip(text: str, at: int) -> int:
    found = _BETWEEN.match(text, at)
    return found.end() if found else at


def _entry_at(text: str, at: int) -> LineEntry | None:
    found = _NAME.match(text, at)
    if found is None:
        return None
    name = Span(*found.span(1))
    if not found.group(3):
        return LineEntry(found.group(1), name, Span(name.end, name.end), None, name.end)
    behind = found.end(3)
    value = _value_at(text, found.end())
    if value is None:
        return None
    if value.is_empty:
        place = behind + (text[behind : behind + 1] in (" ", "\t"))
        value = Span(place, place)
    return LineEntry(found.group(1), name, value, decode(value.of(text)), behind)


def _value_at(text: str, at: int) -> Span | None:
    """Where the value stands that starts at an offset; None where its quotes are not closed."""
    quoted = {'"': _DOUBLE, "'": _SINGLE}.get(text[at : at + 1])
    if quoted is not None:
        closed = quoted.match(text, at)
        return Span(*closed.span()) if closed else None
    line = _BARE.match(text, at)
    end = at + bare_end(line.group() if line else "")
    # Some loaders let backticks go over several lines, others do not know them: not to be guessed.
    return None if text[at : at + 1] == "`" and (end - at < 2 or text[end - 1] != "`") else Span(at, end)


def _refuse(line: int) -> Refusal:
    return Refusal(
        Kind.UNPARSABLE,
        f"line {line} is no line of a .env file: NAME=value is expected, with quotes that are closed",
        "mend that line first",
        {"line": line},
    )
