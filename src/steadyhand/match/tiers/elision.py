"""Rows that stand for rows they do not spell out: `...`, `// ... existing code ...`, `# (unchanged)`, and the tier that
finds an old text with such rows.

`is_elision` judges one row by itself, so it says yes to a lone `...` that may as well be Python or prose. That is safe
only where stricter tiers have found nothing, and where what an elision stands for is always kept. A row that holds code
beside the elision is never one.

The tier looks for the rows around the elisions, in order. Every run of literal rows must have one place, by itself or
because order and brackets leave no other. A run that the edit merely repeats may be left with several: whichever is
meant, the same is written. Elisions at the start and the end of the needle say nothing and are passed over.

A single find is whole lines, from the first literal row to the last, and `elided`, which maps an old text with elisions
onto the rows its tier found, gives the same place for every row that the edit changes. Several finds are the places
there is a choice of: of the whole where these differ, else of the one run that cannot be placed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.match.lexer import Lexer, fold, lexer_of
from steadyhand.match.rows import span_of_rows
from steadyhand.match.tier import Example, Needle, Tier
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source
from steadyhand.text.span import Span

Section = tuple[int, int]  # rows, half-open

_LONGEST = 160  # code points; a longer row has something to say of its own
_DOTS = r"(?:\.{3,}|…+)"
_ONLY_DOTS = lazy_pattern(rf"{_DOTS}|\[\s*{_DOTS}\s*\]|\(\s*{_DOTS}\s*\)")
_COMMENT = lazy_pattern(
    rf"(<!--|\{{\s*/\*+|/\*+|//+|#+|--+(?=[\s.…])|;+|%+|\*(?=\s)|\.\.(?=\s+{_DOTS}))(.*)", re.DOTALL
)
_FIRST = "…[(<{/#-;%*."  # of these characters is one the first of all that follows here
_CLOSING = lazy_pattern(r"\s*(?:--+>|\*+/\s*\}?)\Z")
_BRACKETED = lazy_pattern(r"\[.*\]|\(.*\)")
_SAYING = lazy_pattern(rf"({_DOTS})?([\w' ]*)({_DOTS})?[.!]?")
_NOISE = lazy_pattern(r"[\s()\[\]{}<>,;:*`—–-]+")
_WORD = lazy_pattern(r"[\w']+")
# Words that say "what was there stays"; each of the firm ones says so without dots as well.
_FIRM = frozenset("unchanged unmodified untouched omitted elided truncated snip snipped".split())
_KEEPING = _FIRM | frozenset("existing rest remaining remainder previous original other others same more".split())
_NOUNS = frozenset(
    "code file files content contents implementation implementations method methods function functions class classes "
    "line lines logic import imports document section sections text test tests body field fields style styles markup "
    "component components config configuration script module template page properties props entries items rows "
    "definition definitions handler handlers route routes options settings cases statements elements "
    "version parts part data".split()
)
_GLUE = frozenset(
    "the a of your this these our that and all everything else here is are as it in for to before above below brevity "
    "remain remains stay stays left kept keep goes go continues with no changes".split()
)


def is_elision(row: str) -> bool:
    """Whether a row only says that other rows stay as they are.

    >>> [is_elision(row) for row in ("  // ... existing code ...", "...", "f(...args)", "// Later...")]
    [True, True, False, False]
    """
    text = row.strip()
    if not text or text[0] not in _FIRST or len(text) > _LONGEST:
        return False
    if _ONLY_DOTS.fullmatch(text):
        return True
    comment = _COMMENT.fullmatch(text)
    if comment:
        return _is_eliding_comment(comment.group(1), _CLOSING.sub("", comment.group(2)))
    return _is_eliding_text(text)


def says_that_rows_stay(row: str) -> bool:
    """Whether a comment has no other words than those that say that rows stay; that proves less than an elision.

    >>> [says_that_rows_stay(row) for row in ("  // (unchanged)", "# existing implementation", "# etc.", "f()  # etc.")]
    [True, True, True, False]
    """
    text = row.strip()
    comment = _COMMENT.fullmatch(text) if text and text[0] in _FIRST and len(text) <= _LONGEST else None
    if comment is None:
        return False
    saying = _SAYING.fullmatch(_NOISE.sub(" ", _CLOSING.sub("", comment.group(2)).lower()).strip())
    words = _WORD.findall(saying[2]) if saying is not None else []
    return words == ["etc"] or words[:2] == ["no", "changes"] or _says_kept(words, strangers=0)


def _is_eliding_comment(mark: str, said: str) -> bool:
    saying = _SAYING.fullmatch(_NOISE.sub(" ", said.lower()).strip())
    if saying is None:
        return False
    words = _WORD.findall(saying[2])
    has_lead, has_trail = bool(saying[1]), bool(saying[3])
    if not words:
        return has_lead or has_trail
    if has_lead and has_trail:
        return len(words) <= 6
    if has_lead or has_trail:
        return (has_lead or len(words) > 1) and _says_kept(words, strangers=1 if has_lead else 0)
    is_apart = mark.startswith(("/", "<", "{")) or said[:1].isspace()
    return is_apart and mark not in ("##", "###", "####") and _says_firmly(words)


def _is_eliding_text(text: str) -> bool:
    """A row without comment marks: dots well apart from the words, or brackets around all of it."""
    saying = _SAYING.fullmatch(_NOISE.sub(" ", text.lower()).strip())
    if saying is None:
        return False
    words = _WORD.findall(saying[2])
    if re.match(rf"[\[(]?\s*{_DOTS}[\s(\[]|[\[(]?…", text) and (saying[3] or len(words) > 1):
        return _says_kept(words, strangers=0)
    return bool(_BRACKETED.fullmatch(text)) and len(words) > 1 and _says_firmly(words)


def _says_kept(words: Sequence[str], *, strangers: int) -> bool:
    unknown = sum(word not in _KEEPING and word not in _NOUNS and word not in _GLUE for word in words)
    return unknown <= strangers and not _KEEPING.isdisjoint(words)


def _says_firmly(words: Sequence[str]) -> bool:
    said = " ".join(words)
    is_firm = not _FIRM.isdisjoint(words) or re.search(r"\brest of\b|\bexisting code\b|\bremains? the same\b", said)
    return bool(is_firm) and _says_kept(words, strangers=0)


def sections_of(rows: Sequence[str]) -> list[Section]:
    """The stretches before, between and after the elisions, empty ones too: always one more than there are elisions.

    >>> sections_of(["a", "...", "b", "c", "..."])
    [(0, 1), (2, 4), (5, 5)]
    """
    cuts = [row for row, text in enumerate(rows) if is_elision(text)]
    return list(zip([0, *(cut + 1 for cut in cuts)], [*cuts, len(rows)], strict=True))


def check_elisions(old: str, new: str) -> str | None:
    """What is wrong with the elisions of a replacement; None where they are those of the old text, in that order.

    Then section after section of the new text takes the place of that of the old. Where the old text has no literal row
    between two elisions, or beyond the last, new rows would have no place: that is wrong too.

    >>> check_elisions("a\\n# ...\\nb", "A\\n  # ...\\nb") is None
    True
    >>> check_elisions("a\\n# ...\\nb", "A\\nb")
    "the old text omits lines with '# ...', and the new text does not repeat that line"
    """
    before, after = split_bodies(old), split_bodies(new)
    left, right = _elisions(before), _elisions(after)
    if missing := Counter(left) - Counter(right):
        return f"the old text omits lines with {next(iter(missing))!r}, and the new text does not repeat that line"
    if added := Counter(right) - Counter(left):
        return f"the new text omits lines with {next(iter(added))!r} where the old text does not"
    if left != right:
        return "the new text has the placeholder lines in another order than the old text"
    for section, other in zip(sections_of(before), sections_of(after), strict=True):
        if _is_blank(before, section) and not _is_blank(after, other):
            line = next(row.strip() for row in after[slice(*other)] if row.strip())
            return (
                f"the old text does not say where the new line {line[:80]!r} belongs: it has only omitted lines there"
            )
    return None


def _elisions(rows: Sequence[str]) -> list[str]:
    return [" ".join(row.split()) for row in rows if is_elision(row)]


def _is_blank(rows: Sequence[str], section: Section) -> bool:
    return not any(row.strip() for row in rows[slice(*section)])


def runs_of(rows: Sequence[str], lexer: Lexer) -> list[Run]:
    """The literal rows of each section that has some; none at all where nothing is elided."""
    sections = sections_of(rows)
    if len(sections) == 1:
        return []
    return [run for start, end in sections if (run := run_of(rows, start, end, lexer)) is not None]


def elided(needle_rows: Sequence[str], file_rows: Sequence[str], lexer: Lexer) -> list[tuple[int, int]] | None:
    """For every row of the old text the rows of the file it answers to, as half-open ranges; None for another place.

    `file_rows` are the rows of one span of the elision tier. Its first row is the first literal row of the old text and
    its last row the last one. The ranges rise and never overlap: one row for a literal row, the rows in between (one of
    them at least not blank) for an elision, nothing for an elision at either end or right after another, and one row
    or nothing for a blank row. Rows that no range covers are blank and lie between literal rows.

    >>> from steadyhand.match.lexer import lexer_of
    >>> elided(["a", "...", "d"], ["a", "b", "c", "d"], lexer_of(None))
    [(0, 1), (1, 3), (3, 4)]
    """
    runs = runs_of(needle_rows, lexer)
    if not runs or not file_rows:
        return None
    view = RowView(file_rows.__getitem__, len(file_rows), lexer)
    try:
        domains = consistent(_domains_within(runs, view), view)
    except WorkSpent:
        return None
    if domains is None:
        return None
    return _ranges(needle_rows, runs, choose_nearest(domains, view), view)


def _domains_within(runs: Sequence[Run], view: RowView) -> Domains:
    """Where each run may be when the first starts the rows and the last ends them."""
    first, last = place_at(runs[0], view, 0, 0), place_at(runs[-1], view, len(runs[-1].rows) - 1, view.count - 1)
    domains: Domains = [[] if first is None else [first]]
    for run in runs[1:-1]:
        starts = (row for row in range(view.count) if view.key(row) == run.keys[0])
        domains.append([place for row in starts if (place := place_at(run, view, 0, row)) is not None])
    if len(runs) > 1:
        domains.append([] if last is None else [last])
    elif first != last:
        return [[]]
    return domains


def _ranges(rows: Sequence[str], runs: Sequence[Run], places: Sequence[Place], view: RowView) -> list[tuple[int, int]]:
    """The placed rows, and what is between each two of them."""
    pairs = [pair for run, place in zip(runs, places, strict=True) for pair in zip(run.rows, place.rows, strict=True)]
    ranges = [(0, 0)] * pairs[0][0]
    for (row, at), (next_row, next_at) in pairwise([*pairs, (len(rows), view.count)]):
        ranges.append((at, at + 1))
        ranges += _between(rows[row + 1 : next_row], at + 1, next_at, view)
    return ranges


def _between(rows: Sequence[str], start: int, end: int, view: RowView) -> list[tuple[int, int]]:
    """Blank rows answer to blank rows as far as there are some, from either side; the first elision to all the rest."""
    elisions = [index for index, row in enumerate(rows) if is_elision(row)]
    head = elisions[0] if elisions else len(rows)
    tail = len(rows) - elisions[-1] - 1 if elisions else 0
    above: list[tuple[int, int]] = []
    for _ in range(head):
        step = int(start < end and view.is_blank(start))
        above.append((start, start + step))
        start += step
    below: list[tuple[int, int]] = []
    for _ in range(tail):
        step = int(start < end and view.is_blank(end - 1))
        below.append((end - step, end))
        end -= step
    gap = [(start, end)] + [(end, end)] * (len(rows) - head - tail - 1) if elisions else []
    return above + gap + below[::-1]


# Where runs of literal rows are in a file when each comes after the one before, with other rows in between.
#
# A run is where its rows are one after another, compared as `fold` has them; blank rows between them may be more
# or fewer, and where one row is deeper than the next it is so in both texts. Often a run such as `}` is in many
# places, and yet only one can be meant: a run comes after the one before it and before the one after it, with at least
# one row in between that is not blank; in all other places it cannot be.
#
# That a place is near, or in the same function, is no reason: what is left out may as well reach into the next one. So
# is a closing bracket: of 31 that were concluded from the opening one in random texts, 9 were wrong.
#
# Work is bounded: beyond a budget everything ends with `WorkSpent`.

_WORK = 400_000  # rows looked at
_BLANK_ROWS = 10  # so many may be added between two rows
_TAB = 4


class WorkSpent(Exception):
    """More rows were looked at than a search may cost."""


@dataclass(frozen=True, slots=True)
class Run:
    """Rows of the old text that follow each other: `rows` are those not blank, `start:end` reaches to the elisions.

    `is_first`: it starts the text.
    """

    start: int
    end: int
    rows: tuple[int, ...]
    keys: tuple[str, ...]
    depths: tuple[int, ...]
    is_first: bool


@dataclass(frozen=True, slots=True)
class Place:
    """The row of the file for every row of a run."""

    rows: tuple[int, ...]

    @property
    def start(self) -> int:
        return self.rows[0]

    @property
    def end(self) -> int:
        return self.rows[-1] + 1


Domains = list[list[Place]]  # for every run the places it may have, top to bottom


class RowView:
    """The rows of a file as they are compared; each is folded once, and every look counts."""

    __slots__ = ("_keys", "_left", "_lexer", "_text", "count")

    def __init__(self, text: Callable[[int], str], count: int, lexer: Lexer) -> None:
        self._text, self._lexer, self._left = text, lexer, _WORK + 2 * count
        self._keys: dict[int, str] = {}
        self.count = count

    def key(self, row: int) -> str:
        self._spend()
        known = self._keys.get(row)
        if known is None:
            known = self._keys[row] = fold(self._lexer, self._text(row))
        return known

    def is_blank(self, row: int) -> bool:
        self._spend()
        text = self._text(row)
        return not text or text.isspace()

    def depth(self, row: int) -> int:
        return _depth_of(self._text(row))

    def visible(self, start: int, end: int) -> Iterator[int]:
        """The rows that are not blank."""
        return (row for row in range(start, end) if not self.is_blank(row))

    def _spend(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise WorkSpent


def _depth_of(row: str) -> int:
    """How far a row is indented, in columns."""
    return len(row[: len(row) - len(row.lstrip())].expandtabs(_TAB))


def run_of(rows: Sequence[str], start: int, end: int, lexer: Lexer) -> Run | None:
    """The run in `rows[start:end]`, or None where all of these are blank."""
    visible = tuple(row for row in range(start, end) if rows[row].strip())
    if not visible:
        return None
    keys = tuple(fold(lexer, rows[row]) for row in visible)
    depths = tuple(_depth_of(rows[row]) for row in visible)
    return Run(start, end, visible, keys, depths, is_first=not start)


def place_at(run: Run, view: RowView, index: int, row: int) -> Place | None:
    """The place of a run whose row number `index` is that row of the file, if it is there."""
    if view.key(row) != run.keys[index]:
        return None
    above = _walk(view, row, run.keys[:index][::-1], -1)
    below = _walk(view, row, run.keys[index + 1 :], 1)
    if above is None or below is None:
        return None
    place = Place((*above[::-1], row, *below))
    return place if _is_shaped_alike(run, place, view) else None


def _walk(view: RowView, row: int, keys: Sequence[str], step: int) -> list[int] | None:
    found: list[int] = []
    for key in keys:
        limit = row + step * (_BLANK_ROWS + 2)
        row += step
        while 0 <= row < view.count and row != limit and view.is_blank(row):
            row += step
        if not 0 <= row < view.count or view.key(row) != key:
            return None
        found.append(row)
    return found


def _is_shaped_alike(run: Run, place: Place, view: RowView) -> bool:
    depths = [view.depth(row) for row in place.rows]
    pairs = list(zip(pairwise(run.depths), pairwise(depths), strict=True))
    if pairs and run.is_first and run.depths[0] == 0:
        pairs.pop(0)  # a quoted text often lacks the indentation of its first row
    return all(_sign(old[1] - old[0]) == _sign(new[1] - new[0]) for old, new in pairs)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def consistent(domains: Domains, view: RowView) -> Domains | None:
    """The places that can be taken in order, or None where there is no such choice."""
    kept = [list(places) for places in domains]
    for before, after in pairwise(kept):
        if not before:
            return None
        first = next(view.visible(min(place.end for place in before), view.count), view.count)
        after[:] = [place for place in after if first < place.start]
    for index in range(len(kept) - 1, 0, -1):
        if not kept[index]:
            return None
        last = _last_visible(view, max(place.start for place in kept[index]))
        kept[index - 1] = [place for place in kept[index - 1] if place.end <= last]
    return kept if all(kept) else None


def _last_visible(view: RowView, row: int) -> int:
    row -= 1
    while row >= 0 and view.is_blank(row):
        row -= 1
    return row


def choose_nearest(domains: Domains, view: RowView) -> list[Place]:
    """One choice out of domains in which there is one: around the first run that has a single place, the closest.

    For runs whose place makes no difference; where it does, ask whether only one is left.
    """
    pivot = next((index for index, places in enumerate(domains) if len(places) == 1), 0)
    kept = domains
    for index in [*range(pivot, len(domains)), *range(pivot - 1, -1, -1)]:
        place = kept[index][0 if index >= pivot else -1]
        kept = consistent([*kept[:index], [place], *kept[index + 1 :]], view) or kept
    return [places[0] for places in kept]


_RUNS = 40
_PIECES = 6  # of each run, looked up to find the rarest
_SCANNED = 400_000_000  # code points read while counting pieces
_OFTEN = 20_000  # a run whose rarest piece occurs more often than this is not looked for
_SHOWN = 100
_LONG_WORD = lazy_pattern(r"[A-Za-z0-9_]{2,}")
_SIGNS = lazy_pattern(r"[A-Za-z0-9_]|[\[\](){};,:<>=/*+&|!@#$%^~?]+")  # none that folding could have changed
_ROOM = 200  # code points by which a row of the file may be longer than four times the needle's


def find(source: Source, needle: Needle, *, apart: bool) -> Iterator[Span]:
    """The one place the literal rows have, or the places there is a choice of."""
    del apart  # several finds are never several places to change
    runs = runs_of(needle.rows, lexer_of(source.path))
    if not 0 < len(runs) <= _RUNS or not source.text or _is_content(source, needle):
        return
    view = RowView(source.table.text, source.table.count, lexer_of(source.path))
    try:
        spans = _Search(source, needle, runs, view).spans()
    except WorkSpent:
        return
    yield from spans


def _is_content(source: Source, needle: Needle) -> bool:
    """Whether the file itself has a row that the needle seems to leave something out with."""
    marks = {row.strip() for row in needle.rows if is_elision(row)}
    return any(mark in source.text and mark in (row.strip() for row in source.lines) for mark in marks)


class _Search:
    """One needle in one source."""

    def __init__(self, source: Source, needle: Needle, runs: Sequence[Run], view: RowView) -> None:
        self._source, self._needle, self._runs, self._view = source, needle, runs, view
        self._touched = _touched(needle, runs)

    def spans(self) -> list[Span]:
        domains = self._domains()
        kept = consistent(domains, self._view)
        if kept is None:
            return []
        if not self._is_settled(kept):
            return self._choice(kept)
        places = choose_nearest(kept, self._view)
        return [self._span(places)] if self._is_agreed(domains, places) else []

    def _is_settled(self, domains: Domains) -> bool:
        return all(len(domains[index]) == 1 for index in self._touched) and any(len(one) == 1 for one in domains)

    def _is_agreed(self, domains: Domains, places: Sequence[Place]) -> bool:
        """Whether one who knows only where the whole starts and ends places what is changed just so."""
        ends = _pin(_pin(domains, 0, places[0]), -1, places[-1])
        kept = consistent(ends, self._view)
        if kept is None:
            return False
        again = choose_nearest(kept, self._view)
        return all(places[index] == again[index] for index in self._touched)

    def _choice(self, kept: Domains) -> list[Span]:
        """The wholes that are possible, given by the run with fewest places; else the places of one run."""
        pivot = min(range(len(kept)), key=lambda index: len(kept[index]))
        wholes = [self._whole(_pin(kept, pivot, place)) for place in kept[pivot][:_SHOWN]]
        found = [span for span in wholes if span is not None]
        if 1 < len(wholes) == len(set(found)):
            return found
        unsure = max(self._touched or range(len(kept)), key=lambda index: len(kept[index]))
        return [self._span([place]) for place in kept[unsure][:_SHOWN]]

    def _whole(self, domains: Domains) -> Span | None:
        kept = consistent(domains, self._view)
        return self._span(choose_nearest(kept, self._view)) if kept is not None and self._is_settled(kept) else None

    def _span(self, places: Sequence[Place]) -> Span:
        return span_of_rows(self._source.table, places[0].start, places[-1].end - 1, self._needle.text)

    def _domains(self) -> Domains:
        """Where each run is: the ones with long words first, because a sure place leaves the others less room."""
        domains: Domains = [[] for _ in self._runs]
        placed: dict[int, Place] = {}
        by_words = sorted(enumerate(self._runs), key=lambda pair: -len(_pieces(pair[1])[0][0]))
        for index, run in by_words:
            domains[index] = list(self._places(run, self._room(index, placed)))
            if not domains[index]:
                return domains
            if len(domains[index]) == 1:
                placed[index] = domains[index][0]
        return domains

    def _room(self, index: int, placed: dict[int, Place]) -> Span:
        """The part of the text between the sure places above and below."""
        above = [place.end for other, place in placed.items() if other < index]
        below = [place.start for other, place in placed.items() if other > index]
        table = self._source.table
        return Span(table.start(max(above, default=0)), table.start(min(below, default=table.count)))

    def _places(self, run: Run, room: Span) -> Iterator[Place]:
        """Every place of one run in a part of the text, found by its rarest piece."""
        piece, index = self._rarest(run, room)
        text, table = self._source.text, self._source.table
        longest = 4 * len(run.keys[index]) + _ROOM
        at = text.find(piece, *room)
        while 0 <= at < room.end:
            row = table.row_at(at)
            span = table.span(row)
            place = place_at(run, self._view, index, row) if span.length <= longest else None
            if place is not None:
                yield place
            at = text.find(piece, span.end, room.end)

    def _rarest(self, run: Run, room: Span) -> tuple[str, int]:
        """The piece of a run that occurs least often in a part of the text, and the row of the run it is in."""
        affordable = max(1, min(_PIECES, _SCANNED // (len(self._runs) * max(room.length, 1))))
        pieces = _pieces(run)[:affordable]
        counts = [self._source.text.count(piece, *room) for piece, _ in pieces]
        if min(counts) > _OFTEN:
            raise WorkSpent
        return pieces[counts.index(min(counts))]


def _pieces(run: Run) -> list[tuple[str, int]]:
    """Parts of rows that are in the file as they are, longest first, each with its row in the run.

    A run of nothing but quotes or dashes has none; it is looked for in every row.
    """
    for pattern in (_LONG_WORD, _SIGNS):
        pieces = {piece: index for index, key in enumerate(run.keys) for piece in pattern.findall(key)}
        if pieces:
            return sorted(pieces.items(), key=lambda pair: (-len(pair[0]), pair))
    return [("", 0)]


def _pin(domains: Domains, index: int, place: Place) -> Domains:
    pinned = list(domains)
    pinned[index] = [place]
    return pinned


def _touched(needle: Needle, runs: Sequence[Run]) -> list[int]:
    """The runs whose section the edit changes; all where the new text is not known or has other elisions."""
    if needle.new is None or check_elisions(needle.text, needle.new) is not None:
        return list(range(len(runs)))
    after = split_bodies(needle.new)
    pairs = zip(sections_of(needle.rows), sections_of(after), strict=True)
    changed = {old[0] for old, new in pairs if list(needle.rows[slice(*old)]) != after[slice(*new)]}
    return [index for index, run in enumerate(runs) if run.start in changed]


TIER = Tier(
    name="elision",
    rank=80,
    confidence=0.92,
    summary="Some lines of the old text stand for omitted lines; the others are in the file, in order, each once.",
    find=find,
    differs=("elided lines",),
    matches=(
        Example("a\n...\nd\n", "x\n⟦a\nb\nc\nd\n⟧y\n"),
        Example("a\n...\nd", "x\n⟦a\nb\nc\nd⟧\ny\n"),
        Example("f(1)\n# ... existing code ...\nf(4)", "⟦  f(1)\n  f(2)\n\n  f(3)\n  f(4)  ⟧\nf(5)\n"),
        Example("one\n\ntwo\n// ...\n\nsix\n", "⟦one\r\ntwo\r\nthree\r\nsix\r\n⟧"),
        Example("# ...\nb = 1\n# ...\nd = 2\n# ...\n", "a\n⟦b = 1\nc\nd = 2\n⟧e\n", "x.py"),
        Example("// ... existing code ...\nlast\n", "first\n⟦last\n⟧", "x.js"),
        Example("f() {\n  // ...\n} // f\n", "g() {\n  1\n}\n⟦f() {\n  if {\n    2\n  }\n} // f\n⟧h() {\n}\n", "x.js"),
        Example("f() {\n  // ...\n}\n", "f() {\n  1\n⟦}\n⟧g() {\n  2\n⟦}\n⟧", "x.js"),
        Example("one\n...\noff\n", "one\n1\n⟦off\n⟧2\n⟦off\n⟧"),
        Example("top\n...\nend\n...\nlow", "⟦top\n1\nend\n2\nlow⟧"),
    ),
    ignores=(
        Example("a\nd\n", "a\nb\nd\n"),
        Example("...\n", "a\nb\n"),
        Example("a\n  ...\nd\n", "a\nb\nd\nx\n  ...\ny\n"),
        Example("a\n...\nd\n", "d\nb\na\n"),
        Example("a\n...\nd\n", "a\nb\nc\n"),
        Example("a\n...\nd\n", "a\nd\n"),
        Example("a\n...\nd\n", "a\n\nd\n"),
        Example("a\nb\n...\nd\n", "a\nx\nb\nc\nd\n"),
        Example("a(...)\nd\n", "a(1)\nc\nd\n"),
        Example("a\n// Later...\nd\n", "a\nc\nd\n"),
        Example('say("a b")\n# ...\nd\n', 'say("a  b")\nc\nd\n', "x.py"),
        Example("if a:\n    b()\nc()\n...\ne()\n", "if a:\n    b()\n    c()\nd()\ne()\n", "x.py"),
        Example("a\n...\nc\n...\ne\n", "a\nb\ne\nd\nc\n"),
        Example("a\n...\nd", "ab\nc\nd"),
    ),
    is_single=True,
)
