"""`impact` and `evidence`: from a change of the code to the articles that it may concern."""

from __future__ import annotations

import click

from steadyhand.errors import EditError
from steadyhand.lazy import Registry
from steadyhand.surfaces.cli.group import Command, command, family
from steadyhand.surfaces.cli.impact import STALE, change_options, check_change, docs_of, docs_option
from steadyhand.surfaces.cli.invocation import Invocation, bytes_from, decode, parse_json
from steadyhand.surfaces.cli.options import FileName
from steadyhand.surfaces.terminal import Piece, visible_name

_MEMBERS = Registry(
    "steadyhand.surfaces.cli.commands",
    "ARTICLE_COMMAND",
    "extract=impact lint=impact report=impact_runs run=impact_runs search=impact show=impact_runs suggest=impact",
)


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
    """Find articles that a change of the code may concern, and correct them.

    An article says in its front matter what it depends on: a list attention of rules with op file, symbol, key or
    article and a path. extract shows a change, search the articles whose rules it meets, lint what is wrong with
    rules, and suggest proposes some; run lets a model correct the articles, show and report say what it did. A change
    is what the branch has and its base has not, or what is uncommitted.
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
@click.option("--per-file", metavar="N", type=click.IntRange(min=0), help="Characters of diff for one file (20000).")
@click.option("--total", metavar="N", type=click.IntRange(min=0), help="Characters of diff in all (200000).")
def extract_command(
    invocation: Invocation, base: str | None, uncommitted: bool, per_file: int | None, total: int | None
) -> int:
    """Report a change: commits, files, hunks and definitions.

    Each hunk says which definition, section or key it is in, each file which of its definitions changed; comments and
    layout do not count for that. Binary files, submodules, links, secrets, and files that .gitattributes calls
    generated or vendored are listed and not shown. Where the budget is short, the largest diffs are cut first, and
    what is left out is named. With --quiet only the list of files is printed.
    """
    from steadyhand.agents.impact.api import extract
    from steadyhand.surfaces.cli.impact import report_lines

    check_change(base, uncommitted=uncommitted)
    output = invocation.output
    with invocation.workspace() as workspace:
        report = extract(workspace, base=base, uncommitted=uncommitted, per_file=per_file, total=total)
    output.document({"ok": True, **report.to_json()})
    output.print(report_lines(report, is_brief=output.quiet, width=output.width))
    return 0


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
@click.option(
    "--mentions",
    is_flag=True,
    help="Also pages that only name a changed path, symbol, flag or variable; a plain word such as go counts as go().",
)
@click.option("--from", "source_root", metavar="DIR", type=FileName(), help="Take the change from this other clone.")
@click.option("--source", metavar="NAME", help="Match the rules whose source is this name, and no others.")
@click.option(
    "--fail-on", type=click.Choice(["stale"]), help="End with exit code 3 where the change may concern an article."
)
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
    """List the articles that a change may concern, and why.

    A rule with op file is met by a changed file that its path or glob means, before or after a rename; op symbol and
    op key only where that definition's text or that key's value changed; op article where that article's page
    changed. Broken front matter is reported for its file and stops nothing.
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
@click.option("--coverage", is_flag=True, help="Also report pages without rules, and count unattended source files.")
def lint_command(invocation: Invocation, docs: tuple[str, ...], coverage: bool) -> int:
    """Check the rules of articles against the tree.

    Reported are front matter that cannot be read, paths and globs that match no file, symbols, keys and articles that
    are not there, ids that two articles have, and articles that attend to each other in a circle. Rules with a source
    are passed over. Ends with exit code 1 where something is found.
    """
    from steadyhand.agents.impact.api import lint
    from steadyhand.surfaces.cli.impact import lint_lines

    output = invocation.output
    with invocation.workspace() as workspace:
        found = lint(workspace, docs=docs_of(invocation, docs), coverage=coverage)
    output.document({"ok": not found.findings, **found.to_json()})
    output.print(lint_lines(found))
    return FOUND if found.findings else 0


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
@click.option("--write", is_flag=True, help="Add the proposed rules to the front matter, a change for each article.")
def suggest_command(invocation: Invocation, docs: tuple[str, ...], write: bool) -> int:
    """Propose attention rules that articles lack.

    From files that a page names, from definitions that only one file has, and from files that changed in the same
    commits as the page. What a rule means already, or excludes, is not proposed. --write edits the front matter
    through the engine, so that each change has its reason and can be undone.
    """
    from steadyhand.articles.suggest import suggest, write_suggestion
    from steadyhand.surfaces.cli.impact import suggest_lines

    output = invocation.output
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
    output.document(document)
    output.print(suggest_lines(found, written, refused, is_writing=write))
    return next((error.kind.exit_code for error in refused.values()), 0)


@command(
    "evidence",
    section="Articles",
    examples="""
    steadyhand evidence docs/login.md 'src/login.ts:3 checks the port' --task T-12
    steadyhand evidence docs/login.md '{"file": "src/login.ts", "lines": [3, 4]}' --task T-12
    steadyhand evidence docs/login.md @evidence.json --task T-12
    """,
)
@click.argument("file", type=FileName())
@click.argument("evidence", metavar="TEXT|JSON|-|@FILE")
def evidence_command(invocation: Invocation, file: str, evidence: str) -> int:
    """Keep evidence for a file: what was read, or why it was chosen.

    `steadyhand export --articles` shows it with the file's status. A file that has evidence and that nobody asked to
    change counts as unchanged, not as skipped.
    """
    text = evidence
    if evidence == "-" or evidence.startswith("@"):
        text = decode(bytes_from(invocation, "EVIDENCE", evidence.removeprefix("@")), "EVIDENCE")
    said = parse_json(text, "the evidence") if text.lstrip()[:1] in ("{", "[") else text
    output = invocation.output
    with invocation.workspace(writing=True) as workspace:
        path = invocation.path(file)
        workspace.record_evidence(path, said)
    output.document({"ok": True, "path": path})
    output.print([(Piece("kept evidence for ", "good"), Piece(visible_name(path)))])
    return 0


COMMANDS: dict[str, Command] = {"evidence": evidence_command, "impact": impact_command}
ARTICLE_COMMANDS: dict[str, Command] = {
    "extract": extract_command,
    "lint": lint_command,
    "search": search_command,
    "suggest": suggest_command,
}
