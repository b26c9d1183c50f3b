"""How an edit is refused whose old text is not in the file: with the most similar places, or as already applied.

An edit counts as already applied only on strong evidence; weak evidence is reported and left to the caller.
A corrected old text is offered only where sending it would change exactly one place, and no other is as near.

`correct` is the call that would go through: the edit in the words of the file. It is made only where sending it changes
exactly that place, and every offer was planned under the policy it will be sent under. Where the edit and the file
disagree about the very words to be changed, there is nothing to offer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Hint, Reread, Say, SendCorrected, SendOld, lines_named
from steadyhand.lazy import dataclass, field, replace
from steadyhand.match.lexer import lexer_of, misspelt, token_key
from steadyhand.match.resolve import Nothing, Several
from steadyhand.match.tier import Needle, Signs, repair_chains
from steadyhand.plan.edit import Delete, Edit, Insert, Old, Replace, as_replacement, edit_to_json
from steadyhand.plan.match_checks import has_header_elsewhere, has_other_header, is_telling
from steadyhand.plan.merge_window import Drifted, make, window_at
from steadyhand.plan.policy import Policy
from steadyhand.plan.refusals import WIDTH, Context, every_place_of, occurrences_of, two_lines
from steadyhand.text.lines import body, is_whole_lines, split_bodies
from steadyhand.text.resemblance import Measure
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.visible import show_difference, sized
from steadyhand.text.words import sort_of

if TYPE_CHECKING:
    from steadyhand.text.nearest import Nearest


_NEAR = 0.8  # from this on the edit may well be meant for the place
_RIVALS = 0.03  # by how much less than the best a place may be alike and still be as near
_SAYING = 6  # letters and digits of a row that speaks for a place
_LONGEST = 4_000  # code points of old text that is offered


@sized("old")
@dataclass(frozen=True, slots=True)
class Absence:
    """Old text that no tier found; `new` is the one place where the edit's new text is, if there is one.

    With the `edit` itself a call that would go through under the `policy` can be offered; None: nothing is offered.
    """

    name: str
    source: Source
    old: str
    new: Span | None
    nothing: Nothing
    edit: Edit | None = None
    policy: Policy | None = field(default_factory=Policy)

    def nearest(self) -> tuple[Nearest, ...]:
        """The places most like the old text; this is the costly part."""
        from steadyhand.text.nearest import find_nearest  # only a refusal needs the alignment

        return find_nearest(self.source, self.old)

    def may_be_done(self) -> bool:
        """Whether the new text alone is evidence enough: it is long, and is there as whole lines."""
        text, new = self.source.text, self.new
        return new is not None and is_telling(new.of(text)) and is_whole_lines(text, new)

    def is_done(self, places: Sequence[Nearest]) -> bool:
        """Whether the edit was made before, as far as anybody can say: nothing but the new text is like the old."""
        new = self.new
        near = (place.span for place in places if place.similarity >= _NEAR)
        return new is not None and self.may_be_done() and all(span.overlaps(new) for span in near)

    def is_drift(self, places: Sequence[Nearest]) -> bool:
        """Whether one place is so much like the old text that the edit was meant for it and its lines have changed."""
        if not places or places[0].similarity < _NEAR or self._rivals(places):
            return False
        rows = sum(bool(row.strip()) for row in split_bodies(self.old))
        return rows > 1 and self._is_confirmed(places[0].span)

    def misspelt(self, places: Sequence[Nearest]) -> Nearest | None:
        """The one place whose lines the edit quotes with slips of the pen: what differs there is no other text.

        A word that the file has elsewhere is no slip, and neither is one that several places could be meant by. Lines
        do not come into the midst of one.
        """
        found = [place for place in places if self._is_misspelt(place.span) and not self._comes_inside(place.span)]
        return found[0] if len(found) == 1 and found[0] is places[0] and not self._rivals(places) else None

    def _is_misspelt(self, span: Span) -> bool:
        window = window_at(self.source, span, self.old)
        needle = Needle(self.old, None if self.edit is None else as_replacement(self.edit, self.old))
        words: list[str] = []
        for pairing in window.alignment:
            if pairing.likeness.is_sure or not needle.touches(pairing.old_start, pairing.old_end):
                continue
            row = body(window.rows[pairing.start]) if pairing.is_one_to_one else ""
            slips = misspelt(window.lexer, needle.rows[pairing.old_start], row)
            if slips is None:
                return False
            words += slips
        return all(map(self._is_slip, words))

    def _is_slip(self, word: str) -> bool:
        """Whether the file lacks a word and has just one that differs from it in a letter."""
        from rapidfuzz.distance import OSA

        size = len(word)
        known = set(re.findall(rf"\b\w{{{max(size - 1, 1)},{size + 1}}}\b", self.source.text))
        return sum(OSA.distance(word, one, score_cutoff=1) <= 1 for one in known) == 1 and word not in known

    def _comes_inside(self, span: Span) -> bool:
        """Whether the edit has other lines than its old text, and the place is part of a line."""
        new = self.old if self.edit is None else self.edit.text
        has_others = len(split_bodies(self.old)) != len(split_bodies(new))
        return has_others and not is_whole_lines(self.source.text, span)

    def already_applied(self) -> EditError:
        """The old text is gone and the new text is there."""
        lines = self.source.lines_of(self.new or Span(0, 0))
        where = lines_named(*lines)
        return EditError(
            Kind.ALREADY_APPLIED,
            f"is not in {self.name}; the new text is already in {where}",
            subject="old",
            hint=f"if you mean {where}, the edit is already made; else copy the old text from the other place",
            details={"lines": list(lines)},
        )

    def no_match(self, places: Sequence[Nearest]) -> EditError:
        """The old text is nowhere; say what comes nearest, and whether the new text is somewhere."""
        details: dict[str, object] = {"tried": list(self.nothing.tried)}
        message, hint = self._about_places(places, details)
        hints: tuple[Hint, ...] = (hint,)
        if self.new is not None and self._is_new_in_words(self.new):
            lines = self.source.lines_of(self.new)
            details["new_lines"] = list(lines)
            message.append(f"the new text is in {lines_named(*lines)}: maybe made already")
            if not (places and places[0].span.overlaps(self.new)):  # else that hint says it
                hints = (Say(f"if the edit is made in {lines_named(*lines)}, do nothing"), hint)
        return EditError(Kind.NO_MATCH, "\n".join(message), subject="old", hint=hints, details=details)

    def _is_new_in_words(self, new: Span) -> bool:
        """Whether the new text is whole words where it was found: a part of a word is there by chance."""
        text = self.source.text
        edges = ((at - 1, at) for at in (new.start, new.end) if 0 < at < len(text))
        return not any(sort_of(text[before]) == sort_of(text[after]) == "word" for before, after in edges)

    def _about_places(self, places: Sequence[Nearest], details: dict[str, object]) -> tuple[list[str], Hint]:
        name = self.name
        changed = self._changed_lines() if not places else None
        if changed is not None:
            details["changed_lines"], where = list(changed), lines_named(*changed)
            has = "has" if changed[0] == changed[1] else "have"
            text = f"is not in {name}: {where} {has} what the edit changes, but other lines around it"
            return [text], Say(f"read {where} of {name} and copy the lines around it, or edit another file")
        if not self.source.text:
            return [f"is not in {name}: the file is empty"], Say("write the content, or edit another file")
        if not places:
            return [f"is not in {name}", "nothing there is similar"], Say(f"read {name} again, or search other files")
        best = places[0]
        lines = lines_named(best.first_line, best.last_line)
        details["nearest"] = [
            {"lines": [place.first_line, place.last_line], "similarity": round(place.similarity, 3)} for place in places
        ]
        message = [self._likeness(best, lines)]
        if best.difference is not None:
            # An old text of one line is shown only where the eye would miss the difference.
            sent, there = show_difference(best.difference.expected, best.difference.actual)
            message += [there] if sent == self.old.strip("\n") else two_lines(best.difference.line, sent, there)
        rivals = self._rivals(places)
        if rivals:
            message.append(f"  equally similar: {', '.join(rivals)}")
            return message, Say("quote more of the one you mean")
        if self._is_cut(best.span):
            return message, Say(f"copy all of {lines} of {name}: only whole lines are taken here")
        if self.new is not None and best.span.overlaps(self.new):
            return message, Say(f"read {lines}; if the edit is not made there, copy the old text exactly")
        return message, self._offer(best, lines, details, is_misspelt=self.misspelt(places) is not None)

    def _changed_lines(self) -> tuple[int, int] | None:
        """The one place that has the lines which the edit changes, whatever is around them."""
        from itertools import islice

        from steadyhand.match.rows import find_windows

        needle = None if self.edit is None else Needle(self.old, as_replacement(self.edit, self.old))
        if needle is None or not needle.changes:
            return None
        rows = needle.rows[needle.changes[0].before_start : needle.changes[-1].before_end]
        if not any(map(_is_saying, rows)):
            return None
        lexer = lexer_of(self.source.path)
        windows = find_windows(self.source, Needle("\n".join(rows)), lambda row: token_key(lexer, row), apart=False)
        found = list(islice(windows, 2))
        return self.source.lines_of(found[0]) if len(found) == 1 else None

    def _is_cut(self, span: Span) -> bool:
        """Whether the old text is said to be whole lines, and a place is part of one."""
        target = self.edit.target if self.edit is not None else None
        return isinstance(target, Old) and target.fit == "lines" and not is_whole_lines(self.source.text, span)

    def _likeness(self, best: Nearest, lines: str) -> str:
        if self._is_cut(best.span) and best.similarity == 1:
            return f"is only a part of {lines} of {self.name}"
        return f"is not in {self.name}\nnearest: {lines} ({min(best.similarity, 0.99):.0%} similar)"

    def _offer(self, best: Nearest, lines: str, details: dict[str, object], *, is_misspelt: bool) -> Hint:
        """What to send instead, where the place is near and no other is: into the details, and the hint for it."""
        is_near = best.is_sure and best.similarity >= _NEAR and best.span.length <= _LONGEST
        corrected = self._corrected(best.span, is_misspelt=is_misspelt) if is_near else None
        if corrected is None:
            return Reread(self.name, (best.first_line, best.last_line))
        details["old"] = old = best.span.of(self.source.text)
        details["corrected"] = corrected
        return self._to_send(f"if you mean {lines}", old, corrected)

    def _to_send(self, aim: str, old: str, corrected: Mapping[str, object]) -> Hint:
        """The old text alone where nothing else has to change; else both texts. They are shown if they are short."""
        sent = "" if self.edit is None else self.edit.text
        target, new = str(corrected["target"]), str(corrected.get("new", sent))
        if (target, new) == (old, sent):
            return SendOld(aim, old if _is_short(old) else None)
        return SendCorrected(aim, target, new) if _is_short(f"{target}{new}") else SendCorrected(aim)

    def _corrected(self, span: Span, *, is_misspelt: bool) -> dict[str, object] | None:
        """The edit that changes a place as it means to; None where it is in doubt that the place is meant.

        New text that keeps nothing of what differs there is offered only for a misspelt quote: else what it would
        overwrite may be somebody's work.
        """
        if self.edit is None or self.policy is None or self._is_in_doubt(span) or not self._is_confirmed(span):
            return None
        made = correct(self.edit, self.source, span, self.policy)
        return requote(self.edit, self.source, span, self.policy) if made is None and is_misspelt else made

    def _is_confirmed(self, span: Span) -> bool:
        """Whether nothing but what the edit changes is in doubt at a place that is like the old text.

        Where the lines that the edit changes are there as quoted, no other place may have them and contradict the rest
        no more. Where they are nowhere, half of what the edit repeats must be there: a sibling is like it, too.
        Where it repeats nothing, a line must be there as quoted, or no word that the edit keeps may be missing.
        What leads them in may not have another name there, nor be in the file elsewhere alone.
        """
        if self.edit is None:
            return True
        from steadyhand.match.tiers.fuzzy import stands_out

        signs = self.edit.signs if isinstance(self.edit, Replace) else None
        needle, lexer = Needle(self.old, as_replacement(self.edit, self.old), signs), lexer_of(self.source.path)
        window = window_at(self.source, span, self.old)
        if has_other_header(window, needle) or has_header_elsewhere(window, needle):
            return False
        first, last = self.source.lines_of(span)
        is_alone = stands_out(self.source, needle, first - 1, last)
        if is_alone is not None:
            return is_alone
        there = {token_key(lexer, self.source.table.text(row)) for row in range(first - 1, last)}
        rows = {at: token_key(lexer, row) for at, row in enumerate(needle.rows) if _is_saying(row)}
        said = [key for at, key in rows.items() if at not in needle.changed]
        if said:
            return 2 * sum(key in there for key in said) >= len(said)
        return not there.isdisjoint(rows.values()) or self._says_nothing_else(span)

    def _is_in_doubt(self, span: Span) -> bool:
        """Whether a line that is quoted is elsewhere, lines are left out, or lines would come into the midst of one.

        Or whether new lines begin with what may be the sign of a diff, which no repair has taken off.
        """
        assert self.edit is not None
        from steadyhand.match.margins import may_be_signed
        from steadyhand.match.rows import find_row
        from steadyhand.match.tiers.elision import is_elision

        if may_be_signed(self.old, self.edit.text):
            return True
        key = partial(token_key, lexer_of(self.source.path))
        old, new = most_alike(self.old, self.edit.text, span.of(self.source.text))
        rows, first = split_bodies(old), self.source.table.row_at(span.start)
        there = set(map(key, split_bodies(self.source.text[self.source.table.start(first) : span.end])))
        left = [row for row in rows if _is_saying(row) and key(row) not in there]
        is_cut = len(rows) != len(split_bodies(new)) and not is_whole_lines(self.source.text, span)
        return is_cut or any(map(is_elision, rows)) or any(find_row(self.source, row, key) for row in left)

    def _says_nothing_else(self, span: Span) -> bool:
        """Whether a place has every word that the edit keeps, none that the old text lacks, and all in their order, or
        has them spelt right.

        Where the edit repeats no line that speaks for a place, any other word is a sign of another line.
        """
        ours = span.of(self.source.text)
        old, new = most_alike(self.old, self.old if self.edit is None else self.edit.text, ours)
        said, there = _words(old), _words(ours)
        rest = iter(said)
        is_kept = Counter(said) & Counter(_words(new)) <= Counter(there)
        return (is_kept and all(word in rest for word in there)) or self._is_misspelt(span)

    def _rivals(self, places: Sequence[Nearest]) -> list[str]:
        """Other places that are as near as the first, or are the very same text."""
        best = places[0]
        rivals = {
            _place(self.source, place.span, best.span): None
            for place in places[1:]
            if best.similarity - place.similarity <= _RIVALS
        }
        if best.span.length <= _LONGEST:
            text, first = self.source.text, best.span.start
            others = (at for at in every_place_of(text, best.span.of(text)) if at != first)
            again = next(others, None)
            if again is not None:
                rivals[_place(self.source, Span(again, again + best.span.length), best.span)] = None
        return list(rivals)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def _is_saying(row: str) -> bool:
    """Whether a row has so many letters and digits that it is not anywhere by chance."""
    return sum(map(str.isalnum, row)) >= _SAYING


def _is_short(text: str) -> bool:
    return len(text) <= WIDTH and "\n" not in text.strip("\n")


def _place(source: Source, span: Span, best: Span) -> str:
    """The lines of a place, with its column where it shares its first line with the best."""
    first, last = source.lines_of(span)
    if first != source.line_of(best.start):
        return lines_named(first, last)
    return f"line {first}, column {span.start - source.table.start(first - 1) + 1}"


_PLANNED = 20_000_000  # code points of text that are planned on to offer edits for several places


def correct(edit: Edit, source: Source, span: Span, policy: Policy) -> dict[str, object] | None:
    """The edit as it would go through at a place that does not quite match, in its JSON form; None for no such edit.

    >>> correct(Replace("x = f(1)", "y = f(1)"), Source.of_text("x = f(1, 2)\\n"), Span(0, 11), Policy())
    {'target': 'x = f(1, 2)', 'new': 'y = f(1, 2)'}
    """
    ours = span.of(source.text)
    if not isinstance(edit.target, Old) or span.length > _LONGEST or not _is_single(source.text, ours):
        return None
    old, new = most_alike(edit.target.text, edit.text, ours)
    is_as_sent = (old, new) == (edit.target.text, edit.text)
    signs = edit.signs if isinstance(edit, Replace) and is_as_sent else None
    made = _retold(edit, old, new, source, span, signs)
    return edit_to_json(made) if made is not None and _writes_what_it_says(source, made, policy) else None


def requote(edit: Edit, source: Source, span: Span, policy: Policy) -> dict[str, object] | None:
    """The edit with what is at a place as its old text and its new text as it is, in its JSON form.

    None where the new text repeats what is misquoted, or lacks indentation that the place has.
    """
    ours = span.of(source.text)
    if not isinstance(edit, Replace) or not isinstance(edit.target, Old) or not _is_single(source.text, ours):
        return None
    if _rebuilt(source, span, edit.target.text, edit.new, edit.signs, on_drift="new") != (ours, edit.new):
        return None
    sent = Replace(ours, edit.new, reason=edit.reason)
    return edit_to_json(sent) if _writes_what_it_says(source, sent, policy) else None


def single_out(
    edit: Edit, source: Source, policy: Policy, found: Several, contexts: Sequence[Context | None]
) -> list[dict[str, object] | None]:
    """For each of several places the edit that means it alone, in its JSON form: old and new text, both with context.

    Each does what the edit would with the number of that place as its occurrence: both were planned and compared.
    Places without a number, which are merely near, are each corrected as if they were the nearest.
    """
    offers: list[dict[str, object] | None] = []
    most = _PLANNED // (2 * len(source.text) + 1)
    if found.tier.is_single:
        return [correct(edit, source, span, policy) for span in found.candidates[: min(len(contexts), most)]]
    for number, context in zip(occurrences_of(found.candidates), contexts, strict=False):
        is_planned = number is not None and context is not None and len(offers) < most
        offers.append(_paired(edit, source, policy, number, context.span) if is_planned and context else None)
    return offers


def _paired(edit: Edit, source: Source, policy: Policy, number: int | None, span: Span) -> dict[str, object] | None:
    from steadyhand.plan.planner import plan  # which needs this room for its refusals

    bare = _unguarded(policy)
    meant = plan(source, [replace(edit, occurrence=number)], bare, offers=False)
    if not meant.ok or any(part.start < span.start or part.end > span.end for part in meant.changes.splices):
        return None
    old, new = span.of(source.text), meant.after.text[span.start : span.end + meant.changes.delta]
    if old == new:
        return None
    pair = Replace(old, new, reason=edit.reason)
    sent = plan(source, [pair], bare, offers=False)
    return edit_to_json(pair) if sent.ok and sent.after.text == meant.after.text else None


def most_alike(old: str, new: str, ours: str) -> tuple[str, str]:
    """The edit's texts, without a shape they were given by accident where the old text is then more like the place."""
    measure = Measure([ours])
    texts = [(old, new), *((chain.old, chain.new) for chain in repair_chains(old, new))]
    scores = [measure.alike([text]) for text, _ in texts]
    return texts[scores.index(max(scores))]


def _retold(edit: Edit, old: str, new: str, source: Source, span: Span, signs: Signs | None) -> Edit | None:
    if isinstance(edit, Insert):
        return Insert(span.of(source.text), new, where=edit.where, reason=edit.reason)
    rebuilt = _rebuilt(source, span, old, "" if isinstance(edit, Delete) else new, signs)
    if rebuilt is None:
        return None
    ours, text = rebuilt
    if isinstance(edit, Delete):
        return None if text else Delete(ours, reason=edit.reason)
    return None if text == ours else Replace(ours, text, reason=edit.reason)


def _rebuilt(
    source: Source, span: Span, old: str, new: str, signs: Signs | None, *, on_drift: str = "merge"
) -> tuple[str, str] | None:
    """What is at the place and what the edit makes of it, its change joined with what differs there, or over that.

    None where the two clash. The place is as wide as it was given where that is enough, else it is whole lines.
    """
    window = window_at(source, span, old)
    made = make(window, new, on_drift=on_drift, signs=signs)
    if isinstance(made, Drifted):
        return None
    text = source.text
    whole = made.within(text, window.span)
    lead, tail = text[window.span.start : span.start], text[span.end : window.span.end]
    if len(whole) < len(lead) + len(tail) or not (whole.startswith(lead) and whole.endswith(tail)):
        return window.span.of(text), whole
    return span.of(text), whole[len(lead) : len(whole) - len(tail)]


def _is_single(text: str, ours: str) -> bool:
    """Whether a text that is somewhere is nowhere else, not even overlapping itself."""
    return bool(ours) and text.find(ours, text.find(ours) + 1) < 0


def _writes_what_it_says(source: Source, edit: Edit, policy: Policy) -> bool:
    """Whether an edit whose old text is in the file once goes through, and changes that text as it says.

    What guards make of it they are asked when the whole call is known.
    """
    from steadyhand.plan.planner import plan  # which needs this room for its refusals

    sent = plan(source, [edit], _unguarded(policy), offers=False)
    if not sent.ok or not isinstance(edit.target, Old):
        return False
    return isinstance(edit, Insert) or sent.after.text == source.text.replace(edit.target.text, edit.text)


def _unguarded(policy: Policy) -> Policy:
    return replace(policy, guards=frozenset(), require_reason=False)
