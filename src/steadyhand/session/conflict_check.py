"""The edits of one call that overlap others' work: the policy decides conflicts, stale edits are rebased.

`ConflictCheck` collects the conflicts that were refused, so that they can be kept; it keeps nothing itself.
`ConflictOverride` lets an edit through that was refused, over what it was refused for and nothing else.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind, combine_errors
from steadyhand.lazy import dataclass, replace
from steadyhand.plan.edit import Edit, edit_to_json
from steadyhand.plan.planner import Outcome, Plan, plan
from steadyhand.plan.policy import Policy
from steadyhand.session.kept_conflicts import KeptConflict, is_untouched, version_then
from steadyhand.session.rebase import (
    Believed,
    Known,
    as_rebased,
    changed_quotes,
    is_by_number,
    is_shown,
    joined_edit,
    put_over,
    without_content,
    written_over,
)
from steadyhand.session.tasks import TaskView
from steadyhand.structure.lines import Lines
from steadyhand.text.cancel import check_cancelled
from steadyhand.text.changeset import ChangeSet, Clash
from steadyhand.text.diff import changes_between
from steadyhand.text.merge import rebased
from steadyhand.text.source import Source, digest_of
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice
from steadyhand.workspace.history.unseen_changes import Tracked, UnseenChange
from steadyhand.workspace.overlay import FileDraft

if TYPE_CHECKING:
    from steadyhand.session.conflicts import Conflict
    from steadyhand.session.rebase import Others


# How an edit is refused whose text is not there, or not as it says.
_GONE = frozenset({Kind.NO_MATCH, Kind.LOW_CONFIDENCE, Kind.DRIFT_CONFLICT, Kind.STALE_SOURCE, Kind.OUT_OF_BOUNDS})


@dataclass(frozen=True, slots=True)
class FileEdits:
    """The edits of one request on a file, or its `snippet`. `seen` are the parts of `source` that were shown."""

    draft: FileDraft
    source: Source
    edits: Sequence[Edit]
    policy: Policy
    reason: str | None = None
    snippet: str | None = None
    seen: tuple[Span, ...] | None = None

    def plan(self, version: Source | None = None) -> Plan:
        """What they do to the text as it is, or what they would do to another version."""
        source, seen = (self.source, self.seen) if version is None else (version, None)
        path = self.draft.path
        if self.snippet is None:
            return plan(source, self.edits, self.policy, path=path, reason=self.reason, seen=seen, tick=check_cancelled)
        from steadyhand.plan.snippet import plan_merge  # few calls have a snippet

        return plan_merge(source, self.snippet, self.policy, path=path, reason=self.reason)


class ConflictCheck:
    """What one party's call meets. Made for one planning of its requests."""

    def __init__(self, view: TaskView) -> None:
        self.view = view
        self.found: list[Conflict] = []
        self.has_met = False
        self.newest: dict[str, int | None] = {}  # the row of each file's newest record, before the journal was asked
        self._known: dict[str, tuple[UnseenChange, ...]] = {}
        self._since_versions: dict[tuple[str, str], tuple[UnseenChange, ...]] = {}
        self._replaced: dict[str, list[UnseenChange]] = {}  # what this call has written over

    def seen(self, draft: FileDraft) -> tuple[Span, ...] | None:
        """The characters of the draft's text that the party has been shown, or has written in this call; None: all."""
        changes = draft.changes
        if changes is None:  # this call has written all of it
            return None
        seen = self.view.seen(draft)
        if seen is None or not changes:
            return seen
        moved = [Span(changes.map_position(s.start), max(changes.map_position(s.end, assoc=-1), 0)) for s in seen]
        return tuple(sorted([*(span for span in moved if span.start < span.end), *changes.after_spans()]))

    def settle(self, planned: Plan, given: FileEdits) -> Plan:
        """The plan with what the policy makes of its conflicts. Refuses with `conflict`."""
        unseen, policy = self._unseen(given.draft), given.policy
        if not unseen:
            return planned
        believed = Believed(lambda: self._written_for(given, unseen), given.plan)
        gone = self._gone(planned, given, believed, unseen)
        found = self._touching(unseen, planned, given, believed)
        is_forced = policy.on_conflict == "force"
        if not found and not (gone or (is_forced and _gone_outcomes(planned))):
            return planned
        self.has_met = True
        if is_forced:
            return self._forced(planned, given, found, gone, believed, unseen)
        # The plan has refused these edits already; what is known of the others only explains why.
        if gone and not found and policy.on_conflict != "skip":
            self.found += gone
            return _explained(planned, gone)
        found += gone
        if given.snippet is not None or not (policy.on_conflict == "skip" or policy.partial):
            self.found += found
            raise combine_errors([conflict.to_error() for conflict in found])
        return self._without(found, given, unseen, believed)

    def _touching(
        self, unseen: Sequence[UnseenChange], planned: Plan, given: FileEdits, believed: Believed
    ) -> list[Conflict]:
        """The edits that are planned where others have changed something unseen."""
        from steadyhand.session.conflicts import find_conflicts

        draft, source = given.draft, given.source
        shown = self.view.shown(draft) if unseen and not draft.changes else ()
        return find_conflicts(
            draft.path or "", planned, given.edits, source, unseen, shown, believed,
            lambda edit: self._since_shown(unseen, self._shown_in(edit, draft, source), draft), is_secret=draft.secret,
        )  # fmt: skip

    def _written_for(self, given: FileEdits, unseen: Sequence[UnseenChange]) -> Known | None:
        """The version that the edits of a call were written for. Numbers of lines are those of one version, or none."""
        draft, source = given.draft, given.source
        path = draft.before_path or ""
        numbered = {self._shown_in(edit, draft, source) for edit in given.edits if is_by_number(edit.target)}
        if len(numbered) > 1:
            return None
        shown = next(iter(numbered), None)
        if shown is None:
            return Known.of(source, unseen) or self._read_before(draft, source, self.view.last_whole(path))
        known = Known.of(source, self._since_shown(unseen, shown, draft))
        if known is None and shown == self.view.last(path):  # else it may count what this party wrote since
            known = self._read_before(draft, source, self.view.version_of(path, shown))
        return known

    def _shown_in(self, edit: Edit, draft: FileDraft, source: Source) -> str | None:
        """The version in which the lines that an edit names by number were last shown; None: that is not known."""
        if not is_by_number(edit.target):
            return None
        path = draft.before_path or ""
        return self.view.last_shown(path, lambda data, spans: is_shown(edit.target, _like(source, data), spans))

    def _since_shown(self, unseen: Sequence[UnseenChange], shown: str | None, draft: FileDraft) -> list[UnseenChange]:
        """The unseen changes after the version in which some lines were shown; their numbers count those before."""
        if shown is None:
            return list(unseen)
        later = {_record_of(item) for item in self._unseen_since(draft, shown)}
        return [item for item in unseen if _record_of(item) in later]

    def _read_before(self, draft: FileDraft, source: Source, data: bytes | None) -> Known | None:
        """A version that this party read; of no use to a call that has changed the file by now."""
        if data is None or draft.changes:
            return None
        version = _like(source, data)
        return Known(version, self._since(draft, version, source))

    def _gone(
        self, planned: Plan, given: FileEdits, believed: Believed, unseen: Sequence[UnseenChange]
    ) -> list[Conflict]:
        """The edits whose old text others have changed since it was read, and is not merely absent."""
        gone, edits = _gone_outcomes(planned), given.edits
        known = believed.known if gone and edits else None
        if known is None:
            return []
        # The version may be the last one that was read whole: parts were shown later, and the party may have written.
        unseen_ids = {_record_of(item) for item in unseen}
        conflicts: list[Conflict] = []
        for outcome in gone:
            edit = edits[outcome.index]
            one = plan(known.version, [edit], given.policy, path=given.draft.path)
            clash = rebased(known.version, one.changes, known.since) if one.ok else None
            if isinstance(clash, Clash):
                (found, *_) = self._clashes(given.draft, given.source, known, clash, one, [edit], unseen)
                others = tuple(other for other in found.others if other.get("record") in unseen_ids)
                if others:
                    conflicts.append(replace(found, index=outcome.index, others=others))
        return conflicts

    def _forced(
        self,
        planned: Plan,
        given: FileEdits,
        found: Sequence[Conflict],
        gone: Sequence[Conflict],
        believed: Believed,
        unseen: Sequence[UnseenChange],
    ) -> Plan:
        """This call's text in the place of what is there now.

        As it was planned, where that leaves nothing that both sides have a part in; else as this party meant it, in
        the version that it knows.
        """
        from steadyhand.session.conflicts import mixed

        draft, source, edits = given.draft, given.source, given.edits
        conflicts = [*found, *gone]
        is_numbered = any(edits and is_by_number(edits[conflict.index or 0].target) for conflict in found)
        is_mixed = mixed(source, planned.changes.splices, unseen)
        if planned.ok and not is_mixed and not (is_numbered and believed.plan is not None):
            return _marked(planned, found)
        if believed.known is None or believed.plan is None:
            self.found += conflicts
            if found:
                raise combine_errors([conflict.to_error() for conflict in conflicts])
            return _explained(planned, gone)
        placed = believed.known.over(believed.plan)
        over = put_over(believed.plan, placed, source, given.policy, draft.path)
        if believed.known.unseen:
            numbers = {number for each in placed for number in each.theirs}
            written = [believed.known.unseen[number] for number in numbers]
            self._replaced.setdefault(draft.before_path or "", []).extend(written)
        quoted = dict(changed_quotes(believed.plan, believed.known, source, unseen))
        return _forced_over(over, [written_over(placed, source, unseen), quoted], conflicts)

    def settle_whole(self, draft: FileDraft, policy: Policy) -> None:
        """The same for what is done to a file as a whole; the host may force it, nothing can be left out of it."""
        from steadyhand.session.conflicts import whole_file

        unseen = self._unseen(draft)
        if not unseen or policy.on_conflict == "force":
            return
        self.has_met = True
        conflict = whole_file(draft.path or "", draft.source(), unseen, is_secret=draft.secret)
        self.found.append(conflict)
        raise conflict.to_error()

    def rebase(self, given: FileEdits, expect: str, stale: EditError) -> Plan:
        """Plan for the version the caller knew, then move the change over what happened since.

        Refuses with `stale` where that version is not kept, with `conflict` where both changed the same lines.
        """
        draft, source, policy = given.draft, given.source, given.policy
        data = self.view.version_of(draft.path or "", expect)
        if data is None:
            raise stale
        version = _like(source, data)
        known = Known(version, self._since(draft, version, source))
        planned = given.plan(version)
        moved = rebased(version, planned.changes, known.since)
        if isinstance(moved, Clash):
            self.has_met = True
            unseen = self._unseen_since(draft, digest_of(data))
            conflicts = self._clashes(draft, source, known, moved, planned, given.edits, unseen)
            if policy.on_conflict == "force":
                placed = known.over(planned)
                over = put_over(planned, placed, source, policy, draft.path)
                return _forced_over(over, [written_over(placed, source, unseen)], conflicts)
            self.found += conflicts
            error = combine_errors([conflict.to_error().with_details(actual=source.digest) for conflict in conflicts])
            raise without_content(error) if draft.secret else error
        after = source.apply(moved)
        outcomes = tuple(as_rebased(outcome, moved, after) for outcome in planned.outcomes)
        return replace(planned, outcomes=outcomes, changes=moved, after=after)

    def _since(self, draft: FileDraft, written_for: Source, source: Source) -> ChangeSet:
        """What happened since a version: as it was recorded, which alone tells equal lines apart, else by comparing."""
        known = self.view.changes_since(draft, written_for)
        whole = None if known is None else known.compose(draft.changes or ChangeSet())
        with contextlib.suppress(EditError):
            if whole is not None and draft.changes is not None and whole.apply(written_for.text) == source.text:
                return whole
        return changes_between(written_for.text, source.text)

    def _clashes(
        self,
        draft: FileDraft,
        source: Source,
        known: Known,
        clash: Clash,
        planned: Plan,
        edits: Sequence[Edit],
        unseen: Sequence[UnseenChange],
    ) -> list[Conflict]:
        """One conflict for each edit that clashed, with who made the others."""
        from steadyhand.session.conflicts import Conflict, Writes, by_nobody, others_at
        from steadyhand.text.region import region_of

        places = dict(zip(known.since.splices, known.since.after_spans(), strict=True))
        found: dict[int, Conflict] = {}
        for mine, theirs in clash.pairs:
            index = planned.splice_edits[planned.changes.splices.index(mine)]
            if index in found:
                continue
            edit = edits[index] if index < len(edits) else None
            span = places[theirs]
            region = region_of(source, Splice(span.start, theirs.new, theirs.old))
            others = others_at(unseen, source, region) or (by_nobody(region, theirs.old, theirs.new),)
            joined = writes = None
            if not draft.secret:
                joined = joined_edit(known.version, source, planned, known.since, index, edit)
                writes = Writes.of(source, [each.splice for each in known.over(planned, index)])
            found[index] = Conflict(
                draft.path or "", index, None if edit is None or draft.secret else edit_to_json(edit), region.lines,
                mine.old, mine.new, others, joined, draft.secret, source.digest, writes=writes,
            )  # fmt: skip
        return list(found.values())

    def _without(
        self,
        found: Sequence[Conflict],
        given: FileEdits,
        unseen: Sequence[UnseenChange],
        believed: Believed,
    ) -> Plan:
        """The plan of the edits that touch nobody's work; the others are refused, each for itself."""
        edits = given.edits
        refused = {conflict.index: conflict for conflict in found}
        while True:
            left = [index for index in range(len(edits)) if index not in refused]
            if not left:
                self.found += refused.values()
                raise combine_errors([conflict.to_error() for conflict in refused.values()])
            chosen = replace(given, edits=[edits[index] for index in left])
            planned = chosen.plan()
            more = self._touching(unseen, planned, chosen, believed.of(left))
            if not more:
                break
            refused |= {
                left[conflict.index or 0]: replace(conflict, index=left[conflict.index or 0]) for conflict in more
            }
        self.found += refused.values()
        return _numbered(planned, left, edits, refused, given.draft.path)

    def _unseen(self, draft: FileDraft) -> list[UnseenChange]:
        """What others did, at its place in the draft's text, except what this call has overwritten."""
        path = draft.before_path or ""
        if draft.secret and not self.view.has_read(path):  # who may not read it could not read it again
            return []
        if path not in self._known:
            self.newest[path] = self.view.newest(path)
            self._known[path] = self.view.unseen(draft)
        unseen = self._known[path]
        if not unseen:
            return []
        replaced = set(map(_facts, self._replaced.get(path, ())))
        return _moved([item for item in unseen if _facts(item) not in replaced], draft)

    def _unseen_since(self, draft: FileDraft, digest: str) -> list[UnseenChange]:
        """What anybody did since a version, as it is in the draft's text."""
        key = (draft.before_path or "", digest)
        if key not in self._since_versions:
            self._since_versions[key] = self.view.unseen(draft, instead=digest)
        return _moved(self._since_versions[key], draft)


def _facts(item: UnseenChange) -> tuple[str | None, str, str]:
    """What identifies an unseen change, wherever it is."""
    return None if item.entry is None else item.entry.record.id, item.before, item.after


def _moved(unseen: Sequence[UnseenChange], draft: FileDraft) -> list[UnseenChange]:
    """Unseen changes of the file on disk, at their places in the draft's text."""
    changes = draft.changes
    if changes is None:  # this call has put whole bytes in its place
        return []
    if not changes:
        return list(unseen)
    tracked = Tracked.of(unseen, draft.source().length)
    tracked.take(None, changes, is_unseen=False)
    return tracked.unseen()


def _like(source: Source, data: bytes) -> Source:
    """Another version of a text, read as that is read where it can be."""
    encoding = source.encoding
    if not data.startswith(encoding.mark):
        return Source.of_bytes(data, path=source.path)
    try:
        return Source(encoding.decode(data), encoding, source.path)
    except UnicodeError:
        return Source.of_bytes(data, path=source.path)


def _explained(planned: Plan, gone: Sequence[Conflict]) -> Plan:
    """The plan with the conflicts that edits met whose old text is gone."""
    met = {conflict.index: conflict for conflict in gone}
    outcomes = (replace(o, error=met[o.index].to_error()) if o.index in met else o for o in planned.outcomes)
    return replace(planned, outcomes=tuple(outcomes))


def _marked(planned: Plan, found: Sequence[Conflict]) -> Plan:
    """The plan with what it is written over."""
    by_index = {conflict.index: conflict for conflict in found}
    outcomes = tuple(
        replace(
            outcome,
            forced=by_index[outcome.index].records or ("outside",),
            notes=(*outcome.notes, f"written over what {by_index[outcome.index].named()} changed"),
        )
        if outcome.index in by_index
        else outcome
        for outcome in planned.outcomes
    )
    return replace(planned, outcomes=outcomes)


def _forced_over(over: Plan, met: Sequence[dict[int, Others]], conflicts: Sequence[Conflict]) -> Plan:
    """A plan that is put over the present text, with whose changes that is written over.

    An edit that is written over none of them has met others all the same: those that moved its lines.
    """
    from steadyhand.session.conflicts import Conflict

    rest = {conflict.index: conflict for conflict in conflicts}
    for outcome in over.outcomes:
        others = tuple(other for by_index in met for other in by_index.get(outcome.index, ()))
        if others:
            rest[outcome.index] = Conflict(outcome.path or "", outcome.index, None, (1, 1), "", "", others)
    return _marked(over, list(rest.values()))


def _record_of(item: UnseenChange) -> str | None:
    return None if item.entry is None else item.entry.record.id


def _gone_outcomes(planned: Plan) -> list[Outcome]:
    return [outcome for outcome in planned.outcomes if outcome.error is not None and outcome.error.kind in _GONE]


def _numbered(
    planned: Plan, left: Sequence[int], edits: Sequence[Edit], refused: dict[int | None, Conflict], path: str | None
) -> Plan:
    """The plan of some of the edits, presented as one of all of them."""
    outcomes = [replace(outcome, index=left[outcome.index]) for outcome in planned.outcomes]
    for index, conflict in refused.items():
        assert index is not None
        error = conflict.to_error()
        outcomes.append(Outcome(index, applied=False, path=path, reason=edits[index].reason, error=error))
    return replace(
        planned,
        ok=False,
        outcomes=tuple(sorted(outcomes, key=lambda outcome: outcome.index)),
        splice_edits=tuple(left[index] for index in planned.splice_edits),
        proofs=tuple((left[index], span) for index, span in planned.proofs),
    )


class ConflictOverride(ConflictCheck):
    """Lets an edit through that was refused once, and says over what; line numbers must mean what they meant."""

    def __init__(self, view: TaskView, kept: KeptConflict) -> None:
        super().__init__(view)
        self._kept = kept

    def settle(self, planned: Plan, given: FileEdits) -> Plan:
        if any(isinstance(edit.target, Lines) and edit.target.text is None for edit in given.edits):
            self._check_lines(given.draft)
        settled = self._refused_text(planned, given.draft, given.source, given.policy)
        over = self._kept.records or ("outside",)
        note = f"written over what {self._kept.named()} changed"
        outcomes = tuple(
            replace(
                outcome,
                forced=tuple(dict.fromkeys((*over, *outcome.forced))),
                notes=tuple(dict.fromkeys((*outcome.notes, note))),
            )
            for outcome in settled.outcomes
        )
        return replace(settled, outcomes=outcomes)

    def _refused_text(self, planned: Plan, draft: FileDraft, source: Source, policy: Policy) -> Plan:
        """What was refused, over the lines it was refused for, as far as those are still the same."""
        kept = self._kept
        then = version_then(self.view.store.journal, kept, draft.source_on_disk())
        if kept.writes is None or then is None:
            raise self._stale(planned, "because its new text was not kept")
        first, last = kept.writes.lines
        start, end = then.table.start(first - 1), then.table.start(last)
        since = self._since(draft, then, source)
        if any(splice.start < end and start < splice.end for splice in since.splices):
            raise self._stale(planned, "because the lines it would change have changed again")
        refused = Splice(start, then.text[start:end], kept.writes.text)
        outcome = Outcome(0, applied=True, path=draft.path, lines=kept.lines, splices=(0,))
        if planned.ok:
            outcome = replace(planned.outcomes[0], splices=(0,))
        meant = Plan(True, (outcome,), ChangeSet((refused.trim(),)), (0,), then)
        return put_over(meant, Known(then, since).over(meant), source, policy, draft.path)

    def _stale(self, planned: Plan, because: str) -> EditError:
        if planned.error is not None:
            return planned.error
        return EditError(
            Kind.STALE_SOURCE,
            f"the refused edit of {self._kept.path} can no longer be made, {because}",
            hint="decide by hand: resolve the conflict with `edit`, or drop it and send the edit again",
            details={"path": self._kept.path, "conflict": self._kept.id},
        )

    def _check_lines(self, draft: FileDraft) -> None:
        """The same version as when it was refused: numbers alone prove nothing."""
        if not is_untouched(self.view.store.journal, self._kept, draft.source_on_disk()):
            raise EditError(
                Kind.STALE_SOURCE,
                f"the refused edit names lines by number, and {self._kept.path} has changed",
                hint="decide by hand: resolve the conflict with `edit`, or drop it and send the edit again",
                details={"path": self._kept.path, "conflict": self._kept.id},
            )
