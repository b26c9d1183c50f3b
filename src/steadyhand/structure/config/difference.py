"""What differs between a container and the value it should have, as steps that change only that.

Everything that is the same keeps its text, its comments and its place.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING

from steadyhand.lazy import dataclass, field
from steadyhand.structure.config.item import Item, KeyPath, Plain, Reading, plain_of, says
from steadyhand.structure.config.syntax import Proposer, in_steps
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source

if TYPE_CHECKING:
    from steadyhand.structure.config.syntax import Syntax

_MOST_STEPS = 50
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
    reading = source.derive(syntax.read)
    assert isinstance(reading, Reading)  # an item of it was found
    top = reading.chain(item)[0]
    plan = _Plan(syntax, next(at for at, one in enumerate(reading.documents) if one is top))
    if plan.find(reading, item.path) is not item or not plan.compare(item, value):
        return None
    count = len(plan.steps)
    is_much = count > _MOST_STEPS or count * len(source.text) > _MOST_READ
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
                self.steps.append(self._deleting(child.path))
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
                    self.steps.append(self._deleting(item.children[at].path))
                else:
                    self._inner(item.children[at], value[index])
        return True

    def _sort(self, path: KeyPath, now: list[str], wanted: list[str]) -> None:
        moves: list[Proposer] = []
        for at, name in enumerate(wanted):
            if now[at] != name:
                now.remove(name)
                now.insert(at, name)
                moves.append(self._moving((*path, name), at))
        self.steps += reversed(moves)

    def _adding(self, path: KeyPath, name: str | None, value: Plain, index: int) -> Proposer:
        def go(source: Source, item: Item) -> Proposal | Refusal:
            place = index if self.syntax.ordered or name is None else len(item.children)
            return self.syntax.add(source, item, name, value, place)

        return self._step(path, go)

    def _deleting(self, path: KeyPath) -> Proposer:
        return self._step(path, self.syntax.delete)

    def _moving(self, path: KeyPath, index: int) -> Proposer:
        def go(source: Source, item: Item) -> Proposal | Refusal:
            reading = source.derive(self.syntax.read)
            assert isinstance(reading, Reading)
            return self.syntax.move(source, item, reading.family(item)[0], str(path[-1]), index)

        return self._step(path, go)

    def _step(self, path: KeyPath, go: Callable[[Source, Item], Proposal | Refusal]) -> Proposer:
        def step(source: Source) -> Proposal | Refusal:
            reading = source.derive(self.syntax.read)
            assert isinstance(reading, Reading)  # read by the step before
            item = self.find(reading, path)
            assert item is not None
            return go(source, item)

        return step


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
