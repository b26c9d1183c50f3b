"""The needle with plain quotes for typographic ones, a hyphen for a dash, blanks for no-break spaces, and the reverse.

Whole lines are compared with their blanks squeezed as well; a needle of one line may also stand inside a line. Where a
language makes no difference between 'x' and "x", neither does this tier.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import accumulate

from steadyhand.match.lexis import fold, lexis_of
from steadyhand.match.needle import Needle
from steadyhand.match.rows import find_windows, rows_with
from steadyhand.match.tier import Example, Tier
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.typography import plain

_LONGEST = 20_000  # code points of a needle that is part of a line
_PIECE = 4_000
_INVISIBLE = 200  # characters without a shape that may stand between the others


def find(source: Source, needle: Needle, *, apart: bool) -> Iterator[Span]:
    """Every place that differs from the needle in typography, and perhaps in blanks."""
    found = find_windows(source, needle, partial(fold, lexis_of(source.path)), apart=apart)
    first = next(found, None)
    if first is not None:
        yield first
        yield from found
    elif needle.rows == (needle.text,):
        yield from _inside_lines(source, needle.text, apart=apart)


def _inside_lines(source: Source, wanted: str, *, apart: bool) -> Iterator[Span]:
    """Parts of lines; both sides are compared character by character, with what each plainly is."""
    target = plain(wanted)
    if not target.strip() or len(wanted) > _LONGEST:
        return
    position = 0
    for row in rows_with(source, [wanted]) or ():
        for span in _parts_of_line(source, row, target):
            if not apart or span.start >= position:
                yield span
                position = span.end


def _parts_of_line(source: Source, row: int, target: str) -> Iterator[Span]:
    """A long line is looked at piece by piece, each as long as the target and overlapping the next by as much."""
    line, start = source.table.span(row), source.table.start(row)
    size = max(_PIECE, 4 * len(target))
    position = start
    while position < line.end:
        piece = source.text[position : min(position + size + 2 * len(target) + _INVISIBLE, line.end)]
        shown = [plain(char) for char in piece]
        if "".join(shown) == plain(piece):
            starts = list(accumulate(map(len, shown), initial=0))
            found = _parts("".join(shown), target, starts, position)
            yield from (span for span in found if span.start < position + size)
        position += size


def _parts(text: str, target: str, starts: list[int], offset: int) -> Iterator[Span]:
    """Places of the target in the plain text that begin and end with a whole character of the real one."""
    index = {start: at for at, start in enumerate(starts)}
    at = text.find(target)
    while at >= 0:
        end = at + len(target)
        if at in index and end in index:
            yield Span(offset + index[at], offset + index[end])
        at = text.find(target, at + 1)


TIER = Tier(
    name="typography",
    rank=60,
    confidence=0.97,
    summary="The old text stands in the file with other quotes, dashes, ellipses or special blanks.",
    find=find,
    differs=("typography",),
    matches=(
        Example("it's done", "⟦it’s done⟧\n"),
        Example('say "hi"\nnow - or never', "⟦say “hi”\nnow – or never⟧\n", "a.md"),
        Example("wait...", "I said ⟦wait…⟧ there\n"),
        Example("10\u00a0km", "it is ⟦10 km⟧ away\n"),
        Example("x = ’a’", "⟦x = 'a'⟧\n", "a.py"),
        Example("x = 'a'\n", '⟦x = "a"\n⟧', "a.py"),
        Example("caf\u00e9 au lait", "⟦cafe\u0301 au lait⟧\n"),
        Example("the pla\u200bce", "at ⟦the place⟧ here\n"),
    ),
    ignores=(
        Example("it's", "its\n"),
        Example("a-b", "a_b\n"),
        Example("x = 'a'", 'x = "a"\n', "a.sh"),
        Example("x = 'a b'", 'x = "a  b"\n', "a.py"),
        Example("wait..", "wait…\n"),
        Example("don't  stop", "now don’t stop it\n"),
        Example("cafe", "café\n"),
    ),
)
