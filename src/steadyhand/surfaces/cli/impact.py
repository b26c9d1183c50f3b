"""What the commands on articles share: the options that name a change, lines for people, runs as documents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from steadyhand.errors import EditError
from steadyhand.lazy import lazy_pattern
from steadyhand.surfaces.cli.invocation import Invocation, misused
from steadyhand.surfaces.cli.options import FILE, chain, flag, option
from steadyhand.surfaces.cli.render import diff_lines
from steadyhand.surfaces.terminal import Line, Piece, counted, shown_time, visible, visible_line, visible_name
from steadyhand.surfaces.web.markup import Html, el, static_document

if TYPE_CHECKING:
    from steadyhand.articles.attention import Problem
    from steadyhand.articles.lint import Lint
    from steadyhand.articles.report import FileReport, Report
    from steadyhand.articles.search import Evidence, Flagged, Search
    from steadyhand.articles.suggest import Suggestions


STALE = 3  # the exit code of a search or run that was asked to fail where articles are stale


# Which change is meant.
change_options = chain(
    option(
        "--base REV", "Compare with where HEAD left this branch, tag or commit (default: origin/HEAD, main or master)."
    ),
    flag("--uncommitted -u", "What is staged, unstaged or untracked, against HEAD."),
)
docs_option = option(
    "--docs DIR", "Look for articles only in this directory or file; may be repeated.", type=FILE, multiple=True
)


def docs_of(invocation: Invocation, docs: Sequence[str]) -> list[str]:
    """The directories as the workspace knows them."""
    return [invocation.path(each) for each in docs]


def check_change(base: str | None, *, uncommitted: bool) -> None:
    """Refuse two answers to the question which change is meant."""
    if base is not None and uncommitted:
        raise misused(
            "--base and --uncommitted exclude each other", "uncommitted changes are always compared with HEAD"
        )


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
    yield (Piece(f"{len(found.articles)} of {of_all} may be affected by {changed}", "heading"),)
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
            Piece(f"source files covered by a rule: {sources} of {covered.sources}"),
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
    yield from ((Piece("  check: ", "warning"), Piece(visible_line(message))) for message in findings_of(article))


def run_lines(record: Facts) -> Iterator[Line]:
    """What a run came to, and how to look at it and take it back."""
    for cycle in _lists(record.get("cycles")):
        names = " → ".join(visible_name(str(path)) for path in cycle)
        yield (Piece("cycle: ", "warning"), Piece(names))
    for path in _values(record.get("maxDepthReached")):
        yield (Piece("not checked, too far from the change: ", "warning"), Piece(visible_name(str(path))))
    name = record.get("id")
    yield (Piece(f"{summary(record)}", "heading"),)
    if name is not None:
        is_held = any(article.get("held") for article in articles_of(record))
        way = "review" if is_held else "undo"
        said = f"  {'held for ' if is_held else ''}{way}: steadyhand {way} --task impact-{name}"
        yield (Piece("run "), Piece(str(name), "id"), Piece(said, "dim"))


def show_lines(record: Facts, *, width: int | None = None, quiet: bool = False) -> Iterator[Line]:
    """All of a run."""
    cause = _cause(record)
    ends = [str(cause.get(name) or "working tree")[:12] for name in ("base", "head")]
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
        files = _cause(each).get("changedFiles")
        changed = counted(len(files), "changed file") if isinstance(files, list) else ""
        yield (
            Piece(str(each.get("id")), "id"),
            Piece(f"  {shown_time(str(each.get('time')))}  {visible_line(str(each.get('model')))}  {changed}"),
        )


def _lists(value: object) -> list[list[object]]:
    return [each for each in value if isinstance(each, list)] if isinstance(value, list) else []


def _values(value: object) -> list[object]:
    return value if isinstance(value, list) else []


# What a reader looks at first comes first.
HEADINGS = {
    "updated": "Changed",
    "partial": "Changed, but not finished",
    "failed": "Failed",
    "unchanged": "Judged right",
    "skipped": "Skipped",
}


def articles_of(record: Facts, status: str | None = None) -> list[Facts]:
    """The articles of a run, all or those of one status, sorted by path."""
    found = record.get("articles")
    articles = cast("list[Facts]", found) if isinstance(found, list) else []
    chosen = [each for each in articles if status is None or each.get("status") == status]
    return sorted(chosen, key=lambda each: str(each.get("path")))


def hunks_of(article: Facts) -> Iterator[tuple[str, list[str]]]:
    """Each changed part of an article, as a diff shows it, with the reasons for it."""
    patch = str(article.get("patch") or "")
    groups = article.get("hunkReasons")
    reasons = {
        str(group.get("hunk")): [str(each) for each in group.get("reasons", [])]
        for group in (groups if isinstance(groups, list) else [])
        if isinstance(group, dict)
    }
    part: list[str] = []
    for row in patch.splitlines():
        if row.startswith("@@ ") and part:
            yield "\n".join(part), reasons.get(part[0], [])
            part = []
        if part or row.startswith("@@ "):
            part.append(row)
    if part:
        yield "\n".join(part), reasons.get(part[0], [])
    elif patch and "@@ " not in patch:
        yield patch.rstrip("\n"), []


def error_of(article: Facts) -> str | None:
    """Why an article failed, in words."""
    error = article.get("error")
    return f"{error.get('kind')}: {error.get('message')}" if isinstance(error, dict) else None


def findings_of(article: Facts) -> list[str]:
    """What the checks found on an article."""
    found = _values(article.get("findings"))
    return [str(each.get("message") if isinstance(each, dict) else each) for each in found]


def _cause(record: Facts) -> Facts:
    """What a run was made for."""
    trigger = record.get("trigger")
    return trigger if isinstance(trigger, dict) else {}


def text_of(article: Facts) -> str | None:
    """Why an article was left or changed as a whole, as the model said it."""
    said = article.get("reasoning")
    return str(said) if said else None


def adoption(record: Facts) -> dict[str, int]:
    """How often articles were edited in places, and how often files were written as a whole; refusals left out."""
    made = {"edit_article": 0, "write_file": 0}
    for article in articles_of(record):
        usage = article.get("toolUsage")
        for name, counts in usage.items() if isinstance(usage, dict) else ():
            if name in made and isinstance(counts, dict):
                made[name] += int(counts.get("calls", 0)) - int(counts.get("refused", 0))
    return made


def summary(record: Facts) -> str:
    """The run in one line: how many articles of which status, tokens, time, how files were written."""
    by_status = [(name, len(articles_of(record, name))) for name in HEADINGS]
    counts = ", ".join(f"{number} {name}" for name, number in by_status if number) or "no article"
    tokens = sum(_number(each.get("tokens"), name) for each in articles_of(record) for name in ("input", "output"))
    seconds = sum(float(cast("float", each.get("seconds") or 0)) for each in articles_of(record))
    made = adoption(record)
    written = f"{counted(made['edit_article'], 'edit_article call')}, {counted(made['write_file'], 'write_file call')}"
    return f"{counts}; {counted(tokens, 'token')}, {seconds:.0f} s of conversation; {written}"


def _number(value: object, name: str) -> int:
    return int(value.get(name, 0)) if isinstance(value, dict) else 0


def evidence_texts(article: Facts) -> Sequence[str]:
    """Why an article was looked at, a line each."""
    found = article.get("evidence")
    items = [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
    return [f"{each.get('changedFile')} ({each.get('matchType')})" for each in items]


_MARKUP = lazy_pattern(r"[\\`*_{}\[\]()<>#+!|~$&-]")
_TURNED = lazy_pattern(r"(?<=@)(?=\w)|(?<=#)(?=\d)|(?<=:)(?=//)|(?<=www)(?=\.)")
_FENCE = lazy_pattern(r"`{3,}")


def render_markdown(record: Facts) -> str:
    """The whole report; it ends with a newline."""
    return "\n".join(_lines(record)) + "\n"


def _lines(record: Facts) -> Iterator[str]:
    cause = _cause(record)
    ends = [_commit(cause.get(name)) for name in ("base", "head")]
    yield "## Documentation impact"
    yield ""
    yield f"{plain(summary(record))}."
    yield f"Change {ends[0]} to {ends[1]}; model {_code(str(record.get('model')))}; run {_code(str(record.get('id')))}."
    for status, heading in HEADINGS.items():
        found = articles_of(record, status)
        if found:
            yield ""
            yield f"### {heading}"
        for article in found:
            yield from _article(article, status)
    for cycle in _lists(record.get("cycles")):
        yield ""
        yield f"These articles depend on each other: {' → '.join(_code(str(path)) for path in cycle)}."


def _article(article: Facts, status: str) -> Iterator[str]:
    yield ""
    yield f"#### {_code(str(article.get('path')))}"
    yield ""
    evidence = evidence_texts(article)
    if evidence:
        more = f" and {len(evidence) - 5} more" if len(evidence) > 5 else ""
        yield f"Because of {', '.join(_code(each) for each in evidence[:5])}{more}."
    error = error_of(article)
    if error is not None:
        yield f"**{plain(error)}**"
    said = text_of(article)
    if said is not None:
        yield f"> {plain(said)}"
    if status in ("updated", "partial") or article.get("patch"):
        for hunk, reasons in hunks_of(article):
            yield ""
            shown = visible(hunk)
            fence = "`" * max([3, *(len(each) + 1 for each in _FENCE.findall(shown))])
            yield f"{fence}diff"
            yield shown
            yield fence
            yield from (f"- {plain(reason)}" for reason in reasons)
    yield from (f"- check: {plain(message)}" for message in findings_of(article))


def plain(text: str) -> str:
    """A text on one line that is nothing but text.

    >>> plain("see <b>*@ada*</b>\\nhttps://example.org ![x](y)")
    'see \\\\<b\\\\>\\\\*@<!-- -->ada\\\\*\\\\</b\\\\> https:<!-- -->//example.org \\\\!\\\\[x\\\\]\\\\(y\\\\)'
    """
    one_line = " ".join(visible(text).split())
    escaped = _MARKUP.sub(lambda found: f"\\{found[0]}", one_line)
    return _TURNED.sub("<!-- -->", escaped)


def _code(text: str) -> str:
    """A text as code, which markup and mentions cannot leave."""
    shown = visible_line(text)
    runs = re.findall("`+", shown)
    fence = "`" * (max(map(len, runs), default=0) + 1)
    return f"{fence} {shown} {fence}" if runs else f"{fence}{shown}{fence}"


def _commit(name: object) -> str:
    return _code(str(name)[:12]) if isinstance(name, str) else "the working tree"


_STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --faint: #5b6570; --paper: #fff; --line: #d5dae0;
  --good: #e6f4ec; --bad: #fbeae7; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --faint: #9aa5b1; --paper: #15181b; --line: #343a41;
  --good: #17352a; --bad: #40201b; } }
body { margin: 2rem auto; padding: 0 1rem; max-width: 60rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.45 system-ui, sans-serif; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; } h3 { font-size: 1rem; font-family: monospace; }
p, li { color: var(--ink); } .faint { color: var(--faint); } .error { font-weight: bold; }
blockquote { margin: .5rem 0; padding-left: .8rem; border-left: 3px solid var(--line); white-space: pre-wrap; }
pre { border: 1px solid var(--line); border-radius: .4rem; padding: .5rem; overflow-x: auto; }
pre span { display: block; } .added { background: var(--good); } .removed { background: var(--bad); }
"""


def render_run_page(record: Facts) -> str:
    """The whole page."""
    return static_document(f"Impact run {record.get('id')}", _STYLE, _body(record))


def _body(record: Facts) -> Iterator[Html]:
    cause = _cause(record)
    ends = f"change {cause.get('base') or ''} to {cause.get('head') or 'the working tree'}"
    about = f"{ends}, model {record.get('model')}, run {record.get('id')}, {record.get('time')}"
    yield el("h1", "Documentation impact")
    yield el("p", visible_line(summary(record)))
    yield el("p", visible_line(about), class_="faint")
    for status, heading in HEADINGS.items():
        found = articles_of(record, status)
        if found:
            yield el("h2", heading)
        yield from (el("section", *_article_html(article)) for article in found)


def _article_html(article: Facts) -> Iterator[Html]:
    yield el("h3", visible_line(str(article.get("path"))))
    evidence, error, said = evidence_texts(article), error_of(article), text_of(article)
    if evidence:
        yield el("p", visible_line(f"because of {', '.join(evidence)}"), class_="faint")
    if error is not None:
        yield el("p", visible_line(error), class_="error")
    if said is not None:
        yield el("blockquote", said)
    for hunk, reasons in hunks_of(article):
        yield el("pre", *map(_row, hunk.splitlines()))
        if reasons:
            yield el("ul", *(el("li", visible_line(reason)) for reason in reasons))
    yield from (el("p", visible_line(f"check: {message}")) for message in findings_of(article))


def _row(row: str) -> Html:
    kind = {"+": "added", "-": "removed", "@": "faint"}.get(row[:1])
    return el("span", visible_line(row) or " ", class_=kind)
