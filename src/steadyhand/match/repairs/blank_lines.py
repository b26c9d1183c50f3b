"""Blank lines before and after the text that the file does not have there.

The blank lines go from both texts where both have the same number of them. Where the old text has a single one and
the new text none, the new text is left alone. Anything else says something about blank lines, and so does an edit
that deletes them along with the text: then it is no accident.
"""

from __future__ import annotations

from steadyhand.match.repair import Repair, Repaired, RepairExample
from steadyhand.text.lines import body, split_lines


def repair(old: str, new: str) -> Repaired | None:
    """Both texts from their first line that is not blank to their last."""
    before, after = split_lines(old), split_lines(new)
    head, tail = _edges(before)
    if head + tail in (0, len(before)):
        return None
    kept = "".join(before[head : len(before) - tail])
    if not any(map(str.strip, after)):
        return _deletion(kept, len(after), head + tail)
    if old != new and ((tail and new.startswith(old)) or (head and new.endswith(old))):
        return None  # something is added beyond the blank lines, so they say where
    new_head, new_tail = _edges(after)
    is_single = head + tail == 1 and min(head, new_head) == min(tail, new_tail) == 0
    if not is_single and not (head in (0, new_head) and tail in (0, new_tail)):
        return None
    if tail and new_tail and (body(old) == old) != (body(new) == new):
        return None  # the last blank line is a line on one side and the start of one on the other
    start = min(head, new_head)
    fresh = "".join(after[start : len(after) - min(tail, new_tail)])
    return Repaired(_ended_like(kept, fresh) if tail else kept, fresh)


def _edges(lines: list[str]) -> tuple[int, int]:
    """How many lines are blank at the start and at the end; all of them count as start."""
    filled = [row for row, line in enumerate(lines) if line.strip()]
    return (filled[0], len(lines) - 1 - filled[-1]) if filled else (len(lines), 0)


def _deletion(kept: str, blank_lines: int, edges: int) -> Repaired | None:
    """The new text is the old text's blank lines and nothing else. Whole lines go, or it is not certain."""
    return Repaired(kept, "") if body(kept) != kept and blank_lines == edges else None


def _ended_like(old: str, new: str) -> str:
    """The old text without its last ending where the new one has none, so that no two lines are joined."""
    return old if body(new) != new else body(old)


REPAIR = Repair(
    name="blank lines",
    rank=30,
    summary="Blank lines before or after the old text are taken off.",
    apply=repair,
    examples=(
        RepairExample("\na\n", "\nb\n", "a\n", "b\n"),
        RepairExample("a\n\n", "b\n\n", "a\n", "b\n"),
        RepairExample("\n\n  a", "\n\n  b", "  a", "  b"),
        RepairExample("a\n\nb\n \n", "a\n\nc\n\n", "a\n\nb\n", "a\n\nc\n"),
        RepairExample("\na\n", "b\n", "a\n", "b\n"),
        RepairExample("a\n\n", "b", "a", "b"),
        RepairExample("a\n    ", "b", "a", "b"),
        RepairExample("a\r\n\r\n", "b\r\n", "a\r\n", "b\r\n"),
        RepairExample("\na\n", "\nb\n\n", "a\n", "b\n\n"),
        RepairExample("\na\n\n", "\n\n", "a\n", ""),
    ),
    leaves=(
        RepairExample("a\n", "\nb\n"),
        RepairExample("a\n\nb", "a\nb"),
        RepairExample("\n\n", "a\n"),
        RepairExample("", ""),
        RepairExample("a\n\n\n", "a\n\n"),
        RepairExample("a\n\n\n", "a\n"),
        RepairExample("a\n\n", "a\n\n\n"),
        RepairExample("\na", ""),
        RepairExample("a\n\n", ""),
        RepairExample("\na\n\n", "b\n"),
        RepairExample("a\n\n", "b\n\t"),
        RepairExample("\na\n\n", "\nb\n"),
        RepairExample("\na\n", "\n\n\n"),
    ),
    is_of_lines=True,
)
