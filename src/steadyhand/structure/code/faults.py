"""The syntax errors of a tree, as a person would name them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steadyhand.structure.code.tree import Parsed, points_of
from steadyhand.structure.format import Fault
from steadyhand.text.lines import count_lines, line_start

if TYPE_CHECKING:
    from tree_sitter import Node


_SHOWN = 40
_TOLD = 20


def faults_of(parsed: Parsed, text: str) -> tuple[Fault, ...]:
    """The first errors that hold no other, in the order of the text."""
    if parsed.tree.root_node.has_error and not parsed.errors:
        return (Fault(1, "something is missing or not expected"),)
    pairs = zip(parsed.errors, (*parsed.errors[1:], None), strict=False)
    inner = [node for node, behind in pairs if _is_apart(node, behind)][:_TOLD]
    points = points_of(parsed.data, {node.start_byte for node in inner})
    return tuple(_fault(node, points[node.start_byte], text) for node in inner)


def _is_apart(node: Node, behind: Node | None) -> bool:
    return behind is None or behind.start_byte >= node.end_byte or node.is_missing


def _fault(node: Node, point: int, text: str) -> Fault:
    line, column = count_lines(text, point) + 1, point - line_start(text, point) + 1
    if node.is_missing:
        return Fault(line, f"missing `{node.type}`", column)
    shown = text[point : point + 200].split("\n", 1)[0].split("\r", 1)[0].strip()
    return Fault(line, f"unexpected `{shown[:_SHOWN]}`" if shown else "unexpected end of line", column)
