"""What must hold of every proposal about a symbol, looked at in the text it would make.

Everything outside the place keeps its name, its kind and its extent, and a text that parsed still parses.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from steadyhand.errors import Kind
from steadyhand.lazy import replace
from steadyhand.structure.code.language import Language, language_of
from steadyhand.structure.code.reader import code_of, read_text, reread
from steadyhand.structure.format import Fault, Unchecked, is_neutral
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source
from steadyhand.text.span import Span

if TYPE_CHECKING:
    from steadyhand.structure.code.definition import Code, Definition, Syntax


_LONG = 400
_HINT = "send text that is complete in its place, or address a larger place"


def fault_in(source: Source) -> Fault | Unchecked | None:
    """The first place where a source is not valid, if that can be said; found once per source."""
    return source.derive(_find_fault)


def _find_fault(source: Source) -> Fault | Unchecked | None:
    from steadyhand.structure.code.reader import syntax_of
    from steadyhand.structure.code.tree import is_installed, unfit

    language = language_of(source)
    if language is None:
        return None
    if (refusal := unfit(language, source.text)) is not None:
        return Unchecked(refusal.message)
    judge = language.judge_of(source.text)
    fault = None
    if judge is not None:
        fault = judge(source.text)
        # The grammar has a say only where the judge may be too old for the line.
        if fault is None or (not _is_newer(language, source.text, fault) and is_installed(language)):
            return fault
    syntax = syntax_of(source)
    if isinstance(syntax, Refusal):
        return None if syntax.kind == Kind.NOT_INSTALLED else Unchecked(syntax.message)
    if judge is not None:
        return fault if syntax.errors > 0 else None
    return fault_of(syntax, source.text)


def fault_of(code: Code | Syntax, text: str) -> Fault | None:
    """The first place where a text is not valid in the language of some code, if that can be said at all."""
    language = code.language
    judge = language.judge_of(text)
    if judge is not None:
        fault = judge(text)
        is_known = fault is None or code.errors > 0 or not _is_newer(language, text, fault)
        return fault if is_known else None
    return code.faults[0] if language.is_checked and code.faults else None


def _is_newer(language: Language, text: str, fault: Fault) -> bool:
    """Whether a fault is in a line that may be valid in a later version of the language than the judge knows."""
    if language.newer is None:
        return False
    line = "".join(split_bodies(text)[fault.line - 1 : fault.line])
    return len(line) <= _LONG and language.newer.search(line) is not None


def checked(source: Source, code: Code, proposal: Proposal, place: Span) -> Proposal | Refusal:
    """The proposal, unless it would change more than the place it is about."""
    piece = Piece.of(proposal, place)
    if not piece.proposal.splices:
        return piece.proposal
    changes = ChangeSet(piece.proposal.splices)
    new = source.apply(changes)
    is_proven = _is_proven(source, code.language, changes, new)
    near = reread(source, code, changes, new) if is_proven or code.language.verdict is None else None
    if near is not None and _strange(*near, [piece]) is None:
        new.keep(_find_fault, None)
        return replace(proposal, splices=piece.proposal.splices, after=new)
    after = _read_as(code.language, new)
    if isinstance(after, Refusal):
        return replace(after, kind=Kind.BREAKS_SYNTAX, message=f"after the edit {after.message}")
    fault: Fault | Unchecked | None = None if is_proven else fault_of(after, new.text)
    new.keep(_find_fault, fault)
    if isinstance(fault, Fault) and fault_of(code, source.text) is None:
        return breaks(new.text, fault)
    strange = _strange(code, after, [piece])
    if strange is not None:
        return Refusal(Kind.BREAKS_SYNTAX, f"the edit would change what {strange} is", _HINT)
    more = after.errors - code.errors
    notes = (f"the parser meets {more} more error{'s' if more > 1 else ''}",) if more > 0 else ()
    return replace(proposal, splices=piece.proposal.splices, notes=(*proposal.notes, *notes), after=new)


def _is_proven(source: Source, language: Language, changes: ChangeSet, new: Source) -> bool:
    """Whether the change itself shows that a valid text stays valid; False: unknown."""
    if language.is_neutral is None:
        return False
    return is_neutral(partial(language.is_neutral, language), source.text, changes, new.text)


class Piece(NamedTuple):
    """What is proposed for one place, and that place with all that is written there."""

    proposal: Proposal
    place: Span

    @classmethod
    def of(cls, proposal: Proposal, place: Span) -> Piece:
        real = tuple(splice for splice in proposal.splices if not splice.changes_nothing)
        if real:
            place = Span(min(place.start, real[0].start), max(place.end, real[-1].end))
        return cls(replace(proposal, splices=real), place)

    @property
    def delta(self) -> int:
        return sum(splice.delta for splice in self.proposal.splices)


def checked_together(source: Source, code: Code, pieces: Sequence[tuple[Piece, str]]) -> Source | None:
    """The text after several proposals, if each is right and no address means something else because of the others.

    With each piece goes the last name of the definition that its address leads to. A definition may only come or go if
    no other address ends with its name. None: unknown.
    """
    placed = sorted((piece for piece, _ in pieces), key=lambda piece: piece.place)
    if any(one.place.end >= two.place.start for one, two in pairwise(placed)):
        return None
    new = source.apply(ChangeSet(tuple(splice for piece in placed for splice in piece.proposal.splices)))
    after = _read_as(code.language, new)
    if isinstance(after, Refusal) or after.errors > code.errors or code.errors:
        return None
    if fault_of(after, new.text) is not None or _strange(code, after, placed) is not None:
        return None
    named = Counter(name for _, name in pieces)
    own = {piece.place: name for piece, name in pieces}
    befores, theres = _names_in(code, [piece.place for piece in placed]), _names_in(after, _places_after(placed))
    for piece, before, there in zip(placed, befores, theres, strict=True):
        if any(named[name] > (own[piece.place] == name) for name in (before - there) + (there - before)):
            return None
    return new


def _read_as(language: Language, source: Source) -> Code | Refusal:
    """What a source defines, kept with it where it is taken for code of that language."""
    return code_of(source) if language_of(source) is language else read_text(language, source.text)


def breaks(text: str, fault: Fault) -> Refusal:
    """The refusal of an edit after which a text has a fault."""
    shown = "".join(split_bodies(text)[fault.line - 1 : fault.line]).strip()[:80]
    return Refusal(
        Kind.BREAKS_SYNTAX,
        f"after the edit line {fault.line}, {shown!r}, would not parse: {fault.message}",
        _HINT,
        {"line": fault.line, "text": shown, "reason": fault.message},
    )


def _strange(before: Code, after: Code, pieces: Sequence[Piece]) -> str | None:
    """The first definition outside of some places, in their order, that is not what it was."""
    moved = list(accumulate((piece.delta for piece in pieces), initial=0))
    starts, ends = [piece.place.start for piece in pieces], [piece.place.end for piece in pieces]
    old = _outside(before, [piece.place for piece in pieces])
    new = _outside(after, _places_after(pieces))
    for one, two in zip(old, new, strict=False):
        # Of `int a, b` only `b` is `b`; where it is the only one left, all of `int b;` is.
        is_part = (one.is_listed, one.is_shared) != (two.is_listed, two.is_shared)
        (start, end), there = (one.name, two.name) if is_part else (one.proper, two.proper)
        start += moved[bisect_right(ends, start)]
        # What is put behind its end may be inside or not.
        may_end = (end + moved[bisect_left(starts, end)], end + moved[bisect_right(starts, end)])
        is_same = (one.path, one.kind, start) == (two.path, two.kind, there.start)
        if not is_same or there.end not in may_end:
            return f"{one.kind} {one.dotted}"
    longer = old if len(old) > len(new) else new
    rest = longer[min(len(old), len(new)) :]
    return f"{rest[0].kind} {rest[0].dotted}" if rest else None


def _places_after(pieces: Sequence[Piece]) -> list[Span]:
    """Where places are after all of their proposals."""
    moved = accumulate((piece.delta for piece in pieces), initial=0)
    pairs = zip(pieces, moved, strict=False)
    return [Span(piece.place.start + by, piece.place.end + by + piece.delta) for piece, by in pairs]


def _outside(code: Code, places: Sequence[Span]) -> list[Definition]:
    """The definitions that are in none of some places, which are in order and apart."""
    starts = [place.start for place in places]
    return [item for item in code.definitions if _place_of(item, places, starts) is None]


def _names_in(code: Code, places: Sequence[Span]) -> list[Counter[str]]:
    """The last names of the definitions in each of some places."""
    starts = [place.start for place in places]
    found: list[Counter[str]] = [Counter() for _ in places]
    for item in code.definitions:
        at = _place_of(item, places, starts)
        if at is not None:
            found[at][item.path[-1]] += 1
    return found


def _place_of(item: Definition, places: Sequence[Span], starts: Sequence[int]) -> int | None:
    at = bisect_right(starts, item.proper.start) - 1
    return at if at >= 0 and item.proper.end <= places[at].end else None
