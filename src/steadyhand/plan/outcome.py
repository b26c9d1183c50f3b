"""What planning gives: one outcome per edit, and the change set they make together. Pure data."""

from __future__ import annotations

from typing import Literal

from steadyhand.errors import EditError
from steadyhand.lazy import dataclass, fields
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source
from steadyhand.text.span import Span


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one edit.

    Exactly one of three holds: `applied`; refused, with `error`; left out without being wrong, with `skipped`
    saying why (`held-back`: another edit of an all-or-nothing call was refused; `already-applied`: policy).

    `lines`     first and last line (from 1) of what it wrote, in the text after; where text only went away, the
                line at that place
    `others`    lines (in the text after) where the old text also is and was left alone, at most 20
    `more_others` how many such places there are beyond those
    `splices`   which splices of the change set it wrote
    `confidence` how sure the place is, `similarity` how much of the old text is there, both from 0 to 1
    `differs`   what a tolerant tier overlooked
    `notes`     what else a person should know of what was done
    `forced`    records of others that it was written over although its task had not seen them
    """

    index: int
    applied: bool
    path: str | None = None
    tier: str | None = None
    confidence: float | None = None
    similarity: float | None = None
    lines: tuple[int, int] | None = None
    differs: tuple[str, ...] = ()
    reason: str | None = None
    error: EditError | None = None
    others: tuple[int, ...] = ()
    more_others: int = 0
    splices: tuple[int, ...] = ()
    skipped: Literal["held-back", "already-applied"] | None = None
    notes: tuple[str, ...] = ()
    forced: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """The form surfaces print and the journal keeps; facts that are absent are left out."""
        facts: dict[str, object] = {each.name: getattr(self, each.name) for each in fields(self)}
        facts |= {"error": self.error.to_json() if self.error else None, "more_others": self.more_others or None}
        known = {name: value for name, value in facts.items() if value is not None and value != ()}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in known.items()}


@dataclass(frozen=True, slots=True)
class Plan:
    """The edits of one file, resolved: `changes` takes `source` to `after`.

    `ok` is true when nothing was refused; `refusal` is set when a guard refuses the file as a whole.
    All or nothing: after a refusal `changes` is empty and `after` is the source itself, unless the policy is
    `partial`. `splice_edits[i]` is the edit that wrote `changes.splices[i]`.
    `changes.base` is None: the source's digest is known only to whoever read the bytes.
    `warnings` is what guards have to say that is no refusal.
    `proofs` are places of the source whose every character an edit quoted by itself, and so knew: (edit, span).
    """

    ok: bool
    outcomes: tuple[Outcome, ...]
    changes: ChangeSet
    splice_edits: tuple[int, ...]
    after: Source
    refusal: EditError | None = None
    warnings: tuple[str, ...] = ()
    proofs: tuple[tuple[int, Span], ...] = ()

    @property
    def error(self) -> EditError | None:
        """The first refusal: of the file as a whole, or of an edit, which `details["index"]` names."""
        if self.ok or self.refusal is not None:
            return self.refusal
        return next((outcome.error for outcome in self.outcomes if outcome.error is not None), None)
