"""Keys by path: what is not found and what is said then, what is found, and the forms of the target."""

from __future__ import annotations

import json
from itertools import permutations

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.plan.edit import Delete
from steadyhand.plan.preview import edit
from steadyhand.structure.config.editor import Asked, Keys
from steadyhand.structure.config.key import Key, KeyNode, key_nodes
from steadyhand.structure.config.syntax import syntax_named
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.structure.target import parse_address, render_address
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from tests.structure.keyed import missed, node_at
from tests.table import table

TEXT = """{
  "services": {
    "web": {"ports": [80, 443], "8080": "alt"},
    "db": {"ports": []}
  },
  "x.y": {"": null},
  "twice": 1,
  "twice": 2
}
"""


@table(
    ("key", "nearest"),
    [
        ("service", "services"),
        ("services.wep", "services.web"),
        ("services.web.ports[2]", "services.web.ports[0]"),
        ("services.web.ports[-3]", "services.web.ports[0]"),
        ("services.web.ports.x", "services.web.ports[0]"),
        ("web.ports", "services.web.ports"),
        ("ports[1]", "services.web.ports[1]"),
        ("x.y", '"x.y"'),
        ("services[0]", "services.web"),
    ],
)
def test_what_is_not_there_is_refused_with_what_is(key: str, nearest: str) -> None:
    refusal = missed(TEXT, key)
    assert refusal.kind == Kind.NO_SUCH_TARGET
    there = [*refusal.details["nearest"], *refusal.details["available"]]  # type: ignore[misc]
    assert f"key:{nearest}" in there
    assert refusal.hint


@table(
    ("key", "said"),
    [
        ("services.web.image", "add-key"),
        ("services.db.ports[0]", "append-item"),
        ("twice.x", "set-key"),
        ("web.ports", "services.web.ports"),
        ("servces", "services"),
    ],
)
def test_the_hint_is_the_next_call(key: str, said: str) -> None:
    refusal = missed(TEXT, Key(key, nth=None))
    assert said in refusal.hint


def test_a_miss_lists_at_most_ten_names() -> None:
    text = "{" + ", ".join(f'"name{n}": {n}' for n in range(5000)) + "}"
    refusal = missed(text, "name4999x")
    assert len(refusal.details["available"]) == 10  # type: ignore[arg-type]
    assert refusal.details["nearest"][0] == "key:name4999"  # type: ignore[index]
    assert len(refusal.message) < 400


def test_a_name_that_is_there_twice_is_ambiguous_and_nth_picks() -> None:
    refusal = missed(TEXT, "twice")
    assert refusal.kind == Kind.AMBIGUOUS_MATCH
    source, node = node_at(TEXT, Key("twice", nth=2))
    assert node.span.of(source.text) == "2"
    assert node.address == "key[2]:twice"
    assert missed(TEXT, Key("twice", nth=3)).kind == Kind.COUNT_MISMATCH


@table(
    ("key", "text"),
    [
        ("services.web.ports[0]", "80"),
        ("services.web.ports[-1]", "443"),
        ("services.web.ports.1", "443"),
        ("/services/web/ports/1", "443"),
        ("$.services.web.ports", "[80, 443]"),
        ("services.web.8080", '"alt"'),
        ("services.web[8080]", '"alt"'),
        ('"x.y".""', "null"),
        ('["x.y"]', '{"": null}'),
    ],
)
def test_keys_are_located(key: str, text: str) -> None:
    source, node = node_at(TEXT, key)
    assert node.span.of(source.text) == text


def test_a_path_may_be_a_list_of_steps() -> None:
    source, node = node_at(TEXT, Key(("x.y", "")))
    assert node.span.of(source.text) == "null"
    assert node.address == 'key:"x.y".""'


@table(("part", "text"), [("value", "[80, 443]"), ("name", '"ports"'), ("entry", '"ports": [80, 443]')])
def test_parts(part: str, text: str) -> None:
    source, node = node_at(TEXT, Key("services.web.ports", part=part))
    assert node.span.of(source.text) == text
    again = parse_address(node.address)
    assert isinstance(again, Key)
    assert (again.path, again.part) == ("services.web.ports", part)


def test_an_item_has_no_name() -> None:
    assert missed(TEXT, Key("services.web.ports[0]", part="name")).kind == Kind.NO_SUCH_TARGET


@table(
    "given",
    [
        {"path": "a..b"},
        {"path": 5},
        {"path": ["a", True]},
        {"path": "a", "part": "key"},
        {"path": "a", "nth": 0},
        {"path": "a", "document": 0},
        {"path": "a", "format": "docx"},
        {"nth": 1},
        {"path": "a", "deep": 1},
    ],
)
def test_wrong_fields_are_refused(given: dict[str, object]) -> None:
    with pytest.raises(EditError) as caught:
        Key.from_json(given, "key")
    assert caught.value.kind == Kind.BAD_REQUEST


@table(
    "key",
    [
        Key("a.b"),
        Key(("a", 0)),
        Key("a", 2),
        Key("a", None, 3),
        Key("a", part="name"),
        Key("a", format="json"),
        Key(""),
    ],
)
def test_the_json_form_reads_as_itself(key: Key) -> None:
    assert Key.from_json(key.to_json(), "key") == key


@table("address", ["key:a.b[0]", "key[2]:a", "key.name:a", "key.entry[1]:a.b", "key:", 'key:" a"'])
def test_addresses_are_written_as_they_are_read(address: str) -> None:
    assert render_address(parse_address(address)) == address


def test_a_text_without_a_name_needs_a_format() -> None:
    source = Source.of_text('{"a": 1}')
    refusal = Key("a").resolve(source)
    assert isinstance(refusal, Refusal)
    assert refusal.kind == Kind.BAD_REQUEST
    assert "format" in refusal.hint
    assert not isinstance(Key("a", format="json").resolve(source), Refusal)
    assert not isinstance(Key("a", format="json5").resolve(Source.of_text("{a: 1}")), Refusal)


def test_documents_count_from_one() -> None:
    text = '{"a": 1}\n{"a": 2}\n'
    assert missed(text, "a", "a.jsonl").kind == Kind.AMBIGUOUS_MATCH
    source, node = node_at(text, Key("a", document=2), "a.jsonl")
    assert node.span.of(source.text) == "2"
    assert node.address == "key[2]:a"
    assert missed(text, Key("a", document=3), "a.jsonl").kind == Kind.NO_SUCH_TARGET


def test_keys_of_a_text_inside_another_are_edited_in_place() -> None:
    outer = Source.of_text('before {"a": [1]} behind')
    inner = Source.of_text('{"a": [1]}', path="x.json")
    found = key_nodes(syntax_named("json"), inner, ("a",), offset=7, prefix="front_matter")
    assert not isinstance(found, Refusal)
    (node,) = found
    assert node.span.of(outer.text) == "[1]"
    assert node.address == "front_matter:a"
    for proposal, expected in (
        (node.replace(outer, "[2]"), 'before {"a": [2]} behind'),
        (node.delete(outer), "before {} behind"),
        (node.insert(outer, "2", "end"), 'before {"a": [1, 2]} behind'),
    ):
        assert isinstance(proposal, Proposal)
        assert ChangeSet(proposal.splices).apply(outer.text) == expected
    assert node.carried(outer) == '"a": [1]'


def test_what_is_moved_is_at_the_margin() -> None:
    source, node = node_at('{\n  "a": {\n    "b": [\n      1\n    ]\n  }\n}', "a.b")
    assert node.carried(source) == '"b": [\n  1\n]'


@table(
    ("span", "new"),
    [
        (Span(0, 0), " /*"),
        (Span(1, 7), ""),
        (Span(6, 7), "2"),
        (Span(2, 3), "z"),
        (Span(13, 14), "1.0"),
        (Span(8, 8), '"q": 1, '),
        (Span(6, 7), "1.0"),
    ],
)
def test_a_proposal_that_does_anything_else_is_refused(span: Span, new: str) -> None:
    source = Source.of_text('{"a": 1, "b": 1}', path="a.json")
    keys = Keys.of(syntax_named("json"), source)
    assert isinstance(keys, Keys)
    careless = Proposal.of(source, (span, new))
    asked = Asked.children()
    made = keys.checked(careless, asked)
    assert isinstance(made, Refusal)
    assert made.kind == Kind.UNPARSABLE


def test_labels_show_no_values() -> None:
    _, node = node_at('{"password": "hunter2"}', "password")
    assert isinstance(node, KeyNode)
    assert "hunter2" not in node.label


@table(
    ("path", "text", "keys", "left"),
    [
        ("a.json", '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n', "abc", "{}\n"),
        ("a.json", '{"x": {"a": 1, "b": 2}}', ("x.a", "x.b"), '{"x": {}}'),
        (
            "a.json",
            '{\n  "x": {\n    "a": 1, // one\n    // two\n    "b": 2\n  }\n}\n',
            ("x.a", "x.b"),
            '{\n  "x": {}\n}\n',
        ),
        ("a.toml", "x = { a = 1, b = 2, c = 3 }\n", ("x.a", "x.b", "x.c"), "x = {}\n"),
        ("a.toml", "[p.a]\nx=1\n[p.b]\nx=2\n", ("p.a", "p.b"), "[p]\n"),
        ("a.toml", "[p]\na=1\n# c\nb=2\n\n# d\nc=3", ("p.a", "p.b", "p.c"), "[p]"),
        ("a.ini", "[t]\na = 1\nb = 2\n\nc = 3", ("t.a", "t.b", "t.c"), "[t]"),
        (".env", "A=1\nB=2\nC=3", "ABC", ""),
    ],
)
def test_all_entries_of_a_container_go_in_one_call_in_any_order(
    path: str, text: str, keys: tuple[str, ...], left: str
) -> None:
    for order in permutations(keys):
        made = edit(text, [Delete(Key(key)) for key in order], path=path)
        assert made.ok, (order, made.error)
        assert made.text == left
        assert made.changes.invert().apply(made.text) == text


@table("text", ["[\n  1,\n  2,\n  3\n]", "[1, 2, 3]", "[\n  1,\n  2,\n  3,\n]"])
@table("numbers", [(0, 0, 0), (2, 1, 0), (1, 0, 0), (-1, -1, -1)])
def test_all_items_of_a_sequence_go_in_one_call(text: str, numbers: tuple[int, ...]) -> None:
    for path, before, left in (("a.jsonc", text, "[]"), ("a.toml", f"x = {text}\n", "x = []\n")):
        top = "x" if path == "a.toml" else ""
        made = edit(before, [Delete(Key(f"{top}[{number}]")) for number in numbers], path=path)
        assert made.ok, made.error
        assert made.text == left


def test_all_of_a_name_go_at_once_where_nothing_is_left_between() -> None:
    assert edit('{"t": 1, "t": 2}', Delete(Key("t"), occurrence="all"), path="a.json").text == "{}"


@table("text", ['{\n  "a": 0,\n  "t": 1,\n  "t": 2\n}\n', '{"a": 0, "t": 1,\n "t": 2}\n'])
def test_what_would_leave_a_comma_when_all_go_is_refused_and_works_one_by_one(text: str) -> None:
    made = edit(text, Delete(Key("t"), occurrence="all"), path="a.json")
    assert made.error is not None
    assert made.error.kind == Kind.OVERLAPPING_EDITS
    assert made.error.hint
    singly = edit(text, [Delete(Key("t", nth=2)), Delete(Key("t"))], path="a.json")
    assert json.loads(singly.text) == ({"a": 0} if "a" in text else {})
