"""What the journal keeps of a step: the change as data, and whole files where splices could not bring them back.

Reads the journal, writes nothing. A file with secrets leaves its digests and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.errors import EditError
from steadyhand.workspace.file_history import Stop, gap_between, recorded_text
from steadyhand.workspace.journal.record import FileChange, FileState, Ownership
from steadyhand.workspace.journal.store import Journal
from steadyhand.workspace.metadata import SPECIAL_BITS, new_file_mode
from steadyhand.workspace.overlay import FileStep
from steadyhand.workspace.place import FileImage

_MOST_LINES = 20


def change_of(step: FileStep, made_dirs: tuple[str, ...]) -> FileChange:
    """A step as its record tells it."""
    before = after = None
    if step.before is not None and step.before_path is not None:
        image = step.before
        owned = Ownership(image.uid, image.gid, image.xattrs) if step.after_path is None else None
        before = FileState(step.before_path, image.digest, image.mode, owned)
    if step.after_path is not None and step.digest is not None:
        after = FileState(step.after_path, step.digest, _mode_after(step))
    if step.secret:
        return FileChange(before, after, None, None, (), made_dirs, redacted=True)
    if step.changes is None or step.source is None or not step.source.reads_back:
        return FileChange(before, after, None, None, step.edits, made_dirs, left=step.left)
    return FileChange(before, after, step.changes, step.source.encoding, step.edits, made_dirs, left=step.left)


def _mode_after(step: FileStep) -> int:
    """The mode the file will have; rights given to old content do not pass to new content."""
    kept = step.before.mode if step.before is not None else new_file_mode()
    mode = step.mode if step.mode is not None else kept
    unchanged = step.before is not None and step.digest == step.before.digest
    return mode if unchanged else mode & ~SPECIAL_BITS


class Latest:
    """The newest record of each path, asked for once in a commit. A damaged row says nothing."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self._found: dict[str, Stop | None] = {}

    def of(self, path: str) -> Stop | None:
        if path not in self._found:
            self._found[path] = self._ask(path)
        return self._found[path]

    def _ask(self, path: str) -> Stop | None:
        try:
            entry = self.journal.latest(path)
        except EditError:
            return None
        change = entry.record.file(path) if entry is not None else None
        return None if entry is None or change is None else Stop(entry, change)


def images_of(steps: Sequence[FileStep], latest: Latest) -> dict[str, bytes]:
    """Whole files the journal must keep, because splices alone could not bring them back."""
    images: dict[str, bytes] = {}
    for step in steps:
        if step.secret:
            continue
        moved_only = step.before is not None and step.digest == step.before.digest
        spliced = step.changes is not None and step.source is not None and step.source.reads_back
        rewritten = not moved_only and (step.whole or not spliced)
        if step.before is not None and (rewritten or not _is_known(step, latest)):
            images[step.before.digest] = step.before.data
        if step.data is not None and step.digest is not None and not moved_only and not spliced:
            images[step.digest] = step.data
    return images


def outside_notes(steps: Sequence[FileStep], latest: Latest) -> list[dict[str, object]]:
    """What something else did to the files since the journal last knew them, as the notes that tell it."""
    found = (
        outside_note(step.before_path, step.before, latest, is_secret=step.secret)
        for step in steps
        if step.before is not None and step.before_path is not None
    )
    return [note for note in found if note is not None]


def outside_note(path: str, present: FileImage, latest: Latest, *, is_secret: bool) -> dict[str, object] | None:
    """The same for one file as it is now; None where it is as the journal left it, or was never in the journal."""
    stop = latest.of(path)
    if stop is None or stop.change.after is None or stop.change.after.digest == present.digest:
        return None
    hidden = is_secret or stop.change.redacted
    lines = [] if hidden else _lines_changed(latest.journal, stop, present)
    return {"path": path, "before": stop.change.after.digest, "after": present.digest, "lines": lines}


def _lines_changed(journal: Journal, stop: Stop, present: FileImage) -> list[list[int]]:
    """The lines that are not as the journal left them; none where that version is gone."""
    try:
        gap = gap_between(journal, stop, present.data)
        source = recorded_text(stop.change, present.data)
    except (EditError, UnicodeError):
        return []
    return [list(source.lines_of(span)) for span in gap.after_spans()][:_MOST_LINES]


def _is_known(step: FileStep, latest: Latest) -> bool:
    """Whether the version before is the one the newest record of this path left; else the whole of it is kept."""
    assert step.before is not None and step.before_path is not None
    stop = latest.of(step.before_path)
    return (
        stop is not None
        and stop.change.after is not None
        and stop.change.after.digest == step.before.digest
        and not stop.change.redacted
    )
