"""What the journal says of files: their records, the diff of each, and why a line is as it is."""

from __future__ import annotations

from functools import cached_property
from itertools import islice

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import replace
from steadyhand.text.unified import render_unified
from steadyhand.workspace.file_history import Replays, Why, explain, history_of
from steadyhand.workspace.journal.record import Entry, FileChange
from steadyhand.workspace.outside import PREFIX, Outside, outside_changes, outside_diff
from steadyhand.workspace.overlay import read_text
from steadyhand.workspace.store import Store


class History:
    """Questions about the past of one workspace."""

    def __init__(self, store: Store) -> None:
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
        source = read_text(image.data, None, lambda: self._store.encoding_of(resolved, image.digest), resolved)
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
