"""A transaction before it is written: the tree as it is, with the files it would change laid over it.

Every verb (edit, write, create, delete, rename, mode, undo) ends here, so that several of them in one
transaction see each other's work. Reads the disk through the reader it is given; never writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from steadyhand.errors import EditError, Kind
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.encoding import Encoding
from steadyhand.text.source import Source, digest_of
from steadyhand.text.span import Span
from steadyhand.workspace.journal.record import EditNote
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


def read_text(data: bytes, encoding: str | None, recall: Callable[[], Encoding | None], path: str | None) -> Source:
    """A file's bytes as text: in the encoding asked for, else the one the journal used, else what the bytes show."""
    known = recall() if encoding is None else None
    if known is not None:
        try:
            return Source(known.decode(data), known, path, digest_of(data))
        except UnicodeError:
            pass  # the record speaks of other bytes after all
    return Source.of_bytes(data, encoding=encoding, path=path).settle()


def _nothing() -> None:
    return None


@dataclass
class Draft:
    """A file on its way through the transaction."""

    before_path: str | None
    before: FileImage | None
    path: str | None
    mode: int | None
    secret: bool = False
    flagged: str | None = None
    via_symlink: bool = False
    encoding: str | None = None
    changes: ChangeSet | None = field(default_factory=ChangeSet)
    edits: tuple[EditNote, ...] = ()
    whole: bool = False
    recall: Callable[[], Encoding | None] = _nothing
    like: FileImage | None = None
    _source: Source | None = None
    _data: bytes | None = None

    @property
    def exists(self) -> bool:
        return self.path is not None

    def source(self, encoding: str | None = None) -> Source:
        """The text as it would be now."""
        if self._source is None or (encoding is not None and encoding != self.encoding):
            if self.changes:
                raise EditError(
                    Kind.BAD_REQUEST, f"{self.path} was already edited in this transaction with another encoding"
                )
            data = self._data if self._data is not None else (self.before.data if self.before else b"")
            self._source = read_text(data, encoding, self.recall, self.path)
            self.encoding = encoding
        return self._source

    def decode_as(self, encoding: Encoding) -> Source:
        """The untouched text, read in an encoding a record used."""
        data = self._data if self._data is not None else (self.before.data if self.before else b"")
        self._source = Source(encoding.decode(data), encoding, self.path)
        return self._source

    @property
    def data(self) -> bytes | None:
        """The bytes as they would be now; None when the file would not exist."""
        if self.path is None:
            return None
        if self._data is not None:
            return self._data
        if self._source is not None and (self.changes or self.before is None):
            return self._source.to_bytes()
        return self.before.data if self.before is not None else b""

    def take_text(
        self, source: Source, changes: ChangeSet, edits: tuple[EditNote, ...], *, whole: bool = False
    ) -> None:
        """The text becomes `source` by `changes`; what earlier edits of the transaction wrote keeps its credit."""
        earlier = self.changes
        if earlier:
            composed = earlier.compose(changes)
            kept = _credit(self.edits, earlier, changes, composed)
            mine = _credit(edits, changes, ChangeSet(), composed)
            self.changes, self.edits = composed, kept + mine
        elif earlier is not None:
            self.changes, self.edits = changes, self.edits + edits
        self._source, self._data = source, None
        self.whole = self.whole or whole

    def take_bytes(self, data: bytes, edits: tuple[EditNote, ...] = ()) -> None:
        """The content becomes `data`; no splices tell how."""
        self._data, self._source, self.changes = data, None, None
        self.edits += edits
        self.whole = True


class Overlay:
    """The tree as the transaction would leave it."""

    def __init__(self, reader: Reader, recall: Recall | None = None) -> None:
        self._reader = reader
        self._recall = recall
        self._drafts: list[Draft] = []
        self._at: dict[str, Draft | None] = {}
        self.readings: dict[str, Reading] = {}

    def look(self, given: str) -> tuple[Reading, Draft | None]:
        """Where a path leads and what would stand there now; None: nothing would."""
        reading = self._reader(given)
        known = self.readings.setdefault(reading.path, reading)
        if reading.path not in self._at:
            self._at[reading.path] = self._open(known)
        return reading, self._at[reading.path]

    def need(self, given: str) -> Draft:
        """The file at a path. Refuses with `no-such-file`."""
        reading, draft = self.look(given)
        if draft is None:
            raise EditError(
                Kind.NO_SUCH_FILE,
                f"there is no file {given!r}",
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
                hint="edit it, or write it with the hash of what you read",
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
        for draft in drafts:
            assert draft.path is not None
            self._at[draft.path] = None
        for draft, (_, to) in zip(drafts, pairs, strict=True):
            self._move(draft, to)

    def _move(self, draft: Draft, to: str) -> None:
        target, occupied = self.look(to)
        if occupied is not None:
            raise EditError(
                Kind.EXISTS_ALREADY,
                f"{target.path} is there already",
                hint="choose another name, or delete that file in the same transaction first",
                details={"path": target.path},
            )
        draft.path = target.path
        draft.secret = draft.secret or target.secret
        draft.flagged = draft.flagged or target.flagged
        self._at[target.path] = draft

    def came_from(self, path: str) -> Draft | None:
        """The file that stands at `path` on disk, wherever the overlay has moved it; else what it laid there."""
        _, draft = self.look(path)
        return next((d for d in self._drafts if d.before_path == path and d.path is not None), draft)

    def steps(self) -> tuple[FileStep, ...]:
        """The net effect, one step per file that would really change."""
        return tuple(step for draft in self._drafts if (step := _step(draft)) is not None)

    def remarks(self) -> tuple[str, ...]:
        """What the host should know of the changed files: instructions and workflows, secrets, guesses."""
        return tuple(remark for draft in self._drafts if _step(draft) for remark in _remarks(draft))

    def _open(self, reading: Reading) -> Draft | None:
        if reading.image is None:
            return None
        draft = Draft(
            reading.path, reading.image, reading.path, None, reading.secret, reading.flagged, reading.via_symlink
        )
        if self._recall is not None:
            draft.recall = partial(self._recall, reading.path, reading.image.digest)
        self._drafts.append(draft)
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
    source = draft._source
    exact = draft.changes if draft.before is not None and digest != draft.before.digest and data is not None else None
    return FileStep(
        draft.before_path, draft.path, draft.before, data, digest, draft.mode,
        exact if source is not None else None, source, draft.edits, draft.whole, draft.secret, draft.like,
    )  # fmt: skip


def _remarks(draft: Draft) -> Iterator[str]:
    path = draft.path or draft.before_path
    if draft.flagged:
        yield f"{path}: {draft.flagged}"
    if draft.secret:
        yield f"{path}: holds secrets, so its content is not kept and this change cannot be undone"
    source = draft._source
    if source is not None and source.encoding.chosen_by in ("detector", "western"):
        yield f"{path}: read as {source.encoding.name}, which is a guess; name the encoding if it is another"


def _credit(
    edits: tuple[EditNote, ...], changes: ChangeSet, later: ChangeSet, composed: ChangeSet
) -> tuple[EditNote, ...]:
    """The same notes with their splices numbered as in `composed`."""
    spans = [_through(span, later) for span in changes.after_spans()]
    places = composed.after_spans()
    credited: list[EditNote] = []
    for note in edits:
        wanted = [spans[index] for index in note.splices]
        hits = tuple(i for i, place in enumerate(places) if any(place.touches(span) for span in wanted))
        credited.append(EditNote(note.reason, note.tier, note.similarity, note.lines, hits, note.differs))
    return tuple(credited)


def _through(span: Span, later: ChangeSet) -> Span:
    start = later.map_position(span.start, assoc=-1)
    return Span(start, max(start, later.map_position(span.end, assoc=1)))
