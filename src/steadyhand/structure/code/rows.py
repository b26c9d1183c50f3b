"""What the rows of a piece of code are: which are code, and which start inside a string or a comment.

Only code says how far a text is indented. Rows inside a string are data and never change; rows inside a block comment
or a docstring are text that goes with the row it starts in. The piece need not be whole or valid: rows are read from
the tokens of the tree, which are there around errors too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.code.language import Language
from steadyhand.structure.code.tree import Parsed, parse_code
from steadyhand.text.indent import indent_of
from steadyhand.text.pace import go_on_at

if TYPE_CHECKING:
    from tree_sitter import Node


DIRECTIVE = r"#[ \t]*(?:if|ifdef|ifndef|elif|elifdef|elifndef|else|endif|define|undef|include|pragma)\b"
_DIRECTIVE = lazy_pattern(DIRECTIVE)
_WORD = lazy_pattern(r"\w+|\S")
_PAIRS = {")": "(", "]": "[", "}": "{"}
_ENDS = frozenset({"end", "fi", "done", "esac"})


@dataclass(slots=True)
class Row:
    """One row.

    `first`, `last`  its first and last token; empty where it has none but comments
    `is_code`        whether it starts outside of strings and comments, and has more than a comment
    `is_comment`     whether it starts with a comment
    `is_data`        whether it starts inside a string
    `is_directive`   whether it is one of the preprocessor's, at column 0
    `part_of`        the row where the comment, docstring or directive starts that this one is inside of
    `inside`         row and column of the innermost bracket that is open at its start
    `opened`         where that was opened which its first token closes
    `is_next`        whether it starts another statement or definition; None where syntax errors make that doubtful
    """

    text: str
    first: str = ""
    last: str = ""
    is_comment: bool = False
    is_data: bool = False
    is_directive: bool = False
    part_of: int | None = None
    inside: tuple[int, int] | None = None
    opened: int | None = None
    is_next: bool | None = None

    @property
    def indent(self) -> str:
        return indent_of(self.text)

    @property
    def is_code(self) -> bool:
        return bool(self.first) and not self.is_data and not self.is_directive and self.part_of is None


def read_rows(language: Language, texts: Sequence[str]) -> list[Row]:
    """The rows of a text; of one that cannot be parsed, all that are not blank are code."""
    rows = [Row(text) for text in texts]
    parsed, head = _parsed(language, "\n".join(texts))
    if parsed is not None:
        tokens = _Tokens(language, parsed, rows, head)
        for number, node in enumerate(_nodes(parsed, frozenset(language.strings))):
            go_on_at(number)
            tokens.take(node)
        tokens.done()
        if not parsed.errors and not head:
            starts = {child.start_point for child in parsed.tree.root_node.children if not _is_comment(child)}
            for number, row in enumerate(rows):
                row.is_next = (number, len(row.indent)) in starts
    for row in rows:
        words = _WORD.findall(row.text) if not row.first and not row.is_comment else ()
        if words and not row.is_data and row.part_of is None:  # the parser has passed over it
            row.first, row.last = words[0], words[-1]
    return rows


def _parsed(language: Language, text: str) -> tuple[Parsed | None, int]:
    """The tree of a text, and how many rows it has in front: members are parsed as such where they are nothing else."""
    best, lead = parse_code(language, text, fragment=True), 0
    for head in language.enclosing if isinstance(best, Parsed) and best.errors else ():
        parsed = parse_code(language, f"{head}\n{text}\n}}", fragment=True)
        if isinstance(parsed, Parsed) and isinstance(best, Parsed) and len(parsed.errors) < len(best.errors):
            best, lead = parsed, 1
    return (best, lead) if isinstance(best, Parsed) else (None, 0)


def _nodes(parsed: Parsed, strings: frozenset[str]) -> Iterator[Node]:
    """The leaves of a tree, strings and comments as one each."""
    cursor = parsed.tree.walk()
    while True:
        node = cursor.node
        assert node is not None
        if node.type in strings or _is_comment(node) or not cursor.goto_first_child():
            yield node
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return


def _is_comment(node: Node) -> bool:
    return "comment" in node.type or node.type == "marginalia"


class _Tokens:
    """Takes the leaves of a tree in order, and notes on each row what they say of it."""

    def __init__(self, language: Language, parsed: Parsed, rows: Sequence[Row], head: int) -> None:
        self.language, self.parsed, self.rows, self.head = language, parsed, rows, head
        self.open: list[tuple[str, int, int]] = []
        self.seen = 0  # rows up to here know whether they are inside brackets
        self.statement: tuple[int, int] | None = None  # a string that has its rows to itself, so far

    def take(self, node: Node) -> None:
        (start, column), (end, width) = node.start_point, node.end_point
        start, end = start - self.head, end - self.head
        last = min(end if width else end - 1, len(self.rows) - 1)
        written = self.parsed.written(node).strip() if last <= start else node.type
        if not written or not 0 <= start < len(self.rows):
            return
        while self.seen <= start:
            self.rows[self.seen].inside = self.open[-1][1:] if self.open else None
            self.seen += 1
        if _is_comment(node):
            self.rows[start].is_comment |= column == len(self.rows[start].indent)
            self._comment(start, last)
            return
        self._settle(start)
        row = self.rows[start]
        is_first = not row.first and column == len(row.indent)
        if node.is_named and node.type in self.language.strings:
            self._string(start + ("heredoc" not in node.type or column > 0), last, is_first=is_first)
        else:
            self._bracket(node, written, start, is_first=is_first)
        row.first = row.first or written
        self.rows[max(last, start)].last = written
        if _DIRECTIVE.match(row.text) and not row.is_directive:
            row.is_directive = True
            self._directive(start)

    def done(self) -> None:
        self._settle(len(self.rows))

    def _comment(self, start: int, last: int) -> None:
        is_fixed = self.rows[start].text.startswith("=begin")
        for number in range(start if is_fixed else start + 1, last + 1):
            self.rows[number].is_data, self.rows[number].part_of = is_fixed, None if is_fixed else start

    def _string(self, start: int, last: int, *, is_first: bool) -> None:
        for row in self.rows[start : last + 1]:
            row.is_data = True
        is_alone = is_first and not self.open and start > 0 and last >= start
        if self.language.layout == "suite" and is_alone and not self._is_led_in(start - 1):
            self.statement = (start - 1, last)

    def _is_led_in(self, number: int) -> bool:
        return number > 0 and self.rows[number - 1].text.endswith("\\")

    def _settle(self, start: int) -> None:
        """A string that has its rows to itself is a docstring: text, and not data."""
        if self.statement is not None and start > self.statement[1]:
            first, last = self.statement
            for row in self.rows[first + 1 : last + 1]:
                row.is_data, row.part_of = False, first
        self.statement = None

    def _bracket(self, node: Node, written: str, start: int, *, is_first: bool) -> None:
        if written in _ENDS and is_first and node.parent is not None:
            self.rows[start].opened = max(node.parent.start_point[0] - self.head, 0)
        if node.is_named:
            return
        if written[-1] in "([{":
            self.open.append((written[-1], start, node.end_point[1]))
        elif written in _PAIRS and any(found[0] == _PAIRS[written] for found in self.open):
            while (found := self.open.pop())[0] != _PAIRS[written]:
                pass
            if is_first:
                self.rows[start].opened = found[1]

    def _directive(self, start: int) -> None:
        for number in range(start + 1, len(self.rows)):
            if not self.rows[number - 1].text.endswith("\\"):
                break
            self.rows[number].part_of = start
