"""Places of a text as a refusal reports them, and the least to quote so that only one of them is meant.

Places are 1-based lines and columns, with a line or a part of one to know them by. Context is whole lines before or
after, or words where that is enough and the old text is part of a line. Nothing is guessed: what is handed out occurs
once in the text, overlapping occurrences counted. Work is bounded: places are told apart by comparing what is around
them, and the text itself is read a few times only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from steadyhand.hints import QuoteMore
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.text.lines import line_ending
from steadyhand.text.source import Source
from steadyhand.text.span import Span

__all__ = [
    "WIDTH",
    "Context",
    "describe_places",
    "find_contexts",
    "lines_phrase",
    "list_places",
    "occurrences_of",
    "shorten",
    "tell_apart",
]

WIDTH = 80
_LISTED = 8
_AHEAD = 24  # code points of a long line that are shown before the place


def list_places(source: Source, spans: Sequence[Span], total: int | None) -> list[str]:
    """One line for each of the first places; `total` is None where nobody knows how many there are."""
    rows = Counter(source.table.row_at(span.start) for span in spans)
    shown = [f"  {_shown(source, span, rows)}" for span in spans[:_LISTED]]
    if total is None:
        return [*shown, "  … and more"]
    more = total - len(shown)
    return [*shown, f"  … and {more} more"] if more > 0 else shown


def describe_places(source: Source, spans: Sequence[Span]) -> list[dict[str, object]]:
    """Lines, column and text of each place, for programs."""
    return [_facts(source, span) for span in spans]


def occurrences_of(spans: Sequence[Span]) -> Iterator[int | None]:
    """The number by which each place can be asked for: left to right without overlap, None for one in between."""
    count = end = 0
    for span in spans:
        if span.start >= end:
            count, end = count + 1, span.end
            yield count
        else:
            yield None


def lines_phrase(first: int, last: int) -> str:
    """One line or a range of lines, both 1-based and included."""
    return f"line {first}" if first == last else f"lines {first}–{last}"


def _shown(source: Source, span: Span, rows: Counter[int]) -> str:
    """The line of a place; its column and neighbourhood where the line is long or holds several."""
    row, column = _position(source, span)
    text = source.table.text(row)
    if rows[row] == 1 and len(text.strip()) <= WIDTH:
        return f"line {row + 1}: {shorten(text)}"
    return f"line {row + 1}, column {column + 1}: {_around(text, column)}"


def _facts(source: Source, span: Span) -> dict[str, object]:
    first, last = source.table.rows_of(span)
    row, column = _position(source, span)
    text = source.table.text(row)
    shown = shorten(text) if len(text.strip()) <= WIDTH else _around(text, column)
    return {"lines": [first + 1, last + 1], "column": column + 1, "text": shown}


def _position(source: Source, span: Span) -> tuple[int, int]:
    row = source.table.row_at(span.start)
    return row, span.start - source.table.start(row)


def _around(text: str, column: int) -> str:
    """A window of a line that has the place in it."""
    start = max(0, min(column - _AHEAD, len(text) - WIDTH))
    window = text[start : start + WIDTH]
    return f"{'…' if start else ''}{window.strip()}{'…' if start + WIDTH < len(text) else ''}"


def shorten(text: str) -> str:
    """A line without the blanks around it, cut where it is long."""
    stripped = text.strip()
    return stripped if len(stripped) <= WIDTH else f"{stripped[: WIDTH - 1]}…"


_MOST = 8  # places that get their context
_REACH = 2_000  # code points of context on either side
_LINES = 12
_WORDS = 400  # code points of a line that are read in words, on either side
_RIVALS = 300  # other occurrences that are compared
_SCANNED = 60_000_000  # code points of text read in search of occurrences, in all
_LONGEST = 4_000  # code points of old text and context together
_WORD = lazy_pattern(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Context:
    """A place with what tells it from the others; `lines` and `words` say what was added in front and behind."""

    span: Span
    lines: tuple[int, int]
    words: tuple[int, int]

    @property
    def cost(self) -> tuple[int, int, int]:
        """Fewest lines first, then fewest words, then what stands in front rather than behind."""
        return sum(self.lines), sum(self.words), self.lines[1] + self.words[1]


@dataclass(frozen=True, slots=True)
class _Edge:
    """Where context may begin or end: at which offset, and how many lines and words it then adds."""

    offset: int
    lines: int = 0
    words: int = 0


def find_contexts(source: Source, spans: Sequence[Span]) -> list[Context | None]:
    """For each of the first places its context; None where nothing within reach tells it apart.

    >>> text = "class A:\\n    x = 1\\nclass B:\\n    x = 1\\n"
    >>> found = find_contexts(Source.of_text(text), [Span(9, 19), Span(28, 38)])
    >>> [context.span.of(text) for context in found]
    ['class A:\\n    x = 1\\n', 'class B:\\n    x = 1\\n']
    """
    search = _Search(source)
    return [search.find(span) for span in spans[:_MOST]]


class _Search:
    """The contexts of one call; every reading of the text is paid from one budget."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._text = source.text
        self._budget = _SCANNED
        self._known: dict[str, list[int]] = {}

    def find(self, span: Span) -> Context | None:
        if span.is_empty or span.length > _LONGEST:
            return None
        places = self._places(span.of(self._text))
        rivals = [place for place in places if place != span.start]
        if len(rivals) == len(places) and len(places) <= _RIVALS:
            return None  # the place itself was not met: the budget is spent
        shared = [self._shared(span, place) for place in rivals]
        found = min(self._options(span, shared), key=lambda context: (context.cost, context.span.length), default=None)
        if found is None or found.span.length > _LONGEST:
            return None
        return found if len(rivals) < _RIVALS or self._is_single(found.span) else None

    def _places(self, old: str) -> list[int]:
        """The first occurrences of a text; none when the budget is spent."""
        if old not in self._known:
            may_read = self._budget > 0
            self._budget -= len(self._text)
            self._known[old] = list(islice(_occurrences(self._text, old), _RIVALS + 1)) if may_read else []
        return self._known[old]

    def _is_single(self, span: Span) -> bool:
        may_read = self._budget > 0
        self._budget -= len(self._text)
        return may_read and len(list(islice(_occurrences(self._text, span.of(self._text)), 2))) == 1

    def _shared(self, span: Span, place: int) -> tuple[int, int]:
        """How much the text in front of two occurrences agrees, and how much behind them."""
        text, end = self._text, place + span.length
        ahead = _shared_head(_reversed_ahead(text, span.start), _reversed_ahead(text, place))
        return ahead, _shared_head(text[span.end : span.end + _REACH], text[end : end + _REACH])

    def _options(self, span: Span, shared: Sequence[tuple[int, int]]) -> Iterator[Context]:
        """For each start of a context the nearest end with which no other occurrence agrees."""
        ends = list(self._ends(span))
        for start in self._starts(span):
            agreeing = [behind for ahead, behind in shared if ahead >= span.start - start.offset]
            needed = max(agreeing, default=-1)
            end = next((end for end in ends if end.offset - span.end > needed), None)
            if end is not None:
                yield Context(Span(start.offset, end.offset), (start.lines, end.lines), (start.words, end.words))

    def _starts(self, span: Span) -> Iterator[_Edge]:
        """The place's own start, the words in front of it, the start of its line, and of the lines before."""
        table = self._source.table
        row = table.row_at(span.start)
        yield _Edge(span.start)
        low = max(table.start(row), span.start - _WORDS)
        words = [found.start() + low for found in _WORD.finditer(self._text[low : span.start])]
        whole = [start for start in words if start > low or low == table.start(row)]
        for count, start in enumerate(reversed(whole)):
            yield _Edge(start, words=count + 1)
        for lines in range(min(_LINES, row) + 1):
            start = table.start(row - lines)
            if span.start - start > _REACH:
                return
            if start < span.start:
                yield _Edge(start, lines, len(whole) if lines == 0 else 0)

    def _ends(self, span: Span) -> Iterator[_Edge]:
        """The place's own end, the words behind it, the end of its line, and of the lines after."""
        table, text = self._source.table, self._text
        yield _Edge(span.end)
        has_ending = bool(line_ending(text[span.end - 1 : span.end]))
        row = table.row_at(span.end - 1 if has_ending else span.end)
        high = min(_end_of_line(self._source, row), span.end + _WORDS)
        words = [found.end() + span.end for found in _WORD.finditer(text[span.end : high])]
        is_cut = high < _end_of_line(self._source, row)
        whole = [end for end in words if end < high or not is_cut]
        for count, end in enumerate(whole):
            yield _Edge(end, words=count + 1)
        for lines in range(min(_LINES, table.count - 1 - row) + 1):
            end = table.start(row + lines + 1) if has_ending else _end_of_line(self._source, row + lines)
            if end - span.end > _REACH:
                return
            if end > span.end:
                yield _Edge(end, lines, len(whole) if lines == 0 else 0)


def _occurrences(text: str, old: str) -> Iterator[int]:
    """Every place of a text in another, overlapping ones too."""
    start = text.find(old)
    while start >= 0:
        yield start
        start = text.find(old, start + 1)


def _end_of_line(source: Source, row: int) -> int:
    end = source.table.start(row + 1)
    return end - len(line_ending(source.text[max(end - 2, 0) : end]))


def _reversed_ahead(text: str, offset: int) -> str:
    return text[max(offset - _REACH, 0) : offset][::-1]


def _shared_head(left: str, right: str) -> int:
    """How many characters two texts share at the start, found by halving."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def tell_apart(source: Source, spans: Sequence[Span], contexts: Sequence[Context | None]) -> QuoteMore:
    """What to quote for the place that takes the least; more of any where none is known."""
    known = [(context.cost, number) for number, context in enumerate(contexts) if context is not None]
    for _, number in sorted(known):
        context = contexts[number]
        if context is not None and (found := _addition(source, spans[number], context)):
            return found
    rows = [source.table.row_at(span.start) for span in spans]
    crowded = next((row for row in rows if rows.count(row) > 1), None)
    return QuoteMore(None if crowded is None else crowded + 1)


def _addition(source: Source, span: Span, context: Context) -> QuoteMore | None:
    """What to quote as well, where it is short enough to be told."""
    line, (before, after) = source.line_of(span.start), context.lines
    if before + after == 1:
        text = source.table.text(line - 2 if before else source.lines_of(span)[1])
        return QuoteMore(line, before, after, text) if len(text) <= WIDTH else None
    if before or after:
        return QuoteMore(line, before, after, is_offered=True)
    quoted = context.span.of(source.text)
    return QuoteMore(line, text=quoted) if len(quoted) <= 2 * WIDTH and "\n" not in quoted else None
