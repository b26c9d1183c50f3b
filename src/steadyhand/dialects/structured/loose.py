"""JSON with positions: strictly as the standard has it, or loosely as models write it.

The loose reading takes trailing and missing commas, comments, single quotes, keys without quotes, line breaks and bare
quotes inside strings, unknown escapes, Python's names of constants. Each of these is a `Flaw` of the reading. A value
that is cut off, a key that occurs twice, and anything that could be read in two ways is refused, never guessed.
Nothing here knows what the value is about, and nothing recurses.

An unknown escape such as `\\d` keeps its backslash: who forgets to double one writes a pattern or a path, and never
means the plain letter. So an `\\n` in the same word, or in a string that has line breaks as they are, may be a
backslash and an n: it is read as JSON has it, and is `AMBIGUOUS`.
"""

from __future__ import annotations

import re

from steadyhand.dialects.structured.node import Flaw, Node, Reading, Unreadable, Value
from steadyhand.dialects.structured.quotes import Names, Outlook, Verdict, plain_name
from steadyhand.lazy import dataclass, field, lazy_pattern

__all__ = ["AMBIGUOUS", "DOUBTFUL", "MAX_DEPTH", "read_loose", "read_strict"]

MAX_DEPTH = 64
DOUBTFUL = "an escape that is not valid in JSON"
AMBIGUOUS = "an escape that may be two characters"
_LONGEST_NUMBER = 400
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_STRICT_RUN = lazy_pattern(r'[^"\\\x00-\x1f]*')
_LOOSE_RUNS = {'"': lazy_pattern(r'[^"\\]*'), "'": lazy_pattern(r"[^'\\]*")}
_STRICT_BLANKS = lazy_pattern(r"[ \t\r\n]*")
_LOOSE_BLANKS = lazy_pattern(r"[ \t\r\n\ufeff\u00a0]*")
_CONTROL = lazy_pattern(r"[\x00-\x1f]")
_HEX = lazy_pattern(r"[0-9a-fA-F]{4}", re.ASCII)
_WORD_WITH_ESCAPES = lazy_pattern(r"[\w\\.*+?:$-]+")
_ESCAPE = lazy_pattern(r"\\(.)", re.DOTALL)
_TWO = "nrt/"  # letters of escapes that code has as they are
_INDENTING = lazy_pattern(r"(?:\\[nrt]){1,8}(?:  |[\n\r]|\Z)")
_BYTE = lazy_pattern(r"x([0-9a-fA-F]{2})", re.ASCII)
_NUMBER = lazy_pattern(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?", re.ASCII)
_WORD = lazy_pattern(r"[A-Za-z_$][\w$]*", re.ASCII)
_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_PYTHON: dict[str, bool | None] = {"True": True, "False": False, "None": None}


@dataclass(slots=True)
class _Open:
    """A container that is not closed yet."""

    start: int
    closer: str
    key: int
    members: dict[str, Node] = field(default_factory=dict)
    items: list[Node] = field(default_factory=list)
    name: str = ""
    name_at: int = -1
    quoted: bool = True
    single: bool = False


def read_strict(text: str, start: int = 0) -> Node:
    """The JSON value that begins at an offset, as the standard has it. Raises `Unreadable`."""
    return _Scanner(text, start, None).read()


def read_loose(text: str, start: int, names: Names) -> Reading:
    """The value that begins at an offset, as models write it. Raises `Unreadable`.

    >>> names = Names(known=lambda name: False, sure=lambda name: False)
    >>> [flaw.what for flaw in read_loose("[True, /* c */ 'a',]", 0, names).flaws]
    ['True for true', 'a comment', 'a string in single quotes', 'a comma after the last item of a list']
    """
    scanner = _Scanner(text, start, Outlook(text, names))
    return Reading(scanner.read(), tuple(scanner.flaws))


class _Scanner:
    """Reads one value; strictly where there is no outlook."""

    def __init__(self, text: str, start: int, outlook: Outlook | None) -> None:
        self.flaws: list[Flaw] = []
        self._text = text
        self._at = start
        self._outlook = outlook
        self._open: list[_Open] = []
        self._keys: set[str] = set()
        self._texts: set[str] = set()

    def read(self) -> Node:
        node = self._begin()
        while node is None or self._open:
            if node is None:
                node = self._begin()
            else:
                self._put(node)
                node = self._next(is_first=False)
        return node

    def _begin(self) -> Node | None:
        """The value at hand; None where it is a container that has been opened."""
        at = self._skip(self._at)
        char = self._text[at : at + 1]
        if char in ("{", "["):
            if len(self._open) == MAX_DEPTH:
                raise self._error(at, f"it is nested more than {MAX_DEPTH} deep", "a flatter value")
            key = self._open[-1].name_at if self._open else -1
            self._open.append(_Open(at, "}" if char == "{" else "]", key))
            self._at = at + 1
            return self._next(is_first=True)
        value: Value = self._string(at, char) if char == '"' or (char == "'" and self._outlook) else self._bare(at)
        return Node(value, at, self._at, self._open[-1].name_at if self._open else -1)

    def _put(self, node: Node) -> None:
        top = self._open[-1]
        if top.closer == "]":
            top.items.append(node)
        elif top.name in top.members:
            raise self._error(top.name_at, f"the key {top.name[:60]!r} occurs twice in one object", "each key once")
        else:
            top.members[top.name] = node

    def _next(self, *, is_first: bool) -> Node | None:
        """The container at hand if it ends here; None where a value is to be read next."""
        top = self._open[-1]
        at = self._skip(self._at)
        if not is_first and self._text[at : at + 1] != top.closer:
            at = self._separator(at, top)
            top = self._open[-1]
        if self._text[at : at + 1] == top.closer:
            return self._close(at)
        top.name_at = -1
        self._at = self._key(at, top) if top.closer == "}" else at
        return None

    def _close(self, at: int) -> Node:
        top = self._open.pop()
        self._at = at + 1
        return Node(top.members if top.closer == "}" else top.items, top.start, self._at, top.key)

    def _separator(self, at: int, top: _Open) -> int:
        """Behind the comma that must be here, or that may be missing; at the closer, if that is what follows."""
        if self._outlook and top.closer == "]" and self._text[at : at + 1] == "}":
            self._flaw(at, "a closing brace too many")
            self._at, at = at + 1, self._skip(at + 1)
        if self._text[at : at + 1] != ",":
            return self._without_comma(at, top)
        after = self._skip(at + 1)
        char = self._text[after : after + 1]
        if self._outlook and char == top.closer:
            self._flaw(at, "a comma after the last item of a list")
        elif char == top.closer:
            raise self._error(at, "a comma after the last item of a list", repr(top.closer))
        elif self._outlook and top.closer == "}" and char == "{":
            self._reopen(after, top)
        return after

    def _without_comma(self, at: int, top: _Open) -> int:
        char = self._text[at : at + 1]
        if self._outlook and char == top.closer:
            return at
        if self._outlook and char not in ("", "}", "]") and "\n" in self._text[self._at : at]:
            self._flaw(at, "a comma that is missing")
            return at
        raise self._error(at, self._what(at), f"',' or {top.closer!r}")

    def _reopen(self, at: int, top: _Open) -> None:
        """An object is where a member should be: it belongs to the array that was closed just before."""
        last = top.members.get(top.name)
        if last is None or not isinstance(last.value, list):
            raise self._error(at, "an object without a key", "a key in quotes")
        self._flaw(at, "an array that was closed too early")
        del top.members[top.name]
        self._open.append(_Open(last.start, "]", last.key, items=last.value))

    def _key(self, at: int, top: _Open) -> int:
        """Behind the colon of a key, which is noted in its container."""
        char = self._text[at : at + 1]
        word = _WORD.match(self._text, at) if self._outlook else None
        if char == '"' or (char == "'" and self._outlook):
            name = self._text_in(at, char, is_key=True)
        elif word is not None:
            name, self._at = word.group(), word.end()
            self._flaw(at, "a key without quotes")
        else:
            raise self._error(at, self._what(at), "a key in double quotes")
        colon = self._skip(self._at)
        if self._text[colon : colon + 1] != ":":
            raise self._error(colon, self._what(colon), f"':' after the key {name[:60]!r}")
        top.name, top.name_at = name, at
        top.quoted = top.quoted and word is None
        top.single = char == "'"
        if word is None:
            self._keys.add(plain_name(name))
            value = self._skip(colon + 1)
            if self._text[value : value + 1] in ('"', "'"):
                self._texts.add(plain_name(name))
        return colon + 1

    def _bare(self, at: int) -> Value:
        """A number or a constant."""
        number = _NUMBER.match(self._text, at)
        if number is not None and number.end() - at <= _LONGEST_NUMBER:
            self._at = number.end()
            return int(number.group()) if number.group(1) is None and number.group(2) is None else float(number.group())
        word = _WORD.match(self._text, at)
        name = word.group() if word is not None else ""
        # Models that print a Python dict write True and None.
        if name in _CONSTANTS or (name in _PYTHON and self._outlook):
            self._at = at + len(name)
            if name in _PYTHON:
                self._flaw(at, f"{name} for {name.lower() if name != 'None' else 'null'}")
            return _CONSTANTS[name] if name in _CONSTANTS else _PYTHON[name]
        raise self._error(at, self._what(at), "a value: text in double quotes, a number, an object or an array")

    def _string(self, at: int, quote: str) -> str:
        if self._outlook and self._text.startswith(quote * 3, at):
            raise self._error(at, "three quotes", f"one {quote} before and after the text, and \\{quote} inside it")
        return self._text_in(at, quote, is_key=False)

    def _text_in(self, at: int, quote: str, *, is_key: bool) -> str:
        """The string whose opening quote is at an offset."""
        run = _LOOSE_RUNS[quote] if self._outlook else _STRICT_RUN
        parts: list[str] = []
        position, bare = at + 1, 0
        while True:
            found = run.match(self._text, position)
            parts.append(found.group() if found is not None else "")
            position += len(parts[-1])
            char = self._text[position : position + 1]
            if char == "\\":
                part, position = self._escape(position, quote)
                parts.append(part)
            elif char != quote:
                raise self._unclosed(at, position, char)
            elif self._ends(position, is_key=is_key, is_bare=bare > 0):
                break
            else:
                parts.append(quote)
                position, bare = position + 1, bare + 1
        self._at = position + 1
        text = "".join(parts)
        if self._outlook:
            self._note_string(at, position, quote, text, bare)
        return text

    def _ends(self, quote: int, *, is_key: bool, is_bare: bool) -> bool:
        if self._outlook is None or is_key:
            return True
        closers = "".join(container.closer for container in self._open)
        quoted = not self._open or self._open[-1].quoted
        verdict = self._outlook.judge(quote, closers, is_bare=is_bare, quoted=quoted)
        if verdict is Verdict.DOUBT:
            raise self._error(quote, "a quote that may end the text or be part of it", "\\ before each quote in a text")
        return verdict is Verdict.ENDS

    def _note_string(self, at: int, end: int, quote: str, text: str, bare: int) -> None:
        """Take note of what is wrong with a string. Refuses one that may lack its last quote."""
        # With an odd number of quotes one of them has no partner: the text may have swallowed its own end.
        if bare and text.count(quote) % 2 and _is_left_open(text, quote):
            raise self._error(end, "a quote that may end the text or be part of it", "\\ before each quote in a text")
        self._note_ambiguous(at, end)
        if bare:
            self._check_bare(at)
            self._flaw(at, "quotes inside a string without a backslash")
        if quote == "'":
            self._flaw(at, "a string in single quotes")
        if _CONTROL.search(self._text, at, end):
            self._flaw(at, "a line break or a tab inside a string")

    def _note_ambiguous(self, at: int, end: int) -> None:
        """Take note of the escapes of a string that may be a backslash and a letter.

        Who has line breaks in a string as they are, or a backslash in a word that is not doubled, does not escape; in
        front of an indentation an escape is a line break all the same.
        """
        is_raw = "\n" in self._text[at:end]
        if not is_raw and not (self.flaws and self.flaws[-1].offset > at):
            return
        words = [(at, end)] if is_raw else [word.span() for word in _WORD_WITH_ESCAPES.finditer(self._text, at, end)]
        for start, stop in words:
            escapes = [(found.start(), found.group(1)) for found in _ESCAPE.finditer(self._text, start, stop)]
            if is_raw or any(letter not in _ESCAPES and letter not in "uUx'" for _, letter in escapes):
                two = (place for place, letter in escapes if letter in _TWO)
                first = next((place for place in two if not _INDENTING.match(self._text, place, end)), None)
                if first is not None:
                    self._flaw(first, AMBIGUOUS)
                    return

    def _check_bare(self, at: int) -> None:
        """Refuse bare quotes in anything but the text of an edit: it may be a text that was taken for its end."""
        name = self._open[-1].name if self._open else ""
        if self._outlook is not None and not self._outlook.is_sure(name):
            raise self._error(at, f"quotes without a backslash in {name[:60]!r}", "\\ before each quote in a text")

    def _escape(self, at: int, quote: str) -> tuple[str, int]:
        """What an escape stands for, and where it ends."""
        char = self._text[at + 1 : at + 2]
        if char in _ESCAPES:
            return _ESCAPES[char], at + 2
        if char == "u" and _HEX.match(self._text, at + 2):
            return self._code_point(at)
        if self._outlook is None or not char:
            raise self._error(at, f"{self._text[at : at + 2]!r} is not an escape", "\\\\ for a backslash")
        if char == quote:
            return char, at + 2
        byte = _BYTE.match(self._text, at + 1)
        is_python = quote == "'" or (bool(self._open) and self._open[-1].single)
        if byte is not None and is_python:
            return chr(int(byte.group(1), 16)), at + 4
        self._flaw(at, DOUBTFUL if byte is not None or char in "'uU" else "a backslash that is not doubled")
        return "\\", at + 1

    def _code_point(self, at: int) -> tuple[str, int]:
        first = int(self._text[at + 2 : at + 6], 16)
        if 0xD800 <= first < 0xDC00 and self._text.startswith("\\u", at + 6) and _HEX.match(self._text, at + 8):
            second = int(self._text[at + 8 : at + 12], 16)
            if 0xDC00 <= second < 0xE000:
                return chr(0x10000 + ((first - 0xD800) << 10) + second - 0xDC00), at + 12
        return chr(first), at + 6

    def _skip(self, at: int) -> int:
        """The next offset that is no blank and, in a loose reading, in no comment."""
        if self._outlook is None:
            found = _STRICT_BLANKS.match(self._text, at)
            return found.end() if found is not None else at
        while True:
            found = _LOOSE_BLANKS.match(self._text, at)
            at = found.end() if found is not None else at
            after = self._outlook.skip(at)
            if after == at:
                return at
            self._flaw(at, "a comment")
            at = after

    def _flaw(self, offset: int, what: str) -> None:
        self.flaws.append(Flaw(offset, what))

    def _unclosed(self, at: int, position: int, char: str) -> Unreadable:
        if not char:
            return self._error(at, "a string that is not closed", "its closing quote: the text is cut off", position)
        return self._error(position, "a line break or a tab inside a string", "\\n or \\t")

    def _what(self, at: int) -> str:
        char = self._text[at : at + 1]
        return f"{char!r}" if char else "the text ends here"

    def _error(self, offset: int, what: str, expected: str, reach: int = 0) -> Unreadable:
        at, keys, texts = min(offset, len(self._text)), frozenset(self._keys), frozenset(self._texts)
        return Unreadable(at, what, expected, keys=keys, texts=texts, reach=reach)


def _is_left_open(text: str, quote: str) -> bool:
    """Whether the last quote of a text opens something, or is its last character."""
    last = text.rfind(quote)
    before, behind = text[last - 1 : last] if last else "", text[last + 1 : last + 2]
    return not behind or ((behind.isalnum() or behind == "_") and not before.isalnum())
