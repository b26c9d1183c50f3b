"""A score with a real model, on commits of this repository or on the reference tasks: which way it edits best in.

    python -m benches.score_trial --base-url http://127.0.0.1:8081/v1 --tasks 30

The model of `benches/local_model.py` is a small one that runs on this machine. Results are kept in a file, so that the
trial can be stopped at any time and goes on when it is started again; `--show` prints what the file says.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from steadyhand.agents.model import named_model
from steadyhand.agents.runner import Limits
from steadyhand.agents.score.card import card_of
from steadyhand.agents.score.run import SUBJECT, Score, ScoreSettings, read_score, run_score
from steadyhand.agents.score.trial import Trial
from steadyhand.agents.score.ways import USUAL_WAYS
from steadyhand.surfaces.cli.commands.score import card_lines
from steadyhand.surfaces.terminal import paint
from steadyhand.workspace.json_lines import RunLog

ROOT = Path(__file__).parent.parent


def tell(score: Score, trial: Trial | None) -> None:
    """One line for each trial."""
    said = (
        f"no reply: {score.error}" if trial is None else f"{trial.way} {trial.task}: {trial.first} {trial.kind or ''}"
    )
    print(f"{len(score.trials)} of {score.planned}  {said}", file=sys.stderr, flush=True)


def main() -> None:
    """Ask what is not in the file yet, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--base-url", default="http://127.0.0.1:8081/v1")
    parser.add_argument("--model", default="openai-chat:qwen2.5-coder-1.5b")
    parser.add_argument("--tasks", type=int, default=30)
    parser.add_argument("--reference", action="store_true", help="the tasks that all people share, not commits")
    parser.add_argument("--ways", nargs="*", default=list(USUAL_WAYS))
    parser.add_argument("--seed", default="0")
    parser.add_argument("--seconds", type=float, default=1_200.0, help="how long a conversation may take")
    parser.add_argument("--reply-tokens", type=int, default=3_000)
    parser.add_argument("--out", type=Path, default=Path("score-trial.jsonl"))
    parser.add_argument("--show", action="store_true", help="only print what the file says")
    asked = parser.parse_args()
    log = RunLog(asked.out, SUBJECT)
    if asked.show:
        score = read_score(log)
    else:
        settings = ScoreSettings(
            source="reference" if asked.reference else "commits",
            tasks=asked.tasks,
            seed=asked.seed,
            ways=tuple(asked.ways),
            limits=Limits(seconds=asked.seconds, retries=1, tokens=100_000_000),
        )
        model = named_model(asked.model, base_url=asked.base_url, max_tokens=asked.reply_tokens)
        score = run_score(str(ROOT), model, settings, log, resume=True, watch=tell)
    print("\n".join(paint(card_lines(card_of(score), 160), color=False)))


if __name__ == "__main__":
    main()
