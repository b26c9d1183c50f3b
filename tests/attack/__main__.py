"""Attack Steadyhand for a while: `python -m tests.attack [--minutes N] [NAME …]`, which is `make attack`.

Each attack runs in a process of its own for its share of the time; progress is on standard error, and the end is a
table of attempts and violations. The exit code is 1 where there was a violation.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import select
import signal
import sys
import time
import traceback
from dataclasses import dataclass, field
from typing import IO

from tests.attack.attack import Attack, Share
from tests.attack.table import ATTACKS

HANGS = 300.0  # seconds without a word after which an attack counts as hanging
OFTEN = 0.5  # seconds between two reports of an attack
MOST_SHOWN = 5  # violations of one attack that are shown in full


@dataclass
class Tally:
    """What came of one attack."""

    attack: Attack
    began: float = field(default_factory=time.monotonic)
    attempts: int = 0
    problems: list[str] = field(default_factory=list)
    is_over: bool = False

    def show(self, end: str = "") -> None:
        """One line of progress; on a terminal it is written over until it is the last."""
        if sys.stderr.isatty() or end:
            start = "\r\x1b[K" if sys.stderr.isatty() else ""
            answer = f"{self.attempts:,} {self.attack.unit}, {len(self.problems)} violations"
            seconds = f"{time.monotonic() - self.began:.0f} s"
            print(f"{start}{self.attack.name}: {answer}, {seconds}", end=end, file=sys.stderr, flush=True)

    def to_json(self) -> dict[str, object]:
        attack = self.attack
        counted = {"attempts": self.attempts, "violations": len(self.problems), "problems": self.problems}
        return {"attack": attack.name, "unit": attack.unit, **counted}


def attack_here(attack: Attack, seconds: float, seed: str, answer: IO[str]) -> None:
    """What the process of an attack does: tell of attempts and problems, one JSON object per line."""
    deadline = time.monotonic() + seconds
    attempts, last = 0, time.monotonic()

    def tell(problem: str = "", *, is_over: bool = False) -> None:
        print(json.dumps({"attempts": attempts, "problem": problem, "is_over": is_over}), file=answer, flush=True)

    try:
        with contextlib.closing(attack.run(Share(deadline, random.Random(f"{seed} {attack.name}")))) as tries:
            for each in tries:
                attempts += each.count
                now = time.monotonic()
                if each.problem or now - last > OFTEN:
                    tell(each.problem)
                    attempts, last = 0, now
                if now > deadline:
                    break
        tell(is_over=True)
    except Exception:  # noqa: BLE001  # what the attack itself runs into is found, too
        tell(traceback.format_exc(), is_over=True)


def run(attack: Attack, seconds: float, seed: str) -> Tally:
    """Attack in a process of its own, forked so that nothing is imported again; if it dies or hangs, that is a find."""
    tally = Tally(attack)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            os.close(reading)
            with os.fdopen(writing, "w") as answer:
                attack_here(attack, seconds, seed, answer)
        finally:
            os._exit(0)
    os.close(writing)
    try:
        with os.fdopen(reading) as answer:
            listen(answer, tally, seconds)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # also whoever it has started and left behind
        _, status = os.waitpid(child, 0)
    if not tally.is_over:
        tally.problems.append(f"the attack died or hung: {os.waitstatus_to_exitcode(status)}")
    tally.show(end="\n")
    return tally


def listen(answer: IO[str], tally: Tally, seconds: float) -> None:
    """Until it has said all, is dead, or hangs."""
    while not tally.is_over and select.select([answer], [], [], seconds + HANGS)[0]:
        line = answer.readline()
        if not line:
            return
        said = json.loads(line)
        tally.attempts += said["attempts"]
        tally.is_over = said["is_over"]
        if said["problem"]:
            tally.problems.append(said["problem"])
            if len(tally.problems) <= MOST_SHOWN:
                print(f"\n{tally.attack.name}: {said['problem']}", file=sys.stderr)
        tally.show()


def rendered(tallies: list[Tally]) -> str:
    rows = [("attack", "what is counted", "attempts", "violations")]
    rows += [(one.attack.name, one.attack.unit, f"{one.attempts:,}", f"{len(one.problems):,}") for one in tallies]
    wide = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = [f"| {a:<{wide[0]}} | {b:<{wide[1]}} | {c:>{wide[2]}} | {d:>{wide[3]}} |" for a, b, c, d in rows]
    lines.insert(1, f"|{'-' * (wide[0] + 2)}|{'-' * (wide[1] + 2)}|{'-' * (wide[2] + 1)}:|{'-' * (wide[3] + 1)}:|")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="attacks to run; all of them where none is named")
    parser.add_argument("--minutes", type=float, default=10.0, help="for all attacks together (10)")
    parser.add_argument("--seed", help="where the chances come from; another one in every run")
    parser.add_argument("--json", action="store_true", help="the table for programs, with every problem in full")
    options = parser.parse_args()
    unknown = set(options.names) - {attack.name for attack in ATTACKS}
    if unknown:
        parser.error(f"no attack {', '.join(sorted(unknown))}; there are: {', '.join(each.name for each in ATTACKS)}")
    chosen = [attack for attack in ATTACKS if not options.names or attack.name in options.names]
    seed = options.seed or str(random.randrange(10**9))
    print(f"seed {seed}", file=sys.stderr, flush=True)
    deadline, tallies = time.monotonic() + 60 * options.minutes, []
    for number, attack in enumerate(chosen):  # what one does not need is left to those after it
        weights = sum(each.weight for each in chosen[number:])
        left = max(deadline - time.monotonic(), 0.0)
        tallies.append(run(attack, left * attack.weight / weights, seed))
    violations = sum(len(each.problems) for each in tallies)
    if options.json:
        answer = {"seed": seed, "minutes": options.minutes, "violations": violations}
        print(json.dumps({**answer, "attacks": [each.to_json() for each in tallies]}, indent=1))
    else:
        print(rendered(tallies))
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
