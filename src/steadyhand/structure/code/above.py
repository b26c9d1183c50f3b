"""Which comments and attributes in front of a definition are its own, and where it ends.

A comment belongs to what follows it when it stands alone on its lines, at the same indentation, and no blank line
parts the two. Comments that speak of the file (`#!`, `//!`, a coding line) belong to nobody, and one that parts
statements to the statement before it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import count

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.text.lines import line_start
from steadyhand.text.pace import go_on_at
from steadyhand.text.span import Span

_OF_THE_FILE = lazy_pattern(r"#!|//!|/\*!|#.*?\bcoding[:=]|--> *statement-breakpoint")
_ENDING = lazy_pattern(r"\r\n?|\n")
_FAR = 2_000  # more blanks than this part anything, and are not looked at for every definition
_SEMICOLON = lazy_pattern(r"[ \t]*;")


@dataclass(frozen=True, slots=True)
class Above:
    """The comments and attributes of one text, in order."""

    text: str
    comments: Sequence[Span]
    attributes: Sequence[Span]

    def attributes_from(self, start: int) -> int:
        """Where a definition starts with the attributes in front of it, and comments between those."""
        reached = start
        for number in count(1):
            go_on_at(number)
            own = self._before(self.attributes, reached)
            comment = self._before(self.comments, reached)
            if own is not None and self._gap(own, reached) is not None:
                start = reached = own.start
            elif comment is not None and (self._is_own(comment, reached) or self._is_note(comment, reached)):
                reached = comment.start
            else:
                break
        return start

    def comments_from(self, start: int) -> int:
        """Where the comments directly above a definition start."""
        for number in count(1):
            go_on_at(number)
            comment = self._before(self.comments, start)
            if comment is None or not self._is_own(comment, start):
                break
            start = comment.start
        return start

    def _before(self, spans: Sequence[Span], start: int) -> Span | None:
        at = bisect_right(spans, Span(start, -1)) - 1
        return spans[at] if at >= 0 and spans[at].end <= start else None

    def _is_own(self, comment: Span, start: int) -> bool:
        gap = self._gap(comment, start)
        if gap is None or gap > 1 or self._margin(comment.start) is None:
            return False
        if gap == 1 and self._margin(comment.start) != self._margin(start):
            return False
        return _OF_THE_FILE.match(comment.of(self.text)) is None

    def _is_note(self, comment: Span, start: int) -> bool:
        """Whether a comment follows something else on its line, and that line is the one above or the same."""
        gap = self._gap(comment, start)
        return gap is not None and gap <= 1 and self._margin(comment.start) is None

    def _gap(self, span: Span, start: int) -> int | None:
        """How many lines end between a span and what follows it; None where other text stands between."""
        end = span.start + len(span.of(self.text).rstrip())
        if start - end > _FAR:
            return None
        between = self.text[end:start]
        return len(_ENDING.findall(between)) if not between.strip() else None

    def _margin(self, offset: int) -> str | None:
        """The blanks in front of an offset; None where something else stands before it on its line."""
        before = self.text[line_start(self.text, offset) : offset]
        return None if before.strip(" \t\f") else before


def end_of(text: str, start: int, end: int) -> int:
    """Where a definition ends: behind its last character, the semicolon of its statement included."""
    end = start + len(text[start:end].rstrip())
    following = _SEMICOLON.match(text, end)
    return following.end() if following and text[end - 1] != ";" else end


def suite_start(text: str, comments: Sequence[Span], start: int) -> int:
    """Where a suite starts with the comment lines between its head and its first statement."""
    at = bisect_right(comments, Span(start, -1)) - 1
    while at >= 0 and comments[at].end <= start and not text[comments[at].end : start].strip():
        if text[line_start(text, comments[at].start) : comments[at].start].strip(" \t\f"):
            break  # the comment stands behind the head of the suite
        start = comments[at].start
        at -= 1
    return start
