"""What is wrong with the rules of articles: names that lead nowhere, ids that two have, articles in a circle.

front-matter    the front matter, or one rule of it, cannot be read
dead-path       a rule names a file that is not there
dead-glob       a rule's pattern matches no file
dead-symbol     the file has no such definition
dead-key        the file has no such key
dead-article    no article has that id or path
duplicate-jrn   two articles have one id
cycle           articles depend on each other in a circle
uncovered       a page has no rule; only where coverage is asked for
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from steadyhand.articles.attention import Article, Rule
from steadyhand.articles.definitions import has_key, has_symbol
from steadyhand.articles.library import Library, read_library
from steadyhand.articles.search import Pattern
from steadyhand.errors import EditError
from steadyhand.lazy import dataclass, field
from steadyhand.session.host import host_of
from steadyhand.session.workspace import Workspace
from steadyhand.structure.code.language import languages
from steadyhand.structure.node import Refusal
from steadyhand.text.cancel import check_cancelled
from steadyhand.text.resemblance import similar_names
from steadyhand.text.source import Source

__all__ = ["Coverage", "Lint", "LintFinding", "lint"]

LintKind = Literal[
    "front-matter",
    "dead-path",
    "dead-glob",
    "dead-symbol",
    "dead-key",
    "dead-article",
    "duplicate-jrn",
    "cycle",
    "uncovered",
]

_ENTRIES: Final = 1_000_000
_SECONDS: Final = 300.0
_PROSE: Final = (".md", ".mdx", ".markdown", ".html", ".htm", ".rst", ".adoc")


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One thing to correct; `rule` is the one it is about."""

    kind: LintKind
    path: str
    message: str
    line: int | None = None
    rule: Rule | None = None

    def to_json(self) -> dict[str, object]:
        more = {"line": self.line, "rule": None if self.rule is None else self.rule.to_json()}
        said = {"kind": self.kind, "path": self.path, "message": self.message}
        return said | {name: value for name, value in more.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many pages have rules, and how many source files some rule means; both with those that are left."""

    pages: int
    uncovered_pages: tuple[str, ...]
    sources: int
    unattended: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        return {
            "pages": self.pages,
            "uncoveredPages": list(self.uncovered_pages),
            "sources": self.sources,
            "unattendedSources": list(self.unattended),
        }


@dataclass(frozen=True, slots=True)
class Lint:
    """What was found, sorted by path and line."""

    findings: tuple[LintFinding, ...]
    articles: int
    coverage: Coverage | None = None

    def to_json(self) -> dict[str, object]:
        coverage = {} if self.coverage is None else {"coverage": self.coverage.to_json()}
        return {"findings": [each.to_json() for each in self.findings], "articles": self.articles, **coverage}


def lint(workspace: Workspace, *, docs: Sequence[str] = (), coverage: bool = False) -> Lint:
    """Check the rules of all articles against the tree. Rules about other repositories are passed over."""
    library = read_library(workspace, docs)
    # An article outside of `docs` may be attended to as well.
    everything = read_library(workspace) if docs else library
    listing = workspace.files(depth=64, limit=_ENTRIES, seconds=_SECONDS, skip_ignored=True)
    linter = _Linter(workspace, everything, tuple(listing.files), frozenset(listing.directories))
    findings = [LintFinding("front-matter", each.path, each.message, each.line) for each in library.problems]
    for article in library.articles:
        check_cancelled()
        findings += linter.of_article(article)
    findings += _duplicates(library, everything)
    findings += _cycles(library, everything)
    covered = _coverage(library, linter.files) if coverage else None
    if covered is not None:
        findings += [
            LintFinding("uncovered", path, "no rule declares what it depends on") for path in covered.uncovered_pages
        ]
    findings.sort(key=lambda each: (each.path, each.line or 0, each.kind, each.message))
    return Lint(tuple(findings), len(library.articles), covered)


@dataclass(slots=True)
class _Linter:
    workspace: Workspace
    library: Library
    files: tuple[str, ...]
    directories: frozenset[str]
    sources: dict[str, Source | str] = field(default_factory=dict)
    matched: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def of_article(self, article: Article) -> Iterator[LintFinding]:
        for rule in article.rules:
            if rule.source is not None:
                continue
            found = self._of_article_rule(rule) if rule.op == "article" else self._of_path(rule)
            if found is not None:
                yield LintFinding(found[0], article.path, found[1], rule.line, rule)

    def _of_article_rule(self, rule: Rule) -> tuple[LintKind, str] | None:
        if self.library.meant(rule):
            return None
        near = similar_names(rule.place, self.library.by_name, 1)
        return "dead-article", f"no article is called {rule.path}" + (f"; did you mean {near[0]}?" if near else "")

    def _of_path(self, rule: Rule) -> tuple[LintKind, str] | None:
        files = self._matching(rule)
        if not files:
            if rule.has_wildcards:
                return "dead-glob", f"{rule.path} matches no file"
            return "dead-path", f"there is no file {rule.place}"
        if rule.op == "file":
            return None
        verdicts = [self._has(rule, file) for file in files]
        if any(verdict is None for verdict in verdicts):
            return None
        kind: LintKind = "dead-symbol" if rule.op == "symbol" else "dead-key"
        return kind, next(verdict for verdict in verdicts if verdict is not None)

    def _has(self, rule: Rule, file: str) -> str | None:
        """What is wrong with a definition or key that a rule names in a file; None: it is there."""
        source = self._source(file)
        if isinstance(source, str):
            return f"{file} cannot be read: {source}"
        name = rule.name or ""
        found = has_symbol(source, name) if rule.op == "symbol" else has_key(source, name)
        if isinstance(found, Refusal):
            return f"{file}: {found.message}"
        return None if found else f"{file} has no {'definition' if rule.op == 'symbol' else 'key'} {name}"

    def _source(self, file: str) -> Source | str:
        if file not in self.sources:
            if len(self.sources) >= 64:  # so that memory stays bounded
                self.sources.clear()
            try:
                self.sources[file] = host_of(self.workspace).source(file)
            except EditError as error:
                self.sources[file] = error.message
        return self.sources[file]

    def _matching(self, rule: Rule) -> tuple[str, ...]:
        """Files that a rule means: all of them for a definition or key, else the first."""
        key = rule.place if rule.op == "file" else f"{rule.place}\0all"
        if key not in self.matched:
            found = []
            for file in matching(rule.place, self.files):
                found.append(file)
                if rule.op == "file" or len(found) == 100:
                    break
            self.matched[key] = tuple(found)
        return self.matched[key]


def matching(place: str, files: Sequence[str]) -> Iterator[str]:
    """The files, sorted, that a path or glob means; only those in the directory that it names are looked at."""
    pattern = Pattern.of(place)
    return (file for file in pattern.candidates(files) if pattern.match(file) is not None)


def _duplicates(library: Library, everything: Library) -> Iterator[LintFinding]:
    for article in library.articles:
        others = [each.path for each in everything.by_name[article.jrn] if each.path != article.path]
        if article.is_named and others:
            yield LintFinding("duplicate-jrn", article.path, f"{', '.join(others[:5])} also has the id {article.jrn}")


def _cycles(library: Library, everything: Library) -> Iterator[LintFinding]:
    own = {article.path for article in library.articles}
    for group in everything.cycles():
        paths = [article.path for article in group]
        if own & set(paths):
            yield LintFinding("cycle", paths[0], f"articles depend on each other in a circle: {', '.join(paths[:20])}")


def _coverage(library: Library, files: Sequence[str]) -> Coverage:
    attending = {article.path for article in library.articles if article.rules}
    pages = [path for path in library.pages if path.lower().endswith(_PROSE) or path in attending]
    places = {
        rule.place
        for article in library.articles
        for rule in article.rules
        if rule.op != "article" and rule.source is None and not rule.is_excluding
    }
    endings = tuple(suffix for language in languages().values() for suffix in language.suffixes)
    sources = [file for file in files if file.lower().endswith(endings)]
    met = {file for place in places for file in matching(place, sources)}
    return Coverage(
        len(pages),
        tuple(path for path in pages if path not in attending),
        len(sources),
        tuple(file for file in sources if file not in met),
    )
