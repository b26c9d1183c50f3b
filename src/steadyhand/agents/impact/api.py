"""`sh.impact`: what a change of the code means for the articles of a tree.

    report = sh.impact.extract(".", base="main")     # the change: files, hunks, definitions
    found = sh.impact.search(".", base="main")       # the articles it may concern, with the evidence
    findings = sh.impact.lint(".")                   # what is wrong with the articles' rules
    proposals = sh.impact.suggest(".")               # rules that articles lack

Each takes the root of a tree, or a workspace that is open, and answers with a value that has `to_json()`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from steadyhand.session.checks import AnyPath, path_of
from steadyhand.session.workspace import Workspace

if TYPE_CHECKING:
    from steadyhand.articles.lint import Lint
    from steadyhand.articles.report import Report
    from steadyhand.articles.search import Search
    from steadyhand.articles.suggest import Suggestions

__all__ = ["extract", "lint", "search", "suggest"]

Tree = AnyPath | Workspace


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
    the base is no commit or cannot be told.
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
            docs=docs,
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
        return lint_articles(workspace, docs=docs, coverage=coverage)


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
        found = suggest_rules(workspace, docs=docs)
        for each in found.articles if write else ():
            with suppress(EditError):
                write_suggestion(workspace, each)
        return found


@contextmanager
def _opened(tree: Tree, *, read_only: bool = True) -> Iterator[Workspace]:
    """The workspace that was given, or one of the tree."""
    if isinstance(tree, Workspace):
        yield tree
        return
    with Workspace(tree, read_only=read_only) as workspace:
        yield workspace
