"""Changes that another clone of the repository made to a file, told in the lines that the file has here. Pure.

A change is moved from the version both clones had to the text here, over what was written here since. Lines are told
only where every change on that way is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steadyhand.lazy import dataclass, field
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.region import Region, region_of
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice
from steadyhand.text.visible import sized
from steadyhand.workspace.journal.party import Party
from steadyhand.workspace.journal.record import Entry, FileChange

Way = tuple[ChangeSet, ...] | None
"""The changes from one version to another, oldest first; None where they are not all known."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A change of a file in another clone. `lines` are those of the text here; none: only the file is known.

    `is_met`: it concerns lines that the change made here concerns too.
    """

    path: str
    party: Party
    what: str
    time: str
    record: str
    reason: str | None = None
    lines: tuple[tuple[int, int], ...] = ()
    is_met: bool = False

    def __str__(self) -> str:
        met = ", where this change is," if self.is_met else ""
        reason = f": {self.reason}" if self.reason else ""
        return f"{self.path}: {self.party} {self._did()}{met} in another clone of this repository{reason}"

    def to_json(self) -> dict[str, object]:
        return {
            "path": self.path,
            "actor": self.party.actor,
            "task": self.party.task,
            "what": self.what,
            "time": self.time,
            "record": self.record,
            "reason": self.reason,
            "lines": [list(lines) for lines in self.lines],
            "meets": self.is_met,
        }

    def _did(self) -> str:
        if not self.lines:
            return f"{self.what} this file"
        shown = [f"{first}" if first == last else f"{first}–{last}" for first, last in self.lines[:3]]
        more = " and more" if len(self.lines) > 3 else ""
        word = "line" if len(self.lines) == 1 and self.lines[0][0] == self.lines[0][1] else "lines"
        return f"changed {word} {', '.join(shown)}{more}"


@sized("after")
@dataclass(frozen=True, slots=True)
class Subject:
    """A file here: its version and text before a change made here, that change, and what it led to.

    `before_seq`: only older records tell how the version before came about.
    """

    path: str
    digest: str | None
    text: Source | None = None
    changes: ChangeSet = field(default_factory=ChangeSet)
    after: str | None = None
    before_seq: int | None = None

    @property
    def own_regions(self) -> list[Region]:
        return [] if self.text is None else [region_of(self.text, splice) for splice in self.changes.splices]


def told(since: Sequence[tuple[Entry, FileChange]], way: Way, subject: Subject) -> Iterator[Notice]:
    """One notice for each change that still stands; `since` from the common version on, oldest first."""
    back: Way = ()
    names = {entry.record.id for entry, _ in since}
    for entry, change in since:
        is_taken_back = entry.undone_by is not None or (
            entry.record.verb != "edit" and names.issuperset(entry.record.undoes)
        )
        if not is_taken_back:
            yield notice_of(entry, change, subject, _splices(change, back, way, subject))
        is_told = change.changes is not None or not change.content_changed
        back = (change.changes or ChangeSet(), *back) if back is not None and is_told else None


def _splices(change: FileChange, back: Way, way: Way, subject: Subject) -> list[Splice]:
    """A change of another clone as it would be made in the text here; none where that cannot be told."""
    text, encoding = subject.text, change.encoding
    if change.changes is None or back is None or way is None or text is None or encoding is None:
        return []
    if change.is_create or change.is_delete:
        return []
    if (encoding.name, encoding.mark) != (text.encoding.name, text.encoding.mark):
        return []
    steps = [*(changes.invert() for changes in back), *way]
    found = []
    for splice in change.changes.trim().splices:
        start, end = splice.start, splice.end
        for step in steps:
            start, end = step.map_position(start, assoc=-1), step.map_position(end, assoc=-1)
        found.append(Splice(start, Span(start, max(start, end)).of(text.text), splice.new))
    return found


def notice_of(entry: Entry, change: FileChange, subject: Subject, splices: Sequence[Splice] = ()) -> Notice:
    """What is told of a change; `splices` are its own in the text here, where that can be told."""
    record, text = entry.record, subject.text
    theirs = [] if text is None else [region_of(text, splice) for splice in splices]
    own = subject.own_regions
    is_met = any(mine.meets(region) or region.meets(mine) for mine in own for region in theirs)
    reasons = (edit.reason for edit in change.edits if edit.reason)
    return Notice(
        subject.path,
        Party(record.actor, record.task),
        {"edited": "changed", "mode": "changed the mode of"}.get(change.status, change.status),
        record.time,
        record.id,
        record.reason or next(reasons, None),
        () if text is None else tuple(dict.fromkeys(_lines_after(region, text, subject.changes) for region in theirs)),
        is_met,
    )


def _lines_after(region: Region, text: Source, changes: ChangeSet) -> tuple[int, int]:
    """The lines that some rows have once the change here is made."""
    delta = 0
    for splice in changes.splices:
        if splice.end > text.table.start(region.start):
            break
        delta += splice.new.count("\n") - splice.old.count("\n")
    first, last = region.lines
    return first + delta, last + delta
