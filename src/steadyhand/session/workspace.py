"""The workspace as callers see it. Each method checks its arguments and hands the work to one part.

Holds no text and no lock between calls; remembers only what each task has read.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from steadyhand.errors import EditError, Kind
from steadyhand.hints import NameFile
from steadyhand.lazy import replace
from steadyhand.session import checks
from steadyhand.session.checks import AnyPath
from steadyhand.session.context import MODES, CallContext, Session, allowed_verbs, store_of, view_of
from steadyhand.structure.outline import LIMIT

if TYPE_CHECKING:
    from pathlib import Path

    from steadyhand.dialects.patch import Patch
    from steadyhand.plan.edit import Edits
    from steadyhand.plan.policy import Policy
    from steadyhand.plan.request import Requests
    from steadyhand.session.audit import Audits, Facts, Moment
    from steadyhand.session.events import Event
    from steadyhand.session.history import History
    from steadyhand.session.host import FileReader
    from steadyhand.session.kept_conflicts import KeptConflict, KeptConflicts
    from steadyhand.session.leases import ActiveLease, Place
    from steadyhand.session.receipt import Receipt
    from steadyhand.session.review.change import AutoAccept
    from steadyhand.session.review.review import Review
    from steadyhand.session.transaction_builder import Batch, Request
    from steadyhand.structure.node import Where
    from steadyhand.structure.outline import Location, Outline
    from steadyhand.structure.target import Target
    from steadyhand.text.match import Occurrence
    from steadyhand.text.source import Source
    from steadyhand.workspace.files.listing import Listing
    from steadyhand.workspace.files.protection import Protect
    from steadyhand.workspace.files.storage import Storage
    from steadyhand.workspace.held.store import AnyStore
    from steadyhand.workspace.history.file_history import Why
    from steadyhand.workspace.history.other_clones import Clones, Notice
    from steadyhand.workspace.history.outside import CheckReport, Outside
    from steadyhand.workspace.journal.maintenance import GcReport
    from steadyhand.workspace.journal.record import Entry, Lease, Party
    from steadyhand.workspace.journal.store import Progress


class Workspace:
    """A directory whose files are edited safely. Thread-safe; close it, or use it in a `with`.

    Every method that changes something raises `EditError` when nothing was applied, and returns a
    `Receipt` when something was.

    >>> import tempfile, pathlib
    >>> root = pathlib.Path(tempfile.mkdtemp()); _ = (root / "a.md").write_text("one\\ntwo\\n")
    >>> with Workspace(root, actor="docs") as ws:
    ...     receipt = ws.edit("a.md", [{"target": "two", "new": "2"}], reason="digits")
    ...     undone = ws.undo(receipt.id)
    ...     ws.read("a.md").text
    'one\\ntwo\\n'
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        actor: str | None = None,
        task: str | None = None,
        mode: str | None = None,
        hold: bool = False,
        auto_accept: Sequence[AutoAccept] = (),
        journal: str | os.PathLike[str] | None = None,
        policy: Policy | None = None,
        extensions: Sequence[str] | None = None,
        protect: Protect = "standard",
        allow: Sequence[str] = (),
        read_only: bool = False,
        lock_timeout: float = 10.0,
        max_bytes: int | None = None,
        one_filesystem: bool = False,
        repo: str | None = None,
        tool: str = "python",
        storage: Storage | None = None,
    ) -> None:
        from pathlib import Path

        from steadyhand.workspace.history.read_ranges import ReadRanges
        from steadyhand.workspace.store import Store

        context = CallContext(
            checks.remark(actor, "actor") or _user(),
            checks.remark(task, "task"),
            checks.remark(tool, "tool") or "python",
            checks.policy_of(policy),
            None if mode is None else checks.one_of(mode, "mode", MODES),
            is_named=actor is not None or task is not None,
            hold=checks.flag(hold, "hold"),
            auto_accept=tuple(auto_accept),
        )
        checks.one_of(protect, "protect", ("standard", "none"))
        checks.amount(lock_timeout, "lock_timeout")
        checks.amount(0 if max_bytes is None else max_bytes, "max_bytes")
        store = Store(
            Path(checks.path_of(root, "root")),
            journal=None if journal is None else checks.path_of(journal, "journal"),
            allow=checks.names(allow, "allow"),
            protect=protect,
            extensions=None if extensions is None else checks.names(extensions, "extensions"),
            read_only=read_only or not allowed_verbs(context.mode),
            lock_timeout=lock_timeout,
            max_bytes=max_bytes,
            one_filesystem=one_filesystem,
            storage=storage,
        )
        ranges, repo = ReadRanges(), checks.remark(repo, "repo")
        clones: Clones | None = None
        if store.location.url is not None:  # only in a database do clones see each other
            from steadyhand.workspace.history.other_clones import Clones

            clones = Clones(store, repo)
        used = store_of(store, context)
        self._session = Session(used, ranges, context, view_of(used, ranges, context), clones, {})

    @staticmethod
    def find_root(start: str | os.PathLike[str]) -> Path:
        """The nearest directory upwards that holds `.steadyhand` or `.git`; else `start` itself."""
        from pathlib import Path

        from steadyhand.workspace.location import FOLDER

        here = Path(start).resolve()
        for candidate in (here, *here.parents):
            if (candidate / FOLDER).exists() or (candidate / ".git").exists():
                return candidate
        return here

    @property
    def root(self) -> str:
        return self._store.sandbox.root

    @property
    def actor(self) -> str:
        return self._session.context.actor

    @property
    def task_id(self) -> str | None:
        return self._session.context.task

    @property
    def tool(self) -> str:
        return self._session.context.tool

    @property
    def policy(self) -> Policy:
        return self._session.context.policy

    @property
    def mode(self) -> str | None:
        return self._session.context.mode

    @property
    def holds(self) -> bool:
        """Whether changes wait for a reviewer: they are in a layer of the task, and not on the disk."""
        return self._session.context.hold

    @property
    def held(self) -> tuple[str, ...]:
        """The files in which changes of this task, or of this actor without one, wait for a reviewer."""
        return self._session.waiting

    @property
    def party(self) -> Party:
        """Who changes files through this workspace, as conflicts report it."""
        return self._session.context.party

    @property
    def is_read_only(self) -> bool:
        """Whether nothing under the root is changed or recorded."""
        return self._store.read_only

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a person should know: what recovery met, a journal that was set aside."""
        return self._store.warnings

    @property
    def _store(self) -> AnyStore:
        return self._session.store

    @property
    def _reader(self) -> FileReader:
        from steadyhand.session.host import FileReader

        return FileReader(self._session)

    @property
    def _history(self) -> History:
        from steadyhand.session.history import History

        return History(self._store)

    @property
    def _conflicts(self) -> KeptConflicts:
        from steadyhand.session.kept_conflicts import KeptConflicts

        return KeptConflicts(self._session)

    @property
    def audits(self) -> Audits:
        """The audit trail, each file as an article, and statistics."""
        from steadyhand.session.audit import Audits

        return Audits(self._session)

    def close(self) -> None:
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _with(self, session: Session) -> Self:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._session = session
        return other

    def _bound(self, task: str | None) -> Self:
        return self._with(self._session.in_task(task))

    @contextlib.contextmanager
    def task(self, name: str) -> Iterator[Self]:
        """The same workspace in the name of a task; the journal notes whether the block ended well.

        `.bak` copies that were made for the task are removed then, and kept where it did not.
        """
        from steadyhand.session.tasks import Tasks

        bound = self._bound(checks.remark(name, "task") or "")
        tasks = Tasks(bound._session)
        try:
            yield bound
        except BaseException as error:
            tasks.end(f"failed: {type(error).__name__}")
            raise
        tasks.remove_backups()
        tasks.end("ended well")

    def end_task(self, name: str | None = None, *, failed: bool = False) -> tuple[str, ...]:
        """Say that a task is over: this workspace's, or another by its name.

        What it has seen is forgotten, and its end is noted. The `.bak` copies that were made for it are removed, unless
        it `failed`; the paths of those that were.
        """
        from steadyhand.session.tasks import Tasks

        task = checks.remark(name, "task") or self.task_id
        if task is None:
            raise EditError(Kind.BAD_REQUEST, "no task is named", hint="say which task has ended")
        tasks = Tasks(self._session.in_task(task))
        removed = () if failed else tasks.remove_backups()
        tasks.end("failed" if failed else "ended well")
        return removed

    def read(
        self, path: AnyPath, *, encoding: str | None = None, lines: tuple[int, int | None] | None = None
    ) -> Source:
        """A file's text, digest and lines. Remembered, so that this task may overwrite what it has read.

        `lines` are the first and the last line that the caller will look at; only they then count as read.
        """
        return self._reader.read(path, encoding=encoding, lines=lines)

    def outline(
        self,
        path: AnyPath,
        *,
        within: Target | str | None = None,
        depth: int | None = None,
        limit: int | None = LIMIT,
        encoding: str | None = None,
    ) -> Outline:
        """What can be addressed in a file: headings, elements, symbols, keys, each with its address."""
        return self._reader.outline(path, within=within, depth=depth, limit=limit, encoding=encoding)

    def locate(
        self, path: AnyPath, target: Target | str, *, which: Occurrence = "unique", encoding: str | None = None
    ) -> tuple[Location, ...]:
        """Where an address leads: lines and bytes. Refuses as an edit there would."""
        return self._reader.locate(path, target, which=which, encoding=encoding)

    def edit(
        self,
        path: AnyPath,
        edits: Edits,
        *,
        expect: str | None = None,
        reason: str | None = None,
        policy: Policy | None = None,
        encoding: str | None = None,
        preview: bool = False,
    ) -> Receipt:
        """Edit one file, all edits or (policy `partial`) those that can be applied."""
        from steadyhand.plan.edit import read_edits
        from steadyhand.plan.request import EditFile

        version = None if expect is None else checks.digest_of_version(expect)
        request = EditFile(checks.path_of(path), read_edits(edits), version)
        return self._run([request], reason, policy, encoding, preview=preview)

    def preview(self, path: AnyPath, edits: Edits, **options: object) -> Receipt:
        """What `edit` would do, with the same refusals; nothing is written."""
        return self.edit(path, edits, preview=True, **options)  # type: ignore[arg-type]  # same options as edit

    def write(
        self,
        path: AnyPath,
        content: str | bytes,
        *,
        expect: str | None = None,
        reason: str | None = None,
        allow_shrink: bool = False,
        overwrite: bool = False,
        encoding: str | None = None,
        policy: Policy | None = None,
        preview: bool = False,
    ) -> Receipt:
        """Create a file or replace all of it.

        Replacing needs `expect`, or that this task has read the present version; `overwrite` is the
        host's word that neither is needed.
        """
        from steadyhand.session.transaction_builder import write_of

        request = write_of(path, content, expect, allow_shrink=allow_shrink)
        return self._run([request], reason, policy, encoding, overwrite=overwrite, preview=preview)

    def create(
        self,
        path: AnyPath,
        content: str,
        *,
        mode: int | None = None,
        reason: str | None = None,
        preview: bool = False,
    ) -> Receipt:
        """Make a new file; missing parent directories are made with it. Refuses with `exists-already`."""
        from steadyhand.plan.request import CreateFile

        request = CreateFile(checks.path_of(path), checks.text_of(content), checks.permission_bits(mode))
        return self._run([request], reason, preview=preview)

    def delete(
        self, path: AnyPath, *, expect: str | None = None, reason: str | None = None, preview: bool = False
    ) -> Receipt:
        from steadyhand.plan.request import DeleteFile

        return self._run([DeleteFile(checks.path_of(path), checks.digest_of_version(expect))], reason, preview=preview)

    def rename(
        self, path: AnyPath, to: AnyPath, *, expect: str | None = None, reason: str | None = None, preview: bool = False
    ) -> Receipt:
        """Give a file another name. Refuses with `exists-already` where that name is taken."""
        from steadyhand.plan.request import RenameFile

        request = RenameFile(checks.path_of(path), checks.path_of(to, "to"), checks.digest_of_version(expect))
        return self._run([request], reason, preview=preview)

    def chmod(self, path: AnyPath, mode: int, *, reason: str | None = None, preview: bool = False) -> Receipt:
        """Set a file's permission bits."""
        from steadyhand.plan.request import ChangeMode

        return self._run([ChangeMode(checks.path_of(path), checks.mode_of(mode))], reason, preview=preview)

    def move(
        self,
        path: AnyPath,
        target: Target | str,
        *,
        to: Target | str | None = None,
        to_path: AnyPath | None = None,
        where: Where | None = None,
        expect: str | None = None,
        reason: str | None = None,
        preview: bool = False,
    ) -> Receipt:
        """Move a part of a file to another place in it, or to another file, as it is written.

        Targets may be given as addresses. Without `to` it goes to the end of `to_path`, which is created if needed.
        """
        return self._run([checks.move_of(path, target, to, to_path, where, expect)], reason, preview=preview)

    def apply(
        self,
        requests: Requests,
        *,
        reason: str | None = None,
        preview: bool = False,
        progress: Progress | None = None,
    ) -> Receipt:
        """Several requests on several files, all or nothing unless they say `partial`: then those that fit."""
        requests = checks.requests_of(requests)
        policy = replace(self.policy, partial=True) if requests.partial else self.policy
        return self._run(
            requests.files, reason or requests.reason, policy, partial=requests.partial, preview=preview,
            progress=progress,
        )  # fmt: skip

    def patch(
        self,
        reply: str | Patch,
        *,
        path: AnyPath | None = None,
        format: str = "auto",
        strict: bool = False,
        overwrite: bool = False,
        reason: str | None = None,
        policy: Policy | None = None,
        preview: bool = False,
        progress: Progress | None = None,
    ) -> Receipt:
        """Apply what a model wrote, in any dialect, to any number of files: all of it or nothing.

        It may have been read with `read_patch` before. `path` is the file of a reply that names none.
        `overwrite` lets new and moved files replace others, and whole files replace what was never read.
        `strict` refuses anything around the patch.
        """
        from steadyhand.dialects.front import at_reply, read_patch
        from steadyhand.dialects.patch import Patch

        with self._session.context.cancellable():
            found = reply if isinstance(reply, Patch) else read_patch(reply, format=format, strict=strict)
        named = found.mapped(_file_named(path))
        named = named.overwriting(self._exists) if overwrite else named
        rules = checks.policy_of(self.policy if policy is None else policy)
        try:
            receipt = self._run(
                named.files, reason, rules, partial=rules.partial, overwrite=overwrite, preview=preview,
                progress=progress, dialect=found.format,
            )  # fmt: skip
        except EditError as error:
            path_of, index = error.details.get("path"), error.details.get("index")
            place = named.place_of(str(path_of), index if isinstance(index, int) else None)
            raise at_reply(error, place) from None
        return replace(
            receipt, format=found.format, warnings=(*receipt.warnings, *found.remarks), remarks=found.remarks
        )

    def _exists(self, path: str) -> bool:
        try:
            self._store.read(path)
        except EditError as error:
            return error.kind is not Kind.NO_SUCH_FILE
        return True

    @contextlib.contextmanager
    def transaction(self, *, reason: str | None = None, preview: bool = False) -> Iterator[Batch]:
        """Several changes that go through together when the block ends, or not at all.

        Each call inside is checked at once and sees the ones before; an exception drops them all. What the
        workspace itself changes inside the block is no part of it.
        """
        from steadyhand.session.transaction_builder import Batch

        batch = Batch(self._session, checks.remark(reason, "reason"))
        try:
            yield batch
        finally:
            batch.close()
        batch.commit(preview=preview)

    def _run(
        self,
        requests: Sequence[Request],
        reason: str | None,
        policy: Policy | None = None,
        encoding: str | None = None,
        *,
        partial: bool = False,
        overwrite: bool = False,
        preview: bool = False,
        progress: Progress | None = None,
        dialect: str | None = None,
    ) -> Receipt:
        from steadyhand.session.transaction_builder import make_changes

        reason, rules = checks.remark(reason, "reason"), self.policy if policy is None else checks.policy_of(policy)
        self._store.take_damage()  # of earlier questions
        return make_changes(
            self._session, requests, rules, reason=reason, encoding=encoding, partial=partial, overwrite=overwrite,
            dialect=dialect, preview=preview, progress=progress,
        )  # fmt: skip

    def undo(
        self,
        id: str | None = None,
        *,
        last: bool = False,
        task: str | None = None,
        path: AnyPath | None = None,
        reason: str | None = None,
        preview: bool = False,
    ) -> Receipt:
        """Take back a record, the latest one, all of a task's, or the latest that touched a file.

        Later changes stay; where they changed the same text the undo is refused with the lines.
        """
        from steadyhand.session.history import Undoer

        given = [name for name, value in (("id", id), ("last", last), ("task", task), ("path", path)) if value]
        if len(given) != 1:
            said = " and ".join(given) or "nothing"
            raise EditError(
                Kind.BAD_REQUEST, f"undo was given {said}", hint="give exactly one of: a record's id, last, task, path"
            )
        return Undoer(self._session).undo(
            id=checks.record_id(id), task=checks.remark(task, "task"),
            path=None if path is None else checks.path_of(path), reason=checks.remark(reason, "reason"),
            preview=preview,
        )  # fmt: skip

    def redo(self, id: str | None = None, *, reason: str | None = None, preview: bool = False) -> Receipt:
        """Take back an undo: the one named, or the latest that is still in effect."""
        from steadyhand.session.history import Undoer

        reason = checks.remark(reason, "reason")
        return Undoer(self._session).redo(checks.record_id(id), reason=reason, preview=preview)

    def review(
        self,
        *,
        task: str | None = None,
        since: Moment | None = None,
        run: str | None = None,
        path: AnyPath | None = None,
        auto_accept: Sequence[AutoAccept] = (),
    ) -> Review:
        """What a task, an impact run or everybody changed, hunk by hunk, for a person to decide about.

        `path` is a file or a directory. Decisions are made in the name of this workspace's actor.

        >>> import tempfile, pathlib
        >>> root = pathlib.Path(tempfile.mkdtemp()); _ = (root / "a.md").write_text("one\\ntwo\\n")
        >>> with Workspace(root, actor="agent", task="T-1") as ws:
        ...     _ = ws.edit("a.md", [{"target": "two", "new": "2"}], reason="digits")
        ...     review = ws.review(task="T-1")
        ...     [(change.before, change.after, change.reason, change.state) for change in review]
        ...     decision = review.reject([review.changes[0].id], "words, please")
        ...     ws.read("a.md").text
        [('two\\n', '2\\n', 'digits', 'undecided')]
        'one\\ntwo\\n'
        """
        from steadyhand.session.audit import time_of
        from steadyhand.session.review.review import Review
        from steadyhand.session.runs import Runs, task_of_run

        if run is not None:
            task = task_of_run(str(Runs(self._session).run(run)["id"]))
        place = None if path is None else self._store.resolve(checks.path_of(path))
        return Review(
            self._session, task=checks.remark(task, "task"), since=time_of(since), path=place or None,
            auto_accept=auto_accept,
        )  # fmt: skip

    def conflicts(
        self, *, open_only: bool = True, path: AnyPath | None = None, task: str | None = None
    ) -> list[KeptConflict]:
        """Conflicts that were kept, oldest first: the open ones, or all; of one file, or of one refused task."""
        return self._conflicts.conflicts(open_only=open_only, path=path, task=task)

    def conflict(self, id: str) -> KeptConflict:
        """One of them by its id or a unique beginning of it, whatever became of it."""
        return self._conflicts.conflict(id)

    def resolve(
        self,
        id: str,
        how: str,
        *,
        text: str | None = None,
        expect: str | None = None,
        reason: str | None = None,
    ) -> Receipt | None:
        """Decide an open conflict, in the name of this workspace's actor.

        `apply` makes the refused edit after all; `drop` keeps the current text and changes nothing; `edit` puts `text`
        in place of the lines that `standing` gives, of the version `expect` if that is given. A change that is refused
        leaves the conflict open.
        """
        return self._conflicts.resolve(id, how, text=text, expect=expect, reason=reason)

    def files(
        self,
        path: str = ".",
        *,
        depth: int = 32,
        limit: int = 10_000,
        seconds: float = 5.0,
        skip_ignored: bool = False,
        sizes: bool = False,
        below: str = "",
    ) -> Listing:
        """Files beneath a directory, sorted, without our own, VCS metadata and what lies behind links.

        Bounded in depth, number and time; `cut` says where it stopped short. `skip_ignored` leaves out what the
        `.gitignore` files of the tree name. `below` is a directory, from the root: only what is in it is listed.
        """
        from steadyhand.workspace.files.listing import Limits

        names = tuple(name for name in below.split("/") if name)
        return self._reader.files(path, Limits(depth, limit, seconds, skip_ignored, sizes, names))

    def history(self, path: AnyPath | None = None, *, task: str | None = None, limit: int | None = None) -> list[Entry]:
        """Committed records, newest first; a file's are followed through its renames."""
        return self._history.entries(None if path is None else checks.path_of(path), task=task, limit=limit)

    def show(self, id: str) -> Entry:
        """One record by its id or a unique beginning of it."""
        return self._store.journal.find(checks.record_id(id) or "")

    def outside(self, path: AnyPath | None = None, *, limit: int | None = None) -> list[Outside]:
        """Changes that something else made, as `observe` or a later edit noted them, newest first."""
        return self._history.outside(None if path is None else checks.path_of(path), limit=limit)

    def diff_of(self, id: str) -> str:
        """The unified diff of a record, or of a change that `outside` lists."""
        return self._history.diff_named(checks.record_id(id) or "")

    def diff_of_task(self, task: str) -> str:
        """What a task's records come to, as the tree is now: other changes in the same files are left out."""
        from steadyhand.session.history import net_diff

        return net_diff(self._store, task)

    def why(self, path: AnyPath, line: int) -> Why:
        """Which record last wrote a line, and for what reason."""
        return self._history.why(checks.path_of(path), [checks.line_number(line)])[0]

    def why_all(self, path: AnyPath) -> list[Why]:
        """The same for every line."""
        return self._history.why(checks.path_of(path), None)

    def check(self, *, progress: Progress | None = None) -> CheckReport:
        """Whether the journal is sound and the tree is as it left it."""
        from steadyhand.workspace.history.outside import verify

        return verify(self._store, progress)

    def gc(
        self,
        *,
        keep_days: float | None = None,
        keep_bytes: int | None = None,
        preview: bool = False,
        progress: Progress | None = None,
    ) -> GcReport:
        """Drop old images; the records stay. What only an image could bring back can then not be undone."""
        journal = self._store.journal if preview else self._store.writable_journal()
        return journal.gc(keep_days=keep_days, keep_bytes=keep_bytes, dry_run=preview, progress=progress)

    def recover(self) -> tuple[str, ...]:
        """Settle what crashed processes left behind; opening the workspace has done so already."""
        return self._store.recover()

    def doctor(self) -> dict[str, object]:
        """What this machine offers and how the workspace is set up."""
        from steadyhand.workspace.machine import describe

        return describe(self._store)

    def journal(self) -> dict[str, object]:
        """Where the journal is kept, in which store, how much it holds and since when."""
        from steadyhand.workspace.machine import describe_journal

        return describe_journal(self._store)

    def events(
        self,
        *,
        after: int | None = None,
        follow: bool = False,
        types: Sequence[str] | None = None,
        task: str | None = None,
        actor: str | None = None,
        path: AnyPath | None = None,
        poll: float = 0.2,
        stop: Callable[[], bool] | None = None,
    ) -> Iterator[Event]:
        """Edits, conflicts, refusals and the rest, oldest first, of everybody who shares the journal.

        `after` is the `seq` of the last event that is known; 0 begins with the first. Without it, everything there
        is, or with `follow` what happens from this call on. `follow` goes on until the iterator is closed or `stop`
        says so, looking every `poll` seconds. `path` is a file or a directory. A workspace that was opened for
        reading only reads a copy of a journal in a folder, which does not grow: there `follow` is refused.
        """
        from steadyhand.session.events import events

        return events(
            self._store, after=after, follow=follow, types=types, task=task, actor=actor, path=path, poll=poll,
            stop=stop,
        )  # fmt: skip

    @contextlib.contextmanager
    def lease(
        self, path: AnyPath, *, target: Place | None = None, reason: str | None = None, seconds: float | None = None
    ) -> Iterator[Lease]:
        """Announce for the length of the block what this task is about to work on.

        `target` is an address, a target or the first and last line; without it the lease is about the whole file,
        which need not be there yet. It moves with the text as edits land. `seconds` ends it earlier.

        >>> import steadyhand, tempfile, pathlib
        >>> root = pathlib.Path(tempfile.mkdtemp()); _ = (root / "a.md").write_text("one\\ntwo\\n")
        >>> with steadyhand.Workspace(root, actor="ada") as ada, steadyhand.Workspace(root, actor="bob") as bob:
        ...     with ada.lease("a.md", target=(2, 2), reason="to digits"):
        ...         receipt = bob.edit("a.md", [{"target": "two", "new": "2"}])
        >>> receipt.warnings
        ('a.md line 2: ada is at work here: to digits',)
        """
        from steadyhand.session.leases import Leases

        with Leases(self._session).lease(path, target=target, reason=reason, seconds=seconds) as lease:
            yield lease

    def leases(self, path: AnyPath | None = None) -> list[ActiveLease]:
        """The leases that last, oldest first, as they are now: of one file or of all."""
        from steadyhand.session.leases import Leases

        return Leases(self._session).leases(path)

    def elsewhere(self, path: AnyPath) -> list[Notice]:
        """What was done to a file in other clones since the version they and this one had in common.

        At most five, the newest first; none without a journal on a server that the clones share.
        """
        clones = self._session.clones
        return [] if clones is None else clones.of_file(checks.path_of(path))

    def observe(self, path: AnyPath) -> bool:
        """Note that something else changed a file since the journal last knew it; False where nothing did.

        Without it that is noticed when the file is next edited; a host that learns of such changes can say so at once.
        """
        from steadyhand.session.conflicts import Reports

        return Reports(self._store).observe(self._session.context, checks.path_of(path))

    def record_evidence(self, path: AnyPath, evidence: object) -> None:
        """Keep what was looked at for a file, or why it was chosen; `audit` and `export --articles` show it.

        `evidence` is a text, an object of JSON, or a list of these. Refuses with `bad-request` anything else, with
        `too-large` more than 64 KB, and with `no-such-file` a file that is not there.

        >>> import tempfile, pathlib, steadyhand
        >>> root = pathlib.Path(tempfile.mkdtemp()); _ = (root / "a.md").write_text("one\\n")
        >>> with steadyhand.Workspace(root, task="T-1") as ws:
        ...     ws.record_evidence("a.md", {"file": "src/login.ts", "lines": [3, 4]})
        ...     ws.audit("a.md")["status"], ws.audit("a.md")["evidence"]
        ('unchanged', [{'file': 'src/login.ts', 'lines': [3, 4]}])
        """
        self.audits.record_evidence(path, evidence)

    def audit(self, path: AnyPath, *, task: str | None = None) -> Facts:
        """What became of one file, of all that was asked or only by one task.

        The object of `audit_article.py`, where it is also said what each status means; if a run of an agent looked at
        it, also `run`, its `reasoning`, and what it cost. Refuses with `no-such-file` where no file is and nothing was
        ever recorded or asked for.
        """
        return self.audits.audit(path, task=task)


def _file_named(path: AnyPath | None) -> Callable[[str], str]:
    """Gives the file that is meant where a reply names none."""
    given = "" if path is None else checks.path_of(path)

    def name(found: str) -> str:
        if not found and not given:
            raise EditError(Kind.BAD_REQUEST, "the patch does not name its file", hint=NameFile())
        return found or given

    return name


def _user() -> str:
    import getpass

    with contextlib.suppress(KeyError, OSError, ImportError):
        return getpass.getuser()
    return "unknown"
