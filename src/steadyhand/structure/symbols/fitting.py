"""How code that is given takes the indentation of its place.

The given text is taken back to the margin and indented as the place is, in the file's own unit. Lines inside strings,
templates and heredocs are data and stay as they are given; the docstring of a suite is prose and moves with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from steadyhand.structure.language import Language
from steadyhand.structure.node import Refusal
from steadyhand.structure.parsers.code.tree import Parsed, parse_code
from steadyhand.text.indent import indent_of
from steadyhand.text.lines import body, split_bodies, split_lines, to_lf
from steadyhand.text.source import Source
from steadyhand.text.span import Span

if TYPE_CHECKING:
    from tree_sitter import Node

_CLOSER = re.compile(r"[})\]]|end\b")
_OPENER = re.compile(r"[{:(\[]\s*\Z|^\s*(?:def|class|module|if|do)\b.*\Z|\bdo\b(?:\s*\|[^|]*\|)?\s*\Z")


def fit(language: Language, given: str, margin: str, unit: str) -> str:
    """The given text as it stands at a place: every line but the first with the indentation of the place.

    >>> from steadyhand.structure.language import languages
    >>> fit(languages()["python"], "def f():\\n  return 1\\n", "    ", "    ")
    'def f():\\n        return 1'
    """
    rows = rows_of(given)
    if not rows:
        return ""
    if margin and indent_of(rows[0]) == margin:
        return "\n".join([rows[0].lstrip(" \t"), *rows[1:]])  # it stands as it should already
    data = _data_rows(language, "\n".join(rows))
    moved = [row for row in range(1, len(rows)) if rows[row].strip() and row not in data]
    base = _base(language, rows, moved, margin)
    convert = _converter([rows[0].lstrip(" \t"), *(rows[row].removeprefix(base) for row in moved)], unit)
    fitted = [row if at in data else "" for at, row in enumerate(rows)]
    fitted[0] = rows[0].lstrip(" \t")
    for row in moved:
        indent = indent_of(rows[row])
        fitted[row] = margin + convert(indent.removeprefix(base)) + rows[row][len(indent) :]
    return "\n".join(fitted)


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


def _base(language: Language, rows: Sequence[str], moved: Sequence[int], margin: str) -> str:
    """The blanks that every row but the first has too many of."""
    first, indents = indent_of(rows[0]), [indent_of(rows[row]) for row in moved]
    if first or not indents:
        return _common([first, *indents])
    common = _common(indents)
    if not common:
        return ""
    if language.layout == "suite":
        return _base_of_suite(language, rows, moved, [margin, common])
    closing = indent_of(rows[-1]) if _CLOSER.match(rows[-1].lstrip(" \t")) else None
    if closing is not None and common.startswith(closing):
        return closing
    return margin if margin and common.startswith(margin) and common != margin else ""


def _base_of_suite(language: Language, rows: Sequence[str], moved: Sequence[int], bases: Sequence[str]) -> str:
    """In a suite the indentation has a meaning: only what is valid without it is taken away."""
    data = set(range(len(rows))).difference(moved)
    for base in bases:
        if base and all(rows[row].startswith(base) for row in moved):
            bare = "\n".join(row if at in data else row.removeprefix(base) for at, row in enumerate(rows))
            if _is_valid(language, f"{bare}\n"):
                return base
    return ""


def _is_valid(language: Language, text: str) -> bool:
    """Whether a text is valid, as far as that can be said of one of its length."""
    if language.verdict is None:
        return True
    if (judge := language.judge_of(text)) is not None:
        return judge(text) is None
    parsed = parse_code(language, text)
    return isinstance(parsed, Parsed) and not parsed.errors


def _common(indents: Sequence[str]) -> str:
    shortest = min(indents, key=len)
    while not all(indent.startswith(shortest) for indent in indents):
        shortest = shortest[:-1]
    return shortest


def _converter(rows: Sequence[str], unit: str) -> Callable[[str], str]:
    """Levels of the given text's unit become levels of the file's, where the text shows what its unit is."""
    steps = [
        indent_of(after)[len(indent_of(row)) :]
        for row, after in pairwise(rows)
        if _OPENER.search(row) and len(indent_of(after)) > len(indent_of(row))
    ]
    own = min(steps, key=len, default=unit)
    is_even = all(len(indent_of(row)) % len(own) == 0 for row in rows)
    if own == unit or set(own) == {" ", "\t"} or ("\t" not in own + unit and not is_even):
        return lambda indent: indent
    return lambda indent: _levels(indent, own, unit)


def _levels(indent: str, own: str, unit: str) -> str:
    levels = 0
    while indent.startswith(own):
        indent, levels = indent[len(own) :], levels + 1
    return unit * levels + indent


def _data_rows(language: Language, text: str) -> frozenset[int]:
    """The rows that start inside a string, template or heredoc."""
    if not language.strings or "\n" not in text:
        return frozenset()
    parsed = parse_code(language, text, fragment=True)
    if isinstance(parsed, Refusal):
        return frozenset()
    from tree_sitter import Query, QueryCursor

    found = QueryCursor(Query(parsed.tree.language, " ".join(f"({kind}) @data" for kind in language.strings)))
    rows: set[int] = set()
    for node in found.captures(parsed.tree.root_node).get("data", ()):
        (first, column), (last, _) = node.start_point, node.end_point
        if not _is_prose(language, node):
            rows.update(range(first + ("heredoc" not in node.type or column > 0), last + 1))
    return frozenset(rows)


def _is_prose(language: Language, node: Node) -> bool:
    """Whether a string is a statement of its own in a suite: a docstring."""
    parent = node.parent if language.layout == "suite" else None
    return parent is not None and parent.type == "expression_statement"
