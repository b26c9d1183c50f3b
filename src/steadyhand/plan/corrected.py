"""The call that would go through: an edit whose old text did not match, told again in the words of the file.

Only an offer: the caller looks at it and sends it, or does not. It is made only where sending it changes exactly that
place: its old text is in the file once, and its new text is the edit's own change carried over to what is there. Every
offer was planned under the policy it will be sent under, and writes what it says. Where the edit and the file disagree
about the very words to be changed, there is nothing to offer.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.lazy import replace
from steadyhand.match.needle import Signs
from steadyhand.match.repair import mendings
from steadyhand.match.resolve import Several
from steadyhand.plan.edit import Delete, Edit, Insert, Replace, edit_to_json
from steadyhand.plan.making import Drifted, make
from steadyhand.plan.place import Old
from steadyhand.plan.places import occurrences_of
from steadyhand.plan.policy import Policy
from steadyhand.plan.unique import Context
from steadyhand.plan.window import window_at
from steadyhand.text.resemblance import Measure
from steadyhand.text.source import Source
from steadyhand.text.span import Span

__all__ = ["correct", "most_alike", "requote", "single_out"]

_LONGEST = 4_000  # code points of old text that is offered
_PLANNED = 20_000_000  # code points of text that are planned on to offer edits for several places


def correct(edit: Edit, source: Source, span: Span, policy: Policy) -> dict[str, object] | None:
    """The edit as it would go through at a place that does not quite match, in its JSON form; None for no such edit.

    >>> correct(Replace("x = f(1)", "y = f(1)"), Source.of_text("x = f(1, 2)\\n"), Span(0, 11), Policy())
    {'target': 'x = f(1, 2)', 'new': 'y = f(1, 2)'}
    """
    ours = span.of(source.text)
    if not isinstance(edit.target, Old) or span.length > _LONGEST or not _is_single(source.text, ours):
        return None
    old, new = most_alike(edit.target.text, edit.text, ours)
    is_as_sent = (old, new) == (edit.target.text, edit.text)
    signs = edit.signs if isinstance(edit, Replace) and is_as_sent else None
    made = _retold(edit, old, new, source, span, signs)
    return edit_to_json(made) if made is not None and _writes_what_it_says(source, made, policy) else None


def requote(edit: Edit, source: Source, span: Span, policy: Policy) -> dict[str, object] | None:
    """The edit with what is at a place as its old text and its new text as it is, in its JSON form.

    None where the new text repeats what is misquoted, or lacks indentation that the place has.
    """
    if (
        not isinstance(edit, Replace)
        or not isinstance(edit.target, Old)
        or not _is_single(source.text, ours := span.of(source.text))
    ):
        return None
    window = window_at(source, span, edit.target.text)
    made = make(window, edit.new, on_drift="new", signs=edit.signs)
    if isinstance(made, Drifted):
        return None
    text = source.text
    lead, tail = text[window.span.start : span.start], text[span.end : window.span.end]
    sent = Replace(ours, edit.new, reason=edit.reason)
    is_as_sent = made.within(text, window.span) == lead + edit.new + tail
    return edit_to_json(sent) if is_as_sent and _writes_what_it_says(source, sent, policy) else None


def single_out(
    edit: Edit, source: Source, policy: Policy, found: Several, contexts: Sequence[Context | None]
) -> list[dict[str, object] | None]:
    """For each of several places the edit that means it alone, in its JSON form: old and new text, both with context.

    Each does what the edit would with the number of that place as its occurrence: both were planned and compared.
    Places without a number, which are merely near, are each corrected as if they were the nearest.
    """
    offers: list[dict[str, object] | None] = []
    most = _PLANNED // (2 * len(source.text) + 1)
    if found.tier.is_single:
        return [correct(edit, source, span, policy) for span in found.candidates[: min(len(contexts), most)]]
    for number, context in zip(occurrences_of(found.candidates), contexts, strict=False):
        is_planned = number is not None and context is not None and len(offers) < most
        offers.append(_paired(edit, source, policy, number, context.span) if is_planned and context else None)
    return offers


def _paired(edit: Edit, source: Source, policy: Policy, number: int | None, span: Span) -> dict[str, object] | None:
    from steadyhand.plan.planner import plan  # which needs this room for its refusals

    bare = _unguarded(policy)
    meant = plan(source, [replace(edit, occurrence=number)], bare, offers=False)
    if not meant.ok or any(part.start < span.start or part.end > span.end for part in meant.changes.splices):
        return None
    old, new = span.of(source.text), meant.after.text[span.start : span.end + meant.changes.delta]
    if old == new:
        return None
    pair = Replace(old, new, reason=edit.reason)
    sent = plan(source, [pair], bare, offers=False)
    return edit_to_json(pair) if sent.ok and sent.after.text == meant.after.text else None


def most_alike(old: str, new: str, ours: str) -> tuple[str, str]:
    """The edit's texts, without a shape they were given by accident where the old text is then more like the place."""
    measure = Measure([ours])
    texts = [(old, new), *((mending.old, mending.new) for mending in mendings(old, new))]
    scores = [measure.alike([text]) for text, _ in texts]
    return texts[scores.index(max(scores))]


def _retold(edit: Edit, old: str, new: str, source: Source, span: Span, signs: Signs | None) -> Edit | None:
    if isinstance(edit, Insert):
        return Insert(span.of(source.text), new, where=edit.where, reason=edit.reason)
    rebuilt = _rebuilt(source, span, old, "" if isinstance(edit, Delete) else new, signs)
    if rebuilt is None:
        return None
    ours, text = rebuilt
    if isinstance(edit, Delete):
        return None if text else Delete(ours, reason=edit.reason)
    return None if text == ours else Replace(ours, text, reason=edit.reason)


def _rebuilt(source: Source, span: Span, old: str, new: str, signs: Signs | None) -> tuple[str, str] | None:
    """What stands at the place and what the edit makes of it, its change joined with what differs there.

    None where the two clash. The place is as wide as it was given where that is enough, else it is whole lines.
    """
    window = window_at(source, span, old)
    made = make(window, new, on_drift="merge", signs=signs)
    if isinstance(made, Drifted):
        return None
    text = source.text
    whole = made.within(text, window.span)
    lead, tail = text[window.span.start : span.start], text[span.end : window.span.end]
    if len(whole) < len(lead) + len(tail) or not (whole.startswith(lead) and whole.endswith(tail)):
        return window.span.of(text), whole
    return span.of(text), whole[len(lead) : len(whole) - len(tail)]


def _is_single(text: str, ours: str) -> bool:
    """Whether a text that stands somewhere stands nowhere else, not even overlapping itself."""
    return bool(ours) and text.find(ours, text.find(ours) + 1) < 0


def _writes_what_it_says(source: Source, edit: Edit, policy: Policy) -> bool:
    """Whether an edit whose old text is in the file once goes through, and changes that text as it says.

    What guards make of it they are asked when the whole call is known.
    """
    from steadyhand.plan.planner import plan  # which needs this room for its refusals

    sent = plan(source, [edit], _unguarded(policy), offers=False)
    if not sent.ok or not isinstance(edit.target, Old):
        return False
    return isinstance(edit, Insert) or sent.after.text == source.text.replace(edit.target.text, edit.text)


def _unguarded(policy: Policy) -> Policy:
    return replace(policy, guards=frozenset(), require_reason=False)
