"""A transaction under way in Python: each call is checked at once, nothing is written until the block ends."""

from __future__ import annotations

from collections.abc import Callable

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import replace
from steadyhand.plan.outcome import Outcome
from steadyhand.plan.policy import Policy
from steadyhand.plan.preview import Edits, read_edits
from steadyhand.plan.request import ChangeMode, CreateFile, DeleteFile, EditFile, RenameFile, WriteFile
from steadyhand.session.ask import Ask, Request, WriteBytes
from steadyhand.session.checks import AnyPath, digest_of_version, mode_of, path_of, permission_bits, remark, text_of
from steadyhand.session.conflict_check import ConflictCheck
from steadyhand.session.files import move_of
from steadyhand.session.plans import Plans
from steadyhand.session.receipt import Receipt
from steadyhand.session.reports import Reports
from steadyhand.session.task_view import TaskView
from steadyhand.session.transaction_builder import TransactionBuilder
from steadyhand.structure.node import Where
from steadyhand.structure.target import Target
from steadyhand.text.pace import heed
from steadyhand.text.source import Source
from steadyhand.workspace.change import Header
from steadyhand.workspace.journal.record import EditNote
from steadyhand.workspace.overlay import Overlay
from steadyhand.workspace.store import Store


class Batch:
    """The verbs of a workspace inside one transaction. `receipt` is there once the block has ended."""

    def __init__(
        self,
        policy: Policy,
        store: Store,
        mode: str | None,
        view: TaskView,
        header: Header,
        tick: Callable[[], None] | None = None,
    ) -> None:
        self._policy = policy
        self._layer = TransactionBuilder(Overlay(store.look, store.encoding_of), mode, ConflictCheck(view), tick)
        self._reports = Reports(store)
        self._store = store
        self.asks: list[Ask] = []
        self._left: dict[str, tuple[EditNote, ...]] = {}
        self._header = header
        self._since = store.head()  # before any file was looked at
        self._is_open = True
        self._receipt: Receipt | None = None

    @property
    def receipt(self) -> Receipt:
        if self._receipt is None:
            raise EditError(
                Kind.BAD_REQUEST, "the transaction has not been committed", hint="leave the with block first"
            )
        return self._receipt

    @receipt.setter
    def receipt(self, receipt: Receipt) -> None:
        self._receipt = receipt

    @property
    def plans(self) -> Plans:
        """What was planned in the block; a text that is still the same when it ends needs no other plan."""
        return self._layer.plans

    def close(self) -> None:
        """The block has ended: what is asked now would go nowhere, and is refused."""
        self._is_open = False

    def read(self, path: AnyPath, *, encoding: str | None = None) -> Source:
        """The text as this transaction would leave it. Remembered as the workspace's `read` is, as it is on disk."""
        source, draft = self.source(path, encoding=encoding), self._layer.overlay.need(path_of(path))
        if draft.before is not None and draft.before_path is not None:
            content = None if draft.secret else draft.before.data
            self._layer.meetings.view.saw(draft.before_path, draft.before.digest, self._since, None, content)
        return source

    def source(self, path: AnyPath, *, encoding: str | None = None) -> Source:
        """The same for a caller that shows nothing of it: nothing is remembered."""
        return self._layer.overlay.need(path_of(path)).source(encoding)

    def edit(
        self,
        path: AnyPath,
        edits: Edits,
        *,
        expect: str | None = None,
        policy: Policy | None = None,
        encoding: str | None = None,
        reason: str | None = None,
    ) -> tuple[Outcome, ...]:
        return self._take(
            EditFile(path_of(path), read_edits(edits), digest_of_version(expect)), policy, encoding, reason
        )

    def leave(self, path: AnyPath, error: EditError, reason: str | None = None) -> None:
        """Tell the record that an edit of a file was refused and the others of the block are made all the same."""
        note = EditNote(remark(reason, "reason"), outcome="refused", kind=str(error.kind))
        self._left[path_of(path)] = (*self._left.get(path_of(path), ()), note)

    def complete(self) -> list[Ask]:
        """What was asked, the last edit of each file with those of it that were left."""
        asks = list(self.asks)
        for path, left in self._left.items():
            requests = enumerate(ask.request for ask in asks)
            edits = [at for at, request in requests if isinstance(request, EditFile) and request.path == path]
            if edits:
                asks[edits[-1]] = replace(asks[edits[-1]], left=left)
        return asks

    def write(
        self,
        path: AnyPath,
        content: str | bytes,
        *,
        expect: str | None = None,
        allow_shrink: bool = False,
        overwrite: bool = False,
        encoding: str | None = None,
        reason: str | None = None,
    ) -> tuple[Outcome, ...]:
        request: Request = (
            WriteBytes(path_of(path), content, digest_of_version(expect), allow_shrink)
            if isinstance(content, bytes)
            else WriteFile(path_of(path), text_of(content), digest_of_version(expect), allow_shrink)
        )
        return self._take(request, None, encoding, reason, overwrite=overwrite)

    def create(
        self, path: AnyPath, content: str, *, mode: int | None = None, reason: str | None = None
    ) -> tuple[Outcome, ...]:
        return self._take(CreateFile(path_of(path), text_of(content), permission_bits(mode)), reason=reason)

    def delete(self, path: AnyPath, *, expect: str | None = None, reason: str | None = None) -> tuple[Outcome, ...]:
        return self._take(DeleteFile(path_of(path), digest_of_version(expect)), reason=reason)

    def rename(
        self,
        path: AnyPath,
        to: AnyPath,
        *,
        expect: str | None = None,
        reason: str | None = None,
    ) -> tuple[Outcome, ...]:
        return self._take(RenameFile(path_of(path), path_of(to, "to"), digest_of_version(expect)), reason=reason)

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
    ) -> tuple[Outcome, ...]:
        """As the workspace's `move`."""
        return self._take(move_of(path, target, to, to_path, where, expect), reason=reason)

    def chmod(self, path: AnyPath, mode: int, *, reason: str | None = None) -> tuple[Outcome, ...]:
        return self._take(ChangeMode(path_of(path), mode_of(mode)), reason=reason)

    def _take(
        self,
        request: Request,
        policy: Policy | None = None,
        encoding: str | None = None,
        reason: str | None = None,
        *,
        overwrite: bool = False,
    ) -> tuple[Outcome, ...]:
        if not self._is_open:
            raise EditError(Kind.BAD_REQUEST, "the transaction has ended", hint="start another one")
        ask = Ask(request, policy or self._policy, encoding, remark(reason, "reason") or self._header.reason, overwrite)
        first, met = len(self._layer.outcomes), len(self._layer.meetings.found)
        try:
            with heed(self._layer.tick):
                self._lay(ask)
        except EditError as error:
            located = error.with_details(path=request.path)
            header = replace(self._header, reason=ask.reason)
            raise self._reports.refused(header, located, self._layer.meetings.found[met:]) from None
        self.asks.append(ask)
        return tuple(replace(outcome, index=i) for i, outcome in enumerate(self._layer.outcomes[first:]))

    def _lay(self, ask: Ask) -> None:
        """Lay one request; where it is refused for others' work, all of them once more while nobody else is at work."""
        try:
            self._layer.lay(ask)
            return
        except EditError as error:
            if error.kind is not Kind.CONFLICT or self._store.read_only or not self._store.state.exists:
                raise
        overlay, old = Overlay(self._store.look, self._store.encoding_of), self._layer
        layer = TransactionBuilder(overlay, old.mode, old.meetings.anew(), old.tick, old.plans)
        with self._store.alone(self._layer.overlay):
            try:
                for each in (*self.asks, ask):
                    layer.lay(each)
            finally:
                self._layer.meetings.found[:] = layer.meetings.found
        self._layer = layer
