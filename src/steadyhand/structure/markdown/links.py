"""The links of a Markdown text, with their lines: only to be listed, nothing is located or edited by them.

Paragraphs that are very long are passed over, as is raw HTML; after much text with brackets in it the list ends, since
a hostile one would cost the more the longer it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.markdown.marks import Document, Mark
from steadyhand.structure.markdown.reading import known_markdown
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


__all__ = ["Link", "links_of"]

_LONGEST = 5_000  # characters of a paragraph
_MOST = 300_000  # characters in all
_DEEPEST = 20
_SIGN = lazy_pattern(r"\]\s*[\[(]|\[|<[a-zA-Z]")
_WIKI = lazy_pattern(r"(!?)\[\[([^\[\]|\n]+)(?:\|([^\[\]\n]*))?\]\]")


@dataclass(frozen=True, slots=True)
class Link:
    """One link. `row` counts from 0; `text` is what is shown of it, `target` where it leads as it is written."""

    row: int
    kind: Literal["link", "image", "wiki"]
    text: str
    target: str


def links_of(source: Source, first: int = 0, end: int | None = None) -> Iterator[Link]:
    """The links in some rows of a text that could be read as Markdown, in order, made one by one."""
    document = known_markdown(source)
    parser = _parser()
    env: Mapping[str, Any] = {"references": _references(parser, document)}
    left, stop = _MOST, document.count if end is None else end
    for mark, row, past in _paragraphs(document):
        if row < first or row >= stop or not any(_SIGN.search(each) for each in document.rows[row:past]):
            continue
        text = document.plain(row, past, mark.container)
        left -= len(text)
        if left < 0:
            return
        if len(text) <= _LONGEST:
            yield from _links_in(parser, env, text, row)


def _paragraphs(document: Document) -> Iterator[tuple[Mark, int, int]]:
    """Rows that are read together: headings and paragraphs whole, tables row by row."""
    for mark in document.marks:
        if mark.kind in ("heading", "paragraph"):
            yield mark, mark.first, mark.end
        elif mark.kind == "table":
            yield from ((mark, row, row + 1) for row in range(mark.first, mark.end))


def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST})
    parser.normalizeLink = str  # type: ignore[method-assign,assignment]  # as it is written, whatever it is
    parser.validateLink = bool  # type: ignore[method-assign,assignment]
    return parser


def _references(parser: MarkdownIt, document: Document) -> Mapping[str, Any]:
    """What the labels of the text stand for."""
    rows = [row.lstrip(" \t>") for one in document.definitions for row in document.rows[one.first : one.end]]
    told: dict[str, Any] = {}
    parser.parse("\n".join([*rows, ""]), told)
    known: Mapping[str, Any] = told.get("references", {})
    return known


def _links_in(parser: MarkdownIt, env: Mapping[str, Any], text: str, first: int) -> Iterator[Link]:
    rows = split_bodies(text)
    (inline,) = parser.parseInline(text.strip("\n"), dict(env))
    for row, kind, words, target in _found(inline.children or ()):
        yield Link(first + _row_of(rows, row, target, words), kind, words, target)


def _found(tokens: Sequence[Token]) -> Iterator[tuple[int, Literal["link", "image", "wiki"], str, str]]:
    """The links among the parts of a paragraph, each with the number of line breaks before it."""
    row = 0
    opened: tuple[int, str, list[str]] | None = None
    for token in tokens:
        if token.type in ("softbreak", "hardbreak"):
            row += 1
        elif token.type == "link_open":
            opened = (row, str(token.attrs.get("href", "")), [])
        elif token.type == "link_close" and opened is not None:
            yield opened[0], "link", "".join(opened[2]), opened[1]
            opened = None
        elif token.type == "image":
            yield row, "image", token.content, str(token.attrs.get("src", ""))
        elif token.type == "text" and opened is None:
            for found in _WIKI.finditer(token.content):
                yield row, "image" if found[1] else "wiki", found[3] or found[2], found[2]
        if opened is not None:
            opened[2].append(" " if token.type in ("softbreak", "hardbreak") else token.content)


def _row_of(rows: Sequence[str], row: int, target: str, words: str) -> int:
    """The row a link stands in: code and tags that span lines have breaks that are not counted."""
    for wanted in (target, words):
        at = next((number for number in range(row, len(rows)) if wanted and wanted in rows[number]), None)
        if at is not None:
            return at
    return min(row, max(len(rows) - 1, 0))
