"""Edits made for another version: moved to the present one, or put over it; and refusals of several edits.

A line number means the lines as they were last shown, in the version that they were shown of: it counts the lines above
that were not shown as well. Where others inserted or removed lines above since then, unseen, the number is another
line's, and an edit that does not say what the line holds is not made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from steadyhand.errors import EditError
from steadyhand.lazy import dataclass, replace
from steadyhand.plan.edit import Edit, Place, Replace, edit_to_json
from steadyhand.plan.guards import GuardInput, ask_guards
from steadyhand.plan.planner import Outcome, Plan
from steadyhand.plan.policy import Policy
from steadyhand.structure.lines import Lines
from steadyhand.structure.target import Addressed
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.lines import count_lines
from steadyhand.text.merge import Overwritten, merge_tokens, overwrite
from steadyhand.text.region import Region, region_of
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice
from steadyhand.workspace.history.unseen_changes import UnseenChange

Others = tuple[dict[str, object], ...]


@dataclass(frozen=True, slots=True)
class Known:
    """A file as a party knows it, and the change set from there to the present text; `unseen` where it is theirs."""

    version: Source
    since: ChangeSet
    unseen: tuple[UnseenChange, ...] = ()

    @classmethod
    def of(cls, source: Source, unseen: Sequence[UnseenChange]) -> Known | None:
        """The present text without the unseen changes; None where one of them cannot be taken back."""
        if any(item.is_whole or item.is_part for item in unseen):
            return None
        try:
            back = ChangeSet(tuple(Splice(item.span.start, item.span.of(source.text), item.before) for item in unseen))
            return cls(source.apply(back), back.invert(), tuple(unseen))
        except (EditError, ValueError):
            return None

    def over(self, planned: Plan, index: int | None = None) -> list[Overwritten]:
        """What puts a plan for this version, or one edit of it, over the present text; `mine` is the edit."""
        chosen = [n for n, edit in enumerate(planned.splice_edits) if index in (None, edit)]
        mine = ChangeSet(tuple(planned.changes.splices[n] for n in chosen))
        found = overwrite(self.version.text, mine, self.since)
        return [replace(each, mine=planned.splice_edits[chosen[each.mine]]) for each in found]


class Believed:
    """The edits of a call as their party meant them: planned for the version that it knows. Found when it is needed."""

    def __init__(self, find: Callable[[], Known | None], plan_for: Callable[[Source], Plan]) -> None:
        self._find = find
        self._plan_for = plan_for

    @cached_property
    def known(self) -> Known | None:
        return self._find()

    @cached_property
    def plan(self) -> Plan | None:
        """None where they do not all go through there."""
        planned = None if self.known is None else self._plan_for(self.known.version)
        return planned if planned is not None and planned.ok else None

    def text(self) -> str:
        """What the party knows of the file; nothing where that is not known."""
        return "" if self.known is None else self.known.version.text

    def of(self, chosen: Sequence[int]) -> Believed:
        """The same for some of the edits, which are counted from 0."""
        return _Some(self, chosen)

    def over(self, index: int) -> list[Splice]:
        """What puts one edit over the present text."""
        if self.known is None or self.plan is None:
            return []
        return [each.splice for each in self.known.over(self.plan, index)]


class _Some(Believed):
    def __init__(self, whole: Believed, chosen: Sequence[int]) -> None:
        super().__init__(lambda: whole.known, whole._plan_for)
        self._whole, self._chosen = whole, chosen

    def over(self, index: int) -> list[Splice]:
        return self._whole.over(self._chosen[index])


def changed_quotes(
    planned: Plan, known: Known, source: Source, unseen: Sequence[UnseenChange]
) -> Iterator[tuple[int, Others]]:
    """The edits of a plan for the version that is known which quote what others have changed since."""
    from steadyhand.session.conflicts import others_at

    for index, span in planned.proofs:
        first, last = source.table.rows_of(known.since.map_span(span))
        others = others_at(unseen, source, Region(first, last + 1))
        if others:
            yield index, others


def written_over(placed: Sequence[Overwritten], source: Source, unseen: Sequence[UnseenChange]) -> dict[int, Others]:
    """Whose changes each edit is written over, where it is put."""
    from steadyhand.session.conflicts import others_at

    places: dict[int, list[Region]] = {}
    for each in placed:
        places.setdefault(each.mine, []).append(region_of(source, each.splice))
    return {index: others_at(unseen, source, *regions) for index, regions in places.items()}


def put_over(planned: Plan, placed: Sequence[Overwritten], source: Source, policy: Policy, path: str | None) -> Plan:
    """A plan for an earlier version put over the present text; the guards look at what comes out."""
    changes, owners = ChangeSet(tuple(each.splice for each in placed)), tuple(each.mine for each in placed)
    after = source.apply(changes)
    verdict = ask_guards("file", GuardInput(path, source.text, after.text, (), policy, changes=changes))
    if verdict.refusal is not None:
        return replace(planned, ok=False, changes=ChangeSet(), splice_edits=(), after=source, refusal=verdict.refusal)
    outcomes = tuple(
        as_rebased(replace(o, splices=tuple(n for n, edit in enumerate(owners) if edit == o.index)), changes, after)
        for o in planned.outcomes
    )
    return Plan(planned.ok, outcomes, changes, owners, after, warnings=verdict.warnings)


def as_rebased(outcome: Outcome, moved: ChangeSet, after: Source) -> Outcome:
    """The outcome of an edit that was moved over what happened since."""
    spans = [moved.after_spans()[index] for index in outcome.splices]
    lines = after.lines_of(Span(spans[0].start, spans[-1].end)) if spans else outcome.lines
    return replace(outcome, lines=lines, others=(), more_others=0, differs=(*outcome.differs, "rebased"))


def joined_edit(
    version: Source, source: Source, planned: Plan, since: ChangeSet, index: int, edit: Edit | None
) -> dict[str, object] | None:
    """Both changes of the same lines in one edit, where they changed different words; None where they did not."""
    mine = [planned.changes.splices[n] for n, number in enumerate(planned.splice_edits) if number == index]
    rows = _rows_of(version, [*mine, *(s for s in since.splices if _is_met(version, s, mine))])
    theirs = [splice for splice in since.splices if rows.start <= splice.start and splice.end <= rows.end]
    base = rows.of(version.text)
    present, yours = (ChangeSet(tuple(s.shift(-rows.start) for s in side)).apply(base) for side in (theirs, mine))
    both = merge_tokens(base, present, yours)
    # The offer quotes the present text: where that is in the file twice, sending it back could change the other place.
    if both is None or both == present or not present or source.text.count(present) != 1:
        return None
    return edit_to_json(Replace(present, both, reason=edit.reason if edit is not None else None))


def _is_met(version: Source, splice: Splice, mine: Sequence[Splice]) -> bool:
    region = region_of(version, splice)
    return any(region.meets(own := region_of(version, other)) or own.meets(region) for other in mine)


def _rows_of(version: Source, splices: Sequence[Splice]) -> Span:
    """The whole lines that hold all of some splices."""
    rows = [version.table.rows_of(splice.span) for splice in splices]
    return version.table.span_of(min(first for first, _ in rows), max(last for _, last in rows))


def redacted(planned: Plan) -> Plan:
    """Refusals about a file with secrets say what kind, not what is there."""
    outcomes = tuple(
        replace(outcome, error=None if outcome.error is None else without_content(outcome.error), notes=())
        for outcome in planned.outcomes
    )
    refusal = None if planned.refusal is None else without_content(planned.refusal)
    return replace(planned, outcomes=outcomes, refusal=refusal, warnings=())


def without_content(error: EditError) -> EditError:
    """A refusal that shows nothing of the file."""
    return EditError(error.kind, error.kind.doc, hint="the file holds secrets, so its text is not shown")


Placed = tuple[UnseenChange, Region]
_TRIES = 5


def moved_by(
    edit: Edit, mine: Sequence[Splice], rows: Region, source: Source, theirs: Sequence[Placed], shown: Sequence[Span]
) -> list[Placed]:
    """The unseen changes that moved the lines which an edit names by number alone; none where it was shown them since.

    A number that counts code blocks, or sections of one name, is as good as one that counts lines.
    """
    if not is_by_number(edit.target):
        return []
    start, end = min(splice.start for splice in mine), max(splice.end for splice in mine)
    if any(span.start <= start and end <= span.end for span in shown):
        return []
    above = [placed for placed in theirs if _is_above(placed[1], rows.start)]
    moving = [placed for placed in above if _delta(placed, source)]
    return moving if _moved(above, source) or not isinstance(edit.target, Lines) else []


def any_above(rows: Region, source: Source, theirs: Sequence[Placed]) -> bool:
    """Whether an unseen change above some rows moves them."""
    return any(_is_above(placed[1], rows.start) and _delta(placed, source) for placed in theirs)


def corrected_lines(
    edit: Edit, rows: Region, source: Source, moving: Sequence[Placed], theirs: Sequence[Placed]
) -> dict[str, object] | None:
    """The edit with the numbers that its lines have now, and what they say; None where others changed those too.

    `moving` are the unseen changes that its numbers do not count.
    """
    if not isinstance(edit.target, Lines):
        return None
    row = rows.start
    # Moving the lines down can bring another change above them, which moves them too; mostly the first turn settles it.
    for _ in range(_TRIES):
        moved = _moved([placed for placed in moving if _is_above(placed[1], row)], source)
        if row - moved == rows.start:
            break
        row = rows.start + moved
    else:
        return None
    place = Region(row, row + rows.end - rows.start)
    is_known = place.start >= 0 and place.end <= source.table.count and not any(place.meets(r) for _, r in theirs)
    if place.is_boundary or not is_known:
        return None
    text = source.text[source.table.start(place.start) : source.table.start(place.end)]
    lines = {"start": place.start + 1, "end": place.end, "text": text}
    return {**edit_to_json(edit), "target": {"lines": lines}}


def is_by_number(place: Place) -> bool:
    """Whether a number alone says which place is meant."""
    if isinstance(place, Lines):
        return place.text is None
    return isinstance(place, Addressed) and any(getattr(place, name, None) is not None for name in ("index", "nth"))


def is_shown(place: Place, version: Source, shown: Sequence[Span]) -> bool:
    """Whether the lines that a place names by number are, in a version, within the parts of it that were shown."""
    if not isinstance(place, Lines) or not 0 < place.start <= place.end + 1 <= version.table.count + 1:
        return False
    start, end = version.table.start(place.start - 1), version.table.start(place.end)
    return any(span.start <= start and end <= span.end for span in shown)


def _is_above(region: Region, row: int) -> bool:
    return region.end <= row


def _moved(above: Sequence[Placed], source: Source) -> int:
    return sum(_delta(placed, source) for placed in above)


def _delta(placed: Placed, source: Source) -> int:
    """By how many lines a change moves what follows."""
    unseen = placed[0]
    if unseen.is_whole or (unseen.is_part and unseen.before):
        return 0
    return count_lines(unseen.span.of(source.text)) - count_lines(unseen.before)
