"""How a file sets its parts apart: blank lines around headings and between paragraphs, as most places have them."""

from __future__ import annotations

from collections import Counter

from steadyhand.lazy import dataclass
from steadyhand.structure.markdown.marks import Document
from steadyhand.structure.markdown.reading import known_markdown
from steadyhand.text.source import Source

_MOST = 3


@dataclass(frozen=True, slots=True)
class Habit:
    """Blank lines above a heading, and beneath it."""

    above: int
    beneath: int


def habit_of(source: Source) -> Habit:
    """The habit of a text, looked at once; one blank line where nothing tells."""
    return source.derive(_habit)


def _habit(source: Source) -> Habit:
    document = known_markdown(source)
    above: Counter[int] = Counter()
    beneath: Counter[int] = Counter()
    top = document.front.end if document.front else 0
    for section in document.sections:
        if section.mark.container:
            continue
        before = blanks_above(document, section.mark.first)
        if section.mark.first - before > top:
            above[before] += 1
        after = blanks_below(document, section.mark.end)
        if section.mark.end + after < section.own_end:
            beneath[after] += 1
    return Habit(_usual(above), _usual(beneath))


def _usual(seen: Counter[int]) -> int:
    return min(max(seen, key=lambda blanks: (seen[blanks], -abs(blanks - 1))), _MOST) if seen else 1


def blanks_above(document: Document, row: int, container: int = 0) -> int:
    """How many blank rows stand directly above a row."""
    count = 0
    while row - count > 0 and document.is_blank(row - count - 1, container):
        count += 1
    return count


def blanks_below(document: Document, row: int, container: int = 0) -> int:
    """How many blank rows stand from a row on."""
    count = 0
    while row + count < document.count and document.is_blank(row + count, container):
        count += 1
    return count
