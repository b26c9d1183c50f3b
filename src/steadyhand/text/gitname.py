"""File names as they are in a git diff: plain, or in C quotes with octal bytes. Knows nothing of paths or files."""

from __future__ import annotations

import re

from steadyhand.lazy import lazy_pattern

__all__ = ["quote_name", "unquote_name"]

_ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}
_LETTERS = {code: f"\\{letter}" for letter, code in _ESCAPES.items()}
_PIECES = lazy_pattern(r'\\([0-3][0-7]{2})|\\(.)|([^"\\]+)|(.)', re.DOTALL)


def quote_name(name: str, *, quote_blanks: bool = False) -> str:
    """The name, in quotes where a character would break the line or be misread (patch drops a blank at its end).

    >>> quote_name("a/tab\\there"), quote_name("a/plain name")
    ('"a/tab\\\\there"', 'a/plain name')
    """
    is_plain = name.isascii() and name.isprintable() and '"' not in name and "\\" not in name
    quoted = name if is_plain else "".join(map(_escaped, name))
    needed = quoted != name or name.endswith(" ") or (quote_blanks and " " in name)
    return f'"{quoted}"' if needed else name


def unquote_name(name: str) -> str | None:
    """The inverse of `quote_name`; None when the quoting is broken."""
    if not name.startswith('"'):
        return name
    if len(name) < 2 or not name.endswith('"'):
        return None
    data = bytearray()
    for found in _PIECES.finditer(name[1:-1]):
        octal, letter, plain, _ = found.groups()
        if octal is not None:
            data.append(int(octal, 8))
        elif letter in _ESCAPES:
            data.append(_ESCAPES[letter])
        elif plain is not None:
            data += plain.encode("utf-8", "surrogatepass")
        else:
            return None
    return data.decode("utf-8", "surrogateescape")


def _escaped(char: str) -> str:
    if ord(char) in _LETTERS:
        return _LETTERS[ord(char)]
    if char >= " " and char != "\x7f" and not "\ud800" <= char <= "\udfff":
        return char
    errors = "surrogateescape" if "\udc80" <= char <= "\udcff" else "surrogatepass"
    return "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", errors))
