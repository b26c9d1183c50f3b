"""Edits by address in the planner: which place is meant, several edits of one call, actions, and what is reported."""

from __future__ import annotations

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.plan.edit import Act, Delete, Edit, Insert, Replace, edit_from_json, edit_to_json
from steadyhand.plan.policy import Policy
from steadyhand.plan.preview import edit, plan_write
from steadyhand.structure.code.symbol import Symbol
from steadyhand.structure.config.key import Key
from steadyhand.structure.html.element import Selector
from steadyhand.structure.lines import Lines
from steadyhand.structure.markdown.heading import Heading
from steadyhand.structure.outline import outline
from steadyhand.structure.target import parse_address, render_address, targets
from steadyhand.text.source import Source
from tests.checks import check_edit, check_refused
from tests.table import table

TEXT = '{\n  "name": "x", // it\n  "deps": {"a": 1},\n  "list": [1, 2]\n}\n'
TWICE = '{"a": 1, "b": {"c": 2}, "a": 3}\n'
PATH = "a.json"


@table(
    ("change", "kind"),
    [
        (Replace(Key("nowhere"), "1"), Kind.NO_SUCH_TARGET),
        (Replace(Key("name"), '"x"'), Kind.NO_CHANGE),
        (Replace(Key("name"), '"y"', expected=2), Kind.COUNT_MISMATCH),
        (Replace(Key("name"), '"y"', occurrence=2), Kind.COUNT_MISMATCH),
        (Act(Key("name"), "add-key", name="b", value=1), Kind.BAD_REQUEST),
        (Act(Key("deps"), "add-key", name="a", value=1), Kind.EXISTS_ALREADY),
        (Act(Lines(2), "set-key", value=1), Kind.BAD_REQUEST),
        (Act(Lines(2, 3), "move", to="lines:3-3"), Kind.BAD_REQUEST),
        (Act(Lines(2), "move", to="lines:1-1"), Kind.NO_CHANGE),
        (Act(Lines(2), "move", to="lines:99-99"), Kind.OUT_OF_BOUNDS),
        (Act(Lines(2), "move", to="somewhere"), Kind.BAD_REQUEST),
        (Act(Lines(2), "move", to="key:nowhere"), Kind.NO_SUCH_TARGET),
        (Delete(Key("list[7]")), Kind.NO_SUCH_TARGET),
    ],
)
def test_what_cannot_be_done_at_an_address_is_refused_and_changes_nothing(change: object, kind: Kind) -> None:
    check_refused(TEXT, change, kind, path=PATH)  # type: ignore[arg-type]


def test_one_of_several_places_is_never_taken_unless_the_edit_says_which() -> None:
    error = check_refused(TWICE, Replace(Key("a"), "9"), Kind.AMBIGUOUS_MATCH, path=PATH)
    assert [place["address"] for place in error.details["places"]] == ["key[1]:a", "key[2]:a"]  # type: ignore[index,attr-defined]
    check_refused(TWICE, Replace(Key("a"), "9"), Kind.AMBIGUOUS_MATCH, path=PATH, occurrence="first")
    check_edit(TWICE, Replace(Key("a", nth=2), "9"), TWICE.replace("3", "9"), path=PATH)
    check_edit(TWICE, Replace(Key("a"), "9", occurrence=1), TWICE.replace("1", "9"), path=PATH)
    check_edit(TWICE, Replace(Key("a"), "9", occurrence="last"), TWICE.replace("3", "9"), path=PATH)


def test_all_places_of_an_address_change_together() -> None:
    after = TWICE.replace("1", "9").replace("3", "9")
    check_edit(TWICE, Replace(Key("a"), "9", occurrence="all"), after, path=PATH)
    check_edit(TWICE, Act(Key("a"), "set-key", value=9, expected=2), after, path=PATH)
    check_refused(TWICE, Act(Key("a"), "set-key", value=9, expected=3), Kind.COUNT_MISMATCH, path=PATH)


def test_each_edit_of_a_call_sees_what_those_before_it_left() -> None:
    edits = [
        Act(Key("deps.a"), "rename-key", name="z"),
        Act(Key("deps"), "add-key", name="b", value=2),
        Act(Key("deps"), "add-key", name="c", value=[None, True]),
        Act(Key("list"), "append-item", value="three"),
        Act(Key("name"), "rename-key", name="title"),
        Replace(Key("title"), '"y"'),
    ]
    after = '{\n  "title": "y", // it\n  "deps": {"z": 1, "b": 2, "c": [null, true]},\n  "list": [1, 2, "three"]\n}\n'
    check_edit(TEXT, edits, after, path=PATH)


def test_edits_of_a_snapshot_see_the_file_as_it_was() -> None:
    edits = [Replace(Key("name"), '"y"'), Replace(Key("deps.a"), "5"), Replace('"list"', '"items"')]
    after = TEXT.replace('"x"', '"y"').replace('"a": 1', '"a": 5').replace("list", "items")
    check_edit(TEXT, edits, after, path=PATH, batch="snapshot")


def test_what_an_earlier_edit_of_the_call_wrote_is_not_written_over() -> None:
    check_refused(TEXT, [Replace(Key("name"), '"y"'), Replace(Key("name"), '"z"')], Kind.OVERLAPPING_EDITS, path=PATH)


def test_an_address_and_old_text_go_together_in_one_call() -> None:
    after = TEXT.replace("it", "he").replace('  "deps": {"a": 1},\n', "")
    check_edit(TEXT, [Replace("// it", "// he"), Delete(Key("deps"))], after, path=PATH)


def test_new_lines_take_the_endings_of_the_file() -> None:
    crlf = TEXT.replace("\n", "\r\n")
    after = crlf.replace("[1, 2]\r\n", '[1, 2],\r\n  "more": true\r\n')
    check_edit(crlf, Act(Key(""), "add-key", name="more", value=True), after, path=PATH)


def test_lines_move_as_they_are() -> None:
    check_edit("a\nb\nc\n", Act(Lines(1), "move", to="lines:3-3"), "b\nc\na\n")
    check_edit("a\nb\nc\n", Act(Lines(3), "move", to={"lines": [1, 1]}, where="before"), "c\na\nb\n")
    check_edit("a\r\nb\nc\n", Act(Lines(1), "move", to="lines:3-3"), "b\nc\na\r\n")


def test_the_last_line_moves_with_or_without_its_ending() -> None:
    assert edit("a\nb", Act(Lines(2), "move", to="lines:1-1", where="before")).text == "b\na\n"
    assert edit("a\nb", Act(Lines(1), "move", to="lines:2-2")).text == "b\na\n"


@table(
    ("value", "field"),
    [
        ({"target": {"key": "a"}, "act": "fly"}, "act"),
        ({"target": {"key": "a"}, "act": "set-key"}, "args.value"),
        ({"target": {"key": "a"}, "act": "set-key", "args": {"value": 1, "colour": 2}}, "args.colour"),
        ({"target": {"key": "a"}, "act": "set-key", "args": [1]}, "args"),
        ({"target": {"key": "a"}, "act": "set-key", "args": {"value": 1, "reason": "x"}}, "args.reason"),
        ({"target": "a", "act": "set-key", "args": {"value": 1}}, "target"),
        ({"target": {"key": "a"}, "act": "set-key", "args": {"value": 1}, "new": "x"}, ""),
        ({"target": {"key": "a"}, "new": "x", "args": {}}, "args"),
        ({"target": {"key": "a", "lines": [1, 1]}, "new": "x"}, "target"),
        ({"target": {"at": "nothing of the kind"}, "new": "x"}, "target.at"),
        ({"target": {"at": "kye:a"}, "new": "x"}, "target.at"),
        ({"target": {"at": 3}, "new": "x"}, "target.at"),
        ({"target": {"key": {"path": "a", "nth": 0}}, "new": "x"}, "target.key.nth"),
        ({"target": {"key": {"path": "a", "nth": "2"}}, "new": "x"}, "target.key.nth"),
        ({"target": {"key": {"path": "a", "part": "tail"}}, "new": "x"}, "target.key.part"),
        ({"target": {"key": {"nth": 2}}, "new": "x"}, "target.key.path"),
        ({"target": {"key": {"path": "a", "where": 1}}, "new": "x"}, "target.key.where"),
    ],
)
def test_what_is_no_edit_by_address_is_refused_and_the_field_named(value: object, field: str) -> None:
    with pytest.raises(EditError) as caught:
        edit_from_json(value)
    assert caught.value.kind == Kind.BAD_REQUEST
    assert caught.value.details["path"] == field


@table("address", [address for kind in targets().values() for address in kind.examples])
def test_every_example_of_an_address_is_read_and_written_back(address: str) -> None:
    target = parse_address(address)
    assert render_address(target) == address
    assert edit_from_json({"target": {"at": address}, "delete": True}) == Delete(target)
    assert edit_from_json(edit_to_json(Delete(target))) == Delete(target)


def test_every_kind_of_address_has_an_example() -> None:
    assert [key for key, kind in targets().items() if not kind.examples] == []


def test_an_action_keeps_its_json_form() -> None:
    act = Act(Key("a.b", nth=2), "add-key", name="c", value={"x": [1, None]}, reason="why", occurrence="all")
    assert edit_from_json(edit_to_json(act)) == act
    assert edit_to_json(act)["args"] == {"name": "c", "value": {"x": [1, None]}}


def test_a_file_that_parses_has_to_parse_after() -> None:
    error = check_refused(TEXT, Replace('"x",', '"x"'), Kind.BREAKS_SYNTAX, path=PATH)
    assert error.details["line"] == 3
    assert error.details["guard"] == "syntax"
    check_edit(TEXT, Replace('"x",', '"x"'), TEXT.replace('"x",', '"x"'), path=PATH, guards=frozenset({"limits"}))
    check_edit(TEXT, Replace('"x",', '"x"'), TEXT.replace('"x",', '"x"'), path="a.txt")


def test_a_file_that_did_not_parse_before_is_only_warned_about() -> None:
    result = edit("{broken: \n", Replace("broken", "still"), path=PATH)
    assert result.ok
    assert result.text == "{still: \n"
    assert len(result.warnings) == 1
    assert "did not parse before" in result.warnings[0]


def test_an_edit_that_repairs_a_broken_file_is_not_warned_about() -> None:
    result = edit('{"a" 1}', Replace('"a" 1', '"a": 1'), path=PATH)
    assert result.ok
    assert result.warnings == ()


def test_a_new_file_that_does_not_parse_is_only_warned_about() -> None:
    assert len(plan_write(None, "{", path=PATH).warnings) == 1
    assert plan_write(None, "{}", path=PATH).warnings == ()


def test_a_whole_new_text_that_does_not_parse_is_refused_where_the_old_one_did() -> None:
    planned = plan_write(Source.of_text("{}", path=PATH), "{", path=PATH)
    assert planned.refusal is not None
    assert planned.refusal.kind == Kind.BREAKS_SYNTAX
    allowed = plan_write(Source.of_text("{}", path=PATH), "{", path=PATH, policy=Policy(guards=frozenset()))
    assert allowed.ok


def test_insertions_go_beside_an_entry_and_inside_a_container() -> None:
    check_edit('{"a": [1]}', Insert(Key("a"), "2", where="end"), '{"a": [1, 2]}', path=PATH)
    check_edit('{"a": [1]}', Insert(Key("a"), '"b": 2', where="before"), '{"b": 2, "a": [1]}', path=PATH)


def test_an_action_on_all_places_keeps_the_order_of_what_meets_at_one_offset() -> None:
    wrap = Act(Selector("b"), "wrap", value="<i></i>", occurrence="all")
    check_edit("<p><b>1</b><b>2</b></p>", wrap, "<p><i><b>1</b></i><i><b>2</b></i></p>", path="a.html")


def test_what_lies_inside_of_what_goes_away_goes_with_it() -> None:
    remove = Act(Selector("div"), "remove", occurrence="all")
    check_edit("<p>x</p><div><div>1</div>a<div>2</div></div><div>3</div>", remove, "<p>x</p>", path="a.html")
    text = Act(Selector("div"), "set-text", value="x", occurrence="all")
    check_refused("<p>x</p><div><div>1</div></div>", text, Kind.OVERLAPPING_EDITS, path="a.html")


def test_changes_that_are_right_singly_are_proved_together() -> None:
    page = "<h1>a</h1><h2>b</h2><script>c</script>"
    check_refused(page, Act(Selector("h1, h2"), "remove", occurrence="all"), Kind.UNPARSABLE, path="a.html")


ADD_Z = Act(Key(""), "add-key", name="z", value=1)


@table(
    ("text", "path", "edits"),
    [
        ('{"a": 1}', "a.json", [ADD_Z, Act(Key(""), "add-key", name="z", value=2)]),
        ('{"a": 1, "b": {}}', "a.json", [Act(Key("a"), "rename-key", name="z"), ADD_Z]),
        ("a.b = 1\na.c = 2\n", "a.toml", [Delete(Key("a.b")), Delete(Key("a.c"))]),
        ("<h1>a</h1><h2>b</h2><script>c</script>", "a.html", [Delete(Selector("h1")), Delete(Selector("h2"))]),
    ],
)
def test_edits_of_a_snapshot_that_are_right_only_singly_are_refused(text: str, path: str, edits: list[Edit]) -> None:
    for one in edits:
        assert edit(text, one, path=path).ok
    check_refused(text, edits, Kind.OVERLAPPING_EDITS, path=path, batch="snapshot")


def test_two_places_that_both_take_the_gap_between_them_go_together() -> None:
    text = "# A\n\n## N\n\nx\n\n## N\n\ny\n"
    # Each section is right about its own gap; that the one above both ends the file then, nobody knows.
    check_edit(text, Delete(Heading("N"), occurrence="all"), "# A\n\n", path="a.md")


def test_classes_join_elements_whatever_their_quotes_all_at_once() -> None:
    add = Act(Selector("i"), "add-class", value="q", occurrence="all")
    after = '<i class="a q">a</i><i class="q">b</i>'
    check_edit("<i class=a>a</i><i>b</i>", add, after, path="a.html")


def test_a_value_that_is_there_already_keeps_the_entities_it_is_written_with() -> None:
    link = '<a href="?a=1&amp;b=2">k</a>'
    check_refused(
        link, Act(Selector("a"), "set-attribute", attr="href", value="?a=1&b=2"), Kind.NO_CHANGE, path="a.html"
    )
    template = '<a href="{{ a }}">k</a>'
    act = Act(Selector("a"), "set-attribute", attr="href", value="{{ b }}")
    check_edit(template, act, template.replace("{{ a }}", "{{ b }}"), path="a.html")


def test_a_prototype_is_not_in_the_way_of_the_body_of_its_definition() -> None:
    code = "int f(int);\n\nint f(int a)\n{\n    return a;\n}\n"
    after = code.replace("return a;", "return 2;")
    check_edit(code, Replace(Symbol("f", part="body"), "return 2;"), after, path="a.c")
    check_edit(code, Replace(Symbol("f", part="body", nth=2), "return 2;"), after, path="a.c")
    check_refused(code, Replace(Symbol("f", part="body", nth=1), "return 2;"), Kind.NO_SUCH_TARGET, path="a.c")
    check_refused(code, Replace(Symbol("f"), "int f(void);"), Kind.AMBIGUOUS_MATCH, path="a.c")


@table(
    ("text", "old", "new", "path"),
    [("[a]\nb=1\n", "[a]", "[a", "a.ini"), ("A=1\nB='x'\n", "'x'", "'x", ".env.example")],
)
def test_ini_and_env_files_have_to_parse_after_too(text: str, old: str, new: str, path: str) -> None:
    check_refused(text, Replace(old, new), Kind.BREAKS_SYNTAX, path=path)


def test_a_conf_file_may_be_in_a_language_of_its_own() -> None:
    result = check_edit("[a]\nb=1\n", Replace("[a]", "[a"), "[a\nb=1\n", path="a.conf")
    assert result.warnings == ()


def test_an_outline_says_where_it_may_have_gaps() -> None:
    broken = outline("def f(:\n    pass\n\n\ndef g():\n    pass\n", path="a.py")
    assert [entry.address for entry in broken.entries] == ["symbol:g"]
    assert broken.gap is not None
    assert broken.gap.line == 1
    assert outline("def g():\n    pass\n", path="a.py").gap is None
