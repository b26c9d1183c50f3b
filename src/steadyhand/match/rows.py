"""Where rows are that say the same as a needle's rows, for tiers that compare row by row.

A needle is looked for by its rarest word, which every such place must have verbatim; only rows with that word are
compared. No table of normalised text is built, so the work is about that of a few plain searches.

What is found is complete: every place, or none at all where there are too many to look at. A part of the places would
make an ambiguous needle look unique; only two of them may stand for more, since two are ambiguous already.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.match.tier import Needle
from steadyhand.text.bare_lines import BareLines, bare, bare_lines
from steadyhand.text.cancel import check_cancelled_at
from steadyhand.text.indent import Pair, carry, indent_of, is_shifted, unit_of_indents
from steadyhand.text.lines import LineTable
from steadyhand.text.seeds import places_of
from steadyhand.text.source import Source
from steadyhand.text.span import Span, kept_apart
from steadyhand.text.typography import plain

_WORD = lazy_pattern(r"[A-Za-z0-9_]{2,}")
_TRIED = 6  # words whose places are counted
_FEW = 100  # places of a word that are looked at faster than a rarer word is found
_FREQUENT = 50_000  # places of a word, or rows that may be the same, beyond which they are not looked at one by one
_FEW_ROWS = 16
_INDEXED = 5_000  # places of a word whose lines are kept
_LONG_LINE = 2_000  # code points of a line that is taken for like every row until it is compared
_MODERATE = 2_000_000  # code points of text up to which every row may be looked at
_SOME = 2_000  # rows that are looked at where there are too many
_MOST_ROWS = 200_000  # of a needle
_WORK = 1_000_000  # rows compared with rows
_EDGES = " \t\r\n"
_BLANKS = 8  # times as long as the needle's longest may a row be that differs in nothing but blanks
_SLACK = 10_000  # code points more than that
_TOO_LONG = "\0"  # the key of a row that is longer
_TELLING = 2.0  # long lines that a needle must amount to if its indentation does not answer to the file's

Key = Callable[[str], str]
Seed = tuple[str, int, int]
"""A word, which row of a needle it is of, and how often it is in the text."""


def find_windows(source: Source, needle: Needle, key: Key, *, apart: bool) -> Iterator[Span]:
    """Every place whose rows, blank ones left out, have the keys of the needle's rows, in their order."""
    lines = bare_lines(source)
    if lines is not None and not lines.may_have(needle.bare):
        return
    search = _Search(source, needle, key)
    found = list(search.places())
    if search.is_spent and (apart or len(found) < 2):
        return
    if len(found) == 1 and not search.is_believable(*found[0]):
        return
    wide = (_with_blank_edges(source.table, needle.rows, *place) for place in found)
    spans = (span_of_rows(source.table, first, last, needle.text) for first, last in wide)
    yield from kept_apart(spans) if apart else spans


def find_row(source: Source, row: str, key: Key) -> list[int] | None:
    """Every row that has the key of a row, top to bottom; None where there are too many to look at."""
    wanted, signs = key(row), _signs(row)
    known: dict[str, bool] = {}

    def is_same(text: str) -> bool:
        if text not in known:
            known[text] = _signs(text) == signs and key(text) == wanted
        return known[text]

    lines = bare_lines(source)
    if lines is not None and not _is_frequent(source, row):
        like = lines.rows_like(row)
        return [found for found, text in zip(like, _texts_of(source, lines, like), strict=True) if is_same(text)]
    seed = seed_of(source, [row], _FEW)
    if seed is None or "\r" in source.text:
        places = rows_with(source, [row])
        return None if places is None else [found for found in places if is_same(source.table.text(found))]
    if seed[2] > _FREQUENT:
        return None
    known_lines = source.derive(_LineIndex).like(row, seed)
    return [
        source.table.row_at(start) for start, text in known_lines if is_same(text)
    ]  # few are, so few rows are counted


def _texts_of(source: Source, lines: BareLines, rows: Sequence[int]) -> Iterator[str]:
    """The texts of some rows; a few are cut out of the text, for many it is split into its lines."""
    return map(source.table.text if len(rows) <= _FEW_ROWS else lines.texts.__getitem__, rows)


def _is_frequent(source: Source, row: str) -> bool:
    """Whether the rarest word of a row is in more places than are looked at."""
    longest = max(map(len, _WORD.findall(row)), default=0)
    if not longest or len(source.text) <= longest * _FREQUENT:
        return False  # there is no room for so many
    seed = seed_of(source, [row], _FEW)
    return seed is not None and seed[2] > _FREQUENT


class _LineIndex:
    """The lines that have a word, by what they say: every tier asks for the same words. Lines of the text end with LF.

    For texts that have no `BareLines`.
    """

    def __init__(self, source: Source) -> None:
        self._text = source.text
        self._known: dict[str, dict[int | None, list[tuple[int, int]]]] = {}

    def like(self, row: str, seed: Seed) -> Iterator[tuple[int, str]]:
        """Where the lines start that have the seed's word and may have a key of this row, and what they say."""
        text, (word, _, count) = self._text, seed
        said = bare(row)
        if count > _INDEXED:
            lines = _lines_with(text, word, count)
            yield from (one for one in lines if len(one[1]) > _LONG_LINE or bare(one[1]) == said)
            return
        known = self._known.get(word)
        if known is None:
            known = {}
            for start, line in _lines_with(text, word, count):
                line_said = hash(bare(line)) if len(line) <= _LONG_LINE else None
                known.setdefault(line_said, []).append((start, start + len(line)))
            self._known[word] = known
        for start, end in sorted([*known.get(hash(said), ()), *known.get(None, ())]):
            yield start, text[start:end]


def _lines_with(text: str, word: str, count: int) -> Iterator[tuple[int, str]]:
    """Where the lines start that have a word in its first places, and what they say; lines of the text end with LF."""
    end = -1
    for offset in islice(places_of(text, word), count):
        if offset > end:
            start, end = text.rfind("\n", 0, offset) + 1, text.find("\n", offset)
            end = len(text) if end < 0 else end
            yield start, text[start:end]


def _signs(row: str) -> str:
    """What is left of a row without blanks and kinds of quotes: rows that differ in this say different things."""
    return plain(row).replace(" ", "").replace("\t", "").replace('"', "'")


def rows_with(source: Source, rows: Sequence[str]) -> list[int] | None:
    """The rows that have the rarest word of some rows; None where there are too many to look at."""
    places = _rows_with(source, seed_of(source, rows))
    return places.rows if places.is_all else None


def span_of_rows(table: LineTable, first: int, last: int, needle: str) -> Span:
    """Whole lines, the last with its ending only if the needle ends with one."""
    span = table.span_of(first, last)
    if needle.endswith(("\n", "\r")):
        return span
    return Span(span.start, table.start(last) + len(table.text(last)))


class _Search:
    """One needle in one text; `is_spent` says that not every place was looked at."""

    def __init__(self, source: Source, needle: Needle, key: Key) -> None:
        self._source = source
        self._needle = needle
        self._key = key
        self._rows = [text for text in needle.rows if text.strip()]
        self._known: dict[str, str] = {}
        self._longest = _BLANKS * max(map(len, self._rows), default=0) + _SLACK
        self._work = _WORK
        self.is_spent = False

    def places(self) -> Iterator[tuple[int, int]]:
        """First and last row of each place, from the top."""
        rows = self._rows
        if not rows or len(rows) > _MOST_ROWS or _has_lone_cr_at_edge(self._needle.text):
            return
        lines = bare_lines(self._source)
        same: Iterator[int]
        if lines is not None:
            lengths = list(map(len, rows))
            at = lengths.index(max(lengths))
            wanted = self._key(rows[at])
            like = lines.rows_like(rows[at])
            self.is_spent = len(like) > _FREQUENT
            like = like[:_SOME] if self.is_spent else like
            texts = zip(like, _texts_of(self._source, lines, like), strict=True)
            same = (row for row, text in texts if self._key_in(text) == wanted)
        else:
            seed = seed_of(self._source, rows)
            at = 0 if seed is None else seed[1]
            same = self._rows_like(self._key(rows[at]), rows[at], seed)
        keys: list[str] = []
        for row in self._while_work_lasts(same):
            if lines is not None and (place := self._as_quoted(at, row)) is not None:
                yield place
                continue
            keys = keys or list(map(self._key, rows))
            first = self._follow(keys[:at][::-1], row, -1)
            last = None if first is None else self._follow(keys[at + 1 :], row, 1)
            if first is not None and last is not None:
                yield first, last

    def _rows_like(self, wanted: str, row: str, seed: Seed | None) -> Iterator[int]:
        """The rows of the text that have the word of a seed and the key of a row, from the top."""
        text, table = self._source.text, self._source.table
        if seed is None or "\r" in text:
            found = _rows_with(self._source, seed)
            self.is_spent = not found.is_all
            return (at for at in found.rows if self._key_of(at) == wanted)
        self.is_spent = seed[2] > _FREQUENT
        lines = _lines_with(text, seed[0], _SOME) if self.is_spent else self._source.derive(_LineIndex).like(row, seed)
        return (table.row_at(start) for start, line in lines if self._key_in(line) == wanted)

    def _while_work_lasts(self, rows: Iterator[int]) -> Iterator[int]:
        for at in rows:
            if self._work < 0:
                break
            yield at
        self.is_spent = self.is_spent or self._work < 0

    def is_believable(self, first: int, last: int) -> bool:
        """Whether the rows are indented like the needle's, or say so much that this does not matter."""
        table = self._source.table
        found = [text for row in range(first, last + 1) if (text := table.text(row)).strip()]
        if len(found) != len(self._rows):
            return False  # a row of nothing but characters that are not seen
        indents, others = [*map(indent_of, self._rows)], [*map(indent_of, found)]
        if is_shifted(set(zip(indents, others, strict=True))) and any(map(_has_words, self._rows)):
            return True
        units = unit_of_indents([indents]), unit_of_indents([others])
        pairs = [Pair(at, *both) for at, both in enumerate(zip(indents, others, strict=True))]
        carried = carry(pairs, *units)
        if not carried.is_rule and len(pairs) > 2:  # a first row quoted without its indentation says nothing of others
            carried = carry(pairs[1:], *units)
        if carried.is_rule:
            # A bracket further left or right is another bracket, unless words beside it say which.
            return any(map(_has_words, self._rows)) or carried("", 0) == ""
        says_enough = sum(min(len(text.strip()), 40) / 40 for text in self._rows) >= _TELLING
        telling = [at for at, text in enumerate(self._rows) if _has_words(text)]
        return says_enough and all(_is_like_neighbour(pairs, telling, at) for at in range(len(pairs)))

    def _as_quoted(self, at: int, row: int) -> tuple[int, int] | None:
        """The place where a visible row of the needle is a row of the text, if it differs at the edges of rows only.

        Of a text of ASCII: rows that are the same between their edges have the same key, and none has an empty one.
        """
        stripped, numbers = self._stripped
        first = row - numbers[at]
        texts = self._source.table.texts(first, first + len(stripped)) if first >= 0 else []
        if [text.strip(_EDGES) for text in texts] != stripped or max(map(len, texts)) > self._longest:
            return None
        self._work -= len(texts)
        return first, first + len(texts) - 1

    @cached_property
    def _stripped(self) -> tuple[list[str], list[int]]:
        """The needle's rows from the first visible one to the last without their edges; which of them each is."""
        visible = [at for at, text in enumerate(self._needle.rows) if text.strip()]
        rows = self._needle.rows[visible[0] : visible[-1] + 1]
        return [text.strip(_EDGES) for text in rows], [at - visible[0] for at in visible]

    def _follow(self, keys: Sequence[str], row: int, step: int) -> int | None:
        """The row that has the last of the keys, going one way and passing over blank rows."""
        count = self._source.table.count
        for wanted in keys:
            row += step
            while 0 <= row < count and not self._key_of(row):
                row += step
            if not 0 <= row < count or self._key_of(row) != wanted or self._work < 0:
                return None
        return row

    def _key_of(self, row: int) -> str:
        """The key of a row of the text; that of a blank row is empty."""
        table = self._source.table
        if table.start(row + 1) - table.start(row) > self._longest:  # it is not even copied
            self._work -= 1
            return _TOO_LONG
        return self._key_in(table.text(row))

    def _key_in(self, text: str) -> str:
        self._work -= 1
        check_cancelled_at(self._work)
        if len(text) > self._longest:
            return _TOO_LONG
        known = self._known.get(text)
        if known is None:
            known = self._key(text) if text.strip() else ""
            if len(self._known) < _FREQUENT:
                self._known[text] = known
        return known


def _is_like_neighbour(pairs: Sequence[Pair], telling: Sequence[int], at: int) -> bool:
    """Whether a row of mere signs is moved sideways like the words next to it; one bracket looks like another."""
    place = bisect_left(telling, at)
    beside = telling[max(place - 1, 0) : place + 1]
    near = min(beside, key=lambda other: (abs(other - at), other), default=None)
    return near == at or (near is not None and pairs[near].carry(pairs[at].before) == pairs[at].after)


def _has_words(row: str) -> bool:
    return any(map(str.isalnum, row))


def _has_lone_cr_at_edge(text: str) -> bool:
    """Whether the needle speaks of a CR itself, which no comparison of rows sees."""
    return text.endswith("\r") or (text.startswith("\r") and not text.startswith("\r\n"))


def seed_of(source: Source, rows: Sequence[str], few: int = 1) -> Seed | None:
    """The rarest word of some rows; None without words.

    No rarer one is looked for than one that is there in `few` places.
    """
    counts = source.derive(_counts)
    words = {word: row for row, line in enumerate(rows) for word in _WORD.findall(line)}
    longest = sorted(words, key=lambda word: (-len(word), words[word], word))[:_TRIED]
    best: Seed | None = None
    for word in longest:
        count = counts[word] if word in counts else counts.setdefault(word, source.text.count(word))
        if best is None or count < best[2]:
            best = word, words[word], count
        if count <= few:
            break  # every place has this one, so another word that is not there is missed when the place is compared
    return best


def _counts(_source: Source) -> dict[str, int]:
    """How often words are in a text, as far as they were counted: tiers ask for the same ones."""
    return {}


@dataclass(frozen=True, slots=True)
class _Places:
    """Rows of a text that may be one of a needle; `is_all` says whether no such row was left out."""

    rows: list[int]
    is_all: bool


def _rows_with(source: Source, seed: Seed | None) -> _Places:
    """The rows of the text that have the rarest word of some rows; some of them where there are too many."""
    if seed is None:
        is_all = len(source.text) <= _MODERATE
        return _Places(list(range(source.table.count if is_all else min(source.table.count, _SOME))), is_all)
    word, _, count = seed
    offsets = islice(places_of(source.text, word), count if count <= _FREQUENT else _SOME)
    found = list(dict.fromkeys(map(source.table.row_at, offsets))) if count else []
    return _Places(found, count <= _FREQUENT)


def _with_blank_edges(table: LineTable, rows: Sequence[str], first: int, last: int) -> tuple[int, int]:
    """The extent with the blank rows around it, as far as the needle has blank rows at its edges."""
    for text in rows:
        if text.strip() or not first or table.text(first - 1).strip():
            break
        first -= 1
    for text in reversed(rows):
        if text.strip() or last + 1 >= table.count or table.text(last + 1).strip():
            break
        last += 1
    return first, last
