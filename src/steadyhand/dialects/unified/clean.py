"""A whole reply that is nothing but a diff as git and diff print it, read in one go.

Every line must be the part of a diff that it looks like: names, hunks with their numbers, as many signed rows as the
numbers say. Anything else gives None and is left to `UnifiedReader`, which gives the same for what is read here, only
slower: it asks of each line what else it may be. Files that come, go, move or change their mode, lines without a
newline and carriage returns are left to it as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from steadyhand.dialects.piece import Piece
from steadyhand.dialects.signed import Row, Sign
from steadyhand.dialects.unified.edit import edit_of
from steadyhand.dialects.unified.header import hunk_header_in
from steadyhand.dialects.unified.names import name_in, path_of_names
from steadyhand.lazy import lazy_pattern
from steadyhand.plan.request import EditFile
from steadyhand.text.cancel import check_each

__all__ = ["read_clean"]

_MARKS = ("<<<<<", ">>>>>", "=====", "*** ", "```", "~~~")  # of other formats: all readers must be asked
_MARK = lazy_pattern(rf"^[-+ ]?[ \t]*(?:{'|'.join(map(re.escape, _MARKS))})", re.M)
_HUNK = lazy_pattern(r"@@ -\d{1,9}(?:,\d{1,9})? \+\d{1,9}(?:,\d{1,9})? @@(?: |\Z)", re.ASCII)
_GIT = lazy_pattern(r"diff --git a/(\S+) b/\1")
_INDEX = lazy_pattern(r"index [0-9a-f]{7,40}\.\.[0-9a-f]{7,40}(?: 100\d{3})?", re.ASCII)
_SIGNS: dict[str, Sign] = {" ": " ", "-": "-", "+": "+"}


def read_clean(reply: str) -> list[Piece] | None:
    """The pieces of a reply that is a diff from its first line to its last; None for any other.

    >>> len(read_clean("--- a/x\\n+++ b/x\\n@@ -1 +1 @@\\n-a\\n+b\\n") or ())
    1
    >>> read_clean("Here it is:\\n--- a/x\\n+++ b/x\\n@@ -1 +1 @@\\n-a\\n+b\\n") is None
    True
    """
    if not reply.startswith(("diff --git ", "--- ")) or not reply.endswith("\n") or "\r" in reply:
        return None
    if any(mark in reply for mark in _MARKS) and _MARK.search(reply) is not None:
        return None
    lines = reply.split("\n")[:-1]
    headers = [index for index, line in enumerate(lines) if line.startswith("@@ -")]
    if not headers:
        return None
    pieces: list[Piece] = []
    path, end = "", 0
    for header, following in check_each(zip(headers, [*headers[1:], len(lines)], strict=True)):
        start = end  # where what belongs to the hunk begins
        path = path if start == header else _path_in(lines[start:header])
        piece, end = _hunk(lines, path, header, following) if path else (None, end)
        if piece is None:
            return None
        pieces.append(Piece(piece, (start + 1, end - _blank_at_end(lines[header + 1 : end]))))
    is_whole = end == len(lines) and len({piece.request for piece in pieces}) == len(pieces)
    return pieces if is_whole else None


def _path_in(lines: Sequence[str]) -> str:
    """The file that the lines above a hunk name; empty where they say anything else."""
    names = list(lines)
    git = _GIT.fullmatch(names[0])
    if git is not None:
        names = names[2:] if len(names) > 1 and _INDEX.fullmatch(names[1]) is not None else names[1:]
    if len(names) != 2 or not names[0].startswith("--- ") or not names[1].startswith("+++ "):
        return ""
    before, after = name_in(names[0][4:]), name_in(names[1][4:])
    for name, line in ((before, names[0]), (after, names[1])):
        if name is None or name.is_absent or name.path != line[4:]:
            return ""
    return path_of_names(before, after)


def _hunk(lines: Sequence[str], path: str, at: int, following: int) -> tuple[EditFile | None, int]:
    """What the hunk asks for whose header is at a line, and the line behind it; the next header is `following`."""
    header = hunk_header_in(lines[at]) if _HUNK.match(lines[at]) is not None else None
    if header is None or header.counts is None:
        return None, at
    before, after = header.counts
    rows: list[Row] = []
    for end in range(at + 1, following + 1):
        if not before and not after:
            edit = edit_of(rows, header.line)
            return None if edit is None else EditFile(path, (edit,)), end
        text = lines[end] if end < following else ""
        sign = _SIGNS.get(text[:1])
        if sign is None or text.startswith(("--- ", "+++ ")) or text in ("-- ", "--"):
            break
        before -= sign != "+"
        after -= sign != "-"
        if before < 0 or after < 0:
            break
        rows.append(Row(sign, text[1:] + "\n"))
    return None, at


def _blank_at_end(rows: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(str.isspace, reversed(rows)))
