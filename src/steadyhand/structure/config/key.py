"""Keys as addresses: from a path to the items that answer to it, to the nodes they are, to what an outline shows.

Paths are from the top of a document, such as `services.web.ports[0]`. A path that only ends like a real one is refused
with the real one. Only what is written in the file is located: a key that a default, a merge or an alias would bring is
not there.
What is written keeps its type: a number stays a number until somebody asks for text with `set-key`.
Every proposal has been read again and compared with what was asked before it leaves here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Literal, Self, cast

from steadyhand.errors import Kind
from steadyhand.hints import Act, Advice, Note, SendAddress
from steadyhand.lazy import dataclass, replace
from steadyhand.schema import bad_request, check_integer, describe
from steadyhand.structure.action import Action, Arguments, Example, Parameter
from steadyhand.structure.config.editor import Beside, Keys, said
from steadyhand.structure.config.item import (
    Item,
    ItemKind,
    KeyPath,
    Reading,
    Step,
    as_path,
    check_plain,
    counted,
    parse_path,
    render_path,
)
from steadyhand.structure.config.syntax import Syntax, syntax_named, syntax_names, syntax_of
from steadyhand.structure.format import OutlineEntry, format_named, format_of
from steadyhand.structure.node import Node, Proposal, Refusal, Where, refuse
from steadyhand.structure.target import Addressed, address_of, numbered
from steadyhand.text.cancel import check_each
from steadyhand.text.indent import indent_at
from steadyhand.text.lines import split_lines
from steadyhand.text.resemblance import similar_names
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice

_SHOWN = 10


def find_items(
    reading: Reading, path: KeyPath, document: int | None = None, prefix: str = "key"
) -> list[Item] | Refusal:
    """Every item that answers to the path, in the order of the file; `document` counts from 1.

    `prefix` is the kind of address that a refusal names the nearest ones by.
    """
    level = list(reading.documents)
    if document is not None:
        count = len(level)
        if not 1 <= document <= count:
            return Refusal(
                Kind.NO_SUCH_TARGET,
                f"the file has {count} document{'' if count == 1 else 's'}, there is no number {document}",
                f"give a number from 1 to {count}" if count else "the file is empty",
                {"count": count},
            )
        level = [level[document - 1]]
    for at, step in enumerate(path):
        below = [child for item in level for child in _answering(reading, item, step)]
        if not below:
            return _miss(reading, level, path, at, prefix)
        level = below
    return level or _miss(reading, level, path, 0, prefix)


def _answering(reading: Reading, item: Item, step: Step) -> list[Item]:
    wanted = counted(item, step)
    if item.kind == "sequence":
        return list(item.at(wanted))
    found = reading.named(item, wanted)
    return found if len(found) == 1 or all(child.path[-1] == wanted for child in found) else []


def _miss(reading: Reading, level: Sequence[Item], path: KeyPath, at: int, prefix: str) -> Refusal:
    """There is no `path[at]` in the items of the level: what there is, and where the whole path's end is."""
    step = path[at] if path else ""
    every = list(dict.fromkeys(str(child.path[-1]) for item in level for child in item.children))
    whole = ".".join(map(str, path[at:]))  # a name with a dot in it, sent without its quotes
    close = [whole] if whole in every else similar_names(str(step), every, 3)
    names = list(dict.fromkeys([*close, *every]))[:_SHOWN]
    longer = _ending_with(reading, path)
    if not level:
        there = "the file has no keys"
    elif not level[0].is_container:
        there = f"{said(level[0])} is a {level[0].kind}, it has no keys"
    elif level[0].kind == "sequence":
        there = f"{said(level[0])} is a sequence of {len(level[0].children)}, there is no {step!r:.60}"
    else:
        there = f"{said(level[0])} has no {step!r:.60}, it has: {', '.join(names) or 'nothing'}"
    return Refusal(
        Kind.NO_SUCH_TARGET,
        there,
        _hint(level, path, at, close, longer, prefix),
        {
            "nearest": [f"{prefix}:{near}" for near in dict.fromkeys([*longer, *_paths(level, close)])],
            "available": [f"{prefix}:{path}" for path in _paths(level, names)],
        },
    )


def _hint(
    level: Sequence[Item], path: KeyPath, at: int, close: Sequence[str], longer: Sequence[str], prefix: str
) -> Advice:
    if longer:
        return f"paths start at the top level: did you mean {' or '.join(longer[:3])}?"
    if not level:
        return "write the whole file"
    container = render_path(path[:at])[:120]
    match level[0].kind:
        case "mapping":
            made = Act("add-key", container, str(path[at])[:80], "to create it")
            return (SendAddress(f"{prefix}:{render_path((*path[:at], close[0]))}"), made) if close else made
        case "sequence":
            return Act("append-item", container, aim="to add one"), Note("items count from 0")
        case _:
            return Act("set-key", container, aim="to set its value")


def _paths(level: Sequence[Item], names: Sequence[str]) -> list[str]:
    """The paths of what is at a level under some names, in the order of the names."""
    known = {str(child.path[-1]): child.path for item in level for child in item.children}
    return [render_path(known[name]) for name in names]


def _ending_with(reading: Reading, path: KeyPath) -> list[str]:
    if not path:
        return []
    wanted = tuple(map(str, path))
    found: list[str] = []
    for top in reading.documents:
        for item in top.walk():
            tail = item.path[-len(wanted) :]
            if len(item.path) > len(wanted) and tail[-1] in (path[-1], wanted[-1]) and tuple(map(str, tail)) == wanted:
                found.append(render_path(item.path))
                if len(found) == 5:
                    return found
    return found


Part = Literal["value", "entry", "name"]


@dataclass(frozen=True, slots=True)
class KeyNode(Node):
    """One item of `keys`, whose text is at `offset` in the file; `span` counts in the file."""

    kind: str
    span: Span
    address: str
    keys: Keys
    item: Item
    offset: int = 0
    part: Part = "value"

    @property
    def label(self) -> str:
        return label_of(self.item)

    def replace(self, source: Source, new: str) -> Proposal | Refusal:
        """Put text of the format in the place of the value, the entry or the name; the value's type stays."""
        if new == self.own_text(source):
            return Proposal(())
        match self.part:
            case "name":
                return self.shifted(source, self.keys.rename(self.item, self._plain_name(new)))
            case "entry" if self.item.name is not None:
                return self.shifted(source, self._replace_entry(new))
            case _:
                made = self.keys.put_raw(self.item, new, self._kinds)
                return self.shifted(source, self._same_type(made, new))

    def insert(self, source: Source, text: str, where: Where) -> Proposal | Refusal:
        """Put entries or items, as the format writes them, beside it or inside."""
        if where in ("start", "end"):
            if not self.item.is_container:
                return _nothing_inside(self.item)
            index = 0 if where == "start" else len(self.item.children)
            return self.shifted(source, self.keys.insert_raw(self.item, text, index))
        if not self.item.path:
            return refuse("nothing can be inserted next to the top level", "use where start or end")
        parent, index = self.keys.reading.family(self.item)
        return self.shifted(source, self.keys.insert_raw(parent, text, index + (where == "after")))

    def delete(self, source: Source) -> Proposal | Refusal:
        """Take the entry away, name and value."""
        return self.shifted(source, self.keys.delete(self.item))

    def move_to(self, source: Source, other: Node, where: Where) -> Proposal | Refusal | None:
        """Go beside or into another item of the same text; another text takes the entry as it is written."""
        if not isinstance(other, KeyNode) or other.keys.source is not self.keys.source:
            return None
        if where in ("before", "after") and other.item.path:
            container, _ = self.keys.reading.family(other.item)
            beside: Beside | None = Beside(other.item.path[-1], is_after=where == "after")
        elif other.item.is_container:
            container, children = other.item, other.item.children
            beside = Beside(children[0].path[-1], is_after=False) if where == "start" and children else None
        else:
            return _nothing_inside(other.item)
        return self.shifted(source, self.keys.move(self.item, container, None, beside))

    def carried(self, source: Source) -> str | Refusal:
        """The entry as it is written, its lines moved to the margin."""
        own = self.keys.syntax.carried(self.keys.source, self.item)
        if own is not None:
            return own
        entry = self.item.entry.shift(self.offset)
        indent = indent_at(source.text, entry.start)
        lines = split_lines(entry.of(source.text))
        return "".join([*lines[:1], *(line.removeprefix(indent) for line in lines[1:])])

    def prove_batch(self, source: Source, proposal: Proposal) -> Proposal | Refusal:  # noqa: ARG002
        """Read the text again: two that go together may leave a separator that each of them left for the other."""
        inner = Proposal(tuple(splice.shift(-self.offset) for splice in proposal.splices))
        proved = self.keys.syntax.proved(self.keys.source, inner)
        return proved if isinstance(proved, Refusal) else proposal

    def propose_batch(
        self,
        source: Source,  # noqa: ARG002
        asked: Sequence[tuple[Node, Callable[[Node], Proposal | Refusal]]],
    ) -> Sequence[Proposal] | None:
        from steadyhand.structure.config.batch import Batch

        batch = Batch(self.keys.syntax, self.keys.source, self.keys.reading)
        made: list[tuple[Proposal, range]] = []
        for node, propose in asked:
            if not isinstance(node, KeyNode) or node.keys.source is not self.keys.source:
                return None
            known = len(batch.steps)
            part = KeyNode(node.kind, node.span, node.address, batch, node.item, node.offset, node.part)
            proposal = propose(part) if batch.reaches(node.item) else None
            if not isinstance(proposal, Proposal):
                return None
            if proposal.splices != self._in_file(batch.steps[known:]):
                return None  # something is written elsewhere, too
            made.append((proposal, range(known, len(batch.steps))))
        whole = batch.all()
        if isinstance(whole, Refusal):
            return None
        done = [
            Proposal(self._in_file(batch.steps[steps.start : steps.stop]), proposal.notes) for proposal, steps in made
        ]
        return done if self.offset else [*done[:-1], replace(done[-1], after=whole.after)]

    def _in_file(self, steps: Sequence[tuple[Splice, ...]]) -> tuple[Splice, ...]:
        """The splices of some steps of a batch, which count in the text of the keys, as they are in the file."""
        splices = (splice for step in steps for splice in step)
        return tuple(splice.shift(self.offset) for splice in splices) if self.offset else tuple(splices)

    def shifted(self, source: Source, proposal: Proposal | Refusal) -> Proposal | Refusal:
        """A proposal on the text of the keys, as one on the file."""
        if isinstance(proposal, Refusal):
            return proposal.about_keys(self.address.partition(":")[0].partition("[")[0].partition(".")[0])
        if not self.offset:
            return proposal
        writes = ((splice.span.shift(self.offset), splice.new) for splice in proposal.splices)
        return Proposal.of(source, *writes, notes=proposal.notes)

    @property
    def _kinds(self) -> tuple[ItemKind, ...] | None:
        """The kinds that written text may be read as: the value's own, any where it says nothing."""
        return None if self.item.kind in ("null", "other") else (self.item.kind,)

    def _same_type(self, made: Proposal | Refusal, new: str) -> Proposal | Refusal:
        """What was made; of what is no value of the old one's type, the text that would be, where that can be said."""
        if not isinstance(made, Refusal) or made.kind != Kind.UNPARSABLE or self._kinds is None:
            return made
        asked = self.keys.syntax.set_value(self.keys.source, self.item, new)
        spans = [] if isinstance(asked, Refusal) else list(asked.splices)
        is_text = self.item.kind == "text" and len(spans) == 1 and spans[0].span == self.item.value
        quoted = f"write it as {spans[0].new[:200]}, or " if is_text else ""
        return refuse(
            f"{said(self.item)} is a {self.item.kind}, and the new text would not be read as one",
            f"{quoted}use set-key with a JSON value, which may be of any type",
            {"kind": self.item.kind, **({"written": spans[0].new[:2000]} if is_text else {})},
        )

    def _replace_entry(self, new: str) -> Proposal | Refusal:
        found = self.keys.entries(new, "mapping")
        if isinstance(found, Refusal):
            return found
        if len(found[1]) != 1:
            return refuse("one entry, with name and value, is expected", "write it as in the file")
        entry = found[1][0]
        written, old = entry.value.of(found[0].text), self.item.value.of(self.keys.source.text)
        name = str(entry.path[-1])
        made = self.keys.replace_entry(self.item, name, None if written == old else written, self._kinds)
        return self._same_type(made, written)

    def _plain_name(self, new: str) -> str:
        """A name as it is written or as it is meant: quotes around it are the format's."""
        if new[:1] not in ("'", '"') or new[:1] != new[-1:] or len(new) < 2:
            return new
        name = self.item.name
        between = "" if name is None else self.keys.source.text[name.end : self.item.value.start]
        found = self.keys.syntax.entries(self.keys.source, f"{new}{between}0", "mapping")
        is_entry = not isinstance(found, Refusal) and len(found[1]) == 1 and len(found[1][0].path) == 1
        return str(cast("tuple[Source, tuple[Item, ...]]", found)[1][0].path[-1]) if is_entry else new


def key_nodes(
    syntax: Syntax,
    inner: Source,
    path: KeyPath,
    *,
    offset: int = 0,
    part: Part = "value",
    document: int | None = None,
    prefix: str = "key",
) -> list[KeyNode] | Refusal:
    """The places of a text that answer to a path; `prefix` is the kind of their addresses, `offset` where it starts."""
    keys = Keys.of(syntax, inner)
    if isinstance(keys, Refusal):
        return keys
    found = find_items(keys.reading, path, document, prefix)
    if isinstance(found, Refusal):
        there = syntax.elsewhere(inner, path, document) if found.kind == Kind.NO_SUCH_TARGET else None
        return there or found
    if part == "name" and any(item.name is None for item in found):
        return Refusal(Kind.NO_SUCH_TARGET, f"{said(found[0])} has no name", "leave part out", {"nearest": []})
    every = found if document is None else find_items(keys.reading, path)
    numbers: dict[int, int] = {}
    if not isinstance(every, Refusal) and len(every) > 1:
        numbers = {id(item): number for number, item in enumerate(every, start=1)}
    usual = prefix if part == "value" else f"{prefix}.{part}"
    nodes: list[KeyNode] = []
    for item in check_each(found):
        place = {"value": item.value, "entry": item.entry, "name": item.name or item.value}[part]
        address = address_of(usual, render_path(item.path), numbers.get(id(item)))
        nodes.append(KeyNode(_kind(item), place.shift(offset), address, keys, item, offset, part))
    return nodes


def key_entries(reading: Reading, *, offset: int = 0, prefix: str = "key", depth: int = 0) -> list[OutlineEntry]:
    """Every item as an outline shows it, the tops left out."""
    items = [(item, tuple(map(str, item.path))) for top in reading.documents for item in top.walk()]
    entries: list[OutlineEntry] = []
    for (item, path), number in zip(check_each(items), numbered(path for _, path in items), strict=True):
        if path:
            address = address_of(prefix, render_path(item.path), number)
            span = item.value.shift(offset)
            entries.append(OutlineEntry(address, _kind(item), label_of(item), span, len(path) - 1 + depth))
    return entries


def outline_keys(syntax: str, source: Source) -> list[OutlineEntry] | Refusal:
    """Every key of a text that is written in a syntax, for the outline of its format."""
    reading = source.derive(syntax_named(syntax).read)
    return reading if isinstance(reading, Refusal) else key_entries(reading)


_TELLING = ("name", "id", "key", "kind", "title", "uses")
_LONGEST_NAME = 60


def outline_yaml(syntax: str, source: Source) -> list[OutlineEntry] | Refusal:
    """Every key of every document, and items by the name they carry inside."""
    reading = source.derive(syntax_named(syntax).read)
    if isinstance(reading, Refusal):
        return reading
    is_stream = len(reading.documents) > 1
    entries = iter(key_entries(reading, depth=int(is_stream)))
    made: list[OutlineEntry] = []
    for number, top in enumerate(reading.documents, start=1):
        for item in top.walk():
            if item.path:
                entry = next(entries)
                said = None if item.name is not None else _called(item)
                made.append(entry if said is None else replace(entry, label=f"{entry.label} ({said})"))
            elif is_stream:
                said, (_, _, kind) = _called(top), label_of(top).partition(": ")
                label = f"document {number}: {kind}" + ("" if said is None else f" ({said})")
                made.append(OutlineEntry(f"key[{number}]:", "document", label, top.value))
    return made


def _called(item: Item) -> str | None:
    if item.kind != "mapping":
        return None
    texts = {child.path[-1]: child.data for child in item.children if child.kind == "text"}
    name = next((name for name in _TELLING if name in texts), None)
    return None if name is None else f"{name} {' '.join(str(texts[name]).split())[:_LONGEST_NAME]}"


def label_of(item: Item) -> str:
    """Name and type, never the value: it may be a secret.

    >>> label_of(Item(("ports",), "sequence", Span(0, 2), None, Span(0, 2)))
    'ports: sequence of 0'
    """
    name = render_path(item.path[-1:]) or "top"
    size = f" of {len(item.children)}" if item.is_container else ""
    return f"{name[:80]}: {item.kind}{size}"


def _kind(item: Item) -> str:
    if not item.path:
        return "document"
    return "key" if isinstance(item.path[-1], str) else "item"


def _nothing_inside(item: Item) -> Refusal:
    return refuse(
        f"{said(item)} is a {item.kind}, nothing can be inserted inside",
        "insert before or after it, or use set-key",
        {"kind": item.kind},
    )


@dataclass(frozen=True, slots=True)
class Key(Addressed):
    """The value at a path; names are separated by dots, numbers in brackets count from 0, `[-1]` is the last.

    `part` is the value, the entry (name and value) or the name. `document` counts the documents of a YAML stream or the
    lines of JSON Lines from 1. `format` names the format if the file name does not.

    >>> Key("a.b", format="json").locate(Source.of_text('{"a": {"b": 12}}')).span
    Span(start=12, end=14)
    """

    key: ClassVar[str] = "key"
    examples: ClassVar[tuple[str, ...]] = ("key:services.web.ports[0]", 'key:paths."/users".get', "key.entry:version")
    main: ClassVar[str] = "path"
    parts: ClassVar[tuple[str, ...]] = ("value", "entry", "name")

    path: str | tuple[Step, ...]
    nth: int | None = None
    document: int | None = None
    part: str = "value"
    format: str | None = None

    def __post_init__(self) -> None:
        self._check_shared()
        as_path(self.path)
        if self.document is not None and check_integer(self.document, "key.document") < 1:
            raise bad_request("key.document", f"there is no document {self.document}", "documents count from 1")
        if self.format is not None and _named(self.format) is None:
            raise bad_request(
                "key.format", f"no keys in {str(self.format)[:40]!r}", f"one of {', '.join(syntax_names())}"
            )

    def find(self, source: Source) -> Sequence[Node] | Refusal:
        """Every item with that path, in the order of the file."""
        syntax = syntax_of(format_of(source.path)) if self.format is None else _named(self.format)
        if syntax is None:
            what = "the text has no file name" if source.path is None else f"{source.path} has no format with keys"
            return refuse(
                f"{what}, so its format is not known",
                f"say it with format, one of {', '.join(syntax_names())}",
                {"formats": list(syntax_names())},
            )
        known = None if self.format is None else format_named(self.format)
        path = f"text{known.suffixes[0]}" if known is not None and known.suffixes else source.path
        inner = source if path == source.path else Source(source.text, source.encoding, path)
        return key_nodes(syntax, inner, as_path(self.path), part=cast("Part", self.part), document=self.document)

    @classmethod
    def of_file(cls) -> Self | None:
        return cls("")

    def to_value(self) -> str | None:
        is_plain = self.document is None and self.format is None
        return render_path(as_path(self.path)) if is_plain else None


def _named(name: object) -> Syntax | None:
    return syntax_of(format_named(name)) if isinstance(name, str) else None


TARGET = Key


_BESIDE = (
    Parameter("before", "value", "the sibling to insert before: a name, or a number from 0", required=False),
    Parameter("after", "value", "the sibling to insert after: a name, or a number from 0", required=False),
)


def _read_beside(arguments: Arguments) -> Beside | None:
    """Where among the siblings something goes; None for the end. Refuses with `bad-request`."""
    given = [(name, arguments[name]) for name in ("before", "after") if arguments.get(name) is not None]
    if len(given) > 1:
        raise bad_request("after", "before and after exclude each other", "give one of them")
    for name, step in given:
        if isinstance(step, bool) or not isinstance(step, str | int):
            raise bad_request(name, f"a name or a number is expected, not {describe(step)}", "name a sibling")
        return Beside(step, is_after=name == "after")
    return None


def _add(source: Source, node: KeyNode, arguments: Arguments) -> Proposal | Refusal:
    value = check_plain(arguments["value"], "value")
    return node.shifted(source, node.keys.add(node.item, arguments.get("name"), value, _read_beside(arguments)))


def _move_key(source: Source, node: KeyNode, arguments: Arguments) -> Proposal | Refusal:
    reading, to = node.keys.reading, arguments["to"]
    top = reading.chain(node.item)[0]
    number = next(at for at, one in enumerate(reading.documents, start=1) if one is top)
    found = find_items(reading, parse_path(to, "to"), number)
    if isinstance(found, Refusal):
        return found
    if len(found) > 1:
        return Refusal(
            Kind.AMBIGUOUS_MATCH,
            f"{len(found)} keys answer to {to[:80]!r}",
            "rename one of them first: a name should occur once",
            {"count": len(found)},
        )
    return node.shifted(source, node.keys.move(node.item, found[0], arguments.get("name"), _read_beside(arguments)))


ACTIONS = (
    Action(
        "add-key",
        (KeyNode,),
        "Add an entry to this mapping, in the style of its siblings; at the end unless before or after names a "
        "sibling.",
        (
            Parameter("name", "text", "the name of the new entry, which must not exist yet"),
            Parameter("value", "value", "its value, any JSON value"),
            *_BESIDE,
        ),
        _add,
        Example(
            "app.toml",
            "[server]\nhost = 'a'\n",
            "key:server",
            {"name": "port", "value": 8080},
            "[server]\nhost = 'a'\nport = 8080\n",
        ),
    ),
    Action(
        "append-item",
        (KeyNode,),
        "Add an item to this sequence, in the style of its siblings; at the end unless before or after gives a number.",
        (Parameter("value", "value", "the new item, any JSON value"), *_BESIDE),
        _add,
        Example("ci.yaml", "on:\n  - push\n", "key:on", {"value": "merge_group"}, "on:\n  - push\n  - merge_group\n"),
    ),
    Action(
        "delete-key",
        (KeyNode,),
        "Delete the entry or item, with its separator, the comment on its line and the comment lines directly above "
        "it.",
        (),
        lambda source, node, _given: node.delete(source),
        Example("app.toml", "host = 'a'\n# the port\nport = 1\n", "key:port", {}, "host = 'a'\n"),
    ),
    Action(
        "move-key",
        (KeyNode,),
        "Move the entry or item, with its comments and formatting, into another mapping or sequence.",
        (
            Parameter("to", "text", "the path of the new container; empty for the top level"),
            Parameter("name", "text", "its new name, if it changes", required=False),
            *_BESIDE,
        ),
        _move_key,
        Example("a.json", '{"a": {"x": 1}, "b": {"y": 2}}', "key:a.x", {"to": "b"}, '{"a": {}, "b": {"y": 2, "x": 1}}'),
    ),
    Action(
        "rename-key",
        (KeyNode,),
        "Rename the entry, quoted like the old name if possible; refused if the name exists already.",
        (Parameter("name", "text", "the new name, without quotes"),),
        lambda source, node, given: node.shifted(source, node.keys.rename(node.item, given["name"])),
        Example("a.json", '{"a": 1}', "key:a", {"name": "b"}, '{"b": 1}'),
    ),
    Action(
        "set-key",
        (KeyNode,),
        "Set the value of the key in the style of the file; comments and everything else stay.",
        (Parameter("value", "value", "the new value, any JSON value; it may change the type"),),
        lambda source, node, given: node.shifted(
            source, node.keys.set_value(node.item, check_plain(given["value"], "value"))
        ),
        Example("app.yaml", "port: 80 # http\n", "key:port", {"value": 8080}, "port: 8080 # http\n"),
    ),
)
