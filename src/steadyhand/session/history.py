"""What the journal says of files: their records, the diff of each, and why a line is as it is; undo and redo.

An undo chooses the records, plans their inverse, and makes it as a change of its own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Literal

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Note, Redo, RunCommand, Say
from steadyhand.lazy import replace
from steadyhand.session.context import Session
from steadyhand.session.editor import Editor, PlannedChange
from steadyhand.session.receipt import FileReceipt, Receipt
from steadyhand.text.unified import render_unified
from steadyhand.workspace.history.file_history import Replays, Why, explain, history_of
from steadyhand.workspace.history.outside import PREFIX, Outside, outside_changes, outside_diff
from steadyhand.workspace.history.undo import Undo, in_effect_of_task, latest_in_effect, latest_undo
from steadyhand.workspace.journal.record import Entry, FileChange, State
from steadyhand.workspace.journal.store import Journal
from steadyhand.workspace.overlay import Overlay

if TYPE_CHECKING:
    from steadyhand.workspace.held.store import AnyStore


class History:
    """Questions about the past of one workspace."""

    def __init__(self, store: AnyStore) -> None:
        self._store = store

    @cached_property
    def replays(self) -> Replays:
        """Versions, for whoever asks for many."""
        return Replays(self._store.journal)

    def entries(self, path: str | None, *, task: str | None, limit: int | None) -> list[Entry]:
        journal = self._store.journal
        if path is None:
            return list(journal.entries(task=task, limit=limit))
        found = (
            entry
            for entry in history_of(journal, self._store.resolve(path))
            if task is None or entry.record.task == task
        )
        return list(islice(found, limit))

    def outside(self, path: str | None, *, limit: int | None) -> list[Outside]:
        """Changes outside the journal that were noted, newest first."""
        if not self._store.state.exists:
            return []
        resolved = None if path is None else self._store.resolve(path)
        return outside_changes(self._store.journal, resolved)[:limit]

    def diff_named(self, name: str) -> str:
        """The diff of a record or of a change outside the journal, by its id."""
        if name.startswith(PREFIX):
            for change in self.outside(None, limit=None):
                if change.id == name:
                    return outside_diff(self._store.journal, change)
        return self.diff_of(self._store.journal.find(name))

    def diff_of(self, entry: Entry) -> str:
        files = entry.record.files
        return "".join(self.file_diff(entry, change, git=len(files) > 1) for change in files)

    def why(self, path: str, lines: list[int] | None) -> list[Why]:
        resolved, image = self._store.read(path)
        source = self._store.text_of(resolved, image)
        count = source.table.count
        for line in lines or ():
            if not 1 <= line <= count:
                raise EditError(
                    Kind.OUT_OF_BOUNDS,
                    f"{path} has {count} line{'' if count == 1 else 's'}, there is no line {line}",
                    hint=f"give a line from 1 to {count}",
                    details={"path": path, "line": line, "lines": count},
                )
        asked = lines if lines is not None else list(range(1, count + 1))
        found = explain(self._store.journal, resolved, source, asked)
        return [replace(why, text="") for why in found] if self._store.is_secret(path) else found

    def file_diff(self, entry: Entry, change: FileChange, *, git: bool) -> str:
        """What a record did to one file; where that cannot be shown, a line that says so."""
        if change.redacted:
            return f"# {change.path}: {change.status}; the content is not kept\n"
        before_path = change.before.path if change.before else None
        after_path = change.after.path if change.after else None
        try:
            before, after = self.replays.texts(entry, change) if change.content_changed else ("", "")
        except EditError as error:
            return f"# {change.path}: {change.status}; {error.message}\n"
        mode_before = change.before.mode if change.before else None
        mode_after = change.after.mode if change.after else None
        return render_unified(
            before, after, before_path, after_path, git=git, mode_before=mode_before, mode_after=mode_after
        )


class Undoer:
    """Takes records of one workspace back; `make` gives the change that does."""

    def __init__(self, session: Session, make: type[Inverse] | Callable[..., Inverse] | None = None) -> None:
        self._session = session
        self._store = session.store
        self._make = make or Inverse

    def undo(self, *, id: str | None, task: str | None, path: str | None, reason: str | None, preview: bool) -> Receipt:
        """Take back a record, all of a task's, the latest that touched a file, or the latest."""
        return self._reverse(
            "undo", lambda: self._choose(id, task, path), reason, is_by_id=id is not None, preview=preview
        )

    def redo(self, id: str | None, *, reason: str | None, preview: bool) -> Receipt:
        """Take back an undo: the one named, or the latest that is still in effect."""
        return self._reverse("redo", lambda: self._choose_undo(id), reason, is_by_id=True, preview=preview)

    def _reverse(
        self,
        verb: Literal["undo", "redo"],
        choose: Callable[[], list[Entry]],
        reason: str | None,
        *,
        is_by_id: bool,
        preview: bool,
    ) -> Receipt:
        context, store = self._session.context, self._store
        if context.mode in ("generate",):
            raise EditError(Kind.NOT_ALLOWED, f"mode {context.mode} does not allow you to undo", hint="ask the host")
        store.take_damage()  # of earlier questions
        with context.cancellable(), _naming_damage(store):
            ids = tuple(entry.record.id for entry in choose())
        header = context.header(reason)
        header = replace(header, reason=header.reason or f"{verb} of {', '.join(ids)}", verb=verb, undoes=ids)
        inverse = self._make(self._session, ids, is_by_id=is_by_id)
        return Editor(self._session).run(header, inverse, context.policy.hardlinks, preview=preview)

    def _choose(self, id: str | None, task: str | None, path: str | None) -> list[Entry]:
        journal = self._store.journal
        if id is not None:
            return [_in_effect(_recorded(journal, id))]
        if task is not None:
            return in_effect_of_task(journal, task)
        resolved = self._store.resolve(path) if path is not None else None
        return [latest_in_effect(journal, path=resolved)]

    def _choose_undo(self, id: str | None) -> list[Entry]:
        journal = self._store.journal
        entry = latest_undo(journal) if id is None else _in_effect(_recorded(journal, id))
        if entry.record.verb != "undo":
            raise EditError(
                Kind.CANNOT_UNDO,
                f"{entry.record.id} is not an undo, so there is nothing to redo",
                hint=(Say("give the id of an undo"), RunCommand("log", "shows them")),
            )
        return [entry]


def _recorded(journal: Journal, id: str) -> Entry:
    """The record of an id. `log` also lists changes that were made outside the journal, and those have none."""
    if id.startswith(PREFIX):
        raise EditError(
            Kind.BAD_REQUEST,
            f"{id[:40]!r} was made outside the journal and cannot be undone here",
            hint=RunCommand("show", "shows its diff"),
        )
    return journal.find(id)


class Inverse(PlannedChange):
    """The inverse of some records, which are looked up again each time: somebody may have undone one meanwhile."""

    is_reported = False

    def __init__(self, session: Session, ids: tuple[str, ...], *, is_by_id: bool) -> None:
        super().__init__()
        self._session = session
        self._ids = ids
        self._is_by_id = is_by_id
        self.lease_rules = (session.context.policy.on_lease,)

    def build(self, overlay: Overlay) -> None:
        store = self._session.store
        with self._session.context.cancellable(), _naming_damage(store):
            undo = Undo(store.journal, overlay)
            try:
                undo.take_back([_in_effect(store.journal.find(each)) for each in self._ids])
            except EditError as error:
                raise error if self._is_by_id else _or_another(error) from None
        self.prune = undo.prune

    def nothing(self) -> EditError:
        because = "the files are already as they were before"
        return EditError(Kind.CANNOT_UNDO, because, hint=RunCommand("log", "lists the records"))


def net_diff(store: AnyStore, task: str) -> str:
    """The diff from the tree without the task's records to the tree as it is."""
    found = store.journal.entries(task=task, newest_first=False)
    entries = [entry for entry in found if entry.record.verb == "edit" and entry.undone_by is None]
    if not entries:
        raise EditError(
            Kind.NO_SUCH_FILE, f"no change in effect belongs to task {task!r}", hint=RunCommand("log", "shows tasks")
        )
    overlay = store.overlay("undo")
    try:
        Undo(store.journal, overlay).take_back(entries)
    except EditError:  # later work is on the same text: then each record by itself, oldest first
        return "".join(map(History(store).diff_of, entries))
    return "".join(_backwards(FileReceipt.of(op)) for op in overlay.ops())


@contextlib.contextmanager
def _naming_damage(store: AnyStore) -> Iterator[None]:
    """A refusal says what is damaged in the journal, because that may be its cause."""
    try:
        yield
    except EditError as error:
        damage = store.take_damage()
        if not damage:
            raise
        further = (*map(Note, damage), RunCommand("check", "shows all that is damaged"))
        raise error.advised((*error.hints, *further)).with_details(uncertain=list(damage)) from None


def _backwards(file: FileReceipt) -> str:
    if file.redacted:
        return file.diff()
    present, without = file.texts()
    after = None if file.after is None else file.path
    return render_unified(without, present, after, file.path_before)


def _or_another(error: EditError) -> EditError:
    """The same refusal for whoever did not choose the record: another one may still be undone."""
    if error.kind is not Kind.CANNOT_UNDO:
        return error
    return error.advised((*error.hints, Say("undo another record by its id")))


def _in_effect(entry: Entry) -> Entry:
    if entry.state not in (State.COMMITTED, State.PARTIAL):
        raise EditError(
            Kind.CANNOT_UNDO,
            f"{entry.record.id} was never applied ({entry.state})",
            hint="there is nothing to undo",
        )
    if entry.undone_by is not None:
        raise EditError(
            Kind.CANNOT_UNDO,
            f"{entry.record.id} was already undone by {entry.undone_by}",
            hint=Redo(entry.undone_by),
            details={"record": entry.record.id, "undone_by": entry.undone_by},
        )
    return entry
