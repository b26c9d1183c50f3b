"""Code blocks of Markdown by number, language or heading: the target and what the verbs mean there.

Fenced or indented, in a list or quote or not. New content is plain lines; what its list, quote or indentation puts in
front of them is added here. The fences stay, and grow where the content holds a line that would close them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar, Self

from steadyhand.hints import Say, SendAddress
from steadyhand.lazy import dataclass
from steadyhand.schema import bad_request, check_integer, check_text
from steadyhand.structure.markdown.check import Name, checked
from steadyhand.structure.markdown.document import Document, Mark
from steadyhand.structure.markdown.layout import Part, prefix_near
from steadyhand.structure.markdown.names import no_such_number, rows_under
from steadyhand.structure.markdown.reader import (
    known_markdown,
    markdown_of,
    plain_lines,
    read_content,
    trimmed,
    view_of,
)
from steadyhand.structure.node import Node, Proposal, Refusal, Where, refuse
from steadyhand.structure.target import Addressed
from steadyhand.text.indent import indent_of
from steadyhand.text.lines import split_bodies, to_lf
from steadyhand.text.source import Source
from steadyhand.text.span import Span

PARTS = ("content", "fenced")
_MARKDOWN = ("md", "markdown", "mdx", "rmd", "qmd", "text", "txt", "diff", "patch")


@dataclass(frozen=True, slots=True)
class CodeBlockNode(Part):
    """A code block: the lines between its fences, or all of it. `number` counts the code blocks of the file from 0."""

    span: Span
    address: str
    mark: Mark
    number: int
    part: str
    kind: str = "code block"

    @property
    def label(self) -> str:
        return f"code block {self.number}{f' ({self.mark.text[:40]})' if self.mark.text else ''}"

    def replace(self, source: Source, new: str) -> Proposal | Refusal:
        if to_lf(new) == to_lf(self.span.of(source.text)):
            return Proposal(())
        if self.part == "fenced":
            return self.replace_all(source, new)
        document = known_markdown(source)
        lines = plain_lines(new, self._prefix(document))
        if self.mark.kind == "fence":
            bare = self._unfenced(lines)
            if isinstance(bare, Refusal):
                return bare
            lines = bare
        else:
            lines = trimmed(lines)
            if not lines or document.is_led(self.mark.first, self.mark.container):
                return refuse("indented code must have lines of its own", _HINT)
        first, end = self.mark.content_rows
        span = Span(document.table.start(first), document.table.start(end))
        return self._written(source, document, span, lines, lines)

    def insert(self, source: Source, text: str, where: Where) -> Proposal | Refusal:
        document = known_markdown(source)
        first, end = self.mark.content_rows
        if where in ("before", "after"):
            return self.insert_beside(source, text, where)
        lines = plain_lines(text, self._prefix(document))
        row = first if where == "start" else end
        if self.mark.kind == "indented" and (not trimmed(lines) or document.is_led(row, self.mark.container)):
            return refuse("indented code must have lines of its own", _HINT)
        at = document.table.start(row)
        old = split_bodies(self.mark.code)
        return self._written(source, document, Span(at, at), lines, lines + old if where == "start" else old + lines)

    @property
    def place(self) -> tuple[int, int, int]:
        return self.mark.first, self.mark.end, self.mark.container

    @property
    def names(self) -> Collection[Name]:
        return (("code", ""), ("heading", ""))

    def _prefix(self, document: Document) -> str:
        """What is in front of a line of code: the container's marks, and the fence's or the code's indentation."""
        mark = self.mark
        first, end = mark.content_rows
        written = prefix_near(document, first, end, mark.container)
        row = document.rows[mark.first]
        indent = indent_of(row[document.content_start(mark.first, mark.container) or 0 :])
        if mark.kind == "fence":
            return written + indent
        return written + ("\t" if indent.startswith("\t") else "    ")

    def _unfenced(self, lines: list[str]) -> list[str] | Refusal:
        """Content without fences of its own around all of it; code about Markdown may have them."""
        if language_of(self.mark) in _MARKDOWN or any(map(_opens, split_bodies(self.mark.code))):
            return lines
        content = read_content("".join(f"{line}\n" for line in lines)) if any(map(_opens, lines)) else None
        if content is None or isinstance(content, Refusal) or len(content.document.marks) != 1:
            return lines
        (mark,) = content.document.marks
        if mark.kind != "fence" or mark.container or mark.end - mark.first != len(content.lines):
            return lines
        if mark.text and mark.text != self.mark.text:
            return refuse(
                f"the content has its own fences, for {mark.text[:40]!r}; this block's are for {self.mark.text[:40]!r}",
                (Say("send only the code"), SendAddress(f"code_block.fenced:{self.number}", "replace")),
            )
        return split_bodies(mark.code)

    def _written(
        self, source: Source, document: Document, span: Span, lines: Sequence[str], content: Sequence[str]
    ) -> Proposal | Refusal:
        prefix = self._prefix(document)
        bare = prefix.rstrip(" \t")
        text = "".join(f"{prefix}{line}\n" if line else f"{bare}\n" for line in lines)
        if span.end == len(source.text) and source.text[-1:] not in ("\n", "\r"):
            lead = "\n" if span.is_empty else ""
            text = lead + text.removesuffix("\n") if text else text
        writes = [(span, text), *self._longer_fences(document, content)]
        return self._still_code(source, Proposal.of(source, *writes), content)

    def _longer_fences(self, document: Document, content: Sequence[str]) -> list[tuple[Span, str]]:
        mark = self.mark
        if mark.kind != "fence":
            return []
        letter, size = mark.markup[0], len(mark.markup)
        longest = max((_closing_run(line, letter) for line in content), default=0)
        if longest < size:
            return []
        writes: list[tuple[Span, str]] = []
        for row in (mark.first, mark.end - 1) if mark.is_closed else (mark.first,):
            start = document.rows[row].find(letter * size, document.content_start(row, mark.container) or 0)
            run = len(document.rows[row][start:]) - len(document.rows[row][start:].lstrip(letter))
            at = document.table.start(row) + start + run
            writes.append((Span(at, at), letter * max(longest + 1 - run, 0)))
        return writes

    def _still_code(self, source: Source, made: Proposal, content: Sequence[str]) -> Proposal | Refusal:
        """The proposal, if the block says just that after it and all else is what it was."""
        view = view_of(source, made)
        if isinstance(view, Refusal):
            return view
        found = view.renewed(self.mark, lambda document: document.codes)
        if found is None or (found.first, found.is_closed) != (self.mark.first, self.mark.is_closed):
            return refuse("the code block would not end where the content ends", _HINT)
        if _compared(split_bodies(found.code)) != _compared(content):
            return refuse("the code block would not contain the content", _HINT)
        own = known_markdown(source).span_of(self.mark.first, self.mark.end, self.mark.container)
        return checked(source, made, own=own, view=view)


_HINT = "replace the lines by number, or the whole block with part 'fenced'"


def _compared(lines: Sequence[str]) -> list[str]:
    """Lines of code as they are compared: blanks alone say nothing."""
    return [line if line.strip(" \t") else "" for line in lines]


def _opens(line: str) -> bool:
    return line.lstrip(" \t").startswith(("```", "~~~"))


def _closing_run(line: str, letter: str) -> int:
    """How long the fence is that a line would be as the last of a block; 0 where it would be none."""
    bare = line.strip(" \t")
    is_fence = len(bare) >= 3 and not bare.strip(letter) and len(indent_of(line).expandtabs(4)) < 4
    return len(bare) if is_fence else 0


def code_block_node(document: Document, number: int, part: str) -> CodeBlockNode:
    """The node of a file's code block by its number."""
    mark = document.codes[number]
    if part == "fenced" or mark.kind == "indented":
        span = document.span_of(mark.first, mark.end, mark.container)
    else:
        first, end = mark.content_rows
        span = Span(document.table.start(first), document.table.start(end))
    address = f"code_block{'' if part == PARTS[0] else f'.{part}'}:{number}"
    return CodeBlockNode(span, address, mark, number, part)


def language_of(mark: Mark) -> str:
    """The language of a fence: the first word of its info string, in lower case.

    >>> language_of(Mark("fence", 0, 2, 0, "{.Python .numberLines}"))
    'python'
    """
    words = mark.text.strip("{} \t").split() if mark.kind == "fence" else []
    return words[0].lstrip(".").split("{")[0].split(",")[0].lower() if words else ""


@dataclass(frozen=True, slots=True)
class CodeBlock(Addressed):
    """Fenced and indented code. `index` counts all code blocks of the file from 0; other given fields must match too.

    `part`: `content`, the lines between the fences; `fenced`, all of it.

    >>> CodeBlock(language="python").locate(Source.of_text("```sh\\n$\\n```\\n\\n```python\\npass\\n```\\n")).span
    Span(start=23, end=28)
    """

    key: ClassVar[str] = "code_block"
    examples: ClassVar[tuple[str, ...]] = ("code_block:0", "code_block:python", "code_block.fenced:2")
    main: ClassVar[str] = "index"
    parts: ClassVar[tuple[str, ...]] = PARTS

    index: int | None = None
    language: str | None = None
    heading: str | None = None
    nth: int | None = None
    part: str = "content"

    def __post_init__(self) -> None:
        self._check_shared()
        if self.index is not None and check_integer(self.index, "code_block.index") < 0:
            raise bad_request("code_block.index", f"there is no code block {self.index}", "code blocks count from 0")
        for name in ("language", "heading"):
            if getattr(self, name) is not None:
                check_text(getattr(self, name), f"code_block.{name}")
        if self.index is None and self.language is None and self.heading is None:
            raise bad_request("code_block", "index, language or heading is expected", 'such as {"index": 0}')

    def find(self, source: Source) -> Sequence[Node] | Refusal:
        document = markdown_of(source, "code blocks")
        if isinstance(document, Refusal):
            return document
        within = rows_under(source, document, self.heading)
        if isinstance(within, Refusal):
            return within
        there = [
            (number, mark)
            for number, mark in enumerate(document.codes)
            if mark.first in within and self.index in (None, number)
        ]
        found = [number for number, mark in there if self.language in (None, language_of(mark), mark.text)]
        if not found and self.language is not None:
            wanted = self.language.strip().lower()
            found = [number for number, mark in there if language_of(mark) == wanted]
        return [code_block_node(document, number, self.part) for number in found] or self._none(document)

    def _none(self, document: Document) -> Refusal:
        said = [f"{language_of(mark) or mark.kind}, line {mark.first + 1}" for mark in document.codes]
        has = f"the file has {len(said)} code block{'' if len(said) == 1 else 's'}"
        return no_such_number("code_block", f"there is no {self.named()}; {has}", said)

    def named(self) -> str:
        said = [
            f"{name} {value!r:.60}"
            for name, value in (("index", self.index), ("language", self.language), ("heading", self.heading))
            if value is not None
        ]
        return f"code block with {', '.join(said)}"

    def to_value(self) -> str | None:
        if self.heading is not None or (self.index is not None and self.language is not None):
            return None
        if self.index is not None:
            return str(self.index)
        return self.language if self.language and not self.language.isdigit() else None

    @classmethod
    def from_value(cls, value: str, part: str | None, nth: int | None) -> Self:
        bare = value.strip()
        is_number = bare.isascii() and bare.isdigit() and len(bare) < 10
        said: dict[str, object] = {"index": int(bare)} if is_number else {"language": bare}
        return cls.from_json(said | {"part": part, "nth": nth}, cls.key)

    @classmethod
    def from_json(cls, value: object, path: str) -> Self:
        if isinstance(value, str):
            return cls.from_value(value, None, None)
        # Not `super()`: a slotted dataclass is a second class, which `super` without arguments does not know.
        given = value if isinstance(value, Mapping) else {"index": value}
        return super(CodeBlock, cls).from_json(given, path)  # noqa: UP008


TARGET = CodeBlock
