"""Rows of a snippet and of a file as they are compared: those that are not blank, and by what they are known.

Rows that differ in blanks and typography only are the same row, as far as the policy allows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property

from steadyhand.lazy import lazy_pattern
from steadyhand.match.lexis import Lexis, fold, squeeze
from steadyhand.match.tier import STRICT
from steadyhand.plan.policy import Policy

__all__ = ["Key", "VisibleRows", "is_telling", "key_of", "letters_in", "likeness", "name_of"]

Key = Callable[[str], str]

_COMPARED = 400  # code points of a row
_START, _STARTED = 10, 0.7  # code points that two rows begin with, and how alike they are at least
_TELLING = 4  # letters and digits
_IMPORTED = lazy_pattern(r"import\s+(.+?)\s+from\s+[\"']|from\s+[\w.]+\s+import\s+([\w, ]+)$")
_GIVEN = lazy_pattern(
    r"((?:(?:const|let|var|val|final|export|public|private|static)\s+)*)[\"']?([\w.$-]+)[\"']?\s*(:(?=\s+\S)|=(?![=>~]))"
)
_WORD = lazy_pattern(r"[^\W_]+")
_KEYWORDS = frozenset(
    "begin break case catch continue default div do done else elif end endfor endif esac except false fi finally for "
    "if none null of pass public return span static then true try undefined void while with".split()
)


def key_of(policy: Policy, lexis: Lexis) -> Key:
    """By what rows are known under a policy."""
    if policy.tier in (*STRICT, "repair"):
        return lambda row: row
    if policy.tier == "whitespace":
        return lambda row: squeeze(lexis, row)
    return lambda row: fold(lexis, row)


class VisibleRows:
    """The rows of a text that are not blank; `numbers` are their rows in the text, all else counts among them."""

    def __init__(self, texts: Sequence[str], key: Key) -> None:
        self.all = texts
        self.numbers = [row for row, text in enumerate(texts) if text.strip()]
        self.texts = [texts[row] for row in self.numbers]
        self.keys = [key(text) for text in self.texts]

    def __len__(self) -> int:
        return len(self.numbers)

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Where each key stands."""
        found: dict[str, list[int]] = {}
        for place, key in enumerate(self.keys):
            found.setdefault(key, []).append(place)
        return found

    def line(self, place: int) -> int:
        """The line of a row in the text, from 1."""
        return self.numbers[place] + 1

    def blanks_before(self, place: int) -> int:
        """How many blank rows stand in front of a row; behind the last one for a place past it."""
        end = self.numbers[place] if place < len(self) else len(self.all)
        return end - (self.numbers[place - 1] + 1 if place else 0)


def letters_in(row: str) -> int:
    """How many letters and digits a row has."""
    return sum(map(str.isalnum, row))


def is_telling(row: str) -> bool:
    """Whether a row has words of its own; one row of mere signs, or of a keyword, looks like the next.

    >>> is_telling("total = 0"), is_telling("  } else {"), is_telling("return")
    (True, False, False)
    """
    return sum(len(word) for word in _WORD.findall(row) if word not in _KEYWORDS) >= _TELLING


def name_of(row: str) -> str | None:
    """The name that a row imports, declares or gives a value; None where it has none. `=` before it: it may be given
    another value in the next row.

    >>> name_of("  max_size: 3"), name_of("const maxSize = 3"), name_of("import { A } from 'b'"), name_of("a = 3")
    ('maxsize', 'maxsize', 'import {A}', '=a')
    >>> name_of("- name: a"), name_of("total += 1"), name_of("x = f(x)"), name_of("a:hover {"), name_of("else:")
    (None, None, None, None, None)
    """
    row = row.strip()[:_COMPARED]
    imported = _IMPORTED.match(row)
    if imported is not None:
        return f"import {(imported[1] or imported[2]).replace(' ', '')}"
    given = _GIVEN.match(row)
    if given is None or re.search(rf"(?<![\w.]){re.escape(given[2])}\b", row[given.end() :] if given[3] == "=" else ""):
        return None
    may_change = given[3] == "=" and not given[1]
    return "=" * may_change + re.sub(r"[_\W]", "", given[2]).lower()


def likeness(one: str, two: str) -> float:
    """How much two rows have in common, from 0 to 1, the blanks around them aside; a common start counts more."""
    from rapidfuzz import fuzz

    one, two = one.strip()[:_COMPARED], two.strip()[:_COMPARED]
    return max(fuzz.ratio(one, two) / 100, _STARTED if one[:_START] == two[:_START] and len(one) >= _START else 0.0)
