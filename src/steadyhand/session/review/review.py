"""Review: a person decides about what a task changed, hunk by hunk, and the task hears about it.

The journal has all of it: a decision is a note, and what it does to files is a record that names the decision. So
closing a page, a crash or a second reviewer loses nothing.

1. A rejection or an amendment counts if and only if its record was committed and is not undone. The note comes first:
   one without a record is a decision that was not carried out, and counts for nothing.
2. Taking a hunk back touches that hunk only. What others have changed since is refused and shown, never overwritten.
3. A decision is about a text. A hunk whose text has changed since is undecided again and says so.

A review's records belong to the task that they are about, in the name of the reviewer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.hints import RunCommand, Say
from steadyhand.lazy import replace
from steadyhand.session import checks
from steadyhand.session.audit_article import Passage, Records, Steps, records_of, way_of
from steadyhand.session.editor import Editor, Proposal
from steadyhand.session.history import History, Undoer
from steadyhand.session.review.change import AutoAccept, Decision, Feedback, ReviewChange, State, flags_of
from steadyhand.session.review.decisions import (
    ACTOR,
    TASK,
    TOOLSET,
    Said,
    Verdicts,
    feedback_of,
    group_of,
    is_review,
    item_of,
    read_note,
)
from steadyhand.session.review.hunks import Hunk, amended, hunks_of, text_of
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import digest_of
from steadyhand.workspace.file_op import Header, Trace
from steadyhand.workspace.history.file_history import Course, versions_forward
from steadyhand.workspace.journal.record import EditNote, Entry, Note, ToolCall, new_record_id, word

if TYPE_CHECKING:
    from steadyhand.session.context import Session
    from steadyhand.session.receipt import Receipt
    from steadyhand.text.encoding import Encoding
    from steadyhand.workspace.overlay import FileDraft, Overlay


DECISION, LOOKED = "review", "review-feedback"
_SHORTEST = 4  # digits of an id
# What is wrong with a file that is not there, or not to be read: that is no reason not to review the others.
_UNREADABLE = (
    Kind.NO_SUCH_FILE, Kind.NOT_TEXT, Kind.OUTSIDE_ROOT, Kind.PROTECTED_PATH, Kind.NOT_ALLOWED, Kind.TOO_LARGE,
)  # fmt: skip


class Review:
    """The changes of some tasks and what was decided about them; `Workspace.review` makes it.

    Lists what there was when it was first asked, and again after each decision of its own.
    """

    def __init__(
        self,
        session: Session,
        *,
        task: str | None = None,
        since: str | None = None,
        run: str | None = None,
        path: str | None = None,
        auto_accept: Sequence[AutoAccept] = (),
    ) -> None:
        self._session = session
        self._store = session.store
        self._read_again()
        self._since = since
        self._path = path
        self._auto = tuple(auto_accept)
        self._run = run
        self._task = task

    def __iter__(self) -> Iterator[ReviewChange]:
        return iter(self.changes)

    def __len__(self) -> int:
        return len(self.changes)

    @property
    def waiting(self) -> list[ReviewChange]:
        """The changes that nobody has decided about."""
        return [change for change in self.changes if change.state == "undecided"]

    @cached_property
    def changes(self) -> list[ReviewChange]:
        """Every change, by file and line; rejected ones after those of their file."""
        if not self._store.state.exists:
            return []
        found: list[ReviewChange] = []
        for group in self._groups:
            found += self._changes_of(group)
        return sorted(found, key=lambda change: (change.path, change.state == "rejected"))

    def accept(self, ids: Iterable[str], remark: str | None = None) -> Decision:
        """Accept changes: they stay as they are. Refuses ids that are no change's with `bad-request`."""
        chosen = self._chosen(ids)
        for change in chosen:
            if change.state == "rejected":
                raise _no_longer(change, "was rejected and is not in the file", "undo that decision first")
        return self._note("accepted", chosen, checks.remark(remark, "remark"))

    def comment(self, id: str, text: str) -> Decision:
        """Say something about a change without deciding; its task gets it as feedback."""
        said = checks.remark(text, "text")
        if not said:
            raise EditError(Kind.BAD_REQUEST, "text: a comment is expected", details={"field": "text"})
        return self._note("commented", self._chosen([id]), said)

    def reject(self, ids: Iterable[str], remark: str | None = None) -> Decision:
        """Take changes back, exactly these; the rest of each file stays as it is.

        Refuses with `conflict` where others have changed the same text since: nothing is changed then.
        """
        chosen = self._chosen(ids)
        for change in chosen:
            if change.state == "rejected":
                raise _no_longer(change, "is rejected already", "nothing needs to be done", Kind.NO_CHANGE)
        return self._carry_out("rejected", chosen, checks.remark(remark, "remark"), None)

    def amend(self, id: str, text: str, remark: str | None = None) -> Decision:
        """Put other lines in the place of those that a change wrote."""
        if not isinstance(text, str):
            raise EditError(Kind.BAD_REQUEST, "text: a text is expected", details={"field": "text"})
        (change,) = self._chosen([id])
        if change.status not in ("edited", "created") or change.state == "rejected":
            why = "is rejected" if change.state == "rejected" else f"is no text ({change.status})"
            raise _no_longer(change, why, "accept or reject it, and edit the file")
        return self._carry_out("amended", [change], checks.remark(remark, "remark"), text)

    def take_back(self, decision: str | None = None) -> Decision:
        """Undo a decision, the last of this reviewer's or the one named: what it took away comes back."""
        own = [
            said for said in self._said
            if said.state not in ("commented", "undecided")
            and said.by == self._session.context.actor
            and self._counts(said)
        ]  # fmt: skip
        matching = own if decision is None else [said for said in own if decision in (said.id, said.whole)]
        if not matching:
            raise EditError(
                Kind.CANNOT_UNDO,
                "there is no decision to take back",
                hint=RunCommand("review --all", "lists what was decided"),
            )
        said = matching[-1]
        name = said.whole or said.id
        parts = [each for each in own if (each.whole or each.id) == name]
        ids = tuple(str(item.get("id")) for part in parts for item in part.items)
        receipts: tuple[Receipt, ...] = ()
        if said.state == "accepted":
            self._append("undecided", said.group, said.items, None, new_record_id(), of=said.id)
        else:
            records = [self._decided[part.id].record.id for part in parts]
            receipts = self._undo(records, "the decision was taken back")
        self._forget()
        return Decision(name, "undecided", ids, receipts)

    def feedback(self, task: str | None = None, *, keep: bool = False) -> list[Feedback]:
        """What was rejected, amended or said about a task's changes since it last asked; with `keep`, still new."""
        name = checks.remark(task, "task") or self._task or self._session.context.task
        if name is None:
            raise EditError(Kind.BAD_REQUEST, "no task is named", hint="say whose feedback: task")
        if not self._store.state.exists:
            return []
        group = f"{TASK}{name}"
        looked = max((note.seq for note in self._notes(LOOKED) if word(note.body, "task") == name), default=0)
        of_task = Review(self._session, task=name)
        present = {change.id: change for change in of_task.changes}
        by_record = {record: change for change in of_task.changes for record in change.records}
        found: list[Feedback] = []
        for said in of_task._said:
            is_new = said.seq > looked and said.group == group and of_task._counts(said)
            if not is_new or not (said.state in ("rejected", "amended", "commented") or said.remark):
                continue
            made = of_task._decided.get(said.id)
            for item in said.items:
                here = present.get(str(item.get("id"))) or (by_record.get(made.record.id) if made is not None else None)
                found.append(feedback_of(said, item, here if said.state != "rejected" else None, made))
        if found and not keep:
            self._store.writable_journal().append_note(LOOKED, {"task": name, "actor": self._session.context.actor})
        return found

    def patch(self, ids: Iterable[str] | None = None) -> bytes:
        """Changes as a patch that `git apply` takes: from the files without them to the files as they are.

        Without ids, all that are on the disk and not rejected, but for those whose lines others have changed since.
        """
        from steadyhand.session.review.patch import patch_of

        found = self.changes if ids is None else self._chosen(ids)
        chosen = [each for each in found if not each.held and each.state != "rejected" and each.status != "hidden"]
        if ids is None:
            chosen = [change for change in chosen if "overlapped" not in change.flags]
        overlay = self._store.overlay()
        for group, changes in _by_group(chosen).items():
            _Verdict(self, self._session, group, changes, None, "").build(overlay)
        return patch_of(overlay.ops())

    # What there is

    @cached_property
    def _entries(self) -> dict[str, list[Entry]]:
        """The records by whose work they are, oldest first."""
        found: dict[str, list[Entry]] = {}
        for entry in self._store.journal.entries(task=self._task, newest_first=False):
            found.setdefault(group_of(entry.record), []).append(entry)
        return found

    @property
    def _groups(self) -> list[str]:
        if self._task is not None:
            wanted = f"{TASK}{self._task}"
            return [wanted] if wanted in self._entries else []
        return list(self._entries)

    @cached_property
    def _decided(self) -> dict[str, Entry]:
        """The records of decisions that are in force, by the decision."""
        entries = (entry for group in self._entries.values() for entry in group)
        return {
            entry.record.call.id: entry
            for entry in entries
            if entry.record.call is not None and is_review(entry.record) and entry.undone_by is None
            and entry.record.verb == "edit"
        }  # fmt: skip

    @cached_property
    def _said(self) -> list[Said]:
        """The notes of reviews, oldest first."""
        return [said for note in self._notes(DECISION) if (said := read_note(note)) is not None][::-1]

    @cached_property
    def _said_of(self) -> dict[str, list[Said]]:
        """The same by whose work they are about."""
        found: dict[str, list[Said]] = {}
        for said in self._said:
            found.setdefault(said.group, []).append(said)
        return found

    @cached_property
    def _noted_evidence(self) -> dict[str | None, dict[str, list[object]]]:
        """What was noted as evidence, by task and file."""
        from steadyhand.session.audit import EVIDENCE

        found: dict[str | None, dict[str, list[object]]] = {}
        for note in self._notes(EVIDENCE):
            said = note.body.get("evidence")
            files = found.setdefault(word(note.body, "task"), {})
            files.setdefault(word(note.body, "path") or "", []).extend(said if isinstance(said, list) else [said])
        return found

    def _notes(self, type: str) -> Iterator[Note]:
        return self._store.journal.notes(type=type) if self._store.state.exists else iter(())

    @cached_property
    def _taken_back(self) -> set[str | None]:
        return {said.of for said in self._said}

    def _counts(self, said: Said) -> bool:
        """Whether a decision is in force, or a comment."""
        if said.id in self._taken_back or said.state == "undecided":
            return False
        return said.state not in ("rejected", "amended") or said.id in self._decided

    def _forget(self) -> None:
        for name in ("changes", "_entries", "_decided", "_said", "_said_of", "_taken_back", "_noted_evidence"):
            self.__dict__.pop(name, None)
        self._read_again()

    def _read_again(self) -> None:
        """Forget the files and their histories, which are read once for all tasks that changed them."""
        self.__dict__.pop("_course", None)
        self._history = History(self._store)
        self._records: dict[str, Records] = {}
        self._steps: dict[str, Steps] = {}

    @cached_property
    def _course(self) -> Course:
        return Course(self._store.journal)

    def _changes_of(self, group: str) -> list[ReviewChange]:
        said = [each for each in self._said_of.get(group, ()) if self._counts(each)]
        verdicts = Verdicts(said, self._decided)
        found: list[ReviewChange] = []
        evidence = self._evidence(group)
        for path in self._paths(group):
            if self._path is not None and path != self._path and not path.startswith(f"{self._path}/"):
                continue
            hunks = self._hunks(group, path)
            made = [self._change(group, hunk, verdicts, evidence) for hunk in hunks]
            found += [change for change in made if self._since is None or change.time >= self._since]
        found += verdicts.rejected(self._path, self._since)
        return found

    def _hunks(self, group: str, path: str) -> list[Hunk]:
        present, is_hidden = None, False
        try:
            present = self._store.read(path)[1].data
        except EditError as error:
            if error.kind not in _UNREADABLE:
                raise
            is_hidden = error.kind is not Kind.NO_SUCH_FILE
        return hunks_of(self._way(group, path), self._history.replays, present, self._steps, is_hidden=is_hidden)

    def _way(self, group: str, path: str) -> list[Passage]:
        if path not in self._records:
            self._records[path] = records_of(self._store.journal, path)
        return way_of(self._records[path], lambda entry: group_of(entry.record) == group)

    def _paths(self, group: str) -> list[str]:
        """The files of a group under the names that they have now."""
        last: dict[str, int] = {}
        for entry in self._entries[group]:
            for change in entry.record.files:
                last[change.path] = entry.seq
        found: dict[str, None] = {}
        for path, seq in last.items():
            name = path
            for version in versions_forward(self._course, path, after_seq=seq):
                name = version.change.path
            found[name] = None
        return sorted(found)

    def _change(
        self, group: str, hunk: Hunk, verdicts: Verdicts, evidence: Mapping[str, list[object]] | None
    ) -> ReviewChange:
        entries = sorted(hunk.entries, key=lambda entry: entry.seq)
        newest = entries[-1]
        author = next((entry for entry in reversed(entries) if not is_review(entry.record)), newest)
        known = evidence.get(hunk.path, []) if evidence is not None else []
        flags = [*flags_of(hunk, is_flagged=self._flagged(hunk.path)), *verdicts.happened(hunk)]
        if evidence is not None and group.startswith(f"{TASK}impact-") and not known:
            flags.append("no-evidence")
        change = ReviewChange(
            hunk.id, hunk.path, hunk.status, hunk.lines, hunk.before, hunk.after, hunk.reason,
            author.record.actor, author.record.task, author.record.tool, author.record.model,
            next((note.tier for note in reversed(hunk.notes) if note.tier), None), newest.record.time,
            tuple(entry.record.id for entry in entries), flags=tuple(dict.fromkeys(flags)), evidence=tuple(known),
        )  # fmt: skip
        decided = verdicts.on(change, newest)
        if decided.state == "undecided" and any(rule.takes(decided) for rule in self._auto):
            return replace(decided, state="accepted", by="policy")
        return decided

    def _flagged(self, path: str) -> bool:
        from steadyhand.workspace.files.protection import classify

        return classify(path).status == "flagged"

    def _evidence(self, group: str) -> Mapping[str, list[object]] | None:
        """What speaks for changing each file: what was noted for it, and why an impact run looked at it."""
        from steadyhand.session.runs import Runs

        task = group.removeprefix(TASK)
        found = {path: [*items] for path, items in self._noted_evidence.get(task, {}).items()}
        if task.startswith("impact-"):
            for path, items in Runs(self._session).evidence(task.removeprefix("impact-")).items():
                found.setdefault(path, []).extend(items)
        return found

    # What is decided

    def _chosen(self, ids: Iterable[str]) -> list[ReviewChange]:
        given = [ids] if isinstance(ids, str) else list(ids)
        if not given:
            raise EditError(Kind.BAD_REQUEST, "no change is named", hint="give ids as `review` lists them")
        return [self._named(each) for each in dict.fromkeys(given)]

    def _named(self, id: str) -> ReviewChange:
        wanted = id if isinstance(id, str) and len(id) >= _SHORTEST else None
        found = [change for change in self.changes if wanted is not None and change.id.startswith(wanted)]
        # One that was rejected and made again has its id twice; the one in the file is meant.
        there = [change for change in found if change.state != "rejected"] or found
        if len({change.id for change in there}) == 1:
            return there[0]
        if found:
            raise EditError(
                Kind.BAD_REQUEST, f"{len(found)} changes have ids that start with {id[:20]}", hint="give more digits"
            )
        raise EditError(
            Kind.BAD_REQUEST,
            f"there is no change {str(id)[:40]!r} to review",
            hint=(Say("it may have changed since you listed it"), RunCommand("review", "lists the changes")),
            details={"id": str(id)[:40]},
        )

    def _note(self, state: str, chosen: Sequence[ReviewChange], remark: str | None) -> Decision:
        name = new_record_id()
        for group, changes in _by_group(chosen).items():
            self._append(state, group, [item_of(change) for change in changes], remark, name)
        # Nothing has changed but what was decided: to list a thousand changes again for each of them would be slow.
        decided = {change.id: self._noted(change, state, remark) for change in chosen}
        listed = [decided.get(each.id, each) if each.state != "rejected" else each for each in self.changes]
        self._forget()
        self.__dict__["changes"] = listed
        return Decision(name, state, tuple(change.id for change in chosen))

    def _noted(self, change: ReviewChange, state: str, remark: str | None) -> ReviewChange:
        if state == "commented":
            return replace(change, comments=(*change.comments, remark or ""))
        return replace(change, state="accepted", by=self._session.context.actor, remark=remark)

    def _append(
        self,
        state: str,
        group: str,
        items: Sequence[Mapping[str, object]],
        remark: str | None,
        name: str,
        *,
        of: str | None = None,
        whole: str | None = None,
    ) -> None:
        body = {
            "decision": name, "state": state, "group": group, "actor": self._session.context.actor,
            "task": group.removeprefix(TASK) if group.startswith(TASK) else None, "remark": remark,
            "changes": [dict(item) for item in items], **({} if of is None else {"of": of}),
            **({} if whole is None else {"whole": whole}),
        }  # fmt: skip
        self._store.writable_journal().append_note(DECISION, body)

    def _carry_out(self, state: State, chosen: list[ReviewChange], remark: str | None, text: str | None) -> Decision:
        """Note the decision, then change the files, in one transaction for each task; none where one is refused."""
        receipts: list[Receipt] = []
        groups, reason = _by_group(chosen), remark or f"{state} in review"
        parts = {group: new_record_id() for group in groups}
        whole = next(iter(parts.values()))
        for is_preview in (True, False) if len(groups) > 1 else (False,):
            for group, changes in groups.items():
                verdict, name = _Verdict(self, self._session, group, changes, text, reason), parts[group]
                if not is_preview:
                    items = [item_of(change) for change in changes]
                    self._append(state, group, items, remark, name, whole=whole if len(groups) > 1 else None)
                header, hardlinks = self._header(group, name, reason, changes), self._session.context.policy.hardlinks
                try:
                    receipt = Editor(self._session).run(header, verdict, hardlinks, preview=is_preview)
                except EditError:  # somebody wrote since the preview: then what is done already comes back
                    self._undo([receipt.id or "" for receipt in receipts], "the decision was refused for another task")
                    self._forget()
                    raise
                if not is_preview:
                    receipts.append(receipt)
        self._forget()
        return Decision(whole, state, tuple(change.id for change in chosen), tuple(receipts))

    def _undo(self, records: Sequence[str], reason: str) -> tuple[Receipt, ...]:
        """Take records back, all or none; each by a record of its own, which is work on its task's changes alone."""
        undoer = Undoer(self._session)
        done: list[Receipt] = []
        try:
            for is_preview in (True, False) if len(records) > 1 else (False,):
                for record in records:
                    receipt = undoer.undo(id=record, task=None, path=None, reason=reason, preview=is_preview)
                    done += [] if is_preview else [receipt]
        except EditError:  # somebody wrote since the preview
            for receipt in done:
                undoer.redo(receipt.id, reason="the rest of the decision could not be taken back", preview=False)
            raise
        return tuple(done)

    def _header(self, group: str, name: str, reason: str, changes: Sequence[ReviewChange]) -> Header:
        digest = hashlib.sha256(" ".join(change.id for change in changes).encode()).hexdigest()
        trace = Trace(ToolCall(name, TOOLSET, group), digest)
        task = group.removeprefix(TASK) if group.startswith(TASK) else None
        return Header(self._session.context.actor, task, TOOLSET, reason, trace=trace)


class _Verdict(Proposal):
    """Hunks taken back, or one of them amended, in the files as they are now."""

    is_reported = False

    def __init__(
        self,
        review: Review,
        session: Session,
        group: str,
        changes: Sequence[ReviewChange],
        text: str | None,
        reason: str,
    ) -> None:
        super().__init__()
        self._review = review
        self._session = session
        self._group = group
        self._text = text
        self._reason = reason
        self._wanted: dict[str, list[ReviewChange]] = {}
        for change in changes:
            self._wanted.setdefault(change.path, []).append(change)
        self.lease_rules = (session.context.policy.on_lease,)

    def build(self, overlay: Overlay) -> None:
        with self._session.context.cancellable():
            self._review._read_again()  # others may have written since
            names: list[tuple[str, str]] = []
            for path, changes in self._wanted.items():
                names += self._take_back(overlay, path, changes)
            overlay.rename_together(names)  # files may have taken each other's names

    def _take_back(self, overlay: Overlay, path: str, changes: Sequence[ReviewChange]) -> list[tuple[str, str]]:
        """Take back the changes of a file but its name; the name that it has, and the one that it had."""
        draft = overlay.look(path)[1]
        data = None if draft is None else draft.data
        way = self._review._way(self._group, path)
        hunks = {hunk.id: hunk for hunk in hunks_of(way, self._review._history.replays, data, {})}
        texts: list[Hunk] = []
        names: list[tuple[str, str]] = []
        for change in changes:
            hunk = hunks.get(change.id)
            if hunk is None or hunk.is_overlapped:
                raise _in_the_way(change, hunk)
            if hunk.status == "edited" or (hunk.status == "created" and self._text is not None):
                texts.append(hunk)
            elif hunk.status == "renamed" and hunk.first is not None and draft is not None and draft.path is not None:
                names.append((draft.path, hunk.first.path))
            else:
                self._restore(overlay, draft, hunk)
        if texts:
            assert draft is not None and draft.path is not None
            self._edit(draft, texts, text_of(way, draft.data or b"").encoding)
        return names

    def _edit(self, draft: FileDraft, hunks: Sequence[Hunk], encoding: Encoding) -> None:
        source = draft.decode_as(encoding)
        if self._text is not None:
            source.encoding.check_new_text(self._text)
            splices = [amended(hunks[0], source.text, self._text)]
        else:
            splices = [splice for hunk in hunks for splice in hunk.undo]
        changes = ChangeSet.of(splices)
        if changes:
            note = EditNote(self._reason, splices=tuple(range(len(changes.splices))))
            draft.take_text(source.apply(changes), replace(changes, base=source.digest), (note,))

    def _restore(self, overlay: Overlay, draft: FileDraft | None, hunk: Hunk) -> None:
        """Take back what is no change of lines."""
        first, last, journal = hunk.first, hunk.last, self._session.store.journal
        if hunk.status == "deleted" and first is not None and draft is None:
            data = journal.image(first.digest)
            if data is not None:
                overlay.create(first.path, mode=first.mode).take_bytes(data)
                return
        elif hunk.status == "created" and draft is not None and draft.path is not None:
            if last is not None and digest_of(draft.data or b"") == last.digest:
                overlay.delete(draft.path)
                return
        elif hunk.status == "mode" and first is not None and last is not None and draft is not None:
            if draft.before is not None and draft.before.mode == last.mode:
                draft.mode = first.mode
                return
        elif hunk.status == "binary" and first is not None and draft is not None and last is not None:
            data = journal.image(first.digest)
            if data is not None and digest_of(draft.data or b"") == last.digest:
                draft.take_bytes(data)
                return
        raise EditError(
            Kind.CANNOT_UNDO,
            f"{hunk.path}: what was there before is not kept, or the file has changed since",
            hint="restore the file by hand",
            details={"path": hunk.path, "id": hunk.id},
        )


def _by_group(changes: Sequence[ReviewChange]) -> dict[str, list[ReviewChange]]:
    found: dict[str, list[ReviewChange]] = {}
    for change in changes:
        group = f"{TASK}{change.task}" if change.task is not None else f"{ACTOR}{change.actor}"
        found.setdefault(group, []).append(change)
    return found


def _no_longer(change: ReviewChange, because: str, hint: str, kind: Kind = Kind.BAD_REQUEST) -> EditError:
    return EditError(kind, f"{change.path}: change {change.id} {because}", hint=hint, details={"id": change.id})


def _in_the_way(change: ReviewChange, hunk: Hunk | None) -> EditError:
    because = "its lines were changed since" if hunk is None else "others changed the same lines since"
    return EditError(
        Kind.CONFLICT,
        f"{change.path}: change {change.id} cannot be taken back: {because}",
        hint=(RunCommand("review", "lists the changes as they are now"), Say("or edit those lines by hand")),
        details={"id": change.id, "path": change.path, "before": change.before, "after": change.after},
    )
