"""The half of a workspace that only asks: records, diffs, reasons, soundness. Changes no file of the user's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steadyhand.session.checks import AnyPath, line_number, path_of, record_id

if TYPE_CHECKING:
    from steadyhand.workspace.journal.record import Entry
    from steadyhand.workspace.journal.retention import GcReport
    from steadyhand.workspace.journal.store import Progress
    from steadyhand.workspace.listing import Listing
    from steadyhand.workspace.store import Store
    from steadyhand.workspace.verify import CheckReport
    from steadyhand.workspace.why import Why


class Archive:
    """Questions about one workspace and its journal."""

    _store: Store

    def files(
        self,
        path: str = ".",
        *,
        depth: int = 32,
        limit: int = 10_000,
        seconds: float = 5.0,
        skip_ignored: bool = False,
        sizes: bool = False,
        below: str = "",
    ) -> Listing:
        """Files beneath a directory, sorted, without our own, VCS metadata and what lies behind links.

        Bounded in depth, number and time; `cut` says where it stopped short. `skip_ignored` leaves out what the
        `.gitignore` files of the tree name. `below` is a directory, from the root: nothing but what lies there is
        looked at.
        """
        from steadyhand.workspace.listing import Limits

        names = tuple(name for name in below.split("/") if name)
        return self._store.files(path, Limits(depth, limit, seconds, skip_ignored, sizes, names))

    def history(self, path: AnyPath | None = None, *, task: str | None = None, limit: int | None = None) -> list[Entry]:
        """Committed records, newest first; a file's are followed through its renames."""
        from steadyhand.session.history import History

        return History(self._store).entries(None if path is None else path_of(path), task=task, limit=limit)

    def show(self, id: str) -> Entry:
        """One record by its id or a unique beginning of it."""
        return self._store.journal.find(record_id(id) or "")

    def diff_of(self, id: str) -> str:
        """The unified diff a record made."""
        from steadyhand.session.history import History

        return History(self._store).diff_of(self.show(id))

    def diff_of_task(self, task: str) -> str:
        """What a task's records come to, as the tree is now: other changes in the same files are left out."""
        from steadyhand.session.reverse import Reverse

        return Reverse(self._store, "undo").net_diff(task)

    def why(self, path: AnyPath, line: int) -> Why:
        """Which record last wrote a line, and for what reason."""
        from steadyhand.session.history import History

        return History(self._store).why(path_of(path), [line_number(line)])[0]

    def why_all(self, path: AnyPath) -> list[Why]:
        """The same for every line."""
        from steadyhand.session.history import History

        return History(self._store).why(path_of(path), None)

    def check(self, *, progress: Progress | None = None) -> CheckReport:
        """Whether the journal is sound and the tree is as it left it."""
        from steadyhand.workspace.verify import survey

        return survey(self._store, progress)

    def gc(
        self,
        *,
        keep_days: float | None = None,
        keep_bytes: int | None = None,
        preview: bool = False,
        progress: Progress | None = None,
    ) -> GcReport:
        """Drop old images; the records stay. What only an image could bring back can then not be undone."""
        journal = self._store.journal if preview else self._store.writable_journal()
        return journal.gc(keep_days=keep_days, keep_bytes=keep_bytes, dry_run=preview, progress=progress)

    def recover(self) -> tuple[str, ...]:
        """Settle what crashed processes left behind; opening the workspace has done so already."""
        return self._store.recover()

    def doctor(self) -> dict[str, object]:
        """What this machine offers and how the workspace is set up."""
        from steadyhand.workspace.machine import describe

        return describe(self._store)
