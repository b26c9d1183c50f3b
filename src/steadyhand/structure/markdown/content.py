"""New text as plain lines: without the marks of the quotes and lists it goes into, and read on its own.

Nothing is ever stripped at the end of a line: two blanks there are a hard break.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass
from steadyhand.structure.markdown.marks import Document, Mark
from steadyhand.structure.markdown.reading import read_fragment
from steadyhand.structure.node import Refusal
from steadyhand.text.lines import split_bodies


@dataclass(frozen=True, slots=True)
class Content:
    """New text for a place: its lines, no blank ones at either end, and what they are as a text of their own."""

    lines: tuple[str, ...]
    document: Document

    @property
    def first(self) -> Mark | None:
        """What it starts with, if that stands in no list or quote."""
        found = self.document.marks[0] if self.document.marks else None
        return found if found is not None and found.first == 0 and found.container == 0 else None

    @property
    def starts_with_heading(self) -> bool:
        return self.first is not None and self.first.kind == "heading"

    @property
    def ends_with_heading(self) -> bool:
        last = self.document.marks[-1] if self.document.marks else None
        return last is not None and last.kind == "heading" and last.end == len(self.lines)


def read_content(text: str, prefix: str = "") -> Content | Refusal:
    """New text for a place whose lines start with `prefix`, which it may bring itself.

    Refuses a fence that is never closed: it would swallow what follows.
    """
    lines = trimmed(plain_lines(text, prefix))
    document = read_fragment("".join(f"{line}\n" for line in lines))
    if isinstance(document, Refusal):
        return document
    open_fence = next((mark for mark in document.codes if not mark.is_closed), None)
    if open_fence is not None:
        line = open_fence.first + 1
        return Refusal(
            Kind.BAD_REQUEST,
            f"the fence opened in line {line} of the content is never closed",
            f"end the content with a line {open_fence.markup}",
            {"line": line},
        )
    return Content(tuple(lines), document)


def plain_lines(text: str, prefix: str) -> list[str]:
    """The lines of a text, without the prefix where every line that says something has it."""
    lines = split_bodies(text)
    bare = prefix.rstrip(" \t")
    said = [line for line in lines if line.strip(" \t") and line.rstrip(" \t") != bare]
    if not prefix or not said or not all(line.startswith(prefix) for line in said):
        return lines
    return [line[len(prefix) :] if line.startswith(prefix) else "" for line in lines]


def trimmed(lines: Sequence[str]) -> list[str]:
    """Lines without the blank ones at the start and the end."""
    start, end = 0, len(lines)
    while start < end and not lines[start].strip(" \t"):
        start += 1
    while end > start and not lines[end - 1].strip(" \t"):
        end -= 1
    return list(lines[start:end])


def dressed(lines: Sequence[str], prefix: str) -> str:
    """Lines as a container writes them, each with its ending; a blank line gets no blanks from its container."""
    if not prefix:
        return "".join(f"{line}\n" for line in lines)
    bare = prefix.rstrip(" \t")
    return "".join(f"{prefix}{line}\n" if line.strip(" \t") else f"{bare}\n" for line in lines)
