"""Rules that articles lack: files and definitions that they name, and files that change together with them.

A proposal says why it is made. Files that a rule of the article means already are not proposed again.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from steadyhand.articles.attention import Article, Rule
from steadyhand.articles.library import Library, read_library, read_page
from steadyhand.articles.mentions import is_distinctive, names_in
from steadyhand.articles.search import Pattern
from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.session.host import host_of
from steadyhand.session.receipt import Receipt
from steadyhand.session.workspace import Workspace
from steadyhand.structure.code.language import languages
from steadyhand.structure.code.reader import code_of
from steadyhand.structure.node import Refusal
from steadyhand.text.cancel import check_cancelled
from steadyhand.workspace.files.protection import classify
from steadyhand.workspace.git import Git

__all__ = ["ProposedRule", "Suggestion", "Suggestions", "suggest", "write_suggestion"]

_ENTRIES: Final = 1_000_000
_SECONDS: Final = 300.0
_MOST_FILES: Final = 5_000  # whose definitions are read
_MOST_TEXT: Final = 20 << 20  # characters of them
_COMMITS: Final = 2_000
_WIDE: Final = 30  # files of a commit that says nothing about what belongs together
_TOGETHER: Final = 3  # commits that changed both
_SHARE: Final = 0.5  # of the commits that changed the article
_MOST_RULES: Final = 20  # for one article


@dataclass(frozen=True, slots=True)
class ProposedRule:
    """A rule that an article could have, and why."""

    op: str
    path: str
    why: str

    def to_json(self) -> dict[str, object]:
        return {"op": self.op, "path": self.path, "why": self.why}


@dataclass(frozen=True, slots=True)
class Suggestion:
    """The rules that are proposed for one article, the surest first."""

    article: Article
    proposals: tuple[ProposedRule, ...]

    def to_json(self) -> dict[str, object]:
        return {
            "jrn": self.article.jrn,
            "path": self.article.path,
            "proposals": [each.to_json() for each in self.proposals],
        }


@dataclass(frozen=True, slots=True)
class Suggestions:
    """What is proposed for the articles of a tree, sorted by path."""

    articles: tuple[Suggestion, ...]

    def to_json(self) -> dict[str, object]:
        return {"articles": [each.to_json() for each in self.articles]}


def suggest(workspace: Workspace, *, docs: Sequence[str] = ()) -> Suggestions:
    """Propose rules for the pages of a workspace. Without git, history is left aside."""
    library = read_library(workspace, docs)
    listing = workspace.files(depth=64, limit=_ENTRIES, seconds=_SECONDS, skip_ignored=True)
    files = frozenset(path for path in listing.files if not classify(path).secret)
    articles = {article.path: article for article in library.articles}
    symbols = _Symbols(workspace, sorted(files))
    together = _from_commits(workspace, library, files)
    found: list[Suggestion] = []
    for path in library.pages:
        check_cancelled()
        source = read_page(workspace, path, [])
        if source is None:
            continue
        article = articles.get(path) or Article(path, path)
        proposals = [*_named(path, source.text, files, symbols), *together.get(path, [])]
        missing = _missing(article, proposals)
        if missing:
            found.append(Suggestion(article, tuple(missing[:_MOST_RULES])))
    return Suggestions(tuple(found))


def write_suggestion(workspace: Workspace, suggestion: Suggestion, *, preview: bool = False) -> Receipt:
    """Add the proposed rules to an article's front matter, as one change with its reasons."""
    from steadyhand.plan.edit import Act, Insert
    from steadyhand.structure.format import MARKDOWN
    from steadyhand.structure.lines import Lines
    from steadyhand.structure.markdown.document import find_front
    from steadyhand.structure.markdown.front_matter import FrontMatter

    path = suggestion.article.path
    rules = [{"op": each.op, "path": each.path} for each in suggestion.proposals]
    reason = f"attention rules: {'; '.join(dict.fromkeys(each.why for each in suggestion.proposals))}"[:500]
    if not path.lower().endswith(MARKDOWN):
        raise EditError(
            Kind.BAD_REQUEST,
            f"{path} is not a Markdown page",
            hint="add the rules by hand, in an HTML comment at its top",
        )
    source = workspace.read(path)
    front = find_front(source.lines)
    if front is None:
        if suggestion.article.rules or suggestion.article.is_named:
            raise EditError(
                Kind.BAD_REQUEST, f"{path} has its rules in an HTML comment", hint="add the rules there by hand"
            )
        text = "".join(f"  - op: {each.op}\n    path: {_quoted(each.path)}\n" for each in suggestion.proposals)
        edits = [Insert(Lines(1, 0), f"---\nattention:\n{text}---\n\n", reason=reason)]
        return workspace.edit(path, edits, reason=reason, preview=preview)
    if suggestion.article.rules:
        acts = [Act(FrontMatter("attention"), "append-item", value=rule, reason=reason) for rule in rules]
        return workspace.edit(path, acts, reason=reason, preview=preview)
    has_key = any(line.startswith("attention:") for line in source.lines[1 : front.end])
    act = (
        Act(FrontMatter("attention"), "set-key", value=rules, reason=reason)
        if has_key
        else Act(FrontMatter("$"), "add-key", name="attention", value=rules, reason=reason)
    )
    return workspace.edit(path, [act], reason=reason, preview=preview)


def _quoted(path: str) -> str:
    import json

    return (
        path if path.replace("/", "").replace(".", "").replace("_", "").replace("-", "").isalnum() else json.dumps(path)
    )


def _missing(article: Article, proposals: Iterable[ProposedRule]) -> list[ProposedRule]:
    """Those that no rule of the article means, each once."""
    own = [(Pattern.of(rule.place), rule) for rule in article.rules if rule.op != "article" and rule.source is None]
    chosen: dict[tuple[str, str], ProposedRule] = {}
    for each in proposals:
        place = each.path.partition("#")[0] if each.op == "symbol" else each.path
        if not any(pattern.match(place) and _means(rule, each) for pattern, rule in own):
            chosen.setdefault((each.op, each.path), each)
    return list(chosen.values())


def _means(rule: Rule, proposal: ProposedRule) -> bool:
    """Whether a rule, whose place fits, says what a proposal would; an exclusion says that it is not wanted."""
    return rule.op == "file" or rule.path == proposal.path or proposal.op == "file"


def _named(path: str, text: str, files: frozenset[str], symbols: _Symbols) -> list[ProposedRule]:
    """Rules for what a page names: files by their paths, definitions by names that only one file has."""
    paths: dict[str, int] = {}
    names: dict[str, int] = {}
    for word, at, is_call in names_in(text):
        for spelled in (word, posixpath.normpath(posixpath.join(posixpath.dirname(path), word))):
            if spelled in files and spelled != path and symbols.is_source(spelled):
                paths.setdefault(spelled, at)
        if is_call or is_distinctive(word):
            names.setdefault(word, at)
    found = [
        ProposedRule("file", each, f"line {text.count(chr(10), 0, at) + 1} names {each}") for each, at in paths.items()
    ]
    for name, at in names.items():
        place = symbols.place(name)
        if place is not None and place.partition("#")[0] not in paths:
            found.append(ProposedRule("symbol", place, f"line {text.count(chr(10), 0, at) + 1} names {name}"))
    return found


class _Symbols:
    """The definitions of a tree by name, read when the first is asked for."""

    def __init__(self, workspace: Workspace, files: Sequence[str]) -> None:
        self._workspace = workspace
        self._endings = tuple(suffix for language in languages().values() for suffix in language.suffixes)
        self._files = files
        self._places: Mapping[str, str | None] | None = None

    def is_source(self, path: str) -> bool:
        """Whether a file is worth attention: code or configuration, no page."""
        from steadyhand.structure.format import format_of
        from steadyhand.structure.page import is_page

        return not is_page(path) and format_of(path) is not None

    def place(self, name: str) -> str | None:
        """Where the only definition of a name is, as a rule says it; None where there are none or several."""
        if self._places is None:
            self._places = self._read()
        return self._places.get(name)

    def _read(self) -> Mapping[str, str | None]:
        places: dict[str, str | None] = {}
        size = 0
        for file in [each for each in self._files if each.lower().endswith(self._endings)][:_MOST_FILES]:
            check_cancelled()
            try:
                source = host_of(self._workspace).source(file)
            except EditError:
                continue
            size += len(source.text)
            code = code_of(source) if size <= _MOST_TEXT else None
            if code is None or isinstance(code, Refusal):
                continue
            for item in code.definitions:
                rule = f"{file}#{item.dotted}"
                for name in dict.fromkeys((item.dotted, item.path[-1])):
                    places[name] = rule if places.get(name, rule) == rule else None
        return places


def _from_commits(workspace: Workspace, library: Library, files: frozenset[str]) -> dict[str, list[ProposedRule]]:
    """Rules for files that usually change in the same commits as a page."""
    from steadyhand.structure.page import is_page

    try:
        git = Git(workspace.root)
        head = git.head()
        commits = [] if head is None else git.log(None, head, most=_COMMITS)
    except EditError:  # no git, or no repository: then there is no history to learn from
        return {}
    pages = frozenset(library.pages)
    counts: Counter[str] = Counter()
    pairs: dict[str, Counter[str]] = {}
    for commit in commits:
        if len(commit.paths) > _WIDE:
            continue
        changed = [path for path in commit.paths if path in pages]
        others = [path for path in commit.paths if path in files and not is_page(path)]
        for page in changed:
            counts[page] += 1
            pairs.setdefault(page, Counter()).update(others)
    return {
        page: [
            ProposedRule("file", other, f"changed together with it in {number} of {counts[page]} commits")
            for other, number in sorted(found.items(), key=lambda each: (-each[1], each[0]))
            if number >= _TOGETHER and number >= counts[page] * _SHARE
        ]
        for page, found in pairs.items()
    }
