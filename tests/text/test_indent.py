"""Indentation carried from an edit to a file: the simplest rule that explains every pair, or no rule."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.text.indent import Carried, Pair, carry, indent_of, unit_of
from tests.table import table

Pairs = list[tuple[str, str]]

WITHOUT_RULE: list[tuple[str, Pairs]] = [
    ("two shifts", [("", "  "), ("  ", "  ")]),
    ("one row of three moved", [("", ""), ("    ", "  "), ("    ", "    ")]),
    ("the same indentation at two depths", [("", "    "), ("    ", "    "), ("", "        ")]),
]
RULES: list[tuple[str, Pairs, str, str]] = [
    ("the same", [("", ""), ("  ", "  ")], "      ", "      "),
    ("nothing known", [], "\t ", "\t "),
    ("further right", [("", "    "), ("  ", "      ")], "    ", "        "),
    ("further left", [("    ", ""), ("        ", "    ")], "            ", "        "),
    ("tabs for blanks", [("    ", "\t"), ("        ", "\t\t")], "            ", "\t\t\t"),
    ("blanks for tabs", [("\t", "  "), ("\t\t", "    ")], "\t\t\t", "      "),
]
UNITS = [
    (["a", "    b", "        c"], "    "),
    (["a", "  b", "    c", "  d"], "  "),
    (["a", "\tb", "\t\tc"], "\t"),
    (["a", "b"], None),
    (["a", "", "   ", "b"], None),
    (["/*", " * a", " */", "x {", "    y", "}"], "    "),
]
LEVELS = st.lists(st.integers(0, 5), min_size=1, max_size=6)
BLANKS = st.sampled_from(["  ", "    ", "\t"])


def rule(pairs: Pairs) -> Carried:
    made = [Pair(row, before, after) for row, (before, after) in enumerate(pairs)]
    return carry(made, unit_of([before + "x" for before, _ in pairs]), unit_of([after + "x" for _, after in pairs]))


@table(("why", "pairs"), WITHOUT_RULE, ids=[why for why, _ in WITHOUT_RULE])
def test_pairs_that_no_rule_explains_have_none(why: str, pairs: Pairs) -> None:
    assert not rule(pairs).is_rule, why


def test_a_unit_that_nothing_shows_is_not_made_up() -> None:
    assert not carry([Pair(0, "", ""), Pair(1, "  ", "    ")], None, None).is_rule


def test_known_units_are_distinguished_from_a_shift_that_would_explain_as_much() -> None:
    assert carry([Pair(0, "  ", "    ")], "  ", "    ")("    ", 1) == "        "
    assert carry([Pair(0, "  ", "    ")], None, None)("    ", 1) == "      "


def test_what_is_further_left_than_the_margin_is_out_of_reach() -> None:
    assert rule([("        ", "    ")])("  ", 1) is None
    assert rule([("    ", "")])("", 1) is None


@table(("why", "pairs", "indent", "expected"), RULES, ids=[why for why, *_ in RULES])
def test_a_new_row_is_carried_by_the_rule_that_explains_all(why: str, pairs: Pairs, indent: str, expected: str) -> None:
    found = rule(pairs)
    assert found.is_rule, why
    assert found(indent, len(pairs)) == expected


def test_without_a_rule_the_pairs_around_a_row_decide_if_they_agree() -> None:
    pairs = (Pair(0, "", ""), Pair(3, "  ", "    "), Pair(6, "  ", "    "), Pair(9, "", "  "))
    carried = Carried(None, pairs)
    assert carried("    ", 4) == "      "
    assert carried("  ", 1) is None
    assert carried.near(6, 7) == [pairs[2]]
    assert carried.near(4, 5) == [pairs[1], pairs[2]]


def test_a_blank_row_changes_its_unit_and_is_not_shifted() -> None:
    assert rule([("", "    "), ("  ", "      ")]).blank("  ") == "  "
    assert rule([("", ""), ("    ", "\t"), ("        ", "\t\t")]).blank("    ") == "\t"
    assert rule([("", "")]).blank("") == ""


@table(("rows", "unit"), UNITS)
def test_the_unit_of_a_text_is_what_its_rows_step_by(rows: list[str], unit: str | None) -> None:
    assert unit_of(rows) == unit


@given(st.text(" \tx"))
def test_an_indentation_is_all_blanks_before_the_first_that_is_none(row: str) -> None:
    indent = indent_of(row)
    assert row.startswith(indent)
    assert not indent.strip(" \t")
    assert row[len(indent) : len(indent) + 1] not in (" ", "\t")


@given(LEVELS, BLANKS, BLANKS, st.integers(0, 2))
def test_what_is_carried_there_and_back_is_what_it_was(levels: list[int], unit: str, other: str, deeper: int) -> None:
    """Only where every level is known on both sides do two rules differ; so all levels come first."""
    every = [0, 1, 2, *levels]
    there = [Pair(row, unit * level, other * (level + deeper)) for row, level in enumerate(every)]
    back = [Pair(pair.row, pair.after, pair.before) for pair in there]
    forward, backward = carry(there, unit, other), carry(back, other, unit)
    assert forward.is_rule
    assert backward.is_rule
    for level in range(8):
        carried = forward(unit * level, 0)
        assert carried == other * (level + deeper)
        assert backward(carried, 0) == unit * level


@given(st.lists(st.tuples(st.sampled_from(["", "  ", "    ", "\t"]), st.sampled_from(["", "  ", "    ", "\t"]))))
def test_a_rule_explains_every_pair_it_was_made_from_but_perhaps_the_first(pairs: Pairs) -> None:
    found = rule(pairs)
    if found.is_rule:
        assert all(found(before, row) == after for row, (before, after) in list(enumerate(pairs))[1:])


def test_without_a_rule_a_row_at_the_same_indentation_is_not_contradicted() -> None:
    pairs = (Pair(0, "    \t", "  "), Pair(1, "    \t\t", "    "), Pair(2, "    ", ""))
    assert carry(pairs, "\t", "  ")("    \t\t", 2) is None
    assert Carried(None, pairs)("    ", 2) == ""


def test_without_a_rule_tabs_are_not_brought_to_a_file_without_them() -> None:
    pairs = (Pair(0, "  ", "    "), Pair(1, "      ", "    "))
    assert Carried(None, pairs)("  \t", 0) is None
