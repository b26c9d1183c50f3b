"""Changes of which a look at their surroundings proves that a text which parsed before parses after.

A full check reads the whole text; what is proven here costs as much as the change and the construct around it. A proof
may start from the text before being valid: of a file that was not, nothing is asked. It may only say yes or unknown:
no is for the full check, which also says where the fault is.

A format names its proof in `Format.is_neutral`; it gets the changed lines of one place. Several places are proven one
after another, each in the text that those before it have made.
"""

from __future__ import annotations

from collections.abc import Callable

from steadyhand.lazy import dataclass, replace
from steadyhand.text.changeset import ChangeSet

SMALL = 4_000  # characters that are checked as a whole: that is fast, and says of a broken file that it is broken
WIDEST = 6_000  # characters of the surroundings that are looked at
_MOST = 8  # places of one change set


@dataclass(frozen=True, slots=True)
class Change:
    """Whole lines of one text that are other lines in the next: `before[start:end]` became `after[start:new_end]`."""

    before: str
    after: str
    start: int
    end: int
    new_end: int

    @property
    def old(self) -> str:
        return self.before[self.start : self.end]

    @property
    def new(self) -> str:
        return self.after[self.start : self.new_end]

    def widen(self, *, above: bool) -> Change:
        """The change with one more line, that above or that below."""
        if above:
            return replace(self, start=self.before.rfind("\n", 0, max(self.start - 1, 0)) + 1)
        end = self.before.find("\n", self.end) + 1 or len(self.before)
        return replace(self, end=end, new_end=self.new_end + end - self.end)

    @classmethod
    def of(cls, before: str, after: str, start: int, old: str, new: str) -> Change:
        """The lines that one replacement touches.

        >>> change = Change.of("a\\nbc\\nd\\n", "a\\nbx\\nd\\n", 3, "c", "x")
        >>> change.old, change.new
        ('bc\\n', 'bx\\n')
        """
        first = before.rfind("\n", 0, start) + 1
        head, piece = before[first:start], old or new
        if head and not (old and new) and piece.endswith(f"\n{head}"):  # whole lines, but for where they are cut
            start, piece = first, head + piece.removesuffix(head)
            old, new = (piece, "") if old else ("", piece)
        end = start + len(old)
        is_at_line = (old.endswith("\n") or not old) and (new.endswith("\n") or not new)
        if not (is_at_line and (before[end - 1 : end] in ("", "\n") or end == len(before)) and (new or first == start)):
            end = before.find("\n", end) + 1 or len(before)
        return cls(before, after, first, end, end + len(after) - len(before))


def is_neutral(proof: Callable[[Change], bool], before: str, changes: ChangeSet, after: str) -> bool:
    """Whether a change set is proven to leave a valid text valid; `after` is what it makes of the text."""
    if len(before) <= SMALL or not 0 < len(changes.splices) <= _MOST:
        return False
    text, moved = before, 0
    for number, splice in enumerate(changes.splices, start=1):
        place = splice.trim()
        if len(place.old) > WIDEST or len(place.new) > WIDEST:
            return False
        start = place.start + moved
        is_last = number == len(changes.splices)  # a text is as large as the file: none is made that is there already
        made = after if is_last else text[:start] + place.new + text[start + len(place.old) :]
        if not proof(Change.of(text, made, start, place.old, place.new)):
            return False
        text, moved = made, moved + place.delta
    return True
