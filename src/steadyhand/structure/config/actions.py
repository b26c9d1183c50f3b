"""The table of what can be done to keys besides replacing, inserting and deleting."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from steadyhand.errors import EditError, Kind
from steadyhand.schema import bad_request, describe
from steadyhand.structure.action import Action, Arguments, Example, Parameter
from steadyhand.structure.config.editor import Beside
from steadyhand.structure.config.item import Item, check_plain, parse_path
from steadyhand.structure.config.key import KeyNode, find_items
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source

_Propose = Callable[[Source, KeyNode, Arguments], Proposal | Refusal]

_BESIDE = (
    Parameter("before", "value", "the sibling it goes in front of: a name, or a number from 0", required=False),
    Parameter("after", "value", "the sibling it goes behind: a name, or a number from 0", required=False),
)


def _refusing(propose: _Propose) -> _Propose:
    """The same function, with an argument that is refused by an exception refused as a value."""

    @wraps(propose)
    def proposed(source: Source, node: KeyNode, arguments: Arguments) -> Proposal | Refusal:
        try:
            return propose(source, node, arguments)
        except EditError as error:
            return Refusal(error.kind, error.message, error.hints, error.details)

    return proposed


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


@_refusing
def _add_key(source: Source, node: KeyNode, arguments: Arguments) -> Proposal | Refusal:
    value = check_plain(arguments["value"], "value")
    return node.shifted(source, node.keys.add(node.item, arguments["name"], value, _read_beside(arguments)))


@_refusing
def _append_item(source: Source, node: KeyNode, arguments: Arguments) -> Proposal | Refusal:
    value = check_plain(arguments["value"], "value")
    return node.shifted(source, node.keys.append(node.item, value, _read_beside(arguments)))


def _delete_key(source: Source, node: KeyNode, _arguments: Arguments) -> Proposal | Refusal:
    return node.delete(source)


@_refusing
def _move_key(source: Source, node: KeyNode, arguments: Arguments) -> Proposal | Refusal:
    container = _container(node, arguments["to"])
    if isinstance(container, Refusal):
        return container
    return node.shifted(source, node.keys.move(node.item, container, arguments.get("name"), _read_beside(arguments)))


def _container(node: KeyNode, to: str) -> Item | Refusal:
    """The one container of that path in the document of the item."""
    documents = node.keys.reading.documents
    number = next(at for at, top in enumerate(documents, start=1) if any(item is node.item for item in top.walk()))
    found = find_items(node.keys.reading, parse_path(to, "to"), number)
    if isinstance(found, Refusal) or len(found) == 1:
        return found if isinstance(found, Refusal) else found[0]
    return Refusal(
        Kind.AMBIGUOUS_MATCH,
        f"{len(found)} keys answer to {to[:80]!r}",
        "rename one of them first: a name should occur once",
        {"count": len(found)},
    )


def _rename_key(source: Source, node: KeyNode, arguments: Arguments) -> Proposal | Refusal:
    return node.shifted(source, node.keys.rename(node.item, arguments["name"]))


@_refusing
def _set_key(source: Source, node: KeyNode, arguments: Arguments) -> Proposal | Refusal:
    return node.shifted(source, node.keys.set_value(node.item, check_plain(arguments["value"], "value")))


ACTIONS = (
    Action(
        "add-key",
        (KeyNode,),
        "Add an entry to this mapping, written as its siblings are; at the end unless before or after names a sibling.",
        (
            Parameter("name", "text", "the name of the new entry, which must not be there yet"),
            Parameter("value", "value", "its value, any JSON value"),
            *_BESIDE,
        ),
        _add_key,
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
        "Add an item to this sequence, written as its siblings are; at the end unless before or after gives a number.",
        (Parameter("value", "value", "the new item, any JSON value"), *_BESIDE),
        _append_item,
        Example("ci.yaml", "on:\n  - push\n", "key:on", {"value": "merge_group"}, "on:\n  - push\n  - merge_group\n"),
    ),
    Action(
        "delete-key",
        (KeyNode,),
        "Delete the entry or item, with its separator, the comment on its line and the comment lines directly above "
        "it.",
        (),
        _delete_key,
        Example("app.toml", "host = 'a'\n# the port\nport = 1\n", "key:port", {}, "host = 'a'\n"),
    ),
    Action(
        "move-key",
        (KeyNode,),
        "Move the entry or item, with its comments and as it is written, into another mapping or sequence.",
        (
            Parameter("to", "text", "the path of the container it goes into; empty for the top"),
            Parameter("name", "text", "its name there, where it changes", required=False),
            *_BESIDE,
        ),
        _move_key,
        Example("a.json", '{"a": {"x": 1}, "b": {"y": 2}}', "key:a.x", {"to": "b"}, '{"a": {}, "b": {"y": 2, "x": 1}}'),
    ),
    Action(
        "rename-key",
        (KeyNode,),
        "Give the entry another name, quoted as the old one was where it can be; refused where that name is there "
        "already.",
        (Parameter("name", "text", "the new name, without quotes"),),
        _rename_key,
        Example("a.json", '{"a": 1}', "key:a", {"name": "b"}, '{"b": 1}'),
    ),
    Action(
        "set-key",
        (KeyNode,),
        "Give the key another value, written as the file writes such values; comments and everything else stay.",
        (Parameter("value", "value", "the new value, any JSON value; its type is the type written"),),
        _set_key,
        Example("app.yaml", "port: 80 # http\n", "key:port", {"value": 8080}, "port: 8080 # http\n"),
    ),
)
