"""What the requests of a diff make of files, in memory: the dullest way to follow them."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import groupby

from steadyhand.dialects.formats.unified import UnifiedReader
from steadyhand.dialects.piece import Note, Piece
from steadyhand.dialects.reply import split_reply
from steadyhand.plan.policy import Policy
from steadyhand.plan.preview import edit
from steadyhand.plan.request import (
    ChangeMode,
    CopyFile,
    CreateFile,
    DeleteFile,
    EditFile,
    FileRequest,
    RenameFile,
)

Files = dict[str, str]


def read(reply: str) -> tuple[list[Piece], list[Note]]:
    """Every piece of a reply, and the notes."""
    reader = UnifiedReader()
    pieces = [piece for line in split_reply(reply) for piece in reader.feed(line)]
    return [*pieces, *reader.close()], reader.notes


def requests(reply: str) -> list[FileRequest]:
    return [piece.request for piece in read(reply)[0]]


def applied(files: Files, reply: str, modes: dict[str, int] | None = None) -> Files:
    """The files after a reply; raises the refusal of an edit."""
    after = dict(files)
    asked = requests(reply)
    for (kind, path), group in groupby(asked, key=lambda request: (type(request), request.path)):
        if kind is EditFile:
            _edit(after, path, [request for request in group if isinstance(request, EditFile)])
            continue
        for request in group:
            _follow(after, request, {} if modes is None else modes)
    return after


def _edit(files: Files, path: str, group: Sequence[EditFile]) -> None:
    edits = [one for request in group for one in request.edits]
    made = edit(files[path], edits, path=path, policy=Policy(guards=frozenset()))
    made.raise_for_error()
    files[path] = made.text


def _follow(files: Files, request: FileRequest, modes: dict[str, int]) -> None:
    match request:
        case CreateFile(path, content, mode):
            assert path not in files
            files[path] = content
            modes.update({} if mode is None else {path: mode})
        case DeleteFile(path, expect):
            assert expect in (None, sha256(files[path].encode()).hexdigest())
            del files[path]
        case RenameFile(path, to):
            assert to not in files
            files[to] = files.pop(path)
        case CopyFile(path, to):
            assert to not in files
            files[to] = files[path]
        case ChangeMode(path, mode):
            assert path in files
            modes[path] = mode
        case _:
            raise AssertionError(request)
