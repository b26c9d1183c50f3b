"""Refusals about records, with what this toolset has for looking at them and taking them back."""

from __future__ import annotations

from steadyhand.errors import EditError, Kind
from steadyhand.tools.advice import advised
from steadyhand.tools.result import failure
from steadyhand.tools.tool import Result

__all__ = ["refused"]


def refused(error: EditError) -> Result:
    """The refusal; where no record is meant that stands, where to look for one."""
    undo = error.details.get("undone_by")
    if undo is not None:
        return failure(advised(error, f"to have it again, undo {undo}"))
    is_unknown = error.kind is Kind.NO_SUCH_FILE and "id" in error.details
    if is_unknown or (error.kind is Kind.CANNOT_UNDO and "record" not in error.details):
        return failure(advised(error, "look with history for a change that stands, and give its id"))
    return failure(error)
