"""The lines of a large file that exact edits are about: they are planned there, and the plan is one of the whole file.

Nothing but the lines around a place matters to an edit whose old text is in the file once, character for character. So
only these are decoded; the others are copied as bytes. Whatever asks more than that is planned in the whole text:
several places, an address, tolerance, other line endings than LF, every refusal. An excerpt never refuses anything.

`tests/plan/test_excerpt.py` compares both ways on edits drawn at random.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final, NamedTuple

from steadyhand.lazy import dataclass, replace
from steadyhand.plan.edit import Act, Edit, Insert, Old, Replace
from steadyhand.plan.guards import unchecked, usual_guards
from steadyhand.plan.planner import Outcome, Plan
from steadyhand.plan.policy import Policy
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.large import LargeSource
from steadyhand.text.source import Source

_AROUND: Final = 1 << 16  # bytes before and behind a place, at least
_FEW: Final = 16  # edits; more of them are looked for together, in one pass over the text
_PART: Final = 8  # an excerpt that is more than this part of the file is not worth it
_GUARD: Final = "syntax"  # looks at the whole file, unless that is too large for it


class _Stretch(NamedTuple):
    """Whole lines of the file: where they start in it and in the excerpt, in code points and in rows."""

    start: int
    row: int
    start_here: int
    row_here: int


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Some edits for some lines of a file, as they are to be planned there."""

    source: Source
    edits: tuple[Edit, ...]
    policy: Policy
    _whole: LargeSource
    _stretches: tuple[_Stretch, ...]
    _wants_syntax: bool

    def widened(self, plan: Plan) -> Plan | None:
        """A plan for the excerpt as one for the file; None where the file itself has to be asked."""
        if not plan.ok or not all(map(_is_plain, plan.outcomes)):
            return None
        splices = [splice.shift(self._moved(splice.start)) for splice in plan.changes.splices]
        after = self._whole.apply(ChangeSet(tuple(splices)))
        warnings = plan.warnings
        if self._wants_syntax:
            said = unchecked(self._whole.path, after.length)
            if said is None:
                return None
            warnings += said
        starts = [splice.start for splice in plan.changes.splices]
        outcomes = tuple(self._numbered(outcome, starts[outcome.splices[0]]) for outcome in plan.outcomes)
        proofs = tuple((edit, span.shift(self._moved(span.start))) for edit, span in plan.proofs)
        return replace(
            plan, outcomes=outcomes, changes=ChangeSet(tuple(splices)), after=after, warnings=warnings, proofs=proofs
        )

    def _stretch_at(self, offset: int) -> _Stretch:
        return self._stretches[bisect_right(self._stretches, offset, key=lambda stretch: stretch.start_here) - 1]

    def _moved(self, offset: int) -> int:
        """By how much an offset of the excerpt is another in the file."""
        stretch = self._stretch_at(offset)
        return stretch.start - stretch.start_here

    def _numbered(self, outcome: Outcome, start: int) -> Outcome:
        """The outcome with its lines as the file numbers them."""
        assert outcome.lines is not None
        stretch = self._stretch_at(start)
        first, last = (line + stretch.row - stretch.row_here for line in outcome.lines)
        return replace(outcome, lines=(first, last))


def excerpt_of(source: LargeSource, edits: Sequence[Edit], policy: Policy, around: int = _AROUND) -> Excerpt | None:
    """What some edits have to see of a file; None where that may be all of it."""
    if policy.occurrence != "unique" or not 0 < len(edits) < _FEW or b"\r" in source.data:
        return None
    places: list[tuple[int, int]] = []
    for edit in edits:
        place = _place_of(source, edit, around)
        if place is None:
            return None
        places.append(place)
    parts = _lines_around(source, places)
    if sum(end - start for start, end in parts) * _PART > len(source.data):
        return None
    text = "".join([source.data[start:end].decode() for start, end in parts])
    stretches = _stretches(source, parts)
    moved = [_with_line(edit, source, place, stretches, parts) for edit, place in zip(edits, places, strict=True)]
    sent = [edit for edit in moved if edit is not None and _is_once(text, edit)]
    if len(sent) < len(edits):
        return None
    wanted = usual_guards() if policy.guards is None else policy.guards
    rules = replace(policy, guards=wanted - {_GUARD})
    here = Source(text, source.encoding, source.path)
    return Excerpt(here, tuple(sent), rules, source, stretches, _GUARD in wanted)


def _place_of(source: LargeSource, edit: Edit, around: int) -> tuple[int, int] | None:
    """The bytes that an edit may look at around the one place of its old text; None where it may look further."""
    old = edit.target
    if isinstance(edit, Act) or not isinstance(old, Old) or not old.text or old.under or old.at_end:
        return None
    expected = None if isinstance(edit, Insert) else edit.expected
    if edit.occurrence is not None or expected not in (None, 1) or "\r" in edit.text or "\r" in old.text:
        return None
    data = source.data
    try:
        needle = old.text.encode()
    except UnicodeEncodeError:
        return None
    at = data.find(needle, len(source.encoding.mark))
    if at < 0 or data.find(needle, at + 1) >= 0:
        return None
    before = data[at - 1 : at] if at > len(source.encoding.mark) else b""
    if before in (b" ", b"\t") and not (_is_bare(old.text) and _is_bare(edit.text)):
        return None  # the indentation of the first line may be meant
    behind = data[at + len(needle) : at + len(needle) + 1]
    if old.fit != "free" and not (before in (b"", b"\n") and _is_ended(source, edit, needle, behind)):
        return None
    wide = around + len(needle) + 4 * len(edit.text)
    return at - wide, at + len(needle) + wide


def _is_ended(source: LargeSource, edit: Edit, needle: bytes, behind: bytes) -> bool:
    """Whether old text ends where a line does, and is that line and no other for all that a patch may mean by it."""
    if needle.endswith(b"\n"):
        return source.data.endswith(b"\n")  # else the last line, without an ending, may be the same as this
    is_last = isinstance(edit, Replace) and edit.signs is not None  # in a patch, nothing else has no ending
    return behind in (b"", b"\n") and not is_last


def _lines_around(source: LargeSource, places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The whole lines that some bytes are in, in order and apart."""
    data, first = source.data, len(source.encoding.mark)
    parts: list[tuple[int, int]] = []
    for low, high in sorted(places):
        start = max(data.rfind(b"\n", first, max(low, first)) + 1, first)
        end = data.find(b"\n", high) + 1 if high < len(data) else 0
        end = end or len(data)
        if parts and start <= parts[-1][1]:
            parts[-1] = parts[-1][0], max(end, parts[-1][1])
        else:
            parts.append((start, end))
    return parts


def _stretches(source: LargeSource, parts: Sequence[tuple[int, int]]) -> tuple[_Stretch, ...]:
    stretches: list[_Stretch] = []
    start_here = row_here = 0
    for start, end in parts:
        offset, row = source.offset_of(start), source.lines_before(start)
        stretches.append(_Stretch(offset, row, start_here, row_here))
        start_here += source.offset_of(end) - offset
        row_here += source.data.count(b"\n", start, end)
    return tuple(stretches)


def _with_line(
    edit: Edit,
    source: LargeSource,
    place: tuple[int, int],
    stretches: Sequence[_Stretch],
    parts: Sequence[tuple[int, int]],
) -> Edit | None:
    """The edit with the line that it names numbered as in the excerpt; None where that is not around its place."""
    old = edit.target
    if isinstance(edit, Act) or not isinstance(old, Old) or old.line is None:
        return edit
    stretch, (start, end) = next(
        pair for pair in zip(stretches, parts, strict=True) if place[0] < pair[1][1] and pair[1][0] < place[1]
    )
    if not stretch.row < old.line <= stretch.row + source.data.count(b"\n", start, end):
        return None
    return replace(edit, target=replace(old, line=old.line - stretch.row + stretch.row_here))


def _is_once(text: str, edit: Edit) -> bool:
    """Whether old text is in the excerpt once: lines that others are left out between may look like it."""
    assert isinstance(edit.target, Old)
    at = text.find(edit.target.text)
    return at >= 0 and text.find(edit.target.text, at + 1) < 0


def _is_bare(text: str) -> bool:
    """Whether a text is one row, or a part of one, without blanks around it."""
    return text.strip() == text != "" and "\n" not in text


def _is_plain(outcome: Outcome) -> bool:
    is_found = outcome.applied and outcome.tier == "exact" and outcome.lines is not None and bool(outcome.splices)
    return is_found and not outcome.others and not outcome.more_others and not outcome.notes
