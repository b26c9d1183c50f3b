"""What a workspace tells of other clones of its repository, whose journals lie in the same database."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.session.checks import AnyPath, path_of

if TYPE_CHECKING:
    from steadyhand.workspace.change import Change
    from steadyhand.workspace.clones import Clones
    from steadyhand.workspace.other_clones import Notice, Subject
    from steadyhand.workspace.overlay import FileStep
    from steadyhand.workspace.store import Store


class Elsewhere:
    """The question what others do in their clones."""

    _store: Store
    _clones: Clones

    def elsewhere(self, path: AnyPath) -> list[Notice]:
        """What was done to a file in other clones since the version they and this one had in common.

        At most five, the newest first; none without a journal on a server that the clones share.
        """
        from steadyhand.text.changeset import ChangeSet
        from steadyhand.workspace.draft import read_text
        from steadyhand.workspace.other_clones import Subject

        try:
            resolved, image = self._store.read(path_of(path))
        except EditError as error:
            if error.kind is not Kind.NO_SUCH_FILE:
                raise
            return self._clones.notices([Subject(self._store.resolve(path_of(path)), None)])
        text = read_text(image.data, None, lambda: self._store.encoding_of(resolved, image.digest), resolved)
        source = None if text.is_binary else text
        return self._clones.notices([Subject(resolved, image.digest, source, ChangeSet(), image.digest)])

    def _told_elsewhere(self, change: Change) -> tuple[str, ...]:
        """What to tell of a change that was made, or would be."""
        if not self._clones.can_be_asked:
            return ()
        seq = None if change.committed is None else change.committed.seq
        subjects = [subject for step in change.steps for subject in _subjects(step, seq)]
        return tuple(map(str, self._clones.notices(subjects)))


def _subjects(step: FileStep, seq: int | None) -> Iterator[Subject]:
    """A file of a change, by the name it had; one that was moved, also by the name it got."""
    from steadyhand.text.changeset import ChangeSet
    from steadyhand.workspace.other_clones import Subject

    if step.before is not None and step.before_path is not None:
        changes = step.changes or ChangeSet()
        text = None if step.source is None else step.source.apply(changes.invert())
        kept = step.digest if step.after_path == step.before_path else None
        yield Subject(step.before_path, step.before.digest, text, changes, kept, seq)
    if step.after_path is not None and step.after_path != step.before_path:
        yield Subject(step.after_path, None, None, ChangeSet(), step.digest, seq)
