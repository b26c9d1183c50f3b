"""V4A: OpenAI's `*** Begin Patch` envelope, and the body of its `apply_patch` operations, which has no envelope.

A hunk is placed by what it quotes and by the `@@` lines above it. Numbers behind `@@`, which this format does not
have, are left out: a text that occurs twice stays ambiguous. An unsigned line of a hunk is kept as such; only the file
shows whether its sign was lost. A line with a blank in front is a row inside a hunk, even where it spells a mark.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from steadyhand.dialects.dialect import Dialect, Reader
from steadyhand.dialects.piece import Note, Piece
from steadyhand.dialects.reply import Line, split_reply
from steadyhand.dialects.signed import Row
from steadyhand.dialects.v4a.around import Around
from steadyhand.dialects.v4a.marks import MARKS, Mark, anchor_in, is_unknown_mark, mark_in
from steadyhand.dialects.v4a.passage import Passage, content_of, wrong
from steadyhand.dialects.v4a.render import write_v4a
from steadyhand.dialects.v4a.rows import edit_of_passage, is_addition, without_edges
from steadyhand.lazy import dataclass, field, replace
from steadyhand.plan.edit import Edit, Old, Replace
from steadyhand.plan.request import CreateFile, DeleteFile, EditFile, FileRequest, RenameFile

__all__ = ["DIALECT", "V4aReader", "read_bare"]

_EXAMPLE = """*** Begin Patch
*** Update File: src/app.py
@@ def greet(name):
-    return "Hello " + name
+    return f"Hello {name}"
*** End Patch
"""
_FILES = ("add", "update", "delete")
_FILE_MARK = "*** Update File:, *** Add File: or *** Delete File:"


@dataclass(frozen=True, slots=True)
class _Added:
    """Lines to add right behind a header, and the lines of the reply that say so."""

    headers: tuple[str, ...]
    rows: Sequence[Row]
    lines: tuple[int, int]


@dataclass(slots=True)
class _Section:
    """What is said of one file. `path` is the one its hunks go to, `asks` how much was asked so far.

    `added` is the last hunk where that only adds lines: the next may add more under the same header, and comes after.
    """

    kind: Literal["add", "update", "delete"]
    path: str
    mark: Line
    drop_cr: bool
    hunk: Passage | None = None
    asks: int = 0
    lines: list[Line] = field(default_factory=list)
    has_signs: bool = False
    added: _Added | None = None

    @property
    def takes_indented(self) -> bool:
        """Whether a line with a blank in front would be one of its rows."""
        return self.hunk is not None if self.kind == "update" else bool(self.lines) and not self.has_signs


class V4aReader(Reader):
    """Reads a reply with one or more V4A patches in it."""

    def __init__(self) -> None:
        super().__init__()
        self._is_open = False
        self._is_bare = False
        self._opening = Line(1, "")
        self._section: _Section | None = None
        self._around = Around()
        self._idle: list[Piece] = []
        self._has_given = False

    @property
    def is_open(self) -> bool:
        return self._is_open or self._section is not None

    def feed(self, line: Line) -> Iterable[Piece]:
        """The pieces this line completes."""
        return self._inside(self._around.outdented(line)) if self._is_open else self._outside(line)

    def close(self) -> Iterable[Piece]:
        """The pieces that the end of the reply completes; an edit that changes nothing only if there is no other."""
        if self._is_open and self._is_cut_off():
            raise wrong(
                self._opening.number,
                "the reply ends inside the patch, and what is around it is not closed",
                "*** End Patch",
                hint="send the whole patch, with *** End Patch as its last line",
            )
        pieces = self._end(is_cut=not self._is_bare) if self._is_open else []
        if self._has_given:
            self.notes.extend(self._around.notes())
        kept = 0 if self._has_given else 1
        self.notes.extend(
            Note(piece.lines[0], "a part that changes nothing", piece.lines) for piece in self._idle[kept:]
        )
        return [*pieces, *self._idle[:kept]]

    def _is_cut_off(self) -> bool:
        """Whether a patch without its mark is in a fence or a shell call that does not end either.

        Many leave the mark out, and some the fence; a writer who was not interrupted leaves one of them.
        """
        wrapping, section = self._around.wrapping, self._section
        if section is None or not (wrapping.is_fenced or wrapping.word):
            return False
        lines = section.lines if section.hunk is None else section.hunk.lines
        return not any(map(wrapping.is_closed_by, lines))

    def open_bare(self, path: str, kind: Literal["add", "update"], first: Line) -> None:
        """Read what follows as the body of one file's section."""
        drop_cr = first.ending == "\r\n" and anchor_in(first.text) is not None
        self._is_open = self._is_bare = True
        self._section = _Section(kind, path, first, drop_cr)

    def _outside(self, line: Line) -> list[Piece]:
        mark = mark_in(line.text)
        if mark is not None and mark.name == "begin":
            self._open(line)
        elif mark is not None and mark.name in _FILES and line.text.startswith("*"):
            if mark.name == "delete":
                raise wrong(line.number, "a file is deleted outside of a patch", "*** Begin Patch")
            self.notes.append(Note(line.number, "a patch without *** Begin Patch"))
            self._open(line)
            return self._inside(line)
        elif mark is None and line.text.strip():
            self._around.see(line)
        return []

    def _open(self, line: Line) -> None:
        self.notes.extend(self._around.begin(line))
        self._is_open, self._section, self._opening = True, None, line

    def _inside(self, line: Line) -> list[Piece]:
        mark, section = mark_in(line.text), self._section
        if mark is not None and not (line.text[:1].isspace() and section is not None and section.takes_indented):
            return self._on_mark(mark, line)
        if is_unknown_mark(line.text):
            raise wrong(line.number, f"{line.text.strip()[:60]!r} is not a marker of this format", MARKS)
        if section is None or section.kind == "delete":
            self._between(line, section)
        elif section.kind == "add":
            section.has_signs |= line.text.startswith("+")
            if section.lines or line.text.strip():
                section.lines.append(line)
        else:
            return self._on_row(section, line)
        return []

    def _between(self, line: Line, section: _Section | None) -> None:
        """A line where no row can be: before the first file, or behind one that is deleted."""
        if self._around.wrapping.is_closed_by(line):
            self.notes.append(Note(line.number, "a code fence or the end of a shell call inside the patch"))
            self._is_open = section is None
        elif line.text.strip():
            what = "after a deleted file" if section is not None else "before the first file of the patch"
            raise wrong(line.number, f"a line {what}", _FILE_MARK)

    def _on_row(self, section: _Section, line: Line) -> list[Piece]:
        anchor = anchor_in(line.text)
        if anchor is not None:
            pieces = self._end_hunk(section) if section.hunk is not None and section.hunk.is_begun else []
            if section.hunk is None:
                section.hunk = Passage(line.number)
            section.hunk.take(anchor, line.number)
            return pieces
        if section.hunk is None and line.text.strip():
            section.hunk = Passage(line.number)
        if section.hunk is not None:
            section.hunk.lines.append(line)
        return []

    def _on_mark(self, mark: Mark, line: Line) -> list[Piece]:
        match mark.name:
            case "begin":
                pieces = self._end(is_cut=True) if self._section is not None else []
                self._open(line)
                return pieces
            case "end":
                return self._end(is_cut=False)
            case "end-of-file":
                return self._on_end_of_file(line)
            case "move":
                return self._on_move(mark, line)
            case "environment":
                if self._section is not None:
                    raise wrong(line.number, "*** Environment ID: after a file", "it before the first file")
                return []
            case "add" | "update" | "delete":
                return [*self._end_section(is_cut=False), *self._on_file(mark.name, mark.value, line)]

    def _on_file(self, kind: Literal["add", "update", "delete"], path: str, line: Line) -> list[Piece]:
        if not path:
            raise wrong(line.number, "the marker names no file", "a path after the colon", column=len(line.text) + 1)
        self._section = _Section(kind, path, line, line.ending == "\r\n")
        return [self._piece(DeleteFile(path), line.number, line.number)] if kind == "delete" else []

    def _on_move(self, mark: Mark, line: Line) -> list[Piece]:
        section = self._section
        if section is None or section.kind != "update" or section.asks or section.hunk is not None:
            raise wrong(line.number, "*** Move to: belongs right after *** Update File:", MARKS)
        if not mark.value:
            raise wrong(line.number, "the marker names no file", "a path after the colon", column=len(line.text) + 1)
        if mark.value == section.path:
            self.notes.append(Note(line.number, "a move to the same path"))
            return []
        piece = self._piece(RenameFile(section.path, mark.value), section.mark.number, line.number)
        section.path, section.asks = mark.value, 1
        return [piece]

    def _on_end_of_file(self, line: Line) -> list[Piece]:
        section = self._section
        if section is not None and section.kind == "add" and section.lines:
            return []
        if section is None or section.kind != "update" or section.hunk is None or not section.hunk.is_begun:
            raise wrong(line.number, "*** End of File without lines before it", "the last lines of the file")
        return self._end_hunk(section, at_end=True)

    def _end(self, *, is_cut: bool) -> list[Piece]:
        """The patch is over; `is_cut`: without its mark."""
        if self._section is None:
            raise wrong(self._opening.number, "a patch without any file", _FILE_MARK)
        if is_cut:
            self.notes.append(Note(self._opening.number, "a patch without *** End Patch"))
            self._around.break_off()
        pieces = self._end_section(is_cut=is_cut)
        self._is_open, self._section = False, None
        return pieces

    def _end_section(self, *, is_cut: bool) -> list[Piece]:
        section = self._section
        if section is None or section.kind == "delete":
            return []
        if section.kind == "add":
            return self._end_added(section, is_cut=is_cut)
        pieces = [*self._end_hunk(section, is_cut=is_cut), *self._given(section)]
        if not section.asks:
            raise wrong(section.mark.number, f"there are no changes for {section.path}", "@@ and lines with a sign")
        return pieces

    def _end_added(self, section: _Section, *, is_cut: bool) -> list[Piece]:
        last = section.lines[-1].number if section.lines else section.mark.number
        if self._is_bare and not section.lines:
            text = ""  # the call says that there is to be a file
        else:
            lines, drop_cr = section.lines, section.drop_cr
            text = content_of(
                lines, self._around.wrapping, self.notes, mark=section.mark, drop_cr=drop_cr, is_cut=is_cut
            )
        return [self._piece(CreateFile(section.path, text), section.mark.number, last)]

    def _end_hunk(self, section: _Section, *, at_end: bool = False, is_cut: bool = False) -> list[Piece]:
        hunk, section.hunk = section.hunk, None
        if hunk is None:
            return []
        rows = hunk.rows(self._around.wrapping, self.notes, drop_cr=section.drop_cr, is_cut=is_cut, at_end=at_end)
        if not rows:
            self.notes.append(Note(hunk.start, "an @@ without lines"))
            return []
        section.asks += 1
        headers = tuple(hunk.headers)
        start, end = hunk.start if section.asks > 1 else section.mark.number, hunk.lines[-1].number
        if headers and is_addition(rows) and not at_end:
            rows, before = without_edges(rows), section.added
            if before is not None and before.headers == headers:
                section.added = _Added(headers, [*before.rows, *rows], (before.lines[0], end))
                return []
            pieces = self._given(section)
            section.added = _Added(headers, rows, (start, end))
            return pieces
        pieces = self._given(section)
        edit = edit_of_passage(rows, under=headers, at_end=at_end)
        request = EditFile(section.path, (edit,))
        if _is_idle(edit):
            self._idle.append(Piece(request, (start, end)))
            return pieces
        return [*pieces, self._piece(request, start, end)]

    def _given(self, section: _Section) -> list[Piece]:
        """The addition that was held back, now that no other under its header follows it."""
        added, section.added = section.added, None
        if added is None:
            return []
        return [self._piece(EditFile(section.path, (edit_of_passage(added.rows, under=added.headers),)), *added.lines)]

    def _piece(self, request: FileRequest, start: int, end: int) -> Piece:
        self._has_given = True
        return Piece(request, (start, end))


def read_bare(diff: str, *, path: str, create: bool) -> tuple[Piece, ...]:
    """The body of an `apply_patch` operation on one file: `create_file` where `create`, else `update_file`.

    An envelope around it is tolerated if it is about the same file and does the same. Refuses with `malformed-patch`.

    >>> read_bare("+a\\n+b", path="x.txt", create=True)[0].request.content
    'a\\nb\\n'
    """
    lines = split_reply(diff)
    reader = V4aReader()
    if not any(_is_outer(line) for line in lines):
        reader.open_bare(path, "add" if create else "update", lines[0] if lines else Line(1, ""))
    pieces = [piece for line in lines for piece in reader.feed(line)]
    return tuple(_for_path(piece, path, create=create) for piece in [*pieces, *reader.close()])


def _is_outer(line: Line) -> bool:
    mark = mark_in(line.text) if line.text.startswith("*") else None
    return mark is not None and mark.name in ("begin", *_FILES)


def _for_path(piece: Piece, path: str, *, create: bool) -> Piece:
    request = piece.request
    if not isinstance(request, CreateFile if create else EditFile):
        does = "creates" if create else "updates"
        raise wrong(piece.lines[0], "the patch does not do what the call says", f"a patch that {does} {path}")
    if request.path.removeprefix("./") != path.removeprefix("./"):
        raise wrong(piece.lines[0], f"the patch is for {request.path}", f"a patch of {path}")
    return replace(piece, request=replace(request, path=path))


def _is_idle(edit: Edit) -> bool:
    return isinstance(edit, Replace) and isinstance(edit.target, Old) and edit.target.text == edit.new


DIALECT = Dialect(
    name="v4a",
    rank=20,
    summary="The `*** Begin Patch` envelope of OpenAI's apply_patch.",
    reader=V4aReader,
    example=_EXAMPLE,
    aliases=("apply_patch", "codex"),
    write=write_v4a,
)
