"""What is around a diff in a reply: code fences, tags, shell heredocs, marks of other formats, mail.

Each line is seen once, in order. A line that ends what a diff is in ends the diff too; inside a diff only lines
without a sign are asked about.
"""

from __future__ import annotations

import re
from typing import Literal

from steadyhand.dialects.labels import label_in_info
from steadyhand.dialects.reply import Line
from steadyhand.lazy import dataclass, lazy_pattern

__all__ = ["Fence", "Wrapping", "begins_mail", "is_foreign_mark", "is_v4a_mark"]

Sort = Literal["open", "close", "tag", "heredoc", "text"]

_FENCE = lazy_pattern(r"([ \t]*)(`{3,}|~{3,})[ \t]*([^`\n]*)")
_TAG = lazy_pattern(r"[ \t]*(?:<(/?)([A-Za-z_][\w:.-]*)(?:\s[^<>]*)?/?>|<\|[^|<>]{1,40}\|>|<!\[CDATA\[|\]\]>)[ \t]*")
_HEREDOC = lazy_pattern(r"<<[-~]?[ \t]?(?:'(\w+)'|\"(\w+)\"|([A-Z][A-Z0-9_]*)\b)")
_MAIL = lazy_pattern(r"From [0-9a-f]{7,64} |commit [0-9a-f]{7,64}(?: \(.*\))?\s*\Z|# HG changeset patch")
_V4A = lazy_pattern(r"\*\*\* (?:Begin Patch|End Patch|End of File|(?:Update|Add|Delete) File:|Move to:)", re.I)
_FOREIGN = lazy_pattern(r"(?:<{5,9}|>{5,9}|={5,9}|-{5,9} ?SEARCH|\+{5,9} ?REPLACE)(?: ?[A-Z]+)?>?\s*|\*\*\* .*")
_DIFF_INFO = frozenset(("diff", "patch", "udiff"))
_WIDEST = 400  # a longer line is text
_TOOL_TAGS = frozenset(
    "tool_call tool_calls tool_use tool function_call function_calls function invoke parameter parameters arguments "
    "patch apply_patch write_patch diff udiff unified_diff edit edits answer response file_edit".split()
)


@dataclass(frozen=True, slots=True)
class Fence:
    """An open code fence: its indentation, its ticks, and what is written behind them."""

    indent: str
    ticks: str
    info: str

    @property
    def is_for_diffs(self) -> bool:
        return self.info.split(" ", 1)[0].lower() in _DIFF_INFO

    @property
    def label(self) -> str | None:
        """The path it names."""
        return label_in_info(self.info)


class Wrapping:
    """What is open around the lines that are being read."""

    def __init__(self) -> None:
        self.fence: Fence | None = None
        self._tags: set[str] = set()
        self._word: str | None = None

    def without_indent(self, line: Line) -> Line:
        """A line of an indented fence without the indentation of the fence."""
        if self.fence is None or not self.fence.indent or not line.text.startswith(self.fence.indent):
            return line
        indent = self.fence.indent
        return Line(line.number, line.text[len(indent) :], line.ending)

    def ends_with(self, text: str) -> bool:
        """Whether a line closes something that the diff is in."""
        return self._closes_fence(text) or self._closes_tag(text) or (self._word is not None and text == self._word)

    def see(self, line: Line) -> Sort:
        """Take a line outside of a diff, and say what it is."""
        text = line.text
        if self._closes_fence(text):
            self.fence = None
            return "close"
        if len(text) > _WIDEST:
            return "text"
        if (fence := _FENCE.fullmatch(text)) is not None:
            self.fence = Fence(fence.group(1), fence.group(2), fence.group(3).strip())
            return "open"
        if (tag := _TAG.fullmatch(text)) is not None:
            if tag.group(2) and not tag.group(1):
                self._tags.add(tag.group(2).lower())
            return "tag"
        return self._see_shell(text)

    def _see_shell(self, text: str) -> Sort:
        if self._word is not None and text == self._word:
            self._word = None
            return "heredoc"
        found = _HEREDOC.search(text)
        if found is None:
            return "text"
        self._word = next(word for word in found.groups() if word)
        return "heredoc"

    def _closes_fence(self, text: str) -> bool:
        if self.fence is None:
            return False
        bare = text.strip(" \t")
        ticks = self.fence.ticks
        return len(bare) >= len(ticks) and bare == ticks[0] * len(bare) and len(text) - len(bare) <= 3

    def _closes_tag(self, text: str) -> bool:
        tag = _TAG.fullmatch(text) if len(text) <= _WIDEST else None
        if tag is None or text.startswith(" "):
            return False
        if tag.group(2) is None:
            return True
        name = tag.group(2).lower()
        return bool(tag.group(1)) and (name in self._tags or name.rpartition(":")[2] in _TOOL_TAGS)


def begins_mail(text: str) -> bool:
    """Whether a line begins what git puts before a diff: a mail, a commit, a changeset."""
    return _MAIL.match(text) is not None


def is_v4a_mark(text: str) -> bool:
    """Whether a line is a mark of a `*** Begin Patch` envelope."""
    return _V4A.match(text) is not None


def is_foreign_mark(text: str) -> bool:
    """Whether a line is a mark of a format whose lines may look signed."""
    return len(text) <= _WIDEST and _FOREIGN.fullmatch(text) is not None
