"""What a party's records come to in each file, hunk by hunk: what a reviewer decides about.

A hunk is a group of changed lines of the net change, from the file as it would be without the party's records to the
file as it is. Edits of others and changes outside the journal move it and do not belong to it. A created, deleted,
renamed or binary file is one hunk.

1. The id of a hunk is made of its text and of the splices that wrote it, so it stays the same whatever happens
   elsewhere in the file, and is another one as soon as its text is.
2. A hunk that can be taken back has the splices that do so, for the present text; one that others have changed since
   has none, and says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from steadyhand.errors import EditError
from steadyhand.lazy import dataclass, replace
from steadyhand.session.audit_article import Net, Passage, Written, net_of, steps_after
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.region import Region, region_of
from steadyhand.text.source import Source
from steadyhand.text.splice import Splice
from steadyhand.text.visible import sized
from steadyhand.workspace.history.file_history import Replays, recorded_text

if TYPE_CHECKING:
    from steadyhand.workspace.journal.record import EditNote, Entry, FileState

Status = Literal["edited", "created", "deleted", "renamed", "mode", "binary", "hidden"]

_ID_LENGTH = 12


@sized("before", "after", "undo")
@dataclass(frozen=True, slots=True)
class Hunk:
    """A group of changed lines, or a file that came, went, moved or is no text.

    `lines` are those of the present text, of a hunk that only removed lines the one behind it; None where the text is
    no longer there. `undo` takes the hunk back in the present text.
    """

    id: str
    path: str
    status: Status
    lines: tuple[int, int] | None
    before: str
    after: str
    entries: tuple[Entry, ...]
    notes: tuple[EditNote, ...]
    undo: tuple[Splice, ...] = ()
    is_overlapped: bool = False
    first: FileState | None = None  # the file before the party's records
    last: FileState | None = None

    @property
    def reason(self) -> str | None:
        given = dict.fromkeys(note.reason for note in self.notes if note.reason)
        return "; ".join(given) or next((e.record.reason for e in reversed(self.entries) if e.record.reason), None)


@dataclass(frozen=True, slots=True)
class _Group:
    """Splices of a net change that share a line, by their numbers, and the rows they concern on both sides."""

    members: list[int]
    before: Region
    after: Region


def hunks_of(way: Sequence[Passage], replays: Replays, present: bytes | None) -> list[Hunk]:
    """The hunks of the chosen records of a file, in its order. `present` is the file now, None where there is none."""
    chosen = [passage for passage in way if passage.is_chosen]
    standing = [p for p in chosen if p.entry.undone_by is None and p.entry.record.verb == "edit"]
    if not standing:
        return []
    first, last = chosen[0].change.before, way[-1].change.after
    entries = tuple(passage.entry for passage in standing)
    found: list[Hunk] = []
    if first is not None and last is not None and first.path != last.path and _moved(chosen):
        found.append(_whole("renamed", first.path, last.path, entries, first, last))
    if first is not None and last is not None and present is not None and first.mode != last.mode:
        found.append(_whole("mode", f"{first.mode:04o}", f"{last.mode:04o}", entries, first, last))
    before, after = first and first.digest, last and last.digest
    if any(passage.change.redacted for passage in chosen):
        return found + ([_whole("hidden", "", "", entries, first, last)] if before != after else [])
    if present is None:
        return found + (_deleted(chosen, replays, entries, first) if last is None and first is not None else [])
    if Source.of_bytes(present).is_binary or any(_is_bytes(passage) for passage in standing):
        status: Status = "binary" if first is not None else "created"
        return found + ([_whole(status, "", "", entries, first, last)] if before != after else [])
    return found + _text_hunks(way, replays, present, first, last)


def _text_hunks(
    way: Sequence[Passage], replays: Replays, present: bytes, first: FileState | None, last: FileState | None
) -> list[Hunk]:
    text = recorded_text(way[-1].change, present).text
    path = last.path if last is not None else way[-1].change.path
    net = net_of(way, replays, text)
    if net is None:
        return list(_apart(way, replays, text, path))
    net = replace(net, changes=_settled(net.changes))
    if first is None:
        entries = tuple({edit.entry.record.id: edit.entry for edit in net.written}.values())
        notes = tuple(edit.note for edit in net.written)
        rows = max(1, Source.of_text(text).table.count)
        name = _id("created", path, "", text, [(entry.record.id, 0) for entry in entries])
        return [Hunk(name, path, "created", (1, rows), "", text, entries, notes, first=None, last=last)]
    return list(_hunks(net, path))


def _hunks(net: Net, path: str) -> Iterator[Hunk]:
    """The hunks of a net change."""
    before, after = Source.of_text(net.before), Source.of_text(net.after)
    inverse = net.changes.invert().splices
    hands = net.hands()
    for group in _groups(net.changes, before, after):
        made = sorted({hand for member in group.members for hand in hands[member]})
        edits = [net.written[number] for number in dict.fromkeys(number for number, _ in made)]
        yield _hunk(
            path,
            group.after.lines,
            (_rows(before, group.before), _rows(after, group.after)),
            edits,
            [(net.written[number].entry.record.id, splice) for number, splice in made],
            tuple(inverse[member] for member in group.members),
        )


def _apart(way: Sequence[Passage], replays: Replays, present: str, path: str) -> Iterator[Hunk]:
    """The hunks of each record by itself, where others have changed the same text; some are no longer there."""
    for at, passage in enumerate(way):
        if not passage.is_chosen or passage.entry.undone_by is not None or passage.entry.record.verb != "edit":
            continue
        net = net_of([passage], replays)
        if net is None or not net.changes:
            continue
        later = steps_after(way, at, replays, present)
        for hunk in _hunks(net, path):
            yield _carried(hunk, later, present, passage)


def _carried(hunk: Hunk, later: ChangeSet, present: str, passage: Passage) -> Hunk:
    """The hunk of a record in the present text; without what takes it back where others changed its text."""
    moved: list[Splice] = []
    for splice in hunk.undo:
        span = later.map_span(splice.span)
        if span is None or present[span.start : span.end] != splice.old:
            return Hunk(
                hunk.id, hunk.path, hunk.status, None, hunk.before, hunk.after, (passage.entry,), hunk.notes,
                is_overlapped=True,
            )  # fmt: skip
        moved.append(Splice(span.start, splice.old, splice.new))
    source = Source.of_text(present)
    lines = region_of(source, moved[0]).lines[0], region_of(source, moved[-1]).lines[1]
    return Hunk(
        hunk.id, hunk.path, hunk.status, lines, hunk.before, hunk.after, (passage.entry,), hunk.notes, tuple(moved)
    )


def _hunk(
    path: str,
    lines: tuple[int, int],
    texts: tuple[str, str],
    edits: Sequence[Written],
    made: list[tuple[str, int]],
    undo: tuple[Splice, ...],
) -> Hunk:
    entries = tuple({edit.entry.record.id: edit.entry for edit in edits}.values())
    notes = tuple(edit.note for edit in edits)
    return Hunk(_id("edited", path, *texts, made), path, "edited", lines, *texts, entries, notes, undo)


def _settled(changes: ChangeSet) -> ChangeSet:
    """The same change where text that went away and text that came in its place are one splice.

    What was deleted and put back comes to nothing then.
    """
    found: list[Splice] = []
    for splice in changes.splices:
        last = found[-1] if found else None
        if last is not None and last.end == splice.start and _is_one_sided(last) and _is_one_sided(splice):
            found[-1] = Splice(last.start, last.old + splice.old, last.new + splice.new)
        else:
            found.append(splice)
    return ChangeSet.of(found)


def _is_one_sided(splice: Splice) -> bool:
    return not splice.old or not splice.new


def _groups(changes: ChangeSet, before: Source, after: Source) -> list[_Group]:
    """Splices together where they concern the same line of one of the two texts."""
    found: list[_Group] = []
    pairs = zip(changes.splices, changes.invert().splices, strict=True)
    for number, (splice, inverse) in enumerate(pairs):
        mine, theirs = region_of(before, splice), region_of(after, inverse)
        if found and (mine.start < found[-1].before.end or theirs.start < found[-1].after.end):
            found[-1].members.append(number)
            group = found.pop()
            found.append(_Group(group.members, _joined(group.before, mine), _joined(group.after, theirs)))
        else:
            found.append(_Group([number], mine, theirs))
    return found


def _joined(one: Region, other: Region) -> Region:
    return Region(min(one.start, other.start), max(one.end, other.end))


def _rows(source: Source, region: Region) -> str:
    span = None if region.is_boundary else source.table.span_of(region.start, region.end - 1)
    return "" if span is None else source.text[span.start : span.end]


def _deleted(
    chosen: Sequence[Passage], replays: Replays, entries: tuple[Entry, ...], first: FileState | None
) -> list[Hunk]:
    passage = chosen[-1]
    if not passage.change.is_delete:
        return []
    try:
        text = replays.texts(passage.entry, passage.change)[0]
    except EditError:  # its image is gone
        text = ""
    before = passage.change.before
    return [_whole("deleted", text, "", entries, first if before is None else before, None)]


def _whole(
    status: Status,
    before: str,
    after: str,
    entries: tuple[Entry, ...],
    first: FileState | None,
    last: FileState | None,
) -> Hunk:
    """A hunk that is about a file, not about lines."""
    state = last or first
    assert state is not None
    sides = [side.digest for side in (first, last) if side is not None]
    name = _id(status, state.path, before, after + "\0".join(sides), [(entry.record.id, 0) for entry in entries])
    notes = tuple(note for entry in entries for change in entry.record.files for note in change.edits)
    return Hunk(name, state.path, status, None, before, after, entries, notes, first=first, last=last)


def _moved(chosen: Sequence[Passage]) -> bool:
    return any(passage.change.is_rename for passage in chosen)


def _is_bytes(passage: Passage) -> bool:
    """Whether a record put whole bytes in that are no text."""
    change = passage.change
    return change.content_changed and change.changes is None and change.before is not None and change.after is not None


def _id(status: str, path: str, before: str, after: str, made: list[tuple[str, int]]) -> str:
    """The path is part of it only where there are no records: a file that is renamed keeps its hunks."""
    who = [f"{record}:{splice}" for record, splice in made] or [path]
    data = "\0".join((status, before, after, *who)).encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()[:_ID_LENGTH]


def amended(hunk: Hunk, present: str, text: str) -> Splice:
    """What puts a reviewer's text in the place of a hunk's lines."""
    if hunk.status == "created":
        return Splice(0, present, text)
    source = Source.of_text(present)
    regions = [region_of(source, splice) for splice in hunk.undo]
    rows = Region(regions[0].start, max(region.end for region in regions))
    start = source.table.start(rows.start)
    old = _rows(source, rows)
    if text and not text.endswith("\n") and (old.endswith("\n") or start + len(old) < len(present)):
        text += "\n"
    return Splice(start, old, text)
