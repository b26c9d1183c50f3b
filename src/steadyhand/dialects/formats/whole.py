"""Whole files: each in a fence under its name, or between tags with its path.

A fence without a name is a file only if the reply has no other: several may well be there to show something. Whether
the text is all of a file that exists, or a part of it, is not known here; it is brought into the file as a snippet is.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.dialects.dialect import Change, Dialect
from steadyhand.dialects.fenced import FencedReader
from steadyhand.dialects.fences import Fence
from steadyhand.dialects.labels import label_in
from steadyhand.dialects.piece import Piece
from steadyhand.errors import EditError
from steadyhand.plan.request import MergeFile
from steadyhand.schema import bad_request

__all__ = ["DIALECT", "WholeReader", "write_whole"]

_EXAMPLE = """src/app.py
```python
def greet(name):
    return f"Hello {name}"
```
"""
_SHORTEST = 3


class WholeReader(FencedReader):
    """Reads a reply with whole files in it."""

    def pieces(self, fences: Sequence[Fence]) -> list[Piece]:
        """A piece for each fence with a name, or for the only fence there is."""
        every = fences
        fences = [fence.named_inside() for fence in every if not fence.only_shows]
        named = [(fence.label, fence) for fence in fences if fence.label is not None]
        if not named and len(every) == len(fences) == 1:
            named = [(fences[0].mention or "", fences[0])]
        return [_piece(path, fence) for path, fence in named]


def _piece(path: str, fence: Fence) -> Piece:
    fence.check_closed("whole")
    return Piece(MergeFile(path, fence.text), fence.lines)


def write_whole(changes: Sequence[Change]) -> str:
    """Each file after its change, whole. Refuses with `bad-request` what is more or less than that.

    >>> print(write_whole([Change("a.txt", "a.txt", "one\\n", "two\\n")]), end="")
    a.txt
    ```
    two
    ```
    """
    return "\n".join(map(_written, changes))


def _written(change: Change) -> str:
    path, text = change.path_after, change.after
    if path is None or text is None:
        raise _cannot(change.path_before or "", "a file cannot be deleted")
    if change.path_before not in (None, path):
        raise _cannot(path, "a file cannot be renamed")
    if change.mode_after is not None and change.mode_after != (change.mode_before or 0o644):
        raise _cannot(path, "permissions cannot be set")
    if text and not text.endswith("\n"):
        raise _cannot(path, "its last line has no ending, and a fence always ends its lines")
    fence = "`" * max(_SHORTEST, _longest_run(text) + 1)
    return f"{_label(path)}\n{fence}\n{text}{fence}\n"


def _longest_run(text: str) -> int:
    """The length of the longest run of backticks."""
    longest = size = 0
    for char in text:
        size = size + 1 if char == "`" else 0
        longest = max(longest, size)
    return longest


def _label(path: str) -> str:
    for line in (path, f"`{path}`", f"File: `{path}`"):
        if label_in(line) == path:
            return line
    raise _cannot(path, "its name would not be recognised as a file name")


def _cannot(path: str, what: str) -> EditError:
    return bad_request("changes", f"{path}: {what} in whole files", "write a unified diff")


DIALECT = Dialect(
    name="whole",
    rank=70,
    summary="The whole new text of each file in a fence under its name.",
    reader=WholeReader,
    example=_EXAMPLE,
    is_marked=False,
    is_whole_if_asked=True,
    aliases=("whole-file", "file"),
    write=write_whole,
)
