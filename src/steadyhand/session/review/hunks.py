"""The net effect of a party's records on each file, hunk by hunk: the units that a reviewer decides about.

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
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, TypeVar

from steadyhand.errors import EditError
from steadyhand.lazy import dataclass, replace
from steadyhand.session.audit_article import (
    Net,
    Passage,
    Steps,
    Written,
    net_of,
    shares,
    steps_of,
    touching,
    written_until,
)
from steadyhand.text.changeset import ChangeSet, is_one_sided, settled
from steadyhand.text.lines import split_bodies
from steadyhand.text.region import Region, region_of
from steadyhand.text.source import Source
from steadyhand.text.splice import Splice
from steadyhand.text.visible import sized
from steadyhand.workspace.history.file_history import Replays, recorded_text

if TYPE_CHECKING:
    from steadyhand.workspace.journal.record import EditNote, Entry, FileChange, FileState

T = TypeVar("T")
Status = Literal["edited", "created", "deleted", "renamed", "mode", "binary", "hidden"]

_ID_LENGTH = 12
_FRONT_MARKS = ("---", "+++", "\ufeff---", "\ufeff+++")


@sized("before", "after", "undo")
@dataclass(frozen=True, slots=True)
class Hunk:
    """A group of changed lines, or a file that came, went, moved or is no text.

    `lines` are those of the present text, of a hunk that only removed lines the one behind it; None where the text is
    no longer there. `undo` takes the hunk back in the present text, `splices` make it in the text without it.
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
    splices: tuple[Splice, ...] = ()
    is_overlapped: bool = False
    is_front: bool = False  # it reaches into the front matter of a page, as it was or as it is
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


def hunks_of(
    way: Sequence[Passage],
    replays: Replays,
    present: bytes | None,
    known: dict[str, Steps],
    *,
    is_hidden: bool = False,
) -> list[Hunk]:
    """The hunks of the chosen records of a file, in its order. `present` is the file now, None where there is none.

    `known` is what was found out about present files so far, by their paths; this one is added. `is_hidden`: what the
    file says is not to be had.
    """
    chosen = [passage for passage in way if passage.is_chosen]
    in_effect = [p for p in chosen if p.entry.undone_by is None and p.entry.record.verb == "edit"]
    if not in_effect:
        return []
    first, last = chosen[0].change.before, way[-1].change.after
    found: list[Hunk] = []
    kept = [passage for passage in in_effect if passage.change.before and passage.change.after]
    if last is not None and (moved := _own(kept, lambda state: state.path)):
        was, now, is_cut = moved
        assert was is not None and now is not None
        hunk = whole_hunk("renamed", was.path, now.path, in_effect, was, last)
        found.append(replace(hunk, is_overlapped=is_cut or now.path != last.path))
    if last is not None and present is not None and (turned := _own(kept, lambda state: state.mode)):
        was, now, is_cut = turned
        assert was is not None and now is not None
        hunk = whole_hunk("mode", f"{was.mode:04o}", f"{now.mode:04o}", in_effect, was, last)
        found.append(replace(hunk, is_overlapped=is_cut or now.mode != last.mode))
    is_hidden = is_hidden or any(passage.change.redacted for passage in chosen)
    if present is None and not is_hidden:
        return found + (_deleted(chosen, replays, in_effect, first) if last is None and first is not None else [])
    is_bytes = present is not None and Source.of_bytes(present).is_binary
    if is_hidden or is_bytes or any(_is_bytes(passage) for passage in in_effect):
        written = _own(in_effect, lambda state: state.digest)
        if written is None:
            return found
        was, now, is_cut = written
        status: Status = "hidden" if is_hidden else "binary" if was is not None else "created"
        hunk = whole_hunk(status, "", "", in_effect, was, last)
        return [*found, replace(hunk, is_overlapped=is_cut or (now and now.digest) != (last and last.digest))]
    assert present is not None
    hunks = _text_hunks(way, replays, present, known, first, last)
    # What no edit wrote, such as an undo of somebody else's change along with an own one, is by the newest record.
    return found + [hunk if hunk.entries else replace(hunk, entries=(chosen[-1].entry,)) for hunk in hunks]


def unique(hunks: Iterable[tuple[Hunk, T]]) -> Iterator[tuple[Hunk, T]]:
    """The hunks without those that others wrote over and that are listed already: a file that was deleted and made
    again, and is back under its name, has its past in both.
    """
    listed: set[str] = set()
    for hunk, more in sorted(hunks, key=lambda each: each[0].is_overlapped):
        if not (hunk.is_overlapped and hunk.id in listed):
            listed.add(hunk.id)
            yield hunk, more


def text_of(way: Sequence[Passage], present: bytes) -> Source:
    """A file as its records read it: in the encoding that the newest of them has which read text."""
    read = (passage.change for passage in reversed(way) if passage.change.encoding is not None)
    return recorded_text(next(read, way[-1].change), present)


def _own(
    passages: Sequence[Passage], fact: Callable[[FileState], object]
) -> tuple[FileState | None, FileState | None, bool] | None:
    """The file before and after what some records did to one fact of it, and whether others did so in between.

    None where they come to nothing.
    """
    pairs = [(passage.change.before, passage.change.after) for passage in passages]
    facts = [(before and fact(before), after and fact(after)) for before, after in pairs]
    own = [at for at, (before, after) in enumerate(facts) if before != after]
    if not own or facts[own[0]][0] == facts[own[-1]][1]:
        return None
    is_cut = any(facts[one][1] != facts[two][0] for one, two in pairwise(own))
    return pairs[own[0]][0], pairs[own[-1]][1], is_cut


def _text_hunks(
    way: Sequence[Passage],
    replays: Replays,
    present: bytes,
    known: dict[str, Steps],
    first: FileState | None,
    last: FileState | None,
) -> list[Hunk]:
    text = text_of(way, present).text
    path = last.path if last is not None else way[-1].change.path
    if path not in known or known[path].after != text:
        known[path] = steps_of(way, replays, text)
    net = net_of(way, known[path], is_apart=_is_apart)
    if net is None:
        return list(_sound(_apart(way, known[path], path), known[path]))
    net = replace(net, changes=settled(net.changes))
    if first is None and not net.before:
        entries = tuple({edit.entry.record.id: edit.entry for edit in net.written}.values())
        notes = tuple(edit.note for edit in net.written)
        rows = max(1, Source.of_text(text).table.count)
        name = _id("created", path, "", text, [f"{edit.entry.record.id}:{edit.path}" for edit in net.written])
        is_front = _front_rows(path, text) > 0
        return [Hunk(name, path, "created", (1, rows), "", text, entries, notes, is_front=is_front, last=last)]
    return list(_sound(hunks_in(net, path), known[path]))


def _sound(hunks: Iterable[Hunk], known: Steps) -> Iterator[Hunk]:
    """Hunks that are taken back as they are shown, line by line, and leave every other line a line of its own.

    Where a file had no line end at its end, somebody may have relied on the one that a hunk brought: then it cannot be
    taken back.
    """
    source = Source.of_text(known.after)
    was_open = not known.total.invert().apply(known.after).endswith(("\n", "\r"))
    for hunk in hunks:
        if hunk.is_overlapped or hunk.lines is None:
            yield hunk
        elif hunk.before != hunk.after:
            start = source.table.start(hunk.lines[0] - 1)
            end = start + len(hunk.after)
            undo = [splice for splice, _ in _by_lines(ChangeSet(hunk.undo), source.text)]
            is_inside = all(start <= splice.start and splice.end <= end for splice in undo)
            is_glued = was_open and any(_opens(splice, source.text) for splice in undo)
            back = ChangeSet(tuple(splice.shift(-start) for splice in undo)) if is_inside else ChangeSet()
            if is_glued or back.apply(hunk.after) != hunk.before:
                hunk = replace(hunk, lines=None, undo=(), splices=(), is_overlapped=True)
            yield hunk


def _opens(splice: Splice, text: str) -> bool:
    """Whether a splice leaves a line without the line end that it had, and another line behind it."""
    is_opened = splice.new != "" and splice.old.endswith(("\n", "\r")) and not splice.new.endswith(("\n", "\r"))
    return is_opened and text[splice.end : splice.end + 1] not in ("", "\n", "\r")


def hunks_in(net: Net, path: str) -> Iterator[Hunk]:
    """The hunks of a net change."""
    net = replace(net, changes=net.changes.trim())  # what stays as it is on both sides of a splice is in no hunk
    before, after = Source.of_text(net.before), Source.of_text(net.after)
    inverse = net.changes.invert().splices
    hands, makers = net.hands(), net.hands(shares)
    fronts = _front_rows(path, net.before), _front_rows(path, net.after)
    known: dict[object, int] = {}
    for group in _groups(net.changes, before, after):
        met = sorted({hand for member in group.members for hand in hands[member]})
        # The newest that wrote there says which hunk it is: an older place may reach into what was put in beside it.
        # Where text only went away, and nothing says who took it, it is the oldest: what comes later is beside it.
        there = sorted({hand for member in group.members for hand in makers[member]})
        made = tuple(hand for hand in there if hand[0] == there[-1][0]) or tuple(met[:1])
        edits = [net.written[number] for number in dict.fromkeys(number for number, _ in met)]
        sides = _rows(before, group.before), _rows(after, group.after)
        known[made, sides] = number = known.get((made, sides), 0) + 1
        twin = [f"the same {number}"] if number > 1 else []
        entries = tuple({edit.entry.record.id: edit.entry for edit in edits}.values())
        notes = tuple(edit.note for edit in edits)
        name = _id("edited", path, *sides, [*(_name(net.written[number], place) for number, place in made), *twin])
        yield Hunk(
            name,
            path,
            "edited",
            group.after.lines,
            *sides,
            entries,
            notes,
            tuple(inverse[member] for member in group.members),
            tuple(net.changes.splices[member] for member in group.members),
            is_front=group.before.start < fronts[0] or group.after.start < fronts[1],
        )


def _apart(way: Sequence[Passage], known: Steps, path: str) -> Iterator[Hunk]:
    """The hunks where others have changed the same text: those that they met are as they were just before."""
    chosen = {passage.entry.record.id for passage in way if passage.is_chosen}
    text = known.total.invert().apply(known.after)
    undo = ChangeSet()  # what takes the chosen records back in `text`
    lost: list[_Lost] = []
    for at, step in enumerate(known.steps):
        if step.is_in(chosen):
            undo = settled(undo.invert().compose(step.changes)).invert()
        else:
            moved = _moved(undo.splices, step.changes)
            if None in moved:
                net = Net(undo.invert(), text, written_until(known, chosen, at))
                met = _Lost([], ChangeSet())
                moved = []
                for hunk in hunks_in(net, path):
                    there = _moved(hunk.undo, step.changes)
                    if None in there:
                        met.hunks.append(hunk)
                    else:
                        moved += there
                lost.append(met)
            undo = ChangeSet.of(splice for splice in moved if splice is not None)
        text = step.changes.apply(text)
        for met in lost:
            undo = met.follow(step.changes, undo)
    net = Net(undo.invert(), known.after, written_until(known, chosen, len(known.steps)))
    yield from hunks_in(net, path)
    for hunk in (hunk for met in lost for hunk in met.hunks if hunk.entries):
        yield replace(hunk, lines=None, undo=(), splices=(), is_overlapped=True)


@dataclass(slots=True)
class _Lost:
    """Hunks that somebody has changed, and all that happened since; what is taken back brings them back."""

    hunks: list[Hunk]
    later: ChangeSet

    def follow(self, changes: ChangeSet, undo: ChangeSet) -> ChangeSet:
        """What takes all that is there back, with the hunks that are there again."""
        self.later = self.later.compose(changes)
        for hunk in list(self.hunks):
            there = [splice for splice in _moved(hunk.undo, self.later) if splice is not None]
            if len(there) < len(hunk.undo):
                continue
            try:
                undo = ChangeSet.of([*undo.splices, *there])
            except ValueError:  # the same task has written there since
                continue
            self.hunks.remove(hunk)
        return undo


def _moved(splices: Sequence[Splice], over: ChangeSet) -> list[Splice | None]:
    """Splices of a text in the text after a change; None for one that the change met, or wrote beside on its line."""
    found: list[Splice | None] = []
    met = {splice for pair in touching(ChangeSet(tuple(splices)), over) if not _is_apart(*pair) for splice in pair}
    at = delta = 0
    for splice in splices:
        while at < len(over.splices) and over.splices[at].end <= splice.start:
            delta += over.splices[at].delta
            at += 1
        is_met = splice in met or (at < len(over.splices) and over.splices[at].start < splice.end)
        found.append(None if is_met else splice.shift(delta))
    return found


def _is_apart(left: Splice, right: Splice) -> bool:
    """Whether a line ends between two adjacent splices, before and after them."""
    ends = all(side.endswith(("\n", "\r")) for side in (left.old, left.new) if side)
    return ends or all(side.startswith(("\n", "\r")) for side in (right.old, right.new) if side)


def _front_rows(path: str, text: str) -> int:
    """How many rows of a page are front matter."""
    if not path.lower().endswith((".md", ".mdx", ".markdown")) or not text.startswith(_FRONT_MARKS):
        return 0
    from steadyhand.structure.markdown.document import find_front

    front = find_front(split_bodies(text))
    return 0 if front is None else front.end


def _by_lines(changes: ChangeSet, text: str) -> list[tuple[Splice, list[int]]]:
    """The same change as whole lines, as far as it can be: each splice, and the numbers of those that it is made of.

    What is side by side within a line is one, and what begins with the line end above ends with its own instead.
    Only for looking at: what takes a change back is put together with it, so that both come to nothing to the splice.
    """
    runs: list[tuple[Splice, list[int]]] = []
    for number, splice in enumerate(changes.splices):
        last = runs[-1][0] if runs else None
        if last is not None and last.end == splice.start and not _is_apart(last, splice):
            runs[-1] = Splice(last.start, last.old + splice.old, last.new + splice.new), [*runs[-1][1], number]
        else:
            runs.append((splice, [number]))
    room = len(text)
    for at, (splice, numbers) in reversed(list(enumerate(runs))):
        moved = splice.old + splice.new
        ending = "\r\n" if moved.startswith("\r\n") else moved[:1]
        is_free = splice.end + len(ending) <= room and text.startswith(ending, splice.end)
        if is_one_sided(splice) and ending in ("\n", "\r\n") and is_free:
            old, new = ((side + ending)[len(ending) :] if side else "" for side in (splice.old, splice.new))
            runs[at] = Splice(splice.start + len(ending), old, new), numbers
        room = runs[at][0].start
    return runs


def _rows_of(source: Source, splice: Splice) -> Region:
    """The rows that a splice concerns; with the one above where that gets the line end that it did not have."""
    region, text = region_of(source, splice), source.text
    is_open = text != "" and not text.endswith(("\n", "\r"))
    is_behind = region.is_boundary and is_open and splice.start == len(text)
    if region.start > 0 and (is_behind or splice.start < source.table.start(region.start)):
        return Region(region.start - 1, region.end)
    return region


def _groups(changes: ChangeSet, before: Source, after: Source) -> list[_Group]:
    """Splices together where they concern the same line of one of the two texts."""
    found: list[_Group] = []
    delta = 0
    for splice, numbers in _by_lines(changes, before.text):
        mine, theirs = _rows_of(before, splice), _rows_of(after, splice.shift(delta).invert())
        delta += splice.delta
        if found and (mine.start < found[-1].before.end or theirs.start < found[-1].after.end):
            last = found[-1]
            last.members.extend(numbers)
            around = Region.around([last.before, mine]), Region.around([last.after, theirs])
            found[-1] = _Group(last.members, *around)
        else:
            found.append(_Group(numbers, mine, theirs))
    return found


def _rows(source: Source, region: Region) -> str:
    span = None if region.is_boundary else source.table.span_of(region.start, region.end - 1)
    return "" if span is None else source.text[span.start : span.end]


def _deleted(
    chosen: Sequence[Passage], replays: Replays, in_effect: Sequence[Passage], first: FileState | None
) -> list[Hunk]:
    passage = chosen[-1]
    if not passage.change.is_delete:
        return []
    try:
        text = replays.texts(passage.entry, passage.change)[0]
    except EditError:  # its image is gone
        text = ""
    before = passage.change.before
    return [whole_hunk("deleted", text, "", in_effect, first if before is None else before, None)]


def whole_hunk(
    status: Status,
    before: str,
    after: str,
    in_effect: Sequence[Passage],
    first: FileState | None,
    last: FileState | None,
) -> Hunk:
    """A hunk that is about a file, not about lines; a name and a mode are those of the records that changed them."""
    state = last or first
    assert state is not None
    sides = [side.digest for side in (first, last) if side is not None]
    if status in ("renamed", "mode"):
        sides = []
        in_effect = [each for each in in_effect if _changes(each.change, status)] or in_effect
    made = [f"{passage.entry.record.id}:{passage.change.path}" for passage in in_effect]
    name = _id(status, state.path, before, after + "\0".join(sides), made)
    entries = tuple(passage.entry for passage in in_effect)
    notes = tuple(note for passage in in_effect for note in passage.change.edits)
    is_front = status in ("created", "deleted") and _front_rows(state.path, before or after) > 0
    return Hunk(
        name, state.path, status, None, before, after, entries, notes, is_front=is_front, first=first, last=last
    )


def _changes(change: FileChange, status: Status) -> bool:
    sides = change.before, change.after
    before, after = ((side.path if status == "renamed" else side.mode) if side else None for side in sides)
    return before != after


def _is_bytes(passage: Passage) -> bool:
    """Whether a record put whole bytes in that are no text."""
    change = passage.change
    return change.content_changed and change.changes is None and change.before is not None and change.after is not None


def _name(edit: Written, place: int) -> str:
    """What an edit wrote at one of its places, whatever happens to the file later: one record may do the same to
    several files, and several times to one.
    """
    return f"{edit.entry.record.id}:{edit.path}:{edit.splices[place]}:{place}"


def _id(status: str, path: str, before: str, after: str, made: list[str]) -> str:
    """The present path is part of it only where there are no records: a file that is renamed keeps its hunks."""
    data = "\0".join((status, before, after, *(made or [path]))).encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()[:_ID_LENGTH]


def amended(hunk: Hunk, present: str, text: str, *, splices: Sequence[Splice] | None = None) -> Splice:
    """What puts a reviewer's text in the place of a hunk's lines, with the line ends of the file.

    `splices` are those of the hunk in that text; those that take it back where none are given.
    """
    source = Source.of_text(present)
    if hunk.status == "created":
        return Splice(0, present, _ended(text, source))
    there = _by_lines(ChangeSet(tuple(hunk.undo if splices is None else splices)), present)
    regions = [_rows_of(source, splice) for splice, _ in there]
    rows = Region(regions[0].start, max(region.end for region in regions))
    start = source.table.start(rows.start)
    old = _rows(source, rows)
    if text and not text.endswith("\n") and (old.endswith(("\n", "\r")) or start + len(old) < len(present)):
        text += "\n"
    return Splice(start, old, _ended(text, Source.of_text(old), source))


def _ended(text: str, *like: Source) -> str:
    """A text with the line ends of the first of some others that has only one kind."""
    ending = next((uniform for source in like if (uniform := source.newlines.uniform)), "\n")
    return text if "\r" in text or ending == "\n" else text.replace("\n", ending)
