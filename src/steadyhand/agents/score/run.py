"""A score: every task tried in every way, with results kept so that a kill at any moment loses one trial.

Tasks are taken one after the other, each in all ways, so that the results of a run that ends early are a fair sample. A
finished trial is on disk before the next one begins. A resumed run takes its tasks and settings from the first line of
its log, even if the repository has changed since.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

from steadyhand.agents.model import Model, Tokens, opened
from steadyhand.agents.runner import Limits
from steadyhand.agents.score.commits import commit_tasks
from steadyhand.agents.score.reference import VERSION, reference_tasks
from steadyhand.agents.score.task import Task
from steadyhand.agents.score.trial import Trial, Unanswered, hold_trial
from steadyhand.agents.score.ways import Way, instructions_of, named_ways, opening_of
from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field, replace
from steadyhand.workspace.json_lines import RunLog

SUBJECT = "score"
_FORM = 1  # of the lines of a log
_PASSES = 2  # over all tasks: the second for those to which the first got no reply
_PATIENCE = 3  # trials in a row to which the model gives no reply

End = Literal["finished", "budget", "model", "unfinished"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSettings:
    """What is asked. `source` is `commits` of the repository, or the `reference` tasks, which all have."""

    source: Literal["commits", "reference"] = "commits"
    tasks: int = 50
    seed: str = "0"
    ways: tuple[str, ...] = ()
    max_tokens: int | None = None
    jobs: int = 1
    limits: Limits = field(default_factory=Limits)


@dataclass(slots=True)
class Score:
    """What is known: the settings, the trials so far, and how many there will be. `spent` counts broken trials too."""

    model: str
    source: str
    version: str
    seed: str
    ways: tuple[str, ...]
    tasks: tuple[str, ...]
    trials: list[Trial] = field(default_factory=list)
    spent: Tokens = field(default_factory=Tokens)
    end: End = "unfinished"
    error: str | None = None

    @property
    def planned(self) -> int:
        return len(self.tasks) * len(self.ways)

    @property
    def done(self) -> set[tuple[str, str]]:
        return {(trial.task, trial.way) for trial in self.trials}


Watch = Callable[[Score, Trial | None], None]
"""Gets the score so far and the trial that has just ended; None where the model gave no reply."""


def run_score(
    root: str,
    model: Model,
    settings: ScoreSettings,
    log: RunLog,
    *,
    resume: bool = False,
    afresh: bool = False,
    watch: Watch | None = None,
) -> Score:
    """Run until all is asked, the tokens are spent, or the model no longer replies.

    Refuses with `exists-already` a log that holds a score already, unless it is to `resume` or to begin `afresh`; with
    `stale-source` one of other tasks than are asked for; and as `commit_tasks` does.
    """
    lines = [] if afresh else log.lines()
    if lines and not resume:
        raise EditError(
            Kind.EXISTS_ALREADY,
            f"a score of this model already exists, with {len(lines) - 1:,} results",
            hint="--resume continues it, --show prints it, --afresh starts over",
        )
    head = str(lines[0].get("head") or "") or None if lines else None
    tasks, found_head = tasks_of(root, settings, head)
    ways = named_ways(settings.ways)
    begun = _head(model.name, settings, ways, tasks, found_head)
    if lines:
        _check_same(lines[0], begun)
    score = _score_of(lines or [begun])
    with log.writing(afresh=afresh):
        if not lines:
            log.add(begun)
        asyncio.run(_Run(model, settings, log, score, watch).all(tasks, ways))
    return score


def read_score(log: RunLog) -> Score:
    """What a log holds. Refuses with `no-such-file` where it holds nothing."""
    lines = log.lines()
    if not lines:
        raise EditError(Kind.NO_SUCH_FILE, "there is no score yet", hint="run one first")
    score = _score_of(lines)
    score.end = "finished" if len(score.done) >= score.planned else "unfinished"
    return score


def tasks_of(root: str, settings: ScoreSettings, head: str | None = None) -> tuple[tuple[Task, ...], str]:
    """The tasks that are asked for, and what they were taken from: a commit, or a version of the reference tasks."""
    if settings.source == "reference":
        return reference_tasks(settings.tasks, settings.seed), VERSION
    chosen = commit_tasks(root, count=settings.tasks, seed=settings.seed, head=head)
    return chosen.tasks, chosen.head


def _head(
    model: str, settings: ScoreSettings, ways: Sequence[Way], tasks: Sequence[Task], head: str
) -> dict[str, object]:
    """The first line of a log. `asked` is a digest of all that the model is asked: another question, another score."""
    asked = hashlib.sha256()
    for way in ways:
        asked.update(instructions_of(way).encode())
        for task in tasks:
            asked.update(json.dumps([opening_of(task, way), sorted(task.after)]).encode())
    return {
        SUBJECT: _FORM,
        "model": model,
        "source": settings.source,
        "head": head,
        "seed": settings.seed,
        "ways": [way.name for way in ways],
        "tasks": [task.id for task in tasks],
        "asked": asked.hexdigest()[:32],
    }


def _check_same(known: Mapping[str, object], begun: Mapping[str, object]) -> None:
    others = [name for name, value in begun.items() if known.get(name) != value]
    named = [name for name in others if name != "asked"] or ["words"]
    if others:
        raise EditError(
            Kind.STALE_SOURCE,
            f"the existing score was started with other {', '.join(named)}",
            hint="use the same options, or --afresh",
        )


def _score_of(lines: Sequence[Mapping[str, object]]) -> Score:
    head = lines[0]
    if head.get(SUBJECT) != _FORM:
        raise EditError(Kind.BAD_REQUEST, "the score was written by another version", hint="--afresh starts over")
    score = Score(
        str(head.get("model")),
        str(head.get("source")),
        str(head.get("head")),
        str(head.get("seed")),
        _texts(head.get("ways")),
        _texts(head.get("tasks")),
    )
    known: set[tuple[str, str]] = set()
    for line in lines[1:]:
        trial = Trial.of_json(line)
        if trial is not None and (trial.task, trial.way) not in known:
            known.add((trial.task, trial.way))
            score.trials.append(trial)
        score.spent += trial.tokens if trial is not None else _lost(line)
    return score


def _lost(line: Mapping[str, object]) -> Tokens:
    """What was paid for a trial that came to nothing."""
    paid = line.get("lost")
    if not isinstance(paid, Mapping):
        return Tokens()
    given, got = paid.get("input"), paid.get("output")
    return Tokens(given if isinstance(given, int) else 0, got if isinstance(got, int) else 0)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


@dataclass(slots=True)
class _Run:
    """One run in progress."""

    model: Model
    settings: ScoreSettings
    log: RunLog
    score: Score
    watch: Watch | None
    unanswered: int = 0

    async def all(self, tasks: Sequence[Task], ways: Sequence[Way]) -> None:
        """Every trial that is not there yet; those without a reply once more at the end."""
        async with opened(self.model):
            for _ in range(_PASSES):
                done = self.score.done
                left = [(task, way) for task in tasks for way in ways if (task.id, way.name) not in done]
                waiting = iter(left)
                await asyncio.gather(*(self._work(waiting) for _ in range(max(self.settings.jobs, 1))))
                if self.score.end != "unfinished" or not left:
                    break
        if self.score.end == "unfinished":
            self.score.end = "finished" if len(self.score.done) >= self.score.planned else "model"

    async def _work(self, waiting: Iterator[tuple[Task, Way]]) -> None:
        for task, way in waiting:
            if self.score.end != "unfinished" or not self._has_tokens():
                return
            await self._one(task, way)

    def _has_tokens(self) -> bool:
        if self._left() > 0:
            return True
        self.score.end = "budget"
        return False

    def _left(self) -> int:
        most = self.settings.max_tokens
        return self.settings.limits.tokens if most is None else most - self.score.spent.total

    async def _one(self, task: Task, way: Way) -> None:
        score = self.score
        try:
            trial = await hold_trial(self.model, task, way, replace(self.settings.limits, tokens=self._left()))
        except Unanswered as unanswered:
            score.spent += unanswered.tokens
            self.log.add({"lost": unanswered.tokens.to_json(), "task": task.id, "way": way.name})
            self.unanswered += 1
            score.error = unanswered.message
            if unanswered.stop == "tokens":
                score.end = "budget"
            elif self.unanswered >= _PATIENCE:
                score.end = "model"
            if self.watch is not None:
                self.watch(score, None)
            return
        self.unanswered = 0
        score.spent += trial.tokens
        score.trials.append(trial)
        self.log.add(trial.to_json())
        if self.watch is not None:
            self.watch(score, trial)
