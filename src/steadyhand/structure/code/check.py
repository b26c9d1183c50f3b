"""What must hold of every proposal about a symbol, looked at in the text it would make.

Everything outside the place keeps its name, its kind and its extent, and a text that parsed still parses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from steadyhand.errors import Kind
from steadyhand.lazy import replace
from steadyhand.structure.code.language import Language, language_of
from steadyhand.structure.format import Fault, Unchecked
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source
from steadyhand.text.span import Span

if TYPE_CHECKING:
    from steadyhand.structure.code.definition import Code, Definition, Syntax


_LONG = 400
_HINT = "send text that is complete where it is to stand, or address a larger place"


def fault_in(source: Source) -> Fault | Unchecked | None:
    """The first place where a source is not valid, if that can be said; of what is valid nothing else is read."""
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
    real = tuple(splice for splice in proposal.splices if not splice.changes_nothing)
    if not real:
        return replace(proposal, splices=())
    place = Span(min(place.start, real[0].start), max(place.end, real[-1].end))
    changes = ChangeSet(real)
    new = source.apply(changes)
    text, after = new.text, _read_as(code.language, new)
    if isinstance(after, Refusal):
        return replace(after, kind=Kind.BREAKS_SYNTAX, message=f"after the edit {after.message}")
    fault = fault_of(after, text)
    if fault is not None and fault_of(code, source.text) is None:
        return breaks(text, fault)
    strange = _strange(code, after, place, changes.delta)
    if strange is not None:
        return Refusal(Kind.BREAKS_SYNTAX, f"the edit would change what {strange} is", _HINT)
    more = after.errors - code.errors
    notes = (f"the parser meets {more} more error{'s' if more > 1 else ''}",) if more > 0 else ()
    return replace(proposal, splices=real, notes=(*proposal.notes, *notes), after=new)


def _read_as(language: Language, source: Source) -> Code | Refusal:
    """What a source defines, kept with it where it is taken for code of that language."""
    from steadyhand.structure.code.reader import code_of, read_text

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


def _strange(before: Code, after: Code, place: Span, delta: int) -> str | None:
    """The first definition outside a place that is not what it was."""
    there = Span(place.start, place.end + delta)
    old, new = list(_outside(before, place)), list(_outside(after, there))
    for one, two in zip(old, new, strict=False):
        if (one.path, one.kind) != (two.path, two.kind) or not _is_same_place(one.proper, two.proper, place, delta):
            return f"{one.kind} {one.dotted}"
    longer = old if len(old) > len(new) else new
    rest = longer[min(len(old), len(new)) :]
    return f"{rest[0].kind} {rest[0].dotted}" if rest else None


def _outside(code: Code, place: Span) -> Iterator[Definition]:
    for item in code.definitions:
        is_inside = place.start <= item.proper.start and item.proper.end <= place.end
        if not is_inside:
            yield item


def _is_same_place(before: Span, after: Span, place: Span, delta: int) -> bool:
    start = before.start + delta if before.start >= place.end else before.start
    ends = {before.end} if before.end < place.start else {before.end + delta}
    if before.end == place.start:
        ends.add(before.end)  # what is put behind its end may be inside or not
    return after.start == start and after.end in ends
