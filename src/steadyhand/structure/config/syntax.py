"""What a syntax is: how one format writes keys and values, and what can be done to them.

A syntax is a module of its own that ends with `SYNTAX = <an instance>`; `_SYNTAXES` names them.
A syntax proposes and never applies; everything it does not touch stays byte for byte: comments, order, quoting,
indentation, anchors. A new entry is written as its siblings are. Values come as plain JSON values; what a format cannot
say (`null` in TOML, a mapping in `.env`) is refused with `bad-request`.
Every proposal is checked by its caller (`editor.py`): read again, the file must say what was asked, and nothing else.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise, zip_longest
from typing import ClassVar, cast

from steadyhand.errors import Kind
from steadyhand.lazy import Registry, dataclass, field
from steadyhand.structure.config.item import Item, ItemKind, KeyPath, Plain, Reading, plain_of, says
from steadyhand.structure.config.layout import Piece, Write
from steadyhand.structure.format import Format
from steadyhand.structure.node import Proposal, Refusal, refuse
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source


class Syntax(ABC):
    """One format of keys and values. `read` costs a parse; callers keep its result with `source.derive`.

    A format says where things are and how one value or entry is written; the operations are made of that: `write` and
    `compose` write new text in the style of the place, `lift` takes an entry as it is written, `put` and `remove` know
    where the entries of a container are.
    """

    name: ClassVar[str]
    comment: ClassVar[re.Pattern[str]]
    typed: ClassVar[bool] = True
    """Whether a value has a type; where it is false, everything that is read is text."""
    ordered: ClassVar[bool] = True
    """Whether the order of names is part of what a file says; where it is not, what an edit moves is no other data."""
    is_closed: ClassVar[bool] = False
    """Whether the same characters are the same value wherever they are."""

    @abstractmethod
    def read(self, source: Source) -> Reading | Refusal:
        """Every item with its place. Refuses with `unparsable` (line, what was expected) or `too-large` (nesting)."""

    @abstractmethod
    def write(self, source: Source, item: Item, value: Plain) -> Proposal | Refusal:
        """Another value in the place of a whole value; text keeps the quoting the old text had where it can."""

    @abstractmethod
    def compose(self, source: Source, container: Item, name: str | None, value: Plain, index: int) -> Piece | Refusal:
        """A new entry, or a new item where there is no name, as its siblings are written."""

    @abstractmethod
    def lift(self, source: Source, item: Item, container: Item, name: str | None) -> Piece | Refusal:
        """An entry or item as it is written, with its comments, for a place in another container."""

    @abstractmethod
    def put(self, source: Source, container: Item, index: int, pieces: Sequence[Piece]) -> list[Write] | Refusal:
        """Entries in front of child number `index` of a container, or behind the last."""

    @abstractmethod
    def remove(self, source: Source, item: Item) -> list[Write] | Refusal:
        """An entry or item deleted, with its separator, the comment on its line and the comments that are its own.

        Comment lines directly above it are its own, if no blank line or other entry is between and they do not head a
        group of entries. A container that becomes empty is left as the format writes empty ones.
        """

    @abstractmethod
    def rename(self, source: Source, item: Item, name: str) -> Proposal | Refusal:
        """Another name for an entry of a mapping, which is not there yet."""

    @abstractmethod
    def put_raw(self, source: Source, item: Item, written: str) -> Proposal | Refusal:
        """Text of the format in the place of a value, indented as its place asks."""

    @abstractmethod
    def insert_raw(self, source: Source, container: Item, written: str, index: int) -> Proposal | Refusal:
        """Entries or items as they are written, in front of child number `index` or behind the last."""

    # What a format may know besides.

    def known(self, source: Source) -> Reading:
        """What a text reads as that was read before."""
        reading = source.derive(self.read)
        assert isinstance(reading, Reading)
        return reading

    def reread(self, before: Source, source: Source, item: Item, end: int) -> Item | Refusal | None:  # noqa: ARG002
        """A container of before whose inside has changed, as it reads now, from where it started to `end`.

        Only for formats in which what is inside of brackets cannot change how the rest reads; None: read everything.
        """
        return None

    def read_rest(self, source: Source) -> Reading | Refusal:
        """What is left of a text while an entry is on its way from one place to another."""
        return source.derive(self.read)

    def loaded(self, source: Source) -> object:  # noqa: ARG002
        """What an independent parser reads of a text that was read; None where there is none.

        Where there is one, it proves that an edit changed nothing else.
        """
        return None

    def entries(self, source: Source, written: str, kind: ItemKind) -> tuple[Source, tuple[Item, ...]] | Refusal:
        """Entries of a mapping, or items of a sequence, as somebody wrote them for a file, read as a text of their own.

        This default takes entries for a whole file; a format that has more adds brackets here.
        """
        alone = Source.of_text(written, path=source.path)
        reading = self.read(alone)
        if isinstance(reading, Refusal):
            return reading
        return alone, tuple(child for top in reading.documents if top.kind == kind for child in top.children)

    def carried(self, source: Source, item: Item) -> str | Refusal | None:  # noqa: ARG002
        """An entry or item as another file takes it, at the margin; None: its text as it is."""
        return None

    def elsewhere(self, source: Source, path: KeyPath, document: int | None) -> Refusal | None:  # noqa: ARG002
        """The refusal of a path that is not written but means something written elsewhere; None: it means nothing."""
        return None

    def proved(self, source: Source, proposal: Proposal) -> Proposal | Refusal:
        """What several items propose in one edit, each of them right alone, if the file is one of its kind after."""
        again = self.read(source.apply(ChangeSet.of(proposal.splices)))
        return proposal if isinstance(again, Reading) else refuse_combination(again.message)

    def is_said(self, item: Item, value: Plain) -> bool:
        """Whether an item says a value already."""
        return says(item, value, typed=self.typed, ordered=self.ordered)

    def is_spread(self, item: Item) -> bool:  # noqa: ARG002
        """Whether a container is written in several places, so that it changes only entry by entry."""
        return False

    def change_notes(self, source: Source, item: Item) -> tuple[str, ...]:  # noqa: ARG002
        """What a person should know when anything inside an item changes."""
        return ()

    def lost_comments(self, source: Source, item: Item, end: int) -> tuple[str, ...]:
        """What a person should know of a container that is written again, up to `end`."""
        lost, at = 0, item.value.start
        for part in item.walk() if item.is_container else ():
            named = part.name if part is not item else None
            for word in (named, None if part.is_container else part.value):
                if word is not None:
                    lost += len(self.comment.findall(source.text, at, word.start))
                    at = max(at, word.end)
        lost += len(self.comment.findall(source.text, at, end)) if item.is_container else 0
        gone = "1 comment inside it is" if lost == 1 else f"{lost} comments inside it are"
        return (f"the value was rewritten: {gone} gone",) if lost else ()

    # The operations.

    def set_value(self, source: Source, item: Item, value: Plain) -> Proposal | Refusal:
        """Another value, of whatever type; of a container only what differs changes."""
        made = changed(self, source, item, value)
        return made if made is not None else self.write(source, item, value)

    def add(self, source: Source, container: Item, name: str | None, value: Plain, index: int) -> Proposal | Refusal:
        """A new entry of a mapping, whose name is not there, or without a name a new item of a sequence.

        It goes in front of child number `index`, or behind the last.
        """
        piece = self.compose(source, container, name, value, index)
        return piece if isinstance(piece, Refusal) else self.written(source, container, index, [piece])

    def written(self, source: Source, container: Item, index: int, pieces: Sequence[Piece]) -> Proposal | Refusal:
        """What `put` writes, as a proposal."""
        writes = self.put(source, container, index, pieces)
        return writes if isinstance(writes, Refusal) else Proposal.of(source, *writes)

    def delete(self, source: Source, item: Item) -> Proposal | Refusal:
        """What `remove` writes, as a proposal."""
        writes = self.remove(source, item)
        return writes if isinstance(writes, Refusal) else Proposal.of(source, *writes)

    def move(self, source: Source, item: Item, container: Item, name: str | None, index: int) -> Proposal | Refusal:
        """An entry or item with its comments in another container, or at another place in its own, as it is written.

        `name` is its name there (None in a sequence); `index` counts the container's children as they are now.
        """
        reading = self.known(source)
        parent, at = reading.family(item)
        if parent is container and index in (at, at + 1):
            return Proposal(()) if name in (None, item.path[-1]) else self.rename(source, item, str(name))
        piece, gone = self.lift(source, item, container, name), self.remove(source, item)
        if isinstance(piece, Refusal) or isinstance(gone, Refusal):
            return piece if isinstance(piece, Refusal) else cast("Refusal", gone)
        taken = Proposal.of(source, *gone)
        place = index - sum(child is item for child in container.children[:index])

        def put(left: Source) -> Proposal | Refusal:
            rest = self.read_rest(left)
            if isinstance(rest, Refusal):
                return rest
            made = self.written(left, _again(reading, rest, container, item), place, [piece])
            is_lost = isinstance(made, Proposal) and self._comments(made) + self._comments(taken) < 0
            return refuse("its comments cannot be kept there", "delete the comments first") if is_lost else made

        return in_steps(source, self.read_rest, [lambda _: taken, put])

    def _comments(self, proposal: Proposal) -> int:
        """How many comments a proposal adds."""
        added = (self.count_comments(splice.new) for splice in proposal.splices)
        return sum(added) - sum(self.count_comments(splice.old) for splice in proposal.splices)

    def count_comments(self, text: str) -> int:
        """How many comments a text has that starts outside of strings."""
        return len(self.comment.findall(text))


def _again(before: Reading, now: Reading, container: Item, gone: Item) -> Item:
    """A container in the text that an item has left."""
    way = before.chain(container)
    found = now.documents[next(at for at, top in enumerate(before.documents) if top is way[0])]
    for parent, child in pairwise(way):
        step = None if parent.kind == "sequence" else child.path[-1]
        twins = [one for one in parent.children if one is not gone and step in (None, one.path[-1])]
        at = next(at for at, one in enumerate(twins) if one is child)
        found = [one for one in found.children if step in (None, one.path[-1])][at]
    return found


def refuse_combination(why: str) -> Refusal:
    """The refusal of changes that are right one by one and wrong together."""
    return Refusal(
        Kind.OVERLAPPING_EDITS, f"the places cannot all change in one edit: {why}", "change them one by one, with nth"
    )


_SYNTAXES = Registry("steadyhand.structure.config", "SYNTAX", "env ini json toml yaml")


def syntax_names() -> tuple[str, ...]:
    """The names of all syntaxes; nothing is loaded for it."""
    return _SYNTAXES.names


@cache
def syntax_named(name: str) -> Syntax:
    """The syntax of one of these names."""
    syntax: Syntax = _SYNTAXES.load_one(name)
    return syntax


def syntax_of(known: Format | None) -> Syntax | None:
    """The syntax that a format's files are written in, if they have keys."""
    return None if known is None or known.syntax is None else syntax_named(known.syntax)


Proposer = Callable[[Source], Proposal | Refusal]

_MOST = 50


def in_steps(source: Source, read: Callable[[Source], object], steps: Sequence[Proposer]) -> Proposal | Refusal:
    """The splices on `source` that do all the steps; every text between them must be one that can be read.

    >>> from steadyhand.text.span import Span
    >>> from steadyhand.text.splice import Splice
    >>> once = lambda left: Proposal.of(left, (Span(0, 1), "xx"))
    >>> in_steps(Source.of_text("abc"), Source.to_bytes, [once, once]).splices == (Splice(0, "a", "xxx"),)
    True
    """
    if len(steps) > _MOST:
        return refuse(f"{len(steps)} values would change at once", "set the keys inside one by one")
    changes, notes, now = ChangeSet(), list[str](), source
    for step in steps:
        made = step(now)
        if isinstance(made, Refusal):
            return made
        change = ChangeSet.of(made.splices)
        now, changes = now.apply(change), changes.compose(change)
        notes += made.notes
        if isinstance(refusal := now.derive(read), Refusal):
            return refusal
    return Proposal(changes.trim().splices, tuple(dict.fromkeys(notes)), now)


# What differs between a container and the value it should have, as steps that change only that: everything that is the
# same keeps its text, its comments and its place.

_MOST_READ = 2_000_000
_MOST_PAIRS = 250_000


def changed(syntax: Syntax, source: Source, item: Item, value: Plain) -> Proposal | Refusal | None:
    """What differs, changed bit by bit; None where the value has to be written as a whole."""
    kind = "mapping" if isinstance(value, Mapping) else "sequence" if isinstance(value, list | tuple) else None
    if item.kind != kind:
        return None
    if syntax.is_said(item, value):
        return Proposal(())
    is_spread = item.kind == "mapping" and syntax.is_spread(item)
    is_hollow = not item.children and syntax.comment.search(item.value.of(source.text)) is not None
    if not is_spread and not (value and (item.children or is_hollow)):
        return None
    reading = syntax.known(source)
    top = reading.chain(item)[0]
    plan = _Plan(syntax, next(at for at, one in enumerate(reading.documents) if one is top))
    if plan.find(reading, item.path) is not item or not plan.compare(item, value):
        return None
    count = len(plan.steps)
    is_much = count > _MOST or count * len(source.text) > _MOST_READ
    if is_much and not is_spread:
        return None
    first = _set_all(syntax, source, plan.sets)
    if isinstance(first, Refusal) or first is None:
        return first if is_spread else None
    made = in_steps(source, syntax.read, [lambda _: first, *reversed(plan.steps)]) if plan.steps else first
    if isinstance(made, Refusal) or not (is_spread or not plan.steps or plan.is_right(made, item.path, value)):
        return made if is_spread else None
    notes = syntax.change_notes(source, item) if made.splices else ()
    return Proposal(made.splices, (*notes, *made.notes), made.after)


def _set_all(syntax: Syntax, source: Source, sets: Sequence[tuple[Item, Plain]]) -> Proposal | Refusal | None:
    """Values set in their places, at once; None where two are written at one place."""
    whole: list[Proposal] = []
    for item, value in sets:
        made = syntax.write(source, item, value)
        if isinstance(made, Refusal):
            return made
        whole += [made] if made.splices else []
    whole.sort(key=lambda proposal: proposal.splices[0].start)
    if not all(one.splices[-1].end < two.splices[0].start for one, two in pairwise(whole)):
        return None
    notes = tuple(note for proposal in whole for note in proposal.notes)
    return Proposal(tuple(splice for proposal in whole for splice in proposal.splices), notes)


@dataclass(slots=True)
class _Plan:
    """What differs: values to set, and other steps in the order of the file, which are made from the last to the first.

    A step finds its item again by its path: what is before it in the file is as it was.
    """

    syntax: Syntax
    document: int
    sets: list[tuple[Item, Plain]] = field(default_factory=list)
    steps: list[Proposer] = field(default_factory=list)

    def compare(self, item: Item, value: Plain) -> bool:
        """Notes what differs; false where the value has to be written as a whole."""
        if self.syntax.is_said(item, value):
            return True
        if isinstance(value, Mapping) and item.kind == "mapping":
            return self._mapping(item, value)
        if isinstance(value, list | tuple) and item.kind == "sequence":
            return self._sequence(item, value)
        self.sets.append((item, value))
        return True

    def find(self, reading: Reading, path: KeyPath) -> Item | None:
        """The item with a path, the first of that name at each level."""
        item: Item | None = reading.documents[self.document]
        for step in path:
            item = next((child for child in item.children if child.path[-1] == step), None) if item else None
        return item

    def is_right(self, made: Proposal, path: KeyPath, value: Plain) -> bool:
        reading = made.after.derive(self.syntax.read) if made.after is not None else None
        found = self.find(reading, path) if isinstance(reading, Reading) else None
        return found is not None and says(found, value, typed=self.syntax.typed, ordered=self.syntax.ordered)

    def _inner(self, item: Item, value: Plain) -> None:
        """The same for something inside, which may be written as a whole."""
        sets, steps = len(self.sets), len(self.steps)
        if not self.compare(item, value):
            del self.sets[sets:], self.steps[steps:]
            self.sets.append((item, value))

    def _mapping(self, item: Item, value: Mapping[str, Plain]) -> bool:
        there = [str(child.path[-1]) for child in item.children]
        kept = [name for name in there if name in value]
        if not (kept or not there or self.syntax.is_spread(item)) or len(set(there)) != len(there):
            return False
        new = [name for name in value if name not in there]
        before = dict.fromkeys(new, len(there))
        if self.syntax.ordered and kept == [name for name in value if name in there]:
            before = _places(list(value), there)
        elif self.syntax.ordered:
            self._sort(item.path, [*kept, *new], list(value))
        else:  # from the last to the first: they are made behind everything else, and go to the end
            self.steps += [self._adding(item.path, name, value[name], 0) for name in reversed(new)]
            new = []
        for at, child in enumerate([*item.children, None]):
            self.steps += [self._adding(item.path, name, value[name], at) for name in new if before[name] == at]
            if child is not None and child.path[-1] in value:
                self._inner(child, value[str(child.path[-1])])
            elif child is not None:
                self.steps.append(self._step(child.path, self.syntax.delete))
        return True

    def _sequence(self, item: Item, value: Sequence[Plain]) -> bool:
        pairs = _paired(item, value)
        is_kept = not item.children or any(at is not None and index is not None for at, index in pairs)
        if not is_kept or self.syntax.is_spread(item):
            return False
        place = 0
        for at, index in pairs:
            if at is None and index is not None:
                self.steps.append(self._adding(item.path, None, value[index], place))
            elif at is not None:
                place = at + 1
                if index is None:
                    self.steps.append(self._step(item.children[at].path, self.syntax.delete))
                else:
                    self._inner(item.children[at], value[index])
        return True

    def _sort(self, path: KeyPath, now: list[str], wanted: list[str]) -> None:
        moves: list[Proposer] = []
        for at, name in enumerate(wanted):
            if now[at] != name:
                now.remove(name)
                now.insert(at, name)
                moves.append(self._moving((*path, name), name, at))
        self.steps += reversed(moves)

    def _adding(self, path: KeyPath, name: str | None, value: Plain, index: int) -> Proposer:
        def go(source: Source, item: Item) -> Proposal | Refusal:
            place = index if self.syntax.ordered or name is None else len(item.children)
            return self.syntax.add(source, item, name, value, place)

        return self._step(path, go)

    def _moving(self, path: KeyPath, name: str, index: int) -> Proposer:
        def go(source: Source, item: Item) -> Proposal | Refusal:
            container, _ = self.syntax.known(source).family(item)
            return self.syntax.move(source, item, container, name, index)

        return self._step(path, go)

    def _step(self, path: KeyPath, go: Callable[[Source, Item], Proposal | Refusal]) -> Proposer:
        return lambda source: go(source, cast("Item", self.find(self.syntax.known(source), path)))


def _places(wanted: list[str], there: list[str]) -> dict[str, int]:
    """In front of which of the entries that are there each new name goes: right behind the one it follows."""
    places: dict[str, int] = {}
    at = 0
    for name in wanted:
        if name in there:
            at = there.index(name) + 1
        else:
            places[name] = at
    return places


def _paired(item: Item, value: Sequence[Plain]) -> list[tuple[int | None, int | None]]:
    """Which item of before becomes which of after; None on one side for what is gone or new."""
    from difflib import SequenceMatcher

    old, new = [_key(plain_of(child)) for child in item.children], [_key(part) for part in value]
    if len(old) * len(new) > _MOST_PAIRS:
        return list(zip_longest(range(len(old)), range(len(new))))
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    alike = sum(one == two for one, two in zip(old, new, strict=False))
    if len(old) == len(new) and alike >= sum(match.size for match in matcher.get_matching_blocks()):
        return [(at, at) for at in range(len(old))]
    pairs: list[tuple[int | None, int | None]] = []
    for _, low, high, first, last in matcher.get_opcodes():
        for at in range(max(high - low, last - first)):
            pairs.append((low + at if low + at < high else None, first + at if first + at < last else None))
    return pairs


def _key(value: object) -> str:
    return json.dumps(value, default=repr)
