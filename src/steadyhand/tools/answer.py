"""What a tool's caller is told, and how a refusal becomes such an answer.

A model's mistake is an answer, never an exception: most frameworks hide what an exception says. The first line is
what the tool's documentation promises, where it promises something; what helps comes after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from steadyhand.errors import EditError, Kind

__all__ = ["NOT_FOUND", "Answer", "answer_refusal", "lines_of_matches", "matches_of"]

# The old text does not stand in the file as it was sent, whatever else was found there.
NOT_FOUND = (Kind.NO_MATCH, Kind.LOW_CONFIDENCE, Kind.DRIFT_CONFLICT, Kind.ALREADY_APPLIED)

_LONE = re.compile("[\ud800-\udfff]")
_QUOTED = 3  # places for which an old text is proposed
_QUOTED_LENGTH = 300

# These tools have no argument for what the engine would suggest; None leaves the message to speak for itself.
_HINTS: Mapping[Kind, str | None] = {
    Kind.AMBIGUOUS_MATCH: None,
    Kind.STALE_SOURCE: "read it first, then send this call again if it is still what you want",
    Kind.SUSPICIOUS_SHRINK: "edit the lines that change, and leave the others as they are",
    Kind.NOT_TEXT: "name a text file",
    Kind.READ_ONLY: None,
    Kind.CANNOT_UNDO: None,
}


@dataclass(frozen=True, slots=True)
class Answer:
    """One call's answer: the text for the model, whether it is an error, and the kind of refusal if it is one.

    The text can always be encoded: a byte of a file that is no text shows as U+FFFD.
    """

    content: str
    is_error: bool = False
    kind: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "content", _LONE.sub("\ufffd", self.content))

    def to_json(self) -> dict[str, object]:
        """`kind` is left out where there is none."""
        facts: dict[str, object] = {"content": self.content, "is_error": self.is_error}
        return facts if self.kind is None else facts | {"kind": self.kind}


def answer_refusal(error: EditError, said: str | None = None) -> Answer:
    """The answer for a refusal: `said` is the sentence the tool's documentation has for it, if any.

    >>> print(answer_refusal(EditError(Kind.NO_SUCH_FILE, "there is no file a", hint="name one")).content)
    Error: there is no file a
    Hint: name one
    """
    head = [f"Error: {error.message}"] if said is None else [said, error.message]
    return Answer("\n".join([*head, *_help_for(error)]), is_error=True, kind=str(error.kind))


def matches_of(error: EditError) -> str:
    """How many places an ambiguous old text stands in, as far as they were counted."""
    total = error.details.get("total", "several")
    return str(total) if error.details.get("total_is_exact", True) else f"more than {total}"


def lines_of_matches(error: EditError) -> str:
    """The lines at which an ambiguous old text begins."""
    lines = [str(lines[0]) for place in _places(error) if isinstance(lines := place.get("lines"), list)]
    has_more = str(len(lines)) != matches_of(error)
    return ", ".join([*dict.fromkeys(lines), *(["…"] if has_more else [])])


def _help_for(error: EditError) -> Iterator[str]:
    hint = _HINTS.get(error.kind, error.hint)
    if hint is not None:
        yield f"Hint: {hint}"
    if error.kind is not Kind.AMBIGUOUS_MATCH:
        return
    for place in _places(error)[:_QUOTED]:
        lines, old = place.get("lines"), place.get("unique_old")
        if isinstance(lines, list) and isinstance(old, str) and len(old) <= _QUOTED_LENGTH:
            yield f"Hint: this means line {lines[0]} alone:\n{old}"


def _places(error: EditError) -> list[Mapping[str, object]]:
    found = error.details.get("candidates")
    return [place for place in found if isinstance(place, Mapping)] if isinstance(found, list) else []
