"""The closed set of ways an edit can be refused, and the one exception that carries them.

Every surface maps :class:`Kind` to its own codes; nobody matches on a message.
Nothing of the package but `hints` may be imported here.

Kinds by what the caller should do next::

    change-request   the call itself must change: no-match, ambiguous-match, bad-request …
    re-read          the caller's picture of the file is old: stale-source, conflict, drift-conflict
    retry-later      the same call may go through in a moment: busy, timed-out, disk-refused
    give-up          no call of this caller can go through: outside-root, protected-path …
    report-bug       Steadyhand itself is wrong: internal
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from steadyhand.hints import Advice, Hint, Phrases, Side

__all__ = ["Action", "EditError", "Kind", "combine_errors"]

_ALSO = 20  # further refusals that are reported beside the first


class Action(StrEnum):
    """What the caller of a refused edit should do next."""

    CHANGE_REQUEST = "change-request"
    RE_READ = "re-read"
    RETRY_LATER = "retry-later"
    GIVE_UP = "give-up"
    REPORT_BUG = "report-bug"


class Kind(StrEnum):
    """Why an edit was refused: a stable kebab-case name with its action, exit code and one-line meaning.

    >>> Kind("no-match").action
    <Action.CHANGE_REQUEST: 'change-request'>
    """

    action: Action
    exit_code: int
    doc: str

    def __new__(cls, value: str, action: Action, exit_code: int, doc: str) -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.action = action
        member.exit_code = exit_code
        member.doc = doc
        return member

    # fmt: off
    NO_MATCH = "no-match", Action.CHANGE_REQUEST, 10, "The old text is nowhere in the file."
    AMBIGUOUS_MATCH = "ambiguous-match", Action.CHANGE_REQUEST, 11, "The old text matches several places, and the edit does not say which."
    LOW_CONFIDENCE = "low-confidence", Action.CHANGE_REQUEST, 12, "A place was found, but the match is not certain enough for this policy."
    COUNT_MISMATCH = "count-mismatch", Action.CHANGE_REQUEST, 13, "The number of places is not the expected one."
    ALREADY_APPLIED = "already-applied", Action.CHANGE_REQUEST, 14, "The old text is gone and the new text is already there."
    NO_CHANGE = "no-change", Action.CHANGE_REQUEST, 15, "The edit would leave the file as it is."
    OVERLAPPING_EDITS = "overlapping-edits", Action.CHANGE_REQUEST, 16, "Two edits of one call touch the same text."
    STALE_SOURCE = "stale-source", Action.RE_READ, 20, "The file is not the version the edit was written for."
    CONFLICT = "conflict", Action.RE_READ, 21, "Another change is in the place where this one would write."
    DRIFT_CONFLICT = "drift-conflict", Action.RE_READ, 22, "The lines to be changed differ from what the edit quotes."
    MALFORMED_PATCH = "malformed-patch", Action.CHANGE_REQUEST, 30, "The patch text does not follow its format."
    OUT_OF_BOUNDS = "out-of-bounds", Action.CHANGE_REQUEST, 31, "A line or offset lies outside the file."
    NO_SUCH_TARGET = "no-such-target", Action.CHANGE_REQUEST, 32, "The address matches nothing in this file."
    UNPARSABLE = "unparsable", Action.CHANGE_REQUEST, 33, "The file cannot be parsed in its format."
    NOT_TEXT = "not-text", Action.GIVE_UP, 34, "The file is not a text file that can be edited."
    UNENCODABLE = "unencodable", Action.CHANGE_REQUEST, 35, "The new text cannot be written in the file's encoding."
    OUTSIDE_ROOT = "outside-root", Action.GIVE_UP, 40, "The path is outside the workspace."
    PROTECTED_PATH = "protected-path", Action.GIVE_UP, 41, "The path is protected from edits."
    NOT_ALLOWED = "not-allowed", Action.GIVE_UP, 42, "The host does not allow this here: extension, article or mode."
    READ_ONLY = "read-only", Action.GIVE_UP, 43, "The workspace or the file is read-only."
    NO_SUCH_FILE = "no-such-file", Action.CHANGE_REQUEST, 44, "There is no such file or record."
    EXISTS_ALREADY = "exists-already", Action.CHANGE_REQUEST, 45, "The file already exists."
    TOO_LARGE = "too-large", Action.GIVE_UP, 46, "The file or the request is larger than the limit."
    PLACEHOLDER_LEFT = "placeholder-left", Action.CHANGE_REQUEST, 50, "The new text has a placeholder instead of actual code."
    SUSPICIOUS_SHRINK = "suspicious-shrink", Action.CHANGE_REQUEST, 51, "A whole-file write would drop most of the file."
    BREAKS_SYNTAX = "breaks-syntax", Action.CHANGE_REQUEST, 52, "The file parsed before and would not parse after."
    UNSEEN_TEXT = "unseen-text", Action.RE_READ, 53, "The edit covers lines this task has never read."
    REASON_REQUIRED = "reason-required", Action.CHANGE_REQUEST, 54, "The policy requires a reason for every edit."
    LOSES_ATTENTION = "loses-attention", Action.CHANGE_REQUEST, 55, "The article would lose its id or an attention rule."
    BAD_REQUEST = "bad-request", Action.CHANGE_REQUEST, 2, "The request is not well formed."
    BUSY = "busy", Action.RETRY_LATER, 60, "Another process is using the file."
    TIMED_OUT = "timed-out", Action.RETRY_LATER, 61, "The work did not finish before its deadline."
    CANCELLED = "cancelled", Action.RETRY_LATER, 62, "The caller cancelled the request."
    NOT_INSTALLED = "not-installed", Action.GIVE_UP, 63, "An optional part of Steadyhand is not installed."
    DISK_REFUSED = "disk-refused", Action.RETRY_LATER, 70, "The operating system refused to read or write."
    JOURNAL_DAMAGED = "journal-damaged", Action.GIVE_UP, 71, "The journal is damaged or unavailable."
    CANNOT_UNDO = "cannot-undo", Action.CHANGE_REQUEST, 72, "The change cannot be undone."
    INTERNAL = "internal", Action.REPORT_BUG, 99, "Steadyhand itself failed."
    # fmt: on


class EditError(Exception):
    """A refusal: what is true (`message`), what to do next (`hints`), and facts for programs (`details`).

    `hint` is the hints in the words of the library; it may be given as plain words, as a hint or as several.
    `subject`: the message is about the `old` or the `new` text of an edit, which every surface has a name of its own
    for; the name is put before it. Nothing was changed when it is raised, unless `details["applied"]` says otherwise.

    >>> raise EditError(Kind.NO_MATCH, "old text not found in a.md", hint="read a.md again")
    Traceback (most recent call last):
        ...
    steadyhand.errors.EditError: no-match: old text not found in a.md
    """

    def __init__(
        self,
        kind: Kind,
        message: str,
        *,
        subject: Side | None = None,
        hint: Advice = None,
        details: Mapping[str, object] | None = None,
    ) -> None:
        from steadyhand.hints import hints_of  # thirty classes that most processes do without

        super().__init__(kind, message)
        self.kind = kind
        self.subject = subject
        self.predicate = message
        self.message = f"{subject} text {message}" if subject else message
        self.hints = hints_of(hint)
        self.details: Mapping[str, object] = MappingProxyType(dict(details or {}))

    @property
    def hint(self) -> str | None:
        """What to do next, in the words of the library; None where nothing is known."""
        from steadyhand.hints import render_hints

        return render_hints(self.hints)

    @property
    def listing(self) -> str:
        """The rows of the message below the one that says what is wrong, such as the places that come nearest."""
        return self.message.partition("\n")[2]

    def message_in(self, phrases: Phrases) -> str:
        """The message in the words of a surface: with its own name for the text that it is about."""
        from steadyhand.hints import TheText

        phrase = phrases.get(TheText)
        if self.subject is None or phrase is None:
            return self.message
        return f"{phrase(TheText(self.subject))} {self.predicate}"

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"

    def __reduce__(self) -> tuple[object, ...]:
        # A read-only mapping does not pickle, and an error must come back from a process pool.
        return _restore, (self.kind, self.predicate, self.subject, self.hints, dict(self.details))

    def with_details(self, **more: object) -> EditError:
        """The same refusal with more facts; facts it already has stay."""
        details = {**more, **self.details}
        return EditError(self.kind, self.predicate, subject=self.subject, hint=self.hints, details=details)

    def advised(self, hint: Advice, details: Mapping[str, object] | None = None) -> EditError:
        """The same refusal with other hints, and with other facts where some are given."""
        facts = self.details if details is None else details
        return EditError(self.kind, self.predicate, subject=self.subject, hint=hint, details=facts)

    def to_json(self) -> dict[str, object]:
        """The form every surface serialises: kind, message, hint, action and details."""
        return {
            "kind": str(self.kind),
            "message": self.message,
            "hint": self.hint,
            "action": str(self.kind.action),
            "details": dict(self.details),
        }


def _restore(
    kind: Kind, message: str, subject: Side | None, hints: tuple[Hint, ...], details: dict[str, object]
) -> EditError:
    return EditError(kind, message, subject=subject, hint=hints, details=details)


def combine_errors(errors: Sequence[EditError]) -> EditError:
    """The first of several refusals, with the others in short."""
    first, *others = errors
    if not others:
        return first
    listed = first.details.get("also")
    also = [*(listed if isinstance(listed, list) else []), *(short for error in others for short in _short(error))]
    return EditError(first.kind, first.message, hint=first.hints, details={**first.details, "also": also[:_ALSO]})


def _short(error: EditError) -> Iterator[dict[str, object]]:
    facts = {name: error.details[name] for name in ("path", "index") if name in error.details}
    yield {**facts, "kind": str(error.kind), "message": error.message.split("\n")[0]}
    listed = error.details.get("also")
    yield from listed if isinstance(listed, list) else []
