"""What is told of edits: moved to another version, refused together, refused in a file with secrets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from steadyhand.errors import EditError
from steadyhand.plan.outcome import Outcome, Plan
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source
from steadyhand.text.span import Span

__all__ = ["as_rebased", "redacted", "together", "without_content"]

_ALSO = 20  # further refusals that are told


def as_rebased(outcome: Outcome, moved: ChangeSet, after: Source) -> Outcome:
    """The outcome of an edit that was moved over what happened since."""
    spans = [moved.after_spans()[index] for index in outcome.splices]
    lines = after.lines_of(Span(spans[0].start, spans[-1].end)) if spans else outcome.lines
    return replace(outcome, lines=lines, others=(), differs=(*outcome.differs, "rebased"))


def redacted(planned: Plan) -> Plan:
    """Refusals about a file with secrets say what kind, not what stands there."""
    outcomes = tuple(
        replace(outcome, error=None if outcome.error is None else without_content(outcome.error), notes=())
        for outcome in planned.outcomes
    )
    refusal = None if planned.refusal is None else without_content(planned.refusal)
    return replace(planned, outcomes=outcomes, refusal=refusal, warnings=())


def without_content(error: EditError) -> EditError:
    """A refusal that shows nothing of the file."""
    return EditError(error.kind, error.kind.doc, hint="the file holds secrets, so nothing of it is shown")


def together(errors: Sequence[EditError]) -> EditError:
    """The first of several refusals, with the others in short."""
    first, *others = errors
    if not others:
        return first
    told = first.details.get("also")
    also = [*(told if isinstance(told, list) else []), *(short for error in others for short in _short(error))]
    return EditError(first.kind, first.message, hint=first.hint, details={**first.details, "also": also[:_ALSO]})


def _short(error: EditError) -> Iterator[dict[str, object]]:
    facts = {name: error.details[name] for name in ("path", "index") if name in error.details}
    yield {**facts, "kind": str(error.kind), "message": error.message.split("\n")[0]}
    told = error.details.get("also")
    yield from told if isinstance(told, list) else []
