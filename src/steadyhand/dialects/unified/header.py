"""The `@@` line above the rows of a hunk, as git writes it and as models do: numbers wrong, cut short, or not there.

Numbers are what the writer believed. Whether they are right is not asked here.
"""

from __future__ import annotations

import re

from steadyhand.lazy import dataclass, lazy_pattern

__all__ = ["HunkHeader", "hunk_header_in", "is_combined"]

_RANGES = lazy_pattern(
    r"@@[ \t]*-(\d{1,9})(?:,[ \t]?(\d{1,9}))?,?(?:[ \t]{1,4}\+(\d{1,9})(?:,[ \t]?(\d{1,9}))?)?(?![\w,.])", re.ASCII
)
_COMBINED = lazy_pattern(r"@@@+ -\d", re.ASCII)


@dataclass(frozen=True, slots=True)
class HunkHeader:
    """What an `@@` line says: where its rows are in the file before, and how many there are on each side.

    `line` and `counts` are None where they are not said; `starts` are the rows (from 0) on both sides.
    """

    line: int | None = None
    counts: tuple[int, int] | None = None
    starts: tuple[int, int] | None = None

    def is_followed_by(self, other: HunkHeader) -> bool:
        """Whether another is behind this one in the same file, by the numbers of both."""
        if self.counts is None or self.starts is None or other.starts is None:
            return False
        end, end_after = self.starts[0] + self.counts[0], self.starts[1] + self.counts[1]
        return other.starts[0] >= end and other.starts[1] - other.starts[0] == end_after - end


def hunk_header_in(text: str) -> HunkHeader | None:
    """The header that a line is; text behind the marks says nothing.

    >>> hunk_header_in("@@ -3,2 +3,4 @@ def f():")
    HunkHeader(line=3, counts=(2, 4), starts=(2, 2))
    >>> hunk_header_in("@@ def f():"), hunk_header_in("@@count += 1")
    (HunkHeader(line=None, counts=None, starts=None), None)
    """
    if not text.startswith("@@") or text[2:3] not in ("", " ", "\t", "-"):
        return None
    found = _RANGES.match(text)
    if found is None:
        return HunkHeader()
    before, before_count, after, after_count = (None if part is None else int(part) for part in found.groups())
    assert before is not None
    counts = (1 if before_count is None else before_count, 1 if after_count is None else after_count)
    row = before - (counts[0] > 0)  # an empty range is named by the line before it
    if after is None:
        return HunkHeader(max(row, 0) + 1)
    return HunkHeader(max(row, 0) + 1, counts, (row, after - (counts[1] > 0)))


def is_combined(text: str) -> bool:
    """Whether a line belongs to a diff with several files before, as git shows a merge."""
    return text[:1] in ("@", "d") and (
        _COMBINED.match(text) is not None or text.startswith(("diff --cc ", "diff --combined "))
    )
