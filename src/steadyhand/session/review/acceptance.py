"""What a decision does: hunks on the disk are taken back or amended; held work is made there, or taken back.

The note about a move comes before its record, under the lock of the group, and counts if the record was committed. So a
crash at any instant leaves an acceptance made as a whole, in both places, or not at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.hints import RunCommand, Say
from steadyhand.lazy import replace
from steadyhand.plan.guards import GuardInput, ask_guards
from steadyhand.session.editor import PlannedChange
from steadyhand.session.history import Inverse
from steadyhand.session.review.change import DiskConflict, ReviewChange
from steadyhand.session.review.held import HeldHunk, HeldWork, Sides
from steadyhand.session.review.hunks import Hunk, amended, text_of
from steadyhand.text.changeset import ChangeSet, Clash
from steadyhand.text.diff import changes_between
from steadyhand.text.merge import rebased
from steadyhand.text.source import Source, digest_of
from steadyhand.text.splice import Splice
from steadyhand.workspace.held.layer import HeldFile
from steadyhand.workspace.held.notes import Move, Moved, read_note, type_of
from steadyhand.workspace.held.store import HeldStore, lock_of
from steadyhand.workspace.journal.record import (
    EditNote,
    FileChange,
    FileState,
    Record,
    new_record_id,
    utc_now,
)
from steadyhand.workspace.overlay import change_of

if TYPE_CHECKING:
    from steadyhand.plan.policy import Policy
    from steadyhand.session.context import Session
    from steadyhand.session.review.review import Review
    from steadyhand.text.encoding import Encoding
    from steadyhand.workspace.overlay import FileDraft, FileOp, Overlay


class Acceptance(PlannedChange):
    """Held hunks made on the disk, or one of them with a reviewer's text in its place.

    What is planned depends on the layer, so it is planned under the lock of its group.
    """

    is_reported = False
    has_met_others = True

    def __init__(
        self, session: Session, group: str, changes: Sequence[ReviewChange], text: str | None, reason: str | None
    ) -> None:
        super().__init__()
        self._session = session
        self._group = group
        self._changes = changes
        self._text = text
        self._reason = reason
        self._moves: list[Move] = []
        self._spliced: dict[str, ChangeSet] = {}  # what is done to the base of a file, by its name in the layer
        self._step: Record | None = None
        self._images: dict[str, bytes] = {}
        self._work: HeldWork | None = None
        self.lease_rules = (session.context.policy.on_lease,)

    def build(self, overlay: Overlay) -> None:
        with self._session.context.cancellable():
            overlay.also_locked = (lock_of(self._group),)
            work = self._work = HeldWork(self._session, self._group)
            self._moves, self._step, self._images, self._spliced = [], None, {}, {}
            chosen: dict[str, list[ReviewChange]] = {}
            known = {each.hunk.id: each.file for each in work.hunks()}
            for change in self._changes:
                file = known.get(change.id)
                if file is None:
                    raise _gone(change)
                chosen.setdefault(file.name, []).append(change)
            names: list[tuple[str, str]] = []
            files = [(work.layer.files[name], changes) for name, changes in chosen.items()]
            for file, changes in files:
                if file.base is not None:
                    names += self._take(overlay, work, file, changes)
            overlay.rename_all(names)
            for file, changes in files:  # where another file may have been
                if file.base is None:
                    self._take(overlay, work, file, changes)

    def _take(
        self, overlay: Overlay, work: HeldWork, file: HeldFile, changes: Sequence[ReviewChange]
    ) -> list[tuple[str, str]]:
        """Make the chosen changes of a file but its new name; the name that it has, and the one that it gets."""
        given = file.path if file.base is None else file.base.path
        draft = overlay.look(given)[1]
        sides = work.sides(file, None if draft is None else draft.before)
        hunks = {each.hunk.id: each for each in work.of_file(sides)}
        found = [hunks[change.id] for change in changes if change.id in hunks]
        if len(found) < len(changes):
            raise _gone(next(change for change in changes if change.id not in hunks))
        for each, change in zip(found, changes, strict=True):
            if each.conflict is not None and not (self._text is not None and each.hunk.status == "edited"):
                raise _clash(change, each.conflict)
        base, held = sides.base, sides.held
        statuses = {each.hunk.status for each in found}
        names: list[tuple[str, str]] = []
        if "created" in statuses or "deleted" in statuses:
            after = self._whole(overlay, work, sides, found[0])
        else:
            assert base is not None and held is not None
            if draft is None:  # somebody removed it on the disk
                raise _clash(changes[0], found[0].conflict)
            after = base
            text = [each for each in found if each.hunk.status == "edited"]
            if text:
                after = self._edit(work, draft, sides, text)
            if "binary" in statuses:
                data = work.layer.bytes_of(held.digest)
                draft.take_bytes(data, _notes_of(found[0].hunk, ()))
                self._images[held.digest] = data
                after = replace(after, digest=held.digest)
            names_and_modes = [each for each in found if each.hunk.status in ("renamed", "mode")]
            draft.edits += tuple(note for each in names_and_modes for note in _notes_of(each.hunk, ()))
            if "mode" in statuses:
                draft.mode = held.mode
                after = replace(after, mode=held.mode)
            if "renamed" in statuses:
                names.append((base.path, held.path))
                after = replace(after, path=held.path)
        if not any(move.name == file.name for move in self._moves):
            self._move(work, sides, after)
        return names

    def _move(self, work: HeldWork, sides: Sides, after: FileState | None) -> None:
        """What becomes of the base of a file."""
        base = sides.base
        changes = encoding = None
        if base is not None and after is not None and base.digest != after.digest:
            encoding = work.encoding(sides)
            changes = self._spliced.get(sides.file.name)
        if after is not None or base is not None:
            moved = FileChange(base, after, changes, encoding)
            self._moves.append(Move(sides.file.name, moved, sides.seen.carried))

    def _whole(self, overlay: Overlay, work: HeldWork, sides: Sides, found: HeldHunk) -> FileState | None:
        """A file that comes or goes."""
        held, base = sides.held, sides.base
        if found.hunk.status == "deleted":
            assert base is not None
            overlay.delete(base.path).edits += _notes_of(found.hunk, ())
            return None
        assert held is not None
        data = work.layer.bytes_of(held.digest)
        draft = overlay.create(held.path, mode=held.mode)
        if self._text is not None:
            source = work.text(sides, held)
            if source is None:
                raise _no_text(held.path)
            after, changes = source.changed_to(amended(found.hunk, source.text, self._text).new)
            after.encoding.check_new_text(self._text)
            data = after.to_bytes()
            state = replace(held, digest=after.digest)
            self._amend(FileChange(held, state, changes, source.encoding))
            held = state
        self._images[held.digest] = data
        shown = Source.of_bytes(data, path=held.path)
        if not shown.is_binary:
            self._check(held.path, None, shown, None)
        draft.take_bytes(data, _notes_of(found.hunk, ()))
        return held

    def _edit(self, work: HeldWork, draft: FileDraft, sides: Sides, found: Sequence[HeldHunk]) -> FileState:
        """Lines that are changed: on the disk, and in the base. The base with them."""
        base, held = sides.base, sides.held
        assert base is not None and held is not None
        version = work.text(sides, base)
        assert version is not None
        source = draft.decode_as(version.encoding)
        if self._text is not None:
            return self._amended(work, draft, sides, found[0], version, source)
        splices = sorted((splice for each in found for splice in each.hunk.splices), key=lambda each: each.start)
        changes = ChangeSet.of(splices)
        self._spliced[sides.file.name] = changes
        made = changes
        if sides.is_clash:
            moved = rebased(version, changes, changes_between(version.text, source.text))
            if isinstance(moved, Clash):
                raise _clash(self._changes[0], found[0].conflict)
            made = moved
        notes: list[EditNote] = []
        numbers = {splice: number for number, splice in enumerate(changes.splices)}
        for each in found:
            notes += _notes_of(each.hunk, tuple(numbers[splice] for splice in each.hunk.splices if splice in numbers))
        self._put(draft, source, made, tuple(notes))
        return replace(base, digest=version.apply(changes).digest)

    def _amended(
        self, work: HeldWork, draft: FileDraft, sides: Sides, found: HeldHunk, version: Source, source: Source
    ) -> FileState:
        """A reviewer's lines in the place of held ones: on the disk, in the base and in the held text."""
        base, held, text = sides.base, sides.held, self._text
        assert base is not None and held is not None and text is not None
        source.encoding.check_new_text(text)
        present = work.text(sides, held)
        assert present is not None
        note = EditNote(self._reason, splices=(0,))
        if not sides.is_clash or found.conflict is None:
            splice = amended(found.hunk, version.text, text, splices=found.hunk.splices)
            changes = ChangeSet.of([splice])
            self._spliced[sides.file.name] = changes
            moved = changes
            if sides.is_clash:
                over = rebased(version, changes, changes_between(version.text, source.text))
                if isinstance(over, Clash):
                    raise _clash(self._changes[0], found.conflict)
                moved = over
            mine = ChangeSet.of([amended(found.hunk, present.text, text)])
            after = present.apply(mine)
            if mine:
                self._amend(FileChange(held, replace(held, digest=after.digest), mine, present.encoding))
            self._put(draft, source, moved, (note,))
            return replace(base, digest=version.apply(changes).digest)
        # Others changed the same lines: the reviewer's are put in their place, and the held ones are let go of.
        lines = found.conflict.lines
        if lines is None:
            raise _clash(self._changes[0], found.conflict)
        start, end = source.table.start(lines[0] - 1), source.table.start(lines[1])
        old = source.text[start:end]
        new = text if not text or text.endswith("\n") or not old.endswith("\n") else text + "\n"
        self._put(draft, source, ChangeSet.of([Splice(start, old, new)]), (note,))
        back = ChangeSet.of(found.hunk.undo)
        after = present.apply(back)
        self._amend(FileChange(held, replace(held, digest=after.digest), back, present.encoding))
        self._moves.append(Move(sides.file.name, FileChange(base, base), None))
        return base

    def _amend(self, change: FileChange) -> None:
        """What the decision changes in the held text."""
        context = self._session.context
        name = new_record_id()
        task = self._group.partition(":")[2] if self._group.startswith("task:") else None
        self._step = Record(
            name, utc_now(), context.actor, task, "review", self._reason, "edit", (),
            (replace(change, edits=(EditNote(self._reason, splices=(0,)),)),),
        )  # fmt: skip

    def _put(self, draft: FileDraft, source: Source, changes: ChangeSet, notes: tuple[EditNote, ...]) -> None:
        after = source.apply(changes)
        self._check(draft.path or "", source, after, changes)
        if changes:
            draft.take_text(after, replace(changes, base=source.digest), notes)

    def _check(self, path: str, before: Source | None, after: Source, changes: ChangeSet | None) -> None:
        """Refuse what is no longer sound in its format; the other guards have seen the changes when they were made."""
        policy: Policy = self._session.context.policy
        if not policy.wants_guard("syntax"):
            return
        policy = replace(policy, guards=frozenset({"syntax"}))
        text = None if before is None else before.text
        verdict = ask_guards("file", GuardInput(path, text, after.text, (), policy, changes=changes))
        if verdict.refusal is not None:
            raise verdict.refusal

    def before_commit(self, id: str, ops: Sequence[FileOp]) -> None:
        assert self._work is not None
        disk = disk_after(ops)
        self._work.store.note_move(id, self._moves, disk, self._step, self._images)


class Rejection(PlannedChange):
    """Held hunks taken back, in the layer."""

    is_reported = False
    has_met_others = True

    def __init__(self, session: Session, group: str, changes: Sequence[ReviewChange], reason: str | None) -> None:
        super().__init__()
        self._session = session
        self._group = group
        self._changes = changes
        self._reason = reason

    def build(self, overlay: Overlay) -> None:
        work = HeldWork(self._session, self._group)
        known = {each.hunk.id: each for each in work.hunks()}
        chosen: dict[str, list[HeldHunk]] = {}
        for change in self._changes:
            found = known.get(change.id)
            if found is None:
                raise _gone(change)
            chosen.setdefault(found.file.name, []).append(found)
        names: list[tuple[str, str]] = []
        for name, hunks in chosen.items():
            names += self._take_back(overlay, work, work.sides(work.layer.files[name]), hunks)
        overlay.rename_all(names)

    def _take_back(
        self, overlay: Overlay, work: HeldWork, sides: Sides, found: Sequence[HeldHunk]
    ) -> list[tuple[str, str]]:
        base, held = sides.base, sides.held
        statuses = {each.hunk.status for each in found}
        if held is None:
            assert base is not None
            overlay.create(base.path, mode=base.mode).take_bytes(work.layer.bytes_of(base.digest))
            return []
        if base is None:
            overlay.delete(held.path)
            return []
        draft = overlay.need(held.path)
        text = [splice for each in found if each.hunk.status == "edited" for splice in each.hunk.undo]
        present = work.text(sides, held)
        if text and present is not None:
            source = draft.decode_as(present.encoding)
            changes = ChangeSet.of(text)
            note = EditNote(self._reason, splices=tuple(range(len(changes.splices))))
            draft.take_text(source.apply(changes), replace(changes, base=source.digest), (note,))
        if "binary" in statuses:
            draft.take_bytes(work.layer.bytes_of(base.digest))
        if "mode" in statuses:
            draft.mode = base.mode
        return [(held.path, base.path)] if "renamed" in statuses else []


class TakeBack(Inverse):
    """An acceptance undone: the disk is as before, and what was accepted is held again."""

    def __init__(self, session: Session, ids: tuple[str, ...], *, is_by_id: bool, group: str) -> None:
        super().__init__(session, ids, is_by_id=is_by_id)
        self._group = group

    def build(self, overlay: Overlay) -> None:
        overlay.also_locked = (lock_of(self._group),)
        super().build(overlay)

    def before_commit(self, id: str, ops: Sequence[FileOp]) -> None:
        store = HeldStore(self._session.store, self._group)
        layer, moves = store.layer, list[Move]()
        images: dict[str, bytes] = {}
        for number, op in enumerate(ops):
            change = _without_past(change_of(op, ()))
            assert change.before is not None or change.after is not None
            file = layer.based_at(op.before_path) if op.before_path is not None else None
            if op.data is not None and op.digest is not None and change.changes is None:
                images[op.digest] = op.data
            if file is None:
                if op.before is not None:
                    images[op.before.digest] = op.before.data
                name = f"{layer.number + 1}.{number}"
                moves.append(Move(name, change, None, self._accepted(change), store.beneath.head()))
                continue
            seen = layer.see(file, op.before)
            if seen.is_clash:
                raise EditError(
                    Kind.CONFLICT,
                    f"{file.path}: others have changed held lines on disk, so nothing can be reverted",
                    hint=(Say("decide on those lines first"), RunCommand("review", "shows both sides")),
                    details={"path": file.path},
                )
            moves.append(Move(file.name, change, seen.carried))
        store.note_move(id, moves, disk_after(ops), self._step(store, moves), images)

    def _accepted(self, change: FileChange) -> Record:
        """The acceptance, as far as it concerns a file."""
        record = self._session.store.journal.find(self._ids[0]).record
        made = [each for each in record.files if set(each.paths) & set(change.paths)]
        return replace(record, files=tuple(made), undoes=())

    def _step(self, store: HeldStore, moves: Sequence[Move]) -> Record | None:
        """What takes a reviewer's text out of the layer again, where one was put in."""
        amended = next((known.step for known in _moved_by(store, self._ids) if known.step is not None), None)
        file = None if amended is None or not moves else store.layer.files.get(moves[0].name)
        if amended is None or file is None or file.held is None:
            return None
        change = amended.files[0]
        carried = moves[0].carried
        held = file.held if carried is None or carried.held is None else carried.held.after
        if change.after is None or held is None or change.after.digest != held.digest or change.changes is None:
            return None
        assert change.before is not None
        back = FileChange(held, replace(held, digest=change.before.digest), change.changes.invert(), change.encoding)
        return replace(
            amended, id=new_record_id(), time=utc_now(), verb="undo", undoes=(amended.id,), files=(back,), call=None
        )


def _moved_by(store: HeldStore, ids: Sequence[str]) -> Iterator[Moved]:
    """What records did to the disk, as the layer's notes have it."""
    for note in store.beneath.journal.notes(type=type_of(store.group)):
        if note.body.get("id") in ids and isinstance(known := read_note(note), Moved):
            yield known


def _without_past(change: FileChange) -> FileChange:
    """The same without what a layer does not keep."""
    before = None if change.before is None else replace(change.before, ownership=None)
    return replace(change, before=before, edits=(), left=(), made_dirs=())


def disk_after(ops: Iterable[FileOp]) -> dict[str, str | None]:
    """What the disk has at each path after some operations."""
    found: dict[str, str | None] = {}
    ops = list(ops)
    for op in ops:
        if op.before_path is not None:
            found[op.before_path] = None
    for op in ops:
        if op.after_path is not None:
            found[op.after_path] = op.digest
    return found


def _notes_of(hunk: Hunk, places: tuple[int, ...]) -> tuple[EditNote, ...]:
    """The edits that wrote a hunk, for the record that brings it to the disk."""
    notes = hunk.notes or (EditNote(hunk.reason),)
    return tuple(replace(note, splices=places, lines=hunk.lines) for note in dict.fromkeys(notes))


def _gone(change: ReviewChange) -> EditError:
    return EditError(
        Kind.CONFLICT,
        f"{change.path}: change {change.id} is no longer held in this form",
        hint=RunCommand("review", "lists the current changes"),
        details={"id": change.id, "path": change.path},
    )


def _no_text(path: str) -> EditError:
    return EditError(Kind.NOT_TEXT, f"{path} is not text", hint="accept or reject it", details={"path": path})


def _clash(change: ReviewChange, conflict: DiskConflict | None) -> EditError:
    sides = {} if conflict is None else conflict.to_json()
    return EditError(
        Kind.CONFLICT,
        f"{change.path}: others have changed the lines of change {change.id} on disk since",
        hint=(Say("amend it with the correct text, or reject it"), RunCommand("review", "shows both sides")),
        details={"id": change.id, "path": change.path, "conflict": sides},
    )


class Verdict(PlannedChange):
    """Hunks taken back, or one of them amended, in the files as they are now."""

    is_reported = False

    def __init__(
        self,
        review: Review,
        session: Session,
        group: str,
        changes: Sequence[ReviewChange],
        text: str | None,
        reason: str,
    ) -> None:
        super().__init__()
        self._review = review
        self._session = session
        self._group = group
        self._text = text
        self._reason = reason
        self._wanted: dict[str, list[ReviewChange]] = {}
        for change in changes:
            self._wanted.setdefault(change.path, []).append(change)
        self.lease_rules = (session.context.policy.on_lease,)

    def build(self, overlay: Overlay) -> None:
        with self._session.context.cancellable():
            self._review._read_again()  # others may have written since
            names: list[tuple[str, str]] = []
            for path, changes in self._wanted.items():
                names += self._take_back(overlay, path, changes)
            overlay.rename_all(names)  # files may have taken each other's names

    def _take_back(self, overlay: Overlay, path: str, changes: Sequence[ReviewChange]) -> list[tuple[str, str]]:
        """Take back the changes of a file but its name; the name that it has, and the one that it had."""
        draft = overlay.look(path)[1]
        data = None if draft is None else draft.data
        way = self._review._way(self._group, path)
        hunks = {hunk.id: hunk for hunk in self._review._hunks_in(way, data, {})}
        texts: list[Hunk] = []
        names: list[tuple[str, str]] = []
        for change in changes:
            hunk = hunks.get(change.id)
            if hunk is None or hunk.is_overlapped:
                because = "its lines were changed since" if hunk is None else "others changed the same lines since"
                raise EditError(
                    Kind.CONFLICT,
                    f"{change.path}: change {change.id} cannot be reverted: {because}",
                    hint=(RunCommand("review", "lists the current changes"), Say("or edit those lines by hand")),
                    details={"id": change.id, "path": change.path, "before": change.before, "after": change.after},
                )
            if hunk.status == "edited" or (hunk.status == "created" and self._text is not None):
                texts.append(hunk)
            elif hunk.status == "renamed" and hunk.first is not None and draft is not None and draft.path is not None:
                names.append((draft.path, hunk.first.path))
            else:
                self._restore(overlay, draft, hunk)
        if texts:
            assert draft is not None and draft.path is not None
            self._edit(draft, texts, text_of(way, draft.data or b"").encoding)
        return names

    def _edit(self, draft: FileDraft, hunks: Sequence[Hunk], encoding: Encoding) -> None:
        source = draft.decode_as(encoding)
        if self._text is not None:
            source.encoding.check_new_text(self._text)
            splices = [amended(hunks[0], source.text, self._text)]
        else:
            splices = [splice for hunk in hunks for splice in hunk.undo]
        changes = ChangeSet.of(splices)
        if changes:
            note = EditNote(self._reason, splices=tuple(range(len(changes.splices))))
            draft.take_text(source.apply(changes), replace(changes, base=source.digest), (note,))

    def _restore(self, overlay: Overlay, draft: FileDraft | None, hunk: Hunk) -> None:
        """Take back what is no change of lines."""
        first, last, journal = hunk.first, hunk.last, self._session.store.journal
        if hunk.status == "deleted" and first is not None and draft is None:
            data = journal.image(first.digest)
            if data is not None:
                overlay.create(first.path, mode=first.mode).take_bytes(data)
                return
        elif hunk.status == "created" and draft is not None and draft.path is not None:
            if last is not None and digest_of(draft.data or b"") == last.digest:
                overlay.delete(draft.path)
                return
        elif hunk.status == "mode" and first is not None and last is not None and draft is not None:
            if draft.before is not None and draft.before.mode == last.mode:
                draft.mode = first.mode
                return
        elif hunk.status == "binary" and first is not None and draft is not None and last is not None:
            data = journal.image(first.digest)
            if data is not None and digest_of(draft.data or b"") == last.digest:
                draft.take_bytes(data)
                return
        raise EditError(
            Kind.CANNOT_UNDO,
            f"{hunk.path}: the earlier text was not kept, or the file has changed since",
            hint="restore the file by hand",
            details={"path": hunk.path, "id": hunk.id},
        )
