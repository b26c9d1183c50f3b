"""Source code to its definitions: names, kinds, nesting and exact spans in code points.

Nothing is guessed about text that does not parse: a definition that a syntax error makes doubtful is marked so.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.code.above import Above, end_of, suite_start
from steadyhand.structure.code.captures import Captured, Captures, capture
from steadyhand.structure.code.definition import SPACES, TYPES, VALUES, Code, Definition, Path, Syntax
from steadyhand.structure.code.faults import faults_of
from steadyhand.structure.code.language import Language, language_of
from steadyhand.structure.code.names import leaf_of, steps_of
from steadyhand.structure.code.tree import Parsed, parse_code, points_of
from steadyhand.structure.node import Refusal
from steadyhand.text.pace import paced
from steadyhand.text.source import Source
from steadyhand.text.span import Span

if TYPE_CHECKING:
    from tree_sitter import Node


_NEXT_LINE = lazy_pattern(r"[ \t]*(?:#[^\r\n]*)?(?:\r\n?|\n)[ \t]*")


def code_of(source: Source) -> Code | Refusal:
    """What a source defines, read once. Refuses with `bad-request` where its language is not known."""
    return source.derive(read_code)


def read_code(source: Source) -> Code | Refusal:
    """What a source defines; `code_of` keeps it."""
    language = language_of(source)
    if language is None:
        return _unknown(source)
    return read_text(language, source.text)


def syntax_of(source: Source) -> Code | Syntax | Refusal:
    """What does not parse of a source; its definitions are not read for that, but told where they have been."""
    return source.derived(read_code) or source.derive(_read_syntax)


def _read_syntax(source: Source) -> Syntax | Refusal:
    language = language_of(source)
    if language is None:
        return _unknown(source)
    parsed = parse_code(language, source.text)
    if isinstance(parsed, Refusal):
        return parsed
    faults = faults_of(parsed, source.text)
    return Syntax(language, faults, max(len(parsed.errors), len(faults)))


def _unknown(source: Source) -> Refusal:
    known = "the file has no name" if source.path is None else f"{source.path[-60:]} is of no language known here"
    return Refusal(Kind.BAD_REQUEST, f"symbols: {known}", "address the place by lines or by its old text")


def read_text(language: Language, text: str, *, fragment: bool = False) -> Code | Refusal:
    """What a text defines in a language; a fragment is no whole file, such as one method."""
    parsed = parse_code(language, text, fragment=fragment)
    if isinstance(parsed, Refusal):
        return parsed
    grammar = language.fragment if fragment else None
    captures = Captures() if parsed.tree.root_node.is_error else capture(language, parsed, grammar=grammar)
    return _Reader(language, text, parsed, captures).read()


@dataclass(frozen=True, slots=True)
class _Scope:
    """A definition that is still open while the ones inside it are read."""

    end: int
    index: int | None
    kind: str
    path: Path
    alias: Path


class _Reader:
    def __init__(self, language: Language, text: str, parsed: Parsed, captures: Captures) -> None:
        self.language, self.text, self.parsed, self.captures = language, text, parsed, captures
        self.points = points_of(parsed.data, set(_offsets(captures, parsed)))
        self.comments = self._spans(captures.comments)
        self.attributes = self._spans(captures.attributes)
        self.behind = {span.start: span for span in self._spans(captures.behind)}
        self.above = Above(text, self.comments, self.attributes)
        self.found: list[Definition] = []
        self.extents: list[Node] = []

    def read(self) -> Code:
        open_scopes = [_Scope(len(self.parsed.data) + 1, None, "", (), ())]
        for item in paced(self.captures.definitions):
            while open_scopes[-1].end <= item.node.start_byte:
                open_scopes.pop()
            scope = self._enter(item, open_scopes[-1])
            if scope is not None:
                open_scopes.append(scope)
        faults = faults_of(self.parsed, self.text)
        errors = max(len(self.parsed.errors), len(faults))
        return Code(self.language, self._judged(), tuple(self.comments), faults, errors)

    def _enter(self, item: Captured, around: _Scope) -> _Scope | None:
        """Note a definition, and open it for what is inside; None for a local value, which is no symbol."""
        kind = _kind(item, around.kind)
        if kind is None:
            return None
        names = self._names(item)
        inner = (leaf_of(item.of),) if item.of else names
        scope = () if item.scope is None else (leaf_of(item.scope),)
        if not inner:
            return _Scope(item.node.end_byte, around.index, kind, around.path, around.alias)
        path, alias = (*around.path, *scope, *names), (*around.alias, *scope, *names)
        self.found.append(self._definition(item, kind, path, alias, around.index))
        self.extents.append(item.extent)
        aside = alias[:-1] if item.named == "Companion" else alias
        return _Scope(item.node.end_byte, len(self.found) - 1, kind, (*around.path, *scope, *inner), aside)

    def _names(self, item: Captured) -> Path:
        if item.of is not None:
            return (f"{item.kind} {item.by} for {item.of}" if item.by else f"{item.kind} {item.of}",)
        written = item.named if item.name is None else self.parsed.written(item.name)
        return steps_of(written) if written else ()

    def _definition(self, item: Captured, kind: str, path: Path, alias: Path, parent: int | None) -> Definition:
        start, end = self._span(item.extent)
        name = Span(start, start) if item.leaf is None else self._span(item.leaf)
        proper = Span(self.above.attributes_from(start), end_of(self.text, start, end))
        whole = Span(self.above.comments_from(proper.start), self._behind(kind, proper.end))
        body = None if item.body is None else self._body(item.body, proper)
        decorators = bisect_left(self.attributes, Span(name.start, 0)) - bisect_left(
            self.attributes, Span(proper.start, 0)
        )
        depth = 0 if parent is None else self.found[parent].depth + 1
        return Definition(
            path,
            alias,
            kind,
            whole,
            proper,
            name,
            body,
            parent,
            depth,
            max(decorators, 0),
            True,
            item.is_listed,
            leads=self.language.leads is not None and self.language.leads(item.node),
        )

    def _behind(self, kind: str, end: int) -> int:
        """Where a definition ends with what belongs to it on the next line."""
        gap = _NEXT_LINE.match(self.text, end) if kind in VALUES else None
        own = None if gap is None else self.behind.get(gap.end())
        return end if own is None else own.end

    def _body(self, node: Node, proper: Span) -> Span:
        start, end = self._span(node)
        end = start + len(self.text[start:end].rstrip())
        if self.language.layout in ("suite", "end"):
            start = suite_start(self.text, self.comments, start)
        return Span(start, min(max(end, start), proper.end))

    def _judged(self) -> tuple[Definition, ...]:
        """The definitions, with those marked that syntax errors make doubtful."""
        if not self.parsed.errors:
            return tuple(self.found)
        from steadyhand.structure.code.soundness import sound

        return sound(
            self.found,
            [extent.has_error for extent in self.extents],
            self._spans(self.parsed.errors),
            [node.is_error for node in self.parsed.errors],
        )

    def _spans(self, nodes: Sequence[Node]) -> list[Span]:
        return sorted(self._span(node) for node in nodes)

    def _span(self, node: Node) -> Span:
        return Span(self.points[node.start_byte], self.points[node.end_byte])


def _kind(item: Captured, around: str) -> str | None:
    """The kind of a definition by what it stands in; None for the local values of a function."""
    kind = item.kind
    if kind in VALUES:
        if around in TYPES:
            return "field" if kind == "variable" else kind
        return kind if not around or around in SPACES else None
    return "method" if kind == "function" and around in TYPES else kind


def _offsets(captures: Captures, parsed: Parsed) -> list[int]:
    nodes = [*captures.comments, *captures.attributes, *captures.behind, *parsed.errors]
    for item in paced(captures.definitions):
        nodes += [node for node in (item.extent, item.leaf, item.body) if node is not None]
    return [offset for node in nodes for offset in (node.start_byte, node.end_byte)]
