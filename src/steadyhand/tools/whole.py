"""The whole text of a file as `file_path` and `content`, which is how two makers' tools spell it."""

from __future__ import annotations

from steadyhand.schema import Field, Object, Text
from steadyhand.session.receipt import Receipt
from steadyhand.tools.call import Call
from steadyhand.tools.tool import Example, Fields
from steadyhand.tools.writing import write_under_settings

__all__ = ["UNREAD", "WHOLE", "write_whole"]

WHOLE = Object(
    (
        Field("file_path", Text(), "The file.", required=True),
        Field("content", Text(), "All of its text.", required=True),
    )
)
UNREAD = Example(
    about="A file that nobody has read",
    files={"a.md": "# A\n"},
    arguments={"file_path": "a.md", "content": "# B\n"},
    result={"is_error": True, "kind": "stale-source"},
)


def write_whole(call: Call, fields: Fields) -> Receipt:
    """Write the file a call names, as far as the host's settings let it."""
    return write_under_settings(
        call, call.path(str(fields["file_path"])), str(fields["content"]), reason=call.workspace.tool
    )
