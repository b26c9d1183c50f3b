"""A text through its changes, with what went away kept in its place: whether some of them can be taken back. Pure.

1. Text that looks alike is not the same text: what a change wrote is there only as long as nobody has replaced it, even
   by the same words. It is the same again when the change that took it away was undone, or was taken back by hand by
   the party that made it.
2. A change is what it does to whole tokens: whoever changes a part of one has replaced it.
3. A text is shown by the changes that are in force: it is there if the one that wrote it is, and none is that
   took it away. Undoing changes puts them out of force, or back into it; nothing else about the text changes.
4. Taking changes back is refused where it is not exact: where somebody took away or split what they wrote, where it is
   open on which side of later text the old one belongs, and where it would join tokens or lines that were apart.

Each change costs what it touches, not what was touched before it.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Hashable, Iterator, Sequence

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field
from steadyhand.text.cancel import check_each
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.lines import starts_line
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice
from steadyhand.text.words import is_one_word, token_around
from steadyhand.workspace.history.unseen_changes import whole_tokens

_EDGES = ("", "\n", "\r")  # of a text that leaves the line before or behind it to others
_SOME = 16  # changes looked at between two questions whether to go on
_BLOCK = 64  # pieces


@dataclass(frozen=True, slots=True)
class Step:
    """One change on a text's way: its name, whose it is (None: nobody knows), and the records that it takes back."""

    name: str
    changes: ChangeSet
    party: Hashable = None
    undoes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Blocked:
    """What is in the way: who made it, and where it is in the present text."""

    by: str
    span: Span


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What takes changes back in the present text, and for each splice the names of those that it takes back."""

    changes: ChangeSet
    names: tuple[tuple[str, ...], ...]


@dataclass(slots=True, eq=False)
class _Edit:
    """One place of a change: the pieces it wrote and took away, and whether lines started or ended at its two ends."""

    number: int
    starts_line: bool = False
    follows_line: bool = False
    ends_line: bool = False
    wrote: list[_Piece] = field(default_factory=list)
    took: list[_Piece] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class _Removal:
    """That an edit took a piece away; void while a change that took this back by hand is in force."""

    edit: _Edit
    void_by: tuple[int, ...] = ()


@dataclass(slots=True, eq=False)
class _Piece:
    """Some text. `gap`: the text it was put in behind, if it took the place of nothing; the tombstones between the two
    could as well come after it.
    """

    text: str
    by: _Edit
    block: _Block
    is_shown: bool = True
    removals: list[_Removal] = field(default_factory=list)
    is_put_in: bool = False
    gap: _Piece | None = None
    place: int = 0  # in the order of all pieces, and where that is in the present text; known at the end
    offset: int = 0


@dataclass(slots=True, eq=False)
class _Block:
    """Some pieces side by side, and how much of the present text they are."""

    pieces: list[_Piece] = field(default_factory=list)
    length: int = 0


def take_back(text: str, steps: Sequence[Step], chosen: Collection[str]) -> TakenBack | list[Blocked]:
    """What takes the chosen ones of these changes back, in the text that they all lead to; or what is in the way.

    Of an undo, what it undoes should be among the steps: only then is it known what else puts that back into force.
    Refuses with `stale-source` changes that do not lead on from `text`.
    """
    made = _Tombstones(text)
    own = set(chosen)
    for step in reversed(steps):
        own.update(step.undoes if step.name in own else ())
    for step in check_each(steps, _SOME):
        made.take(step, is_own=step.name in own)
    return _Inverse(made, chosen).result()


class _Tombstones:
    """The pieces of a text in order, those that are not shown included."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps: list[Step | None] = [None]
        self.in_force = [True]
        self._numbers: dict[str, int] = {}
        self._undoes: dict[int, list[int]] = {}
        self._undoers: dict[int, list[int]] = {}
        self._concerned: dict[int, list[_Piece]] = {0: []}
        block = _Block()
        self.blocks = [block]
        if text:
            block.pieces.append(_Piece(text, _Edit(0), block))
            block.length = len(text)

    def take(self, step: Step, *, is_own: bool) -> None:
        """A further change. Of one that is to be taken back, all that it wrote of a line that it changed is its own."""
        number = self._number(step)
        after = step.changes.apply(self.text)
        undone = [self._numbers[name] for name in step.undoes if name in self._numbers]
        self._numbers[step.name] = number
        if not undone or not self._leads_to(after, number, undone):
            for splice in reversed(whole_tokens(self.text, after, step.changes, is_trimmed=not is_own)):
                self._replace(splice, self._edit(number, splice), step)
        self.text = after

    def undo(self, names: Collection[str]) -> list[int]:
        """Put changes out of force; these, or others that they had put out of force and that are in force again."""
        return self._put_out([self._numbers[name] for name in names], self._number(None))

    def toggle(self, numbers: Collection[int]) -> list[_Piece]:
        """Show what is there by the changes that are in force, some of which were not before, or the reverse."""
        changed: list[_Piece] = []
        for piece in dict.fromkeys(piece for number in numbers for piece in self._concerned[number]):
            is_shown = self._is_in_force(piece)
            if is_shown != piece.is_shown:
                self._show(piece, is_shown=is_shown)
                changed.append(piece)
        return changed

    def _number(self, step: Step | None) -> int:
        number = len(self.steps)
        self.steps.append(step)
        self.in_force.append(True)
        self._concerned[number] = []
        self._undoes[number] = []
        self._undoers[number] = []
        return number

    def _put_out(self, numbers: Collection[int], by: int) -> list[int]:
        """Let a change undo others; those that are in force now and were not, or the reverse."""
        self._undoes[by] = list(numbers)
        for number in numbers:
            self._undoers[number].append(by)
        return self._refresh(numbers)

    def _refresh(self, numbers: Collection[int]) -> list[int]:
        """Recompute which of these changes, and of those that they undo, are in force: whom nobody in force undoes."""
        waiting = [-number for number in numbers]
        heapq.heapify(waiting)  # the last first: who undoes comes behind
        changed: list[int] = []
        while waiting:
            number = -heapq.heappop(waiting)
            is_in_force = not any(self.in_force[by] for by in self._undoers[number])
            if is_in_force != self.in_force[number]:
                self.in_force[number] = is_in_force
                changed.append(number)
                for undone in self._undoes[number]:
                    heapq.heappush(waiting, -undone)
        return changed

    def pieces(self) -> Iterator[_Piece]:
        for block in self.blocks:
            yield from block.pieces

    def removers(self, piece: _Piece) -> Iterator[_Edit]:
        """What has taken a piece away, and still does."""
        for removal in piece.removals:
            if self.in_force[removal.edit.number] and not any(self.in_force[number] for number in removal.void_by):
                yield removal.edit

    def undoers(self, number: int) -> Iterator[int]:
        """What has undone a change, and is in force."""
        return (by for by in self._undoers.get(number, ()) if self.in_force[by] and self.steps[by] is not None)

    def _is_in_force(self, piece: _Piece) -> bool:
        return self.in_force[piece.by.number] and next(self.removers(piece), None) is None

    def _show(self, piece: _Piece, *, is_shown: bool) -> None:
        piece.is_shown = is_shown
        piece.block.length += len(piece.text) if is_shown else -len(piece.text)

    def _leads_to(self, after: str, number: int, undone: Sequence[int]) -> bool:
        """Let a change undo others if this makes the text what it is after; else leave all as it was."""
        toggled = self._put_out(undone, number)
        changed = self.toggle(toggled)
        if self._is_changed_to(after, changed) if changed else after == self.text:
            return True
        for each in undone:
            self._undoers[each].remove(number)
        self._undoes[number] = []
        self.toggle(self._refresh(undone))
        return False

    def _is_changed_to(self, after: str, changed: Sequence[_Piece]) -> bool:
        """Whether the text is this one, of which only some pieces were shown or hidden."""
        order = {id(block): place for place, block in enumerate(self.blocks)}
        places = sorted((order[id(piece.block)], _index(piece)) for piece in changed)
        (first, at), (last, until) = places[0], places[-1]
        start = sum(block.length for block in self.blocks[:first]) + sum(
            len(piece.text) for piece in self.blocks[first].pieces[:at] if piece.is_shown
        )
        shown: list[str] = []
        for place in range(first, last + 1):
            block = self.blocks[place]
            if block.length:
                pieces = block.pieces[at if place == first else 0 : until + 1 if place == last else None]
                shown += [piece.text for piece in pieces if piece.is_shown]
        made = "".join(shown)
        rest = len(after) - start - len(made)
        if rest < 0 or not after.startswith(made, start) or self.text[:start] != after[:start]:
            return False
        return rest == 0 or (len(self.text) - rest >= start and self.text[-rest:] == after[-rest:])

    def _edit(self, number: int, splice: Splice) -> _Edit:
        text, end = self.text, splice.end
        is_end = end == len(text) or text[end] in "\r\n"
        follows = starts_line(text, end)
        return _Edit(number, starts_line(text, splice.start), follows, is_end and not follows)

    def _replace(self, splice: Splice, edit: _Edit, step: Step) -> None:
        block, at = self._cut(splice.start)
        replaced = self._shown_from(block, at, len(splice.old))
        returned = self._returned(splice, replaced, block, at, step)
        for piece in replaced:
            piece.removals.append(_Removal(edit))
            self._concerned[edit.number].append(piece)
            self._show(piece, is_shown=False)
        edit.took = replaced
        for piece, removal in returned:
            removal.void_by += (edit.number,)
            self._concerned[edit.number].append(piece)
            self._show(piece, is_shown=True)
        if splice.new and not returned:
            if replaced:
                block, at = replaced[0].block, _index(replaced[0])
            piece = _Piece(splice.new, edit, block)
            if all(each.is_put_in for each in replaced):
                piece.is_put_in = True
                piece.gap = replaced[0].gap if replaced else self._shown_before(splice.start)
            edit.wrote.append(piece)
            self._concerned[edit.number].append(piece)
            self._insert(block, at, piece)

    def _returned(
        self, splice: Splice, replaced: Sequence[_Piece], block: _Block, at: int, step: Step
    ) -> list[tuple[_Piece, _Removal]]:
        """The pieces that a party brings back by hand: it had put what is replaced now in the place of this text."""
        if not splice.new or step.party is None:
            return []
        if replaced:
            made = replaced[0].by
            is_all = all(piece.by is made for piece in replaced) and len(splice.old) == sum(
                len(piece.text) for piece in made.wrote
            )
        else:
            before = self._piece_before(block, at)
            removers = [] if before is None or before.is_shown else list(self.removers(before))
            if len(removers) != 1:
                return []
            made = removers[0]
            is_all = not made.wrote
        theirs = self.steps[made.number]
        if not is_all or theirs is None or theirs.party != step.party:
            return []
        if "".join(piece.text for piece in made.took) != splice.new:
            return []
        found: list[tuple[_Piece, _Removal]] = []
        for piece in made.took:
            active = [each for each in piece.removals if each.edit in list(self.removers(piece))]
            if piece.is_shown or not self.in_force[piece.by.number] or [each.edit for each in active] != [made]:
                return []
            found.append((piece, active[0]))
        return found

    def _cut(self, offset: int) -> tuple[_Block, int]:
        """The place of the first piece that is shown from an offset on; a piece is cut in two for it."""
        for block in self.blocks:
            if offset < block.length:
                break
            offset -= block.length
        else:
            return self.blocks[-1], len(self.blocks[-1].pieces)
        for at, piece in enumerate(block.pieces):
            if piece.is_shown and piece.text:
                if offset == 0:
                    return block, at
                if offset < len(piece.text):
                    return self._split(piece, block, at, offset)
                offset -= len(piece.text)
        raise AssertionError("a block is as long as its pieces")

    def _split(self, piece: _Piece, block: _Block, at: int, offset: int) -> tuple[_Block, int]:
        """Cut a piece; it stays the second half, so that what was put in behind it still is."""
        head = _Piece(piece.text[:offset], piece.by, block, piece.is_shown)
        head.is_put_in, head.gap = piece.is_put_in, piece.gap
        piece.text = piece.text[offset:]
        _before(piece.by.wrote, piece, head)
        numbers = [piece.by.number]
        for removal in piece.removals:
            head.removals.append(_Removal(removal.edit, removal.void_by))
            _before(removal.edit.took, piece, head)
            numbers += [removal.edit.number, *removal.void_by]
        for number in numbers:
            self._concerned[number].append(head)
        block.length -= len(head.text)
        self._insert(block, at, head)
        return piece.block, _index(piece)

    def _insert(self, block: _Block, at: int, piece: _Piece) -> None:
        piece.block = block
        block.pieces.insert(at, piece)
        block.length += len(piece.text)
        if len(block.pieces) > 2 * _BLOCK:
            rest = _Block(block.pieces[_BLOCK:])
            del block.pieces[_BLOCK:]
            for moved in rest.pieces:
                moved.block = rest
                rest.length += len(moved.text) if moved.is_shown else 0
            block.length -= rest.length
            self.blocks.insert(self.blocks.index(block) + 1, rest)

    def _shown_from(self, block: _Block, at: int, length: int) -> list[_Piece]:
        """The pieces that so many characters consist of; the last one is cut for it."""
        found: list[_Piece] = []
        while length:
            while at == len(block.pieces):
                block, at = self.blocks[self.blocks.index(block) + 1], 0
                at = len(block.pieces) if not block.length else 0
            piece = block.pieces[at]
            if piece.is_shown and piece.text:
                if len(piece.text) > length:
                    self._split(piece, block, at, length)
                    block, at = piece.block, _index(piece)
                    found.append(self._piece_before(block, at) or piece)
                    return found
                found.append(piece)
                length -= len(piece.text)
            at += 1
        return found

    def _piece_before(self, block: _Block, at: int) -> _Piece | None:
        if at:
            return block.pieces[at - 1]
        place = self.blocks.index(block)
        return next((each.pieces[-1] for each in reversed(self.blocks[:place]) if each.pieces), None)

    def _shown_before(self, offset: int) -> _Piece | None:
        """The piece that is shown right before an offset."""
        for block in self.blocks:
            if offset <= block.length:
                break
            offset -= block.length
        for piece in block.pieces if offset else ():
            if piece.is_shown and piece.text:
                offset -= len(piece.text)
                if offset <= 0:
                    return piece
        return None


class _Inverse:
    """What a text is without some of the changes that led to it, and what is in the way of that."""

    def __init__(self, made: _Tombstones, chosen: Collection[str]) -> None:
        self._made = made
        self._present = made.text
        self._chosen = chosen
        self._toggled: set[int] = set()
        self._pieces = list(made.pieces())
        self._blocked: dict[tuple[int, Span], None] = {}

    def result(self) -> TakenBack | list[Blocked]:
        pieces = self._pieces
        offset = 0
        for place, piece in enumerate(pieces):
            piece.place, piece.offset = place, offset
            offset += len(piece.text) if piece.is_shown else 0
        if "".join(piece.text for piece in pieces if piece.is_shown) != self._present:
            raise EditError(Kind.STALE_SOURCE, "the changes do not produce the text", hint="read the file again")
        before = [piece.is_shown for piece in pieces]
        self._toggled.update(self._made.undo(self._chosen))
        self._find_removed()
        self._made.toggle(self._toggled)
        ranges = self._ranges(before)
        self._find_split()
        self._find_enclosed(before)
        after = "".join(piece.text for piece in pieces if piece.is_shown)
        splices: list[Splice] = []
        names: list[tuple[str, ...]] = []
        delta = 0
        for first, last in ranges:
            groups = list(self._groups(first, last, before))
            self._find_open(last, [place for group in groups for place in group])
            for changed in groups:
                old = "".join(pieces[place].text for place in changed if before[place])
                new = "".join(pieces[place].text for place in changed if not before[place])
                splice = Splice(pieces[changed[0]].offset, old, new)
                beside = [*range(changed[0] - 1, first - 2, -1)], [*range(changed[-1] + 1, last + 1)]
                self._find_joined(beside, changed, splice, splice.start + delta, after)
                delta += splice.delta
                if old != new:
                    splices.append(splice)
                    names.append(tuple(dict.fromkeys(self._name(self._edit_at(at).number) for at in changed)))
        if self._blocked:
            return [Blocked(self._name(number), span) for number, span in self._blocked]
        return TakenBack(ChangeSet(tuple(splices)), tuple(names))

    def _ranges(self, before: Sequence[bool]) -> list[tuple[int, int]]:
        """The ranges between pieces that stay, in which some come or go."""
        found: list[tuple[int, int]] = []
        start, is_changed = 0, False
        for place, piece in enumerate(self._pieces):
            if before[place] and piece.is_shown and piece.text:
                if is_changed:
                    found.append((start, place))
                start, is_changed = place + 1, False
            elif piece.text and before[place] != piece.is_shown:
                is_changed = True
        return [*found, (start, len(self._pieces))] if is_changed else found

    def _groups(self, first: int, last: int, before: Sequence[bool]) -> Iterator[list[int]]:
        """What comes or goes in a range, apart where others took away what was between: each is a place of its own."""
        group: list[int] = []
        for place in range(first, last):
            piece = self._pieces[place]
            if before[place] != piece.is_shown and piece.text:
                group.append(place)
            elif group and any(self._is_foreign(edit.number) for edit in self._made.removers(piece)):
                yield group
                group = []
        if group:
            yield group

    def _find_removed(self) -> None:
        """Whoever took away what is to go, to come back or to be replaced again, or undid who wrote that."""
        for piece in self._pieces:
            if piece.is_shown or not piece.text:
                continue
            numbers = {piece.by.number, *(removal.edit.number for removal in piece.removals)}
            if not numbers.isdisjoint(self._toggled):
                for edit in (*self._made.removers(piece), *map(_Edit, self._made.undoers(piece.by.number))):
                    if self._is_foreign(edit.number):
                        self._block(edit, piece)

    def _find_split(self) -> None:
        """Whoever put text into what is to go."""
        last: dict[_Edit, int] = {}
        for piece in self._pieces:
            if piece.by.number in self._toggled and piece.text:
                last[piece.by] = piece.place
        until = -1
        for piece in self._pieces:
            until = max(until, last.get(piece.by, -1))
            if piece.place < until and piece.is_shown and self._is_foreign(piece.by.number) and piece.text:
                self._block(piece.by, piece)

    def _find_enclosed(self, before: Sequence[bool]) -> None:
        """Whoever took away, at once, what is before and behind a place to which text would come back."""
        until, by = -1, None
        for piece in self._pieces:
            comes = piece.is_shown and not before[piece.place] and piece.text
            if comes and piece.place < until and by is not None:
                self._block(by, piece)
            for edit in self._made.removers(piece):
                if self._is_foreign(edit.number) and edit.took[-1].place > until:
                    until, by = edit.took[-1].place, edit

    def _find_open(self, last: int, changed: Sequence[int]) -> None:
        """Whoever put text in where it comes back: nothing says which of the two is first."""
        coming = [self._pieces[place] for place in changed if self._pieces[place].is_shown]
        for piece in (*coming, *self._pieces[last : last + 1]):
            if piece.is_put_in and self._is_foreign(piece.by.number):
                gap = -1 if piece.gap is None else piece.gap.place
                between = (each for each in coming if gap < each.place < piece.place)
                if not all(self._is_held(each, piece.gap) for each in between):
                    self._block(piece.by, piece)

    def _is_held(self, piece: _Piece, gap: _Piece | None) -> bool:
        """Whether the text that took the place of a piece was shown when something was put in behind it."""
        edit: _Edit | None = self._edit_at(piece.place)
        while edit is not None and edit.wrote and gap is not None:
            if gap in edit.wrote:
                return True
            removals = edit.wrote[-1].removals
            edit = removals[-1].edit if removals else None
        return False

    def _find_joined(
        self, beside: tuple[list[int], list[int]], changed: Sequence[int], splice: Splice, start: int, after: str
    ) -> None:
        """Whoever has changed what is beside so that tokens or lines would be joined that were apart."""
        end = start + len(splice.new)
        one, other = self._edit_at(changed[0]), self._edit_at(changed[-1])
        is_inside = not starts_line(after, start)  # of a line, at either end
        is_before_text = end < len(after) and after[end] not in "\r\n"
        lines_before = is_inside and one.starts_line and splice.old[:1] in _EDGES
        lines_behind = is_before_text and (other.follows_line or other.ends_line) and splice.old[-1:] in _EDGES
        is_merged = is_inside and is_before_text and not _has_ending(splice.new) and _has_ending(splice.old)
        is_joined = _is_joined(after, start) or (splice.old and _is_joined(self._present, splice.start))
        if is_joined or is_merged or (splice.new and lines_before):
            self._block_beside(beside[0] + beside[1], splice.span)
        is_joined = _is_joined(after, end) or (splice.old and _is_joined(self._present, splice.end))
        if is_joined or (splice.new and lines_behind and splice.new[-1] not in "\r\n"):
            self._block_beside(beside[1] + beside[0], splice.span)

    def _edit_at(self, place: int) -> _Edit:
        """The chosen edit for which a piece comes or goes."""
        piece = self._pieces[place]
        if piece.by.number in self._toggled:
            return piece.by
        return next(each.edit for each in reversed(piece.removals) if each.edit.number in self._toggled)

    def _block_beside(self, places: Sequence[int], span: Span) -> None:
        """Who is in the way beside what comes or goes: it wrote or took away what is there."""
        for place in places:
            piece = self._pieces[place] if 0 <= place < len(self._pieces) else None
            if piece is None or not piece.text:
                continue
            edits = [piece.by] if piece.is_shown else list(self._made.removers(piece))
            for edit in edits:
                if self._is_foreign(edit.number):
                    self._blocked[edit.number, self._with(edit, span)] = None
                    return

    def _block(self, edit: _Edit, piece: _Piece) -> None:
        end = piece.offset + (len(piece.text) if piece.by is edit else 0)
        self._blocked[edit.number, self._with(edit, Span(piece.offset, end))] = None

    def _with(self, edit: _Edit, span: Span) -> Span:
        """A span of the present text with what an edit wrote beside it."""
        start, end = span
        for piece in edit.wrote:
            stop = piece.offset + len(piece.text)
            if piece.is_shown and piece.offset <= end and start <= stop:
                start, end = min(start, piece.offset), max(end, stop)
        return Span(start, end)

    def _is_foreign(self, number: int) -> bool:
        return number > 0 and number not in self._toggled

    def _name(self, number: int) -> str:
        step = self._made.steps[number]
        return "" if step is None else step.name


def _is_joined(text: str, offset: int) -> bool:
    """Whether what is on both sides of an offset is one token, or are signs side by side."""
    place = Span(offset, offset)
    return token_around(text, place) != place or (
        offset > 0 and is_one_word(text[offset - 1], text[offset : offset + 1])
    )


def _has_ending(text: str) -> bool:
    return "\n" in text or "\r" in text


def _index(piece: _Piece) -> int:
    return piece.block.pieces.index(piece)


def _before(pieces: list[_Piece], piece: _Piece, head: _Piece) -> None:
    if piece in pieces:
        pieces.insert(pieces.index(piece), head)
