"""A file on its way through a transaction: what it was, what it has become, and how. Touches no disk.

1. As long as splices tell how the text came about, `changes` holds them; once whole bytes were put in, it is None.
2. What the file would hold is `data`, whichever way it got there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field, replace
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.encoding import Encoding
from steadyhand.text.source import Source, digest_of
from steadyhand.text.span import Span
from steadyhand.text.visible import sized
from steadyhand.workspace.journal.record import EditNote
from steadyhand.workspace.place import FileImage


def read_text(data: bytes, encoding: str | None, recall: Callable[[], Encoding | None], path: str | None) -> Source:
    """A file's bytes as text: in the encoding asked for, else the one the journal used, else what the bytes show."""
    known = recall() if encoding is None else None
    if known is not None:
        try:
            return Source.in_encoding(data, known, path, digest_of(data))
        except UnicodeError:
            pass  # the record speaks of other bytes after all
    return Source.of_bytes(data, encoding=encoding, path=path).settle()


def _nothing() -> None:
    return None


@sized("_bytes")
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
    left: tuple[EditNote, ...] = ()
    whole: bool = False
    recall: Callable[[], Encoding | None] = _nothing
    like: FileImage | None = None
    _source: Source | None = None
    _bytes: bytes | None = None
    _is_touched: bool = False

    @property
    def present_source(self) -> Source | None:
        """The text as it would be now, if anybody has looked at it as text."""
        return self._source

    def source(self, encoding: str | None = None) -> Source:
        """The text as it would be now."""
        if self._source is None or (encoding is not None and encoding != self.encoding):
            if self._source is not None and self._is_touched:
                raise EditError(
                    Kind.BAD_REQUEST, f"{self.path} was already edited in this transaction with another encoding"
                )
            recall = self.recall if not self._is_touched else _nothing
            self._source = read_text(self.data or b"", encoding, recall, self.path)
            self.encoding = encoding
        return self._source

    def source_on_disk(self) -> Source:
        """The text as it is before the transaction, in the encoding in which the draft is read."""
        assert self.before is not None
        present = self._source if self._source is not None else self.source()
        if not self._is_touched:
            return present
        return Source.in_encoding(self.before.data, present.encoding, self.before_path, self.before.digest)

    def decode_as(self, encoding: Encoding) -> Source:
        """The text as it would be now, read in an encoding a record used."""
        self._source = Source.in_encoding(self.data or b"", encoding, self.path)
        return self._source

    @property
    def data(self) -> bytes | None:
        """The bytes as they would be now; None when the file would not exist."""
        if self.path is None:
            return None
        if self._bytes is not None:
            return self._bytes
        if self._is_touched and self._source is not None:
            return self._source.to_bytes()
        return self.before.data if self.before is not None else b""

    def take_text(
        self, source: Source, changes: ChangeSet, edits: tuple[EditNote, ...], *, whole: bool = False
    ) -> None:
        """The text becomes `source` by `changes`; what earlier edits of the transaction wrote keeps its credit."""
        earlier = self.changes
        if earlier:
            composed = earlier.compose(changes)
            credited = _credit(self.edits, earlier, changes, composed)
            kept = tuple(self._carried(note, changes, source) for note in credited)
            mine = _credit(edits, changes, ChangeSet(), composed)
            self.changes, self.edits = composed, kept + mine
        elif earlier is not None:
            self.changes, self.edits = changes, self.edits + edits
        self._source, self._bytes, self._is_touched = source, None, True
        self.whole = self.whole or whole

    def _carried(self, note: EditNote, changes: ChangeSet, after: Source) -> EditNote:
        """The note with its lines as they are numbered after a change."""
        if note.lines is None or self._source is None:
            return note
        return replace(note, lines=self._source.lines_after(note.lines, changes, after))

    def take_bytes(self, data: bytes, edits: tuple[EditNote, ...] = ()) -> None:
        """The content becomes `data`; no splices tell how."""
        self._bytes, self._source, self._is_touched, self.changes = data, None, True, None
        self.edits += edits
        self.whole = True


def _credit(
    edits: tuple[EditNote, ...], changes: ChangeSet, later: ChangeSet, composed: ChangeSet
) -> tuple[EditNote, ...]:
    """The same notes with their splices numbered as in `composed`."""
    spans = [_through(span, later) for span in changes.after_spans()]
    places = composed.after_spans()
    ends = [place.end for place in places]
    credited: list[EditNote] = []
    for note in edits:
        hits = tuple(sorted({hit for index in note.splices for hit in _touching(places, ends, spans[index])}))
        credited.append(replace(note, splices=hits))
    return tuple(credited)


def _through(span: Span, later: ChangeSet) -> Span:
    start = later.map_position(span.start, assoc=-1)
    return Span(start, max(start, later.map_position(span.end, assoc=1)))


def _touching(places: tuple[Span, ...], ends: list[int], span: Span) -> list[int]:
    """The places that a span has a part in; where it has none, those at its edges."""
    found = []
    for index in range(bisect_left(ends, span.start), len(places)):
        if places[index].start > span.end:
            break
        found.append(index)
    # One that only touches belongs to another edit, and would hand on what touches it the next time.
    inside = [at for at in found if places[at] == span or (places[at].start < span.end and span.start < places[at].end)]
    return inside or found
