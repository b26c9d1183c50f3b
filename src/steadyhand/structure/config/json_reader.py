"""The reader of JSON, of JSON with comments, of JSON5 and JSON Lines.

The dialect is known by the file's name: `.json5` has names without quotes, `.jsonl` and `.ndjson` have a value on each
line. Comments and trailing commas are read everywhere, since `.json` files have them too. Nothing is repaired: the
first place that does not follow the grammar ends the reading. Every pattern is possessive: a match costs what it
covers, whatever the text.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from json.scanner import make_scanner
from typing import Any

from steadyhand.errors import Kind
from steadyhand.hints import ByText
from steadyhand.lazy import dataclass, field, lazy_pattern
from steadyhand.structure.config.item import KINDS, Item, ItemKind, KeyPath, Reading, Step, Unreadable, too_large
from steadyhand.structure.format import Change, Fault, Unchecked, file_name
from steadyhand.structure.node import Refusal
from steadyhand.text.cancel import OFTEN, check_cancelled, check_cancelled_at, check_each
from steadyhand.text.lines import line_start, split_lines
from steadyhand.text.source import Source
from steadyhand.text.span import Span

# Tokens.

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
        lazy_pattern(gap),
        lazy_pattern(rf"{gap}(?:([{{\[])|({string})|({number})|({_WORD}))"),
        lazy_pattern(rf"{gap}(?:({name}){gap}:|(\}}))"),
        lazy_pattern(rf"{gap}([,}}\]])"),
        lazy_pattern(rf"{gap}(\])"),
        unquote,
    )


def _unquote(written: str) -> str:
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


def _unescape(found: re.Match[str]) -> str:
    code = found.group(1) or found.group(2)
    if code is not None:
        return chr(int(code, 16))
    letter = found.group(3)
    return "" if letter in ("\n", "\r", "\r\n", "\u2028", "\u2029") else _LETTERS.get(letter, letter)


def _number(written: str) -> object:
    """An int or a float; the digits themselves where they are too many to count."""
    if len(written) > _MOST_DIGITS:
        return written
    if written.isdecimal():
        return int(written)
    if "x" in written or "X" in written:
        return int(written, 16)
    return float(written) if any(mark in written for mark in ".eE") else int(written)


JSON = _grammar(_GAP, _STRING, _NUMBER, _STRING, _unquote)
JSON5 = _grammar(_WIDE_GAP, _LOOSE_STRING, _LOOSE_NUMBER, rf"{_LOOSE_STRING}|{_BARE_NAME}", unquote_loosely)

# From tokens to items.

DEEPEST = 512
_MOST = 400_000  # values that are read within seconds
_MOST_STEPS = 20_000_000
"""The steps of all paths together: what deep nesting with many items costs in memory."""


@dataclass(slots=True)
class _Open:
    """A container whose end has not been seen yet."""

    path: KeyPath
    name: Span | None
    start: int
    is_mapping: bool
    children: list[Item] = field(default_factory=list)


@dataclass(slots=True)
class _Scanner:
    """One pass, no recursion."""

    text: str
    at: int
    end: int
    grammar: Grammar
    unclosed: list[_Open] = field(default_factory=list)
    steps: int = 0
    count: int = 0

    def run(self, path: KeyPath = ()) -> Item:
        """The one value of the text, whose path is known. Raises `Unreadable`."""
        item = self._value(path, None)
        while self.unclosed:
            inner = self.unclosed[-1]
            if item is not None:
                inner.children.append(item)
            step = None if item is not None and self._is_closed() else self._next()
            if step is not None:
                item = self._value((*inner.path, step[0]), step[1])
                continue
            kind: ItemKind = "mapping" if inner.is_mapping else "sequence"
            value = Span(inner.start, self.at)
            entry = value if inner.name is None else Span(inner.name.start, self.at)
            item = Item(inner.path, kind, value, inner.name, entry, tuple(inner.children))
            self.unclosed.pop()
        assert item is not None
        gap = self.grammar.gap.match(self.text, self.at, self.end)
        if gap is not None and gap.end() < self.end:
            raise Unreadable(gap.end(), "nothing is expected after the value")
        return item

    def _value(self, path: KeyPath, name: Span | None) -> Item | None:
        """A scalar; None for a container, which is open then."""
        self.steps += len(path)
        self.count += 1
        check_cancelled_at(self.count)
        if self.count > _MOST:
            raise Unreadable(self.at, f"it has more than {_MOST} values", is_too_large=True)
        if self.steps > _MOST_STEPS:
            raise Unreadable(self.at, "too many values are nested too deep", is_too_large=True)
        found = self.grammar.value.match(self.text, self.at, self.end)
        if found is None:
            raise self._expected("a value is expected")
        group = found.lastindex or 1
        start, end = found.span(group)
        self.at = end
        if group == 1:
            if len(path) == DEEPEST:
                raise Unreadable(start, f"nested deeper than {DEEPEST} levels", is_too_large=True)
            self.unclosed.append(_Open(path, name, start, self.text[start] == "{"))
            return None
        written, value = self.text[start:end], Span(start, end)
        kind: ItemKind = "number"
        data: object = None
        if group == 2:
            try:
                kind, data = "text", self.grammar.unquote(written)
            except ValueError:
                raise Unreadable(start, "the string has an escape that is not valid in JSON") from None
        elif group == 3:
            data = _number(written)
        else:
            kind, data = _WORDS.get(written) or ("number", float(written.replace("Infinity", "inf")))
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
            raise self._expected("a name in quotes followed by a colon, or }, is expected")
        self.at = found.end()
        if found.lastindex == 2:
            return None
        try:
            return self.grammar.unquote(found[1]), Span(*found.span(1))
        except ValueError:
            raise Unreadable(found.start(1), "the name has an escape that is not valid in JSON") from None

    def _expected(self, message: str) -> Unreadable:
        gap = self.grammar.gap.match(self.text, self.at, self.end)
        return Unreadable(gap.end() if gap else self.at, message)


# Plain JSON, without comments, in which the parser of the standard library finds where each value ends: what nobody
# looks into is read at its speed.

# `raw_decode` without the frame around it, of which a file would have one for each value.
_SCAN: Callable[[str, int], tuple[Any, int]] = make_scanner(json.JSONDecoder())  # type: ignore[arg-type]
_PLAIN_GAP = lazy_pattern(r"[ \t\r\n]*+")
_NEXT_ITEM = lazy_pattern(r"[ \t\r\n]*+,[ \t\r\n]*+")
_FIRST_NAME = lazy_pattern(rf"[ \t\r\n]*+({_STRING})[ \t\r\n]*+:[ \t\r\n]*+")
_NEXT_NAME = lazy_pattern(rf"[ \t\r\n]*+,[ \t\r\n]*+({_STRING})[ \t\r\n]*+:[ \t\r\n]*+")
_DEEPEST_PLAIN = 64
_CONTAINERS = frozenset((dict, list))


def _plain(text: str, start: int, end: int, path: KeyPath = ()) -> Item | None:
    """The same as `_Scanner`, for plain JSON that is not nested deep; None for everything else."""
    if end - start > _MOST and sum(text.count(sign, start, end) for sign in ",[{") > _MOST:
        return None
    first = _skip(text, start)
    if text[first : first + 1] not in ("{", "["):
        return None
    inside: list[Any] = []
    try:
        children, last = _children(text, first, path, inside)
    except (ValueError, StopIteration, RecursionError):
        return None
    if not last <= end <= _skip(text, last) or _is_deep(inside):
        return None
    place = Span(first, last)
    return Item(path, "mapping" if text[first] == "{" else "sequence", place, None, place, children)


def _children(text: str, start: int, path: KeyPath, inside: list[Any] | None = None) -> tuple[tuple[Item, ...], int]:
    """The children of a container, and where it ends; what they hold is added to `inside`.

    Raises ValueError and StopIteration.
    """

    def look_inside(item: Item) -> tuple[Item, ...]:
        return _children(text, item.value.start, item.path)[0]

    closer, first, following = ("}", _FIRST_NAME, _NEXT_NAME) if text[start] == "{" else ("]", _PLAIN_GAP, _NEXT_ITEM)
    made: list[Item] = []
    end = start + 1
    found = None if text.startswith(closer, _skip(text, end)) else first.match(text, end)
    while found is not None:
        at = found.end()
        data, end = _SCAN(text, at)
        value = Span(at, end)
        name = Span(*found.span(1)) if closer == "}" else None
        entry = value if name is None else Span(name[0], end)
        own = (*path, len(made) if name is None else _unquote(found[1]))
        kind = data.__class__
        if kind not in _CONTAINERS:
            made.append(Item(own, KINDS[kind], value, name, entry, (), data))
        else:
            made.append(Item(own, KINDS[kind], value, name, entry, look_inside))
            if inside is not None:
                inside.append(data)
        if not len(made) % OFTEN:
            check_cancelled()
        found = following.match(text, end)
    end = _skip(text, end)
    if not text.startswith(closer, end):
        raise ValueError
    return tuple(made), end + 1


def _skip(text: str, at: int) -> int:
    found = _PLAIN_GAP.match(text, at)
    return at if found is None else found.end()


def _is_deep(level: list[Any]) -> bool:
    """Whether data is nested so deep that looking into it level by level would take too long."""
    for _ in range(_DEEPEST_PLAIN):
        parts = (part.values() if part.__class__ is dict else part for part in level)
        deeper = (part for part in parts if not _CONTAINERS.isdisjoint(map(type, part)))  # most hold scalars only
        level = [inner for part in deeper for inner in part if inner.__class__ in _CONTAINERS]
        if not level:
            return False
    return True


# Readings.

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
    start = 1 if source.text.startswith("\ufeff") else 0
    is_plain = grammar_of(source) is JSON and not is_by_line(source)
    top = _plain(source.text, start, len(source.text)) if is_plain else None
    if top is not None:
        source.keep(is_plain_json, True)
    try:
        return Reading(tuple(_documents(source)) if top is None else (top,))
    except Unreadable as error:
        return _refused(source, error)


def _documents(source: Source) -> Iterator[Item]:
    text, grammar = source.text, grammar_of(source)
    at = 1 if text.startswith("\ufeff") else 0
    if not is_by_line(source):
        yield _Scanner(text, at, len(text), grammar).run()
        return
    for line in check_each(split_lines(text[at:])):
        if line.strip(" \t\r\n\ufeff"):
            yield _Scanner(text, at, at + len(line), grammar).run()
        at += len(line)


def read_part(before: Source, source: Source, item: Item, end: int) -> Item | Refusal | None:
    """A container that starts where it did and ends elsewhere now, read on its own; None where lines matter."""
    if is_by_line(source):
        return None
    grammar = grammar_of(source)
    found = _plain(source.text, item.value.start, end, item.path) if grammar is JSON else None
    if found is not None and before.derived(is_plain_json):
        source.keep(is_plain_json, True)
    try:
        return found or _Scanner(source.text, item.value.start, end, grammar).run(item.path)
    except Unreadable as error:
        return _refused(source, error)


def fault_of(source: Source) -> Fault | Unchecked | None:
    """The first place where the text is no JSON of its dialect."""
    if source.derive(is_plain_json):
        return None
    try:
        for _ in _documents(source):
            pass
    except Unreadable as error:
        line, column = _place(source, error.at)
        return Unchecked(error.message) if error.is_too_large else Fault(line, error.message, column)
    name = file_name(source.path)
    is_strict = name in _STRICT_NAMES or name.endswith(_STRICT_SUFFIXES)  # the programs that read it
    try:
        if is_strict:
            json.loads(source.text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        line, column = _place(source, error.pos + source.text.startswith("\ufeff"))
        return Fault(line, "the programs that read this file accept no comments or trailing commas", column)
    except (ValueError, RecursionError):
        pass  # too many digits, or too deep to tell
    return None


def is_plain_json(source: Source) -> bool:
    """Whether a file is one value, without comments and trailing commas; who has read it so need not ask."""
    return grammar_of(source) is JSON and not is_by_line(source) and is_strict(source.text)


def is_strict(text: str) -> bool:
    """Whether a text is JSON without comments and trailing commas."""
    try:
        json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return False
    return True


def _place(source: Source, at: int) -> tuple[int, int]:
    return source.line_of(at), at - line_start(source.text, at) + 1


def _refused(source: Source, error: Unreadable) -> Refusal:
    line, column = _place(source, error.at)
    if error.is_too_large:
        return too_large(error.message, line, column)
    return Refusal(
        Kind.UNPARSABLE,
        f"this is not JSON: line {line}, column {column}: {error.message}",
        ByText(f"fix line {line} first"),
        {"line": line, "column": column},
        error.message,
    )


# Whether a change leaves a valid text valid, from the changed lines alone. No string of JSON spans lines, so at the
# start of a line the text is outside of strings. What else could be there is a comment: text that does not end one is
# as good in it. JSON5 has strings that span lines; this is not for it.

_STRICT_STRING = r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"'
_SCALAR = r"(?:-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+|true|false|null)(?![\w.+-])"
_TOKENS = lazy_pattern(rf"(?:{_STRICT_STRING}|{_SCALAR}|[\[\]{{}},: \t\r\n])*+\Z")
_STRINGS, _SCALARS, _BLANKS = lazy_pattern(_STRICT_STRING), lazy_pattern(_SCALAR), lazy_pattern(r"\s+")
_MEMBER = lazy_pattern(r'[ \t\r\n]*"[^"\\\x00-\x1f]*+"[ \t\r\n]*+:')
_FIRST = lazy_pattern(r"[ \t\r\n]*([^ \t\r\n])")
_VALUES = "{[-0123456789tfn"  # how values start that are no text
_LONGEST = 300
_LONG_NUMBER = lazy_pattern(rf"[0-9]{{{_LONGEST}}}")


def is_neutral(change: Change) -> bool:
    """Whether the text after is valid if the text before is."""
    old, new = change.old, change.new
    if "*/" in old or "*/" in new or not _TOKENS.match(new) or _LONG_NUMBER.search(new):
        return False
    if not _TOKENS.match(old):
        return False
    return _shape(old) == _shape(new) or _are_entries(change, old.strip(), new.strip())


def _shape(lines: str) -> str:
    """The kinds of the tokens."""
    return _BLANKS.sub("", _SCALARS.sub("0", _STRINGS.sub("s", lines)))


def _are_entries(change: Change, old: str, new: str) -> bool:
    """Whether some entries of one container take the place of others."""
    if not old:
        container = "{%s}" if _MEMBER.match(change.before, change.end) else "[%s]" if _is_between(change) else None
        return container is not None and new.endswith(",") and _read(container, new) is not None
    ends = old.endswith(",")
    if not new:
        return ends and _read("{%s}", old) is not None
    if ends != new.endswith(","):
        return False
    if _read("{%s}", old) is not None:
        return _read("{%s}", new) is not None
    values, others = _read("[%s]", old), _read("[%s]", new)
    if not isinstance(values, list) or not isinstance(others, list):
        return False
    # A value alone may be that of a key, and a text alone may be a key.
    return _next(change) in (_VALUES if ends else "]") or (
        not isinstance(values[-1], str) and (len(values) > 1 or len(others) == 1)
    )


def _next(change: Change) -> str:
    """The character behind the change; one that is nowhere for the end of the text."""
    found = _FIRST.match(change.before, change.end)
    return found[1] if found is not None else "\0"


def _is_between(change: Change) -> bool:
    """Whether a change is in front of a value of a list: behind a comma a value without a name is in no mapping."""
    above = change.before[max(change.start - 300, 0) : change.start].rstrip(" \t\r\n")
    is_comment = "/" in above[above.rfind("\n") + 1 :]
    return not is_comment and above.endswith((",", "[")) and _next(change) in _VALUES


def _read(container: str, entries: str) -> object:
    """What is written in a container, of which the last comma counts for nothing; None if that cannot be read."""
    try:
        found: object = json.loads(container % entries.removesuffix(","))
    except (ValueError, RecursionError):
        return None
    return found or None
