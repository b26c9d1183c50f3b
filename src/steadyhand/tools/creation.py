"""A new file from an edit with an empty old text, which is how several tools spell creation."""

from __future__ import annotations

from steadyhand.errors import EditError, Kind
from steadyhand.plan.edit import Replace
from steadyhand.session.batch import Batch
from steadyhand.session.receipt import Receipt
from steadyhand.tools.call import Call

__all__ = ["create_or_fill", "created"]


def create_or_fill(batch: Batch, path: str, text: str) -> None:
    """Make the file, or put the text into one that is empty. Refuses with `exists-already` where there is more."""
    try:
        batch.create(path, text)
    except EditError as error:
        if error.kind is not Kind.EXISTS_ALREADY:
            raise
        try:
            batch.edit(path, Replace("", text))
        except EditError as cause:
            raise (error if cause.kind is Kind.BAD_REQUEST else cause) from None


def created(call: Call, path: str, text: str, reason: str) -> Receipt:
    """The same in a transaction of its own."""
    with call.workspace.transaction(reason=reason) as batch:
        create_or_fill(batch, path, text)
    return batch.receipt
