"""Runs the query of a language and gathers what it captured, still in bytes.

How a query is written:

    @class @function @variable …   the node of a definition; the name of the capture is its kind
    @name      its name; `(#set! named "init")` gives one that is not written; without either it only counts as a scope;
               with `(#set! called "init")` only what has that name counts: predicates of the parser itself are slow
    @body      its body
    @scope     the type it belongs to where that is written elsewhere (a receiver)
    @of @as    what an unnamed scope extends, and by which trait: it is called `impl As for Of`, its members `Of.member`
    @wrapper   a node that belongs to the definition `@inner` inside it: decorators, `export`, `template`;
               with `(#set! unless "(")` only if that is not its second child
    @several   a node that defines more than one name, whatever they are: it cannot be edited by one of them
    @listed    the definition is an item of a list with commas
    @behind    a node that belongs to the definition on the line above it: the docstring of an attribute
    @comment   comments; @attribute: decorators, attributes and annotations, inside the definition or in front of it

Of several patterns for one node the first one counts.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

from steadyhand.lazy import dataclass, field
from steadyhand.structure.code.language import Language
from steadyhand.structure.code.tree import Parsed, grammar_of
from steadyhand.text.pace import paced

if TYPE_CHECKING:
    from tree_sitter import Node, Query


_DEEPEST = 400
_LISTS = ("nested_namespace_specifier", "namespace_name")  # qualified names whose parts are children without a field
_OTHERS = frozenset(
    {"name", "body", "scope", "of", "as", "wrapper", "inner", "several", "listed", "behind", "comment", "attribute"}
)


@dataclass(frozen=True, slots=True)
class Captured:
    """One definition: its node, the outermost node that belongs to it, and what the query named in it.

    `leaf` is the last part of a qualified name, and else the name.
    """

    node: Node
    extent: Node
    kind: str
    name: Node | None
    leaf: Node | None
    named: str | None
    body: Node | None
    scope: str | None
    of: str | None
    by: str | None
    is_listed: bool


@dataclass(slots=True)
class Captures:
    """Everything one run of the query gave: definitions in the order of the file, outer ones first."""

    definitions: list[Captured] = field(default_factory=list)
    comments: list[Node] = field(default_factory=list)
    attributes: list[Node] = field(default_factory=list)
    behind: list[Node] = field(default_factory=list)


@cache
def _query(language: Language, grammar: str) -> Query:
    from tree_sitter import Query

    return Query(grammar_of(language.package, grammar), language.query)


def capture(language: Language, parsed: Parsed, *, grammar: str | None = None) -> Captures:
    """What the query of a language captures in a tree; deeper than some hundred levels nothing is looked for."""
    from tree_sitter import QueryCursor

    query = _query(language, grammar or language.grammar)
    cursor = QueryCursor(query)
    cursor.set_max_start_depth(_DEEPEST)
    gathered = Captures()
    outer: dict[int, Node] = {}
    found: dict[int, tuple[int, str, dict[str, list[Node]]]] = {}
    shared: dict[int, set[int]] = {}
    several: set[int] = set()
    for pattern, nodes in paced(cursor.matches(parsed.tree.root_node)):
        gathered.comments += nodes.get("comment", ())
        gathered.attributes += nodes.get("attribute", ())
        gathered.behind += nodes.get("behind", ())
        several.update(node.id for node in nodes.get("several", ()))
        settings = query.pattern_settings(pattern)
        if "wrapper" in nodes and not _is_second(nodes["wrapper"][0], settings.get("unless")):
            outer[nodes["inner"][0].id] = nodes["wrapper"][0]
        kind = next((name for name in nodes if name not in _OTHERS), None)
        called = settings.get("called")
        if kind is not None and (called is None or parsed.written(nodes["name"][0]) == called):
            node = nodes[kind][0]
            shared.setdefault(node.id, set()).update(name.id for name in nodes.get("name", ()))
            if node.id not in found or pattern < found[node.id][0]:
                found[node.id] = (pattern, kind, nodes)
    extents = {node_id: _extent(outer, nodes[kind][0]) for node_id, (_, kind, nodes) in found.items()}
    wrapping = Counter(extent.id for node_id, extent in extents.items() if extent.id != node_id)
    several.update(node_id for node_id, extent in extents.items() if wrapping[extent.id] > 1)
    for node_id, (pattern, kind, nodes) in paced(found.items()):
        named = query.pattern_settings(pattern).get("named")
        is_named = "name" not in nodes or parsed.is_name(nodes["name"][0])
        if len(shared[node_id]) <= 1 and node_id not in several and is_named:
            gathered.definitions.append(_captured(parsed, extents[node_id], kind, nodes, named))
    gathered.definitions.sort(key=lambda item: (item.node.start_byte, -item.node.end_byte))
    return gathered


def _is_second(node: Node, kind: str | None) -> bool:
    second = None if kind is None else node.child(1)
    return second is not None and second.type == kind


def _captured(parsed: Parsed, extent: Node, kind: str, nodes: dict[str, list[Node]], named: str | None) -> Captured:
    node = nodes[kind][0]
    name, body = nodes.get("name", [None])[0], nodes.get("body", [None])[0]
    scope, of, by = (_text(parsed, nodes, key) for key in ("scope", "of", "as"))
    return Captured(node, extent, kind, name, _leaf(name), named, body, scope, of, by, "listed" in nodes)


def _extent(outer: dict[int, Node], node: Node) -> Node:
    while node.id in outer:
        node = outer[node.id]
    return node


def _leaf(name: Node | None) -> Node | None:
    """The bare name in a qualified one: `f` of `A::f`, `t` of `public.t`."""
    while name is not None and name.type != "setter":  # `x=` of Ruby is a name
        inner = name.child_by_field_name("name") or name.child_by_field_name("property")
        if inner is None and name.type in _LISTS:
            inner = next(reversed(name.named_children), None)
        if inner is None:
            break
        name = inner
    return name


def _text(parsed: Parsed, nodes: dict[str, list[Node]], key: str) -> str | None:
    return " ".join(parsed.written(nodes[key][0]).split()) if key in nodes else None
