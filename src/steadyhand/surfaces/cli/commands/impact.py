"""From a change of the code to the articles that it may concern: what they are, and what a model made of them.

`impact`, `evidence`, `extract`, `lint`, `search` and `suggest` ask no model; `run` lets one correct articles, and
`show` and `report` say what it did.
"""

from __future__ import annotations

import json
import signal
import sys
from typing import TYPE_CHECKING, Any

import click

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import Registry
from steadyhand.surfaces.cli.group import command, family
from steadyhand.surfaces.cli.host_options import check_model_named, limits_of, model_of, model_options
from steadyhand.surfaces.cli.impact import STALE, change_options, check_change, docs_of, docs_option, evidence_lines
from steadyhand.surfaces.cli.invocation import Invocation, argument_text, edit_by_hand, misused, parse_json
from steadyhand.surfaces.cli.options import FILE, dry_run_option, flag, option, output_option
from steadyhand.surfaces.cli.output import CommandResult, Output, writing
from steadyhand.surfaces.cli.render import diff_lines, progress
from steadyhand.surfaces.terminal import Piece, visible_line, visible_name

if TYPE_CHECKING:
    from steadyhand.agents.impact.review import Choice, Edited, ImpactSettings, Proposal, Reviewer, Verdict
    from steadyhand.articles.search import Flagged

_MEMBERS = Registry(
    "steadyhand.surfaces.cli.commands",
    "{}_command",
    "extract=impact lint=impact report=impact run=impact search=impact show=impact suggest=impact",
)
FAILED = 1  # the exit code of a run in which an article failed


@family(
    "impact",
    section="Articles",
    examples="""
    steadyhand impact search
    steadyhand impact extract --base main --json
    steadyhand impact run --model anthropic:claude-sonnet-4-5
    steadyhand impact report > comment.md
    steadyhand impact lint
    steadyhand impact suggest --docs docs
    """,
    members=_MEMBERS,
)
def impact_command() -> None:
    """Find articles that a code change may affect, and correct them.

    An article lists in its front matter what it depends on: rules under attention, each with op file, symbol, key or
    article and a path. extract shows a change, search lists the articles whose rules match it, lint checks the rules,
    and suggest proposes new ones; run has a model correct the articles, and show and report present what it did. A
    change is what the branch adds to its base, or what is uncommitted.
    """


@command(
    "extract",
    section="Articles",
    examples="""
    steadyhand impact extract
    steadyhand impact extract --base v1.2 --json
    steadyhand impact extract --uncommitted --total 50000
    """,
)
@change_options
@option("--per-file N", "Characters of diff for one file (20000).", least=0)
@option("--total N", "Characters of diff in all (200000).", least=0)
def extract_command(
    invocation: Invocation, base: str | None, uncommitted: bool, per_file: int | None, total: int | None
) -> CommandResult:
    """Report a change: commits, files, hunks and definitions.

    Each hunk names the definition, section or key it is in; each file lists its changed definitions, not counting
    comments and layout. Binary files, submodules, links, secrets, and files that .gitattributes marks as generated or
    vendored are listed but not shown. If the budget is too small, the largest diffs are cut first, and the report says
    what is missing. With --quiet, only the list of files is printed.
    """
    from steadyhand.agents.impact.api import extract
    from steadyhand.surfaces.cli.impact import report_lines

    check_change(base, uncommitted=uncommitted)
    output = invocation.output
    with invocation.workspace() as workspace:
        report = extract(workspace, base=base, uncommitted=uncommitted, per_file=per_file, total=total)
    return CommandResult(report.to_json(), report_lines(report, is_brief=output.quiet, width=output.width))


@command(
    "search",
    section="Articles",
    examples="""
    steadyhand impact search
    steadyhand impact search --base origin/main --json
    steadyhand impact search --uncommitted --docs docs --mentions
    steadyhand impact search --from ../backend --source backend
    """,
)
@change_options
@docs_option
@flag(
    "--mentions",
    "Include pages that only mention a changed path, symbol, flag or variable; a plain word like go means go().",
)
@option("--from source_root DIR", "Read the change from this other clone.", type=FILE)
@option("--source NAME", "Match only rules with this source.")
@option("--fail-on", "Exit with 3 if the change may affect an article.", choices=["stale"])
def search_command(
    invocation: Invocation,
    base: str | None,
    uncommitted: bool,
    docs: tuple[str, ...],
    mentions: bool,
    source_root: str | None,
    source: str | None,
    fail_on: str | None,
) -> int:
    """List the articles that a change may affect, and why.

    A rule with op file matches a changed file that its path or glob names, before or after a rename; op symbol and op
    key match only if that definition's text or that key's value changed; op article, if that article's page changed.
    Broken front matter is reported and does not stop the search.
    """
    from steadyhand.agents.impact.api import search
    from steadyhand.surfaces.cli.impact import problem_lines, search_lines

    check_change(base, uncommitted=uncommitted)
    output = invocation.output
    with invocation.workspace() as workspace:
        found = search(
            workspace,
            base=base,
            uncommitted=uncommitted,
            docs=docs_of(invocation, docs),
            mentions=mentions,
            source=source,
            source_root=source_root,
        )
    output.document({"ok": True, **found.to_json()})
    output.print(search_lines(found))
    output.tell(problem_lines(found.problems))
    return STALE if fail_on == "stale" and found.articles else 0


FOUND = 1  # the exit code where something is wrong


@command(
    "lint",
    section="Articles",
    examples="""
    steadyhand impact lint
    steadyhand impact lint --docs docs --json
    steadyhand impact lint --coverage
    """,
)
@docs_option
@flag("--coverage", "Also report pages without rules, and count source files that no rule covers.")
def lint_command(invocation: Invocation, docs: tuple[str, ...], coverage: bool) -> CommandResult:
    """Check the rules of articles against the tree.

    Reports front matter that cannot be read, paths and globs that match no file, missing symbols, keys and articles,
    duplicate ids, and articles that depend on each other in a circle. Rules with a source are skipped. Exits with 1 if
    anything is found.
    """
    from steadyhand.agents.impact.api import lint
    from steadyhand.surfaces.cli.impact import lint_lines

    with invocation.workspace() as workspace:
        found = lint(workspace, docs=docs_of(invocation, docs), coverage=coverage)
    code = FOUND if found.findings else 0
    return CommandResult({"ok": not found.findings, **found.to_json()}, lint_lines(found), code)


@command(
    "suggest",
    section="Articles",
    examples="""
    steadyhand impact suggest
    steadyhand impact suggest --docs docs/guide.md
    steadyhand impact suggest --docs docs --write
    """,
)
@docs_option
@flag("--write", "Add the proposed rules to the front matter, one change per article.")
def suggest_command(invocation: Invocation, docs: tuple[str, ...], write: bool) -> CommandResult:
    """Propose attention rules that articles lack.

    Rules are proposed for files that a page names, for definitions that only one file has, and for files that changed
    in the same commits as the page, unless a rule already covers or excludes them. --write adds the rules to the front
    matter; each change has its reason and can be undone.
    """
    from steadyhand.articles.suggest import suggest, write_suggestion
    from steadyhand.surfaces.cli.impact import suggest_lines

    written: dict[str, str] = {}
    refused: dict[str, EditError] = {}
    with invocation.workspace(writing=write) as workspace:
        found = suggest(workspace, docs=docs_of(invocation, docs))
        for each in found.articles if write else ():
            try:
                receipt = write_suggestion(workspace, each)
                written[each.article.path] = receipt.id or ""
            except EditError as error:
                refused[each.article.path] = error
    document: dict[str, object] = {"ok": not refused, **found.to_json()}
    if write:
        document |= {"written": written, "refused": {path: error.to_json() for path, error in refused.items()}}
    code = next((error.kind.exit_code for error in refused.values()), 0)
    return CommandResult(document, suggest_lines(found, written, refused, is_writing=write), code)


@command(
    "evidence",
    section="Articles",
    examples="""
    steadyhand evidence docs/login.md 'src/login.ts:3 checks the port' --task T-12
    steadyhand evidence docs/login.md '{"file": "src/login.ts", "lines": [3, 4]}' --task T-12
    steadyhand evidence docs/login.md @evidence.json --task T-12
    """,
)
@click.argument("file", type=FILE)
@click.argument("evidence", metavar="TEXT|JSON|-|@FILE")
def evidence_command(invocation: Invocation, file: str, evidence: str) -> CommandResult:
    """Record evidence for a file: what was read, or why it was chosen.

    `steadyhand export --articles` shows it with the file's status. A file that has evidence but no edits counts as
    unchanged, not as skipped.
    """
    text = argument_text(invocation, "EVIDENCE", evidence)
    said = parse_json(text, "the evidence") if text.lstrip()[:1] in ("{", "[") else text
    with invocation.workspace(writing=True) as workspace:
        path = invocation.path(file)
        workspace.record_evidence(path, said)
    return CommandResult({"path": path}, [(Piece("kept evidence for ", "good"), Piece(visible_name(path)))])


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
@flag("--mentions", "Include pages that only mention a changed path, symbol, flag or variable.")
@flag("--yes -y", "Let the model change articles without asking.")
@dry_run_option
@option("--jobs N", "Conversations at once.", least=1, most=64, usual=2)
@option("--limit N", "Ask about at most N articles.", least=1)
@flag("--allow-new", "Let the model write new pages next to an article.")
@option("--propagate/--no-propagate", "Continue with articles that depend on a changed article.", default=True)
@option("--max-depth max_depth N", "How many steps --propagate may follow.", least=0, usual=5)
@flag("--again", "Ask again even if an earlier run judged the same change and text.")
@option("--resume RUN", "Continue a run that was stopped; finished articles are not asked about again.")
@option("--transcript FILE", "Write the whole conversation to this file.", type=FILE)
@option("--fail-on", "Exit with 3 if an article was wrong (stale) or failed.", choices=["stale", "failed"])
@model_options
def run_command(invocation: Invocation, /, **options: Any) -> int:
    """Have a model correct the articles that a change made wrong.

    Each article that the change may affect gets its own conversation. The model reads the change, the article and any
    file, then edits that article, with a reason for each edit, or says that nothing needs to change. On a terminal you
    decide article by article and see each diff before it is written; --yes skips the questions, --dry-run writes
    nothing and shows the patch. The journal records the run: see impact show and impact report; steadyhand undo --task
    impact-RUN reverts it. Exit codes: 0 done, 1 an error or a failed article, 3 see --fail-on. Needs the extra agent;
    keys come from the environment.
    """
    from steadyhand.agents.impact.run import run_impact
    from steadyhand.surfaces.cli.impact import article_lines, articles_of, run_lines

    check_change(options["base"], uncommitted=options["uncommitted"])
    output = invocation.output
    check_model_named(options)
    reviewer = _reviewer(invocation, options)
    model = model_of(invocation, options)
    with (
        invocation.workspace(writing=not options["dry_run"]) as workspace,
        progress(output, "articles") as shown,
    ):
        done = 0

        def watch(flagged: object, step: object) -> None:
            nonlocal done
            if isinstance(step, dict):
                done += 1
                shown(done)
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
        raise misused(
            "there is no terminal on which to review the model's changes",
            "--dry-run writes nothing and shows the patches; --yes lets the model change articles",
        )

    return TerminalReviewer(invocation.output)


def _settings(invocation: Invocation, options: dict[str, Any]) -> ImpactSettings:
    from steadyhand.agents.impact.review import ImpactSettings

    change, work = ("base", "uncommitted", "mentions"), ("jobs", "limit", "dry_run", "allow_new")
    given = {name: options[name] for name in (*change, *work, "propagate", "max_depth", "again")}
    return ImpactSettings(**given, docs=tuple(docs_of(invocation, options["docs"])), limits=limits_of(options))


def _error(record: dict[str, object]) -> dict[str, object]:
    from steadyhand.surfaces.cli.impact import articles_of

    failed = [*articles_of(record, "failed"), *articles_of(record, "partial")]
    message = f"{len(failed)} articles failed" if len(failed) != 1 else f"{failed[0]['path']} failed"
    hint = "steadyhand impact show says why; --resume asks again" if record.get("id") else "run it again"
    return {"error": {"kind": "failed", "message": message, "hint": hint}}


class TerminalReviewer:
    """Asks on standard output and reads from standard input; an end of the input is a quit."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def choose(self, flagged: Flagged, number: int, total: int) -> Choice:
        head = f"[{number}/{total}] "
        self._output.print([(Piece(head, "dim"), Piece(visible_name(flagged.article.path), "place"))])
        while True:
            match self._ask("[u]pdate, [v]iew evidence, [s]kip, [q]uit", "uvsq"):
                case "u":
                    return "update"
                case "s":
                    return "skip"
                case "v":
                    self._output.print(evidence_lines(flagged))
                case _:
                    return "quit"

    def judge(self, proposal: Proposal) -> Verdict:
        from steadyhand.agents.impact.review import Remark  # help would wait for it

        self._output.print(diff_lines(proposal.patch, width=self._output.width))
        self._output.print((Piece("reason: ", "hint"), Piece(visible_line(each))) for each in proposal.reasons)
        self._output.print(
            (Piece("check: ", "warning"), Piece(visible_line(each.message))) for each in proposal.findings
        )
        words = "[a]ccept, [r]eject, [e]dit by hand" + (", reject with a re[m]ark" if proposal.may_remark else "")
        while True:
            match self._ask(words, "arem" if proposal.may_remark else "are"):
                case "a":
                    return "accept"
                case "e":
                    edited = self._edited(proposal)
                    if edited is not None:
                        return edited
                case "m":
                    remark = _typed("remark")
                    if remark:
                        return Remark(remark)
                case _:
                    return "reject"

    def _edited(self, proposal: Proposal) -> Edited | None:
        from steadyhand.agents.impact.review import Edited

        remarks = [f"{proposal.flagged.article.path}, with the model's edits", *proposal.patch.splitlines()]
        try:
            text = edit_by_hand(proposal.after, remarks, path=proposal.flagged.article.path, token="steadyhand")
        except EditError as error:
            if error.kind is Kind.NO_CHANGE:
                return Edited(proposal.after)
            self._output.warn(error.message)
            return None
        return Edited(text)

    def _ask(self, words: str, keys: str) -> str:
        """One letter of those that are offered; what is typed otherwise is asked again."""
        while True:
            said = _typed(words).lower()
            if said[:1] and said[:1] in keys:
                return said[:1]


def _typed(words: str) -> str:
    """A line that a person types. An interrupt, or an end of the input, ends the run.

    While an event loop runs, the first interrupt only cancels its task, which is waiting for this very line.
    """
    previous = signal.getsignal(signal.SIGINT)
    if previous is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return str(click.prompt(words, default="", show_default=False)).strip()
    except (click.Abort, EOFError):
        raise KeyboardInterrupt from None
    finally:
        signal.signal(signal.SIGINT, previous)


@command(
    "show",
    section="Articles",
    examples="""
    steadyhand impact show
    steadyhand impact show 3f9c1a
    steadyhand impact show 3f9c1a --json
    """,
)
@click.argument("run_id", metavar="[RUN]", required=False)
@option("--limit N", "Runs to list.", least=1, usual=20)
def show_command(invocation: Invocation, run_id: str | None, limit: int) -> CommandResult:
    """List the runs, or show the result for each article of one run.

    RUN is the id of a run or its first digits. Shows the status of each article, the model's reasoning, the diff with
    its reasons hunk by hunk, what the checks found, and why something failed.
    """
    from steadyhand.session.host import host_of
    from steadyhand.surfaces.cli.impact import list_lines, show_lines

    output = invocation.output
    with invocation.workspace() as workspace:
        if run_id is None:
            found = host_of(workspace).runs.runs(limit)
            return CommandResult({"runs": found}, list_lines(found))
        record = host_of(workspace).runs.run(run_id)
    return CommandResult(record, show_lines(record, width=output.width, quiet=output.quiet))


@command(
    "report",
    section="Articles",
    examples="""
    steadyhand impact report > comment.md
    steadyhand impact report 3f9c1a --format html -o impact.html
    steadyhand impact report 3f9c1a --format json
    """,
)
@click.argument("run_id", metavar="[RUN]", required=False)
@option(
    "--format format_name",
    "Markdown for a pull request, one HTML page, or the record with the figures.",
    choices=["markdown", "html", "json"],
    usual="markdown",
)
@output_option
def report_command(invocation: Invocation, run_id: str | None, format_name: str, file: str | None) -> int:
    """Write a report of a run for its reviewers.

    It lists what was changed and why, hunk by hunk; what was judged right and why; what failed; tokens, time, and how
    often an article was edited in place or rewritten as a whole. RUN defaults to the newest run. The page loads nothing
    from elsewhere, and text from articles and models is always escaped.
    """
    from steadyhand.session.host import host_of

    output = invocation.output
    with invocation.workspace() as workspace:
        if run_id is None:
            newest = host_of(workspace).runs.runs(1)
            if not newest:
                raise EditError(Kind.NO_SUCH_FILE, "no run is recorded", hint="steadyhand impact run makes one")
            run_id = str(newest[0]["id"])
        record = host_of(workspace).runs.run(run_id)
    text = _document(record, "json" if output.json and file is None else format_name)
    if file is None or file == "-":
        output.plain(text)
        return 0
    with writing(invocation, "--output", file) as write:
        write(text.encode("utf-8", "backslashreplace"))
    output.document({"ok": True, "run": run_id, "file": file, "format": format_name})
    output.print([(Piece("wrote ", "good"), Piece(visible_name(file)))])
    return 0


def _document(record: dict[str, object], format_name: str) -> str:
    from steadyhand.surfaces.cli.impact import adoption, render_markdown, render_run_page, summary

    if format_name == "json":
        shown = {"ok": True, **record, "adoption": adoption(record), "summary": summary(record)}
        return json.dumps(shown, indent=2, default=str) + "\n"
    return render_run_page(record) if format_name == "html" else render_markdown(record)
