"""Where a needle that is not in the text may have its place: its rarer pieces are looked up and vote for a start.

In a text of moderate size lines that merely resemble the needle's vote as well. Bounded by budgets, and the same
source and needle always give the same candidates. Nothing here measures how good a candidate is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, islice
from typing import NamedTuple

from steadyhand.lazy import lazy_pattern
from steadyhand.text.bare_lines import bare_lines
from steadyhand.text.source import Source
from steadyhand.text.span import Span

__all__ = ["find_blank_variants", "find_rows", "find_spaced_variants", "find_starts", "places_of"]

_SCANNED = 300_000_000  # code points read while looking up pieces
_SEEDS = 60
_PLACES = 24  # how often a piece may be in the text and still say something
_MODERATE = 4_000_000  # code points of text up to which every line is compared
_COMPARED = 8  # lines of the needle compared with every line of the text
_COMPARISONS_OF_LINES = 80_000  # lines compared with lines, three lines of the needle aside
_LONGEST_LINE = 2_000
_CANDIDATES = 24
_HOPELESS = 12  # how many times fewer votes than the first a candidate may have
_REPEATED = 3  # how often a piece may be in the needle and still say where the needle starts
_FEW_WORDS = 16  # words looked up where every line is compared anyway
_ROWS = 4_000  # lines of the needle that vote
_VOTES = 60_000  # equal lines that vote
_ALIKE = 6  # lines that vote since they resemble one of the needle's
_CLEAR = 60  # percent of a line that must be alike for it to vote
_WORD = lazy_pattern(r"\w{4,}")
_PIECE = 8
_TOKEN = lazy_pattern(r"[^\S\r\n]+|\r\n?|\n|\S+")
_SHORT_TOKEN = lazy_pattern(r"\w+|[^\w\s]")
_SHORTEST = 12  # code points of a needle that is too short to be measured by what it has in common
_ENDING = lazy_pattern(r"\r\n?|\n")
_ENDINGS = ("\n", "\r", "\r\n")
_BLANKS = r"[^\S\r\n]"
_COMPARISONS = 100_000_000  # code points of text times words of the needle


class _Seed(NamedTuple):
    """A piece of the needle, and its rows or offsets there."""

    text: str
    places: tuple[int, ...]


def find_rows(source: Source, rows: Sequence[str]) -> list[int]:
    """Rows of the source at which a needle of these stripped lines may start, most likely first."""
    votes: Counter[int] = Counter()
    step = max(1, len(rows) // _ROWS)
    picked = [(place, row) for place, row in zip(range(0, len(rows), step), rows[::step], strict=True) if row]
    words = _distinct((found, place) for place, row in picked for found in _WORD.findall(row))
    known = bare_lines(source)
    if len(source.text) <= _MODERATE:
        lines = list(map(str.strip, source.lines)) if known is None else known.stripped
        clear = _vote_for_equal(votes, lines, picked)
        _vote_for_alike(votes, lines, _telling(picked, clear)[: max(_COMPARISONS_OF_LINES // max(len(lines), 1), 3)])
        seeds = words[:_FEW_WORDS]
    else:
        seeds = _distinct((row, place) for place, row in picked if len(row) > 3) + words
    for offset, seed, weight in _lookups(source.text, seeds):
        row = source.table.row_at(offset)
        for place in set(seed.places):
            votes[row - place] += weight
    return _agreed(votes, max(len(rows) > 1, len(rows) // 8))


def find_starts(source: Source, needle: str) -> list[int]:
    """Offsets at which a needle without line ending may start, most likely first."""
    votes: Counter[int] = Counter()
    for start in _parts_alike(source, needle):
        votes[start] += 100
    seeds = _distinct((found.group(), found.start()) for found in _WORD.finditer(needle))
    if len(source.text) > _MODERATE or len(needle) > _LONGEST_LINE:
        seeds += _distinct((needle[at : at + _PIECE], at) for at in range(0, len(needle), _PIECE))
    for offset, seed, weight in _lookups(source.text, seeds):
        for place in set(seed.places):
            votes[offset - place] += weight
    return _agreed(votes, max(2, len(needle) // 4))


def find_blank_variants(source: Source, needle: str) -> list[Span]:
    """Places that have the needle's words and lines, but other blanks between them or at the ends of lines."""
    tokens = _TOKEN.findall(needle.strip())
    if not tokens or len(needle) > _LONGEST_LINE or len(tokens) * len(source.text) > _COMPARISONS:
        return []
    lines = bare_lines(source)
    if lines is not None and not lines.may_have_words(needle):
        return []
    pattern = re.compile("".join(map(_pattern_of, _without_edge_blanks(tokens))))
    found = islice(pattern.finditer(source.text), _CANDIDATES)
    return [_with_edge_blanks(source.text, Span(*match.span()), needle) for match in found]


def find_spaced_variants(source: Source, needle: str) -> list[Span]:
    """Places of a short needle on one line that have its words and signs, with or without blanks between them."""
    tokens = _SHORT_TOKEN.findall(needle)
    if len(tokens) < 2 or len(needle) > _SHORTEST or "\n" in needle or len(source.text) > _MODERATE:
        return []
    pattern = re.compile(rf"(?<!\w){f'{_BLANKS}*+'.join(map(re.escape, tokens))}(?!\w)")
    return [Span(*match.span()) for match in islice(pattern.finditer(source.text), _CANDIDATES)]


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


def _distinct(pieces: Iterable[tuple[str, int]]) -> list[_Seed]:
    """The longest pieces, each once with all its places: one that occurs often in the needle says little about it."""
    places: dict[str, list[int]] = {}
    for text, place in islice(pieces, 100_000):
        places.setdefault(text, []).append(place)
    telling = [_Seed(text, tuple(at)) for text, at in places.items() if len(at) <= _REPEATED]
    kept = telling or [_Seed(text, (at[0],)) for text, at in places.items()]
    return sorted(kept, key=lambda seed: (-len(seed.text), seed.places))[:_SEEDS]


def _lookups(text: str, seeds: Sequence[_Seed]) -> Iterator[tuple[int, _Seed, int]]:
    """Every place of every seed with its weight: a rare seed says much, a frequent one only where it is first."""
    for seed in seeds[: max(2, _SCANNED // len(text))]:
        places: list[int] = []
        size = len(seed.text)
        offset = text.find(seed.text)
        while (
            offset >= 0 and len(places) <= _PLACES
        ):  # as `places_of`, of which so many calls would be most of the cost
            places.append(offset)
            offset = text.find(seed.text, offset + size)
        if len(places) > _PLACES:
            yield places[0], seed, 1
        else:
            for offset in places:
                yield offset, seed, 1000 // (len(places) * len(seed.places))


def places_of(text: str, piece: str) -> Iterator[int]:
    """Where a piece is, left to right without overlap."""
    offset = text.find(piece)
    while offset >= 0:
        yield offset
        offset = text.find(piece, offset + len(piece))


def _agreed(votes: Counter[int], tolerance: int) -> list[int]:
    """Starts by the votes in their neighbourhood, one for each neighbourhood."""
    groups: list[list[int]] = []
    group: list[int] = []
    for start in sorted(votes):
        if group and start - group[0] <= 2 * tolerance:
            group.append(start)
        else:
            group = [start]
            groups.append(group)
    ranked = sorted([(-sum(map(votes.__getitem__, group)), group) for group in groups])[:_CANDIDATES]
    few = [group for count, group in ranked if count * _HOPELESS <= ranked[0][0]]
    return [max(group, key=lambda start: (votes[start], -start)) for group in few]


def _vote_for_equal(votes: Counter[int], lines: Sequence[str], rows: Sequence[tuple[int, str]]) -> set[str]:
    """Lines that are the needle's vote, long and rare ones most; gives those that say clearly where the needle is."""
    at = _numbers_of({row for _, row in rows}, lines)
    budget = _VOTES
    for place, row in rows:
        found = at.get(row, ())[: max(budget, 1)]
        budget -= len(found)
        weight = 1 + 50 * min(len(row), 20) // max(len(found), 1)
        for number in found:
            votes[number - place] = votes.get(number - place, 0) + weight
    return {row for row, found in at.items() if len(found) <= 3 and len(row) > 3}


def _telling(rows: Sequence[tuple[int, str]], known: set[str]) -> list[tuple[int, str]]:
    """The longest lines of the needle that occur nowhere as they are; few where others say where the needle is."""
    most = _COMPARED if len(known) < 3 else 3
    open_rows = [(place, row) for place, row in rows if row not in known and 2 < len(row) <= _LONGEST_LINE]
    return sorted(open_rows, key=lambda pair: (-len(pair[1]), pair[0]))[:most]


def _numbers_of(wanted: set[str], lines: Sequence[str]) -> dict[str, list[int]]:
    """Which of the lines each wanted one is, from the top; nothing for one that is not there."""
    at: dict[str, list[int]] = {}
    for number in compress(range(len(lines)), map(wanted.__contains__, lines)):
        at.setdefault(lines[number], []).append(number)
    return at


def _vote_for_alike(votes: Counter[int], lines: Sequence[str], wanted: Sequence[tuple[int, str]]) -> None:
    """Lines that resemble one of the needle's vote for where it starts: those most like it, the first of equal ones."""
    from rapidfuzz import fuzz, process

    different = list(dict.fromkeys(lines))  # to compare each line once is most of what can be saved here
    alike = [process.extract(row, different, scorer=fuzz.ratio, score_cutoff=_CLEAR, limit=_ALIKE) for _, row in wanted]
    at = _numbers_of({line for found in alike for line, _, _ in found}, lines)
    for (place, _), found in zip(wanted, alike, strict=True):
        voters = sorted((-score, number) for line, score, _ in found for number in at[line])
        for score, number in voters[:_ALIKE]:
            votes[number - place] += int(-score)


def _parts_alike(source: Source, needle: str) -> Iterator[int]:
    """Where in the lines most like the needle it would start."""
    if len(source.text) > _MODERATE or len(needle) > _LONGEST_LINE:
        return
    from rapidfuzz import fuzz, process

    wanted = needle.strip()
    # A shorter line is compared as a whole elsewhere; here it would count as a perfect part of the needle.
    lines = {row: line for row, line in enumerate(source.lines) if 0.6 * len(wanted) <= len(line) <= _LONGEST_LINE}
    for line, _, row in process.extract(wanted, lines, scorer=fuzz.partial_ratio, score_cutoff=_CLEAR, limit=12):
        aligned = fuzz.partial_ratio_alignment(wanted, line)
        if aligned is not None:
            yield source.table.start(row) + aligned.dest_start - (len(needle) - len(needle.lstrip()))
