"""What each party has seen, derived from the ledger alone: pieces by number, never a position that was moved along.

A party that saw a whole version knows every piece there was; one that saw some lines knows the pieces that are
wholly among them. After its own change it knows what it wrote and the lines around it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from benches.fleet.rebuild import Party, Past, Version

_WINDOW = 3  # lines on each side of a change that an answer shows


@dataclass(slots=True)
class Known:
    """One party and one path: everything up to `newest`, and some more pieces. `whole`: the version it saw all of."""

    newest: int | None = None
    pieces: set[int] = field(default_factory=set)
    whole: str | None = None


class Knowing:
    """One party's knowledge while its part of the ledger is read."""

    def __init__(self, past: Past, party: Party, since: tuple[int, int]) -> None:
        self._past = past
        self.party = party
        self._since = since
        self._of: dict[str, Known] = {}
        self._lines: dict[str, set[str]] = {}

    def saw(self, path: str, digest: str, lines: list[int] | None, head_after: int) -> bool:
        """Remember what was read; False where no such version ever was there."""
        version = self._past.with_digest(path, digest, up_to=head_after)
        if version is None:
            return False
        known = self._of.setdefault(path, Known())
        shown = version.text.splitlines()
        self._lines.setdefault(path, set()).update(shown if lines is None else shown[lines[0] - 1 : lines[1]])
        if lines is None:
            self._of[path] = Known(version.newest, whole=version.digest)
        else:
            starts = line_starts(version.text)
            span = starts[lines[0] - 1], starts[min(lines[1], len(starts) - 1)]
            known.pieces |= standing_within(version, *span)
        return True

    def wrote(self, record: str, path: str, *, is_whole: bool) -> None:
        """What the answer to an own change shows; `is_whole`: the file was written as a whole."""
        after = self._past.after.get((record, path))
        before = self._past.before.get((record, path))
        if after is None:
            return
        known = self._of.setdefault(path, Known())
        own = self._past.by_record.get(record, set())
        earlier = self._of.get(before.path) if before is not None else None
        if is_whole or before is None or (earlier is not None and earlier.whole == before.digest):
            self._of[path] = Known(after.newest, whole=after.digest)
            return
        known.pieces |= own
        starts = line_starts(after.text)
        for row in rows_of(after, own):
            first, last = max(row - _WINDOW, 0), min(row + _WINDOW + 1, len(starts) - 1)
            known.pieces |= standing_within(after, starts[first], starts[last])

    def has_seen_lines(self, version: Version, rows: set[int]) -> bool:
        """Whether lines read as they did when they were shown: an undo may see to that, or somebody's older version."""
        lines = version.text.splitlines()
        return all(lines[row] in self._lines.get(version.path, ()) for row in rows)

    def unseen(self, version: Version, *, surely: bool, instead: Version | None = None) -> set[int]:
        """Pieces of others that are in a version and that this party has not seen.

        `surely` leaves out what it may know; `instead` judges one who has seen that version and no other.
        """
        known = (
            Known(instead.newest, whole=instead.digest) if instead is not None else self._of.get(version.path, Known())
        )
        if surely and known.whole is not None:  # what was taken back is as it was seen
            again = self._past.with_digest(version.path, known.whole, up_to=version.seq)
            known = Known(again.newest if again is not None else known.newest, known.pieces)
        numbers = {number for number in version.labels if number} | {number for _, number in version.scars}
        return {number for number in numbers if self._is_news(number, known, surely=surely)}

    def _is_news(self, number: int, known: Known, *, surely: bool) -> bool:
        piece = self._past.pieces[number - 1]
        if piece.party == self.party or number in known.pieces:
            return False
        if known.newest is not None:
            return number > known.newest
        return piece.seq > (self._since[1] if surely else self._since[0])


def line_starts(text: str) -> list[int]:
    """Where each line starts, and the end of the text."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


def rows_of(version: Version, numbers: set[int]) -> set[int]:
    """The rows in which some of these pieces are, or before which one of them took something away."""
    starts = line_starts(version.text)
    rows = set()
    for row in range(len(starts) - 1):
        if not numbers.isdisjoint(version.labels[starts[row] : starts[row + 1]]):
            rows.add(row)
    places = [at for at, number in version.scars if number in numbers]
    return rows | {max(sum(start <= at for start in starts[:-1]) - 1, 0) for at in places}


def standing_within(version: Version, start: int, end: int) -> set[int]:
    """The pieces of which nothing is outside a span."""
    inside = set(version.labels[start:end]) | {number for at, number in version.scars if start <= at <= end}
    outside = set(version.labels[:start]) | set(version.labels[end:])
    return inside - outside - {0}
