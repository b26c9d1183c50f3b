"""Operations that put one passage of text in the place of another: their form, their edits, how a refusal is worded.

How a passage may be found is said by four names; only one that is there, but for blanks, may be replaced at several
places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from steadyhand.errors import EditError, Kind
from steadyhand.hints import ExpectCount, Hint, Say
from steadyhand.lazy import dataclass
from steadyhand.match.tier import step_names
from steadyhand.plan.edit import Replace
from steadyhand.plan.outcome import Outcome
from steadyhand.schema import Field, Number, Object, Text
from steadyhand.text.lines import split_bodies
from steadyhand.text.nearest import find_nearest
from steadyhand.text.source import Source
from steadyhand.text.visible import clip, sized
from steadyhand.tools.fields import REASON, reason_of
from steadyhand.tools.offers import Offer, offering

__all__ = ["LIKE_ENOUGH", "PASSAGE_OPERATION", "TIERS", "PassageOperation", "operation_of", "passage_operations"]

# How the engine's tiers are named here.
TIERS: Mapping[str, str] = {
    "exact": "exact",
    "newline": "exact",
    "repair": "whitespace",
    "whitespace": "whitespace",
    "typography": "whitespace",
    "token": "token",
    "elision": "token",
    "fuzzy": "fuzzy",
}
_LAXEST_OF_SEVERAL = "typography"
_LAXEST_BUT_LIKENESS = "elision"
LIKE_ENOUGH = 0.85
_PLACED = frozenset(
    {Kind.NO_MATCH, Kind.AMBIGUOUS_MATCH, Kind.LOW_CONFIDENCE, Kind.COUNT_MISMATCH, Kind.DRIFT_CONFLICT}
)
_LISTED = frozenset({"nearest", "candidates"})  # details of a refusal whose message lists places
_SHOWN = _LISTED | {"actual"}  # and of one that shows anything of the file
_WIDEST = 160
_LONGEST = 2_000

PASSAGE_OPERATION = Object(
    (
        Field("search", Text(), "Exact text from the file.", required=True),
        Field("replace", Text(), "What takes its place, literally; empty deletes.", required=True),
        Field("expectedReplacements", Number(least=1), "How many places must match; all of them change. Usually 1."),
        REASON,
    ),
    gone=(("replace_all", "send expectedReplacements, the number of places, to change all of them"),),
)


@sized("search")
@dataclass(frozen=True, slots=True, eq=False)
class PassageOperation:
    """One operation of a call; `expected` is the number of places that it names, if it does."""

    index: int
    count: int
    edit: Replace
    search: str
    expected: int | None

    def tier(self, laxest: str | None, *, by_likeness: bool) -> str | None:
        """The laxest tier that its text may be found at, of those up to `laxest`."""
        own = _LAXEST_OF_SEVERAL if self.expected not in (None, 1) else None if by_likeness else _LAXEST_BUT_LIKENESS
        known = step_names()
        return min(filter(None, (laxest, own)), key=known.index, default=None)

    def likeness(self, outcome: Outcome, before: Source) -> float | None:
        """How like its text the place is, character for character, where it was found by that; else None."""
        if outcome.tier != "fuzzy":
            return None
        alike = outcome.similarity or 0.0
        if alike >= LIKE_ENOUGH:  # lines that pair badly may still be much the same text
            return alike
        return max([alike, *(place.similarity for place in find_nearest(before, self.search, limit=1))])

    def best_match(self, error: EditError, source: Source) -> dict[str, object] | None:
        """The place that comes nearest, where the refusal is about places and may show the file."""
        if error.kind not in _PLACED or not _SHOWN & set(error.details):
            return None
        found = find_nearest(source, self.search, limit=1)
        if not found:
            return None
        text = found[0].span.of(source.text)
        alike = found[0].similarity if text == self.search else min(found[0].similarity, 0.999)
        return {"text": clip(text, width=_LONGEST), "similarity": round(alike, 3), "line": found[0].first_line}

    def explained(self, error: EditError, file: str, best: Mapping[str, object] | None) -> EditError:
        """The refusal with what was searched for, and how near the best match comes where it does not say so itself."""
        rows = [f"operation {self.index + 1}/{self.count} failed on {file}: {error.message}"]
        if "nearest" not in error.details or "\n" in self.search.strip():  # else it is quoted beside the nearest place
            rows.append(f"  searched for: {_short(self.search)}")
        if best is not None and not _LISTED & set(error.details):
            alike = min(cast("float", best["similarity"]), 0.99)
            rows.append(f"  best match: {alike:.0%} alike, line {best['line']}")
        details = offering(error, operation_of) | {"index": self.index}
        return EditError(self._kind(error), "\n".join(rows), hint=self._hints(error), details=details)

    def _kind(self, error: EditError) -> Kind:
        """Of a text that occurs in more places than the operation names, the count is what is wrong."""
        is_miscount = error.kind is Kind.AMBIGUOUS_MATCH and error.details.get("tier") != "fuzzy"
        return Kind.COUNT_MISMATCH if is_miscount and self.expected is not None else error.kind

    def _hints(self, error: EditError) -> Sequence[Hint]:
        if error.kind not in (Kind.AMBIGUOUS_MATCH, Kind.COUNT_MISMATCH):
            return error.hints
        total, tier = error.details.get("total"), TIERS.get(str(error.details.get("tier")))
        more = "add more of the surrounding text to search and replace"
        candidates = error.details.get("candidates")
        if isinstance(candidates, list) and any("corrected" in each for each in candidates):
            more += " (`corrected` of its candidate in the details is that operation)"
        is_counted = error.kind is Kind.COUNT_MISMATCH or not _can_overlap(self.search)  # places that overlap are not
        if tier in ("exact", "whitespace") and is_counted and error.details.get("total_is_exact", True):
            return Say(more), ExpectCount(cast("int", total))
        return (Say(more),)


def operation_of(offer: Offer) -> dict[str, object]:
    """An edit that is offered, as an operation of this form."""
    return {"search": offer.old, "replace": offer.new}


def passage_operations(given: object) -> tuple[PassageOperation, ...]:
    """The operations of an argument; none where it is absent."""
    each = cast("Sequence[Mapping[str, object]]", given or ())
    return tuple(_operation(fields, index, len(each)) for index, fields in enumerate(each))


def _operation(fields: Mapping[str, object], index: int, count: int) -> PassageOperation:
    search, expected = str(fields["search"]), cast("int | None", fields.get("expectedReplacements"))
    edit = Replace(
        search,
        str(fields["replace"]),
        expected=None if expected == 1 else expected,  # one place may also be found by likeness, a count may not
        reason=reason_of(fields),
    )
    return PassageOperation(index, count, edit, search, expected)


def _can_overlap(text: str) -> bool:
    """Whether two places of a text may share characters: it begins as it ends.

    >>> _can_overlap("abab"), _can_overlap("abc")
    (True, False)
    """
    return any(text.startswith(text[at:]) for at in range(max(len(text) - _LONGEST, 1), len(text)))


def _short(text: str) -> str:
    """The first line of a text, cut where it is long, and how many more there are."""
    rows = split_bodies(text.strip("\r\n")) or [""]
    first = rows[0] if len(rows[0]) <= _WIDEST else f"{rows[0][:_WIDEST]}…"
    return first if len(rows) == 1 else f"{first} … (and {len(rows) - 1} more lines)"
