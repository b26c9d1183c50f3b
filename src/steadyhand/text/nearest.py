"""The places in a text most like a needle that is not in it, for the answer to a failed edit.

Candidate places come from `text/seeds.py`; here each is aligned with the needle, measured, and the best are kept.
Every step has a budget, so a huge text or needle costs a coarser answer or none, never a long wait.
What is found here is shown, never edited.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from steadyhand.text.diff import diff_rows
from steadyhand.text.lines import body, count_lines, line_ending, split_lines
from steadyhand.text.seeds import find_blank_variants, find_rows, find_starts
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.visible import show_difference

__all__ = ["Difference", "Nearest", "find_nearest", "show_difference"]

_MOST_LINES = 1_000_000  # of a text; beyond this no table of lines is built
_LONGEST = 200_000  # code points of a needle without line ending
_ROWS = 200_000  # lines that are aligned, over all candidates
_CELLS = (
    16_000_000  # needle times window, in code points, compared one by one; beyond this line by line or word by word
)
_SHORT = 2_000  # code points up to which a piece is tried at every place of its window
_REACH = 60  # code points an edge may be moved to make a word whole
_NEAR = 4  # rows around a counted edge that are looked at
_FLOOR = 0.5  # two texts that have nothing to do with each other are often this much alike
_WORD = re.compile(r"\w+|\W")
_PLAIN = str.maketrans("‘’‚‛“”„‟′″–—−‐‑\u00a0", "''''\"\"\"\"'\"----- ")  # one for one, so that offsets hold
_BLANKS = re.compile(r"[ \t]+")
_TRAILING = re.compile(r"(?<![ \t])[ \t]+(?=[\r\n]|\Z)")


class Difference(NamedTuple):
    """The first pair of lines that differ: the 1-based line of the file, what was expected there, what stands there.

    Endings are included only when nothing else differs; a line that is missing on one side is empty.
    """

    line: int
    expected: str
    actual: str


@dataclass(frozen=True, slots=True)
class Nearest:
    """A place that resembles the needle, with 1-based lines and the share of characters the two have in common.

    `is_sure` is false where a character more or less at an edge would resemble the needle as much.
    """

    span: Span
    first_line: int
    last_line: int
    similarity: float
    difference: Difference | None
    is_sure: bool = True


def find_nearest(source: Source, needle: str, *, limit: int = 3) -> tuple[Nearest, ...]:
    """The best places first, none overlapping another; none at all where nothing is alike or the text is too large.

    A needle with a line ending is compared with whole lines, one without with parts of them.

    >>> found = find_nearest(Source.of_text("def area(w, h):\\n    return w * h\\n"), "return width * h")
    >>> found[0].first_line, found[0].difference.actual
    (2, 'return w * h')
    """
    if not source.text or not needle.strip() or limit < 1 or count_lines(source.text) > _MOST_LINES:
        return ()
    lines = split_lines(needle)
    found = _whole_lines(source, lines) if line_ending(lines[0]) else _parts(source, needle)
    found += [_blank_variant(source, needle, span) for span in find_blank_variants(source, needle)]
    best: list[Nearest] = []
    for place in sorted(found, key=lambda place: (-place.similarity, place.span)):
        if place.similarity >= _FLOOR and not any(place.span.overlaps(other.span) for other in best):
            best.append(place)
    return tuple(best[:limit])


def _whole_lines(source: Source, wanted: list[str]) -> list[Nearest]:
    rows = [line.strip() for line in wanted]
    most = max(1, _ROWS // len(wanted))
    windows = (_window(source, wanted, rows, first) for first in find_rows(source, rows)[:most])
    return [window for window in windows if window is not None]


def _blank_variant(source: Source, needle: str, span: Span) -> Nearest:
    """A place that differs from the needle in nothing but blanks."""
    lines, wanted = split_lines(span.of(source.text)), split_lines(needle)
    first, last = source.lines_of(span)
    difference = _first_difference(wanted, lines, first)
    return Nearest(span, first, last, _alike(wanted, lines), difference, _has_same_edges(source.text, span, needle))


def _has_same_edges(text: str, span: Span, needle: str) -> bool:
    """Whether blanks at the needle's edges have an answer in the text: blanks, or the edge of a line."""
    before, after = text[max(span.start - 1, 0) : span.start] or "\n", text[span.end : span.end + 1] or "\n"
    starts_well = not needle[0].isspace() or text[span.start].isspace() or before in "\r\n"
    return starts_well and (not needle[-1].isspace() or text[span.end - 1].isspace() or after in "\r\n")


def _window(source: Source, wanted: list[str], rows: list[str], first: int) -> Nearest | None:
    """The lines from about row `first` that fit the needle best; None where a line is out of all proportion."""
    table = source.table
    slack = max(2, len(wanted) // 8)
    first = max(0, min(first, table.count - 1))
    low, high = max(0, first - slack), min(table.count, first + len(wanted) + slack)
    length = sum(map(len, wanted))
    if table.span_of(low, high - 1).length > 8 * length + 10_000:
        return None
    lines = [table.span(row).of(source.text) for row in range(low, high)]
    start, end = _extent(rows, [line.strip() for line in lines], first - low)
    lines = lines[start:end]
    if not line_ending(wanted[-1]):
        lines[-1] = body(lines[-1])
    span = Span(table.start(low + start), table.start(low + start) + sum(map(len, lines)))
    difference = _first_difference(wanted, lines, low + start + 1)
    return Nearest(span, low + start + 1, low + end, _alike(wanted, lines), difference)


def _extent(rows: Sequence[str], lines: Sequence[str], guess: int) -> tuple[int, int]:
    """From where to where the lines answer to the needle's rows.

    The first and the last telling pair that agree say so; the needle's rows beyond them are counted off, then corrected
    by the line nearby that is most like the needle's edge.
    """
    pairs = [(row, line) for row, line in _equal_pairs(rows, lines) if len(rows[row]) > 3]
    first_row, first_line = pairs[0] if pairs else (0, guess)
    last_row, last_line = pairs[-1] if pairs else (len(rows) - 1, guess + len(rows) - 1)
    start = _edge(rows, lines, first_line - first_row)
    end = len(lines) - _edge(rows[::-1], lines[::-1], len(lines) - (last_line + len(rows) - last_row))
    start, end = max(0, start), min(len(lines), end)
    return (start, end) if start < end else (guess, min(guess + len(rows), len(lines)))


def _equal_pairs(rows: Sequence[str], lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    row = line = 0
    for change in diff_rows(rows, lines):
        yield from zip(range(row, change.before_start), range(line, change.after_start), strict=True)
        row, line = change.before_end, change.after_end
    yield from zip(range(row, len(rows)), range(line, len(lines)), strict=True)


def _edge(rows: Sequence[str], lines: Sequence[str], guess: int) -> int:
    """Where the needle starts, judged by its first line that is not blank; `guess` if no line nearby is like it."""
    from rapidfuzz.distance import Indel

    place = next(place for place, row in enumerate(rows) if row)
    row = rows[place][:_SHORT]
    best, start = _FLOOR, guess
    for near in sorted(range(guess - _NEAR, guess + _NEAR + 1), key=lambda near: abs(near - guess)):
        if 0 <= near + place < len(lines):
            score = Indel.normalized_similarity(row, lines[near + place][:_SHORT])
            if score > best:
                best, start = score, near
    return start


def _alike(wanted: Sequence[str], actual: Sequence[str]) -> float:
    """The share of code points two lists of pieces have in common and in order, from 0 to 1."""
    left, right = "".join(wanted), "".join(actual)
    if len(left) * len(right) <= _CELLS:
        share = _share(left, right)
        return max(share, (share + 9 * _share(_folded(left), _folded(right))) / 10)
    budget = 4 * _CELLS
    distance = 0
    for change in diff_rows(wanted, actual):
        old = "".join(wanted[change.before_start : change.before_end])
        new = "".join(actual[change.after_start : change.after_end])
        budget -= len(old) * len(new)
        distance += _distance(old, new) if budget > 0 else len(old) + len(new)
    return 1 - distance / (len(left) + len(right))


def _share(left: str, right: str) -> float:
    return 1 - _distance(left, right) / max(len(left) + len(right), 1)


def _folded(text: str) -> str:
    """The text with plain quotes and dashes, one blank for several, and none at the ends of lines."""
    return _BLANKS.sub(" ", _TRAILING.sub("", text.translate(_PLAIN)))


def _distance(left: str, right: str) -> int:
    """How many code points must go and come."""
    from rapidfuzz.distance import Indel

    return Indel.distance(left, right)


def _first_difference(wanted: Sequence[str], lines: Sequence[str], line: int) -> Difference | None:
    changes = diff_rows(wanted, lines)
    if not changes:
        return None
    change = changes[0]
    expected = wanted[change.before_start] if change.before_start < change.before_end else ""
    actual = lines[change.after_start] if change.after_start < change.after_end else ""
    if body(expected) != body(actual):
        expected, actual = body(expected), body(actual)
    return Difference(line + change.after_start, expected, actual)


def _parts(source: Source, needle: str) -> list[Nearest]:
    if len(needle) > _LONGEST:
        return []
    return [_part(source, needle, start) for start in find_starts(source, needle)]


def _part(source: Source, needle: str, start: int) -> Nearest:
    """The piece of text at about `start` that fits the needle best."""
    slack = len(needle) // 4 + 8
    low = max(0, start - slack)
    window = source.text[low : max(start, 0) + len(needle) + slack]
    pieces = _piece_spans(needle, window, max(start, 0) - low)
    _, _, piece = max((_alike([needle], [piece.of(window)]), -piece.length, piece) for piece in pieces)
    is_sure = True
    if len(needle) <= _SHORT:
        piece, is_sure = _settle_edges(needle, piece, window)
    score = _alike(_WORD.findall(needle), _WORD.findall(piece.of(window)))
    span = _whole_words(source.text, piece.shift(low), needle)
    first, last = source.lines_of(span)
    return Nearest(span, first, last, score, Difference(first, needle, span.of(source.text)), is_sure)


def _settle_edges(needle: str, piece: Span, window: str) -> tuple[Span, bool]:
    """The piece with each edge moved a little to where the fewest characters differ, and whether no other is as good.

    Where a character at the edge may be wrong or may not belong there, one that is alike decides that it is wrong.
    """
    from rapidfuzz.distance import Levenshtein

    needle, window = needle.translate(_PLAIN), window.translate(_PLAIN)

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
    return _sort_of(edge) != "sign" and _is_one_sort(edge, char)


def _strangeness(one: str, two: str) -> int:
    return 0 if one == two else 1 if _is_one_sort(one, two) else 2


def _is_one_sort(one: str, two: str) -> bool:
    return _sort_of(one) == _sort_of(two)


def _sort_of(char: str) -> str:
    if char in (" ", "\t"):
        return "blank"
    return "word" if char.isalnum() or char == "_" else "ending" if char in "\r\n" else "sign"


def _piece_spans(needle: str, window: str, guess: int) -> list[Span]:
    """Parts of the window that may answer to the needle."""
    spans = [Span(min(guess, len(window)), min(guess + len(needle), len(window)))]
    if len(needle) <= _SHORT:
        from rapidfuzz import fuzz

        aligned = fuzz.partial_ratio_alignment(needle, window)
        if aligned is not None:
            spans.append(Span(aligned.dest_start, aligned.dest_end))
    if len(needle) * len(window) <= _CELLS:
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
