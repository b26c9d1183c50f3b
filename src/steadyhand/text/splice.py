"""One replacement inside one text: where, what was there, what is there after."""

from __future__ import annotations

from steadyhand.lazy import dataclass
from steadyhand.text.span import Span
from steadyhand.text.visible import sized


@sized("old", "new")
@dataclass(frozen=True, slots=True)
class Splice:
    """Replace `old`, which is at `start`, by `new`.

    `old` travels with the splice, so that it inverts by itself and can refuse a text it was not made for.

    >>> Splice(2, "cd", "X").invert() == Splice(2, "X", "cd")
    True
    """

    start: int
    old: str
    new: str

    def __post_init__(self) -> None:
        if self.start < 0:
            raise ValueError(f"a splice cannot start at {self.start}")

    @property
    def end(self) -> int:
        return self.start + len(self.old)

    @property
    def span(self) -> Span:
        """What it replaces, in the text before."""
        return Span(self.start, self.end)

    @property
    def delta(self) -> int:
        """By how much it moves what follows."""
        return len(self.new) - len(self.old)

    @property
    def changes_nothing(self) -> bool:
        return self.old == self.new

    def fits(self, text: str) -> bool:
        """Whether `old` is in `text` where this splice says."""
        return text.startswith(self.old, self.start) and self.start + len(self.old) <= len(text)

    def shift(self, delta: int) -> Splice:
        """The splice that many code points further on."""
        return Splice(self.start + delta, self.old, self.new)

    def invert(self) -> Splice:
        """The splice that takes this one back, if nothing before it moved."""
        return Splice(self.start, self.new, self.old)

    def trim(self) -> Splice:
        """The same effect without the characters `old` and `new` share at their ends."""
        head = _common_prefix(self.old, self.new)
        old, new = self.old[head:], self.new[head:]
        tail = _common_prefix(old[::-1], new[::-1])
        if tail:
            old, new = old[:-tail], new[:-tail]
        return Splice(self.start + head, old, new)


def _common_prefix(left: str, right: str) -> int:
    limit = min(len(left), len(right))
    if left[:limit] == right[:limit]:
        return limit
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if left[:middle] == right[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
