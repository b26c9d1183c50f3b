"""A transaction under way in Python: each call is checked at once, nothing is written until the block ends."""

from __future__ import annotations

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import replace
from steadyhand.plan.edit import Edits, read_edits
from steadyhand.plan.outcome import Outcome
from steadyhand.plan.policy import Policy
from steadyhand.plan.request import ChangeMode, CreateFile, DeleteFile, EditFile, RenameFile, WriteFile
from steadyhand.session.checks import (
    AnyPath,
    digest_of_version,
    mode_of,
    move_of,
    path_of,
    permission_bits,
    remark,
    text_of,
)
from steadyhand.session.conflict_check import ConflictCheck
from steadyhand.session.conflicts import Reports
from steadyhand.session.context import Session
from steadyhand.session.editor import Editor, Steps
from steadyhand.session.receipt import Receipt
from steadyhand.session.transaction_builder import Request, Step, TransactionBuilder, WriteBytes
from steadyhand.structure.node import Where
from steadyhand.structure.target import Target
from steadyhand.text.source import Source
from steadyhand.workspace.journal.record import EditNote


class Batch:
    """The verbs of a workspace inside one transaction. `receipt` is there once the block has ended."""

    def __init__(self, session: Session, reason: str | None) -> None:
        self._session = session
        self._store = session.store
        self._builder = self._new_builder()
        self._steps: list[Step] = []
        self._left: dict[str, tuple[EditNote, ...]] = {}
        self._reason = reason
        self._since = session.store.head()  # before any file was looked at
        self._is_open = True
        self._receipt: Receipt | None = None

    @property
    def receipt(self) -> Receipt:
        if self._receipt is None:
            raise EditError(
                Kind.BAD_REQUEST, "the transaction has not been committed", hint="leave the with block first"
            )
        return self._receipt

    def close(self) -> None:
        """The block has ended: what is asked now would go nowhere, and is refused."""
        self._is_open = False

    def commit(self, *, preview: bool) -> None:
        """Make what was asked, as it is planned; planned again where the files have changed meanwhile."""
        if self._steps:
            steps = Steps(self._session, self._complete(), built=self._builder)
            context = self._session.context
            self._store.take_damage()  # of earlier questions
            header, hardlinks = context.header(self._reason), context.policy.hardlinks
            self._receipt = Editor(self._session).run(header, steps, hardlinks, preview=preview)

    def read(self, path: AnyPath, *, encoding: str | None = None) -> Source:
        """The text as this transaction would leave it. Remembered as the workspace's `read` is, as it is on disk."""
        source, draft = self.source(path, encoding=encoding), self._builder.overlay.need(path_of(path))
        if draft.before is not None and draft.before_path is not None:
            content = None if draft.secret else draft.before.data
            self._session.view.saw(draft.before_path, draft.before.digest, self._since, None, content)
        return source

    def source(self, path: AnyPath, *, encoding: str | None = None) -> Source:
        """The same for a caller that shows nothing of it: nothing is remembered."""
        return self._builder.overlay.need(path_of(path)).source(encoding)

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

    def _complete(self) -> list[Step]:
        """What was asked, the last edit of each file with those of it that were left."""
        steps = list(self._steps)
        for path, left in self._left.items():
            requests = enumerate(step.request for step in steps)
            edits = [at for at, request in requests if isinstance(request, EditFile) and request.path == path]
            if edits:
                steps[edits[-1]] = replace(steps[edits[-1]], left=left)
                self._builder.overlay.need(path).left += left
        return steps

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
        rules, why = policy or self._session.context.policy, remark(reason, "reason") or self._reason
        step = Step(request, rules, encoding, why, overwrite)
        first, met = len(self._builder.outcomes), len(self._builder.conflicts.found)
        try:
            with self._session.context.cancellable():
                self._add(step)
        except EditError as error:
            located = error.with_details(path=request.path)
            header = self._session.context.header(why)
            raise Reports(self._store).refused(header, located, self._builder.conflicts.found[met:]) from None
        self._steps.append(step)
        return tuple(replace(outcome, index=i) for i, outcome in enumerate(self._builder.outcomes[first:]))

    def _add(self, step: Step) -> None:
        """Plan one request; a conflict is certain only under the locks, so there all of them are planned once more."""
        try:
            self._builder.add(step)
            return
        except EditError as error:
            if error.kind is not Kind.CONFLICT or self._store.read_only or not self._store.state.exists:
                raise
        builder = self._new_builder()
        with self._store.locked(self._builder.overlay):
            try:
                for each in (*self._steps, step):
                    builder.add(each)
            finally:
                self._builder.conflicts.found[:] = builder.conflicts.found
        self._builder = builder

    def _new_builder(self) -> TransactionBuilder:
        session = self._session
        return TransactionBuilder(session.store.overlay(), session.context, ConflictCheck(session.view))
