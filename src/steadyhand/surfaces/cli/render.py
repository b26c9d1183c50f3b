"""Lines for people that several commands show: diffs, receipts, how a text was matched.

A diff is coloured by line, and by word where a line was rewritten. It is made from the text of a diff, so that what a
person sees is what a program would get.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from steadyhand.errors import EditError, Kind
from steadyhand.hints import RunCommand
from steadyhand.lazy import lazy_pattern
from steadyhand.schema import fields_as_json
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.output import Output
from steadyhand.surfaces.terminal import (
    LONGEST_LINE,
    Line,
    Piece,
    cells,
    counted,
    fit,
    head_of,
    more_characters,
    pad,
    span_of_lines,
    visible_line,
    visible_name,
)
from steadyhand.text.span import Span

if TYPE_CHECKING:
    from steadyhand.hints import Phrases
    from steadyhand.plan.planner import Outcome
    from steadyhand.session.receipt import FileReceipt, Receipt
    from steadyhand.workspace.history.file_history import Why
    from steadyhand.workspace.history.outside import CheckReport
    from steadyhand.workspace.journal.maintenance import GcReport
    from steadyhand.workspace.journal.record import Entry, FileChange, FileState

_RANGE = lazy_pattern(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
Spans = tuple[Span, ...]
_LEAD = 40  # characters kept before the first change of a line that is cut
_GAP = 2
_SHORTEST = 8  # columns of a name


def diff_lines(diff: str, *, width: int | None = None, limit: int | None = None) -> list[Line]:
    """The diff as lines, very long ones cut around their first change, on a terminal sooner; `limit` caps the count."""
    rows = diff.split("\n")
    if rows and rows[-1] == "":
        rows.pop()
    lines = _Reader(_without_uniform_returns(rows), width).lines()
    shown = list(islice(lines, limit))
    rest = sum(1 for _ in lines)
    return [*shown, (Piece(f"… {counted(rest, 'more line')} of diff", "dim"),)] if rest else shown


class _Row(NamedTuple):
    """A row of a change; `is_note` for the remark that the file ends without a newline."""

    text: str
    is_note: bool = False


class _Reader:
    """Walks the rows once; removed and added rows are held back until both sides of a change are known."""

    def __init__(self, rows: list[str], width: int | None) -> None:
        self._rows = rows
        self._cut = LONGEST_LINE if width is None else min(max(width * 4, 200), LONGEST_LINE)
        self._removed: list[_Row] = []
        self._added: list[_Row] = []

    def lines(self) -> Iterator[Line]:
        before = after = 0
        for row in self._rows:
            if before <= 0 and after <= 0 and not row.startswith("\\"):
                yield from self._flush()
                found = _RANGE.match(row)
                before, after = (int(found[1] or 1), int(found[2] or 1)) if found else (0, 0)
                yield (Piece(row, "place" if row.startswith("@@") else "heading"),)
                continue
            mark = row[:1]
            before -= mark in ("-", " ", "")
            after -= mark in ("+", " ", "")
            yield from self._take(mark, row)
        yield from self._flush()

    def _take(self, mark: str, row: str) -> Iterator[Line]:
        held = self._added or self._removed
        if mark == "-":
            if self._added:
                yield from self._flush()
            self._removed.append(_Row(row[1:]))
        elif mark == "+":
            self._added.append(_Row(row[1:]))
        elif mark == "\\" and held:
            held.append(_Row(row, is_note=True))
        elif mark == "\\":
            yield (Piece(row, "dim"),)
        else:
            yield from self._flush()
            yield self._row(" ", row[1:], (), "plain")

    def _flush(self) -> Iterator[Line]:
        removed, added = self._removed, self._added
        self._removed, self._added = [], []
        before, after = _word_marks(_content(removed), _content(added))
        yield from self._side("-", removed, iter(before), "removed")
        yield from self._side("+", added, iter(after), "added")

    def _side(self, mark: str, rows: list[_Row], marks: Iterator[Spans], style: str) -> Iterator[Line]:
        for row in rows:
            yield (Piece(row.text, "dim"),) if row.is_note else self._row(mark, row.text, next(marks), style)

    def _row(self, mark: str, text: str, spans: Spans, style: str) -> Line:
        start, end = self._window(text, spans)
        pieces = [Piece(mark, style)]
        if start:
            pieces.append(Piece(f"{counted(start, 'character')} before … ", "dim"))
        position = start
        for span in spans:
            if span.end <= start or span.start >= end:
                continue
            pieces.append(Piece(text[position : span.start], style))
            pieces.append(Piece(text[max(span.start, start) : min(span.end, end)], f"{style}-word"))
            position = min(span.end, end)
        pieces.append(Piece(text[position:end], style))
        if end < len(text):
            pieces.append(Piece(more_characters(len(text) - end), "dim"))
        return tuple(piece for piece in pieces if piece.text)

    def _window(self, text: str, spans: Spans) -> tuple[int, int]:
        if len(text) <= self._cut:
            return 0, len(text)
        start = max(spans[0].start - _LEAD, 0) if spans else 0
        return start, min(start + self._cut, len(text))


def _content(rows: list[_Row]) -> list[str]:
    return [row.text for row in rows if not row.is_note]


def _word_marks(removed: list[str], added: list[str]) -> tuple[list[Spans], list[Spans]]:
    """What to stress on each side; only rows that are opposite each other are compared by words."""
    before: list[Spans] = [() for _ in removed]
    after: list[Spans] = [() for _ in added]
    if not removed or not added:
        return before, after
    from steadyhand.text.words import word_changes

    for index, (old, new) in enumerate(zip(removed, added, strict=False)):
        spans_before, spans_after = word_changes(old, new)
        if not (_is_whole(spans_before, old) and _is_whole(spans_after, new)):
            before[index], after[index] = tuple(spans_before), tuple(spans_after)
    return before, after


def _is_whole(spans: Iterable[Span], text: str) -> bool:
    """Stressing everything stresses nothing."""
    return sum(span.length for span in spans) == len(text)


def _without_uniform_returns(rows: list[str]) -> list[str]:
    """A diff of a CRLF file, without the return at the end of every row: where all have it, it says nothing."""
    body = [row for row in rows if row[:1] in ("-", "+", " ") and not row.startswith(("--- ", "+++ "))]
    if not body or not all(row.endswith("\r") for row in body):
        return rows
    return [row.removesuffix("\r") for row in rows]


_REMARKS = 5
_QUIET_FILES = 5  # with --quiet, more than these are counted
_DIFF_ROWS = 120  # after an edit; `show` prints all of it
_PREVIEW = {
    "created": "would create",
    "edited": "would edit",
    "written": "would write",
    "deleted": "would delete",
    "renamed": "would rename",
    "mode": "would change the mode of",
}
_DONE = {"mode": "changed the mode of"}


def receipt_lines(
    receipt: Receipt,
    *,
    back: tuple[str, str] | None,
    width: int | None,
    quiet: bool = False,
    phrases: Phrases | None = None,
) -> list[Line]:
    """The whole answer; `back` is the word for taking it back, and the command that does.

    `phrases` is how the command says hints.
    """
    lines: list[Line] = [] if quiet else diff_lines(receipt.diff(), width=width, limit=_DIFF_ROWS)
    if receipt.undoes:
        word = "undid" if receipt.id is not None else "would undo"
        lines.append(
            (Piece(word, "good" if receipt.id is not None else "place"), Piece(f" {', '.join(receipt.undoes)}"))
        )
    is_long = quiet and len(receipt.files) > _QUIET_FILES
    summaries = [_count_line(receipt)] if is_long else [_file_line(receipt, file) for file in receipt.files]
    way = _way_back(receipt, back) if back is not None else ()
    if way and len(summaries) == 1:
        summaries[0] = (*summaries[0], Piece(" · ", "dim"), *way)
    lines += summaries
    if receipt.held:
        lines.append((Piece("held for review", "place"), Piece(", not on disk yet", "dim")))
    if receipt.format is not None and not is_long:
        notes = [f"read as {receipt.format}", *receipt.remarks[:_REMARKS]]
        more = len(receipt.remarks) - _REMARKS
        notes += [f"and {counted(more, 'more note')}, all of them with --json"] if more > 0 else []
        lines += [(Piece("  note: ", "dim"), Piece(words)) for words in notes]
    for outcome in receipt.outcomes if not is_long else [each for each in receipt.outcomes if each.error is not None]:
        lines += _outcome_lines(outcome, phrases, is_only=len(receipt.outcomes) == 1)
    if way and len(summaries) != 1:
        lines.append(way)
    return lines


def _count_line(receipt: Receipt) -> Line:
    """Very many files in one line: how many of them were created, edited, deleted."""
    words = _PREVIEW if receipt.id is None else _DONE
    found = Counter(file.status for file in receipt.files)
    said = ", ".join(f"{words.get(status, status)} {counted(number, 'file')}" for status, number in found.items())
    return (Piece(said, "good" if receipt.id is not None else "place"),)


def _way_back(receipt: Receipt, back: tuple[str, str]) -> Line:
    """How to take the change back, or that nothing can: of a file with secrets no content is kept."""
    secret = [visible_name(file.path) for file in receipt.files if file.redacted]
    if not secret:
        return (Piece(f"{back[0]} with: ", "dim"), Piece(back[1]))
    which = f" ({', '.join(secret)})" if len(secret) < len(receipt.files) else ""
    return (Piece("not undoable: ", "warning"), Piece(f"content with secrets is not kept{which}"))


def _file_line(receipt: Receipt, file: FileReceipt) -> Line:
    words = _PREVIEW if receipt.id is None else _DONE
    verb = Piece(words.get(file.status, file.status), "good" if receipt.id is not None else "place")
    name = visible_name(file.path)
    if file.path_before is not None and file.path_before != file.path:
        name = f"{visible_name(file.path_before)} to {name}"
    return (verb, Piece(f" {name}"), Piece(_lines_of(receipt, file)))


def _lines_of(receipt: Receipt, file: FileReceipt) -> str:
    """Where the edits of one file are now: ` lines 3–5, 9`."""
    if file.status not in ("edited", "renamed"):
        return ""
    spans = [
        outcome.lines for outcome in receipt.outcomes if outcome.path == file.path and outcome.applied and outcome.lines
    ]
    if not spans:
        return ""
    shown = ", ".join(span_of_lines(*span) for span in spans[:6])
    more = f" and {len(spans) - 6} more" if len(spans) > 6 else ""
    is_one = len(spans) == 1 and spans[0][0] >= spans[0][1]
    return f" line {shown}" if is_one else f" lines {shown}{more}"


def _outcome_lines(outcome: Outcome, phrases: Phrases | None, *, is_only: bool) -> list[Line]:
    """What an edit has to add: a match that was not exact, places left alone, a refusal inside a partial success."""
    lines: list[Line] = []
    where = visible_name(outcome.path) if outcome.path else f"edit {outcome.index + 1}"
    if outcome.error is not None:
        from steadyhand.surfaces.cli.refusal import error_lines

        lines.append((Piece("not applied: ", "error"), Piece(f"edit {outcome.index + 1}, {where}")))
        lines += [(Piece("  "), *line) for line in error_lines(outcome.error, phrases=phrases)]
    found = finding(outcome.tier, outcome.confidence, outcome.similarity, outcome.differs) if outcome.applied else None
    if found is not None:
        which = "" if is_only else f"edit {outcome.index + 1}, {where}{lines_of(outcome.lines)}: "
        style = "dim" if outcome.tier == "newline" else "warning"
        lines.append((Piece("  note: ", style), Piece(f"{which}{found}")))
    if outcome.applied:
        which = "" if is_only else f"edit {outcome.index + 1}, {where}: "
        lines += [(Piece("  note: ", "dim"), *head_of(f"{which}{note}")) for note in outcome.notes]
    if outcome.applied and outcome.others:
        places = ", ".join(str(line) for line in outcome.others[:10])
        more = len(outcome.others[10:]) + outcome.more_others
        rest = f" and {more} more" if more else ""
        lines.append((Piece("  note: ", "dim"), Piece(f"left alone in {where}: the same text at line {places}{rest}")))
    return lines


def finding(tier: str | None, confidence: float | None, similarity: float | None, differs: Sequence[str]) -> str | None:
    """A sentence on a place that was found with differences; None where there were none.

    >>> finding("whitespace", 0.98, 0.96, ("indentation",))
    'matched ignoring indentation (confidence 0.98)'
    """
    if tier in (None, "exact") or tier in _addresses():
        return None
    name, share = ("similarity", similarity) if confidence is None else ("confidence", confidence)
    sure = "" if share is None or share >= 1 else f" ({name} {min(share, 0.99):.2f})"  # only what is whole is 1.00
    return f"matched ignoring {', '.join(differs) or f'{tier} differences'}{sure}"


def _addresses() -> Container[str]:
    """The kinds of targets that stand for a tier where nothing was quoted; they overlook nothing."""
    from steadyhand.structure.target import targets  # the list of commands must not load them

    return targets()


def lines_of(lines: tuple[int, int] | None) -> str:
    """Where a text is now: ` line 3`, ` lines 3–5`, or nothing.

    >>> lines_of((3, 5))
    ' lines 3–5'
    """
    if lines is None:
        return ""
    return f" line{'' if lines[0] >= lines[1] else 's'} {span_of_lines(*lines)}"


def fact_lines(facts: Iterable[tuple[str, object]]) -> list[Line]:
    """Names and values, aligned."""
    rows = [(name, str(value)) for name, value in facts]
    column = max((cells(name) for name, _ in rows), default=0)
    return [(Piece(pad(name, column) + "  ", "dim"), Piece(value)) for name, value in rows]


def table_row(texts: Sequence[str], widths: Sequence[int]) -> str:
    """Cells of a table on one line, each in its column."""
    return "  ".join(pad(text, width) for text, width in zip(texts, widths, strict=True)).rstrip()


# The answer of a command that changed something, as lines or JSON, and how far long work has come.
#
# Progress goes to stderr: a bar for a person, a plain line now and then in a pipe, nothing under --json. Documents have
# no contents of files; `diff` and `show` give those as a diff.

_BAR = 24
_TERMINAL_PAUSE = 0.1
_PIPE_PAUSE = 5.0


class Progress:
    """Called with how much is done and, where known, of how much; silent during the first moment."""

    def __init__(self, output: Output, what: str) -> None:
        self._what = what
        self._bar = sys.stderr.isatty()
        self._on = not output.json and (self._bar or not output.quiet)  # the bar is gone when the answer comes
        self._next = time.monotonic() + (0.3 if self._bar else _PIPE_PAUSE)
        self._drawn = ""

    def __call__(self, done: int, total: int | None = None, more: str = "") -> None:
        now = time.monotonic()
        if not self._on or now < self._next:
            return
        self._next = now + (_TERMINAL_PAUSE if self._bar else _PIPE_PAUSE)
        drawn, said = f"{self._what} {_draw(done, total)}{more}", f"{self._what}: {_say(done, total)}{more}"
        if not self._bar and said == self._drawn:  # a log of a night's waiting has one line of it
            return
        self._drawn = said
        sys.stderr.write(f"\r\x1b[2K{drawn}" if self._bar else f"{said}\n")
        sys.stderr.flush()

    def close(self) -> None:
        """Take the bar away; the answer follows."""
        if self._drawn and self._bar:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()


@contextmanager
def progress(output: Output, what: str) -> Iterator[Progress]:
    """Progress that cleans up after itself, also on an error."""
    shown = Progress(output, what)
    try:
        yield shown
    finally:
        shown.close()


def _draw(done: int, total: int | None) -> str:
    if not total:
        return f"{done:,}"
    filled = min(done * _BAR // total, _BAR)
    return f"{'█' * filled}{'░' * (_BAR - filled)} {_say(done, total)}"


def _say(done: int, total: int | None) -> str:
    return f"{done:,} of {total:,}" if total else f"{done:,}"


def report(invocation: Invocation, receipt: Receipt, *, back: Literal["undo", "redo"] = "undo") -> int:
    """Print a receipt; `back` is the command that takes it back.

    When some edits were refused and others applied, the code is that of the first refusal.
    """
    output = invocation.output
    refused = receipt.error
    document: dict[str, object] = {"ok": refused is None, "receipt": receipt.to_json()}
    if refused is not None:
        document["error"] = refused.to_json()
    output.document(document)
    if not output.json:
        command = (back, invocation.command_line(f"{back} {receipt.id}")) if receipt.id is not None else None
        width = cut_width(invocation)
        output.print(receipt_lines(receipt, back=command, width=width, quiet=output.quiet, phrases=invocation.phrases))
        for warning in receipt.warnings:
            if warning not in receipt.remarks:  # these are among the notes
                output.warn(warning)
    return refused.kind.exit_code if refused is not None else 0


def cut_width(invocation: Invocation) -> int | None:
    """The width of the terminal, on which long lines are cut sooner than in a pipe."""
    return invocation.output.width if invocation.output.is_terminal else None


def entry_document(entry: Entry) -> dict[str, object]:
    """One record, as `log` and `show` give it."""
    record = entry.record
    return {
        "id": record.id,
        "seq": entry.seq,
        "time": record.time,
        "actor": record.actor,
        "task": record.task,
        "tool": record.tool,
        "verb": record.verb,
        "state": str(entry.state),
        "note": entry.note,
        "reason": record.reason,
        "undoes": list(record.undoes),
        "undone_by": entry.undone_by,
        "files": [_change(change) for change in record.files],
    }


def _change(change: FileChange) -> dict[str, object]:
    return {
        "path": change.path,
        "status": change.status,
        "before": _state(change.before),
        "after": _state(change.after),
        "redacted": change.redacted,
        "edits": [fields_as_json(edit, "splices", "forced", "outcome", "kind") for edit in change.edits],
    }


def _state(state: FileState | None) -> dict[str, object] | None:
    return None if state is None else {"path": state.path, "digest": state.digest, "mode": f"{state.mode:04o}"}


def why_document(why: Why) -> dict[str, object]:
    """Where one line comes from."""
    record = why.origin.record if why.origin is not None else None
    by = record or why.outside
    return {
        "line": why.line,
        "text": why.text,
        "since": why.since,
        "record": record.id if record else None,
        "time": by.time if by else None,
        "actor": by.actor if by else None,
        "task": by.task if by else None,
        "reason": why.reason or (record.reason if record else None),
        "edit": why.edit_index,
        **({} if why.outside is None else {"outside": why.outside.id, "tool": why.outside.tool}),
        **({} if why.doubt is None else {"doubt": why.doubt}),
    }


def check_document(result: CheckReport) -> dict[str, object]:
    """What `check` found. Files changed by someone else are listed, and are not a fault of the journal."""
    document: dict[str, object] = {
        "ok": result.ok,
        "files_checked": result.files_checked,
        "records_checked": result.records_checked,
        "problems": [
            {"kind": str(problem.kind), "seq": problem.seq, "message": problem.message} for problem in result.problems
        ],
        "pending": list(result.pending),
        "drifted": [fields_as_json(each) for each in result.drifted],
        "notes": list(result.notes),
    }
    return document if result.ok else {**document, "error": check_error(result).to_json()}


def check_error(result: CheckReport) -> EditError:
    """A check that found something wrong, as a refusal."""
    wrong = len(result.problems) + len(result.pending)
    if not result.pending and all(problem.kind == "index" for problem in result.problems):
        message = f"{wrong} of the journal's indexes cannot be relied on"
        hint = RunCommand("journal reindex", "rebuilds them from the log")
        return EditError(Kind.JOURNAL_DAMAGED, message, hint=hint)
    return EditError(
        Kind.JOURNAL_DAMAGED,
        f"{wrong} of the journal's entries cannot be relied on",
        hint="damaged records cannot be undone; keep a copy of .steadyhand and continue from the current files",
    )


def gc_document(result: GcReport) -> dict[str, object]:
    """What `gc` dropped and kept."""
    return {"ok": True, **fields_as_json(result, "dry_run", "vacuumed"), "preview": result.dry_run}


def table_lines(head: Sequence[str], rows: Sequence[Sequence[str]], *, names: int, width: int) -> list[Line]:
    """The lines of a table. The first `names` columns hold names, which are cut where the table is too wide.

    A column without a value is left out. What is too wide even so loses its last columns: the first ones are those to
    be compared.
    """
    filled = [column for column in range(len(head)) if column < names or any(row[column] for row in rows)]
    shown = [[visible_line(row[column]) for column in filled] for row in (head, *rows)]
    widths = [max(cells(row[column]) for row in shown) for column in range(len(filled))]
    for _ in range(sum(widths) + _GAP * (len(widths) - 1) - width):
        widest = max(range(names), key=lambda column: widths[column])
        if widths[widest] <= _SHORTEST:
            break
        widths[widest] -= 1
    kept = len(widths)
    while kept > names + 1 and sum(widths[:kept]) + _GAP * (kept - 1) > width:
        kept -= 1
    lines: list[Line] = []
    for number, row in enumerate(shown):
        parts = []
        for column in range(kept):
            text = fit(row[column], widths[column])
            parts.append(pad(text, widths[column]) if column < names else " " * (widths[column] - cells(text)) + text)
        lines.append((Piece((" " * _GAP).join(parts).rstrip(), "heading" if number == 0 else "plain"),))
    return lines
