"""The audit of one file as an article: whether it was updated, by which patch, and for which reasons.

    updated    the records changed it: its text, its name or its mode is another, whatever was refused afterwards
    unchanged  it was worked on and is as it was: what was done was undone or took itself back; the only refusals were
               that nothing needed to be done; or it was read, or there is evidence, and nobody asked for a change
    failed     every call was refused, and not because nothing needed to be done
    skipped    nobody asked for anything, and nobody read all of it

`error` is set where the last call was refused, in whatever state that left the file.

Each group of changed lines in the patch is tied to the reasons of the edits that had a hand in it, also where later
edits moved its lines. An edit whose effect is gone from the patch is in `editReasons` and in no group. Where others
changed the same text in between there is no one patch: then the patches of the records follow one another.

The history of a file is a row of change sets: those of the chosen records, those of others, and what happened outside.
The chosen ones are composed, and moved over the others where these came between; where both wrote the same text there
is no such change, and `None` says so.

1. The change takes the text as it would be without the chosen records to the text as it is after all of them.
2. Where an edit is, is followed through everything that came after it.
3. Splices are cut down to the lines that differ, so that what an edit only quoted does not count as its work.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import accumulate, starmap
from typing import Literal

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field, replace
from steadyhand.session.history import History
from steadyhand.session.statistics import Attempt, Refused
from steadyhand.text.changeset import ChangeSet, Clash
from steadyhand.text.diff import changes_between
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice
from steadyhand.text.unified import parse_unified, render_unified
from steadyhand.text.visible import sized
from steadyhand.workspace.history.file_history import Replays, Version, deletion_undone, history_of
from steadyhand.workspace.journal.record import EditNote, Entry, FileChange
from steadyhand.workspace.journal.store import Journal


@dataclass(frozen=True, slots=True)
class Passage:
    """One record and what it did to the file."""

    entry: Entry
    change: FileChange
    is_chosen: bool = True


@dataclass(frozen=True, slots=True)
class Written:
    """An edit that was not undone, and the places of the text after that it had a hand in.

    `splices` says which splice of the record is at each place; -1 where it wrote the whole file. `path` is the file's
    in the record.
    """

    reason: str | None
    spans: tuple[Span, ...]
    entry: Entry
    note: EditNote
    splices: tuple[int, ...]
    path: str


@sized("after")
@dataclass(frozen=True, slots=True)
class Net:
    """The change, the text after it, and the edits that made it, oldest first."""

    changes: ChangeSet
    after: str
    written: tuple[Written, ...]

    @property
    def before(self) -> str:
        return self.changes.invert().apply(self.after)

    def authors(self) -> list[list[int]]:
        """For each splice of the change the edits that had a hand in it, by their numbers."""
        return [sorted({number for number, _ in hands}) for hands in self.hands()]

    def hands(self, meets: Callable[[Span, Span], bool] | None = None) -> list[list[tuple[int, int]]]:
        """For each splice of the change the edits that had a hand in it: number, and which of the edit's places."""
        meets = meets or _meets
        places = sorted(
            (span.start, span.end, number, place)
            for number, edit in enumerate(self.written)
            for place, span in enumerate(edit.spans)
        )
        longest = max((end - start for start, end, _, _ in places), default=0)
        starts = [start for start, _, _, _ in places]
        found: list[list[tuple[int, int]]] = []
        for span in self.changes.after_spans():
            near = places[bisect_left(starts, span.start - longest) : bisect_right(starts, span.end)]
            met = {(number, place) for start, end, number, place in near if meets(span, Span(start, end))}
            found.append(sorted(met))
        return found


@dataclass(slots=True)
class _Step:
    """A change set of the way; `owners` says which splice of the record each of its splices is a part of."""

    changes: ChangeSet
    passage: Passage | None = None
    owners: list[int] = field(default_factory=list)

    def is_in(self, chosen: AbstractSet[str]) -> bool:
        return self.passage is not None and self.passage.entry.record.id in chosen


@dataclass(slots=True)
class Steps:
    """What happened to the text of a file, whichever records are chosen: found once for all that ask.

    `total` is all of it, `places` are where each step has written in the text `after`.
    """

    steps: list[_Step]
    after: str
    total: ChangeSet
    places: list[list[Span]]


Records = Sequence[tuple[Entry, FileChange]]


def records_of(journal: Journal, path: str, before_seq: int | None = None, *, is_there: bool = False) -> Records:
    """Every record that touched a file under the names that it had, newest first, and what it did.

    Other files may have had its name meanwhile, and are elsewhere now: those are left out, also where its deletion was
    undone. `is_there`: also one that had it last.
    """
    found: list[tuple[Entry, FileChange]] = []
    name, start = path, before_seq
    while True:
        left: int | None = None
        deletion: Version | None = None
        for entry in history_of(journal, name, start):
            change = entry.record.arriving(name) or entry.record.file(name)
            if change is None:
                continue
            if change.after is not None and change.after.path != name and (found or is_there):
                left = entry.seq
                break
            found.append((entry, change))
            deletion = deletion_undone(journal, entry, change)
            if deletion is not None:
                found.append((deletion.entry, deletion.change))
                name = deletion.change.path
                break
            if change.before is not None and change.after is not None and change.after.path == name:
                name = change.before.path
        if deletion is not None:
            start = deletion.entry.seq
            continue
        start = None if left is None else _arrival(journal, name, left)
        if start is None:
            return found


def _arrival(journal: Journal, path: str, before_seq: int) -> int | None:
    """The row in which the file came to a path that left it in another; None where it was always there."""
    for entry in journal.entries(path=path, before_seq=before_seq):
        change = entry.record.arriving(path)
        if change is not None and (change.before is None or change.before.path != path):
            return entry.seq
    return None


def way_of(found: Records, is_chosen: Callable[[Entry], bool]) -> list[Passage]:
    """The records of a file, oldest first.

    What takes back a chosen record is chosen too: together they come to nothing.
    """
    chosen: set[str] = set()
    for entry, _ in reversed(found):
        if is_chosen(entry) or chosen.intersection(entry.record.undoes):
            chosen.add(entry.record.id)
    return [Passage(entry, change, entry.record.id in chosen) for entry, change in reversed(found)]


def steps_of(way: Sequence[Passage], replays: Replays, present: str | None = None) -> Steps:
    """What happened to a text, up to what the records lead to or to the `present` one.

    Refuses with `cannot-undo` where a version is gone.
    """
    steps, after = _steps(way, replays)
    if present is not None and present != after:
        steps.append(_Step(changes_between(after, present)))
        after = present
    return Steps(steps, after, *_followed(steps))


def net_of(
    way: Sequence[Passage], known: Steps, *, is_apart: Callable[[Splice, Splice], bool] | None = None
) -> Net | None:
    """What the chosen records come to; None where others changed the same text in between.

    `is_apart`: whether two splices that touch, the first one on the left, concern different text.
    """
    chosen = {passage.entry.record.id for passage in way if passage.is_chosen}
    is_all = all(step.is_in(chosen) for step in known.steps)
    net = known.total if is_all else _moved_over(known.steps, chosen, is_apart)
    return None if net is None else Net(net, known.after, tuple(_written(known, chosen)))


def written_in(way: Sequence[Passage], replays: Replays, present: str) -> tuple[Written, ...]:
    """The edits that were not undone and where in the present text they wrote. Refuses as `steps_of` does."""
    chosen = {passage.entry.record.id for passage in way if passage.is_chosen}
    return tuple(_written(steps_of(way, replays, present), chosen))


def written_until(known: Steps, chosen: AbstractSet[str], count: int) -> tuple[Written, ...]:
    """The chosen edits among the first steps, and where in the text after these they wrote."""
    steps = known.steps[:count]
    return tuple(_written(Steps(steps, "", *_followed(steps)), chosen))


def notes_of(passage: Passage) -> tuple[EditNote, ...]:
    """The edits of a record, each with a reason where the record has one; what is no edit counts as one."""
    given = passage.entry.record.reason
    notes = passage.change.edits or (EditNote(splices=tuple(range(_count(passage.change)))),)
    return tuple(note if note.reason else replace(note, reason=given) for note in notes)


def _count(change: FileChange) -> int:
    return 0 if change.changes is None else len(change.changes.splices)


def _steps(way: Sequence[Passage], replays: Replays) -> tuple[list[_Step], str]:
    """The whole way, with what happened outside between two records, and the text it leads to."""
    steps: list[_Step] = []
    text: str | None = None
    for passage in _lasting(way):
        change = passage.change
        if text is not None and change.before and change.after and not change.content_changed:
            continue  # whoever only moved it has read no text, and knows of no encoding
        before, after = replays.texts(passage.entry, change)
        if text is not None and text != before:
            steps.append(_Step(changes_between(text, before)))
        steps.append(_step(passage, before, after))
        text = after
    return steps, text or ""


def _lasting(way: Sequence[Passage]) -> list[Passage]:
    """The way without what was taken back right after it was made, or deleted and put back: then the text is what it
    was, to the splice.
    """
    found: list[Passage] = []
    for passage in way:
        last = found[-1] if found else None
        if last is not None and _takes_back(passage, last):
            found.pop()
        else:
            found.append(passage)
    return found


def _takes_back(passage: Passage, last: Passage) -> bool:
    if last.entry.record.id not in passage.entry.record.undoes and not last.change.is_delete:
        return False
    sides = last.change.before, last.change.after, passage.change.before, passage.change.after
    was, became, found, left = (None if side is None else side.digest for side in sides)
    return (was, became) == (left, found)


def _step(passage: Passage, before: str, after: str) -> _Step:
    changes = passage.change.changes
    if passage.change.before is None or changes is None or not passage.change.content_changed:
        whole = changes_between(before, after)
        return _Step(whole, passage, [-1] * len(whole.splices))
    pieces: list[Splice] = []
    owners: list[int] = []
    for index, splice in enumerate(changes.splices):
        parts = _parts(splice)
        pieces += parts
        owners += [index] * len(parts)
    return _Step(ChangeSet(tuple(pieces)), passage, owners)


def _parts(splice: Splice) -> list[Splice]:
    if "\n" not in splice.old:
        return [splice]
    return [part.shift(splice.start) for part in changes_between(splice.old, splice.new).splices]


def _moved_over(
    steps: Iterable[_Step], chosen: AbstractSet[str], is_apart: Callable[[Splice, Splice], bool] | None
) -> ChangeSet | None:
    """The chosen change sets as one, where those of others came between."""
    net = ChangeSet()
    for step in steps:
        if step.is_in(chosen):
            net = net.compose(step.changes)
        elif net:
            if is_apart is not None and not all(starmap(is_apart, touching(net.invert(), step.changes))):
                return None
            without = step.changes.rebase(net.invert())
            moved = without if isinstance(without, Clash) else net.rebase(without)
            if isinstance(moved, Clash):
                return None
            net = moved
    return net


def touching(one: ChangeSet, other: ChangeSet) -> Iterator[tuple[Splice, Splice]]:
    """The adjacent pairs of splices of two changes of one text, the left one first."""
    pairs = ((one.splices, other.splices), (other.splices, one.splices))
    for left, right in pairs:
        starting = {splice.start: splice for splice in reversed(right)}
        yield from ((splice, starting[splice.end]) for splice in left if splice.end in starting)


def _followed(steps: Sequence[_Step]) -> tuple[ChangeSet, list[list[Span]]]:
    """All change sets as one, and where each of them has written, in the text after.

    By halves: a change set is put together with others of its size, and a place is moved over few large ones.
    """
    if not steps:
        return ChangeSet(), []
    if len(steps) == 1:
        changes = steps[0].changes
        return changes, [list(changes.after_spans())]
    middle = len(steps) // 2
    (left, early), (right, late) = _followed(steps[:middle]), _followed(steps[middle:])
    return left.compose(right), [[right.map_span(span) for span in spans] for spans in early] + late


def _written(known: Steps, chosen: AbstractSet[str]) -> Iterator[Written]:
    """Each chosen edit that was not undone, oldest first."""
    for step, spans in zip(known.steps, known.places, strict=True):
        if step.passage is None or not step.is_in(chosen) or not _is_in_effect(step.passage.entry):
            continue
        by_owner: dict[int, list[int]] = {}
        for at, owner in enumerate(step.owners):
            by_owner.setdefault(owner, []).append(at)
        for note in notes_of(step.passage):
            mine = sorted(at for owner in {-1, *note.splices} for at in by_owner.get(owner, ()))
            splices, places = tuple(step.owners[at] for at in mine), tuple(spans[at] for at in mine)
            yield Written(note.reason, places, step.passage.entry, note, splices, step.passage.change.path)


def _is_in_effect(entry: Entry) -> bool:
    return entry.record.verb == "edit" and entry.undone_by is None


def _meets(span: Span, place: Span) -> bool:
    """Whether two places of a text share something; where text went away, standing side by side is enough."""
    return span.touches(place) if span.is_empty or place.is_empty else span.overlaps(place)


def shares(span: Span, place: Span) -> bool:
    """Whether two places of a text share something; standing side by side is not enough."""
    return span == place or (not place.is_empty and span.overlaps(place))


FIELDS = ("jrn", "path", "status", "evidence", "editReasons", "hunkReasons", "toolUsage", "error", "patch")

Status = Literal["updated", "unchanged", "skipped", "failed"]
Groups = list[dict[str, object]]

_NEEDLESS = {str(Kind.NO_CHANGE), str(Kind.ALREADY_APPLIED)}


@dataclass(slots=True)
class Tried:
    """What was tried on a file: calls and refusals by tool, how the last call ended, and what is said for evidence.

    `is_read`: somebody has read all of it.
    """

    usage: dict[str, list[int]] = field(default_factory=dict)
    kinds: set[str] = field(default_factory=set)
    error: Refused | None = None
    evidence: list[object] = field(default_factory=list)
    is_read: bool = False

    def add(self, attempt: Attempt, names: frozenset[str]) -> None:
        """Count a call that was about the file, which had these names."""
        refused = next((said for path, said in attempt.refused.items() if path in names), None)
        is_applied = bool(names & attempt.changed)
        if refused is None and not is_applied:
            return
        counts = self.usage.setdefault(attempt.tool, [0, 0])
        counts[0] += 1
        counts[1] += not is_applied
        self.error = None if is_applied else refused
        self.kinds |= {refused.kind} if refused is not None and not is_applied else set()

    def take(self, other: Tried) -> None:
        """What was tried on the file under another name, before this."""
        self.error = self.error if self.calls else other.error
        for tool, counts in other.usage.items():
            mine = self.usage.setdefault(tool, [0, 0])
            mine[0] += counts[0]
            mine[1] += counts[1]
        self.kinds |= other.kinds
        self.evidence = other.evidence + self.evidence
        self.is_read |= other.is_read

    @property
    def calls(self) -> int:
        return sum(calls for calls, _ in self.usage.values())

    def tool_usage(self) -> dict[str, object]:
        return {tool: {"calls": calls, "refused": refused} for tool, (calls, refused) in sorted(self.usage.items())}


@dataclass(frozen=True, slots=True)
class _Summary:
    """What the records of a file come to."""

    is_changed: bool
    patch: str = ""
    groups: Groups = field(default_factory=list)
    text: str | None = None


def article_of(
    path: str,
    way: Sequence[Passage],
    tried: Tried,
    history: History,
    *,
    is_secret: bool,
    read: Callable[[], str | None],
) -> dict[str, object]:
    """The audit of a file whose records are `way`; `read` gives its present text, where there is one to be shown."""
    chosen = [passage for passage in way if passage.is_chosen]
    hidden = is_secret or any(passage.change.redacted for passage in way)
    summary = _summary(path, way, chosen, history, hidden=hidden) if chosen else _Summary(is_changed=False)
    in_effect = [p for p in chosen if p.entry.record.verb == "edit" and p.entry.undone_by is None]
    reasons = [note.reason for passage in in_effect for note in notes_of(passage) if note.reason]
    entry: dict[str, object] = {
        "jrn": _name_in_front(path, None if hidden else read() or summary.text) or path,
        "path": path,
        "status": _status(summary, chosen, tried),
        "evidence": list(tried.evidence),
        "patch": summary.patch,
        "editReasons": reasons,
        "hunkReasons": summary.groups,
        "toolUsage": tried.tool_usage(),
    }
    return entry if tried.error is None else {**entry, "error": tried.error.to_json()}


def _status(summary: _Summary, chosen: Sequence[Passage], tried: Tried) -> Status:
    if summary.is_changed:
        return "updated"
    if chosen or tried.kinds & _NEEDLESS == tried.kinds != set():
        return "unchanged"
    if tried.calls:
        return "failed"
    return "unchanged" if tried.evidence or tried.is_read else "skipped"


def _summary(
    path: str, way: Sequence[Passage], chosen: Sequence[Passage], history: History, *, hidden: bool
) -> _Summary:
    first, last = chosen[0].change.before, chosen[-1].change.after
    moved = (first and (first.path, first.mode)) != (last and (last.path, last.mode))
    differs = moved or (first and first.digest) != (last and last.digest)
    if hidden:
        return _Summary(differs, f"# {path}: the content is not shown\n" if differs else "")
    try:
        net = net_of(way, steps_of(way, history.replays))
    except EditError as error:
        return _Summary(differs, f"# {path}: {error.message}\n" if differs else "")
    if net is None:
        return _apart(chosen, history)
    before, after = net.before, net.after
    if before == after and not moved:
        return _Summary(is_changed=False, text=after)
    sides = [state.path if state is not None else None for state in (first, last)]
    modes = [state.mode if state is not None else None for state in (first, last)]
    patch = render_unified(before, after, *sides, mode_before=modes[0], mode_after=modes[1])
    groups = _groups(patch, net) if before != after else []
    return _Summary(is_changed=True, patch=patch, groups=groups, text=after or before)


def _apart(chosen: Sequence[Passage], history: History) -> _Summary:
    """The standing records one after another, each with its own reasons."""
    patches: list[str] = []
    groups: Groups = []
    for passage in chosen:
        if passage.entry.record.verb != "edit" or passage.entry.undone_by is not None:
            continue
        patch = history.file_diff(passage.entry, passage.change, git=True)
        patches.append(patch)
        if "\n@@ " in patch:
            alone = [Passage(passage.entry, passage.change)]
            net = net_of(alone, steps_of(alone, history.replays))
            groups += _groups(patch, net) if net is not None else []
    return _Summary(bool(patches), "".join(patches), groups)


def _groups(patch: str, net: Net) -> Groups:
    """Each group of the patch, by its `@@` line, with the reasons of the edits that had a hand in it."""
    rows = _Rows(net.after)
    lines = patch.split("\n")
    found = parse_unified(patch).hunks
    heads = [lines[group.line - 1] for group in found]
    places = [list(_changed_rows(group.after_start, group.lines)) for group in found]
    made: list[set[int]] = [set() for _ in found]
    for span, edits in zip(net.changes.after_spans(), net.authors(), strict=True):
        # A diff may show equal lines elsewhere: then it is the nearest group.
        first, last = rows.of(span)
        distances = [min(max(first - row, row - last, 0) for row in place) for place in places]
        made[distances.index(min(distances))].update(edits)
    reasons = [dict.fromkeys(net.written[edit].reason for edit in sorted(edits)) for edits in made]
    return [
        {"hunk": head, "reasons": [reason for reason in given if reason]}
        for head, given in zip(heads, reasons, strict=True)
    ]


def _changed_rows(row: int, lines: Sequence[tuple[str, str]]) -> Iterator[int]:
    """The rows of the text after that a group writes, and those before which it takes something away."""
    for sign, _ in lines:
        if sign != " ":
            yield row
        row += sign != "-"


class _Rows:
    """In which rows a place is, counted as a diff does."""

    def __init__(self, text: str) -> None:
        self._starts = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))

    def of(self, span: Span) -> tuple[int, int]:
        first = bisect_right(self._starts, span.start) - 1
        return first, first if span.is_empty else bisect_right(self._starts, span.end - 1) - 1


def _name_in_front(path: str, text: str | None) -> str | None:
    """What an article calls itself: the key `jrn` of its front matter, or of a comment that has it."""
    from steadyhand.structure.markdown.front_matter import page_rules  # few files say anything about themselves

    said = None if text is None or "jrn" not in text else page_rules(path, text)
    jrn = None if said is None else said.jrn
    return str(jrn) if isinstance(jrn, str | int) and not isinstance(jrn, bool) and str(jrn) else None
