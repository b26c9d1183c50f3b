"""What a party does not know of a file: the changes others made since it last saw it, where they stand now.

Reads the journal only. Positions are moved over recorded splices; no version is rebuilt unless something changed the
file outside the journal.

1. What a party wrote itself, and what it was shown after it was written, is no news.
2. Of news that was written over since, only what still stands is told.
3. Where a version cannot be had, nothing is claimed to have been seen.

What others are writing at this moment may look like a change outside the journal; whoever would refuse for it asks
again under the file's lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from steadyhand.errors import EditError
from steadyhand.lazy import dataclass
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.diff import changes_between
from steadyhand.text.encoding import Encoding
from steadyhand.text.source import Source
from steadyhand.text.span import Span, joined
from steadyhand.text.splice import Splice
from steadyhand.text.visible import sized
from steadyhand.workspace.file_history import Stop, stops_back, unwind, version_after
from steadyhand.workspace.journal.party import Party, Sight
from steadyhand.workspace.journal.record import Entry
from steadyhand.workspace.journal.store import Journal
from steadyhand.workspace.news import News, Tracked, by_lines, left_of

_END = 1 << 62
_REMEMBERED = 2_000  # pieces of news that are kept to be carried on
_COMPOSED = 300  # changes that are put together to one
_UNDER_WAY = 1  # changes of one file that may be noted before it is read and made after
_RACED = 8  # changes of one file that may land between a look at it and one at the journal
_OVERTAKEN = 100  # changes of one file that may land between reading it and showing what was read

Content = Callable[[str], bytes | None]
"""A version that was read, by its digest; None where it is not kept."""


@sized("after")
@dataclass(frozen=True, slots=True)
class _Step:
    """One change on the file's way to what it is now; `changes` is None where only the two digests are known."""

    entry: Entry | None
    changes: ChangeSet | None
    after: str


@dataclass(frozen=True, slots=True)
class _Way:
    """The steps since a party last knew the file, oldest first, and whether it knew all of it then."""

    steps: tuple[_Step, ...]
    start: str | None = None
    is_known: bool = False


@dataclass(frozen=True, slots=True)
class Lately:
    """The news of one version of a file, in the characters of an encoding: from there it can be carried on."""

    sight: Sight
    encoding: Encoding
    news: tuple[News, ...]


class Lookout:
    """Compares what one party has seen of files with what the journal says happened to them; None wrote nothing."""

    def __init__(self, journal: Journal, party: Party | None, since: int, content: Content) -> None:
        self._journal = journal
        self._party = party
        self._since = since
        self._content = content

    def news(
        self, path: str, present: Source, data: bytes, sights: Sequence[Sight], lately: Lately | None = None
    ) -> tuple[tuple[News, ...], Lately | None]:
        """What others did to the file at `path`, which now holds `data`, read as `present`, and the party has not seen.

        `lately` is what was answered for an earlier version: only what happened since is looked at. The second part of
        the answer serves so the next time; None where it cannot.
        """
        whole = [sight for sight in sights if sight.spans is None]
        if any(sight.digest == present.digest for sight in whole):
            return (), None
        is_old = lately is not None and any(sight.seq >= lately.sight.seq for sight in whole)
        if lately is not None and (is_old or not _alike(lately.encoding, present.encoding)):
            lately = None
        way = self._way(path, present, data, whole, lately.sight if lately is not None else None)
        is_resumed = lately is not None and way.is_known and way.start == lately.sight.digest
        is_resumed = is_resumed and all(sight.digest != way.start for sight in whole)
        tracked = Tracked.of(lately.news, present.length) if lately and is_resumed else Tracked(present.length)
        lengths = _lengths(way.steps, present.length)
        for span in _shown(sights, way.start):
            tracked.drop_inside(span)
        for step, length in zip(way.steps, lengths, strict=True):
            is_told = bool(sights) if step.entry is None else not self._is_own(step.entry)
            tracked.take(step.entry, step.changes, is_told=is_told)
            for span in _shown(sights, step.after):
                tracked.drop_inside(span, is_last=span.end == length)
        news = tuple(tracked.news())
        return news, self._to_resume(way, present, news, sights, lately)

    def _to_resume(
        self, way: _Way, present: Source, news: tuple[News, ...], sights: Sequence[Sight], lately: Lately | None
    ) -> Lately | None:
        entries = [step.entry for step in way.steps]
        # A change outside that nothing was built on may be one that is under way; one between two records is settled.
        # Who had seen nothing was not told of it, and is once it has.
        if len(news) > _REMEMBERED or (None in entries and (entries[-1] is None or not sights)):
            return None
        before = lately.sight.seq if lately is not None else self._since
        seq = max([before, *(entry.seq for entry in entries if entry is not None)])
        return Lately(Sight(present.digest, seq), present.encoding, news)

    def seen(self, path: str, present: Source, data: bytes, sights: Sequence[Sight]) -> tuple[Span, ...] | None:
        """The characters of the file that the party has been shown, or has written; None: all of them."""
        whole = [sight for sight in sights if sight.spans is None]
        if any(sight.digest == present.digest for sight in whole):
            return None
        way = self._way(path, present, data, whole)
        end = present.length
        return tuple(joined(Span(span.start, min(span.end, end)) for span in self._seen(way, sights)))

    def changes_since(self, path: str, present: Source, data: bytes, sight: Sight) -> ChangeSet | None:
        """What leads from the version of a sight to the present one, as it was recorded; None: that is not known."""
        way = self._way(path, present, data, [sight])
        if not way.is_known or len(way.steps) > _COMPOSED:
            return None
        whole = ChangeSet()
        for step in way.steps:
            if step.changes is None:
                return None
            whole = whole.compose(step.changes)
        return by_lines(_without_returns(whole))

    def followed(self, path: str, present: Source, data: bytes, sight: Sight, span: Span) -> Span | None:
        """Where characters of the version of a sight stand now, with what was written in their place; None: unknown.

        What the party itself put in at their edges belongs to them too.
        """
        if sight.digest == present.digest:
            return span
        way = self._way(path, present, data, [sight])
        if not way.is_known:
            return None
        for step in way.steps:
            if step.changes is None:
                return None
            span = _grown(span, step.changes, at_edges=step.entry is not None and self._is_own(step.entry))
        return span

    def _way(
        self, path: str, present: Source, data: bytes, whole: Sequence[Sight], lately: Sight | None = None
    ) -> _Way:
        """The changes from a version that was seen whole, or answered for `lately`, to the present one."""
        seen = {sight.digest for sight in whole}
        whole = whole if lately is None else [*whole, lately]
        known = {sight.digest for sight in whole}
        floor = max((sight.seq for sight in whole), default=self._since)
        stops = self._stops(path, floor, known)
        is_last = not stops or _led_to(stops[0], present.digest)
        if lately is not None and not is_last and self._is_past(path, present.digest, seen):
            return self._way(path, present, data, whole[:-1])  # what was answered may be of a later version
        since = len(stops) - len(_until_read(stops, present.digest, seen))
        steps: list[_Step] = []
        wanted = present.digest
        later: bytes | None = data
        oldest: Stop | None = None
        for stop in stops[since:]:
            assert stop.change.after is not None
            digest = stop.change.after.digest
            if digest != wanted:
                steps.append(self._gap(stop, wanted, later, present))
            if digest in known:
                return _Way(tuple(reversed(steps)), digest, is_known=True)
            steps.append(_Step(stop.entry, self._changes_of(stop, present), digest))
            oldest = stop
            if stop.change.before is None:
                return _Way(tuple(reversed(steps)))
            wanted, later = stop.change.before.digest, None
            if wanted in known:
                return _Way(tuple(reversed(steps)), wanted, is_known=True)
        return self._from_memory(steps, oldest, wanted, data, present, whole)

    def _is_past(self, path: str, digest: str, seen: set[str]) -> bool:
        """Whether a version is the one before the last few changes, none of which has been seen."""
        last = list(islice(stops_back(self._journal, path), _RACED))
        return len(_until_read(last, digest, seen)) < len(last)

    def _stops(self, path: str, floor: int, known: set[str]) -> list[Stop]:
        """The changes since the file was last known, newest first; where none of it is known, those after `floor`.

        A change may have been noted before the file was read and made after, or others may have landed before what was
        read was shown: they are older than `floor` and still news.
        """
        found: list[Stop] = []
        older, most = 0, _OVERTAKEN if known else _UNDER_WAY
        for stop in stops_back(self._journal, path):
            if stop.change.after is None or older > most:
                break
            found.append(stop)
            older += stop.entry.seq <= floor
            if _is_known(stop, known):
                return found
        return [stop for stop in found if stop.entry.seq > floor]

    def _from_memory(
        self, steps: list[_Step], oldest: Stop | None, wanted: str, data: bytes, present: Source, whole: Sequence[Sight]
    ) -> _Way:
        """The way from the version that was last read whole, where no record leads there: something else changed it."""
        if not whole:
            return _Way(tuple(reversed(steps)), wanted)
        seen = self._content(whole[-1].digest)
        later = data if oldest is None else self._before(oldest)
        if seen is None or later is None:
            return _Way((_Step(None, None, wanted), *reversed(steps)), whole[-1].digest)
        gap = _Step(None, _compared(seen, later, present), wanted)
        return _Way((gap, *reversed(steps)), whole[-1].digest, is_known=True)

    def _before(self, stop: Stop) -> bytes | None:
        assert stop.change.before is not None
        try:
            kept = self._journal.image(stop.change.before.digest)
            return kept if kept is not None else unwind(stop.change, version_after(self._journal, stop))
        except EditError:
            return None

    def _gap(self, stop: Stop, wanted: str, later: bytes | None, present: Source) -> _Step:
        """What happened outside the journal after `stop`."""
        try:
            found = later if later is not None else self._journal.image(wanted)
            earlier = version_after(self._journal, stop)
        except EditError:
            return _Step(None, None, wanted)
        return _Step(None, None if found is None else _compared(earlier, found, present), wanted)

    def _changes_of(self, stop: Stop, present: Source) -> ChangeSet | None:
        """A recorded change in the characters of the present text's encoding."""
        change = stop.change
        if change.changes is not None and change.encoding is not None and _alike(change.encoding, present.encoding):
            return by_lines(change.changes)
        if not change.content_changed:
            return ChangeSet()
        try:
            after = version_after(self._journal, stop)
            before = self._before(stop) if change.before is not None else b""
        except EditError:
            return None
        return None if before is None else _compared(before, after, present)

    def _seen(self, way: _Way, sights: Sequence[Sight]) -> list[Span]:
        seen = [Span(0, _END)] if way.is_known else []
        seen += _shown(sights, way.start)
        for step in way.steps:
            if step.changes is None:
                seen = []
            else:
                seen = [piece for span in seen for piece in left_of(span, step.changes)]
            if step.entry is not None and self._is_own(step.entry):
                seen += list(step.changes.after_spans()) if step.changes is not None else [Span(0, _END)]
            seen += _shown(sights, step.after)
        return seen

    def _is_own(self, entry: Entry) -> bool:
        return self._party == Party(entry.record.actor, entry.record.task)


def _until_read(stops: Sequence[Stop], digest: str, seen: set[str]) -> Sequence[Stop]:
    """The changes, newest first, without those that were made since the file was read with that digest.

    Others may change a file between a look at it and one at the journal; what they left is not its past. To who has
    seen a later version, the earlier one is a change back.
    """
    for at, stop in enumerate(stops):
        before, after = stop.change.before, stop.change.after
        if after is None or after.digest == digest or after.digest in seen or before is None:
            return stops
        if before.digest == digest:
            return stops[at + 1 :]
        older = stops[at + 1].change.after if at + 1 < len(stops) else None
        if older is None or older.digest != before.digest:
            return stops
    return stops


def _led_to(stop: Stop, digest: str) -> bool:
    return stop.change.after is not None and stop.change.after.digest == digest


def _is_known(stop: Stop, known: set[str]) -> bool:
    return any(side is not None and side.digest in known for side in (stop.change.before, stop.change.after))


def _alike(left: object, right: object) -> bool:
    """Whether two encodings count the same characters."""
    names = ("name", "errors", "mark")
    return all(getattr(left, name) == getattr(right, name) for name in names)


def _compared(before: bytes, after: bytes, present: Source) -> ChangeSet | None:
    try:
        texts = [_text(data, present.encoding) for data in (before, after)]
    except UnicodeError:
        return None
    return changes_between(*texts)


def _text(data: bytes, encoding: Encoding) -> str:
    """A version in the encoding of another, which may have got its mark in between."""
    return encoding.decode(data if data.startswith(encoding.mark) else encoding.mark + data)


def _lengths(steps: Sequence[_Step], last: int) -> list[int | None]:
    """How long the text is after each step, as far as the steps behind it tell."""
    lengths: list[int | None] = []
    length: int | None = last
    for step in reversed(steps):
        lengths.append(length)
        length = None if length is None or step.changes is None else length - step.changes.delta
    return lengths[::-1]


def _without_returns(changes: ChangeSet) -> ChangeSet:
    """The same where what went away and came back at the same place is no change."""
    groups: list[list[Splice]] = []
    for splice in changes.splices:
        if groups and groups[-1][-1].end == splice.start:
            groups[-1].append(splice)
        else:
            groups.append([splice])
    return ChangeSet(tuple(splice for group in groups for splice in _shortest(group)), changes.base)


def _shortest(touching: list[Splice]) -> Sequence[Splice]:
    """Splices that touch, each for itself, unless there is less to change for all of them at once."""
    if len(touching) == 1:
        return touching
    old, new = ("".join(getattr(splice, side) for splice in touching) for side in ("old", "new"))
    joined = [part.shift(touching[0].start) for part in changes_between(old, new).splices]
    return min(touching, joined, key=lambda splices: sum(len(splice.old) + len(splice.new) for splice in splices))


def _grown(span: Span, changes: ChangeSet, *, at_edges: bool) -> Span:
    """Where a span stands after, with whatever replaced a part of it; `at_edges`: also with what came in beside it."""
    start = changes.map_position(span.start, assoc=-1 if at_edges else 1)
    end = changes.map_position(span.end, assoc=1 if at_edges else -1)
    for splice, after in zip(changes.splices, changes.after_spans(), strict=True):
        if splice.old and splice.start < span.end and span.start < splice.end:
            start, end = min(start, after.start), max(end, after.end)
    return Span(start, max(start, end))


def _shown(parts: Iterable[Sight], digest: str | None) -> list[Span]:
    return [Span(*span) for sight in parts if sight.digest == digest for span in sight.spans or ()]
