"""The answer of a command that changed something, as lines or JSON, and how far long work has come.

Progress goes to stderr: a bar for a person, a plain line now and then in a pipe, nothing under --json. Documents have
no contents of files; `diff` and `show` give those as a diff.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.output import Output
from steadyhand.surfaces.cli.render import receipt_lines

if TYPE_CHECKING:
    from steadyhand.session.receipt import Receipt
    from steadyhand.workspace.history.file_history import Why
    from steadyhand.workspace.history.outside import CheckReport
    from steadyhand.workspace.journal.gc import GcReport
    from steadyhand.workspace.journal.record import EditNote, Entry, FileChange, FileState


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
        self._drawn = False

    def __call__(self, done: int, total: int | None = None) -> None:
        now = time.monotonic()
        if not self._on or now < self._next:
            return
        self._next = now + (_TERMINAL_PAUSE if self._bar else _PIPE_PAUSE)
        self._drawn = True
        sys.stderr.write(
            f"\r\x1b[2K{self._what} {_draw(done, total)}" if self._bar else f"{self._what}: {_say(done, total)}\n"
        )
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
        "edits": [_edit(edit) for edit in change.edits],
    }


def _state(state: FileState | None) -> dict[str, object] | None:
    return None if state is None else {"path": state.path, "digest": state.digest, "mode": f"{state.mode:04o}"}


def _edit(edit: EditNote) -> dict[str, object]:
    return {
        "reason": edit.reason,
        "tier": edit.tier,
        "similarity": edit.similarity,
        "lines": list(edit.lines) if edit.lines else None,
        "differs": list(edit.differs),
    }


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
        "drifted": [
            {"path": d.path, "state": d.state, "record": d.record, "expected": d.expected, "actual": d.actual}
            for d in result.drifted
        ],
        "notes": list(result.notes),
    }
    return document if result.ok else {**document, "error": check_error(result).to_json()}


def check_error(result: CheckReport) -> EditError:
    """A check that found something wrong, as a refusal."""
    wrong = len(result.problems) + len(result.pending)
    return EditError(
        Kind.JOURNAL_DAMAGED,
        f"{wrong} of the journal's entries cannot be relied on",
        hint="damaged records cannot be undone; keep a copy of .steadyhand and go on from the files as they are",
    )


def gc_document(result: GcReport) -> dict[str, object]:
    """What `gc` dropped and kept."""
    return {
        "ok": True,
        "dropped_images": result.dropped_images,
        "dropped_bytes": result.dropped_bytes,
        "kept_images": result.kept_images,
        "kept_bytes": result.kept_bytes,
        "preview": result.dry_run,
    }
