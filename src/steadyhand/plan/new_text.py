"""The text that an edit wants to write, and the free places of the draft for it. Nothing is written here.

At nodes, the verbs are asked of each node, and an action of those it takes; what comes of it is one set of splices.
Splices of several nodes that get in each other's way are refused.

Edits by address that follow each other in a call are planned on one text, so that one parse serves them all: where the
format can tell that they do together what they do one after the other (`Node.propose_batch`), they are proposed on
the text the first of them sees, and checked once. How many are tried at once follows what went well, down to one.
A refusal is never made by `AddressBatch`: an edit that cannot be made is judged alone, as any other.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, assert_never

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import LazyModule, replace
from steadyhand.match.resolve import Found
from steadyhand.match.tier import LITERAL, STRICT, Signs
from steadyhand.plan.draft import Draft, Placed, Side, Taken
from steadyhand.plan.edit import Act, Delete, Edit, Insert, Old, Replace
from steadyhand.plan.policy import Policy
from steadyhand.structure.node import Node, Proposal, Refusal
from steadyhand.structure.target import Addressed
from steadyhand.text.diff import Change, diff_rows, diff_within
from steadyhand.text.indent import width_of
from steadyhand.text.lines import NewlineFacts, body, line_ending, split_lines
from steadyhand.text.match import Match
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice
from steadyhand.text.words import shared_words

if TYPE_CHECKING:
    from steadyhand.plan import refusals
    from steadyhand.plan.first_line import FullQuote
    from steadyhand.plan.merge_window import Made
    from steadyhand.structure.action import Action
else:
    refusals = LazyModule("steadyhand.plan.refusals")  # most calls are not refused


_QUOTING = (Replace, Delete)
_BLANKS = (" ", "\t")
_LEAD_LOST = 0.99  # how much of the old text is there where only blanks in front of it are missing
_MANY = 20_000  # rows of an edit beyond which it is written in one piece
_PARSED = 2_000_000  # code points that are parsed to tell two readings of an edit apart at several places


class Writing:
    """The edits of one call, as the draft is."""

    def __init__(self, draft: Draft, policy: Policy, name: str, *, is_alone: bool = True, offers: bool = True) -> None:
        """`is_alone`: no other edit of the call writes anything; `offers`: a refusal offers what would go through."""
        self._draft = draft
        self._policy = policy
        self._name = name
        self._is_alone = is_alone
        self._offering = policy if offers else None

    def placed(self, index: int, made: Proposal) -> list[Placed]:
        """What a proposal wants to write."""
        return [self._free(index, part.span, self._fit(part.new, part.span)) for part in made.splices]

    def replacements(self, index: int, edit: Edit, found: Found) -> tuple[list[Placed], Match, float]:
        """What an edit wants to write where, its first match, and how sure it is that this is meant there."""
        matches, match = found.matches, found.matches[0]
        if found.tier.rank > LITERAL:
            every = [self._made(edit, match, found) for match in matches]
            if len(every) > 1 and any(made.sure < 1 for made in every):
                pairs = zip(matches, every, strict=True)
                self._check_alike(found, [self._depths(match, made) for match, made in pairs])
            writes = [write for made in every for write in made.writes]
            sure = min(made.sure for made in every)
            measured = _measured(match, every[0], found.repaired)
            measured = replace(measured, similarity=round(measured.similarity * found.share, 4))
            return [self._free(index, *write) for write in writes], measured, sure
        made: list[Placed] = []
        sure = 1.0
        if len(matches) == 1:
            if self._is_alone and found.tier.name == "exact" and isinstance(edit, Replace):
                start, texts = match.span.start, found.old + edit.new
                is_led = self._draft.original.text[start - 1 : start] in _BLANKS
                if not is_led and "\n" not in texts and "\r" not in texts:  # words of a line for other words
                    return [(0, Splice(start, found.old, edit.new))], match, sure
            every_full = [self._in_full(edit, found, match)]
        else:
            every_full = [self._in_full(edit, found, place) for place in matches]
            self._check_alike(found, [full is not None and full.is_moved for full in every_full])
        for place, full in zip(matches, every_full, strict=True):
            if full is None:
                made += self._plain(index, edit, place, found)
                continue
            from steadyhand.plan.first_line import UNSURE

            if not full.is_clear:
                raise self._unclear(edit, full, place)
            sure = UNSURE
            if full.is_moved:
                # The old text was quoted without the indentation of its first line.
                tier = match.tier if found.repaired else "whitespace"
                match = replace(match, tier=tier, similarity=_LEAD_LOST, differs=(*found.repaired, "indentation"))
            changes = self._rows_that_change(edit, full.span, (full.old, full.new), found.signs, is_literal=False)
            made += [self._free(index, *change) for change in changes]
        return made, match, sure

    def _check_alike(self, found: Found, readings: Sequence[object]) -> None:
        """Refuse an edit of several places whose new lines would be indented in one way here and in another there."""
        if any(reading != readings[0] for reading in readings):
            from steadyhand.plan.merge_window import Drifted

            span, drifted = found.matches[0].span, Drifted(found.matches[0].span, found.old, found.old, is_clear=False)
            raise refusals.drift_at(self._name, self._draft.source, drifted, None, span)

    def _depths(self, match: Match, made: Made) -> list[int]:
        """How much deeper than the first line of a place each line is that is written there."""
        table = self._draft.source.table
        first = width_of(table.text(table.row_at(match.span.start)))
        rows = (row for _, text in made.writes for row in split_lines(text) if row.strip())
        return [width_of(row) - first for row in rows]

    def _asks_parser(self, places: int) -> bool:
        """Whether a whole file is parsed at each of so many places: at all of them or, beyond one, at none."""
        return places == 1 or places * self._draft.length <= _PARSED

    def _in_full(self, edit: Edit, found: Found, match: Match) -> FullQuote | None:
        """The edit where its first line was quoted without its indentation; None where that makes no difference."""
        start = match.span.start
        if not isinstance(edit, _QUOTING) or self._policy.tier in STRICT:
            return None
        if self._draft.read(start - 1, start) not in _BLANKS:
            return None
        new = edit.text if found.tier.name in STRICT else _plain_endings(found.new or "", found.old)
        if _is_bare_row(found.old) and _is_bare_row(new):
            return None  # one row for another, behind the indentation that stays
        from steadyhand.plan.first_line import quote_in_full

        source, asks_parser = self._draft.source, self._asks_parser(len(found.matches))
        return quote_in_full(source, match.span, found.old, new, asks_parser=asks_parser)

    def _unclear(self, edit: Edit, full: FullQuote, match: Match) -> EditError:
        """The refusal of new lines that are quoted neither like the old text nor like the file."""
        from steadyhand.plan.merge_window import Drifted

        row = split_lines(full.old)[0]
        span = Span(full.span.start, full.span.start + len(row))
        drifted = Drifted(span, row, row, is_clear=False)
        return refusals.drift_at(self._name, self._draft.source, drifted, edit, match.span)

    def _made(self, edit: Edit, match: Match, found: Found) -> Made:
        """The writes at a place found with differences. Refuses with `drift-conflict`."""
        from steadyhand.match.tiers.elision import check_elisions
        from steadyhand.plan.merge_window import Drifted, make, window_at

        new, on_drift = found.new or "", self._policy.on_drift
        wrong = check_elisions(found.old, new) if found.tier.name == "elision" else None
        if wrong is not None:
            raise refusals.bad_elisions(self._name, wrong)
        source, asks_parser = self._draft.source, self._asks_parser(len(found.matches))
        window = window_at(source, match.span, found.old, found.tier.name)
        made = make(window, new, on_drift=on_drift, signs=found.signs, asks_parser=asks_parser)
        if isinstance(made, Drifted):
            raise refusals.drift_at(self._name, source, made, edit, match.span, self._offering)
        if found.tier.name == "token" and not _says(made, source, match.span, new):
            raise refusals.unclear_words(self._name, source, match.span)
        return made

    def _plain(self, index: int, edit: Edit, match: Match, found: Found) -> list[Placed]:
        """One place where the edit's text is written as it is: only those of its lines that change."""
        if found.tier.name not in STRICT:
            texts = found.old, _plain_endings(found.new or "", found.old)
            writes = self._rows_that_change(edit, match.span, texts, found.signs, is_literal=False)
            return [self._free(index, *write) for write in writes]
        if not isinstance(edit, Replace):
            return [self.as_it_is(index, edit, match)]
        target = edit.target
        assert isinstance(target, Old)
        texts = target.text, edit.new
        if match.tier == "newline":
            texts = self._loosened(target.text, target.text, match), self._loosened(edit.new, target.text, match)
        # A patch that quotes CR LF as it is in the file, or brings it beside lines that have none, means its endings.
        speaks_of_endings = "\r\n" in target.text or (edit.signs is not None and "\r\n" in edit.new)
        is_literal = match.tier == "exact" and target.fit != "free" and speaks_of_endings
        writes = self._rows_that_change(edit, match.span, texts, edit.signs, is_literal=is_literal)
        return [self._free(index, *write) for write in writes]

    def _rows_that_change(
        self, edit: Edit, span: Span, texts: tuple[str, str], signs: Signs | None, *, is_literal: bool
    ) -> list[tuple[Span, str]]:
        """The lines of a place that an edit writes, of a place where its old text is as it is but for line endings.

        A line that old and new text share keeps the file's bytes, its ending too, unless nothing else is changed.
        """
        has_returns = "\r" in texts[0] or "\r" in texts[1] or self._draft.has_returns
        is_literal = is_literal or self._policy.newlines == "literal" or not has_returns
        here, old = self._draft.read(span.start, span.end), split_lines(texts[0])
        rows = old if here == texts[0] else split_lines(here)
        new = split_lines(texts[1] if is_literal else self._as_file_ends(texts[1]))
        if len(rows) != len(old) or len(rows) + len(new) > _MANY:
            return [(span, self._fit(texts[1], span))]
        keys, others = old, new
        if not is_literal and ("\r" in texts[0] or "\r" in texts[1]):
            ended = [_unended(row) for row in old], [_unended(row) for row in new]
            keys, others = ended if ended[0] != ended[1] else (old, new)
        starts = list(accumulate(map(len, rows), initial=span.start))
        known = None if signs is None else diff_within(keys, others, signs)
        is_line = self._is_alone or (isinstance(edit.target, Old) and edit.target.fit == "lines")
        found: list[tuple[Span, str]] = []
        for change in diff_rows(keys, others) if known is None else _with_endings(known, old, new):
            start, end, other_start, other_end = change
            place = Span(starts[start], starts[end])
            text = "".join(new[other_start:other_end])
            if not is_literal:
                text = self._fit(text, place, line_ending(rows[start - 1] if start else ""))
            found.append((place, text) if is_line else self._core(place, text))
        return found

    def _core(self, place: Span, text: str) -> tuple[Span, str]:
        """What is written of a change, where other edits of the call may change more of its lines.

        Whole words at both ends that stay are context; the nearest ones count as written, for what is put between two
        words is lost when one of them goes.
        """
        if not text or place.is_empty:
            return place, text
        old = self._draft.read(place.start, place.end)
        head, tail = shared_words(old, text)
        return Span(place.start + head, place.end - tail), text[head : len(text) - tail]

    def _loosened(self, text: str, old: str, match: Match) -> str:
        is_loose = match.tier == "newline" and self._policy.newlines == "file"
        return _plain_endings(text, old) if is_loose else text

    def _free(self, index: int, span: Span, new: str, insert: Side | None = None) -> Placed:
        """One place that is replaced as a whole, or that text is put beside."""
        placed = self._draft.place(span, new, insert)
        if isinstance(placed, Taken):
            raise refusals.overlapping(self._name, index, placed.edit, self._draft.source.lines_of(span))
        return placed

    def as_it_is(self, index: int, edit: Edit, match: Match) -> Placed:
        """One place where the edit's text is written as it is."""
        span = match.span
        if not isinstance(edit, Insert):
            return self._free(index, span, self._fitted(edit, match, span))
        side: Side = "end" if edit.where in ("after", "end") else "start"
        at = span.end if side == "end" else span.start
        return self._free(index, span, self._fitted(edit, match, Span(at, at)), side)

    def _fitted(self, edit: Edit, match: Match, place: Span) -> str:
        """The edit's text as it comes in the place of a span."""
        if isinstance(edit.target, Old) and not (edit.target.at_end and place.is_empty):
            return self._fit(self._loosened(edit.text, edit.target.text, match), place)
        is_lines = isinstance(edit.target, Old) or edit.target.whole_lines
        return self._fit_lines(edit.text, place) if is_lines else self._fit(edit.text, place)

    def _fit(self, text: str, place: Span, above: str = "") -> str:
        """Text with the line endings of its neighbours; for new lines those of the line above, where that is quoted."""
        if self._policy.newlines == "literal" or "\n" not in text:
            return text
        if "\r" not in text and not self._draft.has_returns:
            return text  # nothing but LF ends a line here
        newline = above if above and place.is_empty else self._draft.newline_at(place.start)
        return fit_endings(self._as_file_ends(text), self._draft.read(place.start, place.end), newline)

    def _as_file_ends(self, text: str) -> str:
        """Text whose CR LF is bare LF where all lines of the file end alike, so that it is written as they do."""
        if self._policy.newlines == "literal" or "\r\n" not in text or self._draft.uniform_ending is None:
            return text
        return text.replace("\r\n", "\n")

    def _fit_lines(self, text: str, place: Span) -> str:
        """Whole lines for whole lines, or between two of them."""
        draft, literal = self._draft, self._policy.newlines == "literal"
        if not text:
            return text
        text = self._as_file_ends(text)
        newline = draft.newline_at(place.start)
        if not place.is_empty:
            return fit_lines(text, draft.read(place.start, place.end), newline, literal=literal)
        before, is_end = draft.character_before(place.start), place.start == draft.length
        return fit_insertion(text, newline, before=before, is_end=is_end, literal=literal)


def _is_bare_row(text: str) -> bool:
    """Whether a text is one row, or a part of one, without blanks around it."""
    return text.strip() == text != "" and "\n" not in text and "\r" not in text


def _measured(match: Match, made: Made, repaired: tuple[str, ...]) -> Match:
    """The match with what building on it has shown; where nothing was measured, what its tier may overlook."""
    differs = made.differs or tuple(word for word in match.differs if word not in repaired)
    return replace(match, similarity=made.similarity, differs=(*repaired, *differs))


def _says(made: Made, source: Source, span: Span, new: str) -> bool:
    """Whether a place that had the words of the old text has those of the new one then, in their order.

    Of equal words in rows of another layout, no comparison shows which ones the edit changes.
    """
    from steadyhand.match.lexer import lexer_of, token_key

    first = min([span.start, *(place.start for place, _ in made.writes)])
    last = max([span.end, *(place.end for place, _ in made.writes)])
    lexer = lexer_of(source.path)
    head, tail = source.text[first : span.start], source.text[span.end : last]
    after = made.within(source.text, Span(first, last))
    return token_key(lexer, after) == token_key(lexer, f"{head}{new}{tail}")


def _unended(row: str) -> str:
    """A row with LF for whatever ends it."""
    return body(row) + "\n" if line_ending(row) else row


def _with_endings(changes: Sequence[Change], old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """Changes, and with them the row that stays but gets or loses its ending because the last row is another.

    >>> _with_endings([Change(1, 1, 1, 2)], ["a"], ["a\\n", "b"])
    [Change(before_start=0, before_end=1, after_start=0, after_end=2)]
    """
    found: list[Change] = []
    row = other = 0
    is_ended = all(not rows or line_ending(rows[-1]) for rows in (old, new))  # then every row of both is
    for change in (*changes, Change(len(old), len(old), len(new), len(new))):
        differing: Iterable[Change] = ()
        if not is_ended:
            gap = zip(range(row, change.before_start), range(other, change.after_start), strict=True)
            pairs = (pair for pair in gap if bool(line_ending(old[pair[0]])) != bool(line_ending(new[pair[1]])))
            differing = (Change(at, at + 1, to, to + 1) for at, to in pairs)
        for each in (*differing, change):
            last = found[-1] if found else None
            if last is not None and (last.before_end, last.after_end) == (each.before_start, each.after_start):
                found[-1] = Change(last.before_start, each.before_end, last.after_start, each.after_end)
            elif each.before_start < each.before_end or each.after_start < each.after_end:
                found.append(each)
        row, other = change.before_end, change.after_end
    return found


def _plain_endings(new: str, old: str) -> str:
    """New text, with plain line endings where CR LF is only how the edit as a whole is written."""
    return new.replace("\r\n", "\n") if "\r\n" in old else new


def fit_endings(new: str, region: str, newline: str) -> str:
    """New text for a region: each bare LF becomes `newline`, or the ending of the line it stands for.

    Text that has CR LF itself says what it wants and stays as it is.

    >>> fit_endings("x\\ny", "a", "\\r\\n")
    'x\\r\\ny'
    """
    if "\n" not in new or "\r\n" in new:
        return new
    if "\r" in region and "\n" in region and NewlineFacts.of(region).uniform is None:
        return _line_by_line(new, region, newline)
    return new if newline == "\n" else new.replace("\n", newline)


def fit_lines(content: str, region: str, newline: str, *, literal: bool) -> str:
    """Whole lines for a region of whole lines: its last line's ending stays, or stays away.

    A final newline in the content is optional; only where the region has none does it make a difference.
    """
    ending = line_ending(region)
    if not content:
        return ""
    if literal or "\r" in content:
        return content if line_ending(content) else content + ending
    lines = content.removesuffix("\n")
    return fit_endings(lines, region, newline) + (ending or (newline if lines != content else ""))


def fit_insertion(content: str, newline: str, *, before: str, is_end: bool, literal: bool) -> str:
    """Whole lines between two lines; `before` is the character in front, `is_end` whether nothing follows.

    After a last line without ending, that line gets one first and the new last line has none, unless it brings it.
    """
    if not content:
        return ""
    fitted = content if literal else fit_endings(content, "", newline)
    if is_end and before not in ("", "\n", "\r"):
        return newline + fitted
    is_whole = line_ending(fitted) or (is_end and not before)
    return fitted if is_whole else fitted + newline


def _line_by_line(new: str, region: str, newline: str) -> str:
    """Lines that stay keep their own ending; lines that are new take that of the line they stand for or follow."""
    old, lines = split_lines(region), split_lines(new)
    endings = [line_ending(line) for line in old]
    chosen = [""] * len(lines)
    position = row = 0
    changes = diff_rows([body(line) for line in old], [body(line) for line in lines])
    for change in changes:
        chosen[row : change.after_start] = endings[position : change.before_start]
        for index in range(change.after_start, change.after_end):
            stands_for = min(change.before_start + index - change.after_start, max(change.before_end - 1, 0))
            chosen[index] = (
                endings[stands_for]
                if change.before_end > change.before_start
                else _ending_before(change.before_start, endings)
            )
        position, row = change.before_end, change.after_end
    chosen[row:] = endings[position:]
    fitted: list[str] = []
    for line, ending in zip(lines, chosen, strict=True):
        piece = body(line) + (ending or newline) if line.endswith("\n") else line
        joins = piece == "\n" and bool(fitted) and fitted[-1].endswith("\r")
        fitted.append("\r" if joins else piece)  # a CR and an LF side by side would be one ending, not two
    return "".join(fitted)


def _ending_before(row: int, endings: list[str]) -> str:
    return endings[row - 1] if row else endings[0] if endings else ""


def propose_all(name: str, source: Source, edit: Edit, nodes: Sequence[Node]) -> Proposal:
    """The splices of an edit at every node it means. Refuses as the nodes do."""
    later = [node.proved_later() for node in nodes] if len(nodes) > 1 else nodes
    if later[0] is nodes[0]:
        return _propose_each(name, source, edit, nodes)
    try:
        return _propose_each(name, source, edit, later)
    except EditError:  # each by itself: it may be refused with its own reason, or be right in another way
        return _propose_each(name, source, edit, nodes)


def _propose_each(name: str, source: Source, edit: Edit, nodes: Sequence[Node]) -> Proposal:
    parts: list[Proposal] = []
    for node in nodes:
        made = propose(source, edit, node)
        if isinstance(made, Refusal):
            raise refusals.refused(name, made)
        if len(nodes) == 1:
            return made
        parts.append(made)
    splices = _apart(name, source, [splice for part in parts for splice in part.splices])
    notes = dict.fromkeys(note for part in parts for note in part.notes)
    whole = Proposal(tuple(splices), tuple(notes), meaning=tuple(parts))
    proved = nodes[0].prove_batch(source, whole)
    if isinstance(proved, Refusal):
        raise refusals.refused(name, proved)
    return proved


def propose(source: Source, edit: Edit, node: Node) -> Proposal | Refusal:
    """What an edit means at one node."""
    match edit:
        case Replace():
            return node.replace(source, edit.new)
        case Insert():
            return node.insert(source, edit.text, edit.where)
        case Delete():
            return node.delete(source)
        case Act():
            from steadyhand.structure.action import action_named  # few calls have an action

            action = action_named(edit.name)
            return (
                action.proposed(source, node, edit.args) if isinstance(node, action.takes) else _not_taken(action, node)
            )
        case _:
            assert_never(edit)


def _not_taken(action: Action, node: Node) -> Refusal:
    from steadyhand.structure.action import actions

    fitting = [other.name for other in actions().values() if isinstance(node, other.takes)]
    return Refusal(
        Kind.BAD_REQUEST,
        f"{action.name} does not apply to a {node.kind}",
        f"possible: replace, insert, delete{''.join(f', {name}' for name in fitting)}",
        {"action": action.name, "kind": node.kind, "actions": fitting},
    )


def _apart(name: str, source: Source, splices: list[Splice]) -> list[Splice]:
    """The splices in order, without those that lie in what another takes away; insertions at one place keep theirs."""
    kept: list[Splice] = []
    for splice in sorted(dict.fromkeys(splices), key=lambda item: item.span):
        while kept and splice.start < kept[-1].end and _swallows(splice, kept[-1]):
            kept.pop()
        if not kept or splice.start >= kept[-1].end:
            kept.append(splice)
        elif not splice.new and not kept[-1].new:
            last = kept.pop()
            kept.append(Splice(last.start, source.text[last.start : max(splice.end, last.end)], ""))
        elif not _swallows(kept[-1], splice):
            lines = sorted({source.line_of(kept[-1].start), source.line_of(splice.start)})
            raise EditError(
                Kind.OVERLAPPING_EDITS,
                f"{name}: two of the places are nested (line {' and '.join(map(str, lines))})",
                hint="send the inner and the outer place as two edits, or only one of them",
                details={"lines": lines},
            )
    return kept


def _swallows(outer: Splice, inner: Splice) -> bool:
    """Whether one takes away everything that the other would change."""
    return not outer.new and outer.start <= inner.start and inner.end <= outer.end


class AddressBatch:
    """The edits by address of one call. For each in turn: what it `does`, and that it `wrote` that; else `forget`.

    `_ends` is where each thing that was written ended in the text that was planned on, and `_deltas` by how much that
    moved what follows.
    """

    def __init__(self, draft: Draft, edits: Sequence[Edit], *, is_snapshot: bool) -> None:
        self._draft = draft
        self._edits = edits
        self._is_snapshot = is_snapshot
        self._made: dict[int, tuple[Node, Proposal]] = {}
        self._size = len(edits)  # how many are tried at once
        self._ends: list[int] = []
        self._deltas: list[int] = []

    def does(self, index: int) -> tuple[Match, Proposal] | None:
        """Where an edit is in the text that it sees, and what it does; None where it is to be planned alone."""
        if index not in self._made:
            self._plan_from(index)
        made = self._made.get(index)
        if made is None:
            return None
        node, proposal = made
        target = self._edits[index].target
        assert isinstance(target, Addressed)
        splices = tuple(Splice(self._now(splice.start), splice.old, splice.new) for splice in proposal.splices)
        span = Span(self._now(node.span.start), self._now(node.span.end))
        return Match(span, target.key), Proposal(splices, proposal.notes, proposal.after)

    def wrote(self, index: int, texts: Sequence[str]) -> None:
        """Take note that an edit has written what it does, as these texts: line endings may be those of the file."""
        if self._is_snapshot or index not in self._made:
            return
        for splice, text in zip(self._made[index][1].splices, texts, strict=True):
            at = bisect_right(self._ends, splice.end)
            self._ends.insert(at, splice.end)
            self._deltas.insert(at, len(text) - len(splice.old))

    def forget(self) -> None:
        """Plan what is left again: an edit was not made, or another has come in between."""
        self._made = {}

    def _now(self, offset: int) -> int:
        """Where an offset of the text that was planned on is in the text the next edit sees."""
        return offset + sum(self._deltas[: bisect_right(self._ends, offset)])

    def _plan_from(self, index: int) -> None:
        """Plan as many edits from this one on as can be planned together."""
        run = self._run_from(index)
        while len(run) > 1:
            run = run[: self._size]
            if len(run) < 2:
                break
            made = self._propose(self._draft.source, run)
            if made is not None:
                self._made = dict(zip(range(index, index + len(run)), made, strict=True))
                self._ends, self._deltas = [], []
                self._size = 2 * len(run)
                return
            self._size = len(run) // 2
        self._size = max(2, self._size)

    def _run_from(self, index: int) -> Sequence[Edit]:
        end = index
        while end < len(self._edits) and _names_one(self._edits[end]):
            end += 1
        return self._edits[index:end]

    def _propose(self, source: Source, edits: Sequence[Edit]) -> list[tuple[Node, Proposal]] | None:
        nodes: list[Node] = []
        for edit in edits:
            assert isinstance(edit.target, Addressed)
            found = edit.target.resolve(source)
            if isinstance(found, Refusal) or len(found) != 1:
                return None
            nodes.append(found[0])
            if type(found[0]).propose_batch is Node.propose_batch:
                self._size = 1
                return None
        asked = [(node, partial(propose, source, edit)) for node, edit in zip(nodes, edits, strict=True)]
        made = nodes[0].propose_batch(source, asked)
        return None if made is None else list(zip(nodes, made, strict=True))


def _names_one(edit: Edit) -> bool:
    """Whether an edit is for one place that an address names."""
    return isinstance(edit.target, Addressed) and edit.occurrence is None and edit.expected in (None, 1)
