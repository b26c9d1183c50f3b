"""The whole text of a file as `file_path` and `content`, which is how two makers' tools spell it."""

from __future__ import annotations

from steadyhand.session.receipt import Receipt
from steadyhand.tools.call import Call
from steadyhand.tools.shape import Field, Object, Text
from steadyhand.tools.tool import Fields

__all__ = ["WHOLE", "write_whole"]

WHOLE = Object(
    (
        Field("file_path", Text(), "The file.", required=True),
        Field("content", Text(), "All of its text.", required=True),
    )
)


def write_whole(call: Call, fields: Fields) -> Receipt:
    """Write the file a call names, as far as the host's settings let it: unread, and with most of its lines gone."""
    settings = call.settings
    return call.workspace.write(
        call.path(str(fields["file_path"])),
        str(fields["content"]),
        reason=call.workspace.tool,
        overwrite=settings.overwrite,
        allow_shrink=settings.allow_shrink,
    )
