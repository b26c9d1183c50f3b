"""A file of the vault, as its tools name it: of an allowed kind by the name it is called and by the name it has."""

from __future__ import annotations

from steadyhand.schema import HASH, Field, Text
from steadyhand.text.source import Source
from steadyhand.tools.call import Call

__all__ = ["EXPECTED", "FILE", "file_source"]

FILE = Field("filePath", Text(), "The file, from the vault's root.", required=True)
EXPECTED = Field("expectedHash", Text(), "fileHash of the version you know; another version is refused.", also=HASH)


def file_source(call: Call, path: str) -> Source:
    """The file's text; nothing of it counts as read yet. Refuses as reading does, and with `not-allowed`."""
    source = call.workspace.source(call.path(path))
    if source.path is not None:  # a link may lead to a file of another kind
        call.check_ending(source.path)
    return source
