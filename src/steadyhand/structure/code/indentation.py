"""How code that is given takes the indentation of its place.

Code is sent in three shapes: at the margin; as it is indented in its file; and cut out of its file, so that the first
row is bare and the others keep their indentation. What is indented as its place is stays as it is, to the byte.
Everything else is moved from its own indentation to that of the place, in the file's unit. Only code decides about
that: rows inside a string are data and never change; rows inside a block comment or a docstring move as one piece with
the row it starts in. The piece need not be whole or valid: rows are read from the tokens of the tree, which are there
around errors too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.code.language import Language
from steadyhand.structure.code.tree import Parsed, parse_code
from steadyhand.text.cancel import check_cancelled_at
from steadyhand.text.indent import indent_of, width_of
from steadyhand.text.lines import body, split_bodies, split_lines, to_lf
from steadyhand.text.source import Source
from steadyhand.text.span import Span

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
            check_cancelled_at(number)
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
            is_fixed = self.rows[start].text.startswith("=begin")
            for number in range(start if is_fixed else start + 1, last + 1):
                self.rows[number].is_data, self.rows[number].part_of = is_fixed, None if is_fixed else start
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
            for number in range(start + 1, len(self.rows)):
                if not self.rows[number - 1].text.endswith("\\"):
                    break
                self.rows[number].part_of = start

    def done(self) -> None:
        self._settle(len(self.rows))

    def _string(self, start: int, last: int, *, is_first: bool) -> None:
        for row in self.rows[start : last + 1]:
            row.is_data = True
        is_alone = is_first and not self.open and start > 0 and last >= start
        is_continued = start > 1 and self.rows[start - 2].text.endswith("\\")
        if self.language.layout == "suite" and is_alone and not is_continued:
            self.statement = (start - 1, last)

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


_BLOCK = lazy_pattern(r"[{:]\s*\Z|^\s*(?:def|class|module|if|do)\b|\bdo\b(?:\s*\|[^|]*\|)?\s*\Z")
_GOES_ON = lazy_pattern(
    r"(?!\+\+|--).*[-+*/%.,?:=<&|\\^~(\[{]|[=-]>|return|else|do|then|in|of|begin|try|ensure|and|or|not"
)
_CONTINUES = frozenset(". ?. &. ?-> -> => ?: ?? ? : , = == && || | |> + - / % and or extends implements throws".split())
_CONTROL = lazy_pattern(r"(?:\}\s*)?(?:else\s+)?(?:if|for|foreach|while|using|lock)\b\s*(?=\()")
_ATTRIBUTES = ("@", "[", "#", "template")
_LEVEL = frozenset({"{", "when", "else", "elsif", "elif", "rescue", "ensure", "catch", "finally"})
_HEADS = frozenset(
    {"def", "class", "module", "if", "unless", "while", "until", "case", "when", "for", "begin", "rescue"}
)


def fit(
    language: Language, given: str, margin: str, unit: str, around: Source | None = None, replaced: str = ""
) -> str:
    """The given text as it is at a place: every line but the first with the indentation of the place.

    `around` is the file: what is written there already is indented as it should be. `replaced` is what the
    text takes the place of: rows that come back from it tell how the others are indented.

    >>> from steadyhand.structure.code.language import languages
    >>> fit(languages()["python"], "def f():\\n  return 1\\n", "    ", "    ")
    'def f():\\n        return 1'
    """
    texts = rows_of(given)
    if not texts:
        return ""
    first = indent_of(texts[0])
    bare = "\n".join([texts[0][len(first) :], *texts[1:]])
    style = _file_style(Source.of_text("")) if around is None else around.derive(_file_style)
    if len(texts) == 1 or (margin and first == margin) or f"\n{margin}{bare}" in style.text:
        return bare
    piece = _Piece(language, read_rows(language, texts), margin, style)
    if first:
        base = piece.lowest(first)
    elif margin and replaced and piece.is_from(replaced):
        base = margin
    else:
        base = piece.cut_from()
    convert = None if base == margin != "" else piece.converter(base, unit)
    if base == margin and convert is None:
        return bare
    return "\n".join(_moved(piece.rows, base, margin, convert or (lambda indent: indent)))


def differing(source: Source, span: Span, fitted: str) -> tuple[Span, str]:
    """The lines of a span that a new text changes, and what they become; at least one line of each."""
    old, new = split_lines(span.of(source.text)), fitted.split("\n")
    most = min(len(old), len(new)) - 1
    head = 0
    while head < most and body(old[head]) == new[head]:
        head += 1
    tail = 0
    while tail < most - head and body(old[-1 - tail]) == new[-1 - tail]:
        tail += 1
    start = span.start + sum(map(len, old[:head]))
    end = span.end - sum(map(len, old[len(old) - tail :]))
    return Span(start, end), "\n".join(new[head : len(new) - tail]) + ("\n" if tail else "")


def rows_of(given: str) -> list[str]:
    """The rows of a text without the blank ones before and behind it."""
    rows = split_bodies(to_lf(given))
    while rows and not rows[-1].strip():
        rows.pop()
    first = next((at for at, row in enumerate(rows) if row.strip()), 0)
    return rows[first:]


def _file_style(source: Source) -> _FileStyle:
    return _FileStyle(f"\n{to_lf(source.text)}")


class _FileStyle:
    """By how much a file indents what follows a row, which counts only where it must be known; `text` is its lines."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def steps(self) -> Counter[tuple[str, str]]:
        return _steps(split_bodies(self.text))

    @cached_property
    def has_level_braces(self) -> bool:
        """Whether braces on rows of their own are mostly as deep as the row before them."""
        pairs = pairwise(row for row in split_bodies(self.text) if row.strip())
        level = [indent_of(row) == indent_of(after) for row, after in pairs if after.lstrip(" \t").startswith("{")]
        return sum(level) * 2 > len(level)


def _steps(texts: Sequence[str]) -> Counter[tuple[str, str]]:
    """By how much rows are indented more than the one before them, and how that ends."""
    return Counter(
        (_mark(row), indent_of(after)[len(indent_of(row)) :])
        for row, after in pairwise(row for row in texts if row.strip())
        if len(indent_of(after)) > len(indent_of(row))
    )


def _mark(text: str) -> str:
    last = text.rstrip()[-1:]
    return "block" if last not in ("(", "[") and _BLOCK.search(text) else last


@dataclass(frozen=True, slots=True)
class _Piece:
    """A text that is to go to a place with some margin, in a file of some style."""

    language: Language
    rows: Sequence[Row]
    margin: str
    style: _FileStyle

    def lowest(self, first: str) -> str:
        """The indentation of a text whose first row is indented: that of this row, unless the last is further left."""
        code = [row.indent for row in self.rows if row.is_code]
        return first if not code or code[-1].startswith(first) else _common([first, *code])

    def is_from(self, replaced: str) -> bool:
        """Whether a text is indented as what it replaces is, with a bare first row, rather than less by the margin."""
        margin = self.margin
        old = [row for row in split_bodies(to_lf(replaced))[1:] if row.strip()]
        new = [row.text for row in self.rows[1:] if row.text.strip()]
        kept = set(old).intersection(new)
        if any(width_of(row) < width_of(margin) and row not in kept for row in new):
            return False
        if self.language.layout == "suite" and not self._is_laid_out(margin):
            return False
        if kept:
            return len(kept) > len(set(old).intersection(margin + row for row in new))
        lowest, indents = min(map(indent_of, new), key=len), set(map(indent_of, old))
        return lowest in indents and margin + lowest not in indents

    def cut_from(self) -> str:
        """The indentation that a text had where it was cut out, if its first row is bare for that; else nothing."""
        first, rows = self.rows[0], self.rows[1:]
        code = [row for row in rows if row.is_code] or [row for row in rows if row.text.strip() and not row.is_data]
        if not code:
            return ""
        if first.is_comment and not first.first and all(row.indent.startswith(code[0].indent) for row in code):
            return code[0].indent  # a comment is as deep as what it is about
        bases = dict.fromkeys(base for base in (self.margin, code[-1].indent) if base)
        if self.language.layout != "suite":
            return next((base for base in bases if self._is_cut_from(base, code)), "")
        if not self._is_laid_out(""):
            bases = dict.fromkeys(base for base in (*bases, _common([row.indent for row in code])) if base)
            return next((base for base in bases if self._is_laid_out(base)), "")
        if self.margin and self._is_laid_out(self.margin) and self._is_cut_from(self.margin, code):
            return self.margin
        heads = [row.indent for row in code if row.last == ":" and self._head_of(row) == 0]
        return next((base for base in heads if self._is_laid_out(base)), "") or self._too_deep(code)

    def converter(self, base: str, unit: str) -> Callable[[str], str] | None:
        """Levels of the given text's unit become levels of the file's, unless the file has both."""
        first, code = self.rows[0], [row for row in self.rows[1:] if row.is_code]
        steps = _steps([first.text if first.indent else base + first.text, *(row.text for row in code)])
        kinds = ("block",) if any(mark == "block" for mark, _ in steps) else ("(", "[")
        counts = Counter({step: count for (mark, step), count in steps.items() if mark in kinds})
        own = min(counts, key=lambda step: (-counts[step], len(step)), default=unit)
        is_even = all((len(row.indent) - len(base)) % len(own) == 0 for row in code)
        if own == unit or set(own) == {" ", "\t"} or ("\t" not in own + unit and not is_even):
            return None
        is_usual = any((kind, own) in self.style.steps for kind in kinds)
        return None if is_usual else lambda indent: _levels(indent, own, unit)

    def _is_laid_out(self, base: str) -> bool:
        """Whether the statements of a suite are as deep as they must be if the first is as deep as `base`."""
        levels, is_opened = [base], False
        for at, row in enumerate(self.rows):
            if at and row.is_code and row.inside is None and not self.rows[at - 1].text.endswith("\\"):
                if is_opened:
                    if row.indent == levels[-1] or not row.indent.startswith(levels[-1]):
                        return False
                    levels.append(row.indent)
                while levels and levels[-1] != row.indent:
                    levels.pop()
                if not levels:
                    return False
            if row.last:
                is_opened = row.last == ":"
        return True

    def _too_deep(self, code: Sequence[Row]) -> str:
        """What the body of a suite is too deep by, if no other in the file is so deep."""
        usual = {step: count for (mark, step), count in self.style.steps.items() if mark == "block"}
        unit, first = max(usual, key=lambda step: usual[step], default=""), code[0].indent
        further = [step for mark, step in _steps([row.text for row in code]) if mark == "block"]
        is_too_deep = unit and first not in usual and first.endswith(unit) and all(step in usual for step in further)
        base = first[: -len(unit)] if is_too_deep and _mark(self.rows[0].text) == "block" else ""
        return base if self._is_laid_out(base) else ""

    def _is_cut_from(self, base: str, code: Sequence[Row]) -> bool:
        """Whether rows behind a bare first one are indented as if that had `base` in front."""
        head = self._head_of(code[-1])
        is_closed = head is not None and code[-1].indent == base and (head == 0 or self.rows[head].indent == base)
        level = next((row for row in code if row.indent == base), None)
        is_below = any(width_of(row.text) < width_of(base) for row in code)
        if base != self.margin:  # braces and continuations may be deeper than the head of what they belong to
            is_deeper = any(row.indent.startswith(base) and row.indent != base for row in code)
            is_other = level is not None and (
                level.is_next
                or self.rows[0].first.startswith(_ATTRIBUTES)
                or (level.first == "{" and self.style.has_level_braces)
            )
            is_block = is_closed and is_deeper and not is_below and code[-1].first in ("}", "end")
            return is_block and (head == 0 or is_other)
        if is_closed and head == 0:
            return True
        if is_below and not is_closed:
            return False
        if level is not None:
            return self._is_level(level)
        if self._is_aligned(""):
            return False
        return self._is_aligned(base) or self._is_usual(base, code)

    def _head_of(self, row: Row) -> int | None:
        """Where that starts which the first token of a row closes: before the brackets that were open there."""
        head = row.opened
        while head is not None and (inside := self.rows[head].inside) is not None:
            head = inside[0]
        return head

    def _is_level(self, row: Row) -> bool:
        """Whether a row should be as deep as the first: it closes it, or is no part of what is before it."""
        rows, language = self.rows, self.language
        if row.opened is not None or row.first in _LEVEL or (language.name, row.first) == ("rust", "where"):
            return True
        if row.inside is not None or row.is_next:
            return row.inside is None
        at = next(at for at, other in enumerate(rows) if other is row)
        before = next((other for other in reversed(rows[:at]) if other.last), None)
        if before is None or before.last in (";", "}") or rows[0].first.startswith(_ATTRIBUTES):
            return True
        if before.last == "," and rows[-1].last == ",":  # items of a list
            return True
        if row.is_next is False:
            return language.name in ("c", "cpp") and _is_type(before, row)
        if _GOES_ON.fullmatch(before.last) or row.first in _CONTINUES:
            return False
        return before.first not in _HEADS if language.layout == "end" else not _is_control(before.text.strip())

    def _is_aligned(self, base: str) -> bool:
        """Whether a row is right below what is behind a bracket of the first, if that has `base` in front."""
        return not self.rows[0].last.endswith(("(", "[", "{")) and any(
            row.inside is not None and row.inside[0] == 0 and row.inside[1] == len(row.indent) - len(base)
            for row in self.rows[1:]
            if row.is_code and "\t" not in row.indent
        )

    def _is_usual(self, base: str, code: Sequence[Row]) -> bool:
        """Whether the file indents by as much what follows a row like the first, rather than by `base` more."""
        usual = self.style.steps
        further = [step for step in _steps([row.text for row in code]) if step[0] == "block"]
        if further and usual and not any(step in usual for step in further):
            return False
        mark = _mark(self.rows[0].text)
        return usual[mark, code[0].indent[len(base) :]] >= usual[mark, code[0].indent]


def _is_type(before: Row, row: Row) -> bool:
    """Whether a row is the type of what the next one declares, as some write C."""
    return (before.last[-1].isalnum() or before.last in ("*", "&", ">")) and row.first[:1].isalpha()


def _is_control(text: str) -> bool:
    """Whether a row is the head of a statement that has no braces: `if (x)`."""
    head = _CONTROL.match(text)
    if head is None:
        return False
    depth = 0
    for at in range(head.end(), len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at == len(text) - 1
    return False


def _common(indents: Sequence[str]) -> str:
    shortest = min(indents, key=len)
    while not all(indent.startswith(shortest) for indent in indents):
        shortest = shortest[:-1]
    return shortest


def _levels(indent: str, own: str, unit: str) -> str:
    levels = 0
    while indent.startswith(own):
        indent, levels = indent[len(own) :], levels + 1
    return unit * levels + indent


def _moved(rows: Sequence[Row], base: str, margin: str, convert: Callable[[str], str]) -> Iterator[str]:
    """The rows, taken from one indentation to another."""
    before = [rows[0].indent or base, *(row.indent for row in rows[1:])]
    after = [margin, *(_indent(row, base, margin, convert) for row in rows[1:])]
    # A comment or docstring with a row further left than its first cannot be moved as one piece, and stays.
    stuck = {
        at for row in rows if (at := row.part_of) is not None and row.text.strip() and not _is_below(row, before[at])
    }
    yield rows[0].text.lstrip(" \t")
    for at, row in enumerate(rows[1:], 1):
        if row.is_data or not row.text or row.part_of in stuck:
            yield row.text
        elif row.part_of is None:
            yield after[at] + row.text[len(before[at]) :]
        elif _is_below(row, before[row.part_of]):
            yield after[row.part_of] + row.text[len(before[row.part_of]) :]
        else:
            yield row.text


def _is_below(row: Row, indent: str) -> bool:
    return row.text.startswith(indent)


def _indent(row: Row, base: str, margin: str, convert: Callable[[str], str]) -> str:
    indent = row.indent
    if row.is_directive and (base or row.inside):
        return indent
    if indent.startswith(base):
        return margin + convert(indent[len(base) :])
    if not row.first:  # blank, or a comment that somebody put further left
        return indent
    if margin.startswith(base):
        return margin[len(base) :] + indent
    return indent.removesuffix(base[len(margin) :]) if base.startswith(margin) else indent
