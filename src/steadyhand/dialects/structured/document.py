"""A stretch of a reply that holds JSON: its text, where its offsets are in the reply, and what is wrong with it.

Also a JSON text inside a string of another is such a document; all of it counts as being where that string is.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable

from steadyhand.dialects.piece import malformed
from steadyhand.dialects.structured.loose import AMBIGUOUS, DOUBTFUL, read_loose, read_strict
from steadyhand.dialects.structured.node import Flaw, Node, Unreadable, texts_in
from steadyhand.dialects.structured.quotes import Names
from steadyhand.errors import EditError
from steadyhand.hints import Advice
from steadyhand.lazy import dataclass, field, lazy_pattern
from steadyhand.text.visible import sized

__all__ = ["FORMAT", "Document", "line_starts"]

FORMAT = "json"
_MOST_INNER = 3
_MISREAD = lazy_pattern(r"[\b\f]|\b[A-Z]:\t(?=\w)")
_SHORT = lazy_pattern(r"(?<!\\)(?:\\\\)*\\[bft]")  # `\t`, and not `\u0009`, which nobody writes by mistake


def line_starts(text: str) -> list[int]:
    """Where each line of a text starts; lines of a reply end at line feeds only."""
    return [0, *(found.end() for found in re.finditer("\n", text))]


@sized("text")
@dataclass(slots=True)
class Document:
    """A text that begins in line `line` of the reply, behind `indent` characters of it.

    `holder` is where a text inside a string is.
    """

    text: str
    line: int
    indent: int = 0
    starts: list[int] = field(default_factory=list)
    flaws: list[Flaw] = field(default_factory=list)
    unclear: list[int] = field(default_factory=list)
    holder: tuple[Document, Node] | None = None
    level: int = 0

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column in the reply."""
        if self.holder is not None:
            return self.holder[0].place(self.holder[1].start)
        if not self.starts:
            self.starts = line_starts(self.text)
        row = bisect_right(self.starts, offset) - 1
        return self.line + row, offset - self.starts[row] + 1 + (self.indent if row == 0 else 0)

    def lines(self, node: Node) -> tuple[int, int]:
        """First and last line of a value in the reply."""
        if self.holder is not None:
            return self.holder[0].lines(self.holder[1])
        return self.place(node.start)[0], self.place(max(node.end - 1, node.start))[0]

    def refuse(self, offset: int, what: str, expected: str, hint: Advice = None) -> EditError:
        """The refusal of what is at an offset."""
        line, column = self.place(offset)
        inside = "in the JSON text of this string, " if self.holder is not None else ""
        return malformed(line, inside + what, expected, column=column, format=FORMAT, hint=hint)

    def unreadable(self, error: Unreadable) -> EditError:
        return self.refuse(error.offset, error.what, error.expected)

    def unclear_in(self, node: Node | None) -> int | None:
        """Where in a value the first escape is that can be read in two ways."""
        if node is None:
            return None
        index = bisect_left(self.unclear, node.start)
        inside = index < len(self.unclear) and self.unclear[index] < node.end
        return self.unclear[index] if inside else None

    def check_written(self, node: Node, old: Node | None = None) -> None:
        r"""Refuse text that is written and has an escape that may stand for itself or for something else.

        An apostrophe needs no backslash, so `\'` is meant as an apostrophe or as both, and who has line breaks as they
        are may mean a backslash and an n; where the old text has the same the file decides. A pattern's `\b`, TeX's
        `\f` and the `\t` of `C:\temp` become control characters that hardly any text has there; whoever means one can
        write it as `\u0009`.
        """
        at = self.unclear_in(node)
        if at is not None and self.unclear_in(old) is None:
            escape = self.text[at : at + 2]
            if escape[1:] in ("n", "r", "t", "/"):
                what, otherwise = f"{escape} may be two characters", f"{escape} everywhere for one"
            else:
                what, otherwise = f"{escape} is not a JSON escape", "no backslash"
            raise self.refuse(at, what, f"\\\\{escape[1:]} for a backslash, or {otherwise}")
        found = _MISREAD.search(node.value) if isinstance(node.value, str) else None
        if found is None or _SHORT.search(self.text, node.start, node.end) is None:
            return
        if old is None or not any(found.group() in text for text in texts_in(old)):
            name, code = {"\b": ("\\b", "\\u0008"), "\f": ("\\f", "\\u000c")}.get(found.group(), ("\\t", "\\u0009"))
            expected = f"\\{name} for a backslash, or {code} for the control character"
            raise self.refuse(node.start, f"{name} stands for a control character", expected)

    def inner(
        self, node: Node, names: Names, is_marked: Callable[[Unreadable, str, int], bool]
    ) -> tuple[Node, Document] | None:
        """The JSON text in a string, if it is one. Refuses one that is broken and would matter."""
        text = node.value
        if not isinstance(text, str) or not text.lstrip().startswith(("{", "[")) or self.level == _MOST_INNER:
            return None
        inside = Document(text, 1, holder=(self, node), level=self.level + 1)
        start = len(text) - len(text.lstrip())
        try:
            return inside.read(start, names), inside
        except Unreadable as error:
            if not is_marked(error, text, start):
                return None
            raise inside.unreadable(error) from None

    def read(self, start: int, names: Names) -> Node:
        """The value that begins at an offset, strictly if it can be. Raises `Unreadable`."""
        try:
            return read_strict(self.text, start)
        except Unreadable:
            reading = read_loose(self.text, start, names)
            self.flaws.extend(reading.flaws)
            self.unclear.extend(sorted(flaw.offset for flaw in reading.flaws if flaw.what in (AMBIGUOUS, DOUBTFUL)))
            return reading.node
