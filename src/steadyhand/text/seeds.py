"""Where a needle that is not in the text may have its place: its rarer pieces are looked up and vote for a start.

In a text of moderate size lines that merely resemble the needle's vote as well. Bounded by budgets, and the same
source and needle always give the same candidates. Nothing here measures how good a candidate is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from steadyhand.text.source import Source
from steadyhand.text.span import Span

__all__ = ["find_blank_variants", "find_rows", "find_starts"]

_SCANNED = 300_000_000  # code points read while looking up pieces
_SEEDS = 60
_PLACES = 24  # how often a piece may stand in the text and still say something
_MODERATE = 4_000_000  # code points of text up to which every line is compared
_COMPARED = 8  # lines of the needle compared with every line of the text
_LONGEST_LINE = 2_000
_CANDIDATES = 24
_WORD = re.compile(r"\w{4,}")
_PIECE = 8
_TOKEN = re.compile(r"[^\S\r\n]+|\r\n?|\n|\S+")
_ENDING = re.compile(r"\r\n?|\n")
_ENDINGS = ("\n", "\r", "\r\n")
_BLANKS = r"[^\S\r\n]"
_COMPARISONS = 100_000_000  # code points of text times words of the needle


class _Seed(NamedTuple):
    """A piece of the needle, and its row or offset there."""

    text: str
    place: int


def find_rows(source: Source, rows: Sequence[str]) -> list[int]:
    """Rows of the source at which a needle of these stripped lines may start, most likely first."""
    votes: Counter[int] = Counter()
    for row, place in _rows_alike(source, rows):
        votes[row - place] += 100
    seeds = _distinct(_Seed(row, place) for place, row in enumerate(rows) if len(row) > 3)
    if len(source.text) > _MODERATE:
        words = ((found, place) for place, row in enumerate(rows) for found in _WORD.findall(row))
        seeds += _distinct(_Seed(word, place) for word, place in words)
    for offset, seed, weight in _lookups(source.text, seeds):
        votes[source.table.row_at(offset) - seed.place] += weight
    return _agreed(votes, len(rows) // 8)


def find_starts(source: Source, needle: str) -> list[int]:
    """Offsets at which a needle without line ending may start, most likely first."""
    votes: Counter[int] = Counter()
    for start in _parts_alike(source, needle):
        votes[start] += 100
    seeds = _distinct(_Seed(found.group(), found.start()) for found in _WORD.finditer(needle))
    if len(source.text) > _MODERATE or len(needle) > _LONGEST_LINE:
        seeds += _distinct(_Seed(needle[at : at + _PIECE], at) for at in range(0, len(needle), _PIECE))
    for offset, seed, weight in _lookups(source.text, seeds):
        votes[offset - seed.place] += weight
    return _agreed(votes, max(2, len(needle) // 4))


def find_blank_variants(source: Source, needle: str) -> list[Span]:
    """Places that have the needle's words and lines, but other blanks between them or at the ends of lines."""
    tokens = _TOKEN.findall(needle.strip())
    if not tokens or len(needle) > _LONGEST_LINE or len(tokens) * len(source.text) > _COMPARISONS:
        return []
    pattern = re.compile("".join(map(_pattern_of, _without_edge_blanks(tokens))))
    found = islice(pattern.finditer(source.text), _CANDIDATES)
    return [_with_edge_blanks(source.text, Span(*match.span()), needle) for match in found]


def _pattern_of(token: str) -> str:
    if token in _ENDINGS:
        return rf"{_BLANKS}*+(?:\r\n?|\n){_BLANKS}*+"
    return f"{_BLANKS}++" if token.isspace() else re.escape(token)


def _without_edge_blanks(tokens: Sequence[str]) -> Iterator[str]:
    """The tokens without the blanks beside a line ending."""
    for before, token, after in zip(["", *tokens], tokens, [*tokens[1:], ""], strict=False):
        if not (_is_blank(token) and (before in _ENDINGS or after in _ENDINGS)):
            yield token


def _is_blank(token: str) -> bool:
    return token.isspace() and token not in _ENDINGS


def _with_edge_blanks(text: str, span: Span, needle: str) -> Span:
    """The span with the blanks around it, and the ending behind it, as far as the needle has some there."""
    start, end = span
    if needle[0].isspace():
        while start and text[start - 1] in " \t":
            start -= 1
    if needle[-1].isspace():
        while end < len(text) and text[end] in " \t":
            end += 1
        if needle[-1] in "\r\n" and (ending := _ENDING.match(text, end)):
            end = ending.end()
    return Span(start, end)


def _distinct(seeds: Iterable[_Seed]) -> list[_Seed]:
    """The longest seeds, each text once: one that stands twice in the needle does not say where the needle starts."""
    first: dict[str, _Seed] = {}
    repeated: set[str] = set()
    for seed in islice(seeds, 100_000):
        if first.setdefault(seed.text, seed) is not seed:
            repeated.add(seed.text)
    kept = [seed for seed in first.values() if seed.text not in repeated] or list(first.values())
    return sorted(kept, key=lambda seed: (-len(seed.text), seed.place))[:_SEEDS]


def _lookups(text: str, seeds: Sequence[_Seed]) -> Iterator[tuple[int, _Seed, int]]:
    """Every place of every seed with its weight: a rare seed says much, a frequent one only where it stands first."""
    for seed in seeds[: max(2, _SCANNED // len(text))]:
        places = list(islice(_places(text, seed.text), _PLACES + 1))
        if len(places) > _PLACES:
            yield places[0], seed, 1
        else:
            for offset in places:
                yield offset, seed, 1000 // len(places)


def _places(text: str, piece: str) -> Iterator[int]:
    offset = text.find(piece)
    while offset >= 0:
        yield offset
        offset = text.find(piece, offset + len(piece))


def _agreed(votes: Counter[int], tolerance: int) -> list[int]:
    """Starts by the votes in their neighbourhood, one for each neighbourhood."""
    groups: list[list[int]] = []
    for start in sorted(votes):
        if groups and start - groups[-1][0] <= 2 * tolerance:
            groups[-1].append(start)
        else:
            groups.append([start])
    groups.sort(key=lambda group: (-sum(votes[start] for start in group), group[0]))
    return [max(group, key=lambda start: (votes[start], -start)) for group in groups[:_CANDIDATES]]


def _rows_alike(source: Source, rows: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pairs of (row of the source, row of the needle) that resemble each other, for the needle's longest lines."""
    if len(source.text) > _MODERATE:
        return
    from rapidfuzz import fuzz, process

    lines = [line.strip() for line in source.lines]
    longest = sorted(range(len(rows)), key=lambda place: (-len(rows[place]), place))[:_COMPARED]
    for place in longest:
        if 3 < len(rows[place]) <= _LONGEST_LINE:
            for _, _, row in process.extract(rows[place], lines, scorer=fuzz.ratio, score_cutoff=60, limit=6):
                yield row, place


def _parts_alike(source: Source, needle: str) -> Iterator[int]:
    """Where in the lines most like the needle it would start."""
    if len(source.text) > _MODERATE or len(needle) > _LONGEST_LINE:
        return
    from rapidfuzz import fuzz, process

    wanted = needle.strip()
    # A shorter line is compared as a whole elsewhere; here it would count as a perfect part of the needle.
    lines = {row: line for row, line in enumerate(source.lines) if 0.6 * len(wanted) <= len(line) <= _LONGEST_LINE}
    for line, _, row in process.extract(wanted, lines, scorer=fuzz.partial_ratio, score_cutoff=60, limit=12):
        aligned = fuzz.partial_ratio_alignment(wanted, line)
        if aligned is not None:
            yield source.table.start(row) + aligned.dest_start - (len(needle) - len(needle.lstrip()))
