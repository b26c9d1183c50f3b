"""A refusal for people: kind and message, the facts the message does not hold, the hint."""

from __future__ import annotations

from steadyhand.errors import EditError
from steadyhand.surfaces.terminal import Line, Piece, head_of

_MOST = 12  # lines of facts; programs get them all with --json
# Facts for programs: the message says them in words, or a person has no use for them.
_UNSAID = frozenset(
    (
        "action actual anchor column count end errno guard index limit line line_count lines mode "
        "offset path size start tier total tried verb"
    ).split()
)


def error_lines(error: EditError) -> list[Line]:
    """The message may run over several lines; so may the hint."""
    first, *rest = error.message.split("\n")
    lines: list[Line] = [(Piece(str(error.kind), "error"), Piece(": "), *head_of(first))]
    lines += [(Piece("  "), *head_of(row)) for row in rest]
    lines += _fact_lines(error)
    if error.hint:
        first, *rest = error.hint.split("\n")
        lines.append((Piece("hint: ", "hint"), *head_of(first)))
        lines += [(Piece("  "), *head_of(row)) for row in rest]
    return lines


def _fact_lines(error: EditError) -> list[Line]:
    told = error.message + "\n" + (error.hint or "")
    facts = [
        (key, shown)
        for key, value in error.details.items()
        if key not in _UNSAID and (shown := _show(value)) and shown not in told
    ]
    lines: list[Line] = []
    for key, shown in facts:
        if len(lines) >= _MOST:
            break
        lines += _fact(key.replace("_", " "), shown)
    return lines[:_MOST]


def _fact(name: str, value: str) -> list[Line]:
    """On the line of its name, or, where blanks or newlines count, row by row behind a bar: `  |` is no part of it."""
    label = Piece(f"  {name}:", "dim")
    if "\n" not in value and value == value.strip():
        return [(label, Piece(" "), *head_of(value))]
    return [(label,), *((Piece("  |", "dim"), *head_of(row)) for row in value.split("\n"))]


def _show(value: object) -> str:
    """A fact in words; what has no short form is left to --json."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, list | tuple) and all(isinstance(item, str | int) for item in value):
        return ", ".join(str(item) for item in value)
    return ""
