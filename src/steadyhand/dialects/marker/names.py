"""Which file a SEARCH/REPLACE part is for: what is above it, else what the part before it was for.

A name right above a part (only blank lines, fences and tags between) is its name. A name further up counts if it is the
only one since the last part: a list of files names none of them. Whether the file exists is not asked.
"""

from __future__ import annotations

from steadyhand.dialects.labels import label_in, label_in_info, mention_in
from steadyhand.dialects.marker.mark import Fence, fence_in
from steadyhand.lazy import dataclass, lazy_pattern

__all__ = ["Names"]

_TAG = lazy_pattern(r"\s*</?[\w:-]+>\s*")
_ITEM = lazy_pattern(r"\s*(?:[-*+]|\d+[.)])\s")


@dataclass(frozen=True, slots=True)
class _Label:
    path: str
    is_item: bool


class Names:
    """Sees the lines between parts, in order, and says at each part which file it is for."""

    def __init__(self) -> None:
        self._open: Fence | None = None
        self._last: Fence | None = None
        self._current = ""
        self._near: list[_Label] = []
        self._far: set[str] = set()
        self._mention: str | None = None
        self._is_first = False

    @property
    def fence(self) -> Fence | None:
        """The fence that a part which begins here is in; one right above it is open, whatever was before."""
        return self._open or self._last

    @property
    def begins_fence(self) -> bool:
        """Whether nothing but names and blank lines is between the opening of the fence and here."""
        return self._last is not None or (self._open is not None and self._is_first)

    @property
    def is_waiting(self) -> bool:
        """Whether a fence for something was opened and nothing came."""
        return self._open is not None and bool(self._open.info) and self._is_first

    def see(self, text: str) -> None:
        """A line that is no part of a change."""
        if not text.strip():
            return
        fence = fence_in(text)
        if fence is not None:
            self._turn(fence)
            return
        self._last = None
        label = label_in(text)
        if label is not None:
            self._near.append(_Label(label, _ITEM.match(text) is not None))
            if self._open is None:
                self._far.add(label)
        elif _TAG.fullmatch(text) is None:
            self._near.clear()
            self._is_first = False
            self._mention = mention_in(text) if self._open is None else None

    def take(self, given: str | None) -> str:
        """The name for a part that begins here; `given` is one that its own mark has."""
        self._current = given or self._above()
        self._open, self._last = self.fence, None
        self._near.clear()
        self._far.clear()
        self._mention = None
        self._is_first = False
        return self._current

    def _turn(self, fence: Fence) -> None:
        """A fence with an info opens one, whatever was open: models put a name and a fence into a fence."""
        is_closing = self._open is not None and fence.closes(self._open)
        self._open = None if is_closing else fence
        self._last, self._is_first = fence, not is_closing
        label = label_in_info(fence.info)
        if label is not None:
            self._near.append(_Label(label, is_item=False))

    def _above(self) -> str:
        if self._near:
            return self._nearest()
        if self._far:
            return next(iter(self._far)) if len(self._far) == 1 else ""
        if self._mention is None or not self._current:
            return self._mention or self._current
        return self._current if self._current.endswith(self._mention) else ""

    def _nearest(self) -> str:
        """The last name, in the longest form in which it is given; none where it is one of a list."""
        last = self._near[-1]
        others = [label for label in self._near if not _is_same(label.path, last.path)]
        if last.is_item and others:
            return ""
        return max((label.path for label in self._near if _is_same(label.path, last.path)), key=len)


def _is_same(one: str, other: str) -> bool:
    long, short = (one, other) if len(one) >= len(other) else (other, one)
    return long == short or long.endswith("/" + short)
