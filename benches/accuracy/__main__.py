"""`python -m benches.accuracy`: every case to every contestant, and what came of it; progress goes to standard error.

Exit code 0: measured, or there are no cases here. 1: `--check`, and a floor is broken. 2: the cases asked for are not
there or cannot be read.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from benches.accuracy.cases import Case, CasesError, load_cases
from benches.accuracy.contestants import OURS, Contestant, Standing, contestants, run_cases, ways_to_ask, ways_without
from benches.accuracy.floors import Broken, check_floors, check_ways, read_floors
from benches.accuracy.misquote import make_cases
from benches.accuracy.progress import Progress
from benches.accuracy.report import render, render_broken, to_json
from benches.accuracy.study import STUDIED, write_studies
from benches.accuracy.tally import find_standing
from benches.peers import Unavailable

_HOME = Path(__file__).resolve().parent.parent.parent
_CASES = _HOME.parent / "shared" / "cases"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure as the options say."""
    options = _parser().parse_args(arguments)
    try:
        if options.misquotes:
            cases = make_cases(options.misquotes, options.seed, only=options.only or ())
        else:
            cases = load_cases(options.cases or _CASES, options.only or ())
    except CasesError as error:
        _tell(f"no cases: {error}" + ("" if options.cases else "; --cases names another folder"))
        return 2 if options.cases else 0
    if not cases:
        _tell("no cases: none is of a category or has an id that --only names")
        return 2
    options.folder.mkdir(parents=True, exist_ok=True)
    standings, absent = _measure(cases, options, contestants(with_peers=not options.no_peers))
    ways, _ = _measure(cases, options, () if options.policies is None else ways_to_ask(options.policies))
    left_out, _ = _measure(cases, options, () if options.without is None else ways_without(options.without))
    ours = find_standing(standings, OURS)
    broken = (
        [*check_floors(read_floors(), ours, standings), *check_ways([ours, *ways])]
        if ours is not None
        else [Broken(OURS, absent[OURS])]
    )
    if options.json:
        print(json.dumps(to_json(standings, [*ways, *left_out], absent, broken), indent=1))
    else:
        print(render(standings, [*ways, *left_out], absent))
        print(render_broken(broken), end="")
    for standing in filter(None, [ours, *ways]):
        folder = options.folder if standing is ours else options.folder / standing.name.replace(" ", "_")
        for score, number in write_studies(folder, standing.verdicts, options.study).items():
            if number or standing is ours:
                where = f", each in a folder beneath {folder / score}" if number else ""
                _tell(f"{'' if standing is ours else f'{standing.name}: '}{number} {score}{where}")
    return 1 if options.check and broken else 0


def _measure(
    cases: Sequence[Case], options: argparse.Namespace, asked: Sequence[Contestant]
) -> tuple[list[Standing], dict[str, str]]:
    """Who came up and how it did; who did not, and why."""
    standings: list[Standing] = []
    absent: dict[str, str] = {}
    for contestant in asked:
        try:
            standings.append(
                run_cases(
                    contestant,
                    cases,
                    folder=options.folder,
                    jobs=options.jobs,
                    limit=options.limit,
                    tell=Progress(contestant.name),
                )
            )
        except Unavailable as reason:
            absent[contestant.name] = str(reason)
    return standings, absent


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benches.accuracy", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--cases", type=Path, metavar="DIR", help="folder of cases (default: ../shared/cases)")
    parser.add_argument("--misquotes", type=int, metavar="N", help="N cases made at random from real files instead")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the random cases (default: 0)")
    parser.add_argument("--only", nargs="+", metavar="CATEGORY", help="some categories, or ids of cases")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes per contestant")
    parser.add_argument("--limit", type=float, default=20.0, metavar="SECONDS", help="for one case (default: 20)")
    parser.add_argument("--no-peers", action="store_true", help="only Steadyhand and the floor; installs nothing")
    parser.add_argument(
        "--policies",
        nargs="*",
        metavar="WAY",
        help="also ask Steadyhand under every other policy and through its tools, or in the ways named, by pattern",
    )
    parser.add_argument(
        "--without",
        nargs="*",
        metavar="RULE",
        help="also ask Steadyhand without each tier, repair and doubt, or without those named, by pattern",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document instead of tables")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a floor of floors.json is broken")
    parser.add_argument(
        "--study",
        nargs="+",
        choices=STUDIED,
        default=["wrong", "crash", "wrong-offer"],
        help="Steadyhand's cases of these scores are written as files (default: wrong crash wrong-offer)",
    )
    parser.add_argument(
        "--folder", type=Path, default=_HOME / ".bench" / "accuracy", help="where (default: .bench/accuracy)"
    )
    return parser


def _tell(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
