"""Changes, evidence and findings about articles, for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from steadyhand.surfaces.cli.render.diff import diff_lines
from steadyhand.surfaces.reports import articles_of, error_of, hunks_of, summary, text_of
from steadyhand.surfaces.terminal import Line, Piece, counted, shown_time, visible_line, visible_name

if TYPE_CHECKING:
    from steadyhand.articles.attention import Problem
    from steadyhand.articles.lint import Lint
    from steadyhand.articles.report import FileReport, Report
    from steadyhand.articles.search import Evidence, Flagged, Search
    from steadyhand.articles.suggest import Suggestions
    from steadyhand.errors import EditError

_SHOWN = 8  # symbols or commits on a line
_ID = 12  # digits of a commit


def report_lines(report: Report, *, is_brief: bool, width: int) -> Iterator[Line]:
    """The commits, then each file with its hunks, then what is left out."""
    if not report.files:
        yield (Piece("nothing changed", "dim"),)
    for commit in report.commits:
        yield (
            Piece(commit.id[:_ID], "id"),
            Piece(f"  {shown_time(commit.date)}  {visible_line(commit.author)}  {visible_line(commit.subject)}"),
        )
    for file in report.files:
        yield from _file_lines(file, is_brief=is_brief, width=width)
    for each in report.left_out:
        what = "the report" if each.path is None else visible_name(each.path)
        yield (Piece("left out: ", "warning"), Piece(f"{what}: {visible_line(each.reason)}"))


def _file_lines(file: FileReport, *, is_brief: bool, width: int) -> Iterator[Line]:
    old = "" if file.file.old_path is None else f"{visible_name(file.file.old_path)} → "
    symbols = f"  {_few(file.symbols)}" if file.symbols else ""
    yield (
        Piece(f"{file.file.status:<13}", "dim"),
        Piece(f"{old}{visible_name(file.path)}", "place"),
        Piece(visible_line(symbols)),
    )
    if is_brief:
        return
    for hunk in file.hunks:
        if hunk.context is not None:
            yield (Piece(f"  in {visible_line(hunk.context)}", "heading"),)
        yield from diff_lines(hunk.diff, width=width)


def evidence_lines(flagged: Flagged) -> Iterator[Line]:
    """Why an article is flagged, a line each."""
    return map(_evidence_line, flagged.evidence)


def search_lines(found: Search) -> Iterator[Line]:
    """Each article with its evidence, and a summary."""
    for flagged in found.articles:
        name = "" if flagged.article.jrn == flagged.article.path else f"  {visible_line(flagged.article.jrn)}"
        yield (Piece(visible_name(flagged.article.path), "place"), Piece(name, "id"))
        for evidence in flagged.evidence:
            yield _evidence_line(evidence)
    of_all = counted(found.looked_at, "article")
    changed = counted(found.changed, "changed file")
    yield (Piece(f"{len(found.articles)} of {of_all} may be concerned by {changed}", "heading"),)
    if not found.looked_at:
        yield (Piece("no page has attention rules; steadyhand impact suggest proposes some", "hint"),)


def _evidence_line(evidence: Evidence) -> Line:
    rule = evidence.rule
    if rule is None:
        why = f"line {evidence.line} names {evidence.mention}"
    else:
        source = "" if rule.source is None else f" of {rule.source}"
        why = f"{rule.op} {rule.path}{source}"
    commits = f"  {_few([commit[:_ID] for commit in evidence.commits])}" if evidence.commits else ""
    doubt = "" if evidence.doubt is None else f"  ({evidence.doubt})"
    return (
        Piece(f"  {evidence.match_type:<8}"),
        Piece(visible_name(evidence.changed_file), "place"),
        Piece(f"  {visible_line(why)}"),
        Piece(visible_line(doubt), "warning"),
        Piece(commits, "dim"),
    )


def problem_lines(problems: Sequence[Problem]) -> Iterator[Line]:
    """What is wrong with pages, a line each."""
    for each in problems:
        where = "" if each.line is None else f":{each.line}"
        yield (Piece("problem: ", "warning"), Piece(f"{visible_name(each.path)}{where}: {visible_line(each.message)}"))


def lint_lines(found: Lint) -> Iterator[Line]:
    """A line for each finding, as compilers write them, and a summary."""
    for each in found.findings:
        where = "" if each.line is None else f":{each.line}"
        yield (
            Piece(f"{visible_name(each.path)}{where}", "place"),
            Piece(f" {each.kind}", "warning"),
            Piece(f" {visible_line(each.message)}"),
        )
    if found.coverage is not None:
        covered = found.coverage
        pages = covered.pages - len(covered.uncovered_pages)
        sources = covered.sources - len(covered.unattended)
        yield (
            Piece(f"pages with rules: {pages} of {covered.pages}; "),
            Piece(f"source files that a rule means: {sources} of {covered.sources}"),
        )
    style = "warning" if found.findings else "good"
    where = f" in {counted(len({each.path for each in found.findings}), 'file')}" if found.findings else ""
    checked = f"{counted(found.articles, 'article')} checked"
    yield (Piece(f"{counted(len(found.findings), 'finding')}{where}; {checked}", style),)


def suggest_lines(
    found: Suggestions, written: Mapping[str, str], refused: Mapping[str, EditError], *, is_writing: bool
) -> Iterator[Line]:
    """The rules that are proposed, as they would be written, each with its reason."""
    for each in found.articles:
        path = each.article.path
        yield (Piece(visible_name(path), "place"), Piece(f"  {written[path][:12]}" if written.get(path) else "", "id"))
        for proposal in each.proposals:
            rule = f"- {{op: {proposal.op}, path: {proposal.path}}}"
            yield (Piece(f"  {visible_line(rule)}", "added"), Piece(f"  # {visible_line(proposal.why)}", "dim"))
        if path in refused:
            yield (Piece("  not written: ", "error"), Piece(visible_line(refused[path].message)))
    rules = counted(sum(len(each.proposals) for each in found.articles), "rule")
    ends = "" if is_writing or not found.articles else "; --write adds them"
    yield (Piece(f"{rules} proposed for {counted(len(found.articles), 'article')}{ends}", "heading"),)


def _few(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


Facts = Mapping[str, object]

_STYLES = {"updated": "good", "unchanged": "plain", "skipped": "dim", "failed": "error", "partial": "warning"}


def article_lines(article: Facts, *, width: int | None = None, quiet: bool = False) -> Iterator[Line]:
    """One article: what became of it, why, and its diff hunk by hunk with the reasons."""
    status = str(article.get("status"))
    tokens = article.get("tokens")
    cost = counted(sum(tokens.values()), "token") if isinstance(tokens, dict) and any(tokens.values()) else ""
    yield (
        Piece(f"{status:<10}", _STYLES.get(status, "plain")),
        Piece(visible_name(str(article.get("path"))), "place"),
        Piece(f"  {cost}" if cost else "", "dim"),
    )
    error, said = error_of(article), text_of(article)
    if error is not None:
        yield (Piece("  "), Piece(visible_line(error), "error" if status == "failed" else "warning"))
    if said is not None:
        yield (Piece("  "), Piece(visible_line(said)[:500]))
    if quiet:
        return
    for hunk, reasons in hunks_of(article):
        yield from diff_lines(hunk, width=width)
        yield from ((Piece("  reason: ", "hint"), Piece(visible_line(reason))) for reason in reasons)
    findings = article.get("findings")
    for each in findings if isinstance(findings, list) else []:
        yield (Piece("  check: ", "warning"), Piece(visible_line(str(each.get("message")))))


def run_lines(record: Facts) -> Iterator[Line]:
    """What a run came to, and how to look at it and take it back."""
    for cycle in _lists(record.get("cycles")):
        told = " → ".join(visible_name(str(path)) for path in cycle)
        yield (Piece("cycle: ", "warning"), Piece(told))
    for path in _values(record.get("maxDepthReached")):
        yield (Piece("not looked at, too far from the change: ", "warning"), Piece(visible_name(str(path))))
    name = record.get("id")
    yield (Piece(f"{summary(record)}", "heading"),)
    if name is not None:
        yield (Piece("run "), Piece(str(name), "id"), Piece(f"  undo: steadyhand undo --task impact-{name}", "dim"))


def show_lines(record: Facts, *, width: int | None = None, quiet: bool = False) -> Iterator[Line]:
    """All of a run."""
    trigger = record.get("trigger")
    told: Facts = trigger if isinstance(trigger, dict) else {}
    ends = [str(told.get(name) or "working tree")[:12] for name in ("base", "head")]
    yield (
        Piece(str(record.get("id")), "id"),
        Piece(f"  {shown_time(str(record.get('time')))}  {record.get('model')}  {ends[0]}..{ends[1]}  "),
        Piece(str(record.get("end")), "good" if record.get("end") == "finished" else "warning"),
    )
    for article in articles_of(record):
        yield from article_lines(article, width=width, quiet=quiet)
    yield from run_lines(record)


def list_lines(runs: list[dict[str, object]]) -> Iterator[Line]:
    """A line for each run, the newest first."""
    if not runs:
        yield (Piece("no run is recorded", "dim"),)
    for each in runs:
        trigger = each.get("trigger")
        files = trigger.get("changedFiles") if isinstance(trigger, dict) else None
        changed = counted(len(files), "changed file") if isinstance(files, list) else ""
        yield (
            Piece(str(each.get("id")), "id"),
            Piece(f"  {shown_time(str(each.get('time')))}  {visible_line(str(each.get('model')))}  {changed}"),
        )


def _lists(value: object) -> list[list[object]]:
    return [each for each in value if isinstance(each, list)] if isinstance(value, list) else []


def _values(value: object) -> list[object]:
    return value if isinstance(value, list) else []
