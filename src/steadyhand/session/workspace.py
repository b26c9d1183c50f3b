"""The workspace as callers see it: read, edit, undo, ask why. The one room that joins plan and store.

Holds no text and no lock between calls; remembers only what each task has read.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import replace
from steadyhand.session import checks
from steadyhand.session.archive import Archive
from steadyhand.session.audit import Audits
from steadyhand.session.checks import AnyPath
from steadyhand.session.disputes import Disputes
from steadyhand.session.elsewhere import Elsewhere
from steadyhand.session.events import Events
from steadyhand.session.files import Files
from steadyhand.session.journals import Journals
from steadyhand.session.outlines import Outlines
from steadyhand.session.patches import Patches
from steadyhand.session.reads import Reads
from steadyhand.session.tasks import Tasks
from steadyhand.session.undoing import Undoing

if TYPE_CHECKING:
    from pathlib import Path

    from steadyhand.plan.outcome import Outcome
    from steadyhand.plan.policy import Policy
    from steadyhand.plan.preview import Edits
    from steadyhand.plan.request import FileRequest, Requests, WriteFile
    from steadyhand.session.ask import Ask, WriteBytes
    from steadyhand.session.batch import Batch
    from steadyhand.session.conflicts import Conflict
    from steadyhand.session.plans import Plans
    from steadyhand.session.receipt import Receipt
    from steadyhand.workspace.change import Change, Header
    from steadyhand.workspace.journal.store import Progress
    from steadyhand.workspace.leases import Followed
    from steadyhand.workspace.overlay import Overlay
    from steadyhand.workspace.protection import Protect
    from steadyhand.workspace.storage import Storage


class Workspace(
    Archive, Audits, Reads, Tasks, Patches, Disputes, Events, Files, Outlines, Undoing, Elsewhere, Journals
):
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

        from steadyhand.session.ask import MODES
        from steadyhand.workspace.clones import Clones
        from steadyhand.workspace.read_ranges import Sights
        from steadyhand.workspace.store import Store

        self.actor = checks.remark(actor, "actor") or _user()
        self.task_id = checks.remark(task, "task")
        self.mode = None if mode is None else checks.one_of(mode, "mode", MODES)
        self.tool = checks.remark(tool, "tool") or "python"
        self.policy = checks.policy_of(policy)
        checks.one_of(protect, "protect", ("standard", "none"))
        checks.amount(lock_timeout, "lock_timeout")
        checks.amount(0 if max_bytes is None else max_bytes, "max_bytes")
        self._store = Store(
            Path(checks.path_of(root, "root")),
            journal=None if journal is None else checks.path_of(journal, "journal"),
            allow=checks.names(allow, "allow"),
            protect=protect,
            extensions=None if extensions is None else checks.names(extensions, "extensions"),
            read_only=read_only or mode in ("research", "analyze"),
            lock_timeout=lock_timeout,
            max_bytes=max_bytes,
            one_filesystem=one_filesystem,
            storage=storage,
        )
        self._clones = Clones(self._store, checks.remark(repo, "repo"))
        self._sights = Sights()
        self._followed: Followed = {}
        self._is_named = actor is not None or task is not None
        self._view = self._begin()

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
    def warnings(self) -> tuple[str, ...]:
        """What a person should know: what recovery met, a journal that was set aside."""
        return self._store.warnings

    def close(self) -> None:
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

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
        from steadyhand.plan.preview import read_edits
        from steadyhand.plan.request import EditFile

        request = EditFile(checks.path_of(path), read_edits(edits), checks.digest_of_version(expect))
        return self._run([self._ask(request, policy, encoding, reason)], reason, policy, preview=preview)

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
        from steadyhand.plan.request import WriteFile
        from steadyhand.session.ask import Ask, WriteBytes

        request: WriteFile | WriteBytes
        content = checks.content_of(content)
        if isinstance(content, bytes):
            request = WriteBytes(checks.path_of(path), content, checks.digest_of_version(expect), allow_shrink)
        else:
            request = WriteFile(checks.path_of(path), content, checks.digest_of_version(expect), allow_shrink)
        ask = Ask(request, checks.policy_of(self.policy if policy is None else policy), encoding, reason, overwrite)
        return self._run([ask], reason, policy, preview=preview)

    def apply(
        self,
        requests: Requests,
        *,
        reason: str | None = None,
        preview: bool = False,
        progress: Progress | None = None,
    ) -> Receipt:
        """Several requests on several files, all or nothing unless they say `partial`: then whatever fits."""
        requests = checks.requests_of(requests)
        why = reason or requests.reason
        policy = replace(self.policy, partial=True) if requests.partial else self.policy
        asks = [self._ask(request, policy, reason=why) for request in requests.files]
        return self._run(asks, why, partial=requests.partial, preview=preview, progress=progress)

    @contextlib.contextmanager
    def transaction(self, *, reason: str | None = None, preview: bool = False) -> Iterator[Batch]:
        """Several changes that go through together when the block ends, or not at all.

        Each call inside is checked at once and sees the ones before; an exception drops them all. What the
        workspace itself changes inside the block is no part of it.
        """
        from steadyhand.session.batch import Batch

        header = self._header(reason)
        batch = Batch(self.policy, self._store, self.mode, self._view, header, self._tick)
        try:
            yield batch
        finally:
            batch.close()
        if batch.asks:
            batch.receipt = self._run(batch.complete(), reason, preview=preview, plans=batch.plans)

    def _one(self, request: FileRequest, reason: str | None, *, preview: bool) -> Receipt:
        return self._run([self._ask(request, reason=reason)], reason, preview=preview)

    def _run(
        self,
        asks: list[Ask],
        reason: str | None,
        policy: Policy | None = None,
        *,
        partial: bool = False,
        preview: bool = False,
        progress: Progress | None = None,
        plans: Plans | None = None,
    ) -> Receipt:
        from steadyhand.session.conflict_check import ConflictCheck
        from steadyhand.session.plans import Plans
        from steadyhand.session.reports import Reports
        from steadyhand.session.transaction_builder import TransactionBuilder
        from steadyhand.workspace.budget import BUDGET

        outcomes: list[Outcome] = []
        warnings: list[str] = []
        conflicts: list[Conflict] = []
        planned = plans or Plans()
        named = [ask.request.path for ask in asks]

        def lay(overlay: Overlay) -> None:
            layer = TransactionBuilder(overlay, self.mode, ConflictCheck(self._view), self._tick, planned)
            try:
                with self.heeding(), self._store.recalling(named, self._view.recalled_for):
                    layer.lay_all(asks, partial=partial)
                layer.warnings += self._met_leases(overlay, asks)
            finally:
                outcomes[:], warnings[:] = layer.outcomes, layer.warnings
                conflicts[:] = layer.meetings.found

        self._store.take_doubts()  # of earlier questions
        header = self._header(reason)
        chosen = checks.policy_of(self.policy if policy is None else policy)
        with BUDGET.sharing():
            try:
                shown = self._staging(progress)
                change = self._store.change(header, lay, hardlinks=chosen.hardlinks, preview=preview, progress=shown)
                if not change.steps:
                    raise EditError(Kind.NO_CHANGE, "the files would stay as they are", hint="nothing needs to be done")
            except EditError as error:
                # No variable has what is raised: its frame would keep it, and the text of the file with it.
                raise self._refusal(error, None if preview else header, conflicts) from None
        if not preview:
            Reports(self._store).applied(header, outcomes, conflicts)
        receipt = self._receipt(change, tuple(outcomes))
        return replace(receipt, warnings=(*receipt.warnings, *dict.fromkeys(warnings)))

    def _refusal(self, error: EditError, header: Header | None, conflicts: list[Conflict]) -> EditError:
        """A refusal as it is answered; reported unless it is that of a preview."""
        from steadyhand.session.reports import Reports

        named = self._with_names(error)
        return named if header is None else Reports(self._store).refused(header, named, conflicts)

    def _with_names(self, error: EditError) -> EditError:
        """A refusal of a file that is not there, with the names that are like it, or the first that there are."""
        path = error.details.get("path")
        if error.kind is not Kind.NO_SUCH_FILE or not isinstance(path, str):
            return error
        try:
            self._store.read(path)
        except EditError as missing:
            is_told = any(missing.details.get(each) for each in ("similar", "available"))
            if missing.kind is Kind.NO_SUCH_FILE and is_told:
                hints = missing.hints if missing.details["similar"] else (*error.hints, *missing.hints)
                return error.advised(hints).with_details(**missing.details)
        return error

    def _receipt(self, change: Change, outcomes: tuple[Outcome, ...], undoes: tuple[str, ...] = ()) -> Receipt:
        from steadyhand.session.receipt import FileReceipt, Receipt

        files = tuple(FileReceipt.of(step) for step in change.steps)
        committed = change.committed
        warnings = (
            change.warnings + self._store.take_losses() + self._store.take_doubts() + self._told_elsewhere(change)
        )
        if committed is None:
            return Receipt(None, files, outcomes, warnings=warnings, undoes=undoes)
        self._view.wrote(change.steps, committed.seq)
        if self._trace is not None:
            self._trace.records.append(committed.record.id)
        return Receipt(committed.record.id, files, outcomes, committed.durable, warnings, undoes)

    def _ask(
        self,
        request: FileRequest,
        policy: Policy | None = None,
        encoding: str | None = None,
        reason: str | None = None,
    ) -> Ask:
        from steadyhand.session.ask import Ask

        return Ask(request, checks.policy_of(self.policy if policy is None else policy), encoding, reason)


def _user() -> str:
    import getpass

    with contextlib.suppress(KeyError, OSError, ImportError):
        return getpass.getuser()
    return "unknown"
