"""Changes that others made to a file since a party last saw it, and where they are now.

Reads the journal only. Positions are moved over recorded splices; no version is rebuilt unless something changed the
file outside the journal.

1. What a party wrote itself, and what it was shown after it was written, is not unseen.
2. Of changes that were written over since, only what is still there is reported, by who wrote it last.
3. A change is measured by the text before any unseen change that it was written over: who inserts lines and rewrites
   them has inserted them, and who changes lines and changes them back has done nothing.
4. Where a version cannot be rebuilt, nothing is claimed to have been seen.

What others are writing at this moment may look like a change outside the journal; whoever would refuse for it asks
again under the lock of the file.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from steadyhand.errors import EditError
from steadyhand.lazy import dataclass
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.diff import changes_between
from steadyhand.text.encoding import Encoding
from steadyhand.text.merge import by_rows
from steadyhand.text.region import Region, region_of
from steadyhand.text.source import Source
from steadyhand.text.span import Span, joined
from steadyhand.text.splice import Splice
from steadyhand.text.visible import sized
from steadyhand.text.words import token_around
from steadyhand.workspace.history.file_history import Version, unwind, version_after, versions_back
from steadyhand.workspace.journal.record import Entry, Party, SeenVersion
from steadyhand.workspace.journal.store import Journal

if TYPE_CHECKING:
    from steadyhand.workspace.history.read_ranges import ReadRanges


@sized("before", "after")
@dataclass(frozen=True, slots=True)
class UnseenChange:
    """A change by others that a party has not seen: what was there before, what they wrote, where it is now.

    `entry` is None for a change outside Steadyhand. `is_whole`: only that the file was replaced is known. `is_part`:
    somebody wrote over a part of it since, and this is what is left.
    """

    entry: Entry | None
    before: str
    after: str
    span: Span
    is_whole: bool = False
    is_part: bool = False

    def region(self, source: Source) -> Region:
        """The rows of the present text that it concerns."""
        if self.is_whole:
            return Region(0, max(source.table.count, 1))
        if self.is_part:
            first, last = source.table.rows_of(self.span)
            return Region(first, last + 1, is_removal=not self.before)
        return region_of(source, Splice(self.span.start, source.read(*self.span), self.before))

    def core(self, source: Source) -> Span:
        """The characters of the present text that are not as before."""
        if self.is_whole:
            return Span(0, source.length)
        if self.is_part:
            return self.span
        return Splice(self.span.start, source.read(*self.span), self.before).trim().span


@sized("before", "after")
@dataclass(slots=True)
class _Item:
    """What is known of an unseen change except its place."""

    entry: Entry | None
    before: str
    after: str
    is_part: bool = False


class Tracked:
    """Unseen changes in the order of the text. Places are kept apart from contents, so that many move at once."""

    def __init__(self, length: int = 0) -> None:
        self._length = length  # of the present text
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._items: list[_Item] = []
        self._whole: list[_Item] = []

    @classmethod
    def of(cls, unseen: Sequence[UnseenChange], length: int = 0) -> Tracked:
        """Unseen changes of a text, to be carried on from there."""
        made = cls(length)
        for item in sorted(unseen, key=lambda item: item.span):
            known = _Item(item.entry, item.before, item.after, item.is_part)
            if item.is_whole:
                made._whole.append(known)
            else:
                made._put(len(made._starts), item.span, known)
        return made

    def take(self, entry: Entry | None, changes: ChangeSet | None, *, is_unseen: bool) -> None:
        """A further change of the text; `is_unseen`: its own splices are. None: nobody knows what it did."""
        if changes is None:
            self._whole += self._items
            self._whole += [_Item(entry, "", "")] if is_unseen else []
            self._starts, self._ends, self._items = [], [], []
            return
        items = list(self._items_of(entry, changes)) if is_unseen else []
        for splice in reversed(changes.splices):
            self._carry(splice)
        for span, item in items:
            self._put(self._place(span), span, item)

    def drop_inside(self, span: Span, *, is_last: bool = False) -> None:
        """This part of the text was shown: what is inside it is no longer unseen; `is_last`: the text ends there.

        What went away at its edges was not shown, unless the text has nothing beyond that edge.
        """
        first = bisect_left(self._starts, span.start)
        first -= first > 0 and self._ends[first - 1] > span.start
        for index in reversed(range(first, bisect_right(self._starts, span.end))):
            start, end = self._starts[index], self._ends[index]
            if start < end and start < span.end:
                self._leave(index, (start, min(end, span.start)), (max(start, span.end), end))
            elif start == end and (
                span.start < start < span.end or self._is_shown_at_edge(index, span, is_last=is_last)
            ):
                self._remove(index)

    def unseen(self) -> list[UnseenChange]:
        """Everything that is left, in order."""
        everywhere = Span(0, self._length)
        whole = [UnseenChange(item.entry, item.before, item.after, everywhere, is_whole=True) for item in self._whole]
        placed = zip(self._starts, self._ends, self._items, strict=True)
        return whole + [
            UnseenChange(item.entry, item.before, item.after, Span(start, end), is_part=item.is_part)
            for start, end, item in placed
        ]

    def _items_of(self, entry: Entry | None, changes: ChangeSet) -> Iterator[tuple[Span, _Item]]:
        for splice, span in zip(changes.splices, changes.after_spans(), strict=True):
            whole = Splice(0, self._before(splice.start, splice.old), splice.new)
            kept = _shared_ending(whole)
            old, new = (text[: len(text) - kept] for text in (whole.old, whole.new))
            if old != new:
                yield Span(span.start, span.end - kept), _Item(entry, old, new)

    def _before(self, start: int, old: str) -> str:
        """A text that begins at `start`, as it was before the unseen changes inside it."""
        pieces: list[str] = []
        at, end = start, start + len(old)
        for index in range(bisect_left(self._starts, start), len(self._starts)):
            first, last = self._starts[index], self._ends[index]
            if first > end or (first == end and last == first):
                break
            is_within = first < last or start < first
            if at <= first and last <= end and is_within and not self._items[index].is_part:
                pieces += [old[at - start : first - start], self._items[index].before]
                at = last
        return "".join([*pieces, old[at - start :]])

    def _carry(self, splice: Splice) -> None:
        """Move what is behind a splice, and leave of what it touches what it does not write over."""
        index = bisect_left(self._ends, splice.start)
        while index < len(self._starts) and self._touches(index, splice):
            index = self._cut(index, splice)
        delta = splice.delta
        if delta:
            self._starts[index:] = [start + delta for start in self._starts[index:]]
            self._ends[index:] = [end + delta for end in self._ends[index:]]

    def _touches(self, index: int, splice: Splice) -> bool:
        """Whether the change at an index is not wholly behind the splice."""
        start, end = self._starts[index], self._ends[index]
        if start == end:
            return start < splice.end or start == splice.start
        return start < splice.end or (start < splice.start < end)

    def _cut(self, index: int, splice: Splice) -> int:
        """Leave the parts of one change that a splice spares; the index of the first that is behind it."""
        start, end = self._starts[index], self._ends[index]
        if start == end:
            if splice.start < start < splice.end:
                self._remove(index)
                return index
            return index + 1 if start <= splice.start else index
        if end <= splice.start:
            return index + 1
        left = (start, min(end, splice.start))
        self._leave(index, left, (max(start, splice.end), end))
        return index + 1 if left[0] < left[1] else index

    def _leave(self, index: int, left: tuple[int, int], right: tuple[int, int]) -> None:
        """Replace a change by what is left of it at its two ends."""
        item = self._items[index]
        self._remove(index)
        rest = _Item(item.entry, item.before, item.after, is_part=True)
        for piece in (right, left):
            if piece[0] < piece[1]:
                self._put(index, Span(*piece), rest)

    def _is_shown_at_edge(self, index: int, span: Span, *, is_last: bool) -> bool:
        """Whether who was shown a part of the text saw that something had gone at one of its edges."""
        start, before = self._starts[index], self._items[index].before
        if start == span.end and not is_last:
            return False
        if start == span.start > 0:
            return not any(ending in before for ending in "\r\n")
        return True

    def _place(self, span: Span) -> int:
        index = bisect_left(self._starts, span.start)
        while index < len(self._starts) and (self._starts[index], self._ends[index]) < span:
            index += 1
        return index

    def _put(self, index: int, span: Span, item: _Item) -> None:
        self._starts.insert(index, span.start)
        self._ends.insert(index, span.end)
        self._items.insert(index, item)

    def _remove(self, index: int) -> None:
        del self._starts[index], self._ends[index], self._items[index]


def left_of(span: Span, changes: ChangeSet) -> Iterator[Span]:
    """What is left of a span where changes wrote, as it is afterwards."""
    start, delta = span.start, 0
    for splice in changes.splices:
        if splice.start >= span.end:
            break
        if splice.end > start or (not splice.old and splice.start > start):
            if splice.start > start:
                yield Span(start + delta, splice.start + delta)
            start = max(start, splice.end)
        delta += splice.delta
    if start < span.end:
        yield Span(start + delta, span.end + delta)


def by_lines(changes: ChangeSet) -> ChangeSet:
    """The same in splices that leave out the lines which are written as they were."""
    parts = (part for splice in changes.splices for part in _lines_of(splice))
    return ChangeSet(tuple(parts), changes.base)


def _lines_of(splice: Splice) -> Sequence[Splice]:
    if all("\n" in text or "\r" in text for text in (splice.old, splice.new)):
        return [part.shift(splice.start) for part in changes_between(splice.old, splice.new).splices]
    return [splice]


def _shared_ending(splice: Splice) -> int:
    """How much of a splice is the line ending that it leaves as it was: not a change that could still be there."""
    for ending in ("\r\n", "\n", "\r"):
        if all(text.endswith(ending) and text != ending for text in (splice.old, splice.new)):
            return len(ending)
    return 0


@dataclass(slots=True)
class _Core:
    """What a change replaces, in the texts before and after it, and how much more belongs to the same tokens."""

    old: Span
    new: Span
    left: int
    right: int


def whole_tokens(before: str, after: str, changes: ChangeSet, *, is_trimmed: bool) -> list[Splice]:
    """What a change does to lines, without those that it wrote as they were, in whole tokens of both texts.

    `is_trimmed`: of lines that it changed, without what it wrote as it was.
    """
    cores: list[_Core] = []
    delta = 0
    for row in (row for part in by_lines(changes).splices for row in by_rows(part)):
        splice = row.trim() if is_trimmed else row
        if splice.changes_nothing:
            continue
        old, new = splice.span, Span(splice.start + delta, splice.start + delta + len(splice.new))
        delta += splice.delta
        one, two = token_around(before, old), token_around(after, new)
        core = _Core(
            old, new, max(old.start - one.start, new.start - two.start), max(one.end - old.end, two.end - new.end)
        )
        while cores and _overlap(cores[-1], core):
            core = _joined(cores.pop(), core)
        cores.append(core)
    return [
        Splice(
            core.old.start - core.left,
            before[core.old.start - core.left : core.old.end + core.right],
            after[core.new.start - core.left : core.new.end + core.right],
        )
        for core in cores
    ]


def _overlap(one: _Core, two: _Core) -> bool:
    return two.old.start - two.left < one.old.end + one.right


def _joined(one: _Core, two: _Core) -> _Core:
    apart = min(two.old.start - one.old.start, two.new.start - one.new.start)
    behind = min(two.old.end - one.old.end, two.new.end - one.new.end)
    old, new = Span(one.old.start, two.old.end), Span(one.new.start, two.new.end)
    left = min(max(one.left, two.left - apart), old.start, new.start)
    return _Core(old, new, left, max(two.right, one.right - behind))


_END = 1 << 62
_REMEMBERED = 2_000  # changes that are kept to be carried on
_COMPOSED = 300  # changes that are put together to one
_UNDER_WAY = 1  # changes of one file that may be noted before it is read and made after
_RACED = 8  # changes of one file that may land between a look at it and one at the journal
_OVERTAKEN = 100  # changes of one file that may land between reading it and showing what was read


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
class Checkpoint:
    """The unseen changes of one version of a file, in the characters of an encoding; they are carried on from there."""

    seen_version: SeenVersion
    encoding: Encoding
    unseen: tuple[UnseenChange, ...]


class UnseenChanges:
    """Compares what one party has seen of a file with what the journal says happened to it; None wrote nothing.

    `path` is the name under which it was read, and `ranges` knows the versions that were.
    """

    def __init__(self, journal: Journal, ranges: ReadRanges, party: Party | None, path: str, since: int) -> None:
        self._journal = journal
        self._ranges = ranges
        self._party = party
        self._path = path
        self._since = since

    def unseen(
        self,
        path: str,
        present: Source,
        data: bytes,
        seen_versions: Sequence[SeenVersion],
        checkpoint: Checkpoint | None = None,
    ) -> tuple[tuple[UnseenChange, ...], Checkpoint | None]:
        """What others did to the file at `path`, which now holds `data`, read as `present`, and the party has not seen.

        `checkpoint` is what was answered for an earlier version: only what happened since is looked at. The second part
        of the answer is the next checkpoint; None where there can be none.
        """
        whole = [each for each in seen_versions if each.spans is None]
        if present.digest in [each.digest for each in whole]:
            return (), None
        if checkpoint is not None:
            is_old = any(each.seq >= checkpoint.seen_version.seq for each in whole)
            checkpoint = None if is_old or not _alike(checkpoint.encoding, present.encoding) else checkpoint
        if checkpoint is not None and not checkpoint.unseen:
            seq = self._own_since(path, present.digest, checkpoint.seen_version)
            if seq is not None:
                return (), Checkpoint(SeenVersion(present.digest, seq), present.encoding, ())
        way = self._way(path, present, data, whole, checkpoint.seen_version if checkpoint is not None else None)
        is_resumed = checkpoint is not None and way.is_known and way.start == checkpoint.seen_version.digest
        is_resumed = is_resumed and way.start not in [each.digest for each in whole]
        tracked = (
            Tracked.of(checkpoint.unseen, present.length) if checkpoint and is_resumed else Tracked(present.length)
        )
        lengths = _lengths(way.steps, present.length)
        for span in _shown(seen_versions, way.start):
            tracked.drop_inside(span)
        for step, length in zip(way.steps, lengths, strict=True):
            is_unseen = bool(seen_versions) if step.entry is None else not self._is_own(step.entry)
            tracked.take(step.entry, step.changes, is_unseen=is_unseen)
            for span in _shown(seen_versions, step.after):
                tracked.drop_inside(span, is_last=span.end == length)
        unseen = tuple(tracked.unseen())
        return unseen, self._to_resume(way, present, unseen, seen_versions, checkpoint)

    def _own_since(self, path: str, digest: str, before: SeenVersion) -> int | None:
        """The row of the last change, if it was the party's own and made a version of the one `before`, or came before.

        Who works alone on a file meets this at every edit: where nothing was unseen, nothing is.
        """
        try:
            last = self._journal.latest(path)
        except EditError:
            return None
        change = None if last is None else last.record.arriving(path)
        if last is None or change is None or change.before is None or change.after is None:
            return None
        if change.after.digest == digest == before.digest:
            return before.seq
        is_next = change.after.digest == digest and change.before.digest == before.digest
        return max(before.seq, last.seq) if is_next and self._is_own(last) else None

    def _to_resume(
        self,
        way: _Way,
        present: Source,
        unseen: tuple[UnseenChange, ...],
        seen_versions: Sequence[SeenVersion],
        checkpoint: Checkpoint | None,
    ) -> Checkpoint | None:
        entries = [step.entry for step in way.steps]
        # A change outside that nothing was built on may be one that is under way; one between two records is settled.
        # Who had seen nothing was not warned of it, and is once it has.
        # A file that no record leads to may hold one that is yet to be settled.
        if not entries and not way.is_known:
            return None
        if len(unseen) > _REMEMBERED or (None in entries and (entries[-1] is None or not seen_versions)):
            return None
        before = checkpoint.seen_version.seq if checkpoint is not None else self._since
        seq = max([before, *(entry.seq for entry in entries if entry is not None)])
        return Checkpoint(SeenVersion(present.digest, seq), present.encoding, unseen)

    def seen(
        self, path: str, present: Source, data: bytes, seen_versions: Sequence[SeenVersion]
    ) -> tuple[Span, ...] | None:
        """The characters of the file that the party has been shown, or has written; None: all of them."""
        whole = [each for each in seen_versions if each.spans is None]
        if present.digest in [each.digest for each in whole]:
            return None
        way = self._way(path, present, data, whole)
        end = present.length
        return tuple(joined(Span(span.start, min(span.end, end)) for span in self._seen(way, seen_versions)))

    def changes_since(self, path: str, present: Source, data: bytes, seen_version: SeenVersion) -> ChangeSet | None:
        """What leads from a seen version to the present one, as it was recorded; None: that is not known."""
        way = self._way(path, present, data, [seen_version])
        if not way.is_known or len(way.steps) > _COMPOSED:
            return None
        whole = ChangeSet()
        for step in way.steps:
            if step.changes is None:
                return None
            whole = whole.compose(step.changes)
        return by_lines(_without_returns(whole))

    def followed(self, path: str, present: Source, data: bytes, seen_version: SeenVersion, span: Span) -> Span | None:
        """Where characters of a seen version are now, with what was written in their place; None: unknown.

        What the party itself put in at their edges belongs to them too.
        """
        if seen_version.digest == present.digest:
            return span
        way = self._way(path, present, data, [seen_version])
        if not way.is_known:
            return None
        for step in way.steps:
            if step.changes is None:
                return None
            span = _grown(span, step.changes, at_edges=step.entry is not None and self._is_own(step.entry))
        return span

    def _way(
        self,
        path: str,
        present: Source,
        data: bytes,
        whole: Sequence[SeenVersion],
        checkpoint: SeenVersion | None = None,
    ) -> _Way:
        """The changes from a version that was seen whole, or answered for `checkpoint`, to the present one."""
        seen = {seen_version.digest for seen_version in whole}
        whole = whole if checkpoint is None else [*whole, checkpoint]
        known = {seen_version.digest for seen_version in whole}
        floor = max((seen_version.seq for seen_version in whole), default=self._since)
        versions = self._stops(path, floor, known)
        is_last = not versions or _led_to(versions[0], present.digest)
        if checkpoint is not None and not is_last and self._is_past(path, present.digest, seen):
            return self._way(path, present, data, whole[:-1])  # what was answered may be of a later version
        since = len(versions) - len(_until_read(versions, present.digest, seen))
        steps: list[_Step] = []
        wanted = present.digest
        later: bytes | None = data
        oldest: Version | None = None
        for version in versions[since:]:
            assert version.change.after is not None
            digest = version.change.after.digest
            if digest != wanted:
                steps.append(self._gap(version, wanted, later, present))
            if digest in known:
                return _Way(tuple(reversed(steps)), digest, is_known=True)
            steps.append(_Step(version.entry, self._changes_of(version, present), digest))
            oldest = version
            if version.change.before is None:
                return _Way(tuple(reversed(steps)))
            wanted, later = version.change.before.digest, None
            if wanted in known:
                return _Way(tuple(reversed(steps)), wanted, is_known=True)
        return self._from_memory(steps, oldest, wanted, data, present, whole)

    def _is_past(self, path: str, digest: str, seen: set[str]) -> bool:
        """Whether a version is the one before the last few changes, none of which has been seen."""
        last = list(islice(versions_back(self._journal, path), _RACED))
        return len(_until_read(last, digest, seen)) < len(last)

    def _stops(self, path: str, floor: int, known: set[str]) -> list[Version]:
        """The changes since the file was last known, newest first; where none of it is known, those after `floor`.

        A change may have been noted before the file was read and made after, or others may have landed before what was
        read was shown: they are older than `floor` and still unseen.
        """
        found: list[Version] = []
        older, most = 0, _OVERTAKEN if known else _UNDER_WAY
        for version in versions_back(self._journal, path):
            if version.change.after is None or older > most:
                break
            found.append(version)
            older += version.entry.seq <= floor
            if _is_known(version, known):
                return found
        return [version for version in found if version.entry.seq > floor]

    def _from_memory(
        self,
        steps: list[_Step],
        oldest: Version | None,
        wanted: str,
        data: bytes,
        present: Source,
        whole: Sequence[SeenVersion],
    ) -> _Way:
        """The way from the version that was last read whole, where no record leads there: something else changed it."""
        if not whole:
            return _Way(tuple(reversed(steps)), wanted)
        seen = self._ranges.content(self._journal, self._path, whole[-1].digest)
        later = data if oldest is None else self._before(oldest)
        if seen is None or later is None:
            return _Way((_Step(None, None, wanted), *reversed(steps)), whole[-1].digest)
        gap = _Step(None, _compared(seen, later, present), wanted)
        return _Way((gap, *reversed(steps)), whole[-1].digest, is_known=True)

    def _before(self, version: Version) -> bytes | None:
        assert version.change.before is not None
        try:
            kept = self._journal.image(version.change.before.digest)
            return kept if kept is not None else unwind(version.change, version_after(self._journal, version))
        except EditError:
            return None

    def _gap(self, version: Version, wanted: str, later: bytes | None, present: Source) -> _Step:
        """What happened outside the journal after `version`."""
        try:
            found = later if later is not None else self._journal.image(wanted)
            earlier = version_after(self._journal, version)
        except EditError:
            return _Step(None, None, wanted)
        return _Step(None, None if found is None else _compared(earlier, found, present), wanted)

    def _changes_of(self, version: Version, present: Source) -> ChangeSet | None:
        """A recorded change in the characters of the present text's encoding."""
        change = version.change
        if change.changes is not None and change.encoding is not None and _alike(change.encoding, present.encoding):
            return by_lines(change.changes)
        if not change.content_changed:
            return ChangeSet()
        try:
            after = version_after(self._journal, version)
            before = self._before(version) if change.before is not None else b""
        except EditError:
            return None
        return None if before is None else _compared(before, after, present)

    def _seen(self, way: _Way, seen_versions: Sequence[SeenVersion]) -> list[Span]:
        seen = [Span(0, _END)] if way.is_known else []
        seen += _shown(seen_versions, way.start)
        for step in way.steps:
            if step.changes is None:
                seen = []
            else:
                seen = [piece for span in seen for piece in left_of(span, step.changes)]
            if step.entry is not None and self._is_own(step.entry):
                seen += list(step.changes.after_spans()) if step.changes is not None else [Span(0, _END)]
            seen += _shown(seen_versions, step.after)
        return seen

    def _is_own(self, entry: Entry) -> bool:
        return self._party == Party(entry.record.actor, entry.record.task)


def _until_read(versions: Sequence[Version], digest: str, seen: set[str]) -> Sequence[Version]:
    """The changes, newest first, without those that were made since the file was read with that digest.

    Others may change a file between a look at it and one at the journal; what they left is not its past. To who has
    seen a later version, the earlier one is a change back.
    """
    for at, version in enumerate(versions):
        before, after = version.change.before, version.change.after
        if after is None or after.digest == digest or after.digest in seen or before is None:
            return versions
        if before.digest == digest:
            return versions[at + 1 :]
        older = versions[at + 1].change.after if at + 1 < len(versions) else None
        if older is None or older.digest != before.digest:
            return versions
    return versions


def _led_to(version: Version, digest: str) -> bool:
    return version.change.after is not None and version.change.after.digest == digest


def _is_known(version: Version, known: set[str]) -> bool:
    return any(side is not None and side.digest in known for side in (version.change.before, version.change.after))


def _alike(left: Encoding, right: Encoding) -> bool:
    """Whether two encodings count the same characters."""
    return (left.name, left.errors, left.mark) == (right.name, right.errors, right.mark)


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
    """Where a span is afterwards, with whatever replaced a part of it; `at_edges`: also with what came in beside it."""
    start = changes.map_position(span.start, assoc=-1 if at_edges else 1)
    end = changes.map_position(span.end, assoc=1 if at_edges else -1)
    for splice, after in zip(changes.splices, changes.after_spans(), strict=True):
        if splice.old and splice.start < span.end and span.start < splice.end:
            start, end = min(start, after.start), max(end, after.end)
    return Span(start, max(start, end))


def _shown(parts: Iterable[SeenVersion], digest: str | None) -> list[Span]:
    return [Span(*span) for seen_version in parts if seen_version.digest == digest for span in seen_version.spans or ()]
