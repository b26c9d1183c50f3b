"""What a workspace's party has seen of the files, and how its task ends.

A party that was given a name, as actor or as task, is known in every process that shares the journal; a nameless one
only in this. A task that ends well needs the `.bak` copies no longer that were made for it, so they are removed, by a
transaction like everything else. A copy stays where the task failed, where somebody changed it since, and where it was
made by another.

A draft of one file is the file alone, in a directory of its own with a journal of its own, which is removed at the end:
what is tried on it is checked, refused and recorded as on the file itself, and the file stays as it is.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, replace
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source, digest_of
from steadyhand.text.span import Span, joined
from steadyhand.text.visible import WIDEST
from steadyhand.workspace.history.file_history import TIDYING, backups_in, is_backup, versions_back
from steadyhand.workspace.history.read_ranges import ReadRanges, keep
from steadyhand.workspace.history.unseen_changes import UnseenChange, UnseenChanges
from steadyhand.workspace.journal.record import Party, SeenVersion
from steadyhand.workspace.journal.store import Journal
from steadyhand.workspace.overlay import FileDraft, FileOp, LatestRecords

if TYPE_CHECKING:
    from steadyhand.session.context import Session
    from steadyhand.session.workspace import Workspace
    from steadyhand.workspace.held.store import AnyStore
    from steadyhand.workspace.journal.index import Recalled


W = TypeVar("W", bound="Workspace")

_WINDOW = 3  # lines on each side of a change that an answer shows


@dataclass(frozen=True, slots=True)
class TaskView:
    """One party's view of one workspace. `began` is the row that was last then, in the journal of `generation`."""

    store: AnyStore
    read_ranges: ReadRanges
    party: Party
    is_named: bool
    began: int
    generation: int = 0

    @classmethod
    def begin(cls, store: AnyStore, read_ranges: ReadRanges, party: Party, *, is_named: bool) -> TaskView:
        """From now on; for a task that was met before, from then on."""
        head = store.head()
        view = cls(store, read_ranges, party, is_named, head, store.generation)
        journal = view._journal()
        if journal is not None and party.task is not None:
            try:
                return replace(view, began=journal.meet(party), generation=store.generation)
            except EditError:  # nobody can tell when it began: then everything is unseen
                return replace(view, began=0)
        return view

    @property
    def recalled_for(self) -> Party | None:
        """The party as the journal knows it: what a nameless party saw is not kept there."""
        return self.party if self.is_named else None

    @property
    def since(self) -> int:
        """The row after which everything is unseen; of a journal that took the place of another, all of it is."""
        return self.began if self.generation == self.store.generation else 0

    def saw(
        self,
        path: str,
        digest: str,
        seq: int,
        spans: Sequence[Span] | None,
        content: bytes | None,
    ) -> None:
        """Remember what was shown of a version: all of it, or some of its characters. Never fails."""
        journal = self._journal(make=self.party.task is not None)
        seen_versions = self._noted(path, digest, seq, spans, journal, content)
        if journal is not None and seen_versions:
            keep(journal, self.party, path, seen_versions, content)

    def _noted(
        self,
        path: str,
        digest: str,
        seq: int,
        spans: Sequence[Span] | None,
        journal: Journal | None,
        content: bytes | None = None,
        *,
        by: FileOp | None = None,
    ) -> tuple[SeenVersion, ...]:
        """What is seen of a file now, where the journal does not have it yet; remembered by this process.

        `by` is the change of row `seq` that made the version, where this party made it.
        """
        parts = None if spans is None else tuple((span.start, span.end) for span in spans)
        self.read_ranges.keep_up(self.store.generation)
        is_complete = True
        if not self.read_ranges.of(self.party, path):  # what was seen in another process must not be forgotten for this
            try:
                for earlier in self._seen_versions_in(journal, path, by, seq):
                    self.read_ranges.add(self.party, path, earlier)
            except EditError:
                is_complete = False
        seen_versions = self.read_ranges.add(self.party, path, SeenVersion(digest, seq, parts), content)
        is_kept = is_complete and journal is not None
        return seen_versions if is_kept and self.read_ranges.is_new(self.party, path, seen_versions) else ()

    def completes(self, path: str, digest: str, spans: Sequence[Span], length: int) -> bool:
        """Whether parts of a version are, with those seen of it before, all of its characters. Never fails."""
        try:
            return joined([*_shown_of(self._seen_versions_of(path), digest), *spans]) == [Span(0, length)]
        except EditError:
            return False

    def wrote(self, ops: Sequence[FileOp], seq: int, known: Recalled | None = None) -> None:
        """Remember what a change of this party's shows: everything where it knew everything, else around its lines.

        `known` is what the journal said of the files when the change was planned.
        """
        journal = self._journal()
        paths = [path for op in ops for path in (op.before_path, op.after_path) if path is not None]
        seen: dict[str, tuple[SeenVersion, ...]] = {}
        answers: contextlib.AbstractContextManager[object] = contextlib.nullcontext()
        try:  # the change is made, whatever can be remembered of it
            asked = journal if journal is not None else self.store.journal
            is_known = known is not None and known.party == self.recalled_for and asked.has_recalled(known)
            if known is not None and is_known and all(_is_seen_edit(op, known) for op in ops):
                answers = known
            else:
                answers = asked.recalling(paths, party=self.recalled_for, before_seq=seq)
        except EditError:
            pass
        with answers:
            for op in ops:
                try:
                    seen |= self._wrote(op, seq, journal)
                except EditError:
                    continue
        if journal is not None and seen:
            try:
                journal.see_all(self.party, seen)
            except EditError:
                pass

    def _wrote(self, op: FileOp, seq: int, journal: Journal | None) -> dict[str, tuple[SeenVersion, ...]]:
        """What the journal is to keep of one file: the record brings its versions back."""
        path = op.after_path
        if path is None or op.digest is None:
            return {}
        if op.before is not None and op.before.digest == op.digest:
            seen_versions = self._carried(op.before_path or "", path)
        else:
            seen_versions = self._noted(path, op.digest, seq, self._shown(op, seq, journal), journal, by=op)
        return {path: seen_versions} if seen_versions else {}

    def last(self, path: str) -> str | None:
        """The digest of the version this party last saw, in part or whole."""
        seen_versions = self._seen_versions_of(path)
        return seen_versions[-1].digest if seen_versions else None

    def last_whole(self, path: str) -> bytes | None:
        """The version of a file that this party last saw all of, if it can still be had."""
        whole = [seen_version.digest for seen_version in self._seen_versions_of(path) if seen_version.spans is None]
        return self.version_of(path, whole[-1]) if whole else None

    def last_shown(self, path: str, is_in: Callable[[bytes, Sequence[Span]], bool]) -> str | None:
        """The digest of the version in which this party was last shown something; None: that is not known.

        `is_in` says whether it is among the parts of a version that were shown.
        """
        for seen_version in reversed(self._seen_versions_of(path)):
            if seen_version.spans is None:
                return seen_version.digest
            data = self.version_of(path, seen_version.digest)
            if data is None:
                return None
            if is_in(data, [Span(*span) for span in seen_version.spans]):
                return seen_version.digest
        return None

    def knows(self, path: str, digest: str) -> bool:
        """Whether this party has seen all of a version."""
        return _has_whole(self._seen_versions_of(path), digest)

    def has_read(self, path: str) -> bool:
        """Whether this party has seen all of a file, in any version."""
        return any(seen_version.spans is None for seen_version in self._seen_versions_of(path))

    def unseen(self, draft: FileDraft, *, instead: str | None = None) -> tuple[UnseenChange, ...]:
        """What others did to a file as it is on disk, unseen; `instead`: by one who has seen that version only."""
        if draft.before is None or draft.before_path is None:
            return ()
        path = draft.before_path
        seen_versions = (SeenVersion(instead, 0),) if instead is not None else self._seen_versions_of(path)
        if _has_whole(seen_versions, draft.before.digest):
            return ()
        if not seen_versions and not self.store.has_journal():
            return ()
        party = self.party if instead is None else None
        checkpoint = None if party is None else self.read_ranges.checkpoint(party, path)
        try:
            unseen, resume = self._changes_for(party, path).unseen(
                path, draft.source_on_disk(), draft.before.data, seen_versions, checkpoint
            )
        except UnicodeError:
            return ()
        except EditError as error:
            if error.kind is Kind.JOURNAL_DAMAGED:  # reported by `check`; the file stays editable
                return ()
            raise
        if resume is not None and party is not None:
            self.read_ranges.set_checkpoint(party, path, resume)
        return unseen

    def newest(self, path: str) -> int | None:
        """The row of the newest record of a file; None: there is no record that can be read."""
        return LatestRecords(self.store.journal).row_of(path) if self.store.has_journal() else None

    def changes_since(self, draft: FileDraft, version: Source) -> ChangeSet | None:
        """What leads from an earlier version of a file to the one on disk, as recorded; None: that is not known."""
        if draft.before is None or draft.before_path is None:
            return None
        path = draft.before_path
        seen_version = SeenVersion(digest_of(version.to_bytes()), 0)
        with contextlib.suppress(EditError, UnicodeError):
            changes = self._changes_for(None, path)
            return changes.changes_since(path, draft.source_on_disk(), draft.before.data, seen_version)
        return None

    def _changes_for(self, party: Party | None, path: str) -> UnseenChanges:
        return UnseenChanges(self.store.journal, self.read_ranges, party, path, self.since)

    def shown(self, draft: FileDraft) -> tuple[Span, ...]:
        """The parts of a file's present version that this party was shown as such."""
        digest = None if draft.before is None else draft.before.digest
        return tuple(_shown_of(self._seen_versions_of(draft.before_path or ""), digest))

    def seen(self, draft: FileDraft) -> tuple[Span, ...] | None:
        """The characters of a file, as it is on disk, that this party has been shown; None: all of them."""
        if draft.before is None or draft.before_path is None:
            return None
        path = draft.before_path
        seen_versions = self._seen_versions_of(path)
        try:
            changes = self._changes_for(self.party, path)
            return changes.seen(path, draft.source_on_disk(), draft.before.data, seen_versions)
        except (EditError, UnicodeError):
            return ()

    def version_of(self, path: str, digest: str) -> bytes | None:
        """An earlier version of a file, from the journal, from memory, or from what another process has read."""
        found = self.store.version_of(path, digest)
        return found if found is not None else self.read_ranges.content(self.store.journal, path, digest)

    def has_copied(self, path: str) -> bool:
        """Whether the file at a path is the `.bak` copy that this party made of another, and as it was made."""
        with contextlib.suppress(EditError):
            latest = self.store.journal.latest(path) if self.store.has_journal() else None
            if latest is not None and Party(latest.record.actor, latest.record.task) == self.party:
                return is_backup(latest.record, path)
        return False

    def forget(self) -> None:
        """The party's work is over."""
        self.read_ranges.forget(self.party)
        journal = self._journal()
        if journal is not None:
            with contextlib.suppress(EditError):
                journal.forget(self.party)

    def _seen_versions_of(self, path: str) -> tuple[SeenVersion, ...]:
        """What was seen of a file, under this name or, where nothing was, under the one it had when it was seen."""
        return self._seen_versions_in(self._journal(), path)

    def _seen_versions_in(
        self, journal: Journal | None, path: str, by: FileOp | None = None, seq: int = 0
    ) -> tuple[SeenVersion, ...]:
        """The same; `by` is the change of row `seq` that made the version, where this party made it."""
        self.read_ranges.keep_up(self.store.generation)
        found = self.read_ranges.of(self.party, path, journal)
        if found or not self.store.has_journal():
            return found
        with contextlib.suppress(EditError):
            for earlier in self._earlier_names(path) if by is None else self._names_before(path, by, seq):
                if found := self.read_ranges.of(self.party, earlier, journal):
                    return found
        return ()

    def _names_before(self, path: str, by: FileOp, seq: int) -> Iterator[str]:
        """The same for a file as a change of row `seq` left it, whose record may be long and is not read again."""
        if by.before is None or by.before_path is None:
            yield from self._earlier_names(path)
            return
        if by.before_path != path:
            yield by.before_path
        yield from self._earlier_names(by.before_path, seq)

    def _earlier_names(self, path: str, before_seq: int | None = None) -> Iterator[str]:
        """The names that a file had since this party began, latest first."""
        for version in versions_back(self.store.journal, path, before_seq=before_seq):
            if version.entry.seq <= self.since:
                return
            if version.change.before is not None and version.change.before.path != path:
                path = version.change.before.path
                yield path

    def _journal(self, *, make: bool = False) -> Journal | None:
        """Where it is kept what a named party saw; None where there is no journal yet, or none that can be written.

        `make`: what a task reads is worth a journal, or its next process would not know it.
        """
        if not self.is_named or self.store.read_only or not (make or self.store.has_journal()):
            return None
        try:
            return self.store.writable_journal()
        except EditError:
            return None

    def _carried(self, path: str, to: str) -> tuple[SeenVersion, ...]:
        """A file that only got another name is known as far as it was."""
        for seen_version in self._seen_versions_of(path) if path != to else ():
            self.read_ranges.add(self.party, to, seen_version)
        return self.read_ranges.of(self.party, to)

    def _shown(self, op: FileOp, seq: int, journal: Journal | None) -> list[Span] | None:
        if op.before is None or op.whole or op.changes is None or op.source is None:
            return None
        path, digest = op.before_path or "", op.before.digest
        if _has_whole(self.read_ranges.of(self.party, path), digest):  # what this process knows need not be asked for
            return None
        if _has_whole(self._seen_versions_in(journal, path, op, seq), digest):
            return None
        return [_window(op.source, span) for span in op.changes.after_spans()]


def _is_seen_edit(op: FileOp, known: Recalled) -> bool:
    """Whether a file stays where it was and something of it is known to be seen: no record has to be asked for."""
    path = op.before_path
    return path is not None and path == op.after_path and path in known.paths and bool(known.seen_versions(path))


def _shown_of(seen_versions: Sequence[SeenVersion], digest: str | None) -> list[Span]:
    """The parts of a version that were shown."""
    return [Span(*part) for each in seen_versions if each.digest == digest for part in each.spans or ()]


def _has_whole(seen_versions: Sequence[SeenVersion], digest: str) -> bool:
    return digest in [seen_version.digest for seen_version in seen_versions if seen_version.spans is None]


def _window(source: Source, span: Span) -> Span:
    """The lines that are shown with a change."""
    near, start = source.near(span, _WINDOW + 1)
    return lines_around(near, span.shift(-start)).shift(start)


def lines_around(source: Source, span: Span) -> Span:
    """The lines of a span with up to three on each side; one that is clipped, and what is beyond it, is not shown."""
    text = source.text
    if "\r" in text:  # every ending with an LF at its end, and every character at its place
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    start = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", span.start if span.is_empty else span.end - 1) + 1 or len(text)
    if span.is_empty and span.start == len(text):
        start = end = len(text)
    elif span.is_empty and span.start == start:  # lines went away: there are three on each side of nothing
        end = start
    for _ in range(_WINDOW):
        above = text.rfind("\n", 0, max(start - 1, 0)) + 1
        if not start or start - above > WIDEST:
            break
        start = above
    for _ in range(_WINDOW):
        below = text.find("\n", end) + 1 or len(text)
        if end == len(text) or below - end > WIDEST:
            break
        end = below
    return Span(start, end)


_READ = 1_000  # files that are noted at the end of a task


class Tasks:
    """The end of a session's task."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._store = session.store

    def end(self, how: str) -> None:
        """Note how the task ended, and forget what it has seen."""
        from steadyhand.session.audit import TASK

        context = self._session.context
        with contextlib.suppress(EditError):  # a note is not worth the end of somebody's work
            if not self._store.read_only and self._store.state.exists:
                journal = self._store.writable_journal()
                read = journal.read_paths(context.party)[:_READ]  # for an audit that asks later what became of a file
                body = {"task": context.task, "actor": context.actor, "end": how, **({"read": read} if read else {})}
                journal.append_note(TASK, body)
        self._session.view.forget()
        with contextlib.suppress(EditError):
            if context.hold and not self._store.read_only and self._store.state.exists:
                self._store.note_emptied()

    def remove_backups(self) -> tuple[str, ...]:
        """Remove the copies that are still as they were made; what cannot be removed now stays. Their paths."""
        from steadyhand.plan.request import DeleteFile
        from steadyhand.session.transaction_builder import make_changes

        task, policy = self._session.context.task, self._session.context.policy
        if self._session.context.hold or task is None or self._store.read_only or not self._store.state.exists:
            return ()
        reason = f"the task {task} ended well"
        with contextlib.suppress(EditError):  # neither is a copy that stays
            copies = [DeleteFile(path, digest) for path, digest in self._backups(task)]
            if copies:
                session = self._session.bound(replace(self._session.context, tool=TIDYING))
                receipt = make_changes(session, copies, policy, reason=reason, partial=True)
                return tuple(outcome.path for outcome in receipt.outcomes if outcome.applied and outcome.path)
        return ()

    def _backups(self, task: str) -> Iterator[tuple[str, str]]:
        """The copies that were made for a task and that nobody has touched since: path and digest."""
        journal = self._store.journal
        for entry in journal.entries(task=task):
            for _, made in backups_in(entry.record):
                latest = journal.latest(made.path)
                if latest is not None and latest.record.id == entry.record.id:
                    yield made.path, made.digest


@contextlib.contextmanager
def draft(workspace: W, path: str, task: str) -> Iterator[W]:
    """A workspace that holds a copy of one file under the same name; what is done there is done for `task`."""
    import tempfile

    resolved, image = workspace._store.read(path)
    folder = tempfile.TemporaryDirectory(prefix="steadyhand-draft-", ignore_cleanup_errors=True)
    with folder as root, type(workspace)(root, actor=workspace.actor, policy=workspace.policy, protect="none") as made:
        made.write(resolved, image.data, reason="a copy")
        yield made._bound(task)
