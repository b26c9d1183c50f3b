"""The requests of one transaction, planned on an overlay: each against the text as the requests before it leave it.

`Batch` is such a transaction under way in Python. The builder writes nothing; it reads files through the overlay, and
what others changed through the conflict check.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from typing import TYPE_CHECKING, assert_never

from steadyhand.errors import EditError, Kind, combine_errors
from steadyhand.hints import ExpectVersion, GiveReason, Overwrite, Reread, Say
from steadyhand.lazy import dataclass, field, replace
from steadyhand.plan.edit import Delete, Edits, read_edits
from steadyhand.plan.planner import Outcome, Plan
from steadyhand.plan.policy import Policy
from steadyhand.plan.refusals import refused
from steadyhand.plan.request import (
    ChangeMode,
    CopyFile,
    CreateFile,
    DeleteFile,
    EditFile,
    FileRequest,
    MergeFile,
    MoveText,
    RenameFile,
    WriteFile,
    alone,
    insertion,
    move_inside,
)
from steadyhand.session.checks import (
    AnyPath,
    content_of,
    digest_of_version,
    mode_of,
    move_of,
    path_of,
    permission_bits,
    remark,
    text_of,
)
from steadyhand.session.conflict_check import ConflictCheck, FileEdits
from steadyhand.session.conflicts import Reports
from steadyhand.session.context import CallContext, Session
from steadyhand.session.editor import Editor, Steps
from steadyhand.session.rebase import redacted
from steadyhand.session.receipt import Receipt
from steadyhand.structure.node import Refusal, Where
from steadyhand.structure.target import Target
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source, digest_of
from steadyhand.text.visible import sized
from steadyhand.workspace.journal.record import EditNote
from steadyhand.workspace.overlay import FileDraft, Overlay

if TYPE_CHECKING:
    from steadyhand.session.kept_conflicts import KeptConflict
    from steadyhand.session.tasks import TaskView
    from steadyhand.workspace.journal.store import Progress


_EMPTY = digest_of(b"")
_MARKS = {"utf-16": codecs.BOM_UTF16_LE, "utf-32": codecs.BOM_UTF32_LE, "utf-8-sig": codecs.BOM_UTF8}


@sized("data")
@dataclass(frozen=True, slots=True)
class WriteBytes:
    """Replace a file's whole content, or create it, with bytes that are not decoded."""

    path: str
    data: bytes
    expect: str | None = None
    allow_shrink: bool = False


Request = FileRequest | WriteBytes


def write_of(path: AnyPath, content: str | bytes, expect: str | None, *, allow_shrink: bool) -> Request:
    """The request of a whole-file write, of text or of bytes."""
    name, content, digest = path_of(path), content_of(content), digest_of_version(expect)
    if isinstance(content, bytes):
        return WriteBytes(name, content, digest, allow_shrink)
    return WriteFile(name, content, digest, allow_shrink)


@dataclass(frozen=True, slots=True)
class Step:
    """One request of a transaction with its rules.

    `overwrite`: the host allows to replace a file that was never read. `left` describes edits of the same file that
    were refused before, for the record.
    """

    request: Request
    policy: Policy
    encoding: str | None = None
    reason: str | None = None
    overwrite: bool = False
    left: tuple[EditNote, ...] = ()


@dataclass(slots=True)
class TransactionBuilder:
    """Plans requests one after another and keeps their outcomes."""

    overlay: Overlay
    context: CallContext
    conflicts: ConflictCheck
    outcomes: list[Outcome] = field(default_factory=list)
    _written: dict[str, list[int]] = field(default_factory=dict, init=False)  # the outcomes of edits, by file
    warnings: list[str] = field(default_factory=list)

    def refuse(self, path: str, error: EditError) -> None:
        """Note that a request of a call that applies what it can was refused."""
        error = error.with_details(path=path)
        self.outcomes.append(Outcome(len(self.outcomes), applied=False, path=path, error=error))

    def check_applied(self) -> None:
        """Raise the first refusal where nothing at all was applied."""
        first = next((outcome.error for outcome in self.outcomes if outcome.error), None)
        if first is not None and not any(outcome.applied for outcome in self.outcomes):
            raise first.with_details() from None

    def add(self, step: Step) -> None:
        """One request. Refuses with whatever kind fits, the overlay unchanged."""
        request = step.request
        if step.policy.require_reason and step.reason is None and not isinstance(request, EditFile):
            raise EditError(
                Kind.REASON_REQUIRED,
                f"the change of {request.path} has no reason",
                hint=GiveReason(),
            )
        match request:
            case EditFile():
                self._edit(step, request)
            case MergeFile():
                self._merge(step, request)
            case MoveText():
                self._move(step, request)
            case WriteFile() | WriteBytes():
                self._write(step, request)
            case CreateFile():
                permission_bits(request.mode)
                self.context.check_mode("create", request.path)
                self._create(step, request.path, request.content, request.mode)
            case CopyFile():
                self.context.check_mode("create", request.to)
                self._copy(request)
                self._done(request.to, step.reason)
            case DeleteFile():
                self.context.check_mode("delete", request.path)
                draft = self.overlay.need(request.path)
                expect_version(draft, request.expect)
                if request.expect is None:
                    self.conflicts.settle_whole(draft, step.policy)
                self.overlay.delete(request.path)
                self._done(request.path, step.reason)
            case RenameFile():
                self.context.check_mode("rename", request.path)
                expect_version(self.overlay.need(request.path), request.expect)
                self.overlay.rename(request.path, request.to)
                self._done(request.to, step.reason)
            case ChangeMode():
                permission_bits(request.mode)
                self.context.check_mode("mode", request.path)
                self._change_mode(step, request)
            case _:
                assert_never(request)

    def _edit(self, step: Step, request: EditFile) -> None:
        path, edits, expect = request.path, request.edits, request.expect
        if self.context.mode is not None:
            self.context.check_mode("edit", path)
        if not edits:
            raise EditError(Kind.BAD_REQUEST, "there are no edits", hint="give at least one", details={"path": path})
        draft = self.overlay.need(path)
        source = draft.source(step.encoding)
        given = FileEdits(draft, source, edits, step.policy, step.reason)
        try:
            if expect is not None:
                expect_version(draft, expect)
            if step.policy.wants_guard("unseen"):
                given = replace(given, seen=self.conflicts.seen(draft))
            planned = given.plan()
            if expect is None:
                planned = self.conflicts.settle(planned, given)
        except EditError as error:
            if error.kind is not Kind.STALE_SOURCE or step.policy.on_stale != "rebase" or expect is None:
                raise
            planned = self.conflicts.rebase(given, expect, error)
        if planned.changes and request.shown is not None:
            request.check_shown(planned.after, is_secret=draft.secret)
        if draft.secret:
            planned = redacted(planned)
        bak = self._bak_name(step, draft) if step.policy.backup == "bak" else None
        self._take(planned, draft, source, path)
        draft.left += step.left
        if bak is not None:
            self._keep_bak(bak, draft)

    def _merge(self, step: Step, request: MergeFile) -> None:
        """Bring a snippet into a file; a snippet without marks is the whole of a file that is not there yet."""
        from steadyhand.match.tiers.elision import is_elision  # few calls have a snippet

        is_there = self.overlay.look(request.path)[1] is not None
        # Bare dots are a body in a new file; what tells of code that exists is none.
        marks = [row for row in split_bodies(request.snippet) if is_elision(row) and any(map(str.isalpha, row))]
        if not is_there and not marks:
            self._write(step, WriteFile(request.path, request.snippet, request.expect))
            return
        self.context.check_mode("edit", request.path)
        draft = self.overlay.need(request.path)
        source = draft.source(step.encoding)
        expect_version(draft, request.expect)
        given = FileEdits(draft, source, (), step.policy, step.reason, request.snippet)
        planned = given.plan()
        if request.expect is None:
            planned = self.conflicts.settle(planned, given)
        bak = self._bak_name(step, draft)
        self._take(redacted(planned) if draft.secret else planned, draft, source, request.path)
        self._keep_bak(bak, draft)

    def _move(self, step: Step, request: MoveText) -> None:
        """Take a part of a file elsewhere: away here, in there, both or neither."""
        from steadyhand.structure.target import resolve_one  # few calls move something

        draft = self.overlay.need(request.path)
        if draft.secret:
            raise EditError(Kind.PROTECTED_PATH, f"{draft.path} holds secrets", hint="write the other file without it")
        there = self.overlay.look(request.to)[1]
        if there is draft:
            self._edit(step, EditFile(request.path, (move_inside(request),), request.expect))
            return
        source = draft.source(step.encoding)
        node = resolve_one(source, request.target)
        text = node if isinstance(node, Refusal) else node.carried(source)
        if isinstance(text, Refusal):
            raise refused(request.path, text)
        self._edit(step, EditFile(request.path, (Delete(request.target),), request.expect))
        if there is None and request.place is None:
            self.context.check_mode("create", request.to)
            self._create(step, request.to, alone(text), None)
        else:
            other = self.overlay.need(request.to).source(step.encoding)
            self._edit(step, EditFile(request.to, (insertion(other, request, text),)))

    def _copy(self, request: CopyFile) -> None:
        draft = self.overlay.need(request.path)
        if draft.secret:
            raise EditError(
                Kind.PROTECTED_PATH, f"{draft.path} holds secrets", hint="create the other file without them"
            )
        mode = draft.mode if draft.mode is not None else (draft.before.mode if draft.before else None)
        self.overlay.create(request.to, mode=mode).take_bytes(draft.data or b"")

    def _take(self, planned: Plan, draft: FileDraft, source: Source, path: str) -> None:
        first = len(self.outcomes)
        if first or draft.path is None:
            self.outcomes += [
                replace(one, index=first + one.index, path=draft.path or path) for one in planned.outcomes
            ]
        else:
            self.outcomes += planned.outcomes  # as they are: the plan was made for this path
        if not planned.changes:
            del self.outcomes[first:]
            errors = [outcome.error for outcome in planned.outcomes if outcome.error is not None]
            if planned.refusal is not None or errors:
                # A copy: the plan holds the error, and the error would hold the frame that has the plan.
                raise combine_errors([planned.refusal] if planned.refusal is not None else errors).with_details()
            raise _no_change(path)
        self._carry(first, draft.path or path, source, planned)
        draft.take_text(planned.after, ChangeSet(planned.changes.splices, source.digest), _notes(planned))
        if len(planned.outcomes) > 1:
            draft.left += _left(planned)
        self.warnings.extend(planned.warnings)

    def _carry(self, first: int, path: str, source: Source, planned: Plan) -> None:
        """The lines of what earlier requests wrote to the file, as the plan leaves them."""
        written = self._written.setdefault(path, [])
        for at in written:
            outcome = self.outcomes[at]
            if outcome.lines is not None:
                lines = source.lines_after(outcome.lines, planned.changes, planned.after)
                self.outcomes[at] = replace(outcome, lines=lines)
        written.extend(range(first, len(self.outcomes)))

    def _write(self, step: Step, request: WriteFile | WriteBytes) -> None:
        from steadyhand.plan.preview import plan_write

        _, draft = self.overlay.look(request.path)
        if draft is None:
            self.context.check_mode("create", request.path)
            if request.expect is not None:
                raise EditError(
                    Kind.STALE_SOURCE,
                    f"{request.path} was expected to have digest {request.expect[:16]}, but is not there",
                    hint="leave the hash out to create the file",
                    details={"path": request.path, "expected": request.expect, "actual": None},
                )
            content = request.content if isinstance(request, WriteFile) else request.data
            self._create(step, request.path, content, None)
            return
        self.context.check_mode("write", request.path)
        expect_version(draft, request.expect)
        if request.expect is None and not step.overwrite:
            check_overwrite(draft, self.conflicts.view)
        bak = self._bak_name(step, draft)
        before = draft.source(step.encoding)
        if isinstance(request, WriteBytes):  # compared byte for character: they need not be text in any encoding
            compared, new = Source.of_bytes(draft.data or b"", encoding="latin-1"), request.data.decode("latin-1")
        else:
            compared, new = before, request.content
        is_guarded = step.policy.wants_guard("unseen") and request.expect is None and not step.overwrite
        planned = plan_write(
            compared, new, path=draft.path, policy=step.policy, allow_shrink=request.allow_shrink,
            seen=self.conflicts.seen(draft) if is_guarded else None,
        )  # fmt: skip
        if not before.is_binary:  # there are no lines to compare a picture by
            self._refuse(redacted(planned) if draft.secret else planned)
        if isinstance(request, WriteBytes) or before.is_binary:
            data = request.data if isinstance(request, WriteBytes) else _encoded(request.content, "utf-8")
            if data == draft.data:
                raise _no_change(request.path)
            draft.take_bytes(data, (EditNote(reason=step.reason),))
        else:
            if not planned.changes:
                raise _no_change(request.path)
            note = EditNote(step.reason, splices=tuple(range(len(planned.changes.splices))))
            draft.take_text(planned.after, replace(planned.changes, base=before.digest), (note,), whole=True)
            self.warnings.extend(planned.warnings)
        self._keep_bak(bak, draft)
        self._done(request.path, step.reason)

    def _create(self, step: Step, path: str, content: str | bytes, mode: int | None) -> None:
        from steadyhand.plan.preview import plan_write

        draft = self.overlay.create(path, mode=mode)
        note = EditNote(reason=step.reason)
        if isinstance(content, bytes):
            draft.take_bytes(content, (note,))
        elif step.encoding is not None:
            draft.take_bytes(_encoded(content, step.encoding), (note,))
        else:
            planned = plan_write(None, content, path=draft.path, policy=step.policy)
            self._refuse(redacted(planned) if draft.secret else planned)
            draft.take_text(planned.after, planned.changes, (note,))
            self.warnings.extend(planned.warnings)
        self._done(path, step.reason)

    def _change_mode(self, step: Step, request: ChangeMode) -> None:
        draft = self.overlay.need(request.path)
        present = draft.mode if draft.mode is not None else (draft.before.mode if draft.before else None)
        if present == request.mode:
            raise _no_change(request.path)
        draft.mode = request.mode
        self._done(request.path, step.reason)

    def _refuse(self, planned: Plan) -> None:
        if planned.error is not None:
            raise planned.error

    def _done(self, path: str, reason: str | None) -> None:
        self.outcomes.append(Outcome(len(self.outcomes), applied=True, path=path, reason=reason))

    def _bak_name(self, step: Step, draft: FileDraft) -> str | None:
        """The name for a copy beside the file, for policies that want one, if the file is no secret."""
        from steadyhand.workspace.history.file_history import BACKUP

        if self.context.hold:  # the file on the disk stays as it is
            return None
        if step.policy.backup != "bak" or draft.before is None or draft.before_path is None or draft.secret:
            return None
        name = draft.before_path + BACKUP
        self.overlay.look(name)  # a name that is not allowed is refused before anything is taken
        return name

    def _keep_bak(self, name: str | None, draft: FileDraft) -> None:
        """Make the copy, unless there is a file of that name; then say so, where it is not of this task's making."""
        if name is None or draft.before is None:
            return
        there = self.overlay.look(name)[1]
        if there is None:
            self.overlay.create(name, mode=draft.before.mode).take_bytes(draft.before.data)
        elif there.before is not None and not self.conflicts.view.has_copied(name):
            warning = f"no backup of {draft.before_path} was made: {name} already exists and is not overwritten"
            self.warnings.append(f"{warning}; the journal has the version before")


def _notes(planned: Plan) -> tuple[EditNote, ...]:
    return tuple(
        [
            EditNote(o.reason, o.tier, o.similarity, o.lines, o.splices, o.differs, o.forced)
            for o in planned.outcomes
            if o.applied
        ]
    )


def _left(planned: Plan) -> tuple[EditNote, ...]:
    """What became of the edits that a call applied in part has not made."""
    ends = [(o, str(o.error.kind) if o.error is not None else o.skipped) for o in planned.outcomes if not o.applied]
    return tuple(
        [EditNote(o.reason, outcome="refused" if o.error is not None else "skipped", kind=kind) for o, kind in ends]
    )


def _encoded(content: str, encoding: str) -> bytes:
    wanted = Source.of_bytes(b"", encoding=encoding).encoding
    wanted.check_new_text(content)
    mark = _MARKS.get(encoding.lower().replace("_", "-"), b"")
    return mark + wanted.encode(content)


def _no_change(path: str) -> EditError:
    return EditError(
        Kind.NO_CHANGE, f"{path} would stay as it is", hint="nothing needs to be done", details={"path": path}
    )


def expect_version(draft: FileDraft, expect: str | None) -> None:
    """The version the caller names must be the one on disk, or the one this transaction has made of it."""
    expect = digest_of_version(expect)
    if expect is None:
        return
    on_disk = draft.before.digest if draft.before is not None else None
    if on_disk is not None and on_disk.startswith(expect):
        return
    actual = digest_of(draft.data or b"")
    if expect == _EMPTY and draft.path is not None and not draft.source(None).text:
        return  # nothing but a byte order mark is left of it
    if not actual.startswith(expect):
        raise EditError(
            Kind.STALE_SOURCE,
            f"{draft.path} now has digest {actual[:16]}, not {expect[:16]}",
            hint=(Reread(draft.path), ExpectVersion(actual)),
            details={"path": draft.path, "expected": expect, "actual": actual},
        )


def check_overwrite(draft: FileDraft, view: TaskView) -> None:
    """Replacing a whole file needs proof that the caller knows it: that its task has read all of it."""
    if draft.before is None:
        return
    path = draft.path or ""
    if view.knows(path, draft.before.digest):
        return
    known = view.last(path)
    states = {None: "was never read by this task", draft.before.digest: "was read by this task only in part"}
    state = states.get(known, "changed since this task read it")
    raise EditError(
        Kind.STALE_SOURCE,
        f"{draft.path} exists and {state}",
        hint=(Say("read it first"), ExpectVersion(draft.before.digest), Overwrite()),
        details={"path": draft.path, "expected": known, "actual": draft.before.digest},
    )


def make_changes(
    session: Session,
    requests: Sequence[Request],
    rules: Policy,
    *,
    reason: str | None = None,
    encoding: str | None = None,
    partial: bool = False,
    overwrite: bool = False,
    override: KeptConflict | None = None,
    dialect: str | None = None,
    preview: bool = False,
    progress: Progress | None = None,
) -> Receipt:
    """Make what requests ask, in one transaction: all of it or, if `partial`, whatever fits."""
    steps = [Step(request, rules, encoding, reason, overwrite) for request in requests]
    change = Steps(session, steps, partial=partial, override=override)
    header = session.context.header(reason, dialect)
    return Editor(session).run(header, change, rules.hardlinks, preview=preview, progress=progress)


# A transaction under way in Python: each call is checked at once, nothing is written until the block ends.


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
        request = write_of(path, content, expect, allow_shrink=allow_shrink)
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
            with self._session.context.cancellable(), self._store.one_call():
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
            with self._store.recalling([step.request.path], self._session.view.recalled_for):
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
