"""Which images may be dropped. Pure: uses and sizes in, a choice out; a store does the dropping.

Records are never dropped, so history stays readable; only whole images go, and with them the undo of the
records that need them. Age is counted by row number: the first record young enough bounds what is old, so a
clock that jumped can keep too much but never drop what came later.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.journal.record import utc_text


@dataclass(frozen=True, slots=True)
class ImageUse:
    """A kept image: what it takes as stored, and the last record that needs it."""

    digest: str
    stored: int
    last_seq: int


@dataclass(frozen=True, slots=True)
class Retention:
    """How much to keep: by the age of the record that last needs an image, by room taken, or both; None: no limit."""

    keep_days: float | None = None
    keep_bytes: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("keep_days", self.keep_days), ("keep_bytes", self.keep_bytes)):
            if value is not None and not value >= 0:
                raise EditError(Kind.BAD_REQUEST, f"{name} cannot be {value}", hint=f"give {name} as 0 or more")

    def keep_since(self) -> str | None:
        """The oldest record time to keep, as the journal writes times; None: age does not matter."""
        if self.keep_days is None:
            return None
        try:
            return utc_text(datetime.now(UTC) - timedelta(days=self.keep_days))
        except OverflowError:
            return None


@dataclass(frozen=True, slots=True)
class GcReport:
    """What `gc` dropped, or with `dry_run` would drop. Bytes are as stored."""

    dropped_images: int
    dropped_bytes: int
    kept_images: int
    kept_bytes: int
    dry_run: bool
    vacuumed: bool

    @classmethod
    def of(cls, images: list[ImageUse], dropped: list[ImageUse], *, dry_run: bool, vacuumed: bool) -> GcReport:
        total, gone = (sum(image.stored for image in group) for group in (images, dropped))
        return cls(len(dropped), gone, len(images) - len(dropped), total - gone, dry_run, vacuumed)


def choose_dropped(
    images: Iterable[ImageUse], *, pinned: frozenset[str], young_seq: int | None, keep_bytes: int | None
) -> list[ImageUse]:
    """The images to drop, oldest first.

    `young_seq` is the first record that is too young to lose its images; None: none is too old. `pinned`
    are never dropped: a record that is not settled needs them.
    """
    oldest_first = sorted(images, key=lambda image: (image.last_seq, image.digest))
    total = sum(image.stored for image in oldest_first)
    dropped = []
    for image in oldest_first:
        is_old = young_seq is not None and image.last_seq < young_seq
        is_too_much = keep_bytes is not None and total > keep_bytes
        if image.digest not in pinned and (is_old or is_too_much):
            dropped.append(image)
            total -= image.stored
    return dropped
