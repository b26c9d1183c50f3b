"""Files as a call names them: each once, however it is spelled."""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.errors import EditError
from steadyhand.schema import bad_request
from steadyhand.tools.call import Call

__all__ = ["check_apart", "plain_path"]


def plain_path(path: str) -> str:
    """A path without what does not change where it leads.

    >>> plain_path("./a//b.html")
    'a/b.html'
    """
    return "/".join(part for part in path.split("/") if part not in ("", "."))


def check_apart(call: Call, files: Sequence[str], field: str) -> None:
    """Refuse with `bad-request` a call that names a file twice: nothing would say in which order it is meant."""
    first: dict[str, int] = {}
    for index, file in enumerate(files):
        try:
            path = plain_path(call.path(file))
        except EditError:
            continue  # that is reported for the file itself
        if path in first:
            raise bad_request(
                f"{field}[{index}].file",
                f"{file} is named in {field}[{first[path]}] already",
                "put everything that concerns a file into one entry",
            )
        first[path] = index
