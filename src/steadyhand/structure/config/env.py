"""`.env` files: their reader and how their entries are written.

Everything is text; a value keeps its quotes, and gets some where it needs them.
A value may be a secret: no message, note or label of this syntax has one in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from steadyhand.errors import Kind
from steadyhand.hints import ByText
from steadyhand.lazy import lazy_pattern
from steadyhand.structure.config.item import Item, Plain, Reading
from steadyhand.structure.config.layout import Write, first_of
from steadyhand.structure.config.lines import LineSyntax, entry_of, equals_like, text_of, top_of
from steadyhand.structure.format import Fault, Unchecked, file_name
from steadyhand.structure.node import Refusal, refuse
from steadyhand.text.cancel import check_cancelled_at
from steadyhand.text.lines import to_lf
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_BETWEEN = lazy_pattern(r"[ \t\r\n]*+(?:#[^\r\n]*+[ \t\r\n]*+)*+")
_ASSIGNED = lazy_pattern(r"(?:export[ \t]++)?+([A-Za-z_][A-Za-z0-9_.-]*+)([ \t]*+)(=?)[ \t]*+")
_DOUBLE = lazy_pattern(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_SINGLE = lazy_pattern(r"'[^'\\]*+(?:\\.[^'\\]*+)*+'", re.DOTALL)
_BARE = lazy_pattern(r"[^\r\n]*")
_COMMENT = lazy_pattern(r"(?:\A|[ \t]+)#.*", re.DOTALL)
_REST = lazy_pattern(r"[ \t]*+(?:#[^\r\n]*+)?+(?=[\r\n]|\Z)")
_ESCAPE = lazy_pattern(r"\\([\\'\"abfnrtv])")
_ESCAPE_SINGLE = lazy_pattern(r"\\([\\'])")
_LETTERS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def read_env(source: Source) -> Reading | Refusal:
    """The file, or `unparsable` with the first line that is no entry."""
    text = source.text
    is_script = file_name(source.path) == ".envrc"  # of direnv: commands between the assignments
    entries: list[Item] = []
    at = _skip(text, first_of(text))
    while at < len(text):
        entry = _entry_at(text, at)
        rest = _REST.match(text, entry.entry.end) if entry else None
        if entry is not None and rest is not None:
            entries.append(entry)
            check_cancelled_at(len(entries))
        elif is_script:
            rest = _BARE.match(text, at)
        else:
            line = source.line_of(at)
            return Refusal(
                Kind.UNPARSABLE,
                f"line {line} is not a line of a .env file: NAME=value is expected, with quotes that are closed",
                ByText("fix that line first"),
                {"line": line},
            )
        at = _skip(text, rest.end() if rest else len(text))
    return Reading((top_of(text, entries),))


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


def _entry_at(text: str, at: int) -> Item | None:
    found = _ASSIGNED.match(text, at)
    if found is None:
        return None
    path, name = (found.group(1),), Span(*found.span(1))
    if not found.group(3):
        return entry_of(path, name, Span(name.end, name.end), None, name.end)
    behind = found.end(3)
    value = _value_at(text, found.end())
    if value is None:
        return None
    if value.is_empty:
        place = behind + (text[behind : behind + 1] in (" ", "\t"))
        value = Span(place, place)
    return entry_of(path, name, value, decode(value.of(text)), behind)


def _value_at(text: str, at: int) -> Span | None:
    """Where a value is that starts at an offset; None where its quotes are not closed."""
    quoted = {'"': _DOUBLE, "'": _SINGLE}.get(text[at : at + 1])
    if quoted is not None:
        closed = quoted.match(text, at)
        return Span(*closed.span()) if closed else None
    line = _BARE.match(text, at)
    end = at + bare_end(line.group() if line else "")
    # Some loaders let backticks go over several lines, others do not know them: not to be guessed.
    return None if text[at : at + 1] == "`" and (end - at < 2 or text[end - 1] != "`") else Span(at, end)


_NAME = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_.-]*")
_NEEDS_QUOTES = lazy_pattern(r"[\s#$'\"`\\]")
_CONTROL = lazy_pattern(r"[\x00-\x08\x0b-\x1f\x7f]")


class Env(LineSyntax):
    """`.env`, as dotenv loaders and shells read it."""

    name: ClassVar[str] = "env"
    comment = lazy_pattern(r"#[^\r\n]*")

    def read(self, source: Source) -> Reading | Refusal:
        return read_env(source)

    def check_name(self, source: Source, name: str) -> Refusal | None:  # noqa: ARG002
        if _NAME.fullmatch(name):
            return None
        return refuse(
            "a name consists of letters, digits and _, and does not start with a digit", "choose another name"
        )

    def render(self, source: Source, item: Item | None, value: Plain) -> str | Refusal:
        text = text_of(value)
        if isinstance(text, Refusal):
            return text
        text = to_lf(text)
        if _CONTROL.search(text):
            return refuse("a value has no control characters", "send it without them")
        old = item.value.of(source.text) if item is not None else ""
        written = _quoted(text, self._quote_for(source, text, old), has_lines="\n" in old)
        return written if written is not None else refuse("this value cannot be written in quotes", "send another")

    def render_line(self, source: Source, siblings: Sequence[Item], name: str, written: str) -> str:
        before, equals = equals_like(source.text, siblings, lambda: "=")
        return f"{before}{name}{equals}{written}".rstrip(" \t")

    def put_value(self, source: Source, item: Item, written: str) -> Write:  # noqa: ARG002
        return item.value, written if item.data is not None else f"={written}"

    def _quote_for(self, source: Source, text: str, old: str) -> str:
        """The quotes a text gets: those of the old value; otherwise, where it needs some, those of the file."""
        if old[:1] in ('"', "'"):
            return old[0]
        if not _NEEDS_QUOTES.search(text):
            return ""
        marks = [item.value.of(source.text)[:1] for item in self.sections(source)[0].items]
        return "'" if marks.count("'") > marks.count('"') else '"'


def _quoted(text: str, quote: str, *, has_lines: bool) -> str | None:
    """A text in quotes, others where these cannot say it; None where none can."""
    if not quote:
        return text
    if quote == "'" and "'" not in text and "\\" not in text:
        return f"'{text}'"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    if text.endswith("\\") or (quote == "'" and "$" in text):
        # Some loaders take a backslash before the last quote for an escape and read on; most expand $ in these quotes.
        return None
    written = f'"{escaped if has_lines else escaped.replace(chr(10), chr(92) + "n")}"'
    return written if decode(written) == text else None


SYNTAX = Env()


def fault_of(source: Source) -> Fault | Unchecked | None:
    """The first line that is none of the format."""
    return Fault.of(source.derive(SYNTAX.read), "this is not a line of a .env file")
