"""Edits and a source in, a change set out, or the reasons why not.

Pure: nothing is read or written, and nothing is raised for an edit that cannot be made; its outcome says why.

Rules:

1. Every edit is judged, also after a refusal, so that one answer names everything that has to change.
2. All or nothing, unless the policy is `partial`: then the edits that can be made are, each of them wholly.
3. `sequential`: an edit sees the text the edits before it left, and may not touch what they wrote.
   `snapshot`: every edit sees the original, and no two may take the same characters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from steadyhand.errors import EditError
from steadyhand.match.resolve import Found, Miscount, Nothing, Several, TooMany, resolve
from steadyhand.plan import refusals
from steadyhand.plan.absent import Absence
from steadyhand.plan.assembly import Whereabouts, assemble
from steadyhand.plan.draft import Draft, Slot, Taken
from steadyhand.plan.edit import Edit, Insert, Old, Replace
from steadyhand.plan.fitting import fit_endings, fit_insertion, fit_lines
from steadyhand.plan.guards.guard import GuardedEdit, GuardInput, ask_guards
from steadyhand.plan.outcome import Outcome, Plan
from steadyhand.plan.policy import Policy
from steadyhand.plan.running import RunningDraft
from steadyhand.structure.target import Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.match import Match
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_SEARCHES = 3
_CHECKED = 20_000_000  # code points searched for a close place before an edit counts as made


def plan(
    source: Source, edits: Sequence[Edit], policy: Policy, *, path: str | None = None, reason: str | None = None
) -> Plan:
    """Resolve the edits of one file. `reason` stands for those that give none.

    >>> plan(Source.of_text("a b"), [Replace("b", "c")], Policy()).after.text
    'a c'
    """
    planner = _Planner(source, edits, policy, path, reason)
    outcomes = planner.run()
    refused = any(outcome.error is not None for outcome in outcomes)
    if refused and not policy.partial:
        return Plan(False, tuple(map(_held_back, outcomes)), ChangeSet(), (), source)
    return _finish(source, outcomes, planner, policy, ok=not refused)


@dataclass(frozen=True, slots=True)
class _Located:
    """The places an edit means, and where else its old text stands."""

    matches: tuple[Match, ...]
    others: tuple[Span, ...] = ()


class _Planner:
    """One call: the draft, and what became of each edit so far."""

    def __init__(
        self, source: Source, edits: Sequence[Edit], policy: Policy, path: str | None, reason: str | None
    ) -> None:
        needles = [edit.target.text for edit in edits if isinstance(edit.target, Old)]
        kind = RunningDraft if policy.batch == "sequential" else Draft
        self.draft: Draft = kind(source, needles)
        self.others: dict[int, tuple[int, ...]] = {}
        self._source = source
        self._edits = edits
        self._policy = policy
        self.path = path
        self._name = path or "the text"
        self._reason = reason
        self._searches = _SEARCHES
        self._checks = _CHECKED

    def run(self) -> list[Outcome]:
        stop = self._refuse_request()
        return [self._judge(index, edit, stop) for index, edit in enumerate(self._edits)]

    def _refuse_request(self) -> EditError | None:
        """A refusal of the call as a whole, before any edit is looked at."""
        if self._source.is_binary:
            return refusals.not_text(self._name)
        quoted = (edit.target.text if isinstance(edit.target, Old) else "" for edit in self._edits)
        guarded = (
            GuardedEdit(index, old, edit.text)
            for index, (old, edit) in enumerate(zip(quoted, self._edits, strict=True))
        )
        return ask_guards("request", self._guard_input(tuple(guarded)))

    def _judge(self, index: int, edit: Edit, stop: EditError | None) -> Outcome:
        reason = edit.reason if edit.reason is not None else self._reason
        blank = Outcome(index, applied=False, path=self.path, reason=reason)
        try:
            if stop is not None:
                raise stop
            if self._policy.require_reason and not (reason or "").strip():
                raise refusals.reason_required(index)
            located = self._locate(edit)
            if located is None:
                return replace(blank, skipped="already-applied")
            self._write(index, edit, located)
        except EditError as error:
            facts = {"index": index} if self.path is None else {"index": index, "path": self.path}
            return replace(blank, error=error.with_details(**facts))
        first = located.matches[0]
        return replace(blank, applied=True, tier=first.tier, similarity=first.similarity, differs=first.differs)

    def _locate(self, edit: Edit) -> _Located | None:
        """Where the edit goes; None when the policy lets an edit pass that is there already."""
        target = edit.target
        if isinstance(target, Old):
            return self._locate_old(edit, target.text)
        if (isinstance(edit.occurrence, int) and edit.occurrence > 1) or (edit.expected or 1) > 1:
            raise refusals.one_place(self._name, target.key)
        match self.draft.locate(target):
            case Refusal() as refusal:
                error = refusal.to_error()
                raise EditError(error.kind, f"{self._name}: {error.message}", hint=error.hint, details=error.details)
            case place:
                return _Located((place,))

    def _locate_old(self, edit: Edit, old: str) -> _Located | None:
        if not old:
            if self.draft.length:
                raise refusals.empty_old(self._name)
            return _Located((Match(Span(0, 0), "exact"),))
        if isinstance(edit, Replace) and edit.new == old:
            raise refusals.no_change(self._name, "old and new text are the same")
        usual = self._policy.occurrence if edit.expected is None else "all"
        found = resolve(
            self.draft.find,
            old,
            occurrence=usual if edit.occurrence is None else edit.occurrence,
            expected=edit.expected,
            laxest=self._policy.tier,
        )
        match found:
            case Found():
                return _Located(found.matches, found.others)
            case Several():
                raise refusals.ambiguous(self._name, self.draft.source, found)
            case Miscount():
                raise refusals.miscount(self._name, self.draft.source, found)
            case TooMany():
                raise refusals.too_many(self._name, found.limit)
            case Nothing():
                self._pass_or_refuse(edit, old, found)
                return None

    def _pass_or_refuse(self, edit: Edit, old: str, nothing: Nothing) -> None:
        """The old text is nowhere: it may be because the edit was made before."""
        absence = Absence(self._name, self.draft.source, old, self._place_of_new(edit), nothing)
        may_be_done = absence.may_be_done() and self._checks > 0
        self._checks -= len(absence.source.text) if may_be_done else 0
        self._searches -= not may_be_done
        places = absence.nearest() if may_be_done or self._searches >= 0 else ()
        if not (may_be_done and absence.is_done(places)):
            raise absence.no_match(places)
        if self._policy.already != "skip":
            raise absence.already_applied()

    def _place_of_new(self, edit: Edit) -> Span | None:
        """Where the new text stands, if it stands in exactly one place."""
        if not isinstance(edit, Replace) or not edit.new.strip():
            return None
        found = resolve(self.draft.find, edit.new, laxest=self._policy.tier)
        return found.matches[0].span if isinstance(found, Found) else None

    def _write(self, index: int, edit: Edit, located: _Located) -> None:
        places = [self._place(index, edit, match.span) for match in located.matches]
        if all(old == new for _, old, new in places):
            raise refusals.no_change(self._name, "the new text is what stands there")
        self._source.encoding.check_new_text(edit.text)
        quoted = edit.target.text if isinstance(edit.target, Old) else ""
        guarded = GuardedEdit(index, quoted + places[0][1], edit.text)
        objection = ask_guards("edit", self._guard_input((guarded,)))
        if objection is not None:
            raise objection
        self.others[index] = tuple(self.draft.to_original(span.start) for span in located.others)
        self.draft.write([(slot, new) for slot, _, new in places], index)

    def _place(self, index: int, edit: Edit, span: Span) -> tuple[Slot, str, str]:
        """The free slot for one place, what stands there, and what will."""
        draft = self.draft
        at_end = isinstance(edit, Insert) and edit.where in ("after", "end")
        slot = draft.insertion_slot(span, at_end=at_end) if isinstance(edit, Insert) else draft.slot(span)
        if isinstance(slot, Taken):
            raise refusals.overlapping(self._name, index, slot.edit, draft.source.lines_of(span))
        region = "" if isinstance(edit, Insert) else draft.read(span.start, span.end)
        return slot, region, self._fit(edit, region, span.end if at_end else span.start)

    def _fit(self, edit: Edit, region: str, offset: int) -> str:
        literal = self._policy.newlines == "literal"
        is_lines = not isinstance(edit.target, Old) and edit.target.whole_lines
        if not edit.text or not (is_lines or "\n" in edit.text) or (literal and not is_lines):
            return edit.text
        newline = self.draft.newline_at(offset)
        if not is_lines:
            return fit_endings(edit.text, region, newline)
        if region:
            return fit_lines(edit.text, region, newline, literal=literal)
        before, is_end = self.draft.read(offset - 1, offset), offset == self.draft.length
        return fit_insertion(edit.text, newline, before=before, is_end=is_end, literal=literal)

    def _guard_input(self, edits: tuple[GuardedEdit, ...]) -> GuardInput:
        return GuardInput(self.path, self._source.text, None, edits, self._policy)


def _finish(source: Source, outcomes: Sequence[Outcome], planner: _Planner, policy: Policy, *, ok: bool) -> Plan:
    """Put the writes together, ask the guards about the whole, and say where each edit's text stands after."""
    writes = planner.draft.writes
    changes, splice_edits = assemble(source.text, writes)
    after = source.apply(changes) if changes else source
    objection = ask_guards("file", GuardInput(planner.path, source.text, after.text, (), policy))
    if objection is not None:
        return Plan(False, tuple(map(_held_back, outcomes)), ChangeSet(), (), source, objection)
    places = Whereabouts(after, writes)
    by_edit: dict[int, list[int]] = {}
    for number, edit in enumerate(splice_edits):
        by_edit.setdefault(edit, []).append(number)
    done = tuple(
        replace(
            outcome,
            lines=places.lines[outcome.index],
            splices=tuple(by_edit.get(outcome.index, ())),
            others=places.lines_of_others(planner.others[outcome.index]),
        )
        if outcome.applied
        else outcome
        for outcome in outcomes
    )
    return Plan(ok, done, changes, splice_edits, after)


def _held_back(outcome: Outcome) -> Outcome:
    return replace(outcome, applied=False, skipped="held-back") if outcome.applied else outcome
