"""Unified diffs: classic and git's, several files, and what models make of them.

Header counts that agree with the lines delimit a hunk, otherwise the lines do. Numbers are hints. A line that could be
a row and is left outside of every hunk is refused: better no edit than half of one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steadyhand.dialects.dialect import Change, Dialect, Reader
from steadyhand.dialects.labels import label_in
from steadyhand.dialects.piece import Note, Piece
from steadyhand.dialects.reply import Line
from steadyhand.dialects.unified.around import Around
from steadyhand.dialects.unified.clean import read_clean
from steadyhand.dialects.unified.edit import as_it_is, changes, content_of, edit_of
from steadyhand.dialects.unified.header import HunkHeader, hunk_header_in, is_combined
from steadyhand.dialects.unified.open import OpenHunk, can_be_no_row
from steadyhand.dialects.unified.queue import LineQueue
from steadyhand.dialects.unified.section import Section, binary, is_binary, wrong
from steadyhand.dialects.unified.wrapper import Wrapping, is_foreign_mark
from steadyhand.errors import EditError
from steadyhand.plan.edit import Replace
from steadyhand.plan.request import ChangeMode, CopyFile, EditFile
from steadyhand.schema import bad_request
from steadyhand.text.unified import render_unified

__all__ = ["DIALECT", "UnifiedReader"]

_EXAMPLE = """--- a/src/app.py
+++ b/src/app.py
@@ -1,2 +1,2 @@
 def greet(name):
-    return "Hello " + name
+    return f"Hello {name}"
"""
_SIGNED = "lines that begin with a blank, - or +"


class UnifiedReader(Reader):
    """Reads unified diffs from a reply."""

    def __init__(self) -> None:
        super().__init__()
        self._wrapping = Wrapping()
        self._queue = LineQueue(self._wrapping)
        self._around = Around(self.notes, self._wrapping)
        self._section: Section | None = None
        self._in_header = False
        self._hunk: OpenHunk | None = None
        self._start = 0
        self._path = ""
        self._edited: set[str] = set()
        self._given: set[tuple[object, ...]] = set()
        self._last: Line | None = None
        self._idle: list[Piece] = []
        self._has_pieces = False
        self._left_out: int | None = None

    @property
    def is_open(self) -> bool:
        return self._hunk is not None or self._section is not None

    def feed(self, line: Line) -> list[Piece]:
        self._queue.put(line)
        self._last = line
        return self._found(self._run())

    def close(self) -> list[Piece]:
        self._check_end()
        self._queue.close()
        pieces = self._found(self._run())
        while self._hunk is not None:
            if self._hunk.close():
                pieces += self._found(self._finish(self._hunk))
            pieces += self._found(self._run())
        pieces += self._found(self._end_section())
        # A diff without any change is an answer too: the edit of one hunk is planned and refused as changing nothing.
        if not self._has_pieces:
            return self._idle[:1]
        if self._left_out is not None:
            raise wrong(
                self._left_out, "this is a marker of another format", "lines with signs, or the end of the fence"
            )
        self.notes += [Note(piece.lines[0], "a hunk that changes nothing", piece.lines) for piece in self._idle]
        return pieces

    def _check_end(self) -> None:
        """A reply that stops inside a line, or in its fence, before the rows that a hunk counts is cut off."""
        hunk, last = self._hunk, self._last
        if hunk is None or hunk.header.counts is None or last is None or not hunk.taken.rows:
            return
        is_cut = not last.ending or self._wrapping.fence is not None
        old, new = (sum(row.sign != sign for row in hunk.taken.rows) for sign in ("+", "-"))
        # Models count badly, so counts alone prove nothing; with a last line that breaks off they do.
        if is_cut and old >= hunk.header.counts[0] and new < hunk.header.counts[1]:
            raise wrong(last.number, "the reply ends before the lines that the hunk counts", "the rest of the hunk")

    def _found(self, pieces: Iterator[Piece]) -> list[Piece]:
        found = list(pieces)
        self._has_pieces = self._has_pieces or bool(found)
        return found

    def _run(self) -> Iterator[Piece]:
        while (line := self._queue.pop()) is not None:
            if is_combined(line.text):
                raise _combined(line.number)
            if self._hunk is not None:
                yield from self._take_row(self._hunk, line)
            elif self._in_header and self._section is not None:
                yield from self._take_header(self._section, line)
            else:
                yield from self._take_outside(line)

    def _take_outside(self, line: Line) -> Iterator[Piece]:
        text = line.text
        if text.startswith("diff --git "):
            yield from self._begin(Section.of_git(line))
        elif self._begins_file(text):
            section = Section(line.number)
            yield from self._begin(section)
            section.name(line)
        elif (header := hunk_header_in(text)) is not None and self._is_header(header):
            yield from self._open(line, header)
        elif self._offers_row(text):
            self._queue.give_back([line])
            yield from self._open(line, None)
        elif self._around.take(line) in ("open", "close") or self._around.is_foreign or self._around.label:
            yield from self._end_section()

    def _begins_file(self, text: str) -> bool:
        """Whether a line outside of every hunk is the first with a file's name."""
        if not text.startswith(("--- ", "+++ ")):
            return False
        ahead, behind = self._queue.peek() or "", self._queue.peek(1) or ""
        if text.startswith("--- ") and ahead.startswith("+++ "):
            return not self._around.is_foreign or behind.startswith("@@")
        header = hunk_header_in(ahead)
        return header is not None and header.line is not None and not self._around.is_foreign

    def _is_header(self, header: HunkHeader) -> bool:
        """Whether what looks like the header of a hunk is one, outside of every hunk."""
        if self._section is not None or self._around.is_foreign:
            return self._section is not None
        return header.line is not None or (self._queue.peek() or "")[:1] in (" ", "-", "+")

    def _offers_row(self, text: str) -> bool:
        """Whether a line is the first of a hunk without any header, in a fence that is for diffs."""
        if not self._around.offers_rows or not text.strip() or self._wrapping.ends_with(text):
            return False
        return not is_foreign_mark(text) and (text[0] in " -+" or label_in(text) is None)

    def _begin(self, section: Section) -> Iterator[Piece]:
        yield from self._end_section()
        self._around.begin()
        self._around.label = None
        self._section, self._in_header, self._given = section, True, set()

    def _take_header(self, section: Section, line: Line) -> Iterator[Piece]:
        text = line.text
        if not text.strip() or (section.git is not None and not section.has_names and section.take(line)):
            return
        if is_binary(text):
            raise binary(line.number)
        if self._is_name(section, text):
            section.name(line)
        elif (header := hunk_header_in(text)) is not None:
            yield from self._open(line, header)
        elif self._ends_header(section, text):
            yield from self._end_section()
            self._queue.give_back([line])
        else:
            self._queue.give_back([line])
            yield from self._open(line, None)

    def _is_name(self, section: Section, text: str) -> bool:
        if text.startswith("+++ "):
            return section.after is None and (section.before is not None or self._begins_file(text))
        return not section.has_names and self._begins_file(text)

    def _ends_header(self, section: Section, text: str) -> bool:
        """Whether a line below a header that says nothing about its file is no row either."""
        if can_be_no_row(text, self._queue, self._wrapping) or self._begins_file(text):
            return True
        return not section.has_names and (text in ("-- ", "--") or not text.startswith(("-", "+")))

    def _open(self, line: Line, header: HunkHeader | None) -> Iterator[Piece]:
        """A hunk begins at a line: at its header, or where there is none at its first row."""
        section, drop_cr = self._section, line.ending == "\r\n"
        self._in_header = False
        self._start, self._path = line.number, self._around.label or ""
        if section is not None:
            yield from self._opening(section)
            if section.is_over:
                raise wrong(line.number, "a new or deleted file has only one hunk", "the header of another file")
            self._start, self._path = line.number if section.has_rows else section.line, section.path
            drop_cr = drop_cr if header is not None else section.drop_cr
            section.has_rows = True
        self._around.begin()
        self._hunk = OpenHunk(self._queue, self._wrapping, line.number, header, drop_cr=drop_cr)

    def _take_row(self, hunk: OpenHunk, line: Line) -> Iterator[Piece]:
        if self._section is None and not hunk.has_header and is_foreign_mark(line.text):
            self._hunk, self._left_out = None, line.number
        elif hunk.take(line):
            yield from self._finish(hunk)

    def _finish(self, hunk: OpenHunk) -> Iterator[Piece]:
        rows, section, taken = hunk.rows(), self._section, hunk.taken
        self._hunk = None
        self._around.end_rows(is_sure=hunk.is_sure)
        if not changes(rows):
            self._check_idle(hunk)
        if taken.unsigned is not None:
            self.notes.append(Note(taken.unsigned, "a line without a sign"))
        if taken.lost:
            line = min(taken.lost.values())
            self.notes.append(Note(line, "an empty line that the counts of the hunk require"))
        lines = (self._start, max(taken.last, hunk.line))
        if section is not None and section.is_new(hunk.header.counts):
            section.is_over = True
            yield Piece(section.creation(content_of(rows, hunk.line)), lines)
            return
        edit = edit_of(rows, hunk.header.line, taken.lost.keys())
        if edit is not None:
            self._check_once(edit, hunk)
            self._edited.add(self._path)
            yield Piece(EditFile(self._path, (edit,)), lines)
        elif taken.last and (section is not None or hunk.header.line is not None):
            self._idle.append(Piece(EditFile(self._path, (as_it_is(rows, hunk.header.line),)), lines))
        if section is not None and section.is_gone(hunk.header.counts):
            section.is_over = True
            yield Piece(section.removal(), lines)

    def _check_once(self, edit: Replace, hunk: OpenHunk) -> None:
        """A hunk for a line comes once: of the same again nothing says whether it is a slip or meant for elsewhere."""
        key = (self._path, hunk.header.line, edit.target, edit.new)
        if hunk.header.line is not None and key in self._given:
            raise wrong(hunk.line, "the same hunk for the same line again", "a hunk for another line, or none")
        self._given.add(key)

    def _check_idle(self, hunk: OpenHunk) -> None:
        """A hunk may change nothing, but then it has rows, and a header that says so."""
        if not hunk.has_header and self._section is not None:
            raise _no_rows(self._section)
        if hunk.taken.last or hunk.header.counts in (None, (0, 0)):
            return
        if hunk_header_in(self._queue.peek() or "") is None:
            raise wrong(hunk.line, "no lines follow the header of the hunk", _SIGNED)
        self.notes.append(Note(hunk.line, "a hunk without lines"))

    def _opening(self, section: Section) -> Iterator[Piece]:
        for request in section.opening() if not section.is_opened else ():
            if isinstance(request, CopyFile) and request.path in self._edited:
                raise wrong(
                    section.line,
                    f"the copy is made from {request.path} before the change, but its own diff comes first",
                    "the copy before the changes of its source",
                )
            if isinstance(request, ChangeMode):
                self._edited.add(request.path)
            yield Piece(request, (section.line, section.last))

    def _end_section(self) -> Iterator[Piece]:
        section = self._section
        self._section, self._in_header = None, False
        if section is None or section.has_rows:
            return
        if section.has_names:
            raise _no_rows(section)
        yield from self._opening(section)
        for request in section.without_rows():
            yield Piece(request, (section.line, section.last))


def write_unified(changes: Sequence[Change]) -> str:
    """The changes as one diff, as git and patch take it. Refuses with `bad-request` a change without a path."""
    return "".join(_written(change, several=len(changes) > 1) for change in changes)


def _written(change: Change, *, several: bool) -> str:
    if change.path_before is None and change.path_after is None:
        raise bad_request("changes", "a change has no path on either side", "name the file")
    return render_unified(
        change.before or "",
        change.after or "",
        change.path_before,
        change.path_after,
        git=several,
        mode_before=change.mode_before,
        mode_after=change.mode_after,
    )


def _combined(line: int) -> EditError:
    return wrong(
        line,
        "this is the combined diff of a merge",
        "a diff with one file before",
        hint="send the diff against one of the parents, such as git diff HEAD^1",
    )


def _no_rows(section: Section) -> EditError:
    return wrong(section.last, "no hunk follows the names of the file", f"an @@ line, then {_SIGNED}")


DIALECT = Dialect(
    name="unified",
    rank=10,
    summary="Unified diffs, classic and of git: `---`, `+++`, `@@`, and lines with signs.",
    reader=UnifiedReader,
    example=_EXAMPLE,
    aliases=("diff", "udiff", "patch"),
    write=write_unified,
    read_clean=read_clean,
)
