"""Who works on the files, what each has seen of them, and what it has announced. Pure values.

None of this is history: a sight is replaced by the next one, a lease ends. It only says what "since this task last
read the file" means, in every process that shares the journal.
"""

from __future__ import annotations

from steadyhand.lazy import dataclass
from steadyhand.workspace.journal.record import Entry, Note


@dataclass(frozen=True, slots=True)
class Party:
    """One side of a possible conflict: an actor at work on a task, or on none."""

    actor: str
    task: str | None = None

    def __str__(self) -> str:
        return self.actor if self.task is None else f"{self.actor} ({self.task})"


@dataclass(frozen=True, slots=True)
class Sight:
    """A version of a file that was shown to a party: all of it, or the characters of `spans` (half-open).

    `seq` is a row of the journal that was there before the file was read: whatever is newer may be news.
    """

    digest: str
    seq: int
    spans: tuple[tuple[int, int], ...] | None = None

    def __post_init__(self) -> None:
        if self.spans is not None and any(not 0 <= start <= end for start, end in self.spans):
            raise ValueError("a span starts at 0 or later and does not end before it starts")


@dataclass(frozen=True, slots=True)
class Lease:
    """What a party says it is about to work on: a file, or the characters `span` of its version `digest`.

    Others are warned. `seconds` is how long it was asked for; None: until its holder ends it or ends. `seq` is a row of
    the journal that was there before that version was read: what is newer may have moved the span.
    """

    id: str
    party: Party
    path: str
    time: str
    reason: str | None = None
    digest: str | None = None
    span: tuple[int, int] | None = None
    seconds: float | None = None
    seq: int = 0


@dataclass(frozen=True, slots=True)
class Happening:
    """Something the journal gained: a record that was settled, or a note. `seq` is the row that says so."""

    seq: int
    time: str
    what: Entry | Note


@dataclass(frozen=True, slots=True)
class Hold:
    """The right to change some files, as the machines that share a journal know it.

    `number` is larger than that of every earlier hold of one of these files; 0 where one machine's lock files do.
    """

    number: int = 0
