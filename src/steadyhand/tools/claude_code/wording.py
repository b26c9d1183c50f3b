"""What Claude Code's models are used to reading: the first words of its answers, before ours."""

from __future__ import annotations

from steadyhand.errors import EditError, Kind
from steadyhand.session.receipt import Receipt
from steadyhand.tools.answer import NOT_FOUND, Answer, answer_refusal, matches_of
from steadyhand.tools.told import how_found, lines_now, replacements, was_created

__all__ = ["answer_edit", "tell_change"]


def answer_edit(error: EditError, *, names_edit: bool = False) -> Answer:
    """The answer for a refused edit or write; `names_edit` says which of several edits it was."""
    said, index = _said(error), error.details.get("index")
    if names_edit and isinstance(index, int):
        said = f"Edit {index + 1}: {said or 'refused.'}"
    return answer_refusal(error, said)


def tell_change(receipt: Receipt, shown: str, *, everywhere: bool = False) -> str:
    """What an edit did, with the lines as they are now."""
    if was_created(receipt):
        return f"File created successfully at: {shown}"
    head = f"The file {shown} has been updated."
    if everywhere:
        count = replacements(receipt)
        head += " All occurrences were replaced." if count is None else f" Occurrences replaced: {count}."
    lines = lines_now(receipt, "cat")
    snippet = f"Here's the result of running `cat -n` on a snippet of the edited file:\n{lines}" if lines else None
    return "\n".join(part for part in (head, how_found(receipt), snippet) if part)


def _said(error: EditError) -> str | None:
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
        case Kind.STALE_SOURCE:
            return "File has been modified since read. Read it again before attempting to write it."
        case kind:
            return "String to replace not found in file." if kind in NOT_FOUND else None
