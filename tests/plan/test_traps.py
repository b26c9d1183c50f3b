"""The traps that other editors fall into, each with the very text it must give.

Every row of the list of traps that can be asked of the pure planner is here; the others live where they belong:

    two sections for one file, a header with only added lines, a blank line after a header,
    text after an end-of-file mark, an unknown header            with the dialects that read such patches
    mode bits, hard renames, readers that see half a file        tests/session, tests/workspace, tests/faults
    a last line without ending that gets a line after it         tests/plan/test_line_edits.py
    a thousand lines and an absent needle, in bounded work       tests/hostile/test_matching_cost.py
"""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.plan.edit import Delete, Edit, Replace
from steadyhand.plan.policy import Policy
from steadyhand.plan.preview import edit
from tests.checks import check_edit, check_refused
from tests.table import table

NEVER: list[tuple[str, str, Edit, set[str]]] = [
    ("the exact tier decides, and stops", "foo()\n  foo()\n", Replace("foo()", "bar()"), {"ambiguous-match"}),
    ("three equal words", "foo bar foo baz foo\n", Replace("foo", "x"), {"ambiguous-match"}),
    ("three equal lines", "foo\nbar\nfoo\nbaz\nfoo\n", Replace("foo\n", "x\n"), {"ambiguous-match"}),
    ("a word inside a word", "foobar", Replace(" foo ", "baz"), {"no-match"}),
    (
        "blanks inside a literal",
        'print("a  b")\n',
        Replace('print("a b")', 'print("c")'),
        {"no-match", "drift-conflict"},
    ),
    ("blanks inside a literal, in part of a line", 'say("a  b")', Replace('"a b"', '"c"'), {"no-match"}),
    ("two words are not two lines", "a b\n\nc", Replace("a\nb", "x"), {"no-match"}),
    ("two lines are not two words", "a\nb\n\nc", Replace("a b", "x"), {"no-match"}),
    (
        "one line nearly right and the others unrelated",
        "alpha = compute(1)\nbeta = load(path)\ngamma = store(name)\n",
        Replace("alpha = compute(2)\nwhile pending:\n    poll_again()\n", "alpha = compute(3)\n"),
        {"no-match"},
    ),
    (
        "the same body under another name",
        "def one():\n    value = 1\n    return value\n\n\ndef two():\n    value = 1\n    return value\n",
        Replace("def nosuch():\n    value = 1\n    return value\n", "def nosuch():\n    return 2\n"),
        {"no-match", "ambiguous-match", "drift-conflict"},
    ),
    ("old and new the same", "a\nb\n", Replace("a", "a"), {"no-change"}),
    ("nothing quoted", "a\nb\n", Replace("", "x"), {"bad-request"}),
    ("a needle of blanks", "a  b\n\n   \n", Replace("    ", "x"), {"no-match"}),
    ("a needle of line ends", "a\nb\n", Replace("\n\n\n", "x"), {"no-match"}),
]


@table(("name", "before", "change", "kinds"), NEVER, ids=[name for name, *_ in NEVER])
@table("path", [None, "a.py", "a.md"])
def test_what_is_not_certain_is_refused(
    name: str, before: str, change: Edit, kinds: set[str], path: str | None
) -> None:
    error = edit(before, change, path=path).error
    assert error is not None, name
    assert error.kind in kinds
    check_refused(before, change, error.kind, path=path)


CLASS = "class A:\n    def f(self):\n        if self.on:\n            return 1\n        return 0\n"
NEAR_TWICE = """\
def load_users(path):
    data = read_file(path)
    rows = parse_rows(data, strict=True)
    check_rows(rows)
    return rows


def load_groups(path):
    data = read_file(path)
    rows = parse_rows(data, strict=False)
    check_rows(rows)
    return rows
"""
THIRD = """\
def load_roles(path):
    data = read_file(path)
    rows = parse_rows(data, strict=maybe)
    check_rows(rows)
    return rows
"""


@table("occurrence", ["unique", "all", "first", "last", 2])
def test_of_two_different_near_places_none_is_taken_and_never_both(occurrence: object) -> None:
    new = THIRD.replace("return rows", "return list(rows)")
    result = edit(NEAR_TWICE, Replace(THIRD, new, occurrence=occurrence))  # type: ignore[arg-type]
    assert not result.ok
    assert result.text == NEAR_TWICE


def test_a_near_place_is_never_taken_for_all() -> None:
    before = NEAR_TWICE[: NEAR_TWICE.index("\n\n\n") + 1]
    old = before.replace("check_rows", "verify_rows")
    new = old.replace("return rows", "return list(rows)")
    assert not edit(before, Replace(old, new, occurrence="all")).ok


@table("policy", [Policy(), Policy(batch="snapshot")])
def test_a_good_edit_beside_a_bad_one_changes_nothing(policy: Policy) -> None:
    result = edit("a = 1\nb = 2\n", [Replace("a = 1", "a = 3"), Replace("zebra", "y")], policy=policy)
    assert not result.ok
    assert result.text == "a = 1\nb = 2\n"
    assert [outcome.skipped for outcome in result.outcomes] == ["held-back", None]


def test_several_places_are_reported_with_their_tier() -> None:
    error = check_refused("foo()\n  foo()\n", Replace("foo()", "bar()"), Kind.AMBIGUOUS_MATCH)
    assert (error.details["tier"], error.details["total"]) == ("exact", 2)
    two = "def a():\n    return value  \n\ndef b():\n    return value\t\n"
    error = check_refused(two, Replace("\treturn value\n", "\treturn other\n"), Kind.AMBIGUOUS_MATCH)
    assert (error.details["tier"], error.details["total"]) == ("whitespace", 2)


LITERAL: list[tuple[str, str, Edit, str]] = [
    ("marks of a pattern language", "a b a", Replace("a", "$&$$", occurrence="all"), "$&$$ b $&$$"),
    ("a group that does not exist", "x = 1\n", Replace("1", "$!1"), "x = $!1\n"),
    ("backslash and digit", "x = 1\n", Replace("1", r"\1\g<0>"), "x = \\1\\g<0>\n"),
    ("blanks at the end of the new text", "x", Replace("x", "hello  "), "hello  "),
    ("an escape in an inserted line", "a\nb\n", Replace("a\n", "a\n# \\t is a tab\n"), "a\n# \\t is a tab\nb\n"),
    (
        "an escape in a line inserted by a tolerant edit",
        "if x:\n    a()  \n    b()\n",
        Replace("  a()\n  b()\n", '  a()\n  say("\\t\\n")  # \\t is a tab\n  b()\n'),
        'if x:\n    a()  \n    say("\\t\\n")  # \\t is a tab\n    b()\n',
    ),
    ("everything goes", "a\nb\n", Delete("a\nb\n"), ""),
    ("everything is replaced by nothing", "a\nb\n", Replace("a\nb\n", ""), ""),
    ("one of several edits with empty text deletes", "a\nb\n", Replace("a\n", ""), "b\n"),
    ("a last line gets its ending from the edit", "a\nb", Replace("b", "b\nc\n"), "a\nb\nc\n"),
    ("a line keeps its own ending", "a\r\nb\nc\n", Replace("b", "B"), "a\r\nB\nc\n"),
    ("a line keeps its CR LF", "a\nb\r\nc\n", Replace("b", "B"), "a\nB\r\nc\n"),
    ("CR LF everywhere", "a\r\nb\r\nc\r\n", Replace("b\n", "B\nB2\n"), "a\r\nB\r\nB2\r\nc\r\n"),
    ("odd line separators elsewhere", "a\x0cb\u2028c\x85\nx\n", Replace("x", "y"), "a\x0cb\u2028c\x85\ny\n"),
    (
        "odd line separators elsewhere, tolerant",
        "a\x0cb\u2028c\x85\n  x = 1  \n  y = 2\n",
        Replace("x = 1\ny = 2\n", "x = 1\ny = 3\n"),
        "a\x0cb\u2028c\x85\n  x = 1  \n  y = 3\n",
    ),
]


@table(("name", "before", "change", "after"), LITERAL, ids=[name for name, *_ in LITERAL])
def test_new_text_is_literal_and_the_rest_stays(name: str, before: str, change: Edit, after: str) -> None:
    check_edit(before, change, after)


# before, edit, after, the tiers that may have found it
SEEN_THROUGH: list[tuple[str, str, Edit, str, set[str]]] = [
    ("a deeper quote", "  foo\nx\n", Replace("    foo", "bar"), "  bar\nx\n", {"whitespace"}),
    (
        "a statement quoted at column 0",
        "def f():\n    if x:\n        y",
        Replace("if x:\n    y", "if x:\n    z"),
        "def f():\n    if x:\n        z",
        {"whitespace"},
    ),
    (
        "a statement quoted at column 0, more lines",
        "def f():\n    if x:\n        y\n    return 1\n",
        Replace("if x:\n    y\n", "if x:\n    y\n    z\nelse:\n    w\n"),
        "def f():\n    if x:\n        y\n        z\n    else:\n        w\n    return 1\n",
        {"whitespace"},
    ),
    (
        "new text whose first line is the deepest",
        "def f():\n    if x:\n        y\n    z\n",
        Replace("if x:\n    y\nz\n", "    y\nz\n"),
        "def f():\n        y\n    z\n",
        {"whitespace"},
    ),
    (
        "lines of which the first is the deepest",
        "def f():\n    if x:\n        y\n    z\n",
        Replace("  y\nz\n", "  y(2)\nz(3)\n"),
        "def f():\n    if x:\n        y(2)\n    z(3)\n",
        {"whitespace"},
    ),
    (
        "four levels",
        CLASS,
        Replace(
            "def f(self):\n  if self.on:\n    return 1\n  return 0\n",
            "def f(self):\n  if self.on:\n    if self.ready:\n      return 2\n    return 1\n  return 0\n",
        ),
        CLASS.replace(
            "            return 1\n",
            "            if self.ready:\n                return 2\n            return 1\n",
        ),
        {"whitespace"},
    ),
    (
        "blanks where the file has tabs",
        "class A:\n\tdef f(self):\n\t\tpass\n",
        Replace("    def f(self):\n        pass\n", "    def f(self):\n        if x:\n            go()\n"),
        "class A:\n\tdef f(self):\n\t\tif x:\n\t\t\tgo()\n",
        {"whitespace"},
    ),
    (
        "tabs where the file has blanks",
        "class A:\n  def f(self):\n    pass\n",
        Replace("\tdef f(self):\n\t\tpass\n", "\tdef f(self):\n\t\tif x:\n\t\t\tgo()\n"),
        "class A:\n  def f(self):\n    if x:\n      go()\n",
        {"whitespace"},
    ),
    (
        "a line that changes among lines that stay",
        "  l1\n  l2\n  l3\n\nkeep\n",
        Replace("l1\nl2\nl3", "l1\nl2\nNEW"),
        "  l1\n  l2\n  NEW\n\nkeep\n",
        {"whitespace"},
    ),
    (
        "another indent, and code after it",
        "begin\n    a = 1\n    b = 2\nend\nmore\n",
        Replace("  a = 1\n  b = 2\nend\n", "  a = 1\n  b = 3\nend\n"),
        "begin\n    a = 1\n    b = 3\nend\nmore\n",
        {"whitespace"},
    ),
    (
        "typography elsewhere stays",
        "“quoted” – text…  \n  x = 1\t\n  y = 2\n",
        Replace("x = 1\ny = 2\n", "x = 1\ny = 3\n"),
        "“quoted” – text…  \n  x = 1\t\n  y = 3\n",
        {"whitespace"},
    ),
    (
        "typography in a line that stays",
        "He said “no”.  \nThe end\n",
        Replace('He said "no".\nThe end\n', 'He said "no".\nThe End\n'),
        "He said “no”.  \nThe End\n",
        {"typography"},
    ),
]


@table(("name", "before", "change", "after", "tiers"), SEEN_THROUGH, ids=[name for name, *_ in SEEN_THROUGH])
def test_a_misquoted_layout_is_seen_through_and_disclosed(
    name: str, before: str, change: Edit, after: str, tiers: set[str]
) -> None:
    (outcome,) = check_edit(before, change, after).outcomes
    assert outcome.tier in tiers
    assert outcome.differs
    assert outcome.similarity is not None
    assert outcome.similarity < 1


def test_a_newline_written_as_an_escape_is_one_in_both_texts() -> None:
    before = "x = 1\ny = 2"
    (outcome,) = check_edit(before, Replace("x = 1\\ny = 2", "x = 2\\ny = 2"), "x = 2\ny = 2").outcomes
    assert outcome.tier == "repair"
    assert outcome.differs


def test_an_escape_the_file_has_is_left_as_it_is() -> None:
    check_edit('say("a\\nb")\n', Replace('"a\\nb"', '"a\\nc"'), 'say("a\\nc")\n')


POOR = """\
def total(items):
    result = 0
    for item in items:
        result += item.price
    return result
"""
GOOD = """\
def total_price(items, tax):
    result = 0
    for item in items:
        result += item.price * tax
    return result
"""


def test_the_better_of_two_near_places_is_taken_though_it_comes_later() -> None:
    old = GOOD.replace("result = 0", "result = 0.0")
    new = old.replace("return result", "return round(result)")
    before, wanted = f"{POOR}\n\n{GOOD}", f"{POOR}\n\n{GOOD.replace('return result', 'return round(result)')}"
    (outcome,) = check_edit(before, Replace(old, new), wanted, path="a.py").outcomes
    assert outcome.tier == "fuzzy"
    assert outcome.similarity is not None
    assert 0.85 <= outcome.similarity < 1


def test_a_line_that_merely_differs_in_the_context_stays_as_the_file_has_it() -> None:
    before = "# the first of many values\nalpha = load(1)\nbeta = load(2)\ngamma = load(3)\n"
    old = "# the first of the values\nalpha = load(1)\nbeta = load(2)\ngamma = load(3)\n"
    check_edit(before, Replace(old, old.replace("(3)", "(4)")), before.replace("(3)", "(4)"), path="a.py")


def test_a_line_somebody_else_changed_is_not_overwritten() -> None:
    before = "alpha = load(1)\nbeta = load(2)\ngamma = load(timeout=30)\ndelta = load(4)\n"
    old = "alpha = load(1)\nbeta = load(2)\ngamma = load(timeout=10)\ndelta = load(4)\n"
    new = old.replace("timeout=10", "timeout=60")
    check_refused(before, Replace(old, new), "drift-conflict", path="a.py")


@table("change", [("b = 2", "b = 3"), ("b  =  2\nc = 3", "b = 3\nc = 3")])
def test_bytes_of_another_encoding_elsewhere_are_kept(change: tuple[str, str]) -> None:
    raw = b"caf\xe9 \xff\xfe\n  b = 2\n  c = 3\n"
    result = edit(raw, Replace(*change))
    assert result.ok
    assert result.text == raw.replace(b"b = 2", b"b = 3")


@table("row", range(0, 120, 7))
def test_a_line_with_one_wrong_character_is_always_shown(row: int) -> None:
    rows = [f"value_{number} = compute({number * 37 % 101}, 'item {number}')" for number in range(120)]
    old = rows[row].replace("compute", "compvte")
    error = check_refused("\n".join(rows), Replace(old, "x = 1"), _refusal_of("\n".join(rows), old))
    assert f"line {row + 1}" in error.message


def _refusal_of(before: str, old: str) -> Kind:
    """A near line may be reported as absent, or as one that somebody changed."""
    error = edit(before, Replace(old, "x = 1")).error
    assert error is not None
    assert error.kind in (Kind.NO_MATCH, Kind.DRIFT_CONFLICT)
    return error.kind


def test_twenty_lines_that_are_nowhere_are_refused_with_the_nearest_place() -> None:
    rows = [f"    step_{number}(state, {number % 9})\n" for number in range(500)]
    needle = "".join(row.replace("step_", "stage_").replace("state", "world") for row in rows[300:320])
    error = check_refused("".join(rows), Replace(needle, "pass\n"), "no-match")
    assert error.details["nearest"]


def test_of_equal_words_in_another_layout_the_ones_that_the_rows_name_change_or_none() -> None:
    text = "types = [\n    HANDLE,\n    DWORD,\n    DWORD,\n    DWORD,\n    POINTER,\n]\n"
    old = "types = [\n    HANDLE, DWORD,\n    DWORD,\n    DWORD,\n    POINTER,\n]\n"
    new = "types = [\n    HANDLE, DWORD,\n    LONG,\n    SHORT,\n    POINTER,\n]\n"
    result = edit(text, Replace(old, new), path="a.py")
    assert result.text in (text, text.replace("DWORD,\n    DWORD,\n    P", "LONG,\n    SHORT,\n    P"))
