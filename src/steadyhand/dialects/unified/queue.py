"""Lines that wait to be read as part of a diff: some need a look at those behind them, some are read twice.

A line waits only for as many others as its own first characters call for.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from steadyhand.dialects.reply import Line
from steadyhand.dialects.unified.wrapper import Wrapping

__all__ = ["LineQueue"]


class LineQueue:
    """Lines in, lines out, in order; what is given back comes out first."""

    def __init__(self, wrapping: Wrapping) -> None:
        self._wrapping = wrapping
        self._new: deque[Line] = deque()
        self._again: deque[Line] = deque()
        self._is_closed = False

    def put(self, line: Line) -> None:
        self._new.append(line)

    def close(self) -> None:
        """No line comes any more: nothing waits any longer."""
        self._is_closed = True

    def give_back(self, lines: Sequence[Line]) -> None:
        self._again.extendleft(reversed(lines))

    def pop(self) -> Line | None:
        """The next line, if there is one and enough is known of those behind it."""
        if not self._again and not self._new:
            return None
        lines = self._again or self._new
        first = lines[0] if lines is self._again else self._wrapping.without_indent(lines[0])
        if not self._is_closed and len(self._again) + len(self._new) <= _looks_ahead(first.text):
            return None
        lines.popleft()
        return first

    def peek(self, index: int = 0) -> str | None:
        """The text of a line behind the one that came out last; None behind the end."""
        if index < len(self._again):
            return self._again[index].text
        index -= len(self._again)
        return self._wrapping.without_indent(self._new[index]).text if index < len(self._new) else None


def _looks_ahead(text: str) -> int:
    """How many lines behind a line say what it is."""
    if text[:1] not in ("-", "+", "@", "d", "I"):
        return 0
    if text.startswith("--- "):
        return 2
    if text.startswith(("@@ -", "diff --git ")):
        return 0
    return 1 if text.startswith(("+++ ", "@@", "diff -", "Index: ")) or text in ("--", "-- ") else 0
