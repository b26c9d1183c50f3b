"""From what edits wrote to what changed: the change set, and the lines of each edit's text afterwards. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from steadyhand.plan.draft import Write
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.diff import shared_ends
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice

_FEW = 3


def assemble(text: str, writes: Sequence[Write]) -> tuple[ChangeSet, tuple[int, ...]]:
    """The change set of sorted writes, and for each of its splices the edit that wrote it."""
    pairs = [(splice, write.edit) for write in writes if not (splice := _splice(write, text)).changes_nothing]
    return ChangeSet(tuple(splice for splice, _ in pairs)), tuple(edit for _, edit in pairs)


def _splice(write: Write, text: str) -> Splice:
    """The write without the whole lines it leaves as they are, so that history names only lines that changed."""
    old = write.span.of(text)
    if "\n" not in old or "\n" not in write.new or old == write.new:
        return Splice(write.span.start, old, write.new)
    head, tail = shared_ends(old, write.new)
    return Splice(write.span.start + head, old[head : len(old) - tail], write.new[head : len(write.new) - tail])


class Whereabouts:
    """Where things stand in the text after: `lines` of each edit's text, first and last, counted from 1."""

    def __init__(self, after: Source, writes: Sequence[Write]) -> None:
        self._after = after
        self._writes = writes
        self._ends = [write.span.end for write in writes]
        self._moved = list(accumulate((write.delta for write in writes), initial=0))
        self.lines: dict[int, tuple[int, int]] = {}
        for write, (first, last) in zip(writes, self._line_pairs(), strict=True):
            known = self.lines.get(write.edit, (first, last))
            self.lines[write.edit] = (min(known[0], first), max(known[1], last))

    def lines_of_others(self, starts: Sequence[int]) -> tuple[int, ...]:
        """The lines of places of the original, as far as no write has taken them."""
        ranks = ((start, bisect_right(self._ends, start)) for start in starts)
        return tuple(
            self._after.line_of(start + self._moved[rank])
            for start, rank in ranks
            if rank == len(self._writes) or self._writes[rank].span.start > start
        )

    def _line_pairs(self) -> Iterator[tuple[int, int]]:
        text = self._after.text
        spans = [self._written(write, moved) for write, moved in zip(self._writes, self._moved, strict=False)]
        if "\r" not in text or text.count("\r") == text.count("\r\n"):
            return _count_on(text, spans)
        if len(spans) <= _FEW:
            return map(self._after.lines_of, spans)
        return ((first + 1, last + 1) for first, last in map(self._after.table.rows_of, spans))

    def _written(self, write: Write, moved: int) -> Span:
        """Where a write stands now; the line end that a last line without one got first is not counted to it."""
        text, start, end = self._after.text, write.span.start + moved, write.span.start + moved + len(write.new)
        is_at_end = write.span.is_empty and write.span.end == len(text) - self._moved[-1]
        if is_at_end and text[start - 1 : start] not in ("", "\n", "\r"):
            start += next((len(ending) for ending in ("\r\n", "\n", "\r") if write.new.startswith(ending)), 0)
        return Span(start, end)


def _count_on(text: str, spans: Sequence[Span]) -> Iterator[tuple[int, int]]:
    """The lines of sorted spans where lines end with LF or CR LF, counted from span to span: no table is built."""
    line, position = 1, 0
    for span in spans:
        line += text.count("\n", position, span.start)
        position = span.start
        is_past_last = position == len(text) and text.endswith("\n")
        first = line - 1 if is_past_last else line
        yield first, first if span.is_empty else line + text.count("\n", span.start, span.end - 1)
