"""The reader of JSON, of JSON with comments, of JSON5 and JSON Lines.

The tokens of JSON with comments and trailing commas, and of JSON5.

Every pattern is possessive: a match costs what it covers, whatever the text.

Text to items: every value of a JSON text with the place it stands at.

One pass, no recursion; comments and trailing commas are taken wherever they stand. Nothing is repaired: the first place
that does not follow the grammar ends the reading.

A JSON text of whatever dialect as a reading, and the first place where it is none.

The dialect is told by the file's name: `.json5` has names without quotes, `.jsonl` and `.ndjson` have a value on each
line. Comments and trailing commas are read everywhere, since `.json` files have them too.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator

from steadyhand.errors import Kind
from steadyhand.hints import ByText
from steadyhand.lazy import dataclass, field, lazy_pattern
from steadyhand.structure.config.item import Item, ItemKind, KeyPath, Reading, Step
from steadyhand.structure.format import Fault, Unchecked
from steadyhand.structure.node import Refusal
from steadyhand.text.lines import line_start, split_lines
from steadyhand.text.pace import go_on_at, paced
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_COMMENT = r"//[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/"
_GAP = rf"(?:[ \t\r\n]++|{_COMMENT})*+"
_WIDE_GAP = rf"(?:[\s\ufeff]++|{_COMMENT})*+"
_STRING = r'"(?:[^"\\\x00-\x1f]++|\\.)*+"'
_LOOSE_STRING = r""""(?:[^"\\\r\n]++|\\(?:\r\n|[\s\S]))*+"|'(?:[^'\\\r\n]++|\\(?:\r\n|[\s\S]))*+'"""
_NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+(?![\w.+-])"
_LOOSE_NUMBER = (
    r"[+-]?(?:0[xX][0-9a-fA-F]++|(?:(?:0|[1-9][0-9]*+)(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+)(?![\w.+-])"
)
_WORD = r"(?:true|false|null|NaN|[+-]?Infinity)(?![\w$])"
_BARE_NAME = r"[^\W\d][\w$]*+|\$[\w$]*+"

_WORDS: dict[str, tuple[ItemKind, object]] = {
    "true": ("flag", True),
    "false": ("flag", False),
    "null": ("null", None),
    "NaN": ("number", math.nan),
}
_ESCAPE = lazy_pattern(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(\r\n|[\s\S]))")
_LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_MOST_DIGITS = 4000


@dataclass(frozen=True, slots=True)
class Grammar:
    """The patterns of one dialect. Each starts with the gap: blanks and comments.

    `value`      groups: opening bracket, string, number, word
    `name`       groups: name with the gap and colon behind it outside of the group, closing brace
    `separator`  group: comma or closing bracket
    `closing`    group: closing square bracket
    """

    gap: re.Pattern[str]
    value: re.Pattern[str]
    name: re.Pattern[str]
    separator: re.Pattern[str]
    closing: re.Pattern[str]
    unquote: Callable[[str], str]


def _grammar(gap: str, string: str, number: str, name: str, unquote: Callable[[str], str]) -> Grammar:
    return Grammar(
        re.compile(gap),
        re.compile(rf"{gap}(?:([{{\[])|({string})|({number})|({_WORD}))"),
        re.compile(rf"{gap}(?:({name}){gap}:|(\}}))"),
        re.compile(rf"{gap}([,}}\]])"),
        re.compile(rf"{gap}(\])"),
        unquote,
    )


def unquote(written: str) -> str:
    """The text of a JSON string; ValueError where an escape is none."""
    return written[1:-1] if "\\" not in written else str(json.loads(written))


def unquote_loosely(written: str) -> str:
    """The text of a JSON5 string or name.

    >>> unquote_loosely("'it\\\\x27s'")
    "it's"
    """
    if written[:1] not in ("'", '"'):
        return written
    if "\\" not in written:
        return written[1:-1]
    parts = _ESCAPE.sub(_unescape, written[1:-1])
    return parts.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def scalar_of(group: int, written: str, grammar: Grammar) -> tuple[ItemKind, object]:
    """Kind and data of a token of `Grammar.value`; ValueError where a string has a wrong escape."""
    if group == 2:
        return "text", grammar.unquote(written)
    if group == 4:
        return _WORDS.get(written) or ("number", float(written.replace("Infinity", "inf")))
    return "number", _number(written)


def _number(written: str) -> object:
    """An int or a float; the digits themselves where they are too many to count."""
    if len(written) > _MOST_DIGITS:
        return written
    if written.isdecimal():
        return int(written)
    if "x" in written or "X" in written:
        return int(written, 16)
    return float(written) if any(mark in written for mark in ".eE") else int(written)


def _unescape(found: re.Match[str]) -> str:
    code = found.group(1) or found.group(2)
    if code is not None:
        return chr(int(code, 16))
    letter = found.group(3)
    return "" if letter in ("\n", "\r", "\r\n", "\u2028", "\u2029") else _LETTERS.get(letter, letter)


JSON = _grammar(_GAP, _STRING, _NUMBER, _STRING, unquote)
JSON5 = _grammar(_WIDE_GAP, _LOOSE_STRING, _LOOSE_NUMBER, rf"{_LOOSE_STRING}|{_BARE_NAME}", unquote_loosely)


DEEPEST = 512
_MOST = 400_000  # values that are read within seconds
_MOST_STEPS = 20_000_000
"""The steps of all paths together: what deep nesting with many items costs in memory."""


class Unreadable(Exception):
    """Where a text stops being JSON, and what was expected there; `is_too_deep`: it may well be JSON."""

    def __init__(self, at: int, message: str, *, is_too_deep: bool = False) -> None:
        super().__init__(message)
        self.at = at
        self.message = message
        self.is_too_deep = is_too_deep


@dataclass(slots=True)
class _Open:
    """A container whose end has not been seen yet."""

    path: KeyPath
    name: Span | None
    start: int
    is_mapping: bool
    children: list[Item] = field(default_factory=list)

    def close(self, end: int) -> Item:
        value = Span(self.start, end)
        entry = value if self.name is None else Span(self.name.start, end)
        kind: ItemKind = "mapping" if self.is_mapping else "sequence"
        return Item(self.path, kind, value, self.name, entry, tuple(self.children))


@dataclass(slots=True)
class _Scanner:
    text: str
    at: int
    end: int
    grammar: Grammar
    path: KeyPath
    unclosed: list[_Open] = field(default_factory=list)
    steps: int = 0
    count: int = 0

    def run(self) -> Item:
        """The value that starts here; `at` stands behind it after."""
        path = self.path
        name: Span | None = None
        while True:
            item = self._value(path, name)
            step: tuple[Step, Span | None] | None = None
            while step is None:
                if item is not None:
                    if not self.unclosed:
                        return item
                    self.unclosed[-1].children.append(item)
                    is_closed = self._is_closed()
                else:
                    is_closed = False
                step = None if is_closed else self._next()
                if step is None:
                    item = self.unclosed.pop().close(self.at)
            path, name = (*self.unclosed[-1].path, step[0]), step[1]
            self.steps += len(path)
            self.count += 1
            go_on_at(self.count)
            if self.count > _MOST:
                raise Unreadable(self.at, f"it has more than {_MOST} values", is_too_deep=True)
            if self.steps > _MOST_STEPS:
                raise Unreadable(self.at, "too many values are nested too deep", is_too_deep=True)

    def _value(self, path: KeyPath, name: Span | None) -> Item | None:
        """A scalar; None for a container, which is open then."""
        found = self.grammar.value.match(self.text, self.at, self.end)
        if found is None:
            raise self._expected("a value is expected")
        group = found.lastindex or 1
        start, end = found.span(group)
        self.at = end
        if group == 1:
            if len(path) == DEEPEST:
                raise Unreadable(start, f"nested deeper than {DEEPEST} levels", is_too_deep=True)
            self.unclosed.append(_Open(path, name, start, self.text[start] == "{"))
            return None
        written, value = self.text[start:end], Span(start, end)
        kind: ItemKind = "text"
        data: object = written[1:-1]
        if group != 2 or "\\" in written:  # nearly always a text without escapes
            try:
                kind, data = scalar_of(group, written, self.grammar)
            except ValueError:
                raise Unreadable(start, "the string has an escape that JSON does not know") from None
        return Item(path, kind, value, name, value if name is None else Span(name.start, end), (), data)

    def _is_closed(self) -> bool:
        """Whether the innermost container ends here; else a comma has been passed."""
        closer = "}" if self.unclosed[-1].is_mapping else "]"
        mark = self.text[self.at : self.at + 1] if self.at < self.end else ""
        if mark in (",", closer) and mark:
            self.at += 1  # nearly always: no gap in front of it
            return mark == closer
        found = self.grammar.separator.match(self.text, self.at, self.end)
        if found is None or found[1] not in (",", closer):
            raise self._expected(f"a comma or {closer} is expected")
        self.at = found.end()
        return found[1] == closer

    def _next(self) -> tuple[Step, Span | None] | None:
        """The step of the next child; None where the container ends, perhaps behind a trailing comma."""
        inner = self.unclosed[-1]
        if not inner.is_mapping:
            found = self.grammar.closing.match(self.text, self.at, self.end)
            if found is None:
                return len(inner.children), None
            self.at = found.end()
            return None
        found = self.grammar.name.match(self.text, self.at, self.end)
        if found is None:
            raise self._expected("a name in quotes with a colon behind it, or }, is expected")
        self.at = found.end()
        if found.lastindex == 2:
            return None
        try:
            return self.grammar.unquote(found[1]), Span(*found.span(1))
        except ValueError:
            raise Unreadable(found.start(1), "the name has an escape that JSON does not know") from None

    def _expected(self, message: str) -> Unreadable:
        gap = self.grammar.gap.match(self.text, self.at, self.end)
        return Unreadable(gap.end() if gap else self.at, message)


def scan(text: str, grammar: Grammar, start: int = 0, end: int | None = None, path: KeyPath = ()) -> Item:
    """The one value of a text, or of a part of it, whose path is known then. Raises `Unreadable`."""
    stop = len(text) if end is None else end
    first = start + 1 if start == 0 and text.startswith("\ufeff") else start
    scanner = _Scanner(text, first, stop, grammar, path)
    item = scanner.run()
    gap = grammar.gap.match(text, scanner.at, stop)
    if gap is not None and gap.end() < stop:
        raise Unreadable(gap.end(), "nothing is expected behind the value")
    return item


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
        return Fault(line, "the programs that read this file accept no comments or trailing commas", column)
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
        return Refusal(Kind.TOO_LARGE, f"line {line}: {error.message}", ByText(), where, error.message)
    return Refusal(
        Kind.UNPARSABLE,
        f"this is not JSON: line {line}, column {column}: {error.message}",
        ByText(f"fix line {line} first"),
        where,
        error.message,
    )
