"""`score`: which way of editing a model is best at, measured on small real changes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.host_options import (
    check_model_named,
    model_of,
    named_model_options,
    reply_tokens_option,
)
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import FILE, flag, option
from steadyhand.surfaces.cli.output import CommandResult
from steadyhand.surfaces.cli.render import progress, table_lines
from steadyhand.surfaces.plot import percent
from steadyhand.surfaces.terminal import Line, Piece, counted, head_of, visible_line, visible_name

if TYPE_CHECKING:
    from steadyhand.agents.score.card import Card, Row
    from steadyhand.agents.score.run import Score, ScoreSettings
    from steadyhand.agents.score.trial import Trial
    from steadyhand.workspace.json_lines import RunLog

_CHOICES = "steadyhand.toml"
_REFERENCE = "reference"
_USUAL_TASKS = 50
_USUAL_TOKENS = 2_000_000


class Tasks(click.ParamType[tuple[str, int]]):
    """A number of commits, `reference`, or `reference:20`."""

    name = "tasks"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, int]:
        if isinstance(value, tuple):
            return value
        source, _, number = str(value).rpartition(":") if ":" in str(value) else ("", "", str(value))
        if number == _REFERENCE:
            source, number = _REFERENCE, str(_USUAL_TASKS)
        if source not in ("", _REFERENCE) or not number.isascii() or not number.isdecimal():
            self.fail(f"{value!r} is neither a number of tasks nor {_REFERENCE}", param, ctx)
        if not 1 <= int(number) <= 10_000:
            self.fail(f"{value!r}: 1 to 10,000 tasks are possible", param, ctx)
        return source or "commits", int(number)


@command(
    "score",
    section="Models",
    examples="""
    steadyhand score --model anthropic:claude-sonnet-4-5 --tasks 30
    steadyhand score --model openai-chat:qwen --base-url http://127.0.0.1:8080/v1 --max-tokens 500000
    steadyhand score --model openai-chat:qwen --base-url http://127.0.0.1:8080/v1 --resume
    steadyhand score --model openai:gpt-5 --tasks reference --ways search-replace,unified,core
    steadyhand score --model openai:gpt-5 --dry-run
    """,
)
@named_model_options
@option("--repo DIR", "The repository whose commits are the tasks (default: the root).", type=FILE)
@option(
    "--tasks N|reference[:N]",
    "Use N small commits of the repository, or the shared reference tasks.",
    usual=str(_USUAL_TASKS),
    type=Tasks(),
)
@option("--seed TEXT", "The same seed chooses the same tasks.", usual="0")
@option(
    "--ways NAMES",
    "Formats and toolsets to compare, such as search-replace,unified,core; may be repeated (default: twelve).",
    multiple=True,
)
@option(
    "--max-tokens N",
    "Token limit of the whole score, in and out, including resumed runs.",
    least=1,
    usual=_USUAL_TOKENS,
)
@option("--jobs", "Conversations at once.", least=1, most=64, usual=1)
@flag("--resume", "Continue a score that was stopped.")
@flag("--afresh", "Discard the results of this score and start over.")
@flag("--show only_shows", "Show the results so far without asking the model.")
@option("--state FILE", "Where results are kept (default: your state folder).", type=FILE)
@flag("--dry-run", "List the tasks; ask nothing and write nothing.")
@option("--save/--no-save", "Write the result for this model to steadyhand.toml.", usual=True)
@option(
    "--max-seconds", "How long one conversation may take.", usual=600.0, type=click.FloatRange(min=0, min_open=True)
)
@option("--retries", "Retries after a rate limit or a lost connection.", least=0, usual=6)
@reply_tokens_option
def score_command(
    invocation: Invocation,
    repo: str | None,
    tasks: tuple[str, int],
    ways: tuple[str, ...],
    resume: bool,
    afresh: bool,
    only_shows: bool,
    state: str | None,
    dry_run: bool,
    save: bool,
    **options: Any,
) -> CommandResult:
    """Measure which edit formats and toolsets suit a model.

    Describes small commits of the repository to the model, one at a time, and asks for each in every format and with
    every toolset. Each reply is applied in a scratch directory and compared with the commit: right to the byte, the
    same once parsed, different, in the wrong file, refused, or no edit at all. The repository itself is not touched.
    The text of the files is sent to the model; files that may hold secrets are left out.

    The result is a table with 95 % intervals, advice in words, and the model's entry in steadyhand.toml, which mcp,
    agent and ws.tools("auto") read. Scoring can be stopped at any time and resumed.
    """
    import os

    from steadyhand.agents.score.run import read_score, run_score

    output = invocation.output
    root = os.path.realpath(invocation.root if repo is None else repo)
    settings = _settings(tasks, ways, options)
    if dry_run:
        return _show_tasks(invocation, root, settings)
    check_model_named(options)
    log = _log(state, root, options["model"], settings)
    if only_shows:
        return _answer(invocation, read_score(log), log, save=False)
    model = model_of(invocation, options)
    output.tell([(Piece(f"results are kept in {visible_name(str(log.path))}", "dim"),)])
    with progress(output, "asking") as shown:

        def watch(score: Score, trial: Trial | None) -> None:
            shown(len(score.trials), score.planned)
            if trial is None:
                output.tell([(Piece("model: ", "warning"), *head_of(str(score.error)))])

        score = run_score(root, model, settings, log, resume=resume, afresh=afresh, watch=watch)
    return _answer(invocation, score, log, save=save)


def _settings(tasks: tuple[str, int], ways: tuple[str, ...], options: Mapping[str, Any]) -> ScoreSettings:
    from steadyhand.agents.runner import Limits
    from steadyhand.agents.score.run import ScoreSettings
    from steadyhand.agents.score.ways import USUAL_WAYS

    named = [name for some in ways for name in some.replace(",", " ").split()]
    return ScoreSettings(
        source="reference" if tasks[0] == _REFERENCE else "commits",
        tasks=tasks[1],
        seed=options["seed"],
        ways=tuple(named) or USUAL_WAYS,
        max_tokens=options["max_tokens"],
        jobs=options["jobs"],
        limits=Limits(seconds=options["max_seconds"], retries=options["retries"]),
    )


def _log(state: str | None, root: str, model: str, settings: ScoreSettings) -> RunLog:
    """Where a score is kept: a file of its own for each repository, model, kind of tasks and seed."""
    from pathlib import Path

    from steadyhand.agents.score.run import SUBJECT
    from steadyhand.workspace.json_lines import RunLog, usual_log

    if state is not None:
        return RunLog(Path(state), SUBJECT)
    where = root if settings.source == "commits" else ""
    return usual_log(SUBJECT, where, model, settings.source, settings.seed)


def _show_tasks(invocation: Invocation, root: str, settings: ScoreSettings) -> CommandResult:
    from steadyhand.agents.score.description import describe
    from steadyhand.agents.score.run import tasks_of
    from steadyhand.agents.score.ways import named_ways

    tasks, _ = tasks_of(root, settings)
    ways = named_ways(settings.ways)
    listed = [
        {"id": task.id, "intent": task.intent, "files": [file.path for file in task.files], "text": describe(task)}
        for task in tasks
    ]
    document = {"tasks": listed, "ways": [way.name for way in ways], "trials": len(tasks) * len(ways)}
    rows = [[task.id, task.intent.partition("\n")[0], ", ".join(file.path for file in task.files)] for task in tasks]
    table = table_lines(["task", "intent", "files"], rows, names=3, width=invocation.output.width)
    count = f"{counted(len(tasks), 'task')} in {counted(len(ways), 'way')}: {counted(len(tasks) * len(ways), 'trial')}"
    return CommandResult(document, [*table, (), (Piece(f"{count}; --json has the whole text of each"),)])


def _answer(invocation: Invocation, score: Score, log: RunLog, *, save: bool) -> CommandResult:
    """The table, the advice, and the entry in the settings; 1 where the score is not complete."""
    from steadyhand.agents.score.card import card_of

    card = card_of(score)
    saved = _save(invocation, card) if save and score.end == "finished" else None
    is_whole = score.end == "finished"
    error = {} if is_whole else {"error": {"kind": score.end, "message": _unfinished(score), "hint": None}}
    document = {"ok": is_whole, "score": card.to_json(), "state": str(log.path), "saved": saved, **error}
    wrote = [] if saved is None else [(Piece("wrote ", "good"), Piece(f"{_CHOICES}: {saved}"))]
    return CommandResult(document, [*card_lines(card, invocation.output.width), *wrote], 0 if is_whole else 1)


def card_lines(card: Card, width: int) -> Iterator[Line]:
    """A score for people."""
    score = card.score
    tasks = counted(len(score.tasks), "reference task" if score.source == "reference" else "commit")
    about = f"{visible_line(score.model)}: {tasks} ({score.version[:12]})"
    paid = f"{score.spent.input:,} tokens in, {score.spent.output:,} out"
    yield (Piece(f"{about}, seed {visible_line(score.seed)}; {paid}", "dim"),)
    if card.rows:
        yield ()
        yield from table_lines(_HEAD, [_cells(row) for row in card.rows], names=1, width=width)
    yield ()
    for sentence in card.advice.sentences:
        yield (Piece(sentence),)
    if score.end != "finished":
        yield (Piece("not complete: ", "warning"), Piece(_unfinished(score)))


def _unfinished(score: Score) -> str:
    done = f"{len(score.done):,} of {score.planned:,} trials"
    if score.end == "budget":
        return f"{done}; the token limit is reached: continue with --resume and a higher --max-tokens"
    if score.end == "model":
        return f"{done}; the model gave no reply ({score.error}): continue with --resume"
    return f"{done}; continue with --resume"


_HEAD = (
    "way", "first try", "95 %", "in the end", "same parsed", "different", "wrong file", "refused", "no edit", "tokens",
    "seconds",
)  # fmt: skip


def _cells(row: Row) -> list[str]:
    low, high = row.first.interval
    counts = [row.outcomes[name] for name in ("equivalent", "different", "wrong-file", "refused", "unparsable")]
    tokens, seconds = row.tokens_per_good, row.seconds_per_good
    return [
        row.way.name,
        f"{percent(row.first.rate)} ({row.first.hits:,} of {row.first.of:,})",
        f"{low * 100:.0f}–{high * 100:.0f}",
        percent(row.end.rate),
        *(f"{count:,}" if count else "" for count in counts),
        "" if tokens is None else f"{tokens:,.0f}",
        "" if seconds is None else f"{seconds:,.1f}",
    ]


def _save(invocation: Invocation, card: Card) -> str | None:
    """Write what was found to be best for a model; what was written, None where nothing is known or is to be written.

    An ordinary recorded edit of the tree, which keeps whatever else the file holds and can be undone.
    """
    from steadyhand.plan.edit import Act
    from steadyhand.structure.config.key import Key
    from steadyhand.workspace.model_choices import read_choices

    advice, model = card.advice, card.score.model
    entry = {name: value for name, value in (("toolset", advice.toolset), ("dialect", advice.dialect)) if value}
    if not entry or invocation.settings.read_only or '"' in model or "\\" in model or not model.isprintable():
        return None
    said = ", ".join(f"{name} = {value}" for name, value in entry.items())
    reason = f"steadyhand score: {' '.join(advice.sentences)}"[:500]
    with invocation.workspace(writing=True) as workspace:
        known, _ = read_choices(workspace.root)
        try:
            workspace.read(_CHOICES)
        except EditError as error:
            if error.kind is not Kind.NO_SUCH_FILE:
                raise
            rows = "".join(f"{name} = {json.dumps(value)}\n" for name, value in entry.items())
            workspace.create(_CHOICES, f"[models.{json.dumps(model)}]\n{rows}", reason=reason)
            return said
        if model in known:
            place = f"models[{json.dumps(model)}]"
            had = {"toolset": known[model].toolset, "dialect": known[model].dialect}
            edits = [
                Act(Key(place), "add-key", name=name, value=value, reason=reason)
                if had[name] is None
                else Act(Key(f"{place}.{name}"), "set-key", value=value, reason=reason)
                for name, value in entry.items()
                if had[name] != value
            ]
        elif known:
            edits = [Act(Key("models"), "add-key", name=model, value=entry, reason=reason)]
        else:
            edits = [Act(Key("$"), "add-key", name="models", value={model: entry}, reason=reason)]
        if edits:
            workspace.edit(_CHOICES, edits)
    return said
