"""Keys of TOML files: each operation on each way to write a table, and what is refused."""

from __future__ import annotations

import tomllib

from steadyhand.errors import Kind
from steadyhand.plan.edit import Act, Insert, Replace
from steadyhand.plan.preview import edit
from steadyhand.structure.action import actions
from steadyhand.structure.config.key import Key
from steadyhand.structure.node import Proposal, Where
from tests.structure.keyed import after, node_at, refused
from tests.table import table

PATH = "a.toml"
TABLES = '# head\n\ntitle = "x" # t\n\n[a]\nb = 1\n\n[a.c]\nd = 2\n\n[[e]]\nf = 1\n\n[[e]]\nf = 2\n'
DOTTED = "a.b = 1\na.c = 2\nd = 3\n"
ARRAY = "a = [\n    1, # one\n    # of two\n    2,\n]\n"


@table(
    ("text", "key", "action", "given"),
    [
        (TABLES, "title", "set-key", {"value": None}),
        (TABLES, "a", "add-key", {"name": "x", "value": {"y": None}}),
        (TABLES, "a", "set-key", {"value": 1}),
        (TABLES, "e", "set-key", {"value": []}),
        (TABLES, "e", "append-item", {"value": 1}),
        (TABLES, "e[0]", "rename-key", {"name": "x"}),
        (TABLES, "a.b", "move-key", {"to": "e"}),
        (TABLES, "e[0]", "move-key", {"to": "a", "name": "x"}),
        (DOTTED, "a", "move-key", {"to": "", "name": "z"}),
        ("[[e]]\nf = 1\n", "e[0]", "delete-key", {}),
        ("a = { b = 1 }\n[c]\n", "c", "move-key", {"to": "a"}),
    ],
)
def test_what_toml_cannot_say_is_refused(text: str, key: str, action: str, given: dict[str, object]) -> None:
    assert refused(text, key, action, PATH, **given).kind == Kind.BAD_REQUEST


@table(
    ("key", "new", "kind"),
    [
        ("a.b", "1\nc = 2", Kind.BAD_REQUEST),
        ("a.b", '"1"', Kind.BAD_REQUEST),
        ("title", "plain words", Kind.BAD_REQUEST),
        ("a", "[a]\nb = 1\n[z]", Kind.BAD_REQUEST),
    ],
)
def test_raw_text_is_one_value_of_the_same_type(key: str, new: str, kind: Kind) -> None:
    result = edit(TABLES, Replace(Key(key), new), path=PATH)
    assert result.error is not None
    assert result.error.kind == kind
    assert result.text == TABLES


@table(
    ("old", "value", "new"),
    [
        ('"x"', "y", '"y"'),
        ("'x'", "y\\z", "'y\\z'"),
        ("'x'", "it's", '"it\'s"'),
        ("'x'", "a\nb", '"a\\nb"'),
        ('"x"', 'a"b\\c\t\x01', '"a\\"b\\\\c\\t\\u0001"'),
        ('"""\nx\n"""', "a\nb\n", '"""\na\nb\n"""'),
        ('"""x"""', '"""', '"""\\""\\""""'),
        ("'''\nx'''", "a\\b\n", "'''\na\\b\n'''"),
        ("'''x'''", "'''", '"""\'\'\'"""'),
        ("1", 2, "2"),
        ("1", "2", '"2"'),
        ("0xff", True, "true"),
        ("1.5", 2.0, "2.0"),
        ("1.5", 1e300, "1e+300"),
        ("true", False, "false"),
        ("1979-05-27", "2024-02-29", "2024-02-29"),
        ("1979-05-27", "2023-02-29", '"2023-02-29"'),
        ("1979-05-27", "07:32:00", '"07:32:00"'),
        ("1979-05-27T07:32:00Z", "2024-01-01T00:00:00+02:00", "2024-01-01T00:00:00+02:00"),
        ("1979-05-27T07:32:00Z", "2024-01-01T00:00:00", '"2024-01-01T00:00:00"'),
        ("1", [1, "a", [True]], '[1, "a", [true]]'),
        ("1", {"a b": 1, "c": {}}, '{ "a b" = 1, c = {} }'),
        ("{x=1}", {"x": 2}, "{x=2}"),
        ("{ x = 1 }", {"y": 2}, "{ y = 2 }"),
        ("[ 1, 2 ]", [1, 3], "[ 1, 3 ]"),
        ("[1,2]", [1, 2, 3], "[1,2,3]"),
        ("[1, 2, 3]", [1, 3], "[1, 3]"),
        ("[1, 2, ]", [], "[]"),
        ("[\n  1, # one\n  2 # two\n]", [1, 2, 3], "[\n  1, # one\n  2, # two\n  3\n]"),
        ("[\n  1, # one\n  2 # two\n]", [1], "[\n  1 # one\n]"),
    ],
)
def test_a_value_is_set_in_the_style_it_has(old: str, value: object, new: str) -> None:
    text = f"# h\nk  =  {old}  # c\nz = 1\n"
    assert after(text, "k", "set-key", PATH, value=value) == f"# h\nk  =  {new}  # c\nz = 1\n"


def test_a_date_that_stays_a_date_is_reported() -> None:
    source, node = node_at("a = 1979-05-27\n", "a", PATH)
    action = actions()["set-key"]
    proposal = action.proposed(source, node, {"value": "2024-01-01"})
    assert isinstance(proposal, Proposal)
    assert "date" in proposal.notes[0]


@table(
    ("text", "key", "given", "expected"),
    [
        (TABLES, "a", {"name": "x", "value": 1}, TABLES.replace("b = 1\n", "b = 1\nx = 1\n")),
        (TABLES, "a", {"name": "x", "value": 1, "before": "b"}, TABLES.replace("b = 1\n", "x = 1\nb = 1\n")),
        (TABLES, "", {"name": "x", "value": 1}, TABLES.replace("# t\n", "# t\nx = 1\n")),
        (TABLES, "a", {"name": "x", "value": {"y": 1}}, TABLES.replace("d = 2\n", "d = 2\n\n[a.x]\ny = 1\n")),
        (TABLES, "", {"name": "x y", "value": {"z": {"w": 1}}}, f'{TABLES}\n["x y".z]\nw = 1\n'),
        (TABLES, "e[0]", {"name": "x", "value": 1}, TABLES.replace("f = 1\n", "f = 1\nx = 1\n")),
        (TABLES, "a.c", {"name": "x", "value": {"y": 1}}, TABLES.replace("d = 2\n", "d = 2\nx = { y = 1 }\n")),
        (DOTTED, "a", {"name": "x", "value": 1}, "a.b = 1\na.c = 2\na.x = 1\nd = 3\n"),
        (DOTTED, "a", {"name": "x", "value": {"y": 1}}, "a.b = 1\na.c = 2\na.x = { y = 1 }\nd = 3\n"),
        ("[a.b]\nc = 1\n", "a", {"name": "x", "value": 1}, "[a]\nx = 1\n\n[a.b]\nc = 1\n"),
        ("[a]\n# c\n", "a", {"name": "x", "value": 1}, "[a]\nx = 1\n# c\n"),
        ("", "", {"name": "x", "value": 1}, "x = 1\n"),
        ("", "", {"name": "x", "value": {}}, "[x]\n"),
        ("# c\n[a]\n", "", {"name": "x", "value": 1}, "x = 1\n\n# c\n[a]\n"),
        ("a = 1", "", {"name": "x", "value": 1}, "a = 1\nx = 1"),
        ("a=1\n", "", {"name": "x", "value": "y"}, 'a=1\nx="y"\n'),
        ("a   = 'q'\nbcd = 2\n", "", {"name": "x", "value": "y"}, "a   = 'q'\nbcd = 2\nx   = 'y'\n"),
        ('"a" = 1\n"b" = 2\n', "", {"name": "x", "value": 1}, '"a" = 1\n"b" = 2\n"x" = 1\n'),
        ("  [a]\n  b = 1\n", "a", {"name": "x", "value": 1}, "  [a]\n  b = 1\n  x = 1\n"),
        ("a = {}\n", "a", {"name": "x", "value": 1}, "a = { x = 1 }\n"),
        ("a = {b=1}\n", "a", {"name": "x", "value": 1}, "a = {b=1, x = 1}\n"),
        ("a = { b = 1 }\n", "a", {"name": "x", "value": 1, "before": "b"}, "a = { x = 1, b = 1 }\n"),
        ("a = { b.c = 1, d = 2 }\n", "a.b", {"name": "x", "value": 1}, "a = { b.c = 1, b.x = 1, d = 2 }\n"),
    ],
)
def test_a_key_is_added_as_its_siblings_are(text: str, key: str, given: dict[str, object], expected: str) -> None:
    assert after(text, key, "add-key", PATH, **given) == expected


@table(
    ("old", "given", "new"),
    [
        ("[]", {}, "[9]"),
        ("[ ]", {}, "[9]"),
        ("[1]", {}, "[1, 9]"),
        ("[1, ]", {}, "[1, 9, ]"),
        ("[1,2]", {}, "[1,2,9]"),
        ("[1,2]", {"before": 1}, "[1,9,2]"),
        ("[1, 2]", {"before": 0}, "[9, 1, 2]"),
        ("[\n  1,\n  2,\n]", {}, "[\n  1,\n  2,\n  9,\n]"),
        ("[\n  1,\n  2\n]", {}, "[\n  1,\n  2,\n  9\n]"),
        ("[\n  1,\n  2]", {}, "[\n  1,\n  2,\n  9]"),
        ("[\n\t1, # one\n\t# two\n\t2, # zwei\n]", {"before": 1}, "[\n\t1, # one\n\t9,\n\t# two\n\t2, # zwei\n]"),
        ("[\n\t1,\n\t2, # zwei\n\t# end\n]", {}, "[\n\t1,\n\t2, # zwei\n\t9,\n\t# end\n]"),
        ("[\n  1, 2,\n  3, 4\n]", {}, "[\n  1, 2,\n  3, 4, 9\n]"),
        ("[\n  # none\n]", {}, "[\n  # none\n  9,\n]"),
    ],
)
def test_an_item_is_appended_in_the_layout_of_its_array(old: str, given: dict[str, object], new: str) -> None:
    assert after(f"a = {old} # c\n", "a", "append-item", PATH, value=9, **given) == f"a = {new} # c\n"


def test_a_table_is_appended_behind_the_last_of_its_array() -> None:
    new = "\n[[e]]\nf = 3\ng = [1]\n"
    assert after(TABLES, "e", "append-item", PATH, value={"f": 3, "g": [1]}) == TABLES + new
    first = after(TABLES, "e", "append-item", PATH, value={"f": 0}, before=0)
    assert first == TABLES.replace("[[e]]\nf = 1\n", "[[e]]\nf = 0\n\n[[e]]\nf = 1\n")


@table(
    ("text", "key", "name", "expected"),
    [
        (TABLES, "title", "name", TABLES.replace("title", "name")),
        (TABLES, "a", "z z", TABLES.replace("[a]", '["z z"]').replace("[a.c]", '["z z".c]')),
        (TABLES, "e", "z", TABLES.replace("[[e]]", "[[z]]")),
        (DOTTED, "a", "z", "z.b = 1\nz.c = 2\nd = 3\n"),
        ("'a' = 1\n", "a", "b", "'b' = 1\n"),
        ('"a" = 1\n', "a", "b", '"b" = 1\n'),
        ("a = { b = 1 }\n", "a.b", "c.d", 'a = { "c.d" = 1 }\n'),
        ("[[a]]\n[a.b]\n[[a]]\n[a.b]\n", "a[1].b", "c", "[[a]]\n[a.b]\n[[a]]\n[a.c]\n"),
    ],
)
def test_a_name_changes_wherever_it_is_written(text: str, key: str, name: str, expected: str) -> None:
    assert after(text, key, "rename-key", PATH, name=name) == expected


@table(
    ("text", "key", "expected"),
    [
        (TABLES, "title", "# head\n\n[a]\nb = 1\n\n[a.c]\nd = 2\n\n[[e]]\nf = 1\n\n[[e]]\nf = 2\n"),
        (TABLES, "a", '# head\n\ntitle = "x" # t\n\n[[e]]\nf = 1\n\n[[e]]\nf = 2\n'),
        (TABLES, "a.c", TABLES.replace("[a.c]\nd = 2\n\n", "")),
        (TABLES, "e", TABLES[: TABLES.index("\n[[e]]")]),
        (TABLES, "e[1]", TABLES[: TABLES.rindex("\n[[e]]")]),
        (DOTTED, "a.b", "a.c = 2\nd = 3\n"),
        (DOTTED, "a", "d = 3\n"),
        ("a.b = 1\n", "a.b", "a = {}\n"),
        ("[a.b]\nc = 1\n[d]\n", "a.b", "[a]\n[d]\n"),
        ("[a]\nx = 1\n[b]\ny = 2\n[a.c]\nz = 3\n", "a", "[b]\ny = 2\n"),
        ("[a]\n# own\nb = 1 # c\n\n# group\nd = 1\ne = 2\n", "a.d", "[a]\n# own\nb = 1 # c\n\n# group\ne = 2\n"),
        ("z = 0\n# own\nb = 1 # c\n# next\nc = 2\n", "b", "z = 0\n# next\nc = 2\n"),
        ("a = 1\nb = 2", "b", "a = 1"),
        (ARRAY, "a[0]", "a = [\n    # of two\n    2,\n]\n"),
        (ARRAY, "a[1]", "a = [\n    1, # one\n]\n"),
        ("a = [1]\n", "a[0]", "a = []\n"),
        ("a = [1, 2]\n", "a[1]", "a = [1]\n"),
        ("a = [1, 2, ]\n", "a[1]", "a = [1, ]\n"),
        ("a = { b = 1, c = 2 }\n", "a.c", "a = { b = 1 }\n"),
        ("a = { b = 1, c = 2 }\n", "a.b", "a = { c = 2 }\n"),
        ("a = { b = 1 }\n", "a.b", "a = {}\n"),
        ("a = { b.c = 1, d = 2 }\n", "a.b.c", "a = { b = {}, d = 2 }\n"),
    ],
)
def test_a_deleted_key_leaves_no_gap_and_takes_only_its_own_comments(text: str, key: str, expected: str) -> None:
    assert after(text, key, "delete-key", PATH) == expected


@table(
    ("text", "key", "given", "expected"),
    [
        (
            "[a]\n# own\nx = [\n  1, # one\n] # end\n# next\ny = 2\n[b]\nz = 3\n",
            "a.x",
            {"to": "b"},
            "[a]\n# next\ny = 2\n[b]\nz = 3\n# own\nx = [\n  1, # one\n] # end\n",
        ),
        ("a = 1\nb = 2\n", "b", {"to": "", "before": "a"}, "b = 2\na = 1\n"),
        ("a = 1\nb = 0x02\n", "b", {"to": "", "name": "c", "before": "a"}, "c = 0x02\na = 1\n"),
        ("a = [1, 2, 3]\n", "a[2]", {"to": "a", "before": 0}, "a = [3, 1, 2]\n"),
        ("a = [1, 2, 3]\n", "a[0]", {"to": "a"}, "a = [2, 3, 1]\n"),
        ("a = [1, 2]\nb = 0x3\n", "b", {"to": "a"}, "a = [1, 2, 0x3]\n"),
        ("a = [0x1]\n[b]\n", "a[0]", {"to": "b", "name": "c"}, "a = []\n[b]\nc = 0x1\n"),
        (
            "[a.b]\nx = 1\n\n[a.b.c]\ny = 2\n\n[d]\n",
            "a.b",
            {"to": "d", "name": "e"},
            "[a]\n\n[d]\n\n[d.e]\nx = 1\n\n[d.e.c]\ny = 2\n",
        ),
        ("[[a]]\nx = 1\n\n[[a]]\nx = 2\n", "a[1]", {"to": "a", "before": 0}, "[[a]]\nx = 2\n\n[[a]]\nx = 1\n"),
    ],
)
def test_a_key_is_moved_as_it_is_written(text: str, key: str, given: dict[str, object], expected: str) -> None:
    assert after(text, key, "move-key", PATH, **given) == expected
    dos = edit(text.replace("\n", "\r\n"), Act(Key(key), "move-key", **given), path=PATH)
    assert dos.text == expected.replace("\n", "\r\n")


def test_new_lines_get_the_endings_of_the_file() -> None:
    text = TABLES.replace("\n", "\r\n")
    result = edit(text, [Act(Key("a"), "add-key", name="x", value={"y": "1\n2"})], path=PATH)
    assert result.text == text.replace("d = 2\r\n", 'd = 2\r\n\r\n[a.x]\r\ny = "1\\n2"\r\n')


def test_a_table_set_to_an_object_changes_only_what_differs() -> None:
    text = "[a] # t\nx = 0x01 # one\ny = 2 # two\n\n[a.z]\nw = 1\n"
    made = after(text, "a", "set-key", PATH, value={"x": 1, "z": {"w": 2}})
    assert made == "[a] # t\nx = 0x01 # one\n\n[a.z]\nw = 2\n"
    assert tomllib.loads(made) == {"a": {"x": 1, "z": {"w": 2}}}


def test_two_neighbouring_keys_are_set_in_one_call() -> None:
    edits = [Act(Key("a"), "set-key", value=3), Act(Key("b"), "set-key", value="z")]
    assert edit("a = 1\nb = 'y'\n", edits, path=PATH).text == "a = 3\nb = 'z'\n"


@table(
    ("text", "key", "where", "written", "expected"),
    [
        ("[a]\nb = 1\n", "a.b", "after", "c = [\n  1, # x\n]\n", "[a]\nb = 1\nc = [\n  1, # x\n]\n"),
        ("[a]\n  b = 1\n", "a", "start", "# k\nc = 0x1\nd = 2", "[a]\n  # k\n  c = 0x1\n  d = 2\n  b = 1\n"),
        ("a = [1, 2]\n", "a", "end", "0x3, 4", "a = [1, 2, 0x3, 4]\n"),
        ("a = [1, 2]\n", "a[0]", "before", "'x'", "a = ['x', 1, 2]\n"),
        ("a = { b = 1 }\n", "a", "start", "c = 0x3", "a = { c = 0x3, b = 1 }\n"),
        ("a.b = 1\n", "a", "end", "c = 0x3", "a.b = 1\na.c = 0x3\n"),
        ("[a]\n\n[b]\n", "", "end", "[c]\nx = 1 # k", "[a]\n\n[b]\n\n[c]\nx = 1 # k\n"),
    ],
)
def test_entries_are_inserted_as_they_are_written(
    text: str, key: str, where: Where, written: str, expected: str
) -> None:
    assert edit(text, Insert(Key(key), written, where=where), path=PATH).text == expected


@table(("key", "written"), [("a", "[c]\nd = 1"), ("a.b", "b = 2"), ("a.b", "prose"), ("a", "x = 1 y = 2")])
def test_what_is_no_entry_of_that_place_is_not_inserted(key: str, written: str) -> None:
    result = edit("[a]\nb = 1\n", Insert(Key(key), written, where="after" if "." in key else "end"), path=PATH)
    assert result.error is not None
    assert result.text == "[a]\nb = 1\n"


@table(
    ("before", "key", "action", "said", "made"),
    [
        ("[a.b]\nx = 1\n[c]\n[a]\ny = 1\n", "a.b", "delete-key", {}, "[c]\n[a]\ny = 1\n"),
        ("[t]\na = 1\nb = 2\n", "t", "set-key", {"value": {"b": 3, "a": 1}}, "[t]\na = 1\nb = 3\n"),
    ],
)
def test_what_only_changes_the_order_tables_are_read_in_is_no_other_data(
    before: str, key: str, action: str, said: dict[str, object], made: str
) -> None:
    assert after(before, key, action, "a.toml", **said) == made
