"""What every configuration format does alike: only what differs is written, comments go with their entry or stop it."""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.plan.edit import Act
from steadyhand.plan.preview import edit
from steadyhand.structure.config.key import Key
from tests.table import table

CHANGED = [
    (
        "a.jsonc",
        '{\n  // who\n  "a": 1, // one\n  "b": [1,2],\n  "c": {"x":1}\n}\n',
        "",
        {"a": 2, "b": [1, 2], "c": {"x": 1}, "d": None},
        '{\n  // who\n  "a": 2, // one\n  "b": [1,2],\n  "c": {"x":1},\n  "d": null\n}\n',
    ),
    ("a.json", '{"a": [1,2, 3]}', "a", [1, 3], '{"a": [1,3]}'),
    ("a.toml", "x = {a=1, b.c=2} # t\n", "x", {"a": 1, "b": {"c": 2}, "d": 3}, "x = {a=1, b.c=2, d = 3} # t\n"),
    ("a.toml", "x = [\n  1, # one\n  2,\n]\n", "x", [1, 2, 3], "x = [\n  1, # one\n  2,\n  3,\n]\n"),
    ("a.toml", "x = [\n  # none\n]\n", "x", [1], "x = [\n  # none\n  1,\n]\n"),
    ("a.yaml", "x: # c\n  a: 1 # one\n  b: 2\n", "x", {"a": 1, "b": 3}, "x: # c\n  a: 1 # one\n  b: 3\n"),
]


@table(("path", "text", "key", "value", "after"), CHANGED)
def test_a_container_gets_another_value_by_changing_only_what_differs(
    path: str, text: str, key: str, value: object, after: str
) -> None:
    made = edit(text, [Act(Key(key), "set-key", value=value)], path=path)
    assert made.ok, made.error
    assert made.text == after


def test_a_container_that_is_written_again_says_what_that_costs() -> None:
    made = edit('{"a": [ // one\n 1]}', [Act(Key("a"), "set-key", value=[2])], path="a.jsonc")
    assert made.text == '{"a": [ // one\n 2]}'
    made = edit('{"a": [ // one\n 1]}', [Act(Key("a"), "set-key", value="x")], path="a.jsonc")
    assert (made.text, made.outcomes[0].notes) == (
        '{"a": "x"}',
        ("the value was rewritten: 1 comment inside it is gone",),
    )


MOVED = [
    ("a.toml", "x = [\n  # one\n  1, # first\n  2,\n]\n[t]\ny = 3\n", "x[0]", {"to": "t", "name": "z"},
     "x = [\n  2,\n]\n[t]\ny = 3\n# one\nz = 1 # first\n"),
    ("a.ini", "[a]\n; one\nx = 1\n\n[b]\ny = 2\n", "a.x", {"to": "b"}, "[a]\n\n[b]\ny = 2\n; one\nx = 1\n"),
    ("a.jsonc", '{\n  "a": {\n    // one\n    "x": 1\n  },\n  "b": {\n    "y": 2\n  }\n}\n', "a.x", {"to": "b"},
     '{\n  "a": {},\n  "b": {\n    "y": 2,\n    // one\n    "x": 1\n  }\n}\n'),
    ("a.yaml", "a:\n  z: 0\n  # one\n  x: 1\nb:\n  y: 2\n", "a.x", {"to": "b"},
     "a:\n  z: 0\nb:\n  y: 2\n  # one\n  x: 1\n"),
]  # fmt: skip


@table(("path", "text", "key", "arguments", "after"), MOVED)
def test_comments_go_with_their_entry(path: str, text: str, key: str, arguments: dict[str, str], after: str) -> None:
    made = edit(text, [Act(Key(key), "move-key", **arguments)], path=path)
    assert made.ok, made.error
    assert made.text == after
    made = edit(text.replace("\n", "\r\n"), [Act(Key(key), "move-key", **arguments)], path=path)
    assert made.text == after.replace("\n", "\r\n")


@table(
    ("path", "text", "key", "after"),
    [
        ("a.toml", "x = [\n  # one\n  1,\n  # two\n  2,\n]\n", "x[0]", "x = [\n  # two\n  2,\n]\n"),
        ("a.jsonc", '{\n  // one\n  "a": 1,\n  // two\n  "b": 2\n}\n', "b", '{\n  // one\n  "a": 1\n}\n'),
        ("a.yaml", "x: [\n  # one\n  1,\n  # two\n  2\n]\n", "x[1]", "x: [\n  # one\n  1\n]\n"),
        ("a.jsonc", '{\n  // all\n\n  "a": 1,\n  "b": 2\n}\n', "a", '{\n  // all\n\n  "b": 2\n}\n'),
    ],
)
def test_comments_above_an_entry_go_with_it_whatever_ends_lines(path: str, text: str, key: str, after: str) -> None:
    for ending in ("\n", "\r\n"):
        made = edit(text.replace("\n", ending), [Act(Key(key), "delete-key")], path=path)
        assert made.text == after.replace("\n", ending)


@table(
    ("path", "text", "key", "to"),
    [
        ("a.toml", "x = 1 # one\ny = { z = 2 }\n", "x", "y"),
        ("a.toml", "a = [\n  1, # one\n  2,\n]\nb = [3]\n", "a[0]", "b"),
        ("a.jsonc", '{\n  "x": 1, // one\n  "y": {"z": 2}\n}\n', "x", "y"),
        ("a.yaml", "x: 1 # one\ny: {z: 2}\n", "x", "y"),
    ],
)
def test_a_move_that_would_lose_a_comment_is_refused(path: str, text: str, key: str, to: str) -> None:
    made = edit(text, [Act(Key(key), "move-key", to=to)], path=path)
    assert made.error is not None
    assert made.error.kind is Kind.BAD_REQUEST
    assert "comments" in made.error.message


@table(
    ("path", "text", "key", "to"),
    [
        ("a.json", '{"a": {"x": 1,  "y": 2}}', "a.y", "a"),
        ("a.toml", "[a]\nx = 1\ny  = 2\n", "a.y", "a"),
        ("a.ini", "[a]\nx = 1\ny  = 2\n", "a.y", "a"),
        (".env", "X=1\nY='2'\n", "Y", ""),
        ("a.yaml", "a:\n  x: 1\n  y:   2\n", "a.y", "a"),
    ],
)
def test_a_move_to_where_it_is_changes_nothing_and_with_another_name_renames(
    path: str, text: str, key: str, to: str
) -> None:
    assert edit(text, [Act(Key(key), "move-key", to=to)], path=path).text == text
    made = edit(text, [Act(Key(key), "move-key", to=to, name="Z")], path=path)
    assert made.text == text.replace("y", "Z").replace("Y", "Z").replace("kez", "key")
