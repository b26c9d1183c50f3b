"""Where each edit of a call goes: through tiers for old text, through the target itself for addresses.

Work is bounded over the whole call: so much text is searched for old text that is not there literally, and so often is
the nearest place looked for; beyond that the literal tiers remain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING

from steadyhand.errors import EditError
from steadyhand.lazy import LazyModule, replace
from steadyhand.match.resolve import Finder, Found, Miscount, Nothing, Resolution, Several, TooMany, resolve
from steadyhand.match.tier import LITERAL, STRICT, Alternative, Needle, Tier, step_names, tier_named
from steadyhand.plan.draft import Draft, Taken
from steadyhand.plan.edit import Act, Delete, Edit, Old, Replace, as_replacement
from steadyhand.plan.policy import Policy
from steadyhand.structure.node import Node, Refusal, WholeLines
from steadyhand.structure.target import Addressed, Target
from steadyhand.text.lines import split_bodies
from steadyhand.text.match import Match, Occurrence
from steadyhand.text.source import Source
from steadyhand.text.span import Span

if TYPE_CHECKING:
    from steadyhand.match.confirmed import Confirmed
    from steadyhand.plan import match_checks, merge_window, refusals
    from steadyhand.plan.absent import Absence
    from steadyhand.text.nearest import Nearest
else:
    refusals = LazyModule("steadyhand.plan.refusals")  # most calls are not refused, and most old text is there once
    match_checks = LazyModule("steadyhand.plan.match_checks")
    merge_window = LazyModule("steadyhand.plan.merge_window")


_SEARCHES = 3  # times that the nearest place is looked for
_LISTED = 5  # ambiguous old texts of a call of whose places the refusal says how they differ
_CHECKED = 20_000_000  # code points searched for a close place before an edit counts as made
_TOLERATED = 800_000_000  # code points in which old text is looked for that is not there literally
_HEADERLESS = 0.9  # how sure a place is that a line above it should tell, and no such line is there
_PHRASE = 8  # letters and digits of a line that is quoted as a line
_CONTEXT = "context that is not in the file"
_COUNTED = (Found, Several, Miscount)
_DRIFT = 0.85  # how much a place must be like the old text for drifted lines to be merged or overwritten


def confidence_of(found: Found, similarity: float) -> float:
    """How sure the place of old text is: as its tier is, and a guess no surer than it is like."""
    sure = min(found.tier.confidence, _HEADERLESS if found.notes else 1.0)
    is_guess = found.tier.is_single and found.share == 1  # lines that are there once are no guess
    return min(sure, similarity) if is_guess else sure


class Locator:
    """The edits of one call, one after the other, on the draft as it is when each is asked for."""

    def __init__(
        self, draft: Draft, policy: Policy, name: str, edits: Sequence[Edit] = (), *, offers: bool = True
    ) -> None:
        """`edits` are all of the call, in order; `offers`: a refusal offers what would go through."""
        self._draft = draft
        self._several = edits if len(edits) > 1 else ()
        self._policy = policy
        self._name = name
        self._searches = _SEARCHES
        self._checks = _CHECKED
        self._tolerated = _TOLERATED
        self._offering = policy if offers else None
        self._listed = _LISTED
        self._edits = edits

    def locate(self, edit: Edit) -> Found | Match | None:
        """Where an edit of old text or of lines goes; None when the policy lets one pass that is there already."""
        if not self._several:
            return self._found_once(edit) or self._locate(edit)
        try:
            return self._locate(edit)
        finally:
            self._equals.pass_over(edit)

    def _found_once(self, edit: Edit) -> Found | None:
        """The place of plain old text that the file has once, character for character, as most edits quote it.

        Nothing else would be found or said by asking the tiers; whatever is not as plain as that is left to them.
        """
        old, text = edit.target, self._draft.original.text
        if not isinstance(old, Old) or not isinstance(edit, Replace) or not old.text or edit.new == old.text:
            return None
        if edit.occurrence is not None or edit.expected is not None or self._policy.occurrence != "unique":
            return None
        if old.fit != "free" or old.line is not None or old.under or old.at_end or old.text[0] == "\n":
            return None
        if "\n" in old.text and "\r" not in old.text and "\r" in text:  # lines that end otherwise are meant as well
            return None
        start = text.find(old.text)
        if start < 0 or text.find(old.text, start + 1) >= 0:
            return None
        if old.text[0] in " \t" and start and text[start - 1] in " \t":  # a line with less indentation may be meant
            return None
        matches = (Match(Span(start, start + len(old.text)), "exact"),)
        return Found(matches, (), 1, tier_named("exact"), old.text, edit.new, signs=edit.signs)

    @cached_property
    def _hint(self) -> match_checks.LineHint:
        return match_checks.LineHint(self._draft, self._edits)

    @cached_property
    def _equals(self) -> _Equals:
        return _Equals(self._several)

    def _locate(self, edit: Edit) -> Found | Match | None:
        target = edit.target
        return self._locate_old(edit, target) if isinstance(target, Old) else self._locate_rows(edit, target)

    def _locate_rows(self, edit: Edit, target: Target) -> Match:
        if (isinstance(edit.occurrence, int) and edit.occurrence > 1) or (edit.expected or 1) > 1:
            raise refusals.one_place(self._name, target.key)
        match self._draft.locate(target):
            case Refusal() as refusal:
                raise refusals.refused(self._name, refusal)
            case place:
                return place

    def nodes(self, edit: Edit) -> tuple[Node, ...]:
        """What an address names, or the lines that an action is done to; which of several is said by the edit alone."""
        target = edit.target
        if not isinstance(target, Addressed):
            if not isinstance(edit, Act) or isinstance(target, Old):
                return ()
            from steadyhand.structure.target import render_address

            return (WholeLines(self._locate_rows(edit, target).span, render_address(target) or target.key),)
        usual: Occurrence = "unique" if edit.expected is None else "all"
        found = target.resolve(self._draft.source, usual if edit.occurrence is None else edit.occurrence)
        if isinstance(found, Refusal):
            raise refusals.refused(self._name, found)
        if edit.expected not in (None, len(found)):
            raise refusals.other_count(self._name, target.named(), len(found), edit.expected or 0)
        return found

    def _locate_old(self, edit: Edit, old: Old) -> Found | Match | None:
        if not old.text:
            end = self._draft.length
            if end and not old.at_end:
                raise refusals.empty_old(self._name, is_patch=old.fit == "lines")
            return Match(Span(end, end), "exact")
        if isinstance(edit, Replace) and edit.new == old.text:
            raise refusals.no_change(self._name, "old and new text are the same")
        match self._resolve(edit, old):
            case Found() as found:
                return self._believed(edit, found)
            case Several() as found:
                placed = self._resolve(edit, old) if self._hint.looks_ahead(old) else found
                if isinstance(placed, Found):
                    return self._believed(edit, placed)
                chosen = self._chosen(edit, old, found)
                if chosen is not None:
                    return self._believed(edit, chosen)
                if found.tier.is_single and match_checks.is_already_there(edit, self._draft):
                    return self._pass_or_refuse(edit, old.text, Nothing(step_names()))
                raise self._ambiguous(edit, found, old)
            case Miscount() as found:
                raise refusals.miscount(self._name, self._draft.source, found)
            case TooMany() as found:
                raise refusals.too_many(self._name, found.limit)
            case Nothing() as found:
                likeliest = self._likeliest(edit, old)
                edit = as_read(edit, likeliest)
                assert isinstance(edit.target, Old)
                old = edit.target
                part = self._confirmed(edit, old, likeliest)
                return part if part is not None else self._pass_or_refuse(edit, old.text, found)

    def _resolve(self, edit: Edit, old: Old) -> Resolution:
        """The places of old text, in the first of the parts that it is said to be in, where there is any."""
        if not old.under and old.line is None:
            return self._resolve_in(edit, old, None, self._laxest)
        at_line = self._hint.at(old) if self._is_one(edit) and not old.under and not old.at_end else None
        if at_line is not None:
            signs = edit.signs if isinstance(edit, Replace) else None
            return at_line._replace(old=old.text, new=as_replacement(edit, old.text), signs=signs)
        found: Resolution = Nothing(())
        for regions, laxest in self._parts(old):
            found = self._resolve_in(edit, old, regions, laxest)
            if not isinstance(found, Nothing):
                break
        return found

    def _likeliest(self, edit: Edit, old: Old) -> Alternative | None:
        """The reading of an edit, none of which was found, of which most rows are in the file; None: the first."""
        if not isinstance(edit, Replace) or not edit.alternatives:
            return None
        there = set(split_bodies(self._draft.source.text))
        counts = [
            sum(row in there for row in split_bodies(text)) for text in (old.text, *(a.old for a in edit.alternatives))
        ]
        likeliest = counts.index(max(counts))
        return edit.alternatives[likeliest - 1] if likeliest else None

    @property
    def _laxest(self) -> str | None:
        """How lax a search may be: as the policy says, and no more than literal once too much has been searched."""
        return self._policy.tier if self._tolerated > 0 else _strictest(self._policy)

    def _parts(self, old: Old) -> Iterator[tuple[list[Span] | None, str | None]]:
        """Where old text may be, the likeliest first, and how lax the search may be there."""
        laxest = self._laxest
        if not old.under:
            yield None, laxest
            return
        source = self._draft.source
        for to_end in (False, True):
            regions = match_checks.regions_under(source, old.under, to_end=to_end) or self._regions_before(
                old, to_end=to_end
            )
            if regions and not (to_end and len(regions) > 1):
                yield regions, laxest
            if not regions:  # no such line: what is quoted has to be enough, as it is
                yield None, laxest if laxest in STRICT else "whitespace"
                return

    def _regions_before(self, old: Old, *, to_end: bool) -> list[Span]:
        """The same where an earlier edit of the call has changed one of the lines above: as the file was before."""
        if not self._draft.splices:
            return []
        regions = match_checks.regions_under(self._draft.original, old.under, to_end=to_end)
        places = ((self._draft.from_original(one.start), self._draft.from_original(one.end)) for one in regions)
        return [Span(start, end) for start, end in places if start is not None and end is not None]

    def _notes_on(self, old: Old) -> tuple[str, ...]:
        """Says which of the lines above is nowhere, where the quoted lines alone were enough."""
        if not old.under or self._regions_before(old, to_end=True):
            return ()
        missing = match_checks.missing_header(self._draft.source, old.under)
        return (
            () if missing is None else (f"no line begins with {missing[:80]!r}; the lines quoted under it are unique",)
        )

    def _chosen(self, edit: Edit, old: Old, found: Several) -> Found | None:
        """The one of several places that is meant all the same: a whole line, or one for each of equal edits.

        A policy that takes nothing but what is quoted asks for text that is there once.
        """
        if self._policy.tier in STRICT or not isinstance(edit, Replace | Delete):
            return None
        is_plain = found.tier.name in STRICT or found.tier == tier_named("whitespace")
        if not self._is_one(edit) or not is_plain or not found.is_all or found.total > len(found.candidates):
            return None
        free = [span for span in found.candidates if not isinstance(self._draft.place(span, ""), Taken)]
        is_each = self._equals.are_left(edit, len(free)) and all(map(self._is_in_words, free))
        is_each = is_each or self._is_next_part(edit, free)
        chosen = free[0] if is_each else self._whole_line(old, found)
        if chosen is None:
            return None
        signs = edit.signs if isinstance(edit, Replace) else None
        others = () if is_each else tuple(one for one in free if one != chosen)  # for those there are other edits
        match = Match(chosen, found.tier.name, found.tier.confidence, found.tier.differs)
        new = as_replacement(edit, old.text)
        return Found((match,), others, 1 + len(others), found.tier, old.text, new, signs=signs)

    def _is_next_part(self, edit: Edit, free: Sequence[Span]) -> bool:
        """Whether parts of a patch that quote the same are as many as the places: they are in the order of the file.

        Certain only where these come one after the other, behind everything that was written before them.
        """
        if not self._equals.are_next_parts(edit, len(free)):
            return False
        placed = self._draft.place(free[0], "")
        return not isinstance(placed, Taken) and placed[0] == len(self._draft.splices)

    def _is_in_words(self, span: Span) -> bool:
        """Whether a place begins and ends where words do."""
        from steadyhand.text.words import sort_of

        edges = (self._draft.read(max(at - 1, 0), at + 1) for at in (span.start, span.end))
        return not any(len(edge) == 2 and sort_of(edge[0]) == sort_of(edge[1]) == "word" for edge in edges)

    def _whole_line(self, old: Old, found: Several) -> Span | None:
        """The one place that is a whole line, where all others are parts of longer ones and the text says enough."""
        rows = split_bodies(old.text)
        if found.tier.name not in STRICT or len(rows) != 1 or not _is_phrase(rows[0]):
            return None
        table = self._draft.source.table
        lines = [table.text(table.row_at(span.start)) for span in found.candidates]
        whole = [span for span, line in zip(found.candidates, lines, strict=True) if line.strip() == rows[0].strip()]
        return whole[0] if len(whole) == 1 and lines[found.candidates.index(whole[0])] == rows[0] else None

    def _is_one(self, edit: Edit) -> bool:
        """Whether an edit means the one place of its old text."""
        return self._policy.occurrence == "unique" and edit.occurrence is None and edit.expected in (None, 1)

    def _resolve_in(self, edit: Edit, old: Old, regions: list[Span] | None, laxest: str | None) -> Resolution:
        is_anywhere = regions is None and old.fit == "free" and not old.at_end
        find = self._draft.find if is_anywhere else match_checks.finder_within(self._draft, old, regions)
        found = self._asked(find, edit, old, laxest)
        if not isinstance(found, _COUNTED) or found.tier.name != "exact" or not self._has_twins(old):
            return found
        every = self._asked(_but_exactly(find), edit, old, laxest)
        has_more = isinstance(every, _COUNTED) and every.total > found.total
        return every if has_more else found

    def _has_twins(self, old: Old) -> bool:
        """Whether lines that are quoted with LF, which means them however they end, may also be elsewhere."""
        return "\n" in old.text and "\r" not in old.text and self._draft.has_returns

    def _asked(self, find: Finder, edit: Edit, old: Old, laxest: str | None) -> Resolution:
        usual = self._policy.occurrence if edit.expected is None else "all"
        return resolve(
            find,
            old.text,
            new=as_replacement(edit, old.text),
            occurrence=usual if edit.occurrence is None else edit.occurrence,
            expected=edit.expected,
            laxest=laxest,
            alternatives=edit.alternatives if isinstance(edit, Replace) else (),
            hint=None if old.line is None else self._hint.of(old),
            signs=edit.signs if isinstance(edit, Replace) else None,
        )

    def _believed(self, edit: Edit, found: Found) -> Found | None:
        """The places, unless something speaks against them."""
        edit = as_read(edit, found.alternative)
        assert isinstance(edit.target, Old)
        if self._is_beyond_doubt(edit.target, found):
            return found
        suspect = match_checks.FoundEdit(edit, found, self._draft)
        if match_checks.is_doubtful(suspect):
            return self._pass_or_refuse(edit, edit.target.text, Nothing(step_names()))
        may_be_deeper = self._policy.tier not in STRICT and edit.target.fit == "free"
        several = match_checks.find_other_indents(suspect) if may_be_deeper else None
        if several is not None:
            raise self._ambiguous(
                edit, several, edit.target, with_numbers=False
            )  # a number would count exact places alone
        is_at_line = self._hint.of(edit.target)
        agrees = is_at_line is not None and is_at_line(found.matches[0].span)  # content and line: that is meant
        if match_checks.is_ended(self._draft, edit, found) or (
            not agrees and match_checks.is_beside(self._draft, edit, found)
        ):
            raise refusals.made_before(self._name, self._draft.source, found.matches[0].span)
        part = self._confirmed(edit, edit.target, found.alternative) if self._has_drifted(found) else None
        if part is not None:
            return part
        self._tolerated -= self._draft.length if found.tier.rank > LITERAL else 0
        self._hint.learn(edit.target, found.matches[0].span)
        return found._replace(notes=self._notes_on(edit.target))

    def _is_beyond_doubt(self, old: Old, found: Found) -> bool:
        """Whether the file has old text just as it is quoted, not inside an indentation, and no more is said of it."""
        if found.tier.name not in STRICT or old.fit != "free" or old.line is not None or old.under or old.at_end:
            return False
        start = found.matches[0].span.start
        return found.old[0] not in " \t" or self._draft.read(start - 1, start) not in (" ", "\t")

    def _confirmed(self, edit: Edit, old: Old, reading: Alternative | None) -> Found | None:
        """The lines that change of an edit in a reading, where the file has them once and only lacks context."""
        from steadyhand.match.confirmed import confirmed_part

        if not self._is_one(edit) or self._policy.tier not in (None, "fuzzy") or old.at_end or self._tolerated <= 0:
            return None
        source, signs = self._draft.source, edit.signs if isinstance(edit, Replace) else None
        needle = Needle(old.text, as_replacement(edit, old.text), signs)
        part = confirmed_part(source, needle)
        if part is None or (old.under and not self._is_under(part.span, old)):
            return None
        if not part.has_context and match_checks.has_other_header(
            merge_window.window_at(source, part.span, old.text), needle
        ):
            return None
        if _is_cut_to_a_bare_line(merge_window.window_at(source, part.span, part.old), part.new):
            return None
        if _is_shown_by_made_up_lines(source, old.text, part):
            return None
        place, fuzzy = Match(part.span, "fuzzy"), tier_named("fuzzy")
        found = Found((place,), (), 1, fuzzy, part.old, part.new, (_CONTEXT,), reading, part.signs, part.share)
        return None if match_checks.is_doubtful(match_checks.FoundEdit(edit, found, self._draft)) else found

    def _has_drifted(self, found: Found) -> bool:
        """Whether lines are in the way at a place that was found by lines that resemble the old text's."""
        if found.tier.name != "fuzzy":
            return False
        place = merge_window.window_at(self._draft.source, found.matches[0].span, found.old)
        made = merge_window.make(place, found.new or "", on_drift=self._policy.on_drift, signs=found.signs)
        return isinstance(made, merge_window.Drifted)

    def _is_under(self, span: Span, old: Old) -> bool:
        """Whether a place is in the only part of the file that the lines above it name."""
        regions = match_checks.regions_under(self._draft.source, old.under)
        return len(regions) == 1 and span.overlaps(regions[0])

    def _ambiguous(self, edit: Edit, found: Several, old: Old, *, with_numbers: bool = True) -> EditError:
        self._listed -= 1
        return refusals.ambiguous(
            self._name,
            self._draft.source,
            found,
            edit=edit if self._listed >= 0 else None,
            policy=self._offering,
            with_numbers=with_numbers and old.fit == "free",  # whole lines are what patches quote
        )

    def _pass_or_refuse(self, edit: Edit, old: str, nothing: Nothing) -> Found | None:
        """The old text is nowhere: it may be because the edit was made before, or because its lines have drifted."""
        from steadyhand.plan.absent import Absence

        self._tolerated -= self._draft.length
        new = self._place_of_new(edit)
        absence = Absence(self._name, self._draft.source, old, new, nothing, edit, self._offering)
        may_be_done = absence.may_be_done() and self._checks > 0
        self._checks -= len(absence.source.text) if may_be_done else 0
        self._searches -= not may_be_done
        places = absence.nearest() if may_be_done or self._searches >= 0 else ()
        if may_be_done and absence.is_done(places):
            if self._policy.already != "skip":
                raise absence.already_applied()
            return None
        # Where the new text is already, a place that is merely like the old text is not the one that has drifted.
        drifted = None if may_be_done else self._drifted(absence, as_replacement(edit, old), places)
        if drifted is None:
            raise absence.no_match(places)
        return drifted

    def _drifted(self, absence: Absence, new: str, places: Sequence[Nearest]) -> Found | None:
        """The one place that is near enough, where the policy takes lines that have drifted.

        Refuses with `drift-conflict` where it does not; None where no place is near enough to speak of drift.
        """
        if self._policy.tier not in (None, "fuzzy") or not places:
            return None
        on_drift: str = self._policy.on_drift
        is_misspelt = on_drift == "new" and absence.misspelt(places) is not None
        is_line = sum(bool(row.strip()) for row in split_bodies(absence.old)) == 1
        if not (is_misspelt and is_line) and not absence.is_drift(places):
            return None
        if on_drift == "new" and not is_misspelt:
            on_drift = "refuse"  # somebody else's text, not the edit's own misspelt
        source, span = absence.source, places[0].span
        signs = absence.edit.signs if isinstance(absence.edit, Replace) else None
        place = merge_window.window_at(source, span, absence.old)
        if not isinstance(merge_window.make(place, new, signs=signs), merge_window.Drifted):
            return None  # the lines that change are there: the place was not believed for its context
        made = merge_window.make(place, new, on_drift=on_drift, signs=signs)
        if isinstance(made, merge_window.Drifted):
            raise refusals.drift_at(self._name, source, made, absence.edit, span, self._offering)
        if places[0].similarity < _DRIFT:
            return None
        return Found((Match(span, "fuzzy"),), (), 1, tier_named("fuzzy"), absence.old, new, signs=signs)

    def _place_of_new(self, edit: Edit) -> Span | None:
        """Where the new text is, if it is in exactly one place."""
        if not isinstance(edit, Replace) or not edit.new.strip():
            return None
        found = resolve(self._draft.find, edit.new, laxest=_strictest(self._policy))
        return found.matches[0].span if isinstance(found, Found) else None


class _Equals:
    """How often an edit of a call was sent, and how often it is yet to come; and the same of parts of a patch."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._edits = edits
        self._judged: list[Edit] = []  # those that are not counted off yet: most calls never ask

    def pass_over(self, edit: Edit) -> None:
        """Take note that an edit has been judged."""
        self._judged.append(edit)

    @cached_property
    def _sent(self) -> Counter[tuple[object, ...]]:
        return Counter(map(_key, self._edits))

    @cached_property
    def _waiting(self) -> Counter[tuple[object, ...]]:
        return Counter(self._sent)

    @cached_property
    def _parts(self) -> Counter[tuple[str, tuple[str, ...]] | None]:
        return Counter(map(_patch_key, self._edits))

    @cached_property
    def _parts_waiting(self) -> Counter[tuple[str, tuple[str, ...]] | None]:
        return Counter(self._parts)

    @cached_property
    def _part_runs(self) -> Counter[tuple[str, tuple[str, ...]] | None]:
        return Counter(key for key, _ in groupby(map(_patch_key, self._edits)))

    def _count_off(self) -> None:
        self._waiting.subtract(map(_key, self._judged))
        self._parts_waiting.subtract(map(_patch_key, self._judged))
        self._judged.clear()

    def are_left(self, edit: Edit, places: int) -> bool:
        """Whether the same edit is sent once for each of the places that are left."""
        key = _key(edit)
        self._count_off()
        return self._sent[key] > 1 and places == self._waiting[key]

    def are_next_parts(self, edit: Edit, places: int) -> bool:
        """Whether parts of a patch that quote the same come one after the other, and are as many as the places."""
        key = _patch_key(edit)
        self._count_off()
        return key is not None and self._parts[key] > self._part_runs[key] == 1 and places == self._parts_waiting[key]


def _but_exactly(find: Finder) -> Finder:
    """The same without the exact tier: the next one finds what it finds, and the same lines with other endings."""

    def find_others(tier: Tier, needle: Needle, *, apart: bool) -> Iterator[Span]:
        return iter(()) if tier.name == "exact" else find(tier, needle, apart=apart)

    return find_others


def _key(edit: Edit) -> tuple[object, ...]:
    """What two edits of old text have in common that do the same in the same part of a file."""
    old = edit.target
    target = (old.text, old.fit, old.under, old.at_end) if isinstance(old, Old) else None
    return type(edit), target, edit.text, edit.occurrence, edit.expected


def _patch_key(edit: Edit) -> tuple[str, tuple[str, ...]] | None:
    """What two parts of a patch without line numbers have in common that quote the same; None for other edits."""
    old = edit.target
    if not isinstance(edit, Replace) or edit.signs is None or not isinstance(old, Old) or old.fit != "lines":
        return None
    return None if old.line is not None or old.at_end else (old.text, old.under)


def _is_phrase(row: str) -> bool:
    """Whether a line says so much that it is hardly quoted as a part of other lines: several words or signs."""
    return sum(map(str.isalnum, row)) >= _PHRASE and not row.strip().isidentifier()


def _is_cut_to_a_bare_line(place: merge_window.Window, new: str) -> bool:
    """Whether one line of old text is left that lacks indentation: nothing shows how new lines with some are quoted."""
    from steadyhand.plan.first_line import read_in_full
    from steadyhand.text.indent import indent_of

    rows, kept = [row for row in split_bodies(new) if row.strip()], split_bodies(place.old)
    reading = read_in_full(place, new, asks_parser=False) if len(kept) == 1 else None
    if reading is None:
        return False
    shown = {indent_of(kept[0]), indent_of(reading.old)}
    return len(rows) > 1 or any(indent_of(row) not in shown for row in rows)


def _is_shown_by_made_up_lines(source: Source, old: str, part: Confirmed) -> bool:
    """Whether only lines that the file does not have show at which indentation a new line is."""
    from steadyhand.text.indent import indent_of

    kept, brought = (set(map(indent_of, filter(str.strip, split_bodies(text)))) for text in (part.old, part.new))
    context = [row for row in split_bodies(old) if row.strip() and indent_of(row) in brought - kept]
    there = set(split_bodies(source.text)) if context else set()
    return bool({*map(indent_of, context)} - {indent_of(row) for row in context if row in there})


def as_read(edit: Edit, reading: Alternative | None) -> Edit:
    """The edit in the reading that was found; None: as it is."""
    if reading is None or not isinstance(edit, Replace) or not isinstance(edit.target, Old):
        return edit
    target = replace(edit.target, text=reading.old)
    return replace(edit, target=target, new=reading.new, alternatives=(), signs=reading.signs)


def _strictest(policy: Policy) -> str:
    """The literal tiers, as far as the policy allows them."""
    return policy.tier if policy.tier in STRICT else "newline"
