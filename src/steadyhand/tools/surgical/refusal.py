"""Refusals of this toolset's edits: the edit that would go through instead, told as a call of `edit_file`."""

from __future__ import annotations

from collections.abc import Mapping

from steadyhand.errors import EditError
from steadyhand.tools.result import failure
from steadyhand.tools.tool import Result

__all__ = ["refused"]

_NUMBERS: Mapping[object, int] = {"first": 1, "last": -1, "all": 0}


def refused(error: EditError) -> Result:
    """The refusal; `corrected` in its details, if it is offered, has the fields of `edit_file`."""
    details = dict(error.details)
    offered = details.pop("corrected", None)
    call = _call(offered) if isinstance(offered, Mapping) else None
    if call is not None:
        details["corrected"] = {"tool": "edit_file", "path": details.get("path"), **call}
    return failure(EditError(error.kind, error.message, hint=error.hint, details=details))


def _call(edit: Mapping[object, object]) -> dict[str, object] | None:
    """The fields that say the same edit; None where there are none for it."""
    target, new = edit.get("target"), edit.get("new")
    match target:
        case {"old": {"text": str(text)}} | {"old": str(text)} | str(text):
            pass
        case _:
            return None
    if not isinstance(new, str):
        return None
    occurrence = edit.get("occurrence")
    number = occurrence if isinstance(occurrence, int) else _NUMBERS.get(occurrence)
    return {"old_content": text, "new_content": new} | ({} if number is None else {"occurrence": number})
