"""The needle with lines misremembered, left out or made up, among those that the edit merely repeats.

The lines that the edit changes must be there as quoted, and the rest must speak for the place: enough of it is
there for sure, and no other place is nearly as good. A line that merely resembles the needle's never speaks for a
place, so two places that differ in one word stay two places for a needle with a third word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from steadyhand.match.candidate import (
    Anchor,
    Candidate,
    best_candidates,
    candidates_at,
    find_anchors,
    find_context,
    least_unsure,
    sure_at_most,
)
from steadyhand.match.rows import span_of_rows
from steadyhand.match.tier import Example, Needle, Tier
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_LEAST = 0.5  # of both sides must be accounted for
_KNOWN = 0.66  # of the rows that the edit repeats must be sure, where several are not and not in one spot
_SURE = 1.0  # what the sure rows must weigh: a long line, or several short ones
_ROWS = 3  # rows that must be sure, one of them at least besides those that change
_SCATTERED = 0.8  # of both sides must be accounted for where differences are in several spots
_APART = 0.8  # of both sides must be accounted for where rows that change and their neighbours are apart
_SHIFTED = 0.9  # of both sides must be accounted for where the indentation differs as well
_BETTER = 0.05  # by how much more of what is repeated must be elsewhere for the edit to be meant for that place
_MARGIN = 0.45  # by how much the best place must fit better than the next: about half a long line
_SHOWN = 4


def find(source: Source, needle: Needle, *, apart: bool) -> Iterator[Span]:
    """The place that fits; several where they fit about as well."""
    del apart  # several finds are never several places to change
    anchors = find_anchors(source, needle)
    if not anchors:
        return
    sure = list(sure_at_most(source, needle, anchors))
    if not _can_be_good(sure, needle):
        return
    places = best_candidates(source, needle, anchors, sure)
    if not places or not _is_good(places[0], needle):
        return
    best = places[0]
    rivals = _rivals(source, needle, anchors, sure, best)
    if not rivals and _is_meant_for_another(source, needle, best):
        return
    others = [place for place in rivals if place.last < best.first or place.first > best.last]
    if rivals and not others:
        return  # two readings of the same lines are not two places, and nothing says which of them is meant
    for place in (best, *others[:_SHOWN]):
        yield span_of_rows(source.table, place.first, place.last, needle.text)


def _rivals(
    source: Source, needle: Needle, anchors: Sequence[Anchor], sure: Sequence[set[int]], best: Candidate
) -> list[Candidate]:
    """The other candidates that fit about as well, best first.

    Where too many rows cannot be sure there is none, and nothing is aligned.
    """
    most = max(best.contradicted, best.unsure_rows + 1)
    may_be = [count <= most for count in least_unsure(needle, sure)]
    for asked in ([anchor for anchor, is_one in zip(anchors, may_be, strict=True) if is_one], anchors):
        places = candidates_at(source, needle, asked)
        rivals = [place for place in places if place.seat != best.seat and _is_rival(place, best)]
        if not rivals or all(may_be):
            break  # one that shares its seat with a better one is none
    return rivals


def _is_rival(place: Candidate, best: Candidate) -> bool:
    """Whether a place fits about as well: nearly as much speaks for it, and hardly more rows are not sure.

    A place that contradicts no more rows is one, however much those say: someone may have changed the row in which
    the two differed.
    """
    if place.contradicted <= best.contradicted:
        return True
    return best.fit - place.best_fit < _MARGIN and place.unsure_rows <= best.unsure_rows + 1


def _is_meant_for_another(source: Source, needle: Needle, best: Candidate) -> bool:
    """Whether more of what the edit repeats is elsewhere: then the lines it changes have been changed there."""
    least = best.context_fit + _BETTER
    others = (place for place in find_context(source, needle, best, least) if place.seat != best.seat)
    return any(place.context_fit > least for place in others)


def _can_be_good(places: Iterable[set[int]], needle: Needle) -> bool:
    """Whether a place can be good of which only such rows of the old text can be sure: to align it costs far more."""
    rows = {row for row, text in enumerate(needle.rows) if text.strip()}
    least = _LEAST * len(rows - needle.changed)
    for sure in places:
        context = len(sure - needle.changed)
        if len(sure) >= _ROWS and context and (context >= least or len(rows - sure) <= 1):
            return True
    return False


def _is_good(place: Candidate, needle: Needle) -> bool:
    repeated = sum(bool(text.strip()) for row, text in enumerate(needle.rows) if row not in needle.changed)
    known = _LEAST if place.spots == 1 else _KNOWN
    is_known = place.unsure_rows <= 1 or place.context >= known * repeated
    has_context = place.context > 0 and is_known and place.sure_rows >= _ROWS
    if place.is_shifted and place.similarity < _SHIFTED:
        return False
    if place.spots > 1 and place.similarity < _SCATTERED:
        return False
    if not place.is_beside and place.similarity < _APART:
        return False
    if place.is_renamed and (place.is_shifted or place.unsure_rows > 1):
        return False
    return place.similarity >= _LEAST and place.sure >= _SURE and has_context


TIER = Tier(
    name="fuzzy",
    rank=90,
    confidence=0.9,
    summary="The lines to be changed are in the file; lines that the edit only repeats may differ.",
    find=find,
    differs=("wording",),
    matches=(
        Example(
            "def area(width):\n    # twice the width\n    size = width * 2\n    return size\n",
            "⟦def area(width):\n    # double the width\n    size = width * 2\n    return size\n⟧",
            "a.py",
            "def area(width):\n    # twice the width\n    size = width * 3\n    return size\n",
        ),
        Example(
            "import logging\nimport sys\n\nlog = logging.getLogger(__name__)\nlog.setLevel(10)",
            "⟦import logging\nimport json\n\nlog = logging.getLogger(__name__)\nlog.setLevel(10)⟧\n",
            "a.py",
            "import logging\nimport sys\n\nlog = logging.getLogger('main')\nlog.setLevel(10)",
        ),
        Example(
            "open the third file\nread all lines\nsort them all\nclose it",
            "⟦open the first file\nread all lines\nsort them all\nclose it⟧\n\n"
            "⟦open the second file\nread all lines\nsort them all\nclose it⟧\n",
            None,
            "open the third file\nread ten lines\nsort them all\nclose it",
        ),
    ),
    ignores=(
        Example("def area(width):\n    return width * 2\n", "def area(length):\n    return length * 2\n", "a.py"),
        Example("one two three", "one two four\n"),
        Example("l1 is one\nl2 is two\nl3 is three", "l1 is one!\nother\nunrelated\n"),
        Example("alpha\nbeta", "gamma\ndelta\n"),
    ),
    is_single=True,
)
