"""Markdown: what can be addressed in it, and whether its front matter parses. Everything else always does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from steadyhand.errors import Kind
from steadyhand.structure.format import Change, Fault, Format, OutlineEntry
from steadyhand.structure.markdown.document import SUFFIXES
from steadyhand.structure.node import Refusal
from steadyhand.text.cancel import check_each
from steadyhand.text.source import Source

if TYPE_CHECKING:
    from steadyhand.structure.markdown.document import Document, Section


def outline(source: Source) -> Sequence[OutlineEntry] | Refusal:
    """Front matter and its keys, headings, code blocks, tables and named blocks, in the order of the file."""
    from steadyhand.structure.markdown.reader import read_markdown

    document = read_markdown(source)
    if isinstance(document, Refusal):
        return document
    found = sorted([*_sections(source, document), *_leaves(document), *_refs(source, document)], key=_place)
    return [*_front(source, document), *_deepened(found)]


def _place(found: tuple[Section | None, OutlineEntry]) -> tuple[int, int]:
    """Headings before what starts where they do."""
    return found[1].span.start, found[0] is None


def _sections(source: Source, document: Document) -> list[tuple[Section | None, OutlineEntry]]:
    from steadyhand.structure.markdown.names import address_of

    found: list[tuple[Section | None, OutlineEntry]] = []
    for section in check_each(document.sections):
        span = document.span_of(section.mark.first, section.end, section.mark.container)
        label = f"{'#' * section.mark.level} {section.mark.text}"[:120]
        found.append(
            (section, OutlineEntry(address_of(source, section), "section", label, span, len(section.path) - 1))
        )
    return found


def _leaves(document: Document) -> list[tuple[Section | None, OutlineEntry]]:
    from steadyhand.structure.markdown.code_block import PARTS, code_block_node
    from steadyhand.structure.markdown.table import table_node

    nodes = [code_block_node(document, number, PARTS[0]) for number in range(len(document.codes))]
    tables = [table_node(document, number) for number in range(len(document.tables))]
    return [(None, OutlineEntry(node.address, node.kind, node.label, node.span)) for node in (*nodes, *tables)]


def _refs(source: Source, document: Document) -> list[tuple[Section | None, OutlineEntry]]:
    from steadyhand.structure.markdown.block import block_node
    from steadyhand.structure.markdown.names import refs_of

    nodes = [block_node(source, document, ref) for ref in refs_of(source)]
    return [(None, OutlineEntry(node.address, node.kind, node.label, node.span)) for node in nodes]


def _deepened(found: Sequence[tuple[Section | None, OutlineEntry]]) -> list[OutlineEntry]:
    """Entries one deeper than the section they are in."""
    entries: list[OutlineEntry] = []
    open_sections: list[tuple[int, int]] = []  # where each ends, and its depth
    for section, entry in found:
        while open_sections and open_sections[-1][0] <= entry.span.start:
            open_sections.pop()
        if section is not None:
            open_sections.append((entry.span.end, entry.depth))
            entries.append(entry)
        else:
            depth = open_sections[-1][1] + 1 if open_sections else 0
            entries.append(OutlineEntry(entry.address, entry.kind, entry.label, entry.span, depth))
    return entries


def _front(source: Source, document: Document) -> list[OutlineEntry]:
    from steadyhand.structure.config.key import key_entries
    from steadyhand.structure.config.syntax import syntax_named
    from steadyhand.structure.markdown.document import front_source, front_span

    if document.front is None:
        return []
    span = front_span(document.table, document.front)
    whole = OutlineEntry("front_matter:", "front matter", f"front matter ({document.front.syntax})", span)
    reading = syntax_named(document.front.syntax).read(source.derive(front_source))
    if isinstance(reading, Refusal):
        return [whole]
    keys = key_entries(reading, offset=span.start, prefix="front_matter", depth=1)
    return [whole, *(entry for entry in keys if entry.depth == 1)]


def fault(source: Source) -> Fault | None:
    """Where the front matter stops being YAML or TOML."""
    from steadyhand.structure.config.syntax import syntax_named
    from steadyhand.structure.markdown.document import find_front, front_source, in_front

    front = find_front(source.lines)
    if front is None:
        return None
    read = syntax_named(front.syntax).read(source.derive(front_source))
    if not isinstance(read, Refusal) or read.kind != Kind.UNPARSABLE:
        return None
    there = in_front(read)
    line = there.details.get("line")
    return Fault(line if isinstance(line, int) else 1, f"front matter: {there.message}")


def is_neutral(change: Change) -> bool:
    """Whether a change is outside of front matter: there is none, or what may close it is before the change."""
    mark = change.after[:4].removeprefix("\ufeff")[:3]
    if mark not in ("---", "+++"):
        return True
    closing = re.compile(r"\n(?:---|\.\.\.)[ \t]*\n" if mark == "---" else r"\n\+\+\+[ \t]*\n")
    return closing.search(change.after, 0, change.start) is not None


FORMATS = (Format("markdown", SUFFIXES, outline, fault, is_neutral=is_neutral),)
