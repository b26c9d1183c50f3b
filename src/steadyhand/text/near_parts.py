"""Pieces of text, within a line as a rule, that resemble a needle without line ending.

Candidates come from `text/seeds.py`. All are measured roughly; the edges of the best are then settled character by
character and made to end with whole words, so that what is shown and offered does not begin in the middle of one.
"""

from __future__ import annotations

from collections.abc import Iterator

from steadyhand.text.resemblance import CELLS, Measure, Resemblance
from steadyhand.text.seeds import find_starts
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.typography import PLAIN
from steadyhand.text.words import sort_of

__all__ = ["find_parts"]

_LONGEST = 200_000  # code points of a needle
_SHORT = 2_000  # code points up to which edges are settled one by one
_TRIED = 200  # code points up to which a needle is tried at every place of its window
_SETTLED = 8  # pieces whose edges are settled
_REACH = 60  # code points an edge may be moved to make a word whole
_NEAR = 4  # code points by which an edge is moved while it settles


def find_parts(source: Source, needle: str) -> list[Resemblance]:
    """The pieces that resemble the needle."""
    if len(needle) > _LONGEST:
        return []
    measure = Measure([needle])
    pieces = {_rough(source, needle, start, measure) for start in find_starts(source, needle)}
    best = sorted(pieces, key=lambda found: (-found[0], found[1]))[:_SETTLED]
    return [_settled(source, needle, piece, measure) for _, piece in best if not piece.is_empty]


def _rough(source: Source, needle: str, start: int, measure: Measure) -> tuple[float, Span]:
    """The piece of text at about `start` that fits the needle best, and how well."""
    slack = len(needle) // 4 + 8
    low = max(0, start - slack)
    window = source.text[low : max(start, 0) + len(needle) + slack]
    pieces = _pieces(needle, window, max(start, 0) - low)
    score, _, piece = max((measure.alike([piece.of(window)]), -piece.length, piece) for piece in pieces)
    return score, piece.shift(low)


def _settled(source: Source, needle: str, piece: Span, measure: Measure) -> Resemblance:
    """The piece with its edges settled, measured against the needle."""
    from rapidfuzz.distance import Levenshtein

    is_sure = True
    if len(needle) <= _SHORT:
        slack = len(needle) // 4 + 8
        low = max(0, piece.start - slack)
        piece, is_sure = _settle_edges(needle, piece.shift(-low), source.text[low : piece.end + slack])
        piece = piece.shift(low)
    score = measure.alike([piece.of(source.text)])
    span = _whole_words(source.text, piece, needle)
    whole = Levenshtein.normalized_similarity(needle, span.of(source.text)) if len(needle) <= _SHORT else score
    return Resemblance((score + whole) / 2, span, score, is_sure)


def _pieces(needle: str, window: str, guess: int) -> list[Span]:
    """Parts of the window that may answer to the needle."""
    spans = [Span(min(guess, len(window)), min(guess + len(needle), len(window)))]
    if len(needle) <= _TRIED:
        from rapidfuzz import fuzz

        aligned = fuzz.partial_ratio_alignment(needle, window)
        if aligned is not None:
            spans.append(Span(aligned.dest_start, aligned.dest_end))
    if len(needle) * len(window) <= CELLS:
        spans += [_shared_extent(needle, span, window) for span in (*spans, Span(0, len(window)))]
    return spans


def _shared_extent(needle: str, span: Span, window: str) -> Span:
    """From the first to the last character that a slightly wider span shares with the needle."""
    from rapidfuzz.distance import Indel

    wider = Span(max(0, span.start - len(needle) // 4), min(len(window), span.end + len(needle) // 4))
    equal = [op for op in Indel.opcodes(needle, wider.of(window)) if op.tag == "equal"]
    if not equal:
        return span
    return Span(wider.start + equal[0].dest_start, wider.start + equal[-1].dest_end)


def _settle_edges(needle: str, piece: Span, window: str) -> tuple[Span, bool]:
    """The piece with each edge moved a little to where the fewest characters differ, and whether no other is as good.

    Where a character at the edge may be wrong or may not belong there, one that is alike decides that it is wrong.
    """
    from rapidfuzz.distance import Levenshtein

    needle, window = needle.translate(PLAIN), window.translate(PLAIN)

    def cost(span: Span) -> tuple[int, int, int, int]:
        text = span.of(window)
        edges = _strangeness(needle[0], text[:1]) + _strangeness(needle[-1], text[-1:])
        return Levenshtein.distance(needle, text), text.count("\n"), edges, abs(len(text) - len(needle))

    for _ in range(2):
        starts = range(max(0, piece.start - _NEAR), min(piece.start + _NEAR, piece.end) + 1)
        piece = min((Span(start, piece.end) for start in starts), key=cost)
        ends = range(max(piece.start, piece.end - _NEAR), min(piece.end + _NEAR, len(window)) + 1)
        piece = min((Span(piece.start, end) for end in ends), key=cost)
    best = cost(piece)
    others = [span for span in _one_off(piece, len(window)) if cost(span)[:2] == best[:2]]
    return piece, all(_whole_words(window, span, needle) == _whole_words(window, piece, needle) for span in others)


def _one_off(span: Span, length: int) -> Iterator[Span]:
    """The spans with one edge moved by one."""
    start, end = span
    if start:
        yield Span(start - 1, end)
    if end < length:
        yield Span(start, end + 1)
    if start < end:
        yield Span(start + 1, end)
        yield Span(start, end - 1)


def _whole_words(text: str, span: Span, needle: str) -> Span:
    """The span with the word or the blanks at each edge made whole, if the needle has such an edge there."""
    start, end = span
    while start > max(0, span.start - _REACH) and _continues(needle[0], text[start - 1]):
        start -= 1
    while end < min(len(text), span.end + _REACH) and _continues(needle[-1], text[end]):
        end += 1
    return Span(start, end)


def _continues(edge: str, char: str) -> bool:
    return sort_of(edge) != "sign" and _is_one_sort(edge, char)


def _strangeness(one: str, two: str) -> int:
    return 0 if one == two else 1 if _is_one_sort(one, two) else 2


def _is_one_sort(one: str, two: str) -> bool:
    return sort_of(one) == sort_of(two)
