"""Undo and redo: choose the records, lay their inverse, name what is taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Redo, RunCommand, Say
from steadyhand.lazy import replace
from steadyhand.session.history import History
from steadyhand.session.receipt import FileReceipt
from steadyhand.text.unified import render_unified
from steadyhand.workspace.change import Header, Lay
from steadyhand.workspace.journal.record import Entry, State
from steadyhand.workspace.overlay import Overlay
from steadyhand.workspace.store import Store
from steadyhand.workspace.undo import Undo, latest_standing, latest_undo, standing_of_task


class Reverse:
    """One undo or redo under way."""

    def __init__(self, store: Store, verb: Literal["undo", "redo"], *, by_id: bool = True) -> None:
        self._store = store
        self._verb = verb
        self._by_id = by_id
        self._prune: list[str] = []

    def choose(self, *, id: str | None, task: str | None, path: str | None) -> list[Entry]:
        journal = self._store.journal
        if id is not None:
            return [_standing(journal.find(id))]
        if task is not None:
            return standing_of_task(journal, task)
        resolved = self._store.resolve(path) if path is not None else None
        return [latest_standing(journal, path=resolved)]

    def choose_undo(self, id: str | None) -> list[Entry]:
        journal = self._store.journal
        entry = latest_undo(journal) if id is None else _standing(journal.find(id))
        if entry.record.verb != "undo":
            raise EditError(
                Kind.CANNOT_UNDO,
                f"{entry.record.id} is no undo, so there is nothing to redo",
                hint=(Say("give the id of an undo"), RunCommand("log", "shows them")),
            )
        return [entry]

    def plan(self, choose: Callable[[], list[Entry]], header: Header) -> tuple[Header, Lay]:
        """The header for the new record, and what lays the inverse; choosing again each time it is laid."""
        chosen = choose()
        ids = tuple(entry.record.id for entry in chosen)

        def lay(overlay: Overlay) -> None:
            undo = Undo(self._store.journal, overlay)
            try:
                undo.take_back([_standing(self._store.journal.find(each)) for each in ids])
            except EditError as error:
                raise error if self._by_id else _or_another(error) from None
            self._prune = undo.prune

        reason = header.reason or f"{self._verb} of {', '.join(ids)}"
        return replace(header, reason=reason, verb=self._verb, undoes=ids), lay

    def prune(self) -> list[str]:
        """Directories that are to go if the undo leaves them empty."""
        return self._prune

    def net_diff(self, task: str) -> str:
        """The diff from the tree without the task's records to the tree as it is."""
        found = self._store.journal.entries(task=task, newest_first=False)
        entries = [entry for entry in found if entry.record.verb == "edit" and entry.undone_by is None]
        if not entries:
            raise EditError(
                Kind.NO_SUCH_FILE, f"no standing change belongs to task {task!r}", hint=RunCommand("log", "shows tasks")
            )
        overlay = Overlay(self._store.look_again, self._store.encoding_of)
        try:
            Undo(self._store.journal, overlay).take_back(entries)
        except EditError:  # later work stands on the same text: then each record by itself, oldest first
            return "".join(map(History(self._store).diff_of, entries))
        return "".join(_backwards(FileReceipt.of(step)) for step in overlay.steps())


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


def _standing(entry: Entry) -> Entry:
    if entry.state not in (State.COMMITTED, State.PARTIAL):
        raise EditError(
            Kind.CANNOT_UNDO,
            f"{entry.record.id} was never applied ({entry.state})",
            hint="there is nothing to take back",
        )
    if entry.undone_by is not None:
        raise EditError(
            Kind.CANNOT_UNDO,
            f"{entry.record.id} was already undone by {entry.undone_by}",
            hint=Redo(entry.undone_by),
            details={"record": entry.record.id, "undone_by": entry.undone_by},
        )
    return entry
