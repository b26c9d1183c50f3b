"""Which dialect a reply is written in: the one whose reader makes sense of it while nothing else claims another part.

Invariants:

1. A reply is read as one dialect or refused; parts in two dialects are never mixed, and none is dropped in silence.
   A whole file beside edits of it is no second part: it says what they must give, which is asked when they are planned.
2. What is inside a piece of one dialect is its content, whatever marks it has, and whatever another reader that
   was led astray by them says of the lines behind; these are read once more without what led it astray.
3. A dialect without marks of its own is believed only where no marked one reads or refuses anything.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from steadyhand.dialects.dialect import Dialect, Reader
from steadyhand.dialects.patch import paths_of
from steadyhand.dialects.piece import Piece
from steadyhand.dialects.reply import Line
from steadyhand.errors import EditError, Kind
from steadyhand.hints import NameFormat, SendExample
from steadyhand.lazy import dataclass, field
from steadyhand.plan.request import EditFile
from steadyhand.text.cancel import check_each

__all__ = ["Reading", "choose", "foremost", "mixed"]

_HEADERS = 8  # lines that a file in a patch may have beside its pieces: names, marks, a fence
_WORK = 4  # how often a reply is read again, in lengths of it


@dataclass(slots=True)
class Reading:
    """A reply so far, as one dialect reads it; `error` is why it cannot.

    `shown` are whole files beside the patch that it is to give.
    """

    dialect: Dialect
    reader: Reader
    pieces: list[Piece] = field(default_factory=list)
    error: EditError | None = None
    shown: list[Piece] = field(default_factory=list)

    @property
    def is_named(self) -> bool:
        """Whether a file is named anywhere."""
        return any(piece.request.path for piece in self.pieces)

    @property
    def first_line(self) -> int:
        return self.pieces[0].lines[0]


def foremost(readings: Sequence[Reading]) -> Reading | None:
    """The one marked dialect that has read anything so far, if no other has read, refused or begun anything."""
    marked = [reading for reading in readings if reading.dialect.is_marked]
    active = [reading for reading in marked if reading.pieces or reading.error]
    if len(active) != 1 or active[0].error is not None:
        return None
    # A part that is still open may turn out to contain all that the others have read.
    return None if any(one.reader.is_open for one in marked if one is not active[0]) else active[0]


def choose(readings: Sequence[Reading], lines: Sequence[Line] = (), *, is_empty: bool = False) -> Reading:
    """The reading that is meant; `lines` are those of the reply. Refuses `malformed-patch`."""
    marked = _outermost([reading for reading in readings if reading.dialect.is_marked and reading.pieces])
    if len(marked) > 1:
        raise mixed(marked)
    if marked and marked[0].error is not None:
        raise _explained(marked[0], readings)
    broken = [reading for reading in readings if reading.dialect.is_marked and reading.error is not None]
    if broken and not marked:
        raise _explained(broken[0], readings)
    plain = [reading for reading in readings if not reading.dialect.is_marked]
    if marked:
        for reading in broken:
            _check_inside(reading, marked[0], lines)
        visible = [line.number for line in lines if line.text and not line.text.isspace()]
        for reading in plain:
            marked[0].shown += _shown_beside(reading, marked[0], visible)
        return marked[0]
    for reading in plain:
        if reading.error is not None:
            raise _explained(reading, readings)
        if reading.pieces:
            return reading
    raise _nothing(readings, is_empty=is_empty)


def _outermost(readings: Sequence[Reading]) -> list[Reading]:
    """Without the readings that are nothing but the content of another, or another's parts under no name."""
    kept = list(readings)
    for one in readings:
        for other in readings:
            if one is not other and one in kept and other in kept and _gives_way(one, other):
                kept.remove(one)
    return kept


def _gives_way(one: Reading, other: Reading) -> bool:
    inside, around = _Lines.of(other).hold(one), _Lines.of(one).hold(other)
    if inside != around:
        return inside
    # Both read the same lines, so position decides nothing; the name of a file is what no reader finds by accident.
    overlap = _Lines.of(other).touch(one) and _Lines.of(one).touch(other)
    return overlap and not one.is_named and other.is_named


class _Lines:
    """Where the parts of a reading are in the reply, by their first and last lines."""

    @classmethod
    def of(cls, reading: Reading) -> _Lines:
        return cls(piece.lines for piece in reading.pieces)

    def __init__(self, parts: Iterable[tuple[int, int]]) -> None:
        ranges = sorted(parts)
        self._starts = [start for start, _ in ranges]
        self._ends = [end for _, end in ranges]

    def hold(self, reading: Reading) -> bool:
        """Whether every piece of another reading is inside one of these."""
        return all(self._around(start) >= end for start, end in (piece.lines for piece in reading.pieces))

    def touch(self, reading: Reading) -> bool:
        """Whether every piece of another reading shares a line with one of these."""
        return all(self._around(end) >= start for start, end in (piece.lines for piece in reading.pieces))

    def has(self, line: int) -> bool:
        return self.end_around(line) is not None

    def end_around(self, line: int) -> int | None:
        """The last line of the piece that a line is in."""
        end = self._around(line)
        return end if end >= line else None

    def _around(self, line: int) -> int:
        """The last line of the piece that begins at or before a line; 0 where there is none."""
        index = bisect_right(self._starts, line) - 1
        return self._ends[index] if index >= 0 else 0


def _check_inside(broken: Reading, chosen: Reading, lines: Sequence[Line]) -> None:
    """Refuses a reply in which a reader found something of its own, or failed, outside of the chosen pieces.

    It is asked again about the lines outside of them. Where it still fails, they may be all that is between its own
    marks; then one that began or failed inside of a piece is asked about the lines behind it, until there are none.
    """
    around, start, work = _Lines.of(chosen), 0, _WORK * len(lines)
    alone = _read_again(broken.dialect, [line for line in lines if not around.has(line.number)])
    if alone.reading.error is None and not alone.reading.pieces:
        return
    # Every round reads the rest of the reply again, so thousands of broken parts would cost the square of its
    # length. One that uses up the budget is refused: nothing was proven about its remaining lines.
    while work >= 0:
        asked = _read_again(broken.dialect, lines, start)
        again, work = asked.reading, work - asked.count
        beside = next((piece for piece in again.pieces if around.end_around(piece.lines[0]) is None), None)
        if beside is not None:
            raise mixed([chosen, again], beside.lines[0])
        if again.error is None:
            return
        end = around.end_around(asked.opened) or around.end_around(_line_of(again.error))
        if end is None or end <= start:
            raise mixed([chosen, again])
        start = end
    raise mixed([chosen, broken])


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a dialect reads by itself in some lines: of how many, and where that began which was open at the last."""

    reading: Reading
    count: int
    opened: int


def _read_again(dialect: Dialect, lines: Sequence[Line], start: int = 0) -> _Asked:
    reading, opened, row = Reading(dialect, dialect.reader()), 0, start
    try:
        for row in check_each(range(start, len(lines))):
            reading.pieces.extend(reading.reader.feed(lines[row]))
            opened = 0 if not reading.reader.is_open else opened or lines[row].number
        reading.pieces.extend(reading.reader.close())
    except EditError as error:
        reading.error = error
    return _Asked(reading, row - start + 1, opened)


def _line_of(error: EditError) -> int:
    """Where in the reply a refusal points to; 0 where it says nothing of it."""
    line = error.details.get("line")
    return line if isinstance(line, int) else 0


def _shown_beside(plain: Reading, chosen: Reading, visible: Sequence[int]) -> list[Piece]:
    """The whole files beside a patch that edits them, which say what it must give.

    Any other file in a fence beside it would be left out, and one around it may only show it: better no edit at all.
    """
    idle = [note.part for note in chosen.reader.notes if note.part is not None]
    lines = _Lines([*(piece.lines for piece in chosen.pieces), *idle])
    # The reader of whole files also takes the fence around a patch for a file: a few lines of names and marks beside
    # the pieces do not make it one.
    headers = _HEADERS * len({piece.request.path for piece in chosen.pieces})
    requests = [piece.request for piece in chosen.pieces]
    edited = {one.path for one in requests} - set(paths_of([one for one in requests if not isinstance(one, EditFile)]))
    shown: list[Piece] = []
    for piece in plain.pieces:
        first, last = piece.lines
        inside = visible[bisect_left(visible, first) : bisect_right(visible, last)]
        beside = sum(not lines.has(line) for line in inside)
        if not piece.request.path or (beside < len(inside) and beside <= headers):
            continue
        is_whole = plain.dialect.is_whole_if_asked and beside == len(inside) and piece.request.path in edited
        if not is_whole or any(other.request.path == piece.request.path for other in shown):
            raise mixed([chosen, plain], first)
        shown.append(piece)
    return shown


def mixed(readings: Sequence[Reading], line: int | None = None) -> EditError:
    """The refusal of a reply in two dialects, at the line where the second begins."""
    names = " and ".join(reading.dialect.name for reading in readings)
    last = readings[-1]
    found = _line_of(last.error) if last.error is not None else last.first_line
    at = line if line is not None else found or 1
    return EditError(
        Kind.MALFORMED_PATCH,
        f"line {at}, column 1 of the reply: it has parts in {names}",
        hint=NameFormat(readings[0].dialect.name),
        details={
            "line": at,
            "column": 1,
            "expected": "all of it in one format",
            "formats": [reading.dialect.name for reading in readings],
        },
    )


def _explained(reading: Reading, readings: Sequence[Reading]) -> EditError:
    assert reading.error is not None
    return reading.error.with_details(
        tried=_tried(readings), example=reading.error.details.get("example", reading.dialect.example)
    )


def _nothing(readings: Sequence[Reading], *, is_empty: bool) -> EditError:
    known = ", ".join(reading.dialect.name for reading in readings)
    example = readings[0].dialect.example
    is_one = len(readings) == 1
    return EditError(
        Kind.MALFORMED_PATCH,
        "the reply is empty"
        if is_empty
        else "line 1, column 1 of the reply: nothing in it reads as an edit "
        f"{f'in the format {known}' if is_one else 'in any known format'}",
        hint=SendExample(f"send an edit in {'that format' if is_one else f'one of {known}'}", example),
        details={"line": 1, "column": 1, "expected": "an edit", "tried": _tried(readings), "example": example},
    )


def _tried(readings: Sequence[Reading]) -> dict[str, str]:
    """What each dialect had to say."""
    return {
        reading.dialect.name: (
            reading.error.message
            if reading.error is not None
            else f"{len(reading.pieces)} parts"
            if reading.pieces
            else "nothing like it"
        )
        for reading in readings
    }
