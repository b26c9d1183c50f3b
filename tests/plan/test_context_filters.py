"""What is known of the place of old text besides it: whole lines, lines above it, the end, a line, alternatives."""

from __future__ import annotations

import steadyhand as sh
from steadyhand.errors import Kind
from steadyhand.match.tier import Alternative
from steadyhand.plan.edit import Insert, Old, Replace, edit_from_json, edit_to_json
from steadyhand.plan.policy import Policy
from steadyhand.plan.preview import edit
from tests.checks import check_edit
from tests.table import table

TWICE = "def a():\n    x = 1\n    return x\n\n\ndef b():\n    x = 1\n    return x\n"


def kind_of(before: str, *edits: Replace | Insert, policy: Policy | None = None) -> Kind | None:
    result = edit(before, list(edits), policy=policy)
    assert result.ok or result.text == before
    return result.error.kind if result.error is not None else None


REFUSED = [
    ("part of a line", "old_version = 1\n", Old("version = 1\n", fit="lines"), Kind.NO_MATCH),
    ("two equal places", TWICE, Old("    x = 1\n", fit="lines"), Kind.AMBIGUOUS_MATCH),
    ("a line that neither is at", TWICE, Old("    x = 1\n", line=4, fit="lines"), Kind.AMBIGUOUS_MATCH),
    (
        "no such line above, two places",
        TWICE,
        Old("    x = 1\n", fit="lines", under=("def c():",)),
        Kind.AMBIGUOUS_MATCH,
    ),
    (
        "not under that line",
        "def a():\n    x = 1\ndef b():\n    y = 1\n",
        Old("    x = 1\n", under=("def b():",)),
        Kind.NO_MATCH,
    ),
    ("a last line without ending is another", "f\nc\nx\nf\nc", Old("f\nc\n", fit="lines"), Kind.AMBIGUOUS_MATCH),
    ("not at the end", "a\nb\nc\n", Old("b\n", fit="lines", at_end=True), Kind.NO_MATCH),
]


@table(("before", "old", "kind"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_is_known_never_makes_up_for_what_is_not(before: str, old: Old, kind: Kind) -> None:
    assert kind_of(before, Replace(old, "new\n")) is kind


def test_a_line_does_not_help_text_that_is_nowhere() -> None:
    assert kind_of(TWICE, Replace(Old("    y = 2\n", line=2, fit="lines"), "new\n")) is not None


APPLIED = [
    ("the line decides between equals", TWICE, Old("    x = 1\n", line=7, fit="lines"), 6),
    ("a wrong line is no matter where one place is", "a\nb\nc\n", Old("b\n", line=90, fit="lines"), 1),
    ("under a line", TWICE, Old("    x = 1\n", fit="lines", under=("def b():",)), 6),
    ("under a line that is only begun", TWICE, Old("    x = 1\n", fit="lines", under=("def b",)), 6),
    ("whole lines first", "foo()\n  foo()\n", Old("foo()", fit="lines-first"), 0),
    ("the end decides", "b\na\nb\n", Old("b\n", fit="lines", at_end=True), 2),
    ("blank lines after the end", "b\na\nb\n\n", Old("b\n", fit="lines", at_end=True), 2),
    (
        "a stack of lines",
        "class A:\n  def f():\n    x\nclass B:\n  def f():\n    x\n",
        Old("    x\n", under=("class B:", "def f():")),
        5,
    ),
    ("after a line at the margin", "# One\n\ntext\n\n# Two\n\ntext\n", Old("text\n", fit="lines", under=("# Two",)), 6),
]


@table(("before", "old", "row"), [row[1:] for row in APPLIED], ids=[row[0] for row in APPLIED])
def test_the_place_that_is_known_is_taken(before: str, old: Old, row: int) -> None:
    new = "new\n" if old.text.endswith("\n") else "new"
    lines = before.splitlines(keepends=True)
    check_edit(before, Replace(old, new), "".join([*lines[:row], "new\n", *lines[row + 1 :]]))


def test_part_of_a_line_is_found_where_no_whole_line_is_meant() -> None:
    assert edit("  v: 3.7\n", [Replace(Old("v: 3.7", fit="lines-first"), "v: 3.8")]).text == "  v: 3.8\n"


def test_lines_are_those_of_the_file_before_the_call() -> None:
    before = "x\n" * 3 + "a\nb\n" + "x\n" * 3
    edits = [
        Replace(Old("a\n", line=4, fit="lines"), "1\n2\n3\n4\n"),
        Replace(Old("x\n", line=7, fit="lines"), "y\n"),
    ]
    assert edit(before, edits).text == "x\nx\nx\n1\n2\n3\n4\nb\nx\ny\nx\n"


def test_a_line_moves_by_as_much_as_the_place_before_was_off() -> None:
    before = "new\nnew\n" + "a\nx\nx\nx\n"
    edits = [Replace(Old("a\n", line=1, fit="lines"), "A\n"), Replace(Old("x\n", line=3, fit="lines"), "y\n")]
    assert edit(before, edits).text == "new\nnew\nA\nx\ny\nx\n"


def test_only_lines_that_change_are_written_so_that_contexts_may_overlap() -> None:
    before = "1\n2\n3\n4\n5\n"
    edits = [
        Replace(Old("1\n2\n3\n", fit="lines"), "1\ntwo\n3\n"),
        Replace(Old("3\n4\n5\n", fit="lines"), "3\nfour\n5\n"),
    ]
    result = edit(before, edits)
    assert result.text == "1\ntwo\n3\nfour\n5\n"
    assert [(splice.old, splice.new) for splice in result.changes.splices] == [("2\n", "two\n"), ("4\n", "four\n")]


def test_an_edit_may_quote_what_an_earlier_one_wrote_but_not_change_it() -> None:
    before = "1\n2\n3\n"
    first = Replace(Old("1\n", fit="lines"), "one\n")
    assert edit(before, [first, Replace(Old("one\n2\n", fit="lines"), "one\ntwo\n")]).text == "one\ntwo\n3\n"
    assert kind_of(before, first, Replace(Old("one\n", fit="lines"), "uno\n")) is Kind.OVERLAPPING_EDITS


def test_line_endings_of_the_file_are_kept_around_and_given_to_new_lines() -> None:
    result = edit("a\r\nb\r\nc\r\n", [Replace(Old("a\nb\nc\n", fit="lines"), "a\nB\nnew\nc\n")])
    assert result.text == "a\r\nB\r\nnew\r\nc\r\n"


def test_lines_that_quote_their_endings_may_change_them() -> None:
    before = "a\r\nb\r\nc\r\n"
    result = edit(before, [Replace(Old("a\r\nb\r\nc\r\n", fit="lines"), "a\r\nb\nc\r\n")])
    assert result.text == "a\r\nb\nc\r\n"


def test_a_blank_line_at_the_end_is_one_place() -> None:
    old = Old("\n", line=1, fit="lines", at_end=True)
    assert edit("\n", [Replace(old, "x\n")]).text == "x\n"


@table(
    ("before", "after"),
    [("", "x\n"), ("a\n", "a\nx\n"), ("a", "a\nx\n"), ("a\r\n", "a\r\nx\r\n")],
)
def test_the_place_behind_the_last_line_takes_whole_lines(before: str, after: str) -> None:
    assert edit(before, [Insert(Old("", at_end=True), "x\n")]).text == after


def test_another_reading_is_asked_where_the_first_is_nowhere() -> None:
    alternative = Alternative("a\n", "b\n", "trailing blank lines")
    result = edit(
        "a\nz\n",
        [Replace(Old("a\n\n", fit="lines"), "b\n\n", alternatives=(alternative,))],
        policy=Policy(tier="exact"),
    )
    assert result.text == "b\nz\n"
    assert result.outcomes[0].tier == "exact"
    assert result.outcomes[0].differs == ("trailing blank lines",)


def test_another_reading_is_not_asked_where_the_first_occurs_twice() -> None:
    alternative = Alternative("a\nb\n", "c\n", "more")
    assert (
        kind_of("a\nb\na\n", Replace(Old("a\n", fit="lines"), "c\n", alternatives=(alternative,)))
        is Kind.AMBIGUOUS_MATCH
    )


@table(
    "old",
    [Old("a"), Old("a", line=3), Old("a", fit="lines"), Old("a", under=("x", "y")), Old("", at_end=True)],
)
def test_what_is_known_goes_through_json(old: Old) -> None:
    wanted = Replace(old, "b")
    assert edit_from_json(edit_to_json(wanted)) == wanted


@table(
    ("value", "field"),
    [
        ({"text": 1}, "target.old.text"),
        ({"line": 3}, "target.old.text"),
        ({"text": "a", "line": "3"}, "target.old.line"),
        ({"text": "a", "fit": "loose"}, "old.fit"),
        ({"text": "a", "under": "x"}, "target.old.under"),
        ({"text": "a", "at_end": 1}, "target.old.at_end"),
        ({"text": "a", "nope": 1}, "target.old.nope"),
    ],
)
def test_wrong_json_is_named(value: dict[str, object], field: str) -> None:
    result = edit("a", [{"target": {"old": value}, "new": "b"}])
    assert result.error is not None
    assert result.error.kind is Kind.BAD_REQUEST
    assert str(result.error.details["path"]).endswith(field)


def test_a_repaired_line_without_its_indentation_brings_its_lines_to_it() -> None:
    result = edit("if x:\n    foo(1)\n    baz(3)\n", [Replace("12| foo(1)", "12| foo(1)\n13| bar(2)")])
    assert result.text == "if x:\n    foo(1)\n    bar(2)\n    baz(3)\n"


def test_whole_lines_that_are_part_of_one_are_shown_and_not_offered_again() -> None:
    error = edit("x = 1\n    data = get(url, 10)\n", [Replace(Old("get(url, 10)\n", fit="lines"), "put()\n")]).error
    assert error is not None
    assert error.kind is Kind.NO_MATCH
    assert "corrected" not in error.details
    assert "line 2" in str(error.hint)


@table(("new", "rest"), [("", ""), ("\n  }\n", "\n  }\n")])
def test_lines_that_go_take_the_indentation_along_that_was_not_quoted(new: str, rest: str) -> None:
    before = "  a {\n    color: x;\n  }\n  b {\n"
    result = edit(before, [Replace(Old("color: x;\n  }\n", fit="lines-first"), new)], path="a.css")
    assert result.text == f"  a {{\n{rest}  b {{\n"


def test_a_blank_line_in_the_place_of_one_without_its_indentation_has_none() -> None:
    before = "    binary_type = bytes\n\n    MAXSIZE = 3\n"
    old = Old("binary_type = bytes\n\n    MAXSIZE = 3", fit="lines-first")
    after = "\n    binary_type = bytes\n    MAXSIZE = 3\n"
    assert edit(before, [Replace(old, after.removesuffix("\n"))], path="a.py").text == after


def test_a_blank_line_that_is_to_go_must_be_there() -> None:
    before = "alpha one two three\nbeta four five\n // x\ngamma six seven\ndelta eight\n"
    old = "alpha one two three\nbeta four five\n\ngamma six seven\ndelta eight\n"
    new = old.replace("\n\n", "\nnew line here\n")
    assert kind_of(before, Replace(Old(old, fit="lines"), new)) is not None
    assert kind_of(before, Replace(old, new)) is not None


def test_lines_that_hold_the_line_they_are_said_to_be_under_are_found() -> None:
    before = "\ndef f():\n    a = 1\n    b = 2\n"
    old = Old("\ndef f():\n    a = 1\n    b = 2\n", fit="lines", under=("def f():",))
    assert edit(before, [Replace(old, "# extra\ndef f(x):\n    a = 1\n    b = 2\n")]).text.startswith(
        "# extra\ndef f(x)"
    )


ADDED = "import collections.abc as abc_of_collections\n"


@table("before", [f"import os\n{ADDED}x = 1\n", f"{ADDED}import os\nx = 1\n"])
@table("ending", ["", "\n"])
def test_lines_that_are_right_there_already_are_not_added_again(before: str, ending: str) -> None:
    new = before.removesuffix("x = 1\n").removesuffix("\n") + ending
    edits = Replace(Old(f"import os{ending}", fit="lines-first"), new)
    assert kind_of(before, edits) is Kind.ALREADY_APPLIED
    assert edit(before, [Replace(f"import os{ending}", new)]).ok, "text that is not lines is taken by its word"


def test_a_line_that_is_quoted_may_be_repeated() -> None:
    before = f"import os\n{ADDED}x = 1\n"
    quoted = Old(f"import os\n{ADDED}", fit="lines")
    assert edit(before, [Replace(quoted, f"import os\n{ADDED}{ADDED}")]).text.count(ADDED) == 2


@table(("new", "after"), [("A\n", "A\n"), ("", ""), ("x\na\n", "x\na\n")])
def test_a_mark_before_the_first_line_of_a_text_is_no_part_of_the_line(new: str, after: str) -> None:
    result = edit("\ufeffa\nb\n", [Replace(Old("a\n", fit="lines"), new)])
    assert result.text == f"\ufeff{after}b\n"


def test_a_part_below_that_is_in_the_file_once_tells_how_far_the_lines_are_off() -> None:
    rows = ["head", "use: a", "", "run: one", "tail", "use: a", "", "run: two", "end"]
    before = "".join(f"{row}\n" for row in rows)
    hunks = "@@ -4,1 +4,1 @@\n-use: a\n+use: b\n@@ -6,1 +6,1 @@\n-run: two\n+run: three\n"
    result = sh.patch(before, f"--- a/f\n+++ b/f\n{hunks}", path="f")
    assert result.text.split("\n")[4:8] == ["tail", "use: b", "", "run: three"]
    other = sh.patch(before, f"--- a/f\n+++ b/f\n{hunks.replace('-4,1', '-1,1')}", path="f")
    assert other.error is not None
