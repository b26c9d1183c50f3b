"""Changes that something else made to files: as notes in the journal, and as a check of the tree finds them.

A note is appended when a host observes a change, with who made it and how the text differs from the version that the
journal knew before; or at the next commit, which finds the file changed and knows nobody. Notes are no records, so
nothing undoes them. A check verifies the journal and compares every file that it knows with the disk; it repairs
nothing.

1. Each note leads from the version that was known, by a record or by the note before it, to the one that was met.
2. How the text differs is kept only where it is short, and never of a file with secrets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.schema import fields_as_json
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.diff import changes_between
from steadyhand.text.source import digest_of
from steadyhand.text.unified import render_unified
from steadyhand.workspace.files.sandbox import FileImage
from steadyhand.workspace.history.file_history import Version, recorded_text, version_after, versions_back
from steadyhand.workspace.journal.log import Problem
from steadyhand.workspace.journal.record import Entry, Note, State, pair, word
from steadyhand.workspace.journal.store import Journal, Progress

if TYPE_CHECKING:
    from steadyhand.workspace.held.store import AnyStore

NOTE = "outside"
PREFIX = "outside-"  # of ids; a record has none that begins so
_MOST = 1_000  # notes that are looked through for one file
_LONGEST = 64 << 10  # characters of old and new text that are kept
_MOST_LINES = 20


@dataclass(frozen=True, slots=True)
class Outside:
    """A change that something else made to a file, outside the journal. `id` is what `show` and `diff_of` take.

    `actor` and `tool` are who made it, where a host said so; `lines` are those that changed, of the version `after`.
    """

    seq: int
    time: str
    path: str
    before: str | None
    after: str
    lines: tuple[tuple[int, int], ...] = ()
    actor: str | None = None
    task: str | None = None
    tool: str | None = None
    changes: ChangeSet | None = None

    @property
    def id(self) -> str:
        return f"{PREFIX}{self.seq}"

    def to_json(self) -> dict[str, object]:
        """The same as a JSON object, without the texts."""
        return {"id": self.id, **fields_as_json(self, "changes")}


def outside_changes(journal: Journal, path: str | None = None, *, after_seq: int = 0) -> list[Outside]:
    """The changes that were noted, newest first, of one file or of all.

    A commit notes again what a host has observed before: of notes that lead to one version, only the first is given.
    """
    first: dict[tuple[str, str], Outside] = {}
    for number, note in enumerate(journal.notes(type=NOTE)):
        if note.seq <= after_seq or number >= _MOST:
            break
        found = _read(note)
        if found is not None and path in (None, found.path):
            first[found.path, found.after] = found
    return sorted(first.values(), key=lambda each: each.seq, reverse=True)


def note_of(
    journal: Journal, path: str, present: FileImage, stop: Version | None, *, is_secret: bool
) -> dict[str, object] | None:
    """What a host observes of a file as it is now; None where the journal knows that version."""
    known = None if stop is None or stop.change.after is None else stop.change.after.digest
    earlier = outside_changes(journal, path, after_seq=0 if stop is None else stop.entry.seq)
    before = earlier[0].after if earlier else known
    if present.digest in (before, known):
        return None
    note: dict[str, object] = {"path": path, "before": before, "after": present.digest, "lines": []}
    if stop is None or before is None or is_secret or stop.change.redacted:
        return note
    try:
        old = recorded_text(stop.change, _version(journal, stop, before, earlier))
        new = recorded_text(stop.change, present.data)
    except (EditError, UnicodeError):
        return note
    changes = changes_between(old.text, new.text)
    note["lines"] = [list(new.lines_of(span)) for span in changes.after_spans()][:_MOST_LINES]
    if sum(len(splice.old) + len(splice.new) for splice in changes.splices) <= _LONGEST:
        note["changes"] = changes.to_json()
    return note


def changes_known(journal: Journal, stop: Version, digest: str) -> tuple[Sequence[Outside], bool]:
    """The changes that lead from a record to a later version, newest first, and whether they lead all the way."""
    assert stop.change.after is not None
    noted = {each.after: each for each in outside_changes(journal, stop.change.after.path, after_seq=stop.entry.seq)}
    chain: list[Outside] = []
    while digest != stop.change.after.digest:
        found = noted.pop(digest, None)
        if found is None or found.before is None:
            return chain, False
        chain.append(found)
        digest = found.before
    return chain, all(each.changes is not None for each in chain)


def outside_diff(journal: Journal, change: Outside) -> str:
    """What the change did to the file; where the journal does not keep it, a line that says so."""
    try:
        before, after = _texts(journal, change)
    except (EditError, UnicodeError):
        return f"# {change.path}: changed outside the journal; the text is not kept\n"
    return render_unified(before, after, change.path, change.path)


def _texts(journal: Journal, change: Outside) -> tuple[str, str]:
    # A commit appends its note after its own record, which begins where the change ended.
    stops = list(islice(versions_back(journal, change.path, before_seq=change.seq), 2))
    starts = [each for each in stops if each.change.after is not None and each.change.after.digest == change.before]
    stop = next(iter([*starts, *stops]), None)
    if stop is None or stop.change.after is None or stop.change.redacted or change.before is None:
        raise _not_kept(change.path)
    noted = outside_changes(journal, change.path, after_seq=stop.entry.seq)
    before = _version(journal, stop, change.before, [each for each in noted if each.seq < change.seq])
    old = recorded_text(stop.change, before)
    if change.changes is not None:
        return old.text, old.apply(change.changes).text
    after = journal.image(change.after)
    if after is None:
        raise _not_kept(change.path)
    return old.text, recorded_text(stop.change, after).text


def _version(journal: Journal, stop: Version, digest: str, earlier: Sequence[Outside]) -> bytes:
    """A version that a record or a note of a later change knows. Refuses with `cannot-undo` where it cannot be had."""
    kept = journal.image(digest)
    if kept is not None:
        return kept
    found = version_after(journal, stop)
    by_start = {each.before: each for each in earlier if each.changes is not None}
    while digest_of(found) != digest:
        step = by_start.pop(digest_of(found), None)
        if step is None or step.changes is None:
            raise _not_kept(stop.change.path)
        found = recorded_text(stop.change, found).apply(step.changes).to_bytes()
    return found


def _not_kept(path: str) -> EditError:
    return EditError(Kind.CANNOT_UNDO, f"the journal does not keep what {path} was", hint="compare it with a copy")


def _read(note: Note) -> Outside | None:
    body = note.body
    path, after, lines = word(body, "path"), word(body, "after"), body.get("lines")
    if path is None or after is None:
        return None
    return Outside(
        note.seq,
        note.time,
        path,
        word(body, "before"),
        after,
        tuple(found for each in lines if (found := pair(each)) is not None) if isinstance(lines, list) else (),
        word(body, "actor"),
        word(body, "task"),
        word(body, "tool"),
        _changes(body.get("changes")),
    )


def _changes(value: object) -> ChangeSet | None:
    try:
        return ChangeSet.from_json(value) if isinstance(value, Mapping) else None
    except ValueError:
        return None


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


def verify(store: AnyStore, progress: Progress | None = None) -> CheckReport:
    """Verify every row and image, then compare each file the journal knows with the disk."""
    journal = store.journal
    # Once a damaged journal is looked into and moved away, all is well again.
    aside = (
        Problem(None, "set-aside", f"{name} was damaged and set aside; its records cannot be used")
        for name in store.state.set_aside()
    )
    problems = (*journal.verify(progress), *aside)
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


def _compare(store: AnyStore, path: str, entry: Entry, expected: str | None) -> Drift | None:
    try:
        image = store.look(path).image
    except EditError:  # protected, or gone behind a link: nothing can be said of it
        return None
    actual = image.digest if image is not None else None
    if actual == expected:
        return None
    state = "gone" if actual is None else "there again" if expected is None else "changed"
    return Drift(path, state, entry.record.id, expected, actual)
