"""One SEARCH/REPLACE part while its lines come in: where it is divided, where it ends, and why that is not certain.

Invariants:

1. A part ends at the first REPLACE mark that no SEARCH mark inside it claims; marks inside are content, as are the
   conflicts of a version control system.
2. The divider is the one line that can be it. The one that divides a whole conflict or a whole part inside this one is
   content; of three the middle one divides, so that old and new lines have one each. Of two the second divides, and the
   file must have the first among the old lines; where it has not, the second may be the underline of a title among the
   new lines, or there once too often. Where other marks are inside, and where more can be it, the part is refused.
3. A part that is not closed ends at the one fence that closes the fence it is in, or is refused: a reply that
   breaks off in the middle changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.dialects.labels import label_in
from steadyhand.dialects.marker.mark import USUAL, Fence, Kind, Mark, fence_in, mark_in, refusal
from steadyhand.dialects.marker.sides import Sides, rows_of, start_line
from steadyhand.dialects.reply import Line
from steadyhand.errors import EditError
from steadyhand.lazy import dataclass, field, replace

__all__ = ["Part", "is_around"]

_DIVIDERS = 3  # lines that may be the divider
_SECOND = "a second line that may separate the old lines from the new ones"
_ESCAPE = "put a backslash before each line of the old and new text that looks like a marker: \\======="


@dataclass(slots=True)
class _Divider:
    index: int
    size: int
    is_content: bool = False


@dataclass(slots=True)
class _Inner:
    """A conflict or another part inside a part; `is_doubtful`: so is one inside it, or what divides that one."""

    mark: Mark
    dividers: list[_Divider] = field(default_factory=list)
    is_doubtful: bool = False


@dataclass(slots=True)
class Part:
    """A part from its SEARCH mark on.

    `tail` is where a REPLACE mark is that no divider came before, and `is_filled_behind` whether lines behind it
    have text; `nested` is where the first SEARCH mark is inside the part.
    """

    head: Line
    mark: Mark
    fence: Fence | None
    path: str
    lines: list[Line] = field(default_factory=list)
    nested: int | None = None
    tail: int | None = None
    is_filled_behind: bool = False
    _dividers: list[_Divider] = field(default_factory=list)
    _inner: list[_Inner] = field(default_factory=list)
    _searches: int = 0
    _indented: int = 0
    _has_marks: bool = False

    def is_divided(self, end: int | None = None) -> bool:
        """Whether a line that may be the divider is before a line of the part, or anywhere in it."""
        return bool(self._dividers) and (end is None or self._dividers[0].index < end)

    @property
    def is_closed_by_end(self) -> bool:
        """Whether the last line is a closing mark without a word."""
        mark = mark_in(self.lines[-1].text)
        return mark is not None and mark.kind == "end"

    def take(self, line: Line) -> bool:
        """Add a line; whether it closes the part."""
        self.lines.append(line)
        mark = mark_in(line.text)
        if mark is None:
            return False
        return self._take_mark(mark) if mark.indent == self.mark.indent else self._take_indented(mark)

    def _take_mark(self, mark: Mark) -> bool:
        self._has_marks = self._has_marks or mark.kind not in ("divider", "replace")
        match mark.kind:
            case "search":
                self.nested = len(self.lines) - 1 if self.nested is None else self.nested
                self._searches += 1
                self._inner.append(_Inner(mark))
            case "replace":
                self._searches -= 1
                if self._searches < 0:
                    return True
                self._close_inner("search")
            case "divider":
                self._dividers.append(_Divider(len(self.lines) - 1, mark.size))
                if self._inner:
                    self._inner[-1].dividers.append(self._dividers[-1])
            case "conflict":
                self._inner.append(_Inner(mark))
            case _:
                is_last = mark.kind == "end" and not self._inner and self.is_divided()
                if self._inner and self._inner[-1].mark.kind == "conflict":
                    self._close_inner("conflict")
                return is_last and mark.size == self.mark.size
        return False

    def _close_inner(self, kind: Kind) -> None:
        """The last of a kind ends, with whatever began inside it; divided once, it is content as a whole."""
        held: list[_Divider] = []
        is_doubtful, inner = False, None
        while self._inner and (inner is None or inner.mark.kind != kind):
            inner = self._inner.pop()
            held += inner.dividers
            is_doubtful = is_doubtful or inner.is_doubtful
        size = inner.mark.size if inner is not None else 0
        is_whole = not is_doubtful and sum(one.size == size for one in held) == 1
        for one in held:
            one.is_content = is_whole
        if self._inner and not is_whole:
            self._inner[-1].is_doubtful = is_doubtful or bool(held) or self._inner[-1].is_doubtful

    def _take_indented(self, mark: Mark) -> bool:
        """A mark that is indented otherwise is content in pairs; a REPLACE mark by itself is still the last line."""
        self._indented += mark.kind == "search"
        self._indented -= mark.kind == "replace"
        return self._indented < 0

    def take_behind(self, line: Line) -> bool:
        """Add a line behind the tail; whether it closes the fence and nothing is left to wait for."""
        self.lines.append(line)
        if self.fence is not None and _closes(line, self.fence):
            return not self.is_filled_behind
        self.is_filled_behind = self.is_filled_behind or bool(line.text.strip())
        return False

    def sides(self) -> Sides:
        """The lines of a part that its last line closes."""
        dividers = self._dividers_before(len(self.lines))
        inner = self.nested if self.nested is not None else 0
        if self.fence is not None and any(_closes(line, self.fence) for line in self.lines[:inner]):
            raise self._ambiguous(self.lines[inner].number, "a SEARCH marker inside another part, after a closed fence")
        end = len(self.lines) - 1
        sides = self.sides_at(dividers[len(dividers) // 2], end)
        if len(dividers) == 1:
            return sides
        alternative = self._sides_otherwise(dividers[0], dividers[1], end) if len(dividers) == 2 else None
        return replace(sides, doubled=self.lines[dividers[1]].number, alternative=alternative)

    def _sides_otherwise(self, first: int, second: int, end: int) -> Sides | None:
        """The lines where the first of two dividers divides; None where the second one is then hardly content."""
        is_between, is_behind = _is_filled(self.lines[first + 1 : second]), _is_filled(self.lines[second + 1 : end])
        if is_between and is_behind:
            title, underline = (self.lines[at].text.strip() for at in (second - 1, second))
            return self.sides_at(first, end) if len(title) == len(underline) else None
        kept = [*self.lines[:second], *self.lines[second + 1 : end]]
        _, quoted = start_line(kept[:first])
        return Sides(self.rows(quoted), self.rows(kept[first + 1 :]))

    def sides_at(self, divider: int, end: int) -> Sides:
        """Old lines up to one line, new lines from there to another."""
        old, new = self.lines[:divider], self.lines[divider + 1 : end]
        line, quoted = start_line(old)
        _, kept = start_line(new)
        if len(kept) == len(new):
            return Sides(self.rows(quoted), self.rows(new), line)
        if len(quoted) == len(old) and not new[len(new) - len(kept) - 1].text.startswith("-"):
            what = "the new lines begin with a line number, which may be part of the file or not"
            raise self._ambiguous(new[0].number, what)
        return Sides(self.rows(quoted), self.rows(kept), line, new[0].number)

    def rows(self, lines: Sequence[Line]) -> tuple[str, ...]:
        """Lines as they are to be in the file."""
        return rows_of(lines, indent=self.mark.indent, is_sent_with_cr=self.head.ending == "\r\n")

    def divider(self, end: int) -> int:
        """The index of the line between old and new lines. Refuses where there is none, or where several may be it."""
        found = self._dividers_before(end)
        if len(found) > 1:
            raise self._ambiguous(self.lines[found[1]].number, _SECOND)
        return found[0]

    def _dividers_before(self, end: int) -> list[int]:
        """The indices of the lines that may divide old from new ones, three at most. Refuses where there are others."""
        found = [divider for divider in self._dividers if divider.index < end]
        outer = [divider for divider in found if not divider.is_content] or found
        sizes = (
            range(size, end)
            for size, end in ((self.mark.size, self.mark.size + 1), (USUAL, USUAL + 1), (5, 10), (3, 21))
        )
        for size in sizes:
            likely = [divider for divider in outer if divider.size in size]
            if len(likely) > (1 if self._has_marks or size.stop - size.start > 1 else _DIVIDERS):
                raise self._ambiguous(self.lines[likely[1].index].number, _SECOND)
            if likely:
                return [divider.index for divider in likely]
        raise self.undivided()

    def closing_fence(self, start: int, end: int, *, is_followed: bool) -> int | None:
        """The index of the fence that closes the part's own; None where it is not certain to be that.

        `is_followed`: another part begins at `end`, maybe with a fence of its own in front.
        """
        if self.fence is None:
            return None
        found = ((index, fence_in(self.lines[index].text)) for index in range(start, end))
        fences = [(index, fence) for index, fence in found if fence is not None]
        last = end if not is_followed else self._lead_in(start, end)
        if len(fences) > 1 and fences[-1][0] == last:
            fences.pop()
        closing = [index for index, fence in fences if fence.closes(self.fence)]
        if len(closing) != 1 or fences[0][0] != closing[0]:
            return None
        (at,) = closing
        if at == last and at > start and label_in(self.lines[at - 1].text) is not None:
            return None  # the name and the fence may both belong to what follows
        return at if at + 1 >= end or is_around(self.lines[at + 1].text) else None

    def _lead_in(self, start: int, end: int) -> int:
        """The index of the last line that is neither blank nor a name."""
        filled = (index for index in range(end - 1, start - 1, -1) if self.lines[index].text.strip())
        return next((index for index in filled if label_in(self.lines[index].text) is None), end)

    def is_begun_again(self, at: int) -> bool:
        """Whether a SEARCH mark inside the part is its own once more."""
        return self.lines[at].text.strip() == self.head.text.strip()

    def is_replaced_behind(self, tail: int, end: int) -> bool:
        """Whether the lines behind a REPLACE mark are new lines: more than a name, and without any mark."""
        behind = self.lines[tail + 1 : end]
        marks = [mark for mark in (mark_in(line.text) for line in behind) if mark is not None]
        is_marked = any(mark.indent == self.mark.indent and mark.kind in ("replace", "divider") for mark in marks)
        return not is_marked and not all(is_around(line.text) for line in behind)

    def undivided(self) -> EditError:
        """The refusal of a part without a divider."""
        return refusal(
            self.head.number if self.tail is None else self.lines[self.tail].number,
            "old lines that are not separated from the new ones",
            "a line ======= between the old lines and the new ones",
            hint="send the old lines, a line =======, the new lines (none to delete the old ones), >>>>>>> REPLACE",
        )

    def unclosed(self) -> EditError:
        """The refusal of a part that does not end."""
        return refusal(
            self.head.number,
            "a SEARCH marker without its REPLACE marker; the reply may have been cut off",
            "a line >>>>>>> REPLACE after the new lines",
        )

    def _ambiguous(self, line: int, what: str) -> EditError:
        return refusal(line, what, "content with escaped markers", hint=_ESCAPE)


def _is_filled(lines: Sequence[Line]) -> bool:
    return any(line.text.strip() for line in lines)


def is_around(text: str) -> bool:
    """Whether a line may be between two parts: a blank one, a fence, a name."""
    return not text.strip() or fence_in(text) is not None or label_in(text) is not None


def _closes(line: Line, opened: Fence) -> bool:
    fence = fence_in(line.text)
    return fence is not None and fence.closes(opened)
