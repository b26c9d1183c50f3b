"""Which occurrence of an old text is meant, and how many there are: counted from the left, without overlap."""

from __future__ import annotations

from steadyhand.errors import EditError
from steadyhand.lazy import dataclass
from steadyhand.match.resolve import Found, finder_of, resolve
from steadyhand.schema import bad_request
from steadyhand.text.encoding import MARK
from steadyhand.text.lines import to_lf
from steadyhand.text.match import Occurrence
from steadyhand.text.source import Source

__all__ = ["Count", "count_occurrences", "read_occurrence"]

_WORDS: tuple[Occurrence, ...] = ("first", "last", "all")
_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Count:
    """How often an old text occurs in a file, at how many of the places it is meant, and what is there."""

    found: int
    meant: int
    text: str


def read_occurrence(value: object) -> Occurrence:
    """`first`, `last`, `all` or a number from 1, also as a string. Refuses with `bad-request`.

    >>> read_occurrence("3"), read_occurrence("last"), read_occurrence(None)
    (3, 'last', 'first')
    """
    if value is None:
        return "first"
    said = str(value).strip().lower()
    for word in _WORDS:
        if said == word:
            return word
    if said.isascii() and said.isdigit() and len(said) <= _DIGITS and int(said):
        return int(said)
    raise _no_occurrence(str(value))


def _no_occurrence(said: str) -> EditError:
    return bad_request(
        "occurrence", f"{said[:40]!r} is not an occurrence", 'send "first", "last", "all" or a number such as "2"'
    )


def count_occurrences(text: str, old: str, occurrence: Occurrence) -> Count:
    """The places in the text of before, found as the edit found them; its mark is none of a text's characters."""
    lines = text if "\r" in old else to_lf(text)  # what is quoted with LF is wherever its lines are
    for wanted in (old, old.removeprefix(MARK)):
        found = resolve(finder_of(Source.of_text(lines)), wanted, occurrence=occurrence, laxest="newline")
        if isinstance(found, Found):
            return Count(found.total, len(found.matches), found.matches[0].span.of(lines))
    return Count(0, 0, old)
