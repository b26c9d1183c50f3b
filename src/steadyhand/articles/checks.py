"""What an edit broke in an article: links and anchors that lead nowhere now, code that no longer parses, and removed
headings that other pages link to.

Only new breakage is reported: a link that was already dead is not the edit's fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from steadyhand.lazy import dataclass
from steadyhand.session.host import host_of
from steadyhand.session.review.page_links import Tree
from steadyhand.session.workspace import Workspace
from steadyhand.structure.page import PageFacts, faulty, read_page_facts

__all__ = ["Finding", "check_edit"]

FindingKind = Literal["dead-link", "dead-anchor", "broken-code", "lost-anchor"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that an edit broke. `line` counts in the text after it, or, for a lost anchor, in the other page."""

    kind: FindingKind
    path: str
    line: int
    message: str

    def to_json(self) -> dict[str, object]:
        return {"kind": self.kind, "path": self.path, "line": self.line, "message": self.message}


def check_edit(
    workspace: Workspace, path: str, before: str, after: str, tree: Tree | None = None
) -> tuple[Finding, ...]:
    """What is broken after an edit of a page and was not before, in the order of the text."""
    tree = tree or Tree(host_of(workspace))
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
