"""The text an edit writes, fitted to its place: line endings of the neighbours, whole lines where lines are meant.

Everything else in new text is literal: no pattern, no escape, no blank is ever interpreted here.
"""

from __future__ import annotations

from steadyhand.text.diff import diff_rows
from steadyhand.text.lines import NewlineFacts, body, line_ending, split_lines


def fit_endings(new: str, region: str, newline: str) -> str:
    """New text for a region: each bare LF becomes `newline`, or the ending of the line it stands for.

    Text that has CR LF itself says what it wants and stays as it is.

    >>> fit_endings("x\\ny", "a", "\\r\\n")
    'x\\r\\ny'
    """
    if "\n" not in new or "\r\n" in new:
        return new
    if "\r" in region and "\n" in region and NewlineFacts.of(region).uniform is None:
        return _line_by_line(new, region, newline)
    return new if newline == "\n" else new.replace("\n", newline)


def fit_lines(content: str, region: str, newline: str, *, literal: bool) -> str:
    """Whole lines for a region of whole lines: its last line's ending stays, or stays away.

    A final newline in the content is optional; only where the region has none does it make a difference.
    """
    ending = line_ending(region)
    if not content:
        return ""
    if literal or "\r" in content:
        return content if line_ending(content) else content + ending
    lines = content.removesuffix("\n")
    return fit_endings(lines, region, newline) + (ending or (newline if lines != content else ""))


def fit_insertion(content: str, newline: str, *, before: str, is_end: bool, literal: bool) -> str:
    """Whole lines between two lines; `before` is the character in front, `is_end` whether nothing follows.

    After a last line without ending, that line gets one first and the new last line has none, unless it brings it.
    """
    if not content:
        return ""
    fitted = content if literal else fit_endings(content, "", newline)
    if is_end and before not in ("", "\n", "\r"):
        return newline + fitted
    is_whole = line_ending(fitted) or (is_end and not before)
    return fitted if is_whole else fitted + newline


def _line_by_line(new: str, region: str, newline: str) -> str:
    """Lines that stay keep their own ending; lines that are new take that of the line they stand for or follow."""
    old, lines = split_lines(region), split_lines(new)
    endings = [line_ending(line) for line in old]
    chosen = [""] * len(lines)
    position = row = 0
    changes = diff_rows([body(line) for line in old], [body(line) for line in lines])
    for change in changes:
        chosen[row : change.after_start] = endings[position : change.before_start]
        for index in range(change.after_start, change.after_end):
            stands_for = min(change.before_start + index - change.after_start, max(change.before_end - 1, 0))
            chosen[index] = (
                endings[stands_for]
                if change.before_end > change.before_start
                else _ending_before(change.before_start, endings)
            )
        position, row = change.before_end, change.after_end
    chosen[row:] = endings[position:]
    fitted: list[str] = []
    for line, ending in zip(lines, chosen, strict=True):
        piece = body(line) + (ending or newline) if line.endswith("\n") else line
        joins = piece == "\n" and bool(fitted) and fitted[-1].endswith("\r")
        fitted.append("\r" if joins else piece)  # a CR and an LF side by side would be one ending, not two
    return "".join(fitted)


def _ending_before(row: int, endings: list[str]) -> str:
    return endings[row - 1] if row else endings[0] if endings else ""
