"""A snippet brought into a file: its literal runs are placed, what its marks represent is kept.

Pure, and never raises: a snippet that cannot be merged with certainty is an outcome with its refusal. A mark never
comes into the file, and nothing that the snippet does not show is ever taken away at the file's ends.

What placed runs change becomes edits of whole lines; what they repeat stays as the file has it. A row is kept if it
says the same and is indented as the run is indented in the file. A row that differs in the blanks inside it is kept
as the file has it, unless all such rows of the run are beside what changes: then they were lined up with it, and the
snippet means it. Blank rows are believed only where the snippet shows that it has them as the file has them: a model
that drops blank lines does not ask to delete them. Rows that vanish with little in their place were more often
forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from steadyhand.errors import EditError
from steadyhand.lazy import dataclass, lazy_pattern, replace
from steadyhand.match.lexer import lexer_of
from steadyhand.match.tier import tier_named
from steadyhand.plan import refusals
from steadyhand.plan.edit import Delete, Edit, Insert, Replace
from steadyhand.plan.planner import Outcome, Plan, plan
from steadyhand.plan.policy import Policy
from steadyhand.plan.snippet_rows import Refusals, VisibleRows, key_of, likeness, read_snippet
from steadyhand.plan.snippet_runs import Placed, find_rival, place_runs
from steadyhand.structure.lines import Lines
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.diff import equal_pairs
from steadyhand.text.indent import indent_of
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source

_FEW = 6  # lines that are missing at one end of a snippet which may be meant as the whole file
# Languages in which a row that is only indented otherwise still says the same.
_FREE = frozenset("c css dart go hcl java javascript json lua markup php ruby shell sql swift toml".split())


def plan_merge(
    source: Source, snippet: str, policy: Policy, *, path: str | None = None, reason: str | None = None
) -> Plan:
    """What a snippet would make of a file. All of it or nothing, whatever the policy says of parts.

    >>> source = Source.of_text("a = 1\\nbeta = 2\\ncopy = 3\\ndelta = 4\\n")
    >>> plan_merge(source, "# ...\\nbeta = 2\\ncopy = 5\\ndelta = 4\\n", Policy()).after.text
    'a = 1\\nbeta = 2\\ncopy = 5\\ndelta = 4\\n'
    """
    name = path or "the text"
    try:
        if source.is_binary:
            raise refusals.not_text(name)
        edits, tier = _edits(source, snippet, policy, name)
    except EditError as error:
        return _refused(source, error, path, reason)
    made = plan(source, edits, replace(policy, batch="snapshot", partial=False), path=path, reason=reason)
    if tier == "exact" and not _holds(made.after, snippet):
        tier = "whitespace"  # blank lines that the snippet has otherwise stay as the file has them
    return replace(made, outcomes=tuple(_with_tier(outcome, tier) for outcome in made.outcomes))


def _edits(source: Source, snippet: str, policy: Policy, name: str) -> tuple[list[Edit], str]:
    """The edits, and the tier that overlooks what had to be overlooked."""
    lexer, found = lexer_of(source.path), read_snippet(snippet)
    if not found.runs:
        raise refusals.no_change(name, "the snippet has no line that says something")
    key = key_of(policy, lexer)
    file = VisibleRows(source.lines, key)
    refuse = Refusals(name, source, file)
    if not len(file) and not found.has_marks:
        return [_filled(source, snippet)], "exact"
    placed = place_runs(file, found.runs, key, refuse)
    if not found.has_marks and len(placed) == 1:
        _check_extent(placed[0], file, refuse)
    edits = edits_of(placed, file, refuse, is_sensitive=lexer.name not in _FREE)
    if not edits:
        raise refusals.no_change(name, "every line of the snippet is in the file already")
    return edits, "elision" if found.has_marks else _tier(placed, file)


def _holds(after: Source, snippet: str) -> bool:
    """Whether the lines of a snippet are in a text as they are."""
    wanted = "\n".join(split_bodies(snippet)).strip("\n")
    return wanted in "\n".join(after.lines)


def _check_extent(placed: Placed, file: VisibleRows, refuse: Refusals) -> None:
    """Without marks, a file but for a few lines at one end may be the file or a part of it."""
    missing = placed.start + len(file) - placed.end
    if (placed.start == 0) != (placed.end == len(file)) and missing <= min(_FEW, len(file) // 4):
        raise refuse.cut_off(placed.run, placed.start, placed.end)


def _filled(source: Source, snippet: str) -> Edit:
    """A file without a word in it becomes the snippet."""
    text = "".join(f"{row}\n" for row in split_bodies(snippet))
    if not source.text:
        return Insert(Lines(1, 0), text, where="before")
    return Replace(Lines(1, source.line_count), text)


def _tier(placed: Sequence[Placed], file: VisibleRows) -> str:
    pairs = [(run.rows.texts[row], file.texts[place]) for run in placed for row, place in kept_of(run, file)]
    if all(ours == theirs for ours, theirs in pairs):
        return "exact"
    return "whitespace" if all(ours.split() == theirs.split() for ours, theirs in pairs) else "typography"


def _with_tier(outcome: Outcome, tier: str) -> Outcome:
    """The outcome of an edit by lines, with how the lines were found."""
    if not outcome.applied:
        return outcome
    known = tier_named(tier)
    return replace(outcome, tier=tier, confidence=known.confidence, differs=known.differs)


def _refused(source: Source, error: EditError, path: str | None, reason: str | None) -> Plan:
    facts: dict[str, object] = {"index": 0} if path is None else {"index": 0, "path": path}
    outcome = Outcome(0, applied=False, path=path, reason=reason, error=error.with_details(**facts))
    return Plan(False, (outcome,), ChangeSet(), (), source)


_LEFT_OUT = 4  # rows that may go with nothing in their place
_SHRUNK = 6  # rows by which a run may be shorter than what it replaces, or a twentieth of it
_ALIKE = 0.6  # rows less alike than this are not versions of each other
_COMPARED = 200  # rows of a gap that are compared
_COMMENT = lazy_pattern(r"(?:#|//|/\*|<!--|--|;|%|\*|\{/\*|\.\.)(?!\[)")
_DOTS = lazy_pattern(r"\.{3}|…")
_KEPT = lazy_pattern(r"\b(?:existing|unchanged|remain\w*|rest|omitted|previous|unmodified|same)\b", re.I)
_SAYING = 80  # characters of a row that may only say that others stay


def edits_of(placed: Sequence[Placed], file: VisibleRows, refuse: Refusals, *, is_sensitive: bool) -> list[Edit]:
    """The edits that make every run what it says, top to bottom. `is_sensitive`: indentation means something."""
    gaps = [list(gaps_of(run, file, kept_of(run, file))) for run in placed]
    blanks = _Blanks([gap for some in gaps for gap in some if not gap.has_change])
    has_blanks = any(text and not text.strip() for text in file.all)
    edits: list[Edit] = []
    for run, some in zip(placed, gaps, strict=True):
        _check_run(run, some, file, refuse)
        for gap in some:
            if gap.has_change:
                writer = _Writer(run, file, gap, refuse, has_blanks=has_blanks)
                edits.extend(writer.edits(blanks, is_sensitive=is_sensitive))
    return edits


def _check_run(placed: Placed, gaps: Sequence[Gap], file: VisibleRows, refuse: Refusals) -> None:
    """Refuse a run that may as well belong elsewhere, leaves much out, or is mostly new and indented otherwise."""
    rival = find_rival(placed, file)
    if rival is not None:
        raise refuse.rival(placed.run, sorted({placed.start, rival}))
    for gap in gaps:
        if gap.old and not gap.new and _may_be_border(placed, gap, file):
            raise refuse.left_out(placed.run, gap.new, gap.old)
    shrunk = [gap for gap in gaps if len(gap.old) > len(gap.new)]
    if sum(len(gap.old) - len(gap.new) for gap in shrunk) > max(_SHRUNK, len(placed.rows) // 20):
        most = max(shrunk, key=lambda gap: len(gap.old) - len(gap.new))
        raise refuse.left_out(placed.run, most.new, most.old)
    new = [row for gap in gaps for row in gap.new]
    pairs = [(pair.before, placed.carried(pair.before, pair.row)) for pair in placed.carried.pairs]
    is_moved = any(before != after for before, after in pairs)
    has_other = any(("\t" in before) != ("\t" in (after or "")) for before, after in pairs)
    if is_moved and (4 if has_other else 2) * len(new) > len(placed.rows):
        raise refuse.indent(placed.run, placed.rows.numbers[new[0]])


def _may_be_border(placed: Placed, gap: Gap, file: VisibleRows) -> bool:
    """Whether rows go right below the first row of a run, or right above its last, that may be what it was before."""
    texts, at, last = placed.rows.texts, gap.new.start, len(placed.rows) - 1
    is_first = at == 1 and likeness(texts[0], file.texts[gap.old.stop - 1]) >= _ALIKE
    return is_first or (at == last and likeness(texts[last], file.texts[gap.old.start]) >= _ALIKE)


class _Blanks:
    """How the snippet has the blank rows between rows that it keeps: as the file has them, or otherwise."""

    def __init__(self, gaps: Sequence[Gap]) -> None:
        self.is_noisy = any(len(gap.ours) != len(gap.theirs) for gap in gaps)
        self.is_faithful = not self.is_noisy and any(gap.ours for gap in gaps)


class _Writer:
    """One gap."""

    def __init__(self, placed: Placed, file: VisibleRows, gap: Gap, refuse: Refusals, *, has_blanks: bool) -> None:
        self._placed, self._file, self._gap, self._refuse = placed, file, gap, refuse
        self._has_blanks = has_blanks
        self._new = [placed.rows.texts[row].strip() for row in gap.new]
        self._old = [file.texts[place].strip() for place in gap.old]

    def edits(self, blanks: _Blanks, *, is_sensitive: bool) -> Iterator[Edit]:
        """The edit for the gap; none where rows only are at another indentation by accident."""
        gap, rows = self._gap, self._placed.rows
        if self._new == self._old:
            if is_sensitive:
                raise self._refuse.reindented(self._placed.run, rows.numbers[gap.new.start], gap.old.start)
            return
        self._check_left_out()
        ours, theirs = self._extent(blanks)
        yield _edit(theirs, list(self._written(ours)))

    def _check_left_out(self) -> None:
        """Refuse rows that only say that others stay, and too many that go with too little in their place."""
        for row, text in zip(self._gap.new, self._new, strict=True):
            if len(text) <= _SAYING and _DOTS.search(text) and _KEPT.search(text) and text not in self._old:
                raise self._refuse.mark(self._placed.run, self._placed.rows.numbers[row])
        alike = _count_alike(self._old, self._new)
        gone, come = len(self._old) - alike, len(self._new) - alike
        says_little = (
            bool(self._new) and all(map(_COMMENT.match, self._new)) and not all(map(_COMMENT.match, self._old))
        )
        if gone > come and (gone - come / 2 > _LEFT_OUT or (says_little and gone > 1)):
            raise self._refuse.left_out(self._placed.run, self._gap.new, self._gap.old)

    def _extent(self, blanks: _Blanks) -> tuple[range, range]:
        """The rows of the snippet that come and those of the file that go, with or without blank ones at the ends."""
        gap = self._gap
        ours, theirs = _body(gap.ours, gap.new, self._placed.rows), _body(gap.theirs, gap.old, self._file)
        lead, trail = ours.start - gap.ours.start, gap.ours.stop - ours.stop
        above, below = theirs.start - gap.theirs.start, gap.theirs.stop - theirs.stop
        if (lead, trail) == (above, below):
            return ours, theirs
        if blanks.is_faithful:
            return gap.ours, gap.theirs
        if gap.new and gap.old:
            if len(gap.new) == len(gap.old):
                return ours, theirs
            is_shown = lead >= above and trail >= below and not blanks.is_noisy
        elif gap.new:
            is_shown = not gap.theirs or (lead + trail >= len(gap.theirs) and not blanks.is_noisy)
        else:
            is_shown = not (above and below) and not gap.ours
        if not is_shown:
            raise self._refuse.blanks(self._placed.run, gap.ours.start, gap.theirs.start)
        return gap.ours, gap.theirs

    def _written(self, ours: range) -> Iterator[str]:
        """The rows as the file would have them: at its indentation."""
        rows, gap = self._placed.rows, self._gap
        visible = dict(zip((rows.numbers[row] for row in gap.new), gap.new, strict=True))
        for number in ours:
            row = visible.get(number)
            if row is None:
                yield rows.all[number] if self._has_blanks else ""
                continue
            indent = self._placed.carried(indent_of(rows.texts[row]), row)
            if indent is None:
                raise self._refuse.indent(self._placed.run, number)
            yield indent + rows.texts[row].lstrip(" \t")


def _count_alike(old: Sequence[str], new: Sequence[str]) -> int:
    """How many rows go on with other words, in their order."""
    rest = iter(old[:_COMPARED])
    return sum(any(likeness(row, other) >= _ALIKE for other in rest) for row in new[:_COMPARED])


def _body(extent: range, visible: range, rows: VisibleRows) -> range:
    """The extent without the blank rows at its ends; its end where all are blank."""
    if not visible:
        return range(extent.stop, extent.stop)
    return range(rows.numbers[visible.start], rows.numbers[visible.stop - 1] + 1)


def _edit(theirs: range, rows: Sequence[str]) -> Edit:
    text = "".join(f"{row}\n" for row in rows)
    lines = Lines(theirs.start + 1, theirs.stop)
    if not theirs:
        return Insert(lines, text, where="before")
    return Replace(lines, text) if rows else Delete(lines)


Kept = tuple[int, int]  # a row of the run and its place in the file, both among the rows that are not blank


@dataclass(frozen=True, slots=True)
class Gap:
    """What is between two kept rows.

    `ours` and `theirs` are rows of the run and of the file, blank ones at their ends too; `new` and `old` those among
    them that are not blank, by their number among such rows.
    """

    ours: range
    theirs: range
    new: range
    old: range

    @property
    def has_change(self) -> bool:
        return bool(self.new) or bool(self.old)


def kept_of(placed: Placed, file: VisibleRows) -> list[Kept]:
    """The rows of a run that stay as the file has them."""
    rows, start = placed.rows, placed.start
    ours = [f"{_indent(placed, row)}\0{key}" for row, key in enumerate(rows.keys)]
    theirs = [f"{indent_of(file.texts[at])}\0{file.keys[at]}" for at in range(start, placed.end)]
    kept = [(row, start + at) for row, at in equal_pairs(ours, theirs)]
    loose = {pair for pair in kept if _is_loose(rows.texts[pair[0]], file.texts[pair[1]])}
    if loose and loose <= _beside_changes(placed, kept, loose):
        return [pair for pair in kept if pair not in loose]
    return kept


def _indent(placed: Placed, row: int) -> str:
    """The indentation of a row of the run in the file; a sign of its own where there is no telling."""
    found = placed.carried(indent_of(placed.rows.texts[row]), row)
    return "?" if found is None else found


def _is_loose(one: str, two: str) -> bool:
    """Whether two rows that say the same differ in the blanks between their words."""
    one, two = one.strip(), two.strip()
    return one != two and one.split() == two.split()


def _beside_changes(placed: Placed, kept: Sequence[Kept], loose: set[Kept]) -> set[Kept]:
    """Of some kept rows those that a change is right before or right behind, or only others of them in between."""
    found: set[Kept] = set()
    for pairs, step, border in (
        (kept, 1, (-1, placed.start - 1)),
        (kept[::-1], -1, (len(placed.rows), placed.end)),
    ):
        last, is_beside = border, False
        for pair in pairs:
            is_joined = pair == (last[0] + step, last[1] + step)
            is_beside = pair in loose and (is_beside or not is_joined)
            if is_beside:
                found.add(pair)
            last = pair
    return found


def gaps_of(placed: Placed, file: VisibleRows, kept: Sequence[Kept]) -> Iterator[Gap]:
    """The gaps of a run from its top, also those in which only blank rows differ or nothing at all."""
    row, place = 0, placed.start
    for next_row, next_place in [*kept, (len(placed.rows), placed.end)]:
        yield _gap(placed, file, range(row, next_row), range(place, next_place))
        row, place = next_row + 1, next_place + 1


def _gap(placed: Placed, file: VisibleRows, new: range, old: range) -> Gap:
    rows, start, end = placed.rows, placed.start, placed.end
    ours = range(
        rows.numbers[new.start - 1] + 1 if new.start else 0,
        rows.numbers[new.stop] if new.stop < len(rows) else len(rows.all),
    )
    first = file.numbers[old.start - 1] + 1 if old.start > start else file.numbers[start]
    last = file.numbers[old.stop] if old.stop < end else file.numbers[end - 1] + 1
    return Gap(ours, range(first, max(first, last)), new, old)
