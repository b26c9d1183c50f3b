"""For every line of a file: which record last wrote it, followed back through later edits and renames.

Reads the journal only. A line that an edit merely quoted and wrote back unchanged is not credited to it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Literal

from steadyhand.errors import EditError
from steadyhand.lazy import dataclass, replace
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.diff import changes_between
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice
from steadyhand.text.visible import sized
from steadyhand.workspace.file_history import Stop, doubt_of, gap_between, stops_back
from steadyhand.workspace.journal.audit import Problem
from steadyhand.workspace.journal.record import Entry
from steadyhand.workspace.journal.store import Journal

Since = Literal["record", "outside", "before-journal"]


@sized("text")
@dataclass(frozen=True, slots=True)
class Why:
    """Where one line comes from. `origin` is None where no record wrote it.

    `doubt` says what is damaged in the journal, where that may hide who wrote the line.
    """

    line: int
    text: str
    origin: Entry | None
    reason: str | None
    edit_index: int | None
    since: Since
    doubt: str | None = None


@dataclass(slots=True)
class _Trace:
    line: int
    span: Span
    why: Why | None = None


def explain(journal: Journal, path: str, source: Source, lines: list[int]) -> list[Why]:
    """The origin of the given 1-based lines of the file as it is now."""
    traces = [_Trace(line, source.table.span(line - 1)) for line in sorted(set(lines))]
    texts = {trace.line: source.table.text(trace.line - 1) for trace in traces}
    journal.damage_met()
    _walk(journal, path, source, traces, texts)
    for trace in traces:
        if trace.why is None:
            trace.why = Why(trace.line, texts[trace.line], None, None, None, "before-journal")
    damaged = journal.damage_met()
    return [_doubted(trace.why, damaged) for trace in traces if trace.why is not None]


def _doubted(why: Why, damaged: Sequence[Problem]) -> Why:
    """The same with the latest damage that came after what wrote the line."""
    seq = 0 if why.origin is None else why.origin.seq
    later = [problem for problem in damaged if (problem.seq or 0) > seq]
    return replace(why, doubt=doubt_of(later[-1])) if later else why


def _walk(journal: Journal, path: str, source: Source, traces: list[_Trace], texts: dict[int, str]) -> None:
    digest = source.digest
    for stop in stops_back(journal, path):
        open_traces = [trace for trace in traces if trace.why is None]
        if not open_traces:
            return
        assert stop.change.after is not None
        if stop.change.after.digest != digest:
            later = source.to_bytes() if digest == source.digest else journal.image(digest)
            if later is None or not _cross_gap(journal, stop, later, open_traces, texts):
                _blame_all(open_traces, texts)
                return
        open_traces = [trace for trace in open_traces if trace.why is None]
        _credit(stop, open_traces, texts)
        if stop.change.before is None:
            return
        digest = stop.change.before.digest


def _credit(stop: Stop, traces: list[_Trace], texts: dict[int, str]) -> None:
    change = stop.change
    if change.before is not None and change.after is not None and change.before.digest == change.after.digest:
        return
    changes = change.changes if change.before is not None else None
    if changes is None:
        for trace in traces:
            trace.why = _from(
                stop, trace.line, texts[trace.line], change.edits[0].reason if change.edits else None, None
            )
        return
    refined, owner = _refine(changes, traces)
    for trace, index in _step_back(refined, traces):
        original = owner[index]
        note = next((i for i, edit in enumerate(change.edits) if original in edit.splices), None)
        reason = change.edits[note].reason if note is not None else None
        trace.why = _from(stop, trace.line, texts[trace.line], reason, note)


def _from(stop: Stop, line: int, text: str, reason: str | None, index: int | None) -> Why:
    return Why(line, text, stop.entry, reason or stop.entry.record.reason, index, "record")


def _refine(changes: ChangeSet, traces: list[_Trace]) -> tuple[ChangeSet, list[int]]:
    """The change set cut down to the lines that really differ, and which splice each piece came from.

    Only splices that wrote near a traced line are compared line by line; the others just move what follows.
    """
    pieces: list[Splice] = []
    owner: list[int] = []
    starts = [trace.span.start for trace in traces]
    for index, (splice, written) in enumerate(zip(changes.splices, changes.after_spans(), strict=True)):
        near = bisect_left(starts, written.end)
        is_near = near > 0 and traces[near - 1].span.end > written.start
        parts = _parts(splice) if is_near else (splice,)
        pieces.extend(parts)
        owner.extend([index] * len(parts))
    return ChangeSet(tuple(pieces)), owner


def _parts(splice: Splice) -> tuple[Splice, ...]:
    if "\n" not in splice.old and "\r" not in splice.old:
        return (splice,)
    return tuple(part.shift(splice.start) for part in changes_between(splice.old, splice.new).splices)


def _step_back(changes: ChangeSet, traces: list[_Trace]) -> list[tuple[_Trace, int]]:
    """Move each trace to the version before; those a splice wrote come back with the splice's index."""
    hit: list[tuple[_Trace, int]] = []
    afters = changes.after_spans()
    index = delta = 0
    for trace in traces:
        while index < len(afters) and _lies_before(changes.splices[index], afters[index], trace.span):
            delta += changes.splices[index].delta
            index += 1
        if index < len(afters) and afters[index].start < trace.span.end:
            hit.append((trace, index))
        else:
            trace.span = trace.span.shift(-delta)
    return hit


def _lies_before(splice: Splice, written: Span, line: Span) -> bool:
    """Whether the splice stands above the line and left it alone; what it took from the line's start is in the line."""
    took_from_line = written.is_empty and written.start == line.start and not splice.old.endswith(("\n", "\r"))
    return written.end <= line.start and not took_from_line


def _cross_gap(journal: Journal, stop: Stop, later: bytes, traces: list[_Trace], texts: dict[int, str]) -> bool:
    """Step over a change made outside the journal; False when that version cannot be rebuilt."""
    try:
        gap = gap_between(journal, stop, later)
    except EditError:
        return False
    for trace, _ in _step_back(gap, traces):
        trace.why = Why(trace.line, texts[trace.line], None, None, None, "outside")
    return True


def _blame_all(traces: list[_Trace], texts: dict[int, str]) -> None:
    for trace in traces:
        trace.why = Why(trace.line, texts[trace.line], None, None, None, "outside")
