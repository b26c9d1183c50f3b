"""Whether a change leaves a valid TOML text valid, from the changed lines alone.

Lines are looked at that give a key a plain value, or are a plain item of an array that spans lines. Where they are is
not known: what is accepted is as good in a string that spans lines. A key stays what it is: another one might be there
already.
"""

from __future__ import annotations

import re

from steadyhand.lazy import lazy_pattern
from steadyhand.structure.format import Change

_TEXT = r"\"[^\"'\\\x00-\x1f\x7f]+\"|'[^\"'\\\x00-\x1f\x7f]+'"
_VALUE = rf"(?:{_TEXT}|[+-]?(?:0|[1-9][0-9]{{0,17}})(?:\.[0-9]{{1,17}})?|true|false)"
_LINE = lazy_pattern(
    rf"[ \t]*(?:([A-Za-z0-9_.-]+[ \t]*=)[ \t]*(?:{_VALUE}|\[(?:{_VALUE}(?:,[ ]{_VALUE})*)?\])|{_VALUE}(,))[ \t]*\r?\n"
)


def is_neutral(change: Change) -> bool:
    """Whether the text after is valid if the text before is."""
    old, new = _lines(change.old), _lines(change.new)
    if not old or not new or not change.new.translate(_LAYOUT).isprintable():
        return False
    if all(line[2] for line in (*old, *new)):
        return True
    return [line[1] for line in old] == [line[1] for line in new]


_LAYOUT = str.maketrans("", "", "\r\n\t")


def _lines(text: str) -> list[re.Match[str]] | None:
    """Every line, if they are of these kinds."""
    found: list[re.Match[str]] = []
    at = 0
    while at < len(text):
        line = _LINE.match(text, at)
        if line is None:
            return None
        found.append(line)
        at = line.end()
    return found
