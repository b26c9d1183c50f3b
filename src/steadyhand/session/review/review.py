"""Review: a person decides about what a task changed, hunk by hunk, and the task hears about it.

The journal has all of it: a decision is a note, and what it does to files is a record that names the decision. So
closing a page, a crash or a second reviewer loses nothing.

1. A rejection or an amendment counts if and only if its record was committed and is not undone. The note comes first:
   one without a record is a decision that was not carried out, and counts for nothing. Where it was refused, another
   note says so, for those who read what happened.
2. Taking a hunk back touches that hunk only. What others have changed since is refused and shown, never overwritten.
3. A decision is about a text. A hunk whose text has changed since is undecided again and says so.

A review's records belong to the task that they are about, in the name of the reviewer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

from steadyhand.errors import EditError, Kind
from steadyhand.hints import RunCommand, Say
from steadyhand.lazy import replace
from steadyhand.session import checks
from steadyhand.session.audit_article import Passage, Records, Steps, records_of, way_of
from steadyhand.session.editor import Editor, PlannedChange
from steadyhand.session.history import History, Undoer
from steadyhand.session.host import FileReader
from steadyhand.session.review.acceptance import Acceptance, Rejection, TakeBack, Verdict
from steadyhand.session.review.change import (
    TOOLSET,
    AutoAccept,
    Decision,
    Feedback,
    ReviewChange,
    Said,
    State,
    Verdicts,
    by_group,
    by_part,
    feedback_of,
    flags_of,
    group_of,
    is_in,
    is_review,
    item_of,
    patch_of,
    read_note,
)
from steadyhand.session.review.hunks import Hunk, hunks_of, unique
from steadyhand.session.review.page_links import PageLinks
from steadyhand.workspace.held.notes import TASK
from steadyhand.workspace.held.store import HeldStore, groups_of
from steadyhand.workspace.history.file_history import Course, versions_forward
from steadyhand.workspace.journal.record import Entry, Note, ToolCall, new_record_id, word
from steadyhand.workspace.overlay import Header, Trace

if TYPE_CHECKING:
    from steadyhand.session.context import Session
    from steadyhand.session.receipt import Receipt
    from steadyhand.session.review.held import HeldHunk, HeldWork


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
        path: str | None = None,
        auto_accept: Sequence[AutoAccept] = (),
    ) -> None:
        self._session = session = session.direct  # a reviewer sees the disk, and all layers from above
        self._store = session.store
        self._read_again()
        self._since = since
        self._path = path
        self._auto = tuple(auto_accept)
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
        """Every change, by file and line, whoever made it; rejected ones after those of their file."""
        if not self._store.state.exists:
            return []
        found: list[ReviewChange] = []
        for group in self._groups:
            found += self._changes_of(group)
        return sorted(found, key=lambda each: (each.path, each.state == "rejected", each.lines or (0, 0)))

    def accept(self, ids: Iterable[str], remark: str | None = None) -> Decision:
        """Accept changes: they stay as they are, and held ones are written to disk in one transaction.

        Refuses ids that are no change's with `bad-request`, and with `conflict` held ones where others have changed the
        same lines on the disk: nothing is changed then.
        """
        chosen = self._chosen(ids)
        for change in chosen:
            if change.state == "rejected":
                raise _no_longer(change, "was rejected and is not in the file", "undo that decision first")
        said = checks.remark(remark, "remark")
        held, rest = ([change for change in chosen if change.held is wanted] for wanted in (True, False))
        if not held:
            return self._note("accepted", rest, said)
        made = self._carry_out("accepted", held, said, None)
        if rest:
            self._note("accepted", rest, said, whole=made.id)
        return replace(made, changes=tuple(change.id for change in chosen))

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
                raise _no_longer(change, "is already rejected", "nothing needs to be done", Kind.NO_CHANGE)
        return self._carry_out("rejected", chosen, checks.remark(remark, "remark"), None)

    def amend(self, id: str, text: str, remark: str | None = None) -> Decision:
        """Replace the lines that a change wrote."""
        if not isinstance(text, str):
            raise EditError(Kind.BAD_REQUEST, "text: a text is expected", details={"field": "text"})
        (change,) = self._chosen([id])
        if change.status not in ("edited", "created") or change.state == "rejected":
            why = "is rejected" if change.state == "rejected" else f"is not text ({change.status})"
            raise _no_longer(change, why, "accept or reject it, and edit the file")
        return self._carry_out("amended", [change], checks.remark(remark, "remark"), text)

    def take_back(self, decision: str | None = None) -> Decision:
        """Undo a decision, the last of this reviewer's or the one named: what it took away comes back."""
        own = [
            said for said in self._said
            if said.state not in ("commented", "undecided", "refused")
            and said.by == self._session.context.actor
            and self._counts(said)
        ]  # fmt: skip
        matching = own if decision is None else [said for said in own if decision in (said.id, said.whole)]
        if not matching:
            raise EditError(
                Kind.CANNOT_UNDO,
                "there is no decision to undo",
                hint=RunCommand("review --all", "lists what was decided"),
            )
        said = matching[-1]
        name = said.whole or said.id
        parts = [each for each in own if (each.whole or each.id) == name]
        ids = tuple(str(item.get("id")) for part in parts for item in part.items)
        made = [part for part in parts if part.id in self._decided]
        receipts = self._undo([self._made(part) for part in made], "the decision was undone")
        for part in parts:
            if part not in made:
                self._append("undecided", part.group, part.items, None, new_record_id(), of=part.id)
        self._forget()
        return Decision(name, "undecided", ids, receipts)

    def feedback(self, task: str | None = None, *, keep: bool = False) -> list[Feedback]:
        """What was rejected, amended or said about a task's changes since it last asked; with `keep`, still new.

        Of a review of one file or directory only what is about that; the rest stays new.
        """
        name = checks.remark(task, "task") or self._task or self._session.context.task
        if name is None:
            raise EditError(Kind.BAD_REQUEST, "no task is named", hint="say whose feedback: task")
        if not self._store.state.exists:
            return []
        group = f"{TASK}{name}"
        looked: dict[str | None, int] = {}  # rows of the journal, by the place that was asked about
        for note in self._notes(LOOKED):
            if word(note.body, "task") == name:
                looked.setdefault(word(note.body, "path"), note.seq)
        of_task = Review(self._session, task=name)
        whole = looked.get(None, 0)
        if not any(said.seq > whole for said in of_task._said_of.get(group, ())):
            return []  # a model's loop asks before each turn: then the changes are not put together
        present = {change.id: change for change in of_task.changes}
        by_record = {record: change for change in of_task.changes for record in change.records}
        found: list[Feedback] = []
        for said in of_task._said:
            is_new = said.seq > whole and said.group == group and of_task._counts(said)
            if not is_new or not (said.state in ("rejected", "amended", "commented") or said.remark):
                continue
            made = of_task._decided.get(said.id)
            for item in said.items:
                place = word(item, "path") or ""
                is_heard = any(said.seq <= seq and is_in(place, at) for at, seq in looked.items())
                if is_heard or not is_in(place, self._path):
                    continue
                here = present.get(str(item.get("id"))) or (by_record.get(made.record.id) if made is not None else None)
                found.append(feedback_of(said, item, here if said.state != "rejected" else None, made))
        if found and not keep:
            about = {} if self._path is None else {"path": self._path}
            body = {"task": name, "actor": self._session.context.actor, **about}
            self._store.writable_journal().append_note(LOOKED, body)
        return found

    def patch(self, ids: Iterable[str] | None = None) -> bytes:
        """Changes as a patch that `git apply` takes: from the files without them to the files as they are.

        Without ids, all that are on the disk and not rejected, but for those whose lines others have changed since.
        """
        found = self.changes if ids is None else self._chosen(ids)
        chosen = [each for each in found if not each.held and each.state != "rejected" and each.status != "hidden"]
        if ids is None:
            chosen = [change for change in chosen if "overlapped" not in change.flags]
        overlay = self._store.overlay()
        for group, changes in by_group(chosen).items():
            Verdict(self, self._session, group, changes, None, "").build(overlay)
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
        known = dict.fromkeys((*self._entries, *groups_of(self._store), *(said.group for said in self._said)))
        if self._task is not None:
            wanted = f"{TASK}{self._task}"
            return [wanted] if wanted in known else []
        return list(known)

    @cached_property
    def _layers(self) -> dict[str, HeldWork]:
        """What is held, by whose it is."""
        from steadyhand.session.review.held import HeldWork

        return {group: HeldWork(self._session, group) for group in groups_of(self._store)}

    @cached_property
    def _decided(self) -> dict[str, Entry]:
        """The records of decisions that are in force, by the decision."""
        entries = [entry for group in self._entries.values() for entry in group]
        for group in {said.group for said in self._said if said.held}:
            from steadyhand.session.review.held import past_of

            entries += past_of(HeldStore(self._store, group))
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
        if said.id in self._taken_back or said.state in ("undecided", "refused"):
            return False
        return said.state == "commented" or (said.state == "accepted" and not said.held) or said.id in self._decided

    def _forget(self) -> None:
        kept = ("changes", "_entries", "_decided", "_said", "_said_of", "_taken_back", "_noted_evidence", "_layers")
        for name in (*kept, "_held_names"):
            self.__dict__.pop(name, None)
        self._read_again()

    def _read_again(self) -> None:
        """Forget the files and their histories, which are read once for all tasks that changed them."""
        self.__dict__.pop("_course", None)
        self._history = History(self._store)
        self._links: dict[str | None, PageLinks] = {}
        self._records: dict[str, Records] = {}
        self._steps: dict[str, Steps] = {}

    @cached_property
    def _course(self) -> Course:
        return Course(self._store.journal)

    def _changes_of(self, group: str) -> list[ReviewChange]:
        said = [each for each in self._said_of.get(group, ()) if self._counts(each)]
        verdicts = Verdicts(said, self._decided)
        evidence = self._evidence(group)
        seen: set[tuple[str, str]] = set()
        hunks: list[tuple[Hunk, HeldHunk | None]] = []
        for path in self._paths(group):
            if is_in(path, self._path):
                hunks += [(hunk, None) for hunk in self._hunks(group, path)]
                seen.update((passage.entry.record.id, passage.change.path) for passage in self._way(group, path))
        hunks += [(hunk, None) for hunk in self._replaced(group, seen)]
        if group in self._layers:
            layer = self._layers[group].hunks()
            hunks += [(each.hunk, each) for each in layer if is_in(each.hunk.path, self._path)]
        present = {hunk.id for hunk, _ in hunks}
        found = [self._change(group, hunk, verdicts, evidence, present, held) for hunk, held in unique(hunks)]
        since = self._since
        recent = [change for change in found if since is None or change.time >= since]
        return recent + list(verdicts.rejected(self._path, since))

    def _hunks(self, group: str, path: str) -> list[Hunk]:
        present, is_hidden = None, False
        try:
            present = self._store.read(path)[1].data
        except EditError as error:
            if error.kind not in _UNREADABLE:
                raise
            is_hidden = error.kind is not Kind.NO_SUCH_FILE
        return self._hunks_in(self._way(group, path), present, self._steps, is_hidden=is_hidden)

    def _replaced(self, group: str, seen: AbstractSet[tuple[str, str]]) -> Iterator[Hunk]:
        """The files that a group deleted where another file has the name now; they come back once it is free."""
        for entry in self._entries.get(group, ()):
            for change in entry.record.files if entry.undone_by is None and entry.record.verb == "edit" else ():
                if change.is_delete and (entry.record.id, change.path) not in seen and is_in(change.path, self._path):
                    records = records_of(self._store.journal, change.path, entry.seq + 1)
                    for hunk in hunks_of(self._way_of(records, group), self._history.replays, None, {}):
                        yield replace(hunk, is_overlapped=True)

    def _hunks_in(
        self, way: Sequence[Passage], present: bytes | None, known: dict[str, Steps], *, is_hidden: bool = False
    ) -> list[Hunk]:
        """The hunks of a file; what was held before it was accepted has the id that it had then."""
        found: list[Hunk] = []
        taken: set[str] = set()
        for hunk in hunks_of(way, self._history.replays, present, known, is_hidden=is_hidden):
            call = hunk.entries[-1].record.call if len(hunk.entries) == 1 else None
            names = () if call is None else self._held_names.get((call.id, hunk.before, hunk.after), ())
            name = next((name for name in names if name not in taken), hunk.id)
            taken.add(name)
            found.append(replace(hunk, id=name))
        return found

    @cached_property
    def _held_names(self) -> dict[tuple[str, object, object], list[str]]:
        """The ids of changes that were held when they were accepted, by the decision and their text."""
        names: dict[tuple[str, object, object], list[str]] = {}
        for said in self._said:
            for item in said.items if said.held and said.state == "accepted" else ():
                key = said.id, item.get("before"), item.get("after")
                names.setdefault(key, []).append(str(item.get("id")))
        return names

    def _way(self, group: str, path: str) -> list[Passage]:
        """What was done to a file, by a group and by others."""
        if path not in self._records:
            self._records[path] = records_of(self._store.journal, path, is_there=True)
        return self._way_of(self._records[path], group)

    @staticmethod
    def _way_of(records: Records, group: str) -> list[Passage]:
        whose: dict[str, str] = {}  # who takes a change back, does it on behalf of whoever made it
        for entry, _ in reversed(records):
            undone = (whose[name] for name in entry.record.undoes if name in whose)
            whose[entry.record.id] = next(undone, group_of(entry.record))
        return way_of(records, lambda entry: whose[entry.record.id] == group)

    def _paths(self, group: str) -> list[str]:
        """The files of a group under the names that they have now."""
        last: dict[str, int] = {}
        for entry in self._entries.get(group, ()):
            for change in entry.record.files:
                last[change.path] = entry.seq
        places = list(last.items())
        for entry in self._entries.get(group, ()):  # what was deleted and is back, where another file had the name
            if entry.undone_by is not None and any(change.is_delete for change in entry.record.files):
                undo = self._store.journal.find(entry.undone_by)
                places += [(change.path, undo.seq) for change in undo.record.files if change.before is None]
        found: dict[str, None] = {}
        for path, seq in places:
            name = path
            for version in versions_forward(self._course, path, after_seq=seq):
                name = version.change.path
            found[name] = None
        return sorted(found)

    def _change(
        self,
        group: str,
        hunk: Hunk,
        verdicts: Verdicts,
        evidence: Mapping[str, list[object]] | None,
        present: AbstractSet[str],
        held: HeldHunk | None,
    ) -> ReviewChange:
        entries = sorted(hunk.entries, key=lambda entry: entry.seq)
        newest = entries[-1]
        # What comes back with an undone decision is by a record of who undid it, and still the group's.
        own = [each.record for each in entries if group_of(each.record) == group and not is_review(each.record)]
        author = (own or [newest.record])[-1]
        kind, _, name = group.partition(":")
        actor, task = (author.actor, name) if f"{kind}:" == TASK else (name, None)
        known = evidence.get(hunk.path, []) if evidence is not None else []
        flags = [*flags_of(hunk, is_flagged=self._flagged(hunk.path)), *verdicts.happened(hunk)]
        if evidence is not None and group.startswith(f"{TASK}impact-") and not known:
            flags.append("no-evidence")
        if held is not None and held.conflict is not None:
            flags.append("conflict")
        change = ReviewChange(
            hunk.id, hunk.path, hunk.status, hunk.lines, hunk.before, hunk.after, hunk.reason,
            actor, task, author.tool, author.model,
            next((note.tier for note in reversed(hunk.notes) if note.tier), None), newest.record.time,
            tuple(entry.record.id for entry in entries), flags=tuple(dict.fromkeys(flags)), evidence=tuple(known),
            held=held is not None, conflict=None if held is None else held.conflict,
        )  # fmt: skip
        if self._breaks_link(change, group if held is not None else None):
            change = replace(change, flags=(*change.flags, "broken-link"))
        decided = verdicts.on(change, entries, present)
        if decided.state == "undecided" and held is None and any(rule.takes(decided) for rule in self._auto):
            return replace(decided, state="accepted", by="policy")
        return decided

    def _breaks_link(self, change: ReviewChange, holder: str | None) -> bool:
        """Whether a change broke a link, in the tree of the disk or as a group has it that holds the change."""
        if holder not in self._links:
            session = self._session if holder is None else self._session.holding(holder)
            self._links[holder] = PageLinks(FileReader(session))
        return self._links[holder].breaks(change)

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
            raise EditError(Kind.BAD_REQUEST, "no change is named", hint="use ids that `review` lists")
        known: dict[str, list[ReviewChange]] = {}
        for change in self.changes:
            known.setdefault(change.id, []).append(change)
        return [self._named(each, known) for each in dict.fromkeys(given)]

    def _named(self, id: str, known: Mapping[str, list[ReviewChange]]) -> ReviewChange:
        found = known.get(id, [])
        if not found and isinstance(id, str) and len(id) >= _SHORTEST:
            found = [change for name, some in known.items() if name.startswith(id) for change in some]
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

    def _note(
        self, state: str, chosen: Sequence[ReviewChange], remark: str | None, *, whole: str | None = None
    ) -> Decision:
        name = new_record_id()
        for group, changes in by_group(chosen).items():
            self._append(state, group, [item_of(change) for change in changes], remark, name, whole=whole)
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
        held: bool = False,
    ) -> None:
        body = {
            "decision": name, "state": state, "group": group, "actor": self._session.context.actor,
            "task": group.removeprefix(TASK) if group.startswith(TASK) else None, "remark": remark,
            "changes": [dict(item) for item in items], **({} if of is None else {"of": of}),
            **({} if whole is None else {"whole": whole}), **({"held": True} if held else {}),
        }  # fmt: skip
        self._store.writable_journal().append_note(DECISION, body)

    def _carry_out(self, state: State, chosen: list[ReviewChange], remark: str | None, text: str | None) -> Decision:
        """Note the decision, then change the files, in one transaction for each task; none where one is refused."""
        receipts: list[Receipt] = []
        parts = [_Part(self, group, changes, state, text, remark) for group, changes in by_part(chosen)]
        whole = parts[0].name
        for is_preview in (True, False) if len(parts) > 1 else (False,):
            for part in parts:
                if not is_preview:
                    items = [item_of(change) for change in part.changes]
                    named = whole if len(parts) > 1 else None
                    self._append(state, part.group, items, remark, part.name, whole=named, held=part.is_held)
                try:
                    receipt = part.run(preview=is_preview)
                except EditError as error:  # somebody wrote since the preview: then what is done already comes back
                    done = [_Made(receipt.id or "", part) for receipt, part in zip(receipts, parts, strict=False)]
                    self._undo(done, "the decision was refused for another task")
                    with suppress(EditError):  # why it was refused is what matters
                        if not is_preview:
                            self._append("refused", part.group, items, error.message, new_record_id(), of=part.name)
                    self._forget()
                    raise
                if not is_preview:
                    receipts.append(receipt)
        self._forget()
        return Decision(whole, state, tuple(change.id for change in chosen), tuple(receipts))

    def _made(self, said: Said) -> _Made:
        """What a decision did to files."""
        part = _Part(self, said.group, (), said.state, None, None, is_held=said.held)
        return _Made(self._decided[said.id].record.id, part)

    def _undo(self, made: Sequence[_Made], reason: str) -> tuple[Receipt, ...]:
        """Take records back, all or none; each by a record of its own, which is work on its task's changes alone."""
        done: list[tuple[Receipt, Undoer]] = []
        try:
            for is_preview in (True, False) if len(made) > 1 else (False,):
                for each in reversed(made):  # the last first, as one that is after another in a file is about its text
                    undoer = each.part.undoer()
                    receipt = undoer.undo(id=each.record, task=None, path=None, reason=reason, preview=is_preview)
                    done += [] if is_preview else [(receipt, undoer)]
        except EditError:  # somebody wrote since the preview
            for receipt, undoer in done:
                undoer.redo(receipt.id, reason="the rest of the decision could not be undone", preview=False)
            raise
        return tuple(receipt for receipt, _ in done)


class _Part:
    """What a decision does to the work of one task: on the disk, in its layer, or from the one to the other."""

    def __init__(
        self,
        review: Review,
        group: str,
        changes: Sequence[ReviewChange],
        state: str,
        text: str | None,
        remark: str | None,
        *,
        is_held: bool | None = None,
    ) -> None:
        self.group = group
        self.changes = changes
        self.name = new_record_id()
        self.is_held = all(change.held for change in changes) if is_held is None else is_held
        self._review = review
        self._session = review._session
        self._state = state
        self._text = text
        self._remark = remark

    def run(self, *, preview: bool) -> Receipt:
        """Make it. Refused, nothing is changed."""
        context, reason = self._session.context, self._remark or f"{self._state} in review"
        digest = hashlib.sha256(" ".join(change.id for change in self.changes).encode()).hexdigest()
        trace = Trace(ToolCall(self.name, TOOLSET, self.group), digest)
        task = self.group.removeprefix(TASK) if self.group.startswith(TASK) else None
        header = Header(context.actor, task, TOOLSET, reason, trace=trace)
        session, change = self._session, self._change(reason)
        if isinstance(change, Rejection):
            session = session.holding(self.group)
        elif isinstance(change, Acceptance) and self._state == "accepted":  # the work of whoever made it
            last = max(self.changes, key=lambda change: change.time)
            trace.model = last.model
            reasons = {change.reason for change in self.changes}
            header = Header(last.actor, task, last.tool, reasons.pop() if len(reasons) == 1 else None, trace=trace)
        return Editor(session).run(header, change, context.policy.hardlinks, preview=preview)

    def _change(self, reason: str) -> PlannedChange:
        if not self.is_held:
            return Verdict(self._review, self._session, self.group, self.changes, self._text, reason)
        if self._state == "rejected":
            return Rejection(self._session, self.group, self.changes, reason)
        return Acceptance(self._session, self.group, self.changes, self._text, reason)

    def undoer(self) -> Undoer:
        """What takes it back."""
        if not self.is_held:
            return Undoer(self._session)
        if self._state == "rejected":
            return Undoer(self._session.holding(self.group))
        return Undoer(self._session, partial(TakeBack, group=self.group))


class _Made(NamedTuple):
    """A record that a decision made, and what takes it back."""

    record: str
    part: _Part


def _no_longer(change: ReviewChange, because: str, hint: str, kind: Kind = Kind.BAD_REQUEST) -> EditError:
    return EditError(kind, f"{change.path}: change {change.id} {because}", hint=hint, details={"id": change.id})
