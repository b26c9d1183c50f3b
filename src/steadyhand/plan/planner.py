"""Edits and a source in, a change set out, or the reasons why not.

Pure: nothing is read or written, and nothing is raised for an edit that cannot be made; its outcome says why.

Rules:

1. Every edit is judged, also after a refusal, so that one answer names everything that has to change.
2. All or nothing, unless the policy is `partial`: then the edits that can be made are, each of them wholly.
3. `sequential`: an edit sees the text the edits before it left, and may not write over what they wrote.
   `snapshot`: every edit sees the original, and no two may write the same characters. Context may be shared.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, cast

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import LazyModule, dataclass, fields, replace
from steadyhand.match.resolve import Found
from steadyhand.match.tier import STRICT
from steadyhand.plan.draft import Draft, Placed, RunningDraft
from steadyhand.plan.edit import Act, Edit, Insert, Old, Replace, edit_from_json
from steadyhand.plan.guards import GuardedEdit, GuardInput, Verdict, ask_guards, unchecked, usual_guards
from steadyhand.plan.locator import Locator, as_read, confidence_of
from steadyhand.plan.new_text import AddressBatch, Writing, propose_all
from steadyhand.plan.policy import Policy
from steadyhand.structure.lines import Lines
from steadyhand.structure.node import Proposal
from steadyhand.structure.target import Addressed, Target
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.diff import shared_ends
from steadyhand.text.encoding import MARK
from steadyhand.text.match import Match
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice

if TYPE_CHECKING:
    from steadyhand.plan import refusals
    from steadyhand.text.large import LargeSource
else:
    refusals = LazyModule("steadyhand.plan.refusals")  # most calls are not refused


def plan(
    source: Source,
    edits: Sequence[Edit],
    policy: Policy,
    *,
    path: str | None = None,
    reason: str | None = None,
    seen: tuple[Span, ...] | None = None,
    tick: Callable[[], None] | None = None,
    offers: bool = True,
) -> Plan:
    """Resolve the edits of one file. `reason` is that of edits that give none; `seen` is what the caller was shown.

    `tick` is asked before each edit and may raise, to end work that takes too long or that nobody waits for.
    `offers`: a refusal offers edits that would go through, each of which is planned itself, with its guards.

    >>> plan(Source.of_text("a b"), [Replace("b", "c")], Policy()).after.text
    'a c'
    """
    excerpt = excerpt_of(cast("LargeSource", source), edits, policy) if source.is_large else None
    if excerpt is not None:
        made = plan(excerpt.source, excerpt.edits, excerpt.policy, path=path, reason=reason, tick=tick, offers=False)
        if (widened := excerpt.widened(made)) is not None:
            return widened
    planner = _Planner(source, edits, policy, path, reason, seen, offers=offers)
    outcomes = planner.run(tick)
    refused = planner.is_refused
    sent, is_whole = _with_offers(edits, outcomes) if refused and offers else ([], False)
    if sent:
        # An offer that is refused when it is sent costs a turn, so what is offered is planned as it would be sent.
        again = plan(source, sent, policy, path=path, reason=reason, seen=seen, tick=tick, offers=False)
        if again.error is not None and (is_whole or again.refusal is None):
            planner = _Planner(source, edits, policy, path, reason, seen, offers=False)
            outcomes = planner.run(tick)
    if refused and not policy.partial:
        return Plan(False, tuple(map(_held_back, outcomes)), ChangeSet(), (), source)
    return _finish(source, outcomes, planner, policy, ok=not refused)


class _Planner:
    """One call: the draft, and what became of each edit so far."""

    def __init__(
        self,
        source: Source,
        edits: Sequence[Edit],
        policy: Policy,
        path: str | None,
        reason: str | None,
        seen: tuple[Span, ...] | None,
        *,
        offers: bool,
    ) -> None:
        self._seen = seen
        kind = RunningDraft if policy.batch == "sequential" else Draft
        self.draft: Draft = kind(source, *(_needles(edits) if len(edits) > 1 else ()))
        self.others: dict[int, tuple[int, ...]] = {}
        self.more_others: dict[int, int] = {}
        self.proofs: list[tuple[int, Span]] = []
        self.is_refused = False
        self.source = source
        self.edits = edits
        self.policy = policy
        self.path = path
        self._name = path or "the text"
        self._reason = reason
        self._locator = Locator(self.draft, policy, self._name, edits, offers=offers)
        self._by_address = self._addressed() if len(edits) > 1 else None
        self._writing = Writing(self.draft, policy, self._name, is_alone=len(edits) < 2, offers=offers)

    def _addressed(self) -> AddressBatch | None:
        """What plans edits by address together, where there are several."""
        if self.source.encoding.mark:
            return None
        if sum(isinstance(edit.target, Addressed) for edit in self.edits) < 2:
            return None
        return AddressBatch(self.draft, self.edits, is_snapshot=self.policy.batch == "snapshot")

    def run(self, tick: Callable[[], None] | None) -> list[Outcome]:
        stop = self._refuse_request()
        outcomes: list[Outcome] = []
        for index in self._order() if len(self.edits) > 1 else range(len(self.edits)):
            if tick is not None:
                tick()
            outcomes.append(self._judge(index, self.edits[index], stop))
        return outcomes if self.policy.batch == "sequential" else sorted(outcomes, key=lambda one: one.index)

    def _order(self) -> Sequence[int]:
        """In which order the edits are judged: as given, but for what may be put behind a last line without ending.

        In a snapshot that line may change in the same call; how it ends is known only when it has.
        """
        indices = range(len(self.edits))
        if self.policy.batch == "sequential" or self.source.text.endswith(("\n", "\r")):
            return indices
        return sorted(indices, key=lambda index: _is_line_insertion(self.edits[index]))

    def _refuse_request(self) -> EditError | None:
        """A refusal of the call as a whole, before any edit is looked at."""
        if self.source.is_binary:
            return refusals.not_text(self._name)
        guarded: list[GuardedEdit] = []
        for index, edit in enumerate(self.edits):
            target = edit.target
            guarded.append(GuardedEdit(index, target.text if isinstance(target, Old) else "", edit.text))
        return ask_guards("request", self._given(tuple(guarded))).refusal

    def _judge(self, index: int, edit: Edit, stop: EditError | None) -> Outcome:
        reason = edit.reason if edit.reason is not None else self._reason
        try:
            if stop is not None:
                raise stop
            if self.policy.require_reason and not (reason or "").strip():
                raise refusals.reason_required(index)
            edit = without_bom(edit) if self.source.encoding.mark else edit
            planned = None if self._by_address is None else self._by_address.does(index)
            place: Found | Match | None
            proposal: Proposal | None = None
            if planned is not None:
                place, proposal = planned
            elif not isinstance(edit.target, Old) and (nodes := self._locator.nodes(edit)):
                place = Match(nodes[0].span, edit.target.key)
                proposal = propose_all(self._name, self.draft.source, edit, nodes)
            elif (place := self._locator.locate(edit)) is None:
                return Outcome(index, applied=False, path=self.path, reason=reason, skipped="already-applied")
            match, notes, sure = self._write(index, edit, place, proposal)
        except EditError as error:
            # What it had planned ahead counts on the edit that is refused now.
            if self._by_address is not None:
                self._by_address.forget()
            self.is_refused = True
            facts = {"index": index} if self.path is None else {"index": index, "path": self.path}
            return Outcome(index, applied=False, path=self.path, reason=reason, error=error.with_details(**facts))
        return Outcome(
            index, True, self.path, match.tier, sure, match.similarity, None, match.differs, reason, notes=notes
        )

    def _write(
        self, index: int, edit: Edit, place: Found | Match, proposal: Proposal | None
    ) -> tuple[Match, tuple[str, ...], float]:
        """Put the edit's text into its places; at nodes that is what a `proposal` has.

        Gives the first match, with what it was found to differ in, notes, and how sure it is that this is meant.
        """
        notes: tuple[str, ...] = ()
        sure, after = 1.0, None
        placed: Sequence[Placed]
        if isinstance(place, Found):
            edit = edit if place.alternative is None else as_read(edit, place.alternative)
            span, matches = place.matches[0].span, place.matches
            placed, match, sure = self._writing.replacements(index, edit, place)
            sure, notes = min(sure, confidence_of(place, match.similarity)), place.notes
        else:
            match, span, matches = place, place.span, (place,)
            if proposal is None:
                placed = (self._writing.as_it_is(index, edit, place),)
            else:
                placed, notes, after = self._writing.placed(index, proposal), proposal.notes, proposal.after
        written, is_new = "", False
        for _, splice in placed:
            is_new = is_new or splice.old != splice.new
            written += splice.new
        if not is_new:
            raise self._nothing_new(edit)
        self.source.encoding.check_new_text(written)
        target, text, quoted, blind = edit.target, edit.text, "", None
        if isinstance(target, Old):
            quoted = target.text
        elif isinstance(target, Lines) and target.text is None:
            blind = self._original(span)
        guarded = GuardedEdit(index, quoted + self.draft.read(span.start, span.end), text, blind)
        objection = ask_guards("edit", self._given((guarded,))).refusal
        if objection is not None:
            raise objection
        if isinstance(place, Found) and place.total > len(matches):
            self.others[index] = tuple([self.draft.to_original(span.start) for span in place.others])
            self.more_others[index] = place.total - len(matches) - len(place.others)
        if _quotes_all(target, place):
            for found in matches:
                self.proofs.append((index, self._original(found.span) if self.draft.splices else found.span))
        self.draft.write(placed, index, after)
        if self._by_address is not None:
            self._by_address.wrote(index, [splice.new for _, splice in placed])
        return match, notes + self._ending_note(match, written) if "\r\n" in text else notes, sure

    def _ending_note(self, match: Match, written: str) -> tuple[str, ...]:
        """Says that CR LF of the new text was not written as it was sent, unless the match says so."""
        if "\r\n" in written or "line endings" in match.differs or self.draft.uniform_ending != "\n":
            return ()
        return ("CR LF in the new text is written as LF, as the file has it",)

    def _original(self, span: Span) -> Span:
        if not self.draft.splices:
            return span
        return Span(self.draft.to_original(span.start), self.draft.to_original(span.end))

    def _nothing_new(self, edit: Edit) -> EditError:
        if isinstance(edit, Act):
            return refusals.no_change(self._name, f"{edit.name} would change nothing there", "nothing needs to be done")
        return refusals.no_change(self._name, "the new text is already there")

    def _given(self, edits: tuple[GuardedEdit, ...]) -> GuardInput:
        return GuardInput(self.path, self.source.text, None, edits, self.policy, seen=self._seen)


def _needles(edits: Sequence[Edit]) -> tuple[list[str], list[str]]:
    """The texts that edits will look for, and those that they may look for where many of the others are missing."""
    olds = [edit.target.text for edit in edits if isinstance(edit.target, Old)]
    return olds, [edit.new for edit in edits if isinstance(edit, Replace)]


def _with_offers(edits: Sequence[Edit], outcomes: Sequence[Outcome]) -> tuple[list[Edit], bool]:
    """The edits of a call with what is offered in the place of those that are refused, and whether these are all.

    None where nothing is offered. An edit that is refused without an offer is left out.
    """
    sent: list[Edit] = []
    offered = 0
    for edit, outcome in zip(edits, outcomes, strict=True):
        corrected = None if outcome.error is None else outcome.error.details.get("corrected")
        if isinstance(corrected, Mapping):
            offered += 1
            sent.append(edit_from_json(corrected))
        elif outcome.error is None:
            sent.append(edit)
    return (sent if offered else []), len(sent) == len(edits)


def _finish(source: Source, outcomes: Sequence[Outcome], planner: _Planner, policy: Policy, *, ok: bool) -> Plan:
    """Put the splices together, ask the guards about the whole, and say which lines each edit's text is after."""
    draft = planner.draft
    changes, splice_edits = assemble(draft.splices, draft.owners)
    after = source.apply(changes) if changes else source
    known = draft.known(after.text)
    given = GuardInput(planner.path, source.text, after.text, (), policy, after_source=known, changes=changes)
    verdict = (policy.batch == "snapshot" and _clash(planner, outcomes)) or ask_guards("file", given)
    if verdict.refusal is not None:
        return Plan(False, tuple(map(_held_back, outcomes)), ChangeSet(), (), source, verdict.refusal)
    lines = lines_written(after, draft, len(source.text))
    by_edit: dict[int, list[int]] = {}
    for number, edit in enumerate(splice_edits):
        by_edit.setdefault(edit, []).append(number)
    done: list[Outcome] = []
    for one in outcomes:
        if not one.applied:
            done.append(one)
            continue
        starts = planner.others.get(one.index)
        others = lines_elsewhere(after, draft.splices, starts) if starts else ()
        splices = tuple(by_edit.get(one.index, ()))
        done.append(
            Outcome(
                one.index, True, one.path, one.tier, one.confidence, one.similarity, lines[one.index],
                one.differs, one.reason, None, others, planner.more_others.get(one.index, 0), splices, None, one.notes,
            )
        )  # fmt: skip
    return Plan(ok, tuple(done), changes, splice_edits, after, None, verdict.warnings, tuple(planner.proofs))


def _quotes_all(target: Target | Old, place: Found | Match) -> bool:
    """Whether an edit itself has every character of the place it was found at."""
    if isinstance(target, Old):
        return isinstance(place, Found) and place.tier.name in STRICT
    if isinstance(target, Lines):
        return target.text is not None
    from steadyhand.structure.lines import Anchor

    return isinstance(target, Anchor) and target.end is None


def _clash(planner: _Planner, outcomes: Sequence[Outcome]) -> Verdict | None:
    """What a snapshot cannot see: addresses whose edits are right singly and not together."""
    made = [planner.edits[outcome.index] for outcome in outcomes if outcome.applied]
    by_address = [edit for edit in made if isinstance(edit.target, Addressed)]
    if len(by_address) < 2:
        return None
    rules = replace(planner.policy, batch="sequential", guards=frozenset())
    # Each edit may be right for the text as it was, and both together leave a comma without a member.
    one_by_one = plan(planner.source, by_address, rules, path=planner.path)
    chosen = {outcome.index for outcome in outcomes if outcome.applied and planner.edits[outcome.index] in by_address}
    owned = [pair for pair in zip(planner.draft.splices, planner.draft.owners, strict=True) if pair[1] in chosen]
    together, _ = assemble([splice for splice, _ in owned], [owner for _, owner in owned])
    if one_by_one.ok and one_by_one.after.text == together.apply(planner.source.text):
        return None
    return Verdict(refusals.clashing_addresses(planner.path or "the text", one_by_one.error))


def _is_line_insertion(edit: Edit) -> bool:
    """Whether an edit puts lines between others, and takes nothing away."""
    target = edit.target
    return isinstance(target, Lines) and (isinstance(edit, Insert) or target.is_empty)


def _held_back(outcome: Outcome) -> Outcome:
    return replace(outcome, applied=False, skipped="held-back") if outcome.applied else outcome


def assemble(splices: Sequence[Splice], owners: Sequence[int]) -> tuple[ChangeSet, tuple[int, ...]]:
    """The change set of sorted splices, and for each of those that change something the edit that made it.

    Whole lines that a splice leaves as they are are taken off it, so that history names only lines that changed.
    """
    made: list[Splice] = []
    edits: list[int] = []
    for splice, owner in zip(splices, owners, strict=True):
        old, new = splice.old, splice.new
        if old == new:
            continue
        head, tail = shared_ends(old, new) if "\n" in old and "\n" in new else (0, 0)
        if head or tail:
            splice = Splice(splice.start + head, old[head : len(old) - tail], new[head : len(new) - tail])
        made.append(splice)
        edits.append(owner)
    return ChangeSet(tuple(made)), tuple(edits)


def lines_written(after: Source, draft: Draft, length: int) -> dict[int, tuple[int, int]]:
    """The lines of each edit's text in the text after, first and last, counted from 1.

    `length` is that of the text before.
    """
    found: dict[int, tuple[int, int]] = {}
    moved = 0
    for splice, edit in zip(draft.splices, draft.owners, strict=True):
        first, last, new = splice.start, splice.end, splice.new
        start = first + moved
        moved += len(new) - (last - first)
        start = _behind_ending(after.text, start, new) if first == last == length else start
        lines = after.lines_of(Span(start, last + moved))  # sorted: counted on from the one before
        if edit in found:
            known = found[edit]
            lines = min(known[0], lines[0]), max(known[1], lines[1])
        found[edit] = lines
    return found


def lines_elsewhere(after: Source, splices: Sequence[Splice], starts: Sequence[int]) -> tuple[int, ...]:
    """The lines of places of the original in the text after, as far as no splice has taken them."""
    ends = [splice.end for splice in splices]
    moved = list(accumulate([splice.delta for splice in splices], initial=0))
    ranks = ((start, bisect_right(ends, start)) for start in starts)
    return tuple(
        after.line_of(start + moved[rank])
        for start, rank in ranks
        if rank == len(splices) or splices[rank].start > start
    )


def _behind_ending(text: str, start: int, new: str) -> int:
    """Where text at the end begins; the line end that a last line without one got first is not counted to it."""
    if text[start - 1 : start] in ("", "\n", "\r"):
        return start
    return start + next((len(ending) for ending in ("\r\n", "\n", "\r") if new.startswith(ending)), 0)


def without_bom(edit: Edit) -> Edit:
    """An edit of a file that has a mark, its texts without the mark they begin with. Refuses with `bad-request`.

    >>> without_bom(Replace("\ufeffa", "\ufeffb")).new
    'b'
    """
    target = edit.target
    if not isinstance(edit, Replace) or not isinstance(target, Old) or not target.text.startswith(MARK):
        return edit
    if edit.new and not edit.new.startswith(MARK):
        raise EditError(
            Kind.BAD_REQUEST,
            "the old text begins with the file's byte order mark, and the new text does not",
            hint="leave it out of both texts; the file keeps it",
        )
    alternatives = tuple(replace(one, old=_bare(one.old), new=_bare(one.new)) for one in edit.alternatives)
    return replace(
        edit, target=replace(target, text=_bare(target.text)), new=_bare(edit.new), alternatives=alternatives
    )


def _bare(text: str) -> str:
    return text.removeprefix(MARK)


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


# The lines of a large file that exact edits are about: they are planned there, and the plan is one of the whole file.
#
# Nothing but the lines around a place matters to an edit whose old text is in the file once, character for character.
# So only these are decoded; the others are copied as bytes. Whatever asks more than that is planned in the whole text:
# several places, an address, tolerance, other line endings than LF, every refusal. An excerpt never refuses anything.
#
# `tests/plan/test_excerpt.py` compares both ways on edits drawn at random.

_AROUND: Final = 1 << 16  # bytes before and behind a place, at least
_FEW: Final = 16  # edits; more of them are looked for together, in one pass over the text
_PART: Final = 8  # an excerpt that is more than this part of the file is not worth it
_GUARD: Final = "syntax"  # looks at the whole file, unless that is too large for it


class _Stretch(NamedTuple):
    """Whole lines of the file: where they start in it and in the excerpt, in code points and in rows."""

    start: int
    row: int
    start_here: int
    row_here: int


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Some edits for some lines of a file, as they are to be planned there."""

    source: Source
    edits: tuple[Edit, ...]
    policy: Policy
    _whole: LargeSource
    _stretches: tuple[_Stretch, ...]
    _wants_syntax: bool

    def widened(self, plan: Plan) -> Plan | None:
        """A plan for the excerpt as one for the file; None where the file itself has to be asked."""
        if not plan.ok or not all(map(_is_plain, plan.outcomes)):
            return None
        splices = [splice.shift(self._moved(splice.start)) for splice in plan.changes.splices]
        after = self._whole.apply(ChangeSet(tuple(splices)))
        warnings = plan.warnings
        if self._wants_syntax:
            said = unchecked(self._whole.path, after.length)
            if said is None:
                return None
            warnings += said
        starts = [splice.start for splice in plan.changes.splices]
        outcomes = tuple(self._numbered(outcome, starts[outcome.splices[0]]) for outcome in plan.outcomes)
        proofs = tuple((edit, span.shift(self._moved(span.start))) for edit, span in plan.proofs)
        return replace(
            plan, outcomes=outcomes, changes=ChangeSet(tuple(splices)), after=after, warnings=warnings, proofs=proofs
        )

    def _stretch_at(self, offset: int) -> _Stretch:
        return self._stretches[bisect_right(self._stretches, offset, key=lambda stretch: stretch.start_here) - 1]

    def _moved(self, offset: int) -> int:
        """By how much an offset of the excerpt is another in the file."""
        stretch = self._stretch_at(offset)
        return stretch.start - stretch.start_here

    def _numbered(self, outcome: Outcome, start: int) -> Outcome:
        """The outcome with its lines as the file numbers them."""
        assert outcome.lines is not None
        stretch = self._stretch_at(start)
        first, last = (line + stretch.row - stretch.row_here for line in outcome.lines)
        return replace(outcome, lines=(first, last))


def excerpt_of(source: LargeSource, edits: Sequence[Edit], policy: Policy, around: int = _AROUND) -> Excerpt | None:
    """What some edits have to see of a file; None where that may be all of it."""
    if policy.occurrence != "unique" or not 0 < len(edits) < _FEW or b"\r" in source.data:
        return None
    places: list[tuple[int, int]] = []
    for edit in edits:
        place = _place_of(source, edit, around)
        if place is None:
            return None
        places.append(place)
    parts = _lines_around(source, places)
    if sum(end - start for start, end in parts) * _PART > len(source.data):
        return None
    text = "".join([source.data[start:end].decode() for start, end in parts])
    stretches = _stretches(source, parts)
    moved = [_with_line(edit, source, place, stretches, parts) for edit, place in zip(edits, places, strict=True)]
    sent = [edit for edit in moved if edit is not None and _is_once(text, edit)]
    if len(sent) < len(edits):
        return None
    wanted = usual_guards() if policy.guards is None else policy.guards
    rules = replace(policy, guards=wanted - {_GUARD})
    here = Source(text, source.encoding, source.path)
    return Excerpt(here, tuple(sent), rules, source, stretches, _GUARD in wanted)


def _place_of(source: LargeSource, edit: Edit, around: int) -> tuple[int, int] | None:
    """The bytes that an edit may look at around the one place of its old text; None where it may look further."""
    old = edit.target
    if isinstance(edit, Act) or not isinstance(old, Old) or not old.text or old.under or old.at_end:
        return None
    expected = None if isinstance(edit, Insert) else edit.expected
    if edit.occurrence is not None or expected not in (None, 1) or "\r" in edit.text or "\r" in old.text:
        return None
    data = source.data
    try:
        needle = old.text.encode()
    except UnicodeEncodeError:
        return None
    at = data.find(needle, len(source.encoding.mark))
    if at < 0 or data.find(needle, at + 1) >= 0:
        return None
    before = data[at - 1 : at] if at > len(source.encoding.mark) else b""
    if before in (b" ", b"\t") and not (_is_bare(old.text) and _is_bare(edit.text)):
        return None  # the indentation of the first line may be meant
    behind = data[at + len(needle) : at + len(needle) + 1]
    if old.fit != "free" and not (before in (b"", b"\n") and _is_ended(source, edit, needle, behind)):
        return None
    wide = around + len(needle) + 4 * len(edit.text)
    return at - wide, at + len(needle) + wide


def _is_ended(source: LargeSource, edit: Edit, needle: bytes, behind: bytes) -> bool:
    """Whether old text ends where a line does, and is that line and no other for all that a patch may mean by it."""
    if needle.endswith(b"\n"):
        return source.data.endswith(b"\n")  # else the last line, without an ending, may be the same as this
    is_last = isinstance(edit, Replace) and edit.signs is not None  # in a patch, nothing else has no ending
    return behind in (b"", b"\n") and not is_last


def _lines_around(source: LargeSource, places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The whole lines that some bytes are in, in order and apart."""
    data, first = source.data, len(source.encoding.mark)
    parts: list[tuple[int, int]] = []
    for low, high in sorted(places):
        start = max(data.rfind(b"\n", first, max(low, first)) + 1, first)
        end = data.find(b"\n", high) + 1 if high < len(data) else 0
        end = end or len(data)
        if parts and start <= parts[-1][1]:
            parts[-1] = parts[-1][0], max(end, parts[-1][1])
        else:
            parts.append((start, end))
    return parts


def _stretches(source: LargeSource, parts: Sequence[tuple[int, int]]) -> tuple[_Stretch, ...]:
    stretches: list[_Stretch] = []
    start_here = row_here = 0
    for start, end in parts:
        offset, row = source.offset_of(start), source.lines_before(start)
        stretches.append(_Stretch(offset, row, start_here, row_here))
        start_here += source.offset_of(end) - offset
        row_here += source.data.count(b"\n", start, end)
    return tuple(stretches)


def _with_line(
    edit: Edit,
    source: LargeSource,
    place: tuple[int, int],
    stretches: Sequence[_Stretch],
    parts: Sequence[tuple[int, int]],
) -> Edit | None:
    """The edit with the line that it names numbered as in the excerpt; None where that is not around its place."""
    old = edit.target
    if isinstance(edit, Act) or not isinstance(old, Old) or old.line is None:
        return edit
    stretch, (start, end) = next(
        pair for pair in zip(stretches, parts, strict=True) if place[0] < pair[1][1] and pair[1][0] < place[1]
    )
    if not stretch.row < old.line <= stretch.row + source.data.count(b"\n", start, end):
        return None
    return replace(edit, target=replace(old, line=old.line - stretch.row + stretch.row_here))


def _is_once(text: str, edit: Edit) -> bool:
    """Whether old text is in the excerpt once: lines that others are left out between may look like it."""
    assert isinstance(edit.target, Old)
    at = text.find(edit.target.text)
    return at >= 0 and text.find(edit.target.text, at + 1) < 0


def _is_bare(text: str) -> bool:
    """Whether a text is one row, or a part of one, without blanks around it."""
    return text.strip() == text != "" and "\n" not in text


def _is_plain(outcome: Outcome) -> bool:
    is_found = outcome.applied and outcome.tier == "exact" and outcome.lines is not None and bool(outcome.splices)
    return is_found and not outcome.others and not outcome.more_others and not outcome.notes
