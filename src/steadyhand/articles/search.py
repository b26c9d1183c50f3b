"""Which articles a change may concern, and why: the evidence.

Every rule of every article is checked once; a file is parsed only if it changed and a rule names a definition or a key
in it. Articles without evidence are left out.

    exact     a rule names the file's path, that before a rename included
    glob      a rule's pattern or directory has it
    symbol    the named definition's own text changed
    key       the named key's value changed
    article   an article that this one attends to changed
    mention   the page names a changed path or symbol, or a command-line flag or environment variable in changed lines;
              weak, and only where it is asked for
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final, Literal

from steadyhand.articles.attention import Article, Problem, Rule, read_article
from steadyhand.articles.changes import ChangedFile, Changes, read_changes
from steadyhand.articles.definitions import Verdict, key_verdict, symbol_verdict
from steadyhand.articles.library import Library, read_library
from steadyhand.lazy import dataclass, field
from steadyhand.session.workspace import Workspace
from steadyhand.structure.page import is_page
from steadyhand.text.cancel import check_cancelled
from steadyhand.workspace.files.listing import Glob, expand_braces, has_wildcards, parse_glob

__all__ = ["Evidence", "Flagged", "Pattern", "Search", "match", "search"]

MatchType = Literal["exact", "glob", "symbol", "key", "article", "mention"]

_ORDER: Final = ("exact", "glob", "symbol", "key", "article", "mention")


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reason why an article may be wrong now.

    `rule` is None for a mention, which `mention` then names. `doubt` says why it is not certain.
    """

    rule: Rule | None
    changed_file: str
    match_type: MatchType
    commits: tuple[str, ...] = ()
    mention: str | None = None
    line: int | None = None
    doubt: str | None = None

    def to_json(self) -> dict[str, object]:
        said: dict[str, object] = {
            "rule": None if self.rule is None else self.rule.to_json(),
            "changedFile": self.changed_file,
            "matchType": self.match_type,
            "commits": list(self.commits),
        }
        more = {"mention": self.mention, "line": self.line, "doubt": self.doubt}
        return said | {name: value for name, value in more.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Flagged:
    """An article that a change may concern, with the evidence, the strongest first."""

    article: Article
    evidence: tuple[Evidence, ...]

    def to_json(self) -> dict[str, object]:
        return {
            "jrn": self.article.jrn,
            "path": self.article.path,
            "evidence": [each.to_json() for each in self.evidence],
        }


@dataclass(frozen=True, slots=True)
class Search:
    """The articles that a change may concern, sorted by path, and what is wrong with pages of the tree."""

    articles: tuple[Flagged, ...]
    problems: tuple[Problem, ...] = ()
    base: str | None = None
    head: str | None = None
    changed: int = 0
    looked_at: int = 0

    def to_json(self) -> dict[str, object]:
        return {
            "articles": [each.to_json() for each in self.articles],
            "problems": [each.to_json() for each in self.problems],
            "base": self.base,
            "head": self.head,
            "changedFiles": self.changed,
            "articlesRead": self.looked_at,
        }


def search(
    workspace: Workspace,
    *,
    base: str | None = None,
    uncommitted: bool = False,
    docs: Sequence[str] = (),
    mentions: bool = False,
    source: str | None = None,
    source_root: str | None = None,
) -> Search:
    """The articles of a workspace that the change which is checked out may concern.

    `source` is the name that rules call the changed repository by, and `source_root` where its clone is; without them
    the change is the workspace's own, and rules with a `source` are passed over. Refuses as `read_changes` does.
    """
    library = read_library(workspace, docs)
    if source_root is None:
        with read_changes(workspace, base=base, uncommitted=uncommitted) as changes:
            return match(library, changes, workspace, source=source, mentions=mentions)
    with (
        Workspace(source_root, read_only=True) as other,
        read_changes(other, base=base, uncommitted=uncommitted) as changes,
    ):
        return match(library, changes, workspace, source=source, mentions=mentions)


def match(
    library: Library,
    changes: Changes,
    workspace: Workspace,
    *,
    source: str | None = None,
    mentions: bool = False,
) -> Search:
    """The articles of a library that a change may concern."""
    matcher = _Matcher(library, changes, source, tuple(sorted(changes.by_name)))
    matcher.judge()
    found: dict[str, list[Evidence]] = {}
    for article in library.articles:
        check_cancelled()
        evidence = matcher.evidence(article)
        if evidence:
            found[article.path] = evidence
    if mentions:
        from steadyhand.articles.mentions import mentioned

        for path, named in mentioned(workspace, library, changes):
            strong = {each.changed_file for each in found.get(path, [])}
            found.setdefault(path, []).extend(each for each in named if each.changed_file not in strong)
    by_path = {article.path: article for article in library.articles}
    flagged = [
        Flagged(by_path.get(path) or Article(path, path), tuple(sorted(evidence, key=_strength)))
        for path, evidence in sorted(found.items())
        if evidence
    ]
    looked_at = len(library.pages) if mentions else len(library.articles)
    return Search(tuple(flagged), library.problems, changes.base, changes.head, len(changes.files), looked_at)


def _strength(evidence: Evidence) -> tuple[object, ...]:
    rule = evidence.rule
    said = ("", "", "", 0) if rule is None else (rule.op, rule.path, rule.source or "", rule.line)
    return _ORDER.index(evidence.match_type), evidence.changed_file, said, evidence.mention or ""


@dataclass(frozen=True, slots=True)
class Pattern:
    """The path or glob of a rule. A path also means what lies beneath it, where it is a directory."""

    place: str
    globs: tuple[Glob, ...] = ()

    def candidates(self, names: Sequence[str]) -> Iterator[str]:
        """Of names that are sorted, those that begin as everything does that is meant."""
        folders = {"/".join(glob.folder) for glob in self.globs}
        start = self.place if not has_wildcards(self.place) else folders.pop() if len(folders) == 1 else ""
        for number in range(bisect_left(names, start), len(names)):
            if not names[number].startswith(start):
                return
            yield names[number]

    @classmethod
    def of(cls, place: str) -> Pattern:
        """
        >>> pattern = Pattern.of("src/*.{py,pyi}")
        >>> pattern.match("src/a.py"), pattern.match("src/b/a.py"), Pattern.of("src").match("src/a.py")
        ('glob', None, 'glob')
        """
        choices = expand_braces(place) or []
        return cls(place.rstrip("/"), tuple(parse_glob(f"/{choice.rstrip('/')}") for choice in choices))

    def match(self, path: str) -> Literal["exact", "glob"] | None:
        """How the rule means a path; a file whose name has wildcards in it is meant by that name."""
        if path == self.place:
            return "exact"
        if path.startswith(f"{self.place}/"):
            return "glob"
        names = path.split("/")
        return "glob" if any(glob.matches(names) for glob in self.globs) else None


@dataclass(slots=True)
class _Matcher:
    """One search in progress. What was found out about a pattern, a definition or a key is kept."""

    library: Library
    changes: Changes
    source: str | None
    names: tuple[str, ...] = ()
    files_by_place: dict[str, list[tuple[ChangedFile, str, MatchType]]] = field(default_factory=dict)
    verdicts: dict[tuple[str, str, str], Verdict] = field(default_factory=dict)
    deleted: dict[str, list[ChangedFile]] | None = None

    def evidence(self, article: Article) -> list[Evidence]:
        rules = [rule for rule in article.rules if rule.source == self.source]
        excluded = {name for rule in rules if rule.is_excluding for _, name, _ in self._files(rule.place)}
        found: dict[tuple[object, ...], Evidence] = {}
        for rule in rules:
            if not rule.is_excluding:
                for each in self._of_rule(article, rule, excluded):
                    found.setdefault((rule.op, rule.path, each.changed_file), each)
        return list(found.values())

    def _of_rule(self, article: Article, rule: Rule, excluded: set[str]) -> list[Evidence]:
        if rule.op == "article":
            return self._of_articles(article, rule)
        meant = self._files(rule.place)
        if rule.op == "file":
            return [
                Evidence(rule, file.path, how, file.commits)
                for file, name, how in meant
                if name not in excluded and file.path != article.path
            ]
        found = []
        for file in dict.fromkeys(file for file, _, _ in meant):
            verdict = self.verdicts[rule.op, file.path, rule.name or ""]
            if verdict.is_changed:
                kind: MatchType = "symbol" if rule.op == "symbol" else "key"
                found.append(Evidence(rule, file.path, kind, file.commits, doubt=verdict.doubt))
        return found

    def _of_articles(self, article: Article, rule: Rule) -> list[Evidence]:
        named = [file for meant in self.library.meant(rule) for file in self.changes.by_name.get(meant.path, [])]
        named += self.changes.by_name.get(rule.place, []) or self._deleted(rule.place)
        files = {file.path: file for file in named if file.path != article.path}
        return [Evidence(rule, path, "article", files[path].commits) for path in sorted(files)]

    def _files(self, place: str) -> list[tuple[ChangedFile, str, MatchType]]:
        """The changed files that a path or glob means, each with the name that it means, old or new."""
        found = self.files_by_place.get(place)
        if found is None:
            pattern = Pattern.of(place)
            named = ((name, pattern.match(name)) for name in pattern.candidates(self.names))
            found = [(file, name, how) for name, how in named if how for file in self.changes.by_name[name]]
            self.files_by_place[place] = found
        return found

    def judge(self) -> None:
        """Decide about every definition and key that rules name in changed files, file by file: each is parsed once."""
        asked: dict[ChangedFile, dict[tuple[str, str], None]] = {}
        for article in self.library.articles:
            for rule in article.rules:
                if rule.op in ("symbol", "key") and rule.source == self.source:
                    for file, _, _ in self._files(rule.place):
                        asked.setdefault(file, {})[rule.op, rule.name or ""] = None
        for file, names in asked.items():
            check_cancelled()
            sides = self.changes.sides(file, only_compared=True)
            for op, name in names:
                if isinstance(sides, str):
                    verdict = Verdict(True, f"the file is not compared: {sides}")
                else:
                    verdict = (symbol_verdict if op == "symbol" else key_verdict)(*sides, name)
                self.verdicts[op, file.path, name] = verdict

    def _deleted(self, name: str) -> list[ChangedFile]:
        """The pages that the change deleted, by the ids that they had."""
        if self.deleted is None:
            self.deleted = {}
            for file in self.changes.files:
                sides = self.changes.sides(file) if file.status == "deleted" and is_page(file.path) else ""
                if not isinstance(sides, str) and sides[0] is not None:
                    gone, _ = read_article(file.path, sides[0].text)
                    if gone is not None:
                        self.deleted.setdefault(gone.jrn, []).append(file)
        return self.deleted.get(name, [])
