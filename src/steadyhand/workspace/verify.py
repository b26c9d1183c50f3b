"""Is the journal sound, and is the tree as the journal left it? Looks, reports, repairs nothing."""

from __future__ import annotations

from steadyhand.errors import EditError
from steadyhand.lazy import dataclass
from steadyhand.workspace.journal.log import Problem
from steadyhand.workspace.journal.record import Entry, State
from steadyhand.workspace.journal.store import Progress
from steadyhand.workspace.store import Store


@dataclass(frozen=True, slots=True)
class Drift:
    """A file that is not as the last record left it: changed, gone, or there again."""

    path: str
    state: str
    record: str
    expected: str | None
    actual: str | None


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check found. `drifted` files were changed by someone else: no damage, but worth knowing."""

    problems: tuple[Problem, ...]
    drifted: tuple[Drift, ...]
    pending: tuple[str, ...]
    files_checked: int
    records_checked: int
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the journal is sound and nothing is pending."""
        return not self.problems and not self.pending


def verify(store: Store, progress: Progress | None = None) -> CheckReport:
    """Verify every row and image, then compare each file the journal knows with the disk."""
    journal = store.journal
    problems = (*journal.verify(progress), *_set_aside(store))
    last: dict[str, tuple[Entry, str | None]] = {}
    records = 0
    for entry in journal.entries(states=(State.COMMITTED, State.PARTIAL)):
        records += 1
        for path, digest in _leaves(entry).items():
            last.setdefault(path, (entry, digest))
    drifted = []
    for done, (path, (entry, digest)) in enumerate(sorted(last.items()), 1):
        if (drift := _compare(store, path, entry, digest)) is not None:
            drifted.append(drift)
        if progress is not None:
            progress(done, len(last))
    pending = tuple(record.id for record, _ in journal.unsettled())
    lost = tuple(str(note.body.get("message")) for note in journal.notes(type="lost"))
    return CheckReport(problems, tuple(drifted), pending, len(last), records, lost)


def _set_aside(store: Store) -> list[Problem]:
    """Damaged journals that still lie in the state folder; once looked into and moved away, all is well again."""
    return [
        Problem(None, "set-aside", f"{name} was damaged and set aside; its records cannot be used")
        for name in store.state.set_aside()
    ]


def _leaves(entry: Entry) -> dict[str, str | None]:
    """What each path of a record should hold afterwards; None: nothing."""
    leaves: dict[str, str | None] = {}
    for change in entry.record.files:
        if change.before is not None:
            leaves.setdefault(change.before.path, None)
    for change in entry.record.files:
        if change.after is not None:
            leaves[change.after.path] = change.after.digest
    return leaves


def _compare(store: Store, path: str, entry: Entry, expected: str | None) -> Drift | None:
    try:
        image = store.look(path).image
    except EditError:  # protected, or gone behind a link: nothing can be said of it
        return None
    actual = image.digest if image is not None else None
    if actual == expected:
        return None
    state = "gone" if actual is None else "there again" if expected is None else "changed"
    return Drift(path, state, entry.record.id, expected, actual)
