"""What Claude Code's models are used to reading: the first words of its answers, before ours."""

from __future__ import annotations

from steadyhand.errors import EditError, Kind
from steadyhand.session.receipt import Receipt
from steadyhand.tools.answer import NOT_FOUND, Answer, matches_of
from steadyhand.tools.told import how_found, lines_now, replacements, tell, was_created

__all__ = ["said_of", "said_of_one", "tell_change"]


def said_of_one(error: EditError) -> str | None:
    """The same for one of several edits: it says which."""
    said, index = said_of(error), error.details.get("index")
    return f"Edit {index + 1}: {said or 'refused.'}" if isinstance(index, int) else said


def tell_change(receipt: Receipt, shown: str, *, everywhere: bool = False) -> Answer:
    """What an edit did, with the lines as they are now."""
    if was_created(receipt):
        return Answer(tell(receipt, f"File created successfully at: {shown}"))
    head = f"The file {shown} has been updated."
    if everywhere:
        count = replacements(receipt)
        head += " All occurrences were replaced." if count is None else f" Occurrences replaced: {count}."
    lines = lines_now(receipt, "cat")
    snippet = f"Here's the result of running `cat -n` on a snippet of the edited file:\n{lines}" if lines else None
    return Answer(tell(receipt, head, how_found(receipt), snippet))


def said_of(error: EditError) -> str | None:
    """The sentence for a refused edit or write."""
    match error.kind:
        case Kind.AMBIGUOUS_MATCH:
            return (
                f"Found {matches_of(error)} matches of the string to replace, but replace_all is false. "
                "Set it to true to replace them all, or quote more of the lines around the one you mean."
            )
        case Kind.NO_CHANGE:
            return "No changes to make."
        case Kind.NO_SUCH_FILE:
            return "File does not exist."
        case Kind.EXISTS_ALREADY:
            return "Cannot create new file - file already exists."
        case Kind.STALE_SOURCE if error.details.get("expected") is None:
            return "File has not been read yet. Read it first before writing to it."
        case Kind.STALE_SOURCE if error.details["expected"] == error.details.get("actual"):
            return "File has been read only in part. Read the rest of it before writing to it."
        case Kind.STALE_SOURCE:
            return "File has been modified since read. Read it again before attempting to write it."
        case kind:
            return "String to replace not found in file." if kind in NOT_FOUND else None
