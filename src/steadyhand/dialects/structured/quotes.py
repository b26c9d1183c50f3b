"""Whether a quote ends a string of a JSON text or belongs to it, where a writer left quotes unescaped.

A quote ends a value only if what follows is the structure around it: a next member, or the closers of the containers it
is in. Once a string is known to hold bare quotes, only the fields of an edit are believed to follow it, and what
could be read in two ways is in doubt. Every look ahead is bounded, except over blanks that follow one quote only.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum

from steadyhand.lazy import dataclass, lazy_pattern

__all__ = ["Names", "Outlook", "Verdict", "plain_name"]

_BLANKS = lazy_pattern(r"[ \t\r\n]*")
_KEY = lazy_pattern(r"""(["'])([^"'\\\n]{1,80})\1[ \t\r\n]{0,80}:|([A-Za-z_]\w{0,60})[ \t]{0,8}:""", re.ASCII)
_WORD = lazy_pattern(r"\w+", re.ASCII)
_KEY_BEFORE = lazy_pattern(r"""["'](\w{2,40})$""", re.ASCII)
_JOINED = lazy_pattern(r"""[ \t\r\n]{0,80}\+[ \t\r\n]{0,80}["']""")
_NEXT_LINE = lazy_pattern(r"""[ \t]*\r?\n[ \t]*["']""")
_OVER = lazy_pattern(r"\s*(?:</?[\w:.|-]{1,40}>\s*){0,4}(?:\Z|(`{3,}|~{3,})|(?=[\[{]))")
_LAST = lazy_pattern(
    r"[ \t]*[})\];,]{0,8}[ \t]*(?:</?[\w:.|-]{1,40}>[ \t]*){0,4}(?:`{3,}[ \t]*)?(?:\r?\n|\Z|(?=([{\[])))"
)
_OPENERS = lazy_pattern(r"[\[{\s]{1,200}")
_LATE = lazy_pattern(r"""["'][\s,]{0,80}[}\]]""")
_LONGEST_COMMENT = 2_000


def plain_name(name: str) -> str:
    """A field's name without case, underscores and hyphens.

    >>> plain_name("old_string"), plain_name("oldString")
    ('oldstring', 'oldstring')
    """
    return name.replace("_", "").replace("-", "").lower()


@dataclass(frozen=True, slots=True)
class Names:
    """Fields, by plain name: every one that is `known`, and those that are `sure` to be no part of a text."""

    known: Callable[[str], bool]
    sure: Callable[[str], bool]


class Verdict(Enum):
    """What a quote is."""

    ENDS = "ends"
    CONTENT = "content"
    DOUBT = "doubt"


class Outlook:
    """Looks ahead from the quotes of one text."""

    def __init__(self, text: str, names: Names) -> None:
        self._text = text
        self._names = names
        self._quoted = True

    def judge(self, quote: int, closers: str, *, is_bare: bool, quoted: bool) -> Verdict:
        """The quote at an offset, inside a value; `closers` are those of the containers around it, outermost first.

        `is_bare`: the string has had quotes that belong to it; `quoted`: the keys of its object have quotes.
        """
        self._quoted = quoted
        after = self._blanks(quote + 1)
        char = self._text[after : after + 1]
        has_break = "\n" in self._text[quote + 1 : after]
        if not closers or (not is_bare and after == len(self._text)):
            return Verdict.ENDS
        # In an array no key follows, by which the end of an object's member is known.
        if closers.endswith("]"):
            ends = char in (",", "]") or (has_break and char in ('"', "'"))
            return Verdict.ENDS if ends else Verdict.CONTENT
        verdict = Verdict.CONTENT
        # Code is full of `",` too: the text ends only if a key that belongs there follows, or the closers that are due.
        if char == "," or char == "}" or has_break:
            verdict = self._member(self._gap(after + (char == ","), is_bare=is_bare), closers, is_bare=is_bare)
        if verdict is Verdict.CONTENT and char in ('"', "'") and _WORD.fullmatch(self.key_at(after) or ""):
            return Verdict.DOUBT  # the comma before a next member may be missing
        return self._content(quote, char) if verdict is Verdict.CONTENT else verdict

    def is_sure(self, key: str) -> bool:
        """Whether a key is one of an edit's own."""
        return self._names.sure(plain_name(key))

    def skip(self, at: int) -> int:
        """The next offset that is no blank and in no comment. A comment with a quote in it may be part of a text."""
        text = self._text
        while True:
            at = self._blanks(at)
            mark = text[at : at + 2]
            if mark == "//":
                end = text.find("\n", at, at + _LONGEST_COMMENT)
            elif mark == "/*":
                end = text.find("*/", at + 2, at + _LONGEST_COMMENT)
            else:
                return at
            if end < 0 or text.find('"', at, end) >= 0:
                return at
            at = end + (2 if mark == "/*" else 1)

    def key_at(self, at: int) -> str | None:
        """The key at an offset with its colon; without quotes only one that is known and among such."""
        found = _KEY.match(self._text, at)
        if found is None:
            return None
        quoted, bare = found.group(2), found.group(3)
        name: str = quoted if quoted is not None else bare
        return name if quoted is not None or (not self._quoted and self._names.known(plain_name(bare))) else None

    def _blanks(self, at: int) -> int:
        found = _BLANKS.match(self._text, at)
        return found.end() if found is not None else at

    def _gap(self, at: int, *, is_bare: bool) -> int:
        """Behind blanks and, as long as nothing speaks for code in the string, behind comments."""
        return self._blanks(at) if is_bare else self.skip(at)

    def _content(self, quote: int, char: str) -> Verdict:
        """A quote that ends nothing: in doubt where it may be a key, or one of two strings put together."""
        if char == ":":
            word = _KEY_BEFORE.search(self._text[max(quote - 42, 0) : quote])
            return Verdict.DOUBT if word and self._names.sure(plain_name(word.group(1))) else Verdict.CONTENT
        if _JOINED.match(self._text, quote + 1):
            return Verdict.DOUBT
        written_break = self._text[max(quote - 2, 0) : quote] == "\\n"
        return Verdict.DOUBT if written_break and _NEXT_LINE.match(self._text, quote + 1) else Verdict.CONTENT

    def _member(self, at: int, closers: str, *, is_bare: bool) -> Verdict:
        """Whether a next member, or the end of the object, is at an offset."""
        if self._text[at : at + 1] == "}":
            return self._tail(at, closers, is_bare=is_bare)
        if at == len(self._text) and not is_bare:
            return Verdict.ENDS
        return self._field(self.key_at(at), is_bare=is_bare)

    def _field(self, key: str | None, *, is_bare: bool) -> Verdict:
        if key is None:
            return Verdict.CONTENT
        if not is_bare or self._names.sure(plain_name(key)):
            return Verdict.ENDS
        return Verdict.DOUBT if _WORD.fullmatch(key) else Verdict.CONTENT

    def _tail(self, at: int, closers: str, *, is_bare: bool) -> Verdict:
        """Whether the closer at an offset, and those behind it, are the ones that are due."""
        depth, strays = len(closers), 1
        while True:
            if self._text[at] == closers[depth - 1]:
                depth -= 1
            elif self._text[at] == "}" and strays:
                strays -= 1
            else:
                return Verdict.CONTENT
            if depth == 0:
                return self._end(at + 1, is_bare=is_bare)
            after = self._gap(at + 1, is_bare=is_bare)
            has_separator = "\n" in self._text[at + 1 : after]
            at = after
            if not is_bare and (at == len(self._text) or self._text.startswith("```", at)):
                return Verdict.ENDS  # what is cut off there is better shown by its missing closers
            if self._text[at : at + 1] == ",":
                at, has_separator = self._gap(at + 1, is_bare=is_bare), True
            if self._text[at : at + 1] not in ("}", "]"):
                return self._next(at, closers[depth - 1], is_bare=is_bare) if has_separator else Verdict.CONTENT

    def _next(self, at: int, closer: str, *, is_bare: bool) -> Verdict:
        """Whether another member or element follows a container that is closed."""
        if self._text[at : at + 1] == "{":
            key = self.key_at(self._gap(at + 1, is_bare=is_bare))
            is_known = key is not None and self._names.known(plain_name(key))
            return Verdict.ENDS if is_known or not is_bare else Verdict.CONTENT
        return self._field(self.key_at(at), is_bare=is_bare) if closer == "}" else Verdict.CONTENT

    def _end(self, at: int, *, is_bare: bool) -> Verdict:
        """Whether the value as a whole may end here: with bare quotes in it only where nothing else goes on."""
        over = (_OVER if is_bare else _LAST).match(self._text, at)
        if over is None:
            return Verdict.CONTENT
        if is_bare and over.group(1) is not None:
            return self._fence(over.end(), over.group(1))
        opened = _OPENERS.match(self._text, over.end()) if is_bare or over.group(1) is not None else None
        return Verdict.CONTENT if opened is not None and self.key_at(opened.end()) is None else Verdict.ENDS

    def _fence(self, at: int, mark: str) -> Verdict:
        """A fence behind a value closes it, unless a value seems to end behind that fence too."""
        until = self._text.find("\n" + mark[:3], at)
        late = _LATE.search(self._text, at, until if until >= 0 else len(self._text))
        return Verdict.ENDS if late is None else Verdict.DOUBT
