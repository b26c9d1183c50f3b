"""The reader of source code: a text to its definitions, with names, kinds, nesting and exact spans in code points.

It runs the query of a language and gathers what that captures. How a query is written:

    @class @function @variable …   the node of a definition; the name of the capture is its kind
    @name      its name; `(#set! named "init")` gives one that is not written; without either it only counts as a scope;
               with `(#set! called "init")` only what has that name counts: predicates of the parser itself are slow
    @body      its body
    @scope     the type it belongs to where that is written elsewhere (a receiver)
    @of @as    what an unnamed scope extends, and by which trait: it is called `impl As for Of`, its members `Of.member`
    @wrapper   a node that belongs to the definition `@inner` inside it: decorators, `export`, `template`;
               with `(#set! unless "(")` only if that is not its second child
    @several   a node that defines more than one name: it is no definition itself, those inside it are
    @statement a node around a definition that counts only if there are several in it: `a` and `b` of `int a, b`;
               without @listed all of the statement is the definition of each: `y = z = 4`
    @passed    no definition, but its name is part of the path of those inside it
    @called    what has to have one of the names of `called`, instead of @name
    @listed    the definition is an item of a list with commas
    @behind    a node that belongs to the definition on the line above it: the docstring of an attribute
    @comment   comments; @attribute: decorators, attributes and annotations, inside the definition or in front of it

Of several patterns for one node the first one counts.

A comment belongs to what follows it when it is alone on its lines, at the same indentation, and no blank line parts the
two. Comments that speak of the file (`#!`, `//!`, a coding line) belong to nobody, and one that parts statements to the
statement before it.

Nothing is guessed about text that does not parse. A definition is sound if it has no error in it, is in no erroneous
region, and its surroundings have no error but such as lie in definitions beside it. Everything else may end elsewhere
than the parser thinks, and is marked so.

The fingerprint of a definition is what it says, whatever its comments and its layout, so that two versions can be
compared: its tokens and how deep each is nested in the syntax tree, so that a Python statement that leaves its `if` is
another text, and one that is only indented differently is not. Strings count as they are written.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import blake2b
from itertools import count
from typing import TYPE_CHECKING

from steadyhand.hints import ByText
from steadyhand.lazy import dataclass, field, lazy_pattern, replace
from steadyhand.structure.code.definition import (
    SPACES,
    TYPES,
    VALUES,
    Code,
    Definition,
    Path,
    Syntax,
    leaf_of,
    steps_of,
)
from steadyhand.structure.code.language import Language, language_of
from steadyhand.structure.code.tree import Parsed, faults_of, grammar_of, parse_again, parse_code, points_of
from steadyhand.structure.node import Refusal, refuse
from steadyhand.text.cancel import OFTEN, check_cancelled, check_cancelled_at, check_each
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.lines import line_start
from steadyhand.text.source import Source, once
from steadyhand.text.span import Span

if TYPE_CHECKING:
    from tree_sitter import Node, Query, Tree

_OF_THE_FILE = lazy_pattern(r"#!|//!|/\*!|#.*?\bcoding[:=]|--> *statement-breakpoint")
_ENDING = lazy_pattern(r"\r\n?|\n")
_FAR = 2_000  # more blanks than this part anything, and are not looked at for every definition
_SEMICOLON = lazy_pattern(r"[ \t]*;")


@dataclass(frozen=True, slots=True)
class Above:
    """The comments and attributes of one text, in order."""

    text: str
    comments: Sequence[Span]
    attributes: Sequence[Span]

    def attributes_from(self, start: int) -> int:
        """Where a definition starts with the attributes in front of it, and comments between those."""
        reached = start
        for number in count(1):
            check_cancelled_at(number)
            own = self._before(self.attributes, reached)
            comment = self._before(self.comments, reached)
            if own is not None and self._gap(own, reached) is not None:
                start = reached = own.start
            elif comment is not None and (self._is_own(comment, reached) or self._is_note(comment, reached)):
                reached = comment.start
            else:
                break
        return start

    def comments_from(self, start: int) -> int:
        """Where the comments directly above a definition start."""
        for number in count(1):
            check_cancelled_at(number)
            comment = self._before(self.comments, start)
            if comment is None or not self._is_own(comment, start):
                break
            start = comment.start
        return start

    def _before(self, spans: Sequence[Span], start: int) -> Span | None:
        at = bisect_right(spans, Span(start, -1)) - 1
        return spans[at] if at >= 0 and spans[at].end <= start else None

    def _is_own(self, comment: Span, start: int) -> bool:
        gap = self._gap(comment, start)
        if gap is None or gap > 1 or self._margin(comment.start) is None:
            return False
        if gap == 1 and self._margin(comment.start) != self._margin(start):
            return False
        return _OF_THE_FILE.match(comment.of(self.text)) is None

    def _is_note(self, comment: Span, start: int) -> bool:
        """Whether a comment follows something else on its line, and that line is the one above or the same."""
        gap = self._gap(comment, start)
        return gap is not None and gap <= 1 and self._margin(comment.start) is None

    def _gap(self, span: Span, start: int) -> int | None:
        """How many lines end between a span and what follows it; None where other text is between."""
        end = span.start + len(span.of(self.text).rstrip())
        if start - end > _FAR:
            return None
        between = self.text[end:start]
        return len(_ENDING.findall(between)) if not between.strip() else None

    def _margin(self, offset: int) -> str | None:
        """The blanks in front of an offset; None where something else is before it on its line."""
        before = self.text[line_start(self.text, offset) : offset]
        return None if before.strip(" \t\f") else before


def end_of(text: str, start: int, end: int) -> int:
    """Where a definition ends: behind its last character, the semicolon of its statement included."""
    end = start + len(text[start:end].rstrip())
    following = _SEMICOLON.match(text, end)
    return following.end() if following and text[end - 1] != ";" else end


def suite_start(text: str, comments: Sequence[Span], start: int) -> int:
    """Where a suite starts with the comment lines between its head and its first statement."""
    at = bisect_right(comments, Span(start, -1)) - 1
    while at >= 0 and comments[at].end <= start and not text[comments[at].end : start].strip():
        if text[line_start(text, comments[at].start) : comments[at].start].strip(" \t\f"):
            break  # the comment is behind the head of the suite
        start = comments[at].start
        at -= 1
    return start


_DEEPEST = 400
_LISTS = ("nested_namespace_specifier", "namespace_name")  # qualified names whose parts are children without a field
_OTHERS = frozenset(
    "name body scope of as wrapper inner several statement listed called behind comment attribute".split()
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
    is_shared: bool = False


@dataclass(slots=True)
class Captures:
    """Everything one run of the query gave: definitions in the order of the file, outer ones first."""

    definitions: list[Captured] = field(default_factory=list)
    comments: list[Node] = field(default_factory=list)
    attributes: list[Node] = field(default_factory=list)
    behind: list[Node] = field(default_factory=list)


@cache
def _query(language: Language, grammar: str) -> tuple[Query, Sequence[Mapping[str, str | None]]]:
    """The query of a language, and what is set in each of its patterns."""
    from tree_sitter import Query

    query = Query(grammar_of(language.package, grammar), language.query)
    return query, [query.pattern_settings(number) for number in range(query.pattern_count)]


def capture(language: Language, parsed: Parsed, *, grammar: str, near: Span | None = None) -> Captures:
    """What the query of a language captures in a tree; deeper than some hundred levels nothing is looked for.

    `near` are the bytes to look at, where that is not all of the text.
    """
    from tree_sitter import QueryCursor

    query, all_settings = _query(language, grammar)
    cursor = QueryCursor(query)
    if near is not None:
        cursor.set_byte_range(*near)
    cursor.set_max_start_depth(_DEEPEST)
    gathered = Captures()
    outer: dict[int, Node] = {}
    found: dict[int, tuple[int, str, dict[str, list[Node]]]] = {}
    parts: dict[int, tuple[int, str, dict[str, list[Node]]]] = {}
    shared: dict[int, set[int]] = {}
    several: set[int] = set()
    for pattern, nodes in check_each(cursor.matches(parsed.tree.root_node)):
        gathered.comments += nodes.get("comment", ())
        gathered.attributes += nodes.get("attribute", ())
        gathered.behind += nodes.get("behind", ())
        several.update(node.id for node in nodes.get("several", ()))
        settings = all_settings[pattern]
        if "wrapper" in nodes and not _is_second(nodes["wrapper"][0], settings.get("unless")):
            outer[nodes["inner"][0].id] = nodes["wrapper"][0]
        kind = next((name for name in nodes if name not in _OTHERS), None)
        called = settings.get("called")
        written = None if called is None else parsed.written(nodes.get("called", nodes.get("name", []))[0])
        if kind is not None and (called is None or written in called.split()):
            node = nodes[kind][0]
            if "statement" in nodes:
                if node.id not in parts or pattern < parts[node.id][0]:
                    parts[node.id] = (pattern, kind, nodes)
                continue
            shared.setdefault(node.id, set()).update(name.id for name in nodes.get("name", ()))
            if node.id not in found or pattern < found[node.id][0]:
                found[node.id] = (pattern, kind, nodes)
    extents = {node_id: _extent(outer, nodes[kind][0]) for node_id, (_, kind, nodes) in found.items()}
    wrapping = Counter(extent.id for node_id, extent in extents.items() if extent.id != node_id)
    several.update(node_id for node_id, extent in extents.items() if wrapping[extent.id] > 1)
    for node_id, (pattern, kind, nodes) in check_each(found.items()):
        named = all_settings[pattern].get("named")
        is_named = "name" not in nodes or parsed.is_name(nodes["name"][0])
        is_one = len(shared[node_id]) <= 1 or "called" in nodes
        if is_one and node_id not in several and is_named:
            gathered.definitions.append(_captured(parsed, extents[node_id], kind, nodes, named))
    together = Counter(nodes["statement"][0].id for _, _, nodes in parts.values())
    for _, kind, nodes in parts.values():
        statement = nodes["statement"][0]
        if together[statement.id] > 1 and parsed.is_name(nodes["name"][0]):
            extent = nodes[kind][0] if "listed" in nodes else _extent(outer, statement)
            made = _captured(parsed, extent, kind, nodes, None)
            gathered.definitions.append(replace(made, is_shared="listed" not in nodes))
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
    while name is not None and name.child_count and name.type != "setter":  # `x=` of Ruby is a name
        inner = name.child_by_field_name("name") or name.child_by_field_name("property")
        if inner is None and name.type in _LISTS:
            inner = next(reversed(name.named_children), None)
        if inner is None:
            break
        name = inner
    return name


def _text(parsed: Parsed, nodes: dict[str, list[Node]], key: str) -> str | None:
    return " ".join(parsed.written(nodes[key][0]).split()) if key in nodes else None


def sound(
    found: Sequence[Definition], faulty: Sequence[bool], errors: Sequence[Span], is_region: Sequence[bool]
) -> tuple[Definition, ...]:
    """The definitions, each marked sound or not. `faulty`: has an error in it; errors are in the order of the file."""
    inside = _inside_regions(found, [span for span, region in zip(errors, is_region, strict=True) if region])
    loose = _with_loose_errors(found, errors)
    judged: list[Definition] = []
    doubtful: list[bool] = []  # whether what is inside a definition is doubtful
    for index, item in enumerate(found):
        is_doubtful = item.parent is not None and doubtful[item.parent]
        doubtful.append(is_doubtful or index in loose)
        judged.append(replace(item, is_sound=not (faulty[index] or index in inside or is_doubtful)))
    return tuple(judged)


def _inside_regions(found: Sequence[Definition], regions: Sequence[Span]) -> set[int]:
    """The definitions in an erroneous region; both come sorted by their start."""
    inside: set[int] = set()
    at, reached = 0, -1
    for index, item in enumerate(found):
        while at < len(regions) and regions[at].start <= item.name.start:
            reached = max(reached, regions[at].end)
            at += 1
        if item.name.start < reached:
            inside.add(index)
    return inside


def _with_loose_errors(found: Sequence[Definition], errors: Sequence[Span]) -> set[int]:
    """The innermost definition around every error; an error between definitions has none."""
    loose: set[int] = set()
    waiting: list[int] = []
    at = 0
    for error in errors:
        while at < len(found) and found[at].proper.start <= error.start:
            waiting.append(at)
            at += 1
        while waiting and found[waiting[-1]].proper.end < max(error.end, error.start + 1):
            waiting.pop()
        if waiting:
            loose.add(waiting[-1])
    return loose


_NEXT_LINE = lazy_pattern(r"[ \t]*(?:#[^\r\n]*)?(?:\r\n?|\n)[ \t]*")


def code_of(source: Source) -> Code | Refusal:
    """What a source defines, read once. Refuses with `bad-request` where its language is not known."""
    return source.derive(read_code)


def known_code(source: Source) -> Code:
    """What a source defines in which something was located already."""
    code = code_of(source)
    if isinstance(code, Refusal):
        raise code.to_error()
    return code


def read_code(source: Source) -> Code | Refusal:
    """What a source defines; `code_of` keeps it."""
    language = language_of(source)
    if language is None:
        return _unknown(source)
    parsed = source.derived(parse_source) or parse_code(language, source.text)
    return parsed if isinstance(parsed, Refusal) else _read(language, source.text, parsed, language.grammar)


def parse_source(source: Source) -> Parsed | Refusal:
    """The tree of a source; whoever derives it keeps it, which takes much memory and makes the next parse short."""
    language = language_of(source)
    return _unknown(source) if language is None else parse_code(language, source.text)


def reread(source: Source, code: Code, changes: ChangeSet, new: Source) -> tuple[Code, Code] | None:
    """The definitions around a change before and after it; None unless it is sure that all others are as they were."""
    parsed = source.derived(parse_source)
    if not isinstance(parsed, Parsed) or language_of(new) is not code.language:
        return None
    change = parse_again(code.language, parsed, source.text, changes, new.text)
    if change is None:
        return None
    near = Span(change.start, change.end)
    after = _read(code.language, new.text, change.parsed, code.language.grammar, near=near)
    last = change.end - change.moved
    points = points_of(parsed.data, {change.start, last})
    start, end, moved = points[change.start], points[last], len(new.text) - len(source.text)
    before = tuple(item for item in code.definitions if start <= item.proper.start < end)
    now = tuple(item for item in after.definitions if start <= item.proper.start < end + moved)
    return replace(code, definitions=before), replace(after, definitions=now)


def syntax_of(source: Source) -> Code | Syntax | Refusal:
    """What does not parse of a source; its definitions are not read for that, but used where they have been read."""
    return source.derived(read_code) or source.derive(_read_syntax)


def _read_syntax(source: Source) -> Syntax | Refusal:
    language = language_of(source)
    if language is None:
        return _unknown(source)
    parsed = source.derived(parse_source) or parse_code(language, source.text)
    if isinstance(parsed, Refusal):
        return parsed
    faults = faults_of(parsed, source.text)
    return Syntax(language, faults, max(len(parsed.errors), len(faults)))


def _unknown(source: Source) -> Refusal:
    known = "the file has no name" if source.path is None else f"{source.path[-60:]} is of no language known here"
    return refuse(f"symbols: {known}", ByText())


def read_text(language: Language, text: str, *, fragment: bool = False) -> Code | Refusal:
    """What a text defines in a language; a fragment is no whole file, such as one method."""
    parsed = parse_code(language, text, fragment=fragment)
    if isinstance(parsed, Refusal):
        return parsed
    return _read(language, text, parsed, (language.fragment if fragment else None) or language.grammar)


def _read(language: Language, text: str, parsed: Parsed, grammar: str, *, near: Span | None = None) -> Code:
    captures = Captures() if parsed.tree.root_node.is_error else capture(language, parsed, grammar=grammar, near=near)
    return _Reader(language, text, parsed, captures).read()


@dataclass(frozen=True, slots=True)
class _Scope:
    """A definition that is still open while the ones inside it are read."""

    end: int
    index: int | None
    kind: str
    path: Path
    alias: Path
    body: int | None = None


class _Reader:
    def __init__(self, language: Language, text: str, parsed: Parsed, captures: Captures) -> None:
        self.language, self.text, self.parsed, self.captures = language, text, parsed, captures
        self.points = points_of(parsed.data, set(_offsets(captures, parsed, language)))
        self.comments = self._spans(captures.comments)
        self.attributes = self._spans(captures.attributes)
        self.behind = {span.start: span for span in self._spans(captures.behind)}
        self.above = Above(text, self.comments, self.attributes)
        self.found: list[Definition] = []
        self.extents: list[Node] = []

    def read(self) -> Code:
        open_scopes = [_Scope(len(self.parsed.data) + 1, None, "", (), ())]
        for item in check_each(self.captures.definitions):
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
        if kind == "passed":
            return _Scope(
                item.node.end_byte, around.index, around.kind, (*around.path, *names), (*around.alias, *names)
            )
        inner = (leaf_of(item.of),) if item.of else names
        scope = () if item.scope is None else (leaf_of(item.scope),)
        if not inner:
            return _Scope(item.node.end_byte, around.index, kind, around.path, around.alias)
        path, alias = (*around.path, *scope, *names), (*around.alias, *scope, *names)
        if item.body is not None and item.body.id == around.body:  # `typedef struct node { … } Node;`: one thing
            if names == around.path[-1:]:
                return _Scope(item.node.end_byte, around.index, around.kind, around.path, around.alias, around.body)
            inner = ()
        self.found.append(self._definition(item, kind, path, alias, around.index))
        self.extents.append(item.extent)
        aside = alias[:-1] if item.named == "Companion" else alias
        body = None if item.body is None else item.body.id
        return _Scope(item.node.end_byte, len(self.found) - 1, kind, (*around.path, *scope, *inner), aside, body)

    def _names(self, item: Captured) -> Path:
        if item.of is not None:
            return (f"{item.kind} {item.by} for {item.of}" if item.by else f"{item.kind} {item.of}",)
        written = item.named if item.name is None else self.parsed.written(item.name)
        return steps_of(written) if written else ()

    def _definition(self, item: Captured, kind: str, path: Path, alias: Path, parent: int | None) -> Definition:
        start, end = (self.points[offset] for offset in _edges(self.parsed, item.extent, self.language))
        name = Span(start, start) if item.leaf is None else self._span(item.leaf)
        proper = Span(self.above.attributes_from(start), end if item.is_listed else end_of(self.text, start, end))
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
            item.is_shared,
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
        if node.type == "interface_type":  # of Go: the word is part of the node
            start = self.text.index("{", start)
        if self.language.layout in ("suite", "end"):
            start = suite_start(self.text, self.comments, start)
        return Span(start, min(max(end, start), proper.end))

    def _judged(self) -> tuple[Definition, ...]:
        """The definitions, with those marked that syntax errors make doubtful."""
        if not self.parsed.errors:
            return tuple(self.found)
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
    """The kind of a definition by what it is in; None for the local values of a function."""
    kind = item.kind
    if kind in VALUES:
        if around in TYPES or around == "member":
            return "field" if kind == "variable" else kind
        return kind if not around or around in SPACES else None
    return "method" if kind == "function" and (around in TYPES or around == "member") else kind


def _edges(parsed: Parsed, node: Node, language: Language) -> tuple[int, int]:
    """Where a definition starts and ends in bytes, with what is covered beside it because the grammar does not read it.

    In front that is what is on its line, such as `EXPORT`; behind it, what is before the end of its statement.
    """
    start, end = node.start_byte, node.end_byte
    if parsed.given is parsed.data:
        return start, end
    line = max(parsed.given.rfind(b"\n", 0, start) + 1, start - _FAR)
    head = parsed.data[line + len(parsed.given[line:start].rstrip(b" \t")) : start]
    start -= len(head.lstrip())
    blanks = _BLANK_BYTES.match(parsed.given, end) if language.layout == "plain" else None
    if blanks is not None and parsed.given[blanks.end() : blanks.end() + 1] in (b";", b""):
        end += len(parsed.data[end : blanks.end()].rstrip())
    return start, end


_BLANK_BYTES = lazy_pattern(rb"\s*+")


def _offsets(captures: Captures, parsed: Parsed, language: Language) -> list[int]:
    nodes = [*captures.comments, *captures.attributes, *captures.behind, *parsed.errors]
    offsets: list[int] = []
    for item in check_each(captures.definitions):
        nodes += [node for node in (item.leaf, item.body) if node is not None]
        offsets += _edges(parsed, item.extent, language)
    return offsets + [offset for node in nodes for offset in (node.start_byte, node.end_byte)]


Prints = Mapping[str, tuple[str, ...]]


def changed_definitions(before: Prints, after: Prints) -> tuple[str, ...]:
    """The names whose text differs, those that came or went included, in the order of the file."""
    return tuple(name for name in dict.fromkeys((*after, *before)) if before.get(name) != after.get(name))


@once
def fingerprints(source: Source) -> Prints | Refusal:
    """A digest of each definition by its dotted name; several where several have that name."""
    code = code_of(source)
    if isinstance(code, Refusal):
        return code
    language = language_of(source)
    parsed = None if language is None else parse_code(language, source.text)
    if language is None or parsed is None or isinstance(parsed, Refusal):
        return parsed if isinstance(parsed, Refusal) else {}
    tokens = _tokens(parsed.tree, parsed.data, frozenset(language.strings))
    points = points_of(parsed.data, {start for start, _, _ in tokens})
    starts = [points[start] for start, _, _ in tokens]
    found: dict[str, tuple[str, ...]] = {}
    for item in code.definitions:
        own = tokens[bisect_left(starts, item.proper.start) : bisect_left(starts, item.proper.end)]
        least = min((depth for _, depth, _ in own), default=0)
        digest = blake2b(digest_size=16)
        for _, depth, text in own:
            digest.update(b"%d %d " % (depth - least, len(text)))
            digest.update(text)
        found[item.dotted] = (*found.get(item.dotted, ()), digest.hexdigest())
    return found


def _tokens(tree: Tree, data: bytes, strings: frozenset[str]) -> list[tuple[int, int, bytes]]:
    """The leaves of the tree but for comments and blanks: where each starts, how deep it is, what it says."""
    tokens: list[tuple[int, int, bytes]] = []
    cursor = tree.walk()
    depth = count = 0
    while True:
        node = cursor.node
        count += 1
        if count % OFTEN == 0:
            check_cancelled()
        kind = "" if node is None else node.type
        is_comment = "comment" in kind
        # A string's parts leave out what is between its escapes.
        is_leaf = kind in strings or "string" in kind
        if not is_comment and not is_leaf and cursor.goto_first_child():
            depth += 1
            continue
        if node is not None and not is_comment:
            text = data[node.start_byte : node.end_byte]
            if text.strip():
                tokens.append((node.start_byte, depth, text))
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return tokens
            depth -= 1
