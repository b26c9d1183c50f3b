"""Keys of INI files and their relatives: what is no INI, where everything is, and each operation."""

from __future__ import annotations

import configparser
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.errors import Kind
from steadyhand.plan.edit import Act, Insert, Replace
from steadyhand.plan.preview import edit
from steadyhand.structure.config.editor import Keys
from steadyhand.structure.config.ini import SYNTAX
from steadyhand.structure.config.item import Item, parse_path, plain_of
from steadyhand.structure.config.key import Key
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source
from tests.sampling import examples
from tests.structure.keyed import acted, after, missed, node_at, refused
from tests.structure.laws import check_only_inside
from tests.table import table

TWO = "; head\n\n[a]\n; about x\nx = 1 ; one\n\n; group\ny = 2\nz = 3\n\n[b]\nw=4\n"
LINES = "[a]\nx =\n    one\n    two\ny = 1\n"


def read(text: str, path: str = "a.ini") -> Any:
    reading = SYNTAX.read(Source.of_text(text, path=path))
    assert not isinstance(reading, Refusal), reading
    return plain_of(reading.documents[0])


@table(
    ("text", "line"),
    [
        ("[a\nx = 1\n", 1),
        ("[]\n", 1),
        ("[a] b\n", 1),
        ("[a]\n= 1\n", 2),
        ("[a]\nsome prose here\n", 2),
        ("user nginx;\n", 1),
        ("events {\n}\n", 1),
        ("Listen 80\n", 1),
        ("<VirtualHost *:80>\n", 1),
        ("[a]\nflag\n  more\n", 3),
    ],
)
def test_what_is_no_ini_is_unparsable_with_its_line(text: str, line: int) -> None:
    refusal = SYNTAX.read(Source.of_text(text, path="a.conf"))
    assert isinstance(refusal, Refusal)
    assert (refusal.kind, refusal.details["line"]) == (Kind.UNPARSABLE, line)


@table(
    ("key", "action", "given", "kind"),
    [
        ("a.x", "set-key", {"value": None}, Kind.BAD_REQUEST),
        ("a.x", "set-key", {"value": [1]}, Kind.BAD_REQUEST),
        ("a.x", "set-key", {"value": " padded "}, Kind.BAD_REQUEST),
        ("a.x", "set-key", {"value": "a ; b"}, Kind.BAD_REQUEST),
        ("a.x", "set-key", {"value": "a\n\nb"}, Kind.BAD_REQUEST),
        ("a.x", "set-key", {"value": "a\n# b"}, Kind.BAD_REQUEST),
        ("a", "set-key", {"value": 1}, Kind.BAD_REQUEST),
        ("a", "add-key", {"name": "x", "value": 1}, Kind.EXISTS_ALREADY),
        ("a", "add-key", {"name": "p=q", "value": 1}, Kind.BAD_REQUEST),
        ("a", "add-key", {"name": "[p]", "value": 1}, Kind.BAD_REQUEST),
        ("a", "add-key", {"name": "p", "value": {"q": 1}}, Kind.BAD_REQUEST),
        ("", "add-key", {"name": "p", "value": 1}, Kind.BAD_REQUEST),
        ("", "add-key", {"name": "p\nq", "value": {}}, Kind.BAD_REQUEST),
        ("a", "append-item", {"value": 1}, Kind.BAD_REQUEST),
        ("a.x", "rename-key", {"name": "y"}, Kind.EXISTS_ALREADY),
        ("a.x", "rename-key", {"name": "# y"}, Kind.BAD_REQUEST),
        ("a.x", "move-key", {"to": ""}, Kind.BAD_REQUEST),
        ("b", "move-key", {"to": "a"}, Kind.BAD_REQUEST),
    ],
)
def test_what_ini_cannot_say_is_refused(key: str, action: str, given: dict[str, object], kind: Kind) -> None:
    assert refused(TWO, key, action, "a.ini", **given).kind == kind


@table(
    ("path", "text", "key", "nearest"),
    [
        ("a.ini", "[Main]\nKey = 1\n", "main.Key", "key:Main"),
        ("a.ini", "[Main]\nKey = 1\n", "Main.Kay", "key:Main.Key"),
        ("a.ini", "[Main]\nKey = 1\nKEY = 2\n", "Main.key", "key:Main.Key"),
        ("a.service", "[Unit]\nAfter=x\n", "Unit.after", "key:Unit.After"),
        (".npmrc", "Key = 1\n", "key", "key:Key"),
    ],
)
def test_case_counts_in_sections_and_in_files_whose_readers_count_it(
    path: str, text: str, key: str, nearest: str
) -> None:
    refusal = missed(text, key, path)
    assert refusal.kind == Kind.NO_SUCH_TARGET
    assert nearest in refusal.details["nearest"]  # type: ignore[operator]


def test_a_name_that_is_the_only_one_but_for_case_is_found_as_configparser_finds_it() -> None:
    text = "[Main]\nKey = 1\nother = 2\n"
    assert after(text, "Main.key", "set-key", "a.cfg", value=3) == text.replace("1", "3")
    assert node_at(text, "Main.KEY", "a.ini")[1].address == "key:Main.Key"
    both = "[Main]\nKey = 1\nkey = 2\n"
    assert after(both, "Main.key", "set-key", "a.cfg", value=3) == both.replace("2", "3")
    assert after(text, "Main", "add-key", "a.ini", name="new", value=0, before="OTHER") == text.replace(
        "other", "new = 0\nother"
    )


@table(
    ("action", "said"),
    [
        ("add-key", {"key": "Main", "name": "KEY", "value": 1}),
        ("rename-key", {"key": "Main.other", "name": "key"}),
        ("move-key", {"key": "B.key", "to": "Main"}),
    ],
)
def test_no_second_name_comes_in_that_differs_only_in_case(action: str, said: dict[str, object]) -> None:
    text = "[Main]\nKey = 1\nother = 2\n[B]\nkey = 3\n"
    key, asked = str(said["key"]), {name: value for name, value in said.items() if name != "key"}
    assert refused(text, key, action, "a.ini", **asked).kind == Kind.EXISTS_ALREADY
    assert isinstance(acted(text, key, action, "a.service", **asked), str)


def test_a_name_may_change_its_own_case() -> None:
    assert after("[a]\nKey = 1\n", "a.Key", "rename-key", "a.ini", name="key") == "[a]\nkey = 1\n"


def test_what_is_there_twice_is_ambiguous() -> None:
    text = "[a]\nx = 1\n[b]\n[a]\nx = 2\n"
    assert missed(text, "a.x", "a.ini").kind == Kind.AMBIGUOUS_MATCH
    assert after(text, Key("a.x", nth=2), "set-key", "a.ini", value=3) == text.replace("2", "3")
    assert after(text, Key("a", nth=2), "delete-key", "a.ini") == "[a]\nx = 1\n[b]\n"


@table(
    ("path", "text", "expected"),
    [
        ("a.ini", "[a]\nx = 1 # c\ny = a#b ; c\nz: #1\n", {"a": {"x": "1", "y": "a#b", "z": "#1"}}),
        ("setup.cfg", "[a]\nx = 1 # c\n", {"a": {"x": "1 # c"}}),
        ("a.desktop", "[a]\nName[de]=x # c\n", {"a": {"Name[de]": "x # c"}}),
        (".npmrc", "@s:registry=https://x/\n//x/:_auth=a\n", {"@s:registry": "https://x/", "//x/:_auth": "a"}),
        (".gitconfig", '[r "o"]\n\ta = "x;y" ; c\n\tb\n', {'r "o"': {"a": '"x;y"', "b": None}}),
        ("a.service", "[S]\nE=a \\\n  b\nF=1\n", {"S": {"E": "a \\\nb", "F": "1"}}),
        ("a.ini", "x = 1\n[a]\ny =\n  p\n\n  # c\n  q\nz =\n", {"x": "1", "a": {"y": "\np\n\nq", "z": ""}}),
        (".editorconfig", "root = true\n[*.{a,b}]\nx = 1\n", {"root": "true", "*.{a,b}": {"x": "1"}}),
        ("a.ini", "[a]\rx = 1\ry = 2\r", {"a": {"x": "1", "y": "2"}}),
    ],
)
def test_each_relative_is_read_in_its_own_way(path: str, text: str, expected: object) -> None:
    assert read(text, path) == expected


@table(
    ("old", "value", "new"),
    [
        ("x = 1 ; c", 2, "x = 2 ; c"),
        ("x=1", "a b", "x=a b"),
        ("x : 1", 2.5, "x : 2.5"),
        ("x   =   1   ", "y", "x   =   y   "),
        ("x =", "y", "x = y"),
        ("x = ", "y", "x = y"),
        ("x =# c", "y", "x = y # c"),
        ("x", "y", "x = y"),
        ("x = yes", False, "x = no"),
        ("x = On", False, "x = Off"),
        ("x = TRUE", False, "x = FALSE"),
        ("x = 0", True, "x = 1"),
        ("x = word", True, "x = true"),
        ("x = 1", "a\nb", "x = a\n    b"),
        ("x = 1", "\na\nb", "x =\n    a\n    b"),
        ("x =\n  a\n  b", "\na\nc\nd", "x =\n  a\n  c\n  d"),
        ("x =\n\ta\n\tb", "a", "x = a"),
        ("  x = 1", "a\nb", "  x = a\n    b"),
    ],
)
def test_a_value_is_set_in_its_place(old: str, value: object, new: str) -> None:
    text = "[a]\n{}\n[b]\nq = w\n"
    assert after(text.format(old), "a.x", "set-key", "a.ini", value=value) == text.format(new)


def test_comments_among_the_lines_of_a_value_are_never_lost() -> None:
    text = "[a]\nx =\n  a\n  # why b\n  b\n"
    assert refused(text, "a.x", "set-key", "a.ini", value="\na\nb\nc").kind == Kind.BAD_REQUEST


@table(
    ("text", "key", "given", "expected"),
    [
        (TWO, "a", {"name": "q", "value": 1}, TWO.replace("z = 3\n", "z = 3\nq = 1\n")),
        (TWO, "b", {"name": "q", "value": 1}, TWO + "q=1\n"),
        (TWO, "a", {"name": "q", "value": 1, "before": "x"}, TWO.replace("; about", "q = 1\n; about")),
        (TWO, "", {"name": "c d", "value": {"p": 1, "q": "r"}}, TWO + "\n[c d]\np=1\nq=r\n"),
        (TWO, "", {"name": "c", "value": {}, "before": "b"}, TWO.replace("[b]", "[c]\n\n[b]")),
        (LINES, "a", {"name": "q", "value": "\nm\nn"}, LINES + "q =\n    m\n    n\n"),
        ("x = 1\n[a]\n", "", {"name": "q", "value": 1}, "x = 1\nq = 1\n[a]\n"),
        ("[a]\n; only\n", "a", {"name": "q", "value": 1}, "[a]\nq = 1\n; only\n"),
        ("[a]\nx = 1", "a", {"name": "q", "value": 1}, "[a]\nx = 1\nq = 1"),
        ("", "", {"name": "q", "value": {"x": 1}}, "[q]\nx = 1\n"),
        ("", "", {"name": "q", "value": 1}, "q = 1\n"),
        ("[a]\n\tx = 1\n[b]\n", "a", {"name": "q", "value": 1}, "[a]\n\tx = 1\n\tq = 1\n[b]\n"),
    ],
)
def test_a_key_is_added_as_its_siblings_are(text: str, key: str, given: dict[str, object], expected: str) -> None:
    assert after(text, key, "add-key", "a.ini", **given) == expected


@table(
    ("text", "key", "expected"),
    [
        (TWO, "a.x", TWO.replace("; about x\nx = 1 ; one\n", "")),
        (TWO, "a.y", TWO.replace("y = 2\n", "")),
        (TWO, "a", "; head\n\n[b]\nw=4\n"),
        (TWO, "b", TWO.replace("\n[b]\nw=4\n", "")),
        (LINES, "a.x", "[a]\ny = 1\n"),
        ("[a]\nx = 1\ny = 2", "a.y", "[a]\nx = 1"),
        ("[a]\nx = 1\n", "a.x", "[a]\n"),
    ],
)
def test_a_deleted_key_takes_its_own_comments(text: str, key: str, expected: str) -> None:
    assert after(text, key, "delete-key", "a.ini") == expected


def test_a_key_and_a_section_are_moved_as_they_are_written() -> None:
    moved = after(TWO, "a.x", "move-key", "a.ini", to="b", name="v")
    assert moved == TWO.replace("; about x\nx = 1 ; one\n", "") + "; about x\nv = 1 ; one\n"
    assert after(LINES, "a.x", "move-key", "a.ini", to="a") == "[a]\ny = 1\nx =\n    one\n    two\n"
    assert after(TWO, "b", "move-key", "a.ini", to="", before="a") == (
        "; head\n\n[b]\nw=4\n\n" + TWO[len("; head\n\n") : -len("\n[b]\nw=4\n")]
    )


def test_lines_are_moved_with_their_endings() -> None:
    text = LINES.replace("\n", "\r\n")
    result = edit(text, Act(Key("a.x"), "move-key", to="a"), path="a.ini")
    assert result.text == "[a]\r\ny = 1\r\nx =\r\n    one\r\n    two\r\n"


def test_names_of_keys_and_sections_change() -> None:
    assert after(TWO, "a", "rename-key", "a.ini", name="new one") == TWO.replace("[a]", "[new one]")
    assert after(TWO, "b.w", "rename-key", "a.ini", name="v") == TWO.replace("w=4", "v=4")


def test_raw_text_goes_into_the_place_of_a_value_and_no_further() -> None:
    assert edit(TWO, Replace(Key("b.w"), "5"), path="a.ini").text == TWO.replace("w=4", "w=5")
    assert edit(TWO, Replace(Key("b.w"), "5\nv = 6"), path="a.ini").error is not None


def test_new_lines_get_the_endings_of_the_file() -> None:
    text = TWO.replace("\n", "\r\n")
    result = edit(text, [Act(Key("b"), "add-key", name="q", value="\na\nb")], path="a.ini")
    assert result.text == text + "q=\r\n    a\r\n    b\r\n"


@pytest.mark.sweep
def test_hundreds_of_thousands_of_brackets_and_lines_end_in_an_answer() -> None:
    for text in ("[" * 300_000, "[" + "]" * 300_000, "[a]\n" + "x" * 300_000, "\\\n" * 10_000, "[a]\n" * 10_000):
        for path in ("a.ini", ".gitconfig", "a.service"):
            assert SYNTAX.read(Source.of_text(text, path=path)) is not None


def ini(chance: Random) -> str:
    text = chance.choice(["", "; head\n", "# head\n\n"])
    equals = chance.choice([" = ", "=", ": "])
    for section in chance.sample(["one", "two words", "three.four", "x:y"], chance.randint(1, 4)):
        text += f"[{section}]\n"
        for name in chance.sample(["a", "b.c", "d e", "f-g", "h"], chance.randint(0, 4)):
            text += chance.choice(["", "", "", "; note\n", "\n", "\n# group\n"])
            value = chance.choice(["1", "two words", "", "a#b", "x=y:z", "\n  p\n  q", "p\n\tq", "yes", '"q"'])
            text += f"{name}{equals if value[:1] not in ('', chr(10)) else equals.rstrip()}{value}\n"
        text += chance.choice(["", "\n"])
    return text.rstrip("\n") if chance.random() < 0.2 else text


def parsed(text: str) -> dict[str, dict[str, str]]:
    """What `configparser` reads."""
    parser = configparser.RawConfigParser(inline_comment_prefixes=None, default_section="\0")
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(text)
    return {name: dict(parser[name]) for name in parser.sections()}


def check(keys: Keys, proposal: Proposal | Refusal, expected: dict[str, dict[str, str]]) -> None:
    assert isinstance(proposal, Proposal), proposal
    before = keys.source.text
    changes = ChangeSet(proposal.splices)
    made = changes.apply(before)
    assert parsed(made) == expected
    assert changes.invert().apply(made) == before
    check_only_inside(before, made, changes)


@examples(25)
@given(st.randoms(use_true_random=False))
def test_after_each_operation_configparser_reads_the_asked_change(chance: Random) -> None:
    text = ini(chance)
    keys = Keys.of(SYNTAX, Source.of_text(text, path="a.cfg"))
    assert isinstance(keys, Keys)
    data = parsed(text)
    assert plain_of(keys.reading.documents[0]) == data
    items = [item for item in keys.reading.documents[0].walk() if item.path]
    item = chance.choice(items)
    name = str(item.path[-1])
    sections = [one for one in items if one.is_container]
    if item.is_container:
        match chance.choice(["add", "delete", "rename", "new"]):
            case "add":
                data[name]["new"] = "v w"
                check(keys, keys.add(item, "new", "v w", None), data)
            case "delete":
                del data[name]
                check(keys, keys.delete(item), data)
            case "rename":
                check(keys, keys.rename(item, "new"), {"new" if one == name else one: data[one] for one in data})
            case _:
                top = keys.reading.documents[0]
                check(keys, keys.add(top, "new", {"k": "v"}, None), {**data, "new": {"k": "v"}})
        return
    operate_on_entry(chance, keys, item, sections, data)


def operate_on_entry(chance: Random, keys: Keys, item: Item, sections: list[Item], data: dict[str, Any]) -> None:
    section, name = str(item.path[0]), str(item.path[1])
    match chance.choice(["set", "delete", "rename", "move"]):
        case "set":
            data[section][name] = new = chance.choice(["z", "a b", "", "\nm\nn", "p = q"])
            check(keys, keys.set_value(item, new), data)
        case "delete":
            del data[section][name]
            check(keys, keys.delete(item), data)
        case "rename":
            data[section]["new"] = data[section].pop(name)
            check(keys, keys.rename(item, "new"), data)
        case _:
            there = chance.choice(sections)
            data[str(there.path[0])]["moved"] = data[section].pop(name)
            check(keys, keys.move(item, there, "moved", None), data)


def test_a_path_with_dots_in_a_section_is_quoted() -> None:
    assert after("[a.b]\nc.d = 1\n", '"a.b"."c.d"', "set-key", "a.ini", value=2) == "[a.b]\nc.d = 2\n"
    assert parse_path('"a.b"."c.d"') == ("a.b", "c.d")


def test_entries_and_sections_are_inserted_as_they_are_written() -> None:
    text = "[a]\nb = 1\n"
    assert edit(text, Insert(Key("a.b"), "; k\nc: 2", where="before"), path="a.ini").text == "[a]\n; k\nc: 2\nb = 1\n"
    assert edit(text, Insert(Key("a"), "[c]\nd=1", where="after"), path="a.ini").text == text + "\n[c]\nd=1\n"
    assert edit(text, Insert(Key("a"), "[c]\nd=1", where="end"), path="a.ini").error is not None


@table(
    ("text", "key", "action", "said", "expected"),
    [
        ("[a]\nx = 1\n", "a.x", "set-key", {"value": 2}, "[a]\nx = 2\n"),
        ("[a]\nx = 1\n[b]\n", "a", "delete-key", {}, "[b]\n"),
        ("x = 1\ny = 2\n", "x", "delete-key", {}, "y = 2\n"),
        ("[a]\nx = 1\n", "", "add-key", {"name": "n", "value": {"y": 2}, "before": "a"}, "[n]\ny = 2\n\n[a]\nx = 1\n"),
    ],
)
def test_a_mark_at_the_head_of_a_text_is_no_part_of_the_first_line(
    text: str, key: str, action: str, said: dict[str, object], expected: str
) -> None:
    assert after(f"\ufeff{text}", key, action, "a.ini", **said) == f"\ufeff{expected}"


def test_what_is_inserted_is_read_in_the_dialect_of_the_file() -> None:
    made = edit("a=1\n", Insert(Key(""), "c: d = 3", where="end"), path=".npmrc")
    assert made.text == "a=1\nc: d = 3\n"
    assert node_at(made.text, '"c: d"', ".npmrc")[1].span.of(made.text) == "3"


@table("value", ['a "b', "C:\\path", 'x"', '"open'])
def test_git_could_not_read_a_quote_that_is_open_or_a_backslash_that_is_no_escape(value: str) -> None:
    text = "[user]\n\tname = A B\n"
    refusal = refused(text, "user.name", "set-key", ".gitconfig", value=value)
    assert refusal.kind == Kind.BAD_REQUEST
    assert missed(text.replace("A B", value) + "\n", "user.name", ".gitconfig").kind == Kind.UNPARSABLE
    assert isinstance(acted(text, "user.name", "set-key", "a.ini", value=value), str)


@table("value", ['"C:\\\\path"', 'say \\"hi\\"', "tab\\there", '"a # b"'])
def test_what_git_reads_is_written_as_it_is_sent(value: str) -> None:
    text = "[user]\n\tname = A B\n"
    assert after(text, "user.name", "set-key", ".gitconfig", value=value) == text.replace("A B", value)
