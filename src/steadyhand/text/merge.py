"""Two versions of one text joined by lines, with the version both came from as judge.

Changes that touch each other conflict, also when they only stand side by side, as in git; equal changes are taken once.
Nothing here decides a conflict and nothing writes conflict marks: where the two disagree the text keeps ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from steadyhand.text.diff import Change, diff_rows
from steadyhand.text.lines import split_lines
from steadyhand.text.span import Span
from steadyhand.text.words import split_words

__all__ = ["Conflict", "Merge", "merge3", "merge_words"]


@dataclass(frozen=True, slots=True)
class Conflict:
    """One place where the two versions disagree: what each of the three says, and where (1-based lines).

    `span` is where ours stands in the merged text. An empty side says that those lines are not there.
    """

    base: str
    ours: str
    theirs: str
    base_line: int
    ours_line: int
    theirs_line: int
    span: Span


@dataclass(frozen=True, slots=True)
class Merge:
    """The joined text and what could not be joined; ours stands in the text where there is a conflict."""

    text: str
    conflicts: tuple[Conflict, ...] = ()

    @property
    def is_clean(self) -> bool:
        return not self.conflicts


def merge3(base: str, ours: str, theirs: str) -> Merge:
    """Both changes in one text.

    >>> merge3("a\\nb\\nc\\n", "A\\nb\\nc\\n", "a\\nb\\nC\\n").text
    'A\\nb\\nC\\n'
    >>> merge3("a\\n", "b\\n", "c\\n").conflicts[0].theirs
    'c\\n'
    """
    if ours in (base, theirs):
        return Merge(theirs)
    if theirs == base:
        return Merge(ours)
    return _Merger(split_lines(base), split_lines(ours), split_lines(theirs)).merge()


def merge_words(base: str, ours: str, theirs: str) -> str | None:
    """Both changes of one line in one line; None where they touch each other.

    >>> merge_words("x = add(a, b)", "x = add(a, b, c)", "y = add(a, b)")
    'y = add(a, b, c)'
    """
    merged = _Merger(split_words(base), split_words(ours), split_words(theirs)).merge()
    return merged.text if merged.is_clean else None


@dataclass(frozen=True, slots=True)
class _Region:
    """Base rows that at least one side changed, and the rows each side has there."""

    base: tuple[int, int]
    ours: tuple[int, int]
    theirs: tuple[int, int]


class _Merger:
    """Walks the changed regions once and copies the base between them."""

    def __init__(self, base: list[str], ours: list[str], theirs: list[str]) -> None:
        self._base, self._ours, self._theirs = base, ours, theirs
        self._pieces: list[str] = []
        self._length = 0
        self._conflicts: list[Conflict] = []

    def merge(self) -> Merge:
        row = 0
        for region in _regions(diff_rows(self._base, self._ours), diff_rows(self._base, self._theirs)):
            self._add("".join(self._base[row : region.base[0]]))
            self._join(region)
            row = region.base[1]
        self._add("".join(self._base[row:]))
        return Merge("".join(self._pieces), tuple(self._conflicts))

    def _join(self, region: _Region) -> None:
        base = _text(self._base, region.base)
        ours = _text(self._ours, region.ours)
        theirs = _text(self._theirs, region.theirs)
        if ours == base:
            self._add(theirs)
        elif theirs in (base, ours):
            self._add(ours)
        else:
            span = Span(self._length, self._length + len(ours))
            lines = (region.base[0] + 1, region.ours[0] + 1, region.theirs[0] + 1)
            self._conflicts.append(Conflict(base, ours, theirs, *lines, span))
            self._add(ours)

    def _add(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)


def _text(rows: list[str], bounds: tuple[int, int]) -> str:
    return "".join(rows[bounds[0] : bounds[1]])


def _regions(ours: Sequence[Change], theirs: Sequence[Change]) -> Iterator[_Region]:
    """The changes of both sides, those that touch joined into one region."""
    mine = yours = 0  # how far each side has been read
    shift_mine = shift_yours = 0  # by how much its rows have moved
    while mine < len(ours) or yours < len(theirs):
        start = end = min(
            side[index].before_start for side, index in ((ours, mine), (theirs, yours)) if index < len(side)
        )
        before_mine, before_yours = shift_mine, shift_yours
        grown = True
        while grown:
            grown = False
            if mine < len(ours) and ours[mine].before_start <= end:
                end = max(end, ours[mine].before_end)
                shift_mine = ours[mine].after_end - ours[mine].before_end
                mine, grown = mine + 1, True
            if yours < len(theirs) and theirs[yours].before_start <= end:
                end = max(end, theirs[yours].before_end)
                shift_yours = theirs[yours].after_end - theirs[yours].before_end
                yours, grown = yours + 1, True
        yield _Region((start, end), (start + before_mine, end + shift_mine), (start + before_yours, end + shift_yours))
