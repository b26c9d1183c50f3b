"""What a change did, for people: its diff, then one receipt line per file and how to take it back."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from steadyhand.surfaces.cli.render.diff import diff_lines
from steadyhand.surfaces.terminal import Line, Piece, counted, head_of, visible_name

if TYPE_CHECKING:
    from steadyhand.hints import Phrases
    from steadyhand.plan.outcome import Outcome
    from steadyhand.session.receipt import FileReceipt, Receipt

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
        word = "took back" if receipt.id is not None else "would take back"
        lines.append(
            (Piece(word, "good" if receipt.id is not None else "place"), Piece(f" {', '.join(receipt.undoes)}"))
        )
    is_long = quiet and len(receipt.files) > _QUIET_FILES
    summaries = [_count_line(receipt)] if is_long else [_file_line(receipt, file) for file in receipt.files]
    way = _way_back(receipt, back) if back is not None else ()
    if way and len(summaries) == 1:
        summaries[0] = (*summaries[0], Piece(" · ", "dim"), *way)
    lines += summaries
    if receipt.format is not None and not is_long:
        lines += _reading_lines(receipt)
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


def _reading_lines(receipt: Receipt) -> list[Line]:
    """How a reply was read, and the first of what was left out of it."""
    told = [f"read as {receipt.format}", *receipt.remarks[:_REMARKS]]
    more = len(receipt.remarks) - _REMARKS
    told += [f"and {counted(more, 'more note')}, all of them with --json"] if more > 0 else []
    return [(Piece("  note: ", "dim"), Piece(words)) for words in told]


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
    shown = ", ".join(str(first) if first >= last else f"{first}–{last}" for first, last in spans[:6])
    more = f" and {len(spans) - 6} more" if len(spans) > 6 else ""
    is_one = len(spans) == 1 and spans[0][0] >= spans[0][1]
    return f" line {shown}" if is_one else f" lines {shown}{more}"


def _outcome_lines(outcome: Outcome, phrases: Phrases | None, *, is_only: bool) -> list[Line]:
    """What an edit has to add: a match that was not exact, places left alone, a refusal inside a partial success."""
    from steadyhand.surfaces.cli.render.match import finding, lines_of

    lines: list[Line] = []
    where = visible_name(outcome.path) if outcome.path else f"edit {outcome.index + 1}"
    if outcome.error is not None:
        from steadyhand.surfaces.cli.render.error import error_lines

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
