"""What some records of a file come to: one change, and where in it each of their edits stands.

The way of a file is a row of change sets: those of the chosen records, those of others, and what happened outside. The
chosen ones are put together, and moved over the others where these came between; where both wrote the same text there
is no such change, and `None` says so.

1. The change takes the text as it would be without the chosen records to the text as it is after all of them.
2. Where an edit stands is followed through everything that came after it.
3. Splices are cut down to the lines that differ, so that what an edit only quoted is not its doing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence

from steadyhand.lazy import dataclass, field
from steadyhand.text.changeset import ChangeSet, Clash
from steadyhand.text.diff import changes_between
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice
from steadyhand.text.visible import sized
from steadyhand.workspace.file_history import history_of
from steadyhand.workspace.journal.record import EditNote, Entry, FileChange
from steadyhand.workspace.journal.store import Journal
from steadyhand.workspace.replays import Replays

__all__ = ["Net", "Passage", "Written", "net_of", "notes_of", "way_of"]


@dataclass(frozen=True, slots=True)
class Passage:
    """One record and what it did to the file."""

    entry: Entry
    change: FileChange
    is_chosen: bool = True


@dataclass(frozen=True, slots=True)
class Written:
    """An edit that stands, and the places of the text after that it had a hand in."""

    reason: str | None
    spans: tuple[Span, ...]


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
        places = sorted(
            (span.start, span.end, number) for number, edit in enumerate(self.written) for span in edit.spans
        )
        longest = max((end - start for start, end, _ in places), default=0)
        starts = [start for start, _, _ in places]
        found: list[list[int]] = []
        for span in self.changes.after_spans():
            near = places[bisect_left(starts, span.start - longest) : bisect_right(starts, span.end)]
            found.append(sorted({number for start, end, number in near if _meets(span, Span(start, end))}))
        return found


@dataclass(slots=True)
class _Step:
    """A change set of the way; `owners` says which splice of the record each of its splices is a part of."""

    changes: ChangeSet
    passage: Passage | None = None
    owners: list[int] = field(default_factory=list)

    @property
    def is_chosen(self) -> bool:
        return self.passage is not None and self.passage.is_chosen


def way_of(journal: Journal, path: str, is_chosen: Callable[[Entry], bool]) -> list[Passage]:
    """Every record that touched a file under the names that it had, oldest first.

    What takes back a chosen record is chosen too: together they come to nothing.
    """
    found: list[tuple[Entry, FileChange]] = []
    name = path
    for entry in history_of(journal, path):
        change = entry.record.file(name)
        if change is None:
            continue
        found.append((entry, change))
        if change.before is not None and change.after is not None and change.after.path == name:
            name = change.before.path
    chosen: set[str] = set()
    for entry, _ in reversed(found):
        if is_chosen(entry) or chosen.intersection(entry.record.undoes):
            chosen.add(entry.record.id)
    return [Passage(entry, change, entry.record.id in chosen) for entry, change in reversed(found)]


def net_of(way: Sequence[Passage], replays: Replays) -> Net | None:
    """What the chosen records come to; None where others changed the same text in between.

    Refuses with `cannot-undo` where a version is gone.
    """
    steps, after = _steps(way, replays)
    total, places = _followed(steps)
    net = total if all(step.is_chosen for step in steps) else _moved_over(steps)
    return None if net is None else Net(net, after, tuple(_written(steps, places)))


def notes_of(passage: Passage) -> tuple[EditNote, ...]:
    """The edits of a record, each with a reason where the record has one; what is no edit counts as one."""
    given = passage.entry.record.reason
    notes = passage.change.edits or (EditNote(splices=tuple(range(_count(passage.change)))),)
    return tuple(EditNote(note.reason or given, splices=note.splices) for note in notes)


def _count(change: FileChange) -> int:
    return 0 if change.changes is None else len(change.changes.splices)


def _steps(way: Sequence[Passage], replays: Replays) -> tuple[list[_Step], str]:
    """The whole way, with what happened outside between two records, and the text it leads to."""
    steps: list[_Step] = []
    text: str | None = None
    for passage in way:
        before, after = replays.texts(passage.entry, passage.change)
        if text is not None and text != before:
            steps.append(_Step(changes_between(text, before)))
        steps.append(_step(passage, before, after))
        text = after
    return steps, text or ""


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


def _moved_over(steps: Iterable[_Step]) -> ChangeSet | None:
    """The chosen change sets as one, where those of others came between."""
    net = ChangeSet()
    for step in steps:
        if step.is_chosen:
            net = net.compose(step.changes)
        elif net:
            without = step.changes.rebase(net.invert())
            moved = without if isinstance(without, Clash) else net.rebase(without)
            if isinstance(moved, Clash):
                return None
            net = moved
    return net


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
    return left.compose(right), [[_through(span, right) for span in spans] for spans in early] + late


def _written(steps: Sequence[_Step], places: Sequence[Sequence[Span]]) -> Iterator[Written]:
    """Each edit that stands, oldest first."""
    for step, spans in zip(steps, places, strict=True):
        if step.passage is None or not _stands(step.passage):
            continue
        for note in notes_of(step.passage):
            mine = [span for span, owner in zip(spans, step.owners, strict=True) if owner < 0 or owner in note.splices]
            yield Written(note.reason, tuple(mine))


def _stands(passage: Passage) -> bool:
    entry = passage.entry
    return passage.is_chosen and entry.record.verb == "edit" and entry.undone_by is None


def _meets(span: Span, place: Span) -> bool:
    """Whether two places of a text share something; where text went away, standing side by side is enough."""
    return span.touches(place) if span.is_empty or place.is_empty else span.overlaps(place)


def _through(span: Span, later: ChangeSet) -> Span:
    start = later.map_position(span.start, assoc=-1)
    return Span(start, max(start, later.map_position(span.end, assoc=1)))
