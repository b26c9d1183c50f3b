"""Several operations on the keys of one text, each proposed on that text, all of them checked at once.

One after the other, each operation would read the whole text again. Here the text is read before and after all of them.

1. What comes of them is what would come of them one after the other. An operation is refused here, and all of them are
   made one by one, where an earlier one has changed what its path goes through, or has added something that its path
   names as well, or puts something at the same place among the same siblings.
2. The text after all of them is read and compared with what was there and all that was asked, as for a single one.
   Whatever rule 1 may have missed about how entries are written is found there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass, field
from steadyhand.structure.config.editor import Asked, Beside, Keys, Wanted
from steadyhand.structure.config.item import Item, ItemKind, Plain
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.splice import Splice

_ALONE = Refusal(Kind.OVERLAPPING_EDITS, "this cannot be combined with other edits", "send the edits one by one")


class _Siblings:
    """The children of one container, and what becomes of them by all operations so far."""

    __slots__ = ("added", "container", "instead", "order")

    def __init__(self, container: Item) -> None:
        self.container = container
        self.order = {id(child): at for at, child in enumerate(container.children)}
        self.instead: dict[int, Wanted | None] = {}
        self.added: dict[int, list[Wanted]] = {}

    def take(self, wanted: Sequence[Wanted], *, is_tail: bool) -> bool:
        """Note what one operation wants the children to be; False where that is not clear beside the others."""
        children, at = self.container.children, 0
        new: list[Wanted] = []
        for part in (*wanted, None):
            following = len(children) if part is None else self.order.get(id(part))
            if following == at and not new:  # as nearly all are
                at += 1
            elif part is not None and following is None:
                new.append(part)
            elif following is None or following < at or not self._change(at, following, new, is_tail=is_tail):
                return False
            else:
                at, new = following + 1, []
        return True

    def _change(self, start: int, end: int, new: Sequence[Wanted], *, is_tail: bool) -> bool:
        """Note that children give way to others."""
        gone = range(start, end)
        if any(at in self.instead for at in gone):
            return False
        if len(gone) == len(new) == 1:
            self.instead[start] = new[0]
            return True
        self.instead |= dict.fromkeys(gone)
        if new and end in self.added and not is_tail:
            return False
        if new:
            self.added.setdefault(end, []).extend(new)
        return True

    def all(self) -> list[Wanted]:
        made: list[Wanted] = []
        for at, child in enumerate(self.container.children):
            made += self.added.get(at, ())
            part = self.instead.get(at, child)
            made += () if part is None else (part,)
        return [*made, *self.added.get(len(self.container.children), ())]


@dataclass(frozen=True, slots=True)
class Batch(Keys):
    """The keys of a text with the operations that were proposed on it so far and are not checked yet."""

    steps: list[tuple[Splice, ...]] = field(default_factory=list, compare=False, repr=False)
    """What each operation writes."""
    _deleted: dict[int, int] = field(default_factory=dict, compare=False, repr=False)
    """The step that deletes an item, by the id of the item."""
    _siblings: dict[int, _Siblings] = field(default_factory=dict, compare=False, repr=False)
    _gone: set[int] = field(default_factory=set, compare=False, repr=False)
    _added: set[tuple[str, ...]] = field(default_factory=set, compare=False, repr=False)
    _tails: list[bool] = field(default_factory=list, compare=False, repr=False)

    def reaches(self, item: Item) -> bool:
        """Whether the path of an item leads to it, and to nothing else, also after the operations so far."""
        level, names = list(self.reading.documents), tuple(str(step).lower() for step in item.path)
        for depth, step in enumerate(item.path, start=1):
            if names[:depth] in self._added:
                return False
            level = [child for container in level for child in container.at(step)]
            if any(id(child) in self._gone for child in level):
                return False
        return True

    def all(self) -> Proposal | Refusal:
        """All operations, if they do what was asked and nothing else."""
        pairs = [(one.container, one.all()) for one in self._siblings.values()]
        splices = sorted((splice for step in self.steps for splice in step), key=lambda splice: splice.span)
        if any(left.end > right.start for left, right in pairwise(splices)):
            return _ALONE
        return Keys.checked(self, Proposal(tuple(splices)), Asked.children(*pairs))

    def add(self, container: Item, name: str | None, value: Plain, beside: Beside | None) -> Proposal | Refusal:
        self._tails.append(beside is None)
        made = _ALONE if beside is not None else Keys.add(self, container, name, value, beside)
        return self._with_deletions(container, made)

    def delete(self, item: Item) -> Proposal | Refusal:
        self._deleted[id(item)] = len(self.steps)
        return Keys.delete(self, item)

    def _with_deletions(self, container: Item, made: Proposal | Refusal) -> Proposal | Refusal:
        """Something new behind the last child. If that one is deleted, it is as beside the new one.

        Alone, the deletion of the last child changes what is before it, or leaves an empty container.
        """
        gone = [child for child in container.children if id(child) in self._deleted]
        if isinstance(made, Refusal) or not gone or gone[-1] is not container.children[-1]:
            return made
        after = self.source.apply(ChangeSet(made.splices))
        reading = after.derive(self.syntax.read)
        for child in gone:
            found = [] if isinstance(reading, Refusal) else reading.find(child.path)
            deletion = self.syntax.delete(after, found[0]) if len(found) == 1 else _ALONE
            if isinstance(deletion, Refusal) or any(each.end > made.splices[0].start for each in deletion.splices):
                return _ALONE
            self.steps[self._deleted[id(child)]] = deletion.splices
        return made

    def move(self, item: Item, container: Item, name: str | None, beside: Beside | None) -> Proposal | Refusal:  # noqa: ARG002
        return _ALONE

    def replace_entry(
        self,
        item: Item,  # noqa: ARG002
        name: str,  # noqa: ARG002
        written: str | None,  # noqa: ARG002
        kinds: tuple[ItemKind, ...] | None,  # noqa: ARG002
    ) -> Proposal | Refusal:
        return _ALONE

    def checked(self, proposal: Proposal | Refusal, asked: Asked) -> Proposal | Refusal:
        """The proposal as it is; what was asked is kept for the check of all."""
        is_tail = bool(self._tails)
        self._tails.clear()
        if isinstance(proposal, Refusal) or asked.tops:
            return proposal if isinstance(proposal, Refusal) else _ALONE
        for container in asked.containers:
            known = self._siblings.get(id(container)) or self._siblings.setdefault(id(container), _Siblings(container))
            wanted = asked.family[id(container)]
            if not known.take(wanted, is_tail=is_tail) or not self._note(container, wanted):
                return _ALONE
        real = tuple(splice for splice in proposal.splices if not splice.changes_nothing)
        self.steps.append(real)
        return Proposal(real, proposal.notes)

    def _note(self, container: Item, wanted: Sequence[Wanted]) -> bool:
        """Note what is not where it was, and what was not there; False where a name is there twice."""
        kept = {id(part) for part in wanted}
        self._gone.update(id(child) for child in container.children if id(child) not in kept)
        if container.kind == "sequence":
            if len(wanted) != len(container.children):
                self._gone.update(map(id, container.children))  # they are counted otherwise
            return True
        there = {child.path[-1] for child in container.children if id(child) not in kept}
        names = [part.name for part in wanted if not isinstance(part, Item) and part.name not in there]
        paths = {(*(str(step).lower() for step in container.path), str(name).lower()) for name in names}
        if len(paths) != len(names) or paths & self._added:
            return False
        self._added.update(paths)
        return True
