"""What a reader finds in a reply: requests on files, and what it had to leave out to read them. Pure data."""

from __future__ import annotations

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Advice
from steadyhand.lazy import dataclass
from steadyhand.plan.request import FileRequest

__all__ = ["Note", "Piece", "malformed"]


@dataclass(frozen=True, slots=True)
class Piece:
    """One request as a reply makes it; `lines` is where in the reply it is (from 1, both included).

    The request's path is as the reply writes it, and empty where it names none. Edits of one file come one by one,
    a piece each, in the order of the reply.
    """

    request: FileRequest
    lines: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Note:
    """Something of a reply that is no part of the patch and was left out, or was read as something else.

    `what` completes "line 3: …", such as "a code fence around the patch". Prose before and after is not worth a note
    in a dialect that allows it; a strict reading refuses every note. `part` is the first and last line of a part of the
    patch that changes nothing.
    """

    line: int
    what: str
    part: tuple[int, int] | None = None


def malformed(line: int, what: str, expected: str, *, column: int = 1, format: str, hint: Advice = None) -> EditError:
    """A refusal of the reply at a line and column, with what should have been there."""
    return EditError(
        Kind.MALFORMED_PATCH,
        f"line {line}, column {column} of the reply: {what}",
        hint=hint if hint is not None else f"expected there: {expected}",
        details={"line": line, "column": column, "expected": expected, "format": format},
    )
