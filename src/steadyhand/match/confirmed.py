"""The part of an edit that a file confirms: the lines it changes, and as much context around them as it has.

The lines that change decide, context only confirms. Where the file has them once and they say enough, an edit with
made-up, missing or altered context means the same as one that quotes less of it. So what is found here is a smaller
edit: the file has its old text line by line, and what is left out is context that the file does not have there.

Nothing is found where anything speaks for another place or another meaning:

1. The lines that the edit removes are in exactly one place; lines that it only adds have their two neighbours side
   by side there, or one neighbour that nothing else is attached to and another that is nowhere.
2. No other place has more of the context that is left out: there the lines would have been changed since.
3. Where the file has the lines at another indentation, no context that is left out is somewhere else.
4. What the edit adds is not there already, and the context left out next to the change says nothing that the
   change says too: it would not be clear what is to be there twice in the end.
5. Half of the context at least is near the place, or resembles what is in its place: a line that files have in
   common, under rows that this one knows nothing of, is a line of an edit for another file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import islice

from steadyhand.lazy import dataclass
from steadyhand.match.align import Likeness, likeness_of
from steadyhand.match.lexer import lexer_of, token_key
from steadyhand.match.rows import find_row, find_windows, span_of_rows
from steadyhand.match.tier import Needle, Signs
from steadyhand.match.tiers.fuzzy import is_meant_for_another, place_at
from steadyhand.text.indent import indent_of, width_of
from steadyhand.text.lines import split_lines
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.visible import sized

_SUBSTANCE = 12  # letters and digits from which lines are not somewhere by chance
_SAYING = 2  # the same of a row that may speak for another place
_LONGEST = 400  # rows of an old text
_ALIKE = 60  # from so many hundredths on a row may be what another one was meant to be
_NEAR = 6  # rows in which it is looked for
_OFF = 2  # rows by which context that is misremembered may be off its place
_RESEMBLES = 70  # hundredths from which context is misremembered from the row in its place
_KNOWN = 0.5  # of the context, by what it says, must be near the place or like what is there
_SEARCHED = 300_000_000  # code points in which rows that are left out are looked for
# What belongs to the row below it: decorators and attributes, comments, a statement that continues.
_ATTACHED = ("@", "#", "//", "/*", "*", "--", "<!--", ";", "%", '"""', "'''", "[")
_GOES_ON = ("\\", "=", "+", "|", "&", ".", "?", "->", "=>")
_OPEN = ("{", "(", "[", ":", ">", *_GOES_ON)  # what may follow belongs to the row
_CONTINUES = (")", "]", "}", ".", "?", "|", "&", "+", "else", "elif", "except", "catch", "finally")
_BESIDE = 3  # rows around the place that have the new lines where the edit was made before


@sized("old", "new")
@dataclass(frozen=True, slots=True)
class Confirmed:
    """A smaller edit and its place.

    `share` is how much of the old text it still quotes, from 0 to 1; `has_context`: not only the lines that change.
    `signs` are those of the edit, if it has any, for what is left of its rows.
    """

    span: Span
    old: str
    new: str
    share: float
    has_context: bool
    signs: Signs | None = None


def confirmed_part(source: Source, needle: Needle) -> Confirmed | None:
    """The one part of an edit that the file confirms; None where there is none, or more than one.

    >>> text = "def area(size):\\n    total = size.width * size.height\\n    return total\\n"
    >>> old = "# the area\\n    total = size.width * size.height\\n    return totals\\n"
    >>> confirmed_part(Source.of_text(text, path="a.py"), Needle(old, old.replace("height", "depth"))).old
    '    total = size.width * size.height\\n'
    """
    if not needle.changes or not 1 < len(needle.rows) <= _LONGEST:
        return None
    search = _Search(source, needle)
    kept = search.kept()
    if kept is None or not search.is_believable(kept):
        return None
    old, new = split_lines(needle.text), split_lines(needle.new or "")
    end = len(new) - (len(old) - kept.end)
    rows = "".join(old[kept.start : kept.end])
    span = span_of_rows(source.table, kept.first, kept.last, rows)
    share, signs = len(rows) / len(needle.text), None
    if needle.signs is not None:
        signs = tuple(change.shift(-kept.start) for change in needle.changes)
    return Confirmed(span, rows, "".join(new[kept.start : end]), share, search.has_context(kept), signs)


@dataclass(frozen=True, slots=True)
class _Kept:
    """Rows `start:end` of the old text, which are rows `first` to `last` of the file, blank rows aside."""

    start: int
    end: int
    first: int
    last: int


class _Search:
    """One edit in one file."""

    def __init__(self, source: Source, needle: Needle) -> None:
        changes = needle.changes or ()
        self._source, self._table, self._needle = source, source.table, needle
        self._lexer = lexer_of(source.path)
        self._key: Callable[[str], str] = partial(token_key, self._lexer)
        self._start, self._end = changes[0].before_start, changes[-1].before_end
        self._rows = needle.rows
        after = split_lines(needle.new or "")
        self._added = [row for change in changes for row in after[change.after_start : change.after_end] if row.strip()]
        self._found: dict[str, list[int] | None] = {}

    @cached_property
    def _says(self) -> list[int]:
        """How much each row of the old text says."""
        return [_substance((row,)) for row in self._rows]

    def kept(self) -> _Kept | None:
        """The lines that change, and the context around them that the file has."""
        core = self._changed() if self._start < self._end else self._beside()
        if core is None:
            return None
        start, first = self._stretched(core.start, core.first, -1)
        end, last = self._stretched(core.end - 1, core.last, 1)
        return _Kept(start, end + 1, first, last)

    def is_believable(self, kept: _Kept) -> bool:
        """Whether it says enough, and nothing speaks for another place or another meaning."""
        if kept.start == 0 and kept.end == len(self._rows):
            return False  # nothing is left out, so that was no reason not to find it
        if sum(self._says[kept.start : kept.end]) < _SUBSTANCE:
            return False
        left_out = self._left_out(kept)
        if len(left_out) * len(self._source.text) > _SEARCHED:
            return False
        if self._has_twins(kept) or self._is_made(kept) or self._is_torn(kept, left_out):
            return False
        if self._is_shifted(kept) and any(self._is_astray(row, kept) for row in left_out):
            return False
        if not self._is_of_this_file(kept):
            return False
        row = next(row for row in range(kept.start, kept.end) if self._rows[row].strip())
        at = next(at for at in range(kept.first, kept.last + 1) if self._table.text(at).strip())
        here = place_at(self._source, self._needle, row, at)
        return here is not None and not is_meant_for_another(self._source, self._needle, here)

    def has_context(self, kept: _Kept) -> bool:
        """Whether context that says something is kept."""
        says = self._says
        return sum(says[kept.start : self._start]) + sum(says[self._end : kept.end]) >= _SUBSTANCE

    def _is_torn(self, kept: _Kept, left_out: Sequence[int]) -> bool:
        """Whether a row left out is where the change may be meant for: elsewhere, or, next to the change, beside a
        row that resembles the changed one.
        """
        if any(self._is_astray(row, kept) for row in left_out):
            return True
        beside = (self._visible(self._start - 1, -1), 1), (self._visible(self._end, 1), -1)
        outside = ((row, step) for row, step in beside if row is not None and not kept.start <= row < kept.end)
        return any(self._has_drifted_beside(row, step, kept) for row, step in outside)

    def _has_drifted_beside(self, row: int, step: int, kept: _Kept) -> bool:
        """Whether the file has a row left out next to one that the changed row may have become."""
        changed = self._visible(row + step, step)
        if changed is None or not self._start <= changed < self._end or not self._says[row]:
            return False
        beside = (self._next(at, step) for at in self._places_of(row) or ())
        outside = (at for at in beside if at is not None and not kept.first <= at <= kept.last)
        return any(self._is_like_one(changed, range(at, at + 1)) for at in outside)

    def _is_astray(self, row: int, kept: _Kept) -> bool:
        """Whether a row left out says something and is in the file, but not near the place on its side of it."""
        places = self._places_of(row) if self._says[row] >= _SAYING else ()
        if not places:
            return places is None
        reach = len(self._rows) + _NEAR
        near = range(kept.first - reach, kept.first) if row < kept.start else range(kept.last + 1, kept.last + reach)
        return not any(at in near for at in places)

    def _is_of_this_file(self, kept: _Kept) -> bool:
        """Whether the place confirms half of the context: it has those rows near it, or something like them there."""
        context = [row for row in range(len(self._rows)) if not self._start <= row < self._end]
        says = self._says
        known = sum(says[row] for row in context if kept.start <= row < kept.end)
        known += sum(says[row] for row in self._recognised(range(kept.start - 1, -1, -1), kept.first, -1))
        known += sum(says[row] for row in self._recognised(range(kept.end, len(self._rows)), kept.last, 1))
        return known >= _KNOWN * sum(says[row] for row in context)

    def _recognised(self, rows: range, edge: int, step: int) -> Iterator[int]:
        """The rows of one side, from the place outwards, that the file has on that side, or has something like."""
        there: list[int] = []
        at = self._next(edge, step)
        while at is not None and len(there) < len(self._rows) + _NEAR:
            there.append(at)
            at = self._next(at, step)
        keys = {self._key(self._table.text(at)) for at in there}
        for index, row in enumerate(row for row in rows if self._rows[row].strip()):
            beside = there[max(index - _OFF, 0) : index + _OFF + 1]
            if self._key(self._rows[row]) in keys or self._is_like_one(row, beside, _RESEMBLES):
                yield row

    def _changed(self) -> _Kept | None:
        """The rows from the first to the last that the edit changes, where the file has them once, blanks aside."""
        visible = [row for row in range(self._start, self._end) if self._rows[row].strip()]
        place = self._one_place(visible)
        return None if place is None else self._with_blanks(visible[0], visible[-1], *place)

    def _beside(self) -> _Kept | None:
        """The row above and the row below lines that are only added; one of them where the other is made up."""
        above, below = self._visible(self._start - 1, -1), self._visible(self._start, 1)
        if above is None or below is None:
            known = [row for row in (above, below) if row is not None]
            return self._beside_one(known[0]) if known else None
        place = self._one_place([above, below])
        if place is not None:
            return self._with_blanks(above, below, *place)
        if self._is_nowhere(below):
            kept = self._beside_one(above)
            return kept if kept is not None and self._can_follow(kept, below) else None
        kept = self._beside_one(below) if self._is_nowhere(above) else None
        return kept if kept is not None and self._can_precede(kept, above) else None

    def _beside_one(self, row: int) -> _Kept | None:
        """The one neighbour that the file has, where the rest of the context is not on the wrong side of it."""
        place = self._one_place([row])
        kept = None if place is None else self._with_blanks(row, row, *place)
        return None if kept is None or any(self._is_astray(other, kept) for other in self._left_out(kept)) else kept

    def _with_blanks(self, start: int, end: int, first: int, last: int) -> _Kept | None:
        """Rows with the blank ones between them and the edge of the change, which the file must have as well."""
        first -= max(start - self._start, 0)
        last += max(self._end - end - 1, 0)
        if first < 0 or last >= self._table.count:
            return None
        blank = (range(min(start, self._start), start), range(end + 1, max(self._end, end + 1)))
        rows = [*range(first, first + len(blank[0])), *range(last - len(blank[1]) + 1, last + 1)]
        if any(self._table.text(row).strip() for row in rows):
            return None
        return _Kept(min(start, self._start), max(end + 1, self._end), first, last)

    def _is_nowhere(self, row: int) -> bool:
        """Whether a row is made up: the file has none that says the same, or it says nothing."""
        return not self._says[row] or self._places_of(row) == []

    def _places_of(self, row: int) -> list[int] | None:
        """Where the file has a row of the old text; None where there are too many to look at."""
        text = self._rows[row]
        if text not in self._found:
            self._found[text] = find_row(self._source, text, self._key)
        return self._found[text]

    def _left_out(self, kept: _Kept) -> list[int]:
        """The rows of the old text that are not kept, those aside that say what a kept one says."""
        start, end = self._stretched(kept.start, kept.first, -1)[0], self._stretched(kept.end - 1, kept.last, 1)[0]
        said = {self._key(row) for row in self._rows[start : end + 1]}
        return [
            row
            for row, text in enumerate(self._rows)
            if not start <= row <= end and text.strip() and self._key(text) not in said
        ]

    def _can_follow(self, kept: _Kept, below: int) -> bool:
        """Whether lines may come behind a row whose lower neighbour is made up: what follows does not belong to it."""
        text, after = self._table.text(kept.first), self._next(kept.last, 1)
        if text.strip().startswith(_ATTACHED) or text.strip().endswith(_OPEN):
            return False
        if after is None:
            return True
        there = self._table.text(after)
        if width_of(there) > width_of(text) or bool(_substance((there,))) > bool(self._says[below]):
            return False
        return not self._is_like_one(below, range(after + 1, after + _NEAR))

    def _can_precede(self, kept: _Kept, above: int) -> bool:
        """Whether lines may come before a row whose upper neighbour is made up: nothing above belongs to it."""
        text, before = self._table.text(kept.last).strip(), self._next(kept.first, -1)
        if text.startswith(_CONTINUES):
            return False
        if before is None:
            return True
        there = self._table.text(before).strip()
        if bool(_substance((there,))) > bool(self._says[above]):
            return False
        if before == kept.first - 1 and (there.startswith(_ATTACHED) or there.endswith((*_GOES_ON, "*/"))):
            return False
        return not self._is_like_one(above, range(before - _NEAR + 1, before))

    def _is_like_one(self, row: int, among: Iterable[int], least: int = _ALIKE) -> bool:
        """Whether a row that is made up may be one of some rows of the file, misremembered."""
        from rapidfuzz import fuzz

        rows = (self._table.text(at).strip() for at in among if 0 <= at < self._table.count)
        return any(text and fuzz.ratio(self._rows[row].strip(), text) >= least for text in rows)

    def _has_twins(self, kept: _Kept) -> bool:
        """Whether context that is left out says what the change says, with nothing in between to tell them apart."""
        rows, says = self._rows, self._says
        said = {self._key(rows[row]) for row in range(self._start, self._end) if says[row]}
        said |= {self._key(row) for row in self._added if _substance((row,))}
        sides: list[int] = []
        if not any(says[kept.start : self._start]):
            sides += range(kept.start)
        if not any(says[self._end : kept.end]):
            sides += range(kept.end, len(rows))
        return any(self._key(rows[row]) in said for row in sides if says[row])

    def _is_shifted(self, kept: _Kept) -> bool:
        """Whether the file has what is kept at another indentation, as a sibling of the meant lines may have it."""
        rows = [row for row in self._rows[kept.start : kept.end] if row.strip()]
        there = (self._table.text(at) for at in range(kept.first, kept.last + 1))
        return [*map(indent_of, rows)] != [indent_of(row) for row in there if row.strip()]

    def _is_made(self, kept: _Kept) -> bool:
        """Whether what the edit adds is there already; of lines that it only adds, whether it does anywhere."""
        if _substance(self._added) < _SUBSTANCE:
            return False
        found = find_windows(self._source, Needle("\n".join(self._added)), self._key, apart=False)
        if self._start == self._end:
            return next(found, None) is not None
        rows = map(self._table.rows_of, found)
        return any(first <= kept.last + _BESIDE and last >= kept.first - _BESIDE for first, last in rows)

    def _one_place(self, rows: Sequence[int]) -> tuple[int, int] | None:
        """The first and last row of the one place that has these rows, as they are but for blanks."""
        wanted = [self._rows[row] for row in rows]
        found = list(islice(find_windows(self._source, Needle("\n".join(wanted)), self._key, apart=False), 2))
        if len(found) != 1:
            return None
        first, last = self._table.rows_of(found[0])
        texts = [text for at in range(first, last + 1) if (text := self._table.text(at)).strip()]
        likeness = (likeness_of(self._lexer, *pair) for pair in zip(wanted, texts, strict=True))
        return (first, last) if all(one <= Likeness.LAYOUT for one in likeness) else None

    def _stretched(self, row: int, at: int, step: int) -> tuple[int, int]:
        """The outermost rows that are the same on both sides, from two that are and with none between that is not."""
        while True:
            other, there = self._visible(row + step, step), self._next(at, step)
            if other is None or there is None or self._key(self._rows[other]) != self._key(self._table.text(there)):
                return row, at
            row, at = other, there

    def _visible(self, row: int, step: int) -> int | None:
        """The next row of the old text, from a row on, that is not blank."""
        ways = range(row, len(self._rows)) if step > 0 else range(row, -1, -1)
        return next((at for at in ways if self._rows[at].strip()), None)

    def _next(self, at: int, step: int) -> int | None:
        """The next row of the file, beyond a row, that is not blank."""
        ways = range(at + 1, self._table.count) if step > 0 else range(at - 1, -1, -1)
        return next((row for row in ways if self._table.text(row).strip()), None)


def _substance(rows: Iterable[str]) -> int:
    """How many letters and digits rows have: what distinguishes one line from another."""
    return sum(sum(map(str.isalnum, row)) for row in rows)
