"""A file of the vault, as its tools name it: of an allowed kind by the name it is called and by the name it has."""

from __future__ import annotations

from steadyhand.errors import EditError
from steadyhand.session.checks import digest_of_version
from steadyhand.structure.fields import bad_request
from steadyhand.text.source import Source
from steadyhand.tools.call import Call
from steadyhand.tools.shape import HASH, Field, Text
from steadyhand.tools.tool import Fields

__all__ = ["EXPECTED", "FILE", "expected_version", "file_source"]

FILE = Field("filePath", Text(), "The file, from the vault's root.", required=True)
EXPECTED = Field("expectedHash", Text(), "fileHash of the version you know; another version is refused.", also=HASH)


def file_source(call: Call, path: str) -> Source:
    """The file's text; nothing of it counts as read yet. Refuses as reading does, and with `not-allowed`."""
    source = call.workspace.source(call.path(path))
    if source.path is not None:  # a link may lead to a file of another kind
        call.check_ending(source.path)
    return source


def expected_version(fields: Fields) -> str | None:
    """The version that a call speaks of; None where it says none. Refuses with `bad-request`."""
    given = fields.get("expectedHash")
    if given is None:
        return None
    try:
        return digest_of_version(str(given))
    except EditError as error:
        raise bad_request(
            "expectedHash", "it is no fileHash", "send the fileHash of the last answer, or none"
        ) from error
