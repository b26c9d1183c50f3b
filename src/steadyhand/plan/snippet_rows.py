"""The rows of a snippet: its marks and runs, how its rows are compared with those of a file, and how they may be read.

A mark is a row that only says that other rows stay. A run reaches from its first to its last row
that is not blank; blank rows beside a mark say nothing. Line numbers that a listing left in front of the rows can be
taken off a run; whether they should be shows only in the file. Rows that differ in blanks and typography only are the
same row, as far as the policy allows.

A reading says which rows of the file the rows of a run beyond a pin represent, and has a cost: a row that is the same
costs nothing, one with other words a little, rows that come or go in one place something, and a row that would then
be there twice as much as it says. The best reading is believed only if every other is clearly worse.

An edge is how far a run reaches beyond a pin, above or below. It is settled where the run ends with a row of the file
and every other reading is clearly worse, where the file ends, and where each row gives the name that the file's row
in its place gives another value, for a text does not name the same thing twice in a row. In all other cases it is not
clear: rows beside a mark may have come in, or may be there instead of others.

Of a placed run some rows stay as the file has them; between these are its gaps.

`Refusals` are the answers to a snippet that cannot be merged: which of its lines, which of the file, what to send.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from steadyhand.errors import EditError, Kind
from steadyhand.hints import lines_named
from steadyhand.lazy import dataclass, lazy_pattern, replace
from steadyhand.match.lexer import Lexer, fold, squeeze
from steadyhand.match.margins import take_off_numbers
from steadyhand.match.tier import STRICT
from steadyhand.match.tiers.elision import is_elision, sections_of
from steadyhand.plan.policy import Policy
from steadyhand.plan.refusals import describe_places, list_places, shorten
from steadyhand.text.diff import equal_pairs
from steadyhand.text.indent import Carried, indent_of
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source
from steadyhand.text.span import Span


@dataclass(frozen=True, slots=True)
class Run:
    """Rows that follow each other: `start` is where the first is in the snippet, `visible` those not blank.

    `above` and `below` say whether a mark is on that side; `dots` whether the mark below has no word in it.
    """

    start: int
    rows: tuple[str, ...]
    above: bool
    below: bool
    dots: bool = False

    @property
    def visible(self) -> list[int]:
        """The rows of the run, counted from its first, that are not blank."""
        return [row for row, text in enumerate(self.rows) if text.strip()]

    def line(self, row: int) -> int:
        """The line of the snippet, from 1, on which a row of the run is."""
        return self.start + row + 1

    def without_numbers(self) -> Run | None:
        """The run without line numbers in front of its rows, the first perhaps excepted; None: it has none."""
        for kept in (0, 1):
            text = "\n".join(self.rows[kept:])
            bare = take_off_numbers(text, text) if len(self.rows) > kept + 1 else None
            if bare is not None:
                rows = (*self.rows[:kept], *_padded(split_bodies(bare.old), len(self.rows) - kept))
                return _trimmed(replace(self, rows=rows))
        return None


@dataclass(frozen=True, slots=True)
class Snippet:
    """The runs of a snippet from its top; `has_marks` also where no run is beside them."""

    runs: tuple[Run, ...]
    has_marks: bool


def read_snippet(text: str) -> Snippet:
    """The runs of a snippet.

    >>> [run.rows for run in read_snippet("# ...\\na\\n\\nb\\n\\n# ... existing code ...\\nc\\n").runs]
    [('a', '', 'b'), ('c',)]
    """
    rows = split_bodies(text)
    return Snippet(tuple(_runs(rows)), any(map(is_elision, rows)))


def _runs(rows: list[str]) -> Iterator[Run]:
    sections = sections_of(rows)
    for number, (start, end) in enumerate(sections):
        is_last = number == len(sections) - 1
        dots = not is_last and not any(map(str.isalnum, rows[end]))
        run = Run(start, tuple(rows[start:end]), number > 0, not is_last, dots)
        if run.visible:
            yield _trimmed(run)


def _trimmed(run: Run) -> Run:
    visible = run.visible
    if not visible:
        return run
    return replace(run, start=run.start + visible[0], rows=run.rows[visible[0] : visible[-1] + 1])


def _padded(rows: list[str], count: int) -> list[str]:
    """The rows, and blank ones for those that were nothing but a number at the end."""
    return rows + [""] * (count - len(rows))


Key = Callable[[str], str]

_COMPARED = 400  # code points of a row
_START, _STARTED = 10, 0.7  # code points that two rows begin with, and how alike they are at least
_TELLING = 4  # letters and digits
_IMPORTED = lazy_pattern(r"import\s+(.+?)\s+from\s+[\"']|from\s+[\w.]+\s+import\s+([\w, ]+)$")
_GIVEN = lazy_pattern(
    r"((?:(?:const|let|var|val|final|export|public|private|static)\s+)*)[\"']?([\w.$-]+)[\"']?\s*(:(?=\s+\S)|=(?![=>~]))"
)
_WORD = lazy_pattern(r"[^\W_]+")
_KEYWORDS = frozenset(
    "begin break case catch continue default div do done else elif end endfor endif esac except false fi finally for "
    "if none null of pass public return span static then true try undefined void while with".split()
)


def key_of(policy: Policy, lexer: Lexer) -> Key:
    """By what rows are known under a policy."""
    if policy.tier in (*STRICT, "repair"):
        return lambda row: row
    if policy.tier == "whitespace":
        return lambda row: squeeze(lexer, row)
    return lambda row: fold(lexer, row)


class VisibleRows:
    """The rows of a text that are not blank; `numbers` are their rows in the text, all else counts among them."""

    def __init__(self, texts: Sequence[str], key: Key) -> None:
        self.all = texts
        self.numbers = [row for row, text in enumerate(texts) if text.strip()]
        self.texts = [texts[row] for row in self.numbers]
        self.keys = [key(text) for text in self.texts]

    def __len__(self) -> int:
        return len(self.numbers)

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Where each key is."""
        found: dict[str, list[int]] = {}
        for place, key in enumerate(self.keys):
            found.setdefault(key, []).append(place)
        return found

    def line(self, place: int) -> int:
        """The line of a row in the text, from 1."""
        return self.numbers[place] + 1

    def blanks_before(self, place: int) -> int:
        """How many blank rows are in front of a row; behind the last one for a place past it."""
        end = self.numbers[place] if place < len(self) else len(self.all)
        return end - (self.numbers[place - 1] + 1 if place else 0)


def letters_in(row: str) -> int:
    """How many letters and digits a row has."""
    return sum(map(str.isalnum, row))


def is_telling(row: str) -> bool:
    """Whether a row has words of its own; one row of mere signs, or of a keyword, looks like the next.

    >>> is_telling("total = 0"), is_telling("  } else {"), is_telling("return")
    (True, False, False)
    """
    return sum(len(word) for word in _WORD.findall(row) if word not in _KEYWORDS) >= _TELLING


def name_of(row: str) -> str | None:
    """The name that a row imports, declares or gives a value; None where it has none. `=` before it: it may be given
    another value in the next row.

    >>> name_of("  max_size: 3"), name_of("const maxSize = 3"), name_of("import { A } from 'b'"), name_of("a = 3")
    ('maxsize', 'maxsize', 'import {A}', '=a')
    >>> name_of("- name: a"), name_of("total += 1"), name_of("x = f(x)"), name_of("a:hover {"), name_of("else:")
    (None, None, None, None, None)
    """
    row = row.strip()[:_COMPARED]
    imported = _IMPORTED.match(row)
    if imported is not None:
        return f"import {(imported[1] or imported[2]).replace(' ', '')}"
    given = _GIVEN.match(row)
    if given is None or re.search(rf"(?<![\w.]){re.escape(given[2])}\b", row[given.end() :] if given[3] == "=" else ""):
        return None
    may_change = given[3] == "=" and not given[1]
    return "=" * may_change + re.sub(r"[_\W]", "", given[2]).lower()


def likeness(one: str, two: str) -> float:
    """How much two rows have in common, from 0 to 1, the blanks around them aside; a common start counts more."""
    from rapidfuzz import fuzz

    one, two = one.strip()[:_COMPARED], two.strip()[:_COMPARED]
    return max(fuzz.ratio(one, two) / 100, _STARTED if one[:_START] == two[:_START] and len(one) >= _START else 0.0)


_NEVER = float("inf")
_MARGIN = 0.8  # by how much the best reading must be better than any other
_LOOSE = 1.0  # what it costs a run not to end with a row of the file
_CHANGE, _ADD, _DROP = 1.0, 0.05, 0.2  # rows that come or go in one place; each that comes; each that goes
_ALIKE = 0.6  # rows less alike than this are not versions of each other
_OTHER = 0.1  # what it costs a row to have other words, however few
_STRAY = 1  # rows more that may go than come before a last row that says little
_LONG = 16  # letters and digits of a row that says as much as a row can


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """A row that is not blank: its number there, its text, what it is compared by, and the blank rows beyond it.

    `indent` is its indentation in the file, None where nobody knows it.
    """

    number: int
    text: str
    key: str
    indent: str | None
    blanks: int

    def is_same(self, other: EdgeRow) -> bool:
        """Whether both say the same at the same indentation, as far as that is known."""
        return self.key == other.key and self.indent in (None, other.indent)

    def unlike(self, other: EdgeRow) -> float:
        """What it costs to take one for the other; infinite for rows that are not versions of each other."""
        if self.is_same(other):
            return 0.0
        alike = likeness(self.text, other.text) if is_telling(self.text) else 0.0
        return _OTHER + 1 - alike if alike >= _ALIKE else _NEVER


def find_reading(new: Sequence[EdgeRow], file: Sequence[EdgeRow]) -> int | None:
    """How many rows of the file the new rows stand for, if one reading is clearly the best.

    Where the same row is nearer as well, all that is new may have come in before it; rows that are like those
    beyond are no reason against that, for what is added is often made after what is there. And where all rows of the
    run are in the file, there may be nothing new at all, but rows between them that are to go.
    """
    same, other = _costs(new, file)
    if not same:
        return None
    best = min(same, key=lambda count: (same[count], count))
    if same[best] and min(same) < best:
        return None
    if not _is_part(new, file[:best]) and any(_is_part(new, file[:count]) for count in same):
        return None
    if not is_telling(new[-1].text) and not _is_close(new, file[:best]):
        return None
    rivals = [cost for count, cost in same.items() if count != best] + [cost + _LOOSE for cost in other]
    return best if all(cost > same[best] + _MARGIN for cost in rivals) else None


def is_turned(new: Sequence[EdgeRow], file: Sequence[EdgeRow], found: int) -> bool:
    """Whether the last row is the first one of what is added, seen from the other end.

    `}` and then a new function that ends with `}` is the same as new rows between two of them; so nothing of the file
    is beyond what is new, and the run ends with it.
    """
    for at in range(len(new) - 2, -1, -1):
        if new[at].is_same(new[-1]):
            return _costs(new[: at + 1], file)[0].get(found, _NEVER) < _costs(new, file)[0][found]
    return False


def _is_part(new: Sequence[EdgeRow], file: Sequence[EdgeRow]) -> bool:
    """Whether all of the new rows are among those of the file, in their order."""
    rest = iter(file)
    return all(any(row.is_same(other) for other in rest) for row in new)


def _is_close(new: Sequence[EdgeRow], file: Sequence[EdgeRow]) -> bool:
    """Whether a last row that says little follows what is the same on both sides, with about as much in between."""
    pairs = list(equal_pairs([row.key for row in new[:-1]], [row.key for row in file[:-1]]))
    row, at = pairs[-1] if pairs else (-1, -1)
    return len(file) - 2 - at <= len(new) - 2 - row + _STRAY


def _costs(new: Sequence[EdgeRow], file: Sequence[EdgeRow]) -> tuple[dict[int, float], list[float]]:
    """What it costs to take the new rows for the first so many rows of the file.

    First by count, for readings that end with the same row on both sides; then for all others. Rows that come and rows
    that go between the same two rows are one change.
    """
    near = {row.key for row in file if is_telling(row.text)}
    added = [_ADD + (min(1.0, letters_in(row.text) / _LONG) if row.key in near else 0.0) for row in new]
    paired = [0.0] + [_NEVER] * len(file)
    apart = [_NEVER] + [_CHANGE + _DROP * count for count in range(1, len(file) + 1)]
    for row, cost in zip(new[:-1], added, strict=False):
        paired, apart = _step(row, file, paired, apart, cost)
    same = {at + 1: min(paired[at], apart[at]) for at, other in enumerate(file) if new[-1].is_same(other)}
    paired, apart = _step(new[-1], file, paired, apart, added[-1])
    for at in same:
        paired[at] = _NEVER
    return same, list(map(min, paired, apart))


def _step(
    row: EdgeRow, file: Sequence[EdgeRow], paired: Sequence[float], apart: Sequence[float], added: float
) -> tuple[list[float], list[float]]:
    """The costs with one more new row: by how many rows of the file are taken, ending with a pair or without."""
    pairs = [_NEVER, *(min(paired[at], apart[at]) + row.unlike(other) for at, other in enumerate(file))]
    gaps = [min(paired[at] + _CHANGE, apart[at]) + added for at in range(len(file) + 1)]
    for at in range(1, len(gaps)):
        gaps[at] = min(gaps[at], gaps[at - 1] + _DROP, pairs[at - 1] + _CHANGE + _DROP)
    return pairs, gaps


_FARTHEST = 120  # rows
_OTHER_WORDS = 0.4  # how unlike a row at the end of the file may be to the one in its place
_BEYOND = 30  # rows that may go beside as many as come


@dataclass(frozen=True, slots=True)
class Edge:
    """One side of a run beyond its anchor.

    `here` is the row of the file that all others are counted from, `new` and `file` are the rows beyond it. `is_end`:
    `file` goes to the end of the file, and not only to a row that another run has. `is_above`: outwards is upwards.
    `is_marked`: the run ends at a mark.
    """

    here: EdgeRow
    new: Sequence[EdgeRow]
    file: Sequence[EdgeRow]
    is_end: bool
    is_above: bool
    is_marked: bool

    def beyond_same(self) -> Edge:
        """The edge from the last of the rows that are the same on both sides."""
        count = 0
        while count < min(len(self.new), len(self.file)) and self.new[count].is_same(self.file[count]):
            count += 1
        here = self.file[count - 1] if count else self.here
        return replace(self, here=here, new=self.new[count:], file=self.file[count:])


def settle(edge: Edge) -> int | None:
    """How many rows of the file the run's rows stand for; None where there is no telling."""
    if not edge.new:
        return 0
    if len(edge.new) > _FARTHEST:
        return None
    file = edge.file[: 2 * len(edge.new) + _BEYOND]
    found = find_reading(edge.new, file)
    if found is not None and not is_turned(edge.new, file, found):
        return found
    if edge.is_end and _covers_end(edge):
        return len(edge.file)
    return len(edge.new) if _names_again(edge) else None


def _names_again(edge: Edge) -> bool:
    """Whether every row is the file's row in its place or another version of it under the same name.

    Not where the file's rows around have one of the names as well: then such rows may follow each other. Nor where one
    of the two continues in the next row. And a variable that is given a value above may be given another one below it.
    """
    pairs = list(zip(edge.new, edge.file, strict=False))
    if len(pairs) < len(edge.new) or not all(row.is_same(other) or _is_version(row, other) for row, other in pairs):
        return False
    named = {name for row in edge.new if (name := name_of(row.text)) is not None}
    around = (edge.here, *edge.file[len(edge.new) : 2 * len(edge.new) + _BEYOND])
    may_change = edge.is_above and any(name.startswith("=") for name in named)
    if not named or may_change or any(name_of(row.text) in named for row in around):
        return False
    return all(row.is_same(other) or _opened(row.text) == _opened(other.text) for row, other in pairs)


def _opened(text: str) -> int:
    """How many brackets a row leaves open, or closes that others opened."""
    return sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))


def _is_version(row: EdgeRow, other: EdgeRow) -> bool:
    name = name_of(row.text)
    return name is not None and name == name_of(other.text) and row.indent in (None, other.indent)


def _covers_end(edge: Edge) -> bool:
    """Whether all rows up to the end of the file are among the new ones, if need be with other words.

    A run that a mark follows has them as they are. Blank rows at the very end could belong on either side.
    """
    last = edge.file[-1] if edge.file else edge.here
    if last.blanks or len(edge.file) > len(edge.new):
        return False
    rest = iter(edge.new)
    most = 0.0 if edge.is_marked else _OTHER_WORDS
    return all(any(new.unlike(row) <= most for new in rest) for row in edge.file)


@dataclass(frozen=True, slots=True)
class Placed:
    """A run and the places `start:end` of the file it is; `carried` takes its indentation to the file's.

    `is_firm`: the rows that it was found by say so much that they are not there by chance.
    """

    run: Run
    rows: VisibleRows
    start: int
    end: int
    carried: Carried
    is_firm: bool


Kept = tuple[int, int]  # a row of the run and its place in the file, both among the rows that are not blank


@dataclass(frozen=True, slots=True)
class Gap:
    """What is between two kept rows.

    `ours` and `theirs` are rows of the run and of the file, blank ones at their ends too; `new` and `old` those among
    them that are not blank, by their number among such rows.
    """

    ours: range
    theirs: range
    new: range
    old: range

    @property
    def has_change(self) -> bool:
        return bool(self.new) or bool(self.old)


def kept_of(placed: Placed, file: VisibleRows) -> list[Kept]:
    """The rows of a run that stay as the file has them."""
    rows, start = placed.rows, placed.start
    ours = [f"{_indent(placed, row)}\0{key}" for row, key in enumerate(rows.keys)]
    theirs = [f"{indent_of(file.texts[at])}\0{file.keys[at]}" for at in range(start, placed.end)]
    kept = [(row, start + at) for row, at in equal_pairs(ours, theirs)]
    loose = {pair for pair in kept if _is_loose(rows.texts[pair[0]], file.texts[pair[1]])}
    if loose and loose <= _beside_changes(placed, kept, loose):
        return [pair for pair in kept if pair not in loose]
    return kept


def _indent(placed: Placed, row: int) -> str:
    """The indentation of a row of the run in the file; a sign of its own where there is no telling."""
    found = placed.carried(indent_of(placed.rows.texts[row]), row)
    return "?" if found is None else found


def _is_loose(one: str, two: str) -> bool:
    """Whether two rows that say the same differ in the blanks between their words."""
    one, two = one.strip(), two.strip()
    return one != two and one.split() == two.split()


def _beside_changes(placed: Placed, kept: Sequence[Kept], loose: set[Kept]) -> set[Kept]:
    """Of some kept rows those that a change is right before or right behind, or only others of them in between."""
    found: set[Kept] = set()
    for pairs, step, border in (
        (kept, 1, (-1, placed.start - 1)),
        (kept[::-1], -1, (len(placed.rows), placed.end)),
    ):
        last, is_beside = border, False
        for pair in pairs:
            is_joined = pair == (last[0] + step, last[1] + step)
            is_beside = pair in loose and (is_beside or not is_joined)
            if is_beside:
                found.add(pair)
            last = pair
    return found


def gaps_of(placed: Placed, file: VisibleRows, kept: Sequence[Kept]) -> Iterator[Gap]:
    """The gaps of a run from its top, also those in which only blank rows differ or nothing at all."""
    row, place = 0, placed.start
    for next_row, next_place in [*kept, (len(placed.rows), placed.end)]:
        yield _gap(placed, file, range(row, next_row), range(place, next_place))
        row, place = next_row + 1, next_place + 1


def _gap(placed: Placed, file: VisibleRows, new: range, old: range) -> Gap:
    rows, start, end = placed.rows, placed.start, placed.end
    ours = range(
        rows.numbers[new.start - 1] + 1 if new.start else 0,
        rows.numbers[new.stop] if new.stop < len(rows) else len(rows.all),
    )
    first = file.numbers[old.start - 1] + 1 if old.start > start else file.numbers[start]
    last = file.numbers[old.stop] if old.stop < end else file.numbers[end - 1] + 1
    return Gap(ours, range(first, max(first, last)), new, old)


class Refusals:
    """The refusals of one snippet for one file; `name` is what the file is called in them."""

    def __init__(self, name: str, source: Source, file: VisibleRows) -> None:
        self._name, self._source, self._file = name, source, file

    def no_anchor(self, run: Run) -> EditError:
        from steadyhand.text.nearest import find_nearest

        line = run.line(0)
        near = find_nearest(self._source, run.rows[0], limit=1)
        nearest = f"; nearest is line {near[0].first_line}: {_short(self._line(near[0].first_line))}" if near else ""
        what = f"{lines_named(line, run.line(len(run.rows) - 1))} of the snippet: none of them is in {self._name}"
        return EditError(
            Kind.NO_MATCH,
            f"{what} in a way that shows where they belong, first {_short(run.rows[0])}{nearest}",
            hint="begin and end each part between markers with unchanged lines, copied exactly from the file",
            details={"line": line, "text": run.rows[0][:200]} | ({"nearest": near[0].first_line} if near else {}),
        )

    def ambiguous(self, run: Run, first: int, last: int, places: Sequence[int]) -> EditError:
        spans = [self._span(place) for place in places]
        what = f"{lines_named(run.line(first), run.line(last))} of the snippet, {_short(run.rows[first])}"
        verb = "matches" if first == last else "match"
        return EditError(
            Kind.AMBIGUOUS_MATCH,
            "\n".join([f"{what}, {verb} {len(places)} places in {self._name}:", *self._listed(spans)]),
            hint="show more unchanged lines around the change, such as the line that opens the function",
            details={
                "line": run.line(first),
                "total": len(places),
                "candidates": describe_places(self._source, spans[:20]),
            },
        )

    def cut_off(self, run: Run, start: int, end: int) -> EditError:
        """It has most of the file, and one end of it is missing."""
        first, last = self._file.line(start), self._file.line(end - 1)
        rest = f"from line {last + 1} on" if start == 0 else f"up to line {first - 1}"
        return EditError(
            Kind.LOW_CONFIDENCE,
            f"the snippet has {lines_named(first, last)} of {self._name} and no marker: it is unclear whether the "
            f"lines {rest} should stay",
            hint="put a marker such as `... existing code ...` where lines stay, or say that it is the whole file",
            details={"line": run.line(0), "lines": [first, last]},
        )

    def rival(self, run: Run, places: Sequence[int]) -> EditError:
        spans = [self._span(place) for place in places]
        what = f"{lines_named(run.line(0), run.line(len(run.rows) - 1))} of the snippet, {_short(run.rows[0])} first"
        return EditError(
            Kind.AMBIGUOUS_MATCH,
            "\n".join([f"{what}, may be meant for more than one place of {self._name}:", *self._listed(spans)]),
            hint="show more unchanged lines around the change, such as the line that opens the function",
            details={"line": run.line(0), "candidates": describe_places(self._source, spans)},
        )

    def out_of_order(self, run: Run, place: int) -> EditError:
        return EditError(
            Kind.NO_MATCH,
            f"line {run.line(0)} of the snippet, {_short(run.rows[0])}, is in {self._name} at line "
            f"{self._file.line(place)}, not between the parts around it",
            hint="send the parts in the order of the file",
            details={"line": run.line(0), "nearest": self._file.line(place)},
        )

    def doubled(self, run: Run, row: int, place: int) -> EditError:
        return EditError(
            Kind.LOW_CONFIDENCE,
            f"line {run.line(row)} of the snippet, {_short(run.rows[row])}, is in {self._name} at line "
            f"{self._file.line(place)} and would then occur twice",
            hint="also show the lines between its old and its new place, without a marker",
            details={"line": run.line(row), "nearest": self._file.line(place)},
        )

    def overlapping(self, run: Run, before: Run, place: int) -> EditError:
        return EditError(
            Kind.LOW_CONFIDENCE,
            f"the parts of the snippet at line {before.line(0)} and at line {run.line(0)} both take line "
            f"{self._file.line(place)} of {self._name}",
            hint="send consecutive lines of the file as one part, without a marker between them",
            details={"line": run.line(0)},
        )

    def idle_mark(self, run: Run, place: int) -> EditError:
        """Three dots where nothing is left out may as well be a line that is to come in."""
        line = run.line(len(run.rows) - 1)
        return EditError(
            Kind.LOW_CONFIDENCE,
            f"the dots below line {line} of the snippet stand for no lines: what follows them is directly below line "
            f"{self._file.line(place)} of {self._name}",
            hint="leave them out, or send an edit if they should be a line of the file",
            details={"line": line, "nearest": self._file.line(place)},
        )

    def open_edge(self, run: Run, edge: Edge) -> EditError:
        beyond = edge.beyond_same()
        edge = beyond if beyond.new else edge
        row = edge.new[0]
        side = "above" if edge.is_above else "below"
        beside = f"line {self._file.line(edge.here.number)} of {self._name}"
        what = f"{_short(row.text)} is right {side} {_short(edge.here.text)} ({beside}) in the snippet"
        there = f"which has {_short(edge.file[0].text)} there" if edge.file else "where the file ends"
        return EditError(
            Kind.LOW_CONFIDENCE,
            f"{what}, {there}: whether lines are added or replaced is unclear",
            hint=f"continue {side} it up to an unchanged line of the file, before the marker",
            details={"line": run.line(0), "text": row.text[:200], "nearest": self._file.line(edge.here.number)},
        )

    def left_out(self, run: Run, new: range, old: range) -> EditError:
        lines = (self._file.line(old.start), self._file.line(old.stop - 1))
        return EditError(
            Kind.LOW_CONFIDENCE,
            f"{lines_named(*lines)} of {self._name} ({len(old)} that are not blank) are missing from the part of the "
            f"snippet at line {run.line(0)}, which has {len(new)} in their place and no marker",
            hint="put a marker such as `... existing code ...` where lines stay; to delete many, send an edit",
            details={"line": run.line(0), "lines": list(lines), "count": len(old)},
        )

    def mark(self, run: Run, row: int) -> EditError:
        return EditError(
            Kind.PLACEHOLDER_LEFT,
            f"line {run.line(row)} of the snippet, {_short(run.rows[row])}, seems to stand for lines that stay, but "
            f"would be written into {self._name}",
            hint="write the marker as a separate comment, such as `... existing code ...`",
            details={"line": run.line(row), "text": run.rows[row].strip()[:200]},
        )

    def reindented(self, run: Run, row: int, place: int) -> EditError:
        return EditError(
            Kind.LOW_CONFIDENCE,
            f"line {run.line(row)} of the snippet, {_short(run.rows[row])}, differs from line "
            f"{self._file.line(place)} of {self._name} in its indentation only",
            hint="copy unchanged lines with their indentation; to change it, send an edit of these lines",
            details={"line": run.line(row), "nearest": self._file.line(place)},
        )

    def indent(self, run: Run, row: int) -> EditError:
        return EditError(
            Kind.LOW_CONFIDENCE,
            f"the part of the snippet at line {run.line(0)} is indented differently from {self._name}; where line "
            f"{run.line(row)}, {_short(run.rows[row])}, belongs is unclear",
            hint="copy unchanged lines with their indentation",
            details={"line": run.line(row)},
        )

    def blanks(self, run: Run, row: int, file_row: int) -> EditError:
        return EditError(
            Kind.LOW_CONFIDENCE,
            f"around line {file_row + 1} of {self._name} the snippet (line {run.line(row)}) has other blank lines "
            "than the file, and it is unclear whether they should change",
            hint="copy the blank lines around the change from the file",
            details={"line": run.line(row), "nearest": file_row + 1},
        )

    def _listed(self, spans: Sequence[Span]) -> list[str]:
        return list_places(self._source, spans, len(spans))

    def _span(self, place: int) -> Span:
        return self._source.table.span(self._file.numbers[place])

    def _line(self, line: int) -> str:
        return self._source.table.text(line - 1)


def _short(text: str) -> str:
    return repr(shorten(text))
