"""How much a place is like the old text that found it, and in what the two differ, in words. Only for telling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steadyhand.match.pairing import Alignment, Likeness, Pairing

__all__ = ["differences", "similarity"]

_LONGEST = 4_000  # code points of a row that are compared one by one
_MOST = 0.9999  # of what is not the same


def similarity(old: Sequence[str], rows: Sequence[str], alignment: Alignment) -> float:
    """The share of characters that both sides have in common, from 0 to 1; rows that are elided do not count.

    >>> from steadyhand.match.lexis import lexis_of
    >>> from steadyhand.match.align import align
    >>> similarity(["ab"], ["a b"], align(["ab"], ["a b"], lexis_of(None)))
    0.8
    """
    total = distance = 0
    for pairing in alignment:
        if pairing.is_kept:
            continue
        one, two = "\n".join(old[pairing.old_start : pairing.old_end]), "\n".join(rows[pairing.start : pairing.end])
        unlike = _blank_rows_apart(pairing)
        total += len(one) + len(two) + unlike
        distance += _distance(one, two) + unlike
    return 1.0 if not distance else round(min(1 - distance / total, _MOST), 4)


def differences(old: Sequence[str], rows: Sequence[str], alignment: Alignment) -> tuple[str, ...]:
    """What differs, each kind once, in the order in which the rows show it."""
    return tuple(dict.fromkeys(word for pairing in alignment for word in _words(pairing, old, rows)))


def _blank_rows_apart(pairing: Pairing) -> int:
    """How many blank rows one side has and the other has not."""
    return abs(pairing.old_end - pairing.old_start - pairing.end + pairing.start) if pairing.is_blank else 0


def _distance(one: str, two: str) -> int:
    if one == two:
        return 0
    from rapidfuzz.distance import Indel

    if max(len(one), len(two)) <= _LONGEST:
        return Indel.distance(one, two)
    return abs(len(one) - len(two)) + 1


def _words(pairing: Pairing, old: Sequence[str], rows: Sequence[str]) -> Iterator[str]:
    if pairing.is_kept:
        yield "elided lines"
    elif pairing.is_blank:
        if _blank_rows_apart(pairing):
            yield "blank lines"
    elif pairing.is_missing:
        yield "lines that are not in the file"
    elif pairing.is_added:
        yield "lines that the old text leaves out"
    elif pairing.likeness is Likeness.SIMILAR:
        yield "wording"
    elif pairing.likeness is Likeness.TOKENS:
        yield "layout"
    elif pairing.likeness is not Likeness.SAME:
        yield from _blanks(old[pairing.old_start], rows[pairing.start])
        if pairing.likeness is Likeness.TYPOGRAPHY:
            one, two = (row.replace('"', "'").split() for row in (old[pairing.old_start], rows[pairing.start]))
            yield "quote style" if one == two else "typography"


def _blanks(old: str, row: str) -> Iterator[str]:
    if old[: len(old) - len(old.lstrip())] != row[: len(row) - len(row.lstrip())]:
        yield "indentation"
    if old[len(old.rstrip()) :] != row[len(row.rstrip()) :]:
        yield "trailing blanks"
    if old.strip() != row.strip() and old.split() == row.split():
        yield "blanks inside lines"
