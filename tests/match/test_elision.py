"""Old text that leaves lines out: what does not count as leaving out, what cannot be placed, then what can."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.match.lexer import lexer_of
from steadyhand.match.tier import Needle
from steadyhand.match.tiers.elision import TIER, check_elisions, elided, is_elision
from steadyhand.plan.edit import Replace
from steadyhand.plan.guards import GuardedEdit, GuardInput, check_placeholder
from steadyhand.plan.policy import Policy
from steadyhand.plan.preview import edit
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from tests.checks import check_edit, check_refused, marked
from tests.sampling import examples
from tests.table import table

ORDINARY = [
    "",
    "    ",
    "..",
    "a ... b",
    "...,",
    "...args,",
    "  ...rest,",
    "...rest",
    "...existing",
    "...other.options,",
    "f(...args)",
    "[...items]",
    "[1, 2, ..., 9]",
    "x = ...",
    "def f() -> int: ...",
    "pass  # ... existing code ...",
    "}  // ...",
    "}, // ... existing code ...",
    'print("...")',
    "print('... existing code ...')",
    'expected = "# ... rest of code unchanged"',
    '"..."',
    "<p>...</p>",
    "// TODO...",
    "// TODO: handle the remaining cases",
    "# etc...",
    "# Loading...",
    "// Loading existing code...",
    "# ...with captures",
    "# ... existing users are migrated first",
    "# The rest of the arguments are passed on.",
    "# Rest of the arguments",
    "# Existing users keep their settings",
    "# existing code paths use the old name",
    "# Other options",
    "## Unchanged",
    "#unchanged",
    "--unchanged",
    "*unchanged*",
    "[unchanged]",
    "<unchanged>",
    "unchanged",
    "rest",
    "the rest of the file",
    "* Others...",
    "...         else field",
    ">>> ...",
    "... response = client.get(url)",
    "...   for item in remaining:",
    "-- previous version",
    "<!-- existing widgets -->",
    "Wait … there is more.",
    "git log main...feature",
    "# " + "... existing code " * 20,
]


@table("row", ORDINARY)
def test_a_row_with_something_of_its_own_to_say_is_no_elision(row: str) -> None:
    assert not is_elision(row)


ELISIONS = [
    "...",
    "    ....",
    "…",
    "[...]",
    "(…)",
    "// ...",
    "//...",
    "# ...",
    "# …",
    "-- ...",
    "; ...",
    "% ...",
    "* ...",
    "/* … */",
    "{/* ... */}",
    "<!-- ... -->",
    "... existing code ...",
    "... rest of code unchanged",
    "… rest of the file …",
    "[... existing content ...]",
    "(rest of the file remains the same)",
    "[rest of file unchanged]",
    "// ... existing code ...",
    "// …existing code…",
    "\t# ... rest of function ...",
    "# ... rest of the code ...",
    "# ... (unchanged)",
    "# (unchanged)",
    "# ... rest of process_data unchanged",
    "# ... other methods",
    "// ... 10 more lines ...",
    "// ... imports ...",
    "// rest unchanged",
    "// rest of the code",
    "// Rest of your component...",
    "# ... everything else stays the same",
    "<!-- ... rest of the code ... -->",
    "<!-- rest of the page unchanged -->",
    "{/* ... existing code ... */}",
    "/* ... existing styles ... */",
    "-- ... remaining rows ...",
]


@table("row", ELISIONS)
def test_a_row_that_only_says_the_rest_stays_is_an_elision(row: str) -> None:
    assert is_elision(row)


def found(needle: str, text: str, *, new: str | None = None, path: str | None = None) -> list[Span]:
    return list(TIER.find(Source.of_text(text, path=path), Needle(needle, new), apart=False))


# Where more than one place is possible every one is marked: that is a refusal.
UNDECIDED = [
    ("the same function twice", "f {\n  # ...\n}\n", "⟦f {⟧\n  1\n}\n\n⟦f {⟧\n  2\n}\n", None),
    (
        "a bracket that was opened",
        "f {\n  // ...\n}\n",
        "g {\n  1\n}\nf {\n  if {\n    2\n⟦  }⟧\n⟦}⟧\ng {\n⟦}⟧\n",
        None,
    ),
    ("a list that was opened", "odd = [\n    ...\n]\n", "odd = [\n    1,\n⟦]⟧\nb = [\n    2,\n⟦]⟧\n", None),
    ("one row twice", "f:\n    ...\n    x()\n", "f:\n    a\n    ⟦x()⟧\n    b\n    ⟦x()⟧\n", None),
    ("once in each function", "odd:\n  ...\n  x\n", "odd:\n  1\n  ⟦x⟧\nb:\n  2\n  ⟦x⟧\n", None),
    ("a header twice", "def go():\n  ...\n  odd()\n", "⟦def go():⟧\n  1\n⟦def go():⟧\n  2\n  odd()\n", None),
    ("a bracket of another kind", "odd (\n  ...\n}\n", "odd (\n  1\n⟦}⟧\n  2\n⟦}⟧\n", None),
    ("a bracket not opened last", "odd {\n  x\n  ...\n}\n", "odd {\n  x\n  1\n⟦}⟧\ng {\n  2\n⟦}⟧\n", None),
    ("an elision not in the bracket", "odd {\n...\n}\n", "odd {\n  1\n⟦}⟧\ng {\n  2\n⟦}⟧\n", None),
    ("a row before the bracket", "odd {\n  ...\n}\n", "odd {\n  1\nb\n⟦}⟧\ng {\n  2\n⟦}⟧\n", None),
    ("a run in the middle", "top\n...\nmid\n...\nend\n", "top\n1\n⟦mid⟧\n2\n⟦mid⟧\n3\nend\n", None),
    ("depths that disagree", "f {\n...\n    }\n", "f {\n  a {\n  ⟦}⟧\n⟦}⟧\n", None),
    ("a run that is changed", "f\n...\nx\n", "f\n1\n⟦x⟧\n2\n⟦x⟧\n", "f\n...\nX\n"),
    ("a row put before a run", "f\n...\nx\n", "f\n1\n⟦x⟧\n2\n⟦x⟧\n", "f\n...\nnew\nx\n"),
    ("a row put after a run", "x\n...\nf\n", "⟦x⟧\n1\n⟦x⟧\n2\nf\n", "x\nnew\n...\nf\n"),
    ("an elision not repeated", "f\n...\nx\n", "f\n1\n⟦x⟧\n2\n⟦x⟧\n", "F\nx\n"),
]


@table(("needle", "notation", "new"), [case[1:] for case in UNDECIDED], ids=[c[0] for c in UNDECIDED])
def test_what_may_be_in_several_places_is_found_in_all_of_them(needle: str, notation: str, new: str | None) -> None:
    text, spans = marked(notation)
    table = Source.of_text(text).table
    lines = [table.span_of(*table.rows_of(span)) for span in spans]
    assert found(needle, text, new=new) == lines


SURE = [
    ("order alone", "a\n...\nb\n", "b\n1\n⟦a\n2\nb\n⟧3\na\n", None),
    ("a run that is merely repeated", "f\n...\nx\n", "⟦f\n1\nx\n⟧2\nx\n", "F\n...\nx\n"),
    ("repeated before what is changed", "x\n...\nf\n", "x\n1\n⟦x\n2\nf\n⟧", "x\n...\nF\n"),
    ("repeated in the middle", "f\n...\nx\n...\ne\n", "⟦f\n1\nx\n2\nx\n3\ne\n⟧", "F\n...\nx\n...\nE\n"),
    ("quotes and dashes alone", 'odd\n...\n"""\n', '"""\na\n⟦odd\nb\n"""\n⟧', None),
    ("typography", "say('x')\n...\nend\n", "⟦say(\u2018x\u2019)\n1\nend\n⟧", None),
    (
        "no indentation on the first row",
        "a()\n    b()\n    # ...\n    d()\n",
        "if x:\n⟦    a()\n    b()\n    c()\n    d()\n⟧",
        None,
    ),
]


@table(("needle", "notation", "new"), [case[1:] for case in SURE], ids=[case[0] for case in SURE])
def test_a_run_that_occurs_often_is_placed_where_no_other_place_is_possible(
    needle: str, notation: str, new: str | None
) -> None:
    text, spans = marked(notation)
    assert found(needle, text, new=new) == spans


def test_work_is_bounded_on_hostile_texts() -> None:
    assert found("x\n...\nx\n", "x\n" * 200_000) == []
    assert found("x\n" * 500 + "...\n" + "x\n" * 500, "x\n" * 19_000) == []
    assert found("{\n...\n}\n", "{" * 1_000_000) == []
    assert found("---\n...\n'''\n", "---\n" * 100_000) == []
    assert found("x\n...\n" * 1_000, "x\n" * 3_000) == []
    assert len(found("odd\n...\nend\n", "x\n" * 200_000 + "odd\n" + "x\n" * 50_000 + "end\n")) == 1


MAPPED = [
    ("a|...|d", "a|b|c|d", [(0, 1), (1, 3), (3, 4)]),
    ("a||...||d", "a||b||d", [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]),
    ("a||...||d", "a|b|d", [(0, 1), (1, 1), (1, 2), (2, 2), (2, 3)]),
    ("a|...|d", "a||b||d", [(0, 1), (1, 4), (4, 5)]),
    ("...|a|...", "a", [(0, 0), (0, 1), (1, 1)]),
    ("|...||a|...|b||...|", "a|x|b", [(0, 0), (0, 0), (0, 0), (0, 1), (1, 2), (2, 3), (3, 3), (3, 3), (3, 3)]),
    ("a|...|# ...|d", "a|b|c|d", [(0, 1), (1, 3), (3, 3), (3, 4)]),
    ("a|b|...|d", "a||b|c|d", [(0, 1), (2, 3), (3, 4), (4, 5)]),
    ("a||b|...|d", "a|b|c|d", [(0, 1), (1, 1), (1, 2), (2, 3), (3, 4)]),
    ("a|...|m|...|d", "a|1|m|2|d", [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]),
    ("a|d", "a|d", None),
    ("a|...|d", "a|b|c", None),
    ("a|...|d", "x|a|b|d", None),
    ("a|...|d", "a|d", None),
]


@table(("old", "rows", "ranges"), MAPPED)
def test_every_row_of_the_old_text_answers_to_rows_of_the_place(
    old: str, rows: str, ranges: list[tuple[int, int]] | None
) -> None:
    assert elided(old.split("|"), rows.split("|"), lexer_of(None)) == ranges


WRONG_ELISIONS = [
    ("a\n...\nb", "a\nb", "does not repeat"),
    ("a\n# ...\nb\n// ...\nc", "a\n// ...\nb\n# ...\nc", "another order"),
    ("a\n...\nb", "a\n...\nx\n...\nb", "where the old text does not"),
    ("a\n# ...\nb", "a\n# ... rest of the code ...\nb", "does not repeat"),
    ("a\n...", "a\n...\nb", "where the new line 'b' belongs"),
    ("...\na", "b\n...\na", "where the new line 'b' belongs"),
]


@table(("old", "new", "words"), WRONG_ELISIONS)
def test_a_replacement_with_other_elisions_is_reported(old: str, new: str, words: str) -> None:
    said = check_elisions(old, new)
    assert said is not None
    assert words in said


def test_a_replacement_with_the_same_elisions_is_right() -> None:
    assert check_elisions("a\n...\nb", "x\ny\n  ...\nb") is None
    assert check_elisions("a\n...\nb\n...", "a\n...\n...") is None
    assert check_elisions("a", "b") is None


@table("row", ELISIONS)
def test_an_elision_of_the_old_text_passes_the_placeholder_guard(row: str) -> None:
    guarded = GuardedEdit(0, f"a\n{row}\nb", f"A\n    {row}\nb")
    assert check_placeholder(GuardInput("x.py", "a\nc\nb\n", None, (guarded,), Policy())) is None


FUNCTION = "def f():\n    a = 1\n    b = 2\n\n    c = 3\n    return c\n\ndef g():\n    return 0\n"

REFUSED = [
    ("an elision not repeated", "    a = 1\n# ...\n    c = 3\n", "    a = 2\n    c = 3\n"),
    ("lone dots not repeated", "    a = 1\n...\n    c = 3\n", "    a = 2\n    c = 3\n"),
    ("an elision at the end not repeated", "    a = 1\n# ...\n", "    a = 2\n"),
    ("a new line beyond the last elision", "    a = 1\n# ...\n", "    a = 1\n# ...\n    d = 4\n"),
    ("both sides exchanged", "    a = 1\n# ...\n    c = 3\n", "    c = 3\n# ...\n    a = 1\n"),
]


@table(("old", "new"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_an_edit_that_does_not_keep_what_it_leaves_out_changes_nothing(old: str, new: str) -> None:
    result = edit(FUNCTION, [Replace(old, new)], path="x.py")
    assert not result.ok
    assert result.text == FUNCTION


def test_what_is_left_out_is_kept_and_both_sides_are_changed() -> None:
    old = "def f():\n    a = 1\n    # ... existing code ...\n    return c\n"
    new = "def f():\n    a = 10\n    # ... existing code ...\n    d = 4\n    return c + d\n"
    after = FUNCTION.replace("a = 1", "a = 10").replace("return c", "d = 4\n    return c + d")
    result = check_edit(FUNCTION, Replace(old, new), after, path="x.py")
    assert result.outcomes[0].tier == "elision"


def test_a_line_that_may_be_in_two_places_is_refused_with_both() -> None:
    before = "def f():\n    y()\n    x()\n    z()\n    x()\n"
    edits = Replace("def f():\n    ...\n    x()\n", "def f():\n    ...\n    X()\n")
    error = check_refused(before, edits, "ambiguous-match", path="x.py")
    assert "line 3" in error.message
    assert "line 5" in error.message


NAMES = st.sampled_from(["load", "save", "total", "index", "names"])
STATEMENTS = st.sampled_from(
    [["    x = 1"], ["    if x:", "        x()"], [""], ["    log(x)"], ["    }"], ["    y = x"]]
)


@st.composite
def functions(draw: st.DrawFn) -> list[list[str]]:
    """Functions whose rows are much alike."""
    made: list[list[str]] = []
    for _ in range(draw(st.integers(1, 4))):
        rows = [f"def {draw(NAMES)}({draw(NAMES)}):"]
        for _ in range(draw(st.integers(1, 5))):
            rows += draw(STATEMENTS)
            if draw(st.booleans()):
                rows.append(f"    {draw(NAMES)} = {draw(NAMES)}")
        made.append([*rows, *draw(st.sampled_from([["    return x"], ["    return x", ""], ["}"]]))])
    return made


def quote(draw: st.DrawFn, rows: list[str]) -> tuple[str, int, int]:
    """An old text that leaves some of the rows out, and the first and last row it quotes."""
    quoted = sorted(draw(st.sets(st.sampled_from([row for row, text in enumerate(rows) if text]), min_size=1)))
    needle = rows[quoted[0]] + "\n"
    for before, row in pairwise(quoted):
        left_out = any(text for text in rows[before + 1 : row])
        needle += ("    # ... existing code ...\n" if left_out else "") + rows[row] + "\n"
    return needle, quoted[0], quoted[-1]


def joined(made: list[list[str]]) -> list[str]:
    return [row for rows in made for row in rows]


def text_of(rows: list[str]) -> str:
    return "".join(row + "\n" for row in rows)


@examples(30)
@given(st.data())
def test_rows_left_out_of_one_function_are_found_there_or_not_for_sure(data: st.DataObject) -> None:
    made = data.draw(functions())
    index = data.draw(st.integers(0, len(made) - 1))
    needle, first, last = quote(data.draw, made[index])
    offset = sum(map(len, made[:index]))
    spans = found(needle, text_of(joined(made)), path="x.py")
    if len(spans) == 1:
        table = Source.of_text(text_of(joined(made))).table
        assert spans == [table.span_of(offset + first, offset + last)]
    assert len(spans) > 0 or not any(map(is_elision, needle.splitlines()))


@examples(25)
@given(st.data())
def test_a_find_always_has_every_literal_row_in_order(data: st.DataObject) -> None:
    rows = joined(data.draw(functions()))
    needle, _, _ = quote(data.draw, rows)
    spans = found(needle, text_of(rows), path="x.py")
    if len(spans) != 1:
        return
    quoted, region = needle.splitlines(), spans[0].of(text_of(rows)).splitlines()
    ranges = elided(quoted, region, lexer_of("x.py"))
    assert ranges is not None
    assert (ranges[0][0], ranges[-1][1]) == (0, len(region))
    assert all(one[1] <= two[0] for one, two in pairwise(ranges))
    for row, (start, end) in zip(quoted, ranges, strict=True):
        assert any(region[start:end]) if is_elision(row) else region[start:end] == [row]
    if every := in_order([run.splitlines() for run in needle.split("    # ... existing code ...\n")], region):
        assert (0, len(region)) in every


@examples(25)
@given(st.data())
def test_what_occurs_twice_is_never_found_once(data: st.DataObject) -> None:
    rows = joined(data.draw(functions()))
    needle, _, _ = quote(data.draw, rows)
    assert len(found(needle, text_of(rows) * 2, path="x.py")) != 1


def in_order(runs: list[list[str]], rows: list[str], after: int = 0) -> set[tuple[int, int]]:
    """The dullest reference: first and last row of every way to place the runs one after another."""
    ends: set[tuple[int, int]] = set()
    for start in range(after, len(rows)):
        end = start + len(runs[0])
        if rows[start:end] == runs[0]:
            rest = in_order(runs[1:], rows, end) if runs[1:] else {(start, end)}
            ends |= {(start, last) for _, last in rest}
    return ends
