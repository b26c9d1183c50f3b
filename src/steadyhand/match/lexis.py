"""What a row of a file consists of: literals, comments, words, signs and blanks; and when two rows are the same.

A small lexer, no parser: it looks at one row at a time and knows nothing of the rows before. Where it cannot be sure it
takes more for a literal, because two rows are the same only if their literals agree in every blank; to be wrong that
way costs a refusal and never an edit in the wrong place.

What is folded here is compared and thrown away; it never reaches a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from steadyhand.lazy import lazy_pattern
from steadyhand.match.languages import TOKEN, Lexis, lexis_of
from steadyhand.text.pace import go_on
from steadyhand.text.typography import PLAIN, plain

__all__ = [
    "Lexis",
    "Token",
    "fold",
    "lexis_of",
    "misspelt",
    "read_tokens",
    "squeeze",
    "token_key",
    "token_text",
    "tokens",
]

_BLANKS = lazy_pattern(r"[ \t]+")
_ENDINGS = lazy_pattern(r"\r\n?|\n")
_SPACED_DASHES = lazy_pattern(r"(?<= )--(?= )")
_TOKEN = lazy_pattern(TOKEN)
_WORD = lazy_pattern(r"[A-Za-z]?[a-z]{3,}")
_SHORT = 400  # code points of a row whose key is kept for a while
_GLUED = "\u2060"  # before the text of a token that must not stand apart from the one before it


class Token(NamedTuple):
    """A word, a sign or a literal; `text` is what is compared, with a mark in front where it must follow at once.

    `breaks` counts the line endings between the token before and this one.
    """

    start: int
    end: int
    text: str
    kind: Literal["plain", "literal", "comment", "directive"]
    breaks: int

    @property
    def is_glued(self) -> bool:
        """Whether a blank before it would make it something else."""
        return self.text.startswith(_GLUED)

    @property
    def bare(self) -> str:
        """The text without the mark."""
        return self.text.removeprefix(_GLUED)


def squeeze(lexis: Lexis, row: str) -> str:
    """The row without blanks at its ends and with one for several, except inside literals.

    >>> squeeze(lexis_of("a.py"), "  x  =  'a  b'  # two   blanks ")
    "x = 'a  b' # two blanks"
    """
    row = row.strip(" \t\r\n")
    if "  " not in row and "\t" not in row:
        return row
    return lexis.squeezer.sub(_one_blank, row)


def fold(lexis: Lexis, row: str) -> str:
    """The squeezed row with plain typography; where both kinds of quotes mean the same, with the same kind.

    >>> fold(lexis_of("a.md"), "It’s\\u00a0 done\\u2014almost…")
    "It's done-almost..."
    >>> fold(lexis_of("a.py"), 'x = "a"') == fold(lexis_of("a.py"), "x = 'a'")
    True
    """
    return _row_fold(lexis, row) if len(row) <= _SHORT else _fold(lexis, row)


def _fold(lexis: Lexis, row: str) -> str:
    row = squeeze(lexis, plain(row))
    if lexis.is_prose and " -- " in row:
        row = _SPACED_DASHES.sub("-", row)
    if lexis.quotes_alike and '"' in row:
        row = lexis.squeezer.sub(_same_quotes, row)
    return row


def tokens(lexis: Lexis, text: str) -> list[tuple[int, int]]:
    """Where the words, signs and literals of a text stand; a literal is one token as far as its row goes.

    >>> tokens(lexis_of("a.js"), "f('a b',x1)")
    [(0, 1), (1, 2), (2, 7), (7, 8), (8, 10), (10, 11)]
    """
    return [(token.start, token.end) for token in read_tokens(lexis, text)]


def token_key(lexis: Lexis, row: str) -> str:
    """What two rows have in common that differ in layout and typography only; rows that fold alike have one key.

    Keys of several rows, joined with NUL, are the key of a statement that is wrapped over these rows.

    >>> token_key(lexis_of("a.py"), "f( 'a b',x )") == token_key(lexis_of("a.py"), 'f("a b", x)')
    True
    """
    go_on()
    return _row_key(lexis, row) if len(row) <= _SHORT else _key(lexis, row)


def _key(lexis: Lexis, row: str) -> str:
    return "\0".join([token.text for token in read_tokens(lexis, fold(lexis, row))])


_row_key = lru_cache(maxsize=4_096)(_key)  # rows around a place are compared again and again
_row_fold = lru_cache(maxsize=4_096)(_fold)


def misspelt(lexis: Lexis, quoted: str, row: str) -> list[str] | None:
    """The words of a quoted row that are misspelt in it; None where the row says something else.

    A slip of the pen changes one letter inside a plain word, or blanks between words and signs. Another ending
    makes another word, and a name, a number or a literal with another letter is another one.

    >>> misspelt(lexis_of("a.html"), "<p>Other text hree</p>", "<p>Other text three</p>")
    ['hree']
    >>> misspelt(lexis_of("a.html"), "<p>3 items</p>", "<p>4 items</p>")
    """
    from rapidfuzz.distance import OSA

    words, others = ([token.bare for token in read_tokens(lexis, fold(lexis, text))] for text in (quoted, row))
    if len(words) != len(others):
        return None
    pairs = [(word, other) for word, other in zip(words, others, strict=True) if word != other]
    is_slip = all(
        _WORD.fullmatch(word)
        and _WORD.fullmatch(other)
        and word[-1] == other[-1]
        and OSA.distance(word, other, score_cutoff=1) == 1
        for word, other in pairs
    )
    return [word for word, _ in pairs] if is_slip else None


def token_text(lexis: Lexis, token: str) -> str:
    """A token as it is compared: plain typography, and one kind of quotes where both mean the same."""
    token = token if token.isascii() else plain(token)
    return _with_apostrophes(token) if lexis.quotes_alike and token.startswith('"') else token


def read_tokens(lexis: Lexis, text: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
    """The tokens of `text[start:end]` with their places in `text`; `start` should be the start of a row.

    Characters that nobody sees are no tokens.
    """
    at, before, breaks, is_directive = start, "", 0, False
    for first, last, kind in _pieces(lexis, text, start, end):
        breaks += _count_endings(text, at, first) if first > at else 0
        is_glued = first == at and before != ""
        at = last
        content = token_text(lexis, text[first:last])
        if not content:
            continue
        if lexis.has_directives and (breaks or not before):
            is_directive = content == "#"
        loose = "" if is_directive else lexis.loose
        if is_glued and before not in loose and (kind == "literal" or content[0] not in loose):
            content = _GLUED + content
        yield Token(first, last, content, "directive" if is_directive and kind == "plain" else kind, breaks)
        before, breaks = ("a" if kind == "literal" else content[-1]), 0


def _pieces(
    lexis: Lexis, text: str, start: int, end: int | None
) -> Iterator[tuple[int, int, Literal["plain", "literal", "comment"]]]:
    part = text[start:end]
    part = part if part.isascii() else part.translate(PLAIN)
    for found in lexis.scanner.finditer(part):
        first, last = found.span()
        if found.lastindex is None:
            yield start + first, start + last, "plain"
        elif found.lastindex == 1:
            visible = found[0].rstrip(" \t")  # a literal that is not closed goes to the end of its row
            yield start + first, start + first + len(visible), "literal"
        else:
            for inner in _TOKEN.finditer(part, first, last):
                yield start + inner.start(), start + inner.end(), "comment"


def _count_endings(text: str, start: int, end: int) -> int:
    """How many line endings stand in a stretch of blanks."""
    between = text[start:end]
    return 0 if between == " " else sum(1 for _ in _ENDINGS.finditer(between))


def _one_blank(found: re.Match[str]) -> str:
    if found[1] is not None:
        return found[1]
    return " " if found[2] is None else _BLANKS.sub(" ", found[2])


def _same_quotes(found: re.Match[str]) -> str:
    return _with_apostrophes(found[1]) if found[1] is not None else found[0]


def _with_apostrophes(literal: str) -> str:
    """The literal in the other quotes, if it is closed and no quote inside would then mean something else."""
    for quotes in ('"""', '"'):
        size = len(quotes)
        if len(literal) >= 2 * size and literal.startswith(quotes) and literal.endswith(quotes):
            content = literal[size:-size]
            return literal if '"' in content or "'" in content else quotes.replace('"', "'") + content + "'" * size
    return literal
