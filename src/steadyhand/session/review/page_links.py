"""Where the links of a tree's pages lead, and which changes of a review broke one.

Pages are read when they are asked for, each once. What cannot be read has no links and no anchors, and a tree that was
listed only in part has no dead links.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, Literal

from steadyhand.errors import EditError
from steadyhand.lazy import lazy_pattern
from steadyhand.structure.page import PageFacts, PageLink, anchor_name, is_page, meant_paths, read_page_facts
from steadyhand.text.cancel import check_cancelled
from steadyhand.workspace.files.listing import Limits

if TYPE_CHECKING:
    from steadyhand.session.host import FileReader
    from steadyhand.session.review.change import ReviewChange

LinkFault = Literal["dead-link", "dead-anchor"]

_ENTRIES: Final = 200_000
_SECONDS: Final = 30.0
# What a line has that may hold a link or name an anchor: prose without any of it needs no look at the tree.
_MAY_LINK: Final = lazy_pattern(r"[\[#<]|={3}|-{3}|\b(?:href|src|id|name)\s*=")


class Tree:
    """The names of a workspace, listed once, and the anchors of its pages, read when they are asked for."""

    def __init__(self, reader: FileReader) -> None:
        self._reader = reader
        listing = reader.files(".", Limits(64, _ENTRIES, _SECONDS))
        self.names = {".", *listing.files, *listing.directories, *listing.links}
        self.is_whole = listing.cut is None
        self._facts: dict[str, PageFacts] = {}

    def facts(self, path: str) -> PageFacts:
        if path not in self._facts:
            self._facts[path] = self._read(path) if is_page(path) else PageFacts()
        return self._facts[path]

    def _read(self, path: str) -> PageFacts:
        try:
            return read_page_facts(path, self._reader.source(path).text)
        except EditError:
            return PageFacts()

    def fault(self, page: str, facts: PageFacts, link: PageLink) -> tuple[LinkFault, str] | None:
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

    def __init__(self, reader: FileReader) -> None:
        self._reader = reader
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
            self._tree = Tree(self._reader)
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
