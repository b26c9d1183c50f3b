"""Places where an old text with misremembered lines may belong: those that have, for sure, the lines it changes.

An edit is made only where the lines it changes or removes stand as it quotes them, and lines it adds have a sure
neighbour. So every place that can come into question has such a line, and looking at all places of the rarest one
finds them all; the lines around it, which the edit merely repeats, then say how well each place fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from steadyhand.match.align import align
from steadyhand.match.candidate import Candidate, judge
from steadyhand.match.lexis import Lexis, lexis_of, token_key
from steadyhand.match.needle import Needle
from steadyhand.match.pairing import Pairing, likeness_of, weight_of
from steadyhand.match.rows import find_row
from steadyhand.text.lines import LineTable
from steadyhand.text.source import Source

__all__ = ["candidates_at", "find_anchors", "find_candidates", "find_context", "place_at", "sure_at_most"]

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


def find_candidates(source: Source, needle: Needle) -> list[Candidate] | None:
    """Every place that has the lines an edit changes, best first; None where there are too many to look at."""
    anchors = find_anchors(source, needle)
    return None if anchors is None else candidates_at(source, needle, anchors)


def find_anchors(source: Source, needle: Needle) -> list[Anchor] | None:
    """Rows by which every place is found that has the lines an edit changes; None where there are too many."""
    if not needle.changes or not 0 < len(needle.rows) <= _LONGEST:
        return None
    anchors = _anchors(source, needle, lexis_of(source.path))
    if anchors is None or len(anchors) > _LOOKED:
        return None
    anchors = _likely(source.table, needle, anchors)
    return anchors if len(anchors) <= _MOST else None


def sure_at_most(source: Source, needle: Needle, anchors: Sequence[Anchor]) -> Iterator[set[int]]:
    """The rows of the old text that can be sure at each place, found without aligning it; all that are, are among them.

    A row is sure if a row there has its tokens, or if it is a part of rows that have the same tokens together. A blank
    row is none by itself and is counted with such rows.
    """
    lexis, rows = lexis_of(source.path), needle.rows
    wanted = {at: token_key(lexis, text) for at, text in enumerate(rows) if text.strip()}
    blank = {at for at in range(len(rows)) if at not in wanted}
    known: dict[str, str] = {}
    for anchor in anchors:
        there = [text for text in source.table.texts(*_reach(source.table, needle, anchor)) if text.strip()]
        for text in there:
            if text not in known:
                known[text] = token_key(lexis, text)
        keys = [known[text] for text in there]
        whole, joined = set(keys), "\0".join(["", *keys, ""])
        found = {at for at, key in wanted.items() if key in whole}
        parts = {at for at, key in wanted.items() if at not in found and f"\0{key}\0" in joined}
        yield found | parts | blank if parts else found


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


def find_context(
    source: Source, needle: Needle, known: Candidate | None = None, above: float | None = None
) -> list[Candidate]:
    """The places that have the longest of the rows an edit merely repeats, whatever they have of those it changes.

    A place that is known already is not looked at again from each of its rows. With `above`, places are left out that
    cannot have a greater `context_fit`.
    """
    answers = frozenset[tuple[int, int]]() if known is None else known.answers
    lexis = lexis_of(source.path)
    # Of rows that are there several times one is enough: the others would crowd out rows that tell places apart.
    repeated = {text.strip(): row for row, text in enumerate(needle.rows) if text.strip() and row not in needle.changed}
    longest = sorted(repeated.values(), key=lambda row: (-len(needle.rows[row].strip()), row))[:_CONTEXT]
    anchors: list[Anchor] = []
    for row in longest:
        places = find_row(source, needle.rows[row], partial(token_key, lexis)) or ()
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


def _anchors(source: Source, needle: Needle, lexis: Lexis) -> list[Anchor] | None:
    """Pairs of which every place has at least one."""
    key = partial(token_key, lexis)
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


def _likely(table: LineTable, needle: Needle, anchors: list[Anchor]) -> list[Anchor]:
    """The places around which most of the needle's rows stand, where there are many: the others could not compete."""
    if len(anchors) <= _FEW:
        return anchors
    support = [_support(table, needle, row, at) for row, at in anchors]
    least = max(support) / 3
    return [anchor for anchor, count in zip(anchors, support, strict=True) if count >= least]


def _support(table: LineTable, needle: Needle, row: int, at: int) -> int:
    """How many of the needle's rows next to a row stand next to a row of the file, in whatever order."""
    wanted = {text.strip() for text in needle.rows[max(0, row - _BESIDE) : row + _BESIDE + 1]}
    near = table.texts(max(0, at - _BESIDE - 2), min(table.count, at + _BESIDE + 3))
    return len(wanted & set(map(str.strip, near)))


def _neighbours(needle: Needle) -> list[int]:
    """The rows that are not blank above and below the place of the first addition."""
    seam = (needle.changes or ())[0].before_start
    above = [row for row in range(seam) if needle.rows[row].strip()]
    below = [row for row in range(seam, len(needle.rows)) if needle.rows[row].strip()]
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

    None where a row that the edit changes does not stand there, if that is needed.
    """
    judged = source.derive(_Judged).places_of(needle)
    has_changed, found = judged.get(anchor, (True, None))
    if found is None and (has_changed or not needs_changed):
        visible = _visible_at(source.table, needle, lexis_of(source.path), anchor)
        if visible is None:
            return None
        has_changed = _has_changed(visible, needle)
        if has_changed or not needs_changed:
            found = judge(visible, needle, source.table, lexis_of(source.path))
        judged[anchor] = has_changed, found
    return found if has_changed or not needs_changed else None


def _visible_at(table: LineTable, needle: Needle, lexis: Lexis, anchor: Anchor) -> list[Pairing] | None:
    """The rows that are not blank, aligned from the anchor outwards; None where they are too long."""
    row, at = anchor
    low, high = _reach(table, needle, anchor)
    if table.span_of(low, high - 1).length > _WIDEST:
        return None
    rows = table.texts(low, high)
    above = align(needle.rows[:row][::-1], rows[: at - low][::-1], lexis)
    below = align(needle.rows[row + 1 :], rows[at - low + 1 :], lexis)
    sure = Pairing(row, row + 1, at, at + 1, likeness_of(lexis, needle.rows[row], rows[at - low]))
    turned = [pairing.turned(row, at) for pairing in reversed(above)]
    pairings = [*turned, sure, *(pairing.moved(row + 1, at + 1) for pairing in below)]
    return [pairing for pairing in pairings if not pairing.is_blank]


def _reach(table: LineTable, needle: Needle, anchor: Anchor) -> tuple[int, int]:
    """The rows of the file that are looked at around an anchor: from the first to before the second."""
    row, at = anchor
    slack = max(4, len(needle.rows) // 3)
    return max(0, at - row - slack), min(table.count, at + len(needle.rows) - row + slack)


def _has_changed(visible: Sequence[Pairing], needle: Needle) -> bool:
    """Whether every row that the edit changes stands there."""
    changed = (pairing for pairing in visible if needle.touches(pairing.old_start, pairing.old_end))
    return all(pairing.likeness.is_sure for pairing in changed)
