"""From what edits wrote to what changed: the change set, and the lines of each edit's text afterwards. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

from steadyhand.plan.draft import Write
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.diff import shared_ends
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice


def assemble(text: str, writes: Sequence[Write]) -> tuple[ChangeSet, tuple[int, ...]]:
    """The change set of sorted writes, and for each of its splices the edit that wrote it."""
    splices: list[Splice] = []
    edits: list[int] = []
    for write in writes:
        splice = _splice(write, text)
        if splice.old != splice.new:
            splices.append(splice)
            edits.append(write.edit)
    return ChangeSet(tuple(splices)), tuple(edits)


def _splice(write: Write, text: str) -> Splice:
    """The write without the whole lines it leaves as they are, so that history names only lines that changed."""
    old = write.span.of(text)
    if "\n" not in old or "\n" not in write.new or old == write.new:
        return Splice(write.span.start, old, write.new)
    head, tail = shared_ends(old, write.new)
    return Splice(write.span.start + head, old[head : len(old) - tail], write.new[head : len(write.new) - tail])


class Whereabouts:
    """Where things stand in the text after: `lines` of each edit's text, first and last, counted from 1."""

    def __init__(self, after: Source, writes: Sequence[Write], length: int) -> None:
        """`length` is that of the text before, of which the writes speak."""
        self._after = after
        self._writes = writes
        self.lines: dict[int, tuple[int, int]] = {}
        moved = 0
        for (first, last), new, edit in writes:
            start = first + moved
            moved += len(new) - (last - first)
            written = Span(self._behind_ending(start, new) if first == last == length else start, last + moved)
            lines = after.lines_of(written)  # writes are sorted: counted on from the one before
            if edit in self.lines:
                known = self.lines[edit]
                lines = min(known[0], lines[0]), max(known[1], lines[1])
            self.lines[edit] = lines

    def lines_of_others(self, starts: Sequence[int]) -> tuple[int, ...]:
        """The lines of places of the original, as far as no write has taken them."""
        if not starts:
            return ()
        ranks = ((start, bisect_right(self._ends, start)) for start in starts)
        return tuple(
            self._after.line_of(start + self._moved[rank])
            for start, rank in ranks
            if rank == len(self._writes) or self._writes[rank].span.start > start
        )

    @cached_property
    def _ends(self) -> list[int]:
        return [write.span.end for write in self._writes]

    @cached_property
    def _moved(self) -> list[int]:
        return list(accumulate([write.delta for write in self._writes], initial=0))

    def _behind_ending(self, start: int, new: str) -> int:
        """Where text at the end begins; the line end that a last line without one got first is not counted to it."""
        if self._after.text[start - 1 : start] in ("", "\n", "\r"):
            return start
        return start + next((len(ending) for ending in ("\r\n", "\n", "\r") if new.startswith(ending)), 0)
