"""What an edit wants to write, and into which free slots of the draft. Nothing is written here."""

from __future__ import annotations

from dataclasses import dataclass, replace

from steadyhand.match.elision import check_elisions
from steadyhand.match.resolve import Found
from steadyhand.match.tier import LITERAL, STRICT
from steadyhand.plan import refusals
from steadyhand.plan.draft import Draft, Slot, Taken
from steadyhand.plan.edit import Delete, Edit, Insert, Old, Replace
from steadyhand.plan.fitting import fit_endings, fit_insertion, fit_lines
from steadyhand.plan.locating import Located
from steadyhand.plan.making import Drifted, Made
from steadyhand.plan.policy import Policy
from steadyhand.plan.tolerant import looks_unindented, make_at, make_unindented
from steadyhand.text.match import Match
from steadyhand.text.span import Span

__all__ = ["Wish", "Writing"]


@dataclass(frozen=True, slots=True)
class Wish:
    """A free slot, what stands there, and what shall."""

    slot: Slot
    old: str
    new: str


class Writing:
    """The edits of one call, as the draft stands."""

    def __init__(self, draft: Draft, policy: Policy, name: str) -> None:
        self._draft = draft
        self._policy = policy
        self._name = name

    def wishes(self, index: int, edit: Edit, located: Located) -> tuple[list[Wish], Match]:
        """What an edit wants to write where, and its first match."""
        match, found = located.matches[0], located.found
        if found is None or found.tier.name in STRICT:
            made = self._unindented(edit, located)
            if made is None:
                return [self._wish(index, edit, match) for match in located.matches], match
            return [self._free(index, *write) for write in made.writes], _told(match, made, (), "whitespace")
        if found.tier.rank <= LITERAL:
            new = (found.new or "").replace("\r\n", "\n") if "\r\n" in found.old else found.new or ""
            return [self._free(index, match.span, self._fitted(new, match.span)) for match in located.matches], match
        every = [self._made(edit, match, found) for match in located.matches]
        wishes = [self._free(index, *write) for made in every for write in made.writes]
        return wishes, _told(match, every[0], found.mended)

    def _unindented(self, edit: Edit, located: Located) -> Made | None:
        """What an edit of one line means that was quoted without its indentation; None where it was not."""
        old = edit.target.text if isinstance(edit.target, Old) else ""
        if not isinstance(edit, Replace | Delete) or len(located.matches) != 1 or not looks_unindented(old, edit.text):
            return None
        start = located.matches[0].span.start
        if self._draft.read(start - 1, start) not in (" ", "\t") or self._policy.tier in STRICT:
            return None
        return make_unindented(self._draft.source, located.matches[0].span, old, edit.text)

    def _made(self, edit: Edit, match: Match, found: Found) -> Made:
        """The writes at a place found with differences. Refuses with `drift-conflict`."""
        new, on_drift = found.new or "", self._policy.on_drift
        wrong = check_elisions(found.old, new) if found.tier.name == "elision" else None
        if wrong is not None:
            raise refusals.bad_elisions(self._name, wrong)
        source = self._draft.source
        made = make_at(source, match.span, found.old, new, tier=found.tier.name, on_drift=on_drift)
        if isinstance(made, Drifted):
            raise refusals.drift_at(self._name, source, made, edit, match.span)
        return made

    def _free(self, index: int, span: Span, new: str) -> Wish:
        slot = self._draft.slot(span)
        if isinstance(slot, Taken):
            raise refusals.overlapping(self._name, index, slot.edit, self._draft.source.lines_of(span))
        return Wish(slot, self._draft.read(span.start, span.end), new)

    def _wish(self, index: int, edit: Edit, match: Match) -> Wish:
        """One place where the edit's text is written as it is."""
        draft, span = self._draft, match.span
        at_end = isinstance(edit, Insert) and edit.where in ("after", "end")
        slot = draft.insertion_slot(span, at_end=at_end) if isinstance(edit, Insert) else draft.slot(span)
        if isinstance(slot, Taken):
            raise refusals.overlapping(self._name, index, slot.edit, draft.source.lines_of(span))
        region = "" if isinstance(edit, Insert) else draft.read(span.start, span.end)
        text = _plain_endings(edit) if match.tier == "newline" else edit.text
        return Wish(slot, region, self._fit(edit, text, region, span.end if at_end else span.start))

    def _fitted(self, new: str, span: Span) -> str:
        if self._policy.newlines == "literal" or "\n" not in new:
            return new
        return fit_endings(new, self._draft.read(span.start, span.end), self._draft.newline_at(span.start))

    def _fit(self, edit: Edit, text: str, region: str, offset: int) -> str:
        literal = self._policy.newlines == "literal"
        is_lines = not isinstance(edit.target, Old) and edit.target.whole_lines
        if not text or not (is_lines or "\n" in text) or (literal and not is_lines):
            return edit.text
        newline = self._draft.newline_at(offset)
        if not is_lines:
            return fit_endings(text, region, newline)
        if region:
            return fit_lines(text, region, newline, literal=literal)
        before, is_end = self._draft.read(offset - 1, offset), offset == self._draft.length
        return fit_insertion(text, newline, before=before, is_end=is_end, literal=literal)


def _told(match: Match, made: Made, mended: tuple[str, ...], tier: str | None = None) -> Match:
    """The match with what building on it has shown; what its tier may overlook is told where nothing was measured."""
    differs = made.differs or tuple(word for word in match.differs if word not in mended)
    named = match.tier if tier is None else tier
    return replace(match, tier=named, similarity=made.similarity, differs=(*mended, *differs))


def _plain_endings(edit: Edit) -> str:
    """The edit's text, with plain line endings where CR LF is only how the edit as a whole is written."""
    quoted = edit.target.text if isinstance(edit.target, Old) else ""
    return edit.text.replace("\r\n", "\n") if "\r\n" in quoted else edit.text
