"""JSON: edits as tools take them, in a reply instead of a call.

Any toolset's form is read: our own requests, lists of old and new text under all their names, line ranges, calls of
tools around them. JSON that has not the shape of an edit is left alone. Plain JSON is read as soon as its last bracket
is there; where it is no plain JSON, all that follows waits for the end of the reply and is read loosely then.
"""

from __future__ import annotations

from collections.abc import Iterable

from steadyhand.dialects.dialect import Dialect, Reader
from steadyhand.dialects.piece import Note, Piece, malformed
from steadyhand.dialects.reply import Line
from steadyhand.dialects.structured.aftermath import Aftermath
from steadyhand.dialects.structured.document import FORMAT, Document, line_starts
from steadyhand.dialects.structured.edit import Found
from steadyhand.dialects.structured.fields import NAMES, has_text, is_marked
from steadyhand.dialects.structured.loose import read_strict
from steadyhand.dialects.structured.node import Node, Unreadable
from steadyhand.dialects.structured.order import Order
from steadyhand.dialects.structured.places import (
    Brackets,
    Fences,
    find_orphan,
    find_start,
    goes_on,
)
from steadyhand.dialects.structured.render import write_json
from steadyhand.dialects.structured.shapes import find_requests
from steadyhand.errors import EditError

_WORK = 4  # how often a reply is read again from another place, in lengths of it


class _JsonReader(Reader):
    """Reads JSON values line by line: outside of one, inside of one, or keeping all lines for the end."""

    def __init__(self) -> None:
        super().__init__()
        self._fences = Fences()
        self._fence_line = 1
        self._order = Order()
        self._lines: list[Line] = []
        self._start = 0
        self._opener = ""
        self._is_sure = False
        self._brackets = Brackets()
        self._waits = False
        self._idle: list[Found] = []
        self._has_given = False
        self._aftermath = Aftermath()
        self._orphan: tuple[int, int] | None = None

    @property
    def is_open(self) -> bool:
        return bool(self._lines) or self._waits

    def feed(self, line: Line) -> Iterable[Piece]:
        if self._waits:
            self._lines.append(line)
            return ()
        if self._lines:
            return self._continue(line)
        return self._look(line, 0) if self._enter(line) else ()

    def close(self) -> Iterable[Piece]:
        pieces = list(self._read_rest()) if self._lines else []
        if self._fences.is_open and self._aftermath.is_broken(is_fenced=False):
            raise _left_over(self._fence_line, 1)
        if self._orphan is not None and self._has_given:
            line, column = self._orphan
            what = "a field of an edit outside any edit"
            raise malformed(line, what, "every edit in a known form", column=column, format=FORMAT)
        for found in self._idle[0 if self._has_given else 1 :]:
            self.notes.append(Note(found.lines[0], "an edit that changes nothing", found.lines))
        if self._idle and not self._has_given:
            pieces.append(Piece(self._idle[0].request, self._idle[0].lines))
        return pieces

    def _enter(self, line: Line) -> bool:
        """Whether a line outside of any value may have one. Refuses what may be the rest of the value before it."""
        is_fenced = self._fences.is_open
        if self._fences.take(line.text):
            self._aftermath.pass_fence()
            self._fence_line = line.number
            return False
        if self._aftermath.is_rest(line.text, is_fenced=is_fenced):
            raise _left_over(line.number, 1)
        return self._fences.allow

    def _look(self, line: Line, column: int) -> list[Piece]:
        """Read what is in a line from a column on, outside of any value."""
        pieces: list[Piece] = []
        at = find_start(line.text, column)
        while at >= 0:
            self._lines, self._start, self._opener = [line], at, line.text[at]
            self._is_sure = goes_on(line.text, at + 1, self._opener) is True
            self._brackets = Brackets()
            end = self._brackets.close_at(line.text, at)
            if end is None:
                break
            pieces.extend(self._finish(end))
            if self._waits:
                break
            column, at = end, find_start(line.text, end)
        if at < 0:
            self._note_orphan(line, column)
        return pieces

    def _note_orphan(self, line: Line, column: int) -> None:
        """Keep in mind a field that is alone: an edit would be passed over if others are made."""
        at = find_orphan(line.text, column)
        if at >= 0 and self._orphan is None:
            self._orphan = line.number, at + 1

    def _continue(self, line: Line) -> list[Piece]:
        """Read a line inside a value."""
        if not self._is_sure and line.text.strip():
            self._is_sure = goes_on(line.text, 0, self._opener) is True
            if not self._is_sure:
                self._lines = []
                return list(self.feed(line))
        self._lines.append(line)
        end = self._brackets.close_at(line.text, 0)
        if end is None:
            return []
        pieces = self._finish(end)
        return pieces if self._waits else pieces + self._look(line, end)

    def _finish(self, end: int) -> list[Piece]:
        """Read the value whose last bracket is there, or keep everything for the end."""
        document = self._value(end)
        try:
            if end < 0:
                raise Unreadable(0, "", "")
            node = read_strict(document.text)
        except Unreadable:
            self._waits = True
            return []
        last, self._lines = self._lines[-1], []
        return self._take(node, document, last, end)

    def _value(self, end: int) -> Document:
        """The lines kept so far from the start of a value on, the last of them up to a column."""
        first, *more = self._lines
        if not more:
            return Document(first.text[self._start : end], first.number, self._start)
        rows = [first.text[self._start :], *(line.text for line in more[:-1]), more[-1].text[:end]]
        return Document("\n".join(rows), first.number, self._start)

    def _document(self) -> Document:
        """The lines kept so far; carriage returns are how the reply was sent if its first line has one."""
        is_sent_so = self._lines[0].ending == "\r\n"
        text = "".join(line.text + "\n" if is_sent_so and line.ending else line.whole for line in self._lines)
        return Document(text, self._lines[0].number)

    def _take(self, node: Node, document: Document, last: Line, end: int) -> list[Piece]:
        """The requests in a value that ends in a line, behind a column."""
        found = find_requests(node, document, self._order)
        given = [one for one in found if not one.is_idle]
        self._idle.extend(one for one in found if one.is_idle)
        self._has_given = self._has_given or bool(given)
        if (found or has_text(node, document)) and not self._aftermath.begin(
            last.text, end, is_fenced=self._fences.is_open
        ):
            raise _left_over(last.number, end + 1)
        if found:
            self._note_flaws(node, document)
        elif self._orphan is None:
            at = find_orphan(document.text, node.start, node.end)
            self._orphan = document.place(at) if at >= 0 else None
        return [Piece(one.request, one.lines) for one in given]

    def _note_flaws(self, node: Node, document: Document) -> None:
        noted: set[str] = set()
        for flaw in document.flaws:
            if flaw.what not in noted and flaw.offset >= node.start:
                noted.add(flaw.what)
                self.notes.append(Note(document.place(flaw.offset)[0], flaw.what))

    def _read_rest(self) -> Iterable[Piece]:
        """Read the lines that were kept, loosely where they are no plain JSON."""
        document = self._document()
        starts = document.starts = line_starts(document.text)
        work = _WORK * len(document.text)
        row, column = 0, self._start
        while row < len(self._lines):
            text = self._lines[row].text
            if column == 0 and row > 0 and not self._enter(self._lines[row]):
                row += 1
                continue
            at = self._start if row == 0 and column == self._start else find_start(text, column)
            if at < 0:
                self._note_orphan(self._lines[row], column)
                row, column = row + 1, 0
                continue
            try:
                document.flaws.clear()
                node = document.read(starts[row] + at, NAMES)
            except Unreadable as error:
                if is_marked(error, document.text, starts[row] + at):
                    raise document.unreadable(error) from None
                if self._aftermath.is_broken(is_fenced=self._fences.is_open):
                    raise _left_over(self._lines[row].number, at + 1) from None
                work -= error.reach - starts[row] - at
                row, column = (row + 1, 0) if work > 0 else (document.place(error.reach)[0] - document.line + 1, 0)
                continue
            line, column = document.place(node.end)
            row, column = line - document.line, column - 1
            yield from self._take(node, document, self._lines[row], column)


def _left_over(line: int, column: int) -> EditError:
    what = "text after the JSON, which may be the rest of a string that contains a quote"
    expected = "\\ before each quote in a text, and nothing after the JSON on its line"
    return malformed(line, what, expected, column=column, format=FORMAT)


DIALECT = Dialect(
    name="json",
    aliases=("ranges", "apply_edits"),
    rank=40,
    summary="Edits in JSON: our own requests, old and new text as tools take it, line ranges.",
    reader=_JsonReader,
    example='{"edits": [{"path": "src/app.py", "old_string": "x = 1", "new_string": "x = 2"}]}\n',
    write=write_json,
)
