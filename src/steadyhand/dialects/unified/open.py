"""A hunk while it is being read, line by line, until it is known where it ends.

It is read by the counts of its header first; where they turn out wrong, its lines are read again, with every empty line
as one that comes, and then without the counts. Each line is read three times at most: the counts cannot reach beyond
the next header.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from steadyhand.dialects.reply import Line
from steadyhand.dialects.signed import Row
from steadyhand.dialects.unified.header import HunkHeader, hunk_header_in
from steadyhand.dialects.unified.lines import Counted, Loose, Taken
from steadyhand.dialects.unified.names import is_one_file, name_in
from steadyhand.dialects.unified.queue import LineQueue
from steadyhand.dialects.unified.section import wrong
from steadyhand.dialects.unified.wrapper import Wrapping, begins_mail, is_v4a_mark
from steadyhand.lazy import lazy_pattern

__all__ = ["OpenHunk", "can_be_no_row"]

_VERSION = lazy_pattern(r"\d+\.\d+\S*(?: \(.*\))?\s*", re.ASCII)
_SIGNS = (" ", "-", "+")


class OpenHunk:
    """One hunk; `line` is where it begins in the reply. `is_sure`: its counts agree with its lines."""

    def __init__(
        self, queue: LineQueue, wrapping: Wrapping, line: int, header: HunkHeader | None, *, drop_cr: bool
    ) -> None:
        self.line = line
        self.has_header = header is not None
        self.header = header or HunkHeader()
        self.is_sure = False
        self._queue = queue
        self._wrapping = wrapping
        self._loose = Loose(drop_cr=drop_cr)
        self._counted: Counted | None = None
        self._other: Counted | None = None  # the lines once more, if the counts turn out wrong at first
        if (counts := self.header.counts) is not None:
            in_fence = wrapping.fence is not None
            self._counted = Counted(counts, drop_cr=drop_cr, in_fence=in_fence)
            self._other = Counted(counts, drop_cr=drop_cr, in_fence=in_fence, empty_comes=True)

    def take(self, line: Line) -> bool:
        """Take a line, or give it back to the queue with others: then the hunk is over."""
        if self._counted is None:
            return self._take_loosely(line)
        counted, text = self._counted, line.text
        stops = text[:1] not in _SIGNS and can_be_no_row(text, self._queue, self._wrapping)
        stops = stops or (counted.is_full and self._is_next(text, is_full=True))
        verdict = counted.take(line, stops=stops)
        if verdict == "more":
            return False
        agrees = verdict == "agrees" and counted.is_certain and not self._has_names_as_rows(counted, text)
        return self._settle(counted, [line], agrees=agrees)

    def close(self) -> bool:
        """No line comes any more. Whether the hunk is over; if not, its lines are to be taken again."""
        if self._counted is None:
            return True
        return self._settle(self._counted, [], agrees=self._counted.is_full and self._counted.is_certain)

    def _settle(self, counted: Counted, behind: list[Line], *, agrees: bool) -> bool:
        """Give back what is not the hunk's; where the counts do not agree, all of it, to be taken in another way."""
        self.is_sure = agrees
        self._queue.give_back([*(counted.rest if agrees else counted.lines), *behind])
        if not agrees:
            self._counted, self._other = self._other, None
        return agrees

    @property
    def taken(self) -> Taken:
        return self._loose.taken if self._counted is None else self._counted.taken

    def rows(self) -> Sequence[Row]:
        """The rows of a hunk that is over."""
        is_open = self._counted is None and self._wrapping.fence is None
        return self._loose.rows_with_open_end() if is_open else self.taken.rows

    def _take_loosely(self, line: Line) -> bool:
        is_over = can_be_no_row(line.text, self._queue, self._wrapping) or self._is_next(line.text, is_full=False)
        if not is_over and not self._loose.may_take(line):
            if line.text.strip() and line.text[0] in _SIGNS:
                raise wrong(line.number, "a line comes after the end of the file", "no line of the hunk")
            is_over = True
        if is_over:
            self._queue.give_back([line])
        else:
            self._loose.take(line)
        return is_over

    def _is_next(self, text: str, *, is_full: bool) -> bool:
        """Whether a line that looks like a row begins the next file, or the signature of a mail."""
        ahead = self._queue.peek()
        if text in ("-- ", "--"):
            if ahead is not None and _VERSION.fullmatch(ahead):
                return True
            return (is_full or text == "-- ") and (ahead is None or ahead[:1] not in ("", "\\", *_SIGNS))
        if not text.startswith("--- ") or ahead is None or not ahead.startswith("+++ "):
            return False
        behind = self._queue.peek(1)
        names = name_in(text[4:]), name_in(ahead[4:])
        return is_full or behind is None or behind.startswith("@@") or is_one_file(*names)

    def _has_names_as_rows(self, counted: Counted, text: str) -> bool:
        """Whether counts that are one too high have taken in the names of the next file.

        The `@@` line behind them does not follow from this one then.
        """
        following = hunk_header_in(text)
        if following is None or counted.rest or self.header.is_followed_by(following):
            return False
        names = [line.text for line in counted.own[-2:]]
        if len(names) < 2 or not names[0].startswith("--- ") or not names[1].startswith("+++ "):
            return False
        return is_one_file(name_in(names[0][4:]), name_in(names[1][4:]))


def can_be_no_row(text: str, queue: LineQueue, wrapping: Wrapping) -> bool:
    """Whether a line belongs to something else, wherever it is."""
    if not text or text[0] in _SIGNS:
        return False
    if text.startswith(("diff -", "Index: ")):
        return text.startswith("diff --git ") or (queue.peek() or "").startswith(("--- ", "====="))
    if text.startswith("@@"):
        return hunk_header_in(text) is not None
    is_mail = text.startswith("From ") and begins_mail(text)
    return is_mail or is_v4a_mark(text) or wrapping.ends_with(text)
