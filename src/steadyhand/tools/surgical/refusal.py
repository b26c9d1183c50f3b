"""Refusals of this toolset's edits: the edit that would go through instead, told as a call of `edit_file`."""

from __future__ import annotations

from steadyhand.errors import EditError
from steadyhand.hints import Phrases
from steadyhand.tools.offers import Offer, offering
from steadyhand.tools.result import failure
from steadyhand.tools.tool import Result

__all__ = ["refused"]


def refused(error: EditError, phrases: Phrases) -> Result:
    """The refusal; `corrected` in its details, if it is offered, has the fields of `edit_file`."""

    def call(offer: Offer) -> dict[str, object]:
        path = error.details.get("path")
        return {"tool": "edit_file", "path": path, "old_content": offer.old, "new_content": offer.new}

    return failure(error.advised(error.hints, offering(error, call, takes_number=True)), phrases)
