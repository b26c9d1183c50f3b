"""Scalars of TOML: what they read as. Lenient: the standard library decides what is legal."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from typing import Literal

from steadyhand.lazy import lazy_pattern

_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b", '"': '"', "\\": "\\"}
_ESCAPE = lazy_pattern(
    r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|x([0-9A-Fa-f]{2})|([ \t]*\r?\n[ \t\r\n]*)|(.))", re.DOTALL
)
_INTEGER = lazy_pattern(r"[+-]?[0-9][0-9_]*|0x[0-9A-Fa-f_]+|0o[0-7_]+|0b[01_]+", re.ASCII)
_FLOAT = lazy_pattern(r"[+-]?(?:inf|nan|[0-9][0-9_]*(?:\.[0-9_]+)?(?:[eE][+-]?[0-9_]+)?)", re.ASCII)
_FRACTION = lazy_pattern(r"(\.[0-9]{6})[0-9]+", re.ASCII)
_DATE = lazy_pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_TIME = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?"
_LOCAL_TIME = lazy_pattern(_TIME, re.ASCII)
_DATE_TIME = lazy_pattern(rf"{_DATE.pattern}[Tt ]{_TIME}([Zz]|[+-][0-9]{{2}}:[0-9]{{2}})?", re.ASCII)
_LONGEST_NUMBER = 4000

Moment = date | datetime | time


def decode_text(written: str) -> str:
    """What a string with its quotes says; it need not be legal.

    >>> decode_text('"a\\\\tb"'), decode_text("'a\\\\tb'")
    ('a\\tb', 'a\\\\tb')
    """
    if "\\" not in written and "\n" not in written and not written.startswith(('""', "''")):
        return written[1:-1]  # nearly always
    quotes = 3 if written.startswith(('"""', "'''")) and len(written) >= 6 else 1
    inner = written[quotes:-quotes].replace("\r\n", "\n")
    if quotes == 3 and inner.startswith("\n"):
        inner = inner[1:]
    return _ESCAPE.sub(_unescaped, inner) if written[0] == '"' and "\\" in inner else inner


def _unescaped(found: re.Match[str]) -> str:
    *points, line_end, letter = found.groups()
    if line_end is not None:
        return ""
    point = next((one for one in points if one is not None), None)
    if point is not None:
        number = int(point, 16)
        return chr(number) if number < 0x110000 else found.group()
    return _ESCAPES.get(letter, found.group())


def decode_scalar(written: str) -> tuple[Literal["number", "flag", "date"], object] | None:
    """What a value without quotes says; None where it is none."""
    if written in ("true", "false"):
        return "flag", written == "true"
    if len(written) <= _LONGEST_NUMBER:
        bare = written.replace("_", "")
        if _INTEGER.fullmatch(written):
            return "number", int(bare, 0) if bare[1:2] in ("x", "o", "b") else int(bare)
        if _FLOAT.fullmatch(written):
            return "number", float(bare)
    moment = read_moment(written)
    return None if moment is None else ("date", moment)


def read_moment(written: str) -> Moment | None:
    """A date, a time or both, as TOML 1.0 writes them; None for everything else.

    >>> read_moment("1979-05-27 07:32:00"), read_moment("1979-13-01")
    (datetime.datetime(1979, 5, 27, 7, 32), None)
    """
    text = _FRACTION.sub(r"\1", written)
    try:
        if _DATE.fullmatch(text):
            return date.fromisoformat(text)
        if _LOCAL_TIME.fullmatch(text):
            return time.fromisoformat(text)
        if _DATE_TIME.fullmatch(text):
            return datetime.fromisoformat(text.upper())
    except ValueError:
        return None
    return None


def moment_form(written: str) -> tuple[type, bool] | None:
    """What kind of moment it is: its type, and whether it knows its zone."""
    moment = read_moment(written)
    return None if moment is None else (type(moment), isinstance(moment, datetime) and moment.tzinfo is not None)
