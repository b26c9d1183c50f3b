"""Copying a journal to another store, row by row and byte by byte, and making sure of the copy.

What is copied is history: the log and the images. What parties have seen and announced stays behind, since it speaks
of the store where it was said.

Invariants:

1. Numbers, checksums and chain of the copy are those of the source; nothing is sealed again.
2. A copy that was interrupted leaves the target empty.
3. A source with damage is copied only on demand, and then as damaged as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field
from steadyhand.workspace.journal.log import GENESIS, Packed, Problem, Row, chain_bytes
from steadyhand.workspace.journal.log_reader import JournalStats
from steadyhand.workspace.journal.store import Journal, Progress

T = TypeVar("T")

_STEP = 500
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Copied:
    """What a copy holds, and what was already wrong with its source."""

    rows: int
    images: int
    image_bytes: int
    head_seq: int
    head_chain: str
    problems: tuple[Problem, ...] = ()


def copy_journal(
    source: Journal, target: Journal, progress: Progress | None = None, *, damaged: bool = False
) -> Copied:
    """Fill the empty `target` with everything `source` holds, then verify it.

    Refuses with `exists-already` a target that is not empty and with `journal-damaged` a source with problems, unless
    `damaged` says that they may be copied.
    """
    before = source.stats()
    _refuse_filled(target)
    found = tuple(source.verify(_part(progress, 0)))
    if found and not damaged:
        raise _unsound(source, found)
    seen = _Seen(_part(progress, 1), before.rows + before.images)
    source.export(lambda rows, images: target.load(seen.all_rows(rows), seen.all_images(images)))
    after = tuple(target.verify(_part(progress, 2)))
    _compare(seen, target.stats(), found, after, target)
    return Copied(seen.rows, seen.images, seen.image_bytes, seen.head_seq, seen.head_chain.hex(), found)


@dataclass(slots=True)
class _Seen:
    """What went by on its way."""

    progress: Progress
    total: int
    rows: int = 0
    images: int = 0
    image_bytes: int = 0
    head_seq: int = 0
    head_chain: bytes = field(default=GENESIS)

    def all_rows(self, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            self.rows += 1
            self.head_seq, self.head_chain = row.seq, chain_bytes(row.chain)
            yield self._counted(row)

    def all_images(self, images: Iterable[Packed]) -> Iterator[Packed]:
        for image in images:
            self.images += 1
            self.image_bytes += image.size if isinstance(image.size, int) else 0
            yield self._counted(image)

    def _counted(self, item: T) -> T:
        done = self.rows + self.images
        if done % _STEP == 0:
            self.progress(min(done, self.total), self.total)
        return item


def _part(progress: Progress | None, number: int) -> Progress:
    """Progress of the whole, reported by one of its three parts."""

    def tell(done: int, total: int) -> None:
        if progress is not None:
            progress(number * total + done, 3 * total)

    return tell


def _refuse_filled(target: Journal) -> None:
    """Refuse before the long work; `load` looks again, when nobody else can write."""
    held = target.stats()
    if held.rows or held.images:
        raise EditError(
            Kind.EXISTS_ALREADY,
            f"the journal {target.location} already holds {held.rows} rows and {held.images} images",
            hint="copy to a journal that is new or empty; nothing was changed",
            details={"rows": held.rows, "images": held.images},
        )


def _compare(
    seen: _Seen, held: JournalStats, before: tuple[Problem, ...], after: tuple[Problem, ...], target: Journal
) -> None:
    """Refuse a copy that is not what went by. An index of the source that was wrong has been rebuilt."""
    expected = [problem for problem in before if problem.kind not in ("index", "structure")]
    is_whole = (held.rows, held.images, held.head_seq) == (seen.rows, seen.images, seen.head_seq)
    if not is_whole or held.head_chain != seen.head_chain.hex() or list(after) != expected:
        raise EditError(
            Kind.JOURNAL_DAMAGED,
            f"the copy in {target.location} is not what was copied: {_listed(after) or 'its last row is another'}",
            hint="keep the source, throw this copy away and copy again",
            details={"rows": seen.rows, "copied_rows": held.rows},
        )


def _unsound(source: Journal, found: tuple[Problem, ...]) -> EditError:
    return EditError(
        Kind.JOURNAL_DAMAGED,
        f"the journal {source.location} is damaged: {_listed(found)}",
        hint="ask for the damaged rows to be copied as they are, or reindex where only an index is wrong",
        details={"problems": len(found)},
    )


def _listed(found: tuple[Problem, ...]) -> str:
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return "; ".join(problem.message for problem in found[:_SHOWN]) + more
