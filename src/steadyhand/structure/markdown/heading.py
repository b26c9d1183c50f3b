"""Sections of Markdown by the words of a heading, or a path of headings: the target and what the verbs mean there.

The heading line is kept by every edit of a section that does not bring a heading itself, and it is never doubled.
Headings outside of an edit are the same after it, or the edit is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import ClassVar

from steadyhand.lazy import dataclass, replace
from steadyhand.schema import bad_request, check_text
from steadyhand.structure.markdown.check import (
    Name,
    checked,
    end_without_closings,
    end_without_definitions,
)
from steadyhand.structure.markdown.document import Document, Section
from steadyhand.structure.markdown.layout import Part, delete_rows, insert_content, prefix_near, replace_rows
from steadyhand.structure.markdown.names import address_of, joined, loose, no_such_heading, sections_named
from steadyhand.structure.markdown.reader import Content, known_markdown, markdown_of, read_content, view_of
from steadyhand.structure.node import Node, Proposal, Refusal, Where, refuse
from steadyhand.structure.target import Addressed
from steadyhand.text.lines import to_lf
from steadyhand.text.source import Source
from steadyhand.text.span import Span

PARTS = ("section", "body", "own", "line")
KINDS = {"section": "section", "body": "section body", "own": "section text", "line": "heading"}

_KEPT = "the heading of the section stays: the content starts with a deeper one"
_TAIL = "the last lines of the section stay: text outside it needs them"
_LED = refuse(
    "the heading follows the marker of a list item; nothing can be inserted between them",
    "insert before the list item, or edit its lines by number",
)


@dataclass(frozen=True, slots=True)
class SectionNode(Part):
    """A part of a section: all of it, all beneath its heading, only up to the next heading, or the heading alone."""

    kind: str
    span: Span
    address: str
    section: Section
    part: str

    @property
    def label(self) -> str:
        return f"{'#' * self.section.mark.level} {joined(self.section.path)}"[:120]

    @property
    def place(self) -> tuple[int, int, int]:
        return self.section.mark.first, self.section.end, self.section.mark.container

    @property
    def names(self) -> Collection[Name]:
        path = self.section.path
        return {("heading", loose(each)) for at in range(len(path)) for each in (path[at], joined(path[at:]))}

    def replace(self, source: Source, new: str) -> Proposal | Refusal:
        if to_lf(new) == to_lf(self.span.of(source.text)):
            return Proposal(())
        document = known_markdown(source)
        content = read_content(new, self._prefix(document))
        if isinstance(content, Refusal):
            return content
        if self.part == "line":
            return self._replace_line(source, document, content)
        mark = self.section.mark
        if self._brings_ancestor(content):
            return refuse(
                f"the content starts with a heading of a higher level than this section: {content.lines[0][:80]!r}",
                f"start it with {self.label.split(' ')[0]} {mark.text[:80]}, or replace the section above",
            )
        return self._keeping_tail(source, lambda rows: self._replace_rows(source, document, content, rows))

    def _replace_rows(
        self, source: Source, document: Document, content: Content, rows: tuple[int, int]
    ) -> Proposal | Refusal:
        mark, (first, end) = self.section.mark, rows
        if self._brings_heading(content):
            return replace_rows(source, document, mark.first, max(end, mark.end), content, mark.container)
        if not content.lines:
            return self._clear(source, document, rows)
        if first == end:
            made = insert_content(source, document, mark.end, content, mark.container)
        else:
            made = replace_rows(source, document, first, end, content, mark.container)
        is_noted = content.starts_with_heading and self.part == "section"
        return replace(made, notes=(_KEPT,)) if isinstance(made, Proposal) and is_noted else made

    def insert(self, source: Source, text: str, where: Where) -> Proposal | Refusal:
        document = known_markdown(source)
        content = read_content(text, self._prefix(document))
        if isinstance(content, Refusal):
            return content
        if not content.lines:
            return Proposal(())
        if where in ("start", "end") and self._repeats_heading(content):
            return refuse(
                f"the section's own heading would occur twice: the content starts with {content.lines[0][:80]!r}",
                "leave the heading out; insert after the section to add another of that name",
            )
        row = self._row_for(source, document, where)
        if isinstance(row, Refusal):
            return row
        return insert_content(source, document, row, content, self.section.mark.container)

    def delete(self, source: Source) -> Proposal | Refusal:
        document = known_markdown(source)
        return self._keeping_tail(source, lambda rows: self._delete_rows(source, document, rows))

    def _delete_rows(self, source: Source, document: Document, rows: tuple[int, int]) -> Proposal | Refusal:
        mark = self.section.mark
        match self.part:
            case "section":
                return delete_rows(source, document, mark.first, max(rows[1], mark.end), mark.container)
            case "line":
                return delete_rows(source, document, mark.first, mark.end, mark.container)
            case _:
                return self._clear(source, document, rows)

    def _keeping_tail(
        self, source: Source, propose: Callable[[tuple[int, int]], Proposal | Refusal]
    ) -> Proposal | Refusal:
        """What is proposed for the rows beneath the heading, without the last of them if others need these."""
        document = known_markdown(source)
        first, end = self._filled(document)
        made = propose((first, end))
        if not isinstance(made, Refusal) or not {"definition", "pair"} & set(made.details):
            return made
        start = first if self.part in ("body", "own") else self.section.mark.first
        short, before = end, end + 1
        while short < before:
            before = short
            short = end_without_closings(source, start, end_without_definitions(document, start, short))
        again = propose((first, max(first, short))) if short < end else made
        return replace(again, notes=(*again.notes, _TAIL)) if isinstance(again, Proposal) else made

    def carried(self, source: Source) -> str | Refusal:
        mark, section = self.section.mark, self.section
        first = mark.first if self.part in ("section", "line") else mark.end
        end = {"line": mark.end, "own": section.own_end}.get(self.part, section.end)
        return known_markdown(source).plain(first, max(first, end), mark.container)

    def _prefix(self, document: Document) -> str:
        return prefix_near(document, self.section.mark.first, self.section.end, self.section.mark.container)

    def _filled(self, document: Document) -> tuple[int, int]:
        """The rows beneath the heading that this part speaks of, without the blank ones at either end."""
        section = self.section
        container = section.mark.container
        first, end = section.mark.end, section.own_end if self.part == "own" else section.end
        end = document.last_row(first, max(first, end), container)
        while first < end and document.is_blank(first, container):
            first += 1
        return first, end

    def _repeats_heading(self, content: Content) -> bool:
        first, mark = content.first, self.section.mark
        is_heading = first is not None and first.kind == "heading"
        return is_heading and first is not None and (loose(first.text), first.level) == (loose(mark.text), mark.level)

    def _brings_ancestor(self, content: Content) -> bool:
        """Whether content starts further up than the section does, with a heading that is there already."""
        first, mark = content.first, self.section.mark
        if first is None or first.kind != "heading" or first.level >= mark.level:
            return False
        return loose(first.text) in map(loose, self.section.path[:-1]) and loose(first.text) != loose(mark.text)

    def _brings_heading(self, content: Content) -> bool:
        """Whether content has the section's heading with it: one of the same words, or one of no deeper level."""
        first, mark = content.first, self.section.mark
        if first is None or first.kind != "heading":
            return False
        if self.part != "section":
            return self._repeats_heading(content)
        return loose(first.text) == loose(mark.text) or first.level <= mark.level

    def _replace_line(self, source: Source, document: Document, content: Content) -> Proposal | Refusal:
        mark = self.section.mark
        if content.starts_with_heading and content.first is not None and content.first.end == len(content.lines):
            return replace_rows(source, document, mark.first, mark.end, content, mark.container)
        if len(content.lines) != 1:
            return refuse(
                f"a heading is one line of text; the content has {len(content.lines)} lines",
                "replace the section to change what is under the heading",
            )
        words = content.lines[0].strip(" \t")
        made = self._reworded(source, document, words)
        if made is not None and _still_heads(source, made, self.section, words):
            return made
        again = read_content(f"{'#' * mark.level} {words}")
        if isinstance(again, Refusal):
            return again
        return replace_rows(source, document, mark.first, mark.end, again, mark.container)

    def _reworded(self, source: Source, document: Document, words: str) -> Proposal | None:
        """Other words between the marks of the heading, which stay."""
        mark = self.section.mark
        row = document.rows[mark.first]
        shift = document.content_start(mark.first, mark.container) or 0
        shift += len(row[shift:]) - len(row[shift:].lstrip(" \t")) + (0 if mark.is_setext else len(mark.markup))
        at = row.find(mark.text, shift)
        if not mark.text or at < 0:
            return None
        start = document.table.start(mark.first) + at
        made = checked(source, Proposal.of(source, (Span(start, start + len(mark.text)), words)))
        return made if isinstance(made, Proposal) else None

    def _clear(self, source: Source, document: Document, rows: tuple[int, int]) -> Proposal | Refusal:
        first, end = rows
        if first == end:
            return Proposal(())
        return delete_rows(source, document, first, end, self.section.mark.container)

    def _row_for(self, source: Source, document: Document, where: Where) -> int | Refusal:
        mark, (_, end) = self.section.mark, self._filled(document)
        if self.part == "line":
            if where in ("start", "end"):
                return refuse(
                    "nothing can be inserted inside a heading's line", "insert before or after it, or replace it"
                )
            return mark.end if where == "after" else _LED if document.is_led(mark.first, mark.container) else mark.first
        if where == "before" and self.part == "section":
            return mark.first if not document.is_led(mark.first, mark.container) else _LED
        if where == "end":  # what was opened above the heading is closed behind the section's own text
            end = end_without_closings(source, mark.first, end)
        return mark.end if where in ("before", "start") else max(end, mark.end)


def _span(document: Document, section: Section, part: str) -> Span:
    mark = section.mark
    first, end = {
        "section": (mark.first, section.end),
        "body": (mark.end, section.end),
        "own": (mark.end, section.own_end),
        "line": (mark.first, mark.end),
    }[part]
    return document.span_of(first, max(first, end), mark.container)


def _still_heads(source: Source, made: Proposal, section: Section, words: str) -> bool:
    """Whether the heading is still one, with its new words and its old level."""
    view = view_of(source, made)
    mark = None if isinstance(view, Refusal) else view.renewed(section.mark, lambda document: document.headings)
    old = section.mark
    return mark is not None and (mark.text, mark.level, mark.first) == (words, old.level, old.first)


@dataclass(frozen=True, slots=True)
class Heading(Addressed):
    """The section under a heading, up to the next heading of its level or higher.

    `path` is the heading's text, or the headings above it followed by its own: `Guide > Setup`, as one string or
    several. Any ending of the full path works. Exact text is tried first; then ignoring `#` marks (which also give the
    level), emphasis, links, escapes and case. `part`: `section`; `body`, everything below the heading; `own`, only up
    to the next heading of any level; `line`, the heading alone.

    >>> Heading("Setup").locate(Source.of_text("# Guide\\n\\n## Setup\\n\\ntext\\n")).span
    Span(start=9, end=24)
    """

    key: ClassVar[str] = "heading"
    examples: ClassVar[tuple[str, ...]] = (
        "heading:Setup",
        "heading:Guide > Setup",
        "heading.body:Setup",
        "heading[2]:Notes",
    )
    main: ClassVar[str] = "path"
    parts: ClassVar[tuple[str, ...]] = PARTS

    path: str | tuple[str, ...]
    nth: int | None = None
    part: str = "section"

    def __post_init__(self) -> None:
        self._check_shared()
        given: object = self.path
        if isinstance(given, list):
            object.__setattr__(self, "path", tuple(given))
        if isinstance(self.path, str):
            return
        if not isinstance(self.path, tuple) or not self.path:
            raise bad_request("heading.path", "a heading or a path of headings is expected", "such as 'Guide > Setup'")
        for place, words in enumerate(self.path):
            check_text(words, f"heading.path[{place}]")

    def find(self, source: Source) -> Sequence[Node] | Refusal:
        document = markdown_of(source, "headings")
        if isinstance(document, Refusal):
            return document
        name = self.path if isinstance(self.path, str) else joined(self.path)
        found = sections_named(source, document, name)
        if not found:
            return no_such_heading(source, document, name)
        part = "" if self.part == PARTS[0] else f".{self.part}"
        return [
            SectionNode(
                KINDS[self.part],
                _span(document, section, self.part),
                address_of(source, section, part),
                section,
                self.part,
            )
            for section in found
        ]

    def to_value(self) -> str | None:
        return self.path if isinstance(self.path, str) else joined(self.path)


TARGET = Heading
