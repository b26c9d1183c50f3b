"""What a proposal must have done and nothing else, checked before anyone sees it, for every syntax in the same way.

The proposal is applied, the text is read again, and what it reads as is compared, item by item, with what was there
before and what was asked. Every item that was not asked for keeps its place, its data and its very characters.
A syntax that is wrong, or a parser that reads the rest of the file otherwise after an edit, ends here as a refusal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass
from steadyhand.structure.config.item import Item, ItemKind, Plain, Reading
from steadyhand.structure.config.path import render_path
from steadyhand.structure.config.plain import same_data, says
from steadyhand.structure.config.syntax import Syntax
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.pace import go_on_at
from steadyhand.text.source import Source
from steadyhand.text.splice import Splice


@dataclass(frozen=True, slots=True)
class Fresh:
    """An item that was not there, or a value that was not: `name` in a mapping, None in a sequence."""

    name: str | None
    value: Plain
    is_placed: bool = True


@dataclass(frozen=True, slots=True)
class Moved:
    """An item of before under another name, or at another place, where its lines may be indented otherwise."""

    item: Item
    name: str | None
    is_placed: bool = True
    is_indented: bool = False


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A value that the caller wrote as text: of one of these kinds, whatever it says; None: of any kind."""

    name: str | None
    kinds: tuple[ItemKind, ...] | None
    is_placed: bool = True


Wanted = Item | Fresh | Moved | Rewritten
Family = Mapping[int, Sequence[Wanted]]
"""The children that containers of before should have after, by the id of the container; others keep theirs."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked: the children that containers should have, and another top of a document where it is replaced."""

    family: Family
    tops: Mapping[int, Wanted]
    containers: tuple[Item, ...] = ()

    @classmethod
    def children(cls, *pairs: tuple[Item, Sequence[Wanted]]) -> Asked:
        family = {id(container): tuple(wanted) for container, wanted in pairs}
        return cls(family, {}, tuple(container for container, _ in pairs))

    @classmethod
    def instead(cls, reading: Reading, item: Item, wanted: Wanted) -> Asked:
        """One item gives way to another at its place."""
        if not item.path:
            return cls({}, {id(item): wanted})
        parent = parent_of(reading, item)
        return cls.children((parent, [wanted if child is item else child for child in parent.children]))


def parent_of(reading: Reading, item: Item) -> Item:
    """The container an item stands in."""
    level = list(reading.documents)
    for step in item.path[:-1]:
        level = [child for container in level for child in container.children if child.path[-1] == step]
    return next(container for container in level if any(child is item for child in container.children))


def checked(
    syntax: Syntax, source: Source, reading: Reading, proposal: Proposal | Refusal, asked: Asked
) -> Proposal | Refusal:
    """The proposal, if it does what was asked and nothing else; else `unparsable` and what would be different."""
    if isinstance(proposal, Refusal):
        return proposal
    real = tuple(splice for splice in proposal.splices if not splice.changes_nothing)
    after = _known(proposal.after, source.apply(ChangeSet.of(real)))
    wanted, found = _sides(syntax, after, reading, asked, real)
    if isinstance(found, Refusal):
        return _breaks(found)
    comparison = _Comparison(source.text, after.text, asked.family, syntax.typed, syntax.ordered)
    wrong = comparison.run(wanted, found)
    return Proposal(real, proposal.notes, after) if wrong is None else _differs(wrong)


def _known(read: Source | None, after: Source) -> Source:
    """The text after, with what the syntax itself has read of it to find its splices."""
    return read if read is not None and read.text == after.text else after


def _sides(
    syntax: Syntax, after: Source, reading: Reading, asked: Asked, splices: Sequence[Splice]
) -> tuple[Sequence[Wanted], Sequence[Item] | Refusal]:
    """What should be there and what is: the one container that changed if it can be read alone, or everything."""
    part = _touched(reading, asked, splices)
    if part is not None:
        again = syntax.reread(after, part, part.value.end + sum(splice.delta for splice in splices))
        if again is not None:
            return (part,), again if isinstance(again, Refusal) else (again,)
    whole = after.derive(syntax.read)
    wanted = [asked.tops.get(id(top), top) for top in reading.documents]
    return wanted, whole if isinstance(whole, Refusal) else whole.documents


def _touched(reading: Reading, asked: Asked, splices: Sequence[Splice]) -> Item | None:
    """The least container that holds every one that changes, and all splices well inside of it."""
    if asked.tops or not asked.containers:
        return None
    outer = min(asked.containers, key=lambda item: item.value.start)
    while not _holds(outer, asked, splices):
        if not outer.path:
            return None
        outer = parent_of(reading, outer)
    return outer


def _holds(outer: Item, asked: Asked, splices: Sequence[Splice]) -> bool:
    low, high = outer.value
    inside = all(low <= item.value.start and item.value.end <= high for item in asked.containers)
    return inside and all(low < splice.start and splice.end < high for splice in splices)


def _breaks(after: Refusal) -> Refusal:
    return Refusal(
        Kind.UNPARSABLE,
        f"the file would not parse any more: {after.message}",
        "write the new text as the format asks, or use set-key with a JSON value",
        after.details,
    )


def _differs(where: str) -> Refusal:
    return Refusal(
        Kind.UNPARSABLE,
        f"the file would read differently elsewhere: {where or 'the top'}",
        "edit the lines themselves with a replace of their text",
        {"differs": where},
    )


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Two trees side by side, without recursion; `run` gives the path of the first difference, None for none."""

    before: str
    after: str
    family: Family
    typed: bool
    ordered: bool

    def run(self, wanted: Sequence[Wanted], found: Sequence[Item]) -> str | None:
        if len(wanted) != len(found):
            return "the number of documents"
        waiting: list[tuple[Wanted, Item, bool]] = [(*pair, True) for pair in zip(wanted, found, strict=True)]
        count = 0
        while waiting:
            one, two, exact = waiting.pop()
            count += 1
            go_on_at(count)
            more = self._compare(one, two, exact=exact)
            if more is None:
                return render_path(two.path)
            waiting += more
        return None

    def _compare(self, one: Wanted, two: Item, *, exact: bool) -> list[tuple[Wanted, Item, bool]] | None:
        """What else has to be compared; None where the two differ."""
        if isinstance(one, Fresh):
            return [] if says(two, one.value, typed=self.typed, ordered=self.ordered) else None
        if isinstance(one, Rewritten):
            return [] if one.kinds is None or two.kind in one.kinds else None
        if isinstance(one, Moved):
            exact, one = exact and not one.is_indented, one.item
        elif exact and not self._is_named_alike(one, two):
            return None
        return self._below(one, two, exact=exact) if self._is_same(one, two, exact=exact) else None

    def _is_same(self, one: Item, two: Item, *, exact: bool) -> bool:
        if one.kind != two.kind or not same_data(one.data, two.data):
            return False
        return not exact or one.is_container or one.value.of(self.before) == two.value.of(self.after)

    def _is_named_alike(self, one: Item, two: Item) -> bool:
        return one.name is None or two.name is None or one.name.of(self.before) == two.name.of(self.after)

    def _below(self, one: Item, two: Item, *, exact: bool) -> list[tuple[Wanted, Item, bool]] | None:
        wanted = self.family.get(id(one), one.children)
        found = two.children
        if len(wanted) != len(found):
            return None
        if one.kind == "mapping":
            wanted = _reordered(wanted, found)
            if any(_name(part) != child.path[-1] for part, child in zip(wanted, found, strict=True)):
                found = () if self.ordered else _sorted_like(wanted, found)
        if not found:
            return None if wanted else []
        return [(part, child, exact) for part, child in zip(wanted, found, strict=True)]


def _name(wanted: Wanted) -> object:
    return wanted.path[-1] if isinstance(wanted, Item) else wanted.name


def _sorted_like(wanted: Sequence[Wanted], found: Sequence[Item]) -> tuple[Item, ...]:
    """What was found in the order of what was wanted; nothing where the names differ or a place was asked for."""
    by_name = {child.path[-1]: child for child in found}
    is_free = all(isinstance(part, Item) or not part.is_placed for part in wanted)
    if not is_free or len(by_name) != len(found) or {_name(part) for part in wanted} != set(by_name):
        return ()
    return tuple(by_name[part.path[-1] if isinstance(part, Item) else part.name or ""] for part in wanted)


def _reordered(wanted: Sequence[Wanted], found: Sequence[Item]) -> Sequence[Wanted]:
    """What has no place of its own stands where the format lets it stand."""
    loose = [part for part in wanted if not isinstance(part, Item) and not part.is_placed]
    if not loose:
        return wanted
    places: dict[object, int] = {}
    for at, child in enumerate(found):
        places.setdefault(child.path[-1], at)
    settled = iter([part for part in wanted if isinstance(part, Item) or part.is_placed])
    by_place = {places.get(part.name, -1): part for part in loose}
    if len(by_place) != len(loose) or -1 in by_place:
        return [*settled, *loose]  # one of them is not there: the comparison says so
    made = [by_place[at] if at in by_place else next(settled, None) for at in range(len(found))]
    return [*(part for part in made if part is not None), *settled]
