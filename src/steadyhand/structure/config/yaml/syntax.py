"""Keys of YAML: mappings, sequences and scalars, several documents in one file.

A collection gets another value by changing only what differs, so that everything else keeps its comments; whatever
cannot be done that way is left to `value.py`, which writes the whole collection again. Aliases are never expanded and
merges never followed: a key that one of them brings is refused with the place where it is written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise, zip_longest
from typing import ClassVar

from steadyhand.errors import Kind
from steadyhand.hints import Act, Hint, SendAddress
from steadyhand.lazy import dataclass, field, lazy_pattern
from steadyhand.structure.config.item import (
    Item,
    ItemKind,
    KeyPath,
    Plain,
    Reading,
    Step,
    counted,
    plain_of,
    render_path,
    says,
)
from steadyhand.structure.config.syntax import Proposer, Syntax, in_steps
from steadyhand.structure.config.yaml.document import Parsed, note_of
from steadyhand.structure.config.yaml.entries import (
    add,
    append,
    delete,
    rename,
)
from steadyhand.structure.config.yaml.reader import (
    parse,
    reread,
)
from steadyhand.structure.config.yaml.style import DEEPEST, Unwritable, depth_of
from steadyhand.structure.config.yaml.transfer import (
    carried,
    entries,
    insert_raw,
    move,
    put_raw,
)
from steadyhand.structure.config.yaml.value import Slot, alias_notes, is_said, set_value
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_MOST_STEPS = 50
_MOST_READ = 2_000_000
_MOST_PAIRS = 250_000
_COMMENT = lazy_pattern(r"(?:\A|(?<=[ \t\r\n]))#")


def change(source: Source, parsed: Parsed, item: Item, value: Plain) -> Proposal | Refusal:
    """The splices that make a collection, or any other value, say a value."""
    made = _in_steps(source, parsed, item, value)
    if made is not None:
        notes = alias_notes(parsed, item) if made.splices else ()
        return Proposal(made.splices, (*notes, *made.notes))
    whole = set_value(source, parsed, item, value)
    if isinstance(whole, Refusal) or not whole.splices:
        return whole
    return Proposal(whole.splices, (*whole.notes, *_notes(source.text, [item])))


def _notes(text: str, anew: Sequence[Item]) -> tuple[str, ...]:
    """What a person should know of collections that are written anew."""
    lost = sum(comments_in(text, item) for item in anew)
    gone = "1 comment inside it is" if lost == 1 else f"{lost} comments inside it are"
    return (f"the value is written again: {gone} gone",) if lost else ()


def comments_in(text: str, item: Item) -> int:
    """How many comments stand inside a collection."""
    if not item.is_container:
        return 0
    end = Slot(text, item).block_end if note_of(item).style == "block" else item.value.end
    at, count = item.value.start, 0
    for part in _words(item):
        count += len(_COMMENT.findall(text[at : part.start]))
        at = max(at, part.end)
    return count + len(_COMMENT.findall(text[at:end]))


def _words(item: Item) -> Iterator[Span]:
    """The places of names and scalars, in the order of the file."""
    for part in item.walk():
        if part.name is not None and part is not item:
            yield part.name
        if not part.is_container:
            yield part.value


@dataclass(slots=True)
class _Plan:
    """What differs: values to set, and other steps in the order of the file."""

    document: int
    sets: list[tuple[Item, Plain]] = field(default_factory=list)
    steps: list[Proposer] = field(default_factory=list)

    def compare(self, item: Item, value: Plain) -> bool:
        """Notes what differs; false where the value has to be written anew."""
        if is_said(item, value):
            return True
        if isinstance(value, Mapping) and item.kind == "mapping":
            return self._mapping(item, value)
        if isinstance(value, list | tuple) and item.kind == "sequence":
            return self._sequence(item, value)
        self.sets.append((item, value))
        return True

    def _inner(self, item: Item, value: Plain) -> None:
        """The same for what stands inside of something: there a collection may be written anew."""
        sets, steps = len(self.sets), len(self.steps)
        if not self.compare(item, value):
            del self.sets[sets:], self.steps[steps:]
            self.sets.append((item, value))

    def _mapping(self, item: Item, value: Mapping[str, Plain]) -> bool:
        there = [str(child.path[-1]) for child in item.children]
        kept = [name for name in there if name in value]
        if not kept or len(set(there)) != len(there) or note_of(item).style == "pair":
            return False
        is_ordered = kept == [name for name in value if name in there]
        new = [name for name in value if name not in there]
        if not is_ordered:
            self._sort(item.path, [*kept, *new], list(value))
        before = _places(list(value), there) if is_ordered else dict.fromkeys(new, len(there))
        for at, child in enumerate([*item.children, None]):
            for name in new:
                if before[name] == at:
                    self.steps.append(self._adding(item.path, name, value[name], at))
            if child is not None and child.path[-1] in value:
                self._inner(child, value[str(child.path[-1])])
            elif child is not None:
                self.steps.append(self._deleting(child.path))
        return True

    def _sequence(self, item: Item, value: Sequence[Plain]) -> bool:
        pairs = _paired(item, value)
        if not any(at is not None and index is not None for at, index in pairs):
            return False
        place = 0
        for at, index in pairs:
            if at is None and index is not None:
                self.steps.append(self._appending(item.path, value[index], place))
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

    def _adding(self, path: KeyPath, name: str, value: Plain, index: int) -> Proposer:
        return self._step(path, lambda source, parsed, item: add(source, parsed, item, name, value, index))

    def _appending(self, path: KeyPath, value: Plain, index: int) -> Proposer:
        return self._step(path, lambda source, parsed, item: append(source, parsed, item, value, index))

    def _deleting(self, path: KeyPath) -> Proposer:
        return self._step(path, delete)

    def _moving(self, path: KeyPath, index: int) -> Proposer:
        def go(source: Source, parsed: Parsed, item: Item) -> Proposal | Refusal:
            return move(source, parsed, item, parsed.family(item)[0], str(path[-1]), index)

        return self._step(path, go)

    def _step(self, path: KeyPath, go: Callable[[Source, Parsed, Item], Proposal | Refusal]) -> Proposer:
        def step(source: Source) -> Proposal | Refusal:
            parsed = source.derive(parse)
            assert isinstance(parsed, Parsed)  # read by the step before
            return go(source, parsed, item_at(parsed, self.document, path))

        return step


def item_at(parsed: Parsed, document: int, path: KeyPath) -> Item:
    """The item with a path in one document; its names stand once."""
    item = parsed.reading.documents[document]
    for step in path:
        item = next(child for child in item.children if child.path[-1] == step)
    return item


def _in_steps(source: Source, parsed: Parsed, item: Item, value: Plain) -> Proposal | None:
    """What differs, changed bit by bit; None where that is too much or does not end with what was asked."""
    kind = "mapping" if isinstance(value, Mapping) else "sequence" if isinstance(value, list | tuple) else None
    if not item.children or not value or item.kind != kind:
        return None
    tops = parsed.reading.documents
    number = next(at for at, top in enumerate(tops) if top.value.start <= item.value.start <= top.value.end)
    plan = _Plan(number)
    if _find(parsed, number, item.path) is not item or not plan.compare(item, value):
        return None
    count = len(plan.steps)
    if count > _MOST_STEPS or (count + 1) * len(source.text) > _MOST_READ + len(source.text):
        return None
    first = _together(source, parsed, plan.sets)
    if first is None or not plan.steps:
        return first
    made = in_steps(source, lambda now: now.derive(parse), [lambda _: first, *reversed(plan.steps)])
    return made if isinstance(made, Proposal) and _is_right(source, made, number, item.path, value) else None


def _find(parsed: Parsed, document: int, path: KeyPath) -> Item | None:
    try:
        return item_at(parsed, document, path)
    except StopIteration:
        return None


def _together(source: Source, parsed: Parsed, sets: Sequence[tuple[Item, Plain]]) -> Proposal | None:
    """Values set in their places, at once; None where one is refused or two are written at one place."""
    made = [set_value(source, parsed, item, value) for item, value in sets]
    whole = [proposal for proposal in made if isinstance(proposal, Proposal) and proposal.splices]
    whole.sort(key=lambda proposal: proposal.splices[0].start)
    is_apart = all(one.splices[-1].end < two.splices[0].start for one, two in pairwise(whole))
    if any(isinstance(proposal, Refusal) for proposal in made) or not is_apart:
        return None
    notes = tuple(note for proposal in whole for note in proposal.notes)
    splices = tuple(splice for proposal in whole for splice in proposal.splices)
    return Proposal(splices, (*notes, *_notes(source.text, [item for item, _ in sets])))


def _is_right(source: Source, proposal: Proposal, document: int, path: KeyPath, value: Plain) -> bool:
    parsed = source.apply(ChangeSet.of(proposal.splices)).derive(parse)
    found = None if isinstance(parsed, Refusal) else _find(parsed, document, path)
    return found is not None and says(found, value)


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


_MERGE = "<<"
_MOST = 100


def elsewhere(source: Source, parsed: Parsed, path: KeyPath, document: int | None) -> Refusal | None:
    """The refusal of a path that only a merge or an alias leads to, naming the place it is written at."""
    for top in parsed.reading.documents[slice(None) if document is None else slice(document - 1, document)]:
        item: Item | None = top
        for at, step in enumerate(path):
            assert item is not None
            found = _child(item, step)
            if found is None:
                return _told(source, top, item, path, at)
            item = found
    return None


def _told(source: Source, top: Item, item: Item, path: KeyPath, at: int) -> Refusal | None:
    if note_of(item).style == "alias":
        anchored = _anchored(top, item)
        return None if anchored is None else _refusal(source, top, item, anchored, path, at)
    for alias, anchored in _merged(top, item):
        if _child(anchored, path[at]) is not None:
            return _refusal(source, top, alias, anchored, path, at)
    return None


def _refusal(source: Source, top: Item, alias: Item, anchored: Item, path: KeyPath, at: int) -> Refusal:
    where = render_path((*anchored.path, *path[at:]))
    name = note_of(anchored).anchor or ""
    line, there = source.line_of(alias.value.start), source.line_of(note_of(anchored).start)
    by = "merge" if alias.path[-1:] == (_MERGE,) or _MERGE in alias.path[-2:] else "alias"
    hints: list[Hint] = [SendAddress(f"key:{where[:120]}", "edit", more=f", which changes it wherever *{name[:60]} is")]
    if by == "merge" and top.kind == "mapping":
        hints.append(Act("add-key", render_path(path[:at])[:120], str(path[at])[:80], "to give it a value of its own"))
    return Refusal(
        Kind.NO_SUCH_TARGET,
        f"{render_path(path)[:80]} is not written there: it comes by the {by} *{name[:60]} on line {line}"
        f" from the anchor &{name[:60]} on line {there}",
        tuple(hints),
        {"nearest": [f"key:{where}"], "line": line, "anchor": name, "anchor_line": there},
    )


def _child(item: Item, step: Step) -> Item | None:
    wanted = counted(item, step)
    return next((child for child in item.children if child.path[-1] == wanted), None)


def _merged(top: Item, item: Item) -> Iterator[tuple[Item, Item]]:
    """The mappings that are merged into one, each with the alias in it that leads there, those that count first."""
    waiting = [(alias, alias) for alias in _merges(item)]
    for _ in range(_MOST):
        if not waiting:
            return
        first, alias = waiting.pop(0)
        anchored = _anchored(top, alias)
        if anchored is not None:
            yield first, anchored
            waiting[:0] = [(first, inner) for inner in _merges(anchored)]


def _merges(item: Item) -> list[Item]:
    """The aliases behind the `<<` of a mapping."""
    found = [child for child in item.children if child.path[-1] == _MERGE]
    return [part for child in found for part in (child, *child.children) if note_of(part).style == "alias"]


def _anchored(top: Item, alias: Item) -> Item | None:
    """What an alias means: the last thing above it with that anchor."""
    name = alias.data[1] if isinstance(alias.data, tuple) else None
    found = None
    for item in top.walk():
        if note_of(item).start >= alias.value.start and not item.is_container:
            break
        if note_of(item).anchor == name and note_of(item).start < alias.value.start:
            found = item
    return found


class YamlSyntax(Syntax):
    """Keys and values of YAML."""

    name: ClassVar[str] = "yaml"

    def read(self, source: Source) -> Reading | Refusal:
        parsed = source.derive(parse)
        return parsed if isinstance(parsed, Refusal) else parsed.reading

    def reread(self, source: Source, item: Item, end: int) -> Item | Refusal | None:
        return reread(source, item, end)

    def set_value(self, source: Source, item: Item, value: Plain) -> Proposal | Refusal:
        return _run(source, value, lambda parsed: change(source, parsed, item, value))

    def put_raw(self, source: Source, item: Item, written: str) -> Proposal | Refusal:
        return _run(source, None, lambda parsed: put_raw(source, parsed, item, written))

    def add(self, source: Source, container: Item, name: str, value: Plain, index: int) -> Proposal | Refusal:
        return _run(source, value, lambda parsed: add(source, parsed, container, name, value, index))

    def append(self, source: Source, container: Item, value: Plain, index: int) -> Proposal | Refusal:
        return _run(source, value, lambda parsed: append(source, parsed, container, value, index))

    def rename(self, source: Source, item: Item, name: str) -> Proposal | Refusal:
        return _run(source, None, lambda parsed: rename(source, parsed, item, name))

    def delete(self, source: Source, item: Item) -> Proposal | Refusal:
        return _run(source, None, lambda parsed: delete(source, parsed, item))

    def move(self, source: Source, item: Item, container: Item, name: str | None, index: int) -> Proposal | Refusal:
        return _run(source, None, lambda parsed: move(source, parsed, item, container, name, index))

    def carried(self, source: Source, item: Item) -> str | Refusal:
        """An entry or item as another file takes it: with its comments, an item with its dash."""
        parsed = source.derive(parse)
        return parsed if isinstance(parsed, Refusal) else carried(source, parsed, item)

    def elsewhere(self, source: Source, path: KeyPath, document: int | None) -> Refusal | None:
        """The refusal of a path that only a merge or an alias leads to, naming the place it is written at."""
        parsed = source.derive(parse)
        return None if isinstance(parsed, Refusal) else elsewhere(source, parsed, path, document)

    def entries(
        self,
        source: Source,  # noqa: ARG002
        written: str,
        kind: ItemKind,
    ) -> tuple[Source, tuple[Item, ...]] | Refusal:

        return entries(written, kind)

    def insert_raw(self, source: Source, container: Item, written: str, index: int) -> Proposal | Refusal:
        return _run(source, None, lambda _parsed: insert_raw(source, container, written, index))


def _run(source: Source, value: Plain, propose: Callable[[Parsed], Proposal | Refusal]) -> Proposal | Refusal:
    """What an operation proposes for a source that can be read and a value that can be written."""
    if depth_of(value) > DEEPEST:
        return Refusal(Kind.TOO_LARGE, "the value is nested too deep", "add its parts one by one")
    parsed = source.derive(parse)
    if isinstance(parsed, Refusal):
        return parsed
    try:
        return propose(parsed)
    except Unwritable as error:
        return Refusal(Kind.BAD_REQUEST, f"YAML cannot say this: {error}", "choose another value")


SYNTAX = YamlSyntax()
