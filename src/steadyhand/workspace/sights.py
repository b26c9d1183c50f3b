"""What each party has been shown of each file: remembered here, and kept in the journal for other processes.

1. A sight of a whole version replaces all before it; sights of parts are kept beside each other.
2. Remembering never fails a read: what cannot be kept is only known to this process.
3. Forgetting a sight makes more of the file news, never less.
"""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

from steadyhand.errors import EditError
from steadyhand.text.span import Span
from steadyhand.text.span import joined as joined_spans
from steadyhand.workspace.awareness import Lately
from steadyhand.workspace.journal.party import Party, Sight
from steadyhand.workspace.journal.store import Journal

_MOST = 32  # sights of parts that are kept of one file
_LARGEST = 4 << 20  # bytes of a version that is remembered
_ROOM = 32 << 20  # bytes of versions remembered in all
_EACH = 16  # versions remembered of one file; a file that is edited all day has most of them in its records
_KEPT = 1 << 20  # bytes of a version that the journal is given


class Sights:
    """The sights of one workspace, whichever party had them. Thread-safe."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._held: dict[tuple[Party, str], tuple[Sight, ...]] = {}
        self._told: dict[tuple[Party, str], tuple[object, ...]] = {}
        self._lately: dict[tuple[Party, str], Lately] = {}
        self._versions: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._of_path: dict[str, list[str]] = {}
        self._size = 0
        self._generation = 0

    def keep_up(self, generation: int) -> None:
        """Another journal has begun: what was seen was seen before all of its rows."""
        with self._guard:
            if generation == self._generation:
                return
            self._generation = generation
            self._held = {
                place: tuple(replace(sight, seq=0) for sight in sights) for place, sights in self._held.items()
            }
            self._told.clear()
            self._lately.clear()

    def of(self, party: Party, path: str, journal: Journal | None = None) -> tuple[Sight, ...]:
        """What a party has seen of a file, here or, where there is a journal to ask, in another process."""
        with self._guard:
            held = self._held.get((party, path), ())
        kept: tuple[Sight, ...] = ()
        if journal is not None:
            kept = journal.sights(party, path)
        return held if not kept or held[-1:] == kept[-1:] else joined([*kept, *held])

    def readers(self, path: str) -> list[Party]:
        """The parties that have seen all of a file in this process."""
        with self._guard:
            return [
                party
                for (party, known), sights in self._held.items()
                if known == path and any(sight.spans is None for sight in sights)
            ]

    def add(self, party: Party, path: str, sight: Sight, content: bytes | None = None) -> tuple[Sight, ...]:
        """Remember a sight and, if it is not too large, the version that was seen; everything seen of it now."""
        with self._guard:
            sights = joined([*self._held.get((party, path), ()), sight])
            self._held[party, path] = sights
            if sight.spans is None:  # what was answered before is about what was known before
                self._lately.pop((party, path), None)
            if content is not None and len(content) <= _LARGEST:
                self._remember(path, sight.digest, content)
        return sights

    def is_new(self, party: Party, path: str, sights: Sequence[Sight]) -> bool:
        """Whether the journal has yet to be told of these; it counts as told then."""
        told = tuple((sight.digest, sight.spans) for sight in sights)
        with self._guard:
            is_new = self._told.get((party, path)) != told
            self._told[party, path] = told
        return is_new

    def lately(self, party: Party, path: str) -> Lately | None:
        """What was last answered to this process about the news of a file."""
        with self._guard:
            return self._lately.get((party, path))

    def set_lately(self, party: Party, path: str, lately: Lately) -> None:
        with self._guard:
            self._lately[party, path] = lately

    def version(self, digest: str) -> bytes | None:
        """A version that was seen lately, by (a beginning of) its digest."""
        with self._guard:
            for (_, known), content in reversed(self._versions.items()):
                if known.startswith(digest):
                    return content
        return None

    def forget(self, party: Party) -> None:
        with self._guard:
            for key in [key for key in self._held if key[0] == party]:
                del self._held[key]
                self._told.pop(key, None)
            for key in [key for key in self._lately if key[0] == party]:
                del self._lately[key]

    def _remember(self, path: str, digest: str, content: bytes) -> None:
        self._drop(path, digest)
        self._versions[path, digest] = content
        self._size += len(content)
        known = self._of_path.setdefault(path, [])
        known.append(digest)
        if len(known) > _EACH:
            self._drop(path, known[0])
        while self._size > _ROOM:
            self._drop(*next(iter(self._versions)))

    def _drop(self, path: str, digest: str) -> None:
        content = self._versions.pop((path, digest), None)
        if content is not None:
            self._size -= len(content)
            self._of_path[path].remove(digest)
            if not self._of_path[path]:
                del self._of_path[path]


def joined(sights: Sequence[Sight]) -> tuple[Sight, ...]:
    """Sights in the order of their rows: the last of a whole version and the parts seen after it, each version once.

    >>> [sight.digest for sight in joined([Sight("a", 1, ((0, 4),)), Sight("b", 2), Sight("c", 3, ((2, 5),))])]
    ['b', 'c']
    """
    ordered = sorted(sights, key=lambda sight: sight.seq)
    whole = max((index for index, sight in enumerate(ordered) if sight.spans is None), default=None)
    latest: dict[str, Sight] = {}
    for sight in ordered if whole is None else ordered[whole:]:
        before = latest.pop(sight.digest, None)
        latest[sight.digest] = sight if before is None else _both(before, sight)
    kept = list(latest.values())
    # Without the whole version nobody could tell what changed since; parts may go.
    return tuple(sight for sight in kept[:-_MOST] if sight.spans is None) + tuple(kept[-_MOST:])


def keep(journal: Journal, party: Party, path: str, sights: Sequence[Sight], content: bytes | None) -> None:
    """Let other processes know; `content` is the version of the last sight, given on where no record tells it."""
    with contextlib.suppress(EditError):
        if content is not None and (len(content) > _KEPT or _is_recorded(journal, path, sights[-1].digest)):
            content = None
        journal.see(party, path, sights, content)


def _is_recorded(journal: Journal, path: str, digest: str) -> bool:
    latest = journal.latest(path)
    change = latest.record.file(path) if latest is not None else None
    return change is not None and not change.redacted and digest in change.digests


def _both(left: Sight, right: Sight) -> Sight:
    if left.spans is None or right.spans is None:
        return Sight(left.digest, left.seq)
    spans = joined_spans(Span(*span) for span in (*left.spans, *right.spans))
    return Sight(left.digest, left.seq, tuple((span.start, span.end) for span in spans))
