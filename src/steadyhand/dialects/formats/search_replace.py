"""SEARCH/REPLACE blocks: the old lines and the new lines of a place between marks, under the name of the file.

aider (`diff`, `diff-fenced`), Cline and Roo write them alike but for the marks, and models forget or bend each of them:
what is still clear is read, with a note, and the rest is refused. Old lines that are none make a new file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from steadyhand.dialects.dialect import Change, Dialect, Reader
from steadyhand.dialects.marker.mark import FORMAT, Fence, Mark, mark_in, refusal, word_in
from steadyhand.dialects.marker.names import Names
from steadyhand.dialects.marker.part import Part, is_around
from steadyhand.dialects.marker.render import write_changes
from steadyhand.dialects.marker.sides import Sides, signed_rows
from steadyhand.dialects.marker.words import read_words
from steadyhand.dialects.piece import Note, Piece
from steadyhand.dialects.reply import Line
from steadyhand.dialects.signed import edit_of_rows
from steadyhand.lazy import dataclass, field
from steadyhand.plan.edit import Old, Replace
from steadyhand.plan.request import EditFile, FileRequest

_RESTARTS = 4  # blocks of a reply that may be broken off: each is read a second time
_STRAY = 5  # characters from which a REPLACE mark is one also where no block is open


@dataclass(slots=True)
class _Words:
    """What follows the bare word SEARCH."""

    head: Line
    fence: Fence | None
    lines: list[Line] = field(default_factory=list)


class SearchReplaceReader(Reader):
    """Reads blocks one after the other; between them it looks for names only."""

    def __init__(self) -> None:
        super().__init__()
        self._names = Names()
        self._part: Part | None = None
        self._words: _Words | None = None
        self._broken: Part | None = None
        self._unchanged: Piece | None = None
        self._is_given = False
        self._restarts = _RESTARTS
        self._last = 1

    @property
    def is_open(self) -> bool:
        return not (self._part is None and self._words is None and self._broken is None)

    def feed(self, line: Line) -> list[Piece]:
        """The blocks this line completes: one, or none."""
        self._last = line.number
        if self._part is not None:
            return self._inside(self._part, line)
        return self._between(line) if self._words is None else self._after_word(self._words, line)

    def close(self) -> list[Piece]:
        """The blocks that only the end of the reply completes."""
        pieces: list[Piece] = []
        while self._part is not None or self._words is not None:
            if self._words is not None:
                pieces += self._read_words(self._words, is_followed=False)
            elif self._part is not None:
                pieces += self._end(self._part)
        if self._broken is not None:
            raise self._broken.unclosed()
        if self._names.is_waiting and (self._is_given or self._unchanged is not None):
            raise refusal(self._last, "a fence with nothing in it; the reply may have been cut off", "a block in it")
        if self._unchanged is not None and not self._is_given:
            pieces.append(self._unchanged)
        return pieces

    def _between(self, line: Line) -> list[Piece]:
        mark, fence = mark_in(line.text), self._names.fence
        if mark is not None and mark.indent in ("", fence.indent if fence else ""):
            if mark.kind == "search":
                self._part = Part(line, mark, fence, self._names.take(mark.path))
                return []
            if mark.kind == "replace" and mark.size >= _STRAY:
                raise refusal(line.number, "a REPLACE marker without a SEARCH marker", "<<<<<<< SEARCH before it")
        if word_in(line.text) == "SEARCH" and (fence is None or self._names.begins_fence):
            self._words = _Words(line, fence)
        else:
            self._names.see(line.text)
        return []

    def _inside(self, part: Part, line: Line) -> list[Piece]:
        if part.tail is not None:
            return self._after_tail(part, part.tail, line)
        if not part.take(line):
            return []
        if not part.is_divided():
            part.tail = len(part.lines) - 1
            return [] if part.fence is not None else self._settle(part, part.tail)
        self._part = None
        if part.is_closed_by_end:
            self.notes.append(Note(line.number, "a closing marker without its word"))
        return self._give(part, part.sides(), line)

    def _after_tail(self, part: Part, tail: int, line: Line) -> list[Piece]:
        """A line after old lines and a REPLACE mark: it may be where the divider belongs."""
        mark = mark_in(line.text)
        if mark is not None and mark.kind == "search" and mark.indent == part.mark.indent:
            return [*self._settle(part, tail, is_followed=True), *self._between(line)]
        return self._settle(part, tail) if part.take_behind(line) else []

    def _settle(self, part: Part, tail: int, *, is_followed: bool = False) -> list[Piece]:
        """Old lines and a REPLACE mark without a divider: the new lines come behind it, or it is a small diff."""
        self._part = None
        end = part.closing_fence(tail + 1, len(part.lines), is_followed=is_followed)
        if end is not None and _is_filled(part.lines[:tail]) and part.is_replaced_behind(tail, end):
            self.notes.append(Note(part.lines[tail].number, "a REPLACE marker where the line ======= belongs"))
            pieces = self._give(part, part.sides_at(tail, end), part.lines[end - 1])
        else:
            pieces = self._small_diff(part, tail, len(part.lines) if end is None else end)
        self._look_at(part.lines[tail + 1 if end is None else end :])
        return pieces

    def _small_diff(self, part: Part, tail: int, stop: int) -> list[Piece]:
        rows = signed_rows(part.rows(part.lines[:tail]))
        edit = edit_of_rows(rows, fit="lines-first") if rows is not None else None
        if edit is None or not all(is_around(line.text) for line in part.lines[tail + 1 : stop]):
            raise part.undivided()
        self.notes.append(Note(part.head.number, "a diff between SEARCH and REPLACE"))
        return self._deliver(EditFile(part.path, (edit,)), part.head, part.lines[tail])

    def _end(self, part: Part) -> list[Piece]:
        """The reply ends in a block: at the closing fence if it lacks its mark, or another one was begun in it."""
        if part.tail is not None:
            return self._settle(part, part.tail)
        if part.nested is None:
            return self._cut(part, len(part.lines))
        self._restarts -= 1
        if self._restarts < 0:
            raise part.unclosed()
        rest = part.lines[part.nested :]
        pieces = self._cut(part, part.nested) if part.is_divided(part.nested) else self._break_off(part, part.nested)
        for line in rest:
            pieces += self.feed(line)
        return pieces

    def _cut(self, part: Part, end: int) -> list[Piece]:
        """A block without its closing mark, up to the closing fence."""
        self._part = None
        if not part.is_divided(end):
            raise part.unclosed()
        divider = part.divider(end)
        fence = part.closing_fence(divider + 1, end, is_followed=end < len(part.lines))
        if fence is None:
            raise part.unclosed()
        self.notes.append(Note(part.lines[fence].number, "a block without >>>>>>> REPLACE at its end"))
        pieces = self._give(part, part.sides_at(divider, fence), part.lines[fence - 1])
        self._look_at(part.lines[fence:end])
        return pieces

    def _break_off(self, part: Part, end: int) -> list[Piece]:
        """A block that was begun and left; the next one must take it up.

        Without a fence that closes it, its lines may be the content of one that holds a mark.
        """
        self._part = None
        if self._broken is not None:
            raise self._broken.unclosed()
        fence = part.closing_fence(0, end, is_followed=True)
        if not part.is_begun_again(end) or (fence is None and end):
            raise part.unclosed()
        self._look_at(part.lines[end if fence is None else fence : end])
        del part.lines[end if fence is None else fence :]
        self._broken = part
        return []

    def _after_word(self, words: _Words, line: Line) -> list[Piece]:
        mark = mark_in(line.text)
        is_new = word_in(line.text) == "SEARCH" or (mark is not None and mark.kind == "search" and not mark.indent)
        if not is_new:
            words.lines.append(line)
            return []
        return [*self._read_words(words, is_followed=True), *self._between(line)]

    def _read_words(self, words: _Words, *, is_followed: bool) -> list[Piece]:
        self._words = None
        found = read_words(words.lines, words.fence, is_followed=is_followed)
        if found is None:
            self._look_at([words.head, *words.lines])
            return []
        old, new, end = found
        self.notes.append(Note(words.head.number, "the words SEARCH and REPLACE without their markers"))
        part = Part(words.head, Mark("search", 0, ""), words.fence, self._names.take(None))
        pieces = self._give(part, Sides(part.rows(old), part.rows(new)), words.lines[end - 1])
        self._look_at(words.lines[end - 1 :])
        return pieces

    def _look_at(self, lines: Sequence[Line]) -> None:
        for line in lines:
            self._names.see(line.text)

    def _give(self, part: Part, sides: Sides, last: Line) -> list[Piece]:
        first = part.head
        if self._broken is not None:
            left, taken = _filled(line.text for line in self._broken.lines), _filled(sides.search)
            if not taken or taken[: len(left)] != left:
                raise self._broken.unclosed()
            self.notes.append(Note(self._broken.head.number, "a block that breaks off and starts again"))
            first, self._broken = self._broken.head, None
        if sides.doubled is not None:
            self.notes.append(Note(sides.doubled, "a second line that may separate the old lines from the new ones"))
        if sides.numbered is not None:
            self.notes.append(Note(sides.numbered, "a line number before the new lines"))
        request = sides.request(part.path)
        if request is None:
            raise refusal(part.head.number, "a block without any line", "the old lines after this marker")
        return self._deliver(request, first, last)

    def _deliver(self, request: FileRequest, first: Line, last: Line) -> list[Piece]:
        """The piece; one that changes nothing only if no other does."""
        piece = Piece(request, (first.number, last.number))
        if not _is_idle(request):
            if self._unchanged is not None and not self._is_given:
                self._note_idle(self._unchanged)
            self._is_given = True
            return [piece]
        if self._unchanged is None:
            self._unchanged = piece
        if self._is_given or self._unchanged is not piece:
            self._note_idle(piece)
        return []

    def _note_idle(self, piece: Piece) -> None:
        self.notes.append(Note(piece.lines[0], "a block that changes nothing", piece.lines))


def write(changes: Sequence[Change]) -> str:
    """The changes in the form of aider's `diff`. Refuses with `bad-request` what it cannot say."""
    return write_changes(changes, SearchReplaceReader)


def _is_idle(request: FileRequest) -> bool:
    edits = request.edits if isinstance(request, EditFile) else ()
    targets = [(edit.target, edit.new) for edit in edits if isinstance(edit, Replace)]
    return any(isinstance(target, Old) and target.text == new for target, new in targets)


def _filled(texts: Iterable[str]) -> list[str]:
    return [text.strip() for text in texts if text.strip()]


def _is_filled(lines: Sequence[Line]) -> bool:
    return any(line.text.strip() for line in lines)


DIALECT = Dialect(
    name=FORMAT,
    aliases=("sr", "aider", "diff-fenced", "cline", "roo"),
    rank=30,
    summary="Old lines and new lines between markers, as aider, Cline and Roo write them.",
    reader=SearchReplaceReader,
    write=write,
    example="src/app.py\n```\n<<<<<<< SEARCH\ntotal = 0\n=======\ntotal = 1\n>>>>>>> REPLACE\n```\n",
)
