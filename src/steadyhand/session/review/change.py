"""A change to review as data: what is risky about it, what was decided, and the patch that it is part of.

Decisions are notes of the journal; `Verdicts` says which of them are in force, and about which changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from typing import TYPE_CHECKING, Literal

from steadyhand.lazy import dataclass, field, replace
from steadyhand.schema import fields_as_json
from steadyhand.session.review.hunks import Hunk, Status
from steadyhand.text.gitname import quote_name
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source
from steadyhand.text.unified import render_unified
from steadyhand.text.visible import sized
from steadyhand.workspace.held.notes import group_of_party
from steadyhand.workspace.journal.record import Entry, Note, Record, pair, word

if TYPE_CHECKING:
    from steadyhand.session.receipt import Receipt
    from steadyhand.workspace.overlay import FileOp


State = Literal["undecided", "accepted", "rejected", "amended"]

FLAGS = {
    "tolerant": "the quotation did not match exactly",
    "shrinks": "it removes much more than it adds",
    "front-matter": "it changes the front matter or head of a page",
    "instructions": "the file steers agents, CI or tools",
    "placeholder": "a line looks like a placeholder for omitted text",
    "forced": "it overwrote a change that its task had not read",
    "no-evidence": "the impact run had no reason to change this file",
    "broken-link": "it breaks a link of a page",
    "unseen": "what it changed is not shown: secrets or binary data",
    "unchecked": "there is no syntax check for this file",
    # What happened since, and not how risky it is:
    "overlapped": "others changed the same lines since",
    "changed": "its text differs from the one that was decided on",
    "again": "it was made again after a rejection",
    "conflict": "others have changed the same lines on disk; accepting is refused, amending is not",
}
_SHRINK_FROM = 10  # lines


@sized("disk", "held")
@dataclass(frozen=True, slots=True)
class DiskConflict:
    """Both sides of a held change whose lines others have changed on the disk: their text and the held one.

    `lines` are those of the disk's text; None where the file or those lines are gone.
    """

    lines: tuple[int, int] | None
    disk: str
    held: str

    def to_json(self) -> dict[str, object]:
        return fields_as_json(self)


@sized("before", "after")
@dataclass(frozen=True, slots=True)
class ReviewChange:
    """A change to review: a hunk with its reason, who made it and how, what is risky about it and what was decided.

    `lines` are those of the present file; None where the text is not there. `flags` are of `FLAGS`.

    `held`: the change waits in its task's layer and is not on the disk; `lines` are those of the held text then, and
    `conflict` says what is on the disk where others have changed the same lines.
    """

    id: str
    path: str
    status: Status
    lines: tuple[int, int] | None
    before: str
    after: str
    reason: str | None
    actor: str
    task: str | None
    tool: str
    model: str | None
    tier: str | None
    time: str
    records: tuple[str, ...]
    state: State = "undecided"
    flags: tuple[str, ...] = ()
    by: str | None = None
    remark: str | None = None
    comments: tuple[str, ...] = ()
    evidence: tuple[object, ...] = ()
    held: bool = False
    conflict: DiskConflict | None = None

    def to_json(self) -> dict[str, object]:
        return fields_as_json(self)


@dataclass(frozen=True, slots=True)
class AutoAccept:
    """Changes that need no person: every field that is given must fit. Changes with a risk flag always wait.

    `path` is a glob, `lines` the most lines that the larger side may have.
    """

    path: str | None = None
    tool: str | None = None
    tier: str | None = None
    actor: str | None = None
    lines: int | None = None

    def takes(self, change: ReviewChange) -> bool:
        from steadyhand.workspace.files.listing import parse_glob

        if change.flags or change.status not in ("edited", "created"):
            return False
        size = max(len(split_bodies(change.before)), len(split_bodies(change.after)))
        return (
            (self.path is None or parse_glob(self.path).matches(change.path.split("/")))
            and self.tool in (None, change.tool)
            and self.tier in (None, change.tier)
            and self.actor in (None, change.actor)
            and (self.lines is None or size <= self.lines)
        )


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided, about which changes, and the receipts of what that changed."""

    id: str
    state: str
    changes: tuple[str, ...]
    receipts: tuple[Receipt, ...] = ()


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a reviewer said about a change, for the task that made it."""

    id: str
    path: str
    lines: tuple[int, int] | None
    state: str
    remark: str | None
    before: str
    after: str
    now: str | None
    reason: str | None
    by: str
    time: str

    def to_json(self) -> dict[str, object]:
        return fields_as_json(self)


def is_in(path: str, place: str | None) -> bool:
    """Whether a path is a file or in a directory; None is the whole tree."""
    return place is None or path == place or path.startswith(f"{place}/")


def by_group(changes: Sequence[ReviewChange]) -> dict[str, list[ReviewChange]]:
    """The changes of each task."""
    found: dict[str, list[ReviewChange]] = {}
    for change in changes:
        found.setdefault(group_of_party(change.actor, change.task), []).append(change)
    return found


def by_part(changes: Sequence[ReviewChange]) -> Iterator[tuple[str, list[ReviewChange]]]:
    """The changes of each task; those that are held apart from those on the disk."""
    for group, made in by_group(changes).items():
        for is_held in (True, False):
            some = [change for change in made if change.held is is_held]
            if some:
                yield group, some


def flags_of(hunk: Hunk, *, is_flagged: bool) -> Iterator[str]:
    """What is risky about a hunk, apart from what happened to it since."""
    from steadyhand.plan.guards import is_placeholder
    from steadyhand.structure.format import format_of

    if not {note.tier for note in hunk.notes}.isdisjoint(_tolerant()):
        yield "tolerant"
    if hunk.before.count("\n") >= _SHRINK_FROM and hunk.after.count("\n") * 2 < hunk.before.count("\n"):
        yield "shrinks"
    if hunk.is_front or (hunk.path.lower().endswith((".md", ".mdx", ".markdown")) and _says_about_page(hunk)):
        yield "front-matter"
    if is_flagged:
        yield "instructions"
    added = set(split_bodies(hunk.after)) - set(split_bodies(hunk.before))
    if any(is_placeholder(line, hunk.path) for line in added):
        yield "placeholder"
    if any(note.forced for note in hunk.notes):
        yield "forced"
    if hunk.status in ("binary", "hidden"):
        yield "unseen"
    if hunk.status == "edited" and format_of(hunk.path) is None and "." in hunk.path.rsplit("/", 1)[-1]:
        yield "unchecked"


@cache
def _tolerant() -> frozenset[str]:
    """The tiers that find old text which is not quoted to the letter; what is addressed otherwise is not quoted."""
    from steadyhand.match.tier import step_names

    return frozenset(step_names()) - {"exact", "newline"}


def _says_about_page(hunk: Hunk) -> bool:
    """Whether a hunk has a key by which a page says what it is about, which may be in a comment too."""
    rows = split_bodies(hunk.before + hunk.after)
    return any(row.split(":", 1)[0].strip() in ("jrn", "attention") for row in rows if ":" in row)


TOOLSET = "review"


@dataclass(frozen=True, slots=True)
class Said:
    """A note of a review. `items` has what was known of each change then."""

    seq: int
    time: str
    id: str
    state: str
    group: str
    by: str
    remark: str | None
    items: tuple[Mapping[str, object], ...]
    of: str | None = None  # the decision that this one takes back
    whole: str | None = None  # the decision that this is one task's part of
    held: bool = False  # what it is about was held


def group_of(record: Record) -> str:
    """Whose work a record is: a task's or, without one, an actor's. A reviewer's record is part of what it is about."""
    if record.call is not None and record.call.toolset == TOOLSET:
        return record.call.conversation
    return group_of_party(record.actor, record.task)


def is_review(record: Record) -> bool:
    """Whether a reviewer made the record."""
    return record.call is not None and record.call.toolset == TOOLSET


@dataclass(slots=True)
class Verdicts:
    """What was decided about the changes of one group, oldest first."""

    said: list[Said]
    records: Mapping[str, Entry]
    _last: dict[str, Said] = field(default_factory=dict)
    _comments: dict[str, list[str]] = field(default_factory=dict)
    _known: dict[str, set[tuple[str, str]]] = field(default_factory=dict)  # by record, what was decided: id and before
    _rejected: dict[tuple[str | None, ...], int] = field(default_factory=dict)  # path and texts, and in which row

    def __post_init__(self) -> None:
        for said in self.said:
            for item in said.items:
                name = str(item.get("id"))
                if said.state == "commented":
                    self._comments.setdefault(name, []).append(said.remark or "")
                    continue
                self._last[name] = said
                if said.state == "rejected":
                    self._rejected[word(item, "path"), word(item, "before"), word(item, "after")] = said.seq
                for record in self._made_by(said, item):
                    self._known.setdefault(record, set()).add((name, word(item, "before") or ""))

    def _made_by(self, said: Said, item: Mapping[str, object]) -> list[str]:
        """The records of the text that was decided for."""
        if said.state == "amended":
            return [self.records[said.id].record.id]
        records = item.get("records")
        return list(map(str, records)) if isinstance(records, list) and said.state == "accepted" else []

    def on(self, change: ReviewChange, entries: Sequence[Entry], present: AbstractSet[str]) -> ReviewChange:
        """The change with what was decided about it; `entries` had a hand in it, oldest first.

        `present` are the ids of all changes that there are: what was decided about one of them was not about this one.
        """
        change = replace(change, comments=tuple(self._comments.get(change.id, ())))
        if change.held:  # what is decided about is held no more
            return change
        said = self._last.get(change.id)
        if said is not None and said.state == "accepted":
            return replace(change, state="accepted", by=said.by, remark=said.remark)
        for entry in reversed(entries):
            if not is_review(entry.record):
                break
            call = entry.record.call
            said = next((each for each in self.said if call is not None and each.id == call.id), None)
            if said is not None and said.state == "rejected":  # it only brought text back, here or beside it
                continue
            state: State = "accepted" if said is not None and said.state == "accepted" else "amended"
            by = entry.record.actor if said is None else said.by
            return replace(change, state=state, by=by, remark=None if said is None else said.remark)
        known = {each for entry in entries for each in self._known.get(entry.record.id, ())}
        if len(entries) > 1 and any(name not in present and before in change.before for name, before in known):
            return replace(change, flags=(*change.flags, "changed"))
        return change

    def happened(self, hunk: Hunk) -> Iterator[str]:
        """What happened to a hunk that matters to whoever decides about it."""
        if hunk.is_overlapped:
            yield "overlapped"
        row = self._rejected.get((hunk.path, hunk.before, hunk.after))
        if row is not None and any(each.seq > row and not is_review(each.record) for each in hunk.entries):
            yield "again"

    def rejected(self, path: str | None, since: str | None) -> Iterator[ReviewChange]:
        """What was taken back, as it was then."""
        for said in self.said:
            for item in said.items if said.state == "rejected" and said.id in self.records else ():
                place = word(item, "path") or ""
                if is_in(place, path) and (since is None or said.time >= since):
                    yield _rejected(said, item)


def item_of(change: ReviewChange) -> dict[str, object]:
    """What a note keeps of a change that was decided about."""
    facts = change.to_json()
    return {
        name: facts[name]
        for name in ("id", "path", "status", "lines", "before", "after", "reason", "actor", "task", "tool", "model",
                     "tier", "time", "records")
    }  # fmt: skip


def read_note(note: Note) -> Said | None:
    """A note of another version may lack a field or have one of another type: then it counts for nothing."""
    body = note.body
    name, state, group = (word(body, key) for key in ("decision", "state", "group"))
    items = body.get("changes")
    if name is None or state is None or group is None or not isinstance(items, list):
        return None
    kept = tuple(item for item in items if isinstance(item, dict))
    return Said(
        note.seq, note.time, name, state, group, word(body, "actor") or "", word(body, "remark"), kept,
        word(body, "of"), word(body, "whole"), body.get("held") is True,
    )  # fmt: skip


def _rejected(said: Said, item: Mapping[str, object]) -> ReviewChange:
    records = item.get("records")
    return ReviewChange(
        word(item, "id") or "", word(item, "path") or "", _status(item), None,
        word(item, "before") or "", word(item, "after") or "", word(item, "reason"), word(item, "actor") or "",
        word(item, "task"), word(item, "tool") or "", word(item, "model"), word(item, "tier"),
        word(item, "time") or said.time, tuple(map(str, records)) if isinstance(records, list) else (),
        state="rejected", by=said.by, remark=said.remark,
    )  # fmt: skip


def _status(item: Mapping[str, object]) -> Status:
    known: dict[str, Status] = {
        "created": "created", "deleted": "deleted", "renamed": "renamed", "mode": "mode", "binary": "binary",
        "hidden": "hidden",
    }  # fmt: skip
    return known.get(word(item, "status") or "", "edited")


def feedback_of(said: Said, item: Mapping[str, object], here: ReviewChange | None, made: Entry | None) -> Feedback:
    """What a task hears of a decision. `here` is the change as it is now, `made` the record of the decision."""
    lines = here.lines if here is not None else pair(item.get("lines"))
    return Feedback(
        word(item, "id") or "", word(item, "path") or "" if here is None else here.path, lines, said.state,
        said.remark, word(item, "before") or "", word(item, "after") or "",
        here.after if here is not None and made is not None else None, word(item, "reason"), said.by, said.time,
    )  # fmt: skip


_BYTES = "latin-1"  # a character for each byte: a diff of these is one of the bytes


def patch_of(ops: Iterable[FileOp]) -> bytes:
    """The patch from the files after some operations to the files before them, sorted by path.

    A file with secrets and one that is no text are named in a comment, for which a patch has no place.
    """
    return b"".join(_backwards(op) for op in sorted(ops, key=lambda op: op.before_path or op.after_path or ""))


def _backwards(op: FileOp) -> bytes:
    present = b"" if op.before is None else op.before.data
    without = b"" if op.after_path is None else present if op.data is None else op.data
    if op.secret or any(Source.of_bytes(side).is_binary for side in (present, without)):
        why = "the content is not shown" if op.secret else "it is not text"
        return f"# {quote_name(op.before_path or op.after_path or '')}: left out; {why}\n".encode()
    modes = (op.mode, None if op.before is None else op.before.mode)
    if op.after_path is not None and op.mode is None:  # the mode stays
        modes = (None, None)
    patch = render_unified(
        without.decode(_BYTES), present.decode(_BYTES), op.after_path, op.before_path, git=True,
        mode_before=modes[0], mode_after=modes[1],
    )  # fmt: skip
    head, mark, body = patch.partition("\n@@ ")  # the head names files, in UTF-8
    return head.encode("utf-8", "surrogateescape") + (mark + body).encode(_BYTES)
