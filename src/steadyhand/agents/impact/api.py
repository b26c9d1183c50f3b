"""`sh.impact`: what a change of the code means for the articles of a tree.

    report = sh.impact.extract(".", base="main")     # the change: files, hunks, definitions
    found = sh.impact.search(".", base="main")       # the articles it may concern, with the evidence
    findings = sh.impact.lint(".")                   # what is wrong with the articles' rules
    proposals = sh.impact.suggest(".")               # rules that articles lack
    record = sh.impact.run(".", model="anthropic:claude-sonnet-4-5", base="main")   # corrects them

Each takes the root of a tree, or a workspace that is open, and answers with a value that has `to_json()`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypedDict, Unpack

from steadyhand.session.checks import AnyPath, names, path_of
from steadyhand.session.workspace import Workspace

if TYPE_CHECKING:
    from steadyhand.agents.impact.prompt import Budget
    from steadyhand.agents.impact.review import Edited, Proposal, Remark, Reviewer
    from steadyhand.agents.impact.run import Watch
    from steadyhand.agents.model import Answered, Model, ModelError, Offered, Reply, Said, Tokens, ToolCall
    from steadyhand.agents.runner import Limits
    from steadyhand.articles.attention import Article, Problem, Rule
    from steadyhand.articles.changes import ChangedFile, Commit, LeftOut
    from steadyhand.articles.checks import Finding
    from steadyhand.articles.lint import Coverage, Lint, LintFinding
    from steadyhand.articles.report import FileReport, Report, ShownHunk
    from steadyhand.articles.search import Evidence, Flagged, Search
    from steadyhand.articles.suggest import ProposedRule, Suggestion, Suggestions
    from steadyhand.tools.framework_calls import Made
    from steadyhand.tools.workspace import Workspace as ToolWorkspace

__all__ = [
    "Answered",
    "Article",
    "Budget",
    "ChangedFile",
    "Commit",
    "Coverage",
    "Edited",
    "Evidence",
    "FileReport",
    "Finding",
    "Flagged",
    "LeftOut",
    "Limits",
    "Lint",
    "LintFinding",
    "Made",
    "Model",
    "ModelError",
    "Offered",
    "Problem",
    "Proposal",
    "ProposedRule",
    "Remark",
    "Reply",
    "Report",
    "Reviewer",
    "Rule",
    "Said",
    "Search",
    "ShownHunk",
    "Suggestion",
    "Suggestions",
    "Tokens",
    "ToolCall",
    "extract",
    "lint",
    "run",
    "search",
    "suggest",
]

# The types of what is given and taken, each loaded when it is first asked for.
_TYPES = {
    "steadyhand.agents.impact.prompt": "Budget",
    "steadyhand.agents.impact.review": "Edited Proposal Remark Reviewer",
    "steadyhand.agents.model": "Answered Model ModelError Offered Reply Said Tokens ToolCall",
    "steadyhand.agents.runner": "Limits",
    "steadyhand.articles.attention": "Article Problem Rule",
    "steadyhand.articles.changes": "ChangedFile Commit LeftOut",
    "steadyhand.articles.checks": "Finding",
    "steadyhand.articles.lint": "Coverage Lint LintFinding",
    "steadyhand.articles.report": "FileReport Report ShownHunk",
    "steadyhand.articles.search": "Evidence Flagged Search",
    "steadyhand.articles.suggest": "ProposedRule Suggestion Suggestions",
    "steadyhand.tools.framework_calls": "Made",
}
_HOMES = {name: home for home, names in _TYPES.items() for name in names.split()}

Tree = AnyPath | Workspace


class _Given(TypedDict, total=False):
    """The settings of a run, as keywords."""

    base: str | None
    uncommitted: bool
    docs: tuple[str, ...]
    mentions: bool
    jobs: int
    limit: int | None
    dry_run: bool
    allow_new: bool
    propagate: bool
    max_depth: int
    again: bool
    limits: Limits
    budget: Budget


def extract(
    tree: Tree = ".",
    *,
    base: str | None = None,
    uncommitted: bool = False,
    per_file: int | None = None,
    total: int | None = None,
) -> Report:
    """What the change that is checked out did: files, hunks with what they are in, definitions that changed.

    From the commit where the branch left `base` (detected where none is given) to HEAD; with `uncommitted`, from HEAD
    to the working tree. `per_file` and `total` limit the characters of diff that are shown.
    Refuses with `no-such-file` where there is no git repository, `not-installed` without git, and `bad-request` where
    the base is no commit or cannot be detected.
    """
    from steadyhand.articles.report import PER_FILE, TOTAL
    from steadyhand.articles.report import extract as extract_report

    with _opened(tree) as workspace:
        return extract_report(
            workspace,
            base=base,
            uncommitted=uncommitted,
            per_file=PER_FILE if per_file is None else per_file,
            total=TOTAL if total is None else total,
        )


def search(
    tree: Tree = ".",
    *,
    base: str | None = None,
    uncommitted: bool = False,
    docs: Sequence[str] = (),
    mentions: bool = False,
    source: str | None = None,
    source_root: AnyPath | None = None,
) -> Search:
    """The articles that the change may concern, sorted by path, each with the evidence, the strongest first.

    `docs` are directories or files to look in. `mentions` adds pages that only name something of the change.
    `source` and `source_root` take the change from another repository, which rules call by that name.
    """
    from steadyhand.articles.search import search as search_articles

    with _opened(tree) as workspace:
        return search_articles(
            workspace,
            base=base,
            uncommitted=uncommitted,
            docs=names(docs, "docs"),
            mentions=mentions,
            source=source,
            source_root=None if source_root is None else path_of(source_root, "source_root"),
        )


def lint(tree: Tree = ".", *, docs: Sequence[str] = (), coverage: bool = False) -> Lint:
    """What is wrong with the rules of articles: dead paths, globs, symbols, keys and ids, duplicate ids, cycles.

    With `coverage` also the pages without rules, and which source files no article attends to.
    """
    from steadyhand.articles.lint import lint as lint_articles

    with _opened(tree) as workspace:
        return lint_articles(workspace, docs=names(docs, "docs"), coverage=coverage)


def suggest(tree: Tree = ".", *, docs: Sequence[str] = (), write: bool = False) -> Suggestions:
    """Rules that articles lack, from what they name and from what changed together with them.

    With `write` they are added to the front matter, one change for each article; an article where that is refused is
    left as it is.
    """
    from contextlib import suppress

    from steadyhand.articles.suggest import suggest as suggest_rules
    from steadyhand.articles.suggest import write_suggestion
    from steadyhand.errors import EditError

    with _opened(tree, read_only=not write) as workspace:
        found = suggest_rules(workspace, docs=names(docs, "docs"))
        for each in found.articles if write else ():
            with suppress(EditError):
                write_suggestion(workspace, each)
        return found


def run(
    tree: AnyPath | ToolWorkspace = ".",
    *,
    model: str | Model,
    base_url: str | None = None,
    api_key: str | None = None,
    resume: str | None = None,
    reviewer: Reviewer | None = None,
    watch: Watch | None = None,
    **settings: Unpack[_Given],
) -> dict[str, object]:
    """Let a model correct the articles that the change made wrong; the record of the run.

    `model` is a name as pydantic-ai has it, or an object with `name` and `ask`. Settings are those of `ImpactSettings`:
    `base`, `uncommitted`, `docs`, `mentions`, `jobs`, `limit`, `dry_run`, `allow_new`, `propagate`, `max_depth`,
    `again`, `limits`, `budget`. `reviewer` is asked before each article and before each change; without one every edit
    of the model is written, and can be undone. Refuses with `not-installed` without the extra `agent`.
    """
    from steadyhand.agents.impact.review import ImpactSettings
    from steadyhand.agents.impact.run import run_impact
    from steadyhand.agents.model import named_model
    from steadyhand.tools.workspace import Workspace as ToolWorkspace

    asked = named_model(model, base_url=base_url, api_key=api_key) if isinstance(model, str) else model
    given = ImpactSettings(**settings)
    if isinstance(tree, ToolWorkspace):
        return run_impact(tree, asked, given, resume=resume, reviewer=reviewer, watch=watch)
    with ToolWorkspace(path_of(tree, "tree")) as workspace:
        return run_impact(workspace, asked, given, resume=resume, reviewer=reviewer, watch=watch)


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home), name)


@contextmanager
def _opened(tree: Tree, *, read_only: bool = True) -> Iterator[Workspace]:
    """The workspace that was given, or one of the tree."""
    if isinstance(tree, Workspace):
        yield tree
        return
    with Workspace(tree, read_only=read_only) as workspace:
        yield workspace
