"""What a group holds, hunk by hunk, and what a decision about it does to the disk and to the layer.

A hunk of held work is a group of changed lines between the base of a file and what is held of it, each with the splices
for both texts. Where the disk has what the base has, accepting is those splices on the disk, and the rest of the layer
is what is left between the two. Where others have changed the same lines, the splices are moved over what they did, or
refused with both sides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from types import EllipsisType
from typing import TYPE_CHECKING

from steadyhand.errors import EditError
from steadyhand.lazy import dataclass, replace
from steadyhand.session.audit_article import Net, Passage, Written, written_in
from steadyhand.session.review.change import DiskConflict
from steadyhand.session.review.hunks import Hunk, hunks_in, whole_hunk
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.diff import changes_between
from steadyhand.text.region import Region, region_of
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.workspace.files.sandbox import FileImage
from steadyhand.workspace.held.layer import HeldFile, Seen, last_undoer
from steadyhand.workspace.held.notes import Held, Origin, Rebase, Step, group_of_party, net_change, read_note, type_of
from steadyhand.workspace.held.store import HeldStore
from steadyhand.workspace.history.file_history import Replays
from steadyhand.workspace.journal.record import (
    EditNote,
    Entry,
    FileState,
    State,
)

if TYPE_CHECKING:
    from steadyhand.session.context import Session
    from steadyhand.session.review.change import AutoAccept
    from steadyhand.text.encoding import Encoding


@dataclass(frozen=True, slots=True)
class HeldHunk:
    """A hunk of held work, its file, and what the disk has where others have changed the same lines."""

    hunk: Hunk
    file: HeldFile
    conflict: DiskConflict | None = None


@dataclass(frozen=True, slots=True)
class Sides:
    """A held file as it is reviewed: its base and what is held, once what the disk has gained is brought in.

    `is_clash`: it could not be; then the base is not what the disk has.
    """

    file: HeldFile
    seen: Seen
    base: FileState | None
    held: FileState | None
    disk: FileImage | None

    @property
    def is_clash(self) -> bool:
        return self.seen.is_clash


class HeldWork:
    """The layer of one group, for a reviewer."""

    def __init__(self, session: Session, group: str) -> None:
        self.store = HeldStore(session.store, group)
        self.group = group
        self.layer = self.store.layer

    @cached_property
    def _replays(self) -> Replays:
        return _Versions(self.store)

    def hunks(self) -> Iterator[HeldHunk]:
        """Everything that is held, by file and line."""
        for file in self.layer.waiting:
            yield from self.of_file(self.sides(file))

    def sides(self, file: HeldFile, disk: FileImage | EllipsisType | None = ...) -> Sides:
        """A file with what the disk has of it, which may be known."""
        if disk is ...:
            seen, there = self.store.clash_of(file)
        else:
            seen, there = self.layer.see(file, disk), disk
        if there is not None:
            self.layer.keep(there.digest, there.data)
        if seen.digest is not None and seen.data is not None:
            self.layer.keep(seen.digest, seen.data)
        base, held, carried = file.base, file.held, seen.carried
        if carried is not None:
            base = carried.base.after
            held = carried.held.after if carried.held is not None else held
        return Sides(file, seen, base, held, there)

    def of_file(self, sides: Sides) -> list[HeldHunk]:
        """The hunks of a file."""
        file, base, held = sides.file, sides.base, sides.held
        steps = self._steps(file)
        if (base is None and held is None) or not steps:
            return []
        if base is None or held is None:
            return [self._whole_file(sides, steps)]
        found: list[Hunk] = []
        if base.path != held.path:
            found.append(whole_hunk("renamed", base.path, held.path, steps, base, held))
        if base.mode != held.mode:
            modes = f"{base.mode:04o}", f"{held.mode:04o}"
            found.append(whole_hunk("mode", *modes, steps, base, held))
        if base.digest != held.digest:
            before, after = self.text(sides, base), self.text(sides, held)
            if before is None or after is None:
                found.append(whole_hunk("binary", "", "", steps, base, held))
            else:
                net = Net(self._changes(sides, before, after), after.text, self._written(steps, after.text))
                found += hunks_in(net, held.path)
        # What no edit wrote, such as the undo of a change that was accepted before, is by the newest record.
        last = next(passage.entry for passage in reversed(steps) if passage.is_chosen)
        found = [hunk if hunk.entries else replace(hunk, entries=(last,)) for hunk in found]
        return [HeldHunk(hunk, file, self._conflict(sides, hunk)) for hunk in found]

    def text(self, sides: Sides, state: FileState) -> Source | None:
        """A version of a file as text, in the encoding that its base and what is held are read in; None without one."""
        encoding = self.encoding(sides)
        return None if encoding is None else Source.in_encoding(self.layer.bytes_of(state.digest), encoding, state.path)

    def encoding(self, sides: Sides) -> Encoding | None:
        """How both texts of a file are read, so that nothing but what was changed differs; None where none serves.

        That is how the newest change read it, where that is known: what its bytes look like may have changed with it.
        """
        datas = [self.layer.bytes_of(state.digest) for state in (sides.base, sides.held) if state is not None]
        for encoding in (self.layer.encoding_of(sides.file), *(Source.of_bytes(data).encoding for data in datas[:1])):
            if encoding is not None and all(_reads(encoding, data) for data in datas):
                return encoding
        return None

    def _steps(self, file: HeldFile) -> list[Passage]:
        """What the group did to a file, oldest first, and what was brought in."""
        found: list[Passage] = []
        for event in file.events:
            step = event.step if isinstance(event, Rebase) else event
            if isinstance(step, Step | Origin):
                is_own = isinstance(step, Origin) or step.is_own
                undone = self.layer.undone_by(step.entry.record.id)
                found.append(Passage(replace(step.entry, undone_by=undone), step.change, is_own))
        return found if any(passage.is_chosen for passage in found) else []

    def _written(self, steps: Sequence[Passage], present: str) -> tuple[Written, ...]:
        """The edits that were not undone, and where in the held text they wrote."""
        try:
            written = written_in(steps, self._replays, present)
        except EditError:  # a version in between is gone: then it is not known which edit wrote what
            written = ()
        if written:
            return written
        last = next(passage for passage in reversed(steps) if passage.is_chosen)
        note = last.change.edits[0] if last.change.edits else EditNote(last.entry.record.reason)
        return (Written(note.reason, (Span(0, len(present)),), last.entry, note, (-1,), last.change.path),)

    def _whole_file(self, sides: Sides, steps: Sequence[Passage]) -> HeldHunk:
        base, held = sides.base, sides.held
        state = held if base is None else base
        assert state is not None
        source = self.text(sides, state)
        text = "" if source is None else source.text
        if base is None:
            hunk = whole_hunk("created", "", text, steps, None, held)
            hunk = replace(hunk, lines=(1, max(1, source.line_count)) if source is not None else None)
        else:
            hunk = whole_hunk("deleted", text, "", steps, base, None)
        conflict = None
        if sides.is_clash:
            disk = _shown(sides.disk)
            conflict = DiskConflict((1, max(1, disk.count("\n"))) if disk else None, disk, hunk.after)
        return HeldHunk(hunk, sides.file, conflict)

    def _changes(self, sides: Sides, before: Source, after: Source) -> ChangeSet:
        """The net change of a file, exactly as it was made where that is known, else by comparing."""
        try:
            carried = sides.seen.carried
            net = net_change([*sides.file.events, *([] if carried is None else [Rebase(carried, None)])])
            if net.apply(before.text) == after.text:
                return net
        except (EditError, ValueError):
            pass
        return changes_between(before.text, after.text)

    def _conflict(self, sides: Sides, hunk: Hunk) -> DiskConflict | None:
        """Both sides of a hunk whose lines others have changed on the disk."""
        if not sides.is_clash or sides.base is None:
            return None
        if sides.disk is None:
            return DiskConflict(None, "", hunk.after)
        version = self.text(sides, sides.base)
        if version is None or hunk.status != "edited":
            is_text = version is not None and hunk.status != "binary"
            return None if is_text else DiskConflict(None, _shown(sides.disk), hunk.after)
        theirs = Source.of_bytes(sides.disk.data)
        since = changes_between(version.text, theirs.text)
        regions = [region_of(version, splice) for splice in hunk.splices]
        met = [
            there
            for splice in since.splices
            if any(_meet(here, there := region_of(version, splice)) for here in regions)
        ]
        if not met:
            return None
        rows = Region.around([*regions, *met])
        start = version.table.start(rows.start)
        span = Span(start, start if rows.is_boundary else version.table.start(rows.end))
        theirs_at = since.map_span(span)
        mine = ChangeSet.of(hunk.splices)
        here = mine.map_span(span)
        held = mine.apply(version.text)[here.start : here.end]
        return DiskConflict(theirs.lines_of(theirs_at), theirs_at.of(theirs.text), held)


class _Versions(Replays):
    """Versions of held files: the layer knows them all."""

    def __init__(self, store: HeldStore) -> None:
        super().__init__(store.journal)
        self._layer = store.layer

    def _find(self, digest: str) -> bytes | None:
        try:
            return super()._find(digest) or self._layer.bytes_of(digest)
        except EditError:
            return None


def accept_by_rule(session: Session, rules: Sequence[AutoAccept], paths: AbstractSet[str]) -> bool:
    """Accept what a session holds of some files, where rules say that it needs no person; whether nothing is left.

    What is refused then, as where others have changed the same lines, waits.
    """
    from steadyhand.session.review.review import Review

    context = session.context
    direct = session.direct
    policy = replace(direct, context=replace(direct.context, actor="policy"))
    review = Review(policy, task=context.task)
    group = group_of_party(context.actor, context.task)
    mine = [
        change
        for change in review.waiting
        if change.held and change.path in paths and group_of_party(change.actor, change.task) == group
    ]
    chosen = [change.id for change in mine if any(rule.takes(change) for rule in rules)]
    if chosen:
        try:
            review.accept(chosen)
        except EditError:
            return False
    return len(chosen) == len(mine)


def past_of(store: HeldStore) -> list[Entry]:
    """Every change that a group ever held, oldest first, with what took it back."""
    notes = list(store.beneath.journal.notes(type=type_of(store.group)))
    entries: dict[str, Entry] = {}
    undoers: dict[str, list[str]] = {}
    for note in reversed(notes):
        try:
            known = read_note(note)
        except ValueError:
            continue
        if isinstance(known, Held):
            entries[known.record.id] = Entry(known.seq, known.record, State.COMMITTED)
            for undone in known.record.undoes:
                undoers.setdefault(undone, []).append(known.record.id)
    return [replace(entry, undone_by=last_undoer(undoers, name)) for name, entry in entries.items()]


def _reads(encoding: Encoding, data: bytes) -> bool:
    """Whether bytes are a text in an encoding, and come back from it."""
    try:
        source = Source.in_encoding(data, encoding)
        return not source.is_binary and source.to_bytes() == data
    except UnicodeError:
        return False


def _shown(image: FileImage | None) -> str:
    if image is None:
        return ""
    source = Source.of_bytes(image.data)
    return "" if source.is_binary else source.text


def _meet(one: Region, other: Region) -> bool:
    return one.meets(other) or other.meets(one)
