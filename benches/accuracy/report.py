"""Counts as text for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from benches.accuracy.contestants import Standing
from benches.accuracy.floors import Broken
from benches.accuracy.score import SCORES
from benches.accuracy.tally import Count, by_category, not_yet, slowest, sums_of

_SIGNS = {"near": "~", "refused": "-", "wrong": "✗", "crash": "†"}
_LEGEND = "a number alone: correct; ~ near, - refused, ✗ wrong, † crash"


def render(standings: Sequence[Standing], absent: Mapping[str, str]) -> str:
    """The categories, the sums, and what was not run."""
    sections = [_categories(standings), _sums(standings), "\n".join(_remarks(standings, absent)) + "\n"]
    return "\n".join(sections)


def _categories(standings: Sequence[Standing]) -> str:
    tables = [by_category(standing) for standing in standings]
    names = list(dict.fromkeys(name for table in tables for name in table))
    rows = [["category", "cases", *(standing.name for standing in standings)]]
    for name in names:
        counts = [table.get(name) for table in tables]
        cases = max(count.cases for count in counts if count is not None)
        rows.append([name, f"{cases:,}", *map(_cell, counts)])
    return f"By category\n{_LEGEND}\n\n{_aligned(rows, right={1})}"


def _cell(count: Count | None) -> str:
    if count is None:
        return "not yet"
    signs = (f"{sign}{count.of[score]}" for score, sign in _SIGNS.items() if count.of[score])  # type: ignore[index]
    return " ".join([str(count.of["correct"]), *signs])


def _sums(standings: Sequence[Standing]) -> str:
    rows = [["sum", "who", "cases", *SCORES, "share correct"]]
    sums = [(standing.name, sums_of(standing)) for standing in standings]
    for name in dict.fromkeys(name for _, counts in sums for name in counts):
        for who, counts in sums:
            if name in counts:
                rows.append([name, who, *_figures(counts[name])])
    return f"Sums\n\n{_aligned(rows, right=set(range(2, 9)))}"


def _figures(count: Count) -> list[str]:
    return [f"{count.cases:,}", *(f"{count.of[score]:,}" for score in SCORES), f"{count.correct_share:.1%}"]


def _remarks(standings: Sequence[Standing], absent: Mapping[str, str]) -> Iterator[str]:
    for standing in standings:
        yield f"{standing.name}: {standing.version}"
        how = Count.over(standing.verdicts).how
        if how["no-op"] or how["partial"]:
            yield (
                f"  of its wrong answers {how['no-op']} say applied and left the file as it was,"
                f" {how['partial']} say refused and left it changed"
            )
        if kinds := not_yet(standing):
            yield "  not yet: " + ", ".join(f"{number:,} with only a {kind}" for kind, number in kinds.items())
        if (slow := slowest(standing)) is not None:
            yield f"  slowest answer: {slow.answer.seconds * 1e3:.0f} ms, {slow.case.id}"
    for name, reason in absent.items():
        yield f"{name}: not measured: {reason}"


def render_broken(broken: Sequence[Broken]) -> str:
    """Which floors do not hold, one a line."""
    if not broken:
        return "every floor holds\n"
    count = "1 floor is" if len(broken) == 1 else f"{len(broken)} floors are"
    lines = [f"{count} broken:", *(f"  {item.floor}: {item.what}" for item in broken)]
    return "\n".join(lines) + "\n"


def to_json(standings: Sequence[Standing], absent: Mapping[str, str], broken: Sequence[Broken]) -> dict[str, object]:
    return {
        "contestants": [
            {
                "name": standing.name,
                "version": standing.version,
                "categories": {name: count.to_json() for name, count in by_category(standing).items()},
                "sums": {name: count.to_json() for name, count in sums_of(standing).items()},
                "not_yet": not_yet(standing),
            }
            for standing in standings
        ],
        "not_measured": dict(absent),
        "broken_floors": [{"floor": item.floor, "what": item.what} for item in broken],
    }


def _aligned(rows: Sequence[Sequence[str]], *, right: set[int]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    rule = ["-" * width for width in widths]
    lines = []
    for row in (rows[0], rule, *rows[1:]):
        cells = (
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"
