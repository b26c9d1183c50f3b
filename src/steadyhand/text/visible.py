"""Characters that look like others, or like nothing, made visible in two lines that differ. Only for showing."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

__all__ = ["show_difference"]

_WIDTH = 160  # code points of each line that are shown around the first difference
_AHEAD = 60
_SIGNS = {"\t": "→", "\r": "␍", "\n": "␊"}
# Letters of other alphabets drawn as Latin ones.
_TWINS = dict(
    zip("АВЕЅІЈКМНОРСТХУаеіјорсѕухԁΑΒΕΖΗΙΚΜΝΟΡΤΥΧνο", "ABESIJKMHOPCTXYaeijopcsyxdABEZHIKMNOPTYXvo", strict=True)
)


def show_difference(expected: str, actual: str) -> tuple[str, str]:
    """Both lines with tabs as →, blanks at the end as ·, CR as ␍, and deceptive characters as ⟨U+00A0⟩.

    Where nothing but blanks differs, every blank is shown as ·.

    Quotes, dashes and letters that resemble ASCII are marked only where the lines differ. Long lines are cut to the
    neighbourhood of the first difference.

    >>> show_difference("a 'b'", "a\\u00a0‘b’ ")
    ("a 'b'", 'a⟨U+00A0⟩⟨U+2018⟩b⟨U+2019⟩·')
    """
    first = next((i for i, (x, y) in enumerate(zip(expected, actual, strict=False)) if x != y), None)
    start = max((min(len(expected), len(actual)) if first is None else first) - _AHEAD, 0)
    if max(len(expected), len(actual)) <= _WIDTH:
        start = 0
    left, right = expected[start : start + _WIDTH], actual[start : start + _WIDTH]
    blanks_count = expected != actual and expected.split() == actual.split()
    return (
        _shown(left, right, expected, start, blanks_count=blanks_count),
        _shown(right, left, actual, start, blanks_count=blanks_count),
    )


def _shown(window: str, other: str, line: str, start: int, *, blanks_count: bool) -> str:
    cut = start + len(window) < len(line)
    body = window if cut else window.rstrip(" ")
    marked = "".join(_marked(body, other)) + "·" * (len(window) - len(body))
    if blanks_count:  # nothing but blanks differs, so every blank is shown
        marked = marked.replace(" ", "·")
    return f"{'…' if start else ''}{marked}{'…' if cut else ''}"


def _marked(text: str, other: str) -> Iterator[str]:
    alike = set(other)
    for char in text:
        if char in _SIGNS:
            yield _SIGNS[char]
        elif _is_hidden(char) or (char not in alike and _is_deceptive(char)):
            yield _name(char)
        else:
            yield char


def _is_hidden(char: str) -> bool:
    """Whether a reader would see nothing, or a plain blank: controls, formats, odd blanks, bytes that are no text."""
    if char.isascii():
        return char < " " or char == "\x7f"
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zs", "Zl", "Zp")


def _is_deceptive(char: str) -> bool:
    """Whether it may pass for an ASCII character: quotes, dashes, full-width forms, foreign letters, loose accents."""
    if char.isascii():
        return False
    if char in _TWINS or unicodedata.category(char) in ("Pd", "Pi", "Pf", "Mn"):
        return True
    plain = unicodedata.normalize("NFKC", char)
    return plain.isascii() or char in "′″‚„⁎∗∶．"


def _name(char: str) -> str:
    if "\udc80" <= char <= "\udcff":
        return f"⟨0x{ord(char) - 0xDC00:02X}⟩"  # a byte of the file that is no text
    if ord(char) < 0xA0:
        return f"\\x{ord(char):02x}"
    return f"⟨U+{ord(char):04X}⟩"
