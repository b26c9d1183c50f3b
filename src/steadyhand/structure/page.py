"""What a page consists of for those who check it: its links, the anchors it offers, and its blocks of code.

Markdown is read by its parser; of HTML only attributes are looked at. Other pages have none of these. Pure.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.format import Fault, Format, format_named, format_of
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source

__all__ = [
    "Block", "PageFacts", "PageLink", "anchor_name", "faulty", "is_page", "meant_paths", "read_page_facts",
]  # fmt: skip

_PAGES: Final = (".md", ".mdx", ".markdown", ".html", ".htm", ".rst", ".txt", ".adoc")
_HTML: Final = (".html", ".htm")
_MARKDOWN: Final = (".md", ".mdx", ".markdown")
_LONGEST: Final = 2 << 20  # characters of a page that is looked at
_REFERENCE: Final = lazy_pattern(r"""\b(?:href|src)\s*=\s*(?:"([^"<>]{1,2000})"|'([^'<>]{1,2000})')""", re.IGNORECASE)
_ID: Final = lazy_pattern(
    r"""\b(?:id|name)\s*=\s*(?:"([^"<>]{1,200})"|'([^'<>]{1,200})'|([\w-]{1,200}))""", re.IGNORECASE
)
_OWN_ID: Final = lazy_pattern(r"\{#([^{}\s]{1,200})[^{}]{0,200}\}\s*$")
_LINK_TEXT: Final = lazy_pattern(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_TAG: Final = lazy_pattern(r"<[^<>]{0,500}>")
_EDGE_SCORES: Final = lazy_pattern(r"(?<!\w)_+|_+(?!\w)")
_NO_LETTER: Final = lazy_pattern(r"[^\w\- ]")
_DASHES: Final = lazy_pattern(r"[\s-]+")
_ELSEWHERE: Final = lazy_pattern(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//|\{\{|\{%|<")
_ENDINGS: Final = ("", ".md", ".mdx", ".html", "/index.md", "/README.md", "/index.html", "/_index.md")
_ALIASES: Final = {"shell": "bash", "sh": "bash", "zsh": "bash", "golang": "go", "node": "javascript", "jsonc": ""}


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link to something of the same tree: `path` as it is written, and `anchor`, where there is one."""

    line: int
    target: str
    path: str
    anchor: str | None


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of code."""

    line: int
    language: str
    code: str


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What there is on a page. Anchors are names as `anchor_name` makes them."""

    links: tuple[PageLink, ...] = ()
    anchors: frozenset[str] = frozenset()
    blocks: tuple[Block, ...] = ()


def is_page(path: str) -> bool:
    """Whether a file can be a page of documentation, by its name."""
    return path.lower().endswith(_PAGES)


def read_page_facts(path: str, text: str) -> PageFacts:
    """The links, anchors and blocks of code of a page; nothing of one that is too large or nested too deep."""
    if len(text) > _LONGEST:
        return PageFacts()
    lowered = path.lower()
    if lowered.endswith(_MARKDOWN):
        return _of_markdown(Source.of_text(text, path=path))
    if lowered.endswith(_HTML):
        return PageFacts(tuple(_html_links(text)), frozenset(_html_ids(text)))
    return PageFacts()


def anchor_name(words: str) -> str:
    """A heading as the end of a link to it, whatever the site generator does with blanks and signs.

    >>> anchor_name("Set up: the `CLI` & _go_"), anchor_name("set-up-the-cli--go")
    ('set-up-the-cli-go', 'set-up-the-cli-go')
    """
    plain = _EDGE_SCORES.sub("", _TAG.sub("", _LINK_TEXT.sub(r"\1", words)))
    return _DASHES.sub("-", _NO_LETTER.sub("", plain.lower())).strip("-")


def meant_paths(page: str, link: PageLink) -> list[str]:
    """The files of the tree that a link may mean, the likeliest first; none where it leads out of the tree."""
    if not link.path:
        return [page]
    plain = unquote(link.path)
    start = "" if plain.startswith("/") else posixpath.dirname(page)
    bare = posixpath.normpath(posixpath.join(start, plain.lstrip("/"))) if plain.strip("/") else "."
    if bare.startswith("../") or bare == "..":
        return []
    stems = [bare]
    if bare.lower().endswith(_HTML):
        stems.append(bare.rpartition(".")[0])
    return [f"{stem}{ending}" if stem != "." else ending.lstrip("/") or "." for stem in stems for ending in _ENDINGS]


def faulty(block: Block) -> Fault | None:
    """Where a block of code does not parse in its language; None where it does, or where that is not known."""
    known = _format(block.language)
    if known is None or known.fault is None or not known.suffixes:
        return None
    found = known.fault(Source.of_text(block.code, path=f"block{known.suffixes[0]}"))
    return found if isinstance(found, Fault) else None


def _format(language: str) -> Format | None:
    name = _ALIASES.get(language, language)
    if not name or name in ("markdown", "md", "html", "text", "txt"):
        return None
    return format_named(name) or format_of(f"block.{name}")


def _of_markdown(source: Source) -> PageFacts:
    from steadyhand.structure.markdown.names import links_of
    from steadyhand.structure.markdown.reader import read_markdown

    document = read_markdown(source)
    if isinstance(document, Refusal):
        return PageFacts()
    links = [_link(link.row + 1, link.target) for link in links_of(source) if link.kind != "wiki"]
    anchors: set[str] = set(_html_ids(source.text))
    seen: dict[str, int] = {}
    for section in document.sections:
        words = section.mark.text
        own = _OWN_ID.search(words)
        if own is not None:
            anchors.add(anchor_name(own[1]))
        name = anchor_name(_OWN_ID.sub("", words))
        number = seen.get(name, 0)
        seen[name] = number + 1
        anchors.add(f"{name}-{number}" if number else name)
    blocks = [
        Block(mark.first + 1, (mark.text.split() or [""])[0].strip("{}.").lower(), mark.code)
        for mark in document.codes
        if mark.kind == "fence"
    ]
    made = [link for link in (*links, *_html_links(source.text)) if link is not None]
    return PageFacts(tuple(made), frozenset(anchors), tuple(blocks))


def _html_links(text: str) -> Iterator[PageLink]:
    line, reached = 1, 0
    for found in _REFERENCE.finditer(text):
        line, reached = line + text.count("\n", reached, found.start()), found.start()
        link = _link(line, found[1] or found[2])
        if link is not None:
            yield link


def _html_ids(text: str) -> Iterator[str]:
    return (anchor_name(found[1] or found[2] or found[3]) for found in _ID.finditer(text))


def _link(line: int, target: str) -> PageLink | None:
    """A link within the tree; None for one that leads elsewhere or that a template makes."""
    target = target.strip()
    if not target or len(target) > 2_000 or _ELSEWHERE.match(target) or "{{" in target:
        return None
    place, mark, anchor = target.partition("#")
    path = place.partition("?")[0]
    return PageLink(line, target, path, unquote(anchor) if mark and anchor else None)
