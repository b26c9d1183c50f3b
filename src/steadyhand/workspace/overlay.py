"""A transaction before it is written: the tree as it is, with the files it would change laid over it.

Every verb (edit, write, create, delete, rename, mode, undo) ends here, so that several of them in one
transaction see each other's work. Reads the disk through the reader it is given; never writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from steadyhand.errors import EditError, Kind
from steadyhand.hints import ReplaceExisting
from steadyhand.lazy import dataclass
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.encoding import Encoding
from steadyhand.text.source import Source, digest_of
from steadyhand.text.visible import sized
from steadyhand.workspace.draft import Draft
from steadyhand.workspace.journal.record import EditNote
from steadyhand.workspace.place import lock_key_of
from steadyhand.workspace.protection import repository_parts
from steadyhand.workspace.refusal import shown
from steadyhand.workspace.sandbox import FileImage


@dataclass(frozen=True, slots=True)
class Reading:
    """What stands at a path: where the path leads, and the file there, if any."""

    given: str
    path: str
    lock_key: str
    image: FileImage | None
    flagged: str | None = None
    secret: bool = False
    via_symlink: bool = False


Reader = Callable[[str], Reading]
Recall = Callable[[str, str], Encoding | None]
"""The encoding in which the journal knows a version of a file: path and digest in, None where it does not."""


@sized("data")
@dataclass(frozen=True, slots=True)
class FileStep:
    """One file of a transaction: what it is, what it shall be, and what the journal will say of it."""

    before_path: str | None
    after_path: str | None
    before: FileImage | None
    data: bytes | None
    digest: str | None
    mode: int | None
    changes: ChangeSet | None = None
    source: Source | None = None
    edits: tuple[EditNote, ...] = ()
    whole: bool = False
    secret: bool = False
    like: FileImage | None = None
    left: tuple[EditNote, ...] = ()


class Overlay:
    """The tree as the transaction would leave it."""

    def __init__(self, reader: Reader, recall: Recall | None = None) -> None:
        self._reader = reader
        self._recall = recall
        self._drafts: list[Draft] = []
        self._from: dict[str, Draft] = {}  # by the path on disk
        self._at: dict[str, Draft | None] = {}
        self._given: dict[str, Reading] = {}
        self.readings: dict[str, Reading] = {}
        self.is_unsure = False  # what was laid depends on what others are doing: lay again under the locks

    def look(self, given: str) -> tuple[Reading, Draft | None]:
        """Where a path leads and what would stand there now; None: nothing would."""
        reading = self._given.get(given) or self._reader(given)
        self._given[given] = reading
        known = self.readings.setdefault(reading.path, reading)
        if reading.path not in self._at:
            self._at[reading.path] = self._open(known)
        return reading, self._at[reading.path]

    def lock_keys(self) -> list[str]:
        """Every path that was looked at, and every inode with several names among them.

        Whoever writes a part of what git could take for a repository holds its `HEAD`: two calls at once must not
        each make one half of it.
        """
        keys = {reading.lock_key for reading in self.readings.values()}
        parts = (part for path in self.readings for part in repository_parts(path))
        keys.update(lock_key_of(f"{part.directory}/HEAD" if part.directory else "HEAD") for part in parts)
        keys.update(f"inode {image.dev} {image.ino}" for image in self.images() if image.nlink > 1)
        return sorted(keys)

    def images(self) -> list[FileImage]:
        """Every file that was found."""
        return [reading.image for reading in self.readings.values() if reading.image is not None]

    def need(self, given: str) -> Draft:
        """The file at a path. Refuses with `no-such-file`."""
        reading, draft = self.look(given)
        if draft is None:
            raise EditError(
                Kind.NO_SUCH_FILE,
                f"there is no file {shown(given)}",
                hint="check the path, or create the file",
                details={"path": reading.path},
            )
        return draft

    def create(self, given: str, *, mode: int | None = None) -> Draft:
        """A new, empty file. Refuses with `exists-already`."""
        reading, draft = self.look(given)
        if draft is not None:
            raise EditError(
                Kind.EXISTS_ALREADY,
                f"{reading.path} is there already",
                hint=ReplaceExisting(),
                details={"path": reading.path},
            )
        draft = Draft(None, None, reading.path, mode, reading.secret, reading.flagged)
        self._drafts.append(draft)
        self._at[reading.path] = draft
        return draft

    def delete(self, given: str) -> Draft:
        draft = self._own(given, "delete")
        assert draft.path is not None
        self._at[draft.path] = None
        draft.path = None
        return draft

    def rename(self, given: str, to: str) -> None:
        self.rename_together([(given, to)])

    def rename_together(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Several renames at once, so that files may take each other's names. Refuses with `exists-already`."""
        drafts = [self._own(given, "rename") for given, _ in pairs]
        targets = [self._free_target(to, drafts) for _, to in pairs]
        if len({target.path for target in targets}) < len(targets):
            raise EditError(Kind.BAD_REQUEST, "two files cannot take one name", hint="give each its own")
        for draft in drafts:
            assert draft.path is not None
            self._at[draft.path] = None
        for draft, target in zip(drafts, targets, strict=True):
            draft.path = target.path
            draft.secret = draft.secret or target.secret
            draft.flagged = draft.flagged or target.flagged
            self._at[target.path] = draft

    def _free_target(self, to: str, leaving: Sequence[Draft]) -> Reading:
        target, occupied = self.look(to)
        if occupied is not None and occupied not in leaving:
            raise EditError(
                Kind.EXISTS_ALREADY,
                f"{target.path} is there already",
                hint="choose another name, or delete that file in the same transaction first",
                details={"path": target.path},
            )
        return target

    def came_from(self, path: str) -> Draft | None:
        """The file that stands at `path` on disk, wherever the overlay has moved it; else what it laid there."""
        _, draft = self.look(path)
        moved = self._from.get(path)
        return moved if moved is not None and moved.path is not None else draft

    def steps(self) -> tuple[FileStep, ...]:
        """The net effect, one step per file that would really change."""
        return tuple(step for draft in self._drafts if (step := _step(draft)) is not None)

    def remarks(self, steps: Sequence[FileStep]) -> tuple[str, ...]:
        """What the host should know of the changed files: instructions and workflows, secrets, guesses."""
        changed = {(step.before_path, step.after_path) for step in steps}
        drafts = [draft for draft in self._drafts if (draft.before_path, draft.path) in changed]
        return tuple(remark for draft in drafts for remark in _remarks(draft))

    def _open(self, reading: Reading) -> Draft | None:
        if reading.image is None:
            return None
        draft = Draft(
            reading.path, reading.image, reading.path, None, reading.secret, reading.flagged, reading.via_symlink
        )
        if self._recall is not None:
            draft.recall = partial(self._recall, reading.path, reading.image.digest)
        self._drafts.append(draft)
        self._from[reading.path] = draft
        return draft

    def _own(self, given: str, verb: str) -> Draft:
        """A file whose name, not only whose content, is to change."""
        draft = self.need(given)
        if self.look(given)[0].via_symlink:
            raise EditError(
                Kind.NOT_ALLOWED,
                f"{given!r} is a symbolic link to {draft.path}",
                hint=f"{verb} {draft.path} itself; links are not Steadyhand's to change",
                details={"path": draft.path},
            )
        return draft


def _step(draft: Draft) -> FileStep | None:
    if draft.before is None and draft.path is None:
        return None
    data = draft.data
    digest = digest_of(data) if data is not None else None
    mode_changes = draft.mode is not None and draft.before is not None and draft.mode != draft.before.mode
    if (
        draft.before is not None
        and digest == draft.before.digest
        and draft.path == draft.before_path
        and not mode_changes
    ):
        return None
    source = draft.present_source
    exact = draft.changes if draft.before is not None and digest != draft.before.digest and data is not None else None
    return FileStep(
        draft.before_path, draft.path, draft.before, data, digest, draft.mode,
        exact if source is not None else None, source, draft.edits, draft.whole, draft.secret, draft.like,
        draft.left,
    )  # fmt: skip


def _remarks(draft: Draft) -> Iterator[str]:
    path = draft.path or draft.before_path
    if draft.flagged:
        yield f"{path}: {draft.flagged}"
    if draft.secret:
        yield f"{path}: holds secrets, so its content is not kept and this change cannot be undone"
        if draft.path != draft.before_path and draft.before_path is not None and draft.path is not None:
            yield f"{path}: what a protected name kept secret is open under this one"
    source = draft.present_source
    if source is not None and source.encoding.chosen_by in ("detector", "western"):
        yield f"{path}: read as {source.encoding.name}, which is a guess; name the encoding if it is another"
