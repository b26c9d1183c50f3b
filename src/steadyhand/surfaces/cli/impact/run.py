"""`steadyhand impact run`: articles that a change made wrong, corrected by a model."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.impact.options import STALE, change_options, check_change, docs_of, docs_option
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.models import check_model_named, limits_of, model_of, model_options
from steadyhand.surfaces.cli.options import FileName, dry_run_option
from steadyhand.surfaces.cli.outfile import writing
from steadyhand.surfaces.cli.report import progress

if TYPE_CHECKING:
    from steadyhand.agents.impact.review import Reviewer, RunSettings

FAILED = 1  # the exit code of a run in which an article failed


@command(
    "run",
    section="Articles",
    examples="""
    steadyhand impact run --model anthropic:claude-sonnet-4-5
    steadyhand impact run --base origin/main --dry-run --json
    steadyhand impact run --yes --jobs 4 --fail-on failed
    steadyhand impact run --model openai-chat:qwen --base-url http://127.0.0.1:8080/v1 --limit 3
    steadyhand impact run --resume 3f9c1a
    """,
)
@change_options
@docs_option
@click.option("--mentions", is_flag=True, help="Also pages that only name a changed path, symbol, flag or variable.")
@click.option("--yes", "-y", is_flag=True, help="Let the model change articles without asking.")
@dry_run_option
@click.option("--jobs", type=click.IntRange(1, 64), default=2, show_default=True, help="Conversations at once.")
@click.option("--limit", metavar="N", type=click.IntRange(min=1), help="Ask about so many articles at most.")
@click.option("--allow-new", is_flag=True, help="Let the model write new pages beside an article.")
@click.option("--propagate/--no-propagate", default=True, help="Go on to articles that attend to a changed article.")
@click.option(
    "--max-depth", type=click.IntRange(min=0), default=5, show_default=True, help="How far to go on from there."
)
@click.option("--again", is_flag=True, help="Ask again about a change and a text that an earlier run judged.")
@click.option("--resume", metavar="RUN", help="Go on with a run that was stopped; what is finished is not asked again.")
@click.option("--transcript", metavar="FILE", type=FileName(), help="Write everything that was said to this file.")
@click.option(
    "--fail-on",
    type=click.Choice(["stale", "failed"]),
    help="End with exit code 3 where an article was wrong (stale) or failed.",
)
@model_options
def run(invocation: Invocation, /, **options: Any) -> int:
    """Let a model correct the articles that a change made wrong.

    Each article that the change may concern gets a conversation of its own, in which the model reads the change, the
    article and any file, and either edits that article, with a reason for each edit, or says that nothing has to
    change. On a terminal you choose article by article, and see the diff before anything is written; --yes does
    without, --dry-run writes nothing and shows the patch. The record of the run is in the journal: see impact show and
    impact report; steadyhand undo --task impact-RUN takes it back. Exit codes: 0 done, 1 an article failed or an error,
    3 as --fail-on says. Needs the extra agent; keys come from the environment.
    """
    from steadyhand.agents.impact.run import run_impact
    from steadyhand.surfaces.cli.render.impact import article_lines, run_lines
    from steadyhand.surfaces.reports import articles_of
    from steadyhand.tools.workspace import Workspace

    check_change(options["base"], uncommitted=options["uncommitted"])
    output = invocation.output
    check_model_named(options)
    reviewer = _reviewer(invocation, options)
    model = model_of(invocation, options)
    with (
        invocation.workspace(writing=not options["dry_run"], kind=Workspace) as workspace,
        progress(output, "articles") as shown,
    ):
        assert isinstance(workspace, Workspace)
        done = 0

        def watch(flagged: object, step: object) -> None:
            nonlocal done
            if isinstance(step, dict):
                done += 1
                shown(done)
                if not output.json:
                    output.print(article_lines(step, width=output.width, quiet=output.quiet or reviewer is not None))

        said: dict[str, list[dict[str, object]]] = {}
        try:
            record = run_impact(
                workspace,
                model,
                _settings(invocation, options),
                resume=options["resume"],
                reviewer=reviewer,
                watch=watch,
                transcripts=said,
            )
        finally:
            if options["transcript"] is not None:
                with writing(invocation, "--transcript", options["transcript"]) as write:
                    write(json.dumps(said, indent=1, default=str).encode() + b"\n")
    statuses = {str(each["status"]) for each in articles_of(record)}
    failed = bool(statuses & {"failed", "partial"})
    output.document({"ok": not failed, **record, **(_error(record) if failed else {})})
    output.print(run_lines(record))
    if (options["fail_on"] == "failed" and failed) or (options["fail_on"] == "stale" and statuses & _STALE):
        return STALE
    return FAILED if failed else 0


_STALE = {"updated", "partial", "failed"}


def _reviewer(invocation: Invocation, options: dict[str, Any]) -> Reviewer | None:
    """The person at the terminal; refuses where there is none and nothing says what else is meant."""
    if options["yes"] or options["dry_run"]:
        return None
    if not (sys.stdin.isatty() and invocation.output.is_terminal) or invocation.output.json:
        raise EditError(
            Kind.BAD_REQUEST,
            "nobody is at a terminal who could review what the model would change",
            hint="--dry-run writes nothing and shows the patches; --yes lets the model change articles",
        )
    from steadyhand.surfaces.cli.impact.reviewer import TerminalReviewer

    return TerminalReviewer(invocation.output)


def _settings(invocation: Invocation, options: dict[str, Any]) -> RunSettings:
    from steadyhand.agents.impact.review import RunSettings

    change, work = ("base", "uncommitted", "mentions"), ("jobs", "limit", "dry_run", "allow_new")
    given = {name: options[name] for name in (*change, *work, "propagate", "max_depth", "again")}
    return RunSettings(**given, docs=tuple(docs_of(invocation, options["docs"])), limits=limits_of(options))


def _error(record: dict[str, object]) -> dict[str, object]:
    from steadyhand.surfaces.reports import articles_of

    failed = [*articles_of(record, "failed"), *articles_of(record, "partial")]
    message = f"{len(failed)} articles failed" if len(failed) != 1 else f"{failed[0]['path']} failed"
    hint = "steadyhand impact show says why; --resume asks again" if record.get("id") else "run it again"
    return {"error": {"kind": "failed", "message": message, "hint": hint}}


COMMAND = run
