"""What an edit broke in an article: links and anchors that lead nowhere now, code that no longer parses, and removed
headings that other pages link to.

Only new breakage is reported: a link that was already dead is not the edit's fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, Literal

from steadyhand.articles.attention import is_page
from steadyhand.articles.library import read_page
from steadyhand.articles.page import PageFacts, PageLink, anchor_name, faulty, meant_paths, read_page_facts
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.session.review.change import ReviewChange
from steadyhand.session.workspace import Workspace
from steadyhand.text.cancel import check_cancelled

__all__ = ["Finding", "PageLinks", "Tree", "check_edit"]

FindingKind = Literal["dead-link", "dead-anchor", "broken-code", "lost-anchor"]

_ENTRIES: Final = 200_000
_SECONDS: Final = 30.0
# What a line has that may hold a link or name an anchor: prose without any of it needs no look at the tree.
_MAY_LINK: Final = lazy_pattern(r"[\[#<]|={3}|-{3}|\b(?:href|src|id|name)\s*=")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that an edit broke. `line` counts in the text after it, or, for a lost anchor, in the other page."""

    kind: FindingKind
    path: str
    line: int
    message: str

    def to_json(self) -> dict[str, object]:
        return {"kind": self.kind, "path": self.path, "line": self.line, "message": self.message}


class Tree:
    """The names of a workspace, listed once, and the anchors of its pages, read when they are asked for."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        listing = workspace.files(depth=64, limit=_ENTRIES, seconds=_SECONDS)
        self.names = {".", *listing.files, *listing.directories, *listing.links}
        self.is_whole = listing.cut is None
        self._facts: dict[str, PageFacts] = {}

    def facts(self, path: str) -> PageFacts:
        if path not in self._facts:
            source = read_page(self._workspace, path, []) if is_page(path) else None
            self._facts[path] = PageFacts() if source is None else read_page_facts(path, source.text)
        return self._facts[path]

    def fault(self, page: str, facts: PageFacts, link: PageLink) -> tuple[FindingKind, str] | None:
        """What is wrong with a link of a page; None where it leads somewhere."""
        meant = next((path for path in meant_paths(page, link) if path in self.names), None)
        if meant is None:
            return ("dead-link", f"the link {link.target} points to no file") if self.is_whole else None
        if link.anchor is None or not is_page(meant):
            return None
        there = facts if meant == page else self.facts(meant)
        if anchor_name(link.anchor) in there.anchors or (not there.anchors and meant != page):
            return None
        return "dead-anchor", f"the link {link.target} points to no heading of {meant}"

    def linking(self, path: str, anchors: Iterable[str]) -> Iterator[tuple[str, PageLink]]:
        """The links of other pages to one of these anchors of a page."""
        wanted = frozenset(anchors)
        for other in sorted(name for name in self.names if is_page(name) and name != path):
            check_cancelled()
            for link in self.facts(other).links:
                if link.anchor is None or anchor_name(link.anchor) not in wanted:
                    continue
                if next((each for each in meant_paths(other, link) if each in self.names), None) == path:
                    yield other, link


class PageLinks:
    """Which changes of a review broke a link or an anchor; the tree is read once, and only if a page asks for it."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._tree: Tree | None = None
        self._wanted: tuple[set[str], set[tuple[str, str]]] | None = None
        self._by_line: dict[str, dict[int, list[PageLink]]] = {}

    def breaks(self, change: ReviewChange) -> bool:
        """Whether links of its lines lead nowhere, or links of any page to what it took away."""
        if change.status in ("deleted", "renamed"):
            path = change.before if change.status == "renamed" else change.path
            return is_page(path) and path not in self._whole.names and path in self._linked()[0]
        if change.status not in ("edited", "created") or not is_page(change.path):
            return False
        if _MAY_LINK.search(change.before) is None and _MAY_LINK.search(change.after) is None:
            return False
        tree, path = self._whole, change.path
        page, before = tree.facts(path), read_page_facts(path, change.before)
        same = {link.target for link in before.links}
        first, last = change.lines or (1, 0)
        links = self._links_of(path, page)
        new = [link for line in range(first, last + 1) for link in links.get(line, ()) if link.target not in same]
        if any(tree.fault(path, page, link) is not None for link in new):
            return True
        gone = before.anchors - page.anchors
        return bool(gone) and any((path, anchor) in self._linked()[1] for anchor in gone)

    @property
    def _whole(self) -> Tree:
        if self._tree is None:
            self._tree = Tree(self._workspace)
        return self._tree

    def _links_of(self, path: str, page: PageFacts) -> dict[int, list[PageLink]]:
        if path not in self._by_line:
            found = self._by_line[path] = {}
            for link in page.links:
                found.setdefault(link.line, []).append(link)
        return self._by_line[path]

    def _linked(self) -> tuple[set[str], set[tuple[str, str]]]:
        """The files that links of any page may mean and that are not there, and the anchors of those that are."""
        if self._wanted is None:
            tree, missing, anchors = self._whole, set[str](), set[tuple[str, str]]()
            for page in sorted(filter(is_page, tree.names)):
                check_cancelled()
                for link in tree.facts(page).links:
                    paths = meant_paths(page, link)
                    meant = next((path for path in paths if path in tree.names), None)
                    if meant is None:
                        missing.update(paths)
                    elif link.anchor is not None:
                        anchors.add((meant, anchor_name(link.anchor)))
            self._wanted = missing, anchors
        return self._wanted


def check_edit(
    workspace: Workspace, path: str, before: str, after: str, tree: Tree | None = None
) -> tuple[Finding, ...]:
    """What is broken after an edit of a page and was not before, in the order of the text."""
    tree = tree or Tree(workspace)
    old, new = read_page_facts(path, before), read_page_facts(path, after)
    findings = [*_links(tree, path, old, new), *_code(path, old, new)]
    gone = old.anchors - new.anchors
    if gone:
        findings += [
            Finding(
                "lost-anchor", other, link.line, f"{other}:{link.line} links to #{link.anchor} of {path}, which is gone"
            )
            for other, link in tree.linking(path, gone)
        ]
    return tuple(sorted(findings, key=lambda each: (each.path != path, each.path, each.line, each.kind)))


def _links(tree: Tree, path: str, old: PageFacts, new: PageFacts) -> Iterator[Finding]:
    dead = {link.target for link in old.links if tree.fault(path, old, link) is not None}
    for link in new.links:
        fault = tree.fault(path, new, link)
        if fault is not None and link.target not in dead:
            yield Finding(fault[0], path, link.line, fault[1])


def _code(path: str, old: PageFacts, new: PageFacts) -> Iterator[Finding]:
    """Blocks that do not parse, as far as they are more than before: an example may be a fragment on purpose."""
    same = {(block.language, block.code) for block in old.blocks}
    allowed = Counter(block.language for block in old.blocks if faulty(block) is not None)
    broken = [(block, fault) for block in new.blocks if (fault := faulty(block)) is not None]
    allowed.subtract(block.language for block, _ in broken if (block.language, block.code) in same)
    for block, fault in broken:
        if (block.language, block.code) not in same:
            allowed[block.language] -= 1
            if allowed[block.language] < 0:
                line = block.line + fault.line
                yield Finding("broken-code", path, line, f"the {block.language} code is not valid: {fault.message}")
