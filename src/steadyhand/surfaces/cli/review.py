"""Changes to review, as lines: a table of them, one with its diff, one beside the other, and what a task hears."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from steadyhand.surfaces.cli.render import diff_lines
from steadyhand.surfaces.terminal import Line, Piece, cells, counted, fit, pad, visible_line, visible_name
from steadyhand.text.words import word_changes

if TYPE_CHECKING:
    from steadyhand.session.review.change import Feedback, ReviewChange
    from steadyhand.text.span import Span


_WIDE = 150  # columns from which both sides fit beside each other
_CONTEXT = 3
_STATES = {"accepted": "good", "rejected": "removed", "amended": "good", "undecided": "warning"}


def review_table(changes: Sequence[ReviewChange], *, width: int) -> list[Line]:
    """A line for each change: id, place, state, how much, and why."""
    if not changes:
        return [(Piece("nothing waits for a decision", "dim"),)]
    places = [_place(change) for change in changes]
    room = min(max(map(cells, places)), max(20, width // 3))
    lines: list[Line] = []
    for change, place in zip(changes, places, strict=True):
        size = f"+{len(change.after.splitlines())} -{len(change.before.splitlines())}"
        rest = max(10, width - room - 40)
        flags = f" [{', '.join(change.flags)}]" if change.flags else ""
        lines.append(
            (
                Piece(change.id, "id"),
                Piece(f"  {pad(place, room)}  "),
                Piece(pad(change.state, 9), _STATES[change.state]),
                Piece(f"  {pad(size, 9)}  ", "dim"),
                Piece(fit(change.reason or "", max(0, rest - len(flags)))),
                Piece(flags, "warning"),
            )
        )
    return lines


def change_lines(
    change: ReviewChange, rows: Sequence[str], *, width: int, number: int, left: int, total: int
) -> list[Line]:
    """One change with its reason and risks above its diff. `rows` are the lines of the file, for what is around it."""
    who = " · ".join(each for each in (change.actor, change.model, change.task, change.tool, change.tier) if each)
    head: list[Line] = [
        (
            Piece(f"({number}/{total}, {left} left) ", "dim"),
            Piece(_place(change), "place"),
            Piece(f"  {change.id}", "id"),
            *((Piece(f"  {change.state}", _STATES[change.state]),) if change.state != "undecided" else ()),
        ),
        (Piece("reason: ", "hint"), Piece(fit(change.reason or "none given", max(10, width - 8)))),
        (Piece(f"by {visible_line(who)}", "dim"),),
    ]
    if change.flags:
        head.append((Piece("risk: ", "warning"), Piece(", ".join(change.flags), "warning")))
    head += [(Piece("comment: ", "hint"), Piece(fit(each, max(10, width - 9)))) for each in change.comments]
    body = _beside(change, width) if width >= _WIDE and change.status == "edited" else _unified(change, rows, width)
    return [*head, *body]


def feedback_lines(found: Iterable[Feedback]) -> list[Line]:
    """What a reviewer said, a paragraph each."""
    lines: list[Line] = []
    for item in found:
        where = "" if item.lines is None else f":{item.lines[0]}"
        lines.append(
            (
                Piece(f"{item.state} ", _STATES.get(item.state, "hint")),
                Piece(f"{visible_name(item.path)}{where}", "place"),
                Piece(f"  by {visible_line(item.by)}", "dim"),
            )
        )
        if item.remark:
            lines.append((Piece(f"  {visible_line(item.remark)}"),))
        rows = [("-", row, "removed") for row in item.after.splitlines()]
        now = item.before if item.now is None and item.state == "rejected" else item.now or ""
        rows += [("+", row, "added") for row in now.splitlines()]
        if item.state != "commented":
            lines += [(Piece(f"  {sign}{row}", style),) for sign, row, style in rows[:20]]
            if len(rows) > 20:
                lines.append((Piece(f"  … {counted(len(rows) - 20, 'more line')}", "dim"),))
    return lines or [(Piece("no feedback", "dim"),)]


def _place(change: ReviewChange) -> str:
    name = visible_name(change.path)
    if change.status != "edited":
        return f"{name} ({change.status})"
    return name if change.lines is None else f"{name}:{change.lines[0]}"


def _unified(change: ReviewChange, rows: Sequence[str], width: int) -> list[Line]:
    """A diff with some lines around it."""
    if change.status in ("renamed", "mode"):
        return [
            (Piece(f"-{visible_line(change.before)}", "removed"),),
            (Piece(f"+{visible_line(change.after)}", "added"),),
        ]
    if change.status in ("binary", "hidden"):
        return [(Piece("the content is not shown", "dim"),)]
    before, after = change.before.splitlines(), change.after.splitlines()
    above: list[str] = []
    below: list[str] = []
    start = 1
    if change.lines is not None and change.status == "edited":
        start = change.lines[0]
        above = list(rows[max(0, start - 1 - _CONTEXT) : start - 1])
        below = list(rows[start - 1 + len(after) : start - 1 + len(after) + _CONTEXT])
    first = start - len(above)
    around = len(above) + len(below)
    header = f"@@ -{first},{len(before) + around} +{first},{len(after) + around} @@"
    body = [
        *(f" {row}" for row in above), *(f"-{row}" for row in before), *(f"+{row}" for row in after),
        *(f" {row}" for row in below),
    ]  # fmt: skip
    return diff_lines("\n".join([header, *body]) + "\n", width=width, limit=200)


def _beside(change: ReviewChange, width: int) -> list[Line]:
    """Both sides next to each other, words that differ stressed."""
    half = (width - 3) // 2
    lines: list[Line] = []
    for old, new in zip_longest(change.before.splitlines(), change.after.splitlines()):
        marks: tuple[Sequence[Span], Sequence[Span]] = ((), ())
        if old is not None and new is not None:
            marks = word_changes(old, new)
        left = _side(old, marks[0], "removed", half)
        right = _side(new, marks[1], "added", half)
        lines.append((*left, Piece(" │ ", "dim"), *right))
    return lines


def _side(row: str | None, spans: Sequence[Span], style: str, width: int) -> Line:
    """A row in exactly `width` columns; what does not fit is left out with an ellipsis."""
    if row is None:
        return (Piece(" " * width),)
    shown = row.expandtabs(4)
    if shown != row or cells(visible_line(row)) > width or visible_line(row) != row:
        return (Piece(pad(shown, width), style),)
    pieces: list[Piece] = []
    position = 0
    for span in spans:
        pieces += [Piece(row[position : span.start], style), Piece(row[span.start : span.end], f"{style}-word")]
        position = span.end
    pieces += [Piece(row[position:], style), Piece(" " * (width - cells(row)))]
    return tuple(piece for piece in pieces if piece.text)
