"""Two changes of one text joined: by lines, by the tokens of a line, or so that one of them has the last word.

Changes that touch each other conflict, even if they are only adjacent, as in git; equal changes are taken once.
A token (a number, a version, a name) is never put together from both sides: that would be a value nobody wrote.
Nothing here writes conflict marks; where two versions disagree the merged text keeps ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, groupby, pairwise

from steadyhand.lazy import dataclass
from steadyhand.text.changeset import ChangeSet, Clash
from steadyhand.text.diff import Change, diff_rows
from steadyhand.text.lines import split_lines, starts_line
from steadyhand.text.region import Region, region_of
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice
from steadyhand.text.visible import sized
from steadyhand.text.words import WINDOW, split_tokens, token_around

Reach = Callable[[str, Splice], Span]


@sized("base", "ours", "theirs")
@dataclass(frozen=True, slots=True)
class MergeConflict:
    """One place where the two versions disagree: what each of the three says, and where (1-based lines).

    `span` is where ours is in the merged text. An empty side says that those lines are not there.
    """

    base: str
    ours: str
    theirs: str
    base_line: int
    ours_line: int
    theirs_line: int
    span: Span


@sized("text")
@dataclass(frozen=True, slots=True)
class Merge:
    """The joined text and what could not be joined; ours is in the text where there is a conflict."""

    text: str
    conflicts: tuple[MergeConflict, ...] = ()

    @property
    def is_clean(self) -> bool:
        return not self.conflicts


def merge3(base: str, ours: str, theirs: str) -> Merge:
    """Both changes in one text.

    >>> merge3("a\\nb\\nc\\n", "A\\nb\\nc\\n", "a\\nb\\nC\\n").text
    'A\\nb\\nC\\n'
    >>> merge3("a\\n", "b\\n", "c\\n").conflicts[0].theirs
    'c\\n'
    """
    if ours in (base, theirs):
        return Merge(theirs)
    if theirs == base:
        return Merge(ours)
    return _Merger(split_lines(base), split_lines(ours), split_lines(theirs)).merge()


def rebased(version: Source, mine: ChangeSet, since: ChangeSet) -> ChangeSet | Clash:
    """A change made for `version`, moved over what happened since; a clash where both concern the same lines of it.

    >>> mine, theirs = ChangeSet((Splice(2, "b", "B"),)), ChangeSet((Splice(0, "", "x\\n"),))
    >>> rebased(Source.of_text("a\\nb\\n"), mine, theirs).apply("x\\na\\nb\\n")
    'x\\na\\nB\\n'
    """
    own, theirs = (_by_region(version, side) for side in (mine, since))
    pairs: list[tuple[Splice, Splice]] = []
    first = 0
    for here, one in own:
        while first < len(theirs) and theirs[first][0].end < here.start:
            first += 1
        for there, two in theirs[first:]:
            if there.start > here.end:
                break
            if here.meets(there) or there.meets(here):
                pairs.append((one, two))
    return Clash(tuple(pairs)) if pairs else mine.rebase(since)


def _by_region(version: Source, changes: ChangeSet) -> list[tuple[Region, Splice]]:
    return [(region_of(version, splice), splice) for splice in changes.splices]


def joined(version: Source, mine: ChangeSet, theirs: ChangeSet) -> ChangeSet | Clash:
    """What brings `theirs` into the text after `mine`, both made for `version`; what both did is done once.

    >>> both = ChangeSet((Splice(0, "a\\n", "A\\n"),))
    >>> joined(Source.of_text("a\\nb\\n"), both, both.compose(ChangeSet((Splice(2, "b\\n", ""),)))).apply("A\\nb\\n")
    'A\\n'
    """
    # What both did would clash with itself. Mine has it already, so it is left out of both sides and only moves theirs.
    same = set(mine.splices) & set(theirs.splices)
    if not same:
        clash = rebased(version, mine, theirs)
        return clash if isinstance(clash, Clash) else theirs.rebase(mine)
    own, others = (ChangeSet(tuple(each for each in side.splices if each not in same)) for side in (mine, theirs))
    found = rebased(version, own, others)
    if isinstance(found, Clash):
        return found
    kept = others.rebase(own)
    shared = ChangeSet(tuple(each for each in mine.splices if each in same)).rebase(own)
    if isinstance(kept, Clash) or isinstance(shared, Clash):
        return kept if isinstance(kept, Clash) else Clash(())
    return kept.rebase(shared)


def merge_tokens(base: str, ours: str, theirs: str) -> str | None:
    """Both changes in one text; None where they touch each other, or the same token.

    >>> merge_tokens("x = add(a, b)", "x = add(a, b, c)", "y = add(a, b)")
    'y = add(a, b, c)'
    >>> merge_tokens("v = 1.2.3", "v = 1.3.3", "v = 1.2.4") is None
    True
    """
    sides = [split_tokens(side) for side in (base, ours, theirs)]
    merged = _Merger(*sides).merge()
    # Two changes may be apart and yet make one token of what is between them.
    is_known = set(split_tokens(merged.text)) <= {token for side in sides for token in side}
    return merged.text if merged.is_clean and is_known else None


def mixes(text: str, mine: Splice, theirs: Splice) -> bool:
    """Whether a splice of `text` would leave there a token, or words side by side, that two changes have a part in.

    `theirs` takes back what somebody else has changed in the text. Not so where the splice replaces all of that, where
    it begins and ends with whole lines, or where something is between the two.
    """
    own, other = (_part(text, splice, 0, _reach, is_mine=splice is mine) for splice in (mine, theirs))
    edges = [edge for edge in (mine.start, mine.end) if other.reach.start <= edge <= other.reach.end]
    return _meet(text, own, other) and not all(_is_boundary(text, edge, other.reach) for edge in edges)


def _is_boundary(text: str, edge: int, reach: Span) -> bool:
    is_line_end = edge == len(text) or text[edge] in "\r\n"
    return starts_line(text, edge) or (is_line_end and not reach.is_empty)


@dataclass(frozen=True, slots=True)
class Overwritten:
    """A splice of the text after theirs, the splice of mine that it starts with, and those of theirs it replaces."""

    splice: Splice
    mine: int
    theirs: tuple[int, ...] = ()


def overwrite(text: str, mine: ChangeSet, theirs: ChangeSet) -> list[Overwritten]:
    """`mine` for the text after `theirs`, both made for `text`: where they meet, mine replaces theirs.

    Only the tokens that both have a part in are replaced, and lines that mine puts in replace nothing.

    >>> overwrite("c = 3", ChangeSet((Splice(4, "3", "4"),)), ChangeSet((Splice(5, "", "0"),)))[0].splice.old
    '30'
    """
    present = theirs.apply(text)
    done = _overwritten(text, present, mine, theirs, _reach)
    is_apart = all(one.splice.end <= two.splice.start for one, two in pairwise(done))
    if is_apart and not _makes_tokens(text, present, mine, theirs, done):
        return done
    return _overwritten(text, present, mine, theirs, _whole_lines)  # what is between two changes is of both


def _makes_tokens(text: str, present: str, mine: ChangeSet, theirs: ChangeSet, done: Sequence[Overwritten]) -> bool:
    """Whether a token where one of the splices starts or ends is in none of the texts that it is made of.

    Only the rows there are looked at: everywhere else the text is as one of the two left it.
    """
    meant, back = mine.apply(text), theirs.invert()
    changes = ChangeSet(tuple(each.splice for each in done))
    after = changes.apply(present)
    for splice, span in zip(changes.splices, changes.after_spans(), strict=True):
        known: set[str] = set()
        for assoc, edge in ((-1, splice.start), (1, splice.end)):
            before = back.map_position(edge, assoc=assoc)
            sides = (text, before), (present, edge), (meant, mine.map_position(before, assoc=assoc))
            known.update(token for side, at in sides for token in split_tokens(_rows_around(side, at)))
        if not all(known.issuperset(_tokens_at(after, edge)) for edge in span):
            return True
    return False


def _rows_around(text: str, offset: int) -> str:
    """The row at an offset, and the one before it where the row starts there; of long rows what is near."""
    start = max(text.rfind("\n", max(offset - WINDOW, 0), max(offset - 1, 0)) + 1, offset - WINDOW, 0)
    end = text.find("\n", offset, offset + WINDOW)
    return text[start : end + 1 if end >= 0 else offset + WINDOW]


def _tokens_at(text: str, offset: int) -> Iterator[str]:
    """The tokens that a position is in or beside."""
    start = token_around(text, Span(max(offset - 1, 0), offset)).start
    end = token_around(text, Span(offset, min(offset + 1, len(text)))).end
    yield from split_tokens(text[start:end])


def _overwritten(text: str, present: str, mine: ChangeSet, theirs: ChangeSet, reach: Reach) -> list[Overwritten]:
    parts = [*_parts(text, mine, reach, is_mine=True), *_parts(text, theirs, reach, is_mine=False)]
    done: list[Overwritten] = []
    delta = 0
    for group in _groups(text, sorted(parts, key=lambda part: _rank(text, part))):
        span = Span(min(part.reach.start for part in group), max(part.reach.end for part in group))
        written = [part for part in group if part.is_mine]
        others = ChangeSet.of(part.splice for part in group if not part.is_mine)
        # Lines that are only put in replace nothing: they go beside whatever theirs made of the place.
        if others and all(part.puts_lines_in for part in written):
            for part in written:
                at = others.map_position(part.splice.start) + delta
                splice = _between_lines(present, at, part.splice.new, is_before=part.is_before(text))
                done.append(Overwritten(splice, part.number))
        elif written:
            there = _replaced(text, span, others)
            new = _replaced(text, span, ChangeSet.of(part.splice for part in written))
            gone = tuple(dict.fromkeys(part.number for part in group if not part.is_mine))
            if new != there:
                done.append(Overwritten(Splice(span.start + delta, there, new), written[0].number, gone))
        delta += others.delta
    return sorted(done, key=lambda each: each.splice.span)


@dataclass(frozen=True, slots=True)
class _Part:
    """A row of a splice with the tokens it has a part in, and which splice of whose it is."""

    reach: Span
    splice: Splice
    puts_lines_in: bool
    number: int
    is_mine: bool

    def is_before(self, text: str) -> bool:
        """Whether lines that are put in come before the line that starts there, not behind one that ends."""
        return starts_line(text, self.splice.start)


def _parts(text: str, side: ChangeSet, reach: Reach, *, is_mine: bool) -> Iterator[_Part]:
    """The parts of one side in order.

    What it inserts at one place is one part, so that its order stays, unless it is lines each time.
    """
    rows = [(row.trim(), number) for number, splice in enumerate(side.splices) for row in by_rows(splice)]
    for span, found in groupby(rows, key=lambda row: row[0].span):
        same = list(found)
        if len(same) > 1 and not all(_puts_lines_in(text, splice) for splice, _ in same):
            same = [(Splice(span.start, "", "".join(splice.new for splice, _ in same)), same[0][1])]
        for splice, number in same:
            yield _part(text, splice, number, reach, is_mine=is_mine)


def _part(text: str, splice: Splice, number: int, reach: Reach, *, is_mine: bool) -> _Part:
    trimmed = splice.trim()
    return _Part(reach(text, trimmed), trimmed, _puts_lines_in(text, trimmed), number, is_mine)


def _rank(text: str, part: _Part) -> tuple[int, int, bool]:
    """The order of parts; at one place lines come before what starts there and behind what ends there."""
    if part.puts_lines_in:
        rank = 0 if part.is_before(text) else 2
    else:
        rank = 1 if part.reach.is_empty else 3
    return part.reach.start, rank, part.is_mine


def by_rows(splice: Splice) -> list[Splice]:
    """A splice that replaces lines by as many, line by line; any other as it is."""
    old, new = split_lines(splice.old), split_lines(splice.new)
    if len(old) != len(new):
        return [splice]
    starts = accumulate(map(len, old), initial=splice.start)
    return [Splice(*row) for row in zip(starts, old, new, strict=False) if row[1] != row[2]]


def _reach(text: str, splice: Splice) -> Span:
    """What a splice replaces, with the tokens that it changes a part of or joins something to."""
    start, end = splice.span
    before = token_around(text, splice.span)
    head = text[max(start - WINDOW, 0) : start]
    written = Span(len(head), len(head) + len(splice.new))
    after = token_around(head + splice.new + text[end : end + WINDOW], written)
    left, right = written.start - after.start, after.end - written.end
    return Span(min(before.start, start - left), max(before.end, end + right))


def _whole_lines(text: str, splice: Splice) -> Span:
    if _puts_lines_in(text, splice):
        return splice.span
    start, end = splice.span
    while not starts_line(text, start):
        start -= 1
    while end < len(text) and text[end] not in "\r\n":
        end += 1
    return Span(start, end)


def _puts_lines_in(text: str, splice: Splice) -> bool:
    at, new = splice.start, splice.new
    if splice.old:
        return False
    if starts_line(text, at):
        return new.endswith(("\n", "\r"))
    return new.startswith(("\n", "\r")) and (at == len(text) or text[at] in "\r\n")


def _between_lines(text: str, at: int, new: str, *, is_before: bool) -> Splice:
    """Lines that are put in before a line, or behind one, for a place that may have come to be inside a line."""
    if not is_before:
        while at < len(text) and text[at] not in "\r\n":
            at += 1
        return Splice(at, "", new)
    while at < len(text) and not starts_line(text, at):
        at += 1
    if not starts_line(text, at):  # the last line has no ending: theirs comes first
        ending = "\r\n" if new.endswith("\r\n") else new[-1]
        new = ending + new.removesuffix(ending)
    return Splice(at, "", new)


def _meet(text: str, left: _Part, right: _Part) -> bool:
    """Whether two splices reach for the same characters, or are side by side in one line."""
    if left.reach.overlaps(right.reach) or not left.reach.touches(right.reach):
        return left.reach.overlaps(right.reach)
    first, second = sorted((left, right), key=lambda part: part.reach)
    if first.puts_lines_in:
        return not first.is_before(text) and _takes_line_end(second.splice)
    if first.reach.is_empty or not starts_line(text, first.reach.end):
        return not second.puts_lines_in
    return not _keeps_line_end(text, first)


def _takes_line_end(splice: Splice) -> bool:
    """Whether a splice that starts where a line ends joins it to the next."""
    return splice.old.startswith(("\n", "\r")) and not splice.new.startswith(("\n", "\r"))


def _keeps_line_end(text: str, part: _Part) -> bool:
    """Whether what follows a splice that ends with a line still starts one."""
    splice = part.splice
    if part.reach.end > splice.end or not splice.new:
        return part.reach.end > splice.end or starts_line(text, splice.start)
    return splice.new.endswith(("\n", "\r"))


def _groups(text: str, parts: Sequence[_Part]) -> Iterator[list[_Part]]:
    """Parts that meet, directly or through others; sorted by where they start."""
    group: list[_Part] = []
    end = 0
    for part in parts:
        if group and (part.reach.start < end or any(_meet(text, part, other) for other in reversed(group))):
            group.append(part)
            end = max(end, part.reach.end)
            continue
        if group:
            yield group
        group, end = [part], part.reach.end
    if group:
        yield group


def _replaced(text: str, span: Span, changes: ChangeSet) -> str:
    return ChangeSet(tuple(splice.shift(-span.start) for splice in changes.splices)).apply(span.of(text))


@dataclass(frozen=True, slots=True)
class _Region:
    """Base rows that at least one side changed, and the rows each side has there."""

    base: tuple[int, int]
    ours: tuple[int, int]
    theirs: tuple[int, int]


class _Merger:
    """Walks the changed regions once and copies the base between them."""

    def __init__(self, base: list[str], ours: list[str], theirs: list[str]) -> None:
        self._base, self._ours, self._theirs = base, ours, theirs
        self._pieces: list[str] = []
        self._length = 0
        self._conflicts: list[MergeConflict] = []

    def merge(self) -> Merge:
        row = 0
        for region in _regions(diff_rows(self._base, self._ours), diff_rows(self._base, self._theirs)):
            self._add("".join(self._base[row : region.base[0]]))
            self._join(region)
            row = region.base[1]
        self._add("".join(self._base[row:]))
        return Merge("".join(self._pieces), tuple(self._conflicts))

    def _join(self, region: _Region) -> None:
        base = _text(self._base, region.base)
        ours = _text(self._ours, region.ours)
        theirs = _text(self._theirs, region.theirs)
        if ours == base:
            self._add(theirs)
        elif theirs in (base, ours):
            self._add(ours)
        else:
            span = Span(self._length, self._length + len(ours))
            lines = (region.base[0] + 1, region.ours[0] + 1, region.theirs[0] + 1)
            self._conflicts.append(MergeConflict(base, ours, theirs, *lines, span))
            self._add(ours)

    def _add(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)


def _text(rows: list[str], bounds: tuple[int, int]) -> str:
    return "".join(rows[bounds[0] : bounds[1]])


def _regions(ours: Sequence[Change], theirs: Sequence[Change]) -> Iterator[_Region]:
    """The changes of both sides, those that touch joined into one region."""
    mine = yours = 0  # how far each side has been read
    shift_mine = shift_yours = 0  # by how much its rows have moved
    while mine < len(ours) or yours < len(theirs):
        start = end = min(
            side[index].before_start for side, index in ((ours, mine), (theirs, yours)) if index < len(side)
        )
        before_mine, before_yours = shift_mine, shift_yours
        grown = True
        while grown:
            grown = False
            if mine < len(ours) and ours[mine].before_start <= end:
                end = max(end, ours[mine].before_end)
                shift_mine = ours[mine].after_end - ours[mine].before_end
                mine, grown = mine + 1, True
            if yours < len(theirs) and theirs[yours].before_start <= end:
                end = max(end, theirs[yours].before_end)
                shift_yours = theirs[yours].after_end - theirs[yours].before_end
                yours, grown = yours + 1, True
        yield _Region((start, end), (start + before_mine, end + shift_mine), (start + before_yours, end + shift_yours))
