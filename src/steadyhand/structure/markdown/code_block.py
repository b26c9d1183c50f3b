"""A code block of a Markdown file: by its number, its language, or the heading it stands under."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass
from steadyhand.structure.addressed import Addressed
from steadyhand.structure.fields import bad_request, check_integer, check_text
from steadyhand.structure.markdown.code_block_node import PARTS, code_block_node, language_of
from steadyhand.structure.markdown.marks import Document
from steadyhand.structure.markdown.names import SHOWN, rows_under, which_of
from steadyhand.structure.markdown.suited import markdown_of
from steadyhand.structure.node import Node, Refusal
from steadyhand.text.source import Source


@dataclass(frozen=True, slots=True)
class CodeBlock(Addressed):
    """Fenced and indented code. `index` counts all code blocks of the file from 0; what else is given must hold too.

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
        found = [
            number
            for number, mark in enumerate(document.codes)
            if mark.first in within
            and self.index in (None, number)
            and self.language in (None, language_of(mark), mark.text)
        ]
        if not found and self.language is not None:
            wanted = self.language.strip().lower()
            numbers = range(len(document.codes)) if self.index is None else (self.index,)
            found = [
                number
                for number in numbers
                if number < len(document.codes)
                and language_of(document.codes[number]) == wanted
                and document.codes[number].first in within
            ]
        return [code_block_node(document, number, self.part) for number in found] or self._none(document)

    def _none(self, document: Document) -> Refusal:
        count = len(document.codes)
        near = [f"code_block:{number}" for number in range(min(count, SHOWN))]
        shown = [
            f"{address} ({language_of(mark) or mark.kind}, line {mark.first + 1})"
            for address, mark in zip(near[:5], document.codes, strict=False)
        ]
        has = f"the file has {count} code block{'' if count == 1 else 's'}"
        return Refusal(
            Kind.NO_SUCH_TARGET,
            f"there is no {self.named()}; {has}{': ' + ', '.join(shown) if shown else ''}",
            which_of("code_block", count) if count else "name lines, a heading, or the text to be replaced",
            {"count": count, "nearest": near[:1] if count == 1 else [], "available": near},
        )

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
