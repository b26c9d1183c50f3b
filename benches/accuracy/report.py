"""Counts as text for people and as JSON for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from benches.accuracy.contestants import OURS, Standing
from benches.accuracy.floors import Broken
from benches.accuracy.question import KINDS, Kind
from benches.accuracy.replies import Agreement, Pair, by_parsed_category, pairs_of
from benches.accuracy.score import OFFER_SCORES, SCORES
from benches.accuracy.tally import OFFERED, Count, OfferCount, by_category, not_asked, slowest, spreads_of, sums_of
from benches.accuracy.ways import WITHOUT

_SIGNS = {"near": "~", "refused": "-", "wrong": "✗", "crash": "†"}
_LEGEND = "a number alone: correct; ~ near, - refused, ✗ wrong, † crash"
_PAIRS = (
    "gained: correct only as a whole reply; lost: correct only when taken apart; newly wrong: only as a whole reply"
)
_SPREAD = (
    "a rule made for one case lifts one half or one category; categories of five cases or more;\n"
    "alone, without: the lowest category, and all cases but those; spread: standard deviation over categories;\n"
    "behind: categories that are five points or more below all others"
)
_LEFT_OUT = (
    "over all cases, also those that must be refused; a rule without which nothing changes here is not needed here"
)
_BY_POLICY = "by policy: not the usual answer, but what the policy asks for; see benches/accuracy/score.py"
_OFFERS = "right: it gave what the edit means; again: it was refused again; see benches/accuracy/score.py"
_KINDS: dict[Kind, str] = {"ops": "old and new texts", "diff": "diffs", "snippet": "snippets", "reply": "replies"}


def render(standings: Sequence[Standing], ways: Sequence[Standing], absent: Mapping[str, str]) -> str:
    """The categories of each kind of case, whole replies, the sums, the other ways to ask, and what was not run."""
    tables = [_categories(standings, kind) for kind in KINDS]
    replies = [_replies(standing.name, pairs_of(standing)) for standing in standings]
    remarks = "\n".join(_remarks(standings, absent)) + "\n"
    ours = [standing for standing in standings if standing.name == OURS]
    left_out = [way for way in ways if way.name.startswith(WITHOUT)]
    ways = [way for way in ways if way not in left_out]
    others = [_spread(ours), _without(ours, left_out), _ways(ours, ways), _offers(ours, ways)]
    return "\n".join(filter(None, [*tables, *replies, _sums(standings), *others, remarks]))


def _spread(ours: Sequence[Standing]) -> str:
    """How even the figures are: in two halves, made by the ids, and with each category left out."""
    figures = "cases", "correct", "first half", "second half", "lowest category", "alone", "without", "spread", "behind"
    rows = [["Steadyhand, sum", *figures]]
    for standing in ours:
        for name, spread in spreads_of(standing).items():
            shares = [f"{share:.1%}" for share in (spread.share, *spread.halves)]
            lowest = [f"{share:.1%}" for share in (spread.lowest_share, spread.rest_share, spread.deviation)]
            rows.append([name, f"{spread.cases:,}", *shares, spread.lowest, *lowest, str(spread.behind)])
    if len(rows) == 1:
        return ""
    return f"How even it is\n{_SPREAD}\n\n{_aligned(rows, right={1, 2, 3, 4, 6, 7, 8, 9})}"


def _without(ours: Sequence[Standing], left_out: Sequence[Standing]) -> str:
    """What becomes of all cases when one rule is left out."""
    if not left_out or not ours:
        return ""
    usual = {verdict.case.id: verdict.score for verdict in ours[0].verdicts}
    rows = [["rule left out", "no longer correct", "newly correct", "newly wrong", "categories that lose"]]
    for standing in left_out:
        lost = [v for v in standing.verdicts if usual[v.case.id] == "correct" != v.score]
        gained = sum(v.score == "correct" != usual[v.case.id] for v in standing.verdicts)
        wrong = sum(
            v.score in ("wrong", "crash") and usual[v.case.id] not in ("wrong", "crash") for v in standing.verdicts
        )
        most = Counter(verdict.case.category for verdict in lost).most_common(3)
        names = ", ".join(f"{name} {number}" for name, number in most)
        rows.append([standing.name.removeprefix(WITHOUT), f"{len(lost):,}", f"{gained:,}", f"{wrong:,}", names])
    return f"Without one rule\n{_LEFT_OUT}\n\n{_aligned(rows, right={1, 2, 3})}"


def _ways(ours: Sequence[Standing], ways: Sequence[Standing]) -> str:
    """Cases that must be applied and cases that must be refused, in every way in which Steadyhand was asked."""
    if not ways:
        return ""
    rows = [["asked", "must", "cases", *SCORES, "by policy", "share correct"]]
    for standing in (*ours, *ways):
        for must in ("apply", "refuse"):
            count = Count.over(v for v in standing.verdicts if v.case.must_apply == (must == "apply"))
            figures = _figures(count)
            rows.append([standing.name, must, *figures[:-1], f"{count.how['by policy']:,}", figures[-1]])
    table = _aligned(rows, right=set(range(2, 10)))
    return f"Steadyhand under other policies and through its tools\n{_BY_POLICY}\n\n{table}"


def _offers(ours: Sequence[Standing], ways: Sequence[Standing]) -> str:
    rows = [["asked", "offered", "made", *OFFER_SCORES]]
    for standing in (*ours, *ways):
        count = OfferCount.over(standing.verdicts)
        for what in OFFERED:
            figures = count.figures(what)
            if figures["made"]:
                rows.append([standing.name, what, *(f"{figure:,}" for figure in figures.values())])
    if len(rows) == 1:
        return ""
    return f"What refusals offer, sent as it is\n{_OFFERS}\n\n{_aligned(rows, right=set(range(2, 6)))}"


def _categories(standings: Sequence[Standing], kind: Kind) -> str:
    """Those who take such cases side by side; a reply that was asked as something else too has a table of its own."""
    counted = [(standing.name, by_category(standing, kind)) for standing in standings]
    tables = [(name, table) for name, table in counted if table]
    paired = {pair.reply.case.category for standing in standings for pair in pairs_of(standing)}
    names = [name for name in dict.fromkeys(name for _, table in tables for name in table) if name not in paired]
    if not names:
        return ""
    rows = [["category", "cases", *(name for name, _ in tables)]]
    for name in names:
        counts = [table.get(name, Count()) for _, table in tables]
        rows.append([name, f"{max(count.cases for count in counts):,}", *map(_cell, counts)])
    return f"By category: {_KINDS[kind]}\n{_LEGEND}\n\n{_aligned(rows, right={1})}"


def _replies(name: str, pairs: Sequence[Pair]) -> str:
    if not pairs:
        return ""
    rows = [["category", "cases", "taken apart", "whole reply", "same answer", "gained", "lost", "newly wrong"]]
    groups = by_parsed_category(pairs)
    for category, group in [*groups.items(), ("in all", list(pairs))]:
        counts = [Count.over(pair.parsed for pair in group), Count.over(pair.reply for pair in group)]
        found = Agreement.over(group)
        figures = [f"{figure:,}" for figure in (found.same, found.gained, found.lost, found.newly_wrong)]
        rows.append([category, f"{found.cases:,}", *map(_cell, counts), *figures])
    title = f"Whole replies: {name} asked twice, with the reply taken apart already and with all of it"
    return f"{title}\n{_PAIRS}\n\n{_aligned(rows, right={1, 4, 5, 6, 7})}"


def _cell(count: Count) -> str:
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
        if kinds := not_asked(standing):
            yield "  not asked: " + ", ".join(f"{number:,} {_KINDS[kind]}" for kind, number in kinds.items())  # type: ignore[index]
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


def to_json(
    standings: Sequence[Standing], ways: Sequence[Standing], absent: Mapping[str, str], broken: Sequence[Broken]
) -> dict[str, object]:
    return {
        "contestants": list(map(_standing, standings)),
        "ways": list(map(_standing, ways)),
        "not_measured": dict(absent),
        "broken_floors": [{"floor": item.floor, "what": item.what} for item in broken],
    }


def _standing(standing: Standing) -> dict[str, object]:
    return {
        "name": standing.name,
        "version": standing.version,
        "categories": {name: count.to_json() for name, count in by_category(standing).items()},
        "spreads": {name: asdict(spread) for name, spread in spreads_of(standing).items()},
        "sums": {name: count.to_json() for name, count in sums_of(standing).items()},
        "replies": asdict(Agreement.over(pairs_of(standing))),
        "offers": OfferCount.over(standing.verdicts).to_json(),
        "not_asked": not_asked(standing),
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
