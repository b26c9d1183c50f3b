"""A section of a Markdown file, by its heading: the words, or a path of headings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from steadyhand.lazy import dataclass
from steadyhand.structure.addressed import Addressed
from steadyhand.structure.fields import bad_request, check_text
from steadyhand.structure.markdown.names import address_of, joined, no_such_heading, sections_named
from steadyhand.structure.markdown.section import PARTS, section_nodes
from steadyhand.structure.markdown.suited import markdown_of
from steadyhand.structure.node import Node, Refusal
from steadyhand.text.source import Source


@dataclass(frozen=True, slots=True)
class Heading(Addressed):
    """The section under a heading: to the next heading of its level or above.

    `path` is the heading's words, or the headings above it and its own: `Guide > Setup`, as one string or several.
    Any end of the full path will do. Exact words are looked for first; then without `#` marks (which also say the
    level), emphasis, links, escapes and case. `part`: `section`; `body`, all beneath the heading; `own`, only up to the
    next heading of any level; `line`, the heading alone.

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
        addresses = [address_of(source, section, part) for section in found]
        return section_nodes(document, found, addresses, self.part)

    def to_value(self) -> str | None:
        return self.path if isinstance(self.path, str) else joined(self.path)


TARGET = Heading
