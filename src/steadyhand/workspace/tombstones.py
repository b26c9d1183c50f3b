"""A text through the changes after a record, with what went away kept in its place: whether the record can be undone.

Pure. Text that looks alike is not the same text: what a record wrote is there only as long as nobody has replaced it,
even by the same words. It is the same again when the change that took it away was undone, or was taken back by hand by
the party that made it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property

from steadyhand.lazy import dataclass, replace
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.lines import starts_line
from steadyhand.text.merge import by_rows
from steadyhand.text.pace import paced
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice
from steadyhand.text.words import is_one_word, token_around
from steadyhand.workspace.news import by_lines

__all__ = ["Blocked", "Later", "take_back"]

_ENDINGS = ("\n", "\r")
_SOME = 16  # changes looked at between two questions whether to go on


@dataclass(frozen=True)
class Later:
    """A change after the record: its name, whose it is, and the records that it takes back."""

    name: str
    changes: ChangeSet
    party: Hashable = None
    undoes: tuple[str, ...] = ()

    @cached_property
    def finest(self) -> list[Splice]:
        """What it changes of lines and rows, without what it wrote as it was."""
        return [row.trim() for splice in by_lines(self.changes).splices for row in by_rows(splice)]


@dataclass(frozen=True, slots=True)
class Blocked:
    """What is in the way of an undo: who made it, and where it is in the present text."""

    by: str
    span: Span


@dataclass(slots=True)
class _Piece:
    """Some text: who wrote it, who took it away, who brought it back, and after whom. `number`: the record's splice."""

    text: str
    by: str | None = None
    number: int | None = None
    gone: str | None = None
    back: str | None = None
    after: str | None = None
    is_put_in: bool = False

    @property
    def length(self) -> int:
        """How much of the present text it is."""
        return 0 if self.gone is not None else len(self.text)


def take_back(mine: Later, later: Sequence[Later], present: str) -> ChangeSet | list[Blocked]:
    """What undoes a change in the present text, which later changes have led to; or what is in the way."""
    text = present
    for change in paced(reversed(later), _SOME):
        text = change.changes.invert().apply(text)
    made = _Tombstones(mine, text)
    for change in paced(later, _SOME):
        made.take(change)
    return made.inverse(present)


class _Tombstones:
    def __init__(self, mine: Later, text: str) -> None:
        self._mine = mine
        self._parties: dict[str, Hashable] = {mine.name: mine.party}
        self._order: list[str] = [mine.name]
        self._pieces: list[_Piece] = []
        at = 0
        for number, (splice, span) in enumerate(zip(mine.changes.splices, mine.changes.after_spans(), strict=True)):
            self._pieces += [_Piece(text[at : span.start]), _Piece(splice.old, gone=mine.name)]
            self._pieces.append(_Piece(splice.new, mine.name, number))
            at = span.end
        self._pieces.append(_Piece(text[at:]))

    def take(self, later: Later) -> None:
        """A further change."""
        self._parties[later.name] = later.party
        self._order.append(later.name)
        if later.undoes:
            kept, after = [replace(piece) for piece in self._pieces], later.changes.apply(self._text())
            for name in sorted(set(later.undoes) & set(self._order), key=self._order.index, reverse=True):
                self._undo(name, later.name)
            if self._text() == after:
                return
            self._pieces = kept  # it takes back what was before the record
        for splice in reversed(later.finest):
            self._replace(splice, later)

    def _text(self) -> str:
        return "".join(piece.text for piece in self._pieces if piece.gone is None)

    def _undo(self, name: str, by: str) -> None:
        for piece in self._pieces:
            if piece.gone == name:
                piece.gone, piece.back, piece.after = None, by, name
            elif piece.gone is None and piece.back == name:
                piece.gone = piece.after
            elif piece.gone is None and piece.by == name:
                piece.gone = by

    def _replace(self, splice: Splice, later: Later) -> None:
        first, start = self._places(splice.start)
        end, last = self._places(splice.end)
        replaced = [piece for piece in self._pieces[start:end] if piece.gone is None and splice.old]
        returned = self._returned(self._pieces[first:last], replaced, splice.new, later)
        for piece in replaced:
            piece.gone = later.name
        for piece in returned:
            piece.gone, piece.back, piece.after = None, later.name, piece.gone
        if splice.new and not returned:
            self._pieces.insert(start, _Piece(splice.new, later.name, is_put_in=not splice.old))

    def _returned(
        self, around: Sequence[_Piece], replaced: Sequence[_Piece], text: str, later: Later
    ) -> Sequence[_Piece]:
        """The pieces that a party brings back by hand: it had put what is replaced now in the place of this text."""
        names = {piece.by for piece in replaced if piece.text} or {piece.gone for piece in around if piece.gone}
        name = names.pop() if len(names) == 1 else None
        if name is None or name == self._mine.name or self._parties[name] != later.party:
            return ()
        gone = [piece for piece in around if piece.gone == name]
        return gone if text and "".join(piece.text for piece in gone) == text else ()

    def _places(self, offset: int) -> tuple[int, int]:
        """The first and the last index of the pieces at which a character of the text is; a piece is cut for it."""
        at = 0
        first: int | None = None
        for index, piece in enumerate(self._pieces):
            length = 0 if piece.gone is not None else len(piece.text)
            if at == offset:
                first = index if first is None else first
                if length:
                    return first, index
            elif at + length > offset:
                halves = [replace(piece, text=text) for text in (piece.text[: offset - at], piece.text[offset - at :])]
                self._pieces[index : index + 1] = halves
                return index + 1, index + 1
            at += length
        return len(self._pieces) if first is None else first, len(self._pieces)

    def inverse(self, present: str) -> ChangeSet | list[Blocked]:
        """What undoes the record, or everything that is in the way."""
        offsets = [0]
        for piece in self._pieces:
            offsets.append(offsets[-1] + piece.length)
        undone: list[Splice] = []
        blocked: list[Blocked] = []
        for number, splice in enumerate(self._mine.changes.splices):
            own = [index for index, piece in enumerate(self._pieces) if piece.number == number]
            back = Splice(offsets[own[0]], splice.new, splice.old)
            names = dict.fromkeys(self._in_the_way(own, back, offsets, present))
            blocked += [Blocked(name, self._span(own, name, offsets)) for name in names]
            undone.append(back)
        return blocked or ChangeSet(tuple(undone))

    def _in_the_way(self, own: Sequence[int], back: Splice, offsets: Sequence[int], present: str) -> Iterator[str]:
        number = self._pieces[own[0]].number
        for piece in self._pieces[own[0] : own[-1] + 1]:
            if piece.number == number and piece.gone is not None:
                yield piece.gone
            elif piece.number != number and piece.length:
                yield piece.back or piece.by or self._mine.name
        before, behind = self._beside(own)
        yield from self._at_edges(before, behind, back)
        lost = self._pieces[own[0] - 2].gone if own[0] > 1 else None  # what was before the text that it replaced
        is_line = (back.old or back.new).endswith(_ENDINGS) and self._pieces[own[0] - 2].text.endswith(_ENDINGS)
        if lost is not None and is_line and not starts_line(present, back.start):
            yield lost
        trimmed = back.trim().span
        reach = token_around(present, trimmed) if back.start + len(back.old) <= len(present) else trimmed
        if reach == trimmed:
            return
        for index, piece in enumerate(self._pieces):
            at = offsets[index]
            if piece.length and piece.by in self._order[1:] and at < reach.end and reach.start < offsets[index + 1]:
                yield piece.by or ""
            is_lost = piece.gone in self._order[1:] and piece.by not in self._order[1:] and bool(piece.text)
            if is_lost and reach.start < at < reach.end:
                yield piece.gone or ""

    def _at_edges(self, before: _Piece | None, behind: _Piece | None, back: Splice) -> Iterator[str]:
        """Who wrote onto an end of the text, or put something in at the very place where it would be again."""
        text = back.old or back.new
        for piece in (before, behind):
            if piece is None or piece.by not in self._order[1:]:
                continue
            ends = (piece.text[-1:], text[:1]) if piece is before else (text[-1:], piece.text[:1])
            if is_one_word(*ends) or (piece.is_put_in and not back.old):
                yield piece.by or ""

    def _beside(self, own: Sequence[int]) -> tuple[_Piece | None, _Piece | None]:
        before = next((piece for piece in reversed(self._pieces[: own[0]]) if piece.length), None)
        behind = next((piece for piece in self._pieces[own[-1] + 1 :] if piece.length), None)
        return before, behind

    def _span(self, own: Sequence[int], by: str, offsets: Sequence[int]) -> Span:
        """Where the text was, with what is there now by whoever is in the way."""
        first, last = own[0], own[-1] + 1
        before, behind = self._beside(own)
        for index, piece in enumerate(self._pieces):
            if piece.by == by and (piece is before or piece is behind):
                first, last = min(first, index), max(last, index + 1)
        return Span(offsets[first], offsets[last])
