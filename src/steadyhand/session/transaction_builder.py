"""Requests laid on an overlay: each is planned against the text as the requests before it leave it.

Touches no disk and no journal; what it needs to know of the session (mode, what was read) comes in as data.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, assert_never

from steadyhand.errors import EditError, Kind
from steadyhand.hints import GiveReason
from steadyhand.lazy import dataclass, field, replace
from steadyhand.plan.edit import Delete, Edit
from steadyhand.plan.outcome import Outcome, Plan
from steadyhand.plan.planner import plan
from steadyhand.plan.proposing import refused
from steadyhand.plan.request import (
    ChangeMode,
    CopyFile,
    CreateFile,
    DeleteFile,
    EditFile,
    MergeFile,
    MoveText,
    RenameFile,
    WriteFile,
)
from steadyhand.session.ask import Ask, Verb, WriteBytes, check_mode
from steadyhand.session.checks import permission_bits
from steadyhand.session.conflict_check import ConflictCheck
from steadyhand.session.plans import Plans, Terms
from steadyhand.structure.node import Refusal
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source
from steadyhand.workspace.draft import Draft
from steadyhand.workspace.journal.record import EditNote
from steadyhand.workspace.overlay import Overlay

if TYPE_CHECKING:
    from steadyhand.session.rebased import PlanFor


_MARKS = {"utf-16": codecs.BOM_UTF16_LE, "utf-32": codecs.BOM_UTF32_LE, "utf-8-sig": codecs.BOM_UTF8}


@dataclass(slots=True)
class TransactionBuilder:
    """Lays requests one after another and keeps their outcomes."""

    overlay: Overlay
    mode: str | None
    meetings: ConflictCheck
    tick: Callable[[], None] | None = None
    plans: Plans = field(default_factory=Plans)
    outcomes: list[Outcome] = field(default_factory=list)
    _written: dict[str, list[int]] = field(default_factory=dict, init=False)  # the outcomes of edits, by file
    warnings: list[str] = field(default_factory=list)

    def lay_all(self, asks: list[Ask], *, partial: bool) -> None:
        """All of them, or, when `partial`, those that can be; then each refusal is an outcome.

        Also after a refusal what concerns other files is judged, so that one answer names everything to be changed.
        """
        from steadyhand.session.rebased import together

        refused: list[EditError] = []
        touched: set[str] = set()
        for ask in asks:
            paths = {ask.request.path, getattr(ask.request, "to", ask.request.path)}
            if paths & touched:
                continue
            if self.tick is not None:
                self.tick()
            try:
                self.lay(ask)
            except EditError as error:
                if not partial:
                    refused.append(error.with_details(path=ask.request.path))
                    touched |= paths
                else:
                    located = error.with_details(path=ask.request.path)
                    self.outcomes.append(
                        Outcome(len(self.outcomes), applied=False, path=ask.request.path, error=located)
                    )
        if refused:
            try:
                raise together(refused) from None
            finally:
                refused.clear()  # an error that its own frame holds keeps the text until garbage is collected
        if self.outcomes and all(not outcome.applied for outcome in self.outcomes):
            first = next((outcome.error for outcome in self.outcomes if outcome.error), None)
            if first is not None:
                raise first.with_details() from None

    def lay(self, ask: Ask) -> None:
        """One request. Refuses with whatever kind fits, the overlay unchanged."""
        from steadyhand.session.versions import expect_version

        request = ask.request
        if ask.policy.require_reason and ask.reason is None and not isinstance(request, EditFile):
            raise EditError(
                Kind.REASON_REQUIRED,
                f"the change of {request.path} gives no reason",
                hint=GiveReason(),
            )
        match request:
            case EditFile():
                self._edit(ask, request)
            case MergeFile():
                self._merge(ask, request)
            case MoveText():
                self._move(ask, request)
            case WriteFile() | WriteBytes():
                self._write(ask, request)
            case CreateFile():
                permission_bits(request.mode)
                self._allow("create", request.path)
                self._create(ask, request.path, request.content, request.mode)
            case CopyFile():
                self._allow("create", request.to)
                self._copy(request)
                self._done(request.to, ask.reason)
            case DeleteFile():
                self._allow("delete", request.path)
                draft = self.overlay.need(request.path)
                expect_version(draft, request.expect)
                if request.expect is None:
                    self.meetings.settle_whole(draft, ask.policy)
                self.overlay.delete(request.path)
                self._done(request.path, ask.reason)
            case RenameFile():
                self._allow("rename", request.path)
                expect_version(self.overlay.need(request.path), request.expect)
                self.overlay.rename(request.path, request.to)
                self._done(request.to, ask.reason)
            case ChangeMode():
                permission_bits(request.mode)
                self._allow("mode", request.path)
                self._change_mode(ask, request)
            case _:
                assert_never(request)

    def _edit(self, ask: Ask, request: EditFile) -> None:
        from steadyhand.session.rebased import redacted
        from steadyhand.session.versions import expect_version

        path, edits, expect = request.path, request.edits, request.expect
        self._allow("edit", path)
        if not edits:
            raise EditError(Kind.BAD_REQUEST, "there are no edits", hint="give at least one", details={"path": path})
        draft = self.overlay.need(path)
        source = draft.source(ask.encoding)

        def plan_for(version: Source) -> Plan:
            return plan(version, edits, ask.policy, path=draft.path, reason=ask.reason, tick=self.tick)

        try:
            expect_version(draft, expect)
            planned = self._planned(ask, draft, source, edits)
            if expect is None:
                planned = self._settled(ask, draft, source, planned, edits, plan_for)
        except EditError as error:
            if error.kind is not Kind.STALE_SOURCE or ask.policy.on_stale != "rebase" or expect is None:
                raise
            planned = self.meetings.rebase(draft, source, expect, edits, error, ask.policy, plan_for)
        if planned.changes:
            request.check_shown(planned.after, is_secret=draft.secret)
        if draft.secret:
            planned = redacted(planned)
        bak = self._bak_name(ask, draft)
        self._take(planned, draft, source, path)
        draft.left += ask.left
        self._keep_bak(bak, draft)

    def _merge(self, ask: Ask, request: MergeFile) -> None:
        """Bring a snippet into a file; a snippet without marks is the whole of a file that is not there yet."""
        from steadyhand.match.elision import is_elision  # few calls have a snippet
        from steadyhand.plan.snippet import plan_merge
        from steadyhand.session.rebased import redacted
        from steadyhand.session.versions import expect_version

        is_there = self.overlay.look(request.path)[1] is not None
        # Bare dots are a body in a new file; what tells of code that exists is none.
        marks = [row for row in split_bodies(request.snippet) if is_elision(row) and any(map(str.isalpha, row))]
        if not is_there and not marks:
            self._write(ask, WriteFile(request.path, request.snippet, request.expect))
            return
        self._allow("edit", request.path)
        draft = self.overlay.need(request.path)
        source = draft.source(ask.encoding)
        expect_version(draft, request.expect)

        def plan_for(version: Source) -> Plan:
            return plan_merge(version, request.snippet, ask.policy, path=draft.path, reason=ask.reason)

        planned = plan_for(source)
        if request.expect is None:
            planned = self._settled(ask, draft, source, planned, (), plan_for)
        bak = self._bak_name(ask, draft)
        self._take(redacted(planned) if draft.secret else planned, draft, source, request.path)
        self._keep_bak(bak, draft)

    def _move(self, ask: Ask, request: MoveText) -> None:
        """Take a part of a file elsewhere: away here, in there, both or neither."""
        from steadyhand.plan.moving import alone, insertion, move_inside
        from steadyhand.structure.address import resolve_one  # few calls move something

        draft = self.overlay.need(request.path)
        if draft.secret:
            raise EditError(Kind.PROTECTED_PATH, f"{draft.path} holds secrets", hint="write the other file without it")
        there = self.overlay.look(request.to)[1]
        if there is draft:
            self._edit(ask, EditFile(request.path, (move_inside(request),), request.expect))
            return
        source = draft.source(ask.encoding)
        node = resolve_one(source, request.target)
        text = node if isinstance(node, Refusal) else node.carried(source)
        if isinstance(text, Refusal):
            raise refused(request.path, text)
        self._edit(ask, EditFile(request.path, (Delete(request.target),), request.expect))
        if there is None and request.place is None:
            self._allow("create", request.to)
            self._create(ask, request.to, alone(text), None)
        else:
            other = self.overlay.need(request.to).source(ask.encoding)
            self._edit(ask, EditFile(request.to, (insertion(other, request, text),)))

    def _copy(self, request: CopyFile) -> None:
        draft = self.overlay.need(request.path)
        if draft.secret:
            raise EditError(
                Kind.PROTECTED_PATH, f"{draft.path} holds secrets", hint="create the other file without them"
            )
        mode = draft.mode if draft.mode is not None else (draft.before.mode if draft.before else None)
        self.overlay.create(request.to, mode=mode).take_bytes(draft.data or b"")

    def _settled(
        self, ask: Ask, draft: Draft, source: Source, planned: Plan, edits: Sequence[Edit], plan_for: PlanFor
    ) -> Plan:
        """The plan as the policy has it where it meets the work of others; that is asked again under the locks."""
        replan = (lambda left: self._planned(ask, draft, source, left)) if edits else None
        try:
            return self.meetings.settle(planned, edits, draft, source, ask.policy, replan, plan_for)
        finally:
            self.overlay.is_unsure |= self.meetings.has_met

    def _planned(self, ask: Ask, draft: Draft, source: Source, edits: Sequence[Edit]) -> Plan:
        seen = self.meetings.seen(draft) if ask.policy.wants_guard("unseen") else None
        return self.plans.of(source, edits, Terms(ask.policy, draft.path, ask.reason, seen), self.tick)

    def _take(self, planned: Plan, draft: Draft, source: Source, path: str) -> None:
        from steadyhand.session.rebased import together

        first = len(self.outcomes)
        self.outcomes.extend(
            replace(outcome, index=first + outcome.index, path=draft.path or path) for outcome in planned.outcomes
        )
        if not planned.changes:
            del self.outcomes[first:]
            errors = [outcome.error for outcome in planned.outcomes if outcome.error is not None]
            if planned.refusal is not None or errors:
                # A copy: the plan holds the error, and the error would hold the frame that has the plan.
                raise together([planned.refusal] if planned.refusal is not None else errors).with_details()
            raise _no_change(path)
        self._carry(first, draft.path or path, source, planned)
        changes = replace(planned.changes, base=source.digest)
        draft.take_text(planned.after, changes, _notes(planned))
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

    def _write(self, ask: Ask, request: WriteFile | WriteBytes) -> None:
        from steadyhand.plan.preview import plan_write
        from steadyhand.session.rebased import redacted
        from steadyhand.session.versions import check_overwrite, expect_version

        _, draft = self.overlay.look(request.path)
        if draft is None:
            self._allow("create", request.path)
            if request.expect is not None:
                raise EditError(
                    Kind.STALE_SOURCE,
                    f"{request.path} was expected to have digest {request.expect[:16]}, but is not there",
                    hint="leave the hash out to create the file",
                    details={"path": request.path, "expected": request.expect, "actual": None},
                )
            content = request.content if isinstance(request, WriteFile) else request.data
            self._create(ask, request.path, content, None)
            return
        self._allow("write", request.path)
        expect_version(draft, request.expect)
        if request.expect is None and not ask.overwrite:
            check_overwrite(draft, self.meetings.view)
        bak = self._bak_name(ask, draft)
        before = draft.source(ask.encoding)
        if isinstance(request, WriteBytes):  # compared byte for character: they need not be text in any encoding
            compared, new = Source.of_bytes(draft.data or b"", encoding="latin-1"), request.data.decode("latin-1")
        else:
            compared, new = before, request.content
        is_guarded = ask.policy.wants_guard("unseen") and request.expect is None and not ask.overwrite
        planned = plan_write(
            compared, new, path=draft.path, policy=ask.policy, allow_shrink=request.allow_shrink,
            seen=self.meetings.seen(draft) if is_guarded else None,
        )  # fmt: skip
        if not before.is_binary:  # there are no lines to compare a picture by
            self._refuse(redacted(planned) if draft.secret else planned)
        if isinstance(request, WriteBytes) or before.is_binary:
            data = request.data if isinstance(request, WriteBytes) else _encoded(request.content, "utf-8")
            if data == draft.data:
                raise _no_change(request.path)
            draft.take_bytes(data, (EditNote(reason=ask.reason),))
        else:
            if not planned.changes:
                raise _no_change(request.path)
            note = EditNote(ask.reason, splices=tuple(range(len(planned.changes.splices))))
            draft.take_text(planned.after, replace(planned.changes, base=before.digest), (note,), whole=True)
            self.warnings.extend(planned.warnings)
        self._keep_bak(bak, draft)
        self._done(request.path, ask.reason)

    def _create(self, ask: Ask, path: str, content: str | bytes, mode: int | None) -> None:
        from steadyhand.plan.preview import plan_write
        from steadyhand.session.rebased import redacted

        draft = self.overlay.create(path, mode=mode)
        note = EditNote(reason=ask.reason)
        if isinstance(content, bytes):
            draft.take_bytes(content, (note,))
        elif ask.encoding is not None:
            draft.take_bytes(_encoded(content, ask.encoding), (note,))
        else:
            planned = plan_write(None, content, path=draft.path, policy=ask.policy)
            self._refuse(redacted(planned) if draft.secret else planned)
            draft.take_text(planned.after, planned.changes, (note,))
            self.warnings.extend(planned.warnings)
        self._done(path, ask.reason)

    def _change_mode(self, ask: Ask, request: ChangeMode) -> None:
        draft = self.overlay.need(request.path)
        present = draft.mode if draft.mode is not None else (draft.before.mode if draft.before else None)
        if present == request.mode:
            raise _no_change(request.path)
        draft.mode = request.mode
        self._done(request.path, ask.reason)

    def _refuse(self, planned: Plan) -> None:
        if planned.error is not None:
            raise planned.error

    def _done(self, path: str, reason: str | None) -> None:
        self.outcomes.append(Outcome(len(self.outcomes), applied=True, path=path, reason=reason))

    def _allow(self, verb: Verb, path: str) -> None:
        check_mode(self.mode, verb, path)

    def _bak_name(self, ask: Ask, draft: Draft) -> str | None:
        """The name for a copy beside the file, for policies that want one, if the file is no secret."""
        from steadyhand.workspace.backups import BACKUP

        if ask.policy.backup != "bak" or draft.before is None or draft.before_path is None or draft.secret:
            return None
        name = draft.before_path + BACKUP
        self.overlay.look(name)  # a name that is not allowed is refused before anything is taken
        return name

    def _keep_bak(self, name: str | None, draft: Draft) -> None:
        """Make the copy, unless there is a file of that name; then say so, where it is not of this task's making."""
        if name is None or draft.before is None:
            return
        there = self.overlay.look(name)[1]
        if there is None:
            self.overlay.create(name, mode=draft.before.mode).take_bytes(draft.before.data)
        elif there.before is not None and not self.meetings.view.has_copied(name):
            warning = f"no backup of {draft.before_path} was made: {name} is there already and is not overwritten"
            self.warnings.append(f"{warning}; the journal has the version before")


def _notes(planned: Plan) -> tuple[EditNote, ...]:
    return tuple(
        EditNote(o.reason, o.tier, o.similarity, o.lines, o.splices, o.differs, o.forced)
        for o in planned.outcomes
        if o.applied
    )


def _left(planned: Plan) -> tuple[EditNote, ...]:
    """What became of the edits that a call applied in part has not made."""
    ends = [(o, str(o.error.kind) if o.error is not None else o.skipped) for o in planned.outcomes if not o.applied]
    return tuple(
        EditNote(o.reason, outcome="refused" if o.error is not None else "skipped", kind=kind) for o, kind in ends
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
