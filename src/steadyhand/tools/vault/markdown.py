"""What a Markdown file is made of: front matter, headings, sections, code blocks, tables, links.

What is shown of a heading, its path and its number, is what `TextPatch` takes for it.
"""

from __future__ import annotations

from steadyhand.lazy import dataclass
from steadyhand.structure.config.key import key_entries
from steadyhand.structure.config.syntax import syntax_named
from steadyhand.structure.markdown.code_block import language_of
from steadyhand.structure.markdown.document import Document, Mark, Section
from steadyhand.structure.markdown.front import front_source
from steadyhand.structure.markdown.names import Link, index_of, joined, links_of
from steadyhand.structure.markdown.reader import read_markdown
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source
from steadyhand.tools.vault.window import MOST, Window

__all__ = ["describe_markdown", "heading_of"]

_WIDEST = 200
_LARGEST = 1_000_000  # characters of a file whose headings are looked up for a few hits

Numbered = tuple[int, Mark]


def describe_markdown(source: Source, window: Window) -> dict[str, object]:
    """The parts that begin in the lines asked about. Refuses with `too-large` what is nested too deeply."""
    document = read_markdown(source)
    if isinstance(document, Refusal):
        raise document.to_error()
    telling = _Telling(source, document)
    codes, tables = enumerate(document.codes), enumerate(document.tables)
    links = links_of(source, window.first - 1, window.last)
    return {
        **telling.front(),
        "headings": window.listed("headings", document.sections, _section_line, telling.heading),
        "sections": window.listed("sections", document.sections, _section_line, telling.section),
        "codeBlocks": window.listed("codeBlocks", codes, _mark_line, telling.code),
        "tables": window.listed("tables", tables, _mark_line, telling.table),
        "links": window.listed("links", links, _link_line, telling.link),
    }


def heading_of(source: Source, row: int) -> str | None:
    """The path of the heading that a row is under; None for none, and in a file too large to ask for it."""
    document = read_markdown(source) if len(source.text) <= _LARGEST else None
    if not isinstance(document, Document):
        return None
    around = [section for section in document.sections if section.mark.first <= row < section.end]
    return joined(around[-1].path) if around else None


@dataclass(frozen=True, slots=True)
class _Telling:
    """How each part of a document is described."""

    source: Source
    document: Document

    def front(self) -> dict[str, object]:
        front = self.document.front
        if front is None:
            return {}
        told: dict[str, object] = {"format": front.syntax, "startLine": 1, "endLine": front.end}
        read = syntax_named(front.syntax).read(self.source.derive(front_source))
        if isinstance(read, Refusal):
            return {"frontMatter": told | {"problem": read.message}}
        keys = [entry.address.partition(":")[2] for entry in key_entries(read) if entry.depth == 0]
        return {"frontMatter": told | {"keys": keys[:MOST]}}

    def heading(self, section: Section) -> dict[str, object]:
        mark, path = section.mark, joined(section.path)
        same = index_of(self.source).exact.get(path, [])
        nth = same.index(section.number) + 1 if section.number in same else 1
        return {"level": mark.level, "text": mark.text, "line": mark.first + 1, "path": path, "nth": nth}

    def section(self, section: Section) -> dict[str, object]:
        return {"path": joined(section.path), "startLine": section.mark.first + 1, "endLine": section.end}

    def code(self, numbered: Numbered) -> dict[str, object]:
        index, mark = numbered
        return {"index": index, "language": language_of(mark), "startLine": mark.first + 1, "endLine": mark.end}

    def table(self, numbered: Numbered) -> dict[str, object]:
        index, mark = numbered
        return {"index": index, "columns": mark.level, "startLine": mark.first + 1, "endLine": mark.end}

    def link(self, link: Link) -> dict[str, object]:
        line = link.row + 1
        return {"line": line, "kind": link.kind, "text": link.text[:_WIDEST], "target": link.target[:_WIDEST]}


def _section_line(section: Section) -> int:
    return section.mark.first + 1


def _mark_line(numbered: Numbered) -> int:
    return numbered[1].first + 1


def _link_line(link: Link) -> int:
    return link.row + 1
