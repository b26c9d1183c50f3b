"""A patch as it was read from a reply: its dialect, the requests in it, and what was left out. Pure data.

Paths are as the reply has them. Nothing here knows which files exist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from steadyhand.dialects.dialect import Dialect
from steadyhand.dialects.piece import Note, Piece
from steadyhand.errors import EditError, Kind
from steadyhand.hints import SendExample
from steadyhand.lazy import dataclass, replace
from steadyhand.plan.request import (
    CopyFile,
    CreateFile,
    DeleteFile,
    EditFile,
    FileRequest,
    MergeFile,
    MoveText,
    RenameFile,
    WriteFile,
)

__all__ = ["Patch", "paths_of", "renamed"]


Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Patch:
    """What a reply asks for; edits of one file that follow each other are one request.

    `places[i]` says where in the reply request i is: first and last line of each of its edits, or of the request.
    """

    dialect: Dialect
    files: tuple[FileRequest, ...]
    notes: tuple[Note, ...] = ()
    places: tuple[tuple[Place, ...], ...] = ()

    @classmethod
    def of(cls, dialect: Dialect, pieces: Sequence[Piece], notes: Sequence[Note]) -> Patch:
        return cls(dialect, (), tuple(notes))._with((piece.request, _places(piece)) for piece in pieces)

    def beside(self, shown: Sequence[Piece]) -> Patch:
        """The patch with the whole files that the reply shows beside it, as what its edits must give."""
        texts = {piece.request.path: piece.request for piece in shown}
        notes = [Note(piece.lines[0], "a whole file in addition to the patch, with the same result") for piece in shown]
        files = list(self.files)
        for at in reversed(range(len(files))):  # the last edits of a file give what is shown
            request, whole = files[at], texts.pop(files[at].path, None)
            if isinstance(request, EditFile) and isinstance(whole, MergeFile):
                files[at] = replace(request, shown=whole.snippet)
        return replace(self, files=tuple(files), notes=(*self.notes, *notes))

    def place_of(self, path: str, index: int | None) -> Place | None:
        """Where in the reply the edit of that index in a file is, or what it asks of the file as a whole."""
        for request, places in zip(self.files, self.places, strict=True):
            if path in paths_of([request]) and (index or 0) < len(places):
                return places[index or 0]
        return None

    @property
    def format(self) -> str:
        return self.dialect.name

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was left out, in words."""
        return tuple(f"line {note.line} of the reply: {note.what}" for note in self.notes)

    def strictly(self) -> Patch:
        """The patch itself. Refuses with `malformed-patch` if anything had to be left out to read it."""
        if not self.notes:
            return self
        note = self.notes[0]
        raise EditError(
            Kind.MALFORMED_PATCH,
            f"line {note.line}, column 1 of the reply: {note.what}",
            hint=SendExample("send the patch and nothing else", self.dialect.example),
            details={
                "line": note.line,
                "column": 1,
                "expected": "the patch and nothing else",
                "format": self.format,
                "example": self.dialect.example,
            },
        )

    def mapped(self, name: Callable[[str], str]) -> Patch:
        """The patch with every path put through a function."""
        return self._with((renamed(request, name), places) for request, places in self._parts())

    def overwriting(self, exists: Callable[[str], bool]) -> Patch:
        """The patch with leave to take the place of files that exist on disk, or that it has made itself by then."""
        there: dict[str, bool] = {}

        def is_there(path: str) -> bool:
            return there[path] if path in there else exists(path)

        parts: list[_Part] = []
        for request, places in self._parts():
            for step in _overwriting(request, is_there):
                parts.append((step, places))
                there |= _left(step)
        return self._with(parts)

    def as_whole_files(self) -> Patch:
        """The patch with every snippet taken for the whole of its file."""
        files = (
            WriteFile(one.path, one.snippet, one.expect) if isinstance(one, MergeFile) else one for one in self.files
        )
        return replace(self, files=tuple(files))

    def _parts(self) -> Iterator[_Part]:
        return zip(self.files, self.places, strict=True)

    def _with(self, parts: Iterable[_Part]) -> Patch:
        joined = list(_joined(parts))
        files, places = tuple(request for request, _ in joined), tuple(places for _, places in joined)
        return replace(self, files=files, places=places)


def paths_of(files: Sequence[FileRequest]) -> tuple[str, ...]:
    """Every path the requests name, in order, without repetition."""
    found: dict[str, None] = {}
    for request in files:
        found[request.path] = None
        if isinstance(request, RenameFile | CopyFile | MoveText):
            found[request.to] = None
    return tuple(found)


def renamed(request: FileRequest, name: Callable[[str], str]) -> FileRequest:
    """A request with its paths put through a function."""
    if isinstance(request, RenameFile | CopyFile | MoveText):
        return replace(request, path=name(request.path), to=name(request.to))
    return replace(request, path=name(request.path))


_Part = tuple[FileRequest, tuple[Place, ...]]


def _places(piece: Piece) -> tuple[Place, ...]:
    request = piece.request
    return (piece.lines,) * (len(request.edits) if isinstance(request, EditFile) else 1)


def _joined(parts: Iterable[_Part]) -> Iterator[_Part]:
    """Requests in order, runs of edits of one file put together."""
    run: list[tuple[EditFile, tuple[Place, ...]]] = []
    for request, places in parts:
        if run and not (isinstance(request, EditFile) and request.path == run[0][0].path):
            yield _one(run)
            run = []
        if isinstance(request, EditFile):
            run.append((request, places))
        else:
            yield request, places
    if run:
        yield _one(run)


def _one(run: Sequence[tuple[EditFile, tuple[Place, ...]]]) -> _Part:
    expect = next((request.expect for request, _ in run if request.expect is not None), None)
    shown = next((request.shown for request, _ in run if request.shown is not None), None)
    edits = tuple(edit for request, _ in run for edit in request.edits)
    return EditFile(run[0][0].path, edits, expect, shown), tuple(place for _, places in run for place in places)


def _left(request: FileRequest) -> dict[str, bool]:
    """Which files are there, and which are not, after a request."""
    match request:
        case DeleteFile():
            return {request.path: False}
        case RenameFile():
            return {request.path: False, request.to: True}
        case CopyFile():
            return {request.to: True}
        case MoveText():
            return {request.path: True, request.to: True}
        case _:
            return {request.path: True}


def _overwriting(request: FileRequest, exists: Callable[[str], bool]) -> Iterator[FileRequest]:
    match request:
        case CreateFile() if exists(request.path):
            yield WriteFile(request.path, request.content, allow_shrink=True)
        case RenameFile() | CopyFile() if exists(request.to) and request.to != request.path:
            yield DeleteFile(request.to)
            yield request
        case _:
            yield request
