"""The needle with lines misremembered, left out or made up, among those that the edit merely repeats: the places where
it may belong, the evidence for and against each, and the tier that decides.

An edit is made only where the file has the lines it changes or removes as it quotes them, and lines it adds have a sure
neighbour. So every place that can come into question has such a line, and looking at all places of the rarest one
finds them all; the lines around it, which the edit merely repeats, then say how well each place fits.

Rows that are not blank are weighed by how much they say. Only rows that certainly match speak for a place: enough of it
must be there for sure, and no other place be nearly as good. A row that merely resembles another counts for nothing, so
two places that differ in one word stay two places for a needle with a third word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.match.align import Pairing, align, likeness_of, weight_of
from steadyhand.match.lexer import Lexer, lexer_of, token_key
from steadyhand.match.rows import find_row, span_of_rows
from steadyhand.match.tier import Example, Needle, Tier
from steadyhand.text.bare_lines import bare, bare_lines, bare_rows
from steadyhand.text.indent import indent_of
from steadyhand.text.lines import LineTable
from steadyhand.text.source import Source
from steadyhand.text.span import Span

# The first row of a definition, or a table's head: what it names is what the rows below belong to.
_NAMING = lazy_pattern(
    r"\s*(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([a-z]+\))?|override"
    r"|open|virtual|inline|extern|unsafe|const|readonly)\s+)*"
    r"(?:def|class|func|function|fn|sub|interface|struct|enum|trait|impl|module|namespace|type|record|protocol|object"
    r"|macro|describe|it|test)\b|\s*\[\[?[\w.\"-]+\]\]?\s*$"
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place, and what speaks for and against it.

    `first`, `last`  its rows; `seat` is the row where the edit changes or adds something
    `sure`           what the old text's rows weigh that are there, `repeated` those of them it does not change
    `alike`          how far its other rows resemble rows there
    `strange`        what all the rest weighs, on both sides
    `displaced`      rows too many or too few on either side
    `moved`          rows that are there in another order; they count as strange and displaced
    `sure_rows`, `unsure_rows`, `context`   numbers of rows; `context` are the sure ones that are merely repeated
    `spots`          stretches of rows, on either side, that are not sure
    `contradicted`   rows that are not sure, those of both sides in each other's place counted once
    `is_shifted`     sure rows have another indentation
    `is_renamed`     a row differs that names what the rows below it belong to
    `is_beside`      no unknown row lies between a row that changes and a sure one next to it
    `answers`        sure rows of the old text, each with the row there that says the same
    """

    first: int
    last: int
    seat: int
    sure: float
    alike: float
    strange: float
    displaced: float
    repeated: float
    moved: float
    sure_rows: int
    unsure_rows: int
    context: int
    spots: int
    contradicted: int
    is_shifted: bool
    is_renamed: bool
    is_beside: bool
    answers: frozenset[tuple[int, int]]

    @property
    def similarity(self) -> float:
        """How much of both sides is accounted for, from 0 to 1."""
        known = self.sure + self.alike
        return known / (known + self.strange)

    @property
    def fit(self) -> float:
        """What speaks for the place."""
        return self.sure - self.displaced

    @property
    def context_fit(self) -> float:
        """What speaks for the place apart from the rows that the edit changes."""
        return self.repeated - self.displaced

    @property
    def best_fit(self) -> float:
        """What would speak for it if rows that are there in another order were in order."""
        return self.fit + 2 * self.moved


def judge(visible: Sequence[Pairing], needle: Needle, table: LineTable, lexer: Lexer) -> Candidate:
    """What the pairings of rows that are not blank amount to; one of them at least is sure."""
    first, last = _extent(visible, needle, table)
    tally = _Tally(needle, table)
    for index, pairing in enumerate(visible):
        if first <= index <= last:
            tally.add(pairing)
        elif pairing.old_start < pairing.old_end:
            tally.add_outside(pairing)
    tally.close()
    return Candidate(
        first=visible[first].start,
        last=visible[last].end - 1,
        seat=_seat(visible, needle),
        sure=tally.sure,
        alike=tally.alike,
        strange=tally.strange,
        displaced=tally.displaced,
        repeated=tally.repeated,
        moved=tally.moved(lexer),
        sure_rows=tally.sure_rows,
        unsure_rows=tally.unsure_rows,
        context=tally.context,
        spots=tally.spots,
        contradicted=tally.contradicted,
        is_shifted=tally.is_shifted,
        is_renamed=tally.is_renamed,
        is_beside=_is_beside(visible, needle),
        answers=frozenset((one.old_start, one.start) for one in visible if one.likeness.is_sure and one.is_one_to_one),
    )


def _extent(visible: Sequence[Pairing], needle: Needle, table: LineTable) -> tuple[int, int]:
    """The first and the last pairing that belong to the place.

    A row at either end that is reached over more than it says itself is rather taken for missing. Rows of the file in
    the place of quoted ones are not reached over: they are what those were misremembered from.
    """
    held = [index for index, pairing in enumerate(visible) if not (pairing.is_missing or pairing.is_added)]
    while len(held) > 1 and _is_far(visible, held[0], held[1], needle, table):
        held.pop(0)
    while len(held) > 1 and _is_far(visible, held[-1], held[-2], needle, table):
        held.pop()
    return held[0], held[-1]


def _is_far(visible: Sequence[Pairing], edge: int, inner: int, needle: Needle, table: LineTable) -> bool:
    if needle.touches(visible[edge].old_start, visible[edge].old_end):
        return False
    between = visible[min(edge, inner) + 1 : max(edge, inner)]
    rows = [table.text(row) for pairing in between for row in range(pairing.start, pairing.end)]
    surplus = len(rows) - sum(pairing.old_end - pairing.old_start for pairing in between)
    if surplus <= 0:
        return False
    reached = surplus * sum(_weights(rows)) / len(rows)
    return reached > sum(_weights(needle.rows[visible[edge].old_start : visible[edge].old_end]))


def _seat(visible: Sequence[Pairing], needle: Needle) -> int:
    """The row of the file at which the first thing that the edit does would be done."""
    changes = needle.changes or ()
    at = changes[0].before_start if changes else 0
    after = next((pairing for pairing in visible if pairing.old_end > at and not pairing.is_added), visible[-1])
    return after.start if after.old_end > at else after.end


def _is_beside(visible: Sequence[Pairing], needle: Needle) -> bool:
    """Whether no row of which the needle says nothing lies between a row that the edit changes and a sure neighbour."""
    known = [index for index, pairing in enumerate(visible) if not pairing.is_added]
    for one, two in pairwise(known):
        before, after = visible[one], visible[two]
        is_touched = needle.touches(before.old_start, before.old_end) or needle.touches(after.old_start, after.old_end)
        if two > one + 1 and is_touched and before.likeness.is_sure and after.likeness.is_sure:
            return False
    return True


class _Tally:
    """Sums over the pairings of one place; rows without answer are held against each other until a sure row comes."""

    def __init__(self, needle: Needle, table: LineTable) -> None:
        self._needle, self._table = needle, table
        self.sure = self.alike = self.strange = self.displaced = self.repeated = 0.0
        self.sure_rows = self.unsure_rows = self.context = self.spots = self.contradicted = 0
        self._quoted_here = self._rows_here = 0  # of the stretch since the last sure row, on either side
        self.is_shifted = self.is_renamed = self._is_strange = False
        self._missing: list[str] = []
        self._added: list[str] = []
        self._lost: list[str] = []
        self._gained: list[str] = []

    def add(self, pairing: Pairing) -> None:
        """A pairing inside of the place."""
        old = self._needle.rows[pairing.old_start : pairing.old_end]
        if pairing.likeness.is_sure:
            self._add_sure(pairing, old)
            return
        self._note_unsure(old)
        self._quoted_here += len(old)
        self._rows_here += pairing.end - pairing.start
        if pairing.is_missing:
            self._missing += old
        elif pairing.is_added:
            self._added += [self._table.text(row) for row in range(pairing.start, pairing.end)]
        else:
            weight = sum(_weights(old))
            self.alike += weight * pairing.similarity
            self.strange += weight * (1 - pairing.similarity)

    def add_outside(self, pairing: Pairing) -> None:
        """A pairing beyond the ends of the place: the file has other rows there, so nothing is displaced."""
        old = self._needle.rows[pairing.old_start : pairing.old_end]
        self._note_unsure(old)
        self.contradicted += len(old)
        self.strange += sum(_weights(old))
        self._lost += old

    def close(self, *, is_inner: bool = False) -> None:
        """Hold the rows without answer since the last sure row against each other.

        Before the first sure row and behind the last one, only quoted rows are contradicted: which row of the file is
        held against them there, and so how many lie between, is chosen by what they resemble.
        """
        self.contradicted += max(self._quoted_here, self._rows_here) if is_inner else self._quoted_here
        self._quoted_here = self._rows_here = 0
        missing, added = _weights(self._missing), _weights(self._added)
        self.strange += sum(missing) + sum(added)
        surplus = abs(len(missing) - len(added))
        if surplus:  # rows in each other's place are replaced, not displaced, however long they are
            longer = missing if len(missing) > len(added) else added
            self.displaced += surplus * sum(longer) / len(longer)
        self._lost += self._missing
        self._gained += self._added
        self._missing, self._added = [], []

    def moved(self, lexer: Lexer) -> float:
        """What the rows weigh that both sides have, but not in the same order."""
        gained = {token_key(lexer, row) for row in self._gained}
        return sum(_weights(row for row in self._lost if token_key(lexer, row) in gained))

    def _add_sure(self, pairing: Pairing, old: Sequence[str]) -> None:
        self.close(is_inner=self.sure_rows > 0)
        weight = sum(_weights(old))
        self.sure += weight
        self.sure_rows += len(old)
        self.is_shifted |= indent_of(old[0]) != indent_of(self._table.text(pairing.start))
        self._is_strange = False
        if not self._needle.touches(pairing.old_start, pairing.old_end):
            self.context += len(old)
            self.repeated += weight

    def _note_unsure(self, old: Sequence[str]) -> None:
        self.spots += not self._is_strange
        self._is_strange = True
        self.unsure_rows += len(old)
        self.is_renamed |= any(map(_NAMING.match, old))


def _weights(rows: Iterable[str]) -> list[float]:
    return [weight_of(row) for row in rows]


_LOOKED = 25_000  # places of a row whose neighbours are looked at
_BESIDE = 5  # rows on either side that are looked at then
_MOST = 60  # places that are aligned
_FEW = 12  # places of one repeated row that are aligned
_CONTEXT = 4  # repeated rows that are looked up
_LONGEST = 400  # rows of a needle
_WIDEST = 160_000  # code points of the rows that are aligned
_ROUNDING = 1e-9
_TRIED = 4  # rows to be changed that are looked up

Anchor = tuple[int, int]
"""A row of the old text, and a row of the file that says the same."""


def find_anchors(source: Source, needle: Needle) -> list[Anchor] | None:
    """Rows by which every place is found that has the lines an edit changes; None where there are too many."""
    if not needle.changes or not 0 < len(needle.rows) <= _LONGEST:
        return None
    anchors = _anchors(source, needle, lexer_of(source.path))
    if anchors is None or len(anchors) > _LOOKED:
        return None
    anchors = _likely(source, needle, anchors)
    return anchors if len(anchors) <= _MOST else None


def sure_at_most(source: Source, needle: Needle, anchors: Sequence[Anchor]) -> Iterator[set[int]]:
    """The rows of the old text that can be sure at each place, found without aligning it; all that are, are among them.

    A row is sure if a row there has its tokens, and so its bare text, or if it is a part of rows that have the same
    tokens together. A blank row is none by itself and is counted with such rows.
    """
    lines = bare_lines(source)
    wanted: dict[str, list[int]] = {}
    for at, each in enumerate(needle.bare):
        wanted.setdefault(each, []).append(at)
    blank = wanted.pop("", [])
    for anchor in anchors:
        low, high = _reach(source.table, needle, anchor)
        rows = bare_rows(source.table.texts(low, high)) if lines is None else lines.rows[low:high]
        whole, joined = wanted.keys() & rows, bare("".join(rows))
        parts = [each for each in wanted if each not in whole and each in joined]
        found = {at for each in (*whole, *parts) for at in wanted[each]}
        yield found.union(blank) if parts else found


def candidates_at(source: Source, needle: Needle, anchors: Sequence[Anchor]) -> list[Candidate]:
    """The places of anchors that have the lines an edit changes, best first."""
    found: dict[int, Candidate] = {}
    for anchor in anchors:
        candidate = _candidate(source, needle, anchor)
        if candidate is not None:
            known = found.setdefault(candidate.seat, candidate)
            if (candidate.fit, candidate.similarity) > (known.fit, known.similarity):
                found[candidate.seat] = candidate
    return sorted(found.values(), key=lambda place: (-place.fit, -place.similarity, place.first))


def best_candidates(
    source: Source, needle: Needle, anchors: Sequence[Anchor], sure: Sequence[set[int]]
) -> list[Candidate]:
    """The best of the candidates at some anchors, first, and others; none is left out that is as good.

    `sure` are the rows that can be sure at each anchor. What they weigh is more than any candidate there can fit, so
    that places which cannot compete need not be aligned.
    """
    if len(anchors) < 2:
        return candidates_at(source, needle, anchors)
    weights = [weight_of(text) for text in needle.rows]
    most = [sum([weights[row] for row in rows]) for rows in sure]
    asked: set[int] = set()
    fit = 0.0
    for at in sorted(range(len(anchors)), key=lambda at: -most[at]):
        if most[at] + _ROUNDING < fit:
            break
        asked.add(at)
        candidate = _candidate(source, needle, anchors[at])
        fit = fit if candidate is None else max(fit, candidate.fit)
    return candidates_at(source, needle, [anchors[at] for at in sorted(asked)])


def least_unsure(needle: Needle, sure: Iterable[set[int]]) -> list[int]:
    """How many rows cannot be sure at places of which `sure` are those that can be: so many at least contradict."""
    visible = {row for row, text in enumerate(needle.rows) if text.strip()}
    return [len(visible - rows) for rows in sure]


def stands_out(source: Source, needle: Needle, first: int, last: int) -> bool | None:
    """Whether there is a candidate with its seat in some rows, and none elsewhere that contradicts no more.

    None: there are no candidates.
    """
    anchors = find_anchors(source, needle) or []
    near = {anchor for anchor in anchors if _reaches(source.table, needle, anchor, first, last)}
    if near and len(near) < len(anchors):
        beside = candidates_at(source, needle, [anchor for anchor in anchors if anchor in near])
        here = next((place for place in beside if first <= place.seat <= last), None)
        if here is not None:
            least = least_unsure(needle, sure_at_most(source, needle, anchors))
            pairs = zip(anchors, least, strict=True)
            asked = [anchor for anchor, count in pairs if anchor in near or count <= here.contradicted]
            if _is_alone(here, candidates_at(source, needle, asked)):
                return True
    places = candidates_at(source, needle, anchors)
    here = next((place for place in places if first <= place.seat <= last), None)
    return None if not places else here is not None and _is_alone(here, places)


def _is_alone(here: Candidate, places: Sequence[Candidate]) -> bool:
    return not any(place is not here and place.contradicted <= here.contradicted for place in places)


def _reaches(table: LineTable, needle: Needle, anchor: Anchor, first: int, last: int) -> bool:
    """Whether the rows around an anchor are among some rows, so that a seat may be."""
    low, high = _reach(table, needle, anchor)
    return low <= last and first <= high


def find_context(
    source: Source, needle: Needle, known: Candidate | None = None, above: float | None = None
) -> list[Candidate]:
    """The places that have the longest of the rows an edit merely repeats, whatever they have of those it changes.

    A place that is known already is not looked at again from each of its rows. With `above`, places are left out that
    cannot have a greater `context_fit`.
    """
    answers = frozenset[tuple[int, int]]() if known is None else known.answers
    lexer = lexer_of(source.path)
    # Of rows that are there several times one is enough: the others would crowd out rows that tell places apart.
    repeated = {text.strip(): row for row, text in enumerate(needle.rows) if text.strip() and row not in needle.changed}
    longest = sorted(repeated.values(), key=lambda row: (-len(needle.rows[row].strip()), row))[:_CONTEXT]
    anchors: list[Anchor] = []
    for row in longest:
        places = find_row(source, needle.rows[row], partial(token_key, lexer)) or ()
        anchors += [(row, at) for at in places if (row, at) not in answers] if len(places) <= _FEW else []
    if above is not None:
        weights = {row: weight_of(text) for row, text in enumerate(needle.rows) if row not in needle.changed}
        most = (sum([weights.get(row, 0.0) for row in sure]) for sure in sure_at_most(source, needle, anchors))
        anchors = [anchor for anchor, weight in zip(anchors, most, strict=True) if weight > above - _ROUNDING]
    found: dict[tuple[int, int], Candidate] = {}
    for anchor in anchors:
        candidate = _candidate(source, needle, anchor, needs_changed=False)
        if candidate is not None:
            found[candidate.first, candidate.last] = candidate
    return list(found.values())


def place_at(source: Source, needle: Needle, row: int, at: int) -> Candidate | None:
    """What speaks for the place where a row of the old text is a row of the file; None where it is too wide."""
    return _candidate(source, needle, (row, at), needs_changed=False)


def _anchors(source: Source, needle: Needle, lexer: Lexer) -> list[Anchor] | None:
    """Pairs of which every place has at least one."""
    key = partial(token_key, lexer)
    removed = [row for row in needle.changed if needle.rows[row].strip()]
    if removed:
        best: list[Anchor] | None = None
        for row in sorted(removed, key=lambda row: (-len(needle.rows[row].strip()), row))[:_TRIED]:
            places = find_row(source, needle.rows[row], key)
            if places is not None and (best is None or len(places) < len(best)):
                best = [(row, at) for at in places]
        return best
    pairs: list[Anchor] = []
    for row in _neighbours(needle):
        places = find_row(source, needle.rows[row], key)
        if places is None:
            return None
        pairs += [(row, at) for at in places]
    return pairs


def _likely(source: Source, needle: Needle, anchors: list[Anchor]) -> list[Anchor]:
    """The places around which most of the needle's rows are, where there are many: the others could not compete."""
    if len(anchors) <= _FEW:
        return anchors
    known = bare_lines(source)
    rows = source.lines if known is None else known.texts
    support = [_support(rows, needle, row, at) for row, at in anchors]
    least = max(support) / 3
    return [anchor for anchor, count in zip(anchors, support, strict=True) if count >= least]


def _support(rows: Sequence[str], needle: Needle, row: int, at: int) -> int:
    """How many of the needle's rows next to a row are next to a row of the file, in whatever order."""
    wanted = {text.strip() for text in needle.rows[max(0, row - _BESIDE) : row + _BESIDE + 1]}
    near = rows[max(0, at - _BESIDE - 2) : at + _BESIDE + 3]
    return len(wanted.intersection(map(str.strip, near)))


def _neighbours(needle: Needle) -> list[int]:
    """The rows that are not blank above and below the place of the first addition."""
    insert_row = (needle.changes or ())[0].before_start
    above = [row for row in range(insert_row) if needle.rows[row].strip()]
    below = [row for row in range(insert_row, len(needle.rows)) if needle.rows[row].strip()]
    return [*above[-1:], *below[:1]]


class _Judged:
    """What is known of the places of the needle that was asked for last: tiers and refusals look at the same ones.

    Of each place whether it has every row that the edit changes, and the candidate, as far as one was asked for.
    """

    def __init__(self, _source: Source) -> None:
        self.last: tuple[Needle, dict[Anchor, tuple[bool, Candidate | None]]] | None = None

    def places_of(self, needle: Needle) -> dict[Anchor, tuple[bool, Candidate | None]]:
        last = self.last  # read once: another thread may ask for another needle
        if last is None or last[0] != needle:
            last = self.last = needle, {}
        return last[1]


def _candidate(source: Source, needle: Needle, anchor: Anchor, *, needs_changed: bool = True) -> Candidate | None:
    """The place where a row of the needle is a row of the file.

    None where a row that the edit changes is not there, if that is needed.
    """
    judged = source.derive(_Judged).places_of(needle)
    has_changed, found = judged.get(anchor, (True, None))
    if found is None and (has_changed or not needs_changed):
        visible = _visible_at(source.table, needle, lexer_of(source.path), anchor)
        if visible is None:
            return None
        changed = (pairing for pairing in visible if needle.touches(pairing.old_start, pairing.old_end))
        has_changed = all(pairing.likeness.is_sure for pairing in changed)
        if has_changed or not needs_changed:
            found = judge(visible, needle, source.table, lexer_of(source.path))
        judged[anchor] = has_changed, found
    return found if has_changed or not needs_changed else None


def _visible_at(table: LineTable, needle: Needle, lexer: Lexer, anchor: Anchor) -> list[Pairing] | None:
    """The rows that are not blank, aligned from the anchor outwards; None where they are too long."""
    row, at = anchor
    low, high = _reach(table, needle, anchor)
    if table.span_of(low, high - 1).length > _WIDEST:
        return None
    rows = table.texts(low, high)
    above = align(needle.rows[:row][::-1], rows[: at - low][::-1], lexer)
    below = align(needle.rows[row + 1 :], rows[at - low + 1 :], lexer)
    sure = Pairing(row, row + 1, at, at + 1, likeness_of(lexer, needle.rows[row], rows[at - low]))
    turned = [pairing.turned(row, at) for pairing in reversed(above) if not pairing.is_blank]
    return [*turned, sure, *(pairing.moved(row + 1, at + 1) for pairing in below if not pairing.is_blank)]


def _reach(table: LineTable, needle: Needle, anchor: Anchor) -> tuple[int, int]:
    """The rows of the file that are looked at around an anchor: from the first to before the second."""
    row, at = anchor
    slack = max(4, len(needle.rows) // 3)
    return max(0, at - row - slack), min(table.count, at + len(needle.rows) - row + slack)


# What a place needs to be the one that is meant.

_LEAST = 0.5  # of both sides must be accounted for
_KNOWN = 0.66  # of the rows that the edit repeats must be sure, where several are not and not in one spot
_SURE = 1.0  # what the sure rows must weigh: a long line, or several short ones
_ROWS = 3  # rows that must be sure, one of them at least besides those that change
_SCATTERED = 0.8  # of both sides must be accounted for where differences are in several spots
_APART = 0.8  # of both sides must be accounted for where rows that change and their neighbours are apart
_SHIFTED = 0.9  # of both sides must be accounted for where the indentation differs as well
_BETTER = 0.05  # by how much more of what is repeated must be elsewhere for the edit to be meant for that place
_MARGIN = 0.45  # by how much the best place must fit better than the next: about half a long line
_SHOWN = 4


def find(source: Source, needle: Needle, *, apart: bool) -> Iterator[Span]:
    """The place that fits; several where they fit about as well."""
    del apart  # several finds are never several places to change
    anchors = find_anchors(source, needle)
    if not anchors:
        return
    sure = list(sure_at_most(source, needle, anchors))
    if not _can_be_good(sure, needle):
        return
    places = best_candidates(source, needle, anchors, sure)
    if not places or not _is_good(places[0], needle):
        return
    best = places[0]
    rivals = _rivals(source, needle, anchors, sure, best)
    if not rivals and is_meant_for_another(source, needle, best):
        return
    others = [place for place in rivals if place.last < best.first or place.first > best.last]
    if rivals and not others:
        return  # two readings of the same lines are not two places, and nothing says which of them is meant
    for place in (best, *others[:_SHOWN]):
        yield span_of_rows(source.table, place.first, place.last, needle.text)


def _rivals(
    source: Source, needle: Needle, anchors: Sequence[Anchor], sure: Sequence[set[int]], best: Candidate
) -> list[Candidate]:
    """The other candidates that fit about as well, best first.

    Where too many rows cannot be sure there is none, and nothing is aligned.
    """
    most = max(best.contradicted, best.unsure_rows + 1)
    may_be = [count <= most for count in least_unsure(needle, sure)]
    for asked in ([anchor for anchor, is_one in zip(anchors, may_be, strict=True) if is_one], anchors):
        places = candidates_at(source, needle, asked)
        rivals = [place for place in places if place.seat != best.seat and _is_rival(place, best)]
        if not rivals or all(may_be):
            break  # one that shares its seat with a better one is none
    return rivals


def _is_rival(place: Candidate, best: Candidate) -> bool:
    """Whether a place fits about as well: nearly as much speaks for it, and hardly more rows are not sure.

    A place that contradicts no more rows is one, however much those say: someone may have changed the row in which
    the two differed.
    """
    if place.contradicted <= best.contradicted:
        return True
    return best.fit - place.best_fit < _MARGIN and place.unsure_rows <= best.unsure_rows + 1


def is_meant_for_another(source: Source, needle: Needle, best: Candidate) -> bool:
    """Whether more of what the edit repeats is elsewhere: then the lines it changes have been changed there."""
    least = best.context_fit + _BETTER
    others = (place for place in find_context(source, needle, best, least) if place.seat != best.seat)
    return any(place.context_fit > least for place in others)


def _can_be_good(places: Iterable[set[int]], needle: Needle) -> bool:
    """Whether a place can be good of which only such rows of the old text can be sure: to align it costs far more."""
    rows = {row for row, text in enumerate(needle.rows) if text.strip()}
    least = _LEAST * len(rows - needle.changed)
    for sure in places:
        context = len(sure - needle.changed)
        if len(sure) >= _ROWS and context and (context >= least or len(rows - sure) <= 1):
            return True
    return False


def _is_good(place: Candidate, needle: Needle) -> bool:
    repeated = sum(bool(text.strip()) for row, text in enumerate(needle.rows) if row not in needle.changed)
    known = _LEAST if place.spots == 1 else _KNOWN
    is_known = place.unsure_rows <= 1 or place.context >= known * repeated
    has_context = place.context > 0 and is_known and place.sure_rows >= _ROWS
    if place.is_shifted and place.similarity < _SHIFTED:
        return False
    if place.spots > 1 and place.similarity < _SCATTERED:
        return False
    if not place.is_beside and place.similarity < _APART:
        return False
    if place.is_renamed and (place.is_shifted or place.unsure_rows > 1):
        return False
    return place.similarity >= _LEAST and place.sure >= _SURE and has_context


TIER = Tier(
    name="fuzzy",
    rank=90,
    confidence=0.9,
    summary="The lines to be changed are in the file; lines that the edit only repeats may differ.",
    find=find,
    differs=("wording",),
    matches=(
        Example(
            "def area(width):\n    # twice the width\n    size = width * 2\n    return size\n",
            "⟦def area(width):\n    # double the width\n    size = width * 2\n    return size\n⟧",
            "a.py",
            "def area(width):\n    # twice the width\n    size = width * 3\n    return size\n",
        ),
        Example(
            "import logging\nimport sys\n\nlog = logging.getLogger(__name__)\nlog.setLevel(10)",
            "⟦import logging\nimport json\n\nlog = logging.getLogger(__name__)\nlog.setLevel(10)⟧\n",
            "a.py",
            "import logging\nimport sys\n\nlog = logging.getLogger('main')\nlog.setLevel(10)",
        ),
        Example(
            "open the third file\nread all lines\nsort them all\nclose it",
            "⟦open the first file\nread all lines\nsort them all\nclose it⟧\n\n"
            "⟦open the second file\nread all lines\nsort them all\nclose it⟧\n",
            None,
            "open the third file\nread ten lines\nsort them all\nclose it",
        ),
    ),
    ignores=(
        Example("def area(width):\n    return width * 2\n", "def area(length):\n    return length * 2\n", "a.py"),
        Example("one two three", "one two four\n"),
        Example("l1 is one\nl2 is two\nl3 is three", "l1 is one!\nother\nunrelated\n"),
        Example("alpha\nbeta", "gamma\ndelta\n"),
    ),
    is_single=True,
)
