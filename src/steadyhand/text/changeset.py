"""The waist: everything above makes a change set, everything beside applies, stores, shows or inverts one.

Nothing here reads a file, knows a format or chooses a place.

Laws (tests/laws/test_changeset.py holds each of them at random):

1. Splices are sorted and disjoint: each ends where the next starts, or before.
   Two insertions at one position are in the order of the tuple.
2. `apply` refuses a text in which a splice's `old` is not where the splice says.
3. `c.invert().apply(c.apply(t)) == t`.
4. `a.compose(b).apply(t) == b.apply(a.apply(t))`, and compose is associative in effect; with its inverse a change set
   comes to none.
5. A position that no splice touches maps to the same character; `assoc` decides at an insertion.
6. If `b.rebase(a)` is a change set, applying it after `a` equals applying `a` rebased over `b` after `b`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, replace
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice
from steadyhand.text.visible import sized

_FEW = 8  # splices for which a text may be moved in memory as it grows
_STRETCH = 1 << 16  # code points of a text that are copied at a time, and at least
_STRETCHES = 64  # this part of it


@sized("pairs")
@dataclass(frozen=True, slots=True)
class Clash:
    """Two change sets of one text that want the same characters: pairs of (mine, theirs)."""

    pairs: tuple[tuple[Splice, Splice], ...]


@sized("splices")
@dataclass(frozen=True, slots=True)
class ChangeSet:
    """The edits of one file as sorted, disjoint splices, with the digest of the bytes they were made for.

    `base` is the SHA-256 (hex) of the file's bytes before, or None where only text is known.

    >>> changes = ChangeSet.of([Splice(6, "world", "moon")])
    >>> changes.apply("hello world")
    'hello moon'
    >>> changes.invert().apply("hello moon")
    'hello world'
    """

    splices: tuple[Splice, ...] = ()
    base: str | None = None

    def __post_init__(self) -> None:
        for left, right in pairwise(self.splices):
            if left.end > right.start:
                raise ValueError(f"splices overlap at {right.start}")

    @classmethod
    def of(cls, splices: Iterable[Splice], base: str | None = None) -> ChangeSet:
        """A change set from splices in any order; those that change nothing are left out."""
        real = [splice for splice in splices if not splice.changes_nothing]
        return cls(tuple(sorted(real, key=lambda splice: (splice.start, splice.end))), base)

    def __bool__(self) -> bool:
        return bool(self.splices)

    @property
    def delta(self) -> int:
        """By how many code points the text grows."""
        return sum(splice.delta for splice in self.splices)

    def apply(self, text: str) -> str:
        """The text after. Refuses with `stale-source` where an `old` is not there."""
        for splice in self.splices:
            if not splice.fits(text):
                raise not_there(splice)
        is_grown = len(text) > _STRETCH and len(self.splices) <= _FEW
        return self._appended(text) if is_grown else self._joined(text)

    def _joined(self, text: str) -> str:
        pieces: list[str] = []
        position = 0
        for splice in self.splices:
            pieces.append(text[position : splice.start])
            pieces.append(splice.new)
            position = splice.start + len(splice.old)
        pieces.append(text[position:])
        return "".join(pieces)

    def _appended(self, text: str) -> str:
        """The same for few splices: the text grows in its place, so that no second copy of it is there meanwhile."""
        after, position = "", 0
        stretch = max(_STRETCH, len(text) // _STRETCHES)
        for splice in self.splices:
            for at in range(position, splice.start, stretch):
                after += text[at : min(at + stretch, splice.start)]
            after += splice.new
            position = splice.end
        for at in range(position, len(text), stretch):
            after += text[at : at + stretch]
        return after

    def after_spans(self) -> tuple[Span, ...]:
        """Where each splice's new text is in the text after."""
        spans: list[Span] = []
        delta = 0
        for splice in self.splices:
            start = splice.start + delta
            spans.append(Span(start, start + len(splice.new)))
            delta += splice.delta
        return tuple(spans)

    def invert(self) -> ChangeSet:
        """The change set that takes this one back."""
        inverted = (
            Splice(span.start, splice.new, splice.old)
            for splice, span in zip(self.splices, self.after_spans(), strict=True)
        )
        return ChangeSet(tuple(inverted))

    def trim(self) -> ChangeSet:
        """The same effect with the smallest splices; those that change nothing disappear."""
        trimmed = (splice.trim() for splice in self.splices)
        return replace(self, splices=tuple(splice for splice in trimmed if not splice.changes_nothing))

    def map_position(self, position: int, *, assoc: int = 1) -> int:
        """Where a position of the text before is in the text after.

        Inside replaced text it goes to the start (`assoc` < 0) or the end of the new text. At an
        insertion it stays before (`assoc` < 0) or goes after what was inserted.
        """
        delta = 0
        for splice in self.splices:
            if splice.start > position or (splice.start == position and (assoc < 0 or splice.old)):
                break
            if position < splice.end:
                start = splice.start + delta
                return start if assoc < 0 else start + len(splice.new)
            delta += splice.delta
        return position + delta

    def map_span(self, span: Span) -> Span:
        """Where a span is after, with whatever was put in at its edges."""
        start = self.map_position(span.start, assoc=-1)
        return Span(start, max(start, self.map_position(span.end)))

    def compose(self, later: ChangeSet) -> ChangeSet:
        """One change set with the effect of this one and then `later`, which speaks of the text after this one."""
        return ChangeSet.of(_compose(self, later), self.base)

    def rebase(self, over: ChangeSet) -> ChangeSet | Clash:
        """This change for the text after `over`, where both were made for the same text.

        Overlapping splices clash, and so do two insertions at one position: nothing says which comes first.
        """
        moved: list[Splice] = []
        clashes: list[tuple[Splice, Splice]] = []
        theirs = over.splices
        index = delta = 0
        for mine in self.splices:
            while index < len(theirs) and _precedes(theirs[index], mine):
                delta += theirs[index].delta
                index += 1
            probe = index
            while probe < len(theirs) and not _precedes(mine, theirs[probe]):
                clashes.append((mine, theirs[probe]))
                probe += 1
            moved.append(mine.shift(delta))
        return Clash(tuple(clashes)) if clashes else ChangeSet(tuple(moved))

    def to_json(self) -> dict[str, object]:
        """The versioned form the journal keeps."""
        return {
            "base": self.base,
            "splices": [[splice.start, splice.old, splice.new] for splice in self.splices],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> ChangeSet:
        """The inverse of `to_json`; raises ValueError on anything else."""
        base, rows = data.get("base"), data.get("splices")
        if not (base is None or isinstance(base, str)) or not isinstance(rows, list):
            raise ValueError("not a change set")
        splices: list[Splice] = []
        for row in rows:
            match row:
                case [int(start), str(old), str(new)] if not isinstance(start, bool):
                    splices.append(Splice(start, old, new))
                case _:
                    raise ValueError("not a splice")
        return cls(tuple(splices), base)


def settled(changes: ChangeSet) -> ChangeSet:
    """The same change where text that went away and text that came in its place are one splice.

    What was deleted and put back comes to nothing then, also where it is a part of what came.
    """
    return _put_together(_put_together(changes).trim())  # what stays the same may have been between two of them


def _put_together(changes: ChangeSet) -> ChangeSet:
    found: list[Splice] = []
    for splice in changes.splices:
        last = found[-1] if found else None
        if last is None or last.end != splice.start:
            found.append(splice)
            continue
        merged = Splice(last.start, last.old + splice.old, last.new + splice.new)
        if is_one_sided(last) and is_one_sided(splice):
            found[-1] = merged
        elif _size(merged) < _size(last) + _size(splice):
            found[-1] = merged.trim()
        else:
            found.append(splice)
    return ChangeSet.of(found)


def _size(splice: Splice) -> int:
    trimmed = splice.trim()
    return len(trimmed.old) + len(trimmed.new)


def is_one_sided(splice: Splice) -> bool:
    """Whether text only came, or only went away."""
    return not splice.old or not splice.new


def not_there(splice: Splice) -> EditError:
    """The refusal of a splice whose old text is not where it says."""
    from steadyhand.hints import Reread

    return EditError(
        Kind.STALE_SOURCE,
        f"the text at offset {splice.start} is not what the change was made for",
        hint=Reread(),
        details={"offset": splice.start},
    )


def _precedes(left: Splice, right: Splice) -> bool:
    """Whether `left` lies wholly before `right`, so that their order is beyond doubt."""
    if left.span.is_empty and right.span.is_empty:
        return left.start < right.start
    return left.end <= right.start


class _Composer:
    """Walks the middle text once: `first` produces its characters, `later` consumes them.

    A result splice stays open while both sides have a hand in it; splices that merely touch stay apart.
    """

    def __init__(self, first: ChangeSet) -> None:
        self._first = first.splices
        self._index = 0  # the next splice of `first`
        self._before = 0  # position in the text before
        self._made = ""  # produced by a splice of `first`
        self._used = 0  # how much of it is consumed; never cut off, a long insertion would be copied at each step
        self._start = 0
        self._has_inserted = False  # the splice of `later` just before is an insertion at this very position
        self._old: list[str] = []
        self._new: list[str] = []
        self.result: list[Splice] = []

    def keep(self, count: int | None) -> None:
        """`later` leaves the next `count` middle characters alone; None: all that are left."""
        if count != 0:
            self._has_inserted = False
        while count is None or count > 0:
            self._produce(apart=True)
            if pending := self._pending:
                taken = pending if count is None else min(pending, count)
                self._new.append(self._made[self._used : self._used + taken])
                self._used += taken
                count = None if count is None else count - taken
                continue
            untouched = self._untouched()
            if untouched is None and count is None:
                break
            step = min(n for n in (untouched, count) if n is not None)
            self._close()
            self._before += step
            count = None if count is None else count - step
        if count is None:
            self._close()

    def replace(self, old: str, new: str) -> None:
        """`later` replaces the next `len(old)` middle characters."""
        # Several insertions at one position may put back several deletions, which the first of them has taken in.
        is_more = self._has_inserted and not old
        self._has_inserted = not old
        if not self._pending and not is_more:
            self._close()
        self._delete()
        if old:
            self._close()
        position = 0
        while left := len(old) - position:
            self._produce(apart=False)
            if pending := self._pending:
                step = min(pending, left)
                self._used += step
            else:
                untouched = self._untouched()
                step = left if untouched is None else min(untouched, left)
                self._open()
                self._old.append(old[position : position + step])
                self._before += step
            position += step
        self._open()
        self._new.append(new)

    def _produce(self, *, apart: bool) -> None:
        """Start the splices of `first` that are here, until one has produced a character.

        `apart`: `later` only passes by, so splices that are side by side stay two.
        """
        while not self._pending and self._untouched() == 0:
            if apart:
                self._close()
            splice = self._first[self._index]
            self._index += 1
            self._open()
            self._old.append(splice.old)
            self._before = splice.end
            self._made, self._used = splice.new, 0

    def _delete(self) -> None:
        """Take in what `first` only deleted here: with what is put in its place it is one splice, or nothing."""
        while not self._pending and self._untouched() == 0 and not self._first[self._index].new:
            splice = self._first[self._index]
            self._index += 1
            self._open()
            self._old.append(splice.old)
            self._before = splice.end

    @property
    def _pending(self) -> int:
        """How many produced characters are not yet consumed."""
        return len(self._made) - self._used

    def _untouched(self) -> int | None:
        """How many characters from here `first` left alone; None: all the rest."""
        if self._index == len(self._first):
            return None
        return self._first[self._index].start - self._before

    def _open(self) -> None:
        if not self._old and not self._new:
            self._start = self._before

    def _close(self) -> None:
        if self._old or self._new:
            self.result.append(Splice(self._start, "".join(self._old), "".join(self._new)))
            self._old, self._new = [], []


def _compose(first: ChangeSet, later: ChangeSet) -> list[Splice]:
    composer = _Composer(first)
    position = 0
    for splice in later.splices:
        composer.keep(splice.start - position)
        composer.replace(splice.old, splice.new)
        position = splice.end
    composer.keep(None)
    return composer.result
