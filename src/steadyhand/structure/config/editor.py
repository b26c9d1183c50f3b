"""The editor of keys: a syntax proposes, and every proposal is checked before it is returned.

The proposal is applied, the text is read again, and what it reads as is compared, item by item, with what was there
before and what was asked. Every item that was not asked for keeps its place, its data and its very characters.
A syntax that is wrong, or a parser that reads the rest of the file differently after an edit, ends here as a refusal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from steadyhand.errors import Kind
from steadyhand.hints import Act, Say
from steadyhand.lazy import dataclass
from steadyhand.structure.config.item import (
    Item,
    ItemKind,
    KeyPath,
    Plain,
    Reading,
    Step,
    counted,
    render_path,
    same_data,
    says,
)
from steadyhand.structure.config.syntax import Syntax
from steadyhand.structure.node import Proposal, Refusal, refuse
from steadyhand.text.cancel import check_cancelled_at
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.resemblance import similar_names
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
        parent, _ = reading.family(item)
        return cls.children((parent, [wanted if child is item else child for child in parent.children]))


_ENDED = "the last text of the file ended without a newline and now ends with one"


_Pair = tuple[Wanted, Item, bool, object, object]
"""What should be there, what is, whether in the same characters, and what another parser reads for the two."""


@dataclass(slots=True)
class _Comparison:
    """Two trees side by side, without recursion; `run` gives the path of the first difference, None for none.

    Nobody looks inside of what is surely the same: a value that an independent parser reads alike, or, in a format in
    which a value means the same wherever it is, one that has the same characters.
    A text that ran to the end of a file without a final newline may have got one: `is_ended` says so.
    `around` are the containers that change, and all that hold them.
    """

    before: str
    after: str
    asked: Asked
    syntax: Syntax
    around: set[int]
    loaded: tuple[object, object]
    is_ended: bool = False

    def run(self, wanted: Sequence[Wanted], found: Sequence[Item]) -> str | None:
        if len(wanted) != len(found):
            return "the number of documents"
        waiting: list[_Pair] = [(*pair, True, *self.loaded) for pair in zip(wanted, found, strict=True)]
        count = 0
        while waiting:
            pair = waiting.pop()
            count += 1
            check_cancelled_at(count)
            more = self._compare(*pair)
            if more is None:
                return render_path(pair[1].path)
            waiting += more
        return None

    def _compare(self, one: Wanted, two: Item, exact: bool, old: object, new: object) -> list[_Pair] | None:  # noqa: FBT001
        """What else has to be compared; None where the two differ."""
        if isinstance(one, Item):  # as nearly all are
            if exact and one.name and two.name and one.name.of(self.before) != two.name.of(self.after):
                return None
        elif isinstance(one, Fresh):
            return [] if says(two, one.value, typed=self.syntax.typed, ordered=self.syntax.ordered) else None
        elif isinstance(one, Rewritten):
            return [] if one.kinds is None or two.kind in one.kinds else None
        else:
            moved, exact = one.item, exact and not one.is_indented
            one, old = moved, _at(self.loaded[0], moved.path)
        if not self._is_same(one, two, exact=exact):
            return None
        if one.is_container and id(one) not in self.around and self._is_surely_same(one, two, old, new):
            return []
        return self._below(one, two, exact, old, new)

    def _is_surely_same(self, one: Item, two: Item, old: object, new: object) -> bool:
        if old is not None:
            return old == new
        return self.syntax.is_closed and one.value.of(self.before) == two.value.of(self.after)

    def _is_same(self, one: Item, two: Item, *, exact: bool) -> bool:
        if one.kind != two.kind:
            return False
        if not same_data(one.data, two.data):
            is_last = one.value.end == len(self.before) and self.before[-1:] not in ("\r", "\n")
            self.is_ended = is_last and one.kind == "text" and two.data == f"{one.data}\n"
            return self.is_ended
        return not exact or one.is_container or one.value.of(self.before) == two.value.of(self.after)

    def _below(self, one: Item, two: Item, exact: bool, old: object, new: object) -> list[_Pair] | None:  # noqa: FBT001
        wanted = self.asked.family.get(id(one), one.children)
        found = two.children
        if len(wanted) != len(found):
            return None
        is_named = one.kind == "mapping"
        if is_named and any(_name_of(part) != child.path[-1] for part, child in zip(wanted, found, strict=True)):
            found = _sorted_like(wanted, found, ordered=self.syntax.ordered)
            if not found:
                return None
        pairs = [pair for pair in zip(wanted, found, strict=True) if not self._is_kept(*pair)]
        if old is None and new is None:
            return [(part, child, exact, None, None) for part, child in pairs]
        olds = (_at(old, part.path[-1:]) if isinstance(part, Item) else None for part, _ in pairs)
        return [(*pair, exact, was, _at(new, pair[1].path[-1:])) for pair, was in zip(pairs, olds, strict=True)]

    def _is_kept(self, one: Wanted, two: Item) -> bool:
        """Whether a scalar is there as it was, with its name: nothing of it has to be compared."""
        if one.__class__ is not Item or one.kind != two.kind or one.is_container or not same_data(one.data, two.data):
            return False
        return one.entry.of(self.before) == two.entry.of(self.after)


def _at(data: object, path: KeyPath) -> object:
    """What is at a path of loaded data; None where nothing is loaded."""
    for step in path:
        if isinstance(data, dict):
            data = data.get(step)
        else:
            data = data[step] if isinstance(data, list) and isinstance(step, int) else None
    return data


def _name_of(wanted: Wanted) -> object:
    return wanted.path[-1] if isinstance(wanted, Item) else wanted.name


def _sorted_like(wanted: Sequence[Wanted], found: Sequence[Item], *, ordered: bool) -> tuple[Item, ...]:
    """What was found in the order of what was wanted; nothing where names differ, or places that count.

    What has no place of its own may be anywhere; where the order says nothing, so may all, unless one was asked for.
    """
    by_name: dict[object, list[tuple[int, Item]]] = {}
    for pair in enumerate(found):
        by_name.setdefault(pair[1].path[-1], []).append(pair)
    made: list[Item] = []
    settled: list[int] = []
    for part in wanted:
        same = by_name.get(_name_of(part))
        if not same:
            return ()
        at, child = same.pop(0)
        made.append(child)
        is_asked = not isinstance(part, Item) and part.is_placed
        ordered = ordered or is_asked
        settled += (at,) * (is_asked or isinstance(part, Item))
    return () if ordered and settled != sorted(settled) else tuple(made)


@dataclass(frozen=True, slots=True)
class Beside:
    """Where among its siblings something goes: before or behind the one that answers to `step`."""

    step: Step
    is_after: bool


@dataclass(frozen=True, slots=True)
class Keys:
    """A text, how it is written and what it reads as; each method proposes one operation on one of its items."""

    syntax: Syntax
    source: Source
    reading: Reading

    @classmethod
    def of(cls, syntax: Syntax, source: Source) -> Keys | Refusal:
        """Reads the text, once for each source."""
        reading = source.derive(syntax.read)
        return reading if isinstance(reading, Refusal) else cls(syntax, source, reading)

    def set_value(self, item: Item, value: Plain) -> Proposal | Refusal:
        wanted = Fresh(_own_name(item), value)
        return self.checked(self.syntax.set_value(self.source, item, value), Asked.instead(self.reading, item, wanted))

    def put_raw(self, item: Item, written: str, kinds: tuple[ItemKind, ...] | None) -> Proposal | Refusal:
        """Put text of the format in the place of a value; it must read as one of `kinds`, whatever it says."""
        wanted = Rewritten(_own_name(item), kinds)
        return self.checked(self.syntax.put_raw(self.source, item, written), Asked.instead(self.reading, item, wanted))

    def add(self, container: Item, name: str | None, value: Plain, beside: Beside | None) -> Proposal | Refusal:
        """A new entry of a mapping; without a name, a new item of a sequence."""
        if container.kind == "null" and container.value.is_empty:  # what is not written may become a container
            return self.set_value(container, [value] if name is None else {name: value})
        kind = "sequence" if name is None else "mapping"
        if container.kind != kind:
            return _no_container(container, kind, _ADDING.get(container.kind, "set-key"))
        taken = None if name is None else self._taken(container, name)
        index = taken or place(self.reading, container, beside)
        if isinstance(index, Refusal):
            return index
        children: list[Wanted] = list(container.children)
        is_placed = name is None or (beside is not None and self.syntax.ordered)
        children.insert(index, Fresh(name, value, is_placed=is_placed))
        proposal = self.syntax.add(self.source, container, name, value, index)
        return self.checked(proposal, Asked.children((container, children)))

    def insert_raw(self, container: Item, written: str, index: int) -> Proposal | Refusal:
        """Put entries or items in as they are written, in front of child number `index`."""
        found = self.entries(written, container.kind)
        if isinstance(found, Refusal):
            return found
        names = [None if container.kind == "sequence" else str(item.path[-1]) for item in found[1]]
        if not names:
            expected = "an entry, with name and value," if container.kind == "mapping" else "an item"
            return refuse(f"{expected} is expected here", "write it as it would be in the file")
        fold = str.lower if self.reading.folded else str
        taken_names = {fold(str(child.path[-1])) for child in container.children if container.kind == "mapping"}
        for name in names:
            if name is not None and fold(name) in taken_names:
                return self._taken(container, name) or _exists(container, name)
            taken_names.add(fold(name or ""))
        children: list[Wanted] = list(container.children)
        placed = index < len(children) or container.kind == "sequence"
        pairs = zip(names, found[1], strict=True)
        children[index:index] = [Rewritten(name, (item.kind,), is_placed=placed) for name, item in pairs]
        proposal = self.syntax.insert_raw(self.source, container, written, index)
        return self.checked(proposal, Asked.children((container, children)))

    def entries(self, written: str, kind: ItemKind) -> tuple[Source, tuple[Item, ...]] | Refusal:
        """Entries or items as somebody wrote them; where they cannot be read, that is no fault of the file."""
        found = self.syntax.entries(self.source, written, kind)
        if not isinstance(found, Refusal) or found.kind != Kind.UNPARSABLE:
            return found
        return refuse(
            f"the new text cannot be read: {found.message}",
            f"write {'entries, with name and value,' if kind == 'mapping' else 'items'} as the file does",
            found.details,
        )

    def replace_entry(
        self, item: Item, name: str, written: str | None, kinds: tuple[ItemKind, ...] | None
    ) -> Proposal | Refusal:
        """Another name and, where it is given, other text for the value."""
        renamed = self.rename(item, name)
        put = Proposal(()) if written is None else self.put_raw(item, written, kinds)
        if isinstance(renamed, Refusal) or isinstance(put, Refusal):
            return renamed if isinstance(renamed, Refusal) else put
        splices = sorted((*renamed.splices, *put.splices), key=lambda splice: splice.start)
        if any(one.end > two.start for one, two in pairwise(splices)):
            return refuse("name and value cannot be edited separately", "use rename-key and set-key")
        both = Proposal(tuple(splices), (*renamed.notes, *put.notes))
        wanted = Moved(item, name) if written is None else Rewritten(name, kinds)
        return self.checked(both, Asked.instead(self.reading, item, wanted))

    def rename(self, item: Item, name: str) -> Proposal | Refusal:
        if item.name is None:
            return _no_entry(item, "has no name")
        parent, _ = self.reading.family(item)
        if name == item.path[-1]:
            return Proposal(())
        taken = self._taken(parent, name, item)
        wanted = Asked.instead(self.reading, item, Moved(item, name))
        return taken or self.checked(self.syntax.rename(self.source, item, name), wanted)

    def delete(self, item: Item) -> Proposal | Refusal:
        if not item.path:
            return _no_entry(item, "cannot be deleted")
        parent, _ = self.reading.family(item)
        left = [child for child in parent.children if child is not item]
        return self.checked(self.syntax.delete(self.source, item), Asked.children((parent, left)))

    def move(self, item: Item, container: Item, name: str | None, beside: Beside | None) -> Proposal | Refusal:
        """Take an item elsewhere; without a name it keeps its own, in a sequence it has none."""
        wanted = self._destination(item, container, name, beside)
        if isinstance(wanted, Refusal):
            return wanted
        name, index = wanted
        parent, _ = self.reading.family(item)
        moved = Moved(item, name, is_placed=beside is not None or name is None, is_indented=container is not parent)
        proposal = self.syntax.move(self.source, item, container, name, index)
        return self.checked(proposal, _moved(parent, container, item, moved, index))

    def _destination(
        self, item: Item, container: Item, name: str | None, beside: Beside | None
    ) -> tuple[str | None, int] | Refusal:
        """The name an item would have there, and in front of which child it would be."""
        if not item.path:
            return _no_entry(item, "cannot be moved")
        if not container.is_container:
            return _no_container(container, "mapping", "set-key")
        if container is item or any(part is container for part in item.walk()):
            return refuse("a key cannot be moved into itself", "choose another container")
        index = place(self.reading, container, beside)
        if isinstance(index, Refusal):
            return index
        if container.kind == "sequence":
            return (None, index) if name is None else _no_container(container, "mapping", "move-key without a name")
        own = name if name is not None else item.path[-1]
        if not isinstance(own, str):
            return refuse("an item of a sequence needs a name in a mapping", "add name")
        return self._taken(container, own, item) or (own, index)

    def _taken(self, container: Item, name: str, besides: Item | None = None) -> Refusal | None:
        """The refusal of a name that another entry has already."""
        found = [child for child in self.reading.named(container, name) if child is not besides]
        return _exists(container, str(found[0].path[-1])) if found else None

    def checked(self, proposal: Proposal | Refusal, asked: Asked) -> Proposal | Refusal:
        """The proposal, if it does what was asked and nothing else; else `unparsable` and what would be different."""
        if isinstance(proposal, Refusal):
            return proposal
        syntax, source = self.syntax, self.source
        real = tuple(splice for splice in proposal.splices if not splice.changes_nothing)
        after = source.apply(ChangeSet.of(real))
        if proposal.after is not None and proposal.after.text == after.text:
            after = proposal.after  # with what the syntax itself has read of it to find its splices
        wanted, found = self._sides(after, asked, real)
        if isinstance(found, Refusal):
            return Refusal(
                Kind.UNPARSABLE,
                f"the file would no longer parse: {found.message}",
                "write the new text in the file's format, or use set-key with a JSON value",
                found.details,
            )
        is_whole = bool(wanted) and wanted[0] in self.reading.documents
        loaded = (syntax.loaded(source), syntax.loaded(after)) if is_whole else (None, None)
        around = {id(item) for container in asked.containers for item in self.reading.chain(container)}
        comparison = _Comparison(source.text, after.text, asked, syntax, around, loaded)
        where = comparison.run(wanted, found)
        if where is None:
            return Proposal(real, (*proposal.notes, *(_ENDED,) * comparison.is_ended), after)
        return Refusal(
            Kind.UNPARSABLE,
            f"the file would read differently elsewhere: {where or 'the top level'}",
            "edit the lines by their text",
            {"differs": where},
        )

    def _sides(
        self, after: Source, asked: Asked, splices: Sequence[Splice]
    ) -> tuple[Sequence[Wanted], Sequence[Item] | Refusal]:
        """What should be there and what is: the one container that changed if it can be read alone, or everything."""
        part = self._touched(asked, splices)
        if part is not None:
            end = part.value.end + sum(splice.delta for splice in splices)
            again = self.syntax.reread(self.source, after, part, end)
            if again is not None:
                return (part,), again if isinstance(again, Refusal) else (again,)
        whole = after.derive(self.syntax.read)
        wanted = [asked.tops.get(id(top), top) for top in self.reading.documents]
        return wanted, whole if isinstance(whole, Refusal) else whole.documents

    def _touched(self, asked: Asked, splices: Sequence[Splice]) -> Item | None:
        """The least container that holds every one that changes, and all splices well inside of it."""
        if asked.tops or not asked.containers:
            return None
        outer = min(asked.containers, key=lambda item: item.value.start)
        while True:
            low, high = outer.value
            inside = all(low <= item.value.start and item.value.end <= high for item in asked.containers)
            if inside and all(low < splice.start and splice.end < high for splice in splices):
                return outer
            if not outer.path:
                return None
            outer, _ = self.reading.family(outer)


def place(reading: Reading, container: Item, beside: Beside | None) -> int | Refusal:
    """In front of which child something goes; at the end where nothing is said."""
    if beside is None:
        return len(container.children)
    step = counted(container, beside.step)
    found = reading.named(container, step)
    if len(found) == 1:
        return next(at for at, child in enumerate(container.children) if child is found[0]) + beside.is_after
    names = [str(child.path[-1]) for child in container.children[:10]]
    every = [f"key:{render_path(child.path)}" for child in container.children[:10]]
    near = similar_names(str(beside.step), names, 3)
    return Refusal(
        Kind.NO_SUCH_TARGET if not found else Kind.AMBIGUOUS_MATCH,
        f"{said(container)} has {len(found) or 'no'} {beside.step!r:.60}",
        f"it has: {', '.join(names)}" if names else "it is empty: leave out before and after",
        {"nearest": [every[names.index(name)] for name in near], "available": every},
    )


def said(item: Item) -> str:
    """How messages name an item."""
    return f"key {render_path(item.path)[:80]}" if item.path else "the top level"


def _moved(parent: Item, container: Item, item: Item, moved: Moved, index: int) -> Asked:
    left: list[Wanted] = [child for child in parent.children if child is not item]
    if parent is container:
        before = sum(child is not item for child in container.children[:index])
        left.insert(before, moved)
        return Asked.children((parent, left))
    there: list[Wanted] = list(container.children)
    there.insert(index, moved)
    return Asked.children((parent, left), (container, there))


def _own_name(item: Item) -> str | None:
    return item.path[-1] if item.path and isinstance(item.path[-1], str) else None


def _exists(container: Item, name: str) -> Refusal:
    path = render_path((*container.path, name))
    return Refusal(
        Kind.EXISTS_ALREADY,
        f"{said(container)} has {name!r:.80} already",
        (Act("set-key", path[:120], aim="to change it"), Say("choose another name")),
        {"key": path},
    )


def _no_entry(item: Item, why: str) -> Refusal:
    return refuse(f"{said(item)} {why}", "name an entry inside it" if not item.path else "use set-key")


_ADDING = {"mapping": "add-key", "sequence": "append-item"}


def _no_container(item: Item, wanted: str, instead: str) -> Refusal:
    return refuse(
        f"{said(item)} is a {item.kind}, not a {wanted}" if item.kind != "null" else f"{said(item)} is null",
        f"use {instead}",
        {"kind": item.kind},
    )
