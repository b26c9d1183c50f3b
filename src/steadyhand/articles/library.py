"""All pages of a tree: which of them are articles, what they attend to, and who attends to whom.

The tree is walked once and every page is read once; texts are not kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final

from steadyhand.articles.attention import Article, Problem, Rule, read_article
from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.session.host import host_of
from steadyhand.session.workspace import Workspace
from steadyhand.structure.page import is_page
from steadyhand.text.cancel import check_cancelled
from steadyhand.text.source import Source
from steadyhand.workspace.files.protection import classify

__all__ = ["Library", "read_library", "read_page"]

_ENTRIES: Final = 1_000_000
_SECONDS: Final = 300.0
_DEPTH: Final = 64
_LARGEST: Final = 16 << 20  # characters of a page


@dataclass(frozen=True)
class Library:
    """The articles of a tree, sorted by path; `pages` are all files that could be one."""

    articles: tuple[Article, ...]
    pages: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()

    @cached_property
    def by_name(self) -> dict[str, list[Article]]:
        """The articles by id and by path. An id that two articles have means both."""
        found: dict[str, list[Article]] = {}
        for article in self.articles:
            for name in dict.fromkeys((article.jrn, article.path)):
                found.setdefault(name, []).append(article)
        return found

    def meant(self, rule: Rule) -> list[Article]:
        """The articles that a rule with `op: article` names, by id or by path."""
        return self.by_name.get(rule.place) or self.by_name.get(rule.place.removeprefix("./").strip("/"), [])

    def attending(self, article: Article) -> list[tuple[Article, Rule]]:
        """The articles that attend to this one, each with the rule that says so, sorted by path."""
        return self._attending.get(article.path, [])

    @cached_property
    def _attending(self) -> dict[str, list[tuple[Article, Rule]]]:
        found: dict[str, list[tuple[Article, Rule]]] = {}
        for article in self.articles:
            for rule in article.rules:
                if rule.op == "article" and rule.source is None:
                    for meant in self.meant(rule):
                        if meant.path != article.path:
                            found.setdefault(meant.path, []).append((article, rule))
        return found

    def cycles(self) -> list[tuple[Article, ...]]:
        """Groups of articles that attend to each other, directly or through others; each group sorted by path."""
        return [group for group in _components(self.articles, self._attending) if len(group) > 1]


def read_library(workspace: Workspace, docs: Sequence[str] = ()) -> Library:
    """The articles of a workspace, or of some of its directories and files.

    Ignored files, links and secrets are passed over. Refuses with `no-such-file` a directory that is not there.
    """
    found: list[Article] = []
    problems: list[Problem] = []
    pages = list(_pages(workspace, docs, problems))
    for path in pages:
        check_cancelled()
        source = read_page(workspace, path, problems)
        if source is not None:
            article, wrong = read_article(path, source.text)
            problems += wrong
            found += [] if article is None else [article]
    problems.sort(key=lambda each: (each.path, each.line or 0))
    return Library(tuple(found), tuple(pages), tuple(problems))


def read_page(workspace: Workspace, path: str, problems: list[Problem]) -> Source | None:
    """A page's text; None, and a problem, where it cannot be read."""
    try:
        source = host_of(workspace).source(path)
    except EditError as error:
        problems.append(Problem(path, f"it cannot be read: {error.message}"))
        return None
    if len(source.text) > _LARGEST:
        problems.append(Problem(path, "it is too large to be read"))
        return None
    return source


def _pages(workspace: Workspace, docs: Sequence[str], problems: list[Problem]) -> Iterator[str]:
    paths: set[str] = set()
    for place in docs or (".",):
        paths.update(_beneath(workspace, place, problems))
    return iter(sorted(path for path in paths if not classify(path).secret))


def _beneath(workspace: Workspace, place: str, problems: list[Problem]) -> Iterable[str]:
    """The pages of a directory, or the one page that is named."""
    try:
        listing = workspace.files(place, depth=_DEPTH, limit=_ENTRIES, seconds=_SECONDS, skip_ignored=True)
    except EditError as error:
        if error.kind is not Kind.NO_SUCH_FILE:
            raise
        named = host_of(workspace).source(place).path or place  # refuses where it is not there either
        return [named] if is_page(named) else []
    if listing.cut is not None:
        problems.append(Problem(place, f"it was searched only in part: {listing.cut}"))
    return [path for path in listing.files if is_page(path)]


def _components(
    articles: Sequence[Article], attending: dict[str, list[tuple[Article, Rule]]]
) -> Iterator[tuple[Article, ...]]:
    """Strongly connected articles, by Tarjan's algorithm without recursion, in the order of their first paths."""
    by_path = {article.path: article for article in articles}
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    groups: list[tuple[Article, ...]] = []
    for root in by_path:
        if root in index:
            continue
        work = [(root, iter(attending.get(root, [])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, rest = work[-1]
            for neighbour, _ in rest:
                path = neighbour.path
                if path not in index:
                    index[path] = low[path] = len(index)
                    stack.append(path)
                    on_stack.add(path)
                    work.append((path, iter(attending.get(path, []))))
                    break
                if path in on_stack:
                    low[node] = min(low[node], index[path])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    on_stack.difference_update(stack[at:])
                    groups.append(tuple(by_path[path] for path in sorted(stack[at:])))
                    del stack[at:]
    return iter(sorted(groups, key=lambda group: group[0].path))
