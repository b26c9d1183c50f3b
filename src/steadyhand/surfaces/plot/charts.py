"""What the statistics show, once for every surface: a few figures, then charts of bars. Knows no output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from steadyhand.lazy import dataclass
from steadyhand.surfaces.terminal import counted, shown_time

if TYPE_CHECKING:
    from steadyhand.session.statistics import Statistics, Tally

__all__ = ["Bar", "Chart", "Figure", "charts_of", "figures_of", "percent", "span_of"]

Role = Literal["good", "bad", "plain"]
_MOST = 12


@dataclass(frozen=True, slots=True)
class Figure:
    """One number in words, and what it is made of; `share` from 0 to 1 where it is one."""

    name: str
    value: str
    remark: str = ""
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of one or more parts, one behind the other."""

    label: str
    parts: tuple[tuple[Role, int], ...]
    remark: str = ""

    @property
    def total(self) -> int:
        return sum(value for _, value in self.parts)


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars on one scale. `legend` names the parts, where there are several."""

    title: str
    bars: tuple[Bar, ...]
    legend: tuple[tuple[Role, str], ...] = ()

    @property
    def longest(self) -> int:
        return max((bar.total for bar in self.bars), default=0)


def span_of(found: Statistics) -> str:
    """From when to when calls were counted, and what is missing."""
    damaged = f"; {counted(found.damaged, 'row')} of the journal could not be read" if found.damaged else ""
    if found.first_time is None or found.last_time is None:
        return f"no calls recorded{damaged}"
    return f"{shown_time(found.first_time)} to {shown_time(found.last_time)} (UTC){damaged}"


def figures_of(found: Statistics) -> list[Figure]:
    """The figures that stand above the charts."""
    total = found.total
    edited, rewritten = total.ways["edited"], total.ways["rewritten"]
    return [
        Figure("calls", f"{total.calls:,}", f"{total.applied:,} applied, {total.refused:,} refused"),
        Figure(
            "first try",
            percent(total.first_rate),
            f"{total.first_applied:,} of {total.first:,} files, by the first call of a conversation about each",
            total.first_rate,
        ),
        Figure(
            "edits",
            percent(total.edit_share),
            f"{edited:,} edited, {rewritten:,} written as a whole; {total.ways['created']:,} created",
            total.edit_share,
        ),
        Figure(
            "retries", f"{total.retries:,}", f"{found.recovered:,} went through in the end, {found.given_up:,} never"
        ),
        Figure("undone", f"{found.undone:,}", "records that were taken back"),
    ]


def charts_of(found: Statistics) -> list[Chart]:
    """The charts, without those that would be empty."""
    ends: tuple[tuple[Role, str], ...] = (("good", "applied"), ("bad", "refused"))
    charts = [
        Chart("Calls by tool", _tallies(found.tools), ends),
        Chart("Calls by model", _tallies(found.models), ends),
        Chart("Calls by file type", _tallies(found.types), ends),
        Chart("Edits by the tier that found their place", _counts(found.tiers, "good")),
        Chart("Refusals by kind", _counts(found.refusals, "bad")),
        Chart("Files by how they were changed", _counts(found.total.ways, "plain")),
    ]
    return [chart for chart in charts if chart.bars]


def percent(share: float | None) -> str:
    """A share for people.

    >>> percent(0.8733), percent(1.0), percent(None)
    ('87.3 %', '100 %', 'none')
    """
    if share is None:
        return "none"
    shown = f"{share * 100:.1f}"
    # What is not all must not look like all, nor what is something like nothing.
    near = {"100.0": "99.9", "0.0": "0.1"}.get(shown, shown) if 0 < share < 1 else shown
    return f"{near.removesuffix('.0')} %"


def _tallies(tallies: Mapping[str, Tally]) -> tuple[Bar, ...]:
    from steadyhand.session.statistics import by_calls

    return _cut([Bar(name, (("good", t.applied), ("bad", t.refused)), _remark(t)) for name, t in by_calls(tallies)])


def _remark(tally: Tally) -> str:
    retries = f", {tally.retries:,} retried" if tally.retries else ""
    return f"first try {percent(tally.first_rate)}{retries}" if tally.first else ""


def _counts(counts: Mapping[str, int], role: Role) -> tuple[Bar, ...]:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return _cut([Bar(name, ((role, number),)) for name, number in ordered if number])


def _cut(bars: Sequence[Bar]) -> tuple[Bar, ...]:
    """The longest bars; the rest as one."""
    if len(bars) <= _MOST:
        return tuple(bars)
    kept, rest = bars[: _MOST - 1], bars[_MOST - 1 :]
    sums: dict[Role, int] = {}
    for role, value in (part for bar in rest for part in bar.parts):
        sums[role] = sums.get(role, 0) + value
    return (*kept, Bar(f"({len(rest):,} others)", tuple(sums.items())))
