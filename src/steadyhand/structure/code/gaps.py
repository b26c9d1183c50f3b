"""How many blank lines part definitions: the habit of the file, and only without one that of the language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from steadyhand.structure.code.definition import Code, Definition
from steadyhand.text.source import Source
from steadyhand.text.span import Span


def gap_beside(source: Source, code: Code, item: Definition, *, lines: int) -> int:
    """The blank lines between a definition and a new neighbour of so many lines."""
    is_small = lines == 1 and is_one_line(source, item.whole)
    return _habit(source, code, item.parent, item.depth, is_small=is_small)


def gap_inside(source: Source, code: Code, index: int, *, lines: int, at_end: bool) -> int:
    """The blank lines between the first or last member of a definition and a new one of so many lines."""
    inside = [item for item in code.definitions if item.parent == index]
    if inside:
        return gap_beside(source, code, inside[-1] if at_end else inside[0], lines=lines)
    return _habit(source, code, index, code.definitions[index].depth + 1, is_small=lines == 1)


def is_one_line(source: Source, span: Span) -> bool:
    """Whether a span stands on one line."""
    first, last = source.table.rows_of(span)
    return first == last


def _habit(source: Source, code: Code, parent: int | None, depth: int, *, is_small: bool) -> int:
    """What most neighbours do: those in the same definition, else those as deep in the file, else in the language."""
    alike = [(gap, mine) for gap, small, mine in _gaps(source, code, depth, parent) if small == is_small]
    for near in ([gap for gap, mine in alike if mine], [gap for gap, _ in alike]):
        if near:
            return Counter(near).most_common(1)[0][0]
    return 0 if is_small else code.language.gaps[min(depth, 1)]


def _gaps(source: Source, code: Code, depth: int, parent: int | None) -> Iterator[tuple[int, bool, bool]]:
    """Blank lines between neighbours as deep, whether both are of one line, whether in the same definition."""
    level = [item for item in code.definitions if item.depth == depth]
    for one, two in pairwise(level):
        if one.parent == two.parent and one.whole.end <= two.whole.start:
            between = source.text[one.whole.end : two.whole.start]
            if not between.strip(" \t\r\n\f,"):
                first, last = source.table.row_at(one.whole.end), source.table.row_at(two.whole.start)
                is_small = is_one_line(source, one.whole) and is_one_line(source, two.whole)
                yield max(last - first - 1, 0), is_small, one.parent == parent
