"""`act`, `move`, and edits at an address: what is typed, what it means, what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.errors import EditError
from steadyhand.plan import edit
from steadyhand.structure.action import Action, Example, Parameter
from steadyhand.structure.node import Node, Proposal
from steadyhand.surfaces.cli import options
from steadyhand.surfaces.cli.commands.edit import action_rows, read_arguments
from steadyhand.surfaces.cli.invocation import Invocation
from tests.surfaces.shell import Shell
from tests.table import table

SETTINGS = """\
{
  // what the server listens to
  "server": {"port": 8080, "host": "localhost"},
  "tags": ["a", "b"]
}
"""
TEXT = "one\ntwo\nthree\nfour\n"
TRIAL = Action(
    "trial",
    (Node,),
    "Only looks.",
    (
        Parameter("value", "value", "any value"),
        Parameter("name", "text", "a text", required=False),
        Parameter("index", "number", "a number", required=False),
        Parameter("bare", "flag", "whether", required=False),
        Parameter("to", "place", "where to", required=False),
    ),
    lambda source, node, args: Proposal(()),
    Example("four.txt", TEXT, "lines:1", {"value": 1}, TEXT),
)


@pytest.fixture
def furnished(shell: Shell) -> Shell:
    (shell.root / "settings.jsonc").write_text(SETTINGS)
    (shell.root / "four.txt").write_text(TEXT)
    return shell


def read(*words: str, more: str | None = None) -> dict[str, Any]:
    return read_arguments(Invocation(), TRIAL, words, more)


@table(
    ("words", "more"),
    [
        ((), None),
        (("value",), None),
        (("=3",), None),
        (("3=x",), None),
        (("value=1.10",), None),
        (("value=1e3",), None),
        (("value=-0",), None),
        (("value=007",), None),
        (("value=-012",), None),
        (("value:=1.10.2",), None),
        (("value:={",), None),
        (('value:={"a": 1, "a": 2}',), None),
        (("value:=NaN",), None),
        (("value=1", "value=2"), None),
        (("value=1",), '{"value": 2}'),
        ((), "[]"),
        ((), "{"),
        (("value@=/no/such/file",), None),
    ],
)
def test_words_that_are_no_arguments_or_mean_two_things_are_refused(words: tuple[str, ...], more: str | None) -> None:
    with pytest.raises(EditError) as refused:
        read(*words, more=more)
    assert refused.value.kind == "bad-request"
    assert refused.value.hint


def test_json_that_is_nested_beyond_reason_is_refused() -> None:
    with pytest.raises(EditError) as refused:
        read("value:=" + "[" * 200_000)
    assert refused.value.kind == "too-large"


@table(
    ("typed", "value"),
    [
        ("value=8080", 8080),
        ("value=-1.5", -1.5),
        ("value=true", True),
        ("value=null", None),
        ('value=["a", {"b": []}]', ["a", {"b": []}]),
        ('value="8080"', "8080"),
        ("value=nginx:1.27", "nginx:1.27"),
        ("value=1.2.3", "1.2.3"),
        ("value=2026-11-15", "2026-11-15"),
        ("value=NaN", "NaN"),
        ("value=a=b", "a=b"),
        ("value=", ""),
        ("value= x\n", " x\n"),
        ("value={oops", "{oops"),
        ("value:=3", 3),
        ('value:="3"', "3"),
    ],
)
def test_any_value_is_json_where_it_is_json_and_text_where_not(typed: str, value: object) -> None:
    found = read(typed)["value"]
    assert (found, type(found)) == (value, type(value))


@given(st.text('0123456789.eE+-[]{}"nul, a', max_size=8))
def test_a_number_is_taken_only_if_it_is_written_back_as_it_was_typed(text: str) -> None:
    try:
        found = read(f"value={text}")["value"]
    except EditError as refused:
        assert refused.kind == "bad-request"
        assert float(text) is not None
        return
    if isinstance(found, str) and found == text:
        return
    assert found == json.loads(text)
    if isinstance(found, int | float) and not isinstance(found, bool):
        assert json.dumps(found) == text


def test_the_other_kinds_are_what_their_parameters_say() -> None:
    found = read("value=x", "name=12", "index=-3", "bare=true", "to=heading:A > B")
    assert found == {"value": "x", "name": "12", "index": -3, "bare": True, "to": "heading:A > B"}
    assert read("value=x", "index=three", "bare=yes") == {"value": "x", "index": "three", "bare": "yes"}


def test_arguments_may_be_one_object_or_come_from_a_file(furnished: Shell) -> None:
    assert read("name=n", more='{"value": [1]}') == {"name": "n", "value": [1]}
    (furnished.root / "text.txt").write_bytes("\ufefföne\r\n".encode())
    assert read("value@=text.txt") == {"value": "öne\r\n"}


def test_the_sides_of_a_place_are_those_of_an_edit() -> None:
    assert options.WHERES == edit.WHERES


def test_every_action_is_reported_with_its_parameters() -> None:
    rows = dict(action_rows())
    assert rows["set-key value=VALUE"].endswith(".")
    assert "move to=ADDRESS [where=before|after|start|end]" in rows


REFUSED = [
    (("act", "settings.jsonc", "key:server.port", "set-ky", "value=1"), "bad-request"),
    (("act", "settings.jsonc", "key:server.port", "set-key"), "bad-request"),
    (("act", "settings.jsonc", "key:server.port", "set-key", "valu=1"), "bad-request"),
    (("act", "settings.jsonc", "key:server.port", "set-key", "value=1", "reason=x"), "bad-request"),
    (("act", "settings.jsonc", "key:server.port", "add-key", "name=x", "value=1"), "bad-request"),
    (("act", "settings.jsonc", "key:server.prt", "set-key", "value=1"), "no-such-target"),
    (("act", "settings.jsonc", "key:server.port", "set-key", "value=8080"), "no-change"),
    (("act", "settings.jsonc", "key:server.port", "set-key", "value=1", "--nth", "2"), "count-mismatch"),
    (("act", "settings.jsonc", "key:server.port", "set-key", "value=1", "--expected", "2"), "count-mismatch"),
    (("act", "settings.jsonc", "key:server.port", "set-key", "value=1", "--expect", "0" * 16), "stale-source"),
    (("act", "four.txt", "lines:1", "set-key", "value=1"), "bad-request"),
    (("edit", "settings.jsonc", "--at", "key:server.port", "--old", "8080", "--new", "1"), "bad-request"),
    (("edit", "settings.jsonc", "--at", "server.port", "--new", "1"), "bad-request"),
    (("edit", "settings.jsonc", "--at", "key:server.prt", "--new", "1"), "no-such-target"),
    (("edit", "settings.jsonc", "--at", "lines:3", "--new", "  {"), "breaks-syntax"),
    (("edit", "settings.jsonc", "--at", "key:tags", "--delete", "--new", ""), "bad-request"),
    (("edit", "settings.jsonc", "--at", "key:tags"), "bad-request"),
    (("edit", "settings.jsonc", "--delete"), "bad-request"),
    (("insert", "four.txt", "x", "--line", "1", "--where", "end"), "bad-request"),
    (("insert", "four.txt", "x", "--at", "lines:1", "--where", "beside"), "bad-request"),
    (("insert", "four.txt", "x", "--at", "lines:1", "--line", "2"), "bad-request"),
    (("delete", "four.txt", "--at", "lines:9"), "out-of-bounds"),
    (("move", "four.txt", "lines:1"), "bad-request"),
    (("move", "four.txt", "lines:1-3", "--to", "lines:2"), "bad-request"),
    (("move", "four.txt", "lines:9", "--to", "lines:2"), "out-of-bounds"),
    (("move", "four.txt", "lines:1", "--to", "heading"), "bad-request"),
    (("move", "four.txt", "lines:1", "--to-file", "../out.txt"), "outside-root"),
    (("apply", "--no-guard", "klingon"), "bad-request"),
]  # fmt: skip


@table(("arguments", "kind"), REFUSED)
def test_what_cannot_be_done_is_refused_and_changes_nothing(
    furnished: Shell, arguments: tuple[str, ...], kind: str
) -> None:
    error = furnished.refused(*arguments)
    assert error["kind"] == kind
    assert error["hint"]


SAID = [
    (("locate", "settings.jsonc", "key:server.prt"), "steadyhand act FILE key:server add-key name=prt value=VALUE"),
    (("act", "settings.jsonc", "key:tags[9]", "set-key", "value=1"), "steadyhand act FILE key:tags append-item"),
    (("act", "settings.jsonc", "key:server.port", "set-key"), "value=VALUE"),
    (("edit", "settings.jsonc", "--at", "lines:9", "--new", "x"), "1:5"),
    (("move", "four.txt", "lines:1"), "--to ADDRESS"),
    (("insert", "four.txt", "x", "--line", "1", "--where", "end"), "leave --where out"),
    (("act", "settings.jsonc", "key:server.port", "set-key", "value=1", "--expect", "0" * 16), "--expect "),
]


@pytest.mark.parametrize(("arguments", "words"), SAID)
def test_the_hint_can_be_typed(furnished: Shell, arguments: tuple[str, ...], words: str) -> None:
    assert words in furnished.run(*arguments).stderr.partition("hint: ")[2]


def test_a_value_is_set_and_nothing_else_is_touched(furnished: Shell) -> None:
    furnished.ok("act", "settings.jsonc", "key:server.port", "set-key", "value=9090", "--reason", "the other one")
    assert (furnished.root / "settings.jsonc").read_text() == SETTINGS.replace("8080", "9090")
    furnished.ok("undo", "--last")
    assert (furnished.root / "settings.jsonc").read_text() == SETTINGS


def test_a_dry_run_of_an_action_writes_nothing(furnished: Shell) -> None:
    assert "would edit settings.jsonc" in furnished.ok(
        "act", "settings.jsonc", "key:tags", "append-item", "value=c", "--dry-run"
    )
    assert (furnished.root / "settings.jsonc").read_text() == SETTINGS


def test_nothing_is_said_of_how_an_address_was_found(furnished: Shell) -> None:
    assert "tier" not in furnished.ok("act", "settings.jsonc", "key:server.port", "set-key", "value=1")
    record = furnished.json("log")["entries"][0]["id"]
    assert "tier" not in furnished.ok("show", record)


def test_an_address_goes_wherever_a_place_is_said(furnished: Shell) -> None:
    path = furnished.root / "settings.jsonc"
    assert "-  // what" not in furnished.ok("diff", "settings.jsonc", "--at", "key:server.port", "--new", "1")
    furnished.ok("edit", "settings.jsonc", "--at", "key:server.port", "--new", "1")
    furnished.ok("delete", "settings.jsonc", "--at", "key:server.host")
    furnished.ok("edit", "settings.jsonc", "--at", "key:tags[0]", "--delete")
    furnished.ok("insert", "settings.jsonc", "--at", "lines:1", "--where", "after", "  // all of it")
    assert path.read_text() == (
        '{\n  // all of it\n  // what the server listens to\n  "server": {"port": 1},\n  "tags": ["b"]\n}\n'
    )


def test_lines_go_to_another_place_of_the_file(furnished: Shell) -> None:
    furnished.ok("move", "four.txt", "lines:1-2", "--to", "lines:4")
    assert (furnished.root / "four.txt").read_text() == "three\nfour\none\ntwo\n"
    furnished.ok("move", "four.txt", "lines:4", "--to", "lines:1", "--where", "before")
    assert (furnished.root / "four.txt").read_text() == "two\nthree\nfour\none\n"


def test_lines_go_to_another_file_and_come_back_with_one_undo(furnished: Shell) -> None:
    before = furnished.tree()
    receipt = furnished.json("move", "four.txt", "lines:2-3", "--to-file", "new/two.txt", "--reason", "apart")[
        "receipt"
    ]
    assert (furnished.root / "four.txt").read_text() == "one\nfour\n"
    assert (furnished.root / "new/two.txt").read_text() == "two\nthree\n"
    assert sorted(file["status"] for file in receipt["files"]) == ["created", "edited"]
    furnished.ok("undo", receipt["id"])
    assert furnished.tree() == before


def test_a_move_is_a_request_of_a_plan_too(furnished: Shell) -> None:
    plan = {"files": [{"path": "four.txt", "move": {"at": "lines:1"}, "to": {"path": "one.txt"}}]}
    furnished.ok("apply", stdin=json.dumps(plan))
    assert (furnished.root / "one.txt").read_text() == "one\n"


def test_a_file_that_would_no_longer_parse_is_shown_where_it_breaks(furnished: Shell) -> None:
    answer = furnished.run("edit", "settings.jsonc", "--lines", "3", "--new", '  "server": {').stderr
    assert '    3:   "server": {' in answer
    assert "--no-guard syntax" in answer
    marked = [row for row in answer.splitlines() if row.startswith("  > ")]
    assert len(marked) == 1


def test_an_option_is_offered_only_where_it_would_help(furnished: Shell) -> None:
    """A place that refuses text which would break it is not a guard that can be left out."""
    (furnished.root / "f.py").write_text("def f():\n    return 1\n")
    result = furnished.run("edit", "f.py", "--at", "symbol.body:f", "--new", "return (")
    assert result.stderr.startswith("breaks-syntax")
    assert "--no-guard" not in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("edit", "settings.jsonc", "--lines", "3", "--new", "  {"),
        ("delete", "settings.jsonc", "--lines", "5"),
        ("insert", "settings.jsonc", "--line", "3", "{"),
        ("write", "settings.jsonc", "--overwrite", "--text", "{"),
        ("move", "settings.jsonc", "lines:5", "--to", "lines:1"),
    ],
)
def test_the_syntax_guard_is_left_out_on_request(furnished: Shell, arguments: tuple[str, ...]) -> None:
    assert furnished.kind(*arguments) == "breaks-syntax"
    furnished.ok(*arguments, "--no-guard", "syntax")


def test_a_file_that_did_not_parse_before_is_warned_about(furnished: Shell) -> None:
    (furnished.root / "broken.json").write_text('{"a": 1\n')
    result = furnished.run("edit", "broken.json", "--old", "1", "--new", "2")
    assert result.exit_code == 0
    assert "warning: broken.json did not parse before either" in result.stderr
    document = furnished.json("edit", "broken.json", "--old", "2", "--new", "3")
    assert "did not parse before" in document["receipt"]["warnings"][0]


def test_what_an_action_has_to_say_is_shown_and_is_in_the_document() -> None:
    from steadyhand.plan.planner import Outcome
    from steadyhand.session.receipt import Receipt
    from steadyhand.surfaces.cli.render import receipt_lines
    from steadyhand.surfaces.terminal import paint

    receipt = Receipt("0" * 12, (), (Outcome(0, applied=True, notes=("the last item had no comma\x1b",)),))
    assert list(paint(receipt_lines(receipt, back=None, width=80), color=False)) == [
        "  note: the last item had no comma\\x1b"
    ]
    assert receipt.to_json()["outcomes"] == [{"index": 0, "applied": True, "notes": ["the last item had no comma\x1b"]}]
