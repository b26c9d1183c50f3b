"""The tokens of JSON with comments and trailing commas, and of JSON5.

Every pattern is possessive: a match costs what it covers, whatever the text.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.config.item import ItemKind

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
