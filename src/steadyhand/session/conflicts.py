"""Edits of text that others changed since their task last read the file: found, reported, and kept for a person.

Sharing a line, or inserting at the same boundary, is a conflict; neighbours are not. An edit that quotes the others'
change, or only words of theirs, knows of it. Nothing here decides what becomes of a conflict: the policy does.
No offer mixes a token of the edit with one of the others: see `text/merge.py`.

`Reports` records calls that changed nothing: refusals, and conflicts with the edit that was refused. A report is worth
a row, never a failure: where the journal cannot be written it is dropped. A workspace without a journal gets none
because of a refusal, unless a tool was called for a task: what is tried for one is recorded.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Hint, Reread, SendCorrected
from steadyhand.lazy import dataclass, replace
from steadyhand.plan.edit import Edit, Old, Replace, edit_to_json
from steadyhand.plan.planner import Outcome, Plan
from steadyhand.session.context import CallContext
from steadyhand.session.rebase import Believed, any_above, corrected_lines, is_by_number, moved_by
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.merge import mixes
from steadyhand.text.region import Region, region_of
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice
from steadyhand.text.visible import sized
from steadyhand.workspace.history.unseen_changes import UnseenChange
from steadyhand.workspace.journal.codec import call_to_json
from steadyhand.workspace.journal.record import Party, Record, new_record_id
from steadyhand.workspace.overlay import Header, LatestRecords

if TYPE_CHECKING:
    from steadyhand.workspace.held.store import AnyStore

OUTSIDE = "something outside Steadyhand"
_LONGEST = 4_000  # code points of text that is offered, or shown of one side
_SHOWN = 10  # changes of others that are shown for one edit
_KEPT = 200_000  # code points of refused text that are kept to be applied after all


@sized("text")
@dataclass(frozen=True, slots=True)
class Writes:
    """Whole lines, and what a refused edit would have left in their place; a last before the first: none."""

    lines: tuple[int, int]
    text: str

    @classmethod
    def of(cls, source: Source, splices: Sequence[Splice]) -> Writes | None:
        """What splices make of the lines they are in; None where that is too much to keep."""
        if not splices:
            return None
        table, start, end = source.table, splices[0].start, splices[-1].end
        is_behind = start == source.length and source.characters.endswith(("\n", "\r"))
        first = table.count if is_behind else table.row_at(start)
        last = first if start == end == table.start(first) else table.row_at(max(end - 1, start)) + 1
        rows = Span(table.start(first), table.start(last))
        changes = ChangeSet(tuple(splice.shift(-rows.start) for splice in splices))
        text = changes.apply(source.read(*rows))
        return cls((first + 1, last), text) if len(text) <= _KEPT else None


@sized("edit", "before", "after", "others", "corrected", "actual")
@dataclass(frozen=True, slots=True)
class Conflict:
    """One edit and the changes of others it touches; lines are those of the current text, the version `actual`.

    `is_moved`: they only moved the lines that it names by number. `writes` is what it would leave there if it were
    made over theirs.
    """

    path: str
    index: int | None
    edit: dict[str, object] | None
    lines: tuple[int, int]
    before: str
    after: str
    others: tuple[dict[str, object], ...]
    corrected: dict[str, object] | None = None
    is_secret: bool = False
    actual: str | None = None
    is_moved: bool = False
    writes: Writes | None = None

    @property
    def records(self) -> tuple[str, ...]:
        """The records of others it touches; a change outside Steadyhand has none."""
        return records_of(self.others)

    def facts(self) -> dict[str, object]:
        """What programs receive, and what the journal keeps."""
        others = self.others[:_SHOWN]
        shown: dict[str, object] = {"path": self.path, "lines": list(self.lines), "with": list(others)}
        if self.index is not None:
            shown["index"] = self.index
        if self.is_moved:
            shown["moved"] = True
        if self.is_secret:
            hidden = [{k: v for k, v in other.items() if k not in ("before", "after")} for other in others]
            return {**shown, "with": hidden}
        shown["yours"] = {"before": cut(self.before), "after": cut(self.after)}
        return shown if self.corrected is None else {**shown, "corrected": self.corrected}

    def to_error(self) -> EditError:
        """Both sides, who changed the other's text, and the edit that would go through if both are wanted."""
        first, last = self.lines
        where = f"line {first}" if first == last else f"lines {first} to {last}"
        hints: list[Hint] = [Reread()]
        if self.corrected is not None and not self.is_secret:
            aim = "to apply it where those lines are now" if self.is_moved else "to apply it to the current text"
            hints.insert(0, SendCorrected(aim))
        done = "moved the lines above" if self.is_moved else "changed"
        message = f"{self.named()} {done} {where} of {self.path} after you last read it"
        return EditError(Kind.CONFLICT, message, hint=hints, details=self.facts())

    def named(self) -> str:
        """Who the others are."""
        return names_of(self.others[:_SHOWN])


def records_of(others: Sequence[Mapping[str, object]]) -> tuple[str, ...]:
    """The records among the changes of others, each once."""
    return tuple(dict.fromkeys(str(other["record"]) for other in others if other.get("record")))


def names_of(others: Sequence[Mapping[str, object]]) -> str:
    """Who made some changes, as shown to people."""
    return " and ".join(dict.fromkeys(map(_name_of, others))) or "others"


def _name_of(other: Mapping[str, object]) -> str:
    if not other.get("record"):
        return OUTSIDE
    task = other.get("task")
    return str(Party(str(other["actor"]), None if task is None else str(task)))


def find_conflicts(
    path: str,
    planned: Plan,
    edits: Sequence[Edit],
    source: Source,
    unseen: Sequence[UnseenChange],
    shown: Sequence[Span],
    believed: Believed,
    uncounted: Callable[[Edit], Sequence[UnseenChange]],
    *,
    is_secret: bool,
) -> list[Conflict]:
    """The edits of a plan that overlap unseen changes, or whose line numbers these moved; places are those in `source`.

    `shown` are the parts of this very text that the party was shown, `believed` the edits as the party meant them.
    `uncounted` gives the unseen changes that the line numbers of an edit do not count: they came after.
    """
    if not unseen:
        return []
    theirs = [(item, item.region(source)) for item in unseen]
    proofs: dict[int, list[Span]] = {}
    for index, span in planned.proofs:
        proofs.setdefault(index, []).append(span)
    found: list[Conflict] = []
    for outcome in planned.outcomes:
        mine = [planned.changes.splices[number] for number in outcome.splices]
        regions, quoted = [region_of(source, splice) for splice in mine], proofs.get(outcome.index, [])
        edit = edits[outcome.index] if outcome.index < len(edits) else None
        hit = [(item, region) for item, region in theirs if _is_of_unseen(source, regions, item, region, ())]
        if hit and quoted:
            # Found by its old text alone, at one place: where the text that the party knows has it too, that place is
            # gone, and what is quoted is no proof that it knew.
            is_only = edit is not None and isinstance(edit.target, Old) and not outcome.others and len(quoted) == 1
            is_gone = is_only and source.read(*quoted[0]) in believed.text()
            hit = hit if is_gone else [at for at in hit if _is_of_unseen(source, regions, *at, quoted)]
        rows = Region.around(regions) if regions else Region(0, 0)
        above: list[tuple[UnseenChange, Region]] = []
        if edit is not None and mine and is_by_number(edit.target):
            theirs_above = theirs
            if any_above(rows, source, theirs):
                moving = uncounted(edit)
                theirs_above = [placed for placed in theirs if placed[0] in moving]
            above = moved_by(edit, mine, rows, source, theirs_above, shown)
        over = believed.over(outcome.index) if hit or above else []
        if above and over:  # then the numbers say where it would be, and what is meant is elsewhere
            places = [region_of(source, splice) for splice in over]
            hit = [(item, region) for item, region in theirs if _is_of_unseen(source, places, item, region, ())]
            mine = over
        if hit:
            found.append(_conflict(path, outcome.index, edit, source, mine, hit, over, is_secret=is_secret))
        elif above and edit is not None:
            conflict = _conflict(path, outcome.index, edit, source, mine, above, over, is_secret=is_secret)
            corrected = None if is_secret else corrected_lines(edit, rows, source, theirs_above, theirs)
            writes = conflict.writes if over else None
            found.append(replace(conflict, corrected=corrected, is_moved=True, writes=writes))
    return found


def whole_file(path: str, source: Source, unseen: Sequence[UnseenChange], *, is_secret: bool) -> Conflict:
    """What is done to a file as a whole, over what others changed in it."""
    others = tuple(_other(item, item.region(source), source.path) for item in unseen)
    return Conflict(path, None, None, (1, max(source.table.count, 1)), "", "", others, None, is_secret, source.digest)


def others_at(unseen: Sequence[UnseenChange], source: Source, *regions: Region) -> tuple[dict[str, object], ...]:
    """The changes of others that concern some rows, each once."""
    theirs = [(item, item.region(source)) for item in unseen]
    hit = [(item, place) for item, place in theirs if any(place.meets(row) or row.meets(place) for row in regions)]
    return tuple(_other(item, place, source.path) for item, place in hit)


def _is_of_unseen(
    source: Source, mine: Sequence[Region], item: UnseenChange, theirs: Region, proofs: Sequence[Span]
) -> bool:
    met = [region for region in mine if region.meets(theirs)]
    if not met:
        return False
    core = item.core(source)
    return any(not any(_knows(source, proof, core, region) for proof in proofs) for region in met)


def _knows(source: Source, proof: Span, core: Span, mine: Region) -> bool:
    """Whether what an edit quotes shows that its author has seen a change of others, as far as the two overlap."""
    if core.is_empty:
        return proof.start < core.start < proof.end
    if core.start <= proof.start and proof.end <= core.end:
        return True  # only words of theirs
    rows = Span(source.table.start(mine.start), source.table.start(mine.end))
    start, end = max(core.start, rows.start), min(core.end, rows.end)
    if start >= end:  # at a boundary: all of what was put in there
        start, end = core
    return proof.start <= start and end <= proof.end


def _conflict(
    path: str,
    index: int,
    edit: Edit | None,
    source: Source,
    mine: Sequence[Splice],
    hit: Sequence[tuple[UnseenChange, Region]],
    meant: Sequence[Splice],
    *,
    is_secret: bool,
) -> Conflict:
    rows = Region.around([region_of(source, splice) for splice in mine])
    before = "".join(splice.old for splice in mine)
    after = "".join(splice.new for splice in mine)
    unseen = [item for item, _ in hit]
    is_numbered = edit is not None and is_by_number(edit.target)  # of the lines as they were when it was written
    is_clear = not mixed(source, mine, unseen)
    over = meant if is_numbered or not is_clear else mine
    over = over or (mine if is_clear else ())
    offered = None
    if over and not is_secret and (is_clear or is_numbered):
        offered = _corrected(source, over, [region for _, region in hit], edit, [item.core(source) for item in unseen])
    return Conflict(
        path,
        index,
        None if edit is None or is_secret else edit_to_json(edit),
        rows.lines,
        before,
        after,
        tuple(_other(item, region, source.path) for item, region in hit),
        offered,
        is_secret,
        source.digest,
        writes=None if is_secret else Writes.of(source, over),
    )


def mixed(source: Source, mine: Sequence[Splice], unseen: Sequence[UnseenChange]) -> bool:
    """Whether splices of the present text would leave tokens that others have a part in too."""
    backs = [
        Splice(item.span.start, source.read(*item.span), "" if item.is_part else item.before)
        for item in unseen
        if not item.is_whole
    ]
    return any(mixes(source.text, splice, back) for splice in mine for back in backs)


def _corrected(
    source: Source, mine: Sequence[Splice], met: Sequence[Region], edit: Edit | None, theirs: Sequence[Span]
) -> dict[str, object] | None:
    """The edit rewritten so that it quotes what the others wrote; None where that would not be one place, or no proof.

    No quotation shows that what went away at an end of the file is known.
    """
    rows = Region.around([*(region_of(source, splice) for splice in mine), *met])
    start, end = source.table.start(rows.start), source.table.start(rows.end)
    if rows.is_boundary:
        start = source.table.start(max(rows.start - 1, 0))
        end = source.table.start(min(rows.end + 1, source.table.count))
    old = source.text[start:end]
    if not all(_knows(source, Span(start, end), core, rows) for core in theirs):
        return None
    if not old or len(old) > _LONGEST or source.text.find(old, source.text.find(old) + 1) >= 0:
        return None
    made, position = [], start
    for splice in mine:
        if splice.start < position or splice.end > end:
            return None
        made += [source.text[position : splice.start], splice.new]
        position = splice.end
    new = "".join([*made, source.text[position:end]])
    return edit_to_json(Replace(old, new, reason=edit.reason if edit is not None else None))


def by_nobody(region: Region, before: str, after: str) -> dict[str, object]:
    """A change outside Steadyhand as data."""
    return {
        "record": None,
        "by": "outside",
        "lines": list(region.lines),
        "before": cut(before),
        "after": cut(after),
    }


def _other(item: UnseenChange, region: Region, path: str | None) -> dict[str, object]:
    """One change of others as data."""
    if item.entry is None:
        return by_nobody(region, item.before, item.after)
    facts: dict[str, object] = {"lines": list(region.lines), "before": cut(item.before), "after": cut(item.after)}
    record = item.entry.record
    return {
        "record": record.id,
        "actor": record.actor,
        "task": record.task,
        "tool": record.tool,
        "time": record.time,
        "reason": _reason(item, path, record),
        **facts,
    }


def _reason(item: UnseenChange, path: str | None, record: Record) -> str | None:
    """Why: what the edit that wrote it gave, else what the whole record gives."""
    own = record.file(path or "")  # None: the file has another name by now
    for change in record.files if own is None else (own,):
        splices = change.changes.splices if change.changes is not None else ()
        for note in change.edits:
            hit = any(
                number < len(splices) and item.after in splices[number].new and item.before in splices[number].old
                for number in note.splices
            )
            if hit and note.reason is not None:
                return note.reason
    return record.reason


def cut(text: str) -> str:
    """As much of one side as is shown."""
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


CONFLICT, RESOLVED, REFUSAL = "conflict", "conflict-resolved", "refusal"
_LONGEST_MESSAGE = 300  # characters of a message that is kept
_LATELY = 50  # notes among which the same one is looked for
_OF_FIELDS = (Kind.BAD_REQUEST, Kind.REASON_REQUIRED, Kind.TOO_LARGE)  # what a field of the call may be refused with


class Reports:
    """The reports of one workspace."""

    def __init__(self, store: AnyStore) -> None:
        self._store = store

    def refused(self, header: Header, error: EditError, conflicts: Sequence[Conflict]) -> EditError:
        """Report a call that was refused; the refusal, with the names under which its conflicts are kept."""
        if header.trace is not None:
            header.trace.refusals += 1
        if error.kind is not Kind.CONFLICT or not conflicts:
            is_for_task = header.trace is not None and header.task is not None
            self._append(REFUSAL, _refusal(header, error, self._file(header, error)), may_begin=is_for_task)
            return error
        kept = self.kept(header, conflicts)
        return error.with_details(conflicts=kept) if kept else error

    def applied(self, header: Header, outcomes: Sequence[Outcome], conflicts: Sequence[Conflict]) -> None:
        """Report what a call that was applied in part has left out: its conflicts, and the files it did not change.

        An edit that was refused in a file that the call did change is part of the record.
        """
        self.kept(header, conflicts)
        reported = {outcome.path for outcome in outcomes if outcome.applied}
        for outcome in outcomes:
            error = outcome.error
            if error is not None and outcome.path not in reported and error.kind is not Kind.CONFLICT:
                self._append(REFUSAL, _refusal(header, error, outcome.path))
                reported.add(outcome.path)

    def kept(self, header: Header, conflicts: Sequence[Conflict]) -> list[str]:
        """Keep conflicts for a person to resolve; their ids. One that is kept already is not kept twice."""
        return [name for conflict in conflicts if (name := self._keep(header, conflict)) is not None]

    def observe(self, context: CallContext, path: str) -> bool:
        """Note that something else changed a file since the journal last knew it; False where nothing did."""
        from steadyhand.workspace.history.outside import NOTE, note_of

        resolved, image = self._store.read(path)
        if self._store.read_only:
            return False
        journal = self._store.writable_journal()
        stop = LatestRecords(journal).of(resolved)
        note = note_of(journal, resolved, image, stop, is_secret=self._store.is_secret(resolved))
        if note is None:
            return False
        who = {"actor": context.actor, "task": context.task, "tool": context.tool}
        journal.append_note(NOTE, {**note, **who})
        return True

    def _keep(self, header: Header, conflict: Conflict) -> str | None:
        body = {
            **_who(header), "reason": header.reason, "edit": conflict.edit, "actual": conflict.actual,
            **conflict.facts(),
        }  # fmt: skip
        if conflict.writes is not None:
            body["writes"] = {"lines": list(conflict.writes.lines), "text": conflict.writes.text}
        body.pop("index", None)
        same = self._same(body)
        if same is not None:
            return same
        name = new_record_id()
        return name if self._append(CONFLICT, {"id": name, **body}) else None

    def _same(self, body: dict[str, object]) -> str | None:
        """The id under which this very conflict is kept and not resolved, whatever changed elsewhere in the file."""
        wanted = _without_version(body)
        with contextlib.suppress(EditError):
            journal = self._store.journal
            resolved = {note.body.get("conflict") for note in islice(journal.notes(type=RESOLVED), _LATELY)}
            for note in islice(journal.notes(type=CONFLICT), _LATELY):
                kept = _without_version(note.body)
                if kept == wanted and note.body.get("id") not in resolved and not self._has_gone_on(body, note.seq):
                    return str(note.body.get("id"))
        return None

    def _has_gone_on(self, body: dict[str, object], seq: int) -> bool:
        """Whether the party has changed the file since a conflict was kept, which counts as its answer."""
        later = self._store.journal.entries(path=str(body["path"]), actor=str(body["actor"]), after_seq=seq)
        return any(entry.record.verb == "edit" and entry.record.task == body["task"] for entry in later)

    def _file(self, header: Header, error: EditError) -> str | None:
        """The file that was refused. The refusal may name a field instead: then the file that the call names."""
        path = error.details.get("path")
        if isinstance(path, str) and (error.kind not in _OF_FIELDS or self._is_there(path)):
            return path
        named = None if header.trace is None else header.trace.file
        return named if named is not None and self._is_there(named) else None

    def _is_there(self, path: str) -> bool:
        sandbox = self._store.sandbox
        with contextlib.suppress(EditError, OSError, ValueError), sandbox.place(path, writing=False) as place:
            return sandbox.stat(place) is not None
        return False

    def _append(self, type: str, body: dict[str, object], *, may_begin: bool = False) -> bool:
        """Whether it is in the journal now; `may_begin`: one may be made for it."""
        if self._store.read_only or not (may_begin or self._store.state.exists):
            return False
        try:
            self._store.writable_journal().append_note(type, body)
        except EditError:
            return False
        return True


def _without_version(body: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in body.items() if name not in ("id", "actual", "call")}


def _who(header: Header) -> dict[str, object]:
    who: dict[str, object] = {"actor": header.actor, "task": header.task, "tool": header.tool}
    trace = header.trace
    if trace is None:
        return who
    return {**who, "call": call_to_json(trace.call), **({} if trace.model is None else {"model": trace.model})}


def _refusal(header: Header, error: EditError, path: str | None) -> dict[str, object]:
    message = error.message.split("\n")[0][:_LONGEST_MESSAGE]
    return {
        **_who(header),
        "path": path,
        "kind": str(error.kind),
        "message": message,
        "reason": header.reason,
        **({"dialect": header.dialect} if header.dialect is not None else {}),
    }
