"""The marks of SEARCH/REPLACE: what a line is by itself. What it is inside a part is decided where parts are read.

`<<<<<<< SEARCH`, `=======` and `>>>>>>> REPLACE` have seven characters; five to nine are common, and three or more are
taken where the word says what is meant. A backslash before such a line makes it content. Nothing here keeps a state.
"""

from __future__ import annotations

import re
from typing import Literal

from steadyhand.dialects.labels import path_of
from steadyhand.dialects.piece import malformed
from steadyhand.errors import EditError
from steadyhand.hints import Advice
from steadyhand.lazy import dataclass, lazy_pattern

__all__ = [
    "FORMAT",
    "USUAL",
    "Fence",
    "Kind",
    "Mark",
    "escaped",
    "fence_in",
    "mark_in",
    "refusal",
    "unescaped",
    "word_in",
]

FORMAT = "search-replace"
USUAL = 7  # characters of a mark

Kind = Literal["search", "divider", "replace", "conflict", "conflict-end", "end"]

_SEARCH = lazy_pattern(r"(<{3,20}|-{3,20}|={5,9})[ \t]*(SEARCH|ORIGINAL)(?![^\s>:])", re.I)
_REPLACE = lazy_pattern(r"(>{3,20}|\+{3,20})[ \t]*(REPLACE|UPDATED)[ \t]*[<:]?", re.I)
_DIVIDER = lazy_pattern(r"={3,20}")
_CONFLICT = lazy_pattern(r"([<>])\1{6}[ \t]+\S.*|<{7}")
_END = lazy_pattern(r">{5,9}")
_ESCAPABLE = lazy_pattern(
    r"(?:[<>]{5}|={3,20}\s*$|-{7}\s*$|[<>=+-]{3,20}[ \t]*(?:SEARCH|REPLACE)|:(?:start|end)_line:)"
)
_WORD = lazy_pattern(
    r"[ \t]{0,3}(?:#{1,6}[ \t]+)?(?:\*\*|\*|__|_)?(SEARCH|REPLACE)(?:\*\*|\*|__|_)?:?(?:\*\*|\*)?[ \t]*"
)
_FENCE = lazy_pattern(r"([ \t]*)(`{3,}(?=[^`]*$)|~{3,})(.*)")
_HEADERS = (":start_line:", ":end_line:")
_SURE = 5  # characters that make a mark also where its word is not in capitals


@dataclass(frozen=True, slots=True)
class Mark:
    """A line that may be a mark: its kind, how many characters it has and how far it is indented.

    `end` is a closing mark without any word; `path` a file that is named behind the word.
    """

    kind: Kind
    size: int
    indent: str
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Fence:
    """A line that opens or closes a fence."""

    indent: str
    marks: str
    info: str

    def closes(self, opened: Fence) -> bool:
        return not self.info and self.marks[0] == opened.marks[0] and len(self.marks) >= len(opened.marks)


def mark_in(text: str) -> Mark | None:
    """The mark that a line may be.

    >>> mark_in("<<<<<<< SEARCH").kind, mark_in("<<<<<<< HEAD").kind, mark_in("< SEARCH")
    ('search', 'conflict', None)
    """
    body = text.strip()
    if not body or body[0] not in "<>=-+":
        return None
    indent = text[: len(text) - len(text.lstrip())]
    if _DIVIDER.fullmatch(body):
        return Mark("divider", len(body), indent)
    if _END.fullmatch(body):
        return Mark("end", len(body), indent)
    return _search(body, indent) or _replace(body, indent) or _conflict(body, indent)


def _search(body: str, indent: str) -> Mark | None:
    found = _SEARCH.match(body)
    if found is None or not _is_sure(found, "<", "SEARCH"):
        return None  # `--- original` heads a diff, and a shell has `<<< search`
    rest = body[found.end() :].lstrip(" \t>:")
    path = path_of(rest) if rest else None
    return Mark("search", len(found[1]), indent, path) if path is not None or not rest else None


def _replace(body: str, indent: str) -> Mark | None:
    found = _REPLACE.fullmatch(body)
    return Mark("replace", len(found[1]), indent) if found is not None and _is_sure(found, ">", "REPLACE") else None


def _is_sure(found: re.Match[str], character: str, word: str) -> bool:
    return found[2] == word or (found[1][0] == character and len(found[1]) >= _SURE)


def _conflict(body: str, indent: str) -> Mark | None:
    if _CONFLICT.fullmatch(body) is None:
        return None
    return Mark("conflict" if body[0] == "<" else "conflict-end", 7, indent)


def word_in(text: str) -> str | None:
    """`SEARCH` or `REPLACE`, where a line is nothing but this word, emphasised or not."""
    found = _WORD.fullmatch(text)
    return found.group(1) if found is not None else None


def fence_in(text: str) -> Fence | None:
    """The fence that a line opens or closes."""
    found = _FENCE.fullmatch(text)
    return Fence(found[1], found[2], found[3].strip()) if found is not None else None


def escaped(text: str) -> str:
    """A line of content as it is written between marks of the usual size; its backslash comes off when it is read.

    >>> escaped("======="), unescaped(escaped("=======")), escaped("=====")
    ('\\\\=======', '=======', '=====')
    """
    mark = mark_in(text)
    is_taken = mark is not None and not mark.indent and (mark.kind != "divider" or mark.size == USUAL)
    return "\\" + text if is_taken or text.startswith(_HEADERS) or _is_escaped(text) else text


def unescaped(text: str) -> str:
    """A line of content as it is meant."""
    return text[1:] if _is_escaped(text) else text


def _is_escaped(text: str) -> bool:
    return text.startswith("\\") and _ESCAPABLE.match(text.lstrip("\\")) is not None


def refusal(line: int, what: str, expected: str, *, hint: Advice = None) -> EditError:
    """A refusal of the reply at a line."""
    return malformed(line, what, expected, format=FORMAT, hint=hint)
