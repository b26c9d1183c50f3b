"""The rows of a file that an old text was found at with differences, and what an edit writes there.

A `Window` is whole lines of the file with their alignment to the old text, and is only looked at. `make` turns what
`plan/rebuild.py` decides about its rows into spans with new text, or into the lines that have drifted.

`sections_of` says what an edit does to the rows of its old text: which it repeats, and what it changes between those.
Rows are repeated where old and new say the same, at whatever indentation and in whatever blanks and typography; of
several rows that say the same, as brackets do, those are repeated that did not move sideways, if that explains as much.
Blank rows never hold two texts together. Between repeated rows lie the changes.
Where the signs of a patch say which rows stay, those are repeated, and only the rows between them are compared.

`InsertPoints` says where in the file the rows of an old text are, and where rows that are added between them go; where
the alignment does not tell for sure, the answer is a `Drift`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, islice, pairwise
from typing import NamedTuple

from steadyhand.lazy import dataclass, replace
from steadyhand.match.align import Alignment, Likeness, Pairing, align, differences, likeness_of, similarity
from steadyhand.match.lexer import Lexer, fold, lexer_of, token_key
from steadyhand.match.tier import Needle, Signs
from steadyhand.match.tiers.elision import elided, is_elision
from steadyhand.text.diff import Change, equal_pairs
from steadyhand.text.encoding import MARK
from steadyhand.text.indent import indent_of, unit_in
from steadyhand.text.lines import body, line_start, split_bodies, split_lines
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.visible import sized

_BESIDE = 8_000  # code points on either side that are compared with what is to be added
_AROUND = 100_000  # code points on either side, at least, in which the unit of indentation is looked for


@sized("old", "rows", "above", "below")
@dataclass(frozen=True, slots=True)
class Window:
    """A span of the file that answers to an old text, its rows with their endings, and how they answer.

    `newline` ends a new row that has no neighbour to learn from.
    `is_partial`: the first row starts in the middle of its line, so that its indentation says nothing.
    `above` and `below` are rows of the file around the window, the nearest first.
    """

    source: Source
    span: Span
    old: str
    rows: tuple[str, ...]
    alignment: Alignment
    lexer: Lexer
    newline: str
    is_partial: bool = False
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()

    @property
    def unit(self) -> str | None:
        """The level of indentation of the file around the window."""
        return self.source.derive(_Units).near(self.span)

    def starts(self) -> list[int]:
        """Where each row starts in the file, and where the last one ends."""
        return list(accumulate(map(len, self.rows), initial=self.span.start))

    def pairing_of(self, row: int) -> Pairing | None:
        """The pairing that has a row of the old text."""
        return next((one for one in self.alignment if one.old_start <= row < one.old_end), None)

    def has_beside(self, rows: Sequence[str], at: int) -> bool:
        """Whether rows, if they have words, are right above or right below a position already, blank rows aside."""
        wanted = [key for row in rows if (key := token_key(self.lexer, row))]
        if not any(char.isalnum() for key in wanted for char in key):
            return False
        above, below = [*self.rows[:at][::-1], *self.above], [*self.rows[at:], *self.below]
        return wanted in (self._first_keys(below, len(wanted)), self._first_keys(above, len(wanted))[::-1])

    def _first_keys(self, rows: Sequence[str], count: int) -> list[str]:
        return list(islice((token_key(self.lexer, body(row)) for row in rows if row.strip()), count))


def window_at(source: Source, span: Span, old: str, tier: str | None = None) -> Window:
    """The window at a span, widened to whole lines; rows are paired as the `tier` has paired them, if it has."""
    alignment = _elided(source, span, old) if tier == "elision" else None
    if alignment is not None:
        return _window(source, span, old, alignment)
    known = source.derive(_windows)
    if (span, old) not in known:
        known[span, old] = _window(source, span, old, None)
    return known[span, old]


def _windows(_source: Source) -> dict[tuple[Span, str], Window]:
    """The windows of a source so far: who doubts a place and who builds on it look at the same one."""
    return {}


def _window(source: Source, span: Span, old: str, alignment: Alignment | None) -> Window:
    lexer = lexer_of(source.path)
    wide, is_partial = _whole_lines(source.text, span)
    rows = split_lines(wide.of(source.text))
    if alignment is None:
        alignment = align(split_bodies(old), [body(row) for row in rows], lexer)
    above, below = _around(source.text, wide)
    newline = source.newline_at(wide.start)
    return Window(source, wide, old, tuple(rows), alignment, lexer, newline, is_partial, above, below)


def _around(text: str, span: Span) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Rows before and behind a span, the nearest first; the first of a stretch may be cut."""
    above = split_bodies(text[max(0, span.start - _BESIDE) : span.start])[::-1]
    return tuple(above), tuple(split_bodies(text[span.end : span.end + _BESIDE]))


def _whole_lines(text: str, span: Span) -> tuple[Span, bool]:
    """The span with the blanks before it and the ending behind it, and whether it starts inside a line."""
    before = line_start(text, span.start)
    is_partial = bool(text[before : span.start].strip(" \t"))
    start = span.start if is_partial else before
    end = span.end
    while end < len(text) and text[end] in " \t":
        end += 1
    if end < len(text) and text[end] not in "\r\n":
        return Span(start, span.end), is_partial
    if end == span.end and end and text[end - 1] in "\r\n" and text[end - 1 : end + 1] != "\r\n":
        return Span(start, span.end), is_partial  # it has its ending already
    end += 2 if text[end : end + 2] == "\r\n" else 1 if end < len(text) else 0
    return Span(start, end), is_partial


class _Units:
    """The units of indentation in a text, found once for all places of one stretch of it."""

    def __init__(self, source: Source) -> None:
        self._text = source.text
        self._known: dict[int, str | None] = {}

    def near(self, span: Span) -> str | None:
        stretch = span.start // _AROUND
        if stretch not in self._known:
            near = self._text[max(0, stretch - 1) * _AROUND : (stretch + 2) * _AROUND]
            self._known[stretch] = unit_in(near)
        return self._known[stretch]


@sized("writes")
@dataclass(frozen=True, slots=True)
class Made:
    """Spans of the text with what comes in their place, and how the place differs from the old text.

    `sure` says how surely this is what the edit means at its place.
    """

    writes: tuple[tuple[Span, str], ...]
    similarity: float
    differs: tuple[str, ...]
    sure: float = 1.0

    def within(self, text: str, span: Span) -> str:
        """What a span of the text, with all writes inside it, is after them."""
        parts: list[str] = []
        at = span.start
        for place, new in sorted(self.writes):
            parts += [text[at : place.start], new]
            at = place.end
        return "".join([*parts, text[at : span.end]])


@sized("expected", "actual")
@dataclass(frozen=True, slots=True)
class Drifted:
    """Lines that the edit changes and the file has otherwise: their span, what the edit quotes, what the file has.

    `is_clear` is false where both may be the same, and what is in doubt is how the new lines are to be indented.
    """

    span: Span
    expected: str
    actual: str
    is_clear: bool = True


def make(
    window: Window, new: str, *, on_drift: str = "refuse", signs: Signs | None = None, asks_parser: bool = True
) -> Made | Drifted:
    """The edit that puts `new` in the place of the window's old text; `signs` say which of its rows go.

    `asks_parser` is as in `read_in_full`.
    """
    asked = window.span, window.old, window.alignment, new, on_drift, signs, asks_parser
    known = window.source.derive(_Last)
    last = known.made  # read once: another thread may ask for another place
    if last is None or last[0] != asked:
        last = known.made = asked, _make(window, new, on_drift, signs, asks_parser=asks_parser)
    return last[1]


class _Last:
    """What was made last: who doubts a place makes the same edit as who writes it then."""

    def __init__(self, _source: Source) -> None:
        self.made: tuple[tuple[object, ...], Made | Drifted] | None = None


def _make(window: Window, new: str, on_drift: str, signs: Signs | None, *, asks_parser: bool) -> Made | Drifted:
    from steadyhand.plan.first_line import UNSURE, Reading, read_in_full
    from steadyhand.plan.rebuild import rebuild

    reading = read_in_full(window, new, asks_parser=asks_parser) or Reading(window.old, new)
    full = replace(window, old=reading.old)
    drift = None if reading.is_clear else _first_row(window)
    # Under the other policies a drift is no reason to refuse, and a missing blank line is a drift like any other.
    if drift is None and on_drift == "refuse":
        drift = _gone(full, Needle(full.old, reading.new, signs))
    built = rebuild(full, reading.new, on_drift=on_drift, signs=signs) if drift is None else drift
    starts = window.starts()
    if isinstance(built, Drift):
        expected = "\n".join(split_bodies(window.old)[built.old_start : built.old_end])
        actual = "".join(window.rows[built.start : built.end])
        return Drifted(Span(starts[built.start], starts[built.end]), expected, actual, reading.is_clear)
    writes = tuple((_behind_mark(window, Span(starts[piece.start], starts[piece.end])), piece.text) for piece in built)
    old, rows = split_bodies(window.old), [body(row) for row in window.rows]
    sure = 1.0 if reading.is_sure else UNSURE
    return Made(writes, similarity(old, rows, window.alignment), differences(old, rows, window.alignment), sure)


def _behind_mark(window: Window, span: Span) -> Span:
    """A span without the byte order mark before the first line of a text: it is no part of the line."""
    has_mark = span.start == 0 and bool(window.rows) and window.rows[0].startswith(MARK)
    return Span(1, max(span.end, 1)) if has_mark and not window.old.startswith(MARK) else span


def _gone(window: Window, needle: Needle) -> Drift | None:
    """A blank line that the edit changes or takes away, and that the file has not: the edit is for another text."""
    for row in sorted(needle.changed if needle.changes is not None else ()):
        if needle.rows[row].strip():
            continue
        pairing = window.pairing_of(row)
        if pairing is not None and pairing.start == pairing.end:
            start = max(pairing.start - 1, 0)
            return Drift(row, row + 1, start, min(start + 1, len(window.rows)))
    return None


def _first_row(window: Window) -> Drift:
    """The first row of the old text: what is meant depends on how deep it is."""
    row = next(row for row, text in enumerate(split_bodies(window.old)) if text.strip())
    pairing = window.pairing_of(row)
    assert pairing is not None
    return drift_of(pairing)


def _elided(source: Source, span: Span, old: str) -> Alignment | None:
    """The pairing of rows that the elision tier has chosen."""
    wanted, rows, lexer = split_bodies(old), split_bodies(span.of(source.text)), lexer_of(source.path)
    ranges = elided(wanted, rows, lexer)
    if ranges is None:
        return None
    pairings: list[Pairing] = []
    at = 0
    for row, (start, end) in enumerate(ranges):
        start, end = max(start, at), max(end, at)
        if start > at:  # rows that the old text knows nothing of are blank here
            pairings.append(Pairing(row, row, at, start, Likeness.SAME, is_blank=True))
        if is_elision(wanted[row]):
            pairings.append(Pairing(row, row + 1, start, end, Likeness.SAME, is_kept=True))
        elif not wanted[row].strip():
            pairings.append(Pairing(row, row + 1, start, end, Likeness.SAME, is_blank=True))
        else:
            likeness = likeness_of(lexer, wanted[row], rows[start])
            pairings.append(Pairing(row, row + 1, start, end, likeness))
        at = end
    return tuple(pairings)


class Repeated(NamedTuple):
    """Row `old` of the old text is row `new` of the new text."""

    old: int
    new: int


@dataclass(frozen=True, slots=True)
class BlankRun:
    """Nothing but blank rows between two rows that are there, `before` of them in the old text and others in the new.

    `row` is the old text's row behind them, `start:end` are the new text's blank rows. `kept` says of each of these
    which of the old ones it is, None that it comes; without it the first ones stay.
    """

    row: int
    before: int
    start: int
    end: int
    kept: tuple[int | None, ...] | None = None


Section = Repeated | BlankRun | Change


def sections_of(
    old: Sequence[str],
    new: Sequence[str],
    alignment: Alignment,
    lexer: Lexer,
    signs: Signs | None = None,
    again: Sequence[Repeated] | None = None,
) -> list[Section]:
    """The edit from top to bottom. Blank rows that a change has on both sides at its edges are not part of it.

    `again` are the repeated rows, where they are known.
    """
    pairs = _apart_from_groups(repeated_rows(old, new, lexer, signs) if again is None else again, alignment)
    sections: list[Section] = []
    row = other = 0
    for pair in [*pairs, Repeated(len(old), len(new))]:
        if row < pair.old or other < pair.new:
            sections += _between(old, new, range(row, pair.old), range(other, pair.new))
        if pair.old < len(old):
            sections.append(pair)
        row, other = pair.old + 1, pair.new + 1
    return sections if signs is None else _with_kept(sections, signs, len(old), len(new))


def twins_beside(
    sections: Sequence[Section], at: int, old: Sequence[str], new: Sequence[str], lexer: Lexer
) -> list[int]:
    """Rows of the old text right above and below a change that say the same as a row that goes or comes.

    Which of them goes, or is there twice, the edit does not tell.
    """
    change = sections[at]
    assert isinstance(change, Change)
    rows = *old[change.before_start : change.before_end], *new[change.after_start : change.after_end]
    said = {fold(lexer, row) for row in rows}
    found: list[int] = []
    for way in (range(at - 1, -1, -1), range(at + 1, len(sections))):
        for section in map(sections.__getitem__, way):
            if not isinstance(section, Repeated):
                break
            key = fold(lexer, old[section.old])
            if key and key not in said:
                break
            found += [section.old] if key else []
    return found


def repeated_rows(old: Sequence[str], new: Sequence[str], lexer: Lexer, signs: Signs | None = None) -> list[Repeated]:
    """The rows of the new text that say what a row of the old text says, in the order of both."""
    if signs is None:
        return _said_again(old, new, lexer)
    found: list[Repeated] = []
    row = other = 0
    for change in (*signs, Change(len(old), len(old), len(new), len(new))):
        stay = zip(range(row, change.before_start), range(other, change.after_start), strict=False)
        found += (Repeated(one, two) for one, two in stay)
        gone, come = old[change.before_start : change.before_end], new[change.after_start : change.after_end]
        # A patch that only indents a row has it with both signs: its text stays, and is matched like a row that does.
        again = _said_again(gone, come, lexer) if gone and come else []
        found += (Repeated(pair.old + change.before_start, pair.new + change.after_start) for pair in again)
        row, other = change.before_end, change.after_end
    return list(_but_blank_runs(found, old, new))


def _but_blank_runs(pairs: Sequence[Repeated], old: Sequence[str], new: Sequence[str]) -> Iterator[Repeated]:
    """The pairs but for blank rows between two others where all is blank: how many there are is a matter of its own."""
    above, blanks = Repeated(-1, -1), list[Repeated]()
    for pair in (*pairs, Repeated(len(old), len(new))):
        if pair.old < len(old) and not old[pair.old].strip():
            blanks.append(pair)
            continue
        inside = *old[above.old + 1 : pair.old], *new[above.new + 1 : pair.new]
        if above.old < 0 or pair.old == len(old) or any(map(str.strip, inside)):
            yield from blanks
        if pair.old < len(old):
            yield pair
        above, blanks = pair, []


def _with_kept(sections: Sequence[Section], signs: Signs, before: int, after: int) -> list[Section]:
    """Sections whose runs of blank rows say which of them stay; both texts have so many rows."""
    stays: dict[int, int] = {}
    row = other = 0
    for change in (*signs, Change(before, before, after, after)):
        stays.update(zip(range(other, change.after_start), range(row, change.before_start), strict=False))
        row, other = change.before_end, change.after_end

    def kept_of(run: BlankRun) -> Iterator[int | None]:
        first = run.row - run.before
        for row in range(run.start, run.end):
            old = stays.get(row)
            yield None if old is None or not first <= old < run.row else old - first

    return [replace(each, kept=tuple(kept_of(each))) if isinstance(each, BlankRun) else each for each in sections]


def _said_again(old: Sequence[str], new: Sequence[str], lexer: Lexer) -> list[Repeated]:
    said, sent = ({at: fold(lexer, row) for at, row in enumerate(rows) if row.strip()} for rows in (old, new))
    pairs = [Repeated(-1, -1), *_equal(said, sent), Repeated(len(old), len(new))]
    inner = range(1, len(pairs) - 1)
    unmoved = [at for at in inner if _is_unmoved(old[pairs[at].old], new[pairs[at].new])]
    # Rows moved sideways pair by their words alone, so a `}` could pair with the wrong one of many: between rows
    # that keep their depth, pairs of one depth are preferred where there are as many of them.
    if len(unmoved) == len(inner):
        return pairs[1:-1]
    found: list[Repeated] = []
    for first, last in pairwise([0, *unmoved, len(pairs) - 1]):
        above, moved, below = pairs[first], pairs[first + 1 : last], pairs[last]
        rows, others = range(above.old + 1, below.old), range(above.new + 1, below.new)
        still = _equal(_seen(old, said, rows), _seen(new, sent, others)) if moved else []
        found += [*(still if len(still) >= len(moved) else moved), below]
    return found[:-1]


def _is_unmoved(row: str, other: str) -> bool:
    return row == other or indent_of(row) == indent_of(other)


def _equal(old: Mapping[int, str], new: Mapping[int, str]) -> list[Repeated]:
    """Rows with the same key, from the keys by row."""
    left, right = list(old), list(new)
    return [Repeated(left[one], right[two]) for one, two in equal_pairs([*old.values()], [*new.values()])]


def _seen(texts: Sequence[str], said: Mapping[int, str], rows: range) -> dict[int, str]:
    """Some rows by what they say and where they are."""
    return {row: indent_of(texts[row]) + said[row] for row in rows if row in said}


def _apart_from_groups(pairs: Sequence[Repeated], alignment: Alignment) -> Iterator[Repeated]:
    """The pairs, without those of a statement that the file lays out otherwise and the edit changes somewhere."""
    partner = {pair.old: pair.new for pair in pairs}
    dropped: set[int] = set()
    for pairing in alignment:
        rows = range(pairing.old_start, pairing.old_end)
        if pairing.is_laid_out_otherwise:
            partners = [partner.get(row) for row in rows]
            if None in partners or partners != list(range(partners[0] or 0, (partners[0] or 0) + len(rows))):
                dropped |= set(rows)
    return (pair for pair in pairs if pair.old not in dropped)


def _between(old: Sequence[str], new: Sequence[str], rows: range, others: range) -> Iterator[Section]:
    before, after = [old[row] for row in rows], [new[row] for row in others]
    is_inside = rows.start > 0 and rows.stop < len(old)
    # Blank rows at the edge of the quotation may go on in the file; only between two quoted rows is their number known.
    if is_inside and not any(text.strip() for text in (*before, *after)):
        yield from _blank_rows(rows, others)
        return
    # In other numbers of paragraphs, blank rows at an edge may be those between two paragraphs.
    both = len(_pieces(old, rows)) == len(_pieces(new, others)) > 0
    # Nor are they more or fewer than before beside a blank row of which signs say that it stays.
    beside = [0 < at <= len(old) and not old[at - 1].strip() for at in (rows.start, rows.stop + 1)]
    heads = _blanks(before), _blanks(after)
    if beside[0] or not (both and rows.start > 0):
        heads = (min(heads), min(heads))
    yield from _blank_rows(rows[: heads[0]], others[: heads[1]])
    tails = _blanks(before[heads[0] :][::-1]), _blanks(after[heads[1] :][::-1])
    if beside[1] or not (both and rows.stop < len(old)):
        tails = (min(tails), min(tails))
    changed = range(rows.start + heads[0], rows.stop - tails[0])
    brought = range(others.start + heads[1], others.stop - tails[1])
    if changed and brought and not any(beside):
        yield from _paragraphs(old, new, changed, brought)
    elif changed or brought:
        yield Change(changed.start, changed.stop, brought.start, brought.stop)
    yield from _blank_rows(rows[len(rows) - tails[0] :], others[len(others) - tails[1] :])


def _paragraphs(old: Sequence[str], new: Sequence[str], rows: range, others: range) -> Iterator[Section]:
    """A change, piece by piece where blank rows divide both sides into as many pieces: then those are repeated."""
    left, right = _pieces(old, rows), _pieces(new, others)
    if len(left) != len(right) or len(left) < 2:
        yield Change(rows.start, rows.stop, others.start, others.stop)
        return
    row, other = rows.start, others.start
    for one, two in zip(left, right, strict=True):
        yield from _blank_rows(range(row, one.start), range(other, two.start))
        yield Change(one.start, one.stop, two.start, two.stop)
        row, other = one.stop, two.stop
    yield from _blank_rows(range(row, rows.stop), range(other, others.stop))


def _pieces(texts: Sequence[str], rows: range) -> list[range]:
    """The stretches of rows that are not blank."""
    pieces: list[range] = []
    for row in rows:
        if texts[row].strip():
            joins = pieces and pieces[-1].stop == row
            pieces[-1:] = [range(pieces[-1].start, row + 1)] if joins else [*pieces[-1:], range(row, row + 1)]
    return pieces


def _blank_rows(rows: range, others: range) -> Iterator[Section]:
    """Blank rows between two rows that are there: repeated, or more or fewer than before."""
    if len(rows) == len(others):
        yield from map(Repeated, rows, others)
    else:
        yield BlankRun(rows.stop, len(rows), others.start, others.stop)


def _blanks(rows: Sequence[str]) -> int:
    """How many blank rows are first."""
    return next((count for count, text in enumerate(rows) if text.strip()), len(rows))


@dataclass(frozen=True, slots=True)
class Drift:
    """Rows of the old text that the edit changes, and the rows that the file has there instead."""

    old_start: int
    old_end: int
    start: int
    end: int


def drift_of(pairing: Pairing) -> Drift:
    """The two sides of a pairing that is in the way."""
    return Drift(pairing.old_start, pairing.old_end, pairing.start, pairing.end)


class InsertPoints:
    """Places in one alignment."""

    def __init__(self, alignment: Alignment) -> None:
        self._alignment = alignment
        self._index = {
            row: index for index, pairing in enumerate(alignment) for row in range(pairing.old_start, pairing.old_end)
        }

    def holding(self, row: int) -> Pairing:
        """The pairing of one old row."""
        return self._alignment[self._index[row]]

    def near(self, row: int) -> Pairing:
        """The pairing of an old row, or the last one."""
        return self._alignment[self._index.get(row, len(self._alignment) - 1)]

    def held(self, start: int, end: int) -> list[Pairing]:
        """The pairings of some old rows, and whatever the file has between them."""
        first, last = self._index[start], self._index[end - 1]
        return list(self._alignment[first : last + 1])

    def blanks_before(self, row: int) -> tuple[int, int] | Drift:
        """The blank rows of the file between the old rows around a position that only blank rows precede."""
        before, after = self._visible(row - 1, -1), self._visible(row, 1)
        for pairing in (before, after):
            if pairing is None or pairing.is_missing or pairing.is_kept:
                return drift_of(pairing or self._alignment[0])
        assert before is not None
        assert after is not None
        between = self._alignment[self._index[before.old_end - 1] + 1 : self._index[after.old_start]]
        strange = next((pairing for pairing in between if not pairing.is_blank), None)
        return (before.end, after.start) if strange is None else drift_of(strange)

    def added_beside(self, row: int) -> Pairing | None:
        """A row of the file next to an old row of which the old text says nothing."""
        index = self._index[row]
        beside = (self._visible_at(index - 1, -1), self._visible_at(index + 1, 1))
        return next((pairing for pairing in beside if pairing is not None and pairing.is_added), None)

    def leaves_strange_blanks(self, start: int, end: int) -> bool:
        """Whether removing rows brings blank rows together of which the old text knew nothing."""
        strange = [pairing for pairing in self._alignment if pairing.is_blank and pairing.is_file_only]
        return any(pairing.end == start for pairing in strange) and any(pairing.start == end for pairing in strange)

    def between(self, row: int) -> int | Drift:
        """In front of which row of the window new rows go that are in front of an old row."""
        before = [index for at, index in self._index.items() if at < row]
        after = [index for at, index in self._index.items() if at >= row]
        if not before or not after:
            return self._edge(min(after) if after else max(before), is_end=not after)
        last, first = max(before), min(after)
        if last == first:
            inside = self._alignment[last]
            return min(inside.start + row - inside.old_start, inside.end) if inside.is_blank else drift_of(inside)
        gap = self._alignment[last + 1 : first]
        # What the file has between the two rows: above it or below it would both be a guess.
        if gap and not (all(pairing.is_blank for pairing in gap) and self._is_blank_side(last, first)):
            return drift_of(gap[0])
        return self._between(last, first)

    def _is_blank_side(self, last: int, first: int) -> bool:
        """Whether the old text has a blank row on exactly one side, so that more of them in the file belong to it."""
        return self._alignment[last].is_blank != self._alignment[first].is_blank

    def _edge(self, index: int, *, is_end: bool) -> int | Drift:
        """At the first or last old row: it has to be sure."""
        edge = self._alignment[index]
        pairing = self._visible_at(index, -1 if is_end else 1)
        if pairing is None or not pairing.likeness.is_sure or pairing.is_kept:
            return drift_of(pairing or edge)
        return edge.end if is_end else edge.start

    def _between(self, last: int, first: int) -> int | Drift:
        """Between two old rows that the file has side by side, one of them for sure."""
        above, below = self._visible_at(last, -1), self._visible_at(first, 1)
        strange = self._added_between(above, below)
        if strange is not None:
            return drift_of(strange)
        for pairing, other in ((above, below), (below, above)):
            if pairing is None or pairing.likeness.is_sure:
                continue
            if pairing.is_missing or other is None or not other.likeness.is_sure:
                return drift_of(pairing)
        return self._alignment[first].start if self._alignment[last].is_blank else self._alignment[last].end

    def _added_between(self, above: Pairing | None, below: Pairing | None) -> Pairing | None:
        """A row of the file between two old rows and of which the old text says nothing."""
        if above is None or below is None:
            return next((pairing for pairing in (above, below) if pairing is not None and pairing.is_added), None)
        between = self._alignment[self._alignment.index(above) : self._alignment.index(below) + 1]
        return next((pairing for pairing in between if pairing.is_added), None)

    def _visible(self, row: int, step: int) -> Pairing | None:
        """The pairing of the next old row in a direction that is not blank."""
        while row in self._index:
            pairing = self.holding(row)
            if not pairing.is_blank:
                return pairing
            row += step
        return None

    def _visible_at(self, index: int, step: int) -> Pairing | None:
        """The pairing at an index, or the next in a direction, that is not blank."""
        while 0 <= index < len(self._alignment) and self._alignment[index].is_blank:
            index += step
        return self._alignment[index] if 0 <= index < len(self._alignment) else None
