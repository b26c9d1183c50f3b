"""Every version of every file, made again from what the records say, with each character's writer. The oracle's memory.

Nothing of the product's own rebuilding, mapping or conflict code is used: records are data, splices are cut and pasted.

1. A version is what its record says it is: the digest of the rebuilt text, or a fault.
2. A record starts from the version that the one before it left, or a fault.
3. Whatever a record wrote is a piece with a number; later pieces have larger numbers. A piece that only took text away
   is a scar at the place where it was.
"""

from __future__ import annotations

import difflib
import hashlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from steadyhand.text.splice import Splice
from steadyhand.workspace.journal.record import Entry, FileChange

Party = tuple[str, str | None]
Image = Callable[[str], bytes | None]


@dataclass(frozen=True, slots=True)
class Piece:
    """What one record wrote at one place. `is_lines`: whole lines were put in, none was changed."""

    number: int
    record: str
    party: Party
    seq: int
    is_lines: bool


@dataclass(frozen=True, slots=True)
class Version:
    """A file as one record left it: for every character the piece that wrote it, 0 for what was there at first."""

    path: str
    seq: int
    digest: str
    text: str
    labels: array[int]
    scars: tuple[tuple[int, int], ...]
    newest: int


@dataclass(slots=True)
class Past:
    """All that the records tell, and what is wrong with them."""

    entries: tuple[Entry, ...]
    pieces: list[Piece] = field(default_factory=list)
    versions: dict[str, list[Version]] = field(default_factory=dict)
    tree: dict[str, Version] = field(default_factory=dict)
    before: dict[tuple[str, str], Version] = field(default_factory=dict)
    after: dict[tuple[str, str], Version] = field(default_factory=dict)
    by_record: dict[str, set[int]] = field(default_factory=dict)
    by_id: dict[str, Entry] = field(default_factory=dict)
    paths: dict[str, list[str]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def with_digest(self, path: str, digest: str, *, up_to: int) -> Version | None:
        """The newest version at a path with that digest that can have been read when the journal had `up_to` rows."""
        for version in reversed(self.versions.get(path, [])):
            if version.seq <= up_to and version.digest.startswith(digest):
                return version
        return None

    def between(self, path: str, first: int, last: int) -> list[Version]:
        """The versions that were at a path at some moment between two rows of the journal."""
        known = self.versions.get(path, [])
        older = [version for version in known if version.seq <= first]
        return [*older[-1:], *(version for version in known if first < version.seq <= last)]


def digest_of_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def rebuild(entries: Sequence[Entry], initial: dict[str, str], image: Image) -> Past:
    """The past of a tree that was `initial`; `entries` are the committed records, oldest first."""
    past = Past(tuple(entries))
    for path, text in initial.items():
        version = Version(path, 0, digest_of_text(text), text, array("I", bytes(4 * len(text))), (), 0)
        past.versions[path] = [version]
        past.tree[path] = version
    for entry in entries:
        past.by_id[entry.record.id] = entry
        past.paths[entry.record.id] = [change.path for change in entry.record.files]
        made = [(change, _made(past, entry, change, image)) for change in entry.record.files]
        for change, _ in made:
            if change.before is not None:
                past.tree.pop(change.before.path, None)
        for left in (version for _, version in made if version is not None):
            past.tree[left.path] = left
            past.versions.setdefault(left.path, []).append(left)
    return past


def _made(past: Past, entry: Entry, change: FileChange, image: Image) -> Version | None:
    """What one record made of one file; None where it is gone."""
    name = entry.record.id
    standing = past.tree.get(change.before.path) if change.before is not None else None
    if change.before is not None:
        if standing is None or standing.digest != change.before.digest:
            past.faults.append(f"{name} did not start from what the record before it left at {change.before.path}")
        if standing is not None:
            past.before[name, change.path] = standing
    if change.after is None:
        return None
    if change.before is None and change.after.path in past.tree:
        past.faults.append(f"{name} created {change.after.path}, which was there")
    version = _after(past, entry, change, standing, image)
    if version.digest != change.after.digest:
        past.faults.append(f"{name} says that {change.path} is {change.after.digest[:12]}; it is {version.digest[:12]}")
    past.after[name, change.path] = version
    return version


def _after(past: Past, entry: Entry, change: FileChange, standing: Version | None, image: Image) -> Version:
    assert change.after is not None
    text = standing.text if standing is not None else ""
    splices = change.changes.splices if change.changes is not None else ()
    if change.changes is None and change.content_changed:
        kept = image(change.after.digest)
        splices = (Splice(0, text, (kept or b"").decode("utf-8", "replace")),)
    labels = standing.labels if standing is not None else array("I")
    scars = standing.scars if standing is not None else ()
    made, made_labels, made_scars = _spliced(past, entry, text, labels, scars, splices)
    newest = len(past.pieces)
    path = change.after.path
    return Version(path, entry.seq, digest_of_text(made), made, made_labels, made_scars, newest)


def _spliced(
    past: Past,
    entry: Entry,
    text: str,
    labels: array[int],
    scars: tuple[tuple[int, int], ...],
    splices: Iterable[Splice],
) -> tuple[str, array[int], tuple[tuple[int, int], ...]]:
    out: list[str] = []
    out_labels = array("I")
    out_scars: list[tuple[int, int]] = []
    waiting = list(scars)
    position, length = 0, 0
    for part in (part for splice in splices for part in parts_of(splice)):
        if text[part.start : part.end] != part.old:
            past.faults.append(f"{entry.record.id} replaces text at {part.start} that is not there")
        while waiting and waiting[0][0] <= part.start:
            at, number = waiting.pop(0)
            out_scars.append((at - position + length, number))
        waiting = [scar for scar in waiting if scar[0] >= part.end]
        out += [text[position : part.start], part.new]
        out_labels += labels[position : part.start]
        length += part.start - position
        number = _piece(past, entry, text, part)
        out_labels.extend([number] * len(part.new))
        if not part.new:
            out_scars.append((length, number))
        length += len(part.new)
        position = part.end
    out_scars += [(at - position + length, number) for at, number in waiting]
    return "".join([*out, text[position:]]), out_labels + labels[position:], tuple(out_scars)


def _piece(past: Past, entry: Entry, text: str, part: Splice) -> int:
    record = entry.record
    starts_line = part.start == 0 or text[part.start - 1] == "\n"
    is_lines = not part.old and part.new.endswith("\n") and starts_line
    number = len(past.pieces) + 1
    past.pieces.append(Piece(number, record.id, (record.actor, record.task), entry.seq, is_lines))
    past.by_record.setdefault(record.id, set()).add(number)
    return number


def parts_of(splice: Splice) -> Iterator[Splice]:
    """What a splice writes, line by line where it has several."""
    old, new = splice.old.splitlines(keepends=True), splice.new.splitlines(keepends=True)
    if len(old) < 2 and len(new) < 2:
        yield splice
        return
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    for tag, first, last, new_first, new_last in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            at = splice.start + starts[first]
            yield Splice(at, "".join(old[first:last]), "".join(new[new_first:new_last]))


def trimmed(splice: Splice) -> Splice:
    """The characters that a splice really changes."""
    old, new, start = splice.old, splice.new, splice.start
    while old and new and old[0] == new[0]:
        old, new, start = old[1:], new[1:], start + 1
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return Splice(start, old, new)
