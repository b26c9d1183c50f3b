"""The rows around a change, read before and after it: what a change can make to be read otherwise stands in them.

What starts in the root is read without knowing what stands above it, and the parser looks at most two rows ahead. So
the rows from some way above a change to three such parts beneath it tell all: where these parts are read as before,
the rest is.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from steadyhand.lazy import dataclass, replace
from steadyhand.structure.markdown.front import CLOSINGS
from steadyhand.structure.markdown.marks import Document, Mark
from steadyhand.structure.markdown.reading import known_markdown, read_fragment, read_markdown
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source
from steadyhand.text.splice import Splice

_AHEAD = 3
_BENEATH = 3


@dataclass(frozen=True, slots=True)
class View:
    """Some rows of a text and what they would be after a change. `row` and `start` are where they start in it.

    `changes` and both documents count from there.
    """

    row: int
    start: int
    changes: ChangeSet
    before: Document
    after: Document

    def renewed(self, mark: Mark, marks_of: Callable[[Document], Sequence[Mark]]) -> Mark | None:
        """What a mark of the text is after the change: the one of the same number; rows as the text counts them."""
        first = mark.first - self.row
        place = next((at for at, one in enumerate(marks_of(self.before)) if one.first == first), None)
        found = marks_of(self.after)
        if place is None or place >= len(found):
            return None
        one = found[place]
        return replace(one, first=one.first + self.row, end=one.end + self.row)


def view_of(source: Source, proposal: Proposal) -> View | Refusal:
    """What a proposal changes and the rows around; refuses as the reading of the new text does."""
    document, changes = known_markdown(source), _fitted(source, proposal)
    first, end = _rows(document, proposal, len(source.text))
    start, stop = document.table.start(first), document.table.start(end)
    near = ChangeSet(tuple(Splice(one.start - start, one.old, one.new) for one in changes.splices))
    old = source.text[start:stop]
    new = near.apply(old)
    is_most = stop - start > len(source.text) // 2  # the text before the change is read already
    if is_most or _is_front(source, document, first, new) or _joins(source.text, start, new):
        return _whole(source, document, changes)
    before, after = read_fragment(old), read_fragment(new)
    if isinstance(before, Refusal):
        return before
    return after if isinstance(after, Refusal) else View(first, start, near, before, after)


def _whole(source: Source, document: Document, changes: ChangeSet) -> View | Refusal:
    after = read_markdown(Source.of_text(changes.apply(source.text), path=source.path))
    return after if isinstance(after, Refusal) else View(0, 0, changes, document, after)


def _rows(document: Document, proposal: Proposal, size: int) -> tuple[int, int]:
    """The rows to be read: all of them where nothing is proposed."""
    if not proposal.splices:
        return 0, document.count
    touched = document.table.row_at(min(proposal.splices[0].start, size))
    last = document.table.row_at(min(max(one.end for one in proposal.splices), size))
    top = document.front.end if document.front and touched >= document.front.end else 0
    above = bisect_right(document.tops, touched - _AHEAD) - 1
    beneath = bisect_left(document.tops, last + 1) + _BENEATH
    first = max(document.tops[above], top) if above >= 0 else top
    return first, document.tops[beneath] if beneath < len(document.tops) else document.count


def _is_front(source: Source, document: Document, first: int, new: str) -> bool:
    """Whether a change touches front matter, or may make some: what opens it and what closes it can be far apart."""
    if document.front is not None:
        return first < document.front.end
    marks = tuple(CLOSINGS)
    return any(text[:10].removeprefix("\ufeff").startswith(marks) for text in (source.text, new if first == 0 else ""))


def _joins(text: str, start: int, new: str) -> bool:
    """Whether rows cannot be read alone: an ending would be made of two, or a mark be taken for that of a file."""
    is_split = start > 0 and text[start - 1] == "\r" and new.startswith("\n")
    return is_split or (start > 0 and "\ufeff" in (text[start : start + 1], new[:1]))


def _fitted(source: Source, proposal: Proposal) -> ChangeSet:
    """The change that is made of a proposal: LF in new text becomes what the lines around end with."""
    splices: list[Splice] = []
    for splice in proposal.splices:
        ending = source.newline_at(splice.start)
        new = splice.new if ending == "\n" or "\r" in splice.new else splice.new.replace("\n", ending)
        splices.append(Splice(splice.start, splice.old, new))
    return ChangeSet(tuple(splice for splice in splices if not splice.changes_nothing))
