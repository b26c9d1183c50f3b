"""What each party has been shown of each file: remembered here, and kept in the journal for other processes.

1. A version that was seen whole replaces all before it; versions seen in parts are kept beside each other.
2. Remembering never fails a read: what cannot be kept is only known to this process.
3. Forgetting a seen version makes more of the file unseen, never less.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from operator import attrgetter
from typing import Final

from steadyhand.errors import EditError
from steadyhand.lazy import replace
from steadyhand.text.span import Span
from steadyhand.text.span import joined as joined_spans
from steadyhand.workspace.history.file_history import LastUsed
from steadyhand.workspace.history.unseen_changes import Checkpoint
from steadyhand.workspace.journal.record import Party, SeenVersion
from steadyhand.workspace.journal.store import Journal

_MOST = 32  # versions seen in parts that are kept of one file
_LARGEST = 4 << 20  # bytes of a version that is remembered
_ROOM = 32 << 20  # bytes of versions remembered by a process, however many workspaces it has
_EACH = 16  # versions remembered of one file; a file that is edited all day has most of them in its records
_KEPT = 1 << 20  # bytes of a version that the journal is given


class Versions(LastUsed):
    """Contents that were read, for all workspaces of a process. Thread-safe.

    A server has many workspaces that see the same files: each for itself would keep them again. Whoever asks must have
    seen the version.
    """

    def __init__(self, room: int) -> None:
        super().__init__(room)
        self._guard = threading.Lock()

    def get(self, digest: str) -> bytes | None:
        with self._guard:
            return super().get(digest)

    def keep(self, digest: str, data: bytes) -> None:
        with self._guard:
            super().keep(digest, data)


VERSIONS: Final = Versions(_ROOM)


class ReadRanges:
    """What was shown in one workspace, to whichever party. Thread-safe."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._held: dict[tuple[Party, str], tuple[SeenVersion, ...]] = {}
        self._recorded: dict[tuple[Party, str], tuple[object, ...]] = {}
        self._checkpoints: dict[tuple[Party, str], Checkpoint] = {}
        self._seen: dict[str, list[str]] = {}  # digests of versions by path, the last one last
        self._generation = 0

    def keep_up(self, generation: int) -> None:
        """Another journal has begun: what was seen was seen before all of its rows."""
        with self._guard:
            if generation == self._generation:
                return
            self._generation = generation
            self._held = {place: tuple(replace(each, seq=0) for each in seen) for place, seen in self._held.items()}
            self._recorded.clear()
            self._checkpoints.clear()

    def of(self, party: Party, path: str, journal: Journal | None = None) -> tuple[SeenVersion, ...]:
        """What a party has seen of a file, here or, where there is a journal to ask, in another process."""
        with self._guard:
            held = self._held.get((party, path), ())
        kept: tuple[SeenVersion, ...] = ()
        if journal is not None:
            kept = journal.seen_versions(party, path)
        return held if not kept or held[-1:] == kept[-1:] else joined([*kept, *held])

    def readers(self, path: str) -> list[Party]:
        """The parties that have seen all of a file in this process."""
        with self._guard:
            held = [(party, seen) for (party, known), seen in self._held.items() if known == path]
            return [party for party, seen in held if any(each.is_whole for each in seen)]

    def add(
        self, party: Party, path: str, seen_version: SeenVersion, content: bytes | None = None
    ) -> tuple[SeenVersion, ...]:
        """Remember what was seen and, if it is not too large, the content; everything seen of the file now."""
        with self._guard:
            place = party, path
            self._held[place] = seen_versions = _with(self._held.get(place, ()), seen_version)
            if seen_version.spans is None:  # what was answered before is about what was known before
                self._checkpoints.pop((party, path), None)
            if content is not None and len(content) <= _LARGEST:
                self._remember(path, seen_version.digest, content)
        return seen_versions

    def is_new(self, party: Party, path: str, seen_versions: Sequence[SeenVersion]) -> bool:
        """Whether the journal has yet to record these; they count as recorded then."""
        recorded = tuple([(seen_version.digest, seen_version.spans) for seen_version in seen_versions])
        with self._guard:
            is_new = self._recorded.get((party, path)) != recorded
            self._recorded[party, path] = recorded
        return is_new

    def checkpoint(self, party: Party, path: str) -> Checkpoint | None:
        """What was last answered to this process about the news of a file."""
        with self._guard:
            return self._checkpoints.get((party, path))

    def set_checkpoint(self, party: Party, path: str, checkpoint: Checkpoint) -> None:
        with self._guard:
            self._checkpoints[party, path] = checkpoint

    def version(self, digest: str) -> bytes | None:
        """A version that was seen before, by (a beginning of) its digest."""
        with self._guard:
            fitting = [known for seen in self._seen.values() for known in seen if known.startswith(digest)]
        return next((found for known in fitting if (found := VERSIONS.get(known)) is not None), None)

    def content(self, journal: Journal, path: str, digest: str) -> bytes | None:
        """A version that was read, here or in another process; None where it is not kept."""
        found = self.version(digest)
        if found is None:
            with contextlib.suppress(EditError):
                found = journal.seen_content(path, digest)
        return found

    def forget(self, party: Party) -> None:
        with self._guard:
            for key in [key for key in self._held if key[0] == party]:
                del self._held[key]
                self._recorded.pop(key, None)
            for key in [key for key in self._checkpoints if key[0] == party]:
                del self._checkpoints[key]

    def _remember(self, path: str, digest: str, content: bytes) -> None:
        known = [each for each in self._seen.get(path, ()) if each != digest]
        self._seen[path] = [*known, digest][-_EACH:]
        VERSIONS.keep(digest, content)


def joined(seen: Sequence[SeenVersion]) -> tuple[SeenVersion, ...]:
    """In the order of their rows: the last version seen whole and the parts seen after it, each version once.

    >>> seen = [SeenVersion("a", 1, ((0, 4),)), SeenVersion("b", 2), SeenVersion("c", 3, ((2, 5),))]
    >>> [one.digest for one in joined(seen)]
    ['b', 'c']
    """
    if seen and seen[-1].spans is None and seen[-1].seq >= max([one.seq for one in seen]):
        return (seen[-1],)
    ordered = sorted(seen, key=attrgetter("seq"))
    whole = max((index for index, one in enumerate(ordered) if one.spans is None), default=None)
    latest: dict[str, SeenVersion] = {}
    for one in ordered if whole is None else ordered[whole:]:
        before = latest.pop(one.digest, None)
        latest[one.digest] = one if before is None else _both(before, one)
    return _latest(list(latest.values()))


def _with(held: tuple[SeenVersion, ...], one: SeenVersion) -> tuple[SeenVersion, ...]:
    """The same of what is joined already and one more, which usually is a part of a new version."""
    seen = [*held, one]
    rows = [each.seq for each in seen]
    is_last = rows == sorted(rows) and None not in [each.spans for each in seen[1:]]
    return _latest(seen) if is_last and one.digest not in [each.digest for each in held] else joined(seen)


def _latest(kept: list[SeenVersion]) -> tuple[SeenVersion, ...]:
    # Without the whole version nobody could tell what changed since; parts may go.
    return tuple([one for one in kept[:-_MOST] if one.spans is None]) + tuple(kept[-_MOST:])


def keep(
    journal: Journal, party: Party, path: str, seen_versions: Sequence[SeenVersion], content: bytes | None
) -> None:
    """Let other processes know; `content` is the version seen last, given on where no record tells it."""
    with contextlib.suppress(EditError):
        if content is not None and (len(content) > _KEPT or _is_recorded(journal, path, seen_versions[-1].digest)):
            content = None
        journal.see(party, path, seen_versions, content)


def _is_recorded(journal: Journal, path: str, digest: str) -> bool:
    latest = journal.latest(path)
    change = latest.record.file(path) if latest is not None else None
    return change is not None and not change.redacted and digest in change.digests


def _both(left: SeenVersion, right: SeenVersion) -> SeenVersion:
    if left.spans is None or right.spans is None:
        return SeenVersion(left.digest, left.seq)
    spans = joined_spans(Span(*span) for span in (*left.spans, *right.spans))
    return SeenVersion(left.digest, left.seq, tuple((span.start, span.end) for span in spans))
